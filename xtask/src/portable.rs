//! The program in `xtask/portable`, built for other processors and run under qemu-user.
//!
//! Debian has all that it takes as packages. Its compiler is called by its path, so rustup's
//! toolchain stays the one for everything else.

use std::process::ExitCode;

use crate::call::Call;
use crate::clock::Clock;
use crate::packages::{self, Package};
use crate::workspace::Workspace;
use crate::{Trouble, refuse_arguments};

/// A processor that we have no machine of.
struct Processor {
    target: &'static str,
    what: &'static str,
    linker: (&'static str, &'static str),
    runner: (&'static str, &'static str),
    /// Debian has no compiled standard library for it: cargo compiles that, too.
    builds_std: bool,
}

const PROCESSORS: [Processor; 2] = [
    Processor {
        target: "aarch64-unknown-linux-gnu",
        what: "little-endian, with NEON",
        linker: ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"),
        runner: (
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        ),
        builds_std: false,
    },
    Processor {
        target: "s390x-unknown-linux-gnu",
        what: "big-endian",
        linker: ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", "s390x-linux-gnu-gcc"),
        runner: (
            "CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-s390x -L /usr/s390x-linux-gnu",
        ),
        builds_std: true,
    },
];

const PACKAGES: [Package; 9] = [
    ("rustc-web", "/usr/bin/rustc"),
    ("cargo-web", "/usr/bin/cargo"),
    ("rust-web-src", "/usr/lib/rustlib/src"),
    ("libstd-rust-web-dev:arm64", "/usr/lib/rustlib/aarch64-unknown-linux-gnu"),
    ("gcc-aarch64-linux-gnu", "/usr/bin/aarch64-linux-gnu-gcc"),
    ("libc6-dev-arm64-cross", "/usr/aarch64-linux-gnu/include/stdlib.h"),
    ("gcc-s390x-linux-gnu", "/usr/bin/s390x-linux-gnu-gcc"),
    ("libc6-dev-s390x-cross", "/usr/s390x-linux-gnu/include/stdlib.h"),
    ("qemu-user", "/usr/bin/qemu-s390x"),
];

/// Installs what is missing, then builds and runs the program for each processor.
pub fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode, Trouble> {
    refuse_arguments("portable", args)?;
    let architecture = Call::program("dpkg").args(["--add-architecture", "arm64"]);
    packages::install(workspace, &PACKAGES, [architecture])
        .map_err(|message| Trouble::blocked(format!("portable: {message}")))?;
    let mut failed = 0;
    for processor in &PROCESSORS {
        let call = processor.call();
        println!("== {}, {}: {call}", processor.target, processor.what);
        let clock = Clock::start();
        let status = call.run(workspace).map_err(Trouble::blocked)?;
        let result = if status.success() { "passed" } else { "failed" };
        println!("== {}: {result} in {}\n", processor.target, clock.read());
        failed += usize::from(!status.success());
    }
    println!("{} passed, {failed} failed", PROCESSORS.len() - failed);
    Ok(crate::exit_code(failed == 0))
}

impl Processor {
    fn call(&self) -> Call {
        let mut call = Call::program("/usr/bin/cargo")
            .env("RUSTC", "/usr/bin/rustc")
            // Cargo's own would show Debian's compiler the libraries of rustup's.
            .env("LD_LIBRARY_PATH", "")
            .env(self.linker.0, self.linker.1)
            .env(self.runner.0, self.runner.1)
            .args(["run", "--quiet", "--release", "--locked", "--package", "portable"])
            .args(["--target", self.target, "--target-dir", "target/portable"])
            // Compiling costs more than running.
            .args(["--config", "profile.release.lto=false"])
            .args(["--config", "profile.release.codegen-units=16"]);
        if self.builds_std {
            call = call.env("RUSTC_BOOTSTRAP", "1").args(["-Zbuild-std=std,panic_abort"]);
        }
        call
    }
}
