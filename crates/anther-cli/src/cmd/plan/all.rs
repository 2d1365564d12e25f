//! Every kind beside the others.

use super::numbers::{self, Asked, Numbers};
use crate::exit::Stop;
use crate::output::{Out, wrapped};
use crate::units;
use anther::Kind;
use anther::sizing::bound;
use serde::Serialize;

/// No line is longer, so that none breaks in a usual terminal.
pub const WIDTH: usize = 100;
/// Where the columns after the name of a kind begin.
const INDENT: usize = 20;

/// A kind: its numbers, or why it cannot be had.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub kind: &'static str,
    #[serde(flatten)]
    pub numbers: Option<Numbers>,
    can: Vec<&'static str>,
    error: Option<String>,
}

impl Row {
    pub fn new(kind: Kind, asked: &Asked<'_>) -> Row {
        let (numbers, error) = match Numbers::new(kind, asked) {
            Ok(numbers) => (Some(numbers), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Row { kind: kind.name(), numbers, can: numbers::can(kind), error }
    }

    /// Why it cannot be had, in lines.
    pub fn reason(&self) -> Vec<String> {
        let error = self.error.as_deref().unwrap_or_default();
        // The name stands before it.
        let error = error.strip_prefix(self.kind).unwrap_or(error).trim_start();
        // Whoever prints it may indent it.
        let mut lines = wrapped(error, WIDTH - INDENT - 2).into_iter();
        let first = format!("{:<INDENT$}{}", self.kind, lines.next().unwrap_or_default());
        let rest = lines.map(|line| format!("{:INDENT$}{line}", ""));
        [first].into_iter().chain(rest).collect()
    }
}

/// The best first; what cannot be had last, as the registry has it.
pub fn sort(rows: &mut [Row], asked: &Asked<'_>) {
    let cost = |row: &Row| row.numbers.as_ref().map_or((f64::INFINITY, 0), |it| asked.cost(it));
    rows.sort_by(|a, b| {
        let ((a, a_probes), (b, b_probes)) = (cost(a), cost(b));
        a.total_cmp(&b).then(a_probes.cmp(&b_probes))
    });
}

/// What `--json` prints.
#[derive(Serialize)]
struct All {
    items: Option<u64>,
    fpr_target: Option<f64>,
    bits: Option<u64>,
    kinds: Vec<Row>,
}

pub fn print(out: &mut Out, asked: &Asked<'_>, json: bool) -> Result<(), Stop> {
    let known = &asked.known;
    let mut kinds: Vec<Row> = Kind::ALL.iter().map(|&kind| Row::new(kind, asked)).collect();
    sort(&mut kinds, asked);
    if json {
        return out.json(&All {
            items: known.items,
            fpr_target: known.fpr,
            bits: known.bits.or(asked.room),
            kinds,
        });
    }
    let mut title = asked.in_words();
    if let (Some(items), Some(fpr)) = (known.items, known.fpr) {
        let (each, bits) = (bound::lower_bound_bits(1, fpr), bound::lower_bound_bits(items, fpr));
        let bytes = units::whole((bits / 8.0).ceil());
        title += &format!("; the bound: {each:.2} bits a key, {}", units::size(bytes));
    }
    out.line(format_args!("{title}"))?;
    out.line(format_args!(""))?;
    // Where the memory is given, all have about that size, and what differs is how many fit.
    let in_memory = known.items.is_none();
    let second = if in_memory { "keys" } else { "size" };
    out.line(format_args!(
        "{:<INDENT$}{:>8}{second:>15}{:>11}{:>10}  can",
        "kind", "bits/key", "rate", "over"
    ))?;
    for row in &kinds {
        let Some(numbers) = &row.numbers else {
            for line in row.reason() {
                out.line(format_args!("{line}"))?;
            }
            continue;
        };
        let second = match in_memory {
            true => units::count(numbers.items),
            false => units::size(numbers.bytes),
        };
        let mut can = row.can.join(" ");
        if let Some(sent) = numbers.sent_per_key() {
            can += &format!("; {sent:.2} in files");
        }
        out.line(format_args!(
            "{:<INDENT$}{:>8.2}{second:>15}{:>11}{:>10}  {can}",
            row.kind,
            numbers.bits_per_key,
            units::rate(numbers.fpr),
            format!("+{}", numbers.overhead_in_words()),
        ))?;
    }
    Ok(())
}
