//! A small filter of any kind, made of a few keys and drawn as it changes.

use super::explain::{self, Moment};
use super::look::{self, Involved, Look, MOST_CELLS};
use super::scene::{Action, Answer, Scene, Step, Wrong};
use crate::exit::Stop;
use crate::{output, units};
use anther::parts::view::Touch;
use anther::{
    AnyFilter, Bloomier, BuildError, Filter, KeyHash, Kind, Options, Seed, SizeError, Target, Work,
};
use std::collections::BTreeMap;

/// A filter to make, and what happens to it.
pub struct Made<'a> {
    /// Its kind.
    pub kind: Kind,
    /// The kind's options.
    pub options: Options,
    /// For how many keys; as many as go in where nobody says.
    pub items: Option<u64>,
    /// At which rate.
    pub fpr: f64,
    /// How keys are hashed.
    pub seed: Seed,
    /// Keys that go in.
    pub inserts: &'a [String],
    /// Keys that are asked for, and once more where keys went out.
    pub queries: &'a [String],
    /// Keys that go out.
    pub removes: &'a [String],
}

/// A key as it is shown: on one line, and harmless.
pub fn shown(key: &[u8]) -> String {
    let safe = output::escaped(key);
    String::from_utf8_lossy(&safe).replace('\n', "\\n").replace('\t', "\\t")
}

impl Made<'_> {
    /// The filter's story.
    pub fn scene(&self) -> Result<Scene, Stop> {
        if !self.removes.is_empty() && !self.kind.capabilities().remove {
            let cause =
                "gives no keys back; with --bits and --hash you see why a plain filter cannot";
            return Err(Stop::about(self.kind, cause));
        }
        let items = self.items.unwrap_or(self.inserts.len() as u64).max(1);
        let target = Target::new(items, self.fpr).map_err(SizeError::from).map_err(stop)?;
        let plan = self.kind.plan(target, &self.options).map_err(stop)?;
        // Cells have 64 bits at most. What is larger need not be made to be refused.
        if plan.bits > 64 * MOST_CELLS {
            return Err(too_large(format_args!("{} bits", units::count(plan.bits))));
        }
        let mut play = Play::new(self, target)?;
        let steps = play.steps(self)?;
        let cells = Look::at(&play.filter, None)?.cells();
        Ok(Scene {
            title: format!(
                "{}: {} for {items} {} at {}",
                self.kind,
                count(cells, "cell"),
                if items == 1 { "key" } else { "keys" },
                units::rate(self.fpr)
            ),
            about: explain::about(self.kind).to_string(),
            steps,
        })
    }
}

fn count(number: usize, thing: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {thing}{end}", units::count(number as u64))
}

fn stop(error: SizeError) -> Stop {
    Stop::Error(error.to_string())
}

fn too_large(what: impl std::fmt::Display) -> Stop {
    let most = units::count(MOST_CELLS);
    Stop::about(
        what,
        format_args!("at most {most} cells are drawn; take fewer --items or a higher --fpr"),
    )
}

fn look(filter: &AnyFilter) -> Result<Look, Stop> {
    Look::at(filter, None).map_err(|error| match error {
        Stop::Error(message) => {
            Stop::Error(format!("{message}; take fewer --items or a higher --fpr"))
        }
        other => other,
    })
}

/// The filter while things happen to it.
struct Play {
    filter: AnyFilter,
    seed: Seed,
    /// The keys that are in, in truth.
    is_in: Vec<(String, KeyHash)>,
    /// Where each of them was put, for kinds where that depends on when it was.
    put: Vec<Vec<Touch>>,
    gone: Vec<String>,
    /// The steps before the first query.
    begun: Vec<Step>,
}

