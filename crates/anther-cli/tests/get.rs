//! `anther get`.

use crate::support::Place;
use serde_json::json;

/// A map at a rate at which no test meets a false positive.
fn mapped() -> Place {
    let place = Place::new();
    let pairs =
        b"one\t1\r\nzero\t0\r\nna\xc3\xafve \xf0\x9f\x8c\xb8\t18446744073709551615\n\xff\t3\n";
    place.build("f.anther --kind bloomier --fpr 1e-6", pairs);
    place
}

#[test]
fn keys_get_their_values() {
    let place = mapped();
    let ran = place.run_args(["get", "f.anther", "one", "none", "zero", "naïve 🌸"], "").code(0);
    let ran = ran.prints("1\tone\n-\tnone\n0\tzero\n18446744073709551615\tnaïve 🌸\n");
    assert_eq!(ran.err, "");
    place.run("get f.anther zero").code(0).prints("0\tzero\n");
    place.run("get f.anther none never").code(1).prints("-\tnone\n-\tnever\n");
}

/// A line of the key alone, or one with a value, right or wrong: the key is the first column.
#[test]
fn lines_get_theirs() {
    let place = mapped();
    let input = b"one\r\nzero\t0\nnone\t7\n\xff\none";
    let answers = b"1\tone\r\n0\tzero\t0\n-\tnone\t7\n3\t\xff\n1\tone\n";
    place.run_on("get f.anther", input).code(0).prints(answers);
    place.run_on("get f.anther --map", input).code(0).prints(answers);
    place.run_on("get f.anther", "none\n").code(1).prints("-\tnone\n");
    place.run_on("get f.anther", "").code(1).prints("");

    place.build("nul.anther --kind bloomier -0 --fpr 1e-6", "a\nb\t5\0");
    place.run_on("get nul.anther", "a\nb\0a").code(0).prints("5\ta\nb\x00-\ta\0");
    place.build("csv.anther --kind bloomier --column k --fpr 1e-6", "k,n\nx,4\n");
    place
        .run_on("get csv.anther", "j,k\n1,x\n2,y\n")
        .code(0)
        .prints("value\tj,k\n4\t1,x\n-\t2,y\n");
}

#[test]
fn json_has_a_line_an_answer() {
    let place = mapped();
    let answers = place.run("get f.anther one none --json").code(0).json_lines();
    assert_eq!(answers, [json!({"key": "one", "value": 1}), json!({"key": "none", "value": null})]);
    let answers = place.run_on("get f.anther --json", b"zero\r\n\xff").code(0).json_lines();
    assert_eq!(answers[0], json!({"line": 1, "record": "zero", "value": 0}));
    assert_eq!(answers[1], json!({"line": 2, "record": "\u{fffd}", "bytes_hex": "ff", "value": 3}));
}

#[test]
fn what_has_no_values_is_an_error() {
    let place = mapped();
    place.build("set.anther", "one\n");
    let ran = place.run("get set.anther one");
    ran.fails(&["set.anther: a blocked filter stores no values", "key<TAB>value", "bloomier"]);
    place.run("get none.anther one").fails(&["none.anther: no such file"]);
    place.run("get f.anther --delimiter , one").fails(&["--delimiter: ", "is for inputs"]);
    place.run("get").fails(&["FILTER"]);
}

