//! Key recipes, as sketches and the sections of files have them.

use anther::iblt::sketch::{SketchReader, SketchWriter};

/// A recipe: what is read is written, and read again as the same.
pub fn run(data: &[u8]) {
    let Some(recipe) = data.get(..data.len() / 8 * 8).filter(|it| it.len() <= 4000) else { return };
    let len = (32 + recipe.len()) as u16;
    let mut header = b"\x89ANS\r\n\x1a\n\x01\0".to_vec();
    header.extend(len.to_le_bytes());
    header.extend([0; 12]);
    header.extend(recipe);
    let header = crate::forged::summed(&header);
    let Ok(reader) = SketchReader::open(&header[..], None) else { return };
    let (written, _) = SketchWriter::header(reader.header()).expect("what was read");
    assert_eq!(written, header, "{:?}", reader.header());
    assert!(!reader.header().recipe.to_string().is_empty());
}
