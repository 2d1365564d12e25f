//! `draw`: draws a filter's cells, step by step.

use crate::escaped;
use crate::exit::{Exit, Outcome, Stop};
use crate::kind_args::{self, OptionArgs};
use crate::output::{Out, done};
use crate::picture_file::{self, Form};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::{filter_file, terminal};
use anther::{AnyFilter, Filter, Key, KeyHash, Kind, Open, Seed, units};
use anther_lab::draw::scene::Scene;
use anther_lab::draw::{Act, Audience, Formula, Made, Stored, Worked, drawn, named_number};
use anther_records::extract::Extractor;
use clap::Parser;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::num::IntErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Draws a filter's cells, step by step, on the terminal or as a picture: SVG, or PNG if anther
was installed with --features png.

Examples:
  anther draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12
  anther draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4 --remove 9
  anther draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --remove 9 --kind counting
  anther draw --kind cuckoo --items 12 --insert a,b,c,d --query a,x --remove b -o nest.svg
  anther draw --kind bloomier --insert ant=3,bee=5,cat=1 --query bee,dog
  anther draw small.anther alice bob -o small.svg

Each step inserts, looks up or removes a key. After the removals, the lookups are repeated.

With --bits and --hash it draws a worked example: the hash functions are formulas in x,
each modulo the number of bits, and keys are whole numbers. With --kind it draws a real
filter of that kind, with its own hash; keys are text. With FILE it draws the filter in
that file, and marks the cells of each KEY.

Marks below the cells: ^ a cell of the step's key, * a cell that the step changed, = a
cell that other keys share, ! the reason for a no.";

const EXIT_CODES: &str = "Exit codes: 0 drawn; 2 error.";

