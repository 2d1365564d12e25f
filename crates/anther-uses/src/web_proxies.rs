//! Web proxies: what the others have in their caches, from a summary of a byte per document.
//!
//! A proxy that does not have a page could ask its peers before it goes to the site. To ask them all
//! about every page costs more than it saves. In Summary Cache (Fan, Cao, Almeida and Broder, 1998)
//! each proxy keeps a counting filter of its cache, since pages come and go, and sends its peers
//! only the bits. They ask it for what its bits promise. It sends them again when 1 to 10 % of its
//! documents are new.
//!
//! A summary errs twice. It is a filter: a peer is asked in vain with the false-positive rate. And
//! it is old: pages have gone since, which is asking in vain, too, and pages have come, which are
//! fetched from the site although a peer has them. [`predict`] has both, for caches that drop the
//! least recently requested page. Neither error makes a wrong page.
//!
//! Whoever knows the hash function makes pages that all summaries promise. Where strangers choose
//! the pages, proxies share a secret key ([`Seed::keyed`](anther::Seed::keyed)).
//!
//! ```
//! use anther::{Seed, sizing::bloom};
//! use anther_uses::web_proxies::Directory;
//!
//! let mut cache = Directory::new(1000, 16, 4, 0.01, Seed::FIXED)?;
//! (0..10).for_each(|page| cache.insert(&format!("http://example.org/{page}")));
//! assert!(cache.is_due(), "10 new pages are 1 % of 1000");
//! let summary = cache.summary()?; // 2000 bytes for each peer
//! assert!(summary.contains("http://example.org/7"));
//! assert!((bloom::approximate(16.0, 1.0, 4.0) - 0.0024).abs() < 1e-5, "asked in vain per page");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anther::{Classic, Counting, OutOfMemory, RemoveError, Seed, SizeError};

/// What a proxy has in its cache, for itself.
#[derive(Clone, Debug)]
pub struct Directory {
    documents: Counting,
    new: u64,
    /// As many new documents make a new summary.
    most_new: u64,
}

impl Directory {
    /// An empty directory for a cache with room for `room` documents: `load` bits per document in
    /// a summary, 8 to 16, and a new summary when `threshold` of the room are new, 1 to 10 %.
    pub fn new(
        room: u64,
        load: u64,
        probes: u32,
        threshold: f64,
        seed: Seed,
    ) -> Result<Directory, SizeError> {
        let cells = room.saturating_mul(load).max(1);
        let documents = Counting::with_cells(cells, probes, Counting::DEFAULT_COUNTER_BITS, seed)?;
        #[expect(clippy::cast_possible_truncation, reason = "a part of the room")]
        let most_new = (room as f64 * threshold).round().max(1.0) as u64;
        Ok(Directory { documents, new: 0, most_new })
    }

    /// A document is in the cache from now on.
    pub fn insert(&mut self, url: &str) {
        self.documents.insert(url);
        self.new += 1;
    }

    /// A document has left the cache.
    pub fn remove(&mut self, url: &str) -> Result<(), RemoveError> {
        self.documents.remove(url).map(drop)
    }

    /// Whether enough is new for another summary.
    pub fn is_due(&self) -> bool {
        self.new >= self.most_new
    }

    /// The bits for the peers.
    pub fn summary(&mut self) -> Result<Classic, OutOfMemory> {
        self.new = 0;
        self.documents.to_classic()
    }
}

/// What happens to a request at one of several proxies, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Served from the own cache.
    pub local: f64,
    /// Served by a peer.
    pub remote: f64,
    /// Fetched from the site although a peer had it: its summary was too old to tell.
    pub missed: f64,
    /// Queries to peers that did not have it.
    pub in_vain: f64,
}

/// What [`Prediction`] depends on.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The other proxies.
    pub peers: u32,
    /// Documents that a cache has room for.
    pub room: f64,
    /// The part of the room that must be new for another summary.
    pub threshold: f64,
    /// The false-positive rate of a summary; 0 if it is a list.
    pub fpr: f64,
}

