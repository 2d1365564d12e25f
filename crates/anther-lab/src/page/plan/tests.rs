//! Questions of newcomers, and what must hold for all kinds.

use super::*;
use serde_json::{Value, json};
use std::fs;

fn ask(question: Value) -> Value {
    let question: Question = serde_json::from_value(question).unwrap();
    serde_json::to_value(plan(&question).unwrap()).unwrap()
}

fn error(question: Value) -> String {
    plan(&serde_json::from_value(question).unwrap()).unwrap_err().to_string()
}

fn row<'a>(plan: &'a Value, kind: &str) -> &'a Value {
    plan["rows"].as_array().unwrap().iter().find(|row| row["kind"] == kind).unwrap()
}

/// Ten million e-mail addresses, 16 MiB: how sure?
#[test]
fn how_sure() {
    let plan = ask(json!({ "fields": { "items": "10M", "memory": "16 MiB" } }));
    assert_eq!(plan["recommended"], "blocked");
    assert_eq!(plan["fpr"]["text"], "0.23 %");
    assert_eq!(plan["fpr"]["note"], "1 in 434");
    assert_eq!(plan["headline"][0], "0.23 % false positives for 10M keys in 16.8 MB.");
    assert_eq!(
        (&plan["memory"]["text"], &plan["memory"]["note"]),
        (&json!("16 MiB"), &json!("16.8 MB"))
    );
    assert_eq!(plan["rows"].as_array().unwrap().len(), Kind::ALL.len() + 1);
    assert_eq!(plan["rows"][0]["kind"], "blocked");
    assert!(
        row(&plan, "generalized")["error"].as_str().unwrap().starts_with("needs at least 23.1 MB")
    );
}

/// Which kind, if keys are removed?
#[test]
fn which_kind() {
    let fields = json!({ "items": "10M", "memory": "16 MiB" });
    let plan = ask(json!({ "fields": fields, "needs": ["remove"] }));
    assert_eq!(plan["recommended"], "quotient");
    assert_eq!(plan["reason"], "the lowest false-positive rate of the kinds that remove every key");
    assert!(!row(&plan, "blocked")["meets"].as_bool().unwrap());

    let both = ask(json!({ "fields": fields, "needs": ["remove", "values"] }));
    assert_eq!((&both["recommended"], &both["lines"]), (&Value::Null, &json!([])));
    assert!(both["reason"].as_str().unwrap().starts_with("no kind does remove + values at once"));

    // Somebody chose another.
    let other = ask(json!({ "fields": fields, "needs": ["remove"], "kind": "cuckoo" }));
    assert_eq!((&other["chosen"], &other["fpr"]["text"]), (&json!("cuckoo"), &json!("0.175 %")));
}

/// What does 0.1 % cost?
#[test]
fn what_it_costs() {
    let plan = ask(json!({ "fields": { "items": "10M", "fpr": "0.1 %" } }));
    assert_eq!(plan["memory"]["text"], "19.4 MB");
    assert_eq!(plan["bound"]["bits_per_key"], "9.97");
    assert_eq!(row(&plan, "blocked")["solved"]["bits_text"], "15.55");
    assert_eq!(row(&plan, "blocked")["solved"]["time"]["with"], "10M keys at 0.1 %");
    assert!(row(&plan, "quotient")["solved"]["time"].is_null());

    let keys = ask(json!({ "fields": { "memory": "1GiB", "fpr": "1%" }, "kind": "classic" }));
    assert_eq!(keys["items"]["text"], "895,442,002");
}

#[test]
fn ranges_and_adversaries() {
    let fields = json!({ "items": "1M", "fpr": "1 %", "span": "1024" });
    let plan = ask(json!({ "fields": fields, "needs": ["ranges", "static"] }));
    assert_eq!(plan["recommended"], "range");
    assert_eq!(row(&plan, "range")["solved"]["bits_text"], "18.56");
    let none = ask(json!({ "fields": fields, "needs": ["ranges", "remove"] }));
    assert!(none["recommended"].is_null());
    assert!(none["reason"].as_str().unwrap().starts_with("only range filters"));

    let keyed = ask(json!({ "fields": fields, "needs": ["adversaries"] }));
    assert_eq!(keyed["recommended"], "blocked");
    assert!(keyed["lines"][0]["text"].as_str().unwrap().contains(" --keyed --key-file seen.key\n"));
}

