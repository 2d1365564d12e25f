//! The numbers of one kind, and how they are printed.

use super::all::WIDTH;
use crate::exit::Stop;
use crate::kind_args::OptionArgs;
use crate::output::{Out, wrapped};
use crate::units;
use anther::plan::Known;
use anther::sizing::bound;
use anther::{Kind, Options, SolveError};
use serde::Serialize;

/// What the command line says about the filter.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub known: Known,
    /// The most bits that it may take, if items, rate and memory are all given.
    pub room: Option<u64>,
    pub options: Options,
    pub said: &'a OptionArgs,
}

impl Request<'_> {
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

/// The numbers of a kind. The names of the fields are API, and the same as in `info`.
#[derive(Clone, Debug, Serialize)]
pub struct Numbers {
    /// Not serialised: the surrounding object has it.
    #[serde(skip)]
    pub kind: Kind,
    pub items: u64,
    /// The target to build it with.
    pub fpr_target: f64,
    /// The rate that it will have.
    pub fpr: f64,
    pub bits: u64,
    pub bits_sent: u64,
    /// Of the cells in memory.
    pub bytes: u64,
    pub bits_per_key: f64,
    /// How much more than the bound n·log2(1/ε), in a file: 0.44 is 44 % more.
    pub overhead: f64,
    pub probes: u32,
    /// Whether the probes are given, so that only the library can make it, from a shape.
    #[serde(skip)]
    pub probes_chosen: bool,
}

/// The width of the names of rows.
pub const NAMES: usize = 8;

/// What a kind can do, for `--json` and for the table.
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

impl Numbers {
    /// Computes them.
    pub fn new(kind: Kind, request: &Request<'_>) -> Result<Numbers, SolveError> {
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

    /// Prints the kind and a line for each number; long lines are wrapped.
    pub fn print(
        &self,
        out: &mut Out,
        request: &Request<'_>,
        why: Option<&str>,
        notes: &[String],
    ) -> Result<(), Stop> {
        // Two spaces before the name, one after it.
        const INDENT: usize = NAMES + 3;
        out.line(format_args!("{}", self.kind))?;
        let why = why.map(|why| ("why", why.to_string()));
        for (name, words) in why.into_iter().chain(self.rows(request, notes)) {
            // Never wrapped, so that it can be pasted.
            let lines = match name {
                "build" => vec![words],
                _ => wrapped(&words, WIDTH - INDENT),
            };
            for (at, line) in lines.iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                out.row(name, NAMES, line)?;
            }
        }
        Ok(())
    }

    /// The rows of the table: a name and a text each.
    fn rows(&self, request: &Request<'_>, notes: &[String]) -> Vec<(&'static str, String)> {
        let (bits, overhead) = (units::count(self.bits), self.overhead_in_words());
        let per_key = match self.sent_per_key() {
            Some(sent) => format!("{sent:.2} in a file and {:.2} in memory", self.bits_per_key),
            None => format!("{:.2}", self.bits_per_key),
        };
        // The rate is often a little below the target; that is not worth a remark.
        let (rate, target) = (units::rate(self.fpr), units::rate(self.fpr_target));
        let rate = match rate == target {
            true => rate,
            false => format!("{rate}, target {target}"),
        };
        let mut rows = vec![
            ("keys", units::count(self.items)),
            ("FPR", rate),
            ("size", format!("{}, {bits} bits", units::size(self.bytes))),
            ("bits", format!("{per_key} per key, {overhead} over the bound")),
            ("probes", format!("{} per key", self.probes)),
        ];
        rows.extend(notes.iter().map(|note| ("note", note.clone())));
        rows.push(match self.command(request) {
            Some(command) => ("build", command),
            None => ("library", format!("Shape::bits({}).probes({})", self.bits, self.probes)),
        });
        rows
    }

    /// What to know about the kind before choosing it.
    pub fn notes(&self, request: &Request<'_>) -> Vec<String> {
        let can = self.kind.capabilities();
        let notes = [
            (!can.insert, "static: built once, from all keys"),
            (can.grow, "size of the first layer; when it fills up, the filter adds a larger one"),
            (can.leaves_some, "some keys cannot be removed, about one in ten at low rates"),
            (
                self.kind == Kind::Cuckoo,
                "rejects inserts when full; anther add --grow doubles it, and its FPR then rises",
            ),
            (self.kind == Kind::DLeft, "rejects inserts when full"),
            (
                self.kind == Kind::Quotient,
                "doubles when full; its FPR then rises with the number of keys",
            ),
            (
                can.values && request.options.value_bits.is_none(),
                "for values of one bit; --value-bits N plans for wider ones",
            ),
            (
                self.kind == Kind::Cascade && request.options.others.is_none(),
                "without the keys that it must never report; --others N plans for them",
            ),
            (
                self.kind == Kind::Aging,
                "surely finds the latest --items keys and forgets older ones, so a no is not certain",
            ),
            (
                !can.no_false_negatives && self.kind != Kind::Aging,
                "keeps about the latest --items keys and forgets older ones, so a no is not certain (see --misses)",
            ),
            (can.experimental, "experimental: a later release may not read its files"),
        ];
        let notes = notes.into_iter().filter_map(|(applies, note)| applies.then_some(note));
        notes.map(str::to_string).chain(self.counts_to(request)).collect()
    }

    /// How far the kind counts, unless it counts any number or its options say so.
    fn counts_to(&self, request: &Request<'_>) -> Option<String> {
        let most = self.kind.max_count().filter(|most| *most < u64::MAX)?;
        Some(match self.kind.options().contains(&"counter-bits") {
            true if request.options.counter_bits.is_some() => return None,
            true => format!("counts stop at {most}; --counter-bits raises that"),
            false if self.kind == Kind::Cuckoo => {
                format!("stores up to {most} copies of a key, and rejects more")
            }
            false => format!("counts stop at {most}"),
        })
    }

    /// The command that builds it. The program cannot choose the probes.
    pub fn command(&self, request: &Request<'_>) -> Option<String> {
        if self.probes_chosen {
            return None;
        }
        let kind = self.kind;
        let (fpr, options) = (self.fpr_option(request), request.said.said());
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
    fn fpr_option(&self, request: &Request<'_>) -> String {
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
