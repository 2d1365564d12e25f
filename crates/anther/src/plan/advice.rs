//! Why a kind is recommended, and why none is, in words.

use super::{Need, Rank, Request, candidates};
use crate::kind::{Capabilities, Kind};

/// Other kinds that take more keys than they were made for.
pub const DOUBLING: &str = "quotient and cuckoo double (anther add --grow), but twice the keys give \
                        twice the FPR";

/// Why this kind, in a sentence.
pub fn reason(needs: &[Need], request: &Request, kind: Kind, candidates: &[Kind]) -> String {
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

/// Which needs exclude each other, and the largest subsets of them that some kind meets. `named` writes
/// needs as the reader knows them.
pub fn conflict(needs: &[Need], named: impl Fn(&[Need]) -> String) -> String {
    let subset = |chosen: u32| -> Vec<Need> {
        let all = needs.iter().enumerate();
        all.filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, need)| *need).collect()
    };
    let subsets: Vec<Vec<Need>> =
        (1..1 << needs.len()).map(subset).filter(|some| !candidates(some).is_empty()).collect();
    let most = subsets.iter().map(Vec::len).max().unwrap_or(0);
    let works = subsets.iter().filter(|some| some.len() == most).map(|some| {
        let kinds: Vec<&str> = candidates(some).iter().map(|kind| kind.name()).collect();
        format!("{} ({})", named(some), kinds.join(", "))
    });
    let works: Vec<String> = works.collect();
    let mut message =
        format!("no kind does {} at once; possible: {}", named(needs), works.join("; or "));
    let others: Vec<Need> = needs.iter().copied().filter(|need| *need != Need::Grow).collect();
    if others.len() < needs.len() && candidates(&others).contains(&Kind::Quotient) {
        message += &format!("; {DOUBLING}");
    }
    message
}
