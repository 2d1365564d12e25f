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
