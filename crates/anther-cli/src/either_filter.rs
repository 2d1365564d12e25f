//! A filter of ours or of another system, and how keys are looked up in it.

use crate::exit::Stop;
use crate::output::shown;
use crate::recipe_args::RecipeArgs;
use anther::foreign::parquet::{Column, Logical};
use anther::foreign::{ForeignFilter, System};
use anther::recipe::{KeyForm, KeyRule, Recipe, RuledKey};
use anther::{AnyFilter, Filter, KeyError, KeyHash, Seed};
use anther_records::extract::Extraction;
use std::path::Path;

/// A filter that keys are looked up in.
pub enum EitherFilter {
    /// Ours.
    Own(Box<AnyFilter>),
    /// Another system's.
    Foreign(ForeignFilter),
}

impl EitherFilter {
    /// How keys are hashed for it. Another system hashes the bytes itself; then this is only what
    /// the program knows keys by.
    pub fn seed(&self) -> Seed {
        match self {
            EitherFilter::Own(filter) => *filter.seed(),
            EitherFilter::Foreign(_) => Seed::FIXED,
        }
    }

    /// How its keys are read, if its file says so.
    pub fn recipe(&self) -> Option<&Recipe> {
        match self {
            EitherFilter::Own(filter) => filter.about().recipe.as_ref(),
            EitherFilter::Foreign(_) => None,
        }
    }

    /// How keys are read for it, with these options.
    pub fn extraction(&self, path: &Path, options: &RecipeArgs) -> Result<Extraction, Stop> {
        match self {
            EitherFilter::Own(_) => options.extraction_for(shown(path), self.recipe()),
            EitherFilter::Foreign(filter) => {
                let mut how = options.extraction_of(default_form(filter))?;
                check_rule(filter, &how.rule)?;
                if let ForeignFilter::Parquet(parquet) = filter
                    && let Some(column) = parquet.column()
                {
                    check_form(path, column, options.form())?;
                    let is_integer = matches!(how.rule.form, KeyForm::Int32 | KeyForm::Int64);
                    let stands = Some(column.logical).filter(|it| it.integers().is_some());
                    how.stored = stands.filter(|_| is_integer);
                }
                Ok(how)
            }
        }
    }

    /// Whether it is another system's.
    pub fn is_foreign(&self) -> bool {
        matches!(self, EitherFilter::Foreign(_))
    }

    /// Looks up keys, which have these hashes. Only another system's filter needs the keys
    /// themselves.
    pub fn contains_keys<'k>(
        &self,
        rule: &KeyRule,
        hashes: &[KeyHash],
        key: impl Fn(usize) -> &'k [u8],
    ) -> Vec<bool> {
        let mut found = vec![false; hashes.len()];
        match self {
            EitherFilter::Own(filter) => filter.contains_hashes(hashes, &mut found),
            EitherFilter::Foreign(filter) => {
                let mut bytes = Vec::new();
                for (at, found) in found.iter_mut().enumerate() {
                    *found = contains(filter, rule, key(at), &mut bytes);
                }
            }
        }
        found
    }

    /// Of a Parquet file: the row groups that each key may be in, if it was found.
    pub fn row_groups<'k>(
        &self,
        rule: &KeyRule,
        found: &[bool],
        key: impl Fn(usize) -> &'k [u8],
    ) -> Option<Vec<Box<[usize]>>> {
        let EitherFilter::Foreign(filter @ ForeignFilter::Parquet(parquet)) = self else {
            return None;
        };
        parquet.column()?;
        let mut bytes = Vec::new();
        let mut groups = |(at, found): (usize, &bool)| match *found
            && encode_key(filter, rule, key(at), &mut bytes).is_ok()
        {
            true => parquet.row_groups_with(&bytes).into(),
            false => Box::default(),
        };
        Some(found.iter().enumerate().map(&mut groups).collect())
    }
}

/// Whether another system's filter has a key, which went through this rule. `bytes` is scratch.
fn contains(filter: &ForeignFilter, rule: &KeyRule, key: &[u8], bytes: &mut Vec<u8>) -> bool {
    // What the system cannot spell is no key of it.
    encode_key(filter, rule, key, bytes).is_ok() && filter.contains(bytes)
}

/// The bytes that a system hashes for a key, which went through this rule.
pub fn encode_key(
    filter: &ForeignFilter,
    rule: &KeyRule,
    key: &[u8],
    bytes: &mut Vec<u8>,
) -> Result<(), KeyError> {
    filter.encode(rule, ruled(rule, key), bytes)
}

/// A key from its bytes. Rules that make integers are refused for these filters.
fn ruled<'k>(rule: &KeyRule, key: &'k [u8]) -> RuledKey<'k> {
    if rule.parts > 1 { RuledKey::Tuple(key) } else { RuledKey::Bytes(key) }
}

/// What keys are, unless the options say so.
fn default_form(filter: &ForeignFilter) -> KeyForm {
    match filter {
        ForeignFilter::Parquet(filter) => filter.column().map_or(KeyForm::Text, |it| it.form),
        _ => KeyForm::Text,
    }
}

/// Refuses keys that are surely no values of a Parquet column: they would all be answered with no.
pub fn check_form(path: &Path, column: &Column, given: Option<KeyForm>) -> Result<(), Stop> {
    let Column { name, physical, logical, form, .. } = column;
    let of = match logical {
        Logical::Plain => physical.name().to_string(),
        logical => format!("{} ({logical})", physical.name()),
    };
    let cause = match given {
        None if !column.takes_text() => {
            format!("column {name} is {of}, which has no keys as text; give their bytes: --as hex")
        }
        Some(given) if !column.takes(given) => {
            let (given, form) = (given.name(), form.name());
            format!(
                "column {name} is {of}, so --as {given} finds nothing in it; its keys are {form}, or \
                 bytes with --as hex"
            )
        }
        _ => return Ok(()),
    };
    Err(Stop::about(shown(path), cause))
}

/// Refuses rules whose keys the system does not hash.
pub fn check_rule(filter: &ForeignFilter, rule: &KeyRule) -> Result<(), Stop> {
    let system = filter.system();
    let is_text = matches!(system, System::Dcso | System::RedisBloom | System::Squid);
    let refused = |cause: String| {
        let option = format!("--as {}", rule.form.name());
        Err(Stop::about(option, cause))
    };
    match rule.form {
        KeyForm::Int | KeyForm::Time | KeyForm::Ip if is_text => {
            return refused(format!("keys of {system} are text, numbers too; leave it out"));
        }
        KeyForm::Int if system == System::Spark => {
            return refused(format!("{system} makes 64 bits of every integer; use --as int64"));
        }
        KeyForm::Int => {
            return refused(format!(
                "{system} hashes the bytes of an integer; name the width: --as int32 or --as int64"
            ));
        }
        KeyForm::Time | KeyForm::Ip => {
            return refused(format!(
                "{system} has no such keys; write them as {system} is asked for them, as text or as an \
                 integer, and use --as text, int32 or int64"
            ));
        }
        KeyForm::Float | KeyForm::Double if system == System::Spark => {
            return refused(format!("filters of {system} take no floats, but integers and text"));
        }
        _ => {}
    }
    if rule.parts > 1 && system != System::Cassandra {
        let cause = format!("a key of {system} is one column; name one");
        return Err(Stop::about("--column", cause));
    }
    Ok(())
}
