//! The lines, marks and words of a chart, as elements of SVG.

use crate::lettering::{COLOURS, escaped, rgb};
use std::fmt::Write;

pub const BLACK: &str = "#000000";
pub const WHITE: &str = "#ffffff";
pub const GREY: &str = "#555555";
pub const LIGHT: &str = "#dddddd";
/// Half the width of a mark.
const MARK: i32 = 11;

/// A place on the paper.
pub type Dot = (i32, i32);

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug)]
pub enum Baseline {
    Top,
    Middle,
    Bottom,
}

/// What is drawn so far.
#[derive(Debug, Default)]
pub struct Paper(String);

/// The colour of a series, by its number.
pub fn colour(at: usize) -> String {
    rgb(COLOURS[at % COLOURS.len()])
}

impl Paper {
    /// The size of letters in a line of that height.
    pub fn font_size(line: i32) -> f64 {
        f64::from(line) / 1.24
    }

    /// The elements.
    pub fn finish(self) -> String {
        self.0
    }

    pub fn title(&mut self, place: Dot, line: i32, text: &str) {
        self.write_text(place, line, "start", Baseline::Top, "font-weight=\"bold\"", text);
    }

    pub fn text(
        &mut self,
        place: Dot,
        line: i32,
        anchor: &str,
        baseline: Baseline,
        colour: &str,
        text: &str,
    ) {
        self.write_text(place, line, anchor, baseline, &format!("fill=\"{colour}\""), text);
    }

    fn write_text(
        &mut self,
        (x, y): Dot,
        line: i32,
        anchor: &str,
        baseline: Baseline,
        style: &str,
        text: &str,
    ) {
        let down = match baseline {
            Baseline::Top => "0.76em",
            Baseline::Middle => "0.5ex",
            Baseline::Bottom => "-0.5ex",
        };
        let size = Paper::font_size(line);
        let _ = writeln!(
            self.0,
            "<text x=\"{x}\" y=\"{y}\" dy=\"{down}\" text-anchor=\"{anchor}\" \
             font-size=\"{size:.1}\" {style}>{}</text>",
            escaped(text)
        );
    }

    pub fn line(&mut self, colour: &str, wide: i32, [(x1, y1), (x2, y2)]: [Dot; 2]) {
        let _ = writeln!(
            self.0,
            "<line stroke=\"{colour}\" stroke-width=\"{wide}\" x1=\"{x1}\" y1=\"{y1}\" \
             x2=\"{x2}\" y2=\"{y2}\"/>"
        );
    }

    /// Lines from dot to dot, whole or dashed.
    pub fn path(&mut self, colour: &str, wide: i32, dashes: Option<(i32, i32)>, dots: &[Dot]) {
        let dashes = dashes
            .map(|(dash, gap)| format!(" stroke-dasharray=\"{dash} {gap}\""))
            .unwrap_or_default();
        let _ = writeln!(
            self.0,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"{dashes} \
             points=\"{}\"/>",
            points(dots)
        );
    }

    /// A bar with two corners. Black bars beside blue ones are told apart by their frames, and so
    /// are grey ones in print.
    pub fn bar(&mut self, at: usize, [(left, top), (right, bottom)]: [Dot; 2]) {
        let _ = writeln!(
            self.0,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"{}\" \
             stroke=\"{BLACK}\" stroke-width=\"2\"/>",
            right - left,
            bottom - top,
            colour(at)
        );
    }

    /// A mark of the series' own form; hollow where its number has no place on the axis.
    pub fn mark(&mut self, at: usize, (x, y): Dot, shown: bool) {
        let r = MARK;
        let corners: &[Dot] = match at % COLOURS.len() {
            1 => &[(-r, -r), (r, -r), (r, r), (-r, r)],
            2 => &[(0, -r - 3), (r + 2, r - 1), (-r - 2, r - 1)],
            3 => &[(0, -r - 4), (r + 4, 0), (0, r + 4), (-r - 4, 0)],
            4 => &[(0, r + 3), (r + 2, 1 - r), (-r - 2, 1 - r)],
            5 => &[
                (-r, -4),
                (-4, -4),
                (-4, -r),
                (4, -r),
                (4, -4),
                (r, -4),
                (r, 4),
                (4, 4),
                (4, r),
                (-4, r),
                (-4, 4),
                (-r, 4),
            ],
            _ => &[],
        };
        let colour = colour(at);
        let inside = if shown { &colour } else { WHITE };
        let style = format!("fill=\"{inside}\" stroke=\"{colour}\" stroke-width=\"3\"");
        let _ = match corners {
            [] => writeln!(self.0, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {style}/>"),
            _ => {
                let corners: Vec<Dot> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
                writeln!(self.0, "<polygon {style} points=\"{}\"/>", points(&corners))
            }
        };
    }
}

fn points(dots: &[Dot]) -> String {
    let pairs: Vec<String> = dots.iter().map(|(x, y)| format!("{x},{y}")).collect();
    pairs.join(" ")
}
