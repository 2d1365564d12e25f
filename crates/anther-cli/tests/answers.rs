//! What the program says about filters is true, and its advice works when pasted.

use crate::support::{Place, Ran};
use anther::Kind;
use std::ops::Range;

fn lines(range: Range<u32>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

/// The number of keys that a message names, after `about` or `at least`.
#[track_caller]
fn about(said: &str) -> u64 {
    let rest = said.split_once("about ").map_or(said, |(_, rest)| rest);
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    number.replace(',', "").parse().expect(said)
}

/// The number after an option that a message recommends.
#[track_caller]
fn advised(ran: &Ran, option: &str) -> String {
    let (_, rest) = ran.err.split_once(&format!("{option} ")).expect(&ran.err);
    rest.chars().take_while(char::is_ascii_digit).collect()
}

#[test]
fn repeated_keys_do_not_raise_the_number_of_keys() {
    let place = Place::new();
    place.build("f", lines(0..10_000));
    let mut before = None;
    for keys in [lines(0..30), lines(0..30), lines(300..400)] {
        let said = place.run_on("add f", keys).code(0).says(&["0 new keys of "]).err;
        let now = about(&said);
        assert!(now.abs_diff(10_000) < 100, "{said}");
        assert_eq!(*before.get_or_insert(now), now, "the cells did not change: {said}");
        assert_eq!(place.run("info f --json").json()["items"], now);
    }
    // Merged with a filter of keys that it has.
    place.build("a --items 10k", lines(0..9_000));
    place.build("b --items 10k", lines(0..50));
    assert!(about(&place.run("merge both a b").code(0).err).abs_diff(9000) < 100);
    assert_ne!(place.run("info both --json").json()["items"], 9050);
}

#[test]
fn removed_keys_lower_the_number_of_keys() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| kind.capabilities().remove) {
        place.build(&format!("f --force --kind {kind}"), lines(0..10_000));
        let before = place.run("info f --json").json();
        let said = place.run_on("remove f", lines(0..100)).code(0).err;
        let now = place.run("info f --json").json();
        let number = |name: &str| now[name].as_f64().unwrap();
        assert_eq!(about(said.split_once(" removed").unwrap().1), now["items"], "{said}");
        assert!(now["items"].as_u64() < before["items"].as_u64(), "{kind}: {now}");
        assert!(number("items") < 10_000.0 && number("items_error") > 0.0, "{kind}: {said}");
    }
}

/// Removing leaves bits behind that look like keys.
#[test]
fn what_a_deletable_filter_holds_is_only_bounded() {
    let place = Place::new();
    place.build("d --kind deletable", lines(0..1000));
    let ran = place.run_on("remove d", lines(0..1000)).code(0);
    ran.says(&["could not be removed; at most about "]);
    let table = String::from_utf8(place.run("info d").code(0).out).unwrap();
    assert!(table.contains("keys     at most about "), "{table}");
}

#[test]
fn copies_are_named_where_they_are_the_cause() {
    let place = Place::new();
    for copies in [2, 5] {
        place.write("list", lines(0..1000).repeat(copies));
        for items in ["", "--items 1080"] {
            let ran = place.run(&format!("build --force v list --kind variable-increment {items}"));
            ran.code(0).says(&["warning: v: false-positive rate now", "build --distinct without"]);
        }
        let ran = place.run("build --force v list --kind variable-increment --distinct").code(0);
        assert!(!ran.err.contains("warning"), "{}", ran.err);

        place.build("d --force list --kind deletable", "");
        let ran = place.run_on("remove d", lines(0..1000)).code(0);
        let said = ran.says(&["inserted more than once share all", "rebuild with --distinct"]).err;
        assert!(!said.contains("--regions"), "{said}");
        place.build("d --force list --kind deletable --distinct", "");
        let ran = place.run_on("remove d", lines(0..1000)).code(0).says(&["with more --regions"]);
        assert!(!ran.err.contains("more than once"), "{}", ran.err);
    }
}

#[test]
fn a_full_filter_names_its_cause() {
    let place = Place::new();
    place.write("different", lines(0..20_000));
    place.write("repeated", lines(0..2000).repeat(5));
    for kind in ["cuckoo", "quotient", "dleft"] {
        let ran = place.run(&format!("build --force f different --kind {kind} --items 100"));
        let ran = ran.fails(&["it was made for 100 keys, and more came; give a larger --items"]);
        assert!(!ran.err.contains("copy"), "{}", ran.err);
        place.build(&format!("--force f different --kind {kind}"), "");
    }
    let ran = place.run("build g repeated --kind cuckoo --items 2000");
    ran.fails(&["every copy of a repeated key takes space", "--distinct instead of --items"])
        .says(&["--kind quotient without --items"]);
    place.build("g repeated --kind cuckoo --distinct", "");
    place.build("--force g repeated --kind quotient", "");
}

