//! Reads ranges of a file on a web server: many in a request, and several requests at once.

use super::client::{Answer, Client, Outcome, Version};
use super::error::HttpError;
use super::parse::Part;
use anther::remote::ReadRanges;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Ranges in a request. Apache takes 200, and in headers of 8 KiB, which nginx takes, there is room
/// for 200 of large files.
const RANGES: usize = 100;

/// How long answers come from memory alone before the server is asked whether the file is another
/// one: a byte in five seconds is little, and a list on the web is hardly replaced more often.
const FRESH: Duration = Duration::from_secs(5);

/// Requests at once.
pub const CONNECTIONS: usize = 4;

/// Some ranges of a file and their bytes, in the order in which they were read.
pub type Known = Vec<(Range<u64>, Vec<u8>)>;

/// A file on a web server, of one version.
pub struct HttpRanges {
    client: Arc<Client>,
    /// The version that all bytes are of, once it is known.
    pub version: Option<Version>,
    /// When the server has confirmed that version.
    confirmed: Option<Instant>,
    /// What is known beforehand, from a cache.
    pub known: Known,
    /// What was read, if it is to be kept.
    pub noted: Option<Known>,
    /// Whether a request may ask for several ranges.
    several: AtomicBool,
    /// Where the cells begin, once that is known, and how many bytes of them were read.
    pub cells: Option<(u64, u64)>,
}

impl HttpRanges {
    pub fn new(client: Arc<Client>) -> HttpRanges {
        HttpRanges {
            client,
            version: None,
            confirmed: None,
            known: Vec::new(),
            noted: Some(Vec::new()),
            several: AtomicBool::new(true),
            cells: None,
        }
    }

    /// Makes sure that the file still is, or was a moment ago, of the version that is known.
    pub fn confirm(&mut self) -> Result<(), HttpError> {
        match self.confirmed {
            Some(time) if time.elapsed() < FRESH => Ok(()),
            #[expect(clippy::single_range_in_vec_init, reason = "there is one range")]
            _ => self.fetch(&[0..1]).map(drop),
        }
    }

    fn fetch(&mut self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>, HttpError> {
        let Some(version) = &self.version else {
            let Outcome::Ranges(Answer { parts, version }) = self.client.get(ranges, None)? else {
                return Err(HttpError::NoRanges);
            };
            (self.version, self.confirmed) = (Some(version), Some(Instant::now()));
            return Ok(parts.into_iter().map(|part| part.bytes).collect());
        };
        let requests: Vec<&[Range<u64>]> = ranges.chunks(RANGES).collect();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let results = Mutex::new(Vec::new());
        let work = || {
            while !failed.load(Ordering::Relaxed)
                && let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(ranges) = requests.get(at)
            {
                let result = self.request(ranges, version);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
            }
        };
        thread::scope(|scope| {
            for _ in 1..requests.len().min(CONNECTIONS) {
                scope.spawn(work);
            }
            work();
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_unstable_by_key(|(at, _)| *at);
        let all: Result<Vec<_>, _> = results.into_iter().map(|(_, result)| result).collect();
        let all = all?.into_iter().flatten().collect();
        self.confirmed = Some(Instant::now());
        Ok(all)
    }

    /// The bytes of ranges: in one request, or one by one if the server wants that.
    fn request(&self, ranges: &[Range<u64>], version: &Version) -> Result<Vec<Vec<u8>>, HttpError> {
        let mut parts = Vec::new();
        if ranges.len() > 1 && self.several.load(Ordering::Relaxed) {
            match self.client.get(ranges, Some(version))? {
                Outcome::Ranges(answer) => parts = answer.parts,
                Outcome::OneAtATime => self.several.store(false, Ordering::Relaxed),
            }
            // A server may send fewer parts, and then the others are asked for one by one. One that
            // never sends more than one is not asked for more.
            if parts.len() == 1 {
                self.several.store(false, Ordering::Relaxed);
            }
        }
        let each = ranges.iter().map(|range| match within(&parts, range) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => match self.client.get(std::slice::from_ref(range), Some(version))? {
                Outcome::Ranges(Answer { parts, .. }) => {
                    let part = parts.into_iter().find(|part| part.range == *range);
                    part.map(|part| part.bytes).ok_or(HttpError::Multipart("not the range"))
                }
                Outcome::OneAtATime => Err(HttpError::NoRanges),
            },
        });
        each.collect()
    }
}

/// The bytes of a range, if a part has all of them. Servers may join ranges.
fn within<'p>(parts: &'p [Part], range: &Range<u64>) -> Option<&'p [u8]> {
    parts.iter().find_map(|part| {
        let start = usize::try_from(range.start.checked_sub(part.range.start)?).ok()?;
        let len = usize::try_from(range.end - range.start).ok()?;
        part.bytes.get(start..start.checked_add(len)?)
    })
}

impl ReadRanges for HttpRanges {
    fn read_ranges(&mut self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let known = |range: &Range<u64>| {
            let found = self.known.iter().find(|(known, _)| known == range);
            found.map(|(_, bytes)| bytes.clone())
        };
        if let Some(known) = ranges.iter().map(known).collect() {
            return Ok(known);
        }
        let bytes = self.fetch(ranges).map_err(io::Error::other)?;
        if let Some(noted) = &mut self.noted {
            noted.extend(ranges.iter().cloned().zip(bytes.iter().cloned()));
        }
        if let Some((start, read)) = &mut self.cells {
            *read +=
                ranges.iter().map(|it| it.end.saturating_sub(it.start.max(*start))).sum::<u64>();
        }
        Ok(bytes)
    }
}
