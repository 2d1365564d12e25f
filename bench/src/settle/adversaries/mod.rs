//! Strangers who choose keys: what each attack does to each kind, with the fixed seed and with a
//! secret key. Prints the tables of SECURITY.md.
//!
//! | file | what it has |
//! |---|---|
//! | [`attack`] | how keys are chosen |
//! | [`outcome`] | what they do to a filter |
//! | [`objects`] | the same for `iblt` and `range`, which are no kinds |
//! | [`timing`] | what the time of a lookup tells |

mod attack;
mod objects;
mod outcome;
#[cfg(test)]
mod tests;
mod timing;

use super::{heading, items};
use anther::{Kind, units};
use objects::RangeOutcome;
use outcome::{Blocked, Outcome, Positives, Size};

/// Prints all tables.
pub fn run() {
    let size = Size { items: items().unwrap_or(Size::FULL.items), ..Size::FULL };
    if let Err(error) = tables(size) {
        println!("adversaries: skipped, {error}");
    }
}

fn tables(size: Size) -> outcome::Measured<()> {
    let Size { items, secrets, removals, .. } = size;
    heading(&format!("{items} keys at 1 %: the fixed seed → {secrets} filters with secret keys"));
    println!(
        "| Kind | Chosen inserts: FPR | Chosen lookups that match | Keys lost by {removals} removals | Inserts that fail |"
    );
    println!("|---|---:|---:|---:|---|");
    for &kind in Kind::ALL {
        let outcome = Outcome::measure(kind, size)?;
        let matches = match outcome.forged[0].of {
            0 => "none found".to_owned(),
            _ => pair(outcome.matches().map(percent)),
        };
        let lost = outcome.lost.map(|lost| pair(lost.map(|keys| short(keys, ""))));
        println!(
            "| `{kind}` | {} | {matches} | {} | {} |",
            pair(outcome.rates().map(percent)),
            lost.unwrap_or("–".to_owned()),
            blocked(&outcome.blocked)
        );
    }
    println!("{}", objects(size)?);
    heading(
        "Honest keys → keys of the lowest 1/64 of all hashes → the same with a secret key: size, insert, lookup",
    );
    for kind in [Kind::Quotient, Kind::Fuse, Kind::Ribbon, Kind::Cascade, Kind::Bloomier] {
        println!("{:>9} {}", kind.name(), outcome::clustered(kind, items)?);
    }
    heading("What the time of a lookup tells: ns, the fixed seed → a secret key");
    println!("| Kind | Hit | Miss | Hit or miss guessed right |");
    println!("|---|---:|---:|---:|");
    let row = |name: &str, [fixed, keyed]: [timing::Timing; 2]| {
        println!(
            "| `{name}` | {} | {} | {} |",
            pair([fixed.hit, keyed.hit].map(|ns| format!("{ns:.0}"))),
            pair([fixed.miss, keyed.miss].map(|ns| format!("{ns:.0}"))),
            pair([fixed.guessed, keyed.guessed].map(|share| format!("{:.0} %", 100.0 * share)))
        );
    };
    for &kind in Kind::ALL {
        row(kind.name(), timing::measure(kind, items)?);
    }
    row("range", timing::measure_ranges(items)?);
    Ok(())
}

/// The rows of `iblt` and `range`, and what has no column.
fn objects(size: Size) -> outcome::Measured<String> {
    let share = |both: [Positives; 2]| pair(both.map(Positives::share).map(percent));
    let (iblt, ranges) = (objects::iblt(size)?, RangeOutcome::measure(size)?);
    let tried = units::count(iblt.tried);
    let keyed = match iblt.keyed {
        0 => "none".to_owned(),
        keyed => format!("in {keyed} of {} tables", iblt.secrets),
    };
    Ok(format!(
        "| `iblt` | – | – | – | decoding, by 2 elements of {tried} candidates → {keyed} |\n\
         | `range` | {} | {} | – | – |\n\n\
         iblt: of {} honest elements, 2 chosen ones hide {}, and {} hide {}\n\
         range: lookups that were known before match {}, and those in a block with known keys {}",
        share(ranges.polluted),
        share(ranges.forged),
        iblt.honest,
        iblt.hidden_by_pair,
        iblt.more,
        iblt.hidden_by_more,
        share(ranges.aimed),
        share(ranges.aligned),
    ))
}

/// With the fixed seed, and with a secret key.
fn pair([fixed, keyed]: [String; 2]) -> String {
    format!("{fixed} → {keyed}")
}

fn percent(share: f64) -> String {
    short(100.0 * share, " %")
}

/// With a digit after the point below ten.
fn short(number: f64, unit: &str) -> String {
    let digits = usize::from(number < 9.95);
    format!("{number:.digits$}{unit}")
}

fn blocked(blocked: &Blocked) -> String {
    let keyed = |of: &usize, secrets: &usize| match of {
        0 => "none".to_owned(),
        _ => format!("in {of} of {secrets} filters"),
    };
    match blocked {
        Blocked::Never => "–".to_owned(),
        Blocked::Rejects { after, tried, keyed: of, secrets } => {
            let [after, tried] = [*after as u64, *tried].map(units::count);
            format!("the next after {after}, of {tried} candidates → {}", keyed(of, secrets))
        }
        Blocked::Unsolved { chosen, keyed: of, secrets } => {
            format!("the build, by {chosen} of the keys → {}", keyed(of, secrets))
        }
    }
}
