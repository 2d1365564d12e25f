//! One pass: each line is passed or dropped when it arrives.

use super::seen::Seen;
use super::state::StateFile;
use super::summary::Summary;
use super::{Args, Subtrahend};
use crate::exit::Stop;
use crate::input::Input;
use crate::interrupt;
use crate::keys::{ON, Reading};
use crate::output::{self, Out, Subject};
use anther::{FingerprintSet, KeyHash};
use anther_records::blocks::Batch;
use anther_records::extract::Extraction;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long Ctrl-C waits for lines to be written and for the state to be saved. A second Ctrl-C does
/// not wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often the state is saved, unless an option says otherwise.
const CHECKPOINT: Duration = Duration::from_secs(30);

impl Args {
    /// Passes lines on.
    pub(super) fn stream(
        &self,
        sources: &[Input],
        minus: &[Subtrahend],
        how: &Extraction,
    ) -> Result<(), Stop> {
        let horizon = self.horizon();
        let ([seed, _], named) = (self.seeds()?, self.key.given()?.is_some());
        let (seen, seed, state) = match &self.state {
            None => (Seen::new(horizon)?, seed, None),
            Some(path) => {
                let (state, found) = StateFile::open(path, horizon, how, (seed, named))?;
                let (seen, seed) = match found {
                    Some(found) => found,
                    None => (Seen::new(horizon)?, seed),
                };
                (seen, seed, Some(state))
            }
        };
        let dropped = dropped(minus, seed)?;
        let saves = state.is_some();
        let checkpoint = self.checkpoint.unwrap_or(CHECKPOINT);
        let mut core = Core {
            seen,
            state,
            is_flushed: true,
            is_done: false,
            unsaved: 0,
            saved: Instant::now(),
            pause: checkpoint,
            least_pause: checkpoint,
        };
        // A new file is there from the start: what is wrong with its folder is an error at once.
        core.save()?;
        let core = Arc::new(Mutex::new(core));
        interrupt::before_end(before_end(&core));
        if saves {
            checkpoints(&core);
        }
        let mut printer = Printer::new(how, self.json, false);
        let mut summary = Summary::default();
        let (mut is_new, mut is_printed) = (Vec::new(), true);
        let reading = Reading { sources, how, seed };
        let counts = reading.each(
            |_, _| (),
            |keyed, ()| {
                let mut core = lock(&core);
                is_printed = false;
                is_new.clear();
                is_new.resize(keyed.hashes.len(), false);
                core.is_flushed = false;
                match &dropped {
                    None => core.seen.insert(keyed.hashes, &mut is_new)?,
                    Some(dropped) => core.insert_others(dropped, keyed.hashes, &mut is_new)?,
                }
                summary.read += keyed.hashes.len() as u64;
                printer.head(keyed.head, keyed.source)?;
                let passed = printer.records(keyed.records, &is_new)?;
                summary.passed += passed;
                core.unsaved += passed;
                is_printed = true;
                if core.is_due() || interrupt::came() || !keyed.next_is_ready {
                    printer.flush()?;
                    core.is_flushed = true;
                }
                if core.is_due() {
                    core.save()?;
                }
                Ok(ON)
            },
        );
        let mut core = lock(&core);
        core.is_done = true;
        // What was not written must not be in the state; what was written should be, also if the
        // input had an error further on.
        let written = if is_printed { printer.finish() } else { Ok(()) };
        core.is_flushed = is_printed && written.is_ok();
        let saved = if core.is_flushed && core.unsaved > 0 { core.save() } else { Ok(()) };
        let counts = counts?;
        written.and(saved)?;
        summary.bytes = Some(core.seen.bytes());
        summary.set_chance(horizon, core.seen.distinct());
        drop(core);
        summary.print(self.json, &counts);
        Ok(())
    }
}

/// The lines of `--minus` and `--minus-keys`.
fn dropped(minus: &[Subtrahend], seed: anther::Seed) -> Result<Option<FingerprintSet>, Stop> {
    if minus.is_empty() {
        return Ok(None);
    }
    let (mut dropped, mut is_new) = (FingerprintSet::new(), Vec::new());
    for files in minus {
        let read = files.reading(seed).each(
            |_, _| (),
            |keyed, ()| {
                is_new.resize(keyed.hashes.len(), false);
                let inserted = dropped.insert_hashes(keyed.hashes, &mut is_new);
                inserted.map_err(|error| Stop::about("--minus", error))?;
                Ok(ON)
            },
        );
        read.map_err(|stop| files.explained(stop))?;
    }
    Ok(Some(dropped))
}

/// What the threads share: the one that passes lines, the one that saves while no lines come, and
/// the one that ends the program. Lines are printed while it is locked.
struct Core {
    seen: Seen,
    state: Option<StateFile>,
    /// Whether all lines that were passed are written.
    is_flushed: bool,
    is_done: bool,
    /// Lines that were passed since the state was saved.
    unsaved: u64,
    saved: Instant,
    /// The time between two saves.
    pause: Duration,
    least_pause: Duration,
}

