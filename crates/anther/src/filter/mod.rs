//! One file per kind, each readable alone: the rule of a kind is in its file, in
//! `contains_hash` and, if keys can be inserted, in `insert_hash`. What several kinds share is
//! beside them: `plain` for rows of bits, `solve/` for static kinds, `cells` for kinds whose probes
//! spread over all cells.
//!
//! Costs relative to [`Classic`](crate::Classic), where a lookup takes 15 ns, that of an absent key
//! 11, and an insert 17: a million keys at 1 %, one at a time, on one thread. Removals are relative to an insert; for
//! static kinds the build per key stands under insert. Beyond the caches batches cost less: see
//! [`Filter::contains_keys`]. `cargo xtask settle kinds` measures this in a minute; on a busy
//! machine the figures move by a quarter.
//!
//! | kind | bits per key | lookup | insert | remove |
//! |---|---|---|---|---|
//! | [`Classic`](crate::Classic) | 9.59 | 1 | 1 | |
//! | [`Blocked`](crate::Blocked) | 9.92 | 0.4 to 0.5, less beyond the cache | 0.4 | |
//! | [`Cuckoo`](crate::Cuckoo) | 10.53 | 1 to 1.3 | 2.2 | 1.4 |
//! | [`Quotient`](crate::Quotient) | 9.61 | 3.6 | 12 | 80 while full |
//! | [`DLeft`](crate::DLeft) | 18.67 | 4, absent keys 7 | 10 | 2.6 |
//! | [`Counting`](crate::Counting) | 38.37 | 1.5, absent keys 2.4 | 2.6 | 5 |
//! | [`Fuse`](crate::Fuse) | 7.91 | 1.2 to 1.6 | 5 | |
//! | [`Ribbon`](crate::Ribbon) | 6.75 | 2.5 to 3.2 | 5 | |
//! | [`Bloomier`](crate::Bloomier), values of one bit | 9.04 | 0.9 to 1.2 | 6 | |

pub mod aging;
pub mod blocked;
pub mod bloomier;
pub mod cascade;
mod cells;
pub mod classic;
pub mod compressed;
pub mod counting;
pub mod cuckoo;
pub mod deletable;
pub mod dleft;
pub mod experimental;
pub mod fuse;
pub mod plain;
pub mod quotient;
pub mod ribbon;
pub mod scalable;
pub(crate) mod solve;
pub(crate) mod sparse;
pub mod spectral;
pub mod split;
pub mod stable;
pub mod variable_increment;
pub mod weighted;

use crate::format::{Contents, Sheet, Stored, Tag, Writable};
use crate::traits::Filter;

impl<F: Stored + Filter> Writable for F {
    fn contents(&self) -> Contents<'_> {
        let mut sheet = Sheet::default();
        self.describe(&mut sheet);
        Contents { tag: Tag::Filter(F::KIND), about: self.about(), sheet }
    }
}

// The macros below add only methods that take keys, where the kind's file has those that take
// hashes (`impl Insert for …`, `impl Filter for …`). They are macros because inherent methods are
// called without importing a trait, and no generic type can add inherent methods to twenty-two types.

/// The methods that every kind has without the import of a trait. They only hash the key and hand
/// it on. The second argument says where the kind keeps its [`About`](crate::About).
macro_rules! methods_by_key {
    ($kind:ident, $($about:ident).+) => {
        impl $kind {
            /// Whether the key may be in the set. False is certain, unless the kind forgets.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            #[inline]
            pub fn contains(&self, key: impl $crate::Key) -> bool {
                $crate::Filter::contains_hash(self, key.key_hash(&self.$($about).+.seed))
            }

            /// The filter described in numbers. Reads all cells.
            pub fn profile(&self) -> $crate::Profile {
                $crate::Filter::profile(self)
            }

            /// Sets the recipe: what the keys are, and where they were in the input. The file stores it.
            /// This type takes keys as they are; only [`AnyFilter`](crate::AnyFilter) applies the rule.
            pub fn set_recipe(&mut self, recipe: Option<$crate::Recipe>) {
                self.$($about).+.recipe = recipe;
            }

            /// Saves the filter to a file, atomically.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), $crate::SaveError> {
                $crate::Save::new().file(self, path)
            }

            /// Writes the filter to a stream.
            pub fn write_to(&self, out: impl std::io::Write) -> Result<(), $crate::SaveError> {
                $crate::Save::new().writer(self, out)
            }

            /// Reads a filter from a file and verifies every byte. [`Open`](crate::Open) has more
            /// ways: from bytes, mapped, with a secret key.
            pub fn open(path: impl AsRef<std::path::Path>) -> Result<$kind, $crate::LoadError> {
                $crate::Open::new().file(path)
            }
        }
    };
}

/// Lookups of many keys, for a kind that has its own way for as many hashes as answers.
macro_rules! asks_each {
    (|$filter:ident, $keys:ident, $found:ident| $each:expr) => {
        fn contains_hashes(&self, keys: &[$crate::KeyHash], $found: &mut [bool]) {
            assert_eq!(keys.len(), $found.len(), "an answer for each key");
            let ($filter, $keys) = (self, keys.iter().copied());
            $each;
        }

        fn contains_keys<K: $crate::Key>(&self, keys: &[K], $found: &mut [bool]) {
            assert_eq!(keys.len(), $found.len(), "an answer for each key");
            let seed = *self.seed();
            let ($filter, $keys) = (self, $crate::batch::hashes(keys, &seed));
            $each;
        }
    };
}

