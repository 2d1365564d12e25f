//! Queue management: a counting filter finds the flows that take more than their share.
//!
//! Flows share a queue. Those that slow down when packets are lost get less and less of it beside
//! one that does not. A queue per flow would be fair, but needs memory per flow. Feng, Kandlur, Saha
//! and Shin (2001, "Stochastic Fair Blue") count instead the packets of each flow that are in the
//! queue, in a counting filter: the least of a flow's counters is never below the truth
//! ([`FairQueue::estimate`]).
//!
//! Each counter also has a chance to drop, after Blue: it rises while the counter is high, and
//! falls while it is 0. A packet is dropped with the least chance of its counters. So the chance of a
//! flow that does not slow down rises until its packets pass at its share; flows that slow down
//! hardly notice. Linux has it as `sch_sfb`, whose rule this follows.
//!
//! A flow all of whose counters are those of u unresponsive ones is taken for one of them, with the
//! false-positive rate of a filter of u keys ([`mistaken`]): 0.9 % of flows beside 20 unresponsive
//! ones, with 256 counters and 3 probes.
//!
//! It breaks if an attacker knows the hash: three flows of its choice have all counters of a victim.
//! So the filter is keyed.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::fair_queue::{FairQueue, Limits, mistaken};
//!
//! let mut queue = FairQueue::new(Limits::default(), 256, 3, Seed::keyed([9; 16]))?;
//! // A flow sends two packets for each that leaves; another sends one in a while.
//! for packet in 0..10_000 {
//!     queue.push("greedy", packet);
//!     queue.push("greedy", packet);
//!     if packet % 100 == 0 {
//!         queue.push("modest", packet);
//!     }
//!     queue.pop();
//! }
//! assert!(queue.chance("greedy") > 0.4 && queue.chance("modest") < 0.1);
//! assert!(queue.estimate("greedy") <= 9 && mistaken(256, 3, 20) < 0.01);
//! # Ok::<(), anther::SizeError>(())
//! ```

use anther::sizing::bloom;
use anther::{Count, Counting, Filter, Insert, Inspect, Key, KeyHash, Remove, Seed, SizeError};
use std::collections::VecDeque;

/// When packets are dropped.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Packets in the queue, at most.
    pub capacity: usize,
    /// Packets of one flow in the queue, at most.
    pub most: u64,
    /// Packets above which a counter's chance to drop rises.
    pub high: u64,
    /// By how much it rises with each packet that arrives.
    pub rise: f64,
    /// By how much it falls with each packet that arrives while the counter is 0.
    pub fall: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { capacity: 300, most: 8, high: 5, rise: 0.01, fall: 0.001 }
    }
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is in the queue.
    Queued,
    /// Dropped by chance.
    Early,
    /// Dropped, since its flow has its share of the queue.
    OverShare,
    /// Dropped, since the queue is full.
    Full,
}

/// A bounded queue that is fair to flows, in fixed memory.
#[derive(Clone, Debug)]
pub struct FairQueue<P> {
    limits: Limits,
    packets: VecDeque<(KeyHash, P)>,
    /// The packets of each flow in the queue.
    flows: Counting,
    /// Blue's chance to drop, of each counter.
    chances: Vec<f64>,
    draws: u64,
}

impl<P> FairQueue<P> {
    /// An empty queue, with this number of counters, and of probes per flow.
    pub fn new(
        limits: Limits,
        cells: u32,
        probes: u32,
        seed: Seed,
    ) -> Result<FairQueue<P>, SizeError> {
        // A counter gets at most `probes` per packet, and must not reach its largest value.
        let flows = Counting::with_cells(cells.into(), probes, 32, seed)?;
        let chances = vec![0.0; cells as usize];
        Ok(FairQueue { limits, packets: VecDeque::new(), flows, chances, draws: 0 })
    }

    /// Queues a packet of a flow, or drops it.
    pub fn push(&mut self, flow: impl Key, packet: P) -> Fate {
        let flow = flow.key_hash(self.flows.seed());
        self.adapt(flow);
        let (chance, queued) = (self.chance_of(flow), self.flows.count_hash(flow));
        if self.packets.len() >= self.limits.capacity {
            return Fate::Full;
        }
        if queued >= self.limits.most {
            return Fate::OverShare;
        }
        // Where nothing helps, one packet at a time passes.
        let dropped = if chance >= 1.0 { queued > 0 } else { self.draw() < chance };
        if dropped {
            return Fate::Early;
        }
        match self.flows.insert_hash(flow) {
            Ok(_) => self.packets.push_back((flow, packet)),
            Err(_) => return Fate::Full,
        }
        Fate::Queued
    }

