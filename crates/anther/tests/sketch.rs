//! Sketches of lists: what a prefix finds, what a corrupt or forged one does, and the vectors of
//! FORMAT.md.

use anther::iblt::sketch::{
    Comparison, LineHash, SketchHeader, SketchReader, SketchSet, SketchWriter, SketchedLine,
    line_hash,
};
use anther::recipe::{Column, Format, KeyRule, Place, Quotes, Separator};
use anther::sizing::iblt::rateless_symbols;
use anther::{Recipe, Seed, SketchError};
use std::num::NonZero;
use std::path::PathBuf;

const KEY: [u8; 16] = *b"conformance key!";

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("below a usize")
    }
}

fn lines(range: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    range.map(|i| format!("line {i} of {}", i * 7919 % 1000).into_bytes()).collect()
}

fn plain(seed: Seed) -> SketchHeader {
    SketchHeader { seed, recipe: Recipe::default() }
}

/// A sketch of this many frames.
fn sketch(header: &SketchHeader, lines: &[Vec<u8>], most: usize, frames: usize) -> Vec<u8> {
    let (mut writer, mut bytes) = SketchWriter::new(header, lines, most).expect("a sketch");
    (0..frames).for_each(|_| bytes.extend(writer.frame()));
    bytes
}

/// The lines of each side, or `None` if the sketch is too short.
type Found = Option<(Vec<SketchedLine>, Vec<SketchedLine>)>;

fn compare(sketch: &[u8], ours: &[Vec<u8>], key: Option<Seed>) -> Result<Found, SketchError> {
    let mut reader = SketchReader::open(sketch, key)?;
    let set = reader.set()?;
    let mut comparison = Comparison::new(set, ours, reader.header().seed)?;
    while !comparison.is_done() && reader.frame(&mut comparison)? {}
    if !comparison.is_done() {
        return Ok(None);
    }
    let found = comparison.difference()?;
    Ok(Some((found.ours, found.theirs)))
}

fn whole(lines: &[Vec<u8>]) -> Vec<SketchedLine> {
    let mut lines: Vec<_> = lines.iter().cloned().map(SketchedLine::Whole).collect();
    lines.sort();
    lines
}

#[test]
fn every_prefix_is_useful_and_none_is_wrong() {
    let (theirs, ours) = (lines(0..300), lines(12..307));
    let expected = (whole(&lines(300..307)), whole(&lines(0..12)));
    let bytes = sketch(&plain(Seed::FIXED), &theirs, 64, 8);
    let mut first = None;
    for end in 0..=bytes.len() {
        match compare(&bytes[..end], &ours, None) {
            Ok(Some(found)) => {
                assert_eq!(found, expected, "{end} bytes");
                first.get_or_insert(end);
            }
            Ok(None) => assert!(first.is_none(), "{end} bytes are more than {first:?}"),
            Err(SketchError::NotSketch) => assert_eq!(end, 0),
            Err(SketchError::Truncated { .. }) => assert!(end < 72, "{end}"),
            Err(other) => panic!("{end} bytes: {other}"),
        }
    }
    let first = first.expect("all of it is enough");
    let symbol = SketchSet::of(theirs.iter().map(Vec::len), 64).symbol_bytes();
    assert!(first < 72 + 19 * 4 * symbol, "{first} bytes for 19 differences");
    // The same lists take one symbol, in whatever order, and however often a line comes.
    let twice = [theirs.clone(), lines(0..100)].concat();
    let mut reader = SketchReader::open(&bytes[..], None).unwrap();
    let set = reader.set().unwrap();
    assert_eq!(set.lines, 300);
    let mut same = Comparison::new(set, &twice, Seed::FIXED).unwrap();
    assert!(reader.frame(&mut same).unwrap() && same.is_done() && same.symbols() == 1);
    assert_eq!(reader.bytes(), 48 + 24 + 10 + symbol as u64);
}

