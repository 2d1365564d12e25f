//! Truncated, extended and forged files of every format: a named error or a filter that works, no
//! panic, and no more memory than the file has bytes. Parquet's are in `parquet_forged.rs`, chunks
//! of RedisBloom in `forged_fields.rs`.

use super::detection::{Random, gzip};
use super::hfile::{Version3, version_1};
use super::memory::peak;
use super::*;
use anther::foreign::cassandra::{Cassandra, Sstable};
use anther::foreign::dcso::Dcso;
use anther::foreign::guava::Guava;
use anther::foreign::spark::Spark;
use anther::foreign::squid::Squid;
use anther::foreign::{ForeignFilter, OpenForeign, System, WriteFormat};
use anther::{ForeignError, Target};
use std::io::Cursor;

/// What opening needs beside the file: its edges, which are looked at first, and records.
const CONSTANT: usize = 16 << 10;
/// What a decompressor needs.
const DECOMPRESSOR: usize = 160 << 10;

/// A small file of a format.
struct Sample {
    name: &'static str,
    system: System,
    bytes: Vec<u8>,
    /// Bytes that are fields, not cells.
    fields: Vec<std::ops::Range<usize>>,
    is_compressed: bool,
}

fn samples() -> Vec<Sample> {
    let sample = |name, system, bytes: Vec<u8>, fields: &[std::ops::Range<usize>]| Sample {
        name,
        system,
        is_compressed: bytes.starts_with(&[0x1f, 0x8b]),
        bytes,
        fields: fields.to_vec(),
    };
    let real = |name, system, file: &str, header: usize| {
        sample(
            name,
            system,
            fs::read(folder().join(file)).unwrap(),
            std::slice::from_ref(&(0..header)),
        )
    };
    let dump = case("rb26_bf_100").dump();
    let (dump_fields, dump_end) = ([0..60, dump.len() - 13..dump.len()], dump.len());
    assert!(dump_end > 100);
    let hfile = |file: Version3| {
        let bytes = file.bytes();
        let end = bytes.len();
        let fields = [0..end - 4096 + 40, end - 4..end];
        (bytes, fields)
    };
    let (hfile_3, fields_3) = hfile(Version3::default());
    let (hfile_gzip, fields_gzip) = hfile(Version3 { codec: 1, ..Version3::default() });
    let hfile_1 = version_1(2, &[0x5a; 64]);
    let all_1 = 0..hfile_1.len();
    let mut hfile_gzip = sample("HFile 3 with gzip", System::HBase, hfile_gzip, &fields_gzip);
    hfile_gzip.is_compressed = true;
    let mut samples = vec![
        real("Guava", System::Guava, "guava/mitz64_utf8_100/filter.bin", 6),
        real("Spark 1", System::Spark, "spark/v1_binary_100/filter.bin", 12),
        real("Spark 2", System::Spark, "spark/v2_binary_100/filter.bin", 16),
        real("DCSO", System::Dcso, "dcso/flor_hex_100/filter.bloom", 48),
        real("DCSO with gzip", System::Dcso, "dcso/go_hex_100_gz/filter.bloom.gz", 226),
        real("Squid", System::Squid, "squid/digest_100/store_digest", 128),
        real("Cassandra", System::Cassandra, "cassandra/classes_21_bigint_100/Filter.db", 8),
        sample("RedisBloom", System::RedisBloom, dump, &dump_fields),
        sample("HFile 1", System::HBase, hfile_1, &[all_1]),
        sample("HFile 3", System::HBase, hfile_3, &fields_3),
        hfile_gzip,
    ];
    if let Some(folder) = shared_vectors() {
        let real = fs::read(folder.join("hbase/v3_row_25/hfile")).unwrap();
        let end = real.len();
        let fields = [0..end - 4096 + 90, end - 4..end];
        let real = sample("HFile 3 of HBase", System::HBase, real, &fields);
        samples.push(Sample { is_compressed: true, ..real });
    }
    samples
}

