//! A BF object: a filter, perhaps layers that RedisBloom wrote, and the numbers that clients see.

use super::request::{BloomRequest, Manner};
use super::{Limit, MAX_STEP, within};
use crate::errors::{self, Failure};
use anther::any::AnyFile;
use anther::foreign::redisbloom;
use anther::{
    Aging, AnyFilter, Filter, InsertError, KeyHash, Kind, LoadError, Open, Range, RemoveError,
    Save, Seed, SizeError, Target,
};

/// A BF object. It has old layers, a filter, or both; or a range filter and neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Bloom {
    pub(super) request: BloomRequest,
    /// The key of the filter's hash; `None` if there is no filter yet, or if it was imported and is
    /// not keyed.
    pub(super) key: Option<[u8; 16]>,
    /// Layers that RedisBloom wrote. Nothing is inserted into them once there is a filter.
    pub(super) old: Option<Box<redisbloom::Bloom>>,
    pub(super) filter: Option<AnyFilter>,
    /// A range filter, which was imported.
    pub(super) range: Option<Box<Range>>,
    /// Keys of items that were new when they were inserted, minus those removed; without the old
    /// layers'. An item has one, but several if it stands for what is below it.
    pub(super) items: u64,
    /// When the newest generation began, in milliseconds since 1970; 0 if the filter does not forget
    /// by time.
    pub(super) since: u64,
}

/// What an insert did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The item was absent.
    New,
    /// The item was there, and nothing changed.
    Present,
    /// The item was there, and is counted or remembered anew.
    Again,
}

impl Bloom {
    /// An empty filter.
    pub fn new(
        request: BloomRequest,
        key: [u8; 16],
        limit: Limit,
        now: u64,
    ) -> Result<Bloom, Failure> {
        let filter = Some(make(&request, key, limit, 0)?);
        let since = if matches!(request.manner, Manner::Ttl(_)) { now } else { 0 };
        Ok(Bloom { request, key: Some(key), old: None, filter, range: None, items: 0, since })
    }

    /// Layers that RedisBloom wrote.
    pub fn from_old(old: redisbloom::Bloom) -> Bloom {
        let request = Bloom::request_of(&old);
        let old = Some(Box::new(old));
        Bloom { request, key: None, old, filter: None, range: None, items: 0, since: 0 }
    }

    /// What layers that RedisBloom wrote were asked to be; the capacity is that of the next layer,
    /// which will be ours.
    pub(super) fn request_of(old: &redisbloom::Bloom) -> BloomRequest {
        let layers = old.layers();
        // RedisBloom gives half of the rate to the first layer of a filter that grows.
        let share = if old.is_scaling() { 2.0 } else { 1.0 };
        let error = layers.first().map_or(0.01, |layer| layer.error * share);
        // A forged capacity must not size the next layer: at the highest rate that RedisBloom makes
        // layers for, an item takes 2.9 bits.
        let largest = layers.last().map_or(1, |layer| layer.capacity.min(layer.bits / 2));
        let expansion = old.expansion().unwrap_or(0).min(crate::config::MAX_EXPANSION);
        let step = expansion.clamp(1, MAX_STEP);
        BloomRequest {
            error: error.clamp(f64::MIN_POSITIVE, 1f64.next_down()),
            capacity: largest.saturating_mul(step.into()).clamp(1, Target::MAX_ITEMS),
            expansion,
            manner: Manner::Plain,
        }
    }

    /// A filter from the bytes of an anther file.
    pub fn import(file: &[u8], key: Option<[u8; 16]>, limit: Limit) -> Result<Bloom, Failure> {
        // A file that is not compressed takes as much memory as it has bytes.
        within(limit, file.len() as u64)?;
        let open = key.map_or(Open::new(), |key| Open::new().key(key));
        let file: AnyFile = open.bytes(file).map_err(|error| match error {
            LoadError::KeyNeeded => errors::KEY_NEEDED,
            error => Failure::because(error),
        })?;
        let bloom = match file {
            AnyFile::Filter(filter) => {
                let (request, items) = (BloomRequest::of(&filter), filter.about().inserted);
                let filter = Some(filter);
                Bloom { request, key, old: None, filter, range: None, items, since: 0 }
            }
            AnyFile::Range(range) => Bloom::of_range(range, key),
        };
        within(limit, super::held::Payload::bytes(&bloom) as u64)?;
        Ok(bloom)
    }

