//! What an input is by its first bytes, if it is no list of keys. Without this check a zip archive or
//! a text in UTF-16 would be read as lines, and give a filter of nonsense. `--binary` skips it.

use crate::compressed::Packing;
use anther::recipe::Format;
use anther_records::blocks::Splitter;
use memchr::{memchr, memchr_iter};

/// What ends a record of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// LF, or CR LF; each line is a key.
    Line,
    /// LF, or CR LF; a line has columns.
    Columns,
    /// LF, CR LF or CR.
    Csv,
    /// NUL.
    Nul,
    /// Nothing: records have this width.
    Width(usize),
}

impl Ending {
    /// For this format.
    pub fn of(format: Format) -> Ending {
        match Splitter::of(format) {
            Splitter::Byte(0) => Ending::Nul,
            Splitter::Csv(_) => Ending::Csv,
            Splitter::Width(width) => Ending::Width(width),
            Splitter::Byte(_) if format == Format::Lines => Ending::Line,
            Splitter::Byte(_) => Ending::Columns,
        }
    }
}

/// Why a Parquet file is not read by a program without the feature.
pub const PARQUET_WITHOUT_FEATURE: &str =
    "is a Parquet file; install anther with --features parquet, or export its column as CSV";

/// Whether this is the start of a Parquet file. A list may begin with the same letters; after them
/// a Parquet file has the header of a page, or its metadata, neither of which begins with a
/// character of text.
/// An encrypted page begins with its length, whose first bytes may be characters; its last one is 0
/// below 16 MiB.
pub fn is_parquet(start: &[u8]) -> bool {
    let next = start.strip_prefix(b"PAR1");
    next.is_some_and(|next| !next.first().is_some_and(is_text_byte) || has_control(next))
}

/// Whether this is the start of a Parquet file whose footer is encrypted.
fn is_encrypted_parquet(start: &[u8]) -> bool {
    start.strip_prefix(b"PARE").is_some_and(has_control)
}

/// Whether one of the first bytes is in no text.
fn has_control(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !is_text_byte(byte);
    bytes.iter().take(8).any(is_control)
}

fn is_text_byte(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// How many of the first bytes are enough for [`file_type`].
pub const START: u64 = 4096;

/// Files that are no lists: where their mark is, the mark, what they are and what to do. Marks are
/// long, or have bytes that no text has: `MZ` alone may be a key.
const KNOWN: [(usize, &[u8], &str); 32] = [
    (
        0,
        b"\x89ANT\r\n",
        "is a filter, not a list of keys; name the list that it was built from, or combine filters \
         with anther merge",
    ),
    (0, b"\x89ANS\r\n", "is a sketch, not a list of keys; name the list that it was made from"),
    (
        0,
        b"\x89ANU\r\n",
        "is a state of anther uniq, not a list of keys; name the list that uniq read",
    ),
    (0, INDEX, "is a search index, not a list of keys; name the files that it is of"),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"PK\x07\x08", ZIP),
    (0, b"7z\xBC\xAF\x27\x1C", "is a 7z archive; unpack it: 7z x -so FILE | anther …"),
    (0, b"Rar!\x1A\x07", "is a RAR archive; unpack it: unrar p -inul FILE | anther …"),
    (257, b"ustar", "is a tar archive; unpack it: tar -xOf FILE | anther …"),
    (0, b"\x04\x22\x4D\x18", "is compressed with lz4; decompress it: lz4 -dc FILE | anther …"),
    (0, b"\x1F\x9D", "is compressed with compress; decompress it: gzip -dc FILE | anther …"),
    (0, b"LZIP\x01", "is compressed with lzip; decompress it: lzip -dc FILE | anther …"),
    (0, b"\x5D\0\0", "is compressed with lzma; decompress it: xz -dc FILE | anther …"),
    (
        0,
        b"SQLite format 3\0",
        "is an SQLite database; export the column: \
         sqlite3 FILE 'select COLUMN from TABLE' | anther …",
    ),
    (0, b"\x7FELF", EXECUTABLE),
    (0, b"\xFE\xED\xFA\xCE", EXECUTABLE),
    (0, b"\xFE\xED\xFA\xCF", EXECUTABLE),
    (0, b"\xCE\xFA\xED\xFE", EXECUTABLE),
    (0, b"\xCF\xFA\xED\xFE", EXECUTABLE),
    (0, b"\xCA\xFE\xBA\xBE", EXECUTABLE),
    (0, b"!<arch>\n", EXECUTABLE),
    (0, b"%PDF-", "is a PDF file; extract its text: pdftotext FILE - | anther …"),
    (0, b"\x89PNG\r\n", PICTURE),
    (0, b"\xFF\xD8\xFF", PICTURE),
    (0, b"ORC\x0A", "is an ORC file; export its column as CSV"),
    (0, b"Obj\x01", "is an Avro file; export its column as CSV"),
    (0, b"ARROW1\0\0", "is an Arrow file; export its column as CSV"),
    // Before the marks of UTF-16, with which one of them begins.
    (0, b"\xFF\xFE\0\0", "is in UTF-32; convert it: iconv -f UTF-32 -t UTF-8 FILE | anther …"),
    (0, b"\0\0\xFE\xFF", "is in UTF-32; convert it: iconv -f UTF-32 -t UTF-8 FILE | anther …"),
    (0, b"\xFF\xFE", UTF_16),
    (0, b"\xFE\xFF", UTF_16),
];

