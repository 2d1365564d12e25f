//! Plans of regular expressions: no plan excludes a line that the pattern matches.

use crate::input::Input;
use anther_index::{GRAM, plan};
use regex_automata::meta;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;

/// What patterns are made of.
const PIECES: [&str; 64] = [
    "a",
    "b",
    "c",
    "k",
    "s",
    "S",
    "K",
    "error",
    "disk",
    "STOP",
    "user_id",
    "ä",
    "ſ",
    "ß",
    "0",
    " ",
    ".",
    r"\w",
    r"\d",
    r"\s",
    "[a-c]",
    "[sS]",
    "[kx]",
    "[^a]",
    "[^k]",
    r"\b",
    r"\B",
    "^",
    "$",
    "(",
    "(",
    "(?:",
    "(?i:",
    ")",
    ")",
    ")",
    "|",
    "|",
    "?",
    "*",
    "+",
    "{2}",
    "{1,3}",
    "{2,}",
    "{0}",
    "{9}",
    "+?",
    "*?",
    "(?i)",
    "(?-i)",
    r"(?-u:\xFF)",
    r"(?-u:[\x80-\xFF])",
    r"\x{212A}",
    "[äÄk]",
    r"\.",
    "abcd",
    "bcda",
    "(?s)",
    "(?-u)",
    "[[:alpha:]]",
    "ab",
    "dcba",
    "kiss",
    "_",
];

/// A pattern, of pieces or as it stands, and lines.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let form = input.byte();
    let fold = form & 1 == 1;
    let given = input.line();
    let pattern: String = match form & 2 {
        0 => given.iter().map(|byte| PIECES[usize::from(byte % 64)]).collect(),
        _ => String::from_utf8_lossy(given).into_owned(),
    };
    let mut parser = ParserBuilder::new();
    let parser = parser.utf8(false).multi_line(true).case_insensitive(fold).nest_limit(40);
    let Ok(tree) = parser.build().parse(&pattern) else { return };
    let query = plan([&tree]);
    let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(1 << 16));
    let config = config.hybrid(false).dfa(false).onepass(false).auto_prefilter(false);
    let syntax = syntax::Config::new().utf8(false).multi_line(true).case_insensitive(fold);
    let mut builder = meta::Regex::builder();
    let Ok(regex) = builder.syntax(syntax.nest_limit(40)).configure(config).build(&pattern) else {
        return;
    };
    // Some of the text that is in the pattern, too: the fuzzer finds matches sooner.
    let pieces = |line: &[u8]| {
        line.iter().map(|byte| PIECES[usize::from(byte % 64)]).collect::<String>().into_bytes()
    };
    for line in input.0.split(|byte| *byte == b'\n').take(4) {
        let line = if form & 4 == 0 { pieces(line) } else { line.to_vec() };
        let lower = line.to_ascii_lowercase();
        let mut has = |literal: &[u8]| {
            assert!(literal.len() >= GRAM);
            memchr::memmem::find(&lower, literal).is_some()
        };
        assert!(
            query.is_fulfilled(&mut has) || !regex.is_match(&line),
            "{pattern:?} (fold: {fold}): {query} excludes {:?}",
            line.escape_ascii().to_string()
        );
    }
}
