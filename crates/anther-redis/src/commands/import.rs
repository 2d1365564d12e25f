//! BF.IMPORT, BF.EXPORT, BF.GET, BF.BETWEEN, BF.KEY: filters in anther's file format.

use super::{absent, found, limit};
use crate::arguments::{hash_key, hex};
use crate::errors::{self, Failure};
use crate::object::{Bloom, Held};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};

/// `BF.IMPORT key [HASHKEY digits] file`, or with the file first: `redis-cli -x` adds it at the end.
pub fn import<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let (name, file, digits) = match call {
        [_, name, file] => (name, file, None),
        [_, name, option, digits, file] if option.is("HASHKEY") => (name, file, Some(digits)),
        [_, name, file, option, digits] if option.is("HASHKEY") => (name, file, Some(digits)),
        [_, _, _, _, _] => return Err(errors::UNKNOWN_ARGUMENT),
        _ => return Err(Failure::Arity),
    };
    let key = digits.map(|digits| hash_key(digits.bytes()).ok_or(errors::BAD_HASH_KEY));
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    absent(&open)?;
    open.set(Held::Ready(Bloom::import(file.bytes(), key.transpose()?, limit(context))?));
    context.replicate_verbatim();
    context.changed(*name, c"bf.import");
    context.ok();
    Ok(())
}

/// `BF.EXPORT key`
pub fn export<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    context.bytes(&found(open.get())?.ready()?.export()?);
    Ok(())
}

/// `BF.GET key item`
pub fn get<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let value = match open.get() {
        Found::Absent => None,
        other => found(other)?.ready()?.value(item.bytes())?,
    };
    match value {
        Some(value) => context.count(value),
        None => context.null(),
    }
    Ok(())
}

/// `BF.BETWEEN key first last`
pub fn between<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, first, last] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let answer = match open.get() {
        Found::Absent => false,
        other => found(other)?.ready()?.contains_between(first.bytes(), last.bytes())?,
    };
    flag(context, answer);
    Ok(())
}

/// `BF.KEY key`
pub fn key<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    match found(open.get())?.ready()?.key() {
        Some(key) => context.bytes(hex(&key).as_bytes()),
        None => context.null(),
    }
    Ok(())
}
