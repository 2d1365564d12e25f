//! What is in a package.

/// Every package has these. Cargo copies a README of the root.
const REQUIRED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// The folders and files that a package may have; cargo makes the last ones.
const ALLOWED: [&str; 9] = [
    "src/",
    "examples/",
    "page/",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "Cargo.",
    ".cargo_vcs_info.json",
    "build.rs",
];

/// What people write in these folders; all else is stray.
const ENDINGS: [&str; 9] = [".rs", ".js", ".css", ".html", ".svg", ".md", ".json", ".txt", ".csv"];

/// The largest source has half of this.
const MOST_BYTES: u64 = 200_000;

/// The first thing that is wrong with a list of paths and their sizes.
pub fn wrong(files: &[(&str, u64)]) -> Option<String> {
    let has = |path: &str| files.iter().any(|(other, _)| *other == path);
    if let Some(missing) = REQUIRED.into_iter().find(|path| !has(path)) {
        return Some(format!("{missing} is missing"));
    }
    files.iter().find_map(|&(path, size)| {
        let in_folder = path.contains('/');
        let stray = in_folder && !ENDINGS.iter().any(|ending| path.ends_with(ending));
        if stray || !ALLOWED.iter().any(|start| path.starts_with(start)) {
            return Some(format!("{path} should not be in it; see `include` in its Cargo.toml"));
        }
        (size > MOST_BYTES).then(|| format!("{path} has {size} bytes; at most {MOST_BYTES}"))
    })
}

/// The flags for the features that docs.rs is told to use; `None` without such a section.
pub fn docs_features(manifest: &str) -> Option<Vec<String>> {
    let (_, section) = manifest.split_once("[package.metadata.docs.rs]\n")?;
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let mut flags = Vec::new();
    for line in lines {
        if line == "all-features = true" {
            flags.push("--all-features".to_owned());
        } else if let Some(list) = line.strip_prefix("features = ") {
            let names = list.trim_matches(['[', ']']).replace(['"', ' '], "");
            flags.extend(["--features".to_owned(), names]);
        }
    }
    Some(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_stray_or_large_is_named() {
        let good: Vec<_> =
            REQUIRED.into_iter().chain(["src/lib.rs"]).map(|path| (path, 9)).collect();
        assert_eq!(wrong(&good), None);
        let with = |path, size| {
            let mut files = good.clone();
            files.push((path, size));
            wrong(&files).unwrap_or_default()
        };
        for stray in ["tests/golden/a.anther", "records/a.csv", "src/a.rs.orig", "notes.md"] {
            assert!(with(stray, 9).starts_with(stray), "{stray}");
        }
        assert!(with("src/large.rs", 200_001).contains("200001 bytes"));
        for at in 0..REQUIRED.len() {
            let mut files = good.clone();
            let (path, _) = files.remove(at);
            assert_eq!(wrong(&files), Some(format!("{path} is missing")));
        }
    }

    #[test]
    fn features_of_the_documentation_are_read_from_the_manifest() {
        let manifest =
            "[package]\n[package.metadata.docs.rs]\nfeatures = [\"a\", \"b\"]\n[lints]\n";
        assert_eq!(docs_features(manifest), Some(vec!["--features".into(), "a,b".into()]));
        let manifest = "[package.metadata.docs.rs]\nall-features = true\n";
        assert_eq!(docs_features(manifest), Some(vec!["--all-features".into()]));
        assert_eq!(docs_features("[package]\nall-features = true\n"), None);
    }
}
