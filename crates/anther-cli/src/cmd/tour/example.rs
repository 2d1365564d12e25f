//! The worked example of source [1]: ten bits, three hash functions, the set {2, 4, 9}.
//!
//! The source says that 5 is not in because position 2 is 0; position 2 is 1, and it is position
//! 5 that is 0. Its answer is right.

use super::ledger::{DELETING, EXAMPLE, Ledger};
use super::stage::Stage;
use crate::exit::Stop;
use anther::{Classic, PlainBits, Seed, Shape};

const BITS: u64 = 10;

/// The three hash functions of the example.
fn positions(x: u64) -> [u64; 3] {
    [x % BITS, (2 * x + 3) % BITS, (3 * x + 7) % BITS]
}

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Stop> {
    stage.say("Ten bits; x sets the bits x, 2x+3 and 3x+7, each modulo 10.\n")?;
    stage.say("  bit        0 1 2 3 4 5 6 7 8 9")?;
    let mut filter = empty()?;
    draw(stage, "empty", &filter, "")?;
    for x in [2, 4, 9] {
        let new = filter.insert_positions(&positions(x)).map_err(broken)?;
        let note = if new { "" } else { ": nothing new, 4 has the same" };
        draw(stage, &format!("insert {x}"), &filter, &format!("sets {}{note}", list(x)))?;
    }

    let four = ask(stage, &filter, 4, "")?;
    let five = ask(stage, &filter, 5, "")?;
    let twelve = ask(stage, &filter, 12, ", but wrong: a false positive")?;
    ledger.claim(EXAMPLE, "4 may be in, 5 is surely not", &said(&[four, five]), four && !five);
    ledger.claim(EXAMPLE, "12 is a false positive", &said(&[twelve]), twelve);

    filter.clear_positions(&positions(9)).map_err(broken)?;
    draw(stage, "clear 9", &filter, &format!("clears {}", list(9)))?;
    let four = ask(stage, &filter, 4, ", but it was in: gone with 9")?;
    ledger.claim(DELETING, "clearing 9's bits also removes 4", &said(&[four]), !four);
    stage.say("\nSo nothing can be taken out of such a filter: bits belong to several keys.")
}

fn empty() -> Result<Classic, Stop> {
    Classic::with_shape(Shape::bits(BITS).probes(3), Seed::EXTERNAL).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> Stop {
    Stop::about("the worked example", error)
}

fn ask(stage: &mut Stage, filter: &Classic, x: u64, note: &str) -> Result<bool, Stop> {
    let maybe = filter.contains_positions(&positions(x)).map_err(broken)?;
    let zeros = positions(x).into_iter().filter(|&bit| !filter.bits().get(bit));
    let zeros: Vec<String> = zeros.map(|bit| bit.to_string()).collect();
    let marks: String =
        (0..BITS).map(|bit| if positions(x).contains(&bit) { "^ " } else { "  " }).collect();
    let why = match &zeros[..] {
        [] => "all 1, so maybe".to_string(),
        [one] => format!("{one} is 0, so no"),
        _ => format!("{} are 0, so no", zeros.join(", ")),
    };
    stage.say(&format!("  {:<11}{marks} {why}{note}", format!("ask {x}")))?;
    Ok(maybe)
}

fn draw(stage: &mut Stage, step: &str, filter: &Classic, note: &str) -> Result<(), Stop> {
    let row: String =
        (0..BITS).map(|bit| if filter.bits().get(bit) { "1 " } else { "0 " }).collect();
    stage.say(format!("  {step:<11}{row} {note}").trim_end())
}

fn list(x: u64) -> String {
    positions(x).map(|position| position.to_string()).join(" ")
}

fn said(answers: &[bool]) -> String {
    let words: Vec<_> = answers.iter().map(|&maybe| if maybe { "maybe" } else { "no" }).collect();
    words.join(", ")
}
