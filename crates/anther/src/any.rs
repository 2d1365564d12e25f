//! A filter of any kind: [`AnyFilter`], and the dispatch over kinds.

mod files;

pub use files::{AnyFile, Verified};

use crate::batch::blocks::{self, HashBlock};
use crate::batch::source::{KeySource, Work};
use crate::batch::threads::Threads;
use crate::error::{
    Ability, BuildError, InsertError, KeyError, LoadError, LookupError, Mismatch, RemoveError,
    SaveError, SizeError, Unable,
};
use crate::filter::aging::Aging;
use crate::filter::blocked::Blocked;
use crate::filter::bloomier::Bloomier;
use crate::filter::cascade::Cascade;
use crate::filter::classic::Classic;
use crate::filter::compressed::Compressed;
use crate::filter::counting::Counting;
use crate::filter::cuckoo::Cuckoo;
use crate::filter::deletable::Deletable;
use crate::filter::dleft::DLeft;
use crate::filter::experimental::floom::Floom;
use crate::filter::experimental::generalized::Generalized;
use crate::filter::experimental::robust::Robust;
use crate::filter::fuse::Fuse;
use crate::filter::plain::PlainBits;
use crate::filter::quotient::Quotient;
use crate::filter::ribbon::Ribbon;
use crate::filter::scalable::Scalable;
use crate::filter::spectral::Spectral;
use crate::filter::split::Split;
use crate::filter::stable::Stable;
use crate::filter::variable_increment::VariableIncrement;
use crate::filter::weighted::Weighted;
use crate::format::{Contents, Open, Parts, Save, Sheet, Stored, Value, Writable};
use crate::kind::{Kind, with_kinds};
use crate::options::Options;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{self, Row, Touch};
use crate::profile::{About, Profile};
use crate::recipe::{Entries, Recipe};
use crate::target::{Plan, Shape, Target};
use crate::traits::{
    Build, Count, Filter, ForTarget, Insert, Inspect, Lookup, Planned, Remove, Shaped,
};
use std::ops::Range;
use std::path::Path;

