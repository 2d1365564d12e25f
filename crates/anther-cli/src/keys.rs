//! Reads records and hashes their keys, on all cores.
//!
//! One worker at a time reads a block of whole records. It then splits, hashes and looks up the
//! block's keys while another worker reads. The caller gets the blocks in the order of the input.

#[cfg(all(test, anther_shuttle))]
mod model;

use crate::compressed::Unpacked;
use crate::content::{self, Ending};
use crate::exit::Stop;
use crate::input::{Input, Opened};
use crate::output;
use crate::stdin::{self, End};
use crate::sync::mpsc::{Receiver, Sender, channel};
use crate::sync::{Mutex, thread};
use crate::units;
use crate::warning::Warning;
use anther::recipe::Format;
use anther::{KeyHash, Seed};
use anther_records::block_list::ListReader;
use anther_records::blocks::{self, Batch, Splitter};
use anther_records::extract::{Extraction, Extractor};
use anther_records::hashed::{HashedBlock, Hashing, More, Part};
use anther_records::looks::{Look, Looks, RowLooks};
use anther_records::record_error::RecordError;
use serde::Serialize;
use std::any::Any;
use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

/// Inputs, and how to read keys from them.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The inputs, in order.
    pub sources: &'a [Input],
    /// How keys are taken from records.
    pub how: &'a Extraction,
    /// How keys are hashed.
    pub seed: Seed,
}

/// A block as the caller gets it: records, and the hashes of their keys.
pub struct Keyed<'a> {
    /// The input that they are from.
    pub source: &'a Input,
    /// The header row, with the first block of an input. It has no key.
    pub head: Option<&'a [u8]>,
    /// The records.
    pub records: Batch<'a>,
    /// A hash for each of them.
    pub hashes: &'a [KeyHash],
    /// What some of them are inserted as, beside.
    pub more: &'a More,
    /// How many bytes of the input were read for this block.
    pub bytes: u64,
    /// Whether the next block is ready. If not, nobody knows when it comes: what has been printed
    /// should be flushed.
    pub next_is_ready: bool,
}

/// How many records were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Those with a key; a key that comes twice counts twice.
    #[serde(rename = "read")]
    pub keys: u64,
    /// Those whose key is empty, which are left out.
    pub empty: u64,
    /// Malformed ones, which `--skip-malformed` leaves out.
    pub malformed: u64,
    /// Fields that go on behind their closing quote.
    pub odd_quotes: u64,
    /// Rules of ad blockers that block no whole domain, which are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_rules: u64,
    /// Networks and ranges of addresses that are kept as text.
    #[serde(skip)]
    pub networks: u64,
    /// What the first ones looked like.
    #[serde(skip)]
    pub looks: Looks,
    /// What they look like if they are read as CSV, and look like none.
    #[serde(skip)]
    pub no_csv: Option<Look>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Counts {
    /// What was left out, for a report: `, 3 empty keys left out`.
    pub fn left_out(&self) -> String {
        let mut words = String::new();
        for (number, one, many) in [
            (self.empty, "empty key", "empty keys"),
            (self.malformed, "malformed record", "malformed records"),
            (
                self.other_rules,
                "rule that blocks no whole domain",
                "rules that block no whole domain",
            ),
        ] {
            if number > 0 {
                let name = if number == 1 { one } else { many };
                words += &format!(", {} {name} left out", units::count(number));
            }
        }
        if self.odd_quotes > 0 {
            let fields = if self.odd_quotes == 1 { "field goes" } else { "fields go" };
            words += &format!(
                ", {} {fields} on behind a closing quote (is a quote missing? --no-quotes reads \
                 quotes as they are)",
                units::count(self.odd_quotes)
            );
        }
        words
    }

    /// Refuses to make an empty filter of a list of which nothing could be read.
    pub fn refuse_if_all_malformed(&self) -> Result<(), Stop> {
        if self.keys > 0 || self.malformed == 0 {
            return Ok(());
        }
        let cause = "without --skip-malformed the first of them is named";
        Err(Stop::Error(format!("every record is malformed; {cause}")))
    }

    /// Says what was left out, for verbs that report nothing else.
    pub fn say_left_out(&self) {
        if let Some(words) = self.left_out().strip_prefix(", ") {
            output::complain(words);
        }
    }
}

/// Whether to read on.
pub type Go = ControlFlow<()>;

