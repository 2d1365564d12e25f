//! A key-value store of sorted tables on disk, with a filter in memory for each table.
//!
//! Writes go to a buffer. A full buffer becomes a sorted table, and tables are merged into larger
//! ones, so that each level of the store is one table, a few times as large as the level before
//! (O'Neil et al. 1996, "The log-structured merge-tree"). A lookup tries the newest table first.
//! Without filters it reads a block of every table, and an absent key is in none. Bigtable (Chang
//! et al. 2006) and its relatives keep a Bloom filter of each table's keys in memory, and read only
//! the tables that may have the key.
//!
//! With S tables whose filters have the rate ε, an absent key takes Sε reads, and a key of the
//! oldest table 1+(S−1)ε. Small levels have few keys, so that bits are cheap there: Monkey (Dayan,
//! Athanassoulis and Idreos 2017) gives each level a rate in proportion to its keys, which minimises
//! the sum of the rates for a given memory.
//!
//! ```
//! use anther::{Kind, Target};
//! use anther_uses::key_value_store::{absent_reads, monkey_rates, present_reads};
//!
//! let keys = [1_000, 10_000, 100_000];
//! let bits = |keys| Kind::Blocked.bits_for(Target::new(keys, 0.01).unwrap()).unwrap();
//! let rates = monkey_rates(Kind::Blocked, &keys, keys.map(bits).iter().sum());
//! assert_eq!(absent_reads(&[0.01; 3]), 0.03);
//! assert_eq!(present_reads(&[0.01; 2]), 1.02);
//! assert!(absent_reads(&rates) < 0.02, "a third fewer reads with the same bits");
//! ```
//!
//! **When it breaks.** A filter does not help range scans, nor lookups of keys that are present. It
//! must be rebuilt with its table. If strangers choose the keys, a fixed seed lets them choose keys
//! that every filter lets pass; take [`Seed::keyed`].
//!
//! **Left out**, to keep it short: a log of the buffer and a list of the tables, so a store cannot
//! be opened again, and nothing is synced; merging without reading a whole level into memory; threads.

mod table;

pub use table::Table;

use anther::{Kind, Seed, Target};
use std::collections::BTreeMap;
use std::fs;
use std::io::Result;
use std::path::PathBuf;

/// Reads of a lookup of an absent key, where the tables' filters have these rates: Sε if all are ε.
pub fn absent_reads(rates: &[f64]) -> f64 {
    rates.iter().sum()
}

/// Reads of a lookup of a key that is in one table, where the filters of newer tables have these
/// rates: 1+(S−1)ε if the table is the oldest of S.
pub fn present_reads(newer: &[f64]) -> f64 {
    1.0 + absent_reads(newer)
}

/// Monkey's rates for levels with these numbers of keys, within a budget of bits: p ∝ keys, where 1 stands
/// for no filter. It minimises Σp where bits are keys·c·ln(1/p), which holds for every kind, nearly
/// so for [`Kind::Blocked`].
pub fn monkey_rates(kind: Kind, keys: &[u64], bits: u64) -> Vec<f64> {
    let rate = |share: f64, keys: u64| match keys {
        0 => 1.0,
        _ => (share * keys as f64).min(1.0),
    };
    let needed = |share: f64| {
        let level = |&keys: &u64| match rate(share, keys) {
            1.0 => Some(0),
            rate => kind.bits_for(Target::new(keys, rate).ok()?).ok(),
        };
        keys.iter().map(level).try_fold(0u64, |sum, bits| sum.checked_add(bits?))
    };
    // The share of false positives per key: at e⁻⁶⁰ no filter is possible, at 1 none is needed.
    let (mut low, mut high) = (-60.0f64, 0.0f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        match needed(middle.exp()) {
            Some(needed) if needed <= bits => high = middle,
            _ => low = middle,
        }
    }
    keys.iter().map(|&keys| rate(high.exp(), keys)).collect()
}

/// Keys and values in order. `None` stands for a removed key, which hides older values.
type Entries = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// How a [`Store`] is made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Entries in memory before they go to disk.
    pub buffer: usize,
    /// How many times as many entries a level holds as the level before.
    pub ratio: usize,
    /// The kind of the filters.
    pub kind: Kind,
    /// The false-positive rate of each level, newest first; the last one is that of all further
    /// levels. 1 stands for no filter.
    pub rates: Vec<f64>,
    /// How the filters hash.
    pub seed: Seed,
}

/// A key-value store in a folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    settings: Settings,
    buffer: Entries,
    /// Newest first: one table per level.
    levels: Vec<Option<Table>>,
    written: u64,
}

