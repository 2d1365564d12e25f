//! A block of records, and the hashes of their keys.

use crate::block_list::{COMMENT, OTHER_RULE, SAME_LINE};
use crate::blocks::{Batch, Block, Splitter};
use crate::csv;
use crate::extract::{self, Extraction, Extractor};
use crate::looks;
use crate::record_error::RecordError;
use anther::recipe::{Reach, RuledKey};
use anther::{Key, KeyHash, Seed};

/// How keys are hashed.
#[derive(Clone, Copy)]
pub struct Hashing<'a> {
    /// How they are taken from records.
    pub how: &'a Extraction,
    /// With which seeds.
    pub seeds: &'a [Seed],
    /// Whether the keys themselves are kept.
    pub keep_keys: bool,
}

/// A block of records with what they are hashed to.
#[derive(Default)]
pub struct HashedBlock {
    /// The records.
    pub block: Block,
    /// What came of them.
    pub keys: Keys,
}

/// The keys of a block, as far as somebody wants to know them.
#[derive(Default)]
pub struct Keys {
    /// For each seed, a hash for each record.
    pub hashes: Vec<Vec<KeyHash>>,
    /// A value for each record, if keys have values.
    pub values: Vec<u64>,
    /// What some of the records are inserted as, beside their own keys.
    pub more: More,
    /// How many records have an empty key, and are left out.
    pub empty: u64,
    /// How many are malformed, and left out.
    pub malformed: u64,
    /// How many are rules of ad blockers that block no whole domain, which are left out.
    pub other_rules: u64,
    /// How many are networks that are kept as text, if they are counted.
    pub networks: u64,
    /// Where each key is, if keys are kept.
    spans: Vec<Span>,
    made: Vec<u8>,
}

/// A block as those see it who work on it: records, and the hashes of their keys.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The records, numbered from 1 within the block.
    pub records: Batch<'a>,
    /// For each seed, a hash for each record.
    pub hashes: &'a [Vec<KeyHash>],
    /// A value for each record, if keys have values.
    pub values: &'a [u64],
    /// What some of the records are inserted as, beside their own keys.
    pub more: &'a More,
    bytes: &'a [u8],
    keys: &'a Keys,
}

impl<'a> Part<'a> {
    /// The key of the record at this position, if keys are kept.
    pub fn key(self, at: usize) -> &'a [u8] {
        let Span { start, len, is_made } = self.keys.spans[at];
        let bytes = if is_made { &self.keys.made } else { self.bytes };
        &bytes[start..start + len]
    }

    /// The keys of all records, if keys are kept.
    pub fn keys(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.keys.spans.len()).map(move |at| self.key(at))
    }
}

/// Where a key is: in the block itself, or in `made` if it differs from the record.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
    is_made: bool,
}

impl Keys {
    fn clear(&mut self, seeds: usize) {
        self.hashes.resize_with(seeds, Vec::new);
        self.hashes.iter_mut().for_each(Vec::clear);
        self.values.clear();
        self.more.clear();
        self.spans.clear();
        self.made.clear();
        (self.empty, self.malformed, self.other_rules, self.networks) = (0, 0, 0, 0);
    }

    /// Adds the key of a record in these bytes.
    #[inline]
    fn push(&mut self, bytes: &[u8], hashing: Hashing<'_>, key: RuledKey<'_>) {
        let Hashing { how, seeds, keep_keys } = hashing;
        for (seed, hashes) in seeds.iter().zip(&mut self.hashes) {
            hashes.push(key.key_hash(seed));
        }
        let own = &self.hashes[0];
        self.more.push(how, own.len() - 1, key, own[own.len() - 1]);
        let is_network = |key: &[u8]| how.counts_networks && looks::is_network(key);
        self.networks += u64::from(matches!(key, RuledKey::Bytes(key) if is_network(key)));
        if keep_keys {
            self.keep(bytes, key);
        }
    }

    fn keep(&mut self, block: &[u8], key: RuledKey<'_>) {
        let key = extract::bytes_of(key);
        let start = key.as_ptr().addr().wrapping_sub(block.as_ptr().addr());
        let is_made = !(start <= block.len() && key.len() <= block.len() - start);
        let start = if is_made { self.made.len() } else { start };
        if is_made {
            self.made.extend_from_slice(&key);
        }
        self.spans.push(Span { start, len: key.len(), is_made });
    }
}

impl HashedBlock {
    /// No records, to which keys are added one by one.
    pub fn new(hashing: Hashing<'_>) -> HashedBlock {
        let mut new = HashedBlock::default();
        new.keys.clear(hashing.seeds.len());
        new
    }

    /// Adds a key without a record.
    pub fn push(&mut self, hashing: Hashing<'_>, key: RuledKey<'_>) {
        self.keys.push(&[], hashing, key);
    }

