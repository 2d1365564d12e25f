//! Damaged and forged files: every one is refused by name, or is harmless; none costs more memory
//! than it has bytes and a constant. Sizes that cannot be had are errors, too.
#![expect(unsafe_code, reason = "a global allocator that counts, and refuses on request")]
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::error::{FoldError, LoadError, Mismatch, OutOfMemory, SaveError, SizeError};
use anther::format::recipe::{Column, Recipe, Which};
use anther::{
    AnyFilter, Blocked, Classic, Filter, Insert, KeyHash, Kind, Open, PlainBits, Seed, Shape,
    Target,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;
use support::{Random, bytes_of, count_found, empty, filled, put};
use twox_hash::XxHash3_64;

#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
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
    /// Notes a block that goes from one size to another; false when that is beyond the limit.
    /// Blocks freed by another thread than their own make a count wrap; a test that loads a filter
    /// has no such blocks.
    fn note(from: usize, to: usize) -> bool {
        if to > LIMIT.get() {
            return false;
        }
        LIVE.set(LIVE.get().wrapping_sub(from).wrapping_add(to));
        PEAK.set(PEAK.get().max(LIVE.get()));
        true
    }
}

// SAFETY: every call goes to the system's allocator as it came, or gives the null pointer that
// stands for "no memory"; the accounts are plain numbers that need no allocation themselves.
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

/// What a call gives, and how many bytes it held at once beyond those held before.
fn with_peak<R>(call: impl FnOnce() -> R) -> (R, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = call();
    (result, PEAK.get() - before)
}

/// Runs a call in a thread's world where no single block can be larger than `limit`.
fn with_limit<R>(limit: usize, call: impl FnOnce() -> R) -> R {
    LIMIT.set(limit);
    let result = call();
    LIMIT.set(usize::MAX);
    result
}

/// What a load may hold beyond the file's own bytes: the header twice over, as bytes and as names
/// and numbers, and a buffer. A header has at most 64 KiB.
const CONSTANT: usize = 256 << 10;
/// A stream of unknown length is read in steps of 1 MiB or an eighth of what came.
const STEP: usize = 1 << 20;

/// Loads bytes in one way and checks what that cost.
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
            let (result, peak) = with_peak(|| open.shared(shared));
            (result, peak, allowed)
        }
        Way::File | Way::Map => {
            fs::write(path, bytes).unwrap();
            let (result, peak) =
                with_peak(|| if way == Way::File { open.file(path) } else { open.map(path) });
            // A map is not an allocation: it must cost the constant only.
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
// A file taken apart
// ---------------------------------------------------------------------------------------------

/// A file taken apart by FORMAT.md alone, to be changed and sealed again with true checksums.
#[derive(Clone)]
struct Forged {
    /// Signature to seed; the counts and the header's length are set when it is sealed.
    fixed: [u8; 32],
    recipe: Vec<u8>,
    /// Name, type, value.
    fields: Vec<(Vec<u8>, u8, [u8; 8])>,
    /// Name, encoding, length in the header, bytes with their padding.
    sections: Vec<(Vec<u8>, u8, u64, Vec<u8>)>,
    /// Bytes after the last section's entry, before the zeros that make the header whole.
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

    /// The file again, with every checksum as it should be.
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
    let keys = Random::new(100).hashes(1000);
    let mut filter = filled(kind, 1000, 0.01, Seed::FIXED, &keys);
    let column = Column { which: Which::Name("url".to_string()), delimiter: b',' };
    filter.set_recipe(Some(Recipe { column: Some(column), ..Recipe::default() }));
    let bytes = bytes_of(&filter);
    assert!((1024..4096).contains(&bytes.len()), "{kind}: {}", bytes.len());
    (keys, filter, bytes)
}

/// Where a file's cells begin and end.
fn cells(file: &[u8]) -> std::ops::Range<usize> {
    let header = word(&file[12..16]) as usize;
    let sections = Forged::of(file).sections;
    header..header + sections.iter().map(|section| section.2 as usize).sum::<usize>()
}

#[test]
fn a_file_taken_apart_and_sealed_is_the_file() {
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        assert_eq!(Forged::of(&bytes).sealed(), bytes, "{kind}: FORMAT.md says what is written");
    }
}

// ---------------------------------------------------------------------------------------------
// Accidents
// ---------------------------------------------------------------------------------------------

