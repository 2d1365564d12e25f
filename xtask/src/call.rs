//! A command to run from the root of the workspace.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::workspace::Workspace;

const CARGO: &str = "cargo";

/// Holds test programs to the wording that we read, whatever the contributor has set.
const PLAIN: [(&str, &str); 2] = [("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false")];

/// A program, its arguments and what it finds in its environment.
pub struct Call {
    program: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Call {
    pub fn cargo<S: Into<String>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::program(CARGO).args(args)
    }

    /// Any other program, by name or path.
    pub fn program(program: impl Into<String>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: Vec::new() }
    }

    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Runs it; what it prints goes straight to the terminal.
    pub fn run(&self, workspace: &Workspace) -> Result<ExitStatus, String> {
        self.command(workspace).status().map_err(|error| self.cannot("start", &error))
    }

    /// Whether it succeeds; shows nothing.
    pub fn succeeds(&self, workspace: &Workspace) -> bool {
        let mut command = self.command(workspace);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Runs it and keeps what it prints, on each stream by itself.
    pub fn output(&self, workspace: &Workspace) -> Result<Output, String> {
        self.command(workspace).output().map_err(|error| self.cannot("start", &error))
    }

    /// Runs it, shows what it prints, and hands each line of its standard output to `see`, too.
    pub fn tee(
        &self,
        workspace: &Workspace,
        see: &mut dyn FnMut(&str),
    ) -> Result<ExitStatus, String> {
        let mut command = self.command(workspace);
        command.stdout(Stdio::piped()).envs(PLAIN);
        let mut child = command.spawn().map_err(|error| self.cannot("start", &error))?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no pipe to read from")?);
        let mut line = Vec::new();
        while lines
            .read_until(b'\n', &mut line)
            .and_then(|count| io::stdout().write_all(&line).map(|()| count > 0))
            .map_err(|error| self.cannot("read from", &error))?
        {
            see(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        child.wait().map_err(|error| self.cannot("wait for", &error))
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let mut command = if self.program == CARGO {
            Command::new(&workspace.cargo)
        } else {
            Command::new(&self.program)
        };
        // Nothing may wait for a keyboard: runs at a desk and in CI are the same.
        command.args(&self.args).current_dir(&workspace.root).stdin(Stdio::null());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if std::env::var_os("CI").is_some() {
            // What is compiled once is not compiled again from parts.
            command.env("CARGO_INCREMENTAL", "0");
        }
        command
    }

    fn cannot(&self, verb: &str, error: &io::Error) -> String {
        format!("cannot {verb} `{self}`: {error}; check that {} is installed.", self.program)
    }
}

/// As one would type it.
impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(out, "{name}={} ", quoted(value))?;
        }
        out.write_str(&self.program)?;
        self.args.iter().try_for_each(|arg| write!(out, " {}", quoted(arg)))
    }
}

fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_reads_as_one_would_type_it() {
        let call = Call::cargo(["doc"]).env("RUSTDOCFLAGS", "-D warnings").args(["--lib"]);
        assert_eq!(call.to_string(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --lib");
    }
}
