//! Live pipes: a line that has arrived is answered before the next one comes.

use crate::support::{Place, exit_code};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// A run whose lines come and go by pipes.
struct Live {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Live {
    fn start(place: &Place, arguments: &str) -> Live {
        let mut command = place.command(arguments.split_whitespace());
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

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(text.as_bytes()).expect("sent");
    }

    /// The next line of the output, while the input stays open. The time only ends a test that
    /// would otherwise wait for ever.
    #[track_caller]
    fn answer(&self) -> String {
        self.answers.recv_timeout(Duration::from_secs(120)).expect("an answer at once")
    }

    fn end(mut self) -> i32 {
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
