//! `figure`: every figure and table of the seeds and of the papers behind them, measured anew.
//!
//! A figure is a line in [`list`] and a function that measures. What it says is measured was
//! measured in this run; what it computes is called predicted.

mod drawings;
mod list;
mod papers;
mod sample;
mod seed_000;
mod seed_001;
mod seed_002;
mod seed_003;
mod seed_004;
mod tally;
mod timing;
mod weigh;

use crate::chart::Chart;
use crate::cmd::draw;
use crate::cmd::draw::scene::Scene;
use crate::describe::whole;
use crate::exit::{Exit, Outcome, Stop};
use crate::output::{Out, wrapped};
use crate::picture::Pen;
use crate::progress::Progress;
use crate::table::Table;
use crate::{file, image};
use list::{FIGURES, Figure};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ABOUT: &str = "\
Makes the figures and tables of the five introductions to Bloom filters that this
project began from, and of the papers behind them: measured anew, with what was
predicted beside it. Without names it lists them; docs/seeds.md shows them.

Examples:
  anther figure                                      what there is
  anther figure floom-12-1                           printed, and drawn on the terminal
  anther figure floom-12-1 --out figures             also as SVG, PNG and CSV
  anther figure --all --out figures                  all of them, in a few minutes
  anther figure --all --full --out figures           with the whole range of the slides

Rates come from fixed seeds: a rerun gives the same. Times and memory are this machine's.
Each measured rate is held against its prediction: it must lie within what chance allows,
six standard deviations of the binomial and of filters among each other. Where a claim
allows more, it says how much.";

/// What the numbers of the texts are.
const SOURCES: &str = "\
000 Peyer, Obrist: Bloom-Filter (2019), German
001 Jambura, Pürstinger, Schnappauf, Thiele: Bloom Filter (2026), German
002 Slides with mice and bottles, after Broder and Mitzenmacher, Chinese
003 Gogos: Bloom Filters, lecture slides (2014), Greek
004 TU Bergakademie Freiberg: Bloom-Filter, slides, German";

const EXIT_CODES: &str = "Exit codes: 0 made, and every claim held; 1 some did not; 2 error.";

/// Make the figures of five texts and their papers, measured
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Which figures; see the list
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Every figure
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Folder for SVG, PNG and CSV; it is made where it is missing
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The whole range of the slides, which takes longer
    #[arg(long)]
    full: bool,
    /// Replace files of an earlier run
    #[arg(short, long, requires = "out")]
    force: bool,
    /// Say less: only what failed
    #[arg(short, long)]
    quiet: bool,
    /// One JSON object a figure
    #[arg(long)]
    json: bool,
    /// Measure the memory of a structure with so many keys of a sort
    #[arg(long, value_names = ["STRUCTURE", "KEYS", "ITEMS"], num_args = 3, hide = true)]
    weigh: Option<Vec<String>>,
}

/// How wide notes are at most.
const WIDTH: usize = 100;

/// How much is to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// The whole range.
    pub full: bool,
    progress: &'a Progress,
}

impl Effort<'_> {
    /// The smaller number, or the larger one for the whole range.
    fn choose<T>(&self, short: T, full: T) -> T {
        if self.full { full } else { short }
    }

    /// So many of so many parts of the figure are done.
    fn tell(&self, done: usize, all: usize) {
        self.progress.tell(done as u64, all as u64);
    }
}

/// What a figure came to.
#[derive(Debug, Default)]
pub struct Made {
    table: Table,
    /// What is drawn beside the table; each with the end of its file's name, or none.
    pictures: Vec<(&'static str, Picture)>,
    claims: Vec<Claim>,
    /// What a reader should know, below the table.
    notes: Vec<String>,
}

/// Something to look at.
#[derive(Debug)]
pub enum Picture {
    Chart(Chart),
    /// Cells, step by step.
    Scene(Scene),
    /// A table beside the figure's own, with its title.
    Table(&'static str, Table),
}

impl Picture {
    fn svg(&self) -> Result<String, String> {
        match self {
            Picture::Chart(chart) => chart.svg().map_err(|error| error.to_string()),
            Picture::Scene(scene) => Ok(draw::svg(scene)),
            Picture::Table(title, table) => Ok(table.svg(title)),
        }
    }

