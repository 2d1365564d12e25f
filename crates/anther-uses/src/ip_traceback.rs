//! IP traceback: each packet carries a filter of the routers that it passed, which its sender
//! cannot forge.
//!
//! The source address of an attack is forged. Laufer, Velloso, Cunha, Moraes, Bicudo and Duarte
//! (2007, "Towards stateless single-packet IP traceback") let each router write itself into a
//! filter in the packet. The victim walks back: it looks up the neighbours of its own router in the
//! filter, then the neighbours of those that are found, and so on to the source. Routers store
//! nothing, and one packet is enough.
//!
//! The sender chooses the bits that the packet starts with. All ones, and a classic filter shows
//! every router of the world. So the filter is a generalized one: a router clears k₀ bits and sets
//! k₁, and whatever the start, at most (k₀/(k₀+k₁))^k₀·(k₁/(k₀+k₁))^k₁ of other routers are found by
//! mistake: 6.3 % with 304 bits, 2 and 2 ([`Rule::published_bound`]; positions that coincide make it
//! 6.5 %, [`Rule::worst_rate`]).
//!
//! The price: later routers overwrite the bits of earlier ones. The router with t others behind it
//! is missed with [`Rule::misses`], 2.6 % for t=1, 12 % for t=5, so the walk ends too early in a
//! part of the packets ([`reaches`]). A nonce is hashed with the router, so that errors differ from
//! packet to packet, and a few packets of the same attack outvote them.
//!
//! It breaks where the sender knows the hash: it writes routers of its choice into the packet, and
//! they survive like others. So routers and victims share a secret key ([`Seed::keyed`]).
//!
//! ```
//! use anther::Seed;
//! use anther_uses::ip_traceback::{Mark, reaches, walk_back};
//!
//! // A chain of routers, from the attacker to the victim: 4, 3, 2, 1, 0.
//! let mut mark = Mark::forged(7, 304, 2, 2, Seed::keyed([9; 16]), |_| true)?;
//! [4, 3, 2, 1, 0].into_iter().for_each(|router| mark.pass(router));
//! let neighbours = |router: u64| [router + 1, router + 100];
//! assert!(reaches(&mark.rule(), 5) > 0.7);
//! assert!(walk_back(&[mark], 0, neighbours, 5).contains(&4));
//! # Ok::<(), anther::SizeError>(())
//! ```

use anther::sizing::binomial;
use anther::sizing::generalized::Rule;
use anther::{Generalized, Inspect, Seed, SizeError};
use std::collections::BTreeSet;

/// The filter in a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Differs from packet to packet: fields of the IP header that no router changes, or drawn by
    /// the first router.
    pub nonce: u64,
    routers: Generalized,
}

impl Mark {
    /// The filter as the sender left it: with a 1 where `is_one` says so. Routers clear `clears`
    /// bits and set `sets`.
    pub fn forged(
        nonce: u64,
        bits: u64,
        clears: u32,
        sets: u32,
        seed: Seed,
        is_one: impl Fn(u64) -> bool,
    ) -> Result<Mark, SizeError> {
        Ok(Mark { nonce, routers: Generalized::with_start(bits, clears, sets, seed, is_one)? })
    }

    /// Writes a router into the packet.
    pub fn pass(&mut self, router: u64) {
        self.routers.insert((self.nonce, router));
    }

    /// Whether the packet may have passed a router. It may also say no though it did.
    pub fn contains(&self, router: u64) -> bool {
        self.routers.contains((self.nonce, router))
    }

    /// Its bits and hash functions: what is found by mistake, and what is missed.
    pub fn rule(&self) -> Rule {
        self.routers.rule()
    }

    /// As it is in the packet: the nonce, then the bits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.nonce.to_le_bytes().to_vec();
        for row in self.routers.rows() {
            for first in (0..row.cells.cells()).step_by(8) {
                let eight = (first..row.cells.cells().min(first + 8)).rev();
                bytes.push(eight.fold(0, |byte, bit| byte << 1 | u8::from(row.cells.get(bit) > 0)));
            }
        }
        bytes
    }

    /// The filter at the start of a packet; `None` if the packet is too short.
    pub fn from_bytes(bytes: &[u8], rule: Rule, seed: Seed) -> Option<Mark> {
        let (nonce, bits) = bytes.split_first_chunk()?;
        if (bits.len() as u64) < rule.bits.div_ceil(8) {
            return None;
        }
        let byte = |bit: u64| usize::try_from(bit / 8).ok().and_then(|at| bits.get(at));
        let is_one = |bit| byte(bit).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        let nonce = u64::from_le_bytes(*nonce);
        Mark::forged(nonce, rule.bits, rule.clears, rule.sets, seed, is_one).ok()
    }
}

