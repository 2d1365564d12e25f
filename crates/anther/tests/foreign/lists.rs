//! Lists of keys, a line each. The long lists of text are made by the rule by which they were made
//! for the other programs; those of random bytes and integers are compressed.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The keys that no rule makes, at the beginning of every list of text.
const SHARP: usize = 50;

pub fn lines_of(path: &Path) -> Vec<String> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    match (path.exists(), name.strip_prefix("utf8_").map(str::parse)) {
        (true, _) => lines(&fs::read_to_string(path).unwrap()),
        (false, Some(Ok(count))) => text(&path.with_file_name("utf8_100.txt"), count),
        (false, _) => {
            let packed = File::open(path.with_extension("txt.gz")).unwrap();
            let mut all = String::new();
            flate2::read::GzDecoder::new(packed).read_to_string(&mut all).unwrap();
            lines(&all)
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.strip_suffix('\n').unwrap().split('\n').map(String::from).collect()
}

/// So many keys, of which the first are those of a shorter list.
fn text(shorter: &Path, count: usize) -> Vec<String> {
    let mut keys = lines_of(shorter);
    keys.truncate(SHARP);
    keys.extend((0..count - SHARP).map(|number| match number % 4 {
        0 => format!("key-{number:05}"),
        1 => format!("https://é.example/{number}"),
        2 => format!("u{number}@example.com"),
        _ => format!("ключ-{number}"),
    }));
    keys
}
