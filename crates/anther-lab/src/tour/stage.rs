//! Where the tour happens: its folder, its words, and the commands that it runs.

use crate::draw::Page;
use crate::error::Error;
use anstyle::Style;
use anther::{AnyFilter, Open};
use serde_json::Value;
use std::env;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs commands in the tour's folder and shows them.
pub struct Stage {
    program: PathBuf,
    folder: PathBuf,
    /// How drawings are laid out.
    pub page: Page,
    out: Box<dyn Write>,
}

/// What a command did.
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// What it printed on standard output.
    pub printed: String,
    /// What it said on standard error.
    pub said: String,
}

/// What a command said as JSON.
pub struct Facts {
    command: String,
    facts: Value,
}

impl Facts {
    /// A number.
    pub fn count(&self, name: &str) -> Result<u64, Error> {
        let lacking =
            || Error::about(format_args!("anther {}", self.command), format!("no {name}"));
        self.facts[name].as_u64().ok_or_else(lacking)
    }

    /// Whether a name has a value.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.facts[name] == value
    }

    /// Whether something holds.
    pub fn holds(&self, name: &str) -> bool {
        self.facts[name] == true
    }
}

const BOLD: Style = Style::new().bold();

impl Stage {
    /// In a folder, with somewhere to show it.
    pub fn new(folder: PathBuf, page: Page, out: Box<dyn Write>) -> Result<Stage, Error> {
        let program = env::current_exe().and_then(fs::canonicalize);
        let program = program.map_err(|error| Error::about("this program", error))?;
        Ok(Stage { program, folder, page, out })
    }

    /// The folder of the tour's files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program itself.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The path of one of the tour's files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// One of the tour's filters.
    pub fn open(&self, name: &str) -> Result<AnyFilter, Error> {
        Open::new().file(self.path(name)).map_err(|error| Error::about(name, error))
    }

    /// A title, with room above.
    pub fn title(&mut self, title: &str) -> Result<(), Error> {
        writeln!(self.out, "\n{BOLD}{title}{BOLD:#}").map_err(Error::Output)
    }

    /// A line of words.
    pub fn say(&mut self, line: &str) -> Result<(), Error> {
        writeln!(self.out, "{line}").map_err(Error::Output)
    }

    /// Writes one of the tour's files.
    pub fn write(&mut self, name: &str, lines: impl Iterator<Item = String>) -> Result<(), Error> {
        let path = self.path(name);
        let write = || -> io::Result<()> {
            let mut file = io::BufWriter::new(File::create(&path)?);
            for line in lines {
                writeln!(file, "{line}")?;
            }
            file.flush()
        };
        write().map_err(|error| Error::about(path.display(), error))
    }

    /// Runs the program and shows command and output.
    pub fn run(&mut self, arguments: &str) -> Result<Ran, Error> {
        self.run_with(arguments, None)
    }

    /// The same, with a file as standard input.
    pub fn run_on(&mut self, arguments: &str, input: &str) -> Result<Ran, Error> {
        self.run_with(arguments, Some(input))
    }

    /// What a command says as JSON, unseen: the same command was shown, in words.
    pub fn facts(&self, arguments: &str) -> Result<Facts, Error> {
        let command = format!("{arguments} --json");
        let failed = |error: &dyn Display| Error::about(format_args!("anther {command}"), error);
        let output = Command::new(&self.program)
            .args(command.split_whitespace())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(&error))?;
        let facts = serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))?;
        Ok(Facts { command, facts })
    }

    fn run_with(&mut self, arguments: &str, input: Option<&str>) -> Result<Ran, Error> {
        let redirection = input.map(|name| format!(" < {name}")).unwrap_or_default();
        let command = format!("anther {arguments}{redirection}");
        self.say(&format!("{BOLD}$ {command}{BOLD:#}"))?;

        let failed = |error| Error::about(&command, format_args!("cannot be run: {error}"));
        let stdin = match input {
            Some(name) => Stdio::from(File::open(self.path(name)).map_err(failed)?),
            None => Stdio::null(),
        };
        let output = Command::new(&self.program)
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .stdin(stdin)
            .output()
            .map_err(failed)?;
        let ran = Ran {
            // No code at all means that the system ended it.
            code: output.status.code().unwrap_or(-1),
            printed: String::from_utf8_lossy(&output.stdout).into_owned(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        write!(self.out, "{}{}", ran.printed, ran.said).map_err(Error::Output)?;
        if ran.code != 0 {
            self.say(&format!("(exit code {})", ran.code))?;
        }
        Ok(ran)
    }

    /// Runs a command that prints a number, and gives the number.
    pub fn count(&mut self, arguments: &str, input: &str) -> Result<u64, Error> {
        let ran = self.run_on(arguments, input)?;
        let number = ran.printed.trim().parse();
        number.map_err(|_| Error::about(format_args!("anther {arguments}"), "printed no number"))
    }
}

impl Ran {
    /// Stops the tour where something went wrong that all the rest needs.
    pub fn or_stop(self) -> Result<Ran, Error> {
        match self.code {
            0 => Ok(self),
            code => Err(Error::about("the tour", format_args!("a command ended with {code}"))),
        }
    }
}
