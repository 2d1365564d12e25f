//! A BF object: a filter, and the numbers that clients see.

use super::held::Payload;
use super::{Limit, frames, numbers, within};
use crate::config::{MAX_EXPANSION, memory_limit};
use crate::errors::{self, Failure};
use crate::server::ObjectType;
use anther::{
    AnyFilter, Filter, InsertError, Inspect, KeyHash, Kind, Options, RemoveError, Seed, SizeError,
    Target,
};
use std::io::{self, Read, Write};

/// What a filter was asked to be: what clients see, and what a replica needs to make the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BloomRequest {
    /// The false-positive rate, above 0 and below 1.
    pub error: f64,
    /// The number of items: of the first layer if the filter scales.
    pub capacity: u64,
    /// How many times as large each layer is as the one before; 0 if the filter does not scale.
    pub expansion: u32,
    /// Whether items can be removed.
    pub counting: bool,
}

impl BloomRequest {
    /// Higher rates are useless, and RedisBloom caps them, too.
    const MAX_ERROR: f64 = 0.25;

    /// The kind of filter, its target and its options.
    fn plan(&self) -> Result<(Kind, Target, Options), SizeError> {
        let target = Target::new(self.capacity, self.error.min(BloomRequest::MAX_ERROR))?;
        let scaling = Options::new().growth(self.expansion);
        Ok(match (self.expansion, self.counting) {
            (0, true) => (Kind::Counting, target, Options::new()),
            // Where `blocked` would take a quarter more bits.
            (0, false) if target.fpr() < 1e-5 => (Kind::Classic, target, Options::new()),
            (0, false) => (Kind::Blocked, target, Options::new()),
            (_, true) => (Kind::Scalable, target, scaling.over(Kind::Counting)),
            (_, false) => (Kind::Scalable, target, scaling),
        })
    }
}

/// A BF object.
#[derive(Clone, Debug, PartialEq)]
pub struct Bloom {
    request: BloomRequest,
    /// The key of the hash; `None` if the filter was imported and is not keyed.
    key: Option<[u8; 16]>,
    filter: AnyFilter,
    /// Items that were new when they were inserted, minus those removed.
    items: u64,
}

/// What an insert did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The item was absent.
    New,
    /// The item was there, and nothing changed.
    Present,
    /// The item was there, and is counted once more.
    Again,
}

impl Bloom {
    /// An empty filter.
    pub fn new(request: BloomRequest, key: [u8; 16], limit: Limit) -> Result<Bloom, Failure> {
        let (kind, target, options) = request.plan().map_err(not_created)?;
        let plan = kind.plan(target, &options).map_err(not_created)?;
        within(limit, plan.bits.div_ceil(8))?;
        let filter = AnyFilter::with_options(kind, target, &options, Seed::keyed(key))
            .map_err(not_created)?;
        Ok(Bloom { request, key: Some(key), filter, items: 0 })
    }

    /// Whether an item may be present.
    #[inline]
    pub fn contains(&self, item: &[u8]) -> Result<bool, Failure> {
        Ok(self.filter.contains_hash(self.hash(item)?))
    }

    /// Whether each of the items may be present, all at once: cache misses overlap.
    pub fn contains_all<'a>(
        &self,
        items: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<bool>, Failure> {
        let hashes: Result<Vec<_>, _> = items.map(|item| self.hash(item)).collect();
        let hashes = hashes?;
        let mut found = vec![false; hashes.len()];
        self.filter.contains_hashes(&hashes, &mut found);
        Ok(found)
    }

    #[inline]
    fn hash(&self, item: &[u8]) -> Result<KeyHash, Failure> {
        self.filter.key_hash(item).map_err(Failure::because)
    }

    /// Inserts an item. Nothing changes if it fails.
    pub fn insert(&mut self, item: &[u8], limit: Limit) -> Result<Inserted, Failure> {
        let hash = self.hash(item)?;
        let present = self.filter.contains_hash(hash);
        if present && !self.request.counting {
            return Ok(Inserted::Present);
        }
        if !present {
            self.check_room(limit)?;
        }
        self.filter.insert_hash(hash).map_err(not_inserted)?;
        self.items = self.items.saturating_add(u64::from(!present));
        Ok(if present { Inserted::Again } else { Inserted::New })
    }

