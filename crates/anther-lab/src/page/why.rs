//! Why a filter answered as it did, in a sentence or two for somebody who has never seen one.

use crate::draw::Reason;
use crate::draw::scene::{Action, Answer, Step, Wrong};
use anther::Kind;

/// Why the filter gave its answer in this step. None where the step's note says it all.
pub fn why(kind: Kind, step: &Step, reasons: &[Reason]) -> Option<String> {
    if step.action != Action::Query {
        return None;
    }
    let key = step.key.as_deref()?;
    Some(match (step.wrong, step.answer?) {
        (Some(Wrong::FalsePositive), _) => false_positive(kind, key, reasons),
        (Some(Wrong::FalseNegative), _) if kind.capabilities().no_false_negatives => format!(
            "{key} was inserted and never removed, but removing another key took what it had left."
        ),
        (Some(Wrong::FalseNegative), _) => format!(
            "{key} was inserted, but this kind forgets: what {key} left has been cleared since."
        ),
        (None, Answer::Maybe) => format!(
            "{key} was inserted, so the answer is right. The filter says “maybe” and not “yes” because \
             it does not store the keys: others may leave the same."
        ),
        (None, Answer::No) => absent(kind, key, reasons),
    })
}

fn false_positive(kind: Kind, key: &str, reasons: &[Reason]) -> String {
    let cells = distinct(reasons);
    let owned: Vec<&&Reason> = cells.iter().filter(|cell| !cell.keys.is_empty()).collect();
    let (cell, mut others) = (one_cell(&cells), Vec::new());
    for name in owned.iter().flat_map(|cell| &cell.keys) {
        if !others.contains(&name.as_str()) {
            others.push(name);
        }
    }
    match kind {
        Kind::Cuckoo | Kind::DLeft if !others.is_empty() => format!(
            "{key} was never inserted, but {} has the same tag in the same bucket, and the tag is all \
             that the filter stores.",
            join(&others)
        ),
        Kind::Cuckoo | Kind::DLeft => format!(
            "{key} was never inserted, but another key left the same tag in one of its buckets."
        ),
        Kind::Quotient => format!(
            "{key} was never inserted, but another key left the same remainder in the same run, and \
             that is all that the filter stores."
        ),
        Kind::Fuse | Kind::Ribbon | Kind::Cascade | Kind::Bloomier => {
            format!("{key} was never inserted. Its slots, xored, give the right result by chance.")
        }
        _ if owned.len() == cells.len() && !cells.is_empty() => {
            let all = cells.iter().find_map(|first| {
                let has_all = |name: &&String| cells.iter().all(|cell| cell.keys.contains(name));
                first.keys.iter().find(has_all)
            });
            match all {
                Some(all) => format!(
                    "{key} was never inserted, but {all} has the same {cell}s: {}. The filter \
                     cannot tell the two apart.",
                    join(&cells.iter().map(number).collect::<Vec<_>>())
                ),
                None => format!(
                    "{key} was never inserted, but other keys have set all of its {cell}s: {}.",
                    cells.iter().map(|cell| by_whom(cell)).collect::<Vec<_>>().join(", ")
                ),
            }
        }
        _ => format!(
            "{key} was never inserted, but other keys have left its cells as it would have left them."
        ),
    }
}

fn absent(kind: Kind, key: &str, reasons: &[Reason]) -> String {
    let certain = match kind.capabilities().no_false_negatives {
        true => "is certainly absent",
        false => "is absent, or forgotten",
    };
    match distinct(reasons).into_iter().find(|reason| reason.missing) {
        _ if matches!(kind, Kind::Cuckoo | Kind::DLeft) => {
            format!(
                "Inserting {key} would have left its tag in one of its buckets. {key} {certain}."
            )
        }
        _ if kind == Kind::Quotient => {
            format!("Inserting {key} would have left its remainder in its run. {key} {certain}.")
        }
        _ if !kind.capabilities().insert => {
            format!(
                "The slots of a key that is in give its fingerprint. These do not: {key} {certain}."
            )
        }
        Some(reason) => format!(
            "{} is 0. Inserting {key} would have set it, so {key} {certain}. One such {} is enough.",
            capital(&reason.place),
            reason.place.split(' ').next().unwrap_or("cell"),
        ),
        None => format!("Inserting {key} would have left something else here, so {key} {certain}."),
    }
}

/// Each cell once: two hash functions may lead to the same.
fn distinct(reasons: &[Reason]) -> Vec<&Reason> {
    let mut cells: Vec<&Reason> = Vec::new();
    for reason in reasons {
        if cells.iter().all(|other| other.place != reason.place) {
            cells.push(reason);
        }
    }
    cells
}

/// What the cells are, such as "bit".
fn one_cell<'a>(cells: &[&'a Reason]) -> &'a str {
    cells.first().and_then(|cell| cell.place.split(' ').next()).unwrap_or("cell")
}

/// The place without the name of the cells: "7" of "bit 7".
fn number<'a>(reason: &&'a Reason) -> &'a str {
    reason.place.split_once(' ').map_or(&*reason.place, |(_, number)| number)
}

/// "bit 7 by ant and bee", or "bit 7 by ant, bee and 3 more".
fn by_whom(reason: &Reason) -> String {
    const MOST: usize = 3;
    let names: Vec<&str> = reason.keys.iter().map(String::as_str).collect();
    let by = match names.len() {
        0..=MOST => join(&names),
        many => format!("{} and {} more", names[..MOST - 1].join(", "), many - MOST + 1),
    };
    format!("{} by {by}", reason.place)
}

fn join(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
