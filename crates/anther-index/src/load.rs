//! How full the columns of grams are, for a share of blocks that are opened in vain.

/// Measured: the share of a log's blocks that are opened in vain for an absent literal of eight
/// bytes, and the share of a column's bits that are set. In source code a third as many are opened.
/// Below 0.2 % the blocks have all the grams of the literal, and no column can tell.
const MEASURED: [(f64, f64); 6] =
    [(0.002, 0.1), (0.006, 0.3), (0.0107, 0.4), (0.0182, 0.5), (0.0345, 0.6), (0.1, 0.75)];

/// The share of bits that are set in a column, for a false-positive rate of literals of eight bytes.
pub fn of(fpr: f64) -> f64 {
    let ([(least, low), ..], [.., (_, high)]) = (MEASURED, MEASURED);
    if fpr <= least {
        return low;
    }
    for [(below, from), (above, to)] in MEASURED.windows(2).map(|pair| [pair[0], pair[1]]) {
        if fpr <= above {
            return from + (to - from) * (fpr / below).ln() / (above / below).ln();
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_lower_rate_is_a_lower_load() {
        let loads = [1e-9, 0.002, 0.004, 0.01, 0.015, 0.03, 0.05, 0.1, 0.9].map(of);
        assert!(loads.is_sorted() && loads[0] == 0.1 && loads[8] == 0.75, "{loads:?}");
        assert!((0.45..0.47).contains(&of(0.015)));
    }
}