/// The formula: how proxies share their caches, if documents are requested independently, each
/// with its probability, at every proxy alike.
///
/// A cache that drops the least recently requested document keeps one for about the same time T
/// after each request (Che, Tung and Wang, 2002), measured in requests to the proxy; T is where the
/// expected number of documents is the room. A document of probability p is in it with h = 1-e^(-pT)
/// and comes in with the rate p·e^(-pT). A summary is τ/2 old on average, τ = threshold · room /
/// misses: with p·e^(-pT)·τ/2 a document has come since, and with the same probability it has gone.
pub fn predict(probabilities: &[f64], setting: Setting) -> Prediction {
    let Setting { peers, room, threshold, fpr } = setting;
    if room >= probabilities.len() as f64 {
        // All documents stay.
        return Prediction { local: 1.0, ..Prediction::default() };
    }
    let held = |time: f64| probabilities.iter().map(|p| -(-p * time).exp_m1()).sum::<f64>();
    let (mut low, mut high) = (0.0, room);
    while held(high) < room && high < 1e12 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if held(middle) < room { low = middle } else { high = middle }
    }
    let misses: f64 = probabilities.iter().map(|p| p * (-p * high).exp()).sum();
    let period = threshold * room / misses;
    let mut sum = Prediction { local: 1.0 - misses, ..Prediction::default() };
    for p in probabilities {
        let absent = (-p * high).exp();
        let changed = (p * absent * period / 2.0).min(1.0 - absent);
        // A peer has it and its summary says so.
        let found = 1.0 - absent - changed * (1.0 - fpr);
        let served = 1.0 - (1.0 - found).powi(peers.cast_signed());
        let anywhere = 1.0 - absent.powi(peers.cast_signed());
        let promised_in_vain = changed + (absent - changed).max(0.0) * fpr;
        sum.remote += p * absent * served;
        sum.missed += p * absent * (anywhere - served);
        sum.in_vain += p * absent * f64::from(peers) * promised_in_vain;
    }
    sum
}

/// Probabilities of documents by Zipf's law: the n-th is requested n^-exponent times as often as
/// the first. Breslau and others (1999) found exponents of 0.64 to 0.83 at proxies.
pub fn zipf(documents: u32, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=documents).map(|rank| f64::from(rank).powf(-exponent)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_follow_the_cache() {
        let mut cache = Directory::new(100, 16, 4, 0.1, Seed::FIXED).unwrap();
        for page in 0..10 {
            assert!(!cache.is_due());
            cache.insert(&page.to_string());
        }
        assert!(cache.is_due());
        cache.remove("3").unwrap();
        let summary = cache.summary().unwrap();
        assert!(!cache.is_due() && summary.contains("4") && !summary.contains("3"));
        assert_eq!(summary.profile().bits, 1600);
    }

    #[test]
    fn all_documents_alike_can_be_computed_by_hand() {
        // Room for half of 1000 documents: a document is there with 1/2, whatever was requested.
        let setting = Setting { peers: 2, room: 500.0, threshold: 0.0, fpr: 0.0 };
        let exact = predict(&zipf(1000, 0.0), setting);
        assert!((exact.local - 0.5).abs() < 1e-6, "{exact:?}");
        assert!((exact.remote - 0.5 * 0.75).abs() < 1e-6, "{exact:?}");
        assert!(exact.missed.abs() < 1e-9 && exact.in_vain.abs() < 1e-9);
        let filters = predict(&zipf(1000, 0.0), Setting { fpr: 0.02, ..setting });
        assert!((filters.in_vain - 0.5 * 2.0 * 0.5 * 0.02).abs() < 1e-6, "{filters:?}");
        let stale = predict(&zipf(1000, 0.0), Setting { threshold: 0.1, ..setting });
        // 50 new of 500 held: on average 25 are not in the summary, and 25 of it are gone.
        assert!((stale.in_vain - 0.5 * 2.0 * 0.025).abs() < 1e-3, "{stale:?}");
        let roomy = predict(&zipf(1000, 0.8), Setting { room: 1000.0, ..setting });
        assert_eq!(roomy, Prediction { local: 1.0, ..Prediction::default() });
        assert!(stale.missed > 0.0 && (stale.missed + stale.remote - exact.remote).abs() < 1e-9);
    }

    #[test]
    fn the_published_rates() {
        let rate = |load, k| anther::sizing::bloom::approximate(load, 1.0, k);
        assert!((rate(8.0, 4.0) - 0.02397).abs() < 1e-5);
        // 100 proxies with a load of 16 and 10 probes ask in vain 0.047 times per request.
        assert!((100.0 * rate(16.0, 10.0) - 0.047).abs() < 1e-4);
    }
}
