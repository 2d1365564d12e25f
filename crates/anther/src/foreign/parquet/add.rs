//! Adds filters to a Parquet file: the same pages, the filters after them, and a footer that says
//! where the filters are.
//!
//! All positions in a Parquet file count from its start, so what is before the footer is copied as
//! it is. Of the footer, two numbers are set per column and row group; all else is the same bytes.

use super::footer::{Chunk, Footer, MAGIC};
use super::logical::{self, Leaf};
use super::thrift::{I32, I64, Struct};
use super::{Split, bitset};
use crate::error::ForeignError;
use crate::foreign::open::Source;
use crate::parts::hash::Seed;
use std::io::{Read, Seek, Write};

/// The filters of a column, one per row group in their order, hashed with [`Seed::XXH64`]; `None`
/// leaves a row group as it is. [`Parquet::new`](super::Parquet::new) makes one of the right size.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct ColumnFilters {
    /// The column's path in the schema, with dots between the names.
    pub column: String,
    /// The filters.
    pub row_groups: Vec<Option<Split>>,
}

/// Writes a Parquet file again, with filters for these columns. A filter that a column has already
/// is replaced; its bytes stay in the file, and nothing refers to them. Returns the bytes of the
/// new file.
///
/// The keys of a row group's filter are all its values in that column, by the bytes of their plain
/// encoding. A value that is missing would not be found: readers skip the row group. Columns of which
/// readers can use no filter are refused, as [`Column::can_have_filter`](super::Column::can_have_filter)
/// refuses them: `BOOLEAN`, `INT96` and `FLOAT16`.
///
/// ```
/// use anther::foreign::OpenForeign;
/// use anther::foreign::parquet::{ColumnFilters, Parquet, add_filters, layout};
/// use anther::Target;
/// use std::io::Cursor;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/parquet/files/pyarrow_100.parquet");
/// let mut file = std::fs::File::open(path)?;
/// let (columns, rows) = layout(&mut file)?;
/// let column = columns.iter().find(|column| column.name == "i64").ok_or("no such column")?;
/// // One filter per row group, of the values that a reader of Parquet gives:
/// # let values = |_: usize| [7_i64, -1];
/// let mut row_groups = Vec::new();
/// for (group, rows) in rows.iter().enumerate() {
///     let mut filter = Parquet::new(Target::new(*rows, 0.01)?)?;
///     for value in values(group) {
///         filter.insert(&value.to_le_bytes())?;
///     }
///     row_groups.push(Some(filter.to_split()?));
/// }
/// let filters = ColumnFilters { column: column.name.clone(), row_groups };
/// let mut out = Vec::new();
/// add_filters(&mut file, &mut out, &[filters])?;
///
/// let read = OpenForeign::new().reader(Cursor::new(out))?.named("i64")?;
/// assert!(read.contains(&7_i64.to_le_bytes()) && !read.contains(&8_i64.to_le_bytes()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_filters<R: Read + Seek, W: Write>(
    mut file: R,
    mut out: W,
    columns: &[ColumnFilters],
) -> Result<u64, ForeignError> {
    let mut source = Source::new(&mut file, None)?;
    let footer = Footer::read(&mut source, u64::MAX)?;
    let mut metadata = footer.metadata()?;
    if metadata.has(8) {
        return Err(ForeignError::Refused(
            "a Parquet file with a signed footer, which cannot be changed without its key",
        ));
    }
    let leaves = logical::leaves(&metadata)?;
    let mut adding = Adding { columns, at: footer.start, order: Vec::new(), groups: Vec::new() };
    adding.groups.resize(columns.len(), 0);

    // The whole footer before the first byte goes out: what is wrong leaves no file.
    let mut new_groups = Vec::new();
    let mut row_groups = metadata.list(4)?.ok_or(ForeignError::Malformed("no row groups"))?;
    while let Some(mut row_group) = row_groups.next_struct()? {
        let mut new_chunks = Vec::new();
        let number = new_groups.len();
        if let Some(mut chunks) = row_group.list(1)? {
            while let Some(mut chunk) = chunks.next_struct()? {
                adding.set(&mut chunk, number, leaves.get(new_chunks.len()))?;
                new_chunks.push(encoded(&chunk));
            }
            row_group.set_structs(1, &new_chunks);
        }
        new_groups.push(encoded(&row_group));
    }
    adding.check_found(new_groups.len())?;
    metadata.set_structs(4, &new_groups);
    let metadata = encoded(&metadata);
    let too_long = || ForeignError::Refused("the footer would be longer than 4 GiB");
    let len = u32::try_from(metadata.len()).map_err(|_| too_long())?;

    source.copy(footer.start, &mut out)?;
    for filter in adding.order {
        let mut bytes = bitset::header(filter)?;
        bytes.extend(bitset::bits(filter));
        out.write_all(&bytes)?;
    }
    out.write_all(&metadata)?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(MAGIC)?;
    out.flush()?;
    Ok(adding.at + metadata.len() as u64 + 8)
}

fn encoded(one: &Struct<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    one.write(&mut bytes);
    bytes
}

/// The filters that get their places.
struct Adding<'a> {
    columns: &'a [ColumnFilters],
    /// Where the next filter goes.
    at: u64,
    /// The filters in the order of their places.
    order: Vec<&'a Split>,
    /// In how many row groups each column was found.
    groups: Vec<usize>,
}

impl Adding<'_> {
    /// Gives the filter of a column's chunk its place, if there is one.
    fn set(
        &mut self,
        chunk: &mut Struct<'_>,
        row_group: usize,
        leaf: Option<&Leaf>,
    ) -> Result<(), ForeignError> {
        let read = Chunk::read(chunk)?;
        let Some(at) = self.columns.iter().position(|column| column.column == read.name) else {
            return Ok(());
        };
        read.column(leaf).can_have_filter()?;
        let mut metadata = read.metadata;
        self.groups[at] += 1;
        let Some(filter) = self.columns[at].row_groups.get(row_group) else {
            return Err(self.another_number(at));
        };
        let Some(filter) = filter else { return Ok(()) };
        if filter.about.seed != Seed::XXH64 {
            return Err(ForeignError::Refused(
                "Parquet hashes keys with XXH64, this filter does not",
            ));
        }
        let len = bitset::header(filter)?.len() as u64 + filter.bits.len() / 8;
        #[expect(clippy::cast_possible_wrap, reason = "positions in a file, at most 128 MiB each")]
        {
            metadata.set_number(14, I64, self.at as i64);
            metadata.set_number(15, I32, len as i64);
        }
        chunk.set_child(3, &metadata);
        self.order.push(filter);
        self.at += len;
        Ok(())
    }

    /// Every column is in every row group, and has as many filters.
    fn check_found(&self, row_groups: usize) -> Result<(), ForeignError> {
        for (at, column) in self.columns.iter().enumerate() {
            if self.groups[at] == 0 && row_groups > 0 {
                let (name, names) = (column.column.clone(), "other columns".to_string());
                return Err(ForeignError::NoEntry { name, names });
            }
            if self.groups[at] != row_groups || column.row_groups.len() != row_groups {
                return Err(self.another_number(at));
            }
        }
        Ok(())
    }

    fn another_number(&self, at: usize) -> ForeignError {
        let got = self.columns[at].row_groups.len();
        ForeignError::field("filters", got, "one per row group of a column that is once in each")
    }
}
