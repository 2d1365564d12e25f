//! Results of several threads, printed in the order of the files.
//!
//! The first unfinished file prints at once. Later ones are kept in memory until it is their turn,
//! up to a limit; then their threads wait.

#[cfg(all(test, anther_shuttle))]
mod model;

use super::column::SharedOffsets;
use super::pieces::Offsets;
use super::record_end::{RecordEnds, end_line_in_json, with_line_ends};
use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use termcolor::{Ansi, ColorSpec, WriteColor};

/// Bytes per write.
const CHUNK: usize = 1 << 16;

/// The most that one file keeps in memory while it is not its turn.
const PAGE: usize = if cfg!(all(test, anther_shuttle)) { 10 } else { 1 << 20 };

/// The most that all finished files keep.
const PAGES: usize = if cfg!(all(test, anther_shuttle)) { 8 } else { 1 << 26 };

/// Where pages are put together again.
pub struct Press {
    state: Mutex<State>,
    /// The number of the page that is printed now.
    turn: AtomicUsize,
    changed: Condvar,
    /// What stands between the pages of two files.
    separator: Option<&'static [u8]>,
    /// Whether lines are printed as soon as they are found.
    is_live: bool,
    is_coloured: bool,
    ends: RecordEnds,
}

struct State {
    out: Box<dyn Write + Send>,
    finished: BTreeMap<usize, Vec<u8>>,
    kept: usize,
    has_printed: bool,
}

