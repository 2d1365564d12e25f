//! What a step did to a real filter, in words, and what each kind's cells are.

use super::look::Look;
use anther::format::Value;
use anther::parts::view::Touch;
use anther::{AnyFilter, Inspect, KeyHash, Kind};

/// What the cells of a kind are.
pub fn about(kind: Kind) -> &'static str {
    match kind {
        Kind::Classic => {
            "Each hash function leads to one bit; a key that is in has all of its bits 1."
        }
        Kind::Blocked => {
            "All bits of a key are in one block of 512 bits, so a lookup reads one cache line."
        }
        Kind::Split => "Eight bits of a key, one in each 32 bits of its block.",
        Kind::Compressed => {
            "More bits than classic has, and fewer of them 1: they are coded in the file."
        }
        Kind::Counting => "A counter in place of each bit, so that keys can be removed.",
        Kind::VariableIncrement => {
            "A key adds a number of its own to each of its cells. A cell n:s holds n such numbers, \
             and s is their sum; so it can tell whose they are."
        }
        Kind::Deletable => {
            "Bits in regions. Where two keys collide, the region is marked, and its bits are never \
             cleared again."
        }
        Kind::Scalable => "Layers: when one is full the next begins, larger and with a lower rate.",
        Kind::Cuckoo => {
            "Buckets of tags. A key has two buckets, and its tag is in one of them. If both are full, \
             other tags move."
        }
        Kind::DLeft => {
            "Buckets of tags and counts, in four tables; a tag goes to the emptiest bucket."
        }
        Kind::Quotient => {
            "The upper bits of a hash name a run of slots, the lower bits are stored there."
        }
        Kind::Spectral => "Counters: the lowest counter of a key says how often it was inserted.",
        Kind::Aging => {
            "Slices in a ring. A key sets a bit in each of the newest slices, and is in if as many \
             slices in a row have its bit. In turn the oldest slice is emptied: it forgets."
        }
        Kind::Stable => {
            "Each key sets its counters to the largest value, and others go down: it forgets."
        }
        Kind::Weighted => "Frequent keys have more bits. A table says how many.",
        Kind::Generalized => "Some hash functions set bits to 1 and others to 0: it forgets.",
        Kind::Robust => "Bits in cells; experimental.",
        Kind::Floom => "Bits in regions, and a signature of the regions of each key; experimental.",
        Kind::Fuse => {
            "A key's slots xored together are its fingerprint. Built once, from all keys."
        }
        Kind::Ribbon => {
            "A key's slots xored together are its fingerprint, in a band. Built once, from all keys."
        }
        Kind::Cascade => {
            "A filter of the keys, and a map that tells them from the other keys that pass it: here \
             those that are looked up. A key's slots xored together are its fingerprint in both."
        }
        Kind::Bloomier => {
            "A key's slots and its hash, xored together, are a check of 0 and its value. Built once, \
             from all keys."
        }
        _ => "",
    }
}

/// A step, before and after.
pub struct Moment<'a> {
    /// The filter after it.
    pub filter: &'a AnyFilter,
    /// The cells before it.
    pub before: &'a Look,
    /// The cells after it.
    pub now: &'a Look,
    /// The key.
    pub key: KeyHash,
    /// The key's cells.
    pub touches: &'a [Touch],
}

