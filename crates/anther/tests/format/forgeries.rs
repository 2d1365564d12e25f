//! Forged files with valid checksums.

use super::*;

/// The values to which every number is forged.
pub fn numbers() -> Vec<u64> {
    let mut numbers =
        vec![0, 1, 2, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 63, u64::MAX - 1, u64::MAX];
    let reals =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0, 1.0, 0.5, -1.0, 0.0, -0.0, 1e-300];
    numbers.extend(reals.map(f64::to_bits));
    numbers
}

/// Loads a forged file in every way, one in four from disk. Where it is accepted it must be
/// harmless: all keys are found, its profile is meaningful, it accepts a key, and it can be saved
/// and read back.
///
/// A filter built with another seed, or with fewer probes than it claims, cannot be detected;
/// anyone who can write the file can also write another filter. A checksum is not a signature.
pub fn rejected_or_harmless(bytes: &[u8], keys: &[KeyHash], what: &str) -> Result<(), LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.anther");
    let mut results = Vec::new();
    let on_disk = XxHash3_64::oneshot(bytes).is_multiple_of(4);
    for &way in if on_disk { &Way::ALL[..] } else { &Way::QUICK } {
        let result = load(way, Open::new().without_hashing(), bytes, &path);
        if let Ok(filter) = &result {
            // Other kinds cannot detect a forged rule or counter width.
            let plain = PLAIN.contains(&filter.kind());
            if plain {
                assert_eq!(count_found(filter, keys.iter().copied()), keys.len() as u64, "{what}");
            }
            let profile = filter.profile();
            assert!((0.0..=1.0).contains(&profile.fpr_now), "{what}: {profile:?}");
            assert!((0.0..=1.0).contains(&profile.fill), "{what}: {profile:?}");
            assert!(
                profile.items.is_none_or(|items| items.items.is_finite()),
                "{what}: {profile:?}"
            );
            profile.is_overfull();
            let mut changed = filter.clone();
            for key in [KeyHash(1), KeyHash(2)] {
                let Some(insert) = changed.as_insert() else { continue };
                let taken = insert.insert_hash(key);
                assert!(taken.is_ok() || filter.kind().capabilities().fills_up, "{what}");
                assert!(changed.contains_hash(key) || taken.is_err(), "{what}");
            }
            if plain {
                changed.merge(filter).unwrap();
            }
            let again: AnyFilter =
                Open::new().without_hashing().bytes(&bytes_of(&changed)).unwrap();
            assert_eq!(again, changed, "{what}");
        }
        assert!(!matches!(result, Err(LoadError::Io(_))), "{what}: {result:?}");
        results.push(result);
    }
    let accepted = results.iter().filter(|result| result.is_ok()).count();
    assert!(accepted == 0 || accepted == results.len(), "{what}: the loaders disagree");
    results.swap_remove(0).map(|_| ())
}

#[test]
fn forged_fields_are_rejected_or_harmless() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        for (name, _, value) in &original.fields {
            let name = str::from_utf8(name).unwrap();
            let mut refused = 0;
            for number in numbers().into_iter().filter(|number| number.to_le_bytes() != *value) {
                let forged = original.with_field(name, number).sealed();
                let what = format!("{kind}: {name} = {number:#x}");
                let result = rejected_or_harmless(&forged, &keys, &what);
                match (name, result) {
                    // The number of inserts: any is possible, and no answer depends on it.
                    ("inserted", result) => assert!(result.is_ok(), "{what}: {result:?}"),
                    ("target.items", result) => {
                        let possible = (1..=Target::MAX_ITEMS).contains(&number);
                        assert_eq!(result.is_ok(), possible, "{what}: {result:?}");
                    }
                    ("target.fpr", result) => {
                        let possible = (1e-18..1.0).contains(&f64::from_bits(number));
                        assert_eq!(result.is_ok(), possible, "{what}: {result:?}");
                    }
                    // Fewer probes than there were cause more false positives, never false
                    // negatives.
                    ("probes", Ok(())) if PLAIN.contains(&kind) => {
                        assert!(number == 1 || number == 2, "{what}");
                    }
                    (_, Ok(())) => assert!(!PLAIN.contains(&kind), "{what}: accepted"),
                    // Layers of a kind that exists, but has other fields.
                    ("over", Err(LoadError::Missing { .. })) => {
                        assert!(Kind::from_tag(number as u16).is_some(), "{what}");
                    }
                    (_, Err(error)) => {
                        refused += 1;
                        assert!(
                            matches!(error, LoadError::Field { .. } | LoadError::Section { .. }),
                            "{what}: {error:?}"
                        );
                    }
                }
            }
            let free = name == "inserted" || name.starts_with("target");
            assert!(refused > 10 || free || !PLAIN.contains(&kind), "{name}");
        }
    }
}

