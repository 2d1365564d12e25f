//! Which file systems are on another machine.

use std::path::Path;

/// The name of the network file system that a path is on, if it is on one. There, changes that
/// other machines make are seen late, and locks may bind one machine only.
#[cfg(target_os = "linux")]
pub fn network(path: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(path).ok()?;
    // 32 bits everywhere, in a field whose type differs between machines.
    name_of(u32::try_from(i128::from(found.f_type) & 0xffff_ffff).ok()?)
}

#[cfg(not(target_os = "linux"))]
pub fn network(_: &Path) -> Option<&'static str> {
    None
}

/// By its number in `statfs`, see the manual page and `linux/magic.h`. FUSE may be local, but tells
/// nobody.
#[cfg(any(target_os = "linux", test))]
fn name_of(number: u32) -> Option<&'static str> {
    Some(match number {
        0x0000_6969 => "NFS",
        0x0000_517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x0102_1997 => "9P",
        0x00c3_6400 => "Ceph",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x7461_636f => "OCFS2",
        0x0116_1970 => "GFS2",
        0x6573_5546 => "FUSE",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_machines_are_known_by_their_numbers() {
        for (number, name) in [(0x6969, "NFS"), (0xff53_4d42, "SMB"), (0x6573_5546, "FUSE")] {
            assert_eq!(name_of(number), Some(name));
        }
        // ext4, tmpfs, XFS, Btrfs, overlayfs, ZFS.
        for local in [0xef53, 0x0102_1994, 0x5846_5342, 0x9123_683e, 0x794c_7630, 0x2fc1_2fc1] {
            assert_eq!(name_of(local), None);
        }
        assert_eq!(network(Path::new("/proc/self/exe/none")), None);
    }
}
