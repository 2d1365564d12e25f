//! Reading under Shuttle: standard input on its thread, workers, and the caller.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use super::{ENOUGH, Extraction, Go, Hashing, Keyed, ON, Reading};
use crate::input::Input;
use crate::stdin;
use crate::sync::model::check;
use crate::sync::mpsc::{Receiver, channel};
use anther::Seed;
use std::io::{self, Read};

const THREADS: usize = 3;

/// Somebody who types lines, and reads the answers to all lines so far before the next.
struct Dialogue {
    lines: std::slice::Iter<'static, &'static str>,
    /// How many lines wait for an answer.
    waiting: usize,
    /// How many lines were answered at once.
    answers: Receiver<usize>,
}

impl Read for Dialogue {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.waiting > 0 {
            let Ok(answered) = self.answers.recv() else { return Ok(0) };
            self.waiting -= answered;
        }
        let Some(line) = self.lines.next() else { return Ok(0) };
        self.waiting = line.lines().count();
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

/// Reads standard input on workers. Each block is taken as the lines that the worker saw.
fn read(
    source: impl Read + Send + 'static,
    mut take: impl FnMut(Keyed<'_>, Vec<Vec<u8>>) -> Go,
) -> u64 {
    let how = Extraction::default();
    let reading = Reading { sources: &[Input::Stdin], how: &how, seed: Seed::FIXED };
    let (stdin, end) = stdin::piped(source);
    let counts = reading.on_threads(
        THREADS,
        (Some(stdin), Some(end)),
        Hashing { how: &how, seeds: &[Seed::FIXED], keep_keys: false },
        &|part| Box::new(part.records.map(<[u8]>::to_vec).collect::<Vec<_>>()),
        &mut |keyed, lines| Ok(take(keyed, *lines.downcast().unwrap())),
    );
    counts.unwrap_or_else(|_| panic!("no input is malformed")).keys
}

/// If an answer were held back, the two would wait for each other.
#[test]
fn each_line_is_answered_before_the_next_is_typed() {
    check(10_000, || {
        let (answer, answers) = channel();
        const LINES: &[&str] = &["a\n", "b\nc\n", "d\n"];
        let mut unflushed = 0;
        let keys = read(Dialogue { lines: LINES.iter(), waiting: 0, answers }, |keyed, lines| {
            unflushed += lines.len();
            if !keyed.next_is_ready {
                // The dialogue may have ended.
                let _ = answer.send(std::mem::take(&mut unflushed));
            }
            ON
        });
        assert_eq!((keys, unflushed), (4, 0));
    });
}

/// Gives a few bytes at a time, and never waits.
struct Pieces(std::slice::Iter<'static, &'static str>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(piece) = self.0.next() else { return Ok(0) };
        buffer[..piece.len()].copy_from_slice(piece.as_bytes());
        Ok(piece.len())
    }
}

#[test]
fn blocks_come_whole_once_and_in_order() {
    check(10_000, || {
        let mut all = Vec::new();
        const PIECES: &[&str] = &["a\nb", "b\n", "c\n", "d\ne\n", "f\n", "g\n", "h"];
        let pieces = Pieces(PIECES.iter());
        let keys = read(pieces, |keyed, lines| {
            let given: Vec<_> = keyed.records.map(<[u8]>::to_vec).collect();
            assert_eq!(given, lines, "the worker's block and the caller's are one");
            all.extend(lines);
            ON
        });
        assert_eq!((all.concat(), keys), (b"a\nbb\nc\nd\ne\nf\ng\nh".to_vec(), 8));
    });
}

/// Whoever has enough does not wait for a pipe from which nothing comes.
#[test]
fn reading_ends_early_while_the_pipe_is_silent() {
    check(10_000, || {
        let (silence, answers) = channel();
        const LINES: &[&str] = &["a\n", "b\n"];
        let mut taken = 0;
        read(Dialogue { lines: LINES.iter(), waiting: 0, answers }, |_, lines| {
            taken += lines.len();
            ENOUGH
        });
        assert_eq!(taken, 1);
        // The process would end now.
        drop(silence);
    });
}

/// Nor do workers then wait for a free block: there is more to read than all blocks hold.
#[test]
fn reading_ends_early_while_there_is_more() {
    check(10_000, || {
        const PIECES: &[&str] = &["a\n"; 2 * THREADS + 4];
        let mut taken = 0;
        read(Pieces(PIECES.iter()), |_, lines| {
            taken += lines.len();
            ENOUGH
        });
        assert_eq!(taken, 1);
    });
}
