//! Replies that depend on the configuration.

use crate::config;
use crate::server::Context;

/// A boolean: in RESP3 `#t`, in RESP2 and for Valkey's clients 1.
#[inline]
pub fn flag(context: Context<'_>, value: bool) {
    if config::is_valkey() {
        context.integer(value.into());
    } else {
        context.boolean(value);
    }
}
