//! Payloads of `DUMP` and RDB files: what is read, and what is refused by name.

use super::*;
use anther::ForeignError;
use anther::foreign::redisbloom::{BLOOM_TYPE, CUCKOO_TYPE, RdbFile, RdbSource};

/// A field of a module's value.
#[derive(Clone, Debug)]
pub enum Field {
    Unsigned(u64),
    Double(f64),
    String(Vec<u8>),
}

/// Fields as a server hands them to a module.
pub struct Fields(pub std::vec::IntoIter<Field>);

impl RdbSource for Fields {
    fn unsigned(&mut self) -> Result<u64, ForeignError> {
        match self.0.next() {
            Some(Field::Unsigned(number)) => Ok(number),
            None => Err(ForeignError::Truncated),
            other => panic!("{other:?} instead of an unsigned"),
        }
    }

    fn double(&mut self) -> Result<f64, ForeignError> {
        match self.0.next() {
            Some(Field::Double(number)) => Ok(number),
            None => Err(ForeignError::Truncated),
            other => panic!("{other:?} instead of a double"),
        }
    }

    fn string(&mut self, _: u64) -> Result<Vec<u8>, ForeignError> {
        match self.0.next() {
            Some(Field::String(bytes)) => Ok(bytes),
            None => Err(ForeignError::Truncated),
            other => panic!("{other:?} instead of a string"),
        }
    }
}

/// The fields of a filter in the newest encoding.
pub fn fields(object: &Object) -> Vec<Field> {
    use Field::{Double, String, Unsigned};
    match object {
        Object::Bloom(filter) => {
            let header = filter.header();
            let options = u32::from_le_bytes(*header[12..].first_chunk().unwrap());
            let growth = u32::from_le_bytes(*header[16..].first_chunk().unwrap());
            let count = filter.layers().len() as u64;
            let head = [filter.len(), count, options.into(), growth.into()];
            let mut fields: Vec<Field> = head.map(Unsigned).into();
            for (layer, (_, bits)) in filter.layers().iter().zip(filter.chunks()) {
                fields.extend([
                    Unsigned(layer.capacity),
                    Double(layer.error),
                    Unsigned(layer.probes.into()),
                    Double(layer.bits_per_entry),
                    Unsigned(layer.bits),
                    Unsigned(layer.log2_bits.into()),
                    String(bits.to_vec()),
                    Unsigned(layer.items),
                ]);
            }
            fields
        }
        Object::Cuckoo(filter) => {
            let head = [filter.layers() as u64, filter.buckets(), filter.len(), filter.deletes()];
            let mut fields: Vec<Field> = head.map(Unsigned).into();
            let tail = [filter.bucket_size(), filter.max_iterations(), filter.expansion()];
            fields.extend(tail.map(|number| Unsigned(number.into())));
            for (_, slots) in filter.chunks() {
                let buckets = slots.len() as u64 / u64::from(filter.bucket_size());
                fields.extend([Unsigned(buckets), String(slots.to_vec())]);
            }
            fields
        }
    }
}

/// The payload of `DUMP` for fields of a type.
pub fn dump_of(name: &str, version: u64, fields: &[Field]) -> Vec<u8> {
    let length = |number: u64| {
        let mut bytes = vec![0x81];
        bytes.extend(number.swap_bytes().to_le_bytes());
        bytes
    };
    let characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |c| characters.find(c).unwrap() as u64;
    let name = name.chars().fold(0, |sum, c| sum << 6 | digit(c));
    let mut dump = vec![7];
    dump.extend(length(name << 10 | version));
    for field in fields {
        match field {
            Field::Unsigned(number) => {
                dump.push(2);
                dump.extend(length(*number));
            }
            Field::Double(number) => {
                dump.push(4);
                dump.extend(number.to_le_bytes());
            }
            Field::String(bytes) => {
                dump.push(5);
                dump.extend(length(bytes.len() as u64));
                dump.extend(bytes);
            }
        }
    }
    dump.extend([0, 10, 0]);
    dump.extend([0; 8]);
    with_checksum(dump)
}

fn name_of(object: &Object) -> &'static str {
    if matches!(object, Object::Bloom(_)) { BLOOM_TYPE } else { CUCKOO_TYPE }
}

/// The writer of these tests and the reader agree, also without a payload around the fields.
#[test]
fn fields_are_read_in_their_order() {
    for case in cases("redis") {
        let object = from_chunks(&case);
        let fields = fields(&object);
        let dump = dump_of(name_of(&object), 4, &fields);
        assert_eq!(read_dump(&dump, LIMIT).unwrap(), object);
        let mut source = Fields(fields.into_iter());
        let again = match object {
            Object::Bloom(_) => Object::Bloom(Bloom::from_rdb(&mut source, 4, LIMIT).unwrap()),
            _ => Object::Cuckoo(Cuckoo::from_rdb(&mut source, 4, LIMIT).unwrap()),
        };
        assert_eq!(again, object);
        assert_eq!(source.0.len(), 0);
    }
}

