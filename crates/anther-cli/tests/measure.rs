//! `anther measure`.

use crate::support::{self, Place, Ran};
use anther::{
    AnyFilter, Blocked, Classic, Kind, LoadError, Open, PlainBits, Seed, Shape, Stable, Target,
};
use std::process::Stdio;

/// Words of four syllables; different numbers give different ones.
fn word(number: u64) -> String {
    let mut rest = number * 61_740_133 % 100_000_000;
    let mut word = String::new();
    for _ in 0..4 {
        for letters in ["bcdfghjklmnpqrstvwxz", "aeiou"] {
            let len = letters.len() as u64;
            word.extend(letters.chars().nth(usize::try_from(rest % len).unwrap_or(0)));
            rest /= len;
        }
    }
    word
}

fn lines(numbers: impl Iterator<Item = u64>) -> String {
    numbers.map(|number| word(number) + "\n").collect()
}

/// A filter of 1000 words at 1 %, and lists of them, of 20,000 others, and of both.
fn thousand(options: &str) -> Place {
    let place = Place::new();
    place.write("in", lines(0..1000));
    place.write("out", lines(100_000..120_000));
    place.write("mixed", lines((500..1000).chain(100_000..103_000)));
    place.build(&format!("f.anther in -q {options}"), "");
    place
}

/// The line of the table with this name.
#[track_caller]
fn row(ran: &Ran, name: &str) -> String {
    let table = String::from_utf8_lossy(&ran.out).into_owned();
    let start = format!("  {name} ");
    let line = table.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| unreachable!("{name:?} is not in {table}")).trim().to_string()
}

/// Source 000: "Anzahl Wörter: 58110, gewünschte maximale Fehlerwahrscheinlichkeit: 1%, Anzahl
/// Hash-Funktionen: 7, Anzahl Testwerte: 20000, Zuverlässigkeit: 99.59…".
#[test]
fn the_five_facts_of_the_reliability_test() {
    let place = Place::new();
    place.write("words.txt", lines(0..58_110));
    place.write("absent.txt", lines(58_110..78_110));
    place.build("words.anther words.txt --kind classic --fpr 1%", "");
    let ran = place.run("measure words.anther --members words.txt --absent absent.txt").code(0);
    assert_eq!(ran.err, "");
    assert!(ran.out.starts_with(b"words.anther\n"));
    assert_eq!(row(&ran, "keys"), "58,110");
    assert_eq!(row(&ran, "FPR target"), "1 %");
    assert_eq!(row(&ran, "probes"), "7 per key");
    assert_eq!(row(&ran, "test keys"), "20,000");
    assert_eq!(row(&ran, "false negatives"), "0");
    assert_eq!(row(&ran, "verdict"), "holds");

    // The same lookups by check.
    let count = place.run_on("check -c words.anther", place.read("absent.txt")).code(0);
    let wrong: u64 = String::from_utf8(count.out).unwrap().trim().parse().unwrap();
    assert_eq!(row(&ran, "false positives"), wrong.to_string());
    // 200 ± 14 are expected, and 6σ of both are this wide.
    assert!((116..=284).contains(&wrong), "{wrong}");
    let reliability: f64 = row(&ran, "reliability").strip_suffix(" %").unwrap().parse().unwrap();
    assert!((reliability - (100.0 - wrong as f64 / 200.0)).abs() < 1e-4, "{reliability}");
    assert!(row(&ran, "FPR measured").contains("(Clopper-Pearson, 99 %)"));
}

