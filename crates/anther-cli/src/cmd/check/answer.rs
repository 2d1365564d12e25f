//! The filters that keys are looked up in, and their answers.

use super::Args;
use super::confirm::Hits;
use crate::exit::Stop;
use crate::extract::Extraction;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use crate::units;
use anther::{AnyFilter, Filter, KeyHash, Seed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How much of a key a message shows.
const SHOWN: usize = 100;

/// The filters that keys are looked up in. Their keys have one rule, but may have several seeds.
#[derive(Clone, Default)]
pub struct Filters {
    filters: Vec<Named>,
    /// How keys are read.
    pub how: Extraction,
    /// The same for the list that the first filter was built from.
    built: Extraction,
    /// The distinct seeds of the filters.
    pub seeds: Vec<Seed>,
}

#[derive(Clone)]
struct Named {
    name: String,
    filter: Arc<AnyFilter>,
    /// The index of its seed.
    seed: usize,
}

/// The answers for a batch of keys.
pub struct Answers {
    /// Of each filter, for each key.
    found: Vec<Vec<bool>>,
    /// Whether some filter says maybe, if there are several.
    any: Vec<bool>,
    /// With `--confirm`: whether each key is in the list.
    pub listed: Vec<bool>,
}

impl Answers {
    fn new(found: Vec<Vec<bool>>) -> Answers {
        let any = match &found[..] {
            [] | [_] => Vec::new(),
            [first, ..] => (0..first.len()).map(|at| found.iter().any(|one| one[at])).collect(),
        };
        Answers { found, any, listed: Vec::new() }
    }

    /// Whether some filter says maybe, for each key.
    pub fn any(&self) -> &[bool] {
        match &self.found[..] {
            [one] => one,
            _ => &self.any,
        }
    }

    /// The final answers: the list's if there is one, otherwise the filters'.
    pub fn yes(&self) -> &[bool] {
        if self.listed.is_empty() { self.any() } else { &self.listed }
    }
}

impl Filters {
    /// Adds a filter, with how its keys are taken from inputs. The first filter's way counts.
    pub fn add(&mut self, path: &Path, filter: AnyFilter, how: Extraction) -> Result<(), Stop> {
        if self.filters.is_empty() {
            let place = filter.about().recipe.as_ref().map_or(&how.place, |recipe| &recipe.place);
            self.built = Extraction { place: place.clone(), ..how.clone() };
            self.how = how;
        } else if self.how.rule != how.rule {
            let cause = format!(
                "its keys are {}, but those of {} are {}; check them one by one",
                how.rule, self.filters[0].name, self.how.rule
            );
            return Err(Stop::about(output::shown(path), cause));
        }
        let known = self.seeds.iter().position(|seed| seed == filter.seed());
        let seed = known.unwrap_or_else(|| {
            self.seeds.push(*filter.seed());
            self.seeds.len() - 1
        });
        let name = output::shown(path).to_string();
        self.filters.push(Named { name, filter: Arc::new(filter), seed });
        Ok(())
    }

    /// The same filters with another one at this position. Keys have been hashed for the old one.
    pub fn replaced(&self, at: usize, filter: AnyFilter) -> Result<Filters, Stop> {
        let mut all = self.clone();
        let one = &mut all.filters[at];
        let stop = |cause| Err(Stop::about(&one.name, format_args!("{cause}; start check again")));
        let rule = filter.about().rule().unwrap_or(self.how.rule);
        if self.how.rule != rule {
            let old = self.how.rule;
            return stop(format!(
                "the keys of the new filter are {rule}, those of the old one {old}"
            ));
        }
        if self.seeds[one.seed] != *filter.seed() {
            return stop("the new filter has another seed than the old one".to_string());
        }
        one.filter = Arc::new(filter);
        Ok(all)
    }

    /// Reads keys by the filters' rule.
    pub fn reading<'a>(&'a self, sources: &'a [Input]) -> Reading<'a> {
        Reading { sources, how: &self.how, seed: self.seeds[0] }
    }

    /// Reads keys of the list that the filter was built from, as it was read then.
    pub fn reading_built<'a>(&'a self, lists: &'a [Input]) -> Reading<'a> {
        Reading { sources: lists, how: &self.built, seed: self.seeds[0] }
    }

    /// The answers of all filters for keys that were hashed with each seed.
    pub fn answers(&self, hashes: &[Vec<KeyHash>]) -> Answers {
        let answers = |one: &Named| {
            let hashes = &hashes[one.seed];
            let mut found = vec![false; hashes.len()];
            one.filter.contains_hashes(hashes, &mut found);
            found
        };
        Answers::new(self.filters.iter().map(answers).collect())
    }

    /// The keys of an input to which the filter says maybe.
    pub fn hits(&self, sources: &[Input]) -> Result<Hits, Stop> {
        let mut hits = Hits::default();
        self.reading(sources).each_part(
            &self.seeds,
            true,
            |part| {
                let (answers, hashes) = (self.answers(part.hashes), &part.hashes[0]);
                let maybe = (0..hashes.len()).filter(|at| answers.any()[*at]);
                let hit = |at| (hashes[at], Box::<[u8]>::from(part.key(at)));
                maybe.map(hit).collect::<Vec<_>>()
            },
            |_, found| {
                found.iter().try_for_each(|(hash, key)| hits.add(*hash, key))?;
                Ok(ON)
            },
        )?;
        Ok(hits)
    }

    /// Checks that all keys of these inputs are found, for `--expect`.
    pub fn expect(&self, sources: &[Input]) -> Result<(), Stop> {
        let (mut missing, mut first) = (0_u64, None);
        let all = self.reading(sources).each_part(
            &self.seeds,
            false,
            |part| {
                let answers = self.answers(part.hashes);
                let missing = (0..part.hashes[0].len()).filter(|at| !answers.any()[*at]);
                missing.collect::<Vec<_>>()
            },
            |keyed, not_found| {
                missing += not_found.len() as u64;
                if first.is_none()
                    && let Some(at) = not_found.first()
                {
                    let record = keyed.records.clone().nth(*at).unwrap_or_default();
                    let record = self.how.without_end(record);
                    let shown = String::from_utf8_lossy(&record[..record.len().min(SHOWN)]);
                    let number = keyed.records.line(*at);
                    let name = self.how.record_name();
                    first = Some(format!("{}: {name} {number} ({shown})", keyed.source.name()));
                }
                Ok(ON)
            },
        )?;
        let names = || sources.iter().map(Input::name).collect::<Vec<_>>().join(", ");
        match first {
            None if all.keys == 0 => {
                Err(Stop::about(names(), "has no keys to expect; name a list that has some"))
            }
            None => Ok(()),
            Some(first) => Err(Stop::Error(format!(
                "{first} was expected, but is not in {}; {} of {} expected keys are missing. The \
                 filter may be of another list, or read keys in another format or letter case; \
                 anther info tells. Nothing was looked up",
                self.filters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", "),
                units::count(missing),
                units::count(all.keys),
            ))),
        }
    }

    /// The names of the filters that say maybe to the key at this position.
    fn names<'a>(&'a self, answers: &'a Answers, at: usize) -> impl Iterator<Item = &'a str> {
        let filters = self.filters.iter().zip(&answers.found);
        filters.filter(move |(_, found)| found[at]).map(|(one, _)| one.name.as_str())
    }
}

