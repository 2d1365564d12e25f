//! Links and files that change while the program works: what was checked is what is replaced.

use crate::support::{self, Place, exit_code, until};
use anther::{AnyFilter, Lock};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Child, ChildStdin, Stdio};

/// A run that waits for the rest of its input.
fn start(place: &Place, arguments: &str) -> (Child, ChildStdin) {
    let mut command = place.command(arguments.split_whitespace());
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let stdin = child.stdin.take().expect("a pipe");
    (child, stdin)
}

fn point(place: &Place, link: &str, to: &str) {
    let _ = fs::remove_file(place.join(link));
    symlink(place.join(to), place.join(link)).expect("linked");
}

#[test]
fn add_replaces_the_file_that_it_has_locked() {
    let place = Place::new();
    place.build("old.anther --items 100", "one\n");
    place.build("other.anther --items 100", "two\n");
    place.write("notes.txt", "precious\n");
    for to in ["other.anther", "notes.txt"] {
        point(&place, "f.anther", "old.anther");
        let before = place.read(to);
        let (mut child, mut stdin) = start(&place, "add -q f.anther");
        let key = format!("key for {to}");
        writeln!(stdin, "{key}").expect("written");
        until("the lock", || {
            Lock::try_exclusive(place.join("old.anther")).expect("a file").is_none().then_some(())
        });
        point(&place, "f.anther", to);
        drop(stdin);
        assert_eq!(exit_code(&mut child), 0);
        assert_eq!(place.read(to), before, "{to} stays as it was");
        let old = AnyFilter::open(place.join("old.anther")).expect("a filter");
        assert!(
            old.contains("one").unwrap() && old.contains(&key[..]).unwrap(),
            "the key is in the locked file"
        );
    }
    assert_eq!(place.names().len(), 4, "{:?}", place.names());
}

/// Not even by force is a file replaced that is no filter, or one that was never looked at.
#[test]
fn build_replaces_the_file_that_it_has_checked() {
    let place = Place::new();
    place.write("notes.txt", "precious\n");
    let lines: String = (0..20_000).map(|number| format!("key {number}\n")).collect();
    for swap_link in [true, false] {
        place.build("old.anther --items 100 --force", "one\n");
        point(&place, "f.anther", "old.anther");
        let (mut child, mut stdin) = start(&place, "build -q --force f.anther --items 30k");
        // More than a pipe holds: when it is written, all checks have been made.
        stdin.write_all(lines.as_bytes()).expect("written");
        if swap_link {
            point(&place, "f.anther", "notes.txt");
        } else {
            fs::copy(place.join("notes.txt"), place.join("old.anther")).expect("copied");
        }
        drop(stdin);
        let code = exit_code(&mut child);
        assert_eq!(place.read("notes.txt"), b"precious\n");
        if swap_link {
            assert_eq!(code, 0);
            assert!(
                AnyFilter::open(place.join("old.anther")).expect("made").contains("key 7").unwrap()
            );
        } else {
            assert_eq!(code, 2, "it is no filter any more");
            assert_eq!(place.read("old.anther"), b"precious\n");
            fs::remove_file(place.join("old.anther")).expect("removed");
        }
    }
}

/// A file that appears where none was.
#[test]
fn build_does_not_replace_what_appears_and_is_no_filter() {
    let place = Place::new();
    let lines: String = (0..20_000).map(|number| format!("key {number}\n")).collect();
    let (mut child, mut stdin) = start(&place, "build -q --force f.anther --items 30k");
    stdin.write_all(lines.as_bytes()).expect("written");
    place.write("f.anther", "precious\n");
    drop(stdin);
    assert_eq!(exit_code(&mut child), 2);
    assert_eq!(place.read("f.anther"), b"precious\n");
    assert_eq!(place.names(), ["f.anther"]);
}

/// Files that killed processes of any number have left do not matter.
#[test]
fn files_that_were_left_block_nobody() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_anther");
    // The shell's number becomes the program's.
    let script = format!(
        "touch .anther-$$.key .anther-$$.probe .anther-$$-0.tmp; \
         exec {program} build -q f.anther --keyed --key-file f.key"
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null());
    shell.env_remove("ANTHER_KEY").env_remove("ANTHER_KEY_FILE");
    let ran = support::ran(shell).code(0);
    assert_eq!(ran.err, "");
    assert_eq!(place.read("f.key").len(), 33);
    place.run("check f.anther x --key-file f.key").code(1);
}

/// A secret key has no name but its own, at any moment: a process that is killed cannot leave it
/// anywhere else.
#[cfg(target_os = "linux")]
#[test]
fn a_secret_key_is_in_no_other_file_at_any_time() {
    let place = Place::new();
    for round in 0..20 {
        let name = format!("{round}.key");
        let (mut child, stdin) =
            start(&place, &format!("build -q {round}.anther --items 1M --keyed --key-file {name}"));
        drop(stdin);
        while child.try_wait().expect("waited for").is_none() {
            for seen in place.names() {
                let is_ours = seen.ends_with(".anther") || seen.ends_with(".tmp");
                if is_ours || (seen.ends_with(".key") && !seen.starts_with('.')) {
                    // And what has its name is whole.
                    let is_key = seen.ends_with(".key");
                    assert!(!is_key || place.read(&seen).len() == 33, "{seen}");
                    // A filter is never as short as a key.
                    let text = fs::read(place.join(&seen)).unwrap_or_default();
                    assert!(is_key || text.len() != 33, "{seen}");
                } else {
                    panic!("{seen}");
                }
            }
        }
        assert_eq!(exit_code(&mut child), 0);
    }
}
