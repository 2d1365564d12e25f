//! Loops that run ahead with a prefetch.
//!
//! A key's unit, a line of 512 bits or a block of 256, is one cache line or half of one. Beyond
//! the caches fetching that line is all that a query costs, if it was prefetched early enough: the
//! loops here run [`AHEAD`] keys ahead with a prefetch, and test a key's bits when its line has
//! come.

use super::Hashes;
use crate::parts::hash::KeyHash;
use crate::parts::words::prefetch;

/// How many keys a prefetch runs ahead. On 2 MiB pages a line among 10⁸ keys costs 4.8 to 5.3 ns
/// with 64 to 128, with 32 more than 6: the memory is kept busy only if more lines are under way
/// than a core can wait for, and the second-level cache keeps those that came. Of these 64 is best
/// for batches of 1024, whose first lines nobody asked for before: 0.86 to 0.91 of what bare lines
/// cost, where 128 came to 0.80 to 0.88.
pub(crate) const AHEAD: usize = 64;

/// Keys whose lines are tested together, and then as many asked for: two short loops in turn take 44
/// instructions a key (`cargo xtask instructions`), one that does both took 53.
const TOGETHER: usize = 16;

/// Visits so many keys, each about [`AHEAD`] keys after its lines were asked for: a ring holds those
/// between, or whatever was made of them. The hash of a later key is made while lines of earlier
/// ones are on their way.
#[inline(always)]
fn rolling<S, T: Copy + Default>(
    cells: &mut S,
    count: usize,
    mut keys: impl Iterator<Item = T>,
    ask: impl Fn(&S, T),
    mut visit: impl FnMut(&mut S, usize, &[T]),
) {
    const { assert!(AHEAD.is_multiple_of(TOGETHER)) };
    let mut ring = [T::default(); AHEAD];
    let mut fetch = |cells: &S, slots: &mut [T]| {
        for (slot, key) in slots.iter_mut().zip(&mut keys) {
            *slot = key;
            ask(cells, key);
        }
    };
    fetch(cells, &mut ring);
    for at in (0..count).step_by(TOGETHER) {
        let slots = &mut ring[at % AHEAD..][..TOGETHER];
        visit(cells, at, &slots[..TOGETHER.min(count - at)]);
        fetch(cells, slots);
    }
}

/// Tests keys while the units of later ones are on their way.
#[inline(always)]
pub(crate) fn contains_in_units<const W: usize>(
    words: &[u64],
    found: &mut [bool],
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    has: impl Fn(&[u64; W], KeyHash) -> bool,
) {
    let mut units = words.as_chunks::<W>().0;
    let fetch = |units: &&[[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    rolling(&mut units, found.len(), hashes, fetch, |units, at, keys| {
        for (found, key) in found[at..].iter_mut().zip(keys) {
            *found = has(&units[unit(*key)], *key);
        }
    });
}

/// Puts so many keys in, likewise; how many surely were not in before.
#[inline(always)]
pub(crate) fn insert_in_units<const W: usize>(
    words: &mut [u64],
    count: usize,
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    set: impl Fn(&mut [u64; W], KeyHash) -> bool,
) -> u64 {
    let mut units = words.as_chunks_mut::<W>().0;
    let fetch = |units: &&mut [[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    let mut new = 0;
    rolling(&mut units, count, hashes, fetch, |units, _, keys| {
        for key in keys {
            new += u64::from(set(&mut units[unit(*key)], *key));
        }
    });
    new
}

/// Answers for keys of any filter, or for what was made of them, while the lines of later ones are
/// on their way: `fetch` asks for those of one.
pub(crate) fn contains_ahead<T: Copy + Default>(
    found: &mut [bool],
    keys: impl Iterator<Item = T>,
    fetch: impl Fn(T),
    has: impl Fn(T) -> bool,
) {
    rolling(
        &mut (),
        found.len(),
        keys,
        |(), key| fetch(key),
        |(), at, keys| {
            for (found, key) in found[at..].iter_mut().zip(keys) {
                *found = has(*key);
            }
        },
    );
}

/// Puts so many keys of any filter in, likewise; how many surely were not in before.
pub(crate) fn insert_ahead(
    count: usize,
    hashes: impl Hashes,
    fetch: impl Fn(KeyHash),
    put: impl Fn(KeyHash) -> bool,
) -> u64 {
    let mut new = 0;
    rolling(
        &mut (),
        count,
        hashes,
        |(), key| fetch(key),
        |(), _, keys| {
            new += keys.iter().map(|key| u64::from(put(*key))).sum::<u64>();
        },
    );
    new
}