/// Read on.
pub const ON: Go = ControlFlow::Continue(());

/// The rest is not needed.
pub const ENOUGH: Go = ControlFlow::Break(());

/// What a worker made of a block, of a type that the caller knows.
type Outcome = Box<dyn Any + Send>;

/// Runs for each block, on all threads.
type Work<'w> = &'w (dyn Fn(Part<'_>) -> Outcome + Sync);

/// Gets the blocks in order, with what came of them, and says whether to read on.
type Take<'t> = &'t mut dyn FnMut(Keyed<'_>, Outcome) -> Result<Go, Stop>;

impl Reading<'_> {
    /// Checks that no file is something else than a list. Reading does this, too; the error should
    /// not come after other inputs were read.
    pub fn check(self) -> Result<(), Stop> {
        if self.how.binary || matches!(self.how.place.format, Format::Records(_)) {
            return Ok(());
        }
        self.sources.iter().try_for_each(Input::check_content)
    }

    /// Reads everything and returns how much there was. `work` runs for each block, on all threads;
    /// `take` gets the blocks in order, with the results of `work`, and says whether to read on.
    pub fn each<R: Send + 'static>(
        self,
        work: impl Fn(Batch<'_>, &[KeyHash]) -> R + Sync,
        take: impl FnMut(Keyed<'_>, R) -> Result<Go, Stop>,
    ) -> Result<Counts, Stop> {
        self.each_part(&[self.seed], false, |part| work(part.records, &part.hashes[0]), take)
    }

    /// The same for several seeds, and with the keys themselves if they are kept.
    pub fn each_part<R: Send + 'static>(
        self,
        seeds: &[Seed],
        keep_keys: bool,
        work: impl Fn(Part<'_>) -> R + Sync,
        mut take: impl FnMut(Keyed<'_>, R) -> Result<Go, Stop>,
    ) -> Result<Counts, Stop> {
        // One box per block, and all that follows is compiled once instead of for each of thirty callers.
        let work = |part: Part<'_>| -> Outcome { Box::new(work(part)) };
        let mut take = |keyed: Keyed<'_>, outcome: Outcome| match outcome.downcast() {
            Ok(result) => take(keyed, *result),
            Err(_) => unreachable!("`work` made it"),
        };
        self.each_outcome(Hashing { how: self.how, seeds, keep_keys }, &work, &mut take)
    }

    fn each_outcome(
        self,
        hashing: Hashing<'_>,
        work: Work<'_>,
        take: Take<'_>,
    ) -> Result<Counts, Stop> {
        self.check()?;
        let (given, go) = self.given(hashing, work, take)?;
        if go.is_break() || self.sources.iter().all(|source| matches!(source, Input::Keys(_))) {
            return Ok(given);
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let reads_stdin = self.sources.iter().any(|source| matches!(source, Input::Stdin));
        let (stdin, end) = reads_stdin.then(stdin::open).unzip();
        let total = self.on_threads(threads, (stdin, end.flatten()), hashing, work, take)?;
        if let Some(look) = total.no_csv {
            let first = self.sources.iter().find(|source| !matches!(source, Input::Keys(_)));
            let name = first.map_or(String::new(), Input::name);
            Warning::NoCsv { look }.say_of_input(&name);
        }
        let (keys, networks) = (total.keys + given.keys, total.networks + given.networks);
        Ok(Counts { keys, networks, ..total })
    }

    /// Reads all inputs but the keys of the command line, on this many threads.
    fn on_threads(
        self,
        threads: usize,
        (stdin, end): (Option<Box<dyn Read + Send>>, Option<End>),
        hashing: Hashing<'_>,
        work: Work<'_>,
        take: Take<'_>,
    ) -> Result<Counts, Stop> {
        let (free, lots) = channel();
        // One per thread to work on, and as many in the queues.
        for _ in 0..2 * threads {
            let _ = free.send(Lot::default());
        }
        let feed = Mutex::new(Feed::new(self, stdin, lots));
        let (done, finished) = channel();
        thread::scope(|scope| {
            for worker in 0..threads {
                let (done, feed) = (done.clone(), &feed);
                let work = move || self.work(feed, &done, hashing, work);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    // A limit on processes. One worker does it all, and without any nothing is read.
                    Err(_) if worker > 0 => break,
                    Err(error) => {
                        let cause =
                            format_args!("{error}; raise the limit on processes (ulimit -u)");
                        return Err(Stop::about("cannot start a thread", cause));
                    }
                }
            }
            drop(done);
            let taken = self.take(&finished, &free, take);
            // Unblocks workers that wait for bytes or for a free block.
            drop((finished, free));
            if let Some(end) = end {
                end.now();
            }
            taken
        })
    }

    /// Passes on the keys of the command line, which come first. Returns their counts, and whether
    /// to read on.
    fn given(
        self,
        hashing: Hashing<'_>,
        work: Work<'_>,
        take: Take<'_>,
    ) -> Result<(Counts, Go), Stop> {
        let mut total = Counts::default();
        for source in self.sources {
            let Input::Keys(given) = source else { continue };
            let mut extractor = Extractor::new(self.how);
            let mut hashed = HashedBlock::new(hashing);
            for argument in given.iter() {
                let key = extractor.argument(argument.as_encoded_bytes()).map_err(|error| {
                    let more = self.how.about_refused(&error);
                    Stop::about(argument.to_string_lossy(), format_args!("{error}{more}"))
                })?;
                hashed.push(hashing, key);
            }
            let result = work(hashed.part());
            total.keys += given.len() as u64;
            total.networks += hashed.keys.networks;
            let keyed = Keyed {
                source,
                head: None,
                records: hashed.block.records(1),
                hashes: &hashed.keys.hashes[0],
                more: &hashed.keys.more,
                bytes: given.iter().map(|key| key.len() as u64).sum(),
                next_is_ready: false,
            };
            if take(keyed, result)?.is_break() {
                return Ok((total, ENOUGH));
            }
        }
        Ok((total, ON))
    }

    /// The loop of a worker: everything that does not depend on earlier blocks.
    fn work(
        self,
        feed: &Mutex<Feed<'_>>,
        done: &Sender<Finished>,
        hashing: Hashing<'_>,
        work: Work<'_>,
    ) {
        let _ends = EndsWithPanic(done);
        let mut extractor = None;
        loop {
            // A worker that panicked while reading has reported it.
            let next = feed.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((ticket, lot)) = next else { break };
            let result = lot.and_then(|mut lot| {
                lot.hash(hashing, &mut extractor)?;
                let result = work(lot.hashed.part());
                Ok((lot, result))
            });
            if done.send(Some((ticket, result))).is_err() {
                break;
            }
        }
    }

    /// Passes finished blocks on, in order.
    fn take(
        self,
        finished: &Receiver<Finished>,
        free: &Sender<Lot>,
        take: Take<'_>,
    ) -> Result<Counts, Stop> {
        let mut early = BTreeMap::new();
        // The index of the input, and how many of its lines were before this block.
        let (mut total, mut source, mut before) = (Counts::default(), 0, 0);
        let mut panicked = false;
        for ticket in 0_u64.. {
            let result = loop {
                if let Some(result) = early.remove(&ticket) {
                    break result;
                }
                if panicked {
                    return Ok(total);
                }
                match finished.recv() {
                    Ok(Some((ticket, result))) => early.insert(ticket, result),
                    // The end, or a panic, which resumes when its thread is joined.
                    Ok(None) | Err(_) => return Ok(total),
                };
            };
            while let Ok(more) = finished.try_recv() {
                match more {
                    Some((ticket, result)) => drop(early.insert(ticket, result)),
                    None => panicked = true,
                }
            }
            let before_block = before;
            let explain = |failure: &Failure, source, no_csv| {
                let before = if failure.source == source { before_block } else { 0 };
                self.explain(failure, before, no_csv)
            };
            let (mut lot, result) = result.map_err(|failure| explain(&failure, source, None))?;
            total.no_csv = lot.rows.other_format();
            let failed = lot.failed.take().map(|failure| explain(&failure, source, total.no_csv));
            if lot.source != source {
                (source, before) = (lot.source, 0);
            }
            let head = lot.head.as_deref().filter(|_| lot.is_first);
            before += head.map_or(0, |head| blocks::newlines_of(head).into());
            let keyed = Keyed {
                source: &self.sources[source],
                head,
                records: lot.hashed.block.records(before + 1),
                hashes: &lot.hashed.keys.hashes[0],
                more: &lot.hashed.keys.more,
                bytes: lot.bytes,
                next_is_ready: early.contains_key(&(ticket + 1)),
            };
            before += lot.hashed.block.line_count();
            total.keys += lot.hashed.keys.hashes[0].len() as u64;
            total.empty += lot.hashed.keys.empty;
            total.malformed += lot.hashed.keys.malformed;
            total.other_rules += lot.hashed.keys.other_rules;
            total.networks += lot.hashed.keys.networks;
            total.odd_quotes += u64::from(lot.hashed.block.odd_quotes());
            if !lot.is_rows {
                total.looks.see(self.how, lot.head.as_deref(), lot.hashed.block.records(1));
            }
            if take(keyed, result)?.is_break() {
                break;
            }
            if let Some(stop) = failed {
                return Err(stop);
            }
            lot.hashed.block.shrink();
            let _ = free.send(lot);
        }
        Ok(total)
    }

    fn explain(self, failure: &Failure, before: u64, no_csv: Option<Look>) -> Stop {
        let name = self.sources[failure.source].name();
        let (number, error) = match &failure.cause {
            Cause::Unreadable(cause) => return Stop::about(name, cause),
            Cause::Head(error) => (1, error),
            Cause::Key(line, error) => {
                // The header row of the first block has not been counted.
                let head = failure.head.as_deref().filter(|_| failure.is_first);
                (before + head.map_or(0, |head| blocks::newlines_of(head).into()) + line, error)
            }
        };
        let mut more = self.how.about_refused(error);
        let is_place = matches!(error, RecordError::Key { .. } | RecordError::Columns { .. });
        if let (true, Some(look)) = (is_place, no_csv) {
            more += &format!("; {}", look.instead_of_csv());
        } else if number == 1
            && self.how.may_lack_header()
            && matches!(error, RecordError::Key { .. })
        {
            more += "; if the first line names the columns, add --header";
        }
        let record = self.how.record_name();
        Stop::about(name, format_args!("{record} {number}: {error}{more}"))
    }
}

/// A finished block, or `None` from a worker that panics.
type Finished = Option<(u64, Result<(Lot, Outcome), Failure>)>;

/// Reports a panic, so that nobody waits for this worker's block.
struct EndsWithPanic<'a>(&'a Sender<Finished>);

impl Drop for EndsWithPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(None);
        }
    }
}

