//! No block that has a literal is missing from the candidates.

use crate::plain::{Plain, settle};
use crate::random::Random;
use anther::Cancel;
use anther_index::{Index, Query, Settings};
use std::fs;
use std::path::Path;

/// A text of words, some of them in capitals, some bytes that are no UTF-8.
fn text(random: &mut Random, len: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(len + 20);
    while text.len() < len {
        for _ in 0..1 + random.below(12) {
            let first = match random.below(20) {
                0 => b'A',
                1 => 0xC3,
                _ => b'a',
            };
            text.push(first + random.below(26) as u8);
        }
        text.push(*b" .,-=\"\n\n\r".get(random.below(9)).unwrap());
    }
    text
}

fn literal(bytes: &[u8]) -> Query {
    Query::Literal(bytes.to_ascii_lowercase().into())
}

/// The blocks of a file are its text, in order, and end at line ends.
fn check_blocks(index: &Index, file: &anther_index::FileEntry, text: &[u8]) {
    let (mut offset, mut line) = (0, 1);
    for number in file.blocks.clone() {
        let block = index.block(number).unwrap();
        assert_eq!((block.offset, block.first_line), (offset, line));
        let bytes = &text[offset as usize..(offset + block.len) as usize];
        assert_eq!(block.lines, bytes.iter().filter(|byte| **byte == b'\n').count() as u64);
        offset += block.len;
        line += block.lines;
        assert!(bytes.ends_with(b"\n") || offset == text.len() as u64);
    }
    assert_eq!(offset, text.len() as u64);
}

fn contents(folder: &Path, index: &Index) -> Vec<Vec<u8>> {
    index.files().iter().map(|file| fs::read(file.below(folder)).unwrap()).collect()
}

#[test]
fn every_literal_of_a_block_is_found_there() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    fs::create_dir(&texts).unwrap();
    let mut random = Random(7);
    for number in 0..120 {
        let len = [0, 1, 3, 4, 5, 100, 3000, 40_000, 700_000][random.below(9)];
        let path = texts.join(format!("{number}.txt"));
        fs::write(&path, text(&mut random, len)).unwrap();
        settle(&path);
    }
    // One line that is longer than several blocks.
    fs::write(texts.join("long"), vec![b'x'; 1_000_000]).unwrap();
    for threads in [1, 3] {
        let path = folder.path().join(format!("{threads}.idx"));
        let (plain, cancel) = (Plain::default(), Cancel::new());
        let indexer = plain.indexer(&cancel, threads);
        let settings = Settings { columns: vec!["key".to_string()], ..Settings::default() };
        let roots = [texts.clone()];
        let summary = indexer.create(&path, &roots, &settings, false).unwrap();
        assert_eq!((summary.files, summary.read, summary.skipped), (121, 121, 0));
        let index = Index::open(&path).unwrap();
        index.verify().unwrap();
        assert_eq!(index.files().len(), 121);
        let (mut candidates, mut blocks) = (0, 0);
        for (file, text) in index.files().iter().zip(contents(&texts, &index)) {
            check_blocks(&index, file, &text);
            for number in file.blocks.clone() {
                let block = index.block(number).unwrap();
                let bytes = &text[block.offset as usize..(block.offset + block.len) as usize];
                for _ in 0..5 {
                    let start = random.below(bytes.len());
                    let end = (start + 1 + random.below(20)).min(bytes.len());
                    let wanted = bytes[start..end].split(|byte| *byte == b'\n').next().unwrap();
                    let found = index.candidates(&literal(wanted)).unwrap();
                    assert!(found.contains(number), "{wanted:?}");
                    let both = Query::And(vec![Query::All, literal(wanted)]);
                    assert_eq!(index.candidates(&both).unwrap(), found);
                    let either = Query::Or(vec![literal(wanted), literal(b"zzzzzzzz")]);
                    assert!(index.candidates(&either).unwrap().contains(number));
                }
                let line = bytes.split(|byte| *byte == b'\n').find(|line| line.contains(&b','));
                if let Some(key) = line.map(|line| line.split(|byte| *byte == b',').next().unwrap())
                {
                    assert!(index.column_candidates("key", key).unwrap().contains(number));
                }
            }
            // Eight bytes that are nowhere.
            let absent: Vec<u8> = (0..8).map(|_| b'0' + random.below(10) as u8).collect();
            candidates += index.candidates(&literal(&absent)).unwrap().count();
            candidates += index.column_candidates("key", &absent).unwrap().count();
            blocks += 2 * u64::from(index.blocks());
        }
        assert!(candidates * 50 < blocks, "{candidates} of {blocks} in vain");
        assert_eq!(index.candidates(&Query::Or(vec![])).unwrap().count(), 0);
        assert_eq!(index.candidates(&Query::All).unwrap().count(), u64::from(index.blocks()));
        assert!(index.column_candidates("other", b"x").is_err());
    }
}
