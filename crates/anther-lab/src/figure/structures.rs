//! The memory of filters and sets: `figure --weigh`, which figures run once a structure.

use super::timing::scattered;
use crate::error::Error;
use crate::memory::{self, Weight};
use crate::tour::data::url;
use anther::{Classic, Key, Target};
use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::env;
use std::hash::Hash;
use std::process::{Command, Stdio};

/// How many of a structure are weighed together. Few keys are weighed many times over, since
/// systems count memory in pages, and the process has a few at hand before it begins.
fn copies(structure: Structure, items: u64) -> u64 {
    let keys = match structure {
        Structure::Filter => 8_000_000,
        Structure::HashSet | Structure::BTree => 100_000,
        Structure::List => 1_000_000,
    };
    (keys / items.max(1)).max(1)
}

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A classic one, for 1 %.
    Filter,
    HashSet,
    BTree,
    /// An array in no order.
    List,
}

impl Structure {
    pub const ALL: [Structure; 4] =
        [Structure::Filter, Structure::HashSet, Structure::BTree, Structure::List];

    fn name(self) -> &'static str {
        match self {
            Structure::Filter => "filter",
            Structure::HashSet => "hash-set",
            Structure::BTree => "b-tree",
            Structure::List => "list",
        }
    }
}

/// What is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Of 64 bits.
    Numbers,
    /// Made up, some 40 bytes long, as strings.
    Urls,
    /// This many bytes, each key in a box.
    Bytes(u32),
}

impl Keys {
    fn name(self) -> String {
        match self {
            Keys::Numbers => "numbers".to_string(),
            Keys::Urls => "urls".to_string(),
            Keys::Bytes(length) => length.to_string(),
        }
    }

    fn from_name(name: &str) -> Option<Keys> {
        match name {
            "numbers" => Some(Keys::Numbers),
            "urls" => Some(Keys::Urls),
            length => length.parse().ok().map(Keys::Bytes),
        }
    }
}

/// The key of this number, of `length` bytes.
pub fn bytes(number: u64, length: u32) -> Box<[u8]> {
    let words = (0..).flat_map(|word| scattered(number + (word << 40)).to_le_bytes());
    words.take(length as usize).collect()
}

/// The bytes of a structure with `items` keys, weighed in a process of its own; and whether the
/// system told them.
pub fn weight(structure: Structure, keys: Keys, items: u64) -> Result<(f64, bool), Error> {
    let trouble = |error: &dyn std::fmt::Display| {
        Error::about(structure.name(), format_args!("cannot be weighed: {error}"))
    };
    let program = env::current_exe().map_err(|error| trouble(&error))?;
    let (keys, items_text) = (keys.name(), items.to_string());
    let ran = Command::new(program)
        .args(["figure", "--weigh", structure.name(), &keys, &items_text])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| trouble(&error))?;
    let weight: Weight = serde_json::from_slice(&ran.stdout).map_err(|error| trouble(&error))?;
    Ok((weight.bytes as f64 / copies(structure, items) as f64, weight.is_measured()))
}

/// Fills structures and prints their weight. The words are those of `weight`.
pub fn weigh(words: &[String]) -> Result<Weight, Error> {
    let wrong = || {
        let cause = "needs filter, hash-set, b-tree or list; numbers, urls or a length; how many";
        Error::about("--weigh", cause)
    };
    let [structure, keys, items] = words else { return Err(wrong()) };
    let structure = Structure::ALL.into_iter().find(|one| one.name() == structure);
    let structure = structure.ok_or_else(wrong)?;
    let keys = Keys::from_name(keys).ok_or_else(wrong)?;
    let items: u64 = items.parse().map_err(|_| wrong())?;
    memory::weighed(|| match keys {
        Keys::Numbers => filled(structure, items, scattered, |_| 0),
        Keys::Urls => filled(structure, items, url, String::len),
        Keys::Bytes(length) => filled(structure, items, |n| bytes(n, length), |key| key.len()),
    })
}

/// Structures with these keys, and what they must hold at least. A key may have bytes elsewhere.
fn filled<K: Key + Hash + Ord + 'static>(
    structure: Structure,
    items: u64,
    key: impl Fn(u64) -> K,
    elsewhere: impl Fn(&K) -> usize,
) -> Result<(u64, Box<dyn Any>), Error> {
    let broken = |error| Error::about("filter", error);
    let copies = copies(structure, items);
    let mut least = 0;
    let mut each_key = |insert: &mut dyn FnMut(K) -> bool| {
        for key in (0..items).map(&key) {
            let bytes = size_of::<K>() + elsewhere(&key);
            least += if insert(key) { bytes as u64 } else { 0 };
        }
    };
    let all: Box<dyn Any> = match structure {
        Structure::Filter => {
            let target = Target::new(items, 0.01).map_err(|error| broken(error.into()))?;
            let mut filter = Classic::new(target).map_err(broken)?;
            each_key(&mut |key| filter.insert(key));
            least = copies * filter.profile().bits / 8;
            let mut filters: Vec<Classic> = (1..copies).map(|_| filter.clone()).collect();
            filters.push(filter);
            Box::new(filters)
        }
        Structure::HashSet => {
            let fill = |_| {
                let mut set = HashSet::new();
                each_key(&mut |key| set.insert(key));
                set
            };
            Box::new((0..copies).map(fill).collect::<Vec<_>>())
        }
        Structure::BTree => {
            let fill = |_| {
                let mut set = BTreeSet::new();
                each_key(&mut |key| set.insert(key));
                set
            };
            Box::new((0..copies).map(fill).collect::<Vec<_>>())
        }
        Structure::List => {
            let fill = |_| {
                let mut list = Vec::with_capacity(usize::try_from(items).unwrap_or(0));
                each_key(&mut |key| {
                    list.push(key);
                    true
                });
                list
            };
            Box::new((0..copies).map(fill).collect::<Vec<_>>())
        }
    };
    Ok((least, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_lengths() {
        for keys in [Keys::Numbers, Keys::Urls, Keys::Bytes(512)] {
            assert_eq!(Keys::from_name(&keys.name()), Some(keys));
        }
        assert_eq!(Keys::from_name("some"), None);
        assert_eq!([8, 20].map(|length| bytes(7, length).len()), [8, 20]);
        assert!(bytes(7, 20)[..8] == bytes(7, 8)[..] && bytes(7, 8) != bytes(8, 8));
    }

    /// Without a process: what they must hold at least.
    #[test]
    fn structures_are_filled() {
        let least = |structure| filled(structure, 1000, scattered, |_| 0).map(|(least, _)| least);
        assert_eq!(least(Structure::HashSet).ok(), Some(100 * 8000));
        assert_eq!(least(Structure::BTree).ok(), Some(100 * 8000));
        assert_eq!(least(Structure::List).ok(), Some(1000 * 8000));
        assert!(least(Structure::Filter).is_ok_and(|bytes| bytes / 8000 < 1300));
    }
}
