//! Inspection: the rows of a filter are all that it stores, and the cells that a key touches decide
//! the answer.

use super::*;

/// A small filter, and the keys in it.
struct Shown {
    what: String,
    filter: AnyFilter,
    keys: Vec<KeyHash>,
}

/// Filters of every kind, and of every form with other rows: empty, half full and full.
fn all_shown() -> Vec<Shown> {
    let target = |items, fpr| Target::new(items, fpr).unwrap();
    let mut all = Vec::new();
    let forms = [
        (Kind::Spectral, Options::new().method(Method::Recurring)),
        (Kind::Spectral, Options::new().method(Method::Increase)),
        (Kind::Deletable, Options::new().regions(17)),
        (Kind::Floom, Options::new().regions(5)),
        (Kind::Scalable, Options::new().over(Kind::Classic)),
        (Kind::Scalable, Options::new().over(Kind::Counting)),
        (Kind::Fuse, Options::new().arity(4)),
        (Kind::Bloomier, Options::new().arity(4).value_bits(64)),
        (Kind::Cuckoo, Options::new().bucket_size(8)),
        (Kind::Stable, Options::new().counter_bits(3)),
    ];
    for &kind in Kind::ALL {
        let of_kind = forms.iter().filter(|(other, _)| *other == kind);
        let of_kind = of_kind.map(|(_, options)| *options).chain([Options::new()]);
        for options in of_kind {
            for (items, fpr, load) in
                [(300, 0.01, 300), (300, 1e-4, 150), (40, 0.5, 40), (30, 0.2, 0)]
            {
                let keys = Random::new(items).hashes(load);
                let work = Work::new();
                let target = target(items, fpr);
                let filter = build(kind, &keys, target, &options, Seed::FIXED, work);
                let what = format!("{kind}, {load} of {items} at {fpr}, {options:?}");
                all.push(Shown { what, filter: filter.unwrap(), keys });
            }
        }
    }
    let keys = Random::new(1).hashes(1000);
    for over in [Kind::Classic, Kind::Blocked, Kind::Counting] {
        let options = Options::new().over(over);
        let kind = Kind::Scalable;
        let mut filter =
            AnyFilter::with_options(kind, target(60, 0.01), &options, Seed::FIXED).unwrap();
        put(&mut filter, &keys);
        assert!(filter.profile().layers > 3);
        all.push(Shown { what: format!("grown over {over}"), filter, keys: keys.clone() });
    }
    let queries = keys.iter().take(20).map(|key| (*key, 1000));
    let queries = Queries::counted(queries).unwrap().hot(20).likelihood(0.001).unwrap();
    let mut filter = Weighted::for_queries(target(990, 0.05), &queries, Seed::FIXED).unwrap();
    assert_eq!(filter.hot_keys(), 20);
    keys[10..].iter().for_each(|key| {
        anther::Insert::insert_hash(&mut filter, *key).unwrap();
    });
    all.push(Shown { what: "a table".into(), filter: filter.into(), keys: keys[10..].to_vec() });
    let pairs: Vec<_> = keys.iter().map(|key| (*key, key.0 >> 50)).collect();
    let (target, options) = (target(1000, 0.01), Options::new().value_bits(14));
    let (seed, work) = (Seed::FIXED, Work::new());
    let filter = Bloomier::build_pairs(&mut &pairs[..], target, &options, true, seed, work);
    all.push(Shown { what: "mutable".into(), filter: filter.unwrap().into(), keys });
    all
}

/// The values that a key touches, with the names of their rows.
fn touched(filter: &AnyFilter, key: KeyHash) -> Vec<(Touch, &'static str, u64)> {
    let rows = filter.rows();
    let seen = |touch: Touch| (touch, rows[touch.row].name, rows[touch.row].cells.get(touch.cell));
    filter.touches(key).into_iter().map(seen).collect()
}

#[test]
fn every_touch_is_within_its_row() {
    for Shown { what, filter, keys } in all_shown() {
        let rows = filter.rows();
        let mut reached = vec![HashSet::new(); rows.len()];
        for key in keys.iter().copied().chain(Random::new(90).hashes(500)) {
            for touch in filter.touches(key) {
                assert!(touch.row < rows.len(), "{what}: {touch:?}");
                assert!(touch.cell < rows[touch.row].cells.cells(), "{what}: {touch:?}");
                reached[touch.row].insert(touch.cell);
            }
        }
        // Keys touch all parts of a row, not only its beginning.
        for (row, reached) in rows.iter().zip(reached).filter(|(row, _)| row.cells.cells() > 0) {
            let (last, cells) = (reached.iter().max(), row.cells.cells());
            let last = last.map_or(0, |last| last + 1) as f64 / cells as f64;
            // Few of all possible signatures ever occur.
            let ends = ["signatures", "hot hashes", "hot probes"].contains(&row.name);
            assert!(ends || last > 0.8, "{what}, {}: {last} of {cells}", row.name);
            if row.cells.width() < u64::BITS {
                assert!((0..cells).all(|cell| row.cells.get(cell) >> row.cells.width() == 0));
            }
        }
    }
}

