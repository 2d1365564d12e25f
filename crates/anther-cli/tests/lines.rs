//! The lines for the shell and those in Rust that the tab Plan of `anther lab` shows.

use crate::support::Place;
use serde_json::Value;
use std::fs::{self, DirEntry};
use std::{env, process::Command};

fn entries() -> Vec<Value> {
    serde_json::from_str(include_str!("../../anther-lab/tests/lines.json")).expect("JSON")
}

/// Each of them runs as it is shown, and finds the key.
#[test]
fn the_lines_of_the_page_run() {
    let mut ran = 0;
    for entry in entries() {
        let Some(lines) = entry["lines"]["Shell"].as_str() else { continue };
        let place = Place::new();
        place.write("keys.txt", "ada@example.org\ngrace@example.org\n");
        place.write("keys.tsv", "ada@example.org\t1\ngrace@example.org\t0\n");
        place.write("never.txt", "bob@example.org\n");
        place.write("numbers.txt", "1700000042\n");
        let mut answer = String::new();
        for line in lines.lines() {
            let done = place.run(line.strip_prefix("anther ").expect("the program"));
            assert_eq!(done.code, 0, "{line}: {}", done.err);
            answer = String::from_utf8(done.out).expect("text");
        }
        let found =
            ["maybe\tada@example.org\n", "1\tada@example.org\n", "maybe\t1700000000\t1700000060\n"];
        assert!(found.contains(&&*answer), "{lines}: {answer}");
        ran += 1;
    }
    // Every kind and range filters, with and without a secret key.
    assert_eq!(ran, 2 * (anther::Kind::ALL.len() + 1));
}

/// All lines in Rust as one program, with a function for each entry.
#[test]
fn the_lines_in_rust_run() {
    let (mut program, mut calls) = (String::new(), String::new());
    for (at, entry) in entries().iter().enumerate() {
        let code = entry["lines"]["Rust"].as_str().expect("Rust");
        let key = if entry["keyed"] == true { "let key = [7; 16];" } else { "" };
        program += &format!("fn lines_{at}() -> Outcome {{\n{key}\n{code}\nOk(())\n}}\n");
        calls += &format!("lines_{at}().unwrap();\n");
    }
    program += &format!(
        "type Outcome = Result<(), Box<dyn std::error::Error>>;\nfn main() {{\n{calls}}}\n"
    );
    let place = Place::new();
    place.write("lines.rs", program);
    // The library that cargo compiled for this test. An older build may lie beside it.
    let test = env::current_exe().expect("a path");
    let folder = test.parent().expect("a folder");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file"));
    let is_library = |name: &str| name.starts_with("libanther-") && name.ends_with(".rlib");
    let libraries = files.filter(|file| file.file_name().to_str().is_some_and(is_library));
    let made = |file: &DirEntry| file.metadata().and_then(|data| data.modified()).expect("a time");
    let library = libraries.max_by_key(made).expect("the library");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-Dwarnings", "--extern"]);
    rustc.arg(format!("anther={}", library.path().display()));
    rustc.arg("-L").arg(format!("dependency={}", folder.display()));
    rustc.arg("-o").args([place.join("lines"), place.join("lines.rs")]);
    assert!(rustc.status().expect("rustc").success());
    assert!(Command::new(place.join("lines")).status().expect("the lines").success());
}
