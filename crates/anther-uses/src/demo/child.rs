//! Child processes: this program with a hidden subcommand, a part of a demonstration.
//!
//! A child says on its output what the parent must know (the port it listens on), gets its orders on
//! its input, and ends when that does. So none outlives its parent, however the parent ends.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long a child may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A child process, until it is dropped.
#[derive(Debug)]
pub struct Child {
    process: Process,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    part: String,
}

impl Child {
    /// Starts this program as the part `part` with its arguments.
    pub fn start(part: &str, arguments: &[String]) -> Result<Child, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["part", part])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let output = output.into_iter().flat_map(|output| BufReader::new(output).lines());
            // Fails when the child was dropped.
            let _ = output.map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        Ok(Child { process, input, lines, part: part.to_string() })
    }

    /// Starts a part whose first line is the port it listens on.
    pub fn server(part: &str, arguments: &[String]) -> Result<(Child, u16), Box<dyn Error>> {
        let child = Child::start(part, arguments)?;
        let port = child.line()?.parse()?;
        Ok((child, port))
    }

    /// Its next line.
    pub fn line(&self) -> Result<String, Box<dyn Error>> {
        let line = self.lines.recv_timeout(PATIENCE);
        line.map_err(|_| format!("the process {} does not answer", self.part).into())
    }

    /// Writes a line to it.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        match &mut self.input {
            Some(input) => writeln!(input, "{line}"),
            None => Ok(()),
        }
    }

    /// Writes a line to it, and returns the line that it answers.
    pub fn ask(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        self.tell(line)?;
        self.line()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.input.take());
        // Time to clean up what it made itself.
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// For a child: the lines that its parent writes, until the parent ends.
pub fn orders() -> impl Iterator<Item = String> {
    BufReader::new(io::stdin()).lines().map_while(Result::ok)
}
