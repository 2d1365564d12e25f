//! A CF object: cuckoo filters, of which only the last takes new items until it is full.

use super::held::Payload;
use super::{Limit, frames, numbers, within};
use crate::config::{MAX_EXPANSION, memory_limit};
use crate::errors::{self, Failure};
use crate::server::ObjectType;
use anther::sizing::scalable::Series;
use anther::{
    Count, Filter, Insert, Inspect, KeyHash, Options, Planned, Remove, Seed, SizeError, Target,
};
use std::io::{self, Read, Write};

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
    fn target(&self, number: usize) -> Result<Target, SizeError> {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        if self.expansion == 0 {
            return Ok(Target::new(self.capacity, self.error)?);
        }
        let series = Series {
            items: self.capacity,
            fpr: self.error,
            growth: self.expansion,
            tightening: anther::Scalable::DEFAULT_TIGHTENING,
        };
        Ok(Target::new(series.capacity(number).unwrap_or(u64::MAX), series.rate(number))?)
    }

    /// Buckets of the first filter, as RedisBloom counts them.
    pub fn buckets(&self) -> u64 {
        self.capacity.div_ceil(self.bucket_size.max(1).into()).next_power_of_two()
    }
}

/// A CF object.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuckoo {
    request: CuckooRequest,
    key: [u8; 16],
    seed: Seed,
    filters: Vec<Part>,
    /// Items removed.
    deleted: u64,
}

/// A filter of the series.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    filter: anther::Cuckoo,
    /// Items that it is for.
    capacity: u64,
    /// Items that it holds.
    held: u64,
}

impl Cuckoo {
    /// An empty filter.
    pub fn new(request: CuckooRequest, key: [u8; 16], limit: Limit) -> Result<Cuckoo, Failure> {
        let (seed, filters) = (Seed::keyed(key), Vec::new());
        let mut cuckoo = Cuckoo { request, key, seed, filters, deleted: 0 };
        cuckoo.grow(limit)?;
        Ok(cuckoo)
    }

    /// Adds a filter.
    fn grow(&mut self, limit: Limit) -> Result<&mut Part, Failure> {
        let options = self.request.options();
        let target = self.request.target(self.filters.len()).map_err(not_created)?;
        let plan = anther::Cuckoo::plan(target, &options).map_err(not_created)?;
        within(limit, self.bytes() as u64 + plan.bits.div_ceil(8))?;
        let filter = anther::Cuckoo::with_options(target, &options, self.seed);
        let filter = filter.map_err(not_created)?;
        self.filters.push(Part { filter, capacity: target.items(), held: 0 });
        self.filters.last_mut().ok_or(errors::INTERNAL)
    }

    #[inline]
    fn hash(&self, item: &[u8]) -> KeyHash {
        self.seed.hash_bytes(item)
    }

