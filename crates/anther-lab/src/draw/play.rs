//! A small filter while keys are inserted, looked up and removed: a step for each.

use super::acts::Act;
use super::detail::Numbers;
use super::explain::{self, Moment};
use super::look::{self, Involved, Look};
use super::made::{Made, built, count, stop};
use super::reasons::{self, Reason};
use super::scene::{self, Action, Answer, Step, Wrong};
use super::slices;
use crate::error::Error;
use anther::parts::view::Touch;
use anther::{AnyFilter, Filter, Inspect, KeyHash, Kind, Target};
use std::collections::BTreeMap;

/// The filter while it is being changed.
pub struct Play<'a> {
    made: &'a Made<'a>,
    target: Target,
    /// The filter as it is now.
    pub filter: AnyFilter,
    /// What a static kind was built from: keys with their values where it has some.
    texts: Vec<String>,
    /// The keys that are truly in the set.
    pub is_in: Vec<(String, KeyHash)>,
    /// The cells of each of them, for kinds where these depend on the order of inserts.
    put: Vec<Vec<Touch>>,
    /// False negatives, each with the key whose removal caused it.
    lost: Vec<(KeyHash, String)>,
    /// Whether steps get their cells. To show one step of many, only that one is drawn.
    pub draws: bool,
}

/// The most keys that a step of a static kind names, the latest.
const MOST_NAMED: usize = 8;

impl<'a> Play<'a> {
    /// Before the first act.
    pub fn new(made: &'a Made<'a>, target: Target) -> Result<Play<'a>, Error> {
        let inserts = made.acts.iter().filter_map(Act::inserted);
        let texts: Vec<String> = match made.at_once() {
            true => inserts.cloned().collect(),
            false => Vec::new(),
        };
        let filter = match made.kind.capabilities().insert {
            true => AnyFilter::with_options(made.kind, target, &made.options, made.seed)
                .map_err(stop)?,
            false => built(made, target, &texts)?,
        };
        let (is_in, put, lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut play = Play { made, target, filter, texts, is_in, put, lost, draws: true };
        for text in play.texts.clone() {
            play.note_built(&text);
        }
        Ok(play)
    }

    /// The filter before anything has happened, or with all its keys.
    pub fn first(&self) -> Result<Step, Error> {
        if self.made.at_once() {
            return self.all_at_once();
        }
        let (rows, touches) = self.look()?.drawn(&Involved::default());
        Ok(Step { rows, touches, ..Step::new(Action::Look, "empty") })
    }

    /// Does the next thing, and tells what came of it.
    pub fn act(&mut self, act: &Act<String>) -> Result<Step, Error> {
        let made = self.made;
        match act {
            Act::Insert(key) if made.kind.capabilities().insert => {
                let step = self.insert(key)?;
                if made.kind == Kind::Scalable {
                    self.check_length()?;
                }
                Ok(step)
            }
            Act::Insert(text) => {
                let step = self.build_with(text)?;
                self.check_length()?;
                Ok(step)
            }
            Act::Query(key) => self.query(key),
            Act::Remove(key) if made.kind.capabilities().remove => self.remove(key),
            Act::Remove(key) => self.cannot_remove(key),
        }
    }

    /// Checks that the scene is not too long. A filter that grows may become too large.
    pub fn check_length(&self) -> Result<(), Error> {
        let cells = self.filter.rows().iter().map(|row| row.cells.cells()).sum();
        look::check_length(self.made.steps(), cells, self.made.audience.shorter_scene())
    }

    fn look(&self) -> Result<Look, Error> {
        self.made.look(&self.filter)
    }

    fn shown(&self, key: &str) -> String {
        (self.made.shown)(key.as_bytes())
    }

