//! `anther build`.

use crate::support::Place;
use anther::{AnyFilter, Blocked, Filter, Kind, Seed, Target};
use std::fs;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

#[test]
fn from_files_a_dash_and_standard_input() {
    let place = Place::new();
    place.write("a.txt", lines(0..600));
    place.write("b.txt", lines(400..1000));
    place.run("build files.anther a.txt b.txt").code(0).prints("");
    place.run_on("build dash.anther a.txt -", lines(400..1000)).code(0);
    place.run_on("build stdin.anther", lines(0..1000)).code(0);
    let file = place.read("files.anther");
    assert_eq!(file, place.read("dash.anther"), "repetitions do not count");
    assert_eq!(file, place.read("stdin.anther"));

    let filter = AnyFilter::open(place.join("files.anther")).unwrap();
    assert_eq!(filter.kind(), Kind::Blocked);
    let target = filter.about().target.unwrap();
    assert_eq!((target.items(), target.fpr()), (1000, 0.01), "sized for the distinct keys");
    assert!((0..1000).all(|number| filter.contains(&format!("key {number}")[..])));
}

#[test]
fn the_library_makes_the_same_file() {
    let place = Place::new();
    place.build("ours.anther --items 100 --fpr 0.1% --seed 7", "one\ntwo\n");
    let mut filter = Blocked::with_seed(Target::new(100, 0.001).unwrap(), Seed::chosen(7)).unwrap();
    filter.extend(["one", "two"]);
    let mut filter = AnyFilter::from(filter);
    filter.set_recipe(Some(anther::Recipe::default()));
    filter.save(place.join("theirs.anther")).unwrap();
    assert_eq!(place.read("ours.anther"), place.read("theirs.anther"));
}

#[test]
fn every_kind_can_be_built_and_names_itself() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().values) {
        place.build(&format!("{kind}.anther --kind {kind}"), lines(0..100));
        let info = place.run(&format!("info {kind}.anther --json")).code(0).json();
        assert_eq!(info["kind"], kind.name());
        let found = place.run_on(&format!("check -c {kind}.anther"), lines(0..100)).code(0);
        if kind.capabilities().no_false_negatives {
            found.prints("100\n");
        }
    }
    place.run("build x.anther --kind morton").fails(&["morton", "blocked"]);
}

#[test]
fn says_what_it_made_and_what_the_rate_means() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --kind classic", lines(0..58_110)).code(0);
    ran.says(&[
        "a.anther: 58,110 distinct keys of 58,110 read; classic filter, 69.9 kB, 9.59 bits per key",
        "about 10,000 false positives in a million lookups of absent keys",
        "--fpr 0.1% costs 50 % more memory",
    ]);
    let ran = place.run_on("build b.anther --fpr 1e-7 --kind classic", "x\n").code(0);
    ran.says(&["1 distinct key of 1 read", "about 100 false positives in a billion lookups"]);
    // Blocked goes down to 1e-8, so no advice to go below.
    let ran = place.run_on("build c.anther --fpr 5e-8", "x\n").code(0);
    assert!(!ran.err.contains("costs"), "{}", ran.err);
    let ran = place.run_on("build d.anther --quiet", "x\n").code(0).prints("");
    assert_eq!(ran.err, "");
}

#[test]
fn json_describes_it() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --json --quiet", "x\ny\nx\n").code(0);
    let made = ran.json();
    assert_eq!(made["file"], "a.anther");
    assert_eq!(made["read"], 3);
    assert_eq!(made["inserted"], 2);
    assert_eq!(made["items_target"], 2);
    assert_eq!(made["kind"], "blocked");
}

#[test]
fn no_keys_make_a_filter_that_says_no() {
    let place = Place::new();
    place.run("build empty.anther").code(0).says(&["no keys read, so it answers no to every key"]);
    place.run("check empty.anther x").code(1).prints("no\tx\n");
    place.write("empty.txt", "");
    place.run("build file.anther empty.txt --column name").code(0);
    place.run("build items.anther --items 10").code(0);
}