#[test]
fn the_names_of_the_fields_are_api() {
    let place = thousand("");
    let found = place.run("measure f.anther --members in --absent out --json").code(0).json();
    let mut names: Vec<_> = found.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "absent",
            "confidence",
            "false_negatives",
            "false_positives",
            "file",
            "fpr_allowed",
            "fpr_high",
            "fpr_low",
            "fpr_measured",
            "fpr_now",
            "fpr_promised",
            "items",
            "items_target",
            "kind",
            "members",
            "misses_high",
            "misses_low",
            "misses_measured",
            "misses_promised",
            "overfull",
            "precision",
            "probe",
            "probes",
            "promise",
            "reliability",
            "saturated",
            "set_aside",
            "test_values",
            "verdict"
        ]
    );
    assert_eq!(found["file"], "f.anther");
    assert_eq!(found["kind"], "blocked");
    assert_eq!((&found["members"], &found["false_negatives"]), (&1000.into(), &0.into()));
    assert_eq!((&found["absent"], &found["test_values"]), (&20_000.into(), &20_000.into()));
    assert_eq!((&found["misses_promised"], &found["misses_low"]), (&0.0.into(), &0.0.into()));
    assert_eq!((&found["fpr_promised"], &found["promise"]), (&0.01.into(), &"target".into()));
    assert_eq!((&found["confidence"], &found["verdict"]), (&0.99.into(), &"holds".into()));
    assert_eq!((&found["set_aside"], &found["probe"]), (&0.into(), &serde_json::Value::Null));
    // Of members and others in lists of their own it would depend on how long these are.
    assert!(found["precision"].is_null());
    let number = |name: &str| found[name].as_f64().unwrap();
    let wrong = number("false_positives");
    assert_eq!(number("fpr_measured"), wrong / 20_000.0);
    assert!((number("reliability") - (100.0 - wrong / 200.0)).abs() < 1e-9);
    assert!(number("fpr_low") < number("fpr_measured"));
    assert!(number("fpr_measured") < number("fpr_high"));
    let info = place.run("info f.anther --json").json();
    for name in ["fpr_now", "probes", "items", "items_target", "overfull"] {
        assert_eq!(found[name], info[name], "{name}");
    }
    // What was not measured is null, and not a number that looks like an answer.
    let found = place.run("measure f.anther --members in --json").code(0).json();
    for name in ["test_values", "absent", "false_positives", "fpr_measured", "reliability"] {
        assert!(found[name].is_null(), "{name}");
    }
    let found = place.run("measure f.anther --absent out --json").code(0).json();
    for name in ["members", "false_negatives", "misses_measured"] {
        assert!(found[name].is_null(), "{name}");
    }
}

#[test]
fn a_mixed_list_is_judged_exactly() {
    let place = thousand("");
    let found = place.run("measure f.anther --members in --probe mixed --json").code(0).json();
    let probe = &found["probe"];
    let wrong = probe["false_positives"].as_u64().unwrap();
    assert!(wrong > 0, "30 are expected: {found}");
    assert_eq!((&probe["true_positives"], &probe["false_negatives"]), (&500.into(), &0.into()));
    assert_eq!(probe["true_negatives"], 3000 - wrong);
    assert_eq!((&found["test_values"], &found["absent"]), (&3500.into(), &3000.into()));
    assert_eq!(found["fpr_measured"], wrong as f64 / 3000.0);
    assert_eq!(found["false_positives"], wrong);
    let ran = place.run("measure f.anther --members in --probe mixed").code(0);
    assert_eq!(row(&ran, "test keys"), "3,500: 500 members and 3,000 absent");
    let precision = 100.0 * 500.0 / (500 + wrong) as f64;
    assert_eq!(found["precision"], precision);
    let all = 500 + wrong;
    let words = row(&ran, "precision");
    assert!(words.ends_with(&format!(" %: 500 of the {all} positives are members")), "{words}");
    assert!(words.starts_with(&format!("{precision:.1}")), "{words} {precision}");

    // The same list as one of absent keys: members in it count for nothing, and are told.
    let ran = place.run("measure f.anther --members in --absent mixed --json").code(0);
    let set_aside = ran.json();
    assert_eq!((&set_aside["absent"], &set_aside["set_aside"]), (&3000.into(), &500.into()));
    assert_eq!(set_aside["false_positives"], wrong);
    ran.says(&["f.anther: 500 keys of --absent are members; they were not counted"]);
    // Without the list of members nothing is set aside.
    let found = place.run("measure f.anther --absent mixed --json").code(1).json();
    assert_eq!(found["false_positives"], 500 + wrong);
}

#[test]
fn random_keys_are_the_same_each_time() {
    let place = thousand("");
    let run = |options: &str| {
        let found = place.run(&format!("measure f.anther --json --random 50k {options}")).json();
        assert_eq!(found["absent"], 50_000);
        found["false_positives"].as_u64().unwrap()
    };
    let first = run("");
    assert_eq!((run(""), run("--random-seed 0"), run("--members in")), (first, first, first));
    let others: Vec<_> = (1..6).map(|seed| run(&format!("--random-seed {seed}"))).collect();
    assert!(others.iter().any(|other| *other != first), "{others:?}");
    // 500 ± 22, of a filter that is itself a few per cent off.
    assert!(others.iter().all(|wrong| (300..700).contains(wrong)), "{others:?}");
}

