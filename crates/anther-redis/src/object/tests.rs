//! Objects without a server.

use super::*;
use crate::server::Object;
use anther::foreign::redisbloom;
use anther::recipe::{KeyForm, KeyRule, Reach, Recipe};
use anther::{AnyFilter, Filter, Inspect, Kind, Options, Save, Seed, Target};

const KEY: [u8; 16] = *b"0123456789abcdef";

fn request(expansion: u32, manner: Manner) -> BloomRequest {
    BloomRequest { error: 0.01, capacity: 100, expansion, manner }
}

fn requests() -> impl Iterator<Item = BloomRequest> {
    let forgetting = [Manner::Window, Manner::Ttl(60_000)].map(|manner| request(0, manner));
    [0, 1, 2, 7]
        .into_iter()
        .flat_map(|expansion| {
            [Manner::Plain, Manner::Counting].map(|manner| request(expansion, manner))
        })
        .chain(forgetting)
}

fn filled(request: BloomRequest, items: u64) -> Bloom {
    let mut bloom = Bloom::new(request, KEY, None, 1).unwrap();
    for item in 0..items {
        bloom.insert(&item.to_le_bytes(), None, || unreachable!()).unwrap();
    }
    bloom
}

fn holds(bloom: &Bloom, item: u64) -> bool {
    bloom.contains(&item.to_le_bytes(), || 1).unwrap()
}

fn bytes<T: Payload>(held: &Held<T>) -> Vec<u8> {
    let mut out = Vec::new();
    held.save(&mut out).unwrap();
    out
}

fn cuckoo(items: u64) -> Cuckoo {
    let request =
        CuckooRequest { capacity: 50, error: 0.01, bucket_size: 2, iterations: 20, expansion: 2 };
    let mut cuckoo = Cuckoo::new(request, KEY, None).unwrap();
    for item in 0..items {
        cuckoo.insert(&item.to_le_bytes(), 32, None, || unreachable!()).unwrap();
    }
    cuckoo
}

fn old_bloom(items: u64) -> Bloom {
    let mut old = redisbloom::Bloom::new(100, 0.01, Some(2)).unwrap();
    for item in 0..items {
        old.insert(&item.to_le_bytes()).unwrap();
    }
    Bloom::from_old(old)
}

#[test]
fn what_is_saved_is_loaded() {
    for request in requests() {
        let bloom = filled(request, 90);
        let saved = bytes(&Held::Ready(bloom.clone()));
        let Some(Held::Ready(loaded)) = Held::<Bloom>::load(&mut saved.as_slice()) else {
            unreachable!("{request:?}")
        };
        assert_eq!(loaded, bloom, "{request:?}");
    }
    let saved = bytes(&Held::Ready(cuckoo(400)));
    let Some(Held::Ready(loaded)) = Held::<Cuckoo>::load(&mut saved.as_slice()) else {
        unreachable!()
    };
    assert_eq!(loaded, cuckoo(400));
    assert!(loaded.filters() > 2);
}

/// Every truncation, a byte too many, and every bit of the first bytes and of some others.
#[test]
fn malformed_payloads_are_refused_or_harmless() {
    let payloads = requests().map(|request| bytes(&Held::Ready(filled(request, 90))));
    let old = bytes(&Held::Ready(old_bloom(90)));
    for saved in payloads.chain([old]) {
        for len in 0..saved.len() {
            assert!(Held::<Bloom>::load(&mut &saved[..len]).is_none(), "{len}");
        }
        let longer = [saved.as_slice(), &[0]].concat();
        assert!(Held::<Bloom>::load(&mut longer.as_slice()).is_none());
        for bit in (0..600).chain((600..8 * saved.len()).step_by(89)) {
            let mut forged = saved.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            if let Some(Held::Ready(mut bloom)) = Held::<Bloom>::load(&mut forged.as_slice()) {
                for item in 0..300u64 {
                    let _ = bloom.insert(&item.to_le_bytes(), Some(1 << 26), || Ok(KEY));
                }
                assert!(bloom.bytes() < 1 << 26);
            }
        }
    }
}

