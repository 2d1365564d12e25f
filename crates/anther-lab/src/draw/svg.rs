//! The scene as SVG: cells as boxes, the key above them, and arrows from it to its cells.
//!
//! Everything has a frame, a hatch or a mark beside its colour, so that a picture printed in black
//! and white says the same. Letters are 20 dots high at a width of 960: on a slide that is large,
//! and on a phone it can be read.

mod letters;

use super::scene::{Cell, FOLD, Row, Scene, Step, Together};
use crate::lettering::{COLOURS, FONT};
use letters::{BOLDER, escaped, rgb, shortened, whole, width, wrapped};
use std::fmt::Write;

const WIDTH: f64 = 960.0;
/// At two dots a unit this is just below the 64 million dots that a PNG may have.
const HIGHEST_PNG: f64 = 16_000.0;
const MARGIN: f64 = 30.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;
const FONT_SIZE: f64 = 20.0;
const TITLE_SIZE: f64 = 28.0;
const LINE: f64 = 28.0;
/// Numbers of cells.
const SMALL: f64 = 17.0;
/// A cell of a row that fits in one line.
const LARGEST_CELL: f64 = 90.0;
const HIGH: f64 = 44.0;
/// A cell of a row that does not.
const SMALL_HIGH: f64 = 32.0;
const GROUP_GAP: f64 = 12.0;
/// Between the middles of keys that are shown together: twelve letters and a frame.
const KEY_ROOM: f64 = 190.0;
/// More hash functions than these have arrows without names.
const MOST_NAMED: usize = 4;
/// A row of more cells has its numbers at the beginning of lines.
const MOST_NUMBERED: usize = 30;

const BLUE: [u8; 3] = COLOURS[0];
const GREEN: [u8; 3] = COLOURS[4];
const RED: [u8; 3] = COLOURS[5];
const TAKEN: &str = "#cfe3f1";
const GREY: &str = "#6b6b6b";

/// A scene as SVG.
pub fn svg(scene: &Scene) -> String {
    drawn(scene).finish()
}

/// A scene on paper, not yet as text.
pub fn drawn(scene: &Scene) -> Paper {
    let mut paper = Paper { y: MARGIN + TITLE_SIZE, ..Paper::default() };
    for line in wrapped(&scene.title, TITLE_SIZE * BOLDER, INNER) {
        paper.text(MARGIN, paper.y, TITLE_SIZE, "start", "font-weight='bold'", &line);
        paper.y += 36.0;
    }
    for line in wrapped(&scene.about, FONT_SIZE, INNER) {
        paper.text(MARGIN, paper.y, FONT_SIZE, "start", "", &line);
        paper.y += LINE;
    }
    for step in &scene.steps {
        paper.step(step);
    }
    paper.legend(scene);
    paper
}

/// What is drawn so far.
#[derive(Default)]
pub struct Paper {
    body: String,
    /// How far down it goes.
    y: f64,
    #[cfg(test)]
    texts: Vec<[f64; 4]>,
}

/// Where the cells of a row go.
struct Grid {
    cell: f64,
    high: f64,
    left: f64,
    size: f64,
    /// Whether every cell has its number above it.
    numbered: bool,
    most: usize,
}

impl Grid {
    fn of(row: &Row) -> Grid {
        let least = width(&"0".repeat(row.wide), FONT_SIZE);
        let longest =
            row.cells.iter().map(|cell| width(&cell.text, FONT_SIZE)).fold(least, f64::max);
        let last = (row.first + row.cells.len() as u64).to_string();
        let numbered = row.cells.len() <= MOST_NUMBERED;
        if numbered {
            let gaps = row.groups.len() as f64 * GROUP_GAP;
            let least = (longest * BOLDER).max(width(&last, SMALL)) + 6.0;
            let room = (INNER - gaps) / row.cells.len().max(1) as f64;
            if least <= room {
                let cell = room.min(LARGEST_CELL.max(least));
                let most = row.cells.len();
                return Grid { cell, high: HIGH, left: MARGIN, size: FONT_SIZE, numbered, most };
            }
        }
        let left = MARGIN + width(&last, SMALL) + 14.0;
        let room = WIDTH - MARGIN - left;
        let cell = (longest * BOLDER + 10.0).max(25.0);
        // As if each group had the size of the first.
        let per_group = row.group().max(1) as f64 * cell + GROUP_GAP;
        let groups = (room / per_group).floor();
        let most = match groups >= 1.0 && !row.groups.is_empty() {
            true => whole(groups) * row.group().max(1),
            false => whole((room - GROUP_GAP) / cell),
        };
        Grid { cell, high: SMALL_HIGH, left, size: FONT_SIZE, numbered: false, most: most.max(1) }
    }

