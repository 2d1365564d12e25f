//! The filters that are asked, and what they answer.

use super::Args;
use super::confirm::Hits;
use crate::exit::Stop;
use crate::extract;
use crate::input::Source;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use anther::{AnyFilter, Filter, KeyHash, Recipe, Seed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The filters that are asked. They take keys alike, but may hash them each in its own way.
#[derive(Default)]
pub struct Asked {
    filters: Vec<One>,
    /// How keys are taken.
    pub recipe: Recipe,
    /// How keys are hashed, each way once.
    pub seeds: Vec<Seed>,
}

struct One {
    name: String,
    filter: AnyFilter,
    /// Which of the seeds is its own.
    seed: usize,
}

/// What filters say to some keys.
pub struct Answers {
    /// By each filter, to each key.
    found: Vec<Vec<bool>>,
    /// What the list says, where it was asked.
    pub listed: Vec<bool>,
}

impl Answers {
    /// Whether some filter says maybe to the key at this place.
    pub fn any(&self, at: usize) -> bool {
        self.found.iter().any(|found| found[at])
    }

    /// The last word on it: the list's, or else the filters'.
    pub fn yes(&self, at: usize) -> bool {
        self.listed.get(at).copied().unwrap_or_else(|| self.any(at))
    }
}

impl Asked {
    /// One more filter, whose keys are taken so.
    pub fn add(&mut self, path: &Path, filter: AnyFilter, recipe: Recipe) -> Result<(), Stop> {
        if self.filters.is_empty() {
            self.recipe = recipe;
        } else if self.recipe != recipe {
            let cause = format!(
                "takes its keys as: {recipe}; and {} as: {}; ask them one by one",
                self.filters[0].name, self.recipe
            );
            return Err(Stop::about(path.display(), cause));
        }
        let known = self.seeds.iter().position(|seed| seed == filter.seed());
        let seed = known.unwrap_or_else(|| {
            self.seeds.push(*filter.seed());
            self.seeds.len() - 1
        });
        self.filters.push(One { name: path.display().to_string(), filter, seed });
        Ok(())
    }

    /// Reads keys as the filters take them.
    pub fn reading<'a>(&'a self, sources: &'a [Source]) -> Reading<'a> {
        Reading { sources, recipe: &self.recipe, seed: self.seeds[0] }
    }

    /// What all of them say to keys, hashed by each seed.
    pub fn answers(&self, hashes: &[Vec<KeyHash>]) -> Answers {
        let answers = |one: &One| {
            let hashes = &hashes[one.seed];
            let mut found = vec![false; hashes.len()];
            one.filter.contains_hashes(hashes, &mut found);
            found
        };
        Answers { found: self.filters.iter().map(answers).collect(), listed: Vec::new() }
    }

    /// The keys of an input to which the filter says maybe.
    pub fn hits(&self, sources: &[Source]) -> Result<Hits, Stop> {
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

    /// The names of those that say maybe to the key at this place.
    fn names<'a>(&'a self, answers: &'a Answers, at: usize) -> impl Iterator<Item = &'a str> {
        let asked = self.filters.iter().zip(&answers.found);
        asked.filter(move |(_, found)| found[at]).map(|(one, _)| one.name.as_str())
    }
}

/// What is answered.
pub enum Subject<'a> {
    /// A key of the command line.
    Key(&'a [u8]),
    /// A record and its number.
    Record(u64, &'a [u8]),
}

/// A line of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    subject: output::Subject<'a>,
    maybe: bool,
    /// Where the list was asked too: what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<bool>,
    /// Where several filters are asked: those that said maybe.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<Vec<&'a str>>,
}

/// How many answers there were of each sort.
#[derive(Default)]
pub struct Tally {
    maybe: u64,
    no: u64,
}

impl Tally {
    /// One more.
    pub fn add(&mut self, maybe: bool) {
        *(if maybe { &mut self.maybe } else { &mut self.no }) += 1;
    }

    /// The same in JSON: with a list, what is in it; without, what may be in the set.
    pub fn shown(&self, exact: bool) -> impl Serialize {
        let name = if exact { "listed" } else { "maybe" };
        BTreeMap::from([(name, self.maybe), ("no", self.no)])
    }

    /// How many of those that were asked for.
    pub fn selected(&self, invert: bool) -> u64 {
        if invert { self.no } else { self.maybe }
    }
}

impl Args {
    /// Prints the answer to the key at this place.
    pub(super) fn answer(
        &self,
        asked: &Asked,
        subject: Subject<'_>,
        answers: &Answers,
        at: usize,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let (maybe, yes) = (answers.any(at), answers.yes(at));
        let exact = !self.confirm.is_empty();
        if self.json {
            let several = !self.also.is_empty();
            let subject = match subject {
                Subject::Key(key) => output::Subject::key(key),
                Subject::Record(number, record) => {
                    output::Subject::record(number, extract::without_end(&asked.recipe, record))
                }
            };
            let filters = several.then(|| asked.names(answers, at).collect());
            let listed = exact.then_some(yes);
            return out.json(&Answer { subject, maybe, listed, filters });
        }
        let names = (!self.also.is_empty()).then(|| {
            let names = asked.names(answers, at).collect::<Vec<_>>().join(",");
            if names.is_empty() { "-".to_string() } else { names }
        });
        match subject {
            Subject::Key(key) => {
                out.key(match (yes, exact) {
                    (false, _) => b"no\t",
                    (true, false) => b"maybe\t",
                    (true, true) => b"yes\t",
                })?;
                names.map_or(Ok(()), |names| out.key(format!("{names}\t").as_bytes()))?;
                out.key(key)?;
                out.key(b"\n")
            }
            Subject::Record(number, record) => {
                self.number(number, out)?;
                // What is in none of them needs no names.
                names
                    .filter(|_| maybe)
                    .map_or(Ok(()), |names| out.key(format!("{names}\t").as_bytes()))?;
                out.record(record)
            }
        }
    }

    /// The number of a record, where it is asked for.
    pub(super) fn number(&self, number: u64, out: &mut Out) -> Result<(), Stop> {
        if self.line_number { out.key(format!("{number}:").as_bytes()) } else { Ok(()) }
    }
}
