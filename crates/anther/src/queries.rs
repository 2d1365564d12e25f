//! Past queries, as a forecast of future ones: for the kind `weighted`.

use crate::error::QueryError;
use crate::parts::hash::KeyHash;
use crate::sizing::weighted;

/// Keys and how often they are queried, for
/// [`Weighted::for_queries`](crate::Weighted::for_queries).
///
/// Assumes that future queries are like these, and that every frequently queried key is in the set
/// with the same [likelihood](Queries::likelihood), whatever its frequency.
///
/// ```
/// use anther::{Key, Queries, Seed};
///
/// let log = ["/", "/favicon.ico", "/", "/about", "/", "/favicon.ico"];
/// let queries = Queries::counted(log.map(|key| (key.key_hash(&Seed::FIXED), 1)))?;
/// assert_eq!(queries.keys()[0], ("/".key_hash(&Seed::FIXED), 3.0));
/// # Ok::<(), anther::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Queries {
    /// Distinct keys, the most queried first; ties in the order of their hashes.
    keys: Vec<(KeyHash, f64)>,
    /// The sum of their weights.
    total: f64,
    /// The weight of all other keys.
    unseen: f64,
    hot: usize,
    likelihood: Option<f64>,
}

impl Queries {
    /// Keys with their numbers of queries. Entries for the same key are added up, so a log of
    /// queries is a 1 for each.
    ///
    /// Unseen keys are expected as often as keys occurred exactly once (Good and Turing 1953).
    pub fn counted(
        queries: impl IntoIterator<Item = (KeyHash, u64)>,
    ) -> Result<Queries, QueryError> {
        let weights = queries.into_iter().map(|(key, count)| (key, count as f64));
        let mut queries = Queries::weighted(weights)?;
        let once = queries.keys.iter().filter(|(_, count)| *count < 1.5).count() as f64;
        // One query more than there were: if every key occurred once, the next is nearly certainly
        // new, but only nearly.
        let share = once / (queries.total + 1.0);
        queries.unseen = queries.total * share / (1.0 - share);
        Ok(queries)
    }

    /// Keys with their weights, on any scale. No other keys are expected. Entries for the same key
    /// are added up.
    pub fn weighted(
        queries: impl IntoIterator<Item = (KeyHash, f64)>,
    ) -> Result<Queries, QueryError> {
        let mut keys: Vec<(KeyHash, f64)> = queries.into_iter().collect();
        // NaN fails both comparisons.
        let sound = |weight: f64| weight > 0.0 && weight.is_finite();
        if let Some(&(_, got)) = keys.iter().find(|(_, weight)| !sound(*weight)) {
            return Err(QueryError::Weight { got });
        }
        // Sorted by weight too, so that sums do not depend on the order of the input.
        keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        keys.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        keys.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f64 = keys.iter().map(|(_, weight)| weight).sum();
        if !total.is_finite() {
            return Err(QueryError::Sum);
        }
        Ok(Queries { keys, total, unseen: 0.0, hot: usize::MAX, likelihood: None })
    }

    /// How many of the most queried keys may have an entry in the filter's table. Default: all.
    /// [`that_pay`](Queries::that_pay) computes how many should.
    pub fn hot(self, most: usize) -> Queries {
        Queries { hot: most, ..self }
    }

    /// How likely a frequently queried key is in the set. Default: the number of items divided by
    /// the number of distinct queried keys, at most one half. For keys that are certainly absent
    /// use a small number such as 0.001.
    pub fn likelihood(self, likelihood: f64) -> Result<Queries, QueryError> {
        if likelihood > 0.0 && likelihood < 1.0 {
            return Ok(Queries { likelihood: Some(likelihood), ..self });
        }
        Err(QueryError::Likelihood { got: likelihood })
    }

    /// The distinct keys, the most queried first, with their weights.
    pub fn keys(&self) -> &[(KeyHash, f64)] {
        &self.keys
    }

