//! A disk that is full: the error names the file, the old one stays, and nothing is left beside it.
#![cfg(target_os = "linux")]

use crate::support::Place;
use std::fs::File;
use std::process::{Command, Stdio};

/// Runs with a limit of a few kilobytes for each file. As on a full disk, some bytes can be written
/// before it fails.
fn limited(place: &Place, arguments: &str) -> (i32, String) {
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 2; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_anther")])
        .args(arguments.split_whitespace())
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("it runs");
    let code = output.status.code().expect("not ended by the limit's signal");
    (code, String::from_utf8(output.stderr).expect("messages are UTF-8"))
}

#[test]
fn nothing_is_lost_when_writing_fails() {
    let place = Place::new();
    place.build("c.anther --items 100k --kind counting", "key");
    for name in ["a.anther", "b.anther"] {
        place.build(&format!("{name} --items 100k"), name);
    }
    place.write("keys.txt", "key\n");
    place.write("pages/anther-build.1", "an old page");
    let names = place.names();
    let olds = [place.read("a.anther"), place.read("b.anther")];
    for (arguments, file) in [
        ("build new.anther keys.txt --items 100k", "new.anther"),
        ("build new.anther keys.txt --items 100k --kind counting", "new.anther"),
        ("build a.anther keys.txt --items 100k --force", "a.anther"),
        ("add a.anther keys.txt", "a.anther"),
        ("remove c.anther keys.txt", "c.anther"),
        ("merge new.anther a.anther b.anther", "new.anther"),
        ("merge a.anther a.anther b.anther --force", "a.anther"),
        ("convert new.anther a.anther", "new.anther"),
        ("convert a.anther a.anther --force", "a.anther"),
        ("man --out pages --force", "pages/anther"),
        #[cfg(feature = "lab")]
        ("draw --bits 99 --hash x,2x+3 --insert 2,4,9 -o new.svg", "new.svg"),
        #[cfg(feature = "png")]
        ("draw --bits 99 --hash x,2x+3 --insert 2,4,9 -o new.png", "new.png"),
        #[cfg(feature = "lab")]
        ("plan --plot -o new.svg", "new.svg"),
        #[cfg(feature = "lab")]
        ("figure error-table --out .", "./error-table.csv"),
    ] {
        let (code, said) = limited(&place, arguments);
        assert_eq!(code, 2, "{arguments}: {said}");
        assert!(said.starts_with(&format!("anther: {file}")), "{arguments}: {said}");
        assert!(said.contains("cannot write: File too large"), "{arguments}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments}: {said}");
        assert_eq!(place.names(), names, "{arguments}");
        assert_eq!([place.read("a.anther"), place.read("b.anther")], olds, "{arguments}");
    }
    assert_eq!(place.read("pages/anther-build.1"), b"an old page");
    let litter = place.names_in("pages").into_iter().find(|name| name.ends_with(".tmp"));
    assert_eq!(litter, None);
}

#[test]
fn standard_output_can_be_full() {
    let place = Place::new();
    place.build("f.anther", "x\n");
    place.build("g.anther --items 1", "y\n");
    for arguments in [
        "-h",
        "check --help",
        "--version",
        "check f.anther x",
        "check f.anther x -c",
        "check f.anther x --json",
        "info f.anther",
        "info f.anther --json",
        "draw f.anther",
        "draw f.anther x --json",
        "figure",
        "figure example",
        "figure example --json",
        "plan --plot",
        "build b.anther -q --json",
        "merge m.anther f.anther g.anther -q --json",
        "convert c.anther f.anther -q --json",
        "completions fish",
        "completions fish --json",
        "man",
        "man --json",
        "tour --dir tour",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = place
            .command(arguments.split_whitespace())
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        let start = "anther: standard output: cannot write: No space left on device";
        assert!(said.starts_with(start), "{arguments}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments}: {said}");
    }
}

/// The exit code alone would say that nothing was done.
#[test]
fn what_was_done_is_said_when_the_report_cannot_be_written() {
    let place = Place::new();
    for options in ["--kind counting", "--items 100"] {
        place.build(&format!("f.anther --force {options} --fpr 1e-6"), "x\n");
        let counts = options.contains("counting");
        let verbs = [
            "add f.anther -k y --json",
            "remove f.anther -k y --json",
            "add f.anther -k z --shared --json",
        ];
        for arguments in verbs.iter().filter(|verb| counts != verb.contains("--shared")) {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let mut command = place.command(arguments.split_whitespace());
            let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("standard output: cannot write: No space left"), "{said}");
            assert!(said.contains("; f.anther is changed: 1 "), "{said}");
        }
        if !counts {
            place.run("check f.anther z").code(0);
        }
    }
    place.run("check f.anther y").code(1);
    for arguments in
        ["build new.anther -k x --json -q", "merge merged.anther f.anther f.anther --json -q"]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = place.command(arguments.split_whitespace());
        let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("cannot write") && said.contains(".anther is written"), "{said}");
    }
}
