//! Where the key is: formats and columns of inputs; and what the key is: `--as`.

use crate::support::Place;
use std::io::Write;

/// The first complaint of a new user: quotes with another delimiter than a comma.
#[test]
fn quotes_work_with_any_delimiter() {
    let place = Place::new();
    place.write("eu.csv", "name;mail\n\"Doe; Jane\";jane@x.org\n\"Bob\";\"bob@x.org\"\n");
    place.build("eu.anther eu.csv --column mail --delimiter ; --fpr 1e-6", "");
    let ran = place.run("check eu.anther bob@x.org jane@x.org");
    ran.code(0).prints("maybe\tbob@x.org\nmaybe\tjane@x.org\n");

    // Line breaks within quotes, and quotes within quotes.
    place.write("q.csv", "id,mail,note\n1,a@x.org,\"from\nItaly\"\n2,\"b \"\"x\"\"\",\"\"\n");
    place.build("q1.anther q.csv --column id --fpr 1e-6", "");
    place
        .run_args(["check", "q1.anther", "1", "2", "Italy\""], "")
        .prints("maybe\t1\nmaybe\t2\nno\tItaly\"\n");
    place.build("q2.anther q.csv --column mail --fpr 1e-6", "");
    place.run_args(["check", "q2.anther", "b \"x\""], "").prints("maybe\tb \"x\"\n");
    // Records are printed as they were read.
    let text = "id,mail,note\n7,x@x.org,\n1,a@x.org,\"from\nItaly\"\n";
    place
        .run_on("check q1.anther -n", text)
        .prints("1:id,mail,note\n3:1,a@x.org,\"from\nItaly\"\n");

    place.write("tabs.tsv", "k\tv\n\"a\tb\"\t1\n");
    place.build("t.anther tabs.tsv --format tsv --column k --fpr 1e-6", "");
    place.run_args(["check", "t.anther", "a\tb"], "").code(0);
    place.build("n.anther tabs.tsv --format tsv --column 1 --header --no-quotes --fpr 1e-6", "");
    place.run_args(["check", "n.anther", "\"a", "k"], "").prints("maybe\t\"a\nno\tk\n");
}

/// A plain list against a field of a log, and a CSV column against a list or another header.
#[test]
fn a_filter_is_checked_against_inputs_of_other_formats() {
    let place = Place::new();
    place.build("bad.anther --fpr 1e-6", "10.0.0.7\n10.0.0.9\n");
    let log = "10.0.0.1 - - [x] \"GET /\"\n10.0.0.7  - [y] \"GET /\"\n  10.0.0.9\tz\n";
    let ran = place.run_on("check bad.anther --format fields --column 1", log).code(0);
    ran.prints("10.0.0.7  - [y] \"GET /\"\n  10.0.0.9\tz\n");
    let ran =
        place.run_on("check bad.anther --column 1 --delimiter tab --no-quotes", "10.0.0.9\tq\"\n");
    ran.code(0).prints("10.0.0.9\tq\"\n");
    // The list itself is still read as lines.
    place.write("bad.txt", "10.0.0.9\n10.0.0.7\n");
    let ran = place.run_on("check bad.anther --format fields --column 1 --confirm bad.txt -c", log);
    ran.code(0).prints("2\n");

    place.build("m.anther --column mail --fpr 1e-6", "id,mail\n1,a@x.org\n2,b@x.org\n");
    place.run_on("check m.anther --format lines", "a@x.org\nc@x.org\n").prints("a@x.org\n");
    let ran = place.run_on("check m.anther --column email", "email,x\nb@x.org,1\nq@x.org,2\n");
    ran.prints("email,x\nb@x.org,1\n");
    place.run_on("add m.anther --format lines", "c@x.org\n").code(0);
    place.run_on("check m.anther -c", "mail\nc@x.org\n").prints("1\n");
}

