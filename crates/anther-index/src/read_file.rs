//! What was found out about a file while it was read, by all threads that read parts of it.

use crate::entry::Stamp;

/// A file that is being read.
#[derive(Default)]
pub struct ReadFile {
    /// What its parts say; none before the first one was read, or if nothing is read.
    pub traits: Option<FileTraits>,
    /// Whether it is left out.
    pub failed: bool,
    /// The parts that were read, by their numbers.
    pub parts: Vec<ReadPart>,
}

/// What a part says about its file.
#[derive(Clone, Copy, Debug)]
pub struct FileTraits {
    pub stamp: Stamp,
    pub ends: u64,
    pub is_compressed: bool,
    pub is_binary: bool,
    pub is_fresh: bool,
    pub is_whole: bool,
    pub is_parquet: bool,
}

/// A part that was read.
#[derive(Clone, Default)]
pub struct ReadPart {
    /// Its blocks.
    pub blocks: Vec<ReadBlock>,
    /// Whether the text ends here, at a NUL byte.
    pub is_last: bool,
}

/// A block that was read.
#[derive(Clone, Copy, Debug)]
pub struct ReadBlock {
    pub len: u64,
    pub lines: u64,
    /// Checksum of its last bytes.
    pub tail: u64,
}

impl ReadFile {
    /// Adds a part. False if it is of another version of the file than those before: parts of
    /// different versions do not make one.
    #[must_use]
    pub fn add(&mut self, number: u32, traits: FileTraits, part: ReadPart) -> bool {
        let before = self.traits.unwrap_or(traits);
        if before.stamp != traits.stamp {
            return false;
        }
        self.traits = Some(FileTraits {
            is_binary: before.is_binary | traits.is_binary,
            is_fresh: before.is_fresh | traits.is_fresh,
            ..traits
        });
        let number = number as usize;
        self.parts.resize(self.parts.len().max(number + 1), ReadPart::default());
        self.parts[number] = part;
        true
    }

    /// The parts up to the end of the text.
    pub fn parts_of_text(&self) -> &[ReadPart] {
        let is_cut = self.parts.iter().position(|part| part.is_last);
        &self.parts[..is_cut.map_or(self.parts.len(), |last| last + 1)]
    }
}