/// What an answer is about.
pub enum Queried<'a> {
    /// A key of the command line.
    Key(&'a [u8]),
    /// A record and its number.
    Record(u64, &'a [u8]),
}

/// A line of `--json`.
#[derive(Serialize)]
struct CheckJson<'a> {
    #[serde(flatten)]
    subject: output::Subject<'a>,
    maybe: bool,
    /// With `--confirm`: whether the list has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<bool>,
    /// With `--also`: the filters that said maybe.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<Vec<&'a str>>,
}

/// How many answers of each sort there were.
#[derive(Default)]
pub struct AnswerCounts {
    maybe: u64,
    no: u64,
}

impl AnswerCounts {
    /// Adds these answers.
    pub fn add(&mut self, answers: &[bool]) {
        let maybe = answers.iter().filter(|maybe| **maybe).count() as u64;
        self.maybe += maybe;
        self.no += answers.len() as u64 - maybe;
    }

    /// The counts as JSON: `listed` with `--confirm`, otherwise `maybe`; and `no`.
    pub fn shown(&self, exact: bool) -> impl Serialize {
        let name = if exact { "listed" } else { "maybe" };
        BTreeMap::from([(name, self.maybe), ("no", self.no)])
    }

    /// How many keys were selected.
    pub fn selected(&self, invert: bool) -> u64 {
        if invert { self.no } else { self.maybe }
    }
}

impl Args {
    /// Prints the answer for the key at this position.
    pub(super) fn answer(
        &self,
        filters: &Filters,
        subject: Queried<'_>,
        answers: &Answers,
        at: usize,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let (maybe, yes) = (answers.any()[at], answers.yes()[at]);
        let exact = !self.confirm.is_empty();
        if self.json {
            let several = !self.also.is_empty();
            let subject = match subject {
                Queried::Key(key) => output::Subject::key(key),
                Queried::Record(number, record) => {
                    output::Subject::record(number, filters.how.without_end(record))
                }
            };
            let filters = several.then(|| filters.names(answers, at).collect());
            let listed = exact.then_some(yes);
            return out.json(&CheckJson { subject, maybe, listed, filters });
        }
        let names = (!self.also.is_empty()).then(|| {
            let names = filters.names(answers, at).collect::<Vec<_>>().join(",");
            if names.is_empty() { "-".to_string() } else { names }
        });
        match subject {
            Queried::Key(key) => {
                match (yes, exact) {
                    (false, _) => out.word("no", output::NO)?,
                    (true, false) => out.word("maybe", output::MAYBE)?,
                    (true, true) => out.word("yes", output::YES)?,
                }
                out.key(b"\t")?;
                names.map_or(Ok(()), |names| out.key(format!("{names}\t").as_bytes()))?;
                out.key(key)?;
                out.key(b"\n")
            }
            Queried::Record(number, record) => {
                self.number(number, out)?;
                // A key that no filter matches has no names.
                names
                    .filter(|_| maybe)
                    .map_or(Ok(()), |names| out.key(format!("{names}\t").as_bytes()))?;
                out.record(record)
            }
        }
    }

    /// Prints the number of a record, with `-n`.
    pub(super) fn number(&self, number: u64, out: &mut Out) -> Result<(), Stop> {
        if self.line_number { out.key(format!("{number}:").as_bytes()) } else { Ok(()) }
    }
}
