//! Whose cells a step's key meets: why a filter says maybe to a key that was never inserted.

use super::explain::Moment;
use super::look::{self, Look};
use super::scene::{Action, Step, Touch};
use anther::parts::view;
use anther::{AnyFilter, Inspect, KeyHash, Kind};
use serde::Serialize;

/// What was said in a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// What happened.
    pub action: Action,
    /// Such as "insert 4".
    pub title: String,
    /// Such as "maybe" or "false positive".
    pub verdict: Option<&'static str>,
    /// Whether the filter rejected the key.
    pub rejected: bool,
}

impl Headline {
    /// Of a step.
    pub fn of(step: &Step) -> Headline {
        Headline {
            action: step.action,
            title: step.title.clone(),
            verdict: step.verdict(),
            rejected: step.is_rejected(),
        }
    }
}

/// A cell of a step's key, and the present keys that have it, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Which hash function leads there, from 1.
    pub hash: Option<usize>,
    /// How the place is computed, such as "2x+3 = 27, mod 10".
    pub formula: Option<String>,
    /// What the cell is called, such as "bit 7" or "bucket 2".
    pub place: String,
    /// What is in it.
    pub value: String,
    /// Whether it is the reason for a no.
    pub missing: bool,
    /// Which keys that are in have it, by name, each once.
    pub keys: Vec<String>,
}

impl Reason {
    /// Of a touch of a step, without its keys.
    pub fn of(step: &Step, touch: &Touch) -> Option<Reason> {
        let row = step.rows.get(touch.row)?;
        let at = usize::try_from(touch.cell.checked_sub(row.first)?).ok()?;
        let cell = row.cells.get(at)?;
        let place = match (row.buckets, row.name.split_once(", ")) {
            (Some(_), _) => format!("bucket {}", row.number(at)),
            (None, Some((name, layer))) => format!("{} {} of {layer}", one(name), touch.cell),
            (None, None) => format!("{} {}", one(&row.name), touch.cell),
        };
        let (value, missing) = (cell.text.clone(), cell.missing);
        Some(Reason { hash: touch.hash, formula: None, place, value, missing, keys: Vec::new() })
    }
}

/// A thing by the name of many: "bits" are each a bit.
fn one(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

/// Which of the keys that are in have a cell, where that can be told from the cell: in a kind with
/// tags, those that left theirs in it. Kinds that empty cells, and those that solve for them, cannot
/// tell.
pub fn owners_of(
    filter: &AnyFilter,
    look: &Look,
    keys: &[(String, KeyHash)],
    put: &[Vec<view::Touch>],
    cell: (usize, u64),
) -> Vec<String> {
    let has = |(at, (_, key)): (usize, &(String, KeyHash))| {
        let touches = filter.touches(*key);
        match filter.kind() {
            Kind::Cuckoo | Kind::DLeft => {
                let moment =
                    Moment { filter, before: look, now: look, key: *key, touches: &touches };
                moment.tag_cell() == Some(cell)
            }
            Kind::Scalable => put.get(at).is_some_and(|put| holds(put, cell)),
            Kind::Generalized => false,
            kind => look::shares(kind) && filter.as_lookup().is_none() && holds(&touches, cell),
        }
    };
    let found = keys.iter().enumerate().filter(|pair| has(*pair)).map(|(_, (name, _))| name);
    let mut names: Vec<String> = Vec::new();
    for name in found {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn holds(touches: &[view::Touch], (row, cell): (usize, u64)) -> bool {
    touches.iter().any(|touch| (touch.row, touch.cell) == (row, cell))
}
