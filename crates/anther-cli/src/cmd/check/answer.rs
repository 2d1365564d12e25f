//! The filters that keys are looked up in, and their answers.

use super::Args;
use super::confirm::Hits;
use crate::exit::Stop;
use crate::extract;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use anther::{AnyFilter, Filter, KeyHash, Recipe, Seed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The filters that keys are looked up in. They have one recipe, but may have several seeds.
#[derive(Default)]
pub struct Filters {
    filters: Vec<Named>,
    /// How keys are read.
    pub recipe: Recipe,
    /// Whether inputs are read whatever they look like.
    pub binary: bool,
    /// The distinct seeds of the filters.
    pub seeds: Vec<Seed>,
}

struct Named {
    name: String,
    filter: AnyFilter,
    /// The index of its seed.
    seed: usize,
}

/// The answers for a batch of keys.
pub struct Answers {
    /// Of each filter, for each key.
    found: Vec<Vec<bool>>,
    /// With `--confirm`: whether each key is in the list.
    pub listed: Vec<bool>,
}

impl Answers {
    /// Whether some filter says maybe to the key at this position.
    pub fn any(&self, at: usize) -> bool {
        self.found.iter().any(|found| found[at])
    }

    /// The final answer: the list's if there is one, otherwise the filters'.
    pub fn yes(&self, at: usize) -> bool {
        self.listed.get(at).copied().unwrap_or_else(|| self.any(at))
    }
}

impl Filters {
    /// Adds a filter with this recipe.
    pub fn add(&mut self, path: &Path, filter: AnyFilter, recipe: Recipe) -> Result<(), Stop> {
        if self.filters.is_empty() {
            self.recipe = recipe;
        } else if self.recipe != recipe {
            let cause = format!(
                "reads keys as {recipe}, but {} as {}; check them one by one",
                self.filters[0].name, self.recipe
            );
            return Err(Stop::about(path.display(), cause));
        }
        let known = self.seeds.iter().position(|seed| seed == filter.seed());
        let seed = known.unwrap_or_else(|| {
            self.seeds.push(*filter.seed());
            self.seeds.len() - 1
        });
        self.filters.push(Named { name: path.display().to_string(), filter, seed });
        Ok(())
    }

    /// Reads keys by the filters' recipe.
    pub fn reading<'a>(&'a self, sources: &'a [Input]) -> Reading<'a> {
        Reading { sources, recipe: &self.recipe, seed: self.seeds[0], binary: self.binary }
    }

    /// The answers of all filters for keys that were hashed with each seed.
    pub fn answers(&self, hashes: &[Vec<KeyHash>]) -> Answers {
        let answers = |one: &Named| {
            let hashes = &hashes[one.seed];
            let mut found = vec![false; hashes.len()];
            one.filter.contains_hashes(hashes, &mut found);
            found
        };
        Answers { found: self.filters.iter().map(answers).collect(), listed: Vec::new() }
    }

    /// The keys of an input to which the filter says maybe.
    pub fn hits(&self, sources: &[Input]) -> Result<Hits, Stop> {
        let mut hits = Hits::default();
        self.reading(sources).each_part(
            &self.seeds,
            true,
            |part| {
                let (answers, hashes) = (self.answers(part.hashes), &part.hashes[0]);
                let maybe = (0..hashes.len()).filter(|at| answers.any(*at));
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
    /// Named more.
    pub fn add(&mut self, maybe: bool) {
        *(if maybe { &mut self.maybe } else { &mut self.no }) += 1;
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
        let (maybe, yes) = (answers.any(at), answers.yes(at));
        let exact = !self.confirm.is_empty();
        if self.json {
            let several = !self.also.is_empty();
            let subject = match subject {
                Queried::Key(key) => output::Subject::key(key),
                Queried::Record(number, record) => {
                    output::Subject::record(number, extract::without_end(&filters.recipe, record))
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
                out.key(match (yes, exact) {
                    (false, _) => b"no\t",
                    (true, false) => b"maybe\t",
                    (true, true) => b"yes\t",
                })?;
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
