//! The console sessions of the README, the cookbook and the pages on scale and on formats, run as they
//! stand there.
//!
//! `ANTHER_NEW_SESSIONS=1` writes what the program prints into the documents, for the commands whose
//! output is shown there, instead of comparing it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A command of a session, and the output that the document shows for it.
struct Step {
    command: String,
    shown: String,
}

/// The sessions of a document, each for an empty folder.
fn sessions(document: &str) -> Vec<Vec<Step>> {
    let blocks = document.split("```console\n").skip(1);
    let blocks = blocks.map(|rest| rest.split_once("```").expect("a closed block").0);
    let steps = |block: &str| {
        let mut steps: Vec<Step> = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    steps.push(Step { command: command.to_string(), shown: String::new() });
                }
                None => {
                    let step = steps.last_mut().expect("a session begins with a command");
                    step.shown += &format!("{line}\n");
                }
            }
        }
        steps
    };
    blocks.map(steps).collect()
}

/// Runs the sessions of a document, of which there must be at least this many.
fn run(name: &str, least: usize) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let mut document = fs::read_to_string(&file).expect("read");
    let sessions = sessions(&document);
    assert!(sessions.len() >= least, "{name}: {} sessions", sessions.len());
    let program = Path::new(env!("CARGO_BIN_EXE_anther"));
    let mut path = program.parent().expect("a folder").as_os_str().to_os_string();
    path.push(":");
    path.push(env::var_os("PATH").expect("PATH"));
    let renew = env::var_os("ANTHER_NEW_SESSIONS").is_some();
    for steps in sessions {
        let folder = tempfile::tempdir().expect("a folder");
        for Step { command, shown } in steps {
            let output = Command::new("sh")
                .args(["-c", &format!("exec 2>&1\n{command}")])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .expect("sh");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{name}: {command}: {printed}");
            if renew {
                let old = format!("$ {command}\n{shown}");
                // What is not shown stays so.
                if !shown.is_empty() {
                    document = document.replacen(&old, &format!("$ {command}\n{printed}"), 1);
                }
            } else if !shown.is_empty() {
                assert_eq!(printed, shown, "{name}: {command}");
            }
        }
    }
    if renew {
        fs::write(file, document).expect("written");
    }
}

#[test]
fn the_readme_runs_as_shown() {
    run("README.md", 3);
}

#[test]
fn the_cookbook_runs_as_shown() {
    run("docs/cookbook.md", 13);
}

#[test]
fn the_page_on_scale_runs_as_shown() {
    run("docs/scale.md", 1);
}

#[test]
fn the_page_on_formats_runs_as_shown() {
    run("docs/formats.md", 6);
}
