//! Runs the measurements that settled the bytes: all of them, or those that are named.

use anther_bench::settle::{classic, hash, layers, line, speed};
use std::process::ExitCode;
use std::time::Instant;

const SECTIONS: [(&str, fn()); 5] = [
    ("hash", hash::run),
    ("classic", classic::run),
    ("line", line::run),
    ("speed", speed::run),
    ("layers", layers::run),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) =
        wanted.iter().find(|name| SECTIONS.iter().all(|(known, _)| known != name))
    {
        eprintln!("settle: no section {unknown}; there are hash, classic, line, speed and layers");
        return ExitCode::from(2);
    }
    for (name, run) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            let start = Instant::now();
            run();
            println!("\n({name} took {:.0} s)", start.elapsed().as_secs_f64());
        }
    }
    ExitCode::SUCCESS
}
