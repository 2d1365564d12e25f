//! Searches files on all cores.

use super::column::{ColumnKey, KeyedRecords, SharedOffsets};
use super::files::{Job, Known};
use super::page::{Page, Press};
#[cfg(feature = "parquet")]
use super::parquet_rows::KeyedRows;
use super::pieces::{Offsets, OpenedBlocks, Pieces};
use super::print::{Mode, Printer, Searched, Style};
use super::source::{Filled, Source};
use super::tally::Tally;
use crate::column_format::{ColumnFormat, START};
use crate::exit::Stop;
use crate::output;
use anther::Threads;
use anther_index::{Candidates, FileEntry};
use grep_matcher::Matcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How files are searched.
pub struct Search<'a, M> {
    pub known: Known<'a>,
    pub matcher: M,
    pub searcher: SearcherBuilder,
    pub style: Style,
    /// The column that must have a key, if that is what is searched for.
    pub column: Option<ColumnKey>,
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

/// A thread's own printer, and the searcher of its file.
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
        // A new one for each file: the buffer of one that met a long line stays long, and what becomes
        // of a NUL byte depends on how much is in the buffer.
        self.searcher = self.search.searcher.build();
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
            // Only if paths without a match are printed, and those of binary files are not.
            if entry.is_binary || entry.is_parquet {
                return self.search_whole(path, file);
            }
            self.tally.index.blocks_skipped += count;
            return self.search_text(path, &mut io::empty(), &mut |_| ()).map(Some);
        }
        #[cfg(feature = "parquet")]
        if let (true, Some(key)) = (entry.is_parquet, &self.search.column) {
            let wanted = blocks.map(|block| candidates.contains(block)).collect();
            return self.search_rows(path, file, key, Some(wanted));
        }
        let counts_lines = self.searcher.line_number();
        // A block of CSV may begin within a quoted field.
        let is_apart = self.search.column.is_none() || entry.has_records_by_line();
        let pieces = (!entry.is_binary && !entry.is_parquet && is_apart)
            .then(|| Pieces::new(known.index, blocks, candidates, known.context, counts_lines))
            .flatten();
        let Some((pieces, mut opened)) = pieces else {
            self.tally.index.blocks_opened += count;
            let searched = self.search_whole(path, file)?;
            let has_match = searched.as_ref().is_some_and(|searched| searched.has_match);
            self.tally.index.blocks_opened_in_vain += if has_match { 0 } else { count };
            return Ok(searched);
        };
        let source =
            if entry.is_compressed { Source::whole(file) } else { Ok(Source::plain(file)) };
        let (searched, given) = self.search_source(path, source, Some(&pieces), &mut opened)?;
        let (opened, in_vain) = opened.count(given);
        self.tally.index.blocks_opened += opened;
        self.tally.index.blocks_opened_in_vain += in_vain;
        self.tally.index.blocks_skipped += count - opened;
        Ok(searched)
    }

    /// Searches all of a file.
    fn search_whole(&mut self, path: &Path, file: File) -> io::Result<Option<Searched>> {
        let opened = &mut OpenedBlocks::default();
        self.search_source(path, Source::whole(file), None, opened).map(|(searched, _)| searched)
    }

    /// Searches a file or pieces of it. Also says how much of those was read.
    fn search_source(
        &mut self,
        path: &Path,
        source: io::Result<Source>,
        pieces: Option<&Pieces>,
        opened: &mut OpenedBlocks,
    ) -> io::Result<(Option<Searched>, u64)> {
        let mut source = match source {
            Ok(source) => source,
            Err(error) => {
                self.cannot_read(path, &format!("cannot read: {error}"));
                return Ok((None, 0));
            }
        };
        let offsets = pieces.map(Pieces::offsets).unwrap_or_default();
        let text: &mut dyn Read = match pieces {
            Some(pieces) => &mut pieces.reader(&mut source),
            None => &mut source,
        };
        let mut reader = Filled::new(text);
        let result = match &self.search.column {
            None => {
                self.move_offsets(&Arc::new(Mutex::new(offsets)));
                self.search_text(path, &mut reader, &mut |at| opened.note_match(at)).map(Some)
            }
            Some(key) => self.search_column(path, key, &mut reader, &offsets, opened),
        };
        let Filled { given, has_failed, .. } = reader;
        self.tally.index.bytes_read += source.bytes_read();
        match result {
            Err(error) if has_failed => {
                self.cannot_read(path, &source.explain(&error));
                Ok((None, given))
            }
            result => result.map(|searched| (searched, given)),
        }
    }

    /// Searches the records that have the key. A text without the column has none.
    fn search_column(
        &mut self,
        path: &Path,
        ColumnKey { column, key }: &ColumnKey,
        text: &mut dyn Read,
        from: &Offsets,
        opened: &mut OpenedBlocks,
    ) -> io::Result<Option<Searched>> {
        let mut start = Vec::new();
        Source::whole(File::open(path)?)?.take(START as u64).read_to_end(&mut start)?;
        if crate::content::is_parquet(&start) {
            #[cfg(feature = "parquet")]
            {
                let key = &ColumnKey { column: column.clone(), key: key.clone() };
                return self.search_rows(path, File::open(path)?, key, None);
            }
            #[cfg(not(feature = "parquet"))]
            {
                self.cannot_read(path, crate::content::PARQUET_WITHOUT_FEATURE);
                return Ok(None);
            }
        }
        let Some(format) = ColumnFormat::of(&start, slice::from_ref(column)) else {
            return self.search_text(path, &mut io::empty(), &mut |_| ()).map(Some);
        };
        let to = SharedOffsets::default();
        self.move_offsets(&to);
        let mut records = KeyedRecords::new(text, &format, key, from, to, opened);
        self.search_text(path, &mut records, &mut |_| ()).map(Some)
    }

    /// Searches the rows of a Parquet file, in these row groups.
    #[cfg(feature = "parquet")]
    fn search_rows(
        &mut self,
        path: &Path,
        file: File,
        ColumnKey { column, key }: &ColumnKey,
        wanted: Option<Vec<bool>>,
    ) -> io::Result<Option<Searched>> {
        let by_index = wanted.as_ref().map(|wanted| wanted.len() as u64);
        let mut rows = match KeyedRows::open(file, column, key, wanted) {
            Ok(Some(rows)) => rows,
            Ok(None) => return self.search_text(path, &mut io::empty(), &mut |_| ()).map(Some),
            Err(error) => {
                self.cannot_read(path, &error.to_string());
                return Ok(None);
            }
        };
        let mut reader = Filled::new(&mut rows);
        let result = self.search_text(path, &mut reader, &mut |_| ());
        let has_failed = reader.has_failed;
        let missing = rows.not_printed().join(", ");
        if !missing.is_empty() && result.as_ref().is_ok_and(|searched| searched.has_match) {
            let cause = format!("its rows are printed without the intervals of {missing}");
            output::note(&format!("{}: {cause}", path.display()));
        }
        if let Some(groups) = by_index {
            self.tally.index.blocks_opened += rows.opened;
            self.tally.index.blocks_opened_in_vain += rows.in_vain;
            self.tally.index.blocks_skipped += groups.saturating_sub(rows.opened);
        }
        match result {
            Err(error) if has_failed => {
                self.cannot_read(path, &error.to_string());
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    fn move_offsets(&mut self, offsets: &SharedOffsets) {
        if self.search.style.mode == Mode::Json {
            self.printer.page().move_offsets(Arc::clone(offsets));
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
