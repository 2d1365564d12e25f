//! What the repository weighs, held to a table: `xtask/weight.csv` has a line for each figure.
//!
//! A figure above its line fails. The line is raised only by a commit that says what was bought with
//! it, and lowered by any commit that makes the figure smaller.

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

use crate::Trouble;
use crate::call::Call;
use crate::workspace::Workspace;

const TABLE: &str = "xtask/weight.csv";
/// What `cargo xtask instructions --record` has counted: counting again takes minutes.
const INSTRUCTIONS: &str = "bench/records/instructions.csv";

/// Where code is counted, each with the folders below.
const CODE: [&str; 11] = [
    "bench",
    "crash",
    "crates/anther",
    "crates/anther-c",
    "crates/anther-cli",
    "crates/anther-index",
    "crates/anther-lab",
    "crates/anther-python",
    "crates/anther-records",
    "crates/anther-redis",
    "crates/anther-uses",
];

/// Measures each figure, and says which are above their line.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    crate::refuse_arguments("weight", args)?;
    let read = |path: &str| {
        fs::read_to_string(workspace.root.join(path))
            .map_err(|error| Trouble::blocked(format!("{path}: {error}")))
    };
    let measured = measure(workspace).map_err(Trouble::blocked)?;
    let lines = parse(&read(TABLE)?).map_err(Trouble::blocked)?;
    let mut is_well = true;
    for (what, figure) in &measured {
        let line = lines.iter().find(|(name, _)| name == what).map(|(_, line)| *line);
        let verdict = match line {
            None => "has no line",
            Some(line) if *figure > line => "above its line",
            Some(_) => "",
        };
        is_well &= verdict.is_empty();
        let line = line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        println!("{what:<45} {figure:>8} of {line:>8}  {verdict}");
    }
    for (what, _) in lines.iter().filter(|(what, _)| measured.iter().all(|(name, _)| name != what))
    {
        println!("{what:<45} has a line, and is not measured");
        is_well = false;
    }
    if !is_well {
        println!("Make it lighter, or change {TABLE} in a commit that says what the weight buys.");
    }
    Ok(crate::exit_code(is_well))
}

fn parse(table: &str) -> Result<Vec<(String, usize)>, String> {
    let line = |line: &str| {
        let (what, most) = line.rsplit_once(',')?;
        Some((what.to_owned(), most.parse().ok()?))
    };
    let rows = table.lines().skip(1);
    rows.map(|row| line(row).ok_or_else(|| format!("{TABLE}: `{row}`: not a figure"))).collect()
}

fn measure(workspace: &Workspace) -> Result<Vec<(String, usize)>, String> {
    let files = tracked(workspace)?;
    let read = |path: &str| {
        let bytes = fs::read(workspace.root.join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let lines_below = |folder: &str| {
        let is_ours = |path: &&String| path.starts_with(folder) && path.ends_with(".rs");
        files.iter().filter(is_ours).map(|path| code_lines(&read(path))).sum::<usize>()
    };
    let is_document = |path: &&String| path.ends_with(".md") && !path.starts_with("bench/records/");
    let words = files.iter().filter(is_document).map(|path| read(path).split_whitespace().count());
    let locks = files.iter().filter(|path| path.ends_with("Cargo.lock")).count();
    let mut found = vec![
        ("crates of the default build".to_owned(), default_crates(workspace)?),
        ("lock files".to_owned(), locks),
        ("names at the root of anther".to_owned(), root_names(&read("crates/anther/src/lib.rs"))),
        ("words of documents".to_owned(), words.sum()),
    ];
    for folder in CODE {
        found.push((
            format!("lines of code in {folder}/src"),
            lines_below(&format!("{folder}/src/")),
        ));
    }
    let all_tests = files.iter().filter(|path| path.contains("/tests/") && path.ends_with(".rs"));
    let tests = all_tests.map(|path| code_lines(&read(path))).sum();
    found.push(("lines of code in tests".to_owned(), tests));
    found.push(("lines of code in xtask".to_owned(), lines_below("xtask/")));
    found.push(("instructions of all hot calls".to_owned(), instructions(&read(INSTRUCTIONS))));
    Ok(found)
}

/// The files that git knows.
fn tracked(workspace: &Workspace) -> Result<Vec<String>, String> {
    let listed = Call::program("git").args(["ls-files"]).output(workspace)?;
    if !listed.status.success() {
        return Err("weight: not a checkout of git, so nobody knows which files count".to_owned());
    }
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
}

fn default_crates(workspace: &Workspace) -> Result<usize, String> {
    let tree = Call::cargo(["tree", "--locked", "--package", "anther-cli"])
        .args(["--edges", "normal,build", "--prefix", "none", "--no-dedupe"])
        .output(workspace)?;
    let text = String::from_utf8_lossy(&tree.stdout);
    let name = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let names: BTreeSet<String> = text.lines().map(name).collect();
    if tree.status.success() { Ok(names.len()) } else { Err("`cargo tree` failed".to_owned()) }
}

/// Per key, over all calls. Each count has one decimal.
fn instructions(record: &str) -> usize {
    let tenths = |line: &str| line.rsplit_once(',')?.1.replace('.', "").parse::<usize>().ok();
    record.lines().filter_map(tenths).sum::<usize>() / 10
}

/// Lines that are neither blank nor comment.
fn code_lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// What `pub use` and `pub mod` name, without what is hidden.
fn root_names(text: &str) -> usize {
    let mut names = 0;
    let mut rest = text;
    while let Some(at) = rest.find("\npub ") {
        rest = &rest[at + 1..];
        let item = &rest[..rest.find([';', '\n']).unwrap_or(rest.len())];
        names += match item.strip_prefix("pub use ") {
            Some(path) if path.contains('{') => {
                let list = rest[rest.find('{').unwrap_or(0) + 1..].split('}').next();
                list.unwrap_or("").split(',').filter(|name| !name.trim().is_empty()).count()
            }
            _ => 1,
        };
        rest = &rest[item.len()..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_one_by_one() {
        let text = "//! A library.\nmod a;\npub mod b;\npub use a::C;\npub use d::{\n    E, F,\n    g,\n};\n";
        assert_eq!(root_names(text), 5);
    }

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        assert_eq!(code_lines("//! Why.\n\nfn a() {\n    // How.\n    b();\n}\n"), 3);
    }

    #[test]
    fn instructions_are_added_up() {
        assert_eq!(instructions("# rustc\ncase,instructions per key\na hit,56.4\nb,8.9\n"), 65);
    }

    #[test]
    fn a_table_has_a_number_in_each_row() {
        assert_eq!(parse("what,most\na, b,3\n"), Ok(vec![("a, b".to_owned(), 3)]));
        assert!(parse("what,most\na,many\n").is_err());
    }
}
