//! Parquet's split-block filters: those in a Parquet file, one alone, and the bit set alone.
//!
//! Every row group may have a filter of every column. The bits are those of [`Split`] with
//! [`Seed::XXH64`], so they are converted exactly, in both directions. What is hashed is the plain
//! encoding of a value: its bytes, little-endian for numbers, without a length.
//!
//! [`add_filters`] adds filters to a file that has none.

mod add;
mod bitset;
mod footer;
mod logical;
mod thrift;
mod values;

pub use add::{ColumnFilters, add_filters};
pub use footer::{Column, Physical};
pub use logical::{Logical, Unit};
pub use values::{Equals, equals};

use super::info::Info;
use super::open::Source;
use super::{Entry, ForeignFilter, System};
use crate::error::ForeignError;
use crate::filter::split::Split;
use crate::parts::hash::Seed;
use crate::recipe::{KeyRule, Recipe};
use crate::target::Target;
use footer::{Chunk, Footer};
use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;

/// The filters of a column of a Parquet file, or one filter alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Parquet {
    column: Option<Column>,
    /// Rows of each row group of the file.
    rows: Arc<[u64]>,
    /// Filters, with the numbers of their row groups, which increase.
    filters: Vec<(usize, Split)>,
    /// Whether a row group has rows and no filter.
    is_partial: bool,
}

impl Parquet {
    /// An empty filter alone, of the size that Arrow and DuckDB give it.
    pub fn new(target: Target) -> Result<Parquet, ForeignError> {
        bitset::empty(target).map(Parquet::alone)
    }

    /// The filter of these bits, which Parquet's readers must take: hashed with [`Seed::XXH64`], and
    /// of a power of two of bytes from 32 to 128 MiB.
    pub fn from_split(filter: Split) -> Result<Parquet, ForeignError> {
        if filter.about.seed != Seed::XXH64 {
            return Err(ForeignError::Refused(
                "Parquet hashes keys with XXH64, and this filter has another hash; build one from \
                 the keys with --to parquet",
            ));
        }
        bitset::check_size(filter.bits.len() / 8)?;
        Ok(Parquet::alone(filter))
    }

    /// Reads a filter alone, with its header.
    pub fn from_bytes(bytes: &[u8]) -> Result<Parquet, ForeignError> {
        let (len, at) = bitset::read_header(bytes)?;
        let bits = bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
        match (bits.len() as u64).cmp(&len) {
            std::cmp::Ordering::Less => Err(ForeignError::Truncated),
            std::cmp::Ordering::Greater => Err(ForeignError::Trailing),
            std::cmp::Ordering::Equal => bitset::filter(bits).map(Parquet::alone),
        }
    }

    /// Reads a bit set alone, without a header, as parquet-java's `writeTo` writes it.
    pub fn from_bitset(bytes: &[u8]) -> Result<Parquet, ForeignError> {
        bitset::checked_len(i64::try_from(bytes.len()).unwrap_or(i64::MAX))?;
        bitset::filter(bytes).map(Parquet::alone)
    }

    fn alone(filter: Split) -> Parquet {
        Parquet { column: None, rows: Arc::new([1]), filters: vec![(0, filter)], is_partial: false }
    }

    fn of_column(column: Column, rows: Arc<[u64]>, filters: Vec<(usize, Split)>) -> Parquet {
        let filled = rows.iter().filter(|rows| **rows > 0).count();
        let filtered = filters.iter().filter(|(group, _)| rows[*group] > 0).count();
        Parquet { column: Some(column), rows, filters, is_partial: filtered < filled }
    }

    /// The filter alone, with its header, as it is in a Parquet file. A column of several row
    /// groups has several: see [`row_group`](Parquet::row_group).
    pub fn to_bytes(&self) -> Result<Vec<u8>, ForeignError> {
        let filter = self.single()?;
        let mut bytes = bitset::header(filter)?;
        bytes.extend(bitset::bits(filter));
        Ok(bytes)
    }

    /// The same bits as a filter of ours. With a column, its keys have the column's
    /// [form](Column::form).
    pub fn to_split(&self) -> Result<Split, ForeignError> {
        let mut filter = self.single()?.clone();
        if let Some(column) = &self.column {
            let rule = KeyRule { form: column.form, ..KeyRule::default() };
            filter.about.recipe = Some(Recipe { rule, ..Recipe::default() });
        }
        Ok(filter)
    }

    fn single(&self) -> Result<&Split, ForeignError> {
        match &self.filters[..] {
            [(_, only)] if self.rows.len() == 1 => Ok(only),
            _ => Err(ForeignError::Refused(
                "the column has several row groups, each with a filter of its own; build one filter \
                 from the keys of all",
            )),
        }
    }

