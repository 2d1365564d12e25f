//! For every machine: the patterns as they stand, without branches that a key decides.

use super::{Hashes, ask, put};
use crate::parts::probes::{Lanes, Line, index};

pub fn line_has(line: Line, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    ask(words, found, hash, |key| index(line.line(key)), |cells, key| line.within(cells, key));
}

pub fn line_put(line: Line, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    put(words, count, hash, |key| index(line.line(key)), |cells, key| line.mark(cells, key) > 0)
}

pub fn lanes_have(lanes: Lanes, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    ask(words, found, hash, |key| index(lanes.block(key)), |cells, key| lanes.within(cells, key));
}

pub fn lanes_put(lanes: Lanes, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    put(words, count, hash, |key| index(lanes.block(key)), |cells, key| lanes.mark(cells, key) > 0)
}
