//! All kinds in one table.

use crate::exit::Stop;
use crate::output::{Out, wrapped};
use crate::units;
use anther::Kind;
use anther::plan::{self, Numbers, Request};
use anther::sizing::bound;
use serde::Serialize;

/// The longest line.
pub const WIDTH: usize = 100;
/// The width of the first column, the name of the kind.
const INDENT: usize = 20;

/// A kind: its numbers, or why it does not fit.
#[derive(Clone, Debug, Serialize)]
pub struct KindRow {
    pub kind: &'static str,
    #[serde(flatten)]
    pub numbers: Option<Numbers>,
    can: Vec<&'static str>,
    error: Option<String>,
}

impl KindRow {
    pub fn new(kind: Kind, request: &Request) -> KindRow {
        let (numbers, error) = match Numbers::new(kind, request) {
            Ok(numbers) => (Some(numbers), None),
            Err(error) => (None, Some(error.to_string())),
        };
        KindRow { kind: kind.name(), numbers, can: plan::can(kind), error }
    }

    /// Why it does not fit, in lines.
    pub fn reason(&self) -> Vec<String> {
        let error = self.error.as_deref().unwrap_or_default();
        // The line begins with the name already.
        let error = error.strip_prefix(self.kind).unwrap_or(error).trim_start();
        // The caller may indent it by two.
        let mut lines = wrapped(error, WIDTH - INDENT - 2).into_iter();
        let first = format!("{:<INDENT$}{}", self.kind, lines.next().unwrap_or_default());
        let rest = lines.map(|line| format!("{:INDENT$}{line}", ""));
        [first].into_iter().chain(rest).collect()
    }
}

/// The best first; kinds that do not fit come last, in the library's order.
pub fn sort(rows: &mut [KindRow], request: &Request) {
    let cost =
        |row: &KindRow| row.numbers.as_ref().map_or((f64::INFINITY, 0), |it| request.cost(it));
    rows.sort_by(|a, b| {
        let ((a, a_probes), (b, b_probes)) = (cost(a), cost(b));
        a.total_cmp(&b).then(a_probes.cmp(&b_probes))
    });
}

/// What `--json` prints.
#[derive(Serialize)]
struct AllJson {
    items: Option<u64>,
    fpr_target: Option<f64>,
    bits: Option<u64>,
    kinds: Vec<KindRow>,
}

pub fn print(out: &mut Out, request: &Request, json: bool) -> Result<(), Stop> {
    let known = &request.known;
    let mut kinds: Vec<KindRow> =
        Kind::ALL.iter().map(|&kind| KindRow::new(kind, request)).collect();
    sort(&mut kinds, request);
    if json {
        return out.json(&AllJson {
            items: known.items,
            fpr_target: known.fpr,
            bits: known.bits.or(request.room),
            kinds,
        });
    }
    let mut title = request.in_words();
    if let (Some(items), Some(fpr)) = (known.items, known.fpr) {
        let (each, bits) = (bound::lower_bound_bits(1, fpr), bound::lower_bound_bits(items, fpr));
        let bytes = units::whole((bits / 8.0).ceil());
        title += &format!("; the bound is {each:.2} bits per key, {}", units::size(bytes));
    }
    out.line(format_args!("{title}"))?;
    out.line(format_args!(""))?;
    // With a given memory, all have about the same size, and hold different numbers of keys.
    let in_memory = known.items.is_none();
    let second = if in_memory { "keys" } else { "size" };
    out.heading(format_args!(
        "{:<INDENT$}{:>8}{second:>15}{:>11}{:>10}  can",
        "kind", "bits/key", "FPR", "over"
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
