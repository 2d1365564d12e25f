//! The cells of a real filter, as a scene has them.

use super::{increments, scene};
use crate::error::Error;
use anther::parts::view;
use anther::units;
use anther::{AnyFilter, Inspect, KeyHash, Kind};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most cells in a drawing. The smallest `floom` with all its signatures has about half
/// as many.
pub const MOST_CELLS: u64 = 8192;

/// Where the slots of each shard begin. Of a single shard there is nothing to see in it.
const SHARDS: &str = "shards";

/// Of all steps together. A million are about 100 MB until they are drawn, and more pages than
/// anybody turns.
pub const MOST_DRAWN: u64 = 1_000_000;
/// Each step looks at the keys of those before it, however few the cells are.
pub const MOST_STEPS: u64 = 1000;

/// Rejects a scene that is too long, before it is made.
pub fn check_length(steps: u64, cells: u64, next: &str) -> Result<(), Error> {
    let drawn = steps.saturating_mul(cells);
    let cause = if steps > MOST_STEPS {
        format!("{} steps; at most {} can be drawn", units::count(steps), units::count(MOST_STEPS))
    } else if drawn > MOST_DRAWN {
        format!(
            "{} steps of {} cells are {} cells; at most {} can be drawn",
            units::count(steps),
            units::count(cells),
            units::count(drawn),
            units::count(MOST_DRAWN)
        )
    } else {
        return Ok(());
    };
    Err(Error::Failed(format!("{cause}; use {next}")))
}

/// All cells of a filter at some moment, or a part of them.
pub struct Look {
    kind: Kind,
    /// Where cells are counts and sums, how many bits count.
    counter_bits: Option<u32>,
    rows: Vec<Seen>,
}

/// The cells of a row that are looked at.
struct Seen {
    name: &'static str,
    title: String,
    marks: bool,
    group: u64,
    width: u32,
    first: u64,
    values: Vec<u64>,
    groups: Vec<usize>,
    /// The number of the first bucket, where there are some.
    buckets: Option<u64>,
    /// As in the look.
    counter_bits: Option<u32>,
}

/// What a step has to do with cells.
#[derive(Default)]
pub struct Involved<'a> {
    /// The cells of its key, or of all keys at once.
    pub touches: &'a [view::Touch],
    /// Whether they are those of hash functions, or of buckets, one after the other.
    pub in_order: bool,
    /// The cells before it.
    pub before: Option<&'a Look>,
    /// How many of the keys that are in have a cell.
    pub owners: BTreeMap<(usize, u64), u32>,
    /// Whether the answer is no.
    pub is_no: bool,
}

