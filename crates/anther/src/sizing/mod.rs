//! The mathematics: from items and rate to bits and probes, and back.
//!
//! Pure functions of numbers, no storage. Every formula of the project lives here, once, and is
//! tested against published numbers and against experiments. The letters are those of the
//! papers: m bits, n items, k probes, and p or ε for the rate; they stay in this folder.
//!
//! | file | what it solves |
//! |---|---|
//! | [`bloom`] | probes spread over all bits: exact, Grandi, the usual approximations |
//! | [`blocked`] | probes within a line or a block: the mixture over unequal loads |
//! | [`counters`] | counters in the place of bits: how high they get |
//! | [`regions`] | marked regions of bits: which keys can be removed |
//! | [`weighted`] | more probes for the keys that are asked most |
//! | [`scalable`] | filters in a series: how many, how large, and their rate together |
//! | [`stable`] | cells that are lowered at random: how many zeros, and what is forgotten |
//! | [`fingerprint`] | the rate of kinds that keep fingerprints |
//! | [`dleft`] | fingerprints in d-left hash tables |
//! | [`quotient`] | remainders in sorted runs: a slot a key |
//! | [`cuckoo`] | fingerprints that make room for each other: how many surely fit |
//! | [`increments`] | counters raised by different amounts: what a cell tells apart |
//! | [`wire`] | rows that are coded in files: the fewest bits to send |
//! | [`generalized`] | bits that are cleared as well as set: the highest rate, and what is forgotten |
//! | [`robust`] | cells in a grid with prime sides: the smallest grid |
//! | [`floom`] | a filter that also keeps which regions its keys touched |
//! | [`ribbon`] | columns, slots and layers of a static filter of equations |
//! | [`fuse`] | binary fuse filters: slots, shards, and the width of a fingerprint |
//! | [`iblt`] | invertible tables: cells for a difference, and how large one was |
//! | [`estimate`] | how many items made this fill, with its error |
//! | [`binomial`] | what a count of events says of their rate: the interval of Clopper and Pearson |
//! | [`bound`] | what no filter can beat: the space bound, and the floor of a 64-bit hash |

pub mod binomial;
pub mod blocked;
pub mod bloom;
pub mod bound;
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
pub mod regions;
pub mod ribbon;
pub mod robust;
pub mod scalable;
pub mod stable;
pub mod weighted;
pub mod wire;

/// The smallest x in `low..=high` for which `holds` is true, where it is false and then true.
/// `None` when it is false throughout.
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
