//! What independent, uniform probes would give, exactly.

/// Bits of a line, as a number.
pub const LINE_BITS: f64 = 512.0;

/// The share of false positives that the 32-bit pattern adds: some key of the line has it too.
fn pattern_floor(keys: f64, lines: f64) -> f64 {
    keys / lines * 2f64.powi(-32)
}

fn binomial(from: u32, choose: u32) -> f64 {
    (1..=choose).fold(1.0, |product, i| product * f64::from(from - choose + i) / f64::from(i))
}

/// Chance that all of `places` given bits of a line are set, by inclusion and exclusion over those
/// that are not. `untouched(s)` is the chance that one key of the line spares s given bits.
fn all_set(places: u32, keys: f64, lines: f64, untouched: impl Fn(u32) -> f64) -> f64 {
    (0..=places)
        .map(|s| {
            let sign = if s % 2 == 0 { 1.0 } else { -1.0 };
            let spared = (keys * (-(1.0 - untouched(s)) / lines).ln_1p()).exp();
            sign * binomial(places, s) * spared
        })
        .sum()
}

/// An unsplit line of 512 bits: the chance that k draws give j distinct places, times the chance
/// that those are set, plus the floor of the pattern.
pub fn line(keys: f64, lines: f64, probes: u32) -> f64 {
    // distinct[j] after k draws = S2(k, j) · falling(512, j) / 512^k.
    let mut distinct = vec![1.0];
    for _ in 0..probes {
        let mut next = vec![0.0; distinct.len() + 1];
        for (j, chance) in distinct.iter().enumerate() {
            let seen = j as f64 / LINE_BITS;
            next[j] += chance * seen;
            next[j + 1] += chance * (1.0 - seen);
        }
        distinct = next;
    }
    let untouched = |s| (1.0 - f64::from(s) / LINE_BITS).powi(probes as i32);
    let set = (0..=probes)
        .zip(&distinct)
        .map(|(j, chance)| chance * all_set(j, keys, lines, untouched))
        .sum::<f64>();
    set + pattern_floor(keys, lines)
}

/// Eight lanes of `lane` bits, one probe in each.
pub fn lanes(keys: f64, lines: f64, lane: f64) -> f64 {
    let untouched = |s| (1.0 - 1.0 / lane).powi(s as i32);
    all_set(8, keys, lines, untouched) + pattern_floor(keys, lines)
}

/// Cells drawn with replacement, exactly: the distribution of the number of set cells, draw by
/// draw. Quadratic, so only for small filters.
pub fn spread_exact(keys: u32, cells: u32, probes: u32) -> f64 {
    let total = f64::from(cells);
    let mut chance = vec![0.0; cells as usize + 1];
    chance[0] = 1.0;
    for draw in 1..=(keys * probes) as usize {
        for set in (1..=draw.min(cells as usize)).rev() {
            let hit = set as f64 / total;
            chance[set] = chance[set] * hit + chance[set - 1] * (1.0 - hit + 1.0 / total);
        }
        chance[0] = 0.0;
    }
    (0..)
        .zip(&chance)
        .map(|(set, chance)| chance * (f64::from(set) / total).powi(probes as i32))
        .sum()
}

/// The same to second order (Grandi 2018), for filters of any size.
pub fn spread(keys: f64, cells: f64, probes: u32) -> f64 {
    let draws = keys * f64::from(probes);
    let one = (draws * (-1.0 / cells).ln_1p()).exp();
    let set = cells * (1.0 - one);
    // m·[q^N + (m−1)(1−2/m)^N − m·q^2N], rearranged so that no terms of size m² cancel.
    let ratio = (draws * (-1.0 / (cells - 1.0).powi(2)).ln_1p()).exp_m1();
    let variance = cells * (one * (1.0 - one) + (cells - 1.0) * one * one * ratio);
    let k = f64::from(probes);
    (set / cells).powi(probes as i32) * (1.0 + k * (k - 1.0) * variance / (2.0 * set * set))
}

/// A layout made for a rate: bits a key and probes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Bits a key.
    pub bits: f64,
    /// Probes a key.
    pub probes: u32,
}

/// The fewest bits a key at which `rate(bits, probes)` reaches the target, over the given probes.
pub fn plan(
    target: f64,
    probes: std::ops::RangeInclusive<u32>,
    rate: impl Fn(f64, u32) -> f64,
) -> Plan {
    let bits = |probes| {
        let (mut low, mut high) = (0.5, 200.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if rate(middle, probes) > target { low = middle } else { high = middle }
        }
        high
    };
    probes
        .map(|probes| Plan { bits: bits(probes), probes })
        .min_by(|one, other| one.bits.total_cmp(&other.bits))
        .unwrap_or(Plan { bits: f64::INFINITY, probes: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64, tolerance: f64) {
        assert!((one / other - 1.0).abs() < tolerance, "{one} is not {other}");
    }

    #[test]
    fn published_values_of_the_classic_filter() {
        near(spread_exact(1, 2, 2), 5.0 / 8.0, 1e-12);
        near(spread_exact(3, 10, 3), 0.247_184_956_81, 1e-10);
        near(spread_exact(102, 1024, 7), 0.008_109_679_2, 1e-7);
        near(spread(102.0, 1024.0, 7), 0.008_109_6, 1e-5);
    }

    #[test]
    fn bits_a_key_of_the_lines() {
        let line = plan(0.01, 1..=16, |bits, probes| line(1e6 * LINE_BITS / bits, 1e6, probes));
        assert_eq!(line.probes, 6);
        near(line.bits, 9.92, 1e-3);
        let split = plan(0.001, 8..=8, |bits, _| lanes(1e6 * 256.0 / bits, 1e6, 32.0));
        near(split.bits, 16.89, 1e-3);
    }
}
