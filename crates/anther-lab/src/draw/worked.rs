//! Worked examples: a filter of a few cells whose hash functions are formulas.
//!
//! The cells are those of real filters of the library, which take positions in the place of
//! hashes. Since every key is known here, so is the truth: a false positive is called one.

use super::acts::{Act, Audience};
use super::detail::{Detail, Numbers};
use super::explain::{distinct, list, moves};
use super::formula::Formula;
use super::look::{self, MOST_CELLS};
use super::reasons::{Headline, Reason};
use super::scene::{Action, Answer, Cell, Row, Scene, Step, Together, Touch, Wrong};
use crate::error::Error;
use anther::{Classic, Counting, Inspect, PositionError, Seed, Shape, SizeError, units};
use std::collections::BTreeMap;
use std::num::ParseIntError;

/// A worked example.
#[derive(Clone, Debug, Default)]
pub struct Worked {
    /// Counters in the place of bits.
    pub counting: bool,
    /// How many cells there are.
    pub bits: u64,
    /// The hash functions.
    pub hashes: Vec<Formula>,
    /// What happens, in order.
    pub acts: Vec<Act<u64>>,
    /// What some keys are called in the picture, such as x1 for 1.
    pub names: BTreeMap<u64, String>,
    /// Whether a last step shows all keys and their arrows together.
    pub together: bool,
    /// Who looks at it.
    pub audience: Audience,
}

/// The example of text \[2\]: ten bits, three functions, {2, 4, 9}; 4, 5 and 12 are looked up.
pub fn example() -> Result<Worked, Error> {
    let parse = |text: &str| text.parse().map_err(|error| Error::about(text, error));
    Ok(Worked {
        counting: false,
        bits: 10,
        hashes: ["x", "2x+3", "3x+7"].into_iter().map(parse).collect::<Result<_, _>>()?,
        acts: Act::in_order(&[2, 4, 9], &[4, 5, 12], &[]),
        ..Worked::default()
    })
}

impl Worked {
    /// Checks that it can be drawn, and makes the filter.
    fn start(&self) -> Result<Play<'_>, Error> {
        let [bits, hash, fewer] = self.audience.worked();
        if !(1..=MOST_CELLS).contains(&self.bits) {
            let cause = format!("1 to {MOST_CELLS} are drawn");
            return Err(Error::about(format_args!("{bits} {}", self.bits), cause));
        }
        let steps = 1 + self.acts.len() as u64 + u64::from(self.together);
        look::check_length(steps, self.bits, fewer)?;
        let cells = Cells::new(self).map_err(|error| Error::about(hash, error))?;
        Ok(Play { worked: self, cells, is_in: Vec::new(), lost: Vec::new() })
    }

    /// The example, step by step.
    pub fn scene(&self) -> Result<Scene, Error> {
        let steps = self.start()?.steps().map_err(broken)?;
        Ok(Scene { title: self.title(), about: self.about(), steps })
    }

    /// A step, from 0 for the filter before anything has happened, with the reasons behind it.
    /// Beyond the last step it is the last.
    pub fn detail(&self, at: usize) -> Result<Detail, Error> {
        let mut play = self.start()?;
        let mut step = play.empty();
        let mut all = vec![Headline::of(&step)];
        let at = at.min(self.acts.len());
        let (mut reasons, mut numbers) = (Vec::new(), play.numbers().map_err(broken)?);
        for (number, act) in (1..).zip(&self.acts) {
            let next = play.act(act).map_err(broken)?;
            all.push(Headline::of(&next));
            if number == at {
                reasons = play.reasons(&next, *act.key());
                (numbers, step) = (play.numbers().map_err(broken)?, next);
            }
        }
        let (title, about, hash) = (self.title(), self.about(), None);
        Ok(Detail { title, about, all, step, hash, reasons, numbers })
    }

    fn title(&self) -> String {
        let (cell, name) = if self.counting { ("counter", "counting") } else { ("bit", "plain") };
        let end = if self.bits == 1 { "" } else { "s" };
        format!("A {name} Bloom filter of {} {cell}{end}", self.bits)
    }

    fn about(&self) -> String {
        let hashes: Vec<String> = self.hashes.iter().map(ToString::to_string).collect();
        let each = if hashes.len() == 1 { "" } else { " each" };
        format!("x goes to {},{each} modulo {}.", join(&hashes), self.bits)
    }

    /// What a key is called.
    fn name(&self, key: u64) -> String {
        self.names.get(&key).cloned().unwrap_or_else(|| key.to_string())
    }

    /// What a key is called, and which number that is.
    fn full_name(&self, key: u64) -> String {
        match self.names.get(&key) {
            Some(name) => format!("{name} = {key}"),
            None => key.to_string(),
        }
    }

    /// Several of them.
    fn name_all(&self, keys: &[u64]) -> String {
        keys.iter().map(|key| self.name(*key)).collect::<Vec<_>>().join(" ")
    }
}

