//! Three ways to build a filter: insert keys as they are read, count them first, or build a static
//! kind from all keys.

use super::Args;
use super::protected::Protected;
use crate::change::keys;
use crate::description;
use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{Counts, Keyed, ON, Reading};
use crate::kind_args::{KindArgs, ValueWidth};
use crate::progress::Progress;
use crate::recipe_args::Match;
use crate::units;
use anther::error::SourceError;
use anther::recipe::KeyForm;
use anther::{AnyFilter, BuildError, Filter, Full, KeyHash, Profile, Queries, Seed, Threads, Work};
use anther_records::blocks::Batch;
use anther_records::distinct::Distinct;
use anther_records::extract::Extraction;
use anther_records::hashed::More;
use std::borrow::Cow;
use std::cell::Cell;

/// The input of a build.
pub struct BuildInput<'a> {
    /// The command line.
    pub args: &'a Args,
    /// The inputs.
    pub sources: &'a [Input],
    /// The lists that a cascade must never report.
    pub others: &'a [Input],
    /// How keys are read from them.
    pub how: &'a Extraction,
    /// How keys are hashed.
    pub seed: Seed,
    /// The entries that stand for many keys.
    pub wide: &'a Wide,
}

/// Entries that stand for many keys, as far as the list has been read.
#[derive(Default)]
pub struct Wide {
    levels: Cell<u128>,
    entries: Cell<u64>,
}

impl Wide {
    /// The levels of those that have been read.
    pub fn levels(&self) -> u128 {
        self.levels.get()
    }

    fn take(&self, more: &More) {
        self.levels.set(self.levels.get() | more.levels);
        self.entries.set(self.entries.get() + more.entries.len() as u64);
    }
}

/// A key and its value.
type Pair = (KeyHash, u64);

/// A filter, and the keys that it was made from.
pub struct Built {
    /// The filter.
    pub filter: AnyFilter,
    /// How many keys were read, with repetitions.
    pub read: Counts,
    /// How many of them were distinct, if they were counted.
    pub distinct: Option<u64>,
    /// How many keys of the second list were read, for a cascade.
    pub others: Option<Counts>,
    /// How many of the entries that were read stand for what is below them.
    pub wide: u64,
    /// Their levels.
    pub levels: u128,
}

impl Built {
    fn new(filter: AnyFilter) -> Built {
        let read = Counts::default();
        Built { filter, read, distinct: None, others: None, wide: 0, levels: 0 }
    }
}

impl Built {
    /// What its keys are.
    pub fn form(&self) -> Option<KeyForm> {
        self.filter.about().recipe.as_ref().map(|recipe| recipe.rule.form)
    }
}

/// The hashes of a block's entries, and what some of them are inserted as beside.
fn all_hashes<'k>(keyed: &Keyed<'k>) -> Cow<'k, [KeyHash]> {
    match &keyed.more.hashes[..] {
        [] => keyed.hashes.into(),
        _ => [keyed.hashes, &keyed.more.hashes()].concat().into(),
    }
}