#[test]
fn every_truncation_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        for len in 0..bytes.len() {
            let ways = if len % 61 == 0 || len < 20 { &Way::ALL[..] } else { &Way::QUICK };
            for &way in ways {
                match load(way, Open::new(), &bytes[..len], &path) {
                    Err(LoadError::NotAnther) => assert_eq!(len, 0, "{kind}, {way:?}"),
                    Err(LoadError::Truncated { expected, got }) => {
                        assert_eq!(got, len as u64, "{kind}, {way:?}");
                        assert!((len as u64) < expected && expected <= bytes.len() as u64);
                    }
                    other => panic!("{kind}, {way:?}, {len} bytes: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.anther");
    for &kind in Kind::ALL {
        let (_, _, mut bytes) = sample(kind);
        let cells = cells(&bytes);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let ways = if bit % 509 == 0 { &Way::ALL[..4] } else { &Way::QUICK };
            for &way in ways {
                let error = load(way, Open::new(), &bytes, &path).unwrap_err();
                assert!(!matches!(error, LoadError::Io(_)), "{kind}, {way:?}, {bit}: {error}");
                if cells.contains(&(bit / 8)) {
                    let LoadError::Checksum { part, .. } = &error else { panic!("{error}") };
                    assert!(part.starts_with("section "), "{kind}, {way:?}, {bit}: {error}");
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// A map does not read the cells, so it cannot notice what is wrong there: that is what `map` says
/// and `file` is for. Everything else it does notice.
#[test]
fn a_map_notices_all_damage_outside_the_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.anther");
    for &kind in Kind::ALL {
        let (_, filter, mut bytes) = sample(kind);
        let cells = cells(&bytes);
        for bit in 0..bytes.len() * 8 {
            let inside = cells.contains(&(bit / 8));
            if inside && bit % 509 != 0 {
                continue;
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
            match load(Way::Map, Open::new(), &bytes, &path) {
                Ok(loaded) => assert!(inside && loaded != filter, "{kind}: bit {bit} unnoticed"),
                // Ones beyond the last bit are noticed even there.
                Err(error) => assert!(!inside || bit / 8 + 8 >= cells.end, "{kind}: {error}"),
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_trailing_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        for tail in [&[0][..], &[1], &[0; 64], &bytes] {
            let long = [&bytes[..], tail].concat();
            for way in Way::ALL {
                let error = load(way, Open::new(), &long, &path).unwrap_err();
                let LoadError::Trailing { expected } = error else { panic!("{way:?}: {error}") };
                assert_eq!(expected, bytes.len() as u64);
            }
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    for bytes in [&b""[..], b"\n", b"hello", b"\x89PNG\r\n\x1A\n", &[0; 1000], &[0xFF; 64]] {
        for way in Way::ALL {
            let error = load(way, Open::new(), bytes, &path).unwrap_err();
            assert!(matches!(error, LoadError::NotAnther), "{way:?}: {error}");
        }
    }
    for result in [Open::new().file(folder.path()), Open::new().map(folder.path())] {
        assert!(matches!(result, Err(LoadError::Io(_))), "a folder");
    }
    let missing = folder.path().join("missing");
    for result in [Open::new().file(&missing), Open::new().map(&missing)] {
        assert!(matches!(result, Err(LoadError::Io(error)) if error.kind() == ErrorKind::NotFound));
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::ConnectionReset.into())
        }
    }
    let (_, _, bytes) = sample(Kind::Blocked);
    for len in [0, 20, 500, bytes.len()] {
        let result = Open::new().reader(bytes[..len].chain(Broken));
        assert!(matches!(result, Err(LoadError::Io(_))), "{len}");
    }
}

// ---------------------------------------------------------------------------------------------
// Forgeries
// ---------------------------------------------------------------------------------------------

/// What every number is forged to.
fn numbers() -> Vec<u64> {
    let mut numbers =
        vec![0, 1, 2, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 63, u64::MAX - 1, u64::MAX];
    let reals =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0, 1.0, 0.5, -1.0, 0.0, -0.0, 1e-300];
    numbers.extend(reals.map(f64::to_bits));
    numbers
}

/// Loads a forged file in every way, from the disk one in four. Where it is accepted it must be
/// harmless: all keys are there, it describes itself in numbers that make sense, takes a key, and
/// can be saved and read back.
///
/// Nobody can tell that a filter was built with another seed, or with fewer probes than it says;
/// whoever can write the file can as well write another filter. A checksum is no signature.
fn refused_or_harmless(bytes: &[u8], keys: &[KeyHash], what: &str) -> Result<(), LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.anther");
    let mut results = Vec::new();
    let on_disk = XxHash3_64::oneshot(bytes).is_multiple_of(4);
    for &way in if on_disk { &Way::ALL[..] } else { &Way::QUICK } {
        let result = load(way, Open::new().without_hashing(), bytes, &path);
        if let Ok(filter) = &result {
            assert_eq!(count_found(filter, keys.iter().copied()), keys.len() as u64, "{what}");
            let profile = filter.profile();
            assert!((0.0..=1.0).contains(&profile.fpr_now), "{what}: {profile:?}");
            assert!((0.0..=1.0).contains(&profile.fill), "{what}: {profile:?}");
            assert!(profile.items.items.is_finite(), "{what}: {profile:?}");
            profile.is_overfull();
            let mut changed = filter.clone();
            put(&mut changed, &[KeyHash(1), KeyHash(2)]);
            changed.merge(filter).unwrap();
            assert_eq!(count_found(&changed, [KeyHash(1), KeyHash(2)]), 2, "{what}");
            let again = Open::new().without_hashing().bytes(&bytes_of(&changed)).unwrap();
            assert_eq!(again, changed, "{what}");
        }
        assert!(!matches!(result, Err(LoadError::Io(_))), "{what}: {result:?}");
        results.push(result);
    }
    let accepted = results.iter().filter(|result| result.is_ok()).count();
    assert!(accepted == 0 || accepted == results.len(), "{what}: the loaders disagree");
    results.swap_remove(0).map(|_| ())
}

#[test]
fn forged_fields_are_refused_or_harmless() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        for (name, _, value) in &original.fields {
            let name = str::from_utf8(name).unwrap();
            let mut refused = 0;
            for number in numbers().into_iter().filter(|number| number.to_le_bytes() != *value) {
                let forged = original.with_field(name, number).sealed();
                let what = format!("{kind}: {name} = {number:#x}");
                let result = refused_or_harmless(&forged, &keys, &what);
                match (name, result) {
                    // A count of calls: any number is possible, and none is used for an answer.
                    ("inserted", result) => assert!(result.is_ok(), "{what}: {result:?}"),
                    ("target.items", result) => {
                        let possible = (1..=Target::MAX_ITEMS).contains(&number);
                        assert_eq!(result.is_ok(), possible, "{what}: {result:?}");
                    }
                    ("target.fpr", result) => {
                        let possible = (1e-18..1.0).contains(&f64::from_bits(number));
                        assert_eq!(result.is_ok(), possible, "{what}: {result:?}");
                    }
                    // Fewer probes than there were say yes more often, never no.
                    ("probes", Ok(())) => assert!(number == 1 || number == 2, "{what}"),
                    (_, Ok(())) => panic!("{what}: accepted"),
                    (_, Err(error)) => {
                        refused += 1;
                        assert!(
                            matches!(error, LoadError::Field { .. } | LoadError::Section { .. }),
                            "{what}: {error:?}"
                        );
                    }
                }
            }
            assert!(refused > 10 || name == "inserted" || name.starts_with("target"), "{name}");
        }
    }
}

/// A number where another type of number belongs, and types that are none.
#[test]
fn forged_types_are_refused() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        for field in 0..original.fields.len() {
            for forged_type in (0..=255).filter(|forged| *forged != original.fields[field].1) {
                let mut forged = original.clone();
                forged.fields[field].1 = forged_type;
                let what = format!("{kind}: field {field} of type {forged_type}");
                let result = refused_or_harmless(&forged.sealed(), &keys, &what);
                assert!(result.is_err(), "{what}");
            }
        }
        for encoding in 1..=255 {
            let mut forged = original.clone();
            forged.sections[0].1 = encoding;
            let result = Open::new().bytes(&forged.sealed());
            let expected = "unknown encoding of a section";
            assert!(matches!(result, Err(LoadError::Header(why)) if why == expected));
        }
    }
}

/// The numbers at fixed places, each under a true checksum of the header's bytes.
#[test]
fn forged_fixed_numbers_are_refused_or_harmless() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        let header = word(&bytes[12..16]) as usize - 8;
        for (name, at, len) in [
            ("signature", 0, 8),
            ("version", 8, 2),
            ("kind", 10, 2),
            ("header length", 12, 4),
            ("hash", 16, 2),
            ("number of fields", 18, 2),
            ("number of sections", 20, 2),
            ("length of the recipe", 22, 2),
            ("seed", 24, 8),
        ] {
            let mut values = numbers();
            values.extend(0..70);
            values.extend((1..64).map(|bit| 1 << bit));
            for number in values {
                let value = &number.to_le_bytes()[..len];
                if bytes[at..at + len] == *value {
                    continue;
                }
                let mut forged = bytes[..header].to_vec();
                forged[at..at + len].copy_from_slice(value);
                let what = format!("{kind}: {name} = {number:#x}");
                let forged = seal(&forged, &original.sections);
                let result = refused_or_harmless(&forged, &keys, &what);
                let value = word(value);
                match (name, result) {
                    ("signature", Err(LoadError::NotAnther)) => {}
                    ("version", Err(LoadError::Version { got, ours })) => {
                        assert_eq!((u64::from(got), ours), (value, 0), "{what}");
                    }
                    ("kind", Err(LoadError::UnknownKind { tag })) => {
                        assert_eq!(u64::from(tag), value, "{what}");
                        assert_eq!(Kind::from_tag(tag), None, "{what}");
                    }
                    // A kind that exists, and has other fields.
                    ("kind", Err(LoadError::Missing { .. })) => {
                        assert!(Kind::from_tag(value as u16).is_some(), "{what}");
                    }
                    ("header length", Err(error)) => assert!(
                        matches!(
                            error,
                            LoadError::Header(_)
                                | LoadError::Checksum { .. }
                                | LoadError::Truncated { .. }
                        ),
                        "{what}: {error:?}"
                    ),
                    // Another seed is another filter; by hash, as here, it answers the same. Keyed
                    // and external filters are opened without hashing here.
                    ("seed", Ok(())) => {}
                    ("hash", Ok(())) => assert!(value <= 2, "{what}"),
                    ("hash" | "number of fields" | "number of sections", Err(error))
                    | ("length of the recipe", Err(error)) => assert!(
                        matches!(
                            error,
                            LoadError::Header(_)
                                | LoadError::Missing { .. }
                                | LoadError::Unknown { .. }
                        ),
                        "{what}: {error:?}"
                    ),
                    (_, result) => panic!("{what}: {result:?}"),
                }
            }
        }
    }
}

