//! `anther figure`: figures are made by the real program, what they claim holds, and the page that
//! shows them is true.

use crate::support::Place;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn page() -> String {
    fs::read_to_string(docs().join("texts.md")).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The files that the page shows.
fn shown() -> BTreeSet<String> {
    let page = page();
    let after = page.split("](figures/").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(name, _)| name.to_string()).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| unreachable!("{name} of {value}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| unreachable!("{name} of {value}"))
}

/// All of them in one run: each holds, each picture of the page is among what they made, and what
/// does not depend on the machine is what the page has.
#[test]
fn every_figure_is_made_and_holds() {
    let place = Place::new();
    let ran = place.run("figure --all --json --out figures").code(0);
    assert_eq!(ran.err, "");
    let mut files = BTreeSet::new();
    for figure in ran.json_lines() {
        assert_eq!(figure["passed"], true, "{figure}");
        assert!(!list(&figure, "claims").is_empty(), "{figure}");
        let columns = list(&figure["table"], "columns").len();
        let whole = |row: &Value| row.as_array().map(Vec::len) == Some(columns);
        let rows = list(&figure["table"], "rows");
        assert!(!rows.is_empty() && rows.iter().all(whole), "{figure}");
        for file in list(&figure, "files") {
            let file = file.as_str().unwrap();
            assert!(place.join(&format!("figures/{file}")).is_file(), "{file}");
            files.insert(file.to_string());
        }
        if figure["timed"] == false {
            let name = format!("{}.csv", text(&figure, "name"));
            let ours = fs::read_to_string(place.join(&format!("figures/{name}"))).unwrap();
            let theirs = fs::read_to_string(docs().join("figures").join(&name)).unwrap();
            assert!(same(&ours, &theirs), "{name} on the page is not what is measured");
        }
    }
    let missing: Vec<String> = shown().difference(&files).cloned().collect();
    assert_eq!(missing, Vec::<String>::new(), "shown on the page, and nobody makes them");
}

/// Whether two tables say the same: numbers but for the last digits, which mathematics of another
/// machine may change.
fn same(ours: &str, theirs: &str) -> bool {
    let close = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * a.abs(),
        _ => a == b,
    };
    let cells = |text: &str| text.split([',', '\n']).map(String::from).collect::<Vec<_>>();
    let (ours, theirs) = (cells(ours), cells(theirs));
    ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| close(a, b))
}

/// Every figure is on the page, with the line that makes it; every line on the page is of a
/// figure; every picture that it shows is there, and no other but those of the benchmark, which the
/// README shows.
#[test]
fn the_page_shows_all_figures_and_how_to_make_them() {
    let place = Place::new();
    let listed = place.run("figure --json").code(0).json_lines();
    let known: BTreeSet<&str> = listed.iter().map(|figure| text(figure, "name")).collect();
    let page = page();
    let named: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("$ cargo run --release -- figure "))
        .filter_map(|rest| rest.strip_suffix(" --out figures"))
        .collect();
    assert_eq!(named, known);
    let there = fs::read_dir(docs().join("figures")).unwrap();
    let there: BTreeSet<String> = there
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".svg"))
        .collect();
    let (timed, there): (BTreeSet<_>, BTreeSet<_>) =
        there.into_iter().partition(|name| name.starts_with("bench-"));
    // Those of docs/scale.md are measured by the benchmark, whose tests compare them with it.
    let there = there.into_iter().filter(|name| !name.starts_with("scale")).collect();
    assert_eq!(shown(), there);
    let readme = include_str!("../../../README.md");
    for name in timed {
        assert!(readme.contains(&format!("(docs/figures/{name})")), "{name}");
    }
}

#[test]
fn a_rerun_gives_the_same_digits() {
    let place = Place::new();
    let run = || place.run("figure split-block quotient --json").code(0).out;
    assert_eq!(run(), run());
}

#[test]
fn on_a_terminal_and_in_files() {
    let place = Place::new();
    let ran = place.run("figure example mice").code(0);
    let shown = String::from_utf8(ran.out).unwrap();
    for words in ["0111100101", "false positive", "holds: ", "marks: measured"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains('\x1b'));
    assert_eq!(place.run("figure example -q").code(0).out, b"");

    place.run("figure mice --out made").code(0);
    for file in ["mice.csv", "mice.svg"] {
        assert!(place.join(&format!("made/{file}")).is_file(), "{file}");
    }
}

/// A line of the page can be pasted twice: a figure replaces its own files, and no others.
#[test]
fn a_figure_replaces_what_it_wrote() {
    let place = Place::new();
    let page = page();
    let line = page.lines().find(|line| line.contains(" figure mice --out")).unwrap();
    let line = line.strip_prefix("$ cargo run --release -- ").unwrap();
    let file = |name: &str| place.join(&format!("figures/{name}"));
    place.run(line).code(0);
    let picture = fs::read_to_string(file("mice.svg")).unwrap();
    // As after an earlier release, with other numbers.
    fs::write(file("mice.svg"), picture.replacen("<text", "<text class='old'", 1)).unwrap();
    place.run(line).code(0);
    assert_eq!(fs::read_to_string(file("mice.svg")).unwrap(), picture);

    for (name, text) in
        [("mice.svg", "<svg>mine</svg>\n"), ("mice.csv", "my,own\n"), ("mice-table.svg", "")]
    {
        let own = fs::read(file(name)).unwrap();
        fs::write(file(name), text).unwrap();
        place.run(line).fails(&[name, "did not write it", "--force"]);
        assert_eq!(fs::read_to_string(file(name)).unwrap(), text, "it stays");
        place.run(&format!("{line} --force")).code(0);
        assert_eq!(fs::read(file(name)).unwrap(), own, "{name}");
    }
    // A picture of another figure is not its own either.
    fs::copy(file("mice.svg"), file("example-1.svg")).unwrap();
    place.run("figure example --out figures").fails(&["example-1.svg", "--force"]);
}

#[test]
fn what_cannot_be_made_is_an_error() {
    let place = Place::new();
    place.run("figure unicorn").fails(&["unicorn", "list them with: anther figure"]);
    place.run("figure mice --all").fails(&["cannot be used"]);
    place.run("figure mice --force").fails(&["--out"]);
    fs::write(place.join("file"), "text").unwrap();
    place.run("figure mice --out file").fails(&["file", "is a file; --out needs a folder"]);
    place.run("figure mice --out file/below").fails(&["file/below", "cannot make this folder"]);
    place.run("figure --out made").fails(&["no figures named", "--all"]);
    place.run("figure --full").fails(&["no figures named"]);
    // Where one of its files exists, none is written; a name that comes twice is one figure.
    fs::create_dir(place.join("made")).unwrap();
    fs::write(place.join("made/mice-table.svg"), "mine").unwrap();
    place.run("figure mice mice --out made").fails(&["mice-table.svg", "--force"]);
    assert_eq!(fs::read_dir(place.join("made")).unwrap().count(), 1);
    assert_eq!(place.run("figure example example --json").code(0).json_lines().len(), 1);
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
