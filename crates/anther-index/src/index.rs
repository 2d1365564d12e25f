//! An index that is open for queries.

use crate::candidates::Candidates;
use crate::entry::{Block, FileEntry, Root, path_order};
use crate::error::IndexError;
use crate::matrix::{ROW_WORDS, Row, Rows};
use crate::query::{GRAM, Query};
use crate::tables::{DEAD, Group, Settings, Tables};
use crate::{container, gram, key};
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

/// An index file, open for queries. Its tables are in memory; rows are read when they are needed.
#[derive(Debug)]
pub struct Index {
    pub(crate) file: File,
    len: u64,
    pub(crate) tables: Tables,
}

impl Index {
    /// Opens an index, and checks everything but the rows, which are checked when they are read.
    pub fn open(path: &Path) -> Result<Index, IndexError> {
        Index::of(File::open(path)?)
    }

    /// An index in an open file.
    pub fn of(file: File) -> Result<Index, IndexError> {
        let len = file.metadata()?.len();
        let tables = container::read(&file, len)?;
        Ok(Index { file, len, tables })
    }

    /// Whether a file begins as an index does.
    pub fn begins(start: &[u8]) -> bool {
        start.starts_with(&container::SIGNATURE)
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.tables.settings
    }

    /// The folders and files that were given.
    pub fn roots(&self) -> &[Root] {
        &self.tables.roots
    }

    /// The files, sorted by root and path.
    pub fn files(&self) -> &[FileEntry] {
        &self.tables.files
    }

    /// The entry of a file, by the number of its root and its path below that.
    pub fn file(&self, root: u32, path: &Path) -> Option<&FileEntry> {
        self.entry(root, path).map(|(_, entry)| entry)
    }

    /// The same with its number.
    pub(crate) fn entry(&self, root: u32, path: &Path) -> Option<(u32, &FileEntry)> {
        let files = &self.tables.files;
        let at = files
            .binary_search_by(|file| {
                file.root.cmp(&root).then_with(|| path_order(&file.path, path))
            })
            .ok()?;
        Some((u32::try_from(at).ok()?, &files[at]))
    }

    /// A block by its number.
    pub fn block(&self, block: u32) -> Option<Block> {
        self.tables.blocks.get(block as usize).copied()
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u32 {
        // No file is read that has more.
        u32::try_from(self.tables.blocks.len()).unwrap_or(DEAD)
    }

    /// The length of the index file.
    pub fn file_len(&self) -> u64 {
        self.len
    }

    /// The blocks that can fulfil a query. None that does is missing.
    pub fn candidates(&self, query: &Query) -> Result<Candidates, IndexError> {
        let query = Hashed::of(query);
        self.find(0, |rows| query.columns(rows))
    }

    /// The blocks that can have this key in a column.
    pub fn column_candidates(&self, column: &str, key: &[u8]) -> Result<Candidates, IndexError> {
        let columns = &self.tables.settings.columns;
        let Some(number) = columns.iter().position(|known| known == column) else {
            let column = column.to_string();
            return Err(IndexError::NoColumn { column, known: columns.clone() });
        };
        let hashes = key::hashes(key, self.tables.probes);
        #[expect(clippy::cast_possible_truncation, reason = "at most 64 columns")]
        self.find(1 + number as u32, |rows| intersection(rows, hashes.clone()))
    }

    /// Checks every row. The rest was checked when it was opened.
    pub fn verify(&self) -> Result<(), IndexError> {
        let check = |group| self.rows(group).for_each(|_, _| Ok::<(), IndexError>(()));
        self.tables.groups.iter().try_for_each(check)
    }

    pub(crate) fn rows(&self, group: &Group) -> Rows<'_> {
        Rows::new(&self.file, group.shape, group.offset)
    }

    /// The blocks of the columns that are found in each group. A block without a column is always
    /// one of them.
    fn find(
        &self,
        matrix: u32,
        columns: impl Fn(&mut Rows<'_>) -> Result<Row, IndexError>,
    ) -> Result<Candidates, IndexError> {
        let mut found = Candidates::all(self.blocks());
        for group in self.tables.groups.iter().filter(|group| group.matrix == matrix) {
            let row = columns(&mut self.rows(group))?;
            for (column, block) in group.blocks.iter().enumerate() {
                if row[column / 64] >> (column % 64) & 1 == 0 {
                    found.remove(*block);
                }
            }
        }
        Ok(found)
    }
}

/// A query whose literals are hashes of grams, each once.
enum Hashed {
    All,
    Grams(Vec<u32>),
    And(Vec<Hashed>),
    Or(Vec<Hashed>),
}

impl Hashed {
    fn of(query: &Query) -> Hashed {
        match query {
            Query::All => Hashed::All,
            Query::Literal(literal) if literal.len() < GRAM => Hashed::All,
            Query::Literal(literal) => {
                let mut hashes = Vec::with_capacity(literal.len());
                gram::of_literal(literal, |hash| hashes.push(hash));
                // In order: it begins with those that are in the fewest blocks.
                let mut seen = HashSet::new();
                hashes.retain(|hash| seen.insert(*hash));
                Hashed::Grams(hashes)
            }
            Query::And(all) => Hashed::And(all.iter().map(Hashed::of).collect()),
            Query::Or(any) => Hashed::Or(any.iter().map(Hashed::of).collect()),
        }
    }

    /// The columns of a group that fulfil it.
    fn columns(&self, rows: &mut Rows<'_>) -> Result<Row, IndexError> {
        match self {
            Hashed::All => Ok([u64::MAX; ROW_WORDS]),
            Hashed::Grams(hashes) => intersection(rows, hashes.iter().copied()),
            Hashed::And(all) => {
                let mut found = [u64::MAX; ROW_WORDS];
                for part in all {
                    let row = part.columns(rows)?;
                    found.iter_mut().zip(row).for_each(|(word, other)| *word &= other);
                    if found == [0; ROW_WORDS] {
                        break;
                    }
                }
                Ok(found)
            }
            Hashed::Or(any) => {
                let mut found = [0; ROW_WORDS];
                for part in any {
                    let row = part.columns(rows)?;
                    found.iter_mut().zip(row).for_each(|(word, other)| *word |= other);
                }
                Ok(found)
            }
        }
    }
}

/// The columns that have a bit in the row of each hash. Reads no further once no column is left.
fn intersection(
    rows: &mut Rows<'_>,
    hashes: impl IntoIterator<Item = u32>,
) -> Result<Row, IndexError> {
    let mut found = [u64::MAX; ROW_WORDS];
    for hash in hashes {
        let row = rows.row_of(hash)?;
        found.iter_mut().zip(row).for_each(|(word, other)| *word &= other);
        if found == [0; ROW_WORDS] {
            break;
        }
    }
    Ok(found)
}
