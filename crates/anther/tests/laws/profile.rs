//! What a filter reports about itself is true.

use super::*;

#[test]
fn the_registry_tells_the_truth() {
    for &kind in Kind::ALL {
        let can = kind.capabilities();
        let mut filter = empty(kind, 100, 0.01, Seed::FIXED);
        assert_eq!(filter.kind(), kind);
        assert_eq!(filter.profile().kind, kind);
        assert_eq!(filter.as_insert().is_some(), can.insert, "{kind}");
        assert_eq!(filter.as_remove().is_some(), can.remove, "{kind}");
        assert_eq!(filter.as_count().is_some(), can.count, "{kind}");
        assert_eq!(filter.profile().may_forget(), !can.no_false_negatives, "{kind}");
        if can.insert {
            assert_eq!(kind.bits_for(Target::new(100, 0.01).unwrap()), Ok(filter.profile().bits));
        }
        assert_eq!(filter.as_lookup().is_some(), can.values, "{kind}");
        let other = filter.clone();
        match filter.merge(&other) {
            Ok(()) => assert!(can.merge, "{kind}"),
            Err(error) => assert!(matches!(error, Mismatch::Unsupported { .. }) && !can.merge),
        }
        // An empty filter has no removable keys, so one is inserted.
        if let Some(filter) = filter.as_insert() {
            filter.insert_hash(KeyHash(7)).unwrap();
            assert_eq!(filter.profile().removable.is_some(), can.leaves_some, "{kind}");
        }
    }
}

#[test]
fn an_empty_filter_contains_no_key() {
    for &kind in Kind::ALL {
        for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (100, 0.5), (10_000, 0.01)] {
            let filter = empty(kind, items, fpr, Seed::FIXED);
            let found = count_found(&filter, Random::new(9).hashes(1000));
            let profile = filter.profile();
            if kind.capabilities().no_false_negatives {
                assert_eq!((found, profile.fpr_now), (0, 0.0), "{kind}");
            } else {
                // Kinds that forget may test for zeros, which an empty filter has.
                assert_rate(found, 1000, profile.fpr_now, kind);
                assert!(profile.fpr_now <= fpr, "{kind}: {}", profile.fpr_now);
            }
            assert_eq!(profile.items.map_or(0.0, |items| items.items), 0.0, "{kind}");
            assert_eq!((profile.inserted, profile.stuck), (0, 0), "{kind}");
            assert_eq!(profile.fill, 0.0, "{kind}");
            assert!(!profile.is_overfull() && !profile.is_saturated(), "{kind}");
        }
    }
}

/// From nearly empty to 90 % full: within six of its own deviations. Half an item more is allowed,
/// since a count is whole while the estimate of a nearly empty filter is good to less than that.
#[test]
fn the_estimate_of_items_is_as_good_as_reported() {
    for kind in PLAIN {
        for items in [100u64, 5000, 300_000] {
            let mut filter = empty(kind, items, 0.01, Seed::FIXED);
            let mut random = Random::new(items);
            let (mut n, mut checks) = (0u64, 0);
            while filter.profile().fill < 0.9 {
                let more = (n / 3).max(1);
                put(&mut filter, &random.hashes(more as usize));
                n += more;
                checks += 1;
                let estimate = filter.profile().items.unwrap();
                let error = (estimate.items - n as f64).abs();
                assert!(
                    error <= 6.0 * estimate.deviation + 0.5,
                    "{kind}: {n} items of {items}, {estimate:?}"
                );
            }
            assert!(n > 2 * items && checks > 10, "{kind}");
        }
    }
}

/// A large filter with few keys: the deviation is a small difference of large numbers.
#[test]
fn the_estimate_holds_for_a_large_filter_that_is_nearly_empty() {
    for kind in PLAIN {
        let mut filter = empty(kind, 100_000_000, 0.01, Seed::FIXED);
        let mut random = Random::new(27);
        let mut n = 0.0;
        for more in [1u32, 999, 99_000, 900_000] {
            put(&mut filter, &random.hashes(more as usize));
            n += f64::from(more);
            let estimate = filter.profile().items.unwrap();
            let error = (estimate.items - n).abs();
            assert!(error <= 6.0 * estimate.deviation + 0.5, "{kind}, {n}: {estimate:?}");
            // A key of `blocked` sets 5.97 ± 0.17 bits, so one key is known to within 0.03.
            assert!(estimate.deviation <= 0.05 * n.sqrt(), "{kind}, {n}: {estimate:?}");
        }
    }
}

