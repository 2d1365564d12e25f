//! `anther info`.

use crate::support::Place;
use anther::{AnyFilter, Blocked, Classic, Seed, Shape, Target};

#[test]
fn the_names_of_the_fields_are_api() {
    let place = Place::new();
    let keys: String = (0..1000).map(|key| format!("{key}\n")).collect();
    place.build("f.anther --kind classic", keys);
    let info = place.run("info f.anther --json").code(0).json();
    let mut names: Vec<_> = info.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "bits",
            "bits_per_key",
            "bits_sent",
            "bytes",
            "file",
            "fill",
            "format_version",
            "fpr_now",
            "fpr_target",
            "inserted",
            "items",
            "items_error",
            "items_target",
            "kind",
            "layers",
            "may_forget",
            "open",
            "overfull",
            "overhead",
            "pages",
            "parameters",
            "probes",
            "recipe",
            "removable",
            "saturated",
            "seed",
            "stuck"
        ]
    );
    assert_eq!(info["kind"], "classic");
    assert_eq!(info["probes"], 7);
    assert_eq!(info["items_target"], 1000);
    assert_eq!(info["inserted"], 1000);
    assert_eq!(info["fpr_target"], 0.01);
    assert_eq!(info["seed"], "fixed");
    assert_eq!(info["overfull"], false);
    assert_eq!(info["saturated"], false);
    assert_eq!(info["format_version"], 1);
    assert_eq!(info["bytes"], place.read("f.anther").len());
    let number = |name: &str| info[name].as_f64().unwrap();
    assert!((number("items") - 1000.0).abs() < 5.0 * number("items_error"), "{info}");
    assert!((number("bits_per_key") * 1000.0 - number("bits")).abs() < 1e-6);
    assert!((0.4..0.6).contains(&number("fill")) && (0.4..0.5).contains(&number("overhead")));
    assert!((0.005..0.015).contains(&number("fpr_now")));
    assert_eq!(
        info["recipe"],
        serde_json::json!({
            "as": "text", "trim": false, "ignore_case": false, "format": "lines", "columns": [],
            "delimiter": null, "quotes": false, "header": false, "separator": "line"
        })
    );
}

#[test]
fn checksums_of_pages_are_told() {
    let place = Place::new();
    place.build("with.anther --pages", "x\n");
    place.build("without.anther", "x\n");
    for (name, pages, words) in [
        ("with.anther", true, "version 1, with checksums of pages\n"),
        ("without.anther", false, "version 1\n"),
    ] {
        let json = place.run(&format!("info {name} --json")).code(0).json();
        assert_eq!(json["pages"], pages, "{name}");
        let text = place.run(&format!("info {name}")).code(0).out;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(words), "{name}: {text}");
    }
    let piped = place.run_on("info - --json", place.read("with.anther")).code(0).json();
    assert!(piped["pages"].is_null(), "{piped}");
}

#[test]
fn the_recipe_is_told() {
    let place = Place::new();
    place.build("a.anther -0 --column 2 --delimiter : --trim --ignore-case --hex", "");
    let recipe = place.run("info a.anther --json").code(0).json()["recipe"].clone();
    assert_eq!(
        recipe,
        serde_json::json!({
            "as": "hex", "trim": true, "ignore_case": true, "format": "csv", "columns": [2],
            "delimiter": ":", "quotes": false, "header": false, "separator": "nul"
        })
    );
    place.build("b.anther --column mail", "");
    let recipe = place.run("info b.anther --json").code(0).json()["recipe"].clone();
    assert_eq!((&recipe["columns"][0], &recipe["delimiter"]), (&"mail".into(), &",".into()));
    let table = place.run("info b.anther").code(0).out;
    assert!(String::from_utf8(table).unwrap().contains("CSV, column \"mail\""));
}

#[test]
fn no_seed_tells_a_secret() {
    let place = Place::new();
    let target = Target::new(10, 0.01).unwrap();
    for (seed, told) in [
        (Seed::FIXED, serde_json::json!("fixed")),
        (Seed::chosen(u64::MAX), serde_json::json!(u64::MAX)),
        (Seed::keyed(*b"a secret of ours"), serde_json::json!("keyed")),
        (Seed::EXTERNAL, serde_json::json!("external")),
    ] {
        Blocked::with_seed(target, seed).unwrap().save(place.join("f")).unwrap();
        assert_eq!(place.run("info f --json").code(0).json()["seed"], told);
        place.run("info f").code(0);
    }
}

