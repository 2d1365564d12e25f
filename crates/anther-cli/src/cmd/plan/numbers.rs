//! How the numbers of one kind are printed.

use super::all::WIDTH;
use crate::exit::Stop;
use crate::output::{Out, wrapped};
use crate::units;
use anther::plan::{Numbers, Request};

/// The width of the names of rows.
pub const NAMES: usize = 8;

/// Prints the kind and a line for each number; long lines are wrapped.
pub fn print(
    numbers: &Numbers,
    out: &mut Out,
    request: &Request,
    why: Option<&str>,
    notes: &[String],
) -> Result<(), Stop> {
    // Two spaces before the name, one after it.
    const INDENT: usize = NAMES + 3;
    out.line(format_args!("{}", numbers.kind))?;
    let why = why.map(|why| ("why", why.to_string()));
    for (name, words) in why.into_iter().chain(rows(numbers, request, notes)) {
        // Never wrapped, so that it can be pasted.
        let lines = match name {
            "build" => vec![words],
            _ => wrapped(&words, WIDTH - INDENT),
        };
        for (at, line) in lines.iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            out.row(name, NAMES, line)?;
        }
    }
    Ok(())
}

/// The rows of the table: a name and a text each.
fn rows(numbers: &Numbers, request: &Request, notes: &[String]) -> Vec<(&'static str, String)> {
    let (bits, overhead) = (units::count(numbers.bits), numbers.overhead_in_words());
    let per_key = match numbers.sent_per_key() {
        Some(sent) => format!("{sent:.2} in a file and {:.2} in memory", numbers.bits_per_key),
        None => format!("{:.2}", numbers.bits_per_key),
    };
    // The rate is often a little below the target; that is not worth a remark.
    let (rate, target) = (units::rate(numbers.fpr), units::rate(numbers.fpr_target));
    let rate = match rate == target {
        true => rate,
        false => format!("{rate}, target {target}"),
    };
    let mut rows = vec![
        ("keys", units::count(numbers.items)),
        ("FPR", rate),
        ("size", format!("{}, {bits} bits", units::size(numbers.bytes))),
        ("bits", format!("{per_key} per key, {overhead} over the bound")),
        ("probes", format!("{} per key", numbers.probes)),
    ];
    rows.extend(notes.iter().map(|note| ("note", note.clone())));
    rows.push(match numbers.command(request) {
        Some(command) => ("build", command),
        None => ("library", format!("Shape::bits({}).probes({})", numbers.bits, numbers.probes)),
    });
    rows
}