#[test]
fn hash_functions_are_for_kinds_that_let_you_choose() {
    let fields = json!({ "items": "10M", "fpr": "1 %", "probes": "4" });
    let plan = ask(json!({ "fields": fields }));
    assert_eq!(row(&plan, "blocked")["solved"]["probes"], 4);
    assert!(plan["lines"][0]["text"].is_null(), "the program cannot choose them");
    let cuckoo = row(&plan, "cuckoo");
    assert_eq!(
        cuckoo["notes"].as_array().unwrap().last().unwrap(),
        "chooses its number of hash functions itself"
    );
}

/// At 1e-8, a blocked filter takes 1.7 times the memory of a classic one.
#[test]
fn classic_is_for_low_rates() {
    for (fields, kind) in [
        (json!({ "items": "10M", "fpr": "1e-5" }), "blocked"),
        (json!({ "items": "10M", "fpr": "0.99e-5" }), "classic"),
        (json!({ "items": "10M", "fpr": "1e-8" }), "classic"),
        (json!({ "items": "10M", "memory": "100 MB" }), "classic"),
        (json!({ "items": "10M", "memory": "20 MB" }), "blocked"),
    ] {
        assert_eq!(ask(json!({ "fields": fields }))["recommended"], kind, "{fields}");
    }
}

#[test]
fn what_a_tenth_costs() {
    let tenth = |fields: Value, kind: &str| {
        let plan = ask(json!({ "fields": fields, "kind": kind }));
        plan["headline"][2].as_str().unwrap().to_string()
    };
    let given = tenth(json!({ "items": "10M", "fpr": "0.1 %" }), "quotient");
    assert!(given.starts_with("A tenth of your target, 0.01 %, would take"), "{given}");
    let computed = tenth(json!({ "items": "10M", "memory": "16 MiB" }), "blocked");
    assert!(computed.starts_with("A rate of 0.023 % would take"), "{computed}");
    let much = tenth(json!({ "items": "10M", "memory": "832" }), "stable");
    assert!(much.ends_with(" times as much memory."), "{much}");
}

/// The bound holds for kinds that find all keys.
#[test]
fn kinds_that_forget_have_no_bound() {
    let plan = ask(json!({ "fields": { "items": "10M", "memory": "832" }, "kind": "stable" }));
    assert!(plan["bound"].is_null());
    assert_eq!(row(&plan, "stable")["solved"]["overhead_text"], "–");
    let plan = ask(json!({ "fields": { "items": "10M", "fpr": "99.9 %" }, "kind": "blocked" }));
    assert_eq!(plan["fpr"]["note"], "");
    assert!(plan["headline"][1].as_str().unwrap().contains(" % get a maybe."), "{plan}");
    for row in plan["rows"].as_array().unwrap() {
        let over = row["solved"]["overhead_text"].as_str().unwrap_or("–");
        assert!(!over.contains("+-") && over.len() < 20, "{over}");
    }
}

#[test]
fn numbers_as_people_write_them() {
    for text in ["10,000,000", "10 000 000", "10\u{a0}000\u{202f}000", " 10M "] {
        let plan = ask(json!({ "fields": { "items": text, "fpr": "1 %" } }));
        assert_eq!(plan["items"]["number"], 1e7, "{text}");
    }
    for (text, fpr) in [
        ("1 in 1000", 1e-3),
        ("1 in 1,000", 1e-3),
        ("1/1000", 1e-3),
        ("1 / 1 000", 1e-3),
        ("2 in 1k", 2e-3),
        ("1 in 2.5", 0.4),
        ("1 in 1.5 million", 1.0 / 1.5e6),
        ("1 in 3.3 × 10^11", 1.0 / 3.3e11),
    ] {
        let plan = ask(json!({ "fields": { "items": "10M", "fpr": text } }));
        assert_eq!(plan["fpr"]["number"], fpr, "{text}");
    }
}

