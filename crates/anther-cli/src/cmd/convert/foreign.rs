//! From and to filters of other systems, where the bits are the same.

use super::Args;
use crate::either_filter;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::Destination;
use crate::foreign_description::ForeignDescription;
use crate::foreign_file;
use crate::output::{self, Out, shown};
use crate::units;
use anther::foreign::parquet::Parquet;
use anther::foreign::{ForeignFilter, WriteFormat};
use anther::recipe::{KeyRule, Recipe};
use anther::{AnyFilter, ForeignError, Kind, Split, Target};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct ConvertJson<'a> {
    file: Cow<'a, str>,
    /// The kind or the system that it was converted from.
    from: &'static str,
    #[serde(flatten)]
    description: ForeignDescription,
}

impl Args {
    /// Refuses options about filters of other systems.
    pub(super) fn refuse_foreign_options(&self) -> Result<(), Stop> {
        let options = [("--row-group", self.row_group.is_some()), ("--as", self.form.is_some())];
        match options.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let cause = "is for filters of Parquet, and this is one of anther; leave it out";
                Err(Stop::about(option, cause))
            }
            None => Ok(()),
        }
    }

    /// A filter of ours from another system's.
    pub(super) fn own_of(&self, input: &Path, filter: ForeignFilter) -> Result<AnyFilter, Stop> {
        let system = filter.info().system;
        let stop = |cause: String| Stop::about(shown(input), cause);
        let parquet = match (filter, self.kind) {
            (ForeignFilter::Parquet(parquet), None | Some(Kind::Split)) => parquet,
            (ForeignFilter::Parquet(_), Some(kind)) => {
                return Err(stop(format!(
                    "a filter of {system} can only become a split filter, and not {kind}; rebuild it \
                     from the keys: anther build OUT IN --kind {kind}"
                )));
            }
            (_, kind) => {
                let kind = kind.map_or(String::new(), |kind| format!(" --kind {kind}"));
                return Err(stop(format!(
                    "a filter of {system} cannot be converted, because no kind of anther has its \
                     hash, and it does not store the keys; build a filter from them: anther build OUT \
                     IN{kind}"
                )));
            }
        };
        let mut split = self.split(input, &parquet)?;
        if let (Some(column), Some(_)) = (parquet.column(), self.form) {
            either_filter::check_form(input, column, self.form)?;
        }
        if let Some(form) = self.form {
            let rule = KeyRule { form, ..KeyRule::default() };
            split.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
        }
        Ok(split.into())
    }

    /// The filter of a row group, or the only one.
    fn split(&self, input: &Path, parquet: &Parquet) -> Result<Split, Stop> {
        let stop = |cause: String| Stop::about(shown(input), cause);
        let groups = parquet.row_groups();
        let last = groups.saturating_sub(1);
        let Some(number) = self.row_group.or((groups == 1).then_some(0)) else {
            let name = parquet.column().map_or("", |column| column.name.as_str());
            let those = match parquet.filtered_row_groups() {
                number if number == groups => format!("in each of {groups} row groups"),
                number => format!("in {number} of {groups} row groups"),
            };
            return Err(stop(format!(
                "column {name} has a filter {those}; choose one with --row-group 0 to {last}, or \
                 build one filter from the keys of all: anther build OUT IN"
            )));
        };
        let Some(filter) = parquet.row_group(number) else {
            let cause = match number > last {
                true => format!("there is no row group {number}; the last one is {last}"),
                false => format!("row group {number} has no filter; anther info lists those"),
            };
            return Err(Stop::about("--row-group", cause));
        };
        let mut filter = filter.clone();
        if let Some(column) = parquet.column() {
            let rule = KeyRule { form: column.form, ..KeyRule::default() };
            filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
        }
        Ok(filter)
    }

    /// Writes a filter of ours as one of another system.
    pub(super) fn written(
        &self,
        input: &Path,
        filter: AnyFilter,
        format: WriteFormat,
        destination: &Destination,
    ) -> Outcome {
        let kind = filter.kind();
        let refused = |cause: String| {
            let next =
                format!("build it from the keys: anther build OUT IN --to {}", format.name());
            Stop::about(shown(input), format_args!("{cause}; {next}"))
        };
        let (AnyFilter::Split(split), WriteFormat::Parquet) = (filter, format) else {
            return Err(refused(format!(
                "{} {kind} filter of anther cannot become one of {}, which has other bits and \
                 another hash",
                kind.article(),
                format.name()
            )));
        };
        let parquet = Parquet::from_split(split).map_err(|error| match error {
            ForeignError::Refused(_) => refused(
                "Parquet hashes keys with XXH64, and this filter has another hash".to_string(),
            ),
            other => Stop::about(shown(input), foreign_file::in_words(&other)),
        })?;
        self.save_foreign(&ForeignFilter::Parquet(parquet), kind.name(), format, destination)
    }

    /// Writes a filter of another system again, in its own format.
    pub(super) fn rewritten(
        &self,
        input: &Path,
        filter: &ForeignFilter,
        format: WriteFormat,
        destination: &Destination,
    ) -> Outcome {
        let info = filter.info();
        let like = Target::new(1, 0.01).ok().and_then(|target| format.empty(target).ok());
        let like = like.map(|like| like.info());
        if like.is_none_or(|like| (like.system, like.format) != (info.system, info.format)) {
            let (system, name) = (info.system, format.name());
            return Err(Stop::about(
                shown(input),
                format_args!(
                    "a filter of {system} ({}) cannot become one of {name}, which has other bits or \
                     another hash; build it from the keys: anther build OUT IN --to {name}",
                    info.format
                ),
            ));
        }
        let lone;
        let filter = match filter {
            ForeignFilter::Parquet(parquet) => {
                let split = self.split(input, parquet)?;
                let made = Parquet::from_split(split);
                let made = made.map_err(|error| Stop::about(shown(input), error))?;
                lone = ForeignFilter::Parquet(made);
                &lone
            }
            other => {
                self.refuse_foreign_options()?;
                other
            }
        };
        self.save_foreign(filter, info.system.name(), format, destination)
    }

    fn save_foreign(
        &self,
        filter: &ForeignFilter,
        from: &'static str,
        format: WriteFormat,
        destination: &Destination,
    ) -> Outcome {
        let name = destination.path().display();
        let bytes = destination.save_foreign(filter)?;
        let description = ForeignDescription::new(&filter.info(), "", Some(bytes));
        if !self.quiet {
            let size = units::size(bytes);
            let to = format.name();
            output::complain(&format!("{name}: {from} filter written as {to}, {size}"));
        }
        if self.json {
            let file = self.out.path().to_string_lossy();
            let mut out = Out::stdout();
            out.json(&ConvertJson { file, from, description })?;
            out.finish()?;
        }
        Ok(Exit::Success)
    }
}
