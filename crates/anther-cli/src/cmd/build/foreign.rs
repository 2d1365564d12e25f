//! `build --to`: a filter as another system writes it.

use super::Args;
use super::report::in_lookups;
use crate::content;
use crate::either_filter;
use crate::escaped;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::foreign_description::ForeignDescription;
use crate::foreign_file::{self, FormatArg};
use crate::input::{self, Input};
use crate::keys::{Counts, ON, Reading};
use crate::output;
use crate::progress::Progress;
use crate::units;
use anther::foreign::{ForeignFilter, WriteFormat};
use anther::recipe::KeyForm;
use anther::{ForeignError, Seed, Target};
use anther_records::distinct::Distinct;
use anther_records::extract::Extraction;
use serde::Serialize;
use std::borrow::Cow;
use std::path::PathBuf;

/// What `--json` prints.
#[derive(Serialize)]
struct BuildJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    read: Counts,
    /// Distinct keys; null if they were not counted.
    distinct: Option<u64>,
    #[serde(flatten)]
    description: ForeignDescription,
}

impl Args {
    /// Makes a filter of another system.
    pub(super) fn run_foreign(&self, FormatArg(format): FormatArg) -> Outcome {
        self.check_foreign()?;
        let inputs = self.out.inputs(&self.inputs);
        if format == WriteFormat::Parquet
            && let Some(input) = self.parquet_input(&inputs)?
        {
            return self.run_parquet(&input);
        }
        let destination = self.out.destination(self.json)?;
        let how = self.recipe.extraction()?;
        let mut sources = self.named.sources(&inputs, "insert")?;
        filter_file::check_stdin(&[], &sources)?;
        self.check_sources(&destination, &sources)?;
        input::say_if_typed(&sources);
        // The rule is checked before anything is read.
        let like = self.empty(format, 1)?;
        either_filter::check_rule(&like, &how.rule)?;
        let (items, distinct) = match self.items {
            Some(items) => (items, None),
            None => {
                hold(&mut sources)?;
                let distinct = self.count(&sources, &how)?;
                (self.with_headroom(distinct), Some(distinct))
            }
        };
        let mut filter = self.empty(format, items)?;
        let read = self.insert_all(&mut filter, &like, &sources, &how)?;
        read.refuse_if_all_malformed()?;
        let bytes = destination.save_foreign(&filter)?;

        let info = filter.info();
        let description = ForeignDescription::new(&info, "", Some(bytes));
        let name = destination.path().display();
        // The file may not say for which rate it was made, but that is known here.
        let warning = description.warning().filter(|_| info.fpr > self.fpr());
        if let Some(warning) = &warning {
            output::complain(&format!("warning: {name}: {warning}"));
        }
        if !self.quiet {
            let keys = match distinct {
                Some(1) => "1 distinct key of ".to_string(),
                Some(distinct) => format!("{} distinct keys of ", units::count(distinct)),
                None => String::new(),
            };
            let (all, left_out) = (units::count(read.keys), read.left_out());
            let (system, size) = (info.system, units::size(bytes));
            let made_for =
                format!("made for {} at {}", units::count(items), units::rate(self.fpr()));
            output::complain(&format!(
                "{name}: {keys}{all} read{left_out}; filter of {system} ({}), {size}, {made_for}",
                format.name()
            ));
            // Of a tiny filter the cells do not tell: most false positives are keys whose probes
            // fall together, about 1 / bits of all.
            if warning.is_none() && info.fpr * info.bits as f64 > 20.0 {
                output::complain(&in_lookups(info.fpr));
            }
            self.say_form(&name.to_string(), &how);
        }
        if self.json {
            let file = self.out.path().to_string_lossy();
            let done = format_args!("{name} is written");
            output::report(&BuildJson { file, read, distinct, description }, done)?;
        }
        Ok(Exit::Success)
    }

    /// Says what the file does not: how its keys are read.
    fn say_form(&self, name: &str, how: &Extraction) {
        let form = how.rule.form;
        let mut options = String::new();
        if form != KeyForm::Text {
            options += &format!(" --as {}", form.name());
        }
        if how.rule.ignore_case {
            options += " --ignore-case";
        }
        if how.rule.trim {
            options += " --trim";
        }
        if !options.is_empty() {
            output::complain(&format!(
                "this format does not store what keys are; look them up with: anther check {name}{options}"
            ));
        }
    }

    /// An empty filter for this many keys.
    fn empty(&self, format: WriteFormat, items: u64) -> Result<ForeignFilter, Stop> {
        let target = Target::new(items.max(1), self.fpr());
        let target = target.map_err(|error| Stop::about("--fpr", error))?;
        format.empty(target).map_err(|error| {
            let to = format!("--to {}", format.name());
            match error {
                // Its advice is about building, and that about files is not.
                ForeignError::OutOfMemory(error) => Stop::about(to, error),
                other => Stop::about(to, foreign_file::in_words(&other)),
            }
        })
    }

