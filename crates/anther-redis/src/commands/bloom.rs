//! BF.RESERVE, BF.EXISTS, BF.MEXISTS, BF.CARD.

use super::{absent, found, limit, new_hash_key};
use crate::arguments::{OptionsOf, hash_key, hex};
use crate::config::{self, MAX_CAPACITY, MAX_EXPANSION};
use crate::errors::{self, Failure, spoken, valkey};
use crate::object::{Bloom, BloomRequest, Held, Manner};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};

/// `BF.RESERVE key error capacity [EXPANSION e] [NONSCALING] [COUNTING|WINDOW n|TTL s] [HASHKEY digits]`
pub fn reserve<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, error, capacity, options @ ..] = call else { return Err(Failure::Arity) };
    let error = error.number().ok_or(errors::BAD_ERROR_RATE)?;
    if !(error > 0.0 && error < 1.0) {
        return Err(spoken(errors::ERROR_RATE_RANGE, valkey::ERROR_RATE_RANGE));
    }
    let number = capacity.integer().ok_or(errors::BAD_CAPACITY)?;
    let capacity = in_range(number, 1, MAX_CAPACITY)
        .ok_or_else(|| spoken(errors::CAPACITY_RANGE, valkey_capacity(number)))?;
    let mut wishes = Wishes::new(BloomRequest { error, capacity, ..default_request() });
    let mut options = OptionsOf::new(options);
    while let Some(option) = options.word() {
        if option.is("EXPANSION") {
            let value = options.word().ok_or(errors::NO_EXPANSION)?;
            let value = value.integer().ok_or(errors::BAD_EXPANSION)?;
            let range = || spoken(errors::EXPANSION_RANGE, errors::BAD_EXPANSION);
            wishes.expansion = Some(expansion_in_range(context, value).ok_or_else(range)?);
        } else if !wishes.take(option, &mut options)? {
            return Err(unknown_argument());
        }
    }
    if wishes.nonscaling && wishes.expansion.is_some() {
        return Err(errors::NONSCALING_EXPANSION);
    }
    let request = wishes.request()?;

    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    absent(&open)?;
    let hash_key = wishes.key.map_or_else(new_hash_key, Ok)?;
    let since = wishes.since.unwrap_or_else(|| context.now());
    let filter = open.set(Held::Ready(Bloom::new(request, hash_key, limit(context), since)?));
    replicate_reserve(context, *name, filter.ready()?);
    context.changed(*name, c"bf.reserve");
    context.ok();
    Ok(())
}

/// The filter that commands make unless they say otherwise.
pub fn default_request() -> BloomRequest {
    BloomRequest {
        error: config::error_rate(),
        capacity: config::initial_size(),
        expansion: config::expansion(),
        manner: Manner::Plain,
    }
}

/// What the options of BF.RESERVE and BF.INSERT wish for.
pub struct Wishes {
    request: BloomRequest,
    /// EXPANSION.
    pub expansion: Option<u32>,
    nonscaling: bool,
    manners: u32,
    /// HASHKEY.
    pub key: Option<[u8; 16]>,
    /// SINCE, which a primary tells its replicas: when the first generation began.
    pub since: Option<u64>,
}

impl Wishes {
    /// No wishes but these.
    pub fn new(request: BloomRequest) -> Wishes {
        let (expansion, nonscaling, manners) = (None, false, 0);
        Wishes { request, expansion, nonscaling, manners, key: None, since: None }
    }

    /// The request, for options of BF.INSERT alone.
    pub fn request_mut(&mut self) -> &mut BloomRequest {
        &mut self.request
    }

