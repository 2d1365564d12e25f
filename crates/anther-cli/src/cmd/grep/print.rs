//! ripgrep's printers, set up as ripgrep does.

use super::page::Page;
use grep_matcher::Matcher;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder,
    SummaryKind, default_color_specs,
};
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::io::{self, Read};
use std::path::Path;

/// What is printed of the matches of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The lines.
    Lines,
    /// The lines, as JSON.
    Json,
    /// Only this.
    Summary(SummaryKind),
}

/// How it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub mode: Mode,
    pub with_path: bool,
    pub with_heading: bool,
    pub only_matching: bool,
    pub with_stats: bool,
    /// Whether a NUL byte ends a path, instead of a line ending or colon.
    pub null: bool,
}

/// A printer of one thread.
pub enum Printer<'a> {
    Lines(Standard<Page<'a>>),
    Json(JSON<Page<'a>>),
    Summary(Summary<Page<'a>>),
}

/// What a search came to.
pub struct Searched {
    pub has_match: bool,
    pub stats: Option<Stats>,
}

impl<'a> Printer<'a> {
    pub fn new(style: Style, page: Page<'a>) -> Printer<'a> {
        let colours = ColorSpecs::new(&default_color_specs());
        let terminator = style.null.then_some(b'\0');
        match style.mode {
            Mode::Lines => Printer::Lines(
                StandardBuilder::new()
                    .color_specs(colours)
                    .heading(style.with_heading)
                    .only_matching(style.only_matching)
                    .path(style.with_path)
                    .path_terminator(terminator)
                    .per_match_one_line(true)
                    .stats(style.with_stats)
                    .build(page),
            ),
            Mode::Json => Printer::Json(JSONBuilder::new().always_begin_end(false).build(page)),
            Mode::Summary(kind) => Printer::Summary(
                SummaryBuilder::new()
                    .color_specs(colours)
                    .exclude_zero(true)
                    .kind(kind)
                    .path(style.with_path)
                    .path_terminator(terminator)
                    .stats(style.with_stats)
                    .build(page),
            ),
        }
    }

    /// The page that it prints on.
    pub fn page(&mut self) -> &mut Page<'a> {
        match self {
            Printer::Lines(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
        }
    }

    /// Searches a file, and tells where matching lines begin.
    pub fn search<M: Matcher>(
        &mut self,
        searcher: &mut Searcher,
        matcher: &M,
        path: &Path,
        reader: impl Read,
        note: &mut dyn FnMut(u64),
    ) -> io::Result<Searched> {
        match self {
            Printer::Lines(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, reader, Watched { sink: &mut sink, note })?;
                Ok(Searched { has_match: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, reader, Watched { sink: &mut sink, note })?;
                Ok(Searched { has_match: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                searcher.search_reader(matcher, reader, Watched { sink: &mut sink, note })?;
                Ok(Searched { has_match: sink.has_match(), stats: sink.stats().cloned() })
            }
        }
    }
}

/// A sink whose matches are noted.
struct Watched<'n, S> {
    sink: S,
    note: &'n mut dyn FnMut(u64),
}

impl<S: Sink> Sink for Watched<'_, S> {
    type Error = S::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, S::Error> {
        (self.note)(found.absolute_byte_offset());
        self.sink.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, line: &SinkContext<'_>) -> Result<bool, S::Error> {
        self.sink.context(searcher, line)
    }

    fn context_break(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.sink.context_break(searcher)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> Result<bool, S::Error> {
        self.sink.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.sink.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, end: &SinkFinish) -> Result<(), S::Error> {
        self.sink.finish(searcher, end)
    }
}
