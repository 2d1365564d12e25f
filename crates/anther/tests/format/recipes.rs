//! The section `recipe`: forged, corrupt, in places where it does not belong.

use super::*;
use crate::forgeries::rejected_or_harmless;
use anther::Iblt;
use anther::iblt::Integers;

/// Two columns of integers in CSV.
fn recipe() -> Recipe {
    let rule = KeyRule { form: KeyForm::Int, trim: true, parts: 2, ..KeyRule::default() };
    Recipe { rule, reach: None, place: csv(&["a", "bc"]) }
}

/// A small filter whose recipe is a section, its keys, and its file.
fn ruled(kind: Kind, recipe: Recipe) -> (Vec<KeyHash>, AnyFilter, Vec<u8>) {
    let (keys, mut filter, _) = sample(kind);
    filter.set_recipe(Some(recipe));
    let bytes = bytes_of(&filter);
    (keys, filter, bytes)
}

/// The bytes, as FORMAT.md says.
#[test]
fn the_section_is_as_documented() {
    for &kind in Kind::ALL {
        let (_, _, bytes) = ruled(kind, recipe());
        let forged = Forged::of(&bytes);
        assert!(forged.recipe.is_empty(), "{kind}: not in the header");
        let (name, encoding, len, section) = forged.sections.last().unwrap();
        let expected =
            b"\x02\x01\x02\x02,\0\x02\0\0\0\0\0\x01\x01\0\0\0a\x01\x02\0\0\0bc\0\0\0\0\0\0\0";
        assert_eq!((&name[..], *encoding, *len), (&b"recipe"[..], 0, 32), "{kind}");
        assert_eq!(section[..32], expected[..], "{kind}");
        assert_eq!(forged.sealed(), bytes, "{kind}");
    }
    let width = Format::Records(20.try_into().unwrap());
    let place = Place { format: width, ..Place::default() };
    let (_, _, bytes) = ruled(Kind::Blocked, Recipe { place, ..Recipe::default() });
    let (.., section) = Forged::of(&bytes).sections.pop().unwrap();
    assert_eq!(section[..16], *b"\0\0\x01\x06\0\0\0\0\x14\0\0\0\0\0\0\0");
}

#[test]
fn malformed_sections_are_named() {
    type Change = fn(&mut Forged);
    type Section = (Vec<u8>, u8, u64, Vec<u8>);
    fn section(file: &mut Forged) -> &mut Section {
        file.sections.last_mut().unwrap()
    }
    fn set(file: &mut Forged, at: usize, byte: u8) {
        section(file).3[at] = byte;
    }
    let cases: [(&str, Change); 23] = [
        ("duplicate section", |file| file.sections.push(file.sections.last().unwrap().clone())),
        ("unknown section encoding", |file| section(file).1 = CODED),
        ("invalid key recipe", |file| {
            section(file).2 = (1 << 16) + 8;
            section(file).3.resize((1 << 16) + 64, 0);
        }),
        ("invalid key recipe", |file| file.recipe = vec![0]),
        ("invalid key recipe", |file| file.sections.rotate_right(1)),
        ("invalid key recipe", |file| set(file, 0, 200)),
        ("too short", |file| set(file, 1, 8)),
        ("invalid key recipe", |file| set(file, 1, 16)),
        ("invalid key recipe", |file| set(file, 2, 0)),
        ("invalid key recipe", |file| set(file, 3, 7)),
        ("invalid key recipe", |file| set(file, 3, 3)),
        ("invalid key recipe", |file| set(file, 5, 3)),
        ("invalid key recipe", |file| set(file, 5, 16)),
        ("invalid key recipe", |file| set(file, 5, 32)),
        ("invalid key recipe", |file| set(file, 6, 1)),
        ("invalid key recipe", |file| set(file, 6, 200)),
        ("invalid key recipe", |file| set(file, 8, 1)),
        ("invalid key recipe", |file| set(file, 12, 2)),
        ("too short", |file| set(file, 15, 1)),
        ("invalid key recipe", |file| set(file, 17, 0xFF)),
        ("invalid key recipe", |file| set(file, 31, 1)),
        ("too short", |file| {
            section(file).2 = 0;
            section(file).3.clear();
        }),
        ("invalid key recipe", |file| {
            // What the header could hold: lines, as they are.
            section(file).2 = 16;
            section(file).3.fill(0);
            section(file).3[2] = 1;
        }),
    ];
    for &kind in Kind::ALL {
        let (keys, _, bytes) = ruled(kind, recipe());
        for (at, (expected, change)) in cases.iter().enumerate() {
            let mut forged = Forged::of(&bytes);
            change(&mut forged);
            match rejected_or_harmless(&forged.sealed(), &keys, expected) {
                Err(LoadError::Header(why)) => assert_eq!(why, *expected, "{kind}, case {at}"),
                other => panic!("{kind}, case {at}, {expected}: {other:?}"),
            }
        }
        // A recipe alone, without the cells.
        let mut forged = Forged::of(&bytes);
        let recipe = forged.sections.pop().unwrap();
        forged.sections = vec![recipe];
        let result = rejected_or_harmless(&forged.sealed(), &keys, "no cells");
        assert!(matches!(result, Err(LoadError::Missing { .. })), "{kind}: {result:?}");
    }
}

