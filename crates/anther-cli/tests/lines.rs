//! The lines for the shell that the tab Plan of `anther lab` shows.

use crate::support::Place;
use serde_json::Value;

/// Each of them runs as it is shown, and finds the key.
#[test]
fn the_lines_of_the_page_run() {
    let all: Value =
        serde_json::from_str(include_str!("../../anther-lab/tests/lines.json")).expect("JSON");
    let mut ran = 0;
    for entry in all.as_array().expect("a list") {
        let Some(lines) = entry["lines"]["Shell"].as_str() else { continue };
        let place = Place::new();
        place.write("keys.txt", "ada@example.org\ngrace@example.org\n");
        place.write("keys.tsv", "ada@example.org\t1\ngrace@example.org\t0\n");
        place.write("never.txt", "bob@example.org\n");
        place.write("numbers.txt", "1700000042\n");
        let mut answer = String::new();
        for line in lines.lines() {
            let done = place.run(line.strip_prefix("anther ").expect("the program"));
            assert_eq!(done.code, 0, "{line}: {}", done.err);
            answer = String::from_utf8(done.out).expect("text");
        }
        let found =
            ["maybe\tada@example.org\n", "1\tada@example.org\n", "maybe\t1700000000\t1700000060\n"];
        assert!(found.contains(&&*answer), "{lines}: {answer}");
        ran += 1;
    }
    // Every kind and range filters, with and without a secret key.
    assert_eq!(ran, 2 * (anther::Kind::ALL.len() + 1));
}
