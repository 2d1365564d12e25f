//! Compressed inputs: recognised by their first bytes, and decompressed while they are read.

use anther::units;
use flate2::bufread::GzDecoder;
use liblzma::stream::{CONCATENATED, Error as XzError, Stream as XzStream};
use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most memory for a decoder. A header of a few bytes can ask for 4 GiB; `xz -9` needs 65 MiB.
const XZ_MEMORY: u64 = 256 << 20;

/// The largest window, 128 MiB. It is the limit of the tool zstd, too, unless told otherwise.
const ZSTD_WINDOW_LOG: u32 = 27;

/// Bytes per read of a compressed input.
const BUFFER: usize = 1 << 16;

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
    /// xz
    Xz,
    /// bzip2
    Bzip2,
}

impl Packing {
    /// How files begin, and the byte, if any, of which only the upper four bits are fixed.
    const MAGIC: [(Packing, &[u8], Option<usize>); 6] = [
        (Packing::Gzip, b"\x1F\x8B\x08", None),
        (Packing::Zstd, b"\x28\xB5\x2F\xFD", None),
        // A frame to skip. `pzstd` writes one before each frame.
        (Packing::Zstd, b"\x50\x2A\x4D\x18", Some(0)),
        (Packing::Xz, b"\xFD7zXZ\0", None),
        // With the mark of the first block, or of the end: a key may begin with BZh.
        (Packing::Bzip2, b"BZh0\x31\x41\x59\x26\x53\x59", Some(3)),
        (Packing::Bzip2, b"BZh0\x17\x72\x45\x38\x50\x90", Some(3)),
    ];

    /// The format of an input that begins with these bytes.
    pub fn of(start: &[u8]) -> Option<Packing> {
        let is_whole = |magic: &[u8]| start.len() >= magic.len();
        let mut known = Packing::MAGIC.into_iter();
        known
            .find(|(_, magic, half)| is_whole(magic) && agree(start, magic, *half))
            .map(|(packing, ..)| packing)
    }

    /// Whether a file of this format may begin so.
    fn begins(self, start: &[u8]) -> bool {
        let mut known = Packing::MAGIC.iter();
        known.any(|(packing, magic, half)| *packing == self && agree(start, magic, *half))
    }

    /// Whether more bytes are needed to know the format.
    fn is_open(start: &[u8]) -> bool {
        let mut known = Packing::MAGIC.iter();
        known.any(|(_, magic, half)| start.len() < magic.len() && agree(start, magic, *half))
    }