impl Look {
    /// At a filter that is small enough, or at these cells of each of its rows.
    pub fn at(filter: &AnyFilter, part: Option<&Range<u64>>) -> Result<Look, Error> {
        let rows = filter.rows();
        let clip = |cells: u64| match part {
            Some(part) => part.start.min(cells)..part.end.min(cells),
            None => 0..cells,
        };
        let total = rows
            .iter()
            .map(|row| clip(row.cells.cells()))
            .fold(0u64, |sum, part| sum.saturating_add(part.end.saturating_sub(part.start)));
        if total > MOST_CELLS {
            return Err(Error::Failed(format!(
                "{} cells; at most {} can be drawn",
                units::count(total),
                units::count(MOST_CELLS)
            )));
        }
        let counter_bits = increments::counter_bits(filter);
        let shards = rows.iter().filter(|row| row.name == SHARDS).map(|row| row.cells.cells());
        let one_shard = shards.sum::<u64>() == 1;
        let layered = rows.iter().any(|row| row.layer > 0);
        let seen = |row: &view::Row<'_>| {
            let part = match one_shard && row.name == SHARDS {
                true => 0..0,
                false => clip(row.cells.cells()),
            };
            let begins = |cell: &u64| {
                let group = row.group_of(*cell);
                group.is_some() && (*cell == 0 || row.group_of(cell - 1) != group)
            };
            // Of a part that begins within a group the rest is one.
            let groups = (0..).zip(part.clone()).filter(|(_, cell)| begins(cell));
            let title = match (layered, row.name) {
                (true, name) => format!("{name}, layer {}", row.layer + 1),
                (false, "tags") => "tags, in numbered buckets".to_string(),
                (false, name) => name.to_string(),
            };
            Seen {
                name: row.name,
                title,
                marks: row.marks,
                group: row.group,
                width: row.cells.width(),
                first: part.start,
                buckets: row.group_of(part.start).filter(|_| row.name == "tags"),
                values: part.map(|cell| row.cells.get(cell)).collect(),
                groups: groups.map(|(at, _)| at).collect(),
                counter_bits,
            }
        };
        Ok(Look { kind: filter.kind(), counter_bits, rows: rows.iter().map(seen).collect() })
    }

    /// Whether a row is left out of every drawing.
    pub fn leaves_out(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.name == SHARDS && row.values.is_empty())
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.rows.iter().map(|row| row.values.len()).sum()
    }

    /// What a cell says, where it is looked at.
    pub fn value(&self, row: usize, cell: u64) -> Option<u64> {
        let row = self.rows.get(row)?;
        let at = usize::try_from(cell.checked_sub(row.first)?).ok()?;
        row.values.get(at).copied()
    }

    /// What the cells of a row are called.
    pub fn name(&self, row: usize) -> &'static str {
        self.rows.get(row).map_or("cells", |row| row.name)
    }

    /// The largest value of a row's cells.
    pub fn most(&self, row: usize) -> u64 {
        let width = self.rows.get(row).map_or(0, |row| row.width);
        1u64.checked_shl(width).map_or(u64::MAX, |beyond| beyond - 1)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Of cells that are counts and sums, how many bits count.
    pub fn counter_bits(&self) -> Option<u32> {
        self.counter_bits
    }

    /// What is written in a cell of a row that has this value.
    pub fn text(&self, row: usize, value: u64) -> String {
        self.rows.get(row).map_or(String::new(), |row| row.text(value))
    }

    /// The cells that differ from another look, taken before: their rows and numbers.
    pub fn changes(&self, before: &Look) -> Vec<(usize, u64)> {
        let of_row = |(number, row): (usize, &Seen)| {
            let cells = (row.first..).zip(&row.values);
            let changed = move |(cell, value): &(u64, &u64)| match before.value(number, *cell) {
                Some(old) => old != **value,
                // A row that was not there before is new where something is in it.
                None => **value != 0,
            };
            cells.filter(changed).map(move |(cell, _)| (number, cell)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(of_row).collect()
    }

    /// The rows and the key's touches, drawn.
    pub fn drawn(&self, involved: &Involved<'_>) -> (Vec<scene::Row>, Vec<scene::Touch>) {
        let changes = involved.before.map_or(Vec::new(), |before| self.changes(before));
        let draw = |(number, seen): (usize, &Seen)| {
            let cell = |(at, value): (u64, &u64)| {
                let owners = involved.owners.get(&(number, at)).copied().unwrap_or(0);
                scene::Cell {
                    text: seen.text(*value),
                    taken: *value > 0 && (seen.marks || seen.width == 1),
                    changed: changes.binary_search(&(number, at)).is_ok(),
                    // Stable filters set counters to the largest value and lower all of them.
                    stuck: self.kind != Kind::Stable && seen.is_stuck(*value),
                    shared: owners > 1 && are_of_functions(seen.name),
                    ..scene::Cell::default()
                }
            };
            let cells = (seen.first..).zip(&seen.values).map(cell).collect();
            let (name, groups) = (seen.title.clone(), seen.groups.clone());
            scene::Row {
                name,
                groups,
                marks: seen.marks || seen.width == 1,
                first: seen.first,
                buckets: seen.buckets,
                wide: seen.wide(),
                cells,
            }
        };
        let mut rows: Vec<scene::Row> = self.rows.iter().enumerate().map(draw).collect();
        let mut touches = Vec::new();
        for (touch, hash) in involved.touches.iter().zip(self.functions(involved.touches)) {
            let marks = self.rows.get(touch.row).is_some_and(|row| row.marks);
            let Some(cell) = rows.get_mut(touch.row).and_then(|row| row.at(touch.cell)) else {
                continue;
            };
            cell.touched = true;
            cell.missing = involved.is_no && marks && !cell.taken && needs_all(self.kind);
            let hash = hash.filter(|_| involved.in_order);
            touches.push(scene::Touch { row: touch.row, cell: touch.cell, hash });
        }
        let kept = self.drawn_rows();
        for touch in &mut touches {
            touch.row = kept.binary_search(&touch.row).unwrap_or(0);
        }
        rows.retain(|row| !row.cells.is_empty());
        (rows, touches)
    }

    /// The rows that are drawn: those of which a cell is looked at.
    pub fn drawn_rows(&self) -> Vec<usize> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| !row.values.is_empty()).map(|(number, _)| number).collect()
    }

    /// Which hash function each touch is of: in each row they come in order. Of kinds with
    /// buckets, which bucket it is.
    fn functions(&self, touches: &[view::Touch]) -> Vec<Option<usize>> {
        let mut functions = Vec::new();
        for (at, touch) in touches.iter().enumerate() {
            let earlier = touches[..at].iter().filter(|other| other.row == touch.row);
            functions.push(match self.name(touch.row) {
                _ if matches!(self.kind, Kind::Ribbon | Kind::Cascade | Kind::Quotient) => None,
                name if are_of_functions(name) => Some(earlier.count() + 1),
                "tags" => {
                    let bucket = |cell| self.bucket(touch.row, cell);
                    let mut buckets: Vec<_> = earlier.map(|other| bucket(other.cell)).collect();
                    buckets.dedup();
                    let own = bucket(touch.cell);
                    let known = buckets.iter().position(|bucket| *bucket == own);
                    Some(known.unwrap_or(buckets.len()) + 1)
                }
                _ => None,
            });
        }
        functions
    }

    /// The number of a cell's bucket.
    pub fn bucket(&self, row: usize, cell: u64) -> u64 {
        let Some(row) = self.rows.get(row) else { return 0 };
        cell.checked_div(row.group).unwrap_or(0)
    }
}

