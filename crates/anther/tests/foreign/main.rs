//! Filters of other systems: real ones, written by the real programs, and forged ones.
//!
//! `cases.tsv` lists the real ones; README.md says where they come from.
#![expect(unsafe_code, reason = "a global allocator that counts")]
#![expect(
    clippy::big_endian_bytes,
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, a panic is the message, and Java writes the highest byte first"
)]

use anther::foreign::redisbloom::{Bloom, Cuckoo, Object, read_dump};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

use lists::{lines_of, lists_of};

mod brim;
mod checksum;
mod chunks;
mod detection;
mod forged_fields;
mod forged_files;
mod hfile;
mod lists;
mod memory;
mod old;
mod page;
mod parquet_files;
mod parquet_forged;
mod rdb;
mod real;
mod truncated;
mod vectors;

/// More than any filter here needs.
const LIMIT: u64 = 1 << 20;

/// A filter that a real program wrote.
struct Case {
    name: String,
    folder: PathBuf,
    file: PathBuf,
    present: Vec<Vec<u8>>,
    /// Keys that were not inserted, and whether the real program finds them all the same.
    absent: Vec<(Vec<u8>, bool)>,
    /// What the program says of the filter.
    parameters: BTreeMap<String, String>,
}

impl Case {
    fn is_cuckoo(&self) -> bool {
        self.name.contains("_cf_")
    }

    /// A number that the program states.
    fn number(&self, name: &str) -> u64 {
        self.parameters[name].parse().unwrap()
    }

    fn dump(&self) -> Vec<u8> {
        fs::read(self.folder.join("dump.bin")).unwrap()
    }

    /// What `SCANDUMP` returned: iterators and data, the header first.
    fn scandump(&self) -> Vec<(i64, Vec<u8>)> {
        let files = fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path());
        let mut chunks: Vec<(i64, Vec<u8>)> = files
            .filter_map(|path| {
                let name = path.file_stem().unwrap().to_str().unwrap();
                let iterator = name.strip_prefix("scandump_")?.parse().unwrap();
                Some((iterator, fs::read(&path).unwrap()))
            })
            .collect();
        chunks.sort();
        chunks
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

/// The vectors that come from other repositories and are not part of this one: a folder beside the
/// clone. Where it is missing, the tests of these vectors do not run, and say so.
fn shared_vectors() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let found = folder.canonicalize().ok();
    static SAID: Once = Once::new();
    if found.is_none() {
        // Not by a macro, whose output is only shown for tests that fail.
        SAID.call_once(|| {
            let missing = folder.display();
            let line = format!("NOT RUN: vectors of other repositories; there is no {missing}\n");
            io::stderr().write_all(line.as_bytes()).unwrap();
        });
    }
    found
}

fn lines(path: &str) -> Vec<String> {
    lines_of(&folder().join(path))
}

/// The bytes that a system hashes for a key of a list. Characters and the order of bytes depend on
/// the system and the case.
fn key(system: &str, case: &str, kind: &str, line: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
    let is_big_endian = system == "cassandra";
    match kind {
        "utf8" if case.contains("_chars_") => {
            line.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        "utf8" => line.as_bytes().to_vec(),
        "hex" => (0..line.len()).step_by(2).map(digits).collect(),
        "i32" if is_big_endian => line.parse::<i32>().unwrap().to_be_bytes().to_vec(),
        "i64" if is_big_endian => line.parse::<i64>().unwrap().to_be_bytes().to_vec(),
        "i32" => line.parse::<i32>().unwrap().to_le_bytes().to_vec(),
        "i64" => line.parse::<i64>().unwrap().to_le_bytes().to_vec(),
        "f64" => line.parse::<f64>().unwrap().to_le_bytes().to_vec(),
        _ => panic!("keys of the kind {kind}"),
    }
}

/// Every case of a system that is part of this repository.
fn cases(system: &str) -> Vec<Case> {
    cases_of(&folder(), system)
}

/// Every case of a system in a folder.
fn cases_of(folder: &Path, system: &str) -> Vec<Case> {
    let rows = lines_of(&folder.join("cases.tsv"));
    let rows = rows.iter().map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row[0] == system)
        .map(|row| {
            let [_, name, file, present, absent, kind, .., parameters, _] = row[..] else {
                panic!("a row of cases.tsv: {row:?}")
            };
            let absent = lists_of(folder, absent).into_iter().map(|line| {
                let (answer, line) = line.split_once('\t').unwrap();
                (key(system, name, kind, line), answer == "maybe")
            });
            Case {
                name: name.to_string(),
                folder: folder.join(file).parent().unwrap().to_path_buf(),
                file: folder.join(file),
                present: lists_of(folder, present)
                    .iter()
                    .map(|line| key(system, name, kind, line))
                    .collect(),
                absent: absent.collect(),
                parameters: parameters
                    .split_whitespace()
                    .map(|pair| pair.split_once('=').unwrap())
                    .map(|(name, value)| (name.to_string(), value.to_string()))
                    .collect(),
            }
        })
        .collect()
}

