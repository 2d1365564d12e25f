//! Filters that real programs wrote: opened by their content, they answer every key as those
//! programs do, false positives included, and filters that we make of the same keys have the same
//! bytes.

use super::memory::peak;
use super::*;
use anther::foreign::cassandra::Sstable;
use anther::foreign::dcso::Dcso;
use anther::foreign::spark::Spark;
use anther::foreign::{ForeignFilter, OpenForeign, WriteFormat};
use anther::recipe::{Given, KeyForm, KeyRule};
use anther::{KeyError, Target};

/// The names of systems in `cases.tsv`.
pub const SYSTEMS: [&str; 8] =
    ["cassandra", "dcso", "guava", "hbase", "parquet", "redis", "spark", "squid"];

/// How many answers were compared in a system's cases.
#[derive(Debug, Default, PartialEq)]
struct Compared {
    cases: usize,
    present: usize,
    absent: usize,
    falsely: usize,
}

/// Compares every answer of these cases.
fn compare(cases: &[Case], open: impl Fn(&Case) -> ForeignFilter) -> Compared {
    let mut compared = Compared::default();
    for case in cases {
        let filter = open(case);
        let name = &case.name;
        for key in &case.present {
            assert!(filter.contains(key), "{name}: {key:x?} is in");
        }
        for (key, found) in &case.absent {
            assert_eq!(filter.contains(key), *found, "{name}: {key:x?}");
        }
        compared.cases += 1;
        compared.present += case.present.len();
        compared.absent += case.absent.len();
        compared.falsely += case.absent.iter().filter(|(_, found)| *found).count();
    }
    compared
}

/// Compares the cases of a system that are part of this repository, and where the others are, those
/// too.
fn compare_all(system: &str, ours: Compared, all: Compared) {
    let compared = compare(&cases(system), opened);
    println!("{system}: {compared:?}");
    assert_eq!(compared, ours);
    if let Some(folder) = shared_vectors() {
        let compared = compare(&cases_of(&folder, system), opened);
        println!("{system}, with other repositories' files: {compared:?}");
        assert_eq!(compared, all);
    }
}

/// The only filter of a case's file, whose system is told by its content.
fn opened(case: &Case) -> ForeignFilter {
    opening(case).file(&case.file).unwrap().only().unwrap()
}

/// What must be said of a case's file, since neither its content nor its name does.
pub fn opening(case: &Case) -> OpenForeign {
    match sstable(case) {
        Some(version) => OpenForeign::new().sstable(version.parse::<Sstable>().unwrap()),
        None if case.name.contains("_bare_") => OpenForeign::new().bare(),
        None => OpenForeign::new(),
    }
}

/// The version of a case's sstable where its name does not say it, or says another one.
fn sstable(case: &Case) -> Option<&'static str> {
    match &case.name {
        name if name.starts_with("classes_21_") => Some("ka"),
        name if name.starts_with("classes_30_") => Some("ma"),
        name if name.starts_with("classes_trunk_") => Some("oa"),
        name if name.starts_with("la_prerelease_") => Some("ma"),
        _ => None,
    }
}

#[test]
fn answers_are_those_of_guava() {
    let compared = || Compared { cases: 13, present: 60_700, absent: 1682, falsely: 382 };
    compare_all("guava", compared(), compared());
}

#[test]
fn answers_are_those_of_spark() {
    let compared = || Compared { cases: 11, present: 30_800, absent: 1430, falsely: 330 };
    compare_all("spark", compared(), compared());
}

#[test]
fn answers_are_those_of_dcso() {
    let ours = Compared { cases: 6, present: 20_400, absent: 723, falsely: 123 };
    let all = Compared { cases: 10, present: 20_411, absent: 1123, falsely: 123 };
    compare_all("dcso", ours, all);
}

#[test]
fn answers_are_those_of_squid() {
    let compared = || Compared { cases: 2, present: 4100, absent: 380, falsely: 80 };
    compare_all("squid", compared(), compared());
}

#[test]
fn answers_are_those_of_cassandra() {
    let ours = Compared { cases: 11, present: 50_600, absent: 1419, falsely: 319 };
    let all = Compared { cases: 31, present: 52_493, absent: 3565, falsely: 465 };
    compare_all("cassandra", ours, all);
}

/// All files of HBase come from its repository.
#[test]
fn answers_are_those_of_hbase() {
    let all = Compared { cases: 2, present: 1025, absent: 258, falsely: 58 };
    compare_all("hbase", Compared::default(), all);
    let Some(folder) = shared_vectors() else { return };
    for case in cases_of(&folder, "hbase") {
        let info = opened(&case).info();
        assert_eq!((info.bits, u64::from(info.probes)), (case.number("bits"), case.number("k")));
        assert_eq!(info.inserted, Some(case.number("n")));
        assert!(info.format.ends_with(&format!(", {}", case.parameters["bloom"])));
    }
}

