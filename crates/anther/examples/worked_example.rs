//! The smallest Bloom filter, bit by bit: ten bits, three hash functions, the set {2, 4, 9}.
//!
//! Three keys are inserted and three looked up: one is present, one absent, one a false positive.
//! Then one is removed the naive way, which removes another with it.
//!
//! ```console
//! $ cargo run -p anther --example worked_example
//! ```

use anther::{Classic, PlainBits, PositionError, Seed, Shape};
use std::error::Error;

const BITS: u64 = 10;

/// The three hash functions. They are for mental arithmetic: all see only the last digit.
fn hashes(x: u64) -> [u64; 3] {
    [x % 10, (2 * x + 3) % 10, (3 * x + 7) % 10]
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("h1(x) = x mod 10    h2(x) = (2x+3) mod 10    h3(x) = (3x+7) mod 10\n");
    println!("position      0  1  2  3  4  5  6  7  8  9");

    // We choose the positions, not the filter's own hash, so its seed is external.
    let mut filter = Classic::with_shape(Shape::bits(BITS).probes(3), Seed::EXTERNAL)?;
    draw("empty", &filter, &[], "");

    for x in [2, 4, 9] {
        let new = filter.insert_positions(&hashes(x))?;
        let note = if new { "certainly new" } else { "all three were 1: a false positive before" };
        draw(&format!("insert {x}"), &filter, &hashes(x), note);
        // Nine is new, and yet it sets no bit.
        assert_eq!(new, x != 9);
    }

    lookup(&filter, 4, true, "maybe: all three are 1")?;
    // Positions 3 and 2 are 1; it is position 5 that decides.
    lookup(&filter, 5, false, "no: position 5 is 0, and one 0 is enough")?;
    assert!(!filter.bits().get(5) && filter.bits().get(3) && filter.bits().get(2));
    lookup(&filter, 12, true, "maybe, and wrong: a false positive, with the bits of 2")?;

    // This is why a plain Bloom filter has no remove.
    filter.clear_positions(&hashes(9))?;
    draw("clear 9", &filter, &hashes(9), "the naive deletion");

    lookup(&filter, 9, false, "no: as intended")?;
    lookup(&filter, 4, false, "no: removed with 9, a false negative")?;
    lookup(&filter, 2, true, "maybe: shares no bit with 9")?;
    println!("To remove keys, use counters instead of bits: a counting filter.");
    Ok(())
}

/// Looks up a key, draws it, and checks the answer.
fn lookup(filter: &Classic, x: u64, expected: bool, note: &str) -> Result<(), PositionError> {
    draw(&format!("lookup {x}"), filter, &hashes(x), note);
    assert_eq!(filter.contains_positions(&hashes(x))?, expected, "{x}");
    Ok(())
}

/// The bits, and below them the positions of the hash functions.
fn draw(what: &str, filter: &Classic, positions: &[u64], note: &str) {
    let bits: String =
        (0..BITS).map(|at| if filter.bits().get(at) { "  1" } else { "  0" }).collect();
    let marks: String = (0..BITS)
        .map(|at| match positions.iter().position(|&position| position == at) {
            Some(hash) => format!(" h{}", hash + 1),
            None => "   ".to_string(),
        })
        .collect();
    println!("{}", format!("{what:<12}{bits}   {note}").trim_end());
    println!("{}\n", format!("{:<12}{marks}", "").trim_end());
}