#[test]
fn long_lines_travel_as_hashes() {
    let long = |i: u32| format!("{i} {}", "x".repeat(100)).into_bytes();
    let theirs = [lines(0..50), (0..6).map(long).collect()].concat();
    let ours = [lines(2..50), (3..9).map(long).collect()].concat();
    for seed in [Seed::FIXED, Seed::chosen(7), Seed::keyed(KEY)] {
        let key = (seed == Seed::keyed(KEY)).then_some(seed);
        for most in [64, 20, 0] {
            let bytes = sketch(&plain(seed), &theirs, most, 14);
            let (mine, other) = compare(&bytes, &ours, key).unwrap().expect("enough symbols");
            let hash = |line: &Vec<u8>| SketchedLine::Hash(line_hash(line, &seed));
            let hashes = |lines: &[Vec<u8>]| {
                let mut lines: Vec<_> =
                    lines
                        .iter()
                        .map(|it| {
                            if it.len() > most { hash(it) } else { SketchedLine::Whole(it.clone()) }
                        })
                        .collect();
                lines.sort();
                lines
            };
            assert_eq!(mine, hashes(&(6..9).map(long).collect::<Vec<_>>()));
            let expected = [lines(0..2), (0..3).map(long).collect()].concat();
            assert_eq!(other, hashes(&expected), "{most}");
        }
    }
    // Without hashes, a line longer than all of theirs is certainly not among them.
    let set = SketchSet::of([3, 5], 64);
    assert_eq!((set.whole, set.hashed, set.symbol_bytes()), (5, false, 12 + 1 + 5));
    assert!(set.element(b"123456", &Seed::FIXED).is_none());
    let set = SketchSet::of([3, 65], 64);
    assert_eq!((set.whole, set.hashed, set.symbol_bytes()), (3, true, 12 + 1 + 17));
    assert_eq!(SketchSet::of([64, 65], 64).symbol_bytes(), 78);
}

#[test]
fn keys_and_versions_are_checked() {
    let theirs = lines(0..3);
    let keyed = sketch(&plain(Seed::keyed(KEY)), &theirs, 64, 3);
    let open = sketch(&plain(Seed::FIXED), &theirs, 64, 3);
    let with = |bytes: &[u8], key| compare(bytes, &theirs, key);
    assert!(matches!(with(&keyed, Some(Seed::keyed(KEY))), Ok(Some(_))));
    assert!(matches!(with(&keyed, None), Err(SketchError::KeyNeeded)));
    assert!(matches!(with(&keyed, Some(Seed::keyed([1; 16]))), Err(SketchError::WrongKey)));
    assert!(matches!(with(&open, Some(Seed::keyed(KEY))), Err(SketchError::NotKeyed)));
    assert!(matches!(with(b"\x89ANT\r\n\x1a\n", None), Err(SketchError::NotSketch)));
    assert!(matches!(with(b"list\n", None), Err(SketchError::NotSketch)));
    let mut newer = open.clone();
    newer[8] = 2;
    let error = with(&newer, None);
    assert!(matches!(error, Err(SketchError::Version { got: 2, ours: 1 })), "{error:?}");
    assert!(SketchWriter::new(&plain(Seed::EXTERNAL), &theirs, 64).is_err());
}

/// 10,000 sketches with bytes changed, dropped, added and swapped: an error, or the answer of the
/// frames before.
#[test]
fn a_corrupt_sketch_is_an_error_or_a_shorter_one() {
    let (theirs, ours) = (lines(0..120), lines(9..125));
    let expected = (whole(&lines(120..125)), whole(&lines(0..9)));
    let bytes = sketch(&plain(Seed::FIXED), &theirs, 64, 7);
    let (mut random, mut errors, mut found, mut short) = (Random(22), 0, 0, 0);
    for _ in 0..10_000 {
        let mut bytes = bytes.clone();
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..(at + 1 + random.below(100)).min(bytes.len()))),
            3 => bytes.insert(at, random.next().to_le_bytes()[0]),
            _ => {
                let (from, len) = (random.below(bytes.len() - 64), 1 + random.below(63));
                let at = at.min(bytes.len() - len);
                bytes.copy_within(from..from + len, at);
            }
        }
        match compare(&bytes, &ours, None) {
            Ok(Some(answer)) => {
                assert_eq!(answer, expected);
                found += 1;
            }
            Ok(None) => short += 1,
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 2000 && found > 500 && short > 500, "{errors} {found} {short}");
}