    /// For how many of the keys an entry in the table of a filter of `items` items lowers the
    /// false-positive rate more than its bits would elsewhere: those with at least
    /// [`least_share`](weighted::least_share) of the queries without an entry.
    pub fn that_pay(&self, items: u64) -> usize {
        let least = weighted::least_share(items.max(1));
        let mut rest = self.total + self.unseen;
        let pays = |(_, weight): &&(KeyHash, f64)| {
            let pays = *weight > least * rest;
            rest -= weight;
            pays
        };
        self.keys.iter().take_while(pays).count()
    }

    /// The keys that may have an entry.
    pub(crate) fn hot_keys(&self) -> &[(KeyHash, f64)] {
        &self.keys[..self.hot.min(self.keys.len())]
    }

    /// The demand of each hot key, and last that of all other keys, in a set of `items` items.
    pub(crate) fn demands(&self, items: u64) -> Vec<weighted::Demand> {
        let guess = (items as f64 / self.keys.len().max(1) as f64).min(0.5);
        let likelihood = self.likelihood.unwrap_or(guess);
        let demand =
            |weight: f64, members| weighted::Demand { asked: weight * (1.0 - likelihood), members };
        let hot = self.hot_keys();
        let rest: f64 = self.keys[hot.len()..].iter().map(|(_, weight)| weight).sum();
        let members = (items as f64 - likelihood * hot.len() as f64).max(0.0);
        let hot = hot.iter().map(|(_, weight)| demand(*weight, likelihood));
        hot.chain([demand(rest + self.unseen, members)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_make_no_sense_are_named() {
        for got in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Queries::weighted([(KeyHash(1), 1.0), (KeyHash(2), got)]).unwrap_err();
            assert!(error.to_string().starts_with(&format!("a query cannot have weight {got:?}")));
        }
        assert!(Queries::counted([(KeyHash(1), 0)]).is_err());
        let huge = Queries::weighted([(KeyHash(1), f64::MAX), (KeyHash(1), f64::MAX)]);
        assert_eq!(huge, Err(QueryError::Sum));
        for got in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
            let queries = Queries::weighted([(KeyHash(1), 1.0)]).unwrap();
            let error = queries.likelihood(got).unwrap_err();
            assert!(matches!(error, QueryError::Likelihood { .. }), "{error:?}");
        }
    }

    #[test]
    fn what_is_said_twice_is_added_up() {
        let counts = [(7, 1), (3, 2), (7, 4), (9, 2)].map(|(key, count)| (KeyHash(key), count));
        let queries = Queries::counted(counts).unwrap();
        let keys = [(7, 5.0), (3, 2.0), (9, 2.0)].map(|(key, weight)| (KeyHash(key), weight));
        assert_eq!((queries.keys(), queries.unseen), (&keys[..], 0.0));
        let mut backwards = counts;
        backwards.reverse();
        assert_eq!(Queries::counted(backwards).unwrap(), queries);
    }

    #[test]
    fn the_unseen_are_as_many_as_came_once() {
        // 60 of 100 queries are for one key, and 40 are for distinct keys.
        let log = (0..100u64).map(|i| (KeyHash(i.saturating_sub(59)), 1));
        let queries = Queries::counted(log).unwrap();
        let share = queries.unseen / (queries.unseen + queries.total);
        assert!((share - 40.0 / 101.0).abs() < 1e-12, "{share}");
        let all_once = Queries::counted((0..100).map(|i| (KeyHash(i), 1))).unwrap();
        assert!(all_once.unseen.is_finite() && all_once.unseen > 99.0 * all_once.total);
        assert_eq!(Queries::counted([]).unwrap().unseen, 0.0);
    }

    /// 35/n of the queries without an entry: of 100,000 items, 1/2890.
    #[test]
    fn entries_that_pay() {
        let hot = |keys: u64, weight: u64| (0..keys).map(move |i| (KeyHash(i), weight));
        let cold = (1 << 32..(1 << 32) + 1000).map(|i| (KeyHash(i), 2));
        let queries = Queries::counted(hot(50, 400).chain(cold)).unwrap();
        assert_eq!(queries.that_pay(100_000), 1050, "few enough keys that all pay");
        assert_eq!(queries.that_pay(10_000), 50);
        assert_eq!(queries.that_pay(100), 0);
        assert_eq!(Queries::counted([]).unwrap().that_pay(0), 0);
    }
}
