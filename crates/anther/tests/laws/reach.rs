//! Entries that stand for what is below them: found at their levels, and so rarely by mistake that
//! the promised rate is that of a key, and no provider is taken as a whole.

use super::*;
use anther::Cascade;
use anther::error::{KeyError, Mismatch, RemoveError};
use anther::recipe::{Entries, Given, Reach};
use anther::remote::{Reads, Remote};

const PROVIDERS: u64 = 50;
const OF_EACH: u64 = 1000;
/// 80 seeds take 5 s of processor time, and 200 are those that were asked for.
const SEEDS: u64 = if cfg!(feature = "long") { 200 } else { 80 };

fn recipe(form: KeyForm, reach: Reach) -> Option<Recipe> {
    let rule = KeyRule { form, ..KeyRule::default() };
    Some(Recipe { rule, reach: Some(reach), ..Recipe::default() })
}

/// What these entries are inserted as, and their levels.
fn hashed(form: KeyForm, entries: &[String], fpr: f64, seed: Seed) -> (Vec<KeyHash>, Reach) {
    let rule = KeyRule { form, ..KeyRule::default() };
    let mut reach = Reach::below(fpr);
    let mut hashed = Entries::new(reach);
    for entry in entries {
        let mut made = Vec::new();
        hashed.push(form, rule.key(&[Given::Text(entry.as_bytes())], &mut made).unwrap(), &seed);
    }
    reach.add(hashed.levels());
    ([&hashed.hashes[..], &hashed.more_hashes()].concat(), reach)
}

/// A filter of these entries, sized for all of their hashes, as the program makes it.
fn listed(form: KeyForm, entries: &[String], kind: Kind, fpr: f64, seed: Seed) -> AnyFilter {
    let (hashes, reach) = hashed(form, entries, fpr, seed);
    let mut filter = filled(kind, hashes.len() as u64, fpr, seed, &hashes);
    filter.set_recipe(recipe(form, reach));
    filter
}

/// A cascade of these entries that never reports the others, as the program makes it: no parent of
/// one of the others is found, either.
fn cascade(
    form: KeyForm,
    entries: &[String],
    others: &[String],
    fpr: f64,
    seed: Seed,
) -> AnyFilter {
    let (mut hashes, reach) = hashed(form, entries, fpr, seed);
    let rule = KeyRule { form, ..KeyRule::default() };
    let mut absent = Vec::new();
    for other in others {
        let mut made = Vec::new();
        let key = rule.key(&[Given::Text(other.as_bytes())], &mut made).unwrap();
        absent.push(key.key_hash(&seed));
        reach.each_above(form, key, |_, above| {
            absent.extend(reach.more_hashes(above.key_hash(&seed)).next());
        });
    }
    let made = Cascade::build_lists(&mut hashes, &mut absent, Some(fpr), seed, Work::new());
    let mut filter = AnyFilter::from(made.unwrap());
    filter.set_recipe(recipe(form, reach));
    assert!(others.iter().all(|other| !filter.contains(other).unwrap()), "one of the others");
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
fn measure(filter: &AnyFilter, keys: &[String], found: &mut [bool]) -> (u64, u64) {
    filter.contains_keys(keys, found).unwrap();
    let hits = |found: &[bool]| found.iter().filter(|found| **found).count() as u64;
    let providers = found.chunks(OF_EACH as usize).map(hits);
    providers.fold((0, 0), |(all, largest), hits| (all + hits, largest.max(hits)))
}

fn check_rate(form: KeyForm, entry: impl Fn(u64) -> String, key: impl Fn(u64, u64) -> String) {
    let entries: Vec<String> = (0..2000).map(entry).collect();
    let keys: Vec<String> =
        (0..PROVIDERS * OF_EACH).map(|at| key(at / OF_EACH, at % OF_EACH)).collect();
    let others: Vec<String> = (0..1000).map(|at| key(PROVIDERS + at % 20, at / 20)).collect();
    let mut found = vec![false; keys.len()];
    for (kind, fpr) in
        [Kind::Blocked, Kind::Cascade].into_iter().flat_map(|kind| [(kind, 0.01), (kind, 0.001)])
    {
        let (mut all, mut largest, mut rates) = (0, 0, 0.0);
        for seed in (0..SEEDS).map(Seed::chosen) {
            let filter = match kind {
                Kind::Cascade => cascade(form, &entries, &others, fpr, seed),
                _ => listed(form, &entries, kind, fpr, seed),
            };
            assert_ne!(filter.about().reach().levels(), 0, "parents are looked up");
            let (hits, most) = measure(&filter, &keys, &mut found);
            all += hits;
            largest = largest.max(most);
            rates += filter.profile().fpr_now;
        }
        let what = format!("{kind}, {form:?} at {fpr}");
        // What a filter says of its own cells, and no more than was promised.
        let trials = SEEDS * PROVIDERS * OF_EACH;
        assert_rate(all, trials, rates / SEEDS as f64, &what);
        let promised = trials as f64 * fpr + six_sigma(trials as f64 * fpr);
        assert!(all as f64 <= promised, "{what}: {all} of {trials}, at most {promised:.0}");
        let bound = most(OF_EACH, 1.05 * fpr, 1e-9);
        assert!(largest <= bound, "{what}: {largest} of one provider, at most {bound}");
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
