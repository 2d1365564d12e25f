//! The options of lookups over the web.

use std::path::PathBuf;

const HEADING: &str = "Options for filters on the web";

/// How a filter on a web server is read.
#[derive(clap::Args, Clone, Debug)]
pub struct HttpArgs {
    /// Fetch pages of 2048 bytes, verified, or lines of 64, unverified
    ///
    /// A page is verified by its checksum, which the file has if it was built with --pages. A line
    /// can be fetched of any file, and nobody notices if it is corrupt. What is fetched also tells the
    /// server where the key's hash is: of a filter of 2 GB, a page reveals 20 bits of it and a line
    /// 25; of 120 MB, 16 and 21.
    #[arg(long, value_name = "BYTES", default_value = "2048", value_parser = ["2048", "64"])]
    #[arg(help_heading = HEADING, hide_short_help = true, hide_possible_values = true)]
    pub page: String,
    /// Folder for what is known of files on the web [default: $XDG_CACHE_HOME/anther]
    ///
    /// It has the first 16 KiB of each file, by its address and entity tag, so that a lookup in a
    /// known file takes one request. Without XDG_CACHE_HOME it is ~/.cache/anther.
    #[arg(long, value_name = "DIR", help_heading = HEADING, hide_short_help = true)]
    pub cache: Option<PathBuf>,
    /// Read and write no cache
    #[arg(long, conflicts_with = "cache", help_heading = HEADING, hide_short_help = true)]
    pub no_cache: bool,
    /// Seconds for each request, from its start to its last byte
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub timeout: u64,
    /// Further tries of a request that failed: no connection, no answer in time, a busy server
    ///
    /// After 0.2 s, 0.4 s and so on. A server that answers wrongly is not asked again.
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub retries: u32,
    /// Trust the certificates in this file (PEM) instead of those that browsers trust
    #[arg(long, value_name = "FILE", help_heading = HEADING, hide_short_help = true)]
    pub ca: Option<PathBuf>,
    /// Print on standard error how many requests and bytes it took
    #[arg(long, help_heading = HEADING, hide_short_help = true)]
    pub stats: bool,
}