    /// The left edge of the cell at this place of a line that begins elsewhere.
    fn x(&self, row: &Row, from: usize, at: usize) -> f64 {
        let gaps = (from + 1..=at).filter(|at| row.begins_group(*at)).count();
        self.left + (at - from) as f64 * self.cell + gaps as f64 * GROUP_GAP
    }
}

impl Paper {
    fn text(&mut self, x: f64, y: f64, size: f64, anchor: &str, more: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text x='{x:.1}' y='{y:.1}' font-size='{size}' text-anchor='{anchor}' {more}>{}</text>",
            escaped(text)
        );
        #[cfg(test)]
        {
            let wide = width(text, size);
            let left = match anchor {
                "middle" => x - wide / 2.0,
                "end" => x - wide,
                _ => x,
            };
            self.texts.push([left, y - 0.75 * size, left + wide, y + 0.05 * size]);
        }
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}' stroke='{}' stroke-width='2'/>",
            from.0,
            from.1,
            to.0,
            to.1,
            rgb(BLUE)
        );
    }

    /// The head of an arrow that points down to here.
    fn head(&mut self, x: f64, y: f64) {
        let _ = writeln!(
            self.body,
            "<path d='M{:.1} {:.1}h12l-6 9z' fill='{}'/>",
            x - 6.0,
            y - 9.0,
            rgb(BLUE)
        );
    }

    fn step(&mut self, step: &Step) {
        self.y += 22.0;
        let _ = writeln!(
            self.body,
            "<line x1='{MARGIN}' y1='{0:.1}' x2='{1}' y2='{0:.1}' stroke='#c8c8c8'/>",
            self.y,
            WIDTH - MARGIN
        );
        self.y += 30.0;
        let title_size = 22.0;
        let verdict = step.verdict().unwrap_or_default();
        let verdict_wide = width(verdict, title_size * BOLDER);
        if !verdict.is_empty() {
            let colour = if step.wrong.is_some() { RED } else { [0, 0, 0] };
            let style = format!("font-weight='bold' fill='{}'", rgb(colour));
            self.text(WIDTH - MARGIN, self.y, title_size, "end", &style, verdict);
        }
        for line in wrapped(&step.title, title_size * BOLDER, INNER - verdict_wide - 20.0) {
            self.text(MARGIN, self.y, title_size, "start", "font-weight='bold'", &line);
            self.y += LINE;
        }
        for line in wrapped(&step.note, FONT_SIZE, INNER) {
            self.text(MARGIN, self.y, FONT_SIZE, "start", "", &line);
            self.y += LINE;
        }
        self.y -= 16.0;
        for (at, row) in step.rows.iter().enumerate() {
            self.row(step, at, row, step.folds());
        }
    }

    fn row(&mut self, step: &Step, number: usize, row: &Row, fold: bool) {
        if step.rows.len() > 1 || row.name != "bits" {
            self.y += 26.0;
            self.text(MARGIN, self.y, FONT_SIZE, "start", &format!("fill='{GREY}'"), &row.name);
        }
        let grid = Grid::of(row);
        let lines = row.lines(grid.most);
        self.y += 8.0;
        if lines.len() == 1 {
            self.arrows(step, number, row, &grid);
            self.arrows_down(step, row, &grid);
        }
        let marked =
            |(from, to): &(usize, usize)| row.cells[*from..*to].iter().any(Cell::stands_out);
        let mut at = 0;
        while at < lines.len() {
            let quiet = lines[at..].iter().take_while(|line| !marked(line)).count();
            if fold && quiet >= FOLD {
                self.y += 24.0;
                let words = format!("… {}", row.left_out(&lines[at..at + quiet]));
                self.text(grid.left, self.y, SMALL, "start", &format!("fill='{GREY}'"), &words);
                self.y += 10.0;
                at += quiet;
                continue;
            }
            self.cells(row, lines[at], &grid);
            at += 1;
        }
        if lines.len() == 1 {
            self.arrows_up(step, row, &grid);
        }
    }

    /// From each key that was inserted down to its cells, where a step has several keys.
    fn arrows_down(&mut self, step: &Step, row: &Row, grid: &Grid) {
        let keys: Vec<&Together> = step.together.iter().filter(|key| key.inserted).collect();
        if keys.is_empty() {
            return;
        }
        let (top, end) = (self.y + 4.0, self.y + 128.0);
        for (at, key, x) in placed(&keys, row, grid) {
            for cell in middles(key, row, grid) {
                self.coloured_line((x, top + 34.0), (cell, end - 9.0), at);
                self.pointer((cell, end), 1.0, at);
            }
            self.bubble(x, top, at, &key.key);
        }
        self.y = end - 2.0;
    }

    /// From each key that was looked up, below the cells, up to them.
    fn arrows_up(&mut self, step: &Step, row: &Row, grid: &Grid) {
        let keys: Vec<&Together> = step.together.iter().filter(|key| !key.inserted).collect();
        if keys.is_empty() {
            return;
        }
        let first = step.together.len() - keys.len();
        let (end, top) = (self.y + 3.0, self.y + 90.0);
        for (at, key, x) in placed(&keys, row, grid) {
            for cell in middles(key, row, grid) {
                self.coloured_line((x, top), (cell, end + 9.0), first + at);
                self.pointer((cell, end), -1.0, first + at);
            }
            self.bubble(x, top, first + at, &key.key);
        }
        self.y = top + 34.0;
    }

    fn bubble(&mut self, x: f64, top: f64, at: usize, key: &str) {
        let key = shortened(key, 12);
        let wide = width(&key, FONT_SIZE) + 28.0;
        let _ = writeln!(
            self.body,
            "<rect x='{:.1}' y='{top:.1}' width='{wide:.1}' height='34' rx='17' fill='white' \
             stroke='{}' stroke-width='2'/>",
            x - wide / 2.0,
            rgb(COLOURS[at % COLOURS.len()])
        );
        self.text(x, top + 24.0, FONT_SIZE, "middle", "", &key);
    }

    fn coloured_line(&mut self, from: (f64, f64), to: (f64, f64), at: usize) {
        let _ = writeln!(
            self.body,
            "<line x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}' stroke='{}' stroke-width='2'/>",
            from.0,
            from.1,
            to.0,
            to.1,
            rgb(COLOURS[at % COLOURS.len()])
        );
    }

    /// The head of an arrow at a place: down where the direction is 1, and up where it is -1.
    fn pointer(&mut self, (x, y): (f64, f64), direction: f64, at: usize) {
        let _ = writeln!(
            self.body,
            "<path d='M{:.1} {:.1}h12l-6 {:.0}z' fill='{}'/>",
            x - 6.0,
            y - 9.0 * direction,
            9.0 * direction,
            rgb(COLOURS[at % COLOURS.len()])
        );
    }

    /// From the key down to its cells: an arrow for each hash function, or for each bucket.
    fn arrows(&mut self, step: &Step, number: usize, row: &Row, grid: &Grid) {
        let (Some(key), heads) = (&step.key, heads(step, number, row, grid)) else { return };
        if heads.is_empty() {
            return;
        }
        let key = shortened(key, 30);
        let wide = width(&key, FONT_SIZE) + 28.0;
        // Above the middle of its cells, but on the paper.
        let middle = heads.iter().map(|head| head.x).sum::<f64>() / heads.len() as f64;
        let x = middle.clamp(MARGIN + wide / 2.0, WIDTH - MARGIN - wide / 2.0);
        let top = self.y + 4.0;
        let _ = writeln!(
            self.body,
            "<rect x='{:.1}' y='{top:.1}' width='{wide:.1}' height='34' rx='17' fill='white' \
             stroke='{}' stroke-width='2'/>",
            x - wide / 2.0,
            rgb(BLUE)
        );
        self.text(x, top + 24.0, FONT_SIZE, "middle", "", &key);
        let named = heads.iter().all(|head| {
            let room = grid.cell.max(head.wide) + 2.0;
            !head.name.is_empty() && width(&head.name, SMALL) <= room
        });
        let end = top + 84.0;
        for head in &heads {
            self.line((x, top + 34.0), (head.x, end - 10.0));
            if named {
                self.text(head.x, end + 8.0, SMALL, "middle", "", &head.name);
            }
            self.head(head.x, end + if named { 24.0 } else { 0.0 });
        }
        self.y = end + if named { 22.0 } else { -2.0 };
    }

    fn cells(&mut self, row: &Row, (from, to): (usize, usize), grid: &Grid) {
        let grey = format!("fill='{GREY}'");
        self.y += if grid.numbered { 22.0 } else { 8.0 };
        if !grid.numbered && to > from {
            let number = row.number(from).to_string();
            self.text(grid.left - 10.0, self.y + grid.high - 10.0, SMALL, "end", &grey, &number);
        }
        for at in from..to {
            let (x, cell) = (grid.x(row, from, at), &row.cells[at]);
            if grid.numbered && (row.buckets.is_none() || at == from || row.begins_group(at)) {
                let number = row.number(at).to_string();
                self.text(x + grid.cell / 2.0, self.y - 4.0, SMALL, "middle", &grey, &number);
            }
            self.cell(x, self.y, (grid.cell, grid.high), grid.size, cell);
        }
        self.y += grid.high;
    }

    fn cell(&mut self, x: f64, y: f64, (wide, high): (f64, f64), size: f64, cell: &Cell) {
        let fill = if cell.taken { TAKEN } else { "white" };
        let boxed = |inset: f64, more: &str| {
            format!(
                "<rect x='{:.1}' y='{:.1}' width='{:.1}' height='{:.1}' {more}/>\n",
                x + inset,
                y + inset,
                wide - 2.0 * inset,
                high - 2.0 * inset
            )
        };
        self.body += &boxed(0.0, &format!("fill='{fill}' stroke='#555'"));
        if cell.changed {
            self.body += &boxed(1.0, "fill='url(#changed)'");
        }
        if cell.touched {
            let (colour, dashes) = match cell.missing {
                true => (RED, " stroke-dasharray='7 4'"),
                false => (BLUE, ""),
            };
            let frame = format!("fill='none' stroke='{}' stroke-width='4'{dashes}", rgb(colour));
            self.body += &boxed(2.0, &frame);
            if cell.found {
                self.body +=
                    &boxed(6.0, &format!("fill='none' stroke='{}' stroke-width='3'", rgb(GREEN)));
            }
        }
        if cell.shared {
            let _ = writeln!(
                self.body,
                "<path d='M{:.1} {y:.1}h-16l16 16z' fill='{}'/>",
                x + wide,
                rgb(GREEN)
            );
        }
        if !cell.text.is_empty() {
            let style = match (cell.taken || cell.missing, cell.changed) {
                (true, true) => "font-weight='bold'",
                (true, false) => "",
                (false, _) => "fill='#6b6b6b'",
            };
            self.text(
                x + wide / 2.0,
                y + high / 2.0 + 0.36 * size,
                size,
                "middle",
                style,
                &cell.text,
            );
        }
    }

    /// What frames and marks mean that occur.
    fn legend(&mut self, scene: &Scene) {
        let cells = || scene.steps.iter().flat_map(|step| &step.rows).flat_map(|row| &row.cells);
        let cell = |change: fn(&mut Cell)| {
            let mut cell = Cell::default();
            change(&mut cell);
            cell
        };
        let known: [(bool, Cell, &str); 6] = [
            (cells().any(|c| c.taken), cell(|c| c.taken = true), "taken"),
            (cells().any(|c| c.touched), cell(|c| c.touched = true), "a cell of the key"),
            (cells().any(|c| c.changed), cell(|c| c.changed = true), "changed in this step"),
            (cells().any(|c| c.shared), cell(|c| c.shared = true), "of several keys"),
            (
                cells().any(|c| c.missing),
                cell(|c| (c.touched, c.missing) = (true, true)),
                "the reason for a no",
            ),
            (
                cells().any(|c| c.found),
                cell(|c| (c.taken, c.touched, c.found) = (true, true, true)),
                "its tag",
            ),
        ];
        self.y += 40.0;
        let (mut x, size, square) = (MARGIN, FONT_SIZE, 28.0);
        for (_, sample, means) in known.into_iter().filter(|(occurs, ..)| *occurs) {
            let wide = square + 10.0 + width(means, size) + 28.0;
            if x > MARGIN && x + wide > WIDTH - MARGIN + 28.0 {
                (x, self.y) = (MARGIN, self.y + square + 12.0);
            }
            self.cell(x, self.y, (square, square), size, &sample);
            self.text(x + square + 10.0, self.y + 21.0, size, "start", "", means);
            x += wide;
        }
        self.y += square;
    }

    /// How high it is.
    fn high(&self) -> f64 {
        (self.y + MARGIN).ceil()
    }

    /// Whether it is not too high to be painted.
    pub fn fits_png(&self) -> bool {
        self.high() <= HIGHEST_PNG
    }

    /// The whole picture.
    pub fn finish(self) -> String {
        let high = self.high();
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{high}' \
             viewBox='0 0 {WIDTH} {high}' font-family='{FONT}, sans-serif'>\n\
             <defs><pattern id='changed' width='9' height='9' patternUnits='userSpaceOnUse' \
             patternTransform='rotate(45)'><rect width='3' height='9' fill='{}' \
             fill-opacity='0.55'/></pattern></defs>\n\
             <rect width='{WIDTH}' height='{high}' fill='white'/>\n{}</svg>\n",
            rgb(COLOURS[1]),
            self.body
        )
    }
}

