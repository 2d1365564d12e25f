//! Reads records and hashes their keys, by a recipe, on all cores.
//!
//! One worker at a time reads a block of whole records. It then splits, hashes and looks up the
//! block's keys while another worker reads. The caller gets the blocks in the order of the input.

use crate::blocks::{Batch, Block};
use crate::compressed::Unpacked;
use crate::content::{self, Ending};
use crate::exit::Stop;
use crate::extract::{self, Extractor, KeyError};
use crate::input::Input;
use crate::stdin::{Blocks, Piped};
use anther::recipe::Separator;
use anther::{KeyHash, Recipe, Seed};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Inputs, and how to read keys from them.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The inputs, in order.
    pub sources: &'a [Input],
    /// How keys are read from records.
    pub recipe: &'a Recipe,
    /// How keys are hashed.
    pub seed: Seed,
    /// Whether the inputs are read whatever they look like.
    pub binary: bool,
}

/// A block as a worker sees it: records, and the hashes of their keys.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The records, numbered from 1 within the block.
    pub records: Batch<'a>,
    /// For each seed, a hash for each record.
    pub hashes: &'a [Vec<KeyHash>],
    bytes: &'a [u8],
    keys: &'a Kept,
}

impl<'a> Part<'a> {
    /// The key of the record at this position, if keys are kept.
    pub fn key(self, at: usize) -> &'a [u8] {
        let Span { start, len, is_made } = self.keys.spans[at];
        let bytes = if is_made { &self.keys.made } else { self.bytes };
        &bytes[start..start + len]
    }
}

/// Where the keys of a block are: in the block itself, or in `made` if they differ from the record.
#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    made: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
    is_made: bool,
}

impl Kept {
    fn clear(&mut self) {
        self.spans.clear();
        self.made.clear();
    }

    fn push(&mut self, block: &[u8], key: &[u8]) {
        let start = key.as_ptr().addr().wrapping_sub(block.as_ptr().addr());
        let is_made = !(start <= block.len() && key.len() <= block.len() - start);
        let start = if is_made { self.made.len() } else { start };
        if is_made {
            self.made.extend_from_slice(key);
        }
        self.spans.push(Span { start, len: key.len(), is_made });
    }
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
    /// How many bytes of the input were read for this block.
    pub bytes: u64,
}

/// Whether to read on.
pub type Go = ControlFlow<()>;

/// Read on.
pub const ON: Go = ControlFlow::Continue(());

/// The rest is not needed.
pub const ENOUGH: Go = ControlFlow::Break(());