/// A block on its way from the reader to the caller.
#[derive(Default)]
struct Lot {
    hashed: HashedBlock,
    /// The index of its input.
    source: usize,
    is_first: bool,
    /// The header row of its input.
    head: Option<Arc<[u8]>>,
    /// Whether its records are rows of a Parquet file.
    is_rows: bool,
    /// What its rows and those before look like.
    rows: RowLooks,
    bytes: u64,
    /// What is wrong with the record behind its last one. What came before is answered first.
    failed: Option<Failure>,
}

/// Why there is no block, or no more of it.
struct Failure {
    source: usize,
    /// Whether it is in the first block of its input, and the header row there.
    is_first: bool,
    head: Option<Arc<[u8]>>,
    cause: Cause,
}

enum Cause {
    /// It cannot be read, or is not a list.
    Unreadable(String),
    /// The header row does not have the column.
    Head(RecordError),
    /// The record on this line of its block, from 1, has no key.
    Key(u64, RecordError),
}

impl Lot {
    /// Whether its first record is the first of its input.
    fn begins(&self) -> bool {
        self.is_first && self.head.is_none()
    }

    fn failure(&self, cause: Cause) -> Failure {
        let (source, is_first, head) = (self.source, self.is_first, self.head.clone());
        Failure { source, is_first, head, cause }
    }

