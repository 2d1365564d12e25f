//! A secret key is never shown, and filters can be sent and shared.

use super::*;
use crate::laws::files::through_every_loader;

/// Every way to write the key or half of it, each at least 8 bytes.
fn forms_of(key: [u8; 16]) -> Vec<String> {
    let mut forms = Vec::new();
    for half in key.chunks(8) {
        let list = |number: fn(&u8) -> String| half.iter().map(number).collect::<Vec<_>>();
        forms.push(list(|byte| format!("{byte:02x}")).concat());
        forms.push(list(|byte| format!("{byte}")).join(", "));
        forms.push(list(|byte| format!("{byte:x}")).join(", "));
        forms.push(list(|byte| format!("{byte:02x}")).join(" "));
        forms.push(list(|byte| format!("{byte:#x}")).join(", "));
        let number = u64::from_le_bytes(half.try_into().unwrap());
        for number in [number, number.swap_bytes()] {
            forms.extend([format!("{number}"), format!("{number:x}")]);
            forms.push(format!("{}", number.cast_signed()));
        }
    }
    let whole = u128::from_le_bytes(key);
    forms.extend([whole, whole.swap_bytes()].map(|number| number.to_string()));
    forms
}

#[test]
fn a_secret_key_is_never_shown() {
    let seed = Seed::keyed(SECRET);
    let other = Seed::keyed([0x5A; 16]);
    let mut told = vec![format!("{seed:?} {seed:#?} {:?}", seed.kind())];
    let open = Open::new().key(SECRET);
    told.push(format!("{open:?} {open:#?}"));
    for &kind in Kind::ALL {
        let keys = Random::new(13).hashes(1000);
        let filter = filled(kind, 1000, 0.01, seed, &keys);
        told.push(format!("{filter:?} {filter:#?}"));
        told.push(format!("{:?} {:?}", filter.profile(), filter.about()));
        let bytes = bytes_of(&filter);
        for (way, loaded) in through_every_loader(&filter, open) {
            told.push(format!("{way}: {loaded:?}"));
        }
        // A wrong key, no key, a key for an unkeyed filter, a flipped bit, another filter's key.
        let (unkeyed, mut flipped) = (bytes_of(&empty(kind, 9, 0.1, Seed::FIXED)), bytes.clone());
        flipped[200] ^= 1;
        for result in [
            Open::new().key([1; 16]).bytes::<AnyFilter>(&bytes),
            Open::new().bytes(&bytes),
            open.bytes(&unkeyed),
            open.bytes(&flipped),
            open.bytes(&bytes_of(&empty(kind, 9, 0.1, other))),
        ] {
            let error = result.unwrap_err();
            told.push(format!("{error} {error:?}"));
        }
        let mut merged = filter.clone();
        let error = merged.merge(&empty(kind, 1000, 0.01, other)).unwrap_err();
        told.push(format!("{error} {error:?}"));

        // Not in the file either, nor any eight bytes of it.
        for window in SECRET.windows(8) {
            let mut reversed = window.to_vec();
            reversed.reverse();
            for secret in [window, &reversed] {
                assert!(!bytes.windows(8).any(|bytes| bytes == secret), "{kind}: in the file");
            }
        }
    }
    fn shared<F: Plain>() -> String {
        format!("{:?}", Shared::new(F::for_items(10, Seed::keyed(SECRET))).unwrap())
    }
    told.extend([shared::<Classic>(), shared::<Blocked>(), shared::<Split>()]);
    for text in told.iter().map(|text| text.to_lowercase()) {
        for form in forms_of(SECRET) {
            assert!(!text.contains(&form), "{form} in {text}");
        }
    }
    assert!(told.iter().any(|text| text.contains("Seed(keyed)")), "the search looks at something");
}

#[test]
fn filters_can_be_sent_and_shared() {
    fn value<T: Clone + Debug + PartialEq + Send + Sync + 'static>() {}
    fn threads<T: Send + Sync + 'static>() {}
    value::<Classic>();
    value::<Blocked>();
    value::<Split>();
    value::<AnyFilter>();
    value::<Seed>();
    value::<anther::Profile>();
    threads::<Shared<Classic>>();
    threads::<Shared<Blocked>>();
    threads::<Shared<Split>>();
    threads::<Open>();
    threads::<LoadError>();
    threads::<anther::SaveError>();
    threads::<Mismatch>();
}
