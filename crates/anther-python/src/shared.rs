//! One filter for many threads without a lock, and one file for many processes.

use crate::column::{self, Keys};
use crate::error::Failure;
use crate::filter::{self, Filter};
use crate::keys::Hasher;
use crate::lock::Lock;
use anther::recipe::Reach;
use anther::{AnyFilter, AnyShared, HashBlock, KeyHash, Open, SharedFile, Threads};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::path::PathBuf;

/// A filter that many threads, or many processes, add to and query at once, without waiting for
/// each other. For kinds of plain bits: classic, blocked and split; in memory compressed, too.
///
/// `Shared(filter)` copies a filter. `Shared.open(path)` opens a file, which other processes may
/// have open as well: what one inserts, all find at once, and nothing is lost. The file is complete
/// when the last of them has closed it.
///
/// >>> import anther
/// >>> seen = anther.Shared(anther.Filter(1000))
/// >>> seen.add("key")
/// True
/// >>> "key" in seen.filter()
/// True
#[pyclass(frozen, module = "anther", name = "Shared", weakref)]
#[derive(Debug)]
pub struct Shared {
    hasher: Hasher,
    /// Read for everything but closing, and that does not wait for others: inserts are atomic.
    inner: Lock<Place>,
    how: Open,
    path: Option<PathBuf>,
}

#[derive(Debug)]
enum Place {
    Memory(AnyShared),
    File(SharedFile),
    Closed,
}

fn closed() -> Failure {
    Failure::wrong_value("the shared filter is closed")
}

impl Place {
    fn reach(&self) -> Reach {
        match self {
            Place::Memory(filter) => filter.about().reach(),
            Place::File(filter) => filter.about().reach(),
            Place::Closed => Reach::EXACT,
        }
    }

    /// Inserts keys that were noted. Returns how many are certainly new.
    fn insert_noted(&self, hasher: &Hasher, hashes: &[KeyHash]) -> Result<u64, Failure> {
        let entries = hasher.entries(hashes);
        match self {
            Place::Memory(filter) => Ok(filter.insert_entries(&entries)?),
            Place::File(filter) => Ok(filter.insert_entries(&entries)?),
            Place::Closed => Err(closed()),
        }
    }

    /// Looks up keys that were noted.
    fn contains_noted(
        &self,
        hasher: &Hasher,
        hashes: &[KeyHash],
        found: &mut [bool],
    ) -> Result<(), Failure> {
        hasher.contains(hashes, found, |hashes, found| {
            match self {
                Place::Memory(filter) => filter.contains_hashes(hashes, found),
                Place::File(filter) => filter.contains_hashes(hashes, found),
                Place::Closed => return Err(closed()),
            }
            Ok(())
        })
    }

    fn insert(&self, hash: KeyHash) -> Result<bool, Failure> {
        match self {
            Place::Memory(filter) => Ok(filter.insert_hash(hash)),
            Place::File(filter) => Ok(filter.insert_hash(hash)),
            Place::Closed => Err(closed()),
        }
    }

    fn contains(&self, hash: KeyHash) -> Result<bool, Failure> {
        match self {
            Place::Memory(filter) => Ok(filter.contains_hash(hash)),
            Place::File(filter) => Ok(filter.contains_hash(hash)),
            Place::Closed => Err(closed()),
        }
    }

    fn insert_blocks(
        &self,
        count: usize,
        hashes: &HashBlock<'_>,
        threads: Threads,
    ) -> Result<(), Failure> {
        match self {
            Place::Memory(filter) => filter.insert_blocks(count, hashes, threads),
            Place::File(filter) => filter.insert_blocks(count, hashes, threads),
            Place::Closed => return Err(closed()),
        }
        Ok(())
    }

    fn insert_hashes(&self, hashes: &[KeyHash], threads: Threads) -> Result<(), Failure> {
        let copy = |rows: std::ops::Range<usize>, out: &mut [KeyHash]| {
            out.copy_from_slice(&hashes[rows]);
        };
        self.insert_blocks(hashes.len(), &copy, threads)
    }

    fn contains_blocks(
        &self,
        found: &mut [bool],
        hashes: impl Fn(std::ops::Range<usize>, &mut [KeyHash]) -> Result<(), Failure> + Sync,
        threads: Threads,
    ) -> Result<(), Failure> {
        match self {
            Place::Memory(filter) => filter.contains_blocks(found, hashes, threads),
            Place::File(filter) => filter.contains_blocks(found, hashes, threads),
            Place::Closed => Err(closed()),
        }
    }
}

impl Shared {
    /// For keys of a filter whose entries stand for what is below them.
    fn noting(&self, py: Python<'_>) -> Option<Hasher> {
        let reach = self.inner.with(py, Place::reach);
        reach.is_below().then(|| self.hasher.noting(reach))
    }
}