    /// A range filter.
    pub(super) fn of_range(range: Range, key: Option<[u8; 16]>) -> Bloom {
        let (request, items) = (BloomRequest::of_range(&range), range.profile().keys);
        let range = Some(Box::new(range));
        Bloom { request, key, old: None, filter: None, range, items, since: 0 }
    }

    /// Whether any item of a range may be present.
    pub fn contains_between(&self, first: &[u8], last: &[u8]) -> Result<bool, Failure> {
        let range = self.range.as_ref().ok_or(errors::NO_RANGES)?;
        range.contains_between(first, last).map_err(Failure::because)
    }

    /// The bytes of an anther file.
    pub fn export(&self) -> Result<Vec<u8>, Failure> {
        if let Some(range) = &self.range {
            return range.to_bytes().map_err(Failure::because);
        }
        match (&self.old, &self.filter) {
            (None, Some(filter)) => Save::new().bytes(filter).map_err(Failure::because),
            _ => Err(errors::NO_EXPORT),
        }
    }

    /// Whether an item may be present. `now` is called only if the filter forgets by time.
    #[inline]
    pub fn contains(&self, item: &[u8], now: impl FnOnce() -> u64) -> Result<bool, Failure> {
        if self.old.as_ref().is_some_and(|old| old.contains(item)) {
            return Ok(true);
        }
        if let Some(range) = &self.range {
            return range.contains_key(item).map_err(Failure::because);
        }
        let Some(filter) = &self.filter else { return Ok(false) };
        if filter.about().reach().is_below() {
            return filter.contains(item).map_err(Failure::because);
        }
        Ok(self.contains_hash(filter, hash(filter, item)?, now))
    }

    #[inline]
    fn contains_hash(&self, filter: &AnyFilter, hash: KeyHash, now: impl FnOnce() -> u64) -> bool {
        match filter {
            AnyFilter::Aging(aging) if self.since > 0 => {
                aging.contains_hash_after(hash, self.generations(now()))
            }
            filter => filter.contains_hash(hash),
        }
    }

