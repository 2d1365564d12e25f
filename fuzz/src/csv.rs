//! Delimited text, read as the crate `csv` reads it.

use crate::input::Input;
use anther_records::csv::{Search, fields, without_end};

/// The delimiter, the step by which a buffer grows, and the text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let delimiter = input.one(b",;\t|a ");
    let step = 1 + input.below(40);
    // What is read has lost its byte-order mark before.
    let text = input.0.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input.0);
    if text.starts_with(b"\xEF\xBB\xBF") {
        return;
    }
    let (mut search, mut ends) = (Search::default(), Vec::new());
    for len in (0..text.len()).step_by(step) {
        search.ends(&text[..len], delimiter, false, |end| ends.push(end));
    }
    search.ends(text, delimiter, true, |end| ends.push(end));
    if ends.last().copied().unwrap_or(0) < text.len() {
        ends.push(text.len());
    }
    assert!(ends.is_sorted());
    let starts = [0].into_iter().chain(ends.iter().copied());
    let records = starts.zip(&ends).map(|(start, end)| without_end(&text[start..*end]));
    let read = records.filter(|it| !it.is_empty()).map(|it| fields(it, delimiter, true));
    let ours: Result<Vec<_>, _> = read.collect();
    // They take an unclosed quote for closed at the end; we call it malformed.
    if search.is_quoted() {
        return;
    }
    let mut reader = ::csv::ReaderBuilder::new();
    let reader = reader
        .buffer_capacity(256)
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text);
    let theirs = reader
        .into_byte_records()
        .map(|it| it.expect("bytes").iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
    assert_eq!(ours, Ok(theirs.collect()), "{:?}", text.escape_ascii().to_string());
}
