//! The class `Filter`.

use crate::column::{self, Keys};
use crate::error::Failure;
use crate::info::Info;
use crate::keys::Hasher;
use crate::lock::Lock;
use crate::rule::Rule;
use crate::save;
use crate::settings;
use anther::error::Ability;
use anther::{
    AnyFilter, Bloomier, Cascade, FileMap, Filter as _, KeyHash, Kind, Open, SeedKind, Target,
    Threads, Work,
};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use std::path::PathBuf;
use std::sync::OnceLock;

/// A Bloom filter, or one of its relatives.
///
/// `items` is the expected number of distinct keys and `fpr` the false-positive rate that the
/// filter has when it holds them. `kind` is one of `anther.kinds`. `key` is a secret key of 16
/// bytes, for keys that untrusted parties choose; `secrets.token_bytes(16)` makes one. `rule` says
/// what the keys are, such as `"domain"`; without it they are taken as they are. Further keywords
/// are options of the kind, such as `counter_bits=8`.
///
/// >>> import anther
/// >>> seen = anther.Filter(1_000_000, 0.01)
/// >>> seen.add("key")
/// True
/// >>> "key" in seen, "other" in seen
/// (True, False)
#[pyclass(frozen, module = "anther", name = "Filter", weakref)]
#[derive(Debug)]
pub struct Filter {
    hasher: Hasher,
    /// Whether its entries stand for what is below them.
    is_below: bool,
    kind: Kind,
    inner: Lock<AnyFilter>,
}

impl Filter {
    /// Takes over a filter.
    pub fn new(filter: AnyFilter) -> Filter {
        let about = filter.about();
        let hasher = Hasher::of(about);
        let is_below = about.reach().is_below();
        Filter { hasher, is_below, kind: filter.kind(), inner: Lock::new(filter) }
    }

    /// Inserts a key, if it is of a plain type, and the filter is free and takes it.
    #[inline]
    pub fn add_plain(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Option<bool> {
        let hash = self.hasher.hash_plain(key)?;
        self.inner.with_mut(py, |filter| filter.insert_hash(hash)).ok()
    }

    /// A copy of the filter inside, made without the GIL.
    pub fn snapshot(&self, py: Python<'_>) -> AnyFilter {
        self.inner.read(py, AnyFilter::clone)
    }

    /// What was read of the filter while the GIL was released.
    pub fn read<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AnyFilter) -> R + Send) -> R {
        self.inner.read(py, work)
    }

    /// The same with a change.
    #[cfg(feature = "bench")]
    pub fn write<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut AnyFilter) -> R + Send,
    ) -> R {
        self.inner.write(py, work)
    }

    /// For keys of a filter whose entries stand for what is below them.
    fn noting(&self, py: Python<'_>) -> Hasher {
        self.hasher.noting(self.inner.with(py, |filter| filter.about().reach()))
    }

    /// The same for keys that are inserted or removed.
    fn noting_entries(&self, py: Python<'_>) -> Hasher {
        self.hasher.noting_entries(self.inner.with(py, |filter| filter.about().reach()))
    }

    /// Inserts keys that were noted.
    fn insert_noted(
        &self,
        py: Python<'_>,
        hasher: &Hasher,
        hashes: &[KeyHash],
    ) -> Result<u64, Failure> {
        let entries = hasher.entries(hashes);
        Ok(self.inner.write(py, |filter| filter.insert_entries(&entries))?)
    }

    fn merge_one(&self, py: Python<'_>, other: &Filter) -> Result<(), Failure> {
        let merge = |ours: &mut AnyFilter, theirs: Option<&AnyFilter>| match theirs {
            Some(theirs) => ours.merge(theirs),
            None => {
                let same = ours.clone();
                ours.merge(&same)
            }
        };
        Ok(self.inner.write_from(py, &other.inner, merge)?)
    }

    fn intersect_one(&self, py: Python<'_>, other: &Filter) -> Result<(), Failure> {
        let intersect = |ours: &mut AnyFilter, theirs: Option<&AnyFilter>| match theirs {
            Some(theirs) => ours.intersect(theirs),
            None => {
                let same = ours.clone();
                ours.intersect(&same)
            }
        };
        Ok(self.inner.write_from(py, &other.inner, intersect)?)
    }

    fn insert_hashes(
        &self,
        py: Python<'_>,
        hashes: &[KeyHash],
        threads: Threads,
    ) -> Result<(), Failure> {
        Ok(self.inner.write(py, |filter| filter.bulk_insert_hashes(hashes, threads))?)
    }
}

