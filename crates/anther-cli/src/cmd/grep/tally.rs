//! What a search came to.

use crate::units;
use grep_printer::Stats;
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

/// Counts over all files.
#[derive(Debug, Default)]
pub struct Tally {
    pub has_match: bool,
    /// The numbers of the files that match.
    pub matching: Vec<usize>,
    pub has_unreadable: bool,
    pub stats: Stats,
    pub index: IndexTally,
}

/// What the index was good for.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct IndexTally {
    pub blocks_skipped: u64,
    pub blocks_opened: u64,
    pub blocks_opened_in_vain: u64,
    pub files_skipped: u64,
    pub files_searched_without_index: u64,
    pub bytes_read: u64,
}

impl Tally {
    /// Adds the counts of another thread.
    pub fn add(&mut self, other: Tally) {
        self.has_match |= other.has_match;
        self.matching.extend(other.matching);
        self.has_unreadable |= other.has_unreadable;
        self.stats += other.stats;
        self.index.blocks_skipped += other.index.blocks_skipped;
        self.index.blocks_opened += other.index.blocks_opened;
        self.index.blocks_opened_in_vain += other.index.blocks_opened_in_vain;
        self.index.files_skipped += other.index.files_skipped;
        self.index.files_searched_without_index += other.index.files_searched_without_index;
        self.index.bytes_read += other.index.bytes_read;
    }

    /// The lines of `--stats`: ripgrep's, and then those about the index.
    pub fn text(&self, elapsed: Duration) -> String {
        let (stats, index) = (&self.stats, &self.index);
        format!(
            "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n\
             {} bytes printed\n{} bytes searched\n{:0.6} seconds spent searching\n\
             {:0.6} seconds total\n\
             {} blocks skipped\n{} blocks opened\n{} blocks opened in vain\n\
             {} files skipped\n{} files searched without the index\n{} read from files\n",
            stats.matches(),
            stats.matched_lines(),
            stats.searches_with_match(),
            stats.searches(),
            stats.bytes_printed(),
            stats.bytes_searched(),
            stats.elapsed().as_secs_f64(),
            elapsed.as_secs_f64(),
            index.blocks_skipped,
            index.blocks_opened,
            index.blocks_opened_in_vain,
            index.files_skipped,
            index.files_searched_without_index,
            units::size(index.bytes_read),
        )
    }

    /// The last line of `--json`: ripgrep's, with what the index was good for.
    pub fn summary(&self, elapsed: Duration) -> String {
        let summary = json!({
            "type": "summary",
            "data": {
                "stats": self.stats,
                "elapsed_total": {
                    "secs": elapsed.as_secs(),
                    "nanos": elapsed.subsec_nanos(),
                    "human": format!("{:0.6}s", elapsed.as_secs_f64()),
                },
                "index": self.index,
            },
        });
        format!("{summary}\n")
    }
}
