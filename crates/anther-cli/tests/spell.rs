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

#[test]
fn suggestions_are_the_words_one_edit_away() {
    let place = dictionary();
    let text = "Teh cta saat PARSI frence dont\nxyzzy in the mta’s\n";
    let ran = place.run_on("spell en.anther --suggest", text).code(1);
    let ran = ran.says(&["suggestions for unknown words: 6; practically none of them is false ("]);
    ran.prints(
        "1:1: Teh: The\n1:5: cta: cat\n1:9: saat: sat\n1:14: PARSI: PARIS\n1:20: frence\n\
         1:27: dont: don't\n2:1: xyzzy\n2:14: mta’s: mat's\n",
    );
    place.run_on("spell en.anther -sw", "satt").code(1).prints("satt: sat\n");
    let json = place.run_on("spell en.anther -s --json", "mat dgo cta").code(1).json_lines();
    assert_eq!(json[0]["suggestions"], json!([]));
    assert_eq!(json[1]["suggestions"], json!(["cat"]));
    let quiet = place.run_on("spell en.anther --suggest -q", "cta").code(1);
    assert_eq!(quiet.err, "");
    quiet.prints("1:1: cta: cat\n");
    assert_eq!(place.run_on("spell en.anther --suggest", "the cat").code(0).err, "");
    // The letters of other languages, and of a second dictionary.
    place.run_on("spell en.anther -s -q", "naive").code(1).prints("1:1: naive\n");
    place.build("de.anther --fpr 1e-6", "naïv\nStraße\n");
    place
        .run_on("spell en.anther -s -q --letters a-zß-ü --also de.anther", "naive Strase")
        .code(1)
        .prints("1:1: naive: naïve\n1:7: Strase: Straße\n");
    place.run_on("spell en.anther -s --letters z-a", "x").fails(&["z-a", "a-z"]);
    place.run_on("spell en.anther --letters a-z", "x").fails(&["--suggest"]);
    place.run_on("spell en.anther -c -s", "x").fails(&["--count", "--suggest"]);
}

/// Every slip of every kind in every word is undone, and of other words as many candidates are false
/// positives as the note predicts.
#[test]
fn false_suggestions_are_as_many_as_predicted() {
    let place = Place::new();
    let word = |i: u32, long: u32| -> String {
        // A permutation of 2³², so words differ.
        let mut left = u64::from(i.wrapping_mul(2_654_435_761)) + 0x1234_5678_9abc;
        let letter = |_| {
            let letter = char::from(b'a' + u8::try_from(left % 26).unwrap());
            left /= 26;
            letter
        };
        (0..long).map(letter).collect()
    };
    let words: Vec<String> = (0..3000).map(|i| word(i, 12)).collect();
    place.build("d.anther --fpr 1%", words.join("\n"));
    let (mut slips, mut slipped) = (String::new(), Vec::new());
    for (i, word) in words.iter().enumerate() {
        let (before, after) = word.split_at(i % 11);
        let slip = match i % 4 {
            0 => format!("{before}{}{}{}", &after[1..2], &after[..1], &after[2..]),
            1 => format!("{before}{}", &after[1..]),
            2 => format!("{before}q{after}"),
            _ => format!("{before}q{}", &after[1..]),
        };
        // Two equal letters may have been swapped.
        if slip != *word {
            writeln!(slips, "{slip}").unwrap();
            slipped.push(word);
        }
    }
    let unknown = place.run_on("spell d.anther -s --json -q", slips).code(1).json_lines();
    for found in &unknown {
        let line = usize::try_from(found["line"].as_u64().unwrap()).unwrap();
        let suggestions = found["suggestions"].as_array().unwrap();
        assert!(
            suggestions.contains(&json!(slipped[line - 1])),
            "{} in {found}",
            slipped[line - 1]
        );
    }
    // One in a hundred is taken for known, give or take five standard deviations.
    let missed = slipped.len() - unknown.len();
    assert!(slipped.len() > 2900 && missed < 57, "{missed} of {}", slipped.len());

    // Words of eight letters are far from those of twelve, so each suggestion is a false one.
    let far: String = (0..2000).map(|i| word(i, 8) + "\n").collect();
    let ran = place.run_on("spell d.anther -s --json", far).code(1);
    let unknown = ran.json_lines();
    let all: usize = unknown.iter().map(|one| one["suggestions"].as_array().unwrap().len()).sum();
    let number = |before: &str, after: &str| -> f64 {
        let (_, rest) = ran.err.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.replace(',', "").parse().unwrap()
    };
    let (expected, candidates) = (number("; about ", " of them"), number("false (", " candidates"));
    // 8 letters: 7 swaps, 8 without one, 243 - 8 with one more, 8 · 26 others, and the capital.
    let per_word = (candidates + all as f64) / unknown.len() as f64;
    assert!((457.0..=459.0).contains(&per_word), "{per_word}");
    let deviation = (expected * 0.99).sqrt();
    assert!((all as f64 - expected).abs() < 5.0 * deviation, "{all}, predicted {expected}");
    ran.says(&["; a dictionary built with --fpr 1e-6 gives fewer"]);
    // As advised.
    place.build("fine.anther --fpr 1e-6", words.join("\n"));
    let far: String = (0..2000).map(|i| word(i, 8) + "\n").collect();
    let fine = place.run_on("spell fine.anther -s --json", far).code(1);
    let some = fine.json_lines().iter().filter(|one| one["suggestions"] != json!([])).count();
    assert!(some < 6, "{some} of 920,000 candidates at 1e-6");
    assert!(!fine.err.contains("gives fewer"), "{}", fine.err);
}
