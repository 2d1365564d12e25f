//! Filters that come from standard input, or go to standard output.

use crate::support::Place;
use std::process::Stdio;

#[test]
fn a_filter_goes_through_a_pipe() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\ntwo\n");
    place.write("list.txt", "one\ntwo\n");
    let whole = place.read("f.anther");
    let ran = place.run_on("build -o - --fpr 1e-6", "one\ntwo\n").code(0).prints(&whole);
    ran.says(&["standard output: 2 distinct keys"]);
    // With -o, all names are inputs.
    place.run("build -o - list.txt -q --fpr 1e-6").code(0).prints(&whole);
    place.run("build --out named.anther list.txt -q --fpr 1e-6").code(0).prints("");
    assert_eq!(place.read("named.anther"), whole);
    place.run("build -o named.anther list.txt").fails(&["named.anther: exists already"]);
    place.run("build -o named.anther list.txt --force").code(0);
    assert_eq!(place.names(), ["f.anther", "list.txt", "named.anther"]);

    place.run_on("check - one three", &whole).code(0).prints("maybe\tone\nno\tthree\n");
    place.run_on("check - -f list.txt", &whole).code(0).prints("one\ntwo\n");
    place.run_on("verify -", &whole).code(0);
    place.run_on("info -", &whole).code(0);
    place.run_on("measure - --members list.txt", &whole).code(0);
    place.run_on("check f.anther --also - one", &whole).code(0);
    place.build("c.anther --kind counting", "one\none\n");
    place.run_on("count - one", place.read("c.anther")).code(0).prints("2\tone\n");
    place.build("v.anther --kind bloomier", "x\t7\n");
    place.run_on("get - x", place.read("v.anther")).code(0).prints("7\tx\n");
}

#[test]
fn filters_merge_from_and_to_a_pipe() {
    let place = Place::new();
    place.build("a.anther --items 10", "one\n");
    place.build("b.anther --items 10", "two\n");
    place.run("merge ab.anther a.anther b.anther").code(0);
    let whole = place.read("ab.anther");
    place.run("merge -o - a.anther b.anther").code(0).prints(&whole).says(&["standard output: 2"]);
    place.run_on("merge -o - a.anther -", place.read("b.anther")).code(0).prints(&whole);
    place.run_on("merge new.anther - a.anther", place.read("b.anther")).code(0);
    assert_eq!(place.read("new.anther"), whole);
    place.run("merge -o - - -").fails(&["standard input: can be only one of the filters"]);
    place.run("merge -o - a.anther").fails(&["two or more filters"]);
}

#[test]
fn standard_input_is_one_thing_only() {
    let place = Place::new();
    place.build("f.anther", "one\n");
    let both = "standard input: cannot be both the filter and the keys";
    for arguments in ["check -", "check - -f -", "count -", "check f.anther --also -"] {
        place.run_on(arguments, place.read("f.anther")).fails(&[both, "-f", "-k"]);
    }
    place.run("check - --expect - one").fails(&[both]);
    place.run("check f.anther --expect -").fails(&["standard input: can be read only once"]);
    let ran = place.run_on("measure - --members -", place.read("f.anther"));
    ran.fails(&["standard input: cannot be both the filter and a list; name a file for one"]);
    place.run("verify - -").fails(&["standard input: can be only one of the filters"]);
    place.run("add - -k x").fails(&["-: a filter from standard input cannot be changed"]);
    place.run("build - x.txt").fails(&["-: to write the filter to standard output, use -o -"]);
}

/// What comes by a pipe is trusted no more than a file.
#[test]
fn a_corrupt_stream_is_refused() {
    let place = Place::new();
    place.build("f.anther", "one\n");
    let whole = place.read("f.anther");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (bytes, cause) in [
        (&whole[..whole.len() - 1], "standard input: truncated"),
        (&[&whole[..], b"x"].concat()[..], "standard input: bytes after the end"),
        (&flipped[..], "standard input: checksum mismatch"),
        (b"one\n", "standard input: not an anther filter"),
        (b"", "standard input: not an anther filter"),
    ] {
        place.run_on("check - one", bytes).fails(&[cause]);
        place.run_on("info -", bytes).fails(&[cause]);
        place.run_on("verify -", bytes).code(1).prints("").says(&[cause]);
    }
}

#[test]
fn a_keyed_filter_needs_its_key_from_a_pipe_too() {
    let place = Place::new();
    place.build("f.anther --keyed --key-file f.key --fpr 1e-6", "one\n");
    place.build("plain.anther --fpr 1e-6", "one\n");
    let (whole, plain) = (place.read("f.anther"), place.read("plain.anther"));
    place.run_on("check - one --key-file f.key", &whole).code(0);
    place.run_on("check - one", &whole).fails(&["standard input: is keyed", "--key-file"]);
    place.run_on("info -", &whole).code(0);
    place.run_on("check - one --key-file f.key", &plain).fails(&["standard input: is not keyed"]);
    place.run("build -o - -k one --keyed --key-file new.key -q").code(0);
    assert_eq!(place.read("new.key").len(), 33);
    // The environment's key is for those filters that are keyed.
    for (bytes, variable, value, code) in [
        (&whole, "ANTHER_KEY_FILE", "f.key", 0),
        (&plain, "ANTHER_KEY_FILE", "f.key", 0),
        (&plain, "ANTHER_KEY_FILE", "missing.key", 0),
        (&whole, "ANTHER_KEY_FILE", "missing.key", 2),
    ] {
        place.write("bytes", bytes);
        let mut command = place.command(["check", "-", "one"]);
        command.env(variable, value);
        command.stdin(std::fs::File::open(place.join("bytes")).unwrap());
        assert_eq!(command.output().unwrap().status.code(), Some(code), "{value}");
    }
}

#[cfg(unix)]
#[test]
fn the_size_of_a_stream_is_that_of_the_file() {
    let place = Place::new();
    place.build("f.anther --items 1k", "one\n");
    let size = place.run("info f.anther --json").json()["bytes"].clone();
    assert_eq!(size, place.read("f.anther").len());
    for path in ["-", "/dev/stdin"] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, &place.read("f.anther")).unwrap();
        drop(writer);
        let output = place.command(["info", path, "--json"]).stdin(reader).output().unwrap();
        let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(info["bytes"], size, "{path}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_filter_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.build("f.anther", "one\n");
    for arguments in ["build -o - -k one", "merge -o - f.anther f.anther"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = place.command(arguments.split_whitespace());
        let output = command.stdout(full).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(
            said,
            "anther: standard output: cannot write: No space left on device (os error 28)\n"
        );
        // Nobody reads it: there is no filter anywhere.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.command(arguments.split_whitespace());
        let output = command.stdout(writer).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("closed by its reader"));
    }
}