/// Draw a filter's cells, step by step
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
#[command(mut_args(|option| match option.get_id().as_str() {
    // They say how keys are read for a file; otherwise keys are taken as they are.
    "null" | "column" | "delimiter" | "hex" | "ignore_case" | "trim" => {
        option.hide_short_help(true).conflicts_with_all(["bits", "kind"])
    }
    // It reads no lists.
    "binary" => option.hide(true).conflicts_with_all(["file", "bits", "kind"]),
    // Requiring FILE is not enough: clap drops a requirement that conflicts with something.
    "key_file" | "cells" => option.conflicts_with_all(["bits", "kind"]),
    _ => option,
}))]
pub struct Args {
    /// A small filter to draw
    #[arg(conflicts_with_all = ["bits", "hash", "kind", "items", "fpr", "insert", "query", "remove", "seed"])]
    file: Option<PathBuf>,
    /// Keys whose cells are marked
    #[arg(value_name = "KEY", requires = "file")]
    keys: Vec<OsString>,
    /// Worked example: number of bits
    #[arg(long, value_name = "N", requires = "hash", value_parser = units::parse_count)]
    #[arg(allow_hyphen_values = true)]
    bits: Option<u64>,
    /// Worked example: hash functions, such as x,2x+3,3x+7
    #[arg(long, value_name = "F", requires = "bits", value_delimiter = ',')]
    #[arg(allow_hyphen_values = true)]
    hash: Vec<Formula>,
    /// Kind of filter; with --bits only classic or counting
    #[arg(long, value_name = "KIND", value_parser = kind_args::kinds(Kind::ALL))]
    #[arg(hide_possible_values = true, long_help = kind_args::describe_kinds())]
    kind: Option<Kind>,
    /// Number of keys that the filter is made for [default: those of --insert]
    #[arg(long, value_name = "N", conflicts_with = "bits", value_parser = units::parse_count)]
    #[arg(allow_hyphen_values = true, requires = "kind")]
    items: Option<u64>,
    /// False-positive rate [default: 10%, for small pictures]
    #[arg(long, value_name = "RATE", conflicts_with = "bits", value_parser = units::parse_rate)]
    #[arg(allow_hyphen_values = true, requires = "kind")]
    fpr: Option<f64>,
    /// Keys to insert, separated by commas
    ///
    /// Whole numbers with --bits, or with names, such as x1=1; key=value for bloomier; else any text.
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    insert: Vec<String>,
    /// Keys to look up
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    query: Vec<String>,
    /// Keys to remove; then the keys of --query are looked up again
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    remove: Vec<String>,
    /// With --bits, add a last step with all keys and their arrows
    #[arg(long, requires = "bits", hide_short_help = true)]
    together: bool,
    /// Draw only the cells A to B-1 of each row of FILE, such as 0..512
    #[arg(long, value_name = "A..B", requires = "file", value_parser = parse_part)]
    cells: Option<Range<u64>>,
    /// Show only these steps, from 1, such as 5,6
    #[arg(long, value_name = "N", value_delimiter = ',', hide_short_help = true)]
    #[arg(value_parser = parse_step)]
    step: Vec<usize>,
    /// Write a picture to FILE.svg (.png: with --features png); repeatable
    #[arg(short, long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Replace the picture if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// Print the steps as one JSON object
    #[arg(long)]
    json: bool,
    /// Seed of the hash, with --kind; another seed gives other cells
    #[arg(long, value_name = "N", conflicts_with = "bits", hide_short_help = true)]
    seed: Option<u64>,
    #[command(flatten)]
    options: OptionArgs,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

fn parse_step(text: &str) -> Result<usize, String> {
    let wrong = "must be numbers of steps from 1, separated by commas, such as 5 or 5,6";
    text.trim().parse().map_err(|_| wrong.to_string())
}

fn parse_part(text: &str) -> Result<Range<u64>, String> {
    let wrong = || "must be a range, such as 0..512".to_string();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let from = if from.is_empty() { 0 } else { from.parse().map_err(|_| wrong())? };
    let to = if to.is_empty() { u64::MAX } else { to.parse().map_err(|_| wrong())? };
    if from < to {
        Ok(from..to)
    } else {
        Err("empty range; the end must be greater than the start".to_string())
    }
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        for (at, path) in self.out.iter().enumerate() {
            Form::of(path)?;
            if self.out[..at].contains(path) {
                return Err(Stop::about(path.display(), "given twice; leave one -o out"));
            }
            if !self.force && path.symlink_metadata().is_ok() {
                return Err(Stop::about(path.display(), "exists already; --force replaces it"));
            }
            filter_file::check_folder(path)?;
        }
        let scene = self.chosen_scene()?;
        if !self.out.is_empty() {
            let picture = drawn(&scene);
            // Checked first: rendering takes minutes, and other files would be written before.
            #[cfg(feature = "png")]
            let png = self.out.iter().find(|path| matches!(Form::of(path), Ok(Form::Png)));
            #[cfg(feature = "png")]
            if let Some(path) = png
                && !picture.fits_png()
            {
                let cause = "too large for a PNG; choose steps with --step, or use .svg";
                return Err(Stop::about(path.display(), cause));
            }
            let picture = picture.finish();
            for path in &self.out {
                picture_file::save(&picture, path, self.force)?;
            }
        }
        if self.json {
            let mut out = Out::stdout();
            out.json(&scene)?;
            out.finish()?;
        } else if self.out.is_empty() {
            print(&scene)?;
        }
        Ok(Exit::Success)
    }

    /// The scene with the chosen steps.
    fn chosen_scene(&self) -> Result<Scene, Stop> {
        let mut scene = self.scene()?;
        self.choose(&mut scene)?;
        Ok(scene)
    }

    /// Keeps only the steps of `--step`, in order: one makes a slide.
    fn choose(&self, scene: &mut Scene) -> Result<(), Stop> {
        let steps = scene.steps.len();
        if let Some(wrong) = self.step.iter().find(|step| !(1..=steps).contains(*step)) {
            let cause = format!("no such step; the steps are 1 to {steps}");
            return Err(Stop::about(format_args!("--step {wrong}"), cause));
        }
        if !self.step.is_empty() {
            let mut at = 0;
            scene.steps.retain(|_| {
                at += 1;
                self.step.contains(&at)
            });
        }
        Ok(())
    }

    fn scene(&self) -> Result<Scene, Stop> {
        if let Some(path) = &self.file {
            if !self.options.said().is_empty() {
                let cause = format!("a file has its own options; leave out{}", self.options.said());
                return Err(Stop::about(path.display(), cause));
            }
            return self.stored(path);
        }
        if let Some(bits) = self.bits {
            return Ok(self.worked(bits)?.scene()?);
        }
        let Some(kind) = self.kind else {
            let message = "nothing to draw; name a filter, or give --bits and --hash, or --kind; \
                           see the examples in anther draw --help";
            return Err(Stop::Error(message.to_string()));
        };
        let made = Made {
            kind,
            options: self.options.options(),
            items: self.items,
            fpr: self.fpr.unwrap_or(0.1),
            seed: Seed::chosen(self.seed.unwrap_or(0)),
            acts: &Act::in_order(&self.insert, &self.query, &self.remove),
            others: None,
            audience: Audience::Program,
            shown: escaped::on_one_line,
        };
        Ok(made.scene()?)
    }

