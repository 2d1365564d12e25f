//! `anther info`.

mod support;

use anther::{AnyFilter, Blocked, Classic, Seed, Shape, Target};
use support::Place;

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
    assert_eq!(info["format_version"], 0);
    assert_eq!(info["bytes"], place.read("f.anther").len());
    let number = |name: &str| info[name].as_f64().unwrap();
    assert!((number("items") - 1000.0).abs() < 5.0 * number("items_error"), "{info}");
    assert!((number("bits_per_key") * 1000.0 - number("bits")).abs() < 1e-6);
    assert!((0.4..0.6).contains(&number("fill")) && (0.4..0.5).contains(&number("overhead")));
    assert!((0.005..0.015).contains(&number("fpr_now")));
    assert_eq!(
        info["recipe"],
        serde_json::json!({
            "separator": "line", "column": null, "delimiter": null,
            "trim": false, "ignore_case": false, "hex": false
        })
    );
}

#[test]
fn the_recipe_is_told() {
    let place = Place::new();
    place.build("a.anther -0 --column 2 --delimiter : --trim --ignore-case --hex", "");
    let recipe = place.run("info a.anther --json").code(0).json()["recipe"].clone();
    assert_eq!(
        recipe,
        serde_json::json!({
            "separator": "nul", "column": 2, "delimiter": ":",
            "trim": true, "ignore_case": true, "hex": true
        })
    );
    place.build("b.anther --column mail", "");
    let recipe = place.run("info b.anther --json").code(0).json()["recipe"].clone();
    assert_eq!((&recipe["column"], &recipe["delimiter"]), (&"mail".into(), &",".into()));
    let table = place.run("info b.anther").code(0).out;
    assert!(String::from_utf8(table).unwrap().contains("lines, column \"mail\" by ','"));
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
    for part in ["f.anther\n", "  kind     blocked\n", "made for 1,000\n", "1 % promised\n"] {
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
    ran.says(&["warning: f.anther: filter is 30", "rate now", "rebuild with --items 30"]);

    let mut full = Classic::with_shape(Shape::bits(8).probes(2), Seed::FIXED).unwrap();
    full.extend(0..100u64);
    AnyFilter::from(full).save(place.join("full")).unwrap();
    let ran = place.run("info full --json").code(0);
    assert_eq!(ran.json()["saturated"], true);
    assert_eq!(ran.json()["fpr_target"], serde_json::Value::Null);
    assert_eq!(ran.json()["recipe"], serde_json::Value::Null);
    ran.says(&["it says maybe to everything"]);
    place.run("info full").code(0);
}
