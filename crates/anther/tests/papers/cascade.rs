//! Schanck 2025, Larisch et al. 2017: two lists told apart without an error.

use crate::papers::PATIENCE;
use crate::papers::table::{Measured, Table};
use crate::papers::trial::{ABSENT, key};
use anther::sizing::{bound, cascade as sizing};
use anther::{Cascade, Filter, KeyHash, Seed, Work};

fn built(members: u64, others: u64, fpr: Option<f64>) -> Cascade {
    let keys = |range: std::ops::Range<u64>| range.map(|i| key(22, i)).collect::<Vec<KeyHash>>();
    let (mut first, mut second) = (keys(0..members), keys(members..members + others));
    let (seed, work) = (Seed::FIXED, Work::new());
    let cascade =
        Cascade::build_lists(&mut first.as_slice(), &mut second.as_slice(), fpr, seed, work);
    let cascade = cascade.unwrap();
    first.retain(|key| !cascade.contains_hash(*key));
    second.retain(|key| cascade.contains_hash(*key));
    assert!(first.is_empty() && second.is_empty(), "an error in {members} and {others}");
    cascade
}

/// The columns of the first layer are those of Clubcard, and both layers take as many bits as
/// computed.
#[test]
fn cascade_columns_and_bits() {
    let mut table = Table::new("Cascade: columns k of the first layer, and bits per member");
    for (n, others_per_member) in [(20_000, 3), (20_000, 10), (5000, 100), (1500, 900)] {
        let g = n * others_per_member;
        let cascade = built(n, g, None);
        let clubcard = (others_per_member as f64).log2().floor();
        let (columns, share) = sizing::columns(n, g, None);
        assert_eq!(share, 1.0, "a power of two");
        let ok = f64::from(columns) == clubcard && cascade.columns() == columns;
        let what = format!("{n} and {g}: k = ⌊lg(g/n)⌋");
        table.push(
            [what, format!("{clubcard}"), columns.to_string(), cascade.columns().to_string()],
            ok,
        );
        // Both layers at their ideal size, without the ribbon's overhead.
        let ideal = clubcard + 1.0 + others_per_member as f64 * 0.5f64.powf(clubcard);
        let planned = sizing::bits(n, g, None) as f64 / n as f64;
        let measured = cascade.profile().bits as f64 / n as f64;
        let most = if n < 10_000 { 1.06 } else { 1.03 };
        let ok =
            (ideal..most * ideal).contains(&measured) && (measured / planned - 1.0).abs() < 0.03;
        let shown = [ideal, planned, measured].map(|bits| format!("{bits:.3}"));
        let [ideal, planned, measured] = shown;
        table.push([format!("{n} and {g}: bits"), ideal, planned, measured], ok);
    }
    table.finish();
}

/// CRLite's proportion, beside the entropy and the many levels of Bloom filters, whose formula is
/// known to hold.
#[test]
fn cascade_beside_the_entropy() {
    let mut table = Table::new("Cascade: 1.43 % of a universe, in bits per member");
    let universe = 1_000_000;
    let n = universe * 143 / 10_000;
    let g = universe - n;
    let bound = sizing::bound_bits(n, g) / n as f64;
    let bits = built(n, g, None).profile().bits as f64 / n as f64;
    let row = |what: &str, print: &str, computed: f64, measured: f64| {
        let shown = [computed, measured].map(|number| format!("{number:.3}"));
        let [computed, measured] = shown;
        [what.to_string(), print.to_string(), computed, measured]
    };
    table.push(row("entropy", "7.56", bound, bound), (bound - 7.56).abs() < 5e-3);
    table.push(row("two ribbons", "≤ 1.12 × entropy", 1.12 * bound, bits), bits <= 1.12 * bound);
    let levels = |ratio: f64| bound::BLOOM_FACTOR * ratio.log2() + 4.2;
    for (ratio, print) in [(100.0, "13.785"), (10.0, "8.993")] {
        let computed = levels(ratio);
        let ours = sizing::bits(1_000_000, ratio as u64 * 1_000_000, None) as f64 / 1e6;
        let what = format!("{ratio} others for each: many levels of Bloom filters; ours");
        let near = (computed - print.parse::<f64>().unwrap()).abs() < 6e-4;
        table.push(row(&what, print, computed, ours), near && ours < 0.7 * computed);
    }
    table.finish();
}

/// Keys of neither list pass at half the rate of the first layer.
#[test]
fn cascade_rates() {
    let mut table = Table::new("Cascade: the rate of keys in neither list");
    for (n, g, fpr, print) in [
        (10_000, 100_000, None, "6.25 %"),
        (10_000, 690_000, None, "0.78125 %"),
        (10_000, 100_000, Some(0.01), "1.0 %"),
        (10_000, 0, Some(0.001), "0.10 %"),
    ] {
        let cascade = built(n, g, fpr);
        let queries = 400_000 * PATIENCE;
        let found = (0..queries).filter(|i| cascade.contains_hash(key(22, ABSENT + i))).count();
        let rate = found as f64 / queries as f64;
        let measured = Measured { rate, queries, spread: 0.0 };
        let what = format!("{n} and {g}, {fpr:?}");
        table.row(what, print, sizing::fpr(n, g, fpr), measured);
    }
    table.finish();
}
