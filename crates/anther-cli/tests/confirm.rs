//! `anther check` with line numbers, with several filters, and with exact answers.

use crate::support::Place;
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// A list, a filter of it that is wrong every fifth time, and lines to ask for.
fn half_known() -> (Place, String) {
    let place = Place::new();
    let list: String = (0..20_000).map(|i| format!("https://example.org/{i}\n")).collect();
    place.write("list.txt", &list);
    place.build("f.anther list.txt --fpr 20%", "");
    let asked: String =
        (0..40_000).map(|i| format!("https://example.org/{}\n", i * 7 % 40_000)).collect();
    place.write("asked.txt", &asked);
    (place, asked)
}

#[test]
fn confirmed_answers_are_exact_and_in_order() {
    let (place, asked) = half_known();
    let list = String::from_utf8(place.read("list.txt")).unwrap();
    let known: HashSet<&str> = list.lines().collect();
    let lines = |is_in: bool| -> String {
        asked
            .split_inclusive('\n')
            .filter(|line| known.contains(line.trim_end()) == is_in)
            .collect()
    };
    let (yes, no) = (lines(true), lines(false));
    let hits = place.run_on("check f.anther", &asked).code(0).out.len();
    assert!(hits > yes.len() + 50_000, "the filter alone is wrong often");
    place.run_on("check f.anther --confirm list.txt", &asked).code(0).prints(&yes);
    place.run_on("check -v f.anther --confirm list.txt", &asked).code(0).prints(&no);
    place.run_on("check -c f.anther --confirm list.txt", &asked).code(0).prints("20000\n");
    // Lines of JSON show the false positives, too.
    let ran = place.run_on("check --json f.anther --confirm list.txt", &asked).code(0);
    let is = |name: &str| ran.json_lines().iter().filter(|line| line[name] == true).count();
    assert_eq!(is("listed"), 20_000);
    assert!((22_000..26_000).contains(&is("maybe")), "{}", is("maybe"));
    // A list in parts, and one of them compressed.
    place.write("a.txt", &list[..list.len() / 2]);
    let rest = zstd::encode_all(&list.as_bytes()[list.len() / 2..], 1).unwrap();
    place.write("b.zst", rest);
    let line = place.run_on("check f.anther -c --confirm a.txt --confirm b.zst", &asked).code(0);
    // The line that was cut in two is in neither.
    let count: u32 = String::from_utf8(line.out).unwrap().trim().parse().unwrap();
    assert!((19_999..=20_000).contains(&count), "{count}");

    // What grep says, where there is a grep.
    for (ours, theirs) in [("check", "-xFf"), ("check -v", "-vxFf")] {
        let mut grep = Command::new("grep");
        grep.args([theirs, "list.txt", "asked.txt"]);
        let Ok(grep) = grep.current_dir(place.path()).env("LC_ALL", "C").output() else { continue };
        place.run_on(&format!("{ours} f.anther --confirm list.txt"), &asked).prints(grep.stdout);
    }
}

