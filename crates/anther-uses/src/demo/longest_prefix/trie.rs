//! A binary trie of prefixes: what the table is compared with.

use crate::longest_prefix::Address;

/// A node per prefix, and per beginning of one. Children are numbers of nodes, 0 for none.
#[derive(Debug)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    values: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    children: [u32; 2],
    /// The number of a value plus one, 0 for none.
    value: u32,
}

impl Trie {
    pub(super) fn build<A: Address>(
        routes: &[(A, u8, u32)],
    ) -> Result<Trie, std::num::TryFromIntError> {
        let mut trie = Trie { nodes: vec![Node::default()], values: Vec::new() };
        for &(prefix, length, value) in routes {
            let mut node = 0;
            for at in 0..length {
                let child = trie.nodes[node].children[prefix.bit(at)];
                if child == 0 {
                    let new = u32::try_from(trie.nodes.len())?;
                    trie.nodes[node].children[prefix.bit(at)] = new;
                    trie.nodes.push(Node::default());
                    node = new as usize;
                } else {
                    node = child as usize;
                }
            }
            trie.values.push(value);
            trie.nodes[node].value = u32::try_from(trie.values.len())?;
        }
        Ok(trie)
    }

    /// The value of the longest prefix of an address.
    pub(super) fn lookup<A: Address>(&self, address: A) -> Option<u32> {
        let (mut node, mut best) = (self.nodes[0], 0);
        for at in 0..=A::BITS {
            if node.value != 0 {
                best = node.value;
            }
            if at == A::BITS {
                break;
            }
            match node.children[address.bit(at)] {
                0 => break,
                child => node = self.nodes[child as usize],
            }
        }
        self.values.get(best.checked_sub(1)? as usize).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.values.len() * size_of::<u32>()
    }
}
