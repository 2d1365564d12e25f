//! Filters of Parquet: alone, in files of pyarrow, DuckDB and parquet-java, and added to a file.

use super::vectors::opening;
use super::*;
use anther::foreign::parquet::{ColumnFilters, Logical, Parquet, Physical, add_filters, layout};
use anther::foreign::{ForeignFilter, OpenForeign, System, WriteFormat};
use anther::recipe::{Given, KeyForm, KeyRule};
use anther::{AnyFilter, ForeignError, KeyError, Save, Seed, Shape, Split, Target};
use std::io::Cursor;

pub fn file(name: &str) -> Vec<u8> {
    fs::read(folder().join("parquet/files").join(name)).unwrap()
}

pub fn open(bytes: &[u8]) -> Result<anther::foreign::ForeignFile, ForeignError> {
    OpenForeign::new().reader(Cursor::new(bytes))
}

fn column(bytes: &[u8], name: &str) -> Parquet {
    match open(bytes).unwrap().named(name).unwrap() {
        ForeignFilter::Parquet(filter) => filter,
        other => panic!("{other:?}"),
    }
}

fn alone(case: &Case) -> Parquet {
    match opening(case).file(&case.file).unwrap().only().unwrap() {
        ForeignFilter::Parquet(filter) => filter,
        other => panic!("{other:?}"),
    }
}

fn same_answers(case: &Case, filter: &Parquet) {
    for key in &case.present {
        assert!(filter.contains(key), "{}: {key:x?} is in", case.name);
    }
    for (key, found) in &case.absent {
        assert_eq!(filter.contains(key), *found, "{}: {key:x?}", case.name);
    }
}

/// Every filter as a column of the file from which it was taken.
#[test]
fn columns_of_files_are_the_filters_alone() {
    let mut compared = 0;
    for case in cases("parquet") {
        let single = alone(&case);
        let Some(name) = case.parameters.get("parquet") else { continue };
        let filter = column(&file(name), &case.parameters["column"]);
        same_answers(&case, &filter);
        assert_eq!(filter.row_group(0), single.row_group(0), "{}", case.name);
        assert_eq!((filter.row_groups(), filter.row_group(1)), (1, None), "{}", case.name);
        let physical = filter.column().unwrap().physical;
        assert_eq!(physical as u64, case.number("physical"), "{}", case.name);
        let info = ForeignFilter::Parquet(filter.clone()).info();
        assert_eq!((info.bits, info.probes), (8 * case.number("bytes"), 8), "{}", case.name);
        assert!((0.0..0.05).contains(&info.fpr), "{}: {}", case.name, info.fpr);
        // The whole file is the header and the bits, as this program writes them.
        assert_eq!(filter.to_bytes().unwrap(), fs::read(&case.file).unwrap(), "{}", case.name);
        compared += 1;
    }
    assert_eq!(compared, 15);
}

/// The size is Arrow's and DuckDB's. parquet-java gives few keys twice as much, so that size is
/// asked for.
#[test]
fn filters_of_parquet_have_its_bytes() {
    for case in cases("parquet") {
        let (keys, bytes) = (case.number("n"), case.number("bytes"));
        let mut filter = match WriteFormat::Parquet.empty(Target::new(keys, 0.01).unwrap()) {
            Ok(filter) if !case.name.starts_with("parquetjava_100_") => filter,
            _ => {
                let split = Split::with_shape(Shape::memory(bytes).probes(8), Seed::XXH64).unwrap();
                ForeignFilter::Parquet(Parquet::from_split(split).unwrap())
            }
        };
        case.present.iter().for_each(|key| filter.insert(key).unwrap());
        let written = filter.to_bytes().unwrap();
        let expected = fs::read(&case.file).unwrap();
        let header = if case.name.contains("_bare_") { 16 } else { 0 };
        assert_eq!(written[header..], expected, "{}", case.name);
    }
}

