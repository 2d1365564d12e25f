//! A command to run from the root of the workspace.

use std::fmt;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::workspace::Workspace;

const CARGO: &str = "cargo";

/// Holds cargo to the wording that we read, whatever the contributor has set.
const PLAIN: [(&str, &str); 3] =
    [("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false"), ("CARGO_TERM_VERBOSE", "false")];

/// A program, its arguments and what it finds in its environment.
pub struct Call {
    program: &'static str,
    args: Vec<String>,
    env: Vec<(&'static str, &'static str)>,
}

impl Call {
    pub fn cargo<S: Into<String>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::program(CARGO).args(args)
    }

    /// A program that is no cargo, by its name.
    pub fn program(program: &'static str) -> Self {
        Self { program, args: Vec::new(), env: Vec::new() }
    }

    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.push((name, value));
        self
    }

    /// Runs it; what it prints goes straight to the terminal.
    pub fn run(&self, workspace: &Workspace) -> Result<ExitStatus, String> {
        self.command(workspace).status().map_err(|error| self.cannot("start", &error))
    }

    /// Asks whether it succeeds, showing nothing.
    pub fn succeeds(&self, workspace: &Workspace) -> bool {
        let mut command = self.command(workspace);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Runs it and keeps what it prints, on each stream by itself.
    pub fn output(&self, workspace: &Workspace) -> Result<Output, String> {
        self.command(workspace).output().map_err(|error| self.cannot("start", &error))
    }

    /// Runs it, shows what it prints as it comes, and hands each line to `see` too.
    pub fn tee(
        &self,
        workspace: &Workspace,
        see: &mut dyn FnMut(&str),
    ) -> Result<ExitStatus, String> {
        // One pipe for both streams, because the order of a heading on one and of a result on
        // the other says which program the result is of.
        let (mut reader, writer) = io::pipe().map_err(|error| self.cannot("start", &error))?;
        let mut child = {
            let mut command = self.command(workspace);
            let twin = writer.try_clone().map_err(|error| self.cannot("start", &error))?;
            command.stdout(twin).stderr(writer).envs(PLAIN);
            // The command goes out of scope with its ends of the pipe, or reading never ends.
            command.spawn().map_err(|error| self.cannot("start", &error))?
        };
        copy_lines(&mut reader, &mut io::stdout(), see)
            .map_err(|error| self.cannot("read from", &error))?;
        child.wait().map_err(|error| self.cannot("wait for", &error))
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let mut command = if self.program == CARGO {
            Command::new(&workspace.cargo)
        } else {
            Command::new(self.program)
        };
        // Nothing may wait for a keyboard: a run at home is the same as one where nobody sits.
        command.args(&self.args).current_dir(&workspace.root).stdin(Stdio::null());
        command.envs(self.env.iter().copied());
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
        out.write_str(self.program)?;
        self.args.iter().try_for_each(|arg| write!(out, " {}", quoted(arg)))
    }
}

fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() }
}

/// Copies bytes at once, so that a line is seen while it grows, and reports whole lines.
fn copy_lines(
    from: &mut dyn Read,
    to: &mut dyn Write,
    see: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let mut chunk = [0; 8192];
    let mut pending = Vec::new();
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&chunk[..count])?;
        to.flush()?;
        pending.extend_from_slice(&chunk[..count]);
        while let Some(end) = pending.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            see(String::from_utf8_lossy(&line).trim_end());
        }
    }
    if !pending.is_empty() {
        see(String::from_utf8_lossy(&pending).trim_end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, as a slow program does.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1);
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_come_whole_and_bytes_come_unchanged() {
        let text = b"one\r\n\ntw\xff\nlast";
        let (mut copy, mut lines) = (Vec::new(), Vec::new());
        copy_lines(&mut Drip(text), &mut copy, &mut |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(copy, text);
        assert_eq!(lines, ["one", "", "tw\u{fffd}", "last"]);
    }

    #[test]
    fn a_call_reads_as_one_would_type_it() {
        let call = Call::cargo(["doc"]).env("RUSTDOCFLAGS", "-D warnings").args(["--lib"]);
        assert_eq!(call.to_string(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --lib");
    }
}