/// The field that says by which hash, beside hash 2 and no other.
#[test]
fn the_field_of_parquets_hash_is_1() {
    let keys = Random::new(7).hashes(100);
    let original = filled(Kind::Split, 100, 0.01, Seed::XXH64, &keys);
    let original = Forged::of(&bytes_of(&original));
    let is_xxh64 = |bytes: &[u8]| {
        let filter = Open::new().bytes::<AnyFilter>(bytes)?;
        Ok::<_, LoadError>(*filter.seed() == Seed::XXH64)
    };
    assert!(is_xxh64(&original.sealed()).unwrap());
    for number in numbers().into_iter().filter(|number| *number != 1) {
        let forged = original.with_field("xxh64", number).sealed();
        let error = rejected_or_harmless(&forged, &keys, &format!("xxh64 = {number:#x}"));
        assert!(matches!(error, Err(LoadError::Field { name: "xxh64", .. })), "{error:?}");
    }
    // As a number with a fraction.
    let mut forged = original.clone();
    let at = forged.fields.iter().position(|(name, ..)| name == b"xxh64").unwrap();
    forged.fields[at].1 = 2;
    assert!(matches!(is_xxh64(&forged.sealed()), Err(LoadError::Field { name: "xxh64", .. })));
    // Without it, hashes are made elsewhere.
    forged.fields.remove(at);
    assert!(matches!(is_xxh64(&forged.sealed()), Err(LoadError::ExternalHashes)));
    // Beside a seed, a secret key, and a hash that does not exist.
    for hash in [0, 1, 3] {
        let mut forged = original.clone();
        forged.fixed[16] = hash;
        let error = rejected_or_harmless(&forged.sealed(), &keys, &format!("hash {hash}"));
        assert!(matches!(error, Err(LoadError::Header(_))), "{error:?}");
    }
}

/// The numbers of a ring limit each other, and its bits have the size that they say.
#[test]
fn forged_rings_are_rejected() {
    let (keys, filter, bytes) = sample(Kind::Aging);
    let AnyFilter::Aging(aging) = &filter else { unreachable!("{filter:?}") };
    let (ring, original) = (aging.ring(), Forged::of(&bytes));
    let slices = u64::from(ring.slices());
    let forge = |name: &str, number: u64| {
        let forged = original.with_field(name, number).sealed();
        rejected_or_harmless(&forged, &keys, &format!("{name} = {number}"))
    };
    for (name, most) in [("newest", slices - 1), ("arrivals", ring.inserts)] {
        assert!(forge(name, 0).is_ok() && forge(name, most).is_ok(), "{name}");
        let beyond = forge(name, most + 1);
        assert!(matches!(beyond, Err(LoadError::Field { .. })), "{name}: {beyond:?}");
    }
    assert!(forge("inserts", Target::MAX_ITEMS).is_ok());
    for (name, number) in [
        ("inserts", Target::MAX_ITEMS + 1),
        ("inserts", 0),
        ("generations", 0),
        ("generations", 1025),
        ("probes", 0),
        ("probes", 65),
        ("slice.bits", 0),
        ("slice.bits", (1 << 46) / slices + 1),
    ] {
        let result = forge(name, number);
        assert!(matches!(result, Err(LoadError::Field { .. })), "{name} = {number}: {result:?}");
    }
    // As large as a file may say, and more words than it has.
    for (name, number) in
        [("slice.bits", (1 << 46) / slices), ("generations", 1024), ("probes", 64)]
    {
        let result = forge(name, number);
        assert!(matches!(result, Err(LoadError::Section { .. })), "{name} = {number}: {result:?}");
    }
}

