//! A control: a filter filled three times over breaks its promise, and must be found out, by the
//! measurement that lets the others pass and by the program itself.

use super::ledger::{Ledger, most_by_chance};
use super::stage::Stage;
use super::words::{ABSENT, PROMISE, WORDS};
use crate::error::Error;
use anther::units;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say("All 58,110 words, in a filter made for a third of them:\n")?;
    let items = WORDS / 3;
    stage
        .run(&format!("build control.anther words.txt --items {items} --kind classic"))?
        .or_stop()?;
    stage.run("info control.anther")?.or_stop()?;
    let alarms = stage.count("check -c control.anther", "absent-words.txt")?;
    let measure = "measure control.anther --members words.txt --absent absent-words.txt";
    let ran = stage.run(measure)?;

    let warned = stage.facts("info control.anther")?.holds("overfull");
    let broken = ran.code == 1 && stage.facts(measure)?.is("verdict", "broken");
    let measured = format!(
        "{} false, info {}, measure says {}",
        units::rate(alarms as f64 / ABSENT as f64),
        if warned { "warns" } else { "does not warn" },
        if broken { "broken" } else { "nothing" }
    );
    let found_out = alarms > most_by_chance(PROMISE, ABSENT) && warned && broken;
    ledger.control("filled three times over, at 1 %", &measured, found_out);
    Ok(())
}
