//! Plain bits: folding, intersection, clearing, estimates.

use super::*;
use crate::laws::files::forever;

#[test]
fn folding_equals_building_smaller() {
    fn law<F: Plain>() {
        let keys = Random::new(16).hashes(500);
        for (units, ratio) in
            [(1, 1), (2, 1), (2, 2), (6, 2), (6, 3), (1000, 8), (1009 * 7, 7), (4096, 64)]
        {
            let large = F::units(units, &keys);
            assert_eq!(large.fold(ratio), Ok(F::units(units / ratio, &keys)), "{units}/{ratio}");
            assert_eq!(large, F::units(units, &keys), "the folded one is unchanged");
        }
        let twice = F::units(60, &keys).fold(2).unwrap().fold(3).unwrap();
        assert_eq!(Ok(twice), F::units(60, &keys).fold(6));
        let filter = F::units(12, &keys);
        for ratio in [0, 5, 8, 13, 24, u64::MAX] {
            let expected = FoldError::Ratio { ratio, units: 12 };
            assert_eq!(filter.fold(ratio), Err(expected), "{ratio}");
        }
        // A target shrinks with its filter: the same rate for proportionally fewer items.
        let target = Target::new(1 << 20, 0.01).unwrap();
        let large = F::with_seed(target, Seed::FIXED).unwrap();
        let units = large.profile().bits / F::UNIT;
        let ratio = (2..).find(|ratio| units.is_multiple_of(*ratio)).unwrap();
        let small = large.fold(ratio).unwrap().profile();
        assert_eq!(small.target, Some(Target::new((1 << 20) / ratio, 0.01).unwrap()));
    }
    over_plain_kinds!(law);
}

#[test]
fn sizes_with_an_integer_ratio_merge_at_the_smaller() {
    fn law<F: Plain>() {
        let mut random = Random::new(17);
        let (ours, theirs) = (random.hashes(300), random.hashes(200));
        for (units, ratio) in [(1, 2), (5, 3), (64, 8), (1000, 7), (999, 64)] {
            let (small, large) = (F::units(units, &ours), F::units(units * ratio, &theirs));
            let both = F::units(units, &[&ours[..], &theirs].concat());
            let mut merged = small.clone();
            merged.merge(&large).unwrap();
            assert_eq!(merged, both, "{units} and {ratio} times as many");
            let mut merged = large.clone();
            merged.merge(&small).unwrap();
            assert_eq!(merged, both, "{units} and {ratio} times as many, the other way");
        }
    }
    over_plain_kinds!(law);
}

/// Every common key stays, no bit appears, and the rate is not above either filter's.
#[test]
fn an_intersection_keeps_the_common_keys() {
    fn law<F: Plain>() {
        let all = Random::new(18).hashes(3000);
        let (ours, theirs) = (F::units(4096, &all[..2000]), F::units(4096, &all[1000..]));
        let mut both = ours.clone();
        both.intersect(&theirs).unwrap();
        assert_eq!(count_found(&both, all[1000..2000].iter().copied()), 1000);
        for (word, (a, b)) in
            both.bits().words().iter().zip(ours.bits().words().iter().zip(theirs.bits().words()))
        {
            assert_eq!(*word, a & b);
        }
        let rate = |filter: &F| filter.profile().fpr_now;
        assert!(rate(&both) <= rate(&ours).min(rate(&theirs)));
        let queries = Random::new(19).hashes(200_000);
        let found = |filter: &F| count_found(filter, queries.iter().copied());
        assert!(found(&both) <= found(&ours).min(found(&theirs)));
        assert_eq!(both.profile().inserted, 2000, "not more than either");

        let mut same = ours.clone();
        same.intersect(&ours.clone()).unwrap();
        assert_eq!(same, ours, "with itself: nothing changes");
        let mut other_way = theirs.clone();
        other_way.intersect(&ours).unwrap();
        assert_eq!(other_way.bits(), both.bits());
    }
    over_plain_kinds!(law);
}

#[test]
fn a_cleared_filter_is_a_fresh_one() {
    fn law<F: Plain>() {
        for seed in seeds() {
            let fresh = F::for_items(1000, seed);
            let mut cleared = fresh.clone();
            cleared.insert_hashes(&Random::new(20).hashes(5000)).unwrap();
            assert_ne!(cleared, fresh);
            cleared.clear();
            assert_eq!(cleared, fresh);
            assert_eq!(bytes_of(&cleared.into()), bytes_of(&fresh.into()));
        }
    }
    over_plain_kinds!(law);
}

