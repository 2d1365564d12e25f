//! Plans of regular expressions: no plan excludes a line that the pattern matches.

use crate::input::Input;
use anther_index::{GRAM, plan};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{Compiler, Config, WhichCaptures};
use regex_syntax::ParserBuilder;

/// What patterns are made of: no classes of Unicode, which take a millisecond each to compile.
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
    r"(?-u:\w)",
    r"(?-u:\d)",
    r"(?-u:\s)",
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
    if given.len() > 40 {
        return;
    }
    let pattern: String = match form & 2 {
        0 => given.iter().map(|byte| PIECES[usize::from(byte % 64)]).collect(),
        _ => String::from_utf8_lossy(given).into_owned(),
    };
    let mut parser = ParserBuilder::new();
    let parser = parser.utf8(false).multi_line(true).case_insensitive(fold).nest_limit(40);
    let Ok(tree) = parser.build().parse(&pattern) else { return };
    let query = plan([&tree]);
    // The plainest matcher: what takes longest is to compile an expression.
    let config = Config::new().utf8(false).which_captures(WhichCaptures::None);
    let mut compiler = Compiler::new();
    compiler.configure(config.nfa_size_limit(Some(1 << 15)));
    let Ok(machine) = compiler.build_from_hir(&tree) else { return };
    let regex = PikeVM::new_from_nfa(machine).expect("a machine");
    let mut cache = regex.create_cache();
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
            query.is_fulfilled(&mut has) || !regex.is_match(&mut cache, &line[..]),
            "{pattern:?} (fold: {fold}): {query} excludes {:?}",
            line.escape_ascii().to_string()
        );
    }
}