/// Keys side by side, each with its number and the middle of its place: in the order of their
/// cells, so that few arrows cross, and each as near to the middle of its cells as there is room.
fn placed<'a>(keys: &[&'a Together], row: &Row, grid: &Grid) -> Vec<(usize, &'a Together, f64)> {
    let middle = |key: &Together| {
        let cells = middles(key, row, grid);
        cells.iter().sum::<f64>() / cells.len().max(1) as f64
    };
    let mut placed: Vec<_> =
        keys.iter().enumerate().map(|(at, key)| (at, *key, middle(key))).collect();
    placed.sort_by(|a, b| a.2.total_cmp(&b.2));
    let room = (INNER / keys.len().max(1) as f64).min(KEY_ROOM);
    let mut least = MARGIN + room / 2.0;
    for (_, _, x) in &mut placed {
        *x = x.max(least);
        least = *x + room;
    }
    let mut most = WIDTH - MARGIN - room / 2.0;
    for (_, _, x) in placed.iter_mut().rev() {
        *x = x.min(most);
        most = *x - room;
    }
    placed
}

/// The middles of a key's cells.
fn middles(key: &Together, row: &Row, grid: &Grid) -> Vec<f64> {
    let cells = key.cells.iter().filter_map(|cell| cell.checked_sub(row.first));
    let cells = cells.filter_map(|cell| usize::try_from(cell).ok());
    let cells = cells.filter(|cell| *cell < row.cells.len());
    cells.map(|cell| grid.x(row, 0, cell) + grid.cell / 2.0).collect()
}

