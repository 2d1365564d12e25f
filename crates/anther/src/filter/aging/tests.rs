//! Aging filters beyond the laws that all kinds share.

use super::*;
use crate::format::Open;

const RINGS: [Ring; 6] = [
    Ring { probes: 1, generations: 1, inserts: 1, slice_bits: 1 },
    Ring { probes: 1, generations: 3, inserts: 5, slice_bits: 40 },
    Ring { probes: 3, generations: 1, inserts: 7, slice_bits: 64 },
    Ring { probes: 4, generations: 5, inserts: 10, slice_bits: 63 },
    Ring { probes: 7, generations: 5, inserts: 30, slice_bits: 303 },
    Ring { probes: 9, generations: 32, inserts: 3, slice_bits: 47 },
];

fn empty(ring: Ring) -> Aging {
    Aging::with_ring(ring, Seed::FIXED).unwrap()
}

fn key(i: u64) -> KeyHash {
    KeyHash(5).again(i)
}

/// The published rule: slices that move, each with the number of its hash, the newest first.
struct Model {
    ring: Ring,
    slices: Vec<(u64, Vec<bool>)>,
    count: u64,
}

impl Model {
    fn new(ring: Ring) -> Model {
        let empty = vec![false; ring.slice_bits as usize];
        let slices = (0..u64::from(ring.slices())).map(|number| (number, empty.clone()));
        Model { ring, slices: slices.collect(), count: 0 }
    }

    fn shift(&mut self) {
        self.slices.rotate_right(1);
        self.slices[0].1.fill(false);
        self.count = 0;
    }

    fn insert(&mut self, key: KeyHash) {
        if self.count == self.ring.inserts {
            self.shift();
        }
        self.count += 1;
        for (number, slice) in &mut self.slices[..self.ring.probes as usize] {
            slice[scale(key.again(*number).0, self.ring.slice_bits) as usize] = true;
        }
    }

    fn contains(&self, key: KeyHash) -> bool {
        let place = |number: u64| scale(key.again(number).0, self.ring.slice_bits) as usize;
        self.slices
            .windows(self.ring.probes as usize)
            .any(|row| row.iter().all(|(number, slice)| slice[place(*number)]))
    }
}

#[test]
fn it_follows_the_published_rule() {
    for ring in RINGS {
        let (mut filter, mut model) = (empty(ring), Model::new(ring));
        let many = 3 * u64::from(ring.slices()) * ring.inserts;
        for arrival in 0..many {
            let key = key(arrival % (many / 2));
            assert_eq!(filter.insert_hash(key), Ok(!model.contains(key)));
            model.insert(key);
            assert_eq!(filter.arrivals, model.count);
            for other in (0..20).map(|i| KeyHash(6).again(arrival * 20 + i)) {
                assert_eq!(filter.contains_hash(other), model.contains(other), "{ring:?}");
            }
        }
        for (number, slice) in model.slices {
            let first = number * ring.slice_bits;
            assert!((first..).zip(slice).all(|(bit, one)| filter.bits.get(bit) == one));
        }
    }
}

/// The law of the window: at every moment, all of the latest l·g inserts are found.
#[test]
fn the_window_is_surely_found() {
    for ring in RINGS {
        let mut filter = empty(ring);
        for arrival in 0..4 * u64::from(ring.slices()) * ring.inserts {
            filter.insert_hash(key(arrival)).unwrap();
            let oldest = (arrival + 1).saturating_sub(ring.window());
            let mut latest = oldest..=arrival;
            assert!(latest.all(|i| filter.contains_hash(key(i))), "{ring:?}, {arrival}");
        }
    }
    for (items, fpr) in [(1, 0.5), (1, 1e-8), (10, 0.9), (33, 0.01), (1000, 0.01), (5000, 1e-4)] {
        let mut filter = Aging::new(Target::new(items, fpr).unwrap()).unwrap();
        for arrival in 0..3 * items + 100 {
            filter.insert_hash(key(arrival)).unwrap();
            let ages = [0, 1, items / 2, items - 1].map(|age| age.min(arrival));
            assert!(ages.iter().all(|age| filter.contains_hash(key(arrival - age))), "{items}");
        }
    }
}

