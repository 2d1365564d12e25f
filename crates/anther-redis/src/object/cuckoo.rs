//! A CF object: cuckoo filters, of which only the last takes new items until it is full.

use super::held::Payload;
use super::{Limit, MAX_STEP, within};
use crate::config::MAX_EXPANSION;
use crate::errors::{self, Failure};
use anther::foreign::redisbloom;
use anther::sizing::scalable::{SAME, Series};
use anther::{Count, Filter, Insert, KeyHash, Options, Planned, Remove, Seed, SizeError, Target};

/// What a filter was asked to be: what clients see, and what a replica needs to make the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CuckooRequest {
    /// The number of items of the first filter.
    pub capacity: u64,
    /// The false-positive rate of all filters together.
    pub error: f64,
    /// Fingerprints per bucket, as asked.
    pub bucket_size: u32,
    /// How many fingerprints may move to make room, as asked; ours searches for the shortest chain.
    pub iterations: u32,
    /// How many times as large each filter is as the one before; 0 if there is only one.
    pub expansion: u32,
}

impl CuckooRequest {
    /// A bucket size that the library has. 4 takes the fewest bits; more than 4 was asked for in
    /// order to hold more copies of an item.
    fn options(&self) -> Options {
        Options::new().bucket_size(if self.bucket_size > 4 { 8 } else { 4 })
    }

    /// The target of a filter of the series: all together have the rate that was asked for.
    fn target(&self, number: usize, items: u64) -> Result<Target, SizeError> {
        if self.expansion == 0 {
            return Ok(Target::new(items, self.error)?);
        }
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let tightening = anther::Scalable::DEFAULT_TIGHTENING;
        let series = Series { items, fpr: self.error, growth: self.expansion, tightening };
        Ok(Target::new(items, series.rate(number))?)
    }

    /// How many times as large a filter is as the one before. With expansion 1 it doubles now and
    /// then, so that there are not as many filters as multiples of the first.
    fn step(&self, number: usize) -> u64 {
        match self.expansion {
            1 if number.is_multiple_of(SAME as usize) => 2,
            expansion => expansion.into(),
        }
    }

    /// Buckets of the first filter, as RedisBloom counts them.
    fn buckets(&self) -> u64 {
        self.capacity.div_ceil(self.bucket_size.max(1).into()).next_power_of_two()
    }

    /// The most items of a filter of the series. One that grows stops at its capacity, so that the
    /// rate holds; one that does not is full at the slots that CF.INFO tells, as RedisBloom's.
    fn most(&self, capacity: u64) -> u64 {
        match self.expansion {
            0 => self.buckets().saturating_mul(self.bucket_size.into()),
            _ => capacity,
        }
    }
}

/// A CF object. It has an old filter, filters of ours, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuckoo {
    pub(super) request: CuckooRequest,
    /// The key of the hash; `None` if there is no filter of ours yet.
    pub(super) key: Option<[u8; 16]>,
    /// What RedisBloom wrote. New items go there only if ours have no room.
    pub(super) old: Option<Box<redisbloom::Cuckoo>>,
    pub(super) filters: Vec<Part>,
    /// Items removed.
    pub(super) deleted: u64,
}

/// A filter of the series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) filter: anther::Cuckoo,
    /// Items that it is for.
    pub(super) capacity: u64,
    /// Items that it holds.
    pub(super) held: u64,
}

impl Cuckoo {
    /// An empty filter.
    pub fn new(request: CuckooRequest, key: [u8; 16], limit: Limit) -> Result<Cuckoo, Failure> {
        let (key, filters) = (Some(key), Vec::new());
        let mut cuckoo = Cuckoo { request, key, old: None, filters, deleted: 0 };
        cuckoo.grow(limit)?;
        Ok(cuckoo)
    }

    /// What RedisBloom wrote.
    pub fn from_old(old: redisbloom::Cuckoo) -> Cuckoo {
        let request = CuckooRequest {
            capacity: old.capacity().clamp(1, Target::MAX_ITEMS),
            error: DEFAULT_ERROR,
            bucket_size: old.bucket_size().into(),
            iterations: old.max_iterations().into(),
            expansion: u32::from(old.expansion()).min(MAX_EXPANSION),
        };
        let old = Some(Box::new(old));
        Cuckoo { request, key: None, old, filters: Vec::new(), deleted: 0 }
    }

    /// Adds a filter.
    fn grow(&mut self, limit: Limit) -> Result<&mut Part, Failure> {
        let options = self.request.options();
        let number = self.filters.len();
        // From what is there: a stored number could be forged.
        let items = match (self.filters.last(), &self.old) {
            // Copies of one item fill its buckets, not the filter: a larger one would not help them.
            (Some(last), _) if last.held < last.capacity / 2 => last.capacity,
            (Some(last), _) => last.capacity.saturating_mul(self.request.step(number)),
            (None, Some(old)) => {
                let step = self.request.expansion.clamp(1, MAX_STEP);
                old.capacity().saturating_mul(step.into())
            }
            (None, None) => self.request.capacity,
        };
        let target = self.request.target(number, items).map_err(not_created)?;
        let plan = anther::Cuckoo::plan(target, &options).map_err(not_created)?;
        within(limit, self.bytes() as u64 + plan.bits.div_ceil(8))?;
        let seed = Seed::keyed(self.key.ok_or(errors::INTERNAL)?);
        let filter = anther::Cuckoo::with_options(target, &options, seed).map_err(not_created)?;
        self.filters.push(Part { filter, capacity: target.items(), held: 0 });
        self.filters.last_mut().ok_or(errors::INTERNAL)
    }

