//! `anther add`.

use crate::support::Place;
use anther::{AnyFilter, Filter, Kind, Lock};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// Adding is building from both, to the last byte, where the order of keys does not matter.
#[test]
fn adding_is_building_from_both() {
    let place = Place::new();
    place.write("more.txt", lines(700..1000));
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().insert) {
        place.build(&format!("f.anther --force --kind {kind} --items 1000"), lines(0..500));
        place.build(&format!("all.anther --force --kind {kind} --items 1000"), lines(0..1000));
        // Two inputs, one of them standard input.
        let ran = place.run_on("add f.anther - more.txt", lines(500..700)).code(0).prints("");
        ran.says(&["f.anther: ", " of 500 read; ", "distinct keys, false-positive rate"]);
        assert!(place.read("f.anther") == place.read("all.anther"), "{kind}");
        if kind.capabilities().no_false_negatives {
            place.run_on("check -c f.anther", lines(0..1000)).code(0).prints("1000\n");
        }
    }
}

#[test]
fn what_is_new_is_counted() {
    let place = Place::new();
    place.build("f.anther --items 100 --fpr 1e-6", "one\ntwo\n");
    let ran = place.run_on("add f.anther", "two\nthree\nthree\nfour\n").code(0);
    ran.prints("")
        .says(&["f.anther: 2 new keys of 4 read; about 4 distinct keys, false-positive rate"]);
    place.run_on("add f.anther", "five\n").code(0).says(&["1 new key of 1 read"]);
    let json = place.run_on("add f.anther --json -q", "six\none\n").code(0).json();
    assert_eq!(
        (&json["file"], &json["read"], &json["new"]),
        (&"f.anther".into(), &2.into(), &1.into())
    );
    assert_eq!((&json["kind"], &json["inserted"]), (&"blocked".into(), &9.into()));
    assert_eq!(json["bytes"], place.read("f.anther").len());
    let quiet = place.run_on("add f.anther -q", "seven\n").code(0).prints("");
    assert_eq!(quiet.err, "");
}

#[test]
fn no_keys_change_nothing() {
    let place = Place::new();
    place.build("f.anther", "one\n");
    let before = place.read("f.anther");
    place
        .run("add f.anther")
        .code(0)
        .prints("")
        .says(&["f.anther: no keys; about 1 distinct key, "]);
    assert_eq!(place.run("add f.anther --json").code(0).json()["new"], 0);
    assert_eq!(place.read("f.anther"), before);
}

#[test]
fn keys_are_taken_as_they_were() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6 --hex --column sum --items 9", "id,sum\n1,CAFE\n");
    place.run_on("add f.anther", "sum,x\r\n00ff,1\r\nBEEF,2").code(0).says(&["2 new keys of 2"]);
    place.run("check f.anther cafe 00FF beef").code(0);
    place.run_on("add f.anther --trim", "sum\n00\n").fails(&["f.anther: --trim contradicts"]);

    let bytes: [&[u8]; 4] = [b"", b"\xff\xfe", "naïve 🌸".as_bytes(), b"\x1b[31m"];
    place.build("b.anther --fpr 1e-6 -0 --items 9", "");
    let keys = bytes.map(|key| [key, b"\0"].concat()).concat();
    place.run_on("add b.anther --keep-empty", keys).code(0);
    place
        .run_on("check -c b.anther --keep-empty", bytes.map(|key| [key, b"\0"].concat()).concat())
        .prints("4\n");
    place.build("dos.anther --fpr 1e-6 --items 9", "");
    place.run_on("add dos.anther", "\u{feff}one\r\ntwo\r\n").code(0);
    place.run("check -c dos.anther one two").code(0).prints("2\n");
}

