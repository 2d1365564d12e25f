//! `anther merge`.

mod support;

use anther::{Blocked, Seed, Target};
use support::Place;

#[test]
fn the_parts_make_the_whole_byte_for_byte() {
    let place = Place::new();
    place.build("a --items 100", "one\ntwo\n");
    place.build("b --items 100", "three\n");
    place.build("c --items 100", "four\n");
    place.build("whole --items 100", "one\ntwo\nthree\nfour\n");
    let ran = place.run("merge merged a b c").code(0).prints("");
    ran.says(&["merged: 3 filters merged", "about 4 distinct keys", "rate now", "1 % promised"]);
    assert_eq!(place.read("merged"), place.read("whole"));
    let ran = place.run("merge other a b --json --quiet").code(0);
    assert_eq!(ran.err, "");
    assert_eq!(ran.json()["file"], "other");
    assert_eq!(ran.json()["merged"], 2);
    assert_eq!(ran.json()["inserted"], 3);
    assert_eq!(ran.json()["kind"], "blocked");
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
        ("recipe", &["lines and lines, trimmed"]),
        ("size", &["bits", "the same --items and --fpr"]),
        ("rate", &["probes", "the same --items and --fpr"]),
    ] {
        let ran = place.run(&format!("merge out a {other}"));
        ran.fails(&[&format!("{other} cannot be merged with a: ")[..]]).says(parts);
        assert!(!place.names().contains(&"out".to_string()), "{other}");
    }
    place.build("tenth --items 100", "y\n");
    place.run("merge out a tenth").fails(&["tenth has 1,024 bits and a 10,240", "--fold"]);
    place.run("merge folded a tenth --fold").code(0);
    place.run("check folded x y -c").code(0).prints("2\n");
    place.run("merge out a missing").fails(&["missing: no such file"]);
    place.run("merge out a").fails(&["2"]);
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
    place.run("merge out a b").code(0).says(&["warning: out: filter is 20", "--items 4"]);
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
    let merged = anther::Open::new().key(*b"a secret of ours").file(place.join("out")).unwrap();
    assert!(merged.contains("one") && merged.contains("two") && !merged.contains("three"));
}
