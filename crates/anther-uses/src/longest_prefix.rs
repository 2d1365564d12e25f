//! Longest prefix match: which route of a router's table fits an address best.
//!
//! A table has routes such as 10.0.0.0/8 and 10.1.0.0/16, and the longest prefix of the address
//! counts. With a hash table per length, a router would have to try all lengths, each a read of
//! slow memory. Dharmapurikar, Krishnamurthy and Taylor (2003, "Longest prefix matching using Bloom
//! filters") keep a filter per length in fast memory, query them all, and try only the lengths that
//! may match, the longest first.
//!
//! A wrong try is a false positive of a longer length, so the tries are at most 1 + Σfᵢ on average,
//! whatever the length of addresses. Here every filter has the same rate, so that the sum is as
//! chosen.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::longest_prefix::{PrefixTable, expected_probes};
//!
//! let routes = [(0x0A00_0000u32, 8, "ten"), (0x0A01_0000, 16, "ten one")];
//! let table = PrefixTable::build(routes, 0.25, Seed::FIXED)?;
//! assert_eq!(table.lookup(0x0A01_0203).value, Some("ten one"));
//! assert_eq!(table.lookup(0x0A02_0304).value, Some("ten"));
//! assert_eq!(table.lookup(0x0B00_0000).value, None);
//! assert!(expected_probes(&table.rates()) <= 1.25);
//! # Ok::<(), anther_uses::longest_prefix::RouteError>(())
//! ```
//!
//! **When it breaks.** In software the filters of all lengths cost more than the reads that they
//! save, unless the tables are far away: in hardware all are queried at once. Routing tables are
//! public, so with a fixed seed a stranger can choose addresses that cost many tries; take
//! [`Seed::keyed`]. A route that goes away needs a filter that can remove keys.

use anther::{Blocked, Key, Kind, Options, Seed, SizeError, Target};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use thiserror::Error;

/// The tries that a lookup takes at most on average, where the filters have these rates.
pub fn expected_probes(rates: &[f64]) -> f64 {
    1.0 + rates.iter().sum::<f64>()
}

/// An address: `u32` for IPv4, `u128` for IPv6.
pub trait Address: Copy + Ord + Hash + Key {
    /// How many bits it has.
    const BITS: u8;
    /// An address from a number, if it fits.
    fn from_number(number: u128) -> Option<Self>;
    /// Its first bits; the others are 0.
    fn prefix(self, length: u8) -> Self;
    /// Its first bits, and after them those of a number.
    fn filled(self, length: u8, rest: u128) -> Option<Self>;
    /// One of its bits, 0 or 1, counted from the first.
    fn bit(self, at: u8) -> usize;
}

macro_rules! addresses {
    ($($type:ty, $bits:literal;)*) => {$(
        impl Address for $type {
            const BITS: u8 = $bits;

            fn from_number(number: u128) -> Option<$type> {
                number.try_into().ok()
            }

            #[inline]
            fn prefix(self, length: u8) -> $type {
                self & !<$type>::MAX.checked_shr(length.into()).unwrap_or(0)
            }

            fn filled(self, length: u8, rest: u128) -> Option<$type> {
                let rest = <$type>::from_number(rest)?;
                Some(self.prefix(length) | rest & !<$type>::MAX.prefix(length))
            }

            #[inline]
            fn bit(self, at: u8) -> usize {
                usize::from(self >> ($bits - 1 - at) & 1 == 1)
            }
        }
    )*};
}

addresses! {
    u32, 32;
    u128, 128;
}

/// A table of routes.
#[derive(Debug)]
pub struct PrefixTable<A, V> {
    /// Longest first.
    lengths: Vec<Length<A, V>>,
}

/// The routes of one length.
#[derive(Debug)]
struct Length<A, V> {
    length: u8,
    filter: Blocked,
    rate: f64,
    routes: HashMap<A, V>,
}

/// What a lookup found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<V> {
    /// The value of the longest prefix.
    pub value: Option<V>,
    /// Its length; 0 without a match.
    pub length: u8,
    /// Tries: lookups in hash tables.
    pub probes: u32,
}

/// Why a table cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RouteError {
    /// A prefix that is longer than an address.
    #[error("a prefix of {got} bits is too long; an address has {most}")]
    Length {
        /// The prefix's length.
        got: u8,
        /// An address's.
        most: u8,
    },
    /// Bits after the prefix.
    #[error("a prefix of {length} bits has bits after them; set these to 0")]
    Bits {
        /// The prefix's length.
        length: u8,
    },
    /// The filter of a length could not be made.
    #[error(transparent)]
    Size(#[from] SizeError),
}