/// The layers of a cascade have as many keys as it says, and the second is a map to one bit.
#[test]
fn forged_cascades_are_rejected() {
    let (keys, _, bytes) = sample(Kind::Cascade);
    let original = Forged::of(&bytes);
    let forge = |name: &str, number: u64| {
        let forged = original.with_field(name, number).sealed();
        rejected_or_harmless(&forged, &keys, &format!("{name} = {number}"))
    };
    let members = keys.len() as u64;
    assert!(forge("others", 0).is_ok() && forge("others", u64::MAX).is_ok());
    assert!(forge("items", members).is_ok() && forge("1.items", members).is_ok());
    for (name, number) in [
        ("layers", 0),
        ("layers", 3),
        ("items", 0),
        ("items", members + 1),
        ("items", u64::MAX),
        ("0.items", members - 1),
        ("1.items", members - 1),
        ("0.columns", 61),
    ] {
        let result = forge(name, number);
        assert!(matches!(result, Err(LoadError::Field { .. })), "{name} = {number}: {result:?}");
    }
    // The filter alone is no map, and its own fields are left over.
    assert!(forge("layers", 1).is_err());
    for (name, number) in [("1.columns", 0), ("1.columns", 2), ("0.shards", 0), ("1.shards", 9)] {
        assert!(forge(name, number).is_err(), "{name} = {number}");
    }
}

/// A number where another type of number belongs, and invalid types.
#[test]
fn forged_types_are_rejected() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        for field in 0..original.fields.len() {
            for forged_type in (0..=255).filter(|forged| *forged != original.fields[field].1) {
                let mut forged = original.clone();
                forged.fields[field].1 = forged_type;
                let what = format!("{kind}: field {field} of type {forged_type}");
                let result = rejected_or_harmless(&forged.sealed(), &keys, &what);
                assert!(result.is_err(), "{what}");
            }
        }
        let true_encoding = original.sections[0].1;
        for encoding in (0..=255).filter(|encoding| *encoding != true_encoding) {
            let mut forged = original.clone();
            forged.sections[0].1 = encoding;
            let result = Open::new().bytes::<AnyFilter>(&forged.sealed());
            // A coded row that claims to be plain has too few words.
            if (true_encoding, encoding) == (CODED, 0) {
                assert!(matches!(result, Err(LoadError::Section { .. })), "{result:?}");
                continue;
            }
            let expected = "unknown section encoding";
            assert!(matches!(result, Err(LoadError::Header(why)) if why == expected));
        }
    }
}

/// The numbers at fixed offsets, each under a valid checksum of the header.
#[test]
fn forged_fixed_numbers_are_rejected_or_harmless() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        let header = word(&bytes[12..16]) as usize - 8;
        for (name, at, len) in [
            ("signature", 0, 8),
            ("version", 8, 2),
            ("kind", 10, 2),
            ("header length", 12, 4),
            ("hash", 16, 2),
            ("number of fields", 18, 2),
            ("number of sections", 20, 2),
            ("length of the recipe", 22, 2),
            ("seed", 24, 8),
        ] {
            let mut values = numbers();
            values.extend(0..70);
            values.extend((1..64).map(|bit| 1 << bit));
            for number in values {
                let value = &number.to_le_bytes()[..len];
                if bytes[at..at + len] == *value {
                    continue;
                }
                let mut forged = bytes[..header].to_vec();
                forged[at..at + len].copy_from_slice(value);
                let what = format!("{kind}: {name} = {number:#x}");
                let forged = seal(&forged, &original.sections);
                let result = rejected_or_harmless(&forged, &keys, &what);
                let value = word(value);
                match (name, result) {
                    ("signature", Err(LoadError::NotAnther)) => {}
                    ("version", Err(LoadError::Unsettled)) => assert_eq!(value, 0, "{what}"),
                    ("version", Err(LoadError::Version { got, ours })) => {
                        assert_eq!((u64::from(got), ours), (value, 1), "{what}");
                        assert_ne!(got, 0, "{what}");
                    }
                    ("kind", Err(LoadError::UnknownKind { tag })) => {
                        assert_eq!(u64::from(tag), value, "{what}");
                        assert_eq!(Kind::from_tag(tag), None, "{what}");
                    }
                    ("kind", Err(LoadError::Iblt)) => assert_eq!(value, 24, "{what}"),
                    ("kind", Err(LoadError::Range)) => assert_eq!(value, 25, "{what}"),
                    // A kind that exists, but has other fields.
                    ("kind", Err(LoadError::Missing { .. } | LoadError::Unknown { .. })) => {
                        assert!(Kind::from_tag(value as u16).is_some(), "{what}");
                    }
                    ("header length", Err(error)) => assert!(
                        matches!(
                            error,
                            LoadError::Header(_)
                                | LoadError::Checksum { .. }
                                | LoadError::Truncated { .. }
                        ),
                        "{what}: {error:?}"
                    ),
                    // Another seed is another filter; queried by hash, as here, it answers the
                    // same. Keyed and external filters are opened without hashing here.
                    ("seed", Ok(())) => {}
                    ("hash", Ok(())) => assert!(value <= 2, "{what}"),
                    ("hash" | "number of fields" | "number of sections", Err(error))
                    | ("length of the recipe", Err(error)) => assert!(
                        matches!(
                            error,
                            LoadError::Header(_)
                                | LoadError::Missing { .. }
                                | LoadError::Unknown { .. }
                        ),
                        "{what}: {error:?}"
                    ),
                    (_, result) => panic!("{what}: {result:?}"),
                }
            }
        }
    }
}

