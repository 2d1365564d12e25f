//! What the tab Look is told.

use super::*;
use serde_json::{Value, json};

fn ask(body: &Value) -> Value {
    serde_json::from_slice(&answer(body.to_string().as_bytes()).unwrap()).unwrap()
}

fn fails(body: &Value) -> String {
    answer(body.to_string().as_bytes()).unwrap_err().to_string()
}

/// Inserts, queries and removals of words such as `+ant ?bee -ant`.
fn acts(story: &str) -> Vec<Value> {
    let act = |word: &str| {
        let names = [('+', "insert"), ('?', "query"), ('-', "remove")];
        let (_, name) = names.into_iter().find(|(sign, _)| word.starts_with(*sign)).unwrap();
        json!({ name: word[1..] })
    };
    story.split_whitespace().map(act).collect()
}

fn small(kinds: &[&str], story: &str) -> Value {
    json!({"kinds": kinds, "items": "6", "fpr": "10%", "acts": acts(story), "at": 1000})
}

fn worked(story: &str, at: usize) -> Value {
    let formulas = json!({"bits": 10, "hashes": ["x", "2x+3", "3x+7"]});
    json!({"kinds": ["classic"], "worked": formulas, "acts": acts(story), "at": at})
}

#[test]
fn why_did_12_match() {
    let told = &ask(&worked("+2 +4 +9 ?4 ?5 ?12", 6))["views"][0];
    assert_eq!(told["verdict"], "false positive");
    assert_eq!(
        told["why"],
        "12 was never inserted, but 2 has the same bits: 2, 7 and 3. The filter cannot tell the two \
         apart."
    );
    let reasons = told["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 3);
    assert_eq!(reasons[1]["formula"], "2x+3 = 27, mod 10");
    assert_eq!(reasons[1]["place"], "bit 7");
    assert_eq!(reasons[1]["keys"], json!(["2"]));

    let told = &ask(&worked("+2 +4 +9 ?4 ?5 ?12", 5))["views"][0];
    assert_eq!(
        told["why"],
        "Bit 5 is 0. Inserting 5 would have set it, so 5 is certainly absent. One such bit is enough."
    );
}

#[test]
fn acts_come_in_any_order() {
    let told = &ask(&small(&["counting"], "?ant +ant ?ant -ant ?ant +ant ?ant"))["views"][0];
    let verdicts: Vec<_> =
        told["steps"].as_array().unwrap().iter().map(|s| &s["verdict"]).collect();
    assert_eq!(json!(verdicts), json!([null, "no", null, "maybe", null, "no", null, "maybe"]));
    // An earlier step has the cells of then.
    let story = small(&["counting"], "+ant ?ant -ant");
    let at = |at: usize| {
        let mut story = story.clone();
        story["at"] = json!(at);
        ask(&story)["views"][0]["step"]["rows"][0]["taken"].as_array().unwrap().len()
    };
    assert_eq!((at(0), at(3)), (0, 0));
    assert!(at(1) > 0 && at(1) == at(2));
}

/// Every kind takes the same story: those that cannot remove say so, static ones are built again.
#[test]
fn every_kind_plays_the_same_story() {
    for kind in Kind::ALL {
        let story = "?ant +ant +bee +cat +ant ?bee ?owl -bee ?bee +dog ?dog";
        let told = &ask(&small(&[kind.name()], story))["views"][0];
        assert!(told["error"].is_null(), "{kind}: {}", told["error"]);
        let steps = told["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 12, "{kind}");
        assert_eq!(steps[8]["rejected"], !kind.capabilities().remove, "{kind}: {}", steps[8]);
        assert_eq!(steps[11]["verdict"], "maybe", "{kind}");
        assert!(!told["step"]["rows"].as_array().unwrap().is_empty(), "{kind}");
        let touches = told["step"]["touches"].as_array().unwrap().len();
        assert_eq!(touches, told["reasons"].as_array().unwrap().len(), "{kind}");
    }
}

/// Two hundred lookups of absent keys in an overfull filter: whoever matches is explained.
#[test]
fn every_false_positive_is_explained() {
    for kind in Kind::ALL {
        let inserts: Vec<String> = (0..8).map(|key| format!("+in{key}")).collect();
        let queries: Vec<String> = (0..200).map(|key| format!("?out{key}")).collect();
        let story = format!("{} {}", inserts.join(" "), queries.join(" "));
        let mut body = small(&[kind.name()], &story);
        body["fpr"] = json!("30%");
        let steps = ask(&body)["views"][0]["steps"].clone();
        let steps = steps.as_array().unwrap_or_else(|| panic!("{kind}: {}", ask(&body)));
        let Some(at) = steps.iter().position(|step| step["verdict"] == "false positive") else {
            continue;
        };
        body["at"] = json!(at);
        let why = ask(&body)["views"][0]["why"].as_str().unwrap().to_string();
        assert!(why.contains("was never inserted"), "{kind}: {why}");
    }
}

#[test]
fn kinds_with_values_share_a_history_with_others() {
    let told = ask(&small(&["bloomier", "classic"], "+ant=3 +bee ?ant ?bee=7"));
    let [bloomier, classic] = [&told["views"][0], &told["views"][1]];
    assert_eq!(bloomier["steps"][1]["title"], "insert ant=3");
    assert_eq!(bloomier["steps"][2]["title"], "insert bee=2");
    assert_eq!(classic["steps"][1]["title"], "insert ant");
    for view in [bloomier, classic] {
        assert_eq!(view["steps"][3]["verdict"], "maybe");
        assert_eq!(view["steps"][4]["verdict"], "maybe");
    }
    assert!(bloomier["step"]["note"].as_str().unwrap().ends_with("the value is 2"));
}

#[test]
fn a_cascade_tells_its_second_list_apart() {
    let others: Vec<String> = (0..50).map(|key| format!("other{key}")).collect();
    let queries: Vec<String> = others.iter().map(|key| format!("?{key}")).collect();
    let mut body = small(&["cascade"], &format!("+ant +bee +cat {}", queries.join(" ")));
    body["others"] = json!(others);
    let steps = ask(&body)["views"][0]["steps"].clone();
    assert!(steps.as_array().unwrap()[4..].iter().all(|step| step["verdict"] == "no"));
    body["others"] = json!([]);
    let steps = ask(&body)["views"][0]["steps"].clone();
    let wrong = |step: &&Value| step["verdict"] == "false positive";
    assert!(steps.as_array().unwrap().iter().any(|step| wrong(&step)));
}

/// Four keys meet in a counter of two bits: it stays at 3 when they are removed, and is marked.
#[test]
fn counters_that_overflow_are_marked() {
    let story = "+ant +bee +cat +dog -ant -bee -cat -dog ?ant";
    let mut body = small(&["counting", "variable-increment", "stable"], story);
    body["items"] = json!("3");
    body["seed"] = json!(12);
    body["options"] = json!({"counter-bits": "2"});
    let fact = |view: &Value| {
        let facts = view["facts"].as_array().unwrap().clone();
        facts.into_iter().find(|fact| fact[0] == "counters at maximum").map(|fact| fact[1].clone())
    };
    let told = ask(&body);
    let [counting, stable] = [&told["views"][0], &told["views"][2]];
    assert_eq!(counting["step"]["rows"][0]["stuck"], json!([6]));
    assert_eq!(fact(counting).unwrap(), "1; removing keys does not lower them");
    assert_eq!((&stable["step"]["rows"][0]["stuck"], fact(stable)), (&json!([]), None));
    body["at"] = json!(2);
    let told = ask(&body);
    assert_eq!(
        (&told["views"][0]["step"]["rows"][0]["stuck"], fact(&told["views"][0])),
        (&json!([]), None)
    );
    // The same number of counters as the fact says, in each kind that has some.
    for kind in ["counting", "spectral", "variable-increment"] {
        let mut body = small(&[kind], &"+ant ".repeat(20));
        body["options"] = json!({"counter-bits": "2"});
        let told = ask(&body);
        let rows = told["views"][0]["step"]["rows"].as_array().unwrap().clone();
        let stuck: usize = rows.iter().map(|row| row["stuck"].as_array().unwrap().len()).sum();
        let said = fact(&told["views"][0]).unwrap_or_else(|| panic!("{kind}: {told}"));
        assert!(
            stuck > 0 && said.as_str().unwrap().starts_with(&format!("{stuck};")),
            "{kind}: {said}"
        );
    }
}

#[test]
fn bad_requests_are_named_and_bounded() {
    assert!(fails(&small(&[], "")).contains("side by side"));
    assert!(fails(&small(&["classic"; 5], "")).contains("side by side"));
    assert!(fails(&small(&["nest"], "")).contains("no such kind"));
    assert!(fails(&small(&["classic"], &"+a ".repeat(301))).contains("start again"));
    let long = format!("+{}", "a".repeat(201));
    assert!(fails(&small(&["classic"], &long)).contains("shorter key"));
    let error = |body: &Value| ask(body)["views"][0]["error"].as_str().unwrap().to_string();
    for (field, value, says) in [
        ("items", "0", "1 to 8,192 keys"),
        ("items", "-3", "“-3”"),
        ("items", "5000", "fewer keys"),
        ("fpr", "2", "“2”"),
        ("fpr", "", "nothing: "),
    ] {
        let mut body = small(&["counting"], "+ant");
        body[field] = json!(value);
        assert!(error(&body).contains(says), "{field} {value}: {}", error(&body));
        assert!(!error(&body).contains("--"), "{}", error(&body));
    }
    assert!(error(&worked("+two", 1)).contains("whole numbers"));
    for (bits, hashes, says) in [
        (json!(0), json!(["x"]), "cells 0"),
        (json!(9000), json!(["x"]), "cells 9000"),
        (json!(10), json!([]), "formulas"),
        (json!(10), json!(["x+"]), "“x+”"),
        (json!(8192), json!(["x"]), "fewer cells"),
    ] {
        let mut body = worked(&"+2 ".repeat(200), 1);
        body["worked"] = json!({"bits": bits, "hashes": hashes});
        assert!(error(&body).contains(says), "{}", error(&body));
        assert!(!error(&body).contains("--"), "{}", error(&body));
    }
    let mut body = worked("+2", 1);
    body["kinds"] = json!(["cuckoo"]);
    assert!(error(&body).contains("classic and counting"));
}
