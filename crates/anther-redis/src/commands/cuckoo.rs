//! CF.RESERVE, CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX, CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.DEL.

use super::bloom::in_range;
use super::{absent, found, limit, new_hash_key, replicate_items, replicate_too};
use crate::arguments::{OptionsOf, hash_key, hex};
use crate::config::{self, MAX_CAPACITY, MAX_EXPANSION};
use crate::errors::{self, Failure};
use crate::object::{Cuckoo, CuckooRequest, Held};
use crate::server::{Answer, Argument, Context, Found, OpenKey};
use std::slice;

fn default_request() -> CuckooRequest {
    CuckooRequest {
        // What CF.RESERVE allows: it is how replicas and the AOF learn of the filter.
        capacity: config::cf_initial_size().max(2 * u64::from(config::cf_bucket_size())),
        error: config::cf_error_rate(),
        bucket_size: config::cf_bucket_size(),
        iterations: config::cf_max_iterations(),
        expansion: config::cf_expansion(),
    }
}

/// `CF.RESERVE key capacity [BUCKETSIZE b] [MAXITERATIONS i] [EXPANSION e] [ERROR e] [HASHKEY digits]`
pub fn reserve<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    // Every option has a value.
    let [_, name, capacity, options @ ..] = call else { return Err(Failure::Arity) };
    if options.len() % 2 == 1 {
        return Err(Failure::Arity);
    }
    let capacity = capacity.integer().ok_or(errors::INSERT_CAPACITY)?;
    let (mut request, mut key) = (default_request(), None);
    let mut options = OptionsOf::new(options);
    while let (Some(option), Some(value)) = (options.word(), options.word()) {
        if option.is("MAXITERATIONS") {
            let number = value.integer().ok_or(errors::CF_BAD_ITERATIONS)?;
            request.iterations = small(number, 1, 65_535).ok_or(errors::CF_ITERATIONS_RANGE)?;
        } else if option.is("BUCKETSIZE") {
            let number = value.integer().ok_or(errors::CF_BAD_BUCKET_SIZE)?;
            request.bucket_size = small(number, 1, 255).ok_or(errors::CF_BUCKET_SIZE_RANGE)?;
        } else if option.is("EXPANSION") {
            let number = value.integer().ok_or(errors::CF_BAD_EXPANSION)?;
            request.expansion =
                small(number, 0, MAX_EXPANSION).ok_or(errors::CF_EXPANSION_RANGE)?;
        } else if option.is("ERROR") {
            let rate = value.number().ok_or(errors::INSERT_ERROR_RATE)?;
            request.error = Some(rate)
                .filter(|rate| *rate > 0.0 && *rate < 1.0)
                .ok_or(errors::ERROR_RATE_RANGE)?;
        } else if option.is("HASHKEY") {
            key = Some(hash_key(value.bytes()).ok_or(errors::BAD_HASH_KEY)?);
        } else {
            return Err(errors::UNKNOWN_ARGUMENT);
        }
    }
    request.capacity = capacity_in_range(capacity, request.bucket_size)?;

    let mut open = OpenKey::<Held<Cuckoo>>::write(context, *name);
    absent(&open)?;
    let key = key.map_or_else(new_hash_key, Ok)?;
    open.set(Held::Ready(Cuckoo::new(request, key, limit(context))?));
    replicate_reserve(context, *name, &request, key);
    context.changed(*name, c"cf.reserve");
    context.ok();
    Ok(())
}

fn capacity_in_range(capacity: i64, bucket_size: u32) -> Result<u64, Failure> {
    in_range(capacity, 2 * u64::from(bucket_size), MAX_CAPACITY).ok_or(errors::CF_CAPACITY_RANGE)
}

fn small(number: i64, least: u32, most: u32) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| (least..=most).contains(number))
}