#[test]
fn a_table_for_people() {
    let place = Place::new();
    let keys: String = (0..1000).map(|key| format!("{key}\n")).collect();
    place.build("f.anther", keys);
    let ran = place.run("info f.anther").code(0);
    assert_eq!(ran.err, "");
    let table = String::from_utf8(ran.out).unwrap();
    for part in ["f.anther\n", "  kind     blocked\n", "made for 1,000\n", "now, target 1 %\n"] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
}

#[test]
fn too_many_keys_are_warned_of_with_advice() {
    let place = Place::new();
    let keys: String = (0..30_000).map(|key| format!("{key}\n")).collect();
    place.build("f.anther --items 10k", keys);
    let ran = place.run("info f.anther --json").code(0);
    assert_eq!(ran.json()["overfull"], true);
    assert!(ran.json()["fpr_now"].as_f64().unwrap() > 0.2);
    ran.says(&[
        "warning: f.anther: filter is 30",
        "false-positive rate now",
        "rebuild with --items 30",
    ]);

    let mut full = Classic::with_shape(Shape::bits(8).probes(2), Seed::FIXED).unwrap();
    full.extend(0..100u64);
    AnyFilter::from(full).save(place.join("full")).unwrap();
    let ran = place.run("info full --json").code(0);
    assert_eq!(ran.json()["saturated"], true);
    assert_eq!(ran.json()["fpr_target"], serde_json::Value::Null);
    assert_eq!(ran.json()["recipe"], serde_json::Value::Null);
    ran.says(&["it answers maybe to every key"]);
    place.run("info full").code(0);
}

/// What everyone looks for: seed and bound are there.
#[test]
fn size_is_told_against_the_bound_and_the_seed_by_its_kind() {
    let place = Place::new();
    let keys: String = (0..1000).map(|key| format!("{key}\n")).collect();
    place.build("f.anther --kind classic --seed 7", keys);
    let table = String::from_utf8(place.run("info f.anther").code(0).out).unwrap();
    assert!(table.contains("9.60 bits per key (44 % over the bound)\n"), "{table}");
    assert!(table.contains("  seed     7\n"), "{table}");
}

/// The fill as a picture: 64 columns of two rows, from the cells themselves.
#[test]
fn the_fill_is_drawn() {
    let place = Place::new();
    let picture = |place: &Place, arguments: &str, locale: &str, term: &str| {
        let output = place
            .command(arguments.split_whitespace())
            .env("LC_ALL", locale)
            .env("TERM", term)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        let table = String::from_utf8(output.stdout).unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("           |"));
        rows.map(|row| row.strip_suffix('|').unwrap().to_string()).collect::<Vec<_>>()
    };
    // Cells 0 to 511 are full, 512 to 767 half full, and the rest is empty.
    let mut filter = Classic::with_shape(Shape::bits(1024).probes(1), Seed::FIXED).unwrap();
    for bit in (0..512).chain((512..768).step_by(2)) {
        filter.insert_positions(&[bit]).unwrap();
    }
    filter.save(place.join("f")).unwrap();
    let column = |full: char, half: char, empty: char| {
        let of = |c: char, count: usize| std::iter::repeat_n(c, count).collect::<String>();
        of(full, 32) + &of(half, 16) + &of(empty, 16)
    };
    assert_eq!(
        picture(&place, "info f --picture", "C.UTF-8", "xterm"),
        [column('█', ' ', ' '), column('█', '█', ' ')]
    );
    let ascii = [column('#', ' ', ' '), column('#', '#', ' ')];
    assert_eq!(picture(&place, "info f --picture", "C", "xterm"), ascii);
    assert_eq!(picture(&place, "info f --picture", "C.UTF-8", "dumb"), ascii);
    // Output that is no terminal is plain, unless it is asked for.
    assert!(picture(&place, "info f", "C.UTF-8", "xterm").is_empty());
    assert!(picture(&place, "info f --color always", "C.UTF-8", "xterm").is_empty());
    place.run("info f --picture --json").fails(&["--picture", "--json"]);

    // Kinds without such cells have none, and a filter of eight cells has eight columns.
    place.build("g -q --kind ribbon", "one\n");
    assert!(picture(&place, "info g --picture", "C.UTF-8", "xterm").is_empty());
    let mut small = Classic::with_shape(Shape::bits(8).probes(1), Seed::FIXED).unwrap();
    small.insert_positions(&[3]).unwrap();
    small.save(place.join("h")).unwrap();
    assert_eq!(picture(&place, "info h --picture", "C", "xterm"), ["   #    ", "   #    "]);
}

