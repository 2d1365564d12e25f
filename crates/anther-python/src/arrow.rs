//! Arrow arrays by the PyCapsule interface: in from any producer, out to any consumer.
#![expect(unsafe_code, reason = "moves arrays out of capsules")]

use crate::error::Failure;
use crate::keys::{Hasher, too_wide, type_name};
use anther::recipe::Given;
use anther::{KeyHash, TupleKey};
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type, to_ffi};
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryType, BinaryViewType, ByteArrayType, ByteViewType,
    Decimal128Type, Int8Type, Int16Type, Int32Type, Int64Type, LargeBinaryType, LargeUtf8Type,
    RunEndIndexType, StringViewType, UInt8Type, UInt16Type, UInt32Type, UInt64Type, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, FixedSizeBinaryArray,
    GenericByteArray, GenericByteViewArray, NullArray, PrimitiveArray, RunArray, make_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An array whose keys are read in place.
///
/// Its memory is the producer's, which promised not to change it while it is here. Offsets are
/// checked when they are used.
#[derive(Debug)]
pub struct ArrowColumn {
    keys: Keys,
    nulls: Option<NullBuffer>,
    len: usize,
}

#[derive(Debug)]
enum Keys {
    Null,
    Boolean(BooleanArray),
    Int8(PrimitiveArray<Int8Type>),
    Int16(PrimitiveArray<Int16Type>),
    Int32(PrimitiveArray<Int32Type>),
    Int64(PrimitiveArray<Int64Type>),
    UInt8(PrimitiveArray<UInt8Type>),
    UInt16(PrimitiveArray<UInt16Type>),
    UInt32(PrimitiveArray<UInt32Type>),
    UInt64(PrimitiveArray<UInt64Type>),
    Utf8(GenericByteArray<Utf8Type>),
    LargeUtf8(GenericByteArray<LargeUtf8Type>),
    Binary(GenericByteArray<BinaryType>),
    LargeBinary(GenericByteArray<LargeBinaryType>),
    Utf8View(GenericByteViewArray<StringViewType>),
    BinaryView(GenericByteViewArray<BinaryViewType>),
    FixedSizeBinary(FixedSizeBinaryArray),
    Int128(PrimitiveArray<Decimal128Type>),
    UInt128(PrimitiveArray<Decimal128Type>),
    Dictionary {
        rows: Vec<usize>,
        values: Box<ArrowColumn>,
    },
    /// Where each run ends, and its value.
    Runs {
        ends: Vec<usize>,
        values: Box<ArrowColumn>,
    },
    Tuple(Vec<ArrowColumn>),
}

/// Arrow has no integers of 128 bits, so Polars exports them under formats of its own. They are
/// imported as decimals, whose layout they have: true decimals are refused before.
const INT128: DataType = DataType::Decimal128(38, 0);
const UINT128: DataType = DataType::Decimal128(38, 1);

/// The arrays of an object, if it has a method of the PyCapsule interface.
pub enum Arrays {
    /// By `__arrow_c_array__`.
    One(ArrayRef),
    /// By `__arrow_c_stream__`.
    Many(Vec<ArrayRef>),
}

impl Arrays {
    /// Whether there are bytes of a fixed size in them, or in the columns of a table.
    pub fn have_fixed_size_binary(&self) -> bool {
        fn is_fixed(kind: &DataType) -> bool {
            match kind {
                DataType::FixedSizeBinary(_) => true,
                DataType::Struct(fields) => fields.iter().any(|field| is_fixed(field.data_type())),
                _ => false,
            }
        }
        match self {
            Arrays::One(array) => is_fixed(array.data_type()),
            Arrays::Many(arrays) => arrays.iter().any(|array| is_fixed(array.data_type())),
        }
    }
}

/// Asks an object for its arrays.
pub fn arrays(object: &Bound<'_, PyAny>) -> Result<Option<Arrays>, Failure> {
    let py = object.py();
    if let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_array__"))? {
        return Ok(Some(Arrays::One(array(&method.call0()?)?)));
    }
    if let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
        return Ok(Some(Arrays::Many(stream(&method.call0()?)?)));
    }
    Ok(None)
}