fn lock(core: &Mutex<Core>) -> MutexGuard<'_, Core> {
    core.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    fn is_due(&self) -> bool {
        self.state.is_some() && self.unsaved > 0 && self.saved.elapsed() >= self.pause
    }

    /// Inserts the lines that are not dropped anyway, which need not be remembered.
    fn insert_others(
        &mut self,
        dropped: &FingerprintSet,
        lines: &[KeyHash],
        is_new: &mut [bool],
    ) -> Result<(), Stop> {
        dropped.contains_hashes(lines, is_new);
        let places: Vec<usize> = (0..lines.len()).filter(|at| !is_new[*at]).collect();
        let others: Vec<KeyHash> = places.iter().map(|at| lines[*at]).collect();
        let mut others_new = vec![false; others.len()];
        self.seen.insert(&others, &mut others_new)?;
        is_new.fill(false);
        places.iter().zip(others_new).for_each(|(at, new)| is_new[*at] = new);
        Ok(())
    }

    /// Saves the state, if there is a file for it.
    fn save(&mut self) -> Result<(), Stop> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let start = Instant::now();
        if self.unsaved > 0 {
            // Otherwise a power cut could take lines away that the state has.
            output::sync()?;
        }
        state.save(&self.seen)?;
        self.unsaved = 0;
        self.saved = Instant::now();
        self.pause = self.least_pause.max(20 * start.elapsed());
        Ok(())
    }
}

/// Before a signal ends the program: waits until the lines that were passed are written, and saves.
fn before_end(core: &Arc<Mutex<Core>>) -> Box<dyn FnOnce() + Send> {
    let core = Arc::clone(core);
    Box::new(move || {
        let start = Instant::now();
        // If the reader of our output does not read, there is no end to wait for.
        while start.elapsed() < PATIENCE {
            if let Ok(mut core) = core.try_lock()
                && core.is_flushed
            {
                if core.unsaved > 0 {
                    // The last state stays, and its lines may repeat.
                    let _ = core.save();
                }
                // No more lines are passed.
                std::mem::forget(core);
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    })
}

/// Saves the state while no lines come.
fn checkpoints(core: &Arc<Mutex<Core>>) {
    let core = Arc::clone(core);
    let often = Duration::from_millis(200);
    // Without the thread, the state is saved when the next lines come.
    let _ = thread::Builder::new().spawn(move || {
        loop {
            thread::sleep(often);
            let mut core = lock(&core);
            if core.is_done {
                return;
            }
            if core.is_flushed && core.is_due() && core.save().is_err() {
                // The next lines bring the error to light.
                core.saved = Instant::now();
            }
        }
    });
}

/// Prints lines: as they are, or as JSON, with or without counts.
pub struct Printer<'a> {
    out: Out,
    how: &'a Extraction,
    json: bool,
    counts: bool,
    last_head: Option<Vec<u8>>,
    /// Whether the last line had its end. That of a file may lack it, and the next file goes on.
    is_whole: bool,
}

#[derive(Serialize)]
struct PrintedLine<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

impl<'a> Printer<'a> {
    pub fn new(how: &'a Extraction, json: bool, counts: bool) -> Printer<'a> {
        Printer { out: Out::stdout(), how, json, counts, last_head: None, is_whole: true }
    }

    /// The header row of an input, unless it is that of the last one.
    pub fn head(&mut self, head: Option<&[u8]>, source: &Input) -> Result<(), Stop> {
        let Some(head) = head.filter(|head| self.last_head.as_deref() != Some(head)) else {
            return Ok(());
        };
        if self.last_head.is_some() {
            output::complain(&format!(
                "warning: {}: has another header row than the file before; its rows follow under it",
                source.name()
            ));
        }
        self.last_head = Some(head.to_vec());
        if self.json {
            return Ok(());
        }
        self.end_last()?;
        self.is_whole = self.how.is_whole(head);
        self.out.record(head)
    }

    fn end_last(&mut self) -> Result<(), Stop> {
        match self.how.separator().filter(|_| !self.is_whole) {
            None => Ok(()),
            Some(end) => self.out.record(&[end]),
        }
    }

    /// Prints the records that are selected. Returns how many.
    pub fn records(&mut self, records: Batch<'_>, is_wanted: &[bool]) -> Result<u64, Stop> {
        let count = is_wanted.iter().filter(|is_wanted| **is_wanted).count() as u64;
        if self.json || self.out.is_by_record() {
            for ((number, record), _) in
                records.numbered().zip(is_wanted).filter(|(_, is_wanted)| **is_wanted)
            {
                self.record(record, number, None)?;
            }
            return Ok(count);
        }
        for run in records.runs(|at| is_wanted[at]) {
            self.end_last()?;
            self.is_whole = self.how.is_whole(run);
            self.out.record(run)?;
        }
        Ok(count)
    }

    /// Prints a record, with its count if counts are printed.
    pub fn counted(&mut self, record: &[u8], number: u64, count: u64) -> Result<(), Stop> {
        self.record(record, number, self.counts.then_some(count))
    }

    fn record(&mut self, record: &[u8], number: u64, count: Option<u64>) -> Result<(), Stop> {
        if self.json {
            let subject = Subject::record(number, self.how.without_end(record));
            return self.out.json(&PrintedLine { subject, count });
        }
        self.end_last()?;
        if let Some(count) = count {
            self.out.text(&format!("{count}\t"))?;
        }
        self.is_whole = self.how.is_whole(record);
        self.out.record(record)
    }

    pub fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush()
    }

    /// Ends the last line, so that the output of the next run can be appended, and flushes.
    pub fn finish(mut self) -> Result<(), Stop> {
        self.end_last()?;
        self.out.finish()
    }
}
