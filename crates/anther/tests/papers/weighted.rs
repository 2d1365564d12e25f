//! Bruck, Gao and Jiang 2006: more probes for the keys that are queried most, and the cost of the
//! table of those keys.

use crate::papers::table::{Measured, Table};
use crate::papers::trial::{ABSENT, key, mean};
use anther::sizing::weighted::{self, Demand, ENTRY_BITS};
use anther::sizing::{bloom, bound};
use anther::{Classic, Filter, Insert, KeyHash, Queries, Seed, Shape, Target, Weighted};

const UNIVERSE: u64 = 20_000;
const ITEMS: u64 = 2000;
const BITS: u64 = 16_000;
/// The probability that a key is in the set.
const LIKELIHOOD: f64 = 0.1;

/// Zipf's law: the share of the queries that key i gets.
fn share(i: u64) -> f64 {
    1.0 / (i + 1) as f64 / (0..UNIVERSE).map(|i| 1.0 / (i + 1) as f64).sum::<f64>()
}

fn shares() -> Vec<f64> {
    let first = share(0);
    (0..UNIVERSE).map(|i| first / (i + 1) as f64).collect()
}

fn queries(hot: usize) -> Queries {
    let keys = (0..UNIVERSE).zip(shares()).map(|(i, share)| (key(0, i), share));
    Queries::weighted(keys).unwrap().hot(hot).likelihood(LIKELIHOOD).unwrap()
}

/// The demands of the first `hot` keys, and of the others together.
fn demands(hot: usize) -> Vec<Demand> {
    let shares = shares();
    let demand = |share: f64, members| Demand { asked: share * (1.0 - LIKELIHOOD), members };
    let others = demand(shares[hot..].iter().sum(), ITEMS as f64 - LIKELIHOOD * hot as f64);
    let hot = shares[..hot].iter().map(|share| demand(*share, LIKELIHOOD));
    hot.chain([others]).collect()
}

fn predicted(bits: u64, hot: usize) -> f64 {
    let k = bloom::best_probes(bits, ITEMS);
    let level = weighted::best_level(bits, ITEMS, k, &demands(hot));
    level.map_or(bloom::rate(bits, ITEMS, k), |level| level.rate)
}

/// The rate over the queries for absent keys, for filters with different members. All keys are
/// queried, each by its weight: so only the choice of the members is random.
fn measure<F: Filter + Insert + Clone>(trials: u64, empty: &F) -> Measured {
    let shares = shares();
    let rates = (0..trials).map(|trial| {
        let mut order: Vec<u64> = (0..UNIVERSE).collect();
        order.select_nth_unstable_by_key(ITEMS as usize, |i| key(trial + 1, *i));
        let (members, absent) = order.split_at(ITEMS as usize);
        let mut filter = empty.clone();
        members.iter().for_each(|i| {
            filter.insert_hash(key(0, *i)).unwrap();
        });
        assert!(members.iter().all(|i| filter.contains_hash(key(0, *i))));
        let asked: f64 = absent.iter().map(|i| shares[*i as usize]).sum();
        let wrong = absent.iter().filter(|i| filter.contains_hash(key(0, **i)));
        wrong.map(|i| shares[*i as usize]).sum::<f64>() / asked
    });
    // Enough queries that all of the variance is that of the filters.
    mean(&rates.collect::<Vec<f64>>(), 1 << 40)
}

fn classic(bits: u64) -> Classic {
    Classic::with_shape(Shape::bits(bits).items(ITEMS), Seed::FIXED).unwrap()
}

fn made(bits: u64, hot: usize) -> Weighted {
    Weighted::with_bits(bits, ITEMS, &queries(hot), Seed::FIXED).unwrap()
}

