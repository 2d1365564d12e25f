//! Packet loops: each packet carries a small filter of the nodes that it has passed.
//!
//! Two routers that believe the other is nearer to the destination send a packet back and forth
//! until its time to live is over. Whitaker and Wetherall (2002, "Forwarding without loops in
//! Icarus") put a filter into the header. A node that finds itself in it has seen the packet before:
//! a loop, found after one round of it and not after 64 hops or 255.
//!
//! A node may also find itself by chance, and drops a packet that does not loop. With i nodes in the
//! filter that happens with the false-positive rate fᵢ, so over H hops with about 1-Π(1-fᵢ), i<H: not
//! quite, since a packet that goes on has a new bit of every node. [`false_loop`] follows the number
//! of ones from hop to hop: 256 bits and 5 probes give 0.006 % over 8 hops, 0.36 % over 16, 12.89 %
//! over 32 (the product gives 12.81 %, and 12.65 % with the textbook's rate). Longer ways need more
//! bits. A loop is never missed.
//!
//! Only the node itself looks for itself, so each may hash with a key of its own. Then nobody can
//! write its bits into a packet to have it dropped there. A nonce of the packet is hashed with the
//! node, so that a false loop hits one packet and not every packet of a route.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::packet_loops::{Node, Trail, false_loop};
//!
//! let nodes: Vec<Node> = (0..8).map(|id| Node::new(id, 5, Seed::keyed([id as u8; 16]))).collect();
//! let mut trail = Trail::new(42, 256)?;
//! assert!(nodes.iter().all(|node| node.pass(&mut trail)), "eight hops");
//! assert!(!nodes[3].pass(&mut trail), "been there");
//! assert!(false_loop(256, 5, 8) < 1.1e-4);
//! # Ok::<(), anther::OutOfMemory>(())
//! ```

use anther::parts::bits::Bits;
use anther::parts::probes::Spread;
use anther::{Key, OutOfMemory, Seed};

/// The filter in a packet: the bits of a classic one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// Drawn by the sender, for each packet.
    pub nonce: u64,
    bits: Bits,
}

impl Trail {
    /// The filter of a packet that was nowhere yet.
    pub fn new(nonce: u64, bits: u64) -> Result<Trail, OutOfMemory> {
        Ok(Trail { nonce, bits: Bits::zeroed(bits.max(1))? })
    }

    /// As it is in the packet: the nonce, then the bits in whole words.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = [self.nonce].into_iter().chain(self.bits.words().iter().copied());
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// The filter at the start of a packet, which has this many bits; `None` if the packet is too short.
    pub fn from_bytes(bytes: &[u8], bits: u64) -> Option<Trail> {
        let (words, _) = bytes.as_chunks::<8>();
        let (nonce, words) = words.split_first()?;
        if (words.len() as u64) < bits.div_ceil(64) {
            return None;
        }
        let mut trail = Trail::new(u64::from_le_bytes(*nonce), bits).ok()?;
        for bit in 0..trail.bits.len() {
            let word = words.get(usize::try_from(bit / 64).ok()?)?;
            if u64::from_le_bytes(*word) >> (bit % 64) & 1 == 1 {
                trail.bits.set(bit);
            }
        }
        Some(trail)
    }
}

/// A node that packets pass.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    id: u64,
    probes: u32,
    seed: Seed,
}

impl Node {
    /// A node with its number and its seed. The key of [`Seed::keyed`] need not be known to others.
    pub fn new(id: u64, probes: u32, seed: Seed) -> Node {
        Node { id, probes: probes.clamp(1, Spread::MAX_PROBES), seed }
    }

    /// Lets a packet pass, and writes the node into it. Returns false if the packet was here
    /// before: drop it.
    pub fn pass(&self, trail: &mut Trail) -> bool {
        let probes = Spread::new(trail.bits.len(), self.probes);
        let hash = (trail.nonce, self.id).key_hash(&self.seed);
        let mut new = false;
        probes.each(hash, |bit| new |= trail.bits.set(bit));
        new
    }
}

