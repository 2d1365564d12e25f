//! The difference of two sets, by a stream of symbols.

use crate::error::Failure;
use crate::keys::type_name;
use crate::settings;
use anther::Seed;
use anther::iblt::{self, Integers, Strings};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList};
use std::sync::{Mutex, PoisonError};

/// Elements of a set: all of one type.
enum Elements {
    Integers(Vec<u64>),
    Strings(Strings, Vec<Vec<u8>>),
}

/// Reads the elements. Byte strings need the length that both sides agreed on.
fn elements(given: &Bound<'_, PyAny>, length: Option<usize>) -> Result<Elements, Failure> {
    if let Some(longest) = length {
        let strings = Strings::up_to(longest)?;
        let mut all = Vec::new();
        for element in given.try_iter()? {
            let element = element?;
            let bytes = element.cast::<PyBytes>().map_err(|_| {
                let name = type_name(&element);
                Failure::key_type(format!("with length, elements are bytes, not {name}"))
            })?;
            all.push(bytes.as_bytes().to_vec());
        }
        return Ok(Elements::Strings(strings, all));
    }
    let mut all = Vec::new();
    for element in given.try_iter()? {
        let element = element?;
        if element.cast::<PyBytes>().is_ok() {
            return Err(Failure::wrong_type(
                "elements that are bytes need length=, the length of the longest on both sides",
            ));
        }
        all.push(element.extract().map_err(|_| match element.cast::<PyInt>() {
            Ok(_) => Failure::key_value("an element is an int from 0 to 2**64 - 1, or bytes"),
            Err(_) => {
                let name = type_name(&element);
                Failure::key_type(format!("{name} cannot be an element; give int or bytes"))
            }
        })?);
    }
    Ok(Elements::Integers(all))
}

enum AnyEncoder {
    Integers(iblt::Encoder<Integers>),
    Strings(iblt::Encoder<Strings>),
}

/// The endless stream of a set's symbols: an iterator of bytes. Send them until the other side has
/// decoded the difference; that takes 1.35 to 2 symbols per element of the difference.
///
/// Elements are ints from 0 to 2**64 - 1, or bytes of at most `length`. Both sides must use the same
/// length, and the same seed or secret key.
///
/// >>> from anther import diff
/// >>> sender = diff.Encoder(range(10_000))
/// >>> receiver = diff.Decoder(range(100, 10_020))
/// >>> for symbol in sender:
/// ...     if receiver.push(symbol):
/// ...         break
/// >>> len(receiver.ours), len(receiver.theirs)
/// (20, 100)
#[pyclass(frozen, module = "anther.diff", name = "Encoder")]
pub struct Encoder(Mutex<AnyEncoder>);

enum AnyDecoder {
    Integers(iblt::Decoder<Integers>),
    Strings(iblt::Decoder<Strings>),
}

/// Receives the symbols of the other side's set and decodes the difference to ours.
#[pyclass(frozen, module = "anther.diff", name = "Decoder")]
pub struct Decoder(Mutex<AnyDecoder>);

fn seed(key: Option<&[u8]>, seed: Option<u64>) -> Result<Seed, Failure> {
    settings::seed(key, seed)
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (elements, *, length=None, key=None, seed=None))]
    fn new(
        py: Python<'_>,
        elements: &Bound<'_, PyAny>,
        length: Option<usize>,
        key: Option<&[u8]>,
        seed: Option<u64>,
    ) -> Result<Encoder, Failure> {
        let seed = self::seed(key, seed)?;
        let elements = self::elements(elements, length)?;
        let encoder = py.detach(|| {
            Ok::<_, Failure>(match elements {
                Elements::Integers(all) => {
                    AnyEncoder::Integers(iblt::Encoder::new(Integers, all, seed)?)
                }
                Elements::Strings(strings, all) => AnyEncoder::Strings(iblt::Encoder::new(
                    strings,
                    all.iter().map(Vec::as_slice),
                    seed,
                )?),
            })
        })?;
        Ok(Encoder(Mutex::new(encoder)))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let symbol =
            py.detach(|| match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
                AnyEncoder::Integers(encoder) => encoder.next(),
                AnyEncoder::Strings(encoder) => encoder.next(),
            });
        symbol.map(|symbol| PyBytes::new(py, symbol.as_bytes()))
    }

    /// Bytes per symbol.
    #[getter]
    fn symbol_bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            AnyEncoder::Integers(encoder) => encoder.symbol_bytes(),
            AnyEncoder::Strings(encoder) => encoder.symbol_bytes(),
        })
    }
}

