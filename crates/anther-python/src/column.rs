//! Many keys at once: from lists, iterators, arrays and columns to hashes, and answers back in the
//! form in which the keys came.

use crate::arrow::{self, Answers, Arrays, ArrowColumn};
use crate::error::Failure;
use crate::keys::{Hasher, is_single, type_name};
use crate::numpy::{self, Numpy, NumpyColumn};
use anther::{HashBlock, KeyHash, Threads};
use arrow_array::Array;
use arrow_buffer::NullBuffer;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyIterator, PyList, PySet, PyTuple};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Objects hashed between two looks at the signals.
const BLOCK: usize = 1 << 14;

/// Keys that were given, whatever they are in.
pub enum Keys<'py> {
    /// Arrays that are hashed in place, without the GIL.
    Columns(Columns, Form<'py>),
    /// Objects of a known number: all are hashed before one of them is inserted. Those that the form
    /// has as null are left out.
    Sized(Bound<'py, PyAny>, Form<'py>),
    /// Objects that come one by one.
    Iterator(Bound<'py, PyIterator>),
}

/// What the keys came in, and so what the answers go back in.
pub enum Form<'py> {
    /// A NumPy array; a list if NumPy is not installed.
    Numpy,
    /// A `pyarrow.Array`.
    PyArrow,
    /// A `pyarrow.ChunkedArray`, with the lengths of its chunks.
    Chunked(Vec<usize>),
    /// A Polars Series, with the name of this one.
    Polars(Bound<'py, PyAny>),
    /// A pandas Series, with the index and the name of this one, and the rows that are null. An array
    /// if this is an Index or an array.
    Pandas(Bound<'py, PyAny>, Option<NullBuffer>),
    /// Another library's Arrow array.
    Arrow,
}

/// One array.
enum Column {
    Numpy(NumpyColumn),
    Arrow(ArrowColumn),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Numpy(column) => column.len(),
            Column::Arrow(column) => column.len(),
        }
    }

    fn hash(
        &self,
        hasher: &Hasher,
        rows: Range<usize>,
        out: &mut [KeyHash],
    ) -> Result<(), Failure> {
        match self {
            Column::Numpy(column) => column.hash(hasher, rows, out),
            Column::Arrow(column) => column.hash(hasher, rows, out),
        }
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        match self {
            Column::Numpy(_) => None,
            Column::Arrow(column) => column.nulls(),
        }
    }
}

/// Arrays one after the other, as one row of keys.
pub struct Columns {
    chunks: Vec<Column>,
    /// Where each begins, and the end.
    starts: Vec<usize>,
}

