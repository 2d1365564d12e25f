//! Where the version of a release is written.

/// Manifests with a version of their own.
const MANIFESTS: [&str; 2] = ["bench/Cargo.toml", "fuzz/Cargo.toml"];

/// Each place, and the version there; the workspace's comes first.
pub fn find(
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Vec<(String, String)>, String> {
    let root = read("Cargo.toml")?;
    let none = |place: &str| format!("{place}: no version found");
    let ours = quoted(&root, "version = ").ok_or_else(|| none("Cargo.toml"))?;
    let mut found = vec![("Cargo.toml".to_owned(), ours.to_owned())];
    for line in root.lines().filter(|line| line.starts_with("anther")) {
        let (name, rest) = line.split_once(" = ").ok_or_else(|| none(line))?;
        let version = rest.split_once("version = ").and_then(|(_, rest)| between_quotes(rest));
        found.push((format!("Cargo.toml, {name}"), version.ok_or_else(|| none(name))?.to_owned()));
    }
    for place in MANIFESTS {
        let text = read(place)?;
        let version = quoted(&text, "version = ").ok_or_else(|| none(place))?;
        found.push((place.to_owned(), version.to_owned()));
    }
    // Python's is the manifest's, unless someone writes one down.
    let place = "crates/anther-python/pyproject.toml";
    if !read(place)?.contains("dynamic = [\"version\"]") {
        return Err(format!("{place}: has a version of its own; make it dynamic"));
    }
    let place = "crates/anther-c/anther.pc";
    let text = read(place)?;
    let version = text.lines().find_map(|line| line.strip_prefix("Version: "));
    found.push((place.to_owned(), version.ok_or_else(|| none(place))?.to_owned()));
    let place = "crates/anther-redis/src/lib.rs";
    let text = read(place)?;
    let number = text.lines().find_map(|line| line.trim().strip_prefix("version: "));
    let number = number.and_then(|number| number.trim_end_matches(',').parse().ok());
    found.push((place.to_owned(), of_number(number.ok_or_else(|| none(place))?)));
    Ok(found)
}

/// The module's version is one number: 10203 is 1.2.3.
fn of_number(number: u32) -> String {
    format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

/// What the first line that begins with `start` and a quote has between quotes.
pub fn quoted<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.lines().find_map(|line| between_quotes(line.strip_prefix(start)?))
}

fn between_quotes(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.split_once('"').map(|(inner, _)| inner)
}

/// Whether a heading of the second level begins with this version.
pub fn has_section(changelog: &str, version: &str) -> bool {
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    headings.any(|heading| heading.split([' ', ',']).next() == Some(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(name: &str) -> Result<String, String> {
        Ok(match name {
            "Cargo.toml" => "[workspace.package]\nversion = \"1.2.3\"\n[workspace.dependencies]\n\
                             anther = { version = \"1.2.3\", path = \"crates/anther\" }\n"
                .to_owned(),
            "crates/anther-python/pyproject.toml" => "dynamic = [\"version\"]".to_owned(),
            "crates/anther-c/anther.pc" => "Name: anther\nVersion: 1.2.4\n".to_owned(),
            "crates/anther-redis/src/lib.rs" => "    version: 10203,\n".to_owned(),
            _ => "[package]\nversion = \"1.2.3\"\n".to_owned(),
        })
    }

    #[test]
    fn a_version_that_differs_is_found_with_its_place() {
        let found = find(files).unwrap_or_default();
        assert_eq!(found.len(), 6);
        let others: Vec<_> = found.iter().filter(|(_, version)| version != "1.2.3").collect();
        assert_eq!(others, [&("crates/anther-c/anther.pc".to_owned(), "1.2.4".to_owned())]);
        assert!(find(|name| files(name).map(|text| text.replace("Version", "V"))).is_err());
        assert!(find(|name| files(name).map(|text| text.replace("dynamic", "fixed"))).is_err());
    }

    #[test]
    fn the_section_of_a_version_is_found_by_its_heading() {
        let log = "# Changelog\n## Unreleased\n## 1.2.30, 2026-11-17\n## 1.2.4\n### 1.2.5\n";
        assert!(has_section(log, "1.2.30") && has_section(log, "1.2.4"));
        assert!(!has_section(log, "1.2.3") && !has_section(log, "1.2.5"));
    }
}
