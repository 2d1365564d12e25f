//! What a file is that is no filter we can open, if its bytes say so: for refusals that name it.

use crate::content;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Where a mark is.
#[derive(Clone, Copy)]
enum At {
    Start(usize),
    /// This many bytes before the end.
    End(usize),
}

use At::{End, Start};

/// Marks, and what has them, beside those of files that [`content`] knows. Bitcoin's block filters (BIP 158) and most bit sets have none.
const KNOWN: [(At, &[u8], &str); 16] = [
    (Start(0), b"\x89ANU\r\n\x1A\n", "a state of anther uniq, which --state FILE goes on from"),
    (Start(0), b"\x89ANS\r\n\x1A\n", "a sketch, which anther diff LIST SKETCH compares"),
    (End(8), b"\xF7\xCF\xF4\x85\xB7\x41\xE2\x88", "a table of RocksDB (sst)"),
    (End(8), b"\x57\xFB\x80\x8B\x24\x75\x47\xDB", "a table of LevelDB or RocksDB (sst)"),
    (End(8), b"\x64\x95\xBF\x63\x96\x22\x42\x82", "a plain table of RocksDB (sst)"),
    (End(8), b"\x73\x78\xF1\xC5\xD0\x89\x67\x92", "a cuckoo table of RocksDB (sst)"),
    (Start(0), b"CGPH\x01", "a commit-graph of git, whose filters are of paths"),
    (Start(0), b"MIDX\x01", "a multi-pack index of git"),
    (Start(0), b"PACK\0\0\0", "a pack of git"),
    (End(4), b"ORC", "an ORC file, whose filters are in its stripes"),
    (Start(0), b"\x89HDF\r\n\x1A\n", "an HDF5 file"),
    (Start(0), b"\x93NUMPY", "an array of NumPy"),
    (Start(0), b"\xAC\xED\0\x05", "a serialized Java object"),
    (Start(0), b"\x80\x04\x95", "a pickled Python object"),
    (Start(0), b"\x3F\xD7\x6C\x17", "a file of Lucene"),
    (Start(0), b"\x3A\x30\0\0", "a bitmap of Roaring"),
];

/// The sketches of Apache DataSketches: their second byte is a version, and the third a family.
const DATASKETCHES: [(u8, u8, &str); 6] = [
    (3, 3, "a Theta sketch of DataSketches"),
    (1, 7, "an HLL sketch of DataSketches"),
    (3, 8, "a quantiles sketch of DataSketches"),
    (1, 15, "a KLL sketch of DataSketches"),
    (1, 16, "a CPC sketch of DataSketches"),
    (1, 21, "a Bloom filter of DataSketches"),
];

/// How many bytes of the end tell.
const END: u64 = 64;

/// What a file is that begins and ends like this.
pub fn of(start: &[u8], end: &[u8]) -> Option<&'static str> {
    let is_at = |at: At, mark: &[u8]| match at {
        Start(at) => start.get(at..).is_some_and(|rest| rest.starts_with(mark)),
        End(at) => {
            let rest = end.len().checked_sub(at).map(|from| &end[from..]);
            rest.is_some_and(|rest| rest.starts_with(mark))
        }
    };
    let known = KNOWN.iter().find(|(at, mark, _)| is_at(*at, mark)).map(|(.., what)| *what);
    let known = known.or_else(|| datasketches(start)).or_else(|| runs_of_roaring(start));
    known.or_else(|| content::name(start))
}

/// The mark is `;0`, as which a comment may begin in a list of addresses. Numbers of 16 bits follow it.
fn runs_of_roaring(start: &[u8]) -> Option<&'static str> {
    let rest = start.strip_prefix(b"\x3B\x30")?;
    let is_control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    rest.iter().any(is_control).then_some("a bitmap of Roaring")
}

/// The first byte is the number of longs before the data. Other files may begin like this by chance,
/// but those that are known are told first.
fn datasketches(start: &[u8]) -> Option<&'static str> {
    let [1..=10, version, family, _, _, _, _, _, ..] = *start else { return None };
    let known = DATASKETCHES.iter().find(|known| (known.0, known.1) == (version, family));
    known.map(|(.., what)| *what)
}

/// What the file at a path is.
pub fn of_file(path: &Path) -> Option<&'static str> {
    if !path.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let (mut start, mut end) = (Vec::new(), Vec::new());
    file.by_ref().take(content::START).read_to_end(&mut start).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(END);
    file.seek(SeekFrom::Start(from)).ok()?;
    file.take(END).read_to_end(&mut end).ok()?;
    of(&start, &end)
}

/// The refusal of a file that is this.
pub fn refusal(what: &str) -> String {
    format!(
        "is {what}, and no filter that anther reads; build one from the keys: anther build OUT IN"
    )
}

/// How a text in JSON becomes a filter; `None` if a text does not begin as JSON does.
pub fn json_advice(start: &[u8]) -> Option<&'static str> {
    let (first, rest) = start.trim_ascii_start().split_first()?;
    let rest = rest.trim_ascii_start();
    // Lists of ad blockers begin with [Adblock Plus 2.0].
    let is_element = |first: u8| matches!(first, b'0'..=b'9' | b'-' | b'"' | b'{' | b'[' | b']');
    let is_word = ["true", "false", "null"].iter().any(|word| rest.starts_with(word.as_bytes()));
    match first {
        b'{' if rest.starts_with(b"\"") || rest.starts_with(b"}") => Some(
            "is JSON, and no filter; make one from a value of each of its lines: anther build OUT IN \
             --format json --column PATH",
        ),
        b'[' if is_word || rest.first().copied().is_some_and(is_element) => Some(
            "is JSON, and no filter; make one from its elements: jq -c '.[]' IN | anther build OUT \
             --format json --column PATH",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_marks() {
        let sst = b"....\xF7\xCF\xF4\x85\xB7\x41\xE2\x88";
        assert_eq!(of(b"keys", sst), Some("a table of RocksDB (sst)"));
        assert_eq!(of(b"ORC", b"\x01ORC\x18"), Some(KNOWN[9].2));
        assert_eq!(of(b"\x03\x01\x15\0\0\0\0\0", b""), Some("a Bloom filter of DataSketches"));
        assert_eq!(of(b"\x03\x01\x14\0\0\0\0\0", b""), None);
        assert_eq!(of(b"", b""), None);
        // No mark is hidden by one before it.
        for (at, (place, mark, what)) in KNOWN.iter().enumerate() {
            let padded = [mark, &b"\x18......."[..]].concat();
            let found = match *place {
                Start(_) => of(&padded, b""),
                End(from) => of(b"", &padded[..from]),
            };
            assert_eq!(found, Some(*what), "{at}");
        }
    }
}
