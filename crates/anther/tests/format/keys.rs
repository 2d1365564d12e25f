//! Secret keys: right, wrong and missing.

use super::*;

#[test]
fn a_filter_opens_with_its_own_key() {
    let (key, other) = ([3; 16], [4; 16]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keyed.anther");
    for &kind in Kind::ALL {
        let file = |seed| bytes_of(&filled(kind, 10, 0.01, seed, &Random::new(103).hashes(10)));
        let (keyed, open, external) =
            (file(Seed::keyed(key)), file(Seed::FIXED), file(Seed::EXTERNAL));
        for way in Way::ALL {
            let load = |how: Open, bytes: &[u8]| load(way, how, bytes, &path);
            let blind = Open::new().without_hashing();
            let loaded = load(Open::new().key(key), &keyed).unwrap();
            assert!(loaded.seed().can_hash() && loaded.contains("some key") == Ok(false));
            assert!(matches!(load(Open::new().key(other), &keyed), Err(LoadError::WrongKey)));
            assert!(matches!(load(blind.key(other), &keyed), Err(LoadError::WrongKey)));
            assert!(matches!(load(Open::new(), &keyed), Err(LoadError::KeyNeeded)));
            assert!(matches!(load(Open::new().key(key), &open), Err(LoadError::NotKeyed)));
            let strict_again = Open::new().key_if_keyed(key).key(key);
            assert!(matches!(load(strict_again, &open), Err(LoadError::NotKeyed)));
            assert!(matches!(load(Open::new().key(key), &external), Err(LoadError::NotKeyed)));
            assert!(matches!(load(Open::new(), &external), Err(LoadError::ExternalHashes)));
            for (bytes, hashes) in [(&keyed, false), (&open, true), (&external, false)] {
                let described = load(blind, bytes).unwrap();
                assert_eq!(described.seed().can_hash(), hashes);
                assert_eq!(bytes_of(&described), *bytes, "{kind}: the check value stays");
            }
        }
        // Opened without its key, it still merges with filters of the same key.
        if !kind.capabilities().merge {
            continue;
        }
        let mut one: AnyFilter = Open::new().without_hashing().bytes(&keyed).unwrap();
        let like = Open::new().without_hashing().bytes(&keyed).unwrap();
        assert_eq!(one.merge(&like).is_ok(), kind.capabilities().merge, "{kind}");
        assert!(Open::new().key(key).bytes::<AnyFilter>(&bytes_of(&one)).is_ok());
    }
}

#[test]
#[should_panic(expected = "opened without its secret key")]
fn a_locked_filter_does_not_hash() {
    let bytes = bytes_of(&empty(Kind::Blocked, 10, 0.01, Seed::keyed([3; 16])));
    let _ = Open::new().without_hashing().bytes::<AnyFilter>(&bytes).unwrap().contains("key");
}
