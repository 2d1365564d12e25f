//! Measured numbers of the pages, written from the records that hold them.
//!
//! A number in a sentence or a row is found by the words around it (`phrases.rs`), so that pages
//! stay plain text; a whole table is a block between comments (`blocks.rs`). Nobody copies a number by
//! hand: after measuring again, run `cargo xtask numbers`, and a test compares.

mod blocks;
mod phrases;
mod records;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;

use crate::Trouble;
use crate::call::Call;
use crate::workspace::Workspace;

/// `uses` runs the demonstrations first; `--check` changes nothing.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let known = ["uses", "--check"];
    if let Some(other) = args.iter().find(|arg| !known.contains(&arg.as_str())) {
        return Err(crate::unknown_argument("numbers", other));
    }
    crate::require_bench("numbers", workspace)?;
    let has = |name: &str| args.iter().any(|arg| arg == name);
    if has("uses") {
        record_uses(workspace).map_err(Trouble::blocked)?;
    }
    let pages = renewed(workspace).map_err(Trouble::blocked)?;
    let changed: Vec<_> = pages.iter().filter(|(_, page)| page.is_changed()).collect();
    for (name, page) in &changed {
        println!("{name}: {}", page.difference());
        if !has("--check") {
            let path = workspace.root.join(name);
            fs::write(path, &page.new)
                .map_err(|error| Trouble::blocked(format!("cannot write {name}: {error}.")))?;
        }
    }
    if has("--check") {
        return Ok(crate::exit_code(changed.is_empty()));
    }
    // The tables of docs/scale.md are made by the benchmark, which has its model.
    crate::bench(workspace, &["scale".to_owned(), "--draw".to_owned()])
}

/// A page as it is and as the records have it.
struct Page {
    old: String,
    new: String,
}

impl Page {
    fn is_changed(&self) -> bool {
        self.old != self.new
    }

    /// The first line that differs.
    fn difference(&self) -> String {
        let mut lines = self.old.lines().zip(self.new.lines());
        let differ = lines.find(|(old, new)| old != new);
        differ.map_or("its end differs".into(), |(old, new)| format!("\n  - {old}\n  + {new}"))
    }
}

/// All pages that have such numbers.
fn renewed(workspace: &Workspace) -> Result<BTreeMap<&'static str, Page>, String> {
    let mut pages = BTreeMap::new();
    let read = |name: &'static str| -> Result<Page, String> {
        let text = fs::read_to_string(workspace.root.join(name));
        let old = text.map_err(|error| format!("cannot read {name}: {error}."))?;
        Ok(Page { new: old.clone(), old })
    };
    let records = records::Records::new(&workspace.root);
    for phrase in table::PHRASES {
        if !pages.contains_key(phrase.page) {
            pages.insert(phrase.page, read(phrase.page)?);
        }
        if let Some(page) = pages.get_mut(phrase.page) {
            page.new = phrase.renew(&page.new, &records)?;
        }
    }
    let mut uses = read(blocks::PAGE)?;
    uses.new = blocks::renew(&uses.new, &records)?;
    pages.insert(blocks::PAGE, uses);
    Ok(pages)
}

/// Runs every demonstration, and puts the day and the machine on top of what they measured.
fn record_uses(workspace: &Workspace) -> Result<(), String> {
    let path = workspace.path(records::USES);
    let call = Call::cargo(["run", "--release", "--locked", "--package", "anther-uses", "--"]);
    let status = call.args(["all", "--record", &path]).run(workspace)?;
    if !status.success() {
        return Err(format!("the demonstrations ended with {status}; nothing is recorded"));
    }
    let day = crate::record::said(workspace, &Call::program("date").args(["-u", "+%F"]))?;
    let rows =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}."))?;
    let text = format!("# {day}, {}\n{rows}", machine());
    fs::write(&path, text).map_err(|error| format!("cannot write {path}: {error}."))
}

fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line =
            about.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        line.split(':').nth(1).map(|value| value.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let name = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => {
            format!("{name} (family {family}, model {model}), {cores} cores")
        }
        _ => format!("{name}, {cores} cores"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release has no measurements.
    fn workspace() -> Option<Workspace> {
        Workspace::find().ok().filter(Workspace::has_bench)
    }

    #[test]
    fn the_pages_are_those_of_the_records() {
        let Some(workspace) = workspace() else { return };
        let pages = renewed(&workspace).unwrap_or_else(|error| panic!("{error}"));
        for (name, page) in &pages {
            let difference = page.difference();
            assert!(!page.is_changed(), "{name}: run `cargo xtask numbers`: {difference}");
        }
    }

    /// No demonstration says "holds" where twice the prediction would have held, too.
    #[test]
    fn every_claim_of_a_demonstration_could_fail() {
        let Some(workspace) = workspace() else { return };
        let records = records::Records::new(&workspace.root);
        let uses = records.table(records::USES).unwrap_or_else(|error| panic!("{error}"));
        let column = |name| uses.column(name).unwrap_or_else(|| panic!("no column {name}"));
        let (notices, predicted) = (column("notices"), column("predicted"));
        let open: Vec<_> = uses
            .rows
            .iter()
            .filter(|row| {
                let percent = row[notices].trim_end_matches(" %").parse::<f64>();
                let is_bound = ["at least ", "at most ", "less than ", "more than "]
                    .iter()
                    .any(|bound| row[predicted].starts_with(bound));
                // What is neither a bound nor a number within one is exact, and any deviation fails.
                let says = !row[notices].is_empty() || is_bound;
                says && !percent.is_ok_and(|percent| percent < 100.0)
            })
            .collect();
        assert!(open.is_empty(), "{open:?}");
    }
}
