//! `api/look`: replays what a visitor did to small filters, and tells one step of it.
//!
//! The page sends the whole history with every request, and the library's own filters replay it: a few
//! microseconds, and no state on the server.

use super::why::why;
use crate::Error;
use crate::draw::scene::Step;
use crate::draw::{Act, Audience, Detail, Headline, Made, Numbers, Reason, Worked, named_number};
use crate::page::api;
use anther::{Kind, Options, Seed, units};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::IntErrorKind;

/// The most kinds side by side: more are too narrow to read.
const MOST_KINDS: usize = 4;
/// The most acts of a history. Each is replayed for every request, and a static filter built again.
const MOST_ACTS: usize = 300;
/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;

/// What the cells of a cascade are.
const CASCADE: &str = "A filter of the keys, and a map that tells them from the keys of the second \
    list. A key's slots xored together are its fingerprint in both.";

/// What happened to which filters, and the step to tell.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct History {
    /// The kinds, side by side.
    pub kinds: Vec<String>,
    /// The number of keys that the filters are made for, as people write it.
    pub items: String,
    /// The false-positive rate, as people write it.
    pub fpr: String,
    /// The seed of the hash.
    pub seed: u64,
    /// Options of kinds by name. A kind takes those that it has.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What happened, in order.
    pub acts: Vec<Done>,
    /// The second list of a cascade.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// A worked example in the place of the kinds' own hashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worked: Option<Formulas>,
    /// The step to tell, from 0 for the empty filter. Beyond the last, it is the last.
    pub at: usize,
}

/// An act of the visitor.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// A key was inserted; key=value for kinds with values.
    Insert(String),
    /// A key was looked up.
    Query(String),
    /// A key was removed.
    Remove(String),
}

/// The hash functions of a worked example.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Formulas {
    /// How many cells there are.
    pub bits: u64,
    /// The hash functions, such as 2x+3.
    pub hashes: Vec<String>,
}

/// What there is to see, for each kind.
#[derive(Serialize)]
struct Seen {
    views: Vec<View>,
}

/// A filter at a step, or why it cannot be shown.
#[derive(Serialize)]
struct View {
    kind: &'static str,
    purpose: &'static str,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Told(Box<Told>),
    Failed { error: String },
}

#[derive(Serialize)]
struct Told {
    title: String,
    about: String,
    steps: Vec<Headline>,
    at: usize,
    step: Step,
    /// The hash of its key, in hexadecimal.
    hash: Option<String>,
    verdict: Option<&'static str>,
    rejected: bool,
    why: Option<String>,
    reasons: Vec<Reason>,
    facts: Vec<(&'static str, String)>,
}

/// Answers a request.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&seen(&api::read(body)?)?)
}

fn seen(history: &History) -> Result<Seen, Error> {
    if history.acts.len() > MOST_ACTS {
        let cause = format!("at most {MOST_ACTS} steps are replayed; start again");
        return Err(Error::about(format_args!("{} steps", history.acts.len()), cause));
    }
    let mut keys = history.acts.iter().map(Done::key).chain(&history.others);
    if let Some(long) = keys.find(|key| key.len() > LONGEST_KEY) {
        let cause = format!("at most {LONGEST_KEY} are drawn; use a shorter key");
        return Err(Error::about(format_args!("a key of {} bytes", long.len()), cause));
    }
    if history.kinds.is_empty() || history.kinds.len() > MOST_KINDS {
        let cause = format!("1 to {MOST_KINDS} are drawn side by side");
        return Err(Error::about(format_args!("{} kinds", history.kinds.len()), cause));
    }
    let views = history.kinds.iter().map(|name| {
        let kind = find_kind(name)?;
        let outcome = match history.detail(kind) {
            Ok(detail) => Outcome::Told(Box::new(Told::of(kind, detail, history))),
            Err(error) => Outcome::Failed { error: error.to_string() },
        };
        Ok(View { kind: kind.name(), purpose: kind.purpose(), outcome })
    });
    Ok(Seen { views: views.collect::<Result<_, Error>>()? })
}

