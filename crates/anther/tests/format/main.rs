//! Damaged and forged files: each is rejected with a named error, or is harmless; none costs more
//! memory than its bytes and a constant, which for a coded row is as large as SECURITY.md says.
//! Sizes that run out of memory are errors, too.
#![expect(unsafe_code, reason = "a global allocator that counts, and fails on request")]
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::Work;
use anther::error::{
    BuildError, FoldError, LoadError, Mismatch, OutOfMemory, SaveError, SizeError,
};
use anther::format::Tag;
use anther::recipe::{Column, Format, KeyForm, KeyRule, Place, Recipe, Separator};
use anther::{
    AnyFilter, Blocked, Classic, Compressed, Filter, Floom, Increments, Insert, KeyHash, Kind,
    Open, Options, PlainBits, Seed, Shape, Target, Threads, Verified,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use support::{PLAIN, Random, bytes_of, column, count_found, csv, empty, filled, map, put, taking};
use twox_hash::XxHash3_64;

mod accidents;
mod forgeries;
mod keys;
mod layers;
mod no_memory;
mod ranges;
mod recipes;
mod saving;
#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

// ---------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------

/// The system's allocator, with an account for each thread and a limit for a single request.
struct Accountant;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Accountant {
    /// Records a block's change from one size to another; returns false beyond the limit. Blocks
    /// freed by another thread than their own make a count wrap; a test that loads a filter has no
    /// such blocks.
    fn note(from: usize, to: usize) -> bool {
        if to > LIMIT.get() {
            return false;
        }
        LIVE.set(LIVE.get().wrapping_sub(from).wrapping_add(to));
        PEAK.set(PEAK.get().max(LIVE.get()));
        true
    }
}

// SAFETY: every call is passed to the system's allocator unchanged, or returns the null pointer
// that means "out of memory"; the accounts are plain numbers that need no allocation themselves.
unsafe impl GlobalAlloc for Accountant {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Accountant::note(0, layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Accountant::note(0, layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Accountant::note(layout.size(), size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Accountant::note(layout.size(), 0);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ACCOUNTANT: Accountant = Accountant;

/// A call's result, and the bytes that it held at once beyond those held before.
fn with_peak<R>(call: impl FnOnce() -> R) -> (R, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = call();
    (result, PEAK.get() - before)
}

/// Runs a call on this thread with no single block larger than `limit`.
fn with_limit<R>(limit: usize, call: impl FnOnce() -> R) -> R {
    LIMIT.set(limit);
    let result = call();
    LIMIT.set(usize::MAX);
    result
}

/// What a load may hold beyond the file's own bytes: the header twice, as bytes and as names and
/// numbers, and a buffer. A header has at most 64 KiB.
const CONSTANT: usize = 256 << 10;
/// A stream of unknown length is read in steps of 1 MiB or an eighth of what has arrived.
const STEP: usize = 1 << 20;

/// Loads bytes in one way and checks the memory it takes.
#[track_caller]
fn load(way: Way, open: Open, bytes: &[u8], path: &Path) -> Result<AnyFilter, LoadError> {
    let allowed = bytes.len() + CONSTANT;
    let (result, peak, allowed) = match way {
        Way::Bytes => {
            let (result, peak) = with_peak(|| open.bytes(bytes));
            (result, peak, allowed)
        }
        Way::Reader => {
            let (result, peak) = with_peak(|| open.reader(bytes));
            (result, peak, allowed + STEP.max(bytes.len() / 8))
        }
        Way::Shared => {
            let shared: Arc<[u8]> = bytes.into();
            let (result, peak) = with_peak(|| open.shared_bytes(shared));
            (result, peak, allowed)
        }
        Way::File | Way::Map => {
            fs::write(path, bytes).unwrap();
            let (result, peak) =
                with_peak(|| if way == Way::File { open.file(path) } else { map(open, path) });
            // A map is not an allocation: it must cost only the constant.
            (result, peak, if way == Way::File { allowed } else { CONSTANT })
        }
    };
    assert!(peak <= allowed, "{way:?} held {peak} bytes for a file of {}", bytes.len());
    result
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Bytes,
    Reader,
    Shared,
    File,
    Map,
}

impl Way {
    /// Those that verify every byte and need no file.
    const QUICK: [Way; 3] = [Way::Bytes, Way::Reader, Way::Shared];
    const ALL: [Way; 5] = [Way::Bytes, Way::Reader, Way::Shared, Way::File, Way::Map];
}

// ---------------------------------------------------------------------------------------------
// A parsed file
// ---------------------------------------------------------------------------------------------

/// A file parsed by FORMAT.md alone, to be changed and sealed again with valid checksums.
#[derive(Clone)]
struct Forged {
    /// Signature to seed; the counts and the header's length are set when it is sealed.
    fixed: [u8; 32],
    recipe: Vec<u8>,
    /// Name, type, value.
    fields: Vec<(Vec<u8>, u8, [u8; 8])>,
    /// Name, encoding, length in the header, bytes with their padding.
    sections: Vec<(Vec<u8>, u8, u64, Vec<u8>)>,
    /// Bytes after the last section's entry, before the zeros that pad the header.
    extra: Vec<u8>,
}

fn take<'a>(bytes: &mut &'a [u8], len: usize) -> &'a [u8] {
    let (head, rest) = bytes.split_at(len);
    *bytes = rest;
    head
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

impl Forged {
    fn of(file: &[u8]) -> Forged {
        let header = word(&file[12..16]) as usize;
        let number = |at: usize| word(&file[at..at + 2]) as usize;
        let mut rest = &file[32..header - 8];
        let recipe = take(&mut rest, number(22)).to_vec();
        let mut entry = || {
            let len = take(&mut rest, 1)[0].into();
            let name = take(&mut rest, len).to_vec();
            let kind = take(&mut rest, 1)[0];
            (name, kind, <[u8; 8]>::try_from(take(&mut rest, 8)).unwrap())
        };
        let fields = (0..number(18)).map(|_| entry()).collect();
        let entries: Vec<_> = (0..number(20)).map(|_| entry()).collect();
        let mut rest = &file[header..];
        let sections = entries.into_iter().map(|(name, encoding, len)| {
            let len = u64::from_le_bytes(len);
            let bytes = take(&mut rest, (len as usize).next_multiple_of(64)).to_vec();
            (name, encoding, len, bytes)
        });
        let sections = sections.collect();
        Forged {
            fixed: file[..32].try_into().unwrap(),
            recipe,
            fields,
            sections,
            extra: Vec::new(),
        }
    }

    /// The file again, with all checksums valid.
    fn sealed(&self) -> Vec<u8> {
        let mut header = self.fixed.to_vec();
        header[18..20].copy_from_slice(&(self.fields.len() as u16).to_le_bytes());
        header[20..22].copy_from_slice(&(self.sections.len() as u16).to_le_bytes());
        header[22..24].copy_from_slice(&(self.recipe.len() as u16).to_le_bytes());
        header.extend(&self.recipe);
        for (name, kind, value) in &self.fields {
            header.push(name.len() as u8);
            header.extend(name);
            header.push(*kind);
            header.extend(value);
        }
        for (name, encoding, len, _) in &self.sections {
            header.push(name.len() as u8);
            header.extend(name);
            header.push(*encoding);
            header.extend(len.to_le_bytes());
        }
        header.extend(&self.extra);
        header.resize((header.len() + 8).next_multiple_of(64) - 8, 0);
        let len = (header.len() + 8) as u32;
        header[12..16].copy_from_slice(&len.to_le_bytes());
        seal(&header, &self.sections)
    }

    fn field(&mut self, name: &str) -> &mut [u8; 8] {
        let field = self.fields.iter_mut().find(|(field, ..)| field == name.as_bytes());
        &mut field.unwrap().2
    }

    fn with_field(&self, name: &str, value: u64) -> Forged {
        let mut forged = self.clone();
        *forged.field(name) = value.to_le_bytes();
        forged
    }
}

/// A header without its checksum, sections, and the checksums of both.
fn seal(header: &[u8], sections: &[(Vec<u8>, u8, u64, Vec<u8>)]) -> Vec<u8> {
    let sum = |bytes: &[u8]| XxHash3_64::oneshot(bytes).to_le_bytes();
    let mut sums = sum(header).to_vec();
    let mut file = [header, &sums].concat();
    for (_, _, len, bytes) in sections {
        file.extend(bytes);
        let words = usize::try_from(*len).map_or(bytes.len(), |len| len.min(bytes.len()));
        sums.extend(sum(&bytes[..words]));
    }
    let whole = sum(&sums);
    file.extend(&sums[8..]);
    file.extend(whole);
    file
}

/// A small filter of a kind, its keys, and its file of at most 4 KiB.
fn sample(kind: Kind) -> (Vec<KeyHash>, AnyFilter, Vec<u8>) {
    let fits = |items: &u64| {
        let target = Target::new(*items, 0.01).unwrap();
        kind.plan(target, &Options::default()).unwrap().bits < 24_000
    };
    let items = [1000, 500, 200, 100, 50, 20].into_iter().find(fits).unwrap();
    let keys = Random::new(100).hashes(items as usize);
    let mut filter = filled(kind, items, 0.01, Seed::FIXED, &keys);
    let place = column(Column::Name("url".to_string()), b',', Separator::Line);
    filter.set_recipe(Some(Recipe { place, ..Recipe::default() }));
    let bytes = bytes_of(&filter);
    assert!((512..4096).contains(&bytes.len()), "{kind}: {}", bytes.len());
    (keys, filter, bytes)
}

/// The encoding of a coded row.
const CODED: u8 = 1;

/// Where the cells of each section begin and end in a file.
fn cells(file: &[u8]) -> Vec<Range<usize>> {
    let mut at = word(&file[12..16]) as usize;
    let range = |section: &(Vec<u8>, u8, u64, Vec<u8>)| {
        let start = at;
        at += section.3.len();
        start..start + section.2 as usize
    };
    Forged::of(file).sections.iter().map(range).collect()
}

#[test]
fn a_file_parsed_and_sealed_is_unchanged() {
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        assert_eq!(Forged::of(&bytes).sealed(), bytes, "{kind}: written as FORMAT.md says");
    }
}
