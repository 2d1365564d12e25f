//! The fields of a cuckoo filter, and what they must satisfy.

use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CuckooHeader {
    pub(super) items: u64,
    /// Of the first layer.
    pub(super) buckets: u64,
    pub(super) deletes: u64,
    /// Layers.
    pub(super) filters: u64,
    pub(super) bucket_size: u16,
    pub(super) max_iterations: u16,
    pub(super) expansion: u16,
}

/// RedisBloom's own limits.
const MOST_BUCKETS: u64 = (1 << 56) - 1;
const MOST_EXPANSION: u16 = 32768;

impl CuckooHeader {
    pub(super) fn parse(bytes: &[u8]) -> Result<CuckooHeader, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let header = CuckooHeader {
            items: cursor.u64()?,
            buckets: cursor.u64()?,
            deletes: cursor.u64()?,
            filters: cursor.u64()?,
            bucket_size: cursor.u16()?,
            max_iterations: cursor.u16()?,
            expansion: cursor.u16()?,
        };
        cursor.end()?;
        header.check()?;
        Ok(header)
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in [self.items, self.buckets, self.deletes, self.filters] {
            bytes.extend(field.to_le_bytes());
        }
        for field in [self.bucket_size, self.max_iterations, self.expansion] {
            bytes.extend(field.to_le_bytes());
        }
        bytes
    }

    pub(super) fn check(&self) -> Result<(), ForeignError> {
        if !(1..=255).contains(&self.bucket_size) {
            return Err(ForeignError::field("bucket size", self.bucket_size, "1 to 255"));
        }
        if self.max_iterations == 0 {
            return Err(ForeignError::field("max iterations", 0, "1 to 65535"));
        }
        let expansion = self.expansion;
        if expansion > MOST_EXPANSION || !(expansion == 0 || expansion.is_power_of_two()) {
            return Err(ForeignError::field(
                "expansion",
                expansion,
                "0, or a power of two up to 32768",
            ));
        }
        if !self.buckets.is_power_of_two() || self.buckets > MOST_BUCKETS {
            return Err(ForeignError::field(
                "number of buckets",
                self.buckets,
                "a power of two below 2^56",
            ));
        }
        let most = if expansion == 0 { 1 } else { u16::MAX.into() };
        if !(1..=most).contains(&self.filters) {
            return Err(ForeignError::field(
                "number of filters",
                self.filters,
                format!("1 to {most}"),
            ));
        }
        if self.layer_buckets(self.filters - 1).is_none() {
            return Err(ForeignError::field(
                "number of filters",
                self.filters,
                "fewer, with that expansion",
            ));
        }
        Ok(())
    }

    /// The buckets of a layer, if their number is within bounds.
    pub(super) fn layer_buckets(&self, layer: u64) -> Option<u64> {
        if layer == 0 {
            return Some(self.buckets);
        }
        if self.expansion == 0 {
            return None;
        }
        // Both are powers of two.
        let log = u64::from(self.buckets.ilog2())
            + u64::from(self.expansion.ilog2()).checked_mul(layer)?;
        (log < 56).then(|| 1 << log)
    }

    pub(super) fn layer_bytes(&self, layer: u64) -> Option<u64> {
        // At most 2^55 by 255.
        Some(self.layer_buckets(layer)? * u64::from(self.bucket_size))
    }
}
