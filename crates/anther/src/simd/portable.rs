//! For every machine: the patterns as they stand, without branches that a key decides.

use crate::batch::Hashes;
use crate::batch::ahead::{contains_in_units, insert_in_units};
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, index};
use crate::parts::words::Words;

pub fn line_contains_hashes(line: Line, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
    contains_in_units(
        words,
        found,
        hashes,
        |key| index(line.line(key)),
        |cells, key| line.contains(cells, key),
    );
}

pub fn line_insert_hashes(
    line: Line,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    insert_in_units(
        words,
        count,
        hashes,
        |key| index(line.line(key) - first),
        |cells, key| line.insert(cells, key) > 0,
    )
}

pub fn lanes_contain_hashes(lanes: Lanes, words: &[u64], found: &mut [bool], hashes: impl Hashes) {
    contains_in_units(
        words,
        found,
        hashes,
        |key| index(lanes.block(key)),
        |cells, key| lanes.contains(cells, key),
    );
}

pub fn lanes_insert_hashes(
    lanes: Lanes,
    words: &mut [u64],
    first: u64,
    count: usize,
    hashes: impl Hashes,
) -> u64 {
    insert_in_units(
        words,
        count,
        hashes,
        |key| index(lanes.block(key) - first),
        |cells, key| lanes.insert(cells, key) > 0,
    )
}

#[inline]
pub fn line_contains(line: &Line, words: &Words, key: KeyHash) -> bool {
    line.contains(&words.as_slice().as_chunks().0[index(line.line(key))], key)
}

#[inline]
pub fn line_insert(line: &Line, words: &mut Words, key: KeyHash) -> bool {
    line.insert(&mut words.to_mut().as_chunks_mut().0[index(line.line(key))], key) > 0
}

#[inline]
pub fn lanes_contain(lanes: &Lanes, words: &Words, key: KeyHash) -> bool {
    lanes.contains(&words.as_slice().as_chunks().0[index(lanes.block(key))], key)
}

#[inline]
pub fn lanes_insert(lanes: &Lanes, words: &mut Words, key: KeyHash) -> bool {
    lanes.insert(&mut words.to_mut().as_chunks_mut().0[index(lanes.block(key))], key) > 0
}
