//! The rule of a filter's keys: applied on every surface that knows it, or the key is refused.

use super::*;
use anther::error::{KeyError, LookupError, RemoveError};
use anther::{AnyShared, InsertError, Verified};

fn rule(form: KeyForm) -> KeyRule {
    KeyRule { form, ..KeyRule::default() }
}

fn ruled(rule: KeyRule) -> Option<Recipe> {
    Some(Recipe { rule, ..Recipe::default() })
}

#[test]
fn spellings_of_a_key_are_one_key_in_every_kind() {
    for &kind in Kind::ALL {
        for seed in seeds() {
            // By the hashes of their normal forms, as any kind can be built.
            let numbers: Vec<_> = (0..100u64).map(|key| key.key_hash(&seed)).collect();
            let mut filter = filled(kind, 200, 1e-6, seed, &numbers);
            filter.set_recipe(ruled(rule(KeyForm::Int)));
            for key in 0..100u64 {
                for text in [format!("{key}"), format!("+{key}"), format!("000{key}")] {
                    assert_eq!(filter.contains(&text), filter.contains(key), "{kind}: {text}");
                }
                let wide = i128::from(key);
                assert_eq!(filter.contains(wide), filter.contains(key), "{kind}: {key}");
                let found = kind.capabilities().no_false_negatives;
                assert!(!found || filter.contains(key).unwrap(), "{kind}: {key}");
            }
            assert_eq!(filter.contains("1e3"), Err(KeyError::Int), "{kind}");
            assert!(matches!(filter.contains(("1", "2")), Err(KeyError::Parts { .. })), "{kind}");
            let texts: Vec<_> = (0..200).map(|key| format!("0{key}")).collect();
            let mut found = vec![true; 200];
            filter.contains_keys(&texts, &mut found).unwrap();
            for (key, found) in found.into_iter().enumerate() {
                assert_eq!(Ok(found), filter.contains(key), "{kind}: {key}");
            }
            let mut found = [true; 2];
            let refused = filter.contains_keys(&["07", "one"], &mut found);
            assert_eq!(refused, Err(KeyError::Int), "{kind}");
            // By the trait, which cannot refuse a key.
            Filter::contains_keys(&filter, &["07", "one"], &mut found);
            assert_eq!(found, [filter.contains(7).unwrap(), false], "{kind}");
        }
    }
}

#[test]
fn a_refused_key_changes_nothing() {
    for kind in taking() {
        let mut filter = empty(kind, 1000, 1e-6, Seed::FIXED);
        filter.set_recipe(ruled(rule(KeyForm::Domain)));
        filter.insert("Example.ORG.").unwrap();
        filter.insert_keys(&["a.example", "B.example"]).unwrap();
        let before = filter.clone();
        assert_eq!(filter.insert("no domain"), Err(InsertError::Key(KeyError::Domain)), "{kind}");
        let error = KeyError::Type { form: "domain", given: "an integer" };
        assert_eq!(filter.insert(42), Err(InsertError::Key(error)), "{kind}");
        let error = InsertError::Key(KeyError::Unicode);
        assert_eq!(filter.insert_keys(&["c.example", "münchen.de"]), Err(error), "{kind}");
        assert_eq!(filter, before, "{kind}: neither of the two");
        for key in ["example.org", "A.Example", "b.example."] {
            assert!(filter.contains(key).unwrap(), "{kind}: {key}");
        }
        assert!(!filter.contains("c.example").unwrap(), "{kind}");
        let can = kind.capabilities();
        if can.count {
            assert_eq!(filter.count("EXAMPLE.org"), Ok(1), "{kind}");
            assert_eq!(filter.count("-.."), Err(LookupError::Key(KeyError::Domain)), "{kind}");
        } else {
            assert!(matches!(filter.count("x"), Err(LookupError::Unable(_))), "{kind}");
        }
        if can.remove {
            assert_eq!(filter.remove("-.."), Err(RemoveError::Key(KeyError::Domain)), "{kind}");
            assert_eq!(filter, before, "{kind}");
            if kind != Kind::Deletable {
                assert_eq!(filter.remove("EXAMPLE.org"), Ok(true), "{kind}");
                assert!(!filter.contains("example.org").unwrap(), "{kind}");
            }
        }
    }
    // A map from keys to values.
    let seed = Seed::FIXED;
    let mut pairs: Vec<_> = (0..9u64).map(|key| (key.key_hash(&seed), key * 11)).collect();
    let target = Target::new(9, 1e-6).unwrap();
    let options = Options::new().value_bits(16);
    let map = Bloomier::build_pairs(&mut pairs, target, &options, false, seed, Work::new());
    let mut map = AnyFilter::from(map.unwrap());
    map.set_recipe(ruled(rule(KeyForm::Int)));
    assert_eq!(map.get("007"), Ok(Some(77)));
    assert_eq!(map.get(7u8), Ok(Some(77)));
    assert_eq!(map.get("seven"), Err(LookupError::Key(KeyError::Int)));
}

