//! The vectors of `conformance/` are what the library writes and answers.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use anther::parts::probes::{Line, Spread};
use anther::{Key, KeyHash, Seed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How large the vectors may become: readers in other repositories carry a copy.
const MOST_BYTES: u64 = 300_000;

fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

fn run(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_conformance")).args(args).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).to_string() + &String::from_utf8_lossy(&output.stderr)
}

/// A copy of the vectors that a test may change.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(kit().join("vectors.json"), copy.path().join("vectors.json")).unwrap();
    for folder in ["files", "refused"] {
        fs::create_dir(copy.path().join(folder)).unwrap();
        for file in fs::read_dir(kit().join(folder)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), copy.path().join(folder).join(file.file_name())).unwrap();
        }
    }
    copy
}

#[test]
fn the_library_writes_and_answers_as_the_vectors_say() {
    let output = run(&[]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn what_differs_is_reported_and_written_anew() {
    let copy = copy();
    let names = ["vectors.json", "files/blocked.anther", "files/ribbon.anther"];
    fs::write(copy.path().join(names[0]), "{}").unwrap();
    fs::write(copy.path().join(names[1]), "other").unwrap();
    fs::remove_file(copy.path().join(names[2])).unwrap();
    let output = run(&[copy.path()]);
    assert!(!output.status.success());
    for name in names {
        assert!(said(&output).contains(&format!("{name}: not what the library")), "{name}");
    }
    let mut anew = Command::new(env!("CARGO_BIN_EXE_conformance"));
    let output = anew.arg(copy.path()).env("ANTHER_NEW_GOLDEN", "1").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    for name in names {
        assert_eq!(fs::read(copy.path().join(name)).unwrap(), fs::read(kit().join(name)).unwrap());
    }
    fs::write(copy.path().join("files/stray"), "").unwrap();
    assert!(said(&run(&[copy.path()])).contains("files/stray: not one of the vectors"));
}

#[test]
fn the_vectors_are_small_and_plain() {
    let json = fs::read_to_string(kit().join("vectors.json")).unwrap();
    // Readers without a JSON library parse it in some forty lines.
    assert!(json.is_ascii() && !json.contains('\\'), "no escapes");
    let files =
        ["files", "refused"].into_iter().flat_map(|name| fs::read_dir(kit().join(name)).unwrap());
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(
        bytes + json.len() as u64 <= MOST_BYTES,
        "{bytes} bytes of files, {} of JSON",
        json.len()
    );
}

fn format() -> String {
    fs::read_to_string(kit().join("../FORMAT.md")).unwrap()
}

/// A line of the example is an offset, and then bytes in hexadecimal and names in backquotes.
fn example_line(line: &str) -> Option<(usize, Vec<u8>)> {
    let mut words = line.split_whitespace();
    let at = words.next()?.parse().ok()?;
    let mut bytes = Vec::new();
    for word in words {
        if let Some(name) = word.strip_prefix('`').and_then(|word| word.strip_suffix('`')) {
            bytes.extend(name.bytes());
        } else if let Some(byte) = (word.len() == 2).then(|| u8::from_str_radix(word, 16)) {
            bytes.push(byte.ok()?);
        } else {
            break;
        }
    }
    Some((at, bytes))
}

#[test]
fn the_example_of_the_format_is_the_file() {
    let format = format();
    let example = format.split("## An example, byte by byte").nth(1).unwrap();
    let block = example.split("```").nth(1).unwrap();
    let file = fs::read(kit().join("files/blocked.anther")).unwrap();
    let mut shown = 0;
    for (at, bytes) in block.lines().filter_map(example_line) {
        assert_eq!(file[at..at + bytes.len()], bytes, "at {at}");
        shown += bytes.len();
    }
    assert!(shown > 160, "{shown} bytes shown");
}

#[test]
fn the_hashes_and_positions_of_the_format_are_the_librarys() {
    let format = format();
    let secret = Seed::keyed(*b"conformance key!");
    let row = |name: &str, key: &dyn Fn(&Seed) -> KeyHash| {
        let row = format!("| {name} | {:016X} | {:016X} |", key(&Seed::FIXED).0, key(&secret).0);
        assert!(format.contains(&row), "{row}");
    };
    row("no bytes", &|seed| "".key_hash(seed));
    row("`abc`", &|seed| "abc".key_hash(seed));
    row("integer 5", &|seed| 5.key_hash(seed));
    row("integer −1", &|seed| (-1).key_hash(seed));
    row("integer 5 of 128 bits", &|seed| 5u128.key_hash(seed));
    row("tuple (`pair`, 7)", &|seed| ("pair", 7).key_hash(seed));
    let key = KeyHash(0x0123_4567_89AB_CDEF);
    let (mut classic, mut blocked) = (Vec::new(), Vec::new());
    Spread::new(1000, 7).each(key, |bit| classic.push(bit));
    let line = Line::new(1000, 8);
    line.each(key, |bit| blocked.push(line.line(key) * 512 + u64::from(bit)));
    for positions in [classic, blocked] {
        let (last, others) = positions.split_last().unwrap();
        let others: Vec<_> = others.iter().map(u64::to_string).collect();
        let text = format!("{} and {last}.", others.join(", "));
        assert!(format.contains(&text), "{text}");
    }
    assert!(format.contains(&format!("again(0, 0) = {:016X}", KeyHash(0).again(0).0)));
}
