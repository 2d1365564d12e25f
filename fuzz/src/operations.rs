//! Every kind that changes, against a map of keys to their counts.

use crate::input::Input;
use crate::small;
use anther::{AnyFilter, Filter, Kind, Method, RemoveError};
use anther::{KeyHash, Mismatch};
use std::collections::BTreeMap;

/// A filter, and what is in it.
struct Model {
    filter: AnyFilter,
    held: BTreeMap<KeyHash, u64>,
    /// All inserts, in order: of kinds that forget.
    order: Vec<KeyHash>,
    /// How many of the latest are surely found.
    window: usize,
}

/// A small filter, and operations on it.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let filter = small::empty()[input.word() as u16 as usize % small::empty().len()].clone();
    input.0 = data.get(2..).unwrap_or_default();
    let window = match &filter {
        AnyFilter::Aging(aging) => aging.ring().window() as usize,
        _ if filter.kind().capabilities().no_false_negatives => usize::MAX,
        _ => 1,
    };
    let mut model = Model { filter, held: BTreeMap::new(), order: Vec::new(), window };
    for _ in 0..64 {
        if input.is_empty() {
            break;
        }
        match input.below(32) {
            0..14 => model.insert(input.hash()),
            14..24 => model.remove(input.hash()),
            24..30 => model.check(input.hash()),
            30 => model.filter = small::reopened(&model.filter),
            _ => model.rare(input.byte()),
        }
    }
    model.check_all();
    model.empty();
}

impl Model {
    fn insert(&mut self, key: KeyHash) {
        let can = self.filter.kind().capabilities();
        let before = can.fills_up.then(|| self.filter.clone());
        match self.filter.insert_hash(key) {
            Ok(is_new) => {
                let held = self.held.entry(key).or_default();
                assert!(!is_new || *held == 0 || !can.no_false_negatives, "{}", self.filter.kind());
                *held += 1;
                self.order.push(key);
            }
            Err(error) => {
                assert!(can.fills_up, "{error}");
                assert!(before.is_none_or(|before| before == self.filter), "rejected, and changed");
            }
        }
    }

    /// Removes a present key. An absent key changes nothing; false positives are not removed.
    fn remove(&mut self, key: KeyHash) {
        let (kind, held) = (self.filter.kind(), self.held.get(&key).copied().unwrap_or(0));
        if !kind.capabilities().remove || held == 0 && self.filter.contains_hash(key) {
            return;
        }
        let before = self.filter.clone();
        let removed = self.filter.remove_hash(key);
        match &removed {
            Ok(removed) => assert_eq!(*removed, held > 0, "{kind}"),
            Err(RemoveError::Stuck { .. }) => {
                assert!(kind != Kind::Quotient && kind != Kind::Cuckoo);
            }
            Err(RemoveError::Shared { .. }) => assert_eq!(kind, Kind::Deletable),
            Err(error) => assert_eq!(kind, Kind::Spectral, "{error}"),
        }
        match removed {
            Ok(true) => self.held.extend([(key, held - 1)]),
            _ => assert!(before == self.filter, "{kind}: {removed:?}, and changed"),
        }
    }

    fn check(&self, key: KeyHash) {
        let kind = self.filter.kind();
        let held = self.held.get(&key).copied().unwrap_or(0);
        let found = self.filter.contains_hash(key);
        assert!(found || held == 0 || self.window < usize::MAX, "{kind} lost a key");
        let Some(count) = self.filter.as_count().map(|counts| counts.count_hash(key)) else {
            return;
        };
        assert_eq!(count > 0, found, "{kind}");
        match &self.filter {
            // Its counts can be too low.
            AnyFilter::Spectral(spectral) if spectral.method() == Method::Recurring => {}
            AnyFilter::Quotient(_) | AnyFilter::Cuckoo(_) => assert!(count >= held, "{kind}"),
            // Counters of two bits end at 3.
            _ => assert!(count >= held.min(3), "{kind}: {count} of {held}"),
        }
    }

    fn check_all(&self) {
        self.held.keys().for_each(|key| self.check(*key));
        for key in self.order.iter().rev().take(self.window.min(self.order.len())) {
            let is_in =
                self.window < usize::MAX || self.held.get(key).is_some_and(|held| *held > 0);
            assert!(!is_in || self.filter.contains_hash(*key), "{}", self.filter.kind());
        }
        let keys: Vec<_> = self.held.keys().copied().collect();
        let mut found = vec![false; keys.len()];
        self.filter.contains_hashes(&keys, &mut found);
        assert!(
            keys.iter().zip(&found).all(|(key, found)| self.filter.contains_hash(*key) == *found)
        );
    }

    /// What is done now and then.
    fn rare(&mut self, what: u8) {
        match (&mut self.filter, what % 4) {
            (AnyFilter::Cuckoo(cuckoo), 0) if cuckoo.profile().bits < 1 << 14 => {
                let _ = cuckoo.double();
            }
            (AnyFilter::Quotient(quotient), 0) if quotient.profile().bits < 1 << 14 => {
                let _ = quotient.double();
            }
            (filter, 1) => {
                let profile = filter.profile();
                assert!((0.0..=1.0).contains(&profile.fpr_now), "{profile:?}");
                assert!((0.0..=1.0).contains(&profile.fill), "{profile:?}");
            }
            (filter, 2) => {
                // A kind that merges has the keys of both; another one says so, and is unchanged.
                let other = filter.clone();
                let unable = |error: &Mismatch| !error.to_string().is_empty();
                assert!(
                    filter.merge(&other).is_err_and(|error| unable(&error) && *filter == other)
                        || other.kind().capabilities().merge
                );
                *filter = other;
            }
            _ => {}
        }
    }

    /// Removes everything: if all of it goes, nothing is left.
    fn empty(mut self) {
        let kind = self.filter.kind();
        let most = self.held.values().copied().max().unwrap_or(0);
        if !kind.capabilities().remove || most > 20 {
            return;
        }
        for (key, held) in &self.held {
            for _ in 0..*held {
                match self.filter.remove_hash(*key) {
                    Ok(removed) => assert!(removed, "{kind}"),
                    Err(_) => return,
                }
            }
        }
        // Marks of a deletable filter and stuck counters stay. Only then the profile is worth its time.
        let is_empty = self.filter.densities(1).iter().all(|share| *share == 0.0)
            && self.held.keys().all(|key| !self.filter.contains_hash(*key));
        let stays = || kind == Kind::Deletable || self.filter.profile().stuck > 0;
        assert!(is_empty || stays(), "{:?}", self.filter.profile());
    }
}
