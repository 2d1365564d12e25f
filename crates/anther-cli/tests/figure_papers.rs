//! `anther figure`: the figures of the slides with mice, and of the papers.

mod support;

use support::Place;

/// Made, with a table, and with claims that hold.
fn all_hold(names: &str) {
    let place = Place::new();
    let ran = place.run(&format!("figure --json {names}")).code(0);
    let made = ran.json_lines();
    assert_eq!(made.len(), names.split_whitespace().count());
    for figure in made {
        let (claims, rows) = (figure["claims"].as_array(), figure["table"]["rows"].as_array());
        assert!(claims.is_some_and(|claims| !claims.is_empty()), "{figure}");
        let columns = figure["table"]["columns"].as_array().map(Vec::len);
        let whole = |row: &serde_json::Value| row.as_array().map(Vec::len) == columns;
        assert!(rows.is_some_and(|rows| rows.len() > 1 && rows.iter().all(whole)), "{figure}");
        assert_eq!(figure["passed"], true, "{figure}");
    }
}

#[test]
fn slides_and_plain_bits() {
    all_hold(
        "mice error-table half-full lower-bound exact-rates double-hashing split-block layouts",
    );
}

#[test]
fn kinds_of_papers() {
    all_hold("counters variable-increment deletable compressed scalable generalized stable");
    all_hold("weighted spectral robust iblt rateless cuckoo fuse-ribbon quotient");
}

#[test]
fn a_rerun_gives_the_same_digits() {
    let place = Place::new();
    let run = || place.run("figure split-block quotient --json").code(0).out;
    assert_eq!(run(), run());
}
