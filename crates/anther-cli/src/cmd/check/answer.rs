//! The filters that keys are looked up in, and their answers.

use super::Args;
use super::above::Above;
use super::confirm::Hits;
use super::one::OneFilter;
use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use crate::units;
use anther::recipe::Reach;
use anther::{Key, KeyHash, Seed};
use anther_records::extract::{self, Extraction};
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
    /// Whether a key is found by what it is below.
    pub below: bool,
    /// Whether answers say in which row groups of Parquet files a key may be.
    pub says_row_groups: bool,
}

#[derive(Clone)]
struct Named {
    name: String,
    filter: Arc<OneFilter>,
    /// The index of its seed.
    seed: usize,
    /// What its entries stand for.
    reach: Reach,
}

/// The answers for a batch of keys.
pub struct Answers {
    /// Of each filter, for each key.
    found: Vec<Vec<bool>>,
    /// Whether some filter says maybe, if there are several.
    any: Vec<bool>,
    /// With `--confirm`: whether each key is in the list.
    pub listed: Vec<bool>,
    /// What each key was found as, where keys are found by what they are below.
    matched: Vec<Option<Box<[u8]>>>,
    /// Of each filter of a Parquet file, the row groups that each key may be in.
    row_groups: Vec<Option<RowGroups>>,
}

/// Keys to which a filter says maybe, with their hashes.
type HitKeys = Vec<(KeyHash, Box<[u8]>)>;

/// For each key, the row groups that it may be in.
type RowGroups = Vec<Box<[usize]>>;

/// What a filter's entries stand for here.
fn reach_of(filter: &OneFilter, below: bool) -> Reach {
    let reach = filter.recipe().and_then(|recipe| recipe.reach).filter(|_| below);
    reach.unwrap_or(Reach::EXACT)
}