    /// Builds a static filter again, with one more key.
    fn build_with(&mut self, text: &str) -> Result<Step, Error> {
        let before = self.look()?;
        let key = self.made.key(text);
        self.texts.retain(|other| self.made.key(other) != key);
        self.texts.push(text.to_string());
        self.filter = built(self.made, self.target, &self.texts)?;
        self.note_built(text);
        let names: Vec<&str> = self.is_in.iter().map(|(name, _)| name.as_str()).collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        let some = names[more..].join(", ");
        let keys = count(names.len(), "key");
        let note = match more {
            0 => format!("solved again from {keys} at once: {some}"),
            more => format!("solved again from {keys} at once: {more} and {some}"),
        };
        let mut step = self.step(Action::Insert, "insert", key, note, None, &before)?;
        step.title = format!("insert {}", self.shown(text));
        Ok(step)
    }

    /// Counts a key among those that are in a static filter, once.
    fn note_built(&mut self, text: &str) {
        let key = self.made.key(text);
        let hash = self.hash(key);
        if !self.is_in.iter().any(|(_, other)| *other == hash) {
            self.is_in.push((self.shown(key), hash));
        }
    }

    /// A kind that keeps its keys, asked to remove one.
    fn cannot_remove(&self, key: &str) -> Result<Step, Error> {
        let now = self.look()?;
        let note = match self.made.kind.capabilities().insert {
            true => {
                format!("{} {} filter cannot remove keys", self.made.kind.article(), self.made.kind)
            }
            false => "static: it must be built again without the key".to_string(),
        };
        self.step(Action::Remove, "remove", key, format!("rejected: {note}"), None, &now)
    }

    fn all_at_once(&self) -> Result<Step, Error> {
        let touches: Vec<Touch> =
            self.is_in.iter().flat_map(|(_, key)| self.filter.touches(*key)).collect();
        let involved = Involved { touches: &touches, owners: self.owners(), ..Involved::default() };
        let (rows, touches) = self.look()?.drawn(&involved);
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

    /// Whose cells those of a step's key are, one for each of its touches.
    pub fn reasons(&self, step: &Step) -> Result<Vec<Reason>, Error> {
        let look = self.look()?;
        let rows = look.drawn_rows();
        let reason = |touch: &scene::Touch| {
            let reason = Reason::of(step, touch)?;
            let cell = (*rows.get(touch.row)?, touch.cell);
            let keys = reasons::owners_of(&self.filter, &look, &self.is_in, &self.put, cell);
            Some(Reason { keys, ..reason })
        };
        Ok(step.touches.iter().filter_map(reason).collect())
    }

    /// The filter in numbers.
    pub fn numbers(&self) -> Numbers {
        Numbers::of(&self.filter, self.is_in.iter().map(|(_, key)| *key).collect())
    }

    /// The hash of a key.
    pub fn hash(&self, key: &str) -> KeyHash {
        self.made.seed.hash_bytes(key.as_bytes())
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
        let (hash, before) = (self.hash(key), self.look()?);
        let known = self.is_in.iter().any(|(_, other)| *other == hash);
        let Some(filter) = self.filter.as_insert() else {
            return Err(Error::about(self.filter.kind(), "is static and cannot insert keys"));
        };
        let refused = filter.insert_hash(hash).err();
        let (now, touches) = (self.look()?, self.filter.touches(hash));
        if refused.is_none() {
            self.is_in.push((self.shown(key), hash));
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
        let (hash, now) = (self.hash(key), self.look()?);
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
        let (hash, before) = (self.hash(key), self.look()?);
        // After the removal some kinds cannot tell where it was.
        let touches = self.filter.touches(hash);
        let earlier = self.missing();
        let Some(filter) = self.filter.as_remove() else {
            return Err(Error::about(self.filter.kind(), "cannot remove keys"));
        };
        let removed = filter.remove_hash(hash);
        let now = self.look()?;
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
            let with = self.shown(key);
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
        let (rows, touches) = match self.draws {
            false => (Vec::new(), Vec::new()),
            true => self.look()?.drawn(&Involved {
                touches: &touches,
                in_order: true,
                before: Some(before),
                owners: self.owners(),
                is_no: answer.is_some_and(|(answer, _)| answer == Answer::No),
            }),
        };
        let key = self.shown(key);
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