/// Every byte, under valid checksums.
#[test]
fn every_forged_byte_is_rejected_or_harmless() {
    for kind in [Kind::Blocked, Kind::Scalable] {
        let (keys, _, bytes) = ruled(kind, recipe());
        let original = Forged::of(&bytes);
        let mut accepted = 0;
        for at in 0..original.sections.last().unwrap().2 as usize {
            for byte in (0..9).chain([16, 32, b',', 64, 128, 255]) {
                let mut forged = original.clone();
                forged.sections.last_mut().unwrap().3[at] = byte;
                let what = format!("{kind}: byte {at} = {byte}");
                accepted += u32::from(rejected_or_harmless(&forged.sealed(), &keys, &what).is_ok());
            }
        }
        assert!(accepted > 30, "parts, delimiters and names are free: {accepted}");
    }
}

/// By every loader, and by a map too, which does not read the cells.
#[test]
fn a_corrupt_recipe_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corrupt.anther");
    for kind in [Kind::Blocked, Kind::Scalable, Kind::Compressed, Kind::Cuckoo] {
        let (_, filter, mut bytes) = ruled(kind, recipe());
        let section = cells(&bytes).pop().unwrap();
        for way in Way::ALL {
            assert_eq!(load(way, Open::new(), &bytes, &path).unwrap(), filter);
        }
        for bit in (section.start * 8..bytes.len() * 8).step_by(7) {
            bytes[bit / 8] ^= 1 << (bit % 8);
            for way in Way::ALL {
                let error = load(way, Open::new(), &bytes, &path).unwrap_err();
                if section.contains(&(bit / 8)) {
                    let LoadError::Checksum { part, .. } = &error else { panic!("{error}") };
                    assert_eq!(part, "section recipe");
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for len in section.start..bytes.len() {
            for way in Way::ALL {
                let error = load(way, Open::new(), &bytes[..len], &path).unwrap_err();
                assert!(matches!(error, LoadError::Truncated { .. }), "{kind}: {error}");
            }
        }
    }
}

#[test]
fn recipes_that_cannot_be_stored_are_errors() {
    let (_, mut filter, _) = sample(Kind::Blocked);
    let mut place = csv(&["a"]);
    let Format::Delimited { separator, .. } = &mut place.format else { panic!() };
    *separator = Separator::Nul;
    let rule = KeyRule { parts: 0, ..KeyRule::default() };
    for recipe in [Recipe { place, ..Recipe::default() }, Recipe { rule, ..Recipe::default() }] {
        filter.set_recipe(Some(recipe));
        assert!(matches!(filter.write_to(io::sink()), Err(SaveError::InvalidRecipe(_))));
    }
}

#[test]
fn an_iblt_has_no_such_section() {
    let mut table = Iblt::new(Integers, 10).unwrap();
    let mut bytes = Vec::new();
    table.write_to(&mut bytes).unwrap();
    let mut forged = Forged::of(&bytes);
    let (_, _, ruled) = ruled(Kind::Blocked, recipe());
    forged.sections.push(Forged::of(&ruled).sections.pop().unwrap());
    let bytes = forged.sealed();
    let unknown = |error| matches!(error, LoadError::Unknown { name } if name == "recipe");
    assert!(unknown(Open::new().bytes::<Iblt<Integers>>(&bytes).unwrap_err()));
    assert!(unknown(Open::new().bytes::<Verified>(&bytes).unwrap_err()));
    assert!(unknown(Open::new().bytes::<AnyFilter>(&bytes).unwrap_err()));
    table.set_recipe(Some(recipe()));
    assert!(matches!(table.write_to(io::sink()), Err(SaveError::InvalidRecipe(_))));
}