    fn text(&self, pen: Pen) -> String {
        match self {
            Picture::Chart(chart) => chart.text(pen),
            Picture::Scene(scene) => draw::text(scene, pen),
            Picture::Table(title, table) => format!("{title}\n{}", table.text()),
        }
    }
}

/// What should hold, and whether it does.
#[derive(Debug, Serialize)]
pub struct Claim {
    claim: String,
    holds: bool,
}

impl Made {
    /// Its pictures, with the ends of their names; the table among them, unless a drawing says all
    /// that it does, or it is too long for a picture.
    fn svgs(&self, title: &str) -> Result<Vec<(&'static str, String)>, String> {
        let drawn = |(ending, picture): &(&'static str, Picture)| Ok((*ending, picture.svg()?));
        let mut svgs = self.pictures.iter().map(drawn).collect::<Result<Vec<_>, String>>()?;
        let is_drawing = self.pictures.iter().any(|(_, it)| matches!(it, Picture::Scene(_)));
        if !is_drawing && self.table.rows.len() <= 40 {
            svgs.push(("table", self.table.svg(title)));
        }
        Ok(svgs)
    }

    fn claim(&mut self, claim: impl Into<String>, holds: bool) {
        self.claims.push(Claim { claim: claim.into(), holds });
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn chart(&mut self, ending: &'static str, chart: Chart) {
        self.pictures.push((ending, Picture::Chart(chart)));
    }
}

/// Numbers of items between two, both included, each larger by the same factor: where a predicted
/// line has its points.
fn grid(from: u64, to: u64) -> impl Iterator<Item = u64> {
    const STEPS: u32 = 60;
    (0..=STEPS).map(move |step| {
        let share = f64::from(step) / f64::from(STEPS);
        whole(from as f64 * (to as f64 / from as f64).powf(share))
    })
}

/// So many places between two, both included, as far apart as each other.
fn places(from: f64, to: f64) -> impl Iterator<Item = f64> {
    const STEPS: u32 = 60;
    (0..=STEPS).map(move |step| from + (to - from) * f64::from(step) / f64::from(STEPS))
}

/// What `--json` prints of one figure.
#[derive(Serialize)]
struct Report<'a> {
    name: &'static str,
    source: &'static str,
    title: &'static str,
    table: &'a Table,
    claims: &'a [Claim],
    notes: &'a [String],
    files: Vec<String>,
    /// Whether times or memory are in it, which are this machine's.
    timed: bool,
    passed: bool,
}

/// What `--json` prints of the list.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    source: &'static str,
    title: &'static str,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if let Some(words) = &self.weigh {
            return weigh::run(words);
        }
        let mut out = Out::stdout();
        if self.names.is_empty() && !self.all {
            if self.full || self.out.is_some() {
                let message = "which figures? Name some, or say --all; anther figure lists them";
                return Err(Stop::Error(message.to_string()));
            }
            self.list(&mut out)?;
            out.finish()?;
            return Ok(Exit::Success);
        }
        let chosen = self.chosen()?;
        if let Some(folder) = &self.out {
            self.check(folder, &chosen)?;
        }
        let mut passed = true;
        for figure in chosen {
            passed &= self.make(&mut out, figure)?;
            out.flush()?;
        }
        out.finish()?;
        Ok(if passed { Exit::Success } else { Exit::Nothing })
    }

