//! Lookups in a range filter: of keys, and of ranges.

use super::Args;
use super::answer::AnswerCounts;
use crate::escaped;
use crate::exit::{Exit, Outcome, Stop};
use crate::input::{self, Input};
use crate::keys::{ENOUGH, ON, Reading};
use crate::ordered;
use crate::output::{self, Out, Subject};
use anther::recipe::{Given, Recipe, parts_of};
use anther::{BoundsError, Range, Seed};
use anther_records::extract::Extraction;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsStr;

/// A line of `--json`.
#[derive(Serialize)]
struct CheckJson<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    maybe: bool,
}

/// The same for `--between`.
#[derive(Serialize)]
struct BetweenJson<'a> {
    first: Cow<'a, str>,
    last: Cow<'a, str>,
    maybe: bool,
}

impl Args {
    /// Looks keys and ranges up in a range filter.
    pub(super) fn run_range(&self, filter: &Range, files: &[Input]) -> Outcome {
        let options = [
            ("--also", !self.also.is_empty()),
            ("--confirm", !self.confirm.is_empty()),
            ("--expect", !self.expect.is_empty()),
            ("--reload", self.reload),
        ];
        if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
            let path = output::shown(&self.filter);
            let cause = format!("{path} is a range filter, which is checked alone; leave it out");
            return Err(Stop::about(option, cause));
        }
        let default = Recipe { rule: filter.rule(), ..Recipe::default() };
        let own = filter.about().recipe.as_ref().unwrap_or(&default);
        let how = match self.ranges {
            true => self.recipe.ranges(own.rule)?,
            false => self.recipe.extraction_for(output::shown(&self.filter), Some(own))?,
        };
        let mut out = Out::stdout().line_buffered(self.line_buffered);
        let mut tally = AnswerCounts::default();
        for bounds in self.between.chunks(2) {
            let [first, last] = bounds else { continue };
            self.between(filter, first, last, &mut tally, &mut out)?;
        }
        for argument in self.inputs.keys(&self.keys) {
            let key = argument.as_encoded_bytes();
            let maybe = filter.contains_key(key);
            let maybe = maybe.map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            tally.add(&[maybe]);
            if self.prints() && !(self.invert && maybe) {
                if self.json {
                    out.json(&CheckJson { subject: Subject::key(key), maybe })?;
                } else {
                    say(maybe, &[key], &mut out)?;
                }
                out.end_answer()?;
            }
        }
        let is_known = self.quiet && tally.selected(self.invert) > 0;
        if !files.is_empty() && !is_known {
            self.range_records(filter, files, &how, &mut tally, &mut out)?;
        }
        let selected = tally.selected(self.invert);
        if self.count && !self.quiet {
            if self.json {
                out.json(&tally.shown(false))?;
            } else {
                out.line(format_args!("{selected}"))?;
            }
        }
        out.finish()?;
        Ok(if selected > 0 { Exit::Success } else { Exit::Nothing })
    }

    /// Looks up a range of the command line.
    fn between(
        &self,
        filter: &Range,
        first: &OsStr,
        last: &OsStr,
        tally: &mut AnswerCounts,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let [first, last] = [first, last].map(OsStr::as_encoded_bytes);
        let maybe = filter.contains_between(first, last).map_err(|error| {
            let [first, last] = [first, last].map(escaped::on_one_line);
            Stop::about(format_args!("--between {first} {last}"), error)
        })?;
        tally.add(&[maybe]);
        if !self.prints() || self.invert && maybe {
            return Ok(());
        }
        if self.json {
            let [first, last] = [first, last].map(String::from_utf8_lossy);
            out.json(&BetweenJson { first, last, maybe })?;
        } else {
            say(maybe, &[first, last], out)?;
        }
        out.end_answer()
    }

    /// Looks up the keys, or the ranges, of inputs.
    fn range_records(
        &self,
        filter: &Range,
        sources: &[Input],
        how: &Extraction,
        tally: &mut AnswerCounts,
        out: &mut Out,
    ) -> Result<(), Stop> {
        input::say_if_typed(sources);
        let raw = if self.ranges { how.clone() } else { ordered::as_text(how) };
        let reading = Reading { sources, how: &raw, seed: Seed::FIXED };
        let look_up = |key: &[u8]| match self.ranges {
            true => in_record(filter, key),
            false => {
                let order = filter.rule().order(ordered::given(how, key));
                let order = order.map_err(|error| ordered::refused(key, &error))?;
                let found = filter.scale().clamped(order, order);
                Ok(found.is_some_and(|(key, _)| filter.contains(key)))
            }
        };
        let end: Vec<u8> = how.separator().into_iter().collect();
        let (mut last_head, mut last_is_whole, mut malformed) = (None, true, 0);
        let mut read = reading.each_part(
            &[Seed::FIXED],
            true,
            |part| ordered::of_part(part, how.skip_malformed, look_up),
            |keyed, made| {
                if let Some(head) = keyed.head
                    && self.prints()
                    && !self.json
                    && last_head.as_deref() != Some(head)
                {
                    last_head = Some(head.to_vec());
                    self.number(1, out)?;
                    out.record(head)?;
                }
                for ((number, record), maybe) in keyed.records.numbered().zip(&made.results) {
                    let Some(maybe) = *maybe else {
                        malformed += 1;
                        continue;
                    };
                    tally.add(&[maybe]);
                    if !self.prints() || !self.json && maybe == self.invert {
                        continue;
                    }
                    if !last_is_whole {
                        out.record(&end)?;
                    }
                    last_is_whole = self.json || how.is_whole(record);
                    if self.json {
                        let subject = Subject::record(number, how.without_end(record));
                        out.json(&CheckJson { subject, maybe })?;
                    } else {
                        self.number(number, out)?;
                        out.record(record)?;
                    }
                    out.end_answer()?;
                }
                out.end_block(keyed.next_is_ready)?;
                if self.quiet && tally.selected(self.invert) > 0 {
                    return Ok(ENOUGH);
                }
                match made.refused {
                    None => Ok(ON),
                    Some((at, cause)) => {
                        let line = Some(keyed.records.line(at));
                        Err(ordered::stop(how, keyed.source, line, &cause))
                    }
                }
            },
        )?;
        read.malformed += malformed;
        if !self.quiet {
            read.say_left_out();
        }
        Ok(())
    }
}

/// Looks up a range whose bounds are the parts of a key.
fn in_record(filter: &Range, frame: &[u8]) -> Result<bool, String> {
    let parts = parts_of(frame).unwrap_or_default();
    let [Given::Text(first) | Given::Bytes(first), Given::Text(last) | Given::Bytes(last)] =
        parts[..]
    else {
        return Err("a range has two bounds; give two columns".to_string());
    };
    filter.contains_between(first, last).map_err(|error| {
        let [first, last] = [first, last].map(escaped::on_one_line);
        let next = match error {
            BoundsError::Reversed => "",
            _ => "; go on with --skip-malformed",
        };
        format!("{first:?} to {last:?}: {error}{next}")
    })
}

/// Prints an answer for arguments: maybe or no, and the arguments.
fn say(maybe: bool, words: &[&[u8]], out: &mut Out) -> Result<(), Stop> {
    match maybe {
        true => out.word("maybe", output::MAYBE)?,
        false => out.word("no", output::NO)?,
    }
    for word in words {
        out.key(b"\t")?;
        out.key(word)?;
    }
    out.key(b"\n")
}
