//! `anther remove`.

use crate::support::Place;
use anther::Kind;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

#[test]
fn what_went_in_goes_out() {
    let place = Place::new();
    place.write("gone.txt", lines(0..250));
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().remove) {
        place.build(
            &format!("f.anther --force --kind {kind} --items 2000 --fpr 1e-4"),
            lines(0..1000),
        );
        let ran = place.run_on("remove f.anther - gone.txt --json", lines(250..500)).code(0);
        let json = ran.json();
        // Some keys of deletable share all their bits.
        let kept = json["kept"].as_u64().unwrap();
        assert_eq!(json["removed"].as_u64().unwrap() + kept, 500, "{kind}");
        assert_eq!((&json["read"], &json["absent"]), (&500.into(), &0.into()), "{kind}");
        assert!(kept == 0 || kind == Kind::Deletable && kept < 100, "{kind}: {kept}");
        assert_eq!(ran.err.contains("warning: f.anther: "), kept > 0, "{kind}: {}", ran.err);

        place.run_on("check -c f.anther", lines(500..1000)).code(0).prints("500\n");
        let ran = place.run_on("check -c f.anther", lines(0..500));
        let still: u64 = String::from_utf8(ran.out).unwrap().trim().parse().unwrap();
        // At 1e-4 hardly one of 500 is a false positive; two are no surprise.
        assert!((kept..=kept + 2).contains(&still), "{kind}: {still} of {kept}");
    }
}

#[test]
fn what_is_not_in_is_said() {
    let place = Place::new();
    place.build("f.anther --kind counting --items 1000", "one\ntwo\ntwo\nthree\n");
    let ran = place.run_on("remove f.anther", "two\nthree\n").code(0).prints("");
    ran.says(&["f.anther: 2 keys removed of 2 read; about 2 distinct keys, false-positive rate"]);
    let ran = place.run_on("remove f.anther", "two\ntwo\nfour\n").code(0);
    ran.says(&[
        "1 key removed of 3 read, 2 were not in the filter",
        "warning: f.anther: 2 of these keys were not in the filter; remove only keys that were \
         inserted",
    ]);
    place.run("check f.anther one two three").code(0).prints("maybe\tone\nno\ttwo\nno\tthree\n");
    let before = place.read("f.anther");
    let ran = place.run_on("remove f.anther --json -q", "five\n").code(0);
    let json = ran.says(&["was not in the filter"]).json();
    assert_eq!(
        (&json["removed"], &json["absent"], &json["kept"]),
        (&0.into(), &1.into(), &0.into())
    );
    assert_eq!((&json["file"], &json["kind"]), (&"f.anther".into(), &"counting".into()));
    assert_eq!(place.read("f.anther"), before, "nothing changed");
    place.run("remove f.anther").code(0).says(&["f.anther: no keys; about"]);
    assert_eq!(place.read("f.anther"), before);

    // A crowded filter takes some for present, and that is said with their number.
    place.build("full.anther --kind counting --items 100 --fpr 10%", lines(0..100));
    let ran = place.run_on("remove full.anther", lines(1000..2000)).code(0);
    ran.says(&[
        "of these keys were not in the filter; about ",
        " more may have been false positives, and removing those damages other keys",
        "remove only keys that were inserted",
    ]);
}

/// Not to merge them, which would do the opposite.
#[test]
fn a_filter_of_keys_to_remove_is_refused_with_advice_that_helps() {
    let place = Place::new();
    place.build("f.anther --kind cuckoo --items 100", "one\ntwo\n");
    place.build("gone.anther --kind cuckoo --items 100", "two\n");
    let advice = "is a filter, not a list of keys; name the list that it was built from";
    place.run("remove f.anther gone.anther").fails(&["gone.anther: ", advice]);
    place.run_on("remove f.anther", place.read("gone.anther")).fails(&["standard input: ", advice]);
    place.run("check f.anther two").code(0);
}

/// Never more than were removed.
#[test]
fn no_more_false_positives_than_removals() {
    let place = Place::new();
    place.build("f --kind counting --items 100 --fpr 50%", lines(0..100));
    for _ in 0..5 {
        let ran = place.run_on("remove f --json", lines(1000..3000)).code(0);
        let removed = ran.json()["removed"].as_u64().unwrap();
        let said = ran.err.split("about ").find_map(|rest| rest.split_once(" more may"));
        let said = said.map_or(0, |(number, _)| number.replace(',', "").parse().unwrap());
        assert!(said <= removed, "{}", ran.err);
    }
}

#[test]
fn help_names_every_kind_that_removes() {
    let place = Place::new();
    for verb in ["remove", "build"] {
        let help = String::from_utf8(place.run(&format!("{verb} --help")).code(0).out).unwrap();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let list = match verb {
            "remove" => words.split_once("for kinds that can: ").unwrap().1,
            _ => words.split_once("Kinds that remove (").unwrap().1,
        };
        let list = list.split(['.', ')']).next().unwrap();
        for &kind in Kind::ALL {
            let named = list.split([',', ' ']).any(|name| name == kind.name());
            assert_eq!(named, kind.capabilities().remove, "{verb}: {kind}: {list}");
        }
    }
}

#[test]
fn stuck_keys_stay() {
    let place = Place::new();
    let often = "often\n".repeat(20);
    place.build("f.anther --kind counting --items 100 --fpr 1e-6", often + "once\n");
    let ran = place.run_on("remove f.anther", "often\nonce\n").code(0);
    ran.says(&[
        "1 key removed of 2 read, 1 could not be removed",
        "warning: f.anther: 1 could not be removed",
        "stuck",
    ]);
    place.run("check f.anther often once").code(0).prints("maybe\toften\nno\tonce\n");
}

#[test]
fn an_error_changes_nothing() {
    let place = Place::new();
    place.build("blocked.anther", "00\n");
    place.build("ribbon.anther --kind ribbon", "00\n");
    place.build("increase.anther --kind spectral --method increase", "00\n");
    place.build("f.anther --kind cuckoo --hex", "00\n01\n02\n");
    let names = ["blocked.anther", "f.anther", "increase.anther", "ribbon.anther"];
    let before = names.map(|name| place.read(name));

    for kind in ["blocked", "ribbon"] {
        let ran = place.run_on(&format!("remove {kind}.anther"), "00\n");
        ran.fails(&[&format!("a {kind} filter cannot remove keys"), "counting, ", "cuckoo"]);
    }
    let ran = place.run_on("remove increase.anther", "00\n");
    ran.fails(&["increase.anther: keys cannot be removed", "method minimum"]);
    place.run_on("remove f.anther", "00\n01\nbad\n").fails(&["line 3: \"bad\": not hexadecimal"]);
    place.run_on("remove none.anther", "").fails(&["none.anther: no such file"]);
    place.run("remove f.anther none.txt").fails(&["none.txt: no such file"]);

    assert_eq!(names.map(|name| place.read(name)), before);
    assert_eq!(place.names(), names);
}
