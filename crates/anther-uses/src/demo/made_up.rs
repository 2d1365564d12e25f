//! Texts that are made up, the same in every run: pages of a project would change with it, and the
//! numbers of its demonstrations with them.

use super::draw;
use anther::units::whole;

/// Words of a line.
const LINE: usize = 12;
/// Different words of all texts; the r-th comes with a chance of about 1/r (Zipf's law).
const WORDS: f64 = 8000.0;

/// The text of a number, with this many words.
pub(super) fn text(number: u64, words: usize) -> String {
    let mut text = String::new();
    for at in 0..words {
        text.push_str(&word(rank(number << 32 | at as u64)));
        text.push(if at % LINE == LINE - 1 { '\n' } else { ' ' });
    }
    text
}

/// From 1 to `WORDS`, uniform in its logarithm.
fn rank(number: u64) -> usize {
    // 53 bits of a draw are a number from 0 to 1.
    let uniform = (draw(number) >> 11) as f64 / (1_u64 << 53) as f64;
    usize::try_from(whole(WORDS.powf(uniform).floor())).unwrap_or(1)
}

/// Two to four syllables, another word for each rank.
fn word(rank: usize) -> String {
    let letters = ["bdfgklmnprstvz", "aeiou"].map(str::as_bytes);
    let mut rest = rank;
    let mut word = String::new();
    while rest > 0 || word.len() < 4 {
        for kind in letters {
            word.push(char::from(kind[rest % kind.len()]));
            rest /= kind.len();
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ranks_have_words_of_their_own_and_common_ones_come_often() {
        let words: HashSet<String> = (1..=8000).map(word).collect();
        assert_eq!(words.len(), 8000);
        let text = text(1, 9000);
        let first = text.split_whitespace().filter(|one| *one == word(1)).count();
        // A chance of log 2 of 8000: 694 of 9000, five standard deviations of 25.
        assert!((569..819).contains(&first), "{first}");
        assert_eq!(text.lines().count(), 750);
    }
}
