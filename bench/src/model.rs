//! What independent, uniform probes would give: the library's own mathematics, by bits a key.

use anther::sizing::blocked::Mixture;
use anther::sizing::{blocked, bloom};

/// Bits of a line, as a number.
pub const LINE_BITS: f64 = 512.0;

/// An unsplit line of 512 bits, with the floor of its 32-bit pattern.
pub fn line(keys: f64, lines: f64, probes: u32) -> f64 {
    blocked::line_rate(lines as u64, keys as u64, probes)
}

/// Eight lanes of `lane` bits, one probe in each, with the floor of a 32-bit pattern.
pub fn lanes(keys: f64, lines: f64, lane: f64) -> f64 {
    Mixture::lanes(lane as u64, 8).rate(lines as u64, keys as u64) + keys / lines * 2f64.powi(-32)
}

/// Cells drawn with replacement, exactly.
pub fn spread_exact(keys: u32, cells: u32, probes: u32) -> f64 {
    bloom::exact(cells.into(), keys.into(), probes)
}

/// The same to second order, for filters of any size.
pub fn spread(keys: f64, cells: f64, probes: u32) -> f64 {
    bloom::grandi(cells as u64, keys as u64, probes)
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
