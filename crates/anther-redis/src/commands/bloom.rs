//! BF.RESERVE, BF.EXISTS, BF.MEXISTS, BF.CARD.

use super::{absent, found, limit, new_hash_key};
use crate::arguments::{OptionsOf, hash_key, hex};
use crate::config::{self, MAX_CAPACITY, MAX_EXPANSION};
use crate::errors::{self, Failure, valkey};
use crate::object::{Bloom, BloomRequest, Held};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};

/// BF.RESERVE key error capacity [EXPANSION e] [NONSCALING] [COUNTING] [HASHKEY digits]
pub fn reserve<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, error, capacity, options @ ..] = call else { return Err(Failure::Arity) };
    let error = error.number().ok_or(errors::BAD_ERROR_RATE)?;
    if !(error > 0.0 && error < 1.0) {
        return Err(match config::is_valkey() {
            true => valkey::ERROR_RATE_RANGE,
            false => errors::ERROR_RATE_RANGE,
        });
    }
    let capacity = capacity.integer().ok_or(errors::BAD_CAPACITY)?;
    let capacity = in_range(capacity, 1, MAX_CAPACITY).ok_or(match config::is_valkey() {
        true => valkey::CAPACITY_RANGE,
        false => errors::CAPACITY_RANGE,
    })?;
    let (request, key) = reserve_options(error, capacity, options)?;

    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    absent(&open)?;
    let hash_key = key.map_or_else(new_hash_key, Ok)?;
    open.set(Held::Ready(Bloom::new(request, hash_key, limit(context))?));
    replicate_reserve(context, *name, &request, hash_key);
    context.changed(*name, c"bf.reserve");
    context.ok();
    Ok(())
}

fn reserve_options(
    error: f64,
    capacity: u64,
    options: &[Argument<'_>],
) -> Result<(BloomRequest, Option<[u8; 16]>), Failure> {
    let expansion = config::expansion();
    let mut request = BloomRequest { error, capacity, expansion, counting: false };
    let (mut nonscaling, mut expanding, mut key) = (false, false, None);
    let mut options = OptionsOf::new(options);
    while let Some(option) = options.word() {
        if option.is("EXPANSION") {
            let value = options.word().ok_or(errors::NO_EXPANSION)?;
            let value = value.integer().ok_or(errors::BAD_EXPANSION)?;
            request.expansion = expansion_in_range(value).ok_or(errors::EXPANSION_RANGE)?;
            expanding = true;
        } else if option.is("NONSCALING") {
            nonscaling = true;
        } else if option.is("COUNTING") {
            request.counting = true;
        } else if option.is("HASHKEY") {
            let digits = options.word().ok_or(errors::BAD_HASH_KEY)?;
            key = Some(hash_key(digits.bytes()).ok_or(errors::BAD_HASH_KEY)?);
        } else {
            return Err(unknown_argument());
        }
    }
    if nonscaling && expanding {
        return Err(errors::NONSCALING_EXPANSION);
    }
    if nonscaling {
        request.expansion = 0;
    }
    Ok((request, key))
}

/// The error for an option that there is not.
pub fn unknown_argument() -> Failure {
    match config::is_valkey() {
        true => valkey::UNKNOWN_ARGUMENT,
        false => errors::UNKNOWN_ARGUMENT,
    }
}

/// A number, if it is in a range.
pub fn in_range(number: i64, least: u64, most: u64) -> Option<u64> {
    u64::try_from(number).ok().filter(|number| (least..=most).contains(number))
}

/// An expansion, if it is in range.
pub fn expansion_in_range(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number <= MAX_EXPANSION)
}

/// Replicates the creation of a filter with everything that chance or the configuration decided.
pub fn replicate_reserve(
    context: Context<'_>,
    name: Argument<'_>,
    request: &BloomRequest,
    key: [u8; 16],
) {
    let (error, capacity) = (request.error.to_string(), request.capacity.to_string());
    let (expansion, key) = (request.expansion.to_string(), hex(&key));
    let mut arguments = vec![name.bytes(), error.as_bytes(), capacity.as_bytes()];
    match request.expansion {
        0 => arguments.push(b"NONSCALING"),
        _ => arguments.extend([b"EXPANSION", expansion.as_bytes()]),
    }
    if request.counting {
        arguments.push(b"COUNTING");
    }
    arguments.extend([&b"HASHKEY"[..], key.as_bytes()]);
    context.replicate(c"BF.RESERVE", &arguments);
}

/// BF.EXISTS key item
pub fn exists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let answer = match open.get() {
        Found::Here(object) => object.ready()?.contains(item.bytes())?,
        Found::Absent => false,
        Found::Other => other_type()?,
    };
    flag(context, answer);
    Ok(())
}

/// A key of another type holds no item, says RedisBloom; Valkey's module says that it is an error.
fn other_type() -> Result<bool, Failure> {
    match config::is_valkey() {
        true => Err(errors::WRONG_TYPE),
        false => Ok(false),
    }
}

/// BF.MEXISTS key item...
pub fn mexists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, items @ ..] = call else { return Err(Failure::Arity) };
    if items.is_empty() {
        return Err(Failure::Arity);
    }
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let answers = match open.get() {
        Found::Here(object) => {
            object.ready()?.contains_all(items.iter().map(|item| item.bytes()))?
        }
        Found::Absent => vec![false; items.len()],
        Found::Other => vec![other_type()?; items.len()],
    };
    context.array(answers.len());
    answers.into_iter().for_each(|answer| flag(context, answer));
    Ok(())
}

/// BF.CARD key
pub fn card<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let items = match open.get() {
        Found::Absent => 0,
        other => found(other)?.ready()?.items(),
    };
    context.count(items);
    Ok(())
}
