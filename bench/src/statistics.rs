//! Numbers out of many.

/// The middle of the values, which are reordered.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