    /// Whether one more item fits.
    fn check_room(&mut self, limit: Limit) -> Result<(), Failure> {
        let before = self.bytes() as u64;
        match &mut self.filter {
            AnyFilter::Scalable(filter) => {
                let bits = filter.next_layer_bits().map_err(|_| errors::INSERTING)?;
                match bits {
                    0 => Ok(()),
                    bits => within(limit, before + bits.div_ceil(8)),
                }
            }
            _ if self.items >= self.request.capacity => Err(errors::FULL),
            _ => Ok(()),
        }
    }

    /// Removes an item. False if it was absent.
    pub fn remove(&mut self, item: &[u8]) -> Result<bool, Failure> {
        let hash = self.hash(item)?;
        let removed = match &mut self.filter {
            AnyFilter::Scalable(filter) => anther::Remove::remove_hash(filter, hash),
            filter => filter.remove_hash(hash),
        };
        let removed = removed.map_err(|error| match error {
            RemoveError::Layers { .. } | RemoveError::Unable(_) => errors::NOT_COUNTING,
            other => Failure::because(other),
        })?;
        if removed && !self.filter.contains_hash(hash) {
            self.items = self.items.saturating_sub(1);
        }
        Ok(removed)
    }

    /// How often an item was inserted.
    pub fn count(&self, item: &[u8]) -> Result<u64, Failure> {
        let hash = self.hash(item)?;
        match &self.filter {
            AnyFilter::Scalable(filter) => filter.count_hash(hash).ok_or(errors::NOT_COUNTING),
            filter => filter.count_hash(hash).map_err(Failure::because),
        }
    }

    /// What it was asked to be.
    pub fn request(&self) -> &BloomRequest {
        &self.request
    }

    /// The key of its hash; `None` if it is not keyed.
    pub fn key(&self) -> Option<[u8; 16]> {
        self.key
    }

    /// The filter itself.
    pub fn filter(&self) -> &AnyFilter {
        &self.filter
    }

    /// Items that it holds.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Items that it can hold before it grows or is full.
    pub fn capacity(&self) -> u64 {
        match &self.filter {
            AnyFilter::Scalable(filter) => filter.capacity(),
            _ => self.request.capacity,
        }
    }

    /// Number of layers.
    pub fn layers(&self) -> u32 {
        match &self.filter {
            AnyFilter::Scalable(filter) => filter.layers(),
            _ => 1,
        }
    }
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
        error => Failure::because(error),
    }
}

static TYPE: ObjectType = ObjectType::unregistered();

impl Payload for Bloom {
    const NAME: &'static std::ffi::CStr = c"MBbloom--";
    const LOADCHUNK: &'static std::ffi::CStr = c"BF.LOADCHUNK";
    const MAGIC: [u8; 8] = *b"antherBF";

    fn object_type() -> &'static ObjectType {
        &TYPE
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        numbers::put_key(out, self.key)?;
        numbers::put_f64(out, self.request.error)?;
        numbers::put_u64(out, self.request.capacity)?;
        numbers::put_u64(out, self.request.expansion.into())?;
        numbers::put_u64(out, self.request.counting.into())?;
        numbers::put_u64(out, self.items)?;
        frames::put_file(out, &self.filter)
    }

    fn read(source: &mut dyn Read) -> Option<Bloom> {
        let key = numbers::key(source)?;
        let request = BloomRequest {
            error: numbers::rate(source)?,
            capacity: numbers::u64(source).filter(|capacity| *capacity <= Target::MAX_ITEMS)?,
            expansion: numbers::u32(source).filter(|expansion| *expansion <= MAX_EXPANSION)?,
            counting: match numbers::u64(source)? {
                0 => false,
                1 => true,
                _ => return None,
            },
        };
        let items = numbers::u64(source)?;
        let filter = frames::file(source, key)?;
        Some(Bloom { request, key, filter, items })
    }

    fn bytes(&self) -> usize {
        let bits = match &self.filter {
            AnyFilter::Scalable(filter) => filter.bits(),
            filter => filter
                .rows()
                .iter()
                .map(|row| row.cells.cells() * u64::from(row.cells.width()))
                .sum(),
        };
        usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX)
    }

    fn allocations(&self) -> usize {
        self.layers() as usize
    }

    fn limit() -> Limit {
        memory_limit()
    }
}
