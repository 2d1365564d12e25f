//! Fingerprints in one of two buckets: how many certainly fit, and the false-positive rate.
//!
//! 2·L buckets of b cells, L on each side. A key is a bucket on the left and a fingerprint of f
//! bits, its tag. The tag gives the offset of its bucket on the right. So a key is one of N=L·2^f
//! fingerprints, and an absent key is a false positive when its fingerprint is present. The rate
//! does not depend on which of the two buckets a tag is in, or on b.
//!
//! 0 marks an empty cell, so tag 0 is stored as 1, and 1 is twice as frequent as the others.

use super::{fingerprint, first};

/// The widths of tags. With fewer than 4 bits the rate is above one half at any useful load.
pub const TAG_BITS: (u32, u32) = (4, 32);

/// The highest probability that a filter rejects a key within its capacity.
pub const CHANCE: f64 = 1e-9;

/// How full buckets of a given size can be.
///
/// Filled until the first key did not fit, however long the search, 2·b·L=s cells held θ·s keys
/// with a standard deviation of σ·√s: b=2 0.897 and 0.43, b=4 0.980 and 0.19, b=8 0.998 and 0.07,
/// the same from s=500 to 65,000. Down to 10⁻⁴ the tails are normal, except for b=2, where the
/// lowest of 5000 was 5.3σ below. So ten σ stay free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The load in the paper, and the capacity of a large filter here. At this load the search for
    /// a free cell looked at 300 buckets at most, in 24 million inserts.
    pub published: f64,
    /// θ.
    pub limit: f64,
    /// 10·σ.
    pub spare: f64,
}

impl Load {
    /// The load of buckets of b cells: 1, 2, 4 or 8, of which 1 is only for comparison.
    pub const fn of(b: u32) -> Load {
        match b {
            0..=1 => Load { published: 0.5, limit: 0.5, spare: 10.0 },
            2..=3 => Load { published: 0.84, limit: 0.897, spare: 4.5 },
            4..=7 => Load { published: 0.95, limit: 0.98, spare: 2.0 },
            8.. => Load { published: 0.98, limit: 0.998, spare: 0.8 },
        }
    }
}

/// Buckets and tags of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// L, on each side.
    pub buckets: u64,
    /// b.
    pub bucket_size: u32,
    /// f.
    pub tag_bits: u32,
}

impl Size {
    /// 2·b·L.
    pub fn cells(&self) -> u64 {
        (2 * u64::from(self.bucket_size)).saturating_mul(self.buckets)
    }

    /// 2·b·L·f.
    pub fn bits(&self) -> u64 {
        self.cells().saturating_mul(self.tag_bits.into())
    }

    /// The same fingerprints in twice the buckets: one bit of the tag becomes part of the bucket.
    pub fn doubled(&self) -> Option<Size> {
        let tag_bits = (self.tag_bits > TAG_BITS.0).then(|| self.tag_bits - 1)?;
        Some(Size { buckets: self.buckets.checked_mul(2)?, tag_bits, ..*self })
    }

    /// N=L·2^f, where those with tag 1 are two in one. At most 2⁶⁴, since a hash has 64 bits.
    pub fn fingerprints(&self) -> f64 {
        (self.buckets as f64 * tags(self.tag_bits)).min(2f64.powi(64))
    }

    /// The number of equally likely fingerprints with the same collision probability: the inverse
    /// of the sum of their squared probabilities, N·2^f/(2^f+2).
    pub fn as_if_equal(&self) -> f64 {
        let t = tags(self.tag_bits);
        self.fingerprints() * t / (t + 2.0)
    }

    /// The true rate with n items: see [`fingerprint::rate`]. A share 2/2^f of the keys has tag 1,
    /// and there are half as many of those fingerprints.
    pub fn rate(&self, n: u64) -> f64 {
        let (all, share) = (self.fingerprints(), 2.0 / tags(self.tag_bits));
        share * fingerprint::rate(all / 2.0, n) + (1.0 - share) * fingerprint::rate(all, n)
    }