#[test]
fn a_filter_that_holds_too_much_is_broken_and_advice_is_given() {
    let place = thousand("");
    place.write("many", lines(0..20_000));
    place.build("over.anther many --items 1000 -q", "");
    let ran = place.run("measure over.anther --members many --absent out").code(1);
    assert_eq!(row(&ran, "verdict"), "broken: the FPR is above 1 % by more than chance");
    assert_eq!(row(&ran, "false negatives"), "0");
    assert!(row(&ran, "FPR by cells").contains(" keys, but was made for 1,000"), "{ran:?}");
    ran.says(&["warning: over.anther", "rebuild with"]);

    // Half as many again: the rate is 4 %, not all maybe.
    place.write("some", lines(0..1500));
    place.build("some.anther some --items 1000 -q", "");
    let ran = place.run("measure some.anther --members some --absent out --json").code(1);
    let found = ran.json();
    assert_eq!((&found["verdict"], &found["overfull"]), (&"broken".into(), &true.into()));
    assert_eq!(found["fpr_allowed"], 0.01);
    assert!(found["fpr_low"].as_f64().unwrap() > 0.01);
    ran.says(&["some.anther: filter is 1", "% full", "rebuild with --items 1", "scalable"]);
    place.run("measure some.anther --absent out -q").code(1).prints("");
}

/// Cells are cleared that keys had set: the worst that can happen to a filter.
#[test]
fn a_single_false_negative_breaks_it() {
    let place = thousand("--kind classic");
    let whole = Open::new().file(place.join("f.anther")).unwrap();
    without_a_word(whole).save(place.join("forged.anther")).unwrap();
    place.run("verify forged.anther").code(0);
    let ran = place.run("measure forged.anther --members in --random 10k").code(1);
    let missed: u64 = row(&ran, "false negatives").parse().unwrap();
    assert!(missed > 0);
    let verdict = row(&ran, "verdict");
    assert!(verdict.starts_with("broken: ") && verdict.contains("false negative"), "{verdict}");
    let json = place.run("measure forged.anther --members in --json").code(1).json();
    assert_eq!((&json["false_negatives"], &json["verdict"]), (&missed.into(), &"broken".into()));
    // By a mixed list, too.
    let json = place.run("measure forged.anther --members in --probe mixed --json").code(1).json();
    assert!(json["probe"]["false_negatives"].as_u64().unwrap() > 0, "{json}");

    // One key of a list that is not in the filter.
    place.write("in-and-one", lines((0..1000).chain([5_000_000])));
    let ran = place.run("measure f.anther --members in-and-one").code(1);
    assert_eq!(row(&ran, "verdict"), "broken: 1 false negative");
}

/// The filter with one word of cells at 0, in which keys had set some: what is left of it where
/// another has all bits but those.
fn without_a_word(filter: AnyFilter) -> AnyFilter {
    let AnyFilter::Classic(mut classic) = filter else { unreachable!("a classic filter") };
    let mut others = classic.clone();
    others.clear();
    for bit in (0..classic.bits().len()).filter(|bit| bit / 64 != 3) {
        assert!(others.insert_positions(&[bit; 7]).is_ok());
    }
    assert!(classic.bits().words()[3] != 0);
    assert!(classic.intersect(&others).is_ok());
    assert_eq!(classic.bits().words()[3], 0);
    classic.into()
}

/// The promise is a mean over filters: one of few keys lies above it by chance, its cells show it,
/// and a close look must not call it broken.
#[test]
fn chance_does_not_break_a_small_filter() {
    let place = Place::new();
    place.write("in", lines(0..1000));
    let mut above = 0;
    for seed in 1..=6 {
        place.build(&format!("f.anther in -q --force --kind classic --seed {seed}"), "");
        let found = place.run("measure f.anther --members in --random 2M --json").code(0).json();
        let number = |name: &str| found[name].as_f64().unwrap();
        above += u64::from(number("fpr_low") > number("fpr_promised"));
        assert!(number("fpr_allowed") >= number("fpr_now"), "{found}");
    }
    assert!(above > 0, "without the allowance, some would be called broken");
}

