//! The table: entries of one to eight bytes in the order of their hashes, and how it grows in place.

use super::REACH;
use super::memory::GrowingBytes;
use crate::error::GrowError;
use crate::parts::hash::KeyHash;
use crate::parts::probes::scale;

/// Slots of an empty table.
const FIRST: u64 = 64;

/// Up to this many slots the table doubles: it takes less than a megabyte.
const DOUBLES: u64 = 1 << 16;

/// The most slots: 46 GB. Up to here a slot's share of all hashes is known well enough, see
/// [`TableShape::fingerprint`].
const MOST: u64 = 1 << 33;

/// Bytes behind the last entry, so that any entry can be read and written as eight bytes, and so
/// that growing never writes over what it has still to read.
const SPARE: usize = 32;

/// Where a hash is, or where it belongs.
pub(super) enum Position {
    /// It is there.
    Here,
    /// In front of what is in this slot.
    Before(u64),
}

/// How hashes become slots and entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TableShape {
    slots: u64,
    /// The bytes of an entry. 0 is an empty slot.
    width: usize,
    /// The bits of a fingerprint.
    bits: u32,
    /// A slot's share of all hashes, rounded up.
    share: u64,
}

impl TableShape {
    fn new(slots: u64, width: usize, bits: u32) -> TableShape {
        TableShape { slots, width, bits, share: (u64::MAX / slots).saturating_add(1) }
    }

    /// The fewest bytes of an entry. Entries that a search compares are within `REACH` slots on
    /// either side of each other, less than 2⁸, so the bits above those of 2⁸ slots need not be
    /// stored.
    fn least_width(slots: u64, bits: u32) -> usize {
        let known = slots.ilog2().saturating_sub(8).min(bits - 1);
        (bits - known).div_ceil(8) as usize
    }

    /// Slots behind the last home. More of them the narrower entries are, for
    /// [`grow`](SortedTable::grow): w'·tail(w') ≥ w·tail(w) + 2w' for all w' < w.
    fn tail(self) -> u64 {
        (1024 + 48 * (8 - self.width as u64)).div_ceil(self.width as u64)
    }

    /// The bytes of all entries.
    fn bytes(self) -> usize {
        usize::try_from(self.slots + self.tail()).unwrap_or(usize::MAX).saturating_mul(self.width)
    }

    /// How many keys fit.
    fn most(self) -> u64 {
        self.slots / 10 * 9 + self.slots % 10 * 9 / 10
    }

    /// The next larger one, in which all entries take at least as many bytes together.
    fn grown(self) -> TableShape {
        let slots = if self.slots < DOUBLES { self.slots * 2 } else { self.slots / 16 * 19 };
        let width = TableShape::least_width(slots, self.bits).max(self.width - 1).max(1);
        let same_bytes = (self.slots * self.width as u64).div_ceil(width as u64);
        TableShape::new(slots.max(same_bytes), width.min(self.width), self.bits)
    }

    #[inline]
    fn home(self, hash: u64) -> u64 {
        scale(hash, self.slots)
    }

    #[inline]
    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.width)
    }

    #[inline]
    fn entry(self, hash: u64) -> u64 {
        hash >> (64 - self.bits) & self.mask()
    }

    /// The hash whose entry is in this slot: the largest of that entry whose home is not behind the
    /// slot. The upper bound is too high by at most a slot's number, which for `MOST` slots is four
    /// slots' share.
    #[inline]
    fn hash(self, slot: u64, entry: u64) -> u64 {
        let unused = 64 - self.bits;
        if 8 * self.width as u64 >= u64::from(self.bits) {
            return entry << unused;
        }
        let bound = (slot + 1).saturating_mul(self.share) >> unused;
        bound.wrapping_sub(bound.wrapping_sub(entry) & self.mask()) << unused
    }
}

#[derive(Debug)]
pub(super) struct SortedTable {
    shape: TableShape,
    memory: GrowingBytes,
}

