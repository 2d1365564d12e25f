//! For x86-64 with AVX2: eight probes in one vector.
//!
//! Setting bits of a line stays scalar: bits for 512 places would take seven instructions a probe
//! to bring together, and six words to OR are in the nearest cache by then.

use super::{Hashes, ask, put};
use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, index};
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub fn line_has(line: Line, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    let unit = |key| index(line.line(key));
    let wanted = (1 << line.probes()) - 1;
    if line.probes() <= 8 {
        ask(words, found, hash, unit, |cells, key| eight(cells, key, 0) & wanted == wanted);
    } else {
        let sixteen = |cells: &_, key| eight(cells, key, 0) | eight(cells, key, 1) << 8;
        ask(words, found, hash, unit, |cells, key| sixteen(cells, key) & wanted == wanted);
    }
}

#[target_feature(enable = "avx2")]
pub fn line_put(line: Line, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    put(words, count, hash, |key| index(line.line(key)), |cells, key| line.mark(cells, key) > 0)
}

#[target_feature(enable = "avx2")]
pub fn lanes_have(lanes: Lanes, words: &[u64], found: &mut [bool], hash: impl Hashes) {
    ask(
        words,
        found,
        hash,
        |key| index(lanes.block(key)),
        |cells, key| _mm256_testc_si256(load(cells), bits(key)) == 1,
    );
}

#[target_feature(enable = "avx2")]
pub fn lanes_put(lanes: Lanes, words: &mut [u64], count: usize, hash: impl Hashes) -> u64 {
    put(
        words,
        count,
        hash,
        |key| index(lanes.block(key)),
        |cells: &mut [u64; Lanes::WORDS], key| {
            let (old, bits) = (load(cells), bits(key));
            store(cells, _mm256_or_si256(old, bits));
            _mm256_testc_si256(old, bits) == 0
        },
    )
}

/// For each of eight probes of a key, whether its place in the line is 1; the first lowest.
///
/// A place has 9 bits: which half of the line, which of its eight lanes, which bit of that. All
/// lanes are fetched from both halves, the half is chosen, and the bit is moved to the sign.
#[inline]
#[target_feature(enable = "avx2")]
fn eight(cells: &[u64; Line::WORDS], key: KeyHash, which: usize) -> u32 {
    let odds = load_u32(&Line::ODDS.as_chunks::<8>().0[which]);
    let pattern = _mm256_set1_epi32(Line::pattern(key).cast_signed());
    let places = _mm256_srli_epi32::<23>(_mm256_mullo_epi32(pattern, odds));
    let [low, high] = [0, 1].map(|half| load(&cells.as_chunks::<4>().0[half]));
    let lanes = _mm256_srli_epi32::<5>(places);
    let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, lanes));
    let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, lanes));
    let half = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(places));
    let chosen = _mm256_castps_si256(_mm256_blendv_ps(low, high, half));
    let to_sign = _mm256_andnot_si256(places, _mm256_set1_epi32(31));
    let signs = _mm256_castsi256_ps(_mm256_sllv_epi32(chosen, to_sign));
    _mm256_movemask_ps(signs).cast_unsigned()
}

/// The bits of a key in its block, one a lane.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(key: KeyHash) -> __m256i {
    #[expect(clippy::cast_possible_truncation, reason = "the low half of the hash")]
    let low = _mm256_set1_epi32((key.0 as u32).cast_signed());
    let products = _mm256_mullo_epi32(low, load_u32(&Lanes::SALTS));
    _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(products))
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the pointer is that of 32 bytes that may be read; it need not be aligned.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn load_u32(words: &[u32; 8]) -> __m256i {
    // SAFETY: as in `load`.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn store(words: &mut [u64; 4], value: __m256i) {
    // SAFETY: the pointer is that of 32 bytes that may be written; it need not be aligned.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
}
