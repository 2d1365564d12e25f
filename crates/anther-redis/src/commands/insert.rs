//! BF.ADD, BF.MADD, BF.INSERT.

use super::bloom::{expansion_in_range, in_range, replicate_reserve, unknown_argument};
use super::{found, limit, new_hash_key, replicate_too};
use crate::arguments::{OptionsOf, hash_key};
use crate::config::{self, MAX_CAPACITY};
use crate::errors::{self, Failure, valkey};
use crate::object::{Bloom, BloomRequest, Held, Inserted};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};
use std::slice;

/// What an insert does where the key is absent.
struct Creation {
    /// The filter to make; `None`: none.
    request: Option<BloomRequest>,
    key: Option<[u8; 16]>,
}

impl Creation {
    fn by_default() -> Creation {
        Creation { request: Some(default_request()), key: None }
    }
}

fn default_request() -> BloomRequest {
    BloomRequest {
        error: config::error_rate(),
        capacity: config::initial_size(),
        expansion: config::expansion(),
        counting: false,
    }
}

/// BF.ADD key item
pub fn add<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let creation = Creation::by_default();
    insert_items(context, call, *name, slice::from_ref(item), &creation, false)
}

/// BF.MADD key item...
pub fn madd<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, items @ ..] = call else { return Err(Failure::Arity) };
    if items.is_empty() {
        return Err(Failure::Arity);
    }
    insert_items(context, call, *name, items, &Creation::by_default(), true)
}

/// BF.INSERT key [CAPACITY c] [ERROR e] [EXPANSION x] [NOCREATE] [NONSCALING] ITEMS item...
pub fn insert<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, options @ ..] = call else { return Err(Failure::Arity) };
    if call.len() < 4 && !config::is_valkey() {
        return Err(Failure::Arity);
    }
    let mut request = default_request();
    let (mut create, mut nonscaling, mut expanding, mut key) = (true, false, false, None);
    let mut options = OptionsOf::new(options);
    let items = loop {
        let Some(option) = options.word() else { break None };
        let mut value = || options.word().ok_or(Failure::Arity);
        if option.is("ITEMS") {
            break Some(options.rest());
        } else if option.is("CAPACITY") {
            let number = value()?.integer().ok_or(errors::INSERT_CAPACITY)?;
            request.capacity = in_range(number, 1, MAX_CAPACITY).ok_or(bad_capacity())?;
        } else if option.is("ERROR") {
            let rate = value()?.number().ok_or(errors::INSERT_ERROR_RATE)?;
            request.error =
                Some(rate).filter(|rate| *rate > 0.0 && *rate < 1.0).ok_or(bad_error_rate())?;
        } else if option.is("EXPANSION") {
            let number = value()?.integer().ok_or(errors::INSERT_EXPANSION)?;
            request.expansion = expansion_in_range(number).ok_or(errors::INSERT_EXPANSION)?;
            expanding = true;
        } else if option.is("NOCREATE") {
            create = false;
        } else if option.is("NONSCALING") {
            nonscaling = true;
        } else if option.is("COUNTING") {
            request.counting = true;
        } else if option.is("HASHKEY") {
            key = Some(hash_key(value()?.bytes()).ok_or(errors::BAD_HASH_KEY)?);
        } else {
            return Err(unknown_argument());
        }
    };
    let items = match items {
        Some(items) if !items.is_empty() => items,
        // Valkey's module takes it as the wish for an empty filter.
        None if config::is_valkey() => &[],
        _ => return Err(Failure::Arity),
    };
    if nonscaling && expanding {
        return Err(errors::NONSCALING_EXPANSION);
    }
    if nonscaling {
        request.expansion = 0;
    }
    let creation = Creation { request: create.then_some(request), key };
    insert_items(context, call, *name, items, &creation, true)
}

fn bad_capacity() -> Failure {
    match config::is_valkey() {
        true => valkey::CAPACITY_RANGE,
        false => errors::INSERT_CAPACITY,
    }
}

fn bad_error_rate() -> Failure {
    match config::is_valkey() {
        true => valkey::ERROR_RATE_RANGE,
        false => errors::INSERT_ERROR_RATE,
    }
}

/// Inserts items, in a new filter if there is none, and replies: with an array if there may be
/// several.
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
    let mut created = None;
    if let (Found::Absent, Some(request)) = (open.get(), creation.request) {
        let key = creation.key.map_or_else(new_hash_key, Ok)?;
        open.set(Held::Ready(Bloom::new(request, key, limit)?));
        created = Some((request, key));
    }
    let filter = found(open.get_mut())?.ready_mut()?;

    let mut changed = false;
    let mut answers = 0;
    let mut refused = None;
    if many {
        context.open_array();
    }
    for item in items {
        answers += 1;
        match filter.insert(item.bytes(), limit) {
            Ok(inserted) => {
                changed |= inserted != Inserted::Present;
                flag(context, inserted == Inserted::New);
            }
            Err(Failure::Text(text)) if many => {
                context.error(&text);
                break;
            }
            Err(failure) => refused = Some(failure),
        }
    }
    if many {
        context.close_array(answers);
    }

    if let Some((request, key)) = created {
        replicate_reserve(context, name, &request, key);
        if changed {
            replicate_too(context, call);
        }
    } else if changed {
        context.replicate_verbatim();
    }
    if changed || created.is_some() {
        context.changed(name, c"bf.add");
    }
    refused.map_or(Ok(()), Err)
}