impl BuildInput<'_> {
    /// Builds the filter.
    pub fn make(&self) -> Result<Built, Stop> {
        let built = match self.args.streams() {
            _ if self.args.kind.keeps_values() => self.map(),
            _ if !self.others.is_empty() => self.cascade(),
            _ if self.args.kind.is_static() => self.solve(),
            Some(items) => self.stream(items.saturating_mul(self.keys_per_entry())),
            None => self.collect(),
        };
        let (wide, levels) = (self.wide.entries.get(), self.wide.levels.get());
        let built = built?;
        built.read.refuse_if_all_malformed()?;
        Ok(Built { wide, levels, ..built })
    }

    /// As how many keys every entry is inserted, where that is known before the list is read.
    fn keys_per_entry(&self) -> u64 {
        description::keys_per_item(self.how.rule.form, self.how.reach)
    }

    /// Inserts keys as they are read: in bulk and on all threads into plain bits, otherwise in order.
    fn stream(&self, items: u64) -> Result<Built, Stop> {
        let mut filter = self.empty(items)?;
        let wait = if filter.kind().capabilities().fold { WAITING } else { 0 };
        let mut waiting = Vec::new();
        let read = self.each(
            |_, _| (),
            |keyed, ()| {
                let hashes = all_hashes(keyed);
                if wait == 0 {
                    return self.insert(&mut filter, &hashes);
                }
                if waiting.len() + hashes.len() > wait {
                    self.insert(&mut filter, &waiting)?;
                    waiting.clear();
                }
                waiting.extend_from_slice(&hashes);
                Ok(())
            },
        )?;
        self.insert(&mut filter, &waiting)?;
        Ok(Built { read, ..Built::new(filter) })
    }

    /// Counts the distinct keys, or all where copies count, then makes a filter for exactly that
    /// number, times `--headroom`.
    fn collect(&self) -> Result<Built, Stop> {
        let kind = &self.args.kind;
        let all = self.args.takes_every_occurrence();
        let mut kept = match all {
            true => Distinct::keeping_all(self.args.memory()),
            false => Distinct::within(self.args.memory()),
        };
        let (read, more) = self.keep(&mut kept)?;
        let (hashes, distinct) = kept.finish();
        let inserts = hashes.len() as u64;
        let built = |filter| Built { read, distinct: Some(distinct - more), ..Built::new(filter) };
        if all && kind.copies_take_room() && inserts > distinct {
            // Copies of a key share two buckets: with two of each key, a tenth of the slots stays
            // empty, with four more than half. Nine copies never fit.
            for room in [1, 2, 4].map(|factor| factor * inserts) {
                let mut filter = self.empty(self.args.with_headroom(room))?;
                if self.insert(&mut filter, &hashes).is_ok() {
                    return Ok(built(filter));
                }
            }
        }
        let items = if all && kind.counts_every_insert() { inserts } else { distinct };
        // A target needs at least one item, even if there are no keys.
        let mut filter = self.empty(self.args.with_headroom(items.max(1)))?;
        self.insert(&mut filter, &hashes)?;
        Ok(built(filter))
    }

    /// Builds a cascade. Its members' hashes are kept in memory, those of the others are not.
    fn cascade(&self) -> Result<Built, Stop> {
        let mut kept = Distinct::within(self.args.memory());
        let (read, more) = self.keep(&mut kept)?;
        let (mut hashes, distinct) = kept.finish();
        let progress = Progress::solving(self.args.quiet);
        let tell = |done, total| progress.tell(done, total);
        let work = Work::new().progress(&tell);
        let protected = Protected::new(self, &hashes);
        let (how, wide) = (self.of_addresses("--never-wrong-on"), Wide::default());
        let others = BuildInput { sources: self.others, how: &how, wide: &wide, ..*self };
        let mut passes =
            Passes::new(&others, |take: &mut dyn FnMut(&[KeyHash])| protected.each(&others, take));
        let built =
            KindArgs::cascade(&mut hashes, &mut passes, self.args.cascade_fpr(), self.seed, work);
        if let (None, Err(BuildError::InBoth { key })) = (&passes.failed, &built) {
            return Err(self.in_both(&others, *key));
        }
        let made = passes.made(built)?;
        protected.say_listed(self.args.quiet);
        Ok(Built { others: Some(made.read), read, distinct: Some(distinct - more), ..made })
    }

    /// A key that is in both lists of a cascade.
    fn in_both(&self, others: &BuildInput<'_>, key: KeyHash) -> Stop {
        let (ours, theirs) = (self.find(key), others.find(key));
        let places: Vec<_> = ours.iter().chain(&theirs).map(|found| found.place.clone()).collect();
        let cause = match (ours.first(), theirs.first()) {
            (Some(one), Some(other)) if one.text != other.text => format!(
                "{} and {} are the same key, or have the same hash; remove one of them, or use another \
                 --seed",
                one.text, other.text
            ),
            (Some(Found { text, .. }), _) | (_, Some(Found { text, .. })) => {
                format!("{text} is in both lists; remove it from one of them")
            }
            // Neither can be read again.
            (None, None) => return Stop::Error(BuildError::InBoth { key }.to_string()),
        };
        Stop::about(places.join(", "), cause)
    }

    /// Builds a static filter from all keys. With `--items` their hashes need not fit into memory.
    fn solve(&self) -> Result<Built, Stop> {
        let (kind, fpr) = (&self.args.kind, self.args.fpr());
        let memory = self.args.memory();
        let progress = Progress::solving(self.args.quiet);
        let tell = |done, total| progress.tell(done, total);
        let work = Work::new().memory(memory).progress(&tell);
        if let Some(items) = self.args.items {
            let pass = |take: &mut dyn FnMut(&[KeyHash])| {
                self.each(
                    |_, _| (),
                    |keyed, ()| {
                        take(&all_hashes(keyed));
                        Ok(())
                    },
                )
            };
            let mut keys = Passes::new(self, pass);
            let built = kind.build(&mut keys, items, fpr, self.seed, work);
            return keys.made(built);
        }
        let mut kept = Distinct::within(memory);
        let (read, more) = self.keep(&mut kept)?;
        let (mut hashes, distinct) = kept.finish();
        let built = kind.build(&mut hashes, distinct.max(1), fpr, self.seed, work);
        let filter = built.map_err(|error| self.unbuilt(&error))?;
        Ok(Built { read, distinct: Some(distinct - more), ..Built::new(filter) })
    }

    /// Builds a static map from all keys and their values.
    fn map(&self) -> Result<Built, Stop> {
        let (kind, fpr) = (&self.args.kind, self.args.fpr());
        let memory = self.args.memory();
        let progress = Progress::solving(self.args.quiet);
        let tell = |done, total| progress.tell(done, total);
        let work = Work::new().memory(memory).progress(&tell);
        let mut largest = 0;
        let mut look = |pairs: &[Pair]| {
            largest = pairs.iter().map(|(_, value)| *value).fold(largest, u64::max);
        };
        if let Some(items) = self.args.items
            && self.sources.iter().all(Input::can_be_read_again)
        {
            self.each_value(|_, pairs| {
                look(pairs);
                Ok(())
            })?;
            let pass = |take: &mut dyn FnMut(&[Pair])| {
                self.each_value(|_, pairs| {
                    take(pairs);
                    Ok(())
                })
            };
            let mut pairs = Passes::new(self, pass);
            let width = self.width(largest);
            let built = kind.map(&mut pairs, items, width, fpr, self.seed, work);
            return pairs.made(built);
        }
        let mut kept = Distinct::within(memory);
        let read = self.each_value(|source, more| {
            look(more);
            kept.extend(more).map_err(|_| match self.args.items {
                Some(_) => self.too_many_once(source),
                None => self.too_many(source),
            })
        })?;
        let (mut pairs, distinct) = kept.finish();
        let items = self.args.items.unwrap_or(distinct).max(1);
        let width = self.width(largest);
        let built = kind.map(&mut pairs, items, width, fpr, self.seed, work);
        let filter = built.map_err(|error| self.unbuilt(&error))?;
        // Two counts of one key may be in one band; the map knows how many keys it has.
        let is_counted = !self.args.bands && self.wide.entries.get() == 0;
        let distinct = is_counted.then_some(distinct);
        Ok(Built { read, distinct, ..Built::new(filter) })
    }

    fn width(&self, largest: u64) -> ValueWidth {
        if self.args.bands { ValueWidth::Bands } else { ValueWidth::Largest(largest) }
    }

    fn empty(&self, items: u64) -> Result<AnyFilter, Stop> {
        let kind = &self.args.kind;
        let queries = kind.hot()?.map(|source| self.queries(source)).transpose()?;
        kind.empty(items, self.args.fpr(), self.seed, queries)
    }

    /// How often each key was looked up.
    fn queries(&self, source: Input) -> Result<Queries, Stop> {
        let mut asked = Distinct::keeping_all(self.args.memory());
        let (how, wide) = (self.of_addresses("--hot"), Wide::default());
        BuildInput { sources: &[source], how: &how, wide: &wide, ..*self }.keep(&mut asked)?;
        let asked = asked.finish().0.into_iter().map(|key| (key, 1));
        Queries::counted(asked).map_err(|error| Stop::Error(error.to_string()))
    }

    /// How this option's list is read: it is of what is looked up, which no network is.
    fn of_addresses(&self, option: &str) -> Extraction {
        let is_exact = self.args.matching == Some(Match::Exact);
        let is_key = self.how.rule.form != KeyForm::Ip && is_exact;
        let no_networks = format!("{option} takes single addresses; list them").into();
        let no_networks = Some(no_networks).filter(|_| !is_key);
        Extraction { reach: None, no_networks, ..self.how.clone() }
    }

    fn insert(&self, filter: &mut AnyFilter, hashes: &[KeyHash]) -> Result<(), Stop> {
        let kind = filter.kind();
        let Some(insert) = filter.as_insert() else {
            return Err(Stop::about(
                kind,
                "is static and cannot insert keys; choose another --kind",
            ));
        };
        let inserted = insert.bulk_insert_hashes(hashes, Threads::all());
        inserted.map_err(|full| self.full(&full, &filter.profile()))
    }

    /// The filter is full. Without `--items` it was made for the keys that came, so only copies can
    /// fill it.
    fn full(&self, full: &Full, profile: &Profile) -> Stop {
        let given = self.args.items;
        let copies = self.args.kind.copies_take_room() && (given.is_none() || profile.repeats());
        let (instead, without) = match given {
            Some(_) => (" instead of --items", " without --items"),
            None => ("", ""),
        };
        let kind = full.kind;
        Stop::Error(match (full.copies, given) {
            (Some(most), _) => format!(
                "the {kind} filter holds {most} copies of a key, and no more fit; insert each key \
                 once with --distinct{instead}, or use --kind quotient{without}, which counts any \
                 number"
            ),
            (None, _) if copies => format!(
                "the {kind} filter is full; every copy of a repeated key takes space: insert each \
                 key once with --distinct{instead}, or use --kind quotient{without}"
            ),
            (None, Some(items)) if self.wide.entries.get() > 0 && self.keys_per_entry() == 1 => {
                let each = self.how.reach.map_or(1, |reach| u64::from(reach.keys()));
                format!(
                    "the {kind} filter is full: it was made for {}, and an entry that stands for many \
                     takes {each}; give --items {}, or leave --items out, and the keys are counted first",
                    keys(items, "key"),
                    items.saturating_mul(each)
                )
            }
            (None, Some(items)) => format!(
                "the {kind} filter is full: it was made for {}, and more came; give a larger --items, \
                 or leave --items out, and the keys are counted first",
                keys(items, "key")
            ),
            (None, None) => full.to_string(),
        })
    }

    /// Keeps all hashes. Returns how many keys there were, and how many distinct hashes are not those
    /// of entries themselves.
    fn keep(&self, kept: &mut Distinct) -> Result<(Counts, u64), Stop> {
        let mut wide = Distinct::within(self.args.memory());
        let read = self.each(
            |_, _| (),
            |keyed, ()| {
                let own: Vec<_> =
                    keyed.more.entries.iter().map(|(at, _)| keyed.hashes[*at]).collect();
                let kept = kept.extend(&all_hashes(keyed)).and_then(|()| wide.extend(&own));
                kept.map_err(|_| self.too_many(keyed.source))
            },
        )?;
        let each = self.how.reach.map_or(0, |reach| u64::from(reach.keys()) - 1);
        Ok((read, each * wide.finish().1))
    }

    fn too_many(&self, source: &Input) -> Stop {
        let memory = units::size(self.args.memory());
        let next = match (self.args.distinct, self.args.memory, self.args.kind.is_static()) {
            _ if !self.others.is_empty() => "raise --memory",
            (true, ..) => "raise --memory",
            (_, Some(_), false) => "raise --memory, or give their number with --items instead",
            _ => "give their number with --items, or raise --memory",
        };
        Stop::about(
            source.name(),
            format_args!("the keys need more than {memory} of memory; {next}"),
        )
    }

    /// The same for an input that would have to be read twice, and cannot be.
    fn too_many_once(&self, source: &Input) -> Stop {
        if let Input::File(path) = source
            && !path.exists()
        {
            return Stop::about(
                source.name(),
                "was removed while it was being read; with --items it is read several times",
            );
        }
        let memory = units::size(self.args.memory());
        let cause = format!(
            "the keys need more than {memory} of memory, and it cannot be read twice; raise \
             --memory, or write it to a file first"
        );
        Stop::about(source.name(), cause)
    }

    pub(super) fn reading(&self) -> Reading<'_> {
        Reading { sources: self.sources, how: self.how, seed: self.seed }
    }

    pub(super) fn progress(&self) -> Progress {
        let total = self.sources.iter().map(Input::len).sum();
        Progress::reading(total, self.args.quiet)
    }

    /// Reads all keys and returns how many there were.
    fn each<R: Send + 'static>(
        &self,
        work: impl Fn(Batch<'_>, &[KeyHash]) -> R + Sync,
        mut take: impl FnMut(&Keyed<'_>, R) -> Result<(), Stop>,
    ) -> Result<Counts, Stop> {
        let progress = self.progress();
        self.wide.entries.set(0);
        self.reading().each(work, |keyed, result| {
            self.wide.take(keyed.more);
            take(&keyed, result)?;
            progress.advance(keyed.bytes);
            Ok(ON)
        })
    }

    /// Reads all keys with their values and returns how many there were.
    fn each_value(
        &self,
        mut take: impl FnMut(&Input, &[Pair]) -> Result<(), Stop>,
    ) -> Result<Counts, Stop> {
        let progress = self.progress();
        self.wide.entries.set(0);
        self.reading().each_part(
            &[self.seed],
            false,
            |part| {
                let hashes = part.hashes[0].iter().copied();
                let more = part.more.hashes.iter().map(|(at, hash)| (*hash, part.values[*at]));
                hashes.zip(part.values.iter().copied()).chain(more).collect::<Vec<Pair>>()
            },
            |keyed, pairs| {
                self.wide.take(keyed.more);
                take(keyed.source, &pairs)?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )
    }

    /// An error of building. The library knows only hashes; this finds the lines that have them.
    fn unbuilt(&self, error: &BuildError) -> Stop {
        let key = match error {
            BuildError::Conflict { key, .. } | BuildError::Value { key, .. } => *key,
            _ => return Stop::Error(error.to_string()),
        };
        let lines: Vec<_> = self.find(key).into_iter().map(|found| found.place).collect();
        let next = match error {
            BuildError::Value { .. } => " with --value-bits",
            _ => "",
        };
        match &lines[..] {
            [] => Stop::Error(format!("{error}{next}")),
            lines => Stop::about(lines.join(", "), format_args!("{error}{next}")),
        }
    }

    /// The first records with this hash, in a second pass; none if an input cannot be read again.
    fn find(&self, key: KeyHash) -> Vec<Found> {
        let mut found = Vec::new();
        if !self.sources.iter().all(Input::can_be_read_again) {
            return found;
        }
        // The error is known already, so errors of this pass do not matter.
        let _ = self.each(
            |_, _| (),
            |keyed, ()| {
                let name = self.how.record_name();
                let same = keyed.records.numbered().zip(keyed.hashes);
                let same = same.filter(|(_, hash)| **hash == key).map(|((number, record), _)| {
                    let place = format!("{}: {name} {number}", keyed.source.name());
                    Found { place, text: shown(self.how.without_end(record)) }
                });
                found.extend(same.take(SHOWN - found.len()));
                Ok(())
            },
        );
        found
    }
}

/// A record with a certain hash.
struct Found {
    /// The input and the line.
    place: String,
    /// The record, for a message.
    text: String,
}

/// A record for a message: its beginning, without control characters.
fn shown(record: &[u8]) -> String {
    let text = String::from_utf8_lossy(record);
    let mut safe: String = text.chars().take(LONGEST_SHOWN).collect();
    if safe.len() < text.len() {
        safe.push('…');
    }
    format!("{safe:?}")
}

/// Characters of a record in a message.
const LONGEST_SHOWN: usize = 80;

/// The most lines to name in an error.
const SHOWN: usize = 3;

/// Hashes per bulk insert, of 8 bytes each: a quarter of the 64 MiB that a build may take besides
/// its filter. The insert itself takes up to half of them.
const WAITING: usize = 1 << 21;

/// Keys that are read from the input again for every pass of a static build.
struct Passes<'a, F> {
    input: &'a BuildInput<'a>,
    /// Reads all keys and returns how many there were.
    pass: F,
    read: Option<Counts>,
    failed: Option<Stop>,
}

