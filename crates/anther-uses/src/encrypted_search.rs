//! Search in encrypted documents: a server finds which documents have a word, and knows neither the
//! word nor the documents.
//!
//! Goh's Z-IDX (2003, "Secure indexes"). Each document has a filter of its words, sized alike for
//! all documents. A word's bits depend on a secret key and on the document: first
//! xᵢ = PRF(kᵢ, word), the *trapdoor*, which only the owner of the key can make; then
//! yᵢ = PRF(xᵢ, document), the bits. So one word has other bits in every document, and the server
//! cannot compare filters. To search, the owner sends the trapdoor, and the server computes the
//! bits for each document. Finally the filter is *blinded*: a document with fewer words than the
//! most gets the bits of words that do not exist, so that the ones do not tell how many words it
//! has.
//!
//! A word that is not in a document seems to be with the rate of a full filter, (1−e^(−ku/m))^k for
//! u words, whatever the document's length.
//!
//! ```
//! use anther::Target;
//! use anther_uses::encrypted_search::{Layout, SearchKey, SecureIndex};
//!
//! let layout = Layout::new(Target::new(1000, 0.001)?)?; // at most 1000 words
//! let key = SearchKey::new([7; 16]);
//! let index = SecureIndex::build(&key, 1, ["meet", "at", "noon"], layout)?;
//! // The server has the index, and gets a trapdoor.
//! assert!(index.contains(&key.trapdoor("noon", layout))?);
//! assert!(!index.contains(&SearchKey::new([8; 16]).trapdoor("noon", layout))?, "another key");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **What the server learns**: how many documents there are and the most words of one; for each
//! search, which documents match; that a word is searched again, since its trapdoor is the same.
//! An old trapdoor also finds documents that are indexed later. A server that knows how often words
//! occur can guess searched words from that (Islam, Kuzu and Kantarcioglu 2012). Later schemes hide
//! more.
//!
//! **When it breaks.** Two documents with one number share bits; change the number with the
//! document. The pseudorandom function here is the library's keyed hash, SipHash-1-3. It resists
//! what is known, but it was made for hash tables: for years of secrecy put HMAC-SHA-256 into
//! `prf`.

use anther::sizing::bloom;
use anther::{Classic, Kind, Open, Options, PositionError, Save, SaveError, Seed, Shape};
use anther::{LoadError, SizeError, Target};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// The size of every filter: bits, probes, and the most words of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bits of the filter.
    pub bits: u64,
    /// Bits of a word.
    pub probes: u32,
    /// The most distinct words of a document.
    pub words: u64,
}

impl Layout {
    /// For documents of at most `target.items()` distinct words, at the target's false-positive rate.
    pub fn new(target: Target) -> Result<Layout, SizeError> {
        let plan = Kind::Classic.plan(target, &Options::default())?;
        Ok(Layout { bits: plan.bits, probes: plan.probes, words: target.items() })
    }

    /// The false-positive rate of a search in one document.
    pub fn rate(&self) -> f64 {
        bloom::rate(self.bits, self.words, self.probes)
    }
}

/// The secret key of the documents' owner.
#[derive(Clone, Copy)]
pub struct SearchKey([u8; 16]);

impl fmt::Debug for SearchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchKey")
    }
}

/// What the server needs to search for one word, and for no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trapdoor(pub Vec<[u8; 16]>);

impl SearchKey {
    /// A key. Draw it from the system's randomness.
    pub fn new(secret: [u8; 16]) -> SearchKey {
        SearchKey(secret)
    }

    /// The trapdoor of a word.
    pub fn trapdoor(&self, word: &str, layout: Layout) -> Trapdoor {
        let key = |probe: u32| prf(self.0, format!("word {probe}").as_bytes());
        Trapdoor((0..layout.probes).map(|probe| prf(key(probe), word.as_bytes())).collect())
    }

    /// A trapdoor that no word has.
    fn blind(&self, number: u64, layout: Layout) -> Trapdoor {
        let key = prf(self.0, b"blinding");
        let draw = |probe: u32| prf(key, format!("{number} {probe}").as_bytes());
        Trapdoor((0..layout.probes).map(draw).collect())
    }
}

impl Trapdoor {
    /// The word's bits in a document.
    fn positions(&self, document: u64, bits: u64) -> Vec<u64> {
        let bit = |x: &[u8; 16]| {
            let y = u128::from_le_bytes(prf(*x, &document.to_le_bytes()));
            // Of 128 bits, so that no bit is more likely than another.
            u64::try_from(y % u128::from(bits)).unwrap_or(0)
        };
        self.0.iter().map(bit).collect()
    }
}