/// Other versions are refused with what to do, and nothing changes; `--force` may replace them.
#[test]
fn files_of_other_versions_are_refused_and_can_be_built_again() {
    let place = Place::new();
    place.build("f.anther", "one\n");
    let mut old = place.read("f.anther");
    let of_today = old.clone();
    for (version, advice) in [(0, "rebuild it"), (2, "use a newer release")] {
        old[8] = version;
        place.write("f.anther", &old);
        let named = format!("f.anther: format version {version}");
        for verb in ["info f.anther", "check f.anther one", "add f.anther"] {
            place.run(verb).fails(&[&named, advice]);
        }
        place.run("verify f.anther").code(1).says(&[&named, advice]);
        assert_eq!(place.read("f.anther"), old);
        place.build("--force f.anther", "one\n");
        assert_eq!(place.read("f.anther"), of_today);
    }
}

#[test]
fn several_filters_are_described_one_after_the_other() {
    let place = Place::new();
    place.build("a --items 10", "x\n");
    place.build("b --kind classic", "x\ny\n");
    let table = String::from_utf8(place.run("info a b").code(0).out).unwrap();
    let names: Vec<&str> = table.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(names, ["a", "", "b"]);
    // One that cannot be read does not hide the others.
    let ran = place.run("info a none b --json").code(2).says(&["none: no such file"]);
    let described = ran.json_lines();
    assert_eq!(described.len(), 3);
    assert_eq!((&described[0]["file"], &described[0]["kind"]), (&"a".into(), &"blocked".into()));
    assert_eq!(described[1]["file"], "none");
    assert!(described[1]["error"].as_str().unwrap().starts_with("no such file"));
    assert_eq!((&described[2]["file"], &described[2]["kind"]), (&"b".into(), &"classic".into()));
}

/// A filter that has grown is measured by its keys.
#[test]
fn bits_per_key_are_those_of_the_keys_that_are_there() {
    let place = Place::new();
    let keys: String = (0..35_005).map(|key| format!("{key}\n")).collect();
    place.build("q --kind quotient --items 10k", keys);
    let info = place.run("info q --json").code(0).json();
    let (bits, each) = (info["bits"].as_f64().unwrap(), info["bits_per_key"].as_f64().unwrap());
    assert!((each - bits / 35_005.0).abs() < 0.01 && each < 9.0, "{info}");
}

/// States of `uniq` and sketches are files that users have, too.
#[test]
fn files_of_other_verbs_are_described() {
    let place = Place::new();
    for (options, has) in [
        ("", "all lines"),
        ("--fpr 1%", "all lines, --fpr 1%"),
        ("--window 10", "the latest 10 lines (--window)"),
        ("--ttl 5m", "the lines of the latest 300 s (--ttl)"),
    ] {
        let _ = std::fs::remove_file(place.join("seen"));
        place.run_on(&format!("uniq --state seen {options}"), "one\ntwo\none\n").code(0);
        let ran = place.run("info seen").code(0);
        let text = String::from_utf8(ran.out).unwrap();
        assert!(text.contains("state of anther uniq") && text.contains(has), "{options}: {text}");
        let found = place.run("info seen --json").code(0).json();
        assert_eq!(found["kind"], "uniq state");
        let verified = place.run("verify seen").code(0);
        assert!(String::from_utf8(verified.out).unwrap().starts_with("seen: intact: state"));
    }
    let sketch = place.run_on("sketch --for 10 -", "one\ntwo\n").code(0).out;
    place.write("list.sketch", &sketch);
    let found = place.run("info list.sketch --json").code(0).json();
    assert_eq!((&found["kind"], &found["lines"]), (&"sketch".into(), &2.into()));
    assert_eq!(place.run("verify list.sketch --json").code(0).json()["intact"], true);

    place.write("cut.sketch", &sketch[..sketch.len() - 1]);
    let state = place.read("seen");
    let mut flipped = state.clone();
    flipped[state.len() / 2] ^= 1;
    place.write("flipped", flipped);
    for name in ["cut.sketch", "flipped"] {
        place.run(&format!("info {name}")).fails(&[name]);
        assert_eq!(place.run(&format!("verify {name} --json")).code(1).json()["intact"], false);
    }
    place.run("check seen one").fails(&["a state of anther uniq"]);
    place.run("check list.sketch one").fails(&["a sketch, which anther diff"]);
}