impl Reading<'_> {
    /// Checks that no file is something else than a list. Reading does this, too; the error should
    /// not come after other inputs were read.
    pub fn check(self) -> Result<(), Stop> {
        if self.binary { Ok(()) } else { self.sources.iter().try_for_each(Input::check_content) }
    }

    /// Reads everything and returns the number of keys. `work` runs for each block, on all threads;
    /// `take` gets the blocks in order, with the results of `work`, and says whether to read on.
    pub fn each<R: Send>(
        self,
        work: impl Fn(Batch<'_>, &[KeyHash]) -> R + Sync,
        take: impl FnMut(Keyed<'_>, R) -> Result<Go, Stop>,
    ) -> Result<u64, Stop> {
        self.each_part(&[self.seed], false, |part| work(part.records, &part.hashes[0]), take)
    }

    /// The same for several seeds, and with the keys themselves if they are kept.
    pub fn each_part<R: Send>(
        self,
        seeds: &[Seed],
        keep_keys: bool,
        work: impl Fn(Part<'_>) -> R + Sync,
        mut take: impl FnMut(Keyed<'_>, R) -> Result<Go, Stop>,
    ) -> Result<u64, Stop> {
        self.check()?;
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let reads_stdin = self.sources.iter().any(|source| matches!(source, Input::Stdin));
        let piped = reads_stdin.then(Piped::stdin);
        let (stdin, end) = piped.map(|piped| (piped.reader, piped.end)).unzip();
        let (free, lots) = channel();
        // One per thread to work on, and as many in the queues.
        for _ in 0..2 * threads {
            let _ = free.send(Lot::default());
        }
        let feed = Mutex::new(Feed::new(self, stdin, lots));
        let (done, finished) = channel();
        thread::scope(|scope| {
            for _ in 0..threads {
                let (done, feed, work) = (done.clone(), &feed, &work);
                scope.spawn(move || self.work(feed, &done, (seeds, keep_keys), work));
            }
            drop(done);
            let taken = self.take(&finished, &free, &mut take);
            // Unblocks workers that wait for bytes or for a free block.
            drop((finished, free));
            if let Some(end) = end {
                end.now();
            }
            taken
        })
    }

    /// The loop of a worker: everything that does not depend on earlier blocks.
    fn work<R>(
        self,
        feed: &Mutex<Feed<'_>>,
        done: &Sender<Finished<R>>,
        (seeds, keep_keys): (&[Seed], bool),
        work: &impl Fn(Part<'_>) -> R,
    ) {
        let _ends = EndsWithPanic(done);
        let mut extractor = None;
        loop {
            // A worker that panicked while reading has reported it.
            let next = feed.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((ticket, lot)) = next else { break };
            let result = lot.and_then(|mut lot| {
                lot.hash(self.recipe, seeds, keep_keys, &mut extractor)?;
                let (records, bytes) = (lot.block.records(1), lot.block.bytes());
                let result = work(Part { records, hashes: &lot.hashes, bytes, keys: &lot.keys });
                Ok((lot, result))
            });
            if done.send(Some((ticket, result))).is_err() {
                break;
            }
        }
    }

    /// Passes finished blocks on, in order.
    fn take<R>(
        self,
        finished: &Receiver<Finished<R>>,
        free: &Sender<Lot>,
        take: &mut impl FnMut(Keyed<'_>, R) -> Result<Go, Stop>,
    ) -> Result<u64, Stop> {
        let mut early = BTreeMap::new();
        let (mut total, mut source, mut before) = (0, 0, 0);
        for ticket in 0.. {
            let result = loop {
                if let Some(result) = early.remove(&ticket) {
                    break result;
                }
                match finished.recv() {
                    Ok(Some((ticket, result))) => early.insert(ticket, result),
                    // The end, or a panic, which resumes when its thread is joined.
                    Ok(None) | Err(_) => return Ok(total),
                };
            };
            let (lot, result) = result.map_err(|failure| {
                let before = if failure.source == source { before } else { 0 };
                self.explain(&failure, before)
            })?;
            if lot.source != source {
                (source, before) = (lot.source, 0);
            }
            let head = lot.head.as_deref().filter(|_| lot.is_first);
            before += u64::from(head.is_some());
            let keyed = Keyed {
                source: &self.sources[source],
                head,
                records: lot.block.records(before + 1),
                hashes: &lot.hashes[0],
                bytes: lot.bytes,
            };
            let keys = lot.hashes[0].len() as u64;
            (total, before) = (total + keys, before + keys);
            if take(keyed, result)?.is_break() {
                break;
            }
            let _ = free.send(lot);
        }
        Ok(total)
    }

    fn explain(self, failure: &Failure, before: u64) -> Stop {
        let name = self.sources[failure.source].name();
        let (number, error) = match &failure.cause {
            Cause::Unreadable(cause) => return Stop::about(name, cause),
            Cause::Head(error) => (1, error),
            Cause::Key(at, error) => {
                let head = u64::from(extract::has_head(self.recipe) && before == 0);
                (before + head + 1 + *at as u64, error)
            }
        };
        Stop::about(name, format_args!("{} {number}: {error}", record_name(self.recipe)))
    }
}

/// The name of a record in messages.
pub fn record_name(recipe: &Recipe) -> &'static str {
    match recipe.separator {
        Separator::Line => "line",
        Separator::Nul => "record",
    }
}

/// A finished block, or `None` from a worker that panics.
type Finished<R> = Option<(u64, Result<(Lot, R), Failure>)>;

/// Reports a panic, so that nobody waits for this worker's block.
struct EndsWithPanic<'a, R>(&'a Sender<Finished<R>>);

impl<R> Drop for EndsWithPanic<'_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(None);
        }
    }
}

/// A block and its hashes.
#[derive(Default)]
struct Lot {
    block: Block,
    /// For each seed.
    hashes: Vec<Vec<KeyHash>>,
    keys: Kept,
    /// The index of its input.
    source: usize,
    is_first: bool,
    /// The header row of its input.
    head: Option<Arc<[u8]>>,
    bytes: u64,
}

/// Why there is no block.
struct Failure {
    source: usize,
    cause: Cause,
}

