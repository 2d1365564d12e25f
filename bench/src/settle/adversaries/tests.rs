//! What SECURITY.md promises: chosen keys succeed where the seed is known, and are keys like any
//! others where it is not.

use super::attack::FPR;
use super::objects::{self, RangeOutcome};
use super::outcome::{Blocked, Outcome, Positives, Size};
use super::timing::best_guess;
use anther::Kind;

/// A second or two in a debug build.
const QUICK: Size =
    Size { items: 300, secrets: 3, queries: 2000, forged: 50, removals: 30, pool: 10 };

/// Six standard deviations above this rate, by the binomial.
fn bound(of: u64, rate: f64) -> f64 {
    let mean = of as f64 * rate;
    mean + 6.0 * (mean * (1.0 - rate)).sqrt()
}

/// Positive lookups are no more than chance would have them.
fn is_chance(positives: Positives, rate: f64) -> bool {
    positives.found as f64 <= bound(positives.of, rate)
}

#[test]
fn chosen_keys_work_against_the_fixed_seed_and_do_nothing_to_secret_keys() {
    for &kind in Kind::ALL {
        let outcome = Outcome::measure(kind, QUICK).unwrap();
        let [fixed, keyed] = outcome.polluted;
        // By chance a filter may be fuller than another: a tenth of the rate.
        assert!(is_chance(outcome.honest, 1.1 * FPR), "{kind}: {outcome:?}");
        assert!(is_chance(keyed, 1.1 * FPR), "{kind}, chosen inserts: {outcome:?}");
        if spreads_bits(kind) {
            assert!(fixed.share() > 2.0 * FPR, "{kind}, chosen inserts: {outcome:?}");
        }

        let [fixed, keyed] = outcome.forged;
        assert!(fixed.of > 0 || kind.capabilities().experimental, "{kind}: {outcome:?}");
        assert_eq!(fixed.found, fixed.of, "{kind}, chosen lookups");
        assert!(is_chance(keyed, 1.1 * FPR), "{kind}, chosen lookups: {outcome:?}");

        if let Some([fixed, keyed]) = outcome.lost {
            assert!(fixed > 15.0, "{kind}, removals: {outcome:?}");
            // At most this many removals are accepted, and each loses as many keys as one that
            // the attacker found.
            let accepted = bound((QUICK.removals * QUICK.secrets) as u64, 1.1 * FPR);
            let each = 2.0 * fixed / QUICK.removals as f64;
            let most = accepted * each.max(8.0) / QUICK.secrets as f64;
            assert!(keyed <= most, "{kind}, removals: {outcome:?}");
        }

        let least = match kind {
            Kind::Cuckoo => 8,
            Kind::DLeft => 1,
            Kind::Fuse | Kind::Bloomier => 2,
            _ => 0,
        };
        match outcome.blocked {
            Blocked::Never => assert_eq!(least, 0, "{kind}"),
            Blocked::Rejects { after: chosen, keyed, .. }
            | Blocked::Unsolved { chosen, keyed, .. } => {
                assert!((least..=QUICK.items as usize / 2).contains(&chosen), "{kind}: {chosen}");
                assert_eq!(keyed, 0, "{kind}, inserts rejected with a secret key");
            }
        }
    }
}

#[test]
fn two_chosen_elements_stop_an_iblt_unless_its_key_is_secret() {
    let outcome = objects::iblt(QUICK).unwrap();
    assert_eq!((outcome.keyed, outcome.secrets), (0, QUICK.secrets), "{outcome:?}");
    // By the birthday problem: the square root of the cells of a part, cubed.
    assert!((100..20_000).contains(&outcome.tried), "{outcome:?}");
    // The others are decoded but for those that share cells with them.
    assert!(outcome.hidden_by_pair < outcome.honest / 10, "{outcome:?}");
    assert!(outcome.hidden_by_more >= outcome.hidden_by_pair, "{outcome:?}");
}

#[test]
fn chosen_keys_do_not_raise_the_rate_of_range_filters_and_chosen_ranges_match() {
    let outcome = RangeOutcome::measure(QUICK).unwrap();
    for polluted in outcome.polluted {
        assert!(polluted.of > 0 && is_chance(polluted, 1.1 * FPR), "{outcome:?}");
    }
    for [fixed, keyed] in [outcome.forged, outcome.aimed] {
        assert!(fixed.of > 0 && fixed.found == fixed.of, "{outcome:?}");
        assert!(is_chance(keyed, 1.1 * FPR), "{outcome:?}");
    }
    // What a secret key does not hide.
    for aligned in outcome.aligned {
        assert!(aligned.of > 0 && aligned.found == aligned.of, "{outcome:?}");
    }
}

/// Kinds whose false-positive rate grows with the number of bits that keys set.
fn spreads_bits(kind: Kind) -> bool {
    matches!(kind, Kind::Classic | Kind::Blocked | Kind::Split | Kind::Counting)
}

#[test]
fn the_best_guess_is_a_coin_or_certain() {
    assert_eq!(best_guess(&[1.0, 2.0], &[1.0, 2.0]), 0.5);
    assert_eq!(best_guess(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
    assert_eq!(best_guess(&[3.0, 4.0], &[1.0, 2.0]), 1.0);
    assert_eq!(best_guess(&[1.0, 3.0], &[2.0, 4.0]), 0.75);
}

#[test]
fn both_tables_of_the_page_have_every_kind_and_the_objects_beside_them() {
    let page = include_str!("../../../../SECURITY.md");
    for &kind in Kind::ALL {
        let row = format!("| `{kind}` |");
        assert_eq!(page.lines().filter(|line| line.starts_with(&row)).count(), 2, "{kind}");
    }
    // An iblt is decoded, not queried, so there is no lookup to time.
    for (object, rows) in [("iblt", 1), ("range", 2)] {
        let row = format!("| `{object}` |");
        assert_eq!(page.lines().filter(|line| line.starts_with(&row)).count(), rows, "{object}");
    }
}
