//! Lists of keys, a line each. The long ones are compressed.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

pub fn lines_of(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|_| {
        let packed = File::open(path.with_extension("txt.gz")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
        text
    });
    text.strip_suffix('\n').unwrap().split('\n').map(String::from).collect()
}