impl Press {
    /// Prints to this, which is a terminal or not.
    pub fn new(
        out: Box<dyn Write + Send>,
        is_live: bool,
        is_coloured: bool,
        separator: Option<&'static [u8]>,
        ends: RecordEnds,
    ) -> Press {
        let state = State { out, finished: BTreeMap::new(), kept: 0, has_printed: false };
        Press {
            state: Mutex::new(state),
            turn: AtomicUsize::new(0),
            changed: Condvar::new(),
            separator,
            is_live,
            is_coloured,
            ends,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_turn(&self, number: usize) -> bool {
        self.turn.load(Ordering::Acquire) == number
    }

    fn print(&self, state: &mut State, bytes: &[u8], is_first: bool) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(separator) = self.separator.filter(|_| is_first && state.has_printed) {
            state.out.write_all(separator)?;
            state.out.write_all(b"\n")?;
        }
        state.has_printed = true;
        state.out.write_all(bytes)
    }

    /// Prints what the page has, when it is its turn.
    fn take(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut state = self.lock();
        while !self.is_turn(page.number) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.print(&mut state, &page.bytes, !page.has_printed)?;
        page.has_printed = true;
        page.bytes.clear();
        state.out.flush()
    }

    /// A page is complete. Prints it, and those after it that are, if it is its turn.
    fn finish(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut state = self.lock();
        if !self.is_turn(page.number) {
            let bytes = std::mem::take(&mut page.bytes);
            state.kept += bytes.len();
            state.finished.insert(page.number, bytes);
            while state.kept > PAGES {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            return Ok(());
        }
        let mut result = self.print(&mut state, &page.bytes, !page.has_printed);
        page.bytes.clear();
        let mut turn = page.number + 1;
        while let Some(bytes) = state.finished.remove(&turn) {
            state.kept -= bytes.len();
            // After an error, the others are only counted, so that nobody waits for them.
            result = result.and_then(|()| self.print(&mut state, &bytes, true));
            turn += 1;
        }
        self.turn.store(turn, Ordering::Release);
        self.changed.notify_all();
        result.and_then(|()| state.out.flush())
    }

    /// Prints text after all pages.
    pub fn end(&self, text: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        state.out.write_all(text)?;
        state.out.flush()
    }
}

/// What a thread prints about a file.
pub struct Page<'a> {
    press: &'a Press,
    number: usize,
    bytes: Vec<u8>,
    has_printed: bool,
    /// For JSON: where in the file is what was searched.
    offsets: Option<SharedOffsets>,
    line: Vec<u8>,
}

impl<'a> Page<'a> {
    /// A page for any file.
    pub fn new(press: &'a Press) -> Page<'a> {
        let (bytes, line) = (Vec::new(), Vec::new());
        Page { press, number: 0, bytes, has_printed: false, offsets: None, line }
    }

    /// Turns to the file of this number.
    pub fn begin(&mut self, number: usize) {
        (self.number, self.has_printed, self.offsets) = (number, false, None);
        self.bytes.clear();
        self.line.clear();
    }

    /// Prints offsets in the file, as JSON has them, although only pieces of it are searched.
    pub fn move_offsets(&mut self, offsets: SharedOffsets) {
        self.offsets = Some(offsets);
    }

    /// The file is done.
    pub fn finish(&mut self) -> io::Result<()> {
        self.press.finish(self)
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        let is_live = self.press.is_live && bytes.ends_with(b"\n");
        let is_ready = self.bytes.len() >= CHUNK || is_live;
        if self.bytes.len() >= PAGE || (is_ready && self.press.is_turn(self.number)) {
            return self.press.take(self);
        }
        Ok(())
    }

    /// Adds messages of JSON that are not yet right.
    fn add_json(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.line.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            let mut line = std::mem::take(&mut self.line);
            if let Some(offsets) = &self.offsets {
                line = moved(&line, &offsets.lock().unwrap_or_else(PoisonError::into_inner));
            }
            if self.press.ends == RecordEnds::Json {
                end_line_in_json(&mut line);
            }
            self.add(&line)?;
        }
        self.line.extend_from_slice(rest);
        Ok(())
    }
}

impl Write for Page<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.press.ends {
            RecordEnds::Lines if self.offsets.is_none() => self.add(bytes)?,
            RecordEnds::Bytes => self.add(&with_line_ends(bytes))?,
            RecordEnds::Lines | RecordEnds::Json => self.add_json(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteColor for Page<'_> {
    fn supports_color(&self) -> bool {
        self.press.is_coloured
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        match self.press.is_coloured {
            true => Ansi::new(self).set_color(spec),
            false => Ok(()),
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        match self.press.is_coloured {
            true => Ansi::new(self).reset(),
            false => Ok(()),
        }
    }
}

/// A line of JSON with its offset in the file instead of that in the pieces. No string of the line
/// can look like the field: its quotes would be escaped.
fn moved(line: &[u8], offsets: &Offsets) -> Vec<u8> {
    const FIELD: &[u8] = b",\"absolute_offset\":";
    let moved = || {
        let start = memchr::memmem::find(line, FIELD)? + FIELD.len();
        let digits = line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let at: u64 = str::from_utf8(&line[start..start + digits]).ok()?.parse().ok()?;
        let number = offsets.of(at).to_string();
        Some([&line[..start], number.as_bytes(), &line[start + digits..]].concat())
    };
    moved().unwrap_or_else(|| line.to_vec())
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, PAGE, Page, Press, RecordEnds};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use std::thread;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn press(kept: &Kept, separator: Option<&'static [u8]>) -> Press {
        Press::new(Box::new(kept.clone()), false, false, separator, RecordEnds::Lines)
    }

    #[test]
    fn pages_are_printed_in_their_order() {
        let kept = Kept::default();
        let press = press(&kept, Some(b"--"));
        for (number, text) in [(2, "two\n"), (1, ""), (3, "three\n"), (0, "zero\n")] {
            let mut page = Page::new(&press);
            page.begin(number);
            page.write_all(text.as_bytes()).unwrap();
            page.finish().unwrap();
        }
        assert_eq!(*kept.0.lock().unwrap(), b"zero\n--\ntwo\n--\nthree\n");
    }

    #[test]
    fn the_first_page_prints_at_once_and_a_long_one_waits_for_its_turn() {
        let kept = Kept::default();
        let press = press(&kept, None);
        let mut first = Page::new(&press);
        first.begin(0);
        first.write_all(&vec![b'a'; CHUNK]).unwrap();
        assert_eq!(kept.0.lock().unwrap().len(), CHUNK);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut second = Page::new(&press);
                second.begin(1);
                second.write_all(&vec![b'b'; PAGE]).unwrap();
                second.finish().unwrap();
            });
            first.write_all(b"end").unwrap();
            first.finish().unwrap();
        });
        let all = kept.0.lock().unwrap();
        assert_eq!(all.len(), CHUNK + 3 + PAGE);
        assert!(all[CHUNK..].starts_with(b"endb"));
    }
}
