//! The plots of the README, as SVG without a plotting crate: both axes are logarithmic, and names
//! stand beside what they name instead of in a legend.
//!
//! The program's own charts have at most six series and a legend, and need its fonts and units; here
//! are twice as many names, and they are told apart by where they stand.

use super::ours::REFERENCE;
use super::peers::{FOLDED, SBBF, XORF};
use super::record::Row;
use super::tables::count;
use super::trial::LIMIT;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
/// Of the field: left, top, right, bottom. Names stand to the right of it.
const FIELD: [f64; 4] = [70.0, 60.0, 720.0, 480.0];
const LINE: f64 = 17.0;
const STEPS: &[f64] = &[1.0, 2.0, 5.0];
const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// What is drawn over the number of keys: who, in which way, in which colour (Okabe and Ito 2008,
/// which everybody can tell apart).
const SERIES: [(&str, &str, &str); 7] = [
    (REFERENCE, "batch", "#0072b2"),
    (REFERENCE, "single", "#56b4e9"),
    (SBBF, "single", "#e69f00"),
    (FOLDED, "single", "#d55e00"),
    (XORF, "single", "#cc79a7"),
    ("hashbrown HashSet", "single", "#009e73"),
    (LIMIT, "batch", "#777777"),
];

/// Points of one name, joined when there are several.
pub(crate) struct Marks {
    pub name: String,
    pub colour: &'static str,
    pub points: Vec<(f64, f64)>,
    /// What was not measured: hollow, joined by dashes, after the points that were.
    pub predicted: Vec<(f64, f64)>,
}

/// Names of files, and pictures. Where a run has not what one shows, it is left out.
pub fn all(rows: &[Row]) -> Vec<(&'static str, String)> {
    let over_keys = |work: &str| {
        let marks = SERIES.map(|(who, way, colour)| {
            let is = |row: &&Row| {
                (row.keys, row.rate, row.work, row.way, row.contender)
                    == ("u64", 0.01, work, way, who)
                    && row.section == "table"
            };
            let points = rows.iter().filter(is).map(|row| (row.items as f64, row.ns)).collect();
            let name = match who {
                REFERENCE => format!("{who}, {way}"),
                _ => who.to_string(),
            };
            Marks { name, colour, points, predicted: Vec::new() }
        });
        let title = format!("Nanoseconds a {work}, 64-bit keys at 1 %, one thread");
        draw(&title, "ns", "keys in the set", [Form::Keys, Form::Plain], &marks)
    };
    let pictures = [
        ("bench-hit.svg", over_keys("hit")),
        ("bench-miss.svg", over_keys("miss")),
        ("bench-space.svg", space(rows)),
    ];
    pictures.into_iter().filter_map(|(name, svg)| Some((name, svg?))).collect()
}

/// Everybody of the largest set: bits against the time of mixed lookups.
fn space(rows: &[Row]) -> Option<String> {
    let is =
        |row: &&Row| (row.section, row.keys, row.rate, row.work) == ("table", "u64", 0.01, "mixed");
    let items = rows.iter().filter(is).map(|row| row.items).max()?;
    let mut marks = Vec::new();
    // A second row has the bits of the first, and nearly its time.
    let first = |row: &&Row| !row.contender.ends_with("(our hash)");
    for row in rows.iter().filter(is).filter(|row| row.items == items).filter(first) {
        let ours = row.contender.starts_with("anther");
        // Peers have one way only; ours are shown in both.
        let Some(bits) = row.bits.filter(|_| row.way == "single" || ours) else { continue };
        let name = match ours {
            true => format!("{}, {}", row.contender, row.way),
            false => row.contender.to_string(),
        };
        let colour = if ours { "#0072b2" } else { "#d55e00" };
        marks.push(Marks { name, colour, points: vec![(bits, row.ns)], predicted: Vec::new() });
    }
    let keys = count(items);
    let title = format!("Nanoseconds per lookup against bits per key: {keys} 64-bit keys at 1 %");
    draw(&title, "ns", "bits per key", [Form::Plain; 2], &marks)
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Keys,
    Plain,
    /// Powers of ten only, as amounts with their units.
    Named(fn(f64) -> String),
}

impl Form {
    fn steps(self) -> &'static [f64] {
        match self {
            Form::Plain => STEPS,
            Form::Keys | Form::Named(_) => &[1.0],
        }
    }

    fn name(self, tick: f64) -> String {
        match self {
            Form::Keys => count(tick as u64),
            Form::Plain => format!("{tick}"),
            Form::Named(name) => name(tick),
        }
    }
}

