//! `anther count`.

use crate::support::Place;
use anther::{AnyFilter, Kind, Seed, Target};
use serde_json::json;

const KEYS: &str = "one\ntwo\ntwo\nthree\nthree\nthree\nnaïve 🌸\n";

/// A filter at a rate at which no test meets a false positive.
fn counted(options: &str) -> Place {
    let place = Place::new();
    place.build(&format!("f.anther --fpr 1e-6 {options}"), KEYS);
    place
}

#[test]
fn every_kind_that_counts_does() {
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().count) {
        let place = counted(&format!("--kind {kind}"));
        let ran = place.run("count f.anther one three two four").code(0);
        let ran = ran.prints("1\tone\n3\tthree\n2\ttwo\n0\tfour\n");
        // Three is as far as this one counts.
        let warns = ran.err.contains("1 counter is at its maximum");
        assert_eq!(warns, kind == Kind::DLeft, "{}", ran.err);
        place.run("count f.anther four five").code(1).prints("0\tfour\n0\tfive\n");
    }
}

#[test]
fn lines_are_answered_as_they_came() {
    let place = counted("--kind spectral");
    let input = b"three\r\nfour\n\n\xff\ntwo";
    let answers = b"3\tthree\r\n0\tfour\n0\t\xff\n2\ttwo\n";
    place.run_on("count f.anther", input).code(0).prints(answers);
    place.run_on("count f.anther --map", input).code(0).prints(answers);
    place.run_on("count f.anther", "four\n").code(1).prints("0\tfour\n");
    place.run_on("count f.anther", "").code(1).prints("");
    place.run_on("count f.anther", "naïve 🌸\n").code(0).prints("1\tnaïve 🌸\n");

    place.build("nul.anther --kind counting -0 --fpr 1e-6", "a\0a\0b\n\0");
    place.run_on("count nul.anther", "a\0b\n\0c").code(0).prints("2\ta\x001\tb\n\x000\tc\0");

    // A new column, with a name as the others.
    place.build("csv.anther --kind counting --column k --fpr 1e-6", "k,v\nx,1\nx,2\n");
    place
        .run_on("count csv.anther", "v,k\n7,x\n8,y\n")
        .code(0)
        .prints("count\tv,k\n2\t7,x\n0\t8,y\n");
    place.run("count csv.anther x").code(0).prints("2\tx\n");
}

#[test]
fn json_has_a_line_an_answer() {
    let place = counted("--kind cuckoo");
    let answers = place.run("count f.anther two four --json").code(0).json_lines();
    assert_eq!(answers, [json!({"key": "two", "count": 2}), json!({"key": "four", "count": 0})]);
    let answers = place.run_on("count f.anther --json", b"three\r\n\xff").code(0).json_lines();
    assert_eq!(answers[0], json!({"line": 1, "record": "three", "count": 3}));
    assert_eq!(answers[1], json!({"line": 2, "record": "\u{fffd}", "bytes_hex": "ff", "count": 0}));
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let place = counted("--kind blocked");
    let ran = place.run("count f.anther one");
    ran.fails(&["f.anther: a blocked filter cannot count", "counting, ", "spectral", "rebuild"]);
    place.run("count none.anther one").fails(&["none.anther: no such file"]);
    place.build("hex.anther --kind counting --hex", "00\n");
    place.run("count hex.anther 00 xyz").fails(&["xyz: not hexadecimal"]);
    place
        .run_on("count hex.anther", "xyz\n")
        .fails(&["standard input: line 1: \"xyz\": not hexadecimal"]);
    place.run("count hex.anther --ignore-case 00").fails(&["--ignore-case contradicts the filter"]);
    place.run("count").fails(&["FILTER"]);
}

#[test]
fn counters_at_their_end_are_warned_of() {
    let place = Place::new();
    let hot = "hot\n".repeat(300);
    place.build("c.anther --kind counting", &hot);
    let ran = place.run("count c.anther hot").code(0).prints("15\thot\n");
    ran.says(&["counters are at their maximum, so counts may be too low", "--counter-bits"]);
    place.build("q.anther --kind quotient", &hot);
    let ran = place.run("count q.anther hot").code(0).prints("300\thot\n");
    assert_eq!(ran.err, "");
}

/// The help and the library agree on how far each kind counts, and so does the kind itself.
#[test]
fn help_names_the_maximum_of_every_kind() {
    let place = Place::new();
    let help = String::from_utf8(place.run("count --help").code(0).out).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().count) {
        let most = kind.max_count().unwrap();
        let says = match most {
            u64::MAX => format!("{kind} has none"),
            most => format!("{most} in {kind}"),
        };
        assert!(help.contains(&says), "{says}: {help}");
        let target = Target::new(1000, 0.01).unwrap();
        let mut filter = AnyFilter::new(kind, target, Seed::FIXED).unwrap();
        let inserted = (0..400).take_while(|_| filter.insert("x").is_ok()).count() as u64;
        assert_eq!(filter.count("x"), Ok(inserted.min(most)), "{kind}");
        assert!(inserted == 400 || inserted == most, "{kind}: {inserted}");
    }
}

/// What the warning says can be pasted.
#[test]
fn advice_about_counters_fits_the_kind() {
    let place = Place::new();
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().count) {
        if matches!(kind, Kind::Cuckoo | Kind::Quotient) {
            continue;
        }
        place.build(&format!("f --force --kind {kind}"), "hot\n".repeat(300));
        let said = place.run("count f hot").code(0).err;
        let wider = kind.options().contains(&"counter-bits");
        assert_eq!(said.contains("rebuild with more --counter-bits"), wider, "{kind}: {said}");
        assert!(said.contains("--kind quotient"), "{kind}: {said}");
        let said = place.run_on("remove f", "hot\n").code(0).err;
        assert!(said.contains("1 could not be removed: all their counters are stuck at"), "{said}");
        assert_eq!(said.contains("rebuild with more --counter-bits"), wider, "{kind}: {said}");
        if wider {
            place.build(&format!("f --force --kind {kind} --counter-bits 16"), "hot\n".repeat(300));
            place.run("count f hot").code(0).prints("300\thot\n");
        }
    }
}
