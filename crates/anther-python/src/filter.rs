//! The class `Filter`.

use crate::column::{self, Form, Keys};
use crate::error::Failure;
use crate::info::Info;
use crate::keys::Hasher;
use crate::rule::Rule;
use crate::settings;
use anther::{AnyFilter, FileMap, Filter as _, KeyHash, Kind, Open, Save, SeedKind, Target, Threads};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

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
    kind: Kind,
    /// Held for as long as the filter is used, and nobody wants the GIL while holding it. So it
    /// can be waited for with the GIL, but others would wait for that, too: those who find it taken
    /// release the GIL first.
    inner: RwLock<AnyFilter>,
}

impl Filter {
    /// Takes over a filter.
    pub fn new(filter: AnyFilter) -> Filter {
        let about = filter.about();
        let hasher = Hasher { seed: about.seed, rule: about.rule() };
        Filter { hasher, kind: filter.kind(), inner: RwLock::new(filter) }
    }

    /// How keys are hashed.
    pub fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// A panic cannot leave the filter half changed in a way that matters: bits are only set.
    fn read(&self) -> RwLockReadGuard<'_, AnyFilter> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, AnyFilter> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something short, with the GIL unless the filter is in use.
    #[inline]
    pub fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&AnyFilter) -> T + Send) -> T {
        match self.inner.try_read() {
            Ok(filter) => work(&filter),
            Err(TryLockError::Poisoned(filter)) => work(&filter.into_inner()),
            Err(TryLockError::WouldBlock) => py.detach(|| work(&self.read())),
        }
    }

    /// The same with a change.
    #[inline]
    pub fn with_mut<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut AnyFilter) -> T + Send,
    ) -> T {
        match self.inner.try_write() {
            Ok(mut filter) => work(&mut filter),
            Err(TryLockError::Poisoned(filter)) => work(&mut filter.into_inner()),
            Err(TryLockError::WouldBlock) => py.detach(|| work(&mut self.write())),
        }
    }

    /// A copy of the filter inside, made without the GIL.
    pub fn snapshot(&self, py: Python<'_>) -> AnyFilter {
        py.detach(|| self.read().clone())
    }

    /// Changes this filter by another. Whoever locks two filters locks that with the lower address
    /// first, so that `a |= b` and `b |= a` on two threads do not wait for each other.
    fn combine<E: Send>(
        &self,
        py: Python<'_>,
        other: &Filter,
        change: impl FnOnce(&mut AnyFilter, &AnyFilter) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        py.detach(|| match std::ptr::from_ref(self).cmp(&std::ptr::from_ref(other)) {
            std::cmp::Ordering::Less => {
                let mut ours = self.write();
                change(&mut ours, &other.read())
            }
            std::cmp::Ordering::Greater => {
                let theirs = other.read();
                change(&mut self.write(), &theirs)
            }
            std::cmp::Ordering::Equal => {
                let mut ours = self.write();
                let theirs = ours.clone();
                change(&mut ours, &theirs)
            }
        })
    }

    fn insert_hashes(
        &self,
        py: Python<'_>,
        hashes: &[KeyHash],
        threads: Threads,
    ) -> Result<(), Failure> {
        py.detach(|| Ok(self.write().bulk_insert_hashes(hashes, threads)?))
    }
}

