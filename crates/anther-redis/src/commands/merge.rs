//! BF.MERGE.

use super::found;
use crate::errors::{self, Failure};
use crate::object::{Bloom, Held};
use crate::server::{Answer, Argument, Context, Found, Object, OpenKey};

/// `BF.MERGE destination source...`
pub fn merge<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, sources @ ..] = call else { return Err(Failure::Arity) };
    if sources.is_empty() {
        return Err(Failure::Arity);
    }
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    // A copy, so that a source which cannot be merged changes nothing.
    let mut union = match open.get() {
        Found::Absent => None,
        other => Some(copy(found(other)?)?),
    };
    // With itself a filter is what it was.
    let others = sources.iter().filter(|source| source.bytes() != name.bytes());
    let mut merged = false;
    for source in others {
        let source = OpenKey::<Held<Bloom>>::read(context, *source);
        let source = found(source.get())?;
        merged = true;
        match &mut union {
            None => union = Some(copy(source)?),
            Some(union) => union.merge(source.ready()?)?,
        }
    }
    let union = union.ok_or(errors::NOT_FOUND)?;
    if merged {
        match open.get_mut() {
            // In place: the key keeps its expiry.
            Found::Here(held) => *held.ready_mut()? = union,
            _ => drop(open.set(Held::Ready(union))),
        }
        context.replicate_verbatim();
        context.changed(*name, c"bf.merge");
    }
    context.ok();
    Ok(())
}

fn copy(held: &Held<Bloom>) -> Result<Bloom, Failure> {
    held.ready()?;
    match held.copy() {
        Some(Held::Ready(copy)) => Ok(copy),
        _ => Err(errors::OUT_OF_MEMORY),
    }
}
