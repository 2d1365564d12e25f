//! BF.SCANDUMP, BF.LOADCHUNK, CF.SCANDUMP, CF.LOADCHUNK.
//!
//! A dump is a header and chunks. The iterator of a chunk is one more than the offset at which it
//! ends, as in RedisBloom.

use super::{found, limit};
use crate::errors::{self, Failure};
use crate::object::{Bloom, ChunkError, Cuckoo, Held, Payload, dump_chunk, dump_header};
use crate::server::{Answer, Argument, Context, Found, OpenKey};

/// BF.SCANDUMP key iterator
pub fn bloom_scan<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let object = found(open.get())?.ready()?;
    let iterator = iterator.integer().ok_or(errors::SCAN_POSITION)?;
    let (next, bytes) = scan(object, iterator)?;
    context.array(2);
    context.integer(next);
    context.bytes(&bytes);
    Ok(())
}

/// CF.SCANDUMP key iterator
pub fn cuckoo_scan<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator] = call else { return Err(Failure::Arity) };
    let iterator = iterator.integer().ok_or(errors::CF_POSITION)?;
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let object = found(open.get())?.ready()?;
    let (next, bytes) = match object.items() {
        0 => (0, Vec::new()),
        _ => scan(object, iterator)?,
    };
    context.array(2);
    context.integer(next);
    match next {
        0 => context.null(),
        _ => context.bytes(&bytes),
    }
    Ok(())
}

/// The chunk after an iterator, and the next iterator: 0 at the end.
fn scan<T: Payload>(object: &T, iterator: i64) -> Result<(i64, Vec<u8>), Failure> {
    let Ok(from) = u64::try_from(iterator) else { return Ok((0, Vec::new())) };
    let (next, bytes) = match from.checked_sub(1) {
        None => (1, dump_header(object).map(Vec::from)),
        Some(offset) => {
            let bytes = dump_chunk(object, offset);
            let len = bytes.as_ref().map_or(0, Vec::len);
            (if len == 0 { 0 } else { from + len as u64 }, bytes)
        }
    };
    Ok((next.cast_signed(), bytes.map_err(Failure::because)?))
}

/// BF.LOADCHUNK key iterator data
pub fn bloom_load<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator, data] = call else { return Err(Failure::Arity) };
    let iterator = iterator.integer().ok_or(errors::LOAD_POSITION)?;
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    if let (Found::Absent, 1) = (open.get(), iterator) {
        open.set(Held::from_header(data.bytes()).ok_or(errors::BAD_DATA)?);
    } else {
        let held = found(open.get_mut())?;
        load(context, held, iterator, data.bytes()).map_err(|error| match error {
            ChunkError::Offset => errors::NO_LINK,
            ChunkError::TooLong => errors::CHUNK_TOO_BIG,
            ChunkError::Limit => errors::LIMIT,
            ChunkError::Data => errors::BAD_DATA,
        })?;
    }
    context.replicate_verbatim();
    context.changed(*name, c"bf.loadchunk");
    context.ok();
    Ok(())
}

/// CF.LOADCHUNK key iterator data
pub fn cuckoo_load<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, iterator, data] = call else { return Err(Failure::Arity) };
    let mut open = OpenKey::<Held<Cuckoo>>::write(context, *name);
    let iterator = iterator.integer().filter(|iterator| *iterator != 0);
    let iterator = iterator.ok_or(errors::CF_POSITION)?;
    if iterator == 1 {
        super::absent(&open)?;
        open.set(Held::from_header(data.bytes()).ok_or(errors::CF_HEADER)?);
    } else {
        let held = found(open.get_mut())?;
        load(context, held, iterator, data.bytes()).map_err(|error| match error {
            ChunkError::Limit => errors::LIMIT,
            _ => errors::CF_CHUNK,
        })?;
    }
    context.replicate_verbatim();
    context.changed(*name, c"cf.loadchunk");
    context.ok();
    Ok(())
}

fn load<T: Payload>(
    context: Context<'_>,
    held: &mut Held<T>,
    iterator: i64,
    chunk: &[u8],
) -> Result<(), ChunkError> {
    let end = u64::try_from(iterator).map_err(|_| ChunkError::Offset)?.saturating_sub(1);
    held.load(end, chunk, limit(context))
}
