use super::*;

fn of(cells: u64, probes: u32, increments: Increments, bits: u32) -> VariableIncrement {
    VariableIncrement::with_cells(cells, probes, increments, bits, Seed::FIXED).unwrap()
}

/// Every draw yields an increment of the set, all of them equally often.
#[test]
fn increments_are_those_of_the_set() {
    for increments in Increments::ALL {
        let rule = Rule::new(increments, None).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        for draw in 0..1 << 16 {
            *counts.entry(rule.amount(draw)).or_insert(0u32) += 1;
        }
        let expected: Vec<u64> = match increments {
            Increments::Interval(l) => (u64::from(l)..2 * u64::from(l)).collect(),
            Increments::Sums(h) => sums_set(h).map(|sum| rule.pair(1, sum)).to_vec(),
        };
        assert!(counts.keys().eq(&expected), "{increments}");
        assert!(counts.values().all(|count| *count as usize == (1 << 16) / expected.len()));
    }
}

/// A cell always passes its increments, in any order of adding and removing, and a sum that
/// wrapped around unwraps.
#[test]
fn a_cell_never_loses_an_increment() {
    for increments in Increments::ALL {
        let rule = Rule::new(increments, None).unwrap();
        for trial in 0..2000u64 {
            let draws = KeyHash(trial).again(1).0;
            let number = trial % 15;
            let amounts: Vec<u64> = (0..number)
                .map(|at| rule.amount(draws.rotate_left(at as u32 * 9) & 0xFFFF))
                .collect();
            let full = amounts.iter().fold(0, |cell, amount| rule.add(cell, *amount));
            assert!(!rule.is_stuck(full), "{increments}: {number}");
            assert!(amounts.iter().all(|amount| rule.subtract(full, *amount).is_some()));
            let left = amounts.iter().try_fold(full, |cell, amount| rule.subtract(cell, *amount));
            assert_eq!(left, Some(0), "{increments}: {amounts:?}");
        }
    }
}

/// Few cells: most keys have two probes on one, and all keys can be removed.
#[test]
fn probes_that_share_a_cell_are_removed_together() {
    for increments in Increments::ALL {
        for key in (0..300).map(|i| KeyHash(i).again(9)) {
            let mut filter = of(5, 4, increments, 12);
            let empty = filter.clone();
            filter.insert_hash(key).unwrap();
            assert!(filter.contains_hash(key));
            assert_eq!(filter.remove_hash(key), Ok(true), "{increments}");
            assert_eq!(filter.cells, empty.cells, "{increments}");
            assert_eq!(filter.remove_hash(key), Ok(false), "{increments}");
        }
    }
}

/// Two increments, or 14, stay below the value where a counter sticks; with a bit less they do not.
#[test]
fn counters_are_the_narrowest_that_hold_their_increments() {
    for l in 2..=16 {
        let (least, fitting) = Rule::widths(Increments::Interval(l));
        for (width, increments) in [(least, 2), (fitting, 14)] {
            let sum = increments * (2 * l - 1);
            assert!((1 << width) - 1 > sum, "{increments} increments of {l}");
            assert!((1 << (width - 1)) - 1 <= sum, "{increments} increments of {l}");
        }
    }
}

#[test]
fn stuck_counters_stay() {
    for increments in Increments::ALL {
        let width = Rule::widths(increments).0;
        let mut filter = of(100, 3, increments, width);
        (0..20).for_each(|_| assert!(filter.insert("often") == (filter.about.inserted == 1)));
        let before = filter.clone();
        let most = (1 << width) - 1;
        let stuck = RemoveError::Stuck { kind: Kind::VariableIncrement, most };
        assert_eq!(filter.remove("often"), Err(stuck), "{increments}");
        assert!(filter == before && filter.contains("often") && filter.profile().stuck > 0);
        // Merging with a stuck cell makes it stick, in either direction.
        let mut other = of(100, 3, increments, width);
        other.insert("often");
        let one = other.clone();
        other.merge(&filter).unwrap();
        filter.merge(&one).unwrap();
        assert!(other == filter && filter.cells == before.cells, "{increments}");
    }
}

