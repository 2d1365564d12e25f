//! A file of which only some blocks are read.
//!
//! The searcher gets the real bytes of the blocks that can match. In place of the others it gets as
//! many line ends as they have, so that it numbers lines and separates contexts as it would in the
//! whole file. A pattern that matches an empty line has no literal, so it is never searched for this way.

use anther_index::{Block, Candidates, Index};
use std::io::{self, Read};
use std::ops::Range;

/// What the searcher gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// These bytes of the text.
    Real { offset: u64, len: u64 },
    /// This many line ends.
    LineEnds(u64),
}

/// Parts of a file in order.
#[derive(Debug, Default)]
pub struct Pieces(Vec<Piece>);

/// The blocks of a file that can match: where each begins in what the searcher gets, and whether it
/// did match.
#[derive(Debug, Default)]
pub struct OpenedBlocks(Vec<(u64, bool)>);

/// How many lines before and after a match are printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    pub before: u64,
    pub after: u64,
}

impl Pieces {
    /// The pieces of a file: blocks that can match, and those that the context of a match can reach
    /// into. Where nobody counts lines, one line end stands for skipped blocks.
    pub fn new(
        index: &Index,
        blocks: Range<u32>,
        candidates: &Candidates,
        context: Context,
        counts_lines: bool,
    ) -> Option<(Pieces, OpenedBlocks)> {
        let numbers = blocks.clone();
        let blocks: Vec<Block> = blocks.map(|block| index.block(block)).collect::<Option<_>>()?;
        let can_match: Vec<bool> = numbers.map(|block| candidates.contains(block)).collect();
        let real = with_context(&blocks, &can_match, context);
        let (mut list, mut opened) = (Vec::new(), Vec::new());
        let mut at = 0;
        let last = real.iter().rposition(|real| *real)?;
        for ((block, real), can_match) in blocks.iter().zip(&real).zip(can_match).take(last + 1) {
            if can_match {
                opened.push((at, false));
            }
            let before = list.last_mut();
            match (real, before) {
                (true, Some(Piece::Real { len, .. })) => *len = len.checked_add(block.len)?,
                (true, _) => list.push(Piece::Real { offset: block.offset, len: block.len }),
                (false, Some(Piece::LineEnds(_))) if !counts_lines => continue,
                (false, Some(Piece::LineEnds(lines))) => *lines = lines.checked_add(block.lines)?,
                (false, _) => {
                    let lines = if counts_lines { block.lines } else { 1 };
                    list.push(Piece::LineEnds(lines));
                    at += lines;
                    continue;
                }
            }
            at += if *real { block.len } else { block.lines };
        }
        Some((Pieces(list), OpenedBlocks(opened)))
    }

    /// Where they are in the file.
    pub fn offsets(&self) -> Offsets {
        let mut at = 0;
        let mut offsets = Offsets::default();
        for piece in &self.0 {
            match piece {
                Piece::Real { offset, len } => {
                    offsets.push((at, *offset));
                    at += len;
                }
                Piece::LineEnds(lines) => at += lines,
            }
        }
        offsets
    }

    /// Reads them.
    pub fn reader<'a, T: Text>(&'a self, text: &'a mut T) -> PiecesReader<'a, T> {
        PiecesReader { text, left: self.0.iter(), now: None, position: 0 }
    }
}

impl OpenedBlocks {
    /// Notes that the searcher found a match at this place of what it got.
    pub fn note_match(&mut self, at: u64) {
        let after = self.0.partition_point(|(begin, _)| *begin <= at);
        if let Some((_, has_match)) = after.checked_sub(1).and_then(|last| self.0.get_mut(last)) {
            *has_match = true;
        }
    }

    /// How many of them begin before this place, and how many of those did not match.
    pub fn count(&self, until: u64) -> (u64, u64) {
        let opened = self.0.iter().take_while(|(begin, _)| *begin < until);
        opened.fold((0, 0), |(all, vain), (_, matched)| (all + 1, vain + u64::from(!matched)))
    }
}

/// Where pieces begin, in what the searcher gets and in the file, in order.
#[derive(Clone, Debug, Default)]
pub struct Offsets(Vec<(u64, u64)>);

impl Offsets {
    /// Adds a piece.
    pub fn push(&mut self, place: (u64, u64)) {
        self.0.push(place);
    }

    /// The place in the file of a place in what the searcher gets.
    pub fn of(&self, at: u64) -> u64 {
        let after = self.0.partition_point(|(begin, _)| *begin <= at);
        let piece = after.checked_sub(1).and_then(|piece| self.0.get(piece));
        piece.map_or(at, |(begin, offset)| at - begin + offset)
    }
}

