//! Nayak and Patgiri 2021: "nearly zero" false positives in a tenth of the bits. Their geometry with
//! their hash, rebuilt to show where the claim comes from, and with a sound one.

use super::super::sample::broken;
use super::super::tally::{Tally, seed};
use super::super::{Effort, Made};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::Robust;
use anther::sizing::bloom;
use anther::sizing::robust::{Grid, PROBES};
use anther::units;
use claimed::Claimed;

/// Their filter, with their hash: one file for this figure and for the library's tests. It is here,
/// since packages have no tests.
mod claimed;

const TARGET: f64 = 0.001;

/// What their filter of some numbers answers for others.
fn theirs(grid: Grid, keys: impl Iterator<Item = u64>, asked: impl Iterator<Item = u64>) -> Tally {
    let mut filter = Claimed::new(grid);
    keys.for_each(|key| filter.insert(key));
    let mut tally = Tally { filters: 1, ..Tally::default() };
    for key in asked {
        tally.asked += 1;
        tally.wrong += u64::from(filter.contains(key));
    }
    tally
}

/// The claim, and what is left of it.
pub fn robust(effort: &Effort<'_>) -> Result<Made, Error> {
    let mut table = Table::new([
        "keys",
        "bits per key",
        "theory",
        "sound hash",
        "their hash, as they ask",
        "even in, odd asked",
        "known",
    ]);
    let mut series =
        ["a sound hash", "their hash, asked as they do", "their hash, even in, odd asked"]
            .map(Series::new);
    let sizes = effort.choose(vec![100_000, 1_000_000], vec![100_000, 1_000_000, 10_000_000]);
    let (mut within, mut near_zero, mut collapse) = (true, true, true);
    let mut least = Vec::new();
    for (at, &items) in sizes.iter().enumerate() {
        let grid = claimed::grid(items, TARGET).ok_or_else(|| broken("no grid"))?;
        let asked = 100_000;
        let mut sound = Robust::with_grid(grid, seed(0)).map_err(broken)?;
        sound.extend((0..items).map(|key| key.to_string()));
        let wrong = (items..items + asked).filter(|key| sound.contains(key.to_string())).count();
        let ours = Tally { asked, wrong: wrong as u64, filters: 1 };
        let due = grid.rate(items);
        let bits = grid.bits() as f64 / items as f64;
        least.push(format!("{:.0} % with {bits:.3} bits per key", 100.0 * (-bits).exp2()));
        within &= ours.agrees(due, bloom::spread(grid.positions(), items, PROBES));
        let as_they_ask = theirs(grid, 0..items, items..items + items / 2);
        near_zero &= as_they_ask.rate() < 5e-5;
        // Seven digits, of which the hash reads the first four.
        let even = (1_000_000..1_000_000 + 2 * items).step_by(2);
        let odd = even.clone().map(|key| key + 1).take(100_000);
        let blind = theirs(grid, even, odd);
        collapse &= blind.rate() == 1.0 || items > 4_500_000;
        for (series, tally) in series.iter_mut().zip([ours, as_they_ask, blind]) {
            series.measured.push((at as f64, tally.rate()));
        }
        series[0].predicted.push((at as f64, due));
        let known = match items {
            100_000 => 0.810,
            1_000_000 => 0.766,
            _ => 0.732,
        };
        table.row([
            Cell::Count(items),
            Cell::Number(bits, 3),
            Cell::Rate(due),
            Cell::Rate(ours.rate()),
            Cell::Rate(as_they_ask.rate()),
            Cell::Rate(blind.rate()),
            Cell::Rate(known),
        ]);
        effort.tell(at + 1, sizes.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.chart(
        "",
        Chart {
            title: "RobustBF for 0.1 %: the same bits, their hash and a sound one".into(),
            x: Axis::names(sizes.iter().map(|items| format!("{} keys", units::count(*items)))),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.claim(
        "asked as its authors ask, the rate is below 0.005 %: their \"nearly zero\" is reproduced",
        near_zero,
    );
    made.claim(
        "keys that differ where their hash does not look are all taken for present",
        collapse,
    );
    made.claim("with a sound hash the rate is that of theory, within what chance allows", within);
    made.note(format!(
        "No filter can go below {}: it needs log2(1/ε). Their hash reads four bytes of seven, so that 9,000 \
         prefixes of four digits are all it tells apart. Known: earlier runs of a sound one.",
        least.join(", or below ")
    ));
    Ok(made)
}
