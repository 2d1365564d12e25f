//! Safe Browsing in small: is this URL on a list that is too long to carry, without telling anybody
//! the URL?
//!
//! A browser has a filter of the list. What the filter rejects is not listed, and that is nearly
//! every page. For the rest it asks a server, but not for the URL: it sends the first four bytes of
//! the URL's SHA-256, gets all listed hashes that begin with them, and compares at home. The server
//! learns four bytes, which countless URLs share. Of N pages, b of them listed, it is asked about
//! b + (N-b)·ε.
//!
//! Chrome's local filter was a Bloom filter until 2011, then a [`PrefixSet`]: the four-byte prefixes
//! themselves, sorted, as 16-bit differences. Its rate is n/2³², so it fits one size of list: at
//! 537,000 prefixes 16 bits per key and ε = 1.25·10⁻⁴, for which a ribbon filter takes 13.
//!
//! All spellings of a URL must be one key, or `HTTP://Example.ORG:80/` passes where
//! `http://example.org/` is listed: the library's rule for URLs sees to it. The real protocol also
//! looks up the URL's parent folders and domains. Whoever knows the list and the seed makes pages
//! that every filter accepts, and floods the server by the browsers of others. A browser that
//! hashes with its own secret key is immune; a `PrefixSet` cannot be.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::safe_browsing::{Guard, Local, full_hash};
//!
//! let listed = full_hash("http://bad.example/~x")?;
//! let mut guard = Guard::new(Local::filter(&[listed], 0.001, Seed::keyed([7; 16]))?);
//! // The server, which sees four bytes:
//! let mut ask = |prefix: [u8; 4]| {
//!     Ok([listed].into_iter().filter(|hash| hash.starts_with(&prefix)).collect())
//! };
//! assert!(guard.is_listed("HTTP://BAD.example:80/%7Ex#top", &mut ask)?);
//! assert!(!guard.is_listed("http://good.example/", &mut ask)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anther::parts::hash::Given;
use anther::recipe::{KeyForm, KeyRule, RuledKey};
use anther::{Build, Key, KeyError, KeyHash, Options, Ribbon, Seed, Target, Work};
use std::collections::HashMap;
use std::error::Error;

/// SHA-256 of a URL in its normal form.
pub type FullHash = [u8; 32];
/// The first bytes of a [`FullHash`]: all that the server is told.
pub type Prefix = [u8; 4];

/// The hash of a URL, the same for all its spellings.
pub fn full_hash(url: &str) -> Result<FullHash, KeyError> {
    let rule = KeyRule { form: KeyForm::Url, ..KeyRule::default() };
    let mut made = Vec::new();
    match rule.apply(Given::Text(url.as_bytes()), &mut made)? {
        RuledKey::Bytes(bytes) => Ok(hmac_sha256::Hash::hash(bytes)),
        RuledKey::Integer(_) | RuledKey::Tuple(_) => Err(KeyError::Url),
    }
}

fn prefix(hash: &FullHash) -> Prefix {
    let [a, b, c, d, ..] = *hash;
    [a, b, c, d]
}

/// The prefix as a number, for a [`PrefixSet`].
pub fn prefix_number(hash: &FullHash) -> u32 {
    u32::from_le_bytes(prefix(hash))
}

/// What the browser has of the list.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a client has one, and never moves it")]
pub enum Local {
    /// A filter of the full hashes.
    Filter(Ribbon),
    /// The prefixes of the full hashes.
    Prefixes(PrefixSet),
}

impl Local {
    /// A filter of the listed hashes with this false-positive rate.
    pub fn filter(listed: &[FullHash], fpr: f64, seed: Seed) -> Result<Local, Box<dyn Error>> {
        let mut hashes: Vec<KeyHash> = listed.iter().map(|hash| hash.key_hash(&seed)).collect();
        let target = Target::new(listed.len().max(1) as u64, fpr)?;
        let options = Options::default();
        let filter = <Ribbon as Build>::build(&mut hashes, target, &options, seed, Work::new())?;
        Ok(Local::Filter(filter))
    }

    /// The prefixes of the listed hashes.
    pub fn prefixes(listed: &[FullHash]) -> Local {
        Local::Prefixes(PrefixSet::new(listed.iter().map(prefix_number).collect()))
    }

    /// Whether the list may have this.
    pub fn contains(&self, hash: &FullHash) -> bool {
        match self {
            Local::Filter(filter) => filter.contains(hash),
            Local::Prefixes(set) => set.contains(prefix_number(hash)),
        }
    }

    /// Bits in memory.
    pub fn bits(&self) -> u64 {
        match self {
            Local::Filter(filter) => filter.profile().bits,
            Local::Prefixes(set) => set.bits(),
        }
    }
}

/// A browser: looks into its filter, and asks the server only about what that accepts.
#[derive(Debug)]
pub struct Guard {
    local: Local,
    /// What the server has answered.
    answers: HashMap<Prefix, Vec<FullHash>>,
}

impl Guard {
    /// A browser with this part of the list.
    pub fn new(local: Local) -> Guard {
        Guard { local, answers: HashMap::new() }
    }