#[test]
fn answers_of_files_are_those_of_redisbloom() {
    let compared = || Compared { cases: 10, present: 23_300, absent: 1565, falsely: 365 };
    compare_all("redis", compared(), compared());
}

#[test]
fn answers_are_those_of_parquets_writers() {
    let ours = Compared { cases: 16, present: 51_100, absent: 2013, falsely: 413 };
    let all = Compared { cases: 19, present: 51_132, absent: 2313, falsely: 413 };
    compare_all("parquet", ours, all);
}

/// Every case of every system, so that none is left out.
#[test]
fn every_case_is_compared() {
    let of = |folder: &Path| {
        let rows = lines_of(&folder.join("cases.tsv"));
        let systems = SYSTEMS.iter().map(|system| cases_of(folder, system).len());
        assert_eq!(systems.sum::<usize>(), rows.len() - 1);
        rows.len() - 1
    };
    assert_eq!(of(&folder()), 69);
    if let Some(folder) = shared_vectors() {
        assert_eq!(of(&folder), 98);
    }
}

#[test]
fn filters_of_guava_have_its_bytes() {
    for case in cases("guava") {
        let format = match &case.parameters["strategy"][..] {
            "0" => WriteFormat::Guava32,
            _ => WriteFormat::Guava64,
        };
        assert_eq!(made(&case, format), fs::read(&case.file).unwrap(), "{}", case.name);
    }
}

#[test]
fn filters_of_spark_have_its_bytes() {
    for case in cases("spark") {
        let name = &case.name;
        let filter = match (&case.parameters["version"][..], case.parameters.get("seed")) {
            ("1", None) => WriteFormat::Spark1.empty(target(&case)).unwrap(),
            ("2", Some(seed)) if seed == "0" => WriteFormat::Spark2.empty(target(&case)).unwrap(),
            ("2", Some(seed)) => {
                let seed = seed.parse().unwrap();
                ForeignFilter::Spark(Spark::with_seed(seed, target(&case)).unwrap())
            }
            _ => panic!("{name}"),
        };
        assert_eq!(filled(&case, filter), fs::read(&case.file).unwrap(), "{name}");
        let stated = opened(&case).info();
        let seed = case.parameters.get("seed");
        assert_eq!(stated.fields.first().map(|(_, seed)| seed), seed, "{name}");
        assert_eq!(u64::from(stated.probes), case.number("k"), "{name}");
        assert_eq!(stated.bits, case.number("bits"), "{name}");
    }
}

/// For 196 targets each, from 1 to a million keys, Guava 33.6.0 and Spark 4.1.4 were asked which size
/// they choose.
#[test]
fn sizes_are_those_of_guava_and_spark() {
    let rows = lines("sizes.tsv");
    assert_eq!(rows.len(), 1 + 196);
    for row in &rows[1..] {
        let (target, sizes) = row.split_at(row.match_indices('\t').nth(1).unwrap().0);
        let (items, fpp) = target.split_once('\t').unwrap();
        let target = Target::new(items.parse().unwrap(), fpp.parse().unwrap()).unwrap();
        let size = |format: WriteFormat| {
            let info = format.empty(target).unwrap().info();
            format!("\t{}\t{}", info.probes, info.bits / 64)
        };
        assert_eq!(size(WriteFormat::Guava64) + &size(WriteFormat::Spark2), sizes, "{row}");
    }
}

#[test]
fn filters_of_dcso_have_its_bytes() {
    for case in cases("dcso") {
        let ForeignFilter::Dcso(read) = opened(&case) else { panic!("{}", case.name) };
        let filter = Dcso::new(target(&case)).unwrap().with_data(read.data());
        let bytes = filled(&case, ForeignFilter::Dcso(filter));
        assert_eq!(bytes, read.to_bytes(), "{}", case.name);
        if !case.name.ends_with("_gz") {
            assert_eq!(bytes, fs::read(&case.file).unwrap(), "{}", case.name);
        }
        let info = opened(&case).info();
        assert_eq!((info.inserted, info.bits), (Some(case.number("N")), case.number("bits")));
        assert_eq!(
            (u64::from(info.probes), info.capacity),
            (case.number("k"), Some(case.number("n")))
        );
    }
}

/// The proxy had URLs of its own in its cache, so that its digest has more bits than ours.
#[test]
fn digests_of_squid_are_made_as_squid_makes_them() {
    for case in cases("squid") {
        let capacity = case.number("capacity");
        let target = Target::new(capacity, 0.092).unwrap();
        let ours = filled(&case, WriteFormat::Squid.empty(target).unwrap());
        let squids = fs::read(&case.file).unwrap();
        let (without_count, count) = ([0..8, 12..128], 8..12);
        for range in without_count {
            assert_eq!(ours[range.clone()], squids[range]);
        }
        assert_eq!(ours[count], (case.present.len() as u32).to_be_bytes());
        let missing =
            ours[128..].iter().zip(&squids[128..]).filter(|(ours, squids)| *ours & !*squids != 0);
        assert_eq!(missing.count(), 0);
        let extra: u32 =
            ours[128..].iter().zip(&squids[128..]).map(|(a, b)| (b & !a).count_ones()).sum();
        let others = capacity - case.present.len() as u64;
        assert!(u64::from(extra) <= 4 * others && extra > 0, "{extra} of {others} URLs");
    }
}