impl Answers {
    fn new(found: Vec<Vec<bool>>) -> Answers {
        let any = match &found[..] {
            [] | [_] => Vec::new(),
            [first, ..] => (0..first.len()).map(|at| found.iter().any(|one| one[at])).collect(),
        };
        let (listed, matched, row_groups) = (Vec::new(), Vec::new(), Vec::new());
        Answers { found, any, listed, matched, row_groups }
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
    /// Adds a filter, with how its keys are taken from inputs, and whether they are found by what
    /// they are below. The first filter's way counts.
    pub fn add(
        &mut self,
        path: &Path,
        filter: OneFilter,
        how: Extraction,
        below: bool,
    ) -> Result<(), Stop> {
        // What is looked up is not inserted.
        let how = Extraction { reach: None, ..how };
        if self.filters.is_empty() {
            let place = filter.recipe().map_or(&how.place, |recipe| &recipe.place).clone();
            self.built = Extraction { place, within: false, ..how.clone() }.of_published();
            self.how = Extraction { block_list: None, ..how };
        } else if self.how.rule != how.rule {
            let cause = format!(
                "its keys are {}, but those of {} are {}; check them one by one",
                how.rule, self.filters[0].name, self.how.rule
            );
            return Err(Stop::about(output::shown(path), cause));
        } else if let (Some(one), Some(other)) = (self.how.stored, how.stored)
            && one != other
        {
            let first = &self.filters[0].name;
            let cause = format!("its integers stand for something else than those of {first}");
            let next = "look keys up one file at a time";
            return Err(Stop::about(output::shown(path), format_args!("{cause}; {next}")));
        }
        let known = self.seeds.iter().position(|seed| *seed == filter.seed());
        let seed = known.unwrap_or_else(|| {
            self.seeds.push(filter.seed());
            self.seeds.len() - 1
        });
        let name = output::shown(path).to_string();
        let reach = reach_of(&filter, below);
        self.below |= below;
        // A log has URLs, and addresses with ports. In a list they are refused.
        self.how.within = true;
        self.filters.push(Named { name, filter: Arc::new(filter), seed, reach });
        Ok(())
    }

    /// Prints how many requests and bytes filters on the web took.
    #[cfg(feature = "http")]
    pub fn say_stats(&self, json: bool) {
        for one in &self.filters {
            if let OneFilter::Web(filter) = &*one.filter {
                filter.say_stats(json);
            }
        }
    }

    /// Whether a filter on the web turned out to be another one than when it was opened.
    pub fn is_replaced(&self) -> bool {
        self.filters.iter().any(|one| one.filter.is_replaced())
    }

    /// Counts the requests of filters that these replace.
    pub fn count_also(&self, old: &Filters) {
        for (new, old) in self.filters.iter().zip(&old.filters) {
            new.filter.count_also(&old.filter);
        }
    }

    /// Whether keys themselves are needed, and not only their hashes.
    pub fn needs_keys(&self) -> bool {
        self.below || self.filters.iter().any(|one| one.filter.is_foreign())
    }

    /// The same filters with another one at this position, whose keys are found by what they are
    /// below or not. Keys have been hashed for the old one.
    pub fn replaced(&self, at: usize, filter: OneFilter, below: bool) -> Result<Filters, Stop> {
        let mut all = self.clone();
        let one = &mut all.filters[at];
        let stop = |cause| Err(Stop::about(&one.name, format_args!("{cause}; start check again")));
        if one.filter.is_foreign() != filter.is_foreign() {
            return stop("the new filter is of another system than the old one".to_string());
        }
        let rule = filter.recipe().map_or(self.how.rule, |recipe| recipe.rule);
        if self.how.rule != rule {
            let old = self.how.rule;
            return stop(format!(
                "the keys of the new filter are {rule}, those of the old one {old}"
            ));
        }
        if self.seeds[one.seed] != filter.seed() {
            return stop("the new filter has another seed than the old one".to_string());
        }
        let reach = reach_of(&filter, below);
        if reach.is_below() != one.reach.is_below() {
            let does = if reach.is_below() { "do" } else { "do not" };
            return stop(format!(
                "the names of the new filter {does} stand for what is below them"
            ));
        }
        one.reach = reach;
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
    fn answers<'k>(
        &self,
        hashes: &[Vec<KeyHash>],
        key: impl Fn(usize) -> &'k [u8] + Copy,
    ) -> Result<Answers, Stop> {
        let answers =
            |one: &Named| one.filter.contains_keys(&self.how.rule, &hashes[one.seed], key);
        let found: Result<Vec<_>, Stop> = self.filters.iter().map(answers).collect();
        let mut answers = Answers::new(found?);
        if self.says_row_groups && !self.below {
            let groups = self
                .filters
                .iter()
                .zip(&answers.found)
                .map(|(one, found)| one.filter.row_groups(&self.how.rule, found, key));
            answers.row_groups = groups.collect();
        }
        Ok(answers)
    }

    /// The answers for these keys: a key is found if it is in a filter or below a key that is, with
    /// `--match below`. `listed` says which of these the list has, with `--confirm`.
    pub fn answers_for<'k>(
        &self,
        hashes: &[Vec<KeyHash>],
        key: impl Fn(usize) -> &'k [u8] + Copy,
        listed: Option<&Hits>,
    ) -> Result<Answers, Stop> {
        if !self.below {
            let mut answers = self.answers(hashes, key)?;
            if let Some(hits) = listed {
                let is_listed = |(at, hash): (usize, &KeyHash)| hits.is_listed(*hash, key(at));
                answers.listed = hashes[0].iter().enumerate().map(is_listed).collect();
            }
            return Ok(answers);
        }
        let own = self.answers(hashes, key)?;
        let above = self.above(hashes[0].len(), key);
        let each = self.answers_above(&above)?;
        let any = Answers::new(each.clone());
        let (mut found, mut matched, mut in_list) = (own.found.clone(), Vec::new(), Vec::new());
        for (at, span) in above.spans().enumerate() {
            for (found, each) in found.iter_mut().zip(&each) {
                found[at] |= each[span.clone()].contains(&true);
            }
            let own_is_hit = match listed {
                Some(hits) => hits.is_listed(hashes[0][at], key(at)),
                None => own.any()[at],
            };
            let hit = span.clone().find(|at| match listed {
                Some(hits) => hits.is_listed(above.hashes[0][*at], above.key(*at)),
                None => any.any()[*at],
            });
            let hit = if own_is_hit { Some(key(at)) } else { hit.map(|at| above.key(at)) };
            in_list.push(hit.is_some());
            matched.push(hit.map(Box::from));
        }
        let mut answers = Answers::new(found);
        answers.matched = matched;
        if listed.is_some() {
            answers.listed = in_list;
        }
        Ok(answers)
    }

