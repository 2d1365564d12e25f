//! `anther build --never-wrong-on`: two lists that are told apart without an error.

use crate::support::Place;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

/// Two lists, and the filter of them.
fn told_apart(options: &str) -> Place {
    let place = Place::new();
    place.write("bad", lines(0..1000));
    place.write("good", lines(1000..70_000));
    place.build(&format!("f.anther bad --never-wrong-on good {options}"), "");
    place
}

/// Entries for all addresses of a domain would stand for none.
#[test]
fn domains_of_addresses_need_a_word() {
    let place = Place::new();
    place.write("spam", "a@spam.example\n@lottery.example\n");
    place.write("ok", "a@b.example\n");
    let build = "build c.anther spam --never-wrong-on ok --as email --fpr 1e-6";
    place.run(build).fails(&["spam: line 2: it stands for all addresses", "add --match below"]);
    place.run("build a.anther spam --kind aging --as email --items 9").fails(&["another --kind"]);
    place.run(&format!("{build} --match below")).code(0);
    place.run("check c.anther win@lottery.example").code(0);
    place.run(&format!("{build} --match exact --force")).code(0);
    place.run("check c.anther win@lottery.example").code(1);
    place.write("ok", "*@b.example\n");
    place.run(&format!("{build} --match below --force")).fails(&["takes single addresses"]);
}

#[test]
fn no_key_of_either_list_is_wrong() {
    for options in ["", "--fpr 0.1%", "--fpr 50%", "--kind cascade --fpr 1%", "--seed 7 -q"] {
        let place = told_apart(options);
        place.run_on("check -c f.anther", place.read("bad")).code(0).prints("1000\n");
        place.run_on("check -c f.anther", place.read("good")).code(1).prints("0\n");
        let ran = place.run("measure f.anther --members bad --absent good --json").code(0).json();
        assert_eq!(ran["false_negatives"], 0, "{ran}");
        assert_eq!(ran["false_positives"], 0, "{ran}");
        place.run("measure f.anther --members bad --random 100k -q").code(0);
        place.run("verify f.anther").code(0);
    }
}

#[test]
fn it_says_what_it_made() {
    let place = told_apart("-q");
    let ran = place.run("build f.anther bad --never-wrong-on good --force").code(0);
    ran.says(&[
        "f.anther: 1,000 distinct keys of 1,000 read, none of 69,000 others; cascade filter, ",
        "about 7,810 false positives in a million lookups of keys in neither list; --fpr 0.0781% \
         costs ",
    ]);
    let info = place.run("info f.anther --json").code(0).json();
    assert_eq!((&info["kind"], &info["items"]), (&"cascade".into(), &1000.into()));
    let layout = serde_json::json!({ "items": 1000, "others": 69_000, "layers": 2 });
    assert_eq!(info["parameters"], layout);
    let bits = info["bits_per_key"].as_f64().unwrap();
    assert!((8.0..9.0).contains(&bits), "{info}");
    let built = "build f.anther bad --never-wrong-on good --force --json -q";
    let json = place.run(built).code(0).json();
    assert_eq!((&json["read"], &json["parameters"]), (&1000.into(), &layout), "{json}");
    // With few others and no rate there is no filter before the map, and every second key passes.
    place.write("few", lines(1000..1010));
    let ran = place.run("build g.anther bad --never-wrong-on few").code(0);
    ran.says(&["about 500,000 false positives in a million", "--fpr 1% costs "]);
    let ran = place.run("build g.anther bad --never-wrong-on few --fpr 1% --force").code(0);
    ran.says(&["about 9,890 false positives in a million", "--fpr 0.1% costs "]);
}

