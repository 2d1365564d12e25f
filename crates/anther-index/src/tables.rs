//! The tables of an index file: settings, roots, files, blocks, groups. FORMAT.md draws them.

use crate::entry::{Block, FileEntry, Root, Stamp, path_order};
use crate::error::IndexError;
use crate::matrix::{MOST_COLUMNS, Shape};
use crate::path_bytes::{bytes_of, path_of};
use std::path::Path;

/// A column of a group whose block is gone.
pub const DEAD: u32 = u32::MAX;

/// The most columns whose values are keys.
pub const MOST_KEYED: usize = 64;

/// The most rows per key.
pub const MOST_PROBES: u32 = 32;

/// What an index was made with. An update uses the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The share of blocks opened in vain for an absent literal of eight bytes.
    pub fpr: f64,
    /// Whether hidden files and folders are searched.
    pub hidden: bool,
    /// Whether files are searched that `.gitignore` and the like name.
    pub no_ignore: bool,
    /// Columns of CSV and JSON lines whose values are indexed as keys.
    pub columns: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { fpr: 0.015, hidden: false, no_ignore: false, columns: Vec::new() }
    }
}

/// A group of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// 0 for grams, and from 1 on the columns of [`Settings::columns`].
    pub matrix: u32,
    pub shape: Shape,
    /// Where it begins in the file. Not stored: groups lie one after another.
    pub offset: u64,
    /// The block of each column, or [`DEAD`].
    pub blocks: Vec<u32>,
}

/// All tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    pub settings: Settings,
    /// Rows per key of a column.
    pub probes: u32,
    pub roots: Vec<Root>,
    pub files: Vec<FileEntry>,
    pub blocks: Vec<Block>,
    pub groups: Vec<Group>,
}

/// Bits of a file's flags.
const COMPRESSED: u8 = 1;
const BINARY: u8 = 2;
const FRESH: u8 = 4;
const WHOLE: u8 = 8;
const PARQUET: u8 = 16;

const HIDDEN: u8 = 1;
const NO_IGNORE: u8 = 2;

impl Tables {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        let Settings { fpr, hidden, no_ignore, columns } = &self.settings;
        out.0.extend(fpr.to_bits().to_le_bytes());
        out.0.push(if *hidden { HIDDEN } else { 0 } | if *no_ignore { NO_IGNORE } else { 0 });
        out.number(self.probes.into());
        out.number(columns.len() as u64);
        columns.iter().for_each(|column| out.text(column.as_bytes()));
        out.number(self.roots.len() as u64);
        for root in &self.roots {
            out.text(&bytes_of(&root.path));
            out.text(&bytes_of(&root.given));
        }
        out.number(self.files.len() as u64);
        let mut before = Vec::new();
        for file in &self.files {
            let path = bytes_of(&file.path);
            let shared = before.iter().zip(path.iter()).take_while(|(a, b)| a == b).count();
            out.number(file.root.into());
            out.number(shared as u64);
            out.text(&path[shared..]);
            before = path.into_owned();
            let Stamp { size, modified_ns, changed_ns, inode } = file.stamp;
            out.number(size);
            out.0.extend(modified_ns.to_le_bytes());
            out.0.extend(changed_ns.to_le_bytes());
            out.number(inode);
            let flag = |set: bool, bit: u8| if set { bit } else { 0 };
            out.0.push(
                flag(file.is_compressed, COMPRESSED)
                    | flag(file.is_binary, BINARY)
                    | flag(file.is_fresh, FRESH)
                    | flag(file.is_whole, WHOLE)
                    | flag(file.is_parquet, PARQUET),
            );
            out.0.extend(file.ends.to_le_bytes());
            out.number(file.blocks.len() as u64);
            for block in &self.blocks[file.blocks.start as usize..file.blocks.end as usize] {
                out.number(block.len);
                out.number(block.lines);
                if file.is_plain() {
                    out.0.extend(block.tail.to_le_bytes());
                }
            }
        }
        out.number(self.groups.len() as u64);
        for group in &self.groups {
            out.number(group.matrix.into());
            out.number(group.shape.rows.into());
            out.number(group.blocks.len() as u64);
            for block in &group.blocks {
                out.number(if *block == DEAD { 0 } else { u64::from(*block) + 1 });
            }
        }
        out.0
    }

    /// From bytes. Groups begin at this offset of the file, and must end where the tables begin.
    pub fn decode(bytes: &[u8], begin: u64, end: u64) -> Result<Tables, IndexError> {
        let mut from = Reader(bytes);
        let fpr = f64::from_bits(u64::from_le_bytes(from.array()?));
        if !(fpr > 0.0 && fpr < 1.0) {
            return Err(IndexError::Corrupt("a false-positive rate outside 0 and 1"));
        }
        let flags = from.flags(HIDDEN | NO_IGNORE)?;
        let probes = from.small()?;
        if !(1..=MOST_PROBES).contains(&probes) {
            return Err(IndexError::Corrupt("a number of probes outside 1 and 32"));
        }
        let mut columns = Vec::new();
        let count = from.count(1)?;
        if count > MOST_KEYED {
            return Err(IndexError::Corrupt("too many columns"));
        }
        for _ in 0..count {
            let name = String::from_utf8(from.text()?.to_vec());
            columns.push(name.map_err(|_| IndexError::Corrupt("a column's name is not UTF-8"))?);
        }
        let (hidden, no_ignore) = (flags & HIDDEN != 0, flags & NO_IGNORE != 0);
        let settings = Settings { fpr, hidden, no_ignore, columns };
        let mut roots = Vec::new();
        for _ in 0..from.count(2)? {
            let (path, given) = (path_of(from.text()?)?, path_of(from.text()?)?);
            roots.push(Root { path, given });
        }
        let (files, blocks) = decode_files(&mut from, roots.len())?;
        let groups = decode_groups(&mut from, &settings, &blocks, begin, end)?;
        match from.0 {
            [] => Ok(Tables { settings, probes, roots, files, blocks, groups }),
            _ => Err(IndexError::Corrupt("bytes after the last table")),
        }
    }
}

