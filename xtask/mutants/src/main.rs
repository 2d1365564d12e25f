//! Breaks the library in small ways, one at a time, and looks for the test that notices.
//!
//! `cargo xtask mutants` installs cargo-mutants, which lists the mutants, and calls this with the
//! list. A sample of each folder is compiled at once, each mutant behind a switch ([`switch`]).
//! Every test runs once to see which mutants it reaches. Then each mutant is turned on, for the
//! tests that reach it, the fastest first, until one fails.

mod compile;
mod guard;
mod list;
mod record;
mod sandbox;
mod switch;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use guard::{Fate, Runner};
use list::Mutant;
use record::{Explanations, Report};
use tree::Tree;

/// What to run.
struct Options {
    list: PathBuf,
    each: usize,
    seed: u64,
    record: bool,
    /// Only say whether the arguments are right.
    parse_only: bool,
}

fn main() -> ExitCode {
    let result = options(env::args().skip(1))
        .and_then(|options| if options.parse_only { Ok(true) } else { run(&options) });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("mutants: {message}");
            ExitCode::from(2)
        }
    }
}

fn options(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options =
        Options { list: PathBuf::new(), each: 40, seed: 1, record: false, parse_only: false };
    for arg in args {
        let number = |text: &str| {
            let number = text.parse::<u64>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("{arg}: needs a number from 1 on"))
        };
        match arg.split_once('=') {
            Some(("--list", path)) => options.list = path.into(),
            Some(("--each", count)) => {
                options.each = number(count)?.try_into().map_err(|_| format!("{arg}: too many"))?;
            }
            Some(("--seed", seed)) => options.seed = number(seed)?,
            _ if arg == "--record" => options.record = true,
            _ if arg == "--parse-only" => options.parse_only = true,
            _ => return Err(format!("`{arg}`: no such argument; --each=40, --seed=1, --record")),
        }
    }
    Ok(options)
}

/// Whether every survivor is explained.
fn run(options: &Options) -> Result<bool, String> {
    let own = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = own.join("../..").canonicalize().map_err(|error| error.to_string())?;
    let state = root.join("target/mutants");
    let json = fs::read_to_string(&options.list)
        .map_err(|error| format!("cannot read {}: {error}", options.list.display()))?;
    let (all, constants) = list::read(&json)?;
    let sample = list::sample(&all, options.each, options.seed);
    println!(
        "{} of {} mutants, seed {}; {constants} of constants are left out",
        sample.len(),
        all.len(),
        options.seed
    );
    let explanations = Explanations::read(&root)?;

    let mut numbered: BTreeMap<u32, &Mutant> = (1..).zip(&sample).collect();
    let mut unviable = Vec::new();
    let tree = loop {
        let tree = Tree::copy(&root, &state.join("tree"), &numbered)?;
        let wrong = compile::unviable(&tree, &state.join("build"))?;
        if wrong.is_empty() {
            break tree;
        }
        println!("{} mutants do not compile", wrong.len());
        unviable.extend(wrong.into_iter().filter_map(|number| numbered.remove(&number)));
    };
    let programs = compile::tests(&tree, &state.join("build"))?;
    let mut runner = Runner::new(tree.root.join("crates/anther"), &state)?;
    let tests = runner.tests(&programs)?;
    let names = numbered.iter().map(|(number, mutant)| (*number, mutant.name.as_str())).collect();
    let fates = runner.fates(&names, &tests)?;

    let fates: Vec<(&Mutant, Fate)> = fates
        .into_iter()
        .filter_map(|(number, fate)| Some((*numbered.get(&number)?, fate)))
        .collect();
    write_list(&state, &fates, &unviable)?;
    let report = Report::new(&fates, &unviable, &explanations);
    print!("{report}");
    if options.record {
        report.record(&root, options.seed)?;
    }
    Ok(report.is_explained())
}

/// Every mutant with the test that caught it, to look things up.
fn write_list(state: &Path, fates: &[(&Mutant, Fate)], unviable: &[&Mutant]) -> Result<(), String> {
    let mut text = String::new();
    for (mutant, fate) in fates {
        let fate = match fate {
            Fate::Caught(test) => format!("caught\t{test}"),
            Fate::TimedOut(test) => format!("timed out\t{test}"),
            Fate::Survived(tests) => format!("survived\t{tests} tests reach it"),
        };
        text += &format!("{}\t{}\t{fate}\n", mutant.name, mutant.line);
    }
    for mutant in unviable {
        text += &format!("{}\t{}\tdoes not compile\t\n", mutant.name, mutant.line);
    }
    let path = state.join("fates.tsv");
    fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