    /// The records and their keys.
    pub fn part(&self) -> Part<'_> {
        let Keys { hashes, values, more, .. } = &self.keys;
        let (records, bytes) = (self.block.records(1), self.block.bytes());
        Part { records, hashes, values, more, bytes, keys: &self.keys }
    }

    /// Splits the block and hashes its keys, up to the first record that is malformed: its line in the block, from 1,
    /// is returned with what is wrong with it. The block begins an input, or is a later one. Rows of a file of columns
    /// are no list.
    pub fn hash(
        &mut self,
        hashing: Hashing<'_>,
        extractor: &mut Extractor<'_>,
        (splitter, begins, is_rows): (Splitter, bool, bool),
    ) -> Option<(u64, RecordError)> {
        self.block.cut(splitter);
        if hashing.how.block_list.is_some() && !is_rows {
            self.block.join(SAME_LINE);
        }
        self.keys.clear(hashing.seeds.len());
        let (left_out, refused) = match hashing.seeds {
            [seed] if extractor.takes_plain_lines() && !hashing.keep_keys => {
                (self.hash_lines(hashing.how, seed, begins), None)
            }
            _ => self.hash_records(hashing, extractor, begins),
        };
        if !left_out.is_empty() {
            let mut left_out = left_out.into_iter().peekable();
            self.block.keep(|at| left_out.next_if_eq(&at).is_none());
        }
        refused
    }

    /// Hashes lines that are their own keys. Returns which were left out. The loop of all records
    /// makes `build` 10 % slower: there the hash is not inlined.
    fn hash_lines(&mut self, how: &Extraction, seed: &Seed, begins: bool) -> Vec<usize> {
        let mut left_out = Vec::new();
        let hashes = &mut self.keys.hashes[0];
        for (at, record) in self.block.records(1).enumerate() {
            let mark = if at == 0 && begins { extract::mark_len(&how.place, record) } else { 0 };
            let line = csv::without_end(&record[mark..]);
            if line.is_empty() && !how.keep_empty {
                left_out.push(at);
            } else {
                hashes.push(seed.hash_bytes(line));
            }
        }
        self.keys.empty = left_out.len() as u64;
        if how.counts_networks {
            // Not in the loop above, which other verbs have, too. The block is in the cache.
            let records = self.block.records(1).filter(|record| looks::is_network(record));
            self.keys.networks = records.count() as u64;
        }
        left_out
    }

    /// Hashes the keys of any records, up to the first that is malformed. Returns which were left
    /// out.
    fn hash_records(
        &mut self,
        hashing: Hashing<'_>,
        extractor: &mut Extractor<'_>,
        begins: bool,
    ) -> (Vec<usize>, Option<(u64, RecordError)>) {
        let (how, keys) = (hashing.how, &mut self.keys);
        let unclosed = self.block.unclosed();
        let mut left_out = Vec::new();
        for (at, record) in self.block.records(1).enumerate() {
            let mark = if at == 0 && begins { extract::mark_len(&how.place, record) } else { 0 };
            let record = &record[mark..];
            if how.block_list.is_some() && (record == OTHER_RULE || record == COMMENT) {
                keys.other_rules += u64::from(record == OTHER_RULE);
                left_out.push(at);
                continue;
            }
            let value = match how.value {
                Some(_) => extractor.value(record),
                None => Ok(0),
            };
            let key = match extractor.key(record) {
                _ if unclosed == Some(at) => Err(RecordError::Quote),
                // A record without a key needs no value, and the key's error comes first.
                Ok(Some(key)) => value.map(|value| Some((key, value))),
                key => key.map(|_| None),
            };
            let (key, value) = match key {
                Ok(Some(key)) => key,
                Ok(None) => {
                    keys.empty += 1;
                    left_out.push(at);
                    continue;
                }
                // An open quote swallows the rest of the input, which is more than a record.
                Err(_) if how.skip_malformed && unclosed != Some(at) => {
                    keys.malformed += 1;
                    left_out.push(at);
                    continue;
                }
                Err(error) => {
                    let records = self.block.records(1);
                    left_out.extend(at..records.count());
                    return (left_out, Some((records.line(at), error)));
                }
            };
            keys.push(self.block.bytes(), hashing, key);
            if how.value.is_some() {
                keys.values.push(value);
            }
        }
        (left_out, None)
    }
}

/// What entries that stand for many keys are inserted as, beside their own keys.
#[derive(Debug, Default)]
pub struct More {
    /// Hashes, each with the position of its entry.
    pub hashes: Vec<(usize, KeyHash)>,
    /// The positions of these entries, with the level of each.
    pub entries: Vec<(usize, u8)>,
    /// Their levels.
    pub levels: u128,
}

impl More {
    fn clear(&mut self) {
        self.hashes.clear();
        self.entries.clear();
        self.levels = 0;
    }

    /// Adds what the entry at this position, with this hash, is inserted as.
    fn push(&mut self, how: &Extraction, at: usize, key: RuledKey<'_>, hash: KeyHash) {
        let reach = how.reach.unwrap_or(Reach::EXACT);
        if let Some(level) = reach.level(how.rule.form, key) {
            self.levels |= 1 << level;
            self.entries.push((at, level));
            self.hashes.extend(reach.more_hashes(hash).map(|more| (at, more)));
        }
    }

    /// Its hashes alone.
    pub fn hashes(&self) -> Vec<KeyHash> {
        self.hashes.iter().map(|(_, hash)| *hash).collect()
    }
}
