//! Columns of bits over the terms of blocks: what a bit-sliced matrix has, in the other direction.

use crate::random::{mix, scale};

/// Columns that share their number of rows: a row of theirs is a cache line.
const GROUP: usize = 512;
/// The fewest, a word of a row. A group ends where a column has a tenth more terms than its first.
const WORD: usize = 64;

/// What a column holds, and what a literal asks for.
#[derive(Clone, Copy)]
pub enum Terms {
    /// Bytes in a row, of these lengths.
    Grams(&'static [usize]),
    Words,
}

impl Terms {
    /// The distinct ones of a text, in order.
    pub fn of(self, text: &[u8]) -> Vec<u32> {
        let lower = text.to_ascii_lowercase();
        let mut all: Vec<u32> = match self {
            Terms::Grams(lengths) => lower
                .split(|byte| *byte == b'\n')
                .flat_map(|line| lengths.iter().flat_map(|length| line.windows(*length).map(hash)))
                .collect(),
            Terms::Words => words(&lower).map(hash).collect(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What every text with this literal has. A word at the edge of the literal may be part of a
    /// longer one, so it says nothing.
    pub fn required(self, literal: &[u8]) -> Vec<u32> {
        if let Terms::Grams(_) = self {
            return self.of(literal);
        }
        let edge = |byte: &u8| !is_word(*byte);
        let inner = literal.iter().position(edge).zip(literal.iter().rposition(edge));
        inner.map_or(Vec::new(), |(from, to)| self.of(&literal[from..to]))
    }

    pub fn name(self) -> String {
        match self {
            Terms::Grams(lengths) => {
                let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
                format!("{}-grams", lengths.join("+"))
            }
            Terms::Words => "words".to_string(),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty())
}

/// 32 bits: two terms share them once in 2³².
fn hash(term: &[u8]) -> u32 {
    let word = term.chunks(8).fold(term.len() as u64, |hash, part| {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        mix(hash ^ u64::from_le_bytes(bytes))
    });
    (word >> 32) as u32
}

/// How columns get their rows.
#[derive(Clone, Copy, PartialEq)]
pub enum Grouping {
    /// By their number of terms, in groups of like ones; rows for the largest of a group.
    Like,
    /// By their number of terms, 512 to a group.
    Wide,
    /// In the order of the files, 512 to a group.
    Unsorted,
    /// The same, with rows for the average column.
    Average,
    /// A filter per column.
    Alone,
}

/// How an index is made.
#[derive(Clone, Copy)]
pub struct Design {
    pub terms: Terms,
    /// Blocks of 64 KiB per column.
    pub many: usize,
    pub load: f64,
    pub hashes: u32,
    pub grouping: Grouping,
}

pub struct Matrix {
    columns: Vec<Vec<u64>>,
    rows: Vec<usize>,
    hashes: u32,
    /// Of all columns.
    pub bits: usize,
}

impl Matrix {
    pub fn new(sets: &[Vec<u32>], design: Design) -> Matrix {
        let Design { load, hashes, grouping, .. } = design;
        let per_term = f64::from(hashes) / -(1.0 - load).ln();
        let mut order: Vec<usize> = (0..sets.len()).collect();
        if matches!(grouping, Grouping::Like | Grouping::Wide) {
            order.sort_by_key(|set| sets[*set].len());
        }
        let groups: Vec<&[usize]> = match grouping {
            Grouping::Like => like(&order, sets),
            Grouping::Alone => order.chunks(1).collect(),
            _ => order.chunks(GROUP).collect(),
        };
        let mut rows = vec![0; sets.len()];
        let mut bits = 0;
        for group in groups {
            let sizes = group.iter().map(|set| sets[*set].len());
            let terms = match grouping {
                Grouping::Average => sizes.sum::<usize>() / group.len(),
                _ => sizes.max().unwrap_or(0),
            };
            let count = ((terms as f64 * per_term).ceil() as usize).max(1);
            bits += count * group.len();
            group.iter().for_each(|set| rows[*set] = count);
        }
        let columns = sets.iter().zip(&rows).map(|(set, rows)| {
            let mut column = vec![0; rows.div_ceil(64)];
            for row in set.iter().flat_map(|term| probes(*term, *rows, hashes)) {
                column[row / 64] |= 1 << (row % 64);
            }
            column
        });
        Matrix { columns: columns.collect(), rows, hashes, bits }
    }

    pub fn may_have(&self, column: usize, terms: &[u32]) -> bool {
        let bits = &self.columns[column];
        let is_set = |row: usize| bits[row / 64] >> (row % 64) & 1 == 1;
        terms.iter().all(|term| probes(*term, self.rows[column], self.hashes).all(is_set))
    }
}

fn like<'a>(mut order: &'a [usize], sets: &[Vec<u32>]) -> Vec<&'a [usize]> {
    let mut groups = Vec::new();
    while let Some(first) = order.first() {
        let most = sets[*first].len() * 11 / 10;
        let alike = order.partition_point(|set| sets[*set].len() <= most);
        let width = (alike / WORD * WORD).clamp(WORD, GROUP).min(order.len());
        let (group, rest) = order.split_at(width);
        groups.push(group);
        order = rest;
    }
    groups
}

fn probes(term: u32, rows: usize, hashes: u32) -> impl Iterator<Item = usize> {
    (0..hashes).map(move |probe| {
        let hash = match probe {
            0 => u64::from(term) << 32,
            _ => mix(u64::from(term) | u64::from(probe) << 32),
        };
        scale(hash, rows as u64) as usize
    })
}
