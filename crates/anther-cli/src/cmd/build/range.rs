//! `build --kind range`: keys in their order, to look ranges up.

use super::Args;
use crate::description::RangeDescription;
use crate::exit::{Exit, Outcome, Stop};
use crate::input::{self, Input};
use crate::keys::Counts;
use crate::ordered::{self, Forms};
use crate::output;
use crate::secret_key::NewKey;
use crate::{filter_file, units};
use anther::range::Keys;
use anther::recipe::KeyForm;
use anther::{Range, RangeError, Seed};
use serde::Serialize;
use std::borrow::Cow;
use std::num::NonZero;

/// The longest range to look up, as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// A number of integers, or of seconds.
    Count(u64),
    /// A duration: a number of units, and the nanoseconds of a unit.
    Time { units: u64, unit: u64 },
    /// An IPv4 network, by the bits of its prefix.
    Network(u32),
}

const SECOND: u64 = 1_000_000_000;

/// The units of durations. Those below a second are also the step of the filter's keys.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
    ("d", 86_400 * SECOND),
    ("w", 7 * 86_400 * SECOND),
];

/// Parses `1024`, `1h` or `/24`.
pub fn parse_span(text: &str) -> Result<Span, String> {
    let wrong = || {
        "must be a number such as 1024, a time such as 500ms, 10s, 5m, 1h or 7d, or a network such \
         as /24"
            .to_string()
    };
    if let Some(bits) = text.strip_prefix('/') {
        let bits = bits.parse::<u32>().ok().filter(|bits| *bits <= 32);
        return bits.map(Span::Network).ok_or_else(|| "a network has /0 to /32".to_string());
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let span = match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, unit)) => {
            let units = number.parse().map_err(|_| wrong())?;
            Span::Time { units, unit: *unit }
        }
        None => Span::Count(units::parse_count_to(text, u64::MAX).map_err(|_| wrong())?),
    };
    match span {
        Span::Count(0) | Span::Time { units: 0, .. } => Err("must be 1 or more".to_string()),
        span => Ok(span),
    }
}

impl Span {
    /// The step of keys, and the span in steps, for keys of this form.
    fn steps(self, form: KeyForm) -> Result<(NonZero<u64>, u64), Stop> {
        let wrong = |cause| Err(Stop::about("--span", cause));
        let (step, span) = match (self, form) {
            (Span::Count(count), KeyForm::Time) => (SECOND, count),
            (Span::Count(count), _) => (1, count),
            (Span::Time { units, unit }, KeyForm::Time) => {
                let step = unit.min(SECOND);
                match units.checked_mul(unit / step) {
                    Some(span) => (step, span),
                    None => {
                        return wrong("too long; the longest is about 500 years of nanoseconds");
                    }
                }
            }
            (Span::Time { .. }, _) => {
                return wrong("a time is for keys that are times; add --as time");
            }
            (Span::Network(bits), KeyForm::Ip) => (1, 1 << (32 - bits)),
            (Span::Network(_), _) => {
                return wrong("a network is for keys that are addresses; add --as ip");
            }
        };
        Ok((NonZero::new(step).unwrap_or(NonZero::<u64>::MIN), span))
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct BuildJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    read: Counts,
    #[serde(flatten)]
    description: RangeDescription,
}

impl Args {
    /// Makes a range filter.
    pub(super) fn run_range(&self) -> Outcome {
        let destination = self.out.destination(self.json)?;
        let how = self.recipe.extraction()?;
        let sources = self.named.sources(&self.out.inputs(&self.inputs), "insert")?;
        filter_file::check_stdin(&[], &sources)?;
        self.check_range()?;
        self.check_sources(&destination, &sources)?;
        ordered::check_form(&how.rule)?;
        let Some(span) = self.span else {
            let cause = "a range filter needs the longest range to look up, such as --span 1024, or \
                         --span 1h with --as time, or --span /24 with --as ip";
            return Err(Stop::about("--span", cause));
        };
        let (step, span) = span.steps(how.rule.form)?;
        let key = if self.keyed { Some(self.key.for_new(&destination)?) } else { None };
        let seed = key.as_ref().map_or(Seed::chosen(self.seed), NewKey::seed);
        input::say_if_typed(&sources);

        let (memory, mut keys) = (self.memory(), Keys::with_step(step));
        let forms = Forms::default();
        let is_unsaid = how.rule.form == KeyForm::Text && !self.recipe.names_form();
        let unsaid = is_unsaid.then_some(&forms);
        let read = ordered::each(&sources, &how, self.quiet, unsaid, |source, more| {
            if (keys.len() + more.len()) as u64 > memory / 8 {
                let memory = units::size(memory);
                let cause = format!("the keys need more than {memory} of memory; raise --memory");
                return Err(Stop::about(source.name(), cause));
            }
            let pushed = more.iter().try_for_each(|key| keys.push(*key));
            pushed.map_err(|error| Stop::about(source.name(), error))
        })?;
        forms.check()?;
        read.refuse_if_all_malformed()?;
        if matches!(how.rule.form, KeyForm::Text | KeyForm::Hex) {
            keys = keys.without_zero_bytes();
        }
        let built = Range::from_keys(keys, span, self.fpr(), seed);
        let mut filter = built.map_err(|error| explained(&error))?;
        filter.set_recipe(Some(how.recipe()));
        let key_file = key.as_ref().map(NewKey::write).transpose()?;
        let keep = || key_file.into_iter().for_each(|file| file.keep(self.quiet));
        let bytes = destination.save_then(&filter, keep)?;
        let description = RangeDescription::new(&filter, Some(bytes));
        if !self.quiet {
            let name = destination.path().display();
            output::complain(&format!(
                "{name}: {}",
                description.built(read.keys, &read.left_out())
            ));
            if read.keys > 0 {
                output::complain(&description.meaning());
            }
        }
        if self.json {
            let file = self.out.path().to_string_lossy();
            let done = format_args!("{} is written", destination.path().display());
            output::report(&BuildJson { file, read, description }, done)?;
        }
        Ok(Exit::Success)
    }

