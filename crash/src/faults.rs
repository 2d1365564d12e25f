//! Lets each system call that writes fail in turn.

use crate::paths::{ChangePath, Stage};
use crate::record::changes;
use crate::states::recorded;
use crate::trace::{Call, Ended, Observer, Verdict};
use nix::libc;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Error(i32),
    /// A write writes half of its bytes.
    Short,
}

const FAULTS: [(&str, Fault); 4] = [
    ("EINTR", Fault::Error(libc::EINTR)),
    ("ENOSPC", Fault::Error(libc::ENOSPC)),
    ("EIO", Fault::Error(libc::EIO)),
    ("a short write", Fault::Short),
];

/// Counts calls that write, and lets one of them fail, or all from that one on.
struct Injector {
    folder: PathBuf,
    fault: Option<Fault>,
    /// The number of the call.
    at: usize,
    lasts: bool,
    seen: usize,
    /// The calls that failed.
    hit: Vec<i64>,
}

impl Injector {
    fn new(folder: &Path) -> Injector {
        let folder = folder.to_path_buf();
        Injector { folder, fault: None, at: 0, lasts: false, seen: 0, hit: Vec::new() }
    }

    /// Whether a call writes, to a file of the folder or to a standard stream.
    fn writes(&self, call: &Call) -> bool {
        let is_ours = |descriptor: u64| {
            let link = format!("/proc/{}/fd/{}", call.thread, descriptor.cast_signed());
            fs::read_link(link).is_ok_and(|target| target.starts_with(&self.folder))
        };
        let [first, _, third, flags, descriptor, _] = call.arguments;
        match call.number {
            libc::SYS_openat => {
                let writes = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT;
                i32::try_from(third & 0xFFFF_FFFF).is_ok_and(|third| third & writes != 0)
            }
            libc::SYS_mmap => flags & 1 == 1 && third & 2 == 2 && is_ours(descriptor),
            libc::SYS_munmap => false,
            libc::SYS_msync => true,
            libc::SYS_fsync | libc::SYS_fdatasync | libc::SYS_fchmod | libc::SYS_fchown => {
                is_ours(first)
            }
            number if has_length(number) => is_ours(first) || first == 1 || first == 2,
            number => changes(number),
        }
    }
}

/// Calls whose third argument is a number of bytes.
fn has_length(number: i64) -> bool {
    [libc::SYS_write, libc::SYS_pwrite64].contains(&number)
}

fn removes(number: i64) -> bool {
    [libc::SYS_unlink, libc::SYS_unlinkat].contains(&number)
}

impl Observer for Injector {
    fn enters(&mut self, call: &Call) -> Verdict {
        if !self.writes(call) {
            return Verdict::Run;
        }
        let number = self.seen;
        self.seen += 1;
        // A full disk still removes files.
        let is_later = self.lasts && number > self.at && !removes(call.number);
        let verdict = match self.fault {
            Some(Fault::Error(error)) if number == self.at || is_later => Verdict::Fail(error),
            Some(Fault::Short) if number == self.at => match call.arguments[2] {
                bytes if has_length(call.number) && bytes > 1 => Verdict::Shorten(bytes / 2),
                _ => Verdict::Run,
            },
            _ => Verdict::Run,
        };
        if verdict != Verdict::Run {
            self.hit.push(call.number);
        }
        verdict
    }

    fn leaves(&mut self, _: &Call, _: i64) {}
}

/// Lets every call of a path's last command fail in turn, in every way; those before it are paths of
/// their own. Returns how many faults there were, and what was bad.
pub fn all(path: &ChangePath, program: &str) -> io::Result<(u64, Vec<String>)> {
    let mut stage = Stage::new(path, program)?;
    let Some((run, earlier)) = path.runs.split_last() else { return Ok((0, Vec::new())) };
    stage.reset()?;
    if !earlier.is_empty() {
        recorded(path, &stage, earlier)?;
        stage.before = stage.files()?;
    }
    let acknowledged = earlier.iter().filter(|run| run.killed_at_msync.is_none()).count();
    let mut counting = Injector::new(&stage.folder());
    stage.traced(run, &mut counting)?;
    let (mut faults, mut bad) = (0, Vec::new());
    for at in 0..counting.seen {
        for (name, fault) in FAULTS {
            for lasts in [false, true] {
                // An interrupted or short call is tried again, and that would not end.
                if lasts && [Fault::Error(libc::EINTR), Fault::Short].contains(&fault) {
                    continue;
                }
                stage.reset()?;
                let mut injector = Injector::new(&stage.folder());
                (injector.fault, injector.at, injector.lasts) = (Some(fault), at, lasts);
                let ended = stage.traced(run, &mut injector)?;
                let Some(first) = injector.hit.first() else { continue };
                faults += 1;
                if let Err(why) = judge(&stage, ended, fault, *first, acknowledged) {
                    let lasts = if lasts { " from then on" } else { "" };
                    bad.push(format!("{name}{lasts} at call {at}, of number {first}: {why}"));
                }
            }
        }
    }
    Ok((faults, bad))
}

fn judge(
    stage: &Stage<'_>,
    ended: Ended,
    fault: Fault,
    call: i64,
    acknowledged: usize,
) -> Result<(), String> {
    let Ended::Code(code @ (0 | 2)) = ended else { return Err(format!("ended with {ended:?}")) };
    if code != 0 && has_length(call) && fault != Fault::Error(libc::EIO) && is_retried(fault) {
        return Err("not tried again".to_owned());
    }
    let said = |error: io::Error| error.to_string();
    if !removes(call) && stage.has_litter().map_err(said)? {
        return Err("a temporary file is left".to_owned());
    }
    let acknowledged = acknowledged + usize::from(code == 0);
    stage.check(&stage.files().map_err(said)?, acknowledged, None)
}

/// Whether a write goes on after it.
fn is_retried(fault: Fault) -> bool {
    [Fault::Error(libc::EINTR), Fault::Short].contains(&fault)
}
