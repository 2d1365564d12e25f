//! Ctrl-C and its kin: the right exit code, no litter, and the old file as it was.
#![cfg(unix)]

use crate::support::{Place, exit_code, signal, until};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Stdio};

/// The signals that end the program. One that is ignored here, as SIGHUP is under nohup, is ignored
/// there.
fn signals() -> impl Iterator<Item = (&'static str, i32)> {
    let ignored = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let all = [("INT", 130), ("TERM", 143), ("HUP", 129)];
    all.into_iter().filter(move |(name, _)| *name != "HUP" || ignored & 1 == 0)
}

/// Runs the program on an input that stays open, and comes back when it has read some of it.
fn reading(place: &Place, arguments: &str) -> (Child, ChildStdin) {
    let mut child = place
        .command(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    // More than a pipe holds.
    input.write_all(&b"absent\n".repeat(1 << 18)).expect("read");
    (child, input)
}

fn said(child: &mut Child) -> String {
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("messages are UTF-8");
    said
}

#[test]
fn whoever_waits_for_a_pipe_ends_at_once() {
    let place = Place::new();
    place.build("c.anther --kind counting", "x\n");
    place.build("f.anther --fpr 1e-6", "x\n");
    let old = place.read("f.anther");
    for (name, code) in signals() {
        for arguments in [
            "build new.anther",
            "build new.anther --items 10",
            "build new.anther --kind fuse",
            "build f.anther --force",
            "check f.anther",
            "check f.anther --json -c",
            "add f.anther",
            "remove c.anther",
            "measure f.anther --members -",
        ] {
            let (mut child, input) = reading(&place, arguments);
            signal(name, child.id());
            assert_eq!(exit_code(&mut child), code, "{arguments}");
            assert_eq!(said(&mut child), "", "{arguments}");
            assert_eq!(place.names(), ["c.anther", "f.anther"], "{arguments}");
            drop(input);
        }
    }
    assert_eq!(place.read("f.anther"), old);
}

/// The file that is being written.
#[cfg(target_os = "linux")]
fn temporary(place: &Place) -> Option<String> {
    place.names().into_iter().find(|name| name.ends_with(".tmp"))
}

/// Runs the program and stops it while it saves. A hundred megabytes take a while, but nobody
/// knows how long: a save that was too quick is tried again.
#[cfg(target_os = "linux")]
fn stopped_while_saving(place: &Place, arguments: &str, output: &str) -> Child {
    let before = fs::metadata(place.join(output)).map_or(0, |meta| meta.len());
    for _ in 0..50 {
        let mut child = place
            .command(arguments.split_whitespace())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        until("a temporary file", || temporary(place).map(drop).or(ended(&mut child)));
        signal("STOP", child.id());
        until("its rest", || is_stopped(child.id()).then_some(()).or(ended(&mut child)));
        if temporary(place).is_some() {
            let now = fs::metadata(place.join(output)).map_or(0, |meta| meta.len());
            assert_eq!(now, before, "{output} is written in place");
            return child;
        }
        signal("KILL", child.id());
        child.wait().expect("waited for");
        if before == 0 {
            let _ = fs::remove_file(place.join(output));
        }
    }
    unreachable!("fifty saves, each too quick");
}

#[cfg(target_os = "linux")]
fn ended(child: &mut Child) -> Option<()> {
    child.try_wait().expect("waited for").map(drop)
}

#[cfg(target_os = "linux")]
fn is_stopped(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_saves_leaves_no_litter() {
    let place = Place::new();
    place.build("old.anther", "x\n");
    let old = place.read("old.anther");
    for (arguments, output) in [
        ("build new.anther --items 100M", "new.anther"),
        ("build old.anther --items 100M --force", "old.anther"),
    ] {
        for (name, code) in signals() {
            let mut child = stopped_while_saving(&place, arguments, output);
            signal(name, child.id());
            signal("CONT", child.id());
            assert_eq!(exit_code(&mut child), code, "{arguments}");
            assert_eq!(said(&mut child), "", "{arguments}");
            assert_eq!(place.names(), ["old.anther"], "{arguments}");
        }
        // `timeout` sends two at once, and that is no impatience.
        let mut child = stopped_while_saving(&place, arguments, output);
        signal("INT", child.id());
        signal("TERM", child.id());
        signal("CONT", child.id());
        assert!([130, 143].contains(&exit_code(&mut child)), "{arguments}");
        assert_eq!(place.names(), ["old.anther"], "{arguments}");
    }
    assert_eq!(place.read("old.anther"), old);
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_a_terminal_may_go() {
    let place = Place::new();
    let script = format!("trap '' HUP; exec {} build f.anther", env!("CARGO_BIN_EXE_anther"));
    let mut child = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&b"before\n".repeat(1 << 18)).unwrap();
    signal("HUP", child.id());
    input.write_all(b"after\n").unwrap();
    drop(input);
    assert_eq!(exit_code(&mut child), 0, "{}", said(&mut child));
    place.run("check f.anther before after").code(0).prints("maybe\tbefore\nmaybe\tafter\n");
}

/// The commands that the tour runs are interrupted with it, which is no error to report.
#[test]
fn an_interrupted_tour_takes_its_folder_along() {
    let place = Place::new();
    let mut child = place
        .command(["tour"])
        .env("TMPDIR", place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("$ ") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "it ended");
    }
    assert_eq!(place.names(), ["anther-tour-1"]);
    signal("INT", format_args!("-{}", child.id()));
    assert_eq!(exit_code(&mut child), 130);
    assert_eq!(said(&mut child), "");
    assert!(place.names().is_empty(), "{:?}", place.names());
}

/// A process that is killed cannot remove its temporary file. The next one that writes in the folder
/// does so at once, but lets be what another is still writing.
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_process_leaves_is_removed_by_the_next() {
    let place = Place::new();
    place.build("old.anther", "x\n");
    for next in ["build --force old.anther", "add old.anther", "uniq --state seen"] {
        let mut killed =
            stopped_while_saving(&place, "build new.anther --items 100M", "new.anther");
        signal("KILL", killed.id());
        killed.wait().expect("waited for");
        assert!(temporary(&place).is_some());
        place.run_on(next, "y\n").code(0);
        assert_eq!(temporary(&place), None, "{next}");
    }
    let mut writing = stopped_while_saving(&place, "build new.anther --items 100M", "new.anther");
    place.run_on("add old.anther", "z\n").code(0);
    assert!(temporary(&place).is_some());
    signal("CONT", writing.id());
    assert_eq!(exit_code(&mut writing), 0);
    assert_eq!(place.names(), ["new.anther", "old.anther", "seen"]);
}
