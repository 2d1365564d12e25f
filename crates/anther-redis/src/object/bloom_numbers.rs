//! What a BF object knows about time, and what it tells about itself.

use super::bloom::Bloom;
use super::request::BloomRequest;
use anther::foreign::redisbloom;
use anther::sizing::scalable::compound;
use anther::{AnyFilter, Filter};

/// Time.
impl Bloom {
    /// The generations that have ended since the newest began.
    pub(super) fn generations(&self, now: u64) -> u64 {
        match &self.filter {
            Some(AnyFilter::Aging(filter)) => self
                .request
                .interval(filter)
                .map_or(0, |interval| now.saturating_sub(self.since) / interval),
            _ => 0,
        }
    }

    /// The generations that [`advance`](Bloom::advance) should begin now; 0 if the filter does not
    /// forget by time.
    pub fn due(&self, now: impl FnOnce() -> u64) -> u64 {
        if self.since == 0 { 0 } else { self.generations(now()) }
    }

    /// Begins generations. The clock moves by whole ones, so that a replica that does the same is
    /// the same.
    pub fn advance(&mut self, generations: u64) {
        if let Some(AnyFilter::Aging(filter)) = &mut self.filter {
            let interval = self.request.interval(filter).unwrap_or(0);
            self.since = self.since.saturating_add(interval.saturating_mul(generations));
            filter.advance(generations);
        }
    }

    /// Whether it forgets items.
    pub fn forgets(&self) -> bool {
        matches!(self.filter, Some(AnyFilter::Aging(_)))
    }

    /// When the newest generation began.
    pub fn since(&self) -> u64 {
        self.since
    }
}

/// Numbers.
impl Bloom {
    /// What it was asked to be.
    pub fn request(&self) -> &BloomRequest {
        &self.request
    }

    /// The key of its hash; `None` if it has none.
    pub fn key(&self) -> Option<[u8; 16]> {
        self.key
    }

    /// The layers of RedisBloom, if there is nothing else: they are dumped as RedisBloom does.
    pub fn only_old(&self) -> Option<&redisbloom::Bloom> {
        self.old.as_deref().filter(|_| self.filter.is_none())
    }

    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        match (&self.filter, &self.range) {
            (Some(filter), _) => filter.kind().name(),
            (None, Some(_)) => "range",
            (None, None) => "redisbloom",
        }
    }

    /// Items that it holds.
    pub fn items(&self) -> u64 {
        self.items.saturating_add(self.old.as_ref().map_or(0, |old| old.len()))
    }

    /// Items that it can hold before it grows or is full.
    pub fn capacity(&self) -> u64 {
        let own = match &self.filter {
            None if self.range.is_some() => self.request.capacity,
            None => 0,
            Some(AnyFilter::Scalable(filter)) => filter.capacity(),
            Some(_) => self.request.capacity,
        };
        own.saturating_add(self.old.as_ref().map_or(0, |old| old.capacity()))
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        let own = match &self.filter {
            None => usize::from(self.range.is_some()),
            Some(AnyFilter::Scalable(filter)) => filter.layers() as usize,
            Some(_) => 1,
        };
        own + self.old.as_ref().map_or(0, |old| old.layers().len())
    }

    /// The false-positive rate with what it holds now; of a range filter, that of its span. Reads all
    /// cells.
    pub fn fpr_now(&self) -> f64 {
        let own = self.filter.as_ref().map(|filter| filter.profile().fpr_now);
        let own = own.or(self.range.as_ref().map(|range| range.profile().fpr_now));
        compound(own.into_iter().chain(self.old.as_ref().map(|old| old.fpr())))
    }
}
