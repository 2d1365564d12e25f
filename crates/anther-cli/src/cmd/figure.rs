//! `figure`: every figure and table of the five texts and of the papers behind them, measured anew.

use crate::cmd::draw;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::output::{Out, wrapped};
use crate::progress::Progress;
use crate::terminal;
use anther_lab::draw::scene::Scene;
use anther_lab::figure::{self, Claim, Effort, FIGURES, Figure, Made, Program};
use anther_lab::table::Table;
use anther_lab::{Error, texts};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const ABOUT: &str = "\
Measures the figures and tables of five introductory texts on Bloom filters, and of the
papers behind them, and compares them with the predictions.

Examples:
  anther figure                                      list them
  anther figure floom-12-1                           print one, and draw it on the terminal
  anther figure floom-12-1 --out figures             write it as SVG and CSV
  anther figure --all --out figures                  all, in a few minutes
  anther figure --all --full --out figures           with the full range of the slides

docs/texts.md shows all of them. False-positive rates come from fixed seeds, so a rerun
gives the same numbers. Times and memory are those of this machine. A rerun replaces the
files that an earlier run wrote.

Each measured rate must be within six standard deviations of its prediction, of the
binomial and between filters. A claim that allows more says how much.

With --out, pictures are also written as PNG if the program was built with it.";

const EXIT_CODES: &str = "Exit codes: 0 every claim held; 1 some did not; 2 error.";

/// Measure the figures of five texts and their papers
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Figures to make [default: list them]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Make every figure
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Folder for SVG, PNG and CSV; made if it does not exist
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Measure the full range of the slides, which takes longer
    #[arg(long)]
    full: bool,
    /// Replace files that anther figure did not write
    #[arg(long, requires = "out")]
    force: bool,
    /// Print only claims that failed
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object per figure
    #[arg(long)]
    json: bool,
    /// Measure the memory of a data structure with a number of keys of one type
    #[arg(long, value_names = ["STRUCTURE", "KEYS", "ITEMS"], num_args = 3, hide = true)]
    weigh: Option<Vec<String>>,
}

/// The width of notes.
const WIDTH: usize = 100;

/// What `--json` prints of one figure.
#[derive(Serialize)]
struct FigureJson<'a> {
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
struct FigureListJson {
    name: &'static str,
    source: &'static str,
    title: &'static str,
}

/// The program while it makes a figure.
struct Running(Progress);

impl Program for Running {
    fn progress(&self, done: u64, all: u64) {
        self.0.tell(done, all);
    }

