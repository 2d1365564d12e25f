//! Routing among peers by attenuated filters: which neighbour leads to an object, and how far it is.
//!
//! Peers without a directory flood their queries, or ask a deterministic structure that takes many
//! hops even for what is next door. Rhea and Kubiatowicz (2002, "Probabilistic location and
//! routing") put attenuated filters before it: a node has, per link, d filters; level i has the
//! objects i hops beyond that link. A query follows the link with the shallowest match. What a node
//! tells a neighbour is its own objects, and below them the union of what its other neighbours have
//! told, one level deeper.
//!
//! An object within d hops is always found: its level on the way to it matches. Deeper levels hold
//! more objects, so that their rate is higher: of m bits with k probes it is that of Σ objects i
//! hops away. The first turn is wrong with 1-Π(1-fᵢ), over all levels and links that come before
//! the right one. After a right turn only a tie can lead astray: the neighbour's levels are within
//! the level that the node before it looked at, so what was absent there is absent here.
//!
//! Whoever knows the hash function names objects that match everywhere, and sends queries for them
//! around. Peers that trust each other share a secret key; open networks have none to share.
//!
//! ```
//! use anther::Seed;
//! use anther_uses::peer_routing::{Router, Shape};
//!
//! // A line of three: left, here, right.
//! let shape = Shape { depth: 2, bits: 1024, probes: 4, seed: Seed::FIXED };
//! let [mut left, mut here, mut right] = [1, 2, 1].map(|links| Router::new(shape, links).unwrap());
//! right.insert("song");
//! here.receive(1, right.advertise(0)?)?;
//! left.receive(0, here.advertise(0)?)?;
//! assert_eq!(left.candidates("song"), [(1, 0)], "two hops away: level 1 of link 0");
//! assert_eq!(here.candidates("song"), [(0, 1)], "the neighbour on link 1 has it");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anther::{Classic, Key, Mismatch, Seed, SizeError};

/// The filters of one overlay: all nodes have the same.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Filters per link.
    pub depth: usize,
    /// Bits of each filter.
    pub bits: u64,
    /// Probes per object.
    pub probes: u32,
    /// The hash function.
    pub seed: Seed,
}

/// Filters of objects by distance: those of the neighbour first.
pub type Attenuated = Vec<Classic>;

/// What a node knows: its objects, and where others are.
#[derive(Clone, Debug)]
pub struct Router {
    own: Classic,
    /// No object, for levels that lead nowhere.
    empty: Classic,
    links: Vec<Attenuated>,
}

/// Why a neighbour's filters are not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiveError {
    /// A link that the node does not have.
    #[error("there is no link {0}")]
    Link(usize),
    /// Another number of levels.
    #[error("{got} levels came instead of {expected}; use one depth in the whole overlay")]
    Depth {
        /// Levels of this node.
        expected: usize,
        /// Levels that came.
        got: usize,
    },
    /// Levels of another size.
    #[error("a level has {got} bits instead of {expected}; use one size in the whole overlay")]
    Size {
        /// Bits here.
        expected: u64,
        /// Bits that came.
        got: u64,
    },
    /// Levels with other probes or another hash function.
    #[error(transparent)]
    Other(#[from] Mismatch),
}

impl Router {
    /// A node with this many links, and without objects.
    pub fn new(shape: Shape, links: usize) -> Result<Router, SizeError> {
        let size = anther::Shape::bits(shape.bits).probes(shape.probes);
        let empty = Classic::with_shape(size, shape.seed)?;
        let links = vec![vec![empty.clone(); shape.depth]; links];
        Ok(Router { own: empty.clone(), empty, links })
    }

    /// An object is here from now on. Others learn it with the next advertisements.
    pub fn insert(&mut self, object: impl Key) {
        self.own.insert(object);
    }

    /// What to tell the neighbour on a link: the own objects, then the levels of all other links,
    /// each one deeper.
    pub fn advertise(&self, link: usize) -> Result<Attenuated, Mismatch> {
        let depth = self.links.first().map_or(0, Vec::len);
        let mut levels = vec![self.own.clone(); depth.min(1)];
        for level in 1..depth {
            let mut union = self.empty.clone();
            for (_, filters) in self.links.iter().enumerate().filter(|(other, _)| *other != link) {
                union.merge(&filters[level - 1])?;
            }
            levels.push(union);
        }
        Ok(levels)
    }

