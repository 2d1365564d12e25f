//! What of a file must be read since it was indexed: nothing, its end, or all of it.

use crate::cut::TAIL;
use crate::entry::{Block, FileEntry, Root, Stamp};
use crate::index::Index;
use crate::read_at::read_exact_at;
use crate::walk::Found;
use std::fs::{self, File};
use std::io;
use twox_hash::XxHash3_64;

/// Bytes at each end of a file whose checksum tells whether it only grew.
const ENDS: u64 = 4096;

/// What is kept of a file, and what is read.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Its number in the old index, whose blocks are kept up to here, if any are.
    pub kept: Option<(u32, u32)>,
    /// Where reading begins; nothing is read of a file that has not changed.
    pub read_from: Option<u64>,
    /// Whether it is in the old index.
    pub is_old: bool,
    pub size: u64,
}

impl Change {
    pub fn of(file: &Found, roots: &[Root], old: Option<&Index>) -> Change {
        let path = file.full(roots);
        let metadata = fs::metadata(&path).ok();
        let size = metadata.as_ref().map_or(0, fs::Metadata::len);
        let whole = Change { kept: None, read_from: Some(0), is_old: false, size };
        let Some((number, entry)) = old.and_then(|old| old.entry(file.root, &file.path)) else {
            return whole;
        };
        let whole = Change { is_old: true, ..whole };
        let (Some(metadata), Some(old)) = (metadata, old) else { return whole };
        if entry.is_unchanged(&metadata) {
            return Change { kept: Some((number, entry.blocks.end)), read_from: None, ..whole };
        }
        let is_longer = |file| is_longer(&file, Stamp::of(&metadata), entry, old);
        let grew = entry.is_plain() && File::open(&path).is_ok_and(is_longer);
        let last = entry.blocks.end.checked_sub(1).filter(|last| *last >= entry.blocks.start);
        match last.and_then(|last| Some((last, old.block(last)?))) {
            Some((last, block)) if grew => {
                Change { kept: Some((number, last)), read_from: Some(block.offset), ..whole }
            }
            _ => whole,
        }
    }

    /// Whether blocks of the old index are kept.
    pub fn keeps(self) -> bool {
        self.kept.is_some()
    }

    /// What the old index knows about the file, if blocks of it are kept.
    pub fn kept_entry(self, old: Option<&Index>) -> Option<&FileEntry> {
        let (number, _) = self.kept?;
        old?.files().get(number as usize)
    }
}

/// Whether a file only grew: the same inode, longer, with the bytes at both ends of what was indexed
/// and at the end of each block. A log that was truncated and written anew may have the same ends.
pub fn is_longer(file: &File, now: Stamp, entry: &FileEntry, old: &Index) -> bool {
    now.inode == entry.stamp.inode
        && now.size > entry.stamp.size
        && ends_of(file, entry.stamp.size).is_ok_and(|ends| ends == entry.ends)
        && entry
            .blocks
            .clone()
            .filter_map(|block| old.block(block))
            .all(|block| tail_of(file, &block).is_ok_and(|tail| tail == block.tail))
}

/// The checksum of the last bytes of a block, as they are now.
fn tail_of(file: &File, block: &Block) -> io::Result<u64> {
    let mut bytes = [0; TAIL];
    let len = usize::try_from(block.len).unwrap_or(TAIL).min(TAIL);
    read_exact_at(file, &mut bytes[..len], block.offset + block.len - len as u64)?;
    Ok(XxHash3_64::oneshot(&bytes[..len]))
}

/// The checksum of the ends of a file's first bytes.
pub fn ends_of(file: &File, size: u64) -> io::Result<u64> {
    let len = size.min(ENDS);
    let mut bytes = vec![0; usize::try_from(2 * len).unwrap_or_default()];
    let (first, last) = bytes.split_at_mut(usize::try_from(len).unwrap_or_default());
    read_exact_at(file, first, 0)?;
    read_exact_at(file, last, size - len)?;
    Ok(XxHash3_64::oneshot(&bytes))
}
