//! Keys from Parquet files: `--features parquet`.
#![cfg(feature = "parquet")]

use crate::support::Place;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::sync::Arc;

/// A table of numbers and mail addresses, in groups of rows; every tenth address is missing.
fn write(place: &Place, name: &str, mails: &[String], compression: Compression) -> Result<()> {
    let schema = "message people { required int64 id; optional binary mail (UTF8); }";
    let schema = Arc::new(parse_message_type(schema)?);
    let properties = WriterProperties::builder().set_compression(compression).build();
    place.write(name, "");
    let file = File::create(place.join(name))?;
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for (group, mails) in (0..).zip(mails.chunks(10_000)) {
        let mut rows = writer.next_row_group()?;
        let ids: Vec<i64> = (0..).map(|i| group * 10_000 + i).take(mails.len()).collect();
        let Some(mut column) = rows.next_column()? else { unreachable!("two columns") };
        column.typed::<Int64Type>().write_batch(&ids, None, None)?;
        column.close()?;
        let levels: Vec<i16> = (0..mails.len()).map(|i| i16::from(i % 10 != 9)).collect();
        let present = mails.iter().zip(&levels).filter(|(_, level)| **level == 1);
        let values: Vec<ByteArray> = present.map(|(mail, _)| mail.as_str().into()).collect();
        let Some(mut column) = rows.next_column()? else { unreachable!("two columns") };
        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        column.close()?;
        rows.close()?;
    }
    writer.close()?;
    Ok(())
}

fn mails(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("user{i}@example.org")).collect()
}

#[cfg(feature = "index")]
#[test]
fn rows_are_found_by_an_index_and_by_filters_of_the_file() {
    let place = Place::new();
    write(&place, "in/a.parquet", &mails(25_000), Compression::SNAPPY).unwrap();
    place.run("build in/b.parquet in/a.parquet --to parquet -q --column mail").code(0);
    for name in ["in/a.parquet", "in/b.parquet"] {
        place.age(name);
    }
    place.run("index the.idx in --column mail --column id -q").code(0);
    let row = r#"12346:{"id":12345,"mail":"user12345@example.org"}"#;
    let rows = format!("in/a.parquet:{row}\nin/b.parquet:{row}\n");
    for key in ["mail user12345@example.org", "id 12345"] {
        let ran = place.run(&format!("grep the.idx --stats -n --column {key}")).code(0);
        let text = String::from_utf8(ran.out).unwrap();
        assert!(text.starts_with(&rows), "{text}");
        for count in ["4 blocks skipped", "2 blocks opened", "0 blocks opened in vain"] {
            assert!(text.contains(&format!("\n{count}\n")), "{count}: {text}");
        }
        place.run(&format!("grep the.idx -n --no-index --column {key}")).code(0).prints(&rows);
    }
    place.run("grep the.idx --column mail user9@example.org").code(1).prints("");
    place.run("grep the.idx --column id 25000").code(1).prints("");
    place.run("grep the.idx -c user12345@example.org").code(1).prints("");
}

#[test]
fn another_column_has_the_values() {
    let place = Place::new();
    write(&place, "a.parquet", &mails(25_000), Compression::SNAPPY).unwrap();
    let build =
        "build m.anther --force a.parquet --kind bloomier --fpr 1e-6 --column mail --values";
    // Rows without an address have no key, and need no value.
    place.run(&format!("{build} id")).code(0).says(&["22,500 distinct keys"]);
    place
        .run("get m.anther user24990@example.org user9@example.org")
        .code(0)
        .prints("24990\tuser24990@example.org\n-\tuser9@example.org\n");
    place.run(&format!("{build} 1 --format parquet")).code(0);
    place.run("get m.anther user7@example.org").code(0).prints("7\tuser7@example.org\n");
    place.run(&format!("{build} age")).fails(&["a.parquet: ", "no column \"age\"", "id, mail"]);
    place
        .run(&format!("{build} mail"))
        .fails(&["a.parquet: ", "\"user0@example.org\" is not a whole"]);
    place.run(&format!("{build} id --bands")).fails(&["a.parquet: ", "the value 0 has no band"]);
}

#[test]
fn a_column_is_a_list_of_keys() {
    let place = Place::new();
    let mails = mails(25_000);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for (name, compression) in [
        ("a.parquet", Compression::UNCOMPRESSED),
        ("b.parquet", Compression::SNAPPY),
        ("c.parquet", zstd),
    ] {
        write(&place, name, &mails, compression).unwrap();
        place.build(&format!("f.anther --force {name} --column mail --fpr 1e-6"), "");
        let info = place.run("info f.anther --json").json();
        assert_eq!(info["inserted"], 22_500, "rows without a value are no keys");
        place
            .run("check f.anther user7@example.org user9@example.org")
            .prints("maybe\tuser7@example.org\nno\tuser9@example.org\n");
        place.build(&format!("f.anther --force {name} --column id --fpr 1e-6"), "");
        place.run("check f.anther 24999 25000").prints("maybe\t24999\nno\t25000\n");
    }
    // The same as from a CSV file, by name and by number.
    let csv: String = mails
        .iter()
        .enumerate()
        .filter(|(i, _)| i % 10 != 9)
        .map(|(i, mail)| format!("{i},{mail}\n"))
        .collect();
    place.write("rows.csv", &csv);
    place.write("named.csv", format!("id,mail\n{csv}"));
    for (column, csv) in [("2", "rows.csv"), ("mail", "named.csv")] {
        place.build(&format!("p.anther --force a.parquet --column {column}"), "");
        place.build(&format!("c.anther --force {csv} --column {column}"), "");
        assert!(place.read("p.anther") == place.read("c.anther"), "{column}");
    }
    // A list to confirm from can be one, too.
    let ran = place.run("check c.anther --confirm a.parquet user7@example.org user9@example.org");
    ran.prints("yes\tuser7@example.org\nno\tuser9@example.org\n");
}

