//! Where a new filter goes: the first argument, or `-o`.

use crate::exit::Stop;
use crate::filter_file::{self, Destination};
use anther::Open;
use std::path::{Path, PathBuf};

/// The filter to make.
#[derive(clap::Args, Debug)]
pub struct OutArgs {
    /// The filter to make, unless -o names it
    #[arg(value_name = "OUT", required_unless_present = "output")]
    first: Option<PathBuf>,
    /// Where the filter goes, if not OUT; `-` is standard output
    ///
    /// All names without an option are inputs then.
    #[arg(short, long = "out", alias = "output", value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
}

impl OutArgs {
    /// Where the filter goes. `json` is whether standard output is needed for the report.
    pub fn destination(&self, json: bool) -> Result<Destination, Stop> {
        self.replacing(json, false)
    }

    /// The same for a Parquet file, which may replace another one with filters.
    #[cfg(feature = "parquet")]
    pub fn parquet_destination(&self, json: bool) -> Result<Destination, Stop> {
        self.replacing(json, true)
    }

    fn replacing(&self, json: bool, parquet: bool) -> Result<Destination, Stop> {
        let Some(output) = &self.output else {
            let first = self.path();
            if filter_file::is_stdin(first) {
                let cause = "to write the filter to standard output, use -o -; for a file of this \
                             name, use ./-";
                return Err(Stop::about("-", cause));
            }
            return Destination::new(first, self.force, parquet);
        };
        if !filter_file::is_stdin(output) {
            return Destination::new(output, self.force, parquet);
        }
        if self.force {
            return Err(Stop::Error("--force: not with -o -, which replaces no file".to_string()));
        }
        if json {
            let message = "--json: not with -o -, which writes the filter to standard output";
            return Err(Stop::Error(message.to_string()));
        }
        Destination::stdout()
    }

    /// The path of the filter, as the user named it.
    pub fn path(&self) -> &Path {
        let path = self.output.as_deref().or(self.first.as_deref());
        path.unwrap_or(Path::new("-"))
    }

    /// The first name, if `-o` makes it an input although it is a filter: then OUT was given twice.
    pub fn given_twice(&self) -> Option<Stop> {
        let (first, output) = self.first.as_deref().zip(self.output.as_deref())?;
        let is_filter = first.is_file() && Open::is_shared(first).is_ok();
        is_filter.then(|| {
            let output = output.display();
            let cause = format!("is a filter, and with -o {output} all names are lists of keys");
            Stop::about(first.display(), format_args!("{cause}; leave it out, or -o {output}"))
        })
    }

    /// The inputs: with `-o`, the first argument is one of them.
    pub fn inputs(&self, others: &[PathBuf]) -> Vec<PathBuf> {
        let first = self.first.iter().filter(|_| self.output.is_some());
        first.chain(others).cloned().collect()
    }
}
