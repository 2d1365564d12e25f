//! Near-duplicates: how alike two texts are, from the bits of their filters alone.
//!
//! A search engine that shows twenty copies of one page shows nothing. Jain, Dahlin and Tewari
//! (2005, "Using Bloom filters to refine web search results") keep a small filter of each page's
//! pieces beside its index entry, and compare filters instead of pages. Their pieces are chunks
//! that the content defines. Here they are shingles, as Broder (1997) has them: all runs of a few
//! words.
//!
//! The bits of two filters, and the bits of their union, each estimate a number of shingles
//! (Swamidass and Baldi, 2007), and so the resemblance, which is the Jaccard index:
//! |A∩B| / |A∪B| = (|A| + |B| − |A∪B|) / |A∪B|. Bits that are common by chance cancel out.

use anther::{Classic, Mismatch, Seed, SizeError, Target};

/// The shingles of a text: each run of this many words, in lower case and without punctuation.
pub fn shingles(text: &str, words: usize) -> impl Iterator<Item = String> {
    let all: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let count = (all.len() + 1).saturating_sub(words);
    (0..count).map(move |at| all[at..at + words].join(" "))
}

/// A text, as the filter of its shingles.
#[derive(Clone, Debug)]
pub struct TextSketch {
    shingles: Classic,
}

/// An estimate of the resemblance of two texts.
#[derive(Clone, Copy, Debug)]
pub struct Resemblance {
    /// The estimate, from 0 to 1.
    pub estimate: f64,
    /// Its standard deviation, at most.
    pub deviation: f64,
}

impl TextSketch {
    /// The sketch of a text. Only sketches for the same target can be compared.
    pub fn new(text: &str, words: usize, target: Target) -> Result<TextSketch, SizeError> {
        TextSketch::with_seed(text, words, target, Seed::FIXED)
    }

    /// The same, with another seed. Only sketches of one seed can be compared.
    pub fn with_seed(
        text: &str,
        words: usize,
        target: Target,
        seed: Seed,
    ) -> Result<TextSketch, SizeError> {
        let mut sketch = TextSketch { shingles: Classic::with_seed(target, seed)? };
        for shingle in shingles(text, words) {
            sketch.shingles.insert(&shingle);
        }
        Ok(sketch)
    }

    /// The bytes of its bits.
    pub fn bytes(&self) -> u64 {
        self.shingles.profile().bits.div_ceil(8)
    }

    /// How alike both texts are.
    pub fn resemblance(&self, other: &TextSketch) -> Result<Resemblance, Mismatch> {
        let mut union = self.shingles.clone();
        union.merge(&other.shingles)?;
        let [a, b, both] = [&self.shingles, &other.shingles, &union].map(|filter| {
            let items = filter.profile().items;
            items.map_or((0.0, 0.0), |items| (items.items, items.deviation))
        });
        let size = both.0.max(1.0);
        let estimate = ((a.0 + b.0 - both.0) / size).clamp(0.0, 1.0);
        // The three errors are correlated, so that their sum is a bound.
        let deviation = (a.1 + b.1 + both.1 * (1.0 + estimate)) / size;
        Ok(Resemblance { estimate, deviation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shingles_are_runs_of_words() {
        let all: Vec<_> = shingles("To be, or not — to BE!", 3).collect();
        assert_eq!(all, ["to be or", "be or not", "or not to", "not to be"]);
        assert_eq!(shingles("too short", 3).count(), 0);
    }

    #[test]
    fn a_text_resembles_itself() {
        let target = Target::new(1000, 0.01).unwrap();
        let text: String = (0..500).map(|word| format!("w{word} ")).collect();
        let [same, again] = [&text, &text].map(|text| TextSketch::new(text, 3, target).unwrap());
        assert!(same.resemblance(&again).unwrap().estimate > 0.999);
        let other: String = (0..500).map(|word| format!("v{word} ")).collect();
        let other = TextSketch::new(&other, 3, target).unwrap();
        let found = same.resemblance(&other).unwrap();
        assert!(found.estimate < 4.0 * found.deviation, "{found:?}");
        let wider = TextSketch::new(&text, 3, Target::new(2000, 0.01).unwrap()).unwrap();
        assert!(same.resemblance(&wider).is_err());
    }
}
