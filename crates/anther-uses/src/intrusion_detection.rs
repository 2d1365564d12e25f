//! Intrusion detection: thousands of signatures, looked for at every byte of the traffic.
//!
//! Dharmapurikar, Krishnamurthy, Sproull and Lockwood (2003, "Deep packet inspection using parallel
//! Bloom filters") keep one filter per signature length. A window slides over the bytes; for each
//! length the filter says whether the window may be a signature, and only then is it compared with
//! the signatures themselves. In hardware all filters are asked at once, from memory on the chip:
//! 10,000 strings at 2.4 Gb/s. Each byte that is no attack costs Σεᵢ comparisons, over the lengths.
//!
//! Whoever sends the bytes knows the rules, which are public. With a known seed a sender makes bytes
//! of which nearly every one leads to a comparison: each next byte is one of 256, and with L lengths
//! one of them passes a filter with 1-(1-ε)^(256·L). The comparison, which is slow, becomes the
//! whole work. A secret key ([`Seed::keyed`]) leaves Σεᵢ.
//!
//! On a processor an automaton (Aho and Corasick, 1975) is faster, as long as it fits in the cache.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::intrusion_detection::Detector;
//!
//! let signatures = ["GET /cmd.exe", "/etc/passwd", "/bin/sh"].map(|s| s.as_bytes().to_vec());
//! let detector = Detector::new(signatures, 0.001, Seed::keyed([7; 16]))?;
//! let scan = detector.scan(b"GET /../../etc/passwd HTTP/1.1");
//! assert_eq!((scan.matches.len(), scan.matches[0].at), (1, 10));
//! // 3 lengths: 0.001 comparisons each and byte, besides those that find something.
//! assert!(detector.false_checks_per_byte() <= 0.003);
//! # Ok::<(), anther_uses::intrusion_detection::SignatureError>(())
//! ```

use anther::sizing::bloom;
use anther::{Classic, Seed, SizeError, Target, TargetError};
use std::collections::{BTreeMap, HashSet};

/// Signatures, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Detector {
    lengths: Vec<ByLength>,
    /// Hashed with a random key by the standard library.
    signatures: HashSet<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct ByLength {
    length: usize,
    count: u64,
    filter: Classic,
}

/// Why a [`Detector`] cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// A signature without a byte.
    #[error("a signature is empty; leave it out")]
    Empty,
    /// No signature at all.
    #[error("no signature is given; give one or more")]
    None,
    /// The false-positive rate.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The size of a filter.
    #[error(transparent)]
    Size(#[from] SizeError),
}

/// Where a signature was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Its first byte.
    pub at: usize,
    /// Its length.
    pub length: usize,
}

/// What a scan found, and what it took.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// All matches, by place.
    pub matches: Vec<Match>,
    /// Windows that were looked up in a filter.
    pub windows: u64,
    /// Windows that were compared with the signatures.
    pub checks: u64,
}

impl Scan {
    /// Comparisons that found nothing.
    pub fn false_checks(&self) -> u64 {
        self.checks - self.matches.len() as u64
    }
}

impl Detector {
    /// For these signatures, with a filter of this false-positive rate for each length.
    pub fn new(
        signatures: impl IntoIterator<Item = Vec<u8>>,
        fpr: f64,
        seed: Seed,
    ) -> Result<Detector, SignatureError> {
        let signatures: HashSet<Vec<u8>> = signatures.into_iter().collect();
        let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
        signatures.iter().for_each(|one| *counts.entry(one.len()).or_default() += 1);
        if counts.is_empty() {
            return Err(SignatureError::None);
        }
        if counts.contains_key(&0) {
            return Err(SignatureError::Empty);
        }
        let mut lengths = Vec::new();
        for (length, count) in counts {
            let mut filter = Classic::with_seed(Target::new(count, fpr)?, seed)?;
            for signature in signatures.iter().filter(|one| one.len() == length) {
                filter.insert(&signature[..]);
            }
            lengths.push(ByLength { length, count, filter });
        }
        Ok(Detector { lengths, signatures })
    }

