//! Sketches, under right checksums.

use crate::forged;
use anther::iblt::sketch::{Comparison, SketchReader};

/// A sketch, and a byte that says whether its checksums are made right.
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    let sketch = if mode & 1 == 0 { forged::sketch(bytes) } else { bytes.to_vec() };
    let Ok(mut reader) = SketchReader::open(&sketch[..], None) else { return };
    let Ok(set) = reader.set() else { return };
    let ours: [&[u8]; 4] = [b"a line", b"", b"another line", &[b'x'; 100]];
    let Ok(mut comparison) = Comparison::new(set, &ours, reader.header().seed) else { return };
    while !comparison.is_done() && reader.frame(&mut comparison).is_ok_and(|more| more) {}
    if let Ok(difference) = comparison.difference()
        && comparison.is_done()
    {
        assert!(difference.ours.len() <= ours.len(), "{difference:?}");
        assert!(difference.is_empty() || comparison.symbols() > 0);
    }
    let _ = (comparison.enough(), reader.bytes());
}