    /// The number of distinct keys.
    fn count(&self, sources: &[Input], how: &Extraction) -> Result<u64, Stop> {
        let mut kept = Distinct::within(self.memory());
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), self.quiet);
        Reading { sources, how, seed: Seed::FIXED }.each(
            |_, _| (),
            |keyed, ()| {
                kept.extend(keyed.hashes).map_err(|_| {
                    let memory = units::size(self.memory());
                    let cause = format!("counting the keys needs more than {memory} of memory");
                    let next = "raise --memory, or give their number with --items";
                    Stop::about(keyed.source.name(), format_args!("{cause}; {next}"))
                })?;
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )?;
        Ok(kept.finish().0.len() as u64)
    }

    /// Inserts all keys, in their order. Another filter of the format, a small one, tells all threads
    /// what the system hashes.
    fn insert_all(
        &self,
        filter: &mut ForeignFilter,
        like: &ForeignFilter,
        sources: &[Input],
        how: &Extraction,
    ) -> Result<Counts, Stop> {
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), self.quiet);
        Reading { sources, how, seed: Seed::FIXED }.each_part(
            &[Seed::FIXED],
            true,
            |part| {
                let (mut bytes, mut ends, mut one) = (Vec::new(), Vec::new(), Vec::new());
                for key in part.keys() {
                    either_filter::encode_key(like, &how.rule, key, &mut one)
                        .map_err(|error| (escaped::on_one_line(key), error))?;
                    bytes.extend_from_slice(&one);
                    ends.push(bytes.len());
                }
                Ok((bytes, ends))
            },
            |keyed, encoded| {
                let refused = |(key, cause): (String, anther::KeyError)| {
                    Stop::about(keyed.source.name(), format_args!("{key}: {cause}"))
                };
                let (bytes, ends) = encoded.map_err(refused)?;
                let mut start = 0;
                for end in ends {
                    filter.insert(&bytes[start..end]).map_err(|error| {
                        Stop::about(keyed.source.name(), foreign_file::in_words(&error))
                    })?;
                    start = end;
                }
                progress.advance(keyed.bytes);
                Ok(ON)
            },
        )
    }

    #[cfg(not(feature = "parquet"))]
    fn run_parquet(&self, input: &std::path::Path) -> Outcome {
        let cause =
            "a copy of a Parquet file with filters needs anther installed with --features parquet";
        Err(Stop::about(input.display(), cause))
    }

    /// The Parquet file that gets filters, if one is an input.
    fn parquet_input(&self, inputs: &[PathBuf]) -> Result<Option<PathBuf>, Stop> {
        let sources = self.named.sources(inputs, "insert")?;
        let path = |source: &Input| match source {
            Input::File(path) if is_parquet(path) => Some(path.clone()),
            _ => None,
        };
        let Some(found) = sources.iter().find_map(path) else { return Ok(None) };
        if sources.len() > 1 {
            let cause = "a Parquet file gets filters of its own values, in a copy";
            let next = "name it as the only input";
            return Err(Stop::about(found.display(), format_args!("{cause}; {next}")));
        }
        Ok(Some(found))
    }

    /// Refuses options that other systems' filters do not have.
    fn check_foreign(&self) -> Result<(), Stop> {
        let options = [
            ("--kind", self.kind.is_named()),
            ("--exact", self.exact),
            ("--span", self.span.is_some()),
            ("--values", self.values.is_some()),
            ("--bands", self.bands),
            ("--seed", self.seed != 0),
            ("--keyed", self.keyed),
            ("--distinct", self.distinct),
        ];
        let given = options.iter().find(|(_, given)| *given).map(|(option, _)| *option);
        let given = given.map(str::to_string).or_else(|| self.kind.option_given());
        if let Some(option) = given {
            let cause = "is for filters of anther, and --to makes one of another system";
            return Err(Stop::about(option, format_args!("{cause}; leave one of them out")));
        }
        if self.memory.is_some() && self.items.is_some() {
            let cause = "is for counting keys, and their number is given; leave it out";
            return Err(Stop::about("--memory", cause));
        }
        self.key.refuse()
    }
}

/// Whether a file is a Parquet file.
fn is_parquet(path: &std::path::Path) -> bool {
    use std::io::Read;
    let mut start = Vec::new();
    let file = std::fs::File::open(path).ok().filter(|_| path.is_file());
    let read = file.and_then(|file| file.take(content::START).read_to_end(&mut start).ok());
    read.is_some() && content::is_parquet(&start)
}

/// Makes sure that all inputs can be read twice: to count the keys, and to insert them.
fn hold(sources: &mut [Input]) -> Result<(), Stop> {
    for source in sources {
        if matches!(source, Input::Stdin) {
            *source = Input::held()?;
        } else if !source.can_be_read_again() {
            let cause = "cannot be read twice, first to count its keys";
            let next = "give their number with --items, or pipe it to standard input";
            return Err(Stop::about(source.name(), format_args!("{cause}; {next}")));
        }
    }
    Ok(())
}
