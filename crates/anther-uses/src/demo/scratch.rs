//! A folder for a demonstration's files, removed when the program ends, however it ends.

use super::Outcome;
use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// How the folders' names begin.
const PREFIX: &str = "anther-uses-";

/// The folder. A child process waits for this one to end, and then removes what is left: also after
/// Ctrl-C, and after a kill that no handler sees.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: Option<TempDir>,
    path: PathBuf,
    remover: Child,
}

impl Scratch {
    pub(super) fn new() -> Result<Scratch, Box<dyn Error>> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let path = folder.path().to_path_buf();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["part", "remover"]).arg(&path).stdin(Stdio::piped());
        // Ctrl-C goes to the whole group.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Scratch { folder: Some(folder), path, remover: command.spawn()? })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.folder.take());
        drop(self.remover.stdin.take());
        // Nothing is left to do if it cannot be waited for.
        let _ = self.remover.wait();
    }
}

/// Options of the process that removes a folder.
#[derive(clap::Args, Debug)]
pub struct RemoverArgs {
    folder: PathBuf,
}

impl RemoverArgs {
    /// Waits for the end of the input, and removes the folder.
    pub fn run(&self) -> Outcome {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| name.starts_with(PREFIX)) {
            return Err(
                format!("{}: is no folder of a demonstration", self.folder.display()).into()
            );
        }
        io::stdin().read_to_end(&mut Vec::new())?;
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
