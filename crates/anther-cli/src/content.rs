//! What an input is by its first bytes, if it is no list of keys. Without this check a zip archive or
//! a text in UTF-16 would be read as lines, and give a filter of nonsense. `--binary` skips it.

use crate::compressed::Packing;
use memchr::{memchr, memchr_iter};

/// What ends a record of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// LF, or CR LF.
    Line,
    /// LF, CR LF or CR.
    Csv,
    /// NUL.
    Nul,
}

/// How Parquet files begin.
pub const PARQUET: &[u8] = b"PAR1";

/// How many of the first bytes are enough for [`file_type`].
pub const START: u64 = 4096;

/// Files that are no lists: where their mark is, the mark, what they are and what to do. Marks are
/// long, or have bytes that no text has: `MZ` alone may be a key.
const KNOWN: [(usize, &[u8], &str); 29] = [
    (0, b"\x89ANT\r\n", "is a filter, not a list of keys; combine filters with anther merge"),
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

const ZIP: &str = "is a zip archive; unpack it: unzip -p FILE | anther …";
const EXECUTABLE: &str = "is an executable, not a list of keys; name another file";
const PICTURE: &str = "is a picture, not a list of keys; name another file";
const UTF_16: &str = "is in UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE | anther …";

/// Why an input is no list of keys, by its first block: the first records that came, or everything
/// if nothing ends a record. `within` is how it was compressed.
pub fn refusal(first: &[u8], ending: Ending, within: Option<Packing>) -> Option<String> {
    file_type(first, within).or_else(|| other_ending(first, ending).map(str::to_string))
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
    if start.starts_with(PARQUET) {
        return Some(match within {
            Some(outer) => {
                format!("is a Parquet file within {outer}; decompress it: {outer} -d FILE")
            }
            None if cfg!(feature = "parquet") => {
                "is a Parquet file in a pipe; name the file instead".to_string()
            }
            None => "is a Parquet file; install anther with --features parquet, or export its \
                     column as CSV"
                .to_string(),
        });
    }
    if is_document(start) {
        return Some("is a spreadsheet or a document; save it as CSV or text".to_string());
    }
    if is_windows_executable(start) {
        return Some(EXECUTABLE.to_string());
    }
    let is_at = |at: usize, mark| start.get(at..).is_some_and(|start| start.starts_with(mark));
    let known = KNOWN.iter().find(|(at, mark, _)| is_at(*at, mark));
    known.map(|(.., cause)| cause.to_string())
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
    match ending {
        Ending::Line => {
            if let Some(cause) = utf_16(first) {
                return Some(cause);
            }
            if memchr(b'\n', first).is_some() {
                return None;
            }
            if memchr(0, first).is_some() {
                return Some("its keys are separated by NUL; use -0");
            }
            // One at the end belongs to a single line.
            let inside = first.trim_ascii();
            memchr(b'\r', inside).map(|_| {
                "its lines end with CR, as on old Macs; convert it: \
                 tr '\\r' '\\n' < FILE | anther …"
            })
        }
        Ending::Csv => utf_16(first),
        // A single key may have a line ending, and so may be what stands before a key without NUL.
        Ending::Nul => {
            let is_list = memchr(0, first).is_none() && memchr_iter(b'\n', first).nth(1).is_some();
            is_list.then_some("its keys are on lines; leave -0 out")
        }
    }
}

/// UTF-16 without its mark: nearly every second byte of Western text is NUL, and lines end.
fn utf_16(start: &[u8]) -> Option<&'static str> {
    const LEAST: usize = 8;
    const MOST: usize = 2048;
    let (pairs, _) = start.as_chunks::<2>();
    let pairs = &pairs[..pairs.len().min(MOST)];
    if pairs.len() < LEAST || !start.iter().any(|byte| b"\r\n".contains(byte)) {
        return None;
    }
    let nuls = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let (few, most) = (pairs.len() / 10, pairs.len() - pairs.len() / 10);
    match (nuls(0), nuls(1)) {
        (even, odd) if even <= few && odd >= most => {
            Some("is in UTF-16; convert it: iconv -f UTF-16LE -t UTF-8 FILE | anther …")
        }
        (even, odd) if odd <= few && even >= most => {
            Some("is in UTF-16; convert it: iconv -f UTF-16BE -t UTF-8 FILE | anther …")
        }
        _ => None,
    }
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
            (b"PAR1", "is a Parquet file"),
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
        for list in [&b"MZ\nZA\n"[..], b"PKW\n", b"BZh\n", b"%PDF\n", b"SQLite\n", b"", b"\n"] {
            assert_eq!(refused(list, Ending::Line), "", "{list:?}");
        }
    }

    #[test]
    fn what_is_within_is_known_too() {
        let twice = refusal(b"\x1F\x8B\x08\0", Ending::Line, Some(Packing::Xz)).unwrap();
        assert!(twice.contains("gzip within xz; decompress it once: xz -dc"), "{twice}");
        let zip = refusal(b"PK\x03\x04", Ending::Line, Some(Packing::Gzip)).unwrap();
        assert!(zip.contains("is a zip archive"), "{zip}");
        let parquet = refusal(b"PAR1", Ending::Line, Some(Packing::Gzip)).unwrap();
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
        assert!(refused(b"a\nb\n", Ending::Nul).contains("leave -0 out"));
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
        assert_eq!(refused(&little[..9], Ending::Line), "", "too short to tell");
        assert_eq!(refused(&little, Ending::Nul), "");
        let numbers: Vec<u8> = (1..100_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(refused(&numbers, Ending::Line), "");
    }
}