fn array(pair: &Bound<'_, PyAny>) -> Result<ArrayRef, Failure> {
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        pair.cast::<PyTuple>().map_err(PyErr::from)?.extract()?;
    let schema = schema.cast::<PyCapsule>().map_err(PyErr::from)?;
    let array = array.cast::<PyCapsule>().map_err(PyErr::from)?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: a capsule of this name holds such a struct, and we move it out: what stays is marked
    // as released, so the capsule's destructor does nothing.
    let (schema, array) = unsafe {
        (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()))
    };
    if array.is_released() {
        return Err(Failure::wrong_value("the Arrow capsule was used before"));
    }
    import(array, &schema)
}

/// The type of a schema, if its arrays are keys.
fn kind_of(schema: &FFI_ArrowSchema) -> Result<DataType, Failure> {
    refuse_extensions(schema)?;
    if schema.format() != "+s" {
        return part_kind(schema);
    }
    match schema.children().count() {
        2..=TupleKey::MAX_PARTS => {
            let field = |part| Ok(Field::new("", part_kind(part)?, true));
            let fields = schema.children().map(field).collect::<Result<_, Failure>>()?;
            Ok(DataType::Struct(fields))
        }
        1 => Err(Failure::key_type(
            "a table of one column is no column of keys; give the column itself",
        )),
        count => Err(Failure::key_type(format!(
            "rows of {count} columns cannot be keys; a key has 2 to 255 parts"
        ))),
    }
}

/// The type of a key that is no row of several columns, or of a part of one.
fn part_kind(schema: &FFI_ArrowSchema) -> Result<DataType, Failure> {
    match schema.format() {
        "_pli128" => return Ok(INT128),
        "_plu128" => return Ok(UINT128),
        _ => {}
    }
    let kind = DataType::try_from(schema).map_err(|_| {
        Failure::key_type(format!(
            "Arrow type {:?} cannot be a key; cast it to int64 or string",
            schema.format()
        ))
    })?;
    accept(&kind)?;
    Ok(kind)
}

/// Refuses extension types, here and in the columns of a table. What they store is not what they
/// mean: a UUID would not be the key that its text is.
fn refuse_extensions(schema: &FFI_ArrowSchema) -> Result<(), Failure> {
    if let Some(name) = schema.metadata().map_err(malformed)?.get("ARROW:extension:name") {
        // Not "cast it to string", by which pyarrow takes the 16 bytes of a UUID for text.
        let advice = match name.as_str() {
            "arrow.bool8" => "cast it to bool",
            "arrow.json" => "cast it to string",
            pandas if pandas.starts_with("pandas.") => "give column.astype(\"string\")",
            _ => "give its text, such as [str(key) for key in array.drop_null().to_pylist()]",
        };
        return Err(Failure::key_type(format!(
            "Arrow extension type {name} cannot be a key: what it stores is not what it means; \
             {advice}"
        )));
    }
    schema.children().chain(schema.dictionary()).try_for_each(refuse_extensions)
}

/// An array of keys. The producer vouches for it; what shows to be wrong all the same is an error.
fn import(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayRef, Failure> {
    // Without rows there are no keys, whatever the type; an empty list becomes a column of floats.
    let kind = if array.is_empty() { DataType::Null } else { kind_of(schema)? };
    if kind == DataType::Null {
        // Nothing to read, and Polars gives it a buffer that it must not have.
        return Ok(std::sync::Arc::new(NullArray::new(array.len())));
    }
    if let DataType::Struct(fields) = &kind {
        let end = array.offset().saturating_add(array.len());
        let short = |at: usize| array.child(at).len() < end;
        if array.num_children() != fields.len() || (0..fields.len()).any(short) {
            return Err(malformed("the columns of a struct are shorter than it"));
        }
    }
    let imported = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the producer vouches for the array, as the C data interface demands.
        unsafe { from_ffi_and_data_type(array, kind) }.map(make_array)
    }));
    imported
        .unwrap_or_else(|_| Err(ArrowError::CDataInterface("malformed".to_string())))
        .map_err(malformed)
}

