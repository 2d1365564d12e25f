//! Small filters of every kind and form, made once.

use anther::{AnyFilter, Increments, Kind, Method, Open, Options, Save, Seed, Target};
use std::sync::OnceLock;

/// Empty filters of every kind that takes keys one by one, with its options.
pub fn empty() -> &'static [AnyFilter] {
    static ALL: OnceLock<Vec<AnyFilter>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for &kind in Kind::ALL {
            for options in forms(kind) {
                for (items, fpr) in [(1, 0.5), (5, 0.2), (24, 0.01), (40, 1e-4)] {
                    let target = Target::new(items, fpr).expect("in range");
                    all.extend(AnyFilter::with_options(kind, target, &options, Seed::FIXED));
                }
            }
        }
        all
    })
}

/// Options that change how a kind works.
fn forms(kind: Kind) -> Vec<Options> {
    let none = Options::new();
    let narrow = none.counter_bits(2);
    match kind {
        Kind::Aging => vec![none, none.window(3)],
        Kind::Counting => vec![none, narrow],
        Kind::Cuckoo => [2, 4, 8].map(|size| none.bucket_size(size)).into(),
        Kind::Deletable => vec![none, none.regions(4)],
        Kind::Scalable => {
            let over = [Kind::Blocked, Kind::Classic, Kind::Counting].map(|kind| none.over(kind));
            [over.to_vec(), vec![none.over(Kind::Classic).growth(1)]].concat()
        }
        Kind::Spectral => {
            let methods = [Method::Minimum, Method::Increase, Method::Recurring];
            methods.iter().flat_map(|method| [none, narrow].map(|it| it.method(*method))).collect()
        }
        Kind::VariableIncrement => Increments::ALL.map(|set| none.increments(set)).into(),
        _ => vec![none],
    }
}

/// Saved and opened again, it is the same.
pub fn reopened(filter: &AnyFilter) -> AnyFilter {
    let bytes = Save::new().bytes(filter).expect("memory");
    let again = Open::new().without_hashing().bytes::<AnyFilter>(&bytes).expect("what was saved");
    assert_eq!(again, *filter);
    again
}
