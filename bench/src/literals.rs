//! Literals that a person might search for in vain.

use crate::random::{Random, scale};
use std::collections::HashSet;

/// The lengths of the tables.
pub const LENGTHS: [usize; 6] = [4, 6, 8, 10, 12, 16];

/// Where literals come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Family {
    /// Beginnings of words and ids in text of the same kind that is not searched.
    Words,
    /// What stands anywhere in lines of such text.
    Pieces,
    /// Beginnings of words and ids that are there, with one letter or digit changed.
    Mutated,
}

impl Family {
    pub const ALL: [Family; 3] = [Family::Words, Family::Pieces, Family::Mutated];

    /// As the tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Words => "words and ids",
            Family::Pieces => "pieces of lines",
            Family::Mutated => "one letter changed",
        }
    }
}

/// Literals of one family and length, no two equal. Some may be in the text all the same.
pub struct Literals<'a> {
    /// What is searched.
    pub files: &'a [Vec<u8>],
    /// Text of the same kind that is not.
    pub elsewhere: &'a [u8],
    pub family: Family,
    pub length: usize,
    random: Random,
    seen: HashSet<Vec<u8>>,
}

impl<'a> Literals<'a> {
    pub fn new(
        files: &'a [Vec<u8>],
        elsewhere: &'a [u8],
        family: Family,
        length: usize,
    ) -> Literals<'a> {
        let random = Random::new(length as u64 + 100 * family as u64);
        Literals { files, elsewhere, family, length, random, seen: HashSet::new() }
    }

    /// The next one, if this draw finds one.
    pub fn draw(&mut self) -> Option<Vec<u8>> {
        let text = match self.family {
            Family::Mutated => &self.files[self.below(self.files.len())],
            Family::Words | Family::Pieces => self.elsewhere,
        };
        let last = text.len().checked_sub(self.length + 256)?;
        let start = self.below(last + 1);
        let start = match self.family {
            Family::Pieces => start,
            Family::Words | Family::Mutated => word_from(text, start, self.length)?,
        };
        let mut bytes = text[start..start + self.length].to_vec();
        if self.family == Family::Mutated {
            let at = self.below(self.length);
            let others: &[u8] = match bytes[at] {
                b'0'..=b'9' => b"0123456789",
                _ => b"abcdefghijklmnopqrstuvwxyz",
            };
            bytes[at] = others[self.below(others.len())];
        }
        let is_new = !bytes.contains(&b'\n') && self.seen.insert(bytes.clone());
        is_new.then_some(bytes)
    }

    fn below(&mut self, bound: usize) -> usize {
        scale(self.random.draw(), bound as u64) as usize
    }
}

/// Where the first word or id begins that is long enough, at most 200 bytes on.
fn word_from(text: &[u8], from: usize, length: usize) -> Option<usize> {
    let is_part = |at: usize| text[at].is_ascii_alphanumeric() || b"_-.".contains(&text[at]);
    (from + 1..from + 200).find(|at| !is_part(at - 1) && (*at..at + length).all(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_of_their_family() {
        let line = "GET /orders/4711 request_id=3f8a09bc12 client=10.3.2.117 done in time\n";
        let text = line.repeat(20).into_bytes();
        let files = [text.clone()];
        for family in Family::ALL {
            let mut literals = Literals::new(&files, &text, family, 8);
            let found: Vec<Vec<u8>> = (0..2000).filter_map(|_| literals.draw()).collect();
            let here = |literal: &Vec<u8>| memchr::memmem::find(&text, literal).is_some();
            assert!(found.iter().all(|literal| literal.len() == 8));
            match family {
                Family::Words => assert_eq!(found.len(), 3, "request_, 3f8a09bc and 10.3.2.1"),
                Family::Pieces => assert!(found.len() > 40 && found.iter().all(here)),
                Family::Mutated => assert!(found.iter().any(|literal| !here(literal))),
            }
        }
    }
}
