//! The mathematics: from items and false-positive rate to bits and probes, and back.
//!
//! Pure functions of numbers, no storage. Every formula of the project is here, once, and is tested
//! against published numbers and experiments. The letters are those of the papers: m bits, n items,
//! k probes, and p or ε for the false-positive rate (in this folder simply "the rate"). They are
//! not used elsewhere.
//!
//! | file | subject |
//! |---|---|
//! | [`bloom`] | probes spread over all bits: exact, Grandi, the usual approximations |
//! | [`blocked`] | probes within a line or a block: the mixture over unequal loads |
//! | [`counters`] | counters instead of bits: how high they get |
//! | [`regions`] | regions of bits with collision marks: which keys can be removed |
//! | [`weighted`] | more probes for the keys that are queried most |
//! | [`scalable`] | filters in a series: how many, how large, and their combined rate |
//! | [`stable`] | cells that are decremented at random: the share of zeros, and forgotten keys |
//! | [`aging`] | slices in a ring, the oldest of which is emptied: runs of matches |
//! | [`fingerprint`] | the rate of kinds that store fingerprints |
//! | [`dleft`] | fingerprints in d-left hash tables |
//! | [`quotient`] | remainders in sorted runs: one slot per key |
//! | [`cuckoo`] | fingerprints in one of two buckets: how many certainly fit |
//! | [`increments`] | variable increments: what a counter tells apart |
//! | [`wire`] | bit rows compressed in files: the fewest bits to send |
//! | [`generalized`] | bits that are cleared as well as set: the highest rate, and forgotten keys |
//! | [`robust`] | cells in a grid with prime sides: the smallest grid |
//! | [`floom`] | a filter that also stores which regions its keys touched |
//! | [`ribbon`] | columns, slots and layers of a static filter of linear equations |
//! | [`cascade`] | two ribbons that tell the keys of two lists apart: columns of the first, the entropy |
//! | [`fuse`] | binary fuse filters: slots, shards, and the width of a fingerprint |
//! | [`range`] | codes of range filters |
//! | [`iblt`] | invertible tables: cells for a difference, and estimates of its size |
//! | [`estimate`] | the number of items from the fill, with its error |
//! | [`binomial`] | the Clopper–Pearson interval for a measured rate |
//! | [`bound`] | what no filter can beat: the space bound, and the floor of a 64-bit hash |

pub mod aging;
pub mod binomial;
pub mod blocked;
pub mod bloom;
pub mod bound;
pub mod cascade;
pub mod counters;
pub mod cuckoo;
pub mod dleft;
pub mod estimate;
pub mod fingerprint;
pub mod floom;
pub mod fuse;
pub mod generalized;
pub mod iblt;
pub mod increments;
pub mod quotient;
pub mod range;
pub mod regions;
pub mod ribbon;
pub mod robust;
pub mod scalable;
pub mod stable;
pub mod weighted;
pub mod wire;

/// The smallest x in `low..=high` for which the monotone predicate `holds` is true, or `None`.
pub(crate) fn first(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (low, high);
    if low > high || !holds(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn first_finds_the_step() {
        for step in 0..=20 {
            assert_eq!(first(0, 20, |x| x >= step), Some(step));
        }
        assert_eq!(first(0, 20, |_| false), None);
        assert_eq!(first(3, 2, |_| true), None);
        assert_eq!(first(0, u64::MAX, |x| x == u64::MAX), Some(u64::MAX));
    }
}