/// Lengths that a section does not have, up to more than any memory.
#[test]
fn forged_lengths_are_refused() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        let true_len = original.sections[0].2;
        let mut lengths = numbers();
        lengths.extend([8, 16, true_len - 8, true_len + 8, true_len - 1, true_len + 1]);
        lengths.extend((3..64).map(|bit| 1 << bit));
        lengths.extend([u64::MAX - 7, u64::MAX - 63, u64::MAX - 127, (1 << 63) - 64]);
        for len in lengths.into_iter().filter(|len| *len != true_len) {
            let mut forged = original.clone();
            forged.sections[0].2 = len;
            let what = format!("{kind}: a section of {len:#x} bytes");
            assert!(refused_or_harmless(&forged.sealed(), &keys, &what).is_err(), "{what}");
        }
        // Fewer or more words than the fields say, all of them there and true.
        for words in [0, 1, true_len / 8 - 1, true_len / 8 + 1, true_len / 4] {
            let mut forged = original.clone();
            let section = &mut forged.sections[0];
            section.2 = words * 8;
            section.3.resize((words as usize * 8).next_multiple_of(64), 0);
            section.3[words as usize * 8..].fill(0);
            let result = refused_or_harmless(&forged.sealed(), &keys, "words");
            assert!(matches!(result, Err(LoadError::Section { .. })), "{kind}: {result:?}");
        }
    }
}