    /// Refuses options that a range filter does not have.
    fn check_range(&self) -> Result<(), Stop> {
        self.kind.refuse_options()?;
        let options = [
            ("--items", self.items.is_some(), "is built from all its keys and counts them"),
            ("--headroom", self.headroom.is_some(), "is static, so no keys come later"),
            ("--distinct", self.distinct, "has each key once in any case"),
        ];
        if let Some((option, _, cause)) = options.iter().find(|(_, given, _)| *given) {
            let cause = format!("a range filter {cause}; leave it out");
            return Err(Stop::about(option, cause));
        }
        if self.keyed { Ok(()) } else { self.key.refuse() }
    }

    /// Checks the inputs before anything is read.
    pub(super) fn check_sources(
        &self,
        destination: &filter_file::Destination,
        sources: &[Input],
    ) -> Result<(), Stop> {
        if sources.iter().all(|source| matches!(source, Input::Keys(_))) {
            self.recipe.refuse_input_options()?;
        }
        for source in sources {
            if let Input::File(path) = source
                && destination.is(path)
            {
                let cause = "is both input and output; name another file for the filter";
                return Err(Stop::about(path.display(), cause));
            }
        }
        Ok(())
    }
}

fn explained(error: &RangeError) -> Stop {
    match error {
        RangeError::Target(cause) => Stop::about("--fpr", cause),
        other => Stop::Error(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read() {
        for (text, span) in [
            ("1024", Span::Count(1024)),
            ("10k", Span::Count(10_000)),
            ("1h", Span::Time { units: 1, unit: 3600 * SECOND }),
            ("500ms", Span::Time { units: 500, unit: 1_000_000 }),
            ("7d", Span::Time { units: 7, unit: 86_400 * SECOND }),
            ("/24", Span::Network(24)),
            ("/0", Span::Network(0)),
        ] {
            assert_eq!(parse_span(text), Ok(span), "{text}");
        }
        for text in ["", "0", "0s", "h", "-5", "/33", "/", "1.5h", "1 h", "99999999999999999999s"] {
            assert!(parse_span(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_become_steps() {
        let steps = |text: &str, form| parse_span(text).unwrap().steps(form).ok();
        let some = |step, span| Some((NonZero::new(step).unwrap(), span));
        assert_eq!(steps("1h", KeyForm::Time), some(SECOND, 3600));
        assert_eq!(steps("500ms", KeyForm::Time), some(1_000_000, 500));
        assert_eq!(steps("60", KeyForm::Time), some(SECOND, 60));
        assert_eq!(steps("/24", KeyForm::Ip), some(1, 256));
        assert_eq!(steps("/0", KeyForm::Ip), some(1, 1 << 32));
        assert_eq!(steps("1024", KeyForm::Int), some(1, 1024));
        assert_eq!(steps("1h", KeyForm::Int), None);
        assert_eq!(steps("/24", KeyForm::Time), None);
        assert_eq!(steps("18446744073709551615w", KeyForm::Time), None);
    }
}
