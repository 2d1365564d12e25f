//! A filter of another system in numbers.

use super::System;
use super::bits::Bits;
use crate::sizing::estimate::{self, Estimate};

/// A filter of another system in numbers: what its file says, and what its cells say now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// The system that wrote it.
    pub system: System,
    /// Its format, if the system has several: `MURMUR128_MITZ_64`.
    pub format: &'static str,
    /// Bits of its cells.
    pub bits: u64,
    /// Probes per key; of a filter with layers, those of the last one.
    pub probes: u32,
    /// The share of cells that are in use.
    pub fill: f64,
    /// The false-positive rate, by the cells as they are now.
    pub fpr: f64,
    /// The number of keys, by the cells as they are now, if they can tell.
    pub items: Option<Estimate>,
    /// The number of inserts, if the file says it.
    pub inserted: Option<u64>,
    /// The number of keys that it was made for, if the file says it.
    pub capacity: Option<u64>,
    /// The false-positive rate that it was made for, if the file says it.
    pub target_fpr: Option<f64>,
    /// Layers of a filter that grows, row groups of a column; otherwise 1.
    pub layers: u32,
    /// What else its file says, by name.
    pub fields: Vec<(&'static str, String)>,
}

impl Info {
    /// Of a row of bits in which each key has this many probes.
    pub(super) fn of_bits(system: System, format: &'static str, cells: &Bits, probes: u32) -> Info {
        let (bits, ones) = (cells.len(), cells.ones());
        let fill = ones as f64 / bits.max(1) as f64;
        Info {
            system,
            format,
            bits,
            probes,
            fill,
            fpr: fill.powf(probes.into()),
            items: Some(estimate::classic(bits, probes, ones)),
            inserted: None,
            capacity: None,
            target_fpr: None,
            layers: 1,
            fields: Vec::new(),
        }
    }
}
