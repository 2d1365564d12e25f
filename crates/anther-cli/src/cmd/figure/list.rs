//! The list: a line a figure.

use super::seed_001::{compare, cuckoo, deleting, growth, lengths, proxies, queries, sstables};
use super::{Effort, Made, drawings, papers, seed_000, seed_002, seed_003, seed_004};
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
    "example" "001 figures 1–5" "Ten bits, three functions, {2, 4, 9}" |_| drawings::example();
    "example-remove" "001 §5.1" "Why a plain filter cannot delete" |_| drawings::drawn(
        "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4 --remove 9 --step 5,6,7",
        "4 maybe, 4 no");
    "deleting" "001 §5.1" "Members lost when others are deleted by their bits" deleting::deleting;
    "reject" "001 §1.3" "Bits and time until an absent key is rejected" queries::reject;
    "probes" "001 §4.1" "The number of probes does not grow with the keys; the time does" queries::probes;
    "key-length" "001 §4.2" "Memory and time against the length of keys" lengths::key_length;
    "compare" "001 table 1" "Filter, hash table and tree: complexity and numbers" compare::table;
    "compare-time" "001 table 1" "Filter, hash table and tree: time against items" compare::time;
    "compare-memory" "001 §4.4" "Filter, hash table and tree: memory against items" compare::memory;
    "undersized" "001 §5.2" "A filter with more keys than it was made for" growth::undersized;
    "scalable-queries" "001 §5.2" "A filter that grows: layers, rate and time" growth::scalable_queries;
    "scalable-cells" "001 §5.2" "Layers of a filter that grows" |_| drawings::drawn(
        "--kind scalable --items 4 --over classic --insert ant,bee,cat,dog,elk,fox,gnu --query elk --step 5,6,9",
        "elk maybe");
    "cuckoo-load" "001 §6" "The cuckoo filter: time of an insert against load" cuckoo::load;
    "cuckoo-cells" "001 §6" "Fingerprints that make room for each other" |_| drawings::drawn(
        "--kind cuckoo --items 9 --insert 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28 --query 28,99 --step 29,30,31",
        "28 maybe, 99 no");
    "proxies" "001 §7.1" "Proxies that tell each other by filters what they have" proxies::proxies;
    "sstables" "001 §7.2.1" "Reads of tables on disk, with and without filters" sstables::sstables;
    "mice" "002" "Mice that find a poisoned bottle" seed_002::mice;
    "functions" "002" "Two functions that meet in the fifth bit; y1 and y2" |_| drawings::drawn(
        "--bits 12 --hash x+3,4x,5x+4 --insert 1,2 --query 3,5 --step 3,4,5", "3 no, 5 maybe");
    "half-full" "002" "The rate is least where half of the bits are zeros" seed_002::half_full;
    "lower-bound" "002" "Bits a key above the least that any filter needs" seed_002::lower_bound;
    "error-table" "002" "The rate by bits a key and number of functions" seed_002::error_table;
    "hashes" "003" "More hash functions: rate, fill and time" seed_003::hashes;
    "three-keys" "003" "Three keys in 18 bits, and a fourth that is not in" |_| drawings::drawn(
        "--bits 18 --hash x,x+3,4x+7 --insert 1,2,3 --query 4 --step 3,4,5", "4 no");
    "insert-time" "004" "Time per insert against items" seed_004::insert_time;
    "floom-12-1" "004" "Floom with 12 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 12, 0.01);
    "floom-16-1" "004" "Floom with 16 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 16, 0.01);
    "floom-12-5" "004" "Floom with 12 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 12, 0.05);
    "floom-16-5" "004" "Floom with 16 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 16, 0.05);
    "counting-cells" "004" "Counters in the place of bits" |_| drawings::drawn(
        "--bits 10 --hash x,2x+3,3x+7 --kind counting --insert 2,4,9 --query 4 --remove 9 --step 4,6,7",
        "4 maybe");
    "increments-cells" "004" "Increments that tell whose they are" |_| drawings::drawn(
        "--kind variable-increment --items 3 --seed 5 --insert ant,bee,cat --query bee,owl --step 4,5,6",
        "bee maybe, owl no");
    "deletable-cells" "004" "Regions without collisions can be cleared" |_| drawings::drawn(
        "--kind deletable --items 5 --regions 5 --insert ant,bee,cat --query bee --remove bee --step 5,6,7",
        "bee maybe, bee no");
    "bloomier-cells" "004" "Slots that give a value when they are xored" |_| drawings::drawn(
        "--kind bloomier --insert ant=3,bee=5,cat=1 --query bee,owl", "bee maybe, owl no");
    "exact-rates" "Bose 2008" "Exact and approximate rates of small filters" papers::classic::exact_rates;
    "double-hashing" "Kirsch 2008" "Two hash functions in place of k, against the predicted rate" papers::classic::double_hashing;
    "split-block" "Parquet" "The rate of split-block filters by bits a key" papers::lines::split_block;
    "layouts" "Putze 2007" "Bits a key by layout of a line" papers::lines::layouts;
    "counters" "Fan 1998" "How high counters get, and d-left in half the space" papers::counters::counters;
    "variable-increment" "Rottenstreich 2012" "Variable increments in the same memory" papers::counters::variable_increment;
    "deletable" "Rothenberg 2010" "The share of keys that can be removed" papers::removal::deletable;
    "compressed" "Mitzenmacher 2001" "Bits sent against bits in memory" papers::compressed::compressed;
    "scalable" "Almeida 2007" "The rate while a set grows" papers::scalable::scalable;
    "generalized" "Laufer 2005" "Functions that clear beside functions that set" papers::forgetting::generalized;
    "stable" "Deng 2006" "Rates and misses of a stream without end" papers::forgetting::stable;
    "weighted" "Bruck 2006" "More probes for keys that are asked often, and what their table costs" papers::weighted::weighted;
    "spectral" "Cohen 2003" "Wrong counts by method and load" papers::spectral::spectral;
    "robust" "Nayak 2021" "A claim of nearly zero, and a sound hash" papers::robust::robust;
    "iblt" "Goodrich 2011" "Cells that a difference needs" papers::iblt::decoding;
    "rateless" "Yang 2024" "Symbols until a difference is known" papers::iblt::rateless;
    "cuckoo" "Fan 2014" "How full cuckoo filters get, and their rate" papers::fingerprints::cuckoo;
    "fuse-ribbon" "Graf 2022" "Bits of solved filters against keys" papers::solved::fuse_ribbon;
    "quotient" "Bender 2012" "The rate of quotient filters against load" papers::fingerprints::quotient;
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
