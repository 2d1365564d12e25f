//! Runs that are interrupted or killed leave nothing behind. They need root and Squid:
//! `cargo xtask test uses`.

#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Namespaces of a run.
fn spaces(run: u32) -> usize {
    let list = Command::new("ip").args(["netns", "list"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    list.lines().filter(|name| name.starts_with(&format!("anther-{run}-"))).count()
}

/// Processes on a node.
fn routers(node: &str) -> usize {
    let list = Command::new("ip").args(["netns", "pids", node]).output().unwrap();
    String::from_utf8(list.stdout).unwrap().lines().count()
}

fn within_seconds(seconds: u64, holds: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}

/// A run with eight routers, once the last of them is there.
fn start() -> Child {
    let run = Command::new(env!("CARGO_BIN_EXE_anther-uses"))
        .args(["packet-loops", "--packets", "900000", "--hops", "8"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let last = format!("anther-{}-8", run.id());
    assert!(within_seconds(30, || spaces(run.id()) == 9 && routers(&last) == 1), "as root only");
    run
}

fn signal(run: &Child, name: &str) {
    let status = Command::new("kill").args([name, &run.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Whether a run has a Squid: its folder, and a process that was told of it.
fn squid(run: u32) -> (bool, bool) {
    let prefix = format!("anther-{run}-squid-");
    let names = std::fs::read_dir(std::env::temp_dir()).unwrap();
    let has_folder =
        names.flatten().any(|one| one.file_name().to_string_lossy().starts_with(&prefix));
    let found = Command::new("pgrep").args(["-f", &prefix]).output().unwrap();
    (has_folder, !found.stdout.is_empty())
}

#[test]
fn a_squid_ends_with_its_run() {
    for name in ["-INT", "-TERM", "-KILL"] {
        // Shells ignore interrupts for what runs in the background, and children inherit that.
        let mut run = Command::new("env")
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_anther-uses")])
            .args(["web-proxies", "--requests", "1000"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        assert!(within_seconds(60, || squid(run.id()) == (true, true)), "without Squid");
        signal(&run, name);
        assert!(!run.wait().unwrap().success());
        assert!(within_seconds(10, || squid(run.id()) == (false, false)), "{name}");
    }
}

#[test]
fn an_interrupted_run_removes_its_network() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut run = start();
        signal(&run, name);
        assert_eq!(run.wait().unwrap().code(), Some(code));
        assert_eq!(spaces(run.id()), 0, "{name}");
    }
}

#[test]
fn the_next_run_removes_the_network_of_a_killed_one() {
    let mut killed = start();
    let last = format!("anther-{}-8", killed.id());
    signal(&killed, "-KILL");
    killed.wait().unwrap();
    assert!(within_seconds(10, || routers(&last) == 0), "routers end with their parent");
    assert_eq!(spaces(killed.id()), 9, "nobody could remove them");
    let mut next = start();
    assert_eq!(spaces(killed.id()), 0);
    signal(&next, "-INT");
    next.wait().unwrap();
}
