//! For every machine: the patterns as they stand, without branches that a key decides.

use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, UnitMasks};

super::instantiate!();

pub(super) fn with_vectors(work: impl super::Work) {
    work.run();
}

#[inline]
pub(super) fn in_line(probes: u32, cells: &[u64; Line::WORDS], key: KeyHash) -> bool {
    Line::contains(probes, cells, key)
}

#[inline]
pub(super) fn into_line(probes: u32, cells: &mut [u64; Line::WORDS], key: KeyHash) -> bool {
    Line::insert(probes, cells, key) > 0
}

#[inline]
pub(super) fn line_masks(probes: u32, key: KeyHash) -> UnitMasks {
    let mut masks = UnitMasks::NONE;
    Line::each_of(probes, key, |position| masks.set(position));
    masks
}

#[inline]
pub(super) fn in_block(cells: &[u64; Lanes::WORDS], key: KeyHash) -> bool {
    Lanes::contains(cells, key)
}

#[inline]
pub(super) fn into_block(cells: &mut [u64; Lanes::WORDS], key: KeyHash) -> bool {
    Lanes::insert(cells, key) > 0
}
