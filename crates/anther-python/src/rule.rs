//! What the keys of a filter are.

use crate::error::Failure;
use anther::recipe::{KeyForm, KeyRule};
use pyo3::prelude::*;

/// What the keys of a filter are: the rule that makes one key of its spellings. It is stored in the
/// file, and applied to every key, here and in all other programs.
///
/// `form` is `"text"`, `"hex"`, `"int"`, `"domain"`, `"email"`, `"url"`, `"time"`, `"ip"`, or a type
/// of other systems: `"int32"`, `"int64"`, `"float"`, `"double"`, `"utf16"` or `"uuid"`. `trim` drops
/// white space around the key, `ignore_case` makes A to Z a to z, and `parts` is the number of parts
/// of keys that are tuples.
///
/// >>> import anther
/// >>> hosts = anther.Filter(1000, rule=anther.Rule("domain"))
/// >>> hosts.add("Example.ORG.")
/// True
/// >>> "example.org" in hosts
/// True
/// >>> 42 in hosts
/// Traceback (most recent call last):
/// anther._errors.KeyTypeError: an integer cannot be looked up in a filter whose keys are domain; give text
#[pyclass(frozen, eq, hash, module = "anther", name = "Rule")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// What a key is a spelling of.
    #[pyo3(get)]
    form: &'static str,
    /// Whether white space around the key is dropped.
    #[pyo3(get)]
    trim: bool,
    /// Whether A to Z become a to z.
    #[pyo3(get)]
    ignore_case: bool,
    /// The number of parts of a key.
    #[pyo3(get)]
    parts: u8,
}

impl Rule {
    /// The rule of a form, with nothing else.
    pub fn of_form(form: &str) -> Result<Rule, Failure> {
        match KeyForm::ALL.iter().find(|known| known.name() == form) {
            Some(form) => Ok(KeyRule { form: *form, ..KeyRule::default() }.into()),
            None => {
                let names: Vec<&str> = KeyForm::ALL.iter().map(|form| form.name()).collect();
                Err(Failure::wrong_value(format!(
                    "{form:?} is not a form of keys; forms: {}",
                    names.join(", ")
                )))
            }
        }
    }
}

impl From<KeyRule> for Rule {
    fn from(rule: KeyRule) -> Rule {
        let KeyRule { form, trim, ignore_case, parts } = rule;
        Rule { form: form.name(), trim, ignore_case, parts }
    }
}

impl From<Rule> for KeyRule {
    fn from(rule: Rule) -> KeyRule {
        let form = KeyForm::ALL.into_iter().find(|form| form.name() == rule.form);
        KeyRule {
            form: form.unwrap_or_default(),
            trim: rule.trim,
            ignore_case: rule.ignore_case,
            parts: rule.parts,
        }
    }
}

/// What a rule is made of, for pickle.
type Parts = (&'static str, bool, bool, u8);

#[pymethods]
impl Rule {
    #[new]
    #[pyo3(signature = (form="text", *, trim=false, ignore_case=false, parts=1))]
    fn new(form: &str, trim: bool, ignore_case: bool, parts: u8) -> Result<Rule, Failure> {
        if parts == 0 {
            return Err(Failure::wrong_value("a key has 1 to 255 parts, not 0"));
        }
        Ok(Rule { trim, ignore_case, parts, ..Rule::of_form(form)? })
    }

    fn __repr__(&self) -> String {
        let mut text = format!("Rule({:?}", self.form);
        for (name, on) in [("trim", self.trim), ("ignore_case", self.ignore_case)] {
            if on {
                text += &format!(", {name}=True");
            }
        }
        if self.parts > 1 {
            text += &format!(", parts={}", self.parts);
        }
        text + ")"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let rule = slf.get();
        let make = slf.get_type().getattr("_of")?;
        Ok((make, (rule.form, rule.trim, rule.ignore_case, rule.parts)))
    }

    /// For pickle, which passes no keywords.
    #[staticmethod]
    fn _of(form: &str, trim: bool, ignore_case: bool, parts: u8) -> Result<Rule, Failure> {
        Rule::new(form, trim, ignore_case, parts)
    }
}