/// The same under correct checksums, as an attacker would: an end, and no wrong answer by chance.
#[test]
fn a_forged_sketch_ends() {
    let (theirs, ours) = (lines(0..120), lines(9..125));
    let expected = (whole(&lines(120..125)), whole(&lines(0..9)));
    let bytes = sketch(&plain(Seed::FIXED), &theirs, 64, 7);
    let (mut random, mut errors, mut short) = (Random(23), 0, 0);
    for _ in 0..10_000 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = 8 + random.below(bytes.len() - 8);
            bytes[at] = match random.below(3) {
                0 => 0,
                1 => 0xFF,
                _ => random.next().to_le_bytes()[0],
            };
        }
        seal(&mut bytes);
        match compare(&bytes, &ours, None) {
            Ok(Some(answer)) => assert_eq!(answer, expected),
            Ok(None) => short += 1,
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 100 && short > 1000, "{errors} {short}");
    // A list of 2⁶⁰ lines, and symbols of noise without an end.
    let mut noise = bytes[..48].to_vec();
    noise.extend((1u64 << 60).to_le_bytes());
    noise.extend([64, 1, 0, 0, 0, 0, 0, 0]);
    noise.extend([0; 8]);
    for frame in 0..2000 {
        noise.extend([13, 0]);
        let mut symbols: Vec<u8> = (0..13 * 78).map(|_| random.next().to_le_bytes()[3]).collect();
        if frame == 0 {
            symbols[8..12].fill(0);
        }
        noise.extend(symbols);
        noise.extend([0; 8]);
    }
    seal(&mut noise);
    assert!(matches!(compare(&noise, &ours, None), Ok(None)), "it ended, and nothing was found");
    // The same that claims few lines is given up before its end.
    noise[48..56].copy_from_slice(&256u64.to_le_bytes());
    noise[72 + 2 + 9] = 1;
    seal(&mut noise);
    let error = compare(&noise, &ours, None);
    assert!(matches!(error, Err(SketchError::Endless { .. })), "{error:?}");
}

/// Renews the checksums of all parts that are whole.
fn seal(bytes: &mut [u8]) {
    let checksum = |bytes: &[u8], seed| twox_hash::XxHash3_64::oneshot_with_seed(seed, bytes);
    let mut before = checksum(&bytes[..40], 0);
    bytes[40..48].copy_from_slice(&before.to_le_bytes());
    let set = bytes[48..64].to_vec();
    before = checksum(&set, before);
    bytes[64..72].copy_from_slice(&before.to_le_bytes());
    let whole = usize::from(set[8]);
    let width = 13 + if set[9] == 1 { whole.max(16) + 1 } else { whole.max(1) };
    let mut at = 72;
    while at + 2 <= bytes.len() {
        let count = usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let end = at + 2 + count * width;
        if end + 8 > bytes.len() {
            break;
        }
        before = checksum(&bytes[at..end], before);
        bytes[end..end + 8].copy_from_slice(&before.to_le_bytes());
        at = end + 8;
    }
}

/// The symbols that the formula gives suffice 99 times in a hundred, and a third of them give an
/// estimate whose upper end is enough.
#[test]
fn sizes_and_estimates_hold() {
    let sizes = [(1, 1000), (2, 1000), (5, 1000), (20, 1000), (100, 600), (1000, 100)];
    // On both sides, and on theirs alone.
    for (only_theirs, (d, runs)) in
        [false, true].into_iter().flat_map(|it| sizes.map(|size| (it, size)))
    {
        let (mut failed, mut too_low, mut error) = (0, 0, 0.0);
        for run in 0..runs {
            let list = |range: std::ops::Range<u32>| -> Vec<[u8; 8]> {
                range.map(|i| (u64::from(i) << 32 | run).to_le_bytes()).collect()
            };
            let end = if only_theirs { d } else { d / 2 };
            let (theirs, ours) = (list(0..50 + end), list(end..50 + d));
            let (mut writer, head) = SketchWriter::new(&plain(Seed::FIXED), &theirs, 64).unwrap();
            let mut reader = SketchReader::open(&head[..], None).unwrap();
            let mut comparison =
                Comparison::new(reader.set().unwrap(), &ours, Seed::FIXED).unwrap();
            let most = rateless_symbols(d.into());
            let mut bytes = head;
            while writer.symbols() < most {
                bytes.extend(writer.frame_of(most - writer.symbols()));
            }
            let mut reader = SketchReader::open(&bytes[..], None).unwrap();
            reader.set().unwrap();
            let mut asked = false;
            while !comparison.is_done() && reader.frame(&mut comparison).unwrap() {
                if !asked && comparison.symbols() >= most / 3 && !comparison.is_done() {
                    asked = true;
                    too_low += u32::from(comparison.enough() < d.into());
                    error += (comparison.estimate() as f64 / f64::from(d) - 1.0).abs();
                }
            }
            failed += u32::from(!comparison.is_done());
        }
        let runs = u32::try_from(runs).unwrap();
        // Three standard deviations of a hundredth.
        let most = f64::from(runs) * 0.01 + 3.0 * (f64::from(runs) * 0.01).sqrt();
        assert!(f64::from(failed) <= most, "{d}: {failed} of {runs} failed");
        assert!(f64::from(too_low) <= most, "{d}: {too_low} of {runs} too low");
        let error = error / f64::from(runs);
        assert!(error < 0.45, "{d}: off by {error}");
    }
}

