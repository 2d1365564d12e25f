//! Scalable filters beyond the laws that all kinds share.

use super::*;
use crate::error::Mismatch;
use crate::parts::probes::Line;

fn made(items: u64, fpr: f64, options: Options) -> Result<Scalable, SizeError> {
    Scalable::with_options(Target::new(items, fpr).unwrap(), &options, Seed::FIXED)
}

fn over(kind: Kind) -> Options {
    Options::new().over(kind)
}

#[test]
fn options_out_of_range_are_named() {
    for (options, expected) in [
        (Options::new().growth(0), "growth of a scalable filter cannot be 0; it can be 1 to 32768"),
        (
            Options::new().growth(32_769),
            "growth of a scalable filter cannot be 32769; it can be 1 to 32768",
        ),
        (
            Options::new().tightening(1.0),
            "tightening of a scalable filter cannot be 1; it can be 0.1 to 0.95",
        ),
        (
            Options::new().tightening(f64::NAN),
            "tightening of a scalable filter cannot be NaN; it can be 0.1 to 0.95",
        ),
        (
            over(Kind::Split),
            "scalable cannot have layers of kind split; use classic, blocked or counting",
        ),
        (
            over(Kind::Scalable),
            "scalable cannot have layers of kind scalable; use classic, blocked or counting",
        ),
        (
            over(Kind::Counting).counter_bits(40),
            "counter-bits of a counting filter cannot be 40; it can be 2 to 32",
        ),
    ] {
        assert_eq!(made(100, 0.01, options).unwrap_err().to_string(), expected);
    }
    for options in [Options::new().counter_bits(4), over(Kind::Classic).counter_bits(4)] {
        let error = made(100, 0.01, options).unwrap_err();
        assert!(matches!(error, SizeError::LayerOption { name: "counter-bits", .. }), "{error}");
    }
}

/// Below 10⁻⁵ the layers are classic unless `blocked` is chosen, which has its floor.
#[test]
fn low_rates_have_classic_layers() {
    assert_eq!(made(100, 1e-5, Options::new()).unwrap().over, Over::Blocked);
    assert_eq!(made(100, 9e-6, Options::new()).unwrap().over, Over::Classic);
    made(100, 1e-7, over(Kind::Blocked)).unwrap();
    let error = made(100, 6e-8, over(Kind::Blocked)).unwrap_err();
    assert!(matches!(error, SizeError::Fpr { kind: Kind::Scalable, .. }), "{error}");
}

/// Layers at the floor of their kind add up beyond the target; the filter grows on and reports it.
#[test]
fn a_rate_below_the_floor_stays_there() {
    let mut filter = made(10, 1e-7, over(Kind::Blocked)).unwrap();
    for key in 0..2000u64 {
        assert_eq!(filter.insert(key), Ok(true), "{key}");
    }
    assert!(filter.layers() >= 8);
    for number in 0..filter.layers() {
        let target = layer_target(filter.series, filter.over, number).unwrap();
        assert!(target.fpr() >= crate::sizing::blocked::MIN_FPR, "{number}");
    }
    assert!((0..2000u64).all(|key| filter.contains(key)));
}

/// Beyond the largest capacity of any filter no layer is added, and the error says so.
#[test]
fn a_filter_with_all_its_layers_is_full() {
    let mut filter = made(1, 0.01, Options::new()).unwrap();
    filter.insert(0u64).unwrap();
    filter.series.items = Target::MAX_ITEMS;
    let before = filter.clone();
    let error = filter.insert(1u64).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the scalable filter is full; it is out of memory and cannot grow further"
    );
    assert_eq!(filter, before, "unchanged");
}

/// With a lost or forged number of keys, the cells show when the layer is full.
#[test]
fn a_layer_whose_number_of_keys_was_lost_is_not_overfilled() {
    for kind in [Kind::Classic, Kind::Blocked, Kind::Counting] {
        let mut filter = made(10_000, 0.01, over(kind)).unwrap();
        let mut key = 0u64;
        while filter.layers() == 1 {
            filter.insert(key).unwrap();
            filter.newest.forget_held();
            key += 1;
        }
        assert!((10_000..10_600).contains(&key), "{kind}: {key} keys");
        let rate = filter.older[0].profile().fpr_now;
        assert!(rate < 1.25 * filter.series.rate(0), "{kind}: {rate}");
    }
}