#[test]
fn headroom_is_advised_only_where_it_gives_one_size() {
    let place = Place::new();
    place.write("a.txt", lines(0..2000));
    place.write("b.txt", lines(1000..4001));
    place.build("a a.txt", "");
    place.build("b b.txt --items 2000", "");
    let ran = place.run("merge m a b").code(0).says(&["warning: m: about 4,0"]);
    assert!(!ran.err.contains("--headroom"), "{}", ran.err);
    let items = advised(&ran, "with --items");
    for part in ["a", "b"] {
        place.build(&format!("--force {part} {part}.txt --items {items}"), "");
    }
    let ran = place.run("merge --force --strict m a b").code(0);
    assert!(!ran.err.contains("warning"), "{}", ran.err);
}

#[test]
fn a_saturated_filter_holds_at_least_so_many_keys() {
    let place = Place::new();
    place.write("list", lines(0..60_000));
    for (kind, items) in [("classic", 300), ("floom", 300), ("floom", 2000), ("blocked", 100)] {
        let build = format!("build --force f list --kind {kind} --items");
        let ran = place.run(&format!("{build} {items}")).code(0);
        assert!(ran.err.contains("f: at least "), "{}", ran.err);
        let enough = advised(&ran, "rebuild with --items");
        assert_eq!(enough, "60000", "{}", ran.err);
        let table = String::from_utf8(place.run("measure f --random 1000").out).unwrap();
        assert!(table.contains("; it holds at least "), "{table}");
        assert_eq!(place.run("measure f --random 1000 --json").json()["saturated"], true);
        assert_eq!(place.run("info f --json").json()["saturated"], true);
        let ran = place.run(&format!("{build} {enough}")).code(0);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
    }
    assert_eq!(place.run("measure f --random 1000 --json").json()["saturated"], false);
}

/// The warning and the summary beside it count the same keys, and no more than were read.
#[test]
fn an_overfull_filter_is_as_full_as_it_says() {
    let place = Place::new();
    for (keys, items, percent) in [(60_000, 20_000, 300), (1000, 100, 1000)] {
        let ran = place.run_on(&format!("build --force f --items {items}"), lines(0..keys)).code(0);
        let full = advised(&ran, "filter is");
        assert_eq!(full.parse::<u64>().unwrap(), about(&ran.err) * 100 / items, "{}", ran.err);
        assert!(full.parse::<u64>().unwrap() <= percent, "{}", ran.err);
        assert!(advised(&ran, "--items").parse::<u32>().unwrap() <= keys, "{}", ran.err);
    }
}

#[test]
fn options_without_effect_are_refused() {
    let place = Place::new();
    place.build("f --items 10", "x\n");
    place.run("build s --kind stable --window 1000 --items 50").fails(&["--items: a stable"]);
    place.run("plan --kind stable --window 1000 --items 50").fails(&["--items: not with --window"]);
    for option in ["--skip-malformed", "--binary", "--keep-empty", "--header"] {
        for verb in ["build new", "add f", "remove f", "check f"] {
            let parts = [option, "is for inputs, and all keys are arguments"];
            place.run(&format!("{verb} -k x {option}")).fails(&parts);
        }
    }
    place.run("build new --items 10 --memory 5M").fails(&["--memory: is for counting keys"]);
    place.build("r --kind ribbon --items 10 --memory 5M", "x\n");
    let ran = place.run_on("build d --distinct", "x\n").code(0);
    ran.says(&["--distinct: a blocked filter has each key once in any case"]);
    let ran = place.run_on("build c --kind counting --distinct", "x\n").code(0);
    assert!(!ran.err.contains("in any case"), "{}", ran.err);
}

/// A window is the number of keys: they need not be kept in memory to be counted.
#[test]
fn a_window_is_planned_and_built() {
    let place = Place::new();
    let plan = place.run("plan --kind stable --window 1000 --json").code(0).json();
    assert_eq!(plan["items"], 1000);
    let command = plan["command"].as_str().unwrap().replace("OUT.anther IN", "a");
    place.run_on(command.strip_prefix("anther ").unwrap(), lines(0..5000)).code(0);
    place.build("b --kind stable --items 1000", lines(0..5000));
    assert_eq!(place.read("a"), place.read("b"));
}

