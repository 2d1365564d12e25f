//! The program's tests, as one program: linking costs more than running them. Each module runs the
//! real `anther` in a folder of its own. One of them alone: `cargo test -p anther-cli add::`.

mod support;

// A verb each.
mod add;
mod build;
mod check;
mod convert;
mod count;
mod diff;
#[cfg(feature = "lab")]
mod draw;
#[cfg(feature = "lab")]
mod figure;
mod get;
#[cfg(feature = "index")]
mod grep;
#[cfg(feature = "index")]
mod index;
mod info;
mod list;
mod measure;
mod merge;
mod plan;
mod remove;
mod spell;
#[cfg(feature = "lab")]
mod tour;
mod uniq;
mod verify;

// Parts of a verb that fill a file: `check` with several filters, in lists of domains and of addresses, and on the web, `plan --plot`, `build` of static
// kinds and from two lists, `add --shared` and `check --reload`, keyed filters, filters of other systems, inputs by their first bytes, the lines that `lab` shows, Parquet
// input, pictures as PNG.
mod blocklists;
mod cascade;
mod confirm;
mod expect;
mod foreign;
mod grep_parquet;
#[cfg(feature = "http")]
mod http;
mod inputs;
mod keyed;
mod kinds;
mod lines;
mod parquet;
mod parquet_filters;
#[cfg(feature = "lab")]
mod plot;
#[cfg(feature = "lab")]
mod png;
mod published;
mod range;
mod reload;
mod shared;
mod static_kinds;

// What all verbs have in common: true answers, keys and files as arguments, live pipes, filters in
// pipes, help and errors, completions and manual pages, the sessions of README and cookbook, a
// terminal, signals, a full disk, files that are swapped meanwhile.
mod answers;
mod arguments;
mod formats;
mod full_disk;
mod interrupt;
mod live;
mod manners;
mod pages;
mod piped_filters;
mod sessions;
#[cfg(unix)]
mod swapped;
mod terminal;

/// A file without its line above would be compiled by nobody, and its tests would never run.
#[test]
fn every_file_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "tests") else {
            continue;
        };
        let line = format!("\nmod {module};\n");
        assert!(include_str!("tests.rs").contains(&line), "{name}: no `mod {module};` in tests.rs");
    }
}