fn decode_files(
    from: &mut Reader<'_>,
    roots: usize,
) -> Result<(Vec<FileEntry>, Vec<Block>), IndexError> {
    // The least bytes of a file: six numbers, two times, the flags and a checksum.
    let count = from.count(31)?;
    let (mut files, mut blocks) = (Vec::<FileEntry>::with_capacity(count), Vec::new());
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..count {
        let root = from.small()?;
        if root as usize >= roots {
            return Err(IndexError::Corrupt("a file of an unknown root"));
        }
        let shared = from.small()? as usize;
        if shared > path.len() {
            return Err(IndexError::Corrupt("a path that is longer than the one before"));
        }
        path.truncate(shared);
        path.extend(from.text()?);
        let size = from.number()?;
        let modified_ns = i64::from_le_bytes(from.array()?);
        let changed_ns = i64::from_le_bytes(from.array()?);
        let inode = from.number()?;
        let flags = from.flags(COMPRESSED | BINARY | FRESH | WHOLE | PARQUET)?;
        let ends = u64::from_le_bytes(from.array()?);
        let is_plain = flags & (COMPRESSED | BINARY | WHOLE | PARQUET) == 0;
        let first = number_of(blocks.len())?;
        let (mut offset, mut line) = (0u64, 1u64);
        for _ in 0..from.count(if is_plain { 10 } else { 2 })? {
            let (len, lines) = (from.number()?, from.number()?);
            let tail = if is_plain { u64::from_le_bytes(from.array()?) } else { 0 };
            if lines > len {
                return Err(IndexError::Corrupt("a block with more lines than bytes"));
            }
            blocks.push(Block { offset, len, first_line: line, lines, tail });
            let (Some(next), Some(below)) = (offset.checked_add(len), line.checked_add(lines))
            else {
                return Err(IndexError::Corrupt("blocks beyond 16 EiB"));
            };
            (offset, line) = (next, below);
        }
        let path = path_of(&path)?;
        if !is_below(&path) {
            return Err(IndexError::Corrupt("a path that leaves its root"));
        }
        if let Some(before) = files.last()
            && before.root.cmp(&root).then_with(|| path_order(&before.path, &path)).is_ge()
        {
            return Err(IndexError::Corrupt("files that are not in order"));
        }
        files.push(FileEntry {
            root,
            path,
            stamp: Stamp { size, modified_ns, changed_ns, inode },
            is_compressed: flags & COMPRESSED != 0,
            is_binary: flags & BINARY != 0,
            is_parquet: flags & PARQUET != 0,
            is_fresh: flags & FRESH != 0,
            is_whole: flags & WHOLE != 0,
            ends,
            blocks: first..number_of(blocks.len())?,
        });
    }
    Ok((files, blocks))
}

