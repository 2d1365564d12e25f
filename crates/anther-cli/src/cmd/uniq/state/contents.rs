//! The bytes of a state file, whatever they are read from and written to.

use super::super::seen::{Horizon, Latest, Layers, Seen};
use super::super::timed::{Timed, TimedLayer};
use super::header::{StateHeader, StatePart};
use anther::{Aging, FingerprintSet, KeyHash, Open, Save};
use std::hash::Hasher;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::time::{Duration, SystemTime};
use twox_hash::XxHash3_64;

/// The first bytes: no text begins like this, and a transfer as text changes them.
pub const SIGNATURE: [u8; 8] = *b"\x89ANU\r\n\x1a\n";
const VERSION: u32 = 1;
/// A header has a few hundred bytes.
const LONGEST_HEADER: u32 = 1 << 20;

/// Adds up a checksum of what is written or read.
struct Summed<T> {
    inner: T,
    sum: XxHash3_64,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Summed<T> {
        Summed { inner, sum: XxHash3_64::with_seed(0) }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.write(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.write(&bytes[..read]);
        Ok(read)
    }
}

/// Writes a state and its checksum.
pub fn write(file: impl Write, header: &StateHeader, seen: &Seen) -> io::Result<()> {
    let mut filters = Vec::new();
    let save = |filter: &Aging| Save::new().bytes(filter).map_err(io::Error::other);
    let parts = match seen {
        Seen::All(set) => vec![StatePart::of_set(set)],
        Seen::Share(layers) => layers.sets.iter().map(StatePart::of_set).collect(),
        Seen::Latest(latest) => latest.sets.iter().map(StatePart::of_set).collect(),
        Seen::Window(filter) => {
            filters.push(save(filter)?);
            vec![StatePart::Window { bytes: filters[0].len() as u64 }]
        }
        Seen::Timed(timed) => {
            let mut parts = Vec::new();
            for layer in &timed.layers {
                filters.push(save(&layer.filter)?);
                let bytes = filters.last().map_or(0, |bytes| bytes.len() as u64);
                parts.push(StatePart::of_layer(layer, bytes));
            }
            parts
        }
    };
    let header = serde_json::to_vec(&header.with(parts)).map_err(io::Error::other)?;
    let len = u32::try_from(header.len()).map_err(io::Error::other)?;
    // Many small writes are gathered before they are summed up.
    let mut out = BufWriter::with_capacity(1 << 16, Summed::new(file));
    out.write_all(&SIGNATURE)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(&header)?;
    let sets = match seen {
        Seen::All(set) => std::slice::from_ref(set),
        Seen::Share(layers) => &layers.sets,
        Seen::Latest(latest) => &latest.sets,
        Seen::Window(_) | Seen::Timed(_) => &[],
    };
    for set in sets {
        set.iter().try_for_each(|hash| out.write_all(&hash.0.to_le_bytes()))?;
    }
    filters.iter().try_for_each(|filter| out.write_all(filter))?;
    let Summed { mut inner, sum } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    inner.write_all(&sum.finish().to_le_bytes())
}

/// Why a state cannot be used.
#[derive(Debug)]
pub enum Unread {
    Io(io::Error),
    /// Not a state file.
    Foreign,
    /// One that was changed or truncated.
    Damaged,
    /// One of other options.
    Options(&'static str),
    Cause(String),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Unread {
        match error.kind() {
            ErrorKind::UnexpectedEof => Unread::Damaged,
            _ => Unread::Io(error),
        }
    }
}

/// Reads a state of `size` bytes.
pub fn read(
    file: impl Read,
    size: u64,
    horizon: Horizon,
    now: &StateHeader,
) -> Result<(StateHeader, Seen), Unread> {
    read_by(file, size, |header| match header.difference(now) {
        Some(option) => Err(Unread::Options(option)),
        None => Ok(horizon),
    })
}

/// The same for a state of which only the header says what it is of.
pub fn read_by(
    file: impl Read,
    size: u64,
    horizon: impl FnOnce(&StateHeader) -> Result<Horizon, Unread>,
) -> Result<(StateHeader, Seen), Unread> {
    let mut input = Summed::new(BufReader::with_capacity(1 << 16, file));
    let mut start = [0; 8];
    let read = input.read_exact(&mut start);
    if read.is_err() || start != SIGNATURE {
        return Err(Unread::Foreign);
    }
    let version = number(&mut input)?;
    if version != VERSION {
        let cause =
            format!("state files of version {version} are newer than this program; update it");
        return Err(Unread::Cause(cause));
    }
    let len = number(&mut input)?;
    if len > LONGEST_HEADER {
        return Err(Unread::Damaged);
    }
    let mut header = vec![0; len as usize];
    input.read_exact(&mut header)?;
    let header: StateHeader = serde_json::from_slice(&header).map_err(|_| Unread::Damaged)?;
    let horizon = horizon(&header)?;
    // Before anything is allocated.
    let parts: Option<u64> =
        header.parts().iter().try_fold(0u64, |sum, part| sum.checked_add(part.bytes()?));
    let expected = parts.and_then(|parts| parts.checked_add(16 + u64::from(len) + 8));
    if expected != Some(size) {
        return Err(Unread::Damaged);
    }
    let seen = read_parts(&header, horizon, &mut input)?;
    let sum = input.sum.finish();
    let mut stored = [0; 8];
    input.inner.read_exact(&mut stored)?;
    if u64::from_le_bytes(stored) != sum {
        return Err(Unread::Damaged);
    }
    Ok((header, seen))
}

fn number(input: &mut impl Read) -> Result<u32, Unread> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_parts(
    header: &StateHeader,
    horizon: Horizon,
    input: &mut impl Read,
) -> Result<Seen, Unread> {
    let (mut sets, mut window, mut layers) = (Vec::new(), None, Vec::new());
    for part in header.parts() {
        match *part {
            StatePart::Fingerprints { bits, len } => sets.push(read_set(input, bits, len)?),
            StatePart::Window { bytes } => window = Some(read_filter(input, bytes)?),
            StatePart::Timed { bytes, capacity, began_ms, ref arrivals } => {
                let filter = read_filter(input, bytes)?;
                let began = SystemTime::UNIX_EPOCH + Duration::from_millis(began_ms.min(1 << 50));
                let arrivals = arrivals.iter().copied().collect();
                layers.push(TimedLayer { filter, capacity, began, arrivals });
            }
        }
    }
    let seen = match (horizon, &sets[..], window, &layers[..]) {
        (Horizon::All, [set], None, []) if set.bits() == 64 => sets.pop().map(Seen::All),
        (Horizon::Share { rate }, [_, ..], None, []) => {
            Layers::restored(rate, sets).map(Seen::Share)
        }
        (Horizon::Window { .. }, [], Some(filter), []) => Some(Seen::Window(filter)),
        (Horizon::Window { lines, .. }, [_, _], None, []) => {
            let sets: Option<[FingerprintSet; 2]> = sets.try_into().ok();
            sets.and_then(|sets| Latest::restored(lines, sets)).map(Seen::Latest)
        }
        (Horizon::Timed { time, rate }, [], None, [_, ..]) => {
            Timed::restored(time, rate, layers).map(Seen::Timed)
        }
        _ => None,
    };
    seen.ok_or(Unread::Damaged)
}

fn read_set(input: &mut impl Read, bits: u32, len: u64) -> Result<FingerprintSet, Unread> {
    let mut failed = None;
    let mut bytes = [0; 8];
    let hashes = (0..len).map_while(|_| match input.read_exact(&mut bytes) {
        Ok(()) => Some(KeyHash(u64::from_le_bytes(bytes))),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    let set = FingerprintSet::from_sorted(bits, len, hashes);
    if let Some(error) = failed {
        return Err(error.into());
    }
    set.map_err(|error| Unread::Cause(error.to_string()))?.ok_or(Unread::Damaged)
}

fn read_filter(input: &mut impl Read, bytes: u64) -> Result<Aging, Unread> {
    let mut limited = input.take(bytes);
    let mut all = Vec::new();
    limited.read_to_end(&mut all)?;
    Open::new().without_hashing().bytes(&all).map_err(|_| Unread::Damaged)
}
