//! Which cells a lookup reads, for the kinds where cells and sections are the same thing.

use crate::json::{Object, list};
use anther::{AnyFilter, Inspect, KeyHash, Kind, Row};
use std::collections::BTreeMap;

/// An entry for each key; `None` for other kinds.
pub fn of(filter: &AnyFilter, keys: &[KeyHash]) -> Option<Vec<String>> {
    let reads: fn(&AnyFilter, KeyHash) -> Option<String> = match filter.kind() {
        Kind::Classic | Kind::Blocked | Kind::Split | Kind::Counting | Kind::Compressed => cells,
        Kind::Fuse | Kind::Cuckoo | Kind::DLeft => cells,
        Kind::Ribbon => ribbon,
        _ => return None,
    };
    keys.iter().map(|key| reads(filter, *key)).collect()
}

/// The numbers of the cells, in the order of the probes.
fn cells(filter: &AnyFilter, key: KeyHash) -> Option<String> {
    let cells: Vec<u64> = filter.touches(key).iter().map(|touch| touch.cell).collect();
    Some(Object::new().word("hash", key.0).raw("cells", list(cells)).end())
}

/// The shards and thresholds on the key's way, counted over all layers, and the slots whose columns
/// are xored, counted from the beginning of its last shard.
fn ribbon(filter: &AnyFilter, key: KeyHash) -> Option<String> {
    let rows = filter.rows();
    let before = narrow_slots(&rows)?;
    let mut read: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for touch in filter.touches(key) {
        let offset = before.get(&touch.row).copied().unwrap_or(0);
        read.entry(rows[touch.row].name).or_default().push(offset + touch.cell);
    }
    let mut entry = Object::new().word("hash", key.0);
    for name in ["shards", "thresholds", "slots"] {
        entry = entry.raw(name, list(read.remove(name).unwrap_or_default()));
    }
    Some(entry.end())
}

/// A shard has a row of its narrow blocks and one of its wide ones, unless it has none of them. For
/// each row of wide blocks, the slots of the narrow ones before it.
fn narrow_slots(rows: &[Row<'_>]) -> Option<BTreeMap<usize, u64>> {
    let (directory, slots) = rows.split_last()?;
    let (mut at, mut before) = (0, BTreeMap::new());
    for shard in 0..directory.cells.cells() {
        let word = directory.cells.get(shard);
        let (blocks, narrow) = (word & 0x7FF_FFFF, word >> 27 & 0x7FF_FFFF);
        let has_narrow = slots.get(at).is_some_and(|row| row.name == "slots") && narrow > 0;
        at += usize::from(has_narrow);
        if blocks > narrow {
            before.insert(at, narrow * 64);
            at += 1;
        }
    }
    (slots.get(at)?.name == "thresholds").then_some(before)
}