/// A key inserted many times counts once.
#[test]
fn a_repeated_key_takes_no_room() {
    for kind in [Kind::Classic, Kind::Blocked, Kind::Counting] {
        let mut filter = made(10, 0.01, over(kind)).unwrap();
        for round in 0..1000 {
            for key in 0..10u64 {
                assert_eq!(filter.insert(key), Ok(round == 0), "{kind}");
            }
        }
        assert_eq!((filter.layers(), filter.newest.held()), (1, 10), "{kind}");
        assert_eq!(filter.about.inserted, 10_000);
    }
}

#[test]
fn keys_are_removed_from_counters_only() {
    for kind in [Kind::Classic, Kind::Blocked] {
        let mut filter = made(100, 0.01, over(kind)).unwrap();
        filter.insert("in").unwrap();
        let before = filter.clone();
        assert_eq!(filter.remove("in"), Err(RemoveError::Layers { over: kind }));
        assert_eq!(filter.remove("never inserted"), Ok(false));
        assert_eq!(filter, before);
    }
}

/// Keys of all layers are removed, affect no others, and leave nothing behind.
#[test]
fn removing_finds_the_layer_that_holds_the_key() {
    let keys = 20_000u64;
    let mut filter = made(100, 0.05, over(Kind::Counting).counter_bits(8)).unwrap();
    (0..keys).for_each(|key| {
        filter.insert(key).unwrap();
    });
    assert!(filter.layers() >= 8);
    for key in (0..keys).step_by(2) {
        assert_eq!(filter.remove(key), Ok(true), "{key}");
    }
    assert!((1..keys).step_by(2).all(|key| filter.contains(key)), "the others stay");
    for key in (1..keys).step_by(2) {
        assert_eq!(filter.remove(key), Ok(true), "{key}");
    }
    let profile = filter.profile();
    assert_eq!((profile.fill, profile.stuck), (0.0, 0));
    let level = filter.gauge.0.unwrap();
    assert_eq!((level.occupied, filter.newest.held()), (0, 0));
    assert_eq!(filter.remove(7u64), Ok(false), "already removed");
}

/// A layer that was emptied accepts keys again; no new one is added.
#[test]
fn freed_room_is_used() {
    let mut filter = made(1000, 0.01, over(Kind::Counting)).unwrap();
    for round in 0..20u64 {
        for key in 0..900 {
            filter.insert(round << 32 | key).unwrap();
        }
        for key in 0..900 {
            filter.remove(round << 32 | key).unwrap();
        }
    }
    assert_eq!(filter.layers(), 1);
}

#[test]
fn the_smallest_filters_grow() {
    for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (1, 0.01), (2, 0.5)] {
        for kind in [Kind::Classic, Kind::Blocked, Kind::Counting] {
            let Ok(mut filter) = made(items, fpr, over(kind)) else {
                assert!(kind == Kind::Blocked && fpr == 1e-8);
                continue;
            };
            (0..300u64).for_each(|key| {
                filter.insert(key).unwrap();
            });
            assert!((0..300u64).all(|key| filter.contains(key)), "{kind}, {items} at {fpr}");
            assert!(kind != Kind::Blocked || filter.profile().bits % Line::BITS == 0);
        }
    }
}

/// Growth 1 takes many layers, all of which a file holds; the last is never exceeded.
#[test]
fn small_steps_reach_the_last_layer_and_a_file_holds_them() {
    let mut filter = made(1, 0.01, Options::new().growth(1)).unwrap();
    let mut key = 0u64;
    while filter.layers() < 60 {
        filter.insert(key).unwrap();
        key += 1;
    }
    assert!((0..key).all(|key| filter.contains(key)));
    // 16 layers of 1, of 2 and of 4 keys, then 11 of 8; a false positive takes no room.
    assert!((201..205).contains(&key), "{key}");
    for counting in [false, true] {
        let kind = if counting { Kind::Counting } else { Kind::Classic };
        let mut filter = made(1, 0.01, over(kind).growth(1)).unwrap();
        while filter.layers() < Scalable::MAX_LAYERS {
            filter.grow().unwrap();
        }
        let full = filter.clone();
        filter.grow().unwrap_err();
        assert_eq!(filter, full);
        let bytes = crate::Save::new().bytes(&filter).unwrap();
        assert_eq!(crate::Open::new().bytes::<Scalable>(&bytes).unwrap(), filter);
    }
}