impl Columns {
    fn new(chunks: Vec<Column>) -> Columns {
        let mut starts = vec![0];
        let mut end = 0;
        for chunk in &chunks {
            end += chunk.len();
            starts.push(end);
        }
        Columns { chunks, starts }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The hashes of a range of rows. Those of null rows mean nothing.
    pub fn hash(
        &self,
        hasher: &Hasher,
        rows: Range<usize>,
        out: &mut [KeyHash],
    ) -> Result<(), Failure> {
        if let [only] = &self.chunks[..] {
            return only.hash(hasher, rows, out);
        }
        let (mut at, mut out) = (rows.start, out);
        let mut chunk = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        while at < rows.end {
            let end = rows.end.min(self.starts[chunk + 1]);
            let first = self.starts[chunk];
            let (now, later) = out.split_at_mut(end - at);
            self.chunks[chunk].hash(hasher, at - first..end - first, now)?;
            (at, out, chunk) = (end, later, chunk + 1);
        }
        Ok(())
    }

    /// The rows without a key, if there are any.
    pub fn nulls(&self) -> Option<NullBuffer> {
        if self.chunks.iter().all(|chunk| chunk.nulls().is_none()) {
            return None;
        }
        let mut bits = arrow_buffer::BooleanBufferBuilder::new(self.len());
        for chunk in &self.chunks {
            match chunk.nulls() {
                Some(nulls) => bits.append_buffer(nulls.inner()),
                None => bits.append_n(chunk.len(), true),
            }
        }
        Some(NullBuffer::new(bits.finish()))
    }

    /// Whether all keys must be hashed first: some have none, or may be refused.
    pub fn must_look_first(&self, hasher: &Hasher) -> bool {
        let refuses = |chunk: &Column| match chunk {
            Column::Numpy(column) => column.may_refuse(),
            Column::Arrow(column) => column.may_refuse(),
        };
        hasher.rule.is_some()
            || self.chunks.iter().any(|chunk| chunk.nulls().is_some() || refuses(chunk))
    }

    /// The hashes of all rows that have a key, on several threads.
    pub fn all_hashes(&self, hasher: &Hasher, threads: Threads) -> Result<Vec<KeyHash>, Failure> {
        let mut hashes = vec![KeyHash(0); self.len()];
        let share = hashes.len().div_ceil(threads.get()).max(BLOCK);
        let failed = Mutex::new(None);
        let work = |(number, part): (usize, &mut [KeyHash])| {
            let first = number * share;
            if let Err(failure) = self.hash(hasher, first..first + part.len(), part) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                // Of several the first in order, whatever the threads do.
                if failed.as_ref().is_none_or(|(other, _)| number < *other) {
                    *failed = Some((number, failure));
                }
            }
        };
        let parts = Mutex::new(hashes.chunks_mut(share).enumerate());
        // A function of its own, so that the lock is released before the work begins.
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = || std::iter::from_fn(next).for_each(work);
        // This thread works, too: if no other can be started, it does everything.
        std::thread::scope(|scope| {
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
            let _started = (1..self.len().div_ceil(share)).map_while(start).count();
            run();
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, failure)) = failed {
            return Err(failure);
        }
        if let Some(nulls) = self.nulls() {
            let mut valid = nulls.iter();
            hashes.retain(|_| valid.next().unwrap_or(true));
        }
        Ok(hashes)
    }
}

