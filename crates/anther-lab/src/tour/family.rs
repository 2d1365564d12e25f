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
    stage.say(&format!(
        "A quotient filter of whole 64-bit numbers stores its elements and lists them again. A word \
         of up to 12 letters is such a number, five bits for each letter: {}, {}, {} ...",
        listed.first().map_or("", String::as_str),
        listed.get(1).map_or("", String::as_str),
        listed.get(2).map_or("", String::as_str),
    ))?;
    let same = listed.iter().eq(&sorted_words());
    let count = listed.len() as u64;
    let measured = format!("{} words listed, {bits:.1} bits each", units::count(count));
    ledger.claim(ELEMENTS, "all words come out again", &measured, same && count == WORDS);
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

/// The words that a set of numbers lists, sorted, and the bits that each takes.
fn elements() -> Result<(Vec<String>, f64), Box<dyn std::error::Error>> {
    let mut set = ExactSet::new(WORDS)?;
    for number in (0..WORDS).map(|number| packed(&word(number))) {
        set.insert(number.ok_or("a word does not fit 64 bits")?)?;
    }
    let mut listed: Vec<String> = set.iter().map(unpacked).collect();
    listed.sort_unstable();
    Ok((listed, set.profile().bits as f64 / WORDS as f64))
}

fn sorted_words() -> Vec<String> {
    let mut words: Vec<String> = (0..WORDS).map(word).collect();
    words.sort_unstable();
    words
}

/// A word of up to twelve small letters as a number, five bits for each letter.
fn packed(word: &str) -> Option<u64> {
    let is_short = word.len() <= 12 && word.bytes().all(|letter| letter.is_ascii_lowercase());
    let add = |number: u64, letter: u8| number << 5 | u64::from(letter - b'a' + 1);
    is_short.then(|| word.bytes().fold(0, add))
}

/// The word of a number.
fn unpacked(mut number: u64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        letters.push(char::from(b'a' - 1 + (number & 31) as u8));
        number >>= 5;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbers_and_words_again() {
        for text in ["a", "z", "stamen", "abcdefghijkl"] {
            assert_eq!(packed(text).map(unpacked).as_deref(), Some(text));
        }
        assert_eq!([packed("abcdefghijklm"), packed("Stamen"), packed("é")], [None; 3]);
    }

    #[test]
    fn the_words_themselves_are_listed() {
        let (listed, bits) = elements().unwrap();
        assert_eq!(listed, sorted_words());
        assert!(bits < 64.0, "{bits}");
    }
}
