//! Frozen indexes of version 1: every later release reads them, with the same answers.

use crate::plain::{Plain, settle};
use anther::Cancel;
use anther_index::{Block, Index, Query, Settings};
use std::fs;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn small() -> PathBuf {
    golden("small.idx")
}

/// The blocks that may have a literal.
fn found(index: &Index, literal: &str) -> Vec<u32> {
    let query = Query::Literal(literal.to_ascii_lowercase().as_bytes().into());
    index.candidates(&query).unwrap().iter().collect()
}

/// The blocks that may have a key.
fn keyed(index: &Index, column: &str, key: &str) -> Vec<u32> {
    index.column_candidates(column, key.as_bytes()).unwrap().iter().collect()
}

fn words() -> String {
    (0..40_000).map(|number| format!("word{number:05}\n")).collect()
}

/// With `ANTHER_NEW_GOLDEN=1`, makes the frozen file if it is not there. Nothing overwrites it.
fn make() {
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_none() || small().exists() {
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
    fs::create_dir_all(small().parent().unwrap()).unwrap();
    indexer.create(&small(), std::slice::from_ref(&root), &settings, false).unwrap();
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn the_frozen_index_gives_the_same_answers() {
    make();
    let index = Index::open(&small()).unwrap();
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
    let found = |literal: &str| found(&index, literal);
    assert_eq!(found("connection reset by peer"), [0]);
    assert_eq!(found("Timeout after 30 s"), [1]);
    assert_eq!(found("word00000"), [2]);
    assert_eq!(found("word19999"), [3]);
    assert_eq!(found("word39999"), [5]);
    assert_eq!(found("word"), [2, 3, 4, 5]);
    assert_eq!(found("neither here nor there"), [0u32; 0]);
    let keyed = |key: &str| keyed(&index, "trace.id", key);
    assert_eq!(keyed("4bf92f35"), [0]);
    assert_eq!(keyed("00f067aa"), [1]);
    assert_eq!(keyed("4bf92f3"), [0u32; 0]);
}

/// Of a Parquet file with three row groups, and of two compressed files. The program makes this one:
/// `tests/grep_parquet.rs` of `anther-cli`.
#[test]
fn the_frozen_index_of_packed_files_gives_the_same_answers() {
    let index = Index::open(&golden("packed.idx")).unwrap();
    index.verify().unwrap();
    let files = index.files();
    let names: Vec<_> = files.iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(names, ["app.csv.gz", "app.log.zst", "table.parquet"]);
    let forms: Vec<_> = files.iter().map(|file| (file.is_compressed, file.is_parquet)).collect();
    assert_eq!(forms, [(true, false), (true, false), (false, true)]);
    assert!(!files[0].has_records_by_line() && !files[1].has_records_by_line());
    let blocks: Vec<_> = files.iter().map(|file| file.blocks.clone()).collect();
    assert_eq!(blocks, [0..1, 1..4, 4..7]);

    // Blocks are parts of the decompressed text, without tails: it is read whole if it grows.
    let block = |number| index.block(number).unwrap();
    let text = |offset, len, first_line, lines| Block { offset, len, first_line, lines, tail: 0 };
    assert_eq!(block(0), text(0, 62, 1, 3));
    assert_eq!(block(1), text(0, 131_076, 1, 11_916));
    let found = |literal: &str| found(&index, literal);
    // Row groups have keys and no text, so that each of them may have any.
    assert_eq!(found("connection reset by peer"), [0, 4, 5, 6]);
    assert_eq!(found("entry00000"), [1, 4, 5, 6]);
    assert_eq!(found("entry29999"), [3, 4, 5, 6]);
    let rows: Vec<u64> = (4..7).map(|number| block(number).lines).collect();
    assert_eq!(rows, [1000, 1000, 500]);
    let keyed = |column: &str, key: &str| keyed(&index, column, key);
    assert_eq!(keyed("id", "7777"), [0]);
    assert_eq!(keyed("id", "0"), [4]);
    assert_eq!(keyed("id", "1999"), [5]);
    assert_eq!(keyed("id", "2499"), [6]);
    assert_eq!(keyed("id", "2500"), [0u32; 0]);
    assert_eq!(keyed("name", "name 2498"), [6]);
    // A column with filters of its own in the file is left to the search.
    assert_eq!(keyed("at.host", "nowhere"), [4, 5, 6]);
}