/// The case of a name.
fn case(name: &str) -> Case {
    cases("redis").into_iter().find(|case| case.name == name).unwrap()
}

/// The filter of a case, from its dump in chunks.
fn from_chunks(case: &Case) -> Object {
    let chunks = case.scandump();
    let (header, rest) = (&chunks[0].1, &chunks[1..]);
    if case.is_cuckoo() {
        let mut loading = Cuckoo::from_header(header, LIMIT).unwrap();
        rest.iter().for_each(|(iterator, data)| loading.load_chunk(*iterator, data).unwrap());
        Object::Cuckoo(loading.finish().unwrap())
    } else {
        let mut loading = Bloom::from_header(header, LIMIT).unwrap();
        rest.iter().for_each(|(iterator, data)| loading.load_chunk(*iterator, data).unwrap());
        Object::Bloom(loading.finish().unwrap())
    }
}

fn contains(object: &Object, key: &[u8]) -> bool {
    match object {
        Object::Bloom(filter) => filter.contains(key),
        Object::Cuckoo(filter) => filter.contains(key),
    }
}

/// The dump of a filter, as we write it.
fn scandump(object: &Object) -> Vec<(i64, Vec<u8>)> {
    let own = |(iterator, data): (i64, &[u8])| (iterator, data.to_vec());
    let (header, chunks): (_, Vec<_>) = match object {
        Object::Bloom(filter) => (filter.header(), filter.chunks().map(own).collect()),
        Object::Cuckoo(filter) => (filter.header(), filter.chunks().map(own).collect()),
    };
    [vec![(1, header)], chunks].concat()
}

/// A dump whose checksum fits again.
fn with_checksum(mut dump: Vec<u8>) -> Vec<u8> {
    let end = dump.len() - 8;
    let sum = dump[..end].iter().fold(0, |sum: u64, byte| {
        let mut sum = sum ^ u64::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0x95ac_9329_ac4b_c9b5 } else { sum >> 1 };
        }
        sum
    });
    dump[end..].copy_from_slice(&sum.to_le_bytes());
    dump
}

/// A filter that was loaded must work, whatever it was loaded from.
fn exercise(object: Object) {
    match object {
        Object::Bloom(mut filter) => {
            let _ = filter.contains(b"key");
            let inserted = filter.insert(b"new key").is_ok();
            assert!(!inserted || filter.contains(b"new key"));
            if filter.grow(LIMIT).is_ok() {
                assert!(filter.insert(b"newer key").is_ok());
            }
            assert!((0.0..=1.0).contains(&filter.fpr()));
            let mut again = Bloom::from_header(&filter.header(), LIMIT).unwrap();
            filter.chunks().for_each(|(iterator, data)| again.load_chunk(iterator, data).unwrap());
            assert_eq!(again.finish().unwrap(), filter);
        }
        Object::Cuckoo(mut filter) => {
            let before = filter.len();
            let _ = filter.count(b"key");
            if filter.insert(b"new key").is_ok() {
                assert!(filter.contains(b"new key"));
                assert!(filter.remove(b"new key"));
            }
            assert_eq!(filter.len(), before);
            if filter.grow(LIMIT).is_ok() {
                assert!(filter.insert(b"newer key").is_ok());
            }
            assert!((0.0..=1.0).contains(&filter.fpr()));
            let mut again = Cuckoo::from_header(&filter.header(), LIMIT).unwrap();
            filter.chunks().for_each(|(iterator, data)| again.load_chunk(iterator, data).unwrap());
            assert_eq!(again.finish().unwrap(), filter);
        }
    }
}
