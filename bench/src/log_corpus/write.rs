//! Text, as fast as a gigabyte of it needs.

pub fn push(text: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        text.extend_from_slice(part.as_bytes());
    }
}

/// As 2026-11-03T14:07:31.482Z.
pub fn timestamp(text: &mut Vec<u8>, milliseconds: u64) {
    let seconds = milliseconds / 1000;
    let days = seconds / 86_400;
    push(text, &["2026-"]);
    decimal(text, 1 + days / 28 % 12, 2);
    text.push(b'-');
    decimal(text, 1 + days % 28, 2);
    text.push(b'T');
    decimal(text, seconds / 3600 % 24, 2);
    text.push(b':');
    decimal(text, seconds / 60 % 60, 2);
    text.push(b':');
    decimal(text, seconds % 60, 2);
    text.push(b'.');
    decimal(text, milliseconds % 1000, 3);
    text.push(b'Z');
}

pub fn decimal(text: &mut Vec<u8>, mut value: u64, at_least: usize) {
    let mut digits = [b'0'; 20];
    let mut from = digits.len();
    while value > 0 || digits.len() - from < at_least {
        from -= 1;
        digits[from] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    text.extend_from_slice(&digits[from..]);
}

pub fn hexadecimal(text: &mut Vec<u8>, value: u64, digits: u32) {
    for digit in (0..digits).rev() {
        text.push(b"0123456789abcdef"[(value >> (4 * digit) & 15) as usize]);
    }
}
