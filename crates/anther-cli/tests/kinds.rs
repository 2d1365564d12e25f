//! Every kind, through the program.

use crate::support::{self, Place};
use anther::{Kind, Options};

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// Keys as a kind takes them: with values where it keeps some.
fn input(kind: Kind, range: std::ops::Range<u32>) -> String {
    match kind.capabilities().values {
        true => range.map(|number| format!("key {number}\t{}\n", number % 7)).collect(),
        false => lines(range),
    }
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
        "arity" => "4",
        "value-bits" => "12",
        "bucket-size" => "8",
        "others" => "5000",
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
            let build = format!("build {file} {}{items} --fpr 1%", support::of_kind(kind));
            let ran = place.run_on(&build, input(kind, 0..2000)).code(0);
            let read = if can.no_false_negatives { "of 2,000 read" } else { "2,000 keys read" };
            ran.says(&[&format!("{kind} filter"), read]);

            let words = place.run(&format!("info {file}")).code(0);
            let text = String::from_utf8(words.out.clone()).unwrap();
            assert!(text.contains(kind.name()) && text.contains("made for 2,000"), "{text}");
            assert_eq!(text.contains("because it forgets keys"), !can.no_false_negatives, "{text}");
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
        for option in Options::TABLE.iter().map(|option| &option.name) {
            // A window is the number of items.
            let items = if *option == "window" { "" } else { " --items 500" };
            let mut command = format!(
                "build {kind}-{option}.anther {}{items} --{option} {}",
                support::of_kind(kind),
                value(option)
            );
            // Known only when the other list has been read.
            if (kind, *option) == (Kind::Cascade, "others") {
                place.run_on(&command, lines(0..100)).fails(&["--others: is for anther plan"]);
                let plan = place.run("plan --kind cascade --items 500 --others 5000 --json");
                assert!(
                    plan.code(0).json()["bits"].as_u64() > Some(2500),
                    "more than five bits each"
                );
                continue;
            }
            // Only layers of counters have counters.
            if (kind, *option) == (Kind::Scalable, "counter-bits") {
                place.run(&command).fails(&["layers of kind blocked have no option counter-bits"]);
                command += " --over counting";
            }
            let ran = place.run_on(&command, input(kind, 0..100));
            if kind.options().contains(option) {
                ran.code(0);
                // The plan tells the same, and with the same words.
                let said = command.split_once(".anther").map_or("", |(_, said)| said);
                let plan = place.run(&format!("plan{said} --json"));
                let build = plan.code(0).json()["command"].clone();
                for word in said.split_whitespace().filter(|word| word.starts_with("--")) {
                    assert!(build.as_str().unwrap().contains(word), "{build} without {word}");
                }
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
        place.build(&format!("{kind}.anther {}", support::of_kind(kind)), "");
        place.run(&format!("check {kind}.anther anything")).code(1).prints("no\tanything\n");
    }
}

/// The same input gives the same file, whatever the kind.
#[test]
fn builds_repeat_themselves() {
    let place = Place::new();
    for &kind in Kind::ALL {
        for name in ["a", "b"] {
            let options = support::of_kind(kind);
            place.build(&format!("{name}.anther {options} --force"), input(kind, 0..1000));
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

/// What a user meets who takes a kind for what it is not.
#[test]
fn kinds_warn_of_what_they_cannot_do() {
    let place = Place::new();
    let thrice = lines(0..2000).repeat(3);
    let ran = place.run_on("build v.anther --kind variable-increment --items 2000", &thrice);
    ran.code(0).says(&["warning", "stores every copy of a repeated key"]);
    let ran = place.run_on("build v.anther --force --kind variable-increment", &thrice).code(0);
    ran.says(&["warning", "insert each key once (build --distinct without --items)"]);
    let distinct = "build v.anther --force --kind variable-increment --distinct";
    let ran = place.run_on(distinct, &thrice).code(0);
    assert!(!ran.err.contains("warning"), "the advice works: {}", ran.err);

    let ran = place.run_on("build g.anther --kind generalized --items 100", lines(0..2000));
    ran.code(0).says(&["warning", "2,000 keys were inserted, but it was made for 100"]);
    let ran = place.run_on("check -v g.anther", lines(0..10));
    ran.says(&["a generalized filter forgets keys, so a no is not certain"]);

    // Regions depend on how many keys come.
    place.run_on("build d.anther --kind deletable --regions 5000", lines(0..2000)).code(0);
    let words = place.run("info d.anther").code(0);
    assert!(String::from_utf8_lossy(&words.out).contains("% of the keys can be removed"));

    // A row full of ones is not the end where signatures still tell keys apart.
    let ran = place.run_on("build f.anther --kind floom --regions 20", lines(0..2000)).code(0);
    assert!(!ran.err.contains("warning"), "{}", ran.err);

    for kind in ["stable", "aging"] {
        let build = format!("build s.anther --force --kind {kind} --window 100");
        place.run_on(&build, lines(0..2000)).code(0);
        let info = place.run("info s.anther --json").code(0).json();
        assert_eq!(info["items_target"], 100, "it is made for the window");
    }
    place.run_on("add s.anther --grow", lines(0..10)).fails(&["an aging filter cannot double"]);

    let ran = place.run_on("build c.anther --kind compressed", lines(0..2000)).code(0);
    let info = place.run("info c.anther --json").code(0).json();
    let (sent, bits) = (info["bits_sent"].as_f64().unwrap(), info["bits"].as_f64().unwrap());
    assert!((8.0..9.5).contains(&(sent / 2000.0)) && bits > 1.9 * sent, "{info}");
    ran.says(&["more in the file"]);

    let info = |options: &str| {
        place.run_on(&format!("build m.anther --force {options}"), lines(0..50)).code(0);
        place.run("info m.anther --json").code(0).json()["parameters"].clone()
    };
    assert_eq!(info("--kind spectral --method recurring")["method"], "recurring");
    assert_eq!(info("--kind scalable --over counting")["over"], "counting");
}

#[test]
fn past_queries_make_a_table() {
    let place = Place::new();
    place.write("keys.txt", lines(0..5000));
    // Ten keys that are not in take nine tenths of the queries.
    let mut queries = lines(9000..9010).repeat(180);
    queries += &lines(10_000..10_200);
    place.write("queries.txt", &queries);
    place.run("build w.anther keys.txt --kind weighted --hot queries.txt").code(0);
    let info = place.run("info w.anther --json").code(0).json();
    assert_eq!(info["parameters"]["hot.keys"], 10, "{info}");
    place.run_on("check -c w.anther", lines(0..5000)).code(0).prints("5000\n");

    place.write("rare.txt", lines(10_000..10_200));
    let ran = place.run("build w.anther --force keys.txt --kind weighted --hot rare.txt").code(0);
    ran.says(&["no key of rare.txt is frequent enough for a table"]);
    place
        .run("build x.anther keys.txt --hot queries.txt")
        .fails(&["--hot is an option of weighted", "--kind weighted"]);
    place.run("build x.anther keys.txt --kind weighted --hot none.txt").fails(&["none.txt"]);
    place.run("build x.anther keys.txt --kind weighted --hot-keys 5").fails(&["--hot"]);
}

/// The queries are a list of their own, with an option of their own.
#[test]
fn networks_are_not_queries() {
    let place = Place::new();
    place.write("list.txt", "10.0.0.0/8\n172.16.0.0/12\n192.0.2.0/24\n203.0.113.7\n");
    place.write("queries.txt", "198.51.100.1\n198.51.100.1\n198.51.100.0/24\n");
    let build = "build w.anther list.txt --as ip --kind weighted --hot queries.txt";
    place.run(build).fails(&["line 3: ", "a network stands for many", "--hot takes single"]);
    place.write("queries.txt", "198.51.100.1\n198.51.100.1\n");
    place.run(build).code(0).says(&["3 entries stand for what is below them"]);
}

#[test]
fn numbers_that_are_none_are_explained() {
    let place = Place::new();
    for (options, words) in [
        ("--kind counting --counter-bits -1", "must be a whole number"),
        ("--kind counting --counter-bits abc", "must be a whole number"),
        ("--kind scalable --tightening abc", "must be a number"),
        ("--kind scalable --tightening -1", "cannot be -1; it can be 0.1 to 0.95"),
        ("--kind stable --misses 1e-300", "cannot be 1e-300"),
        ("--kind compressed --expansion NaN", "cannot be NaN"),
        ("--kind scalable --counter-bits 4", "layers of kind blocked have no option counter-bits"),
    ] {
        place.run(&format!("build x.anther {options}")).fails(&[words]);
    }
}
