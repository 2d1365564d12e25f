//! The cuckoo filter: fingerprints that make room for each other (Fan, Andersen, Kaminsky and
//! Mitzenmacher, CoNEXT 2014).
//!
//! **For**: sets whose keys are removed again, small and fast: 10.53 bits per key at 1 %, where
//! [`DLeft`](crate::DLeft) takes 18.67 and [`Counting`](crate::Counting) 38.37. At 0.1 % it is also
//! smaller than [`Classic`](crate::Classic), 13.68 against 14.38, and below 0.05 % always. A lookup
//! takes 1 to 1.3 times as long as in classic, an insert 2.4 times as long among 10⁶ keys, and a
//! removal nine tenths of an insert. [`Quotient`](crate::Quotient) takes 0.9 bits per key less at 1 %, can be merged, and
//! doubles by itself. But its lookups take three to four times and its inserts seven times as long, and
//! removing from a full filter sixty times.
//!
//! **Not for** more keys than its capacity: it rejects inserts when full. Not for keys that are
//! inserted many times: each copy takes a cell, and the ninth is rejected. Two cuckoo filters cannot
//! be merged. Small ones waste space: at 1 % a hundred keys take 17 bits each. Where no key is ever
//! removed, [`Blocked`](crate::Blocked) is faster and [`Ribbon`](crate::Ribbon) smaller.
//!
//! A key has a bucket on the left side and a tag (its fingerprint). The tag alone gives the
//! distance, modulo the size of a side, to the key's bucket on the right side. So a tag in one
//! bucket determines its other bucket without the key. The tag may be in either. Where both are
//! full, some tags move to their other buckets. The shortest chain of such moves is searched for
//! first, so a rejected key has moved nothing.
//!
//! The paper computes the other bucket as bucket XOR hash(tag). That needs a power of two of
//! buckets, which can leave half of the space empty. (hash − bucket) mod n works for any n, but it
//! maps some buckets to themselves, and keys there have only one bucket: among 400 keys, five share
//! one with probability 10⁻⁷. With two sides, nine share a pair with probability 3·10⁻¹⁰. Two sides
//! also make all buckets equally likely, so the false-positive rate is exact. Bucket and tag
//! together are a prefix of the key's hash, which makes [`Cuckoo::double`] possible.
//!
//! The false-positive rate is [`sizing::cuckoo::Size::rate`](crate::sizing::cuckoo::Size::rate).
//! [`holds`](crate::sizing::cuckoo::Size::holds) ensures that the capacity fits.

use super::cells;
use crate::batch::Hashes;
use crate::batch::ahead::{self, AHEAD};
use crate::error::{Full, LoadError, RemoveError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::packed::Packed;
use crate::parts::probes::scale;
use crate::parts::view::{Row, Touch, View};
use crate::profile::{About, Profile};
use crate::sizing::cuckoo::{self, Size};
use crate::sizing::estimate;
use crate::target::{Plan, Target};
use crate::traits::{Count, Filter, ForTarget, Insert, Inspect, Planned, Remove};
use std::hint::select_unpredictable;
use std::ops::Range;

/// The cuckoo filter.
///
/// ```
/// use anther::{Classic, Cuckoo, Target};
///
/// let target = Target::new(10_000, 0.001)?;
/// let mut sessions = Cuckoo::new(target)?;
/// for user in 0..10_000u32 {
///     sessions.insert(user)?; // never rejected: within its capacity
/// }
/// assert!(sessions.remove(7u32)?);
/// assert!(!sessions.contains(7u32), "gone");
/// assert!((8..10_000u32).all(|user| sessions.contains(user)), "the others stay");
/// assert!(sessions.profile().bits < Classic::new(target)?.profile().bits, "in less space");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cuckoo {
    /// The cells of the buckets on the left, then of those on the right. 0 is empty, else a tag.
    tags: Packed,
    size: Size,
    /// Computed from the size, once and not per key.
    masks: Masks,
    about: About,
}

