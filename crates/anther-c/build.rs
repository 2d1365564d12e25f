//! Gives the shared library its name for the linker: programs ask for the ABI that they were
//! linked with.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libanther_c.so.1");
    }
}
