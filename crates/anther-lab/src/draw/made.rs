//! A small filter of any kind, made of a few keys and drawn as it changes.

use super::explain::{self, Moment};
use super::look::{self, Involved, Look, MOST_CELLS};
use super::scene::{Action, Answer, Scene, Step, Wrong};
use super::slices;
use crate::error::Error;
use anther::parts::view::Touch;
use anther::units;
use anther::{
    AnyFilter, Bloomier, BuildError, Cascade, Filter, Inspect, KeyHash, Kind, Options, Seed,
    SizeError, Target, Work,
};
use std::collections::BTreeMap;

/// A filter to make, and what happens to it.
pub struct Made<'a> {
    /// Its kind.
    pub kind: Kind,
    /// The kind's options.
    pub options: Options,
    /// The number of keys that it is made for; by default those that are inserted.
    pub items: Option<u64>,
    /// The false-positive rate.
    pub fpr: f64,
    /// How keys are hashed.
    pub seed: Seed,
    /// Keys to insert.
    pub inserts: &'a [String],
    /// Keys to look up, and again after removals.
    pub queries: &'a [String],
    /// Keys to remove.
    pub removes: &'a [String],
    /// How a key is shown: on one line, and harmless to a terminal.
    pub shown: fn(&[u8]) -> String,
}

impl Made<'_> {
    /// The scene.
    pub fn scene(&self) -> Result<Scene, Error> {
        if !self.removes.is_empty() && !self.kind.capabilities().remove {
            let cause = match self.kind.capabilities().insert {
                true => "cannot remove keys; --bits and --hash show why a plain filter cannot",
                false => "is static and cannot remove keys; leave --remove out",
            };
            return Err(Error::about(self.kind, cause));
        }
        if self.items == Some(0) {
            return Err(Error::about("--items 0", "must be 1 or more"));
        }
        let items = self.items.unwrap_or(self.keys()).max(1);
        let target = Target::new(items, self.fpr).map_err(SizeError::from).map_err(stop)?;
        let plan = self.kind.plan(target, &self.options).map_err(stop)?;
        // Cells have at most 64 bits, so this is too large for certain.
        if plan.bits > 64 * MOST_CELLS {
            return Err(too_large(format_args!("{} bits", units::count(plan.bits))));
        }
        let inserts = if self.kind.capabilities().insert { self.inserts.len() } else { 0 };
        let asked = look::steps(inserts, self.queries.len(), self.removes.len());
        look::check_length(asked, 0, SMALLER)?;
        look::check_length(self.inserts.len() as u64, 0, SMALLER)?;
        let mut play = Play::new(self, target)?;
        let steps = play.steps(self, asked)?;
        let keys = count(usize::try_from(items).unwrap_or(usize::MAX), "key");
        let made = match self.kind {
            Kind::Scalable => {
                let layers = count(play.filter.rows().len(), "layer");
                let went_in = count(play.is_in.len(), "key");
                format!("{layers} with {went_in}, the first made for {items},")
            }
            _ => {
                let (cells, inside) = (look::own_cells(&play.filter), self.keys());
                match self.items {
                    Some(made_for) if made_for != inside => {
                        let inside = count(usize::try_from(inside).unwrap_or(usize::MAX), "key");
                        format!("{cells} with {inside}, made for {made_for}")
                    }
                    _ => format!("{cells} for {keys}"),
                }
            }
        };
        Ok(Scene {
            title: format!("{}: {made} at {}", self.kind, units::rate(self.fpr)),
            about: explain::about(self.kind).to_string(),
            steps,
        })
    }
}

impl Made<'_> {
    /// How many keys are inserted. A static kind has each once.
    fn keys(&self) -> u64 {
        let mut keys: Vec<&str> = self.inserts.iter().map(|key| self.key(key)).collect();
        if !self.kind.capabilities().insert {
            keys.sort_unstable();
            keys.dedup();
        }
        keys.len() as u64
    }

    /// The key of a text to insert: the part before the value, if the kind has values.
    fn key<'a>(&self, text: &'a str) -> &'a str {
        match self.kind.capabilities().values {
            true => text.rsplit_once('=').map_or(text, |(key, _)| key),
            false => text,
        }
    }
}

/// What to do if the scene is too long.
const SMALLER: &str = "fewer keys, or fewer --items";

fn count(number: usize, thing: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {thing}{end}", units::count(number as u64))
}

fn stop(error: SizeError) -> Error {
    Error::Failed(error.to_string())
}

fn too_large(what: impl std::fmt::Display) -> Error {
    let most = units::count(MOST_CELLS);
    Error::about(
        what,
        format_args!("at most {most} cells can be drawn; use fewer --items or a higher --fpr"),
    )
}