impl Columns {
    /// Hands a function that hashes rows to an insert. It cannot fail in time, so what fails is
    /// reported afterwards: only malformed Arrow data does, where no key is refused.
    pub fn insert<E>(
        &self,
        hasher: &Hasher,
        insert: impl FnOnce(usize, &HashBlock<'_>) -> Result<(), E>,
    ) -> Result<(), Failure>
    where
        Failure: From<E>,
    {
        let malformed = Mutex::new(None);
        let hash = |rows: Range<usize>, out: &mut [KeyHash]| {
            if let Err(failure) = self.hash(hasher, rows, out) {
                *malformed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            }
        };
        insert(self.len(), &hash)?;
        malformed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// The hashes of all keys, whatever they are in.
pub fn all_hashes(
    py: Python<'_>,
    hasher: &Hasher,
    given: &Bound<'_, PyAny>,
    have_values: bool,
    threads: Threads,
) -> Result<Vec<KeyHash>, Failure> {
    match keys(given)? {
        Keys::Columns(columns, _) => {
            if have_values && columns.nulls().is_some() {
                return Err(null_with_value());
            }
            py.detach(|| columns.all_hashes(hasher, threads))
        }
        Keys::Sized(_, Form::Pandas(_, Some(_))) if have_values => Err(null_with_value()),
        Keys::Sized(objects, _) => hash_all(hasher, &objects),
        Keys::Iterator(iterator) => {
            let mut hashes = Vec::new();
            hash_objects(hasher, &iterator, |block| {
                hashes.append(block);
                Ok(())
            })?;
            Ok(hashes)
        }
    }
}

fn null_with_value() -> Failure {
    Failure::wrong_value("a null key has no value; leave both out")
}

/// How many of the hashes are distinct.
pub fn distinct(hashes: &[KeyHash]) -> u64 {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() as u64
}

/// Finds out what was given.
pub fn keys<'py>(given: &Bound<'py, PyAny>) -> Result<Keys<'py>, Failure> {
    if given.cast_exact::<PyList>().is_ok() || given.cast_exact::<PyTuple>().is_ok() {
        return Ok(Keys::Sized(given.clone(), Form::Numpy));
    }
    if is_single(given) {
        let name = type_name(given);
        return Err(Failure::wrong_type(format!(
            "{name} is one key, not a collection of keys; use add(key) or `key in filter`, or give \
             [key]"
        )));
    }
    let class = given.get_type();
    let py = given.py();
    let module = class.getattr(intern!(py, "__module__")).ok();
    let module = module.as_ref().and_then(|name| name.extract::<&str>().ok()).unwrap_or_default();
    let library = module.split('.').next().unwrap_or_default();
    // A Series, DataFrame, Index or array such as Categorical.
    if library == "pandas" && given.hasattr(intern!(py, "isna"))? {
        return pandas(given);
    }
    if library == "polars" && class.name()? == "LazyFrame" {
        return Err(Failure::wrong_type(
            "a LazyFrame has no rows before it is collected; give frame.collect(), or build the \
             filter in batches with anther.polars.build",
        ));
    }
    if let Some(arrays) = arrow::arrays(given)? {
        // Polars has no such type, but exports objects as their addresses.
        if library == "polars" && arrays.have_fixed_size_binary() {
            return Err(Failure::key_type(
                "Polars type Object cannot be a key; cast it to String, or give series.to_list()",
            ));
        }
        let (columns, lengths) = from_arrow(&arrays)?;
        let form = match (library, lengths) {
            ("pyarrow", None) => Form::PyArrow,
            ("pyarrow", Some(lengths)) => Form::Chunked(lengths),
            ("polars", _) => Form::Polars(given.clone()),
            _ => Form::Arrow,
        };
        return Ok(Keys::Columns(columns, form));
    }
    if numpy::is_array(given)? {
        return from_numpy(given, Form::Numpy);
    }
    let sized = given.cast::<PyList>().is_ok()
        || given.cast::<PyTuple>().is_ok()
        || given.cast::<PySet>().is_ok()
        || given.cast::<PyFrozenSet>().is_ok()
        || given.cast::<PyDict>().is_ok()
        || library == "builtins" && class.name()?.to_string_lossy().starts_with("dict_");
    if sized {
        return Ok(Keys::Sized(given.clone(), Form::Numpy));
    }
    match given.try_iter() {
        Ok(iterator) => Ok(Keys::Iterator(iterator)),
        Err(_) => Err(Failure::wrong_type(format!(
            "{} is not a collection of keys; give a list, an iterable, or an array",
            type_name(given)
        ))),
    }
}

/// Columns of Arrow arrays, and the lengths of the chunks of a stream.
fn from_arrow(arrays: &Arrays) -> Result<(Columns, Option<Vec<usize>>), Failure> {
    let (arrays, lengths) = match arrays {
        Arrays::One(array) => (std::slice::from_ref(array), None),
        Arrays::Many(arrays) => {
            (&arrays[..], Some(arrays.iter().map(|array| array.len()).collect()))
        }
    };
    let columns = arrays.iter().map(|array| ArrowColumn::new(array).map(Column::Arrow));
    Ok((Columns::new(columns.collect::<Result<_, _>>()?), lengths))
}

fn from_numpy<'py>(given: &Bound<'py, PyAny>, form: Form<'py>) -> Result<Keys<'py>, Failure> {
    Ok(match numpy::column(given)? {
        Numpy::Column(column) => Keys::Columns(Columns::new(vec![Column::Numpy(column)]), form),
        Numpy::Objects(list) => Keys::Sized(list, form),
    })
}

/// A Series, Index or array of pandas. Integers and booleans are read by NumPy, which pandas always
/// has; objects one by one, since Arrow would guess what they are; all else by Arrow, which needs
/// pyarrow, or else one by one as well.
fn pandas<'py>(given: &Bound<'py, PyAny>) -> Result<Keys<'py>, Failure> {
    let py = given.py();
    let is_table = given.hasattr(intern!(py, "columns"))?;
    if !given.is_empty()? {
        match is_table {
            true => {
                for dtype in given.getattr(intern!(py, "dtypes"))?.try_iter()? {
                    refuse_dtype(&dtype?)?;
                }
            }
            false => refuse_dtype(&given.getattr(intern!(py, "dtype"))?)?,
        }
    }
    let numpy_kind = given.getattr_opt(intern!(py, "dtype"))?.and_then(|dtype| {
        let is_numpy = type_name(&dtype).starts_with("numpy.");
        let kind = is_numpy.then(|| dtype.getattr("kind").ok()).flatten()?;
        kind.extract::<String>().ok()
    });
    match numpy_kind.as_deref() {
        Some("O") => return pandas_objects(given),
        Some(_) => {
            let array = given.call_method0("to_numpy")?;
            return from_numpy(&array, Form::Pandas(given.clone(), None));
        }
        None => {}
    }
    let arrays = match is_table {
        // Its index would be a column.
        true => {
            let keywords = PyDict::new(py);
            keywords.set_item("drop", true)?;
            arrow::arrays(&given.call_method("reset_index", (), Some(&keywords))?)
        }
        // Before version 3, pandas leaves it to pyarrow.
        false if !given.hasattr(intern!(py, "__arrow_c_stream__"))? => {
            let keywords = PyDict::new(py);
            keywords.set_item("from_pandas", true)?;
            let array = py
                .import("pyarrow")
                .and_then(|pyarrow| pyarrow.getattr("array")?.call((given,), Some(&keywords)));
            array.map_err(Failure::from).and_then(|array| arrow::arrays(&array))
        }
        false => arrow::arrays(given),
    };
    match arrays {
        Ok(Some(arrays)) => {
            let (columns, _) = from_arrow(&arrays)?;
            let nulls = columns.nulls();
            return Ok(Keys::Columns(columns, Form::Pandas(given.clone(), nulls)));
        }
        // Without pyarrow, or with objects that it cannot convert, there is another way.
        Ok(None) => {}
        Err(failure) if failure.is_python() && !is_table => {}
        Err(failure) => return Err(failure),
    }
    pandas_objects(given)
}

