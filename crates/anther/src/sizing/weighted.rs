//! More probes for the keys that are queried most (Bruck, Gao and Jiang 2006).
//!
//! Key e is queried with weight f_e and is in the set with likelihood x_e. Then it costs x_e·k_e
//! throws of bits, and gives ρ_e·2^(-k_e) false positives, ρ_e=f_e(1-x_e). With Σx_e·k_e=m·ln 2
//! throws in all, their sum is least for k_e=log2(ρ_e/x_e)+level.

use crate::parts::probes::Spread;
use std::f64::consts::LN_2;

/// Bits per table entry: a hash, and a number of probes.
pub const ENTRY_BITS: u64 = 72;

/// A key, or several that get the same number of probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// ρ: the weight of queries for it while it is absent.
    pub asked: f64,
    /// x: its expected number of members of the set.
    pub members: f64,
}

impl Demand {
    /// log2(ρ/x): how far its probes are above the level.
    fn lead(&self) -> f64 {
        self.asked.log2() - self.members.log2()
    }
}

/// The unconstrained level, (m·ln 2 - Σx·log2(ρ/x))/n, n=Σx.
pub fn ideal_level(m: u64, demands: &[Demand]) -> f64 {
    let n: f64 = demands.iter().map(|demand| demand.members).sum();
    let leads: f64 = demands.iter().map(|demand| demand.members * demand.lead()).sum();
    (m as f64 * LN_2 - leads) / n
}

/// k_e at a level, neither rounded nor clamped.
pub fn ideal_probes(level: f64, demand: &Demand) -> f64 {
    demand.lead() + level
}

/// The false-positive rate over all queries for absent keys with these numbers of probes.
pub fn ideal_rate(m: u64, demands: &[Demand]) -> f64 {
    let level = ideal_level(m, demands);
    mean(demands, |demand| (-ideal_probes(level, demand)).exp2())
}

/// Σρ·rate/Σρ.
fn mean(demands: &[Demand], rate: impl Fn(&Demand) -> f64) -> f64 {
    let all: f64 = demands.iter().map(|demand| demand.asked).sum();
    demands.iter().map(|demand| demand.asked * rate(demand)).sum::<f64>() / all
}

/// The share of ones after `throws` throws at m bits.
fn fill(m: u64, throws: f64) -> f64 {
    -(-throws / m as f64).exp_m1()
}

/// Numbers of probes, and the resulting rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The term added to log2(ρ/x).
    pub level: f64,
    /// The share of ones when all members are inserted.
    pub fill: f64,
    /// The rate over all queries for absent keys.
    pub rate: f64,
    /// The probes of the last demand: all keys that are not in the table.
    pub others: u32,
}

impl Level {
    /// `leads` are those of the demands. Keys are grouped by their number of probes: for a million
    /// keys, powers and logarithms would dominate the time.
    fn at(m: u64, level: f64, least: u32, demands: &[Demand], leads: &[f64]) -> Level {
        const NUMBERS: usize = Spread::MAX_PROBES as usize + 1;
        let mut sums = [Demand { asked: 0.0, members: 0.0 }; NUMBERS];
        let (mut left, mut others) = (demands.len(), least);
        for (demand, lead) in demands.iter().zip(leads) {
            left -= 1;
            others = whole(lead + level, if left == 0 { least } else { 1 });
            let sum = &mut sums[others as usize];
            sum.asked += demand.asked;
            sum.members += demand.members;
        }
        let by_probes = || sums.iter().zip(0i32..);
        let fill = fill(m, by_probes().map(|(sum, k)| sum.members * f64::from(k)).sum());
        let wrong: f64 = by_probes().map(|(sum, k)| sum.asked * fill.powi(k)).sum();
        let asked: f64 = sums.iter().map(|sum| sum.asked).sum();
        Level { level, fill, rate: wrong / asked, others }
    }

    /// The probes of a demand other than the last.
    pub fn probes(&self, demand: &Demand) -> u32 {
        whole(ideal_probes(self.level, demand), 1)
    }

    /// The rate of a key that is not in the table.
    pub fn others_rate(&self) -> f64 {
        self.fill.powi(self.others.cast_signed())
    }
}

