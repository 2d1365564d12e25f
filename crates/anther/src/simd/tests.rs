use super::*;
use crate::batch::ahead::AHEAD;
use crate::batch::spread;
use crate::parts::probes::{Spread, index};

/// Around the length of the ring, and none.
const COUNTS: [usize; 8] = [0, 1, 2, AHEAD - 1, AHEAD, AHEAD + 1, 3 * AHEAD, 1000];

fn key(number: usize) -> KeyHash {
    KeyHash(number as u64).again(7)
}

fn keys(count: usize) -> impl Hashes {
    (0..count).map(key)
}

/// What a kernel makes of some keys, and what it answers for those and as many others.
type Run = (u64, Vec<u64>, Vec<bool>);

fn run(
    words: usize,
    count: usize,
    put: impl Fn(&mut [u64], usize) -> u64,
    has: impl Fn(&[u64], &mut [bool]),
) -> Run {
    let mut row = vec![0; words];
    let new = put(&mut row, count);
    let mut found = vec![false; 2 * count];
    has(&row, &mut found);
    (new, row, found)
}

/// One key after the other, by a kernel.
fn singly(
    words: usize,
    count: usize,
    put: impl Fn(&mut Words, KeyHash) -> bool,
    has: impl Fn(&Words, KeyHash) -> bool,
) -> Run {
    let Ok(mut row) = Words::zeroed(words) else { unreachable!() };
    let new = (0..count).filter(|at| put(&mut row, key(*at))).count() as u64;
    let found = (0..2 * count).map(|at| has(&row, key(at))).collect();
    (new, row.as_slice().to_vec(), found)
}

/// One key after the other, by the pattern itself.
fn simple(
    words: usize,
    count: usize,
    set: impl Fn(&mut [u64], KeyHash) -> u32,
    has: impl Fn(&[u64], KeyHash) -> bool,
) -> Run {
    let mut row = vec![0; words];
    let new = (0..count).filter(|at| set(&mut row, key(*at)) > 0).count() as u64;
    let found = (0..2 * count).map(|at| has(&row, key(at))).collect();
    (new, row, found)
}

#[test]
fn lines_in_batches_are_lines_one_by_one() {
    for probes in 1..=Line::MAX_PROBES {
        for (lines, count) in COUNTS.into_iter().enumerate() {
            let line = Line::new(1 + lines as u64 * 3, probes);
            let words = index(line.lines()) * Line::WORDS;
            let unit = |key| index(line.line(key));
            let expected = simple(
                words,
                count,
                |row, key| line.insert(&mut row.as_chunks_mut().0[unit(key)], key),
                |row, key| line.contains(&row.as_chunks().0[unit(key)], key),
            );
            assert!(expected.2[..count].iter().all(|found| *found));
            let picked = run(
                words,
                count,
                |row, count| line_insert_hashes(line, row, 0, count, keys(count)),
                |row, found| line_contains_hashes(line, row, found, keys(found.len())),
            );
            let portable = run(
                words,
                count,
                |row, count| portable::line_insert_hashes(line, row, 0, count, keys(count)),
                |row, found| portable::line_contains_hashes(line, row, found, keys(found.len())),
            );
            let single = singly(
                words,
                count,
                |row, key| line_insert(&line, row, key),
                |row, key| line_contains(&line, row, key),
            );
            let plain = singly(
                words,
                count,
                |row, key| portable::line_insert(&line, row, key),
                |row, key| portable::line_contains(&line, row, key),
            );
            for made in [picked, portable, single, plain] {
                assert_eq!(made, expected, "{line:?}, {count} keys");
            }
        }
    }
}

#[test]
fn blocks_in_batches_are_blocks_one_by_one() {
    for (blocks, count) in COUNTS.into_iter().enumerate() {
        let lanes = Lanes::new(1 + blocks as u64 * 5);
        let words = index(lanes.blocks()) * Lanes::WORDS;
        let unit = |key| index(lanes.block(key));
        let expected = simple(
            words,
            count,
            |row, key| lanes.insert(&mut row.as_chunks_mut().0[unit(key)], key),
            |row, key| lanes.contains(&row.as_chunks().0[unit(key)], key),
        );
        let picked = run(
            words,
            count,
            |row, count| lanes_insert_hashes(lanes, row, 0, count, keys(count)),
            |row, found| lanes_contain_hashes(lanes, row, found, keys(found.len())),
        );
        let portable = run(
            words,
            count,
            |row, count| portable::lanes_insert_hashes(lanes, row, 0, count, keys(count)),
            |row, found| portable::lanes_contain_hashes(lanes, row, found, keys(found.len())),
        );
        let single = singly(
            words,
            count,
            |row, key| lanes_insert(&lanes, row, key),
            |row, key| lanes_contain(&lanes, row, key),
        );
        let plain = singly(
            words,
            count,
            |row, key| portable::lanes_insert(&lanes, row, key),
            |row, key| portable::lanes_contain(&lanes, row, key),
        );
        for made in [picked, portable, single, plain] {
            assert_eq!(made, expected, "{lanes:?}, {count} keys");
        }
    }
}

#[test]
fn spread_probes_in_batches_are_those_one_by_one() {
    use crate::parts::bits::place;
    for probes in [1, 2, 7, 64] {
        for (cells, count) in COUNTS.into_iter().enumerate() {
            let spread = Spread::new(1 + cells as u64 * 700, probes);
            let words = index(spread.cells().div_ceil(64));
            let expected = simple(
                words,
                count,
                |row, key| {
                    let mut new = 0;
                    spread.each(key, |cell| {
                        let (word, mask) = place(cell);
                        new += u32::from(row[word] & mask == 0);
                        row[word] |= mask;
                    });
                    new
                },
                |row, key| spread.all(key, |cell| row[place(cell).0] & place(cell).1 != 0),
            );
            let batched = run(
                words,
                count,
                |row, count| spread::insert_hashes(spread, row, count, keys(count)),
                |row, found| spread::contains_hashes(spread, row, found, keys(found.len())),
            );
            assert_eq!(batched, expected, "{spread:?}, {count} keys");
        }
    }
}