impl<A: Address, V: Copy> PrefixTable<A, V> {
    /// A table of prefixes, lengths and values. `extra` is the sum of the filters' rates: the tries
    /// above one.
    pub fn build(
        routes: impl IntoIterator<Item = (A, u8, V)>,
        extra: f64,
        seed: Seed,
    ) -> Result<Self, RouteError> {
        let mut by_length: BTreeMap<u8, HashMap<A, V>> = BTreeMap::new();
        for (prefix, length, value) in routes {
            if length > A::BITS {
                return Err(RouteError::Length { got: length, most: A::BITS });
            }
            if prefix.prefix(length) != prefix {
                return Err(RouteError::Bits { length });
            }
            by_length.entry(length).or_default().insert(prefix, value);
        }
        let rate = extra / by_length.len().max(1) as f64;
        let make = |(length, routes): (u8, HashMap<A, V>)| {
            let target = Target::new(routes.len() as u64, rate).map_err(SizeError::from)?;
            let mut filter = Blocked::with_seed(target, seed)?;
            for prefix in routes.keys() {
                filter.insert(prefix);
            }
            let rate = Kind::Blocked.plan(target, &Options::default())?.fpr;
            Ok(Length { length, filter, rate, routes })
        };
        let lengths = by_length.into_iter().rev().map(make).collect::<Result<_, RouteError>>()?;
        Ok(PrefixTable { lengths })
    }

    /// The value of the longest prefix of an address.
    pub fn lookup(&self, address: A) -> Found<V> {
        let mut probes = 0;
        for Length { length, filter, routes, .. } in &self.lengths {
            let prefix = address.prefix(*length);
            if filter.contains(prefix) {
                probes += 1;
                if let Some(value) = routes.get(&prefix) {
                    return Found { value: Some(*value), length: *length, probes };
                }
            }
        }
        Found { value: None, length: 0, probes }
    }

    /// The false-positive rate of the filter of each length, by its formula, longest first.
    pub fn rates(&self) -> Vec<f64> {
        self.lengths.iter().map(|length| length.rate).collect()
    }

    /// The lengths, longest first, each with the number of its prefixes and the bits of its filter.
    pub fn lengths(&self) -> impl Iterator<Item = (u8, usize, u64)> {
        let line = |one: &Length<A, V>| (one.length, one.routes.len(), one.filter.profile().bits);
        self.lengths.iter().map(line)
    }
}

/// The fewest prefixes that make up a range of numbers, which have `bits` bits each.
pub fn range_prefixes(first: u128, last: u128, bits: u8) -> Vec<(u128, u8)> {
    let (mut prefixes, mut next) = (Vec::new(), Some(first));
    while let Some(start) = next.filter(|start| *start <= last) {
        // The largest block that begins here and ends in the range.
        let aligned = start.trailing_zeros().min(bits.into());
        let fits = (last - start).checked_add(1).map_or(128, u128::ilog2);
        let size = u8::try_from(aligned.min(fits)).unwrap_or(bits).min(bits);
        prefixes.push((start, bits - size));
        next = 1u128.checked_shl(size.into()).and_then(|size| start.checked_add(size));
    }
    prefixes
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::KeyHash;

    #[test]
    fn ranges_become_the_fewest_prefixes() {
        assert_eq!(range_prefixes(0, 255, 32), [(0, 24)]);
        assert_eq!(range_prefixes(1, 6, 32), [(1, 32), (2, 31), (4, 31), (6, 32)]);
        assert_eq!(range_prefixes(0, u32::MAX.into(), 32), [(0, 0)]);
        assert_eq!(range_prefixes(0, u128::MAX, 128), [(0, 0)]);
        assert_eq!(range_prefixes(u128::MAX, u128::MAX, 128), [(u128::MAX, 128)]);
        assert_eq!(range_prefixes(5, 4, 32), []);
    }

    #[test]
    fn it_agrees_with_trying_every_route() {
        let draw = |number| KeyHash(number).again(0).0;
        let routes: Vec<(u128, u8, u64)> = (0..400)
            .map(|number| {
                let length = u8::try_from(draw(number) % 129).unwrap();
                // Few first bits, so that prefixes are nested.
                let address = u128::from(draw(number + 1000)) << 64 | u128::from(draw(number));
                ((address >> 125 << 125 | address & 0xFF).prefix(length), length, number)
            })
            .collect();
        for extra in [0.01, 5.0] {
            let table = PrefixTable::build(routes.iter().copied(), extra, Seed::FIXED).unwrap();
            for number in 0..2000 {
                let (near, _, _) = routes[number % routes.len()];
                let address = near ^ u128::from(draw(number as u64) % 4);
                let fits =
                    routes.iter().filter(|(prefix, length, _)| address.prefix(*length) == *prefix);
                let best = fits.max_by_key(|(_, length, number)| (*length, *number));
                assert_eq!(table.lookup(address).value, best.map(|(_, _, number)| *number));
            }
        }
    }

    #[test]
    fn wrong_prefixes_are_errors() {
        let build = |prefix, length| PrefixTable::build([(prefix, length, ())], 0.1, Seed::FIXED);
        assert!(matches!(build(0u32, 33), Err(RouteError::Length { got: 33, most: 32 })));
        assert!(matches!(build(1u32, 31), Err(RouteError::Bits { length: 31 })));
        assert!(matches!(
            PrefixTable::build([(0u32, 8, ())], 1.5, Seed::FIXED),
            Err(RouteError::Size(_))
        ));
        let empty = PrefixTable::<u32, ()>::build([], 0.1, Seed::FIXED).unwrap();
        assert_eq!(empty.lookup(7), Found { value: None, length: 0, probes: 0 });
    }
}
