//! Progress bars, on a terminal: one line of standard error that is written over.

use anther::units;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Between two states of a bar, and before the first, in milliseconds.
const EVERY: u64 = 100;
const WAIT: u64 = 1000;

/// What the line on the screen is.
enum Line {
    Empty,
    Bar,
    /// Another thread ends the program: nothing more is drawn.
    Ended,
}

static LINE: Mutex<Line> = Mutex::new(Line::Empty);

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the bar, when another thread ends the program.
pub fn clear() {
    let mut line = line();
    wipe(&line);
    *line = Line::Ended;
}

fn wipe(line: &Line) {
    if matches!(line, Line::Bar) {
        // A terminal that is gone needs no bar.
        let _ = io::stderr().write_all(b"\r\x1b[2K");
    }
}

/// What is counted.
#[derive(Debug)]
enum Unit {
    Bytes,
    /// Parts of what the words say.
    Parts(String),
}

/// A progress bar. It shows only on a terminal, and only after a second.
#[derive(Debug)]
pub struct Progress {
    unit: Unit,
    start: Instant,
    done: AtomicU64,
    /// 0 as long as it is not known.
    total: AtomicU64,
    /// When it is drawn next, in milliseconds after the start.
    next: AtomicU64,
}

impl Progress {
    /// For reading this many bytes, if that is known.
    pub fn reading(total: Option<u64>, quiet: bool) -> Progress {
        Progress::new(total, Unit::Bytes, quiet)
    }

    /// For building a static filter.
    pub fn solving(quiet: bool) -> Progress {
        Progress::new(None, Unit::Parts("building".to_string()), quiet)
    }

    /// For a figure that is being measured.
    #[cfg(feature = "lab")]
    pub fn figures(name: &str, quiet: bool) -> Progress {
        Progress::new(None, Unit::Parts(name.to_string()), quiet)
    }

    fn new(total: Option<u64>, unit: Unit, quiet: bool) -> Progress {
        // A dumb terminal would print each state of the bar on its own line.
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shows = !quiet && !dumb && io::stderr().is_terminal();
        Progress {
            unit,
            start: Instant::now(),
            done: AtomicU64::new(0),
            total: AtomicU64::new(total.unwrap_or(0)),
            next: AtomicU64::new(if shows { WAIT } else { u64::MAX }),
        }
    }

    /// Adds bytes that were read.
    pub fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Relaxed);
        self.show();
    }

    /// Sets how many parts of the total are done.
    pub fn tell(&self, done: u64, total: u64) {
        self.total.store(total, Relaxed);
        self.done.store(done, Relaxed);
        self.show();
    }

    fn show(&self) {
        let due = self.next.load(Relaxed);
        if due == u64::MAX {
            return;
        }
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        // One of the threads draws.
        if now < due || self.next.compare_exchange(due, now + EVERY, Relaxed, Relaxed).is_err() {
            return;
        }
        let mut line = line();
        if !matches!(*line, Line::Ended) {
            let columns = terminal_size::terminal_size_of(io::stderr());
            let columns = columns.map_or(80, |(width, _)| usize::from(width.0));
            let text = self.text(now as f64 / 1000.0, columns.saturating_sub(1));
            let _ = io::stderr().write_all(format!("\r{text}\x1b[K").as_bytes());
            *line = Line::Bar;
        }
    }

    /// What is drawn, given the seconds since the start.
    fn text(&self, seconds: f64, columns: usize) -> String {
        let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
        let speed = done as f64 / seconds;
        let left = || match units::whole(total.saturating_sub(done) as f64 / speed) {
            seconds @ ..120 => format!("{seconds} s"),
            seconds => format!("{} min", seconds / 60),
        };
        let (before, after) = match &self.unit {
            Unit::Bytes if total == 0 => {
                let speed = units::size(units::whole(speed));
                return cut(&format!("{} read, {speed}/s", units::size(done)), columns).to_string();
            }
            Unit::Bytes => {
                let speed = units::size(units::whole(speed));
                let before = format!("{}/{} ", units::size(done), units::size(total));
                (before, format!(" {speed}/s, {} left", left()))
            }
            Unit::Parts(what) => (format!("{what} {done}/{total} "), format!(" {} left", left())),
        };
        let width = columns.saturating_sub(before.len() + after.len());
        let full = done.min(total) as f64 / total.max(1) as f64 * width as f64;
        let full = usize::try_from(units::whole(full)).unwrap_or(0).min(width);
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(width - full));
        cut(&format!("{before}{bar}{after}"), columns).to_string()
    }
}

/// A line that does not wrap.
fn cut(text: &str, columns: usize) -> &str {
    text.char_indices().nth(columns).map_or(text, |(at, _)| &text[..at])
}

/// Removes the bar, so that messages come after it.
impl Drop for Progress {
    fn drop(&mut self) {
        let mut line = line();
        if !matches!(*line, Line::Ended) {
            wipe(&line);
            *line = Line::Empty;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_the_line_and_says_how_long_it_takes() {
        let bar = Progress::reading(Some(4_000_000), true);
        bar.advance(1_000_000);
        assert_eq!(bar.text(2.0, 50), "1 MB/4 MB #####................ 500 kB/s, 6 s left");
        assert_eq!(bar.text(2.0, 20), "1 MB/4 MB  500 kB/s,");
        bar.advance(4_000_000);
        assert_eq!(bar.text(2.0, 49), "5 MB/4 MB #################### 2.5 MB/s, 0 s left");
    }

    #[test]
    fn without_a_total_it_counts() {
        let bar = Progress::reading(None, true);
        bar.advance(3_000);
        assert_eq!(bar.text(2.0, 50), "3 kB read, 1.5 kB/s");
        let bar = Progress::solving(true);
        bar.tell(1, 4);
        assert_eq!(bar.text(1.0, 40), "building 1/4 #####............. 3 s left");
        bar.tell(0, 0);
        assert!(bar.text(1.0, 40).starts_with("building 0/0 ..."));
    }
}
