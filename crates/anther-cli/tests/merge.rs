//! `anther merge`.

use crate::support::Place;
use anther::{Blocked, Seed, Target};

#[test]
fn the_parts_make_the_whole_byte_for_byte() {
    let place = Place::new();
    place.build("a --items 100", "one\ntwo\n");
    place.build("b --items 100", "three\n");
    place.build("c --items 100", "four\n");
    place.build("whole --items 100", "one\ntwo\nthree\nfour\n");
    let ran = place.run("merge merged a b c").code(0).prints("");
    ran.says(&[
        "merged: 3 filters merged",
        "about 4 distinct keys",
        "false-positive rate",
        "now, target 1 %",
    ]);
    assert_eq!(place.read("merged"), place.read("whole"));
    let ran = place.run("merge other a b --json --quiet").code(0);
    assert_eq!(ran.err, "");
    assert_eq!(ran.json()["file"], "other");
    assert_eq!(ran.json()["merged"], 2);
    assert_eq!(ran.json()["inserted"], 3);
    assert_eq!(ran.json()["kind"], "blocked");
}

#[test]
fn checksums_of_pages_are_kept_or_added() {
    let place = Place::new();
    place.build("a --items 100 --pages", "one\ntwo\n");
    place.build("b --items 100 --pages", "three\n");
    place.build("c --items 100", "four\n");
    place.build("ab --items 100 --pages", "one\ntwo\nthree\n");
    let merge = |arguments: &str| {
        let json = place.run(&format!("merge out --force -q --json {arguments}")).code(0).json();
        let pages = anther::Open::has_pages(place.join("out")).unwrap();
        assert_eq!(json["pages"], pages, "{arguments}");
        pages
    };
    assert!(merge("a b"));
    assert_eq!(place.read("out"), place.read("ab"));
    assert!(!merge("a c"), "not all have them");
    assert!(merge("a c --pages") && merge("c c --pages"));
    place.run("verify out").code(0);
    place.build("d --kind classic --items 100", "x\n");
    let refused = place.run("merge none d d --pages").code(2);
    assert!(refused.err.contains("--pages: is for lookups over the web"), "{}", refused.err);
    assert!(!place.join("none").exists());
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let place = Place::new();
    place.build("a --items 1000", "x\n");
    place.build("kind --items 1000 --kind classic", "x\n");
    place.build("seed --items 1000 --seed 5", "x\n");
    place.build("recipe --items 1000 --trim", "x\n");
    place.build("size --items 1300", "x\n");
    place.build("rate --items 1000 --fpr 1e-4", "x\n");
    for (other, parts) in [
        ("kind", &["a blocked filter", "a classic filter"][..]),
        ("seed", &["different seeds"]),
        ("recipe", &["text and trimmed"]),
        ("size", &["bits", "the same --items and --fpr"]),
        ("rate", &["probes", "the same --items and --fpr"]),
    ] {
        let ran = place.run(&format!("merge out a {other}"));
        ran.fails(&[&format!("{other}: cannot be merged with a: ")[..]]).says(parts);
        assert!(!place.names().contains(&"out".to_string()), "{other}");
    }
    place.build("tenth --items 100", "y\n");
    place.run("merge out a tenth").fails(&["tenth: has 1,024 bits, but a has 10,240", "--fold"]);
    place.run("merge folded a tenth --fold").code(0);
    place.run("check folded x y -c").code(0).prints("2\n");
    place.run("merge out a missing").fails(&["missing: no such file"]);
    place.run("merge out a").fails(&["two or more filters", "anther merge OUT FILTER FILTER"]);
}

#[test]
fn out_at_the_end_is_noticed() {
    let place = Place::new();
    place.build("a.anther --items 10", "one\n");
    place.build("b.anther --items 10", "two\n");
    place.write("a.txt", "one\n");
    for force in ["", "--force"] {
        let ran = place.run(&format!("merge a.anther b.anther out.anther {force}"));
        ran.fails(&["out.anther: no such file; OUT, the filter to make, comes first: \
             anther merge out.anther a.anther b.anther\n"]);
    }
    place.run("merge out.anther a.anther b.anther").code(0);
    let ran = place.run("merge a.txt a.anther b.anther");
    ran.fails(&[
        "a.txt: exists already and is not a filter",
        "OUT, the filter to make, comes first",
    ]);
}

#[test]
fn an_input_is_replaced_only_by_force() {
    let place = Place::new();
    place.build("a --items 10", "one\n");
    place.build("b --items 10", "two\n");
    let before = place.read("a");
    place.run("merge a a b").fails(&["a: exists already; --force"]);
    assert_eq!(place.read("a"), before);
    place.run("merge a a b --force").code(0);
    place.run("check a one two -c").code(0).prints("2\n");
    place.run("merge nowhere/out a b").fails(&["nowhere: no such folder"]);
}

