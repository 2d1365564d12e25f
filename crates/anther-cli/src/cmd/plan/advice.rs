//! Recommends a kind for some needs, by the capabilities that the library lists.

use super::all::{self, KindRow};
use super::numbers;
use crate::exit::Stop;
use crate::output::Out;
use crate::units;
use anther::plan::{self, Need, Numbers, Rank, Request, candidates};
use anther::{Capabilities, Kind};
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
        return Err(Stop::Error(conflict(needs)));
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
    let reason = reason(needs, request, numbers.kind, &candidates);
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
        notes.push(DOUBLING.to_string());
    }
    notes
}

/// Other kinds that take more keys than they were made for.
const DOUBLING: &str = "quotient and cuckoo double (anther add --grow), but twice the keys give \
                        twice the FPR";

/// Why this kind, in a sentence.
fn reason(needs: &[Need], request: &Request, kind: Kind, candidates: &[Kind]) -> String {
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
    let flags = |needs: &[Need]| {
        needs.iter().map(|need| format!("--{}", need.name())).collect::<Vec<_>>().join(" ")
    };
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
