//! Broadcasts in a mesh: each node forwards a message to all neighbours, once.

use crate::demo::namespace::{Network, address};
use crate::demo::{Outcome, Report};
use crate::flood_control::{Recent, over_a_period};
use anther::{Seed, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

/// Nodes in a ring. Each has a link to the next one, and to the third after it.
const NODES: usize = 12;
const DEGREE: u64 = 4;
const LINKS: u64 = NODES as u64 * DEGREE / 2;
/// Hops of a message without a filter.
const TIME_TO_LIVE: u64 = 6;
const PERIODS: u32 = 4;

/// Broadcasts messages with a filter, then without one.
pub(super) fn run(messages: u32, fpr: f64, report: &mut Report) -> Outcome {
    // One more than there are, so that no period ends early.
    let target = Target::new(u64::from(messages) + 1, fpr)?;
    let mut mesh = Mesh::new(target)?;
    let (mut most, mut asked, mut forwarded) = (0, 0, 0);
    for period in 0..PERIODS {
        for number in 0..messages {
            let message = u64::from(period * messages + number);
            let sent = mesh.broadcast(message, 0)?;
            (most, asked, forwarded) =
                (most.max(sent.packets), asked + sent.reached, forwarded + sent.forwarded);
        }
        mesh.turn()?;
    }
    let others = NODES as u64 - 1;
    report.at_most(
        format_args!("packets per broadcast to {others} nodes over {LINKS} links"),
        ((2 * LINKS - others) as f64, ": each link twice, but for the first copies"),
        most as f64,
        0,
    );
    let (bits, probes) = Recent::new(target, Seed::FIXED)?.shape();
    let (mut expected, mut previous) = (0.0, 0.0);
    for _ in 0..PERIODS {
        let (drop, kept) = over_a_period(bits, probes, messages.into(), previous);
        (expected, previous) = (expected + drop / f64::from(PERIODS), kept);
    }
    let claim = "nodes that take a new message for an old one";
    report.share(claim, expected, asked - forwarded, asked);

    // Each packet becomes three, but for the one it came by.
    let walks = DEGREE * ((DEGREE - 1).pow(6) - 1) / (DEGREE - 2);
    let Sent { packets, .. } = mesh.broadcast(u64::MAX, TIME_TO_LIVE)?;
    report.claim(
        format_args!("packets of one broadcast without a filter, until {TIME_TO_LIVE} hops"),
        walks,
        packets,
        packets == walks,
    );
    Ok(())
}

/// What became of a broadcast.
struct Sent {
    packets: u64,
    /// Nodes that a copy reached, and those that took it for new and forwarded it.
    reached: usize,
    forwarded: usize,
}

struct Mesh {
    network: Network,
    /// The process of each node, its links: own address, neighbour.
    nodes: Vec<(usize, Vec<(Ipv4Addr, usize)>)>,
}

impl Mesh {
    fn new(target: Target) -> Result<Mesh, Box<dyn Error>> {
        let steps = [1, 3].into_iter();
        let pairs = |step: usize| (0..NODES).map(move |node| (node, (node + step) % NODES));
        let links: Vec<(usize, usize)> = steps.flat_map(pairs).collect();
        let mut network = Network::new(NODES, &links)?;
        let mut nodes = Vec::new();
        for node in 0..NODES {
            let mut arguments =
                vec![node.to_string(), target.items().to_string(), target.fpr().to_string()];
            let mut around = Vec::new();
            for (link, (first, second)) in links.iter().enumerate() {
                if node == *first || node == *second {
                    let is_first = node == *first;
                    arguments.push(address(link, is_first).to_string());
                    around
                        .push((address(link, !is_first), if is_first { *second } else { *first }));
                }
            }
            nodes.push((network.start(node, "flood-mesh", &arguments)?, around));
        }
        Ok(Mesh { network, nodes })
    }

    /// Broadcasts a message, and waits for its last packet.
    fn broadcast(&mut self, message: u64, live: u64) -> Result<Sent, Box<dyn Error>> {
        let origin = usize::try_from(message % NODES as u64)?;
        self.network.tell(self.nodes[origin].0, format!("{message} {live}"))?;
        // Packets sent less packets received, for each way from a node to another. Lines of different
        // processes come in any order, so that a packet may be received before it is sent.
        let mut ways: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for (_, neighbour) in &self.nodes[origin].1 {
            ways.insert((origin, *neighbour), 1);
        }
        let (mut packets, mut forwarded, mut reached) = (0, 0, BTreeSet::new());
        while !ways.is_empty() {
            let (process, line) =
                self.network.hear(Duration::from_secs(5)).ok_or("packets were lost")?;
            let unknown = || format!("a node said {line:?}");
            let (forwards, from) = line.split_once(' ').ok_or_else(unknown)?;
            let from: Ipv4Addr = from.parse()?;
            let all = self.nodes.iter();
            let node = all.clone().position(|(of, _)| *of == process).ok_or_else(unknown)?;
            let has = |(_, around): &(usize, Vec<_>)| around.iter().any(|(own, _)| *own == from);
            let from = all.clone().position(has).ok_or_else(unknown)?;
            *ways.entry((from, node)).or_default() -= 1;
            packets += 1;
            reached.insert(node);
            if forwards == "1" {
                forwarded += 1;
                for (_, next) in self.nodes[node].1.iter().filter(|(_, next)| *next != from) {
                    *ways.entry((node, *next)).or_default() += 1;
                }
            }
            ways.retain(|_, packets| *packets != 0);
        }
        reached.remove(&origin);
        Ok(Sent { packets, reached: reached.len(), forwarded })
    }

    fn turn(&mut self) -> Outcome {
        for (process, _) in &self.nodes {
            self.network.tell(*process, "turn")?;
            self.network.hear(Duration::from_secs(5)).ok_or("a node did not turn")?;
        }
        Ok(())
    }
}
