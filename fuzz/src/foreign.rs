//! Files of other systems, with right checksums where the format has them.

use crate::forged::{crc32, crc64};
use anther::foreign::cassandra::Sstable;
use anther::foreign::parquet;
use anther::foreign::{OpenForeign, System};
use std::io::Cursor;

/// The most memory that a filter may need.
const LIMIT: u64 = 1 << 20;

/// A file, and a byte that says what it should be: any system by its content, or this one.
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    let open = OpenForeign::new().limit(LIMIT);
    let (file, open) = match mode % 16 {
        0 => (bytes.to_vec(), open),
        1 => (dump(bytes), open.system(System::RedisBloom)),
        2 => (rdb(bytes), open.system(System::RedisBloom)),
        3 => (gzip(bytes), open.system(System::Dcso)),
        4 => (hfile(bytes), open.system(System::HBase)),
        5 => (bytes.to_vec(), open.bare()),
        6 => (bytes.to_vec(), open.system(System::Cassandra).sstable(version(mode >> 4))),
        system => {
            (bytes.to_vec(), open.system(System::ALL[usize::from(system - 7) % System::ALL.len()]))
        }
    };
    if mode & 128 != 0 {
        let _ = parquet::layout(Cursor::new(&file));
    }
    match open.reader(Cursor::new(&file)) {
        Ok(opened) => {
            for entry in opened.entries() {
                let info = entry.filter.info();
                assert!(info.bits <= 8 * LIMIT, "{info:?}");
                let _ = [&b""[..], b"key", &[0xFF; 40]].map(|key| entry.filter.contains(key));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A version of sstables: one of each layout.
fn version(number: u8) -> Sstable {
    ["ia", "ma", "na", "oa"][usize::from(number) % 4].parse().expect("a version")
}

/// The payload of `DUMP`, whose last eight bytes are its checksum.
fn dump(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len().saturating_sub(8)];
    [body, &crc64(body).to_le_bytes()].concat()
}

/// An RDB file without a checksum: eight zeros.
fn rdb(bytes: &[u8]) -> Vec<u8> {
    [&bytes[..bytes.len().saturating_sub(8)], &[0; 8]].concat()
}

/// A gzip file of these bytes as they are, in one block.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    let len = bytes.len() as u16;
    let mut file = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1];
    file.extend([len, !len].iter().flat_map(|it| it.to_le_bytes()));
    file.extend(&bytes[..usize::from(len)]);
    file.extend([sum.sum(), sum.amount()].iter().flat_map(|it| it.to_le_bytes()));
    file
}

/// An HFile of version 3 whose blocks have right checksums: 33 bytes of a block are its header.
fn hfile(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    let number = |file: &[u8], at: usize| -> Option<usize> {
        usize::try_from(i32::from_be_bytes(file.get(at..at + 4)?.try_into().ok()?)).ok()
    };
    for at in 0..file.len().saturating_sub(33) {
        let kinds: [&[u8]; 4] = [b"DATABLK*", b"BLMFBLK2", b"FILEINF2", b"BLMFMET2"];
        if !kinds.contains(&&file[at..at + 8]) {
            continue;
        }
        let kind = file[at + 24];
        let (Some(per_sum), Some(end)) = (number(&file, at + 25), number(&file, at + 29)) else {
            continue;
        };
        let Some(block) = file.get(at..at + end).filter(|_| per_sum > 0) else { continue };
        let sums: Vec<u8> =
            block.chunks(per_sum).flat_map(|part| crc32(part, kind).to_be_bytes()).collect();
        let room = file.len().saturating_sub(at + end).min(sums.len());
        file[at + end..at + end + room].copy_from_slice(&sums[..room]);
    }
    file
}
