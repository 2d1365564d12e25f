//! The commands: parse, call the object, reply.

pub mod bloom;
pub mod counting;
pub mod cuckoo;
pub mod dump;
pub mod import;
pub mod info;
pub mod insert;
pub mod merge;

use crate::config;
use crate::errors::{self, Failure};
use crate::object::{Held, Limit, Payload};
use crate::server::{Argument, Context, Found, OpenKey};
use std::ffi::{CStr, CString};

/// The limit of an object's memory in this call.
fn limit(context: Context<'_>) -> Limit {
    config::memory_limit().filter(|_| !context.is_copying())
}

/// The object of an open key.
fn found<T>(found: Found<T>) -> Result<T, Failure> {
    match found {
        Found::Here(object) => Ok(object),
        Found::Absent => Err(errors::NOT_FOUND),
        Found::Other => Err(errors::WRONG_TYPE),
    }
}

/// That a key is absent, for commands that make one.
fn absent<T: Payload>(key: &OpenKey<'_, Held<T>>) -> Result<(), Failure> {
    match key.get() {
        Found::Absent => Ok(()),
        Found::Here(_) => Err(errors::EXISTS),
        Found::Other => Err(errors::WRONG_TYPE),
    }
}

/// The hash key of a new filter: the configured one, else a random one, which replicas are told.
fn new_hash_key() -> Result<[u8; 16], Failure> {
    if let Some(key) = config::configured_key() {
        return Ok(key);
    }
    let mut key = [0; 16];
    getrandom::fill(&mut key).map_err(Failure::because)?;
    Ok(key)
}

/// Replicates this command again, after others.
fn replicate_too(context: Context<'_>, call: &[Argument<'_>]) {
    let Some((name, arguments)) = call.split_first() else { return };
    let Ok(name) = CString::new(name.bytes()) else { return };
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.bytes()).collect();
    context.replicate(&name, &arguments);
}

/// Replicates a command with a key, options and items.
fn replicate_items(
    context: Context<'_>,
    command: &CStr,
    name: Argument<'_>,
    options: &[&[u8]],
    items: &[Argument<'_>],
) {
    let mut arguments = vec![name.bytes()];
    arguments.extend(options);
    arguments.extend(items.iter().map(|item| item.bytes()));
    context.replicate(command, &arguments);
}
