//! Static kinds: every key is found, with its value, and no key of a second list.

use crate::input::Input;
use crate::small;
use anther::{
    AnyFilter, Bloomier, BuildError, Cascade, Filter, KeyHash, Kind, Lookup, Options, Seed, Target,
    Threads, Work,
};
use std::collections::{BTreeMap, BTreeSet};

/// A kind, its options, and keys.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (kind, form) = (input.below(4), input.byte());
    // One of them has fingerprints of a byte, which are read in another way.
    let fpr = [0.5, 1.0 / 256.0, 0.01, 1e-6][usize::from(form % 4)];
    let keys = input.hashes(40);
    let target = Target::new((keys.len() as u64).max(1), fpr).expect("in range");
    let work = Work::new().threads(Threads::new(1));
    let options = match form & 4 {
        4 if kind == 0 || kind == 1 => Options::new().arity(4),
        _ => Options::new(),
    };
    let filter: AnyFilter = match kind {
        0 => {
            let mut map = BTreeMap::new();
            map.extend(keys.iter().map(|key| (*key, u64::from(input.byte()))));
            let mut pairs: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
            let options = options.value_bits(8);
            let is_mutable = form & 8 != 0;
            let built =
                Bloomier::build_pairs(&mut pairs, target, &options, is_mutable, Seed::FIXED, work);
            let built = built.expect("a map of each key to one value");
            assert!(map.iter().all(|(key, value)| built.get_hash(*key) == Some(*value)));
            built.into()
        }
        1 => built(Kind::Fuse, &keys, target, &options, work),
        2 => built(Kind::Ribbon, &keys, target, &options, work),
        _ => {
            let others = input.hashes(40);
            let rate = (form & 8 != 0).then_some(fpr);
            let cascade =
                Cascade::build_lists(&mut &keys[..], &mut &others[..], rate, Seed::FIXED, work);
            let members: BTreeSet<KeyHash> = keys.iter().copied().collect();
            let shared = others.iter().any(|key| members.contains(key));
            match cascade {
                Err(BuildError::InBoth { .. }) => return assert!(shared),
                cascade => {
                    let cascade = cascade.expect("two lists");
                    assert!(!shared && others.iter().all(|key| !cascade.contains_hash(*key)));
                    cascade.into()
                }
            }
        }
    };
    assert!(keys.iter().all(|key| filter.contains_hash(*key)), "{} lost a key", filter.kind());
    small::reopened(&filter);
}

fn built(
    kind: Kind,
    mut keys: &[KeyHash],
    target: Target,
    options: &Options,
    work: Work<'_>,
) -> AnyFilter {
    AnyFilter::build(kind, &mut keys, target, options, Seed::FIXED, work).expect("any keys")
}
