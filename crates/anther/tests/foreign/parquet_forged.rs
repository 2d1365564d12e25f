//! Forged and truncated files of Parquet: named errors, no panic, no memory beyond the file.

use super::memory::peak;
use super::parquet_files::{added, file, filters, open};
use super::*;
use anther::ForeignError;
use anther::foreign::OpenForeign;
use anther::foreign::parquet::{ColumnFilters, Parquet, add_filters, layout};
use std::io::Cursor;
use std::sync::LazyLock;

/// Opens a file in every way. What is accepted answers and describes itself. Returns whether it
/// was.
fn rejected_or_harmless(bytes: &[u8]) -> bool {
    let mut taken = false;
    let used = peak(|| {
        let _ = layout(Cursor::new(bytes));
        if let Ok(file) = open(bytes) {
            taken = true;
            for entry in file.entries() {
                let _ = entry.filter.contains(b"12345678");
                let info = entry.filter.info();
                assert!((0.0..=1.0).contains(&info.fpr) && info.bits > 0, "{info:?}");
            }
        }
    });
    // The file, its footer, the filters, and for each column and row group a record of them.
    assert!(used < 4 * bytes.len() + 16_384, "{used} for {}", bytes.len());
    static FILTERS: LazyLock<Vec<ColumnFilters>> = LazyLock::new(|| filters(&[0, 1, 2]));
    let mut out = Vec::new();
    match add_filters(Cursor::new(bytes), &mut out, &FILTERS) {
        Ok(len) => assert_eq!(len, out.len() as u64),
        Err(_) => assert!(out.is_empty(), "nothing was written"),
    }
    taken
}

fn error(bytes: &[u8]) -> ForeignError {
    open(bytes).unwrap_err()
}

#[test]
fn every_truncation_is_refused() {
    let whole = added(&[0, 1, 2]);
    for len in 0..whole.len() {
        assert!(!rejected_or_harmless(&whole[..len]), "{len}");
    }
    let alone = fs::read(folder().join("parquet/pyarrow_100_i64/filter.bin")).unwrap();
    for len in 0..alone.len() {
        assert!(Parquet::from_bytes(&alone[..len]).is_err(), "{len}");
        assert!(open(&alone[..len]).is_err(), "{len}");
    }
    assert_eq!(Parquet::from_bytes(&[&alone[..], &[0]].concat()), Err(ForeignError::Trailing));
    for len in [0, 1, 31, 33, 100] {
        let error = Parquet::from_bitset(&alone[..len]).unwrap_err();
        assert!(matches!(error, ForeignError::Field { name: "bytes", .. }), "{error}");
    }
    assert!(Parquet::from_bitset(&alone[..96]).is_ok());
}

/// Bits of every byte of the footer, and every bit of the header of a filter alone.
#[test]
fn flipped_bits_are_rejected_or_harmless() {
    let whole = added(&[1]);
    let end = whole.len();
    let footer = u32::from_le_bytes(whole[end - 8..end - 4].try_into().unwrap()) as usize;
    let mut bytes = whole.clone();
    for at in end - 8 - footer..end {
        for mask in [0x01, 0x10, 0x80] {
            bytes[at] ^= mask;
            rejected_or_harmless(&bytes);
            bytes[at] ^= mask;
        }
    }
    let mut alone = fs::read(folder().join("parquet/pyarrow_100_i64/filter.bin")).unwrap();
    for bit in 0..16 * 8 {
        alone[bit / 8] ^= 1 << (bit % 8);
        let used = peak(|| _ = Parquet::from_bytes(&alone));
        assert!(used < 4096, "{used}");
        alone[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn random_mutations_are_rejected_or_harmless() {
    let whole = added(&[0, 2]);
    let end = whole.len();
    let footer = u32::from_le_bytes(whole[end - 8..end - 4].try_into().unwrap()) as usize;
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut taken = 0;
    for _ in 0..10_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random(4) {
            let at = end - 8 - footer + random(footer);
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] = [0, 0xFF, 0x7F, 0x80, 0x1C, 0x19][random(6)],
                2 => _ = bytes.splice(at..at, [random(256) as u8]),
                _ => _ = bytes.remove(at),
            }
        }
        taken += usize::from(rejected_or_harmless(&bytes));
    }
    assert!((100..9000).contains(&taken), "{taken} of 10,000 were taken");
}

/// A file of these metadata.
fn of_metadata(metadata: &[u8]) -> Vec<u8> {
    let len = u32::try_from(metadata.len()).unwrap().to_le_bytes();
    [b"PAR1", &[0; 200][..], metadata, &len, b"PAR1"].concat()
}

