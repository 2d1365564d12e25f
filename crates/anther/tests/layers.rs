//! Imports point downwards.
//!
//! The layers are written once, in ARCHITECTURE.md: under the heading "Layers" there is a fenced
//! block for each crate. Its first line is three backquotes, `layers`, and the crate's folder. Each
//! line of the block is a layer, the topmost first: names of modules, a colon, and their purpose. A
//! module may use those of the lines below, and no others, neither above nor beside it. Tests,
//! comments and the crate's root, which only lists what there is, may name anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of a crate: for each module its line in the block, from the top.
struct Layers {
    krate: String,
    height: BTreeMap<String, usize>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all_layers() -> Vec<Layers> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text.split_once("\n## Layers\n").expect("a heading \"Layers\"");
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("\n```layers ").skip(1);
    blocks.map(|block| parse_block(block.split("\n```").next().unwrap())).collect()
}

fn parse_block(block: &str) -> Layers {
    let (krate, lines) = block.split_once('\n').expect("a line after the label");
    let mut height = BTreeMap::new();
    for (line, text) in lines.lines().enumerate() {
        let (names, _) = text.split_once(':').expect("a colon and the layer's purpose");
        for name in names.split(',') {
            let before = height.insert(name.trim().to_string(), line);
            assert_eq!(before, None, "{name} is in two layers");
        }
    }
    Layers { krate: krate.trim().to_string(), height }
}

/// Every source file of a folder, with the path of its module.
fn sources(folder: &Path, module: &[String], into: &mut Vec<(PathBuf, Vec<String>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        let mut own = module.to_vec();
        if path.is_dir() {
            own.push(stem);
            sources(&path, &own, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if stem != "mod" && !(module.is_empty() && (stem == "lib" || stem == "main")) {
                own.push(stem);
            }
            into.push((path, own));
        }
    }
}

/// The text with strings and comments blanked, so that only code is left.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skip = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => end_of_string(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw_string(rest),
            '\'' if rest.starts_with("'\\") => 1 + rest[2..].find('\'').map_or(1, |end| end + 2),
            '\'' if rest.chars().nth(2) == Some('\'') => {
                rest.chars().take(3).map(char::len_utf8).sum()
            }
            _ => 0,
        };
        if skip == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[skip..];
        }
    }
    code
}

fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The length of a raw string at the beginning of the text; 0 where there is none.
fn raw_string(text: &str) -> usize {
    let hashes = text[1..].chars().take_while(|c| *c == '#').count();
    if !text[1 + hashes..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let start = 2 + hashes;
    text[start..].find(&end).map_or(text.len(), |at| start + at + end.len())
}

/// The code without items that are compiled for tests only, and the names of their modules that
/// have files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut kept, mut modules) = (String::new(), Vec::new());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let semicolon = rest.find(';').unwrap_or(rest.len());
        let brace = rest.find('{').unwrap_or(rest.len());
        if semicolon < brace {
            let item = rest[..semicolon].trim_end();
            if let Some((_, name)) = item.rsplit_once("mod ") {
                modules.push(name.to_string());
            }
            rest = &rest[(semicolon + 1).min(rest.len())..];
        } else {
            rest = &rest[end_of_braces(rest, brace)..];
        }
    }
    kept.push_str(rest);
    (kept, modules)
}

fn end_of_braces(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + at + 1;
        }
    }
    code.len()
}

/// The paths that code names from the crate's root: `crate::a::b`, `$crate::a::b`, and `super::b`
/// within `a::c`. For a path that ends in braces, one per branch.
fn paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (keyword, start) in [("crate::", Some(vec![])), ("super::", None)] {
        let mut from = 0;
        while let Some(at) = code[from..].find(keyword) {
            let at = from + at;
            from = at + keyword.len();
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let base = match &start {
                Some(base) => base.clone(),
                None => {
                    let ups = code[at..].split("::").take_while(|step| *step == "super").count();
                    from = at + ups * keyword.len();
                    let depth = module.len().saturating_sub(ups);
                    module[..depth].to_vec()
                }
            };
            branches(&code[from..], &base, &mut found);
        }
    }
    found
}

