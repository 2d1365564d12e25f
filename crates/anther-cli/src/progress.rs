//! A progress bar, for those who wait at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Shows how far reading has come: only on a terminal, and only after a second.
pub struct Progress {
    bar: ProgressBar,
    /// Not shown yet, but to be.
    waits: bool,
}

impl Progress {
    /// Of so many bytes, where that is known.
    pub fn new(total: Option<u64>, quiet: bool) -> Progress {
        // Hidden at first: the bar counts from the beginning, or its speed would be nonsense.
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{bytes}/{total_bytes} {wide_bar} {bytes_per_sec}, {eta} left",
            None => "{spinner} {bytes} read, {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, waits: !quiet && io::stderr().is_terminal() }
    }

    /// So many bytes more were read.
    pub fn advance(&mut self, bytes: u64) {
        self.bar.inc(bytes);
        if self.waits && self.bar.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.waits = false;
        }
    }
}

/// The bar goes before anything else is said.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
