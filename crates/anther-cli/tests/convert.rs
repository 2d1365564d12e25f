//! `anther convert`.

use crate::support::{self, Place};
use anther::{AnyFilter, Filter, KeyHash, Kind, Open};
use std::io::Write;
use std::process::Stdio;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// The answers for many hashes, most of them of absent keys.
fn answers(place: &Place, name: &str) -> Vec<bool> {
    let filter: AnyFilter = Open::new().without_hashing().file(place.join(name)).expect("a filter");
    (0..20_000).map(|number| filter.contains_hash(KeyHash(number).again(1))).collect()
}

#[test]
fn answers_target_seed_and_recipe_stay() {
    let place = Place::new();
    for (from, to) in [
        ("counting", "classic"),
        ("classic", "compressed"),
        ("compressed", "classic"),
        ("blocked", "blocked"),
        ("quotient", "quotient"),
    ] {
        place.build(
            &format!("a --force --kind {from} --items 3000 --seed 7 --trim"),
            lines(0..2000),
        );
        let ran = place.run(&format!("convert --force b a --kind {to} --json")).code(0);
        let made = ran.json();
        assert_eq!((&made["from"], &made["kind"]), (&from.into(), &to.into()));
        let said = match from == to {
            true => format!("b: {to} filter written anew, "),
            false => format!("b: {from} filter converted to {to}, "),
        };
        ran.says(&[&said, " distinct keys, false-positive rate ", "now, target 1 %"]);
        place.run_on("check -c b", lines(0..2000)).code(0).prints("2000\n");
        assert_eq!(answers(&place, "a"), answers(&place, "b"), "{from} to {to}");
        let (old, new) = (place.run("info a --json").json(), place.run("info b --json").json());
        for name in ["items_target", "fpr_target", "fpr_now", "inserted", "seed", "recipe"] {
            assert_eq!(old[name], new[name], "{from} to {to}: {name}");
        }
        if from == to {
            assert!(place.read("a") == place.read("b"), "{from}");
        }
    }
}

/// What inserting into the other kind gives: it can be merged with such filters.
#[test]
fn a_frozen_filter_is_the_classic_one_and_a_packed_one_comes_back() {
    let place = Place::new();
    for kind in ["classic", "counting"] {
        place.build(&format!("{kind} --kind {kind} --items 5000"), lines(0..1000));
    }
    place.run("convert frozen counting --kind classic").code(0);
    assert!(place.read("frozen") == place.read("classic"));
    place.run("convert packed classic --kind compressed").code(0);
    assert!(3 * place.read("packed").len() < 2 * place.read("classic").len());
    place.run("convert back packed --kind classic").code(0);
    assert!(place.read("back") == place.read("classic"));
}

#[test]
fn other_pairs_say_what_to_do() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().values) {
        place.build(&format!("{kind} {}", support::of_kind(*kind)), lines(0..10));
    }
    for from in place.names() {
        for to in Kind::ALL {
            let ran = place.run(&format!("convert out {from} --kind {to}"));
            if ran.code == 0 {
                std::fs::remove_file(place.join("out")).unwrap();
                continue;
            }
            let article = Kind::from_name(&from).unwrap().article();
            let cause = format!("{from}: {article} {from} filter cannot be converted to {to}");
            let ran = ran.fails(&[&cause]);
            let next = match ran.err.contains("at once") {
                true => "convert it to classic first, with --kind classic".to_string(),
                false if *to == Kind::Cascade => {
                    "rebuild it from them: anther build OUT IN --never-wrong-on LIST\n".to_string()
                }
                false => format!("rebuild it from them: anther build OUT IN --kind {to}\n"),
            };
            assert!(ran.err.contains(&next), "{}", ran.err);
        }
    }
    let names = place.names();
    place.run("convert out none").fails(&["none: no such file"]);
    place.run("convert classic blocked").fails(&["classic: exists already; --force"]);
    place.run("convert out classic --kind morton").fails(&["morton"]);
    place.write("list.txt", "x\n");
    place.run("convert list.txt classic --force").fails(&["list.txt: exists already and is not a"]);
    place.run("convert out list.txt").fails(&["list.txt: not an anther filter"]);
    assert_eq!(place.names().len(), names.len() + 1);
}

#[test]
fn in_place_and_keyed() {
    let place = Place::new();
    place.build("f --kind counting --keyed --key-file key", "one\ntwo\n");
    place.run("convert f f --kind classic -q --force").code(0).prints("");
    place
        .run("check f one two three --key-file key")
        .code(0)
        .prints("maybe\tone\nmaybe\ttwo\nno\tthree\n");
    assert_eq!(place.names(), ["f", "key"]);
}

/// A file that a killed process left open is closed, and verified again from then on.
#[test]
fn a_file_that_was_left_open_is_closed() {
    let place = Place::new();
    place.build("f.anther --items 1000", "one\n");
    let mut command = place.command(["add", "--shared", "-q", "f.anther"]);
    let mut adder = command.stdin(Stdio::piped()).spawn().unwrap();
    adder.stdin.as_mut().unwrap().write_all(b"two\n").unwrap();
    let inserted = || place.run("info f.anther --json").code(0).json()["inserted"].clone();
    support::until("the key", || (inserted() == 2).then_some(()));
    adder.kill().unwrap();
    adder.wait().unwrap();
    let is_open =
        |name: &str| place.run(&format!("info {name} --json")).code(0).json()["open"].clone();
    assert_eq!(is_open("f.anther"), true);
    place.run("convert closed.anther f.anther").code(0);
    assert_eq!(is_open("closed.anther"), false);
    place.run("verify closed.anther").code(0);
    place.run("convert f.anther f.anther --force").code(0);
    assert!(place.read("f.anther") == place.read("closed.anther"));
    place.run("check -c closed.anther one two").code(0).prints("2\n");
}