/// The kind of this name.
pub fn find_kind(name: &str) -> Result<Kind, Error> {
    Kind::from_name(name).ok_or_else(|| Error::about(name, "no such kind; choose one of the list"))
}

/// A number of keys as people write it.
pub fn parse_items(text: &str, most: u64) -> Result<u64, Error> {
    let items = units::parse_count(text).map_err(|cause| Error::about(quoted(text), cause))?;
    match (1..=most).contains(&items) {
        true => Ok(items),
        false => {
            let cause = format!("must be 1 to {} keys", units::count(most));
            Err(Error::about(units::count(items), cause))
        }
    }
}

/// A false-positive rate as people write it.
pub fn parse_rate(text: &str) -> Result<f64, Error> {
    units::parse_rate(text).map_err(|cause| Error::about(quoted(text), cause))
}

fn quoted(text: &str) -> String {
    match text.is_empty() {
        true => "nothing".to_string(),
        false => format!("“{}”", shown(text.as_bytes())),
    }
}

/// A key as it is shown: on one line, and never nothing.
fn shown(key: &[u8]) -> String {
    match String::from_utf8_lossy(key) {
        text if text.is_empty() => "\"\"".to_string(),
        text => text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect(),
    }
}

impl Done {
    fn key(&self) -> &String {
        let (Done::Insert(key) | Done::Query(key) | Done::Remove(key)) = self;
        key
    }
}

impl History {
    fn detail(&self, kind: Kind) -> Result<Detail, Error> {
        if let Some(formulas) = &self.worked {
            return self.worked(kind, formulas)?.detail(self.at);
        }
        // A scene may have no more cells than this, and every key takes at least one.
        let items = parse_items(&self.items, crate::draw::MOST_CELLS)?;
        let made = Made {
            kind,
            options: self.options_of(kind)?,
            items: Some(items),
            fpr: parse_rate(&self.fpr)?,
            seed: Seed::chosen(self.seed),
            acts: &self.acts_of(kind),
            others: Some(&self.others),
            audience: Audience::Page,
            shown,
        };
        made.detail(self.at)
    }

    /// The options that the kind has.
    fn options_of(&self, kind: Kind) -> Result<Options, Error> {
        let mut options = Options::new();
        for (name, text) in self.options.iter().filter(|(_, text)| !text.trim().is_empty()) {
            let known = Options::TABLE.iter().find(|option| option.name == name);
            let known = known.ok_or_else(|| Error::about(name, "no such option"))?;
            if !kind.options().contains(&known.name) {
                continue;
            }
            let value = known.parse(text.trim()).map_err(|cause| Error::about(name, cause))?;
            options = options
                .with(name, value)
                .ok_or_else(|| Error::about(name, "not a value of this option"))?;
        }
        Ok(options)
    }

    /// The acts for a kind. If one of the kinds has values, the others get the keys without them, and
    /// keys without a value are numbered.
    fn acts_of(&self, kind: Kind) -> Vec<Act<String>> {
        let has_values =
            |name: &String| Kind::from_name(name).is_some_and(|kind| kind.capabilities().values);
        let some_have = self.kinds.iter().any(has_values);
        let mut number = 0;
        let key = |text: &String| match text.rsplit_once('=') {
            Some((key, value)) if some_have && value.parse::<u64>().is_ok() => key.to_string(),
            _ => text.clone(),
        };
        let mut act = |done: &Done| match done {
            Done::Insert(text) => {
                number += 1;
                let key = key(text);
                Act::Insert(match kind.capabilities().values {
                    true if key == *text => format!("{key}={number}"),
                    true => text.clone(),
                    false => key,
                })
            }
            Done::Query(text) => Act::Query(key(text)),
            Done::Remove(text) => Act::Remove(key(text)),
        };
        self.acts.iter().map(&mut act).collect()
    }