    /// Inserts a key, by the bytes of its plain encoding, into a filter alone.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), ForeignError> {
        self.single()?;
        self.filters.iter_mut().for_each(|(_, filter)| _ = filter.insert(key));
        Ok(())
    }

    /// Whether a key is in some row group, or looks as if it were. A row group without a filter may
    /// have any key. In a column of floats, a zero is in if the other one is, as in SQL, and a NaN
    /// may always be in: it has many spellings, which all have other hashes.
    pub fn contains(&self, key: &[u8]) -> bool {
        let has = |filter| self.may_have(filter, key);
        self.is_partial || self.filters.iter().any(|(_, filter)| has(filter))
    }

    fn may_have(&self, filter: &Split, key: &[u8]) -> bool {
        match &self.column {
            Some(column) if column.has_floats() => match equals(key) {
                Equals::Itself => filter.contains(key),
                Equals::Zeros(zeros) => zeros.iter().any(|zero| filter.contains(&**zero)),
                Equals::Nans(_) => true,
            },
            _ => filter.contains(key),
        }
    }

    /// The row groups that a key may be in, by their numbers from 0: those that a reader must read.
    pub fn row_groups_with(&self, key: &[u8]) -> Vec<usize> {
        let may = |group: &usize| match self.row_group(*group) {
            Some(filter) => self.may_have(filter, key),
            None => self.rows[*group] > 0,
        };
        (0..self.rows.len()).filter(may).collect()
    }

    /// The filter of a row group, if it has one.
    pub fn row_group(&self, number: usize) -> Option<&Split> {
        let found = self.filters.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.filters[found].1)
    }

    /// The number of row groups of the file, with and without a filter.
    pub fn row_groups(&self) -> usize {
        self.rows.len()
    }

    /// The number of row groups that have a filter.
    pub fn filtered_row_groups(&self) -> usize {
        self.filters.len()
    }

    /// The column that it is of; none of a filter alone.
    pub fn column(&self) -> Option<&Column> {
        self.column.as_ref()
    }

    pub(super) fn info(&self) -> Info {
        let profiles: Vec<_> = self.filters.iter().map(|(_, filter)| filter.profile()).collect();
        let bits = profiles.iter().map(|profile| profile.bits).sum::<u64>();
        let ones = profiles.iter().map(|profile| profile.fill * profile.bits as f64).sum::<f64>();
        let passes = profiles.iter().map(|profile| 1.0 - profile.fpr_now).product::<f64>();
        let mut fields = Vec::new();
        if let Some(column) = &self.column {
            fields.push(("column", column.name.clone()));
            fields.push(("type", column.physical.name().to_string()));
            if column.logical != Logical::Plain {
                fields.push(("logical type", column.logical.to_string()));
            }
            fields.push(("keys as", column.form.name().to_string()));
            let (with, all) = (self.filters.len(), self.rows.len());
            fields.push(("row groups with a filter", format!("{with} of {all}")));
        }
        Info {
            system: System::Parquet,
            format: "split blocks, XXH64",
            bits,
            probes: 8,
            fill: ones / bits.max(1) as f64,
            fpr: if self.is_partial { 1.0 } else { 1.0 - passes },
            // Row groups may share keys.
            items: if let [only] = &profiles[..] { only.items } else { None },
            inserted: None,
            capacity: None,
            target_fpr: None,
            layers: u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            fields,
        }
    }
}

/// Whether a file looks like a Parquet file, or like a filter alone, whose header tells its length.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    if is_file(source) {
        return source.end.ends_with(footer::MAGIC) || source.end.ends_with(footer::ENCRYPTED);
    }
    bitset::read_header(&source.start).is_ok_and(|(len, at)| source.len == len + at)
}

/// Whether it begins as a Parquet file, and not as a filter alone.
fn is_file(source: &Source<'_>) -> bool {
    [footer::MAGIC, footer::ENCRYPTED].into_iter().any(|magic| source.start.starts_with(magic))
}

pub(super) fn open(
    source: &mut Source<'_>,
    limit: u64,
    is_bare: bool,
) -> Result<Vec<Entry>, ForeignError> {
    if !is_bare && is_file(source) {
        return columns(source, limit);
    }
    let bytes = source.all(limit)?;
    let filter = if is_bare { Parquet::from_bitset(&bytes) } else { Parquet::from_bytes(&bytes) };
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Parquet(filter?) }])
}

/// Where the filter of a column in a row group is.
struct Place {
    column: usize,
    row_group: usize,
    offset: u64,
    /// Bytes of its header, and of its bit set.
    header: u64,
    len: u64,
}

