//! Filters in Parquet files: what the types of their columns mean for keys. `--features parquet`.
#![cfg(feature = "parquet")]

use crate::support::Place;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;
use std::fs::File;
use std::sync::Arc;

const SCHEMA: &str = "message m {
    required int32 i32;
    required int64 i64;
    required float f;
    required double d;
    required int32 day (DATE);
    required int64 at (TIMESTAMP(MICROS,true));
    required int64 cents (DECIMAL(18,2));
    required fixed_len_byte_array(2) h (FLOAT16);
    required fixed_len_byte_array(16) u (UUID);
    required fixed_len_byte_array(9) big (DECIMAL(20,2));
    required fixed_len_byte_array(12) span (INTERVAL);
    required binary s (UTF8);
    required group a { required binary b (UTF8); }
}";
const ROWS: usize = 4;
const UUID: &str = "000102030405060708090a0b0c0d0e0f";

/// A table of four rows per row group. Its only zero is -0.
fn try_write(place: &Place, name: &str, groups: usize) -> Result<()> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(place.join(name))?;
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for _ in 0..groups {
        let mut rows = writer.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = rows.next_column()? {
            let fixed = |bytes: Vec<u8>| vec![FixedLenByteArray::from(bytes); ROWS];
            let texts = |text: &str| vec![ByteArray::from(text); ROWS];
            match column.untyped() {
                ColumnWriter::Int32ColumnWriter(writer) => {
                    let values = if number == 0 { [7, -1, 8, 9] } else { [18_262, 0, -1, 5] };
                    writer.write_batch(&values, None, None)?
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    let values = [1_577_836_800_000_000, 1234, -1, 7];
                    writer.write_batch(&values, None, None)?
                }
                ColumnWriter::FloatColumnWriter(writer) => {
                    writer.write_batch(&[-0.0, 1.5, 2.5, 3.5], None, None)?
                }
                ColumnWriter::DoubleColumnWriter(writer) => {
                    let nan = f64::from_bits(0x7FF8_0000_0000_0001);
                    writer.write_batch(&[-0.0, 1.5, 2.5, nan], None, None)?
                }
                ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
                    let width = [2, 16, 9, 12][number - 7];
                    writer.write_batch(&fixed((0..width).collect()), None, None)?
                }
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    writer.write_batch(&texts("key"), None, None)?
                }
                _ => unreachable!("no other types"),
            };
            column.close()?;
            number += 1;
        }
        rows.close()?;
    }
    writer.close()?;
    Ok(())
}

fn write(place: &Place, name: &str, groups: usize) {
    let written = try_write(place, name, groups);
    assert!(written.is_ok(), "{name}: {written:?}");
}

const ALL: &str = "--column i32 --column i64 --column f --column d --column day --column at --column \
                   cents --column u --column big --column span --column s --column a\\.b";

fn filtered() -> Place {
    let place = Place::new();
    write(&place, "in.parquet", 1);
    place.run(&format!("build out.parquet in.parquet --to parquet -q --fpr 1e-6 {ALL}")).code(0);
    place
}

#[test]
fn floats_of_16_bits_get_no_filter() {
    let place = Place::new();
    write(&place, "in.parquet", 1);
    place
        .run("build out.parquet in.parquet --to parquet --column h")
        .fails(&["in.parquet: column h: readers hash FLOAT16 in different ways"]);
    assert_eq!(place.names(), ["in.parquet"]);
}

#[test]
fn keys_of_another_type_are_refused() {
    let place = filtered();
    for (entry, form, key, cause) in [
        ("i32", "int64", "7", "column i32 is INT32, so --as int64 finds nothing"),
        ("i64", "text", "7", "column i64 is INT64, so --as text finds nothing"),
        ("at", "double", "7", "column at is INT64 (timestamp in microseconds), so --as double"),
        ("s", "int64", "7", "column s is BYTE_ARRAY, so --as int64 finds nothing"),
        ("u", "text", "x", "column u is FIXED_LEN_BYTE_ARRAY (UUID), so --as text finds nothing"),
        ("big", "text", "1.00", "so --as text finds nothing in it; its keys are hex"),
    ] {
        place
            .run(&format!("check out.parquet --entry {entry} --as {form} {key}"))
            .fails(&["out.parquet: ", cause]);
        place.run(&format!("convert x out.parquet --entry {entry} --as {form}")).fails(&[cause]);
        place
            .run(&format!("measure out.parquet --entry {entry} --as {form} --random 1k"))
            .fails(&[cause]);
    }
    for (entry, form, key) in [
        ("i32", "hex", "07000000"),
        ("i32", "int32", "7"),
        ("s", "hex", "6b6579"),
        ("s", "email", "key@"),
        ("u", "hex", UUID),
    ] {
        let ran = place.run(&format!("check out.parquet --entry {entry} --as {form} {key}"));
        assert!(form == "email" || ran.code == 0, "{entry} {form}: {}", ran.err);
    }
    place.run("convert day.anther out.parquet --entry day --as int32").code(0);
    place.run("check day.anther 18262").code(0);
}

#[test]
fn values_that_no_text_is_need_their_bytes() {
    let place = filtered();
    for (entry, what, bytes) in [
        ("big", "(decimal with 2 digits after the point)", "000102030405060708"),
        ("span", "(interval)", "000102030405060708090a0b"),
    ] {
        place
            .run(&format!("check out.parquet --entry {entry} 12"))
            .fails(&[what, "has no keys as text; give their bytes: --as hex"]);
        place.run(&format!("check out.parquet --entry {entry} --as hex {bytes}")).code(0);
        place.run(&format!("check out.parquet --entry {entry} --as hex ff")).code(1);
    }
}