    /// The packet that is next.
    pub fn pop(&mut self) -> Option<P> {
        let (flow, packet) = self.packets.pop_front()?;
        // It was inserted, so it is there; counters of 32 bits do not get stuck.
        let _ = self.flows.remove_hash(flow);
        Some(packet)
    }

    /// How many packets of a flow are in the queue: never too low.
    pub fn estimate(&self, flow: impl Key) -> u64 {
        self.flows.count_hash(flow.key_hash(self.flows.seed()))
    }

    /// The chance that the next packet of a flow is dropped early. High for unresponsive flows.
    pub fn chance(&self, flow: impl Key) -> f64 {
        self.chance_of(flow.key_hash(self.flows.seed()))
    }

    /// Packets in the queue.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there is no packet in the queue.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    fn chance_of(&self, flow: KeyHash) -> f64 {
        self.cells(flow).map(|cell| self.chances[cell]).fold(1.0, f64::min)
    }

    fn cells(&self, flow: KeyHash) -> impl Iterator<Item = usize> + use<P> {
        let touches = self.flows.touches(flow).into_iter();
        touches.map(|touch| usize::try_from(touch.cell).unwrap_or(0))
    }

    /// Blue: the chances of a flow's counters follow their height.
    fn adapt(&mut self, flow: KeyHash) {
        let Limits { high, rise, fall, .. } = self.limits;
        let change = match self.flows.rows().first() {
            Some(row) => self.cells(flow).map(|cell| (cell, row.cells.get(cell as u64))).collect(),
            None => Vec::new(),
        };
        for (cell, height) in change {
            let chance = &mut self.chances[cell];
            if height == 0 {
                *chance = (*chance - fall).max(0.0);
            } else if height >= high {
                *chance = (*chance + rise).min(1.0);
            }
        }
    }

    /// A number from 0 to 1, by chance.
    fn draw(&mut self) -> f64 {
        self.draws += 1;
        KeyHash(0).again(self.draws).0 as f64 / u64::MAX as f64
    }
}

/// The share of flows that are taken for unresponsive ones: all of their counters are those of
/// some of these.
pub fn mistaken(cells: u64, probes: u32, unresponsive: u64) -> f64 {
    bloom::rate(cells, unresponsive, probes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn estimates_are_never_below_the_truth() {
        // Few counters, so that flows share them.
        let mut queue = FairQueue::new(Limits::default(), 16, 2, Seed::FIXED).unwrap();
        let mut truth: HashMap<u64, u64> = HashMap::new();
        let mut above = 0;
        for step in 0..20_000u64 {
            let flow = KeyHash(step).again(1).0 % 40;
            if queue.push(flow, flow) == Fate::Queued {
                *truth.entry(flow).or_default() += 1;
            }
            if step % 3 > 0
                && let Some(flow) = queue.pop()
            {
                truth.entry(flow).and_modify(|packets| *packets -= 1);
            }
            for (flow, packets) in &truth {
                let estimate = queue.estimate(flow);
                assert!(estimate >= *packets, "{flow}");
                above += u64::from(estimate > *packets);
            }
        }
        assert!(above > 0, "otherwise this test shows nothing");
    }

    #[test]
    fn limits_hold() {
        let limits = Limits { capacity: 10, most: 3, ..Limits::default() };
        let mut queue = FairQueue::new(limits, 64, 3, Seed::FIXED).unwrap();
        let fates: Vec<Fate> = (0..4).map(|packet| queue.push("one", packet)).collect();
        assert_eq!(fates, [Fate::Queued, Fate::Queued, Fate::Queued, Fate::OverShare]);
        (0..7u32).for_each(|flow| assert_eq!(queue.push(flow, 0), Fate::Queued));
        assert_eq!((queue.push("more", 0), queue.len()), (Fate::Full, 10));
        while queue.pop().is_some() {}
        assert!(queue.is_empty() && queue.estimate("one") == 0);
        assert_eq!(format!("{:.4}", mistaken(256, 3, 20)), "0.0092");
    }
}