    fn draw(&self, options: &str) -> Result<Scene, Error> {
        draw::scene_of(options).map_err(|stop| match stop {
            Stop::Error(message) => Error::about("draw", message),
            Stop::BrokenPipe => Error::about("draw", "nobody reads it"),
        })
    }
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if let Some(words) = &self.weigh {
            let weight = figure::weigh(words)?;
            let mut out = Out::stdout();
            out.json(&weight)?;
            out.finish()?;
            return Ok(Exit::Success);
        }
        let mut out = Out::stdout();
        if self.names.is_empty() && !self.all {
            if self.full || self.out.is_some() {
                let message =
                    "no figures named; name some, or use --all; list them with: anther figure";
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
                out.json(&FigureListJson { name, source, title })?;
            } else {
                out.line(format_args!("{name:<wide$}  {source:<from$}  {title}"))?;
            }
        }
        if !self.json {
            out.line(format_args!("\n{}", texts::list()))?;
        }
        Ok(())
    }

    fn chosen(&self) -> Result<Vec<&'static Figure>, Stop> {
        if self.all {
            return Ok(FIGURES.iter().collect());
        }
        let find = |name: &String| {
            let found = FIGURES.iter().find(|figure| figure.name == name);
            found.ok_or_else(|| Stop::about(name, "no such figure; list them with: anther figure"))
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

    /// Checks that the files can be written, before anything is measured.
    fn check(&self, folder: &Path, chosen: &[&Figure]) -> Result<(), Stop> {
        if folder.exists() && !folder.is_dir() {
            return Err(Stop::about(folder.display(), "is a file; --out needs a folder"));
        }
        fs::create_dir_all(folder).map_err(|error| {
            Stop::about(folder.display(), format_args!("cannot make this folder: {error}"))
        })?;
        for figure in chosen {
            let path = folder.join(format!("{}.csv", figure.name));
            filter_file::check_folder(&path)?;
            if !self.force && path.exists() && !was_made_in(folder, figure) {
                return Err(foreign(&path));
            }
        }
        Ok(())
    }

    fn make(&self, out: &mut Out, figure: &'static Figure) -> Result<bool, Stop> {
        let started = Instant::now();
        let made = {
            let progress = Progress::figures(figure.name, self.quiet || self.json);
            (figure.make)(&Effort { full: self.full, program: &Running(progress) })?
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
            out.json(&FigureJson {
                name,
                source,
                title,
                table,
                claims,
                notes,
                files,
                timed,
                passed,
            })?;
            return Ok(passed);
        }
        if !self.quiet {
            out.line(format_args!("{}: {} ({})\n", figure.name, figure.title, figure.source))?;
            out.text(&made.table.text())?;
            if self.out.is_none() {
                for (_, picture) in &made.pictures {
                    out.styled(&format!("\n{}", picture.text(terminal::page())))?;
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

    /// Writes the figure's files, all of them, or none where one exists that the figure did not
    /// write; their names.
    fn save(&self, folder: &Path, figure: &Figure, made: &Made) -> Result<Vec<String>, Stop> {
        let mut files = vec![(format!("{}.csv", figure.name), made.table.csv().into_bytes())];
        for (ending, svg) in made.svgs(figure.title) {
            let stem = match ending {
                "" => figure.name.to_string(),
                _ => format!("{}-{ending}", figure.name),
            };
            // Before the PNG, which is the figure's own if the SVG beside it is.
            files.push((format!("{stem}.svg"), signed(&svg, figure).into_bytes()));
            #[cfg(feature = "png")]
            {
                let png = anther_lab::png::rendered(&svg);
                let png = png.map_err(|error| Stop::about(figure.name, error))?;
                files.push((format!("{stem}.png"), png));
            }
        }
        let mut replaces = Vec::new();
        for (name, bytes) in &files {
            let path = folder.join(name);
            let exists = path.symlink_metadata().is_ok();
            if !self.force && exists && !is_own(&path, figure, bytes) {
                return Err(foreign(&path));
            }
            replaces.push(self.force || exists);
        }
        for ((name, bytes), replace) in files.iter().zip(replaces) {
            filter_file::put(&folder.join(name), bytes, replace)?;
        }
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }
}

fn foreign(path: &Path) -> Stop {
    let cause = "exists already, and anther figure did not write it; --force replaces it";
    Stop::about(path.display(), cause)
}

/// What a picture ends with, so that the next run knows it for its own and replaces it.
fn signature(figure: &Figure) -> String {
    format!("<!-- made by anther figure {} -->\n</svg>\n", figure.name)
}

fn signed(svg: &str, figure: &Figure) -> String {
    match svg.strip_suffix("</svg>\n") {
        Some(picture) => picture.to_string() + &signature(figure),
        None => svg.to_string(),
    }
}

fn is_signed(path: &Path, figure: &Figure) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.ends_with(signature(figure).as_bytes()))
}

/// Whether some picture in a folder is one of this figure's.
fn was_made_in(folder: &Path, figure: &Figure) -> bool {
    let Ok(files) = fs::read_dir(folder) else { return false };
    files.filter_map(Result::ok).any(|file| {
        let name = file.file_name();
        let name = name.to_string_lossy();
        let stem = name.strip_suffix(".svg").unwrap_or_default();
        stem.starts_with(figure.name) && is_signed(&file.path(), figure)
    })
}

/// Whether a file is what an earlier run wrote in the place of these bytes: a picture with the
/// signature, a PNG beside such a picture, or a table with the same columns.
fn is_own(path: &Path, figure: &Figure, bytes: &[u8]) -> bool {
    let first_line = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let is_alike = |same: &dyn Fn(&[u8]) -> bool| fs::read(path).is_ok_and(|old| same(&old));
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => is_signed(path, figure),
        Some("png") => {
            is_signed(&path.with_extension("svg"), figure)
                && is_alike(&|old| old.starts_with(b"\x89PNG"))
        }
        _ => is_alike(&|old| first_line(old) == first_line(bytes)),
    }
}
