//! The fill of a filter along its cells: shares between 0 and 1, in two rows of characters.

/// How many columns the picture has.
pub const COLUMNS: usize = 64;

/// From nothing to a whole row, in eighths of a block.
const BLOCKS: &[char] = &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The same for terminals that might not show those.
const ASCII: &[char] = &[' ', '.', ':', '#'];

/// The upper row and the lower row; a column of both is 1. What is more than nothing shows, and
/// what is less than all leaves room.
pub fn rows(shares: &[f64], unicode: bool) -> [String; 2] {
    let levels = if unicode { BLOCKS } else { ASCII };
    let row = levels.len() - 1;
    let height = |share: f64| match share {
        share if share <= 0.0 => 0,
        share if share >= 1.0 => 2 * row,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        share => ((share * 2.0 * row as f64).round() as usize).clamp(1, 2 * row - 1),
    };
    let line = |below: usize| {
        let part = |share: &f64| levels[height(*share).saturating_sub(below).min(row)];
        shares.iter().map(part).collect()
    };
    [line(row), line(0)]
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn heights_are_shares() {
        let shares = [0.0, 1e-9, 0.25, 0.5, 0.55, 0.75, 0.999_999, 1.0];
        let [upper, lower] = rows(&shares, true);
        assert_eq!(upper, "    ▁▄▇█");
        assert_eq!(lower, " ▁▄█████");
        let [upper, lower] = rows(&shares, false);
        assert_eq!(upper, "     ::#");
        assert_eq!(lower, " .:#####");
        assert_eq!(rows(&[], false), ["", ""]);
    }
}