/// The routers that a walk back from `last`, the victim's own router, finds within `most_hops` hops:
/// those that are in more than half of the packets. One packet is enough.
pub fn walk_back<N: IntoIterator<Item = u64>>(
    marks: &[Mark],
    last: u64,
    neighbours: impl Fn(u64) -> N,
    most_hops: usize,
) -> BTreeSet<u64> {
    let passed = |router: u64| {
        let found = marks.iter().filter(|mark| mark.contains(router)).count();
        2 * found > marks.len()
    };
    let mut found = BTreeSet::from([last]);
    let mut newest = vec![last];
    for _ in 1..most_hops {
        let around = newest.iter().flat_map(|router| neighbours(*router));
        let next: BTreeSet<u64> =
            around.filter(|router| !found.contains(router) && passed(*router)).collect();
        found.extend(&next);
        newest = next.into_iter().collect();
    }
    found
}

/// Π(1-missesₜ), 0<t<hops: the share of packets of which the walk back reaches the first router of
/// `hops`. The last one is known.
pub fn reaches(rule: &Rule, hops: u64) -> f64 {
    (1..hops).map(|later| 1.0 - rule.misses(later)).product()
}

/// The probability that an error, which each packet has with the probability `alone`, is in more than
/// half of `packets` packets: what a vote makes of it.
pub fn outvotes(alone: f64, packets: u64) -> f64 {
    (packets / 2 + 1..=packets).map(|votes| binomial::exactly(votes, packets, alone)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { bits: 304, clears: 2, sets: 2 };

    fn start(nonce: u64, is_one: impl Fn(u64) -> bool) -> Mark {
        Mark::forged(nonce, RULE.bits, RULE.clears, RULE.sets, Seed::keyed([3; 16]), is_one)
            .unwrap()
    }

    #[test]
    fn the_formulas_give_the_published_numbers() {
        assert_eq!(format!("{:.4}", RULE.published_bound()), "0.0634");
        assert_eq!(format!("{:.3} {:.3}", RULE.misses(1), RULE.misses(5)), "0.026 0.122");
        assert_eq!(reaches(&RULE, 1), 1.0);
        assert!((outvotes(0.2, 3) - (3.0 * 0.04 * 0.8 + 0.008)).abs() < 1e-12);
        assert!(outvotes(RULE.misses(8), 25) < 1e-3 && outvotes(RULE.worst_rate(), 25) < 1e-8);
    }

    #[test]
    fn a_packet_keeps_its_mark() {
        for bits in [1, 8, 9, 64, 304] {
            let rule = Rule { bits, ..RULE };
            let seed = Seed::keyed([3; 16]);
            let mut mark = Mark::forged(5, bits, 2, 2, seed, |bit| bit % 3 == 0).unwrap();
            (0..4).for_each(|router| mark.pass(router));
            let bytes = mark.to_bytes();
            let again = Mark::from_bytes(&bytes, rule, seed).unwrap();
            assert_eq!((again.to_bytes(), again.contains(3)), (bytes.clone(), true));
            assert!(Mark::from_bytes(&bytes[1..], rule, seed).is_none(), "too short");
        }
    }

    /// Whatever the start, the bound holds, and the walk reaches the source as often as it should.
    #[test]
    fn starts_of_the_senders_choice() {
        for (name, one_of) in [("zeros", 0), ("ones", 1), ("half", 2)] {
            let (packets, hops) = (2000, 8);
            let (mut wrong, mut reached) = (0, 0);
            for nonce in 0..packets {
                let mut mark =
                    start(nonce, |bit| one_of == 1 || one_of == 2 && bit % 2 == nonce % 2);
                (0..hops).rev().for_each(|router| mark.pass(router));
                wrong += (1000..1100).filter(|router| mark.contains(*router)).count();
                reached += usize::from((0..hops).all(|router| mark.contains(router)));
            }
            let (wrong, n) = (wrong as f64 / (packets * 100) as f64, packets as f64);
            // Lookups in one packet are not independent; those of different packets are.
            let worst = RULE.worst_rate();
            assert!(wrong < worst + 5.0 * (worst / n).sqrt(), "{name}: {wrong}");
            let (share, expected) = (reached as f64 / n, reaches(&RULE, hops));
            let bound = 5.0 * (expected * (1.0 - expected) / n).sqrt() + 0.03;
            assert!((share - expected).abs() < bound, "{name}: {share} {expected}");
        }
    }
}
