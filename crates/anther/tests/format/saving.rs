//! A failed save leaves the old file.

use super::*;

#[test]
fn a_failed_save_leaves_the_old_file_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    for &kind in Kind::ALL {
        let (_, filter, bytes) = sample(kind);
        filter.save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);

        // Not a folder, a missing folder, below a file, a header that is too large.
        let io = |result: Result<(), SaveError>| assert!(matches!(result, Err(SaveError::Io(_))));
        io(filter.save(folder.path()));
        io(filter.save(folder.path().join("missing").join("filter.anther")));
        io(filter.save(path.join("below")));
        io(filter.save(""));
        let mut long = filter.clone();
        let name = "x".repeat(1 << 16);
        let header = column(Column::Name(name.clone()), b',', Separator::Line);
        for place in [header, csv(&[&name]), csv(&vec!["x"; 1 << 17])] {
            long.set_recipe(Some(Recipe { place, ..Recipe::default() }));
            assert!(matches!(long.save(&path), Err(SaveError::Recipe)));
            assert!(matches!(long.write_to(io::sink()), Err(SaveError::Recipe)));
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "{kind}: the old file is unchanged");
        assert_eq!(names(), ["filter.anther"], "{kind}: nothing beside it");

        // Over itself, and over a file that is not a filter.
        fs::write(&path, "something else").unwrap();
        filter.save(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(names(), ["filter.anther"]);
    }
}

/// A folder without write permission. Root ignores permissions, so the test has no effect there.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    let (_, filter, bytes) = sample(Kind::Blocked);
    filter.save(&path).unwrap();
    let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let superuser = fs::write(folder.path().join("probe"), "").is_ok();
    let result = filter.save(&path);
    mode(0o755);
    if superuser {
        fs::remove_file(folder.path().join("probe")).unwrap();
    } else {
        let Err(SaveError::Io(error)) = result else { panic!("{result:?}") };
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A stream that fails at any byte is an error, also when a buffer hides it until the end.
#[test]
fn a_full_stream_is_an_error() {
    struct Room(usize);
    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(self.0).min(100);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for &kind in Kind::ALL {
        let (_, filter, bytes) = sample(kind);
        for room in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
            for result in [filter.write_to(Room(room)), filter.write_to(BufWriter::new(Room(room)))]
            {
                let Err(SaveError::Io(error)) = result else { panic!("{kind}: {result:?}") };
                assert_eq!(error.kind(), ErrorKind::StorageFull, "{kind}, {room}");
            }
        }
        filter.write_to(BufWriter::new(Room(bytes.len()))).unwrap();
    }
    if cfg!(target_os = "linux") {
        let (_, filter, _) = sample(Kind::Classic);
        let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert!(matches!(filter.write_to(full()), Err(SaveError::Io(_))));
        assert!(matches!(filter.write_to(BufWriter::new(full())), Err(SaveError::Io(_))));
        assert!(matches!(filter.save("/dev/full"), Err(SaveError::Io(_))), "not a regular file");
    }
}