/// Whatever is wrong, the file stays, and nothing is left beside it.
#[test]
fn an_error_changes_nothing() {
    let place = Place::new();
    place.build("f.anther --hex --items 100000", "00\n");
    place.build("full.anther --kind cuckoo --items 100", lines(0..100));
    place.build("ribbon.anther --kind ribbon", "00\n");
    place.write("list.txt", "00\n");
    let names = ["f.anther", "full.anther", "ribbon.anther", "list.txt"];
    let before = names.map(|name| place.read(name));

    let many: String = (0..50_000).map(|number| format!("{number:08x}\n")).collect();
    let ran = place.run_on("add f.anther", many + "bad\n00\n");
    ran.fails(&["standard input: line 50001: \"bad\": not hexadecimal"]);
    place
        .run_on("add full.anther", lines(100..1000))
        .fails(&["full.anther: the cuckoo filter is full"]);
    place
        .run_on("add ribbon.anther", "01\n")
        .fails(&["ribbon.anther: a ribbon filter is static, so it cannot insert keys", "rebuild"]);
    place.run_on("add none.anther", "01\n").fails(&["none.anther: no such file", "anther build"]);
    place.run("add f.anther none.txt").fails(&["none.txt: no such file"]);
    place.run("add f.anther full.anther").fails(&["full.anther: is a filter, not a list"]);
    place.run("add list.txt list.txt").fails(&["list.txt: not an anther filter"]);
    place.run("add . list.txt").fails(&[".: "]);
    place.run("add").fails(&["FILTER"]);

    assert_eq!(names.map(|name| place.read(name)), before);
    let mut expected = names.map(String::from);
    expected.sort();
    assert_eq!(place.names(), expected);
}

/// Doubling, until the fingerprints are used up.
#[test]
fn full_filters_double_and_say_what_that_does() {
    let place = Place::new();
    for kind in ["cuckoo", "quotient"] {
        place.build(&format!("f --force --kind {kind} --items 1000"), lines(0..1000));
        let before = place.run("info f --json").code(0).json();
        let ran = place.run_on("add f --grow --json", lines(1000..3900)).code(0);
        let ran = ran.says(&["read, doubled 2 times; about 3,", " % now, target 1 %"]);
        let now = ran.json();
        assert_eq!(now["doubled"], 2, "{kind}");
        let rate = |info: &serde_json::Value| info["fpr_now"].as_f64().unwrap();
        let times = rate(&now) / rate(&before);
        assert!((3.5..4.2).contains(&times), "{kind}: four times the keys, {times} times the rate");
        place.run_on("check -c f", lines(0..3900)).code(0).prints("3900\n");
        // What was there can still be removed.
        place.run_on("remove f -q", lines(0..1000)).code(0);
        place.run_on("check -c f", lines(1000..3900)).code(0).prints("2900\n");

        // 64 times the keys is the end at 1 %.
        place.build(&format!("f --force --kind {kind} --items 1000"), "");
        let ran = place.run_on("add f --grow", lines(0..60_000)).code(0);
        ran.says(&["doubled 6 times", "warning: f: filter is "]);
        let before = place.read("f");
        let ran = place.run_on("add f --grow", lines(60_000..100_000));
        ran.fails(&["filter is full and cannot double again: about ", "--kind scalable"]);
        assert!(place.read("f") == before, "{kind}: nothing was inserted");
    }
    // One of them doubles anyway.
    place.build("q --kind quotient --items 1000", "");
    place.run_on("add q", lines(0..3000)).code(0).says(&["doubled 2 times"]);
    place.build("c --kind cuckoo --items 1000", "");
    place.run_on("add c", lines(0..3000)).fails(&["c: the cuckoo filter is full; double it with"]);
    place.run_on("add c --grow", lines(0..900)).code(0).says(&["new keys of 900 read; about"]);
}

#[test]
fn what_cannot_double_says_so() {
    let place = Place::new();
    for (kind, cause) in [
        ("blocked", "a blocked filter cannot double, only cuckoo and quotient can; it takes any"),
        ("dleft", "a dleft filter cannot double, only cuckoo and quotient can; rebuild it"),
        ("scalable", "a scalable filter grows by itself; leave --grow out"),
        ("ribbon", "is static"),
    ] {
        place.build(&format!("{kind} --kind {kind}"), "x\n");
        place.run_on(&format!("add {kind} --grow"), "y\n").fails(&[cause]);
    }
    place.run("add blocked --grow --shared").fails(&["cannot be used with"]);
}