/// A picture; nothing if there are no points. The first form is that of the axis below.
pub(crate) fn draw(
    title: &str,
    unit: &str,
    below: &str,
    forms: [Form; 2],
    marks: &[Marks],
) -> Option<String> {
    let points = || marks.iter().flat_map(|marks| marks.points.iter().chain(&marks.predicted));
    let across = Axis::new(points().map(|point| point.0), [FIELD[0], FIELD[2]])?;
    let up = Axis::new(points().map(|point| point.1), [FIELD[3], FIELD[1]])?;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONT}\" font-size=\"14\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let words = |x: f64, y: f64, rest: &str, text: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {rest}>{text}</text>\n")
    };
    let middle = (FIELD[0] + FIELD[2]) / 2.0;
    svg += &words(20.0, 30.0, "font-size=\"18\" font-weight=\"bold\"", title);
    svg += &words(middle, HEIGHT - 16.0, "text-anchor=\"middle\" fill=\"#555\"", below);
    svg += &words(20.0, 50.0, "fill=\"#555\"", unit);
    for tick in across.ticks(forms[0].steps()) {
        let (x, [_, top, _, bottom]) = (across.place(tick), FIELD);
        let _ = writeln!(svg, "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        svg += &words(x, bottom + 20.0, "text-anchor=\"middle\"", &forms[0].name(tick));
    }
    for tick in up.ticks(forms[1].steps()) {
        let (y, [left, _, right, _]) = (up.place(tick), FIELD);
        let _ = writeln!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>");
        svg += &words(left - 8.0, y + 5.0, "text-anchor=\"end\"", &forms[1].name(tick));
    }
    let mut names = Vec::new();
    for Marks { name, colour, points, predicted } in marks {
        let places = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().map(|(x, y)| (across.place(*x), up.place(*y))).collect()
        };
        let line = |dots: &[(f64, f64)]| {
            let path: Vec<String> = dots.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            format!("M{}", path.join("L"))
        };
        let (dots, hollow) = (places(points), places(predicted));
        if dots.len() > 1 {
            let path = line(&dots);
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>"
            );
        }
        // From the last that was measured on.
        let dashed: Vec<(f64, f64)> = dots.last().into_iter().chain(&hollow).copied().collect();
        if !hollow.is_empty() && dashed.len() > 1 {
            let path = line(&dashed);
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
                 stroke-dasharray=\"7 5\"/>"
            );
        }
        for (x, y) in &dots {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>");
        }
        for (x, y) in &hollow {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"white\" \
                 stroke=\"{colour}\" stroke-width=\"1.5\"/>"
            );
        }
        names.extend(dashed.last().map(|&(x, y)| (y, x, name, colour)));
    }
    // From the top down, none on another; a thin line leads to where it belongs.
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted: Vec<f64> = names.iter().map(|name| name.0).collect();
    for ((y, x, name, colour), at) in names.iter().zip(spaced(&wanted)) {
        let left = FIELD[2] + 24.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {y:.1}L{:.1} {at:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.4\"/>",
            x + 6.0,
            left - 4.0
        );
        svg += &words(left, at + 5.0, &format!("fill=\"{colour}\""), name);
    }
    Some(svg + "</svg>\n")
}

/// Heights near `wanted`, which ascend: a line apart, and within the picture.
fn spaced(wanted: &[f64]) -> Vec<f64> {
    let mut places: Vec<f64> = Vec::new();
    for &want in wanted {
        places.push(places.last().map_or(want, |last| want.max(last + LINE)));
    }
    // What was pushed out at the bottom moves up again, and pushes those above.
    let mut most = HEIGHT - 40.0;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - LINE;
    }
    places
}

/// A logarithmic axis from one place to another.
struct Axis {
    logs: [f64; 2],
    places: [f64; 2],
}

impl Axis {
    /// As far as the numbers go, and a little more. Nothing without numbers.
    fn new(numbers: impl Iterator<Item = f64>, places: [f64; 2]) -> Option<Axis> {
        let logs: Vec<f64> = numbers.map(f64::ln).filter(|number| number.is_finite()).collect();
        let least = logs.iter().copied().reduce(f64::min)?;
        let most = logs.iter().copied().reduce(f64::max)?;
        Some(Axis { logs: [least - 0.2, most + 0.2], places })
    }

    fn place(&self, number: f64) -> f64 {
        let ([least, most], [from, to]) = (self.logs, self.places);
        from + (to - from) * (number.ln() - least) / (most - least)
    }

    /// The powers of ten, times each of the steps.
    fn ticks(&self, steps: &[f64]) -> Vec<f64> {
        let [least, most] = self.logs.map(f64::exp);
        let powers = (-9..18).flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
        powers.filter(|tick| (least..=most).contains(tick)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_lie_on_each_other() {
        let places = spaced(&[100.0, 101.0, 102.0, 490.0, 495.0]);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 1e-9), "{places:?}");
        assert!(places[0] == 100.0 && places[4] <= HEIGHT - 40.0, "{places:?}");
    }

    #[test]
    fn a_picture_names_who_is_in_it() {
        let row = |items, contender, way, ns| Row {
            section: "table",
            keys: "u64",
            items,
            rate: 0.01,
            work: "hit",
            way,
            threads: 1,
            contender,
            ns,
            ..Row::default()
        };
        let rows = [
            row(100_000, REFERENCE, "single", 3.0),
            row(1_000_000, REFERENCE, "single", 4.0),
            row(100_000, FOLDED, "single", 30.0),
        ];
        let pictures = all(&rows);
        assert_eq!(pictures.len(), 1, "nothing of misses or of bits was measured");
        let (name, svg) = &pictures[0];
        assert_eq!(*name, "bench-hit.svg");
        for text in ["anther blocked, single", FOLDED, "10^5", "10^6", "one thread"] {
            assert!(svg.contains(&format!("{text}<")), "{text}");
        }
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
