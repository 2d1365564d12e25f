//! Loops that run ahead with a prefetch.
//!
//! A key's unit, a line of 512 bits or a block of 256, is one cache line or half of one. Beyond
//! the caches a lookup costs no more than fetching that line, if the prefetch comes early enough:
//! the loops here prefetch [`AHEAD`] keys ahead, and test a key's bits when its line has arrived.

use super::Hashes;
use crate::parts::hash::KeyHash;
use crate::parts::words::prefetch;

/// How many keys a prefetch runs ahead. On 2 MiB pages a line among 10⁸ keys costs 4.8 to 5.3 ns
/// with 64 to 128, with 32 more than 6: the memory is kept busy only if more lines are under way
/// than a core can wait for, and the second-level cache keeps those that came. Of these 64 is best
/// for batches of 1024, whose first lines are not prefetched: it reaches 0.86 to 0.91 of the speed
/// of bare memory reads, 128 reaches 0.80 to 0.88.
pub(crate) const AHEAD: usize = 64;

/// Keys per round: a round tests this many and then prefetches as many. Two short loops take 44
/// instructions per key (`cargo xtask instructions`); one loop that does both took 53.
const TOGETHER: usize = 16;

/// Visits `count` keys, each about [`AHEAD`] keys after its lines were prefetched. A ring holds the
/// keys in between, or what was computed from them. Later keys are hashed while the lines of
/// earlier ones are fetched.
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

/// Whether a row is in the second-level cache, or soon will be: then its lines come as fast as the
/// processor runs ahead by itself, and a loop without prefetches takes a third less time.
pub(crate) fn is_near(words: &[u64]) -> bool {
    size_of_val(words) <= 256 << 10
}

/// Tests keys while the units of later keys are fetched.
#[inline(always)]
pub(crate) fn contains_in_units<const W: usize>(
    words: &[u64],
    found: &mut [bool],
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    has: impl Fn(&[u64; W], KeyHash) -> bool,
) {
    let mut units = words.as_chunks::<W>().0;
    if is_near(words) {
        for (found, key) in found.iter_mut().zip(hashes) {
            *found = has(&units[unit(key)], key);
        }
        return;
    }
    let fetch = |units: &&[[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    rolling(&mut units, found.len(), hashes, fetch, |units, at, keys| {
        for (found, key) in found[at..].iter_mut().zip(keys) {
            *found = has(&units[unit(*key)], *key);
        }
    });
}

/// Inserts `count` keys in the same way. Returns how many of them are certainly new.
#[inline(always)]
pub(crate) fn insert_in_units<const W: usize>(
    words: &mut [u64],
    count: usize,
    hashes: impl Hashes,
    unit: impl Fn(KeyHash) -> usize,
    set: impl Fn(&mut [u64; W], KeyHash) -> bool,
) -> u64 {
    let near = is_near(words);
    let mut units = words.as_chunks_mut::<W>().0;
    if near {
        let set = |key| u64::from(set(&mut units[unit(key)], key));
        return hashes.take(count).map(set).sum();
    }
    let fetch = |units: &&mut [[u64; W]], key| prefetch(units.as_ptr().wrapping_add(unit(key)));
    let mut new = 0;
    rolling(&mut units, count, hashes, fetch, |units, _, keys| {
        for key in keys {
            new += u64::from(set(&mut units[unit(*key)], *key));
        }
    });
    new
}

/// Looks up keys of any filter, or what was computed from them, while the lines of later keys are
/// fetched. `fetch` prefetches the lines of one key.
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

/// Inserts `count` keys into any filter in the same way. Returns how many of them are certainly new.
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
