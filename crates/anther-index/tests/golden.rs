//! A frozen index of version 1: every later release reads it, with the same answers.
#![expect(clippy::unwrap_used, reason = "tests")]

mod plain;

use anther::Cancel;
use anther_index::{Block, Index, Query, Settings};
use plain::{Plain, settle};
use std::fs;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/small.idx")
}

fn words() -> String {
    (0..40_000).map(|number| format!("word{number:05}\n")).collect()
}

/// With `ANTHER_NEW_GOLDEN=1`, makes the frozen file if it is not there. Nothing overwrites it.
fn make() {
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_none() || golden().exists() {
        return;
    }
    let root = std::env::temp_dir().join("anther-golden");
    fs::create_dir_all(root.join("app")).unwrap();
    for (name, text) in [
        ("app/one.csv", "4bf92f35,connection reset by peer\n"),
        ("app/two.csv", "00f067aa,Timeout after 30 s\n"),
        ("words.txt", &words()),
    ] {
        fs::write(root.join(name), text).unwrap();
        settle(&root.join(name));
    }
    let settings = Settings { columns: vec!["trace.id".to_string()], ..Settings::default() };
    let (plain, cancel) = (Plain::default(), Cancel::new());
    let indexer = plain.indexer(&cancel, 1);
    fs::create_dir_all(golden().parent().unwrap()).unwrap();
    indexer.create(&golden(), std::slice::from_ref(&root), &settings, false).unwrap();
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn the_frozen_index_gives_the_same_answers() {
    make();
    let index = Index::open(&golden()).unwrap();
    index.verify().unwrap();
    assert!(index.roots()[0].path.ends_with("anther-golden"));
    let names: Vec<_> = index.files().iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(names, ["app/one.csv", "app/two.csv", "words.txt"]);
    let block = |number| index.block(number).unwrap();
    assert_eq!(index.blocks(), 6);
    let words = words();
    let tail = |text: &str| XxHash3_64::oneshot(text.as_bytes());
    assert_eq!(
        block(1),
        Block {
            offset: 0,
            len: 28,
            first_line: 1,
            lines: 1,
            tail: tail("00f067aa,Timeout after 30 s\n")
        }
    );
    assert_eq!(
        block(3),
        Block {
            offset: 131_080,
            len: 131_080,
            first_line: 13_109,
            lines: 13_108,
            tail: tail(&words[2 * 131_080 - 1024..2 * 131_080])
        }
    );
    let found = |literal: &str| -> Vec<u32> {
        let query = Query::Literal(literal.to_ascii_lowercase().as_bytes().into());
        index.candidates(&query).unwrap().iter().collect()
    };
    assert_eq!(found("connection reset by peer"), [0]);
    assert_eq!(found("Timeout after 30 s"), [1]);
    assert_eq!(found("word00000"), [2]);
    assert_eq!(found("word19999"), [3]);
    assert_eq!(found("word39999"), [5]);
    assert_eq!(found("word"), [2, 3, 4, 5]);
    assert_eq!(found("neither here nor there"), [0u32; 0]);
    let keyed = |key: &str| -> Vec<u32> {
        index.column_candidates("trace.id", key.as_bytes()).unwrap().iter().collect()
    };
    assert_eq!(keyed("4bf92f35"), [0]);
    assert_eq!(keyed("00f067aa"), [1]);
    assert_eq!(keyed("4bf92f3"), [0u32; 0]);
}