#[test]
fn few_test_values_are_warned_of() {
    let place = thousand("--fpr 1e-6");
    let ran = place.run("measure f.anther --random 1000").code(0);
    assert!(row(&ran, "verdict").contains("too few test keys"));
    ran.says(&[
        "1,000 test keys are too few to test such a low false-positive rate",
        "--random 100000000",
    ]);
    let ran = place.run("measure f.anther --random 1000 -q").code(0).prints("");
    assert_eq!(ran.err, "");
}

#[test]
fn a_filter_of_a_shape_is_measured_by_its_cells() {
    let place = Place::new();
    let mut filter = Classic::with_shape(Shape::bits(10_000).probes(5), Seed::FIXED).unwrap();
    filter.extend((0..1500).map(word));
    filter.save(place.join("shape.anther")).unwrap();
    place.write("in", lines(0..1500));
    let found = place.run("measure shape.anther --members in --random 100k --json").code(0).json();
    assert_eq!((&found["promise"], &found["items_target"]), (&"cells".into(), &().into()));
    assert_eq!(found["fpr_promised"], found["fpr_now"]);
    let ran = place.run("measure shape.anther --members in --random 100k").code(0);
    assert!(row(&ran, "FPR target").starts_with("none (made from bits and probes)"));
}

/// Kinds that are made to forget are judged by how much they may.
#[test]
fn forgetting_is_judged_by_its_promise() {
    let place = Place::new();
    place.write("stream", lines(0..20_000));
    place.write("latest", lines(19_000..20_000));
    place.write("oldest", lines(0..1000));
    place.build("stable.anther stream --kind stable --items 1000 -q", "");
    let ran = place.run("measure stable.anther --members latest --random 20k").code(0);
    let missed = row(&ran, "false negatives");
    assert!(missed.contains("forgotten") && missed.contains("at most 10 % promised"), "{missed}");
    assert_eq!(row(&ran, "verdict"), "holds");
    // Nothing is promised of a stream that is twenty times as long as the window.
    let ran = place.run("measure stable.anther --members stream --random 20k").code(0);
    assert!(row(&ran, "false negatives").contains("nothing is promised for this many keys"));
    let found = place.run("measure stable.anther --members stream --json").code(0).json();
    assert!(found["misses_promised"].is_null());
    assert!(found["misses_measured"].as_f64().unwrap() > 0.5);
    // Those that came first pass for the latest, and nearly all are gone.
    let ran = place.run("measure stable.anther --members oldest").code(1);
    assert_eq!(row(&ran, "verdict"), "broken: it forgets more than 10 %");

    // Of the latest ones, this kind forgets none.
    place.build("aging.anther stream --kind aging --items 1000 -q", "");
    let ran = place.run("measure aging.anther --members latest --random 20k").code(0);
    assert_eq!(
        (row(&ran, "false negatives").as_str(), row(&ran, "verdict").as_str()),
        ("0", "holds")
    );
    let ran = place.run("measure aging.anther --members stream --random 20k").code(0);
    assert!(row(&ran, "false negatives").contains("nothing is promised for this many keys"));
    let ran = place.run("measure aging.anther --members oldest").code(1);
    assert!(row(&ran, "verdict").starts_with("broken: 9"), "{}", row(&ran, "verdict"));

    place.build("few.anther oldest --kind generalized -q", "");
    place.run("measure few.anther --members oldest --random 20k").code(0);
    place.build("many.anther stream --kind generalized --items 1000 -q", "");
    place.run("measure many.anther --members stream").code(1).says(&["rebuild with --items"]);

    // Without a target nothing is known.
    let mut stable = Stable::with_cells(5000, 3, 2, 10, Seed::FIXED).unwrap();
    stable.extend((0..1000).map(word));
    stable.save(place.join("shape.anther")).unwrap();
    place.run("measure shape.anther --members oldest").code(0);
}

