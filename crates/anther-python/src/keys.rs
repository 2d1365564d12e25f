//! From a Python object to the hash of its key: the same key in Rust, in the program, in the
//! server and here.
//!
//! | Python | key |
//! |---|---|
//! | `str` | its UTF-8 bytes |
//! | `bytes`, `bytearray` | the bytes, so `"ab"` and `b"ab"` are the same key |
//! | `int`, `bool`, NumPy integers | 64 bits as a word; wider ones as the 16 bytes of an `i128` |
//! | `tuple` of 2 to 255 keys | the tuple of Rust |

use crate::error::Failure;
use anther::recipe::{Entries, Given, KeyRule, Reach, RuledKey};
use anther::{About, Key, KeyError, KeyHash, Seed, TupleKey};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString, PyTuple};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Tuples within tuples. Deeper ones would be a way to exhaust the stack.
const MAX_DEPTH: usize = 32;

/// What makes hashes of keys: the part of a filter that never changes, so no lock is needed.
#[derive(Clone, Debug)]
pub struct Hasher {
    /// It can hash: files that cannot are not opened here.
    pub seed: Seed,
    /// The stored rule of the filter's keys.
    pub rule: Option<KeyRule>,
    takes_networks: bool,
    /// For filters whose entries stand for many keys.
    noted: Option<Arc<Mutex<Noted>>>,
}

/// What keys are looked up and inserted as beside their own hashes, by these: a hash is all that
/// comes of a key, whatever column it was in.
#[derive(Debug)]
struct Noted {
    reach: Reach,
    above: HashMap<KeyHash, Vec<KeyHash>>,
    levels: HashMap<KeyHash, u8>,
}