/// The paths at the beginning of a text: one, or several in braces. Only as far as the first name,
/// which is all that a layer needs.
fn branches(text: &str, base: &[String], found: &mut Vec<Vec<String>>) {
    let text = text.trim_start();
    if let Some(inside) = text.strip_prefix('{') {
        let mut depth = 0;
        let mut start = 0;
        for (at, c) in inside.char_indices() {
            match c {
                '{' => depth += 1,
                '}' | ',' if depth == 0 => {
                    branches(&inside[start..at], base, found);
                    start = at + 1;
                    if c == '}' {
                        return;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return;
    }
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if !name.is_empty() {
        found.push([base, &[name]].concat());
    }
}

/// The root's reexports: for each name of `pub use`, the module that defines it.
fn reexports(code: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in code.split(';') {
        let Some((_, path)) = item.split_once("pub use ") else { continue };
        let (module, _) = path.trim().split_once("::").expect("a path");
        let leaves = path.split(|c: char| "{}, \n".contains(c));
        let names_of = leaves.filter_map(|leaf| leaf.rsplit("::").next());
        for leaf in names_of.filter(|leaf| !leaf.is_empty()) {
            names.insert(leaf.to_string(), module.to_string());
        }
    }
    names
}

/// The violations in a crate's imports, as messages.
fn faults(layers: &Layers) -> Vec<String> {
    let folder = root().join(&layers.krate).join("src");
    let mut files = Vec::new();
    sources(&folder, &[], &mut files);
    let (mut faults, mut tests, mut given) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    let mut read = Vec::new();
    for (path, module) in files {
        let (code, own_tests) = without_tests(&code_of(&fs::read_to_string(&path).unwrap()));
        tests.extend(own_tests.into_iter().map(|test| [&module[..], &[test]].concat()));
        if module.is_empty() {
            given.extend(reexports(&code));
        }
        read.push((path, module, code));
    }
    let mut there = BTreeSet::new();
    for (path, module, code) in read {
        let Some(own) = module.first() else { continue };
        there.insert(own.clone());
        let Some(height) = layers.height.get(own) else {
            faults.push(format!("{own} is in no layer"));
            continue;
        };
        if (1..=module.len()).any(|depth| tests.contains(&module[..depth])) {
            continue;
        }
        for target in paths(&code, &module) {
            let first = &target[0];
            let Some(other) = given.get(first).or(Some(first)) else { continue };
            match layers.height.get(other) {
                Some(_) if other == own => {}
                Some(below) if below > height => {}
                Some(_) => faults.push(format!("{}: {own} uses {other}", path.display())),
                // A macro or a function of the root.
                None => {}
            }
        }
    }
    for name in layers.height.keys().filter(|name| !there.contains(*name)) {
        faults.push(format!("{name} is a layer, but not a module"));
    }
    faults.sort();
    faults.dedup();
    faults
}

#[test]
fn imports_point_downwards() {
    let all = all_layers();
    assert!(all.iter().any(|layers| layers.krate == "crates/anther"), "the library's layers");
    for layers in all {
        let faults = faults(&layers);
        assert!(faults.is_empty(), "{}:\n{}", layers.krate, faults.join("\n"));
    }
}

/// The test detects what it is meant to detect.
#[test]
fn paths_are_found_in_code_and_not_elsewhere() {
    let code = r##"
        //! As [`crate::doc`] says. // crate::comment
        use crate::{any::AnyFilter, batch::{self, sort}};
        use super::plain::{Row, asks};
        fn f<'a>(x: &'a str) -> char { crate::format::save(x, "crate::text"); '"' }
        const RAW: &str = r#"crate::raw " "#;
        macro_rules! m { () => { $crate::Filter::seed(self) } }
        #[cfg(test)]
        mod tests { use crate::laws; fn g() { {} } }
        use super::super::kind;
        #[cfg(test)]
        mod more;
    "##;
    let (code, tests) = without_tests(&code_of(code));
    assert_eq!(tests, ["more"]);
    let module = ["filter", "blocked"].map(String::from);
    let mut found: Vec<String> =
        paths(&code, &module).into_iter().map(|path| path.join("::")).collect();
    found.sort();
    assert_eq!(found, ["Filter", "any", "batch", "filter::plain", "format", "kind"]);
    let given =
        reexports("pub use any::AnyFilter; pub use error::{\n Full, files::{A, B}, }; use c::D");
    let pairs: Vec<String> =
        given.iter().map(|(name, module)| format!("{name} {module}")).collect();
    assert_eq!(pairs, ["A error", "AnyFilter any", "B error", "Full error"]);
}
