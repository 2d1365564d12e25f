//! Documents: how alike they are, and which have a word, from filters alone.

use super::super::data::word;
use super::{Line, SECRET, by_chance};
use anther::{Target, units};
use anther_uses::encrypted_search::{Layout, SearchKey, SecureIndex};
use anther_uses::near_duplicates::{TextSketch, shingles};
use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

pub(super) fn near_duplicates(_: &Path) -> Result<Line, Box<dyn Error>> {
    let text = |left_out: u64| -> String {
        (1..=3000)
            .filter(|number| number % left_out != 0)
            .map(|number| word(number) + " ")
            .collect()
    };
    // The copy lacks every thirtieth word.
    let [page, copy] = [text(u64::MAX), text(30)];
    let [all, some] = [&page, &copy].map(|text| shingles(text, 4).collect::<HashSet<_>>());
    let truth = all.intersection(&some).count() as f64 / all.union(&some).count() as f64;
    let target = Target::new(3000, 0.02)?;
    let [one, other] = [&page, &copy].map(|text| TextSketch::new(text, 4, target));
    let (one, other) = (one?, other?);
    let found = one.resemblance(&other)?;
    Ok(Line {
        source: "[5]",
        claim: format!("near-duplicates: Jaccard index {truth:.3}"),
        measured: format!("{:.3} by {} bytes", found.estimate, one.bytes()),
        holds: (found.estimate - truth).abs() <= 4.0 * found.deviation,
    })
}

pub(super) fn encrypted_search(_: &Path) -> Result<Line, Box<dyn Error>> {
    const WORDS: u64 = 200;
    let layout = Layout::new(Target::new(WORDS, 0.01)?)?;
    let key = SearchKey::new(SECRET);
    let (mut missed, mut found, mut searches) = (0, 0, 0);
    for document in 0..20 {
        let words: Vec<String> = (0..WORDS).map(|at| word(document * WORDS + at)).collect();
        let index = SecureIndex::build(&key, document, words.iter().map(String::as_str), layout)?;
        let has = |word: &str| index.contains(&key.trapdoor(word, layout));
        for word in &words {
            missed += u64::from(!has(word)?);
        }
        for number in 0..500 {
            found += u64::from(has(&word(100_000 + number))?);
            searches += 1;
        }
    }
    let (predicted, measured) = (layout.rate(), found as f64 / searches as f64);
    Ok(Line {
        source: "[5]",
        claim: format!("encrypted search: {} by chance", units::rate(predicted)),
        measured: format!("{}, {missed} words missed", units::rate(measured)),
        holds: missed == 0 && by_chance(predicted, found, searches),
    })
}
