//! Searches files on all cores.

use super::files::{Job, Known};
use super::page::{Page, Press};
use super::pieces::{OpenedBlocks, Pieces};
use super::print::{Mode, Printer, Searched, Style};
use super::source::{Filled, Source};
use super::tally::Tally;
use crate::exit::Stop;
use crate::output;
use anther::Threads;
use anther_index::{Candidates, FileEntry};
use grep_matcher::Matcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How files are searched.
pub struct Search<'a, M> {
    pub known: Known<'a>,
    pub matcher: M,
    pub searcher: SearcherBuilder,
    pub style: Style,
    /// Whether the first match is enough.
    pub is_quick: bool,
    pub press: &'a Press,
}

impl<M: Matcher + Clone + Send + Sync> Search<'_, M> {
    /// Searches the files, and prints what was found in their order.
    pub fn run(&self, jobs: &[Job<'_>]) -> Result<Tally, Stop> {
        let threads = Threads::all().get().min(jobs.len());
        let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (tally, stop) = (Mutex::new(Tally::default()), Mutex::new(None));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut worker = Worker::new(self);
                    while !enough.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(number) else { break };
                        let done = worker.search(job, number);
                        let has_enough = self.is_quick && worker.tally.has_match;
                        if has_enough || done.is_err() {
                            enough.store(true, Ordering::Relaxed);
                        }
                        if let Err(error) = done {
                            let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
                            stop.get_or_insert(Stop::output(&error));
                        }
                    }
                    tally.lock().unwrap_or_else(PoisonError::into_inner).add(worker.tally);
                });
            }
        });
        match stop.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(stop) => Err(stop),
            None => Ok(tally.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// A thread's own searcher and printer.
struct Worker<'a, M> {
    search: &'a Search<'a, M>,
    matcher: M,
    searcher: Searcher,
    printer: Printer<'a>,
    tally: Tally,
}

impl<'a, M: Matcher + Clone> Worker<'a, M> {
    fn new(search: &'a Search<'a, M>) -> Worker<'a, M> {
        Worker {
            search,
            // With a cache of its own: threads would contend for a shared one.
            matcher: search.matcher.clone(),
            searcher: search.searcher.build(),
            printer: Printer::new(search.style, Page::new(search.press)),
            tally: Tally::default(),
        }
    }

    /// Searches a file. Only errors of the output are errors: what cannot be read is reported, and
    /// the search goes on.
    fn search(&mut self, job: &Job<'_>, number: usize) -> io::Result<()> {
        self.printer.page().begin(number);
        let searched = match File::open(&job.path) {
            Ok(file) => self.search_file(job, file),
            // It was there a moment ago.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                self.cannot_read(&job.path, &format!("cannot read: {error}"));
                Ok(None)
            }
        };
        // Even after an error: the pages after this one wait for it.
        let finished = self.printer.page().finish();
        if let Some(Searched { has_match, stats }) = searched? {
            if has_match {
                self.tally.has_match = true;
                self.tally.matching.push(number);
            }
            if let Some(stats) = stats {
                self.tally.stats += stats;
            }
        }
        finished
    }

    fn search_file(&mut self, job: &Job<'_>, file: File) -> io::Result<Option<Searched>> {
        // A file that was given is searched to its end even if it is binary, as ripgrep does.
        self.searcher.set_binary_detection(match job.is_given {
            true => BinaryDetection::convert(b'\0'),
            false => BinaryDetection::quit(b'\0'),
        });
        // Once more, since it may have been replaced before it was opened.
        let is_same =
            |entry: &FileEntry| file.metadata().is_ok_and(|metadata| entry.is_unchanged(&metadata));
        let entry = job.entry.filter(|entry| is_same(entry));
        match entry.zip(self.search.known.candidates) {
            Some((entry, candidates)) => self.search_blocks(&job.path, file, entry, candidates),
            None => {
                self.tally.index.files_searched_without_index += 1;
                self.search_whole(&job.path, file)
            }
        }
    }

    /// Searches the blocks of a file that can match.
    fn search_blocks(
        &mut self,
        path: &Path,
        file: File,
        entry: &FileEntry,
        candidates: &Candidates,
    ) -> io::Result<Option<Searched>> {
        let known = self.search.known;
        let blocks = entry.blocks.clone();
        let count = u64::from(blocks.end - blocks.start);
        if !blocks.clone().any(|block| candidates.contains(block)) {
            // Only if paths without a match are printed.
            self.tally.index.blocks_skipped += count;
            return self.search_text(path, &mut io::empty(), &mut |_| ()).map(Some);
        }
        let counts_lines = self.searcher.line_number();
        let pieces = (!entry.is_binary && !entry.is_parquet)
            .then(|| Pieces::new(known.index, blocks, candidates, known.context, counts_lines))
            .flatten();
        let Some((pieces, mut opened)) = pieces else {
            self.tally.index.blocks_opened += count;
            let searched = self.search_whole(path, file)?;
            let has_match = searched.as_ref().is_some_and(|searched| searched.has_match);
            self.tally.index.blocks_opened_in_vain += if has_match { 0 } else { count };
            return Ok(searched);
        };
        if self.search.style.mode == Mode::Json {
            self.printer.page().move_offsets(pieces.offsets());
        }
        let source =
            if entry.is_compressed { Source::whole(file) } else { Ok(Source::plain(file)) };
        let searched = self.search_source(path, source, Some((&pieces, &mut opened)))?;
        let (opened, in_vain) = searched.1;
        self.tally.index.blocks_opened += opened;
        self.tally.index.blocks_opened_in_vain += in_vain;
        self.tally.index.blocks_skipped += count - opened;
        Ok(searched.0)
    }

    /// Searches all of a file.
    fn search_whole(&mut self, path: &Path, file: File) -> io::Result<Option<Searched>> {
        self.search_source(path, Source::whole(file), None).map(|(searched, _)| searched)
    }

    /// Searches a file or parts of it, and counts the blocks that were opened, and opened in vain.
    fn search_source(
        &mut self,
        path: &Path,
        source: io::Result<Source>,
        pieces: Option<(&Pieces, &mut OpenedBlocks)>,
    ) -> io::Result<(Option<Searched>, (u64, u64))> {
        let mut source = match source {
            Ok(source) => source,
            Err(error) => {
                self.cannot_read(path, &format!("cannot read: {error}"));
                return Ok((None, (0, 0)));
            }
        };
        let mut counts = (0, 0);
        let (result, has_failed) = match pieces {
            None => {
                let mut reader = Filled::new(&mut source);
                let result = self.search_text(path, &mut reader, &mut |_| ());
                (result, reader.has_failed)
            }
            Some((pieces, opened)) => {
                let mut reader = Filled::new(pieces.reader(&mut source));
                let mut note = |at| opened.note_match(at);
                let result = self.search_text(path, &mut reader, &mut note);
                counts = opened.count(reader.given);
                (result, reader.has_failed)
            }
        };
        self.tally.index.bytes_read += source.bytes_read();
        match result {
            Err(error) if has_failed => {
                self.cannot_read(path, &source.explain(&error));
                Ok((None, counts))
            }
            result => result.map(|searched| (Some(searched), counts)),
        }
    }

    fn search_text(
        &mut self,
        path: &Path,
        reader: &mut dyn Read,
        note: &mut dyn FnMut(u64),
    ) -> io::Result<Searched> {
        self.printer.search(&mut self.searcher, &self.matcher, path, reader, note)
    }

    fn cannot_read(&mut self, path: &Path, cause: &str) {
        self.tally.has_unreadable = true;
        output::complain(&format!("{}: {cause}", path.display()));
    }
}
