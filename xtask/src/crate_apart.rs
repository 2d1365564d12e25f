//! Crates that are workspaces of their own: others need not have what they need.

use crate::call::Call;
use crate::packages::{self, Package};
use crate::stages::{clippy_driver, rustfmt};
use crate::step::Step;
use crate::workspace::Workspace;

/// A crate beside the workspace, and where cargo puts what it builds: in the root's folder, so that
/// one `cargo clean` takes all.
pub struct CrateApart {
    /// Its name in the names of steps.
    pub name: &'static str,
    pub manifest: &'static str,
    pub target: &'static str,
}

impl CrateApart {
    /// In release mode, whatever the verb: dependencies are compiled once.
    pub fn cargo(&self, verb: &str) -> Call {
        Call::cargo([verb, "--release", "--locked", "--manifest-path", self.manifest])
            .args(["--target-dir", self.target])
    }

    pub fn formatting(&self) -> Step {
        let call = Call::cargo(["fmt", "--check", "--manifest-path", self.manifest]);
        Step::new(format!("{} formatting", self.name), call).needs(rustfmt())
    }

    pub fn clippy(&self) -> Step {
        let call =
            self.cargo("clippy").args(["--all-targets", "--all-features", "--", "-D", "warnings"]);
        Step::new(format!("{} clippy", self.name), call).needs(clippy_driver())
    }

    pub fn rustdoc(&self) -> Step {
        let call = self.cargo("doc").args(["--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        Step::new(format!("{} rustdoc", self.name), call)
    }

    pub fn tests(&self) -> Step {
        let call = self.cargo("test").args(["--no-fail-fast"]);
        Step::cargo_test(format!("{} tests", self.name), call)
    }
}

/// The program for tests of other crates, which call it.
pub const PROGRAM: &str = "target/program/debug/anther";

/// Without what only its pictures need, and unoptimised: the filters of these tests are small.
pub fn program() -> Step {
    let call = Call::cargo(["build", "--locked", "--package", "anther-cli"]).args([
        "--no-default-features",
        "--target-dir",
        "target/program",
    ]);
    Step::new("program for other crates' tests", call)
}

/// A virtual environment of Python, in the root's target folder.
pub struct Environment {
    pub folder: &'static str,
    /// What pip installs in it: a file with versions.
    pub requirements: &'static str,
}

impl Environment {
    /// Debian keeps what makes environments in a package of its own.
    pub fn packages(workspace: &Workspace) -> impl Iterator<Item = Package> {
        let probe = Call::program("python3").args(["-m", "ensurepip", "--version"]);
        let venv =
            (!probe.succeeds(workspace)).then_some(("python3-venv", "/usr/share/doc/python3-venv"));
        [("python3", "python3")].into_iter().chain(venv)
    }

    /// The path of its interpreter.
    pub fn interpreter(&self, workspace: &Workspace) -> String {
        workspace.path(&format!("{}/bin/python", self.folder))
    }

    pub fn python(&self, workspace: &Workspace) -> Call {
        Call::program(self.interpreter(workspace)).env("PYTHONDONTWRITEBYTECODE", "1")
    }

    pub fn pip_install(&self, workspace: &Workspace) -> Call {
        self.python(workspace)
            .args(["-m", "pip", "install", "--quiet"])
            .args(["--disable-pip-version-check"])
    }

    /// Makes it and installs its requirements.
    pub fn steps(&self, workspace: &Workspace) -> [Step; 2] {
        let make = Call::program("python3").args(["-m", "venv", self.folder]);
        let fill = self.pip_install(workspace).args(["--requirement", self.requirements]);
        [
            Step::install(format!("{}: made", self.folder), make),
            Step::install(format!("{}: filled", self.folder), fill),
        ]
    }
}

/// Installs packages; what could not be installed, in words.
pub fn missing_after_installing(
    workspace: &Workspace,
    packages: impl IntoIterator<Item = Package>,
) -> Option<String> {
    let packages: Vec<Package> = packages.into_iter().collect();
    packages::install(workspace, &packages, []).err()
}