const INDEX: &[u8] = b"\x89ANX\r\n";
const ZIP: &str = "is a zip archive; unpack it: unzip -p FILE | anther …";
const EXECUTABLE: &str = "is an executable, not a list of keys; name another file";
const PICTURE: &str = "is a picture, not a list of keys; name another file";
const UTF_16: &str = "is in UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE | anther …";

/// Why an input is no list of keys, by its first block: the first records that came, or everything
/// if nothing ends a record. `within` is how it was compressed.
pub fn refusal(first: &[u8], ending: Ending, within: Option<Packing>) -> Option<String> {
    let of_type = match ending {
        // Anything may be a binary record.
        Ending::Width(_) => None,
        _ => file_type(first, within),
    };
    of_type.or_else(|| other_ending(first, ending).map(|cause| advise(cause, within)))
}

/// The advice is for the file itself: if that is compressed, it comes first.
fn advise(cause: &str, within: Option<Packing>) -> String {
    match (within, cause.split_once("; ")) {
        (Some(outer), Some((what, advice))) if advice.contains("FILE") => {
            format!("{what}, within {outer}; decompress it first: {outer} -d FILE")
        }
        _ => cause.to_string(),
    }
}

/// Why a file is no list of keys, by its start.
pub fn file_type(start: &[u8], within: Option<Packing>) -> Option<String> {
    if let Some(outer) = within
        && let Some(inner) = Packing::of(start)
    {
        return Some(format!(
            "is compressed twice, {inner} within {outer}; decompress it once: \
             {outer} -dc FILE | anther …"
        ));
    }
    if is_parquet(start) {
        return Some(match within {
            Some(outer) => {
                format!("is a Parquet file within {outer}; decompress it: {outer} -d FILE")
            }
            None if cfg!(feature = "parquet") => {
                "is a Parquet file in a pipe; name the file instead".to_string()
            }
            None => PARQUET_WITHOUT_FEATURE.to_string(),
        });
    }
    known(start).map(|cause| advise(cause, within))
}

/// What a file is that begins like this: `a zip archive`.
pub fn name(start: &[u8]) -> Option<&'static str> {
    // Who opens a filter knows a search index, and names the verb for it.
    if start.starts_with(INDEX) {
        return None;
    }
    let what = known(start)?.split([',', ';']).next()?;
    Some(what.strip_prefix("is ").unwrap_or(what))
}

fn known(start: &[u8]) -> Option<&'static str> {
    if is_encrypted_parquet(start) {
        return Some("is an encrypted Parquet file; write it without encryption");
    }
    if is_document(start) {
        return Some("is a spreadsheet or a document; save it as CSV or text");
    }
    if is_windows_executable(start) {
        return Some(EXECUTABLE);
    }
    let is_at = |at: usize, mark| start.get(at..).is_some_and(|start| start.starts_with(mark));
    let known = KNOWN.iter().find(|(at, mark, _)| is_at(*at, mark));
    known.map(|(.., cause)| *cause)
}

