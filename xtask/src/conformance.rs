//! The readers of `conformance/readers`, each in its language: written from FORMAT.md alone, and
//! checked by the vectors; by `cargo xtask conformance` with very many keys, too.

use std::fs;
use std::io::Write as _;
use std::process::ExitCode;

use crate::call::Call;
use crate::compiled;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;
use crate::{Trouble, exit_code, unknown_argument};

/// Where compilers put what they make.
const TARGET: &str = "target/conformance";
const KIT: &str = "conformance";
const COMPILED: &str = ", compiled";

/// A folder of vectors for each kind, with very many keys.
const MANY: &str = "target/conformance/many";
/// The kinds that every reader has.
const KINDS: [&str; 3] = ["classic", "blocked", "ribbon"];
/// How many keys are in each file, unless `--keys` says otherwise.
const KEYS: u64 = 100_000;
/// Files of a kind: with an open seed and with a secret key.
const FILES: u64 = 2;

const RECORD: &str = "bench/records/conformance.csv";
const HEADING: &str = "date,commit,kind,language,keys,lookups,mismatches";

/// A language: what it needs, and the commands that check its reader, each of which must succeed.
struct Language {
    name: &'static str,
    packages: &'static [Package],
    /// The ending of its sources, in the folder of its name in lower case.
    ending: &'static str,
    compile: Option<fn(&Workspace, &[String]) -> Call>,
    /// Goes through the vectors of a folder.
    check: fn(&Workspace, &[String], &str) -> Call,
    /// Other checks: what follows the name of the step, and the command.
    more: fn() -> Vec<(&'static str, Call)>,
}

static LANGUAGES: [Language; 5] = [
    Language {
        name: "C",
        packages: &[("gcc", "cc")],
        ending: "c",
        compile: Some(compile_c),
        check: |workspace, _, kit| Call::program(workspace.path(C_PROGRAM)).args([kit]),
        more: Vec::new,
    },
    Language {
        name: "Go",
        packages: &[("golang-go", "go")],
        ending: "go",
        compile: None,
        check: |_, sources, kit| Call::program("go").args(["run"]).args(sources).args([kit]),
        more: Vec::new,
    },
    Language {
        name: "Java",
        packages: &[("openjdk-17-jdk-headless", "javac"), ("openjdk-17-jre-headless", "java")],
        ending: "java",
        compile: Some(compile_java),
        check: |_, _, kit| Call::program("java").args(["-cp", CLASSES, "Check", kit]),
        more: Vec::new,
    },
    Language {
        name: "JavaScript",
        packages: &[("nodejs", "node")],
        ending: "mjs",
        compile: None,
        check: |_, _, kit| {
            Call::program("node").args([&format!("{KIT}/readers/javascript/check.mjs"), kit])
        },
        more: Vec::new,
    },
    Language {
        name: "Python",
        packages: &[("python3", "python3")],
        ending: "py",
        compile: None,
        check: |_, _, kit| python("check").args([kit]),
        // Python alone has all kinds, to check what FORMAT.md says of each.
        more: || {
            vec![
                (", all kinds", python("check_all_kinds")),
                (", sketches", python("check_sketches")),
            ]
        },
    },
];

const C_PROGRAM: &str = "target/conformance/check";
const CLASSES: &str = "target/conformance/java";

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    // If it fails, a compiler says so better than we could.
    let _ = fs::create_dir_all(workspace.root.join(TARGET));
    // Its tests are in the stage `core`, which optimises; this takes half the time.
    let vectors = Call::program(workspace.built("conformance"));
    let mut steps =
        vec![compiled::build(), Step::new("vectors as the library writes them", vectors)];
    for language in &LANGUAGES {
        let missing = missing_after_installing(workspace, language.packages.iter().copied());
        let sources = language.sources(workspace);
        let mut calls: Vec<_> = language
            .compile
            .map(|compile| (COMPILED, compile(workspace, &sources)))
            .into_iter()
            .collect();
        calls.push(("", (language.check)(workspace, &sources, KIT)));
        calls.extend((language.more)());
        for (part, call) in calls {
            let name = format!("reader in {}{part}", language.name);
            steps.push(Step::new(name, call).unless(missing.as_ref()));
        }
    }
    steps
}

