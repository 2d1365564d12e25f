//! The commands that are compared. They read a file as their standard input.

use super::lines::Remains;
use crate::process::{self, Cost};
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A command, and what is known of its output.
pub struct Contender {
    pub name: &'static str,
    program: PathBuf,
    arguments: Vec<&'static str>,
    /// Whether lines come in the order of the input.
    pub keeps_order: bool,
}

impl Contender {
    pub fn ours(anther: &Path, name: &'static str, arguments: &[&'static str]) -> Contender {
        // With a limit of memory, some lines follow at the end.
        let keeps_order = arguments.is_empty();
        let arguments = [&["uniq", "--quiet"], arguments].concat();
        Contender { name, program: anther.to_path_buf(), arguments, keeps_order }
    }

    /// A published crate; `cargo xtask bench uniq` installs it.
    pub fn published(name: &'static str) -> Contender {
        let program = process::root().join("target/peers/bin").join(name);
        // It takes files, or `-`.
        let arguments = if name == "runiq" { vec!["-"] } else { Vec::new() };
        Contender { name, program, arguments, keeps_order: true }
    }

    pub fn sort() -> Contender {
        Contender {
            name: "LC_ALL=C sort -u",
            program: "sort".into(),
            arguments: vec!["-u"],
            keeps_order: false,
        }
    }

    pub fn awk() -> Contender {
        Contender {
            name: "awk '!s[$0]++'",
            program: "awk".into(),
            arguments: vec!["!s[$0]++"],
            keeps_order: true,
        }
    }

    fn command(&self, input: &Path) -> Result<Command, Box<dyn Error>> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env("LC_ALL", "C").stdin(File::open(input)?);
        // Where a limit of memory or sort spills to: the disk that has the lines.
        command.env("TMPDIR", input.parent().unwrap_or(input));
        Ok(command)
    }

    /// Runs it; what it prints is thrown away.
    pub fn run(&self, input: &Path) -> Result<Cost, Box<dyn Error>> {
        let mut command = self.command(input)?;
        let cost = process::run(command.stdout(Stdio::null()))?;
        if cost.code != 0 {
            return Err(format!("{} ended with {}", self.name, cost.code).into());
        }
        Ok(cost)
    }

    /// Runs it once more, to see what it prints.
    pub fn remains(&self, input: &Path) -> Result<Remains, Box<dyn Error>> {
        let start = Instant::now();
        let mut child = self.command(input)?.stdout(Stdio::piped()).spawn()?;
        let remains = Remains::read(child.stdout.take().ok_or("no pipe")?)?;
        let cost = process::wait(child.id(), start)?;
        if cost.code != 0 {
            return Err(format!("{} ended with {}", self.name, cost.code).into());
        }
        Ok(remains)
    }
}
