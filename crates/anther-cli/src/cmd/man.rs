//! `man`: manual pages, from the definition of the command line.

use crate::exit::{Exit, Outcome, Stop};
use crate::interrupt;
use crate::output::{self, Out};
use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::{fs, io, iter, process};

const ABOUT: &str = "\
Prints the manual page of the program, or writes it and a page for each verb to a folder.

Examples:
  anther man | man -l -
  anther man --out ~/.local/share/man/man1
  man anther-build                                  once they are installed";

/// What all verbs have in common.
const INTERRUPTED: &str = "\
A command that is interrupted leaves no partial files. It exits with 128 plus the number of the
signal: 130 after Ctrl-C.";

const EXIT_CODES: &str = "Exit codes: 0 printed or written; 2 error.";

/// Print the manual page, or write all pages to a folder
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Write anther.1 and a page for each verb to this folder
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Replace existing pages
    #[arg(long, requires = "out")]
    force: bool,
    /// Print the page, or the names of the pages, as one JSON object
    #[arg(long, hide_short_help = true)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(untagged)]
enum ManJson {
    Page { page: String },
    Files { folder: String, pages: Vec<String> },
}

/// The name of a group of verbs, and their names.
type Group = (&'static str, &'static [&'static str]);

/// A manual page.
struct ManPage {
    /// Of its file.
    name: String,
    text: String,
}

impl Args {
    /// Runs the verb, on the definition of the command line and the groups of its verbs.
    pub fn run(&self, program: Command, groups: &[Group]) -> Outcome {
        let pages = pages(program, groups)?;
        let mut out = Out::stdout();
        match &self.out {
            None => {
                let page: String = pages.into_iter().take(1).map(|page| page.text).collect();
                match self.json {
                    true => out.json(&ManJson::Page { page })?,
                    false => out.text(&page)?,
                }
            }
            Some(folder) => {
                self.write(folder, &pages)?;
                let pages: Vec<String> = pages.into_iter().map(|page| page.name).collect();
                let folder = folder.display().to_string();
                match self.json {
                    true => out.json(&ManJson::Files { folder, pages })?,
                    false => output::note(&format!("{folder}: {} pages", pages.len())),
                }
            }
        }
        out.finish()?;
        Ok(Exit::Success)
    }

    fn write(&self, folder: &Path, pages: &[ManPage]) -> Result<(), Stop> {
        if folder.exists() && !folder.is_dir() {
            return Err(Stop::about(folder.display(), "is not a folder; name one for the pages"));
        }
        fs::create_dir_all(folder).map_err(|error| {
            Stop::about(folder.display(), format_args!("cannot make the folder: {error}"))
        })?;
        let taken = pages.iter().map(|page| folder.join(&page.name)).find(|path| path.exists());
        if let (Some(path), false) = (taken, self.force) {
            return Err(Stop::about(path.display(), "exists already; --force replaces it"));
        }
        for page in pages {
            let path = folder.join(&page.name);
            write_page(&path, &page.text).map_err(|error| {
                Stop::about(path.display(), format_args!("cannot write: {error}"))
            })?;
        }
        Ok(())
    }
}

/// Writes a page atomically.
fn write_page(path: &Path, text: &str) -> io::Result<()> {
    let _whole = interrupt::not_now();
    let temporary = path.with_extension(format!("{}.tmp", process::id()));
    fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })
}

/// The program's page, and one per verb.
fn pages(mut program: Command, groups: &[Group]) -> Result<Vec<ManPage>, Stop> {
    // Adds the global options to the verbs.
    program.build();
    let program = shown_whole(program);
    let verbs = program.get_subcommands().filter(|verb| !verb.is_hide_set());
    let pages = iter::once(&program).chain(verbs).map(|command| page(command, groups));
    pages.collect::<io::Result<_>>().map_err(|error| Stop::about("manual pages", error))
}

/// Shows the options that `-h` hides: the generator would hide them, too. It cannot print tables,
/// so a table of possible values becomes a list.
fn shown_whole(command: Command) -> Command {
    let whole = |option: Arg| {
        let option = option.hide_short_help(false);
        let help = option.get_long_help().map(ToString::to_string).unwrap_or_default();
        match help.split_once("\n  ") {
            Some((title, _)) if !option.get_possible_values().is_empty() => option
                .long_help(title.trim_end_matches(':').to_string())
                .hide_possible_values(false),
            _ => option,
        }
    };
    command.mut_args(whole).mut_subcommands(shown_whole)
}

/// A command's page. Examples and exit codes get their own sections, as usual in manuals.
fn page(command: &Command, groups: &[Group]) -> io::Result<ManPage> {
    let is_program = command.has_subcommands();
    let mut command = command.clone();
    // The generated synopsis lists every option, which fills a screen.
    let usage = command.render_usage().to_string();
    let command = command.override_usage(usage.trim_start_matches("Usage: ").to_string());
    let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let codes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let codes = codes.trim_start_matches("Exit codes: ");
    let (description, examples) = split(&about);

    let verbs = verbs(&command, groups);
    let man = Man::new(command).manual("anther manual");
    let man = man.source(concat!("anther ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    section("DESCRIPTION", &description).to_writer(&mut text)?;
    if is_program {
        verbs.to_writer(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    section("EXIT STATUS", &format!("{codes}\n\n{INTERRUPTED}")).to_writer(&mut text)?;
    if !examples.is_empty() {
        section("EXAMPLES", &examples).to_writer(&mut text)?;
    }
    if !is_program {
        section("SEE ALSO", "anther(1)").to_writer(&mut text)?;
    }

    // Each part begins with the same two lines of definitions; one copy is enough.
    let text = String::from_utf8_lossy(&text).into_owned();
    let text = match text.find(".TH") {
        Some(at) => text[..at].to_string() + &text[at..].replace(&text[..at], ""),
        None => text,
    };
    Ok(ManPage { name: man.get_filename(), text })
}

/// The verbs of the program, by groups.
fn verbs(program: &Command, groups: &[Group]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["VERBS"]);
    for (group, names) in groups {
        let mut verbs = names.iter().filter_map(|name| program.find_subcommand(name)).peekable();
        if verbs.peek().is_some() {
            roff.control("SS", [*group]);
        }
        for verb in verbs {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            roff.control("TP", []);
            roff.text([roman(format!("anther-{}(1)", verb.get_name()))]);
            roff.text([roman(about)]);
        }
    }
    roff
}

/// Splits a long help into its text and its examples.
fn split(about: &str) -> (String, String) {
    let (mut description, mut examples) = (String::new(), String::new());
    let mut within = false;
    for line in about.lines() {
        if line == "Examples:" {
            within = true;
            continue;
        }
        within &= !line.is_empty();
        let part = if within { &mut examples } else { &mut description };
        *part += line;
        *part += "\n";
    }
    (description, examples)
}

/// A section of paragraphs. Indented lines stay as they are.
fn section(title: &str, text: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    let mut verbatim = false;
    for line in text.trim_end().lines() {
        let indented = line.starts_with("  ");
        if indented != verbatim {
            roff.control(if indented { "nf" } else { "fi" }, []);
            verbatim = indented;
        }
        match line {
            "" => roff.control("PP", []),
            _ => roff.text([roman(if indented { &line[2..] } else { line })]),
        };
    }
    if verbatim {
        roff.control("fi", []);
    }
    roff
}
