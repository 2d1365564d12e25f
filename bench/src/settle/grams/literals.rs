//! Absent literals: those that are in at most one block in a hundred. Those blocks do not count.

use super::matrix::Terms;
use super::text::Text;
use crate::literals::{Family, Literals};
use memchr::memmem;
use std::ops::Range;

/// Literals per length and family. There are fewer where the text has no more.
const LITERALS: usize = 400;

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
    let mut literals = Literals::new(&text.files, elsewhere, family, length);
    let drawn = (0..50 * LITERALS).filter_map(|_| {
        let bytes = literals.draw()?;
        let present = blocks_with(text, exact, &bytes);
        (present.len() * 100 <= text.blocks()).then_some(Literal { bytes, present })
    });
    drawn.take(LITERALS).collect()
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
