//! Recommends a kind for some needs, by the capabilities that the library lists.

use super::all::{self, KindRow};
use super::numbers;
use crate::exit::Stop;
use crate::output::Out;
use crate::units;
use anther::Kind;
use anther::plan::{self, Need, Numbers, Rank, Request, candidates};
use serde::Serialize;

/// What `--json` prints.
#[derive(Serialize)]
struct AdviceJson<'a> {
    needs: &'a [Need],
    kind: &'static str,
    #[serde(flatten)]
    numbers: &'a Numbers,
    can: Vec<&'static str>,
    reason: &'a str,
    notes: Vec<String>,
    command: Option<String>,
    runners_up: &'a [KindRow],
}

pub fn print(out: &mut Out, needs: &[Need], request: &Request, json: bool) -> Result<(), Stop> {
    let mut candidates = candidates(needs);
    // Without a second list, a cascade is a ribbon in two parts.
    candidates.retain(|kind| *kind != Kind::Cascade || request.options.others.is_some());
    if candidates.is_empty() {
        return Err(Stop::Error(plan::conflict(needs, flags)));
    }
    let mut rows = Vec::new();
    for rank in Rank::ALL {
        let kinds = candidates.iter().filter(|kind| Rank::of(needs, **kind) == rank);
        let mut more: Vec<KindRow> = kinds.map(|&kind| KindRow::new(kind, request)).collect();
        all::sort(&mut more, request);
        rows.extend(more);
    }
    let Some(numbers) = rows.iter().find_map(|row| row.numbers.clone()) else {
        let reasons: Vec<String> = rows.iter().flat_map(KindRow::reason).collect();
        let message = format!("no kind that can do this fits:\n  {}", reasons.join("\n  "));
        return Err(Stop::Error(message));
    };
    rows.retain(|row| row.kind != numbers.kind.name());
    let reason = plan::reason(needs, request, numbers.kind, &candidates);
    if json {
        return out.json(&AdviceJson {
            needs,
            kind: numbers.kind.name(),
            numbers: &numbers,
            can: plan::can(numbers.kind),
            reason: &reason,
            notes: notes(needs, &numbers, request),
            command: numbers.command(request),
            runners_up: &rows,
        });
    }
    numbers::print(&numbers, out, request, Some(&reason), &notes(needs, &numbers, request))?;
    if rows.is_empty() {
        return Ok(());
    }
    out.line(format_args!(""))?;
    out.line(format_args!("or"))?;
    for row in &rows {
        let Some(numbers) = &row.numbers else {
            for line in row.reason() {
                out.line(format_args!("  {line}"))?;
            }
            continue;
        };
        let cost = match (request.known.items, request.known.bits) {
            (_, None) => units::size(numbers.bytes),
            (Some(_), _) => units::rate(numbers.fpr),
            // Keeps the rows narrow.
            (None, _) if numbers.items >= 1_000_000_000 => format!("{:.3e}", numbers.items as f64),
            (None, _) => units::count(numbers.items),
        };
        out.line(format_args!(
            "  {:<18}{:>7.2} bits {cost:>11}  {}",
            numbers.kind.name(),
            numbers.bits_per_key,
            numbers.kind.purpose()
        ))?;
    }
    Ok(())
}

/// What to know about the kind, and about others that were not considered.
fn notes(needs: &[Need], numbers: &Numbers, request: &Request) -> Vec<String> {
    let notes = numbers.notes(request);
    let mut notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    if needs.contains(&Need::Grow) {
        notes.push(plan::DOUBLING.to_string());
    }
    notes
}

/// The needs as options.
fn flags(needs: &[Need]) -> String {
    needs.iter().map(|need| format!("--{}", need.name())).collect::<Vec<_>>().join(" ")
}
