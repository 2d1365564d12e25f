//! A progress bar, for those who wait at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::env;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is on the terminal.
static SHOWN: Mutex<Vec<ProgressBar>> = Mutex::new(Vec::new());

fn shown() -> MutexGuard<'static, Vec<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Clears the terminal, for whoever ends the program from another thread.
pub fn clear() {
    shown().iter().for_each(ProgressBar::finish_and_clear);
}

/// Shows how far some work has come: only on a terminal, and only after a second.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Not shown yet, but to be.
    waits: AtomicBool,
}

impl Progress {
    /// Of reading so many bytes, where that is known.
    pub fn reading(total: Option<u64>, quiet: bool) -> Progress {
        let template = match total {
            Some(_) => "{bytes}/{total_bytes} {wide_bar} {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes} read, {bytes_per_sec}",
        };
        Progress::new(total, template, quiet)
    }

    /// Of solving a filter.
    pub fn solving(quiet: bool) -> Progress {
        Progress::new(None, "solving {pos}/{len} {wide_bar} {eta} left", quiet)
    }

    /// Of a figure that is being measured.
    #[cfg(feature = "lab")]
    pub fn figures(name: &str, quiet: bool) -> Progress {
        Progress::new(None, &format!("{name} {{pos}}/{{len}} {{wide_bar}} {{eta}} left"), quiet)
    }

    fn new(total: Option<u64>, template: &str, quiet: bool) -> Progress {
        // Hidden at first: the bar counts from the beginning, or its speed would be nonsense.
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // A terminal that cannot go back would get each state of the bar on a line of its own.
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let waits = !quiet && !dumb && io::stderr().is_terminal();
        Progress { bar, waits: AtomicBool::new(waits) }
    }

    /// So many bytes more were read.
    pub fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
        self.show();
    }

    /// So many parts of all are done.
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

/// The bar goes before anything else is said.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        shown().retain(|bar| !bar.is_finished());
    }
}