#[test]
fn too_few_items_are_warned_of() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --items 1k", lines(0..3000)).code(0);
    ran.says(&[
        "warning: a.anther: filter is 296 % full, false-positive rate now",
        "rebuild with --items 3",
    ]);
    let ran = place.run_on("build b.anther --items 3k --quiet", lines(0..3000)).code(0);
    assert_eq!(ran.err, "", "as many as were foreseen");
    // Repetitions are no reason to warn.
    let ran = place.run_on("build c.anther --items 1k --quiet", lines(0..1000).repeat(5)).code(0);
    assert_eq!(ran.err, "");
}

#[test]
fn memory_is_limited_and_repetitions_are_free() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --memory 1KiB", lines(0..200));
    ran.fails(&["standard input", "1.02 kB", "--items", "--memory"]);
    assert!(place.names().is_empty());
    place.run_on("build a.anther --memory 1KiB", lines(0..100).repeat(50)).code(0);
    place.run_on("build b.anther --memory 1KiB --items 200", lines(0..200)).code(0);
}

#[test]
fn nothing_is_overwritten_without_force() {
    let place = Place::new();
    place.build("a.anther", "old\n");
    let old = place.read("a.anther");
    // It refuses before it reads: the list that does not exist is not even missed.
    place.run("build a.anther missing.txt").fails(&["a.anther: exists already; --force"]);
    assert_eq!(place.read("a.anther"), old);
    place.run_on("build a.anther --force", "new\n").code(0);
    place.run("check a.anther new").code(0);
    place.run("check a.anther old").code(1);

    place.write("words.txt", "word\n");
    place.run("build words.txt").fails(&["words.txt: exists already", "comes first"]);
    place
        .run("build words.txt words.txt -f")
        .fails(&["words.txt: exists already and is not a filter"]);
    place
        .run_on("build words.txt -f", "")
        .fails(&["words.txt: exists already and is not a filter"]);
    assert_eq!(place.read("words.txt"), b"word\n");
    place.run("build a.anther a.anther -f").fails(&["a.anther"]);
    // A damaged filter is still one, and is to be rebuilt.
    place.write("a.anther", &place.read("a.anther")[..40]);
    place.run_on("build a.anther -f", "new\n").code(0);
}

