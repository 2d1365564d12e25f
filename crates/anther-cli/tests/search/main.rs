//! `grep` beside ripgrep: random patterns and options against random files. The output must be
//! ripgrep's, byte for byte.
//!
//! Run only by name, since it needs that program: `cargo xtask test search` installs it.
//! `ANTHER_RG` is its path, `ANTHER_SEARCH_CASES` how many cases run, and `ANTHER_SEARCH_SEED` the
//! first of their numbers.

mod numbers;
mod options;
mod texts;
mod world;

use numbers::Numbers;
use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use world::World;

/// Cases that share their files and their index.
const CASES_PER_WORLD: u64 = 100;

/// The version whose crates the program uses. Others print some things in another way.
const VERSION: &str = "ripgrep 15.";

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn ripgrep() -> PathBuf {
    let path = PathBuf::from(env::var_os("ANTHER_RG").unwrap_or("rg".into()));
    let version = Command::new(&path).arg("--version").output().expect("ripgrep runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    assert!(version.starts_with(VERSION), "{VERSION} is needed, not {version}");
    path
}

#[test]
fn output_is_that_of_ripgrep() {
    let rg = ripgrep();
    let cases = number("ANTHER_SEARCH_CASES", 500);
    let first = number("ANTHER_SEARCH_SEED", 1);
    let worlds = cases.div_ceil(CASES_PER_WORLD);
    let next = AtomicU64::new(0);
    let wrong = Mutex::new(Vec::new());
    let (matching, by_index) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= worlds {
                        break;
                    }
                    let seed = first + number;
                    let mut numbers = Numbers::new(seed);
                    let world = World::new(&mut numbers);
                    for case in 0..CASES_PER_WORLD.min(cases - number * CASES_PER_WORLD) {
                        let arguments = options::arguments(&mut numbers, &world);
                        let ours = world.ours(&arguments);
                        let theirs = world.theirs(&rg, &arguments);
                        matching.fetch_add(u64::from(theirs.code == 0), Ordering::Relaxed);
                        by_index.fetch_add(u64::from(!ours.scanned), Ordering::Relaxed);
                        if let Err(difference) = world::compare(&ours, &theirs) {
                            let text = format!(
                                "seed {seed}, case {case}: {arguments:?}\n{difference}\n  in {}",
                                world.keep().display()
                            );
                            let mut wrong = wrong.lock().expect("no panic");
                            wrong.push(text);
                            if wrong.len() >= 10 {
                                return;
                            }
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n\n"));
    let (matching, by_index) = (matching.into_inner(), by_index.into_inner());
    println!("{cases} cases: {matching} with a match, {by_index} by the index; all equal");
    // A test in which nothing matches, or nothing is skipped, would show nothing.
    assert!(matching * 3 > cases && by_index * 3 > cases, "{matching}, {by_index} of {cases}");
}
