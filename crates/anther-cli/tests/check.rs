//! `anther check`.

use crate::support::Place;
use anther::recipe::KeyRule;
use anther::{AnyFilter, Blocked, Classic, Filter, Recipe, Seed, Shape, Target};
use std::fs;

/// A filter of one and two, at a rate at which no test meets a false positive.
fn one_and_two() -> Place {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\ntwo\n");
    place
}

#[test]
fn keys_as_arguments_get_a_line_each() {
    let place = one_and_two();
    let ran = place.run("check f.anther one three two").code(0);
    ran.prints("maybe\tone\nno\tthree\nmaybe\ttwo\n");
    place.run("check f.anther three").code(1).prints("no\tthree\n");
    place.run("check f.anther one three -c").code(0).prints("1\n");
    place.run("check f.anther one three -q").code(0).prints("");
    place.run("check f.anther three -q").code(1).prints("");
    place.run_args(["check", "f.anther", "--", "-v", ""], "").code(1).prints("no\t-v\nno\t\n");
    // -v selects the other ones, and prints only those.
    place.run("check -v f.anther one").code(1).prints("");
    place.run("check -v f.anther one three").code(0).prints("no\tthree\n");
    place.run("check -v -c f.anther one three four").code(0).prints("2\n");
}

#[test]
fn records_pass_byte_for_byte() {
    let place = one_and_two();
    let input = b"three\r\none\r\n\n one\ntwo\nfour\none";
    place.run_on("check f.anther", input).code(0).prints("one\r\ntwo\none");
    place.run_on("check -v f.anther", input).code(0).prints("three\r\n one\nfour\n");
    let kept = place.run_on("check -v --keep-empty f.anther", input).code(0);
    kept.prints("three\r\n\n one\nfour\n");
    place.run_on("check -c f.anther", input).code(0).prints("3\n");
    place
        .run_on("check -v -c f.anther", input)
        .code(0)
        .prints("3\n")
        .says(&["1 empty key left out"]);
    place.run_on("check -q f.anther", input).code(0).prints("");
    place.run_on("check --map f.anther", input).code(0).prints("one\r\ntwo\none");
}

#[test]
fn the_exit_code_says_whether_any_was_selected() {
    let place = one_and_two();
    place.run_on("check f.anther", "three\n").code(1).prints("");
    place.run_on("check -v f.anther", "three\n").code(0).prints("three\n");
    place.run_on("check -v f.anther", "one\n").code(1).prints("");
    place.run_on("check -q f.anther", "three\n").code(1).prints("");
    place.run_on("check -c f.anther", "three\n").code(1).prints("0\n");
    place.run_on("check f.anther", "").code(1).prints("");
}

#[test]
fn nothing_else_is_said() {
    let place = one_and_two();
    for arguments in ["check f.anther", "check -c f.anther", "check f.anther one"] {
        assert_eq!(place.run_on(arguments, "one\n").err, "", "{arguments}");
    }
}

#[test]
fn json_has_a_line_an_answer() {
    let place = one_and_two();
    let answers = place.run("check f.anther one three --json").code(0).json_lines();
    assert_eq!(answers[0], serde_json::json!({"key": "one", "maybe": true}));
    assert_eq!(answers[1], serde_json::json!({"key": "three", "maybe": false}));
    let answers = place.run_on("check f.anther --json", b"no\r\none\n\xff\n").code(0).json_lines();
    assert_eq!(answers[0], serde_json::json!({"line": 1, "record": "no", "maybe": false}));
    assert_eq!(answers[1], serde_json::json!({"line": 2, "record": "one", "maybe": true}));
    assert_eq!(answers.len(), 3);
    let count = place.run_on("check f.anther --json -c", "no\none\n").code(0).json();
    assert_eq!(count, serde_json::json!({"maybe": 1, "no": 1}));
}

#[cfg(unix)]
#[test]
fn any_bytes_are_keys() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let keys: [&[u8]; 6] =
        [b"", b"\xff\xfe", "naïve Ω 🌸".as_bytes(), b"a\tb", b"\x1b[31m", b" space "];
    let list = keys.map(|key| [key, b"\n"].concat()).concat();
    place.build("f.anther --fpr 1e-6 --keep-empty", &list);
    place.run_on("check f.anther --keep-empty", &list).code(0).prints(&list);
    for key in keys {
        let ran = place
            .run_args([OsStr::new("check"), OsStr::new("f.anther"), OsStr::from_bytes(key)], "");
        ran.code(0).prints([b"maybe\t", key, b"\n"].concat());
    }
    let ran = place.run_args(
        [
            OsStr::new("check"),
            OsStr::new("f.anther"),
            OsStr::new("--json"),
            OsStr::from_bytes(b"\xff\xfe"),
        ],
        "",
    );
    let answer = ran.code(0).json();
    assert_eq!(answer["maybe"], true);
    assert_eq!(answer["bytes_hex"], "fffe");

    let nul: Vec<u8> = keys.map(|key| [key, b"\n\0"].concat()).concat();
    place.build("nul.anther -0 --fpr 1e-6", &nul);
    place.run_on("check nul.anther", &nul).code(0).prints(&nul);
    place.run_on("check nul.anther", b"a\tb\0a\tb\n\0").code(0).prints(b"a\tb\n\0");
}

