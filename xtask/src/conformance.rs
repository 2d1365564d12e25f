//! The readers of `conformance/readers`, each in its language: written from FORMAT.md alone, and
//! checked by the vectors.

use crate::call::Call;
use crate::crate_apart::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;
use std::fs;

/// Where compilers put what they make.
const TARGET: &str = "target/conformance";
const KIT: &str = "conformance";
const COMPILED: &str = ", compiled";

/// What follows the name of a step, and its command.
type Commands = Vec<(&'static str, Call)>;

/// A language: what it needs, and the commands that check its reader, each of which must succeed.
struct Language {
    name: &'static str,
    packages: &'static [Package],
    /// The ending of its sources, in the folder of its name in lower case.
    ending: &'static str,
    commands: fn(&Workspace, &[String]) -> Commands,
}

const LANGUAGES: [Language; 5] = [
    Language { name: "C", packages: &[("gcc", "cc")], ending: "c", commands: c },
    Language { name: "Go", packages: &[("golang-go", "go")], ending: "go", commands: go },
    Language {
        name: "Java",
        packages: &[("openjdk-17-jdk-headless", "javac"), ("openjdk-17-jre-headless", "java")],
        ending: "java",
        commands: java,
    },
    Language {
        name: "JavaScript",
        packages: &[("nodejs", "node")],
        ending: "mjs",
        commands: javascript,
    },
    Language {
        name: "Python",
        packages: &[("python3", "python3")],
        ending: "py",
        commands: python,
    },
];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    // If it fails, a compiler says so better than we could.
    let _ = fs::create_dir_all(workspace.root.join(TARGET));
    // Its tests are in the stage `core`, which optimises; this takes half the time.
    let vectors = Call::cargo(["run", "--quiet", "--locked", "--package", "conformance"]);
    let mut steps = vec![Step::new("vectors as the library writes them", vectors)];
    for language in &LANGUAGES {
        let missing = missing_after_installing(workspace, language.packages.iter().copied());
        let sources = language.sources(workspace);
        for (part, call) in (language.commands)(workspace, &sources) {
            let name = format!("reader in {}{part}", language.name);
            steps.push(Step::new(name, call).unless(missing.as_ref()));
        }
    }
    steps
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
}

fn c(workspace: &Workspace, sources: &[String]) -> Commands {
    let program = workspace.path(&format!("{TARGET}/check"));
    let compile = Call::program("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(sources)
        .args(["-o", &program]);
    vec![(COMPILED, compile), ("", Call::program(program).args([KIT]))]
}

fn go(_: &Workspace, sources: &[String]) -> Commands {
    vec![("", Call::program("go").args(["run"]).args(sources).args([KIT]))]
}

fn java(_: &Workspace, sources: &[String]) -> Commands {
    let classes = format!("{TARGET}/java");
    let compile = Call::program("javac").args(["-Xlint:all", "-d", &classes]).args(sources);
    vec![(COMPILED, compile), ("", Call::program("java").args(["-cp", &classes, "Check", KIT]))]
}

fn javascript(_: &Workspace, _: &[String]) -> Commands {
    vec![("", Call::program("node").args([format!("{KIT}/readers/javascript/check.mjs")]))]
}

/// Python alone has all kinds, to check what FORMAT.md says of each.
fn python(_: &Workspace, _: &[String]) -> Commands {
    let check = |name: &str| {
        let check = Call::program("python3").args([format!("{KIT}/readers/python/{name}.py")]);
        check.env("PYTHONDONTWRITEBYTECODE", "1")
    };
    vec![
        ("", check("check")),
        (", all kinds", check("check_all_kinds")),
        (", sketches", check("check_sketches")),
    ]
}