#[test]
fn json_lines_by_path() {
    let place = Place::new();
    let log = "{\"user\": {\"id\": 42}, \"mail\": \"a\\u0040x.org\"}\n\n{\"user\":{\"id\":\"43\"}, \"mail\":null}\n";
    place.write("log.jsonl", log);
    let ran =
        place.run("build u.anther log.jsonl --format json --column user.id --fpr 1e-6").code(0);
    ran.says(&["2 distinct keys of 2 read, 1 empty key left out"]);
    place.run("check u.anther 42 43 44").prints("maybe\t42\nmaybe\t43\nno\t44\n");
    let ran = place.run_on("check u.anther", "{\"user\":{\"id\":43}}\n{\"user\":{\"id\":1}}\n");
    ran.prints("{\"user\":{\"id\":43}}\n");
    place.build("m.anther log.jsonl --format json --column mail --fpr 1e-6", "");
    place.run("check m.anther a@x.org").code(0);
    for (text, causes) in [
        ("{\"a\":1}\n{\"a\": }\n", ["line 2: position 7: malformed JSON", "expected value"]),
        ("{\"a\":1}\n{\"b\":1}\n", ["line 2: no value at \"a\"", "--skip-malformed"]),
        ("{\"a\":[1]}\n", ["line 1: the value at \"a\" is an array", "--column"]),
    ] {
        place.run_on("build x.anther --format json --column a", text).fails(&causes);
    }
    let ran = place.run_on(
        "build x.anther --format json --column a --skip-malformed --json",
        "{\"a\":1}\n{\"a\": }\n{}\n{\"a\":2}\n{\"a\":null}\n",
    );
    let report = ran.code(0).json();
    assert_eq!(
        (&report["read"], &report["malformed"], &report["empty"]),
        (&2.into(), &2.into(), &1.into())
    );
}

#[test]
fn binary_records() {
    let place = Place::new();
    let records: Vec<u8> =
        (0..1000u32).flat_map(|i| [i.to_le_bytes(), [10, 13, 0, 255]].concat()).collect();
    place.write("sums.bin", &records);
    place.build("s.anther sums.bin --format records:8 --as hex --fpr 1e-6", "");
    place
        .run("check s.anther e70300000A0d00ff e80300000A0d00ff")
        .prints("maybe\te70300000A0d00ff\nno\te80300000A0d00ff\n");
    place.run_on("check s.anther -c", &records[..80]).prints("10\n");
    place.run_on("check s.anther", &records[..16]).prints(&records[..16]);
    // A list in hexadecimal has the same keys.
    place.run_on("check s.anther --format lines", "000000000a0d00ff\n").code(0);
    let ran = place.run_on("build x.anther --format records:8", &records[..20]);
    ran.fails(&["standard input: record 3: has only 4 of 8 bytes"]);
    place
        .run_on("build x.anther --format records:8 --as int", "")
        .fails(&["cannot be read as int"]);
    place.run_on("build x.anther --format records:0", "").fails(&["1 to 1048576 bytes"]);
}

#[test]
fn several_columns_are_one_key() {
    let place = Place::new();
    place.build("p.anther --column 1 --column 3 --fpr 1e-6", "a,x,bc\nd,x,e\n");
    place.run_on("check p.anther", "a,y,bc\nab,y,c\n").prints("a,y,bc\n");
    place
        .run_args(["check", "p.anther", "a,bc", "ab,c", "d,e"], "")
        .prints("maybe\ta,bc\nno\tab,c\nmaybe\td,e\n");
    place.run_on("check p.anther --column x --column y", "y,x\nbc,a\nc,ab\n").prints("y,x\nbc,a\n");
    place
        .run("check p.anther a")
        .fails(&["a: the key has 1 part, but the filter's keys have 2 parts"]);
    place
        .run_on("check p.anther --format lines", "a\n")
        .fails(&["has 2 columns, but 1 would be read"]);
    place.run_on("check p.anther --column 1", "a\n").fails(&["has 2 columns, but 1 would be read"]);
}

