//! The kind that needs choose. Who can do what, the registry says; here is only the choice.

use super::all::{self, Row};
use super::numbers::{self, Asked, Numbers};
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

    /// What kinds do that meet it, or the one kind.
    fn in_words(self, one: bool) -> &'static str {
        match (self, one) {
            (Need::Remove, false) => "give every key back",
            (Need::Remove, true) => "gives keys back",
            (Need::Grow, false) => "grow",
            (Need::Grow, true) => "grows",
            (Need::Count, false) => "count a key as often as it comes",
            (Need::Count, true) => "counts",
            (Need::Values, false) => "keep values",
            (Need::Values, true) => "keeps values",
            (Need::Static, false) => "are made from all keys at once",
            (Need::Static, true) => "is made from all keys at once",
            (Need::Stream, false) => "remember the latest keys of an endless stream",
            (Need::Stream, true) => "remembers the latest keys of an endless stream",
        }
    }

    fn is_met(self, can: Capabilities) -> bool {
        match self {
            Need::Remove => can.remove,
            Need::Grow => can.grow,
            Need::Count => can.count,
            Need::Values => can.values,
            Need::Static => !can.insert,
            // Whoever takes keys without end in fixed memory must forget some.
            Need::Stream => can.insert && !can.no_false_negatives,
        }
    }
}

/// The kinds that do all of this. What forgets is for streams only, and what may not be there in
/// the next release is for nobody.
fn candidates(needs: &[Need]) -> Vec<Kind> {
    let does = |kind: &Kind| {
        let can = kind.capabilities();
        let forgets = !can.no_false_negatives && !needs.contains(&Need::Stream);
        needs.iter().all(|need| need.is_met(can)) && !forgets && !can.experimental
    };
    Kind::ALL.iter().copied().filter(does).collect()
}

/// Whether the kind stands back: it meets the needs to the letter only. Where keys are counted they
/// come again, and a kind that fills up takes each time for a key, or refuses the ninth. Where keys
/// go again, one in ten that stays is in the way.
fn stands_back(needs: &[Need], kind: Kind) -> bool {
    let can = kind.capabilities();
    needs.contains(&Need::Count) && can.fills_up || needs.contains(&Need::Remove) && can.leaves_some
}

/// What `--json` prints.
#[derive(Serialize)]
struct Advice<'a> {
    needs: &'a [Need],
    kind: &'static str,
    #[serde(flatten)]
    numbers: &'a Numbers,
    can: Vec<&'static str>,
    reason: &'a str,
    notes: Vec<&'static str>,
    command: Option<String>,
    runners_up: &'a [Row],
}

pub fn print(out: &mut Out, needs: &[Need], asked: &Asked<'_>, json: bool) -> Result<(), Stop> {
    let candidates = candidates(needs);
    if candidates.is_empty() {
        return Err(Stop::Error(conflict(needs)));
    }
    let rows = |back: bool| {
        let kinds = candidates.iter().filter(|kind| stands_back(needs, **kind) == back);
        let mut rows: Vec<Row> = kinds.map(|&kind| Row::new(kind, asked)).collect();
        all::sort(&mut rows, asked);
        rows
    };
    let (mut rows, back) = (rows(false), rows(true));
    rows.extend(back);
    let Some(numbers) = rows.iter().find_map(|row| row.numbers.clone()) else {
        let reasons: Vec<String> = rows.iter().flat_map(Row::reason).collect();
        let message = format!("no kind that can do this reaches that:\n  {}", reasons.join("\n  "));
        return Err(Stop::Error(message));
    };
    rows.retain(|row| row.kind != numbers.kind.name());
    let reason = reason(needs, asked, numbers.kind, candidates.len());
    if json {
        return out.json(&Advice {
            needs,
            kind: numbers.kind.name(),
            numbers: &numbers,
            can: numbers::can(numbers.kind),
            reason: &reason,
            notes: numbers.notes(asked),
            command: numbers.command(asked),
            runners_up: &rows,
        });
    }
    numbers.print(out, asked, Some(&reason))?;
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
        let cost = match (asked.known.items, asked.known.bits) {
            (_, None) => units::size(numbers.bytes),
            (Some(_), _) => units::rate(numbers.fpr),
            // Rows stay narrow.
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
fn reason(needs: &[Need], asked: &Asked<'_>, kind: Kind, candidates: usize) -> String {
    // What stands back does not do it in full, and then nothing else does.
    let alone = candidates == 1 || stands_back(needs, kind);
    let does: Vec<&str> = needs.iter().map(|need| need.in_words(alone)).collect();
    let does = does.join(" and ");
    let meets = |can: Capabilities| needs.iter().all(|need| need.is_met(can)) && can.experimental;
    let experimental = Kind::ALL.iter().any(|kind| meets(kind.capabilities()));
    let best = match (asked.known.items, asked.known.bits) {
        _ if candidates == 1 && experimental => "the only kind that is not experimental and",
        _ if candidates == 1 => "the only kind that",
        _ if alone => "what can still be had that",
        (_, None) => "the smallest of the kinds that",
        (Some(_), _) => "the lowest rate of the kinds that",
        (None, _) => "the most keys of the kinds that",
    };
    format!("{best} {does}")
}

/// Which needs exclude each other, and what can be had: as many of them as some kind meets.
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
    format!("no kind does {} at once; what works: {}", flags(needs), works.join("; or "))
}
