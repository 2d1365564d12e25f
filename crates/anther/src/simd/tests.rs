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
    put: impl Fn(&mut [u64], KeyHash) -> bool,
    has: impl Fn(&[u64], KeyHash) -> bool,
) -> Run {
    let mut row = vec![0; words];
    let new = (0..count).filter(|at| put(&mut row, key(*at))).count() as u64;
    let found = (0..2 * count).map(|at| has(&row, key(at))).collect();
    (new, row, found)
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

/// The tests of a kernel: its batches and its single calls do what the pattern does. `$runs` says
/// whether the machine can run it.
macro_rules! kernel_does_what_the_pattern_does {
    ($kernel:ident, $runs:expr) => {
        mod $kernel {
            #![allow(
                clippy::allow_attributes,
                unsafe_code,
                unused_unsafe,
                reason = "calls of some kernels are unsafe; those of others are not"
            )]
            use super::super::$kernel as kernel;
            use super::*;

            #[test]
            fn lines() {
                if !$runs {
                    return println!("not run: this machine has no {}", stringify!($kernel));
                }
                for probes in 1..=Line::MAX_PROBES {
                    for (lines, count) in COUNTS.into_iter().enumerate() {
                        let line = Line::new(1 + lines as u64 * 3, probes);
                        let expected = expected_of_lines(line, count);
                        let words = expected.1.len();
                        let batched = run(
                            words,
                            count,
                            // SAFETY: the machine has the instructions.
                            |row, count| unsafe {
                                kernel::line_insert_hashes(line, row, 0, count, keys(count))
                            },
                            // SAFETY: the machine has the instructions.
                            |row, found| unsafe {
                                kernel::line_contains_hashes(line, row, found, keys(found.len()));
                            },
                        );
                        let single = singly(
                            words,
                            count,
                            // SAFETY: the machine has the instructions.
                            |row, key| unsafe {
                                kernel::into_line(
                                    probes,
                                    &mut row.as_chunks_mut().0[index(line.line(key))],
                                    key,
                                )
                            },
                            // SAFETY: the machine has the instructions.
                            |row, key| unsafe {
                                kernel::in_line(
                                    probes,
                                    &row.as_chunks().0[index(line.line(key))],
                                    key,
                                )
                            },
                        );
                        for at in 0..count {
                            // SAFETY: the machine has the instructions.
                            let masks = unsafe { kernel::line_masks(probes, key(at)) };
                            assert_eq!(masks, super::super::portable::line_masks(probes, key(at)));
                        }
                        assert_eq!(batched, expected, "{line:?}, {count} keys in a batch");
                        assert_eq!(single, expected, "{line:?}, {count} keys one by one");
                    }
                }
            }

            #[test]
            fn blocks() {
                if !$runs {
                    return println!("not run: this machine has no {}", stringify!($kernel));
                }
                for (blocks, count) in COUNTS.into_iter().enumerate() {
                    let lanes = Lanes::new(1 + blocks as u64 * 5);
                    let expected = expected_of_blocks(lanes, count);
                    let words = expected.1.len();
                    let batched = run(
                        words,
                        count,
                        // SAFETY: the machine has the instructions.
                        |row, count| unsafe {
                            kernel::lanes_insert_hashes(lanes, row, 0, count, keys(count))
                        },
                        // SAFETY: the machine has the instructions.
                        |row, found| unsafe {
                            kernel::lanes_contain_hashes(lanes, row, found, keys(found.len()));
                        },
                    );
                    let single = singly(
                        words,
                        count,
                        // SAFETY: the machine has the instructions.
                        |row, key| unsafe {
                            kernel::into_block(
                                &mut row.as_chunks_mut().0[index(lanes.block(key))],
                                key,
                            )
                        },
                        // SAFETY: the machine has the instructions.
                        |row, key| unsafe {
                            kernel::in_block(&row.as_chunks().0[index(lanes.block(key))], key)
                        },
                    );
                    assert_eq!(batched, expected, "{lanes:?}, {count} keys in a batch");
                    assert_eq!(single, expected, "{lanes:?}, {count} keys one by one");
                }
            }
        }
    };
}

kernel_does_what_the_pattern_does!(portable, true);
#[cfg(target_arch = "x86_64")]
kernel_does_what_the_pattern_does!(avx2, best_kernel() != Kernel::Portable);
#[cfg(target_arch = "x86_64")]
kernel_does_what_the_pattern_does!(avx512, best_kernel() == Kernel::Avx512);
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
kernel_does_what_the_pattern_does!(neon, true);

fn expected_of_lines(line: Line, count: usize) -> Run {
    let unit = |key| index(line.line(key));
    let expected = simple(
        index(line.lines()) * Line::WORDS,
        count,
        |row, key| Line::insert(line.probes(), &mut row.as_chunks_mut().0[unit(key)], key),
        |row, key| Line::contains(line.probes(), &row.as_chunks().0[unit(key)], key),
    );
    assert!(expected.2[..count].iter().all(|found| *found));
    expected
}

fn expected_of_blocks(lanes: Lanes, count: usize) -> Run {
    let unit = |key| index(lanes.block(key));
    let expected = simple(
        index(lanes.blocks()) * Lanes::WORDS,
        count,
        |row, key| Lanes::insert(&mut row.as_chunks_mut().0[unit(key)], key),
        |row, key| Lanes::contains(&row.as_chunks().0[unit(key)], key),
    );
    assert!(expected.2[..count].iter().all(|found| *found));
    expected
}

/// Also after the first call, which only finds the kernel.
#[test]
fn picked_kernels_do_what_the_pattern_does() {
    let line = Line::new(100, 7);
    let lines = singly(
        index(line.lines()) * Line::WORDS,
        1000,
        |row, key| line_insert(row, 7, key),
        |row, key| line_contains(row, 7, key),
    );
    assert_eq!(lines, expected_of_lines(line, 1000));
    let lanes = Lanes::new(100);
    let blocks = singly(index(lanes.blocks()) * Lanes::WORDS, 1000, lanes_insert, lanes_contain);
    assert_eq!(blocks, expected_of_blocks(lanes, 1000));
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
