//! A chart as SVG, 960 by 540: a slide.
//!
//! Drawn in units of half a dot, since the plotting crate has whole coordinates and curves would
//! have steps.

use super::{Chart, Series, axis::Fitted};
use crate::image::{self, COLOURS, FONT};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt;
use std::ops::Range;

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;
const MARGIN: i32 = 36;
/// Of the sizes, the crate takes a height that includes room above and below the letters.
const TITLE: i32 = 54;
const WORDS: i32 = 44;
const GREY: RGBColor = RGBColor(85, 85, 85);
const LIGHT: RGBColor = RGBColor(221, 221, 221);
/// Half the width of a mark.
const MARK: i32 = 11;
/// So that a line is told from its neighbour without colour: dash and gap, or none.
const DASHES: [Option<(i32, i32)>; 6] =
    [None, Some((28, 14)), Some((8, 10)), Some((44, 12)), Some((16, 16)), Some((6, 22))];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Dot = (i32, i32);

/// Why a chart could not be drawn.
#[derive(Debug)]
pub struct Trouble(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for Trouble {
    fn from(error: DrawingAreaErrorKind<E>) -> Trouble {
        Trouble(error.to_string())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "cannot draw it: {}", self.0)
    }
}

impl Chart {
    /// The chart as SVG.
    pub fn svg(&self) -> Result<String, Trouble> {
        image::registered();
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
            root.fill(&WHITE)?;
            let top = self.head(&root)?;
            self.body(&root, top)?;
            root.present()?;
        }
        let whole = format!("width=\"{WIDTH}\" height=\"{HEIGHT}\"");
        Ok(svg.replacen(&whole, "width=\"960\" height=\"540\"", 1))
    }

    /// Title, legend and the name of the upright axis; where the body begins.
    fn head(&self, root: &Area<'_>) -> Result<i32, Trouble> {
        let style = (FONT, TITLE).into_font().style(FontStyle::Bold).color(&BLACK);
        let mut y = MARGIN - 8;
        for line in lines(&self.title, i32_of(WIDTH) - 2 * MARGIN, |text| width(root, text, &style))
        {
            root.draw_text(&line, &style, (MARGIN, y))?;
            y += TITLE + 4;
        }
        y = self.legend(root, y + 6)?;
        root.draw_text(&self.y.label, &words(WORDS, GREY), (MARGIN, y))?;
        Ok(y + WORDS + 30)
    }

    fn legend(&self, root: &Area<'_>, top: i32) -> Result<i32, Trouble> {
        let (style, sample, gap) = (words(WORDS, BLACK), 124, 40);
        let (mut x, mut y) = (MARGIN, top);
        let named = self.series.len() > 1 || self.series.iter().any(|it| !it.predicted.is_empty());
        let entries = self.series.iter().enumerate().filter(|_| named);
        for (at, series) in entries {
            let needs = sample + 14 + width(root, &series.name, &style);
            if x > MARGIN && x + needs > i32_of(WIDTH) - MARGIN {
                (x, y) = (MARGIN, y + WORDS + 8);
            }
            let middle = y + WORDS / 2 - 4;
            if !series.predicted.is_empty() || (series.measured.len() > 1 && !self.x.is_names()) {
                path(root, at, &[(x, middle), (x + sample, middle)])?;
            }
            if !series.measured.is_empty() {
                self.sample(root, at, (x + sample / 2, middle))?;
            }
            root.draw_text(&series.name, &style, (x + sample + 14, y))?;
            x += needs + gap;
        }
        let key = self.key();
        let style = words(WORDS, GREY);
        if x > MARGIN && x + width(root, &key, &style) > i32_of(WIDTH) - MARGIN {
            (x, y) = (MARGIN, y + WORDS + 8);
        }
        root.draw_text(&key, &style, (x, y))?;
        Ok(y + WORDS + 22)
    }

    fn sample(&self, root: &Area<'_>, at: usize, middle: Dot) -> Result<(), Trouble> {
        if !self.x.is_names() {
            return mark(root, at, middle, true);
        }
        let (x, y) = middle;
        bar(root, at, [(x - 20, y - 14), (x + 20, y + 14)])
    }

    fn body(&self, root: &Area<'_>, top: i32) -> Result<(), Trouble> {
        let (across, up) = self.fitted();
        let below = if self.x.label.is_empty() { 0 } else { WORDS };
        let body = root.clone().margin(top, MARGIN, MARGIN, MARGIN + 30);
        let style = words(WORDS, BLACK);
        let widest = up.ticks.iter().map(|tick| width(root, &up.name(*tick), &style)).max();
        let mut chart = ChartBuilder::on(&body)
            .x_label_area_size(WORDS + 22 + below)
            .y_label_area_size(widest.unwrap_or(0) + 26)
            .build_cartesian_2d(keyed(&across), keyed(&up))?;
        let name = |fitted: &Fitted<'_>, place: f64| {
            let at = |tick: &&f64| (fitted.place(**tick) - place).abs() < 1e-9;
            fitted.ticks.iter().find(at).map_or(String::new(), |tick| fitted.name(*tick))
        };
        let (name_x, name_y) =
            (|place: &f64| name(&across, *place), |place: &f64| name(&up, *place));
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(LIGHT.stroke_width(2))
            .axis_style(GREY.stroke_width(3))
            .label_style(style)
            .axis_desc_style(words(WORDS, GREY))
            .x_label_formatter(&name_x)
            .y_label_formatter(&name_y)
            .x_desc(self.x.label.as_str())
            // So that the first numbers of both axes do not touch.
            .set_tick_mark_size(LabelAreaPosition::Bottom, 16)
            .set_tick_mark_size(LabelAreaPosition::Left, 12);
        if self.x.is_names() {
            mesh.disable_x_mesh();
        }
        mesh.draw()?;
        let dot = |(x, y): (f64, f64)| chart.backend_coord(&(across.place(x), up.place(y)));
        // Lines first: a mark that lies on its line is seen.
        for (at, series) in self.series.iter().enumerate() {
            if self.x.is_names() {
                self.bars(root, at, series, &dot, &up)?;
                continue;
            }
            let joined =
                if series.predicted.is_empty() { &series.measured } else { &series.predicted };
            let line: Vec<Dot> = joined.iter().map(|point| dot(*point)).collect();
            path(root, at, &line)?;
        }
        for (at, series) in self.series.iter().enumerate().filter(|_| !self.x.is_names()) {
            for point in &series.measured {
                mark(root, at, dot(*point), up.shows(point.1))?;
            }
        }
        Ok(())
    }

    /// A bar for each name, beside those of the other series, with its number on top.
    fn bars(
        &self,
        root: &Area<'_>,
        at: usize,
        series: &Series,
        dot: &dyn Fn((f64, f64)) -> Dot,
        up: &Fitted<'_>,
    ) -> Result<(), Trouble> {
        let bars = self.series.len() as f64;
        let half = 0.38 / bars;
        let middle = |x: f64| x + (at as f64 - (bars - 1.0) / 2.0) * 2.0 * half;
        let style = words(WORDS - 6, BLACK).pos(Pos::new(HPos::Center, VPos::Bottom));
        for &(x, y) in &series.measured {
            let (left, top) = dot((middle(x) - half * 0.9, y));
            let (right, _) = dot((middle(x) + half * 0.9, y));
            let (_, bottom) = dot((x, f64::NEG_INFINITY));
            bar(root, at, [(left, top), (right, bottom)])?;
            // Not across the line of what was predicted, where that lies just above.
            let predicted = series.predicted.iter().find(|point| point.0 == x);
            let level = predicted.map_or(top, |point| dot(*point).1);
            let foot = if (top - WORDS..top).contains(&level) { level - 2 } else { top };
            root.draw_text(&up.axis.unit.short(y), &style, ((left + right) / 2, foot - 4))?;
        }
        for &(x, y) in &series.predicted {
            let (left, level) = dot((middle(x) - half, y));
            let (right, _) = dot((middle(x) + half, y));
            root.draw(&PathElement::new([(left, level), (right, level)], BLACK.stroke_width(5)))?;
        }
        Ok(())
    }
}

