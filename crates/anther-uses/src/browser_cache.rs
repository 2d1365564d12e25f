//! A browser's cache that stores only what is asked for a second time.
//!
//! Most pages are never wanted again. Storing them costs a write each, and drops a page that is.
//! Maggs and Sitaraman (2015, "Algorithmic nuggets in content delivery") keep such one-hit wonders
//! out of Akamai's caches with a Bloom filter: a page that is not in the filter is passed on and goes
//! into the filter; the next time it goes into the cache.
//!
//! A filter of all requests would fill up, so two take turns, and a request is remembered for one
//! period at least and for two at most. A false positive stores a page one request too early, which
//! costs a write and never makes a wrong page.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::browser_cache::Admission;
//!
//! let mut admission = Admission::new(1000, 0.01, Seed::FIXED)?; // 1,000 requests: 2.4 kB
//! assert!(!admission.admits("http://example.org/"), "pass it on");
//! assert!(admission.admits("http://example.org/"), "store it");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anther::sizing::bloom;
use anther::{Classic, Key, PlainBits, Seed, SizeError, Target};
use std::mem;

/// Decides what a cache stores.
#[derive(Clone, Debug)]
pub struct Admission {
    current: Classic,
    previous: Classic,
    /// Requests of this period, and how many one has.
    requests: u64,
    period: u64,
}

impl Admission {
    /// Remembers `period` requests at least. Each of the two filters is made for as many keys and
    /// this false-positive rate.
    pub fn new(period: u64, fpr: f64, seed: Seed) -> Result<Admission, SizeError> {
        let filter = Classic::with_seed(Target::new(period, fpr)?, seed)?;
        Ok(Admission { current: filter.clone(), previous: filter, requests: 0, period })
    }

    /// Whether a requested page is to be stored, if the cache does not have it. Call it for every
    /// request: pages that are in the cache stay remembered, too.
    pub fn admits(&mut self, url: impl Key) -> bool {
        let is_new = self.current.insert(&url);
        let again = !is_new || self.previous.contains(&url);
        self.requests += 1;
        if self.requests == self.period {
            mem::swap(&mut self.current, &mut self.previous);
            self.current.clear();
            self.requests = 0;
        }
        again
    }

    /// The bytes of both filters.
    pub fn bytes(&self) -> u64 {
        2 * self.current.profile().bits.div_ceil(8)
    }

    /// The bits and probes of each filter.
    pub fn shape(&self) -> (u64, u32) {
        let profile = self.current.profile();
        (profile.bits, profile.probes)
    }
}

/// What a cache does per request, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Served from the cache.
    pub hits: f64,
    /// Stored in the cache.
    pub writes: f64,
}

/// The formula for a cache that stores every page and drops the least recently requested one, if
/// pages are requested independently, each with its probability p.
///
/// A page stays for about the same time T after each request, measured in requests (Che, Tung and
/// Wang, 2002). So it is there with 1-e^(-pT), and T is where the expected number of pages is `room`.
pub fn predict_plain(probabilities: &[f64], room: f64) -> Prediction {
    let hit = |p: f64, time: f64| -(-p * time).exp_m1();
    let time = solve(probabilities, room, hit);
    let hits = probabilities.iter().map(|p| p * hit(*p, time)).sum();
    Prediction { hits, writes: 1.0 - hits }
}

