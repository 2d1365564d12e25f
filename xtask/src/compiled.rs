//! What the stages run, compiled once: every crate of the workspace with the same features, in the profile of tests and
//! in one target folder. A call for one package alone would compile the library again, since its dependencies then have
//! other features; so calls name what they want by its target.

use std::path::Path;

use crate::call::Call;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// The program with all that it can have.
pub const PROGRAM: &str = "anther";
/// The module for Redis and Valkey.
pub const MODULE: &str = "libanther_redis.so";

/// Features that are off by default. They are tested with the rest; the tour runs the program as it is installed.
const FEATURES: &str = "anther/foreign,anther/serde,anther-cli/full";

/// Where Debian puts libclang.
const LIBCLANG: &str = "/usr/lib/llvm-14/lib/libclang.so";
/// What bindgen needs, for the module's description of the server's functions.
const FOR_THE_MODULE: [Package; 2] = [("clang-14", "clang-14"), ("libclang-14-dev", LIBCLANG)];

/// `--workspace`, without the module where nothing can read the server's header.
pub fn members() -> Vec<&'static str> {
    let mut args = vec!["--workspace"];
    if !Path::new(LIBCLANG).exists() {
        args.extend(["--exclude", "anther-redis"]);
    }
    args
}

/// Installs what the module is compiled with; what could not be installed, in words.
pub fn missing_for_the_module(workspace: &Workspace) -> Option<String> {
    missing_after_installing(workspace, FOR_THE_MODULE)
}

/// The programs, libraries and examples. Without the examples, which need the features of dependencies of tests, cargo
/// would compile the library a second time.
pub fn build() -> Step {
    let programs = ["anther", "anther-uses", "conformance", "crash"];
    let call = cargo("build", ["--profile", "test", "--lib", "--examples"]);
    let call = call.args(programs.iter().flat_map(|name| ["--bin", name]));
    Step::new("programs and libraries for the tests", call)
}

/// Tests, each of which counts: `wanted` are cargo's arguments, and those of the tests behind `--`.
pub fn tests<'a>(name: &str, wanted: impl IntoIterator<Item = &'a str>) -> Step {
    Step::cargo_test(name, test_call(wanted))
}

/// The call of [`tests`], for what its environment must say.
pub fn test_call<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Call {
    cargo("test", ["--no-fail-fast"]).args(wanted)
}

fn cargo<'a>(verb: &str, args: impl IntoIterator<Item = &'a str>) -> Call {
    Call::cargo([verb]).args(members()).args(["--features", FEATURES, "--locked"]).args(args)
}
