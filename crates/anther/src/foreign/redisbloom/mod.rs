//! Filters of RedisBloom: [`Bloom`] and [`Cuckoo`], with its hashes and its layouts.
//!
//! They are read from what a server gives out:
//!
//! - the chunks of `BF.SCANDUMP` and `CF.SCANDUMP`: [`Bloom::from_header`],
//!   [`Cuckoo::from_header`], [`Loading`];
//! - the payload of `DUMP`: [`read_dump`];
//! - an RDB file: [`RdbFile`];
//! - the fields that a server hands to a module when it loads a value: [`RdbSource`],
//!   [`Bloom::from_rdb`], [`Cuckoo::from_rdb`].
//!
//! They are written as chunks, byte for byte as RedisBloom writes them, so that they can go back.
//!
//! ```
//! use anther::foreign::redisbloom::{Bloom, Object, read_dump};
//! # let payload = include_bytes!("../../../tests/foreign/redis/rb26_bf_100/dump.bin");
//! // payload: what DUMP returned
//! let Object::Bloom(filter) = read_dump(payload, 1 << 30)? else { panic!("a cuckoo filter") };
//! assert_eq!((filter.len(), filter.capacity()), (100, 100));
//! assert!(filter.contains("é".as_bytes()));
//! # Ok::<(), anther::ForeignError>(())
//! ```

mod bloom;
mod bloom_header;
mod crc64;
mod cuckoo;
mod cuckoo_header;
mod cuckoo_moves;
mod dump;
mod files;
mod lzf;
mod rdb_fields;
mod rdb_file;
mod rdb_value;
mod scandump;

pub use bloom::Bloom;
pub use bloom_header::BloomLayer;
pub use cuckoo::Cuckoo;
pub use dump::read_dump;
pub(super) use files::{checksum, looks_like, open};
pub use rdb_fields::RdbSource;
pub use rdb_file::{RdbEntry, RdbFile};
pub use rdb_value::Object;
pub use scandump::Loading;

/// The names of RedisBloom's types in a server.
pub const BLOOM_TYPE: &str = "MBbloom--";
/// See [`BLOOM_TYPE`].
pub const CUCKOO_TYPE: &str = "MBbloomCF";

/// The newest encoding of both types that is read here.
pub const ENCODING_VERSION: u16 = 4;

/// The longest chunk of a dump.
pub const CHUNK_BYTES: usize = 16 << 20;
