//! Ways from one hash to many cells of a classic filter.

use crate::parallel;
use crate::random::{GOLDEN, Random, mix, scale};
use crate::statistics::Rate;
use anther::KeyHash;
use anther::parts::probes::Spread;

/// A way to visit the cells of a key.
pub trait Probes: Sync {
    /// Visits the first `probes` cells, out of `cells`.
    fn each(&self, hash: u64, cells: u64, probes: u32, visit: impl FnMut(u64));
}

/// The library's own.
pub struct Library;

impl Probes for Library {
    #[inline]
    fn each(&self, hash: u64, cells: u64, probes: u32, visit: impl FnMut(u64)) {
        Spread::new(cells, probes).each(KeyHash(hash), visit);
    }
}

/// x advances by y; `start` makes y from the hash, `turn` makes the next y from this one and the
/// number of the step.
pub struct Walk<S, T> {
    /// y at the first probe.
    pub start: S,
    /// y after each probe.
    pub turn: T,
}

impl<S: Fn(u64) -> u64 + Sync, T: Fn(u64, u64) -> u64 + Sync> Probes for Walk<S, T> {
    #[inline]
    fn each(&self, hash: u64, cells: u64, probes: u32, mut visit: impl FnMut(u64)) {
        let (mut x, mut y) = (hash, (self.start)(hash));
        for i in 1..=u64::from(probes) {
            visit(scale(x, cells));
            x = x.wrapping_add(y);
            y = (self.turn)(y, i);
        }
    }
}

/// A fresh random number for each probe: what the models assume.
pub struct Independent;

impl Probes for Independent {
    #[inline]
    fn each(&self, hash: u64, cells: u64, probes: u32, mut visit: impl FnMut(u64)) {
        let mut state = hash;
        for _ in 0..probes {
            state = state.wrapping_add(GOLDEN);
            visit(scale(mix(state), cells));
        }
    }
}

/// The library's turn of y.
#[inline]
pub const fn rotate(y: u64, _: u64) -> u64 {
    y.rotate_left(5).wrapping_add(GOLDEN)
}

/// The library's first y.
#[inline]
pub const fn rotated_product(hash: u64) -> u64 {
    hash.rotate_left(32).wrapping_mul(GOLDEN)
}

/// Filters of one shape and how hard they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Keys of one filter.
    pub keys: u64,
    /// Cells of one filter.
    pub cells: u64,
    /// Probes a key.
    pub probes: u32,
    /// Independent filters.
    pub filters: u64,
    /// Queries of one filter.
    pub queries: u64,
}

impl Trial {
    /// The measured rate.
    pub fn rate(&self, probes: &impl Probes) -> Rate {
        Rate::of(&parallel::map(self.filters, |filter| {
            let mut random = Random::new(filter << 32 | self.keys);
            let bits = self.build(probes, &mut random);
            let yes = (0..self.queries).filter(|_| self.ask(probes, &bits, random.draw()));
            yes.count() as f64 / self.queries as f64
        }))
    }

    /// A filter of random keys.
    pub fn build(&self, probes: &impl Probes, random: &mut Random) -> Vec<u64> {
        let mut bits = vec![0u64; self.cells.div_ceil(64) as usize];
        for _ in 0..self.keys {
            probes.each(random.draw(), self.cells, self.probes, |cell| {
                bits[cell as usize / 64] |= 1 << (cell % 64);
            });
        }
        bits
    }

    /// Whether all cells of the hash are set. The first four are asked without a branch between
    /// them: each would be taken half the time, and a wrong guess costs more than three probes.
    #[inline]
    pub fn ask(&self, probes: &impl Probes, bits: &[u64], hash: u64) -> bool {
        let all = |count| {
            let mut all = 1;
            probes.each(hash, self.cells, count, |cell| {
                all &= bits[cell as usize / 64] >> (cell % 64);
            });
            all & 1 == 1
        };
        if self.probes <= 4 { all(self.probes) } else { all(4) && all(self.probes) }
    }
}