    /// The hash of an item for our filters; any hash if we have no filters.
    #[inline]
    fn hash(&self, item: &[u8]) -> KeyHash {
        self.filters.first().map_or(KeyHash(0), |part| part.filter.seed().hash_bytes(item))
    }

    /// Whether an item may be present.
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        let hash = self.hash(item);
        self.filters.iter().rev().any(|part| part.filter.contains_hash(hash))
            || self.old.as_ref().is_some_and(|old| old.contains(item))
    }

    /// Whether each of the items may be present, all at once: cache misses overlap.
    pub fn contains_all<'a>(&self, items: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<bool> {
        let hashes: Vec<_> = items.clone().map(|item| self.hash(item)).collect();
        let mut found = vec![false; hashes.len()];
        let mut here = found.clone();
        for part in &self.filters {
            part.filter.contains_hashes(&hashes, &mut here);
            found.iter_mut().zip(&here).for_each(|(found, here)| *found |= here);
        }
        if let Some(old) = &self.old {
            for (found, item) in found.iter_mut().zip(items) {
                *found = *found || old.contains(item);
            }
        }
        found
    }

    /// Inserts an item, as often as it comes. Nothing changes if it fails. `new_key` is asked if the
    /// object needs its first filter of ours.
    pub fn insert(
        &mut self,
        item: &[u8],
        most: usize,
        limit: Limit,
        new_key: impl FnOnce() -> Result<[u8; 16], Failure>,
    ) -> Result<(), Failure> {
        let hash = self.hash(item);
        let request = self.request;
        let mut parts = self.filters.iter_mut().rev();
        if parts.any(|part| part.held < request.most(part.capacity) && part.insert(hash)) {
            return Ok(());
        }
        if self.old.as_mut().is_some_and(|old| old.insert(item).is_ok()) {
            return Ok(());
        }
        match (request.expansion > 0, self.filters() < most) {
            (false, _) => return Err(errors::CF_FULL),
            (true, false) => return Err(errors::CF_EXPANSIONS),
            (true, true) => {}
        }
        let before = self.key;
        if before.is_none() {
            self.key = Some(new_key()?);
        }
        if let Err(failure) = self.grow(limit) {
            self.key = before;
            return Err(failure);
        }
        let hash = self.hash(item);
        match self.filters.last_mut().is_some_and(|part| part.insert(hash)) {
            true => Ok(()),
            false => Err(errors::CF_FULL),
        }
    }

    /// Removes an item once. False if it was absent.
    pub fn remove(&mut self, item: &[u8]) -> bool {
        let hash = self.hash(item);
        if self.filters.iter_mut().rev().any(|part| part.remove(hash)) {
            self.deleted = self.deleted.saturating_add(1);
            return true;
        }
        self.old.as_mut().is_some_and(|old| old.remove(item))
    }

    /// Moves what can be moved to the first filters, and drops those that are empty at the end.
    /// False if nothing changed.
    pub fn compact(&mut self) -> bool {
        let before = self.filters.len();
        let keep = usize::from(self.old.is_none());
        while self.filters.len() > keep && self.filters.last().is_some_and(|part| part.held == 0) {
            self.filters.pop();
        }
        if let Some(old) = &mut self.old {
            old.compact();
        }
        self.old.is_some() || self.filters.len() < before
    }

    /// How often an item was inserted.
    pub fn count(&self, item: &[u8]) -> u64 {
        let hash = self.hash(item);
        let own: u64 = self.filters.iter().map(|part| part.filter.count_hash(hash)).sum();
        own + self.old.as_ref().map_or(0, |old| old.count(item))
    }
}

/// Numbers.
impl Cuckoo {
    /// What it was asked to be.
    pub fn request(&self) -> &CuckooRequest {
        &self.request
    }

    /// The key of its hash; `None` if it has none.
    pub fn key(&self) -> Option<[u8; 16]> {
        self.key
    }

    /// What RedisBloom wrote, if there is nothing else: it is dumped as RedisBloom does.
    pub fn only_old(&self) -> Option<&redisbloom::Cuckoo> {
        self.old.as_deref().filter(|_| self.filters.is_empty())
    }

    /// Items that it holds.
    pub fn items(&self) -> u64 {
        let own = self.filters.iter().map(|part| part.held).fold(0, u64::saturating_add);
        own.saturating_add(self.old.as_ref().map_or(0, |old| old.len()))
    }

    /// Items removed.
    pub fn deleted(&self) -> u64 {
        self.deleted.saturating_add(self.old.as_ref().map_or(0, |old| old.deletes()))
    }

    /// Number of filters.
    pub fn filters(&self) -> usize {
        self.filters.len() + self.old.as_ref().map_or(0, |old| old.layers())
    }

    /// Buckets of the first filter, as RedisBloom counts them.
    pub fn buckets(&self) -> u64 {
        self.old.as_ref().map_or_else(|| self.request.buckets(), |old| old.buckets())
    }
}

/// The rate of filters of ours after RedisBloom's. Not the configured one: replicas must agree.
const DEFAULT_ERROR: f64 = 0.01;

impl Part {
    fn insert(&mut self, hash: KeyHash) -> bool {
        let inserted = self.filter.insert_hash(hash).is_ok();
        self.held = self.held.saturating_add(u64::from(inserted));
        inserted
    }

    fn remove(&mut self, hash: KeyHash) -> bool {
        let removed = self.filter.remove_hash(hash).unwrap_or(false);
        self.held = self.held.saturating_sub(u64::from(removed));
        removed
    }
}

fn not_created(error: SizeError) -> Failure {
    match error {
        SizeError::OutOfMemory(_) => errors::CF_OUT_OF_MEMORY,
        error => Failure::because(format_args!("Could not create filter: {error}")),
    }
}