    /// All signatures in these bytes.
    pub fn scan(&self, bytes: &[u8]) -> Scan {
        let mut scan = Scan::default();
        for at in 0..bytes.len() {
            let rest = &bytes[at..];
            for ByLength { length, filter, .. } in &self.lengths {
                let Some(window) = rest.get(..*length) else { break };
                scan.windows += 1;
                if filter.contains(window) {
                    scan.checks += 1;
                    if self.signatures.contains(window) {
                        scan.matches.push(Match { at, length: *length });
                    }
                }
            }
        }
        scan
    }

    /// The lengths of signatures, the shortest first.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.lengths.iter().map(|one| one.length)
    }

    /// How many filters accept a window that ends with these bytes.
    pub fn accepts_end(&self, bytes: &[u8]) -> usize {
        let window = |one: &ByLength| bytes.len().checked_sub(one.length).map(|at| &bytes[at..]);
        let accepts =
            |one: &&ByLength| window(one).is_some_and(|window| one.filter.contains(window));
        self.lengths.iter().filter(accepts).count()
    }

    /// The formula: comparisons that find nothing, per byte.
    pub fn false_checks_per_byte(&self) -> f64 {
        self.rates().map(|(rate, _)| rate).sum()
    }

    /// How far filters of these sizes are from that, one standard deviation: which bits collide is
    /// chance, and small filters do not average it out.
    pub fn deviation(&self) -> f64 {
        self.rates().map(|(rate, spread)| (rate * spread).powi(2)).sum::<f64>().sqrt()
    }

    /// The rate of each filter, and its relative deviation.
    fn rates(&self) -> impl Iterator<Item = (f64, f64)> {
        self.lengths.iter().map(|ByLength { count, filter, .. }| {
            let profile = filter.profile();
            let (bits, probes) = (profile.bits, profile.probes);
            (bloom::rate(bits, *count, probes), bloom::spread(bits, *count, probes))
        })
    }
}

/// How likely a sender who knows the seed finds a next byte that leads to a comparison.
pub fn flood_per_byte(fpr: f64, lengths: usize) -> f64 {
    1.0 - (1.0 - fpr).powf(256.0 * lengths as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::KeyHash;

    fn random(seed: u64, len: usize) -> Vec<u8> {
        (0..len as u64).map(|at| (KeyHash(seed).again(at).0 & 3).to_le_bytes()[0]).collect()
    }

    #[test]
    fn every_signature_is_found_and_nothing_else() {
        // Four letters, so that short signatures come by chance and overlap.
        let signatures: Vec<Vec<u8>> =
            (0..40).map(|number| random(number as u64, 3 + number % 5)).collect();
        let bytes = random(99, 5000);
        let mut truth = Vec::new();
        let different: HashSet<&Vec<u8>> = signatures.iter().collect();
        for signature in different {
            let all = bytes.windows(signature.len()).enumerate();
            let found = all.filter(|(_, window)| window == signature);
            truth.extend(found.map(|(at, _)| Match { at, length: signature.len() }));
        }
        truth.sort_unstable();
        assert!(truth.len() > 500);
        for seed in [Seed::FIXED, Seed::keyed([1; 16])] {
            let scan = Detector::new(signatures.clone(), 0.01, seed).unwrap().scan(&bytes);
            assert_eq!(scan.matches, truth);
        }
    }

    #[test]
    fn signatures_are_checked() {
        let new = |signatures: &[&[u8]]| {
            let signatures = signatures.iter().map(|one| one.to_vec());
            Detector::new(signatures, 0.01, Seed::FIXED)
        };
        assert!(matches!(new(&[]), Err(SignatureError::None)));
        assert!(matches!(new(&[b"a", b""]), Err(SignatureError::Empty)));
        let detector = new(&[b"abc", b"b"]).unwrap();
        assert_eq!(detector.lengths().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(detector.accepts_end(b"xxabc"), 1);
        assert_eq!(detector.scan(b"").windows, 0);
        assert_eq!(detector.scan(b"ab").windows, 2);
        assert!((flood_per_byte(0.001, 1) - 0.226).abs() < 1e-3);
    }
}
