//! Fan et al. 1998: counters instead of bits.

use crate::papers::table::Table;
use crate::papers::trial::{key, measure};
use anther::sizing::{bloom, counters};
use anther::{Counting, Insert, Remove, Seed};
use std::f64::consts::LN_2;

fn filled(cells: u64, probes: u32, items: u64, trial: u64) -> Counting {
    let mut filter = Counting::with_cells(cells, probes, 4, Seed::FIXED).unwrap();
    for i in 0..items {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

#[test]
fn counting_rates_and_overflow() {
    let mut table = Table::new("Counting: overflow, and the rate of the classic filter");
    table.row("Pr(max ≥ 16) / m, bound", "1.37e-15", counters::overflow_bound(1, 16), None);
    table.row("the same, computed", "1.3677e-15", counters::overflow_bound(1, 16), None);
    // The slides truncate it to 6.78.
    table.row("Pr(counter = 16), Poisson", "6.785e-17", counters::poisson(LN_2, 16), None);
    table.row("Pr(counter ≥ 16), Poisson", "7.07e-17", counters::poisson_tail(LN_2, 16), None);
    // Counters that reach lower values are frequent enough to count: 3 of 2 bits stick.
    let sticks = counters::poisson_tail(LN_2, 3);
    let stuck = {
        let mut filter = Counting::with_cells(1_000_000, 1, 2, Seed::FIXED).unwrap();
        (0..693_147).for_each(|i| {
            filter.insert_hash(key(0, i)).unwrap();
        });
        filter.profile().stuck as f64 / 1e6
    };
    let sigma = (sticks / 1e6).sqrt();
    assert!((stuck - sticks).abs() < 6.0 * sigma, "{stuck} {sticks}");
    table.push(
        [
            "Pr(counter ≥ 3), 2 bits".to_string(),
            String::new(),
            format!("{sticks:.6}"),
            format!("{stuck:.6} ({:+.1}σ)", (stuck - sticks) / sigma),
        ],
        true,
    );

    // 9 counters per item and 6 probes: 36 bits, the alternative to the dlCBF.
    let (n, m, k) = (10_000, 90_000, 6);
    let predicted = bloom::rate(m, n, k);
    let measured = measure(20, 200_000, |trial| filled(m, k, n, trial));
    table.row("9 counters per item, k=6", "0.01327", predicted, measured);
    // The plain bits are the classic filter's: the same answers.
    let measured = measure(20, 200_000, |trial| filled(m, k, n, trial).to_classic().unwrap());
    table.row("the same, frozen to plain bits", "0.01327", predicted, measured);
    // As many again are inserted and removed: what is left is the rate of the others.
    let measured = measure(20, 200_000, |trial| {
        let mut filter = filled(m, k, 2 * n, trial);
        (n..2 * n).for_each(|i| assert_eq!(filter.remove_hash(key(trial, i)), Ok(true)));
        filter
    });
    table.row("twice as many, half of them removed", "0.01327", predicted, measured);
    table.finish();
}