#[test]
fn other_types_and_newer_encodings_are_refused_by_name() {
    let object = from_chunks(&case("rb26_bf_100"));
    let fields = fields(&object);
    let read = |name, version| read_dump(&dump_of(name, version, &fields), LIMIT).unwrap_err();
    assert_eq!(read("TopK-TYPE", 0), ForeignError::Type { got: "TopK-TYPE".into() });
    let newer = |got| ForeignError::Version { format: "RedisBloom's encoding", got, newest: 4 };
    assert_eq!(read(BLOOM_TYPE, 5), newer(5));
    assert_eq!(read(CUCKOO_TYPE, 1023), newer(1023));
    // A string: type 0, one byte.
    let string = with_checksum([&[0, 1, b'x', 10, 0][..], &[0; 8]].concat());
    assert!(matches!(read_dump(&string, LIMIT), Err(ForeignError::NotFormat { .. })));
    assert_eq!(read_dump(b"", LIMIT), Err(ForeignError::Truncated));
}

#[test]
fn the_limit_holds() {
    for (name, bytes) in [("rb26_bf_expansion1_1000", 1600), ("rb26_cf_scaled_10000", 15360)] {
        let case = case(name);
        let header = &case.scandump()[0].1;
        let load = |limit| match from_chunks(&case) {
            Object::Bloom(_) => Bloom::from_header(header, limit).map(drop),
            _ => Cuckoo::from_header(header, limit).map(drop),
        };
        assert_eq!(load(bytes), Ok(()));
        let refused = |limit| matches!(load(limit), Err(ForeignError::TooLarge { .. }));
        assert!(refused(bytes - 1) && refused(0));
        assert!(read_dump(&case.dump(), bytes).is_ok());
        let error = read_dump(&case.dump(), bytes - 1).unwrap_err();
        assert!(matches!(error, ForeignError::TooLarge { .. }), "{error}");
    }
}

/// Redis stores a string of digits as a number. Cells can be digits by chance.
#[test]
fn cells_that_look_like_a_number_come_back() {
    for (digits, encoded) in [
        (&b"-128"[..], vec![0xc0, 0x80]),
        (b"1234", vec![0xc1, 0xd2, 0x04]),
        (b"12345678", vec![0xc2, 0x4e, 0x61, 0xbc, 0x00]),
    ] {
        let mut filter = Cuckoo::new(digits.len() as u64, 1, 20, 1).unwrap();
        filter.insert(b"a").unwrap();
        let fields = fields(&Object::Cuckoo(filter));
        let dump = dump_of(CUCKOO_TYPE, 4, &fields[..fields.len() - 1]);
        let end = dump.len() - 11;
        let dump = [&dump[..end], &[5], &encoded, &dump[end..]].concat();
        let Object::Cuckoo(filter) = read_dump(&with_checksum(dump), LIMIT).unwrap() else {
            panic!("a cuckoo filter")
        };
        assert_eq!(filter.chunk(1).unwrap().1, digits);
        assert_eq!(filter.len(), digits.len() as u64);
    }
}

#[test]
fn rdb_files_hold_the_filters_of_the_dumps() {
    for server in ["rb26", "rbmaster"] {
        let file = fs::read(folder().join(format!("redis/{server}_rdb/dump.rdb"))).unwrap();
        let entries: Vec<_> =
            RdbFile::open(&file, LIMIT).unwrap().map(|entry| entry.unwrap()).collect();
        let mut keys: Vec<_> =
            entries.iter().map(|entry| String::from_utf8(entry.key.clone()).unwrap()).collect();
        keys.sort();
        let all = ["bf_100", "bf_def", "bf_e1", "bf_ns", "cf_100", "cf_b1", "cf_del", "cf_del1"];
        assert_eq!(keys, all);
        for (key, name) in [
            ("bf_100", "rb26_bf_100"),
            ("bf_def", "rbmaster_bf_default_1000"),
            ("bf_e1", "rb26_bf_expansion1_1000"),
            ("bf_ns", "rb26_bf_nonscaling_100"),
            ("cf_100", "rb26_cf_100"),
            ("cf_b1", "rb26_cf_bucket1_100"),
            ("cf_del", "rb26_cf_deleted_1000"),
        ] {
            let entry = entries.iter().find(|entry| entry.key == key.as_bytes()).unwrap();
            assert_eq!(entry.object, from_chunks(&case(name)), "{server}: {key}");
            assert_eq!(entry.database, 0);
        }
    }
}