/// Wrong lengths of a section, up to more than any memory.
#[test]
fn forged_lengths_are_rejected() {
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        let original = Forged::of(&bytes);
        let true_len = original.sections[0].2;
        let mut lengths = numbers();
        lengths.extend([8, 16, true_len - 8, true_len + 8, true_len - 1, true_len + 1]);
        lengths.extend((3..64).map(|bit| 1 << bit));
        lengths.extend([u64::MAX - 7, u64::MAX - 63, u64::MAX - 127, (1 << 63) - 64]);
        for len in lengths.into_iter().filter(|len| *len != true_len) {
            let mut forged = original.clone();
            forged.sections[0].2 = len;
            let what = format!("{kind}: a section of {len:#x} bytes");
            assert!(rejected_or_harmless(&forged.sealed(), &keys, &what).is_err(), "{what}");
        }
        // Fewer or more words than the fields say, all of them present and with valid checksums.
        let true_words = true_len / 8;
        let others = [0, 1, true_words - 1, true_words + 1, true_words * 2];
        for words in others.into_iter().filter(|words| *words != true_words) {
            let mut forged = original.clone();
            let section = &mut forged.sections[0];
            section.2 = words * 8;
            section.3.resize((words as usize * 8).next_multiple_of(64), 0);
            section.3[words as usize * 8..].fill(0);
            // A truncated code may decode to another row with as many ones.
            let cut = section.1 == CODED && (3..true_len / 8).contains(&words);
            let keys = if cut { &[] } else { &keys[..] };
            let result = rejected_or_harmless(&forged.sealed(), keys, "words");
            let refused = matches!(result, Err(LoadError::Section { .. }));
            assert!(refused || cut && result.is_ok(), "{kind}: {result:?}");
        }
    }
}

/// Headers that claim a terabyte: with a known length they are rejected at once, and a stream costs
/// memory for the bytes that arrive.
#[test]
fn claimed_lengths_allocate_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("promise.anther");
    for &kind in Kind::ALL {
        let (_, _, bytes) = sample(kind);
        let mut forged = Forged::of(&bytes);
        for promised in [1 << 33, 1 << 40, 1 << 47, (1u64 << 63) - 64] {
            for came in [0, 1000, STEP - 64, STEP, 5 * STEP, 12 * STEP] {
                forged.sections[0].2 = promised;
                forged.sections[0].3 = vec![0; came];
                let file = forged.sealed();
                let ways = if came == 1000 { &Way::ALL[..] } else { &Way::QUICK };
                for &way in ways {
                    let error = load(way, Open::new(), &file, &path).unwrap_err();
                    let LoadError::Truncated { expected, got } = error else {
                        panic!("{kind}, {way:?}: {error:?}");
                    };
                    assert!(expected > promised && got == file.len() as u64, "{expected} {got}");
                }
            }
        }
    }
}

/// The largest header, full of fields or of sections: still a constant, though a larger one. A
/// field of three letters takes 14 bytes in the file and up to five times that in memory.
#[test]
fn the_largest_headers_cost_a_constant() {
    const LARGEST: usize = 1 << 16;
    let (_, _, bytes) = sample(Kind::Blocked);
    let original = Forged::of(&bytes);
    let name = |i: usize| [i / 676, i / 26 % 26, i % 26].map(|i| b'a' + i as u8).to_vec();
    let room = (LARGEST - 400) / 13;
    let mut fields = original.clone();
    fields.fields.extend((0..room).map(|i| (name(i), 1, [0; 8])));
    let mut sections = original.clone();
    sections.sections.extend((0..room).map(|i| (name(i), 0, 0, Vec::new())));
    let mut recipe = original.clone();
    recipe.recipe.resize(LARGEST - 400, b'x');
    let mut zeros = original.clone();
    zeros.extra = vec![0; LARGEST - 400];
    let mut too_large = original;
    too_large.extra = vec![0; LARGEST];
    for (forged, expected) in [
        (fields, "Unknown"),
        (sections, "Unknown"),
        (recipe, "Ok"),
        (zeros, "Header(\"invalid padding\")"),
        (too_large, "Header(\"invalid header length\")"),
    ] {
        let file = forged.sealed();
        for reader in [false, true] {
            let (result, peak) = with_peak(|| {
                if reader {
                    Open::new().reader::<AnyFilter>(&file[..])
                } else {
                    Open::new().bytes(&file)
                }
            });
            let told = result.map_or_else(|error| format!("{error:?}"), |_| "Ok".to_string());
            assert!(told.starts_with(expected), "{told}");
            assert!(peak <= file.len() + 16 * LARGEST, "{expected}: {peak} of {}", file.len());
        }
    }
}

