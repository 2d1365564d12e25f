//! Files that are dropped on the page.

use super::client::Lab;
use crate::support::{Place, of_kind};
use anther::Kind;
use serde_json::{Value, json};

/// The text of a row.
fn row<'v>(value: &'v Value, name: &str) -> &'v str {
    let rows = value["blocks"][0]["rows"].as_array().expect("a block");
    let row = rows.iter().find(|row| row[0] == name);
    row.unwrap_or_else(|| panic!("no {name} in {value}"))[1].as_str().unwrap()
}

#[test]
fn a_filter_is_described_measured_and_drawn() {
    let place = Place::new();
    place.build("f.anther", "one\ntwo\n-three\n");
    let lab = Lab::start(&[]);
    let id = lab.drop_file(&place.read("f.anther"));
    let info = lab.about("info", id, json!({})).json();
    assert_eq!((info["list"].clone(), row(&info, "kind")), (json!(false), "blocked"));
    let measured = lab.about("measure", id, json!({})).json();
    assert_eq!((row(&measured, "verdict"), row(&measured, "test keys")), ("holds", "100,000"));
    let drawn = lab.about("draw", id, json!({ "keys": ["-three", "four", "--json"] })).json();
    let steps = drawn["scene"]["steps"].as_array().unwrap();
    let answers: Vec<_> = steps.iter().map(|step| step["answer"].as_str().unwrap()).collect();
    assert_eq!(answers, ["maybe", "no", "no"]);
    assert_eq!(steps[0]["rows"][0]["cells"].as_array().unwrap().len(), 512);
    // Beyond its end.
    let error = lab.about("draw", id, json!({ "from": 1_u64 << 40 })).error();
    assert!(error.starts_with("no such cells"), "{error}");
    lab.about("draw", id, json!({ "from": u64::MAX })).error();
}

#[test]
fn a_list_becomes_a_filter() {
    let lab = Lab::start(&[]);
    let lines: String = (0..1000).map(|number| format!("{number}\n")).collect();
    let id = lab.drop_file(lines.as_bytes());
    assert_eq!(lab.about("info", id, json!({})).json()["list"], true);
    for (kind, fpr, shown) in [("cuckoo", "0.1%", "0.1 %"), ("blocked", "1%", "1 %")] {
        let built = lab.about("build", id, json!({ "kind": kind, "fpr": fpr })).json();
        assert!(built["notes"][0].as_str().unwrap().starts_with("1,000 distinct keys"), "{built}");
        let info = lab.about("info", id, json!({})).json();
        assert_eq!(row(&info, "kind"), kind);
        assert!(row(&info, "FPR").ends_with(&format!("target {shown}")), "{info}");
        let measured = lab.about("measure", id, json!({})).json();
        assert_eq!((row(&measured, "keys"), row(&measured, "false negatives")), ("1,000", "0"));
    }
    for (kind, fpr, message) in [
        ("no", "1%", "no: not a kind"),
        ("blocked", "x", "false-positive rate x: a rate is needed"),
        ("blocked", "200%", "below 1"),
        ("--out=/tmp/x", "1%", "not a kind"),
        ("bloomier", "1%", ""),
    ] {
        let error = lab.about("build", id, json!({ "kind": kind, "fpr": fpr })).error();
        assert!(error.contains(message) && !error.contains("dropped: "), "{error}");
    }
}

/// Whatever the program advises in a terminal.
#[test]
fn lists_are_known_however_they_begin() {
    let lab = Lab::start(&[]);
    for list in [
        "[Adblock Plus 2.0]\n||ads.example^\n",
        ";0 is a comment\n10.0.0.1\n",
        "; Spamhaus\n10.0.0.1\n",
        "{\"id\": 1}\n{\"id\": 2}\n",
        "[1, 2]\n",
    ] {
        let id = lab.drop_file(list.as_bytes());
        assert_eq!(lab.about("info", id, json!({})).json()["list"], true, "{list}");
        lab.about("build", id, json!({})).json();
    }
    // Nor is a compressed one known by its content.
    let id = lab.drop_file(
        b"\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03\x4B\x4C\x4A\xE6\x4A\
        \x4C\x4A\xE1\x02\x00\x40\x8F\x17\x88\x08\x00\x00\x00",
    );
    assert_eq!(lab.about("info", id, json!({})).json()["list"], true);
}

/// The page splits what the program prints for people; here is that it can.
#[test]
fn every_kind_is_described_in_names_and_texts() {
    let place = Place::new();
    let lab = Lab::start(&[]);
    for kind in Kind::ALL {
        let input = if *kind == Kind::Bloomier { "one\t1\ntwo\t2\n" } else { "one\ntwo\n" };
        place.build(&format!("{kind}.anther {}", of_kind(*kind)), input);
        let id = lab.drop_file(&place.read(&format!("{kind}.anther")));
        for what in ["info", "measure"] {
            let said = lab.about(what, id, json!({})).json();
            let blocks = said["blocks"].as_array().unwrap();
            assert_eq!(blocks.len(), 1, "{kind}: {said}");
            for row in blocks[0]["rows"].as_array().unwrap() {
                let (name, text) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
                assert!(!name.is_empty() && name.len() < 24 && !text.is_empty(), "{kind}: {row}");
            }
        }
    }
}

#[test]
fn bad_files_get_messages_and_stop_nothing() {
    let place = Place::new();
    place.build("f.anther", "one\ntwo\n");
    let whole = place.read("f.anther");
    let lab = Lab::start(&[]);
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (bytes, message) in [
        (&whole[..100], "truncated"),
        (&flipped, "corrupt"),
        (b"PK\x03\x04 a zip archive", "is a zip archive"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "is an executable"),
    ] {
        let id = lab.drop_file(bytes);
        let info = lab.about("info", id, json!({}));
        let error = match info.status {
            200 => lab.about("build", id, json!({})).error(),
            _ => info.error(),
        };
        assert!(error.contains(message) && !error.contains("dropped"), "{message}: {error}");
        lab.is_well(&message);
    }
}

#[test]
fn a_file_of_another_window_is_not_mistaken_for_yours() {
    let lab = Lab::start(&[]);
    let first = lab.drop_file(b"one\n");
    let second = lab.drop_file(b"two\n");
    let error = lab.about("info", first, json!({})).error();
    assert!(error.contains("another window has dropped a file since"), "{error}");
    assert_eq!(lab.about("info", second, json!({})).status, 200);
    // Only the last one is kept.
    let folder = format!("tmp/{}", lab.litter()[0]);
    assert_eq!(lab.place.names_in(&folder), [second.to_string()]);
}

#[test]
fn requests_about_files_are_checked() {
    let lab = Lab::start(&[]);
    let id = lab.drop_file(b"one\ntwo\n");
    lab.about("build", id, json!({})).json();
    for more in [
        json!({ "keys": vec!["k"; 101] }),
        json!({ "keys": ["a\0b"] }),
        json!({ "keys": 5 }),
        json!({ "from": -1 }),
        json!({ "path": "/etc/passwd" }),
    ] {
        lab.about("draw", id, more.clone()).error();
        lab.is_well(&more);
    }
    assert_eq!(lab.about("rm", id, json!({})).status, 404);
    // A list has no filter to draw before one is built.
    let id = lab.drop_file(b"one\ntwo\n");
    lab.about("draw", id, json!({})).error();
    lab.about("measure", id, json!({})).error();
}