/// k_e as an integer within bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to MAX_PROBES")]
fn whole(probes: f64, least: u32) -> u32 {
    // A key that is neither queried nor a member gives log2(0/0), NaN; the maximum of NaN and a
    // number is the number.
    probes.round().max(f64::from(least)).min(f64::from(Spread::MAX_PROBES)) as u32
}

/// The level with the lowest rate, in m bits that would hold n items with k probes each. The last
/// demand is that of all keys without an entry; it keeps at least k-1 probes and at most twice the
/// rate that k probes for all would have, however rarely those keys are queried. `None` when
/// nothing is better than k probes for all.
pub fn best_level(m: u64, n: u64, k: u32, demands: &[Demand]) -> Option<Level> {
    let least = k.saturating_sub(1).max(1);
    let leads: Vec<f64> = demands.iter().map(Demand::lead).collect();
    let at = |level| Level::at(m, level, least, demands, &leads);
    let equal = fill(m, n as f64 * f64::from(k)).powi(k.cast_signed());
    // Rounding and bounds move the best level away from the ideal one. So first find the level
    // where the throws are m·ln 2, which gives a fill of one half, then search around it: rounding
    // moves the fill by up to a tenth, and the lowest rate with it. Logarithms of f64 are within
    // ±1100, their differences within twice that.
    let (mut low, mut high) = (-2300.0, 2300.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match at(middle).fill < 0.5 {
            true => low = middle,
            false => high = middle,
        }
    }
    (-32..=32)
        .map(|step| at(low + f64::from(step) / 16.0))
        .filter(|level| level.rate < equal && level.others_rate() <= 2.0 * equal)
        .min_by(|a, b| a.rate.total_cmp(&b.rate))
}

/// The share of the queries that makes a key worth its entry: 72·ln²2/n = 35/n. An entry removes
/// the false positives of the key; 72 more bits without it lower those of all keys by that much.
pub fn least_share(n: u64) -> f64 {
    ENTRY_BITS as f64 * LN_2 * LN_2 / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zipf's law over `keys` keys, all of them in the table, and no others.
    fn zipf(keys: u32, members: f64) -> Vec<Demand> {
        let key = |i: u32| Demand { asked: 1.0 / f64::from(i), members: members / f64::from(keys) };
        let others = Demand { asked: 0.0, members: 0.0 };
        (1..=keys).map(key).chain([others]).collect()
    }

    #[test]
    fn the_level_in_whole_numbers_is_near_the_ideal_one() {
        let demands = zipf(20_000, 2000.0);
        let ideal = ideal_rate(16_000, &demands[..20_000]);
        let best = best_level(16_000, 2000, 6, &demands).unwrap();
        assert!(best.rate > ideal && best.rate < 1.03 * ideal, "{ideal} {best:?}");
        assert!((best.fill - 0.5).abs() < 0.01, "{best:?}");
    }

    #[test]
    fn what_cannot_be_better_is_none() {
        let alike = |members| Demand { asked: members, members };
        let demands = [alike(500.0), alike(1500.0)];
        assert_eq!(best_level(16_000, 2000, 6, &demands), None, "all keys alike");
        assert_eq!(best_level(1, 1_000_000, 1, &demands), None, "a full filter");
        assert_eq!(best_level(16_000, 2000, 6, &[]), None, "no keys");
    }

    /// Never queried, as far as is known: still at most twice the rate.
    #[test]
    fn the_others_are_not_forgotten() {
        let mut demands = zipf(1000, 100.0);
        demands[1000].members = 1900.0;
        let best = best_level(16_000, 2000, 6, &demands).unwrap();
        let equal = fill(16_000, 12_000.0).powi(6);
        assert!(best.others_rate() <= 2.0 * equal && best.others >= 5, "{best:?}");
        assert!(best.rate < equal / 100.0, "{best:?}");
    }

    #[test]
    fn extremes_stay_numbers() {
        for asked in [f64::MIN_POSITIVE, 1e-300, 1.0, 1e300] {
            for members in [1e-9, 0.5, 1e9] {
                let demands = [Demand { asked, members }, Demand { asked: 1.0, members: 1e6 }];
                if let Some(best) = best_level(10_000_000, 1_000_000, 7, &demands) {
                    assert!((1..=64).contains(&best.others), "{best:?}");
                    assert!((1..=64).contains(&best.probes(&demands[0])), "{best:?}");
                    assert!((0.0..1.0).contains(&best.rate), "{best:?}");
                }
            }
        }
    }
}