/// A key, or a part of one, on its way from Python.
enum Part<'py> {
    Text(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    Owned(Vec<u8>),
    Integer(i128),
    Tuple(Vec<Part<'py>>),
}

impl Hasher {
    /// For keys of this rule.
    pub fn new(seed: Seed, rule: Option<KeyRule>) -> Hasher {
        Hasher { seed, rule, takes_networks: false, noted: None }
    }

    /// For keys of a filter.
    pub fn of(about: &About) -> Hasher {
        Hasher { takes_networks: about.takes_networks(), ..Hasher::new(about.seed, about.rule()) }
    }

    /// The same, noting what keys are inserted as in a filter of this reach.
    pub fn noting_entries(&self, reach: Reach) -> Hasher {
        // Without levels, nothing is above a key.
        self.noting(Reach::new(reach.keys(), 0).unwrap_or(Reach::EXACT))
    }

    /// The same, noting what keys are looked up and inserted as in a filter of this reach.
    pub fn noting(&self, reach: Reach) -> Hasher {
        let noted = Noted { reach, above: HashMap::new(), levels: HashMap::new() };
        Hasher { noted: Some(Arc::new(Mutex::new(noted))), ..self.clone() }
    }

    /// Forgets what was noted of keys that are done.
    pub fn forget(&self) {
        if let Some(noted) = &self.noted {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            noted.above.clear();
            noted.levels.clear();
        }
    }

    /// The hashes of noted keys as entries to insert.
    pub fn entries(&self, hashes: &[KeyHash]) -> Entries {
        let Some(noted) = &self.noted else { return Entries::new(Reach::EXACT) };
        let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = Entries::new(noted.reach);
        for hash in hashes {
            entries.push_hash(*hash, noted.levels.get(hash).copied());
        }
        entries
    }

    /// Whether each of the noted keys may be in a filter, by itself or by what it is below.
    pub fn contains<E>(
        &self,
        hashes: &[KeyHash],
        found: &mut [bool],
        mut contains: impl FnMut(&[KeyHash], &mut [bool]) -> Result<(), E>,
    ) -> Result<(), E> {
        contains(hashes, found)?;
        let Some(noted) = &self.noted else { return Ok(()) };
        let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut above, mut rows) = (Vec::new(), Vec::new());
        for (row, hash) in hashes.iter().enumerate().filter(|(row, _)| !found[*row]) {
            for entry in noted.above.get(hash).into_iter().flatten() {
                above.push(*entry);
                rows.push(row);
            }
        }
        for (row, is_found) in rows.into_iter().zip(noted.reach.all_found(&above, contains)?) {
            found[row] |= is_found;
        }
        Ok(())
    }

    /// The hash of a key after the rule.
    fn hash_ruled(&self, key: RuledKey<'_>) -> Result<KeyHash, KeyError> {
        if !self.takes_networks && self.rule.is_some_and(|rule| rule.is_network(key)) {
            return Err(KeyError::Network);
        }
        let hash = key.key_hash(&self.seed);
        if let (Some(noted), Some(rule)) = (&self.noted, self.rule) {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            let reach = noted.reach;
            if let Some(level) = reach.level(rule.form, key) {
                noted.levels.insert(hash, level);
            }
            let mut above = Vec::new();
            reach.each_above(rule.form, key, |_, entry| above.push(entry.key_hash(&self.seed)));
            if !above.is_empty() {
                noted.above.insert(hash, above);
            }
        }
        Ok(hash)
    }

    /// The hash of a key.
    #[inline]
    pub fn hash(&self, key: &Bound<'_, PyAny>) -> Result<KeyHash, Failure> {
        match self.hash_plain(key) {
            Some(hash) => Ok(hash),
            None => self.hash_slowly(key),
        }
    }

    /// The hash of a `str`, `bytes` or `int`, if it has one and there is no rule. It runs no code of
    /// Python's.
    #[inline]
    pub fn hash_plain(&self, key: &Bound<'_, PyAny>) -> Option<KeyHash> {
        if self.rule.is_some() {
            return None;
        }
        if let Ok(text) = key.cast_exact::<PyString>() {
            // Without UTF-8 there is an exception, which this drops; the slow way says what is wrong.
            return text.to_str().ok().map(|text| self.seed.hash_bytes(text.as_bytes()));
        }
        if let Ok(bytes) = key.cast_exact::<PyBytes>() {
            return Some(self.seed.hash_bytes(bytes.as_bytes()));
        }
        let number: i64 = key.cast_exact::<PyInt>().ok()?.extract().ok()?;
        #[expect(clippy::cast_sign_loss, reason = "the two's complement is meant")]
        Some(self.seed.hash_integer(number as u64))
    }

    #[inline(never)]
    fn hash_slowly(&self, key: &Bound<'_, PyAny>) -> Result<KeyHash, Failure> {
        let part = part(key, 0)?;
        let Some(rule) = self.rule else { return self.hash_part(&part) };
        let given: Vec<Given<'_>> = match &part {
            Part::Tuple(parts) => {
                let flat = parts.iter().map(Part::given);
                flat.collect::<Result<_, _>>()?
            }
            single => vec![single.given()?],
        };
        Ok(self.hash_ruled(rule.key(&given, &mut Vec::new())?)?)
    }

    fn hash_part(&self, part: &Part<'_>) -> Result<KeyHash, Failure> {
        Ok(match part {
            Part::Text(text) => self.seed.hash_bytes(utf8(text)?.as_bytes()),
            Part::Bytes(bytes) => self.seed.hash_bytes(bytes.as_bytes()),
            Part::Owned(bytes) => self.seed.hash_bytes(bytes),
            Part::Integer(number) => self.hash_integer(*number),
            Part::Tuple(parts) => tuple_key(parts)?.key_hash(&self.seed),
        })
    }

    /// Without a rule: a word if it fits into one, else 16 bytes.
    #[inline]
    pub fn hash_integer(&self, number: i128) -> KeyHash {
        match word(number) {
            Some(word) => self.seed.hash_integer(word),
            None => number.key_hash(&self.seed),
        }
    }

    /// The hash of a text, such as one of a column.
    #[inline]
    pub fn hash_given(&self, given: Given<'_>, made: &mut Vec<u8>) -> Result<KeyHash, Failure> {
        match (self.rule, given) {
            (Some(rule), given) => Ok(self.hash_ruled(rule.key(&[given], made)?)?),
            (None, Given::Text(bytes) | Given::Bytes(bytes)) => Ok(self.seed.hash_bytes(bytes)),
            (None, Given::Integer(number)) => Ok(self.hash_integer(number)),
        }
    }

    /// The hash of a tuple, such as a row of several columns.
    pub fn hash_tuple(
        &self,
        given: &[Given<'_>],
        tuple: &mut TupleKey,
        made: &mut Vec<u8>,
    ) -> Result<KeyHash, Failure> {
        if let Some(rule) = self.rule {
            return Ok(rule.key(given, made)?.key_hash(&self.seed));
        }
        tuple.clear();
        for part in given {
            match part {
                Given::Text(bytes) | Given::Bytes(bytes) => tuple.push(*bytes),
                Given::Integer(number) => match word(*number) {
                    Some(word) => tuple.push(word),
                    None => tuple.push(*number),
                },
            };
        }
        Ok(tuple.key_hash(&self.seed))
    }
}

impl Part<'_> {
    fn given(&self) -> Result<Given<'_>, Failure> {
        Ok(match self {
            Part::Text(text) => Given::Text(utf8(text)?.as_bytes()),
            Part::Bytes(bytes) => Given::Bytes(bytes.as_bytes()),
            Part::Owned(bytes) => Given::Bytes(bytes),
            Part::Integer(number) => Given::Integer(*number),
            Part::Tuple(_) => return Err(KeyError::Opaque.into()),
        })
    }
}