/// After k+l generations not a bit of a key is left: the filter is the same as without it.
#[test]
fn what_is_old_is_gone() {
    for ring in RINGS {
        let (mut with, mut without) = (empty(ring), empty(ring));
        for i in 0..ring.inserts {
            with.insert_hash(key(i)).unwrap();
            without.insert_hash(key(1 << 40 | i)).unwrap();
        }
        let many = u64::from(ring.slices()) * ring.inserts;
        for i in 0..many {
            let left = with.bits != without.bits;
            assert!(left || i > 0 || ring.slice_bits == 1, "{ring:?}");
            assert!(!left || i <= many - ring.inserts, "{ring:?}: after {i} inserts");
            with.insert_hash(key(1 << 41 | i)).unwrap();
            without.insert_hash(key(1 << 41 | i)).unwrap();
        }
        assert_eq!(with, without);
    }
}

/// Every insert counts: a repeated key makes the others old.
#[test]
fn copies_count() {
    for ring in RINGS.into_iter().filter(|ring| ring.slice_bits > 1) {
        let mut filter = empty(ring);
        filter.insert_hash(key(0)).unwrap();
        for _ in 0..u64::from(ring.slices()) * ring.inserts {
            filter.insert_hash(key(1)).unwrap();
        }
        let mut one = empty(ring);
        one.insert_hash(key(1)).unwrap();
        assert!(filter.contains_hash(key(1)) && !filter.contains_hash(key(0)), "{ring:?}");
        // One bit of one key in every slice.
        assert_eq!(filter.bits.ones(), u64::from(ring.slices()), "{ring:?}");
    }
}

/// Many generations at once are as many in turn, and their answers are known before.
#[test]
fn advancing_is_foretold() {
    for ring in RINGS {
        let slices = u64::from(ring.slices());
        let mut filter = empty(ring);
        for i in 0..3 * slices * ring.inserts + 1 {
            filter.insert_hash(key(i)).unwrap();
        }
        let mut step_by_step = filter.clone();
        for generations in 0..2 * slices + 3 {
            let mut moved = filter.clone();
            moved.advance(generations);
            assert_eq!(moved, step_by_step, "{ring:?}, {generations}");
            step_by_step.advance(1);
            let newest = 3 * slices * ring.inserts + 1;
            for i in
                (newest - 2 * ring.window().min(newest / 2)..newest).chain(1 << 40..1 << 40 | 200)
            {
                let foretold = filter.contains_hash_after(key(i), generations);
                assert_eq!(foretold, moved.contains_hash(key(i)), "{ring:?}, {generations}, {i}");
            }
            let empty = moved.bits.ones() == 0;
            assert!(empty || generations < slices, "{ring:?}, {generations}");
            assert!(generations == 0 || moved.arrivals == 0);
        }
        for generations in [slices, 1 << 32, u64::MAX] {
            assert!(!filter.contains_hash_after(key(0), generations));
            let mut moved = filter.clone();
            moved.advance(generations);
            assert_eq!(moved.bits.ones(), 0);
        }
    }
}

