//! At a terminal: answers line by line, colours, the progress bar, and Ctrl-C as it is typed.
//! `script` (util-linux) makes the terminal; where it is missing, these tests say so.
#![cfg(target_os = "linux")]

use crate::support::{Place, exit_code, have, until};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A program at a terminal.
struct Terminal {
    script: Child,
    keyboard: Option<ChildStdin>,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Runs the program with these variables.
    fn run(place: &Place, arguments: &str, variables: &[(&str, &str)]) -> Terminal {
        let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_anther"));
        let mut script = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &command, "/dev/null"])
            .current_dir(place.path())
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            // Where this is set, colours are for the logs of a service, whatever the terminal.
            .env_remove("CI")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script runs");
        let keyboard = script.stdin.take();
        let mut output = script.stdout.take().expect("a pipe");
        let screen = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                seen.lock().expect("whole").push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        Terminal { script, keyboard, screen }
    }

    fn type_in(&mut self, keys: &[u8]) {
        let keyboard = self.keyboard.as_mut().expect("still there");
        keyboard.write_all(keys).expect("typed");
        keyboard.flush().expect("typed");
    }

    fn screen(&self) -> String {
        self.screen.lock().expect("whole").clone()
    }

    fn shows(&self, text: &str) {
        until(text, || self.screen().contains(text).then_some(()));
    }

    /// Its exit code, and all that it showed.
    fn end(mut self) -> (i32, String) {
        let code = exit_code(&mut self.script);
        drop(self.keyboard.take());
        let alone = || (Arc::strong_count(&self.screen) == 1).then_some(());
        until("the end of the screen", alone);
        (code, self.screen())
    }
}

#[test]
fn a_typed_line_is_answered_before_the_next() {
    if !have("script") {
        return;
    }
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "x\n");
    let mut terminal = Terminal::run(&place, "check f.anther --json", &[]);
    terminal.shows("reading keys from the terminal");
    terminal.type_in(b"x\n");
    terminal.shows(r#""line":1,"record":"x","maybe":true"#);
    terminal.type_in(b"y\n");
    terminal.shows(r#""line":2,"record":"y","maybe":false"#);
    // Ctrl-D.
    terminal.type_in(&[4]);
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn a_terminal_gets_colours_unless_it_wants_none() {
    if !have("script") {
        return;
    }
    let place = Place::new();
    place.build("f.anther", "x\n");
    place.write("keys.txt", "x\n");
    let colourful = |arguments: &str, variables: &[(&str, &str)]| {
        let (code, screen) = Terminal::run(&place, arguments, variables).end();
        assert!(code == 0 && !screen.is_empty(), "{arguments}: {screen}");
        screen.contains('\u{1b}')
    };
    assert!(colourful("--help", &[]));
    assert!(colourful("--help", &[("NO_COLOR", "")]), "an empty one does not count");
    assert!(colourful("--help --color always", &[("NO_COLOR", "1")]));
    for answers in ["check f.anther x", "info f.anther", "verify f.anther"] {
        assert!(colourful(answers, &[]), "{answers}");
    }
    for verb in place.verbs() {
        let help = format!("{verb} -h");
        assert!(colourful(&help, &[]), "{verb}");
        assert!(!colourful(&help, &[("NO_COLOR", "1")]), "{verb}");
        assert!(!colourful(&help, &[("TERM", "dumb")]), "{verb}");
        assert!(!colourful(&format!("{help} --color never"), &[]), "{verb}");
    }
    for (arguments, variables) in [
        ("info f.anther", &[("NO_COLOR", "1")]),
        ("info f.anther", &[("TERM", "dumb")]),
        ("info f.anther --color never", &[("TERM", "xterm")]),
        ("check f.anther x", &[("NO_COLOR", "1")]),
        ("build g.anther keys.txt", &[("NO_COLOR", "1")]),
        ("merge m.anther --force f.anther f.anther", &[("NO_COLOR", "1")]),
    ] {
        assert!(!colourful(arguments, variables), "{arguments}");
    }
}

/// A filter is binary.
#[test]
fn filters_neither_go_to_nor_come_from_a_terminal() {
    if !have("script") {
        return;
    }
    let place = Place::new();
    place.build("f.anther", "x\n");
    for (arguments, part) in [
        ("build -o - -k x", "standard output: is a terminal, and a filter is binary"),
        ("merge -o - f.anther f.anther", "standard output: is a terminal"),
        ("check - x", "standard input: is a terminal, and a filter is binary"),
        ("info -", "standard input: is a terminal"),
        ("verify -", "standard input: is a terminal"),
    ] {
        let (code, screen) = Terminal::run(&place, arguments, &[]).end();
        assert!(code == 2 && screen.contains(part), "{arguments}: {screen}");
    }
}

/// A list that never ends, by a pipe with a name.
fn endless(place: &Place) -> thread::JoinHandle<()> {
    let pipe = place.join("endless");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    thread::spawn(move || {
        // Waits for the program to open it.
        let mut keys = File::options().write(true).open(pipe).expect("opened");
        while keys.write_all(&b"key\n".repeat(1000)).is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    })
}

#[test]
fn ctrl_c_takes_the_progress_bar_away() {
    if !have("script") {
        return;
    }
    let place = Place::new();
    let keys = endless(&place);
    let mut terminal = Terminal::run(&place, "build f.anther endless --items 10", &[]);
    terminal.shows(" read, ");
    // Ctrl-C.
    terminal.type_in(&[3]);
    let (code, screen) = terminal.end();
    assert_eq!(code, 130);
    let rest = screen.rsplit(" read, ").next().unwrap();
    let cleared = rest.rfind("\u{1b}[2K").map(|at| &rest[at + 4..]);
    assert_eq!(cleared.map(str::trim), Some(""), "{screen:?}");
    let (hidden, visible) = (screen.rfind("\u{1b}[?25l"), screen.rfind("\u{1b}[?25h"));
    assert!(hidden <= visible, "the cursor comes back: {screen:?}");
    assert_eq!(place.names(), ["endless"]);
    keys.join().unwrap();
}

/// Longer than the second after which a terminal gets a bar. Were the machine so slow that the
/// second is not over, this would pass as well: nothing fails because of the time.
#[test]
fn without_a_terminal_there_is_no_progress_bar() {
    let place = Place::new();
    let mut child = place
        .command(["build", "f.anther", "--items", "10"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for _ in 0..6 {
        input.write_all(b"key\n").unwrap();
        thread::sleep(Duration::from_millis(250));
    }
    drop(input);
    assert_eq!(exit_code(&mut child), 0);
    let mut said = String::new();
    child.stderr.unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains(['\r', '\u{1b}']) && !said.contains("read,"), "{said:?}");
}
