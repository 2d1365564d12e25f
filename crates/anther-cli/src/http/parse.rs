//! Headers and bodies of partial answers.

use super::error::HttpError;
use crate::escaped;
use std::ops::Range;

/// Most bytes of the headers and the boundary of a part: they are a hundred or two.
const MAX_PART_HEADER: u64 = 1024;

/// Some bytes of a file.
pub struct Part {
    /// Which ones.
    pub range: Range<u64>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What a server said, for a message.
pub fn shown(text: &str) -> String {
    const SHOWN: usize = 80;
    let text = escaped::on_one_line(text.as_bytes());
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `bytes 0-16383/120000000`: the range, and the length of the file.
pub fn content_range(text: &str) -> Result<(Range<u64>, u64), HttpError> {
    let parsed = || {
        let (unit, rest) = text.trim().split_once(' ')?;
        let (range, total) = rest.trim().split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let (first, last) = (number(first)?, number(last)?);
        let total = number(total)?;
        let is_range = unit.eq_ignore_ascii_case("bytes") && first <= last && last < total;
        // Lazily: the last of all numbers has no next.
        is_range.then(|| (first..last + 1, total))
    };
    parsed().ok_or_else(|| HttpError::WrongRange(format!("Content-Range: {}", shown(text))))
}

/// Digits only: no sign, no blanks.
pub fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The boundary of `multipart/byteranges; boundary=x`, if it is that type.
pub fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/byteranges") {
        return None;
    }
    let parameters = parameters.split(';').filter_map(|it| it.trim().split_once('='));
    let mut boundaries =
        parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"));
    let value = boundaries.next()?.1.trim().trim_matches('"');
    (1..=70).contains(&value.len()).then_some(value)
}

/// Most bytes of an answer to these ranges.
pub fn most_bytes(ranges: &[Range<u64>]) -> u64 {
    let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    bytes + (ranges.len() as u64 + 1) * MAX_PART_HEADER
}

/// Takes apart the body of an answer to several ranges, of a file of `total` bytes.
pub fn multipart(body: &[u8], boundary: &str, total: u64) -> Result<Vec<Part>, HttpError> {
    let mut parts = Vec::new();
    let delimiter = format!("--{boundary}");
    let broken = |cause| Err(HttpError::Multipart(cause));
    let mut rest = match find(body, delimiter.as_bytes()) {
        // What comes before is a preamble, which is ignored.
        Some(at) if at as u64 <= MAX_PART_HEADER => &body[at + delimiter.len()..],
        _ => return broken("no boundary"),
    };
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        let Some(end) = find(rest, b"\r\n\r\n").filter(|at| *at as u64 <= MAX_PART_HEADER) else {
            return broken("a part without headers");
        };
        let Ok(headers) = std::str::from_utf8(&rest[..end]) else {
            return broken("headers that are no text");
        };
        let fields = headers.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut ranges =
            fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-range"));
        let Some((_, range)) = ranges.next() else { return broken("a part without its range") };
        let (range, its_total) = content_range(range)?;
        if its_total != total {
            return Err(HttpError::Changed);
        }
        let bytes = &rest[end + 4..];
        let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let Some((bytes, after)) = bytes.split_at_checked(len) else {
            let (got, expected) = (bytes.len() as u64, range.end - range.start);
            return Err(HttpError::Truncated { got, expected });
        };
        parts.push(Part { range, bytes: bytes.to_vec() });
        let after = after.strip_prefix(b"\r\n").unwrap_or(after);
        rest = match after.strip_prefix(delimiter.as_bytes()) {
            Some(rest) => rest,
            None => return broken("a part longer or shorter than its range"),
        };
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_exact() {
        assert_eq!(content_range("bytes 0-0/1").unwrap(), (0..1, 1));
        assert_eq!(content_range("Bytes 5-9/100").unwrap(), (5..10, 100));
        for wrong in [
            "",
            "bytes",
            "bytes 0-9",
            "bytes 0-9/*",
            "bytes */100",
            "bytes 9-0/100",
            "bytes 0-100/100",
            "bytes -1-5/100",
            "bytes +1-5/100",
            "bytes 1-5/18446744073709551616",
            "items 0-1/5",
            "bytes 0-18446744073709551615/18446744073709551615",
            "bytes 0 - 9/100",
        ] {
            assert!(content_range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_are_found_by_the_boundary() {
        assert_eq!(boundary("multipart/byteranges; boundary=00042"), Some("00042"));
        assert_eq!(boundary("Multipart/ByteRanges; charset=x; Boundary=\"a b\""), Some("a b"));
        assert_eq!(boundary("text/plain; boundary=x"), None);
        assert_eq!(boundary("multipart/byteranges"), None);
        let body =
            b"\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 0-3/9\r\n\r\n\r\n--\r\n--x\r\n\
                     content-range: bytes 8-8/9\r\n\r\nz\r\n--x--\r\n";
        let parts = multipart(body, "x", 9).unwrap();
        assert_eq!((parts[0].range.clone(), &parts[0].bytes[..]), (0..4, &b"\r\n--"[..]));
        assert_eq!((parts[1].range.clone(), &parts[1].bytes[..]), (8..9, &b"z"[..]));
        assert!(matches!(multipart(body, "x", 10), Err(HttpError::Changed)));
        for end in 0..body.len() - 4 {
            assert!(multipart(&body[..end], "x", 9).is_err(), "{end}");
        }
    }
}
