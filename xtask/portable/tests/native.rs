//! The program on the machine at hand, so that a change of its lines is noticed without qemu.

#[test]
fn this_machine_reads_and_writes_the_same_files() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_portable")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