    /// Whether n items certainly fit: up to 2·b always do, in whichever buckets.
    pub fn holds(&self, n: u64) -> bool {
        let sure = n <= 2 * u64::from(self.bucket_size);
        sure || n as f64 <= self.most_items() && self.crowded(n) <= CHANCE
    }

    /// How many items fit by load alone.
    fn most_items(&self) -> f64 {
        let (cells, load) = (self.cells() as f64, Load::of(self.bucket_size));
        (load.published * cells).min(load.limit * cells - load.spare * cells.sqrt())
    }

    /// The expected number of sets of 2·b+1 items that share both their buckets, and so an upper
    /// bound on the probability that a key does not fit however empty the rest is.
    ///
    /// C(n,k)·L^-(k-1) sets of k share the left bucket. They share the right one when the offsets
    /// of their tags are equal: always for equal tags, otherwise with 1/L. The probability is a sum
    /// over the number of distinct tags and whether 1 is among them. Where tags are few, keys can
    /// also crowd in chains of buckets; at b=4 and f=5 a chain of three is 40 times rarer than a
    /// pair.
    pub fn crowded(&self, n: u64) -> f64 {
        let k = 2 * self.bucket_size as usize + 1;
        let (l, t) = (self.buckets as f64, tags(self.tag_bits));
        let mut sets = l;
        // By the number of distinct tags other than 1: without 1, and with it.
        let mut alike = vec![[0.0; 2]; k + 1];
        alike[0] = [1.0, 0.0];
        for item in 0..k {
            sets *= (n as f64 - item as f64).max(0.0) / (item as f64 + 1.0) / l;
            for others in (0..=item + 1).rev() {
                let ([without, with], other) = (alike[others], others as f64);
                let fewer = if others > 0 { alike[others - 1] } else { [0.0; 2] };
                let another = (t - 2.0 - (other - 1.0)).max(0.0) / t / l;
                alike[others] = [
                    without * other / t + fewer[0] * another,
                    with * (other + 2.0) / t + without * 2.0 / t / l + fewer[1] * another,
                ];
            }
        }
        // The first of the tags may have any offset.
        sets * l * alike.iter().flatten().sum::<f64>()
    }
}

/// 2^f.
fn tags(f: u32) -> f64 {
    2f64.powi(f.cast_signed())
}

/// 1-(1-2^-f)^(2b): the paper's bound on the rate. A lookup compares with 2·b tags at most.
pub fn bound(f: u32, b: u32) -> f64 {
    -(f64::from(2 * b) * (-1.0 / tags(f)).ln_1p()).exp_m1()
}

/// ⌈log2(2·b/ε)⌉: the bits of a tag by the paper's bound.
pub fn tag_bits(p: f64, b: u32) -> f64 {
    (f64::from(2 * b) / p).log2().ceil()
}

/// (log2(1/ε)+log2(2·b))/α: bits per item by the paper's bound, if tags could have fractional bits,
/// minus the bits saved by sorting a bucket, which is 1 for b=4.
pub fn bits_per_item(p: f64, b: u32, load: f64, saved: f64) -> f64 {
    ((f64::from(2 * b) / p).log2() - saved) / load
}

/// The fewest bits for n items at rate p, in buckets of b. `None` when p cannot be reached.
pub fn size(n: u64, p: f64, b: u32) -> Option<Size> {
    (TAG_BITS.0..=TAG_BITS.1)
        .filter_map(|tag_bits| {
            let least = least(n, b, tag_bits)?;
            let with = |buckets| Size { buckets, ..least };
            let most = 2 * least.buckets;
            first(least.buckets, most, |buckets| with(buckets).rate(n) <= p).map(with)
        })
        .min_by_key(Size::bits)
}

