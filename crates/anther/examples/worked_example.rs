//! The smallest Bloom filter, bit by bit: ten bits, three hash functions, the set {2, 4, 9}.
//!
//! Three keys go in, three are asked for (one is in, one is not, one is a false positive), and
//! then one is taken out the naive way, which takes another with it.
//!
//! ```console
//! $ cargo run -p anther --example worked_example
//! ```

use anther::{Classic, PlainBits, PositionError, Seed, Shape};
use std::error::Error;

const BITS: u64 = 10;

/// The three functions. They are for doing in one's head: all see only the last digit.
fn functions(x: u64) -> [u64; 3] {
    [x % 10, (2 * x + 3) % 10, (3 * x + 7) % 10]
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("h1(x) = x mod 10    h2(x) = (2x+3) mod 10    h3(x) = (3x+7) mod 10\n");
    println!("position      0  1  2  3  4  5  6  7  8  9");

    // The positions come from us and not from the filter's own hash, so its seed is external.
    let mut filter = Classic::with_shape(Shape::bits(BITS).probes(3), Seed::EXTERNAL)?;
    draw("empty", &filter, &[], "");

    for x in [2, 4, 9] {
        let new = filter.insert_positions(&functions(x))?;
        let note = if new { "surely new" } else { "all three were 1: a false positive before" };
        draw(&format!("insert {x}"), &filter, &functions(x), note);
        // Nine was never in, and yet it adds no bit.
        assert_eq!(new, x != 9);
    }

    ask(&filter, 4, true, "maybe: all three are 1")?;
    // Positions 3 and 2 are 1; it is position 5 that decides.
    ask(&filter, 5, false, "no: position 5 is 0, and one 0 is enough")?;
    assert!(!filter.bits().get(5) && filter.bits().get(3) && filter.bits().get(2));
    ask(&filter, 12, true, "maybe, and wrong: a false positive, with the bits of 2")?;

    // A filter has no remove, and this is why.
    filter.clear_positions(&functions(9))?;
    draw("clear 9", &filter, &functions(9), "the naive deletion");

    ask(&filter, 9, false, "no: as was wanted")?;
    ask(&filter, 4, false, "no: gone with 9, a false negative")?;
    ask(&filter, 2, true, "maybe: shares no bit with 9")?;
    println!("To remove keys, count them: that is what counting filters are for.");
    Ok(())
}

/// Asks, draws, and makes sure that the answer is the one expected.
fn ask(filter: &Classic, x: u64, expected: bool, note: &str) -> Result<(), PositionError> {
    draw(&format!("ask {x}"), filter, &functions(x), note);
    assert_eq!(filter.contains_positions(&functions(x))?, expected, "{x}");
    Ok(())
}

/// One row of bits, and under it which function looked where.
fn draw(what: &str, filter: &Classic, positions: &[u64], note: &str) {
    let bits: String =
        (0..BITS).map(|at| if filter.bits().get(at) { "  1" } else { "  0" }).collect();
    let marks: String = (0..BITS)
        .map(|at| match positions.iter().position(|&position| position == at) {
            Some(function) => format!(" h{}", function + 1),
            None => "   ".to_string(),
        })
        .collect();
    println!("{}", format!("{what:<12}{bits}   {note}").trim_end());
    println!("{}\n", format!("{:<12}{marks}", "").trim_end());
}
