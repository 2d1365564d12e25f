//! Steps of filters whose slices grow old: where a key's bits go, and where they are found in a row.

use super::explain::{Moment, list};
use anther::format::Value;
use anther::{AnyFilter, Filter, Inspect};

/// How many slices an insert writes to, the newest first, and how many must match in a row.
pub fn in_a_row(filter: &AnyFilter) -> Option<usize> {
    let AnyFilter::Aging(filter) = filter else { return None };
    usize::try_from(filter.ring().probes).ok()
}

impl Moment<'_> {
    /// Which bits the key set, and whether a generation ended before.
    pub fn slices_put(&self) -> String {
        let row = in_a_row(self.filter).unwrap_or(0);
        // The ages are those after the insert: the ring may have moved.
        let cells: Vec<u64> =
            self.filter.touches(self.key).iter().take(row).map(|touch| touch.cell).collect();
        let note = format!("sets {} in the {row} newest slices", list(&cells));
        match self.begins_a_generation() {
            true => format!("a generation is over, so the oldest slice is emptied; {note}"),
            false => note,
        }
    }

    fn begins_a_generation(&self) -> bool {
        let parameters = self.filter.parameters();
        let first =
            |(name, value): &(String, Value)| name == "arrivals" && *value == Value::Whole(1);
        parameters.iter().any(first) && self.filter.about().inserted > 1
    }

    /// Which slices in a row have the key's bit, or that no slices do.
    pub fn slices_found(&self, found: bool) -> String {
        let row = in_a_row(self.filter).unwrap_or(1);
        let bits: Vec<bool> =
            self.touches.iter().map(|touch| self.value(touch.row, touch.cell) == 1).collect();
        let first = bits.windows(row).position(|row| row.iter().all(|one| *one));
        match first.filter(|_| found) {
            Some(0) => format!("1 in the {row} newest slices, so maybe"),
            Some(age) => format!("1 in {row} slices in a row, from age {age} on, so maybe"),
            None => format!("not 1 in {row} slices in a row, so no"),
        }
    }
}
