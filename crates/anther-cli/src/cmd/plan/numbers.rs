//! The numbers of one kind, and how they are said.

use super::all::WIDTH;
use crate::exit::Stop;
use crate::kind::OptionArgs;
use crate::output::{Out, wrapped};
use crate::units;
use anther::plan::Known;
use anther::sizing::bound;
use anther::{Kind, Options, SolveError};
use serde::Serialize;

/// What was asked of a filter.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub known: Known,
    /// The most bits that it may take, where more is known than there is to compute.
    pub room: Option<u64>,
    pub options: Options,
    pub said: &'a OptionArgs,
}

impl Asked<'_> {
    /// What makes one kind better than another: fewer bits, or in given bits a lower rate, or in
    /// given bits at a given rate more keys. Less is better; then fewer probes.
    pub fn cost(&self, numbers: &Numbers) -> (f64, u32) {
        let cost = match (self.known.items, self.known.bits) {
            (_, None) => numbers.bits as f64,
            (Some(_), _) => numbers.fpr,
            (None, _) => -(numbers.items as f64),
        };
        (cost, numbers.probes)
    }

    /// The numbers that were given, in words.
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

/// The numbers of a kind. The names of the fields are API, and those of `info`.
#[derive(Clone, Debug, Serialize)]
pub struct Numbers {
    /// Whoever writes them says the kind, with or without numbers.
    #[serde(skip)]
    pub kind: Kind,
    pub items: u64,
    /// What to ask for.
    pub fpr_target: f64,
    /// What it will have.
    pub fpr: f64,
    pub bits: u64,
    pub bits_sent: u64,
    /// Of the cells in memory.
    pub bytes: u64,
    pub bits_per_key: f64,
    /// How much more than the bound n·log2(1/ε), in a file: 0.44 is 44 % more.
    pub overhead: f64,
    pub probes: u32,
    /// Whether it takes a shape to make it: someone chose the probes.
    #[serde(skip)]
    pub probes_chosen: bool,
}

/// What a kind can do, in words: those of `--json` and of the table.
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
    /// What the kind comes to.
    pub fn new(kind: Kind, asked: &Asked<'_>) -> Result<Numbers, SolveError> {
        let known = &asked.known;
        let solved = known.solve(kind, &asked.options)?;
        let (target, plan) = (solved.target, solved.plan);
        if let Some(bits) = asked.room.filter(|room| plan.bits > *room) {
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
            // What grows or forgets comes closer and closer to the rate it was made for.
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

    /// How much more than the bound it takes.
    pub fn overhead_in_words(&self) -> String {
        match 100.0 * self.overhead {
            percent if percent < 99_999.5 => format!("{percent:.0} %"),
            percent => format!("{percent:.0e} %"),
        }
    }

    /// Bits a key in a file, where they are fewer than in memory.
    pub fn sent_per_key(&self) -> Option<f64> {
        let sent = self.bits_sent as f64 / self.items as f64;
        (self.bits_sent < self.bits).then_some(sent)
    }

    /// The kind and a line for each number; what is too long for a line goes on below.
    pub fn print(&self, out: &mut Out, asked: &Asked<'_>, why: Option<&str>) -> Result<(), Stop> {
        const INDENT: usize = 11;
        out.line(format_args!("{}", self.kind))?;
        let why = why.map(|why| ("why", why.to_string()));
        for (name, words) in why.into_iter().chain(self.rows(asked)) {
            // A command is to be pasted whole.
            let lines = match name {
                "build" => vec![words],
                _ => wrapped(&words, WIDTH - INDENT),
            };
            for (at, line) in lines.iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                out.line(format_args!("  {name:<8} {line}"))?;
            }
        }
        Ok(())
    }

    /// A table of names and words.
    fn rows(&self, asked: &Asked<'_>) -> Vec<(&'static str, String)> {
        let (bits, overhead) = (units::count(self.bits), self.overhead_in_words());
        let per_key = match self.sent_per_key() {
            Some(sent) => format!("{sent:.2} in a file and {:.2} in memory", self.bits_per_key),
            None => format!("{:.2}", self.bits_per_key),
        };
        // A rate is often a little lower than it need be, and that is no news.
        let (rate, target) = (units::rate(self.fpr), units::rate(self.fpr_target));
        let rate = match rate == target {
            true => rate,
            false => format!("{rate}, where {target} is asked for"),
        };
        let mut rows = vec![
            ("keys", units::count(self.items)),
            ("rate", rate),
            ("size", format!("{}, {bits} bits", units::size(self.bytes))),
            ("bits", format!("{per_key} a key, {overhead} over the bound")),
            ("probes", format!("{} a key", self.probes)),
        ];
        rows.extend(self.notes(asked).into_iter().map(|note| ("note", note.to_string())));
        rows.push(match self.command(asked) {
            Some(command) => ("build", command),
            None => ("library", format!("Shape::bits({}).probes({})", self.bits, self.probes)),
        });
        rows
    }

    /// What to know of the kind before one takes it.
    pub fn notes(&self, asked: &Asked<'_>) -> Vec<&'static str> {
        let can = self.kind.capabilities();
        let has = |option: &str| self.kind.options().contains(&option);
        let notes = [
            (!can.insert, "made from all keys at once, and does not change"),
            (can.grow, "so large is its first part; when that is full, a larger one is added"),
            (can.leaves_some, "some keys cannot be taken out again, about one in ten at low rates"),
            (can.fills_up, "refuses keys for which it has no room"),
            (
                can.count && has("counter-bits") && asked.options.counter_bits.is_none(),
                "counts end where a counter does; --counter-bits widens them",
            ),
            (
                can.values && asked.options.value_bits.is_none(),
                "values of one bit; --value-bits tells what wider ones take",
            ),
            (
                !can.no_false_negatives,
                "remembers about the latest --items keys: a no is not certain (see --misses)",
            ),
            (can.experimental, "experimental: a later release may refuse its files"),
        ];
        notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect()
    }

    /// The command that makes it. The program cannot choose probes.
    pub fn command(&self, asked: &Asked<'_>) -> Option<String> {
        if self.probes_chosen {
            return None;
        }
        let (kind, items) = (self.kind, self.items);
        let (fpr, options) = (self.fpr_option(asked), asked.said.said());
        Some(format!(
            "anther build OUT.anther IN --kind {kind} --items {items} --fpr {fpr}{options}"
        ))
    }

    /// The rate as an option: as it was said; or computed, with three digits if it then still
    /// fits and nearly all of the memory is used.
    fn fpr_option(&self, asked: &Asked<'_>) -> String {
        let exact = format!("{:?}", self.fpr_target);
        let reads = |text: &str| units::parse_rate(text).ok();
        if asked.known.fpr.is_some() {
            let short = units::rate_option(self.fpr_target);
            return if reads(&short) == Some(self.fpr_target) { short } else { exact };
        }
        let step = 10f64.powf(self.fpr_target.log10().floor() - 2.0);
        let short = units::rate_option((self.fpr_target / step).ceil() * step);
        let enough = self.bits - self.bits / 200;
        let fits = reads(&short).is_some_and(|fpr| {
            let known = Known { fpr: Some(fpr), bits: None, ..asked.known };
            let solved = known.solve(self.kind, &asked.options);
            fpr >= self.fpr_target
                && solved.is_ok_and(|solved| (enough..=self.bits).contains(&solved.plan.bits))
        });
        if fits { short } else { exact }
    }
}
