use super::{LENGTH, LITERALS, STRINGS, plan};
use crate::query::{GRAM, Query};
use regex_automata::meta;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::HashSet;
use std::fmt::Write as _;

/// The tree of a pattern, as ripgrep parses it.
fn tree(pattern: &str) -> Hir {
    let mut parser = ParserBuilder::new().utf8(false).multi_line(true).build();
    parser.parse(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn planned(pattern: &str) -> String {
    plan([&tree(pattern)]).to_string()
}

#[test]
fn literals_of_parts_are_joined_and_combined() {
    for (pattern, expected) in [
        ("connection", r#""connection""#),
        ("Connection", r#""connection""#),
        ("colou?r", r#"("color" or "colour")"#),
        ("(foo|bar)baz", r#"("barbaz" or "foobaz")"#),
        ("error.*timeout", r#"("error" and "timeout")"#),
        ("error|warning", r#"("error" or "warning")"#),
        ("word|password", r#""word""#),
        ("password.*word", r#""password""#),
        ("^start", r#""start""#),
        (r"\bhalt\b", r#""halt""#),
        (r"under\bscore", r#""underscore""#),
        ("(abcd)+", r#""abcd""#),
        ("(?:ab){2}", r#""abab""#),
        ("(?:ab){2,}cd", r#""ababcd""#),
        ("a[xy]bc", r#"("axbc" or "aybc")"#),
        ("gr[ae]y house", r#"("gray house" or "grey house")"#),
        ("id=[0-9]+ done", r#"" done""#),
        ("timeout after [0-9]{3} ms", r#""timeout after ""#),
        // U+212A and U+017F are other cases of k and s.
        ("(?i)k9xx", r#"("k9xx" or "\xe2\x84\xaa9xx")"#),
        ("(?i)boss", r#"("boss" or "bos\xc5\xbf" or "bo\xc5\xbfs" or "bo\xc5\xbf\xc5\xbf")"#),
        ("(?i)ERROR", r#""error""#),
        ("(?i-u)kiss", r#""kiss""#),
        (r"(?-u:\xFF)abc", r#""\xffabc""#),
        ("ÄÖ", r#""\xc3\x84\xc3\x96""#),
        // Non-ASCII bytes are not lowercased.
        (
            "(?i)éé",
            r#"("\xc3\x89\xc3\x89" or "\xc3\x89\xc3\xa9" or "\xc3\xa9\xc3\x89" or "\xc3\xa9\xc3\xa9")"#,
        ),
        ("[^\\s\\S]", "none"),
        ("(?:[^\\s\\S]|halt)", r#""halt""#),
    ] {
        assert_eq!(planned(pattern), expected, "{pattern}");
    }
}

#[test]
fn patterns_without_a_literal_need_every_block() {
    for pattern in [
        "",
        "^",
        "$",
        "^$",
        "abc",
        "a.b.c.d",
        ".*",
        "x*",
        "(abcd)*",
        "(abcd)?",
        "abcd|",
        "abcd|x",
        "[a-z]+",
        r"\d{4}-\d{2}",
        r"\bif\b",
        "(?i)abc",
        "(long|)",
        r"\w+",
        "abc.def",
        "abc[0-9]def",
    ] {
        assert_eq!(planned(pattern), "all", "{pattern}");
    }
}

#[test]
fn several_patterns_are_alternatives() {
    let trees = [tree("error"), tree("warning.*disk")];
    assert_eq!(plan(&trees).to_string(), r#"("error" or ("disk" and "warning"))"#);
    assert_eq!(plan(&[tree("error"), tree("x")]), Query::All);
    assert_eq!(plan([]), Query::NONE);
}

#[test]
fn hostile_patterns_stay_small() {
    let classes = "[abcdefgh]".repeat(100);
    let folded = format!("(?i){}", "sk".repeat(500));
    let nested = format!("{}abcd{}", "(".repeat(100), "){8}".repeat(100));
    let words: Vec<String> = (0..2 * LITERALS).map(|n| format!("word{n:06}")).collect();
    for pattern in [
        &classes,
        &folded,
        &nested,
        &words.join("|"),
        &"x".repeat(100_000),
        &"(ab?c?d?)+".repeat(99),
    ] {
        let mut parser = ParserBuilder::new().nest_limit(500).build();
        let query = plan([&parser.parse(pattern).expect("a pattern")]);
        assert!(query.literals() <= LITERALS, "{}", query.literals());
        longest_within(&query);
    }
    let some = words[..LITERALS].join("|");
    assert_eq!(plan([&tree(&some)]).literals(), LITERALS);
    assert_eq!(planned(&words.join("|")), "all");
    // Long alternatives are still joined with what stands beside them.
    let query = planned(&format!("({})end", words[..STRINGS].join("|")));
    assert!(query.contains(r#""word000007end""#), "{query}");
}

fn longest_within(query: &Query) {
    match query {
        Query::All => {}
        Query::Literal(literal) => assert!((GRAM..=LENGTH).contains(&literal.len())),
        Query::And(members) | Query::Or(members) => members.iter().for_each(longest_within),
    }
}

/// Numbers that look random, the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below the bound")
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Writes a random pattern.
fn grow(numbers: &mut Numbers, depth: usize, pattern: &mut String) {
    const WORDS: &[&str] = &["error", "Kiss", "disk", "STOP", "user_id", "äß", "ſtraße", "a", "sk"];
    const PIECES: &[&str] = &[
        ".",
        r"\w",
        r"\d+",
        "[a-f]",
        "[sS]",
        "[kx]",
        "[^a]",
        r"\b",
        "^",
        "$",
        r"\s",
        "",
        "(?i:k)",
        "(?i:straSSe)",
        r"(?-u:\xFF)",
        r"(?-u:[\x80-\xFF])",
        r"\x{212A}",
        "[äÄk]",
        r"\B",
        "(?i)",
        "\\.",
    ];
    match numbers.below(if depth == 0 { 2 } else { 6 }) {
        0 => pattern.push_str(numbers.one(WORDS)),
        1 => pattern.push_str(numbers.one(PIECES)),
        2 | 3 => (0..=numbers.below(3)).for_each(|_| grow(numbers, depth - 1, pattern)),
        4 => {
            pattern.push_str("(?:");
            for at in 0..=numbers.below(3) {
                pattern.push_str(if at > 0 { "|" } else { "" });
                grow(numbers, depth - 1, pattern);
            }
            pattern.push(')');
        }
        _ => {
            pattern.push('(');
            grow(numbers, depth - 1, pattern);
            let many = numbers.one(&["?", "*", "+", "{2}", "{1,3}", "{2,}", "+?", "{0}", "{9}"]);
            let _ = write!(pattern, "){many}");
        }
    }
}

/// A random text that the pattern matches, except that its anchors may not hold.
fn sample(hir: &Hir, numbers: &mut Numbers, text: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let range = class.ranges()[numbers.below(class.ranges().len())];
            let offset = numbers.below(range.len().min(64));
            let char =
                char::from_u32(u32::from(range.start()) + u32::try_from(offset).expect("small"));
            text.extend_from_slice(char.unwrap_or(range.start()).to_string().as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) => {
            let range = class.ranges()[numbers.below(class.ranges().len())];
            let offset = u8::try_from(numbers.below(range.len())).expect("below 256");
            text.push(range.start() + offset);
        }
        HirKind::Repetition(repetition) => {
            let more = repetition.max.map_or(3, |max| (max - repetition.min).min(3)) as usize;
            let copies = repetition.min as usize + numbers.below(more + 1);
            (0..copies).for_each(|_| sample(&repetition.sub, numbers, text));
        }
        HirKind::Capture(capture) => sample(&capture.sub, numbers, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| sample(part, numbers, text)),
        HirKind::Alternation(parts) => sample(&parts[numbers.below(parts.len())], numbers, text),
    }
}

/// The grams of a block, as the index has them.
fn grams(block: &[u8]) -> HashSet<Vec<u8>> {
    let lines = block.split(|byte| *byte == b'\n');
    lines.flat_map(|line| line.windows(GRAM).map(<[u8]>::to_ascii_lowercase)).collect()
}

#[test]
fn no_plan_excludes_a_block_with_a_match() {
    let mut numbers = Numbers(21);
    let (mut checked, mut planned) = (0, 0);
    for _ in 0..8_000 {
        let mut pattern = String::new();
        grow(&mut numbers, 4, &mut pattern);
        let fold = numbers.below(3) == 0;
        let syntax = syntax::Config::new().utf8(false).multi_line(true).case_insensitive(fold);
        let mut parser =
            ParserBuilder::new().utf8(false).multi_line(true).case_insensitive(fold).build();
        let hir = parser.parse(&pattern).expect("the grammar writes patterns");
        let query = plan([&hir]);
        let regex = meta::Regex::builder()
            .syntax(syntax)
            .configure(meta::Config::new().utf8_empty(false))
            .build(&pattern)
            .expect("the grammar writes patterns");
        planned += usize::from(query != Query::All);
        for _ in 0..3 {
            let mut line = numbers.one(&["", "at ", "\r", "x"]).as_bytes().to_vec();
            sample(&hir, &mut numbers, &mut line);
            line.extend_from_slice(numbers.one(&["", " end", "\r", "_"]).as_bytes());
            // Matches lie within a line: the searcher never shows more to the regex.
            if line.contains(&b'\n') || !regex.is_match(&line) {
                continue;
            }
            checked += 1;
            let block = [b"other line\n", &line[..], b"\nlast line\n"].concat();
            let grams = grams(&block);
            let mut has = |literal: &[u8]| literal.windows(GRAM).all(|gram| grams.contains(gram));
            assert!(
                query.is_fulfilled(&mut has),
                "{pattern:?} (fold: {fold}): {query} excludes {:?}",
                line.escape_ascii().to_string()
            );
        }
    }
    assert!(checked > 14_000 && planned > 2_000, "{checked} texts, {planned} patterns with a plan");
}
