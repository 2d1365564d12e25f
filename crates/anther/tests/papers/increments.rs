//! Rottenstreich, Kanizo and Keslassy 2012: increments that differ.

use crate::papers::PATIENCE;
use crate::papers::table::Table;
use crate::papers::trial::{key, measure};
use anther::sizing::bloom;
use anther::sizing::increments::{Refusal, sums_set};
use anther::{Counting, Increments, Insert, Remove, Seed, VariableIncrement};
use std::collections::HashSet;

const ITEMS: u64 = 10_000;
const D4: Increments = Increments::Interval(4);
const B2: Increments = Increments::Sums(2);

fn filled(
    cells: u64,
    probes: u32,
    increments: Increments,
    bits: u32,
    keys: impl Iterator<Item = anther::KeyHash>,
) -> VariableIncrement {
    let mut filter =
        VariableIncrement::with_cells(cells, probes, increments, bits, Seed::FIXED).unwrap();
    keys.for_each(|key| {
        filter.insert_hash(key).unwrap();
    });
    filter
}

/// Cells and probes, and the published rates: simulated, and by the formula.
type Row = (Increments, f64, u32, &'static str, &'static str);

#[test]
fn rates_of_different_increments() {
    let mut table = Table::new("Variable increments: rates");
    // The simulations state no error: 3 %, some hundred hits or a thousand.
    let rows: [Row; 5] = [
        (D4, 10.0, 7, "2.765e-5 ±8e-7", "2.803e-5"),
        (D4, 8.0, 5, "3.022e-4 ±9e-6", "3.005e-4"),
        (Increments::Interval(8), 5.714, 3, "1.875e-3 ±5e-5", "1.876e-3"),
        (B2, 8.0, 5, "9.06e-5 ±2.7e-6", "8.96e-5"),
        (B2, 6.0, 4, "7.58e-4 ±2.2e-5", "7.54e-4"),
    ];
    for (increments, ratio, probes, simulated, formula) in rows {
        let refusal = Refusal::of(increments);
        let cells = |items: u64| (ratio * items as f64).round() as u64;
        let what = format!("{increments}, {ratio} cells per item, k={probes}");
        // The published formula is the limit for many items.
        let large = refusal.standard(cells(1_000_000), 1_000_000, probes);
        table.row(format!("{what}: formula"), formula, large, None);
        let predicted = refusal.rate(cells(ITEMS), ITEMS, probes);
        let queries = 300_000 * PATIENCE;
        let measured = measure(10, queries, |trial| {
            filled(cells(ITEMS), probes, increments, 10, (0..ITEMS).map(|i| key(trial, i)))
        });
        table.row(format!("{what}: simulated"), simulated, predicted, measured);
        // As many again inserted and removed.
        let measured = measure(4, queries, |trial| {
            let keys = (0..2 * ITEMS).map(|i| key(trial, i));
            let mut filter = filled(cells(ITEMS), probes, increments, 10, keys);
            (ITEMS..2 * ITEMS)
                .for_each(|i| assert_eq!(filter.remove_hash(key(trial, i)), Ok(true)));
            filter
        });
        table.row(format!("{what}: half removed"), simulated, predicted, measured);
    }
    table.finish();
}

#[test]
fn rates_in_the_same_memory() {
    let mut table = Table::new("Variable increments: 40 bits per item");
    let keys = |trial| (0..ITEMS).map(move |i| key(trial, i));
    let counting = bloom::rate(10 * ITEMS, ITEMS, 7);
    let measured = measure(10, 100_000, |trial| {
        let mut filter = Counting::with_cells(10 * ITEMS, 7, 4, Seed::FIXED).unwrap();
        keys(trial).for_each(|key| {
            filter.insert_hash(key).unwrap();
        });
        filter
    });
    table.row("counting, 4 bits, k=7", "0.00819", counting, measured);
    for (what, increments, bits, width, probes, print, gain) in [
        ("D4, 6 bits, k=7", D4, 6, 6, 7, "5.74e-4", "14"),
        ("D4, 7 bits, k=6", D4, 7, 7, 6, "0.00167", "4.9"),
        // Not published: the sum that wraps around needs four bits, and sticks as counting does.
        ("B2, 4+4 bits, k=7 (the default)", B2, 4, 8, 7, "", ""),
    ] {
        let cells = 40 * ITEMS / width;
        let predicted = Refusal::of(increments).rate(cells, ITEMS, probes);
        let measured = measure(10, 200_000 * PATIENCE, |trial| {
            filled(cells, probes, increments, bits, keys(trial))
        });
        if print.is_empty() {
            let off = measured.rate / predicted - 1.0;
            table.push(
                [
                    what.to_string(),
                    String::new(),
                    format!("{predicted:.5e}"),
                    format!("{:.5e}", measured.rate),
                ],
                off.abs() < 0.1 && counting / predicted > 10.0,
            );
        } else {
            table.row(what, print, predicted, measured);
            table.row("  times less than counting", gain, counting / predicted, None);
        }
    }
    // The largest increments only.
    table.row("D4, 7 bits: items that fit", "18", f64::from((1u8 << 7) - 1).div_euclid(7.0), None);
    table.finish();
}

/// Whether all sums of h members, with repetition, are different.
fn is_b(set: &[u64], h: usize) -> bool {
    // Non-decreasing choices, by the index of the last member chosen and the sum.
    let mut sums = vec![(0, 0)];
    for _ in 0..h {
        sums = sums
            .iter()
            .flat_map(|&(from, sum)| (from..set.len()).map(move |at| (at, sum + set[at])))
            .collect();
    }
    let mut seen = HashSet::new();
    sums.into_iter().all(|(_, sum)| seen.insert(sum))
}

/// The B_h sets of `members` members up to a largest one.
fn sets(members: usize, h: usize, largest: u64) -> Vec<Vec<u64>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..members {
        sets = sets
            .iter()
            .flat_map(|set: &Vec<u64>| {
                let from = set.last().map_or(1, |last| last + 1);
                (from..=largest).map(move |next| [&set[..], &[next]].concat())
            })
            .filter(|set| is_b(set, h))
            .collect();
    }
    sets
}

/// The published sets have different sums, and no others have a smaller largest member.
#[test]
fn sets_with_different_sums() {
    assert_eq!((sums_set(2), sums_set(3)), ([1, 2, 5, 7], [1, 2, 8, 12]));
    for (set, h) in [(&[1, 2, 5, 7][..], 2), (&[1, 2, 5, 10, 12], 2), (&[1, 2, 8, 12], 3)] {
        assert!((1..=h).all(|j| is_b(set, j)), "{set:?}");
        let largest = *set.last().unwrap();
        assert!(sets(set.len(), h, largest).contains(&set.to_vec()), "{set:?}");
        assert_eq!(sets(set.len(), h, largest - 1), Vec::<Vec<u64>>::new(), "{set:?} is minimal");
    }
    // D_L is not such a set: 4+6 = 5+5.
    assert!(!is_b(&[4, 5, 6, 7], 2));
    let mut greedy: Vec<u64> = Vec::new();
    for next in 1.. {
        greedy.push(next);
        if !is_b(&greedy, 2) {
            greedy.pop();
        }
        if greedy.len() == 10 {
            break;
        }
    }
    assert_eq!(greedy, [1, 2, 4, 8, 13, 21, 31, 45, 66, 81]);
}
