use super::*;
use crate::batch::threads::Threads;

/// Hashes that occur in no other `set`.
fn keys(n: u64, set: u64) -> Vec<KeyHash> {
    (0..n).map(|i| KeyHash(i).again(set)).collect()
}

fn build(members: &[KeyHash], others: &[KeyHash], fpr: Option<f64>) -> Cascade {
    let (mut members, mut others) = (members, others);
    let work = Work::new().threads(Threads::ONE);
    Cascade::build_lists(&mut members, &mut others, fpr, Seed::FIXED, work).unwrap()
}

fn errors(cascade: &Cascade, members: &[KeyHash], others: &[KeyHash]) -> [usize; 2] {
    let missed = members.iter().filter(|key| !cascade.contains_hash(**key)).count();
    let wrong = others.iter().filter(|key| cascade.contains_hash(**key)).count();
    [missed, wrong]
}

#[test]
fn a_list_in_memory_is_solved_in_eight_parts() {
    let work = Work::new().threads(Threads::ONE).memory(10_000);
    assert_eq!(in_parts(work, 1000, 16).most_memory(), 2000);
    assert_eq!(in_parts(work, 9000, 16).most_memory(), 10_000, "never more than given");
}

/// Of any sizes, at any rate: not one error on either list.
#[test]
fn no_key_of_either_list_is_wrong() {
    for fpr in [None, Some(0.5), Some(0.01), Some(1e-3), Some(1e-9)] {
        for n in [0, 1, 2, 50, 64, 300, 1100, 5000] {
            for g in [0, 1, 10, 127, 129, 1000, 20_000] {
                let (members, others) = (keys(n, 1), keys(g, 2));
                let cascade = build(&members, &others, fpr);
                let what = format!("{n} and {g} at {fpr:?}");
                assert_eq!(errors(&cascade, &members, &others), [0, 0], "{what}");
                assert_eq!((cascade.items, cascade.others()), (n, g), "{what}");
                let profile = cascade.profile();
                let target = fpr.unwrap_or(0.5);
                assert!(profile.fpr_now <= target * (1.0 + 1e-9), "{what}: {}", profile.fpr_now);
            }
        }
    }
}

/// A universe of a million, 1.43 % of it members: CRLite's proportion.
#[test]
fn a_whole_universe_without_an_error() {
    let universe = keys(1_000_000, 3);
    let (members, others) = universe.split_at(14_300);
    let cascade = build(members, others, None);
    assert_eq!(errors(&cascade, members, others), [0, 0]);
    let bound = sizing::bound_bits(14_300, 985_700);
    let over = cascade.bits() as f64 / bound;
    assert!((1.05..1.10).contains(&over), "{over} of the bound");
    assert_eq!(cascade.columns(), 6);
    let planned = sizing::bits(14_300, 985_700, None) as f64;
    assert!((cascade.bits() as f64 / planned - 1.0).abs() < 0.01, "{planned}");
}

/// Keys of neither list are accepted at half the rate of the first layer, which is what the profile
/// says and at most what was asked for.
#[test]
fn keys_of_neither_list_are_accepted_at_the_rate() {
    let strangers = keys(400_000, 4);
    for fpr in [None, Some(0.7), Some(0.5), Some(0.1), Some(0.01), Some(1e-3)] {
        for (n, g) in [(1000, 0), (1000, 1500), (1000, 30_000), (20_000, 100_000)] {
            let cascade = build(&keys(n, 1), &keys(g, 2), fpr);
            let rate = cascade.profile().fpr_now;
            let found = strangers.iter().filter(|key| cascade.contains_hash(**key)).count();
            let mean = rate * strangers.len() as f64;
            let far = 6.0 + 6.0 * (1.0 + mean * (1.0 - rate)).sqrt();
            assert!((found as f64 - mean).abs() < far, "{n} {g} {fpr:?}: {found}, {mean}");
            assert!(fpr.is_none_or(|fpr| rate <= fpr * (1.0 + 1e-9)), "{n} {g} {fpr:?}: {rate}");
            // The best number of columns by the keys that came, which is that of the mean.
            let planned = sizing::fpr(n, g, fpr);
            assert!((rate / planned - 1.0).abs() < 0.1, "{n} {g} {fpr:?}: {rate}, {planned}");
        }
    }
}

