//! What a BF filter was asked to be.

use super::numbers;
use crate::config::MAX_EXPANSION;
use anther::{Aging, AnyFilter, Filter, KeyHash, Kind, Options, SizeError, Target};
use std::io::{self, Read, Write};

/// What a filter was asked to be: what clients see, and what a replica needs to make the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BloomRequest {
    /// The false-positive rate, above 0 and below 1.
    pub error: f64,
    /// The number of items: of the first layer if the filter scales, of the window if it forgets.
    pub capacity: u64,
    /// How many times as large each layer is as the one before; 0 if the filter does not scale.
    pub expansion: u32,
    /// What else it does.
    pub manner: Manner,
}

/// What a filter does besides adding items and looking them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing.
    Plain,
    /// It counts items, so that they can be removed.
    Counting,
    /// It forgets all but the latest items.
    Window,
    /// It forgets items after this many milliseconds.
    Ttl(u64),
}

impl BloomRequest {
    /// Higher rates are useless, and RedisBloom caps them, too.
    const MAX_ERROR: f64 = 0.25;
    /// A hundred years.
    pub const MAX_TTL: u64 = 100 * 366 * 86_400_000;

    /// The kind of filter, its target and its options.
    pub fn plan(&self) -> Result<(Kind, Target, Options), SizeError> {
        let target = Target::new(self.capacity, self.error.min(BloomRequest::MAX_ERROR))?;
        let scaling = Options::new().growth(self.expansion);
        Ok(match (self.manner, self.expansion) {
            (Manner::Window | Manner::Ttl(_), _) => (Kind::Aging, target, Options::new()),
            (Manner::Counting, 0) => (Kind::Counting, target, Options::new()),
            (Manner::Counting, _) => (Kind::Scalable, target, scaling.over(Kind::Counting)),
            // Where `blocked` would take a quarter more bits.
            (Manner::Plain, 0) if target.fpr() < 1e-5 => (Kind::Classic, target, Options::new()),
            (Manner::Plain, 0) => (Kind::Blocked, target, Options::new()),
            (Manner::Plain, _) => (Kind::Scalable, target, scaling),
        })
    }

    /// What an imported filter could have been asked to be.
    pub fn of(filter: &AnyFilter) -> BloomRequest {
        let target = filter.about().target;
        let can = filter.kind().capabilities();
        let parameters = filter.parameters();
        let growth = parameters.iter().find(|(name, _)| name == "growth");
        let counting = match filter {
            AnyFilter::Scalable(filter) => filter.count_hash(KeyHash(0)).is_some(),
            _ => can.insert && can.count,
        };
        BloomRequest {
            error: target.map_or(BloomRequest::MAX_ERROR, |target| target.fpr()),
            capacity: target.map_or(Target::MAX_ITEMS, |target| target.items()),
            expansion: match growth {
                Some((_, anther::format::Value::Whole(growth))) => {
                    u32::try_from(*growth).unwrap_or(MAX_EXPANSION)
                }
                _ => 0,
            },
            manner: match filter {
                // `aging`, `stable` and `generalized` forget, and are never full.
                _ if can.insert && !can.no_false_negatives => Manner::Window,
                _ if counting => Manner::Counting,
                _ => Manner::Plain,
            },
        }
    }

    /// The same of a range filter, which is static.
    pub fn of_range(range: &anther::Range) -> BloomRequest {
        let (error, capacity) = match range.about().target {
            Some(target) => (target.fpr(), target.items()),
            None => (BloomRequest::MAX_ERROR, Target::MAX_ITEMS),
        };
        BloomRequest { error, capacity, expansion: 0, manner: Manner::Plain }
    }

    /// Whether a filter is one of this request, as far as it matters.
    pub fn describes(&self, filter: &AnyFilter) -> bool {
        let its = BloomRequest::of(filter);
        let manner = match self.manner {
            Manner::Ttl(_) => Manner::Window,
            manner => manner,
        };
        (self.capacity, self.expansion, manner) == (its.capacity, its.expansion, its.manner)
    }

    /// Milliseconds of a generation of a filter that forgets by time.
    pub fn interval(&self, filter: &Aging) -> Option<u64> {
        match self.manner {
            Manner::Ttl(ttl) => {
                Some(ttl.div_ceil(filter.generations().window.max(1).into()).max(1))
            }
            _ => None,
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        numbers::put_f64(out, self.error)?;
        numbers::put_u64(out, self.capacity)?;
        numbers::put_u64(out, self.expansion.into())?;
        let (tag, ttl) = match self.manner {
            Manner::Plain => (0, 0),
            Manner::Counting => (1, 0),
            Manner::Window => (2, 0),
            Manner::Ttl(ttl) => (3, ttl),
        };
        numbers::put_u64(out, tag)?;
        numbers::put_u64(out, ttl)
    }

    pub(super) fn read(source: &mut dyn Read) -> Option<BloomRequest> {
        Some(BloomRequest {
            error: numbers::rate(source)?,
            capacity: numbers::u64(source).filter(|it| (1..=Target::MAX_ITEMS).contains(it))?,
            expansion: numbers::u32(source).filter(|it| *it <= MAX_EXPANSION)?,
            manner: match (numbers::u64(source)?, numbers::u64(source)?) {
                (0, 0) => Manner::Plain,
                (1, 0) => Manner::Counting,
                (2, 0) => Manner::Window,
                (3, ttl) if (1..=BloomRequest::MAX_TTL).contains(&ttl) => Manner::Ttl(ttl),
                _ => return None,
            },
        })
    }
}
