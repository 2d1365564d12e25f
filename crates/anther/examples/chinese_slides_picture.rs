//! The picture that every introduction has: two keys go in, two others are asked for.
//!
//! Three hash functions, and two of them fall on one bit, the fifth from the left. The filter
//! says of y1 that it is not in the set, and of y2 that it may be; it is not.
//!
//! ```console
//! $ cargo run -p anther --example chinese_slides_picture
//! ```

use anther::{Classic, PlainBits, Seed, Shape};
use std::error::Error;

const BITS: u64 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    // Places count from 1, from the left, as in the picture.
    let (x1, x2) = ([2, 7, 10], [5, 11, 5]);
    let (y1, y2) = ([2, 4, 10], [5, 7, 11]);

    let mut filter = Classic::with_shape(Shape::bits(BITS).probes(3), Seed::EXTERNAL)?;
    draw("", &[], &filter, "empty");
    assert!(filter.insert_positions(&from_zero(x1))?);
    draw("x1", &x1, &filter, "x1 goes in: three ones");
    assert!(filter.insert_positions(&from_zero(x2))?);
    draw("x2", &x2, &filter, "x2 goes in: two more, since two functions chose the fifth bit");
    assert_eq!(filter.bits().ones(), 5);

    let found = filter.contains_positions(&from_zero(y1))?;
    draw("y1", &y1, &filter, "y1 is not in the set: the fourth bit is 0");
    assert!(!found);

    let found = filter.contains_positions(&from_zero(y2))?;
    draw("y2", &y2, &filter, "y2 may be in: a false positive, of one bit of x1 and two of x2");
    assert!(found);
    Ok(())
}

/// The filter counts from 0.
fn from_zero(places: [u64; 3]) -> [u64; 3] {
    places.map(|place| place - 1)
}

/// The key over its arrows over the bits; a bit that two functions chose has two arrows.
fn draw(key: &str, places: &[u64], filter: &Classic, note: &str) {
    let column = |at: u64| places.iter().filter(|&&place| place == at + 1).count();
    let line = |cell: &dyn Fn(u64) -> String| (0..BITS).map(cell).collect::<String>();
    let arrows = line(&|at| format!("{:>4}", "v".repeat(column(at))));
    let bits = line(&|at| format!("{:>4}", u8::from(filter.bits().get(at))));
    if !places.is_empty() {
        println!("{}", format!("{key:>4}{arrows}").trim_end());
    }
    println!("    {bits}    {note}\n");
}
