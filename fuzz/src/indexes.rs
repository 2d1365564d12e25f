//! Search indexes, with right checksums of their tables.

use crate::forged;
use anther_index::{Index, IndexError, Query};
use std::fs::File;

/// A file in memory with these bytes.
#[cfg(target_os = "linux")]
fn file(bytes: &[u8]) -> File {
    use std::cell::RefCell;
    use std::os::unix::fs::FileExt;
    thread_local! {
        static MEMORY: RefCell<Option<File>> = const { RefCell::new(None) };
    }
    MEMORY.with_borrow_mut(|memory| {
        let file = memory.get_or_insert_with(|| {
            let flags = rustix::fs::MemfdFlags::CLOEXEC;
            rustix::fs::memfd_create("index", flags).expect("memory").into()
        });
        file.set_len(bytes.len() as u64).expect("memory");
        file.write_all_at(bytes, 0).expect("memory");
        file.try_clone().expect("a descriptor")
    })
}

/// An index file, and a byte that says whether checksums are made right.
#[cfg(target_os = "linux")]
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    let bytes = if mode & 1 == 0 { forged::index(bytes) } else { Some(bytes.to_vec()) };
    let Some(bytes) = bytes else { return };
    match Index::of(file(&bytes)).and_then(|index| answers(&index)) {
        Ok(()) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// No file in memory, no index.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &[u8]) {}

fn answers(index: &Index) -> Result<(), IndexError> {
    let blocks = index.blocks();
    for file in index.files() {
        assert!(file.blocks.start <= file.blocks.end && file.blocks.end <= blocks);
        assert!(index.file(file.root, &file.path).is_some(), "{file:?}");
        assert!(index.roots().get(file.root as usize).is_some());
    }
    assert_eq!(index.candidates(&Query::All)?.count(), u64::from(blocks));
    let literal = |text: &[u8]| Query::literal(text);
    let both = Query::and([literal(b"connection"), literal(b"timeout")]);
    let found = index.candidates(&Query::or([both, literal(b"warning")]))?;
    assert!((0..blocks).filter(|block| found.contains(*block)).count() as u64 == found.count());
    for column in &index.settings().columns {
        assert!(index.column_candidates(column, b"key")?.count() <= u64::from(blocks));
    }
    Ok(())
}
