//! The plots of the README.
use super::record::Row;

/// Names and pictures.
pub fn all(rows: &[Row]) -> Vec<(&'static str, String)> {
    let _ = rows;
    Vec::new()
}
