//! Other kinds for the same words: smaller, with removal, and with the elements themselves.

use super::data::word;
use super::ledger::{BOUND, ELEMENTS, Ledger, NO_MISS, REMOVAL};
use super::stage::Stage;
use super::words::{PROMISE, WORDS};
use crate::error::Error;
use anther::filter::quotient::ExactSet;
use anther::units;
use anther::{Cuckoo, Filter, Target};

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage
        .say("The same words in the smallest kind there is. Nothing can be added to it later.\n")?;
    stage.run("build ribbon.anther words.txt --kind ribbon --fpr 1%")?.or_stop()?;
    let missed = stage.count("check -v -c ribbon.anther", "words.txt")?;
    let ribbon = stage.open("ribbon.anther")?.profile();
    let per_key = ribbon.bits as f64 / WORDS as f64;
    let least = -PROMISE.log2();
    let measured = format!("{per_key:.2} bits a key, {least:.2} at least");
    let holds = per_key >= least && per_key < 1.03 * least;
    ledger.claim(BOUND, "ribbon is within 3 % of n·log2(1/ε)", &measured, holds);
    ledger.claim(NO_MISS, "ribbon misses no word", &format!("{missed} missed"), missed == 0);

    let (left, lost) = removal().map_err(|error| Error::Failed(error.to_string()))?;
    stage.say(&format!(
        "\nA cuckoo filter takes keys out again. {} words in, every second one out.",
        units::count(WORDS)
    ))?;
    let measured = format!("{lost} of those that stay lost, {left} that went still found");
    // One in a hundred of those that went looks present, as any absent key does.
    let holds = lost == 0 && (left as f64) < 0.02 * WORDS as f64 / 2.0;
    ledger.claim(REMOVAL, "cuckoo removes keys and loses no other", &measured, holds);

    let (listed, bits) = elements().map_err(|error| Error::Failed(error.to_string()))?;
    stage.say(
        "A quotient filter of whole 64-bit hashes stores the elements and lists them again.",
    )?;
    let measured = format!("{} listed, {bits:.1} bits each", units::count(listed));
    ledger.claim(ELEMENTS, "all elements come out again", &measured, listed == WORDS);
    Ok(())
}

/// How many words that went are still found, and how many that stayed are lost.
fn removal() -> Result<(usize, usize), Box<dyn std::error::Error>> {
    let mut words = Cuckoo::new(Target::new(WORDS, PROMISE)?)?;
    for number in 0..WORDS {
        words.insert(word(number))?;
    }
    for number in (1..WORDS).step_by(2) {
        words.remove(word(number))?;
    }
    let found = |first: usize| {
        (0..WORDS).skip(first).step_by(2).filter(|number| words.contains(word(*number))).count()
    };
    let stay = WORDS.div_ceil(2);
    Ok((found(1), usize::try_from(stay)? - found(0)))
}

/// How many different numbers come out again that went in, and the bits that each takes.
fn elements() -> Result<(u64, f64), Box<dyn std::error::Error>> {
    let number = |i: u64| i * i + 7;
    let mut set = ExactSet::new(WORDS)?;
    for i in 0..WORDS {
        set.insert(number(i))?;
    }
    let mut listed: Vec<u64> = set.iter().collect();
    listed.sort_unstable();
    let same = listed.iter().copied().eq((0..WORDS).map(number));
    let bits = set.profile().bits as f64 / WORDS as f64;
    Ok((if same { listed.len() as u64 } else { 0 }, bits))
}
