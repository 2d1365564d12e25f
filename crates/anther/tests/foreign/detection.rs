//! Which system wrote a file: every real file is recognised as that of its own system and of no
//! other, and what is no filter is recognised as none.

use super::vectors::{SYSTEMS, opening};
use super::*;
use anther::foreign::cassandra::Sstable;
use anther::foreign::{OpenForeign, System, WriteFormat};
use anther::{ForeignError, Target};
use flate2::Compression;
use flate2::read::GzEncoder;
use std::io::{Cursor, Read};

/// The systems by content alone.
fn systems(bytes: &[u8]) -> Vec<System> {
    OpenForeign::systems(Cursor::new(bytes)).unwrap()
}

fn system_of(name: &str) -> System {
    let name = if name == "redis" { "redisbloom" } else { name };
    *System::ALL.iter().find(|system| system.name() == name).unwrap()
}

#[test]
fn every_real_file_is_of_its_own_system_alone() {
    let folders = [Some(folder()), shared_vectors()];
    for (folder, name) in folders.iter().flatten().flat_map(|f| SYSTEMS.map(|name| (f, name))) {
        let expected = system_of(name);
        for case in cases_of(folder, name) {
            assert_eq!(
                opening(&case).file(&case.file).unwrap().system(),
                expected,
                "{}",
                case.name
            );
            // The first chunk of SCANDUMP is known by its file's name, a bit set by nothing.
            let is_nameless = name == "redis" || case.name.contains("_bare_");
            let by_content = if is_nameless { vec![] } else { vec![expected] };
            assert_eq!(systems(&fs::read(&case.file).unwrap()), by_content, "{}", case.name);
        }
    }
    for file in [
        "rb26_bf_100/dump.bin",
        "rb26_cf_100/dump.bin",
        "rb26_rdb/dump.rdb",
        "rbmaster_rdb/dump.rdb",
    ] {
        let bytes = fs::read(folder().join("redis").join(file)).unwrap();
        assert_eq!(systems(&bytes), [System::RedisBloom], "{file}");
    }
    for file in fs::read_dir(folder().join("parquet/files")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert_eq!(systems(&bytes), [System::Parquet]);
    }
}

/// Every format, for many sizes: Spark's header of `k = words + 1` looks like Cassandra's, for one.
#[test]
fn every_written_filter_is_of_its_own_system_alone() {
    let mut looks_like_cassandra = 0;
    for format in WriteFormat::ALL {
        let system =
            *System::ALL.iter().find(|system| format.name().starts_with(system.name())).unwrap();
        for items in (1..120).chain([1000, 65_536, 100_000]) {
            for fpr in [0.3, 0.1, 0.03, 0.01, 0.001, 1e-6] {
                let mut filter = format.empty(Target::new(items, fpr).unwrap()).unwrap();
                for key in 0..items.min(50) {
                    filter.insert(&key.to_le_bytes()).unwrap();
                }
                let bytes = filter.to_bytes().unwrap();
                assert_eq!(systems(&bytes), [system], "{} for {items} at {fpr}", format.name());
                let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
                let is_same = word(0) == 2 && 8 + 8 * word(4) as usize == bytes.len();
                looks_like_cassandra += u32::from(is_same);
            }
        }
    }
    assert!(looks_like_cassandra > 5, "{looks_like_cassandra}");
}

#[test]
fn every_size_of_cassandra_is_cassandras() {
    let mut random = Random(7);
    for probes in 1..=20u32 {
        for words in 1..60u32 {
            let mut bytes = [probes, words].map(u32::to_be_bytes).concat();
            bytes.extend((0..8 * words).map(|_| random.byte()));
            assert_eq!(systems(&bytes), [System::Cassandra], "{probes}, {words}");
            let error = OpenForeign::new().reader(Cursor::new(&bytes)).unwrap_err();
            assert_eq!(error, ForeignError::NoSstableVersion);
            let message = error.to_string();
            assert!(message.contains("nb-1-big-Filter.db") && message.contains("version"));
        }
    }
}

/// Of any size: the tables of a compressed file may stand before its first byte.
#[test]
fn compressed_filters_of_dcso_are_recognised() {
    for case in cases("dcso").iter().filter(|case| !case.name.ends_with("_gz")) {
        let bytes = fs::read(&case.file).unwrap();
        for level in 0..=9 {
            let mut compressed = Vec::new();
            GzEncoder::new(&bytes[..], Compression::new(level))
                .read_to_end(&mut compressed)
                .unwrap();
            assert_eq!(systems(&compressed), [System::Dcso], "{}, level {level}", case.name);
        }
    }
}