/// One reader's way through the vectors of one kind.
struct Checked {
    kind: &'static str,
    language: &'static str,
    lookups: u64,
    /// 0, or 1: a reader ends at its first.
    mismatches: u64,
}

/// Files of each kind with very many keys, and what each reader answers.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    let Asked { keys, languages, kinds } = Asked::read(args)?;
    let make = Call::cargo(["run", "--quiet", "--locked", "--package", "conformance", "--"])
        .args(["--many", &keys.to_string(), MANY])
        .args(kinds.iter().copied());
    println!("== {make}");
    if !make.run(workspace).map_err(Trouble::blocked)?.success() {
        return Err(Trouble::blocked("conformance: the files were not made; see above".to_owned()));
    }
    let (mut checked, mut missing) = (Vec::new(), Vec::new());
    for language in languages {
        match language.check_many(workspace, &kinds, keys) {
            Ok(rows) => checked.extend(rows),
            Err(why) => missing.push(format!("{}: {why}", language.name)),
        }
    }
    println!("\n{:<12}{:<10}{:>9}  mismatches", "language", "kind", "lookups");
    for Checked { kind, language, lookups, mismatches } in &checked {
        println!("{language:<12}{kind:<10}{lookups:>9}  {mismatches}");
    }
    missing.iter().for_each(|line| println!("not run: {line}"));
    if keys >= KEYS {
        record(workspace, keys, &checked).map_err(Trouble::blocked)?;
    }
    let mismatches: u64 = checked.iter().map(|row| row.mismatches).sum();
    println!("{} checks, {mismatches} with a mismatch, {} not run", checked.len(), missing.len());
    Ok(exit_code(mismatches == 0 && missing.is_empty()))
}

/// What to run: all languages and kinds, unless some are named.
struct Asked {
    keys: u64,
    languages: Vec<&'static Language>,
    kinds: Vec<&'static str>,
}

impl Asked {
    fn read(args: &[String]) -> Result<Self, Trouble> {
        let (keys, names) = match args {
            [flag, count, names @ ..] if flag == "--keys" => {
                let keys = count.parse().ok().filter(|count| (1..=10_000_000).contains(count));
                let wrong = || format!("conformance: --keys {count}: from 1 to 10000000");
                (keys.ok_or_else(|| Trouble::usage(wrong()))?, names)
            }
            names => (KEYS, names),
        };
        let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        let known = LANGUAGES.iter().map(|language| language.name).chain(KINDS);
        let known: Vec<&str> = known.collect();
        if let Some(other) = names.iter().find(|name| !known.iter().any(|known| is(known, name))) {
            return Err(unknown_argument("conformance", other));
        }
        let named = |name: &str| names.iter().any(|other| is(name, other));
        let mut languages: Vec<_> =
            LANGUAGES.iter().filter(|language| named(language.name)).collect();
        let mut kinds: Vec<_> = KINDS.into_iter().filter(|kind| named(kind)).collect();
        if languages.is_empty() {
            languages.extend(&LANGUAGES);
        }
        if kinds.is_empty() {
            kinds.extend(KINDS);
        }
        Ok(Self { keys, languages, kinds })
    }
}

