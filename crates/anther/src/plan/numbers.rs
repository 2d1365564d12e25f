//! A request and the numbers of one kind for it, with what to know about the kind.

use super::Known;
use crate::error::SolveError;
use crate::kind::Kind;
use crate::options::Options;
use crate::sizing::bound;
use crate::units;
use std::fmt;

/// What is asked about a filter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The given numbers.
    pub known: Known,
    /// The most bits that it may take, if items, rate and memory are all given.
    pub room: Option<u64>,
    /// Options of kinds.
    pub options: Options,
}

impl Request {
    /// The sort key of kinds: the bits, or for given bits the rate, or for given bits and rate the
    /// negative number of keys; then the probes. Less is better.
    pub fn cost(&self, numbers: &Numbers) -> (f64, u32) {
        let cost = match (self.known.items, self.known.bits) {
            (_, None) => numbers.bits as f64,
            (Some(_), _) => numbers.fpr,
            (None, _) => -(numbers.items as f64),
        };
        (cost, numbers.probes)
    }

    /// The given numbers as text.
    pub fn in_words(&self) -> String {
        let items = self.known.items.map(|items| match items {
            1 => "1 key".to_string(),
            items => format!("{} keys", units::count(items)),
        });
        let rate = self.known.fpr.map(|fpr| format!("at {}", units::rate(fpr)));
        let memory = self
            .known
            .bits
            .or(self.room)
            .map(|bits| format!("in {}", units::size(bits.div_ceil(8))));
        let items = items.unwrap_or_else(|| "as many keys as fit".to_string());
        [Some(items), rate, memory].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// The numbers of a kind. The names of the fields are API, and the same as in `anther info --json`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Numbers {
    /// The kind. Not serialised: the surrounding object has it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub kind: Kind,
    /// Distinct keys.
    pub items: u64,
    /// The target to build it with.
    pub fpr_target: f64,
    /// The rate that it will have.
    pub fpr: f64,
    /// Bits in memory.
    pub bits: u64,
    /// Bits in a file.
    pub bits_sent: u64,
    /// Of the cells in memory.
    pub bytes: u64,
    /// Bits in memory per key.
    pub bits_per_key: f64,
    /// How much more than the bound n·log2(1/ε), in a file: 0.44 is 44 % more.
    pub overhead: f64,
    /// Probes per key.
    pub probes: u32,
    /// Whether the probes are given, so that only the library can make it, from a shape.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub probes_chosen: bool,
}

/// What a kind can do, in words.
pub fn can(kind: Kind) -> Vec<&'static str> {
    let can = kind.capabilities();
    let words = [
        (can.insert, "insert"),
        (!can.insert, "static"),
        (can.remove, "remove"),
        (can.count, "count"),
        (can.values, "values"),
        (can.grow, "grow"),
        (can.merge, "merge"),
        (!can.no_false_negatives, "forgets"),
        (can.experimental, "experimental"),
    ];
    words.into_iter().filter_map(|(able, word)| able.then_some(word)).collect()
}

/// Something to know about a kind before choosing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is.
    pub text: String,
    /// What the program can do about it.
    pub advice: Option<&'static str>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        self.advice.map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

impl Numbers {
    /// Computes them.
    pub fn new(kind: Kind, request: &Request) -> Result<Numbers, SolveError> {
        let known = &request.known;
        let solved = known.solve(kind, &request.options)?;
        let (target, plan) = (solved.target, solved.plan);
        if let Some(bits) = request.room.filter(|room| plan.bits > *room) {
            let (items, fpr, least) = (target.items(), target.fpr(), plan.bits);
            return Err(SolveError::NoRoom { kind, items, fpr, bits, least });
        }
        let can = kind.capabilities();
        let lasts = can.no_false_negatives && !can.grow;
        let all_three = known.items.is_some() && known.fpr.is_some() && known.bits.is_some();
        Ok(Numbers {
            kind,
            items: target.items(),
            fpr_target: target.fpr(),
            // A kind that grows or forgets approaches its target in the long run.
            fpr: if lasts { plan.fpr } else { target.fpr() },
            bits: plan.bits,
            bits_sent: plan.bits_sent,
            bytes: plan.bits.div_ceil(8),
            bits_per_key: plan.bits as f64 / target.items() as f64,
            overhead: bound::overhead(plan.bits_sent, target.items(), target.fpr()),
            probes: plan.probes,
            probes_chosen: known.probes.is_some() || all_three,
        })
    }

    /// The overhead as text.
    pub fn overhead_in_words(&self) -> String {
        match 100.0 * self.overhead {
            percent if percent < 99_999.5 => format!("{percent:.0} %"),
            percent => format!("{percent:.0e} %"),
        }
    }

