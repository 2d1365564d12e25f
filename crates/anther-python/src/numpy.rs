//! NumPy arrays by `__array_interface__`: NumPy itself is needed only by those who use it, and the
//! buffer protocol is not part of the stable ABI of Python 3.10.
#![expect(unsafe_code, reason = "reads and writes the memory of arrays")]

use crate::error::Failure;
use crate::keys::{Hasher, type_name};
use anther::KeyHash;
use anther::recipe::Given;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The module, or `None` if it is not installed.
pub fn module(py: Python<'_>) -> Option<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Option<Py<PyModule>>> = PyOnceLock::new();
    let numpy = NUMPY.get_or_init(py, || py.import("numpy").ok().map(Bound::unbind));
    numpy.as_ref().map(|numpy| numpy.bind(py))
}

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    /// Integers of 1, 2, 4 or 8 bytes.
    Integers {
        signed: bool,
    },
    Booleans,
    /// Fixed-width bytes, padded with zeros.
    Bytes,
    /// Fixed-width UTF-32, padded with zeros.
    Text,
}

/// A one-dimensional array whose keys are read in place.
///
/// The memory is that of an array which this holds a reference to, so it is not freed: NumPy
/// resizes in place only arrays that nobody else refers to. While the GIL is released, another
/// thread may write to the array. Then the keys of that moment are arbitrary, and nothing else:
/// every access is an atomic or volatile load within the array's bounds, which were fixed before,
/// and no value that is read decides where to read or how far.
#[derive(Debug)]
pub struct NumpyColumn {
    /// Keeps the memory alive.
    _array: Py<PyAny>,
    first: *const u8,
    stride: isize,
    len: usize,
    /// Bytes of an item.
    width: usize,
    items: Items,
    /// Whether the bytes of an item are in the other order than the machine's.
    swapped: bool,
}

// SAFETY: the memory belongs to an array that is kept alive, and is only read, with loads that
// allow for other writers; see the type.
unsafe impl Send for NumpyColumn {}
// SAFETY: as above.
unsafe impl Sync for NumpyColumn {}

/// What becomes of an array.
pub enum Numpy<'py> {
    /// Its keys are read in place.
    Column(NumpyColumn),
    /// Its items are objects, to be converted one by one.
    Objects(Bound<'py, PyAny>),
}

/// Whether the object is an array of NumPy, or can become one without its items being looked at.
pub fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.hasattr(pyo3::intern!(object.py(), "__array_interface__"))
}

/// Takes an array apart.
pub fn column<'py>(object: &Bound<'py, PyAny>) -> Result<Numpy<'py>, Failure> {
    let py = object.py();
    let numpy = module(py).ok_or_else(|| {
        Failure::wrong_type(format!("{} needs NumPy, which is not installed", type_name(object)))
    })?;
    // NumPy's own type, whose interface is NumPy's and not that of whoever wrote the class.
    let array = numpy.getattr("asarray")?.call1((object,))?;
    let interface = array.getattr("__array_interface__")?;
    let interface = interface.cast::<PyDict>().map_err(PyErr::from)?;
    let get = |name| {
        let value = interface.get_item(name)?;
        value.ok_or_else(|| Failure::wrong_type(format!("an array without its {name}")))
    };
    let shape: Vec<usize> = get("shape")?.extract()?;
    let [len] = shape[..] else {
        let dimensions = shape.len();
        return Err(Failure::wrong_type(format!(
            "an array of {dimensions} dimensions; give one of 1 dimension, such as array.ravel() \
             if each item is a key"
        )));
    };
    if len == 0 {
        // No keys, whatever the type: NumPy makes floats of an empty list.
        return Ok(Numpy::Objects(PyList::empty(py).into_any()));
    }
    if type_name(object) == "numpy.ma.MaskedArray" {
        return Err(Failure::wrong_type(
            "a masked array would be read without its mask; give array.compressed(), or an Arrow \
             array, where masked keys are null",
        ));
    }
    let dtype = array.getattr("dtype")?;
    // Takes longer than all the rest, so only where it is needed.
    let name = || dtype.str().map_or_else(|_| "this type".to_string(), |name| name.to_string());
    let kind: String = dtype.getattr("kind")?.extract()?;
    let width: usize = dtype.getattr("itemsize")?.extract()?;
    let items = match kind.as_str() {
        "i" | "u" if matches!(width, 1 | 2 | 4 | 8) => Items::Integers { signed: kind == "i" },
        "b" => Items::Booleans,
        "S" => Items::Bytes,
        "U" => Items::Text,
        "O" | "T" => return Ok(Numpy::Objects(array.call_method0("tolist")?)),
        "f" => {
            return Err(Failure::key_type(format!(
                "{} cannot be keys: floats are rounded, and other programs write them differently; \
                 give array.astype(\"int64\") if all are whole numbers, or array.astype(str); \
                 if some are missing, take array[~np.isnan(array)] before",
                name()
            )));
        }
        "M" | "m" => {
            return Err(Failure::key_type(format!(
                "{} cannot be keys: other programs have other units; give \
                 array.astype(\"int64\") or array.astype(str); if some are missing, take \
                 array[~np.isnat(array)] before",
                name()
            )));
        }
        _ => {
            return Err(Failure::key_type(format!(
                "{} cannot be keys; give an array of integers, booleans, bytes or str",
                name()
            )));
        }
    };
    let order: String = dtype.getattr("byteorder")?.extract()?;
    let swapped = order == if cfg!(target_endian = "little") { ">" } else { "<" };
    let data = get("data")?;
    let (address, _): (usize, bool) = data.cast::<PyTuple>().map_err(PyErr::from)?.extract()?;
    let strides = get("strides")?;
    let stride = match strides.is_none() {
        true => isize::try_from(width).map_err(|_| Failure::wrong_type("an item too wide"))?,
        false => strides.extract::<(isize,)>()?.0,
    };
    Ok(Numpy::Column(NumpyColumn {
        _array: array.unbind(),
        first: std::ptr::with_exposed_provenance(address),
        stride,
        len,
        width,
        items,
        swapped,
    }))
}