#[test]
fn spellings_of_one_key() {
    let place = Place::new();
    for (form, list, yes, no) in [
        ("int", "42\n007\n-1\n18446744073709551616\n", "042 +7 18446744073709551616 -1", "43"),
        ("domain", "Example.ORG.\n", "example.org EXAMPLE.org.", "example.com"),
        ("email", "Bob@Example.org\n", "bob@example.org bob@EXAMPLE.ORG.", "rob@example.org"),
        (
            "url",
            "HTTP://Example.org:80/a/../b#top\n",
            "http://example.org/b",
            "http://example.org/a",
        ),
        ("hex", "CAFE\n", "cafe CaFe", "cafd"),
    ] {
        place.build(&format!("f.anther --force --fpr 1e-6 --as {form}"), list);
        for key in yes.split(' ') {
            place.run_args(["check", "f.anther", "-q", "--", key], "").code(0);
        }
        place.run(&format!("check f.anther {no}")).code(1);
        place.run_on("check f.anther -c", list).prints(format!("{}\n", list.lines().count()));
        // Stored, and applied by other verbs.
        let info = place.run("info f.anther --json").code(0).json();
        assert_eq!(info["recipe"]["as"], form);
        place.run_on("add f.anther", list).code(0).says(&["0 new keys"]);
    }
    for (form, wrong, cause) in [
        ("int", "forty", "not a whole number"),
        ("domain", "a b", "not a domain name"),
        ("domain", "m\u{301}\u{a0}x.de", "the domain is not in ASCII"),
        ("email", "bob", "not an e-mail address"),
        ("url", "example.org", "not a URL with its scheme"),
        ("hex", "xyz", "not hexadecimal"),
    ] {
        let text = format!("\n{wrong}\n");
        let cause = &format!("line 2: {wrong:?}: {cause}");
        place
            .run_on(&format!("build x.anther --force --as {form}"), &text)
            .fails(&[cause, "--skip-malformed"]);
        let ran =
            place.run_on(&format!("build x.anther --force --as {form} --skip-malformed"), &text);
        ran.fails(&["every record is malformed; without --skip-malformed"]);
    }
    place.run_on("build y.anther --as word", "").fails(&["text, hex, int, domain, email, url"]);
    // A filter of lines and one of integers have other keys.
    place.build("a --as int --items 10", "42\n");
    place.build("b --items 10", "42\n");
    place.run("merge c a b").fails(&["keys are not the same: integers and text"]);
    // Where the key is makes no difference to merge.
    place.build("d --as int --items 10 --column 2", "x,43\n");
    place.run("merge c a d").code(0);
    place.run("check c 42 43").code(0);
}

/// The advice about a line of several columns works.
#[test]
fn a_key_in_a_first_column_is_noticed() {
    let place = Place::new();
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    for (form, line, options, key) in [
        ("hex", &format!("{digest}:3")[..], "--delimiter : --column 1", digest),
        ("email", "a@b.example;7", "--delimiter ; --column 1", "a@b.example"),
        ("int", "42,x", "--format csv --column 1", "42"),
        ("ip", "192.0.2.1\tx", "--format tsv --column 1", "192.0.2.1"),
        ("domain", "ads.example 7", "--format fields --column 1", "ads.example"),
    ] {
        let build = format!("build f.anther --force --as {form}");
        let ran = place.run_on(&build, format!("{line}\n"));
        ran.fails(&["if the key is the first column, add ", &options.replace(';', "';'")]);
        for kind in ["", "--kind fuse", "--items 9"] {
            let ran = place.run_on(&format!("{build} {kind} --skip-malformed"), line);
            ran.fails(&["every record is malformed"]);
        }
        place.run_on(&format!("{build} {options}"), format!("{line}\n")).code(0);
        place.run(&format!("check f.anther -k {key}")).code(0);
    }
    for (form, line) in [
        ("domain", "https://ads.example/"),
        ("ip", "192.0.2.1:443"),
        ("time", "2026-11-17 about noon"),
    ] {
        let ran = place.run_on(&format!("build x.anther --as {form}"), format!("{line}\n"));
        let ran = ran.fails(&["--skip-malformed"]);
        assert!(!ran.err.contains("first column"), "{form}: {}", ran.err);
    }
    // A header row that nobody named.
    let table = "address,n\n192.0.2.1,1\n";
    place.build("h.anther --as ip", "192.0.2.1\n");
    for verb in ["build --force f.anther --as ip", "check h.anther"] {
        let ran = place.run_on(&format!("{verb} --column 1"), table);
        ran.fails(&["line 1: \"address\"", "if the first line names the columns, add --header"]);
        place.run_on(&format!("{verb} --column 1 --header"), table).code(0);
    }
    for (columns, table) in [("--column 1", "192.0.2.1\nx\n"), ("--column n", "n\nx\n")] {
        let ran = place.run_on(&format!("check h.anther {columns}"), table);
        assert!(ran.says(&["line 2"]).err.lines().all(|line| !line.contains("--header")));
    }
    // A line is shown as it was written.
    let ran = place.run_on("build x.anther --as email", "@spam.example  x\n");
    ran.fails(&["line 1: \"@spam.example  x\": not an e-mail address"]);
}

