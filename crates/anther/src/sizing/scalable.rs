//! Filters in a series, each for more items and at a lower false-positive rate than the one before
//! (Almeida, Baquero, Preguiça and Hutchison 2007).
//!
//! Layer i holds n0·sⁱ items at rate P0·rⁱ. With P0=P(1-r) the rates of any number of layers add
//! up to less than P, however large the set becomes.

use super::bloom;
use super::estimate::Estimate;
use crate::target::Target;
use std::f64::consts::LN_2;

/// The parameters of growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// n0: the capacity of the first layer.
    pub items: u64,
    /// P: the bound on the sum of all layers' rates.
    pub fpr: f64,
    /// s: the growth factor of capacities.
    pub growth: u32,
    /// r: the factor between successive rates, below 1.
    pub tightening: f64,
}

/// Layers of one size where s=1.
pub const SAME: u32 = 16;

/// A layer of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Its capacity.
    pub capacity: u64,
    /// Its rate at capacity.
    pub fpr: f64,
    /// Number of items it holds.
    pub items: u64,
}

impl Series {
    /// P0·rⁱ, by repeated multiplication: the same on every machine, which `powi` need not be.
    pub fn rate(&self, layer: u32) -> f64 {
        let first = self.fpr * (1.0 - self.tightening);
        (0..layer).fold(first, |rate, _| rate * self.tightening)
    }

    /// n0·sⁱ; `None` beyond the largest capacity of any filter.
    ///
    /// With s=1 it is n0·2^⌊i/16⌋: [`SAME`] layers of one size, then as many of twice that size. So a
    /// filter that grows in small steps has 16 layers per doubling; with layers that never grow, a
    /// query would search as many layers as there are multiples of n0.
    pub fn capacity(&self, layer: u32) -> Option<u64> {
        let times = match self.growth {
            1 => 1u64.checked_shl(layer / SAME)?,
            growth => u64::from(growth).checked_pow(layer)?,
        };
        self.items.checked_mul(times).filter(|items| *items <= Target::MAX_ITEMS)
    }

    /// The layers that hold n items: all full but the last. Without items it is the first alone.
    pub fn holding(&self, n: u64) -> impl Iterator<Item = Layer> + '_ {
        let mut left = n;
        let layers = (0..).map_while(move |i| Some((i, self.capacity(i)?)));
        layers.map_while(move |(i, capacity)| {
            let items = left.min(capacity);
            left -= items;
            (i == 0 || items > 0).then(|| Layer { capacity, fpr: self.rate(i), items })
        })
    }

    /// The bits of the layers that hold n items; `size` gives the bits of each from its capacity
    /// and rate.
    pub fn bits(&self, n: u64, size: impl Fn(u64, f64) -> Option<u64>) -> Option<u64> {
        let mut layers = self.holding(n);
        layers.try_fold(0u64, |sum, layer| sum.checked_add(size(layer.capacity, layer.fpr)?))
    }
}

/// 1-Π(1-p): the rate of filters that are queried one after the other.
pub fn compound(rates: impl IntoIterator<Item = f64>) -> f64 {
    -rates.into_iter().map(|rate| (-rate).ln_1p()).sum::<f64>().exp_m1()
}

/// The number of items inserted, from each layer's items and rate, the oldest first.
///
/// A new item that is a false positive in an older layer is not inserted. So of the items that
/// arrived in the time of a layer, it holds the share 1-F, where F is the rate of the layers before
/// it. The variance of those lost items is added to that of the layer's own estimate.
pub fn estimate(layers: impl IntoIterator<Item = (Estimate, f64)>) -> Estimate {
    let mut sum = Estimate { items: 0.0, deviation: 0.0, saturated: false };
    let mut taken = 1.0;
    for (layer, rate) in layers {
        sum.items += layer.items / taken;
        let passed = layer.items * (1.0 - taken) / (taken * taken);
        let own = layer.deviation / taken;
        sum.deviation = sum.deviation.hypot(own).hypot(passed.sqrt());
        sum.saturated |= layer.saturated;
        // A forged layer may answer maybe to everything; the result stays finite.
        taken = (taken * (1.0 - rate)).max(1e-6);
    }
    sum
}