impl NumpyColumn {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a key may be refused even if the filter has no rule.
    pub fn may_refuse(&self) -> bool {
        self.items == Items::Text
    }

    /// The hashes of a range of keys.
    pub fn hash(
        &self,
        hasher: &Hasher,
        rows: Range<usize>,
        out: &mut [KeyHash],
    ) -> Result<(), Failure> {
        if let (Items::Integers { .. } | Items::Booleans, None) = (self.items, hasher.rule) {
            let seed = hasher.seed;
            self.each_word(rows, out, |word| seed.hash_integer(word));
            return Ok(());
        }
        let (mut item, mut made) = (Vec::new(), Vec::new());
        for (row, out) in rows.zip(out) {
            *out = hasher.hash_given(self.given(row, &mut item)?, &mut made)?;
        }
        Ok(())
    }

    /// The address of an item.
    fn at(&self, row: usize) -> *const u8 {
        assert!(row < self.len, "a row of the array");
        // No overflow: the array exists, so all its addresses do.
        #[expect(clippy::cast_possible_wrap, reason = "an array has at most isize::MAX items")]
        self.first.wrapping_offset(self.stride.wrapping_mul(row as isize))
    }

    /// The key in a row. `item` holds it if it is bytes or text.
    pub fn given<'a>(&self, row: usize, item: &'a mut Vec<u8>) -> Result<Given<'a>, Failure> {
        match self.items {
            Items::Integers { signed } => {
                let mut word = [0];
                self.each_word(row..row + 1, &mut word, |word| word);
                #[expect(clippy::cast_possible_wrap, reason = "the two's complement is meant")]
                let number = if signed { (word[0] as i64).into() } else { word[0].into() };
                Ok(Given::Integer(number))
            }
            Items::Booleans => {
                let mut word = [0];
                self.each_word(row..row + 1, &mut word, |word| word);
                Ok(Given::Integer(word[0].into()))
            }
            Items::Bytes => {
                self.copy(row, item);
                let end = item.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                Ok(Given::Bytes(&item[..end]))
            }
            Items::Text => {
                self.copy(row, item);
                let (units, _) = item.as_chunks::<4>();
                let unit = |bytes: &[u8; 4]| {
                    let unit = u32::from_le_bytes(*bytes);
                    let is_little = cfg!(target_endian = "little") != self.swapped;
                    if is_little { unit } else { unit.swap_bytes() }
                };
                let end = units.iter().rposition(|bytes| unit(bytes) != 0);
                let units = &units[..end.map_or(0, |last| last + 1)];
                let text: Option<String> =
                    units.iter().map(|bytes| char::from_u32(unit(bytes))).collect();
                let text = text.ok_or_else(|| {
                    Failure::key_value(format!(
                        "the str in row {row} has a lone surrogate, so it has no UTF-8 form"
                    ))
                })?;
                item.clear();
                item.extend_from_slice(text.as_bytes());
                Ok(Given::Text(item))
            }
        }
    }

    /// Copies the bytes of an item.
    fn copy(&self, row: usize, item: &mut Vec<u8>) {
        let at = self.at(row);
        item.clear();
        item.reserve(self.width);
        for offset in (0..self.width / 8).map(|word| word * 8) {
            // SAFETY: these eight bytes are within the item, which is within the array; arrays of
            // bytes need no alignment. Volatile, since another thread may write them.
            item.extend_from_slice(&unsafe { at.add(offset).cast::<[u8; 8]>().read_volatile() });
        }
        for offset in self.width / 8 * 8..self.width {
            // SAFETY: this byte is within the item.
            item.push(unsafe { at.add(offset).read_volatile() });
        }
    }

    /// Integers or booleans as words: sign-extended if they have a sign.
    fn each_word<T>(&self, rows: Range<usize>, out: &mut [T], make: impl Fn(u64) -> T) {
        if rows.is_empty() {
            return;
        }
        assert!(rows.start < self.len && rows.end <= self.len, "rows of the array");
        macro_rules! read {
            ($atomic:ident, $unsigned:ty, $signed:ty) => {{
                const WIDTH: usize = size_of::<$unsigned>();
                let address = self.at(rows.start);
                let aligned = address.cast::<$unsigned>().is_aligned()
                    && self.stride.unsigned_abs().is_multiple_of(WIDTH);
                let load = |at: *const u8| -> $unsigned {
                    if aligned {
                        // SAFETY: aligned, within the array, and only loaded, which is allowed for
                        // read-only memory, too. Atomic, since another thread may write it.
                        let cell = unsafe { $atomic::from_ptr(at.cast_mut().cast()) };
                        cell.load(Ordering::Relaxed)
                    } else {
                        // SAFETY: the bytes of an item within the array.
                        let bytes = unsafe { at.cast::<[u8; WIDTH]>().read_volatile() };
                        #[expect(clippy::host_endian_bytes, reason = "an array of this machine")]
                        <$unsigned>::from_ne_bytes(bytes)
                    }
                };
                let swapped = self.swapped;
                let signed = matches!(self.items, Items::Integers { signed: true });
                let mut at = address;
                for out in &mut out[..rows.len()] {
                    let raw = load(at);
                    let raw = if swapped { raw.swap_bytes() } else { raw };
                    #[allow(
                        clippy::allow_attributes,
                        clippy::cast_lossless,
                        clippy::cast_possible_wrap,
                        clippy::cast_sign_loss,
                        reason = "sign-extended or zero-extended"
                    )]
                    let word = if signed { raw as $signed as i64 as u64 } else { raw as u64 };
                    *out = make(word);
                    at = at.wrapping_offset(self.stride);
                }
            }};
        }
        match (self.items, self.width) {
            // What is not 0 is true, as in NumPy.
            (Items::Booleans, _) => {
                let mut at = self.at(rows.start);
                for out in &mut out[..rows.len()] {
                    // SAFETY: the byte of an item within the array.
                    let byte = unsafe { at.read_volatile() };
                    *out = make(u64::from(byte != 0));
                    at = at.wrapping_offset(self.stride);
                }
            }
            (_, 1) => read!(AtomicU8, u8, i8),
            (_, 2) => read!(AtomicU16, u16, i16),
            (_, 4) => read!(AtomicU32, u32, i32),
            _ => read!(AtomicU64, u64, i64),
        }
    }
}

/// A new array of booleans, to be filled.
pub fn answers<'py>(
    numpy: &Bound<'py, PyModule>,
    len: usize,
    fill: impl FnOnce(&mut [bool]) -> Result<(), Failure>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let array = numpy.getattr("zeros")?.call1((len, "?"))?;
    let interface = array.getattr("__array_interface__")?;
    let (address, _): (usize, bool) = interface.get_item("data")?.extract()?;
    if len > 0 {
        let first: *mut bool = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: a new array of `len` booleans, contiguous and zeroed, which nobody else has seen.
        let found = unsafe { std::slice::from_raw_parts_mut(first, len) };
        fill(found)?;
    }
    Ok(array)
}
