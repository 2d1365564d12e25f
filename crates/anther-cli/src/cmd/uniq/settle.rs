//! Exact answers within a memory limit: `--memory`, and `-c`, `-d`, `-u`.
//!
//! A line that no set and no filter has seen is surely new, and passes at once. All others are
//! doubtful: they go to a temporary file, in order. Of every line a fingerprint of 128 bits goes to
//! one of [`PARTS`] further files, chosen by its hash. At the end each of these is sorted in memory,
//! which tells the first of equal lines, or is divided again if it is too large. The numbers of
//! doubtful lines that are new, merged in order, select them from the first file.
//!
//! A doubtful line that is new is never passed later either: what a filter takes for old once, it
//! takes for old for ever. So no line comes twice.

mod merge;

use super::spill::{Spill, SpillReader, unreadable, words};
use super::stream::Printer;
use super::summary::Summary;
use super::{Args, Subtrahend};
use crate::exit::Stop;
use crate::input::Input;
use crate::interrupt;
use crate::keys::{Counts, ON, Reading};
use anther::{Blocked, FingerprintSet, Insert, KeyHash, Seed, Target};
use anther_records::extract::Extraction;
use merge::Merged;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Which lines are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Every line, when it is first seen.
    First,
    /// Every line, with its count.
    All,
    /// Lines that come twice or more.
    Repeated,
    /// Lines that come once.
    Unique,
}

/// Files by hash. Each has two buffers of 16 KiB.
const PARTS: usize = 64;
const BUFFER: usize = 1 << 14;

/// Blocks of input, buffers and the program itself: 8 MB, and as much for the rest.
const OVERHEAD: u64 = 20_000_000;

/// A fingerprint, and the number of the doubtful line from 1; 0 for a line that was passed or that
/// `--minus` has.
type Mark = [u64; 3];

impl Args {
    /// Prints the lines that the options select, within the memory limit.
    pub(super) fn settle(
        &self,
        sources: &[Input],
        minus: &[Subtrahend],
        how: &Extraction,
    ) -> Result<(), Stop> {
        let (folder, limit) = (self.temporary_folder(), self.memory_limit()?);
        let seeds = self.seeds()?;
        let wanted = self.wanted();
        let mut settler = Settler::new(&folder, limit - OVERHEAD, wanted);
        let mut printer = Printer::new(how, self.json, self.count);
        let second = |part: anther_records::hashed::Part<'_>| part.hashes[1].clone();
        for files in minus {
            let read = files.reading(seeds[0]);
            let read = read.each_part(&seeds, false, second, |keyed, second| {
                settler.drop_lines(keyed.hashes, &second)?;
                Ok(ON)
            });
            read.map_err(|stop| files.explained(stop))?;
        }
        let mut summary = Summary::default();
        let reading = Reading { sources, how, seed: seeds[0] };
        wait_for_flush();
        let counts: Counts = reading.each_part(&seeds, false, second, |keyed, second| {
            let is_new = settler.take(&keyed, &second)?;
            IS_FLUSHED.store(false, Ordering::SeqCst);
            summary.read += keyed.hashes.len() as u64;
            printer.head(keyed.head, keyed.source)?;
            summary.passed += printer.records(keyed.records, &is_new)?;
            if !keyed.next_is_ready || interrupt::came() {
                flush(&mut printer)?;
            }
            Ok(ON)
        })?;
        flush(&mut printer)?;
        let (doubtful, passed) = (settler.numbers, summary.passed);
        settler.finish(|record, number, count| {
            IS_FLUSHED.store(false, Ordering::SeqCst);
            summary.passed += 1;
            printer.counted(record, number, count)?;
            if interrupt::came() { flush(&mut printer) } else { Ok(()) }
        })?;
        printer.finish()?;
        if wanted == Wanted::First {
            summary.doubtful = Some(doubtful);
            summary.late = Some(summary.passed - passed);
        }
        summary.print(self.json, &counts);
        Ok(())
    }
}

/// Whether all lines that were passed are written.
static IS_FLUSHED: AtomicBool = AtomicBool::new(true);

fn flush(printer: &mut Printer<'_>) -> Result<(), Stop> {
    printer.flush()?;
    IS_FLUSHED.store(true, Ordering::SeqCst);
    if interrupt::came() {
        interrupt::wait();
    }
    Ok(())
}

/// A signal ends the program when the lines that were passed are written, or after a second: the
/// reader of our output may not read.
fn wait_for_flush() {
    interrupt::before_end(Box::new(|| {
        for _ in 0..500 {
            if IS_FLUSHED.load(Ordering::SeqCst) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }));
}

/// What is known of the lines so far.
struct Settler<'a> {
    folder: &'a Path,
    /// The bytes for tables, and in the end for sorting.
    limit: u64,
    wanted: Wanted,
    /// The first lines that passed. It takes no more when it has a quarter of the memory.
    set: FingerprintSet,
    /// Those that followed.
    filter: Option<Blocked>,
    /// All doubtful lines: the number in the input, the length, the bytes.
    lines: Spill<'a>,
    /// How many of them.
    numbers: u64,
    parts: Vec<Files<'a>>,
}

