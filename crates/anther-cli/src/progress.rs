//! A progress bar, for those who wait at a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shows how far reading has come: only on a terminal, and only after a second.
pub struct Progress {
    start: Instant,
    read: u64,
    /// How many bytes there are in all, where that is known.
    total: Option<u64>,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Of so many bytes.
    pub fn new(total: Option<u64>, quiet: bool) -> Progress {
        let wanted = !quiet && std::io::stderr().is_terminal();
        Progress { start: Instant::now(), read: 0, total, wanted, bar: None }
    }

    /// So many bytes more were read.
    pub fn advance(&mut self, bytes: u64) {
        self.read += bytes;
        if !self.wanted || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let (bar, template) = match self.total {
                Some(total) => (
                    ProgressBar::new(total),
                    "{bytes}/{total_bytes} {wide_bar} {bytes_per_sec}, {eta} left",
                ),
                None => (ProgressBar::new_spinner(), "{spinner} {bytes} read, {bytes_per_sec}"),
            };
            match ProgressStyle::with_template(template) {
                Ok(style) => bar.with_style(style).with_elapsed(self.start.elapsed()),
                Err(_) => bar,
            }
        });
        bar.set_position(self.read);
    }
}

/// The bar goes before anything else is said.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