/// Files of a public repository, which are not part of this one.
#[test]
fn fixtures_of_parquet_testing() {
    let Some(shared) = shared_vectors() else { return };
    let read = |path: &str| fs::read(shared.join("parquet").join(path)).unwrap();
    for (case, name) in [
        ("testing_stats", Some("data_index_bloom_encoding_stats.parquet")),
        ("testing_with_length", Some("data_index_bloom_encoding_with_length.parquet")),
        ("testing_xxhash_bin", None),
    ] {
        let single = Parquet::from_bytes(&read(&format!("{case}/filter.bin"))).unwrap();
        let text = |list: &str| String::from_utf8(read(&format!("{case}/{list}.txt"))).unwrap();
        let filters = match name {
            Some(name) => {
                let filter = column(&read(&format!("files/{name}")), "String");
                assert_eq!(filter.row_group(0), single.row_group(0), "{case}");
                vec![single, filter]
            }
            None => vec![single],
        };
        for filter in filters {
            for key in text("present").lines() {
                assert!(filter.contains(key.as_bytes()), "{case}: {key}");
            }
            for line in text("absent").lines() {
                let (answer, key) = line.split_once('\t').unwrap();
                assert_eq!(filter.contains(key.as_bytes()), answer == "maybe", "{case}: {key}");
            }
        }
    }
    let old = fs::read(shared.join("refuse/parquet_murmur3_bloom_filter.bin")).unwrap();
    assert!(open(&old).is_err());
    let refused = OpenForeign::new().system(System::Parquet).reader(Cursor::new(old));
    assert_eq!(refused.unwrap_err(), ForeignError::Malformed("a filter without its length"));
}

#[test]
fn bits_carry_over_in_both_directions() {
    for case in cases("parquet") {
        let filter = alone(&case);
        let split = filter.to_split().unwrap();
        let bytes = Save::new().bytes(&AnyFilter::from(split)).unwrap();
        let read: Split = anther::Open::new().bytes(&bytes).unwrap();
        assert!(case.present.iter().all(|key| read.contains(key)), "{}", case.name);
        let back = Parquet::from_split(read).unwrap();
        assert_eq!(back.row_group(0), filter.row_group(0), "{}", case.name);
        assert_eq!(back.to_bytes(), filter.to_bytes(), "{}", case.name);
    }
    let split = |bytes: u64, seed| Split::with_shape(Shape::memory(bytes).probes(8), seed).unwrap();
    assert!(matches!(Parquet::from_split(split(128, Seed::FIXED)), Err(ForeignError::Refused(_))));
    for (bytes, fits) in [(32, true), (64, true), (96, false), (160, false), (1 << 20, true)] {
        assert_eq!(Parquet::from_split(split(bytes, Seed::XXH64)).is_ok(), fits, "{bytes} bytes");
    }
    // A column's rule goes along: text that is a number of that column.
    let split = column(&file("pyarrow_100.parquet"), "i64").to_split().unwrap();
    let ours = AnyFilter::from(split);
    let present = lines("keys/i64_100.txt");
    assert!(present.iter().all(|key| ours.contains(key).unwrap()));
    assert_eq!(ours.contains("seven"), Err(KeyError::Int));
    // 128 MiB hold 110 M keys at 1 %, and no filter is larger.
    let large = Target::new(1_000_000_000, 0.01).unwrap();
    assert!(matches!(Parquet::new(large), Err(ForeignError::Refused(_))));
}

/// The values of a column in a row group of `pyarrow_nested_300.parquet`, as it was made.
fn values(name: &str, rows: std::ops::Range<i64>) -> Vec<Vec<u8>> {
    let text = |row: i64| format!("näme-{row}").into_bytes();
    rows.flat_map(|row| match name {
        "id" => vec![(row * 7).to_le_bytes().to_vec()],
        "s.name" if row % 10 != 0 => vec![text(row)],
        "s.deep.f" if row % 10 != 0 => vec![(row as f32 / 4.0).to_le_bytes().to_vec()],
        "l.list.element" => [row, row + 1000].map(|it| (it as i32).to_le_bytes().to_vec()).into(),
        "u" => {
            let mut uuid = ((row as u128) << 64 | row as u128).to_le_bytes();
            uuid.reverse();
            vec![uuid.to_vec()]
        }
        "d" if row % 3 != 0 => vec![(row as f64 / 8.0).to_le_bytes().to_vec()],
        _ => Vec::new(),
    })
    .collect()
}

