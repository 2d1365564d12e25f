//! The C interface: a workspace of its own, with examples in C, C++ and Go that its tests compile.

use crate::crate_apart::{CrateApart, missing_after_installing};
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

const CRATE: CrateApart =
    CrateApart { name: "C interface", manifest: "crates/anther-c/Cargo.toml", target: "target/c" };

/// What compiles the examples, and what looks for leaks in them.
const COMPILERS: [Package; 4] =
    [("gcc", "cc"), ("g++", "c++"), ("golang-go", "go"), ("valgrind", "valgrind")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, COMPILERS);
    vec![
        CRATE.formatting(),
        CRATE.clippy(),
        CRATE.rustdoc(),
        CRATE.tests().unless(missing.as_ref()),
    ]
}
