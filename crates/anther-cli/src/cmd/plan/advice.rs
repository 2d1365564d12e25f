//! Recommends a kind for some needs, by the capabilities that the library lists.

use super::all::{self, KindRow};
use super::numbers::{self, Numbers, Request};
use crate::exit::Stop;
use crate::output::Out;
use crate::units;
use anther::{Capabilities, Kind};
use serde::Serialize;

/// What a filter must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    Remove,
    Grow,
    Count,
    Values,
    Static,
    Stream,
}

impl Need {
    pub const ALL: [Need; 6] =
        [Need::Remove, Need::Grow, Need::Count, Need::Values, Need::Static, Need::Stream];

    fn flag(self) -> &'static str {
        match self {
            Need::Remove => "--remove",
            Need::Grow => "--grow",
            Need::Count => "--count",
            Need::Values => "--values",
            Need::Static => "--static",
            Need::Stream => "--stream",
        }
    }

    /// What the kinds that meet it do; with `one`, in the singular.
    fn in_words(self, one: bool) -> &'static str {
        match (self, one) {
            (Need::Remove, false) => "remove every key",
            (Need::Remove, true) => "removes keys",
            (Need::Grow, false) => "grow",
            (Need::Grow, true) => "grows",
            (Need::Count, false) => "count every copy of a key",
            (Need::Count, true) => "counts",
            (Need::Values, false) => "store values",
            (Need::Values, true) => "stores values",
            (Need::Static, false) => "are static",
            (Need::Static, true) => "is static",
            (Need::Stream, false) => "keep the latest keys of an endless stream",
            (Need::Stream, true) => "keeps the latest keys of an endless stream",
        }
    }

    fn is_met(self, can: Capabilities) -> bool {
        match self {
            Need::Remove => can.remove,
            Need::Grow => can.grow,
            Need::Count => can.count,
            Need::Values => can.values,
            Need::Static => !can.insert,
            // Endless keys in fixed memory: it must forget some.
            Need::Stream => can.insert && !can.no_false_negatives,
        }
    }
}

/// The kinds that meet all needs. Kinds that forget are for streams only; experimental kinds are
/// not recommended.
fn candidates(needs: &[Need]) -> Vec<Kind> {
    let does = |kind: &Kind| {
        let can = kind.capabilities();
        let forgets = !can.no_false_negatives && !needs.contains(&Need::Stream);
        needs.iter().all(|need| need.is_met(can)) && !forgets && !can.experimental
    };
    Kind::ALL.iter().copied().filter(does).collect()
}

/// Whether the kind meets the needs only in part, and so comes last. Counted keys are repeated, and
/// a kind that fills up stores each copy, or rejects the ninth. Of a kind that cannot remove every
/// key, about one in ten stays.
fn comes_last(needs: &[Need], kind: Kind) -> bool {
    let can = kind.capabilities();
    needs.contains(&Need::Count) && can.fills_up || needs.contains(&Need::Remove) && can.leaves_some
}

/// What `--json` prints.
#[derive(Serialize)]
struct AdviceJson<'a> {
    needs: &'a [Need],
    kind: &'static str,
    #[serde(flatten)]
    numbers: &'a Numbers,
    can: Vec<&'static str>,
    reason: &'a str,
    notes: Vec<&'static str>,
    command: Option<String>,
    runners_up: &'a [KindRow],
}

pub fn print(out: &mut Out, needs: &[Need], request: &Request<'_>, json: bool) -> Result<(), Stop> {
    let candidates = candidates(needs);
    if candidates.is_empty() {
        return Err(Stop::Error(conflict(needs)));
    }
    let rows = |back: bool| {
        let kinds = candidates.iter().filter(|kind| comes_last(needs, **kind) == back);
        let mut rows: Vec<KindRow> = kinds.map(|&kind| KindRow::new(kind, request)).collect();
        all::sort(&mut rows, request);
        rows
    };
    let (mut rows, back) = (rows(false), rows(true));
    rows.extend(back);
    let Some(numbers) = rows.iter().find_map(|row| row.numbers.clone()) else {
        let reasons: Vec<String> = rows.iter().flat_map(KindRow::reason).collect();
        let message = format!("no kind that can do this fits:\n  {}", reasons.join("\n  "));
        return Err(Stop::Error(message));
    };
    rows.retain(|row| row.kind != numbers.kind.name());
    let reason = reason(needs, request, numbers.kind, candidates.len());
    if json {
        return out.json(&AdviceJson {
            needs,
            kind: numbers.kind.name(),
            numbers: &numbers,
            can: numbers::can(numbers.kind),
            reason: &reason,
            notes: numbers.notes(request),
            command: numbers.command(request),
            runners_up: &rows,
        });
    }
    numbers.print(out, request, Some(&reason))?;
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

/// Why this kind, in a sentence.
fn reason(needs: &[Need], request: &Request<'_>, kind: Kind, candidates: usize) -> String {
    // If a kind that comes last is the best, no other one fits.
    let alone = candidates == 1 || comes_last(needs, kind);
    let does: Vec<&str> = needs.iter().map(|need| need.in_words(alone)).collect();
    let does = does.join(" and ");
    let meets = |can: Capabilities| needs.iter().all(|need| need.is_met(can)) && can.experimental;
    let experimental = Kind::ALL.iter().any(|kind| meets(kind.capabilities()));
    let best = match (request.known.items, request.known.bits) {
        _ if candidates == 1 && experimental => "the only kind that is not experimental and",
        _ if candidates == 1 => "the only kind that",
        _ if alone => "the only kind that fits and",
        (_, None) => "the smallest of the kinds that",
        (Some(_), _) => "the lowest false-positive rate of the kinds that",
        (None, _) => "the most keys of the kinds that",
    };
    format!("{best} {does}")
}

/// Which needs exclude each other, and the largest subsets of them that some kind meets.
fn conflict(needs: &[Need]) -> String {
    let flags = |needs: &[Need]| needs.iter().map(|need| need.flag()).collect::<Vec<_>>().join(" ");
    let subset = |chosen: u32| -> Vec<Need> {
        let all = needs.iter().enumerate();
        all.filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, need)| *need).collect()
    };
    let subsets: Vec<Vec<Need>> =
        (1..1 << needs.len()).map(subset).filter(|some| !candidates(some).is_empty()).collect();
    let most = subsets.iter().map(Vec::len).max().unwrap_or(0);
    let works = subsets.iter().filter(|some| some.len() == most).map(|some| {
        let kinds: Vec<&str> = candidates(some).iter().map(|kind| kind.name()).collect();
        format!("{} ({})", flags(some), kinds.join(", "))
    });
    let works: Vec<String> = works.collect();
    format!("no kind does {} at once; possible: {}", flags(needs), works.join("; or "))
}