/// The share of packets that are dropped although they do not loop, over a path of `hops` hops.
pub fn false_loop(bits: u64, probes: u32, hops: u64) -> f64 {
    false_loops(bits, probes, 0).take(usize::try_from(hops).unwrap_or(usize::MAX)).sum()
}

/// The share of packets that are dropped at the first, second, … router although they do not loop, if
/// this many others were written into them before.
///
/// It follows how many bits are 1 in the packets that are left, with independent probes.
pub fn false_loops(bits: u64, probes: u32, before: u64) -> impl Iterator<Item = f64> {
    let bits = bits.max(1) as f64;
    // The share of packets with 0, 1, … ones.
    let mut left = vec![1.0];
    (0..before).for_each(|_| left = added(bits, probes, &left));
    std::iter::repeat_with(move || {
        let mut next = added(bits, probes, &left);
        let mut sum = 0.0;
        for (ones, share) in left.iter().enumerate() {
            let dropped = share * (ones as f64 / bits).powi(probes.cast_signed());
            next[ones] -= dropped;
            sum += dropped;
        }
        left = std::mem::take(&mut next);
        sum
    })
}

/// The shares after another router has set its bits.
fn added(bits: f64, probes: u32, left: &[f64]) -> Vec<f64> {
    let mut shares = left.to_vec();
    shares.resize(left.len() + probes as usize, 0.0);
    for _ in 0..probes {
        for ones in (0..shares.len()).rev() {
            let from = if ones > 0 { shares[ones - 1] * (bits - (ones - 1) as f64) } else { 0.0 };
            shares[ones] = (shares[ones] * ones as f64 + from.max(0.0)) / bits;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::sizing::bloom;

    #[test]
    fn the_formula_gives_the_published_numbers() {
        for (hops, textbook, product) in
            [(8, "0.0001", "0.0001"), (16, "0.0035", "0.0036"), (32, "0.1265", "0.1281")]
        {
            let dropped = |rate: fn(u64, u64, u32) -> f64| {
                1.0 - (0..hops).map(|passed| 1.0 - rate(256, passed, 5)).product::<f64>()
            };
            assert_eq!(format!("{:.4}", dropped(bloom::standard)), textbook);
            assert_eq!(format!("{:.4}", dropped(bloom::rate)), product);
            let difference = dropped(bloom::rate) - false_loop(256, 5, hops);
            assert!(difference.abs() < 0.001, "{difference}");
        }
        assert_eq!(format!("{:.4}", false_loop(256, 5, 32)), "0.1289");
        assert_eq!(false_loop(256, 5, 1), 0.0);
    }

    #[test]
    fn few_bits_can_be_computed_by_hand() {
        // One probe of two bits: the second router has the first one's bit with 1/2, and the third
        // finds both set, if the packet gets there.
        let drops: Vec<f64> = false_loops(2, 1, 0).take(4).collect();
        assert_eq!(drops, [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(false_loops(2, 1, 1).take(2).sum::<f64>(), 1.0);
        // The first router's rate is that of a filter with the others.
        let first: f64 = false_loops(256, 5, 9).take(1).sum();
        assert!((first - bloom::exact(256, 9, 5)).abs() < 1e-12, "{first}");
    }

    #[test]
    fn a_loop_is_never_missed() {
        let node = |id: u64| Node::new(id, 5, Seed::keyed([7; 16]));
        for nonce in 0..1000 {
            let mut trail = Trail::new(nonce, 256).unwrap();
            assert!(node(0).pass(&mut trail), "the first hop has no false loop");
            (1..20).for_each(|id| {
                node(id).pass(&mut trail);
            });
            assert!((0..20).all(|id| !node(id).pass(&mut trail)));
        }
    }

    #[test]
    fn a_packet_keeps_its_trail() {
        for bits in [1, 64, 100, 256] {
            let mut trail = Trail::new(9, bits).unwrap();
            (0..9).for_each(|id| {
                Node::new(id, 3, Seed::FIXED).pass(&mut trail);
            });
            let bytes = trail.to_bytes();
            assert_eq!(Trail::from_bytes(&bytes, bits), Some(trail));
            assert_eq!(Trail::from_bytes(&bytes[1..], bits), None, "too short");
        }
        assert_eq!(Trail::from_bytes(&[], 256), None);
    }
}
