//! What is true about an overlay: its links, distances, and whose objects a filter has.

use crate::demo::draw;
use anther::sizing::bloom;
use std::collections::VecDeque;

/// Filters of one run.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) bits: u64,
    pub(super) probes: u32,
    pub(super) depth: usize,
    pub(super) keyed: bool,
}

/// Nodes whose objects are in a filter: a bit each.
type Nodes = u64;

/// The neighbours of each node.
pub(super) struct Map(pub(super) Vec<Vec<usize>>);

impl Map {
    /// A ring, and a chord from each node to another one by chance.
    pub(super) fn new(nodes: usize) -> Map {
        let mut order: Vec<usize> = (0..nodes).collect();
        order.sort_by_key(|node| draw(1 << 40 | *node as u64));
        let mut links: Vec<Vec<usize>> =
            (0..nodes).map(|node| vec![(node + nodes - 1) % nodes, (node + 1) % nodes]).collect();
        for pair in order.chunks_exact(2) {
            if !links[pair[0]].contains(&pair[1]) {
                links[pair[0]].push(pair[1]);
                links[pair[1]].push(pair[0]);
            }
        }
        Map(links)
    }

    /// Hops from one node to another.
    pub(super) fn distance(&self, from: usize, to: usize) -> usize {
        let mut distances = vec![usize::MAX; self.0.len()];
        distances[from] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for peer in &self.0[node] {
                if distances[*peer] == usize::MAX {
                    distances[*peer] = distances[node] + 1;
                    queue.push_back(*peer);
                }
            }
        }
        distances[to]
    }

    /// Whose objects are in each filter.
    pub(super) fn truth(&self, sizes: Sizes, objects: usize) -> Truth {
        let first = |peers: &Vec<usize>| peers.iter().map(|peer| vec![1 << peer]).collect();
        let mut levels: Vec<Vec<Vec<Nodes>>> = self.0.iter().map(first).collect();
        for level in 1..sizes.depth {
            let last = levels.clone();
            for (node, peers) in self.0.iter().enumerate() {
                for (link, peer) in peers.iter().enumerate() {
                    let others = self.0[*peer].iter().zip(&last[*peer]);
                    let others = others.filter(|(other, _)| **other != node);
                    let union = others.fold(0, |union, (_, levels)| union | levels[level - 1]);
                    levels[node][link].push(union);
                }
            }
        }
        Truth { levels, sizes, objects: objects as u64 }
    }
}

/// Whose objects are in each filter.
pub(super) struct Truth {
    /// By node, link and level.
    levels: Vec<Vec<Vec<Nodes>>>,
    sizes: Sizes,
    /// Of each node.
    objects: u64,
}

impl Truth {
    /// Whether a filter has the objects of a node.
    pub(super) fn has(&self, node: usize, link: usize, level: usize, owner: usize) -> bool {
        self.levels[node][link][level] >> owner & 1 == 1
    }

    /// Level, link and false-positive rate of all filters of a node, in the order in which it looks
    /// at them.
    pub(super) fn rates(&self, node: usize) -> Vec<(usize, usize, f64)> {
        let Sizes { bits, probes, depth, .. } = self.sizes;
        let mut rates = Vec::new();
        for level in 0..depth {
            for (link, levels) in self.levels[node].iter().enumerate() {
                let objects = u64::from(levels[level].count_ones()) * self.objects;
                rates.push((level, link, bloom::rate(bits, objects, probes)));
            }
        }
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_the_depth_is_in_the_level_of_its_distance() {
        let map = Map::new(24);
        let truth = map.truth(Sizes { bits: 1, probes: 1, depth: 3, keyed: false }, 1);
        for from in 0..24 {
            for to in (0..24).filter(|to| *to != from) {
                let distance = map.distance(from, to);
                let has =
                    |level| (0..map.0[from].len()).any(|link| truth.has(from, link, level, to));
                assert!((0..3.min(distance - 1)).all(|level| !has(level)), "{from} {to}");
                assert!(distance > 3 || has(distance - 1), "{from} {to}");
            }
        }
    }
}
