//! Programs and libraries that Debian has as packages, installed where something is missing.

use std::env;
use std::path::Path;

use crate::call::Call;
use crate::workspace::Workspace;

/// A package, and what it is known by: a file, or the name of a program to find on the path.
pub type Package = (&'static str, &'static str);

/// Installs what is missing with apt-get, after the calls that prepare it; an error names what
/// could not be installed.
pub fn install(
    workspace: &Workspace,
    packages: &[Package],
    prepare: impl IntoIterator<Item = Call>,
) -> Result<(), String> {
    let wanted = missing(packages);
    if wanted.is_empty() {
        return Ok(());
    }
    let update = Call::program("apt-get").args(["update", "--quiet"]);
    let install = Call::program("apt-get")
        .args(["install", "--yes", "--quiet", "--no-install-recommends"])
        .args(wanted)
        .env("DEBIAN_FRONTEND", "noninteractive");
    for call in prepare.into_iter().chain([update, install]) {
        println!("== {call}");
        // What is still missing afterwards says more than an exit code.
        if let Err(why) = call.run(workspace) {
            println!("{why}");
        }
    }
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "could not install {}; needs Debian 12 or later, its package servers, and root.",
        missing.join(", ")
    ))
}

fn missing(packages: &[Package]) -> Vec<&'static str> {
    packages.iter().filter(|(_, known_by)| !is_there(known_by)).map(|(name, _)| *name).collect()
}

fn is_there(known_by: &str) -> bool {
    if known_by.contains('/') {
        return Path::new(known_by).exists();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(known_by).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_known_by_its_file_or_program() {
        let packages = [("a", "/"), ("b", "/no/such/file"), ("c", "sh"), ("d", "no-such-program")];
        assert_eq!(missing(&packages), ["b", "d"]);
    }
}