#[test]
fn options_out_of_range_are_named() {
    let target = Target::new(100, 0.01).unwrap();
    let said = Options::new();
    for (options, text) in [
        (
            said.increments(Increments::Interval(1)),
            "increments of a variable-increment filter cannot be 1; it can be 2 to 16",
        ),
        (
            said.increments(Increments::Interval(17)),
            "increments of a variable-increment filter cannot be 17; it can be 2 to 16",
        ),
        (
            said.increments(Increments::Sums(4)),
            "increments of a variable-increment filter cannot be 4; it can be 2 to 3",
        ),
        (
            said.counter_bits(1),
            "counter-bits of a variable-increment filter cannot be 1; it can be 2 to 32",
        ),
        (
            said.counter_bits(33),
            "counter-bits of a variable-increment filter cannot be 33; it can be 2 to 32",
        ),
        (
            said.increments(Increments::Interval(4)).counter_bits(3),
            "counter-bits of a variable-increment filter cannot be 3; it can be 4 to 32",
        ),
    ] {
        let error = VariableIncrement::with_options(target, &options, Seed::FIXED).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(Kind::VariableIncrement.plan(target, &options), Err(error));
    }
}

#[test]
fn other_options_do_not_merge() {
    let mut filter = of(100, 3, Increments::Sums(2), 4);
    for (other, expected) in [
        (of(100, 3, Increments::Sums(3), 4), Mismatch::Option { name: "increments" }),
        (of(100, 3, Increments::Sums(2), 5), Mismatch::Option { name: "counter-bits" }),
        (of(100, 4, Increments::Sums(2), 4), Mismatch::Probes { ours: 3, theirs: 4 }),
        (of(101, 3, Increments::Sums(2), 4), Mismatch::Cells { ours: 100, theirs: 101 }),
    ] {
        assert_eq!(filter.merge(&other), Err(expected));
    }
}

/// The rate holds in every form, from one item on: the mean over filters is the plan's.
#[test]
fn small_filters_keep_the_rate() {
    for increments in Increments::ALL {
        for items in [1, 2, 3, 5, 10, 30] {
            for fpr in [0.999_999, 0.5, 0.1, 0.01, 1e-3] {
                let target = Target::new(items, fpr).unwrap();
                let options = Options::new().increments(increments);
                let plan = Kind::VariableIncrement.plan(target, &options).unwrap();
                let filters = 500;
                let empty = VariableIncrement::with_options(target, &options, Seed::FIXED).unwrap();
                let rates: Vec<f64> = (0..filters)
                    .map(|trial| {
                        let mut filter = empty.clone();
                        (0..items).for_each(|i| {
                            filter.insert_hash(KeyHash(trial << 32 | i).again(3)).unwrap();
                        });
                        filter.profile().fpr_now
                    })
                    .collect();
                let mean = rates.iter().sum::<f64>() / filters as f64;
                let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
                let error = 6.0 * squares.sqrt() / filters as f64;
                let what = format!("{increments}, {items} at {fpr}: {mean} ± {error}, {plan:?}");
                assert!(plan.fpr <= fpr && mean <= 1.02 * plan.fpr + error, "{what}");
                // For so few items the plan errs on the safe side, by up to half an item.
                assert!(items < 5 || mean >= 0.8 * plan.fpr - error, "{what}");
            }
        }
    }
}

/// A cell with any content, as in a forged file: increments added to it are found, alone and after
/// a merge, and so are those added later.
#[test]
fn an_impossible_cell_loses_no_key() {
    for increments in Increments::ALL {
        let rule = Rule::new(increments, Some(Rule::widths(increments).0)).unwrap();
        let amounts: Vec<u64> = (0..64).map(|draw| rule.amount(draw << 10)).collect();
        for forged in 0..1 << rule.cell_bits() {
            for one in &amounts {
                let cell = rule.add(forged, *one);
                let merged = rule.add(*one, forged);
                for cell in [cell, merged] {
                    assert!(rule.subtract(cell, *one).is_some(), "{increments}: {forged} + {one}");
                    let both = rule.add(cell, amounts[5]);
                    assert!(rule.subtract(both, *one).is_some(), "{increments}: {forged} + {one}");
                    assert!(rule.subtract(both, amounts[5]).is_some(), "{increments}: {forged}");
                }
            }
        }
    }
}

/// Distinct keys never look crowded, in small filters, too; two copies of each do once chance is
/// smaller than their effect.
#[test]
fn only_copies_crowd_a_filter() {
    for (n, fpr) in [(1, 0.01), (5, 0.01), (30, 0.1), (100, 0.01), (300, 1e-4), (3000, 1e-6)] {
        for seed in 0..100 {
            let target = Target::new(n, fpr).unwrap();
            let mut filter = VariableIncrement::with_seed(target, Seed::chosen(seed)).unwrap();
            (0..n).for_each(|key| assert!(filter.insert(key) || filter.about.inserted > 1));
            let profile = filter.profile();
            assert!(!profile.crowded, "{n} at {fpr}, seed {seed}: {}", profile.fpr_now);
            (0..n).for_each(|key| _ = filter.insert(key));
            assert!(filter.profile().crowded || n < 300, "{n} at {fpr}, seed {seed}");
        }
    }
}