#[test]
fn line_ends_and_marks_are_no_part_of_keys() {
    let place = Place::new();
    place.build("dos.anther --fpr 1e-6", "\u{feff}one\r\ntwo\r\n");
    place.run("check dos.anther one two").code(0).prints("maybe\tone\nmaybe\ttwo\n");
    place.run_on("check dos.anther", "one\ntwo").code(0).prints("one\ntwo");
    place.build("unix.anther --fpr 1e-6", "one\ntwo\n");
    let dos = "\u{feff}one\r\ntwo\r\n";
    place.run_on("check unix.anther", dos).code(0).prints(dos);
    assert_eq!(place.read("dos.anther"), place.read("unix.anther"));
}

#[test]
fn the_recipe_of_the_file_is_applied_unasked() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6 --hex --trim --column 1 --delimiter :", "CAFE:3\n 00ff : 4\n");
    let input = "cafe:9\r\n00FF\n00fe:1\n";
    place.run_on("check f.anther", input).code(0).prints("cafe:9\r\n00FF\n");
    place.run("check f.anther CaFe 00").code(0).prints("maybe\tCaFe\nno\t00\n");
    place.run("check f.anther xyz").fails(&["xyz: not hexadecimal"]);
    place.run("check f.anther cafe:9").fails(&["cafe:9: not hexadecimal"]);
    let ran = place.run_on("check f.anther", "cafe:1\nbad:2\n");
    ran.code(2).prints("cafe:1\n").says(&["standard input: line 2: \"bad\": not hexadecimal"]);

    place.build("g.anther --fpr 1e-6 --ignore-case", "Word\n");
    place.run("check g.anther WORD").code(0);
    place.run_on("check -v g.anther", "wORD\n").code(1).prints("");
}

#[test]
fn columns_by_name_keep_the_header() {
    let place = Place::new();
    let list = "id,\"mail\"\r\n1,\"a, b\"\r\n2,c\r\n";
    place.write("list.csv", list);
    place.build("f.anther list.csv --column mail --fpr 1e-6", "");
    // Another order of columns, and only one of the keys.
    let input = "mail,name\nc,Carl\nx,Xenia\n\"a, b\",Anna\n";
    place.run_on("check f.anther", input).code(0).prints("mail,name\nc,Carl\n\"a, b\",Anna\n");
    place.run_on("check -v f.anther", input).code(0).prints("mail,name\nx,Xenia\n");
    place.run_on("check -c f.anther", input).code(0).prints("2\n");
    assert_eq!(place.run_on("check --json f.anther", input).json_lines()[0]["line"], 2);
    place.run_on("check f.anther", "mail\n").code(1).prints("mail\n");
    place
        .run_on("check f.anther", "name\nc\n")
        .fails(&["line 1", "no column \"mail\"; the header row has \"name\""]);
    // An argument is the key alone.
    place
        .run_args(["check", "f.anther", "a, b", "mail"], "")
        .code(0)
        .prints("maybe\ta, b\nno\tmail\n");
    // The output can be looked up again.
    let first = place.run_on("check f.anther", input).out;
    place.run_on("check f.anther", &first).code(0).prints(&first);
}

#[test]
fn options_that_contradict_the_file_are_errors() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6 --column 2 --delimiter tab --hex", "x\tcafe\n");
    place.run("check f.anther cafe --hex").code(0);
    place.run_on("check f.anther --delimiter \\t", "y\tCAFE\n").code(0);
    for (options, named) in [
        ("--trim", "--trim contradicts"),
        ("--ignore-case", "--ignore-case contradicts"),
        ("--as int", "--as int contradicts"),
        ("--as text", "--as text contradicts"),
    ] {
        let ran = place.run(&format!("check f.anther cafe {options}"));
        ran.fails(&["f.anther: ", named, "keys are hex decoded", "rebuild"]);
    }
    // Where the key is belongs to the input.
    place.run_on("check f.anther --column 1", "CAFE\ty\n").code(0).prints("CAFE\ty\n");
    place.run_on("check f.anther --format lines", "CAFE\n").code(0).prints("CAFE\n");
    place.run_on("check f.anther -0", "CAFE\0").code(0).prints("CAFE\0");
    place.run_on("check f.anther --column 2 --delimiter ,", "y,CAFE\n").code(0);
    for option in ["--column 2", "--format csv", "-0", "--delimiter ,", "--header", "--keep-empty"]
    {
        let ran = place.run(&format!("check f.anther cafe {option}"));
        ran.fails(&[": is for inputs, and all keys are arguments; leave it out"]);
    }
}