/// How many threads: all cores unless told.
pub fn threads(threads: Option<usize>) -> Result<Threads, Failure> {
    match threads {
        None => Ok(Threads::all()),
        Some(0) => Err(Failure::wrong_value("threads must be 1 or more; leave it out for all cores")),
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

    /// Inserts a key. True: it is certainly new.
    #[pyo3(signature = (key, /))]
    fn add(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        let hash = self.hasher.hash(key)?;
        Ok(self.with_mut(py, |filter| filter.insert_hash(hash))?)
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        let hash = self.hasher.hash(key)?;
        Ok(self.with(py, |filter| filter.contains_hash(hash)))
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
        match column::keys(keys)? {
            Keys::Columns(columns, _) if columns.must_look_first(&self.hasher) => {
                let hasher = &self.hasher;
                let hashes = py.detach(|| columns.all_hashes(hasher, threads))?;
                self.insert_hashes(py, &hashes, threads)
            }
            Keys::Columns(columns, _) => py.detach(|| {
                let malformed = Mutex::new(None);
                let hash = |rows, out: &mut [KeyHash]| {
                    if let Err(failure) = columns.hash(&self.hasher, rows, out) {
                        *malformed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                    }
                };
                self.write().bulk_insert_blocks(columns.len(), &hash, threads)?;
                malformed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
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
        let (hashes, form) = match column::keys(keys)? {
            Keys::Columns(columns, form) => {
                let (nulls, len) = (columns.nulls(), columns.len());
                return column::answers(py, len, nulls, form, |found| {
                    let hash = |rows, out: &mut [KeyHash]| columns.hash(&self.hasher, rows, out);
                    self.read().contains_blocks(found, hash, threads)
                });
            }
            Keys::Sized(objects, form) => (column::hash_all(&self.hasher, &objects)?, form),
            Keys::Iterator(iterator) => {
                let mut hashes = Vec::new();
                column::hash_objects(&self.hasher, &iterator, |block| {
                    hashes.append(block);
                    Ok(())
                })?;
                (hashes, Form::Numpy)
            }
        };
        column::answers(py, hashes.len(), None, form, |found| {
            let copy = |rows: std::ops::Range<usize>, out: &mut [KeyHash]| {
                out.copy_from_slice(&hashes[rows]);
                Ok(())
            };
            self.read().contains_blocks(found, copy, threads)
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
        let hash = self.hasher.hash(key)?;
        Ok(self.with_mut(py, |filter| filter.remove_hash(hash))?)
    }

    /// How often the key was inserted, for kinds that count: never too low.
    #[pyo3(signature = (key, /))]
    fn count(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<u64, Failure> {
        let hash = self.hasher.hash(key)?;
        Ok(self.with(py, |filter| filter.count_hash(hash))?)
    }

    /// The estimated number of distinct keys; None if the kind cannot tell. Reads all cells.
    fn estimate(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.read().profile().keys())
    }

    /// The filter in numbers. Reads all cells.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<Info> {
        let (profile, about, parameters) = py.detach(|| {
            let filter = self.read();
            (filter.profile(), filter.about().clone(), filter.parameters())
        });
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

    /// The seed of its hash, 0 by default; None if the filter is keyed.
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

    /// Saves the filter to a file, atomically. The secret key of a keyed filter is not in it.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failure> {
        py.detach(|| {
            let saved = self.read().save(&path);
            saved.map_err(|error| Failure::of_save(error, &path))
        })
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
        let bytes = py.detach(|| Save::new().bytes(&*self.read()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The filter of these bytes.
    #[classmethod]
    #[pyo3(signature = (data, key=None))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &Bound<'_, PyBytes>,
        key: Option<&[u8]>,
    ) -> Result<Filter, Failure> {
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
        for other in others {
            self.combine(py, other.get(), |ours, theirs| ours.merge(theirs))?;
        }
        Ok(())
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
        let other = other.get();
        let equal = py.detach(|| match std::ptr::from_ref(self).cmp(&std::ptr::from_ref(other)) {
            std::cmp::Ordering::Less => {
                let ours = self.read();
                *ours == *other.read()
            }
            std::cmp::Ordering::Greater => {
                let theirs = other.read();
                *self.read() == *theirs
            }
            std::cmp::Ordering::Equal => true,
        });
        Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let about = self.with(py, |filter| filter.about().clone());
        let made = about.target.map(|target| format!("items={}, fpr={}", target.items(), target.fpr()));
        let keyed = if self.keyed() { ", keyed" } else { "" };
        let rule = self.hasher.rule.map(|rule| format!(", rule={rule}")).unwrap_or_default();
        let made = made.unwrap_or_else(|| "made from a shape".to_string());
        format!("<anther.Filter {}: {made}{keyed}{rule}; {} inserts>", self.kind, about.inserted)
    }
}