/// Replicates the creation of a filter with everything that chance or the configuration decided.
fn replicate_reserve(
    context: Context<'_>,
    name: Argument<'_>,
    request: &CuckooRequest,
    key: [u8; 16],
) {
    let numbers = [
        request.capacity.to_string(),
        request.bucket_size.to_string(),
        request.iterations.to_string(),
        request.expansion.to_string(),
        request.error.to_string(),
        hex(&key),
    ];
    let [capacity, bucket_size, iterations, expansion, error, key] = &numbers;
    let options = [
        ("BUCKETSIZE", bucket_size),
        ("MAXITERATIONS", iterations),
        ("EXPANSION", expansion),
        ("ERROR", error),
        ("HASHKEY", key),
    ];
    let mut arguments = vec![name.bytes(), capacity.as_bytes()];
    arguments.extend(options.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    context.replicate(c"CF.RESERVE", &arguments);
}

/// How CF.ADD and its relatives differ.
#[derive(Clone, Copy)]
struct Manner {
    /// Only items that are absent.
    only_new: bool,
    /// Several items, and an array as reply.
    many: bool,
}

/// `CF.ADD key item`
pub fn add<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    add_one(context, call, Manner { only_new: false, many: false })
}

/// `CF.ADDNX key item`
pub fn addnx<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    add_one(context, call, Manner { only_new: true, many: false })
}

/// `CF.INSERT key [CAPACITY c] [NOCREATE] ITEMS item...`
pub fn insert<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    insert_many(context, call, Manner { only_new: false, many: true })
}

/// `CF.INSERTNX key [CAPACITY c] [NOCREATE] ITEMS item...`
pub fn insertnx<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    insert_many(context, call, Manner { only_new: true, many: true })
}

fn add_one<'a>(context: Context<'a>, call: &'a [Argument<'a>], manner: Manner) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let request = Some(default_request());
    insert_items(context, call, *name, slice::from_ref(item), (request, None), manner)
}

fn insert_many<'a>(context: Context<'a>, call: &'a [Argument<'a>], manner: Manner) -> Answer {
    let [_, name, options @ ..] = call else { return Err(Failure::Arity) };
    let (mut request, mut create, mut key) = (default_request(), true, None);
    let mut options = OptionsOf::new(options);
    loop {
        let option = options.word().ok_or(Failure::Arity)?;
        if option.is("ITEMS") {
            break;
        } else if option.is("CAPACITY") {
            let number = options.word().ok_or(Failure::Arity)?;
            let number = number.integer().ok_or(errors::INSERT_CAPACITY)?;
            request.capacity = capacity_in_range(number, request.bucket_size)?;
        } else if option.is("NOCREATE") {
            create = false;
        } else if option.is("HASHKEY") {
            let digits = options.word().ok_or(errors::BAD_HASH_KEY)?;
            key = Some(hash_key(digits.bytes()).ok_or(errors::BAD_HASH_KEY)?);
        } else {
            return Err(errors::UNKNOWN_ARGUMENT);
        }
    }
    if options.rest().is_empty() {
        return Err(Failure::Arity);
    }
    let creation = (create.then_some(request), key);
    insert_items(context, call, *name, options.rest(), creation, manner)
}

