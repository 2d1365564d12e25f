//! Filters in a series, each for more items than the one before and at a lower rate (Almeida,
//! Baquero, Preguiça and Hutchison 2007).
//!
//! Layer i holds n0·sⁱ items at rate P0·rⁱ. With P0=P(1-r) the rates of any number of layers add
//! up to less than P, however large the set becomes.

use super::bloom;
use super::estimate::Estimate;
use crate::target::Target;
use std::f64::consts::LN_2;

/// What decides how a filter grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// n0: what the first layer holds.
    pub items: u64,
    /// P: what the rates of all layers together stay below.
    pub fpr: f64,
    /// s: how many times as many items the next layer holds.
    pub growth: u32,
    /// r: how many times lower its rate is; below 1.
    pub tightening: f64,
}

/// A layer of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// How many items it is for.
    pub capacity: u64,
    /// Its rate when it holds them.
    pub fpr: f64,
    /// How many it holds.
    pub items: u64,
}

impl Series {
    /// P0·rⁱ. Products one after the other are the same on every machine; `powi` need not be.
    pub fn rate(&self, layer: u32) -> f64 {
        let first = self.fpr * (1.0 - self.tightening);
        (0..layer).fold(first, |rate, _| rate * self.tightening)
    }

    /// n0·sⁱ; nothing beyond the most items that any filter is made for.
    pub fn capacity(&self, layer: u32) -> Option<u64> {
        let times = u64::from(self.growth).checked_pow(layer)?;
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

    /// The bits of the layers that hold n items, if `size` says the bits of each from its capacity
    /// and its rate.
    pub fn bits(&self, n: u64, size: impl Fn(u64, f64) -> Option<u64>) -> Option<u64> {
        let mut layers = self.holding(n);
        layers.try_fold(0u64, |sum, layer| sum.checked_add(size(layer.capacity, layer.fpr)?))
    }
}

/// 1-Π(1-p): the rate of filters that are asked one after the other.
pub fn compound(rates: impl IntoIterator<Item = f64>) -> f64 {
    -rates.into_iter().map(|rate| (-rate).ln_1p()).sum::<f64>().exp_m1()
}

/// How many items went into layers, from what each of them says: its items and its rate, the
/// oldest first.
///
/// A new item to which an older layer says maybe goes into no layer. So of the items that came in
/// the time of a layer, it holds the share 1-F, F being the rate of those before it. To the
/// variance of the layer's own estimate comes that of the items that were taken for known ones.
pub fn estimate(layers: impl IntoIterator<Item = (Estimate, f64)>) -> Estimate {
    let mut sum = Estimate { items: 0.0, deviation: 0.0, saturated: false };
    let mut taken = 1.0;
    for (layer, rate) in layers {
        sum.items += layer.items / taken;
        let passed = layer.items * (1.0 - taken) / (taken * taken);
        let own = layer.deviation / taken;
        sum.deviation = sum.deviation.hypot(own).hypot(passed.sqrt());
        sum.saturated |= layer.saturated;
        // A forged layer may say yes to everything; the number stays one.
        taken = (taken * (1.0 - rate)).max(1e-6);
    }
    sum
}

/// The paper's own layers: k slices of equal size, one probe in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    /// k=⌈log2(1/P)⌉.
    pub slices: u32,
    /// Bits of a slice: n/ln 2, so that n items fill half of it.
    pub bits: u64,
}

impl Slices {
    /// The paper's size for n items at rate p. The rounded k makes the rate up to half of what
    /// was asked for, and the size up to 1.44 bits an item more than needed.
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
    fn items_fall_on_layers_in_turn() {
        let held = |n| SERIES.holding(n).map(|layer| layer.items).collect::<Vec<_>>();
        assert_eq!(held(0), [0]);
        assert_eq!(held(1000), [1000]);
        assert_eq!(held(1001), [1000, 1]);
        assert_eq!(held(7500), [1000, 2000, 4000, 500]);
        assert_eq!(SERIES.bits(7500, |items, _| Some(items)), Some(15_000));
        // The last is the one for half of the most items there can be, and a little more.
        assert_eq!(SERIES.holding(u64::MAX).count(), 39);
        assert_eq!((SERIES.capacity(38), SERIES.capacity(39)), (Some(1000 << 38), None));
        assert_eq!(SERIES.capacity(u32::MAX), None);
    }

    #[test]
    fn an_estimate_adds_what_older_layers_kept_out() {
        let layer = |items| Estimate { items, deviation: 3.0, saturated: false };
        let sum = estimate([(layer(100.0), 0.5), (layer(40.0), 0.0)]);
        assert_eq!(sum.items, 180.0);
        // 3² + 6² of the cells, and 40·½/½² of the items that were taken for known ones.
        assert!((sum.deviation - 125f64.sqrt()).abs() < 1e-9, "{sum:?}");
        let full = estimate([(Estimate { saturated: true, ..layer(9.0) }, 1.0), (layer(5.0), 0.1)]);
        assert!(full.saturated && full.items.is_finite() && full.deviation.is_finite());
    }
}
