//! A small filter of any kind, made of a few keys and drawn as it changes.

use super::acts::{Act, Audience};
use super::detail::Detail;
use super::explain;
use super::look::{self, Look, MOST_CELLS};
use super::play::Play;
use super::reasons::Headline;
use super::scene::Scene;
use crate::error::Error;
use anther::units;
use anther::{
    AnyFilter, Bloomier, BuildError, Cascade, Inspect, KeyHash, Kind, Options, Seed, SizeError,
    Target, Work,
};

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
    /// What happens, in order.
    pub acts: &'a [Act<String>],
    /// The second list of a cascade; by default the keys that are looked up and never inserted.
    pub others: Option<&'a [String]>,
    /// Who looks at it.
    pub audience: Audience,
    /// How a key is shown: on one line, and harmless to a terminal.
    pub shown: fn(&[u8]) -> String,
}

impl Made<'_> {
    /// The scene.
    pub fn scene(&self) -> Result<Scene, Error> {
        let mut play = self.start()?;
        let mut steps = vec![play.first()?];
        for act in self.played() {
            steps.push(play.act(act)?);
        }
        Ok(Scene {
            title: self.title(&play.filter, play.is_in.len()),
            about: explain::about(self.kind).to_string(),
            steps,
        })
    }

    /// A step, from 0 for the filter before anything has happened, with the reasons behind it; and
    /// what was said in all of them. Beyond the last step it is the last.
    pub fn detail(&self, at: usize) -> Result<Detail, Error> {
        let mut play = self.start()?;
        let mut step = play.first()?;
        let mut all = vec![Headline::of(&step)];
        let at = at.min(self.played().count());
        let (mut reasons, mut numbers, mut hash) = (play.reasons(&step)?, play.numbers(), None);
        for (number, act) in (1..).zip(self.played()) {
            play.draws = number == at;
            let next = play.act(act)?;
            all.push(Headline::of(&next));
            if number == at {
                (reasons, numbers, step) = (play.reasons(&next)?, play.numbers(), next);
                let key = act.inserted().map_or(act.key().as_str(), |text| self.key(text));
                hash = Some(play.hash(key));
            }
        }
        let title = self.title(&play.filter, play.is_in.len());
        let about = explain::about(self.kind).to_string();
        Ok(Detail { title, about, all, step, hash, reasons, numbers })
    }

    /// Checks that it can be drawn, and makes the filter.
    fn start(&self) -> Result<Play<'_>, Error> {
        let can = self.kind.capabilities();
        if self.audience == Audience::Program && !can.remove && self.acts.iter().any(Act::removes) {
            let cause = match can.insert {
                true => "cannot remove keys; --bits and --hash show why a plain filter cannot",
                false => "is static and cannot remove keys; leave --remove out",
            };
            return Err(Error::about(self.kind, cause));
        }
        if self.items == Some(0) {
            return Err(Error::about("--items 0", "must be 1 or more"));
        }
        let target = Target::new(self.items(), self.fpr).map_err(SizeError::from).map_err(stop)?;
        let plan = self.kind.plan(target, &self.options).map_err(stop)?;
        // Cells have at most 64 bits, so this is too large for certain.
        if plan.bits > 64 * MOST_CELLS {
            return Err(self.too_large(format_args!("{} bits", units::count(plan.bits))));
        }
        let next = self.audience.shorter_scene();
        look::check_length(self.steps(), 0, next)?;
        look::check_length(self.acts.iter().filter_map(Act::inserted).count() as u64, 0, next)?;
        let play = Play::new(self, target)?;
        play.check_length()?;
        Ok(play)
    }

    /// The number of keys that the filter is made for.
    fn items(&self) -> u64 {
        self.items.unwrap_or(self.keys()).max(1)
    }

    /// What is a step of its own. The keys of a static kind are inserted in the first.
    fn played(&self) -> impl Iterator<Item = &Act<String>> {
        let at_once = self.at_once();
        self.acts.iter().filter(move |act| !at_once || act.inserted().is_none())
    }

    pub(super) fn steps(&self) -> u64 {
        1 + self.played().count() as u64
    }

    /// Whether all keys are there from the start.
    pub(super) fn at_once(&self) -> bool {
        !self.kind.capabilities().insert && self.audience == Audience::Program
    }

    fn title(&self, filter: &AnyFilter, went_in: usize) -> String {
        let items = self.items();
        let keys = count(usize::try_from(items).unwrap_or(usize::MAX), "key");
        let made = match self.kind {
            Kind::Scalable => {
                let layers = count(filter.rows().len(), "layer");
                let went_in = count(went_in, "key");
                format!("{layers} with {went_in}, the first made for {items},")
            }
            _ => {
                let (cells, inside) = (look::own_cells(filter), self.keys());
                match self.items {
                    Some(made_for) if made_for != inside => {
                        let inside = count(usize::try_from(inside).unwrap_or(usize::MAX), "key");
                        format!("{cells} with {inside}, made for {made_for}")
                    }
                    _ => format!("{cells} for {keys}"),
                }
            }
        };
        format!("{}: {made} at {}", self.kind, units::rate(self.fpr))
    }

    /// How many keys are inserted. A static kind has each once.
    fn keys(&self) -> u64 {
        let inserted = self.acts.iter().filter_map(Act::inserted);
        let mut keys: Vec<&str> = inserted.map(|key| self.key(key)).collect();
        if !self.kind.capabilities().insert {
            keys.sort_unstable();
            keys.dedup();
        }
        keys.len() as u64
    }

    /// The key of a text to insert: the part before the value, if the kind has values.
    pub(super) fn key<'a>(&self, text: &'a str) -> &'a str {
        match self.kind.capabilities().values {
            true => text.rsplit_once('=').map_or(text, |(key, _)| key),
            false => text,
        }
    }

    fn too_large(&self, what: impl std::fmt::Display) -> Error {
        let (most, next) = (units::count(MOST_CELLS), self.audience.smaller_filter());
        Error::about(what, format_args!("at most {most} cells can be drawn; {next}"))
    }

    pub(super) fn look(&self, filter: &AnyFilter) -> Result<Look, Error> {
        Look::at(filter, None).map_err(|error| match error {
            Error::Failed(message) => {
                Error::Failed(format!("{message}; {}", self.audience.smaller_filter()))
            }
            other => other,
        })
    }
}