/// Everything else that can be malformed in a header, each with its name.
#[test]
fn malformed_headers_are_named() {
    type Change = fn(&mut Forged);
    let cases: [(&str, Change); 22] = [
        ("duplicate field", |file| file.fields.push(file.fields[0].clone())),
        ("duplicate section", |file| file.sections.push(file.sections[0].clone())),
        ("incomplete target", |file| file.fields.retain(|field| field.0 != b"target.fpr")),
        ("incomplete target", |file| file.fields.retain(|field| field.0 != b"target.items")),
        ("section length is not a multiple of 8", |file| file.sections[0].2 -= 4),
        ("invalid name", |file| file.fields[0].0.clear()),
        ("invalid name", |file| file.fields[0].0 = b"Inserted".to_vec()),
        ("invalid name", |file| file.fields[0].0 = b"ins\0rted".to_vec()),
        ("invalid name", |file| file.fields[0].0 = vec![0xFF; 8]),
        ("invalid name", |file| file.sections[0].0 = b"../../x".to_vec()),
        ("unknown field type", |file| file.fields[0].1 = 0),
        ("invalid padding", |file| file.extra = vec![1]),
        ("invalid padding", |file| file.extra = vec![0; 64]),
        ("invalid padding between sections", |file| *file.sections[0].3.last_mut().unwrap() = 1),
        ("invalid key recipe", |file| file.recipe = vec![64]),
        ("invalid key recipe", |file| file.recipe = vec![0xFF; 40]),
        ("trailing bytes in the key recipe", |file| file.recipe = vec![0, 0]),
        ("invalid key recipe", |file| file.recipe = vec![16 | 32, b',', b'x']),
        ("invalid key recipe", |file| file.recipe = vec![16, b',', 0, 0, 0, 0]),
        ("trailing bytes in the key recipe", |file| file.recipe = vec![16, b',', 1, 0, 0, 0, 0]),
        ("invalid key recipe", |file| file.recipe = vec![32, b',', 0xC3]),
        ("too short", |file| file.recipe = vec![16, b',', 1]),
    ];
    for &kind in Kind::ALL {
        let (keys, _, bytes) = sample(kind);
        for (expected, change) in &cases {
            let mut forged = Forged::of(&bytes);
            let has_padding = forged.sections[0].3.len() as u64 > forged.sections[0].2;
            if *expected == "invalid padding between sections" && !has_padding {
                continue;
            }
            change(&mut forged);
            match rejected_or_harmless(&forged.sealed(), &keys, expected) {
                Err(LoadError::Header(why)) => assert_eq!(why, *expected, "{kind}"),
                other => panic!("{kind}, {expected}: {other:?}"),
            }
        }

        // Fields and sections that a kind needs, and unknown ones.
        let original = Forged::of(&bytes);
        for (at, (name, ..)) in original.fields.iter().enumerate() {
            if !name.starts_with(b"target") {
                let mut forged = original.clone();
                forged.fields.remove(at);
                let result = rejected_or_harmless(&forged.sealed(), &keys, "missing");
                // A filter within a filter does not know its own number.
                let own = str::from_utf8(name)
                    .unwrap()
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                assert!(matches!(result, Err(LoadError::Missing { name }) if name == own), "{own}");
            }
        }
        let mut forged = original.clone();
        forged.sections.clear();
        let result = rejected_or_harmless(&forged.sealed(), &keys, "no section");
        assert!(matches!(result, Err(LoadError::Missing { .. })), "{result:?}");
        let mut forged = original.clone();
        forged.fields.push((b"later".to_vec(), 2, 1f64.to_bits().to_le_bytes()));
        let result = rejected_or_harmless(&forged.sealed(), &keys, "unknown field");
        assert!(matches!(result, Err(LoadError::Unknown { name }) if name == "later"));
        let mut forged = original.clone();
        forged.sections.push((b"later".to_vec(), 0, 64, vec![7; 64]));
        let result = rejected_or_harmless(&forged.sealed(), &keys, "unknown section");
        assert!(matches!(result, Err(LoadError::Unknown { name }) if name == "later"));
        let mut forged = original.clone();
        forged.fields.retain(|field| !field.0.starts_with(b"target"));
        rejected_or_harmless(&forged.sealed(), &keys, "no target is no fault").unwrap();
        // The order of fields is free.
        let mut forged = original;
        forged.fields.reverse();
        rejected_or_harmless(&forged.sealed(), &keys, "order").unwrap();
    }
}

