//! Many keys at once: from lists, iterators, arrays and columns to hashes, and answers back in the
//! form in which the keys came.

use crate::arrow::{self, Answers, ArrowColumn};
use crate::error::Failure;
use crate::keys::{Hasher, is_single, type_name};
use crate::numpy::{self, Numpy, NumpyColumn};
use anther::{KeyHash, Threads};
use arrow_array::Array;
use arrow_buffer::NullBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyIterator, PyList, PySet, PyTuple};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Objects hashed between two looks at the signals.
const BLOCK: usize = 1 << 14;

/// Keys that were given, whatever they are in.
pub enum Keys<'py> {
    /// Arrays that are hashed in place, without the GIL.
    Columns(Columns, Form<'py>),
    /// Objects of a known number: all are hashed before one of them is inserted.
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
    /// A pandas Series, with the index and the name of this one, and the rows that are null.
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
        let refuses =
            |chunk: &Column| matches!(chunk, Column::Numpy(column) if column.may_refuse());
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
        std::thread::scope(|scope| {
            let mut parts = hashes.chunks_mut(share).enumerate();
            let (own, work) = (parts.next(), &work);
            parts.for_each(|part| drop(scope.spawn(move || work(part))));
            own.into_iter().for_each(work);
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
    let module: String = class.getattr("__module__").and_then(|name| name.extract()).unwrap_or_default();
    if module.split('.').next() == Some("pandas") && given.hasattr("index")? {
        return pandas(given);
    }
    if let Some(arrays) = arrow::arrays(given)? {
        let columns = arrays.iter().map(|array| ArrowColumn::new(array).map(Column::Arrow));
        let columns = Columns::new(columns.collect::<Result<_, _>>()?);
        let form = match module.split('.').next() {
            Some("pyarrow") => match given.hasattr("chunks")? || given.hasattr("to_batches")? {
                true => Form::Chunked(arrays.iter().map(|array| array.len()).collect()),
                false => Form::PyArrow,
            },
            Some("polars") => Form::Polars(given.clone()),
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
        || module == "builtins" && class.name()?.to_string_lossy().starts_with("dict_");
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

fn from_numpy<'py>(given: &Bound<'py, PyAny>, form: Form<'py>) -> Result<Keys<'py>, Failure> {
    Ok(match numpy::column(given)? {
        Numpy::Column(column) => Keys::Columns(Columns::new(vec![Column::Numpy(column)]), form),
        Numpy::Objects(list) => Keys::Sized(list, form),
    })
}

/// A Series or Index of pandas. Integers and booleans are read by NumPy, which pandas always has;
/// all else by Arrow, which needs pyarrow, or else object by object.
fn pandas<'py>(given: &Bound<'py, PyAny>) -> Result<Keys<'py>, Failure> {
    let by_numpy = given.getattr("dtype").and_then(|dtype| {
        let is_numpy = type_name(&dtype).starts_with("numpy.");
        Ok(is_numpy && dtype.getattr("kind")?.extract::<String>()? != "O")
    });
    if by_numpy.unwrap_or(false) {
        let array = given.call_method0("to_numpy")?;
        return from_numpy(&array, Form::Pandas(given.clone(), None));
    }
    if let Ok(Some(arrays)) = arrow::arrays(given).map_err(|failure| match failure {
        // Without pyarrow, or with objects that it cannot convert.
        Failure::Python(_) => None,
        refused => Some(refused),
    }) {
        let columns = arrays.iter().map(|array| ArrowColumn::new(array).map(Column::Arrow));
        let columns = Columns::new(columns.collect::<Result<_, _>>()?);
        let nulls = columns.nulls();
        return Ok(Keys::Columns(columns, Form::Pandas(given.clone(), nulls)));
    }
    let array = given.call_method0("to_numpy")?;
    from_numpy(&array, Form::Pandas(given.clone(), None))
}

/// Hashes objects, and passes on a block at a time.
pub fn hash_objects(
    hasher: &Hasher,
    iterator: &Bound<'_, PyIterator>,
    mut take: impl FnMut(&mut Vec<KeyHash>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let py = iterator.py();
    let mut block = Vec::with_capacity(BLOCK);
    for key in iterator.clone() {
        block.push(hasher.hash(&key?)?);
        if block.len() == BLOCK {
            py.check_signals()?;
            take(&mut block)?;
            block.clear();
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

/// Makes the answers for `len` keys, in the form in which the keys came. `fill` runs without the GIL.
pub fn answers<'py>(
    py: Python<'py>,
    len: usize,
    nulls: Option<NullBuffer>,
    form: Form<'py>,
    fill: impl FnOnce(&mut [bool]) -> Result<(), Failure> + Send,
) -> Result<Bound<'py, PyAny>, Failure> {
    if let (Form::Numpy | Form::Pandas(_, None), Some(numpy)) = (&form, numpy::module(py)) {
        let array = numpy::answers(numpy, len, fill)?;
        return match form {
            Form::Pandas(like, _) => series(&like, &array),
            _ => Ok(array),
        };
    }
    let found = py.detach(|| {
        let mut found = vec![false; len];
        fill(&mut found).map(|()| found)
    })?;
    match form {
        Form::Numpy => Ok(PyList::new(py, found)?.into_any()),
        Form::Arrow => Ok(Bound::new(py, Answers::new(&found, nulls))?.into_any()),
        Form::PyArrow => {
            let array = Bound::new(py, Answers::new(&found, nulls))?;
            Ok(py.import("pyarrow")?.call_method1("array", (array,))?)
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
            let name = like.getattr("name").ok();
            let polars = py.import("polars")?;
            Ok(match name {
                Some(name) => polars.call_method1("Series", (name, array))?,
                None => polars.call_method1("Series", (array,))?,
            })
        }
        Form::Pandas(like, nulls) => {
            // pandas has NumPy, so these have nulls.
            let numpy = py.import("numpy")?;
            let valid = nulls.map(|nulls| nulls.iter().map(|valid| !valid).collect::<Vec<_>>());
            let array = |values: Vec<bool>| numpy.call_method1("array", (values, "?"));
            let (found, mask) = (array(found)?, array(valid.unwrap_or_default())?);
            let arrays = py.import("pandas")?.getattr("arrays")?;
            series(&like, &arrays.call_method1("BooleanArray", (found, mask))?)
        }
    }
}

/// A Series of answers, with the index and the name of another.
fn series<'py>(
    like: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let py = like.py();
    let pandas = py.import("pandas")?;
    let keywords = PyDict::new(py);
    if let Ok(name) = like.getattr("name") {
        keywords.set_item("name", name)?;
    }
    // An Index has no index of its own.
    if let Ok(index) = like.getattr("index") {
        if !index.is_callable() {
            keywords.set_item("index", index)?;
        }
    }
    Ok(pandas.getattr("Series")?.call((values,), Some(&keywords))?)
}
