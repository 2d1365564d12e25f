//! From records to hashes of keys, by a recipe.

use crate::exit::Stop;
use crate::input::{self, Batch, Records, Source};
use anther::format::recipe::{KeyError, Keys, Separator};
use anther::{KeyHash, Recipe, Seed};
use std::io::Read;

/// Reads one input, takes the key of each record and hashes it.
pub struct KeyReader<'a> {
    name: String,
    recipe: &'a Recipe,
    keys: Keys<'a>,
    seed: Seed,
    records: Records<Box<dyn Read>>,
    hashes: Vec<KeyHash>,
}

/// Some records and the hashes of their keys.
pub struct Keyed<'a> {
    /// The record that names the columns. It is no key.
    pub head: Option<&'a [u8]>,
    /// The records.
    pub records: Batch<'a>,
    /// A hash for each of them.
    pub hashes: &'a [KeyHash],
    /// How many bytes were read for all that.
    pub bytes: u64,
}

impl<'a> KeyReader<'a> {
    /// Opens an input.
    pub fn open(source: &Source, recipe: &'a Recipe, seed: Seed) -> Result<KeyReader<'a>, Stop> {
        Ok(KeyReader {
            name: source.name(),
            recipe,
            keys: recipe.keys(),
            seed,
            records: Records::new(source.open()?, recipe.separator.byte()),
            hashes: Vec::new(),
        })
    }

    /// The next records; nothing at the end.
    pub fn next(&mut self) -> Result<Option<Keyed<'_>>, Stop> {
        let KeyReader { name, recipe, keys, seed, records, hashes } = self;
        let unread = |error| Stop::about(&name, format_args!("cannot read: {error}"));
        let Some(mut batch) = records.next().map_err(unread)? else { return Ok(None) };
        let bytes = batch.len();

        if batch.number() == 1
            && let Some(cause) = input::no_records(batch.bytes())
        {
            return Err(Stop::about(name, cause));
        }
        let mut head = None;
        if batch.number() == 1 && recipe.has_head() {
            head = batch.take_first();
            keys.head(head.unwrap_or_default()).map_err(|error| bad(name, recipe, 1, &error))?;
        }
        hashes.clear();
        for (number, record) in (batch.number()..).zip(batch) {
            let record = if number == 1 { recipe.without_mark(record) } else { record };
            let key = keys.of_record(record).map_err(|error| bad(name, recipe, number, &error))?;
            hashes.push(seed.hash_bytes(key));
        }
        Ok(Some(Keyed { head, records: batch, hashes, bytes }))
    }
}

fn bad(name: &str, recipe: &Recipe, number: u64, error: &KeyError) -> Stop {
    let what = match recipe.separator {
        Separator::Line => "line",
        Separator::Nul => "record",
    };
    Stop::about(name, format_args!("{what} {number}: {error}"))
}
