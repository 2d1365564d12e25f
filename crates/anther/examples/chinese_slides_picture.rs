//! The picture of every introduction: insert two keys, look up two others.
//!
//! There are three hash functions, two of which map x2 to the same bit, the fifth from the left.
//! The filter answers no for y1 and maybe for y2, which is a false positive.
//!
//! ```console
//! $ cargo run -p anther --example chinese_slides_picture
//! ```

use anther::{Classic, PlainBits, Seed, Shape};
use std::error::Error;

const BITS: u64 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    // Positions count from 1, from the left, as in the picture.
    let (x1, x2) = ([2, 7, 10], [5, 11, 5]);
    let (y1, y2) = ([2, 4, 10], [5, 7, 11]);

    let mut filter = Classic::with_shape(Shape::bits(BITS).probes(3), Seed::EXTERNAL)?;
    draw("", &[], &filter, "empty");
    assert!(filter.insert_positions(&from_zero(x1))?);
    draw("x1", &x1, &filter, "insert x1: three ones");
    assert!(filter.insert_positions(&from_zero(x2))?);
    draw("x2", &x2, &filter, "insert x2: two more, since two hash functions hit the fifth bit");
    assert_eq!(filter.bits().ones(), 5);

    let found = filter.contains_positions(&from_zero(y1))?;
    draw("y1", &y1, &filter, "y1 is not in the set: the fourth bit is 0");
    assert!(!found);

    let found = filter.contains_positions(&from_zero(y2))?;
    draw("y2", &y2, &filter, "y2 may be in the set: a false positive, from bits of x1 and x2");
    assert!(found);
    Ok(())
}

/// The filter counts from 0.
fn from_zero(positions: [u64; 3]) -> [u64; 3] {
    positions.map(|position| position - 1)
}

/// The key, its arrows, and the bits below; a bit that two hash functions hit has two arrows.
fn draw(key: &str, positions: &[u64], filter: &Classic, note: &str) {
    let column = |at: u64| positions.iter().filter(|&&position| position == at + 1).count();
    let line = |cell: &dyn Fn(u64) -> String| (0..BITS).map(cell).collect::<String>();
    let arrows = line(&|at| format!("{:>4}", "v".repeat(column(at))));
    let bits = line(&|at| format!("{:>4}", u8::from(filter.bits().get(at))));
    if !positions.is_empty() {
        println!("{}", format!("{key:>4}{arrows}").trim_end());
    }
    println!("    {bits}    {note}\n");
}
