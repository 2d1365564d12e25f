//! BF.REM and BF.COUNT: filters made with COUNTING.

use super::found;
use crate::errors::Failure;
use crate::object::{Bloom, Held};
use crate::reply::flag;
use crate::server::{Answer, Argument, Context, Found, OpenKey};

/// `BF.REM key item`
pub fn rem<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let mut open = OpenKey::<Held<Bloom>>::write(context, *name);
    let removed = match open.get_mut() {
        Found::Absent => false,
        other => found(other)?.ready_mut()?.remove(item.bytes())?,
    };
    if removed {
        context.replicate_verbatim();
        context.changed(*name, c"bf.rem");
    }
    flag(context, removed);
    Ok(())
}

/// `BF.COUNT key item`
pub fn count<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name, item] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let count = match open.get() {
        Found::Absent => 0,
        other => found(other)?.ready()?.count(item.bytes())?,
    };
    context.count(count);
    Ok(())
}
