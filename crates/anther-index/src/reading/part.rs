//! Reads one part of a file: cuts its text into blocks, or takes its row groups.

use super::{Job, Reading};
use crate::changes::{ends_of, is_longer};
use crate::cut::{CutBlock, Cutter, PieceKeys};
use crate::entry::Stamp;
use crate::error::IndexError;
use crate::key;
use crate::load;
use crate::pending::BlockKey;
use crate::read_file::{FileTraits, ReadBlock, ReadPart};
use crate::source::{Opened, Source};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that was modified this short before it was read counts as changed: clocks of file systems
/// are coarse, FAT's ticks every two seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Why a file is left out that is written to all the time; the next update reads it.
const CHANGED: &str = "it changed while it was read";

/// Why a part was not read.
pub enum Failed {
    /// The file is left out.
    File(String),
    /// The index cannot be written.
    Fatal(IndexError),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::File(error.to_string())
    }
}

impl From<IndexError> for Failed {
    fn from(error: IndexError) -> Failed {
        Failed::Fatal(error)
    }
}

/// What is known of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// It has a byte-order mark, or a NUL byte was found.
    is_binary: bool,
    is_utf16: bool,
    is_parquet: bool,
}

impl Marks {
    /// What its first bytes say.
    fn of(start: &[u8]) -> Marks {
        let is_utf16 = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
        let is_binary = is_utf16 || start.starts_with(b"\xEF\xBB\xBF");
        Marks { is_binary, is_utf16, is_parquet: false }
    }
}

/// What was read of a part so far.
#[derive(Default)]
struct PartSoFar {
    marks: Marks,
    read: ReadPart,
}

impl Reading<'_> {
    pub(super) fn read_part(&self, job: &Job, path: &Path) -> Result<(), Failed> {
        let changed = || Failed::File(CHANGED.to_string());
        let mut file = File::open(path)?;
        let now = SystemTime::now();
        let metadata = file.metadata()?;
        let stamp = Stamp::of(&metadata);
        let settled = metadata.modified()?.checked_add(SETTLED).is_some_and(|time| time < now);
        let ends = ends_of(&file, stamp.size)?;
        let kept = self.changes[job.file as usize].kept_entry(self.old);
        // Once per file: all parts are of one version of it.
        if job.part.is_first()
            && let (Some(entry), Some(old)) = (kept, self.old)
            && !is_longer(&file, stamp, entry, old)
        {
            return Err(changed());
        }
        let (begin, end) = job.part.bytes(stamp.size);
        file.seek(SeekFrom::Start(begin))?;
        let opened = Opened { file, path, offset: begin, len: end.saturating_sub(begin) };
        let mut source = self.indexer.sources.open(opened)?;

        let waiting = self.cutters().pop();
        let new = || Cutter::new(self.settings.columns.len(), self.probes, self.indexer.block);
        let mut cutter = waiting.unwrap_or_else(new);
        let PartSoFar { marks, read } = self.cut(job, begin == 0, &mut *source, &mut cutter)?;
        // It is empty again. One that was left with half a file is dropped.
        self.cutters().push(cutter);

        let is_settled = settled && Stamp::of(&fs::metadata(path)?) == stamp;
        let traits = FileTraits {
            stamp,
            ends,
            is_compressed: source.is_compressed(),
            is_binary: marks.is_binary || marks.is_parquet,
            is_fresh: !is_settled,
            is_whole: source.is_whole() || marks.is_parquet,
            is_parquet: marks.is_parquet,
        };
        match self.file(job.file).add(job.part.number, traits, read) {
            true => Ok(()),
            false => Err(changed()),
        }
    }

    /// Cuts a text, and takes its blocks.
    fn cut(
        &self,
        job: &Job,
        mut is_first: bool,
        source: &mut dyn Source,
        cutter: &mut Cutter,
    ) -> Result<PartSoFar, Failed> {
        // What is below a folder is searched up to the first NUL byte, as ripgrep does.
        let is_given = self.found[job.file as usize].path.as_os_str().is_empty();
        let columns = self.settings.columns.len();
        let mut part = PartSoFar::default();
        let mut window = job.part.window();
        let mut done = 0;
        while source.read().map_err(|error| Failed::File(source.explain(&error)))? {
            let mut is_end = false;
            if let Some(group) = source.row_group() {
                part.marks.is_parquet = true;
                self.take(job, &mut part, cutter.row_group(group, source))?;
            } else {
                // Only texts that are read in one part have keys.
                let keys = match columns {
                    0 => PieceKeys::default(),
                    _ => PieceKeys::of(source, columns, self.probes),
                };
                let piece = source.piece();
                if std::mem::take(&mut is_first) {
                    part.marks = Marks::of(piece);
                }
                let mut text;
                (text, is_end) = window.of(piece);
                if !part.marks.is_utf16
                    && let Some(nul) = memchr::memchr(0, &piece[text.clone()])
                {
                    part.marks.is_binary = true;
                    if !is_given {
                        (text.end, part.read.is_last) = (text.start + nul, true);
                    }
                }
                is_end |= part.read.is_last;
                cutter.push(&piece[text], &keys, |block| self.take(job, &mut part, block))?;
            }
            let bytes = source.bytes_read();
            self.indexer.watch.advance(bytes - done);
            done = bytes;
            if is_end {
                break;
            }
        }
        if let Some(block) = cutter.finish() {
            self.take(job, &mut part, block)?;
        }
        Ok(part)
    }

    /// Takes a block that was cut.
    fn take(&self, job: &Job, part: &mut PartSoFar, block: CutBlock) -> Result<(), IndexError> {
        let PartSoFar { marks, read } = part;
        let number = u32::try_from(read.blocks.len()).map_err(|_| IndexError::TooMany("blocks"))?;
        let CutBlock { len, lines, tail, .. } = block;
        read.blocks.push(ReadBlock { len, lines, tail });
        let key = BlockKey { file: job.file, part: job.part.number, number };
        let mut pending = self.pending();
        for (matrix, hashes) in (0..).zip(block.hashes) {
            // A block without a column is always searched: its text is other than its bytes.
            if marks.is_utf16 && matrix == 0 {
                continue;
            }
            let load = if matrix == 0 { load::of(self.settings.fpr) } else { key::LOAD };
            if let Some(hashes) = hashes {
                pending.insert(matrix, key, hashes, load)?;
            }
        }
        Ok(())
    }
}
