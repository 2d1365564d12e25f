//! docs/uses.md and the program name the same uses.

#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const COMMAND: &str = "cargo run --release -p anther-uses -- ";

/// The uses that the program's help lists.
fn uses() -> BTreeSet<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_anther-uses")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    // A line that goes on is indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let is_use = |name: &&str| !["", "all", "help"].contains(name);
    let names: BTreeSet<String> = names.filter(is_use).map(str::to_string).collect();
    assert!(names.contains("near-duplicates"), "{help}");
    names
}

/// The uses whose commands are in a text.
fn commands(text: &str) -> BTreeSet<String> {
    let name = |rest: &str| rest.split_whitespace().next().unwrap_or_default().to_string();
    text.split(COMMAND).skip(1).map(name).collect()
}

/// As a link within a page has it.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || "- ".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_use_has_a_section_and_a_row_and_every_section_a_use() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/uses.md");
    let page = fs::read_to_string(path).unwrap();
    let mut sections = page.split("\n## ");
    let opening = sections.next().unwrap();
    assert_eq!(commands(opening), BTreeSet::from(["all".to_string()]));
    let mut described = BTreeSet::new();
    for section in sections {
        let title = section.lines().next().unwrap();
        let names = commands(section);
        assert_eq!(names.len(), 1, "## {title} has the commands of {names:?}");
        let name = names.into_iter().next().unwrap();
        let row = format!("\n| [{name}](#{}) | ", anchor(title));
        assert!(opening.contains(&row), "the table has no {row:?}");
        for part in ["**The text.** ", "\n```text\n", "\n**Today.** ", "\n**Not** "] {
            assert!(section.contains(part), "## {title} has no {part:?}");
        }
        assert!(described.insert(name), "## {title} is the second section of its use");
    }
    assert_eq!(described, uses(), "docs/uses.md on the left, the program on the right");
    assert_eq!(opening.matches("\n| [").count(), described.len(), "rows of the table");
}