/// Marks whose hash begins alike.
struct Files<'a> {
    /// Without their 0.
    passed: Spill<'a>,
    doubtful: Spill<'a>,
}

impl<'a> Files<'a> {
    fn all(folder: &'a Path) -> Vec<Files<'a>> {
        let spill = || Spill::new(folder, BUFFER);
        (0..PARTS).map(|_| Files { passed: spill(), doubtful: spill() }).collect()
    }

    /// How many bytes its marks take in memory.
    fn bytes(&self) -> u64 {
        self.passed.len() / 2 * 3 + self.doubtful.len()
    }

    fn write(&mut self, [first, second, number]: Mark) -> Result<(), Stop> {
        let mut bytes = [0; 24];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip([first, second, number]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        match number {
            0 => self.passed.write(&bytes[..16]),
            _ => self.doubtful.write(&bytes),
        }
    }
}

/// The files of a fingerprint: another hash of it for each time that files are divided.
fn part_of(first: u64, depth: u64) -> usize {
    usize::try_from(KeyHash(first).again(depth).0 >> 32).unwrap_or(0) % PARTS
}

impl<'a> Settler<'a> {
    fn new(folder: &'a Path, limit: u64, wanted: Wanted) -> Settler<'a> {
        Settler {
            folder,
            limit,
            wanted,
            set: FingerprintSet::new(),
            filter: None,
            lines: Spill::new(folder, 1 << 16),
            numbers: 0,
            parts: Files::all(folder),
        }
    }

    /// Which of these lines are surely new, and remembers them.
    fn surely_new(&mut self, lines: &[KeyHash]) -> Result<Vec<bool>, Stop> {
        let mut is_new = vec![false; lines.len()];
        if self.wanted != Wanted::First {
            return Ok(is_new);
        }
        let stop = |error: &dyn std::fmt::Display| Stop::about("--memory", error);
        if self.filter.is_none() {
            if self.set.bytes_after(lines.len() as u64) <= self.limit / 4 {
                self.set.insert_hashes(lines, &mut is_new).map_err(|error| stop(&error))?;
                return Ok(is_new);
            }
            // A bit less than 11 bits per key at 1 %.
            let target = Target::new((self.limit / 4 * 3 * 8 / 11).max(1), 0.01);
            let target = target.map_err(|error| stop(&error))?;
            let filter =
                Blocked::with_seed(target, Seed::EXTERNAL).map_err(|error| stop(&error))?;
            self.filter = Some(filter);
        }
        let mut found = vec![false; lines.len()];
        self.set.contains_hashes(lines, &mut found);
        if let Some(filter) = &mut self.filter {
            for (at, line) in lines.iter().enumerate().filter(|(at, _)| !found[*at]) {
                is_new[at] = filter.insert_hash(*line).map_err(|error| stop(&error))?;
            }
        }
        Ok(is_new)
    }

    /// Takes lines of `--minus`.
    fn drop_lines(&mut self, firsts: &[KeyHash], seconds: &[KeyHash]) -> Result<(), Stop> {
        self.surely_new(firsts)?;
        for (first, second) in firsts.iter().zip(seconds) {
            self.parts[part_of(first.0, 0)].write([first.0, second.0, 0])?;
        }
        Ok(())
    }

    /// Takes lines, and returns which of them are surely new.
    fn take(
        &mut self,
        keyed: &crate::keys::Keyed<'_>,
        seconds: &[KeyHash],
    ) -> Result<Vec<bool>, Stop> {
        let is_new = self.surely_new(keyed.hashes)?;
        let hashes = keyed.hashes.iter().zip(seconds);
        for (((number, record), (first, second)), is_new) in
            keyed.records.numbered().zip(hashes).zip(&is_new)
        {
            let mut mark = [first.0, second.0, 0];
            if !is_new {
                self.numbers += 1;
                mark[2] = self.numbers;
                self.lines.write(&number.to_le_bytes())?;
                self.lines.write(&(record.len() as u64).to_le_bytes())?;
                self.lines.write(record)?;
            }
            self.parts[part_of(first.0, 0)].write(mark)?;
        }
        Ok(is_new)
    }

    /// Prints the selected doubtful lines: each with its number in the input and its count.
    fn finish(
        self,
        mut print: impl FnMut(&[u8], u64, u64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Settler { folder, limit, wanted, lines, parts, set, filter, .. } = self;
        drop((set, filter));
        let mut chosen = Vec::new();
        let mut waiting: Vec<_> = parts.into_iter().map(|files| (files, 1)).collect();
        while let Some((files, depth)) = waiting.pop() {
            if files.doubtful.len() == 0 {
                continue;
            }
            // Lines that are all alike cannot be divided.
            if files.bytes() > limit && depth < 8 {
                waiting.extend(divide(files, folder, depth)?.into_iter().map(|f| (f, depth + 1)));
            } else {
                chosen.push(sort(files, folder, wanted)?);
            }
        }
        let mut lines = lines.read(1 << 16)?;
        let (mut at, mut record) = (0, Vec::new());
        for next in Merged::new(chosen, limit)? {
            let (number, count) = next?;
            loop {
                at += 1;
                let line = read_line(&mut lines, &mut record, at == number)?;
                if at == number {
                    print(&record, line, count)?;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Reads a doubtful line; if it is not wanted, skips it. Returns its number in the input.
fn read_line(lines: &mut SpillReader, record: &mut Vec<u8>, is_wanted: bool) -> Result<u64, Stop> {
    let Some([number, len]) = words(lines)? else {
        return Err(unreadable(&std::io::ErrorKind::UnexpectedEof.into()));
    };
    record.clear();
    let mut line = lines.take(len);
    let read = match is_wanted {
        true => line.read_to_end(record).map(|read| read as u64),
        false => std::io::copy(&mut line, &mut std::io::sink()),
    };
    match read {
        Ok(read) if read == len => Ok(number),
        Ok(_) => Err(unreadable(&std::io::ErrorKind::UnexpectedEof.into())),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Divides files by another hash.
fn divide<'a>(files: Files<'a>, folder: &'a Path, depth: u64) -> Result<Vec<Files<'a>>, Stop> {
    let mut parts = Files::all(folder);
    let mut passed = files.passed.read(BUFFER)?;
    while let Some([first, second]) = words(&mut passed)? {
        parts[part_of(first, depth)].write([first, second, 0])?;
    }
    let mut doubtful = files.doubtful.read(BUFFER)?;
    while let Some(mark) = words::<3>(&mut doubtful)? {
        parts[part_of(mark[0], depth)].write(mark)?;
    }
    Ok(parts)
}

/// The numbers of the selected doubtful lines, in order, and their counts.
fn sort<'a>(files: Files<'a>, folder: &'a Path, wanted: Wanted) -> Result<Spill<'a>, Stop> {
    let count = files.passed.len() / 16 + files.doubtful.len() / 24;
    let mut marks: Vec<Mark> = Vec::new();
    let out = |_| Stop::about("--memory", "out of memory; lower the limit");
    marks.try_reserve_exact(usize::try_from(count).unwrap_or(usize::MAX)).map_err(out)?;
    let mut passed = files.passed.read(BUFFER)?;
    while let Some([first, second]) = words(&mut passed)? {
        marks.push([first, second, 0]);
    }
    let mut doubtful = files.doubtful.read(BUFFER)?;
    while let Some(mark) = words(&mut doubtful)? {
        marks.push(mark);
    }
    marks.sort_unstable();
    // Of equal lines the first is the first of its run, and 0 is before all numbers. The selected
    // ones move to the front: number and count.
    let (mut start, mut kept) = (0, 0);
    while start < marks.len() {
        let [first, second, number] = marks[start];
        let len = marks[start..].partition_point(|mark| mark[..2] == [first, second]);
        let is_wanted = match wanted {
            Wanted::First | Wanted::All => true,
            Wanted::Repeated => len > 1,
            Wanted::Unique => len == 1,
        };
        if number > 0 && is_wanted {
            marks[kept] = [number, len as u64, 0];
            kept += 1;
        }
        start += len;
    }
    marks.truncate(kept);
    marks.sort_unstable();
    let mut chosen = Spill::new(folder, BUFFER);
    for [number, count, _] in marks {
        chosen.write(&number.to_le_bytes())?;
        chosen.write(&count.to_le_bytes())?;
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So little memory that files are divided, twice.
    #[test]
    fn marks_that_do_not_fit_are_divided() {
        let folder = tempfile::tempdir().unwrap();
        for (limit, wanted) in
            [(1 << 30, Wanted::First), (3000, Wanted::First), (3000, Wanted::All)]
        {
            let mut settler = Settler::new(folder.path(), limit, wanted);
            let hash = |line: u64| KeyHash(line).again(9).0;
            // 20,000 different lines; line n comes n % 3 + 1 times, and 0 to 9 are in --minus.
            let lines: Vec<u64> =
                (0..3).flat_map(|round| (0..20_000).filter(move |n| n % 3 >= round)).collect();
            for minus in 0..10 {
                settler.parts[part_of(hash(minus), 0)].write([hash(minus), 7, 0]).unwrap();
            }
            for line in &lines {
                settler.numbers += 1;
                for word in [line * 5, 1] {
                    settler.lines.write(&word.to_le_bytes()).unwrap();
                }
                settler.lines.write(b"x").unwrap();
                let mark = [hash(*line), 7, settler.numbers];
                settler.parts[part_of(mark[0], 0)].write(mark).unwrap();
            }
            let mut printed = Vec::new();
            let print = |record: &[u8], number: u64, count: u64| {
                assert_eq!(record, b"x");
                printed.push((number, count));
                Ok(())
            };
            settler.finish(print).unwrap();
            let expected: Vec<_> = (10..20_000).map(|n| (n * 5, n % 3 + 1)).collect();
            assert_eq!(printed, expected, "{limit}");
        }
    }
}
