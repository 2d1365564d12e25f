//! A frozen index of version 1: every later release reads it, with the same answers.
#![expect(clippy::unwrap_used, reason = "tests")]

use anther_index::{Block, Index, Query};
use std::path::Path;

#[test]
fn the_frozen_index_gives_the_same_answers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/small.idx");
    let index = Index::open(&path).unwrap();
    index.verify().unwrap();
    assert_eq!(index.roots()[0].given, Path::new("logs"));
    let names: Vec<_> = index.files().iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(names, ["app/one.jsonl", "app/two.jsonl", "words.txt.gz"]);
    let compressed: Vec<_> = index.files().iter().map(|file| file.is_compressed).collect();
    assert_eq!(compressed, [false, false, true]);
    assert_eq!(index.blocks(), 5);
    let first = index.block(2).unwrap();
    assert_eq!(first, Block { offset: 0, len: 131_074, first_line: 1, lines: 13_107 });
    let found = |literal: &str| -> Vec<u32> {
        let query = Query::Literal(literal.to_ascii_lowercase().as_bytes().into());
        index.candidates(&query).unwrap().iter().collect()
    };
    assert_eq!(found("\"connection reset by peer\""), [0]);
    assert_eq!(found("Timeout after 30 s"), [1]);
    assert_eq!(found("word00000"), [2]);
    assert_eq!(found("word19999"), [3]);
    assert_eq!(found("word39999"), [4]);
    assert_eq!(found("word"), [2, 3, 4]);
    assert_eq!(found("neither here nor there"), [0; 0]);
    let keyed = |key: &str| -> Vec<u32> {
        index.column_candidates("trace.id", key.as_bytes()).unwrap().iter().collect()
    };
    assert_eq!(keyed("4bf92f35"), [0]);
    assert_eq!(keyed("00f067aa"), [1]);
    assert_eq!(keyed("4bf92f3"), [0; 0]);
}
