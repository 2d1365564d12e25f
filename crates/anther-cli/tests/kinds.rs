//! Every kind, through the program.

mod support;

use anther::{Kind, Options};
use support::Place;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// A value that every kind with the option takes.
fn value(option: &str) -> &'static str {
    match option {
        "counter-bits" => "5",
        "increments" => "D4",
        "regions" => "16",
        "window" => "500",
        "misses" => "20%",
        "over" => "classic",
        "growth" => "3",
        "tightening" => "0.7",
        "method" => "increase",
        "expansion" => "3",
        other => unreachable!("{other}: say what it may be"),
    }
}

#[test]
fn every_kind_is_built_described_and_asked() {
    let place = Place::new();
    for &kind in Kind::ALL {
        let can = kind.capabilities();
        for (name, items) in [("counted", ""), ("streamed", " --items 2000")] {
            let file = format!("{kind}-{name}.anther");
            let build = format!("build {file} --kind {kind}{items}");
            let ran = place.run_on(&build, lines(0..2000)).code(0);
            ran.says(&[&format!("{kind} filter"), "2,000 read"]);

            let words = place.run(&format!("info {file}")).code(0);
            let text = String::from_utf8(words.out.clone()).unwrap();
            assert!(text.contains(kind.name()) && text.contains("made for 2,000"), "{text}");
            assert_eq!(text.contains("it may forget"), !can.no_false_negatives, "{text}");
            let info = place.run(&format!("info {file} --json")).code(0).json();
            assert_eq!(info["may_forget"], !can.no_false_negatives, "{kind}");
            assert_eq!(info["kind"], kind.name());
            assert!(info["parameters"].as_object().is_some_and(|all| !all.is_empty()), "{kind}");

            let count = |range| {
                let ran = place.run_on(&format!("check -c {file}"), lines(range));
                String::from_utf8(ran.out).unwrap().trim().parse::<u32>().unwrap()
            };
            let (present, absent) = (count(0..2000), count(10_000..12_000));
            assert!(present == 2000 || !can.no_false_negatives, "{kind}: {present}");
            assert!(present > 1700, "{kind}: {present}");
            // 20 are due at 1 %; six deviations more are 27.
            assert!(absent < 47, "{kind}: {absent}");
        }
    }
}

/// A kind takes its options and names the owners of others'.
#[test]
fn options_belong_to_kinds() {
    let place = Place::new();
    for &kind in Kind::ALL {
        for option in Options::ALL {
            let mut command = format!(
                "build {kind}-{option}.anther --kind {kind} --items 500 --{option} {}",
                value(option)
            );
            // Only layers of counters have counters.
            if (kind, *option) == (Kind::Scalable, "counter-bits") {
                place.run(&command).fails(&["blocked has no option counter-bits"]);
                command += " --over counting";
            }
            let ran = place.run_on(&command, lines(0..100));
            if kind.options().contains(option) {
                ran.code(0);
            } else {
                ran.fails(&[kind.name(), "has no option", option]);
            }
        }
    }
}

#[test]
fn kinds_without_keys_say_no() {
    let place = Place::new();
    for &kind in Kind::ALL {
        place.build(&format!("{kind}.anther --kind {kind}"), "");
        place.run(&format!("check {kind}.anther anything")).code(1).prints("no\tanything\n");
    }
}

/// The same input gives the same file, whatever the kind.
#[test]
fn builds_repeat_themselves() {
    let place = Place::new();
    for &kind in Kind::ALL {
        for name in ["a", "b"] {
            place.build(&format!("{name}.anther --kind {kind} --force"), lines(0..1000));
        }
        assert_eq!(place.read("a.anther"), place.read("b.anther"), "{kind}");
    }
}

#[test]
fn the_help_names_every_kind_and_those_that_forget() {
    let place = Place::new();
    let help = String::from_utf8(place.run("build --help").code(0).out).unwrap();
    for &kind in Kind::ALL {
        assert!(help.contains(kind.name()) && help.contains(kind.purpose()), "{kind}");
        assert!(!kind.purpose().is_empty() && kind.purpose().len() <= 60, "{kind}");
        if !kind.capabilities().no_false_negatives {
            assert!(kind.purpose().contains("forgets"), "{kind}");
        }
    }
    let short = String::from_utf8(place.run("build -h").code(0).out).unwrap();
    assert!(short.lines().count() <= 40, "one screen");
}
