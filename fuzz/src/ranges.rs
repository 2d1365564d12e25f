//! Range filters: no range with a key is said to be empty.

use crate::input::Input;
use anther::Seed;
use anther::range::{Keys, Range};
use std::collections::BTreeSet;
use std::num::NonZero;

/// Keys, spread in some way, and ranges.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let form = input.byte();
    let (span, fpr) = (
        [1, 10, 1 << 20, u64::MAX][usize::from(form % 4)],
        [0.5, 0.01, 1e-9][usize::from(form / 4 % 3)],
    );
    let step = NonZero::new([1, 1000][usize::from(form / 16 % 2)]).expect("above 0");
    let (is_wide, is_signed) = (form & 64 != 0, form & 128 != 0);
    let integer = |input: &mut Input<'_>| {
        let word =
            if is_wide { input.word() } else { u64::from(input.byte()) << (input.byte() % 56) };
        if is_signed { i128::from(word.cast_signed()) } else { i128::from(word) }
    };
    let (mut keys, mut model) = (Keys::with_step(step), BTreeSet::new());
    for _ in 0..input.below(24) {
        let key = integer(&mut input);
        if keys.push(key).is_ok() {
            model.insert(key);
        }
    }
    let Ok(range) = Range::from_keys(keys, span, fpr, Seed::FIXED) else { return };
    for _ in 0..8 {
        let (first, second) = (integer(&mut input), integer(&mut input));
        let (first, last) = (first.min(second), first.max(second));
        let found = range.contains_between(first, last).expect("in order");
        assert!(
            found || model.range(first..=last).next().is_none(),
            "{first} to {last}: {model:?}"
        );
    }
    assert!(model.iter().all(|key| range.contains_key(*key) == Ok(true)), "{model:?}");
    let bytes = range.to_bytes().expect("memory");
    assert_eq!(Range::from_bytes(&bytes).as_ref().ok(), Some(&range));
}