    /// Whether each of the items may be present, all at once: cache misses overlap.
    pub fn contains_all<'a>(
        &self,
        items: impl Iterator<Item = &'a [u8]> + Clone,
        now: impl FnOnce() -> u64,
    ) -> Result<Vec<bool>, Failure> {
        if let Some(range) = &self.range {
            return items.map(|item| range.contains_key(item).map_err(Failure::because)).collect();
        }
        let mut found = match &self.filter {
            None => items.clone().map(|_| false).collect(),
            Some(filter) if filter.about().reach().is_below() => {
                let found = items.clone().map(|item| filter.contains(item));
                found.collect::<Result<Vec<_>, _>>().map_err(Failure::because)?
            }
            Some(filter) => {
                let hashes = items.clone().map(|item| hash(filter, item));
                let hashes: Vec<_> = hashes.collect::<Result<_, _>>()?;
                let mut found = vec![false; hashes.len()];
                match filter {
                    AnyFilter::Aging(aging) if self.since > 0 => {
                        let gone = self.generations(now());
                        for (found, hash) in found.iter_mut().zip(hashes) {
                            *found = aging.contains_hash_after(hash, gone);
                        }
                    }
                    filter => filter.contains_hashes(&hashes, &mut found),
                }
                found
            }
        };
        if let Some(old) = &self.old {
            for (found, item) in found.iter_mut().zip(items) {
                *found = *found || old.contains(item);
            }
        }
        Ok(found)
    }

    /// Inserts an item. If it fails, no item is found that was not found before. `new_key` is called
    /// if the filter needs its first layer of ours.
    pub fn insert(
        &mut self,
        item: &[u8],
        limit: Limit,
        new_key: impl FnOnce() -> Result<[u8; 16], Failure>,
    ) -> Result<Inserted, Failure> {
        if self.range.is_some() {
            return Err(errors::STATIC_RANGE);
        }
        if let Some(inserted) = self.insert_old(item, limit, new_key)? {
            return Ok(inserted);
        }
        let filter = self.filter.as_ref().ok_or(errors::INTERNAL)?;
        if filter.about().reach().is_below() {
            let entry = entry(filter, item)?;
            return self.insert_keys(&entry.keys, entry.levels, limit);
        }
        let hash = hash(filter, item)?;
        self.insert_keys(&[hash], 0, limit)
    }

    /// Inserts the keys of an item, its own last: those before find nothing without it.
    fn insert_keys(
        &mut self,
        keys: &[KeyHash],
        levels: u128,
        limit: Limit,
    ) -> Result<Inserted, Failure> {
        let filter = self.filter.as_ref().ok_or(errors::INTERNAL)?;
        let present = keys.iter().all(|key| filter.contains_hash(*key));
        if present && self.request.manner == Manner::Plain {
            return Ok(Inserted::Present);
        }
        for (at, key) in keys.iter().enumerate() {
            if !present {
                self.check_room(limit, (keys.len() - at) as u64)?;
            }
            let filter = self.filter.as_mut().ok_or(errors::INTERNAL)?;
            if at + 1 == keys.len() {
                filter.add_levels(levels);
            }
            filter.insert_hash(*key).map_err(not_inserted)?;
            self.items = self.items.saturating_add(u64::from(!present));
        }
        Ok(if present { Inserted::Again } else { Inserted::New })
    }

    /// Inserts into the layers of RedisBloom while the last has room, and makes a filter of ours
    /// when it has none. `None`: insert into ours.
    fn insert_old(
        &mut self,
        item: &[u8],
        limit: Limit,
        new_key: impl FnOnce() -> Result<[u8; 16], Failure>,
    ) -> Result<Option<Inserted>, Failure> {
        let Some(old) = &mut self.old else { return Ok(None) };
        if self.filter.is_some() {
            return Ok(old.contains(item).then_some(Inserted::Present));
        }
        match old.insert(item) {
            Ok(true) => Ok(Some(Inserted::New)),
            Ok(false) => Ok(Some(Inserted::Present)),
            Err(_) if !old.is_scaling() => Err(errors::FULL),
            Err(_) => {
                let key = new_key()?;
                // What the old layers leave of the rate; they add up to less than the whole.
                let spent: f64 = old.layers().iter().map(|layer| layer.error).sum();
                let error = self.request.error;
                let rest = (error - spent).max(error / 1024.0);
                let request = BloomRequest { error: rest, ..self.request };
                self.filter = Some(make(&request, key, limit, old.bytes())?);
                self.key = Some(key);
                Ok(None)
            }
        }
    }

    /// Whether this many more keys fit; in a filter that grows, whether one more does.
    fn check_room(&mut self, limit: Limit, keys: u64) -> Result<(), Failure> {
        let old = self.old.as_ref().map_or(0, |old| old.bytes());
        match &mut self.filter {
            Some(AnyFilter::Scalable(filter)) => {
                match filter.next_layer_bits().map_err(|_| errors::INSERTING)? {
                    0 => Ok(()),
                    bits => within(limit, old + (filter.bits() + bits).div_ceil(8)),
                }
            }
            _ if self.request.manner == Manner::Window => Ok(()),
            Some(AnyFilter::Aging(_)) => Ok(()),
            // Static filters are never full; the library says what they are.
            Some(filter) if !filter.kind().capabilities().insert => Ok(()),
            _ if self.items.saturating_add(keys) > self.request.capacity => Err(errors::FULL),
            _ => Ok(()),
        }
    }

    /// Removes an item. False if it was absent.
    pub fn remove(&mut self, item: &[u8]) -> Result<bool, Failure> {
        let filter = self.filter.as_mut().filter(|_| self.old.is_none());
        let filter = filter.ok_or(errors::NOT_COUNTING)?;
        let hash = hash(filter, item)?;
        let is_below = filter.about().reach().is_below();
        let keys = if is_below { entry(filter, item)?.keys.len() as u64 } else { 1 };
        let removed = match &mut *filter {
            filter if is_below => filter.remove(item),
            AnyFilter::Scalable(filter) => anther::Remove::remove_hash(filter, hash),
            filter => filter.remove_hash(hash),
        };
        let removed = removed.map_err(|error| match error {
            RemoveError::Layers { .. } | RemoveError::Unable(_) => errors::NOT_COUNTING,
            RemoveError::Stuck { most, .. } => Failure::because(format_args!(
                "the item was added {most} times or more, as far as its counters count; it stays"
            )),
            other => Failure::because(other),
        })?;
        if removed && !filter.contains_hash(hash) {
            self.items = self.items.saturating_sub(keys);
        }
        Ok(removed)
    }

    /// How often an item was inserted.
    pub fn count(&self, item: &[u8]) -> Result<u64, Failure> {
        let filter = self.filter.as_ref().filter(|_| self.old.is_none());
        let filter = filter.ok_or(errors::NOT_COUNTING)?;
        let hash = hash(filter, item)?;
        match filter {
            AnyFilter::Scalable(filter) => filter.count_hash(hash).ok_or(errors::NOT_COUNTING),
            filter => filter.count_hash(hash).map_err(|_| errors::NOT_COUNTING),
        }
    }

    /// The value of an item, for filters that store values.
    pub fn value(&self, item: &[u8]) -> Result<Option<u64>, Failure> {
        match &self.filter {
            Some(filter) => filter.get_hash(hash(filter, item)?).map_err(Failure::because),
            None => Err(errors::NO_VALUES),
        }
    }
}

