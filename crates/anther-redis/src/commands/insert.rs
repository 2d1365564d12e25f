//! BF.ADD, BF.MADD, BF.INSERT.

use super::bloom::{
    Wishes, default_request, expansion_in_range, in_range, replicate_reserve, unknown_argument,
    valkey_capacity,
};
use super::{found, limit, new_hash_key, replicate_items, replicate_too};
use crate::arguments::{OptionsOf, hex};
use crate::config::{self, MAX_CAPACITY};
use crate::errors::{self, Failure, spoken, valkey};
use crate::object::{Bloom, BloomRequest, Held, Inserted, Manner};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};
use std::slice;

/// What an insert does where the key is absent.
struct Creation {
    /// The filter to make; `None`: none.
    request: Option<BloomRequest>,
    /// The hash key of the filter, or of its first layer of ours.
    key: Option<[u8; 16]>,
    since: Option<u64>,
}

impl Creation {
    fn by_default() -> Creation {
        Creation { request: Some(default_request()), key: None, since: None }
    }
}

/// `BF.ADD key item`
pub fn add<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let creation = Creation::by_default();
    insert_items(context, call, *name, slice::from_ref(item), &creation, false)
}

/// `BF.MADD key item...`
pub fn madd<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, items @ ..] = call else { return Err(Failure::Arity) };
    if items.is_empty() {
        return Err(Failure::Arity);
    }
    insert_items(context, call, *name, items, &Creation::by_default(), true)
}

/// `BF.INSERT key [CAPACITY c] [ERROR e] [EXPANSION x] [NOCREATE] [NONSCALING] ITEMS item...`
pub fn insert<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, options @ ..] = call else { return Err(Failure::Arity) };
    if call.len() < 4 && !config::is_valkey() {
        return Err(Failure::Arity);
    }
    let mut wishes = Wishes::new(default_request());
    let (mut create, mut has_capacity) = (true, false);
    let mut options = OptionsOf::new(options);
    // A copy takes what was taken, whatever its settings.
    let is_valkey = || config::is_valkey() || context.is_copying();
    let items = loop {
        let Some(option) = options.word() else { break None };
        if option.is("ITEMS") {
            break Some(options.rest());
        } else if option.is("CAPACITY") {
            let number = options.word().ok_or(Failure::Arity)?.integer();
            let bad = number.map_or(errors::BAD_CAPACITY, valkey_capacity);
            let capacity = number.and_then(|number| in_range(number, 1, MAX_CAPACITY));
            let capacity = capacity.ok_or_else(|| spoken(errors::INSERT_CAPACITY, bad))?;
            wishes.request_mut().capacity = capacity;
            has_capacity = true;
        } else if option.is("ERROR") {
            let rate = options.word().ok_or(Failure::Arity)?.number();
            let bad = rate.map_or(errors::BAD_ERROR_RATE, |_| valkey::ERROR_RATE_RANGE);
            let rate = rate.filter(|rate| *rate > 0.0 && *rate < 1.0);
            let rate = rate.ok_or_else(|| spoken(errors::INSERT_ERROR_RATE, bad))?;
            wishes.request_mut().error = rate;
        } else if option.is("EXPANSION") {
            let number = options.word().ok_or(Failure::Arity)?.integer();
            let bad = || spoken(errors::INSERT_EXPANSION, errors::BAD_EXPANSION);
            let expansion = number.and_then(|number| expansion_in_range(context, number));
            wishes.expansion = Some(expansion.ok_or_else(bad)?);
        } else if option.is("NOCREATE") {
            create = false;
        } else if is_valkey() && valkey_option(option, &mut options, &mut wishes)? {
        } else if !wishes.take(option, &mut options)? {
            return Err(unknown_argument());
        }
    };
    let items = match items {
        Some(items) if !items.is_empty() => items,
        // Valkey's module takes it as the wish for an empty filter.
        None if config::is_valkey() => &[],
        _ => return Err(Failure::Arity),
    };
    let request = wishes.request()?;
    if matches!(request.manner, Manner::Ttl(_)) && !has_capacity {
        return Err(errors::TTL_CAPACITY);
    }
    let request = create.then_some(request);
    let creation = Creation { request, key: wishes.key, since: wishes.since };
    insert_items(context, call, *name, items, &creation, true)
}