#[test]
fn malformed_and_empty_records() {
    let place = Place::new();
    let ragged = "id,mail\n1,a@x.org\n2\n3,\n\n4,d@x.org\n";
    let ran = place.run_on("build x.anther --column mail", ragged);
    ran.fails(&[
        "line 3: no column 2: the record has 1 column",
        "\"id\", \"mail\"",
        "--skip-malformed",
    ]);
    let ran =
        place.run_on("build m.anther --column mail --skip-malformed --fpr 1e-6", ragged).code(0);
    ran.says(&["2 distinct keys of 2 read, 2 empty keys left out, 1 malformed record left out"]);
    let ran = place.run_on("build x.anther --column e-mail", ragged);
    ran.fails(&["line 1: no column \"e-mail\"; the header row has \"id\", \"mail\""]);
    let ran = place.run_on("build x.anther --column a", "{\"a\":1}\n");
    ran.fails(&["is it JSON? use --format json"]);
    let ran = place.run_on("build x.anther --column 1", "a,\"b\nc\nd\n");
    ran.fails(&["line 1: a quoted field has no closing quote", "--no-quotes"]);
    place
        .run_on("build q.anther --column 1 --no-quotes", "a,\"b\nc\nd\n")
        .code(0)
        .says(&["3 distinct"]);

    place.build("b.anther --fpr 1e-6", "one\n\n\ntwo\n");
    place.run_args(["check", "b.anther", ""], "").code(1);
    let ran = place.run_on("build k.anther --keep-empty --fpr 1e-6", "one\n\n\ntwo\n").code(0);
    ran.says(&["3 distinct keys of 4 read;"]);
    place.run_args(["check", "k.anther", ""], "").code(0);
    let ran = place.run_on("check -v b.anther -n", "x\n\ny\n").code(0);
    ran.prints("1:x\n3:y\n").says(&["1 empty key left out"]);
}

/// Recipes that version 1 can hold are written as they were, and keep their rules.
#[test]
fn recipes_of_version_1_keep_their_rules() {
    let place = Place::new();
    place.build("f.anther -0 --column 2 --delimiter : --trim", "a: x :c\0");
    let bytes = place.read("f.anther");
    assert_eq!(&bytes[22..24], &[6, 0], "a recipe of six bytes in the header");
    assert_eq!(&bytes[32..38], &[1 | 2 | 16, b':', 2, 0, 0, 0]);
    assert!(!bytes.windows(6).any(|name| name == b"recipe"));
    place.run_on("check f.anther", "q:x\0").code(0).prints("q:x\0");
    // Quotes with a colon had no meaning in that recipe, and have none now.
    let ran = place.run_on("check f.anther", "q:\"x\"\0");
    ran.code(1).prints("");
    place.build("g.anther --column 2", "a,b\n");
    assert!(place.read("g.anther").windows(6).any(|name| name == b"recipe"));
}

