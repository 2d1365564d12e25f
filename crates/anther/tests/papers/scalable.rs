//! Almeida et al. 2007: layers of slices, compared with ours.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::{ABSENT, key, mean, measure};
use anther::sizing::scalable::{Series, Slices, compound};
use anther::sizing::{blocked, bloom};
use anther::{Insert, KeyHash, Kind, Options, Scalable, Seed, Target};

const ITEMS: u64 = 200_000;
const QUERIES: u64 = 100_000;

/// The paper's layer, for measuring: one bit of a key in each slice, by a hash of its own.
struct Sliced {
    size: Slices,
    ones: Vec<bool>,
}

impl Sliced {
    fn places(size: Slices, key: KeyHash) -> impl Iterator<Item = usize> {
        (0..size.slices).map(move |slice| {
            let hash = key.again(u64::from(slice)).0;
            let place = (u128::from(hash) * u128::from(size.bits)) >> 64;
            (u64::from(slice) * size.bits) as usize + place as usize
        })
    }

    fn has(&self, key: KeyHash) -> bool {
        Sliced::places(self.size, key).all(|place| self.ones[place])
    }
}

fn measure_slices(series: Series) -> Measured {
    let rates = (0..3).map(|trial| {
        let mut keys = (0..ITEMS).map(|i| key(trial, i));
        let layers = series.holding(ITEMS).map(|layer| {
            let size = Slices::size(layer.capacity, layer.fpr);
            let mut ones = vec![false; size.total() as usize];
            for key in keys.by_ref().take(layer.items as usize) {
                Sliced::places(size, key).for_each(|place| ones[place] = true);
            }
            Sliced { size, ones }
        });
        let layers: Vec<Sliced> = layers.collect();
        let found = |i: &u64| layers.iter().any(|layer| layer.has(key(trial, ABSENT + i)));
        (0..QUERIES).filter(found).count() as f64 / QUERIES as f64
    });
    mean(&rates.collect::<Vec<f64>>(), QUERIES)
}

/// The bits of one of our layers, and its rate with `items` items.
fn ours(over: Kind, capacity: u64, fpr: f64, items: u64) -> (u64, f64) {
    if over == Kind::Blocked {
        let size = blocked::size_lines(capacity, fpr, 1 << 40).unwrap();
        return (512 * size.lines, blocked::line_rate(size.lines, items, size.probes));
    }
    let size = bloom::size(capacity, fpr, 1 << 40).unwrap();
    (size.bits, bloom::rate(size.bits, items, size.probes))
}

#[test]
fn scalable_rates_and_bits() {
    let mut table = Table::new("Scalable: 1 %, first layer of 1000 items, 200,000 items in all");
    // s, r; then the published layers, rate and bits per item. The rates are from a simulation that
    // states no error. The variation of the first layers alone is 2 %.
    for (growth, tightening, layers, rate, bits) in [
        (2, 0.5, "8", "0.00780 ±1.5e-4", "25.8"),
        (2, 0.8, "8", "0.00636 ±1.3e-4", "21.0"),
        (2, 0.9, "8", "0.00393 ±0.8e-4", "21.2"),
        (4, 0.9, "5", "0.00250 ±0.5e-4", "27.1"),
    ] {
        let series = Series { items: 1000, fpr: 0.01, growth, tightening };
        let name = format!("s={growth}, r={tightening}");
        table.row(format!("{name}: layers"), layers, series.holding(ITEMS).count() as f64, None);
        let predicted = compound(
            series
                .holding(ITEMS)
                .map(|layer| Slices::size(layer.capacity, layer.fpr).rate(layer.items)),
        );
        table.row(format!("{name}: rate"), rate, predicted, measure_slices(series));
        let sliced = series.bits(ITEMS, |n, p| Some(Slices::size(n, p).total())).unwrap();
        table.row(format!("{name}: bits per item"), bits, sliced as f64 / ITEMS as f64, None);

        for over in [Kind::Classic, Kind::Blocked] {
            let predicted = compound(
                series
                    .holding(ITEMS)
                    .map(|layer| ours(over, layer.capacity, layer.fpr, layer.items).1),
            );
            let bits = series.bits(ITEMS, |n, p| Some(ours(over, n, p, n).0)).unwrap();
            let measured = measure(2, QUERIES, |trial| {
                let options = Options::new().over(over).growth(growth).tightening(tightening);
                let target = Target::new(1000, 0.01).unwrap();
                let mut filter = Scalable::with_options(target, &options, Seed::FIXED).unwrap();
                (0..ITEMS).for_each(|i| {
                    filter.insert_hash(key(trial, i)).unwrap();
                });
                let profile = filter.profile();
                assert_eq!(profile.layers as usize, series.holding(ITEMS).count());
                assert_eq!(profile.bits, bits);
                filter
            });
            let queries = measured.queries as f64;
            let spread = (predicted / queries + predicted * predicted * measured.spread).sqrt();
            // Two filters show little of their own variation; that of the first layers is 2 %.
            let sigmas = (measured.rate - predicted) / spread.hypot(0.02 * predicted / 2f64.sqrt());
            table.push(
                [
                    format!("{name}: ours over {over}, {:.1} bits", bits as f64 / ITEMS as f64),
                    String::new(),
                    format!("{predicted:.5}"),
                    format!("{:.5} ({sigmas:+.1}σ)", measured.rate),
                ],
                sigmas.abs() < 6.0 && predicted < 0.01,
            );
        }
    }
    table.finish();
}
