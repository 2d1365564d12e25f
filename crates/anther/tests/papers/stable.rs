//! Deng and Rafiei 2006: cells that are set by keys and decremented at random.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::{ABSENT, key, mean};
use anther::sizing::stable::{self, Chain};
use anther::{Filter, Insert, Seed, Stable};

/// A filter that has long reached its stable point. The starts of the runs are the same in all
/// filters, so each trial runs a little longer than the one before.
fn settled(chain: Chain, trial: u64) -> (Stable, u64) {
    let Chain { cells, probes, bits, decrements } = chain;
    let mut filter = Stable::with_cells(cells, probes, bits, decrements, Seed::FIXED).unwrap();
    // A cell lives for Max·m/P inserts.
    let life = ((1 << bits) - 1) * cells / decrements;
    let arrivals = (8 + 2 * trial) * life;
    for i in 0..arrivals {
        filter.insert_hash(key(trial, i)).unwrap();
    }
    (filter, arrivals)
}

/// The share of zeros and the rate, in `trials` filters.
fn zeros_and_rate(chain: Chain, trials: u64) -> (Measured, Measured) {
    const QUERIES: u64 = 100_000;
    let each = (0..trials).map(|trial| {
        let (filter, _) = settled(chain, trial);
        let found = (0..QUERIES).filter(|i| filter.contains_hash(key(trial, ABSENT + i))).count();
        (1.0 - filter.profile().fill, found as f64 / QUERIES as f64)
    });
    let (zeros, rates): (Vec<f64>, Vec<f64>) = each.unzip();
    (mean(&zeros, chain.cells), mean(&rates, QUERIES))
}

#[test]
fn stable_zeros_and_rates() {
    let mut table = Table::new("Stable: zeros and rates in the limit");
    // The published simulation was one filter of 10⁵ cells: its share of zeros is good to 0.0016.
    let rows: [(u32, u32, u64, [&str; 4]); 4] = [
        (3, 1, 4, ["0.57142", "0.57197 ±0.0016", "0.07872", "0.07898 ±0.0009"]),
        (3, 2, 13, ["0.53637", "0.53633 ±0.0016", "0.09966", "0.09986 ±0.001"]),
        (2, 3, 36, ["0.68490", "0.68488 ±0.0015", "0.09929", "0.09959 ±0.001"]),
        (6, 2, 26, ["0.53636", "0.53692 ±0.0016", "0.00993", "0.01001 ±0.0002"]),
    ];
    for (probes, bits, decrements, [zeros, sim_zeros, rate, sim_rate]) in rows {
        let (m, max) = (100_000, (1 << bits) - 1);
        let chain = Chain { cells: m, probes, bits, decrements };
        let (measured_zeros, measured_rate) = zeros_and_rate(chain, 10);
        let what = format!("K={probes}, Max={max}, P={decrements}");
        let published = stable::published_zeros(m, probes, max, decrements as f64);
        table.row(format!("{what}: zeros"), zeros, published, None);
        table.row("  the same, simulated", sim_zeros, chain.stable_zeros(), measured_zeros);
        let published = (1.0 - published).powi(probes.cast_signed());
        table.row(format!("{what}: rate"), rate, published, None);
        table.row("  the same, simulated", sim_rate, chain.stable_rate(), measured_rate);
    }
    table.finish();
}

#[test]
fn stable_decrements() {
    let mut table = Table::new("Stable: P for a rate, K=1 to 6, and the resulting rate");
    let lists: [(f64, u32, [&str; 6]); 3] = [
        (0.1, 1, ["9", "4.32", "3.46", "3.11", "2.92", "2.81"]),
        (0.1, 2, ["27.98", "14.81", "12.98", "12.61", "12.69", "12.93"]),
        (0.01, 2, ["298", "55.95", "35.61", "29.61", "27.12", "25.95"]),
    ];
    for (rate, bits, prints) in lists {
        for (probes, print) in (1..).zip(prints) {
            let max = (1 << bits) - 1;
            let m = 1_000_000;
            let needed = stable::published_decrements(m, probes, max, rate);
            table.row(format!("FPS={rate}, Max={max}, K={probes}: P"), print, needed, None);
            // Rounded up, P keeps the rate; truncated, as others do, it does not.
            let up = stable::decrements_for(m, probes, bits, rate).unwrap();
            assert_eq!(up, needed.ceil() as u64, "{rate} {max} {probes}");
            let chain = |cells, decrements| Chain { cells, probes, bits, decrements };
            assert!(chain(m, up).stable_rate() <= rate, "{rate} {max} {probes}");
            assert!(chain(m, up - 1).stable_rate() > rate, "{rate} {max} {probes}");
            // A tenth of the cells is enough to measure.
            let smaller = chain(m / 10, up);
            let (predicted, (_, measured)) = (smaller.stable_rate(), zeros_and_rate(smaller, 3));
            let print = format!("{predicted:.6}");
            table.row(format!("  its rate with P={up}"), &print, predicted, measured);
        }
    }
    table.finish();
}

/// The share of forgotten keys among those last inserted `age` inserts ago.
fn missed(chain: Chain, age: u64) -> Measured {
    const QUERIES: u64 = 20_000;
    let each = (0..10).map(|trial| {
        let (mut filter, arrivals) = settled(chain, trial);
        let mut missed = 0;
        for i in arrivals..arrivals + QUERIES {
            filter.insert_hash(key(trial, i)).unwrap();
            missed += u64::from(!filter.contains_hash(key(trial, i + 1 - age)));
        }
        missed as f64 / QUERIES as f64
    });
    mean(&each.collect::<Vec<f64>>(), QUERIES)
}

#[test]
fn stable_misses() {
    let mut table = Table::new("Stable: the share of keys forgotten, by age in inserts");
    // The published simulations: 20,000 cells, which all matter; good to a few per cent.
    for (bits, decrements, age, chained, simulated) in [
        (2, 13, 1000, "0.0741", "0.0726 ±0.002"),
        (2, 13, 3000, "0.5446", "0.5443 ±0.005"),
        (1, 4, 200, "0.1110", "0.1113 ±0.003"),
    ] {
        let chain = Chain { cells: 20_000, probes: 3, bits, decrements };
        let (predicted, max) = (chain.misses(age), (1 << bits) - 1);
        let what = format!("K=3, Max={max}, P={decrements}, {age} arrivals");
        table.row(&what, chained, predicted, missed(chain, age));
        table.row("  simulated", simulated, predicted, None);
    }
    table.finish();
}