fn broken(error: PositionError) -> Error {
    Error::Failed(error.to_string())
}

/// A key of a worked example, such as 4 or x1=4: its name, if it has one, and its number.
pub fn named_number(text: &str) -> Result<(Option<&str>, u64), ParseIntError> {
    let (name, number) = match text.trim().split_once('=') {
        Some((name, number)) => (Some(name.trim()), number.trim()),
        None => (None, text.trim()),
    };
    Ok((name, number.parse()?))
}

/// The filter itself.
enum Cells {
    Classic(Classic),
    Counting(Counting),
}

impl Cells {
    fn new(worked: &Worked) -> Result<Cells, SizeError> {
        let probes = u32::try_from(worked.hashes.len()).unwrap_or(u32::MAX);
        if worked.counting {
            let width = Counting::DEFAULT_COUNTER_BITS;
            return Counting::with_cells(worked.bits, probes, width, Seed::EXTERNAL)
                .map(Cells::Counting);
        }
        Classic::with_shape(Shape::bits(worked.bits).probes(probes), Seed::EXTERNAL)
            .map(Cells::Classic)
    }

    fn insert(&mut self, positions: &[u64]) -> Result<bool, PositionError> {
        match self {
            Cells::Classic(filter) => filter.insert_positions(positions),
            Cells::Counting(filter) => filter.insert_positions(positions),
        }
    }

    fn contains(&self, positions: &[u64]) -> Result<bool, PositionError> {
        match self {
            Cells::Classic(filter) => filter.contains_positions(positions),
            Cells::Counting(filter) => filter.contains_positions(positions),
        }
    }

    /// Removes a key, or clears its bits; false if it was certainly absent.
    fn remove(&mut self, positions: &[u64]) -> Result<bool, PositionError> {
        match self {
            Cells::Classic(filter) => {
                let found = filter.contains_positions(positions)?;
                if found {
                    filter.clear_positions(positions)?;
                }
                Ok(found)
            }
            Cells::Counting(filter) => filter.remove_positions(positions),
        }
    }

    /// The largest value of a cell.
    fn most(&self) -> u64 {
        match self {
            Cells::Classic(_) => 1,
            Cells::Counting(_) => (1 << Counting::DEFAULT_COUNTER_BITS) - 1,
        }
    }

    fn values(&self) -> Vec<u64> {
        let rows = match self {
            Cells::Classic(filter) => filter.rows(),
            Cells::Counting(filter) => filter.rows(),
        };
        let cells = rows.iter().map(|row| row.cells);
        cells.flat_map(|cells| (0..cells.cells()).map(move |cell| cells.get(cell))).collect()
    }
}

/// The example while it goes on.
struct Play<'a> {
    worked: &'a Worked,
    cells: Cells,
    /// The keys that really are in the filter.
    is_in: Vec<u64>,
    /// False negatives, each with the key whose removal caused it.
    lost: Vec<(u64, u64)>,
}

