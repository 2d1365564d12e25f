//! Where mutants can do no harm: a mount namespace in which nearly everything is read-only.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

const SCRIPT: &str = include_str!("sandbox.sh");

/// A process that holds the namespace until this is dropped.
pub struct Sandbox {
    holder: Child,
    input: Option<ChildStdin>,
    /// Tests may write here, and we can read it.
    results: PathBuf,
    temporary: PathBuf,
}

impl Sandbox {
    pub fn new(state: &Path) -> Result<Self, String> {
        let (results, temporary) = (state.join("reached"), state.join("temporary"));
        let cannot = |what: String| {
            format!(
                "cannot keep mutants away from the rest of the machine: {what}; needs Linux and root"
            )
        };
        for folder in [&results, &temporary] {
            fs::create_dir_all(folder).map_err(|error| cannot(error.to_string()))?;
        }
        let mut holder = Command::new("unshare")
            .args(["--mount", "sh", "-c", SCRIPT, "sh"])
            .args([&results, &temporary])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| cannot(format!("unshare: {error}")))?;
        let mut line = String::new();
        let output = holder.stdout.take().map(BufReader::new);
        let read = output.and_then(|mut output| output.read_line(&mut line).ok());
        if read.is_none() || line.trim_end() != "ready" {
            let _ = holder.wait();
            return Err(cannot("its mounts failed".to_owned()));
        }
        let input = holder.stdin.take();
        Ok(Self { holder, input, results, temporary })
    }

    /// The file to which tests write what they reach.
    pub fn reached(&self) -> PathBuf {
        self.results.join("reached")
    }

    /// A command inside, after this line of the shell.
    pub fn command(&self, before: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--target", &self.holder.id().to_string(), "--mount"])
            .args(["sh", "-c", &format!("{before}; exec \"$@\""), "sh"])
            .env("TMPDIR", &self.temporary);
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.holder.wait();
    }
}
