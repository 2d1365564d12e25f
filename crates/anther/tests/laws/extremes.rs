//! Targets and shapes out of range are named.

use super::*;

#[test]
fn targets_out_of_range_are_named() {
    for items in [0, Target::MAX_ITEMS + 1, u64::MAX] {
        let error = Target::new(items, 0.01).unwrap_err();
        assert!(matches!(error, TargetError::Items { got } if got == items));
        let most = anther::units::count(Target::MAX_ITEMS);
        let text = format!("{items} items are not possible; the number must be 1 to {most}");
        assert_eq!(error.to_string(), text);
    }
    for (fpr, name) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (2.0, "2.0"),
        (-1.0, "-1.0"),
        (1e-300, "1e-300"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (9.9e-19, "9.9e-19"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        let text = format!(
            "a false-positive rate of {name} is not possible; \
             it must be at least 1e-18 and below 1"
        );
        assert_eq!(Target::new(1000, fpr).unwrap_err().to_string(), text);
    }
}

/// Valid targets that a kind cannot reach: the error names the requested value and the possible
/// one.
#[test]
fn targets_out_of_reach_are_named() {
    for &kind in Kind::ALL {
        for (items, fpr) in [(Target::MAX_ITEMS, 0.5), (Target::MAX_ITEMS, 0.01)] {
            let target = Target::new(items, fpr).unwrap();
            for error in [refused(kind, target), kind.bits_for(target).unwrap_err()] {
                let SizeError::TooLarge { got, most, .. } = error else { panic!("{error:?}") };
                let least = items as f64 * -fpr.log2();
                assert!(got > most && got as f64 > least, "{kind}: {got}");
                let text = format!(
                    "{kind} cannot have {got} bits; it can have at most {most}: \
                     choose fewer items or a higher false-positive rate"
                );
                assert_eq!(error.to_string(), text);
            }
        }
        // Below what 64-bit hashes of this many items, or the kind, can reach.
        for (items, fpr) in [(1 << 40, 1e-8), (Target::MAX_ITEMS, 1e-5), (1000, 1e-18)] {
            let error = empty_error(kind, items, fpr);
            let SizeError::Fpr { got, least, .. } = error else { panic!("{kind}: {error:?}") };
            assert!(got == fpr && least >= items as f64 * 2f64.powi(-64), "{kind}: {error:?}");
            let text = error.to_string();
            assert!(text.contains(&format!("of {fpr:e}; ")), "{text}");
            assert!(text.contains(&format!("its lowest is {least:e}")), "{text}");
        }
        // The nearest possible target works.
        for (items, fpr) in [(1, 1e-8), (1, 0.999_999), (1000, 1e-8), (2, 0.5)] {
            let keys = Random::new(14).hashes(items as usize);
            let filter = filled(kind, items, fpr, Seed::FIXED, &keys);
            if kind.capabilities().no_false_negatives {
                assert_eq!(count_found(&filter, keys), items, "{kind}");
            }
        }
    }
}

fn empty_error(kind: Kind, items: u64, fpr: f64) -> SizeError {
    let target = Target::new(items, fpr).unwrap();
    assert_eq!(kind.bits_for(target), Err(kind.bits_for(target).unwrap_err()));
    refused(kind, target)
}

/// The error for a filter that cannot be made, empty or from no keys.
fn refused(kind: Kind, target: Target) -> SizeError {
    let options = Options::default();
    let built = AnyFilter::build(kind, &mut &[][..], target, &options, Seed::FIXED, Work::new());
    let Err(BuildError::Size(error)) = built else { unreachable!("{kind}: {built:?}") };
    error
}

#[test]
fn shapes_out_of_range_are_named() {
    fn law<F: Plain>() {
        let kind = F::KIND;
        let refused = |shape| F::shaped(shape, Seed::FIXED).unwrap_err().to_string();
        let small = |got| format!("{kind} cannot have {got} bits; it needs at least {}", F::UNIT);
        assert_eq!(refused(Shape::bits(0).probes(F::PROBES)), small(0));
        assert_eq!(refused(Shape::memory(0).items(10)), small(0));
        if F::UNIT > 8 {
            assert_eq!(refused(Shape::memory(31).items(10)), small(248));
        }
        for shape in [Shape::bits(u64::MAX), Shape::memory(u64::MAX), Shape::bits(1 << 50)] {
            for shape in [shape.probes(F::PROBES), shape.items(1)] {
                let text = refused(shape);
                assert!(text.starts_with(&format!("{kind} cannot have ")), "{text}");
                assert!(text.contains(" bits; it can have at most "), "{text}");
            }
        }
        for probes in [0, F::MOST_PROBES + 1, u32::MAX] {
            let (least, most) = (F::LEAST_PROBES, F::MOST_PROBES);
            let allowed = match least == most {
                true => format!("it always has {most}"),
                false => format!("it can have {least} to {most}"),
            };
            assert_eq!(
                refused(Shape::bits(1024).probes(probes)),
                format!("{kind} cannot have {probes} probes per key; {allowed}")
            );
        }
        // There is a best number of probes for any number of items.
        for items in [0, 1, 1000, u64::MAX] {
            let filter = F::shaped(Shape::memory(1024).items(items), Seed::FIXED).unwrap();
            assert_eq!(filter.profile().bits, 8192);
            assert!((F::LEAST_PROBES..=F::MOST_PROBES).contains(&filter.profile().probes));
        }
    }
    over_plain_kinds!(law);
}