    fn worked(&self, kind: Kind, formulas: &Formulas) -> Result<Worked, Error> {
        let counting = match kind {
            Kind::Classic => false,
            Kind::Counting => true,
            _ => {
                let cause = "hash functions as formulas are for classic and counting; choose \
                             the kind's own hash to see this kind";
                return Err(Error::about(kind, cause));
            }
        };
        let parse = |text: &String| text.parse().map_err(|error| Error::about(quoted(text), error));
        let mut names = BTreeMap::new();
        let mut number = |text: &str| {
            let (name, number) = named_number(text).map_err(|error| {
                let cause = match error.kind() {
                    IntErrorKind::PosOverflow => "too large; keys are below 2^64 here",
                    _ => "with formulas, keys are whole numbers, such as 12",
                };
                Error::about(quoted(text), cause)
            })?;
            if let Some(name) = name {
                names.insert(number, shown(name.as_bytes()));
            }
            Ok(number)
        };
        let mut acts = Vec::new();
        for done in &self.acts {
            acts.push(match done {
                Done::Insert(key) => Act::Insert(number(key)?),
                Done::Query(key) => Act::Query(number(key)?),
                Done::Remove(key) => Act::Remove(number(key)?),
            });
        }
        Ok(Worked {
            counting,
            bits: formulas.bits,
            hashes: formulas.hashes.iter().map(parse).collect::<Result<_, _>>()?,
            acts,
            names,
            together: false,
            audience: Audience::Page,
        })
    }
}

impl Told {
    fn of(kind: Kind, detail: Detail, history: &History) -> Told {
        let Detail { title, about, all, step, hash, reasons, numbers } = detail;
        Told {
            title,
            about: match kind {
                // In a drawing of the program, the second list are the keys that are looked up.
                Kind::Cascade => CASCADE.to_string(),
                _ => about,
            },
            at: history.at.min(all.len().saturating_sub(1)),
            steps: all,
            hash: hash.map(|hash| format!("{:016x}", hash.0)),
            verdict: step.verdict(),
            rejected: step.is_rejected(),
            why: why(kind, &step, &reasons),
            reasons,
            facts: facts(kind, &numbers, history.worked.is_some()),
            step,
        }
    }
}

/// The filter in numbers, by name.
fn facts(kind: Kind, numbers: &Numbers, is_worked: bool) -> Vec<(&'static str, String)> {
    let profile = &numbers.profile;
    let keys = match profile.target.filter(|_| kind.capabilities().insert) {
        Some(target) => format!("{}, made for {}", units::count(numbers.keys), target.items()),
        None => units::count(numbers.keys),
    };
    let mut facts = vec![("keys", keys), ("size", format!("{} bits", units::count(profile.bits)))];
    if kind.capabilities().insert {
        facts.push(("cells in use", units::rate(profile.fill)));
    }
    if profile.stuck > 0 {
        let stuck = units::count(profile.stuck);
        facts.push(("counters at maximum", format!("{stuck}; removing keys does not lower them")));
    }
    if numbers.forgotten > 0 {
        let (gone, keys) = (units::count(numbers.forgotten), units::count(numbers.keys));
        facts.push(("forgotten", format!("{gone} of {keys} keys")));
    }
    // Formulas such as 2x+3 do not spread keys as a hash does, so no rate is predicted for them.
    if !is_worked {
        facts.push(("predicted FPR", units::rate(profile.fpr_now)));
    }
    let what = if is_worked { "other numbers" } else { "absent keys" };
    let (matched, asked) = (units::count(numbers.matched), units::count(numbers.asked));
    let measured = units::rate(numbers.measured());
    facts.push(("measured FPR", format!("{measured}: {matched} of {asked} {what} match")));
    facts
}

#[cfg(test)]
mod tests;
