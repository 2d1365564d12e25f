//! Inputs: files and standard input, plain or compressed.

use crate::exit::Stop;
use crate::extract::Extraction;
use crate::output;
use crate::stdin::Blocks;
use anther::recipe::Format;
use flate2::read::MultiGzDecoder;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An input with records.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// Standard input that can be read more than once.
    Held(Arc<Held>),
    /// Keys of the command line. They are keys as they are, without columns.
    Keys(Arc<[OsString]>),
}

/// Standard input as a file.
#[derive(Debug)]
pub struct Held {
    file: File,
    /// The offset of the first byte.
    start: u64,
}

impl Input {
    /// The inputs of a command line. `-`, or no argument at all, is standard input.
    pub fn all(paths: &[PathBuf]) -> Vec<Input> {
        let source = |path: &PathBuf| match path.to_str() {
            Some("-") => Input::Stdin,
            _ => Input::File(path.clone()),
        };
        if paths.is_empty() { vec![Input::Stdin] } else { paths.iter().map(source).collect() }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin | Input::Held(_) => "standard input".to_string(),
            Input::Keys(_) => "-k".to_string(),
        }
    }

    /// Checks that it can be read, as far as that is possible before reading it: an error in the
    /// last of many inputs should not come after an hour.
    pub fn check(&self) -> Result<(), Stop> {
        let Input::File(path) = self else { return Ok(()) };
        let trouble = |cause: &str| Err(Stop::about(path.display(), cause));
        match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                trouble("no such file; check the path")
            }
            Err(error) => trouble(&format!("cannot read: {error}")),
            Ok(meta) if meta.is_dir() => trouble("is a folder; name the files in it"),
            // Reading from a pipe would consume its first bytes.
            Ok(meta) if !meta.is_file() => Ok(()),
            Ok(_) => check_start(path),
        }
    }

    /// Its size in bytes, if that is known.
    pub fn len(&self) -> Option<u64> {
        let meta = match self {
            Input::Stdin => return None,
            Input::File(path) => fs::metadata(path),
            Input::Held(held) => held.file.metadata(),
            Input::Keys(keys) => return Some(keys.iter().map(|key| key.len() as u64).sum()),
        };
        meta.ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
    }

    /// Whether it can be read a second time.
    pub fn can_be_read_again(&self) -> bool {
        self.len().is_some()
    }

    /// Opens it. `stdin` is what is left of standard input.
    pub fn open(&self, how: &Extraction, stdin: &mut Option<Blocks>) -> io::Result<Opened> {
        let reader: Box<dyn Read + Send> = match self {
            Input::Stdin => match stdin.take() {
                Some(blocks) => Box::new(blocks),
                None => Box::new(io::empty()),
            },
            Input::File(path) => return rows(File::open(path)?, how),
            Input::Held(held) => {
                let mut file = held.file.try_clone()?;
                file.seek(SeekFrom::Start(held.start))?;
                Box::new(file)
            }
            // `Reading` takes them without reading anything.
            Input::Keys(_) => Box::new(io::empty()),
        };
        Ok(Opened { reader, is_rows: false })
    }

    /// Whether it is a terminal, so that the user has to type keys.
    pub fn is_typed(&self) -> bool {
        matches!(self, Input::Stdin) && io::stdin().is_terminal()
    }

    /// Standard input in a form that can be read more than once: itself if it is a file, otherwise
    /// a copy in an unnamed temporary file.
    pub fn held() -> Result<Input, Stop> {
        let trouble = |error| {
            Stop::about(
                "standard input",
                format_args!("cannot copy it to a temporary file: {error}"),
            )
        };
        let held = match stdin_as_file() {
            Some(mut file) => {
                let start = file.stream_position().map_err(trouble)?;
                Held { file, start }
            }
            None => {
                let mut file = tempfile::tempfile().map_err(trouble)?;
                io::copy(&mut io::stdin().lock(), &mut file).map_err(trouble)?;
                Held { file, start: 0 }
            }
        };
        Ok(Input::Held(Arc::new(held)))
    }
}

/// An open input.
pub struct Opened {
    /// Its bytes.
    pub reader: Box<dyn Read + Send>,
    /// Whether they are the columns of a Parquet file, as CSV.
    pub is_rows: bool,
}

/// The text of a file, which for a Parquet file is that of its columns.
#[cfg(feature = "parquet")]
fn rows(mut file: File, how: &Extraction) -> io::Result<Opened> {
    // A pipe cannot be rewound, and a Parquet file is read from its end.
    let mut start = Vec::new();
    if file.metadata()?.is_file() {
        (&file).take(PARQUET.len() as u64).read_to_end(&mut start)?;
        file.rewind()?;
    }
    if start == PARQUET {
        let reader = Box::new(crate::parquet::Rows::open(file, how)?);
        return Ok(Opened { reader, is_rows: true });
    }
    plain(file, how)
}

#[cfg(not(feature = "parquet"))]
fn rows(file: File, how: &Extraction) -> io::Result<Opened> {
    plain(file, how)
}

fn plain(file: File, how: &Extraction) -> io::Result<Opened> {
    if how.place.format == Format::Parquet {
        return Err(io::Error::other("not a Parquet file; use another --format"));
    }
    Ok(Opened { reader: Box::new(file), is_rows: false })
}

/// Standard input, if it is a regular file.
fn stdin_as_file() -> Option<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().ok()?;
    #[cfg(windows)]
    let owned =
        std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().ok()?;
    let file = File::from(owned);
    file.metadata().ok().filter(|meta| meta.is_file()).map(|_| file)
}

