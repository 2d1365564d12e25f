//! How much memory there is, so that a table too large for it ends with a message, and not with the
//! system ending the program.

use std::fs;
use std::path::Path;

/// The bytes that can still be used, if the system tells: the machine's, or those of the group that
/// a container's limit is for.
pub fn memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    [machine, of_group(Path::new("/sys/fs/cgroup"))].into_iter().flatten().min()
}

fn of_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The limit less what is used; page cache is used, too, but gives way.
fn of_group(folder: &Path) -> Option<u64> {
    let number =
        |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number("memory.max")?;
    let stat = fs::read_to_string(folder.join("memory.stat")).ok()?;
    let anon = stat.lines().find_map(|line| line.strip_prefix("anon "))?.parse::<u64>().ok()?;
    Some(limit.saturating_sub(anon))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_system() {
        let text = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(of_machine(text), Some(23_000_000 * 1024));
        assert_eq!(of_machine("MemTotal: 5 kB\n"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(of_group(folder.path()), None);
        fs::write(folder.path().join("memory.max"), "max\n").unwrap();
        fs::write(folder.path().join("memory.stat"), "anon 3000\nfile 9000\n").unwrap();
        assert_eq!(of_group(folder.path()), None, "no limit");
        fs::write(folder.path().join("memory.max"), "10000\n").unwrap();
        assert_eq!(of_group(folder.path()), Some(7000));
    }
}
