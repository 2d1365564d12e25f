//! `build --to parquet` of a Parquet file: the same file, with filters for some of its columns.

use super::Args;
use crate::exit::{Exit, Outcome, Stop};
use crate::foreign_file;
use crate::output;
use crate::parquet::position;
use crate::parquet_values::Values;
use crate::progress::Progress;
use crate::units;
use anther::foreign::parquet::{self, ColumnFilters, Equals, Parquet, Physical, equals};
use anther::recipe::Column;
use anther::{Insert, KeyHash, Seed, Target};
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct AddedJson<'a> {
    file: Cow<'a, str>,
    system: &'static str,
    row_groups: usize,
    bytes: u64,
    columns: Vec<ColumnJson>,
}

/// A column that has filters now.
#[derive(Serialize)]
struct ColumnJson {
    column: String,
    /// What its keys are, as `--as` names it.
    r#as: &'static str,
    /// Distinct values, summed over the row groups.
    items: u64,
    bits: u64,
}

impl Args {
    /// Adds filters to a copy of a Parquet file.
    pub(super) fn run_parquet(&self, input: &Path) -> Outcome {
        self.check_parquet()?;
        let destination = self.out.parquet_destination(self.json)?;
        let stop = |cause: String| Stop::about(input.display(), cause);
        let unread = |error: std::io::Error| stop(error.to_string());
        if destination.is(input) {
            return Err(stop("is both input and output; name another file".to_string()));
        }
        let mut file = File::open(input).map_err(unread)?;
        let (columns, rows) =
            parquet::layout(&mut file).map_err(|error| stop(foreign_file::in_words(&error)))?;
        let values = Values::open(file.try_clone().map_err(unread)?).map_err(unread)?;
        let mut wanted = wanted(self.recipe.columns(), &values.names()).map_err(stop)?;
        if rows.is_empty() {
            // A table without rows needs no filters, but still a copy: scripts expect the file.
            wanted.clear();
        }
        for index in &wanted {
            let column = columns.get(*index).ok_or_else(|| stop(LOST.to_string()))?;
            let named = |error| stop(format!("column {}: {error}", column.name));
            column.can_have_filter().map_err(named)?;
        }
        let progress = Progress::reading(Some(wanted.len() as u64 * rows.len() as u64), self.quiet);
        let (mut filters, mut report) = (Vec::new(), Vec::new());
        for index in wanted {
            let parquet::Column { name, form, physical, .. } = &columns[index];
            let (mut row_groups, mut items, mut bits) = (Vec::new(), 0, 0);
            for group in 0..rows.len() {
                let mut hashes: Vec<KeyHash> = Vec::new();
                let floats = matches!(physical, Physical::Float | Physical::Double);
                let mut hash = |value: &[u8]| hashes.push(Seed::XXH64.hash_bytes(value));
                values
                    .each(group, index, |value| {
                        hash(value);
                        // Readers look for one of those that are equal in SQL.
                        if floats && let Equals::Zeros(all) | Equals::Nans(all) = equals(value) {
                            all.into_iter().for_each(&mut hash);
                        }
                    })
                    .map_err(|error| stop(format!("column {name}: {error}")))?;
                hashes.sort_unstable();
                hashes.dedup();
                items += hashes.len() as u64;
                let filter = self
                    .filter_of(&hashes)
                    .map_err(|cause| stop(format!("column {name}, row group {group}: {cause}")))?;
                bits += filter.profile().bits;
                row_groups.push(Some(filter));
                progress.advance(1);
            }
            filters.push(ColumnFilters { column: name.clone(), row_groups });
            report.push(ColumnJson { column: name.clone(), r#as: form.name(), items, bits });
        }
        let bytes = destination.save_with(|out| {
            let mut out = BufWriter::new(out);
            let added = parquet::add_filters(&mut file, &mut out, &filters);
            added.map_err(|error| foreign_file::in_words(&error))
        })?;
        let name = destination.path().display();
        if !self.quiet && rows.is_empty() {
            output::complain(&format!(
                "{name}: a copy without filters, since it has no row groups"
            ));
        }
        if !self.quiet {
            for ColumnJson { column, r#as, items, bits } in &report {
                let (items, size) = (units::count(*items), units::size(bits / 8));
                let groups = match rows.len() {
                    1 => "1 row group".to_string(),
                    number => format!("{} row groups", units::count(number as u64)),
                };
                output::complain(&format!(
                    "{name}: a filter of column {column} ({as}) in each of {groups}, {size} for {items} \
                     distinct values in all, at {}",
                    units::rate(self.fpr()),
                    as = r#as,
                ));
            }
        }
        if self.json {
            let (file, row_groups) = (self.out.path().to_string_lossy(), rows.len());
            let json = AddedJson { file, system: "parquet", row_groups, bytes, columns: report };
            output::report(&json, format_args!("{name} is written"))?;
        }
        Ok(Exit::Success)
    }

    fn filter_of(&self, hashes: &[KeyHash]) -> Result<anther::Split, String> {
        let target = Target::new(hashes.len().max(1) as u64, self.fpr());
        let target = target.map_err(|error| error.to_string())?;
        let filter = Parquet::new(target).and_then(|filter| filter.to_split());
        let mut filter = filter.map_err(|error| foreign_file::in_words(&error))?;
        for hash in hashes {
            filter.insert_hash(*hash).map_err(|error| error.to_string())?;
        }
        Ok(filter)
    }

    /// Refuses options that have no meaning for a copy of a Parquet file.
    fn check_parquet(&self) -> Result<(), Stop> {
        let typed = "the column's type says what its values are";
        let text = self.recipe.option_about_text().map(|option| (option, true, typed));
        let options = [
            ("--items", self.items.is_some(), "each row group's values are counted"),
            ("--headroom", self.headroom.is_some(), "a row group gets no more values"),
            ("--memory", self.memory.is_some(), "each row group's values are in memory"),
        ];
        match options.into_iter().chain(text).find(|(_, given, _)| *given) {
            Some((option, _, cause)) => {
                Err(Stop::about(option, format_args!("{cause}; leave it out")))
            }
            None => Ok(()),
        }
    }
}

/// Of a column that the schema has, and the first row group has not.
const LOST: &str = "corrupt Parquet file: a row group lacks a column";

/// The positions of the columns that were named.
fn wanted(named: &[Column], names: &[String]) -> Result<Vec<usize>, String> {
    let listed = || names.join(", ");
    if named.is_empty() {
        return Err(format!("name the columns that get filters with --column: {}", listed()));
    }
    let mut wanted = Vec::new();
    for column in named {
        let (at, name) = match column {
            Column::Name(name) => (position(names, name), format!("{name:?}")),
            Column::Number(number) => {
                let at = number.get() as usize - 1;
                (Some(at).filter(|at| *at < names.len()), number.to_string())
            }
        };
        let at = at.ok_or_else(|| format!("no column {name}; the columns are {}", listed()))?;
        if !wanted.contains(&at) {
            wanted.push(at);
        }
    }
    Ok(wanted)
}