    /// What `keys` keys are below, at the levels of any of the filters.
    fn above<'k>(&self, keys: usize, key: impl Fn(usize) -> &'k [u8]) -> Above {
        let levels = self.filters.iter().fold(0, |all, one| all | one.reach.levels());
        let all_levels = Reach::new(2, levels).unwrap_or(Reach::EXACT);
        let mut above = Above::new(self.seeds.len());
        for at in 0..keys {
            let key = extract::key_of(self.how.rule.form, key(at));
            all_levels.each_above(self.how.rule.form, key, |level, entry| {
                above.push(&extract::bytes_of(entry), level);
                for (hashes, seed) in above.hashes.iter_mut().zip(&self.seeds) {
                    hashes.push(entry.key_hash(seed));
                }
            });
            above.key_ends.push(above.ends.len());
        }
        above
    }

    /// Of each filter, whether it has each of the entries that keys are below.
    fn answers_above(&self, above: &Above) -> Result<Vec<Vec<bool>>, Stop> {
        let none: &[u8] = &[];
        let answers = |one: &Named| {
            let mut found = vec![false; above.levels.len()];
            let at_its_levels: Vec<usize> =
                (0..found.len()).filter(|at| one.reach.has(above.levels[*at])).collect();
            let entries: Vec<_> =
                at_its_levels.iter().map(|at| above.hashes[one.seed][*at]).collect();
            let is_found = one.reach.all_found(&entries, |hashes, found| {
                // Another system's filter has no levels.
                let answers = one.filter.contains_keys(&self.how.rule, hashes, |_| none)?;
                found.copy_from_slice(&answers);
                Ok::<(), Stop>(())
            })?;
            for (at, is_found) in at_its_levels.into_iter().zip(is_found) {
                found[at] = is_found;
            }
            Ok(found)
        };
        self.filters.iter().map(answers).collect()
    }

    /// The keys, and what they are below, to which the filter says maybe.
    pub fn hits_of<'k>(
        &self,
        hashes: &[Vec<KeyHash>],
        key: impl Fn(usize) -> &'k [u8] + Copy,
    ) -> Result<HitKeys, Stop> {
        let answers = self.answers(hashes, key)?;
        let maybe = hashes[0].iter().enumerate().filter(|(at, _)| answers.any()[*at]);
        let mut hits: HitKeys = maybe.map(|(at, hash)| (*hash, key(at).into())).collect();
        if self.below {
            let above = self.above(hashes[0].len(), key);
            let answers = Answers::new(self.answers_above(&above)?);
            let maybe = (0..above.ends.len()).filter(|at| answers.any()[*at]);
            hits.extend(maybe.map(|at| (above.hashes[0][at], above.key(at).into())));
        }
        Ok(hits)
    }

    /// The keys of an input to which the filter says maybe.
    pub fn hits(&self, sources: &[Input]) -> Result<Hits, Stop> {
        let mut hits = Hits::default();
        self.reading(sources).each_part(
            &self.seeds,
            true,
            |part| self.hits_of(part.hashes, |at| part.key(at)),
            |_, found| {
                found?.iter().try_for_each(|(hash, key)| hits.add(*hash, key))?;
                Ok(ON)
            },
        )?;
        Ok(hits)
    }

    /// Checks that all keys of these inputs are found, for `--expect`.
    pub fn expect(&self, sources: &[Input]) -> Result<(), Stop> {
        let (mut missing, mut first) = (0_u64, None);
        // The list may be the published one, with its comments and rules.
        let how = self.how.clone().of_published();
        let reading = Reading { sources, how: &how, seed: self.seeds[0] };
        let all = reading.each_part(
            &self.seeds,
            self.needs_keys(),
            |part| {
                let answers = self.answers_for(part.hashes, |at| part.key(at), None)?;
                let missing = (0..part.hashes[0].len()).filter(|at| !answers.any()[*at]);
                Ok(missing.collect::<Vec<_>>())
            },
            |keyed, not_found: Result<Vec<usize>, Stop>| {
                let not_found = not_found?;
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

    /// The row groups that the key at this position may be in, by the names of the filters.
    fn row_groups<'a>(
        &'a self,
        answers: &'a Answers,
        at: usize,
    ) -> impl Iterator<Item = (&'a str, &'a [usize])> {
        let filters = self.filters.iter().zip(&answers.row_groups);
        filters.filter_map(move |(one, groups)| Some((one.name.as_str(), &*groups.as_ref()?[at])))
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
    /// With `--match below`: the key that it was found by.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#match: Option<std::borrow::Cow<'a, str>>,
    /// With `--confirm`: whether the list has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<bool>,
    /// With `--also`: the filters that said maybe.
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<Vec<&'a str>>,
    /// Of a Parquet file: the row groups that the key may be in.
    #[serde(skip_serializing_if = "Option::is_none")]
    row_groups: Option<&'a [usize]>,
    /// The same with `--also`, by the names of the filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    row_groups_of: Option<BTreeMap<&'a str, &'a [usize]>>,
}

/// How many answers of each sort there were.
#[derive(Default)]
pub struct AnswerCounts {
    maybe: u64,
    no: u64,
}

impl AnswerCounts {
    /// Adds these answers.
    #[inline]
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
            let groups: BTreeMap<_, _> = filters.row_groups(answers, at).collect();
            let row_groups = groups.values().next().copied().filter(|_| !several);
            let row_groups_of = Some(groups).filter(|groups| several && !groups.is_empty());
            let matched = answers.matched.get(at).and_then(Option::as_deref);
            let r#match = matched.map(|key| extract::text_of(filters.how.rule.form, key));
            let filters = several.then(|| filters.names(answers, at).collect());
            let listed = exact.then_some(yes);
            return out.json(&CheckJson {
                subject,
                maybe,
                r#match,
                listed,
                filters,
                row_groups,
                row_groups_of,
            });
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
                if let (Some((_, groups)), true) =
                    (filters.row_groups(answers, at).next(), self.also.is_empty())
                    && maybe
                {
                    let word = if groups.len() == 1 { "row group" } else { "row groups" };
                    let numbers: Vec<_> = groups.iter().map(usize::to_string).collect();
                    out.key(format!("\t{word} {}", numbers.join(", ")).as_bytes())?;
                }
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
