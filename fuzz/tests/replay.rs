//! Runs every target over its corpus, and over what fuzzing has ever found: without libFuzzer, in
//! seconds.

use anther_fuzz::TARGETS;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder, in order; none if it is not there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn names(folder: &Path) -> BTreeSet<String> {
    let stem = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    files(folder).iter().map(stem).collect()
}

/// The name of an input is shown if it fails: tests print what they have printed.
#[test]
fn every_input_passes() {
    let (mut inputs, mut bytes) = (0, 0);
    for target in TARGETS {
        (target.run)(&[]);
        let corpus = files(&folder("corpus").join(target.name));
        assert!(!corpus.is_empty(), "{}: no corpus", target.name);
        for path in corpus.iter().chain(&files(&folder("regressions").join(target.name))) {
            println!("{}", path.display());
            let input = fs::read(path).expect("an input");
            (target.run)(&input);
            (inputs, bytes) = (inputs + 1, bytes + input.len());
        }
    }
    println!("{inputs} inputs of {bytes} bytes");
    assert!(bytes < 1 << 20, "corpora are kept small: `cargo fuzz cmin TARGET`");
}

#[test]
fn every_target_has_its_program_and_no_folder_is_left_over() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|it| it.name.to_string()).collect();
    assert_eq!(targets.len(), TARGETS.len(), "a name twice");
    assert_eq!(names(&folder("fuzz_targets")), targets);
    assert_eq!(names(&folder("corpus")), targets);
    assert!(names(&folder("regressions")).is_subset(&targets));
}