const NESTED: [(&str, Physical, KeyForm); 6] = [
    ("id", Physical::Int64, KeyForm::Int64),
    ("s.name", Physical::ByteArray, KeyForm::Text),
    ("s.deep.f", Physical::Float, KeyForm::Float),
    ("l.list.element", Physical::Int32, KeyForm::Int32),
    ("u", Physical::FixedLenByteArray, KeyForm::Uuid),
    ("d", Physical::Double, KeyForm::Double),
];

/// Filters of all columns of the file, for these row groups.
pub fn filters(groups: &[i64]) -> Vec<ColumnFilters> {
    NESTED
        .iter()
        .map(|(name, ..)| {
            let filter = |group: i64| {
                let mut filter = Parquet::new(Target::new(200, 0.001).unwrap()).unwrap();
                let keys = values(name, group * 100..group * 100 + 100);
                keys.iter().for_each(|key| filter.insert(key).unwrap());
                filter.to_split().unwrap()
            };
            let row_groups = (0..3).map(|group| groups.contains(&group).then(|| filter(group)));
            ColumnFilters { column: name.to_string(), row_groups: row_groups.collect() }
        })
        .collect()
}

pub fn added(groups: &[i64]) -> Vec<u8> {
    let (original, mut out) = (file("pyarrow_nested_300.parquet"), Vec::new());
    let len = add_filters(Cursor::new(&original), &mut out, &filters(groups)).unwrap();
    assert_eq!(len, out.len() as u64);
    out
}

#[test]
fn filters_are_added_to_every_column_and_row_group() {
    let original = file("pyarrow_nested_300.parquet");
    assert!(matches!(open(&original), Err(ForeignError::Refused(_))), "it has none");
    let (columns, rows) = layout(Cursor::new(&original)).unwrap();
    assert_eq!(rows, [100, 100, 100]);
    let found = columns.iter().map(|column| (&column.name[..], column.physical, column.form));
    let expected = NESTED.into_iter().chain([("b", Physical::Boolean, KeyForm::Hex)]);
    assert!(found.eq(expected), "{columns:?}");

    let out = added(&[0, 1, 2]);
    // All before the footer is as it was.
    let footer = original.len() - 8 - footer_len(&original);
    assert_eq!(out[..footer], original[..footer]);
    for (name, ..) in NESTED {
        let filter = column(&out, name);
        let mut wrong = 0;
        for group in 0..3 {
            for key in values(name, group as i64 * 100..group as i64 * 100 + 100) {
                assert!(filter.contains(&key), "{name}");
                let groups = filter.row_groups_with(&key);
                assert!(groups.contains(&group), "{name}: {groups:?}");
                wrong += groups.len() - 1;
            }
        }
        // Neighbours share a value in the list; all else is a false positive of 0.1 %.
        assert!(wrong < 10, "{name}: {wrong}");
        assert!(!filter.contains(b"absent, certainly"), "{name}");
        let info = ForeignFilter::Parquet(filter).info();
        assert_eq!((info.layers, info.items), (3, None));
        assert!(
            info.fpr < 0.01 && info.fields.contains(&("row groups with a filter", "3 of 3".into()))
        );
    }
    // Again: the filters are replaced.
    let mut again = Vec::new();
    add_filters(Cursor::new(&out), &mut again, &filters(&[0, 1, 2])).unwrap();
    assert_eq!(column(&again, "id"), column(&out, "id"));
    assert_eq!(footer_len(&again), footer_len(&out));
}

fn footer_len(file: &[u8]) -> usize {
    u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap()) as usize
}

/// A row group without a filter may have any key: to say no would be wrong.
#[test]
fn row_groups_without_a_filter_may_have_every_key() {
    let filter = column(&added(&[0, 2]), "id");
    assert!(filter.contains(b"12345678"));
    assert_eq!(filter.row_groups_with(b"12345678"), [1]);
    assert_eq!(filter.row_groups_with(&0_i64.to_le_bytes()), [0, 1]);
    assert!(filter.row_group(1).is_none());
    assert!(filter.to_split().is_err() && filter.to_bytes().is_err());
    let info = ForeignFilter::Parquet(filter).info();
    assert!((info.fpr - 1.0).abs() < f64::EPSILON, "{}", info.fpr);
}