/// CSV as the crate `csv` writes it, with random fields: every field is found.
#[test]
fn whatever_csv_is_written_is_found() {
    let place = Place::new();
    let mut state = 7u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..24 {
        let delimiter = *b",;\t|: ".get(round % 6).unwrap();
        let (rows, columns) = (1 + random(300), 1 + random(5));
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .terminator(if round % 3 == 0 {
                csv::Terminator::CRLF
            } else {
                csv::Terminator::Any(b'\n')
            })
            .quote_style(if round % 4 == 0 {
                csv::QuoteStyle::Always
            } else {
                csv::QuoteStyle::Necessary
            })
            .from_writer(Vec::new());
        let column = usize::try_from(random(columns)).unwrap();
        let mut keys = Vec::new();
        for _ in 0..rows {
            let fields: Vec<String> = (0..columns)
                .map(|_| {
                    let letters = ['a', 'b', '"', ',', ';', '\t', '|', ':', ' ', '\n', '\r', 'ä'];
                    (0..1 + random(8))
                        .map(|_| letters[usize::try_from(random(12)).unwrap()])
                        .collect()
                })
                .collect();
            keys.push(fields[column].clone());
            writer.write_record(&fields).unwrap();
        }
        place.write("list.csv", writer.into_inner().unwrap());
        let delimiter =
            if delimiter == b'\t' { "tab".to_string() } else { char::from(delimiter).to_string() };
        let number = (column + 1).to_string();
        let build = [
            "build",
            "f.anther",
            "--force",
            "list.csv",
            "--column",
            &number,
            "--delimiter",
            &delimiter,
            "--fpr",
            "1e-7",
        ];
        place.run_args(build, "").code(0);
        let all = [
            &["check", "f.anther", "-c", "-k"][..],
            &keys.iter().map(String::as_str).collect::<Vec<_>>(),
        ]
        .concat();
        // An argument that ends like a line loses that end, as a line would.
        let ends = |key: &&String| key.ends_with('\n') || key.ends_with('\r');
        let found = place.run_args(all, "").out;
        let found: usize = String::from_utf8(found).unwrap().trim().parse().unwrap();
        assert!(found + keys.iter().filter(ends).count() >= keys.len(), "round {round}");
        // As records, all are found.
        let check = ["check", "f.anther", "-c", "-f", "list.csv"];
        place.run_args(check, "").prints(format!("{rows}\n"));
    }
}

/// Blocks end between records, wherever quotes are.
#[test]
fn long_csv_is_split_between_records() {
    let place = Place::new();
    let mut text = Vec::new();
    for i in 0..60_000 {
        match i % 3 {
            0 => writeln!(text, "{i},plain").unwrap(),
            1 => writeln!(text, "{i},\"quoted, \"\"{i}\"\"\nsecond line\"").unwrap(),
            _ => write!(text, "\"{i}\",x\r\n").unwrap(),
        }
    }
    place.write("long.csv", &text);
    let ran = place.run("build f.anther long.csv --column 1 --fpr 1e-6").code(0);
    ran.says(&["60,000 distinct keys of 60,000 read"]);
    let ran = place.run_on("check f.anther", &text).code(0);
    assert!(ran.out == text, "records pass byte for byte");
}

/// A key of the command line is itself, whatever it ends with: cells of CSV and JSON may do so, too.
#[test]
fn arguments_are_keys_to_the_letter() {
    let place = Place::new();
    for (options, text) in [
        ("--format json --column k", "{\"k\": \"x\\n\"}\n"),
        ("--column 1", "\"x\n\"\n"),
        ("--format nul", "x\n\0"),
    ] {
        place.build(&format!("n.anther --force --fpr 1e-6 {options}"), text);
        for (key, code) in [("x\n", 0), ("x", 1), ("x\r\n", 1)] {
            let status = place.command(["check", "-q", "n.anther", key]).status().unwrap();
            assert_eq!(status.code(), Some(code), "{options}: {key:?}");
        }
    }
    // A shell that reads lines of CR LF hands on the CR.
    let ran = place.command(["check", "n.anther", "x\r"]).output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains("a key ends with CR"));

    place.build("i.anther --as int -k 42 -7", "");
    place.run("check i.anther -k -7 -8").code(0).prints("maybe\t-7\nno\t-8\n");
}

#[test]
fn an_open_quote_is_never_skipped() {
    let place = Place::new();
    let rows: String = (1..1000).map(|number| format!("{number},u{number}@x.org\n")).collect();
    place.write("stray.csv", format!("id,mail\n0,\"u0@x.org\n{rows}"));
    let build = "build f.anther stray.csv --column mail --skip-malformed";
    place.run(build).fails(&["stray.csv: line 2", "no closing quote", "--no-quotes"]);
    place.run(&format!("{build} --no-quotes")).code(0).says(&["1,000 distinct keys of 1,000"]);
}

/// The crate `csv` reads on behind a closing quote, and so do we, but say it: a quote may be missing.
#[test]
fn a_missing_quote_is_noticed() {
    let place = Place::new();
    let text = "id,m\n1,a\n6,\"f\n7,g\n8,\"h\"\n9,i\n";
    let ran = place.run_on("build f.anther --column m", text).code(0);
    ran.says(&["3 distinct keys of 3 read, 1 field goes on behind a closing quote", "--no-quotes"]);
    place.run_on("check f.anther", text).code(0).says(&["1 field goes on"]);
    let ran =
        place.run_on("build g.anther --column m", "id,m\n1,\"a \"\"b\"\"\"\n2,\"\"\n").code(0);
    assert!(!ran.err.contains("closing quote"), "{}", ran.err);
}