/// From 0 to 1, with the ticks where they belong.
struct Places(Vec<f64>);

fn keyed(fitted: &Fitted<'_>) -> Places {
    Places(fitted.ticks.iter().map(|tick| fitted.place(*tick)).collect())
}

impl Ranged for Places {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (from, to): (i32, i32)) -> i32 {
        #[expect(clippy::cast_possible_truncation, reason = "between two whole numbers")]
        let along = (place * f64::from(to - from)).round() as i32;
        from + along
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.0.clone()
    }

    fn range(&self) -> Range<f64> {
        0.0..1.0
    }
}

fn words(size: i32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(&colour)
}

fn width(root: &Area<'_>, text: &str, style: &TextStyle<'_>) -> i32 {
    root.estimate_text_size(text, style).map_or(0, |(width, _)| i32_of(width))
}

fn i32_of(size: u32) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}

/// Words in lines that are not wider than that.
fn lines(text: &str, most: i32, width: impl Fn(&str) -> i32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| !line.is_empty());
        match last {
            Some(line) if width(&format!("{line} {word}")) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(word.to_string()),
            None => lines = vec![word.to_string()],
        }
    }
    lines
}

fn colour(at: usize) -> RGBColor {
    let [red, green, blue] = COLOURS[at % COLOURS.len()];
    RGBColor(red, green, blue)
}

