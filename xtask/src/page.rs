//! The page of `anther lab` in a real browser. Its server is tested in the stage `core`.

use crate::call::Call;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::{Need, Step};
use crate::workspace::Workspace;
use std::fs;

const TESTS: &str = "crates/anther-lab/tests/browser";
/// Where npm installs, and where screenshots are kept.
const TARGET: &str = "target/page";
/// What npm installs: playwright-core, in one version.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];
const CHROMIUM: &str = "/usr/bin/chromium";

const PROGRAMS: [Package; 3] = [("chromium", CHROMIUM), ("nodejs", "node"), ("npm", "npm")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, PROGRAMS);
    vec![
        // As the stage `core` builds it for the tour, and as people use it: times are real ones.
        Step::new("program with its page", Call::cargo(["build", "--release", "--locked"])),
        install(workspace).unless(missing.as_ref()),
        tests(workspace).needs(installed(workspace)).unless(missing.as_ref()),
    ]
}

/// The library that drives the browser, without the browsers of its own.
fn install(workspace: &Workspace) -> Step {
    // If this fails, npm says so better than we could.
    let _ = fs::create_dir_all(workspace.root.join(TARGET));
    for name in MANIFESTS {
        let [from, to] = [TESTS, TARGET].map(|folder| workspace.root.join(folder).join(name));
        let _ = fs::copy(from, to);
    }
    let call = Call::program("npm")
        .args(["ci", "--prefix", TARGET, "--no-audit", "--no-fund", "--prefer-offline"])
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    Step::install("playwright-core installed", call)
}

fn tests(workspace: &Workspace) -> Step {
    let call = Call::program("node")
        .args(["--test", "--test-reporter", "tap"])
        .args(files(workspace))
        .env("ANTHER", workspace.built("../release/anther"))
        .env("CHROMIUM", CHROMIUM);
    Step::node_test("page in Chromium", call)
}

/// The files of tests by name: what `node --test` makes of a folder depends on its version.
fn files(workspace: &Workspace) -> Vec<String> {
    let files = fs::read_dir(workspace.root.join(TESTS)).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let mut paths: Vec<String> = names
        .filter(|name| name.ends_with(".test.mjs"))
        .map(|name| format!("{TESTS}/{name}"))
        .collect();
    paths.sort();
    paths
}

fn installed(workspace: &Workspace) -> Need {
    let package = workspace.path(&format!("{TARGET}/node_modules/playwright-core"));
    let probe =
        format!("require({package:?}); process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)");
    Need {
        missing: "needs playwright-core from npm, and Node 20 or later".to_owned(),
        probe: Call::program("node").args(["-e", &probe]),
    }
}
