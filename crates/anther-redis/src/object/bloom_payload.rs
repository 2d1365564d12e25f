//! The encoding of a BF object.

use super::bloom::Bloom;
use super::held::Payload;
use super::request::{BloomRequest, Manner};
use super::{Limit, cells_bytes, frames, numbers, old};
use crate::config::memory_limit;
use crate::server::ObjectType;
use anther::any::AnyFile;
use anther::foreign::redisbloom;
use std::ffi::CStr;
use std::io::{self, Read, Write};

static TYPE: ObjectType = ObjectType::unregistered();

impl Payload for Bloom {
    const NAME: &'static CStr = c"MBbloom--";
    const LOADCHUNK: &'static CStr = c"BF.LOADCHUNK";
    const MAGIC: [u8; 8] = *b"antherBF";
    type Old = redisbloom::Bloom;

    fn object_type() -> &'static ObjectType {
        &TYPE
    }

    fn from_old(filter: redisbloom::Bloom) -> Bloom {
        Bloom::from_old(filter)
    }

    fn only_old(&self) -> Option<&redisbloom::Bloom> {
        Bloom::only_old(self)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        numbers::put_key(out, self.key)?;
        self.request.write(out)?;
        numbers::put_u64(out, self.items)?;
        numbers::put_u64(out, self.since)?;
        numbers::put_flag(out, self.old.is_some())?;
        // Either is a file that says which it is.
        numbers::put_flag(out, self.filter.is_some() || self.range.is_some())?;
        if let Some(filter) = &self.old {
            old::put_filter(out, &**filter)?;
        }
        match (&self.filter, &self.range) {
            (Some(filter), _) => frames::put_file(out, filter),
            (None, Some(range)) => frames::put_file(out, &**range),
            (None, None) => Ok(()),
        }
    }

    fn read(source: &mut dyn Read) -> Option<Bloom> {
        let key = numbers::key(source)?;
        let request = BloomRequest::read(source)?;
        let (items, since) = (numbers::u64(source)?, numbers::u64(source)?);
        let (has_old, has_filter) = (numbers::flag(source)?, numbers::flag(source)?);
        let old = if has_old { Some(Box::new(old::filter(source)?)) } else { None };
        let filter = match has_filter.then(|| frames::file::<AnyFile>(source, key)) {
            Some(None) => return None,
            Some(Some(AnyFile::Range(range))) => {
                // A range filter has neither old layers nor a clock.
                let bloom = Bloom::of_range(range, key);
                return (old.is_none() && since == 0 && request == bloom.request).then_some(bloom);
            }
            Some(Some(AnyFile::Filter(filter))) => Some(filter),
            None => None,
        };
        let request = match (&old, &filter) {
            (_, Some(filter)) if request.describes(filter) => request,
            // The next layer is sized by it, so it is made of what is there.
            (Some(old), None) => Bloom::request_of(old),
            _ => return None,
        };
        let timed = matches!(request.manner, Manner::Ttl(_));
        let range = None;
        (timed == (since > 0)).then_some(Bloom { request, key, old, filter, range, items, since })
    }

    fn bytes(&self) -> usize {
        let old = self.old.as_ref().map_or(0, |old| old.bytes());
        let own = self.filter.as_ref().map_or(0, cells_bytes);
        let range = self.range.as_ref().map_or(0, |range| range.profile().bits.div_ceil(8));
        usize::try_from(old.saturating_add(own).saturating_add(range)).unwrap_or(usize::MAX)
    }

    fn allocations(&self) -> usize {
        self.layers()
    }

    fn limit() -> Limit {
        memory_limit()
    }
}
