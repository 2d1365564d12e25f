//! `anther list`, and `anther build --exact`.

use crate::support::Place;
use anther::iblt::{Iblt, Integers, Strata, Strings};
use anther::{ExactSet, Seed};
use serde_json::json;

#[test]
fn an_exact_set_is_listed_in_order() {
    let place = Place::new();
    let ran = place.run_on("build ids.anther --exact --as int", "7\n42\n042\n3\n-1\n\n").code(0);
    ran.says(&["4 distinct keys of 5 read, 1 empty key left out; exact set", "anther list"]);
    place.run("list ids.anther").code(0).prints("3\n7\n42\n18446744073709551615\n");
    place.run("list ids.anther --signed").code(0).prints("-1\n3\n7\n42\n");
    place
        .run("list ids.anther --counts")
        .code(0)
        .prints("1\t3\n1\t7\n2\t42\n1\t18446744073709551615\n");
    let lines = place.run("list ids.anther --json --signed").code(0).json_lines();
    assert_eq!(lines[0], json!({"key": -1, "count": 1}));
    assert_eq!(lines[3], json!({"key": 42, "count": 2}));
    let set = ExactSet::open(place.join("ids.anther")).unwrap();
    assert!(set.contains(42) && !set.contains(43) && set.len() == 5);
    place
        .run_on("list -", place.read("ids.anther"))
        .code(0)
        .prints("3\n7\n42\n18446744073709551615\n");

    place.build("codes.anther --exact --column iata", "name,iata\nZürich,ZRH\nOslo,OSL\n");
    place.run("list codes.anther").code(0).prints("OSL\nZRH\n");
    let lines = place.run("list codes.anther --json").code(0).json_lines();
    assert_eq!(lines[1], json!({"key": "ZRH", "count": 1}));
    place.build("bytes.anther --exact", b"\xff\n12345678\n");
    place.run("list bytes.anther").code(0).prints(b"12345678\n\xff\n");

    // Sets of many keys, and of none.
    let many: String = (0..50_000u64).rev().map(|i| format!("{}\n", i * i)).collect();
    place.build("many.anther --exact --as int", &many);
    let sorted: String = (0..50_000u64).map(|i| format!("{}\n", i * i)).collect();
    place.run("list many.anther").code(0).prints(sorted);
    place.build("none.anther --exact", "");
    place.run("list none.anther").code(0).prints("");
    let built = place.run_on("build x.anther --exact --as int --json", "1\n").code(0).json();
    assert_eq!((&built["kind"], &built["read"]), (&json!("quotient"), &json!(1)));
    place.run("verify ids.anther codes.anther").code(0);
    place.run("info ids.anther").code(0);
    // It is merged by its hashes, as other filters are.
    place.run("merge both.anther ids.anther x.anther").code(0);
    place.run("list both.anther --signed").code(0).prints("-1\n1\n3\n7\n42\n");
}

#[test]
fn what_no_exact_set_can_hold_is_refused() {
    let place = Place::new();
    let ran = place.run_on("build x.anther --exact", "short\nninebytes\n");
    ran.fails(&[
        "line 2: \"ninebytes\": texts of an exact set have at most eight bytes",
        "--as int",
    ]);
    let ran = place.run_on("build x.anther --exact --as int", "99999999999999999999999\n");
    ran.fails(&["line 1: the integer has more than 64 bits"]);
    place.run_on("build x.anther --exact --as domain", "a\n").fails(&["--exact: ", "not domains"]);
    place.run_on("build x.anther --exact --kind fuse", "a\n").fails(&["--exact", "--kind"]);
    place.build("f.anther", "a\n");
    place
        .run("list f.anther")
        .fails(&["f.anther: a blocked filter does not store its keys", "--exact"]);
    place.build("q.anther --kind quotient", "a\n");
    place.run("list q.anther").fails(&["q.anther: a quotient filter does not store its keys"]);
    place.run("list none.anther").fails(&["none.anther: no such file"]);
    place.write("list.txt", "a\n");
    place.run("list list.txt").fails(&["list.txt: "]);
    place.build("e.anther --exact", "a\n");
    place.run("check e.anther a").fails(&["e.anther: ", "anther list"]);
    place.run("list e.anther --minus e.anther").fails(&["e.anther: is no iblt"]);
    let mut truncated = place.read("e.anther");
    truncated.truncate(truncated.len() - 9);
    place.write("cut.anther", truncated);
    place.run("list cut.anther").fails(&["cut.anther: "]);
    assert!(!place.names().contains(&"x.anther".to_string()));
}

fn table(place: &Place, name: &str, elements: impl Iterator<Item = u64>) {
    let mut table = Iblt::new(Integers, 20).expect("a small table");
    elements.for_each(|element| table.insert(element).expect("a word"));
    table.save(place.join(name)).expect("written");
}

#[test]
fn an_iblt_is_listed_or_subtracted() {
    let place = Place::new();
    table(&place, "few", [5, 3, u64::MAX].into_iter());
    place.run("list few").code(0).prints("+\t3\n+\t5\n+\t18446744073709551615\n");
    let lines = place.run("list few --signed --json").code(0).json_lines();
    assert_eq!(lines[2], json!({"key": -1, "side": "+"}));

    table(&place, "ours", (0..10_000).filter(|i| *i != 77));
    table(&place, "theirs", 5..10_001);
    place
        .run("list ours --minus theirs")
        .code(0)
        .prints("+\t0\n+\t1\n+\t2\n+\t3\n+\t4\n-\t77\n-\t10000\n");
    place.run("list ours --minus ours").code(0).prints("");
    let ran = place.run("list ours").code(1);
    ran.says(&["ours: decoded", "make both tables for a difference of"]);

    let mut names = Iblt::new(Strings::up_to(20).unwrap(), 10).unwrap();
    for name in [&b"alice"[..], b"bob", b"\xff", b""] {
        names.insert(name).unwrap();
    }
    names.save(place.join("names")).unwrap();
    place.run("list names").code(0).prints(b"+\t\n+\talice\n+\tbob\n+\t\xff\n");
    let lines = place.run("list names --json").code(0).json_lines();
    assert_eq!(lines[1], json!({"key": "alice", "side": "+"}));
    place.run("list names --minus ours").fails(&["ours: "]);
    place.run("list few --counts").fails(&["few: --counts is for exact sets"]);

    let mut keyed = Iblt::with_seed(Integers, 10, Seed::keyed([7; 16])).unwrap();
    keyed.insert(4).unwrap();
    keyed.save(place.join("keyed")).unwrap();
    place.run("list keyed").fails(&["keyed: is keyed and needs its secret key"]);
    place.write("k.key", "07".repeat(16));
    place.run("list keyed --key-file k.key").code(0).prints("+\t4\n");
    place.run("list few --minus keyed").fails(&["keyed: "]);

    let mut strata = Strata::new(Seed::FIXED).unwrap();
    strata.insert("x");
    strata.save(place.join("strata")).unwrap();
    place.run("list strata").fails(&["strata: "]);
}