impl Language {
    /// Its sources by name; none if the folder is not there, and then its command fails.
    fn sources(&self, workspace: &Workspace) -> Vec<String> {
        let folder = format!("{KIT}/readers/{}", self.name.to_lowercase());
        let files = fs::read_dir(workspace.root.join(&folder)).into_iter().flatten().flatten();
        let names = files.map(|file| format!("{folder}/{}", file.file_name().to_string_lossy()));
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(&format!(".{}", self.ending))).collect();
        names.sort();
        names
    }

    /// An error if it could not be run at all.
    fn check_many(
        &self,
        workspace: &Workspace,
        kinds: &[&'static str],
        keys: u64,
    ) -> Result<Vec<Checked>, String> {
        if let Some(missing) = missing_after_installing(workspace, self.packages.iter().copied()) {
            return Err(missing);
        }
        let sources = self.sources(workspace);
        if let Some(compile) = self.compile.map(|compile| compile(workspace, &sources)) {
            println!("== {compile}");
            if !compile.run(workspace)?.success() {
                return Err("it does not compile; see above".to_owned());
            }
        }
        kinds.iter().map(|kind| self.check_kind(workspace, kind, &sources, keys)).collect()
    }

    fn check_kind(
        &self,
        workspace: &Workspace,
        kind: &'static str,
        sources: &[String],
        keys: u64,
    ) -> Result<Checked, String> {
        let call = (self.check)(workspace, sources, &format!("{MANY}/{kind}"));
        println!("== {call}");
        let mut lookups = 0;
        let status =
            call.tee(workspace, &mut |line| lookups = lookups_in(line).unwrap_or(lookups))?;
        // As many keys that are in as keys that are not.
        if status.success() && lookups != FILES * 2 * keys {
            return Err(format!("{kind}: {lookups} lookups instead of {}", FILES * 2 * keys));
        }
        let mismatches = u64::from(!status.success());
        Ok(Checked { kind, language: self.name, lookups, mismatches })
    }
}

/// Reads `c: 388 hashes, 40 positions, 2 files, 400000 lookups, …`.
fn lookups_in(line: &str) -> Option<u64> {
    line.split(", ").find_map(|part| part.strip_suffix(" lookups")?.parse().ok())
}

/// Adds lines, and a heading to a new file.
fn record(workspace: &Workspace, keys: u64, checked: &[Checked]) -> Result<(), String> {
    let said = |call: Call| -> Result<String, String> {
        Ok(String::from_utf8_lossy(&call.output(workspace)?.stdout).trim().to_owned())
    };
    let date = said(Call::program("date").args(["-u", "+%F"]))?;
    let mut commit = said(Call::program("git").args(["rev-parse", "--short", "HEAD"]))?;
    // Records of the same run do not count as changes.
    let changed = ["status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/records"];
    if !said(Call::program("git").args(changed))?.is_empty() {
        commit += "-dirty";
    }
    let path = workspace.root.join(RECORD);
    let mut text = if path.exists() { String::new() } else { format!("{HEADING}\n") };
    for Checked { kind, language, lookups, mismatches } in checked {
        text += &format!("{date},{commit},{kind},{language},{keys},{lookups},{mismatches}\n");
    }
    let file = fs::File::options().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| format!("{RECORD}: cannot write: {error}"))
}

fn compile_c(workspace: &Workspace, sources: &[String]) -> Call {
    Call::program("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(sources)
        .args(["-o", &workspace.path(C_PROGRAM)])
}

fn compile_java(_: &Workspace, sources: &[String]) -> Call {
    Call::program("javac").args(["-Xlint:all", "-d", CLASSES]).args(sources)
}

fn python(name: &str) -> Call {
    let check = Call::program("python3").args([format!("{KIT}/readers/python/{name}.py")]);
    check.env("PYTHONDONTWRITEBYTECODE", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: &str) -> Option<(u64, Vec<&'static str>, Vec<&'static str>)> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        let asked = Asked::read(&args).ok()?;
        let languages = asked.languages.iter().map(|language| language.name);
        Some((asked.keys, languages.collect(), asked.kinds))
    }

    #[test]
    fn all_is_run_unless_some_is_named() {
        let all = LANGUAGES.iter().map(|language| language.name).collect();
        assert_eq!(asked(""), Some((100_000, all, KINDS.to_vec())));
        assert_eq!(asked("--keys 7 go ribbon Java"), Some((7, vec!["Go", "Java"], vec!["ribbon"])));
        for wrong in ["--keys", "--keys 0", "--keys many", "cobol", "--many"] {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_lookups_of_a_reader_are_read_from_its_last_line() {
        let line = "go: 388 hashes, 2 files, 400000 lookups, 68 refused: all as expected";
        assert_eq!(lookups_in(line), Some(400_000));
        assert_eq!(lookups_in("go: files/open.anther: got no, expected maybe"), None);
    }
}
