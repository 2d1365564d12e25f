//! What a curious server can do with the indexes.

use super::server::Server;
use super::{Document, bound};
use crate::demo::{Outcome, Report, draw, secret};
use crate::encrypted_search::{Layout, SearchKey, SecureIndex};
use anther::{Classic, Estimate, PlainBits, Seed, Shape};
use std::collections::BTreeSet;

/// Pairs of documents with equal words.
const PAIRS: u64 = 200;

/// Trapdoors that the server has kept, on a document that comes later.
pub(super) fn later(
    server: &mut Server,
    index: &SecureIndex,
    expected: usize,
    layout: Layout,
    report: &mut Report,
) -> Outcome {
    let others = server.different()? - expected as u64;
    let chance = layout.rate() * others as f64;
    let found = server.store(index)?;
    let claim = "old trapdoors that match a new document: no secrecy of what was searched before";
    let bound = others as f64 * bound(layout, others, 1);
    report.within(claim, expected as f64 + chance, bound, found as f64, 1);
    Ok(())
}

/// Ones of blinded filters tell nothing about the number of words.
pub(super) fn blinding(
    indexes: &[SecureIndex],
    documents: &[Document],
    layout: Layout,
    report: &mut Report,
) -> Outcome {
    // Balls in bins: k·u throws into m bits.
    let m = layout.bits as f64;
    let throws = f64::from(layout.probes) * layout.words as f64;
    let empty = (throws * (-1.0 / m).ln_1p()).exp();
    let deviation = (m * empty * (1.0 - (1.0 + throws / m) * empty)).sqrt();
    let mean = m * (1.0 - empty);
    let ones = indexes.iter().map(|index| ones(index.filter()));
    let furthest = ones.max_by(|a, b| (a - mean).abs().total_cmp(&(b - mean).abs()));
    let words = || documents.iter().map(|document| document.words.len());
    let (least, most) = (words().min().unwrap_or(0), words().max().unwrap_or(0));
    let claim = format!(
        "ones of {} blinded filters, of {least} to {most} words: furthest from the mean of {} words",
        indexes.len(),
        layout.words
    );
    report.within(claim, mean, 4.5 * deviation, furthest.unwrap_or(mean), 0);
    let shortest = documents.iter().min_by_key(|document| document.words.len());
    let shortest = shortest.ok_or("there are no documents")?;
    let key = SearchKey::new(secret());
    let bare = shortest.index(&key, 0, Layout { words: shortest.words.len() as u64, ..layout })?;
    let Estimate { items, deviation, .. } = bare.filter().estimate_items();
    let claim = "words of the shortest document, told from its ones without blinding";
    report.within(claim, shortest.words.len() as f64, 4.0 * deviation, items, 0);
    Ok(())
}

/// Documents with the same words and different numbers share no more ones than chance says.
pub(super) fn equal_words(document: &Document, layout: Layout, report: &mut Report) -> Outcome {
    let key = SearchKey::new(secret());
    // Without blinding, which would hide it.
    let layout = Layout { words: document.words.len() as u64, ..layout };
    let m = layout.bits as f64;
    let (mut found, mut chance, mut variance) = (0.0, 0.0, 0.0);
    for pair in 0..PAIRS {
        let one = document.index(&key, draw(2 * pair), layout)?;
        let other = document.index(&key, draw(2 * pair + 1), layout)?;
        let (a, b) = (ones(one.filter()), ones(other.filter()));
        found += common(one.filter(), other.filter())?;
        chance += a * b / m;
        variance += a * b / m * (1.0 - a / m) * (m - b) / (m - 1.0);
    }
    let claim = format!("{PAIRS} pairs of documents with equal words: common ones, by chance 1");
    report.within(claim, 1.0, 4.0 * variance.sqrt() / chance, found / chance, 5);

    let shape = Shape::bits(layout.bits).probes(layout.probes);
    let mut keyed = Classic::with_shape(shape, Seed::keyed(secret()))?;
    keyed.extend(&document.words);
    let share = common(&keyed, &keyed.clone())? / ones(&keyed);
    report.claim("without the step by document: share of ones in common", 1, share, share >= 1.0);
    Ok(())
}

/// A server that guesses words.
pub(super) fn guessing(
    indexes: &[SecureIndex],
    documents: &[Document],
    layout: Layout,
    report: &mut Report,
) -> Outcome {
    let dictionary: BTreeSet<&String> =
        documents.iter().flat_map(|document| &document.words).collect();
    let shape = Shape::bits(layout.bits).probes(layout.probes);
    let (mut told, mut all) = (0, 0);
    for document in documents {
        let mut fixed = Classic::with_shape(shape, Seed::FIXED)?;
        fixed.extend(&document.words);
        let guessed = dictionary.iter().filter(|word| fixed.contains(word));
        told += guessed.filter(|word| document.words.contains(**word)).count();
        all += document.words.len();
    }
    report.claim(
        format_args!("words that a server guesses with a dictionary, fixed seed, of {all}"),
        all,
        told,
        told == all,
    );
    let guess = SearchKey::new([0; 16]);
    let mut hits = 0;
    for (document, index) in documents.iter().zip(indexes) {
        for word in &document.words {
            hits += usize::from(index.contains(&guess.trapdoor(word, layout))?);
        }
    }
    let bound = bound(layout, all as u64, documents.len());
    let claim = "the same guesses without the key: share of true words that match, as of any words";
    report.within(claim, layout.rate(), bound, hits as f64 / all.max(1) as f64, 5);
    Ok(())
}

fn ones(filter: &Classic) -> f64 {
    let profile = filter.profile();
    (profile.fill * profile.bits as f64).round()
}

fn common(one: &Classic, other: &Classic) -> Result<f64, anther::Mismatch> {
    let mut both = one.clone();
    both.intersect(other)?;
    Ok(ones(&both))
}