/// Whether a stored path stays below its root.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn decode_groups(
    from: &mut Reader<'_>,
    settings: &Settings,
    blocks: &[Block],
    begin: u64,
    end: u64,
) -> Result<Vec<Group>, IndexError> {
    let (mut groups, mut offset) = (Vec::new(), begin);
    // Whether a block has its column, in each matrix. As large as the blocks are, so it is bounded.
    let mut has_column = vec![vec![false; blocks.len()]; 1 + settings.columns.len()];
    for _ in 0..from.count(4)? {
        let (matrix, rows, columns) = (from.small()?, from.small()?, from.count(1)?);
        let Some(has_column) = has_column.get_mut(matrix as usize) else {
            return Err(IndexError::Corrupt("a group of an unknown matrix"));
        };
        if rows == 0 || !(1..=MOST_COLUMNS).contains(&columns) {
            return Err(IndexError::Corrupt("a group without rows, or with too many columns"));
        }
        let mut of_columns = Vec::with_capacity(columns);
        for _ in 0..columns {
            let Some(block) = from.small()?.checked_sub(1) else {
                of_columns.push(DEAD);
                continue;
            };
            match has_column.get_mut(block as usize) {
                Some(has) if !*has => *has = true,
                _ => return Err(IndexError::Corrupt("a column of an unknown or repeated block")),
            }
            of_columns.push(block);
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 512")]
        let shape = Shape { rows, columns: columns as u16 };
        groups.push(Group { matrix, shape, offset, blocks: of_columns });
        // Sums of lengths below 2^39 each, at most as many as there are bytes.
        offset = offset.saturating_add(shape.len());
    }
    if offset != end {
        return Err(IndexError::Corrupt("groups that do not fill the file"));
    }
    Ok(groups)
}

/// A number of something that is numbered with 32 bits.
fn number_of(count: usize) -> Result<u32, IndexError> {
    let number = u32::try_from(count).ok().filter(|number| *number < DEAD);
    number.ok_or(IndexError::TooMany("blocks"))
}

/// Writes numbers as LEB128.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7F) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push((number & 0x7F) as u8);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.0.extend(text);
    }
}

/// Reads what [`Writer`] wrote, and trusts none of it.
struct Reader<'a>(&'a [u8]);

/// The tables end early.
const SHORT: IndexError = IndexError::Corrupt("a table that ends early");

impl<'a> Reader<'a> {
    fn number(&mut self) -> Result<u64, IndexError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7F);
            if bits.leading_zeros() < shift {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(IndexError::Corrupt("a number of more than 64 bits"))
    }

    /// A number below 2^32.
    fn small(&mut self) -> Result<u32, IndexError> {
        u32::try_from(self.number()?).map_err(|_| IndexError::Corrupt("a number above 32 bits"))
    }

    /// How many things follow, each of `least` bytes or more: no more than there is room for.
    fn count(&mut self, least: usize) -> Result<usize, IndexError> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.0.len() / least { Err(SHORT) } else { Ok(count) }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], IndexError> {
        let Some((array, rest)) = self.0.split_first_chunk::<N>() else { return Err(SHORT) };
        self.0 = rest;
        Ok(*array)
    }

    fn text(&mut self) -> Result<&'a [u8], IndexError> {
        let len = self.count(1)?;
        let Some((text, rest)) = self.0.split_at_checked(len) else { return Err(SHORT) };
        self.0 = rest;
        Ok(text)
    }

    fn flags(&mut self, known: u8) -> Result<u8, IndexError> {
        let [flags] = self.array()?;
        if flags & !known != 0 {
            return Err(IndexError::Corrupt("an unknown flag"));
        }
        Ok(flags)
    }
}