    fn splitter(&self, how: &Extraction) -> Splitter {
        Splitter::of(if self.is_rows { Format::Parquet } else { how.place.format })
    }

    /// Hashes the keys. A worker keeps its extractor for all blocks of one input.
    fn hash<'k>(
        &mut self,
        hashing: Hashing<'k>,
        kept: &mut Option<(usize, Extractor<'k>)>,
    ) -> Result<(), Failure> {
        let (how, source) = (hashing.how, self.source);
        let make = || if self.is_rows { Extractor::of_rows(how) } else { Extractor::new(how) };
        if kept.as_ref().is_none_or(|(of, _)| *of != source) {
            let mut extractor = make();
            if let Some(head) = &self.head {
                extractor.header(head).map_err(|error| self.failure(Cause::Head(error)))?;
            }
            *kept = Some((source, extractor));
        }
        let (_, extractor) = kept.get_or_insert_with(|| (source, make()));
        let records = (self.splitter(how), self.begins(), self.is_rows);
        let refused = self.hashed.hash(hashing, extractor, records);
        self.failed = refused.map(|(line, error)| self.failure(Cause::Key(line, error)));
        Ok(())
    }
}

/// Reads blocks, one at a time.
struct Feed<'a> {
    reading: Reading<'a>,
    stdin: Option<Box<dyn Read + Send>>,
    /// Blocks to fill.
    lots: Receiver<Lot>,
    /// How many were read.
    tickets: u64,
    /// The index of the current input, and its reader once it is open.
    source: usize,
    open: Option<Unpacked>,
    is_rows: bool,
    rows: RowLooks,
    head: Option<Arc<[u8]>>,
    /// The bytes after the last whole record.
    rest: Vec<u8>,
    failed: bool,
}

