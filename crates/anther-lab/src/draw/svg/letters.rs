//! How wide letters are, and text that SVG can take.

/// Bold letters are wider.
pub const BOLDER: f64 = 1.12;

/// How wide text is at most, in the font of the pictures, which is a wide one.
pub fn width(text: &str, size: f64) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | 's' | 'c' | 'k' | 'v' | 'x' | 'y' | 'z' => 0.6,
        'm' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'w' | '+' | '=' | '<' | '>' | '#' | '~' | '^' => 0.84,
        'A'..='Z' => 0.79,
        c if c.is_ascii() => 0.64,
        _ => 1.0,
    };
    size * text.chars().map(wide).sum::<f64>()
}

/// Words in lines; a word that is wider than a line is cut.
pub fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let most = whole(room / size);
        let word = if width(word, size) > room { shortened(word, most) } else { word.to_string() };
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= room => {
                *line += &format!(" {word}");
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The beginning of a text that is too long.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

pub fn rgb([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text that XML takes: no markup, and no control characters, of which it allows hardly any.
pub fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// How many whole things have room.
pub fn whole(number: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small, above 0")]
    let whole = number.max(0.0) as usize;
    whole
}