/// If keys have to be typed, says so, and how to end them.
pub fn say_if_typed(sources: &[Input]) {
    if sources.iter().any(Input::is_typed) {
        output::note("reading keys from the terminal, one per line; end with Ctrl-D");
    }
}

/// The decompressed bytes of an input.
pub struct Unpacked {
    reader: Box<dyn Read + Send>,
    packing: Option<Packing>,
    read: Arc<AtomicU64>,
}

impl Unpacked {
    /// Decompresses it if its first bytes say that it is compressed. Waits for those bytes.
    pub fn of(mut packed: Box<dyn Read + Send>) -> io::Result<Unpacked> {
        let mut start = Vec::new();
        // No more than needed: at a terminal, each line should be answered at once.
        while could_be_packed(&start) {
            let mut byte = [0];
            match packed.read(&mut byte) {
                Ok(0) => break,
                Ok(_) => start.push(byte[0]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let packing = Packing::of(&start);
        let read = Arc::new(AtomicU64::new(0));
        let whole = io::Cursor::new(start).chain(packed);
        let whole = Counted { reader: whole, read: Arc::clone(&read) };
        let reader: Box<dyn Read + Send> = match packing {
            None => Box::new(whole),
            // Concatenated files are one file, as for gzip and zstd themselves.
            Some(Packing::Gzip) => Box::new(MultiGzDecoder::new(whole)),
            Some(Packing::Zstd) => Box::new(zstd::Decoder::new(whole)?),
        };
        Ok(Unpacked { reader, packing, read })
    }

    /// How many bytes of the input were read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// An error of reading it, as text.
    pub fn explain(&self, error: &io::Error) -> String {
        match self.packing {
            None => format!("cannot read: {error}"),
            Some(packing) => format!("cannot decompress it ({}): {error}", packing.name()),
        }
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// A reader that counts its bytes.
struct Counted<R> {
    reader: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    const ALL: [Packing; 2] = [Packing::Gzip, Packing::Zstd];

    fn magic(self) -> &'static [u8] {
        match self {
            Packing::Gzip => &[0x1F, 0x8B, 8],
            Packing::Zstd => &[0x28, 0xB5, 0x2F, 0xFD],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    fn of(start: &[u8]) -> Option<Packing> {
        Packing::ALL.into_iter().find(|packing| start.starts_with(packing.magic()))
    }
}

/// Whether more bytes are needed to know whether the input is compressed.
fn could_be_packed(start: &[u8]) -> bool {
    Packing::ALL.iter().any(|packing| {
        let magic = packing.magic();
        start.len() < magic.len() && magic.starts_with(start)
    })
}

/// Checks the first bytes of a file.
fn check_start(path: &Path) -> Result<(), Stop> {
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    let read =
        read.map_err(|error| Stop::about(path.display(), format_args!("cannot read: {error}")))?;
    if cfg!(feature = "parquet") && start[..read].starts_with(PARQUET) {
        return Ok(());
    }
    match no_records(&start[..read]) {
        Some(cause) => Err(Stop::about(path.display(), cause)),
        None => Ok(()),
    }
}

/// How Parquet files begin.
const PARQUET: &[u8] = b"PAR1";

/// Why an input is not a list of keys, by its first bytes. Without this check, a filter or a text in
/// UTF-16 would be read as lines, and give a filter of nonsense.
pub fn no_records(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            Some("is in UTF-16; convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE")
        }
        [0x89, b'A', b'N', b'T', b'\r', b'\n', ..] => {
            Some("is a filter, not a list of keys; combine filters with anther merge")
        }
        start if start.starts_with(PARQUET) => Some(match cfg!(feature = "parquet") {
            true => "is a Parquet file in a pipe; name the file instead",
            false => {
                "is a Parquet file; install anther with --features parquet, or export its column as CSV"
            }
        }),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => {
            Some("is compressed with bzip2; decompress it first: bzip2 -dc FILE | anther …")
        }
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some("is compressed with xz; decompress it first: xz -dc FILE | anther …")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let reader: Box<dyn Read + Send> = Box::new(io::Cursor::new(bytes.to_vec()));
        let mut all = Vec::new();
        Unpacked::of(reader)?.read_to_end(&mut all)?;
        Ok(all)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn what_is_compressed_is_told_by_its_first_bytes() {
        let text = b"one\ntwo\n".repeat(1000);
        let zstd = zstd::encode_all(&text[..], 1).unwrap();
        assert_eq!(unpacked(&gzip(&text)).unwrap(), text);
        assert_eq!(unpacked(&zstd).unwrap(), text);
        assert_eq!(unpacked(&[gzip(&text), gzip(b"three\n")].concat()).unwrap().len(), 8006);
        assert_eq!(unpacked(&[&zstd[..], &zstd[..]].concat()).unwrap().len(), 16_000);
        for plain in [&b""[..], b"\x1f", b"\x1f\x8b", b"\x28\xb5\x2f\n", b"(x", b"a\n"] {
            assert_eq!(unpacked(plain).unwrap(), plain);
        }
        for (packed, cut) in [(gzip(&text), 10), (zstd, 6)] {
            assert!(unpacked(&packed[..packed.len() - 3]).is_err(), "cut short");
            assert!(unpacked(&packed[..cut]).is_err(), "cut shorter");
        }
    }
}