/// The same for a cache with [`Admission`].
///
/// After a request the page is in the cache with x: it was there and less than T has passed, or
/// the request before it is remembered. A request finds it with x·(1-e^(-pT)). It is remembered if
/// the one before was in this period or the last: with P requests in each and the time τ since then
/// exponential, it is forgotten with E[e^(-p(1+φ)P)], φ uniform on 0 to 1; by a false positive of
/// rate f it is admitted even so.
pub fn predict(probabilities: &[f64], room: f64, period: f64, fpr: f64) -> Prediction {
    // e^(-p·max(T, (1+φ)P)), the mean over φ: forgotten, and longer ago than T.
    let forgotten = |p: f64, time: f64| {
        let beyond = (time / period - 1.0).clamp(0.0, 1.0);
        let rest = (-p * (1.0 + beyond) * period).exp() - (-2.0 * p * period).exp();
        (1.0 - fpr) * (beyond * (-p * time).exp() + rest / (p * period))
    };
    let stored = |p: f64, time: f64| {
        let remembered = 1.0 - forgotten(p, 0.0);
        remembered / (remembered + forgotten(p, time))
    };
    let hit = |p: f64, time: f64| -(-p * time).exp_m1() * stored(p, time);
    let time = solve(probabilities, room, hit);
    let mean = |of: &dyn Fn(f64) -> f64| probabilities.iter().map(|p| p * of(*p)).sum();
    Prediction {
        hits: mean(&|p| hit(p, time)),
        writes: mean(&|p| stored(p, time) * (-p * time).exp()),
    }
}

/// The time for which as many pages as there is room for are in the cache.
fn solve(probabilities: &[f64], room: f64, hit: impl Fn(f64, f64) -> f64) -> f64 {
    let held = |time: f64| probabilities.iter().map(|p| hit(*p, time)).sum::<f64>();
    let (mut low, mut high) = (0.0, room);
    while held(high) < room && high < 1e12 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if held(middle) < room { low = middle } else { high = middle }
    }
    high
}

/// The false-positive rate of both filters together, the mean over a period of independent requests.
pub fn wrongly_admitted(probabilities: &[f64], period: u64, (bits, probes): (u64, u32)) -> f64 {
    const STEPS: u32 = 16;
    let rate = |requests: f64| {
        let keys: f64 = probabilities.iter().map(|p| -(-p * requests).exp_m1()).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "keys")]
        bloom::rate(bits, keys.round() as u64, probes)
    };
    let full = rate(period as f64);
    let at = |step: u32| rate(period as f64 * (f64::from(step) + 0.5) / f64::from(STEPS));
    (0..STEPS).map(|step| 1.0 - (1.0 - at(step)) * (1.0 - full)).sum::<f64>() / f64::from(STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_remembered_for_one_period_to_two() {
        let mut admission = Admission::new(100, 1e-9, Seed::FIXED).unwrap();
        assert!(!admission.admits("a") && admission.admits("a"));
        (0..100u32).for_each(|key| assert!(!admission.admits(key)));
        assert!(admission.admits("a"), "a period later, and remembered from now on");
        (0..90u32).for_each(|key| assert!(admission.admits(key)));
        assert!(admission.admits("a"));
        (1000..1200u32).for_each(|key| assert!(!admission.admits(key)));
        assert!(!admission.admits("a"), "two periods later");
        assert_eq!(admission.bytes(), 2 * admission.shape().0.div_ceil(8));
    }

    #[test]
    fn pages_alike_can_be_computed_by_hand() {
        // Room for half of 1000 pages: a page is there with 1/2, whether admitted or not.
        let pages = [1e-3; 1000];
        let plain = predict_plain(&pages, 500.0);
        assert!((plain.hits - 0.5).abs() < 1e-6 && (plain.writes - 0.5).abs() < 1e-6, "{plain:?}");
        let twice = predict(&pages, 500.0, 500.0, 0.0);
        assert!((twice.hits - 0.5).abs() < 1e-6 && twice.writes < plain.writes, "{twice:?}");
        // A filter that remembers everything, or is always wrong, is none.
        for none in [predict(&pages, 500.0, 1e9, 0.0), predict(&pages, 500.0, 500.0, 1.0)] {
            assert!((none.writes - plain.writes).abs() < 1e-6, "{none:?}");
        }
        // With 1000 keys made for, and 632 that came at the end of the period.
        let rate = wrongly_admitted(&pages, 1000, (9586, 7));
        assert!((0.0005..0.002).contains(&rate), "{rate}");
    }
}