/// A window of time: l generations by the clock, with any number of keys up to the capacity, and
/// early ends of generations beyond it.
#[test]
fn a_window_of_time_is_found() {
    let ring = Ring { probes: 7, generations: 5, inserts: 30, slice_bits: 303 };
    let mut filter = empty(ring);
    assert_eq!(filter.generations(), Generations { window: 5, all: 12, inserts: 30 });
    let mut inserted: Vec<(u64, KeyHash)> = Vec::new();
    for tick in 0..200u64 {
        for i in 0..tick * 7 % 31 {
            filter.insert_hash(key(tick << 20 | i)).unwrap();
            inserted.push((tick, key(tick << 20 | i)));
        }
        for (then, key) in inserted.iter().rev().take(300) {
            if then + 5 >= tick {
                assert!(filter.contains_hash(*key), "inserted at {then}, now {tick}");
                assert!(filter.contains_hash_after(*key, then + 5 - tick));
            }
        }
        filter.advance(1);
    }
    // Beyond the capacity the number of inserts ends generations, and the rate holds.
    (0..3000).for_each(|i| {
        filter.insert_hash(key(1 << 40 | i)).unwrap();
    });
    assert!(filter.profile().fpr_now < 2.0 * ring.full_rate());
    assert!((3000 - ring.window()..3000).all(|i| filter.contains_hash(key(1 << 40 | i))));
}

/// The bits of a key in two slices are independent, for neighbours as for others: as far apart as
/// two random places, and no closer for keys that share a bit in one slice.
#[test]
fn slices_have_hashes_of_their_own() {
    let ring = Ring { probes: 9, generations: 32, inserts: 100, slice_bits: 64 };
    let filter = empty(ring);
    let place = |i: u64, age: u32| filter.bit(key(i), age) % ring.slice_bits;
    const KEYS: u64 = 64_000;
    for (one, other) in [(0, 1), (1, 2), (0, 9), (7, 40), (39, 40), (0, 40)] {
        let mut pairs = vec![0u32; 64 * 64];
        for i in 0..KEYS {
            pairs[(place(i, one) * 64 + place(i, other)) as usize] += 1;
        }
        // χ² of 4096 cells has mean 4095 and deviation √(2·4095) = 90.5.
        let mean = KEYS as f64 / 4096.0;
        let squares: f64 = pairs.iter().map(|pair| (f64::from(*pair) - mean).powi(2) / mean).sum();
        assert!((squares - 4095.0).abs() < 6.0 * 90.5, "{one} {other}: {squares}");
    }
}

/// Saved in the middle of a stream and read back, it continues as if it had not been saved.
#[test]
fn a_saved_filter_continues() {
    for after in [0, 1, 499, 500, 501, 3000, 3007] {
        let mut filter = Aging::new(Target::new(500, 0.01).unwrap()).unwrap();
        filter.extend(0..after);
        let mut bytes = Vec::new();
        filter.write_to(&mut bytes).unwrap();
        let mut again: Aging = Open::new().bytes(&bytes).unwrap();
        assert_eq!(again, filter);
        filter.extend(3000..6000u32);
        again.extend(3000..6000u32);
        assert_eq!(again, filter);
    }
}

/// The target is kept for ever, however small the window: on average over many filters and moments.
#[test]
fn the_rate_holds_for_any_number_of_inserts() {
    const FILTERS: u64 = 40;
    for (items, fpr) in [(1, 0.3), (10, 0.05), (100, 0.01), (2000, 0.01), (3000, 1e-3)] {
        let target = Target::new(items, fpr).unwrap();
        let mut sum = 0.0;
        let mut squares = 0.0;
        for number in 0..FILTERS {
            let mut filter = Aging::new(target).unwrap();
            let ring = filter.ring();
            let many = 3 * u64::from(ring.slices()) * ring.inserts;
            for i in 0..many {
                filter.insert_hash(key(number << 32 | i)).unwrap();
            }
            let rate = filter.profile().fpr_now / ring.full_rate();
            sum += rate;
            squares += rate * rate;
            assert!(ring.full_rate() <= fpr && ring.full_rate() > 0.6 * fpr, "{items} {fpr}");
        }
        let mean = sum / FILTERS as f64;
        let error = ((squares / FILTERS as f64 - mean * mean) / (FILTERS - 1) as f64).sqrt();
        assert!((mean - 1.0).abs() < 6.0 * error, "{items} at {fpr}: {mean} ± {error}");
    }
}

