//! `anther plan --plot`.

use crate::support::Place;
use serde_json::Value;

fn plan(place: &Place, arguments: &str) -> Value {
    place.run(&format!("plan {arguments} --json")).code(0).json()
}

/// The chart of rates: on a terminal, in a file, as numbers.
#[test]
fn plots() {
    let place = Place::new();
    let shown =
        String::from_utf8(place.run("plan --plot --kind classic,ribbon").code(0).out).unwrap();
    for word in ["classic", "ribbon", "the fewest possible", "bits per key", "predicted"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(!shown.contains('\x1b'), "{shown}");

    let plot = plan(&place, "--plot bits --kind classic,ribbon --items 100k");
    assert_eq!((&plot["against"], &plot["items"]), (&"bits_per_key".into(), &100_000.into()));
    // At each rate the bound is below ribbon, and ribbon below classic.
    let bits = |at: usize, step: usize| {
        let point = &plot["series"][at]["predicted"][step];
        point[0].as_f64().unwrap_or_else(|| unreachable!("{point}"))
    };
    for step in [40, 80, 120] {
        assert!(bits(2, step) < bits(1, step) && bits(1, step) < bits(0, step), "{step}: {plot}");
    }

    // Measured beside what the cells say: within six deviations of 100,000 lookups.
    let plot = plan(&place, "--plot fill --kind blocked,counting --fpr 1%");
    for series in plot["series"].as_array().unwrap() {
        let (lines, marks) = (&series["predicted"], series["measured"].as_array().unwrap());
        assert!(marks.len() >= 5, "{series}");
        for mark in marks {
            let same = |line: &&Value| line[0] == mark[0];
            let line = lines.as_array().unwrap().iter().find(same).unwrap();
            let (rate, found) = (line[1].as_f64().unwrap(), mark[1].as_f64().unwrap());
            let sigma = (rate * (1.0 - rate) / 100_000.0).sqrt();
            assert!((rate - found).abs() < 6.0 * sigma, "{mark} where {line}");
        }
    }

    assert_eq!(plot["items"], 10_000, "as many as they were made for: {plot}");
    let twice = plan(&place, "--plot --kind classic,classic");
    assert_eq!(twice["series"].as_array().map(Vec::len), Some(2), "classic and the bound");
    let grown = place.run("plan --plot fill --kind quotient --json").code(0);
    assert!(grown.err.contains("grows at a fill of"), "{}", grown.err);

    place.run("plan --plot -o plot.svg").code(0);
    place.run("plan --plot -o plot.svg").code(2);
    place.run("plan --plot -o plot.svg --force").code(0);
    for (arguments, cause) in [
        ("--plot -o plot.jpg", "ends with .svg or .png"),
        ("--plot -o nowhere/plot.svg", "no such folder"),
        ("--plot fill --kind fuse", "is static, so it is never partly filled"),
        ("--plot fill --kind generalized", "nothing to draw"),
        ("--plot --fpr 1%", "shows all rates"),
        ("--plot --kind classic,blocked,split,cuckoo,ribbon,fuse", "at most 5"),
        ("--plot sideways", "invalid value"),
        ("--kind classic,split --items 10", "several need --plot"),
        ("--plot --table", "cannot be used"),
        ("-o plot.svg --items 10", "--plot"),
        ("-o new.svg --all", "needs --plot"),
        ("-o new.svg --table", "needs --plot"),
        ("-o new.svg --remove", "--plot"),
    ] {
        let ran = place.run(&format!("plan {arguments}")).code(2);
        assert!(ran.err.contains(cause), "{arguments}: {}", ran.err);
    }
}

/// What is no regular file stays what it is.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let place = Place::new();
    let pipe = place.join("pipe.svg");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    place.run("plan --plot -o pipe.svg --force").fails(&["pipe.svg", "not a regular file"]);
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
}
