//! The list: a line a figure.

use super::seed_001::{compare, cuckoo, deleting, growth, lengths, proxies, queries, sstables};
use super::{Effort, Made, seed_000, seed_003, seed_004};
use crate::exit::Stop;

/// A figure.
pub struct Figure {
    /// Of the figure and of its files.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub title: &'static str,
    pub make: fn(&Effort<'_>) -> Result<Made, Stop>,
}

macro_rules! figures {
    ($($name:literal $source:literal $title:literal $make:expr;)*) => {
        /// Every figure, in the order of the seeds, then the papers.
        pub const FIGURES: &[Figure] = &[
            $(Figure { name: $name, source: $source, title: $title, make: $make },)*
        ];
    };
}

figures! {
    "reliability" "000 §3" "58,110 words at 1 %, asked about 20,000 others" seed_000::reliability;
    "reject" "001 §1.3" "Bits and time until an absent key is rejected" queries::reject;
    "probes" "001 §4.1" "The probes stay as many from 1,000 keys on, the time does not" queries::probes;
    "key-length" "001 §4.2" "Memory and time against the length of keys" lengths::key_length;
    "compare" "001 table 1" "Filter, hash table and tree: complexity and numbers" compare::table;
    "compare-time" "001 table 1" "Filter, hash table and tree: time against items" compare::time;
    "compare-memory" "001 §4.4" "Filter, hash table and tree: memory against items" compare::memory;
    "deleting" "001 §5.1" "Members lost when others are deleted by their bits" deleting::deleting;
    "undersized" "001 §5.2" "A filter with more keys than it was made for" growth::undersized;
    "scalable-queries" "001 §5.2" "A filter that grows: layers, rate and time" growth::scalable_queries;
    "cuckoo-load" "001 §6" "The cuckoo filter: load, time and bits" cuckoo::load;
    "proxies" "001 §7.1" "Proxies that tell each other by filters what they have" proxies::proxies;
    "sstables" "001 §7.2.1" "Reads of tables on disk, with and without filters" sstables::sstables;
    "hashes" "003" "More hash functions: rate, fill and time" seed_003::hashes;
    "insert-time" "004" "Time per insert against items" seed_004::insert_time;
    "floom-12-1" "004" "Floom with 12 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 12, 0.01);
    "floom-16-1" "004" "Floom with 16 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 16, 0.01);
    "floom-12-5" "004" "Floom with 12 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 12, 0.05);
    "floom-16-5" "004" "Floom with 16 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 16, 0.05);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names_and_different() {
        for (at, figure) in FIGURES.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(figure.name.chars().all(plain), "{}", figure.name);
            assert!(FIGURES[..at].iter().all(|other| other.name != figure.name), "{}", figure.name);
        }
    }
}