/// Whether it is a zip archive as office programs write it.
fn is_document(start: &[u8]) -> bool {
    let name = start.strip_prefix(b"PK\x03\x04").and_then(|rest| rest.get(26..));
    let first = ["[Content_Types].xml", "_rels/", "mimetype"];
    name.is_some_and(|name| first.iter().any(|first| name.starts_with(first.as_bytes())))
}

/// Whether a program of DOS refers to one of Windows, as its header does.
fn is_windows_executable(start: &[u8]) -> bool {
    let Some(at) = start.get(60..64).and_then(|at| at.try_into().ok()) else { return false };
    let at = u32::from_le_bytes(at) as usize;
    start.starts_with(b"MZ") && start.get(at..).is_some_and(|rest| rest.starts_with(b"PE\0\0"))
}

/// Why records of a first block end with something else.
fn other_ending(first: &[u8], ending: Ending) -> Option<&'static str> {
    let has_line_ending = memchr(b'\n', first).is_some();
    match ending {
        Ending::Line | Ending::Columns => {
            if let Some(cause) = utf_16(first) {
                return Some(cause);
            }
            // A title or a last line ending does not make lines of the rest. One in 17 keeps what has
            // a few of them, such as the output of a progress bar; NULs of padding count once.
            let few = memchr_iter(b'\n', first).count() * 16;
            let ends = |byte: u8| {
                let ends = |at: &usize| first.get(at + 1).is_none_or(|next| *next != byte);
                memchr_iter(byte, first).filter(ends).count()
            };
            if ends(0) > few {
                return Some(if ending == Ending::Line { NUL_KEYS } else { NUL_RECORDS });
            }
            // One at the end belongs to a single line.
            let returns = memchr_iter(b'\r', first.trim_ascii_end());
            let returns = returns.filter(|at| first.get(at + 1) != Some(&b'\n')).count();
            (returns > few).then_some(
                "its lines end with CR, as on old Macs; convert it: \
                 tr '\\r' '\\n' < FILE | anther …",
            )
        }
        Ending::Csv => utf_16(first).or_else(|| {
            let is_list = !has_line_ending && memchr(0, first).is_some();
            is_list.then_some(NUL_RECORDS)
        }),
        // A single key may have a line ending, and so may be what stands before a key without NUL.
        Ending::Nul => {
            let is_list = memchr(0, first).is_none() && memchr_iter(b'\n', first).nth(1).is_some();
            is_list.then_some("its keys are on lines; use --format lines, without -0")
        }
        // Lines would match by chance only. Records, too, may be text, and have LF at the same place.
        Ending::Width(width) => {
            let mut places = memchr_iter(b'\n', first).map(|at| at % width);
            let place = places.next()?;
            let is_list = places.any(|other| other != place) && first.iter().all(is_text_byte);
            is_list.then_some("is text, not binary records; use --format lines, or --binary")
        }
    }
}

/// Whether lines have bytes that no text has, though too few of them to be what ends its keys.
pub fn looks_binary(first: &[u8], ending: Ending) -> bool {
    matches!(ending, Ending::Line | Ending::Columns | Ending::Csv) && memchr(0, first).is_some()
}

const NUL_KEYS: &str = "its keys are separated by NUL; use -0";
const NUL_RECORDS: &str =
    "its records are separated by NUL; convert it: tr '\\0' '\\n' < FILE | anther …";

/// UTF-16 or UTF-32 without its mark: read so, it has LF, and no character below the tab. Text in UTF-8
/// has no NUL, which stands beside every LF then.
fn utf_16(start: &[u8]) -> Option<&'static str> {
    let (quads, _) = start.as_chunks::<4>();
    let (pairs, _) = start.as_chunks::<2>();
    // The NULs of Western text are all on one side; those between keys are on both.
    let nuls = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let little_quads = || quads.iter().map(|quad| u32::from_le_bytes(*quad));
    let little_pairs = || pairs.iter().map(|pair| u32::from(u16::from_le_bytes(*pair)));
    if is_text(little_quads()) {
        return Some("is in UTF-32; convert it: iconv -f UTF-32LE -t UTF-8 FILE | anther …");
    }
    if is_text(little_quads().map(u32::swap_bytes)) {
        return Some("is in UTF-32; convert it: iconv -f UTF-32BE -t UTF-8 FILE | anther …");
    }
    if even * 10 <= odd && is_text(little_pairs()) {
        return Some("is in UTF-16; convert it: iconv -f UTF-16LE -t UTF-8 FILE | anther …");
    }
    if odd * 10 <= even && is_text(little_pairs().map(|unit| unit.swap_bytes() >> 16)) {
        return Some("is in UTF-16; convert it: iconv -f UTF-16BE -t UTF-8 FILE | anther …");
    }
    None
}