/// Values of other types, as Redis writes them, are skipped.
#[test]
fn rdb_files_have_other_values_too() {
    let dump = case("rb26_bf_100").dump();
    let bloom = &dump[1..dump.len() - 10];
    let stream = [
        &[1][..], // one node: its identifier and its entries
        b"\x02id\x03abc",
        &[1, 2, 3],       // entries, and the last identifier
        &[4, 5, 6, 7, 8], // the first, the largest deleted, all ever added
        &[1],
        b"\x05group", // one group
        &[1, 2, 3],
        &[1],
        &[0; 24],
        &[1], // one entry that is pending
        &[1],
        b"\x08consumer",
        &[0; 16],
        &[1],
        &[0; 16],
    ]
    .concat();
    let other = [0x81, 1, 2, 3, 4, 5, 6, 7, 8];
    let mut file = b"REDIS0011".to_vec();
    for (kind, key, value) in [
        (0xfa, &b""[..], &b"\x03aux\xc0\x40"[..]),
        (0xf5, b"", b"\x04code"),
        (0xf7, b"", &[&other[..], &[2, 1, 1, 3, 2, 9, 3, 0, 0, 0, 0, 0]].concat()),
        (0xfe, b"", &[3]),
        (0xfb, b"", &[12, 1]),
        (0xf4, b"", &[1, 2, 3]),
        (0, b"string", b"\x05value"),
        (0, b"number", &[0xc1, 1, 2]),
        (1, b"list", b"\x02\x01a\x01b"),
        (3, b"zset", b"\x02\x01a\x031.5\x01b\xfe"),
        (5, b"zset 2", &[&b"\x01\x01a"[..], &[0; 8]].concat()),
        (4, b"hash", b"\x01\x01a\x01b"),
        (0xfd, b"", &[0; 4]),
        (18, b"quicklist", b"\x01\x02\x03abc"),
        (21, b"stream", &stream),
        (7, b"module", &[&other[..], &[1, 5, 2, 6, 3, 0, 0, 0, 0, 5, 1, 9, 0]].concat()),
        (0xfc, b"", &[0; 8]),
        (0xf8, b"", &[1]),
        (0xf9, b"", &[1]),
        (7, b"mine", bloom),
    ] {
        file.push(kind);
        if !key.is_empty() {
            file.push(key.len() as u8);
            file.extend(key);
        }
        file.extend(value);
    }
    file.push(0xff);
    file.extend([0; 8]);
    let file = with_checksum(file);
    let mut entries = RdbFile::open(&file, LIMIT).unwrap();
    let entry = entries.next().unwrap().unwrap();
    assert_eq!((entry.database, &entry.key[..]), (3, &b"mine"[..]));
    assert_eq!(entry.object, read_dump(&dump, LIMIT).unwrap());
    assert!(entries.next().is_none());

    // A checksum of 0 means that the server wrote none.
    let end = file.len() - 8;
    let without = [&file[..end], &[0; 8]].concat();
    assert_eq!(RdbFile::open(&without, LIMIT).unwrap().count(), 1);
    // A type that this release does not know.
    let unknown = [b"REDIS0011\x60\x01a", &[0; 8][..]].concat();
    let error = RdbFile::open(&unknown, LIMIT).unwrap().next().unwrap().unwrap_err();
    assert!(error.to_string().contains("type 96 of RDB"), "{error}");
    // Every truncation: an error, once, and no panic.
    for len in 0..end {
        let short = [&file[..len], &[0; 8]].concat();
        match RdbFile::open(&short, LIMIT) {
            Ok(entries) => assert!(entries.last().is_some_and(|last| last.is_err()), "{len}"),
            Err(error) => assert!(len < 9 || error == ForeignError::Truncated, "{len}: {error}"),
        }
    }
}

#[test]
fn other_files_are_no_rdb_files() {
    for file in
        [&b""[..], b"REDIS", b"REDIS00a0________", b"VALKEYabc________", b"anther __________"]
    {
        let refused = RdbFile::open(file, LIMIT).unwrap_err();
        assert_eq!(refused, ForeignError::NotFormat { expected: "an RDB file" });
    }
    assert_eq!(RdbFile::open(b"REDIS0010\xff", LIMIT).unwrap_err(), ForeignError::Truncated);
    let file = fs::read(folder().join("redis/rb26_rdb/dump.rdb")).unwrap();
    let mut changed = file.clone();
    changed[100] ^= 1;
    assert!(matches!(RdbFile::open(&changed, LIMIT), Err(ForeignError::Checksum { .. })));
}
