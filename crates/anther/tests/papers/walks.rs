//! Filters whose probes are spread over all bits, and the walks from a hash to its cells.

use crate::papers::table::Measured;
use anther::KeyHash;
use anther::parts::probes::Spread;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    #[inline]
    pub fn below(&mut self, range: u64) -> u64 {
        scale(self.draw(), range)
    }
}

/// x modulo m, for x below 2m.
#[inline]
fn wrap(x: u64, m: u64) -> u64 {
    if x < m { x } else { x - m }
}

#[inline]
fn scale(x: u64, range: u64) -> u64 {
    ((u128::from(x) * u128::from(range)) >> 64) as u64
}

/// Filters of one shape, and the number of queries.
pub struct Trial {
    pub items: u64,
    pub cells: u64,
    pub probes: u32,
    pub filters: u64,
    /// Per filter.
    pub queries: u64,
}

impl Trial {
    pub fn measure(&self, walk: &impl Walk) -> Measured {
        let mut hits = 0u64;
        for filter in 0..self.filters {
            let mut random = Random((filter << 32) ^ self.cells);
            let mut words = vec![0u64; self.cells.div_ceil(64) as usize];
            for _ in 0..self.items {
                walk.all(self, random.draw(), |cell| {
                    words[cell as usize / 64] |= 1 << (cell % 64);
                    true
                });
            }
            // Four queries at a time, without a branch between them: each would be taken half the
            // time, and a misprediction costs more than three probes.
            let wrong = |_: &u64| {
                let (mut all, mut asked) = (1, 0u32);
                walk.all(self, random.draw(), |cell| {
                    all &= words[cell as usize / 64] >> (cell % 64);
                    asked += 1;
                    !asked.is_multiple_of(4) || all & 1 == 1
                });
                all & 1 == 1
            };
            hits += (0..self.queries).filter(wrong).count() as u64;
        }
        let queries = self.filters * self.queries;
        let spread = self.spread() / self.filters as f64;
        Measured { rate: hits as f64 / queries as f64, queries, spread }
    }

    /// The relative variance of a filter's rate, from the mean and the variance of its ones.
    fn spread(&self) -> f64 {
        let (m, k) = (self.cells as f64, f64::from(self.probes));
        let throws = k * self.items as f64;
        let zero = (throws * (-1.0 / m).ln_1p()).exp();
        let two_zeros = (throws * (-2.0 / m).ln_1p()).exp();
        let ones = m * (1.0 - zero);
        let variance = m * zero + m * (m - 1.0) * two_zeros - (m * zero).powi(2);
        k * k * variance / (ones * ones)
    }
}

/// A way from a hash to its cells.
pub trait Walk {
    fn all(&self, trial: &Trial, hash: u64, test: impl FnMut(u64) -> bool) -> bool;
}

/// The library's walk.
pub struct Ours;

impl Walk for Ours {
    #[inline]
    fn all(&self, trial: &Trial, hash: u64, test: impl FnMut(u64) -> bool) -> bool {
        Spread::new(trial.cells, trial.probes).all(KeyHash(hash), test)
    }
}

/// A new random number for each probe.
pub struct Independent;

impl Walk for Independent {
    #[inline]
    fn all(&self, trial: &Trial, hash: u64, mut test: impl FnMut(u64) -> bool) -> bool {
        let mut random = Random(hash);
        (0..trial.probes).all(|_| test(random.below(trial.cells)))
    }
}

/// The same, without repetition: Bloom's own filter.
pub struct Different;

impl Walk for Different {
    fn all(&self, trial: &Trial, hash: u64, test: impl FnMut(u64) -> bool) -> bool {
        let mut random = Random(hash);
        let mut cells = Vec::with_capacity(trial.probes as usize);
        while cells.len() < trial.probes as usize {
            let cell = random.below(trial.cells);
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        cells.into_iter().all(test)
    }
}

/// x, x+y, x+2y… modulo m; the field draws y.
pub struct Double(pub fn(&mut Random, u64) -> u64);

impl Walk for Double {
    #[inline]
    fn all(&self, trial: &Trial, hash: u64, mut test: impl FnMut(u64) -> bool) -> bool {
        let mut random = Random(hash);
        let mut x = random.below(trial.cells);
        let y = self.0(&mut random, trial.cells);
        (0..trial.probes).all(|_| {
            let at = x;
            x = wrap(x + y, trial.cells);
            test(at)
        })
    }
}

pub fn any_step(random: &mut Random, m: u64) -> u64 {
    random.below(m)
}

pub fn step_not_zero(random: &mut Random, m: u64) -> u64 {
    1 + random.below(m - 1)
}

pub fn odd_step(random: &mut Random, m: u64) -> u64 {
    1 + 2 * random.below(m / 2)
}

/// Double hashing in which y grows by 1, 2, 3…
pub struct Enhanced;

impl Walk for Enhanced {
    #[inline]
    fn all(&self, trial: &Trial, hash: u64, mut test: impl FnMut(u64) -> bool) -> bool {
        let m = trial.cells;
        let mut random = Random(hash);
        let (mut x, mut y) = (random.below(m), random.below(m));
        (1..=u64::from(trial.probes)).all(|i| {
            let at = x;
            x = wrap(x + y, m);
            y = wrap(y + i, m);
            test(at)
        })
    }
}

/// The same modulo 2⁶⁴, with a multiply for the range: the growth of y is far below a cell.
pub struct EnhancedIn64Bits;

impl Walk for EnhancedIn64Bits {
    #[inline]
    fn all(&self, trial: &Trial, hash: u64, mut test: impl FnMut(u64) -> bool) -> bool {
        let mut random = Random(hash);
        let (mut x, mut y) = (random.draw(), random.draw());
        (1..=u64::from(trial.probes)).all(|i| {
            let at = scale(x, trial.cells);
            x = x.wrapping_add(y);
            y = y.wrapping_add(i);
            test(at)
        })
    }
}