/// The last word of a classic filter ends beyond its last bit; a one there belongs to no key.
#[test]
fn ones_beyond_the_end_are_rejected() {
    for bits in [1, 63, 65, 1000] {
        let mut filter = Classic::with_shape(Shape::bits(bits).probes(3), Seed::FIXED).unwrap();
        let keys = Random::new(101).hashes(5);
        filter.insert_hashes(&keys).unwrap();
        let original = Forged::of(&bytes_of(&filter.into()));
        let words = original.sections[0].2 as usize;
        rejected_or_harmless(&original.sealed(), &keys, "unchanged").unwrap();
        for beyond in bits as usize..words * 8 {
            let mut forged = original.clone();
            forged.sections[0].3[beyond / 8] |= 1 << (beyond % 8);
            let result = rejected_or_harmless(&forged.sealed(), &keys, "beyond");
            assert!(matches!(result, Err(LoadError::Section { name: "bits" })), "{result:?}");
        }
    }
}

/// A forged count, target or recipe changes no answer, and no estimate.
#[test]
fn forged_metadata_changes_no_answer() {
    for &kind in Kind::ALL {
        let (keys, filter, bytes) = sample(kind);
        let truth = filter.profile();
        let queries = Random::new(102).hashes(20_000);
        for (inserted, items, fpr) in
            [(0, 1, 0.5), (u64::MAX, Target::MAX_ITEMS, 1e-18), (1, 10, 0.999), (999, 1000, 1e-8)]
        {
            let mut forged = Forged::of(&bytes);
            *forged.field("inserted") = u64::to_le_bytes(inserted);
            *forged.field("target.items") = u64::to_le_bytes(items);
            *forged.field("target.fpr") = f64::to_le_bytes(fpr);
            forged.recipe.clear();
            let forged = forged.sealed();
            rejected_or_harmless(&forged, &keys, "lies").unwrap();
            let loaded: AnyFilter = Open::new().bytes(&forged).unwrap();
            for key in keys.iter().chain(&queries) {
                assert_eq!(loaded.contains_hash(*key), filter.contains_hash(*key), "{kind}");
            }
            let profile = loaded.profile();
            assert_eq!(
                (profile.items, profile.fill, profile.fpr_now, profile.bits),
                (truth.items, truth.fill, truth.fpr_now, truth.bits),
                "{kind}: from the cells alone"
            );
            assert_eq!(profile.inserted, inserted);
        }
    }
}