/// Looks up keys that were noted.
fn found_in(filter: &AnyFilter, hasher: &Hasher, hashes: &[KeyHash], found: &mut [bool]) {
    let Ok(()) = hasher.contains(hashes, found, |hashes, found| {
        filter.contains_hashes(hashes, found);
        Ok::<(), std::convert::Infallible>(())
    });
}

/// How many threads: all cores unless told.
pub fn threads(threads: Option<usize>) -> Result<Threads, Failure> {
    // To ask the system takes 60 µs: it reads the files of the process's control group.
    static CORES: OnceLock<Threads> = OnceLock::new();
    match threads {
        None => Ok(*CORES.get_or_init(Threads::all)),
        Some(0) => {
            Err(Failure::wrong_value("threads must be 1 or more; leave it out for all cores"))
        }
        Some(most) => Ok(Threads::new(most)),
    }
}

/// How a file is opened.
pub fn how(key: Option<&[u8]>) -> Result<Open, Failure> {
    Ok(match key {
        Some(key) => Open::new().key(settings::secret_key(key)?),
        None => Open::new(),
    })
}

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (items, fpr=0.01, kind="blocked", key=None, *, seed=None, rule=None, **options))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn make(
        py: Python<'_>,
        items: &Bound<'_, PyAny>,
        fpr: f64,
        kind: &str,
        key: Option<&[u8]>,
        seed: Option<u64>,
        rule: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Filter, Failure> {
        let kind = settings::kind(kind)?;
        let options = settings::options(kind, options)?;
        let seed = settings::seed(key, seed)?;
        let recipe = settings::recipe(rule)?;
        let target = Target::new(settings::items(items)?, fpr)?;
        let made = py.detach(|| AnyFilter::with_options(kind, target, &options, seed));
        let mut filter = made?;
        filter.set_recipe(recipe);
        Ok(Filter::new(filter))
    }

    /// Inserts a key. `add` is this, or a shorter way to the same.
    #[pyo3(signature = (key, /))]
    fn _add(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if self.is_below {
            let hasher = self.noting_entries(py);
            let hash = hasher.hash(key)?;
            return Ok(self.insert_noted(py, &hasher, &[hash])? > 0);
        }
        let hash = self.hasher.hash(key)?;
        Ok(self.inner.with_mut(py, |filter| filter.insert_hash(hash))?)
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if self.is_below {
            let hasher = self.noting(py);
            let (hash, mut found) = (hasher.hash(key)?, [false]);
            self.inner.with(py, |filter| found_in(filter, &hasher, &[hash], &mut found));
            return Ok(found[0]);
        }
        let hash = self.hasher.hash(key)?;
        Ok(self.inner.with(py, |filter| filter.contains_hash(hash)))
    }

    /// Inserts many keys: a list or another iterable, a NumPy array, an Arrow array or chunked
    /// array, a column of pandas or Polars. Nulls are left out.
    ///
    /// Arrays are hashed without the GIL, on all cores or on `threads` of them. Lists, tuples, sets,
    /// dicts and arrays are hashed before the first key is inserted, so a key that is refused
    /// changes nothing. From other iterables, keys are inserted as they come.
    ///
    /// >>> import anther
    /// >>> seen = anther.Filter(1000)
    /// >>> seen.update(["a", "b"])
    /// >>> seen.update(range(100))
    /// >>> 42 in seen
    /// True
    #[pyo3(signature = (keys, /, *, threads=None))]
    fn update(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> Result<(), Failure> {
        let threads = self::threads(threads)?;
        if self.is_below {
            let hasher = self.noting_entries(py);
            return column::insert_noted(py, &hasher, keys, threads, |hashes| {
                self.insert_noted(py, &hasher, hashes).map(drop)
            });
        }
        match column::keys(keys)? {
            Keys::Columns(columns, _) if columns.must_look_first(&self.hasher) => {
                let hasher = &self.hasher;
                let hashes = py.detach(|| columns.all_hashes(hasher, threads))?;
                self.insert_hashes(py, &hashes, threads)
            }
            Keys::Columns(columns, _) => columns.insert(&self.hasher, |count, hash| {
                let insert =
                    |filter: &mut AnyFilter| filter.bulk_insert_blocks(count, hash, threads);
                self.inner.write(py, insert)
            }),
            Keys::Sized(objects, _) => {
                let hashes = column::hash_all(&self.hasher, &objects)?;
                self.insert_hashes(py, &hashes, threads)
            }
            Keys::Iterator(iterator) => column::hash_objects(&self.hasher, &iterator, |block| {
                self.insert_hashes(py, block, Threads::ONE)
            }),
        }
    }

    /// Whether each of many keys may be in the set. The answers come back in the form of the keys: a
    /// NumPy array of bool for lists, iterables and NumPy arrays; Arrow booleans, a pandas or a
    /// Polars Series for those. Null keys give null.
    ///
    /// >>> import anther
    /// >>> seen = anther.Filter(1000)
    /// >>> seen.update(["a", "b"])
    /// >>> [bool(found) for found in seen.contains_many(["a", "z"])]
    /// [True, False]
    #[pyo3(signature = (keys, /, *, threads=None))]
    fn contains_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let threads = self::threads(threads)?;
        if self.is_below {
            let hasher = self.noting(py);
            return column::contains_noted(py, &hasher, keys, |hashes, found| {
                self.inner.read(py, |filter| found_in(filter, &hasher, hashes, found));
                Ok(())
            });
        }
        column::contains_many(py, &self.hasher, keys, |found, hash| {
            self.inner.read(py, |filter| filter.contains_blocks(found, hash, threads))
        })
    }

    /// Removes a key, for kinds that can. KeyError: it is certainly absent. Remove only keys that
    /// were inserted.
    #[pyo3(signature = (key, /))]
    fn remove(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<(), Failure> {
        match self.discard(py, key)? {
            true => Ok(()),
            false => Err(PyKeyError::new_err(key.clone().unbind()).into()),
        }
    }

    /// Removes a key, for kinds that can. False: it is certainly absent, and nothing changed.
    #[pyo3(signature = (key, /))]
    fn discard(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if self.is_below {
            let hasher = self.noting_entries(py);
            let hash = hasher.hash(key)?;
            let more = hasher.entries(&[hash]).more_hashes();
            return Ok(self.inner.with_mut(py, |filter| filter.remove_entry(hash, &more))?);
        }
        let hash = self.hasher.hash(key)?;
        Ok(self.inner.with_mut(py, |filter| filter.remove_hash(hash))?)
    }

    /// How often the key was inserted, for kinds that count: never too low.
    #[pyo3(signature = (key, /))]
    fn count(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<u64, Failure> {
        let hash = self.hasher.hash(key)?;
        Ok(self.inner.with(py, |filter| filter.count_hash(hash))?)
    }

    /// The value of a key, for kind bloomier; `default` if the key is certainly absent. An absent key
    /// gets an arbitrary value as often as the false-positive rate says.
    ///
    /// >>> import anther
    /// >>> ports = anther.Filter.build({"http": 80, "https": 443}, 1e-6, "bloomier")
    /// >>> ports.get("https"), ports.get("gopher")
    /// (443, None)
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let hash = self.hasher.hash(key)?;
        match self.inner.with(py, |filter| filter.get_hash(hash))? {
            Some(value) => Ok(value.into_pyobject(py).map_err(PyErr::from)?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    /// The 64-bit hash of a key: all that the filter sees of it. It is the same in every language.
    #[pyo3(signature = (key, /))]
    fn hash_of(&self, key: &Bound<'_, PyAny>) -> Result<u64, Failure> {
        Ok(self.hasher.hash(key)?.0)
    }

    /// Builds a filter from all its keys: of a static kind, such as ribbon and fuse, which are
    /// smaller, or of any other. Duplicates count once.
    ///
    /// `items` is the number of distinct keys; it is counted if it is not given. For kind bloomier,
    /// which stores a value with each key, give a dict, or the values apart as `values`.
    ///
    /// >>> import anther
    /// >>> primes = anther.Filter.build([2, 3, 5, 7, 11, 13], 0.001)
    /// >>> primes.kind, 11 in primes
    /// ('ribbon', True)
    #[classmethod]
    #[pyo3(signature = (
        keys, fpr=0.01, kind="ribbon", *,
        items=None, values=None, key=None, seed=None, rule=None, threads=None, **options
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn build(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        fpr: f64,
        kind: &str,
        items: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyAny>>,
        key: Option<&[u8]>,
        seed: Option<u64>,
        rule: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Filter, Failure> {
        let kind = settings::kind(kind)?;
        let mut options = settings::options(kind, options)?;
        let recipe = settings::recipe(rule)?;
        let seed = settings::seed(key, seed)?;
        let items = items.map(settings::items).transpose()?;
        // Whatever else is wrong is found before the keys are read.
        Target::new(items.unwrap_or(1), fpr)?;
        let threads = self::threads(threads)?;
        let hasher = Hasher::new(seed, recipe.as_ref().map(|recipe| recipe.rule));
        let values = match (values, keys.cast::<PyDict>()) {
            (Some(_), Ok(_)) => {
                return Err(Failure::wrong_value(
                    "a dict has values of its own; leave out values=, or give list(dict) as keys",
                ));
            }
            (Some(values), _) => Some(values.clone()),
            (None, Ok(dict)) if kind.capabilities().values => Some(dict.values().into_any()),
            _ if kind.capabilities().values => {
                return Err(Failure::wrong_value(format!(
                    "kind {kind} stores a value with each key; give a dict, or values="
                )));
            }
            _ => None,
        };
        let values: Option<Vec<u64>> = match values {
            Some(_) if !kind.capabilities().values => {
                return Err(anther::error::Unable { kind, ability: Ability::Get }.into());
            }
            Some(values) => Some(settings::values(&values)?),
            None => None,
        };
        let hashes = column::all_hashes(py, &hasher, keys, values.is_some(), threads)?;
        let work = Work::new().threads(threads);
        let mut filter = py.detach(|| -> Result<AnyFilter, Failure> {
            let items = match items {
                Some(items) => items,
                None => column::distinct(&hashes),
            };
            let target = Target::new(items.max(1), fpr)?;
            let Some(values) = values else {
                let mut hashes = hashes;
                return Ok(AnyFilter::build(kind, &mut hashes, target, &options, seed, work)?);
            };
            if values.len() != hashes.len() {
                return Err(Failure::wrong_value(format!(
                    "{} keys and {} values; give a value for each key",
                    hashes.len(),
                    values.len()
                )));
            }
            let widest = values.iter().max().map_or(1, |most| (64 - most.leading_zeros()).max(1));
            options.value_bits = options.value_bits.or(Some(widest));
            let mut pairs: Vec<(KeyHash, u64)> = hashes.into_iter().zip(values).collect();
            let map = Bloomier::build_pairs(&mut pairs, target, &options, false, seed, work)?;
            Ok(map.into())
        })?;
        filter.set_recipe(recipe);
        Ok(Filter::new(filter))
    }

    /// Builds a filter that tells two lists apart without an error: all of `members` are found in
    /// it, and none of `others`. Keys of neither list are false positives at a rate of at most
    /// `fpr`; without it, the filter is as small as the two lists allow.
    ///
    /// A key in both lists is a BuildError.
    ///
    /// >>> import anther
    /// >>> bad = anther.Filter.cascade(["ads.example"], ["shop.example", "mail.example"])
    /// >>> "ads.example" in bad, "shop.example" in bad, bad.kind
    /// (True, False, 'cascade')
    #[classmethod]
    #[pyo3(signature = (
        members, others, fpr=None, *, key=None, seed=None, rule=None, threads=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn cascade(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        members: &Bound<'_, PyAny>,
        others: &Bound<'_, PyAny>,
        fpr: Option<f64>,
        key: Option<&[u8]>,
        seed: Option<u64>,
        rule: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> Result<Filter, Failure> {
        let recipe = settings::recipe(rule)?;
        let seed = settings::seed(key, seed)?;
        Target::new(1, fpr.unwrap_or(0.5))?;
        let threads = self::threads(threads)?;
        let hasher = Hasher::new(seed, recipe.as_ref().map(|recipe| recipe.rule));
        let mut members = column::all_hashes(py, &hasher, members, false, threads)?;
        let mut others = column::all_hashes(py, &hasher, others, false, threads)?;
        let work = Work::new().threads(threads);
        let built = py.detach(|| Cascade::build_lists(&mut members, &mut others, fpr, seed, work));
        let mut filter = AnyFilter::from(built?);
        filter.set_recipe(recipe);
        Ok(Filter::new(filter))
    }

    /// The estimated number of distinct keys; None if the kind cannot tell. Reads all cells.
    fn estimate(&self, py: Python<'_>) -> Option<f64> {
        self.inner.read(py, |filter| filter.profile().keys())
    }

    /// The filter in numbers. Reads all cells.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<Info> {
        let (profile, about, parameters) = self
            .inner
            .read(py, |filter| (filter.profile(), filter.about().clone(), filter.parameters()));
        Info::new(py, &profile, &about, parameters)
    }

    /// The kind, as in `anther.kinds`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// The rule of its keys, or None.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        self.hasher.rule.map(Rule::from)
    }

    /// The seed of its hash, 0 by default; None if the filter is keyed, or hashes as Parquet does.
    #[getter]
    fn seed(&self) -> Option<u64> {
        match self.hasher.seed.kind() {
            SeedKind::Fixed => Some(0),
            SeedKind::Chosen(seed) => Some(seed),
            _ => None,
        }
    }

    /// Whether it was made with a secret key.
    #[getter]
    fn keyed(&self) -> bool {
        matches!(self.hasher.seed.kind(), SeedKind::Keyed { .. })
    }

    /// Saves the filter to a file, atomically. If another process is changing the file, or a `Shared`
    /// has it open, it waits up to ten seconds, and then raises FileError. The secret key of a keyed
    /// filter is not in it.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failure> {
        let lock = save::lock(py, &path)?;
        self.inner.read(py, |filter| save::file(filter, &path, lock))
    }

    /// Opens a filter and verifies every byte. With `map=True` the file is mapped instead: at once,
    /// whatever its size, and without verifying its cells. Nobody may change the file then.
    #[classmethod]
    #[pyo3(signature = (path, map=false, key=None))]
    fn open(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        map: bool,
        key: Option<&[u8]>,
    ) -> Result<Filter, Failure> {
        let how = how(key)?;
        let opened: Result<AnyFilter, _> = py.detach(|| match map {
            true => crate::map::open(&path).and_then(|map: FileMap| how.map(&map)),
            false => how.file(&path),
        });
        Ok(Filter::new(opened.map_err(|error| Failure::of_file(error, &path))?))
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        let bytes = self.inner.read(py, save::bytes)?;
        Ok(save::to_python(py, &bytes)?)
    }

    /// The filter of these bytes.
    #[classmethod]
    #[pyo3(signature = (data, key=None))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        key: Option<&[u8]>,
    ) -> Result<Filter, Failure> {
        let data = save::from_python(data)?;
        let (how, bytes) = (how(key)?, data.as_bytes());
        // Bytes do not change, and are held by the argument.
        let filter: AnyFilter = py.detach(|| how.bytes(bytes))?;
        Ok(Filter::new(filter))
    }

    /// Inserts all keys of other filters: bit for bit what inserting them here gives. They must be
    /// of the same kind, size and seed.
    ///
    /// >>> import anther
    /// >>> monday, tuesday = anther.Filter(1000), anther.Filter(1000)
    /// >>> tuesday.update(["a", "b"])
    /// >>> monday.merge(tuesday)
    /// >>> "a" in monday
    /// True
    #[pyo3(signature = (*others))]
    fn merge(&self, py: Python<'_>, others: Vec<Py<Filter>>) -> Result<(), Failure> {
        if let [other] = &others[..] {
            return self.merge_one(py, other.get());
        }
        // Of several, all or none.
        let merged = self.copy(py);
        for other in &others {
            merged.merge_one(py, other.get())?;
        }
        let merged = merged.inner.into_inner();
        self.inner.write(py, |filter| *filter = merged);
        Ok(())
    }

    fn __or__(&self, py: Python<'_>, other: &Bound<'_, Filter>) -> Result<Filter, Failure> {
        let both = self.copy(py);
        both.merge_one(py, other.get())?;
        Ok(both)
    }

    fn __ior__(&self, py: Python<'_>, other: &Bound<'_, Filter>) -> Result<(), Failure> {
        self.merge_one(py, other.get())
    }

    fn __and__(&self, py: Python<'_>, other: &Bound<'_, Filter>) -> Result<Filter, Failure> {
        let both = self.copy(py);
        both.intersect_one(py, other.get())?;
        Ok(both)
    }

    fn __iand__(&self, py: Python<'_>, other: &Bound<'_, Filter>) -> Result<(), Failure> {
        self.intersect_one(py, other.get())
    }

    /// A copy. That of a keyed filter has the secret key, too.
    fn copy(&self, py: Python<'_>) -> Filter {
        Filter::new(self.snapshot(py))
    }

    fn __copy__(&self, py: Python<'_>) -> Filter {
        self.copy(py)
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Filter {
        self.copy(py)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Result<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,)), Failure> {
        let this = slf.get();
        if this.keyed() {
            return Err(Failure::wrong_type(
                "a keyed filter is not pickled: its secret key would be in the pickle, or missing \
                 after it; use to_bytes() and Filter.from_bytes(data, key)",
            ));
        }
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (this.to_bytes(slf.py())?,)))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Filter>() else { return Ok(py.NotImplemented()) };
        let equal = self.inner.read_both(py, &other.get().inner, |ours, theirs| ours == theirs);
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let about = self.inner.with(py, |filter| filter.about().clone());
        let made =
            about.target.map(|target| format!("items={}, fpr={}", target.items(), target.fpr()));
        let keyed = if self.keyed() { ", keyed" } else { "" };
        let rule = self.hasher.rule.map(|rule| format!(", rule={rule}")).unwrap_or_default();
        let made = made.unwrap_or_else(|| "made from a shape".to_string());
        format!("<anther.Filter {}: {made}{keyed}{rule}; {} inserts>", self.kind, about.inserted)
    }
}