    /// Whether a URL is listed. `ask` gets all listed hashes with a prefix from the server; it is
    /// not called twice for one prefix.
    pub fn is_listed(
        &mut self,
        url: &str,
        ask: &mut dyn FnMut(Prefix) -> Result<Vec<FullHash>, Box<dyn Error>>,
    ) -> Result<bool, Box<dyn Error>> {
        let hash = full_hash(url)?;
        if !self.local.contains(&hash) {
            return Ok(false);
        }
        let prefix = prefix(&hash);
        if let Some(listed) = self.answers.get(&prefix) {
            return Ok(listed.contains(&hash));
        }
        let listed = ask(prefix)?;
        let is_listed = listed.contains(&hash);
        self.answers.insert(prefix, listed);
        Ok(is_listed)
    }
}

/// How many of N pages the server is asked about: listed ones, and false positives of the others.
pub fn requests(pages: u64, listed: u64, fpr: f64) -> f64 {
    listed as f64 + pages.saturating_sub(listed) as f64 * fpr
}

/// Sorted 32-bit prefixes as differences of 16 bits, as Chrome has had them since 2011. Where a
/// difference is larger, or after [`PrefixSet::RUN`] of them, a prefix is written out.
#[derive(Clone, Debug, Default)]
pub struct PrefixSet {
    /// Prefixes that are written out, and where the differences after them begin.
    index: Vec<(u32, u32)>,
    differences: Vec<u16>,
}

impl PrefixSet {
    /// The most differences after one prefix: a lookup adds up half of them on average.
    pub const RUN: usize = 100;

    /// The set of these prefixes.
    pub fn new(mut prefixes: Vec<u32>) -> PrefixSet {
        prefixes.sort_unstable();
        prefixes.dedup();
        let (mut set, mut last) = (PrefixSet::default(), 0);
        for prefix in prefixes {
            let difference = u16::try_from(prefix - last);
            let begin = set.index.last().map(|(_, begin)| *begin as usize);
            match (difference, begin) {
                (Ok(difference), Some(begin)) if set.differences.len() - begin < PrefixSet::RUN => {
                    set.differences.push(difference);
                }
                // At most 2³² prefixes are different, and each begins a run at most once.
                _ => {
                    let at = u32::try_from(set.differences.len()).unwrap_or(u32::MAX);
                    set.index.push((prefix, at));
                }
            }
            last = prefix;
        }
        set
    }

    /// How many prefixes it has.
    pub fn len(&self) -> usize {
        self.index.len() + self.differences.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Whether it has this one.
    pub fn contains(&self, prefix: u32) -> bool {
        let after = self.index.partition_point(|(first, _)| *first <= prefix);
        let Some(run) = after.checked_sub(1) else { return false };
        let (mut at, begin) = self.index[run];
        let end = self.index.get(after).map_or(self.differences.len(), |(_, end)| *end as usize);
        let mut differences = self.differences[begin as usize..end].iter();
        // The sum stays within 32 bits: each prefix was one.
        while at < prefix {
            let Some(difference) = differences.next() else { break };
            at += u32::from(*difference);
        }
        at == prefix
    }

    /// Bits in memory.
    pub fn bits(&self) -> u64 {
        64 * self.index.len() as u64 + 16 * self.differences.len() as u64
    }

    /// The bits per key that as many random prefixes take: 16, and 48 more for those written out. A
    /// difference is too large with q = e^(-65535·fpr), so a run has (1-(1-q)^101)/q prefixes.
    pub fn expected_bits(&self) -> f64 {
        let q = (-f64::from(u16::MAX) * self.fpr()).exp();
        16.0 + 48.0 * q / (1.0 - (1.0 - q).powf(PrefixSet::RUN as f64 + 1.0))
    }

    /// How likely a prefix that has nothing to do with the set is in it.
    pub fn fpr(&self) -> f64 {
        self.len() as f64 / 2_f64.powi(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn prefix_sets_are_exact() {
        let draws: Vec<u32> =
            (0..20_000).map(|number| (KeyHash(1).again(number).0 >> 40) as u32).collect();
        let mut all = draws.clone();
        all.extend([0, 1, u32::MAX, u32::MAX - 70_000]);
        let set = PrefixSet::new(all.clone());
        let truth: HashSet<u32> = all.into_iter().collect();
        assert_eq!(set.len(), truth.len());
        assert!(truth.iter().all(|prefix| set.contains(*prefix)));
        for number in 0..100_000 {
            let prefix = (KeyHash(2).again(number).0 >> 40) as u32;
            assert_eq!(set.contains(prefix), truth.contains(&prefix), "{prefix}");
        }
        let empty = PrefixSet::new(Vec::new());
        assert!(empty.is_empty() && !empty.contains(0));
    }

    #[test]
    fn the_server_is_asked_once_and_never_for_what_the_filter_rejects() {
        let listed = [full_hash("http://bad.example/").unwrap()];
        let local = Local::filter(&listed, 1e-6, Seed::FIXED).unwrap();
        let mut guard = Guard::new(local);
        let mut asked = Vec::new();
        let mut ask = |prefix: Prefix| {
            asked.push(prefix);
            Ok(listed.iter().copied().filter(|hash| hash.starts_with(&prefix)).collect())
        };
        for _ in 0..2 {
            assert!(guard.is_listed("http://bad.example", &mut ask).unwrap());
            assert!(!guard.is_listed("http://good.example/", &mut ask).unwrap());
        }
        assert!(guard.is_listed("no URL", &mut ask).is_err());
        assert_eq!(asked, [prefix(&listed[0])]);
        assert!((requests(1000, 10, 0.1) - 109.0).abs() < 1e-9);
    }
}