#[test]
fn too_much_in_one_is_warned_of() {
    let place = Place::new();
    let keys =
        |range: std::ops::Range<u32>| -> String { range.map(|key| format!("{key}\n")).collect() };
    place.build("a --items 2k", keys(0..2000));
    place.build("b --items 2k", keys(2000..4000));
    let ran = place.run("merge out a b").code(0);
    ran.says(&[
        "warning: out: about 4,000 ± 25 keys are in it, and the filters were made for 2,000",
        "its false-positive rate is 1",
        " %, not 1 %; build the filters with --items 4",
        "or with --headroom 2x instead of --items",
    ]);
    let ran = place.run("merge strict a b --strict");
    ran.fails(&[
        "strict: about 4,000 ± 25 keys",
        "--headroom 2x",
        "; not written because of --strict",
    ]);
    assert_eq!(place.names(), ["a", "b", "out"]);

    // The advice works.
    place.build("a --force --headroom 2x", keys(0..2000));
    place.build("b --force --headroom 2x", keys(2000..4000));
    let ran = place.run("merge strict a b --strict --json -q").code(0);
    assert_eq!(ran.err, "");
    let (now, target) = (ran.json()["fpr_now"].clone(), ran.json()["fpr_target"].clone());
    assert!(now.as_f64().unwrap() < 1.1 * target.as_f64().unwrap(), "{now}");
    place.build("a --force --items 4010", keys(0..2000));
    place.build("b --force --items 4010", keys(2000..4000));
    place.run("merge --force strict a b --strict").code(0);

    // Where cells cannot tell how many keys there are, no number is made up.
    place.build("a --force --items 10", keys(0..2000));
    place.build("b --force --items 10", keys(2000..4000));
    let ran = place.run("merge --force out a b --strict");
    ran.fails(&["out: at least ", "build the filters with the --items of all of them; not"]);
}

#[test]
fn keyed_filters_merge_without_their_key() {
    let place = Place::new();
    let seed = Seed::keyed(*b"a secret of ours");
    for (name, key) in [("a", "one"), ("b", "two")] {
        let mut filter = Blocked::with_seed(Target::new(10, 1e-6).unwrap(), seed).unwrap();
        filter.insert(key);
        filter.save(place.join(name)).unwrap();
    }
    place.run("merge out a b").code(0);
    let merged: anther::AnyFilter =
        anther::Open::new().key(*b"a secret of ours").file(place.join("out")).unwrap();
    assert!(
        merged.contains("one").unwrap()
            && merged.contains("two").unwrap()
            && !merged.contains("three").unwrap()
    );
}

#[test]
fn an_intersection_keeps_what_is_in_all() {
    let place = Place::new();
    let lines =
        |range: std::ops::Range<u32>| -> String { range.map(|i| format!("{i}\n")).collect() };
    for kind in ["blocked", "classic", "split", "compressed"] {
        for (name, range) in [("a", 0..3000), ("b", 2000..5000), ("c", 1000..2500)] {
            let options = format!("{name}.anther --force --kind {kind} --items 5000 --fpr 0.1%");
            place.build(&options, lines(range));
        }
        let ran = place.run("merge --force both.anther a.anther b.anther --intersect").code(0);
        ran.says(&["2 filters intersected", "false-positive rate"]);
        place.run_on("check -c both.anther", lines(2000..3000)).prints("1000\n");
        let ran = place.run_on("check -c both.anther", lines(5000..15_000));
        let wrong: u32 = String::from_utf8(ran.out).unwrap().trim().parse().unwrap();
        assert!(wrong <= 27, "{kind}: {wrong} of 10,000 at most 0.1 %, and five deviations");
        place.run("merge --force all.anther a.anther b.anther c.anther --intersect").code(0);
        place.run_on("check -c all.anther", lines(2000..2500)).prints("500\n");
    }
    place.build("q.anther --kind counting", lines(0..10));
    let ran = place.run("merge x.anther q.anther q.anther --intersect");
    ran.fails(&["counting filters cannot be intersected", "blocked, split"]);
    place.build("small.anther --items 10", "x\n");
    place.run("merge x.anther c.anther small.anther --intersect").code(2);
    place.run("merge x.anther c.anther c.anther --intersect --fold").fails(&["--fold"]);
}

/// The key that both cover would be in neither entry's cells.
#[test]
fn an_intersection_loses_no_entry_that_is_below_another() {
    let place = Place::new();
    for (form, above, below, key) in [
        ("domain", "ads.example", "a.ads.example", "a.ads.example"),
        ("ip", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3"),
        ("ip", "10.0.0.0/8", "10.1.2.3", "10.1.2.3"),
        ("email", "@spam.example", "bob@spam.example", "bob@spam.example"),
        (
            "url --match below",
            "http://ads.example/",
            "http://ads.example/?a",
            "http://ads.example/?a",
        ),
    ] {
        for (name, list) in [("a", above), ("b", below)] {
            place.build(&format!("{name} --force --as {form} --items 100"), format!("{list}\n"));
            place.run_on(&format!("check {name}"), format!("{key}\n")).code(0);
        }
        for inputs in ["a b", "b a"] {
            let ran = place.run(&format!("merge both {inputs} --intersect"));
            ran.fails(&["cannot be intersected", "below", "look keys up in both filters"]);
        }
    }
    // Of two domains with as many labels, neither is below the other.
    for (name, list) in [("c", "ads.example\nspam.example\n"), ("d", "spam.example\n")] {
        place.build(&format!("{name} --as domain --items 100"), list);
    }
    place.run("merge both c d --intersect").code(0);
    place.run_on("check both", "x.spam.example\n").code(0);
    place.run_on("check both", "ads.example\n").code(1);
}
