//! `index` and `grep` of Parquet files by the keys of a column. `--features parquet`.
#![cfg(all(feature = "index", feature = "parquet"))]

use crate::support::{Place, Ran};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const SCHEMA: &str = "message m {
    required int64 id;
    required int32 small;
    required int32 port (INTEGER(16,false));
    optional binary name (UTF8);
    required fixed_len_byte_array(16) trace (UUID);
    required group at { required binary host (UTF8); }
    required int32 day (DATE);
    required double ratio;
}";
/// Rows per row group.
const GROUP: usize = 1000;

/// Writes `groups` row groups. `values` writes a column, by the numbers of row group and column.
fn try_write(
    path: &Path,
    (schema, properties): (&str, WriterProperties),
    groups: usize,
    values: impl Fn(usize, usize, &mut ColumnWriter<'_>) -> Result<usize>,
) -> Result<()> {
    let schema = Arc::new(parse_message_type(schema)?);
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, properties.into())?;
    for number in 0..groups {
        let mut group = writer.next_row_group()?;
        let mut columns = 0;
        while let Some(mut column) = group.next_column()? {
            values(number, columns, column.untyped())?;
            column.close()?;
            columns += 1;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// Writes one row group that nobody modified lately.
fn write_one(
    place: &Place,
    name: &str,
    schema: &str,
    values: impl Fn(usize, &mut ColumnWriter<'_>) -> Result<usize>,
) {
    place.write(name, "");
    let how = (schema, WriterProperties::default());
    let written = try_write(&place.join(name), how, 1, |_, column, writer| values(column, writer));
    assert!(written.is_ok(), "{name}: {written:?}");
    place.age(name);
}

/// A table with a row for each number; every third row has no name.
fn write(place: &Place, name: &str, rows: Range<i64>, filtered: &[&str]) {
    let mut properties = WriterProperties::builder();
    for column in filtered {
        let path = ColumnPath::new(column.split('.').map(str::to_string).collect());
        properties = properties.set_column_bloom_filter_enabled(path, true);
    }
    let rows: Vec<i64> = rows.collect();
    let groups: Vec<&[i64]> = rows.chunks(GROUP).collect();
    place.write(name, "");
    let how = (SCHEMA, properties.build());
    let written = try_write(&place.join(name), how, groups.len(), |group, column, writer| {
        write_column(groups[group], column, writer)
    });
    assert!(written.is_ok(), "{name}: {written:?}");
    place.age(name);
}

/// A UUID whose last digits are a number.
fn uuid(number: i64) -> FixedLenByteArray {
    FixedLenByteArray::from(i128::from(number).swap_bytes().to_le_bytes().to_vec())
}

fn write_column(rows: &[i64], column: usize, writer: &mut ColumnWriter<'_>) -> Result<usize> {
    match writer {
        ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(rows, None, None),
        ColumnWriter::Int32ColumnWriter(writer) => {
            let value = |row: &i64| match column {
                1 => -row,
                2 => 65_535 - row,
                _ if *row == 7 => i64::from(i32::MAX),
                _ => *row,
            };
            let values = rows.iter().map(|row| i32::try_from(value(row)).unwrap_or_default());
            writer.write_batch(&values.collect::<Vec<_>>(), None, None)
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            let values: Vec<f64> = rows.iter().map(|row| *row as f64 * -0.5).collect();
            writer.write_batch(&values, None, None)
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
            let values = rows.iter().map(|row| uuid(*row));
            writer.write_batch(&values.collect::<Vec<_>>(), None, None)
        }
        ColumnWriter::ByteArrayColumnWriter(writer) if column == 3 => {
            let defined: Vec<i16> = rows.iter().map(|row| i16::from(row % 3 > 0)).collect();
            let named = rows.iter().filter(|row| *row % 3 > 0);
            let values = named.map(|row| ByteArray::from(&*format!("name {row}")));
            writer.write_batch(&values.collect::<Vec<_>>(), Some(&defined), None)
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let values = rows.iter().map(|row| ByteArray::from(&*format!("host{row}")));
            writer.write_batch(&values.collect::<Vec<_>>(), None, None)
        }
        _ => unreachable!("no other types"),
    }
}

const COLUMNS: &str = "--column id --column small --column port --column name --column trace \
                       --column at.host --column day --column ratio";

/// What is printed of row 2345.
const ROW: &str = r#"{"id":2345,"small":-2345,"port":63190,"name":"name 2345","trace":"00000000-0000-0000-0000-000000000929","at":{"host":"host2345"},"day":"1976-06-03","ratio":-1172.5}"#;

/// Files with and without filters, and their index.
fn indexed() -> Place {
    let place = Place::new();
    write(&place, "in/bare.parquet", 0..4500, &[]);
    let filtered = ["id", "small", "port", "name", "trace", "at.host", "day", "ratio"];
    write(&place, "in/filtered.parquet", 0..4500, &filtered);
    place.run(&format!("index the.idx in -q {COLUMNS}")).code(0);
    place
}

fn grep(place: &Place, column: &str, key: &str, options: &[&str]) -> Ran {
    let fixed = ["grep", "the.idx", "--column", column, "-e", key];
    place.run_args(fixed.iter().chain(options), "")
}

/// How many blocks were skipped, opened, and opened in vain.
fn blocks(ran: &Ran) -> [u64; 3] {
    let text = String::from_utf8_lossy(&ran.out);
    let count = |name: &str| {
        let line =
            text.lines().find(|line| line.split_once(' ').is_some_and(|(_, own)| own == name));
        let count = line.and_then(|line| line.split(' ').next()?.parse().ok());
        assert!(count.is_some(), "no {name}: {text}");
        count.unwrap_or_default()
    };
    [count("blocks skipped"), count("blocks opened"), count("blocks opened in vain")]
}

#[test]
fn a_key_of_any_type_opens_one_row_group_per_file() {
    let place = indexed();
    let lines = format!("in/bare.parquet:2346:{ROW}\nin/filtered.parquet:2346:{ROW}\n");
    for (column, key) in [
        ("id", "2345"),
        ("small", "-2345"),
        ("port", "63190"),
        ("name", "name 2345"),
        ("trace", "00000000-0000-0000-0000-000000000929"),
        ("at.host", "host2345"),
    ] {
        let ran = grep(&place, column, key, &["-n", "--stats"]).code(0);
        assert!(ran.out.starts_with(lines.as_bytes()), "{column}: {ran:?}");
        assert_eq!(blocks(&ran), [8, 2, 0], "{column}");
        grep(&place, column, key, &["-n", "--no-index"]).code(0).prints(&lines);
    }
}

#[test]
fn values_that_are_shown_in_another_form_are_found_as_they_are_shown() {
    let place = indexed();
    let lines = format!("in/bare.parquet:{ROW}\nin/filtered.parquet:{ROW}\n");
    for (column, key) in [("day", "1976-06-03"), ("ratio", "-1172.5")] {
        let ran = grep(&place, column, key, &["--stats"]).code(0);
        assert!(ran.out.starts_with(lines.as_bytes()), "{column}: {ran:?}");
        // Nobody knows how their values are written, so all row groups are read.
        assert_eq!(blocks(&ran), [0, 10, 8], "{column}");
    }
    grep(&place, "ratio", "-1172.5", &["-l", "-I"]).code(0);
    // No calendar has this day.
    let days = grep(&place, "day", "2147483647", &["-I", "-m1"]).code(0);
    assert!(days.out.starts_with(br#"{"id":7,"small":-7,"#), "{days:?}");
}

#[test]
fn absent_keys_open_no_row_group() {
    let place = indexed();
    for (column, key) in [
        ("id", "4500"),
        ("id", "02345"),
        ("id", "name"),
        ("small", "2345"),
        ("port", "-1"),
        ("name", "name 2346"),
        ("trace", "00000000-0000-0000-0000-00000000FFFF"),
        ("at.host", "host"),
    ] {
        let ran = grep(&place, column, key, &["--stats"]).code(1);
        let [skipped, opened, in_vain] = blocks(&ran);
        assert_eq!((skipped + opened, opened), (10, in_vain), "{column} {key}");
        // Rates are 1.5 % in the index and 5 % in the file; these keys are always the same.
        assert!(opened <= 1, "{column} {key}: {opened}");
        grep(&place, column, key, &["--no-index"]).code(1).prints("");
    }
    // The index has no empty cells, so an empty key is looked for everywhere.
    grep(&place, "name", "", &[]).code(1).prints("");
}

#[test]
fn paths_counts_and_json() {
    let place = indexed();
    grep(&place, "id", "2345", &["-l"]).code(0).prints("in/bare.parquet\nin/filtered.parquet\n");
    grep(&place, "id", "2345", &["-c", "-I"]).code(0).prints("1\n1\n");
    grep(&place, "id", "9999", &["--files-without-match"])
        .code(0)
        .prints("in/bare.parquet\nin/filtered.parquet\n");
    grep(&place, "id", "2345", &["-q"]).code(0).prints("");
    let events = grep(&place, "id", "2345", &["--json"]).code(0).json_lines();
    let found = events.iter().find(|event| event["type"] == "match").expect("a match");
    assert_eq!(found["data"]["lines"]["text"], format!("{ROW}\n"));
    assert_eq!(found["data"]["line_number"], 2346);
}

#[test]
fn files_that_changed_are_searched_and_then_indexed_again() {
    let place = indexed();
    write(&place, "in/bare.parquet", 5000..7500, &["id"]);
    write(&place, "in/new.parquet", 7000..8000, &[]);
    let paths = "in/bare.parquet\nin/new.parquet\n";
    grep(&place, "id", "7002", &["-l"]).code(0).prints(paths);
    grep(&place, "id", "2345", &["-l"]).code(0).prints("in/filtered.parquet\n");
    let updated = place.run("index the.idx --json -q").code(0).json();
    assert_eq!((&updated["read"], &updated["kept"]), (&2.into(), &1.into()), "{updated}");
    let ran = grep(&place, "id", "7002", &["-l", "--stats"]).code(0);
    assert!(ran.out.starts_with(paths.as_bytes()), "{ran:?}");
    assert_eq!(blocks(&ran), [7, 2, 0]);
}

#[test]
fn a_file_without_the_column_is_text() {
    let place = Place::new();
    write(&place, "a.parquet", 0..1500, &[]);
    place.run("index the.idx a.parquet -q --column other").code(0);
    grep(&place, "other", "2345", &[]).code(1).prints("");
    // Names are stored as they are.
    place.run("grep the.idx -l host12").code(0).prints("a.parquet\n");
    place.run("grep the.idx -l host9999").code(1).prints("");
}

#[test]
fn corrupt_files_are_named() {
    let place = indexed();
    let bytes = place.read("in/bare.parquet");
    place.write("in/bare.parquet", &bytes[..bytes.len() / 2]);
    place.run("index the.idx -q").code(0).says(&["in/bare.parquet", "corrupt Parquet file"]);
    let ran = grep(&place, "id", "2345", &["-l"]).code(2);
    ran.prints("in/filtered.parquet\n").says(&["in/bare.parquet", "corrupt Parquet file"]);
}

/// Makes each row group of a file claim `rows` rows.
fn forge(place: &Place, name: &str, rows: i64) -> Result<()> {
    let file = File::open(place.join(name))?;
    let mut metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?.into_builder();
    let forged = |group: RowGroupMetaData| group.into_builder().set_num_rows(rows).build();
    let groups = metadata.take_row_groups().into_iter().map(forged).collect::<Result<_>>()?;
    let metadata = metadata.set_row_groups(groups).build();
    // The old footer becomes a gap.
    let file = File::options().append(true).open(place.join(name))?;
    ParquetMetaDataWriter::new(file, &metadata).finish()
}

#[test]
fn forged_numbers_of_rows_are_refused() {
    for rows in [i64::MAX / 8, -1, 1 << 41] {
        let place = Place::new();
        write(&place, "in/a.parquet", 0..4500, &[]);
        let forged = forge(&place, "in/a.parquet", rows);
        assert!(forged.is_ok(), "{forged:?}");
        place.age("in/a.parquet");
        place.run("index the.idx in -q --column id").code(0).says(&["its sizes cannot be true"]);
        grep(&place, "id", "2345", &[]).code(2).prints("").says(&["its sizes cannot be true"]);
    }
}

#[test]
fn intervals_are_left_out_of_rows() {
    let place = Place::new();
    let schema =
        "message m { required int64 id; required fixed_len_byte_array(12) span (INTERVAL); }";
    write_one(&place, "in/a.parquet", schema, |_, column| match column {
        ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&[7, 8], None, None),
        ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
            let value = FixedLenByteArray::from(vec![1; 12]);
            writer.write_batch(&[value.clone(), value], None, None)
        }
        _ => unreachable!("no other types"),
    });
    place.run("index the.idx in -q --column id --column span").code(0);
    let ran = grep(&place, "id", "8", &["-I"]).code(0).prints("{\"id\":8}\n");
    ran.says(&["in/a.parquet", "without the intervals of span"]);
    grep(&place, "span", "8", &[]).code(2).prints("").says(&["column span has intervals"]);
}

#[test]
fn a_list_has_each_of_its_values() {
    let place = Place::new();
    let schema = "message m {
        required group l (LIST) { repeated group list {
            required group element { required group x { required binary y (UTF8); } } } }
        required group t (LIST) { repeated group list {
            required fixed_len_byte_array(16) element (UUID); } }
    }";
    // The first row has two values, the second one.
    let (defined, repeated) = (Some(&[1i16, 1, 1][..]), Some(&[0i16, 1, 0][..]));
    write_one(&place, "in/a.parquet", schema, |_, column| match column {
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            writer.write_batch(&["a", "b", "c"].map(ByteArray::from), defined, repeated)
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
            writer.write_batch(&[1, 2, 3].map(uuid), defined, repeated)
        }
        _ => unreachable!("no other types"),
    });
    let columns = "--column l.list.element.x.y --column t.list.element";
    place.run(&format!("index the.idx in -q {columns}")).code(0);
    let text = |number: u8| format!("00000000-0000-0000-0000-00000000000{number}");
    let first = format!(
        r#"{{"l":[{{"x":{{"y":"a"}}}},{{"x":{{"y":"b"}}}}],"t":["{}","{}"]}}"#,
        text(1),
        text(2)
    );
    for (column, key) in [("l.list.element.x.y", "b"), ("t.list.element", &*text(2))] {
        let line = format!("in/a.parquet:1:{first}\n");
        grep(&place, column, key, &["-n"]).code(0).prints(&line);
    }
    grep(&place, "l.list.element.x.y", "c", &["-c", "-I"]).code(0).prints("1\n");
    grep(&place, "l.list.element.x.y", "d", &[]).code(1).prints("");
}

/// The frozen index with entries of a Parquet file and of compressed files. The program makes it, as
/// it has the decoders; `tests/golden.rs` of `anther-index` searches it. With `ANTHER_NEW_GOLDEN=1`,
/// makes it if it is not there. Nothing overwrites it.
#[test]
fn the_frozen_index_of_packed_files_is_intact() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../anther-index/tests/golden");
    let golden = golden.join("packed.idx");
    let place = Place::new();
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_some() && !golden.exists() {
        write(&place, "golden/table.parquet", 0..2500, &["at.host"]);
        let csv = "id,note\n7777,connection reset by peer\n7778,Timeout after 30 s\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(csv.as_bytes()).unwrap();
        place.write("golden/app.csv.gz", gzip.finish().unwrap());
        let log: String = (0..30_000).map(|number| format!("entry{number:05}\n")).collect();
        place.write("golden/app.log.zst", zstd::encode_all(log.as_bytes(), 1).unwrap());
        place.age("golden/app.csv.gz");
        place.age("golden/app.log.zst");
        place.run("index new.idx golden --column id --column name --column at.host").code(0);
        std::fs::copy(place.join("new.idx"), &golden).unwrap();
    }
    let frozen = std::fs::read(&golden).unwrap_or_default();
    assert!(!frozen.is_empty(), "no golden file yet; ANTHER_NEW_GOLDEN=1 makes it");
    place.write("f.idx", &frozen);
    let verified = place.run("verify f.idx").code(0);
    assert!(verified.out.starts_with(b"f.idx: intact: search index of 3 files, "));
    let info = place.run("info f.idx --json").code(0).json();
    assert_eq!(info["columns"], serde_json::json!(["id", "name", "at.host"]), "{info}");
    assert_eq!(info["files"], 3, "{info}");
}