/// A slider moves: the same numbers, for fewer kinds.
#[test]
fn quick_answers_agree() {
    for needs in [json!([]), json!(["remove"]), json!(["ranges"]), json!(["stream"])] {
        for kind in [json!(null), json!("stable"), json!("range")] {
            let fields = json!({ "items": "10M", "memory": "16 MiB" });
            let all = ask(json!({ "fields": fields, "needs": needs, "kind": kind }));
            let quick =
                ask(json!({ "fields": fields, "needs": needs, "kind": kind, "quick": true }));
            for name in
                ["items", "fpr", "memory", "headline", "recommended", "reason", "chosen", "lines"]
            {
                assert_eq!(all[name], quick[name], "{name} of {needs} {kind}");
            }
            let (all, quick) = (all["rows"].as_array().unwrap(), quick["rows"].as_array().unwrap());
            assert!(quick.len() < all.len() && quick.iter().all(|row| all.contains(row)));
        }
    }
}

#[test]
fn wrong_fields_are_named() {
    for (fields, begins) in [
        (json!({ "items": "many", "fpr": "1 %" }), "keys: a whole number is needed"),
        (json!({ "items": "0", "fpr": "1 %" }), "keys: 0 items are not possible"),
        (json!({ "items": "1e15", "fpr": "1 %" }), "keys: too large"),
        (json!({ "items": "10M", "fpr": "1" }), "FPR: a rate must be below 1"),
        (json!({ "items": "10M", "fpr": "0" }), "FPR: a false-positive rate of 0"),
        (json!({ "items": "10M", "fpr": "1 in 1" }), "FPR: a rate is needed"),
        (json!({ "items": "10M", "fpr": "1/0" }), "FPR: a rate is needed"),
        (json!({ "items": "10M", "fpr": "1 in many" }), "FPR: a rate is needed"),
        (json!({ "items": "1 0", "fpr": "1 %" }), "keys: a whole number is needed"),
        (json!({ "items": "10M", "fpr": "1 %", "probes": "0" }), "hash functions: 1 to 64"),
        (json!({ "items": "10M", "fpr": "1 %", "probes": "1000" }), "hash functions: 1 to 64"),
        (json!({ "items": "10M", "memory": "0" }), "memory: at least 1 byte"),
        (json!({ "items": "10M", "memory": "9e18" }), "memory: at least 1 byte, at most"),
        (json!({ "items": "10M", "memory": "16 Mops" }), "memory: an amount of memory"),
        (json!({ "items": "10M", "fpr": "1 %", "probes": "-1" }), "hash functions: a whole number"),
        (json!({ "items": "10M", "fpr": "1 %", "span": "0" }), "longest range: at least 1"),
        (json!({ "items": "10M" }), "numbers: give two"),
        (json!({ "items": "10M", "fpr": "1 %", "memory": "1GB" }), "numbers: give two"),
    ] {
        let said = error(json!({ "fields": fields }));
        assert!(said.starts_with(begins), "{said:?} does not begin with {begins:?}");
    }
    let fields = json!({ "items": "10M", "fpr": "1 %" });
    assert!(error(json!({ "fields": fields, "kind": "x" })).starts_with("x: is not a kind"));
    assert!(error(json!({ "fields": fields, "needs": ["x"] })).starts_with("needs: \"x\""));
}

