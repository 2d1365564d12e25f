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

/// Groups what is alike, so that each group is one result: of two that are alike, both are in one
/// group, and whatever is alike either of them. `alike` says so of two of them, by their positions;
/// groups and their members are in order.
pub fn groups<E>(
    texts: usize,
    mut alike: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<Vec<usize>>, E> {
    // Each text has the position of the first one of its group.
    let mut first: Vec<usize> = (0..texts).collect();
    for one in 0..texts {
        for other in one + 1..texts {
            if first[one] != first[other] && alike(one, other)? {
                let (keep, gone) = (first[one].min(first[other]), first[one].max(first[other]));
                first.iter_mut().filter(|at| **at == gone).for_each(|at| *at = keep);
            }
        }
    }
    let members = |at: usize| (at..texts).filter(|text| first[*text] == at).collect();
    Ok((0..texts).filter(|at| first[*at] == *at).map(members).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anther::KeyHash;

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

    /// Twenty results in any order: four pages, each with four copies of which a tenth was changed.
    #[test]
    fn copies_are_one_result() {
        let word = |page: usize, at: usize| KeyHash(7).again((page * 500 + at) as u64).0 % 5000;
        let text = |number: usize| {
            let (page, copy) = (number % 4, number / 4);
            let changed = |at: usize| if copy > 0 && at / 50 == copy { page + 100 } else { page };
            (0..500).map(|at| format!("w{} ", word(changed(at), at))).collect::<String>()
        };
        let target = Target::new(500, 0.02).unwrap();
        let sketches: Vec<_> =
            (0..20).map(|number| TextSketch::new(&text(number), 4, target).unwrap()).collect();
        let mut compared = 0;
        let found = groups(sketches.len(), |one, other| {
            compared += 1;
            sketches[one].resemblance(&sketches[other]).map(|found| found.estimate >= 0.5)
        });
        let expected: Vec<Vec<usize>> =
            (0..4).map(|page| (page..20).step_by(4).collect()).collect();
        assert_eq!(found.unwrap(), expected);
        // The pages of a group need not be compared with each other.
        assert!(compared < 190, "{compared}");
    }

    #[test]
    fn groups_join() {
        let pairs = |all: &[(usize, usize)], count| {
            groups(count, |one, other| Ok::<_, Mismatch>(all.contains(&(one, other)))).unwrap()
        };
        assert_eq!(pairs(&[(0, 3), (1, 2), (2, 3)], 5), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(pairs(&[], 2), [vec![0], vec![1]]);
        assert_eq!(pairs(&[], 0), [[0; 0]; 0]);
    }
}
