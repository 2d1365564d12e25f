//! `api/kinds`: every kind, and what it can do.

use crate::Error;
use crate::page::api;
use anther::Kind;
use serde::Serialize;

/// A kind, as the page lists it.
#[derive(Serialize)]
struct KindJson {
    name: &'static str,
    purpose: &'static str,
    options: &'static [&'static str],
    insert: bool,
    remove: bool,
    count: bool,
    values: bool,
    grow: bool,
    experimental: bool,
}

/// Lists the kinds.
pub fn answer(_body: &[u8]) -> Result<Vec<u8>, Error> {
    let kinds = Kind::ALL.iter().map(|kind| {
        let can = kind.capabilities();
        KindJson {
            name: kind.name(),
            purpose: kind.purpose(),
            options: kind.options(),
            insert: can.insert,
            remove: can.remove,
            count: can.count,
            values: can.values,
            grow: can.grow,
            experimental: can.experimental,
        }
    });
    api::write(&kinds.collect::<Vec<_>>())
}
