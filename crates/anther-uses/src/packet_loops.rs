//! Packet loops: each packet carries a small filter of the nodes that it has passed.
//!
//! Two routers that believe the other is nearer to the destination send a packet back and forth
//! until its time to live is over. Whitaker and Wetherall (2002, "Forwarding without loops in
//! Icarus") put a filter into the header. A node that finds itself in it has seen the packet before:
//! a loop, found after one round of it and not after 64 hops or 255.
//!
//! A node may also find itself by chance, and drops a packet that does not loop. With i nodes in the
//! filter that happens with the false-positive rate fᵢ, so over H hops with 1-Π(1-fᵢ), i<H
//! ([`false_loop`]): 256 bits and 5 probes give 0.006 % over 8 hops, 0.36 % over 16, 12.8 % over 32
//! (12.65 % with the textbook's rate, which is a little too low). Longer ways need more bits. A loop
//! is never missed.
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
use anther::sizing::bloom;
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

    /// The filter of so many bits at the start of a packet; `None` if the packet is too short.
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

/// 1-Π(1-fᵢ), i<hops: the share of packets that are dropped although they do not loop.
pub fn false_loop(bits: u64, probes: u32, hops: u64) -> f64 {
    1.0 - (0..hops).map(|passed| 1.0 - bloom::rate(bits, passed, probes)).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_gives_the_published_numbers() {
        for (hops, textbook, exact) in
            [(8, "0.0001", "0.0001"), (16, "0.0035", "0.0036"), (32, "0.1265", "0.1281")]
        {
            let kept = (0..hops).map(|passed| 1.0 - bloom::standard(256, passed, 5));
            assert_eq!(format!("{:.4}", 1.0 - kept.product::<f64>()), textbook);
            assert_eq!(format!("{:.4}", false_loop(256, 5, hops)), exact);
        }
        assert_eq!(false_loop(256, 5, 1), 0.0);
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