/// Whether these are the characters of a text of lines.
fn is_text(mut units: impl Iterator<Item = u32>) -> bool {
    let mut has_line = false;
    units.all(|unit| {
        has_line |= unit == u32::from(b'\n');
        (u32::from(b'\t')..=u32::from(char::MAX)).contains(&unit)
    }) && has_line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(first: &[u8], ending: Ending) -> String {
        refusal(first, ending, None).unwrap_or_default()
    }

    #[test]
    fn files_are_known_by_their_marks() {
        let tar = [b"name".to_vec(), vec![0; 253], b"ustar\x0000".to_vec()].concat();
        for (start, what) in [
            (&b"PK\x03\x04\x14"[..], "is a zip archive; unpack it: unzip -p"),
            (b"SQLite format 3\0\x10", "sqlite3 FILE 'select"),
            (b"\x7FELF\x02", "is an executable"),
            (b"\xCF\xFA\xED\xFE", "is an executable"),
            (&tar, "is a tar archive; unpack it: tar -xOf"),
            (b"7z\xBC\xAF\x27\x1C\0", "is a 7z archive"),
            (b"%PDF-1.7\n", "is a PDF file"),
            (b"\x89PNG\r\n\x1A\n", "is a picture"),
            (b"\xFF\xD8\xFF\xE0", "is a picture"),
            (b"\x89ANT\r\n", "is a filter"),
            (b"\x89ANS\r\n", "is a sketch"),
            (b"\x89ANU\r\n", "is a state of anther uniq"),
            (b"\x89ANX\r\n", "is a search index"),
            (b"PAR1\x15\x04", "is a Parquet file"),
            (b"PAR1@\0\0\0\xF1", "is a Parquet file"),
            (b"PARE@\0\0\0\xF1", "is an encrypted Parquet file"),
            (b"\xFF\xFEa\0", "is in UTF-16;"),
            (b"\xFE\xFF\0a", "is in UTF-16;"),
            (b"\xFF\xFE\0\0a\0\0\0", "is in UTF-32;"),
            (b"\0\0\xFE\xFF\0\0\0a", "is in UTF-32;"),
        ] {
            for ending in [Ending::Line, Ending::Nul] {
                let cause = refused(start, ending);
                assert!(cause.contains(what), "{what}: {cause:?}");
            }
        }
        let document = [b"PK\x03\x04", &[0; 26][..], b"[Content_Types].xml"].concat();
        assert!(refused(&document, Ending::Line).contains("save it as CSV"));
        let mut windows = [b"MZ", &[0; 126][..], b"PE\0\0"].concat();
        windows[60] = 128;
        assert!(refused(&windows, Ending::Line).contains("is an executable"));
        for list in [
            &b"MZ\nZA\n"[..],
            b"PKW\n",
            b"BZh\n",
            b"%PDF\n",
            b"SQLite\n",
            b"PAR1001\n",
            b"PARENT\n",
            b"PARE\n",
            b"",
            b"\n",
        ] {
            assert_eq!(refused(list, Ending::Line), "", "{list:?}");
        }
    }

    #[test]
    fn what_is_within_is_known_too() {
        let twice = refusal(b"\x1F\x8B\x08\0", Ending::Line, Some(Packing::Xz)).unwrap();
        assert!(twice.contains("gzip within xz; decompress it once: xz -dc"), "{twice}");
        let zip = refusal(b"PK\x03\x04", Ending::Line, Some(Packing::Gzip)).unwrap();
        assert_eq!(zip, "is a zip archive, within gzip; decompress it first: gzip -d FILE");
        let old_mac = refusal(b"a\rb\r", Ending::Line, Some(Packing::Zstd)).unwrap();
        assert!(old_mac.ends_with("within zstd; decompress it first: zstd -d FILE"), "{old_mac}");
        let parquet = refusal(b"PAR1\x15", Ending::Line, Some(Packing::Gzip)).unwrap();
        assert!(parquet.contains("gzip -d FILE"), "{parquet}");
    }

    #[test]
    fn other_line_endings_are_named() {
        for (first, what) in [
            (&b"a\rb\rc\r"[..], "end with CR"),
            (b"a\rb", "end with CR"),
            (b"a\0b\0c\0", "use -0"),
            (b"a\0", "use -0"),
            // Single characters between NUL are not UTF-16: no line ends.
            (b"1\x002\x003\x004\x005\x006\x007\x008\x009\0", "use -0"),
        ] {
            assert!(refused(first, Ending::Line).contains(what), "{:?}", first.escape_ascii());
        }
        for first in [&b"a"[..], b"a\r", b"a\r\n", b"10 %\r20 %\rdone\n", b"a\0b\n", b"a b", b"\r"]
        {
            assert_eq!(refused(first, Ending::Line), "", "{:?}", first.escape_ascii());
        }
        // One line ending among many others.
        let many = |end: &str| format!("title\n{}\n", ["key"; 100].join(end)).into_bytes();
        assert!(refused(&many("\r"), Ending::Line).contains("end with CR"));
        assert!(refused(&many("\0"), Ending::Line).contains("use -0"));
        assert_eq!(refused(b"k1\0k2\0k3\0k4\0k5\0\n", Ending::Line), "", "too few to tell");
        let padded = [b"log\n", &[0; 4096][..], b"log\n"].concat();
        assert_eq!(refused(&padded, Ending::Line), "");
        for ending in [Ending::Columns, Ending::Csv] {
            assert!(refused(b"a\0b\0", ending).contains("tr '\\0' '\\n'"));
            assert_eq!(refused(b"a\nb\0\n", ending), "");
        }
        assert_eq!(refused(b"a\rb\r", Ending::Csv), "");
        assert!(refused(b"a\nb\n", Ending::Nul).contains("--format lines, without -0"));
        for first in [&b"a"[..], b"a\n", b"a\nb", b"a\nb\n\0", b"a\rb\r"] {
            assert_eq!(refused(first, Ending::Nul), "", "{:?}", first.escape_ascii());
        }
    }

    #[test]
    fn utf_16_needs_no_mark() {
        let text = "one\r\ntwo\r\nthree ä\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = little.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        // The first block ends with the byte LF.
        let end = little.len() - 1;
        assert!(refused(&little[..end], Ending::Line).contains("iconv -f UTF-16LE -t UTF-8"));
        assert!(refused(&big, Ending::Line).contains("iconv -f UTF-16BE -t UTF-8"));
        assert_eq!(refused(&little, Ending::Nul), "");
        // No Western text, and not much of it.
        let cyrillic: Vec<u8> = "да\nнет\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(refused(&cyrillic, Ending::Csv).contains("UTF-16LE"));
        let wide: Vec<u8> = "да\nнет\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert!(refused(&wide, Ending::Columns).contains("UTF-32LE"));
        for list in [&b"a\n\0b\nc"[..], "да\nнет\n".as_bytes()] {
            assert_eq!(refused(list, Ending::Line), "", "{:?}", list.escape_ascii());
        }
        let numbers: Vec<u8> = (1..100_u32).flat_map(u32::to_le_bytes).collect();
        assert!(!refused(&numbers, Ending::Line).contains("UTF"));
    }

    #[test]
    fn text_is_no_binary_record() {
        let lines = b"cafe\nbabe\n";
        for (width, is_refused) in [(3, true), (7, true), (5, false), (1, false)] {
            let cause = refused(lines, Ending::Width(width));
            assert_eq!(cause.contains("is text"), is_refused, "{width}: {cause}");
        }
        assert_eq!(refused(b"caf\xE9\nbabe\n", Ending::Width(3)), "");
        // The addresses 10.100.50.33 and 10.100.50.34.
        assert_eq!(refused(b"\nd2!\nd2\"", Ending::Width(4)), "");
        assert_eq!(refused(b"PK\x03\x04", Ending::Width(4)), "", "any bytes are records");
    }
}