#[pymethods]
impl Shared {
    #[new]
    #[pyo3(signature = (filter, /))]
    fn new(py: Python<'_>, filter: &Bound<'_, Filter>) -> Result<Shared, Failure> {
        let copy = filter.get().snapshot(py);
        let shared = AnyShared::try_from(copy)?;
        let hasher = Hasher::of(shared.about());
        Ok(Shared { hasher, inner: Lock::new(Place::Memory(shared)), how: Open::new(), path: None })
    }

    /// Opens a file to add to it, in place, while other processes do. Waits while another process
    /// replaces it.
    #[classmethod]
    #[pyo3(signature = (path, key=None))]
    fn open(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        key: Option<&[u8]>,
    ) -> Result<Shared, Failure> {
        let how = filter::how(key)?;
        let file = py.detach(|| SharedFile::open(&path, how)).map_err(|error| match error {
            anther::error::ShareError::Load(error) => Failure::of_file(error, &path),
            anther::error::ShareError::Io(error) => Failure::system(error, Some(&path)),
            other => other.into(),
        })?;
        let hasher = Hasher::of(file.about());
        Ok(Shared { hasher, inner: Lock::new(Place::File(file)), how, path: Some(path) })
    }

    /// Inserts a key. True: it is certainly new.
    #[pyo3(signature = (key, /))]
    fn add(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if let Some(hasher) = self.noting(py) {
            let hash = hasher.hash(key)?;
            return Ok(self.inner.read(py, |place| place.insert_noted(&hasher, &[hash]))? > 0);
        }
        let hash = self.hasher.hash(key)?;
        self.inner.with(py, |place| place.insert(hash))
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if let Some(hasher) = self.noting(py) {
            let (hash, mut found) = (hasher.hash(key)?, [false]);
            self.inner.with(py, |place| place.contains_noted(&hasher, &[hash], &mut found))?;
            return Ok(found[0]);
        }
        let hash = self.hasher.hash(key)?;
        self.inner.with(py, |place| place.contains(hash))
    }

    /// Inserts many keys, as `Filter.update` does.
    #[pyo3(signature = (keys, /, *, threads=None))]
    fn update(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> Result<(), Failure> {
        let threads = filter::threads(threads)?;
        let reach = self.inner.with(py, Place::reach);
        if reach.is_below() {
            let hasher = self.hasher.noting_entries(reach);
            return column::insert_noted(py, &hasher, keys, threads, |hashes| {
                self.inner.read(py, |place| place.insert_noted(&hasher, hashes)).map(drop)
            });
        }
        match column::keys(keys)? {
            Keys::Columns(columns, _) if !columns.must_look_first(&self.hasher) => {
                columns.insert(&self.hasher, |count, hash| {
                    self.inner.read(py, |place| place.insert_blocks(count, hash, threads))
                })
            }
            Keys::Iterator(iterator) => column::hash_objects(&self.hasher, &iterator, |block| {
                self.inner.read(py, |place| place.insert_hashes(block, Threads::ONE))
            }),
            _ => {
                let hashes = column::all_hashes(py, &self.hasher, keys, false, threads)?;
                self.inner.read(py, |place| place.insert_hashes(&hashes, threads))
            }
        }
    }

    /// Whether each of many keys may be in the set, as `Filter.contains_many` says it.
    #[pyo3(signature = (keys, /, *, threads=None))]
    fn contains_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let threads = filter::threads(threads)?;
        if let Some(hasher) = self.noting(py) {
            return column::contains_noted(py, &hasher, keys, |hashes, found| {
                self.inner.read(py, |place| place.contains_noted(&hasher, hashes, found))
            });
        }
        column::contains_many(py, &self.hasher, keys, |found, hash| {
            self.inner.read(py, |place| place.contains_blocks(found, hash, threads))
        })
    }

    /// A copy of the filter as it is now.
    fn filter(&self, py: Python<'_>) -> Result<Filter, Failure> {
        let copy = self.inner.read(py, |place| match place {
            Place::Memory(filter) => Ok(Some(filter.snapshot()?)),
            Place::File(_) => Ok(None),
            Place::Closed => Err(closed()),
        })?;
        let (Some(path), None) = (&self.path, &copy) else {
            return copy.map(Filter::new).ok_or_else(closed);
        };
        let read: Result<AnyFilter, _> = py.detach(|| self.how.file(path));
        Ok(Filter::new(read.map_err(|error| Failure::of_file(error, path))?))
    }

    /// Ends the use of it. True: it was a file, and nobody else adds to it, so its checksums are
    /// complete.
    fn close(&self, py: Python<'_>) -> Result<bool, Failure> {
        let place = self.inner.write(py, |place| std::mem::replace(place, Place::Closed));
        match place {
            Place::File(file) => py
                .detach(|| file.close())
                .map_err(|error| Failure::system(error, self.path.as_deref())),
            Place::Memory(_) | Place::Closed => Ok(false),
        }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(
        &self,
        py: Python<'_>,
        _exception: &Bound<'_, pyo3::types::PyTuple>,
    ) -> Result<bool, Failure> {
        self.close(py)?;
        Ok(false)
    }
}