/// The first expression where the capability is among the kind's, else the second.
macro_rules! if_able {
    (insert in insert $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (remove in remove $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (count in count $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (values in values $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (merge in merge $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (fold in fold $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    (shape in shape $($rest:ident)* => $yes:expr, $no:expr) => { $yes };
    ($what:ident in $other:ident $($rest:ident)* => $yes:expr, $no:expr) => {
        if_able!($what in $($rest)* => $yes, $no)
    };
    ($what:ident in => $yes:expr, $no:expr) => { $no };
}

/// With feature `serde`: a filter is serialised as the bytes of its file.
macro_rules! serde_as_file {
    ($filter:ty) => {
        #[cfg(feature = "serde")]
        impl serde::Serialize for $filter {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::format::serde::serialize(self, serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $filter {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::format::serde::deserialize(deserializer)
            }
        }
    };
}

/// What is done for each kind, from the table in [`kind`](mod@crate::kind).
macro_rules! dispatch {
    ($($tag:literal $name:literal $kind:ident [$($option:literal)*]:
        $($capability:ident)*, $purpose:literal;)*) => {
        impl Kind {
            /// What a target comes to in the kind, without making a filter.
            pub fn plan(self, target: Target, options: &Options) -> Result<Plan, SizeError> {
                options.check(self)?;
                match self { $(Kind::$kind => <$kind as Planned>::plan(target, options),)* }
            }

            /// The plan of this shape in this kind when it holds `items` keys, without making a
            /// filter.
            pub fn plan_shape(self, shape: Shape, items: u64) -> Result<Plan, SizeError> {
                match self {
                    $(Kind::$kind => if_able!(shape in $($capability)* =>
                        <$kind as Shaped>::plan_shape(shape, items),
                        Err(SizeError::NoShape { kind: self })
                    ),)*
                }
            }
        }

        /// A filter of any kind.
        ///
        /// ```
        /// use anther::{AnyFilter, Kind, Seed, Target};
        ///
        /// let mut seen = AnyFilter::new(Kind::Blocked, Target::new(1000, 0.01)?, Seed::FIXED)?;
        /// seen.insert("key")?;
        /// assert_eq!(seen.kind().name(), "blocked");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyFilter {
            $(#[doc = concat!("[`", stringify!($kind), "`](crate::", stringify!($kind), ")")] $kind($kind),)*
        }

        $(serde_as_file!($kind);)*

        $(impl From<$kind> for AnyFilter {
            fn from(filter: $kind) -> AnyFilter {
                AnyFilter::$kind(filter)
            }
        }

        impl TryFrom<AnyFilter> for $kind {
            /// The filter itself, if it is of another kind.
            type Error = AnyFilter;

            fn try_from(filter: AnyFilter) -> Result<$kind, AnyFilter> {
                match filter {
                    AnyFilter::$kind(filter) => Ok(filter),
                    #[allow(clippy::allow_attributes, unreachable_patterns, reason = "one kind")]
                    other => Err(other),
                }
            }
        })*

        /// Runs an expression on the filter inside, whatever its kind.
        macro_rules! on_kind {
            ($any:expr, $filter:ident => $body:expr) => {
                match $any { $(AnyFilter::$kind($filter) => $body,)* }
            };
        }

        impl AnyFilter {
            /// An empty filter of a kind, for a target.
            pub fn new(kind: Kind, target: Target, seed: Seed) -> Result<AnyFilter, SizeError> {
                AnyFilter::with_options(kind, target, &Options::default(), seed)
            }

            /// An empty filter of a kind, for a target, with options of the kind.
            pub fn with_options(
                kind: Kind,
                target: Target,
                options: &Options,
                seed: Seed,
            ) -> Result<AnyFilter, SizeError> {
                options.check(kind)?;
                match kind {
                    $(Kind::$kind => if_able!(insert in $($capability)* =>
                        <$kind as ForTarget>::with_options(target, options, seed)
                            .map(AnyFilter::from),
                        Err(SizeError::Static { kind })
                    ),)*
                }
            }

            /// A filter of a kind, of these keys; of any kind, whether it takes keys one by one
            /// or all at once. See [`Build`].
            pub fn build(
                kind: Kind,
                keys: &mut dyn KeySource,
                target: Target,
                options: &Options,
                seed: Seed,
                work: Work<'_>,
            ) -> Result<AnyFilter, BuildError> {
                options.check(kind)?;
                match kind {
                    $(Kind::$kind => if_able!(insert in $($capability)* =>
                        insert_all(AnyFilter::with_options(kind, target, options, seed)?, keys),
                        <$kind as Build>::build(keys, target, options, seed, work)
                            .map(AnyFilter::from)
                    ),)*
                }
            }

            /// The filter as [`Insert`], if keys can be inserted one by one.
            // Inlined elsewhere, it would bring its vtables and all that is behind them along.
            #[inline(never)]
            pub fn as_insert(&mut self) -> Option<&mut dyn Insert> {
                match self {
                    $(AnyFilter::$kind(_filter) =>
                        if_able!(insert in $($capability)* => Some(_filter), None),)*
                }
            }

            /// The filter as [`Lookup`], if its kind stores a value with each key.
            #[inline(never)]
            pub fn as_lookup(&self) -> Option<&(dyn Lookup + Sync)> {
                match self {
                    $(AnyFilter::$kind(_filter) =>
                        if_able!(values in $($capability)* => Some(_filter), None),)*
                }
            }

            /// The filter as [`Remove`], if its kind can remove keys.
            #[inline(never)]
            pub fn as_remove(&mut self) -> Option<&mut dyn Remove> {
                match self {
                    $(AnyFilter::$kind(_filter) =>
                        if_able!(remove in $($capability)* => Some(_filter), None),)*
                }
            }

            /// The filter as [`Count`], if its kind counts keys.
            #[inline(never)]
            pub fn as_count(&self) -> Option<&(dyn Count + Sync)> {
                match self {
                    $(AnyFilter::$kind(_filter) =>
                        if_able!(count in $($capability)* => Some(_filter), None),)*
                }
            }

            pub(crate) fn restore(
                kind: Kind,
                parts: &mut Parts,
                about: About,
            ) -> Result<AnyFilter, LoadError> {
                match kind { $(Kind::$kind => $kind::restore(parts, about).map(AnyFilter::from),)* }
            }

            /// Inserts all keys of the other filter; see [`Merge`](crate::Merge).
            pub fn merge(&mut self, other: &AnyFilter) -> Result<(), Mismatch> {
                match (self, other) {
                    $((AnyFilter::$kind(_ours), AnyFilter::$kind(_theirs)) => if_able!(
                        merge in $($capability)* => _ours.merge(_theirs),
                        Err(Mismatch::Unsupported { kind: Kind::$kind })
                    ),)*
                    (ours, theirs) => {
                        Err(Mismatch::Kind { ours: ours.kind(), theirs: theirs.kind() })
                    }
                }
            }

            /// Intersects with the other filter; see
            /// [`PlainBits::intersect`](crate::PlainBits::intersect). Only for kinds of plain bits.
            pub fn intersect(&mut self, other: &AnyFilter) -> Result<(), Mismatch> {
                match (self, other) {
                    $((AnyFilter::$kind(_ours), AnyFilter::$kind(_theirs)) => if_able!(
                        fold in $($capability)* => PlainBits::intersect(_ours, _theirs),
                        Err(Mismatch::NoIntersection { kind: Kind::$kind })
                    ),)*
                    (ours, theirs) => {
                        Err(Mismatch::Kind { ours: ours.kind(), theirs: theirs.kind() })
                    }
                }
            }
        }
    };
}

with_kinds!(dispatch);

impl Kind {
    /// How many bits a filter of the kind takes for a target, without making it.
    pub fn bits_for(self, target: Target) -> Result<u64, SizeError> {
        Ok(self.plan(target, &Options::default())?.bits)
    }
}

impl AnyFilter {
    /// The filter's kind.
    pub fn kind(&self) -> Kind {
        on_kind!(self, filter => kind_of(filter))
    }

    /// Whether the key may be in the set. False is certain, unless the kind forgets. Where entries
    /// [stand for what is below them](crate::recipe::Reach), the key may be below one.
    ///
    /// As all methods that take a key, it applies the filter's [rule](crate::recipe::KeyRule), or
    /// refuses the type of the key: in a filter of lines, the integer 42 would look absent, though
    /// the line `42` is there.
    ///
    /// ```
    /// use anther::recipe::{KeyForm, KeyRule, Recipe};
    /// use anther::{AnyFilter, Kind, Seed, Target};
    ///
    /// let mut hosts = AnyFilter::new(Kind::Blocked, Target::new(1000, 0.01)?, Seed::FIXED)?;
    /// let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
    /// hosts.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    /// hosts.insert("Example.ORG")?;
    /// assert!(hosts.contains("example.org.")?);
    /// assert!(hosts.contains(42).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> Result<bool, KeyError> {
        if self.about().reach().levels() == 0 {
            return Ok(self.contains_hash(self.key_hash(key)?));
        }
        let mut found = [false];
        self.contains_all(&[key], &mut found)?;
        Ok(found[0])
    }

    /// The hash of a key, by the filter's [rule](crate::recipe::KeyRule). A filter that was made
    /// without a recipe has no rule, and takes keys of every type as they are.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn key_hash(&self, key: impl Key) -> Result<KeyHash, KeyError> {
        self.about().key_hash(key)
    }

    /// Inserts a key. Returns true if it is certainly new.
    ///
    /// ```
    /// use anther::{AnyFilter, Kind, Seed, Target};
    ///
    /// let mut seen = AnyFilter::new(Kind::Cuckoo, Target::new(1000, 0.01)?, Seed::FIXED)?;
    /// assert!(seen.insert("key")?, "certainly new");
    /// assert_eq!(seen.count("key")?, 1);
    /// assert!(seen.remove("key")?);
    /// assert_eq!(
    ///     seen.get("key").unwrap_err().to_string(),
    ///     "a cuckoo filter cannot store values; bloomier can"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn insert(&mut self, key: impl Key) -> Result<bool, InsertError> {
        if self.about().reach().is_below() {
            return Ok(self.insert_keys(&[key])? > 0);
        }
        let key = self.key_hash(key)?;
        self.insert_hash(key)
    }

    /// Inserts a key by its hash. Returns true if it is certainly new.
    pub fn insert_hash(&mut self, key: KeyHash) -> Result<bool, InsertError> {
        Ok(self.inserting()?.insert_hash(key)?)
    }

    /// Inserts keys in order. Returns how many of them are certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn insert_keys<K: Key>(&mut self, keys: &[K]) -> Result<u64, InsertError> {
        let about = self.about().clone();
        if about.reach().is_below() {
            return self.insert_entries(&about.entries(keys)?);
        }
        let filter = self.inserting()?;
        let mut new = 0;
        about.in_blocks(keys, |_, hashes| {
            new += filter.insert_hashes(hashes)?;
            Ok::<(), InsertError>(())
        })?;
        Ok(new)
    }

    /// Inserts the entries of a list, and remembers the levels of those that stand for many keys.
    /// Returns how many entries are certainly new.
    pub fn insert_entries(&mut self, entries: &Entries) -> Result<u64, InsertError> {
        // The entries' own hashes come last: if the filter is full before, what is in stands for
        // nothing yet, and the levels of all that is in are known.
        if !entries.more.is_empty() {
            self.inserting()?.insert_hashes(&entries.more_hashes())?;
            self.add_levels(entries.levels());
        }
        Ok(self.inserting()?.insert_hashes(&entries.hashes)?)
    }

    /// Whether an entry itself may have been inserted, with all of its hashes. A key may be found
    /// without it, by what it is below.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn contains_entry(&self, key: impl Key) -> Result<bool, KeyError> {
        let entries = self.about().entries(&[key])?;
        let mut all = entries.hashes.iter().chain(entries.more.iter().map(|(_, hash)| hash));
        Ok(all.all(|hash| self.contains_hash(*hash)))
    }

    /// Remembers at which [levels](crate::recipe::Reach) there are entries that stand for many keys.
    pub fn add_levels(&mut self, levels: u128) {
        on_kind!(self, filter => filter.about_mut().add_levels(levels));
    }

    /// Whether each of the keys may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) -> Result<(), KeyError> {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        if self.about().recipe.is_none() {
            Filter::contains_keys(self, keys, found);
            return Ok(());
        }
        self.contains_all(keys, found)
    }

    /// For filters with a recipe.
    fn contains_all<K: Key>(&self, keys: &[K], found: &mut [bool]) -> Result<(), KeyError> {
        self.about().contains_keys(keys, found, |hashes, found| {
            self.contains_hashes(hashes, found);
            Ok(())
        })
    }

    /// Inserts keys by their hashes, in order. Returns how many of them are certainly new.
    pub fn insert_hashes(&mut self, keys: &[KeyHash]) -> Result<u64, InsertError> {
        Ok(self.inserting()?.insert_hashes(keys)?)
    }

    /// Inserts many keys as fast as it can; see [`Insert::bulk_insert_hashes`].
    pub fn bulk_insert_hashes(
        &mut self,
        keys: &[KeyHash],
        threads: Threads,
    ) -> Result<(), InsertError> {
        Ok(self.inserting()?.bulk_insert_hashes(keys, threads)?)
    }

    /// Inserts many keys that are hashed block by block, as fast as it can; see
    /// [`Insert::bulk_insert_blocks`]. For keys in a layout of another program, as columns are.
    ///
    /// ```
    /// use anther::{AnyFilter, Kind, Seed, Target, Threads};
    ///
    /// let mut seen = AnyFilter::new(Kind::Blocked, Target::new(1000, 0.01)?, Seed::FIXED)?;
    /// let column: Vec<u16> = (0..1000).collect();
    /// let hash = |rows: std::ops::Range<usize>, hashes: &mut [anther::KeyHash]| {
    ///     for (hash, key) in hashes.iter_mut().zip(&column[rows]) {
    ///         *hash = Seed::FIXED.hash_integer(u64::from(*key));
    ///     }
    /// };
    /// seen.bulk_insert_blocks(column.len(), &hash, Threads::all())?;
    /// let mut found = [false; 1000];
    /// seen.contains_blocks(
    ///     &mut found,
    ///     |rows, hashes| Ok::<(), std::convert::Infallible>(hash(rows, hashes)),
    ///     Threads::all(),
    /// )?;
    /// assert!(found.iter().all(|found| *found));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bulk_insert_blocks(
        &mut self,
        count: usize,
        hashes: &HashBlock<'_>,
        threads: Threads,
    ) -> Result<(), InsertError> {
        Ok(self.inserting()?.bulk_insert_blocks(count, hashes, threads)?)
    }

    /// Whether each of many keys may be in the set, on several threads where that pays. `hashes`
    /// writes the hashes of a range of keys, and is called from all threads. If it fails for a
    /// key, that is the result, and `found` means nothing.
    pub fn contains_blocks<E: Send>(
        &self,
        found: &mut [bool],
        hashes: impl Fn(Range<usize>, &mut [KeyHash]) -> Result<(), E> + Sync,
        threads: Threads,
    ) -> Result<(), E> {
        on_kind!(self, filter => blocks::contains(
            found,
            hashes,
            |keys, found| filter.contains_hashes(keys, found),
            threads,
        ))
    }

    /// Removes a key. Returns false if it was certainly absent: then nothing changed. Remove only what
    /// was inserted; see [`Remove`].
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn remove(&mut self, key: impl Key) -> Result<bool, RemoveError> {
        let entries = self.about().entries(&[key])?;
        self.remove_entry(entries.hashes[0], &entries.more_hashes())
    }

    /// Removes an entry of a list by its hashes: its own, and those that it has
    /// [more](Entries::more).
    pub fn remove_entry(&mut self, own: KeyHash, more: &[KeyHash]) -> Result<bool, RemoveError> {
        let unable = self.unable(Ability::Remove);
        self.as_remove().ok_or(unable)?;
        if !more.iter().all(|key| self.contains_hash(*key)) {
            return Ok(false);
        }
        let removed = self.remove_hash(own)?;
        for key in more.iter().filter(|_| removed) {
            match self.remove_hash(*key) {
                // One of them less is enough: a lookup must find all.
                Ok(_) | Err(RemoveError::Stuck { .. } | RemoveError::Shared { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }

    /// Removes a key by its hash.
    pub fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError> {
        let unable = self.unable(Ability::Remove);
        self.as_remove().ok_or(unable)?.remove_hash(key)
    }

    /// How often the key itself was inserted, and not what it is below; see [`Count`].
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn count(&self, key: impl Key) -> Result<u64, LookupError> {
        Ok(self.count_hash(self.key_hash(key)?)?)
    }

    /// How often the key with this hash was inserted.
    pub fn count_hash(&self, key: KeyHash) -> Result<u64, Unable> {
        let counts = self.as_count().ok_or(self.unable(Ability::Count))?;
        Ok(counts.count_hash(key))
    }

    /// The value of the key itself, and not of what it is below; see [`Lookup`].
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](Seed::can_hash).
    pub fn get(&self, key: impl Key) -> Result<Option<u64>, LookupError> {
        Ok(self.get_hash(self.key_hash(key)?)?)
    }

    /// The value of the key with this hash.
    pub fn get_hash(&self, key: KeyHash) -> Result<Option<u64>, Unable> {
        let values = self.as_lookup().ok_or(self.unable(Ability::Get))?;
        Ok(values.get_hash(key))
    }

    fn inserting(&mut self) -> Result<&mut dyn Insert, Unable> {
        let unable = self.unable(Ability::Insert);
        self.as_insert().ok_or(unable)
    }

    fn unable(&self, ability: Ability) -> Unable {
        Unable { kind: self.kind(), ability }
    }

    /// Sets the recipe: what the keys are, and where they were in the input. The file stores it, and
    /// from now on the rule is applied to every key.
    pub fn set_recipe(&mut self, recipe: Option<Recipe>) {
        on_kind!(self, filter => filter.about_mut().recipe = recipe);
    }

    /// The filter's own numbers, as its file names them: sizes, probes, options.
    pub fn parameters(&self) -> Vec<(String, Value)> {
        let mut sheet = Sheet::default();
        self.describe(&mut sheet);
        sheet.into_fields()
    }

    /// The share of occupied cells, in each of `stretches` equal parts from the first cell to
    /// the last, for plotting. Fewer if there are fewer cells; none for kinds whose cells do not
    /// show whether they are in use. Reads all cells.
    pub fn densities(&self, stretches: usize) -> Vec<f64> {
        view::densities(&self.rows(), stretches)
    }

    /// Reads a filter of any kind from a file and verifies every byte. [`Open`] has more ways:
    /// from bytes, mapped, with a secret key.
    pub fn open(path: impl AsRef<Path>) -> Result<AnyFilter, LoadError> {
        Open::new().file(path)
    }

    /// Saves the filter to a file, atomically. [`Save`] has more ways.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Save::new().file(self, path)
    }

    /// Writes the filter to a stream.
    pub fn write_to(&self, out: impl std::io::Write) -> Result<(), SaveError> {
        Save::new().writer(self, out)
    }
}

serde_as_file!(AnyFilter);

impl Writable for AnyFilter {
    fn contents(&self) -> Contents<'_> {
        on_kind!(self, filter => filter.contents())
    }
}