/// Rows are all of a filter's bits. Bits of a word that are never used are not shown.
#[test]
fn rows_are_all_that_is_stored() {
    for Shown { what, filter, .. } in all_shown() {
        let rows = filter.rows();
        let shown: u64 =
            rows.iter().map(|row| row.cells.cells() * u64::from(row.cells.width())).sum();
        let bits = filter.profile().bits;
        match filter.kind() {
            // 61 bits per word.
            Kind::Robust => assert_eq!(shown * 64, bits * 61, "{what}"),
            // Thresholds of two bits begin and end with a word.
            Kind::Ribbon => assert_eq!(shown.next_multiple_of(64), bits, "{what}"),
            Kind::Cascade => assert!((shown..shown + 2 * 64).contains(&bits), "{what}"),
            _ => assert_eq!(shown, bits, "{what}"),
        }
    }
}

/// The answer that follows from the touched cells, for kinds where the rows alone determine it. The
/// others have tests of their own.
fn told(filter: &AnyFilter, key: KeyHash) -> Option<bool> {
    let touched = touched(filter, key);
    let named = |name: &'static str| touched.iter().filter(move |(_, other, _)| *other == name);
    let parameter =
        |name| filter.parameters().iter().find(|(other, _)| other == name).unwrap().1.to_string();
    let check = |name: &'static str| {
        let xor = named(name).fold(0, |xor, (.., value)| xor ^ value);
        let bits = parameter("check.bits").parse::<u32>().unwrap();
        named(name).count() > 0 && (xor ^ key.again(0).0) << (64 - bits) == 0
    };
    match filter.kind() {
        Kind::Classic
        | Kind::Blocked
        | Kind::Split
        | Kind::Compressed
        | Kind::Counting
        | Kind::Deletable
        | Kind::Weighted
        | Kind::Spectral
        | Kind::Stable
        | Kind::Robust
        | Kind::Floom => {
            let asked = |name| ["bits", "counters", "signatures"].contains(&name);
            Some(touched.iter().filter(|(_, name, _)| asked(*name)).all(|(.., value)| *value > 0))
        }
        Kind::Aging => {
            let row = parameter("probes").parse::<usize>().unwrap();
            Some(touched.windows(row).any(|row| row.iter().all(|(.., value)| *value == 1)))
        }
        Kind::Scalable => {
            let layers = 0..filter.rows().len();
            let all = |layer| {
                touched
                    .iter()
                    .filter(move |(touch, ..)| touch.row == layer)
                    .all(|(.., value)| *value > 0)
            };
            Some(layers.into_iter().any(all))
        }
        Kind::Generalized => {
            let clears = parameter("clears").parse::<usize>().unwrap();
            let (clear, set) = touched.split_at(clears);
            let cleared = |cell: &Touch| clear.iter().any(|(other, ..)| other == cell);
            Some(
                clear.iter().all(|(.., value)| *value == 0)
                    && set.iter().all(|(touch, _, value)| *value == 1 || cleared(touch)),
            )
        }
        Kind::Fuse => {
            let width = filter.rows()[0].cells.width();
            let xor = named("slots").fold(0, |xor, (.., value)| xor ^ value);
            Some(named("slots").count() > 0 && (xor ^ key.again(0).0) << (64 - width) == 0)
        }
        Kind::Bloomier => match filter.rows()[0].name {
            // With three cells, an own-cell number of 3 is invalid even where the check holds.
            "owners" => check("owners").then_some(named("values").count() == 1),
            name => Some(check(name)),
        },
        Kind::VariableIncrement
        | Kind::DLeft
        | Kind::Cuckoo
        | Kind::Quotient
        | Kind::Ribbon
        | Kind::Cascade => None,
        kind => unreachable!("{kind}: add how its cells determine the answer"),
    }
}

#[test]
fn the_touched_cells_determine_the_answer() {
    for Shown { what, filter, keys } in all_shown() {
        let mut answers = [0; 2];
        for key in keys.iter().copied().chain(Random::new(91).hashes(2000)) {
            let found = filter.contains_hash(key);
            let told = told(&filter, key);
            assert!(told.is_none_or(|told| told == found), "{what}: {found}, {told:?}");
            answers[usize::from(found)] += 1;
            // A present key has left a mark, where that can be seen at all; in a generalized
            // filter it may be nothing but zeros.
            let rows = filter.rows();
            let mut seen = touched(&filter, key).into_iter();
            let marked = seen.any(|(touch, _, value)| rows[touch.row].marks && value > 0);
            let blind = !rows.iter().any(|row| row.marks) || filter.kind() == Kind::Generalized;
            assert!(!found || marked || blind, "{what}");
        }
        assert!(answers[0] > 0 && (answers[1] > 0 || keys.is_empty()), "{what}: {answers:?}");
    }
}

