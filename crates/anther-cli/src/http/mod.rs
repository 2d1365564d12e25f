//! Lookups in filters on web servers, which send only the bytes that a lookup reads.
//!
//! | file | what |
//! |---|---|
//! | `client` | one request, and what makes its answer valid |
//! | `ranges` | many ranges, in few requests, several at once |
//! | `cache` | what is known of a file, on disk |
//! | `parse`, `error`, `args` | headers and parts; what went wrong; options |

mod args;
mod cache;
mod client;
mod error;
mod parse;
mod ranges;

pub use args::HttpArgs;

use crate::exit::Stop;
use crate::{filter_file, output, units};
use anther::remote::{Reads, Remote};
use anther::{About, KeyHash, Kind, LoadError, Open, RemoteError};
use cache::Cache;
use client::Client;
use error::HttpError;
use ranges::HttpRanges;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// Keys that are looked up together. What they read is kept until all are answered, in addition to
/// [`KEPT`]: 8 MiB for blocked filters, 26 MiB for fuse.
const BATCH: usize = 4096;

/// The most bytes of pages that are kept from one batch to the next.
const KEPT: usize = 64 << 20;

/// A filter on a web server.
pub struct WebFilter {
    about: About,
    kind: Kind,
    /// As the user named it.
    name: String,
    is_replaced: AtomicBool,
    inner: Mutex<Inner>,
}

struct Inner {
    source: Source,
    remote: Remote,
    ranges: HttpRanges,
}

/// Where a filter comes from, and how it is read.
struct Source {
    url: Url,
    how: Open,
    reads: Reads,
    client: Arc<Client>,
    cache: Option<Cache>,
    /// Whether a cache that cannot be written is worth a message.
    says_cache: bool,
}

/// What `--stats` prints with `--json`.
#[derive(Serialize)]
struct StatsJson {
    requests: u64,
    /// Bytes of the answers, without their headers.
    bytes: u64,
    /// Bytes of cells that were asked for.
    cells: u64,
}

impl WebFilter {
    /// Opens a filter. What the cache knows is confirmed now, or else by the first lookup, which
    /// takes no request of its own.
    pub fn open(
        path: &Path,
        how: Open,
        args: &HttpArgs,
        confirms: bool,
    ) -> Result<WebFilter, Stop> {
        let stop = |cause: &str| Stop::about(output::shown(path), cause);
        let url = path.to_str().and_then(|text| Url::parse(text).ok());
        let url = url.ok_or_else(|| stop("not a web address; https://host/file is one"))?;
        let reads = args.reads();
        let mut cache = if args.no_cache { None } else { Cache::new(args.cache.as_deref()) };
        if let Some(obstacle) = cache.as_ref().and_then(|cache| cache.obstacle(&url)) {
            let cause = "is not a regular file, so nothing is cached; remove it";
            output::complain(&format!("warning: {}: {cause}", obstacle.display()));
            cache = None;
        }
        let client = Arc::new(Client::new(url.clone(), args)?);
        let says_cache = args.cache.is_some();
        let source = Source { url, how, reads, client, cache, says_cache };
        let opened = match source.open_cached() {
            Some((remote, mut ranges)) => match confirms.then(|| ranges.confirm()) {
                Some(Err(HttpError::Changed)) => source.open(),
                Some(Err(error)) => Err(std::io::Error::other(error).into()),
                _ => Ok((remote, ranges)),
            },
            None => source.open(),
        };
        let (remote, ranges) = opened.map_err(|error| explained(path, error))?;
        let (about, kind) = (remote.about().clone(), remote.kind());
        let name = output::shown(path).to_string();
        let inner = Mutex::new(Inner { source, remote, ranges });
        Ok(WebFilter { about, kind, name, is_replaced: AtomicBool::new(false), inner })
    }

    /// Whether a lookup found another filter under the address, whose keys are hashed otherwise.
    pub fn is_replaced(&self) -> bool {
        self.is_replaced.load(Ordering::Relaxed)
    }

    /// Counts the requests of a filter that this one replaces.
    pub fn count_also(&self, old: &WebFilter) {
        let client = |one: &WebFilter| {
            let inner = one.inner.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&inner.source.client)
        };
        let (new, old) = (client(self), client(old));
        new.requests.fetch_add(old.requests.load(Ordering::Relaxed), Ordering::Relaxed);
        new.received.fetch_add(old.received.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// What the filter was made for and with.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Looks up keys by their hashes.
    pub fn contains_hashes(&self, keys: &[KeyHash]) -> Result<Vec<bool>, Stop> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(BATCH) {
            let some = match inner.look_up(keys) {
                Err(error) if may_have_changed(&error) => {
                    inner.open_again(&self.name)?;
                    let now = inner.remote.about();
                    if (now.seed, now.rule()) != (self.about.seed, self.about.rule()) {
                        self.is_replaced.store(true, Ordering::Relaxed);
                        let cause = "was replaced by a filter with another seed or other keys";
                        return Err(Stop::about(
                            &self.name,
                            format_args!("{cause}; start check again"),
                        ));
                    }
                    inner.look_up(keys)
                }
                done => done,
            };
            found.extend(some.map_err(|error| explained(Path::new(&self.name), error))?);
        }
        Ok(found)
    }