impl SortedTable {
    pub fn empty(bits: u32) -> SortedTable {
        let shape = TableShape::new(FIRST, TableShape::least_width(FIRST, bits), bits);
        SortedTable { shape, memory: GrowingBytes::zeroed(shape.bytes() + SPARE) }
    }

    /// `None` if the hashes are not in order, not `len` in number, or not evenly spread.
    pub fn of_sorted(
        bits: u32,
        len: u64,
        sorted: impl IntoIterator<Item = KeyHash>,
    ) -> Result<Option<SortedTable>, GrowError> {
        let mut table = SortedTable::empty(bits);
        // Looser than a table may be, so that no entry is too far behind its home.
        table.shape = table.shape_for(len.saturating_add(len / 16));
        if table.shape.slots > MOST {
            return Err(GrowError::TooMany);
        }
        table.memory.extend_to(table.shape.bytes() + SPARE)?;
        let (mut next, mut count, mut last) = (0, 0, None);
        for key in sorted {
            let hash = table.canonical(key);
            let home = table.shape.home(hash);
            let slot = home.max(next);
            if hash != key.0 || last >= Some(hash) || count == len || slot - home >= REACH {
                return Ok(None);
            }
            let entry = table.shape.entry(hash);
            table.write(slot, entry);
            (next, last, count) = (slot + 1, Some(hash), count + 1);
        }
        Ok((count == len).then_some(table))
    }

    pub fn bits(&self) -> u32 {
        self.shape.bits
    }

    /// How many keys fit before it grows.
    #[inline]
    pub fn most(&self) -> u64 {
        self.shape.most()
    }

    pub fn len_bytes(&self) -> usize {
        self.memory.bytes().len()
    }

    pub fn bytes_for(&self, len: u64) -> u64 {
        (self.shape_for(len).bytes() + SPARE) as u64
    }

    fn shape_for(&self, len: u64) -> TableShape {
        let mut shape = self.shape;
        while shape.most() <= len && shape.slots <= MOST {
            shape = shape.grown();
        }
        shape
    }

    /// The hash as this set knows it: without the bits that are not kept, and with one of those that
    /// are always stored, since an entry of 0 is an empty slot. That makes two hashes one in 2⁴⁰ for
    /// fingerprints of 64 bits.
    #[inline]
    pub fn canonical(&self, key: KeyHash) -> u64 {
        let unused = 64 - self.shape.bits;
        let kept = key.0 >> unused;
        let stored = u64::MAX >> (64 - 8 * TableShape::least_width(MOST, self.shape.bits));
        (kept | u64::from(kept & stored == 0)) << unused
    }