/// Neither too large nor too small: over many filters the error has the reported deviation. The
/// mean of N squares of a normal variable is 1 ± √(2/N), the mean of N of them 0 ± √(1/N).
#[test]
fn the_deviation_of_the_estimate_is_the_true_one() {
    const FILTERS: u64 = 400;
    for kind in PLAIN {
        for n in [1000u64, 2000, 4000, 6000] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for seed in 0..FILTERS {
                let keys = Random::new(n ^ seed << 20).hashes(n as usize);
                let estimate =
                    filled(kind, 2000, 0.01, Seed::FIXED, &keys).profile().items.unwrap();
                let z = (estimate.items - n as f64) / estimate.deviation;
                sum += z;
                squares += z * z;
            }
            let (mean, square) = (sum / FILTERS as f64, squares / FILTERS as f64);
            let sigma = (1.0 / FILTERS as f64).sqrt();
            assert!(mean.abs() < 6.0 * sigma, "{kind}, {n}: off by {mean} deviations");
            assert!((square - 1.0).abs() < 6.0 * 2f64.sqrt() * sigma, "{kind}, {n}: {square}");
        }
    }
}

/// The other kinds estimate, too, as long as they are within their capacity.
#[test]
fn every_kind_that_estimates_its_items_is_right() {
    for kind in taking().filter(|kind| !PLAIN.contains(kind)) {
        for items in [100u64, 20_000] {
            let mut filter = empty(kind, items, 0.01, Seed::FIXED);
            let mut random = Random::new(items);
            let mut n = 0;
            for upto in [items / 10, items / 2, items] {
                put(&mut filter, &random.hashes((upto - n) as usize));
                n = upto;
                let Some(estimate) = filter.profile().items else { continue };
                let error = (estimate.items - n as f64).abs();
                assert!(
                    error <= 6.0 * estimate.deviation + 0.5,
                    "{kind}: {n} items of {items}, {estimate:?}"
                );
            }
        }
    }
}

/// The planned rate is that of filters at their capacity, on average over sixty of them, and not
/// above the target's. A plan may err on the safe side.
#[test]
fn filters_match_their_plan() {
    const FILTERS: u64 = 60;
    for &kind in Kind::ALL {
        for (items, fpr) in [(2000u64, 0.01), (300, 0.05), (3000, 1e-3)] {
            let target = Target::new(items, fpr).unwrap();
            let plan = kind.plan(target, &Options::default()).unwrap();
            assert!(plan.fpr <= fpr, "{kind}: {plan:?}");
            let rates: Vec<f64> = (0..FILTERS)
                .map(|seed| {
                    let keys = Random::new(items ^ seed << 20).hashes(items as usize);
                    let filter = filled(kind, items, fpr, Seed::FIXED, &keys);
                    // A static filter that is hard to solve for takes a little more.
                    let more = filter.profile().bits as f64 / plan.bits as f64 - 1.0;
                    let static_kind = !kind.capabilities().insert;
                    assert!(more == 0.0 || (static_kind && more.abs() < 0.15), "{kind}: {more}");
                    assert_eq!(filter.profile().probes, plan.probes, "{kind}");
                    filter.profile().fpr_now
                })
                .collect();
            let mean = rates.iter().sum::<f64>() / FILTERS as f64;
            let squares: f64 = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum();
            let error = 6.0 * (squares / (FILTERS * (FILTERS - 1)) as f64).sqrt();
            let what = format!("{kind}, {items} at {fpr}: {mean} ± {error}, {plan:?}");
            println!("{what}");
            assert!(mean <= plan.fpr * 1.02 + error, "{what}");
            assert!(mean >= plan.fpr * 0.8 - error, "{what}");
        }
    }
}

/// The reported rate is the measured one: half full, full, and filled twice over, where it must be
/// within 10 % and the filter must report that it is overfull.
#[test]
fn the_reported_rate_is_the_measured_rate() {
    const QUERIES: u64 = 1_000_000;
    for &kind in Kind::ALL {
        for (items, fpr) in [(20_000u64, 0.01), (20_000, 1e-3), (500, 0.1)] {
            for (load, overfull) in [(0.5, false), (1.0, false), (2.0, true)] {
                let mut random = Random::new(items ^ u64::from(overfull));
                if overfull && !overfills(kind) {
                    continue;
                }
                let keys = random.hashes((items as f64 * load) as usize);
                let filter = filled(kind, items, fpr, Seed::FIXED, &keys);
                let profile = filter.profile();
                let hits = count_found(&filter, (0..QUERIES).map(|_| KeyHash(random.draw())));
                let what = format!("{kind}, {items} items at {fpr}, {load} times full");
                assert_rate(hits, QUERIES, profile.fpr_now, &what);
                assert_eq!(profile.is_overfull(), overfull, "{what}");
                if overfull {
                    let measured = hits as f64 / QUERIES as f64;
                    assert!((profile.fpr_now / measured - 1.0).abs() < 0.1, "{what}: {measured}");
                    // With one probe the rate grows no faster than the number of keys.
                    assert!(measured > 1.8 * fpr, "{what}: {measured}");
                }
            }
        }
    }
}

