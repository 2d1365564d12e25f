//! No golden file was ever changed: `conformance/frozen.sha256` has the SHA-256 of each, and lines are
//! only added to it. `sha256sum --check conformance/frozen.sha256`, in the root, checks the same.
//!
//! A new file gets its line by `ANTHER_NEW_GOLDEN=1 cargo test -p conformance --test frozen`. The
//! files of experimental kinds are outside the promise, and not listed.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use anther::Kind;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIST: &str = "conformance/frozen.sha256";

/// Where golden files are, and how their names end.
const FOLDERS: [(&str, &str); 6] = [
    ("conformance/files", ".anther"),
    ("conformance/refused", ".anther"),
    ("conformance/sketches", ""),
    ("crates/anther/tests/golden", ".anther"),
    ("crates/anther-cli/tests/golden", ".state"),
    ("crates/anther-index/tests/golden", ".idx"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_experimental(name: &str) -> bool {
    let mut kinds = Kind::ALL.iter().filter(|kind| kind.capabilities().experimental);
    kinds.any(|kind| name == format!("{kind}.anther"))
}

/// The paths of all golden files, from the root.
fn golden() -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for (folder, ending) in FOLDERS {
        for file in fs::read_dir(root().join(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(name.ends_with(ending), "{folder}/{name}: not a golden file; put it elsewhere");
            if !is_experimental(&name) {
                paths.insert(format!("{folder}/{name}"));
            }
        }
    }
    paths
}

/// As `sha256sum` prints it.
fn line(path: &str) -> String {
    let digest = hmac_sha256::Hash::hash(&fs::read(root().join(path)).unwrap());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}  {path}")
}

fn list() -> String {
    fs::read_to_string(root().join(LIST)).unwrap_or_default()
}

fn path_of(line: &str) -> &str {
    line.split_once("  ").unwrap().1
}

#[test]
fn every_golden_file_is_as_it_was_when_it_was_made() {
    let listed: BTreeSet<String> = list().lines().map(|line| path_of(line).to_owned()).collect();
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_some() {
        let mut file =
            fs::File::options().append(true).create(true).open(root().join(LIST)).unwrap();
        // In one write, since another test reads the list.
        let new: String = golden().difference(&listed).map(|path| line(path) + "\n").collect();
        file.write_all(new.as_bytes()).unwrap();
    }
    let list = list();
    let mut seen = BTreeSet::new();
    for listed in list.lines() {
        let path = path_of(listed);
        assert!(seen.insert(path.to_owned()), "{path}: listed twice");
        assert!(root().join(path).exists(), "{path}: golden files stay; bring it back");
        assert_eq!(line(path), listed, "{path}: was changed; people have such files, so undo it");
    }
    let new: Vec<_> = golden().difference(&seen).cloned().collect();
    assert!(new.is_empty(), "not in {LIST}: {new:?}; ANTHER_NEW_GOLDEN=1 adds them");
}

/// By the history of the list, where there is one: a release without git has the digests alone.
#[test]
fn no_line_of_the_list_was_ever_removed_or_changed() {
    if !root().join(".git").exists() {
        return;
    }
    let log = ["log", "--patch", "--unified=0", "--no-color", "--no-ext-diff", "--format="];
    let git =
        Command::new("git").args(log).args(["--", LIST]).current_dir(root()).output().unwrap();
    assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    let log = String::from_utf8(git.stdout).unwrap();
    let list = list();
    let now: BTreeSet<&str> = list.lines().collect();
    let is_entry = |line: &&str| line.contains("  ") && !line.starts_with("++");
    for line in log.lines().filter_map(|line| line.strip_prefix('+')).filter(is_entry) {
        assert!(now.contains(line), "this line was in {LIST} once, and lines stay: {line}");
    }
}

/// Each kind within the promise, open and keyed; the objects that are no kinds; files of the program.
#[test]
fn there_is_a_golden_file_of_everything() {
    let list = list();
    let has = |path: &str| assert!(list.lines().any(|line| path_of(line) == path), "{path}");
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().experimental) {
        has(&format!("crates/anther/tests/golden/{kind}.anther"));
        has(&format!("conformance/files/{kind}.anther"));
        has(&format!("conformance/files/{kind}-keyed.anther"));
    }
    for object in ["iblt-integers", "iblt-strings", "iblt-strata", "range", "range-keyed"] {
        has(&format!("crates/anther/tests/golden/{object}.anther"));
    }
    has("conformance/files/iblt-integers-keyed.anther");
    for sketch in ["open", "chosen", "keyed", "hashes", "recipe"] {
        has(&format!("conformance/sketches/{sketch}.sketch"));
    }
    has("crates/anther-index/tests/golden/small.idx");
    has("crates/anther-index/tests/golden/packed.idx");
    for mode in ["all", "fpr", "window", "window-exact", "ttl", "rule", "keyed"] {
        has(&format!("crates/anther-cli/tests/golden/uniq-{mode}.state"));
    }
}