/// Neither order nor repetitions, threads nor memory change the cells.
#[test]
fn the_cells_depend_on_the_sets_alone() {
    let (members, others) = (keys(70_000, 1), keys(300_000, 2));
    for fpr in [None, Some(0.01)] {
        let cascade = build(&members, &others, fpr);
        let mut backwards: Vec<_> = members.iter().rev().copied().collect();
        backwards.extend_from_slice(&members[..1000]);
        let mut shuffled = others.clone();
        // Those that pass come last, or first.
        shuffled.sort_unstable_by_key(|key| cascade.map.contains_hash(key.again(MAP)));
        let work = Work::new().threads(Threads::new(3)).memory(1);
        let again = |mut others: Vec<KeyHash>| {
            let mut members = &backwards[..];
            Cascade::build_lists(&mut members, &mut others, fpr, Seed::FIXED, work).unwrap()
        };
        assert_eq!(again(shuffled.clone()), cascade, "{fpr:?}");
        shuffled.reverse();
        assert_eq!(again(shuffled.clone()), cascade, "{fpr:?}");
        // Only the number of keys that were read differs.
        shuffled.extend_from_slice(&others);
        shuffled.extend_from_slice(&others[..5000]);
        let twice = again(shuffled);
        assert_eq!(twice.others(), 605_000);
        assert_eq!(Cascade { others: 300_000, ..twice }, cascade, "{fpr:?}");
    }
}

/// What is kept passes the filter, wherever columns were added.
#[test]
fn what_is_kept_passes_the_filter() {
    let members = keys(100, 1);
    for g in (1000..30_000).step_by(1000) {
        let others = keys(g, g);
        let cascade = build(&members, &others, None);
        let passing = others.iter().filter(|key| cascade.passes_hash(**key)).count();
        assert_eq!(cascade.kept(), passing as u64, "{g}");
    }
}

/// The memory of the other keys does not grow with their number.
#[test]
fn few_other_keys_are_kept() {
    let members = keys(1000, 1);
    for g in [100_000, 1_000_000] {
        let cascade = build(&members, &keys(g, 2), None);
        assert!((500..=2000).contains(&cascade.kept()), "{}", cascade.kept());
    }
    // Even with 3,000,000 other keys for one member, there are no more columns.
    let cascade = build(&keys(1, 1), &keys(3_000_000, 2), None);
    assert!(cascade.columns() == 15 && cascade.kept() <= 128, "{}", cascade.kept());
}

#[test]
fn a_key_in_both_lists_is_named() {
    for fpr in [None, Some(0.01), Some(1e-9)] {
        for (n, g) in [(1, 1), (1000, 100), (1000, 100_000)] {
            let members = keys(n, 1);
            for common in [0, n / 2, n - 1] {
                let key = members[common as usize];
                let mut others = keys(g, 2);
                others.insert(others.len() / 2, key);
                let mut from = &members[..];
                let (seed, work) = (Seed::FIXED, Work::new());
                let built = Cascade::build_lists(&mut from, &mut others, fpr, seed, work);
                assert_eq!(built, Err(BuildError::InBoth { key }), "{n} {g} {fpr:?}");
            }
        }
    }
}

/// Hashes that are all alike but for a few bits: they come from elsewhere, or are crafted.
#[test]
fn clustered_hashes_are_told_apart() {
    for shift in [0, 20, 40] {
        let all: Vec<_> = (0..30_000u64).map(|i| KeyHash(i << shift)).collect();
        let (members, others) = all.split_at(2000);
        let cascade = build(members, others, None);
        assert_eq!(errors(&cascade, members, others), [0, 0], "{shift}");
        let next: Vec<_> = all.iter().map(|key| KeyHash(key.0 + 1)).collect();
        let (members, others) = (&all[..15_000], &next[..15_000]);
        if shift > 0 {
            let cascade = build(members, others, Some(0.01));
            assert_eq!(errors(&cascade, members, others), [0, 0], "{shift}");
        }
    }
}

/// The rows are those of both ribbons, and the slots that a key touches give the answer.
#[test]
fn the_slots_that_a_key_touches_give_the_answer() {
    for (n, g, fpr) in [(300, 0, Some(0.01)), (300, 400, None), (2000, 40_000, None), (0, 5, None)]
    {
        let (members, others) = (keys(n, 1), keys(g, 2));
        let cascade = build(&members, &others, fpr);
        let rows = cascade.rows();
        assert_eq!(rows.len(), cascade.layers().map(|layer| layer.rows().len()).sum::<usize>());
        for key in members.iter().chain(&others).copied().chain(keys(500, 5)) {
            let first = cascade.filter.as_ref().map_or(0, |filter| filter.rows().len());
            let touches = cascade.touches(key);
            let (filter, map): (Vec<_>, Vec<_>) =
                touches.into_iter().partition(|touch| touch.row < first);
            let there = |touch: &Touch| Touch { row: touch.row - first, ..*touch };
            let map: Vec<_> = map.iter().map(there).collect();
            assert_eq!(map, cascade.map.touches(key.again(MAP)));
            let of_filter = cascade.filter.as_ref().map(|ribbon| ribbon.touches(key));
            assert_eq!(filter, of_filter.unwrap_or_default());
        }
    }
}

#[test]
fn one_list_is_refused() {
    let target = Target::new(10, 0.01).unwrap();
    let (options, work) = (Options::new(), Work::new());
    let one = <Cascade as Build>::build(&mut keys(10, 1), target, &options, Seed::FIXED, work);
    assert_eq!(one, Err(BuildError::OneList { kind: Kind::Cascade }));
}
