//! "换个角度思考": a thousand bottles, one of them poisoned, and a week. How many mice?

use super::super::{Effort, Made, Picture};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::units::whole;
use std::collections::HashSet;

const BOTTLES: u32 = 1000;
const MICE: u32 = 10;

/// The mice that die of a bottle, the highest digit first: a mouse drinks of every bottle whose
/// number has a 1 at its digit.
fn dead(bottle: u32, mice: u32) -> Vec<bool> {
    (0..mice).rev().map(|mouse| bottle >> mouse & 1 == 1).collect()
}

/// The bottle that the dead mice name.
fn named(dead: &[bool]) -> u32 {
    dead.iter().fold(0, |number, dead| 2 * number + u32::from(*dead))
}

/// How many different sets of dead mice `bottles` bottles give.
fn patterns(bottles: u32, mice: u32) -> usize {
    (1..=bottles).map(|bottle| dead(bottle, mice)).collect::<HashSet<_>>().len()
}

/// The fewest mice that tell all bottles apart, by trying.
fn needed(bottles: u32) -> u32 {
    (0..32).find(|mice| patterns(bottles, *mice) == bottles as usize).unwrap_or(32)
}

/// ⌈log2 n⌉.
fn predicted(bottles: u32) -> u32 {
    bottles.next_power_of_two().ilog2()
}

/// Mice against bottles, and the numbers of the bottles in binary.
pub fn mice(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table =
        Table::new(["bottles", "mice", "mice predicted", "told apart by one mouse less"]);
    let mut series = Series::new("fewest mice");
    let mut as_predicted = true;
    let mut sizes = vec![2, 3, 4, 5, 8, 9, 16, 17, 50, 100, 200, 500, 512, 513, 1000, 1024, 1025];
    sizes.extend(effort.choose(vec![5000], vec![5000, 65_536, 65_537, 1_000_000]));
    for &bottles in &sizes {
        let mice = needed(bottles);
        as_predicted &= mice == predicted(bottles);
        series.measured.push((bottles.into(), mice.into()));
        table.row([
            Cell::Count(bottles.into()),
            Cell::Count(mice.into()),
            Cell::Count(predicted(bottles).into()),
            Cell::Count(patterns(bottles, mice.saturating_sub(1)) as u64),
        ]);
    }
    let last = sizes.iter().copied().max().unwrap_or(BOTTLES);
    series.predicted = steps(last);

    let found = (1..=BOTTLES).all(|bottle| named(&dead(bottle, MICE)) == bottle);
    let shared = BOTTLES as usize - patterns(BOTTLES, MICE - 1);
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "Mice that find the one poisoned bottle in a week".into(),
            x: Axis::log("bottles", Unit::Count),
            y: Axis::linear("mice", Unit::Count),
            series: vec![series],
        },
    );
    made.pictures.push((
        "bottles",
        Picture::Table("Which of mice 10 to 1 drink of a bottle: 1 does, 0 does not", drinks()),
    ));
    made.claim("of each of 1000 bottles the ten mice that die name exactly that one", found);
    made.claim("with nine mice, 488 of 1000 bottles share their dead with another", shared == 488);
    made.claim("as many mice are needed as predicted, ⌈log2 n⌉", as_predicted);
    made.note("A mouse is a bit and a bottle's number its code: ten bits tell 1024 bottles apart.");
    Ok(made)
}

/// ⌈log2 n⌉ as a staircase.
fn steps(last: u32) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for mice in 1..=predicted(last) {
        let (from, to) = (2f64.powi(mice.cast_signed() - 1), 2f64.powi(mice.cast_signed()));
        // One bottle needs no mouse, two need one.
        let from = if whole(from) == 1 { 2.0 } else { from };
        line.push((from, mice.into()));
        line.push((to.min(last.into()), mice.into()));
    }
    line
}

/// The first bottles of the slide, and the last.
fn drinks() -> Table {
    let names = (1..=MICE).rev().map(|mouse| mouse.to_string());
    let columns = ["bottle".to_string()].into_iter().chain(names);
    let row = |bottle: u32| {
        let drinks = dead(bottle, MICE).into_iter().map(|dead| Cell::Count(dead.into()));
        [Cell::Count(bottle.into())].into_iter().chain(drinks).collect()
    };
    let bottles = [1, 2, 3, 4, 5, BOTTLES];
    Table { columns: columns.collect(), rows: bottles.into_iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slide_has_these_digits() {
        let digits = |bottle| -> String {
            dead(bottle, MICE).iter().map(|dead| if *dead { '1' } else { '0' }).collect()
        };
        assert_eq!(
            [digits(1), digits(5), digits(1000)],
            ["0000000001", "0000000101", "1111101000"]
        );
        assert_eq!((needed(1), needed(2), needed(3), predicted(1024)), (0, 1, 2, 10));
    }
}