/// Opens a file by its content and as a system. Returns whether the latter was successful.
fn opened(sample: &Sample, bytes: &[u8]) -> Result<(), ForeignError> {
    let open = OpenForeign::new().limit(LIMIT).sstable("ma".parse::<Sstable>().unwrap());
    // By content, it may be a file of another system, or of none.
    if let Ok(file) = open.reader(Cursor::new(bytes)) {
        file.entries().iter().for_each(|entry| works(&entry.filter));
    }
    let mut outcome = Err(ForeignError::Unknown);
    let used = peak(|| outcome = open.system(sample.system).reader(Cursor::new(bytes)));
    let most = match sample.system {
        // A forged field may say that blocks are compressed.
        _ if sample.is_compressed => 16 * bytes.len() + DECOMPRESSOR,
        System::HBase => bytes.len() + DECOMPRESSOR,
        // The filter is copied out of the dump.
        System::RedisBloom => 2 * bytes.len() + CONSTANT,
        _ => bytes.len() + CONSTANT,
    };
    assert!(used <= most, "{}: {used} for {}", sample.name, bytes.len());
    let outcome = outcome.map(|file| file.entries().iter().for_each(|entry| works(&entry.filter)));
    if let Err(error) = &outcome {
        let is_named = !matches!(error, ForeignError::Io { .. } | ForeignError::OutOfMemory(_));
        assert!(is_named, "{}: {error}", sample.name);
    }
    outcome
}

/// A filter that was read answers, describes itself, and can be written and read again.
fn works(filter: &ForeignFilter) {
    let _ = filter.contains(b"");
    let _ = filter.contains(b"a key");
    let info = filter.info();
    assert!((0.0..=1.0).contains(&info.fill) && (0.0..=1.0).contains(&info.fpr), "{info:?}");
    assert!(info.bits > 0 && info.probes > 0, "{info:?}");
    match filter {
        ForeignFilter::Dcso(filter) => {
            assert_eq!(&Dcso::from_bytes(&filter.to_bytes(), LIMIT).unwrap(), filter);
        }
        ForeignFilter::Guava(filter) => {
            assert_eq!(&Guava::from_bytes(&filter.to_bytes()).unwrap(), filter);
        }
        ForeignFilter::Spark(filter) => {
            assert_eq!(&Spark::from_bytes(&filter.to_bytes()).unwrap(), filter);
        }
        ForeignFilter::Squid(filter) => {
            assert_eq!(&Squid::from_bytes(&filter.to_bytes()).unwrap(), filter);
        }
        _ => {}
    }
}

/// The same file with a checksum that fits again, if it has one for everything.
fn signed(sample: &Sample, bytes: Vec<u8>) -> Vec<u8> {
    match sample.system {
        System::RedisBloom if bytes.len() > 10 => with_checksum(bytes),
        _ => bytes,
    }
}

#[test]
fn samples_are_read() {
    for sample in samples() {
        assert_eq!(opened(&sample, &sample.bytes), Ok(()), "{}", sample.name);
    }
}

#[test]
fn every_truncation_and_extension_is_refused() {
    for sample in samples() {
        let (name, bytes) = (sample.name, &sample.bytes);
        // Behind the bits of DCSO's filter is data of any length.
        let least = if name == "DCSO" { 48 + 8 * 2453_usize.div_ceil(64) } else { bytes.len() };
        for len in 0..bytes.len() {
            let short = signed(&sample, bytes[..len].to_vec());
            let outcome = opened(&sample, &short);
            assert_eq!(outcome.is_err(), len < least, "{name}: {len} of {}", bytes.len());
        }
        for more in [1, 7, 8, 64, 5000] {
            for byte in [0, 0xff] {
                let long = [&bytes[..], &vec![byte; more]].concat();
                let outcome = opened(&sample, &signed(&sample, long));
                assert_eq!(outcome.is_ok(), name == "DCSO", "{name}: {more} more");
            }
        }
    }
}

