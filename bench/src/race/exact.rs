//! Sets that make no errors, and own their keys: what a filter saves.

use super::contender::{Ask, Contender, Take};
use super::hasher::OurHash;
use super::keys::{Integers, Strings};
use super::peers::SHORT_OF_TIME;
use std::collections::BTreeSet;

/// Strings of a set have an allocation each: 10⁷ of them take 1.5 GB in each of three sets, and 10⁸
/// would take more than a small machine has.
const MOST_STRINGS: u64 = 10_000_000;

/// hashbrown's set with our hash.
const HASHED: &str = "hashbrown HashSet (our hash)";

/// Sets of integers. Their false-positive rate is 0 whatever the target, so they are in one table.
pub fn integers() -> Vec<Contender<Integers>> {
    vec![
        Contender::empty("hashbrown HashSet", |n, _| {
            Box::new(hashbrown::HashSet::<u64>::with_capacity(n as usize))
        }),
        Contender::empty(HASHED, |n, _| {
            let set = hashbrown::HashSet::with_capacity_and_hasher(n as usize, OurHash::default());
            Box::new(set as hashbrown::HashSet<u64, OurHash>)
        })
        .with_our_hash()
        .most(SHORT_OF_TIME, "time"),
        Contender::empty("std HashSet", |n, _| {
            Box::new(std::collections::HashSet::<u64>::with_capacity(n as usize))
        }),
        // Collected, so sorted first: twice as fast as one by one, and full leaves.
        Contender::whole("std BTreeSet", |keys, _| {
            Box::new(keys.iter().copied().collect::<BTreeSet<u64>>())
        }),
    ]
    .into_iter()
    .map(|set| set.only(0.01).slow())
    .collect()
}

/// Sets of strings.
pub fn strings() -> Vec<Contender<Strings>> {
    vec![
        Contender::empty("hashbrown HashSet", |n, _| {
            Box::new(hashbrown::HashSet::<Box<str>>::with_capacity(n as usize))
        }),
        Contender::empty(HASHED, |n, _| {
            let set = hashbrown::HashSet::with_capacity_and_hasher(n as usize, OurHash::default());
            Box::new(set as hashbrown::HashSet<Box<str>, OurHash>)
        })
        .with_our_hash(),
        Contender::empty("std HashSet", |n, _| {
            Box::new(std::collections::HashSet::<Box<str>>::with_capacity(n as usize))
        }),
        Contender::whole("std BTreeSet", |keys: &[&str], _| {
            Box::new(keys.iter().map(|key| Box::from(*key)).collect::<BTreeSet<Box<str>>>())
        }),
    ]
    .into_iter()
    .map(|set| set.only(0.01).most(MOST_STRINGS, "memory"))
    .collect()
}

macro_rules! asks {
    ($($set:ty, $of:ty);+) => {$(
        impl Ask<Integers> for $set {
            #[inline]
            fn has(&self, key: u64) -> bool {
                self.contains(&key)
            }
        }

        impl Ask<Strings> for $of {
            #[inline]
            fn has(&self, key: &str) -> bool {
                self.contains(key)
            }
        }
    )+};
}
asks!(
    hashbrown::HashSet<u64>, hashbrown::HashSet<Box<str>>;
    hashbrown::HashSet<u64, OurHash>, hashbrown::HashSet<Box<str>, OurHash>;
    std::collections::HashSet<u64>, std::collections::HashSet<Box<str>>;
    BTreeSet<u64>, BTreeSet<Box<str>>
);

macro_rules! takes {
    ($($set:ty, $of:ty);+) => {$(
        impl Take<Integers> for $set {
            fn put(&mut self, keys: &[u64]) {
                for key in keys {
                    self.insert(*key);
                }
            }
        }

        impl Take<Strings> for $of {
            fn put(&mut self, keys: &[&str]) {
                for key in keys {
                    self.insert(Box::from(*key));
                }
            }
        }
    )+};
}
takes!(
    hashbrown::HashSet<u64>, hashbrown::HashSet<Box<str>>;
    hashbrown::HashSet<u64, OurHash>, hashbrown::HashSet<Box<str>, OurHash>;
    std::collections::HashSet<u64>, std::collections::HashSet<Box<str>>
);
