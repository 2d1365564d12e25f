//! The reliability test of text [1]: 58,110 words at 1 %, asked about 20,000 others.

use super::data::word;
use super::ledger::{Ledger, NO_MISS, RELIABILITY, most_by_chance};
use super::stage::Stage;
use crate::error::Error;
use anther::units;

/// How many words text [1] stored.
pub const WORDS: u64 = 58_110;
/// How many it asked about.
pub const ABSENT: u64 = 20_000;
/// The rate that it wanted, and that the other parts want too.
pub const PROMISE: f64 = 0.01;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.write("words.txt", (0..WORDS).map(word))?;
    stage.write("absent-words.txt", (WORDS..WORDS + ABSENT).map(word))?;
    stage.say(&format!(
        "words.txt has {} words, absent-words.txt {} others.\n",
        units::count(WORDS),
        units::count(ABSENT)
    ))?;
    stage.run("build words.anther words.txt --kind classic --fpr 1%")?.or_stop()?;
    stage.run(&format!("check words.anther {} stamen", word(0)))?;
    stage.say("\nHow many of its own words does it miss, and how many others wave through?")?;
    let measure = "measure words.anther --members words.txt --absent absent-words.txt";
    let ran = stage.run(measure)?;
    let facts = stage.facts(measure)?;
    let (missed, alarms) = (facts.count("false_negatives")?, facts.count("false_positives")?);
    let (words, absent, probes) =
        (facts.count("members")?, facts.count("test_values")?, facts.count("probes")?);
    let reliability = 100.0 * (1.0 - alarms as f64 / absent as f64);

    let claim = "58,110 words at 1 % take 7 hashes";
    ledger.claim(RELIABILITY, claim, &probes.to_string(), words == WORDS && probes == 7);
    let most = most_by_chance(PROMISE, ABSENT);
    let least = 100.0 * (1.0 - most as f64 / ABSENT as f64);
    let measured = format!("{reliability:.2} %, chance allows {least:.2}");
    let reliable = absent == ABSENT && alarms <= most && ran.code == 0;
    ledger.claim(RELIABILITY, "99 % reliable on absent words", &measured, reliable);
    ledger.claim(NO_MISS, "no word is missed", &format!("{missed} missed"), missed == 0);
    Ok(())
}