impl<'a, F> Passes<'a, F> {
    fn new(input: &'a BuildInput<'a>, pass: F) -> Passes<'a, F> {
        Passes { input, pass, read: None, failed: None }
    }

    /// The result of a build from these keys.
    fn made(self, built: Result<AnyFilter, BuildError>) -> Result<Built, Stop> {
        match (self.failed, built) {
            (Some(stop), _) => Err(stop),
            (None, Err(error)) => Err(self.input.unbuilt(&error)),
            // A static filter knows how many keys it has.
            (None, Ok(filter)) => {
                let read = self.read.unwrap_or_default();
                Ok(Built { read, ..Built::new(filter) })
            }
        }
    }

    fn next(&mut self, pass: impl FnOnce(&mut F) -> Result<Counts, Stop>) -> Result<(), Stop> {
        let once = self.input.sources.iter().find(|source| !source.can_be_read_again());
        if let (Some(_), Some(source)) = (self.read, once) {
            return Err(self.input.too_many_once(source));
        }
        self.read = Some(pass(&mut self.pass)?);
        Ok(())
    }
}

impl<T, F> anther::KeySource<T> for Passes<'_, F>
where
    F: FnMut(&mut dyn FnMut(&[T])) -> Result<Counts, Stop>,
{
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        self.next(|pass| pass(take)).map_err(|stop| {
            // The message is kept here; the library only needs to stop.
            self.failed = Some(stop);
            SourceError::new("stopped").into()
        })
    }
}