#[test]
fn a_dump_is_loaded_in_chunks_in_order_only() {
    let bloom = filled(request(2, Manner::Plain), 5000);
    let ready = Held::Ready(bloom.clone());
    let (first, header) = ready.scan(0).unwrap();
    assert_eq!((first, header.len()), (1, 16));
    let (end, all) = ready.scan(1).unwrap();
    assert_eq!(end, all.len() as i64 + 1);
    assert_eq!(ready.scan(end).unwrap().0, 0);

    let mut loading = Held::<Bloom>::begin(&header, None).unwrap();
    let (one, rest) = all.split_at(1000);
    assert_eq!(loading.take_chunk(end, rest, None), Err(LoadFailure::Offset));
    assert_eq!(loading.take_chunk(1001, one, None), Ok(()));
    assert!(loading.ready().is_err());
    let again = bytes(&loading);
    let mut loading = Held::<Bloom>::load(&mut again.as_slice()).unwrap();
    let mut wrong = rest.to_vec();
    wrong[500] ^= 1;
    assert_eq!(loading.take_chunk(end, &wrong, None), Err(LoadFailure::Data));
    assert_eq!(loading.take_chunk(end, rest, Some(100)), Err(LoadFailure::Limit));
    assert_eq!(loading.take_chunk(end, rest, None), Ok(()));
    assert_eq!(loading.ready().unwrap(), &bloom);
    assert_eq!(loading.take_chunk(end, rest, None), Err(LoadFailure::Offset));
    assert!(Held::<Bloom>::begin(&header, Some(100)).is_ok(), "a margin for headers");
    assert!(Held::<Bloom>::begin(b"antherBF", None).is_err());
}

#[test]
fn the_chunks_of_an_aof_load() {
    for bloom in [filled(request(2, Manner::Plain), 5000), old_bloom(50)] {
        let mut loaded: Option<Held<Bloom>> = None;
        let load = &mut |iterator: i64, chunk: &[u8]| match &mut loaded {
            None => loaded = Some(Held::begin(chunk, None).unwrap()),
            Some(held) => held.take_chunk(iterator, chunk, None).unwrap(),
        };
        Held::Ready(bloom.clone()).chunks(load).unwrap();
        assert_eq!(loaded.unwrap().ready().unwrap(), &bloom);
    }
}

/// Ten growths, with every expansion, at or below the rate asked for.
#[test]
fn the_rate_holds_over_growth() {
    for (expansion, items) in [(1, 1200), (2, 102_500), (4, 40_000)] {
        let bloom = filled(request(expansion, Manner::Plain), items);
        let found = (1 << 40..(1 << 40) + 100_000u64).filter(|item| holds(&bloom, *item)).count();
        // 1000 expected at most, and six deviations.
        assert!(found < 1000 + 190, "{expansion}: {found} over {} layers", bloom.layers());
        assert!((0..items).all(|item| holds(&bloom, item)));
    }
}

#[test]
fn a_filter_that_does_not_scale_is_full() {
    let mut bloom = filled(request(0, Manner::Plain), 0);
    let full = (0..200u64)
        .find_map(|item| bloom.insert(&item.to_le_bytes(), None, || unreachable!()).err());
    assert_eq!(full, Some(errors::FULL));
    assert_eq!(bloom.items(), 100);
    let again = bloom.insert(&0u64.to_le_bytes(), None, || unreachable!());
    assert_eq!(again, Ok(Inserted::Present));
}

/// An entry that stands for what is below it takes as many keys of the capacity as it is inserted as,
/// and is refused as a whole.
#[test]
fn entries_for_many_count_as_their_keys() {
    let reach = Reach::below(0.001);
    let keys = u64::from(reach.keys());
    let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
    let imported = |kind, capacity| {
        let target = Target::new(capacity, 0.001).unwrap();
        let options = Options::new();
        let mut filter = AnyFilter::with_options(kind, target, &options, Seed::FIXED).unwrap();
        filter.set_recipe(Some(Recipe { rule, reach: Some(reach), ..Recipe::default() }));
        filter.insert("a.example").unwrap();
        Bloom::import(&Save::new().bytes(&filter).unwrap(), None, None).unwrap()
    };
    let mut bloom = imported(Kind::Blocked, 3 * keys - 1);
    let mut insert = |item: &[u8]| bloom.insert(item, None, || unreachable!());
    assert_eq!(insert(b"a.example"), Ok(Inserted::Present));
    assert_eq!(insert(b"b.example"), Ok(Inserted::New));
    assert_eq!(insert(b"c.example"), Err(errors::FULL));
    assert_eq!(bloom.items(), 2 * keys);
    assert_eq!(bloom.contains(b"x.c.example", || 1), Ok(false));
    assert_eq!(bloom.contains(b"x.b.example", || 1), Ok(true));
    let mut cuckoo = imported(Kind::Cuckoo, 3 * keys);
    assert_eq!(cuckoo.insert(b"b.b.example", None, || unreachable!()), Ok(Inserted::New));
    assert_eq!(cuckoo.contains(b"x.b.b.example", || 1), Ok(true));
    assert_eq!((cuckoo.remove(b"b.b.example"), cuckoo.items()), (Ok(true), keys));
}

