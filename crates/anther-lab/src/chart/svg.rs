//! A chart as SVG, 960 by 540: a slide.
//!
//! Drawn in units of half a dot, so that curves with whole coordinates have no steps.

use super::paper::{BLACK, Baseline, Dot, GREY, LIGHT, Paper, WHITE, colour};
use super::{Chart, Series, axis::Fitted};
use crate::lettering::{self, FONT, Weight};

const WIDTH: i32 = 1920;
const HEIGHT: i32 = 1080;
const MARGIN: i32 = 36;
/// From one line of the title to the next, and the same for all other words.
const TITLE: i32 = 54;
const WORDS: i32 = 44;
/// How long ticks are, and how far from the axis the words begin.
const TICK_BELOW: i32 = 16;
const TICK_LEFT: i32 = 12;
/// So that a line is told from its neighbour without colour: dash and gap, or none.
const DASHES: [Option<(i32, i32)>; 6] =
    [None, Some((28, 14)), Some((8, 10)), Some((44, 12)), Some((16, 16)), Some((6, 22))];

/// Where the marks and lines of a chart go: from the first to the last dot, both included.
struct Field {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Field {
    fn x(&self, place: f64) -> i32 {
        between(self.left, self.right, place)
    }

    fn y(&self, place: f64) -> i32 {
        between(self.bottom, self.top, place)
    }
}

fn between(from: i32, to: i32, place: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "between two whole numbers")]
    let along = (place * f64::from(to - from)).round() as i32;
    from + along
}