/// The struct of the C stream interface. arrow-array has one, too, but imports what it gets before
/// anybody can look at it.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: a stream that is not released yet is released once, by its own function.
            unsafe { release(self) };
        }
    }
}

impl Stream {
    /// What a function of the stream fills, or its error.
    fn get<T>(
        &mut self,
        call: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
        mut out: T,
    ) -> Result<T, Failure> {
        let call = call.ok_or_else(|| malformed("a stream without its functions"))?;
        // SAFETY: the stream is not released, and `out` is an empty struct to be filled.
        if unsafe { call(self, &raw mut out) } == 0 {
            return Ok(out);
        }
        // SAFETY: called after an error; the text is valid until the next call, and copied.
        let text = unsafe {
            let text = self.get_last_error.map_or(std::ptr::null(), |text| text(self));
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        Err(malformed(text.unwrap_or_else(|| "the producer does not say why".to_string())))
    }
}

fn stream(capsule: &Bound<'_, PyAny>) -> Result<Vec<ArrayRef>, Failure> {
    let capsule = capsule.cast::<PyCapsule>().map_err(PyErr::from)?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<Stream>();
    let none = Stream {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private: std::ptr::null_mut(),
    };
    // SAFETY: a capsule of this name holds such a struct, and we move it out, as above.
    let mut stream = unsafe { std::ptr::replace(stream.as_ptr(), none) };
    if stream.release.is_none() {
        return Err(Failure::wrong_value("the Arrow capsule was used before"));
    }
    let schema = stream.get(stream.get_schema, FFI_ArrowSchema::empty())?;
    let mut arrays = Vec::new();
    loop {
        let array = stream.get(stream.get_next, FFI_ArrowArray::empty())?;
        if array.is_released() {
            return Ok(arrays);
        }
        arrays.push(import(array, &schema)?);
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn malformed(error: impl ToString) -> Failure {
    let error = error.to_string();
    Failure::wrong_value(format!("cannot read the Arrow data: {error}"))
}

/// Whether arrays of this type are keys, or why not.
fn accept(kind: &DataType) -> Result<(), Failure> {
    match kind {
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Ok(()),
        DataType::Dictionary(_, values) => accept(values),
        DataType::RunEndEncoded(_, values) => accept(values.data_type()),
        DataType::Struct(_) => Err(Failure::key_type(
            "a struct within another type cannot be a key; give its fields as columns",
        )),
        other => {
            let whole = "cast it to string, or to int64 if all are whole numbers";
            let (why, advice) = match other {
                _ if other.is_floating() => {
                    ("floats are rounded, and programs write them differently", whole)
                }
                DataType::Decimal32(..)
                | DataType::Decimal64(..)
                | DataType::Decimal128(..)
                | DataType::Decimal256(..) => ("1.0 and 1.00 would be different keys", whole),
                DataType::Duration(_) => ("other programs have other units", "cast it to int64"),
                DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
                | DataType::Timestamp(..) => {
                    ("other programs have other units and time zones", "cast it to string")
                }
                _ => ("it has no form that all programs share", "give a string or tuple per row"),
            };
            Err(Failure::key_type(format!("Arrow type {other} cannot be a key: {why}; {advice}")))
        }
    }
}

impl ArrowColumn {
    /// Takes an array apart that was imported, so its type is one of keys.
    pub fn new(array: &ArrayRef) -> Result<ArrowColumn, Failure> {
        let kind = array.data_type();
        macro_rules! primitive {
            ($($name:ident $type:ty;)*) => {
                match kind {
                    $(DataType::$name => Keys::$name(array.as_primitive::<$type>().clone()),)*
                    DataType::Null => Keys::Null,
                    DataType::Boolean => Keys::Boolean(array.as_boolean().clone()),
                    DataType::Utf8 => Keys::Utf8(array.as_bytes().clone()),
                    DataType::LargeUtf8 => Keys::LargeUtf8(array.as_bytes().clone()),
                    DataType::Binary => Keys::Binary(array.as_bytes().clone()),
                    DataType::LargeBinary => Keys::LargeBinary(array.as_bytes().clone()),
                    DataType::Utf8View => Keys::Utf8View(array.as_byte_view().clone()),
                    DataType::BinaryView => Keys::BinaryView(array.as_byte_view().clone()),
                    DataType::FixedSizeBinary(_) => {
                        Keys::FixedSizeBinary(array.as_fixed_size_binary().clone())
                    }
                    DataType::Decimal128(_, 0) => Keys::Int128(array.as_primitive().clone()),
                    DataType::Decimal128(..) => Keys::UInt128(array.as_primitive().clone()),
                    DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                        DataType::Int16 => runs(array.as_run::<Int16Type>())?,
                        DataType::Int32 => runs(array.as_run::<Int32Type>())?,
                        _ => runs(array.as_run::<Int64Type>())?,
                    },
                    DataType::Dictionary(index, _) => match **index {
                        $(DataType::$name => {
                            dictionary(array.as_dictionary::<$type>())?
                        })*
                        _ => return Err(Failure::key_type("a dictionary without integer indices")),
                    },
                    _ => Keys::Tuple(
                        array
                            .as_struct()
                            .columns()
                            .iter()
                            .map(ArrowColumn::new)
                            .collect::<Result<_, _>>()?,
                    ),
                }
            };
        }
        let keys = primitive! {
            Int8 Int8Type; Int16 Int16Type; Int32 Int32Type; Int64 Int64Type;
            UInt8 UInt8Type; UInt16 UInt16Type; UInt32 UInt32Type; UInt64 UInt64Type;
        };
        let mut nulls = array.logical_nulls();
        if let Keys::Tuple(parts) = &keys {
            // A row is null if any of its parts is: there is no key without it.
            for part in parts {
                nulls = NullBuffer::union(nulls.as_ref(), part.nulls.as_ref());
            }
        }
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        Ok(ArrowColumn { keys, nulls, len: array.len() })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Which rows have no key, if any.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// Whether a key may be refused even if the filter has no rule: one of more than 127 bits.
    pub fn may_refuse(&self) -> bool {
        match &self.keys {
            Keys::UInt128(_) => true,
            Keys::Tuple(parts) => parts.iter().any(ArrowColumn::may_refuse),
            _ => false,
        }
    }

    /// The hashes of a range of rows. Those of null rows mean nothing.
    pub fn hash(
        &self,
        hasher: &Hasher,
        rows: Range<usize>,
        out: &mut [KeyHash],
    ) -> Result<(), Failure> {
        if let Keys::Runs { ends, values } = &self.keys {
            return hash_runs(ends, values, hasher, rows, out);
        }
        if hasher.rule.is_none() {
            macro_rules! fast {
                ($($name:ident)*) => {
                    match &self.keys {
                        $(Keys::$name(array) => return hash_integers(array, hasher, rows, out),)*
                        Keys::Utf8(array) => return hash_bytes(array, hasher, rows, out),
                        Keys::LargeUtf8(array) => return hash_bytes(array, hasher, rows, out),
                        Keys::Binary(array) => return hash_bytes(array, hasher, rows, out),
                        Keys::LargeBinary(array) => return hash_bytes(array, hasher, rows, out),
                        _ => {}
                    }
                };
            }
            fast!(Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64);
        }
        let (mut made, mut tuple) = (Vec::new(), TupleKey::new());
        for (row, out) in rows.zip(out) {
            if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            *out = match &self.keys {
                Keys::Tuple(parts) => {
                    let given = parts.iter().map(|part| part.given(row));
                    let given = given.collect::<Result<Vec<_>, _>>()?;
                    hasher.hash_tuple(&given, &mut tuple, &mut made)?
                }
                _ => hasher.hash_given(self.given(row)?, &mut made)?,
            };
        }
        Ok(())
    }

    /// The key in a row that is not null.
    fn given(&self, row: usize) -> Result<Given<'_>, Failure> {
        macro_rules! given {
            ($($name:ident)*) => {
                match &self.keys {
                    $(Keys::$name(array) => Given::Integer(array.values()[row].into()),)*
                    Keys::Boolean(array) => Given::Integer(array.value(row).into()),
                    Keys::Utf8(array) => Given::Text(bytes_at(array, row)?),
                    Keys::LargeUtf8(array) => Given::Text(bytes_at(array, row)?),
                    Keys::Binary(array) => Given::Bytes(bytes_at(array, row)?),
                    Keys::LargeBinary(array) => Given::Bytes(bytes_at(array, row)?),
                    Keys::Utf8View(array) => Given::Text(view_at(array, row)?),
                    Keys::BinaryView(array) => Given::Bytes(view_at(array, row)?),
                    Keys::FixedSizeBinary(array) => Given::Bytes(array.value(row)),
                    Keys::Int128(array) => Given::Integer(array.values()[row]),
                    Keys::UInt128(array) => {
                        // 2^127 and above, read as if they had a sign.
                        let number = array.values()[row];
                        Given::Integer(Some(number).filter(|number| *number >= 0).ok_or_else(too_wide)?)
                    }
                    Keys::Dictionary { rows, values } => values.given(rows[row])?,
                    Keys::Runs { ends, values } => {
                        values.given(ends.partition_point(|end| *end <= row))?
                    }
                    Keys::Null | Keys::Tuple(_) => return Err(beyond()),
                }
            };
        }
        Ok(given!(Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64))
    }
}

/// The rows of the values that a dictionary array stands for.
fn dictionary<K: ArrowDictionaryKeyType>(array: &DictionaryArray<K>) -> Result<Keys, Failure> {
    let values = ArrowColumn::new(array.values())?;
    let keys = array.keys();
    let rows = keys.values().iter().enumerate().map(|(row, key)| {
        let at = key.to_usize().filter(|at| *at < values.len);
        // The index of a null row means nothing.
        if keys.is_null(row) { Ok(0) } else { at.ok_or_else(beyond) }
    });
    Ok(Keys::Dictionary { rows: rows.collect::<Result<_, _>>()?, values: Box::new(values) })
}

/// The runs of a run-end-encoded array, which may be a slice of a longer one.
fn runs<R: RunEndIndexType>(array: &RunArray<R>) -> Result<Keys, Failure> {
    let values = ArrowColumn::new(array.values())?;
    let offset = array.run_ends().offset();
    let ends = array.run_ends().values().iter().map(|end| end.as_usize().saturating_sub(offset));
    let ends: Vec<usize> = ends.collect();
    let last = ends.last().copied().unwrap_or(0);
    if !ends.is_sorted() || ends.len() > values.len || last < array.len() {
        return Err(beyond());
    }
    Ok(Keys::Runs { ends, values: Box::new(values) })
}

/// Each run is hashed once, however long it is.
fn hash_runs(
    ends: &[usize],
    values: &ArrowColumn,
    hasher: &Hasher,
    rows: Range<usize>,
    mut out: &mut [KeyHash],
) -> Result<(), Failure> {
    let mut row = rows.start;
    let mut run = ends.partition_point(|end| *end <= row);
    while row < rows.end {
        let end = ends[run].min(rows.end);
        let (now, later) = out.split_at_mut(end - row);
        let mut hash = [KeyHash(0)];
        values.hash(hasher, run..run + 1, &mut hash)?;
        now.fill(hash[0]);
        (row, run, out) = (end, run + 1, later);
    }
    Ok(())
}

#[cold]
fn beyond() -> Failure {
    Failure::wrong_value("malformed Arrow data: an offset beyond its buffer")
}

fn hash_integers<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    hasher: &Hasher,
    rows: Range<usize>,
    out: &mut [KeyHash],
) -> Result<(), Failure>
where
    T::Native: Into<i128>,
{
    let seed = hasher.seed;
    for (out, number) in out.iter_mut().zip(&array.values()[rows]) {
        let number: i128 = (*number).into();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it has at most 64 bits, and its two's complement is meant"
        )]
        let word = number as u64;
        *out = seed.hash_integer(word);
    }
    Ok(())
}

