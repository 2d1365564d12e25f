//! Ctrl-C and its kin: the program ends at once and leaves no litter.
//!
//! A thread of its own waits for signals, since those that work may wait for a pipe. It removes
//! what is unfinished and ends the process with 128 and the signal's number, as shells count. A
//! file that has got its name by then stays: it is whole.

use anther::Cancel;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Calls off what is being saved. Every save of the program must have it.
pub static SAVES: Cancel = Cancel::new();

/// A folder that is worth nothing unless the program comes to its end.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// While this is held, the program is not ended: for what takes no time, such as a file that is
/// made and removed again. A folder put in it is removed when the program is interrupted.
pub fn not_now() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the end, which is on its way: what failed because of it is no error to report.
pub fn wait() -> ! {
    loop {
        thread::park();
    }
}

#[cfg(unix)]
pub use signals::{came, listen};

#[cfg(unix)]
mod signals {
    use super::{SAVES, not_now};
    use crate::progress;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};
    use std::time::{Duration, Instant};
    use std::{fs, io, process, thread};

    /// Set by the signal itself, so that it is never behind what the signal leads to.
    static CAME: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// `timeout` sends its signal twice: to us and to our group. A second one is impatience only
    /// when it comes later than that.
    const TWICE: Duration = Duration::from_millis(300);

    /// Whether a signal came that ends the program.
    pub fn came() -> bool {
        CAME.get().is_some_and(|came| came.load(Ordering::SeqCst))
    }

    /// Begins to wait for signals.
    pub fn listen() -> io::Result<()> {
        let mut wanted = vec![SIGINT, SIGTERM];
        if hangs_up() {
            wanted.push(SIGHUP);
        }
        // First, since a signal that only sets a flag would be lost.
        let mut signals = Signals::new(&wanted)?;
        let came = CAME.get_or_init(Arc::default);
        for signal in wanted {
            flag::register(signal, Arc::clone(came))?;
        }
        // Beyond a file-size limit, writing is an error like any other, not our death. Nobody
        // reads this flag.
        flag::register(SIGXFSZ, Arc::default())?;
        thread::Builder::new().spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                let code = 128 + signal;
                match first {
                    None => {
                        first = Some(Instant::now());
                        thread::spawn(move || end(code));
                    }
                    // The end takes too long, perhaps because the disk does.
                    Some(first) if first.elapsed() > TWICE => low_level::exit(code),
                    Some(_) => {}
                }
            }
        })?;
        Ok(())
    }

    fn end(code: i32) -> ! {
        SAVES.now();
        // Kept to the end, so that nothing more is made.
        let unfinished = not_now();
        if let Some(folder) = &*unfinished {
            // Others may still write to it, until it is gone.
            let _ = (0..10).find(|_| fs::remove_dir_all(folder).is_ok());
        }
        progress::clear();
        process::exit(code)
    }

    /// Whether a terminal that goes away ends us: not under nohup, which has that signal ignored.
    /// (A script's background commands have SIGINT ignored, too; but whoever sends that
    /// nevertheless means it.) Where the system does not tell, it is left to the system.
    fn hangs_up() -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 0)
    }
}

/// Elsewhere the system ends the program.
#[cfg(not(unix))]
pub fn listen() -> std::io::Result<()> {
    Ok(())
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
pub fn came() -> bool {
    false
}
