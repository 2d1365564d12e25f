//! The options of lookups over the web.

use anther::remote::Reads;
use std::path::PathBuf;
use std::time::Duration;

const HEADING: &str = "Options for filters on the web";

/// How a filter on a web server is read.
#[derive(clap::Args, Clone, Debug)]
pub struct HttpArgs {
    /// Fetch pages of 2048 bytes, verified, or lines of 64, unverified [default: 2048]
    ///
    /// A page is verified by its checksum, which the file has if it was built with --pages. A line
    /// can be fetched of any blocked, split, fuse or ribbon filter, and nobody notices if it is
    /// corrupt. What is fetched also tells the
    /// server where the key's hash is: of a filter of 2 GB, a page reveals 20 bits of it and a line
    /// 25; of 120 MB, 16 and 21.
    #[arg(long, value_name = "BYTES", value_parser = ["2048", "64"])]
    #[arg(help_heading = HEADING, hide_short_help = true, hide_possible_values = true)]
    pub page: Option<String>,
    /// Folder for what is known of files on the web [default: $XDG_CACHE_HOME/anther]
    ///
    /// It has the first 16 KiB of each file, by its address and entity tag, so that a lookup in a
    /// known file takes one request. Without XDG_CACHE_HOME it is ~/.cache/anther.
    #[arg(long, value_name = "DIR", help_heading = HEADING, hide_short_help = true)]
    pub cache: Option<PathBuf>,
    /// Read and write no cache
    #[arg(long, conflicts_with = "cache", help_heading = HEADING, hide_short_help = true)]
    pub no_cache: bool,
    /// Seconds for each request, from its start to its last byte [default: 30]
    #[arg(long, value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub timeout: Option<u64>,
    /// Further tries of a request that failed: no connection, no answer in time, a busy server [default: 2]
    ///
    /// After 0.2 s, 0.4 s and so on. A server that answers wrongly is not asked again.
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10))]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub retries: Option<u32>,
    /// Trust the certificates in this file (PEM) instead of those that browsers trust
    ///
    /// They are of CAs that signed the server's certificate, or the server's own. Its own may not be
    /// that of a CA, as openssl req -x509 makes it unless -addext basicConstraints=critical,CA:FALSE
    /// is given.
    #[arg(long, value_name = "FILE", help_heading = HEADING, hide_short_help = true)]
    pub ca: Option<PathBuf>,
    /// Print on standard error how many requests and bytes it took
    #[arg(long, help_heading = HEADING, hide_short_help = true)]
    pub stats: bool,
}

impl HttpArgs {
    /// How much is read for a lookup.
    pub fn reads(&self) -> Reads {
        if self.page.as_deref() == Some("64") { Reads::Lines } else { Reads::Pages }
    }

    /// How long a request may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(30))
    }

    /// Further tries of a request that failed.
    pub fn retries(&self) -> u32 {
        self.retries.unwrap_or(2)
    }

    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--page", self.page.is_some()),
            ("--cache", self.cache.is_some()),
            ("--no-cache", self.no_cache),
            ("--timeout", self.timeout.is_some()),
            ("--retries", self.retries.is_some()),
            ("--ca", self.ca.is_some()),
            ("--stats", self.stats),
        ];
        given.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }
}
