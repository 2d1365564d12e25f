//! For x86-64 with AVX2: eight probes in one vector. And with BMI2, which all of these have: its
//! products leave their operands where they are.

use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line, UnitMasks};
use std::arch::x86_64::*;

super::instantiate!(#[target_feature(enable = "avx2,bmi2")]);

#[target_feature(enable = "avx2,bmi2")]
pub(super) fn with_vectors(work: impl super::Work) {
    work.run();
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn in_line(probes: u32, cells: &[u64; Line::WORDS], key: KeyHash) -> bool {
    match probes {
        ..=8 => first_have(eight(cells, key, &ODDS[0]), probes),
        _ => in_line_by_more(probes, cells, key),
    }
}

/// For nine to sixteen probes. A function of its own, so that lookups with fewer probes, the common
/// case, stay a leaf without a stack frame.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn in_line_by_more(probes: u32, cells: &[u64; Line::WORDS], key: KeyHash) -> bool {
    let [first, second] = [0, 1].map(|half| eight(cells, key, &ODDS[half]));
    first_have(first, 8) & first_have(second, probes - 8)
}

/// The factors of the first eight probes, and of the second.
const ODDS: &[[u32; 8]; 2] = &{
    let (halves, _) = Line::ODDS.as_chunks();
    [halves[0], halves[1]]
};

#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn into_line(probes: u32, cells: &mut [u64; Line::WORDS], key: KeyHash) -> bool {
    let mut new = false;
    let halves = cells.as_chunks_mut::<4>().0.iter_mut();
    for (half, bits) in halves.zip(line_bits(probes, key)) {
        let old = load(half);
        store(half, _mm256_or_si256(old, bits));
        new |= _mm256_testc_si256(old, bits) == 0;
    }
    new
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn line_masks(probes: u32, key: KeyHash) -> UnitMasks {
    let mut of = UnitMasks::NONE;
    let halves = of.masks.as_chunks_mut::<4>().0.iter_mut();
    for (number, (half, bits)) in (0..).zip(halves.zip(line_bits(probes, key))) {
        store(half, bits);
        let unused = _mm256_castsi256_pd(_mm256_cmpeq_epi64(bits, _mm256_setzero_si256()));
        let used = !_mm256_movemask_pd(unused).cast_unsigned() & 0xF;
        of.used |= used << (4 * number);
    }
    of
}

/// The bits of a key in both halves of its line.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn line_bits(probes: u32, key: KeyHash) -> [__m256i; 2] {
    let mut bits = [_mm256_setzero_si256(); 2];
    add_bits(&mut bits, products(key, &ODDS[0]), probes.min(8));
    if probes > 8 {
        add_bits(&mut bits, products(key, &ODDS[1]), probes - 8);
    }
    bits
}

/// Adds the bits of the first of eight probes.
///
/// A shift by a lane's distance from the place leaves a bit in the lane that has it; the others are
/// shifted by 32 or more, or by less than none, and hold 0. That is 7 instructions per probe. Bits
/// set one by one in memory take twice the time, since two of them often meet in a word; loads from
/// a table of shifted ones gained a twentieth.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn add_bits(bits: &mut [__m256i; 2], products: __m256i, probes: u32) {
    static NUMBERS: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let before = _mm256_setr_epi32(0, -32, -64, -96, -128, -160, -192, -224);
    let (one, half) = (_mm256_set1_epi32(1), _mm256_set1_epi32(256));
    let places = _mm256_srli_epi32::<23>(products);
    for number in NUMBERS.iter().take(probes as usize) {
        let place = _mm256_permutevar8x32_epi32(places, _mm256_set1_epi32(*number));
        let low = _mm256_add_epi32(place, before);
        let high = _mm256_sub_epi32(low, half);
        bits[0] = _mm256_or_si256(bits[0], _mm256_sllv_epi32(one, low));
        bits[1] = _mm256_or_si256(bits[1], _mm256_sllv_epi32(one, high));
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn in_block(cells: &[u64; Lanes::WORDS], key: KeyHash) -> bool {
    _mm256_testc_si256(load(cells), block_bits(key)) == 1
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn into_block(cells: &mut [u64; Lanes::WORDS], key: KeyHash) -> bool {
    let (old, bits) = (load(cells), block_bits(key));
    store(cells, _mm256_or_si256(old, bits));
    _mm256_testc_si256(old, bits) == 0
}

/// For each of eight probes of a key, the word that has its place, moved so that the place is
/// lowest.
///
/// The product's top 9 bits are the place: which half of the line, which of its eight lanes, which
/// bit of that. All lanes are fetched from both halves, the half is chosen by the product's sign,
/// and the bit is moved down. Three bits of an index count, so the lanes need no mask.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn eight(cells: &[u64; Line::WORDS], key: KeyHash, odds: &[u32; 8]) -> __m256i {
    let products = products(key, odds);
    let [low, high] = [0, 1].map(|half| load(&cells.as_chunks::<4>().0[half]));
    let lanes = _mm256_srli_epi32::<28>(products);
    let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, lanes));
    let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, lanes));
    let chosen = _mm256_blendv_ps(low, high, _mm256_castsi256_ps(products));
    let within = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<4>(products));
    _mm256_srlv_epi32(_mm256_castps_si256(chosen), within)
}

/// The products whose top 9 bits are eight places of a key.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn products(key: KeyHash, odds: &[u32; 8]) -> __m256i {
    let pattern = _mm256_set1_epi32(Line::pattern(key).cast_signed());
    _mm256_mullo_epi32(pattern, load_u32(odds))
}

/// Whether the first `probes` of eight words have their lowest bit set.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn first_have(words: __m256i, probes: u32) -> bool {
    /// A 1 for each probe; from eight on all. Sixteen, so that a remainder is always within.
    const PROBED: &[[u32; 8]; 16] = &{
        let mut probed = [[1; 8]; 16];
        let mut i = 0;
        while i < 64 {
            probed[i / 8][i % 8] = (i % 8 < i / 8) as u32;
            i += 1;
        }
        probed
    };
    _mm256_testc_si256(words, load_u32(&PROBED[probes as usize % 16])) == 1
}

/// The bits of a key in its block, one a lane.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn block_bits(key: KeyHash) -> __m256i {
    #[expect(clippy::cast_possible_truncation, reason = "the low half of the hash")]
    let low = _mm256_set1_epi32((key.0 as u32).cast_signed());
    let products = _mm256_mullo_epi32(low, load_u32(&Lanes::SALTS));
    _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(products))
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the pointer is that of 32 bytes that may be read; it need not be aligned.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn load_u32(words: &[u32; 8]) -> __m256i {
    // SAFETY: as in `load`.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
#[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
fn store(words: &mut [u64; 4], value: __m256i) {
    // SAFETY: the pointer is that of 32 bytes that may be written; it need not be aligned.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
}
