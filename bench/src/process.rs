//! Programs that are measured from outside: how long they take, on how many cores, in how much memory.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub seconds: f64,
    /// Of all cores.
    pub cpu_seconds: f64,
    /// At its peak. Not less than what this process has had itself: the system counts a child's
    /// memory from before it becomes the program.
    pub bytes: u64,
    pub code: i32,
}

/// Runs a command to its end, with the streams that it has.
pub fn run(command: &mut Command) -> io::Result<Cost> {
    let start = Instant::now();
    let child = command.spawn()?;
    wait(child.id(), start)
}

/// Waits for a child that was started then.
pub fn wait(child: u32, start: Instant) -> io::Result<Cost> {
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is a valid one; it is plain numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live variables of the types that `wait4` writes, and the child is
    // ours and not yet waited for.
    let ended = unsafe { libc::wait4(child.cast_signed(), &raw mut status, 0, &raw mut usage) };
    let seconds = start.elapsed().as_secs_f64();
    if ended < 0 {
        return Err(io::Error::last_os_error());
    }
    let time = |it: libc::timeval| it.tv_sec as f64 + it.tv_usec as f64 / 1e6;
    // A signal is no exit code; a shell reports it so.
    let code = match libc::WIFEXITED(status) {
        true => libc::WEXITSTATUS(status),
        false => 128 + libc::WTERMSIG(status),
    };
    Ok(Cost {
        seconds,
        cpu_seconds: time(usage.ru_utime) + time(usage.ru_stime),
        bytes: usage.ru_maxrss.unsigned_abs() << 10,
        code,
    })
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The program, as users build it.
pub fn built() -> Result<PathBuf, Box<dyn Error>> {
    let built = Command::new("cargo").args(["build", "--release"]).current_dir(root()).status()?;
    if !built.success() {
        return Err("the program does not build".into());
    }
    Ok(root().join("target/release/anther").canonicalize()?)
}

/// Whether a program is on the path.
pub fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