/// The value is in any column of any format, and the key too.
#[test]
fn values_are_in_the_column_that_is_named() {
    let place = Place::new();
    let build = "build m.anther --force --kind bloomier --fpr 1e-6";
    for (options, list) in [
        ("--values 2", "x,4,z\ny,5,z\n"),
        ("--values n", "k,n,m\nx,4,z\ny,\"5\",z\n"),
        ("--column k --values n", "n,k\n4,x\n5,y\n"),
        ("--column 3 --values n", "n,m,k\n4,,x\n5,,y\n"),
        ("--format tsv --values 3", "x\ta\t4\ny\ta\t5\n"),
        ("--format tsv --column k --values n", "n\tk\n4\tx\n5\ty\n"),
        ("--delimiter ; --column 2 --values 1", "4;x\n5;y\n"),
        ("--format fields --column 2 --values 1", "  4 x\n  5\t y\n"),
        (
            "--format json --column k --values n.seen",
            "{\"k\":\"x\",\"n\":{\"seen\":4}}\n{\"n\":{\"seen\":\"5\"},\"k\":\"y\"}\n",
        ),
    ] {
        place.write("list", list);
        for items in ["", " --items 2"] {
            place.run(&format!("{build} list {options}{items}")).code(0);
            place.run("get m.anther x y z").code(0).prints("4\tx\n5\ty\n-\tz\n");
        }
        // The list itself can be looked up, as its key is where it was.
        let found = place.run("get m.anther -f list").code(0).out;
        let found = String::from_utf8(found).unwrap();
        assert!(found.contains("4\t") && found.contains("5\t"), "{options}: {found}");
    }
    place.write("list", "x,4\ny,none\nz,6\n");
    place
        .run(&format!("{build} list --values 2"))
        .fails(&["list: line 2: the value \"none\" is not a whole number"]);
    let ran = place.run(&format!("{build} list --values 2 --skip-malformed")).code(0);
    ran.says(&["2 distinct keys of 2 read, 1 malformed record left out"]);
    place.run("get m.anther x y z").code(0).prints("4\tx\n-\ty\n6\tz\n");
    place.run(&format!("{build} list --values n")).fails(&["list: line 1: no column \"n\""]);
    place.run(&format!("{build} list --values 3")).fails(&["list: line 1: no column 3"]);
    let ran = place.run(&format!("{build} list --values n --no-header"));
    ran.fails(&["--no-header: a column by name needs a header row"]);
    let ran = place.run(&format!("{build} list --values n --format json"));
    ran.fails(&["--values: name the key, too, with --column"]);
    let ran = place.run(&format!("{build} list --values 2 --format lines"));
    ran.fails(&["--values: lines, nul and records have no columns"]);
    let ran = place.run("build n.anther list --values 2");
    ran.fails(&["--values: blocked filters store no values; add --kind bloomier"]);
    place.run("build n.anther list --bands").fails(&["--bands: ", "add --kind bloomier"]);
}

#[test]
fn counts_are_printed_as_bands() {
    let place = Place::new();
    place.write("list", "a,1\nb,9\nc,127\nd,128\ne,37359195\n");
    place.run("build m.anther list --kind bloomier --values 2 --bands --fpr 1e-6").code(0);
    place
        .run("get m.anther a b c d e f")
        .code(0)
        .prints("1\ta\n8-15\tb\n64-127\tc\n128+\td\n128+\te\n-\tf\n");
    let answers = place.run("get m.anther b e f --json").code(0).json_lines();
    assert_eq!(answers[0], json!({"key": "b", "value": {"from": 8, "to": 15}}));
    assert_eq!(answers[1], json!({"key": "e", "value": {"from": 128, "to": null}}));
    assert_eq!(answers[2], json!({"key": "f", "value": null}));
    let info = place.run("info m.anther --json").code(0).json();
    assert_eq!(info["parameters"]["value.bits"], 3);
    assert_eq!(info["parameters"]["bands"], 1);

    let wide = "build w.anther list --kind bloomier --values 2 --bands --value-bits 5 --fpr 1e-6";
    place.run(wide).code(0);
    place.run("get w.anther e").code(0).prints("33554432-67108863\te\n");
    let ran = place.run("build x.anther list --kind bloomier --values 2 --bands --value-bits 7");
    ran.fails(&["value-bits", "1 to 6"]);
    // Two counts of one band are one pair of the map.
    place.write("list", "a,9\na,12\nb,3\n");
    let ran = place.run("build two.anther list --kind bloomier --values 2 --bands --json").code(0);
    assert_eq!(ran.json()["items"], 2);
    ran.says(&["two.anther: 2 distinct keys of 3 read; "]);
    place.write("list", "a,1\nb,0\n");
    let ran = place.run("build x.anther list --kind bloomier --values 2 --bands");
    ran.fails(&["list: line 2: the value 0 has no band"]);
    place.write("list", "a,1\na,1\na,16\n");
    let ran = place.run("build x.anther list --kind bloomier --values 2 --bands");
    ran.fails(&["list: line 1, list: line 2, list: line 3: a key has two values, 1 and 16, "]);
    assert_eq!(place.names(), ["list", "m.anther", "two.anther", "w.anther"]);
}
