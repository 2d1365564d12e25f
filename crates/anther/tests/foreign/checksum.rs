//! Whether a checksum covers the cells of a file: it is said to where a changed cell is refused, and
//! nowhere else.

use super::detection::gzip;
use super::hfile::{Version3, version_1};
use super::vectors::{SYSTEMS, opening};
use super::*;
use anther::ForeignError;
use anther::foreign::{Checksum, ForeignFile, OpenForeign};
use std::io::Cursor;

fn open(bytes: &[u8]) -> Result<ForeignFile, ForeignError> {
    OpenForeign::new().reader(Cursor::new(bytes))
}

fn redis(file: &str) -> Vec<u8> {
    fs::read(folder().join("redis").join(file)).unwrap()
}

#[test]
fn real_files_say_whether_a_checksum_covers_them() {
    let folders = [Some(folder()), shared_vectors()];
    let mut verified = 0;
    for (folder, name) in folders.iter().flatten().flat_map(|f| SYSTEMS.map(|name| (f, name))) {
        for case in cases_of(folder, name) {
            let expected = match name {
                "dcso" if case.name.ends_with("_gz") => Checksum::Verified,
                "hbase" if case.name.starts_with("v3_") => Checksum::Verified,
                // The cases of Redis are chunks of SCANDUMP.
                _ => Checksum::Absent,
            };
            let file = opening(&case).file(&case.file).unwrap();
            assert_eq!(file.checksum(), expected, "{name}, {}", case.name);
            verified += u32::from(expected == Checksum::Verified);
        }
    }
    assert!(verified >= 2, "{verified}");
    for file in ["rb26_bf_100/dump.bin", "rb26_cf_100/dump.bin", "rbmaster_rdb/dump.rdb"] {
        assert_eq!(open(&redis(file)).unwrap().checksum(), Checksum::Verified, "{file}");
    }
    assert_eq!(open(&version_1(2, &[0xff; 99])).unwrap().checksum(), Checksum::Absent);
}

/// A server with `rdbchecksum no` writes zeros.
#[test]
fn the_checksum_of_an_rdb_file_may_be_turned_off() {
    let mut rdb = redis("rb26_rdb/dump.rdb");
    assert_eq!(open(&rdb).unwrap().checksum(), Checksum::Verified);
    let end = rdb.len() - 8;
    rdb[end..].fill(0);
    assert_eq!(open(&rdb).unwrap().checksum(), Checksum::TurnedOff);
    // Zeros elsewhere are none.
    rdb[end] = 1;
    assert!(matches!(open(&rdb), Err(ForeignError::Checksum { .. })));
}

/// HBase writes such blocks with `hbase.hstore.checksum.algorithm` set to `NULL`.
#[test]
fn the_checksums_of_an_hfile_may_be_turned_off() {
    for (checksum, expected) in
        [(0, Checksum::TurnedOff), (1, Checksum::Verified), (2, Checksum::Verified)]
    {
        let bytes = Version3 { checksum, ..Version3::default() }.bytes();
        assert_eq!(open(&bytes).unwrap().checksum(), expected, "type {checksum}");
    }
}

#[test]
fn what_is_verified_is_refused_with_a_changed_cell() {
    let dcso = gzip(&fs::read(folder().join("dcso/flor_utf8_100/filter.bloom")).unwrap());
    let hfile = Version3::default().bytes();
    let cells = hfile.windows(8).position(|window| window == b"BLMFBLK2").unwrap() + 40;
    let files = [
        (redis("rb26_rdb/dump.rdb"), None),
        (redis("rb26_bf_100/dump.bin"), None),
        (dcso, None),
        (hfile, Some(cells)),
    ];
    for (mut bytes, cells) in files {
        let file = open(&bytes).unwrap();
        assert_eq!(file.checksum(), Checksum::Verified);
        let at = cells.unwrap_or(bytes.len() / 2);
        bytes[at] ^= 16;
        assert!(open(&bytes).is_err(), "{}, {at}", file.system());
    }
}