#[test]
fn a_filter_for_threads_applies_the_rule() {
    for kind in [Kind::Classic, Kind::Blocked, Kind::Split] {
        let mut filter = empty(kind, 1000, 1e-6, Seed::FIXED);
        filter.set_recipe(ruled(rule(KeyForm::Email)));
        let shared = AnyShared::try_from(filter).unwrap();
        assert_eq!(shared.insert("Bob@Example.org"), Ok(true));
        assert_eq!(shared.insert("bob@example.ORG"), Ok(false));
        assert_eq!(shared.contains("BOB@example.org."), Ok(true));
        assert_eq!(shared.contains("bob"), Err(KeyError::Email));
        assert_eq!(shared.insert_keys(&["a@x.org", "nobody"]), Err(KeyError::Email));
        assert_eq!(shared.contains("a@x.org"), Ok(false), "neither of the two");
        assert_eq!(shared.insert_keys(&["a@x.org", "A@X.org"]), Ok(1));
        let mut found = [false; 2];
        shared.contains_keys(&["a@x.ORG", "b@x.org"], &mut found).unwrap();
        assert_eq!(found, [true, false]);
        assert_eq!(shared.contains_keys(&["", ""], &mut found), Err(KeyError::Email));
    }
}

/// A type that does not apply the rule is refused, or a present key would look absent.
#[test]
fn a_named_kind_does_not_open_a_file_with_a_rule() {
    fn law<F: Plain + anther::format::Readable>() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ruled");
        let mut filter = empty(F::KIND, 10, 0.1, Seed::FIXED);
        // In the header, and in a section.
        for rule in [KeyRule { trim: true, ..KeyRule::default() }, rule(KeyForm::Url)] {
            filter.set_recipe(ruled(rule));
            filter.save(&path).unwrap();
            let bytes = bytes_of(&filter);
            let how = Open::new();
            for error in [
                how.file::<F>(&path).unwrap_err(),
                how.bytes::<F>(&bytes).unwrap_err(),
                how.reader::<F>(&bytes[..]).unwrap_err(),
                how.shared_bytes::<F>(bytes.clone().into()).unwrap_err(),
                crate::support::map::<F>(how, &path).unwrap_err(),
            ] {
                assert!(
                    matches!(&error, LoadError::Rule { rule: told } if *told == rule.to_string())
                );
                assert!(error.to_string().contains("AnyFilter"), "{error}");
            }
            for how in [how.ignore_rule(), how.without_hashing()] {
                let opened: F = how.file(&path).unwrap();
                assert_eq!(opened.about().recipe, filter.about().recipe);
                assert_eq!(bytes_of(&opened.into()), bytes);
            }
            how.file::<Verified>(&path).unwrap();
        }
        // A file of another kind is called that, rule or not.
        let other = PLAIN.into_iter().find(|kind| *kind != F::KIND).unwrap();
        let mut another = empty(other, 10, 0.1, Seed::FIXED);
        another.set_recipe(ruled(rule(KeyForm::Url)));
        let error = Open::new().bytes::<F>(&bytes_of(&another)).unwrap_err();
        assert!(matches!(error, LoadError::Kind { .. }), "{error}");
        // Text as it is needs no rule, wherever it was in the input.
        filter.set_recipe(Some(Recipe { place: csv(&["mail"]), ..Recipe::default() }));
        filter.save(&path).unwrap();
        assert_eq!(bytes_of(&Open::new().file::<F>(&path).unwrap().into()), bytes_of(&filter));
    }
    over_plain_kinds!(law);
}

