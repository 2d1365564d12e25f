//! Ctrl-C and other signals: the program ends at once and leaves no temporary files.
//!
//! A separate thread waits for signals, since the worker threads may be waiting for a pipe. It
//! removes temporary files and exits with 128 plus the number of the signal, as shells expect. A
//! file that has its final name by then is complete, and stays.

use anther::Cancel;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Cancels saves. Every save of the program must use it.
pub static SAVES: Cancel = Cancel::new();

/// A folder to remove if the program is interrupted.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// While this guard is held, a signal waits. For short sections, such as making a temporary file and
/// removing it again. A folder that is put into it is removed on an interrupt.
pub fn not_now() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to do before a signal ends the program.
type Last = Box<dyn FnOnce() + Send>;

static LAST: Mutex<Option<Last>> = Mutex::new(None);

/// Runs this before a signal ends the program, on another thread. It may take a while, such as for
/// saving; a second signal does not wait for it.
pub fn before_end(last: Last) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
}

/// Waits for the exit that is under way: a failure that it caused is not an error to report.
pub fn wait() -> ! {
    loop {
        thread::park();
    }
}

#[cfg(unix)]
pub use signals::{came, listen};

#[cfg(unix)]
mod signals {
    use super::{LAST, SAVES, not_now};
    use crate::progress;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock, PoisonError};
    use std::time::{Duration, Instant};
    use std::{fs, io, process, thread};

    /// Set in the signal handler, so that it is set before anything that the signal causes.
    static CAME: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// `timeout` sends its signal twice: to the process and to its group. Only a second signal that
    /// comes later than this is from an impatient user.
    const TWICE: Duration = Duration::from_millis(300);

    /// Whether a signal has arrived that ends the program.
    pub fn came() -> bool {
        CAME.get().is_some_and(|came| came.load(Ordering::SeqCst))
    }

    /// Starts waiting for signals.
    pub fn listen() -> io::Result<()> {
        let mut wanted = vec![SIGINT, SIGTERM];
        if hangs_up() {
            wanted.push(SIGHUP);
        }
        // First: a signal that only sets the flag would be lost.
        let mut signals = Signals::new(&wanted)?;
        let came = CAME.get_or_init(Arc::default);
        for signal in wanted {
            flag::register(signal, Arc::clone(came))?;
        }
        // Makes exceeding the file-size limit an ordinary write error instead of killing us. Nobody
        // reads this flag.
        flag::register(SIGXFSZ, Arc::default())?;
        thread::Builder::new().spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                let code = 128 + signal;
                match first {
                    None => {
                        first = Some(Instant::now());
                        // A thread of its own, so that a second signal is heard meanwhile.
                        if thread::Builder::new().spawn(move || end(code)).is_err() {
                            end(code);
                        }
                    }
                    // Cleaning up takes too long, perhaps because of a slow disk.
                    Some(first) if first.elapsed() > TWICE => low_level::exit(code),
                    Some(_) => {}
                }
            }
        })?;
        Ok(())
    }

    fn end(code: i32) -> ! {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        last.into_iter().for_each(|last| last());
        SAVES.now();
        // Held until the exit, so that no more temporary files are made.
        let unfinished = not_now();
        if let Some(folder) = &*unfinished {
            // Child processes may still write to it.
            let _ = (0..10).find(|_| fs::remove_dir_all(folder).is_ok());
        }
        progress::clear();
        process::exit(code)
    }

    /// Whether to handle SIGHUP: not under nohup, which ignores it. (A shell script's background
    /// commands ignore SIGINT, too, but there it is meant when it is sent.) If the system does not
    /// tell, the default applies.
    fn hangs_up() -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 0)
    }
}

/// Other systems end the program themselves.
#[cfg(not(unix))]
pub fn listen() -> std::io::Result<()> {
    Ok(())
}

/// Other systems do not tell.
#[cfg(not(unix))]
pub fn came() -> bool {
    false
}
