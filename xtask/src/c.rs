//! The C interface, with examples in C, C++ and Go that its tests compile.

use crate::compiled;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// What compiles the examples, and what looks for leaks in them.
const COMPILERS: [Package; 5] = [
    ("gcc", "cc"),
    ("g++", "c++"),
    ("golang-go", "go"),
    ("pkg-config", "pkg-config"),
    ("valgrind", "valgrind"),
];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, COMPILERS);
    let wanted = ["--test", "header", "--test", "programs"];
    vec![compiled::tests("C interface tests", wanted).unless(missing.as_ref())]
}