/// Makes the filter of a request, if it fits beside what is there.
fn make(
    request: &BloomRequest,
    key: [u8; 16],
    limit: Limit,
    there: u64,
) -> Result<AnyFilter, Failure> {
    let (kind, target, options) = request.plan().map_err(not_created)?;
    if let Manner::Ttl(_) = request.manner {
        let ring = Aging::timed_ring(target).map_err(not_created)?;
        within(limit, ring.bits().div_ceil(8).saturating_add(there))?;
        let filter = Aging::timed(target, Seed::keyed(key)).map_err(not_created)?;
        return Ok(AnyFilter::Aging(filter));
    }
    let plan = kind.plan(target, &options).map_err(not_created)?;
    within(limit, plan.bits.div_ceil(8).saturating_add(there))?;
    AnyFilter::with_options(kind, target, &options, Seed::keyed(key)).map_err(not_created)
}

#[inline]
fn hash(filter: &AnyFilter, item: &[u8]) -> Result<KeyHash, Failure> {
    filter.key_hash(item).map_err(Failure::because)
}

/// What an item is inserted as that may stand for what is below it.
struct Entry {
    /// Its own is the last.
    keys: Vec<KeyHash>,
    levels: u128,
}

fn entry(filter: &AnyFilter, item: &[u8]) -> Result<Entry, Failure> {
    let entries = filter.about().entries(&[item]).map_err(Failure::because)?;
    let mut keys = entries.more_hashes();
    keys.extend(&entries.hashes);
    Ok(Entry { keys, levels: entries.levels() })
}

fn not_created(error: SizeError) -> Failure {
    match error {
        SizeError::OutOfMemory(_) => errors::OUT_OF_MEMORY,
        error => Failure::because(format_args!("could not create filter: {error}")),
    }
}

fn not_inserted(error: InsertError) -> Failure {
    match error {
        InsertError::Full(full) if full.kind == Kind::Scalable => errors::INSERTING,
        InsertError::Full(_) => errors::FULL,
        InsertError::Unable(unable) => Failure::because(format_args!(
            "{} {} filter is static, so that nothing can be added; build it again",
            unable.kind.article(),
            unable.kind
        )),
        error => Failure::because(error),
    }
}
