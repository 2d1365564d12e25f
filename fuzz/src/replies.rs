//! Replies of web servers to requests for ranges.

use crate::input::Input;
use crate::program::http::parse;

/// The type of the content, the range, and the body.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (content_type, range, body) = (input.line(), input.line(), input.0);
    let [content_type, range] = [content_type, range].map(String::from_utf8_lossy);
    let parsed = parse::content_range(&range);
    if let Ok((range, total)) = &parsed {
        assert!(range.start < range.end && range.end <= *total);
    }
    let total = parsed.map_or(100, |(_, total)| total);
    let Some(boundary) = parse::boundary(&content_type) else { return };
    match parse::multipart(body, boundary, total) {
        Ok(parts) => {
            assert!(parts.iter().all(|it| it.range.end - it.range.start == it.bytes.len() as u64));
            assert!(parts.iter().all(|it| it.range.end <= total));
            assert!(parts.iter().map(|part| part.bytes.len()).sum::<usize>() <= body.len());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
