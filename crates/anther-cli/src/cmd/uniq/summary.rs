//! What a run came to, for standard error.

use super::seen::Horizon;
use crate::keys::Counts;
use crate::output;
use crate::units;
use serde::Serialize;

/// The numbers of a run.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Lines read.
    pub read: u64,
    /// Lines printed.
    pub passed: u64,
    /// Lines that were not surely new, and so were settled at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubtful: Option<u64>,
    /// Lines printed at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// The size of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The chance that any line at all was dropped wrongly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_drop_chance: Option<f64>,
    /// The highest share of new lines that were dropped wrongly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_drop_share: Option<f64>,
}

impl Summary {
    /// Says how sure the answers are.
    pub fn set_chance(&mut self, horizon: Horizon, distinct: Option<u64>) {
        match (horizon, distinct) {
            (Horizon::All, Some(distinct)) => {
                let pairs = (distinct as f64).powi(2) / 2f64.powi(65);
                self.wrong_drop_chance = Some(pairs.min(1.0));
            }
            (Horizon::Share { rate } | Horizon::Window { rate, .. }, _)
            | (Horizon::Timed { rate, .. }, _) => self.wrong_drop_share = Some(rate),
            (Horizon::All, None) => {}
        }
    }

    /// Prints it. The counts are those of records that were left out.
    pub fn print(&self, json: bool, counts: &Counts) {
        if json {
            // An error of standard error has nowhere to go.
            if let Ok(text) = serde_json::to_string(self) {
                output::note_json(&text);
            }
            return;
        }
        let lines = if self.read == 1 { "line" } else { "lines" };
        let mut text = format!(
            "{} {lines} read, {} passed",
            units::count(self.read),
            units::count(self.passed)
        );
        if let (Some(doubtful), Some(late)) = (self.doubtful, self.late) {
            let (doubtful, late) = (units::count(doubtful), units::count(late));
            text += &format!(", {late} of them at the end, of {doubtful} that were doubtful");
        }
        if let Some(bytes) = self.bytes {
            text += &format!("; {} of memory", units::size(bytes));
        }
        if let Some(chance) = self.wrong_drop_chance.filter(|chance| *chance > 0.0) {
            text += &format!("; chance that any was dropped wrongly: {}", units::rate(chance));
        }
        if let Some(share) = self.wrong_drop_share {
            text += &format!("; at most {} of new lines dropped wrongly", units::rate(share));
        }
        output::note(&format!("{text}{}", counts.left_out()));
    }
}