#[test]
fn invalid_options_are_named() {
    let target = Target::new(1000, 0.01).unwrap();
    let refused = |options: Options| {
        Aging::with_options(target, &options, Seed::FIXED).unwrap_err().to_string()
    };
    assert!(refused(Options::new().window(0)).starts_with("window of an aging filter"));
    assert!(refused(Options::new().window(u64::MAX)).starts_with("window of an aging filter"));
    assert!(refused(Options::new().misses(0.1)).contains("misses"));
    let large = Aging::plan(target, &Options::new().window(1 << 45)).unwrap_err();
    assert!(matches!(large, SizeError::TooLarge { got, .. } if got < u64::MAX), "{large}");
    let window = Aging::with_options(target, &Options::new().window(70), Seed::FIXED).unwrap();
    assert_eq!(window, Aging::new(Target::new(70, 0.01).unwrap()).unwrap());

    let good = Ring { probes: 4, generations: 5, inserts: 10, slice_bits: 63 };
    let made = |ring| Aging::with_ring(ring, Seed::FIXED).unwrap_err();
    let error = made(Ring { slice_bits: 0, ..good });
    assert!(matches!(error, SizeError::TooSmall { .. }));
    let error = made(Ring { slice_bits: 1 << 44, ..good });
    assert!(matches!(error, SizeError::TooLarge { .. }));
    for probes in [0, 65, u32::MAX] {
        assert!(matches!(made(Ring { probes, ..good }), SizeError::Probes { .. }));
    }
    for generations in [0, 1025, u32::MAX] {
        let text = made(Ring { generations, ..good }).to_string();
        assert!(text.starts_with("generations of"), "{text}");
    }
    for inserts in [0, Target::MAX_ITEMS + 1, u64::MAX] {
        let text = made(Ring { inserts, ..good }).to_string();
        assert!(text.starts_with("inserts of"), "{text}");
    }
}

/// Whatever the arrivals, as long as no more than the target's items come within the window of time:
/// every key is found for that time, and the rate holds.
#[test]
fn a_window_of_time_loses_nothing_before_its_time() {
    let target = Target::new(2000, 0.01).unwrap();
    let empty = Aging::timed(target, Seed::FIXED).unwrap();
    let window = u64::from(empty.generations().window);
    assert!(window >= 8 && empty.ring().probes <= empty.ring().generations);
    // Shares of the items per generation of a window: all at once, evenly, twice in a hurry.
    let even = vec![2000 / window; window as usize];
    let mut burst = vec![0; window as usize];
    burst[0] = 2000;
    let mut twice = vec![0; window as usize];
    (twice[0], twice[2]) = (900, 1100);
    for arrivals in [even, burst, twice] {
        let mut filter = empty.clone();
        let (mut next, mut began) = (0, std::collections::VecDeque::new());
        for (generation, count) in (0..).zip(arrivals.iter().cycle().take(5 * arrivals.len())) {
            if generation > 0 {
                filter.advance(1);
            }
            began.push_front(next);
            for _ in 0..*count {
                filter.insert_hash(key(next)).unwrap();
                next += 1;
            }
            // The newest generation and those of the window before it.
            let oldest = *began.iter().take(window as usize + 1).next_back().unwrap();
            assert!((oldest..next).all(|i| filter.contains_hash(key(i))), "{arrivals:?}");
            // By chance, a filter of this size may have 4 % more, and five times that.
            assert!(filter.profile().fpr_now <= 0.012, "{}", filter.profile().fpr_now);
        }
        let absent = (1 << 40..(1 << 40) + 100_000).filter(|i| filter.contains_hash(key(*i)));
        // 1.2 % of 100,000 and six deviations.
        assert!(absent.count() <= 1406);
    }
    // Ten times as many are all found, and the rate says so.
    let mut filter = empty.clone();
    for i in 0..20_000 {
        filter.insert_hash(key(i)).unwrap();
    }
    assert!((0..20_000).all(|i| filter.contains_hash_after(key(i), window)));
    assert!(filter.profile().fpr_now > 0.1);
}