/// The paper's own layers: k slices of equal size, one probe in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    /// k=⌈log2(1/P)⌉.
    pub slices: u32,
    /// Bits per slice: n/ln 2, so that n items fill half of it.
    pub bits: u64,
}

impl Slices {
    /// The paper's size for n items at rate p. Rounding k up makes the rate as low as half of p,
    /// and the size up to 1.44 bits per item more than needed.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate of 10⁻¹⁸ has 60 slices, and n/ln 2 is below 2⁶⁴"
    )]
    pub fn size(n: u64, p: f64) -> Slices {
        Slices { slices: -p.log2().floor() as u32, bits: (n as f64 / LN_2).ceil() as u64 }
    }

    /// Bits of all slices.
    pub fn total(&self) -> u64 {
        self.bits.saturating_mul(u64::from(self.slices))
    }

    /// The rate with n items.
    pub fn rate(&self, n: u64) -> f64 {
        bloom::standard(self.bits, n, 1).powi(self.slices.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: Series = Series { items: 1000, fpr: 0.01, growth: 2, tightening: 0.85 };

    #[test]
    fn rates_of_any_number_of_layers_stay_below_the_whole() {
        for tightening in [0.1, 0.5, 0.85, 0.95] {
            for fpr in [0.999_999, 0.01, 1e-8] {
                let series = Series { fpr, tightening, ..SERIES };
                for layers in [1, 2, 10, 64] {
                    let compound = compound((0..layers).map(|i| series.rate(i)));
                    assert!(compound > 0.0 && compound <= fpr, "{series:?}: {compound}");
                }
            }
        }
        assert_eq!((compound([]), compound([1.0, 0.5])), (0.0, 1.0));
    }

    #[test]
    fn small_steps_double_after_sixteen() {
        let series = Series { growth: 1, ..SERIES };
        let capacities = [0, 15, 16, 47, 48, 255].map(|layer| series.capacity(layer));
        assert_eq!(capacities, [1, 1, 2, 4, 8, 1 << 15].map(|times| Some(1000 * times)));
        assert_eq!(series.capacity(u32::MAX), None);
    }

    #[test]
    fn items_fall_on_layers_in_turn() {
        let held = |n| SERIES.holding(n).map(|layer| layer.items).collect::<Vec<_>>();
        assert_eq!(held(0), [0]);
        assert_eq!(held(1000), [1000]);
        assert_eq!(held(1001), [1000, 1]);
        assert_eq!(held(7500), [1000, 2000, 4000, 500]);
        assert_eq!(SERIES.bits(7500, |items, _| Some(items)), Some(15_000));
        // The last layer is for half of the largest number of items, and a little more.
        assert_eq!(SERIES.holding(u64::MAX).count(), 39);
        assert_eq!((SERIES.capacity(38), SERIES.capacity(39)), (Some(1000 << 38), None));
        assert_eq!(SERIES.capacity(u32::MAX), None);
    }

    #[test]
    fn an_estimate_adds_what_older_layers_kept_out() {
        let layer = |items| Estimate { items, deviation: 3.0, saturated: false };
        let sum = estimate([(layer(100.0), 0.5), (layer(40.0), 0.0)]);
        assert_eq!(sum.items, 180.0);
        // 3² + 6² from the cells, and 40·½/½² from the items that were false positives.
        assert!((sum.deviation - 125f64.sqrt()).abs() < 1e-9, "{sum:?}");
        let full = estimate([(Estimate { saturated: true, ..layer(9.0) }, 1.0), (layer(5.0), 0.1)]);
        assert!(full.saturated && full.items.is_finite() && full.deviation.is_finite());
    }
}
