//! `api/attack`: keys chosen against a filter, and the same keys against a filter with a secret key.
//!
//! The attacker searches as [`chosen_keys`](crate::chosen_keys) does. With the switch on, the filter
//! has a secret key that is drawn for the request; the attacker still only knows the default seed.

use crate::Error;
use crate::chosen_keys::{Chosen, crowding, forged, polluting};
use crate::page::api;
use crate::page::look::{parse_items, parse_rate};
use anther::sizing::bloom;
use anther::{Classic, Cuckoo, Seed, Target, units};
use serde::{Deserialize, Serialize};

/// The most keys that a filter is made for.
const MOST_ITEMS: u64 = 1000;
/// The lowest false-positive rate: a forged key takes 1/FPR candidates.
const LEAST_RATE: f64 = 1e-3;
/// The most candidates that are hashed for a request: a few seconds in a debug build. 1,000 keys at
/// 1 % take 640,000; lower rates end with fewer keys.
const MOST_TRIED: u64 = 1_000_000;
/// Lookups of absent keys per point.
const LOOKUPS: u64 = 20_000;
/// Points of a curve.
const POINTS: u64 = 16;
/// How many false positives the attacker looks for.
const FORGED: usize = 500;
/// How many keys the page lists.
const LISTED: usize = 8;
/// Where absent keys begin, beyond those that are inserted and those of the attacker.
const ABSENT: u64 = 1 << 41;

/// What the attacker does.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Attack {
    /// Looks up keys that are all false positives.
    Forge,
    /// Inserts keys that set only new bits.
    Pollute,
    /// Inserts keys that share their buckets into a cuckoo filter.
    Crowd,
}

/// A request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    attack: Attack,
    /// As people write them.
    items: String,
    fpr: String,
    /// Whether the filter has a secret key.
    keyed: bool,
}

/// What came of it.
#[derive(Debug, Serialize)]
struct Outcome {
    /// In one sentence.
    says: String,
    /// What the attacker had to do.
    effort: String,
    /// Some of the keys, and what the filter did with each.
    keys: Vec<(String, &'static str)>,
    /// Of the chart.
    title: &'static str,
    x: &'static str,
    y: &'static str,
    /// Of the second axis: a rate or a count.
    unit: &'static str,
    series: Vec<Curve>,
}

/// A line of the chart.
#[derive(Debug, Serialize)]
struct Curve {
    name: &'static str,
    predicted: bool,
    points: Vec<(f64, f64)>,
}

/// Answers a request.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&outcome(&api::read(body)?)?)
}

fn outcome(plan: &Plan) -> Result<Outcome, Error> {
    let (items, fpr) = (parse_items(&plan.items, MOST_ITEMS)?, parse_rate(&plan.fpr)?);
    if fpr < LEAST_RATE {
        let cause = format!("must be {} or more here", units::rate(LEAST_RATE));
        return Err(Error::about(units::rate(fpr), cause));
    }
    let target = Target::new(items, fpr).map_err(broken)?;
    let seed = if plan.keyed { secret()? } else { Seed::FIXED };
    match plan.attack {
        Attack::Forge => forge(target, seed),
        Attack::Pollute => pollute(target, seed),
        Attack::Crowd => crowd(target, seed),
    }
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::about("attack", error)
}

/// A key that nobody knows.
fn secret() -> Result<Seed, Error> {
    let mut key = [0; 16];
    getrandom::fill(&mut key).map_err(|error| Error::about("no random bytes", error))?;
    Ok(Seed::keyed(key))
}

/// The share of keys among the first `n` to which the filter says maybe, for growing `n`.
fn shares(filter: &Classic, keys: &[u64]) -> Vec<(f64, f64)> {
    let mut matched = 0;
    let mut points = Vec::new();
    for (number, key) in (1..).zip(keys) {
        matched += u64::from(filter.contains(*key));
        if number % (keys.len() as u64).div_ceil(POINTS) == 0 || number == keys.len() as u64 {
            points.push((number as f64, matched as f64 / number as f64));
        }
    }
    points
}

