//! The README's console sessions, run as they stand there.
//!
//! `ANTHER_NEW_README=1` writes what the program prints into the README, for the commands whose
//! output is shown there, instead of comparing it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// A command of a session and the output that the README shows for it.
struct Step {
    command: String,
    shown: String,
}

/// The sessions of the README that call the program itself.
fn sessions() -> Vec<Vec<Step>> {
    let blocks = README.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks
        .map(|block| {
            let mut steps: Vec<Step> = Vec::new();
            for line in block.lines() {
                match (line.strip_prefix("$ "), steps.last_mut()) {
                    (None, Some(step)) => step.shown += &format!("{line}\n"),
                    (command, _) => {
                        let command = command.unwrap_or("a session begins with a command");
                        steps.push(Step { command: command.to_string(), shown: String::new() });
                    }
                }
            }
            steps
        })
        .filter(|steps| {
            let ours =
                |step: &Step| ["anther ", "seq "].iter().any(|name| step.command.starts_with(name));
            steps.iter().all(ours)
        })
        .collect()
}

#[test]
fn the_sessions_of_the_readme_run_as_shown() {
    let sessions = sessions();
    assert!(!sessions.is_empty());
    let program = Path::new(env!("CARGO_BIN_EXE_anther"));
    let mut path = program.parent().unwrap().as_os_str().to_os_string();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let mut readme = README.to_string();
    let renew = env::var_os("ANTHER_NEW_README").is_some();
    for steps in sessions {
        let folder = tempfile::tempdir().unwrap();
        for Step { command, shown } in steps {
            let output = Command::new("sh")
                .args(["-c", &format!("{command} 2>&1")])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{command}: {printed}");
            if shown.is_empty() {
                continue;
            }
            if renew {
                let (old, new) =
                    (format!("$ {command}\n{shown}"), format!("$ {command}\n{printed}"));
                readme = readme.replacen(&old, &new, 1);
            } else {
                assert_eq!(printed, shown, "{command}");
            }
        }
    }
    if renew {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"), readme).unwrap();
    }
}
