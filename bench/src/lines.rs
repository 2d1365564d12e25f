//! Rates of patterns inside a 512-bit line, eight queries at a time.
//!
//! A rate of 10⁻⁶ known to one percent takes 10¹⁰ queries. So all queries of a line are asked
//! together: their hashes are the line's first hash plus steps that are the same for every line,
//! and since the pattern is a product, pattern(first + step) needs only an addition.

use crate::parallel;
use crate::random::{GOLDEN, Random, scale};
use crate::statistics::Rate;
use anther::parts::probes::Line;
use std::arch::x86_64::*;

/// How a hash becomes places in a line.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// For the table.
    pub name: &'static str,
    /// The pattern is 32 bits of hash · multiplier …
    pub multiplier: u64,
    /// … from this bit up.
    pub from: u32,
    /// Probe i looks at the top bits of pattern · odds\[i\].
    pub odds: [u32; 16],
    /// Bits within which a probe stays: 512, or 64 for eight lanes.
    pub reach: u32,
}

/// The rule of `parts::probes::Line`.
pub const LIBRARY: Rule =
    Rule { name: "library", multiplier: GOLDEN, from: 32, odds: Line::ODDS, reach: 512 };

/// The first sixteen powers of an odd number.
pub const fn powers(base: u32) -> [u32; 16] {
    let mut odds = [base; 16];
    let mut i = 1;
    while i < 16 {
        odds[i] = odds[i - 1].wrapping_mul(base);
        i += 1;
    }
    odds
}

/// Sixteen odd numbers drawn at random.
pub const fn drawn(seed: u64) -> [u32; 16] {
    let mut random = Random::new(seed);
    let mut odds = [0; 16];
    let mut i = 0;
    while i < 16 {
        odds[i] = (random.draw() >> 32) as u32 | 1;
        i += 1;
    }
    odds
}

impl Rule {
    /// The place (0 to 511) of probe `i`.
    #[inline]
    pub const fn place(&self, hash: u64, i: usize) -> u32 {
        let pattern = (hash.wrapping_mul(self.multiplier) >> self.from) as u32;
        self.lane(i) + (pattern.wrapping_mul(self.odds[i]) >> self.drop())
    }

    /// Where the lane of probe `i` begins.
    const fn lane(&self, i: usize) -> u32 {
        if self.reach == 512 { 0 } else { i as u32 * self.reach }
    }

    /// How many bits of the product lie below the place.
    const fn drop(&self) -> u32 {
        32 - self.reach.trailing_zeros()
    }

    /// How many of the hashes first + step find all their places set in the line. `steps` holds
    /// step · multiplier, which is all that the pattern needs.
    #[target_feature(enable = "avx2")]
    fn count(&self, line: &[u32; 16], first: u64, steps: &[[u64; 8]], probes: u32) -> u64 {
        let [low, high] = halves(line);
        let first = _mm256_set1_epi64x(first.wrapping_mul(self.multiplier) as i64);
        let from = _mm_cvtsi32_si128(self.from as i32);
        let drop = _mm_cvtsi32_si128(self.drop() as i32);
        // Probes in fours, the last one repeated: asking it again changes no answer, and after
        // four probes few of eight queries are alive, so the branch is nearly always right.
        let probe: [_; 16] = std::array::from_fn(|i| {
            let i = i.min(probes as usize - 1);
            (_mm256_set1_epi32(self.odds[i] as i32), _mm256_set1_epi32(self.lane(i) as i32))
        });
        let fours = &probe.as_chunks::<4>().0[..probes.div_ceil(4) as usize];
        let mut count = 0;
        for steps in steps {
            let [even, odd] =
                quads(steps).map(|steps| _mm256_srl_epi64(_mm256_add_epi64(first, steps), from));
            let pattern = _mm256_blend_epi32::<0b1010_1010>(even, _mm256_slli_epi64::<32>(odd));
            let mut signs = _mm256_set1_epi32(-1);
            for four in fours {
                for (odd, lane) in four {
                    let product = _mm256_mullo_epi32(pattern, *odd);
                    let place = _mm256_add_epi32(_mm256_srl_epi32(product, drop), *lane);
                    signs = _mm256_and_si256(signs, bits_as_signs(low, high, place));
                }
                if mask(signs) == 0 {
                    break;
                }
            }
            count += u64::from(mask(signs).count_ones());
        }
        count
    }
}