impl Play<'_> {
    fn steps(&mut self) -> Result<Vec<Step>, PositionError> {
        let worked = self.worked;
        let mut steps = vec![self.empty()];
        for act in &worked.acts {
            steps.push(self.act(act)?);
        }
        if worked.together {
            steps.push(self.together());
        }
        Ok(steps)
    }

    fn empty(&self) -> Step {
        let before = self.cells.values();
        let empty = Step::new(Action::Look, "empty");
        Step { rows: vec![self.row(None, &before)], ..empty }
    }

    /// Whose cells those of a step's key are, one for each of its touches.
    fn reasons(&self, step: &Step, key: u64) -> Vec<Reason> {
        let formulas = self.worked.hashes.iter().zip(&step.touches);
        let reason = |(formula, touch): (&Formula, &Touch)| {
            let reason = Reason::of(step, touch)?;
            let has = |other: &&u64| self.positions(**other).contains(&touch.cell);
            let keys = distinct(self.is_in.iter().filter(has).copied());
            Some(Reason {
                formula: Some(computed(formula, key, self.worked.bits)),
                keys: keys.into_iter().map(|key| self.worked.name(key)).collect(),
                ..reason
            })
        };
        formulas.filter_map(reason).collect()
    }

    /// The filter in numbers. What is measured are the numbers from 0 that are absent.
    fn numbers(&self) -> Result<Numbers, PositionError> {
        const LOOKUPS: u64 = 1000;
        let (mut asked, mut matched) = (0, 0);
        for key in (0..LOOKUPS).filter(|key| !self.is_in.contains(key)) {
            asked += 1;
            matched += u64::from(self.cells.contains(&self.positions(key))?);
        }
        let profile = match &self.cells {
            Cells::Classic(filter) => filter.profile(),
            Cells::Counting(filter) => filter.profile(),
        };
        let keys = distinct(self.is_in.iter().copied()).len() as u64;
        let forgotten = self.missing()?.len() as u64;
        Ok(Numbers { profile, keys, forgotten, asked, matched })
    }

    fn act(&mut self, act: &Act<u64>) -> Result<Step, PositionError> {
        match act {
            Act::Insert(key) => self.insert(*key),
            Act::Query(key) => self.query(*key),
            Act::Remove(key) => self.remove(*key),
        }
    }

    /// All present keys, and all that were looked up, with their cells.
    fn together(&self) -> Step {
        let values = self.cells.values();
        let mut row = self.row(None, &values);
        let of = |keys: &[u64], inserted| -> Vec<Together> {
            let shown = |key: &u64| Together {
                key: self.worked.name(*key),
                inserted,
                cells: distinct(self.positions(*key)),
            };
            distinct(keys.iter().copied()).iter().map(shown).collect()
        };
        let queries: Vec<u64> = self.worked.acts.iter().filter_map(Act::queried).copied().collect();
        let (inserted, asked) = (of(&self.is_in, true), of(&queries, false));
        for touched in asked.iter().flat_map(|key| &key.cells) {
            if let Some(cell) = row.at(*touched)
                && !cell.taken
            {
                (cell.touched, cell.missing) = (true, true);
            }
        }
        let named = |keys: &[Together]| {
            let cells = |key: &Together| format!("{} has {}", key.key, list(&key.cells));
            keys.iter().map(cells).collect::<Vec<_>>().join(", ")
        };
        let parts = [named(&inserted), named(&asked)];
        let note: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Step {
            note: note.join("; "),
            rows: vec![row],
            together: inserted.into_iter().chain(asked).collect(),
            ..Step::new(Action::Look, "all together")
        }
    }

    fn positions(&self, key: u64) -> Vec<u64> {
        self.worked.hashes.iter().map(|hash| hash.position(key, self.worked.bits)).collect()
    }

    fn insert(&mut self, key: u64) -> Result<Step, PositionError> {
        let (positions, before) = (self.positions(key), self.cells.values());
        self.cells.insert(&positions)?;
        let note = if self.worked.counting {
            self.what_moves("raises", &positions, &before)
        } else {
            self.what_is_set(key, &positions, &before)
        };
        self.is_in.push(key);
        Ok(self.step(Action::Insert, "insert", key, note, None, &before))
    }

    /// Which counters a step raised or lowered, and which it could not.
    fn what_moves(&self, verb: &str, positions: &[u64], before: &[u64]) -> String {
        let now = self.cells.values();
        let stays = |at: &u64| value(before, *at) == value(&now, *at);
        let (stuck, moved): (Vec<u64>, Vec<u64>) =
            positions.iter().copied().partition(|at| stays(at));
        moves(verb, &moved, &distinct(stuck), self.cells.most())
    }

    fn what_is_set(&self, key: u64, positions: &[u64], before: &[u64]) -> String {
        let was_one = |position: &&u64| value(before, **position) > 0;
        let old = distinct(positions.iter().filter(was_one).copied());
        let sets = format!("sets {}", list(positions));
        if old.is_empty() {
            return sets;
        }
        if old.len() < distinct(positions.iter().copied()).len() {
            let verb = if old.len() == 1 { "was" } else { "were" };
            return format!("{sets}; {} {verb} 1 already", list(&old));
        }
        let sorted = |mut positions: Vec<u64>| {
            positions.sort_unstable();
            positions
        };
        let ours = sorted(positions.to_vec());
        if self.is_in.contains(&key) {
            return format!("{sets}: nothing new, it is in already");
        }
        let same = self.is_in.iter().find(|key| sorted(self.positions(**key)) == ours);
        match same {
            Some(key) => {
                format!("{sets}: nothing new, {} has the same", self.worked.name(*key))
            }
            None => format!("{sets}: nothing new, all were 1 already"),
        }
    }

    fn query(&self, key: u64) -> Result<Step, PositionError> {
        let (positions, values) = (self.positions(key), self.cells.values());
        let answer = Answer::of(self.cells.contains(&positions)?);
        let zeros = distinct(positions.iter().filter(|at| value(&values, **at) == 0).copied());
        let is_in = self.is_in.contains(&key);
        let why = match (&zeros[..], self.worked.counting) {
            ([], false) => "all 1, so maybe".to_string(),
            ([], true) => "all above 0, so maybe".to_string(),
            ([one], _) => format!("{one} is 0, so no"),
            (several, _) => format!("{} are 0, so no", list(several)),
        };
        let truth = match Wrong::of(answer, is_in) {
            None => String::new(),
            Some(Wrong::FalsePositive) => ", but wrong: a false positive".to_string(),
            Some(Wrong::FalseNegative) => {
                let with =
                    self.lost_with(key).map_or(String::new(), |with| format!(": gone with {with}"));
                format!(", but it was in{with}")
            }
        };
        let answer = Some((answer, is_in));
        Ok(self.step(Action::Query, "query", key, format!("{why}{truth}"), answer, &values))
    }

    fn remove(&mut self, key: u64) -> Result<Step, PositionError> {
        let (positions, before) = (self.positions(key), self.cells.values());
        let earlier = self.missing()?;
        let removed = self.cells.remove(&positions)?;
        let mut note = match (removed, self.worked.counting) {
            (true, true) => self.what_moves("lowers", &positions, &before),
            (true, false) => format!("clears {}", list(&positions)),
            (false, _) => match self.lost_with(key) {
                Some(with) => format!("gone with {with} already, so nothing changes"),
                None => "surely not in, so nothing changes".to_string(),
            },
        };
        let was_in = self.take_out(key);
        if removed {
            if !was_in {
                note += ", though it is not in";
            }
            let mut lost = self.missing()?;
            lost.retain(|other| !earlier.contains(other));
            self.lost.extend(lost.iter().map(|other| (*other, key)));
            if !lost.is_empty() {
                let verb = if lost.len() == 1 { "goes" } else { "go" };
                note += &format!("; {} {verb} with it", self.worked.name_all(&lost));
            }
        }
        Ok(self.step(Action::Remove, "remove", key, note, None, &before))
    }

    /// Removes a key from the true set. Counters have it as often as it was inserted, bits once.
    fn take_out(&mut self, key: u64) -> bool {
        let Some(at) = self.is_in.iter().position(|other| *other == key) else { return false };
        if self.worked.counting {
            self.is_in.remove(at);
        } else {
            self.is_in.retain(|other| *other != key);
        }
        true
    }

    /// The false negatives.
    fn missing(&self) -> Result<Vec<u64>, PositionError> {
        let mut missing = Vec::new();
        for key in &self.is_in {
            if !self.cells.contains(&self.positions(*key))? {
                missing.push(*key);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        Ok(missing)
    }

    fn lost_with(&self, key: u64) -> Option<String> {
        let lost = self.lost.iter().find(|(other, _)| *other == key && self.is_in.contains(other));
        lost.map(|(_, with)| self.worked.name(*with))
    }

    fn step(
        &self,
        action: Action,
        verb: &str,
        key: u64,
        note: String,
        answer: Option<(Answer, bool)>,
        before: &[u64],
    ) -> Step {
        let mut row = self.row(Some(key), before);
        let no = answer.is_some_and(|(answer, _)| answer == Answer::No);
        for cell in &mut row.cells {
            cell.missing = no && cell.touched && !cell.taken;
        }
        let touches = self.positions(key).into_iter().zip(1..);
        Step {
            key: Some(self.worked.name(key)),
            note,
            answer: answer.map(|(answer, _)| answer),
            wrong: answer.and_then(|(answer, is_in)| Wrong::of(answer, is_in)),
            rows: vec![row],
            touches: touches.map(|(cell, hash)| Touch { row: 0, cell, hash: Some(hash) }).collect(),
            ..Step::new(action, &format!("{verb} {}", self.worked.full_name(key)))
        }
    }

    /// The cells as they are, for a step with this key, and as they were before.
    fn row(&self, key: Option<u64>, before: &[u64]) -> Row {
        let touched = key.map_or(Vec::new(), |key| self.positions(key));
        let values = self.cells.values();
        let mut owners = vec![0u32; values.len()];
        let mut keys = self.is_in.clone();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            for at in distinct(self.positions(key)) {
                if let Some(owners) = usize::try_from(at).ok().and_then(|at| owners.get_mut(at)) {
                    *owners += 1;
                }
            }
        }
        let cells = (0..).zip(values.iter().zip(before).zip(owners));
        let cells = cells.map(|(at, ((now, before), owners))| Cell {
            text: now.to_string(),
            taken: *now > 0,
            changed: now != before,
            touched: touched.contains(&at),
            shared: *now > 0 && owners > 1,
            stuck: self.worked.counting && *now == self.cells.most(),
            ..Cell::default()
        });
        let name = if self.worked.counting { "counters" } else { "bits" };
        Row {
            name: name.to_string(),
            groups: Vec::new(),
            marks: true,
            first: 0,
            buckets: None,
            wide: 1,
            cells: cells.collect(),
        }
    }
}

