//! The class `RangeFilter`: is any key between two bounds?

use crate::error::{Class, Failure};
use crate::filter::how;
use crate::keys::{self, type_name};
use crate::rule::Rule;
use crate::save;
use crate::settings;
use anther::Range;
use anther::error::{BoundsError, RangeError};
use anther::range::Keys;
use anther::recipe::{KeyForm, KeyRule, Recipe};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::path::PathBuf;

/// A static filter of ordered keys, which answers whether any key may be between two bounds, and
/// whether a key may be in it.
///
/// `keys` are integers of 64 bits; with `rule="time"` dates and times as text, or seconds since 1970;
/// with `rule="ip"` IPv4 addresses as text; with `rule="text"` text of up to eight bytes, in the
/// order of its bytes. A range of up to `span` keys that has none in it is a false positive at a
/// rate of at most `fpr`, wherever it is. Longer ranges are answered at a higher rate. A
/// `span` of times is in nanoseconds.
///
/// >>> import anther
/// >>> taken = anther.RangeFilter([100, 250, 7000], span=50, fpr=0.001)
/// >>> taken.contains_between(90, 110), taken.contains_between(300, 340)
/// (True, False)
/// >>> 250 in taken
/// True
#[pyclass(frozen, eq, module = "anther", name = "RangeFilter", weakref)]
#[derive(Debug, PartialEq)]
pub struct RangeFilter(Range);

/// The keys of an iterable, on a scale.
fn collect(given: &Bound<'_, PyAny>, rule: &KeyRule) -> Result<Keys, Failure> {
    let mut all = Keys::default();
    for (at, key) in given.try_iter()?.enumerate() {
        if at % 4096 == 0 {
            given.py().check_signals()?;
        }
        let key = key?;
        all.push(keys::with_given(&key, |given| rule.order(given))?)?;
    }
    Ok(all)
}

#[pymethods]
impl RangeFilter {
    #[new]
    #[pyo3(signature = (keys, span, fpr=0.01, *, rule=None, key=None, seed=None))]
    fn new(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        span: u64,
        fpr: f64,
        rule: Option<&Bound<'_, PyAny>>,
        key: Option<&[u8]>,
        seed: Option<u64>,
    ) -> Result<RangeFilter, Failure> {
        if keys::is_single(keys) {
            let name = type_name(keys);
            return Err(Failure::wrong_type(format!("{name} is one key; give a list of keys")));
        }
        let seed = settings::seed(key, seed)?;
        let recipe = settings::recipe(rule)?;
        let int = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
        let recipe = recipe.unwrap_or(Recipe { rule: int, ..Recipe::default() });
        let keys = collect(keys, &recipe.rule)?;
        let mut filter = py.detach(|| Range::from_keys(keys, span, fpr, seed))?;
        filter.set_recipe(Some(recipe));
        Ok(RangeFilter(filter))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        let rule = self.0.rule();
        let order = keys::with_given(key, |given| rule.order(given))?;
        let on_scale = self.0.scale().clamped(order, order);
        Ok(on_scale.is_some_and(|(key, _)| self.0.contains(key)))
    }

    /// Whether any key from `first` to `last`, both included, may be in it. False is certain.
    ///
    /// A date as a bound is all its day, and `192.0.2.0/24` all addresses of the network.
    ///
    /// >>> import anther
    /// >>> logins = anther.RangeFilter(["2026-11-17T08:30:00Z"], span=3_600_000_000_000, rule="time")
    /// >>> logins.contains_between("2026-11-17", "2026-11-17")
    /// True
    #[pyo3(signature = (first, last, /))]
    fn contains_between(
        &self,
        first: &Bound<'_, PyAny>,
        last: &Bound<'_, PyAny>,
    ) -> Result<bool, Failure> {
        let rule = self.0.rule();
        let (first, _) = keys::with_given(first, |given| rule.order_of_bound(given))?;
        let (_, last) = keys::with_given(last, |given| rule.order_of_bound(given))?;
        if first > last {
            return Err(BoundsError::Reversed.into());
        }
        match self.0.scale().clamped(first, last) {
            Some((first, last)) => Ok(self.0.contains_any(first..=last)?),
            None => Ok(false),
        }
    }

    /// The highest false-positive rate of ranges of this length.
    #[pyo3(signature = (length, /))]
    fn fpr(&self, length: u64) -> f64 {
        self.0.fpr(length)
    }

    /// Distinct keys.
    #[getter]
    fn keys(&self) -> u64 {
        self.0.profile().keys
    }

    /// The longest range that its false-positive rate is for.
    #[getter]
    fn span(&self) -> u64 {
        self.0.span()
    }

    /// Bits in memory.
    #[getter]
    fn bits(&self) -> u64 {
        self.0.profile().bits
    }

    /// What its keys are.
    #[getter]
    fn rule(&self) -> Rule {
        self.0.rule().into()
    }

    /// Saves the filter to a file, atomically. A secret key is not in it.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failure> {
        let lock = save::lock(py, &path)?;
        py.detach(|| save::file(&self.0, &path, lock))
    }

    /// Opens a filter and verifies every byte.
    #[classmethod]
    #[pyo3(signature = (path, key=None))]
    fn open(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        key: Option<&[u8]>,
    ) -> Result<RangeFilter, Failure> {
        let how = how(key)?;
        let opened = py.detach(|| how.file(&path));
        Ok(RangeFilter(opened.map_err(|error| Failure::of_file(error, &path))?))
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        let bytes = py.detach(|| save::bytes(&self.0))?;
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
    ) -> Result<RangeFilter, Failure> {
        let data = save::from_python(data)?;
        let (how, bytes) = (how(key)?, data.as_bytes());
        Ok(RangeFilter(py.detach(|| how.bytes(bytes))?))
    }

    fn __repr__(&self) -> String {
        let profile = self.0.profile();
        format!(
            "<anther.RangeFilter of {} keys: span={}, fpr={}, rule={}>",
            profile.keys,
            profile.span,
            profile.target,
            self.0.rule()
        )
    }
}

impl From<RangeError> for Failure {
    fn from(error: RangeError) -> Failure {
        match error {
            RangeError::OutOfMemory(error) => error.into(),
            other => Failure::ours(Class::Build, other.to_string()),
        }
    }
}

impl From<BoundsError> for Failure {
    fn from(error: BoundsError) -> Failure {
        match error {
            BoundsError::Key(error) => error.into(),
            other => Failure::wrong_value(other.to_string()),
        }
    }
}