/// With the rules that the columns give, text is a value.
#[test]
fn text_becomes_the_value_of_a_column() {
    let out = added(&[0, 1, 2]);
    for (name, text) in [
        ("id", "2093"),
        ("s.name", "näme-299"),
        ("s.deep.f", "74.75"),
        ("l.list.element", "1299"),
        ("u", "00000000-0000-012b-0000-00000000012B"),
        ("d", "3.725e1"),
    ] {
        let filter = column(&out, name);
        let rule = KeyRule { form: filter.column().unwrap().form, ..KeyRule::default() };
        let filter = ForeignFilter::Parquet(filter);
        let (mut made, mut bytes) = (Vec::new(), Vec::new());
        let key = rule.key(&[Given::Text(text.as_bytes())], &mut made).unwrap();
        filter.encode(&rule, key, &mut bytes).unwrap();
        assert!(filter.contains(&bytes), "{name}: {text}");
        let pair = KeyRule { parts: 2, ..rule };
        let given = [Given::Text(text.as_bytes()); 2];
        let key = pair.key(&given, &mut made).unwrap();
        let refused = filter.encode(&pair, key, &mut bytes);
        assert_eq!(refused, Err(KeyError::Parts { expected: 1, got: 2 }));
    }
}

#[test]
fn filters_that_do_not_fit_are_refused_and_nothing_is_written() {
    let original = file("pyarrow_nested_300.parquet");
    let refused = |filters: &[ColumnFilters]| {
        let mut out = Vec::new();
        let error = add_filters(Cursor::new(&original), &mut out, filters).unwrap_err();
        assert!(out.is_empty(), "{error}");
        error
    };
    let good = filters(&[0, 1, 2]).remove(0);
    let other = ColumnFilters { column: "nobody".to_string(), ..good.clone() };
    assert!(matches!(refused(&[other]), ForeignError::NoEntry { name, .. } if name == "nobody"));
    for len in [0, 2, 4] {
        let mut row_groups = good.row_groups.clone();
        row_groups.resize(len, None);
        let error = refused(&[ColumnFilters { row_groups, ..good.clone() }]);
        assert!(matches!(error, ForeignError::Field { name: "filters", .. }), "{error}");
    }
    for (bytes, seed) in [(96, Seed::XXH64), (128, Seed::FIXED)] {
        let wrong = Split::with_shape(Shape::memory(bytes).probes(8), seed).unwrap();
        let row_groups = vec![None, Some(wrong), None];
        let error = refused(&[ColumnFilters { row_groups, ..good.clone() }]);
        assert!(matches!(error, ForeignError::Refused(_)), "{error}");
    }
    let flags = ColumnFilters { column: "b".to_string(), ..good };
    assert!(refused(&[flags]).to_string().contains("BOOLEAN"));
}

/// DuckDB looks up floats of 16 bits by other bytes than those who write them, and would miss rows.
#[test]
fn columns_of_half_floats_are_refused_and_nothing_is_written() {
    let mut bytes = file("pyarrow_nested_300.parquet");
    // The logical type of column u is a union, whose field 14 is UUID and 15 FLOAT16.
    let footer = bytes.len() - 8 - footer_len(&bytes);
    let uuid = b"\x18\x01u\x6c\xec\x00\x00";
    let at = bytes[footer..].windows(uuid.len()).position(|window| window == uuid).unwrap();
    bytes[footer + at + 4] = 0xfc;
    let (columns, _) = layout(Cursor::new(&bytes)).unwrap();
    let halves = columns.iter().find(|column| column.name == "u").unwrap();
    assert_eq!(halves.logical, Logical::Float16);

    let mut out = Vec::new();
    let error = add_filters(Cursor::new(&bytes), &mut out, &filters(&[0, 1, 2])).unwrap_err();
    assert_eq!(Err(&error), halves.can_have_filter().as_ref());
    assert!(error.to_string().contains("FLOAT16") && out.is_empty(), "{error}");
    let others: Vec<_> =
        filters(&[0, 1, 2]).into_iter().filter(|filters| filters.column != "u").collect();
    assert!(add_filters(Cursor::new(&bytes), &mut out, &others).is_ok());
}