impl Seen {
    /// Whether a counter is at its largest value.
    fn is_stuck(&self, value: u64) -> bool {
        match self.counter_bits {
            Some(bits) => increments::parts(value, bits).0 == (1 << bits) - 1,
            None => {
                matches!(self.name, "counters" | "secondary") && value.count_ones() == self.width
            }
        }
    }

    fn text(&self, value: u64) -> String {
        if let (Some(bits), true) = (self.counter_bits, value > 0) {
            let (count, sum) = increments::parts(value, bits);
            return format!("{count}:{sum}");
        }
        match self.name {
            "counters" | "secondary" | "hot probes" | "thresholds" | "offsets" => value.to_string(),
            _ if self.width == 1 => value.to_string(),
            // Nothing is in it.
            _ if self.marks && value == 0 => String::new(),
            _ => format!("{value:0wide$x}", wide = self.wide()),
        }
    }

    /// Hexadecimal digits of a cell. What counts begins with one.
    fn wide(&self) -> usize {
        match self.name {
            _ if self.counter_bits.is_some() => 3,
            "counters" | "secondary" | "hot probes" | "thresholds" | "offsets" => 1,
            _ => self.width.div_ceil(4) as usize,
        }
    }
}

/// Whether a row's cells are those that hash functions lead to. Others are read beside them, as the
/// marks of regions are, and to share those means nothing.
fn are_of_functions(name: &str) -> bool {
    matches!(name, "bits" | "counters" | "secondary" | "slots" | "checks" | "owners" | "values")
}

/// Whether a cell that is 0 is reason enough for a no.
fn needs_all(kind: Kind) -> bool {
    !matches!(kind, Kind::Cuckoo | Kind::DLeft | Kind::Quotient | Kind::Generalized | Kind::Aging)
}

/// Whether several keys can share one cell. Where a cell has one key's tag, its bucket is
/// shared, but no more need be said of that. Where slices are emptied, keys lose their cells.
pub fn shares(kind: Kind) -> bool {
    !matches!(kind, Kind::Cuckoo | Kind::DLeft | Kind::Quotient | Kind::Aging)
}

/// The cells that a kind is made of, such as "12 slots", without those that help to find them.
pub fn own_cells(filter: &AnyFilter) -> String {
    let rows = filter.rows();
    let name = rows.first().map_or("cells", |row| row.name);
    let own = rows.iter().filter(|row| row.name == name);
    let cells: u64 = own.map(|row| row.cells.cells()).sum();
    let name = match name {
        "remainders" | "tags" => "slots",
        other => other,
    };
    let name = if cells == 1 { name.trim_end_matches('s') } else { name };
    format!("{} {name}", units::count(cells))
}

/// How many of some keys have each cell.
pub fn owners(filter: &AnyFilter, keys: &[KeyHash]) -> BTreeMap<(usize, u64), u32> {
    let mut owners = BTreeMap::new();
    if !shares(filter.kind()) {
        return owners;
    }
    let mut keys = keys.to_vec();
    keys.sort_unstable_by_key(|key| key.0);
    keys.dedup();
    for key in keys {
        let mut cells: Vec<(usize, u64)> =
            filter.touches(key).iter().map(|touch| (touch.row, touch.cell)).collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            *owners.entry(cell).or_default() += 1;
        }
    }
    owners
}