/// What finds a tag among all cells of a bucket at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Masks {
    /// The lowest bit of each cell. 0 if a bucket is too large to be read at once.
    ones: u64,
    /// The highest bit of each cell.
    highest: u64,
    /// The inverse of the distance between two bits that stand for cells, times 2¹⁶ and rounded up.
    /// Multiplying with it is exact for 64 bits and faster than a division.
    cells_per_bit: u32,
    /// Multiplying the lowest bits of cells with it sums them up in the highest bits of a word.
    sum: u64,
    tag_bits: u32,
}

impl Masks {
    fn of(Size { bucket_size, tag_bits, .. }: Size) -> Masks {
        let bits = bucket_size * tag_bits;
        // Buckets begin at multiples of their size, which limits the bit of a byte.
        let within_byte = 8 - (1 << bits.trailing_zeros().min(3));
        if within_byte + bits > u64::BITS {
            return Masks { ones: 0, highest: 0, cells_per_bit: 1 << 16, sum: 0, tag_bits };
        }
        let ones = (0..bucket_size).fold(0, |ones, cell| ones | 1 << (cell * tag_bits));
        Masks {
            ones,
            highest: ones << (tag_bits - 1),
            cells_per_bit: (1 << 16) / tag_bits + 1,
            sum: ones << (u64::BITS - bits),
            tag_bits,
        }
    }

    /// How many cells these highest bits stand for. Without the instruction for it, which Cargo's
    /// default flags do not allow, counting ones takes twelve others.
    #[inline]
    fn count(self, holding: u64) -> u64 {
        if self.ones == 0 {
            return holding.count_ones().into();
        }
        // At most 8, which fits in the 4 bits that a tag has at least.
        (holding >> (self.tag_bits - 1)).wrapping_mul(self.sum) >> (u64::BITS - self.tag_bits)
    }

    /// The highest bits of those cells that hold a tag; with tag 0, of the empty ones.
    #[inline]
    fn holding(self, tag: u64, cells: u64) -> u64 {
        // A cell that holds the tag is 0 after the xor. Only then neither the cell nor the sum of
        // its lower bits and as many ones has the highest bit set.
        let (cells, lower) = (cells ^ (self.ones * tag), self.highest - self.ones);
        !(((cells & lower) + lower) | cells) & self.highest
    }
}

const FULL: Full = Full::of(Kind::Cuckoo);

/// A key's buckets, one on each side.
const PROBES: u32 = 2;

/// A bucket on the way to an empty cell.
#[derive(Clone, Copy)]
struct Step {
    bucket: u64,
    /// The step before.
    from: u32,
    /// The cell there, counted within its bucket, whose tag could move here.
    cell: u32,
}

/// The numbers that a search has seen, with false positives.
struct Seen([u64; 64]);

impl Default for Seen {
    fn default() -> Seen {
        Seen([0; 64])
    }
}

