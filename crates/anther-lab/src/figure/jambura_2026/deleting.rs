//! Deleting from a filter that cannot, and from one that can (§5.1).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::sample::counter_values;
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, Picture, grid};
use crate::table::{Cell, Table};
use anther::parts::probes::Spread;
use anther::sizing::{bloom, counters};
use anther::{Classic, Counting, Filter, Key, Target};

const RATE: f64 = 0.01;
const ITEMS: u64 = 10_000;

fn broken(error: impl std::fmt::Display) -> Error {
    Error::about("deleting", error)
}

/// How many counters are at least 1, 2, 3 and so on.
fn heights(filter: &Counting) -> Vec<u64> {
    let values = counter_values(filter);
    (1..values.len()).map(|height| values[height..].iter().sum()).take_while(|it| *it > 0).collect()
}

/// Members whose bits are set to 0 take others with them; counters do not.
pub fn deleting(effort: &Effort<'_>) -> Result<Made, Error> {
    let filters: u32 = effort.choose(10, 100);
    let target = Target::new(ITEMS, RATE).map_err(broken)?;
    let deletions = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
    let mut lost = deletions.map(|_| Tally::default());
    let (mut lost_by_counting, mut stayed) = (0, 0);
    let (mut bits, mut probes, mut counting_bits) = (1, 1, 0);
    let mut tall = Vec::new();
    for number in 0..filters {
        let mut plain = Classic::with_seed(target, seed(number)).map_err(broken)?;
        let mut counting = Counting::with_seed(target, seed(number)).map_err(broken)?;
        plain.extend(0..ITEMS);
        counting.extend(0..ITEMS);
        let profile = plain.profile();
        (bits, probes) = (profile.bits, profile.probes);
        counting_bits = counting.profile().bits;
        for (at, count) in heights(&counting).into_iter().enumerate() {
            tall.resize(tall.len().max(at + 1), 0);
            tall[at] += count;
        }
        let spread = Spread::new(bits, probes);
        let mut deleted = 0;
        for (until, tally) in deletions.into_iter().zip(&mut lost) {
            for key in deleted..until {
                let positions = &mut [0; 64];
                let positions = spread.gather(key.key_hash(plain.seed()), positions);
                plain.clear_positions(positions).map_err(broken)?;
                counting.remove(key).map_err(broken)?;
            }
            deleted = until;
            tally.filters += 1;
            for key in ITEMS / 2..ITEMS {
                tally.asked += 1;
                tally.wrong += u64::from(!plain.contains(key));
                lost_by_counting += u64::from(!counting.contains(key));
            }
        }
        stayed += (0..deleted).filter(|key| counting.contains(*key)).count() as u64;
        effort.tell(number as usize + 1, filters as usize);
    }
    let mut table = Table::new(["deleted", "lost measured", "lost predicted", "lost by counting"]);
    let mut series = ["bits set to 0", "counters lowered"].map(Series::new);
    let mut agree = true;
    for (deleted, tally) in deletions.into_iter().zip(&lost) {
        let predicted = bloom::lost(bits, deleted, probes);
        // A bit takes all members that have it: they are lost together.
        let together = (2.0 / (predicted * ITEMS as f64)).sqrt();
        agree &= tally.agrees(predicted, together);
        series[0].measured.push((deleted as f64, tally.rate()));
        series[1].measured.push((deleted as f64, lost_by_counting as f64));
        table.row([
            Cell::Count(deleted),
            Cell::Rate(tally.rate()),
            Cell::Rate(predicted),
            Cell::Rate(lost_by_counting as f64),
        ]);
    }
    series[0].predicted = grid(1, 5000).map(|d| (d as f64, bloom::lost(bits, d, probes))).collect();
    let mut made = Made { table, ..Made::default() };
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "Members lost when others are deleted".to_string(),
            x: Axis::log("deleted of 10,000 members", Unit::Count),
            y: Axis::linear("share of the other members that is lost", Unit::Rate),
            series: series.to_vec(),
        }),
    ));
    let counted = made_of_counters(&mut made, &tall, bits, probes, filters);
    made.notes.push(format!(
        "Filters of 10,000 keys at 1 %. Deleting a single member by its bits already loses some {} \
         others. Counting takes {} times the bits, {} instead of {}, and gives back what was put \
         in; what was never put in must not be taken out of it either.",
        anther::units::whole(bloom::lost(bits, 1, probes) * ITEMS as f64),
        counting_bits / bits,
        anther::units::size(counting_bits / 8),
        anther::units::size(bits / 8)
    ));
    made.claim("the share of lost members is the predicted one, within what chance allows", agree);
    made.claim("counting loses no member", lost_by_counting == 0);
    // Of those that are out, some look present, as other absent keys do.
    let out = u64::from(filters) * 5000;
    let half = bloom::rate(bits, ITEMS / 2, probes);
    let tally = Tally { asked: out, wrong: stayed, filters };
    let spread = bloom::spread(bits, ITEMS / 2, probes);
    made.claim(
        "and what was removed from it is absent like any other key",
        tally.agrees(half, spread),
    );
    made.claim("counting has four times the bits", counting_bits == 4 * bits);
    made.claim(
        "as many counters reach each height as predicted, within chance, and none reaches 15",
        counted,
    );
    Ok(made)
}

/// The chart of how high counters get; whether that is as predicted.
fn made_of_counters(made: &mut Made, tall: &[u64], bits: u64, probes: u32, filters: u32) -> bool {
    let all = bits * u64::from(filters);
    let load = f64::from(probes) * ITEMS as f64 / bits as f64;
    let mut series = ["counters of that height or more", "bound of Fan et al."].map(Series::new);
    let mut agree = tall.len() < 15;
    for height in 1..=16u32 {
        let (x, share) = (f64::from(height), counters::poisson_tail(load, height));
        series[0].predicted.push((x, share));
        if height >= 3 {
            series[1].predicted.push((x, counters::overflow_bound(1, height)));
        }
        let count = tall.get(height as usize - 1).copied().unwrap_or(0);
        if count > 0 {
            series[0].measured.push((x, count as f64 / all as f64));
        }
        let tally = Tally { asked: all, wrong: count, filters };
        agree &= tally.agrees(share, 0.0);
    }
    made.notes.push(format!(
        "The highest of {} counters is {}; four bits go to 15.",
        anther::units::count(all),
        tall.len()
    ));
    made.pictures.push((
        "counters",
        Picture::Chart(Chart {
            title: "How high the counters of a full counting filter are".to_string(),
            x: Axis::linear("height", Unit::Count),
            y: Axis::log("share of the counters", Unit::Rate),
            series: series.to_vec(),
        }),
    ));
    agree
}
