//! Runs the program itself on dropped files, in a process of its own: a crafted file can at most end
//! that process.

use crate::page::answer::Refusal;
use crate::page::file::{BUILT, DROPPED};
use hyper::StatusCode;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Building a filter from the largest list takes a third of it on two cores.
const TIME: Duration = Duration::from_secs(60);

/// A drawing of 512 cells for 100 keys takes 2 MB. A file may have any number of filters.
const MOST_BYTES: u64 = 8 << 20;

/// What the program said.
pub struct Said {
    /// Its output.
    pub out: Vec<u8>,
    /// Each line of its standard error.
    pub notes: Vec<String>,
}

/// Runs the program in a folder.
pub async fn run(program: &Path, folder: &Path, arguments: &[&str]) -> Result<Said, Refusal> {
    run_within(TIME, program, folder, arguments).await
}

async fn run_within(
    time: Duration,
    program: &Path,
    folder: &Path,
    arguments: &[&str],
) -> Result<Said, Refusal> {
    let failed = |error: io::Error| {
        let message = format!("cannot run {}: {error}", program.display());
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    };
    let child = Command::new(program)
        .args(["--color", "never"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Also if the page gives up waiting.
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let late = |_| {
        let message = format!("took more than {} s; use anther in a terminal", time.as_secs());
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    };
    let (out, err, status) = timeout(time, ended(child)).await.map_err(late)?.map_err(failed)?;
    // What is wrong with an argument has more lines, which say how the program is used.
    let err = String::from_utf8_lossy(&err);
    let notes: Vec<String> = err.lines().filter_map(plain).map(String::from).collect();
    // 1: a check failed, and the output says which.
    if !matches!(status.code(), Some(0 | 1)) {
        let ended = || format!("the program ended with {status}; the file may be crafted");
        let message = notes.last().cloned().unwrap_or_else(ended);
        return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    if out.len() as u64 > MOST_BYTES {
        let message = "has more to describe than fits on a page; use anther in a terminal";
        return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    Ok(Said { out, notes })
}

/// The output, the messages and the status of a process, when it has ended.
async fn ended(mut child: Child) -> io::Result<(Vec<u8>, Vec<u8>, ExitStatus)> {
    let err = tokio::spawn(up_to_limit(child.stderr.take()));
    let out = up_to_limit(child.stdout.take()).await?;
    if out.len() as u64 > MOST_BYTES {
        child.start_kill()?;
    }
    let err = err.await.map_err(io::Error::other)??;
    Ok((out, err, child.wait().await?))
}

/// What comes from a pipe, and at most one byte more than the limit.
async fn up_to_limit(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
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
    fn a_run_that_takes_too_long_is_ended() {
        let name = format!("anther-lab-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("program");
        fs::write(&program, "#!/bin/sh\necho $$ > process\nexec sleep 1000000\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limited = run_within(Duration::from_millis(200), &program, &folder, &[]).await;
            let Err(refusal) = limited else { unreachable!("it never ends") };
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(refusal.message, "took more than 0 s; use anther in a terminal");
            // Where it got far enough to write its number, it must be gone. The runtime reaps it.
            let process = fs::read_to_string(folder.join("process")).unwrap_or_default();
            let place = Path::new("/proc").join(process.trim()).join("cmdline");
            while !process.trim().is_empty() && !fs::read(&place).unwrap_or_default().is_empty() {
                tokio::task::yield_now().await;
            }
        });
        fs::remove_dir_all(&folder).unwrap();
    }
}
