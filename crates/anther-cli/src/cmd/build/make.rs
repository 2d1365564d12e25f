//! Three ways to build a filter: insert keys as they are read, count them first, or build a static
//! kind from all keys.

use super::Args;
use crate::blocks::Batch;
use crate::distinct::Distinct;
use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{Keyed, ON, Reading, record_name};
use crate::progress::Progress;
use crate::{units, values};
use anther::error::SourceError;
use anther::{AnyFilter, BuildError, KeyHash, Queries, Recipe, Seed, Threads, Work};

/// The input of a build.
pub struct BuildInput<'a> {
    /// The command line.
    pub args: &'a Args,
    /// The inputs.
    pub sources: &'a [Input],
    /// How keys are read from them.
    pub recipe: &'a Recipe,
    /// How keys are hashed.
    pub seed: Seed,
}

/// A key and its value.
type Pair = (KeyHash, u64);

/// A filter, and how many keys were read, with repetitions.
type Built = Result<(AnyFilter, u64), Stop>;

impl BuildInput<'_> {
    /// Builds the filter.
    pub fn make(&self) -> Built {
        match self.args.items {
            _ if self.args.kind.keeps_values() => self.map(),
            _ if self.args.kind.is_static() => self.solve(),
            Some(items) => self.stream(items),
            None => self.collect(),
        }
    }

    /// Inserts keys as they are read: in bulk and on all threads into plain bits, otherwise in order.
    fn stream(&self, items: u64) -> Built {
        let mut filter = self.empty(items)?;
        let wait = if filter.kind().capabilities().fold { WAITING } else { 0 };
        let mut waiting = Vec::new();
        let read = self.each(
            |_, _| (),
            |keyed, ()| {
                if wait == 0 {
                    return self.insert(&mut filter, keyed.hashes);
                }
                if waiting.len() + keyed.hashes.len() > wait {
                    self.insert(&mut filter, &waiting)?;
                    waiting.clear();
                }
                waiting.extend_from_slice(keyed.hashes);
                Ok(())
            },
        )?;
        self.insert(&mut filter, &waiting)?;
        Ok((filter, read))
    }

    /// Counts the distinct keys, then makes a filter for exactly that number.
    fn collect(&self) -> Built {
        let kind = &self.args.kind;
        let all = self.args.takes_every_occurrence();
        let mut kept = match all {
            true => Distinct::keeping_all(self.args.memory),
            false => Distinct::within(self.args.memory),
        };
        let read = self.keep(&mut kept)?;
        let (hashes, distinct) = kept.finish();
        if all && kind.copies_take_room() && read > distinct {
            // Copies of a key share two buckets: with two of each key, a tenth of the slots stays
            // empty, with four more than half. Nine copies never fit.
            for room in [read, 2 * read, 4 * read] {
                let mut filter = self.empty(room)?;
                if self.insert(&mut filter, &hashes).is_ok() {
                    return Ok((filter, read));
                }
            }
        }
        // A target needs at least one item, even if there are no keys.
        let mut filter = self.empty(distinct.max(1))?;
        self.insert(&mut filter, &hashes)?;
        Ok((filter, read))
    }

    /// Builds a static filter from all keys. With `--items` their hashes need not fit into memory.
    fn solve(&self) -> Built {
        let Args { kind, fpr, memory, .. } = self.args;
        let progress = Progress::solving(self.args.quiet);
        let tell = |done, total| progress.tell(done, total);
        let work = Work::new().memory(*memory).progress(&tell);
        if let Some(items) = self.args.items {
            let pass = |take: &mut dyn FnMut(&[KeyHash])| {
                self.each(
                    |_, _| (),
                    |keyed, ()| {
                        take(keyed.hashes);
                        Ok(())
                    },
                )
            };
            let mut keys = Passes::new(self, pass);
            let built = kind.build(&mut keys, items, *fpr, self.seed, work);
            return keys.made(built);
        }
        let mut kept = Distinct::within(*memory);
        let read = self.keep(&mut kept)?;
        let (mut hashes, distinct) = kept.finish();
        let built = kind.build(&mut hashes, distinct.max(1), *fpr, self.seed, work);
        Ok((built.map_err(|error| self.unbuilt(&error))?, read))
    }

    /// Builds a static map from all keys and their values.
    fn map(&self) -> Built {
        let Args { kind, fpr, memory, .. } = self.args;
        let progress = Progress::solving(self.args.quiet);
        let tell = |done, total| progress.tell(done, total);
        let work = Work::new().memory(*memory).progress(&tell);
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
            let built = kind.map(&mut pairs, items, largest, *fpr, self.seed, work);
            return pairs.made(built);
        }
        let mut kept = Distinct::within(*memory);
        let read = self.each_value(|source, more| {
            look(more);
            kept.extend(more).map_err(|_| match self.args.items {
                Some(_) => self.too_many_once(source),
                None => self.too_many(source),
            })
        })?;
        let (mut pairs, distinct) = kept.finish();
        let items = self.args.items.unwrap_or(distinct).max(1);
        let built = kind.map(&mut pairs, items, largest, *fpr, self.seed, work);
        Ok((built.map_err(|error| self.unbuilt(&error))?, read))
    }

    fn empty(&self, items: u64) -> Result<AnyFilter, Stop> {
        let kind = &self.args.kind;
        let queries = kind.hot()?.map(|source| self.queries(source)).transpose()?;
        kind.empty(items, self.args.fpr, self.seed, queries)
    }

    /// How often each key was looked up.
    fn queries(&self, source: Input) -> Result<Queries, Stop> {
        let mut asked = Distinct::keeping_all(self.args.memory);
        BuildInput { sources: &[source], ..*self }.keep(&mut asked)?;
        let asked = asked.finish().0.into_iter().map(|key| (key, 1));
        Queries::counted(asked).map_err(|error| Stop::Error(error.to_string()))
    }

    fn insert(&self, filter: &mut AnyFilter, hashes: &[KeyHash]) -> Result<(), Stop> {
        let kind = filter.kind();
        let Some(filter) = filter.as_insert() else {
            return Err(Stop::about(
                kind,
                "is static and cannot insert keys; choose another --kind",
            ));
        };
        filter.bulk_insert_hashes(hashes, Threads::all()).map_err(|full| {
            let next = match (self.args.takes_every_occurrence(), self.args.items) {
                (true, None) => {
                    "; every copy of a repeated key takes space: insert each key once with --distinct"
                }
                (true, Some(_)) => {
                    "; every copy of a repeated key takes space: insert each key once with --distinct \
                     instead of --items"
                }
                (false, _) => "",
            };
            Stop::Error(format!("{full}{next}"))
        })?;
        Ok(())
    }

    /// Keeps all hashes and returns how many there were.
    fn keep(&self, kept: &mut Distinct) -> Result<u64, Stop> {
        self.each(
            |_, _| (),
            |keyed, ()| kept.extend(keyed.hashes).map_err(|_| self.too_many(keyed.source)),
        )
    }

    fn too_many(&self, source: &Input) -> Stop {
        let memory = units::size(self.args.memory);
        let next = match self.args.distinct {
            true => "raise --memory",
            false => "give their number with --items, or raise --memory",
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
        let memory = units::size(self.args.memory);
        let cause = format!(
            "the keys need more than {memory} of memory, and it cannot be read twice; raise \
             --memory, or write it to a file first"
        );
        Stop::about(source.name(), cause)
    }

    /// Reads all keys and returns how many there were.
    fn each<R: Send>(
        &self,
        work: impl Fn(Batch<'_>, &[KeyHash]) -> R + Sync,
        mut take: impl FnMut(&Keyed<'_>, R) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        let total = self.sources.iter().map(Input::len).sum();
        let progress = Progress::reading(total, self.args.quiet);
        let (sources, recipe, seed) = (self.sources, self.recipe, self.seed);
        let reading = Reading { sources, recipe, seed, binary: self.args.recipe.binary };
        reading.each(work, |keyed, result| {
            take(&keyed, result)?;
            progress.advance(keyed.bytes);
            Ok(ON)
        })
    }

    /// Reads all keys with their values and returns how many there were.
    fn each_value(
        &self,
        mut take: impl FnMut(&Input, &[Pair]) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        let two_columns = !self.args.recipe.names_column();
        self.each(
            |records, hashes| values::of(self.recipe, two_columns, records, hashes),
            |keyed, pairs| {
                let pairs = pairs.map_err(|(at, cause)| {
                    let number = keyed.records.number() + at as u64;
                    let name = record_name(self.recipe);
                    Stop::about(keyed.source.name(), format_args!("{name} {number}: {cause}"))
                })?;
                take(keyed.source, &pairs)
            },
        )
    }

    /// An error of building. The library knows only hashes; this finds the lines that have them.
    fn unbuilt(&self, error: &BuildError) -> Stop {
        let key = match error {
            BuildError::Conflict { key, .. } | BuildError::Value { key, .. } => *key,
            _ => return Stop::Error(error.to_string()),
        };
        let mut lines = Vec::new();
        if self.sources.iter().all(Input::can_be_read_again) {
            // The error is known already, so errors of this second pass do not matter.
            let _ = self.each(
                |_, _| (),
                |keyed, ()| {
                    let name = record_name(self.recipe);
                    let same = (keyed.records.number()..).zip(keyed.hashes);
                    let same = same.filter(|(_, hash)| **hash == key);
                    let line = |(number, _)| format!("{}: {name} {number}", keyed.source.name());
                    lines.extend(same.map(line).take(SHOWN - lines.len()));
                    Ok(())
                },
            );
        }
        let next = match error {
            BuildError::Value { .. } => " with --value-bits",
            _ => "",
        };
        match &lines[..] {
            [] => Stop::Error(format!("{error}{next}")),
            lines => Stop::about(lines.join(", "), format_args!("{error}{next}")),
        }
    }
}

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
    read: Option<u64>,
    failed: Option<Stop>,
}

impl<'a, F> Passes<'a, F> {
    fn new(input: &'a BuildInput<'a>, pass: F) -> Passes<'a, F> {
        Passes { input, pass, read: None, failed: None }
    }

    /// The result of a build from these keys.
    fn made(self, built: Result<AnyFilter, BuildError>) -> Built {
        match (self.failed, built) {
            (Some(stop), _) => Err(stop),
            (None, Err(error)) => Err(self.input.unbuilt(&error)),
            (None, Ok(filter)) => Ok((filter, self.read.unwrap_or(0))),
        }
    }

    fn next(&mut self, pass: impl FnOnce(&mut F) -> Result<u64, Stop>) -> Result<(), Stop> {
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
    F: FnMut(&mut dyn FnMut(&[T])) -> Result<u64, Stop>,
{
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        self.next(|pass| pass(take)).map_err(|stop| {
            // The message is kept here; the library only needs to stop.
            self.failed = Some(stop);
            SourceError::new("stopped").into()
        })
    }
}
