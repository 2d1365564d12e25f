//! What is indexed: files, and their blocks of whole lines.

use std::ops::Range;

/// The finest blocks; larger ones are made of neighbours of the same file.
const BLOCK: usize = 64 << 10;

/// Texts in files, and the finest blocks of each.
pub struct Text {
    pub name: &'static str,
    pub files: Vec<Vec<u8>>,
    blocks: Vec<(usize, Range<usize>)>,
}

impl Text {
    pub fn new(name: &'static str, files: Vec<Vec<u8>>) -> Text {
        let blocks = files
            .iter()
            .enumerate()
            .flat_map(|(file, text)| whole_lines(text).into_iter().map(move |range| (file, range)));
        Text { name, blocks: blocks.collect(), files }
    }

    pub fn bytes(&self) -> usize {
        self.files.iter().map(Vec::len).sum()
    }

    /// How many of the finest blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    pub fn block(&self, block: usize) -> &[u8] {
        let (file, range) = &self.blocks[block];
        &self.files[*file][range.clone()]
    }

    /// Runs of up to `many` blocks, each run within one file.
    pub fn joined(&self, many: usize) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for block in 0..self.blocks.len() {
            match runs.last_mut() {
                Some(run)
                    if run.len() < many && self.blocks[run.start].0 == self.blocks[block].0 =>
                {
                    run.end = block + 1;
                }
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }
}

/// Where blocks begin and end: at the first line end after each [`BLOCK`] bytes.
fn whole_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let least = (start + BLOCK).min(text.len());
        let end = memchr::memchr(b'\n', &text[least - 1..]).map_or(text.len(), |at| least + at);
        ranges.push(start..end);
        start = end;
    }
    ranges
}
