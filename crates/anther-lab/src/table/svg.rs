//! A table as a picture.

use super::Table;
use crate::lettering::{self, FONT, Weight};
use std::fmt::Write;

const SIZE: usize = 20;
const LINE: usize = 32;
const MARGIN: usize = 18;
/// Room between columns.
const GAP: usize = 28;

impl Table {
    /// The table as SVG, as large as it needs.
    pub fn svg(&self, title: &str) -> String {
        let rows = self.shown();
        let wide = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| text_width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(wide).collect();
        let body: usize = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let width = 2 * MARGIN + body.max(text_width(title) * 11 / 10);
        let top = 2 * MARGIN + SIZE;
        let height = top + LINE * rows.len() + MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" font-size=\"{SIZE}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"{}\" font-weight=\"bold\">{}</text>\n",
            MARGIN + SIZE,
            lettering::escaped(title)
        );
        for (at, row) in rows.iter().enumerate() {
            let y = top + LINE * (at + 1) - 10;
            let mut x = MARGIN;
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let (anchor, at_x) =
                    if self.is_words(column) { ("start", x) } else { ("end", x + width) };
                let colour = if at == 0 { "#555555" } else { "black" };
                let _ = writeln!(
                    svg,
                    "<text x=\"{at_x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
                    lettering::escaped(cell)
                );
                x += width + GAP;
            }
            if at == 0 {
                let (y, to) = (y + 9, MARGIN + body);
                let _ = writeln!(
                    svg,
                    "<path d=\"M{MARGIN} {y}H{to}\" stroke=\"#555555\" stroke-width=\"1.5\"/>"
                );
            }
        }
        svg + "</svg>\n"
    }
}

/// The room that a cell gets: its width in our font and a little, since a viewer may have another.
fn text_width(text: &str) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    let wide = (1.075 * lettering::width(text, SIZE as f64, Weight::Regular)).ceil() as usize;
    wide
}