/// Headers that promise a terabyte: known lengths are refused at once, and a stream costs what
/// came of it.
#[test]
fn promises_are_not_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("promise.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        let mut forged = Forged::of(&bytes);
        // The field that counts the units has the section's name.
        let name = String::from_utf8(forged.sections[0].0.clone()).unwrap();
        *forged.field(&name) = (1u64 << 28).to_le_bytes();
        for promised in [1 << 33, 1 << 40, 1 << 47, (1u64 << 63) - 64] {
            for came in [0, 1000, STEP - 64, STEP, 5 * STEP, 12 * STEP] {
                forged.sections[0].2 = promised;
                forged.sections[0].3 = vec![0; came];
                let file = forged.sealed();
                let ways = if came == 1000 { &Way::ALL[..] } else { &Way::QUICK };
                for &way in ways {
                    let error = load(way, Open::new(), &file, &path).unwrap_err();
                    let LoadError::Truncated { expected, got } = error else {
                        panic!("{kind}, {way:?}: {error:?}");
                    };
                    assert!(expected > promised && got == file.len() as u64, "{expected} {got}");
                }
            }
        }
    }
}

/// The largest header, full of fields or of sections: still a constant, though a larger one. A
/// field of three letters takes 14 bytes in the file and up to five times that in memory.
#[test]
fn the_largest_headers_cost_a_constant() {
    const LARGEST: usize = 1 << 16;
    let (_, _, bytes) = sample(Kind::Blocked);
    let original = Forged::of(&bytes);
    let name = |i: usize| [i / 676, i / 26 % 26, i % 26].map(|i| b'a' + i as u8).to_vec();
    let room = (LARGEST - 400) / 13;
    let mut fields = original.clone();
    fields.fields.extend((0..room).map(|i| (name(i), 1, [0; 8])));
    let mut sections = original.clone();
    sections.sections.extend((0..room).map(|i| (name(i), 0, 0, Vec::new())));
    let mut recipe = original.clone();
    recipe.recipe.resize(LARGEST - 400, b'x');
    let mut zeros = original.clone();
    zeros.extra = vec![0; LARGEST - 400];
    let mut too_large = original;
    too_large.extra = vec![0; LARGEST];
    for (forged, expected) in [
        (fields, "Unknown"),
        (sections, "Unknown"),
        (recipe, "Ok"),
        (zeros, "Header(\"bytes where zeros should be\")"),
        (too_large, "Header(\"impossible header length\")"),
    ] {
        let file = forged.sealed();
        for reader in [false, true] {
            let (result, peak) = with_peak(|| {
                if reader { Open::new().reader(&file[..]) } else { Open::new().bytes(&file) }
            });
            let told = result.map_or_else(|error| format!("{error:?}"), |_| "Ok".to_string());
            assert!(told.starts_with(expected), "{told}");
            assert!(peak <= file.len() + 16 * LARGEST, "{expected}: {peak} of {}", file.len());
        }
    }
}