/// What is left out of the second list would not be answered as promised, so the report says it.
#[test]
fn it_says_what_it_left_out_of_either_list() {
    let place = Place::new();
    place.write("bad", "1\nnone\n\n2\n");
    place.write("good", "3\n\n4\nx\ny\n\n5\n");
    let build = "build f.anther bad --never-wrong-on good --as int --skip-malformed --fpr 1%";
    let ran = place.run(&format!("{build} --json")).code(0);
    let json = ran.json();
    let counts = |json: &serde_json::Value| {
        ["read", "empty", "malformed"].map(|name| json[name].as_u64().unwrap())
    };
    assert_eq!(counts(&json), [2, 1, 1], "{json}");
    assert_eq!(counts(&json["never_wrong_on"]), [3, 2, 2], "{json}");
    ran.says(&[
        "2 distinct keys of 2 read, 1 empty key left out, 1 malformed record left out",
        "none of 3 others, 2 empty keys left out, 2 malformed records left out; cascade filter",
    ]);
    let one = place.run("build one.anther good --skip-malformed --as int --json").code(0).json();
    assert_eq!(one.get("never_wrong_on"), None, "one list: {one}");
}

/// Several lists, a list in a pipe, repeated keys, and the recipe of the first for the second.
#[test]
fn lists_come_in_every_form() {
    let place = told_apart("-q");
    let expected = place.read("f.anther");
    place.write("good.1", lines(1000..30_000));
    place.write("good.2", lines(30_000..70_000));
    let two = "build two.anther bad --never-wrong-on good.1 --never-wrong-on good.2";
    place.run(two).code(0);
    assert!(place.read("two.anther") == expected);
    place.run_on("build pipe.anther bad --never-wrong-on -", place.read("good")).code(0);
    assert!(place.read("pipe.anther") == expected);
    place.run_on("build pipe.anther --never-wrong-on good --force", place.read("bad")).code(0);
    assert!(place.read("pipe.anther") == expected);

    // Only the number of keys that were read differs.
    place.run("build twice.anther bad bad --never-wrong-on good --never-wrong-on good.1").code(0);
    assert_eq!(place.read("twice.anther").len(), expected.len());
    place.run_on("check -c twice.anther", place.read("good")).code(1);

    place.write("bad.csv", "name,mail\nAnt,Ant@Example.org\nBee,bee@example.org\n");
    place.write("good.csv", "id,mail\n1,CAT@example.org\n2,dog@example.org\n");
    let columns = "--column mail --ignore-case --trim";
    place.run(&format!("build csv.anther bad.csv --never-wrong-on good.csv {columns}")).code(0);
    let answers = "maybe\tANT@example.org\nno\tcat@example.org\nno\tDog@example.org\n";
    place
        .run("check csv.anther ANT@example.org cat@example.org Dog@example.org")
        .code(0)
        .prints(answers);
    place.run("build k.anther -k ant bee --never-wrong-on good").code(0);
    place.run("check k.anther ant").code(0);
    let keyed = "build s.anther bad --never-wrong-on good --keyed --key-file key";
    place.run(keyed).code(0);
    let ran = place.run_on("check -c s.anther --key-file key", place.read("good"));
    ran.code(1).prints("0\n");
}

#[test]
fn a_key_in_both_lists_is_named() {
    let place = told_apart("-q");
    place.write("more", lines(69_990..70_000) + "key 7\n");
    let both = "build x.anther bad --never-wrong-on good --never-wrong-on more";
    place.run(both).fails(&[
        "bad: line 8, more: line 11: \"key 7\" is in both lists; remove it from one of them",
    ]);
    // The same key, but not the same line.
    place.write("one", "ads.example\nTracker.Example\n");
    place.write("two", "shop.example\n\ntracker.example.\n");
    place.run("build x.anther one --never-wrong-on two --as domain").fails(&[
        "one: line 2, two: line 3: \"Tracker.Example\" and \"tracker.example.\" are the same key",
        "remove one of them",
    ]);
    // What comes by a pipe cannot be read again.
    let ran = place.run_on("build x.anther one --never-wrong-on -", "ads.example\n");
    ran.fails(&["one: line 1: \"ads.example\" is in both lists"]);
    let ran = place.run_on("build x.anther --never-wrong-on one", "ads.example\n");
    ran.fails(&["one: line 1: \"ads.example\" is in both lists"]);
    place.run("build x.anther bad --never-wrong-on bad").fails(&["is in both lists"]);
    assert!(!place.names().contains(&"x.anther".to_string()), "nothing is written");
}