/// Refuses floats and times, in words that pandas takes: by `astype("int64")` it refuses floats of
/// which some are missing, and takes a missing time for a number.
fn refuse_dtype(dtype: &Bound<'_, PyAny>) -> Result<(), Failure> {
    let kind = dtype.getattr(intern!(dtype.py(), "kind"))?;
    let (why, advice) = match kind.extract()? {
        "f" => (
            "floats are rounded, and other programs write them differently",
            "column.astype(\"Int64\") if all are whole numbers, or column.astype(\"string\")",
        ),
        "M" | "m" => ("other programs have other units", "column.astype(\"string\")"),
        _ => return Ok(()),
    };
    let name = dtype.str()?;
    Err(Failure::key_type(format!("{name} cannot be keys: {why}; give {advice}")))
}

/// The objects of a Series, Index or array, without the missing ones: None, NaN, NA and NaT.
fn pandas_objects<'py>(given: &Bound<'py, PyAny>) -> Result<Keys<'py>, Failure> {
    let py = given.py();
    let objects = given.call_method0("tolist")?;
    let missing = match given.call_method0("isna") {
        Ok(missing) => missing.call_method0("tolist")?.extract::<Vec<bool>>()?,
        // A MultiIndex, whose tuples are never missing.
        Err(error) if error.is_instance_of::<PyNotImplementedError>(py) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if !missing.contains(&true) {
        return Ok(Keys::Sized(objects, Form::Pandas(given.clone(), None)));
    }
    let present = PyList::empty(py);
    for (object, missing) in objects.try_iter()?.zip(&missing) {
        if !missing {
            present.append(object?)?;
        }
    }
    let nulls = NullBuffer::from_iter(missing.iter().map(|missing| !missing));
    Ok(Keys::Sized(present.into_any(), Form::Pandas(given.clone(), Some(nulls))))
}