/// The bit of each place, moved to the sign of its lane: two permutes find the word among sixteen.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn bits_as_signs(low: __m256i, high: __m256i, place: __m256i) -> __m256i {
    let word = _mm256_srli_epi32::<5>(place);
    let low = _mm256_permutevar8x32_epi32(low, word);
    let high = _mm256_permutevar8x32_epi32(high, word);
    let upper = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(place));
    let word = _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), upper);
    // 31 − (place mod 32) = !place & 31.
    let up = _mm256_andnot_si256(place, _mm256_set1_epi32(31));
    _mm256_sllv_epi32(_mm256_castps_si256(word), up)
}

/// One bit a lane: its sign.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn mask(signs: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(signs)) as u32
}

/// A line as two vectors.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn halves(line: &[u32; 16]) -> [__m256i; 2] {
    let at = line.as_ptr().cast::<__m256i>();
    // SAFETY: sixteen words are two vectors, and unaligned loads take any address.
    unsafe { [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn quads(words: &[u64; 8]) -> [__m256i; 2] {
    let at = words.as_ptr().cast::<__m256i>();
    // SAFETY: eight words are two vectors, and unaligned loads take any address.
    unsafe { [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))] }
}

/// Many small filters of one shape and how hard they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Keys of one filter.
    pub keys: u64,
    /// Lines of one filter.
    pub lines: u64,
    /// Probes a key.
    pub probes: u32,
    /// Independent filters.
    pub filters: u64,
    /// Queries a line, in eights.
    pub eights: u64,
    /// The filter is a window of a filter 2^zoom times as large: its hashes share their top bits.
    pub zoom: u32,
}

impl Trial {
    /// The measured rate of a rule.
    pub fn rate(&self, rule: &Rule) -> Rate {
        assert!(is_x86_feature_detected!("avx2"), "this measurement needs AVX2");
        Rate::of(&parallel::map(self.filters, |filter| self.one(rule, filter)))
    }

    fn one(&self, rule: &Rule, filter: u64) -> f64 {
        let mut random = Random::new(filter << 32 | self.keys);
        let window = random.draw() & !(u64::MAX >> self.zoom);
        let mut lines = vec![[0u32; 16]; self.lines as usize];
        for _ in 0..self.keys {
            let hash = random.draw();
            let line = &mut lines[scale(hash, self.lines) as usize];
            for i in 0..self.probes as usize {
                let place = rule.place(window | hash >> self.zoom, i);
                line[place as usize / 32] |= 1 << (place % 32);
            }
        }
        let width = u64::MAX / self.lines;
        let steps: Vec<[u64; 8]> = (0..self.eights)
            .map(|_| {
                [(); 8].map(|()| {
                    (scale(random.draw(), width) >> self.zoom).wrapping_mul(rule.multiplier)
                })
            })
            .collect();
        let yes = (0..self.lines).zip(&lines).map(|(at, line)| {
            let start = (u128::from(at) << 64).div_ceil(u128::from(self.lines)) as u64;
            let first = window | start >> self.zoom;
            // SAFETY: `rate` has made sure of AVX2.
            unsafe { rule.count(line, first, &steps, self.probes) }
        });
        yes.sum::<u64>() as f64 / (self.lines * self.eights * 8) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::KeyHash;

    #[test]
    fn the_copied_rule_is_the_librarys() {
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let hash = random.draw();
            let mut i = 0;
            Line::new(1, 16).each(KeyHash(hash), |place| {
                assert_eq!(place, LIBRARY.place(hash, i));
                i += 1;
            });
            assert_eq!(i, 16);
        }
    }

    #[test]
    fn eight_at_a_time_count_what_one_at_a_time_does() {
        let mut random = Random::new(2);
        let eight_lanes = Rule { reach: 64, ..LIBRARY };
        for (rule, probes) in [(LIBRARY, 3), (LIBRARY, 16), (eight_lanes, 8)] {
            let line = [(); 16].map(|()| (random.draw() | random.draw() | random.draw()) as u32);
            let first = random.draw();
            let raw: Vec<[u64; 8]> = (0..500).map(|_| [(); 8].map(|()| random.draw())).collect();
            let expected = raw.as_flattened().iter().filter(|&&step| {
                (0..probes as usize).all(|i| {
                    let place = rule.place(first.wrapping_add(step), i);
                    line[place as usize / 32] >> (place % 32) & 1 == 1
                })
            });
            let steps: Vec<_> =
                raw.iter().map(|eight| eight.map(|s| s.wrapping_mul(rule.multiplier))).collect();
            if is_x86_feature_detected!("avx2") {
                // SAFETY: AVX2 is there.
                let count = unsafe { rule.count(&line, first, &steps, probes) };
                assert_eq!(count, expected.count() as u64);
            }
        }
    }
}