impl Decoder {
    /// With the decoder; the GIL is released while waiting for it, and not needed within.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut AnyDecoder) -> R + Send) -> R {
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn found<'py>(&self, py: Python<'py>, ours: bool) -> PyResult<Bound<'py, PyList>> {
        enum Found {
            Integers(Vec<u64>),
            Strings(Vec<Vec<u8>>),
        }
        let found = self.with(py, |decoder| match decoder {
            AnyDecoder::Integers(decoder) => {
                let found = decoder.found();
                Found::Integers(if ours { found.ours.clone() } else { found.theirs.clone() })
            }
            AnyDecoder::Strings(decoder) => {
                let found = decoder.found();
                Found::Strings(if ours { found.ours.clone() } else { found.theirs.clone() })
            }
        });
        match found {
            Found::Integers(all) => PyList::new(py, all),
            Found::Strings(all) => {
                PyList::new(py, all.iter().map(|element| PyBytes::new(py, element)))
            }
        }
    }
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (elements, *, length=None, key=None, seed=None))]
    fn new(
        py: Python<'_>,
        elements: &Bound<'_, PyAny>,
        length: Option<usize>,
        key: Option<&[u8]>,
        seed: Option<u64>,
    ) -> Result<Decoder, Failure> {
        let seed = self::seed(key, seed)?;
        let elements = self::elements(elements, length)?;
        let decoder = py.detach(|| {
            Ok::<_, Failure>(match elements {
                Elements::Integers(all) => {
                    AnyDecoder::Integers(iblt::Decoder::new(Integers, all, seed)?)
                }
                Elements::Strings(strings, all) => AnyDecoder::Strings(iblt::Decoder::new(
                    strings,
                    all.iter().map(Vec::as_slice),
                    seed,
                )?),
            })
        })?;
        Ok(Decoder(Mutex::new(decoder)))
    }

    /// Takes the next symbol. True: the whole difference is decoded.
    #[pyo3(signature = (symbol, /))]
    fn push(&self, py: Python<'_>, symbol: &Bound<'_, PyBytes>) -> Result<bool, Failure> {
        let symbol = symbol.as_bytes();
        Ok(self.with(py, |decoder| match decoder {
            AnyDecoder::Integers(decoder) => decoder.push(symbol),
            AnyDecoder::Strings(decoder) => decoder.push(symbol),
        })?)
    }

    /// Whether the whole difference is decoded.
    #[getter]
    fn done(&self, py: Python<'_>) -> bool {
        self.with(py, |decoder| match decoder {
            AnyDecoder::Integers(decoder) => decoder.is_done(),
            AnyDecoder::Strings(decoder) => decoder.is_done(),
        })
    }

    /// What only our side has, as far as it is decoded; sorted once all is.
    #[getter]
    fn ours<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.found(py, true)
    }

    /// What only the other side has.
    #[getter]
    fn theirs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.found(py, false)
    }

    /// How many symbols were taken.
    #[getter]
    fn symbols(&self, py: Python<'_>) -> usize {
        self.with(py, |decoder| match decoder {
            AnyDecoder::Integers(decoder) => decoder.symbols(),
            AnyDecoder::Strings(decoder) => decoder.symbols(),
        })
    }
}
