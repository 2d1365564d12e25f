//! Lines computed the long way: sums over the keys of a line and over the ones of a lane.
//!
//! The library has a closed form for the layouts that it ships. This is what it is checked
//! against, and what predicts the others.

use crate::papers::PATIENCE;
use crate::papers::table::Measured;
use crate::papers::walks::Random;
use anther::sizing::bloom;
use anther::{Insert, KeyHash};

/// How a line is divided: a key sets `each` bits, with repetition, in every lane.
#[derive(Clone, Copy, PartialEq)]
pub struct Layout {
    pub lanes: u32,
    pub lane_bits: u64,
    pub each: u32,
}

pub const SPLIT: Layout = lanes(8, 32, 1);

pub const fn unsplit(bits: u64, probes: u32) -> Layout {
    lanes(1, bits, probes)
}

pub const fn lanes(lanes: u32, lane_bits: u64, each: u32) -> Layout {
    Layout { lanes, lane_bits, each }
}

impl Layout {
    pub fn bits(&self) -> u64 {
        u64::from(self.lanes) * self.lane_bits
    }
}

/// The rate of a line that holds 0, 1, 2… keys, computed the long way: the distribution of the ones
/// of a lane, throw by throw.
pub struct Model {
    layout: Layout,
    /// For each number of keys the mean rate of such a line and the mean of its square.
    by_keys: Vec<[f64; 2]>,
}

impl Model {
    pub fn new(layout: Layout) -> Model {
        let Layout { lanes, lane_bits, each } = layout;
        let cells = lane_bits as f64;
        let powers = |ones: &[f64], power: u32| -> f64 {
            let rate = |x: u32| (f64::from(x) / cells).powi(power.cast_signed());
            ones.iter().zip(0..).map(|(chance, x)| chance * rate(x)).sum()
        };
        let mut ones = vec![0.0; lane_bits as usize + 1];
        ones[0] = 1.0;
        let mut by_keys = Vec::new();
        for _ in 0..MOST_KEYS {
            let lane = [powers(&ones, each), powers(&ones, 2 * each)];
            by_keys.push(lane.map(|moment| moment.powi(lanes.cast_signed())));
            for _ in 0..each {
                for x in (1..ones.len()).rev() {
                    let (hit, new) = (x as f64 / cells, (cells - x as f64 + 1.0) / cells);
                    ones[x] = ones[x] * hit + ones[x - 1] * new;
                }
                ones[0] = 0.0;
            }
        }
        Model { layout, by_keys }
    }

    /// The rate of a line that holds `keys` keys.
    pub fn rate_with(&self, keys: u64) -> f64 {
        self.by_keys[keys as usize][0]
    }

    /// Means of the rate and of its square over a Poisson number of keys per line.
    fn moments(&self, bits_per_key: f64) -> [f64; 2] {
        let weights = poisson(self.layout.bits() as f64 / bits_per_key);
        [0, 1].map(|of| weights.iter().zip(&self.by_keys).map(|(w, line)| w * line[of]).sum())
    }

    pub fn rate(&self, bits_per_key: f64) -> f64 {
        self.moments(bits_per_key)[0]
    }

    pub fn bits_for(&self, p: f64) -> f64 {
        bits_for(p, |bits_per_key| self.rate(bits_per_key))
    }

    /// A filter of one of our kinds, with this many bits per key, against the expected rate.
    pub fn measure_filter<F: Insert>(
        &self,
        bits_per_key: f64,
        p: f64,
        make: impl Fn(u64) -> F,
    ) -> Measured {
        let mut filter = make((bits_per_key * LINE_KEYS as f64) as u64);
        let mut random = Random(bits_per_key.to_bits());
        for _ in 0..LINE_KEYS {
            filter.insert_hash(KeyHash(random.draw())).unwrap();
        }
        let queries = queries_for(p);
        let hits = (0..queries).filter(|_| filter.contains_hash(KeyHash(random.draw()))).count();
        self.measured(bits_per_key, hits, queries)
    }

    /// The same for a layout that is not shipped, with independent uniform positions.
    pub fn measure_layout(&self, bits_per_key: f64, p: f64) -> Measured {
        let Layout { lanes, lane_bits, each } = self.layout;
        let lines = (bits_per_key * LINE_KEYS as f64) as u64 / self.layout.bits();
        let mut words = vec![0u64; (lines * self.layout.bits()).div_ceil(64) as usize];
        let all = |hash, test: &mut dyn FnMut(u64) -> bool| {
            let mut random = Random(hash);
            let line = random.below(lines) * self.layout.bits();
            (0..lanes).all(|lane| {
                let lane = line + u64::from(lane) * lane_bits;
                (0..each).all(|_| test(lane + random.below(lane_bits)))
            })
        };
        let mut random = Random(bits_per_key.to_bits());
        for _ in 0..LINE_KEYS {
            all(random.draw(), &mut |cell| {
                words[cell as usize / 64] |= 1 << (cell % 64);
                true
            });
        }
        let queries = queries_for(p);
        let set = |cell: u64| words[cell as usize / 64] >> (cell % 64) & 1 == 1;
        let hits = (0..queries).filter(|_| all(random.draw(), &mut |cell| set(cell))).count();
        self.measured(bits_per_key, hits, queries)
    }

    fn measured(&self, bits_per_key: f64, hits: usize, queries: u64) -> Measured {
        let [mean, square] = self.moments(bits_per_key);
        let lines = LINE_KEYS as f64 * bits_per_key / self.layout.bits() as f64;
        Measured {
            rate: hits as f64 / queries as f64,
            queries,
            spread: (square / (mean * mean) - 1.0) / lines,
        }
    }
}

/// More keys than any line has at the rates of this file.
const MOST_KEYS: u32 = 512;
/// Keys of a measured filter of lines: enough lines for their variation to be small.
const LINE_KEYS: u64 = 1_000_000;

/// Queries for about 5,000 false positives, as far as time allows.
fn queries_for(p: f64) -> u64 {
    PATIENCE * (5_000.0 / p).clamp(2e5, 8e6) as u64
}

/// The probabilities of 0, 1, 2… up to where they become negligible.
fn poisson(mean: f64) -> Vec<f64> {
    let first = (-mean).exp();
    let next = |weight: &mut f64, i| {
        let this = *weight;
        *weight *= mean / f64::from(i);
        Some(this)
    };
    (1..=MOST_KEYS).scan(first, next).collect()
}

/// The mixture with S for the rate of a lane, as it is often published.
pub fn shortcut(layout: Layout, bits_per_key: f64) -> f64 {
    let Layout { lanes, lane_bits, each } = layout;
    let rate = |keys| bloom::standard(lane_bits, keys, each).powi(lanes.cast_signed());
    let keys = poisson(layout.bits() as f64 / bits_per_key);
    keys.iter().zip(0..).map(|(weight, keys)| weight * rate(keys)).sum()
}

/// The bits per key at which a falling rate reaches p.
pub fn bits_for(p: f64, rate: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (4.0, 64.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if rate(middle) > p { low = middle } else { high = middle }
    }
    high
}