/// Hashes objects, and passes on a block at a time. If an object is refused or none comes, those
/// before it are passed on first: they are gone from the iterator.
pub fn hash_objects(
    hasher: &Hasher,
    iterator: &Bound<'_, PyIterator>,
    mut take: impl FnMut(&mut Vec<KeyHash>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let py = iterator.py();
    let mut block = Vec::with_capacity(BLOCK);
    for key in iterator.clone() {
        match key.map_err(Failure::from).and_then(|key| hasher.hash(&key)) {
            Ok(hash) => block.push(hash),
            Err(failure) => {
                take(&mut block)?;
                return Err(failure);
            }
        }
        if block.len() == BLOCK {
            take(&mut block)?;
            block.clear();
            py.check_signals()?;
        }
    }
    take(&mut block)
}

/// The hashes of all objects of a collection.
pub fn hash_all(hasher: &Hasher, keys: &Bound<'_, PyAny>) -> Result<Vec<KeyHash>, Failure> {
    // Not the length that it claims to have, which may be anything.
    let mut hashes = Vec::with_capacity(keys.len().unwrap_or(0).min(1 << 20));
    if let Ok(list) = keys.cast_exact::<PyList>() {
        for (at, key) in list.iter().enumerate() {
            if at % BLOCK == BLOCK - 1 {
                keys.py().check_signals()?;
            }
            hashes.push(hasher.hash(&key)?);
        }
        return Ok(hashes);
    }
    hash_objects(hasher, &keys.try_iter()?, |block| {
        hashes.append(block);
        Ok(())
    })?;
    Ok(hashes)
}

/// Looks up keys, whatever they are in. `contains` is given the place for the answers and what
/// hashes a range of keys, and releases the GIL.
pub fn contains_many<'py>(
    py: Python<'py>,
    hasher: &Hasher,
    given: &Bound<'py, PyAny>,
    contains: impl FnOnce(&mut [bool], &TryHashBlock<'_>) -> Result<(), Failure>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let (hashes, form) = match keys(given)? {
        Keys::Columns(columns, form) => {
            let (nulls, len) = (columns.nulls(), columns.len());
            let hash = |rows: Range<usize>, out: &mut [KeyHash]| columns.hash(hasher, rows, out);
            return answers(py, len, nulls, form, |found| contains(found, &hash));
        }
        Keys::Sized(objects, form) => {
            let mut hashes = hash_all(hasher, &objects)?;
            if let Form::Pandas(_, Some(nulls)) = &form {
                // A row for every null; what is found there means nothing.
                let mut present = hashes.into_iter();
                let row = |valid: bool| valid.then(|| present.next()).flatten();
                hashes = nulls.iter().map(row).map(|hash| hash.unwrap_or(KeyHash(0))).collect();
            }
            (hashes, form)
        }
        Keys::Iterator(_) => (all_hashes(py, hasher, given, false, Threads::ONE)?, Form::Numpy),
    };
    let copy = |rows: Range<usize>, out: &mut [KeyHash]| {
        out.copy_from_slice(&hashes[rows]);
        Ok(())
    };
    answers(py, hashes.len(), None, form, |found| contains(found, &copy))
}

/// Inserts keys whose entries are noted: all at once, but those of an iterator as they come.
pub fn insert_noted(
    py: Python<'_>,
    hasher: &Hasher,
    given: &Bound<'_, PyAny>,
    threads: Threads,
    mut insert: impl FnMut(&[KeyHash]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let hashes = match keys(given)? {
        Keys::Iterator(iterator) => {
            return hash_objects(hasher, &iterator, |block| {
                insert(block)?;
                hasher.forget();
                Ok(())
            });
        }
        Keys::Columns(columns, _) => py.detach(|| columns.all_hashes(hasher, threads))?,
        Keys::Sized(objects, _) => hash_all(hasher, &objects)?,
    };
    insert(&hashes)
}

/// Looks up keys with what is noted of them, block by block: a key may be below many entries.
pub fn contains_noted<'py>(
    py: Python<'py>,
    hasher: &Hasher,
    given: &Bound<'py, PyAny>,
    mut contains: impl FnMut(&[KeyHash], &mut [bool]) -> Result<(), Failure>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let mut block_found = |hashes: &[KeyHash], found: &mut [bool]| {
        contains(hashes, found)?;
        hasher.forget();
        Ok::<(), Failure>(())
    };
    let (iterator, form) = match keys(given)? {
        Keys::Columns(columns, form) => {
            return answers(py, columns.len(), columns.nulls(), form, |found| {
                let mut hashes = vec![KeyHash(0); BLOCK.min(found.len())];
                for (number, found) in found.chunks_mut(BLOCK).enumerate() {
                    let (first, hashes) = (number * BLOCK, &mut hashes[..found.len()]);
                    py.detach(|| columns.hash(hasher, first..first + found.len(), hashes))?;
                    block_found(hashes, found)?;
                    py.check_signals()?;
                }
                Ok(())
            });
        }
        Keys::Sized(objects, form) => (objects.try_iter()?, form),
        Keys::Iterator(iterator) => (iterator, Form::Numpy),
    };
    let mut all = Vec::new();
    hash_objects(hasher, &iterator, |block| {
        let start = all.len();
        all.resize(start + block.len(), false);
        block_found(block, &mut all[start..])
    })?;
    if let Form::Pandas(_, Some(nulls)) = &form {
        // A row for every null; what is found there means nothing.
        let mut present = all.into_iter();
        all = nulls.iter().map(|valid| valid && present.next().unwrap_or(false)).collect();
    }
    answers(py, all.len(), None, form, |found| {
        found.copy_from_slice(&all);
        Ok(())
    })
}