#[test]
fn a_filter_of_the_library_takes_the_options() {
    let place = Place::new();
    let mut filter = Blocked::new(Target::new(10, 1e-6).unwrap()).unwrap();
    filter.extend([&[0xCA, 0xFE][..], b"cafe"]);
    filter.save(place.join("f.anther")).unwrap();
    place.run("check f.anther cafe").code(0);
    place.run("check f.anther CAFE").code(1);
    place.run("check f.anther CAFE --hex").code(0);
    place.run_on("check f.anther --column 2", "x,cafe\n").code(0).prints("x,cafe\n");
    place.run_on("check f.anther --delimiter ;", "").fails(&["--delimiter: needs --column"]);
}

/// A program said that keys are tuples, but not in which columns.
#[test]
fn keys_of_several_parts_come_from_an_input() {
    let place = Place::new();
    let mut filter = Blocked::new(Target::new(10, 1e-6).unwrap()).unwrap();
    let rule = KeyRule { parts: 2, ..KeyRule::default() };
    filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    filter.insert(("a", "b"));
    filter.save(place.join("f.anther")).unwrap();
    place.run("check f.anther a").fails(&["has 2 columns", "on standard input", "--column"]);
    place.run_on("check f.anther --column 1 --column 2", "a,b\nb,a\n").prints("a,b\n");
}

/// It may hold integers, in which the text 7 is not found.
#[test]
fn a_filter_of_the_library_gets_a_note_about_integers() {
    let place = Place::new();
    let mut filter = Blocked::new(Target::new(10, 1e-6).unwrap()).unwrap();
    filter.insert(7u64);
    for name in ["f.anther", "g.anther"] {
        filter.save(place.join(name)).unwrap();
    }
    let ran = place.run("check f.anther 7 --also g.anther").code(1);
    assert_eq!(ran.err.matches("note: ").count(), 1, "{}", ran.err);
    ran.says(&["note: f.anther: made by a program, so its keys may be integers", "use --as int"]);
    assert_eq!(place.run("check f.anther 7 --as int").code(0).err, "");
    assert_eq!(place.run("check f.anther 7 --as text").code(1).err, "");
    assert_eq!(place.run("check -q f.anther 7").code(1).err, "");
    assert_eq!(one_and_two().run("check f.anther one").code(0).err, "");
}

#[test]
fn what_is_no_filter_is_named() {
    let place = one_and_two();
    place.write("words.txt", "one\n");
    place.write("empty", "");
    fs::create_dir(place.join("folder")).unwrap();
    let whole = place.read("f.anther");
    place.write("cut", &whole[..whole.len() - 1]);
    place.write("more", [&whole[..], b"x"].concat());
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    place.write("flipped", &flipped);
    let mut cells = whole.clone();
    cells[whole.len() - 40] ^= 1;
    place.write("cells", &cells);
    for (name, part) in [
        ("missing", "missing: no such file; make a filter with: anther build"),
        ("words.txt", "words.txt: not an anther filter"),
        ("empty", "empty: not an anther filter"),
        ("folder", "folder: is a folder"),
        ("cut", "cut: truncated"),
        ("more", "more: bytes after the end"),
        ("flipped", "flipped: checksum mismatch"),
        ("cells", "cells: checksum mismatch"),
    ] {
        place.run(&format!("check {name} one")).fails(&[part]);
        place.run_on(&format!("check {name}"), "one\n").fails(&[part]);
        place.run(&format!("info {name}")).fails(&[part]);
    }
    for (name, part) in [("empty", "not an anther filter"), ("cut", "truncated")] {
        place.run(&format!("check --map {name} one")).fails(&[part]);
    }
}

#[test]
fn keyed_and_external_filters_are_not_asked_by_key() {
    let place = Place::new();
    let secret = *b"a secret of ours";
    let keyed = Blocked::with_seed(Target::new(10, 0.01).unwrap(), Seed::keyed(secret)).unwrap();
    keyed.save(place.join("keyed")).unwrap();
    let external = Classic::with_shape(Shape::bits(10).probes(3), Seed::EXTERNAL).unwrap();
    assert!(!external.seed().can_hash());
    AnyFilter::from(external).save(place.join("external")).unwrap();
    place.run("check keyed x").fails(&["keyed: is keyed and needs its secret key"]);
    place.run("check --map keyed x").fails(&["keyed: is keyed and needs its secret key"]);
    place.run("check external x").fails(&["external: built from external hashes"]);
}