/// Every kind keeps its promise, as far as 100,000 random keys show.
#[test]
fn every_kind_holds() {
    let place = Place::new();
    place.write("in", lines(0..3000));
    place.write("pairs", (0..3000).map(|i| format!("{}\t{i}\n", word(i))).collect::<String>());
    for kind in Kind::ALL {
        let (list, values) = match kind.capabilities().values {
            true => ("pairs", true),
            false => ("in", false),
        };
        let options = support::of_kind(*kind);
        place.build(&format!("f.anther {list} -q --force {options}"), "");
        let ran = place.run(&format!("measure f.anther --members {list} --random 100k --json"));
        let found = ran.code(0).json();
        assert_eq!((&found["kind"], &found["members"]), (&kind.name().into(), &3000.into()));
        if values {
            place.run("measure f.anther --members in --random 1000 -q").code(0);
        }
    }
}

#[test]
fn lists_come_in_every_form() {
    let place = thousand("");
    let expected = place.run("measure f.anther --members in --absent out --json").json();
    // Standard input, several lists, line ends of another system, keys that come twice.
    let dos = |name: &str| {
        String::from_utf8(place.read(name)).unwrap().replace('\n', "\r\n").into_bytes()
    };
    place.write("in.dos", dos("in"));
    place.write("out.dos", dos("out"));
    place.write("out.1", lines(100_000..110_000));
    place.write("out.2", lines(105_000..120_000));
    place.write("twice", place.read("in").repeat(2));
    for (options, input) in [
        ("--members in --absent -", place.read("out")),
        ("--members - --absent out", place.read("in")),
        ("--members in.dos --absent out.dos", Vec::new()),
        ("--members twice --absent out.1 --absent out.2", Vec::new()),
        ("--members in --members twice --absent out", Vec::new()),
    ] {
        let found = place.run_on(&format!("measure f.anther --json {options}"), input);
        assert_eq!(found.code(0).json(), expected, "{options}");
    }
    // A pipe, and not a file that stands for one.
    let mut child = place
        .command(["measure", "f.anther", "--members", "in", "--absent", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, &place.read("out")).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(), expected);

    // The recipe of the file is applied unasked, and contradicted by none.
    place.write("c.csv", "id,word\n1,alpha\n2,beta\n");
    place.build("c.anther c.csv --column word --ignore-case --fpr 1e-6", "");
    place.write("other.csv", "word,x\nALPHA,1\nBeta,2\n");
    let ran = place.run("measure c.anther --members other.csv --random 10").code(0);
    assert_eq!(row(&ran, "keys"), "2");
    place.run("measure c.anther --members in --hex").fails(&["--as hex contradicts the filter"]);
    place.run("measure c.anther --members in").fails(&["in: line 1", "\"word\""]);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let place = thousand("");
    place.write("empty", "");
    for (options, parts) in [
        ("", &["nothing to measure with", "--members F", "--absent F", "--random 100k"][..]),
        ("--members empty", &["--members: empty has no keys"]),
        ("--absent empty", &["--absent: empty has no keys"]),
        ("--absent -", &["--absent: standard input has no keys"]),
        ("--members in --probe empty", &["--probe: empty has no keys"]),
        ("--members in --absent in", &["--absent: all 1,000 keys are members", "--random"]),
        ("--members in --probe in", &["--probe: all 1,000 keys are members"]),
        ("--members - --absent -", &["standard input: can be read only once"]),
        ("--members missing", &["missing: no such file"]),
        ("--members in --absent missing", &["missing: no such file"]),
        ("--absent f.anther", &["f.anther: is a filter, not a list"]),
        ("--absent .", &[".: is a folder"]),
        ("--probe mixed", &["--members"]),
        ("--random 0", &["--random", "must be 1 or more"]),
        ("--random -5", &["--random", "whole number"]),
        ("--random some", &["--random", "whole number"]),
        ("--random 10 --absent out", &["--absent", "cannot be used with", "--random"]),
        ("--random 10 --members in --probe out", &["--probe", "cannot be used with"]),
        ("--members in --absent out --probe out", &["--absent", "cannot be used with"]),
        ("--members in --random-seed 5", &["--random <N>"]),
        ("--random 10 --confidence 99", &["did you mean 99%?"]),
        ("--random 10 --confidence 100%", &["between 50% and 100%"]),
        ("--random 10 --confidence 0", &["between 50% and 100%"]),
        ("--members in --memory 1kB", &["in: the keys need more than 1 kB of memory", "--memory"]),
    ] {
        place.run(&format!("measure f.anther {options}")).fails(parts);
    }
    place.run("measure missing --random 10").fails(&["missing: no such file"]);
    place.run("measure in --random 10").fails(&["in: not an anther filter"]);
    let keyed = Blocked::with_seed(Target::new(10, 0.01).unwrap(), Seed::keyed([7; 16])).unwrap();
    keyed.save(place.join("keyed")).unwrap();
    assert!(matches!(
        Open::new().file::<AnyFilter>(place.join("keyed")),
        Err(LoadError::KeyNeeded)
    ));
    place.run("measure keyed --random 10").fails(&["keyed: is keyed and needs its secret key"]);
}

