//! Every field with every extreme value, through every loader.

use super::rdb::{Field, Fields, dump_of, fields};
use super::*;
use anther::ForeignError;
use anther::foreign::redisbloom::{BLOOM_TYPE, CUCKOO_TYPE};

const NUMBERS: [u64; 9] = [0, 1, 3, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 56, 1 << 63, u64::MAX];
const RATES: [f64; 9] =
    [0.0, -0.5, 1.0, 2.0, 5e-324, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// What a loader made of a forged value.
fn outcome(object: Result<Object, ForeignError>) -> Option<ForeignError> {
    match object {
        Ok(object) => {
            exercise(object);
            None
        }
        Err(error) => Some(error),
    }
}

/// Each field of RDB, replaced by each value: the same outcome from a server and from a dump.
#[test]
fn forged_fields_of_rdb_are_refused_or_harmless() {
    for name in ["rb26_bf_100", "rbmaster_bf_default_1000", "rb26_cf_100", "rb26_cf_scaled_10000"] {
        let object = from_chunks(&case(name));
        let fields = fields(&object);
        let mut refused = 0;
        for at in 0..fields.len() {
            let forged: Vec<Field> = match &fields[at] {
                Field::Unsigned(_) => NUMBERS.map(Field::Unsigned).into(),
                Field::Double(_) => RATES.map(Field::Double).into(),
                Field::String(cells) => {
                    let longer = [&cells[..], &[0]].concat();
                    let shorter = cells[1..].to_vec();
                    [Vec::new(), longer, shorter].map(Field::String).into()
                }
            };
            for field in forged {
                let is_string = matches!(field, Field::String(_));
                let mut changed = fields.clone();
                changed[at] = field;
                let mut source = Fields(changed.clone().into_iter());
                let (loaded, type_name) = match object {
                    Object::Bloom(_) => {
                        (Bloom::from_rdb(&mut source, 4, LIMIT).map(Object::Bloom), BLOOM_TYPE)
                    }
                    _ => (Cuckoo::from_rdb(&mut source, 4, LIMIT).map(Object::Cuckoo), CUCKOO_TYPE),
                };
                let left = source.0.len();
                let error = outcome(loaded);
                let from_dump = outcome(read_dump(&dump_of(type_name, 4, &changed), LIMIT));
                // A dump also says what each field is, and that nothing comes after the last one.
                assert!(error.is_none() || from_dump.is_some(), "{name}: field {at}");
                assert!(error.is_some() || left > 0 || from_dump.is_none(), "{name}: field {at}");
                assert!(!is_string || error.is_some(), "{name}: cells of another length");
                refused += usize::from(error.is_some());
            }
        }
        assert!(refused > 4 * fields.len(), "{name}: {refused} of {} fields", fields.len());
    }
}

fn bloom_header(offset: usize, bytes: &[u8]) -> Option<ForeignError> {
    let mut header = case("rb26_bf_100").scandump()[0].1.clone();
    header[offset..offset + bytes.len()].copy_from_slice(bytes);
    Bloom::from_header(&header, u64::MAX).err()
}

/// The field that an error names.
fn named(error: Option<ForeignError>) -> &'static str {
    match error {
        Some(ForeignError::Field { name, .. }) => name,
        other => panic!("{other:?} names no field"),
    }
}