#[test]
fn memory_is_limited_before_it_is_taken() {
    let request = BloomRequest { capacity: 1 << 30, ..request(2, Manner::Plain) };
    assert_eq!(Bloom::new(request, KEY, Some(1 << 20), 1).unwrap_err(), errors::LIMIT);
    let mut bloom = filled(self::request(2, Manner::Plain), 0);
    let mut item = 0u64;
    let refused = loop {
        if let Err(refused) = bloom.insert(&item.to_le_bytes(), Some(10_000), || unreachable!()) {
            break refused;
        }
        item += 1;
    };
    assert_eq!(refused, errors::LIMIT);
    assert!(bloom.bytes() <= 10_000 && (0..item).all(|item| holds(&bloom, item)));
}

#[test]
fn counting_filters_remove() {
    for expansion in [0, 2] {
        let mut bloom = filled(request(expansion, Manner::Counting), 90);
        let (item, before) = (5u64.to_le_bytes(), bloom.items());
        assert_eq!(bloom.insert(&item, None, || unreachable!()), Ok(Inserted::Again));
        assert_eq!(bloom.count(&item), Ok(2));
        assert_eq!((bloom.remove(&item), bloom.remove(&item)), (Ok(true), Ok(true)));
        assert_eq!((bloom.remove(&item), bloom.items()), (Ok(false), before - 1));
    }
    let mut plain = filled(request(2, Manner::Plain), 10);
    assert_eq!(plain.remove(&1u64.to_le_bytes()), Err(errors::NOT_COUNTING));
    assert_eq!(plain.count(b"x"), Err(errors::NOT_COUNTING));
}

/// The clock is read at a lookup, and moved by whole generations at an insert.
#[test]
fn time_passes() {
    let ttl = 60_000;
    let mut bloom = Bloom::new(request(0, Manner::Ttl(ttl)), KEY, None, 1000).unwrap();
    bloom.insert(b"token", None, || unreachable!()).unwrap();
    let found = |bloom: &Bloom, now| bloom.contains(b"token", || now).unwrap();
    assert!(found(&bloom, 1000) && found(&bloom, 1000 + ttl));
    assert!(!found(&bloom, 1000 + 10 * ttl));
    assert!(found(&bloom, 0), "a clock that went back");
    let due = bloom.due(|| 1000 + ttl / 2);
    assert!(due > 0);
    let mut copy = bloom.clone();
    bloom.advance(due);
    assert!(bloom.since() <= 1000 + ttl / 2 && found(&bloom, 1000 + ttl));
    copy.advance(due);
    assert_eq!(copy, bloom);
    assert_eq!(bloom.due(|| bloom.since()), 0);
}

/// Layers of RedisBloom are filled as they were, then ours begin, within the rate.
#[test]
fn new_layers_of_old_filters_are_ours() {
    let mut bloom = old_bloom(0);
    assert!(bloom.only_old().is_some());
    for item in 0..2000u64 {
        bloom.insert(&item.to_le_bytes(), None, || Ok(KEY)).unwrap();
    }
    assert!(bloom.only_old().is_none() && bloom.key() == Some(KEY));
    assert!((0..2000).all(|item| holds(&bloom, item)));
    let found = (1 << 40..(1 << 40) + 100_000u64).filter(|item| holds(&bloom, *item)).count();
    assert!(found < 1190, "{found}");
    let saved = bytes(&Held::Ready(bloom.clone()));
    let loaded = Held::<Bloom>::load(&mut saved.as_slice()).unwrap();
    assert_eq!(loaded.ready().unwrap(), &bloom);

    let old = redisbloom::Cuckoo::new(64, 2, 20, 1).unwrap();
    let mut cuckoo = Cuckoo::from_old(old);
    for item in 0..500u64 {
        cuckoo.insert(&item.to_le_bytes(), 32, None, || Ok(KEY)).unwrap();
    }
    assert_eq!((cuckoo.items(), cuckoo.key()), (500, Some(KEY)));
    assert!((0..500u64).all(|item| cuckoo.contains(&item.to_le_bytes())));
    // Among several filters, a removal may take the equal fingerprint of another item.
    let removed = (0..500u64).filter(|item| cuckoo.remove(&item.to_le_bytes())).count() as u64;
    assert!(removed > 490 && cuckoo.items() == 500 - removed, "{removed}");
}

