//! `anther figure`: figures are made by the real program, and what they claim holds.

mod support;

use support::Place;

/// Every figure of the texts; times are not looked at.
#[test]
fn figures_of_the_texts_hold() {
    let place = Place::new();
    let names = "insert-time hashes reject probes key-length compare compare-time compare-memory \
                 deleting undersized scalable-queries cuckoo-load proxies sstables \
                 reliability";
    let ran = place.run(&format!("figure --json {names}")).code(0);
    assert_eq!(ran.err, "");
    let reports = ran.json_lines();
    assert_eq!(reports.len(), names.split_whitespace().count());
    for report in reports {
        assert_eq!(report["passed"], true, "{report}");
        assert!(report["claims"].as_array().is_some_and(|claims| !claims.is_empty()), "{report}");
        assert!(report["table"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    }
}

#[test]
fn what_cannot_be_weighed_is_an_error() {
    let place = Place::new();
    place.run("figure --weigh filter letters 10").fails(&["--weigh", "numbers"]);
    place.run("figure --weigh heap numbers 10").fails(&["--weigh", "b-tree"]);
    place.run("figure --weigh filter numbers 0").fails(&["0"]);
    let weight = place.run("figure --weigh hash-set numbers 1000").code(0).json();
    assert!(weight["bytes"].as_u64().is_some_and(|bytes| bytes > 1_000_000), "{weight}");
}