/// The columns that have filters.
fn columns(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let footer = Footer::read(source, limit)?;
    let (mut columns, mut numbers) = (Vec::<Column>::new(), BTreeMap::new());
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    let metadata = footer.metadata()?;
    let leaves = logical::leaves(&metadata)?;
    let mut row_groups = metadata.list(4)?.ok_or(ForeignError::Malformed("no row groups"))?;
    while let Some(row_group) = row_groups.next_struct()? {
        let count = row_group.i64(3)?.and_then(|rows| u64::try_from(rows).ok());
        rows.push(count.ok_or(ForeignError::Malformed("a row group without its rows"))?);
        let Some(mut chunks) = row_group.list(1)? else { continue };
        let mut number = 0;
        while let Some(chunk) = chunks.next_struct()? {
            let chunk = Chunk::read(&chunk)?;
            if let Some((offset, len)) = chunk.filter {
                let column = *numbers.entry(chunk.path).or_insert_with(|| {
                    columns.push(chunk.column(leaves.get(number)));
                    columns.len() - 1
                });
                let row_group = rows.len() - 1;
                places.push(place(source, footer.start, column, row_group, offset, len)?);
            }
            number += 1;
        }
    }
    check_places(&places, limit)?;
    if places.is_empty() {
        return Err(ForeignError::Refused("a Parquet file without Bloom filters"));
    }
    let rows: Arc<[u64]> = rows.into();
    let mut filters: Vec<Vec<(usize, Split)>> = columns.iter().map(|_| Vec::new()).collect();
    for place in places {
        let bits = source.bytes(place.offset + place.header, place.len)?;
        let filters = &mut filters[place.column];
        if filters.last().is_some_and(|(row_group, _)| *row_group == place.row_group) {
            return Err(ForeignError::Malformed("a column that is twice in a row group"));
        }
        filters.push((place.row_group, bitset::filter(&bits)?));
    }
    let entries = columns.into_iter().zip(filters).map(|(column, filters)| {
        let name = column.name.clone();
        let filter = Parquet::of_column(column, rows.clone(), filters);
        Entry { name, filter: ForeignFilter::Parquet(filter) }
    });
    Ok(entries.collect())
}

/// Reads a filter's header, which says how long the filter is.
fn place(
    source: &mut Source<'_>,
    end: u64,
    column: usize,
    row_group: usize,
    offset: u64,
    told: Option<u64>,
) -> Result<Place, ForeignError> {
    let outside = || ForeignError::field("bloom_filter_offset", offset, "before the footer");
    let room = end.checked_sub(offset).filter(|_| offset >= 4).ok_or_else(outside)?;
    let (len, header) = bitset::read_header(&source.bytes(offset, room.min(bitset::MAX_HEADER))?)?;
    let whole = header + len;
    if whole > room {
        return Err(outside());
    }
    if told.is_some_and(|told| told != whole) {
        let told = told.unwrap_or_default();
        return Err(ForeignError::field("bloom_filter_length", told, whole));
    }
    Ok(Place { column, row_group, offset, header, len })
}

/// Filters must not share bytes, or a small file would need much memory.
fn check_places(places: &[Place], limit: u64) -> Result<(), ForeignError> {
    let mut spans: Vec<_> = places
        .iter()
        .map(|place| (place.offset, place.offset + place.header + place.len))
        .collect();
    spans.sort_unstable();
    if spans.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err(ForeignError::Malformed("filters that overlap"));
    }
    let bytes = places.iter().map(|place| place.len).sum();
    if bytes > limit { Err(ForeignError::TooLarge { bytes, limit }) } else { Ok(()) }
}

/// The columns of a Parquet file in their order, and the rows of each row group: what
/// [`add_filters`] needs to know.
pub fn layout<R: Read + Seek>(mut file: R) -> Result<(Vec<Column>, Vec<u64>), ForeignError> {
    let mut source = Source::new(&mut file, None)?;
    let footer = Footer::read(&mut source, u64::MAX)?;
    let metadata = footer.metadata()?;
    let leaves = logical::leaves(&metadata)?;
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    let mut row_groups = metadata.list(4)?.ok_or(ForeignError::Malformed("no row groups"))?;
    while let Some(row_group) = row_groups.next_struct()? {
        let count = row_group.i64(3)?.and_then(|rows| u64::try_from(rows).ok());
        rows.push(count.ok_or(ForeignError::Malformed("a row group without its rows"))?);
        let Some(mut chunks) = row_group.list(1)?.filter(|_| rows.len() == 1) else { continue };
        while let Some(chunk) = chunks.next_struct()? {
            let leaf = leaves.get(columns.len());
            columns.push(Chunk::read(&chunk)?.column(leaf));
        }
    }
    Ok((columns, rows))
}