/// Fields take back what they show.
#[test]
fn texts_lead_back() {
    for bytes in [1, 1000, 1024, 16 << 20, 3 << 29, 123_456_789, 1 << 50] {
        let text = Quantity::Memory(bytes).text();
        let read = units::parse_bytes(&text).unwrap();
        assert!((read as f64 / bytes as f64 - 1.0).abs() < 0.005, "{text}");
    }
    for items in [1, 999, 1000, 1_234_567, 10_000_000, 1_500_000, 1 << 48] {
        assert_eq!(units::parse_count(&Quantity::Items(items).text()), Ok(items));
    }
    assert_eq!(Quantity::Items(1_500_000).text(), "1.5M");
    assert_eq!(Quantity::Memory(3 << 29).text(), "1.5 GiB");
    for (fpr, text) in [
        (0.6, ""),
        (0.5, "1 in 2"),
        (0.3, "1 in 3.3"),
        (0.01, "1 in 100"),
        (0.00123, "1 in 813"),
        (1.234e-4, "1 in 8,100"),
        (1e-6, "1 in 1 million"),
        (3e-12, "1 in 3.3 × 10^11"),
    ] {
        assert_eq!(fields::one_in(fpr), text);
    }
}

/// The lines of every kind, for those who run them: tests of the program, of the Python package and of the
/// server module. Written anew with ANTHER_NEW_LINES=1.
#[test]
fn the_lines_are_those_that_are_run() {
    let mut all = Vec::new();
    let mut add = |kind: &str, keyed: bool, probes: Option<&str>| {
        let needs = if keyed { json!(["adversaries"]) } else { json!([]) };
        let fields = json!({ "items": "1000", "fpr": "1 %", "span": "100", "probes": probes });
        let plan = ask(json!({ "fields": fields, "kind": kind, "needs": needs }));
        let lines = plan["lines"].as_array().unwrap().iter();
        let lines =
            lines.map(|line| (line["title"].as_str().unwrap().to_string(), line["text"].clone()));
        let lines: serde_json::Map<String, Value> = lines.collect();
        all.push(json!({ "kind": kind, "keyed": keyed, "lines": lines }));
    };
    for keyed in [false, true] {
        for kind in Kind::ALL.iter().map(|kind| kind.name()).chain([RANGE]) {
            add(kind, keyed, None);
        }
    }
    for kind in ["classic", "blocked", "compressed"] {
        add(kind, false, Some("4"));
    }
    let text = serde_json::to_string_pretty(&all).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lines.json");
    if std::env::var_os("ANTHER_NEW_LINES").is_some() {
        fs::write(path, &text).unwrap();
    }
    let is_same = fs::read_to_string(path).unwrap() == text;
    assert!(
        is_same,
        "run `cargo test -p anther-lab --features page --lib` with ANTHER_NEW_LINES=1"
    );
}

/// The short formulas of the texts, whichever of the three numbers is computed.
#[test]
fn formulas_have_the_numbers_of_the_page() {
    let values = |fields: Value| -> Vec<String> {
        let plan = ask(json!({ "fields": fields, "needs": ["ranges", "remove"] }));
        let formulas = plan["formulas"].as_array().unwrap().clone();
        formulas.iter().map(|row| row["value"].as_str().unwrap().to_string()).collect()
    };
    // Peyer and Obrist: 58,110 words at 1 %, 556,988 bits and 7 hash functions give 1.0039 %.
    let expected = [
        "9.585 bits per key",
        "6.644, so 7 hash functions",
        "6.636",
        "1 %",
        "1 %",
        "48.2 % of the bits are 0",
        "1 %",
    ];
    assert_eq!(values(json!({ "items": "58110", "fpr": "1%" })), expected);
    let of_memory = values(json!({ "items": "58110", "memory": "69624" }));
    assert_eq!(of_memory, expected);
    assert_eq!(values(json!({ "fpr": "1%", "memory": "69624" })), expected);
    // The table of the slides: m/n = 8, k = 6.
    let eight = values(json!({ "items": "1000", "memory": "1000" }));
    assert_eq!((&*eight[1], &*eight[4]), ("5.545, so 6 hash functions", "2.16 %"));
    // Hardly any bits, and far too many.
    for memory in ["1", "1 TB"] {
        assert_eq!(values(json!({ "items": "1000", "memory": memory })).len(), 7);
    }
}