/// The index of a document: all that a server gets of it, apart from its ciphertext.
#[derive(Clone, Debug, PartialEq)]
pub struct SecureIndex {
    document: u64,
    bits: u64,
    filter: Classic,
}

/// Why there is no index.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The document has more distinct words than the layout.
    #[error("a document has {got} words; the layout has room for {most}, make it for more")]
    Words {
        /// The document's.
        got: u64,
        /// The layout's.
        most: u64,
    },
    /// The filter could not be made.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The layout's probes are not those of the filter.
    #[error(transparent)]
    Positions(#[from] PositionError),
}

impl SecureIndex {
    /// The index of a document, by its number and its words.
    pub fn build<'a>(
        key: &SearchKey,
        document: u64,
        words: impl IntoIterator<Item = &'a str>,
        layout: Layout,
    ) -> Result<SecureIndex, IndexError> {
        let words: BTreeSet<&str> = words.into_iter().collect();
        let count = words.len() as u64;
        if count > layout.words {
            return Err(IndexError::Words { got: count, most: layout.words });
        }
        let shape = Shape::bits(layout.bits).probes(layout.probes);
        let mut filter = Classic::with_shape(shape, Seed::EXTERNAL)?;
        let real = words.into_iter().map(|word| key.trapdoor(word, layout));
        let blind = (count..layout.words).map(|number| key.blind(number, layout));
        for trapdoor in real.chain(blind) {
            filter.insert_positions(&trapdoor.positions(document, layout.bits))?;
        }
        Ok(SecureIndex { document, bits: layout.bits, filter })
    }

    /// Whether the document may have the word of a trapdoor. The server computes this.
    pub fn contains(&self, trapdoor: &Trapdoor) -> Result<bool, PositionError> {
        self.filter.contains_positions(&trapdoor.positions(self.document, self.bits))
    }

    /// The document's number.
    pub fn document(&self) -> u64 {
        self.document
    }

    /// The filter.
    pub fn filter(&self) -> &Classic {
        &self.filter
    }

    /// The filter as bytes, for [`from_bytes`](SecureIndex::from_bytes).
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        Save::new().bytes(&self.filter)
    }

    /// The index of a document from the bytes of its filter.
    pub fn from_bytes(document: u64, bytes: &[u8]) -> Result<SecureIndex, LoadError> {
        let filter: Classic = Open::new().without_hashing().bytes(bytes)?;
        Ok(SecureIndex { document, bits: filter.profile().bits, filter })
    }
}

/// A pseudorandom function of 128 bits: two of 64, on inputs that differ in the last byte.
fn prf(key: [u8; 16], input: &[u8]) -> [u8; 16] {
    let mut input = input.to_vec();
    input.push(0);
    let seed = Seed::keyed(key);
    let low = seed.hash_bytes(&input).0;
    if let Some(last) = input.last_mut() {
        *last = 1;
    }
    (u128::from(low) | u128::from(seed.hash_bytes(&input).0) << 64).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        Layout::new(Target::new(200, 0.001).unwrap()).unwrap()
    }

    #[test]
    fn a_trapdoor_finds_its_word_and_no_other() {
        let key = SearchKey::new([3; 16]);
        let words: Vec<String> = (0..200).map(|word| format!("word{word}")).collect();
        let index =
            SecureIndex::build(&key, 9, words.iter().map(String::as_str), layout()).unwrap();
        let same = SecureIndex::from_bytes(9, &index.to_bytes().unwrap()).unwrap();
        assert_eq!(same, index);
        let has = |word: &str| same.contains(&key.trapdoor(word, layout())).unwrap();
        assert!(words.iter().all(|word| has(word)));
        let wrong = (0..10_000).filter(|word| has(&format!("other{word}"))).count();
        assert!(wrong < 30, "{wrong} of 10,000 at 0.1 %");
        assert!(index.contains(&Trapdoor(vec![[0; 16]])).is_err(), "too few probes");
    }

    #[test]
    fn ones_do_not_tell_the_number_of_words() {
        let key = SearchKey::new([3; 16]);
        let ones = |words: &[&str]| {
            let index = SecureIndex::build(&key, 1, words.iter().copied(), layout()).unwrap();
            index.filter().profile().fill * layout().bits as f64
        };
        let (none, many) = (ones(&[]), ones(&["a", "b", "c", "d", "e", "f", "g", "h"]));
        assert!((none - many).abs() < 100.0, "{none} and {many}");
        let short = SecureIndex::build(&key, 1, ["a", "b"], Layout { words: 1, ..layout() });
        assert_eq!(
            short.unwrap_err().to_string(),
            "a document has 2 words; the layout has room for 1, make it for more"
        );
    }
}