/// Where an arrow points.
struct Head {
    x: f64,
    /// What it points to, where that is more than a cell.
    wide: f64,
    name: String,
}

fn heads(step: &Step, number: usize, row: &Row, grid: &Grid) -> Vec<Head> {
    let mut functions: Vec<usize> = step.touches.iter().filter_map(|touch| touch.hash).collect();
    functions.sort_unstable();
    functions.dedup();
    // The cells of each function, and then the functions of each place.
    let mut places: Vec<((usize, usize), Vec<usize>)> = Vec::new();
    for function in &functions {
        let here = step.touches.iter().filter(|touch| {
            touch.row == number && touch.hash == Some(*function) && touch.cell >= row.first
        });
        let cells = here.filter_map(|touch| usize::try_from(touch.cell - row.first).ok());
        let cells: Vec<usize> = cells.filter(|cell| *cell < row.cells.len()).collect();
        let (Some(from), Some(to)) = (cells.iter().min(), cells.iter().max()) else { continue };
        match places.iter_mut().find(|(place, _)| *place == (*from, *to)) {
            Some((_, functions)) => functions.push(*function),
            None => places.push(((*from, *to), vec![*function])),
        }
    }
    let name = |which: &[usize]| {
        let names: Vec<String> = which.iter().map(|number| format!("h{number}")).collect();
        names.join(",")
    };
    let few = functions.len() <= MOST_NAMED;
    let head = |((from, to), which): ((usize, usize), Vec<usize>)| {
        let (left, right) = (grid.x(row, 0, from), grid.x(row, 0, to) + grid.cell);
        let name = if few { name(&which) } else { String::new() };
        Head { x: (left + right) / 2.0, wide: right - left, name }
    };
    places.into_iter().map(head).collect()
}

#[cfg(test)]
mod tests;
