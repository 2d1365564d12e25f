//! Rothenberg et al. 2010: which keys can be removed.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::{key, mean, measure};
use anther::sizing::{bloom, regions};
use anther::{Deletable, Insert, Remove, Seed};

fn filled(size: regions::Size, items: u64, trial: u64) -> Deletable {
    let regions::Size { bits, probes, regions } = size;
    let mut filter = Deletable::with_regions(bits, probes, regions, Seed::FIXED).unwrap();
    for i in 0..items {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

/// The share of keys that can be removed when all are to be removed. A mark is never cleared, so it
/// is the same in any order.
fn share_removed(size: regions::Size, items: u64, filters: u64) -> Measured {
    let shares = (0..filters).map(|trial| {
        let mut filter = filled(size, items, trial);
        let gone = (0..items).filter(|i| filter.remove_hash(key(trial, *i)) == Ok(true)).count();
        gone as f64 / items as f64
    });
    mean(&shares.collect::<Vec<f64>>(), items)
}

#[test]
fn deletable_shares() {
    let mut table = Table::new("Deletable: the share of keys that can be removed");
    // n, M/n, k, r; simulated, with the binomial error of one filter of n keys; the paper's form;
    // the corrected one. M includes the marks. The simulations were single filters: with 40 and 400
    // of them the corrected form holds to 1 %, and to 5 % in the last row.
    let rows: [(u64, u64, u32, u64, [&str; 3]); 6] = [
        (10_000, 10, 7, 5000, ["0.1067 ±0.0031", "0.1913", "0.1144"]),
        (10_000, 10, 7, 10_000, ["0.4867 ±0.0050", "0.7092", "0.4871"]),
        (10_000, 16, 4, 2000, ["0.3164 ±0.0047", "0.3837", "0.3171"]),
        (10_000, 16, 4, 10_000, ["0.9380 ±0.0024", "0.98225", "0.93815"]),
        (1000, 32, 8, 500, ["0.7015 ±0.0145", "0.7857", "0.6999"]),
        (1000, 16, 11, 500, ["0.0343 ±0.0058", "0.0498", "0.0294"]),
    ];
    for (n, c, k, r, [simulated, in_print, corrected]) in rows {
        let m = n * c - r;
        let size = regions::Size { bits: m, probes: k, regions: r };
        let measured = share_removed(size, n, 400_000 / n);
        let what = format!("{n}, {c}, {k}, {r}");
        let formula = regions::removable(m, n, k, r);
        let room = if measured.rate < 0.1 { 0.05 } else { 0.01 };
        assert!((formula / measured.rate - 1.0).abs() < room, "{what}: {}", measured.rate);
        table.row(format!("{what}: simulated"), simulated, None, measured);
        table.row(
            format!("{what}: paper's form"),
            in_print,
            regions::removable_in_print(m, n, k, r),
            None,
        );
        table.row(format!("{what}: corrected"), corrected, formula, None);
    }

    // The rate is that of the bits without the marks, before removals and, with fewer ones, after.
    let (n, size) = (10_000, regions::Size { bits: 90_000, probes: 6, regions: 10_000 });
    let predicted = bloom::rate(size.bits, n, size.probes);
    let measured = measure(20, 200_000, |trial| filled(size, n, trial));
    table.row("rate at 9 bits per item, k=6", "0.01327", predicted, measured);
    table.finish();
}
