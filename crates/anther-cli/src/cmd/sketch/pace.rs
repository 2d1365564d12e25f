//! Sends a sketch no faster than its reader can say that it has enough.
//!
//! Nothing comes back through a pipe but its end, and `ssh` takes megabytes before it is full. So a
//! sketch is sent in bursts of an eighth of what was sent before, with a pause after each: what is
//! sent in vain is about an eighth for each pause that passes before the end arrives. A gigabyte
//! takes a hundred pauses, 2.5 s in all. A reader that is busy with its own list is waited for.

use crate::descriptors;
use crate::exit::Stop;
use crate::output::done;
use crate::sketch_file;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

const FIRST: u64 = 1 << 10;
const PAUSE: Duration = Duration::from_millis(25);

/// Standard output, with pauses if it is a pipe.
pub struct Paced {
    out: Box<dyn Write>,
    is_pipe: bool,
    sent: u64,
    /// When to pause next.
    next: u64,
}

impl Paced {
    /// Standard output.
    pub fn stdout() -> Paced {
        let is_pipe = is_pipe();
        let out: Box<dyn Write> = match descriptors::unusable_stdout() {
            Some(unusable) => Box::new(unusable),
            None if is_pipe => Box::new(io::stdout()),
            None => Box::new(io::BufWriter::new(io::stdout())),
        };
        if is_pipe {
            #[cfg(target_os = "linux")]
            sketch_file::narrow(io::stdout());
        }
        Paced { out, is_pipe, sent: 0, next: FIRST }
    }

    /// Whether someone reads while we write.
    pub fn is_pipe(&self) -> bool {
        self.is_pipe
    }

    /// Bytes written.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        if self.is_pipe && self.sent >= self.next {
            thread::sleep(PAUSE);
            wait_until_read();
            self.next = self.sent + (self.sent / 8).max(FIRST);
        }
        done(self.out.write_all(bytes))?;
        self.sent += bytes.len() as u64;
        if self.is_pipe { self.flush() } else { Ok(()) }
    }

    /// Flushes.
    pub fn flush(&mut self) -> Result<(), Stop> {
        done(self.out.flush())
    }
}

/// Waits until nothing is left in the pipe, or its reader is gone, which the next write will tell.
#[cfg(target_os = "linux")]
fn wait_until_read() {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    while rustix::io::ioctl_fionread(&stdout).is_ok_and(|unread| unread > 0) {
        let mut pipe = [PollFd::new(&stdout, PollFlags::empty())];
        let pause = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
        // Only the end of the reader is an event here, so this waits for 5 ms or for that.
        if poll(&mut pipe, Some(&pause)) != Ok(0) {
            break;
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_until_read() {}

/// Whether standard output is a pipe or a socket.
#[cfg(unix)]
fn is_pipe() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let file = io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = file.and_then(|file| file.metadata()).map(|meta| meta.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

#[cfg(not(unix))]
fn is_pipe() -> bool {
    false
}
