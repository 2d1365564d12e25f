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

    /// What kinds of this rank do; with `one`, in the singular.
    fn in_words(self, rank: Rank, one: bool) -> &'static str {
        match (self, one) {
            (Need::Remove, false) if rank == Rank::Full => "remove every key",
            (Need::Remove, false) => "remove keys",
            (Need::Remove, true) => "removes keys",
            (Need::Grow, false) => "keep their false-positive rate as they grow",
            (Need::Grow, true) => "keeps its false-positive rate as it grows",
            (Need::Count, false) if rank == Rank::Full => "count without a maximum",
            (Need::Count, true) if rank == Rank::Full => "counts without a maximum",
            (Need::Count, false) => "count",
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

/// How far a kind meets the needs. Kinds of a higher rank come first, whatever their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// In full.
    Full,
    /// It counts up to a maximum, or cannot remove every key.
    InPart,
    /// It counts, but rejects inserts when repeated keys have filled it up.
    FillsUp,
}

impl Rank {
    fn of(needs: &[Need], kind: Kind) -> Rank {
        let can = kind.capabilities();
        let counts = needs.contains(&Need::Count) && kind.max_count() != Some(u64::MAX);
        match () {
            () if counts && can.fills_up => Rank::FillsUp,
            () if counts || needs.contains(&Need::Remove) && can.leaves_some => Rank::InPart,
            () => Rank::Full,
        }
    }
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
    notes: Vec<String>,
    command: Option<String>,
    runners_up: &'a [KindRow],
}

pub fn print(out: &mut Out, needs: &[Need], request: &Request<'_>, json: bool) -> Result<(), Stop> {
    let mut candidates = candidates(needs);
    // Without a second list, a cascade is a ribbon in two parts.
    candidates.retain(|kind| *kind != Kind::Cascade || request.options.others.is_some());
    if candidates.is_empty() {
        return Err(Stop::Error(conflict(needs)));
    }
    let mut rows = Vec::new();
    for rank in [Rank::Full, Rank::InPart, Rank::FillsUp] {
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
    let reason = reason(needs, request, numbers.kind, &candidates);
    if json {
        return out.json(&AdviceJson {
            needs,
            kind: numbers.kind.name(),
            numbers: &numbers,
            can: numbers::can(numbers.kind),
            reason: &reason,
            notes: notes(needs, &numbers, request),
            command: numbers.command(request),
            runners_up: &rows,
        });
    }
    numbers.print(out, request, Some(&reason), &notes(needs, &numbers, request))?;
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
fn notes(needs: &[Need], numbers: &Numbers, request: &Request<'_>) -> Vec<String> {
    let mut notes = numbers.notes(request);
    if needs.contains(&Need::Grow) {
        notes.push(DOUBLING.to_string());
    }
    notes
}

/// Other kinds that take more keys than they were made for.
const DOUBLING: &str = "quotient and cuckoo double (anther add --grow), but twice the keys give \
                        twice the FPR";

/// Why this kind, in a sentence.
fn reason(needs: &[Need], request: &Request<'_>, kind: Kind, candidates: &[Kind]) -> String {
    let given: Vec<&str> = request.options.given().map(|(name, _)| name).collect();
    // Kinds without these options were not considered.
    let has_all = |kind: &&Kind| given.iter().all(|name| kind.options().contains(name));
    let rank = Rank::of(needs, kind);
    let able: Vec<&Kind> = candidates.iter().filter(has_all).collect();
    // All of a higher rank do not fit.
    let others_fail = able.iter().any(|other| Rank::of(needs, **other) < rank);
    let peers = able.iter().filter(|other| Rank::of(needs, ***other) == rank).count();
    let alone = peers <= 1;

    let does: Vec<&str> = needs.iter().map(|need| need.in_words(rank, alone)).collect();
    let does = does.join(" and ");
    let meets = |can: Capabilities| needs.iter().all(|need| need.is_met(can)) && can.experimental;
    let experimental = Kind::ALL.iter().any(|kind| meets(kind.capabilities()));
    let with = match &given[..] {
        [] => String::new(),
        names => format!(" with --{}", names.join(" and --")),
    };
    let best = match (request.known.items, request.known.bits) {
        _ if alone => "the only kind",
        (_, None) => "the smallest of the kinds",
        (Some(_), _) => "the lowest false-positive rate of the kinds",
        (None, _) => "the most keys of the kinds",
    };
    let that = match (alone, others_fail) {
        (true, true) => "that fits and",
        (false, true) => "that fit and",
        (true, false) if experimental => "that is not experimental and",
        _ => "that",
    };
    format!("{best}{with} {that} {does}")
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
    let mut message =
        format!("no kind does {} at once; possible: {}", flags(needs), works.join("; or "));
    let others: Vec<Need> = needs.iter().copied().filter(|need| *need != Need::Grow).collect();
    if others.len() < needs.len() && candidates(&others).contains(&Kind::Quotient) {
        message += &format!("; {DOUBLING}");
    }
    message
}