    /// Takes what the neighbour on a link has told.
    pub fn receive(&mut self, link: usize, levels: Attenuated) -> Result<(), ReceiveError> {
        let mine = self.links.get_mut(link).ok_or(ReceiveError::Link(link))?;
        if mine.len() != levels.len() {
            return Err(ReceiveError::Depth { expected: mine.len(), got: levels.len() });
        }
        for level in &levels {
            let [expected, got] = [&self.empty, level].map(|filter| filter.profile().bits);
            if expected != got {
                return Err(ReceiveError::Size { expected, got });
            }
            // Checks the number of probes and the hash function.
            self.empty.clone().merge(level)?;
        }
        *mine = levels;
        Ok(())
    }

    /// Where to look for an object: level and link of each link that matches, the shallowest first.
    pub fn candidates(&self, object: impl Key + Copy) -> Vec<(usize, usize)> {
        let first = |levels: &Attenuated| levels.iter().position(|level| level.contains(object));
        let found = self.links.iter().enumerate();
        let mut found: Vec<(usize, usize)> =
            found.filter_map(|(link, levels)| Some((first(levels)?, link))).collect();
        found.sort_unstable();
        found
    }

    /// How many links match an object at a level, though perhaps at another one before.
    pub fn matches(&self, object: impl Key + Copy, level: usize) -> usize {
        let matches =
            |levels: &&Attenuated| levels.get(level).is_some_and(|one| one.contains(object));
        self.links.iter().filter(matches).count()
    }
}

/// The formula: how likely a turn is wrong, given the false-positive rates of all levels and links
/// that a node looks at before the right one.
pub fn wrong_turn(rates: impl IntoIterator<Item = f64>) -> f64 {
    1.0 - rates.into_iter().map(|rate| 1.0 - rate).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { depth: 3, bits: 2048, probes: 4, seed: Seed::FIXED };

    #[test]
    fn objects_come_one_level_deeper_per_hop_and_never_back() {
        // A line of five; node 0 has the object.
        let links = [1, 2, 2, 2, 1];
        let mut nodes = links.map(|links| Router::new(SHAPE, links).unwrap());
        nodes[0].insert("song");
        for _round in 0..SHAPE.depth {
            for node in 1..5 {
                // Link 0 leads to the left, and the left neighbour's last link to here.
                let told = nodes[node - 1].advertise(links[node - 1] - 1).unwrap();
                nodes[node].receive(0, told).unwrap();
                let told = nodes[node].advertise(0).unwrap();
                let last = links[node - 1] - 1;
                nodes[node - 1].receive(last, told).unwrap();
            }
        }
        for (node, level) in [(1, 0), (2, 1), (3, 2)] {
            assert_eq!(nodes[node].candidates("song"), [(level, 0)], "node {node}");
        }
        assert_eq!(nodes[4].candidates("song"), [], "four hops are too far for three levels");
        assert_eq!(nodes[0].candidates("song"), [], "nobody tells a node its own objects");
        assert_eq!(nodes[2].matches("song", 1), 1);
    }

    #[test]
    fn other_shapes_are_not_taken() {
        let mut node = Router::new(SHAPE, 1).unwrap();
        let told = |shape| Router::new(shape, 2).unwrap().advertise(0).unwrap();
        assert!(matches!(node.receive(1, told(SHAPE)), Err(ReceiveError::Link(1))));
        let flat = told(Shape { depth: 2, ..SHAPE });
        assert!(matches!(node.receive(0, flat), Err(ReceiveError::Depth { .. })));
        // Merging would fold the larger one.
        let wide = told(Shape { bits: 4096, ..SHAPE });
        assert!(matches!(node.receive(0, wide), Err(ReceiveError::Size { .. })));
        let keyed = told(Shape { seed: Seed::keyed([1; 16]), ..SHAPE });
        assert!(matches!(node.receive(0, keyed), Err(ReceiveError::Other(Mismatch::Seed))));
        node.receive(0, told(SHAPE)).unwrap();
    }

    #[test]
    fn a_turn_is_wrong_if_anything_before_matches() {
        assert!(wrong_turn([]).abs() < 1e-12);
        assert!((wrong_turn([0.5, 0.5]) - 0.75).abs() < 1e-12);
    }
}
