//! BF.SCANDUMP, BF.LOADCHUNK, CF.SCANDUMP, CF.LOADCHUNK.
//!
//! A dump is a header and chunks. The iterator of a chunk is one more than the offset at which it
//! ends, as in RedisBloom.

use super::{found, limit};
use crate::errors::{self, Failure};
use crate::object::{Bloom, Cuckoo, Held, LoadFailure};
use crate::server::{Answer, Argument, Context, Found, OpenKey};
use std::borrow::Cow;

/// Bytes of the header of RedisBloom's cuckoo filters, and of our dumps.
const CF_HEADER: usize = 38;
const OUR_HEADER: usize = 16;

/// `BF.SCANDUMP key iterator`
pub fn bloom_scan<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let held = found(open.get())?;
    let iterator = iterator.integer().ok_or(errors::SCAN_POSITION)?;
    let (next, bytes) = held.scan(iterator)?;
    context.array(2);
    context.integer(next);
    context.bytes(&bytes);
    Ok(())
}

/// `CF.SCANDUMP key iterator`
pub fn cuckoo_scan<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator] = call else { return Err(Failure::Arity) };
    // BF.SCANDUMP takes it for a position beyond the end, in RedisBloom, too.
    let iterator = iterator.integer().filter(|iterator| *iterator >= 0);
    let iterator = iterator.ok_or(errors::CF_POSITION)?;
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let held = found(open.get())?;
    let (next, bytes) = match held.ready()?.items() {
        0 => (0, Cow::Borrowed(&[][..])),
        _ => held.scan(iterator)?,
    };
    context.array(2);
    context.integer(next);
    match next {
        0 => context.null(),
        _ => context.bytes(&bytes),
    }
    Ok(())
}

/// `BF.LOADCHUNK key iterator data`
pub fn bloom_load<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator, data] = call else { return Err(Failure::Arity) };
    let iterator = iterator.integer().ok_or(errors::LOAD_POSITION)?;
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    let failed = |failure| match failure {
        LoadFailure::Offset => errors::NO_LINK,
        LoadFailure::TooLong => errors::CHUNK_TOO_BIG,
        LoadFailure::Limit => errors::LIMIT,
        LoadFailure::Data => errors::BAD_DATA,
    };
    let limit = limit(context);
    if let (Found::Absent, 1) = (open.get(), iterator) {
        open.set(Held::begin(data.bytes(), limit).map_err(failed)?);
    } else {
        found(open.get_mut())?.take_chunk(iterator, data.bytes(), limit).map_err(failed)?;
    }
    context.replicate_verbatim();
    context.changed(*name, c"bf.loadchunk");
    context.ok();
    Ok(())
}

/// `CF.LOADCHUNK key iterator data`
pub fn cuckoo_load<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator, data] = call else { return Err(Failure::Arity) };
    let mut open = OpenKey::<Held<Cuckoo>>::write(context, *name);
    let iterator = iterator.integer().filter(|iterator| *iterator != 0);
    let iterator = iterator.ok_or(errors::CF_POSITION)?;
    let failed = |failure, other| if failure == LoadFailure::Limit { errors::LIMIT } else { other };
    let limit = limit(context);
    if iterator == 1 {
        super::absent(&open)?;
        // RedisBloom tells headers of the wrong length from those that make no sense.
        let known = [CF_HEADER, OUR_HEADER].contains(&data.bytes().len());
        let other = if known { errors::CF_NO_FILTER } else { errors::CF_HEADER };
        open.set(Held::begin(data.bytes(), limit).map_err(|failure| failed(failure, other))?);
    } else {
        let loaded = found(open.get_mut())?.take_chunk(iterator, data.bytes(), limit);
        loaded.map_err(|failure| failed(failure, errors::CF_CHUNK))?;
    }
    context.replicate_verbatim();
    context.changed(*name, c"cf.loadchunk");
    context.ok();
    Ok(())
}