    /// Bits per key in a file, if they are fewer than in memory.
    pub fn sent_per_key(&self) -> Option<f64> {
        let sent = self.bits_sent as f64 / self.items as f64;
        (self.bits_sent < self.bits).then_some(sent)
    }

    /// What to know about the kind before choosing it.
    pub fn notes(&self, request: &Request) -> Vec<Note> {
        let can = self.kind.capabilities();
        let latest = format!(
            "the latest {} keys and forgets older ones, so a no is not certain",
            units::count(self.items)
        );
        let (finds, keeps) = (format!("surely finds {latest}"), format!("keeps about {latest}"));
        let notes: [(bool, &str, Option<&'static str>); 11] = [
            (!can.insert, "static: built once, from all keys", None),
            (
                can.grow,
                "size of the first layer; when it fills up, the filter adds a larger one",
                None,
            ),
            (can.leaves_some, "some keys cannot be removed, about one in ten at low rates", None),
            (
                self.kind == Kind::Cuckoo,
                "rejects inserts when full",
                Some("anther add --grow doubles it, and its FPR then rises"),
            ),
            (self.kind == Kind::DLeft, "rejects inserts when full", None),
            (
                self.kind == Kind::Quotient,
                "doubles when full; its FPR then rises with the number of keys",
                None,
            ),
            (
                can.values && request.options.value_bits.is_none(),
                "for values of one bit",
                Some("--value-bits N plans for wider ones"),
            ),
            (
                self.kind == Kind::Cascade && request.options.others.is_none(),
                "without the keys that it must never report",
                Some("--others N plans for them"),
            ),
            (self.kind == Kind::Aging, &finds, None),
            (
                !can.no_false_negatives && self.kind != Kind::Aging,
                &keeps,
                Some("--misses says how many of those it may forget"),
            ),
            (can.experimental, "experimental: a later release may not read its files", None),
        ];
        let notes = notes.into_iter().filter(|(applies, ..)| *applies);
        let notes = notes.map(|(_, text, advice)| Note { text: text.to_string(), advice });
        notes.chain(self.counts_to(request)).collect()
    }

    /// How far the kind counts, unless it counts any number or its options say so.
    fn counts_to(&self, request: &Request) -> Option<Note> {
        let most = self.kind.max_count().filter(|most| *most < u64::MAX)?;
        let note = |text, advice| Some(Note { text, advice });
        match self.kind.options().contains(&"counter-bits") {
            true if request.options.counter_bits.is_some() => None,
            true => note(format!("counts stop at {most}"), Some("--counter-bits raises that")),
            false if self.kind == Kind::Cuckoo => {
                note(format!("stores up to {most} copies of a key, and rejects more"), None)
            }
            false => note(format!("counts stop at {most}"), None),
        }
    }

    /// The program's command that builds it. The program cannot choose the probes.
    pub fn command(&self, request: &Request) -> Option<String> {
        if self.probes_chosen {
            return None;
        }
        let kind = self.kind;
        let fpr = self.fpr_option(request);
        let options = request.options.given().map(|(name, value)| format!(" --{name} {value}"));
        let options: String = options.collect();
        // A window is the number of items.
        let items = match request.options.window {
            Some(_) => String::new(),
            None => format!(" --items {}", self.items),
        };
        if kind == Kind::Cascade {
            return Some(format!("anther build OUT.anther IN --never-wrong-on LIST --fpr {fpr}"));
        }
        Some(format!("anther build OUT.anther IN --kind {kind}{items} --fpr {fpr}{options}"))
    }

    /// The rate as an option: as it was given; if it was computed, with three digits, provided that
    /// the filter then still fits and uses nearly all of the memory.
    pub fn fpr_option(&self, request: &Request) -> String {
        let exact = format!("{:?}", self.fpr_target);
        let reads = |text: &str| units::parse_rate(text).ok();
        if request.known.fpr.is_some() {
            let short = units::rate_option(self.fpr_target);
            return if reads(&short) == Some(self.fpr_target) { short } else { exact };
        }
        let step = 10f64.powf(self.fpr_target.log10().floor() - 2.0);
        let short = units::rate_option((self.fpr_target / step).ceil() * step);
        let enough = self.bits - self.bits / 200;
        let fits = reads(&short).is_some_and(|fpr| {
            let known = Known { fpr: Some(fpr), bits: None, ..request.known };
            let solved = known.solve(self.kind, &request.options);
            fpr >= self.fpr_target
                && solved.is_ok_and(|solved| (enough..=self.bits).contains(&solved.plan.bits))
        });
        if fits { short } else { exact }
    }
}