pub fn count(number: usize, thing: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {thing}{end}", units::count(number as u64))
}

pub fn stop(error: SizeError) -> Error {
    Error::Failed(error.to_string())
}

/// A static filter of these keys, with their values where the kind has some.
pub fn built(made: &Made<'_>, target: Target, texts: &[String]) -> Result<AnyFilter, Error> {
    let Made { kind, options, seed, .. } = made;
    let unbuilt = |error: BuildError| Error::about(kind, error);
    if !kind.capabilities().values {
        let hash = |key: &String| seed.hash_bytes(key.as_bytes());
        let mut keys: Vec<KeyHash> = texts.iter().map(hash).collect();
        if *kind == Kind::Cascade {
            let asked = || made.acts.iter().filter_map(Act::queried).cloned().collect::<Vec<_>>();
            let others = made.others.map_or_else(asked, <[String]>::to_vec);
            let others = others.iter().filter(|key| !texts.contains(key));
            let (mut others, work) = (others.map(hash).collect::<Vec<_>>(), Work::new());
            return Cascade::build_lists(&mut keys, &mut others, Some(made.fpr), *seed, work)
                .map(AnyFilter::from)
                .map_err(unbuilt);
        }
        return AnyFilter::build(*kind, &mut keys, target, options, *seed, Work::new())
            .map_err(unbuilt);
    }
    let pair = |text: &String| pair(text, *seed, made.audience.needs_value());
    let mut pairs = texts.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
    let largest = pairs.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let mut options = *options;
    options.value_bits = options.value_bits.or(Some((64 - largest.leading_zeros()).max(1)));
    Bloomier::build_pairs(&mut pairs, target, &options, false, *seed, Work::new())
        .map(AnyFilter::from)
        .map_err(unbuilt)
}

/// A key and its value, as key=value.
fn pair(text: &str, seed: Seed, cause: &str) -> Result<(KeyHash, u64), Error> {
    let (key, value) = text.rsplit_once('=').ok_or_else(|| Error::about(text, cause))?;
    let value = value.parse().map_err(|_| Error::about(text, cause))?;
    Ok((seed.hash_bytes(key.as_bytes()), value))
}