impl Play {
    fn new(made: &Made<'_>, target: Target) -> Result<Play, Stop> {
        let seed = made.seed;
        let mut play = Play {
            filter: empty(made, target)?,
            seed,
            is_in: Vec::new(),
            put: Vec::new(),
            gone: Vec::new(),
            begun: Vec::new(),
        };
        if made.kind.capabilities().insert {
            let (rows, touches) = look(&play.filter)?.drawn(&Involved::default());
            play.begun.push(Step { rows, touches, ..Step::new(Action::Look, "empty") });
        } else {
            let keys = made.inserts.iter().map(|key| match made.kind.capabilities().values {
                true => key.rsplit_once('=').map_or(key.as_str(), |(key, _)| key),
                false => key.as_str(),
            });
            play.is_in =
                keys.map(|key| (shown(key.as_bytes()), seed.hash_bytes(key.as_bytes()))).collect();
            play.begun.push(play.all_at_once()?);
        }
        Ok(play)
    }

    fn steps(&mut self, made: &Made<'_>) -> Result<Vec<Step>, Stop> {
        let mut steps = std::mem::take(&mut self.begun);
        if made.kind.capabilities().insert {
            for key in made.inserts {
                steps.push(self.insert(key)?);
            }
        }
        for key in made.queries {
            steps.push(self.query(key)?);
        }
        for key in made.removes {
            steps.push(self.remove(key)?);
        }
        if !made.removes.is_empty() {
            for key in made.queries {
                steps.push(self.query(key)?);
            }
        }
        Ok(steps)
    }

    fn all_at_once(&self) -> Result<Step, Stop> {
        let touches: Vec<Touch> =
            self.is_in.iter().flat_map(|(_, key)| self.filter.touches(*key)).collect();
        let involved = Involved { touches: &touches, owners: self.owners(), ..Involved::default() };
        let (rows, touches) = look(&self.filter)?.drawn(&involved);
        let names: Vec<&str> = self.is_in.iter().map(|(name, _)| name.as_str()).collect();
        Ok(Step {
            note: format!(
                "solved from {} at once: {}",
                count(names.len(), "key"),
                names.join(", ")
            ),
            rows,
            touches,
            ..Step::new(Action::Insert, "build")
        })
    }

    fn hash(&self, key: &str) -> KeyHash {
        self.seed.hash_bytes(key.as_bytes())
    }

    /// How many of the keys that are in have each cell.
    fn owners(&self) -> BTreeMap<(usize, u64), u32> {
        if self.filter.kind() != Kind::Scalable {
            let keys: Vec<KeyHash> = self.is_in.iter().map(|(_, key)| *key).collect();
            return look::owners(&self.filter, &keys);
        }
        // A key asks every layer, but stands in one.
        let mut owners = BTreeMap::new();
        for put in &self.put {
            for touch in put {
                *owners.entry((touch.row, touch.cell)).or_default() += 1;
            }
        }
        owners
    }

    fn insert(&mut self, key: &str) -> Result<Step, Stop> {
        let (hash, before) = (self.hash(key), look(&self.filter)?);
        let known = self.is_in.iter().any(|(_, other)| *other == hash);
        let Some(filter) = self.filter.as_insert() else {
            return Err(Stop::about(self.filter.kind(), "takes no keys one by one"));
        };
        let refused = filter.insert_hash(hash).err();
        let (now, touches) = (look(&self.filter)?, self.filter.touches(hash));
        if refused.is_none() {
            self.is_in.push((shown(key.as_bytes()), hash));
            let newest = now.rows().saturating_sub(1);
            let mut put: Vec<Touch> =
                touches.iter().filter(|touch| touch.row == newest && !known).copied().collect();
            put.sort_unstable();
            put.dedup();
            self.put.push(put);
        }
        let moment = Moment {
            filter: &self.filter,
            before: &before,
            now: &now,
            key: hash,
            touches: &touches,
        };
        let note = match refused {
            Some(full) => format!("refused: {full}"),
            None => moment.inserted(),
        };
        self.step(Action::Insert, "insert", key, note, None, &before)
    }

    fn query(&self, key: &str) -> Result<Step, Stop> {
        let (hash, now) = (self.hash(key), look(&self.filter)?);
        let touches = self.filter.touches(hash);
        let answer = Answer::of(self.filter.contains_hash(hash));
        let is_in = self.is_in.iter().any(|(_, other)| *other == hash);
        let moment =
            Moment { filter: &self.filter, before: &now, now: &now, key: hash, touches: &touches };
        let mut note = moment.asked(answer == Answer::Maybe);
        match Wrong::of(answer, is_in) {
            None => {}
            Some(Wrong::FalsePositive) => note += ", but wrong: a false positive",
            Some(Wrong::FalseNegative) if self.gone.is_empty() => {
                note += ", but it was in: forgotten"
            }
            Some(Wrong::FalseNegative) => {
                note += &format!(", but it was in: gone with {}", self.gone.join(", "));
            }
        }
        self.step(Action::Query, "query", key, note, Some((answer, is_in)), &now)
    }