/// A shape's plan is what is made, with the average rate of such filters; and it is rejected for
/// the same reason.
#[test]
fn a_shape_is_planned_as_it_is_made() {
    fn law<F: Plain>() {
        const FILTERS: u64 = 60;
        let kind = F::units(1, &[]).profile().kind;
        assert!(kind.capabilities().shape, "{kind}");
        for shape in [Shape::bits(10_000).probes(F::PROBES), Shape::memory(1500).items(1000)] {
            let plan = kind.plan_shape(shape, 1000).unwrap();
            let rates = (0..FILTERS).map(|seed| {
                let mut filter = F::shaped(shape, Seed::FIXED).unwrap();
                filter.insert_hashes(&Random::new(seed).hashes(1000)).unwrap();
                let profile = filter.profile();
                assert_eq!((profile.bits, profile.probes), (plan.bits, plan.probes), "{kind}");
                profile.fpr_now
            });
            // The rate of one filter is off by a tenth or so, their mean by an eighth of that.
            let mean = rates.sum::<f64>() / FILTERS as f64;
            assert!((mean / plan.fpr - 1.0).abs() < 0.05, "{kind}: {mean}, {plan:?}");
        }
        for shape in [Shape::memory(0).probes(F::PROBES), Shape::bits(10_000).probes(99)] {
            let made = F::shaped(shape, Seed::FIXED).unwrap_err();
            assert_eq!(kind.plan_shape(shape, 1000), Err(made), "{kind}");
        }
    }
    over_plain_kinds!(law);
    for kind in Kind::ALL.iter().filter(|kind| !PLAIN.contains(kind)) {
        let refused = kind.plan_shape(Shape::bits(10_000).probes(4), 1000);
        assert_eq!(refused, Err(SizeError::NoShape { kind: *kind }));
        assert!(!kind.capabilities().shape);
    }
}

#[test]
fn unions_and_intersections_are_estimated() {
    fn law<F: Plain>() {
        for (a, common, b) in [(3000, 0, 3000), (3000, 3000, 3000), (0, 2000, 4000), (10, 5, 9000)]
        {
            let keys = Random::new(21).hashes(a + common + b);
            let (ours, theirs) = (&keys[..a + common], &keys[a..]);
            let (mut one, mut other) =
                (F::for_items(6000, Seed::FIXED), F::for_items(6000, Seed::FIXED));
            one.insert_hashes(ours).unwrap();
            other.insert_hashes(theirs).unwrap();
            let union = one.estimate_union(&other).unwrap();
            let mut merged = one.clone();
            merged.merge(&other).unwrap();
            assert_eq!(union, merged.estimate_items(), "the estimate of the union is the union's");
            let error = (union.items - keys.len() as f64).abs();
            assert!(error <= 6.0 * union.deviation + 0.5, "{union:?}");
            // A sum of three estimates errs at most by the sum of their errors.
            let deviation =
                union.deviation + one.estimate_items().deviation + other.estimate_items().deviation;
            let both = one.estimate_intersection(&other).unwrap();
            assert!((both - common as f64).abs() <= 6.0 * deviation + 0.5, "{both} {common}");
            assert!(both >= 0.0);
        }
    }
    over_plain_kinds!(law);
}

/// Owned memory is moved, not copied: to threads and back.
#[test]
fn conversions_do_not_copy() {
    fn law<F: Plain>() {
        let mut filter = F::for_items(100_000, Seed::FIXED);
        filter.insert_hashes(&Random::new(22).hashes(1000)).unwrap();
        let (before, address) = (filter.clone(), filter.bits().words().as_ptr());
        assert_eq!(address.addr() % 64, 0, "aligned to a cache line");
        let filter = Shared::new(filter).unwrap().into_inner();
        assert_eq!(filter.bits().words().as_ptr(), address);
        assert_eq!(filter, before);
        let any: AnyFilter = filter.into();
        let Ok(filter) = F::try_from(any) else { panic!("another kind") };
        assert_eq!(filter.bits().words().as_ptr(), address);

        // Static bytes are borrowed, and copied only to be changed.
        let bytes = forever(&bytes_of(&before.clone().into()), true);
        let Ok(mut borrowed) = F::try_from(Open::new().static_bytes::<AnyFilter>(bytes).unwrap())
        else {
            panic!("another kind");
        };
        let inside = |filter: &F| {
            bytes.as_ptr_range().contains(&filter.bits().words().as_ptr().cast::<u8>())
        };
        assert_eq!((inside(&borrowed), inside(&borrowed.clone())), (F::BORROWS, F::BORROWS));
        borrowed.insert_hash(KeyHash(1)).unwrap();
        assert!(!inside(&borrowed));
    }
    over_plain_kinds!(law);
}
