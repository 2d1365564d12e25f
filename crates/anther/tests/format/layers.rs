//! Forged filters of several layers.

use super::forgeries::{numbers, rejected_or_harmless};
use super::*;

/// A filter of several layers: each of their fields and sections, forged or missing.
#[test]
fn forged_layers_are_rejected_or_harmless() {
    let keys = Random::new(103).hashes(300);
    for over in [Kind::Classic, Kind::Blocked, Kind::Counting] {
        let target = Target::new(20, 0.01).unwrap();
        let options = Options::new().over(over);
        let grown = AnyFilter::with_options(Kind::Scalable, target, &options, Seed::FIXED);
        let mut grown = grown.unwrap();
        put(&mut grown, &keys);
        assert_eq!(grown.profile().layers, 4);
        let original = Forged::of(&bytes_of(&grown));
        for (at, (name, ..)) in original.fields.iter().enumerate() {
            let name = str::from_utf8(name).unwrap();
            for number in numbers().into_iter().chain([3, 4, 5, 63, 64, 65]) {
                let what = format!("over {over}: {name} = {number:#x}");
                let forged = original.with_field(name, number).sealed();
                let result = rejected_or_harmless(&forged, &keys, &what);
                // The number of keys that a layer claims is only a hint.
                assert!(result.is_ok() || !name.ends_with("held"), "{what}: {result:?}");
            }
            let mut forged = original.clone();
            forged.fields.remove(at);
            let result = rejected_or_harmless(&forged.sealed(), &keys, name);
            assert!(result.is_err() || name.starts_with("target"), "{name}: {result:?}");
        }
        for at in 0..original.sections.len() {
            let mut forged = original.clone();
            forged.sections.remove(at);
            let result = rejected_or_harmless(&forged.sealed(), &keys, "a section less");
            assert!(matches!(result, Err(LoadError::Missing { .. })), "{result:?}");
            // Everything occupied: it reports every key, and nothing worse.
            let mut forged = original.clone();
            let (_, _, len, bytes) = &mut forged.sections[at];
            bytes[..*len as usize - 8].fill(0xFF);
            rejected_or_harmless(&forged.sealed(), &keys, "full").unwrap();
        }
        // A layer missing, or one too many.
        for (prefix, layers) in [("3.", 4), ("3.", 3), ("0.", 4), ("1.", 3)] {
            let mut forged = original.with_field("layers", layers);
            forged.fields.retain(|(name, ..)| !name.starts_with(prefix.as_bytes()));
            forged.sections.retain(|(name, ..)| !name.starts_with(prefix.as_bytes()));
            let result = Open::new().bytes::<AnyFilter>(&forged.sealed());
            match (prefix, layers) {
                ("3.", 3) => assert_eq!(result.unwrap().profile().layers, 3),
                _ => assert!(
                    matches!(result, Err(LoadError::Field { name: "layers", .. })),
                    "{result:?}"
                ),
            }
        }
        let result = Open::new().bytes::<AnyFilter>(&original.with_field("layers", 2).sealed());
        assert!(matches!(result, Err(LoadError::Unknown { .. })), "{result:?}");
    }
}

/// A file's target decides how large the next layer is, so a small file must not claim a large
/// target.
#[test]
fn a_small_file_cannot_request_a_large_layer() {
    let (_, _, bytes) = sample(Kind::Scalable);
    let original = Forged::of(&bytes).with_field("0.held", u64::MAX).with_field("growth", 16);
    let mut most = 0;
    for items in (0..48).map(|bit| 1 << bit) {
        for fpr in [0.9, 0.5, 0.1, 0.01, 1e-4] {
            let forged = original.with_field("items", items).with_field("fpr", f64::to_bits(fpr));
            let Ok(mut filter) = Open::new().bytes::<AnyFilter>(&forged.sealed()) else { continue };
            let (_, peak) = with_peak(|| put(&mut filter, &Random::new(104).hashes(100)));
            most = most.max(peak);
        }
    }
    assert!(most > 0 && most < 40 * bytes.len(), "{most} for {}", bytes.len());
}
