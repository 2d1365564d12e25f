//! Filters that real programs wrote: opened by their content, they answer every key as those
//! programs do, false positives included, and filters that we make of the same keys have the same
//! bytes.

use super::*;
use anther::Target;
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

/// A filter of a case's keys, for the target that it states.
fn made(case: &Case, format: WriteFormat) -> Vec<u8> {
    let fpp = case.parameters["fpp"].parse().unwrap();
    let mut filter = format.empty(Target::new(case.number("n"), fpp).unwrap()).unwrap();
    case.present.iter().for_each(|key| filter.insert(key).unwrap());
    filter.to_bytes().unwrap()
}