#[test]
fn a_pipe_can_be_confirmed() {
    let (place, asked) = half_known();
    let mut child = place
        .command(["check", "-c", "f.anther", "--confirm", "list.txt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(asked.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.stdout, output.status.code()), (b"20000\n".to_vec(), Some(0)));
}

#[test]
fn keys_are_confirmed_as_they_are_taken() {
    let place = Place::new();
    place.write("list.csv", "id,mail\n1,Ann@Example.org\n2,\"b,c@x\"\n");
    place.build("f.anther list.csv --column mail --ignore-case --trim --fpr 90%", "");
    let ran = place.run("check f.anther --confirm list.csv ANN@example.ORG nobody@x b,c@x");
    ran.code(0).prints("yes\tANN@example.ORG\nno\tnobody@x\nyes\tb,c@x\n");
    let asked = "mail,n\nann@example.org,7\nsomebody@x,8\n";
    let ran = place.run_on("check f.anther --confirm list.csv", asked);
    ran.code(0).prints("mail,n\nann@example.org,7\n");
    let ran = place.run_on("check -v -n f.anther --confirm list.csv", asked);
    ran.code(0).prints("1:mail,n\n3:somebody@x,8\n");
    let ran = place.run_on("check --json f.anther --confirm list.csv", asked).code(0);
    let listed: Vec<_> = ran.json_lines().iter().map(|line| line["listed"].clone()).collect();
    assert_eq!(listed, [true, false]);
    let ran = place.run_on("check -c --json f.anther --confirm list.csv", asked).code(0);
    assert_eq!(ran.json(), serde_json::json!({"listed": 1, "no": 1}));
}

#[test]
fn a_list_is_read_only_for_hits_but_must_be_there() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\ntwo\n");
    place.run_on("check f.anther --confirm gone.txt", "x\n").fails(&["gone.txt: no such file"]);
    place.write("bad.csv", "one\n");
    place.build("g.anther --column 2 --fpr 1e-6", "1,one\n");
    // Line 1 has no second column, and nobody looks.
    place.run_on("check g.anther --confirm bad.csv", "1,other\n").code(1).prints("");
    let ran = place.run_on("check g.anther --confirm bad.csv", "1,one\n");
    ran.fails(&["bad.csv: line 1: no column 2"]);
    place.run_on("check f.anther --confirm bad.csv", "").code(1).prints("");
    place.run("check f.anther x --also f.anther --confirm bad.csv").fails(&["--also", "--confirm"]);
}

/// The list has a form of its own, though the input has columns.
#[test]
fn a_published_list_confirms_columns() {
    let place = Place::new();
    let options = "--format fields --column 1 --skip-malformed";
    place.write("nets", "203.0.113.0/24 ; SBL1\n192.0.2.64-192.0.2.95\n198.51.100.7\n");
    place.run("build -q nets.anther nets --as ip").code(0);
    let log = "203.0.113.5 G\n192.0.2.70 G\n198.51.100.7 G\n";
    let asked = format!("- G\n192.0.2.96 G\n{log}");
    place.write("known", log);
    let check = format!("check nets.anther {options}");
    place.run_on(&format!("{check} --confirm nets"), &asked).code(0).prints(log);
    place.run_on(&format!("{check} --expect known"), &asked).code(0).prints(log);

    place.write("hosts", "127.0.0.1 localhost\n0.0.0.0 ads.example # why\n||t.example^\n");
    place.run("build -q hosts.anther hosts --as domain").code(0);
    let log = "a.ads.example 1\nt.example 2\n";
    let asked = format!("c.example 0\n{log}");
    let check = format!("check hosts.anther {options} --confirm hosts");
    place.run_on(&check, asked).code(0).prints(log);
}

#[test]
fn numbers_are_those_of_the_input() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "one\ntwo\n");
    let lines = "x\none\ny\ntwo\none";
    place.run_on("check -n f.anther", lines).code(0).prints("2:one\n4:two\n5:one");
    place.run_on("check -vn f.anther", lines).code(0).prints("1:x\n3:y\n");
    let many = "x\n".repeat(300_000);
    let ran = place.run_on("check -n f.anther", format!("{many}two\n{many}one\n"));
    ran.code(0).prints("300001:two\n600002:one\n");
}

#[test]
fn several_filters_say_which() {
    let place = Place::new();
    place.build("a.anther --fpr 1e-6", "one\ntwo\n");
    place.build("b.anther --fpr 1e-6 --seed 5 --kind classic", "two\nthree\n");
    let ran = place.run("check a.anther --also b.anther one two three four").code(0);
    ran.prints(
        "maybe\ta.anther\tone\nmaybe\ta.anther,b.anther\ttwo\nmaybe\tb.anther\tthree\nno\t-\tfour\n",
    );
    let lines = "one\ntwo\nthree\nfour\n";
    let ran = place.run_on("check a.anther --also b.anther", lines).code(0);
    ran.prints("a.anther\tone\na.anther,b.anther\ttwo\nb.anther\tthree\n");
    place.run_on("check -v a.anther --also b.anther", lines).code(0).prints("four\n");
    place.run_on("check -c a.anther --also b.anther", lines).code(0).prints("3\n");
    let ran = place.run_on("check --json a.anther --also b.anther", lines).code(0);
    let filters: Vec<_> = ran.json_lines().iter().map(|line| line["filters"].to_string()).collect();
    assert_eq!(filters, ["[\"a.anther\"]", "[\"a.anther\",\"b.anther\"]", "[\"b.anther\"]", "[]"]);

    place.build("c.anther --hex", "cafe\n");
    let ran = place.run("check a.anther --also c.anther cafe");
    ran.fails(&["c.anther: its keys are hex decoded", "but those of a.anther are text"]);
    place.run("check a.anther --also none.anther x").fails(&["none.anther: no such file"]);
}