/// Passes on a key that is not a tuple, as it was given.
pub fn with_given<T>(
    key: &Bound<'_, PyAny>,
    take: impl FnOnce(Given<'_>) -> Result<T, KeyError>,
) -> Result<T, Failure> {
    Ok(take(part(key, 0)?.given()?)?)
}

/// The 64 bits of an integer that has no more, signed or unsigned.
#[inline]
fn word(number: i128) -> Option<u64> {
    #[expect(clippy::cast_sign_loss, reason = "the two's complement is meant")]
    u64::try_from(number).ok().or_else(|| i64::try_from(number).ok().map(|number| number as u64))
}

fn tuple_key(parts: &[Part<'_>]) -> Result<TupleKey, Failure> {
    let mut key = TupleKey::new();
    for part in parts {
        match part {
            Part::Text(text) => key.push(utf8(text)?),
            Part::Bytes(bytes) => key.push(bytes.as_bytes()),
            Part::Owned(bytes) => key.push(bytes),
            Part::Integer(number) => match word(*number) {
                Some(word) => key.push(word),
                None => key.push(*number),
            },
            Part::Tuple(parts) => key.push(tuple_key(parts)?),
        };
    }
    Ok(key)
}

#[inline]
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> Result<&'a str, Failure> {
    text.to_str().map_err(|_| no_utf8())
}

#[cold]
fn no_utf8() -> Failure {
    Failure::key_value(
        "the str has a lone surrogate, so it has no UTF-8 form; give the bytes that are meant, \
         such as those of os.fsencode",
    )
}

/// An integer that no key can be.
#[cold]
pub fn too_wide() -> Failure {
    Failure::key_value("the int is beyond 128 bits with its sign; give its digits as str, or bytes")
}

#[inline]
fn integer(number: &Bound<'_, PyInt>) -> Result<i128, Failure> {
    // Most fit here; the others take a longer way.
    if let Ok(word) = number.extract::<i64>() {
        return Ok(word.into());
    }
    number.extract::<i128>().map_err(|error| {
        match error.is_instance_of::<PyOverflowError>(number.py()) {
            true => too_wide(),
            false => error.into(),
        }
    })
}

/// The parts of a key of any type, or why it is none.
fn part<'py>(key: &Bound<'py, PyAny>, depth: usize) -> Result<Part<'py>, Failure> {
    if let Ok(text) = key.cast::<PyString>() {
        return Ok(Part::Text(text.clone()));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(Part::Bytes(bytes.clone()));
    }
    if let Ok(number) = key.cast::<PyInt>() {
        return Ok(Part::Integer(integer(number)?));
    }
    if let Ok(tuple) = key.cast::<PyTuple>() {
        let count = tuple.len();
        if !(2..=TupleKey::MAX_PARTS).contains(&count) {
            return Err(Failure::key_value(format!(
                "a tuple of {count} cannot be a key; it must have 2 to 255 parts"
            )));
        }
        if depth == MAX_DEPTH {
            return Err(Failure::key_value("tuples within tuples, more than 32 deep, are no key"));
        }
        let parts = tuple.iter().map(|inner| part(&inner, depth + 1));
        return Ok(Part::Tuple(parts.collect::<Result<_, _>>()?));
    }
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return Ok(Part::Owned(bytes.to_vec()));
    }
    if let Some(reason) = refusal(key) {
        return Err(Failure::key_type(reason));
    }
    let name = type_name(key);
    // Before the next: NumPy warns when one of these is taken for an integer.
    if name == "numpy.bool" || name == "numpy.bool_" {
        return Ok(Part::Integer(key.is_truthy()?.into()));
    }
    // NumPy's integers, and others that are exact.
    if let Some(index) = key.getattr_opt("__index__")? {
        match index.call0() {
            Ok(number) => {
                if let Ok(number) = number.cast::<PyInt>() {
                    return Ok(Part::Integer(integer(number)?));
                }
            }
            // That it is no integer after all, such as an array of several.
            Err(error) if error.is_instance_of::<PyTypeError>(key.py()) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::key_type(format!(
        "{name} cannot be a key; give str, bytes, int, bool or a tuple of these"
    )))
}

/// Why a key of some types is refused, where that is not plain.
fn refusal(key: &Bound<'_, PyAny>) -> Option<String> {
    if key.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan()) {
        return Some("a float NaN, a missing value, cannot be a key; leave it out".to_string());
    }
    if key.cast::<PyFloat>().is_ok() || type_name(key).starts_with("numpy.float") {
        return Some(
            "float cannot be a key: 0.1 + 0.2 is not 0.3, and other programs write and round \
             floats differently; give int(key), or a str such as f\"{key:.2f}\""
                .to_string(),
        );
    }
    if key.is_none() {
        return Some("None cannot be a key; leave it out".to_string());
    }
    if key.cast::<PyMemoryView>().is_ok() {
        return Some("memoryview cannot be a key; give bytes(key)".to_string());
    }
    None
}

/// The name of an object's type, with its module unless that is `builtins`.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type();
    let name = class.fully_qualified_name();
    name.map_or_else(|_| "an object".to_string(), |name| name.to_string_lossy().into_owned())
}

/// Whether an object is a key where a collection of keys is expected: as in `set.update("abc")`, a
/// mistake that would go unnoticed.
pub fn is_single(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<PyString>().is_ok()
        || object.cast::<PyBytes>().is_ok()
        || object.cast::<PyByteArray>().is_ok()
        || object.cast::<PyMemoryView>().is_ok()
        || object.cast::<PyInt>().is_ok()
        || object.cast::<PyBool>().is_ok()
}
