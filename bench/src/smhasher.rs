//! Tests of a hash in the manner of SMHasher: they know nothing of filters.

use crate::random::{GOLDEN, Random};
use crate::statistics::{surprise, unevenness};

/// The 32 bits from which a line's places are made; the library's `Line::pattern`.
pub const fn pattern(hash: u64) -> u64 {
    hash.wrapping_mul(GOLDEN) >> 32
}

/// The worst of avalanche: how far flipping some input bit is from flipping some output bit half
/// of the time. 0 is perfect, 1 is an output bit that always or never flips.
pub fn avalanche(hash: fn(u64) -> u64, keys: &[u64]) -> f64 {
    let mut worst = 0.0f64;
    for bit in 0..64 {
        let mut flips = [0u64; 64];
        // The flips of 64 keys at once: transposed, an output bit is a word to count.
        for keys in keys.as_chunks::<64>().0 {
            let mut rows = keys.map(|key| hash(key) ^ hash(key ^ 1 << bit));
            transpose(&mut rows);
            for (flips, row) in flips.iter_mut().zip(rows) {
                *flips += u64::from(row.count_ones());
            }
        }
        let total = (keys.len() / 64 * 64) as f64;
        worst = flips
            .iter()
            .map(|&count| (2.0 * count as f64 / total - 1.0).abs())
            .fold(worst, f64::max);
    }
    worst
}

/// A 64 × 64 matrix of bits, turned over its diagonal (which one does not matter here) by
/// swapping ever smaller quarters.
fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut keep = u64::MAX >> 32;
    while width > 0 {
        for at in (0..64).filter(|at| at & width == 0) {
            let swap = (rows[at] ^ rows[at + width] >> width) & keep;
            rows[at] ^= swap;
            rows[at + width] ^= swap << width;
        }
        width /= 2;
        keep ^= keep << width;
    }
}

/// What the hashes of a set of keys look like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// Pairs of keys with one 64-bit hash, neighbours in order.
    pub full: u64,
    /// The worst surprise of the collisions in the top half, the low half and the pattern.
    pub halves: f64,
    /// The worst chi-square, in sigmas, of 9 to 20 top bits, low bits and top bits of the pattern.
    pub buckets: f64,
}

impl Spread {
    /// Of distinct keys.
    pub fn of(hash: fn(u64) -> u64, keys: &[u64]) -> Spread {
        let hashes: Vec<u64> = keys.iter().map(|&key| hash(key)).collect();
        let views: [fn(u64) -> u64; 3] = [|hash| hash >> 32, |hash| hash & 0xFFFF_FFFF, pattern];
        let count = keys.len() as f64;
        let expected = count * (count - 1.0) / 2.0 / 2f64.powi(32);
        let halves = views.map(|view| surprise(collisions(&hashes, view), expected));
        let tops = [views[0], views[2]].map(|view| buckets(&hashes, view, true));
        let low = buckets(&hashes, views[1], false);
        Spread {
            full: collisions(&hashes, |hash| hash),
            halves: halves.into_iter().fold(0.0, f64::max),
            buckets: tops.into_iter().fold(low, f64::max),
        }
    }

    /// The worse of both in everything.
    pub fn worse(self, other: Spread) -> Spread {
        Spread {
            full: self.full.max(other.full),
            halves: self.halves.max(other.halves),
            buckets: self.buckets.max(other.buckets),
        }
    }
}

fn collisions(hashes: &[u64], view: fn(u64) -> u64) -> u64 {
    let mut views: Vec<u64> = hashes.iter().map(|&hash| view(hash)).collect();
    views.sort_unstable();
    views.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
}

/// The worst chi-square over 9 to 20 top or low bits of a 32-bit view, with four keys a bucket or
/// more.
fn buckets(hashes: &[u64], view: fn(u64) -> u64, top: bool) -> f64 {
    let bits = (hashes.len() / 4).max(1).ilog2().min(20);
    let mut counts = vec![0u32; 1 << bits];
    for &hash in hashes {
        let view = view(hash);
        counts[(if top { view >> (32 - bits) } else { view & ((1 << bits) - 1) }) as usize] += 1;
    }
    let mut worst = f64::NEG_INFINITY;
    for _ in 9..=bits {
        worst = worst.max(unevenness(&counts));
        let half = counts.len() / 2;
        counts = if top {
            counts.as_chunks::<2>().0.iter().map(|[one, other]| one + other).collect()
        } else {
            (0..half).map(|at| counts[at] + counts[at + half]).collect()
        };
    }
    worst
}

/// Differences of one and two bits: (collisions of the top half over all of them, the worst
/// surprise of any one difference in 12 bits at the top, at the bottom or of the pattern).
pub fn differences(hash: fn(u64) -> u64, keys: &[u64]) -> (u64, f64) {
    let hashes: Vec<u64> = keys.iter().map(|&key| hash(key)).collect();
    let (mut top_half, mut worst) = (0, 0.0f64);
    for (bit, other) in (0..64).flat_map(|bit| (0..=bit).map(move |other| (bit, other))) {
        let difference = 1u64 << bit | 1 << other;
        let mut same = [0u64; 3];
        for (&key, &before) in keys.iter().zip(&hashes) {
            let after = hash(key ^ difference);
            top_half += u64::from(before >> 32 == after >> 32);
            same[0] += u64::from((before ^ after) >> 52 == 0);
            same[1] += u64::from((before ^ after) << 52 == 0);
            same[2] += u64::from((pattern(before) ^ pattern(after)) >> 20 == 0);
        }
        let expected = keys.len() as f64 / 4096.0;
        worst = same.map(|count| surprise(count, expected)).into_iter().fold(worst, f64::max);
    }
    (top_half, worst)
}

/// Keys for [`avalanche`] and [`differences`].
pub fn drawn(count: usize) -> Vec<u64> {
    let mut random = Random::new(6);
    (0..count).map(|_| random.draw()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_is_nothing() {
        let mut random = Random::new(7);
        let rows = [(); 64].map(|()| random.draw());
        let mut turned = rows;
        transpose(&mut turned);
        assert_ne!(turned, rows);
        assert_eq!(
            turned[0].count_ones(),
            rows.iter().filter(|row| **row >> 63 == 1).count() as u32
        );
        transpose(&mut turned);
        assert_eq!(turned, rows);
    }
}