impl<'a> Feed<'a> {
    fn new(
        reading: Reading<'a>,
        stdin: Option<Box<dyn Read + Send>>,
        lots: Receiver<Lot>,
    ) -> Feed<'a> {
        Feed {
            reading,
            stdin,
            lots,
            tickets: 0,
            source: 0,
            open: None,
            is_rows: false,
            rows: RowLooks::default(),
            head: None,
            rest: Vec::new(),
            failed: false,
        }
    }

    /// The next block and its number, or an error; `None` after the last.
    fn next(&mut self) -> Option<(u64, Result<Lot, Failure>)> {
        if self.failed || self.source == self.reading.sources.len() {
            return None;
        }
        let lot = self.lots.recv().ok()?;
        let ticket = self.tickets;
        self.tickets += 1;
        match self.fill(lot) {
            Ok(lot) => lot.map(|lot| (ticket, Ok(lot))),
            Err(cause) => {
                self.failed = true;
                let cause = Cause::Unreadable(cause);
                let failure = Failure { source: self.source, is_first: false, head: None, cause };
                Some((ticket, Err(failure)))
            }
        }
    }

    fn fill(&mut self, mut lot: Lot) -> Result<Option<Lot>, String> {
        let Reading { sources, how, .. } = self.reading;
        while let Some(source) = sources.get(self.source) {
            lot.is_first = self.open.is_none();
            let open = match &mut self.open {
                Some(open) => open,
                none => {
                    let cannot = |error| format!("cannot read: {error}");
                    let Opened { reader, is_rows } =
                        source.open(how, &mut self.stdin).map_err(cannot)?;
                    self.is_rows = is_rows;
                    none.insert(match (is_rows, how.block_list) {
                        (true, _) => Unpacked::plain(reader),
                        (_, Some(of)) => Unpacked::of(reader)
                            .map_err(cannot)?
                            .through(|list| Box::new(ListReader::new(of, list))),
                        _ => Unpacked::of(reader).map_err(cannot)?,
                    })
                }
            };
            lot.is_rows = self.is_rows;
            let splitter = lot.splitter(how);
            let before = if lot.is_first { 0 } else { open.bytes_read() };
            let filled = lot.hashed.block.fill(open, splitter, &mut self.rest, lot.is_first);
            let is_checked = lot.is_first && !lot.is_rows && !how.binary;
            // Also if the block is full and has no end of a record, which is an error.
            if is_checked && (filled.is_ok() || open.packing().is_none()) {
                let ending = Ending::of(how.place.format);
                let refusal = content::refusal(lot.hashed.block.bytes(), ending, open.packing());
                refusal.map_or(Ok(()), Err)?;
                if content::looks_binary(lot.hashed.block.bytes(), ending) {
                    Warning::LooksBinary.say_of_input(&source.name());
                }
            }
            if !filled.map_err(|error| open.explain(&error))? {
                (self.open, self.head) = (None, None);
                self.source += 1;
                continue;
            }
            if lot.is_first && how.place.has_header() && !lot.is_rows {
                self.head = Some(Arc::from(lot.hashed.block.take_first(splitter)));
            }
            if !lot.is_rows {
                self.rows.see(how, lot.hashed.block.records(1));
            }
            (lot.source, lot.head, lot.rows) = (self.source, self.head.clone(), self.rows);
            lot.bytes = open.bytes_read() - before;
            return Ok(Some(lot));
        }
        Ok(None)
    }
}