/// Which blocks a search must see: those that can match, and those within the context of a match.
fn with_context(blocks: &[Block], can_match: &[bool], context: Context) -> Vec<bool> {
    let mut real = can_match.to_vec();
    for (at, block) in blocks.iter().enumerate().filter(|(at, _)| can_match[*at]) {
        let first = block.first_line.saturating_sub(context.before);
        let before = blocks[..at].iter().rev().zip(real[..at].iter_mut().rev());
        before
            .take_while(|(block, _)| block.first_line.saturating_add(block.lines) > first)
            .for_each(|(_, real)| *real = true);
        let end = block.first_line.saturating_add(block.lines).saturating_add(context.after);
        let after = blocks[at + 1..].iter().zip(real[at + 1..].iter_mut());
        after.take_while(|(block, _)| block.first_line < end).for_each(|(_, real)| *real = true);
    }
    real
}

/// A text that can be read from a later place.
pub trait Text: Read {
    /// Skips the next `bytes` bytes.
    fn skip(&mut self, bytes: u64) -> io::Result<()>;
}

/// The bytes of pieces.
pub struct PiecesReader<'a, T> {
    text: &'a mut T,
    left: std::slice::Iter<'a, Piece>,
    now: Option<Piece>,
    /// Where the text is read next.
    position: u64,
}

impl<T: Text> Read for PiecesReader<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let room = buffer.len();
        let most = |left: u64| room.min(usize::try_from(left).unwrap_or(usize::MAX));
        loop {
            match &mut self.now {
                Some(Piece::LineEnds(left @ 1..)) => {
                    let lines = most(*left);
                    buffer[..lines].fill(b'\n');
                    *left -= lines as u64;
                    return Ok(lines);
                }
                Some(Piece::Real { offset, len: len @ 1.. }) => {
                    let ahead = offset.saturating_sub(self.position);
                    if ahead > 0 {
                        self.text.skip(ahead)?;
                        self.position = *offset;
                    }
                    let read = self.text.read(&mut buffer[..most(*len)])?;
                    *len -= read as u64;
                    *offset += read as u64;
                    self.position += read as u64;
                    // It has become shorter meanwhile: this is its end.
                    return Ok(read);
                }
                _ => match self.left.next() {
                    Some(piece) => self.now = Some(*piece),
                    None => return Ok(0),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, Piece, Pieces, Text, with_context};
    use anther_index::Block;
    use std::io::{self, Read};

    /// Blocks of ten lines each.
    fn blocks(count: u64) -> Vec<Block> {
        let block =
            |at| Block { offset: at * 50, len: 50, first_line: at * 10 + 1, lines: 10, tail: 0 };
        (0..count).map(block).collect()
    }

    #[test]
    fn context_reaches_into_other_blocks() {
        let real = |before, after| {
            let only_third = [false, false, true, false, false];
            let real = with_context(&blocks(5), &only_third, Context { before, after });
            real.iter().map(|real| if *real { 'x' } else { '-' }).collect::<String>()
        };
        assert_eq!(real(0, 0), "--x--");
        assert_eq!(real(1, 0), "-xx--");
        assert_eq!(real(10, 0), "-xx--");
        assert_eq!(real(11, 1), "xxxx-");
        assert_eq!(real(0, 10), "--xx-");
        assert_eq!(real(0, 11), "--xxx");
        assert_eq!(real(u64::MAX, u64::MAX), "xxxxx");
    }

    struct Counted<'a> {
        left: &'a [u8],
        skipped: u64,
    }

    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            // A byte at a time, as a pipe may.
            let most = buffer.len().min(1);
            self.left.read(&mut buffer[..most])
        }
    }

    impl Text for Counted<'_> {
        fn skip(&mut self, bytes: u64) -> io::Result<()> {
            self.skipped += bytes;
            let bytes = usize::try_from(bytes).expect("small").min(self.left.len());
            self.left = &self.left[bytes..];
            Ok(())
        }
    }

    #[test]
    fn skipped_blocks_are_line_ends() {
        let real = |offset, len| Piece::Real { offset, len };
        let pieces = Pieces(vec![Piece::LineEnds(2), real(4, 6), Piece::LineEnds(1), real(12, 9)]);
        let mut text = Counted { left: b"a\nb\nc\nd\ne\nx\nlast", skipped: 0 };
        let mut read = Vec::new();
        pieces.reader(&mut text).read_to_end(&mut read).expect("read");
        // The file has become shorter, and ends there.
        assert_eq!(read, b"\n\nc\nd\ne\n\nlast");
        assert_eq!(text.skipped, 4 + 2);
        let offsets = pieces.offsets();
        assert_eq!([offsets.of(2), offsets.of(7), offsets.of(9)], [4, 9, 12]);
    }
}
