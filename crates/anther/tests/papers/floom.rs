//! The Floom filter of the TU Freiberg slides compared with the classic filter and with "Big BF", a
//! classic filter that also has the memory of the signatures.

use crate::papers::table::Table;
use crate::papers::trial::{key, measure};
use anther::sizing::{bloom, floom};
use anther::{Classic, Floom, Insert, Seed, Shape};
use std::f64::consts::LN_2;

/// Their size of a filter: the usual one, rounded.
fn their_size(items: u64, fpr: f64) -> (u64, u32) {
    let bits = (-(items as f64) * fpr.ln() / (LN_2 * LN_2)).ceil();
    (bits as u64, (bits / items as f64 * LN_2).round() as u32)
}

fn filled<F: Insert>(mut filter: F, items: u64, trial: u64) -> F {
    for i in 0..items {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

#[test]
fn floom_and_its_alternatives() {
    let mut table = Table::new("Floom: regions, and a classic filter with the same memory");
    for (regions, probes, print, all) in
        [(12, 7, "3301", "4096"), (16, 7, "26332", "65536"), (16, 4, "2516", "65536")]
    {
        let what = format!("possible signatures of {all}: {regions} regions, k={probes}");
        table.row(what, print, floom::signatures(probes, regions), None);
    }

    // Rate and regions; items; classic, Floom, Big BF. Each comes from one filter, which is off by
    // chance, and the number of queries is not stated: taken as 2 % of error at 1000 items, 1 %
    // with more, and 4 % for the rare ones.
    let rows: [(f64, u32, u64, [&str; 3]); 9] = [
        (0.01, 12, 1000, ["0.0102 ±2e-4", "0.0032 ±6e-5", "0.0014 ±5e-5"]),
        (0.01, 12, 5000, ["0.0100 ±1e-4", "0.0082 ±8e-5", "0.0068 ±7e-5"]),
        (0.01, 12, 50_000, ["0.0100 ±1e-4", "0.0100 ±1e-4", "0.0096 ±1e-4"]),
        (0.01, 16, 1000, ["0.0101 ±2e-4", "4.8e-4 ±2e-5", "0 ±1e-5"]),
        (0.01, 16, 10_000, ["0.0100 ±1e-4", "0.0037 ±4e-5", "4.3e-4 ±2e-5"]),
        (0.01, 16, 100_000, ["0.0100 ±1e-4", "0.0096 ±1e-4", "0.0072 ±7e-5"]),
        (0.05, 12, 1000, ["0.0512 ±1e-3", "0.0376 ±8e-4", "0.0069 ±1e-4"]),
        (0.05, 16, 10_000, ["0.0501 ±5e-4", "0.0490 ±5e-4", "0.0021 ±4e-5"]),
        (0.05, 16, 500_000, ["0.0504 ±2e-4", "0.0504 ±2e-4", "0.0473 ±2e-4"]),
    ];
    for (fpr, regions, items, [classic, floom, big]) in rows {
        let (bits, probes) = their_size(items, fpr);
        let filters = (300_000 / items).clamp(2, 40);
        let queries = 1_000_000 / filters;
        let shape = format!("{fpr}, {regions} regions, n={items}");

        let plain = || Classic::with_shape(Shape::bits(bits).probes(probes), Seed::FIXED).unwrap();
        let measured = measure(filters, queries, |trial| filled(plain(), items, trial));
        let predicted = bloom::rate(bits, items, probes);
        table.row(format!("{shape}: classic"), classic, predicted, measured);

        let made = || Floom::with_cells(bits, probes, regions, Seed::FIXED).unwrap();
        let measured = measure(filters, queries, |trial| filled(made(), items, trial));
        let floom_rate = measured.rate;
        let predicted = floom::rate(bits, items, probes, regions);
        // Their own sum for it, which is good to 1 %.
        let sum = bloom::rate(bits, items, probes) * floom::seen(items, probes, regions);
        assert!((sum / predicted - 1.0).abs() < 0.012, "{shape}: {sum} {predicted}");
        table.row(format!("{shape}: Floom"), floom, predicted, measured);

        let rival = || made().big_classic(items).unwrap();
        let measured = measure(filters, queries, |trial| filled(rival(), items, trial));
        let profile = rival().profile();
        assert_eq!(profile.bits, bits.next_multiple_of(8) + (1 << regions));
        let predicted = bloom::rate(profile.bits, items, profile.probes);
        // The conclusion: the memory is better spent on cells.
        assert!(measured.rate < floom_rate, "{shape}: {} {floom_rate}", measured.rate);
        table.row(format!("{shape}: Big BF"), big, predicted, measured);
    }
    table.finish();
}
