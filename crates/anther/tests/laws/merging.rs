//! Merging: the same as building from both, or a named error that changes nothing.

use super::*;
use crate::laws::files::recipes;

#[test]
fn merging_equals_building_from_both() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().merge) {
        for seed in seeds() {
            let all = Random::new(5).hashes(3000);
            // Disjoint, overlapping, one inside the other, equal, empty.
            for (ours, theirs) in [
                (0..1000, 1000..3000),
                (0..2000, 1000..3000),
                (0..3000, 1000..2000),
                (0..1500, 0..1500),
                (0..0, 0..3000),
                (0..3000, 0..0),
                (0..0, 0..0),
            ] {
                let (ours, theirs) = (&all[ours], &all[theirs]);
                let a = filled(kind, 2000, 0.01, seed, ours);
                let b = filled(kind, 2000, 0.01, seed, theirs);
                let both = filled(kind, 2000, 0.01, seed, &[ours, theirs].concat());
                let mut merged = a.clone();
                merged.merge(&b).unwrap();
                assert_eq!(merged, both, "{kind}: bit for bit, and as many inserts");
                let mut other_way = b.clone();
                other_way.merge(&a).unwrap();
                assert_eq!(other_way, merged, "{kind}: in either direction");

                // For plain bits: merging again changes nothing but the number of inserts.
                if !PLAIN.contains(&kind) {
                    continue;
                }
                merged.merge(&b).unwrap();
                merged.merge(&merged.clone()).unwrap();
                assert_eq!(cells(&merged), cells(&both), "{kind}");
                assert_eq!(merged.about().target, both.about().target);
                assert_eq!(
                    merged.about().inserted,
                    2 * (both.about().inserted + theirs.len() as u64)
                );
            }
        }
    }
}

#[test]
fn merging_is_associative() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().merge) {
        let keys = Random::new(6).hashes(900);
        let [a, b, c] = [0, 300, 600]
            .map(|start| filled(kind, 900, 1e-3, Seed::FIXED, &keys[start..start + 300]));
        let (mut left, mut right) = (a.clone(), b.clone());
        left.merge(&b).unwrap();
        left.merge(&c).unwrap();
        right.merge(&c).unwrap();
        let mut whole = a;
        whole.merge(&right).unwrap();
        assert_eq!(left, whole, "{kind}");
        assert_eq!(whole, filled(kind, 900, 1e-3, Seed::FIXED, &keys), "{kind}");
    }
}

/// Asserts that two filters reject each other, both ways, and are unchanged.
#[track_caller]
fn refuse(a: &AnyFilter, b: &AnyFilter, expected: fn(&Mismatch) -> bool) {
    for (ours, theirs) in [(a, b), (b, a)] {
        let (mut merged, other) = (ours.clone(), theirs.clone());
        let error = merged.merge(&other).unwrap_err();
        assert!(expected(&error), "{error:?}");
        assert_eq!((&merged, &other), (ours, theirs), "both are unchanged");
    }
}

#[test]
fn filters_that_differ_do_not_merge() {
    let keys = Random::new(7).hashes(100);
    let make = |kind, seed| filled(kind, 100, 0.01, seed, &keys);
    for &kind in Kind::ALL {
        for &other in Kind::ALL.iter().filter(|other| **other != kind) {
            refuse(
                &make(kind, Seed::FIXED),
                &make(other, Seed::FIXED),
                |error| matches!(error, Mismatch::Kind { ours, theirs } if ours != theirs),
            );
        }
        if !kind.capabilities().merge {
            continue;
        }
        let all = [
            Seed::FIXED,
            Seed::chosen(1),
            Seed::chosen(2),
            Seed::keyed(SECRET),
            Seed::keyed([1; 16]),
            Seed::EXTERNAL,
        ];
        for (at, ours) in all.iter().enumerate() {
            for theirs in &all[..at] {
                refuse(&make(kind, *ours), &make(kind, *theirs), |error| {
                    matches!(error, Mismatch::Seed)
                });
            }
        }
        for (at, ours) in recipes().iter().enumerate() {
            for theirs in &recipes()[..at] {
                let (mut a, mut b) = (make(kind, Seed::FIXED), make(kind, Seed::FIXED));
                a.set_recipe(ours.clone());
                b.set_recipe(theirs.clone());
                refuse(&a, &b, |error| matches!(error, Mismatch::Rule { .. }));
            }
        }
    }
}

#[test]
fn incompatible_shapes_do_not_merge() {
    fn law<F: Plain>() {
        let make = |units: u64, probes: u32| -> F {
            let shape = Shape::bits(units * F::UNIT).probes(probes);
            let mut filter = F::shaped(shape, Seed::FIXED).unwrap();
            filter.insert_hashes(&Random::new(8).hashes(20)).unwrap();
            filter
        };
        if F::PROBES != Lanes::PROBES {
            refuse(
                &make(12, F::PROBES).into(),
                &make(12, F::PROBES + 1).into(),
                |error| matches!(error, Mismatch::Probes { ours, theirs } if ours != theirs),
            );
        }
        for (ours, theirs) in [(12, 18), (12, 13), (2, 3), (100, 8), (64, 65), (1000, 999)] {
            let (a, b) = (make(ours, F::PROBES), make(theirs, F::PROBES));
            refuse(
                &a.clone().into(),
                &b.clone().into(),
                |error| matches!(error, Mismatch::Bits { ours, theirs } if ours != theirs),
            );
            // Comparing two bit arrays needs equal lengths, multiples or not.
            for (a, b) in [(&a, &b), (&a, &make(2 * ours, F::PROBES))] {
                let mut both = a.clone();
                assert!(matches!(both.intersect(b), Err(Mismatch::Bits { .. })));
                assert_eq!(both, *a);
                assert!(matches!(a.estimate_union(b), Err(Mismatch::Bits { .. })));
                assert!(matches!(a.estimate_intersection(b), Err(Mismatch::Bits { .. })));
            }
        }
        let (fixed, chosen) = (F::for_items(9, Seed::FIXED), F::for_items(9, Seed::chosen(1)));
        assert_eq!(fixed.clone().intersect(&chosen), Err(Mismatch::Seed));
        assert_eq!(fixed.estimate_union(&chosen), Err(Mismatch::Seed));
    }
    over_plain_kinds!(law);
}
