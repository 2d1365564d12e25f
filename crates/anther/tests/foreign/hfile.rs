//! HFiles made by hand, of both versions: with several chunks, with forged numbers. Real ones are
//! among the shared vectors.

use super::detection::gzip;
use anther::ForeignError;
use anther::foreign::{ForeignFilter, OpenForeign, System};
use std::io::Cursor;

/// What an HFile of version 3 is made of.
#[derive(Clone)]
pub struct Version3 {
    pub bloom_type: &'static str,
    pub codec: u8,
    pub checksum: u8,
    pub meta_version: i32,
    pub probes: i32,
    pub hash: i32,
    /// First keys and bits.
    pub chunks: Vec<(&'static str, Vec<u8>)>,
}

impl Default for Version3 {
    fn default() -> Version3 {
        let chunks = vec![("a", vec![0xff; 16]), ("m", vec![0; 32]), ("t", vec![0x55; 8])];
        Version3 {
            bloom_type: "ROW",
            codec: 2,
            checksum: 2,
            meta_version: 3,
            probes: 3,
            hash: 1,
            chunks,
        }
    }
}

impl Version3 {
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = self.block(b"DATABLK*", b"data");
        let mut index = Vec::new();
        for (first, bits) in &self.chunks {
            let block = self.block(b"BLMFBLK2", bits);
            index.extend((file.len() as i64).to_be_bytes());
            index.extend((block.len() as i32).to_be_bytes());
            index.push(first.len() as u8);
            index.extend(first.as_bytes());
            file.extend(block);
        }
        let start = file.len() as u64;
        let pair =
            field(1, b"BLOOM_FILTER_TYPE").into_iter().chain(field(2, self.bloom_type.as_bytes()));
        let message = field(1, &pair.collect::<Vec<_>>());
        let info = [b"PBUF", &varint(message.len() as u64)[..], &message].concat();
        file.extend(self.block(b"FILEINF2", &info));
        let bits: usize = self.chunks.iter().map(|(_, bits)| bits.len()).sum();
        let mut meta = self.meta_version.to_be_bytes().to_vec();
        meta.extend((bits as i64).to_be_bytes());
        meta.extend([self.probes, self.hash].iter().flat_map(|number| number.to_be_bytes()));
        meta.extend([25i64, 26].iter().flat_map(|number| number.to_be_bytes()));
        meta.extend((self.chunks.len() as i32).to_be_bytes());
        meta.push(0);
        meta.extend(index);
        file.extend(self.block(b"BLMFMET2", &meta));
        let numbers = [vec![2 << 3], varint(start), vec![12 << 3, self.codec]].concat();
        let mut trailer = [b"TRABLK\"$", &varint(numbers.len() as u64)[..], &numbers].concat();
        trailer.resize(4092, 0);
        trailer.extend([3, 0, 0, 3]);
        file.extend(trailer);
        file
    }

    fn block(&self, kind: &[u8; 8], data: &[u8]) -> Vec<u8> {
        let stored = if self.codec == 1 { gzip(data) } else { data.to_vec() };
        let (per_sum, data_end) = (20, 33 + stored.len());
        let sums = if self.checksum == 0 { 0 } else { 4 * data_end.div_ceil(per_sum) };
        let mut block = kind.to_vec();
        block.extend(((stored.len() + sums) as i32).to_be_bytes());
        block.extend((data.len() as i32).to_be_bytes());
        block.extend((-1i64).to_be_bytes());
        block.push(self.checksum);
        block.extend((per_sum as i32).to_be_bytes());
        block.extend((data_end as i32).to_be_bytes());
        block.extend(stored);
        let polynomial = if self.checksum == 1 { 0xedb8_8320 } else { 0x82f6_3b78 };
        let sum = |part: &[u8]| crc32(part, polynomial).to_be_bytes();
        let sums: Vec<u8> =
            if sums == 0 { vec![] } else { block.chunks(per_sum).flat_map(sum).collect() };
        block.extend(sums);
        block
    }
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2], &varint(bytes.len() as u64)[..], bytes].concat()
}

fn crc32(bytes: &[u8], polynomial: u32) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ polynomial } else { sum >> 1 };
        }
    }
    !sum
}

