//! A small picture of numbers between 0 and 1, in two rows of characters.

use std::env;
use std::ffi::OsString;

/// How many columns a picture has.
pub const COLUMNS: usize = 64;

/// What a picture is drawn with: from nothing to a whole row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pen {
    /// Eighths of a block.
    Blocks,
    /// For terminals that might not show those.
    Ascii,
}

impl Pen {
    /// What the terminal can be trusted to show.
    pub fn of_the_terminal() -> Pen {
        Pen::chosen(|name| env::var_os(name))
    }

    fn chosen(variable: impl Fn(&str) -> Option<OsString>) -> Pen {
        // The first of these that says something decides, as for every other program.
        let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(&variable);
        let locale = said
            .filter(|text| !text.is_empty())
            .map(|text| text.to_string_lossy().to_lowercase())
            .next();
        let utf8 = locale.is_some_and(|text| text.contains("utf-8") || text.contains("utf8"));
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        if utf8 && !dumb { Pen::Blocks } else { Pen::Ascii }
    }

    fn levels(self) -> &'static [char] {
        match self {
            Pen::Blocks => &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
            Pen::Ascii => &[' ', '.', ':', '#'],
        }
    }

    /// The upper row and the lower row; a column of both is 1. What is more than nothing shows, and
    /// what is less than all leaves room.
    pub fn draw(self, shares: &[f64]) -> [String; 2] {
        let levels = self.levels();
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_shares() {
        let shares = [0.0, 1e-9, 0.25, 0.5, 0.55, 0.75, 0.999_999, 1.0];
        let [upper, lower] = Pen::Blocks.draw(&shares);
        assert_eq!(upper, "    ▁▄▇█");
        assert_eq!(lower, " ▁▄█████");
        let [upper, lower] = Pen::Ascii.draw(&shares);
        assert_eq!(upper, "     ::#");
        assert_eq!(lower, " .:#####");
        assert_eq!(Pen::Ascii.draw(&[]), ["", ""]);
    }

    #[test]
    fn the_locale_decides() {
        let pen = |variables: &[(&str, &str)]| {
            let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
            Pen::chosen(|name| found(name).map(|(_, value)| value.into()))
        };
        assert_eq!(pen(&[("LANG", "en_GB.UTF-8")]), Pen::Blocks);
        assert_eq!(pen(&[("LANG", "C.utf8"), ("TERM", "xterm")]), Pen::Blocks);
        assert_eq!(pen(&[("LC_ALL", ""), ("LC_CTYPE", "de_DE.UTF-8")]), Pen::Blocks);
        assert_eq!(pen(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]), Pen::Ascii);
        assert_eq!(pen(&[("LANG", "en_GB.UTF-8"), ("TERM", "dumb")]), Pen::Ascii);
        assert_eq!(pen(&[]), Pen::Ascii);
    }
}
