//! Times: medians of rounds in which all that is compared takes its turn, so that a slow moment of
//! the machine hits all of them and decides nothing.

use anther::KeyHash;
use std::hint::black_box;
use std::time::Instant;

/// What stands below a figure of times.
pub const NOTE: &str = "Times are this machine's: medians of rounds in which all take turns. One \
                        thread, one key after the other, hashing included.";

/// Nanoseconds a step.
pub fn a_step(steps: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9 / steps.max(1) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The median of `rounds` rounds of each work. A work returns its nanoseconds per step.
pub fn medians<const N: usize>(rounds: usize, mut works: [&mut dyn FnMut() -> f64; N]) -> [f64; N] {
    let mut times = [(); N].map(|()| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (times, work) in times.iter_mut().zip(&mut works) {
            times.push(work());
        }
    }
    times.map(median)
}

/// Keys between two looks at the clock: a tenth of a millisecond or so. Where others want the
/// processor, most such stretches are whole, while a longer one never is.
const STRETCH: usize = 5000;

/// Nanoseconds an insert of some keys into something empty, which is made before the clock starts:
/// several of it where the keys are few. The median of stretches.
pub fn insert<F: Extend<u64>>(empty: impl Fn() -> F, keys: &[u64]) -> f64 {
    let copies = (50_000 / keys.len().max(1)).clamp(1, 50);
    let mut times = Vec::new();
    for _ in 0..copies {
        let mut filter = empty();
        for keys in keys.chunks(STRETCH) {
            times.push(a_step(keys.len() as u64, || filter.extend(keys.iter().copied())));
        }
        black_box(filter);
    }
    median(times)
}

/// Nanoseconds per lookup of some keys: the median of stretches of them.
pub fn ask(keys: &[u64], contains: impl Fn(u64) -> bool) -> f64 {
    let stretch = |keys: &[u64]| {
        a_step(keys.len() as u64, || {
            black_box(keys.iter().filter(|key| contains(**key)).count());
        })
    };
    median(keys.chunks(STRETCH).map(stretch).collect())
}

/// The n-th of different numbers in no order, for structures in which neighbours lie side by side.
pub fn scattered(number: u64) -> u64 {
    KeyHash(number).again(0).0
}

/// The first `items` of those numbers: the keys to insert.
pub fn members(items: u64) -> Vec<u64> {
    (0..items).map(scattered).collect()
}

/// `asked` members to look up, from all of them and in another order than they were inserted.
pub fn hits(items: u64, asked: u64) -> Vec<u64> {
    (0..asked).map(|number| scattered(KeyHash(number).again(1).0 % items)).collect()
}

/// `asked` absent keys to look up.
pub fn misses(items: u64, asked: u64) -> Vec<u64> {
    (items..items + asked).map(scattered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_median() {
        let (mut one, mut other) = ([3.0, 1.0, 9.0].into_iter(), [5.0, 5.0, 7.0].into_iter());
        let (mut a, mut b) = (|| one.next().unwrap_or(0.0), || other.next().unwrap_or(0.0));
        assert_eq!(medians(3, [&mut a, &mut b]), [3.0, 5.0]);
    }

    #[test]
    fn scattered_numbers_are_different() {
        let (mut all, hits) = (members(10_000), hits(10_000, 100));
        assert!(hits.iter().all(|hit| all.contains(hit)));
        all.extend(misses(10_000, 100));
        assert!(!all.is_sorted());
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
