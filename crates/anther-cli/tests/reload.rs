//! `check --reload` of a file that processes add to in place: a key is found by the next line that is
//! read once its `add --shared` has ended.

use crate::live::Live;
use crate::support::{Place, until};
use std::io::{Read, Write};
use std::process::{Child, Stdio};

/// Looks a key up by a line that is sent now.
#[track_caller]
fn has(live: &mut Live, key: &str) -> bool {
    live.send(&format!("{key}\n"));
    live.answer().contains(r#""maybe":true"#)
}

fn add(place: &Place, key: &str) {
    place.run(&format!("add --shared -q f.anther -k {key}")).code(0);
}

/// A process that keeps the file open and has added a key.
fn adder(place: &Place, live: &mut Live, key: &str) -> Child {
    let mut command = place.command(["add", "--shared", "-q", "f.anther"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it runs");
    let line = format!("{key}\n");
    child.stdin.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("sent");
    until("the key is found", || has(live, key).then_some(()));
    child
}

fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[test]
fn keys_are_found_once_they_were_added_in_place() {
    for (place, kind) in Place::on_both_file_systems().iter().zip(["blocked", "classic"]) {
        place.build(&format!("f.anther --kind {kind} --items 1000 --fpr 1e-6"), "first\n");
        let mut live = Live::start(place, "check f.anther --reload --json");
        assert!(has(&mut live, "first") && !has(&mut live, "later"));

        // Alone: each opens and closes the file.
        for number in 0..20 {
            let key = format!("alone{number}");
            assert!(!has(&mut live, &key));
            add(place, &key);
            assert!(has(&mut live, &key), "{key}");
        }
        // Beside others that have the file open, are killed, and leave it open.
        for round in 0..5 {
            let other = adder(place, &mut live, &format!("other{round}"));
            for number in 0..5 {
                let key = format!("beside{round}-{number}");
                assert!(!has(&mut live, &key));
                add(place, &key);
                assert!(has(&mut live, &key), "{key}");
            }
            kill(other);
            assert!(has(&mut live, &format!("other{round}")));
            let key = format!("after{round}");
            assert!(!has(&mut live, &key));
            add(place, &key);
            assert!(has(&mut live, &key), "{key}");
        }
        assert_eq!(live.end(), 0);
    }
}

/// What holds for a file that is replaced, whatever was done to it in place before.
#[test]
fn a_file_in_shared_use_is_replaced() {
    for place in &Place::on_both_file_systems() {
        place.build("f.anther --items 1000 --fpr 1e-6", "first\n");
        // Open from the beginning, since its adder was killed.
        let mut live = Live::start(place, "check f.anther --reload --json");
        kill(adder(place, &mut live, "killed"));
        assert_eq!(live.end(), 0);
        let mut live = Live::start(place, "check f.anther --reload --json");
        assert!(has(&mut live, "killed") && !has(&mut live, "new"));
        add(place, "new");
        assert!(has(&mut live, "new"));

        kill(adder(place, &mut live, "again"));
        place.run("add -q f.anther -k replaced").code(0);
        assert!(has(&mut live, "replaced") && has(&mut live, "again"));
        kill(adder(place, &mut live, "more"));
        place.build("f.anther --force --kind fuse", "other\n");
        assert!(has(&mut live, "other") && !has(&mut live, "replaced"));
        place.build("f.anther --force --items 1000 --fpr 1e-6", "blocked\n");
        add(place, "last");
        assert!(has(&mut live, "last") && has(&mut live, "blocked") && !has(&mut live, "other"));
        assert_eq!(live.end(), 0);
    }
}

/// A check that looks names up alone would answer "no" to all that is below the entries of the new
/// filter.
#[test]
fn a_filter_whose_entries_stand_for_more_is_not_taken_up() {
    let place = Place::new();
    let build = |matching: &str| {
        place.build(&format!("f.anther --force --as domain --match {matching}"), "ads.example\n");
    };
    for (first, then) in [("exact", "below"), ("below", "exact")] {
        build(first);
        let mut live = Live::start(&place, "check f.anther --reload --json");
        assert_eq!(has(&mut live, "y.ads.example"), first == "below");
        build(then);
        live.send("y.ads.example\n");
        assert_eq!(live.end(), 2, "{first} {then}");
    }
    // Unless they are looked up alone in both.
    build("exact");
    let mut live = Live::start(&place, "check f.anther --reload --json --match exact");
    assert!(!has(&mut live, "y.ads.example"));
    build("below");
    assert!(!has(&mut live, "y.ads.example") && has(&mut live, "ads.example"));
    assert_eq!(live.end(), 0);
}

/// Neither a "no" nor, where it can be helped, a crash.
#[test]
#[cfg(unix)]
fn a_mapped_file_that_is_overwritten_in_place_is_an_error() {
    let place = &Place::new();
    place.build("small.anther --items 10", "x\n");
    type Harm = fn(&Place);
    let harms: [Harm; 3] = [
        |place| place.write("f.anther", ""),
        |place| place.write("f.anther", place.read("small.anther")),
        |place| {
            let mut bytes = place.read("f.anther");
            bytes[..64].fill(0x55);
            place.write("f.anther", bytes);
        },
    ];
    for harm in harms {
        place.build("f.anther --force --items 1000 --fpr 1e-6", "first\n");
        let mut command = place.command(["check", "f.anther", "--reload", "--json"]);
        let mut live = Live::of(command.stderr(Stdio::piped()));
        kill(adder(place, &mut live, "added"));
        assert!(has(&mut live, "first"));
        let mut errors = live.child.stderr.take().expect("a pipe");
        harm(place);
        live.send("first\n");
        assert_eq!(live.end(), 2);
        let mut said = String::new();
        errors.read_to_string(&mut said).expect("text");
        assert!(said.contains("f.anther: was overwritten in place"), "{said}");
    }
}