fn forge(target: Target, seed: Seed) -> Result<Outcome, Error> {
    let mut filter = Classic::with_seed(target, seed).map_err(broken)?;
    filter.extend(0..target.items());
    let shape = Classic::with_seed(target, Seed::FIXED).map_err(broken)?;
    let chosen = forged(&filter, &shape, FORGED, MOST_TRIED)?;
    if chosen.keys.is_empty() {
        let cause = "no candidate matches; use more keys, or a higher false-positive rate";
        return Err(Error::about(format_args!("{} candidates", units::count(MOST_TRIED)), cause));
    }
    let random: Vec<u64> = (ABSENT..).take(chosen.keys.len()).collect();
    let (ours, theirs) = (shares(&filter, &chosen.keys), shares(&filter, &random));
    let share = |points: &[(f64, f64)]| units::rate(points.last().map_or(0.0, |point| point.1));
    let listed = chosen.keys.iter().take(LISTED);
    let says = match seed == Seed::FIXED {
        true => format!(
            "{} of the chosen lookups match, and {} of the random ones. None of the keys is in the \
             filter.",
            share(&ours),
            share(&theirs)
        ),
        false => format!(
            "{} of the chosen lookups match, and {} of the random ones: without the secret key the \
             attacker cannot tell which keys match.",
            share(&ours),
            share(&theirs)
        ),
    };
    let all = f64::from(u32::try_from(chosen.keys.len()).unwrap_or(u32::MAX));
    Ok(Outcome {
        says,
        effort: effort(&chosen, "finds all of its bits set"),
        keys: listed
            .map(|key| (key.to_string(), if filter.contains(*key) { "maybe" } else { "no" }))
            .collect(),
        title: "Share of lookups that match",
        x: "lookups",
        y: "share that matches",
        unit: "rate",
        series: vec![
            Curve { name: "chosen keys, measured", predicted: false, points: ours },
            Curve { name: "random keys, measured", predicted: false, points: theirs },
            Curve {
                name: "random keys, predicted",
                predicted: true,
                points: [1.0, all].map(|at| (at, filter.profile().fpr_now)).to_vec(),
            },
        ],
    })
}

/// How much work the attacker had.
fn effort(chosen: &Chosen, what: &str) -> String {
    format!(
        "The attacker hashed {} candidates, {} for each key that {what}.",
        units::count(chosen.tried),
        units::count(units::whole(chosen.tried_for_each()))
    )
}

fn pollute(target: Target, seed: Seed) -> Result<Outcome, Error> {
    let shape = Classic::with_seed(target, Seed::FIXED).map_err(broken)?;
    let (bits, probes) = (shape.profile().bits, shape.profile().probes);
    let wanted = usize::try_from(target.items()).map_err(broken)?;
    let chosen = polluting(&shape, wanted, MOST_TRIED)?;
    let random: Vec<u64> = (0..).take(chosen.keys.len()).collect();
    let mut curves = [&chosen.keys, &random].map(|_| Vec::new());
    for (curve, keys) in curves.iter_mut().zip([&chosen.keys, &random]) {
        let mut filter = Classic::with_seed(target, seed).map_err(broken)?;
        let each = keys.len().div_ceil(usize::try_from(POINTS).map_err(broken)?).max(1);
        let mut inserted = 0;
        for some in keys.chunks(each) {
            filter.extend(some.iter().copied());
            inserted += some.len();
            curve.push((inserted as f64, measured(&filter)));
        }
    }
    let last = |curve: &[(f64, f64)]| units::rate(curve.last().map_or(0.0, |point| point.1));
    let (ours, theirs) = (last(&curves[0]), last(&curves[1]));
    let keys = units::count(chosen.keys.len() as u64);
    let says = match seed == Seed::FIXED {
        true => format!(
            "{keys} chosen keys raise the false-positive rate to {ours}; as many random keys to {theirs}."
        ),
        false => format!(
            "{keys} chosen keys raise the false-positive rate to {ours}, as many random keys to {theirs}: \
             against a secret key, chosen keys are like any others."
        ),
    };
    let [ours, theirs] = curves;
    let predict = |rate: &dyn Fn(u64) -> f64| {
        let counts = ours.iter().map(|(keys, _)| (*keys, rate(units::whole(*keys))));
        counts.collect::<Vec<_>>()
    };
    // Keys that set only new bits set k each.
    let full = |keys: u64| (f64::from(probes) * keys as f64 / bits as f64).powf(probes.into());
    let (new_bits, usual) = (predict(&full), predict(&|keys| bloom::rate(bits, keys, probes)));
    let mut series = vec![
        Curve { name: "chosen keys, measured", predicted: false, points: ours },
        Curve { name: "random keys, measured", predicted: false, points: theirs },
        Curve { name: "random keys, predicted", predicted: true, points: usual },
    ];
    if seed == Seed::FIXED {
        let name = "chosen keys, predicted";
        series.push(Curve { name, predicted: true, points: new_bits });
    }
    Ok(Outcome {
        says,
        effort: effort(&chosen, &format!("sets {probes} new bits")),
        // Each of them is a number like any other: what matters is the curve.
        keys: Vec::new(),
        title: "False-positive rate by number of keys",
        x: "keys inserted",
        y: "false-positive rate",
        unit: "rate",
        series,
    })
}

