//! Arguments with which filters are made: kinds, options, seeds, rules.

use crate::error::{Class, Failure};
use crate::keys::type_name;
use crate::rule::Rule;
use anther::{Kind, OptionForm, OptionValue, Options, Recipe, Seed};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use std::str::FromStr;

/// A kind by its name.
pub fn kind(name: &str) -> Result<Kind, Failure> {
    Kind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        Failure::ours(Class::Size, format!("{name:?} is not a kind; kinds: {}", names.join(", ")))
    })
}

/// A number of items: an integer, or a float without a fraction such as 1e6.
pub fn items(number: &Bound<'_, PyAny>) -> Result<u64, Failure> {
    if let Ok(items) = number.extract::<u64>() {
        return Ok(items);
    }
    if let Ok(items) = number.extract::<f64>() {
        if items.fract() == 0.0 && (0.0..1e19).contains(&items) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and in range"
            )]
            return Ok(items as u64);
        }
        let text = number.repr()?;
        return Err(Failure::ours(
            Class::Size,
            format!("{text} items are not possible; the number must be 1 to 281,474,976,710,656"),
        ));
    }
    if number.cast::<PyInt>().is_ok() {
        // Beyond a float, and maybe beyond what Python writes.
        return Err(Failure::ours(
            Class::Size,
            "this many items are not possible; the number must be 1 to 281,474,976,710,656",
        ));
    }
    Err(Failure::wrong_type(format!("items must be an int, not {}", type_name(number))))
}

/// A secret key.
pub fn secret_key(key: &[u8]) -> Result<[u8; 16], Failure> {
    key.try_into().map_err(|_| {
        Failure::wrong_value(format!(
            "a secret key has 16 bytes, not {}; secrets.token_bytes(16) makes one",
            key.len()
        ))
    })
}

/// How keys are hashed.
pub fn seed(key: Option<&[u8]>, seed: Option<u64>) -> Result<Seed, Failure> {
    match (key, seed) {
        (None, None) => Ok(Seed::FIXED),
        (None, Some(seed)) => Ok(Seed::chosen(seed)),
        (Some(key), None) => Ok(Seed::keyed(secret_key(key)?)),
        (Some(_), Some(_)) => Err(Failure::wrong_value(
            "a filter has a secret key or a seed, not both; leave one out",
        )),
    }
}

/// What the keys are: a rule, or the name of its form.
pub fn recipe(rule: Option<&Bound<'_, PyAny>>) -> Result<Option<Recipe>, Failure> {
    let Some(rule) = rule else { return Ok(None) };
    let rule = match rule.cast::<Rule>() {
        Ok(rule) => rule.get().clone(),
        Err(_) => match rule.extract::<&str>() {
            Ok(form) => Rule::of_form(form)?,
            Err(_) => {
                return Err(Failure::wrong_type(format!(
                    "rule must be an anther.Rule or the name of a form, not {}",
                    type_name(rule)
                )));
            }
        },
    };
    Ok(Some(Recipe { rule: rule.into(), ..Recipe::default() }))
}

/// Options of a kind, by their names with _ for -.
pub fn options(kind: Kind, given: Option<&Bound<'_, PyDict>>) -> Result<Options, Failure> {
    let mut options = Options::new();
    let Some(given) = given else { return Ok(options) };
    for (name, value) in given {
        let name: String = name.extract()?;
        let flag = name.replace('_', "-");
        let Some(info) = Options::TABLE.iter().find(|info| info.name == flag) else {
            let known: Vec<String> =
                kind.options().iter().map(|option| option.replace('-', "_")).collect();
            let known = match known.is_empty() {
                true => "it has none".to_string(),
                false => format!("it has {}", known.join(", ")),
            };
            return Err(Failure::wrong_type(format!(
                "{name} is no option of kind {kind}; {known}"
            )));
        };
        let of_type = |what: &str| {
            Failure::wrong_type(format!("{name} must be {what}, not {}", type_name(&value)))
        };
        let value = match info.form {
            OptionForm::Small | OptionForm::Count => {
                OptionValue::Whole(value.extract().map_err(|_| of_type("an int, 0 or more"))?)
            }
            OptionForm::Rate | OptionForm::Number => {
                OptionValue::Real(value.extract().map_err(|_| of_type("a number"))?)
            }
            OptionForm::Increments => OptionValue::Increments(named(&name, &value)?),
            OptionForm::Method => OptionValue::Method(named(&name, &value)?),
            OptionForm::Kind => {
                OptionValue::Kind(self::kind(value.extract().map_err(|_| of_type("a str"))?)?)
            }
            _ => return Err(of_type("a value that this release knows")),
        };
        options = options.with(info.name, value).ok_or_else(|| {
            Failure::ours(Class::Size, format!("{name} cannot be {value}; it is out of range"))
        })?;
    }
    options.check(kind)?;
    Ok(options)
}

/// Values of keys: integers of at most 64 bits.
pub fn values(given: &Bound<'_, PyAny>) -> Result<Vec<u64>, Failure> {
    let mut values = Vec::new();
    for value in given.try_iter()? {
        let value = value?;
        values.push(value.extract().map_err(|_| match value.repr() {
            Ok(shown) => Failure::wrong_value(format!(
                "the value {shown} is not possible; a value is an int from 0 to 2**64 - 1"
            )),
            Err(error) => error.into(),
        })?);
    }
    Ok(values)
}

fn named<T: FromStr>(name: &str, value: &Bound<'_, PyAny>) -> Result<T, Failure>
where
    T::Err: std::fmt::Display,
{
    let text: &str = value.extract().map_err(|_| {
        Failure::wrong_type(format!("{name} must be a str, not {}", type_name(value)))
    })?;
    text.parse().map_err(|error| Failure::ours(Class::Size, format!("{name}: {error}")))
}