/// The same for a kind that has its own way beyond the caches, for cells in these words.
macro_rules! asks_each_beyond_caches {
    (|$filter:ident, $keys:ident, $found:ident| $words:expr, $each:expr) => {
        $crate::filter::asks_each!(|$filter, $keys, $found| if $crate::batch::steps::are_cached(
            $words
        ) {
            let has = |key| $crate::Filter::contains_hash($filter, key);
            $found.iter_mut().zip($keys).for_each(|(found, key)| *found = has(key));
        } else {
            $each;
        });
    };
}

/// For a kind that can be made empty.
macro_rules! made_for_target {
    ($kind:ident) => {
        impl $kind {
            /// An empty filter for a target, with the fixed seed: the same keys give the same
            /// file on every machine.
            pub fn new(target: $crate::Target) -> Result<$kind, $crate::SizeError> {
                $kind::with_seed(target, $crate::Seed::FIXED)
            }

            /// An empty filter for a target, with a seed.
            pub fn with_seed(
                target: $crate::Target,
                seed: $crate::Seed,
            ) -> Result<$kind, $crate::SizeError> {
                $kind::with_options(target, &$crate::Options::default(), seed)
            }

            /// An empty filter for a target, with [options](crate::Kind::options) of the kind.
            pub fn with_options(
                target: $crate::Target,
                options: &$crate::Options,
                seed: $crate::Seed,
            ) -> Result<$kind, $crate::SizeError> {
                options.check($crate::Kind::$kind)?;
                <$kind as $crate::ForTarget>::with_options(target, options, seed)
            }
        }
    };
}

/// For a kind that is [`Insert`](crate::Insert) and never full: inserting by key, and `Extend`.
macro_rules! inserts_by_key {
    ($kind:ident) => {
        $crate::filter::made_for_target!($kind);

        impl $kind {
            /// Inserts a key. Returns true if it is certainly new, as `HashSet` does.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            #[inline]
            pub fn insert(&mut self, key: impl $crate::Key) -> bool {
                let hash = key.key_hash($crate::Filter::seed(self));
                // It is never full.
                $crate::Insert::insert_hash(self, hash).unwrap_or(false)
            }
        }

        impl<K: $crate::Key> Extend<K> for $kind {
            fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                const BLOCK: usize = 512;
                let seed = *$crate::Filter::seed(self);
                let mut keys = keys.into_iter().map(|key| key.key_hash(&seed));
                let mut hashes = [$crate::KeyHash(0); BLOCK];
                loop {
                    let mut count = 0;
                    for (slot, hash) in hashes.iter_mut().zip(&mut keys) {
                        *slot = hash;
                        count += 1;
                    }
                    // It refuses none.
                    let _ = $crate::Insert::insert_hashes(self, &hashes[..count]);
                    if count < BLOCK {
                        break;
                    }
                }
            }
        }
    };
}

/// For a kind that is [`Insert`](crate::Insert) and may be full. There is no `Extend`, which could
/// not say so.
macro_rules! inserts_by_key_while_room {
    ($kind:ident) => {
        $crate::filter::made_for_target!($kind);

        impl $kind {
            /// Inserts a key. Returns true if it is certainly new, or an error if the filter
            /// is full, which leaves it unchanged.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            #[inline]
            pub fn insert(&mut self, key: impl $crate::Key) -> Result<bool, $crate::Full> {
                let hash = key.key_hash($crate::Filter::seed(self));
                $crate::Insert::insert_hash(self, hash)
            }
        }
    };
}

/// For a kind that is [`Merge`](crate::Merge).
macro_rules! merges {
    ($kind:ident) => {
        impl $kind {
            /// Inserts all keys of the other; see [`Merge`](crate::Merge).
            pub fn merge(&mut self, other: &$kind) -> Result<(), $crate::Mismatch> {
                $crate::Merge::merge(self, other)
            }
        }
    };
}

/// For a kind that is [`Remove`](crate::Remove).
macro_rules! removes {
    ($kind:ident) => {
        impl $kind {
            /// Removes a key. Returns false if it was certainly absent: then nothing changed. Remove
            /// only what was inserted; see [`Remove`](crate::Remove).
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            pub fn remove(&mut self, key: impl $crate::Key) -> Result<bool, $crate::RemoveError> {
                let hash = key.key_hash($crate::Filter::seed(self));
                $crate::Remove::remove_hash(self, hash)
            }
        }
    };
}

/// For a kind that is [`Count`](crate::Count).
macro_rules! counts {
    ($kind:ident) => {
        impl $kind {
            /// How often the key was inserted; see [`Count`](crate::Count).
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            pub fn count(&self, key: impl $crate::Key) -> u64 {
                $crate::Count::count_hash(self, key.key_hash($crate::Filter::seed(self)))
            }
        }
    };
}
pub(crate) use {
    asks_each, asks_each_beyond_caches, counts, inserts_by_key, inserts_by_key_while_room,
    made_for_target, merges, methods_by_key, removes,
};