/// A frozen sketch, and what it says.
struct Vector {
    name: &'static str,
    header: SketchHeader,
    most: usize,
}

fn vectors() -> Vec<Vector> {
    let column = Place {
        format: Format::Delimited {
            delimiter: b';',
            quotes: Quotes::Csv,
            separator: Separator::Line,
        },
        columns: vec![Column::Number(NonZero::new(2).expect("not 0"))],
        header: true,
    };
    let folded = KeyRule { ignore_case: true, ..KeyRule::default() };
    let recipe = Recipe { rule: folded, reach: None, place: column };
    vec![
        Vector { name: "open", header: plain(Seed::FIXED), most: 64 },
        Vector { name: "chosen", header: plain(Seed::chosen(0x1234_5678_9ABC_DEF0)), most: 254 },
        Vector { name: "keyed", header: plain(Seed::keyed(KEY)), most: 64 },
        Vector { name: "hashes", header: plain(Seed::FIXED), most: 0 },
        Vector { name: "recipe", header: SketchHeader { seed: Seed::FIXED, recipe }, most: 64 },
    ]
}

/// `conformance/sketches` is part of the format. With `ANTHER_NEW_GOLDEN=1`, it is written anew.
#[test]
fn sketches_are_written_as_ever() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/sketches");
    let list = |name: &str| -> Vec<Vec<u8>> {
        let text = std::fs::read(folder.join(name)).unwrap();
        text.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (theirs, ours) = (list("theirs.txt"), list("ours.txt"));
    let only = |list: &[Vec<u8>], other: &[Vec<u8>]| -> Vec<Vec<u8>> {
        list.iter().filter(|line| !other.contains(line)).cloned().collect()
    };
    for Vector { name, header, most } in vectors() {
        let written = sketch(&header, &theirs, most, 6);
        let path = folder.join(format!("{name}.sketch"));
        if std::env::var_os("ANTHER_NEW_GOLDEN").is_some() {
            std::fs::write(&path, &written).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == written, "{name} is written differently");
        let key = (header.seed == Seed::keyed(KEY)).then_some(header.seed);
        let mut reader = SketchReader::open(&written[..], key).unwrap();
        assert_eq!(*reader.header(), header);
        let set = reader.set().unwrap();
        assert_eq!(set.lines, 40);
        // A line that is longer than all of theirs is not compared.
        let element = |line: Vec<u8>| -> Option<SketchedLine> {
            let hash: LineHash = line_hash(&line, &header.seed);
            let element = set.element(&line, &header.seed)?;
            Some(if *element == line {
                SketchedLine::Whole(line)
            } else {
                SketchedLine::Hash(hash)
            })
        };
        let mut expected = [only(&ours, &theirs), only(&theirs, &ours)].map(|lines| {
            let mut lines: Vec<_> = lines.into_iter().filter_map(element).collect();
            lines.sort();
            lines
        });
        let (mine, other) = compare(&written, &ours, key).unwrap().expect("enough symbols");
        assert_eq!(
            (mine, other),
            (std::mem::take(&mut expected[0]), expected[1].clone()),
            "{name}"
        );
    }
}