    /// Takes an option that both commands have. False: it is none of them.
    pub fn take<'a>(
        &mut self,
        option: Argument<'a>,
        options: &mut OptionsOf<'a>,
    ) -> Result<bool, Failure> {
        if option.is("NONSCALING") {
            self.nonscaling = true;
        } else if option.is("COUNTING") {
            self.manner(Manner::Counting);
        } else if option.is("WINDOW") {
            let items = options.word().and_then(Argument::integer);
            let items = items.and_then(|items| in_range(items, 1, MAX_CAPACITY));
            self.request.capacity = items.ok_or(errors::BAD_WINDOW)?;
            self.manner(Manner::Window);
        } else if option.is("TTL") {
            let seconds = options.word().and_then(Argument::number).ok_or(errors::BAD_TTL)?;
            let ttl = milliseconds(seconds).ok_or(errors::BAD_TTL)?;
            self.manner(Manner::Ttl(ttl));
        } else if option.is("SINCE") {
            let since = options.word().and_then(Argument::integer);
            let since = since.and_then(|since| in_range(since, 1, i64::MAX.cast_unsigned()));
            self.since = Some(since.ok_or(unknown_argument())?);
        } else if option.is("HASHKEY") {
            let digits = options.word().ok_or(errors::BAD_HASH_KEY)?;
            self.key = Some(hash_key(digits.bytes()).ok_or(errors::BAD_HASH_KEY)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn manner(&mut self, manner: Manner) {
        self.request.manner = manner;
        self.manners += 1;
    }

    /// The filter that is wished for.
    pub fn request(&self) -> Result<BloomRequest, Failure> {
        let forgets = matches!(self.request.manner, Manner::Window | Manner::Ttl(_));
        if self.manners > 1 {
            return Err(errors::ONE_MANNER);
        }
        if forgets && self.expansion.is_some_and(|expansion| expansion > 0) {
            return Err(errors::NONSCALING_EXPANSION);
        }
        let expansion = match self.nonscaling || forgets {
            true => 0,
            false => self.expansion.unwrap_or(self.request.expansion),
        };
        Ok(BloomRequest { expansion, ..self.request })
    }
}

/// Seconds as milliseconds, if there are some and not too many.
fn milliseconds(seconds: f64) -> Option<u64> {
    let all = (seconds * 1000.0).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast stops at 0 and at the largest number"
    )]
    let all = all as u64;
    (1..=BloomRequest::MAX_TTL).contains(&all).then_some(all)
}

/// The error for an option that there is not.
pub fn unknown_argument() -> Failure {
    spoken(errors::UNKNOWN_ARGUMENT, valkey::UNKNOWN_ARGUMENT)
}

/// The error of Valkey's module for a capacity out of range.
pub fn valkey_capacity(number: i64) -> Failure {
    match number {
        0 => valkey::CAPACITY_RANGE,
        _ => errors::BAD_CAPACITY,
    }
}

/// A number, if it is in a range.
pub fn in_range(number: i64, least: u64, most: u64) -> Option<u64> {
    u64::try_from(number).ok().filter(|number| (least..=most).contains(number))
}

/// An expansion, if it is in range. 0 is NONSCALING in RedisBloom only; a copy takes what was taken.
pub fn expansion_in_range(context: Context<'_>, number: i64) -> Option<u32> {
    let least = u64::from(config::is_valkey() && !context.is_copying());
    in_range(number, least, MAX_EXPANSION.into()).and_then(|number| number.try_into().ok())
}

/// Replicates the creation of a filter with everything that chance, the clock or the configuration
/// decided.
pub fn replicate_reserve(context: Context<'_>, name: Argument<'_>, filter: &Bloom) {
    let request = filter.request();
    let mut words = vec![request.error.to_string(), request.capacity.to_string()];
    let mut say = |token: &str, value: String| words.extend([token.to_string(), value]);
    match request.manner {
        Manner::Plain => {}
        Manner::Counting => words.push("COUNTING".to_string()),
        Manner::Window => say("WINDOW", request.capacity.to_string()),
        Manner::Ttl(ttl) => {
            say("TTL", (ttl as f64 / 1000.0).to_string());
            say("SINCE", filter.since().to_string());
        }
    }
    let mut say = |token: &str, value: String| words.extend([token.to_string(), value]);
    if let Some(key) = filter.key() {
        say("HASHKEY", hex(&key));
    }
    match request.expansion {
        0 => words.push("NONSCALING".to_string()),
        expansion => say("EXPANSION", expansion.to_string()),
    }
    let mut arguments = vec![name.bytes()];
    arguments.extend(words.iter().map(String::as_bytes));
    context.replicate(c"BF.RESERVE", &arguments);
}

/// `BF.EXISTS key item`
pub fn exists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let answer = match open.get() {
        Found::Here(object) => object.ready()?.contains(item.bytes(), || context.now())?,
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

/// `BF.MEXISTS key item...`
pub fn mexists<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, items @ ..] = call else { return Err(Failure::Arity) };
    if items.is_empty() {
        return Err(Failure::Arity);
    }
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let answers = match open.get() {
        Found::Here(object) => {
            let items = items.iter().map(|item| item.bytes());
            object.ready()?.contains_all(items, || context.now())?
        }
        Found::Absent => vec![false; items.len()],
        Found::Other => vec![other_type()?; items.len()],
    };
    context.array(answers.len());
    answers.into_iter().for_each(|answer| flag(context, answer));
    Ok(())
}

/// `BF.CARD key`
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