impl Moment<'_> {
    /// What came of putting the key in.
    pub fn inserted(&self) -> String {
        let kind = self.filter.kind();
        let layers = self.now.rows() - self.before.rows();
        let mut note = match kind {
            Kind::Cuckoo | Kind::DLeft => self.tag_put(),
            Kind::Quotient => self.remainder_put(),
            Kind::Aging => self.slices_put(),
            Kind::Generalized => "sets some of its bits to 1 and some to 0".to_string(),
            Kind::VariableIncrement => self.added(),
            _ => self.spread_put(),
        };
        if kind == Kind::Scalable && self.now.rows() > 1 {
            note += &format!(" (layer {})", self.taking(self.before) + 1);
        }
        if layers > 0 {
            note = format!("the layer was full, so a new one begins; {note}");
        }
        let (bits, marks): (Vec<_>, Vec<_>) =
            self.now.changes(self.before).into_iter().partition(|(row, _)| *row == 0);
        if kind == Kind::Deletable && !marks.is_empty() {
            let regions: Vec<u64> = marks.iter().map(|(_, region)| *region).collect();
            note += &format!("; collides, so {} {} marked", regions_named(&regions), are(&regions));
        }
        if kind == Kind::Stable {
            let touched = |cell: u64| self.touches.iter().any(|touch| touch.cell == cell);
            let others = bits.iter().filter(|(_, cell)| !touched(*cell)).count();
            note += &format!("; {others} other counters go down");
        }
        note
    }

    /// What came of taking the key out.
    pub fn removed(&self) -> String {
        match self.filter.kind() {
            Kind::Deletable => {
                let kept: Vec<u64> =
                    self.of_row(0).filter(|bit| self.value(0, *bit) == 1).collect();
                let cleared: Vec<u64> = self.of_row(0).filter(|bit| !kept.contains(bit)).collect();
                match &kept[..] {
                    [] => format!("clears {}", list(&cleared)),
                    [one] => format!("clears {}; {one} stays, in a marked region", list(&cleared)),
                    _ => format!(
                        "clears {}; {} stay, in marked regions",
                        list(&cleared),
                        list(&kept)
                    ),
                }
            }
            Kind::Cuckoo | Kind::DLeft => {
                let changed = self.now.changes(self.before);
                let cell = changed.iter().find(|(row, _)| *row == 0);
                cell.map_or(String::new(), |(row, cell)| {
                    let was = self.before.value(*row, *cell).unwrap_or(0);
                    let was = self.before.text(*row, was);
                    format!("takes {was} out of bucket {}", self.now.bucket(*row, *cell))
                })
            }
            Kind::Quotient => {
                "takes its remainder out, and the rest of the cluster moves back".to_string()
            }
            Kind::VariableIncrement => self.taken(),
            _ => self.counters("lowers", self.taking(self.before)),
        }
    }

    /// Why the filter answers as it does.
    pub fn asked(&self, found: bool) -> String {
        let kind = self.filter.kind();
        let mut note = match (kind, found) {
            (Kind::Cuckoo | Kind::DLeft, _) => self.tag_found(found),
            (Kind::VariableIncrement, _) => self.increments_found(found),
            (Kind::Aging, _) => self.slices_found(found),
            (Kind::Quotient, true) => "its remainder is in its run, so maybe".to_string(),
            (Kind::Quotient, false) => "its remainder is not in its run, so no".to_string(),
            (Kind::Fuse | Kind::Ribbon | Kind::Bloomier, _) => self.xored(found),
            (Kind::Cascade, _) => self.layers_passed(found),
            (Kind::Generalized, true) => "all as it left them, so maybe".to_string(),
            (Kind::Generalized, false) => "not as it left them, so no".to_string(),
            (Kind::Scalable, true) => self.layer_found(),
            (_, true) if self.now.name(0) == "bits" => "all 1, so maybe".to_string(),
            (_, true) => "all above 0, so maybe".to_string(),
            (_, false) => self.zeros(),
        };
        if let Some(values) = self.filter.as_lookup()
            && let Some(value) = values.get_hash(self.key)
        {
            note += &format!("; the value is {value}");
        }
        if let Some(counts) = self.filter.as_count()
            && counts.count_hash(self.key) > 0
        {
            note += &format!("; count {}", counts.count_hash(self.key));
        }
        note
    }

    /// What a cell says now, whether or not it is one of those that are drawn.
    pub fn value(&self, row: usize, cell: u64) -> u64 {
        let rows = self.filter.rows();
        rows.get(row).filter(|row| cell < row.cells.cells()).map_or(0, |row| row.cells.get(cell))
    }

    pub fn text(&self, row: usize, cell: u64) -> String {
        self.now.text(row, self.value(row, cell))
    }

    /// The row that a key went to: where it has layers, the first that had it already, by those
    /// cells, or else the newest.
    fn taking(&self, look: &Look) -> usize {
        if self.filter.kind() == Kind::Scalable {
            layer(look, self.touches).unwrap_or(self.now.rows() - 1)
        } else {
            0
        }
    }

    pub fn of_row(&self, row: usize) -> impl Iterator<Item = u64> {
        let here = self.touches.iter().filter(move |touch| touch.row == row);
        here.map(|touch| touch.cell)
    }

    fn numbers(&self, row: usize) -> String {
        list(&self.of_row(row).collect::<Vec<_>>())
    }

    fn spread_put(&self) -> String {
        let row = self.taking(self.before);
        if self.now.name(row) == "counters" {
            return match self.filter.kind() {
                Kind::Stable => format!("sets {}", self.numbers(row)),
                _ => self.counters("raises", row),
            };
        }
        let cells = distinct(self.of_row(row));
        let is_old = |cell: &u64| self.before.value(row, *cell).is_some_and(|value| value > 0);
        let (old, new): (Vec<u64>, Vec<u64>) = cells.into_iter().partition(is_old);
        match (&new[..], &old[..]) {
            ([], _) => "nothing new: all were 1 already".to_string(),
            (new, []) => format!("sets {}", list(new)),
            (new, [one]) => format!("sets {}; {one} was 1 already", list(new)),
            (new, old) => format!("sets {}; {} were 1 already", list(new), list(old)),
        }
    }

    /// Which of the key's counters moved, and which are at their largest value and do not.
    fn counters(&self, verb: &str, row: usize) -> String {
        let most = self.now.most(row);
        let value = |look: &Look, cell| look.value(row, cell).unwrap_or(0);
        let stuck =
            |cell: &u64| value(self.before, *cell) == most && value(self.now, *cell) == most;
        let moved = |cell: &u64| value(self.before, *cell) != value(self.now, *cell);
        let stuck = distinct(self.of_row(row).filter(stuck));
        moves(verb, &self.of_row(row).filter(moved).collect::<Vec<_>>(), &stuck, most)
    }

    fn remainder_put(&self) -> String {
        let quotient = self.touches.iter().find(|touch| self.now.name(touch.row) == "occupied");
        let quotient = quotient.map_or(String::new(), |touch| format!(" of {}", touch.cell));
        let moved = self.now.changes(self.before).iter().filter(|(row, _)| *row == 0).count();
        let mut note = format!("its remainder goes to the run{quotient}");
        if moved > 1 {
            note += &format!("; {} others move to make room", moved - 1);
        }
        note
    }

    fn xored(&self, found: bool) -> String {
        let slots = self.touches.iter().filter(|touch| self.now.name(touch.row) == "slots");
        let slots: Vec<u64> = slots.map(|touch| touch.cell).collect();
        let which = match &slots[..] {
            [] => "its slots".to_string(),
            some if some.len() > MOST_LISTED => format!("{} slots", some.len()),
            some => format!("slots {}", list(some)),
        };
        let Some((sum, xored)) = self.sum_of_slots(&slots) else {
            return match found {
                true => format!("{which} xored give its fingerprint, so maybe"),
                false => format!("{which} xored give another fingerprint, so no"),
            };
        };
        let value = self.filter.as_lookup().map(|values| values.get_hash(self.key));
        match (value.zip(check_bits(self.filter)), found) {
            (Some((Some(value), check)), _) => {
                let whole = value << check;
                let [own, whole] = [xored ^ whole, whole].map(|part| self.now.text(0, part));
                format!("{which}: {sum}; with its hash {own} that is {whole}: check 0, so maybe")
            }
            (Some((None, _)), _) => {
                format!("{which}: {sum}; with its hash the check is not 0, so no")
            }
            (None, true) => format!("{which}: {sum}, its fingerprint, so maybe"),
            (None, false) => format!("{which}: {sum}, another fingerprint, so no"),
        }
    }

    /// Which layers of a cascade say yes.
    fn layers_passed(&self, found: bool) -> String {
        let passes = match self.filter {
            AnyFilter::Cascade(cascade) => cascade.passes_hash(self.key),
            _ => found,
        };
        let of = |name: &str| {
            let touches = self.touches.iter().filter(|touch| self.now.name(touch.row) == name);
            touches.count()
        };
        let (slots, map) = (of("slots"), of("map"));
        let filter = match slots {
            0 => String::new(),
            _ if passes => format!("{slots} slots xored give its fingerprint; "),
            _ => return format!("{slots} slots xored give another fingerprint, so no"),
        };
        match found {
            true => format!("{filter}{map} slots of the map xored give its bit, so maybe"),
            false => format!("{filter}{map} slots of the map xored give the other bit, so no"),
        }
    }

    /// A few slots and what they are xored, as it is written and as a number.
    fn sum_of_slots(&self, slots: &[u64]) -> Option<(String, u64)> {
        let row = (0..self.now.rows()).find(|row| self.now.name(*row) == "slots")?;
        if slots.is_empty() || slots.len() > 4 {
            return None;
        }
        let values: Vec<u64> = slots.iter().map(|slot| self.value(row, *slot)).collect();
        let xored = values.iter().fold(0, |sum, value| sum ^ value);
        let texts: Vec<String> = values.iter().map(|value| self.now.text(row, *value)).collect();
        Some((format!("{} = {}", texts.join(" xor "), self.now.text(row, xored)), xored))
    }

    fn layer_found(&self) -> String {
        let taken = |row: usize| self.of_row(row).all(|cell| self.value(row, cell) != 0);
        let what = if self.now.name(0) == "bits" { "1" } else { "above 0" };
        match (0..self.now.rows()).rfind(|row| taken(*row)) {
            Some(row) if self.now.rows() > 1 => {
                format!("all {what} in layer {}, so maybe", row + 1)
            }
            _ => format!("all {what}, so maybe"),
        }
    }

    /// Which of the key's cells are the reason for a no.
    pub fn zeros(&self) -> String {
        let zero = |touch: &&Touch| self.value(touch.row, touch.cell) == 0;
        let zeros: Vec<&Touch> = self.touches.iter().filter(zero).collect();
        if self.filter.kind() == Kind::Scalable && self.now.rows() > 1 {
            return "a 0 in every layer, so no".to_string();
        }
        let cells = distinct(zeros.iter().filter(|touch| touch.row == 0).map(|touch| touch.cell));
        match &cells[..] {
            [] if self.filter.kind() == Kind::Floom => "no key has its regions, so no".to_string(),
            [] => "not as it would be, so no".to_string(),
            [one] => format!("{one} is 0, so no"),
            several => format!("{} are 0, so no", list(several)),
        }
    }
}

