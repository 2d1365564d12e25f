//! Generated words and URLs: the same in every tour, all distinct.

/// How many words there are.
const WORDS: u64 = 1_000_000;
const ONSETS: [&str; 20] = [
    "b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "ch", "pl",
    "st", "tr",
];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];

/// A pronounceable word of three syllables. Different numbers below a million give different
/// words: the factor has no divisor in common with a million, and a syllable ends at its vowel.
pub fn word(number: u64) -> String {
    let mut rest = (number * 617_411 + 271_828) % WORDS;
    let mut word = String::new();
    for _ in 0..3 {
        let syllable = (rest % 100) as usize;
        word += ONSETS[syllable / 5];
        word += VOWELS[syllable % 5];
        rest /= 100;
    }
    word
}

/// A URL. Different numbers give different ones.
pub fn url(number: u64) -> String {
    let (host, page) = (word(number % 20_011), word(number / 3 % WORDS));
    format!("https://{host}.example/{page}/{number}.html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_and_urls_are_distinct() {
        let words: HashSet<_> = (0..WORDS).map(word).collect();
        assert_eq!(words.len() as u64, WORDS);
        let urls: HashSet<_> = (0..100_000).map(url).collect();
        assert_eq!(urls.len(), 100_000);
    }
}