/// A filter within a filter: the layers of `scalable`.
impl AnyFilter {
    pub(crate) fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        on_kind!(self, filter => filter.describe(sheet));
    }
}

/// Inserts keys one by one.
fn insert_all(mut filter: AnyFilter, keys: &mut dyn KeySource) -> Result<AnyFilter, BuildError> {
    let mut refused = None;
    keys.each(&mut |batch| {
        if let (None, Some(filter)) = (refused, filter.as_insert()) {
            refused = filter.insert_hashes(batch).err();
        }
    })?;
    refused.map_or(Ok(filter), |full| Err(full.into()))
}

fn kind_of<F: Stored>(_: &F) -> Kind {
    F::KIND
}

impl Filter for AnyFilter {
    fn about(&self) -> &About {
        on_kind!(self, filter => filter.about())
    }

    fn contains_hash(&self, key: KeyHash) -> bool {
        on_kind!(self, filter => filter.contains_hash(key))
    }

    fn prefetch_hash(&self, key: KeyHash) {
        on_kind!(self, filter => filter.prefetch_hash(key));
    }

    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        on_kind!(self, filter => filter.contains_hashes(keys, found));
    }

    /// Applies the filter's rule; a key that it refuses is not found.
    /// [`AnyFilter::contains_keys`] returns the error instead.
    fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) {
        if self.about().recipe.is_none() {
            return on_kind!(self, filter => filter.contains_keys(keys, found));
        }
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        for (key, found) in keys.iter().zip(found) {
            *found = self.contains(key).unwrap_or(false);
        }
    }

    fn profile(&self) -> Profile {
        on_kind!(self, filter => filter.profile())
    }
}

