//! `anther completions` and `anther man`, beside the help: all come from one definition.

use crate::support::{Place, have};
use anther::Kind;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

fn text(place: &Place, arguments: &str) -> String {
    String::from_utf8(place.run(arguments).code(0).out).expect("it is UTF-8")
}

/// The long options that a help lists.
fn options(help: &str) -> BTreeSet<String> {
    // Text may begin a line with an option as well, but is not indented.
    let listed = help.lines().skip_while(|line| !line.starts_with("Usage:"));
    let listed = listed.filter(|line| line.starts_with("  -") || line.starts_with("      --"));
    let words = listed.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '-'));
    words.filter_map(|word| word.strip_prefix("--")).map(String::from).collect()
}

/// Text as manual pages have it.
fn roff(text: &str) -> String {
    text.replace('-', "\\-")
}

#[test]
fn manual_pages_have_all_that_help_has() {
    let place = Place::new();
    place.run("man --out pages").code(0).prints("").says(&["pages: "]);
    let program = text(&place, "man");
    assert_eq!(program.as_bytes(), place.read("pages/anther.1"));
    let verbs = place.verbs();
    assert_eq!(place.names_in("pages").len(), verbs.len() + 1);
    for verb in verbs.iter().map(String::as_str).chain([""]) {
        let name = if verb.is_empty() { "anther".to_string() } else { format!("anther-{verb}") };
        assert!(program.contains(&roff(&name)), "{name} is not in anther.1");
        let page = String::from_utf8(place.read(&format!("pages/{name}.1"))).unwrap();
        let help = text(&place, &format!("{verb} --help"));
        let options = options(&help);
        assert!(options.contains("help") && options.contains("color"), "{help}");
        for option in options {
            let bold = format!("\\fB{}\\fR", roff(&format!("--{option}")));
            assert!(page.contains(&bold), "--{option} is not in {name}.1");
        }
        // No option without an explanation.
        let lines: Vec<_> = page.lines().collect();
        for at in (0..lines.len()).filter(|at| lines[*at] == ".TP") {
            assert!(!lines[at + 2].starts_with('.'), "{name}.1: {}", lines[at + 1]);
        }
        // Every line of examples and the exit codes, word by word.
        let codes = help.lines().skip_while(|line| !line.starts_with("Exit codes: "));
        let examples = help.lines().filter(|line| line.starts_with("  anther "));
        for line in codes.chain(examples) {
            let line = roff(line.trim_start_matches("Exit codes: ").trim_start());
            assert!(page.contains(&line.replace('\'', "\\*(Aq")), "{name}.1 lacks {line}");
        }
        let mut titles: Vec<_> = lines.iter().filter(|line| line.starts_with(".SH")).collect();
        let all = titles.len();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), all, "{name}.1: {titles:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with(".TH")).count(), 1);
        assert!(page.contains("130"), "what an interrupt gives");
    }
    let build = String::from_utf8(place.read("pages/anther-build.1")).unwrap();
    for kind in Kind::ALL {
        assert!(build.contains(&roff(&format!("{kind}: {}", kind.purpose()))), "{kind}");
    }
}

#[test]
fn manual_pages_render_without_a_warning() {
    if !have("groff") {
        return;
    }
    let place = Place::new();
    place.run("man --out pages").code(0);
    for name in place.names_in("pages") {
        let output = Command::new("groff")
            .args(["-k", "-man", "-ww", "-Tutf8", "-P-cbou"])
            .arg(place.join("pages").join(&name))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && page.contains("DESCRIPTION"), "{name}");
    }
}

#[test]
fn manual_pages_replace_nothing_unasked() {
    let place = Place::new();
    place.write("pages/anther-check.1", "mine");
    place
        .run("man --out pages")
        .fails(&["pages/anther-check.1: exists already; --force replaces it"]);
    assert_eq!(place.names_in("pages"), ["anther-check.1"]);
    assert_eq!(place.read("pages/anther-check.1"), b"mine");
    let written = place.run("man --out pages --force --json").code(0).json();
    assert_eq!(written["folder"], "pages");
    let names: Vec<String> = serde_json::from_value(written["pages"].clone()).unwrap();
    assert_eq!(BTreeSet::from_iter(names), BTreeSet::from_iter(place.names_in("pages")));
    assert_ne!(place.read("pages/anther-check.1"), b"mine");

    place.run("man --out pages/anther.1").fails(&["pages/anther.1"]);
    place.run("man --force").fails(&["--out"]);
    place.run("man build").fails(&["build"]);
    assert_eq!(place.run("man --json").json()["page"], text(&place, "man"));
}

#[test]
fn completions_have_all_that_help_has() {
    let place = Place::new();
    for shell in SHELLS {
        let script = text(&place, &format!("completions {shell}"));
        for verb in place.verbs() {
            assert!(script.contains(&verb), "{shell}: {verb}");
            for option in options(&text(&place, &format!("{verb} --help"))) {
                let name = match shell {
                    "fish" => format!("-l {option}"),
                    _ => format!("--{option}"),
                };
                assert!(script.contains(&name), "{shell}: {verb} --{option}");
            }
        }
        let json = place.run(&format!("completions {shell} --json")).code(0).json();
        assert_eq!((&json["shell"], &json["script"]), (&shell.into(), &script.into()));
    }
    // These complete values as well.
    for shell in ["bash", "fish", "zsh"] {
        let script = text(&place, &format!("completions {shell}"));
        for kind in Kind::ALL {
            assert!(script.contains(kind.name()), "{shell}: {kind}");
        }
    }
    place.run("completions").fails(&["SHELL"]);
    place.run("completions tcsh").fails(&["tcsh", "bash, elvish, fish, powershell, zsh"]);
}

#[test]
fn bash_completes() {
    if !have("bash") {
        return;
    }
    let place = Place::new();
    fs::write(place.join("script"), text(&place, "completions bash")).unwrap();
    for (words, expected) in [
        ("anther comp", "completions\n"),
        ("anther build f --kind fu", "fuse\n"),
        ("anther completions powers", "powershell\n"),
    ] {
        let typed: Vec<_> = words.split(' ').collect();
        let (last, before) = (typed[typed.len() - 1], typed[typed.len() - 2]);
        let complete = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD={}; \
             _anther anther {last} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            typed.len() - 1,
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &complete])
            .current_dir(place.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn pages_need_a_folder() {
    let place = Place::new();
    place.run("man --out /dev/null").fails(&["/dev/null: is not a folder; name one for the pages"]);
    place.write("file", "");
    place.run("man --out file").fails(&["file: is not a folder"]);
    place.run("man --out file/in").fails(&["file/in: cannot make the folder: "]);
}