/// Inserts items, into a new filter if the key does not exist, and replies.
fn insert_items<'a>(
    context: Context<'a>,
    call: &'a [Argument<'a>],
    name: Argument<'a>,
    items: &'a [Argument<'a>],
    (request, key): (Option<CuckooRequest>, Option<[u8; 16]>),
    manner: Manner,
) -> Answer {
    let new_key = || key.map_or_else(new_hash_key, Ok);
    let limit = limit(context);
    // A copy takes what was taken, whatever its settings.
    let most = if context.is_copying() { usize::MAX } else { config::cf_max_expansions() };
    let mut open = OpenKey::<Held<Cuckoo>>::write(context, name);
    let mut created = None;
    if let (Found::Absent, Some(request)) = (open.get(), request) {
        let key = new_key()?;
        open.set(Held::Ready(Cuckoo::new(request, key, limit)?));
        created = Some((request, key));
    }
    let filter = found(open.get_mut())?.ready_mut()?;
    let key_before = filter.key();

    let (mut inserted, mut all, mut refused) = (Vec::new(), true, None);
    if manner.many {
        context.array(items.len());
    }
    for item in items {
        if manner.only_new && filter.contains(item.bytes()) {
            answer(context, manner, 0);
            continue;
        }
        match filter.insert(item.bytes(), most, limit, new_key) {
            Ok(()) => {
                inserted.push(*item);
                answer(context, manner, 1);
            }
            Err(_) if manner.many => {
                all = false;
                answer(context, manner, -1);
            }
            Err(failure) => refused = Some(failure),
        }
    }

    let changed = !inserted.is_empty();
    let new_key = filter.key().filter(|_| key_before.is_none());
    if let Some((request, key)) = created {
        replicate_reserve(context, name, &request, key);
    }
    if let Some(key) = new_key {
        // The first filter of ours in one of RedisBloom: the key is chance.
        let digits = hex(&key);
        let options = [&b"NOCREATE"[..], b"HASHKEY", digits.as_bytes(), b"ITEMS"];
        replicate_items(context, c"CF.INSERT", name, &options, &inserted);
    } else if changed && !all {
        // A copy has no limits, and must not take more than what was taken here.
        replicate_items(context, c"CF.INSERT", name, &[b"NOCREATE", b"ITEMS"], &inserted);
    } else if changed && created.is_some() {
        replicate_too(context, call);
    } else if changed {
        context.replicate_verbatim();
    }
    if changed || created.is_some() {
        context.changed(name, c"cf.add");
    }
    refused.map_or(Ok(()), Err)
}

/// 1 for an item that was inserted, 0 for one that was there, -1 if there is no room. RESP3 has
/// booleans instead, except for CF.INSERTNX, which has three answers.
fn answer(context: Context<'_>, manner: Manner, answer: i64) {
    match manner {
        Manner { only_new: true, many: true } => context.integer(answer),
        Manner { many: true, .. } if !context.is_resp3() => context.integer(answer),
        _ => context.boolean(answer == 1),
    }
}

/// `CF.EXISTS key item`
pub fn exists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let answer = match open.get() {
        Found::Here(object) => object.ready()?.contains(item.bytes()),
        Found::Absent | Found::Other => false,
    };
    context.boolean(answer);
    Ok(())
}

/// `CF.MEXISTS key item...`
pub fn mexists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, items @ ..] = call else { return Err(Failure::Arity) };
    if items.is_empty() {
        return Err(Failure::Arity);
    }
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let answers = match open.get() {
        Found::Here(object) => object.ready()?.contains_all(items.iter().map(|item| item.bytes())),
        Found::Absent | Found::Other => vec![false; items.len()],
    };
    context.array(answers.len());
    answers.into_iter().for_each(|answer| context.boolean(answer));
    Ok(())
}

/// `CF.COUNT key item`
pub fn count<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let count = match open.get() {
        Found::Here(object) => object.ready()?.count(item.bytes()),
        Found::Absent | Found::Other => 0,
    };
    context.count(count);
    Ok(())
}

/// `CF.DEL key item`
pub fn del<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let mut open = OpenKey::<Held<Cuckoo>>::write(context, *name);
    let Found::Here(object) = open.get_mut() else { return Err(errors::CF_NOT_FOUND) };
    let removed = object.ready_mut()?.remove(item.bytes());
    if removed {
        context.replicate_verbatim();
        context.changed(*name, c"cf.del");
    }
    context.boolean(removed);
    Ok(())
}

/// `CF.COMPACT key`
pub fn compact<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let mut open = OpenKey::<Held<Cuckoo>>::write(context, *name);
    let Found::Here(object) = open.get_mut() else { return Err(errors::CF_ABSENT) };
    if object.ready_mut()?.compact() {
        context.replicate_verbatim();
        context.changed(*name, c"cf.compact");
    }
    context.ok();
    Ok(())
}