/// The false-positive rate, measured with absent keys.
fn measured(filter: &Classic) -> f64 {
    let absent = ABSENT..ABSENT + LOOKUPS;
    absent.filter(|key| filter.contains(*key)).count() as f64 / LOOKUPS as f64
}

fn crowd(target: Target, seed: Seed) -> Result<Outcome, Error> {
    let mut filter = Cuckoo::with_seed(target, seed).map_err(broken)?;
    let chosen = crowding(&filter, MOST_TRIED);
    let mut random = Cuckoo::with_seed(target, seed).map_err(broken)?;
    let (mut keys, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut accepted, mut honest) = (0u32, 0u32);
    for (number, key) in (1..).zip(&chosen.keys) {
        let is_in = filter.insert(*key).is_ok();
        accepted += u32::from(is_in);
        honest += u32::from(random.insert(number).is_ok());
        keys.push((key.to_string(), if is_in { "inserted" } else { "rejected" }));
        ours.push((number as f64, accepted.into()));
        theirs.push((number as f64, honest.into()));
    }
    let count = chosen.keys.len();
    let says = match seed == Seed::FIXED {
        true => format!(
            "An empty cuckoo filter made for {} keys accepts {accepted} of {count} chosen keys and rejects \
             the next: all share two buckets. It accepts {honest} of {count} random keys.",
            units::count(target.items())
        ),
        false => format!(
            "The filter accepts {accepted} of {count} chosen keys: with a secret key they do not share \
             buckets."
        ),
    };
    Ok(Outcome {
        says,
        effort: effort(&chosen, "shares its two buckets with the others"),
        keys,
        title: "Keys that the filter accepts",
        x: "keys sent",
        y: "keys accepted",
        unit: "count",
        series: vec![
            Curve { name: "chosen keys", predicted: false, points: ours },
            Curve { name: "random keys", predicted: false, points: theirs },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(attack: Attack, keyed: bool) -> Outcome {
        let (items, fpr) = ("1000".to_string(), "1%".to_string());
        outcome(&Plan { attack, items, fpr, keyed }).unwrap()
    }

    fn last(outcome: &Outcome, series: usize) -> f64 {
        outcome.series[series].points.last().unwrap().1
    }

    #[test]
    fn forged_lookups_all_match_without_a_secret_key() {
        let known = run(Attack::Forge, false);
        assert_eq!(last(&known, 0), 1.0);
        assert!(known.keys.iter().all(|(_, answer)| *answer == "maybe"), "{:?}", known.keys);
        // At 1 %, 500 lookups match 5 times; 25 and more are nine deviations away.
        assert!(last(&run(Attack::Forge, true), 0) < 0.05);
        assert!(last(&known, 1) < 0.05);
    }

    #[test]
    fn chosen_inserts_raise_the_rate_without_a_secret_key() {
        let known = run(Attack::Pollute, false);
        assert!((0.09..0.13).contains(&last(&known, 0)), "{}", known.says);
        assert!((last(&known, 0) - last(&known, 3)).abs() < 0.02, "{}", known.says);
        let keyed = run(Attack::Pollute, true);
        for rate in [last(&known, 1), last(&keyed, 0), last(&keyed, 1)] {
            assert!((0.004..0.02).contains(&rate), "{rate}");
        }
    }

    #[test]
    fn nine_chosen_keys_fill_two_buckets() {
        let known = run(Attack::Crowd, false);
        assert_eq!(known.keys.last().unwrap().1, "rejected");
        assert_eq!((last(&known, 0), last(&known, 1)), (8.0, 9.0));
        assert_eq!(last(&run(Attack::Crowd, true), 0), 9.0);
    }

    #[test]
    fn bad_requests_are_named() {
        let fails = |items: &str, fpr: &str| {
            let (items, fpr) = (items.to_string(), fpr.to_string());
            outcome(&Plan { attack: Attack::Forge, items, fpr, keyed: false })
                .unwrap_err()
                .to_string()
        };
        assert!(fails("1M", "1%").contains("1 to 1,000 keys"));
        assert!(fails("1000", "1e-9").contains("or more here"));
        assert!(fails("1000", "most").contains("“most”"));
    }
}
