//! The encoding of a CF object.

use super::cuckoo::{Cuckoo, CuckooRequest, Part};
use super::held::Payload;
use super::{Limit, frames, numbers, old};
use crate::config::{MAX_EXPANSION, memory_limit};
use crate::server::ObjectType;
use anther::foreign::redisbloom;
use anther::{Inspect, Target};
use std::ffi::CStr;
use std::io::{self, Read, Write};

static TYPE: ObjectType = ObjectType::unregistered();

/// The most filters of an object that is loaded.
const MAX_FILTERS: u64 = 65_535;

impl Payload for Cuckoo {
    const NAME: &'static CStr = c"MBbloomCF";
    const LOADCHUNK: &'static CStr = c"CF.LOADCHUNK";
    const MAGIC: [u8; 8] = *b"antherCF";
    type Old = redisbloom::Cuckoo;

    fn object_type() -> &'static ObjectType {
        &TYPE
    }

    fn from_old(filter: redisbloom::Cuckoo) -> Cuckoo {
        Cuckoo::from_old(filter)
    }

    fn only_old(&self) -> Option<&redisbloom::Cuckoo> {
        Cuckoo::only_old(self)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        numbers::put_key(out, self.key)?;
        numbers::put_u64(out, self.request.capacity)?;
        numbers::put_f64(out, self.request.error)?;
        numbers::put_u64(out, self.request.bucket_size.into())?;
        numbers::put_u64(out, self.request.iterations.into())?;
        numbers::put_u64(out, self.request.expansion.into())?;
        numbers::put_u64(out, self.deleted)?;
        numbers::put_flag(out, self.old.is_some())?;
        numbers::put_u64(out, self.filters.len() as u64)?;
        if let Some(filter) = &self.old {
            old::put_filter(out, &**filter)?;
        }
        for part in &self.filters {
            numbers::put_u64(out, part.capacity)?;
            numbers::put_u64(out, part.held)?;
            frames::put_file(out, &part.filter)?;
        }
        Ok(())
    }

    fn read(source: &mut dyn Read) -> Option<Cuckoo> {
        let key = numbers::key(source)?;
        let request = CuckooRequest {
            capacity: numbers::u64(source).filter(|it| (1..=Target::MAX_ITEMS).contains(it))?,
            error: numbers::rate(source)?,
            bucket_size: numbers::u32(source).filter(|it| (1..=65_535).contains(it))?,
            iterations: numbers::u32(source).filter(|it| *it <= 65_535)?,
            expansion: numbers::u32(source).filter(|it| *it <= MAX_EXPANSION)?,
        };
        let deleted = numbers::u64(source)?;
        let has_old = numbers::flag(source)?;
        let count = numbers::u64(source).filter(|count| *count <= MAX_FILTERS)?;
        let old = if has_old { Some(Box::new(old::filter(source)?)) } else { None };
        let mut filters = Vec::new();
        for _ in 0..count {
            let (capacity, held) = (numbers::u64(source)?, numbers::u64(source)?);
            // Filters of ours are always keyed.
            let filter: anther::Cuckoo = frames::file(source, Some(key?))?;
            // The next filter is sized by it, so it must be what the cells are for.
            let cells: u64 = filter.rows().iter().map(|row| row.cells.cells()).sum();
            if !(1..=cells).contains(&capacity) || held > cells {
                return None;
            }
            filters.push(Part { filter, capacity, held });
        }
        let cuckoo = Cuckoo { request, key, old, filters, deleted };
        (cuckoo.filters() > 0).then_some(cuckoo)
    }

    fn bytes(&self) -> usize {
        let cells = |part: &Part| -> u64 {
            let rows = part.filter.rows();
            rows.iter().map(|row| row.cells.cells() * u64::from(row.cells.width())).sum()
        };
        let own = self.filters.iter().map(cells).sum::<u64>().div_ceil(8);
        let old = self.old.as_ref().map_or(0, |old| old.bytes());
        usize::try_from(own.saturating_add(old)).unwrap_or(usize::MAX)
    }

    fn allocations(&self) -> usize {
        self.filters() + 1
    }

    fn limit() -> Limit {
        memory_limit()
    }
}
