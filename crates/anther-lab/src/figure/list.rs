//! The list: a line a figure.

use super::jambura_2026::{
    against, attack, chains, compare, cuckoo, deleting, growth, lengths, proxies, queries, sstables,
};
use super::{
    Effort, Made, chinese_slides, drawings, freiberg_slides, gogos_2014, papers, peyer_2019,
};
use crate::error::Error;

/// A figure.
pub struct Figure {
    /// The name of the figure and of its files.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Measures it.
    pub make: fn(&Effort<'_>) -> Result<Made, Error>,
}

macro_rules! figures {
    ($($name:literal $source:literal $title:literal $make:expr;)*) => {
        /// Every figure, in the order of the texts, then the papers.
        pub const FIGURES: &[Figure] = &[
            $(Figure { name: $name, source: $source, title: $title, make: $make },)*
        ];
    };
}

figures! {
    "reliability" "[1] §3" "58,110 words at 1 %, and 20,000 lookups" peyer_2019::reliability;
    "example" "[2] figures 1–5" "Ten bits, three functions, {2, 4, 9}" drawings::example;
    "attack" "[2] §2.1" "Keys chosen against a known seed, and against a secret key" attack::attack;
    "example-remove" "[2] §5.1" "Why a plain filter cannot delete" |effort| drawings::drawn(effort,
        "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4 --remove 9 --step 5,6,7",
        "4 maybe, 4 no");
    "deleting" "[2] §5.1" "Members lost when others are deleted by their bits" deleting::deleting;
    "overflow-cells" "[2] §5.1" "A counter that overflows" |effort| drawings::drawn(effort,
        "--kind counting --counter-bits 2 --items 3 --seed 12 --insert ant,bee,cat,dog --remove ant,bee,cat,dog --query ant --step 4,5,10,11",
        "ant no");
    "reject" "[2] §1.3" "Bits and time until an absent key is rejected" queries::reject;
    "probes" "[2] §4.1" "The number of probes does not grow with the keys; the time does" queries::probes;
    "key-length" "[2] §4.2" "Memory and time against the length of keys" lengths::key_length;
    "compare" "[2] table 1" "Filter, hash table, tree and list: complexity and numbers" compare::table;
    "compare-time" "[2] table 1" "Filter, hash table, tree and list: time against items" compare::time;
    "chains" "[2] table 1" "Chaining and a balanced tree, with the worst case" chains::chains;
    "compare-memory" "[2] §4.4" "Filter, hash table, tree and list: memory against items" compare::memory;
    "undersized" "[2] §5.2" "A filter with more keys than it was made for" growth::undersized;
    "scalable-queries" "[2] §5.2" "A filter that grows: layers, rate and time" growth::scalable_queries;
    "scalable-cells" "[2] §5.2" "Layers of a filter that grows" |effort| drawings::drawn(effort,
        "--kind scalable --items 4 --over classic --insert ant,bee,cat,dog,elk,fox,gnu --query elk --step 5,6,9",
        "elk maybe");
    "cuckoo-load" "[2] §6" "The cuckoo filter: time of an insert against load" cuckoo::load;
    "cuckoo-cells" "[2] §6" "Fingerprints that make room for each other" |effort| drawings::drawn(effort,
        "--kind cuckoo --items 9 --insert 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28 --query 28,99 --step 29,30,31",
        "28 maybe, 99 no");
    "cuckoo-doubling" "[2] §6" "A cuckoo filter that is doubled when it is full" against::doubling;
    "cuckoo-classic" "[2] §6" "Classic against cuckoo: bits and time" against::against_classic;
    "proxies" "[2] §7.1" "Proxies that tell each other by filters what they have" proxies::proxies;
    "sstables" "[2] §7.2.1" "Reads of tables on disk, with and without filters" sstables::sstables;
    "mice" "[3]" "Mice that find a poisoned bottle" chinese_slides::mice;
    "functions" "[3]" "Two functions that meet in the fifth bit; y1 and y2" |effort| drawings::drawn(effort,
        "--bits 12 --hash x+3,3x+1,x --insert x1=1,x2=2 --query y1=5,y2=4 --step 2,3,4,5",
        "y1 no, y2 maybe");
    "half-full" "[3]" "The false-positive rate is lowest where half of the bits are 0" chinese_slides::half_full;
    "lower-bound" "[3]" "Bits per key above the least that any filter needs" chinese_slides::lower_bound;
    "error-table" "[3]" "The false-positive rate by bits per key and number of functions" chinese_slides::error_table;
    "hashes" "[4]" "More hash functions: rate, fill and time" gogos_2014::hashes;
    "three-keys" "[4]" "Three keys in 18 bits, and a fourth that is not in" |effort| drawings::drawn(effort,
        "--bits 18 --hash x,x+3,4x+7 --insert x=1,y=2,z=3 --query w=4 --together --step 2,3,4,5,6",
        "w no");
    "insert-time" "[5]" "Time per insert against items" freiberg_slides::insert_time;
    "floom-12-1" "[5]" "Floom with 12 regions beside Big BF, made for 1 %" |effort| freiberg_slides::floom(effort, 12, 0.01);
    "floom-16-1" "[5]" "Floom with 16 regions beside Big BF, made for 1 %" |effort| freiberg_slides::floom(effort, 16, 0.01);
    "floom-12-5" "[5]" "Floom with 12 regions beside Big BF, made for 5 %" |effort| freiberg_slides::floom(effort, 12, 0.05);
    "floom-16-5" "[5]" "Floom with 16 regions beside Big BF, made for 5 %" |effort| freiberg_slides::floom(effort, 16, 0.05);
    "counting-cells" "[5]" "Counters in place of bits" |effort| drawings::drawn(effort,
        "--bits 10 --hash x,2x+3,3x+7 --kind counting --insert 2,4,9 --query 4 --remove 9 --step 4,6,7",
        "4 maybe");
    "increments-cells" "[5]" "Increments that tell whose they are" |effort| drawings::drawn(effort,
        "--kind variable-increment --items 3 --seed 5 --insert ant,bee,cat --query bee,owl --step 4,5,6",
        "bee maybe, owl no");
    "deletable-cells" "[5]" "Regions without collisions can be cleared" |effort| drawings::drawn(effort,
        "--kind deletable --items 4 --regions 6 --seed 22 --insert ant,bee,cat,dog --query bee,cat --remove bee,cat --step 2,3,8,9,11",
        "cat no");
    "bloomier-cells" "[5]" "Slots that give a value when they are xored" |effort| drawings::drawn(effort,
        "--kind bloomier --seed 6 --insert ant=3,bee=5,cat=1,dog=7,elk=2 --query bee,owl", "bee maybe, owl no");
    "exact-rates" "Bose 2008" "Exact and approximate rates of small filters" papers::classic::exact_rates;
    "double-hashing" "Kirsch 2008" "Two hash functions in place of k, against the predicted rate" papers::classic::double_hashing;
    "split-block" "Parquet" "The rate of split-block filters by bits per key" papers::lines::split_block;
    "layouts" "Putze 2007" "Bits per key by layout of a line" papers::lines::layouts;
    "counters" "Fan 1998" "How high counters get, and d-left in half the space" papers::counters::counters;
    "variable-increment" "Rottenstreich 2012" "Variable increments in the same memory" papers::counters::variable_increment;
    "deletable" "Rothenberg 2010" "The share of keys that can be removed" papers::removal::deletable;
    "compressed" "Mitzenmacher 2001" "Bits sent against bits in memory" papers::compressed::compressed;
    "scalable" "Almeida 2007" "The rate while a set grows" papers::scalable::scalable;
    "generalized" "Laufer 2005" "Hash functions that clear beside those that set" papers::forgetting::generalized;
    "stable" "Deng 2006" "Rates and misses of an endless stream" papers::forgetting::stable;
    "aging" "Shtul 2020" "The latest keys of an endless stream" papers::aging::aging;
    "weighted" "Bruck 2006" "More probes for keys that are looked up often, and what their table costs" papers::weighted::weighted;
    "spectral" "Cohen 2003" "Wrong counts by method and load" papers::spectral::spectral;
    "robust" "Nayak 2021" "A claim of nearly zero, and a sound hash" papers::robust::robust;
    "iblt" "Goodrich 2011" "Cells that a difference needs" papers::iblt::decoding;
    "rateless" "Yang 2024" "Symbols until a difference is known" papers::iblt::rateless;
    "range" "Costa 2024" "Empty ranges that are answered maybe" papers::range::range;
    "cuckoo" "Fan 2014" "How full cuckoo filters get, and their rate" papers::fingerprints::cuckoo;
    "fuse-ribbon" "Graf 2022" "Bits of static filters against keys" papers::solved::fuse_ribbon;
    "cascade" "Schanck 2025" "Two lists told apart without an error" papers::cascade::cascade;
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
