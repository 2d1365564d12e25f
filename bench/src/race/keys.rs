//! The keys of the benchmark: 64-bit integers, and strings as databases and caches have them.
//!
//! Both come from a number by a bijection, so that 10⁸ of them need no memory, are distinct, and
//! are the same on every machine. Those below [`ABSENT`] may be in a set; those above never are.

use crate::random::{Random, mix, scale};
use std::borrow::Cow;
use std::hash::Hash;

/// From here on numbers are of keys that are in no set.
pub const ABSENT: u64 = 1 << 40;

/// Keys of one kind. The store owns what they point to, so that a chunk of 10⁸ strings can go
/// before the next comes.
pub trait Family: 'static {
    /// In tables and records.
    const NAME: &'static str;
    /// What is inserted and looked up.
    type Key<'a>: Copy + Hash + anther::Key + Send + Sync;
    /// Where they live.
    type Store: Default + Send + Sync;

    /// The keys of these numbers, in place of those before.
    fn fill(store: &mut Self::Store, numbers: impl Iterator<Item = u64>);
    /// The keys of a store.
    fn keys(store: &Self::Store) -> Cow<'_, [Self::Key<'_>]>;
}

/// 64-bit integers.
pub struct Integers;

impl Family for Integers {
    const NAME: &'static str = "u64";
    type Key<'a> = u64;
    type Store = Vec<u64>;

    fn fill(store: &mut Vec<u64>, numbers: impl Iterator<Item = u64>) {
        store.clear();
        store.extend(numbers.map(integer));
    }

    fn keys(store: &Vec<u64>) -> Cow<'_, [u64]> {
        Cow::Borrowed(store)
    }
}

/// The integer of a number: random bits, and a bijection.
pub const fn integer(number: u64) -> u64 {
    mix(number)
}

/// Strings of 16 to 63 bytes, 36 on average.
pub struct Strings;

/// Text in one piece, and where each string ends.
#[derive(Default)]
pub struct Arena {
    text: String,
    ends: Vec<usize>,
}

impl Family for Strings {
    const NAME: &'static str = "strings";
    type Key<'a> = &'a str;
    type Store = Arena;

    fn fill(store: &mut Arena, numbers: impl Iterator<Item = u64>) {
        store.text.clear();
        store.ends.clear();
        for number in numbers {
            name(number, &mut store.text);
            store.ends.push(store.text.len());
        }
    }

    fn keys(store: &Arena) -> Cow<'_, [&str]> {
        let mut start = 0;
        let cut = |&end: &usize| &store.text[std::mem::replace(&mut start, end)..end];
        Cow::Owned(store.ends.iter().map(cut).collect())
    }
}

const HOSTS: [&str; 4] = ["", "user:", "example.org/", "https://shop.example.com/"];
const PATHS: [&str; 4] = ["", "t/", "articles/", "images/large/"];
const ENDS: [&str; 4] = ["", "x=", "id=", "comments/"];

/// The string of a number: all its bits are at the end, so no two are alike.
fn name(number: u64, text: &mut String) {
    let bits = mix(number);
    let pick = |list: [&'static str; 4], shift: u32| list[(bits >> shift) as usize % 4];
    for part in [pick(HOSTS, 0), pick(PATHS, 2), pick(ENDS, 4)] {
        text.push_str(part);
    }
    let digit = |value: u64| char::from(b"0123456789abcdef"[value as usize % 16]);
    text.extend((0..16).rev().map(|at| digit(bits >> (4 * at))));
}

/// Keys to look up, in random order, and how many of them are in the set.
pub struct Sample<F: Family> {
    store: F::Store,
    members: Vec<bool>,
}

/// Which share of the lookups is for keys of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// All of them.
    Hit,
    /// None.
    Miss,
    /// About half, in random order.
    Mixed,
}

impl Work {
    /// In the order of the tables.
    pub const ALL: [Work; 3] = [Work::Hit, Work::Miss, Work::Mixed];

    /// In tables and records.
    pub const fn name(self) -> &'static str {
        match self {
            Work::Hit => "hit",
            Work::Miss => "miss",
            Work::Mixed => "mixed",
        }
    }
}

impl<F: Family> Sample<F> {
    /// `count` lookups in a set of the first `items` keys.
    pub fn new(work: Work, items: u64, count: usize) -> Sample<F> {
        let mut random = Random::new(7 + work as u64);
        let members: Vec<bool> = (0..count)
            .map(|_| match work {
                Work::Hit => true,
                Work::Miss => false,
                Work::Mixed => random.draw() >> 63 == 0,
            })
            .collect();
        let mut store = F::Store::default();
        let numbers = members.iter().zip(ABSENT..).map(|(member, absent)| match member {
            true => scale(random.draw(), items),
            false => absent,
        });
        F::fill(&mut store, numbers);
        Sample { store, members }
    }

    /// The keys to look up.
    pub fn keys(&self) -> Cow<'_, [F::Key<'_>]> {
        F::keys(&self.store)
    }

    /// Whether each is in the set.
    pub fn members(&self) -> &[bool] {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_distinct_and_absent_ones_are_absent() {
        let numbers = || (0..50_000).chain(ABSENT..ABSENT + 50_000);
        let mut store = Vec::new();
        Integers::fill(&mut store, numbers());
        assert_eq!(store.iter().collect::<HashSet<_>>().len(), 100_000);
        let mut arena = Arena::default();
        Strings::fill(&mut arena, numbers());
        let keys = Strings::keys(&arena);
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 100_000);
        let lengths = || keys.iter().map(|key| key.len());
        assert_eq!((lengths().min(), lengths().max()), (Some(16), Some(63)));
        // Twice the same: records of two days are of the same keys.
        let first = keys[1].to_string();
        Strings::fill(&mut arena, numbers());
        assert_eq!(Strings::keys(&arena)[1], first);
    }

    #[test]
    fn samples_know_their_members() {
        let mut set = Vec::new();
        Integers::fill(&mut set, 0..1000);
        let set: HashSet<u64> = set.into_iter().collect();
        for work in Work::ALL {
            let sample = Sample::<Integers>::new(work, 1000, 5000);
            let found = sample.keys().iter().map(|key| set.contains(key)).collect::<Vec<_>>();
            assert_eq!(found, sample.members(), "{work:?}");
            let members = found.iter().filter(|found| **found).count();
            match work {
                Work::Hit => assert_eq!(members, 5000),
                Work::Miss => assert_eq!(members, 0),
                // Seven sigmas of a fair coin.
                Work::Mixed => assert!((2250..=2750).contains(&members), "{members}"),
            }
        }
    }
}