/// The lowest rate for n items. Twice the buckets halve it, as one more bit of tag would; going
/// beyond that never pays.
pub fn lowest(n: u64, b: u32) -> f64 {
    least(n, b, TAG_BITS.1)
        .map_or(1.0, |least| Size { buckets: 2 * least.buckets, ..least }.rate(n))
}

/// The fewest buckets that hold n items.
fn least(n: u64, bucket_size: u32, tag_bits: u32) -> Option<Size> {
    let with = |buckets| Size { buckets, bucket_size, tag_bits };
    if with(1).holds(n) {
        return Some(with(1));
    }
    // The load alone decides for nearly all sizes, and takes a hundredth of the time.
    let by_load = first(1, 1 << 62, |buckets| n as f64 <= with(buckets).most_items())?;
    match with(by_load).holds(n) {
        true => Some(with(by_load)),
        false => first(by_load, 1 << 62, |buckets| with(buckets).holds(n)).map(with),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::bound::hash_floor;

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for n in [1, 2, 8, 9, 17, 100, 1000, 98_304, 1 << 40] {
            for p in [0.999_999, 0.5, 0.1, 0.01, 1e-3, 1e-7, 1e-12, 1e-18] {
                for b in [2, 4, 8] {
                    let Some(size) = size(n, p, b) else {
                        assert!(p < lowest(n, b), "{n} {p} {b}");
                        continue;
                    };
                    assert!(p >= lowest(n, b) && p > hash_floor(n), "{n} {p} {b}");
                    assert!(size.rate(n) <= p && size.holds(n), "{n} {p}: {size:?}");
                    let less = Size { buckets: size.buckets - 1, ..size };
                    let smaller = size.buckets > 1 && less.rate(n) <= p && less.holds(n);
                    assert!(!smaller, "{n} {p}: {size:?}");
                }
            }
        }
    }

    /// Where everything can be enumerated: all tags of three items, each with its probability.
    #[test]
    fn crowds_are_counted_exactly() {
        let size = |buckets, tag_bits| Size { buckets, bucket_size: 1, tag_bits };
        // One bucket per side: every set of three shares it.
        assert!((size(1, 4).crowded(5) - 10.0).abs() < 1e-12);
        assert_eq!((size(1, 4).crowded(2), size(7, 4).crowded(0)), (0.0, 0.0));
        let mut expected = 0.0;
        for all in 0..1u32 << 12 {
            let [a, b, c] = [all & 15, all >> 4 & 15, all >> 8].map(|tag| tag.max(1));
            let different = 1 + u32::from(a != b) + u32::from(c != a && c != b);
            expected += 7f64.powi(1 - different.cast_signed()) / 4096.0;
        }
        assert!((size(7, 4).crowded(3) * 49.0 / expected - 1.0).abs() < 1e-12);
        // Many tags are as good as independent buckets.
        let many = size(100, 32).crowded(3);
        assert!((many * 1e8 - 1.0).abs() < 1e-6, "{many}");
    }

    /// The probability of a false positive by tag, against the sum over all fingerprints.
    #[test]
    fn tag_1_counts_twice() {
        let size = Size { buckets: 10, bucket_size: 4, tag_bits: 4 };
        let missed = |times: f64| (1.0 - times / 160.0f64).powi(60);
        let expected = 14.0 / 16.0 * (1.0 - missed(1.0)) + 2.0 / 16.0 * (1.0 - missed(2.0));
        assert!((size.rate(60) / expected - 1.0).abs() < 1e-12);
        let squares: f64 = 10.0 * (14.0 + 4.0) / (160.0 * 160.0);
        assert!((size.as_if_equal() * squares - 1.0).abs() < 1e-12);
        let doubled = size.doubled();
        assert_eq!(doubled, None, "tags have 4 bits at least");
        let wide = Size { tag_bits: 9, ..size };
        assert_eq!(wide.doubled().map(|twice| twice.fingerprints()), Some(wide.fingerprints()));
    }
}
