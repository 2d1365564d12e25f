//! Live pipes: a line that has arrived is answered before the next one comes.

use crate::support::{Place, exit_code};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A run whose lines come and go by pipes.
pub struct Live {
    pub child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Live {
    pub fn start(place: &Place, arguments: &str) -> Live {
        Live::of(&mut place.command(arguments.split_whitespace()))
    }

    pub fn of(command: &mut Command) -> Live {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, answers) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Live { child, input, answers }
    }

    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(text.as_bytes()).expect("sent");
    }

    /// The next line of the output, while the input stays open. The time only ends a test that
    /// would otherwise wait for ever.
    #[track_caller]
    pub fn answer(&self) -> String {
        self.answers.recv_timeout(Duration::from_secs(120)).expect("an answer at once")
    }

    pub fn end(mut self) -> i32 {
        drop(self.input.take());
        let left = self.answers.recv_timeout(Duration::from_secs(120));
        assert_eq!(left, Err(RecvTimeoutError::Disconnected), "nothing was left to say");
        exit_code(&mut self.child)
    }
}

#[test]
fn each_line_is_answered_before_the_next_is_sent() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6 --kind counting", "one\n");
    for (arguments, answer) in [
        ("check f.anther", "one"),
        ("check -n f.anther", "LINE:one"),
        ("check f.anther --line-buffered", "one"),
        ("check f.anther --json", r#"{"line":LINE,"record":"one","maybe":true}"#),
        ("count f.anther", "1\tone"),
        ("count f.anther --line-buffered", "1\tone"),
    ] {
        let mut live = Live::start(&place, arguments);
        for line in 1..=1000 {
            live.send("one\n");
            let expected = answer.replace("LINE", &line.to_string());
            assert_eq!(live.answer(), expected, "{arguments}");
        }
        assert_eq!(live.end(), 0);
    }
}

/// Each new line passes at once, in every mode that has not to see the end.
#[test]
fn uniq_passes_a_line_before_the_next_is_sent() {
    let place = Place::new();
    for options in
        ["", "--memory 1GB", "--fpr 1e-9", "--window 1000", "--ttl 1h", "--state s", "--json"]
    {
        let mut live = Live::start(&place, &format!("uniq -q {options}"));
        for number in 0..300 {
            live.send(&format!("old\nnew {number}\nne"));
            if number == 0 {
                assert!(live.answer().contains("old"), "{options}");
            }
            assert!(live.answer().contains(&format!("new {number}")), "{options}");
            live.send("w 0\n");
        }
        assert_eq!(live.end(), 0);
    }
}

/// `tail -f log | anther check -v seen.anther | …`: lines that are found have no answer, and those
/// that follow them are not held back. Nor is a line whose other half comes later.
#[test]
fn lines_without_an_answer_do_not_hold_up_the_others() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\n");
    let mut live = Live::start(&place, "check -v f.anther");
    for number in 0..100 {
        live.send("one\none\nne");
        live.send(&format!("w {number}\none\n"));
        assert_eq!(live.answer(), format!("new {number}"));
    }
    assert_eq!(live.end(), 0);
}

#[test]
fn values_come_at_once_too() {
    let place = Place::new();
    place.build("v.anther --kind bloomier", "x\t1\ny\t2\n");
    let mut live = Live::start(&place, "get v.anther");
    for (key, answer) in [("x", "1\tx"), ("y", "2\ty"), ("x", "1\tx")] {
        live.send(&format!("{key}\n"));
        assert_eq!(live.answer(), answer);
    }
    assert_eq!(live.end(), 0);
}

#[test]
fn a_replaced_filter_is_taken_up() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\n");
    place.build("g.anther --fpr 1e-6", "other\n");
    for arguments in
        ["check f.anther --reload --json", "check g.anther --also f.anther --reload --json"]
    {
        let mut live = Live::start(&place, arguments);
        let mut ask = |key: &str| {
            live.send(&format!("{key}\n"));
            live.answer().contains(r#""maybe":true"#)
        };
        assert!(ask("one") && !ask("two"));
        place.build("f.anther --fpr 1e-6 --force", "two\n");
        assert!(ask("two") && !ask("one"));
        // Another kind and size is as good.
        place.build(
            "f.anther --kind fuse --force",
            (0..1000).map(|n| format!("{n}\n")).collect::<String>(),
        );
        assert!(ask("999"));
        place.build("f.anther --fpr 1e-6 --force", "one\n");
        assert!(ask("one"));
        assert_eq!(live.end(), 0);
    }
}

#[test]
fn a_filter_is_kept_until_there_is_a_new_one() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\n");
    let mut command = place.command(["check", "f.anther", "--reload"]);
    let mut live = Live::of(command.stderr(Stdio::piped()));
    let mut ask = |key: &str| {
        live.send(&format!("{key}\n"));
        assert_eq!(live.answer(), key);
    };
    ask("one");
    place.write("f.anther", "not a filter");
    ask("one");
    place.write("f.anther", "not a filter either");
    ask("one");
    std::fs::remove_file(place.join("f.anther")).unwrap();
    ask("one");
    place.build("f.anther --fpr 1e-6", "two\n");
    ask("two");
    let errors = live.child.stderr.take().unwrap();
    assert_eq!(live.end(), 0);
    let said: Vec<_> = BufReader::new(errors).lines().map(Result::unwrap).collect();
    assert_eq!(said.len(), 1, "warned once: {said:?}");
    assert!(said[0].contains("warning: f.anther: not an anther filter"), "{said:?}");
}

/// Keys have been hashed in the old way.
#[test]
fn a_new_filter_must_read_and_hash_keys_as_the_old_one() {
    let place = Place::new();
    for (options, cause) in [
        ("--seed 7", "f.anther: the new filter has another seed"),
        ("--ignore-case", "f.anther: the keys of the new filter are case folded"),
    ] {
        place.build("f.anther --fpr 1e-6 --force", "one\n");
        let mut command = place.command(["check", "f.anther", "--reload"]);
        let mut live = Live::of(command.stderr(Stdio::piped()));
        live.send("one\n");
        assert_eq!(live.answer(), "one");
        place.build(&format!("f.anther --fpr 1e-6 --force {options}"), "one\n");
        live.send("one\n");
        let mut said = String::new();
        live.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(said.contains(cause), "{said}");
        assert_eq!(live.end(), 2);
    }
}
