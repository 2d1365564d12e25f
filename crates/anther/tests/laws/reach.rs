//! Entries that stand for what is below them: found at their levels, and so rarely by mistake that
//! the promised rate is that of a key, and no provider is taken as a whole.

use super::*;
use anther::error::{KeyError, Mismatch, RemoveError};
use anther::recipe::{Entries, Given, Reach};
use anther::remote::{Reads, Remote};

const PROVIDERS: u64 = 50;
const OF_EACH: u64 = 1000;
/// 20 seeds take a second; 200 are those that were asked for.
const SEEDS: u64 = if cfg!(feature = "long") { 200 } else { 20 };

fn recipe(form: KeyForm, reach: Reach) -> Option<Recipe> {
    let rule = KeyRule { form, ..KeyRule::default() };
    Some(Recipe { rule, reach: Some(reach), ..Recipe::default() })
}

/// A filter of these entries, sized for all of their hashes, as the program makes it.
fn listed(form: KeyForm, entries: &[String], kind: Kind, fpr: f64, seed: Seed) -> AnyFilter {
    let rule = KeyRule { form, ..KeyRule::default() };
    let mut reach = Reach::below(fpr);
    let mut hashed = Entries::new(reach);
    for entry in entries {
        let mut made = Vec::new();
        hashed.push(form, rule.key(&[Given::Text(entry.as_bytes())], &mut made).unwrap(), &seed);
    }
    let hashes = [&hashed.hashes[..], &hashed.more_hashes()].concat();
    let mut filter = filled(kind, hashes.len() as u64, fpr, seed, &hashes);
    reach.add(hashed.levels());
    filter.set_recipe(recipe(form, reach));
    filter
}

/// The least count that this many trials exceed with less than the given probability.
fn most(trials: u64, rate: f64, chance: f64) -> u64 {
    let odds = rate / (1.0 - rate);
    let mut term = (trials as f64 * (1.0 - rate).ln()).exp();
    let (mut below, mut count) = (term, 0);
    while 1.0 - below > chance {
        term *= (trials - count) as f64 / (count + 1) as f64 * odds;
        count += 1;
        below += term;
    }
    count
}

/// Absent keys of 50 providers: how many are found in all, and how many of one provider at most.
fn measure(filter: &AnyFilter, key: impl Fn(u64, u64) -> String) -> (u64, u64) {
    let (mut all, mut largest) = (0, 0);
    let mut found = [false; OF_EACH as usize];
    for provider in 0..PROVIDERS {
        let keys: Vec<String> = (0..OF_EACH).map(|at| key(provider, at)).collect();
        filter.contains_keys(&keys, &mut found).unwrap();
        let hits = found.iter().filter(|found| **found).count() as u64;
        all += hits;
        largest = largest.max(hits);
    }
    (all, largest)
}

fn check_rate(form: KeyForm, entry: impl Fn(u64) -> String, key: impl Fn(u64, u64) -> String) {
    let entries: Vec<String> = (0..2000).map(entry).collect();
    for fpr in [0.01, 0.001] {
        let (mut all, mut largest) = (0, 0);
        for seed in 0..SEEDS {
            let filter = listed(form, &entries, Kind::Blocked, fpr, Seed::chosen(seed));
            assert_ne!(filter.about().reach().levels(), 0, "parents are looked up");
            let (hits, most) = measure(&filter, &key);
            all += hits;
            largest = largest.max(most);
        }
        assert_rate(all, SEEDS * PROVIDERS * OF_EACH, fpr, format_args!("{form:?} at {fpr}"));
        let bound = most(OF_EACH, 1.05 * fpr, 1e-9);
        assert!(largest <= bound, "{form:?} at {fpr}: {largest} of one provider, at most {bound}");
    }
}

#[test]
fn an_address_is_a_false_positive_as_often_as_promised() {
    let entry = |i: u64| match i % 10 {
        0 => format!("*@spam{i}.example"),
        1 => format!("*@mail.spam{i}.example"),
        _ => format!("u{i}@listed.example"),
    };
    check_rate(KeyForm::Email, entry, |provider, at| {
        let mail = if provider % 2 == 0 { "" } else { "mail." };
        format!("a{at}@{mail}provider{provider}.example")
    });
}

#[test]
fn a_host_is_a_false_positive_as_often_as_promised() {
    let entry = |i: u64| match i % 3 {
        0 => format!("ads{i}.example"),
        1 => format!("x.ads{i}.example"),
        _ => format!("y.x.ads{i}.example"),
    };
    check_rate(KeyForm::Domain, entry, |provider, at| format!("h{at}.w.p{provider}.example"));
}

/// The same lists in every kind: what is listed is found, and so is what is below, by every way to
/// look it up, from a file, too.
#[test]
fn every_kind_finds_what_is_below() {
    let entries: Vec<String> = (0..50).map(|i| format!("ads{i}.example")).collect();
    let keys: Vec<String> = (0..100).map(|i| format!("a.b.ads{i}.example")).collect();
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().no_false_negatives) {
        for seed in seeds() {
            let filter = listed(KeyForm::Domain, &entries, kind, 1e-8, seed);
            let bytes = bytes_of(&filter);
            let how = Open::new().key_if_keyed(SECRET);
            let opened: AnyFilter = how.bytes(&bytes).unwrap();
            assert_eq!(opened.about().recipe, filter.about().recipe, "{kind}");
            let mut found = vec![false; keys.len()];
            opened.contains_keys(&keys, &mut found).unwrap();
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(found[at], at < 50, "{kind}: {key}");
                assert_eq!(opened.contains(key), Ok(at < 50), "{kind}: {key}");
                let parent = key.strip_prefix("a.b.").unwrap();
                assert_eq!(opened.contains(parent), Ok(at < 50), "{kind}: {parent}");
            }
            assert_eq!(opened.contains("example"), Ok(false), "{kind}");
            if Remote::kinds().contains(&kind) {
                let mut file = io::Cursor::new(&bytes);
                let mut remote = Remote::open(&mut file, how, Reads::Lines).unwrap();
                assert!(remote.contains(&mut file, &keys[7]).unwrap(), "{kind}");
                assert!(!remote.contains(&mut file, &keys[70]).unwrap(), "{kind}");
            }
        }
    }
}