#[test]
fn the_version_of_an_sstable_is_in_its_name() {
    for (name, version) in [
        ("Keyspace1-Standard1-ic-0-Filter.db", "ic"),
        ("system-compactions_in_progress-ka-1-Filter.db", "ka"),
        ("ks-table-tmp-jb-12-Filter.db", "jb"),
        ("lb-1-big-Filter.db", "lb"),
        ("/var/lib/cassandra/data/ks/t-1/mc-7-big-Filter.db", "mc"),
        ("nb-3fw2_0tj4_46w3k2cpidnirvjy7k-big-Filter.db", "nb"),
        ("oa-1-big-Filter.db", "oa"),
        ("da-1-bti-Filter.db", "da"),
    ] {
        assert_eq!(Sstable::of_file(name).map(|found| found.to_string()).as_deref(), Some(version));
    }
    for name in [
        "Filter.db",
        "nb-1-big-Data.db",
        "nb-1-bti-Filter.db",
        "da-1-big-Filter.db",
        "ks-table-hc-1-Filter.db",
        "nb-Filter.db",
        "NB-1-big-Filter.db",
        "my-Filter.db",
        "",
    ] {
        assert_eq!(Sstable::of_file(name), None, "{name}");
    }
    // There are no such versions, and nobody knows the hash of those to come.
    for version in ["", "n", "nbc", "hc", "NB", "n1", "é", "zz", "lz", "ne", "mf", "ob", "db", "i1"]
    {
        let error = version.parse::<Sstable>().unwrap_err();
        assert_eq!(error, ForeignError::SstableVersion { got: version.to_string() });
        assert!(error.to_string().contains("ia to ic, ja") && error.to_string().contains("oa"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pa-1-big-Filter.db");
    fs::write(&path, [[0, 0, 0, 5, 0, 0, 0, 1], [255; 8]].concat()).unwrap();
    let error = OpenForeign::new().file(&path).unwrap_err();
    assert_eq!(error, ForeignError::SstableVersion { got: "pa".to_string() });
    let opened = OpenForeign::new().sstable("oa".parse().unwrap()).file(&path).unwrap();
    assert!(opened.only().unwrap().contains(b"key"));
}

/// Lists of keys, tables, documents, programs, our own files.
#[test]
fn files_that_are_no_filters_are_of_no_system() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for folder in [
        "src/foreign",
        "tests/foreign/keys",
        "tests/foreign",
        "tests/golden",
        "../..",
        "../../docs",
    ] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                let bytes = fs::read(&path).unwrap();
                assert_eq!(systems(&bytes), [], "{}", path.display());
                assert_eq!(systems(&gzip(&bytes)), [], "{}, compressed", path.display());
                let opened = OpenForeign::new().file(&path).map(|file| file.system());
                assert_eq!(opened, Err(ForeignError::Unknown), "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
    let lists = [
        "word\n".repeat(1000),
        "id,name\n".to_string() + &"1,ada\n".repeat(99),
        "{\"key\":\"value\"}\n".repeat(50),
        (0..5000).map(|number| format!("{number}\n")).collect(),
        "\0".repeat(1000),
        String::new(),
    ];
    for list in lists {
        for len in 0..list.len().min(300) {
            assert_eq!(systems(&list.as_bytes()[..len]), []);
        }
        assert_eq!(systems(list.as_bytes()), []);
    }
}

#[test]
fn random_bytes_are_of_no_system() {
    let mut random = Random(42);
    for len in 0..3000 {
        let bytes: Vec<u8> = (0..len).map(|_| random.byte()).collect();
        assert_eq!(systems(&bytes), [], "{len}");
    }
    // Numbers that begin as some headers do, but of another length.
    for start in
        [[0, 0, 0, 1], [0, 0, 0, 2], [0, 7, 0, 0], [1, 7, 0, 0], [1, 0, 0, 0], [0, 5, 0, 3]]
    {
        for len in 4..600 {
            let mut bytes = start.to_vec();
            bytes.resize_with(len, || random.byte());
            assert_eq!(systems(&bytes), [], "{start:?}, {len}");
        }
    }
}

/// A chunk's name is not enough.
#[test]
fn a_list_may_be_called_as_a_chunk_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words_1.bin");
    for list in ["apple\npear\n".repeat(100), "a".repeat(38), "b".repeat(73)] {
        fs::write(&path, list).unwrap();
        assert_eq!(OpenForeign::new().file(&path).unwrap_err(), ForeignError::Unknown);
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut compressed = Vec::new();
    GzEncoder::new(bytes, Compression::default()).read_to_end(&mut compressed).unwrap();
    compressed
}

/// Numbers that look random, and are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