fn hash_bytes<T: ByteArrayType>(
    array: &GenericByteArray<T>,
    hasher: &Hasher,
    rows: Range<usize>,
    out: &mut [KeyHash],
) -> Result<(), Failure> {
    let (seed, values) = (hasher.seed, array.value_data());
    let offsets = &array.value_offsets()[rows.start..=rows.end];
    for (out, pair) in out.iter_mut().zip(offsets.windows(2)) {
        let bytes = values.get(pair[0].as_usize()..pair[1].as_usize()).ok_or_else(beyond)?;
        *out = seed.hash_bytes(bytes);
    }
    Ok(())
}

fn bytes_at<T: ByteArrayType>(array: &GenericByteArray<T>, row: usize) -> Result<&[u8], Failure> {
    let offsets = array.value_offsets();
    let bytes = offsets[row].as_usize()..offsets[row + 1].as_usize();
    array.value_data().get(bytes).ok_or_else(beyond)
}

/// A view is 16 bytes: the length, then up to 12 bytes, or a prefix, a buffer and an offset.
fn view_at<T: ByteViewType>(array: &GenericByteViewArray<T>, row: usize) -> Result<&[u8], Failure> {
    let view = &array.views()[row];
    #[expect(clippy::cast_possible_truncation, reason = "the fields of a view")]
    let (len, buffer, offset) = (*view as u32 as usize, (*view >> 64) as u32, (*view >> 96) as u32);
    if len <= 12 {
        // SAFETY: a view of at most 12 bytes holds them itself, from its fourth byte on, and lives
        // as long as the array.
        return Ok(unsafe {
            std::slice::from_raw_parts(std::ptr::from_ref(view).cast::<u8>().add(4), len)
        });
    }
    let buffer = array.data_buffers().get(buffer as usize).ok_or_else(beyond)?;
    let start = offset as usize;
    buffer.as_slice().get(start..start + len).ok_or_else(beyond)
}

