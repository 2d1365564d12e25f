//! The figures of docs/scale.md: dots were measured, circles with dashes are predicted.

use super::model::{self, Number, bytes, bytes_of, link};
use super::read::Records;
use crate::race::plot::{Form, Marks, draw};
use anther::Kind;
use anther::units::{duration, size, whole};

/// Names of files, and pictures.
pub fn all(records: &Records) -> Vec<(&'static str, String)> {
    let pictures = [
        ("scale-time.svg", seconds(records)),
        ("scale-lookup.svg", lookups(records)),
        ("scale-memory.svg", memory(records)),
    ];
    pictures.into_iter().filter_map(|(name, svg)| Some((name, svg?))).collect()
}

/// A line of numbers over the sizes.
fn line(name: &str, colour: &'static str, number: impl Fn(u64) -> Number) -> Marks {
    let (mut points, mut predicted) = (Vec::new(), Vec::new());
    for items in model::sizes() {
        let Number { value, measured } = number(items);
        if measured {
            points.push((items as f64, value))
        } else {
            predicted.push((items as f64, value))
        }
    }
    Marks { name: name.to_string(), colour, points, predicted }
}

fn predicted(value: f64) -> Number {
    Number { value, measured: false }
}

fn seconds(records: &Records) -> Option<String> {
    let cores = records.cores();
    let mut marks = vec![
        line("build, one core", "#56b4e9", |items| records.build(items, 1)),
        line(&format!("build, {cores} cores"), "#0072b2", |items| records.build(items, cores)),
        line("keys over 1 Gbit/s", "#d55e00", |items| predicted(8.0 * items as f64 / link(1.0))),
        line("keys over 10 Gbit/s", "#e69f00", |items| predicted(8.0 * items as f64 / link(10.0))),
        line("filter over 1 Gbit/s", "#777777", |items| predicted(bytes(items) / link(1.0))),
        line("by hash, 64 machines", "#009e73", |items| {
            predicted(records.sharded(items, 64, link(10.0)).seconds)
        }),
    ];
    if !records.spark.is_empty() {
        let seconds = |b: &super::read::SparkBuild| b.seconds_partial + b.seconds_merge;
        let points = records.spark.iter().map(|build| (build.keys, seconds(build))).collect();
        let last = records.spark.last().map_or(0.0, |build| build.keys);
        let beyond = model::sizes().map(|items| items as f64).filter(|items| *items > last);
        let predicted = match records.spark_line() {
            Some((fixed, each)) => beyond.map(|items| (items, fixed + each * items)).collect(),
            None => Vec::new(),
        };
        marks.push(Marks {
            name: "Spark, one machine".into(),
            colour: "#cc79a7",
            points,
            predicted,
        });
    }
    let title = "Time to build a filter at 1 %: dots measured, circles predicted";
    draw(title, "", "keys", [Form::Keys, Form::Named(tick)], &marks)
}

/// Powers of ten have no hours and minutes.
fn tick(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => duration(s * 1e9),
        s => format!("{s:.0} s"),
    }
}

fn lookups(records: &Records) -> Option<String> {
    let largest = records.largest();
    let cores = records.cores();
    let within = |marks: Marks| Marks {
        predicted: marks
            .predicted
            .into_iter()
            .filter(|(x, _)| *x <= 10.0 * largest as f64)
            .collect(),
        ..marks
    };
    let of = |work: &'static str, threads: usize| {
        move |items: u64| records.ns("anther blocked", work, threads, items)
    };
    let marks = [
        within(line("build, one core", "#e69f00", of("insert", 1))),
        within(line(&format!("build, {cores} cores"), "#d55e00", of("insert", cores))),
        within(line("lookup, one core", "#0072b2", |items| records.lookup(items))),
    ];
    let title = "Nanoseconds per key, blocked at 1 %: dots measured, circles predicted";
    draw(title, "ns", "keys", [Form::Keys, Form::Plain], &marks)
}

fn memory(records: &Records) -> Option<String> {
    let is_measured = |items: u64| items <= records.largest();
    let known = |kind: Kind| {
        move |items: u64| Number { value: bytes_of(kind, items), measured: is_measured(items) }
    };
    let marks = [
        line("blocked", "#0072b2", known(Kind::Blocked)),
        line("ribbon", "#009e73", known(Kind::Ribbon)),
        line("hashes of 8 bytes", "#d55e00", |items| predicted(8.0 * items as f64)),
        line("memory of the machine", "#777777", |_| predicted(records.memory)),
    ];
    let title = "Bytes of a filter at 1 %: dots built, circles computed";
    let name = |bytes: f64| size(whole(bytes));
    draw(title, "", "keys", [Form::Keys, Form::Named(name)], &marks)
}
