//! Growing: any number of keys at the target's false-positive rate.

use super::*;

/// Growing kinds, over each kind that they can grow over.
fn growing(items: u64, fpr: f64) -> Vec<(String, AnyFilter)> {
    let mut all = Vec::new();
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().grow) {
        for &over in Kind::ALL {
            let target = Target::new(items, fpr).unwrap();
            let options = Options::new().over(over);
            match AnyFilter::with_options(kind, target, &options, Seed::FIXED) {
                Ok(filter) => all.push((format!("{kind} over {over}"), filter)),
                Err(error) => assert!(matches!(error, SizeError::Layers { got } if got == over)),
            }
        }
    }
    assert!(all.len() >= 3, "classic, blocked, counting");
    all
}

/// A thousand times the first capacity, in ten layers or more: no key is lost, and the measured
/// rate is the reported one and not above the target's.
#[test]
fn the_rate_holds_for_any_number_of_keys() {
    const QUERIES: u64 = 300_000;
    for (items, fpr, keys) in [(100, 0.01, 150_000), (1000, 0.001, 400_000), (20, 0.2, 100_000)] {
        let keys = Random::new(items).hashes(keys);
        for (what, mut filter) in growing(items, fpr) {
            let what = format!("{what}, {items} at {fpr}");
            let (mut layers, mut asked) = (0, Random::new(50));
            for part in keys.chunks(keys.len() / 8) {
                put(&mut filter, part);
                let profile = filter.profile();
                assert!(profile.layers >= layers, "{what}");
                layers = profile.layers;
                assert!(profile.fpr_now <= fpr, "{what}: {profile:?}");
                assert!(!profile.is_overfull() && !profile.is_saturated(), "{what}: {profile:?}");
            }
            assert!(layers >= 9, "{what}: {layers}");
            assert_eq!(count_found(&filter, keys.iter().copied()), keys.len() as u64, "{what}");
            let hits = count_found(&filter, (0..QUERIES).map(|_| KeyHash(asked.draw())));
            assert_rate(hits, QUERIES, filter.profile().fpr_now, &what);
            let most = QUERIES as f64 * fpr;
            assert!((hits as f64) < most + six_sigma(most), "{what}: {hits}");
        }
    }
}

/// The number of items is that of the keys, including false positives of older layers.
#[test]
fn the_items_of_all_layers_are_counted() {
    for (items, fpr) in [(1000, 0.01), (1000, 0.1), (200, 0.3)] {
        for (what, mut filter) in growing(items, fpr) {
            let mut random = Random::new(51);
            for n in (1..=12).map(|part| part * 5000) {
                put(&mut filter, &random.hashes(5000));
                let estimate = filter.profile().items.unwrap();
                let error = (estimate.items - f64::from(n)).abs();
                assert!(error <= 6.0 * estimate.deviation + 0.5, "{what}, {n}: {estimate:?}");
                assert!(estimate.deviation < 0.05 * f64::from(n), "{what}, {n}: {estimate:?}");
            }
        }
    }
}

/// Bits per key count the present keys, not the first layer's capacity.
#[test]
fn a_grown_filter_is_measured_by_its_keys() {
    for (what, mut filter) in growing(100, 0.01) {
        put(&mut filter, &Random::new(52).hashes(10_000));
        let (profile, width) =
            (filter.profile(), if what.ends_with("counting") { 4.0 } else { 1.0 });
        let bits = profile.bits_per_key().unwrap() / width;
        assert!((12.0..40.0).contains(&bits), "{what}: {bits}");
        assert!(profile.overhead().unwrap() > 0.5, "{what}");
    }
}

/// Saved at any point and loaded in any way, it continues as if it had not been saved.
#[test]
fn a_loaded_filter_grows_as_the_unsaved_one_does() {
    let keys = Random::new(53).hashes(12_000);
    for (what, mut filter) in growing(100, 0.02) {
        let mut from = 0;
        for upto in [1, 99, 100, 101, 700, 701, 5000] {
            put(&mut filter, &keys[from..upto]);
            from = upto;
            let mut unsaved = filter.clone();
            put(&mut unsaved, &keys[upto..]);
            for (way, mut loaded) in files::through_every_loader(&filter, Open::new()) {
                assert_eq!(loaded, filter, "{what}, {way}, {upto}");
                put(&mut loaded, &keys[upto..]);
                assert_eq!(loaded, unsaved, "{what}, {way}, {upto}");
                assert_eq!(bytes_of(&loaded), bytes_of(&unsaved), "{what}, {way}, {upto}");
            }
        }
        assert!(filter.profile().layers >= 5, "{what}");
    }
}