#[test]
fn hostile_metadata_is_refused() {
    // Structs in structs, lists in lists, maps in maps: 100,000 deep.
    for level in [&b"\x1C"[..], b"\x19\x19", b"\x1B\x01\xBB"] {
        let bytes = of_metadata(&level.repeat(100_000));
        assert!(matches!(error(&bytes), ForeignError::Malformed(_)), "{:?}", error(&bytes));
        assert!(!rejected_or_harmless(&bytes));
    }
    // Row groups: 2^60 of them, of which none comes; as many as there are bytes, all empty.
    let list = |len: &[u8], items: &[u8]| [&b"\x49\xFC"[..], len, items, &[0]].concat();
    let huge = list(b"\x80\x80\x80\x80\x80\x80\x80\x80\x10", b"");
    let empty = list(b"\xA0\x8D\x06", &vec![0; 100_000]);
    for metadata in [huge, empty] {
        assert!(!rejected_or_harmless(&of_metadata(&metadata)));
    }
    // A text of 2^63 bytes, and a number that never ends.
    for metadata in [
        &b"\x68\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x00"[..],
        &[&[0x16][..], &[0xFF; 40]].concat(),
    ] {
        assert!(!rejected_or_harmless(&of_metadata(metadata)));
    }
    // 300 fields, a field twice, row groups that are numbers.
    assert!(!rejected_or_harmless(&of_metadata(&[&[0x11; 300][..], &[0]].concat())));
    assert!(!rejected_or_harmless(&of_metadata(b"\x15\x02\x05\x02\x02\x00")));
    assert!(!rejected_or_harmless(&of_metadata(b"\x49\x15\x02\x00")));
    // More footer than file; none at all.
    assert_eq!(error(b"PAR1\xFF\xFF\xFF\x7FPAR1"), ForeignError::Truncated);
    assert_eq!(error(b"PAR1\0\0\0\0PAR1"), ForeignError::Truncated);
    assert!(error(b"PAR1\0\0\0\0PARE").to_string().contains("encrypted"));
}

/// A chunk of a column with these fields of its filter, in a file.
fn chunk(filter: &[u8]) -> Vec<u8> {
    // The column: type 2, encodings, path [c], codec, counts; then fields 9 and 14.
    let column = [
        &b"\x15\x04\x19\x05\x19\x18\x01c\x15\x00\x16\x02\x16\x02\x16\x02\x26\x08"[..],
        filter,
        &[0],
    ];
    let chunk = [&b"\x26\x08\x1C"[..], &column.concat(), &[0]].concat();
    [&b"\x19\x1C"[..], &chunk, &b"\x16\x02\x16\x02\x00"[..]].concat()
}

fn of_chunks(chunks: &[Vec<u8>]) -> Vec<u8> {
    let count = u8::try_from(chunks.len()).unwrap() << 4 | 12;
    let metadata = [&[0x49, count][..], &chunks.concat(), &[0]].concat();
    let mut bytes = of_metadata(&metadata);
    let filter = fs::read(folder().join("parquet/pyarrow_100_i64/filter.bin")).unwrap();
    bytes[4..4 + filter.len()].copy_from_slice(&filter);
    bytes
}

#[test]
fn filters_outside_the_file_or_over_each_other_are_refused() {
    // At 4 with its length of 144, and without.
    for filter in [&b"\x56\x08\x15\xA0\x02"[..], b"\x56\x08"] {
        let bytes = of_chunks(&[chunk(filter)]);
        assert!(rejected_or_harmless(&bytes), "{:?}", open(&bytes).err());
        assert_eq!(open(&bytes).unwrap().entries()[0].name, "c");
    }
    for (filter, name) in [
        (&b"\x56\x01"[..], "bloom_filter_offset"),
        (b"\x56\x00", "bloom_filter_offset"),
        (b"\x56\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "bloom_filter_offset"),
        (b"\x56\xA0\x06", "bloom_filter_offset"),
        (b"\x56\x08\x15\x9E\x02", "bloom_filter_length"),
        (b"\x56\x08\x15\x01", "bloom_filter_offset"),
    ] {
        let bytes = of_chunks(&[chunk(filter)]);
        let ForeignError::Field { name: got, .. } = error(&bytes) else {
            panic!("{filter:x?}: {:?}", error(&bytes))
        };
        assert_eq!(got, name, "{filter:x?}");
        assert!(!rejected_or_harmless(&bytes));
    }
    // Where the filter has no header.
    assert!(!rejected_or_harmless(&of_chunks(&[chunk(b"\x56\x0A")])));
    let twice = of_chunks(&[chunk(b"\x56\x08"), chunk(b"\x56\x08")]);
    assert_eq!(error(&twice), ForeignError::Malformed("filters that overlap"));
}

#[test]
fn sizes_beyond_the_limit_are_refused() {
    let bytes = file("pyarrow_10000_i64.parquet");
    let limited = |limit| OpenForeign::new().limit(limit).reader(Cursor::new(&bytes));
    assert!(limited(16_384).is_ok());
    let refused = limited(16_383).unwrap_err();
    assert_eq!(refused, ForeignError::TooLarge { bytes: 16_384, limit: 16_383 });
    assert!(matches!(limited(100), Err(ForeignError::TooLarge { .. })), "the footer");
}
