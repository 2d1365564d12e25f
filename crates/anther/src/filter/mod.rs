//! One file a kind, each readable alone.

pub mod blocked;
pub mod classic;
pub mod plain;
pub mod split;

/// The methods that every kind of filter that takes keys one by one, and never refuses one, has
/// without the import of a trait. They only hash the key and hand it on.
macro_rules! methods_by_key {
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
                <$kind as $crate::ForTarget>::with_seed(target, seed)
            }

            /// Puts a key in; true when it surely was not in before, as `HashSet` does.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            #[inline]
            pub fn insert(&mut self, key: impl $crate::Key) -> bool {
                let hash = key.hash(&self.row.about.seed);
                self.row.put(hash)
            }

            /// Whether the key may be in the set. False is certain.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            #[inline]
            pub fn contains(&self, key: impl $crate::Key) -> bool {
                $crate::Filter::contains_hash(self, key.hash(&self.row.about.seed))
            }

            /// Whether each of the keys may be in the set.
            ///
            /// # Panics
            /// When the filter's seed [cannot hash](crate::Seed::can_hash).
            pub fn contains_each<K: $crate::Key>(&self, keys: &[K]) -> Vec<bool> {
                let hashes: Vec<_> =
                    keys.iter().map(|key| key.hash(&self.row.about.seed)).collect();
                let mut found = vec![false; hashes.len()];
                $crate::Filter::contains_hashes(self, &hashes, &mut found);
                found
            }

            /// The filter described in numbers. Reads all cells.
            pub fn profile(&self) -> $crate::Profile {
                $crate::Filter::profile(self)
            }

            /// Takes all keys of the other in; see [`Merge`](crate::Merge).
            pub fn merge(&mut self, other: &$kind) -> Result<(), $crate::Mismatch> {
                $crate::Merge::merge(self, other)
            }

            /// Writes the filter to a file, which it replaces whole or not at all.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), $crate::SaveError> {
                $crate::format::save(self, path.as_ref(), $crate::format::Existing::Replace)
            }

            /// Writes the filter to a stream.
            pub fn write_to(&self, out: impl std::io::Write) -> Result<(), $crate::SaveError> {
                $crate::format::write_to(self, out)
            }

            /// Reads a filter from a file and verifies every byte. [`Open`](crate::Open) has more
            /// ways: from bytes, mapped, with a secret key.
            pub fn open(path: impl AsRef<std::path::Path>) -> Result<$kind, $crate::LoadError> {
                $crate::Open::new().file_as(path)
            }
        }

        impl<K: $crate::Key> Extend<K> for $kind {
            fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(key);
                }
            }
        }
    };
}
pub(crate) use methods_by_key;
