//! Slides of the TU Bergakademie Freiberg.

use super::tally::{Tally, seed};
use super::timing;
use super::{Effort, Made, Picture, grid};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::sizing::{bloom, floom as regions_of};
use anther::units;
use anther::{Classic, Floom, Shape};
use std::f64::consts::LN_2;

/// The slides' size: the usual formulas, rounded.
pub fn usual_size(items: u64, rate: f64) -> (u64, u32) {
    let bits = (-(items as f64) * rate.ln() / (LN_2 * LN_2)).ceil();
    let probes = bloom::optimal_probes(bits, items as f64).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "up to 500,000 items"
    )]
    (bits as u64, probes as u32)
}

/// What the three filters should have: the standard one, Floom, and Big BF.
fn predictions(items: u64, regions: u32, rate: f64) -> [f64; 3] {
    let (bits, probes) = usual_size(items, rate);
    let big = bits.next_multiple_of(8) + (1 << regions);
    [
        bloom::rate(bits, items, probes),
        regions_of::rate(bits, items, probes, regions),
        bloom::rate(big, items, bloom::best_probes(big, items)),
    ]
}

/// How many items the slides went through: every thousand; a few of them show the same.
fn sizes(effort: &Effort<'_>) -> Vec<u64> {
    effort.choose(
        vec![1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 500_000],
        (1..500).map(|thousand| 1000 * thousand).collect(),
    )
}

/// "Vergleich der Varianten": the rates of a standard filter, of Floom, and of a standard filter
/// with Floom's memory.
pub fn floom(effort: &Effort<'_>, regions: u32, rate: f64) -> Result<Made, Error> {
    let broken = |error| Error::about("floom", error);
    let sizes = sizes(effort);
    let asked = effort.choose(1_000_000, 200_000);
    let mut table = Table::new([
        "items",
        "standard",
        "predicted",
        "floom",
        "predicted floom",
        "big bf",
        "predicted big bf",
        "bits",
        "bits floom",
    ]);
    let mut series = ["standard", "Floom", "Big BF"].map(Series::new);
    let (mut within, mut verdict) = (true, true);
    for (done, &items) in sizes.iter().enumerate() {
        let (bits, probes) = usual_size(items, rate);
        let filters = u32::try_from((20_000 / items).max(1)).unwrap_or(1);
        let mut tallies = [Tally::default(); 3];
        let mut floom_bits = 0;
        for number in 0..filters {
            let shape = Shape::bits(bits).probes(probes);
            let mut standard = Classic::with_shape(shape, seed(number)).map_err(broken)?;
            let mut floom =
                Floom::with_cells(bits, probes, regions, seed(number)).map_err(broken)?;
            let mut big = floom.big_classic(items).map_err(broken)?;
            standard.extend(0..items);
            floom.extend(0..items);
            big.extend(0..items);
            let absent = || items..items + asked / u64::from(filters);
            tallies[0].ask(&standard, absent());
            tallies[1].ask(&floom, absent());
            tallies[2].ask(&big, absent());
            floom_bits = floom.profile().bits;
        }
        let predicted = predictions(items, regions, rate);
        let spread = bloom::spread(bits, items, probes);
        for ((series, tally), predicted) in series.iter_mut().zip(&tallies).zip(predicted) {
            series.measured.push((items as f64, tally.rate()));
            within &= tally.agrees(predicted, spread);
        }
        // Where the two differ by less than chance does, nobody has won.
        let [_, floom, big] = tallies;
        verdict &= big.rate() <= floom.rate() || floom.agrees(big.rate(), spread);
        let [standard, floom, big] = tallies.map(|tally| Cell::Rate(tally.rate()));
        let [a, b, c] = predicted.map(Cell::Rate);
        table.row([
            Cell::Count(items),
            standard,
            a,
            floom,
            b,
            big,
            c,
            Cell::Count(bits),
            Cell::Count(floom_bits),
        ]);
        effort.tell(done + 1, sizes.len());
    }
    for items in grid(1000, 500_000) {
        let predicted = predictions(items, regions, rate);
        for (series, predicted) in series.iter_mut().zip(predicted) {
            series.predicted.push((items as f64, predicted));
        }
    }
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: format!("Rate against items: {regions} regions, made for {}", units::rate(rate)),
            x: Axis::log("items", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series: series.to_vec(),
        }),
    ));
    made.claim("each measured rate is the predicted one, within what chance allows", within);
    made.claim(
        "a standard filter with Floom's memory is nowhere worse than Floom by more than chance allows",
        verdict,
    );
    Ok(made)
}

/// "Zeit pro Einfügen in Abhängigkeit der insgesamt einzufügenden Elemente".
pub fn insert_time(effort: &Effort<'_>) -> Result<Made, Error> {
    let broken = |error| Error::about("insert-time", error);
    let sizes = sizes(effort);
    let names = ["standard", "Floom 12", "Floom 16", "Big BF"];
    let mut table =
        Table::new(["items", "standard", "floom 12", "floom 16", "big bf", "probes of standard"]);
    let mut series = names.map(Series::new);
    let mut probes_seen = Vec::new();
    for (done, &items) in sizes.iter().enumerate() {
        let (bits, probes) = usual_size(items, 0.01);
        let shape = Shape::bits(bits).probes(probes);
        let standard = Classic::with_shape(shape, seed(0)).map_err(broken)?;
        let floom = |regions| Floom::with_cells(bits, probes, regions, seed(0)).map_err(broken);
        let (floom_12, floom_16) = (floom(12)?, floom(16)?);
        let big = floom_16.big_classic(items).map_err(broken)?;
        let keys = timing::members(items);
        let times = timing::medians(
            effort.choose(5, 3),
            [
                &mut || timing::insert(|| standard.clone(), &keys),
                &mut || timing::insert(|| floom_12.clone(), &keys),
                &mut || timing::insert(|| floom_16.clone(), &keys),
                &mut || timing::insert(|| big.clone(), &keys),
            ],
        );
        for (series, time) in series.iter_mut().zip(times) {
            series.measured.push((items as f64, time));
        }
        probes_seen.push(standard.profile().probes);
        let [a, b, c, d] = times.map(Cell::Nanoseconds);
        table.row([Cell::Count(items), a, b, c, d, Cell::Count(probes.into())]);
        effort.tell(done + 1, sizes.len());
    }
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "Time per insert against items, made for 1 %".to_string(),
            x: Axis::log("items", Unit::Count),
            // Logarithmic, or Big BF with its 52 functions would press all others to the ground.
            y: Axis::log("time per insert", Unit::Nanoseconds),
            series: series.to_vec(),
        }),
    ));
    made.notes.push(timing::NOTE.to_string());
    made.notes.push(
        "The work is O(k) and k stays 7. Where the time rises all the same, the bits no longer fit \
         the nearer caches. Big BF is a standard filter with the memory of Floom 16, whose k is \
         larger while it is small."
            .to_string(),
    );
    made.claim(
        "the standard filter has 7 probes for any number of items",
        probes_seen.iter().all(|probes| *probes == 7),
    );
    Ok(made)
}
