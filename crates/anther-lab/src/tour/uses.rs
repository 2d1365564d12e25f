//! What filters are used for: a line per use of `anther-uses` that needs no privileges. Here are its
//! structures and formulas on generated data; `anther-uses all` has the processes and sockets.

mod documents;
mod network;
mod storage;
mod web;

use super::ledger::Ledger;
use super::stage::Stage;
use crate::error::Error as TourError;
use std::error::Error;
use std::path::Path;

/// A line of the ledger: the text that names the use, a claim with the formula's number, what was
/// measured, and whether it holds.
struct Line {
    source: &'static str,
    claim: String,
    measured: String,
    holds: bool,
}

/// A use on its data. It may make files in the tour's folder.
type Use = fn(&Path) -> Result<Line, Box<dyn Error>>;

const USES: [Use; 9] = [
    storage::key_value_store,
    storage::differential_file,
    documents::near_duplicates,
    documents::encrypted_search,
    web::web_proxies,
    web::safe_browsing,
    network::longest_prefix,
    network::intrusion_detection,
    network::peer_routing,
];

/// The secret key of those that have one.
const SECRET: [u8; 16] = *b"the tour's key 1";

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), TourError> {
    stage.say(
        "Nine uses that the texts name, each with its formula: the ledger has their numbers.",
    )?;
    stage.say("With processes, sockets and networks: cargo run --release -p anther-uses -- all")?;
    for one in USES {
        let Line { source, claim, measured, holds } =
            one(stage.folder()).map_err(|error| TourError::Failed(error.to_string()))?;
        ledger.claim(source, &claim, &measured, holds);
    }
    Ok(())
}

/// Whether `events` of `trials` fit this probability, within six standard deviations.
fn by_chance(probability: f64, events: u64, trials: u64) -> bool {
    let expected = probability * trials as f64;
    (events as f64 - expected).abs() <= 6.0 * (expected * (1.0 - probability)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_has_two_sides() {
        assert!(by_chance(0.01, 100, 10_000) && by_chance(0.01, 159, 10_000));
        assert!(!by_chance(0.01, 160, 10_000) && !by_chance(0.01, 40, 10_000));
    }

    #[test]
    fn every_use_holds() {
        let folder = tempfile::tempdir().unwrap();
        for one in USES {
            let line = one(folder.path()).unwrap();
            assert!(line.holds, "{}: {}", line.claim, line.measured);
        }
    }
}
