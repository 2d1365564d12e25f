//! Progress bars, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::env;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The visible bars.
static SHOWN: Mutex<Vec<ProgressBar>> = Mutex::new(Vec::new());

fn shown() -> MutexGuard<'static, Vec<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the bars, when another thread ends the program.
pub fn clear() {
    shown().iter().for_each(ProgressBar::finish_and_clear);
}

/// A progress bar. It shows only on a terminal, and only after a second.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Not shown yet.
    waits: AtomicBool,
}

impl Progress {
    /// For reading this many bytes, if that is known.
    pub fn reading(total: Option<u64>, quiet: bool) -> Progress {
        let template = match total {
            Some(_) => "{bytes}/{total_bytes} {wide_bar} {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes} read, {bytes_per_sec}",
        };
        Progress::new(total, template, quiet)
    }

    /// For building a static filter.
    pub fn solving(quiet: bool) -> Progress {
        Progress::new(None, "building {pos}/{len} {wide_bar} {eta} left", quiet)
    }

    /// For a figure that is being measured.
    #[cfg(feature = "lab")]
    pub fn figures(name: &str, quiet: bool) -> Progress {
        Progress::new(None, &format!("{name} {{pos}}/{{len}} {{wide_bar}} {{eta}} left"), quiet)
    }

    fn new(total: Option<u64>, template: &str, quiet: bool) -> Progress {
        // Hidden at first, but counting from the start, or its speed would be wrong.
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // A dumb terminal would print each state of the bar on its own line.
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let waits = !quiet && !dumb && io::stderr().is_terminal();
        Progress { bar, waits: AtomicBool::new(waits) }
    }

    /// Adds bytes that were read.
    pub fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
        self.show();
    }

    /// Sets how many parts of the total are done.
    pub fn tell(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.show();
    }

    fn show(&self) {
        if self.waits.load(Ordering::Relaxed) && self.bar.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            shown().push(self.bar.clone());
            self.waits.store(false, Ordering::Relaxed);
        }
    }
}

/// Removes the bar, so that messages come after it.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        shown().retain(|bar| !bar.is_finished());
    }
}
