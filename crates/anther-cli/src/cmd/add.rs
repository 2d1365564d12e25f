//! `add`: inserts keys into a filter.

use crate::change::{ChangeArgs, keys};
use crate::description;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::input::Input;
use crate::keys::Keyed;
use crate::units;
use anther::format::Value;
use anther::{
    AnyFilter, Filter, Full, InsertError, KeyError, KeyHash, Kind, Open, Profile, ShareError,
    SharedFile,
};
use anther_records::hashed::More;
use serde::Serialize;

const ABOUT: &str = "\
Inserts more keys into a filter.

Examples:
  anther add seen.anther today.txt
  anther add seen.anther -k user@example.com
  tail -n +2 log | anther add seen.anther
  anther add seen.anther today.txt --json | jq .new
  anther add seen.anther --shared < queue           while other processes add, too
  anther add sessions.anther today.txt --grow       double a cuckoo filter when full

The file is replaced atomically once all keys are inserted. On an error it stays as it
was. If several processes add to the same file, each waits for the one before it; with
--shared they insert at the same time.

A full cuckoo filter rejects keys. With --grow it doubles instead, without needing its old
keys; quotient always does. Each doubling takes a bit from the fingerprints: the
false-positive rate stays at first, and with twice the keys it is twice as high. It ends
when the fingerprints are used up: a filter made for 1 % has then doubled six times and
holds 64 times the keys. scalable grows without an end, at its false-positive rate.

The filter remembers how keys are read from the input, so you need not repeat those
options. The report counts the new keys: those that were certainly not in the filter
before. A few new keys are not counted, because they were false positives.

Static kinds (fuse, ribbon, bloomier) cannot insert keys. Rebuild those.";

const EXIT_CODES: &str = "\
Exit codes: 0 inserted; 2 error, and no key was inserted, unless the message says so.";

/// Insert more keys into a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Insert in place, at the same time as other processes
    ///
    /// For blocked, classic and split. All processes that use this option map the same file, and
    /// none waits for another. Keys are inserted as they are read: an error in the input leaves
    /// the keys before it in the filter, and if a process is killed, the keys that it has inserted
    /// stay. Until the last of these processes ends, no checksum covers the file's cells, and
    /// anther info says so.
    #[arg(long)]
    shared: bool,
    /// Double a cuckoo or quotient filter when it is full
    #[arg(long, conflicts_with = "shared")]
    grow: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

/// What was done with the keys.
#[derive(Serialize)]
struct Added {
    /// Keys that were certainly not in the filter before.
    new: u64,
    /// How often the filter doubled to make room for them.
    doubled: u32,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if self.shared {
            return self.run_shared();
        }
        let args = &self.change;
        let mut change = args.begin("insert")?;
        let kind = change.filter.kind();
        if !kind.capabilities().insert {
            return Err(args.stop(format_args!(
                "{} {kind} filter is static, so it cannot insert keys; rebuild it from the old keys and \
                 the new ones: anther build --force --kind {kind} {} OLD NEW",
                kind.article(),
                args.path().display()
            )));
        }
        if self.grow && !doubles(kind) {
            return Err(args.stop(cannot_grow(kind)));
        }
        let (mut new, before) = (0, table(&change.filter));
        let read = change.each(|filter, keyed| {
            let mut insert = |hashes: &[KeyHash]| {
                let inserted = match self.grow {
                    true => insert_growing(filter, hashes),
                    false => filter.insert_hashes(hashes),
                };
                inserted.map_err(|error| match error {
                    InsertError::Full(full) => args.stop(self.full(full, &filter.profile())),
                    other => args.stop(other),
                })
            };
            new += insert(keyed.hashes)?;
            insert(&keyed.more.hashes())?;
            filter.add_levels(keyed.more.levels);
            Ok(())
        })?;
        let doubled = (table(&change.filter) / before.max(1)).max(1).ilog2();
        let added = Added { new, doubled };
        change.finish(read, &added.in_words(read.keys), added)?;
        Ok(Exit::Success)
    }

    /// Why the filter rejected a key, and what to do.
    fn full(&self, full: Full, profile: &Profile) -> String {
        let is_cuckoo = full.kind == Kind::Cuckoo;
        if full.copies.is_some() || is_cuckoo && profile.fill <= CROWDED_BY_COPIES {
            return format!(
                "the {} filter has no room for another copy of this key; insert each key once, or \
                 rebuild it with --kind quotient, which counts any number",
                full.kind
            );
        }
        let rebuild = "rebuild it with a larger --items, or with --kind scalable, which cannot remove \
                       keys";
        if is_cuckoo && !self.grow {
            return format!(
                "the cuckoo filter is full; double it with --grow, which raises its false-positive \
                 rate, or {rebuild}"
            );
        }
        let again = if doubles(full.kind) { " and cannot double again" } else { "" };
        format!(
            "the {} filter is full{again}: {} keys, false-positive rate {}; {rebuild}",
            full.kind,
            description::about_so_many(profile),
            units::rate(profile.fpr_now)
        )
    }

    /// Inserts into the file in place.
    fn run_shared(&self) -> Outcome {
        let args = &self.change;
        let (shared, input) = args.begin_shared()?;
        let mut new = 0;
        let read = input.each(
            |part| {
                // Those before an entry that the filter does not take are inserted: the message says so.
                let can = shared.check_levels(part.more.levels);
                let refused = refused_entry(&shared, part.more).filter(|_| can.is_err());
                let end = refused.unwrap_or(part.hashes[0].len());
                let more = part.more.hashes.iter().filter(|(at, _)| *at < end);
                let more: Vec<_> = more.map(|(_, hash)| *hash).collect();
                let new = shared.insert_hashes(&part.hashes[0][..end]);
                shared.insert_hashes(&more);
                can.map(|()| new)
            },
            |keyed, more: Result<u64, KeyError>| {
                new += more.map_err(|error| args.stop(in_place(&shared, keyed, &error)))?;
                Ok(())
            },
        );
        // Close it even after an error, so that other processes do not find it open.
        let is_closed = shared.close().map_err(|error| args.stop(ShareError::from(error)));
        let read = read.map_err(|stop| match stop {
            Stop::Error(message) => Stop::Error(format!(
                "{message}; the keys before that were inserted, and perhaps some after it"
            )),
            other => other,
        })?;
        let is_open = !is_closed?;
        let filter = filter_file::open(args.path(), Open::new().without_hashing())?;
        let added = Added { new, doubled: 0 };
        args.tell(&filter, read, &added.in_words(read.keys), added, is_open)?;
        Ok(Exit::Success)
    }
}