    /// Prints how many requests and bytes it took.
    pub fn say_stats(&self, json: bool) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let requests = inner.source.client.requests.load(Ordering::Relaxed);
        let bytes = inner.source.client.received.load(Ordering::Relaxed);
        let cells = inner.ranges.cells.map_or(0, |(_, read)| read);
        if json && let Ok(line) = serde_json::to_string(&StatsJson { requests, bytes, cells }) {
            // As it is, without the program's name: one object on a line.
            let _ = writeln!(std::io::stderr().lock(), "{line}");
            return;
        }
        output::complain(&format!(
            "{}: {} request{}, {} received, {} of cells",
            self.name,
            units::count(requests),
            if requests == 1 { "" } else { "s" },
            units::size(bytes),
            units::size(cells),
        ));
    }
}

impl Source {
    /// Opens the filter with what the cache knows. Whether that is still true, the first lookup tells.
    fn open_cached(&self) -> Option<(Remote, HttpRanges)> {
        let (version, known) = self.cache.as_ref()?.read(&self.url)?;
        let mut ranges = HttpRanges::new(Arc::clone(&self.client));
        (ranges.version, ranges.known) = (Some(version), known);
        self.open_with(ranges).ok()
    }

    /// Opens the filter; once more if the file changes meanwhile.
    fn open(&self) -> Result<(Remote, HttpRanges), RemoteError> {
        let new = || HttpRanges::new(Arc::clone(&self.client));
        let (remote, mut ranges) = match self.open_with(new()) {
            Err(error) if has_changed(&error) => self.open_with(new())?,
            done => done?,
        };
        if let (Some(cache), Some(version), Some(noted)) =
            (&self.cache, &ranges.version, &ranges.noted.take())
            && let Err(error) = cache.write(&self.url, version, noted)
            && self.says_cache
        {
            let folder = cache.folder().display();
            output::complain(&format!("warning: {folder}: cannot be written: {error}"));
        }
        Ok((remote, ranges))
    }

    fn open_with(&self, mut ranges: HttpRanges) -> Result<(Remote, HttpRanges), RemoteError> {
        let mut remote = Remote::open(&mut ranges, self.how, self.reads)?;
        remote.keep(KEPT);
        remote.check_len(ranges.version.as_ref().map_or(0, |version| version.len))?;
        ranges.cells = Some((remote.cells().start, 0));
        Ok((remote, ranges))
    }
}

impl Inner {
    fn look_up(&mut self, keys: &[KeyHash]) -> Result<Vec<bool>, RemoteError> {
        let found = self.remote.contains_hashes(&mut self.ranges, keys)?;
        self.ranges.noted = None;
        // Bytes of a cache, or pages that are kept, may be of an older version.
        self.ranges.confirm().map_err(std::io::Error::other)?;
        Ok(found)
    }

    /// Opens a file that has changed.
    fn open_again(&mut self, name: &str) -> Result<(), Stop> {
        let read = self.ranges.cells.map_or(0, |(_, read)| read);
        let opened = self.source.open().map_err(|error| explained(Path::new(name), error))?;
        (self.remote, self.ranges) = opened;
        if let Some((_, sum)) = &mut self.ranges.cells {
            *sum += read;
        }
        Ok(())
    }
}

/// Whether the server said that the file is another one now.
fn has_changed(error: &RemoteError) -> bool {
    matches!(http_error(error), Some(HttpError::Changed))
}

/// The same, or its bytes are others than before, which a server without entity tags does not say.
fn may_have_changed(error: &RemoteError) -> bool {
    let is_other =
        matches!(error, RemoteError::Page { .. } | RemoteError::Load(LoadError::Checksum { .. }));
    is_other || has_changed(error)
}

fn http_error(error: &RemoteError) -> Option<&HttpError> {
    let RemoteError::Io(error) = error else { return None };
    error.get_ref()?.downcast_ref()
}

/// The error with what to do.
fn explained(path: &Path, error: RemoteError) -> Stop {
    let shown = output::shown(path);
    if let Some(error) = http_error(&error) {
        return Stop::about(shown, error);
    }
    match error {
        RemoteError::Load(LoadError::Range) => {
            Stop::about(shown, "is a range filter, which is not read over the web; download it")
        }
        RemoteError::Load(error) => filter_file::explained(path, error),
        RemoteError::NoPages => Stop::about(
            shown,
            "has no checksums of pages, so what is fetched cannot be verified; make them with anther \
             build --pages, or anther convert OUT FILTER --pages, or fetch lines that are not verified \
             with --page 64",
        ),
        other => Stop::about(shown, other),
    }
}

#[cfg(test)]
mod tests;