/// The output has what the input has, and no line ending of ours.
#[test]
fn csv_with_cr_stays_as_it_is() {
    let place = Place::new();
    place.write("mac.csv", "id,mail\r1,x\r2,c\r3,d\r");
    place.build("f.anther mac.csv --column mail --fpr 1e-6", "");
    for options in ["", "--line-buffered"] {
        let check = format!("check f.anther {options} -f mac.csv");
        place.run(&check).code(0).prints("id,mail\r1,x\r2,c\r3,d\r");
    }
}

#[test]
fn a_remembered_header_row_can_be_denied() {
    let place = Place::new();
    place.build("f.anther --column 2 --header --fpr 1e-6", "id,mail\n1,a@x\n");
    let info = String::from_utf8(place.run("info f.anther").code(0).out).unwrap();
    assert!(info.contains("column 2, below a header row"), "{info}");
    place.run_on("check -c f.anther", "1,a@x\n").code(1).prints("0\n");
    place.run_on("check -c f.anther --no-header", "1,a@x\n").code(0).prints("1\n");
    place.build("g.anther --column mail", "id,mail\n1,a@x\n");
    place.run_on("check -c g.anther --no-header", "").fails(&["--no-header", "by its number"]);
}

#[test]
fn columns_that_are_hard_to_name() {
    let place = Place::new();
    place.build("y.anther --column \"2025\" --fpr 1e-6", "2024,2025\nx,y\n");
    place.run("check y.anther y").code(0);
    place
        .run_on("build d.anther --column a", "a,b,a\n1,2,3\n")
        .fails(&["columns 1 and 3 are both named \"a\"", "--column 1 --header"]);
    place.build("o.anther --format json --column 1 --fpr 1e-6", "{\"1\": 5}\n[7, 8]\n");
    place.run("check o.anther 5 7").code(0).prints("maybe\t5\nmaybe\t7\n");
    // Hosts files have lines of blanks.
    place
        .build("h.anther --format fields --column 2", "0.0.0.0 a.example\n  \n0.0.0.0 b.example\n");
    place.run_on("build x.anther --format fields --column 2", "one\n").fails(&[
        "no column 2: the record has 1 column; check --column, or go on with --skip-malformed",
    ]);
}

/// The error says which text of which line is wrong, and what to do.
#[test]
fn errors_of_records_name_the_cause_and_the_next_step() {
    let place = Place::new();
    place.build("csv.anther --column mail", "id,mail\n1,a@x\n");
    for (arguments, text, parts) in [
        ("check csv.anther", "a@x\n", &["no column \"mail\"", "use --format lines"][..]),
        (
            "build x --format json --column user.idd",
            "{\"user\": {\"id\": 1, \"a.b\": 2}}\n",
            &[
                "no value at \"user.idd\"; the line has \"user.a\\\\.b\", \"user.id\"",
                "--skip-malformed",
            ],
        ),
        (
            "build x --format json",
            "{\"id\": 1}\n",
            &["the line is an object", "\"id\"", "--column"],
        ),
        ("build x --format json --column a", "[\n", &["line 1", "jq -c '.[]' FILE"]),
        ("build x --format json --column a", "a@x\n", &["--format lines", "--skip-malformed"]),
        ("build x --column 2 --as int", "12,zz\n", &["line 1: \"zz\": not a whole number"]),
        ("build x --as int", " 12\n", &["\" 12\": not a whole number", "--trim"]),
        ("build x --as int --column 1 --column 2", "1,b\n", &["\"b\": not a whole number"]),
        ("build x --format parquet --column a", "a\n1\n", &["name the file instead"]),
    ] {
        place.run_on(arguments, text).fails(parts);
    }
    place.build("two.anther --column 1 --column 2 --delimiter ;", "a;b\n");
    place.run("check two.anther a,b").code(0);
    place.run("check two.anther ab").fails(&["has 1 part", "'x,x'"]);
    place.run("check two.anther --column 1 -f -").fails(&["has 2 columns, but 1 would be read"]);
}