#[test]
fn any_text_is_a_key() {
    let place = Place::new();
    let odd = ["a,b", "say \"hi\"", "", " x ", "naïve", "two\nlines"].map(String::from);
    write(&place, "odd.parquet", &odd[..5], Compression::UNCOMPRESSED).unwrap();
    place.build("f.anther odd.parquet --column mail --fpr 1e-6", "");
    let keys = ["check", "f.anther", "a,b", "say \"hi\"", " x ", "naïve", "x"];
    let ran = place.run_args(keys, "");
    ran.prints("maybe\ta,b\nmaybe\tsay \"hi\"\nmaybe\t x \nmaybe\tnaïve\nno\tx\n");
    write(&place, "lines.parquet", &odd, Compression::UNCOMPRESSED).unwrap();
    place.build("x.anther lines.parquet --column mail --fpr 1e-6", "");
    place
        .run_args(["check", "x.anther", "two\nlines", "two"], "")
        .prints("maybe\ttwo\nlines\nno\ttwo\n");
}

/// Integers are written as people write them, and bytes are what hexadecimal text stands for.
#[test]
fn integers_and_bytes_are_keys() -> Result<()> {
    let place = Place::new();
    let schema = "message types {
        required int64 signed;
        required int64 unsigned (INTEGER(64,false));
        required int32 narrow (INTEGER(32,false));
        required binary raw;
        required fixed_len_byte_array(4) fixed;
        required int64 price (DECIMAL(10,2));
        required int32 day (DATE);
    }";
    let schema = Arc::new(parse_message_type(schema)?);
    let file = File::create(place.join("t.parquet"))?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file, schema, properties)?;
    let mut rows = writer.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = rows.next_column()? {
        match at {
            2 | 6 => column.typed::<Int32Type>().write_batch(&[-1, 7], None, None)?,
            3 => {
                let values =
                    [&b"\xCA\xFE"[..], b",\n\""].map(|bytes| ByteArray::from(bytes.to_vec()));
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?
            }
            4 => {
                let values = [*b"\xCA\xFE\xBA\xBE", *b"\n\n,\""]
                    .map(|bytes| FixedLenByteArray::from(bytes.to_vec()));
                column.typed::<FixedLenByteArrayType>().write_batch(&values, None, None)?
            }
            _ => column.typed::<Int64Type>().write_batch(&[-1, 7], None, None)?,
        };
        column.close()?;
        at += 1;
    }
    rows.close()?;
    writer.close()?;
    let build = "build --force -q f.anther t.parquet --fpr 1e-6";
    for (options, keys, absent) in [
        ("--column signed", &["-1", "7"][..], "18446744073709551615"),
        ("--column signed --as int", &["-1", "07"], "1"),
        ("--column unsigned", &["18446744073709551615", "7"], "-1"),
        ("--column unsigned --as int", &["18446744073709551615"], "4294967295"),
        ("--column narrow", &["4294967295", "7"], "-1"),
        ("--column raw --as hex", &["cafe", "2C0A22"], "cafebabe"),
        ("--column raw", &[",\n\""], "cafe"),
        ("--column fixed --as hex", &["CAFEBABE", "0a0a2c22"], "cafe"),
    ] {
        place.run(&format!("{build} {options}")).code(0);
        for key in keys {
            place.run_args(["check", "-q", "f.anther", "--", key], "").code(0);
        }
        place.run_args(["check", "-q", "f.anther", "--", absent], "").code(1);
    }
    for column in ["price", "day"] {
        place.run(&format!("{build} --column {column}")).fails(&["decimals, dates or times"]);
    }
    place.run(&format!("{build} --column signed --as hex")).fails(&["has integers"]);
    Ok(())
}

#[test]
fn what_is_wrong_is_named() {
    let place = Place::new();
    write(&place, "a.parquet", &mails(100), Compression::UNCOMPRESSED).unwrap();
    place
        .run("build x.anther a.parquet")
        .fails(&["a.parquet", "--column; the columns are id, mail"]);
    let ran = place.run("build x.anther a.parquet --column e-mail");
    ran.fails(&["a.parquet", "no column \"e-mail\"; the columns are id, mail"]);
    place.run("build x.anther a.parquet --column 3").fails(&["no column 3; the columns are"]);
    let whole = place.read("a.parquet");
    place.write("cut.parquet", &whole[..whole.len() / 2]);
    place
        .run("build x.anther cut.parquet --column mail")
        .fails(&["cut.parquet", "corrupt Parquet file"]);
    let ran = place.run_on("build x.anther --column mail", &whole);
    ran.fails(&["standard input: is a Parquet file in a pipe"]);
    assert_eq!(place.names(), ["a.parquet", "cut.parquet"]);
}