/// Everything else that a header can get wrong, each by its name.
#[test]
fn malformed_headers_are_named() {
    type Change = fn(&mut Forged);
    let cases: [(&str, Change); 22] = [
        ("a field twice", |file| file.fields.push(file.fields[0].clone())),
        ("a section twice", |file| file.sections.push(file.sections[0].clone())),
        ("half a target", |file| file.fields.retain(|field| field.0 != b"target.fpr")),
        ("half a target", |file| file.fields.retain(|field| field.0 != b"target.items")),
        ("a section of broken words", |file| file.sections[0].2 -= 4),
        ("a name that is none", |file| file.fields[0].0.clear()),
        ("a name that is none", |file| file.fields[0].0 = b"Inserted".to_vec()),
        ("a name that is none", |file| file.fields[0].0 = b"ins\0rted".to_vec()),
        ("a name that is none", |file| file.fields[0].0 = vec![0xFF; 8]),
        ("a name that is none", |file| file.sections[0].0 = b"../../x".to_vec()),
        ("unknown type of field", |file| file.fields[0].1 = 0),
        ("bytes where zeros should be", |file| file.extra = vec![1]),
        ("bytes where zeros should be", |file| file.extra = vec![0; 64]),
        ("bytes between sections", |file| *file.sections[0].3.last_mut().unwrap() = 1),
        ("a key recipe that is none", |file| file.recipe = vec![64]),
        ("a key recipe that is none", |file| file.recipe = vec![0xFF; 40]),
        ("bytes after a key recipe", |file| file.recipe = vec![0, 0]),
        ("a key recipe that is none", |file| file.recipe = vec![16 | 32, b',', b'x']),
        ("a key recipe that is none", |file| file.recipe = vec![16, b',', 0, 0, 0, 0]),
        ("bytes after a key recipe", |file| file.recipe = vec![16, b',', 1, 0, 0, 0, 0]),
        ("a key recipe that is none", |file| file.recipe = vec![32, b',', 0xC3]),
        ("too short", |file| file.recipe = vec![16, b',', 1]),
    ];
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        for (expected, change) in &cases {
            let mut forged = Forged::of(&bytes);
            let has_padding = forged.sections[0].3.len() as u64 > forged.sections[0].2;
            if *expected == "bytes between sections" && !has_padding {
                continue;
            }
            change(&mut forged);
            match refused_or_harmless(&forged.sealed(), &keys, expected) {
                Err(LoadError::Header(why)) => assert_eq!(why, *expected, "{kind}"),
                other => panic!("{kind}, {expected}: {other:?}"),
            }
        }

        // Fields and sections that a kind needs, and others.
        let original = Forged::of(&bytes);
        for (at, (name, ..)) in original.fields.iter().enumerate() {
            if !name.starts_with(b"target") {
                let mut forged = original.clone();
                forged.fields.remove(at);
                let result = refused_or_harmless(&forged.sealed(), &keys, "missing");
                assert!(
                    matches!(result, Err(LoadError::Missing { name: missing }) if missing.as_bytes() == name),
                );
            }
        }
        let mut forged = original.clone();
        forged.sections.clear();
        let result = refused_or_harmless(&forged.sealed(), &keys, "no section");
        assert!(matches!(result, Err(LoadError::Missing { .. })), "{result:?}");
        let mut forged = original.clone();
        forged.fields.push((b"later".to_vec(), 2, 1f64.to_bits().to_le_bytes()));
        let result = refused_or_harmless(&forged.sealed(), &keys, "unknown field");
        assert!(matches!(result, Err(LoadError::Unknown { name }) if name == "later"));
        let mut forged = original.clone();
        forged.sections.push((b"later".to_vec(), 0, 64, vec![7; 64]));
        let result = refused_or_harmless(&forged.sealed(), &keys, "unknown section");
        assert!(matches!(result, Err(LoadError::Unknown { name }) if name == "later"));
        let mut forged = original.clone();
        forged.fields.retain(|field| !field.0.starts_with(b"target"));
        refused_or_harmless(&forged.sealed(), &keys, "no target is no fault").unwrap();
        // The order of fields is free.
        let mut forged = original;
        forged.fields.reverse();
        refused_or_harmless(&forged.sealed(), &keys, "order").unwrap();
    }
}