/// A saturated filter reports every key, and reports that it is saturated.
#[test]
fn a_saturated_filter_knows_it() {
    for kind in PLAIN {
        let filter = filled(kind, 1, 0.5, Seed::FIXED, &Random::new(10).hashes(20_000));
        let profile = filter.profile();
        assert_eq!((profile.fill, profile.fpr_now), (1.0, 1.0), "{kind}");
        assert!(profile.is_saturated() && profile.is_overfull(), "{kind}");
        let items = profile.items.unwrap();
        assert!(items.items.is_finite() && items.deviation.is_finite());
        assert_eq!(count_found(&filter, Random::new(11).hashes(100)), 100, "{kind}");
    }
}

/// Where keys share cache lines, the rate of the mean fill is too low; the mean over the lines is
/// not.
#[test]
fn averaging_over_lines_beats_the_mean_fill() {
    const QUERIES: u64 = 4_000_000;
    for kind in [Kind::Blocked, Kind::Split] {
        let mut random = Random::new(12);
        let filter = filled(kind, 100_000, 1e-3, Seed::FIXED, &random.hashes(100_000));
        let profile = filter.profile();
        let hits = count_found(&filter, (0..QUERIES).map(|_| KeyHash(random.draw())));
        let global = profile.fill.powi(profile.probes.cast_signed());
        let understated = QUERIES as f64 * global;
        assert!(hits as f64 > understated + six_sigma(understated), "{kind}: {hits} {global}");
        assert_rate(hits, QUERIES, profile.fpr_now, kind);
    }
}

/// The used share is the same in a picture as in a number.
#[test]
fn densities_add_up_to_the_fill() {
    for &kind in Kind::ALL {
        for items in [1, 100, 5000] {
            let keys = Random::new(3).hashes(items as usize);
            let filter = filled(kind, items, 0.01, Seed::FIXED, &keys);
            let densities = filter.densities(64);
            // The fill counts the first row; with this many keys there is one layer.
            let first = filter.rows()[0];
            let blind = [Kind::Quotient, Kind::Fuse, Kind::Ribbon, Kind::Cascade, Kind::Bloomier];
            assert_eq!(first.marks, !blind.contains(&kind), "{kind}");
            assert_eq!(densities.is_empty(), !first.marks, "{kind}");
            if densities.is_empty() {
                continue;
            }
            let cells = first.cells.cells();
            assert_eq!(densities.len() as u64, cells.min(64), "{kind}");
            let mean = densities.iter().sum::<f64>() / densities.len() as f64;
            // Stretches differ in size by one cell, out of at least cells/64.
            let (fill, tolerance) = (filter.profile().fill, 64.0 / cells as f64);
            assert!((mean - fill).abs() <= tolerance, "{kind} {items}: {mean} {fill}");
        }
    }
}

/// A rate above the target's is allowed when chance explains it, and only then.
#[test]
fn only_chance_is_allowed() {
    for &kind in Kind::ALL {
        for items in [10u64, 100, 1000] {
            for seed in 1..=50 {
                let keys = Random::new(seed).hashes(items as usize);
                let profile = filled(kind, items, 0.01, Seed::FIXED, &keys).profile();
                let (now, allowed) = (profile.fpr_now, profile.fpr_allowed());
                assert!(now <= allowed && allowed >= 0.01, "{kind} {items}: {now} {allowed}");
            }
        }
    }
    // Three times the keys are not chance, and nothing more is allowed for them.
    for kind in PLAIN {
        let keys = Random::new(5).hashes(3000);
        let profile = filled(kind, 1000, 0.01, Seed::FIXED, &keys).profile();
        assert!(profile.fpr_now > 0.04, "{kind}: {profile:?}");
        assert_eq!(profile.fpr_allowed(), 0.01, "{kind}");
    }
    // Without a target, only the cells can be checked.
    let mut filter = Classic::with_shape(Shape::bits(1000).probes(3), Seed::FIXED).unwrap();
    filter.extend(0..100u64);
    let profile = filter.profile();
    assert_eq!(profile.fpr_allowed(), profile.fpr_now);
}