fn look(filter: &AnyFilter) -> Result<Look, Error> {
    Look::at(filter, None).map_err(|error| match error {
        Error::Failed(message) => {
            Error::Failed(format!("{message}; use fewer --items or a higher --fpr"))
        }
        other => other,
    })
}

/// The filter while it is being changed.
struct Play {
    filter: AnyFilter,
    seed: Seed,
    /// The keys that are truly in the set.
    is_in: Vec<(String, KeyHash)>,
    /// The cells of each of them, for kinds where these depend on the order of inserts.
    put: Vec<Vec<Touch>>,
    /// False negatives, each with the key whose removal caused it.
    lost: Vec<(KeyHash, String)>,
    /// The steps before the first query.
    begun: Vec<Step>,
    shown: fn(&[u8]) -> String,
}

impl Play {
    fn new(made: &Made<'_>, target: Target) -> Result<Play, Error> {
        let seed = made.seed;
        let mut play = Play {
            filter: empty(made, target)?,
            seed,
            is_in: Vec::new(),
            put: Vec::new(),
            lost: Vec::new(),
            begun: Vec::new(),
            shown: made.shown,
        };
        if made.kind.capabilities().insert {
            let (rows, touches) = look(&play.filter)?.drawn(&Involved::default());
            play.begun.push(Step { rows, touches, ..Step::new(Action::Look, "empty") });
        } else {
            for key in made.inserts.iter().map(|key| made.key(key)) {
                let hash = seed.hash_bytes(key.as_bytes());
                if !play.is_in.iter().any(|(_, other)| *other == hash) {
                    play.is_in.push(((made.shown)(key.as_bytes()), hash));
                }
            }
            play.begun.push(play.all_at_once()?);
        }
        Ok(play)
    }