/// Redis has compressed none of these filters, so that the bytes are equal, up to the version of RDB
/// and the checksum of another server.
#[test]
fn dumps_of_redisbloom_are_made_as_redis_makes_them() {
    for (name, capacity, error) in [
        ("rb26_bf_100", 100, 0.01),
        ("rb26_bf_hex_10000", 10_000, 0.001),
        ("rbmaster_bf_100", 100, 0.01),
        ("rbmaster_bf_default_1000", 100, 0.01),
    ] {
        let case = case(name);
        let target = Target::new(capacity, error).unwrap();
        let ours = filled(&case, WriteFormat::RedisBloom.empty(target).unwrap());
        let theirs = case.dump();
        let same = if name.starts_with("rb26") { ours.len() } else { ours.len() - 10 };
        assert_eq!(ours[..same], theirs[..same], "{name}");
        assert_eq!(read_dump(&ours, LIMIT), read_dump(&theirs, LIMIT), "{name}");
    }
}

/// What was read goes back, compressed strings and filters that do not grow included.
#[test]
fn dumps_of_redisbloom_go_back() {
    for case in cases("redis").iter().filter(|case| !case.is_cuckoo()) {
        let Object::Bloom(filter) = from_chunks(case) else { panic!("{}", case.name) };
        let again = read_dump(&filter.to_dump(), LIMIT).unwrap();
        assert_eq!(again, Object::Bloom(filter), "{}", case.name);
    }
}

/// The target that a case states.
fn target(case: &Case) -> Target {
    Target::new(case.number("n"), case.parameters["fpp"].parse().unwrap()).unwrap()
}

/// A filter of a case's keys, for the target that it states.
fn made(case: &Case, format: WriteFormat) -> Vec<u8> {
    filled(case, format.empty(target(case)).unwrap())
}

/// An empty filter with a case's keys, as the system would write it.
fn filled(case: &Case, mut filter: ForeignFilter) -> Vec<u8> {
    case.present.iter().for_each(|key| filter.insert(key).unwrap());
    filter.to_bytes().unwrap()
}

/// Spark's `put` makes a long of every integer, and takes no floats.
#[test]
fn spark_knows_integers_of_64_bits_alone() {
    let (mut made, mut bytes) = (Vec::new(), Vec::new());
    let mut looked_up = 0;
    for case in cases("spark").iter().filter(|case| case.name.contains("_long_")) {
        let filter = opened(case);
        for key in &case.present {
            let number = i64::from_le_bytes(key[..].try_into().unwrap());
            let Ok(number) = i32::try_from(number) else { continue };
            let rule = KeyRule { form: KeyForm::Int32, ..KeyRule::default() };
            let text = number.to_string();
            let ruled = rule.key(&[Given::Text(text.as_bytes())], &mut made).unwrap();
            filter.encode(&rule, ruled, &mut bytes).unwrap();
            assert_eq!(&bytes, key);
            assert!(filter.contains(&bytes));
            looked_up += usize::from(number < 0);
        }
        for form in [KeyForm::Float, KeyForm::Double] {
            let rule = KeyRule { form, ..KeyRule::default() };
            let ruled = rule.key(&[Given::Text(b"1.5")], &mut made).unwrap();
            let refused = filter.encode(&rule, ruled, &mut bytes).unwrap_err();
            assert_eq!(refused, KeyError::NoSuchType { form: form.name(), system: "Spark" });
        }
    }
    assert!(looked_up > 0);
}

/// A filter may need most of the memory: no copy of it is made to write it.
#[test]
fn writing_takes_no_memory() {
    for format in WriteFormat::ALL.iter().filter(|format| **format != WriteFormat::Parquet) {
        let mut filter = format.empty(Target::new(1_000_000, 0.01).unwrap()).unwrap();
        (0..1000u32).for_each(|key| filter.insert(&key.to_le_bytes()).unwrap());
        let mut file = tempfile::tempfile().unwrap();
        let mut written = 0;
        let used = peak(|| written = filter.write_to(&mut file).unwrap());
        assert!(used < 4096, "{}: {used}", format.name());
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(written, bytes.len() as u64);
        assert_eq!(file.metadata().unwrap().len(), written);
        let again = OpenForeign::new().reader(file).unwrap().only().unwrap();
        assert!(again.to_bytes().unwrap() == bytes, "{}", format.name());
    }
}