/// A coded row may become larger than its file, within its bounds: 64 MiB, or 1024 times its
/// length. A row that claims more is rejected before any memory is allocated, and so is one that
/// does not decode.
#[test]
fn coded_rows_are_bounded_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coded.anther");
    let (keys, _, bytes) = sample(Kind::Compressed);
    let original = Forged::of(&bytes);
    assert_eq!(original.sections[0].1, CODED);
    // As many bits in the field as in the section, whose words are the code of another row.
    for bits in [(64 << 23) + 1, 64 << 24, 1 << 40, 1 << 46] {
        for ones in [0, 1, bits / 2, bits] {
            let mut forged = original.with_field("cells", bits);
            forged.sections[0].3[..8].copy_from_slice(&bits.to_le_bytes());
            forged.sections[0].3[8..16].copy_from_slice(&ones.to_le_bytes());
            for way in Way::ALL {
                // `load` allows the file's size and a constant.
                let error = load(way, Open::new(), &forged.sealed(), &path).unwrap_err();
                assert!(matches!(error, LoadError::Section { name: "row" }), "{way:?}: {error:?}");
            }
        }
    }
    for (at, number) in (0..2).flat_map(|at| numbers().into_iter().map(move |number| (at, number)))
    {
        let mut forged = original.clone();
        forged.sections[0].3[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
        let result = rejected_or_harmless(&forged.sealed(), &keys, "head");
        assert!(matches!(result, Err(LoadError::Section { name: "row" })), "{number}: {result:?}");
    }
    // Flipped bits of the code, under valid checksums: the code of another row with as many ones,
    // or no code at all.
    let mut refused = 0;
    for bit in (128..original.sections[0].2 as usize * 8).step_by(37) {
        let mut forged = original.clone();
        forged.sections[0].3[bit / 8] ^= 1 << (bit % 8);
        match rejected_or_harmless(&forged.sealed(), &[], "code") {
            Ok(()) => {
                assert_eq!(bytes_of(&Open::new().bytes(&forged.sealed()).unwrap()), forged.sealed())
            }
            Err(LoadError::Section { name: "row" }) => refused += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(refused > 200, "{refused}");
}

/// A row in plain words is accepted where a coded one is usual, and is written coded again.
#[test]
fn a_plain_row_is_accepted_too() {
    let (keys, filter, bytes) = sample(Kind::Compressed);
    let row = Compressed::try_from(filter.clone()).unwrap();
    let words: Vec<u8> = row.bits().words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut plain = Forged::of(&bytes);
    let section = &mut plain.sections[0];
    (section.1, section.2, section.3) = (0, words.len() as u64, words);
    section.3.resize(section.3.len().next_multiple_of(64), 0);
    rejected_or_harmless(&plain.sealed(), &keys, "plain").unwrap();
    let again = Open::new().bytes(&plain.sealed()).unwrap();
    assert_eq!(again, filter);
    assert_eq!(bytes_of(&again), bytes);
}

/// A large row that is nearly empty is written plain: its code would be rejected.
#[test]
fn a_written_file_can_be_read() {
    for (bits, keys, coded) in
        [(1 << 20, 0, true), (513 << 20, 3, false), (513 << 20, 50_000, true)]
    {
        let shape = Shape::bits(bits).probes(1);
        let mut filter = Compressed::with_shape(shape, Seed::FIXED).unwrap();
        filter.insert_hashes(&Random::new(103).hashes(keys)).unwrap();
        let filter = AnyFilter::from(filter);
        let bytes = bytes_of(&filter);
        assert_eq!(bytes.len() < 1 << 20, coded, "{bits} bits, {keys} keys");
        let loaded: AnyFilter = Open::new().reader(&bytes[..]).unwrap();
        assert!(loaded == filter, "{bits} bits, {keys} keys");
    }
}

/// Directories of nothing but empty shards: a file may have any number of them, and the decoded
/// shards must not take more than a constant in all. They took 5 to 10 times the file. And where a
/// lookup has to walk through them, it does not walk far.
#[test]
fn empty_shards_cost_no_more_than_their_file() {
    // The memory of the first shards, which are kept decoded.
    const LISTED: usize = 1 << 20;
    let keys = Random::new(107).hashes(100);
    for kind in [Kind::Fuse, Kind::Bloomier, Kind::Ribbon] {
        let original = Forged::of(&bytes_of(&filled(kind, 100, 0.01, Seed::FIXED, &[])));
        for shards in [1usize, 1 << 14, (1 << 15) + 1, 1 << 20] {
            let mut forged = original.with_field("shards", shards as u64);
            for (name, _, len, bytes) in &mut forged.sections {
                let words = if name == b"shards" || name == b"ribbon" { shards } else { 0 };
                *len = 8 * words as u64;
                *bytes = vec![0; (8 * words).next_multiple_of(64)];
                if name == b"ribbon" {
                    // The layer's last shard.
                    bytes[8 * words - 1] = 1 << 7;
                }
            }
            let file = forged.sealed();
            let (filter, peak) = with_peak(|| Open::new().bytes::<AnyFilter>(&file).unwrap());
            let allowed = file.len() + CONSTANT + LISTED;
            assert!(peak <= allowed, "{kind}, {shards} shards: {peak} of {}", file.len());
            assert_eq!(count_found(&filter, keys.iter().copied()), 0, "{kind}, {shards} shards");
            assert_eq!(filter.profile().fpr_now, 0.0);
            let need = with_limit(100_000, || Open::new().bytes::<AnyFilter>(&file));
            let small = shards < 1 << 12;
            assert!(small || matches!(need, Err(LoadError::OutOfMemory(_))), "{kind}: {need:?}");
        }
    }
}

/// More shards than are kept decoded: some of them with keys, each found in its place.
#[test]
fn shards_beyond_the_decoded_ones_are_found() {
    let keys = Random::new(108).hashes(3000);
    for (kind, items) in [(Kind::Fuse, 1 << 36), (Kind::Bloomier, 1 << 36), (Kind::Ribbon, 1 << 31)]
    {
        let target = Target::new(items, 1e-6).unwrap();
        // Half of the keys in one shard, which keeps them, and the others one by one.
        let crowd = (0..3000).map(|key| KeyHash(key << 32).again(1).0 >> 17);
        let crowd = crowd.map(|hash| KeyHash(hash | 5 << 61));
        let mut all: Vec<KeyHash> = keys.iter().copied().chain(crowd).collect();
        let (work, options) = (Work::new(), Options::default());
        let built =
            AnyFilter::build(kind, &mut &all[..], target, &options, Seed::FIXED, work).unwrap();
        let loaded = Open::new().bytes::<AnyFilter>(&bytes_of(&built)).unwrap();
        assert_eq!(loaded, built);
        assert_eq!(count_found(&loaded, all.iter().copied()), all.len() as u64, "{kind}");
        all.iter_mut().for_each(|key| *key = key.again(9));
        assert!(count_found(&loaded, all.iter().copied()) < 3, "{kind}");
        assert!(loaded.profile().fpr_now < 1e-6, "{kind}");
    }
}

/// A ribbon of more layers than any keys need: every lookup would pay for each.
#[test]
fn a_ribbon_has_a_bounded_number_of_layers() {
    let original = Forged::of(&bytes_of(&filled(Kind::Ribbon, 100, 0.01, Seed::FIXED, &[])));
    for (layers, fits) in [(1u64, true), (5, true), (40, true), (41, false), (1 << 20, false)] {
        let mut forged = original.with_field("shards", layers);
        let words = (0..layers).map(|layer| u64::from(layer > 0) << 54 | 1 << 63);
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        (forged.sections[0].2, forged.sections[0].3) = (8 * layers, bytes);
        let (result, peak) = with_peak(|| Open::new().bytes::<AnyFilter>(&forged.sealed()));
        assert_eq!(result.is_ok(), fits, "{layers} layers: {result:?}");
        assert!(peak < 40 * layers as usize + CONSTANT, "{layers} layers: {peak}");
    }
}

/// A `floom` of the most regions and probes, with every second signature recorded: its profile is
/// still a rate. It takes 2³⁰ steps; signature by signature it took 20 seconds.
#[test]
fn a_forged_floom_has_a_profile() {
    let floom = Floom::with_cells(64, 64, 24, Seed::FIXED).unwrap();
    let mut forged = Forged::of(&bytes_of(&floom.into()));
    forged.sections[0].3.fill(0x55);
    let len = forged.sections[0].2 as usize;
    forged.sections[0].3[len..].fill(0);
    let filter = Open::new().bytes::<AnyFilter>(&forged.sealed()).unwrap();
    let profile = filter.profile();
    assert!((0.0..=1.0).contains(&profile.fpr_now), "{profile:?}");
}

/// Cells that no keys leave: keys inserted later are found nevertheless, and so are those of a
/// filter that is merged in.
#[test]
fn forged_increments_lose_no_keys() {
    let keys = Random::new(109).hashes(150);
    for increments in Increments::ALL {
        let target = Target::new(300, 0.01).unwrap();
        let options = Options::new().increments(increments);
        let kind = Kind::VariableIncrement;
        let empty = AnyFilter::with_options(kind, target, &options, Seed::FIXED).unwrap();
        let mut honest = empty.clone();
        put(&mut honest, &keys);
        let original = Forged::of(&bytes_of(&empty));
        for pattern in [0x11u8, 0x31, 0x13, 0x21, 0x02, 0x40, 0x01, 0x77, 0xB4, 0xFE] {
            let mut forged = original.clone();
            let (_, _, len, bytes) = &mut forged.sections[0];
            // The last word ends beyond the last cell.
            bytes[..*len as usize - 8].fill(pattern);
            let Ok(mut filter) = Open::new().bytes::<AnyFilter>(&forged.sealed()) else {
                panic!("{increments}: {pattern:#x} is rejected");
            };
            let mut merged = honest.clone();
            merged.merge(&filter).unwrap();
            put(&mut filter, &keys);
            let what = format!("{increments}, {pattern:#x}");
            assert_eq!(count_found(&filter, keys.iter().copied()), 150, "{what}");
            assert_eq!(count_found(&merged, keys.iter().copied()), 150, "{what}, merged");
        }
    }
}