    /// A filter in a file, with the cells of some keys.
    fn stored(&self, path: &Path) -> Result<Scene, Stop> {
        // Drawing the cells alone needs no secret key.
        let how = match self.keys[..] {
            [] => Open::new().without_hashing(),
            _ => self.key.open(path)?,
        };
        let filter = filter_file::open(path, how)?;
        let keys = self.hashed_keys(path, &filter)?;
        let name = escaped::on_one_line(path.as_os_str().as_encoded_bytes());
        let cells = self.cells.as_ref();
        Ok(Stored { name: &name, filter: &filter, keys: &keys, cells }.scene()?)
    }

    /// The keys as they are shown, and their hashes, read as `check` reads them.
    fn hashed_keys(&self, path: &Path, filter: &AnyFilter) -> Result<Vec<(String, KeyHash)>, Stop> {
        let own = filter.about().recipe.as_ref();
        let how = self.recipe.extraction_for(path.display(), own)?;
        let mut taken = Extractor::new(&how);
        let mut keys = Vec::new();
        for argument in &self.keys {
            let bytes = argument.as_encoded_bytes();
            let key = taken
                .argument(bytes)
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            keys.push((escaped::on_one_line(bytes), key.key_hash(filter.seed())));
        }
        Ok(keys)
    }

    fn worked(&self, bits: u64) -> Result<Worked, Stop> {
        let counting = match self.kind {
            None | Some(Kind::Classic) => false,
            Some(Kind::Counting) => true,
            Some(other) => {
                let cause = "not a kind for --bits, which draws classic or counting; leave --bits \
                             and --hash out";
                return Err(Stop::about(other, cause));
            }
        };
        if !self.options.said().is_empty() {
            let message = format!("{}: not for --bits; leave it out", self.options.said().trim());
            return Err(Stop::Error(message));
        }
        let mut names = BTreeMap::new();
        let mut numbers = |option: &str, keys: &[String]| {
            let number = |key: &String| {
                let (name, number) = named_number(key).map_err(|error| {
                    let cause = match error.kind() {
                        IntErrorKind::Empty => {
                            "a key is missing; keys are whole numbers, such as 2,4,9"
                        }
                        IntErrorKind::PosOverflow => "too large; with --bits, keys are below 2^64",
                        _ => "not a whole number; with --bits, keys are numbers such as 2,4,9",
                    };
                    let number = key.split_once('=').map_or(key.as_str(), |(_, number)| number);
                    let number = escaped::on_one_line(number.trim().as_bytes());
                    Stop::about(format_args!("{option} {number}"), cause)
                })?;
                if let Some(name) = name {
                    names.insert(number, escaped::on_one_line(name.as_bytes()));
                }
                Ok(number)
            };
            keys.iter().map(number).collect::<Result<Vec<_>, Stop>>()
        };
        let (inserts, queries, removes) = (
            numbers("--insert", &self.insert)?,
            numbers("--query", &self.query)?,
            numbers("--remove", &self.remove)?,
        );
        Ok(Worked {
            counting,
            bits,
            hashes: self.hash.clone(),
            acts: Act::in_order(&inserts, &queries, &removes),
            names,
            together: self.together,
            audience: Audience::Program,
        })
    }
}

/// The scene for these options, for drawings among the figures.
pub fn scene_of(options: &str) -> Result<Scene, Stop> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Options {
        #[command(flatten)]
        draw: Args,
    }
    let parsed = Options::try_parse_from(options.split_whitespace());
    parsed.map_err(|error| Stop::Error(error.to_string()))?.draw.chosen_scene()
}

fn print(scene: &Scene) -> Result<(), Stop> {
    let text = terminal::page().text(scene);
    let mut out = anstream::stdout();
    done(out.write_all(text.as_bytes()))?;
    done(out.flush())
}
