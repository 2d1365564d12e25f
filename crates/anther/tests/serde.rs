//! Feature `serde`: filters as the bytes of their files, in JSON and in a binary format.
#![cfg(feature = "serde")]

use crate::support;
use anther::{AnyFilter, Blocked, Filter, Kind, Options, Save, Seed, Target, Work};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A struct that has filters among other fields.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    name: String,
    seen: Blocked,
    other: Option<AnyFilter>,
}

fn target() -> Target {
    Target::new(100, 0.01).unwrap()
}

fn of(kind: Kind) -> AnyFilter {
    let keys: Vec<_> = (0..100).map(|key| Seed::FIXED.hash_integer(key)).collect();
    let options = Options::default();
    support::build(kind, &keys, target(), &options, Seed::FIXED, Work::new()).unwrap()
}

/// Through both formats.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), *value);
    let mut binary = Vec::new();
    ciborium::into_writer(value, &mut binary).unwrap();
    assert_eq!(ciborium::from_reader::<T, _>(&binary[..]).unwrap(), *value);
}

#[test]
fn every_kind_survives_both_formats() {
    for &kind in Kind::ALL {
        round_trip(&of(kind));
    }
    let mut seen = Blocked::new(target()).unwrap();
    seen.insert("key");
    round_trip(&seen);
    let name = "x".to_string();
    round_trip(&Page { name, seen, other: Some(of(Kind::Cuckoo)) });
}

#[test]
fn a_filter_serialises_as_the_bytes_of_its_file() {
    let filter = of(Kind::Classic);
    let file = Save::new().bytes(&filter).unwrap();
    assert_eq!(serde_json::to_string(&filter).unwrap(), serde_json::to_string(&file).unwrap());
    let mut binary = Vec::new();
    ciborium::into_writer(&filter, &mut binary).unwrap();
    assert!(binary.ends_with(&file) && binary.len() < file.len() + 10, "bytes, and their length");
    // Another kind, corrupt, truncated, and no filter at all.
    let json = serde_json::to_string(&file).unwrap();
    let error = serde_json::from_str::<Blocked>(&json).unwrap_err().to_string();
    assert!(error.contains("a classic filter, not a blocked filter"), "{error}");
    let mut corrupt = file.clone();
    corrupt[file.len() / 2] ^= 1;
    for wrong in [&corrupt[..], &file[..file.len() - 1], b"", b"hello"] {
        let json = serde_json::to_string(wrong).unwrap();
        assert!(serde_json::from_str::<AnyFilter>(&json).is_err());
    }
    for json in ["null", "17", "\"text\"", "[256]", "{}"] {
        assert!(serde_json::from_str::<AnyFilter>(json).is_err(), "{json}");
    }
}

#[test]
fn a_keyed_filter_needs_its_key_and_one_of_hashes_needs_none() {
    let json = |seed| serde_json::to_string(&Blocked::with_seed(target(), seed).unwrap()).unwrap();
    let error = serde_json::from_str::<Blocked>(&json(Seed::keyed([7; 16]))).unwrap_err();
    assert!(error.to_string().contains("made with a secret key"), "{error}");
    let external = serde_json::from_str::<Blocked>(&json(Seed::EXTERNAL)).unwrap();
    assert!(!external.contains_hash(anther::KeyHash(7)));
}