#[test]
fn entries_are_inserted_removed_and_merged_with_their_levels() {
    for kind in taking().filter(|kind| kind.capabilities().no_false_negatives) {
        let make = || {
            let mut filter = empty(kind, 1000, 1e-6, Seed::FIXED);
            filter.set_recipe(recipe(KeyForm::Email, Reach::below(1e-6)));
            filter
        };
        let (mut one, mut other) = (make(), make());
        assert_eq!(one.insert("bob@x.example"), Ok(true), "{kind}");
        assert_eq!(one.about().reach().levels(), 0, "{kind}: an address has no level");
        assert_eq!(one.insert_keys(&["*@spam.example", "eve@x.example"]), Ok(2), "{kind}");
        assert_eq!(one.about().reach().levels(), 1 << 2, "{kind}");
        other.insert("*@mail.bulk.example").unwrap();
        assert_eq!(one.contains("x@spam.example"), Ok(true), "{kind}");
        assert_eq!(one.contains("x@mail.bulk.example"), Ok(false), "{kind}");
        if kind.capabilities().merge {
            one.merge(&other).unwrap();
            assert_eq!(one.about().reach().levels(), 1 << 2 | 1 << 3, "{kind}");
            assert_eq!(one.contains("x@y.mail.bulk.example"), Ok(true), "{kind}");
            let mut exact = make();
            exact.set_recipe(recipe(KeyForm::Email, Reach::EXACT));
            assert!(matches!(one.merge(&exact), Err(Mismatch::Rule { .. })), "{kind}");
        }
        if kind.capabilities().remove && kind != Kind::Deletable {
            assert_eq!(one.remove("*@none.example"), Ok(false), "{kind}");
            assert_eq!(one.remove("*@spam.example"), Ok(true), "{kind}");
            assert_eq!(one.contains("x@spam.example"), Ok(false), "{kind}");
            assert_eq!(one.contains("bob@x.example"), Ok(true), "{kind}");
        } else if !kind.capabilities().remove {
            assert!(matches!(one.remove("*@none.example"), Err(RemoveError::Unable(_))), "{kind}");
        }
    }
}

/// Wherever a filter is full in the middle of a list: what is in stands for what is below it.
#[test]
fn a_full_filter_knows_the_levels_of_what_is_in() {
    let entries: Vec<String> = (0..300).map(|i| format!("ads{i}.example")).collect();
    let mut full = 0;
    for kind in taking().filter(|kind| kind.capabilities().no_false_negatives) {
        for count in (10..300).step_by(10) {
            let mut filter = empty(kind, 200, 1e-6, Seed::FIXED);
            filter.set_recipe(recipe(KeyForm::Domain, Reach::below(1e-6)));
            full += u64::from(filter.insert_keys(&entries[..count]).is_err());
            for entry in &entries {
                if filter.contains_entry(entry).unwrap() {
                    assert_eq!(filter.contains(format!("x.{entry}")), Ok(true), "{kind}, {count}");
                }
            }
        }
    }
    assert!(full > 10, "{full}");
}

/// Keys are looked up in blocks; each answer is at its key.
#[test]
fn many_keys_are_looked_up_with_what_they_are_below() {
    let mut filter = empty(Kind::Blocked, 1000, 1e-6, Seed::FIXED);
    filter.set_recipe(recipe(KeyForm::Domain, Reach::below(1e-6)));
    filter.insert_keys(&["a.example", "b.b.example"]).unwrap();
    let mut keys = vec!["x.c.example"; 40_000];
    let listed = [0, 16_383, 16_384, 32_767, 32_768, 39_999];
    listed.iter().for_each(|at| keys[*at] = "x.a.example");
    let mut found = vec![true; keys.len()];
    filter.contains_keys(&keys, &mut found).unwrap();
    assert!((0..keys.len()).all(|at| found[at] == listed.contains(&at)));
}

/// Threads and processes share the levels, too, and these do not change meanwhile.
#[test]
fn a_shared_filter_takes_no_new_levels() {
    for kind in [Kind::Classic, Kind::Blocked, Kind::Split] {
        let mut filter = empty(kind, 1000, 1e-6, Seed::FIXED);
        filter.set_recipe(recipe(KeyForm::Domain, Reach::below(1e-6)));
        filter.insert("ads.example").unwrap();
        let shared = AnyShared::try_from(filter).unwrap();
        let refused = shared.insert("x.ads.example").unwrap_err();
        assert_eq!(refused, KeyError::Level);
        assert_eq!(shared.contains("x.spy.example"), Ok(false));
        assert_eq!(shared.insert_keys(&["spy.example"]), Ok(1));
        assert_eq!(shared.contains("x.spy.example"), Ok(true));
        let mut found = [false; 2];
        shared.contains_keys(&["a.b.ads.example", "b.example"], &mut found).unwrap();
        assert_eq!(found, [true, false]);
    }
}