impl Store {
    /// An empty store in a folder that exists.
    pub fn new(folder: impl Into<PathBuf>, settings: Settings) -> Store {
        let folder = folder.into();
        Store { folder, settings, buffer: Entries::new(), levels: Vec::new(), written: 0 }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(key, Some(value))
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) -> Result<()> {
        self.write(key, None)
    }

    /// The value of a key, from the newest table that has it.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(value) = self.buffer.get(key) {
            return Ok(value.clone());
        }
        for table in self.tables() {
            if let Some(value) = table.get(key)? {
                return Ok(value);
            }
        }
        Ok(None)
    }

    /// Writes the buffer to disk, and merges it with as many levels as it overfills.
    pub fn flush(&mut self) -> Result<()> {
        let mut newer = std::mem::take(&mut self.buffer);
        let mut room = self.settings.buffer;
        let mut level = 0;
        loop {
            room = room.saturating_mul(self.settings.ratio.max(2));
            if level == self.levels.len() {
                self.levels.push(None);
            }
            if let Some(table) = &self.levels[level] {
                let mut merged = table.entries()?;
                merged.append(&mut newer);
                newer = merged;
            }
            if newer.len() <= room {
                break;
            }
            level += 1;
        }
        if self.levels[level + 1..].iter().all(Option::is_none) {
            // Nothing older is left to hide.
            newer.retain(|_, value| value.is_some());
        }
        let rates = &self.settings.rates;
        let rate = rates.get(level).or(rates.last()).copied().unwrap_or(1.0);
        self.written += 1;
        let path = self.folder.join(format!("{:06}.table", self.written));
        let table = Table::write(path, &newer, &self.settings, rate)?;
        for old in self.levels[..=level].iter_mut().filter_map(Option::take) {
            fs::remove_file(old.path())?;
        }
        self.levels[level] = Some(table);
        Ok(())
    }

    /// The tables, newest first.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.levels.iter().flatten()
    }

    /// The kind of its filters.
    pub fn kind(&self) -> Kind {
        self.settings.kind
    }

    /// The number of keys of each level, newest first; 0 for an empty level.
    pub fn level_keys(&self) -> Vec<u64> {
        self.levels.iter().map(|table| table.as_ref().map_or(0, |table| table.keys())).collect()
    }

    /// Reads of table files by lookups, of one block each.
    pub fn reads(&self) -> u64 {
        self.tables().map(Table::reads).sum()
    }

    fn write(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        self.buffer.insert(key.to_vec(), value.map(<[u8]>::to_vec));
        if self.buffer.len() >= self.settings.buffer { self.flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_as_a_map_does() {
        let folder = tempfile::tempdir().unwrap();
        let rates = vec![1e-3, 1e-2];
        let (kind, seed) = (Kind::Ribbon, Seed::FIXED);
        let settings = Settings { buffer: 50, ratio: 3, kind, rates, seed };
        let mut store = Store::new(folder.path(), settings);
        let mut model = BTreeMap::new();
        for step in 0..5000u64 {
            let draw = anther::KeyHash(step).again(0).0;
            let key = (draw % 1000).to_string();
            if draw >> 32 & 7 == 0 {
                store.remove(key.as_bytes()).unwrap();
                model.remove(&key);
            } else {
                store.insert(key.as_bytes(), &step.to_le_bytes()).unwrap();
                model.insert(key, step.to_le_bytes().to_vec());
            }
        }
        for key in (0..1100).map(|key: u64| key.to_string()) {
            assert_eq!(store.get(key.as_bytes()).unwrap(), model.get(&key).cloned());
        }
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, store.tables().count());
        assert!(files > 1);
    }

    #[test]
    fn monkey_spends_no_more_and_reads_less() {
        for kind in [Kind::Blocked, Kind::Ribbon] {
            let keys = [2_000, 0, 40_000, 600_000];
            let bits = |keys, rate| match keys {
                0 => 0,
                _ => kind.bits_for(Target::new(keys, rate).unwrap()).unwrap(),
            };
            let uniform: u64 = keys.iter().map(|&keys| bits(keys, 0.01)).sum();
            let rates = monkey_rates(kind, &keys, uniform);
            let spent: u64 = keys.iter().zip(&rates).map(|(&keys, &rate)| bits(keys, rate)).sum();
            assert!(spent <= uniform && spent as f64 > 0.99 * uniform as f64);
            assert!(absent_reads(&rates) - 1.0 < 0.016, "the empty level counts 1");
        }
        assert_eq!(monkey_rates(Kind::Blocked, &[1000, 2000], 0), [1.0, 1.0]);
    }
}
