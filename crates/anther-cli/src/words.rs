//! The words of a text, as Unicode defines them, and the spellings under which a dictionary may have
//! them.

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// A word in a line, with its offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// Where it begins.
    pub at: usize,
    /// The word.
    pub text: &'t str,
}

/// Calls `unknown` for every word of a line that is not known. Words of one letter, words with a
/// digit, addresses and URLs are passed over.
pub fn unknown_words<'t>(
    line: &'t str,
    known: &mut impl FnMut(&str) -> bool,
    mut unknown: impl FnMut(Word<'t>),
) {
    let passed_over = addresses(line);
    let mut words = line.unicode_word_indices().map(|(at, text)| Word { at, text }).peekable();
    while let Some(first) = words.next() {
        let mut end = first.at + first.text.len();
        // Words with hyphens between them may be one word of the dictionary.
        let mut parts = 1;
        while let Some(next) = words.peek()
            && HYPHENS.contains(&&line[end..next.at])
        {
            end = next.at + next.text.len();
            parts += 1;
            words.next();
        }
        let whole = &line[first.at..end];
        if passed_over.iter().any(|span| span.contains(&first.at)) || is_known(whole, known) {
            continue;
        }
        // The dots of `e.g` and the colons within words join them, too.
        let is_joint = |c: char| {
            parts > 1 && HYPHENS.iter().any(|it| it.contains(c)) || c == '.' || c == ':' || c == '_'
        };
        let mut at = first.at;
        for text in whole.split(is_joint) {
            if !is_known(text, known) {
                unknown(Word { at, text });
            }
            at += text.len();
            at += line[at..end].chars().next().map_or(0, char::len_utf8);
        }
    }
}

const HYPHENS: [&str; 3] = ["-", "\u{2010}", "\u{2011}"];

/// Where addresses and URLs are in a line.
fn addresses(line: &str) -> Vec<std::ops::Range<usize>> {
    let is_address =
        |text: &str| text.contains("://") || text.contains('@') || text.starts_with("www.");
    // Most lines have none.
    if memchr::memchr2(b'@', b':', line.as_bytes()).is_none() && !line.contains("www.") {
        return Vec::new();
    }
    let start = |text: &str| text.as_ptr().addr() - line.as_ptr().addr();
    let pieces = line.split(char::is_whitespace);
    let piece = |text: &str| text.trim_start_matches(|c: char| "<([{\"'".contains(c)).to_string();
    pieces
        .filter(|text| is_address(&piece(text)))
        .map(|text| start(text)..start(text) + text.len())
        .collect()
}

/// Whether a word is known, in one of its spellings.
fn is_known(word: &str, known: &mut impl FnMut(&str) -> bool) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let is_word = letters.next().is_some() && letters.next().is_some();
    if !is_word || word.chars().any(char::is_numeric) {
        return true;
    }
    let given = word;
    let word = plain(given);
    // Some dictionaries have the apostrophe of typography, or soft hyphens.
    if in_any_case(&word, known) || word != given && in_any_case(given, known) {
        return true;
    }
    // Any noun has a possessive, and word lists have some of them.
    word.strip_suffix("'s").or(word.strip_suffix("'S")).is_some_and(|noun| in_any_case(noun, known))
}

/// A word as dictionaries have it: with ASCII's apostrophe, and without soft hyphens.
pub fn plain(word: &str) -> Cow<'_, str> {
    match word.contains(['\u{2019}', '\u{2018}', '\u{ad}', '\u{2bc}']) {
        false => Cow::Borrowed(word),
        true => {
            let apostrophe = |c| matches!(c, '\u{2019}' | '\u{2018}' | '\u{2bc}');
            let plain = word.chars().filter(|c| *c != '\u{ad}');
            Cow::Owned(plain.map(|c| if apostrophe(c) { '\'' } else { c }).collect())
        }
    }
}

/// Whether a word is known as it is, or, if it may be a capital only because of where it stands, in
/// lower case. All capitals may also be a name: PARIS is Paris.
fn in_any_case(word: &str, known: &mut impl FnMut(&str) -> bool) -> bool {
    if known(word) {
        return true;
    }
    let is_upper = |word: &str| word.chars().all(|c| !c.is_lowercase());
    // Each part of a word with hyphens may have its capital: X-Ray.
    let is_title = |part: &str| {
        let mut letters = part.chars().skip_while(|c| !c.is_alphabetic());
        letters.next();
        letters.all(|c| !c.is_uppercase())
    };
    let is_capitals = is_upper(word);
    let has_capital = word.chars().any(char::is_uppercase);
    let hyphen = |c: char| HYPHENS.iter().any(|it| it.contains(c));
    if !has_capital || !is_capitals && !word.split(hyphen).all(is_title) {
        return false;
    }
    let lower = word.to_lowercase();
    if known(&lower) {
        return true;
    }
    let mut characters = lower.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    is_capitals && known(&first.chain(characters).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(line: &str) -> Vec<(usize, &str)> {
        let dictionary = [
            "the", "cat", "cats", "don't", "Paris", "x-ray", "well", "known", "naïve", "e.g",
            "iPhone", "straße", "île", "über", "end", "begin", "I'd", "O'Neill",
        ];
        let mut all = Vec::new();
        let mut known = |word: &str| dictionary.contains(&word);
        unknown_words(line, &mut known, |word| all.push((word.at, word.text)));
        all
    }

    #[test]
    fn words_are_found_as_they_are_and_in_lower_case() {
        for line in [
            "The THE the Cat CATS cat's CAT'S",
            "Don't don’t DON’T I'd O'Neill O’Neill",
            "Paris PARIS",
            "x-ray X-Ray X-RAY well-known Well-Known well‐known",
            "naïve Naïve NAÏVE Straße ÎLE Über",
            "iPhone e.g. the.cat the:cat end.Begin",
            "(cat) \"cat\" cat, cat; cat! ¿cat? «cat»",
            "3 1st mp3 B2B x 3.14 1,000 §",
            "bob@example.org https://exmple.org/wrod www.wrod.example <bob@wrod.example>",
            "the\u{ad}  ca\u{ad}t",
            "",
        ] {
            assert_eq!(unknown(line), [], "{line}");
        }
    }

    #[test]
    fn unknown_words_are_told_with_their_offset() {
        for (line, expected) in [
            ("the wrod", vec![(4, "wrod")]),
            ("paris", vec![(0, "paris")]),
            ("iphone IPHONE IPhone", vec![(0, "iphone"), (7, "IPHONE"), (14, "IPhone")]),
            ("CaT tHe", vec![(0, "CaT"), (4, "tHe")]),
            ("the-wrod-known", vec![(4, "wrod")]),
            ("über-wrod", vec![(6, "wrod")]),
            ("end.Bgein", vec![(4, "Bgein")]),
            ("wrod's", vec![(0, "wrod's")]),
            ("don't't", vec![(0, "don't't")]),
            ("the wrod@ wrod", vec![(10, "wrod")]),
            ("a:wrod", vec![(2, "wrod")]),
        ] {
            assert_eq!(unknown(line), expected, "{line}");
        }
    }
}