#[test]
fn the_confidence_is_a_choice() {
    let place = thousand("");
    let ends = |options: &str| {
        let run = format!("measure f.anther --absent out --json {options}");
        let found = place.run(&run).code(0).json();
        let number = |name: &str| found[name].as_f64().unwrap();
        [number("confidence"), number("fpr_low"), number("fpr_high")]
    };
    let [usual, low, high] = ends("");
    let [narrow, low_95, high_95] = ends("--confidence 95%");
    let [wide, low_999, high_999] = ends("--confidence 0.999");
    assert_eq!([usual, narrow, wide], [0.99, 0.95, 0.999]);
    assert!(low_999 < low && low < low_95 && high_95 < high && high < high_999);
}

/// No damage makes a filter miss most of its keys: the list is another one.
#[test]
fn members_of_another_filter_are_noticed() {
    let place = Place::new();
    place.build("f", "Alice\nBob\nCarol\n");
    place.write("other.txt", "alice\nbob\nCarol\n");
    let ran = place.run("measure f --members other.txt").code(1);
    ran.says(&[
        "warning: f: 2 of the 3 keys of --members are certainly not in the filter; was it built",
    ]);
    place.write("same.txt", "Alice\nBob\nCarol\n");
    assert_eq!(place.run("measure f --members same.txt").code(0).err, "");
}

/// As `check` does: a filter whose entries are many for its size finds more by them than alone.
#[test]
fn test_keys_are_looked_up_with_what_they_are_below() {
    let place = Place::new();
    let networks: String = (8..=24).map(|len| format!("10.{}.0.0/{len}\n", len * 3)).collect();
    place.write("members", &networks);
    place.build("f.anther members --as ip --kind classic --items 30", "");
    let absent: String = (0..20_000).map(|i| format!("77.{}.{}.7\n", i / 200, i % 200)).collect();
    place.write("absent", &absent);
    let found = place.run("check -c f.anther -f absent").code(0).out;
    let found: u64 = String::from_utf8_lossy(&found).trim().parse().expect("a number");
    let measured = |option: &str| {
        place.run(&format!("measure f.anther --members members {option} --json")).json()
    };
    for option in ["--absent absent", "--probe absent"] {
        assert_eq!(measured(option)["false_positives"], found, "{option}");
    }

    // What is below a member is one.
    place.build("n.anther --as ip", "10.0.0.0/8\n");
    place.write("absent", "10.1.2.3\n10.1.2.4\n11.1.2.3\n");
    place.write("members", "10.0.0.0/8\n");
    let ran = place.run("measure n.anther --absent absent").code(1);
    assert_eq!(row(&ran, "false positives"), "2");
    let ran = place.run("measure n.anther --members members --absent absent").code(0);
    ran.says(&["2 keys of --absent are members"]);
    let ran = place.run("measure n.anther --members members --probe absent").code(0);
    assert_eq!(row(&ran, "false positives"), "0");
    assert!(row(&ran, "test keys").contains("2 members and 1 absent"));
    // A member is found by what it is below, as by check.
    place.write("members", "10.0.0.0/8\n10.7.7.7\n11.7.7.7\n");
    place.run("check -c n.anther -f members").prints("2\n");
    let ran = place.run("measure n.anther --members members").code(1);
    assert_eq!(row(&ran, "false negatives"), "1");
    place.write("members", "10.7.7.7\n");
    let ran = place.run("measure n.anther --members members").code(0);
    assert_eq!(row(&ran, "false negatives"), "0");
}
