//! The text's own structures (table 1): a hash table with chaining and a balanced binary tree, at
//! their best and at their worst. In [`compare`](super::compare) are the sets that Rust has.

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::{Effort, Made, timing};
use crate::table::{Cell, Table};
use anther::{Classic, Target};
use std::cell::Cell as Counter;

/// A hash table with chaining: as many buckets as keys, rounded up to a power of two, and the key
/// modulo that as its hash.
struct Chained {
    /// The first node of each bucket.
    heads: Vec<Option<usize>>,
    nodes: Vec<(u64, Option<usize>)>,
}

impl Chained {
    fn new(keys: &[u64]) -> Chained {
        let heads = vec![None; keys.len().next_power_of_two()];
        let mut table = Chained { heads, nodes: Vec::with_capacity(keys.len()) };
        for key in keys {
            let bucket = table.bucket(*key);
            table.nodes.push((*key, table.heads[bucket]));
            table.heads[bucket] = Some(table.nodes.len() - 1);
        }
        table
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = self.heads.len() as u64;
        usize::try_from(key % buckets).unwrap_or(0)
    }

    /// Calls `visit` for each node that is compared.
    fn contains(&self, key: u64, mut visit: impl FnMut()) -> bool {
        let mut next = self.heads[self.bucket(key)];
        while let Some((own, after)) = next.and_then(|at| self.nodes.get(at)) {
            visit();
            if *own == key {
                return true;
            }
            next = *after;
        }
        false
    }
}

/// A balanced binary tree, as the order in which it is searched: sorted keys, whose middle is the
/// root.
struct Tree(Vec<u64>);

impl Tree {
    fn new(keys: &[u64]) -> Tree {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable();
        Tree(sorted)
    }

    /// Calls `visit` for each node that is compared.
    fn contains(&self, key: u64, mut visit: impl FnMut()) -> bool {
        let (mut from, mut to) = (0, self.0.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            visit();
            match self.0[middle].cmp(&key) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        false
    }
}

/// What lookups of absent keys took.
struct Cost {
    steps: f64,
    time: f64,
}

/// The mean number of nodes, and the time, of lookups of these absent keys.
fn cost(absent: &[u64], contains: impl Fn(u64, &mut dyn FnMut()) -> bool) -> Result<Cost, Error> {
    let visited = Counter::new(0u64);
    let found = absent.iter().any(|key| contains(*key, &mut || visited.set(visited.get() + 1)));
    if found {
        return Err(Error::about("chains", "an absent key was found"));
    }
    let [time] = timing::medians(3, [&mut || timing::ask(absent, |key| contains(key, &mut || ()))]);
    Ok(Cost { steps: visited.get() as f64 / absent.len() as f64, time })
}

/// Lookups of absent keys: chains with scattered keys and with keys of one bucket, a balanced tree,
/// and a filter.
pub fn chains(effort: &Effort<'_>) -> Result<Made, Error> {
    let sizes: &[u64] =
        effort.choose(&[100, 1000, 10_000, 100_000], &[100, 1000, 10_000, 100_000, 1_000_000]);
    let names = ["filter, 1 %", "chaining", "chaining, one bucket", "balanced tree"];
    let mut table = Table::new(["items", "structure", "steps", "steps predicted", "time"]);
    let mut steps = names.map(Series::new);
    let mut times = names.map(Series::new);
    let (mut worst, mut short, mut logarithmic) = (true, true, true);
    for (done, &items) in sizes.iter().enumerate() {
        let (keys, absent) = (timing::members(items), timing::misses(items, 10_000));
        let buckets = items.next_power_of_two();
        // All in bucket 0: multiples of the number of buckets.
        let crowded: Vec<u64> = (0..items).map(|number| number * buckets).collect();
        let few = 10_000_000 / items;
        let others: Vec<u64> =
            (items..items + few.clamp(20, 10_000)).map(|n| n * buckets).collect();
        let target = Target::new(items, 0.01).map_err(|error| Error::about("chains", error))?;
        let mut filter = Classic::new(target).map_err(|error| Error::about("chains", error))?;
        filter.extend(keys.iter().copied());
        let [time] = timing::medians(3, [&mut || timing::ask(&absent, |key| filter.contains(key))]);
        let (good, bad) = (Chained::new(&keys), Chained::new(&crowded));
        let tree = Tree::new(&keys);
        let probes = f64::from(filter.profile().probes);
        let all = [
            (Cost { steps: f64::NAN, time }, f64::NAN),
            (cost(&absent, |key, visit| good.contains(key, visit))?, items as f64 / buckets as f64),
            (cost(&others, |key, visit| bad.contains(key, visit))?, items as f64),
            (cost(&absent, |key, visit| tree.contains(key, visit))?, (items as f64).log2()),
        ];
        worst &= all[2].0.steps == items as f64;
        short &= (all[1].0.steps - all[1].1).abs() < 0.1;
        logarithmic &= (all[3].0.steps - all[3].1).abs() < 1.0;
        let x = items as f64;
        for (at, (cost, predicted)) in all.into_iter().enumerate() {
            times[at].measured.push((x, cost.time));
            let is_filter = cost.steps.is_nan();
            if !is_filter {
                steps[at].measured.push((x, cost.steps));
                steps[at].predicted.push((x, predicted));
            }
            let number = |value: f64| if is_filter { Cell::Empty } else { Cell::Number(value, 2) };
            table.row([
                Cell::Count(items),
                names[at].into(),
                if is_filter {
                    Cell::Text(format!("at most {probes}"))
                } else {
                    number(cost.steps)
                },
                number(predicted),
                Cell::Nanoseconds(cost.time),
            ]);
        }
        effort.tell(done + 1, sizes.len());
    }
    let mut made = Made { table, ..Made::default() };
    let [_, rest @ ..] = steps;
    let chart = |title: &str, y, series: Vec<Series>| Chart {
        title: title.to_string(),
        x: Axis::log("items", Unit::Count),
        y,
        series,
    };
    made.chart(
        "steps",
        chart(
            "Nodes visited to reject an absent key",
            Axis::log("nodes", Unit::Count),
            rest.to_vec(),
        ),
    );
    made.chart(
        "time",
        chart("Time to reject an absent key", Axis::log("time", Unit::Nanoseconds), times.to_vec()),
    );
    made.note(timing::NOTE);
    made.note(
        "Chaining: as many buckets as keys, rounded up to a power of two; a key goes to the bucket of \
         its number modulo that. One bucket: all keys are multiples of the number of buckets. Such \
         keys need not be chosen by an attacker: rows of 4,096 bytes have such addresses.",
    );
    made.claim("keys of one bucket make a lookup visit all n nodes", worst);
    made.claim("scattered keys make it visit n/buckets of them on average", short);
    made.claim("a balanced tree visits log2 n nodes, give or take one", logarithmic);
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_find_what_is_in() {
        let keys = timing::members(1000);
        let (table, tree) = (Chained::new(&keys), Tree::new(&keys));
        assert!(keys.iter().all(|key| table.contains(*key, || ()) && tree.contains(*key, || ())));
        let absent = timing::misses(1000, 1000);
        assert!(
            !absent.iter().any(|key| table.contains(*key, || ()) || tree.contains(*key, || ()))
        );
    }
}