#[test]
fn what_cannot_be_built_is_refused_before_reading() {
    let place = told_apart("-q");
    let before = place.read("f.anther");
    for (command, parts) in [
        ("build x bad --kind cascade", ["two lists", "--never-wrong-on FILE", "--kind ribbon"]),
        (
            "build x bad --kind ribbon --never-wrong-on good",
            ["an option of cascade", "not of ribbon", "leave out"],
        ),
        ("build x bad --never-wrong-on none", ["none", "no such file", ""]),
        ("build x --never-wrong-on -", ["standard input", "", ""]),
        ("build x bad --never-wrong-on good --others 5", ["--others", "anther plan", "counts"]),
        ("build x bad --never-wrong-on good --fpr 0", ["false-positive rate", "", ""]),
        ("build x bad --never-wrong-on good --headroom 2x", ["--headroom", "static", ""]),
        ("build good bad --never-wrong-on good --force", ["good", "", ""]),
        ("build x bad --never-wrong-on f.anther", ["f.anther", "", ""]),
        ("add f.anther -k new", ["cascade", "static", ""]),
        ("remove f.anther -k new", ["a cascade filter cannot remove keys", "", ""]),
        ("count f.anther new", ["a cascade filter cannot count", "", ""]),
        ("get f.anther new", ["a cascade filter stores no values", "", ""]),
        ("merge x f.anther f.anther", ["cascade", "", ""]),
        ("convert x f.anther --kind ribbon", ["cannot be converted to ribbon", "", ""]),
    ] {
        place.run(command).fails(&parts);
        assert!(!place.names().contains(&"x".to_string()), "{command}");
    }
    assert!(place.read("f.anther") == before);
    assert_eq!(place.read("good"), lines(1000..70_000).into_bytes());
    let ran = place.run("build x bad --never-wrong-on good --memory 1kB");
    ran.fails(&["bad", "memory", "raise --memory"]);
}

#[test]
fn its_size_can_be_planned() {
    let place = told_apart("-q");
    let plan = place.run("plan --kind cascade --items 1000 --others 69k --fpr 1% --json").code(0);
    let plan = plan.json();
    let made = place.run("info f.anther --json").code(0).json();
    let [planned, bits] = [&plan, &made].map(|json| json["bits"].as_f64().unwrap());
    assert!((planned / bits - 1.0).abs() < 0.05, "{planned} {bits}");
    assert_eq!(plan["probes"], made["probes"]);
    let command = "anther build OUT.anther IN --never-wrong-on LIST --fpr 1%";
    assert_eq!(plan["command"], command);
    let text = place.run("plan --kind cascade --items 1000").code(0).out;
    assert!(String::from_utf8_lossy(&text).contains("--others N plans for them"));
    // It is recommended if there are others, and not otherwise.
    let advice = |options: &str| {
        let ran = place.run(&format!("plan --items 1M --static {options} --json")).code(0);
        ran.json()["kind"].as_str().map(str::to_string)
    };
    assert_eq!(advice("").as_deref(), Some("ribbon"));
    assert_eq!(advice("--others 10M").as_deref(), Some("cascade"));
}

/// Parents of a key may be on neither list, so they are not looked up unless that is asked for.
#[test]
fn names_are_looked_up_exactly() {
    let place = Place::new();
    let names = |zone: &str| (0..1000).map(|i| format!("{i}.{zone}.example\n")).collect::<String>();
    place.write("bad", names("bad"));
    for (seed, zone) in ["customer", "shop", "mail", "bank", "news"].into_iter().enumerate() {
        place.write("good", names(zone));
        let build = "build f.anther bad --as domain --force -q --never-wrong-on good";
        place.run(&format!("{build} --seed {seed}")).code(0);
        place.run_on("check -c f.anther", names(zone)).code(1).prints("0\n");
        place.run_on("check -c f.anther", names("bad")).code(0).prints("1000\n");
    }
}

#[test]
fn all_names_that_follow_are_lists_of_others() {
    let place = Place::new();
    place.write("bad", "a\n");
    place.write("one", "b\n");
    place.write("two", "c\n");
    place.run("build f.anther bad -q --never-wrong-on one two").code(0);
    place.run("check f.anther a b c").code(0).prints("maybe\ta\nno\tb\nno\tc\n");
}