/// Large steps hold the target over ten growths, as small ones do.
#[test]
fn every_growth_holds_its_rate() {
    for (growth, items, growths) in [(1, 500, 10), (2, 100, 10), (64, 10, 3), (32_768, 1, 1)] {
        let mut filter = made(items, 0.02, Options::new().growth(growth)).unwrap();
        let mut key = 0u64;
        while filter.layers() <= growths || filter.next_layer_bits().unwrap() == 0 {
            filter.insert(key).unwrap();
            key += 1;
        }
        let absent = 1u64 << 40..(1 << 40) + 200_000;
        let found = absent.filter(|key| filter.contains(*key)).count();
        // 4000 expected at most, and six deviations.
        assert!(found < 4000 + 6 * 63, "growth {growth}: {found}");
        assert!((0..key).all(|key| filter.contains(key)));
    }
}

#[test]
fn counters_of_layers_count() {
    let mut filter = made(10, 0.001, over(Kind::Counting)).unwrap();
    for key in 0..100u64 {
        for _ in 0..=key % 3 {
            filter.insert(key).unwrap();
        }
    }
    assert!(filter.layers() > 2);
    let counted = |key: u64| filter.count_hash(key.key_hash(&Seed::FIXED));
    let right = (0..100).filter(|key| counted(*key) == Some(key % 3 + 1)).count();
    assert!(right > 95, "{right}");
    assert!((0..100).all(|key| counted(key) >= Some(key % 3 + 1)), "never too low");
    assert_eq!(counted(1 << 50), Some(0));
    let plain = made(10, 0.01, Options::new()).unwrap();
    assert_eq!(plain.count_hash(KeyHash(1)), None);
}

#[test]
fn a_union_finds_the_keys_of_both_and_tells_its_rate() {
    for kind in [Kind::Classic, Kind::Blocked] {
        let [mut few, mut many] = [2000, 9000u64].map(|keys| {
            let mut filter = made(1000, 0.01, over(kind)).unwrap();
            for key in 0..keys {
                filter.insert(key << 32 | keys).unwrap();
            }
            filter
        });
        let (before, one) = (many.clone(), few.clone());
        few.unite(&many).unwrap();
        many.unite(&one).unwrap();
        assert_eq!(few.layers(), before.layers());
        for keys in [2000, 9000u64] {
            let all = |filter: &Scalable| (0..keys).all(|key| filter.contains(key << 32 | keys));
            assert!(all(&few) && all(&many), "{kind}");
        }
        let found = (0..100_000u64).filter(|key| few.contains(key << 20 | 7)).count() as f64;
        let said = few.profile().fpr_now * 1e5;
        assert!((0.8 * said..1.2 * said).contains(&found), "{kind}: {found}, said {said}");
        let cells = |filter: &Scalable| filter.profile().fill;
        assert_eq!(cells(&few), cells(&many), "either way");
        few.insert("new").unwrap();
        assert!(few.contains("new"));
    }
}

#[test]
fn a_union_of_unlike_filters_is_refused() {
    let mut ours = made(100, 0.01, Options::new()).unwrap();
    ours.insert("key").unwrap();
    let before = ours.clone();
    for (items, fpr, options) in [
        (101, 0.01, Options::new()),
        (100, 0.02, Options::new()),
        (100, 0.01, Options::new().growth(3)),
        (100, 0.01, over(Kind::Classic)),
    ] {
        let error = ours.unite(&made(items, fpr, options).unwrap()).unwrap_err();
        assert!(matches!(error, Mismatch::Option { .. }), "{error}");
    }
    let target = Target::new(100, 0.01).unwrap();
    let keyed = Scalable::with_options(target, &Options::new(), Seed::keyed([1; 16])).unwrap();
    assert_eq!(ours.unite(&keyed), Err(Mismatch::Seed));
    assert_eq!(ours, before);

    let mut counting = made(10, 0.01, over(Kind::Counting)).unwrap();
    let one = counting.clone();
    for key in 0..100u64 {
        counting.insert(key).unwrap();
    }
    counting.unite(&one).unwrap_err();
    let mut two = one.clone();
    two.insert("key").unwrap();
    two.unite(&two.clone()).unwrap();
    assert_eq!(two.count_hash("key".key_hash(&Seed::FIXED)), Some(2));
}
