//! Mitzenmacher 2001: fewer probes in more bits, and the size of their file.

use crate::papers::table::Table;
use crate::papers::trial::{key, measure};
use anther::sizing::{bloom, wire};
use anther::{Compressed, Insert, Seed, Shape};

fn filled(bits: u64, probes: u32, items: u64, trial: u64) -> Compressed {
    let shape = Shape::bits(bits).probes(probes);
    let mut filter = Compressed::with_shape(shape, Seed::FIXED).unwrap();
    for i in 0..items {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    filter
}

/// The bits of the only section of the filter's file, from its header.
fn section_bits(filter: &Compressed) -> f64 {
    let mut file = Vec::new();
    filter.write_to(&mut file).unwrap();
    let name = b"\x03row";
    let entry = file.windows(name.len()).position(|bytes| bytes == name).unwrap() + name.len();
    let len = file[entry + 1..entry + 9].try_into().unwrap();
    8.0 * u64::from_le_bytes(len) as f64
}

/// A published size, predicted, and measured within a share of the prediction.
fn size_row(
    table: &mut Table,
    what: String,
    print: &str,
    predicted: f64,
    measured: f64,
    room: f64,
) {
    let off = measured / predicted - 1.0;
    let printed = print.is_empty() || format!("{predicted:.3}") == print;
    let [predicted, shown] =
        [format!("{predicted:.3}"), format!("{measured:.3} ({:+.3} %)", 100.0 * off)];
    let ok = printed && off.abs() < room;
    table.push([what, print.to_string(), predicted, shown], ok);
}

#[test]
fn compressed_sizes_and_rates() {
    let mut table = Table::new("Compressed: bits sent per key, and the rate");
    let n = 10_000;
    // m/n, k, z/n, f. The first is published as 8, since it is sent uncompressed, and the rate of
    // the fourth as .0216.
    for (c, k, z, f) in [
        (8.0, 6, "7.982", "0.0216"),
        (14.0, 2, "7.923", "0.0177"),
        (92.0, 1, "7.923", "0.0108"),
        (12.6, 2, "7.582", "0.02154"),
        (46.0, 1, "6.891", "0.0215"),
        (16.0, 11, "16.000", "4.59e-4"),
        (28.0, 4, "15.846", "3.14e-4"),
        (48.0, 3, "15.829", "2.22e-4"),
        (37.5, 3, "14.666", "4.54e-4"),
        (93.0, 2, "13.815", "4.53e-4"),
    ] {
        let m = (c * n as f64).round() as u64;
        let predicted = wire::sent(c, 1.0, f64::from(k));
        let sent = section_bits(&filled(m, k, n, 0)) / n as f64;
        // Filters of 10,000 keys differ by some tenths of a per cent in their number of ones.
        size_row(&mut table, format!("{c}, {k}: z/n"), z, predicted, sent, 0.01);
        let rate = bloom::approximate(c, 1.0, f64::from(k));
        let measured = measure(20, 100_000, |trial| filled(m, k, n, trial));
        table.row(format!("{c}, {k}: f"), f, rate, measured);
    }
    table.finish();
}

/// The coder against the entropy of the row that it codes, from half full to nearly empty.
#[test]
fn the_coder_reaches_the_entropy() {
    let mut table = Table::new("Compressed: bits of the file, against m·H of its own bits");
    for n in [10_000u64, 100_000] {
        for fill in [0.5, 0.2, 0.05, 0.01, 1e-3] {
            let m = (n as f64 / -f64::ln_1p(-fill)).round() as u64;
            let filter = filled(m, 1, n, 1);
            let ideal = m as f64 * wire::entropy(filter.profile().fill);
            let what = format!("{n} keys, {fill} ones");
            size_row(&mut table, what, "", ideal, section_bits(&filter), 0.01);
        }
    }
    table.finish();
}
