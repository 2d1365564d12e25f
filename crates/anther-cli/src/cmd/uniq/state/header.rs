//! The header of a state file: the options that it goes with, and what follows.

use super::super::seen::Horizon;
use super::super::timed::TimedLayer;
use anther::recipe::{Column, KeyRule, Place};
use anther::{FingerprintSet, Seed, SeedKind};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// What the state goes with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateHeader {
    mode: SavedMode,
    /// The rule that makes a key of a line, in words.
    key: String,
    /// The columns of the key.
    columns: Vec<String>,
    /// The seed of the hash, unless there is a secret key.
    seed: Option<u64>,
    /// The check value of the secret key.
    key_check: Option<u64>,
    parts: Vec<StatePart>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum SavedMode {
    All,
    Fpr { rate: f64 },
    Window { lines: u64, rate: f64 },
    Ttl { milliseconds: u64, rate: f64 },
}

/// What follows the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum StatePart {
    /// Fingerprints in ascending order, 8 bytes each.
    Fingerprints { bits: u32, len: u64 },
    /// A file of an aging filter.
    Window { bytes: u64 },
    /// A file of an aging filter by time.
    Timed { bytes: u64, capacity: u64, began_ms: u64, arrivals: Vec<u64> },
}

impl StatePart {
    pub fn of_set(set: &FingerprintSet) -> StatePart {
        StatePart::Fingerprints { bits: set.bits(), len: set.len() }
    }

    pub fn of_layer(layer: &TimedLayer, bytes: u64) -> StatePart {
        let began = layer.began.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        StatePart::Timed {
            bytes,
            capacity: layer.capacity,
            began_ms: milliseconds(began),
            arrivals: layer.arrivals.iter().copied().collect(),
        }
    }

    /// Its bytes in the file; `None` if that is no number.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            StatePart::Fingerprints { len, .. } => len.checked_mul(8),
            StatePart::Window { bytes } | StatePart::Timed { bytes, .. } => Some(*bytes),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl StateHeader {
    pub fn new(
        horizon: Horizon,
        (rule, place): (&KeyRule, &Place),
        seed: Seed,
        is_named: bool,
    ) -> StateHeader {
        let mode = match horizon {
            Horizon::All => SavedMode::All,
            Horizon::Share { rate } => SavedMode::Fpr { rate },
            Horizon::Window { lines, rate } => SavedMode::Window { lines, rate },
            Horizon::Timed { time, rate } => {
                SavedMode::Ttl { milliseconds: milliseconds(time), rate }
            }
        };
        let column = |column: &Column| match column {
            Column::Name(name) => format!("\"{name}\""),
            Column::Number(number) => number.to_string(),
        };
        let (seed, key_check) = match seed.kind() {
            SeedKind::Fixed => (Some(0), None),
            SeedKind::Chosen(seed) => (Some(seed), None),
            SeedKind::Keyed { check } if is_named => (None, Some(check)),
            _ => (None, None),
        };
        StateHeader {
            mode,
            key: rule.to_string(),
            columns: place.columns.iter().map(column).collect(),
            seed,
            key_check,
            parts: Vec::new(),
        }
    }

    pub fn with(&self, parts: Vec<StatePart>) -> StateHeader {
        StateHeader { parts, ..self.clone() }
    }

    /// What was to be remembered.
    pub fn horizon(&self) -> Horizon {
        match self.mode {
            SavedMode::All => Horizon::All,
            SavedMode::Fpr { rate } => Horizon::Share { rate },
            SavedMode::Window { lines, rate } => Horizon::Window { lines, rate },
            SavedMode::Ttl { milliseconds, rate } => {
                Horizon::Timed { time: Duration::from_millis(milliseconds), rate }
            }
        }
    }

    /// The key of a line and where it is, in words.
    pub fn key_in_words(&self) -> String {
        match self.columns.join(", ") {
            columns if columns.is_empty() => self.key.clone(),
            columns => format!("{}, column {columns}", self.key),
        }
    }

    /// Whether the hash has a secret key.
    pub fn is_keyed(&self) -> bool {
        self.key_check.is_some()
    }

    pub fn parts(&self) -> &[StatePart] {
        &self.parts
    }

    /// The seed, unless a secret key is.
    pub fn seed(&self) -> Option<Seed> {
        self.seed.map(Seed::chosen)
    }

    /// The first option that differs.
    pub fn difference(&self, now: &StateHeader) -> Option<&'static str> {
        if self.mode != now.mode {
            return Some("--fpr, --window or --ttl");
        }
        if self.key != now.key {
            return Some("--as, --ignore-case or --trim");
        }
        if self.columns != now.columns {
            return Some("--column");
        }
        // A random seed is that of the file.
        (self.key_check != now.key_check).then_some("--key-file")
    }
}