impl Added {
    fn in_words(&self, read: u64) -> String {
        let doubled = match self.doubled {
            0 => String::new(),
            1 => ", doubled once".to_string(),
            times => format!(", doubled {times} times"),
        };
        match read {
            0 => "no keys".to_string(),
            _ => format!("{} of {} read{doubled}", keys(self.new, "new key"), units::count(read)),
        }
    }
}

/// An error about the entry of a block that a shared filter does not take, with its place.
fn in_place(shared: &SharedFile, keyed: &Keyed<'_>, error: &KeyError) -> String {
    let Some(at) = refused_entry(shared, keyed.more) else { return error.to_string() };
    if let Input::Keys(given) = keyed.source {
        return format!("{}: {error}", given[at].to_string_lossy());
    }
    let record = keyed.records.clone().nth(at).unwrap_or_default();
    let shown = String::from_utf8_lossy(record.trim_ascii_end());
    let (line, list) = (keyed.records.line(at), keyed.source.name());
    format!("{list}: line {line} ({shown}): {error}")
}

/// The first entry of a block whose level the filter does not know.
fn refused_entry(shared: &SharedFile, more: &More) -> Option<usize> {
    let mut entries = more.entries.iter();
    let is_refused = |level: u8| shared.check_levels(1 << level).is_err();
    entries.find(|(_, level)| is_refused(*level)).map(|(at, _)| *at)
}

/// Whether filters of the kind can double without their keys.
fn doubles(kind: Kind) -> bool {
    matches!(kind, Kind::Cuckoo | Kind::Quotient)
}

/// The size of a filter that can double: twice as large each time.
fn table(filter: &AnyFilter) -> u64 {
    let sizes = filter.parameters().into_iter().filter_map(|(name, value)| match value {
        Value::Whole(size) if ["buckets", "blocks"].contains(&name.as_str()) => Some(size),
        _ => None,
    });
    sizes.sum()
}

/// Why `--grow` is refused, and what to do.
fn cannot_grow(kind: Kind) -> String {
    let (can, article) = (kind.capabilities(), kind.article());
    if can.grow {
        return format!("{article} {kind} filter grows by itself; leave --grow out");
    }
    let instead = match can.fills_up {
        true => "rebuild it with a larger --items",
        false if !can.no_false_negatives => {
            "it takes any number of keys and forgets old ones; leave --grow out"
        }
        false => "it takes any number of keys, but its false-positive rate rises; leave --grow out",
    };
    format!("{article} {kind} filter cannot double, only cuckoo and quotient can; {instead}")
}

/// Inserts keys, and doubles the filter when it is full. Returns how many are new.
fn insert_growing(filter: &mut AnyFilter, hashes: &[KeyHash]) -> Result<u64, InsertError> {
    let mut new = 0;
    for key in hashes {
        let mut inserted = filter.insert_hash(*key);
        // One doubling makes room, and rarely, with the shortest tags, a second. Where copies of
        // repeated keys crowd each other, none does.
        for _ in 0..2 {
            match (&inserted, &mut *filter) {
                (Err(InsertError::Full(Full { copies: None, .. })), AnyFilter::Cuckoo(cuckoo))
                    if cuckoo.profile().fill > CROWDED_BY_COPIES =>
                {
                    cuckoo.double()?;
                    inserted = filter.insert_hash(*key);
                }
                _ => break,
            }
        }
        new += u64::from(inserted?);
    }
    Ok(new)
}

/// A cuckoo filter that rejects a key has no empty cells near it. Unless there are few in all, or
/// it has just doubled, that is because of copies, which all lie in the same two buckets.
const CROWDED_BY_COPIES: f64 = 0.4;
