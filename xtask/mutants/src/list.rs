//! Mutants as cargo-mutants lists them, and which of them are run.

use std::collections::HashMap;

use serde::Deserialize;

/// The folders of the library's source that are mutated. The longest name that fits a file has it.
pub const FOLDERS: [(&str, &str); 5] = [
    ("parts", "crates/anther/src/parts/"),
    ("sizing", "crates/anther/src/sizing/"),
    ("filter", "crates/anther/src/filter/"),
    ("format", "crates/anther/src/format/"),
    ("solve", "crates/anther/src/filter/solve/"),
];

/// Only the model checkers compile these, and no test runs them.
const MODELS: &str = "crates/anther/src/parts/sync/";

/// One small change to the source.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its file and what is changed, without lines and columns: edits elsewhere in the file leave
    /// it as it is. Equal ones are numbered.
    pub name: String,
    pub folder: &'static str,
    pub file: String,
    pub line: usize,
    /// The whole function, and the part of it that is replaced.
    pub function: Span,
    pub span: Span,
    pub replacement: String,
}

/// A part of a file, by lines and columns from 1; the end is behind the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Span {
    pub start: Place,
    pub end: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Span {
    pub fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// An entry of `cargo mutants --list --json`.
#[derive(Deserialize)]
struct Entry {
    name: String,
    file: String,
    function: Option<Function>,
    span: Span,
    replacement: String,
}

#[derive(Deserialize)]
struct Function {
    span: Span,
}

/// Reads what cargo-mutants has listed. The second number counts mutants of constants: those are
/// compiled in, and no switch can turn them on.
pub fn read(json: &str) -> Result<(Vec<Mutant>, usize), String> {
    let entries: Vec<Entry> = serde_json::from_str(json)
        .map_err(|error| format!("cargo-mutants printed another list than expected: {error}"))?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut mutants = Vec::new();
    let mut constants = 0;
    for entry in entries {
        let folder = FOLDERS.iter().filter(|(_, path)| entry.file.starts_with(path));
        let Some((folder, _)) = folder.max_by_key(|(_, path)| path.len()) else { continue };
        if entry.file.starts_with(MODELS) {
            continue;
        }
        let Some(function) = entry.function else {
            constants += 1;
            continue;
        };
        let what = entry.name.splitn(4, ':').nth(3).unwrap_or(&entry.name).trim();
        let short = entry.file.trim_start_matches("crates/anther/src/");
        let mut name = format!("{short}: {what}");
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name += &format!(" (number {count})");
        }
        mutants.push(Mutant {
            name,
            folder,
            line: entry.span.start.line,
            file: entry.file,
            function: function.span,
            span: entry.span,
            replacement: entry.replacement,
        });
    }
    Ok((mutants, constants))
}

/// `each` mutants of every folder, in the order of a hash of their names: a mutant stays in the
/// sample while others come and go.
pub fn sample(mutants: &[Mutant], each: usize, seed: u64) -> Vec<Mutant> {
    let mut chosen = Vec::new();
    for (folder, _) in FOLDERS {
        let mut of_folder: Vec<&Mutant> = mutants.iter().filter(|m| m.folder == folder).collect();
        of_folder.sort_by_key(|mutant| hash(seed, &mutant.name));
        chosen.extend(of_folder.into_iter().take(each).cloned());
    }
    chosen
}

/// FNV-1a with a seed, and the last mixer of MurmurHash3: similar names are not neighbours.
fn hash(seed: u64, name: &str) -> u64 {
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        state = (state ^ (state >> 33)).wrapping_mul(factor);
    }
    state ^ (state >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str, line: usize, what: &str, with_function: bool) -> String {
        let span = format!(
            r#"{{"start":{{"line":{line},"column":1}},"end":{{"line":{line},"column":2}}}}"#
        );
        let function =
            if with_function { format!(r#"{{"span":{span}}}"#) } else { "null".to_owned() };
        format!(
            r#"{{"name":"{file}:{line}:1: {what}","file":"{file}","function":{function},"span":{span},"replacement":"+"}}"#
        )
    }

    fn listed(entries: &[String]) -> (Vec<Mutant>, usize) {
        read(&format!("[{}]", entries.join(","))).unwrap()
    }

    #[test]
    fn names_have_no_lines_and_equal_ones_are_numbered() {
        let file = "crates/anther/src/filter/solve/peel.rs";
        let entries = [
            entry(file, 3, "replace - with + in peel", true),
            entry(file, 9, "replace - with + in peel", true),
            entry(file, 10, "replace * with + in LIMIT", false),
            entry("crates/anther/src/any.rs", 10, "replace * with + in any", true),
        ];
        let (mutants, constants) = listed(&entries);
        let names: Vec<&str> = mutants.iter().map(|mutant| mutant.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "filter/solve/peel.rs: replace - with + in peel",
                "filter/solve/peel.rs: replace - with + in peel (number 2)",
            ]
        );
        assert_eq!((constants, mutants[0].folder), (1, "solve"));
    }

    #[test]
    fn a_sample_keeps_its_mutants_when_lines_move_and_others_are_gone() {
        let file = "crates/anther/src/parts/bits.rs";
        let entries = |shift: usize, count: usize| -> Vec<String> {
            (0..count).map(|at| entry(file, at + shift, &format!("in f{at}"), true)).collect()
        };
        let names = |mutants: &[Mutant], seed| -> Vec<String> {
            sample(mutants, 10, seed).into_iter().map(|mutant| mutant.name).collect()
        };
        let (before, _) = listed(&entries(1, 100));
        let (moved, _) = listed(&entries(50, 100));
        assert_eq!(names(&before, 1), names(&moved, 1));
        assert_ne!(names(&before, 1), names(&before, 2));
        let (fewer, _) = listed(&entries(1, 50));
        let kept =
            names(&before, 1).into_iter().filter(|name| fewer.iter().any(|m| m.name == *name));
        let fewer_names = names(&fewer, 1);
        assert!(kept.into_iter().all(|name| fewer_names.contains(&name)));
    }
}
