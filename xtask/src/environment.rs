//! What tests need beside what cargo compiles: virtual environments of Python, and packages.

use crate::call::Call;
use crate::packages::{self, Package};
use crate::step::Step;
use crate::workspace::Workspace;

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