impl Seen {
    /// Inserts a bucket. Returns true if it is certainly new.
    fn insert(&mut self, bucket: u64) -> bool {
        let word = &mut self.0[(bucket / 64 % 64) as usize];
        let bit = 1 << (bucket % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

impl Cuckoo {
    /// Tags (fingerprints) per bucket. A million keys at 1 % take 10.53 bits each. With 2 they take 15.48: 84 % of
    /// the cells are used, and tags need 13 bits, so that five keys hardly ever share two
    /// buckets. With 8 they take
    /// 11.22: 98 % are used, but a query compares twice as many tags, which need one bit more.
    pub const DEFAULT_BUCKET_SIZE: u32 = 4;
    /// The search for room gives up after this many buckets. See [`cuckoo::Load::published`].
    const SEARCH: usize = 2048;

    /// Makes an empty filter of `buckets` buckets on each of its two sides, each of 1, 2, 4 or 8
    /// tags of 4 to 32 bits.
    pub fn with_buckets(
        buckets: u64,
        bucket_size: u32,
        tag_bits: u32,
        seed: Seed,
    ) -> Result<Cuckoo, SizeError> {
        let (least, most) = cuckoo::TAG_BITS;
        options::within(Kind::Cuckoo, "tag-bits", tag_bits, least, most)?;
        check_bucket(bucket_size, &[1, 2, 4, 8], "1, 2, 4 or 8")?;
        Cuckoo::sized(Size { buckets, bucket_size, tag_bits }, seed, None)
    }

    /// Doubles the number of buckets, and so the capacity, without needing the keys: the top bit
    /// of each tag becomes the lowest bit of its bucket number. The false-positive rate is unchanged
    /// at first and doubles as the new space fills up. Fails if tags have only 4 bits or if memory
    /// runs out; then nothing changes.
    ///
    /// ```
    /// use anther::{Cuckoo, Target};
    ///
    /// let mut seen = Cuckoo::new(Target::new(1000, 0.001)?)?;
    /// for key in 0..2000u32 {
    ///     if seen.insert(key).is_err() {
    ///         seen.double()?;
    ///         seen.insert(key)?;
    ///     }
    /// }
    /// assert!((0..2000u32).all(|key| seen.contains(key)));
    /// assert!(seen.profile().fpr_now < 0.002);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// At 1 % tags have 10 bits, so a filter can double six times: it then holds 64 times the keys,
    /// at 64 times the false-positive rate.
    ///
    /// It also fails where keys with many copies no longer fit side by side. And short tags spread
    /// less well: with 4-bit tags and buckets of two, one filter in thirty rejected a key soon
    /// after doubling.
    pub fn double(&mut self) -> Result<(), Full> {
        let (size, about) = (self.size.doubled().ok_or(FULL)?, &self.about);
        let mut twice = Cuckoo::sized(size, about.seed, about.target).map_err(|_| FULL)?;
        for bucket in 0..2 * self.size.buckets {
            for tag in self.cells_of(bucket).map(|cell| self.tags.get(cell)) {
                if tag == 0 {
                    continue;
                }
                let left = bucket.min(self.other(bucket, tag));
                let left = 2 * left + (tag >> size.tag_bits);
                // A tag that was stored as 1 may really be 0, and is stored as 1 again.
                let tag = (tag & !(1 << size.tag_bits)).max(1);
                twice.insert_tag(tag, [left, twice.other(left, tag)])?;
            }
        }
        twice.about = self.about.clone();
        *self = twice;
        Ok(())
    }

    fn sized(size: Size, seed: Seed, target: Option<Target>) -> Result<Cuckoo, SizeError> {
        let tags = Packed::zeroed(check_bits(size)?.cells(), size.tag_bits)?;
        Ok(Cuckoo { tags, size, masks: Masks::of(size), about: About::new(seed, target) })
    }

    /// The key's tag, and its buckets on the left and the right.
    #[inline]
    fn tag_and_buckets(&self, key: KeyHash) -> (u64, [u64; 2]) {
        // Mixed once more: external hashes that share their first bits would all have the same
        // bucket on the left.
        let product = u128::from(key.again(0).0) * u128::from(self.size.buckets);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (left, rest) = ((product >> 64) as u64, product as u64);
        let tag = (rest >> (64 - self.size.tag_bits)).max(1);
        (tag, [left, self.other(left, tag)])
    }

    /// The other bucket of a tag in this bucket.
    #[inline]
    fn other(&self, bucket: u64, tag: u64) -> u64 {
        let side = self.size.buckets;
        let offset = scale(KeyHash(tag).again(1).0, side);
        if bucket < side {
            let there = bucket + offset;
            if there < side { there + side } else { there }
        } else {
            let there = bucket - offset;
            if there < side { there } else { there - side }
        }
    }

    fn cells_of(&self, bucket: u64) -> Range<u64> {
        let size = u64::from(self.size.bucket_size);
        bucket * size..(bucket + 1) * size
    }

    /// All cells of a bucket, if they can be read at once.
    #[inline]
    fn read(&self, bucket: u64) -> Option<u64> {
        let bits = u64::from(self.size.bucket_size * self.size.tag_bits);
        (self.masks.ones != 0).then(|| self.tags.bits_from(bucket * bits))
    }

    /// A bit for each cell of a bucket that holds this tag, the first lowest; with tag 0, for each
    /// that is empty.
    #[inline]
    fn holding(&self, tag: u64, bucket: u64) -> u64 {
        match self.read(bucket) {
            Some(cells) => self.masks.holding(tag, cells),
            None => self.holding_one_by_one(tag, bucket),
        }
    }

    /// The same for the tag, and for the empty ones.
    #[inline]
    fn holding_and_empty(&self, tag: u64, bucket: u64) -> (u64, u64) {
        match self.read(bucket) {
            Some(cells) => (self.masks.holding(tag, cells), self.masks.holding(0, cells)),
            None => (self.holding_one_by_one(tag, bucket), self.holding_one_by_one(0, bucket)),
        }
    }

    #[inline(never)]
    fn holding_one_by_one(&self, tag: u64, bucket: u64) -> u64 {
        let holding = self.cells_of(bucket).map(|cell| u64::from(self.tags.get(cell) == tag));
        holding.rev().fold(0, |all, one| all << 1 | one)
    }

    /// The first of these cells of a bucket.
    #[inline]
    fn first(&self, bucket: u64, holding: u64) -> Option<u64> {
        let cell = (holding.trailing_zeros() * self.masks.cells_per_bit) >> 16;
        (holding != 0).then(|| self.cells_of(bucket).start + u64::from(cell))
    }

    #[inline]
    fn holds(&self, tag: u64, [left, right]: [u64; 2]) -> bool {
        self.holding(tag, left) | self.holding(tag, right) != 0
    }

    /// How many cells hold this tag.
    fn copies(&self, tag: u64, [left, right]: [u64; 2]) -> u64 {
        [left, right].map(|bucket| self.masks.count(self.holding(tag, bucket))).iter().sum()
    }

    /// Moves tags to their other buckets until one of the key's buckets has an empty cell. Finds
    /// the shortest chain of moves, breadth first; without such a chain nothing moves.
    #[inline(never)]
    fn make_room(&mut self, left: u64, right: u64) -> Option<u64> {
        let mut seen = Seen::default();
        let mut steps = Vec::with_capacity(64);
        for bucket in [left, right] {
            seen.insert(bucket);
            steps.push(Step { bucket, from: 0, cell: 0 });
        }
        let mut at = 0;
        while let Some(&Step { bucket: full, .. }) = steps.get(at as usize) {
            for (cell, place) in (0..).zip(self.cells_of(full)) {
                let bucket = self.other(full, self.tags.get(place));
                if let Some(empty) = self.first(bucket, self.holding(0, bucket)) {
                    return Some(self.shift(&steps, (at, cell), empty));
                }
                // A shortest chain visits no bucket twice.
                if steps.len() < Cuckoo::SEARCH
                    && (seen.insert(bucket) || steps.iter().all(|step| step.bucket != bucket))
                {
                    steps.push(Step { bucket, from: at, cell });
                }
            }
            at += 1;
        }
        None
    }

    /// Moves the tags of a chain, the last first, each to the cell that the next one left. Returns
    /// the cell that the first of them left.
    fn shift(&mut self, steps: &[Step], (mut at, mut cell): (u32, u32), mut empty: u64) -> u64 {
        loop {
            let step = steps[at as usize];
            let full = self.cells_of(step.bucket).start + u64::from(cell);
            self.tags.set(empty, self.tags.get(full));
            empty = full;
            // The first two are the key's own buckets.
            if at < 2 {
                return empty;
            }
            (at, cell) = (step.from, step.cell);
        }
    }

    /// Inserts a tag into an empty cell of the bucket that has more of them. Returns true if the tag
    /// was in neither.
    #[inline]
    fn insert_tag(&mut self, tag: u64, [left, right]: [u64; 2]) -> Result<bool, Full> {
        let (here, empty_here) = self.holding_and_empty(tag, left);
        let (there, empty_there) = self.holding_and_empty(tag, right);
        let right_has_more = self.masks.count(empty_here) < self.masks.count(empty_there);
        let bucket = select_unpredictable(right_has_more, right, left);
        let empty = select_unpredictable(right_has_more, empty_there, empty_here);
        let room = self.first(bucket, empty).or_else(|| self.make_room(left, right));
        self.tags.set_alone(room.ok_or(FULL)?, tag);
        Ok(here | there == 0)
    }

    #[inline]
    fn insert_key(&mut self, tag: u64, buckets: [u64; 2]) -> Result<bool, Full> {
        let new = self.insert_tag(tag, buckets).map_err(|full| {
            let (copies, most) = (self.copies(tag, buckets), 2 * u64::from(self.size.bucket_size));
            Full { copies: (copies == most).then_some(copies), ..full }
        })?;
        self.about.count(1);
        Ok(new)
    }

    /// Prefetches a bucket: what is read at once, or what is read cell by cell.
    #[inline]
    fn fetch(&self, bucket: u64) {
        let bytes = match self.masks.ones {
            0 => self.tags.bytes_of(self.size.bucket_size.into()),
            _ => size_of::<u64>(),
        };
        self.tags.fetch_bytes(self.cells_of(bucket).start, bytes);
    }

    /// Whether each of the keys may be present.
    fn look_up(&self, keys: impl Hashes, found: &mut [bool]) {
        if ahead::is_near(self.tags.words()) {
            let contains = |(found, key): (&mut bool, KeyHash)| *found = self.contains_hash(key);
            return found.iter_mut().zip(keys).for_each(contains);
        }
        ahead::contains_ahead(
            found,
            keys.map(|key| self.tag_and_buckets(key)),
            |(_, buckets)| buckets.into_iter().for_each(|bucket| self.fetch(bucket)),
            |(tag, buckets)| self.holds(tag, buckets),
        );
    }

    /// Counts what the cells hold.
    fn taken(&self) -> Taken {
        let mut taken = Taken::default();
        for bucket in 0..2 * self.size.buckets {
            for cell in self.cells_of(bucket) {
                let tag = self.tags.get(cell);
                if tag == 0 {
                    continue;
                }
                taken.cells += 1;
                // Equal tags in a bucket, or in a bucket and its other, are one fingerprint.
                let first = self.first(bucket, self.holding(tag, bucket)) == Some(cell);
                let other = self.other(bucket, tag);
                if first && !(other < bucket && self.holding(tag, other) != 0) {
                    taken.different += 1;
                    taken.fingerprints += if tag == 1 { 2 } else { 1 };
                }
            }
        }
        taken
    }
}

/// What the cells of a filter hold.
#[derive(Debug, Default, PartialEq)]
struct Taken {
    cells: u64,
    /// Pairs of a tag and its buckets.
    different: u64,
    /// Out of all [`Size::fingerprints`]: tag 1 stands for two.
    fingerprints: u64,
}

impl Filter for Cuckoo {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        let (tag, buckets) = self.tag_and_buckets(key);
        self.holds(tag, buckets)
    }

    /// A bucket of four tags has 16 to 128 bits, so it nearly always lies in one cache line.
    #[inline]
    fn prefetch_hash(&self, key: KeyHash) {
        self.tag_and_buckets(key).1.into_iter().for_each(|bucket| self.fetch(bucket));
    }

    super::asks_each!(|filter, keys, found| filter.look_up(keys, found));

    fn profile(&self) -> Profile {
        let taken = self.taken();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 2⁶⁴, where the cast stops at the largest number"
        )]
        let as_bits = self.size.as_if_equal() as u64;
        Profile {
            // Occupied fingerprints are like the bits of a classic filter with one probe.
            items: Some(estimate::classic(as_bits, 1, taken.different)),
            remaining: Some(taken.cells),
            fpr_now: taken.fingerprints as f64 / self.size.fingerprints(),
            fill: taken.cells as f64 / self.size.cells() as f64,
            ..self.about.profile(Kind::Cuckoo, self.size.bits(), PROBES)
        }
    }
}