/// Options of Valkey's module alone. Our filters keep the rate asked for at any ratio, so the ratio is
/// only checked; of a seed of 32 bytes, the first half is the hash key.
fn valkey_option<'a>(
    option: Argument<'a>,
    options: &mut OptionsOf<'a>,
    wishes: &mut Wishes,
) -> Result<bool, Failure> {
    if option.is("TIGHTENING") {
        let ratio = options.word().and_then(Argument::number).ok_or(valkey::BAD_TIGHTENING)?;
        if !(ratio > 0.0 && ratio < 1.0) {
            return Err(valkey::TIGHTENING_RANGE);
        }
    } else if option.is("SEED") {
        let seed = options.word().map(Argument::bytes).filter(|seed| seed.len() == 32);
        wishes.key = seed.and_then(|seed| seed.first_chunk().copied());
        wishes.key.ok_or(valkey::BAD_SEED)?;
    } else if option.is("VALIDATESCALETO") {
        options.word().and_then(Argument::integer).ok_or(errors::BAD_CAPACITY)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Inserts items, into a new filter if the key does not exist, and replies: with an array if there
/// may be several.
fn insert_items<'a>(
    context: Context<'a>,
    call: &'a [Argument<'a>],
    name: Argument<'a>,
    items: &'a [Argument<'a>],
    creation: &Creation,
    many: bool,
) -> Answer {
    let limit = limit(context);
    let mut open = OpenKey::<Held<Bloom>>::write(context, name);
    let new_key = || creation.key.map_or_else(new_hash_key, Ok);
    let mut created = false;
    if let (Found::Absent, Some(request)) = (open.get(), creation.request) {
        let since = creation.since.unwrap_or_else(|| context.now());
        let filter = open.set(Held::Ready(Bloom::new(request, new_key()?, limit, since)?));
        replicate_reserve(context, name, filter.ready()?);
        created = true;
    }
    let filter = found(open.get_mut())?.ready_mut()?;
    let aged = age(context, name, filter);
    let key_before = filter.key();

    let (mut changed, mut inserted, mut refused) = (false, 0, None);
    if many {
        context.open_array();
    }
    for item in items {
        match filter.insert(item.bytes(), limit, new_key) {
            Ok(answer) => {
                inserted += 1;
                changed |= answer != Inserted::Present;
                flag(context, answer == Inserted::New);
            }
            Err(failure) => {
                refused = Some(failure);
                break;
            }
        }
    }
    let mut failure = refused.clone();
    if many {
        if let Some(Failure::Text(text)) = &failure {
            context.error(text);
        }
        context.close_array(inserted + usize::from(failure.is_some()));
        failure = None;
    }

    let new_key = filter.key().filter(|_| key_before.is_none());
    if let Some(key) = new_key {
        // The first layer of ours in a filter of RedisBloom: the key is chance.
        let digits = hex(&key);
        let options = [&b"NOCREATE"[..], b"HASHKEY", digits.as_bytes(), b"ITEMS"];
        replicate_items(context, c"BF.INSERT", name, &options, &items[..inserted]);
    } else if changed && refused.is_some() {
        // A copy has no limits, and must not take more than what was taken here.
        replicate_items(context, c"BF.MADD", name, &[], &items[..inserted]);
    } else if changed && (created || aged) {
        replicate_too(context, call);
    } else if changed {
        context.replicate_verbatim();
    }
    if changed || created || aged {
        context.changed(name, c"bf.add");
    }
    failure.map_or(Ok(()), Err)
}

/// Begins the generations that are due, and replicates that. A copy waits to be told: its clock may
/// differ, and in an AOF it is another day.
fn age(context: Context<'_>, name: Argument<'_>, filter: &mut Bloom) -> bool {
    if filter.since() == 0 || context.is_copying() {
        return false;
    }
    let generations = filter.due(|| context.now());
    if generations > 0 {
        filter.advance(generations);
        let generations = generations.to_string();
        context.replicate(c"BF.AGE", &[name.bytes(), generations.as_bytes()]);
    }
    generations > 0
}

/// `BF.AGE key generations`
pub fn begin_generations<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, generations] = call else { return Err(Failure::Arity) };
    let generations = generations.integer().and_then(|number| u64::try_from(number).ok());
    let generations = generations.ok_or(errors::BAD_GENERATIONS)?;
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    let filter = found(open.get_mut())?.ready_mut()?;
    if !filter.forgets() {
        return Err(errors::NOT_FORGETTING);
    }
    if generations > 0 {
        filter.advance(generations);
        context.replicate_verbatim();
        context.changed(*name, c"bf.age");
    }
    context.ok();
    Ok(())
}