#[test]
fn weighted_queries() {
    let mut table = Table::new("Weighted: 2000 items, 16,000 bits, queries by Zipf's law");
    // The first key alone takes 9.5 % of the queries: rates of classic filters vary widely.
    let plain = bloom::rate(BITS, ITEMS, 6);
    assert_eq!(bloom::best_probes(BITS, ITEMS), 6);
    table.row("classic, k=6", "0.02116 ±0.0005", plain, measure(200, &classic(BITS)));
    let all = UNIVERSE as usize;
    table.row("ideal", "0.00555", weighted::ideal_rate(BITS, &demands(all)[..all]), None);
    let rate = predicted(BITS, all);
    let filter = made(BITS, all);
    table.row("all keys in the table", "0.00568 ±0.00003", rate, measure(60, &filter));
    table.row("times better", "3.7 ±0.1", plain / rate, None);
    let level = weighted::best_level(BITS, ITEMS, 6, &demands(all)).unwrap();
    let [most, fewest] = [0, all - 1].map(|i| level.probes(&demands(all)[i]));
    table.row("most probes", "18", f64::from(most), None);
    table.row("fewest probes", "4", f64::from(fewest), None);

    // The fair comparison: a classic filter of the same bits, including the table's.
    for hot in [0, 10, 100, 300, 1000, all] {
        let filter = made(BITS, hot);
        assert!(filter.hot_keys() <= hot && filter.table_bits() <= hot as u64 * ENTRY_BITS);
        let rate = predicted(BITS, hot);
        let bits = filter.profile().bits;
        let instead = bloom::rate(bits, ITEMS, bloom::best_probes(bits, ITEMS));
        let what = format!("{} entries, {bits} bits; classic {instead:.2e}", filter.hot_keys());
        // Hundreds of thousands of bits for 2000 items leave nothing but the floor of the hash.
        assert!(hot < all || instead < 2.0 * bound::hash_floor(ITEMS), "{instead}");
        assert_eq!(rate <= instead, hot <= 10, "{what}: {rate}");
        let measured = measure(60, &filter);
        let shown = format!("{:.6}", measured.rate);
        table.push(
            [what, String::new(), format!("{rate:.6}"), shown],
            (measured.rate / rate - 1.0).abs() < 0.5,
        );
    }
    // In 16,000 bits including the table: a few keys pay, as many as the rule says.
    let within = |hot: usize| predicted(BITS - hot as u64 * ENTRY_BITS, hot);
    let best = (0..100).min_by(|a, b| within(*a).total_cmp(&within(*b))).unwrap();
    for hot in [0, best, 20, 50, 100, 200] {
        let what = format!("{hot} entries within 16,000 bits");
        table.push([what, String::new(), format!("{:.6}", within(hot)), String::new()], true);
    }
    let rule = queries(all).that_pay(ITEMS);
    table.push(
        [
            "best number of entries, and by rule".to_string(),
            String::new(),
            best.to_string(),
            rule.to_string(),
        ],
        best.abs_diff(rule) <= 2,
    );
    assert!((0.80..0.90).contains(&(within(best) / within(0))), "{best}: {}", within(best));
    table.finish();
}

/// Where it pays: 1000 keys take 90 % of the queries of a set of 100,000, and of a million.
#[test]
fn weighted_where_it_pays() {
    let mut table = Table::new("Weighted: 1000 absent keys take 90 % of the queries, target 1 %");
    for items in [100_000u64, 1_000_000] {
        let hot = |i| key(1, ABSENT + i);
        let weights = (0..1000).map(|i| (hot(i), 9)).chain((1000..2000).map(|i| (hot(i), 1)));
        let queries = Queries::counted(weights).unwrap().hot(1000).likelihood(0.001).unwrap();
        let target = Target::new(items, 0.01).unwrap();
        let mut filter = Weighted::for_queries(target, &queries, Seed::FIXED).unwrap();
        (0..items).for_each(|i| {
            filter.insert_hash(key(1, i)).unwrap();
        });
        let found = |keys: u64, at: &dyn Fn(u64) -> KeyHash| {
            (0..keys).filter(|i| filter.contains_hash(at(*i))).count() as f64 / keys as f64
        };
        let (hot, others) = (found(1000, &hot), found(100_000, &|i| key(2, i)));
        let rate = 0.9 * hot + 0.1 * others;
        let profile = filter.profile();
        let plain = profile.bits - filter.table_bits();
        let instead = bloom::rate(profile.bits, items, bloom::best_probes(profile.bits, items));
        table.push(
            [
                format!(
                    "{items} items, bits +{:.1} %",
                    100.0 * filter.table_bits() as f64 / plain as f64
                ),
                String::new(),
                format!("classic {instead:.5}"),
                format!("{rate:.5}, others {others:.5}"),
            ],
            rate < 0.0012 && rate < instead / 4.0 && others < 0.012,
        );
    }
    table.finish();
}