/// An HFile of version 1 with a filter of these bits.
pub fn version_1(codec: i32, bits: &[u8]) -> Vec<u8> {
    let stored = |data: &[u8]| if codec == 1 { gzip(data) } else { data.to_vec() };
    let data = [b"METABLKc", bits].concat();
    let numbers = [1, bits.len() as i32, 4, 1, 9];
    let meta = [b"METABLKc", &numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<_>>()[..]]
        .concat();
    let mut file = b"DATABLK*data".to_vec();
    let mut index = b"IDXBLK)+".to_vec();
    for (name, block) in [("BLOOM_FILTER_DATA", data), ("BLOOM_FILTER_META", meta)] {
        index.extend((file.len() as i64).to_be_bytes());
        index.extend((block.len() as i32).to_be_bytes());
        index.push(name.len() as u8);
        index.extend(name.as_bytes());
        file.extend(stored(&block));
    }
    let file_info = file.len() as i64;
    file.extend([0, 0, 0, 1, 17]);
    file.extend(b"BLOOM_FILTER_TYPE\x01\x03ROW");
    let indexes = file.len() as i64;
    file.extend(index);
    file.extend(b"TRABLK\"$");
    file.extend(file_info.to_be_bytes());
    file.extend([&indexes.to_be_bytes()[..], &[0; 4]].concat());
    file.extend([&indexes.to_be_bytes()[..], &[0, 0, 0, 2]].concat());
    file.extend([0; 12]);
    file.extend([codec, 1].iter().flat_map(|number| number.to_be_bytes()));
    file
}

fn open(bytes: &[u8]) -> Result<ForeignFilter, ForeignError> {
    let file = OpenForeign::new().reader(Cursor::new(bytes))?;
    assert_eq!(file.system(), System::HBase);
    file.only()
}

/// A key is looked up in the chunk of its range: one has all bits, the next none.
#[test]
fn chunks_are_found_by_their_first_keys() {
    for (codec, checksum) in [(1, 0), (1, 2), (2, 0), (2, 1), (2, 2)] {
        let filter = open(&Version3 { codec, checksum, ..Version3::default() }.bytes()).unwrap();
        for (key, found) in [("a", true), ("lzz", true), ("m", false), ("szz", false), ("A", true)]
        {
            assert_eq!(filter.contains(key.as_bytes()), found, "{key}");
        }
        let info = filter.info();
        assert_eq!((info.bits, info.layers, info.probes), (8 * 56, 3, 3));
        assert_eq!((info.inserted, info.capacity), (Some(25), Some(26)));
        assert_eq!(info.fill, f64::from(16 * 8 + 8 * 4) / f64::from(8 * 56));
    }
    for codec in [1, 2] {
        assert!(open(&version_1(codec, &[0xff; 99])).unwrap().contains(b"key"));
        let filter = open(&version_1(codec, &[0; 99])).unwrap();
        assert!(!filter.contains(b"key"));
        assert_eq!((filter.info().format, filter.info().bits), ("HFile version 1, ROW", 99 * 8));
    }
}

/// What cannot be read is refused by its name.
#[test]
fn other_variants_are_refused_by_name() {
    let file = Version3::default();
    let message = |file: &Version3| open(&file.bytes()).unwrap_err().to_string();
    for (codec, name) in [(0, "LZO"), (3, "Snappy"), (4, "LZ4"), (6, "Zstandard")] {
        let refused = message(&Version3 { codec, ..file.clone() });
        assert!(
            refused.starts_with(&format!("an HFile compressed with {name} cannot")),
            "{refused}"
        );
    }
    let types = [
        ("ROWCOL", "ROWCOL"),
        ("ROWPREFIX_FIXED_LENGTH", "ROWPREFIX_FIXED_LENGTH"),
        ("NONE", "no filter"),
    ];
    for (bloom_type, name) in types {
        let refused = message(&Version3 { bloom_type, ..file.clone() });
        assert!(refused.contains(name), "{refused}");
    }
    for (hash, name) in [(0, "jenkins"), (2, "murmur3"), (-1, "type of the hash")] {
        let refused = message(&Version3 { hash, ..file.clone() });
        assert!(refused.contains(name), "{refused}");
    }
    assert!(message(&Version3 { meta_version: 2, ..file.clone() }).contains("version 2"));
    for probes in [0, -1, 4097, i32::MAX] {
        assert!(message(&Version3 { probes, ..file.clone() }).contains("field probes"));
    }
    assert_eq!(
        message(&Version3 { chunks: vec![], ..file.clone() }),
        ForeignError::NoFilter.to_string()
    );
    let backwards = vec![("m", vec![1; 8]), ("a", vec![1; 8])];
    assert!(message(&Version3 { chunks: backwards, ..file.clone() }).contains("order of chunks"));
    assert!(message(&Version3 { checksum: 3, ..file.clone() }).contains("type of checksum"));
    let mut version_2 = file.bytes();
    let end = version_2.len();
    version_2[end - 1] = 2;
    version_2[end - 212..end - 204].copy_from_slice(b"TRABLK\"$");
    assert!(open(&version_2).unwrap_err().to_string().starts_with("an HFile of version 2 cannot"));
}

/// A flipped bit in the filter's blocks is found by their checksums.
#[test]
fn checksums_find_flipped_bits() {
    let file = Version3::default().bytes();
    let chunk = file.windows(8).position(|window| window == b"BLMFBLK2").unwrap();
    for at in chunk + 33..chunk + 33 + 16 {
        let mut flipped = file.clone();
        flipped[at] ^= 4;
        assert!(matches!(open(&flipped), Err(ForeignError::Checksum { .. })), "{at}");
    }
}
