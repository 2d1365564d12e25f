//! Strangers who choose keys: what each attack does to each kind, with the fixed seed and with a
//! secret key. Prints the tables of SECURITY.md.
//!
//! | file | what it has |
//! |---|---|
//! | [`attack`] | how keys are chosen |
//! | [`outcome`] | what they do to a filter |
//! | [`timing`] | what the time of a lookup tells |

mod attack;
mod outcome;
#[cfg(test)]
mod tests;
mod timing;

use super::{heading, items};
use anther::Kind;
use outcome::{Blocked, Outcome, Size};

/// Prints all tables.
pub fn run() {
    let size = Size { items: items().unwrap_or(Size::FULL.items), ..Size::FULL };
    if let Err(error) = tables(size) {
        println!("adversaries: skipped, {error}");
    }
}

fn tables(size: Size) -> outcome::Measured<()> {
    heading(&format!(
        "Chosen keys: {} keys at 1 %, the fixed seed | a secret key (mean of {})",
        size.items, size.secrets
    ));
    println!(
        "| Kind | FPR after chosen inserts | Chosen lookups that match | Keys lost by 100 removals | Blocked |"
    );
    println!("|---|---:|---:|---:|---|");
    for &kind in Kind::ALL {
        let outcome = Outcome::measure(kind, size)?;
        println!(
            "| `{kind}` | {} | {} | {} | {} |",
            pair(outcome.rates(), |rate| format!("{:.1} %", 100.0 * rate)),
            match outcome.forged[0].of {
                0 => "none found".to_owned(),
                _ => pair(outcome.matches(), |share| format!("{:.1} %", 100.0 * share)),
            },
            outcome.lost.map_or("–".to_owned(), |lost| pair(lost, |keys| format!("{keys:.1}"))),
            blocked(&outcome.blocked)
        );
    }
    heading(
        "Keys of the lowest 1/64 of all hashes, beside honest keys: bits, ns per insert and lookup",
    );
    for kind in [Kind::Quotient, Kind::Fuse, Kind::Ribbon, Kind::Cascade, Kind::Bloomier] {
        println!("{:>9} {}", kind.name(), outcome::clustered(kind, size.items)?);
    }
    heading("What one lookup's time tells: ns, medians in a mixed stream of hits and misses");
    println!("| Kind | Hit | Miss | Right guesses |");
    println!("|---|---:|---:|---:|");
    for &kind in Kind::ALL {
        let [fixed, keyed] = timing::measure(kind, size.items)?;
        println!(
            "| `{kind}` | {} | {} | {} |",
            pair([fixed.hit, keyed.hit], |ns| format!("{ns:.0}")),
            pair([fixed.miss, keyed.miss], |ns| format!("{ns:.0}")),
            pair([fixed.guessed, keyed.guessed], |share| format!("{:.0} %", 100.0 * share))
        );
    }
    Ok(())
}

/// With the fixed seed, and with a secret key.
fn pair(both: [f64; 2], text: impl Fn(f64) -> String) -> String {
    format!("{} | {}", text(both[0]), text(both[1])).replace(" | ", " → ")
}

fn blocked(blocked: &Blocked) -> String {
    let keyed = |of: &usize, secrets: &usize| match of {
        0 => "none".to_owned(),
        _ => format!("{of} of {secrets} filters"),
    };
    match blocked {
        Blocked::Never => "–".to_owned(),
        Blocked::Rejects { after, tried, keyed: of, secrets } => {
            format!("after {after} keys, of {tried} candidates → {}", keyed(of, secrets))
        }
        Blocked::Unsolved { chosen, keyed: of, secrets } => {
            format!("build fails with {chosen} chosen keys → {}", keyed(of, secrets))
        }
    }
}