/// The first layer that says maybe, by the cells of a look: a layer of `scalable` is one row.
pub fn layer(look: &Look, touches: &[Touch]) -> Option<usize> {
    (0..look.rows()).find(|row| {
        let mut here = touches.iter().filter(|touch| touch.row == *row);
        here.all(|touch| look.value(touch.row, touch.cell).is_some_and(|value| value > 0))
    })
}

/// The most numbers in a list.
const MOST_LISTED: usize = 12;

/// Numbers side by side.
pub fn list(numbers: &[u64]) -> String {
    let words: Vec<String> = numbers.iter().take(MOST_LISTED).map(u64::to_string).collect();
    match numbers.len().checked_sub(MOST_LISTED + 1) {
        Some(more) => format!("{} and {} more", words.join(" "), more + 1),
        None => words.join(" "),
    }
}

/// Counters that a step raised or lowered, and those that stay at their largest value.
pub fn moves(verb: &str, moved: &[u64], stuck: &[u64], most: u64) -> String {
    let stays = match stuck {
        [] if moved.is_empty() => return format!("{verb} none"),
        [] => return format!("{verb} {}", list(moved)),
        [_] => "stays",
        _ => "stay",
    };
    let stuck = format!("{} {stays} at {most}, the largest value", list(stuck));
    match moved {
        [] => stuck,
        _ => format!("{verb} {}; {stuck}", list(moved)),
    }
}

/// Each number once, in the order in which they come first.
pub fn distinct(numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut once = Vec::new();
    for number in numbers {
        if !once.contains(&number) {
            once.push(number);
        }
    }
    once
}

/// Of a filter with values, how many bits of a slot are its check.
fn check_bits(filter: &AnyFilter) -> Option<u32> {
    let parameters = filter.parameters();
    match parameters.iter().find(|(name, _)| name == "check.bits")? {
        (_, Value::Whole(bits)) => u32::try_from(*bits).ok(),
        _ => None,
    }
}

fn regions_named(regions: &[u64]) -> String {
    let name = if regions.len() == 1 { "region" } else { "regions" };
    format!("{name} {}", list(regions))
}

fn are(things: &[u64]) -> &'static str {
    if things.len() == 1 { "is" } else { "are" }
}
