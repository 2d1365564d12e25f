//! Runs the program itself on dropped files, in a process of its own: a crafted file can at most end
//! that process.

use crate::page::answer::Refusal;
use crate::page::file::{BUILT, DROPPED};
use http::StatusCode;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Building a filter from the largest list takes a third of it on two cores.
const TIME: Duration = Duration::from_secs(60);

/// How often a process is looked after, once it has run for as long.
const PAUSE: Duration = Duration::from_millis(20);

/// A drawing of 512 cells for 100 keys takes 2 MB. A file may have any number of filters.
const MOST_BYTES: u64 = 8 << 20;

/// What the program said.
pub struct Said {
    /// Its output.
    pub out: Vec<u8>,
    /// Each line of its standard error.
    pub notes: Vec<String>,
}

/// The program, run as long as somebody waits for what it says.
pub struct Program<'a> {
    pub path: &'a Path,
    pub is_abandoned: &'a dyn Fn() -> bool,
}

impl Program<'_> {
    /// Runs it in a folder.
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> Result<Said, Refusal> {
        self.run_within(TIME, folder, arguments)
    }

    fn run_within(
        &self,
        time: Duration,
        folder: &Path,
        arguments: &[&str],
    ) -> Result<Said, Refusal> {
        let failed = |error: io::Error| {
            let message = format!("cannot run {}: {error}", self.path.display());
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
        };
        let mut child = Command::new(self.path)
            .args(["--color", "never"])
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (out, err) = (up_to_limit(child.stdout.take()), up_to_limit(child.stderr.take()));
        let status = self.wait(&mut child, time).map_err(failed)?;
        let read = |pipe: JoinHandle<io::Result<Vec<u8>>>| {
            pipe.join().unwrap_or_else(|_| Err(io::Error::other("a pipe"))).map_err(failed)
        };
        let (out, err) = (read(out)?, read(err)?);
        let Some(status) = status else {
            let message = format!("took more than {} s; use anther in a terminal", time.as_secs());
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        if out.len() as u64 > MOST_BYTES {
            let message = "has more to describe than fits on a page; use anther in a terminal";
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message));
        }
        // What is wrong with an argument has more lines, which say how the program is used.
        let err = String::from_utf8_lossy(&err);
        let notes: Vec<String> = err.lines().filter_map(plain).map(String::from).collect();
        // 1: a check failed, and the output says which.
        if !matches!(status.code(), Some(0 | 1)) {
            let ended = || format!("the program ended with {status}; the file may be crafted");
            let message = notes.last().cloned().unwrap_or_else(ended);
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message));
        }
        Ok(Said { out, notes })
    }

    /// How a process has ended; none if it had to be, since it took too long or nobody waits.
    fn wait(&self, child: &mut Child, time: Duration) -> io::Result<Option<ExitStatus>> {
        let end = Instant::now() + time;
        // Most take a few milliseconds.
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() > end || (self.is_abandoned)() {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }
}

/// What comes from a pipe, and at most one byte more than the limit. After that the pipe is closed,
/// which ends who writes to it.
fn up_to_limit(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

/// A message without the names that it begins with: the program's, and that of our copy of the file.
fn plain(line: &str) -> Option<&str> {
    let message = line.strip_prefix("anther: ")?;
    let named =
        [DROPPED, BUILT].iter().find_map(|name| message.strip_prefix(name)?.strip_prefix(": "));
    Some(named.unwrap_or(message))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A limit that nothing keeps: the process never ends by itself.
    #[test]
    fn a_run_that_takes_too_long_or_is_abandoned_is_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = &folder.path().join("program");
        fs::write(path, "#!/bin/sh\necho $$ > process\nexec sleep 1000000\n").expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("a program");
        let limit = Duration::from_millis(200);
        for (time, is_abandoned) in [(limit, false), (TIME, true)] {
            let program = Program { path, is_abandoned: &|| is_abandoned };
            let limited = program.run_within(time, folder.path(), &[]);
            let refusal = limited.err().expect("it never ends");
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
            // Where it got far enough to write its number, it must be gone.
            let process = fs::read_to_string(folder.path().join("process")).unwrap_or_default();
            let place = Path::new("/proc").join(process.trim()).join("cmdline");
            assert!(process.trim().is_empty() || !place.exists(), "{process}");
        }
    }
}
