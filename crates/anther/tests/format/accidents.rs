//! Truncations, flipped bits, trailing bytes, other files.

use super::*;

#[test]
fn every_truncation_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        for len in 0..bytes.len() {
            let ways = if len % 61 == 0 || len < 20 { &Way::ALL[..] } else { &Way::QUICK };
            for &way in ways {
                match load(way, Open::new(), &bytes[..len], &path) {
                    Err(LoadError::NotAnther) => assert_eq!(len, 0, "{kind}, {way:?}"),
                    Err(LoadError::Truncated { expected, got }) => {
                        assert_eq!(got, len as u64, "{kind}, {way:?}");
                        assert!((len as u64) < expected && expected <= bytes.len() as u64);
                    }
                    other => panic!("{kind}, {way:?}, {len} bytes: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.anther");
    for &kind in Kind::ALL {
        let (_, _, mut bytes) = sample(kind);
        let cells = cells(&bytes);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let ways = if bit % 509 == 0 { &Way::ALL[..4] } else { &Way::QUICK };
            for &way in ways {
                let error = load(way, Open::new(), &bytes, &path).unwrap_err();
                assert!(!matches!(error, LoadError::Io(_)), "{kind}, {way:?}, {bit}: {error}");
                if cells.iter().any(|cells| cells.contains(&(bit / 8))) {
                    let LoadError::Checksum { part, .. } = &error else { panic!("{error}") };
                    assert!(part.starts_with("section "), "{kind}, {way:?}, {bit}: {error}");
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// Mapping does not read plain cells, so it cannot detect damage there, as the documentation of
/// `map` says; `file` does. It detects everything else.
#[test]
fn mapping_detects_all_damage_outside_the_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.anther");
    for &kind in Kind::ALL {
        let (_, filter, mut bytes) = sample(kind);
        let cells = cells(&bytes);
        let coded = Forged::of(&bytes).sections.iter().any(|section| section.1 == CODED);
        for bit in 0..bytes.len() * 8 {
            let section = cells.iter().find(|cells| cells.contains(&(bit / 8)));
            if section.is_some() && bit % 509 != 0 {
                continue;
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
            match load(Way::Map, Open::new(), &bytes, &path) {
                Ok(loaded) => {
                    assert!(
                        section.is_some() && !coded && loaded != filter,
                        "{kind}: bit {bit} unnoticed"
                    );
                }
                // Ones beyond the last bit are detected even there, and all damage to coded rows. A
                // kind whose cells are a structure rejects an inconsistent one.
                Err(error) => {
                    assert!(
                        coded
                            || section.is_none_or(|cells| bit / 8 + 8 >= cells.end)
                            || kind == Kind::Quotient && matches!(error, LoadError::Section { .. }),
                        "{kind}: {error}"
                    )
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_trailing_byte_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        for tail in [&[0][..], &[1], &[0; 64], &bytes] {
            let long = [&bytes[..], tail].concat();
            for way in Way::ALL {
                let error = load(way, Open::new(), &long, &path).unwrap_err();
                let LoadError::Trailing { expected } = error else { panic!("{way:?}: {error}") };
                assert_eq!(expected, bytes.len() as u64);
            }
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    for bytes in [&b""[..], b"\n", b"hello", b"\x89PNG\r\n\x1A\n", &[0; 1000], &[0xFF; 64]] {
        for way in Way::ALL {
            let error = load(way, Open::new(), bytes, &path).unwrap_err();
            assert!(matches!(error, LoadError::NotAnther), "{way:?}: {error}");
        }
    }
    for result in [Open::new().file::<AnyFilter>(folder.path()), map(Open::new(), folder.path())] {
        assert!(matches!(result, Err(LoadError::Io(_))), "a folder");
    }
    let missing = folder.path().join("missing");
    for result in [Open::new().file::<AnyFilter>(&missing), map(Open::new(), &missing)] {
        assert!(matches!(result, Err(LoadError::Io(error)) if error.kind() == ErrorKind::NotFound));
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::ConnectionReset.into())
        }
    }
    let (_, _, bytes) = sample(Kind::Blocked);
    for len in [0, 20, 500, bytes.len()] {
        let result = Open::new().reader::<AnyFilter>(bytes[..len].chain(Broken));
        assert!(matches!(result, Err(LoadError::Io(_))), "{len}");
    }
}

/// Verifying a file finds what opening it finds.
#[test]
fn verifying_finds_what_opening_finds() {
    let verify = |bytes: &[u8]| Open::new().without_hashing().bytes::<Verified>(bytes);
    let open = |bytes: &[u8]| Open::new().without_hashing().bytes::<AnyFilter>(bytes);
    for &kind in Kind::ALL {
        let (_, _, mut bytes) = sample(kind);
        let found = verify(&bytes).unwrap();
        assert_eq!(found.tag, Tag::Filter(kind));
        assert_eq!(found.sections, Forged::of(&bytes).sections.len(), "{kind}");
        for at in 0..bytes.len() {
            bytes[at] ^= 0x20;
            let (ours, theirs) = (verify(&bytes).unwrap_err(), open(&bytes).unwrap_err());
            assert_eq!(ours.to_string(), theirs.to_string(), "{kind}, byte {at}");
            bytes[at] ^= 0x20;
        }
        for len in 0..bytes.len() {
            assert!(verify(&bytes[..len]).is_err(), "{kind}, {len} bytes");
        }
    }
    // Forged fields under valid checksums.
    let (_, _, bytes) = sample(Kind::Classic);
    let mut forged = Forged::of(&bytes);
    forged.fields.push((b"more".to_vec(), 1, [0; 8]));
    assert!(matches!(verify(&forged.sealed()), Err(LoadError::Unknown { .. })));
}