enum Cause {
    /// It cannot be read, or is not a list.
    Unreadable(String),
    /// The header row does not have the column.
    Head(KeyError),
    /// The record at this position of its block has no key.
    Key(usize, KeyError),
}

impl Lot {
    /// Whether its first record is the first of its input.
    fn begins(&self) -> bool {
        self.is_first && self.head.is_none()
    }

    /// Hashes the keys. A worker keeps its extractor for all blocks of one input.
    fn hash<'k>(
        &mut self,
        recipe: &'k Recipe,
        seeds: &[Seed],
        keep_keys: bool,
        kept: &mut Option<(usize, Extractor<'k>)>,
    ) -> Result<(), Failure> {
        let source = self.source;
        let failure = |cause| Failure { source, cause };
        if kept.as_ref().is_none_or(|(of, _)| *of != source) {
            let mut extractor = Extractor::new(recipe);
            if let Some(head) = &self.head {
                extractor.head(head).map_err(|error| failure(Cause::Head(error)))?;
            }
            *kept = Some((source, extractor));
        }
        let (_, extractor) = kept.get_or_insert_with(|| (source, Extractor::new(recipe)));
        self.block.cut(recipe.separator.byte());
        self.hashes.resize_with(seeds.len(), Vec::new);
        self.hashes.iter_mut().for_each(Vec::clear);
        self.keys.clear();
        let begins = self.begins();
        for (at, record) in self.block.records(1).enumerate() {
            let first = at == 0 && begins;
            let record = if first { extract::without_mark(recipe, record) } else { record };
            let key = extractor.key(record).map_err(|error| failure(Cause::Key(at, error)))?;
            for (seed, hashes) in seeds.iter().zip(&mut self.hashes) {
                hashes.push(seed.hash_bytes(key));
            }
            if keep_keys {
                self.keys.push(self.block.bytes(), key);
            }
        }
        Ok(())
    }
}

/// Reads blocks, one at a time.
struct Feed<'a> {
    reading: Reading<'a>,
    stdin: Option<Blocks>,
    /// Blocks to fill.
    lots: Receiver<Lot>,
    /// How many were read.
    tickets: u64,
    /// The index of the current input, and its reader once it is open.
    source: usize,
    open: Option<Unpacked>,
    head: Option<Arc<[u8]>>,
    /// The bytes after the last whole record.
    rest: Vec<u8>,
    failed: bool,
}

impl<'a> Feed<'a> {
    fn new(reading: Reading<'a>, stdin: Option<Blocks>, lots: Receiver<Lot>) -> Feed<'a> {
        Feed {
            reading,
            stdin,
            lots,
            tickets: 0,
            source: 0,
            open: None,
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
                Some((ticket, Err(Failure { source: self.source, cause })))
            }
        }
    }

    fn fill(&mut self, mut lot: Lot) -> Result<Option<Lot>, String> {
        let Reading { sources, recipe, binary, .. } = self.reading;
        while let Some(source) = sources.get(self.source) {
            lot.is_first = self.open.is_none();
            let open = match &mut self.open {
                Some(open) => open,
                none => {
                    let unpacked = source.open(recipe, &mut self.stdin).and_then(Unpacked::of);
                    none.insert(unpacked.map_err(|error| format!("cannot read: {error}"))?)
                }
            };
            let separator = recipe.separator.byte();
            let before = if lot.is_first { 0 } else { open.bytes_read() };
            let filled = lot.block.fill(open, separator, &mut self.rest);
            // Also if the block is full and has no end of a record, which is an error.
            if lot.is_first && !binary && (filled.is_ok() || open.packing().is_none()) {
                let ending = match recipe.separator {
                    Separator::Line => Ending::Line,
                    Separator::Nul => Ending::Nul,
                };
                let refusal = content::refusal(lot.block.bytes(), ending, open.packing());
                refusal.map_or(Ok(()), Err)?;
            }
            if !filled.map_err(|error| open.explain(&error))? {
                (self.open, self.head) = (None, None);
                self.source += 1;
                continue;
            }
            if lot.is_first && extract::has_head(recipe) {
                self.head = Some(Arc::from(lot.block.take_first(separator)));
            }
            (lot.source, lot.head) = (self.source, self.head.clone());
            lot.bytes = open.bytes_read() - before;
            return Ok(Some(lot));
        }
        Ok(None)
    }
}
