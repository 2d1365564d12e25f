//! Lists of keys, a line each. Long ones are compressed, or written by a rule.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The lists of a column of `cases.tsv`, one after the other.
pub fn lists_of(folder: &Path, column: &str) -> Vec<String> {
    column.split('+').flat_map(|path| lines_of(&folder.join(path))).collect()
}

/// The lines of such a list.
pub fn lines_of(path: &Path) -> Vec<String> {
    // The URLs that Squid had in its cache.
    if path.ends_with("squid/digest_4000/present.txt") {
        let last = |i| if i % 7 == 0 { 'é' } else { 'x' };
        let url = |i| format!("http://127.0.0.1:3872/big/{i:05}/{}", last(i));
        return (0..4000).map(url).collect();
    }
    let text = fs::read_to_string(path).unwrap_or_else(|_| {
        let packed = File::open(path.with_extension("txt.gz")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
        text
    });
    text.strip_suffix('\n').unwrap().split('\n').map(String::from).collect()
}