/// The regions of bits are those whose marks a key touches.
#[test]
fn groups_are_the_regions_of_the_kinds() {
    for Shown { what, filter, .. } in all_shown() {
        let rows = filter.rows();
        for key in Random::new(92).hashes(300) {
            let touches = filter.touches(key);
            let groups = touches.iter().filter(|touch| touch.row == 0);
            let groups: Vec<u64> =
                groups.filter_map(|touch| rows[0].group_of(touch.cell)).collect();
            let other = touches.iter().filter(|touch| touch.row == 1).map(|touch| touch.cell);
            match filter.kind() {
                Kind::Deletable => assert!(other.eq(groups), "{what}"),
                Kind::Floom => {
                    let signature = groups.iter().fold(0, |all, group| all | 1 << group);
                    assert!(other.eq([signature]), "{what}");
                }
                Kind::Blocked | Kind::Split => {
                    assert!(groups.iter().all(|group| *group == groups[0]), "{what}: one line");
                }
                Kind::Aging => {
                    let slices: HashSet<_> = groups.iter().collect();
                    assert_eq!(slices.len(), touches.len(), "{what}: one bit in each slice");
                }
                Kind::Cuckoo | Kind::DLeft => {
                    let buckets: HashSet<_> = groups.iter().collect();
                    assert_eq!(buckets.len() as u32, filter.profile().probes, "{what}");
                }
                _ => {}
            }
        }
    }
}

/// All values of all rows.
fn values(filter: &AnyFilter) -> Vec<Vec<u64>> {
    let row =
        |row: anther::Row<'_>| (0..row.cells.cells()).map(|cell| row.cells.get(cell)).collect();
    filter.rows().into_iter().map(row).collect()
}

/// What an insert changed in the cells.
struct Change {
    before: Vec<Vec<u64>>,
    after: Vec<Vec<u64>>,
    /// The cells that changed and are not among those that the key touches, before or after: their
    /// old and new values.
    elsewhere: Vec<(Touch, u64, u64)>,
}

/// A kind, why its inserts change cells that the key does not touch, and what holds nevertheless.
type Moving = (Kind, &'static str, fn(&Change) -> bool);

const MOVING: [Moving; 4] = [
    (Kind::Cuckoo, "tags move to make room, and none is lost", |change| {
        let sorted = |rows: &[Vec<u64>]| {
            let mut tags: Vec<u64> = rows[0].iter().copied().filter(|tag| *tag > 0).collect();
            tags.sort_unstable();
            tags
        };
        let (before, mut after) = (sorted(&change.before), sorted(&change.after));
        // One more tag; without it the rest is as before.
        let new = (0..after.len()).find(|at| before.get(*at) != Some(&after[*at]));
        new.is_some_and(|at| {
            after.remove(at);
            after == before
        })
    }),
    (Kind::Quotient, "runs move to make room; in twice the slots all move", |change| {
        let doubled = change.after[0].len() > change.before[0].len();
        doubled || change.elsewhere.iter().all(|(touch, ..)| touch.row != 1)
    }),
    (Kind::Aging, "a generation ends, and the oldest slice is emptied", |change| {
        change.elsewhere.iter().all(|(_, was, is)| (*was, *is) == (1, 0))
    }),
    (Kind::Stable, "each insert ages cells anywhere", |change| {
        change.elsewhere.iter().all(|(_, was, is)| is + 1 == *was)
    }),
];

#[test]
fn an_insert_changes_what_the_key_touches() {
    let (mut moved, mut grown) = (HashSet::new(), HashSet::new());
    for Shown { what, mut filter, .. } in all_shown() {
        let (kind, can) = (filter.kind(), filter.kind().capabilities());
        if !can.insert {
            continue;
        }
        let moving = MOVING.iter().find(|(other, ..)| *other == kind);
        let mut new = 0;
        // Until it is full, or has another layer, where possible.
        let count = if can.fills_up || can.grow { 400 } else { 30 };
        for key in Random::new(93).hashes(count) {
            let before = values(&filter);
            let mut touches: HashSet<Touch> = filter.touches(key).into_iter().collect();
            let Ok(is_new) = filter.as_insert().unwrap().insert_hash(key) else { break };
            // A new layer's cells are touched, too.
            touches.extend(filter.touches(key));
            let after = values(&filter);
            if after.len() > before.len() {
                grown.insert(kind);
            }
            let (mut own, mut elsewhere) = (0, Vec::new());
            for (row, cells) in after.iter().enumerate() {
                for (cell, is) in (0..).zip(cells) {
                    let was = before.get(row).and_then(|row| row.get(cell as usize)).unwrap_or(&0);
                    let touch = Touch { row, cell };
                    if was == is {
                        continue;
                    }
                    match touches.contains(&touch) {
                        true => own += 1,
                        false => elsewhere.push((touch, *was, *is)),
                    }
                }
            }
            assert!(own > 0 || !is_new || moving.is_some(), "{what}: nothing changed");
            new += u32::from(is_new);
            if !elsewhere.is_empty() {
                moved.insert(kind);
            }
            let change = Change { before, after, elsewhere };
            match moving {
                Some((_, why, holds)) => assert!(holds(&change), "{what}: {why}"),
                None => assert_eq!(change.elsewhere, [], "{what}"),
            }
        }
        assert!(new > 0, "{what}");
    }
    // Each exception is needed.
    assert_eq!(moved, HashSet::from(MOVING.map(|(kind, ..)| kind)));
    assert_eq!(grown, HashSet::from([Kind::Scalable]));
}