    fn list(&self, out: &mut Out) -> Result<(), Stop> {
        let widest = |of: fn(&Figure) -> &'static str| {
            FIGURES.iter().map(|figure| of(figure).chars().count()).max().unwrap_or(0)
        };
        let (wide, from) = (widest(|figure| figure.name), widest(|figure| figure.source));
        for &Figure { name, source, title, .. } in FIGURES {
            if self.json {
                out.json(&Listed { name, source, title })?;
            } else {
                out.line(format_args!("{name:<wide$}  {source:<from$}  {title}"))?;
            }
        }
        if !self.json {
            out.line(format_args!("\n{SOURCES}"))?;
        }
        Ok(())
    }

    fn chosen(&self) -> Result<Vec<&'static Figure>, Stop> {
        if self.all {
            return Ok(FIGURES.iter().collect());
        }
        let find = |name: &String| {
            let found = FIGURES.iter().find(|figure| figure.name == name);
            found.ok_or_else(|| Stop::about(name, "no such figure; anther figure lists them"))
        };
        let mut chosen: Vec<&Figure> = Vec::new();
        for figure in self.names.iter().map(find) {
            let figure = figure?;
            if chosen.iter().all(|other| other.name != figure.name) {
                chosen.push(figure);
            }
        }
        Ok(chosen)
    }

    /// Finds out what cannot be written before anything is measured for it.
    fn check(&self, folder: &Path, chosen: &[&Figure]) -> Result<(), Stop> {
        if folder.exists() && !folder.is_dir() {
            return Err(Stop::about(folder.display(), "a file; --out names a folder"));
        }
        fs::create_dir_all(folder).map_err(|error| {
            Stop::about(folder.display(), format_args!("cannot make that folder: {error}"))
        })?;
        for figure in chosen {
            let path = folder.join(format!("{}.csv", figure.name));
            file::check_folder(&path)?;
            if !self.force && path.exists() {
                return Err(Stop::about(path.display(), "exists already; --force replaces it"));
            }
        }
        Ok(())
    }

    fn make(&self, out: &mut Out, figure: &'static Figure) -> Result<bool, Stop> {
        let started = Instant::now();
        let made = {
            let progress = Progress::figures(figure.name, self.quiet || self.json);
            (figure.make)(&Effort { full: self.full, progress: &progress })?
        };
        let files = match &self.out {
            Some(folder) => self.save(folder, figure, &made)?,
            None => Vec::new(),
        };
        let passed = made.claims.iter().all(|claim| claim.holds);
        if self.json {
            let Figure { name, source, title, .. } = *figure;
            let Made { table, claims, notes, .. } = &made;
            let timed = table.is_of_this_machine();
            out.json(&Report { name, source, title, table, claims, notes, files, timed, passed })?;
            return Ok(passed);
        }
        if !self.quiet {
            out.line(format_args!("{}: {} ({})\n", figure.name, figure.title, figure.source))?;
            out.text(&made.table.text())?;
            if self.out.is_none() {
                for (_, picture) in &made.pictures {
                    out.styled(&format!("\n{}", picture.text(Pen::of_the_terminal())))?;
                }
            }
            for note in &made.notes {
                out.line(format_args!("\n{}", wrapped(note, WIDTH).join("\n")))?;
            }
        }
        for claim in made.claims.iter().filter(|claim| !self.quiet || !claim.holds) {
            let verdict = if claim.holds { "holds" } else { "FAILS" };
            out.line(format_args!("{verdict}: {}", claim.claim))?;
        }
        if !self.quiet {
            let seconds = started.elapsed().as_secs_f64();
            let files =
                if files.is_empty() { String::new() } else { format!(", {}", files.join(" ")) };
            out.line(format_args!("made in {seconds:.1} s{files}\n"))?;
        }
        Ok(passed)
    }

    /// Writes the figure's files, all or, where one exists, none; their names.
    fn save(&self, folder: &Path, figure: &Figure, made: &Made) -> Result<Vec<String>, Stop> {
        let trouble = |error: String| Stop::about(figure.name, error);
        let mut files = vec![(format!("{}.csv", figure.name), made.table.csv().into_bytes())];
        for (ending, svg) in made.svgs(figure.title).map_err(trouble)? {
            let stem = match ending {
                "" => figure.name.to_string(),
                _ => format!("{}-{ending}", figure.name),
            };
            files.push((format!("{stem}.png"), image::png(&svg).map_err(trouble)?));
            files.push((format!("{stem}.svg"), svg.into_bytes()));
        }
        let exists = |(name, _): &&(String, Vec<u8>)| folder.join(name).symlink_metadata().is_ok();
        if let Some((name, _)) = files.iter().find(exists).filter(|_| !self.force) {
            let path = folder.join(name);
            return Err(Stop::about(path.display(), "exists already; --force replaces it"));
        }
        for (name, bytes) in &files {
            file::put(&folder.join(name), bytes, self.force)?;
        }
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }
}