impl Insert for Cuckoo {
    #[inline]
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        let (tag, buckets) = self.tag_and_buckets(key);
        self.insert_key(tag, buckets)
    }

    /// Each key is inserted some time after its buckets were prefetched.
    fn insert_hashes(&mut self, keys: &[KeyHash]) -> Result<u64, Full> {
        let mut ring = [(0, [0; 2]); AHEAD];
        let mut new = 0;
        for at in 0..keys.len() + AHEAD {
            let slot = &mut ring[at % AHEAD];
            if at >= AHEAD {
                new += u64::from(self.insert_key(slot.0, slot.1)?);
            }
            if let Some(key) = keys.get(at) {
                *slot = self.tag_and_buckets(*key);
                slot.1.into_iter().for_each(|bucket| self.fetch(bucket));
            }
        }
        Ok(new)
    }
}

impl Inspect for Cuckoo {
    fn rows(&self) -> Vec<Row<'_>> {
        let bucket = u64::from(self.size.bucket_size);
        vec![Row::new("tags", View::packed(&self.tags)).grouped(bucket)]
    }

    /// All cells of both buckets. An insert that finds them full moves tags to other buckets.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let (_, buckets) = self.tag_and_buckets(key);
        buckets
            .into_iter()
            .flat_map(|bucket| self.cells_of(bucket))
            .map(|cell| Touch::new(0, cell))
            .collect()
    }
}