/// Answers in an Arrow array of booleans.
///
/// It is what `contains_many` returns for Arrow data of other libraries than pyarrow, pandas and
/// Polars. Any of them takes it, by its method `__arrow_c_array__`.
#[pyclass(frozen, sequence, module = "anther", name = "BooleanArray")]
#[derive(Debug)]
pub struct Answers(BooleanArray);

impl Answers {
    /// From answers and rows that have none.
    pub fn new(found: &[bool], nulls: Option<NullBuffer>) -> Answers {
        Answers(BooleanArray::new(BooleanBuffer::from(found), nulls))
    }
}

#[pymethods]
impl Answers {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<bool>> {
        let len = self.0.len();
        let at =
            if index < 0 { len.checked_add_signed(index) } else { usize::try_from(index).ok() };
        match at.filter(|at| *at < len) {
            Some(at) => Ok(self.0.is_valid(at).then(|| self.0.value(at))),
            None => Err(pyo3::exceptions::PyIndexError::new_err("index out of range")),
        }
    }

    /// How many answers are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    /// The answers in a list of True, False and None.
    fn to_pylist(&self) -> Vec<Option<bool>> {
        self.0.iter().collect()
    }

    /// The PyCapsule interface: a pair of capsules, the schema and the array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Best effort, says the interface: there is only one type here.
        drop(requested_schema);
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(malformed)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema, array))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let len = slf.get().0.len();
        format!("<{} of {len}>", type_name(slf.as_any()))
    }
}