#[test]
fn merging_compares_what_the_key_is_and_not_where() {
    let places = [
        Place::default(),
        Place { format: Format::Nul, ..Place::default() },
        Place { format: Format::Fields, header: true, ..Place::default() },
        csv(&["mail"]),
        csv(&["email"]),
        column(Column::Name("mail".to_string()), b';', Separator::Line),
    ];
    let keys = Random::new(9).hashes(20);
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().merge) {
        let make = |rule, place: &Place, keys: &[KeyHash]| {
            let mut filter = filled(kind, 100, 0.01, Seed::FIXED, keys);
            filter.set_recipe(Some(Recipe { rule, reach: None, place: place.clone() }));
            filter
        };
        for ours in &places {
            for theirs in &places {
                let mut merged = make(rule(KeyForm::Email), ours, &keys[..10]);
                merged.merge(&make(rule(KeyForm::Email), theirs, &keys[10..])).unwrap();
                assert_eq!(merged, make(rule(KeyForm::Email), ours, &keys), "{kind}");
            }
        }
        // Neither white space nor letter case is in the bytes that hexadecimal stands for.
        let [plain, spaced] = [false, true].map(|on| {
            let hex = KeyRule { trim: on, ignore_case: on, ..rule(KeyForm::Hex) };
            make(hex, &places[0], &keys)
        });
        plain.clone().merge(&spaced).unwrap();
        let rules = KeyForm::ALL.map(rule).into_iter().chain([
            KeyRule { trim: true, ..KeyRule::default() },
            KeyRule { ignore_case: true, ..KeyRule::default() },
            KeyRule { ignore_case: true, ..rule(KeyForm::Url) },
            KeyRule { parts: 2, ..KeyRule::default() },
            KeyRule { parts: 3, ..KeyRule::default() },
        ]);
        let filters: Vec<_> = rules.map(|rule| make(rule, &places[0], &keys)).collect();
        for (at, ours) in filters.iter().enumerate() {
            for theirs in &filters[..at] {
                let error = ours.clone().merge(theirs).unwrap_err();
                assert!(matches!(error, Mismatch::Rule { .. }), "{kind}: {error}");
            }
        }
    }
}

/// An address is found by the networks that it is in, in every kind that inserts keys.
#[test]
fn addresses_are_found_by_their_networks() {
    let networks = ["192.0.2.0/24", "10.0.0.0/8", "2001:db8::/32", "::/8", "203.0.113.9"];
    let members = ["192.0.2.255", "::ffff:10.9.8.7", "2001:db8:ff::1", "::1", "10.1.0.0/16"];
    let others = ["192.0.3.0", "11.0.0.0", "2001:db9::", "100::", "0.0.0.1", "192.0.0.0/16"];
    for kind in taking() {
        let mut filter = empty(kind, 1000, 1e-6, Seed::FIXED);
        let reach = Some(Reach::below(1e-6));
        filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Ip), reach, ..Recipe::default() }));
        filter.insert_keys(&networks).unwrap();
        for key in networks.iter().chain(&members) {
            assert!(filter.contains(key).unwrap(), "{kind}: {key}");
        }
        for key in others {
            assert!(!filter.contains(key).unwrap(), "{kind}: {key}");
        }
        // Without a word about what entries stand for, networks are refused: their addresses would not
        // be found.
        filter.set_recipe(ruled(rule(KeyForm::Ip)));
        assert_eq!(filter.insert("10.0.0.0/8"), Err(InsertError::Key(KeyError::Network)), "{kind}");
        assert_eq!(filter.insert("10.0.0.0/32"), Ok(true), "{kind}");
        assert_eq!(filter.contains("10.0.0.0/8"), Err(KeyError::Network), "{kind}");
        assert_eq!(filter.contains_entry("10.0.0.0/8"), Err(KeyError::Network), "{kind}");
        let refused = Err(RemoveError::Key(KeyError::Network));
        assert_eq!(filter.remove("10.0.0.0/8"), refused, "{kind}");
    }
}
