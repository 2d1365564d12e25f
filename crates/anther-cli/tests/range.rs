//! Range filters: `build --kind range`, `check --between`, and what other verbs make of them.

use crate::support::Place;
use serde_json::json;

/// Times at a rate at which no test meets a false positive.
fn hours() -> Place {
    let place = Place::new();
    place.write("log.csv", "time,who\n2026-11-17T08:30:15Z,ann\n2026-11-17T09:45:00Z,bob\n");
    let built =
        "build hours.anther log.csv --column time --as time --kind range --span 1h --fpr 1e-6";
    place.run(built).code(0);
    place
}

fn integers(options: &str, keys: &str) -> Place {
    let place = Place::new();
    let built = format!("build f.anther --as int --kind range --fpr 1e-6 {options}");
    place.run_on(&built, keys).code(0);
    place
}

/// As text a list of addresses or times would lose most of them, and find no range.
#[test]
fn lists_of_other_forms_are_refused() {
    let place = Place::new();
    for (list, form) in [
        ("1.2.3.4\n198.51.100.7\n5.6.7.8\n203.0.113.9\n10.0.0.1\n", "ip"),
        ("8.8.8.8\n8.8.4.4\n", "ip"),
        ("2026-11-17\n2026-11-18T08:00:00Z\n", "time"),
        ("12345678901234567\n3\n", "int"),
    ] {
        let advice = format!("add --as {form}");
        let build = "build r.anther --kind range --span 256";
        place.run_on(build, list).fails(&[&advice]);
        place.run_on(&format!("{build} --skip-malformed"), list).fails(&[&advice, "--as text"]);
        place.run_on(&format!("{build} --as {form}"), list).code(0);
        let build = format!("{build} --as text --skip-malformed --force");
        place.run_on(&build, format!("{list}ant\n")).code(0);
        std::fs::remove_file(place.join("r.anther")).unwrap();
    }
}

#[test]
fn a_range_filter_is_built_and_asked() {
    let place = integers("--span 100", "5\n1000\n-7\n1000\n+12\n");
    let ran = place.run_args(["check", "f.anther", "--between", "0", "10"], "").code(0);
    ran.prints("maybe\t0\t10\n");
    place
        .run_args(["check", "f.anther", "--between", "-20", "-8"], "")
        .code(1)
        .prints("no\t-20\t-8\n");
    let both = ["check", "f.anther", "--between", "-7", "-7", "--between", "13", "99"];
    place.run_args(both, "").code(0).prints("maybe\t-7\t-7\nno\t13\t99\n");
    place
        .run_args(["check", "-v", "f.anther", "--between", "13", "99"], "")
        .code(0)
        .prints("no\t13\t99\n");
    place.run_args(["check", "-c", "f.anther", "--between", "5", "99"], "").code(0).prints("1\n");
    place.run_args(["check", "-q", "f.anther", "--between", "13", "99"], "").code(1).prints("");

    // Single keys, as arguments and as lines.
    place
        .run_args(["check", "f.anther", "-k", "5", "6", "-7", "012"], "")
        .code(0)
        .prints("maybe\t5\nno\t6\nmaybe\t-7\nmaybe\t012\n");
    place.run_on("check f.anther", "5\n6\n1000").code(0).prints("5\n1000");
    place.run_on("check -v f.anther", "5\n6\r\n1000\n").code(0).prints("6\r\n");
    place.run_on("check -n f.anther", "6\n5\n").code(0).prints("2:5\n");
    place.run_on("check f.anther --map", "5\n").code(0).prints("5\n");
}

