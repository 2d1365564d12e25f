//! The laws: what holds for every filter, of any kind. They run over the registry, so a new kind
//! inherits them; those of plain bits run over the four kinds that are nothing else.

use crate::support::{
    Keys, PLAIN, Random, assert_rate, build, bytes_of, column, count_found, csv, empty, faithful,
    filled, for_copies, overfills, put, room, six_sigma, taking,
};
use anther::error::{BuildError, FoldError, LoadError, Mismatch, SizeError, TargetError};
use anther::parts::probes::{Lanes, Line, Spread};
use anther::recipe::{Column, Format, KeyForm, KeyRule, Place, Reach, Recipe, Separator};
use anther::{
    AnyFilter, AnyShared, Blocked, Bloomier, Classic, Compressed, Filter, ForTarget, Inspect, Key,
    KeyHash, Kind, Merge, Method, Open, Options, PlainBits, Queries, Seed, Shape, Shared, Split,
    Target, Threads, Touch, Weighted, Work,
};
use std::collections::HashSet;
use std::fmt::Debug;
use std::io::{self, ErrorKind, Read};
use std::num::NonZero;
use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::{fs, thread};

mod extremes;
mod files;
mod growing;
mod hashes;
mod keys;
mod looking;
mod merging;
mod plain_bits;
mod profile;
mod reach;
mod removing;
mod rules;
mod secrets;
mod threads;

const SECRET: [u8; 16] = *b"\x9D\xE3\x51\xC8\x07\xFA\x6E\xB4\x2B\xD9\x85\x13\xAC\x70\xF6\x4E";

fn seeds() -> [Seed; 3] {
    [Seed::FIXED, Seed::chosen(0xDEAD_BEEF_0123), Seed::keyed(SECRET)]
}

/// The cells as in a file: all that follows the header, except for the last checksum, which covers
/// the header, too.
fn cells(filter: &AnyFilter) -> Vec<u8> {
    let bytes = bytes_of(filter);
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes[header..bytes.len() - 8].to_vec()
}

/// A kind that is nothing but a bit array, as the laws of such kinds need it.
trait Plain:
    PlainBits + ForTarget + Merge + PartialEq + Debug + Into<AnyFilter> + TryFrom<AnyFilter> + 'static
{
    const KIND: Kind;
    /// The unit of folding, in bits.
    const UNIT: u64;
    const LEAST_PROBES: u32 = 1;
    const MOST_PROBES: u32;
    /// Some valid number of probes.
    const PROBES: u32;
    /// Whether its files hold the bits as in memory, so that they can be borrowed.
    const BORROWS: bool = true;

    fn shaped(shape: Shape, seed: Seed) -> Result<Self, SizeError>;

    fn for_items(items: u64, seed: Seed) -> Self {
        Self::with_seed(Target::new(items, 0.01).unwrap(), seed).unwrap()
    }

    /// A filter of `units` units, with these keys inserted.
    fn units(units: u64, keys: &[KeyHash]) -> Self {
        let shape = Shape::bits(units * Self::UNIT).probes(Self::PROBES);
        let mut filter = Self::shaped(shape, Seed::FIXED).unwrap();
        filter.insert_hashes(keys).unwrap();
        filter
    }
}

impl Plain for Classic {
    const KIND: Kind = Kind::Classic;
    const UNIT: u64 = 1;
    const MOST_PROBES: u32 = Spread::MAX_PROBES;
    const PROBES: u32 = 5;

    fn shaped(shape: Shape, seed: Seed) -> Result<Classic, SizeError> {
        Classic::with_shape(shape, seed)
    }
}

impl Plain for Compressed {
    const KIND: Kind = Kind::Compressed;
    const UNIT: u64 = 1;
    const MOST_PROBES: u32 = Spread::MAX_PROBES;
    const PROBES: u32 = 2;
    const BORROWS: bool = false;

    fn shaped(shape: Shape, seed: Seed) -> Result<Compressed, SizeError> {
        Compressed::with_shape(shape, seed)
    }
}

impl Plain for Blocked {
    const KIND: Kind = Kind::Blocked;
    const UNIT: u64 = Line::BITS;
    const MOST_PROBES: u32 = Line::MAX_PROBES;
    const PROBES: u32 = 5;

    fn shaped(shape: Shape, seed: Seed) -> Result<Blocked, SizeError> {
        Blocked::with_shape(shape, seed)
    }
}

impl Plain for Split {
    const KIND: Kind = Kind::Split;
    const UNIT: u64 = Lanes::BITS;
    const LEAST_PROBES: u32 = Lanes::PROBES;
    const MOST_PROBES: u32 = Lanes::PROBES;
    const PROBES: u32 = Lanes::PROBES;

    fn shaped(shape: Shape, seed: Seed) -> Result<Split, SizeError> {
        Split::with_shape(shape, seed)
    }
}

macro_rules! over_plain_kinds {
    ($law:ident) => {
        $law::<Classic>();
        $law::<Blocked>();
        $law::<Split>();
        $law::<Compressed>();
    };
}
use over_plain_kinds;