impl Chart {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let mut paper = Paper::default();
        let top = self.head(&mut paper);
        self.body(&mut paper, top);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONT}\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{WHITE}\"/>\n{}</svg>\n",
            WIDTH / 2,
            HEIGHT / 2,
            paper.finish()
        )
    }

    /// Title, legend and the name of the upright axis; where the body begins.
    fn head(&self, paper: &mut Paper) -> i32 {
        let mut y = MARGIN - 8;
        for line in lines(&self.title, WIDTH - 2 * MARGIN) {
            paper.title((MARGIN, y), TITLE, &line);
            y += TITLE + 4;
        }
        y = self.legend(paper, y + 6);
        paper.text((MARGIN, y), WORDS, "start", Baseline::Top, GREY, &self.y.label);
        y + WORDS + 30
    }

    fn legend(&self, paper: &mut Paper, top: i32) -> i32 {
        // A line with its mark, or a bar.
        let (sample, gap) = (if self.x.is_names() { 40 } else { 124 }, 40);
        let (mut x, mut y) = (MARGIN, top);
        let named = self.series.len() > 1 || self.series.iter().any(|it| !it.predicted.is_empty());
        let entries = self.series.iter().enumerate().filter(|_| named);
        for (at, series) in entries {
            let needs = sample + 14 + width(&series.name);
            if x > MARGIN && x + needs > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + WORDS + 8);
            }
            let middle = y + WORDS / 2 - 4;
            let joined = !series.predicted.is_empty() || series.measured.len() > 1;
            if joined && !self.x.is_names() {
                path(paper, at, &[(x, middle), (x + sample, middle)]);
            }
            if !series.measured.is_empty() {
                self.sample(paper, at, (x + sample / 2, middle));
            }
            let place = (x + sample + 14, y);
            paper.text(place, WORDS, "start", Baseline::Top, BLACK, &series.name);
            x += needs + gap;
        }
        let key = self.key();
        if x > MARGIN && x + width(&key) > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + WORDS + 8);
        }
        paper.text((x, y), WORDS, "start", Baseline::Top, GREY, &key);
        y + WORDS + 22
    }

    fn sample(&self, paper: &mut Paper, at: usize, (x, y): Dot) {
        match self.x.is_names() {
            true => paper.bar(at, [(x - 20, y - 14), (x + 20, y + 14)]),
            false => paper.mark(at, (x, y), true),
        }
    }

    fn body(&self, paper: &mut Paper, top: i32) {
        let (across, up) = self.fitted();
        let widest = up.ticks.iter().map(|tick| width(&up.name(*tick))).max().unwrap_or(0);
        let below = WORDS + 22 + if self.x.label.is_empty() { 0 } else { WORDS };
        let field = Field {
            left: MARGIN + widest + 26,
            right: WIDTH - 2 * MARGIN + 5,
            top,
            bottom: HEIGHT - MARGIN - below - 1,
        };
        self.axes(paper, &field, &across, &up);
        let dot = |(x, y): (f64, f64)| (field.x(across.place(x)), field.y(up.place(y)));
        // Lines first: a mark that lies on its line is seen.
        for (at, series) in self.series.iter().enumerate() {
            if self.x.is_names() {
                self.bars(paper, at, series, &dot, &up);
                continue;
            }
            let joined =
                if series.predicted.is_empty() { &series.measured } else { &series.predicted };
            let line: Vec<Dot> = joined.iter().map(|point| dot(*point)).collect();
            path(paper, at, &line);
        }
        for (at, series) in self.series.iter().enumerate().filter(|_| !self.x.is_names()) {
            for point in &series.measured {
                paper.mark(at, dot(*point), up.shows(point.1));
            }
        }
    }

    /// Both axes with their ticks and numbers, and the lines of the grid.
    fn axes(&self, paper: &mut Paper, field: &Field, across: &Fitted<'_>, up: &Fitted<'_>) {
        let &Field { left, right, top, bottom } = field;
        if !self.x.label.is_empty() {
            let middle = ((left + right + 1) / 2, HEIGHT - MARGIN);
            paper.text(middle, WORDS, "middle", Baseline::Bottom, GREY, &self.x.label);
        }
        for tick in across.ticks.iter().filter(|_| !self.x.is_names()) {
            let x = field.x(across.place(*tick));
            paper.line(LIGHT, 2, [(x, bottom), (x, top)]);
        }
        for tick in &up.ticks {
            let y = field.y(up.place(*tick));
            paper.line(LIGHT, 2, [(left, y), (right, y)]);
        }
        let upright = left - 1;
        paper.line(GREY, 3, [(upright, top), (upright, bottom)]);
        for tick in &up.ticks {
            let y = field.y(up.place(*tick));
            paper.line(GREY, 3, [(upright - TICK_LEFT, y), (upright, y)]);
            let place = (left - 2 * TICK_LEFT, y);
            paper.text(place, WORDS, "end", Baseline::Middle, BLACK, &up.name(*tick));
        }
        let level = bottom + 1;
        paper.line(GREY, 3, [(left, level), (right, level)]);
        for tick in &across.ticks {
            let x = field.x(across.place(*tick));
            paper.line(GREY, 3, [(x, level), (x, level + TICK_BELOW)]);
            // So far down that the first numbers of both axes do not touch.
            let place = (x, level + 2 * TICK_BELOW);
            paper.text(place, WORDS, "middle", Baseline::Top, BLACK, &across.name(*tick));
        }
    }

    /// A bar for each name, beside those of the other series, with its number on top.
    fn bars(
        &self,
        paper: &mut Paper,
        at: usize,
        series: &Series,
        dot: &dyn Fn((f64, f64)) -> Dot,
        up: &Fitted<'_>,
    ) {
        let bars = self.series.len() as f64;
        let half = 0.38 / bars;
        let middle = |x: f64| x + (at as f64 - (bars - 1.0) / 2.0) * 2.0 * half;
        for &(x, y) in &series.measured {
            let (left, top) = dot((middle(x) - half * 0.9, y));
            let (right, _) = dot((middle(x) + half * 0.9, y));
            let (_, bottom) = dot((x, f64::NEG_INFINITY));
            paper.bar(at, [(left, top), (right, bottom)]);
            // Not across the line of what was predicted, where that lies just above.
            let predicted = series.predicted.iter().find(|point| point.0 == x);
            let level = predicted.map_or(top, |point| dot(*point).1);
            let foot = if (top - WORDS..top).contains(&level) { level - 2 } else { top };
            let place = ((left + right) / 2, foot - 4);
            let number = up.axis.unit.short(y);
            paper.text(place, WORDS - 6, "middle", Baseline::Bottom, BLACK, &number);
        }
        for &(x, y) in &series.predicted {
            let (left, level) = dot((middle(x) - half, y));
            let (right, _) = dot((middle(x) + half, y));
            paper.line(BLACK, 5, [(left, level), (right, level)]);
        }
    }
}

fn path(paper: &mut Paper, at: usize, dots: &[Dot]) {
    paper.path(&colour(at), 5, DASHES[at % DASHES.len()], dots);
}

/// The room that words need: their width in our font, and a little, since a viewer may have
/// another.
fn room(text: &str, line: i32, weight: Weight) -> i32 {
    const SLACK: f64 = 1.065;
    let wide = SLACK * lettering::width(text, Paper::font_size(line), weight);
    #[expect(clippy::cast_possible_truncation, reason = "a few thousand")]
    let whole = wide as i32;
    whole
}

fn width(text: &str) -> i32 {
    room(text, WORDS, Weight::Regular)
}

/// The words of a title in lines that are not wider than that.
fn lines(text: &str, most: i32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| !line.is_empty());
        match last {
            Some(line) if room(&format!("{line} {word}"), TITLE, Weight::Bold) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(word.to_string()),
            None => lines = vec![word.to_string()],
        }
    }
    lines
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
                ..Series::default()
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
                [Axis::linear("false-positive rate", Unit::Rate), Axis::log("rate", Unit::Rate)]
            {
                let numbers = chart(names, Axis::linear("items", Unit::Count), y.clone());
                let svg = numbers.svg();
                assert_eq!(crate::png::clashes(&svg), Vec::<String>::new(), "{names:?}");
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
        assert_eq!(crate::png::clashes(&named.svg()), Vec::<String>::new());
    }
}
