//! BF.INFO, BF.DEBUG, CF.INFO, CF.DEBUG.

use super::found;
use crate::config;
use crate::errors::{self, Failure, spoken, valkey};
use crate::object::{Bloom, Cuckoo, Held, Payload};
use crate::server::{Answer, Argument, Context, Object, OpenKey};
use std::ffi::CStr;

/// A field of BF.INFO: the word that asks for it, its name in the reply, its value.
struct Field {
    word: &'static str,
    name: &'static CStr,
    value: fn(&Held<Bloom>, &Bloom) -> Value,
}

enum Value {
    Count(u64),
    Rate(f64),
    Text(&'static str),
    None,
}

/// What RedisBloom tells.
const STANDARD: &[Field] = &[
    Field { word: "CAPACITY", name: c"Capacity", value: |_, it| Value::Count(it.capacity()) },
    Field { word: "SIZE", name: c"Size", value: |held, _| Value::Count(size(held)) },
    Field {
        word: "FILTERS",
        name: c"Number of filters",
        value: |_, it| Value::Count(it.layers() as u64),
    },
    Field {
        word: "ITEMS",
        name: c"Number of items inserted",
        value: |_, it| Value::Count(it.items()),
    },
    Field {
        word: "EXPANSION",
        name: c"Expansion rate",
        value: |_, it| match it.request().expansion {
            0 => Value::None,
            expansion => Value::Count(expansion.into()),
        },
    },
];

/// What only we tell. The rate now is honest after a merge, too; it reads all cells.
const OURS: &[Field] = &[
    Field {
        word: "ERROR",
        name: c"False-positive rate now",
        value: |_, it| Value::Rate(it.fpr_now()),
    },
    Field {
        word: "TARGET",
        name: c"False-positive rate asked for",
        value: |_, it| Value::Rate(it.request().error),
    },
    Field { word: "KIND", name: c"Kind", value: |_, it| Value::Text(it.kind()) },
];

/// What Valkey's module tells besides.
const VALKEY: &[Field] = &[
    Field { word: "ERROR", name: c"Error rate", value: |_, it| Value::Rate(it.request().error) },
    Field {
        word: "TIGHTENING",
        name: c"Tightening ratio",
        value: |_, it| match it.request().expansion {
            0 => Value::None,
            _ => Value::Rate(anther::Scalable::DEFAULT_TIGHTENING),
        },
    },
    Field {
        word: "MAXSCALEDCAPACITY",
        name: c"Max scaled capacity",
        value: |_, it| match it.request().expansion {
            0 => Value::None,
            _ => Value::Count(anther::Target::MAX_ITEMS),
        },
    },
];

fn size<T: Object>(object: &T) -> u64 {
    (size_of::<T>() + object.memory()) as u64
}

fn show(context: Context<'_>, value: Value) {
    match value {
        Value::Count(count) => context.count(count),
        Value::Rate(rate) => context.double(rate),
        Value::Text(text) => context.bytes(text.as_bytes()),
        Value::None => context.null(),
    }
}

/// `BF.INFO key [field]`
pub fn bloom<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let (name, field) = match call {
        [_, name] => (name, None),
        [_, name, field] => (name, Some(field)),
        _ => return Err(Failure::Arity),
    };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let held = found(open.get())?;
    let filter = held.ready()?;
    let valkey = config::is_valkey();
    let every = || STANDARD.iter().chain(if valkey { VALKEY } else { OURS });
    let Some(field) = field.filter(|field| !field.is("ALL")) else {
        let all = field.is_some() || valkey;
        let shown = || every().take(if all { usize::MAX } else { STANDARD.len() });
        context.map(shown().count());
        for Field { name, value, .. } in shown() {
            context.simple(name);
            show(context, value(held, filter));
        }
        return Ok(());
    };
    let known = every().chain(OURS).find(|known| field.is(known.word));
    let Field { name, value, .. } =
        known.ok_or_else(|| spoken(errors::UNKNOWN_FIELD, valkey::UNKNOWN_FIELD))?;
    if !valkey && context.is_resp3() {
        context.map(1);
        context.simple(name);
    } else if !valkey {
        context.array(1);
    }
    show(context, value(held, filter));
    Ok(())
}

/// `BF.DEBUG key`
pub fn bloom_debug<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Bloom>>::read(context, *name);
    let held = found(open.get())?;
    let filter = held.ready()?;
    context.array(2);
    context.bytes(format!("size:{}", filter.items()).as_bytes());
    let text = format!(
        "kind:{} bytes:{} layers:{} capacity:{} ratio:{} fpr:{:e}",
        filter.kind(),
        filter.bytes(),
        filter.layers(),
        filter.capacity(),
        filter.request().error,
        filter.fpr_now(),
    );
    context.bytes(text.as_bytes());
    Ok(())
}

/// `CF.INFO key`
pub fn cuckoo<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let held = found(open.get())?;
    let filter = held.ready()?;
    let fields = [
        (c"Size", size(held)),
        (c"Number of buckets", filter.buckets()),
        (c"Number of filters", filter.filters() as u64),
        (c"Number of items inserted", filter.items()),
        (c"Number of items deleted", filter.deleted()),
        (c"Bucket size", filter.request().bucket_size.into()),
        (c"Expansion rate", filter.request().expansion.into()),
        (c"Max iterations", filter.request().iterations.into()),
    ];
    context.map(fields.len());
    for (name, value) in fields {
        context.simple(name);
        context.count(value);
    }
    Ok(())
}

/// `CF.DEBUG key`
pub fn cuckoo_debug<'a>(context: Context<'a>, call: &'a [Argument<'a>]) -> Answer {
    let [_, name] = call else { return Err(Failure::Arity) };
    let open = OpenKey::<Held<Cuckoo>>::read(context, *name);
    let filter = found(open.get())?.ready()?;
    let asked = filter.request();
    let text = format!(
        "bktsize:{} buckets:{} items:{} deletes:{} filters:{} max_iterations:{} expansion:{}",
        asked.bucket_size,
        filter.buckets(),
        filter.items(),
        filter.deleted(),
        filter.filters(),
        asked.iterations,
        asked.expansion,
    );
    context.bytes(text.as_bytes());
    Ok(())
}