    fn remove(&mut self, key: &str) -> Result<Step, Stop> {
        let (hash, before) = (self.hash(key), look(&self.filter)?);
        // Afterwards some kinds no longer know where it was.
        let touches = self.filter.touches(hash);
        let Some(filter) = self.filter.as_remove() else {
            return Err(Stop::about(self.filter.kind(), "gives no keys back"));
        };
        let removed = filter.remove_hash(hash);
        let now = look(&self.filter)?;
        let moment = Moment {
            filter: &self.filter,
            before: &before,
            now: &now,
            key: hash,
            touches: &touches,
        };
        let mut note = match &removed {
            Err(error) => format!("refused: {error}"),
            Ok(false) => "surely not in, so nothing changes".to_string(),
            Ok(true) => moment.removed(),
        };
        if let Ok(true) = removed {
            self.gone.push(shown(key.as_bytes()));
            match self.is_in.iter().position(|(_, other)| *other == hash) {
                Some(at) => {
                    self.is_in.remove(at);
                    self.put.remove(at);
                }
                None => note += ", though it was never inserted",
            }
        }
        self.step(Action::Remove, "remove", key, note, None, &before)
    }

    fn step(
        &self,
        action: Action,
        verb: &str,
        key: &str,
        note: String,
        answer: Option<(Answer, bool)>,
        before: &Look,
    ) -> Result<Step, Stop> {
        let touches = self.filter.touches(self.hash(key));
        let involved = Involved {
            touches: &touches,
            in_order: true,
            before: Some(before),
            owners: self.owners(),
            is_no: answer.is_some_and(|(answer, _)| answer == Answer::No),
        };
        let (rows, touches) = look(&self.filter)?.drawn(&involved);
        let key = shown(key.as_bytes());
        Ok(Step {
            note,
            answer: answer.map(|(answer, _)| answer),
            wrong: answer.and_then(|(answer, is_in)| Wrong::of(answer, is_in)),
            rows,
            touches,
            key: Some(key.clone()),
            ..Step::new(action, &format!("{verb} {key}"))
        })
    }
}

/// A filter before the first key, or with all of them, where the kind takes none later.
fn empty(made: &Made<'_>, target: Target) -> Result<AnyFilter, Stop> {
    let Made { kind, options, seed, inserts, .. } = made;
    let can = kind.capabilities();
    if can.insert {
        return AnyFilter::with_options(*kind, target, options, *seed).map_err(stop);
    }
    let unbuilt = |error: BuildError| Stop::about(kind, error);
    if !can.values {
        let mut keys: Vec<KeyHash> =
            inserts.iter().map(|key| seed.hash_bytes(key.as_bytes())).collect();
        return AnyFilter::build(*kind, &mut keys, target, options, *seed, Work::new())
            .map_err(unbuilt);
    }
    let mut pairs = inserts.iter().map(|text| pair(text, *seed)).collect::<Result<Vec<_>, _>>()?;
    let largest = pairs.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let mut options = *options;
    options.value_bits = options.value_bits.or(Some((64 - largest.leading_zeros()).max(1)));
    Bloomier::build_pairs(&mut pairs, target, &options, false, *seed, Work::new())
        .map(AnyFilter::from)
        .map_err(unbuilt)
}

/// A key and its value, as key=value.
fn pair(text: &str, seed: Seed) -> Result<(KeyHash, u64), Stop> {
    let cause = "needs a value, a whole number: --insert key=7";
    let (key, value) = text.rsplit_once('=').ok_or_else(|| Stop::about(text, cause))?;
    let value = value.parse().map_err(|_| Stop::about(text, cause))?;
    Ok((seed.hash_bytes(key.as_bytes()), value))
}
