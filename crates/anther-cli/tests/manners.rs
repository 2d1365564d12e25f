//! What every verb has in common: help, names of errors, pipes, colours.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::Place;

const VERBS: [&str; 9] =
    ["build", "add", "remove", "check", "times", "get", "info", "merge", "tour"];

#[test]
fn help_is_short_or_long_and_has_the_exit_codes() {
    let place = Place::new();
    for verb in [""].iter().chain(&VERBS) {
        let help = |option: &str| {
            let ran = place.run(&format!("{verb} {option}")).code(0);
            assert_eq!(ran.err, "");
            String::from_utf8(ran.out).unwrap()
        };
        let (short, long) = (help("-h"), help("--help"));
        assert!(short.lines().count() <= 24, "a screen has 24 lines:\n{short}");
        assert!(short.contains("Exit codes: 0 ") && long.contains("Exit codes: 0 "), "{verb}");
        assert!(long.len() > short.len(), "{verb}");
        let examples = long.find("Examples:").or(long.find("real commands"));
        assert!(examples < long.find("Usage:"), "examples come first: {long}");
        assert!(examples.is_some(), "{verb}");
    }
    assert!(place.run("-V").code(0).out.starts_with(b"anther 0."));
}

#[test]
fn wrong_words_are_errors_under_our_name() {
    let place = Place::new();
    for verb in VERBS {
        place.run(&format!("{verb} --no-such-option")).fails(&["--no-such-option"]);
    }
    place.run("chekc f").fails(&["chekc", "check"]);
    place.run("check").fails(&["FILTER"]);
    place.run("info").fails(&["FILE"]);
    place.run("tour sideways").fails(&["sideways"]);
    let ran = place.run("").code(2).prints("");
    assert!(ran.err.contains("Usage:"), "{}", ran.err);
}

#[test]
fn of_two_equal_options_the_last_wins() {
    let place = Place::new();
    place.build("f.anther --fpr 1% --fpr 0.1% --kind split --kind classic", "x\n");
    let info = place.run("info f.anther --json").json();
    assert_eq!((&info["fpr_target"], &info["kind"]), (&0.001.into(), &"classic".into()));
}

#[test]
fn a_broken_pipe_is_a_quiet_end() {
    let place = Place::new();
    place.build("f.anther", "x\n");
    let mut child = place
        .command(["check", "f.anther"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    let writer = std::thread::spawn(move || {
        let line = b"x\n".repeat(1 << 15);
        // Until the program has had enough, too.
        while input.write_all(&line).is_ok() {}
    });
    let mut first = String::new();
    BufReader::new(output).read_line(&mut first).unwrap();
    assert_eq!(first, "x\n");
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut errors = String::new();
    child.stderr.unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    place.build("f.anther", "x\n");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = place.command(["info", "f.anther"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.starts_with("anther: standard output: cannot write: "), "{errors}");
}

#[test]
fn a_pipe_is_read_as_it_comes() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "x\n");
    let mut child =
        place.command(["check", "-q", "f.anther"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // The answer is known from here on, and the input stays open.
    input.write_all(b"y\nx\n").unwrap();
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(30) => {
                child.kill().unwrap();
                panic!("it waits for more");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let place = Place::new();
    let escapes = |arguments: &str| place.run(arguments).out.contains(&0x1b);
    assert!(!escapes("--help"));
    assert!(escapes("--help --color always"));
    assert!(escapes("--color=always --help"));
    assert!(!escapes("--help --color never"));
    place.run("info f --color sometimes").fails(&["sometimes"]);
}

#[test]
fn names_with_control_characters_do_not_reach_the_terminal() {
    let place = Place::new();
    place.run_args(["info", "a\u{1b}[2Jb"], "").fails(&["a\\x1b[2Jb: no such file"]);
}