/// The last word of a classic filter ends beyond its last bit; a one there is no bit of any key.
#[test]
fn ones_beyond_the_end_are_refused() {
    for bits in [1, 63, 65, 1000] {
        let mut filter = Classic::with_shape(Shape::bits(bits).probes(3), Seed::FIXED).unwrap();
        let keys = Random::new(101).hashes(5);
        filter.insert_hashes(&keys).unwrap();
        let original = Forged::of(&bytes_of(&filter.into()));
        let words = original.sections[0].2 as usize;
        refused_or_harmless(&original.sealed(), &keys, "unchanged").unwrap();
        for beyond in bits as usize..words * 8 {
            let mut forged = original.clone();
            forged.sections[0].3[beyond / 8] |= 1 << (beyond % 8);
            let result = refused_or_harmless(&forged.sealed(), &keys, "beyond");
            assert!(matches!(result, Err(LoadError::Section { name: "bits" })), "{result:?}");
        }
    }
}

/// A count, a target or a recipe that lies changes no answer, and the estimate does not ask them.
#[test]
fn metadata_that_lies_changes_no_answer() {
    for &kind in Kind::ALL {
        let (keys, filter, bytes) = sample(kind);
        let truth = filter.profile();
        let queries = Random::new(102).hashes(20_000);
        for (inserted, items, fpr) in
            [(0, 1, 0.5), (u64::MAX, Target::MAX_ITEMS, 1e-18), (1, 10, 0.999), (999, 1000, 1e-8)]
        {
            let mut forged = Forged::of(&bytes);
            *forged.field("inserted") = u64::to_le_bytes(inserted);
            *forged.field("target.items") = u64::to_le_bytes(items);
            *forged.field("target.fpr") = f64::to_le_bytes(fpr);
            forged.recipe.clear();
            let forged = forged.sealed();
            refused_or_harmless(&forged, &keys, "lies").unwrap();
            let loaded = Open::new().bytes(&forged).unwrap();
            for key in keys.iter().chain(&queries) {
                assert_eq!(loaded.contains_hash(*key), filter.contains_hash(*key), "{kind}");
            }
            let profile = loaded.profile();
            assert_eq!(
                (profile.items, profile.fill, profile.fpr_now, profile.bits),
                (truth.items, truth.fill, truth.fpr_now, truth.bits),
                "{kind}: from the cells alone"
            );
            assert_eq!(profile.inserted, inserted);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Keys
// ---------------------------------------------------------------------------------------------

#[test]
fn a_key_opens_what_it_closed() {
    let (key, other) = ([3; 16], [4; 16]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keyed.anther");
    for &kind in Kind::ALL {
        let file = |seed| bytes_of(&filled(kind, 10, 0.01, seed, &Random::new(103).hashes(10)));
        let (keyed, open, external) =
            (file(Seed::keyed(key)), file(Seed::FIXED), file(Seed::EXTERNAL));
        for way in Way::ALL {
            let load = |how: Open, bytes: &[u8]| load(way, how, bytes, &path);
            let blind = Open::new().without_hashing();
            let loaded = load(Open::new().key(key), &keyed).unwrap();
            assert!(loaded.seed().can_hash() && !loaded.contains("some key"));
            assert!(matches!(load(Open::new().key(other), &keyed), Err(LoadError::WrongKey)));
            assert!(matches!(load(blind.key(other), &keyed), Err(LoadError::WrongKey)));
            assert!(matches!(load(Open::new(), &keyed), Err(LoadError::KeyNeeded)));
            assert!(matches!(load(Open::new().key(key), &open), Err(LoadError::NotKeyed)));
            assert!(matches!(load(Open::new().key(key), &external), Err(LoadError::NotKeyed)));
            assert!(matches!(load(Open::new(), &external), Err(LoadError::ExternalHashes)));
            for (bytes, hashes) in [(&keyed, false), (&open, true), (&external, false)] {
                let described = load(blind, bytes).unwrap();
                assert_eq!(described.seed().can_hash(), hashes);
                assert_eq!(bytes_of(&described), *bytes, "{kind}: the check value stays");
            }
        }
        // Opened without its key, it still merges with its like.
        let mut one = Open::new().without_hashing().bytes(&keyed).unwrap();
        one.merge(&Open::new().without_hashing().bytes(&keyed).unwrap()).unwrap();
        assert!(Open::new().key(key).bytes(&bytes_of(&one)).is_ok());
    }
}

#[test]
#[should_panic(expected = "opened without its secret key")]
fn a_locked_filter_does_not_hash() {
    let bytes = bytes_of(&empty(Kind::Blocked, 10, 0.01, Seed::keyed([3; 16])));
    Open::new().without_hashing().bytes(&bytes).unwrap().contains("key");
}

// ---------------------------------------------------------------------------------------------
// Saving
// ---------------------------------------------------------------------------------------------

#[test]
fn a_save_that_fails_leaves_the_old_file_and_no_litter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    for &kind in Kind::ALL {
        let (_, filter, bytes) = sample(kind);
        filter.save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);

        // Not a folder, no such folder, below a file, a header that is too large.
        let io = |result: Result<(), SaveError>| assert!(matches!(result, Err(SaveError::Io(_))));
        io(filter.save(folder.path()));
        io(filter.save(folder.path().join("missing").join("filter.anther")));
        io(filter.save(path.join("below")));
        io(filter.save(""));
        let mut long = filter.clone();
        let column = Column { which: Which::Name("x".repeat(1 << 16)), delimiter: b',' };
        long.set_recipe(Some(Recipe { column: Some(column), ..Recipe::default() }));
        assert!(matches!(long.save(&path), Err(SaveError::Recipe)));
        assert!(matches!(long.write_to(io::sink()), Err(SaveError::Recipe)));
        assert_eq!(fs::read(&path).unwrap(), bytes, "{kind}: the old file stands");
        assert_eq!(names(), ["filter.anther"], "{kind}: nothing beside it");

        // Again over itself, and over what is no filter at all.
        fs::write(&path, "something else").unwrap();
        filter.save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(names(), ["filter.anther"]);
    }
}

/// A folder in which nobody may write. The superuser may, so there is nothing to see for them.
#[cfg(unix)]
#[test]
fn a_closed_folder_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    let (_, filter, bytes) = sample(Kind::Blocked);
    filter.save(&path).unwrap();
    let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let superuser = fs::write(folder.path().join("probe"), "").is_ok();
    let result = filter.save(&path);
    mode(0o755);
    if superuser {
        fs::remove_file(folder.path().join("probe")).unwrap();
    } else {
        let Err(SaveError::Io(error)) = result else { panic!("{result:?}") };
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A stream that ends early at any byte is an error, also when a buffer hides it until the end.
#[test]
fn a_stream_that_is_full_is_an_error() {
    struct Room(usize);
    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(self.0).min(100);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for &kind in Kind::ALL {
        let (_, filter, bytes) = sample(kind);
        for room in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
            for result in [filter.write_to(Room(room)), filter.write_to(BufWriter::new(Room(room)))]
            {
                let Err(SaveError::Io(error)) = result else { panic!("{kind}: {result:?}") };
                assert_eq!(error.kind(), ErrorKind::StorageFull, "{kind}, {room}");
            }
        }
        filter.write_to(BufWriter::new(Room(bytes.len()))).unwrap();
    }
    if cfg!(target_os = "linux") {
        let (_, filter, _) = sample(Kind::Classic);
        let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert!(matches!(filter.write_to(full()), Err(SaveError::Io(_))));
        assert!(matches!(filter.write_to(BufWriter::new(full())), Err(SaveError::Io(_))));
        assert!(matches!(filter.save("/dev/full"), Err(SaveError::Io(_))), "no regular file");
    }
}

// ---------------------------------------------------------------------------------------------
// No memory
// ---------------------------------------------------------------------------------------------

/// A machine with little memory: whatever would make a filter says how much it needs, and what
/// was there stays as it was.
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    const LIMIT: usize = 100_000;
    for &kind in Kind::ALL {
        let target = Target::new(1_000_000, 0.01).unwrap();
        let need = kind.bits_for(target).unwrap() / 8;
        let error = with_limit(LIMIT, || AnyFilter::new(kind, target, Seed::FIXED)).unwrap_err();
        let SizeError::OutOfMemory(OutOfMemory { bytes }) = error else { panic!("{error:?}") };
        assert!((need..need + 128).contains(&bytes), "{kind}: {bytes} for {need}");
        assert!(error.to_string().starts_with(&format!("{bytes} bytes of memory")), "{error}");

        let file = bytes_of(&empty(kind, 1_000_000, 0.01, Seed::FIXED));
        for result in
            with_limit(LIMIT, || [Open::new().bytes(&file), Open::new().reader(&file[..])])
        {
            assert!(matches!(result, Err(LoadError::OutOfMemory(_))), "{kind}: {result:?}");
        }
    }

    let large: Blocked = Blocked::new(Target::new(1_000_000, 0.01).unwrap()).unwrap();
    let lines = large.profile().bits / 512;
    let ratio = (2..).find(|ratio| lines.is_multiple_of(*ratio)).unwrap();
    let folded = with_limit(LIMIT, || large.fold(ratio));
    assert!(matches!(folded, Err(FoldError::OutOfMemory(_))), "{folded:?}");
    let mut small = large.fold(ratio).unwrap();
    let before = small.clone();
    let merged = with_limit(LIMIT, || small.merge(&large));
    assert!(matches!(merged, Err(Mismatch::OutOfMemory(_))), "{merged:?}");
    assert_eq!(small, before);

    // A mapped filter that would have to be copied.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.anther");
    large.save(&path).unwrap();
    let map = || Blocked::try_from(Open::new().map(&path).unwrap()).unwrap();
    let shared = with_limit(LIMIT, || map().into_shared().map(|_| ()));
    assert!(matches!(shared, Err(OutOfMemory { .. })), "{shared:?}");
    let mut mapped = map();
    let merged = with_limit(LIMIT, || mapped.merge(&large));
    assert!(matches!(merged, Err(Mismatch::OutOfMemory(_))), "{merged:?}");
    let intersected = with_limit(LIMIT, || mapped.intersect(&large));
    assert!(matches!(intersected, Err(Mismatch::OutOfMemory(_))), "{intersected:?}");
    assert_eq!(mapped, large);
    assert!(with_limit(LIMIT, map).contains_hash(KeyHash(1)) == large.contains_hash(KeyHash(1)));
}