#[test]
fn every_forged_byte_of_a_header_is_refused_or_harmless() {
    for sample in samples() {
        let (mut refused, mut taken) = (0, 0);
        for at in sample.fields.iter().cloned().flatten() {
            let flipped = (0..8).map(|bit| sample.bytes[at] ^ 1 << bit);
            for byte in flipped.chain([0, 0xff, 0x7f, 0x80]) {
                let mut forged = sample.bytes.clone();
                forged[at] = byte;
                match opened(&sample, &signed(&sample, forged)) {
                    Ok(()) => taken += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        println!("{}: {refused} refused, {taken} harmless", sample.name);
        assert!(refused > 20 && taken > 0, "{}: {refused}, {taken}", sample.name);
    }
}

/// Some bytes changed, and then a piece removed, repeated or added.
#[test]
fn ten_thousand_mutations_of_each_are_refused_or_harmless() {
    let mut random = Random(19);
    for sample in samples() {
        let mut refused = 0;
        for _ in 0..10_000 {
            let mut forged = sample.bytes.clone();
            for _ in 0..=random.below(4) {
                let fields = &sample.fields[random.below(sample.fields.len())];
                let at = match random.below(3) {
                    0 => random.below(forged.len()),
                    _ => fields.start + random.below(fields.len()),
                };
                let interesting = [0, 1, 0x7f, 0x80, 0xff, random.byte()];
                forged[at] = interesting[random.below(interesting.len())];
            }
            match random.below(10) {
                0 => forged.truncate(random.below(forged.len())),
                1 => forged.extend_from_within(random.below(sample.bytes.len())..),
                2 => _ = forged.drain(..random.below(forged.len())),
                _ => {}
            }
            let forged = signed(&sample, forged);
            refused += u32::from(opened(&sample, &forged).is_err());
        }
        println!("{}: {refused} of 10,000 mutations refused", sample.name);
        assert!((1000..10_000).contains(&refused), "{}: {refused}", sample.name);
    }
}

/// The sample of a name, with other bytes at a place.
fn forged(name: &str, at: usize, bytes: &[u8]) -> ForeignError {
    let sample = samples().into_iter().find(|sample| sample.name == name).unwrap();
    let mut forged = sample.bytes.clone();
    forged[at..at + bytes.len()].copy_from_slice(bytes);
    match opened(&sample, &forged) {
        Err(error) => error,
        Ok(()) => panic!("{name} with {bytes:x?} at {at}"),
    }
}

/// The field that is refused.
fn field(name: &str, at: usize, bytes: &[u8]) -> &'static str {
    match forged(name, at, bytes) {
        ForeignError::Field { name, .. } => name,
        other => panic!("{name}: {other}"),
    }
}

#[test]
fn extremes_of_numbers_are_refused_by_name() {
    let most = i32::MAX.to_be_bytes();
    for (name, probes, words) in [
        ("Guava", None, 2),
        ("Spark 1", Some(4), 8),
        ("Spark 2", Some(4), 12),
        ("Cassandra", Some(0), 4),
    ] {
        assert_eq!(forged(name, words, &most), ForeignError::Truncated);
        for number in [0, -1, i32::MIN] {
            assert_eq!(field(name, words, &number.to_be_bytes()), "words");
        }
        assert_eq!(forged(name, words, &1i32.to_be_bytes()), ForeignError::Trailing);
        for number in [0, -1, 4097, i32::MAX, i32::MIN] {
            if let Some(probes) = probes {
                assert_eq!(field(name, probes, &number.to_be_bytes()), "probes");
            }
        }
    }
    assert_eq!(field("Guava", 1, &[0]), "probes");
    assert_eq!(field("Guava", 0, &[2]), "strategy");
    assert_eq!(field("Spark 1", 3, &[3]), "version");
    let dcso = |at, number: u64| field("DCSO", at, &number.to_le_bytes());
    assert_eq!((dcso(0, 0), dcso(0, 2), dcso(8, 0), dcso(32, 0)), ("version", "version", "n", "m"));
    for fpr in [0.0, -0.0, 1.0, -1.0, 3e-319, 4e15, f64::NAN, f64::INFINITY] {
        assert_eq!(dcso(16, fpr.to_bits()), "p");
    }
    for probes in [0, 4097, 1 << 32, 1 << 63, u64::MAX] {
        assert_eq!(dcso(24, probes), "probes");
    }
    for bits in [1 << 48, 1 << 63, u64::MAX] {
        assert_eq!(forged("DCSO", 32, &bits.to_le_bytes()), ForeignError::Truncated);
    }
    let squid = |at, number: i32| field("Squid", at, &number.to_be_bytes());
    for number in [0, -1, i32::MIN] {
        assert_eq!((squid(4, number), squid(16, number)), ("capacity", "mask_size"));
    }
    assert_eq!((squid(8, -1), squid(12, -1)), ("count", "del_count"));
    assert_eq!((squid(4, i32::MAX), squid(16, i32::MAX)), ("mask_size", "mask_size"));
    assert_eq!(
        (field("Squid", 20, &[0]), field("Squid", 21, &[5])),
        ("bits_per_entry", "hash_func_count")
    );
    assert_eq!(field("Squid", 0, &[0, 2]), "version");
    assert!(matches!(forged("Squid", 2, &[0, 6]), ForeignError::Version { got: 6, newest: 5, .. }));
    assert_eq!(
        forged("Squid", 127, &[1]),
        ForeignError::Malformed("reserved bytes that are not 0")
    );
}

/// A lookup in a filter whose bits are all 1 makes every probe: 4096 at most.
#[test]
fn the_most_probes_are_made_at_once() {
    let ones = [0xff; 64];
    let spark = [&[0, 0, 0, 2, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 8], &ones[..]].concat();
    assert!(Spark::from_bytes(&spark).unwrap().contains(b"key"));
    let cassandra = [&[0, 0, 16, 0, 0, 0, 0, 8], &ones[..]].concat();
    let filter = Cassandra::from_bytes(&cassandra, "nb".parse().unwrap()).unwrap();
    assert!(filter.contains(b"key"));
    let fields = [1, 9, 0.5f64.to_bits(), 4096, 512, u64::MAX];
    let dcso = [&fields.map(u64::to_le_bytes).concat()[..], &ones].concat();
    let mut filter = Dcso::from_bytes(&dcso, LIMIT).unwrap();
    assert!(filter.contains(b"key"));
    // Its number of inserts is as large as can be.
    filter.insert(b"key");
    assert_eq!(filter.to_bytes(), dcso);
}

/// Compressed files grow no further than the limit.
#[test]
fn compressed_files_are_limited() {
    let header = &fs::read(folder().join("dcso/flor_hex_100/filter.bloom")).unwrap()[..];
    let bomb = gzip(&[header, &vec![0; 30 << 20]].concat());
    assert!(bomb.len() < 64 << 10, "{}", bomb.len());
    let limit = 100 << 10;
    let open = || OpenForeign::new().limit(limit).reader(Cursor::new(&bomb)).unwrap_err();
    let used = peak(|| assert!(matches!(open(), ForeignError::Data { .. })));
    assert!(used < 3 * limit as usize + DECOMPRESSOR, "{used}");
    let used = peak(|| assert!(Dcso::from_bytes(&bomb, limit).is_err()));
    assert!(used < 3 * limit as usize + DECOMPRESSOR, "{used}");
    // Whatever the limit of the cells is, the data behind them have their own.
    let data = vec![0; (64 << 20) + 1];
    let bomb = gzip(&[header, &data].concat());
    let refused = OpenForeign::new().reader(Cursor::new(&bomb)).unwrap_err();
    assert_eq!(refused, ForeignError::Data { limit: 64 << 20 });
    assert!(refused.to_string().contains("more than 67.1 MB"), "{refused}");
    let own = Dcso::from_bytes(header, LIMIT).unwrap().data().len();
    let most = gzip(&[header, &data[own + 1..]].concat());
    let most = Dcso::from_bytes(&most, u64::MAX).unwrap();
    assert_eq!(most.data().len(), 64 << 20);
    // Of a header that is wrong, or too large, nothing more is decompressed.
    for (at, value) in [(0, 2), (24, u64::MAX), (32, u64::MAX)] {
        let mut wrong = header.to_vec();
        wrong[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let bomb = gzip(&[&wrong[..], &data].concat());
        let used = peak(|| assert!(Dcso::from_bytes(&bomb, 1 << 30).is_err()));
        assert!(used < DECOMPRESSOR, "{used}");
    }
    // Two compressed parts are one file, but not a part and something else.
    let parts = [gzip(&header[..100]), gzip(&header[100..])].concat();
    assert_eq!(Dcso::from_bytes(&parts, LIMIT), Dcso::from_bytes(header, LIMIT));
    let garbage = [&parts[..], b"garbage"].concat();
    assert!(Dcso::from_bytes(&garbage, LIMIT).is_err());
    // A block of an HFile that claims a byte less than it has, and one that claims more.
    let file = Version3 { codec: 1, checksum: 0, ..Version3::default() }.bytes();
    let chunk = file.windows(8).position(|window| window == b"BLMFBLK2").unwrap();
    for claimed in [15, 17, i32::MAX] {
        let mut forged = file.clone();
        forged[chunk + 12..chunk + 16].copy_from_slice(&i32::to_be_bytes(claimed));
        let open = || OpenForeign::new().reader(Cursor::new(&forged));
        let used = peak(|| assert!(open().is_err(), "{claimed}"));
        assert!(used < forged.len() + DECOMPRESSOR, "{used}");
    }
}

/// A file is read into the memory that its filter then has.
#[test]
fn opening_takes_the_memory_of_the_file() {
    for format in WriteFormat::ALL {
        let target = Target::new(1_000_000, 0.01).unwrap();
        let bytes = format.empty(target).unwrap().to_bytes().unwrap();
        assert!(bytes.len() > 1_000_000);
        let used = peak(|| _ = OpenForeign::new().reader(Cursor::new(&bytes)).unwrap());
        let copies =
            if matches!(format, WriteFormat::Parquet | WriteFormat::RedisBloom) { 2 } else { 1 };
        assert!(
            used <= copies * bytes.len() + CONSTANT,
            "{}: {used} for {}",
            format.name(),
            bytes.len()
        );
    }
}

/// Files of a gigabyte are read where the limit allows it, and otherwise not begun.
#[test]
fn the_limit_is_checked_before_the_file_is_read() {
    for sample in samples().iter().filter(|sample| !sample.is_compressed) {
        let limit = 50;
        let open =
            OpenForeign::new().system(sample.system).limit(limit).sstable("ma".parse().unwrap());
        let error = open.reader(Cursor::new(&sample.bytes)).unwrap_err();
        assert!(
            matches!(error, ForeignError::TooLarge { limit: 50, .. }),
            "{}: {error}",
            sample.name
        );
    }
}

/// Files that other readers crash or hang on.
#[test]
fn files_to_refuse_are_refused_by_name() {
    let Some(folder) = shared_vectors() else { return };
    let field = |error: ForeignError| match error {
        ForeignError::Field { name, .. } => name,
        other => panic!("{other}"),
    };
    let mut refused = 0;
    for file in fs::read_dir(folder.join("refuse")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let system = if name.starts_with("dcso_") { System::Dcso } else { System::Parquet };
        let used = peak(|| {
            let error = OpenForeign::new().system(system).file(&path).unwrap_err();
            let by_content = OpenForeign::new().file(&path).unwrap_err();
            match name {
                "dcso_broken.bloom" => assert_eq!(field(error), "probes"),
                "dcso_fleur_hang0.bin" | "dcso_fleur_hang1.bin" | "dcso_fleur_hang2.bin" => {
                    assert_eq!(field(error), "p");
                }
                "dcso_fleur_header.bin" => {
                    assert_eq!(
                        [error, by_content.clone()],
                        [ForeignError::Truncated, ForeignError::Truncated]
                    );
                }
                "parquet_murmur3_bloom_filter.bin" => {
                    assert!(matches!(error, ForeignError::Malformed(_)), "{error}");
                }
                _ => panic!("{name}"),
            }
            let is_header = name == "dcso_fleur_header.bin";
            assert_eq!(by_content == ForeignError::Unknown, !is_header, "{name}");
        });
        assert!(used < CONSTANT, "{name}: {used}");
        refused += 1;
    }
    assert_eq!(refused, 6);
}

/// Targets that a format cannot have.
#[test]
fn targets_beyond_a_format_are_refused_by_name() {
    // Nothing is corrupt: there is no file yet.
    let error = |format: WriteFormat, items, fpr| {
        let error = format.empty(Target::new(items, fpr).unwrap()).unwrap_err();
        assert!(matches!(error, ForeignError::Size { .. }), "{error}");
        error.to_string()
    };
    for format in [WriteFormat::Guava64, WriteFormat::Spark2] {
        assert!(error(format, 1 << 48, 0.01).contains("at most 2^31 - 1"));
    }
    assert!(error(WriteFormat::Squid, 100, 1e-9).contains("false-positive rate"));
    assert!(error(WriteFormat::Squid, 1 << 40, 0.09).contains("at most 2^31 - 1 of both"));
    assert!(WriteFormat::Squid.empty(Target::new(100, 1e-7).unwrap()).is_ok());
}