    /// The memory of a hash's home slot.
    #[inline]
    pub fn line(&self, hash: u64) -> *const u8 {
        self.memory.bytes().as_ptr().wrapping_add(self.at(self.shape.home(hash)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the table is in memory")]
    #[inline]
    fn at(&self, slot: u64) -> usize {
        slot as usize * self.shape.width
    }

    #[inline]
    fn read(&self, slot: u64) -> u64 {
        eight(self.memory.bytes(), self.at(slot)) & self.shape.mask()
    }

    #[inline]
    fn write(&mut self, slot: u64, entry: u64) {
        let at = self.at(slot);
        let (mask, bytes) = (self.shape.mask(), self.memory.bytes_mut());
        let others = eight(bytes, at) & !mask;
        bytes[at..at + 8].copy_from_slice(&(others | entry).to_le_bytes());
    }

    /// Looks from the home slot on, up to the first entry of a larger hash. The upper bits of both
    /// are less than half of all that entries can tell apart, so the difference of two entries is
    /// that of their hashes.
    #[inline]
    pub fn find(&self, hash: u64) -> Position {
        let (wanted, mask) = (self.shape.entry(hash), self.shape.mask());
        let mut slot = self.shape.home(hash);
        let (bytes, mut at) = (self.memory.bytes(), self.at(slot));
        loop {
            let entry = eight(bytes, at) & mask;
            if entry == wanted {
                return Position::Here;
            }
            if entry == 0 || wanted.wrapping_sub(entry) & mask > mask / 2 {
                return Position::Before(slot);
            }
            slot += 1;
            at += self.shape.width;
        }
    }

    /// Inserts a hash into this slot, and moves what is there. False, and nothing changes, if an
    /// entry would come too far behind its home.
    #[inline]
    pub fn insert(&mut self, slot: u64, hash: u64) -> bool {
        let home = self.shape.home(hash);
        let free = self.next_free(slot);
        if slot - home >= REACH || free >= self.shape.slots + self.shape.tail() {
            return false;
        }
        // Those that move have their homes behind this one's, so only in a long row it must be
        // looked at where.
        if free - home >= REACH {
            let too_far = |moved| {
                let home = self.shape.home(self.shape.hash(moved, self.read(moved)));
                moved + 1 - home >= REACH
            };
            if (slot..free).any(too_far) {
                return false;
            }
        }
        if free > slot {
            let (from, to) = (self.at(slot), self.at(free));
            self.memory.bytes_mut().copy_within(from..to, from + self.shape.width);
        }
        let entry = self.shape.entry(hash);
        self.write(slot, entry);
        true
    }

    /// The first empty slot from here on.
    #[inline]
    fn next_free(&self, slot: u64) -> u64 {
        let (bytes, mask, width) = (self.memory.bytes(), self.shape.mask(), self.shape.width);
        let (mut free, mut at) = (slot, self.at(slot));
        while eight(bytes, at) & mask != 0 {
            free += 1;
            at += width;
        }
        free
    }

    /// Makes the table larger. All entries move to the end of the new one, and from there to their
    /// new slots, the first one first.
    ///
    /// Nothing is written over that is still to be read. Let M and M' be the slots, p and p' the slots
    /// of the j-th entry, and h its share of all hashes. p is the largest of home+(j-i) for the
    /// i-th entry, i ≤ j, and homes move by less than h(M'-M)+1, so p' ≤ p + h(M'-M) + 1. The old
    /// entries end where the new ones end, or `SPARE`-8 bytes behind. So p' ends before the old
    /// entry j+1 begins, if w' = w; and if w' < w, since then w'M' ≥ wM, and by the choice of
    /// [`TableShape::tail`].
    pub fn grow(&mut self) -> Result<(), GrowError> {
        let (old, new) = (self.shape, self.shape.grown());
        if new.slots > MOST {
            return Err(GrowError::TooMany);
        }
        self.memory.extend_to(new.bytes() + SPARE)?;
        self.shape = new;
        let bytes = self.memory.bytes_mut();
        let start = bytes.len() - 8 - old.bytes();
        bytes.copy_within(..old.bytes(), start);
        // Bytes up to `end` are those of the new table.
        let (mut next, mut end, mut from) = (0, 0, start);
        for slot in 0..old.slots + old.tail() {
            let entry = eight(bytes, from) & old.mask();
            from += old.width;
            if entry == 0 {
                continue;
            }
            let hash = old.hash(slot, entry);
            let to = new.home(hash).max(next);
            #[expect(clippy::cast_possible_truncation, reason = "the table is in memory")]
            let at = to as usize * new.width;
            debug_assert!(at + 8 <= from, "the next entry is still to be read");
            while end < at {
                bytes[end..end + 8].fill(0);
                end += new.width;
            }
            bytes[at..at + 8].copy_from_slice(&new.entry(hash).to_le_bytes());
            (next, end) = (to + 1, at + new.width);
        }
        bytes[end..].fill(0);
        Ok(())
    }

    /// All hashes in ascending order.
    pub fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        let slots = 0..self.shape.slots + self.shape.tail();
        slots
            .map(|slot| (slot, self.read(slot)))
            .filter(|(_, entry)| *entry != 0)
            .map(|(slot, entry)| self.shape.hash(slot, entry))
    }
}

#[inline]
fn eight(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}