    /// The name of the format, and of its tool.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether two starts agree as far as both go.
fn agree(start: &[u8], magic: &[u8], half: Option<usize>) -> bool {
    let same = |(at, (byte, magic)): (usize, (&u8, &u8))| match half {
        Some(half) if half == at => byte & 0xF0 == magic & 0xF0,
        _ => byte == magic,
    };
    start.iter().zip(magic).enumerate().all(same)
}

/// The decompressed bytes of an input.
pub struct Unpacked {
    reader: Box<dyn Read + Send>,
    packing: Option<Packing>,
    read: Arc<AtomicU64>,
    /// Whether a read failed: not every error that is to be explained is ours.
    failed: bool,
}

/// A compressed input.
type Packed = BufReader<Counted<Box<dyn Read + Send>>>;

impl Unpacked {
    /// Decompresses it if its first bytes say that it is compressed. Waits for those bytes.
    pub fn of(mut input: Box<dyn Read + Send>) -> io::Result<Unpacked> {
        let mut start = vec![0; BUFFER];
        let mut len = 0;
        // Mostly one read: a line that has arrived from a pipe should be answered at once.
        while Packing::is_open(&start[..len]) {
            match input.read(&mut start[len..]) {
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        start.truncate(len);
        let packing = Packing::of(&start);
        let read = Arc::new(AtomicU64::new(0));
        let whole: Box<dyn Read + Send> = Box::new(io::Cursor::new(start).chain(input));
        let whole = Counted { reader: whole, read: Arc::clone(&read) };
        let packed = |whole| BufReader::with_capacity(BUFFER, whole);
        let reader: Box<dyn Read + Send> = match packing {
            None => Box::new(whole),
            Some(Packing::Gzip) => Box::new(Members::<GzDecoder<_>>::new(packed(whole))),
            Some(Packing::Bzip2) => Box::new(Members::<BzDecoder<_>>::new(packed(whole))),
            // The other two know of concatenated files themselves.
            Some(Packing::Zstd) => {
                let mut decoder = zstd::Decoder::with_buffer(packed(whole))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Some(Packing::Xz) => {
                let stream = XzStream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(packed(whole), stream))
            }
        };
        Ok(Unpacked { reader, packing, read, failed: false })
    }

    /// The same for bytes that are not compressed, whatever they begin with.
    pub fn plain(input: Box<dyn Read + Send>) -> Unpacked {
        let read = Arc::new(AtomicU64::new(0));
        let reader = Box::new(Counted { reader: input, read: Arc::clone(&read) });
        Unpacked { reader, packing: None, read, failed: false }
    }

    /// The same with its decompressed bytes changed.
    pub fn through(
        self,
        change: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Unpacked {
        Unpacked { reader: change(self.reader), ..self }
    }

    /// How it is compressed.
    pub fn packing(&self) -> Option<Packing> {
        self.packing
    }

    /// How many bytes of the input were read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// An error of reading it, as text.
    pub fn explain(&self, error: &io::Error) -> String {
        let packing = match self.packing {
            Some(packing) if self.failed && error.raw_os_error().is_none() => packing,
            _ => return format!("cannot read: {error}"),
        };
        let is_large = match packing {
            Packing::Xz => {
                let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<XzError>());
                matches!(cause, Some(XzError::MemLimit))
            }
            // The only error of its kind, and nothing but its text tells.
            Packing::Zstd => error.to_string().contains("too much memory"),
            Packing::Gzip | Packing::Bzip2 => false,
        };
        let cause = match packing {
            _ if error.get_ref().is_some_and(|cause| cause.is::<Trailing>()) => &format!(
                "{error} not {packing}; fetch it again, or leave them out: \
                 {packing} -dc FILE | anther …"
            ),
            Packing::Xz if is_large => {
                "needs more than 256 MiB of memory; decompress it first: xz -dc FILE | anther …"
            }
            Packing::Zstd if is_large => {
                "its window is larger than 128 MiB; decompress it first: \
                 zstd -dc --long=31 FILE | anther …"
            }
            _ if error.kind() == ErrorKind::UnexpectedEof => "it is truncated; fetch it again",
            _ => &format!("it is corrupt ({error}); fetch it again"),
        };
        format!("cannot decompress it ({packing}): {cause}")
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).inspect_err(|_| self.failed = true)
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

/// What follows the last member: this many bytes that are none.
#[derive(Debug)]
struct Trailing(u64);

impl fmt::Display for Trailing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = if self.0 == 1 { "byte after its end is" } else { "bytes after its end are" };
        write!(f, "{} {are}", units::count(self.0))
    }
}

impl std::error::Error for Trailing {}

/// The error of a file that goes on like this behind its end.
fn trailing(mut packed: Packed) -> io::Error {
    match io::copy(&mut packed, &mut io::sink()) {
        Ok(bytes) => io::Error::new(ErrorKind::InvalidData, Trailing(bytes)),
        Err(error) => error,
    }
}

/// A decoder of one compressed file.
trait Member: Read {
    const PACKING: Packing;
    fn new(packed: Packed) -> Self;
    fn into_inner(self) -> Packed;
}

type BzDecoder<R> = bzip2::bufread::BzDecoder<R>;

impl Member for GzDecoder<Packed> {
    const PACKING: Packing = Packing::Gzip;
    fn new(packed: Packed) -> Self {
        GzDecoder::new(packed)
    }
    fn into_inner(self) -> Packed {
        self.into_inner()
    }
}

impl Member for BzDecoder<Packed> {
    const PACKING: Packing = Packing::Bzip2;
    fn new(packed: Packed) -> Self {
        BzDecoder::new(packed)
    }
    fn into_inner(self) -> Packed {
        self.into_inner()
    }
}

/// Concatenated files, which are one file for gzip and bzip2 themselves. Zeros may follow, with which
/// tapes and some tools fill the last block. The decoders for many members reject those.
enum Members<D> {
    Within(D),
    Between(Packed),
    /// Only zeros may follow.
    Padding(Packed),
    /// For a moment, or after an error.
    Ended,
}

impl<D: Member> Members<D> {
    fn new(packed: Packed) -> Members<D> {
        Members::Within(D::new(packed))
    }
}

impl<D: Member> Read for Members<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self {
                Members::Within(decoder) => {
                    let read = decoder.read(buffer)?;
                    if read > 0 {
                        return Ok(read);
                    }
                }
                Members::Between(packed) => {
                    // Before the state changes: this read may be interrupted.
                    packed.fill_buf()?;
                }
                Members::Padding(packed) => {
                    let rest = packed.fill_buf()?;
                    let zeros = rest.iter().take_while(|byte| **byte == 0).count();
                    let is_end = rest.is_empty();
                    packed.consume(zeros);
                    if is_end {
                        return Ok(0);
                    }
                    if zeros > 0 {
                        continue;
                    }
                }
                Members::Ended => return Ok(0),
            }
            *self = match std::mem::replace(self, Members::Ended) {
                Members::Within(decoder) => Members::Between(decoder.into_inner()),
                Members::Between(packed) => match packed.buffer() {
                    [] | [0, ..] => Members::Padding(packed),
                    next if D::PACKING.begins(next) => Members::Within(D::new(packed)),
                    _ => return Err(trailing(packed)),
                },
                Members::Padding(packed) => return Err(trailing(packed)),
                Members::Ended => Members::Ended,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Brings a few bytes at a time, as a pipe may.
    struct Drops(io::Cursor<Vec<u8>>, usize);

    impl Read for Drops {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn unpacked_by(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
        let reader = Box::new(Drops(io::Cursor::new(bytes.to_vec()), most));
        let mut unpacked = Unpacked::of(reader).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        match unpacked.read_to_end(&mut all) {
            Ok(_) => {
                assert_eq!(unpacked.bytes_read(), bytes.len() as u64);
                Ok(all)
            }
            Err(error) => Err(unpacked.explain(&error)),
        }
    }

    fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let whole = unpacked_by(bytes, usize::MAX);
        assert_eq!(whole, unpacked_by(bytes, 1));
        whole
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    fn xz(text: &[u8]) -> Vec<u8> {
        liblzma::encode_all(text, 0).unwrap()
    }

    type Pack = fn(&[u8]) -> Vec<u8>;

    const ALL: [(Packing, Pack); 4] =
        [(Packing::Gzip, gzip), (Packing::Zstd, zstd), (Packing::Xz, xz), (Packing::Bzip2, bzip2)];

    /// A zstd frame without content.
    fn skipped(kind: u8, bytes: &[u8]) -> Vec<u8> {
        let len = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        [&[0x50 + kind, 0x2A, 0x4D, 0x18], &len[..], bytes].concat()
    }

    #[test]
    fn what_is_compressed_is_told_by_its_first_bytes() {
        let text = b"one\ntwo\n".repeat(1000);
        for (packing, pack) in ALL {
            assert_eq!(Packing::of(&pack(&text)), Some(packing));
            assert_eq!(unpacked(&pack(&text)).unwrap(), text, "{packing}");
            assert_eq!(unpacked(&pack(b"")).unwrap(), b"", "{packing}");
        }
        for plain in [
            &b""[..],
            b"\x1f",
            b"\x1f\x8b",
            b"\x1f\x8b\n",
            b"\x28\xb5\x2f\n",
            b"(x",
            b"a\n",
            b"BZh9",
            b"BZh9 is a key\n",
            b"BZh91AY&SX",
            b"\xfd7zXZ\n",
            b"P*M\n",
            b"Paula\n",
        ] {
            assert_eq!(unpacked(plain).unwrap(), plain);
        }
    }

    #[test]
    fn files_after_one_another_are_one() {
        for (packing, pack) in ALL {
            let parts = [pack(b"one\n"), pack(b""), pack(b"two\n"), pack(b"three\n")];
            assert_eq!(unpacked(&parts.concat()).unwrap(), b"one\ntwo\nthree\n", "{packing}");
        }
    }

    #[test]
    fn zstd_frames_to_skip_are_skipped_everywhere() {
        let [one, two] = [zstd(b"one\n"), zstd(b"two\n")];
        for kind in [0, 7, 15] {
            let skip = skipped(kind, b"1234");
            let all = [&skip[..], &skip, &one, &skip, &two, &skip].concat();
            assert_eq!(unpacked(&all).unwrap(), b"one\ntwo\n");
            assert_eq!(unpacked(&skip).unwrap(), b"");
            assert!(unpacked(&skip[..9]).unwrap_err().contains("truncated"));
            assert!(unpacked(&skip[..6]).unwrap_err().contains("truncated"));
        }
    }

    #[test]
    fn zeros_may_follow_and_nothing_else() {
        for (packing, pack) in ALL {
            let packed = pack(b"one\n");
            let with = |bytes: &[u8]| unpacked(&[&packed[..], bytes].concat());
            assert!(with(b"rest\n").unwrap_err().contains(packing.name()));
            if matches!(packing, Packing::Gzip | Packing::Bzip2) {
                for (rest, words) in [
                    (&b"\n"[..], "1 byte after its end is not"),
                    (b"rest\n", "5 bytes after its end are not"),
                    (b"<html></html>\n", "14 bytes after its end"),
                    (b"\0\0rest\n", "5 bytes after its end"),
                ] {
                    let message = with(rest).unwrap_err();
                    assert!(message.contains(words), "{packing}: {message}");
                    assert!(!message.contains("truncated"), "{packing}: {message}");
                    assert!(message.contains(&format!("{packing} -dc FILE")), "{message}");
                }
            }
            if packing == Packing::Zstd {
                continue;
            }
            assert_eq!(with(&[0; 512]).unwrap(), b"one\n", "{packing}");
            assert!(with(&[0, 0, 0, 0, b'x']).is_err(), "{packing}");
        }
    }

    #[test]
    fn truncated_and_corrupt_files_are_errors() {
        let text: Vec<u8> = (0..3000).flat_map(|i| format!("{}\n", i * i).into_bytes()).collect();
        for (packing, pack) in ALL {
            let packed = pack(&text);
            for len in (12..packed.len()).step_by(packed.len() / 40) {
                let message = unpacked(&packed[..len]).unwrap_err();
                assert!(message.contains(&format!("({packing}): it is truncated")), "{message}");
            }
            // A checksum finds what a decoder does not. zstd's file has none here.
            for at in (10..packed.len()).step_by(packed.len() / 100) {
                let mut bytes = packed.clone();
                bytes[at] ^= 0x55;
                match unpacked_by(&bytes, usize::MAX) {
                    Err(message) => assert!(message.contains(packing.name()), "{message}"),
                    Ok(_) => assert_eq!(packing, Packing::Zstd),
                }
            }
        }
    }

    #[test]
    fn memory_has_a_limit() {
        // An xz file whose header asks for a dictionary of 1.5 GiB.
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        options.dict_size(4096);
        let mut filters = liblzma::stream::Filters::new();
        filters.lzma2(&options);
        let check = liblzma::stream::Check::None;
        let stream = XzStream::new_stream_encoder(&filters, check).unwrap();
        let mut small = Vec::new();
        let mut encoder = liblzma::read::XzEncoder::new_stream(&b"text\n"[..], stream);
        encoder.read_to_end(&mut small).unwrap();
        assert_eq!(unpacked(&small).unwrap(), b"text\n");
        // The header of the block: its length, flags, LZMA2 with one byte, which is the dictionary.
        assert_eq!(small[12..16], [2, 0, 0x21, 1]);
        small[16] = 37;
        let mut crc = flate2::Crc::new();
        crc.update(&small[12..20]);
        small[20..24].copy_from_slice(&crc.sum().to_le_bytes());
        let message = unpacked(&small).unwrap_err();
        assert!(message.contains("(xz): needs more than 256 MiB of memory"), "{message}");

        // A zstd frame with a window of 128 MiB, and one of 256 MiB: 2 to the power of 10 + 17 or 18.
        let frame =
            |log: u8| [b"\x28\xB5\x2F\xFD\0", &[(log - 10) << 3][..], b"\x29\0\0text\n"].concat();
        assert_eq!(unpacked(&frame(27)).unwrap(), b"text\n");
        let message = unpacked(&frame(28)).unwrap_err();
        assert!(message.contains("(zstd): its window is larger than 128 MiB"), "{message}");
        assert!(message.contains("zstd -dc --long=31"), "{message}");
    }
}
