//! Feature `serde`: a filter as the bytes of its file.

use super::{Open, Readable, Save, Writable};
use crate::error::LoadError;
use serde::de::{SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserializer, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The most room reserved before the bytes arrive, whatever length a sequence claims.
const MOST_AT_ONCE: usize = 1 << 16;

pub(crate) fn serialize<S: Serializer>(
    what: &impl Writable,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bytes = Save::new().bytes(what).map_err(S::Error::custom)?;
    serializer.serialize_bytes(&bytes)
}

pub(crate) fn deserialize<'de, C: Readable, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<C, D::Error> {
    deserializer.deserialize_byte_buf(FileBytes(PhantomData))
}

struct FileBytes<C>(PhantomData<C>);

impl<'de, C: Readable> Visitor<'de> for FileBytes<C> {
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a filter's file")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<C, E> {
        let opened = match Open::new().bytes(bytes) {
            // Filters of external hashes are queried by hash, so they need no secret key.
            Err(LoadError::ExternalHashes) => Open::new().without_hashing().bytes(bytes),
            other => other,
        };
        opened.map_err(E::custom)
    }

    /// Formats without bytes, such as JSON, use sequences of numbers.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<C, A::Error> {
        let mut bytes = Vec::with_capacity(sequence.size_hint().unwrap_or(0).min(MOST_AT_ONCE));
        while let Some(byte) = sequence.next_element::<u8>()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}