impl Remove for Cuckoo {
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        let (tag, [left, right]) = self.tag_and_buckets(key);
        // Equal tags cannot be told apart, so any of them will do.
        let first = |bucket| self.first(bucket, self.holding(tag, bucket));
        let cell = first(left).or_else(|| first(right));
        if let Some(cell) = cell {
            self.tags.set(cell, 0);
        }
        Ok(cell.is_some())
    }
}

impl Count for Cuckoo {
    /// Up to twice the bucket size, the most copies that fit.
    fn count_hash(&self, key: KeyHash) -> u64 {
        let (tag, buckets) = self.tag_and_buckets(key);
        self.copies(tag, buckets)
    }
}

fn check_bucket(got: u32, sizes: &[u32], allowed: &'static str) -> Result<u32, SizeError> {
    match sizes.contains(&got) {
        true => Ok(got),
        false => Err(SizeError::BucketSize { kind: Kind::Cuckoo, got, allowed }),
    }
}

fn check_bits(size: Size) -> Result<Size, SizeError> {
    let least = Size { buckets: 1, ..size }.bits();
    cells::check_table(Kind::Cuckoo, size.bits(), least).map(|()| size)
}

fn size(target: Target, options: &Options) -> Result<Size, SizeError> {
    let bucket_size = options.bucket_size.unwrap_or(Cuckoo::DEFAULT_BUCKET_SIZE);
    let bucket_size = check_bucket(bucket_size, &[2, 4, 8], "2, 4 or 8")?;
    let (items, got) = (target.items(), target.fpr());
    let size = cuckoo::size(items, got, bucket_size).ok_or_else(|| {
        let least = cuckoo::lowest(items, bucket_size);
        SizeError::Fpr { kind: Kind::Cuckoo, got, least }
    })?;
    check_bits(size)
}