    /// Makes the steps.
    fn steps(&mut self, made: &Made<'_>, asked: u64) -> Result<Vec<Step>, Error> {
        let mut steps = std::mem::take(&mut self.begun);
        self.check_length(asked)?;
        if made.kind.capabilities().insert {
            for key in made.inserts {
                steps.push(self.insert(key)?);
                if made.kind == Kind::Scalable {
                    self.check_length(asked)?;
                }
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

    /// Checks that the scene is not too long. A filter that grows may become too large.
    fn check_length(&self, steps: u64) -> Result<(), Error> {
        let cells = self.filter.rows().iter().map(|row| row.cells.cells()).sum();
        look::check_length(steps, cells, SMALLER)
    }

    fn all_at_once(&self) -> Result<Step, Error> {
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
        // A lookup reads every layer, but a key is in one.
        let mut owners = BTreeMap::new();
        for put in &self.put {
            for touch in put {
                *owners.entry((touch.row, touch.cell)).or_default() += 1;
            }
        }
        owners
    }

    fn insert(&mut self, key: &str) -> Result<Step, Error> {
        let (hash, before) = (self.hash(key), look(&self.filter)?);
        let known = self.is_in.iter().any(|(_, other)| *other == hash);
        let Some(filter) = self.filter.as_insert() else {
            return Err(Error::about(self.filter.kind(), "is static and cannot insert keys"));
        };
        let refused = filter.insert_hash(hash).err();
        let (now, touches) = (look(&self.filter)?, self.filter.touches(hash));
        if refused.is_none() {
            self.is_in.push(((self.shown)(key.as_bytes()), hash));
            let mut put = if known { Vec::new() } else { self.written(&touches, &before) };
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

    fn query(&self, key: &str) -> Result<Step, Error> {
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
            Some(Wrong::FalseNegative) => match self.lost_with(hash) {
                Some(with) => note += &format!(", but it was in: gone with {with}"),
                None => note += ", but it was in: forgotten",
            },
        }
        let found = moment.tag_cell().filter(|_| answer == Answer::Maybe);
        let mut step = self.step(Action::Query, "query", key, note, Some((answer, is_in)), &now)?;
        step.mark_found(found);
        Ok(step)
    }

    fn remove(&mut self, key: &str) -> Result<Step, Error> {
        let (hash, before) = (self.hash(key), look(&self.filter)?);
        // After the removal some kinds cannot tell where it was.
        let touches = self.filter.touches(hash);
        let earlier = self.missing();
        let Some(filter) = self.filter.as_remove() else {
            return Err(Error::about(self.filter.kind(), "cannot remove keys"));
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
            Ok(false) => match self.lost_with(hash) {
                Some(with) => format!("gone with {with} already, so nothing changes"),
                None => "surely not in, so nothing changes".to_string(),
            },
            Ok(true) => moment.removed(),
        };
        let was_in = removed.is_ok() && self.take_out(hash);
        if let Ok(true) = removed {
            if !was_in {
                note += ", though it is not in";
            }
            let mut lost = self.missing();
            lost.retain(|(_, other)| !earlier.iter().any(|(_, earlier)| earlier == other));
            let with = (self.shown)(key.as_bytes());
            self.lost.extend(lost.iter().map(|(_, other)| (*other, with.clone())));
            let names: Vec<&str> = lost.iter().map(|(name, _)| name.as_str()).collect();
            match names[..] {
                [] => {}
                [one] => note += &format!("; {one} goes with it"),
                _ => note += &format!("; {} go with it", names.join(", ")),
            }
        }
        self.step(Action::Remove, "remove", key, note, None, &before)
    }

    /// The cells that an insert writes to: a filter with layers reads all of them, and writes to the
    /// first that had the key already, or to the newest. One with slices writes to the newest.
    fn written(&self, touches: &[Touch], before: &Look) -> Vec<Touch> {
        if let Some(newest) = slices::in_a_row(&self.filter) {
            return touches.iter().take(newest).copied().collect();
        }
        if self.filter.kind() != Kind::Scalable {
            return touches.to_vec();
        }
        let newest = touches.iter().map(|touch| touch.row).max().unwrap_or(0);
        let layer = explain::layer(before, touches).unwrap_or(newest);
        touches.iter().filter(|touch| touch.row == layer).copied().collect()
    }

    /// Removes a key from the true set. Plain bits have it once, counters as often as it was inserted.
    fn take_out(&mut self, key: KeyHash) -> bool {
        let mut was_in = false;
        while let Some(at) = self.is_in.iter().position(|(_, other)| *other == key) {
            self.is_in.remove(at);
            self.put.remove(at);
            was_in = true;
            if self.filter.kind() != Kind::Deletable {
                break;
            }
        }
        was_in
    }

    /// The false negatives, each once.
    fn missing(&self) -> Vec<(String, KeyHash)> {
        let mut missing: Vec<(String, KeyHash)> = Vec::new();
        for (name, key) in &self.is_in {
            let known = missing.iter().any(|(_, other)| other == key);
            if !known && !self.filter.contains_hash(*key) {
                missing.push((name.clone(), *key));
            }
        }
        missing
    }

    fn lost_with(&self, key: KeyHash) -> Option<&str> {
        let is_in = self.is_in.iter().any(|(_, other)| *other == key);
        let lost = self.lost.iter().find(|(other, _)| *other == key && is_in);
        lost.map(|(_, with)| with.as_str())
    }

    fn step(
        &self,
        action: Action,
        verb: &str,
        key: &str,
        note: String,
        answer: Option<(Answer, bool)>,
        before: &Look,
    ) -> Result<Step, Error> {
        let mut touches = self.filter.touches(self.hash(key));
        if matches!(action, Action::Insert | Action::Remove) {
            touches = self.written(&touches, before);
        }
        let involved = Involved {
            touches: &touches,
            in_order: true,
            before: Some(before),
            owners: self.owners(),
            is_no: answer.is_some_and(|(answer, _)| answer == Answer::No),
        };
        let (rows, touches) = look(&self.filter)?.drawn(&involved);
        let key = (self.shown)(key.as_bytes());
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
fn empty(made: &Made<'_>, target: Target) -> Result<AnyFilter, Error> {
    let Made { kind, options, seed, inserts, queries, .. } = made;
    let can = kind.capabilities();
    if can.insert {
        return AnyFilter::with_options(*kind, target, options, *seed).map_err(stop);
    }
    let unbuilt = |error: BuildError| Error::about(kind, error);
    if !can.values {
        let hash = |key: &String| seed.hash_bytes(key.as_bytes());
        let mut keys: Vec<KeyHash> = inserts.iter().map(hash).collect();
        if *kind == Kind::Cascade {
            // Its second list are the other keys that are looked up.
            let others = queries.iter().filter(|key| !inserts.contains(key));
            let (mut others, work) = (others.map(hash).collect::<Vec<_>>(), Work::new());
            return Cascade::build_lists(&mut keys, &mut others, Some(made.fpr), *seed, work)
                .map(AnyFilter::from)
                .map_err(unbuilt);
        }
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
fn pair(text: &str, seed: Seed) -> Result<(KeyHash, u64), Error> {
    let cause = "needs a value, a whole number: --insert key=7";
    let (key, value) = text.rsplit_once('=').ok_or_else(|| Error::about(text, cause))?;
    let value = value.parse().map_err(|_| Error::about(text, cause))?;
    Ok((seed.hash_bytes(key.as_bytes()), value))
}