#[test]
fn unions() {
    for request in
        [request(0, Manner::Plain), request(2, Manner::Plain), request(0, Manner::Counting)]
    {
        let mut ours = filled(request, 50);
        let mut theirs = Bloom::new(request, KEY, None, 1).unwrap();
        theirs.insert(b"other", None, || unreachable!()).unwrap();
        ours.merge(&theirs).unwrap();
        assert!((0..50).all(|item| holds(&ours, item)) && ours.contains(b"other", || 1).unwrap());
        assert!((50..=51).contains(&ours.items()), "{}", ours.items());
    }
    let mut ours = filled(request(2, Manner::Plain), 50);
    let before = ours.clone();
    let another = Bloom::new(request(2, Manner::Plain), [1; 16], None, 1).unwrap();
    assert_eq!(ours.merge(&another), Err(errors::MERGE_KEYS));
    let other = BloomRequest { capacity: 200, ..request(2, Manner::Plain) };
    assert_eq!(ours.merge(&filled(other, 1)), Err(errors::MERGE_SHAPES));
    assert_eq!(ours.merge(&filled(request(3, Manner::Plain), 1)), Err(errors::MERGE_SHAPES));
    assert_eq!(ours.merge(&old_bloom(1)), Err(errors::MERGE_OLD));
    assert!(ours.merge(&filled(request(0, Manner::Plain), 1)).is_err());
    assert!(ours.merge(&filled(request(0, Manner::Window), 1)).is_err());
    assert_eq!(ours, before);
}

#[test]
fn files_come_and_go() {
    let bloom = filled(request(0, Manner::Plain), 50);
    let file = bloom.export().unwrap();
    assert_eq!(Bloom::import(&file, None, None).unwrap_err(), errors::KEY_NEEDED);
    assert!(Bloom::import(&file, Some([0; 16]), None).is_err());
    assert_eq!(Bloom::import(&file, Some(KEY), Some(10)).unwrap_err(), errors::LIMIT);
    let imported = Bloom::import(&file, Some(KEY), None).unwrap();
    assert_eq!((imported.items(), imported.capacity()), (50, 100));
    assert_eq!(imported.export().unwrap(), file);
    assert_eq!(old_bloom(1).export(), Err(errors::NO_EXPORT));
}

/// Strangers choose a million items, each the best of sixteen by the bits that it would set under a
/// key that they know. That hurts a filter with this key, and no other.
#[test]
fn a_million_chosen_items_do_nothing_to_a_secret_key() {
    const ITEMS: u64 = 1_000_000;
    let asked = BloomRequest { capacity: ITEMS, ..request(0, Manner::Plain) };
    let [mut known, mut secret] =
        [KEY, *b"fedcba9876543210"].map(|key| Bloom::new(asked, key, None, 1).unwrap());
    let theirs = known.filter.clone().unwrap();
    let mut set = vec![false; usize::try_from(theirs.profile().bits).unwrap()];
    let cells = |item: u64| {
        let hash = theirs.key_hash(&item.to_le_bytes()[..]).unwrap();
        theirs.touches(hash).into_iter().map(|touch| usize::try_from(touch.cell).unwrap())
    };
    for first in (0..ITEMS).map(|number| number * 16) {
        let new = |item: &u64| cells(*item).filter(|cell| !set[*cell]).count();
        let best = (first..first + 16).max_by_key(new).unwrap();
        cells(best).for_each(|cell| set[cell] = true);
        for bloom in [&mut known, &mut secret] {
            bloom.insert(&best.to_le_bytes(), None, || unreachable!()).unwrap();
        }
    }
    let rate = |bloom: &Bloom| {
        let absent = (1 << 40)..(1 << 40) + ITEMS;
        absent.filter(|item| holds(bloom, *item)).count() as f64 / ITEMS as f64
    };
    // A million lookups at 1 %: one deviation is one per cent of the rate.
    let (known, secret) = (rate(&known), rate(&secret));
    println!("false positives: {known} with the known key, {secret} with the secret one");
    assert!(secret <= 0.011, "{secret}");
    assert!(known >= 0.03, "the attack must work where the key is known: {known}");
}