impl Planned for Cuckoo {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let size = size(target, options)?;
        Ok(Plan::new(size.bits(), PROBES, size.rate(target.items())))
    }
}

impl ForTarget for Cuckoo {
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Cuckoo, SizeError> {
        Cuckoo::sized(size(target, options)?, seed, Some(target))
    }
}

impl Stored for Cuckoo {
    const KIND: Kind = Kind::Cuckoo;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("buckets", self.size.buckets);
        sheet.field("bucket.size", self.size.bucket_size.into());
        sheet.field("tag.bits", self.size.tag_bits.into());
        sheet.words("tags", self.tags.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Cuckoo, LoadError> {
        let bucket_size = parts.small("bucket.size", 1..=8)?;
        if !bucket_size.is_power_of_two() {
            let (got, allowed) = (bucket_size.to_string(), "1, 2, 4 or 8".to_string());
            return Err(LoadError::Field { name: "bucket.size", got, allowed });
        }
        let (least, most) = cuckoo::TAG_BITS;
        let tag_bits = parts.small("tag.bits", least..=most)?;
        let one = Size { buckets: 1, bucket_size, tag_bits };
        let buckets = parts.number("buckets", 1..=cells::MAX_BITS / one.bits())?;
        let size = Size { buckets, ..one };
        let tags = Packed::from_words(parts.words("tags")?, size.cells(), tag_bits)
            .ok_or(LoadError::Section { name: "tags" })?;
        Ok(Cuckoo { tags, size, masks: Masks::of(size), about })
    }
}

super::methods_by_key!(Cuckoo, about);
super::inserts_by_key_while_room!(Cuckoo);
super::removes!(Cuckoo);
super::counts!(Cuckoo);

#[cfg(test)]
mod tests;
