//! Where the numbers come from.

use std::fs;
use std::process::Command;

/// What must be known to compare two records, a line each.
pub fn describe() -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let flags =
        if cfg!(target_feature = "avx2") { "target-cpu=native" } else { "Cargo's defaults" };
    vec![
        format!("CPU: {}, {cores} cores", cpu().unwrap_or_else(|| "unknown".to_string())),
        format!("compiler: {}", rustc().unwrap_or_else(|| "unknown".to_string())),
        format!("flags: {flags}, release, thin LTO, one codegen unit"),
        format!("huge pages: {}", huge_pages().unwrap_or_else(|| "unknown".to_string())),
    ]
}

fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    // The name alone says little on rented machines: "AMD EPYC Processor".
    let [family, model] = ["cpu family", "model"].map(|name| field(name).unwrap_or_default());
    Some(format!("{} (family {family}, model {model})", field("model name")?))
}

fn rustc() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

fn huge_pages() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    Some(text.trim().to_string())
}