#[test]
fn the_report_says_what_it_costs() {
    let place = Place::new();
    let keys: String = (0..20_000_u64).map(|i| format!("{}\n", i * 1_000_003)).collect();
    place.write("ids.txt", &keys);
    let ran = place.run("build f.anther ids.txt --as int --kind range --span 1024").code(0);
    assert!(
        ran.err.contains("f.anther: 20,000 distinct keys of 20,000 read; range filter, "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("at most 1 % false positives for ranges of 1,024 integers"),
        "{}",
        ran.err
    );
    let built = "build --force f.anther ids.txt --as int --kind range --span 1024 --json -q";
    let described = place.run(built).code(0).json();
    assert_eq!(described["kind"], "range");
    assert_eq!(described["read"], 20_000);
    let info = place.run("info f.anther --json").code(0).json();
    for (name, value) in [
        ("items", json!(20_000)),
        ("span", json!(1024)),
        ("step", json!(1)),
        ("signed", json!(false)),
        ("fpr_target", json!(0.01)),
        ("format_version", json!(1)),
    ] {
        assert_eq!(info[name], value, "{name}");
        assert_eq!(described[name], value, "{name}");
    }
    let bits = info["bits_per_key"].as_f64().unwrap_or_default();
    assert!((18.0..18.94).contains(&bits), "{bits}");
    let words = String::from_utf8(place.run("info f.anther").code(0).out).unwrap_or_default();
    assert!(
        words.contains("kind     range\n") && words.contains("span     1,024 integers\n"),
        "{words}"
    );
    place.run("verify f.anther").code(0);
    let verified = place.run("verify f.anther --json").code(0).json();
    assert_eq!((&verified["kind"], &verified["sections"]), (&json!("range"), &json!(2)));
}

#[test]
fn times_have_days_offsets_and_unix_seconds() {
    let place = hours();
    let between = |first: &str, last: &str| {
        place.run_args(["check", "hours.anther", "--between", first, last], "").code
    };
    assert_eq!(between("2026-11-17", "2026-11-17"), 0, "a day");
    assert_eq!(between("2026-11-17T08:00", "2026-11-17T08:30:14"), 1);
    assert_eq!(between("2026-11-17T08:00", "2026-11-17T08:30:15"), 0);
    assert_eq!(between("2026-11-17T09:00+01:00", "2026-11-17 09:31+01:00"), 0);
    assert_eq!(between("1794904000", "1794904214"), 1);
    assert_eq!(between("1794904000", "1794904215"), 0);
    assert_eq!(between("2026-11-18", "2026-11-30"), 1);
    place
        .run("check hours.anther 2026-11-17T08:30:15Z 1794904216")
        .code(0)
        .prints("maybe\t2026-11-17T08:30:15Z\nno\t1794904216\n");
    // The file remembers the column.
    place
        .run_on("check hours.anther", "who,time\nx,2026-11-17T09:45:00+00:00\ny,2026-11-17\n")
        .code(0)
        .prints("who,time\nx,2026-11-17T09:45:00+00:00\n");
    let info = place.run("info hours.anther --json").code(0).json();
    assert_eq!((&info["span"], &info["step"]), (&json!(3600), &json!(1_000_000_000)));
    assert_eq!(info["recipe"]["as"], "time");
    // A shorter span has finer steps.
    place.run_on("build ms.anther --as time --kind range --span 500ms", "0.25\n0.7519\n").code(0);
    let info = place.run("info ms.anther --json").code(0).json();
    assert_eq!((&info["span"], &info["step"]), (&json!(500), &json!(1_000_000)));
    place.run_args(["check", "ms.anther", "--between", "0.751", "0.752"], "").code(0);
}

#[test]
fn addresses_have_networks() {
    let place = Place::new();
    let built = "build seen.anther --as ip --kind range --span /24 --fpr 1e-6";
    place.run_on(built, "192.0.2.7\n198.51.100.20\n").code(0);
    let between = |first: &str, last: &str| {
        place.run_args(["check", "seen.anther", "--between", first, last], "").code
    };
    assert_eq!(between("192.0.2.0/24", "192.0.2.0/24"), 0);
    assert_eq!(between("192.0.2.8", "192.0.2.0/24"), 1);
    assert_eq!(between("203.0.113.0/24", "203.0.113.0/24"), 1);
    place.run("check seen.anther 10.0.0.0/8").fails(&["10.0.0.0/8: a network stands for many"]);
    place.run("check seen.anther 2001:db8::1").fails(&["2001:db8::1: ", "IPv6"]);
    let info = String::from_utf8(place.run("info seen.anther").code(0).out).unwrap_or_default();
    assert!(info.contains("span     256 addresses\n"), "{info}");
}

#[test]
fn short_texts_are_in_the_order_of_their_bytes() {
    let place = Place::new();
    place.run_on("build w.anther --kind range --span 1024 --fpr 1e-6", "ant\nbee\ncat\n").code(0);
    let between = |a: &str, b: &str| place.run(&format!("check w.anther --between {a} {b}")).code;
    assert_eq!((between("b", "c"), between("bef", "caq"), between("bef", "cat")), (0, 1, 0));
    place
        .run_on("build x.anther --kind range --span 9", "ant\nelephants\n")
        .fails(&["standard input: line 2: \"elephants\": 9 bytes are too long"]);
    let ran =
        place.run_on("build x.anther --kind range --span 9 --skip-malformed", "ant\nelephants\n");
    assert!(ran.code(0).err.contains("1 malformed record left out"));
}

#[test]
fn ranges_come_in_two_columns() {
    let place = integers("--span 100", "5\n1000\n");
    let ranges = "0 4\n0\t5\n6 999\n999 1001";
    place.run_on("check f.anther --ranges", ranges).code(0).prints("0\t5\n999 1001");
    place.run_on("check f.anther --ranges -v", ranges).code(0).prints("0 4\n6 999\n");
    place.run_on("check f.anther --ranges -c", ranges).code(0).prints("2\n");
    place.write("r.csv", "id,from,to\n1,0,4\n2,0,5\n");
    place
        .run("check f.anther --ranges -f r.csv --format csv --column from --column to")
        .code(0)
        .prints("id,from,to\n2,0,5\n");
    let answers = place.run_on("check f.anther --ranges --json", "0 5\n").code(0).json_lines();
    assert_eq!(answers, [json!({"line": 1, "record": "0 5", "maybe": true})]);
    let answer = place.run("check f.anther --json --between 0 4").code(1).json();
    assert_eq!(answer, json!({"first": "0", "last": "4", "maybe": false}));
    let answer = place.run("check f.anther --json 5").code(0).json();
    assert_eq!(answer, json!({"key": "5", "maybe": true}));

    // What comes before is answered.
    let wrong = |input: &str, before: &str, words: &[&str]| {
        place.run_on("check f.anther --ranges", input).code(2).prints(before).says(words);
    };
    wrong("5 4\n", "", &["line 1: ", "\"5\" to \"4\": the range ends before it begins"]);
    wrong("0 5\nx 9\n0 6\n", "0 5\n", &["line 2: ", "not a whole number"]);
    wrong("0 5\n7\n0 6\n", "0 5\n", &["line 2: no column 2"]);
    let ran = place.run_on("check f.anther", "5\n6\nx\n1000\n").code(2).prints("5\n");
    ran.says(&["line 3: \"x\": not a whole number", "--skip-malformed"]);
    place.run_on("check -q f.anther", "5\nx\n").code(0);
    place
        .run_on("check f.anther --ranges --skip-malformed", "7\n0 5\nx 9\n")
        .code(0)
        .prints("0 5\n");
    place
        .run_on("check f.anther --ranges --column 1 --format csv", "1,2\n")
        .fails(&["--ranges: a range has two bounds"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = integers("--span 100", "5\n");
    place
        .run("build g.anther -k 5 --as int --kind range")
        .fails(&["--span: ", "such as --span 1024"]);
    let refused = |options: &str, words: &[&str]| {
        let built = format!("build g.anther -k 5 --as int --kind range --span 9 {options}");
        place.run(&built).fails(words);
        assert!(!place.names().contains(&"g.anther".to_string()), "{options}");
    };
    refused("--items 9", &["--items: a range filter", "leave it out"]);
    refused("--headroom 2x", &["--headroom: a range filter is static"]);
    refused("--distinct", &["--distinct: "]);
    refused("--window 9", &["--window: a range filter has no such option"]);
    refused("--fpr 200%", &["--fpr"]);
    refused("--key-file x", &["--key-file"]);
    place
        .run("build g.anther -k 5 --as int --kind range --span 1h")
        .fails(&["--span: a time is for", "--as time"]);
    place
        .run("build g.anther -k 5 --as int --kind range --span /24")
        .fails(&["--span: ", "--as ip"]);
    place.run("build g.anther -k 5 --as int --kind range --span 0").fails(&["--span"]);
    place
        .run("build g.anther -k a.org --as domain --kind range --span 9")
        .fails(&["--as: domain keys have no order"]);
    place
        .run("build g.anther -k 5 --span 9")
        .fails(&["--span: is for range filters; add --kind range"]);
    place
        .run_on("build g.anther --as int --kind range --span 9", "5\nsix\n")
        .fails(&["line 2: \"six\": not a whole number"]);
    place
        .run("build g.anther -k six --as int --kind range --span 9")
        .fails(&["\"six\": not a whole number"]);
    place
        .run_on("build g.anther --as int --kind range --span 9", "-1\n9223372036854775808\n")
        .fails(&["the keys are from -1 to 9223372036854775808"]);
    place
        .run_on("build g.anther --as int --kind range --span 9", "18446744073709551616\n")
        .fails(&["beyond 64 bits"]);
    place.run("build g.anther -k 5 --as int --kind range --span 9 --memory 1").fails(&["--memory"]);

    place
        .run("check f.anther --between 9 5")
        .fails(&["--between 9 5: the range ends before it begins"]);
    place.run("check f.anther --between 9").fails(&["--between"]);
    place.run("check f.anther --between 1 x").fails(&["--between 1 x: not a whole number"]);
    place.run("check f.anther seven").fails(&["seven: not a whole number"]);
    place
        .run_on("check f.anther", "5\nx\n")
        .code(2)
        .prints("5\n")
        .says(&["standard input: line 2: \"x\": not a whole number"]);
    place.run("check f.anther 5 --as time").fails(&["--as time contradicts the filter"]);
    place.build("b.anther", "5\n");
    place
        .run("check b.anther --between 1 5")
        .fails(&["--between: b.anther is a blocked filter", "--kind range"]);
    place.run("check f.anther 5 --also b.anther").fails(&["--also: f.anther is a range filter"]);
    place.run("check b.anther 5 --also f.anther").fails(&["f.anther: is a range filter"]);
    place.run("check f.anther 5 --confirm b.anther").fails(&["--confirm: "]);
}

#[test]
fn other_verbs_say_that_it_is_a_range_filter() {
    let place = integers("--span 100", "5\n");
    place.build("b.anther", "5\n");
    let before = place.read("f.anther");
    for verb in [
        "add f.anther -k 6",
        "remove f.anther -k 5",
        "count f.anther 5",
        "get f.anther 5",
        "merge m.anther f.anther b.anther",
        "convert m.anther f.anther --kind classic",
    ] {
        place.run(verb).fails(&["f.anther: is a range filter", "anther check"]);
    }
    assert_eq!(place.read("f.anther"), before);
    // It is a filter, so another may replace it.
    place.run("build f.anther -k 6").fails(&["exists already; --force replaces it"]);
    place.run("build --force f.anther -k 6").code(0);
}

#[test]
fn a_keyed_range_filter_needs_its_key() {
    let place = Place::new();
    let built = "build f.anther --as int --kind range --span 9 --fpr 1e-6 --keyed --key-file k";
    place.run_on(built, "5\n").code(0);
    place.run("check f.anther --between 1 9").fails(&["needs its secret key"]);
    place.run("check f.anther --key-file k --between 1 9").code(0).prints("maybe\t1\t9\n");
    place.run("check f.anther --key-file k --between 6 9").code(1);
    assert_eq!(place.run("info f.anther --json").code(0).json()["seed"], "keyed");
    place.run("verify f.anther").code(0);
}

#[test]
fn no_keys_answer_no() {
    let place = Place::new();
    let ran = place.run_on("build f.anther --as int --kind range --span 9", "").code(0);
    assert!(ran.err.contains("no keys read, so it answers no to every range"), "{}", ran.err);
    place.run("check f.anther --between 0 18446744073709551615").code(1);
}

#[test]
fn it_goes_through_a_pipe() {
    let place = integers("--span 100", "5\n");
    let file = place.read("f.anther");
    place.run_on("check - --between 1 9", &file).code(0).prints("maybe\t1\t9\n");
    place.run_on("info -", &file).code(0);
    let out = place
        .run_on("build -o - --as int --kind range --span 100 --fpr 1e-6 -q", "5\n")
        .code(0)
        .out;
    assert_eq!(out, file);
}

#[test]
fn measure_draws_ranges() {
    let place = Place::new();
    let keys: String = (0..5000_u64).map(|i| format!("{}\n", i * i * 1_000_003)).collect();
    place.write("ids.txt", &keys);
    place.run("build -q f.anther ids.txt --as int --kind range --span 1024").code(0);
    let report = place.run("measure f.anther --members ids.txt --random 20k --json").code(0).json();
    assert_eq!(report["verdict"], "holds");
    assert_eq!((&report["members"], &report["false_negatives"]), (&json!(5000), &json!(0)));
    for queries in ["anywhere", "next_to_keys"] {
        let share = &report[queries];
        assert_eq!(share["ranges"], 20_000, "{queries}");
        assert!(share["fpr_measured"].as_f64().is_some_and(|rate| rate < 0.013), "{share}");
    }
    let words = String::from_utf8(place.run("measure f.anther --members ids.txt").code(0).out)
        .unwrap_or_default();
    assert!(
        words.contains("verdict          holds\n") && words.contains("next to keys"),
        "{words}"
    );

    // Keys of another list are missing.
    place.write("other.txt", "17\n18\n");
    let report = place.run("measure f.anther --members other.txt --json").code(1).json();
    assert_eq!((&report["verdict"], &report["false_negatives"]), (&json!("broken"), &json!(2)));
    place.run("measure f.anther --random 100").fails(&["--random: ", "--members"]);
    place.run("measure f.anther --absent other.txt").fails(&["--absent: a range filter"]);
    // All integers of a range: no range between them is empty.
    let all: String = (0..3000).map(|i| format!("{i}\n")).collect();
    place.write("all.txt", &all);
    place.run("build -q g.anther all.txt --as int --kind range --span 10").code(0);
    let report = place.run("measure g.anther --members all.txt --random 100 --json").code(0).json();
    assert_eq!(report["anywhere"]["ranges"], 0);
}

#[test]
fn times_and_addresses_are_forms_of_every_kind() {
    let place = Place::new();
    place.run_on("build t.anther --as time --fpr 1e-6", "2026-11-17T08:30:00Z\n").code(0);
    place
        .run("check t.anther 1794904200 2026-11-17T09:30+01:00 2026-11-17")
        .code(0)
        .prints("maybe\t1794904200\nmaybe\t2026-11-17T09:30+01:00\nno\t2026-11-17\n");
    place.run("check t.anther noon").fails(&["noon: not a time"]);
    place.run_on("build a.anther --as ip --kind ribbon --fpr 1e-6", "192.0.2.7\n").code(0);
    place
        .run("check a.anther 192.0.2.7 192.0.2.8")
        .code(0)
        .prints("maybe\t192.0.2.7\nno\t192.0.2.8\n");
    place.run("check a.anther 192.0.2.007").fails(&["not an IP address"]);
}
