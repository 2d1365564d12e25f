//! A filter of another system as text and as JSON. Fields that our own filters have, too, have the
//! same names; they are API, and tests pin them.

use crate::units::{self, whole};
use anther::foreign::{Info, System};
use serde::Serialize;
use serde_json::Map;

/// What `info` prints of a filter of another system.
#[derive(Debug, Serialize)]
pub struct ForeignDescription {
    system: &'static str,
    /// Its format, if the system has several.
    format: &'static str,
    /// Its name in a file with several; null if the file is the filter.
    entry: Option<String>,
    /// Distinct keys, as far as the cells can tell; null if they cannot.
    items: Option<u64>,
    items_error: Option<f64>,
    /// What it was made for, if the file says that.
    items_target: Option<u64>,
    /// Inserts, by its own count; null if the file has none.
    inserted: Option<u64>,
    bits: u64,
    /// The size of the file, which may have other filters, too; null if it is not known, or if the
    /// filter is in several files.
    bytes: Option<u64>,
    bits_per_key: Option<f64>,
    probes: u32,
    fpr_target: Option<f64>,
    fpr_now: f64,
    fill: f64,
    layers: u32,
    /// Whether its bits are used up, so that the number of keys is a lower bound.
    saturated: bool,
    overfull: bool,
    /// What else its file says, by name.
    parameters: Map<String, serde_json::Value>,
    /// The same as text.
    #[serde(skip)]
    layout: String,
    #[serde(skip)]
    title: &'static str,
}

impl ForeignDescription {
    /// Describes a filter with this name in a file of this size.
    pub fn new(info: &Info, entry: &str, bytes: Option<u64>) -> ForeignDescription {
        let items = info.items.map(|items| whole(items.items));
        let keys = info.inserted.or(items);
        let per_key = keys.filter(|keys| *keys > 0).map(|keys| info.bits as f64 / keys as f64);
        ForeignDescription {
            system: info.system.name(),
            format: info.format,
            entry: Some(entry.to_string()).filter(|name| !name.is_empty()),
            items,
            items_error: info.items.map(|items| items.deviation),
            items_target: info.capacity,
            inserted: info.inserted,
            bits: info.bits,
            bytes,
            bits_per_key: per_key,
            probes: info.probes,
            fpr_target: info.target_fpr,
            fpr_now: info.fpr,
            fill: info.fill,
            layers: info.layers,
            saturated: info.items.is_some_and(|items| items.saturated),
            overfull: is_overfull(info),
            parameters: parameters(info),
            layout: layout(info),
            title: info.system.title(),
        }
    }

    /// The rows of the table: a name and a text each.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let format = match self.format {
            "" => self.title.to_string(),
            format => format!("{}, {format}", self.title),
        };
        let bytes = self.bytes.filter(|_| self.entry.is_none()).unwrap_or(self.bits / 8);
        let mut size = format!("{}, {} bits", units::size(bytes), units::count(self.bits));
        if let Some(bits) = self.bits_per_key {
            size += &match bits {
                bits if bits < 1000.0 => format!(", {bits:.2} bits per key"),
                bits => format!(", {} bits per key", units::count(whole(bits))),
            };
        }
        let mut fpr = match self.is_tiny() {
            true => format!("above {} now, since it has few bits", units::rate(self.fpr_now)),
            false => format!("{} now", units::rate(self.fpr_now)),
        };
        if let Some(target) = self.fpr_target {
            fpr += &format!(", target {}", units::rate(target));
        }
        let mut fill = format!("{:.1} % of the cells are in use", self.fill * 100.0);
        if self.layers > 1 && self.system == System::Parquet.name() {
            fpr += &format!(", that any of {} row groups says maybe", self.layers);
        } else if self.layers > 1 {
            fill += &format!(", in {} layers", self.layers);
        }
        let mut rows = vec![
            ("system", format),
            ("keys", self.keys_in_words()),
            ("size", size),
            ("FPR", fpr),
            ("probes", format!("{} per key", self.probes)),
            ("fill", fill),
        ];
        if !self.layout.is_empty() {
            rows.push(("layout", self.layout.clone()));
        }
        rows
    }

    /// Whether it has so few bits that they tell only the least of its rate: the steps between a key's
    /// probes are equal, and where they are 0 the probes fall together.
    fn is_tiny(&self) -> bool {
        let has_steps = [System::Cassandra, System::Guava, System::HBase, System::Spark]
            .iter()
            .any(|system| system.name() == self.system)
            || self.system == System::RedisBloom.name() && self.format == "Bloom filter";
        has_steps && self.fpr_now > 0.0 && self.fpr_now < 1.0 && self.bits < 10_000
    }

    fn keys_in_words(&self) -> String {
        let mut words = Vec::new();
        if let Some(inserted) = self.inserted {
            words.push(format!("{} by its own count", units::count(inserted)));
        }
        match (self.items, self.items_error) {
            (Some(items), _) if self.saturated => {
                words.push(format!("at least {} by its cells", units::count(items)));
            }
            (Some(items), Some(error)) if error >= 0.5 => {
                let error = units::count(whole(error));
                words.push(format!("about {} ± {error} by its cells", units::count(items)));
            }
            (Some(items), _) => words.push(format!("{} by its cells", units::count(items))),
            (None, _) if self.inserted.is_none() => words.push("not known".to_string()),
            (None, _) => {}
        }
        let made_for = self.items_target.map(|items| format!("made for {}", units::count(items)));
        words.extend(made_for);
        words.join("; ")
    }

    /// What to say about a filter that gives more false positives than it was made for.
    pub fn warning(&self) -> Option<String> {
        if !self.overfull {
            return None;
        }
        let now = units::rate(self.fpr_now);
        let target = match self.fpr_target {
            Some(target) => format!(", and its target is {}", units::rate(target)),
            None => String::new(),
        };
        Some(format!("overfull: its FPR is {now} now{target}; rebuild it for more keys"))
    }
}

/// Whether it answers maybe more often than it was made for, because it holds too many keys, or to most
/// keys.
pub fn is_overfull(info: &Info) -> bool {
    // The row groups of a column are many filters, and each may be as it should be.
    if info.system == System::Parquet && info.layers > 1 {
        return false;
    }
    let keys = info.inserted.map(|inserted| inserted as f64).or(info.items.map(|it| it.items));
    let is_beyond = keys.zip(info.capacity).is_some_and(|(keys, made)| keys > 1.05 * made as f64);
    let misses = info.target_fpr.is_none_or(|target| info.fpr > target);
    misses && (is_beyond || info.fpr > 0.5)
}

fn parameters(info: &Info) -> Map<String, serde_json::Value> {
    let value = |text: &String| match text.parse::<u64>() {
        Ok(number) => number.into(),
        Err(_) => text.clone().into(),
    };
    info.fields.iter().map(|(name, text)| (name.replace(' ', "_"), value(text))).collect()
}

fn layout(info: &Info) -> String {
    let words: Vec<_> = info.fields.iter().map(|(name, text)| format!("{name} {text}")).collect();
    words.join(", ")
}
