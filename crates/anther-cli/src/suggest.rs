//! Suggestions for a misspelled word: the words within one edit that the dictionary has.
//!
//! Damerau (1964) found four of five misspellings to be one edit: two letters swapped, one too many,
//! one missing, or one wrong. SymSpell stores the deletes of every word of the dictionary, and so
//! looks up only those of the misspelled one. A filter does not say whose delete it found, and seven
//! times the keys would save three of four candidates; a few bits more per word do the same
//! (docs/decisions.md).

use crate::words;
use std::str::FromStr;

/// Longer words get no suggestions: the number of candidates times their length grows with the square.
const LONGEST: usize = 64;

/// The letters that suggestions may have.
#[derive(Clone, Debug)]
pub struct Letters(Vec<char>);

impl Letters {
    /// More would make false suggestions the rule.
    const MOST: usize = 256;
}

impl FromStr for Letters {
    type Err = String;

    fn from_str(text: &str) -> Result<Letters, String> {
        let given: Vec<char> = text.to_lowercase().chars().collect();
        let (mut letters, mut rest) = (Vec::new(), &given[..]);
        while let [first, after @ ..] = rest {
            let last = match after {
                ['-', last, after @ ..] => {
                    rest = after;
                    last
                }
                _ => {
                    rest = after;
                    first
                }
            };
            if first > last {
                return Err(format!("{first}-{last}: goes backwards; write {last}-{first}"));
            }
            if letters.len() + (*first..=*last).take(Letters::MOST + 1).count() > Letters::MOST {
                return Err(format!("more than {} letters; name fewer", Letters::MOST));
            }
            letters.extend(*first..=*last);
        }
        letters.sort_unstable();
        letters.dedup();
        match letters.is_empty() {
            true => Err("no letters; write some, such as a-z".to_string()),
            false => Ok(Letters(letters)),
        }
    }
}

/// The known words within one edit of a word that is not known, in its capitals.
pub fn suggestions(
    word: &str,
    letters: &Letters,
    mut known: impl FnMut(&str) -> bool,
) -> Vec<String> {
    let word = words::plain(word);
    let mut found = Vec::new();
    if word.chars().count() > LONGEST {
        return found;
    }
    // A possessive is known by its noun.
    let (noun, ending) = match word.strip_suffix("'s").or_else(|| word.strip_suffix("'S")) {
        Some(noun) => (noun, &word[noun.len()..]),
        None => (&*word, ""),
    };
    let has_capital = noun.chars().next().is_some_and(char::is_uppercase);
    let is_capitals = has_capital && noun == noun.to_uppercase();
    let lower = noun.to_lowercase();
    let mut look_up = |candidate: &str| {
        let is_same = candidate == noun;
        let mut spelling = (!is_same && known(candidate)).then(|| candidate.to_string());
        // A name may have been written without its capital.
        if spelling.is_none() && (has_capital || is_same) {
            let capital = capitalised(candidate);
            spelling = (capital != noun && known(&capital)).then_some(capital);
        }
        let Some(spelling) = spelling else { return };
        let shown = match (is_capitals, has_capital) {
            (true, _) => spelling.to_uppercase(),
            (_, true) => capitalised(&spelling),
            _ => spelling,
        };
        found.push(shown + ending);
    };
    look_up(&lower);
    within_one_edit(&lower.chars().collect::<Vec<_>>(), letters, &mut look_up);
    found
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Calls `each` once with every word that is one edit away: letters swapped, one less, one more, one
/// other.
fn within_one_edit(word: &[char], Letters(letters): &Letters, each: &mut impl FnMut(&str)) {
    let mut candidate = String::new();
    let mut try_with = |before: &[char], middle: &[char], after: &[char]| {
        candidate.clear();
        candidate.extend(before.iter().chain(middle).chain(after));
        each(&candidate);
    };
    for (at, pair) in word.windows(2).enumerate() {
        if pair[0] != pair[1] {
            try_with(&word[..at], &[pair[1], pair[0]], &word[at + 2..]);
        }
    }
    for at in 0..word.len() {
        // Of two equal letters, either may go.
        if word.len() > 1 && word.get(at + 1) != Some(&word[at]) {
            try_with(&word[..at], &[], &word[at + 1..]);
        }
    }
    for at in 0..=word.len() {
        for letter in letters.iter().filter(|letter| word.get(at) != Some(letter)) {
            try_with(&word[..at], &[*letter], &word[at..]);
        }
    }
    for at in 0..word.len() {
        for letter in letters.iter().filter(|letter| word[at] != **letter) {
            try_with(&word[..at], &[*letter], &word[at + 1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn letters(text: &str) -> Letters {
        text.parse().unwrap()
    }

    #[test]
    fn letters_are_given_one_by_one_and_as_ranges() {
        assert_eq!(letters("a-cz'").0, ['\'', 'a', 'b', 'c', 'z']);
        assert_eq!(letters("-aA-B-").0, ['-', 'a', 'b']);
        assert_eq!(letters("а-яё").0.len(), 33);
        for (wrong, cause) in [("", "no letters"), ("z-a", "write a-z"), ("a-\u{ffff}", "256")] {
            assert!(wrong.parse::<Letters>().unwrap_err().contains(cause), "{wrong:?}");
        }
    }

    /// Each word within one edit once, and as many as there are.
    #[test]
    fn candidates_are_distinct() {
        for word in ["ab", "aab", "abba", "x"] {
            let (mut all, mut calls) = (HashSet::new(), 0);
            let word: Vec<char> = word.chars().collect();
            within_one_edit(&word, &letters("a-z"), &mut |candidate| {
                all.insert(candidate.to_string());
                calls += 1;
            });
            assert_eq!(all.len(), calls, "{word:?}");
            // As many inserts as there are with 26 letters, whatever the word.
            let inserts = all.iter().filter(|one| one.len() == word.len() + 1).count();
            assert_eq!(inserts, 25 * (word.len() + 1) + 1);
            assert!(!all.contains(&word.iter().collect::<String>()) && !all.contains(""));
        }
    }

    #[test]
    fn suggestions_have_the_capitals_of_the_word() {
        let dictionary = ["the", "Paris", "don't", "cat", "straße"];
        let suggest =
            |word: &str| suggestions(word, &letters("a-z'ß"), |word| dictionary.contains(&word));
        for (wrong, right) in [
            ("teh", "the"),
            ("Teh", "The"),
            ("TEH", "THE"),
            ("thee", "the"),
            ("paris", "Paris"),
            ("Pariss", "Paris"),
            ("PARSI", "PARIS"),
            ("dont", "don't"),
            ("ctas", "cats"),
            ("ca’t", "cat"),
            ("cta's", "cat's"),
            ("strase", "straße"),
        ] {
            let expected: &[&str] = if wrong == "ctas" { &[] } else { &[right] };
            assert_eq!(suggest(wrong), expected, "{wrong}");
        }
        assert_eq!(suggest(&"x".repeat(1_000_000)), [""; 0]);
    }
}
