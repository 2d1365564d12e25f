//! `anther add --shared`: several processes add to one file at once.

use crate::support::{self, Place};
use anther::{AnyFilter, Kind, Lock, Open};
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// A process that adds what is written to it.
fn adder(place: &Place) -> Child {
    let mut command = place.command(["add", "--shared", "-q", "f.anther"]);
    command.stdin(Stdio::piped()).spawn().expect("it runs")
}

fn write(child: &mut Child, text: &str) {
    let stdin = child.stdin.as_mut().expect("a pipe");
    stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).expect("written");
}

/// Waits until the file counts `inserted` keys. A key is counted once it is inserted.
fn wait_for(place: &Place, inserted: u64) {
    while place.run("info f.anther --json").code(0).json()["inserted"] != inserted {
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_open(place: &Place) -> bool {
    let info = place.run("info f.anther --json").code(0).json();
    let open = info["open"].as_bool().expect("a bool");
    assert_eq!(Open::is_shared(place.join("f.anther")).expect("a filter"), open);
    open
}

#[test]
fn processes_add_at_once_and_lose_nothing() {
    for kind in ["blocked", "classic", "split"] {
        let place = Place::new();
        place.build(&format!("f.anther --kind {kind} --items 400k"), "");
        place.build(&format!("all.anther --kind {kind} --items 400k"), lines(0..400_000));
        let children: Vec<Child> = (0..4)
            .map(|part| {
                let name = format!("{part}.txt");
                place.write(&name, lines(part * 100_000..(part + 1) * 100_000));
                place.command(["add", "--shared", "-q", "f.anther", &name]).spawn().unwrap()
            })
            .collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert!(place.read("f.anther") == place.read("all.anther"), "{kind}");
    }
}

#[test]
fn one_that_is_killed_loses_nothing_that_it_had_in() {
    let place = Place::new();
    place.build("f.anther --items 10k --fpr 1e-6", lines(0..100));
    let (mut killed, mut other) = (adder(&place), adder(&place));
    write(&mut killed, &lines(100..2000));
    wait_for(&place, 2000);
    killed.kill().unwrap();
    killed.wait().unwrap();
    write(&mut other, &lines(2000..3000));
    wait_for(&place, 3000);

    assert!(is_open(&place));
    let words = place.run("info f.anther").code(0);
    let words = String::from_utf8(words.out).unwrap();
    let open = "open     by add --shared, or left open by it: no checksum covers its cells";
    assert!(words.contains(open), "{words}");
    for check in ["check -c f.anther", "check --map -c f.anther"] {
        place.run_on(check, lines(0..3000)).code(0).prints("3000\n");
    }

    // The other one is the last, and closes the file.
    assert!(other.wait_with_output().unwrap().status.success());
    assert!(!is_open(&place));
    place.build("all.anther --items 10k --fpr 1e-6", lines(0..3000));
    assert!(place.read("f.anther") == place.read("all.anther"));
}

#[test]
fn what_was_left_open_is_closed_by_the_next() {
    for next in ["add --shared", "add", "add --shared list.txt", "add list.txt"] {
        let place = Place::new();
        place.write("list.txt", lines(500..600));
        place.build("f.anther --items 1000 --fpr 1e-6", "");
        let mut killed = adder(&place);
        write(&mut killed, &lines(0..500));
        wait_for(&place, 500);
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert!(is_open(&place));

        let end = if next.contains("list") { 600 } else { 500 };
        let (verb, list) = next.split_once(" list").unwrap_or((next, ""));
        let list = if list.is_empty() { "" } else { "list.txt" };
        let ran = place.run(&format!("{verb} f.anther {list}")).code(0);
        ran.says(&[if end == 600 {
            "100 new keys of 100 read"
        } else {
            "f.anther: no keys; about 50"
        }]);
        assert!(!is_open(&place), "{next}");
        place.build("all.anther --items 1000 --fpr 1e-6", lines(0..end));
        assert!(place.read("f.anther") == place.read("all.anther"), "{next}");
    }
}

/// Whoever would put another file in its place waits, or what the others add would be lost.
#[test]
fn whoever_replaces_the_file_waits() {
    let place = Place::new();
    place.build("f.anther --items 1000 --fpr 1e-6", "");
    let mut shared = adder(&place);
    write(&mut shared, "one\n");
    wait_for(&place, 1);
    assert!(Lock::try_exclusive(place.join("f.anther")).unwrap().is_none());
    place.write("list.txt", "two\n");
    let plain = place.command(["add", "-q", "f.anther", "list.txt"]).spawn().unwrap();
    write(&mut shared, "three\n");
    wait_for(&place, 2);
    assert_eq!(place.run("check f.anther two").code, 1, "it waits");
    for child in [shared, plain] {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    place.run("check -c f.anther one two three").code(0).prints("3\n");
    assert!(!is_open(&place));
}

#[test]
fn it_says_what_became_of_the_keys() {
    let place = Place::new();
    place.build("f.anther --items 1000 --fpr 1e-6 --hex", "00\n");
    let ran = place.run_on("add --shared f.anther", "00\n01\r\nFF\n").code(0).prints("");
    let ran =
        ran.says(&["f.anther: 2 new keys of 3 read; about 3 distinct keys, false-positive rate"]);
    assert!(!ran.err.contains("other processes"), "{}", ran.err);
    let json = place.run_on("add --shared f.anther --json", "02\n00\n").code(0).json();
    assert_eq!((&json["read"], &json["new"], &json["open"]), (&2.into(), &1.into(), &false.into()));
    assert_eq!((&json["inserted"], &json["kind"]), (&6.into(), &"blocked".into()));

    let mut other = adder(&place);
    write(&mut other, "aa\n");
    wait_for(&place, 7);
    let ran = place.run_on("add --shared f.anther --json", "bb\n").code(0);
    assert_eq!(ran.json()["open"], true);
    ran.says(&["other processes are still adding to it"]);
    assert!(other.wait_with_output().unwrap().status.success());

    place.run_on("add --shared f.anther --trim", "dd\n").fails(&["--trim contradicts"]);
    assert!(!is_open(&place));
    // Keys are inserted as they arrive, and the file is closed even after an error.
    let ran = place.run_on("add --shared f.anther", "cc\nbad\n");
    ran.fails(&[
        "standard input: line 2: \"bad\": not hexadecimal",
        "the keys before that were inserted",
    ]);
    assert!(!is_open(&place));
    let ran = place.run_on("add --shared f.anther -q", lines(0..0)).code(0);
    assert_eq!(ran.err, "");
    let too_many: String = (0..9999).map(|number| format!("{number:08x}\n")).collect();
    let ran = place.run_on("add --shared f.anther -q", too_many).code(0);
    ran.says(&["warning: f.anther: filter is ", "% full"]);
}

#[test]
fn what_cannot_be_shared_is_an_error() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().share) {
        place.build(&format!("{kind}.anther {}", support::of_kind(*kind)), "1\t1\n");
        let before = place.read(&format!("{kind}.anther"));
        let ran = place.run_on(&format!("add --shared {kind}.anther"), "2\t1\n");
        ran.fails(&[
            &format!("only one process at a time can insert into {} {kind} filter", kind.article()),
            "classic, blocked, split",
        ]);
        assert_eq!(place.read(&format!("{kind}.anther")), before);
    }
    place.run("add --shared none.anther").fails(&["none.anther: no such file"]);
    place.write("list.txt", "x\n");
    place.run("add --shared list.txt").fails(&["list.txt: not an anther filter"]);
    place.build("f.anther", "x\n");
    let mut damaged = place.read("f.anther");
    let last = damaged.len() - 40;
    damaged[last] ^= 1;
    place.write("f.anther", &damaged);
    place.run_on("add --shared f.anther", "y\n").fails(&["f.anther: ", "corrupt"]);
    assert_eq!(place.read("f.anther"), damaged);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.build("f.anther", "x\n");
    let path = place.join("f.anther");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    // Root may write to any.
    if std::fs::OpenOptions::new().write(true).open(&path).is_err() {
        place
            .run_on("add --shared f.anther", "y\n")
            .fails(&["f.anther: cannot change it in place"]);
    }
    assert!(AnyFilter::open(&path).unwrap().contains("x").unwrap());
}

#[test]
fn keyed_filters_are_shared_too() {
    let place = Place::new();
    place.build("f.anther --keyed --key-file f.key --fpr 1e-6 --items 9", "one\n");
    place
        .run_on("add --shared f.anther", "two\n")
        .fails(&["f.anther: is keyed and needs its secret key", "--key-file"]);
    place.run_on("add --shared f.anther --key-file f.key", "two\n").code(0);
    place.run("check f.anther one two --key-file f.key -c").code(0).prints("2\n");
}

/// What the message says: the keys before the entry that the filter does not take were inserted.
#[test]
fn keys_before_an_entry_of_an_unknown_level_are_inserted() {
    let place = Place::new();
    place.run("build -q l.anther -k base@x.example --as email --items 10000").code(0);
    let before: String = (0..5000).map(|i| format!("u{i}@x.example\n")).collect();
    let ran =
        place.run_on("add --shared l.anther", format!("{before}*@zz.example\nlast@x.example\n"));
    ran.fails(&["line 5001 (*@zz.example)", "the keys before that were inserted"]);
    place.run_on("check -c l.anther", &before).code(0).prints("5000\n");
    // A key of the command line has no line.
    let ran = place.run("add --shared l.anther -k some@x.example *@zz.example");
    ran.fails(&["l.anther: *@zz.example: it stands for keys below it"]);
    place.run("check l.anther some@x.example").code(0);
}
