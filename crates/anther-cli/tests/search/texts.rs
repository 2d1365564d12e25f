//! Random texts, of kinds that a search must get right.

use super::numbers::Numbers;

const WORDS: &[&str] = &[
    "error",
    "ERROR",
    "Warning",
    "timeout",
    "connection",
    "refused",
    "user_id",
    "disk",
    "DISK",
    "kiss",
    "GET",
    "/api/v2/items",
    "status=500",
    "10.0.0.17",
    "straße",
    "STRASSE",
    "Ärger",
    "ärger",
    "Kelvin \u{212A}",
    "miſt",
    "session",
    "expired",
    "retry",
    "queue",
    "naïve",
    "日本語",
    "a",
    "the",
    "of",
    "x=1;y=2",
    "\"quoted\"",
    "(parens)",
    "[brackets]",
    "tab\there",
    "end.",
];

/// A line without its end.
pub fn line(numbers: &mut Numbers) -> Vec<u8> {
    let mut line = Vec::new();
    if numbers.once_in(12) {
        return line;
    }
    for at in 0..=numbers.below(9) {
        if at > 0 {
            line.push(b' ');
        }
        if numbers.once_in(4) {
            line.extend_from_slice(format!("{:x}", numbers.next() >> 40).as_bytes());
        } else {
            line.extend_from_slice(numbers.one(WORDS).as_bytes());
        }
    }
    line
}

/// Lines up to about this many bytes.
fn lines(numbers: &mut Numbers, bytes: usize, end: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < bytes {
        text.extend(line(numbers));
        text.extend_from_slice(end);
    }
    text
}

fn utf16(text: &[u8], mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
}

fn big(unit: u16) -> [u8; 2] {
    let [low, high] = unit.to_le_bytes();
    [high, low]
}

/// The text of a file. In short ones, what is found does not depend on how a pipe is read.
pub fn text(numbers: &mut Numbers, is_short: bool) -> Vec<u8> {
    let bytes = match numbers.below(4) {
        _ if is_short => numbers.below(2_000),
        0 => numbers.below(300),
        1 | 2 => numbers.below(6_000),
        _ => numbers.below(40_000),
    };
    let mut text = lines(numbers, bytes, b"\n");
    match numbers.below(14) {
        0 => text = lines(numbers, bytes, b"\r\n"),
        1 => {
            text.pop();
        }
        2 => text.clear(),
        // NUL bytes: early, late, many.
        3 | 4 => {
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(text.len() + 1);
                text.insert(at, 0);
            }
        }
        5 => text.splice(0..0, *b"\xEF\xBB\xBF").for_each(drop),
        6 => text = utf16(&text, [0xFF, 0xFE], u16::to_le_bytes),
        7 => text = utf16(&text, [0xFE, 0xFF], big),
        // Not UTF-8.
        8 | 9 => {
            for _ in 0..=numbers.below(20) {
                let at = numbers.below(text.len() + 1);
                let byte = u8::try_from(numbers.below(128)).expect("below 128") + 128;
                text.insert(at, byte);
            }
        }
        // A line longer than any buffer, or than any block.
        10 if !is_short => {
            let bytes = 5_000 + numbers.below(2) * 90_000;
            let long = lines(numbers, bytes, b" ");
            let at = numbers.below(text.len() + 1);
            text.splice(at..at, long).for_each(drop);
        }
        // Many empty lines.
        11 => {
            let at = numbers.below(text.len() + 1);
            let ends = vec![b'\n'; numbers.below(3_000)];
            text.splice(at..at, ends).for_each(drop);
        }
        _ => {}
    }
    text
}