#[test]
fn trouble_is_named_before_anything_is_written() {
    let place = Place::new();
    place.write("words.txt", "word\n");
    fs::create_dir(place.join("folder")).unwrap();
    for (arguments, parts) in [
        ("x.anther missing.txt", &["missing.txt: no such file"][..]),
        ("x.anther words.txt missing.txt", &["missing.txt: no such file"]),
        ("x.anther folder", &["folder: is a folder"]),
        ("folder words.txt --force", &["folder: is a folder; name a file"]),
        ("nowhere/x.anther words.txt", &["nowhere: no such folder"]),
        ("words.txt/x.anther words.txt", &["words.txt: "]),
        ("- words.txt", &["-: filters cannot be written to standard output"]),
        ("x.anther words.txt --fpr 0", &["rate of 0", "below 1"]),
        ("x.anther words.txt --fpr 1", &["did you mean 1%?"]),
        ("x.anther words.txt --fpr 200%", &["rate of 2", "below 1"]),
        ("x.anther words.txt --fpr nan", &["--fpr", "such as 1%"]),
        ("x.anther words.txt --fpr 1e-9", &["blocked cannot reach", "1e-9", "classic"]),
        ("x.anther words.txt --items 0", &["0 items are not possible"]),
        ("x.anther words.txt --items many", &["--items", "such as 58110"]),
        ("x.anther words.txt --items 1e14 --fpr 1e-4", &["fewer items"]),
        ("x.anther words.txt --memory lots", &["--memory", "such as 64MiB"]),
        ("x.anther words.txt --seed -1", &["--seed", "a whole number"]),
        ("x.anther words.txt --fpr -0.1", &["rate of -0.1", "below 1"]),
        ("x.anther words.txt --items -5", &["--items", "a whole number"]),
        ("x.anther words.txt --delimiter ;", &["--delimiter needs --column"]),
        ("x.anther words.txt --column 0", &["columns are numbered from 1"]),
        ("x.anther words.txt --column 1 --delimiter ab", &["one ASCII character"]),
        ("x.anther words.txt --colunm 1", &["--colunm", "--column"]),
    ] {
        place.run(&format!("build {arguments}")).fails(parts);
        assert_eq!(place.names(), ["folder", "words.txt"], "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_found_before_reading() {
    let place = Place::new();
    // Nobody can write there, not even root.
    place.run("build /proc/x.anther missing.txt").fails(&["/proc: cannot write there"]);
}

#[cfg(unix)]
#[test]
fn unreadable_input_leaves_nothing() {
    let place = Place::new();
    place.write("words.txt", "word\n");
    std::os::unix::fs::symlink("loop", place.join("loop")).unwrap();
    place.run("build x.anther words.txt loop").fails(&["loop: cannot read"]);
    assert_eq!(place.names(), ["loop", "words.txt"]);
}

/// Records that many threads read keep their order and their numbers.
#[test]
fn a_bad_record_far_on_has_its_number() {
    let place = Place::new();
    let many = "cafe0123456789\n".repeat(100_000);
    place.write("first.txt", &many);
    place.write("second.txt", format!("{many}wrong\n{many}"));
    for items in ["", "--items 10"] {
        let ran = place.run(&format!("build x.anther first.txt second.txt --hex {items}"));
        ran.fails(&["second.txt: line 100001: not hexadecimal"]);
    }
    let named = format!("id,name\n{}", "1,x\n".repeat(200_000));
    let ran = place.run_on("build x.anther --column name", format!("{named}2\n"));
    ran.fails(&["standard input: line 200002: no column 2"]);
    assert_eq!(place.names(), ["first.txt", "second.txt"]);
}

#[test]
fn threads_and_order_do_not_change_the_file() {
    let place = Place::new();
    let lines: Vec<String> = (0..200_000).map(|i| format!("key number {i}\n")).collect();
    let backwards: String = lines.iter().rev().map(String::as_str).collect();
    place.write("keys.txt", lines.concat());
    place.write("back.txt", backwards);
    for kind in ["blocked", "classic", "split", "compressed", "counting", "quotient"] {
        place.build(&format!("a.anther -f --kind {kind} --items 200k keys.txt"), "");
        place.build(&format!("b.anther -f --kind {kind} --items 200k back.txt"), "");
        place.build(&format!("c.anther -f --kind {kind} keys.txt"), "");
        assert!(place.read("a.anther") == place.read("b.anther"), "{kind}");
        assert!(place.read("a.anther") == place.read("c.anther"), "{kind}, counted first");
    }
}

#[test]
fn a_bad_record_is_named_and_nothing_is_written() {
    let place = Place::new();
    place.write("list.txt", "cafe\n00\nnot hex\n");
    place.run("build x.anther list.txt --hex").fails(&["list.txt: line 3: not hexadecimal"]);
    place.write("list.csv", "a,b\nc\n");
    let ran = place.run("build x.anther list.csv --column 2");
    ran.fails(&["list.csv: line 2: no column 2", "only 1"]);
    let ran = place.run("build x.anther list.csv --column mail");
    ran.fails(&["list.csv: line 1", "has no column \"mail\""]);
    place.write("list.nul", "ab\0cd\0x\0");
    let ran = place.run("build x.anther list.nul --hex -0 --items 5");
    ran.fails(&["list.nul: record 3: not hexadecimal"]);
    let ran = place.run_on("build x.anther --column 1", "\"open,\n");
    ran.fails(&["standard input: line 1: a quoted field"]);
    assert_eq!(place.names(), ["list.csv", "list.nul", "list.txt"]);
}

#[test]
fn a_long_line_and_a_last_line_without_end_are_keys() {
    let place = Place::new();
    let long = "x".repeat(1 << 20);
    place.build("a.anther", format!("{long}\nlast"));
    place.run("check a.anther last").code(0);
    place.run_on("check -c a.anther", &long).code(0).prints("1\n");
    place.run_on("check -c a.anther", &long[1..]).code(1).prints("0\n");
}
