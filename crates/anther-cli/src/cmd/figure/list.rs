//! The list: a line a figure.

use super::{Effort, Made, papers, seed_002, seed_004};
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
    "mice" "002" "Mice that find a poisoned bottle" seed_002::mice;
    "half-full" "002" "The rate is least where half of the bits are zeros" seed_002::half_full;
    "lower-bound" "002" "Bits a key above the least that any filter needs" seed_002::lower_bound;
    "error-table" "002" "The rate by bits a key and number of functions" seed_002::error_table;
    "floom-12-1" "004" "Floom with 12 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 12, 0.01);
    "floom-16-1" "004" "Floom with 16 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 16, 0.01);
    "floom-12-5" "004" "Floom with 12 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 12, 0.05);
    "floom-16-5" "004" "Floom with 16 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 16, 0.05);
    "exact-rates" "Bose 2008" "Exact and approximate rates of small filters" papers::classic::exact_rates;
    "double-hashing" "Kirsch 2008" "Two hash functions in place of k" papers::classic::double_hashing;
    "split-block" "Parquet" "The rate of split-block filters by bits a key" papers::lines::split_block;
    "layouts" "Putze 2007" "Bits a key by layout of a line" papers::lines::layouts;
    "counters" "Fan 1998" "How high counters get, and d-left in half the space" papers::counters::counters;
    "variable-increment" "Rottenstreich 2012" "Variable increments in the same memory" papers::counters::variable_increment;
    "deletable" "Rothenberg 2010" "The share of keys that can be removed" papers::removal::deletable;
    "compressed" "Mitzenmacher 2001" "Bits sent against bits in memory" papers::compressed::compressed;
    "scalable" "Almeida 2007" "The rate while a set grows" papers::scalable::scalable;
    "generalized" "Laufer 2005" "Functions that clear beside functions that set" papers::forgetting::generalized;
    "stable" "Deng 2006" "Rates and misses of a stream without end" papers::forgetting::stable;
    "weighted" "Bruck 2006" "More probes for keys that are asked often" papers::weighted::weighted;
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