fn path(root: &Area<'_>, at: usize, dots: &[Dot]) -> Result<(), Trouble> {
    let style = colour(at).stroke_width(5);
    match DASHES[at % DASHES.len()] {
        None => root.draw(&PathElement::new(dots.to_vec(), style))?,
        Some((dash, gap)) => {
            root.draw(&DashedPathElement::new(dots.iter().copied(), dash, gap, style))?;
        }
    }
    Ok(())
}

fn bar(root: &Area<'_>, at: usize, corners: [Dot; 2]) -> Result<(), Trouble> {
    root.draw(&Rectangle::new(corners, colour(at).filled()))?;
    // Black bars beside blue ones are told apart by their frames, and so are grey ones in print.
    Ok(root.draw(&Rectangle::new(corners, BLACK.stroke_width(2)))?)
}

/// A mark of the series' own form; hollow where its number has no place on the axis.
fn mark(root: &Area<'_>, at: usize, (x, y): Dot, shown: bool) -> Result<(), Trouble> {
    let r = MARK;
    let corners: Vec<Dot> = match at % COLOURS.len() {
        1 => vec![(-r, -r), (r, -r), (r, r), (-r, r)],
        2 => vec![(0, -r - 3), (r + 2, r - 1), (-r - 2, r - 1)],
        3 => vec![(0, -r - 4), (r + 4, 0), (0, r + 4), (-r - 4, 0)],
        4 => vec![(0, r + 3), (r + 2, 1 - r), (-r - 2, 1 - r)],
        5 => vec![
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
        _ => Vec::new(),
    };
    let corners: Vec<Dot> = corners.into_iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    let inside = if shown { colour(at) } else { WHITE };
    if corners.is_empty() {
        root.draw(&Circle::new((x, y), r, inside.filled()))?;
        return Ok(root.draw(&Circle::new((x, y), r, colour(at).stroke_width(3)))?);
    }
    root.draw(&Polygon::new(corners.clone(), inside.filled()))?;
    let closed: Vec<Dot> = corners.iter().chain(&corners[..1]).copied().collect();
    Ok(root.draw(&PathElement::new(closed, colour(at).stroke_width(3)))?)
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Unit};
    use super::*;

    fn chart(names: &[&str], x: Axis, y: Axis) -> Chart {
        let series = names.iter().enumerate().map(|(at, name)| {
            let points = |from: u32| {
                (from..6).map(|x| (f64::from(x), 10f64.powi(-(x as i32)) / (at + 1) as f64))
            };
            Series {
                name: name.to_string(),
                measured: points(0).collect(),
                predicted: points(1).collect(),
            }
        });
        Chart { title: "Rate against items: a title that is long enough for two lines of a slide, or for more".to_string(), x, y, series: series.collect() }
    }

    #[test]
    fn no_words_clash() {
        let long = [
            "a standard filter",
            "Floom with twelve regions",
            "Big BF of equal memory",
            "one more series",
            "and another one",
            "the last",
        ];
        for names in [&long[..1], &long[..3], &long] {
            for y in
                [Axis::linear("rate of false positives", Unit::Rate), Axis::log("rate", Unit::Rate)]
            {
                let numbers = chart(names, Axis::linear("items", Unit::Count), y.clone());
                let svg = numbers.svg().unwrap();
                assert_eq!(image::clashes(&svg), Vec::<String>::new(), "{names:?}");
                for name in names {
                    assert!(svg.contains(name), "{name}");
                }
            }
        }
        let named = chart(
            &long[..2],
            Axis::names(["present", "absent", "c", "d", "e", "f"]),
            Axis::log("reads", Unit::Plain),
        );
        assert_eq!(image::clashes(&named.svg().unwrap()), Vec::<String>::new());
    }
}
