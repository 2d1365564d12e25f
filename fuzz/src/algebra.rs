//! Merging, folding and intersecting: the same as building from all keys.

use crate::input::Input;
use crate::small;
use anther::{AnyFilter, Blocked, Classic, Compressed, KeyHash, PlainBits, Seed, Shape, Split};
use std::sync::OnceLock;

/// A filter, and the keys of three of its like.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let empty = &mergers()[input.below(mergers().len())];
    let form = input.byte();
    let [a, b, c] = [(); 3].map(|()| input.hashes(16));
    let filled = |keys: &[&[KeyHash]]| {
        let mut filter = empty.clone();
        let keys = keys.concat();
        // Full, or of a shape that counts the keys.
        filter.insert_hashes(&keys).ok().map(|_| filter)
    };
    let merged = |mut ours: AnyFilter, theirs: &AnyFilter| ours.merge(theirs).ok().map(|()| ours);
    let all =
        [filled(&[&a]), filled(&[&b]), filled(&[&c]), filled(&[&a, &b]), filled(&[&a, &b, &c])];
    if let [Some(a), Some(b), Some(c), Some(ab), Some(abc)] = all
        && let Some(both) = merged(a.clone(), &b)
    {
        let kind = empty.kind();
        assert_eq!(both, ab, "{kind}: building from both");
        assert_eq!(merged(b.clone(), &a).as_ref(), Some(&both), "{kind}: in either direction");
        let left = merged(both, &c);
        assert!(left.is_none() || left == Some(abc), "{kind}: building from all");
        let right = merged(b, &c).and_then(|bc| merged(a, &bc));
        assert!(left.is_none() || right.is_none() || left == right, "{kind}: associative");
    }
    let (units, ratio) = (1 + u64::from(form % 12), 1 + u64::from(form / 12 % 5));
    match form % 4 {
        0 => plain(
            |size| Classic::with_shape(Shape::bits(size).probes(3), Seed::FIXED),
            units,
            ratio,
            &a,
            &b,
        ),
        1 => plain(
            |size| Blocked::with_shape(Shape::bits(512 * size).probes(3), Seed::FIXED),
            units,
            ratio,
            &a,
            &b,
        ),
        2 => plain(
            |size| Split::with_shape(Shape::bits(256 * size).probes(8), Seed::FIXED),
            units,
            ratio,
            &a,
            &b,
        ),
        _ => plain(
            |size| Compressed::with_shape(Shape::bits(size).probes(2), Seed::FIXED),
            units,
            ratio,
            &a,
            &b,
        ),
    }
}

fn mergers() -> &'static [AnyFilter] {
    static ALL: OnceLock<Vec<AnyFilter>> = OnceLock::new();
    ALL.get_or_init(|| {
        let merges = |filter: &&AnyFilter| filter.kind().capabilities().merge;
        small::empty().iter().filter(merges).cloned().collect()
    })
}

/// The laws of plain bits, for filters of `units` units and of `ratio` times as many.
fn plain<F: PlainBits + anther::Merge + PartialEq + std::fmt::Debug, E: std::fmt::Debug>(
    sized: impl Fn(u64) -> Result<F, E>,
    units: u64,
    ratio: u64,
    ours: &[KeyHash],
    theirs: &[KeyHash],
) {
    let of = |size: u64, keys: &[KeyHash]| {
        let mut filter = sized(size).expect("a small one");
        filter.insert_hashes(keys).expect("plain bits take any number");
        filter
    };
    let (small, large) = (of(units, ours), of(units * ratio, theirs));
    assert_eq!(large.fold(ratio), Ok(of(units, theirs)));
    assert!(large.fold(units * ratio + 1).is_err() && large.fold(0).is_err());
    let both = of(units, &[ours, theirs].concat());
    for (mut one, other) in [(small.clone(), &large), (large.clone(), &small)] {
        one.merge(other).expect("an integer ratio");
        assert_eq!(one, both);
    }
    let mut common = of(units, ours);
    common.intersect(&of(units, theirs)).expect("alike");
    let words = common.bits().words().iter().zip(small.bits().words());
    assert!(words.zip(of(units, theirs).bits().words()).all(|((both, a), b)| *both == a & b));
    assert!(ours.iter().filter(|key| theirs.contains(key)).all(|key| common.contains_hash(*key)));
    let mut cleared = both;
    cleared.clear();
    assert_eq!(cleared, of(units, &[]));
}