#[test]
fn dates_and_times_are_integers_or_written_out() {
    let place = filtered();
    let info = place.run("info out.parquet --entry at").code(0);
    let info = String::from_utf8(info.out).unwrap();
    let layout = "type INT64, logical type timestamp in microseconds, keys as int64";
    assert!(info.contains(layout), "{info}");
    for (entry, key, code) in [
        ("day", "18262", 0),
        ("day", "2020-01-01", 0),
        ("day", "1969-12-31", 0),
        ("day", "2020-01-02", 1),
        ("at", "1577836800000000", 0),
        ("at", "2020-01-01", 0),
        ("at", "2020-01-01T01:00:00+01:00", 0),
        ("at", "2020-01-01T00:00:01Z", 1),
        ("cents", "1234", 0),
    ] {
        place.run(&format!("check out.parquet --entry {entry} {key}")).code(code);
    }
    place
        .run_on("check out.parquet --entry at -c", "2020-01-01\n1234\n1999-01-01\n")
        .code(0)
        .prints("2\n");
    place
        .run("check out.parquet --entry day 01.01.2020")
        .fails(&["01.01.2020: not a whole number", "the column stores days since 1970-01-01"]);
    place
        .run("check out.parquet --entry cents 12.34")
        .fails(&["12.34: ", "the column stores decimals without their point"]);
    place
        .run_on("check out.parquet --entry at", "soon\n")
        .fails(&["line 1: ", "the column stores microseconds since 1970-01-01 00:00"]);
}

#[test]
fn equal_floats_are_found() {
    let place = filtered();
    for entry in ["f", "d"] {
        for key in ["0", "-0.0", "1.5", "nan", "-nan"] {
            place.run(&format!("check out.parquet --entry {entry} -k={key}")).code(0);
        }
        place.run(&format!("check out.parquet --entry {entry} 0.25")).code(1);
    }
    // The filter itself has both zeros, and the usual NaN: readers of other systems look for one.
    for (entry, bytes) in [("f", "00000000"), ("d", "0000000000000000"), ("d", "000000000000f87f")]
    {
        let lone = format!("convert {entry}.anther out.parquet --entry {entry} --as hex --force");
        place.run(&lone).code(0);
        place.run(&format!("check {entry}.anther {bytes}")).code(0);
    }
}

#[test]
fn a_column_of_the_file_itself_is_measured() {
    let place = filtered();
    for entry in ["i32", "f", "d", "day", "at", "cents", "u", "s"] {
        let measured = place
            .run(&format!(
                "measure out.parquet --entry {entry} --members in.parquet --format parquet --column \
                 {entry} --json"
            ))
            .code(0)
            .json();
        assert_eq!(measured["false_negatives"], 0, "{entry}");
    }
}

#[test]
fn an_input_is_one_file_however_it_is_named() {
    let place = filtered();
    let build = "build x.parquet --to parquet --fpr 1e-6 --column s";
    place.run(&format!("{build} -f in.parquet")).code(0);
    place.run("check x.parquet --entry s key").code(0);
    write(&place, "more.parquet", 1);
    for inputs in ["in.parquet more.parquet", "in.parquet -k a", "-f in.parquet more.parquet"] {
        place
            .run(&format!("{build} --force {inputs}"))
            .fails(&["in.parquet: a Parquet file gets filters of its own values", "only input"]);
    }
    for option in ["--ignore-case", "--trim", "--format lines", "--memory 1GiB", "-0", "--binary"] {
        let ran = place.run(&format!("{build} --force in.parquet {option}"));
        ran.fails(&["; leave it out"]);
    }
    // Its own output is replaced, but no other table.
    place.run(&format!("{build} in.parquet")).fails(&["exists already; --force replaces it"]);
    place.run(&format!("{build} in.parquet --force")).code(0);
    place
        .run("build more.parquet in.parquet --to parquet --column s --force")
        .fails(&["is not a filter"]);
    place.run_on("build x.parquet --force", "a\n").fails(&["is not a filter"]);
    place
        .run("build x.parquet x.parquet --to parquet --column s --force")
        .fails(&["is both input and output"]);
}

#[test]
fn a_table_without_row_groups_is_copied() {
    let place = Place::new();
    write(&place, "in.parquet", 0);
    place
        .run("build out.parquet in.parquet --to parquet --column s")
        .code(0)
        .says(&["a copy without filters, since it has no row groups"]);
    assert_eq!(place.read("out.parquet"), place.read("in.parquet"));
    place.run("build x in.parquet --to parquet --column no").fails(&["no column \"no\""]);
}

#[test]
fn an_entry_is_of_the_files_that_have_several() {
    let place = filtered();
    place.build("own.anther -q", "key\n");
    place.run_on("build lone.bloom --to parquet -q", "other\n").code(0);
    let also = "--also own.anther --also lone.bloom --entry s --json";
    let answer = place.run(&format!("check out.parquet {also} key")).code(0).json();
    assert_eq!(answer["filters"], json!(["out.parquet", "own.anther"]), "{answer}");
}

#[test]
fn encrypted_tables_are_no_lists() {
    let place = Place::new();
    let page = b"@\0\0\0\xF1\x9A\x03key\nkey\n";
    place.write("all.parquet", [b"PARE", &page[..], b"\x10\0\0\0PARE"].concat());
    place.write("one.parquet", [b"PAR1", &page[..], b"\x10\0\0\0PAR1"].concat());
    for options in ["--to parquet --column s", "--column s", ""] {
        place.run(&format!("build x all.parquet {options}")).fails(&["all.parquet: ", "encrypted"]);
        place.run(&format!("build x one.parquet {options}")).fails(&["one.parquet: "]);
    }
    place.run("info all.parquet").fails(&["encrypted footer"]);
    assert_eq!(place.names(), ["all.parquet", "one.parquet"]);
}
