//! Bender et al. 2012, Pandey, Bender, Johnson and Patro 2017: remainders in sorted runs.

use crate::papers::table::Table;
use crate::papers::trial::{ABSENT, key, measure};
use anther::sizing::quotient::{self, Size};
use anther::{Count, ExactSet, Filter, Insert, Quotient, Remove, Seed};

/// 2^14 slots, and the number of keys for a load of them.
const BLOCKS: u64 = 256;
const SLOTS: f64 = 16_384.0;

fn items(load: f64) -> u64 {
    (load * SLOTS) as u64
}

fn filled(remainder_bits: u32, load: f64, trial: u64) -> Quotient {
    let mut filter = Quotient::with_blocks(BLOCKS, remainder_bits, Seed::FIXED).unwrap();
    for i in 0..items(load) {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

#[test]
fn quotient_rates_and_bits() {
    let mut table = Table::new("Quotient: rates, bits, doubling, the exact form");
    table.row("bits per slot besides the remainder", "2.125", quotient::metadata_bits(), None);
    for (r, load, print) in [(7, 0.95, "9.605"), (10, 0.95, "12.763"), (7, 0.5, "18.250")] {
        let filter = filled(r, load, 0);
        let measured = filter.profile().bits as f64 / items(load) as f64;
        let predicted = quotient::bits_per_item(r, load);
        assert!((measured / predicted - 1.0).abs() < 1e-4, "{measured} {predicted}");
        table.row(format!("r={r}, load {load}: (r+2.125)/load"), print, predicted, None);
    }

    // The rate is at most α·2^-r; a little less, since some fingerprints belong to two keys.
    for (r, load) in [(5, 0.95), (7, 0.95), (7, 0.5), (10, 0.95)] {
        let bound = quotient::bound(r, load);
        let predicted = quotient::rate(64 * BLOCKS, r, items(load));
        assert!(predicted <= bound && predicted > bound * (1.0 - bound), "{predicted} {bound}");
        let measured = measure(8, 250_000, |trial| filled(r, load, trial));
        let print = format!("{bound:.3e} ±{:.1e}", bound * bound / 2.0);
        table.row(format!("r={r}, load {load}: load/2^r"), &print, predicted, measured);
    }

    // Doubled: the same keys at the same rate; as full as before, with a remainder of one bit less,
    // twice the rate.
    let doubled = |trial, upto| {
        let mut filter = filled(8, 0.9, trial);
        let before = filter.profile();
        filter.double().unwrap();
        let keys = items(0.9);
        assert!((0..keys).all(|i| filter.contains_hash(key(trial, i))), "no false negative");
        assert_eq!(filter.profile().fpr_now, before.fpr_now);
        for i in keys..upto {
            filter.insert_hash(key(trial, i)).unwrap();
        }
        filter
    };
    for (what, upto, print) in [
        ("doubled: the rate of r=8, load 0.9", items(0.9), "3.516e-3 ±7e-6"),
        ("filled again: that of r=7, load 0.9", 2 * items(0.9), "7.031e-3 ±2.5e-5"),
    ] {
        let predicted = quotient::rate(64 * BLOCKS, 8, upto);
        let measured = measure(8, 250_000, |trial| doubled(trial, upto));
        table.row(what, print, predicted, measured);
    }
    // As many again inserted and removed: the same filter.
    let mut come_and_gone = filled(8, 0.45, 0);
    let before = come_and_gone.clone();
    for i in 0..items(0.45) {
        come_and_gone.insert_hash(key(0, ABSENT + i)).unwrap();
    }
    for i in 0..items(0.45) {
        assert_eq!(come_and_gone.remove_hash(key(0, ABSENT + i)), Ok(true));
        assert!(come_and_gone.count_hash(key(0, i)) > 0);
    }
    let profiles = [come_and_gone.profile(), before.profile()].map(|p| (p.fpr_now, p.items));
    assert_eq!(profiles[0], profiles[1]);

    // 2^26 slots for 64-bit keys.
    let size = quotient::exact_size(60_000_000).unwrap();
    assert_eq!(size, Size { blocks: 1 << 20, remainder_bits: 38 });
    let bits = quotient::bits_per_item(size.remainder_bits, 0.9);
    table.row("exact, 6·10⁷ keys, load 0.9: bits per element", "44.6", bits, None);
    let mut set = ExactSet::new(60_000).unwrap();
    (0..60_000u64).for_each(|i| assert_eq!(set.insert(i * i), Ok(true)));
    let mut listed: Vec<u64> = set.iter().collect();
    listed.sort_unstable();
    let same = listed.into_iter().eq((0..60_000).map(|i| i * i));
    // Between two squares.
    let wrong = (1..250_000u64).filter(|i| set.contains(i * i + i)).count();
    let cells = [
        "exact: elements listed wrongly, errors",
        "0, 0",
        "",
        &format!("{}, {wrong}", u8::from(!same)),
    ];
    table.push(cells.map(String::from), same && wrong == 0);
    table.finish();
}
