//! Absent literals: such as a person might search for, that are in at most one block in a hundred.
//! Those blocks do not count.

use super::matrix::Terms;
use super::text::Text;
use crate::random::{Random, scale};
use memchr::memmem;
use std::collections::HashSet;
use std::ops::Range;

pub const LENGTHS: [usize; 6] = [4, 6, 8, 10, 12, 16];
/// Literals per length and family. There are fewer where the text has no more.
const LITERALS: usize = 400;

/// Where literals come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Family {
    /// Beginnings of words and ids in text of the same kind that is not indexed.
    Words,
    /// What stands anywhere in lines of such text.
    Pieces,
    /// Beginnings of words and ids that are indexed, with one letter or digit changed.
    Mutated,
}

pub const FAMILIES: [Family; 3] = [Family::Words, Family::Pieces, Family::Mutated];

/// A literal, and the finest blocks that have it.
pub struct Literal {
    pub bytes: Vec<u8>,
    present: Vec<usize>,
}

impl Literal {
    pub fn is_in(&self, blocks: &Range<usize>) -> bool {
        self.present.iter().any(|block| blocks.contains(block))
    }
}

/// Literals of one length. `exact` has the 4-grams of the finest blocks.
pub fn draw(
    text: &Text,
    elsewhere: &[u8],
    exact: &[Vec<u32>],
    length: usize,
    family: Family,
) -> Vec<Literal> {
    let mut random = Random::new(length as u64 + 100 * family as u64);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for _ in 0..50 * LITERALS {
        if found.len() == LITERALS {
            break;
        }
        let from = match family {
            Family::Mutated => &text.files[scale(random.draw(), text.files.len() as u64) as usize],
            Family::Words | Family::Pieces => elsewhere,
        };
        let Some(last) = from.len().checked_sub(length + 256) else { continue };
        let start = scale(random.draw(), last as u64 + 1) as usize;
        let start = match family {
            Family::Pieces => Some(start),
            Family::Words | Family::Mutated => word_from(from, start, length),
        };
        let Some(start) = start else { continue };
        let mut bytes = from[start..start + length].to_vec();
        if family == Family::Mutated {
            mutate(&mut bytes, &mut random);
        }
        if bytes.contains(&b'\n') || !seen.insert(bytes.clone()) {
            continue;
        }
        let present = blocks_with(text, exact, &bytes);
        if present.len() * 100 <= text.blocks() {
            found.push(Literal { bytes, present });
        }
    }
    found
}

/// Where the first word or id begins that is long enough, at most 200 bytes on.
fn word_from(text: &[u8], from: usize, length: usize) -> Option<usize> {
    let is_part = |at: usize| text[at].is_ascii_alphanumeric() || b"_-.".contains(&text[at]);
    (from + 1..from + 200).find(|at| !is_part(at - 1) && (*at..at + length).all(is_part))
}

fn mutate(bytes: &mut [u8], random: &mut Random) {
    let at = scale(random.draw(), bytes.len() as u64) as usize;
    let others: &[u8] = match bytes[at] {
        b'0'..=b'9' => b"0123456789",
        _ => b"abcdefghijklmnopqrstuvwxyz",
    };
    bytes[at] = others[scale(random.draw(), others.len() as u64) as usize];
}

/// The blocks that have it, found among those that have its 4-grams.
fn blocks_with(text: &Text, exact: &[Vec<u32>], literal: &[u8]) -> Vec<usize> {
    let grams = Terms::Grams(&[4]).required(literal);
    let finder = memmem::Finder::new(literal);
    let has = |block: &usize| {
        grams.iter().all(|gram| exact[*block].binary_search(gram).is_ok())
            && finder.find(text.block(*block)).is_some()
    };
    (0..text.blocks()).filter(has).collect()
}