    /// Whether an item may be present.
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        let hash = self.hash(item);
        self.filters.iter().rev().any(|part| part.filter.contains_hash(hash))
    }

    /// Whether each of the items may be present, all at once: cache misses overlap.
    pub fn contains_all<'a>(&self, items: impl Iterator<Item = &'a [u8]>) -> Vec<bool> {
        let hashes: Vec<_> = items.map(|item| self.hash(item)).collect();
        let mut found = vec![false; hashes.len()];
        let mut here = found.clone();
        for part in &self.filters {
            part.filter.contains_hashes(&hashes, &mut here);
            found.iter_mut().zip(&here).for_each(|(found, here)| *found |= here);
        }
        found
    }

    /// Inserts an item, as often as it comes. Nothing changes if it fails.
    pub fn insert(&mut self, item: &[u8], most: usize, limit: Limit) -> Result<(), Failure> {
        let hash = self.hash(item);
        let grows = self.request.expansion > 0;
        let mut parts = self.filters.iter_mut().rev();
        // A filter that grows stops at its capacity, so that the rate holds.
        if parts.any(|part| (!grows || part.held < part.capacity) && part.insert(hash)) {
            return Ok(());
        }
        match (grows, self.filters.len() < most) {
            (false, _) => Err(errors::CF_FULL),
            (true, false) => Err(errors::CF_EXPANSIONS),
            (true, true) => match self.grow(limit)?.insert(hash) {
                true => Ok(()),
                false => Err(errors::CF_FULL),
            },
        }
    }

    /// Removes an item once. False if it was absent.
    pub fn remove(&mut self, item: &[u8]) -> bool {
        let hash = self.hash(item);
        let removed = self.filters.iter_mut().rev().any(|part| part.remove(hash));
        self.deleted = self.deleted.saturating_add(u64::from(removed));
        removed
    }

    /// How often an item was inserted.
    pub fn count(&self, item: &[u8]) -> u64 {
        let hash = self.hash(item);
        self.filters.iter().map(|part| part.filter.count_hash(hash)).sum()
    }

    /// What it was asked to be.
    pub fn request(&self) -> &CuckooRequest {
        &self.request
    }

    /// The key of its hash.
    pub fn key(&self) -> [u8; 16] {
        self.key
    }

    /// Items that it holds.
    pub fn items(&self) -> u64 {
        self.filters.iter().map(|part| part.held).fold(0, u64::saturating_add)
    }

    /// Items removed.
    pub fn deleted(&self) -> u64 {
        self.deleted
    }

    /// Number of filters.
    pub fn filters(&self) -> usize {
        self.filters.len()
    }
}

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

static TYPE: ObjectType = ObjectType::unregistered();

/// The most filters of an object that is loaded.
const MAX_FILTERS: u64 = 65_535;

impl Payload for Cuckoo {
    const NAME: &'static std::ffi::CStr = c"MBbloomCF";
    const LOADCHUNK: &'static std::ffi::CStr = c"CF.LOADCHUNK";
    const MAGIC: [u8; 8] = *b"antherCF";

    fn object_type() -> &'static ObjectType {
        &TYPE
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        numbers::put_key(out, Some(self.key))?;
        numbers::put_u64(out, self.request.capacity)?;
        numbers::put_f64(out, self.request.error)?;
        numbers::put_u64(out, self.request.bucket_size.into())?;
        numbers::put_u64(out, self.request.iterations.into())?;
        numbers::put_u64(out, self.request.expansion.into())?;
        numbers::put_u64(out, self.deleted)?;
        numbers::put_u64(out, self.filters.len() as u64)?;
        for part in &self.filters {
            numbers::put_u64(out, part.capacity)?;
            numbers::put_u64(out, part.held)?;
            frames::put_file(out, &part.filter)?;
        }
        Ok(())
    }

    fn read(source: &mut dyn Read) -> Option<Cuckoo> {
        let key = numbers::key(source)??;
        let request = CuckooRequest {
            capacity: numbers::u64(source).filter(|it| (1..=Target::MAX_ITEMS).contains(it))?,
            error: numbers::rate(source)?,
            bucket_size: numbers::u32(source).filter(|it| (1..=255).contains(it))?,
            iterations: numbers::u32(source).filter(|it| (1..=65_535).contains(it))?,
            expansion: numbers::u32(source).filter(|it| *it <= MAX_EXPANSION)?,
        };
        let deleted = numbers::u64(source)?;
        let count = numbers::u64(source).filter(|count| (1..=MAX_FILTERS).contains(count))?;
        let mut filters = Vec::new();
        for _ in 0..count {
            let capacity = numbers::u64(source)?;
            let held = numbers::u64(source)?;
            let filter = frames::file(source, Some(key))?;
            filters.push(Part { filter, capacity, held });
        }
        Some(Cuckoo { request, key, seed: Seed::keyed(key), filters, deleted })
    }

    fn bytes(&self) -> usize {
        let cells = |part: &Part| -> u64 {
            let rows = part.filter.rows();
            rows.iter().map(|row| row.cells.cells() * u64::from(row.cells.width())).sum()
        };
        let bits: u64 = self.filters.iter().map(cells).sum();
        usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX)
    }

    fn allocations(&self) -> usize {
        self.filters.len() + 1
    }

    fn limit() -> Limit {
        memory_limit()
    }
}