/// Fields of a Bloom filter's header, by their offset, and the values that cannot be.
#[test]
fn forged_headers_of_bloom_filters_are_refused_by_field() {
    for number in NUMBERS {
        let long = number.to_le_bytes();
        assert_eq!(named(bloom_header(0, &long)), "size");
        assert_eq!(named(bloom_header(20, &long)), "bytes");
        // The number of bits is compared with the bytes; 0 is none.
        assert_eq!(named(bloom_header(28, &long)), if number == 0 { "bits" } else { "bytes" });
        let items = named(bloom_header(36, &long));
        assert_eq!(items, if number > 100 { "size of a layer" } else { "size" });
    }
    for number in [0, 1 << 16, u64::MAX] {
        assert_eq!(named(bloom_header(64, &u64::to_le_bytes(number))), "entries");
    }
    assert_eq!(named(bloom_header(12, &[16])), "options");
    assert_eq!(named(bloom_header(12, &[255; 4])), "options");
    assert_eq!(named(bloom_header(16, &[0])), "growth");
    for n2 in [11, 12, 63, 64, 255] {
        assert_eq!(named(bloom_header(72, &[n2])), "n2");
    }
    for hashes in [0u32, 1, 7, 9, 1 << 31, u32::MAX] {
        assert_eq!(named(bloom_header(60, &hashes.to_le_bytes())), "hashes");
    }
    for rate in RATES.into_iter().filter(|rate| *rate != 5e-324) {
        assert_eq!(named(bloom_header(44, &rate.to_le_bytes())), "error");
        let name = named(bloom_header(52, &rate.to_le_bytes()));
        // 1 and 2 bits per entry can be, but not with eight hash functions.
        let possible = rate == 1.0 || rate == 2.0;
        assert_eq!(name, if possible { "hashes" } else { "bits per entry" });
    }
    // Layers: none, and more than there are.
    assert_eq!(bloom_header(8, &[0; 4]), Some(ForeignError::Trailing));
    assert_eq!(bloom_header(8, &[255; 4]), Some(ForeignError::Truncated));
    let none = &[0; 12][..];
    let none = [none, &5u32.to_le_bytes()[..], &2u32.to_le_bytes()].concat();
    assert_eq!(named(Bloom::from_header(&none, u64::MAX).err()), "number of filters");
}

fn cuckoo_header(offset: usize, bytes: &[u8]) -> Option<ForeignError> {
    let mut header = case("rb26_cf_100").scandump()[0].1.clone();
    header[offset..offset + bytes.len()].copy_from_slice(bytes);
    Cuckoo::from_header(&header, 1 << 40).err()
}

#[test]
fn forged_headers_of_cuckoo_filters_are_refused_by_field() {
    for number in [0, 3, (1 << 32) - 1, 1 << 56, 1 << 63, u64::MAX] {
        assert_eq!(named(cuckoo_header(8, &u64::to_le_bytes(number))), "number of buckets");
    }
    for number in [0, 1 << 16, 1 << 63, u64::MAX] {
        assert_eq!(named(cuckoo_header(24, &u64::to_le_bytes(number))), "number of filters");
    }
    for size in [0u16, 256, u16::MAX] {
        assert_eq!(named(cuckoo_header(32, &size.to_le_bytes())), "bucket size");
    }
    assert_eq!(named(cuckoo_header(34, &[0, 0])), "max iterations");
    for expansion in [3u16, 32769, u16::MAX] {
        assert_eq!(named(cuckoo_header(36, &expansion.to_le_bytes())), "expansion");
    }
    // Two layers cannot be if the filter never grows.
    assert_eq!(named(cuckoo_header(36, &[0, 0])), "number of filters");
    // Layers that grow 32768-fold would be too many after a few.
    let grown = [&65535u64.to_le_bytes()[..], &[2, 0, 20, 0, 0, 128]].concat();
    assert_eq!(named(cuckoo_header(24, &grown)), "number of filters");
    let large = (1u64 << 50).to_le_bytes();
    assert!(matches!(cuckoo_header(8, &large), Some(ForeignError::TooLarge { .. })));
    // Counts are counted anew, and cannot overflow.
    for number in NUMBERS {
        let mut header = case("rb26_cf_100").scandump()[0].1.clone();
        header[..8].copy_from_slice(&number.to_le_bytes());
        header[16..24].copy_from_slice(&number.to_le_bytes());
        let mut loading = Cuckoo::from_header(&header, LIMIT).unwrap();
        for (iterator, data) in &case("rb26_cf_100").scandump()[1..] {
            loading.load_chunk(*iterator, data).unwrap();
        }
        let mut filter = loading.finish().unwrap();
        assert_eq!(filter.len(), 100);
        for key in &case("rb26_cf_100").present {
            assert!(filter.contains(key));
            assert!(filter.remove(key));
        }
        assert_eq!(filter.len(), 0);
    }
}

/// Item counts that lie change no answer: every key is still found.
#[test]
fn a_lying_number_of_keys_loses_none() {
    let case = case("rb26_bf_100");
    let chunks = case.scandump();
    for items in 0..=100u64 {
        let mut header = chunks[0].1.clone();
        header[..8].copy_from_slice(&items.to_le_bytes());
        header[36..44].copy_from_slice(&items.to_le_bytes());
        let mut loading = Bloom::from_header(&header, LIMIT).unwrap();
        loading.load_chunk(chunks[1].0, &chunks[1].1).unwrap();
        let filter = loading.finish().unwrap();
        assert!(case.present.iter().all(|key| filter.contains(key)));
    }
}
