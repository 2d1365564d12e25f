//! Filters that real programs wrote: opened by their content, they answer every key as those
//! programs do, false positives included, and filters that we make of the same keys have the same
//! bytes.

use super::*;
use anther::Target;
use anther::foreign::spark::Spark;
use anther::foreign::{ForeignFilter, OpenForeign, WriteFormat};

/// How many answers were compared in a system's cases, and how many filters were written.
#[derive(Debug, Default, PartialEq)]
struct Compared {
    cases: usize,
    present: usize,
    absent: usize,
    falsely: usize,
}

/// Compares every answer of every case of a system.
fn compare(system: &str, open: impl Fn(&Case) -> ForeignFilter) -> Compared {
    let mut compared = Compared::default();
    for case in cases(system) {
        let filter = open(&case);
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

/// The only filter of a case's file, whose system is told by its content.
fn opened(case: &Case) -> ForeignFilter {
    let file = OpenForeign::new().file(&case.file).unwrap();
    file.only().unwrap()
}

#[test]
fn answers_are_those_of_guava() {
    let expected = Compared { cases: 13, present: 60_700, absent: 1682, falsely: 382 };
    assert_eq!(compare("guava", opened), expected);
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
fn answers_are_those_of_spark() {
    let expected = Compared { cases: 11, present: 30_800, absent: 1430, falsely: 330 };
    assert_eq!(compare("spark", opened), expected);
}

#[test]
fn filters_of_spark_have_its_bytes() {
    for case in cases("spark") {
        let name = &case.name;
        let filter = match (&case.parameters["version"][..], case.parameters.get("seed")) {
            ("1", None) => WriteFormat::Spark1.empty(target(&case)).unwrap(),
            ("2", Some(seed)) if seed == "0" => WriteFormat::Spark2.empty(target(&case)).unwrap(),
            ("2", Some(seed)) => ForeignFilter::Spark(
                Spark::with_seed(seed.parse().unwrap(), target(&case)).unwrap(),
            ),
            _ => panic!("{name}"),
        };
        assert_eq!(filled(&case, filter), fs::read(&case.file).unwrap(), "{name}");
        let seed = case.parameters.get("seed");
        let stated = opened(&case).info();
        assert_eq!(stated.fields.first().map(|(_, seed)| seed), seed, "{name}");
        assert_eq!(u64::from(stated.probes), case.number("k"), "{name}");
        assert_eq!(stated.bits, case.number("bits"), "{name}");
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