/// Hashes a range of keys, or says which of them is refused.
pub type TryHashBlock<'a> = dyn Fn(Range<usize>, &mut [KeyHash]) -> Result<(), Failure> + Sync + 'a;

/// Makes the answers for `len` keys, in the form in which the keys came. `fill` releases the GIL.
pub fn answers<'py>(
    py: Python<'py>,
    len: usize,
    nulls: Option<NullBuffer>,
    form: Form<'py>,
    fill: impl FnOnce(&mut [bool]) -> Result<(), Failure>,
) -> Result<Bound<'py, PyAny>, Failure> {
    if let (Form::Numpy | Form::Pandas(_, None), Some(numpy)) = (&form, numpy::module(py)) {
        let array = numpy::answers(numpy, len, fill)?;
        return match form {
            Form::Pandas(like, _) => series(&like, &array),
            _ => Ok(array),
        };
    }
    let mut found = vec![false; len];
    fill(&mut found)?;
    match form {
        Form::Numpy => Ok(PyList::new(py, found)?.into_any()),
        Form::Arrow => Ok(Bound::new(py, Answers::new(&found, nulls))?.into_any()),
        Form::PyArrow => {
            static ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let array = Bound::new(py, Answers::new(&found, nulls))?;
            Ok(ARRAY.import(py, "pyarrow", "array")?.call1((array,))?)
        }
        Form::Chunked(lengths) => {
            let pyarrow = py.import("pyarrow")?;
            let (chunks, mut start) = (PyList::empty(py), 0);
            for len in lengths {
                let nulls = nulls.as_ref().map(|nulls| nulls.slice(start, len));
                let array = Answers::new(&found[start..start + len], nulls);
                chunks.append(pyarrow.call_method1("array", (Bound::new(py, array)?,))?)?;
                start += len;
            }
            let kind = pyarrow.call_method0("bool_")?;
            Ok(pyarrow.call_method1("chunked_array", (chunks, kind))?)
        }
        Form::Polars(like) => {
            let array = Bound::new(py, Answers::new(&found, nulls))?;
            let series = py.import("polars")?.call_method1("Series", (array,))?;
            Ok(match like.getattr("name") {
                Ok(name) => series.call_method1("alias", (name,))?,
                // A DataFrame, whose rows are keys.
                Err(_) => series,
            })
        }
        Form::Pandas(like, nulls) => {
            // Some are null, or NumPy is missing, and then pandas is, too.
            let numpy = py.import("numpy")?;
            let array = |values: &[bool]| {
                numpy::answers(&numpy, values.len(), |slots| {
                    slots.copy_from_slice(values);
                    Ok(())
                })
            };
            let missing = nulls.map_or_else(
                || vec![false; found.len()],
                |nulls| nulls.iter().map(|valid| !valid).collect(),
            );
            let arrays = py.import("pandas")?.getattr("arrays")?;
            let values = arrays.call_method1("BooleanArray", (array(&found)?, array(&missing)?))?;
            series(&like, &values)
        }
    }
}

/// A Series of answers, with the index and the name of another. For an Index or an array just the
/// answers: as a Series they would be aligned by an index that nobody gave.
fn series<'py>(
    like: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let py = like.py();
    let Some(index) = like.getattr_opt(intern!(py, "index"))? else { return Ok(values.clone()) };
    let pandas = py.import("pandas")?;
    let keywords = PyDict::new(py);
    keywords.set_item("index", index)?;
    if let Ok(name) = like.getattr("name") {
        keywords.set_item("name", name)?;
    }
    Ok(pandas.getattr("Series")?.call((values,), Some(&keywords))?)
}
