//! `anther spell`.

use crate::support::Place;
use serde_json::json;
use std::fmt::Write;

const WORDS: &str =
    "the\ncat\nsat\non\nmat\ndon't\nParis\nis\nin\nFrance\nnaïve\nx-ray\nwell\nknown\n";

fn dictionary() -> Place {
    let place = Place::new();
    place.build("en.anther --fpr 1e-6", WORDS);
    place
}

#[test]
fn unknown_words_have_line_and_column() {
    let place = dictionary();
    let text = "The cat satt on the mat.\n\n  Don’t: PARIS is in Frence!\nNaïve, «naïf» X-Ray well-konwn\n";
    place.write("a.txt", text);
    place.write("b.txt", "cat dgo\r\ncat\r\ndgo");
    place
        .run("spell en.anther a.txt b.txt")
        .code(1)
        .prints("a.txt:1:9: satt\na.txt:3:22: Frence\na.txt:4:9: naïf\na.txt:4:26: konwn\nb.txt:1:5: dgo\nb.txt:3:1: dgo\n");
    let ran = place.run_on("spell en.anther", text).code(1);
    assert_eq!(ran.err, "");
    ran.prints("1:9: satt\n3:22: Frence\n4:9: naïf\n4:26: konwn\n");
    place.run("spell en.anther --words b.txt").code(1).prints("dgo\ndgo\n");
    place.run("spell en.anther --unique b.txt").code(1).prints("b.txt:1:5: dgo\n");
    place.run("spell en.anther -c b.txt").code(1).prints("2\n");
    assert_eq!(place.run("spell en.anther -c --json b.txt").code(1).json(), json!({"unknown": 2}));
    let lines = place.run("spell en.anther --json a.txt").code(1).json_lines();
    assert_eq!(lines[3], json!({"file": "a.txt", "line": 4, "column": 26, "word": "konwn"}));
    let lines = place.run_on("spell en.anther --json", "dgo").code(1).json_lines();
    assert_eq!(lines, [json!({"line": 1, "column": 1, "word": "dgo"})]);
    place.run_on("spell en.anther", "the cat\n").code(0).prints("");
    place.run_on("spell en.anther", "").code(0).prints("");
}

#[test]
fn words_of_your_own_are_known() {
    let place = dictionary();
    place.run_on("spell en.anther", "Bloomier cat\n").code(1).prints("1:1: Bloomier\n");
    place.build("mine.anther --seed 9", "Bloomier\n");
    place.run_on("spell en.anther --also mine.anther", "Bloomier cat\n").code(0).prints("");
    place.run("add en.anther -k Bloomier").code(0);
    place.run_on("spell en.anther", "Bloomier cat BLOOMIER\n").code(0).prints("");
}

/// A dictionary of any kind that has words, and with its own rule.
#[test]
fn dictionaries_of_other_kinds_and_rules() {
    let place = Place::new();
    for options in ["--kind ribbon", "--kind fuse", "--kind cuckoo", "--ignore-case --trim"] {
        place.build(&format!("d.anther --force --fpr 1e-6 {options}"), WORDS);
        let text = "the cat in Paris is known wrod\n";
        place.run_on("spell d.anther", text).code(1).prints("1:27: wrod\n");
    }
    place.build("i.anther --ignore-case --fpr 1e-6", WORDS);
    place.run_on("spell i.anther", "paris iN france\n").code(0).prints("");
    place.build("n.anther --as int", "7\n");
    place.run_on("spell n.anther", "x").fails(&["n.anther: its keys are integers", "words"]);
    place.run_on("build k.anther --keyed --key-file k.key --fpr 1e-6", WORDS).code(0);
    place.run_on("spell k.anther --key-file k.key", "the wrod").code(1).prints("1:5: wrod\n");
}

#[test]
fn texts_that_are_none_are_refused() {
    let place = dictionary();
    place.run("spell en.anther none.txt").fails(&["none.txt: no such file"]);
    place.run("spell none.anther").fails(&["none.anther: no such file"]);
    place.run("spell en.anther en.anther").fails(&["en.anther: is a filter"]);
    place.run_on("spell en.anther --words --json", "").fails(&["--words", "--json"]);
    place.run("spell").fails(&["FILTER"]);
    // Bytes that are no text separate words.
    place.run_on("spell en.anther", b"cat\xffwrod the\xfe\n").code(1).prints("1:5: wrod\n");
}

/// Every word of a dictionary is known in any text that is made of them, whatever separates them.
#[test]
fn no_word_of_the_dictionary_is_reported() {
    let place = Place::new();
    let letters = ["a", "be", "ci", "do", "é", "ñu", "ß", "ка", "τώ", "ü"];
    let word = |i: usize| {
        let parts = [i % 10, i / 10 % 10, i / 100 % 10, i / 1000 % 10].map(|at| letters[at]);
        parts.concat()
    };
    let words: Vec<String> = (0..10_000).map(word).collect();
    place.build("d.anther --fpr 1%", words.join("\n"));
    let (mut text, between) =
        (String::new(), [" ", ", ", ".\n", "\u{2014}", "-", " (", "\n\n", "’s "]);
    for (i, word) in words.iter().enumerate() {
        let written = match i % 3 {
            0 => word.clone(),
            1 => word.to_uppercase(),
            _ => word
                .chars()
                .take(1)
                .flat_map(char::to_uppercase)
                .chain(word.chars().skip(1))
                .collect(),
        };
        // The capital of ß is SS, so such a word cannot be told from its capitals.
        let written = if word.contains('ß') { word } else { &written };
        write!(text, "{written}{}", between[i % 8]).unwrap();
    }
    place.run_on("spell d.anther", &text).code(0).prints("");
    // Of words that it has not, one in a hundred or so is missed.
    let wrong: String = (0..5000).map(|i| format!("{}q{}\n", word(i), word(i + 1))).collect();
    let found = place.run_on("spell d.anther -c --json", wrong).code(1).json();
    let found = found["unknown"].as_u64().unwrap();
    assert!((4900..=5000).contains(&found), "{found}");
}