/// How a formula leads to a position: "2x+3 = 27, mod 10". Values that are large, or that a minus
/// made so, are left out.
fn computed(formula: &Formula, key: u64, bits: u64) -> String {
    let value = formula.position(key, u64::MAX);
    if value < 1_000_000 && value % bits.max(1) == formula.position(key, bits) {
        return format!("{formula} = {}, mod {bits}", units::count(value));
    }
    format!("{formula}, mod {bits}")
}

fn value(values: &[u64], at: u64) -> u64 {
    usize::try_from(at).ok().and_then(|at| values.get(at)).copied().unwrap_or(0)
}

/// "a", "a and b", "a, b and c".
pub fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(step: &Step) -> String {
        step.rows[0].cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    fn titles(scene: &Scene) -> Vec<&str> {
        scene.steps.iter().map(|step| step.title.as_str()).collect()
    }

    #[test]
    fn the_figures_of_the_source() {
        let mut worked = example().unwrap();
        worked.acts = Act::in_order(&[2, 4, 9], &[4, 5, 12], &[9]);
        let scene = worked.scene().unwrap();
        let steps = &scene.steps;
        assert_eq!(
            titles(&scene),
            [
                "empty", "insert 2", "insert 4", "insert 9", "query 4", "query 5", "query 12",
                "remove 9", "query 4", "query 5", "query 12"
            ]
        );
        let rows: Vec<_> = steps.iter().map(bits).collect();
        assert_eq!(rows[..4], ["0000000000", "0011000100", "0111100101", "0111100101"]);
        assert!(rows[4..7].iter().all(|row| row == "0111100101"));
        assert!(rows[7..].iter().all(|row| row == "0011000100"));
        let said: Vec<_> = steps.iter().filter_map(Step::verdict).collect();
        assert_eq!(
            said,
            ["maybe", "no", "false positive", "false negative", "no", "false positive"]
        );
        // The source says that it is position 2; that is 1.
        assert_eq!(steps[5].note, "5 is 0, so no");
        assert_eq!(steps[3].note, "sets 9 1 4: nothing new, 4 has the same");
        assert_eq!(steps[7].note, "clears 9 1 4; 4 goes with it");
        assert_eq!(steps[8].note, "4 1 9 are 0, so no, but it was in: gone with 9");
        let shared = |step: &Step| step.rows[0].cells.iter().filter(|cell| cell.shared).count();
        assert_eq!((shared(&steps[2]), shared(&steps[3]), shared(&steps[7])), (0, 3, 0));
    }

    #[test]
    fn counters_give_the_key_back() {
        let acts = Act::in_order(&[2, 4, 9], &[4, 5, 12], &[9, 5]);
        let worked = Worked { counting: true, acts, ..example().unwrap() };
        let scene = worked.scene().unwrap();
        let rows: Vec<_> = scene.steps.iter().map(bits).collect();
        assert_eq!(rows[3], "0211200102");
        assert_eq!(rows[7], "0111100101");
        assert_eq!(scene.steps[8].note, "surely not in, so nothing changes");
        assert_eq!(scene.steps[9].verdict(), Some("maybe"), "4 is still in");
    }

    #[test]
    fn two_functions_may_meet() {
        let hashes = vec!["x".parse().unwrap(), "2x".parse().unwrap()];
        let worked = Worked { bits: 4, hashes, acts: vec![Act::Insert(4)], ..Worked::default() };
        let scene = worked.scene().unwrap();
        let touches: Vec<_> = scene.steps[1].touches.iter().map(|t| (t.cell, t.hash)).collect();
        assert_eq!(touches, [(0, Some(1)), (0, Some(2))]);
        assert!(Worked { bits: 0, ..worked.clone() }.scene().is_err());
        assert!(Worked { bits: MOST_CELLS + 1, ..worked.clone() }.scene().is_err());
        assert!(Worked { hashes: Vec::new(), ..worked }.scene().is_err());
    }

    /// The pictures of texts [3] and [4]: keys have names, and a last step has all of them.
    #[test]
    fn keys_have_names_and_come_together() {
        let hashes = ["x+3", "3x+1", "x"].map(|text| text.parse().unwrap()).to_vec();
        let names = [(1, "x1"), (2, "x2"), (5, "y1"), (4, "y2")];
        let worked = Worked {
            bits: 12,
            hashes,
            acts: Act::in_order(&[1, 2], &[5, 4], &[]),
            names: names.into_iter().map(|(key, name)| (key, name.to_string())).collect(),
            together: true,
            ..Worked::default()
        };
        let scene = worked.scene().unwrap();
        assert_eq!(
            titles(&scene),
            [
                "empty",
                "insert x1 = 1",
                "insert x2 = 2",
                "query y1 = 5",
                "query y2 = 4",
                "all together"
            ]
        );
        // Two functions meet at the fifth bit.
        assert_eq!(scene.steps[1].note, "sets 4 4 1");
        let last = &scene.steps[5];
        assert_eq!(last.note, "x1 has 4 1, x2 has 5 7 2; y1 has 8 4 5, y2 has 7 1 4");
        let missing: Vec<bool> = last.rows[0].cells.iter().map(|cell| cell.missing).collect();
        assert_eq!(missing.iter().position(|missing| *missing), Some(8));
        assert_eq!(last.together.iter().filter(|key| key.inserted).count(), 2);
    }
}
