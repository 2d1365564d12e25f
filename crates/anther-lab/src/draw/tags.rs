//! Steps of kinds whose buckets hold tags: which tag goes where, and which make room.

use super::explain::{Moment, distinct, list};
use anther::{Inspect, Kind};

impl Moment<'_> {
    /// Where the key's tag went, and which others moved.
    pub fn tag_put(&self) -> String {
        let cells: Vec<u64> = self.now.changes(self.before).iter().map(|(_, cell)| *cell).collect();
        let was = |cell: u64| self.before.value(0, cell).unwrap_or(0);
        let is = |cell: u64| self.now.value(0, cell).unwrap_or(0);
        // Each tag that is elsewhere than before, by the cells that it left and went to.
        let mut reached: Vec<u64> = Vec::new();
        let mut moves: Vec<(u64, u64)> = Vec::new();
        for from in cells.iter().copied().filter(|cell| was(*cell) != 0) {
            let to = cells.iter().copied().find(|to| is(*to) == was(from) && !reached.contains(to));
            if let Some(to) = to {
                reached.push(to);
                moves.push((from, to));
            }
        }
        let own = |cell: &u64| self.of_row(0).any(|touched| touched == *cell);
        let Some(cell) = cells.iter().copied().filter(own).find(|cell| !reached.contains(cell))
        else {
            return "raises the count of a tag that was there".to_string();
        };
        let bucket = self.now.bucket(0, cell);
        if self.filter.kind() == Kind::DLeft && was(cell) != 0 {
            let tag = self.now.text(0, is(cell));
            return format!("its tag is in bucket {bucket} already, and counts once more: {tag}");
        }
        let mut others = distinct(self.of_row(0).map(|cell| self.now.bucket(0, cell)));
        others.retain(|other| *other != bucket);
        let mut note = format!("tag {} goes to bucket {bucket}", self.now.text(0, is(cell)));
        if !others.is_empty() {
            note += &format!(", and might have gone to {}", list(&others));
        }
        for (from, to) in moves {
            let tag = self.now.text(0, was(from));
            let (from, to) = (self.now.bucket(0, from), self.now.bucket(0, to));
            note += &format!("; {tag} moves from bucket {from} to {to}");
        }
        note
    }

    /// Which cell has the key's tag: the one that changes when a copy of the filter gives it back.
    pub fn tag_cell(&self) -> Option<(usize, u64)> {
        if !matches!(self.filter.kind(), Kind::Cuckoo | Kind::DLeft) {
            return None;
        }
        let mut copy = self.filter.clone();
        copy.as_remove()?.remove_hash(self.key).ok()?;
        let (then, now) = (copy.rows(), self.filter.rows());
        let changed = |row: usize, cell: u64| {
            let value = |rows: &[anther::parts::view::Row<'_>]| {
                rows.get(row).map(|row| row.cells.get(cell))
            };
            value(&then) != value(&now)
        };
        let touch = self.touches.iter().find(|touch| changed(touch.row, touch.cell))?;
        Some((touch.row, touch.cell))
    }

    /// In which bucket the key's tag is.
    pub fn tag_found(&self, found: bool) -> String {
        match self.tag_cell() {
            _ if !found => "its tag is in none of its buckets, so no".to_string(),
            Some((row, cell)) => {
                let (tag, bucket) = (self.text(row, cell), self.now.bucket(row, cell));
                format!("tag {tag} is in bucket {bucket}, so maybe")
            }
            // A count at its largest value stays.
            None => "its tag is in one of its buckets, so maybe".to_string(),
        }
    }
}