/// Doubling makes no room for copies, so it is not tried, or a few lines would take all memory.
#[test]
fn copies_of_a_key_are_the_cause_where_they_fill_the_filter() {
    let place = Place::new();
    place.build("c --kind cuckoo --items 1000 --fpr 1e-6", lines(0..500));
    let size = place.read("c").len();
    for grow in ["", "--grow"] {
        let ran = place.run_on(&format!("add c {grow}"), "x\n".repeat(9));
        ran.fails(&["no room for another copy of this key; insert each key once", "quotient"]);
    }
    let ran = place.run_on("add c --grow", lines(0..40).repeat(8));
    assert!(ran.code == 2 && ran.err.contains("copy of this key") || place.read("c").len() == size);
    let ran = place.run_on("build x --kind cuckoo --items 200k", "x\n".repeat(9));
    ran.fails(&["holds 8 copies of a key, and no more fit; insert each key once with --distinct"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_changes_nothing() {
    let place = Place::new();
    place.build("f.anther --items 100000", "one\n");
    place.write("list.txt", "two\n");
    let before = place.read("f.anther");
    place.run_on_full_disk("add f.anther list.txt").fails(&["f.anther: cannot write"]);
    assert_eq!((place.read("f.anther"), place.names().len()), (before, 2));
}

#[test]
fn too_many_keys_are_warned_of() {
    let place = Place::new();
    place.build("f.anther --items 100", lines(0..100));
    let ran = place.run_on("add -q f.anther", lines(0..500)).code(0);
    ran.says(&[
        "warning: f.anther: filter is ",
        "% full, false-positive rate now",
        "rebuild with --items",
    ]);
}

#[cfg(unix)]
#[test]
fn links_stay_and_folders_must_be_writable() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    std::fs::create_dir(place.join("sub")).unwrap();
    place.build("sub/f.anther --fpr 1e-6 --items 9", "one\n");
    symlink("sub/f.anther", place.join("link.anther")).unwrap();
    place.run_on("add link.anther", "two\n").code(0);
    assert!(place.join("link.anther").is_symlink());
    place.run("check sub/f.anther one two").code(0).prints("maybe\tone\nmaybe\ttwo\n");

    let before = place.read("sub/f.anther");
    let closed = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(place.join("sub"), closed).unwrap();
    // Root may write anywhere.
    if std::fs::write(place.join("sub/probe"), "").is_err() {
        place.run_on("add link.anther", "three\n").fails(&["sub: cannot write there"]);
        assert_eq!(place.read("sub/f.anther"), before);
    }
    std::fs::set_permissions(place.join("sub"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whoever comes second says that it waits, and then adds to what the first one made.
#[test]
fn one_waits_for_the_other() {
    let place = Place::new();
    place.build("f.anther --items 9 --fpr 1e-6", "");
    let mut first = place.command(["add", "-q", "f.anther"]).stdin(Stdio::piped()).spawn().unwrap();
    // Until it reads, and so holds the file.
    while Lock::try_exclusive(place.join("f.anther")).unwrap().is_some() {
        thread::sleep(Duration::from_millis(1));
    }
    place.write("two.txt", "two\n");
    let mut second = place.command(["add", "f.anther", "two.txt"]);
    let mut second = second.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut errors = BufReader::new(second.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    assert_eq!(said, "anther: f.anther: waiting for another process that is changing it\n");
    first.stdin.take().unwrap().write_all(b"one\n").unwrap();
    assert!(first.wait().unwrap().success());
    errors.read_line(&mut said).unwrap();
    assert!(said.contains("1 new key of 1 read; about 2 distinct keys"), "{said}");
    assert!(second.wait().unwrap().success());
    place.run("check f.anther one two").code(0).prints("maybe\tone\nmaybe\ttwo\n");
}

/// Each reads the filter, adds to it and replaces it: without a lock all but one would be lost.
#[test]
fn processes_add_one_after_the_other() {
    let place = Place::new();
    place.build("f.anther --items 40000", "");
    let mut children = Vec::new();
    for part in 0..8 {
        let name = format!("{part}.txt");
        place.write(&name, lines(part * 5000..(part + 1) * 5000));
        let mut command = place.command(["add", "f.anther", &name, "-q"]);
        children.push(command.stderr(Stdio::inherit()).spawn().unwrap());
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    place.build("all.anther --items 40000", lines(0..40_000));
    assert!(place.read("f.anther") == place.read("all.anther"));
    let filter = AnyFilter::open(place.join("f.anther")).unwrap();
    assert_eq!(filter.about().inserted, 40_000);
}
