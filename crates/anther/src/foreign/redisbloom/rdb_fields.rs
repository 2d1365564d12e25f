//! The fields of RedisBloom's values in an RDB file, in their order there.

use super::bloom_header::{BloomHeader, BloomLayer, bits_for};
use super::cuckoo_header::CuckooHeader;
use super::scandump::Layered;
use super::{Bloom, Cuckoo, ENCODING_VERSION};
use crate::error::ForeignError;

/// Where the fields of a module's value come from: a server's loading callback, or the payload of
/// `DUMP`. A source that has no more returns [`ForeignError::Truncated`].
pub trait RdbSource {
    /// The next field, an unsigned integer.
    fn unsigned(&mut self) -> Result<u64, ForeignError>;
    /// The next field, a floating-point number.
    fn double(&mut self) -> Result<f64, ForeignError>;
    /// The next field, a byte string. The fields before it say that it has `len` bytes; a source
    /// may refuse a longer one before it has read it.
    fn string(&mut self, len: u64) -> Result<Vec<u8>, ForeignError>;
}

fn check_version(version: u16) -> Result<(), ForeignError> {
    let newest = u64::from(ENCODING_VERSION);
    if u64::from(version) > newest {
        let format = "RedisBloom's encoding";
        return Err(ForeignError::Version { format, got: version.into(), newest });
    }
    Ok(())
}

/// A field that RedisBloom has in fewer bits than the file.
fn narrow<T: TryFrom<u64>>(name: &'static str, got: u64) -> Result<T, ForeignError> {
    T::try_from(got)
        .map_err(|_| ForeignError::field(name, got, format!("below 2^{}", 8 * size_of::<T>())))
}

/// Cells, which must have the length that the fields say.
fn cells(source: &mut impl RdbSource, len: u64) -> Result<Vec<u8>, ForeignError> {
    let cells = source.string(len)?;
    if cells.len() as u64 == len {
        return Ok(cells);
    }
    Err(ForeignError::field("length of the cells", cells.len(), len))
}

impl Bloom {
    /// Reads the fields of a value of the type [`BLOOM_TYPE`](super::BLOOM_TYPE) in an encoding
    /// version. Fails if the filter needs more than `limit` bytes.
    pub fn from_rdb(
        source: &mut impl RdbSource,
        version: u16,
        limit: u64,
    ) -> Result<Bloom, ForeignError> {
        check_version(version)?;
        let items = source.unsigned()?;
        let count = source.unsigned()?;
        let options = if version >= 2 { narrow("options", source.unsigned()?)? } else { 0 };
        let expansion = if version >= 4 { narrow("growth", source.unsigned()?)? } else { 2 };
        let mut header = BloomHeader { items, options, expansion, layers: Vec::new() };
        let mut layers = Vec::new();
        let mut bytes: u64 = 0;
        // Nothing is reserved for the stored number of layers: each must come first.
        for _ in 0..count {
            let mut layer = bloom_layer(source, version)?;
            bytes = bytes.saturating_add(layer.bytes);
            if bytes > limit {
                return Err(ForeignError::TooLarge { bytes, limit });
            }
            layers.push(cells(source, layer.bytes)?);
            layer.items = source.unsigned()?;
            header.layers.push(layer);
        }
        Bloom::from_parts(header, layers, limit)
    }
}

/// The fields of a layer that come before its bits.
fn bloom_layer(source: &mut impl RdbSource, version: u16) -> Result<BloomLayer, ForeignError> {
    let capacity = source.unsigned()?;
    let error = source.double()?;
    let probes = narrow("hashes", source.unsigned()?)?;
    let bits_per_entry = source.double()?;
    let (bits, log2_bits) = if version == 0 {
        (bits_for(capacity, bits_per_entry), 0)
    } else {
        (source.unsigned()?, narrow("n2", source.unsigned()?)?)
    };
    let (items, bytes) = (0, bits.div_ceil(8));
    let layer =
        BloomLayer { bytes, bits, items, error, bits_per_entry, probes, capacity, log2_bits };
    layer.check()?;
    Ok(layer)
}

impl Cuckoo {
    /// Reads the fields of a value of the type [`CUCKOO_TYPE`](super::CUCKOO_TYPE) in an encoding
    /// version. Fails if the filter needs more than `limit` bytes.
    pub fn from_rdb(
        source: &mut impl RdbSource,
        version: u16,
        limit: u64,
    ) -> Result<Cuckoo, ForeignError> {
        check_version(version)?;
        let filters = source.unsigned()?;
        let buckets = source.unsigned()?;
        let items = source.unsigned()?;
        // Before version 4 there was nothing to choose; these are the defaults.
        let (deletes, [bucket_size, max_iterations, expansion]) = if version < 4 {
            (0, [2, 20, 1])
        } else {
            let deletes = source.unsigned()?;
            let bucket_size = narrow("bucket size", source.unsigned()?)?;
            let max_iterations = narrow("max iterations", source.unsigned()?)?;
            let expansion = narrow("expansion", source.unsigned()?)?;
            (deletes, [bucket_size, max_iterations, expansion])
        };
        let header = CuckooHeader {
            items,
            buckets,
            deletes,
            filters,
            bucket_size,
            max_iterations,
            expansion,
        };
        let filter = Cuckoo::empty(header, limit)?;
        let mut layers = Vec::new();
        for layer in 0..filters {
            let buckets = header.layer_buckets(layer).unwrap_or(0);
            if version >= 4 {
                let got = source.unsigned()?;
                if got != buckets {
                    return Err(ForeignError::field("buckets of a layer", got, buckets));
                }
            }
            layers.push(cells(source, buckets * u64::from(bucket_size))?);
        }
        Ok(filter.with_layers(layers))
    }
}
