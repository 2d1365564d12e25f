//! Compressed bit rows: the smallest filter to send (Mitzenmacher 2001).
//!
//! k=(m/n)·ln 2 sets half of the bits, and such a row does not compress. With fewer probes in more
//! bits, most of them zeros, the false-positive rate is the same and the compressed row is shorter:
//! towards n·log2(1/ε), the bound, instead of 1.44 times that.

use super::bloom::{self, Size};

/// H(p)=-p·log2 p-(1-p)·log2(1-p): the entropy of a bit that is 1 with probability p.
pub fn entropy(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return 0.0;
    }
    -p * p.log2() - (1.0 - p) * (-p).ln_1p() * std::f64::consts::LOG2_E
}

/// z=m·H(e^(-kn/m)): the bits of a compressed row; k need not be an integer.
pub fn sent(m: f64, n: f64, k: f64) -> f64 {
    m * entropy(-(-k * n / m).exp_m1())
}

/// The bits of the compressed section of a row for n items.
pub fn section_bits(m: u64, n: u64, k: u32) -> u64 {
    coded_bits(m, -(-f64::from(k) * n as f64 / m as f64).exp_m1())
}

/// The bits of the compressed section of a row with this share of ones: two numbers, and m·H in
/// whole words.
pub fn coded_bits(m: u64, fill: f64) -> u64 {
    let z = m as f64 * entropy(fill);
    // The code ends in a unit of 32 bits that is only partly used.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most m, and not negative"
    )]
    let words = ((z + 32.0) / 64.0).ceil() as u64;
    64 * (2 + words)
}

/// Bits and probes for n items at rate p with the fewest bits sent, in at most `expansion` times
/// the bits of the classic filter and at most `most`.
///
/// For each k the fewest bits that meet the rate are also the fewest to send, since z grows with m.
/// More probes than in classic give rows of few zeros, which compress as well: 8.7 bits per key at
/// 1 % with k=64, where k=2 takes 8.9. A lookup would cost 32 times as much, so they are not
/// considered.
pub fn size(n: u64, p: f64, expansion: f64, most: u64) -> Option<Size> {
    let classic = bloom::size(n, p, most)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` stops at the ends of the range"
    )]
    let most = ((classic.bits as f64 * expansion) as u64).clamp(classic.bits, most);
    let z = |size: &Size| sent(size.bits as f64, n as f64, f64::from(size.probes));
    (1..=classic.probes)
        .filter_map(|k| Some(Size { bits: bloom::bits_for(n, p, k, most)?, probes: k }))
        .min_by(|a, b| z(a).total_cmp(&z(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classic optimum of k is the worst: nothing else takes as many bits to send.
    #[test]
    fn half_full_is_the_worst() {
        let best = bloom::optimal_probes(16.0, 1.0);
        for k in [1.0, 2.0, 5.0, 10.0, 12.0, 20.0, 60.0] {
            assert!(sent(16.0, 1.0, k) < sent(16.0, 1.0, best), "{k}");
        }
        assert!((sent(16.0, 1.0, best) - 16.0).abs() < 1e-9);
        for (m, next) in [(2.0, 2.1), (8.0, 8.1), (100.0, 101.0), (1e9, 1.01e9)] {
            assert!(sent(m, 1.0, 2.0) < sent(next, 1.0, 2.0), "z grows with m");
        }
        assert_eq!((entropy(0.0), entropy(0.5), entropy(1.0)), (0.0, 1.0, 0.0));
    }

    #[test]
    fn a_larger_expansion_sends_fewer_bits() {
        for (n, p) in [(1, 0.5), (10, 0.01), (100_000, 0.01), (100_000, 1e-6), (1 << 40, 1e-5)] {
            let classic = bloom::size(n, p, 1 << 46).unwrap();
            let mut before = f64::INFINITY;
            for expansion in [1.0, 1.5, 2.0, 6.0, 12.0, 64.0] {
                let size = size(n, p, expansion, 1 << 46).unwrap();
                assert!(bloom::rate(size.bits, n, size.probes) <= p, "{n} {p} {expansion}");
                assert!(size.bits as f64 <= classic.bits as f64 * expansion);
                let z = sent(size.bits as f64, n as f64, f64::from(size.probes));
                assert!(z <= before, "{n} {p} {expansion}");
                before = z;
            }
        }
        assert_eq!(size(1 << 48, 1e-18, 6.0, 1 << 46), None);
    }
}