impl Inspect for AnyFilter {
    fn rows(&self) -> Vec<Row<'_>> {
        on_kind!(self, filter => filter.rows())
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        on_kind!(self, filter => filter.touches(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In unit tests no filter counts as cached, so small ones are looked up as large ones are. The
    /// laws compare those that are cached.
    #[test]
    fn lookups_beyond_the_caches_equal_single_ones() {
        let key = |i: u64| KeyHash(i).again(1);
        let keys: Vec<KeyHash> = (0..3000).map(key).collect();
        let queries: Vec<KeyHash> = (0..1000).flat_map(|i| [key(3 * i), key(5000 + i)]).collect();
        for &kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Cascade) {
            for fpr in [0.5, 0.01, 1e-4] {
                // A scalable filter grows to three layers.
                let items = if kind == Kind::Scalable { 500 } else { 3000 };
                let (target, work) = (Target::new(items, fpr).unwrap(), Work::new());
                let options = Options::new();
                let filter =
                    AnyFilter::build(kind, &mut &keys[..], target, &options, Seed::FIXED, work);
                let filter = filter.unwrap();
                for len in [0, 1, 63, 64, 65, 2000] {
                    let queries = &queries[..len];
                    let single: Vec<_> =
                        queries.iter().map(|key| filter.contains_hash(*key)).collect();
                    let mut batch: Vec<_> = single.iter().map(|found| !found).collect();
                    filter.contains_hashes(queries, &mut batch);
                    assert_eq!(single, batch, "{kind} at {fpr}: {len} hashes");
                }
            }
        }
    }

    #[test]
    fn a_filter_has_the_bits_that_its_kind_foretold() {
        for &kind in Kind::ALL {
            let target = Target::new(1000, 0.01).unwrap();
            match AnyFilter::new(kind, target, Seed::FIXED) {
                Ok(filter) => assert_eq!(kind.bits_for(target), Ok(filter.profile().bits)),
                Err(error) => assert_eq!(error, SizeError::Static { kind }),
            }
            let error = kind.bits_for(Target::new(1 << 40, 1e-18).unwrap());
            assert!(matches!(error, Err(SizeError::Fpr { .. })), "{kind}: {error:?}");
        }
    }
}