#[test]
fn a_static_filter_was_made_for_its_keys() {
    let place = Place::new();
    place.write("list", lines(0..20_000));
    place.write("pairs", (0..20_000).map(|key| format!("{key}\t1\n")).collect::<String>());
    for (kind, list) in [("ribbon", "list"), ("fuse", "list"), ("bloomier", "pairs")] {
        let costs = |items: &str| {
            let build = format!("build --force f {list} --kind {kind} {items}");
            let said = place.run(&build).code(0).err;
            let info = place.run("info f --json").code(0).json();
            assert_eq!((&info["items"], &info["items_target"]), (&20_000.into(), &20_000.into()));
            // A line of its own says that such a kind has no use for --items.
            let costs = said.split_once("; --fpr").unwrap().1;
            costs.lines().next().unwrap().to_string()
        };
        assert_eq!(costs("--items 300"), costs(""), "{kind}");
        assert_eq!(costs("--items 300k"), costs(""), "{kind}");
    }
}

#[test]
fn a_stream_shorter_than_its_window_is_not_said_to_be_longer() {
    let place = Place::new();
    for kind in ["stable", "generalized"] {
        let build = format!("build --force f --kind {kind} --items 10");
        let ran = place.run_on(&build, "x\n").code(0);
        ran.says(&["f: 1 key read; it keeps about the latest 10;"]);
        let ran = place.run_on(&build, lines(0..11)).code(0);
        ran.says(&["f: 11 keys read, of which it keeps about the latest 10;"]);
    }
}

#[test]
fn one_is_one_key() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| {
        let can = kind.capabilities();
        can.insert && can.no_false_negatives
    }) {
        let said = place.run_on(&format!("build --force f --kind {kind} --items 10"), "x\n").err;
        assert!(said.contains("1 distinct key of 1 read"), "{said}");
    }
    place.build("two --column 1 --column 2", "a,b\n");
    place.run_on("add two --column 1", "a\n").fails(&["has 2 columns, but 1 would be read;"]);
}

#[test]
fn a_small_filter_reads_the_cache_lines_that_it_has() {
    let place = Place::new();
    let said =
        |items| String::from_utf8(place.run(&format!("plan --items {items}")).code(0).out).unwrap();
    assert!(said(10).contains("and one cache line per lookup, as in blocked"), "{}", said(10));
    assert!(said(100).contains("but up to 2 cache lines per lookup"), "{}", said(100));
    assert!(said(1000).contains("but up to 7 cache lines per lookup"), "{}", said(1000));
}

#[test]
fn tables_of_plan_have_colours() {
    let place = Place::new();
    for plan in ["plan --items 10", "plan --all", "plan --table", "plan --remove"] {
        let bare = String::from_utf8(place.run(plan).code(0).out).unwrap();
        let ran = place.run(&format!("{plan} --color always")).code(0);
        let coloured = String::from_utf8(ran.out).unwrap();
        assert!(!bare.contains('\u{1b}') && coloured.contains('\u{1b}'), "{plan}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), bare);
    }
}

/// Standard input can be read only once; the other files are read all the same.
#[test]
fn standard_input_twice_hides_no_other_file() {
    let place = Place::new();
    place.build("f", "x\n");
    let again = "standard input: can be only one of the filters";
    for verb in ["info", "verify"] {
        let ran = place.run_on(&format!("{verb} --json - f -"), place.read("f")).code(2);
        let ran = ran.says(&[again]);
        let files: Vec<_> = ran.json_lines().iter().map(|line| line["file"].clone()).collect();
        assert_eq!(files, ["-", "f", "-"], "{verb}");
        assert!(ran.json_lines()[2]["error"].as_str().unwrap().starts_with("can be only one"));
        assert!(ran.json_lines()[1]["kind"] == "blocked");
    }
}

#[test]
fn names_in_the_wrong_place_are_noticed() {
    let place = Place::new();
    place.write("list.txt", "one\n");
    place.build("f.anther", "one\n");
    place.build("c.anther --kind counting", "one\n");
    let cause = "list.txt: is not a filter, but f.anther is one, and comes first";
    place.run("check list.txt f.anther").fails(&[cause, ": f.anther -f list.txt"]);
    place.run("check f.anther -f list.txt").code(0).prints("one\n");
    place.run("count list.txt c.anther").fails(&["c.anther is one, and comes first"]);
    place.run("check list.txt two").fails(&["list.txt: not an anther filter"]);
    let ran = place.run("build f.anther list.txt -o g.anther");
    ran.fails(&["f.anther: is a filter, and with -o g.anther all names are lists of keys"]);
}
