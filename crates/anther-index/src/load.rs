//! How full the columns of grams are, for a share of blocks that are opened in vain.

/// The share of bits that are set in a column, for a false-positive rate of literals of eight bytes.
/// Such a literal has five grams, but those that are absent often have neighbours that are not.
pub fn of(fpr: f64) -> f64 {
    (fpr / 0.01 * 0.0039).powf(0.2).clamp(0.01, 0.6)
}
