//! Filters of other systems: every vector of the library through the program, files that are not
//! what they seem, pipes, and filters that are written.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in helpers of tests, where a panic is the message"
)]

use crate::support::{Place, Ran};
use anther::foreign::{System, WriteFormat};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use lists::{lines_of, lists_of};

#[path = "../../anther/tests/foreign/lists.rs"]
mod lists;

/// Where the library's tests have filters that real programs wrote.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../anther/tests/foreign")
}

fn lines(path: &str) -> Vec<String> {
    lines_of(&folder().join(path))
}

/// A row of the library's list of cases.
struct Case {
    system: String,
    name: String,
    file: PathBuf,
    present: Vec<String>,
    /// Each with the answer of its own program before it.
    absent: Vec<String>,
    /// The options that its keys need.
    options: Vec<String>,
}

impl Case {
    /// Runs a verb on the file, with the options and with this on standard input.
    fn run(&self, verb: &[&str], more: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let file = self.file.to_str().unwrap();
        let options = self.options.iter().map(String::as_str);
        let arguments =
            verb.iter().copied().chain([file]).chain(options).chain(more.iter().copied());
        Place::new().run_args(arguments, input)
    }

    /// Only the options that open it.
    fn from(&self) -> Vec<&str> {
        let at = self.options.iter().position(|option| option == "--from");
        at.map_or(Vec::new(), |at| vec!["--from", &self.options[at + 1]])
    }
}

/// All cases of this repository, and where a folder beside the clone has files of other
/// repositories, those, too.
fn cases() -> Vec<Case> {
    let mut all = cases_of(&folder(), |_| true);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    match shared.is_dir() {
        true => {
            let known: Vec<String> = all.iter().map(|case| case.name.clone()).collect();
            all.extend(cases_of(&shared, |row| {
                ["cassandra", "dcso", "hbase"].contains(&row[0])
                    && !known.contains(&row[1].to_string())
            }));
        }
        false => {
            eprintln!("NOT RUN: vectors of other repositories; there is no {}", shared.display())
        }
    }
    all
}

/// The cases of a folder. What is hashed depends on the system and on the case.
fn cases_of(folder: &Path, is_wanted: impl Fn(&[&str]) -> bool) -> Vec<Case> {
    let rows = lines_of(&folder.join("cases.tsv"));
    let rows = rows.iter().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let case = |row: Vec<&str>| {
        let [system, name, file, present, absent, kind, ..] = row[..] else {
            panic!("a row of cases.tsv: {row:?}")
        };
        let form = match kind {
            "utf8" if name.contains("_chars_") => "utf16",
            "utf8" => "text",
            "hex" => "hex",
            "i32" => "int32",
            "i64" => "int64",
            "f64" => "double",
            other => panic!("keys of the kind {other}"),
        };
        let from = match name.split_once('_') {
            _ if name.starts_with("classes_21_") => Some("cassandra:ka"),
            _ if name.starts_with("classes_30_") => Some("cassandra:ma"),
            _ if name.starts_with("classes_trunk_") => Some("cassandra:oa"),
            Some(("la", rest)) if rest.starts_with("prerelease_") => Some("cassandra:ma"),
            Some(("parquetjava", rest)) if rest.starts_with("bare_") => Some("parquet-bitset"),
            _ => None,
        };
        let from = from.into_iter().flat_map(|from| ["--from", from]);
        Case {
            system: system.to_string(),
            name: name.to_string(),
            file: folder.join(file),
            present: lists_of(folder, present),
            absent: lists_of(folder, absent),
            options: ["--as", form].into_iter().chain(from).map(String::from).collect(),
        }
    };
    rows.filter(|row| is_wanted(row)).map(case).collect()
}

fn guava() -> PathBuf {
    folder().join("guava/mitz64_utf8_100/filter.bin")
}

#[test]
fn every_vector_answers_as_its_own_program() {
    let (mut systems, mut present, mut absent) = (Vec::new(), 0, 0);
    for case in cases() {
        let all = &case.present;
        let list = all.join("\n") + "\n";
        // An empty key is a key, too.
        let ran = case.run(&["check", "-c"], &["--keep-empty"], &list).code(0);
        assert_eq!(ran.err, "", "{}", case.name);
        ran.prints(format!("{}\n", all.len()));
        present += all.len();

        let (expected, keys): (Vec<_>, Vec<_>) =
            case.absent.iter().map(|line| line.split_once('\t').unwrap()).unzip();
        let ran = case.run(&["check", "--json"], &["--keep-empty"], keys.join("\n") + "\n");
        let got = ran.json_lines();
        assert_eq!(got.len(), expected.len(), "{}", case.name);
        for ((expected, key), got) in expected.iter().zip(&keys).zip(&got) {
            assert_eq!(got["maybe"], json!(*expected == "maybe"), "{}: {key}", case.name);
        }
        absent += got.len();
        assert_eq!(ran.code, i32::from(!expected.contains(&"maybe")), "{}", case.name);
        if !systems.contains(&case.system) {
            systems.push(case.system);
        }
    }
    assert!(systems.len() >= 7 && present > 100_000 && absent > 5000, "{systems:?}");
}

#[test]
fn every_vector_is_described_and_verified() {
    for case in cases() {
        let from = case.from();
        let mut arguments = vec!["info", "--json", case.file.to_str().unwrap()];
        arguments.extend(&from);
        let ran = Place::new().run_args(&arguments, "").code(0);
        let info = ran.json();
        let system = if case.system == "redis" { "redisbloom" } else { &case.system };
        assert_eq!(info["system"], system, "{}", case.name);
        assert!(info["bits"].as_u64().unwrap() > 0 && info["probes"].as_u64().unwrap() > 0);
        let fpr = info["fpr_now"].as_f64().unwrap();
        assert!((0.0..0.5).contains(&fpr), "{}: {fpr}", case.name);

        let mut arguments = vec!["verify", "--json", case.file.to_str().unwrap()];
        arguments.extend(&from);
        let verified = Place::new().run_args(&arguments, "").code(0).json();
        assert_eq!((&verified["intact"], &verified["filters"]), (&json!(true), &json!(1)));
        assert_eq!(verified["system"], system, "{}", case.name);

        let place = Place::new();
        place.write("list", case.present.join("\n") + "\n");
        let list = place.join("list");
        let more =
            ["--keep-empty", "--random", "20k", "--members", list.to_str().unwrap(), "--json"];
        let measured = case.run(&["measure"], &more, "").code(0).json();
        assert_eq!(measured["false_negatives"], 0, "{}", case.name);
        assert_eq!((&measured["kind"], &measured["system"]), (&Value::Null, &json!(system)));
    }
}

#[test]
fn the_names_of_the_fields_are_api() {
    let place = Place::new();
    let file = guava();
    let ran = place.run_args(["info", "--json", file.to_str().unwrap()], "").code(0);
    let info = ran.json();
    let names: Vec<&str> = info.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "bits",
        "bits_per_key",
        "bytes",
        "entry",
        "file",
        "fill",
        "format",
        "fpr_now",
        "fpr_target",
        "inserted",
        "items",
        "items_error",
        "items_target",
        "layers",
        "overfull",
        "parameters",
        "probes",
        "saturated",
        "system",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        (&info["format"], &info["bits"], &info["probes"], &info["entry"]),
        (&json!("MURMUR128_MITZ_64"), &json!(768), &json!(5), &Value::Null)
    );
    let ran = place.run_args(["verify", file.to_str().unwrap()], "").code(0);
    let line = String::from_utf8(ran.out).unwrap();
    assert!(line.ends_with(
        ": well-formed: Guava, 1 filter, 102 bytes; this format has no checksum, so changed cells go \
         unnoticed\n"
    ), "{line}");
}

#[test]
fn a_file_with_several_filters_lists_them_all() {
    let place = Place::new();
    let rdb = folder().join("redis/rb26_rdb/dump.rdb");
    let rdb = rdb.to_str().unwrap();
    let all = place.run_args(["info", "--json", rdb], "").code(0).json_lines();
    let names: Vec<_> = all.iter().map(|info| info["entry"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.contains(&"bf_100") && names.contains(&"cf_del"), "{names:?}");
    let one = place.run_args(["info", "--json", "--entry", "cf_del", rdb], "").code(0).json();
    assert_eq!((&one["format"], &one["inserted"]), (&json!("cuckoo filter"), &json!(802)));
    let text = place.run_args(["info", rdb], "").code(0).out;
    assert_eq!(String::from_utf8(text).unwrap().matches("  system   RedisBloom, ").count(), 8);

    place
        .run_args(["check", rdb, "a"], "")
        .fails(&["has 8 filters; choose one with --entry: ", "bf_ns"]);
    place.run_args(["check", rdb, "--entry", "x", "a"], "").fails(&["has no filter x; it has "]);
    place.run_args(["info", rdb, "--entry", "x"], "").fails(&["has no filter x; it has "]);
    let list = folder().join("keys/utf8_100.txt");
    let entry = ["check", "-c", rdb, "--entry", "bf_100", "--keep-empty", "-f"];
    place.run_args(entry.into_iter().chain([list.to_str().unwrap()]), "").code(0).prints("100\n");
    let file = guava();
    place
        .run_args(["check", file.to_str().unwrap(), "--entry", "x", "a"], "")
        .fails(&["--entry: ", "has one filter, without a name; leave it out"]);
    place.build("f.anther -q", "a\n");
    place.run("check f.anther --entry x a").fails(&["--entry: f.anther is a filter of anther"]);
}

#[test]
fn row_groups_are_named() {
    let place = Place::new();
    let file = folder().join("parquet/files/pyarrow_100.parquet");
    let file = file.to_str().unwrap();
    let key = lines("keys/i64_100.txt")[3].clone();
    let ran = place.run_args(["check", file, "--entry", "i64", &key], "").code(0);
    ran.prints(format!("maybe\t{key}\trow group 0\n"));
    let ran = place.run_args(["check", "--json", file, "--entry", "i64", &key, "123456789"], "");
    let lines = ran.code(0).json_lines();
    assert_eq!(lines[0], json!({"key": key, "maybe": true, "row_groups": [0]}));
    assert_eq!(lines[1], json!({"key": "123456789", "maybe": false, "row_groups": []}));
    // Two files, as in a lake.
    let also = ["check", "--json", file, "--also", file, "--entry", "i64", &key];
    let answer = place.run_args(also, "").code(0).json();
    assert_eq!(answer["row_groups_of"], json!({file: [0]}));
    place
        .run_args(["check", file, "--entry", "i64", "seven"], "")
        .fails(&["seven: not a whole number"]);
}

#[test]
fn all_options_of_check_work() {
    let place = Place::new();
    place.write("f.guava", fs::read(guava()).unwrap());
    let keys = lines("keys/utf8_100.txt");
    let (first, last) = (&keys[1], &keys[99]);
    place.write("log.csv", format!("id,user\n1,{first}\n2,nobody at all\n3,{last}\n"));
    place
        .run("check f.guava -f log.csv --column user")
        .code(0)
        .prints(format!("id,user\n1,{first}\n3,{last}\n"));
    place
        .run("check -vn f.guava -f log.csv --column user")
        .code(0)
        .prints("1:id,user\n3:2,nobody at all\n");
    place
        .run("check -c --json f.guava -f log.csv --column 2 --header")
        .code(0)
        .prints("{\"maybe\":2,\"no\":1}\n");
    place.run_args(["check", "-q", "f.guava", "nobody at all"], "").code(1).prints("");
    place.run_args(["check", "f.guava", first, "--match", "exact"], "").code(0);
    place
        .run_args(["check", "f.guava", first, "--match", "below"], "")
        .fails(&["--match below is for filters of domains"]);

    // The list decides, and what should be in the filter is.
    place.write("list.txt", format!("{first}\n"));
    let confirmed = ["check", "f.guava", first, last, "--confirm", "list.txt"];
    place.run_args(confirmed, "").code(0).prints(format!("yes\t{first}\nno\t{last}\n"));
    place
        .run_on("check f.guava --confirm list.txt", format!("{last}\n{first}\n"))
        .code(0)
        .prints(format!("{first}\n"));
    place.run_args(["check", "f.guava", first, "--expect", "list.txt"], "").code(0);
    place.write("other.txt", "nobody at all\n");
    place
        .run_args(["check", "f.guava", first, "--expect", "other.txt"], "")
        .fails(&["was expected, but is not in f.guava"]);

    // Beside one of ours, whose rule is the same.
    place.build("own.anther -q", "nobody at all\n");
    let both = ["check", "f.guava", "--also", "own.anther", first, "nobody at all"];
    place
        .run_args(both, "")
        .code(0)
        .prints(format!("maybe\tf.guava\t{first}\nmaybe\town.anther\tnobody at all\n"));
    place.build("folded.anther -q --ignore-case", "a\n");
    place.run("check f.guava --also folded.anther a").fails(&["its keys are case folded"]);

    for (options, cause) in [
        ("--map", "is a file of Guava"),
        ("--between 1 2", "f.guava is a filter of Guava; ranges are looked up in range filters"),
        (
            "--as int 7",
            "--as int: Guava hashes the bytes of an integer; name the width: --as int32",
        ),
        ("--as time 7", "--as time: Guava has no such keys"),
        ("--from spark a", "f.guava: "),
        ("--from nothing a", "no such system; the systems are "),
    ] {
        place.run(&format!("check f.guava {options}")).fails(&[cause]);
    }
    place.write("secret.key", "0123456789abcdef0123456789abcdef\n");
    place.run("check f.guava a --key-file secret.key").code(2);
    // Two columns make a key of ours, and one of Cassandra, but none of Guava.
    place
        .run("check f.guava -f log.csv --column 1 --column 2")
        .fails(&["a key of Guava is one column"]);
}

#[test]
fn a_filter_that_was_replaced_answers() {
    let place = Place::new();
    place.build("f.guava -q --to guava64", "one\n");
    place.build("other.guava -q --to guava64", "two\n");
    let mut command = place.command(["check", "f.guava", "--reload"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::Write::write_all(&mut input, b"one\ntwo\n").unwrap();
    std::io::BufRead::read_line(&mut answers, &mut line).unwrap();
    assert_eq!(line, "one\n");
    fs::rename(place.join("other.guava"), place.join("f.guava")).unwrap();
    std::io::Write::write_all(&mut input, b"one\ntwo\n").unwrap();
    line.clear();
    std::io::BufRead::read_line(&mut answers, &mut line).unwrap();
    assert_eq!(line, "two\n");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn filters_come_through_pipes() {
    let place = Place::new();
    for case in cases() {
        // Chunks of a SCANDUMP are several files.
        if case.system == "redis" || !case.name.contains("_100") || case.name.contains("_10000") {
            continue;
        }
        let bytes = fs::read(&case.file).unwrap();
        let mut arguments = vec!["info", "--json", "-"];
        arguments.extend(case.from());
        let info = place.run_args(&arguments, &bytes).code(0).json();
        assert_eq!(
            (&info["file"], &info["system"]),
            (&json!("-"), &json!(case.system)),
            "{}",
            case.name
        );
        let key = case.present[1].clone();
        let mut arguments = vec!["check", "-", "-k", &key];
        arguments.extend(case.options.iter().map(String::as_str));
        place.run_args(&arguments, &bytes).code(0);
        let mut arguments = vec!["verify", "-"];
        arguments.extend(case.from());
        place.run_args(&arguments, &bytes).code(0);
    }
}

#[test]
fn truncated_and_changed_files_are_refused() {
    let place = Place::new();
    for case in cases() {
        if case.system == "redis" || case.name.contains("_10000") || case.name.contains("_4000") {
            continue;
        }
        let whole = fs::read(&case.file).unwrap();
        let system = case.system.as_str();
        let from = match case.from()[..] {
            [_, from] => from,
            _ => system,
        };
        // All lengths of the headers, and some of the rest.
        let lengths =
            (0..whole.len()).filter(|len| *len < 16 || len % 97 == 0 || *len + 1 == whole.len());
        for len in lengths {
            // Bits without a header are any bits, and DCSO's end with any data.
            if from == "parquet-bitset" && len.is_power_of_two() || from == "dcso" && len > 360 {
                continue;
            }
            place.write("f", &whole[..len]);
            let ran = place.run(&format!("info f --from {from}"));
            ran.fails(&["anther: f: "]);
            place.run("info f").code(2).prints("");
            place.run(&format!("verify -q f --from {from}")).code(1);
        }
        let longer = [&whole[..], b"x"].concat();
        place.write("f", longer);
        let expected = if from == "dcso" && !case.name.ends_with("_gz") { 0 } else { 2 };
        place.run(&format!("info f --from {from}")).code(expected);
    }
    let dump = fs::read(folder().join("redis/rb26_bf_100/dump.bin")).unwrap();
    for at in 0..dump.len() {
        let mut changed = dump.clone();
        changed[at] ^= 1;
        place.write("f", &changed);
        place.run("verify -q f").code(1).prints("");
    }
}

#[test]
fn what_is_no_filter_is_said_to_be_none() {
    let place = Place::new();
    place.write("list.txt", "one\ntwo\n");
    place.write("empty", "");
    place.write("binary", [5_u8; 100]);
    place.write("zeros", [0_u8; 1000]);
    fs::create_dir(place.join("folder")).unwrap();
    let list = "not an anther filter: the signature at the start is missing; make one from a list";
    let binary = "not a filter of anther, nor by its content one of another system; if one of these \
                  wrote it, --from SYSTEM says what is wrong with it: cassandra, dcso, guava";
    for (file, cause) in [
        ("list.txt", list),
        ("empty", list),
        ("binary", binary),
        ("zeros", binary),
        ("folder", "is a folder; name a filter in it"),
        ("missing", "no such file"),
    ] {
        for verb in ["info", "check -k a --", "measure --random 10 --"] {
            place.run(&format!("{verb} {file}")).fails(&[file, cause]);
        }
        for system in System::ALL {
            let ran = place.run(&format!("info {file} --from {}", system.name()));
            ran.fails(&[&format!("anther: {file}: ")]);
        }
    }
    place.run_on("info -", "one\ntwo\n").fails(&["standard input: ", list]);
    place.run_on("info -", [5_u8; 100]).fails(&["standard input: ", binary]);
    // Nothing waits for the end of what has none.
    #[cfg(unix)]
    place.run("info /dev/zero").fails(&["/dev/zero: ", list]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("f.guava", fs::read(guava()).unwrap());
    fs::set_permissions(place.join("f.guava"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(place.join("f.guava")).is_ok() {
        eprintln!("NOT TESTED: root may read everything");
        return;
    }
    place.run("info f.guava").fails(&["f.guava: ", "denied"]);
    place.run("info f.guava --from guava").fails(&["f.guava: ", "denied"]);
    place.run("verify f.guava").code(2);
}

#[test]
fn other_verbs_say_what_to_do() {
    let place = Place::new();
    place.write("f.guava", fs::read(guava()).unwrap());
    place.write("list.txt", "one\n");
    let before = place.read("f.guava");
    let mut verbs = vec![
        "count f.guava one",
        "get f.guava one",
        "list f.guava",
        "add f.guava list.txt",
        "add --shared f.guava list.txt",
        "remove f.guava list.txt",
        "merge out.anther f.guava f.guava",
        "spell f.guava list.txt",
    ];
    if cfg!(feature = "lab") {
        verbs.push("draw f.guava");
    }
    for verb in verbs {
        let ran = place.run(verb);
        ran.fails(&["f.guava: is a file of Guava", "anther build OUT IN"]);
    }
    assert_eq!(place.read("f.guava"), before);
    assert_eq!(place.names(), ["f.guava", "list.txt"]);
}

#[test]
fn every_format_is_built_and_answers() {
    let place = Place::new();
    let list: String = (0..500).map(|number| format!("key {number}\n")).collect();
    place.write("list.txt", &list);
    for format in WriteFormat::ALL {
        let name = format.name();
        let ran = place.run(&format!("build f.{name} list.txt --to {name} --json")).code(0);
        let built = ran.json();
        assert_eq!((&built["read"], &built["distinct"]), (&json!(500), &json!(500)), "{name}");
        assert_eq!(built["bytes"], place.read(&format!("f.{name}")).len(), "{name}");
        assert!(ran.err.contains("500 distinct keys of 500 read; filter of "), "{}", ran.err);
        place.run(&format!("check -c f.{name} -f list.txt")).code(0).prints("500\n");
        let measured = place.run(&format!("measure f.{name} --members list.txt --random 50k -q"));
        measured.code(0);
        // From a pipe, with the number of keys told, and to standard output: the same bytes.
        let piped = place.run_on(&format!("build -q -o - --to {name}"), &list).code(0).out;
        assert!(piped == place.read(&format!("f.{name}")), "{name}");
        let told =
            place.run_on(&format!("build -q -o - --to {name} --items 500"), &list).code(0).out;
        assert!(told == piped, "{name}");
        place
            .run(&format!("build f.{name} list.txt --to {name}"))
            .fails(&["exists already; --force"]);
        place.run(&format!("build -q f.{name} list.txt --to {name} --force")).code(0);
        assert!(piped == place.read(&format!("f.{name}")), "{name}");
    }
}

#[test]
fn what_cannot_be_built_leaves_nothing() {
    let place = Place::new();
    place.write("list.txt", "1\n2\nthree\n");
    let before = place.names();
    for (options, cause) in [
        ("list.txt --to guava64 --as int32", "list.txt: line 3"),
        ("list.txt --to guava64 --as int", "--as int: Guava hashes the bytes of an integer"),
        ("list.txt --to guava64 --kind fuse", "--kind: is for filters of anther"),
        ("list.txt --to guava64 --exact", "--exact: is for filters of anther"),
        ("list.txt --to guava64 --keyed", "--keyed: is for filters of anther"),
        ("list.txt --to guava64 --seed 7", "--seed: is for filters of anther"),
        ("list.txt --to guava64 --span 1h", "--span: is for filters of anther"),
        ("list.txt --to guava64 --bands", "--bands: is for filters of anther"),
        ("list.txt --to guava64 --distinct", "--distinct: is for filters of anther"),
        ("list.txt --to guava64 --counter-bits 4", "--counter-bits: is for filters of anther"),
        ("list.txt --to guava64 --never-wrong-on list.txt", "--never-wrong-on: is for filters"),
        ("list.txt --to guava64 --key-file k", "--key-file needs --keyed"),
        ("list.txt --to guava64 --items 5 --memory 1MB", "--memory: is for counting keys"),
        ("list.txt --to guava64 --fpr 2", "--fpr"),
        ("list.txt --to guava64 --items 1T --fpr 1e-9", "at most 2^31 - 1; choose fewer items"),
        ("list.txt --to squid --fpr 1e-18", "255 bits per entry; choose fewer items"),
        ("list.txt --to guava64 --as time", "--as time: Guava has no such keys; write them as"),
        ("list.txt --to redisbloom --as int", "keys of RedisBloom are text, numbers too; leave it"),
        ("list.txt --to spark1 --as int", "--as int: Spark makes 64 bits of every integer"),
        ("list.txt --to spark2 --as float", "--as float: filters of Spark take no floats"),
        ("missing --to guava64", "missing: no such file"),
        ("list.txt --to guava", "invalid value 'guava' for '--to <FORMAT>'"),
    ] {
        place.run(&format!("build out {options}")).fails(&[cause]);
        assert_eq!(place.names(), before, "{options}");
    }
    // A list is never replaced.
    place
        .run("build list.txt list.txt --to guava64 --force")
        .fails(&["list.txt: exists already and is not a filter"]);
    let rdb = fs::read(folder().join("redis/rb26_rdb/dump.rdb")).unwrap();
    place.write("dump.rdb", &rdb);
    place.run("build dump.rdb list.txt --to guava64 --force").fails(&["dump.rdb: exists already"]);
    assert_eq!(place.read("dump.rdb"), rdb);
    #[cfg(unix)]
    {
        let many: String = (0..5000).map(|number| format!("{number}\n")).collect();
        place.write("many.txt", many);
        let names = place.names();
        place.run_on_full_disk("build out many.txt --to guava64").fails(&["out: cannot write"]);
        assert_eq!(place.names(), names);
    }
}

/// Where the bits are the same, so are all answers.
#[test]
fn filters_of_parquet_are_converted_exactly() {
    let place = Place::new();
    let file = folder().join("parquet/files/pyarrow_100.parquet");
    let file = file.to_str().unwrap();
    for (entry, form, list) in
        [("i64", "int64", "i64_100"), ("s", "text", "utf8_100"), ("f64", "double", "f64_100")]
    {
        let own = format!("{entry}.anther");
        place.run_args(["convert", &own, file, "--entry", entry], "").code(0);
        let info = place.run(&format!("info --json {own}")).code(0).json();
        assert_eq!((&info["kind"], &info["recipe"]["as"]), (&json!("split"), &json!(form)));
        let keys = lines(&format!("keys/{list}.txt")).join("\n");
        let absent: String = match form {
            "text" => (0..2000).map(|number| format!("absent {number}\n")).collect(),
            _ => (0..2000).map(|number| format!("{}\n", 1_000_003 * (number + 7))).collect(),
        };
        let keys = format!("{keys}\n{absent}");
        let theirs = place.run_args(["check", "--keep-empty", file, "--entry", entry], &keys);
        let ours = place.run_on(&format!("check --keep-empty {own}"), &keys);
        assert!(theirs.out == ours.out && theirs.code == 0 && !ours.out.is_empty(), "{entry}");

        // And back.
        let lone = format!("{entry}.bloom");
        place.run(&format!("convert {lone} {own} --to parquet")).code(0);
        let again = place.run_on(&format!("check --keep-empty {lone} --as {form}"), &keys);
        assert!(again.out == ours.out, "{entry}");
        let direct = format!("direct-{lone}");
        place.run_args(["convert", &direct, file, "--entry", entry, "--to", "parquet"], "").code(0);
        assert_eq!(place.read(&direct), place.read(&lone), "{entry}");
        place.run(&format!("convert twice-{own} {lone} --as {form}")).code(0);
        assert_eq!(place.read(&format!("twice-{own}")), place.read(&own), "{entry}");
    }
    place
        .run_args(["convert", "x", file, "--entry", "s", "--row-group", "1"], "")
        .fails(&["--row-group: there is no row group 1; the last one is 0"]);
    place
        .run_args(["convert", "x", file, "--entry", "s", "--kind", "blocked"], "")
        .fails(&["can only become a split filter"]);
}

#[test]
fn other_conversions_need_the_keys() {
    let place = Place::new();
    place.build("f.anther -q", "a\n");
    place.build("split.anther -q --kind split", "a\n");
    place.write("f.guava", fs::read(guava()).unwrap());
    let names = place.names();
    for (arguments, cause) in [
        ("x f.anther --to guava64", "a blocked filter of anther cannot become one of guava64"),
        ("x f.anther --to guava64", "anther build OUT IN --to guava64"),
        (
            "x split.anther --to parquet",
            "Parquet hashes keys with XXH64, and this filter has another hash",
        ),
        ("x split.anther --to parquet", "anther build OUT IN --to parquet"),
        ("x f.guava", "a filter of Guava cannot be converted"),
        ("x f.guava --kind fuse", "anther build OUT IN --kind fuse"),
        (
            "x f.guava --to guava32",
            "a filter of Guava (MURMUR128_MITZ_64) cannot become one of guava32",
        ),
        ("x f.guava --to spark2", "anther build OUT IN --to spark2"),
        ("x f.anther --row-group 0", "--row-group: is for filters of Parquet"),
        ("x f.guava --to guava64 --kind split", "cannot be used with"),
    ] {
        place.run(&format!("convert {arguments}")).fails(&[cause]);
        assert_eq!(place.names(), names, "{arguments}");
    }
    // The same format: the same bytes, or those within gzip.
    place.run("convert again.guava f.guava --to guava64").code(0);
    assert_eq!(place.read("again.guava"), place.read("f.guava"));
    let packed = folder().join("dcso/flor_utf8_100_gz/filter.bloom.gz");
    place
        .run_args(["convert", "plain.bloom", packed.to_str().unwrap(), "--to", "dcso"], "")
        .code(0);
    let plain = fs::read(folder().join("dcso/flor_utf8_100/filter.bloom")).unwrap();
    assert_eq!(place.read("plain.bloom").len(), plain.len());
    place.run("verify plain.bloom").code(0);
}

#[cfg(feature = "parquet")]
#[test]
fn a_copy_of_a_parquet_file_gets_filters() {
    let place = Place::new();
    let file = folder().join("parquet/files/pyarrow_100.parquet");
    let file = file.to_str().unwrap();
    let columns = ["--column", "s", "--column", "i64", "--column", "f64"];
    let build = ["build", "out.parquet", file, "--to", "parquet", "--fpr", "0.1%", "--json"];
    let built = place.run_args(build.into_iter().chain(columns), "").code(0).json();
    assert_eq!((&built["row_groups"], &built["columns"][0]["as"]), (&json!(1), &json!("text")));
    for (entry, list) in [("i64", "i64_100"), ("s", "utf8_100"), ("f64", "f64_100")] {
        let keys = lines(&format!("keys/{list}.txt"));
        let input = keys.join("\n") + "\n";
        let check = ["check", "-c", "--keep-empty", "out.parquet", "--entry", entry];
        place.run_args(check, input).code(0).prints(format!("{}\n", keys.len()));
    }
    for (options, cause) in [
        ("", "name the columns that get filters with --column: "),
        ("--column nope", "no column \"nope\"; the columns are "),
        ("--column s --items 5", "--items: each row group's values are counted"),
        ("--column i64 --as int64", "--as: the column's type says"),
    ] {
        place.run(&format!("build x {file} --to parquet {options}")).fails(&[cause]);
        assert_eq!(place.names(), ["out.parquet"]);
    }
}

/// Spark's own program finds integers only as longs.
#[test]
fn every_integer_of_spark_is_a_long() {
    let place = Place::new();
    let list: String = (-50..50).map(|number| format!("{number}\n")).collect();
    place.write("list.txt", list);
    for format in ["spark1", "spark2"] {
        for form in ["int32", "int64"] {
            place
                .run(&format!("build -q {format}.{form} list.txt --to {format} --as {form}"))
                .code(0);
        }
        assert!(place.read(&format!("{format}.int32")) == place.read(&format!("{format}.int64")));
        place.run(&format!("check -c {format}.int64 -f list.txt --as int32")).prints("100\n");
    }
}

/// A rate that was asked for is no reason to warn, and few bits do not tell the rate.
#[test]
fn rates_are_judged_by_what_was_asked_for() {
    let place = Place::new();
    place.write("list.txt", (0..106).map(|number| format!("{number}\n")).collect::<String>());
    for format in ["redisbloom", "guava64"] {
        let ran = place.run(&format!("build {format} list.txt --fpr 0.999 --to {format}")).code(0);
        assert!(!ran.err.contains("overfull"), "{}", ran.err);
    }
    let out = printed(place.run("info redisbloom").code(0));
    assert!(out.contains("FPR      above "), "{out}");
}

#[test]
fn an_rdb_file_may_have_no_checksum() {
    let place = Place::new();
    let mut rdb = fs::read(folder().join("redis/rb26_rdb/dump.rdb")).unwrap();
    place.write("with", &rdb);
    let end = rdb.len() - 8;
    rdb[end..].fill(0);
    place.write("without", &rdb);
    let found = printed(place.run("verify with").code(0));
    assert!(found.contains("with: intact: "), "{found}");
    let found = printed(place.run("verify without").code(0));
    assert!(found.contains("without: well-formed: "), "{found}");
    assert!(found.contains("written without its checksum"), "{found}");
}

fn printed(ran: Ran) -> String {
    String::from_utf8(ran.out).unwrap()
}

/// The message says what to do next.
#[test]
fn messages_about_files_say_what_to_do() {
    let place = Place::new();
    fs::copy(guava(), place.join("f")).unwrap();
    place.run("info f --entry x").fails(&["--entry: f has one filter, without a name; leave it"]);
    place.run("check f --entry x -0.0").fails(&["anther check FILTER -k -0.0"]);
    place.run("info f --from cassandra:zz").fails(&["no known version of an sstable is zz", "oa"]);
    place.write("f.zst", b"\x28\xB5\x2F\xFDand so on");
    place.run("info f.zst").fails(&["decompress it first: zstd -d FILE"]);
    let header = folder().join("redis/rb26_bf_100/scandump_1.bin");
    fs::copy(header, place.join("alone_1.bin")).unwrap();
    place.run("info alone_1.bin").fails(&["NAME_ITERATOR.bin"]);
}

#[test]
fn a_refusal_names_what_the_file_is() {
    let place = Place::new();
    let sst = [&b"key\0value"[..], &[0; 40], b"\xF7\xCF\xF4\x85\xB7\x41\xE2\x88"].concat();
    place.write("a.sst", sst);
    place.write("graph", b"CGPH\x01\x01\x04\0more");
    place.write("bloom.sk", b"\x03\x01\x15\0\x05\0\0\0\0\0\0\0");
    for (name, what) in [
        ("a.sst", "a table of RocksDB (sst)"),
        ("graph", "a commit-graph of git"),
        ("bloom.sk", "a Bloom filter of DataSketches"),
    ] {
        for verb in ["info", "check -q", "add", "verify"] {
            let ran = place.run_on(&format!("{verb} {name}"), "key\n");
            assert!(ran.err.contains(what), "{verb} {name}: {}", ran.err);
        }
    }
    place.write("a.json", "{\"id\": 1}\n");
    place.run("info a.json").fails(&["a.json: is JSON", "--format json --column PATH"]);
    place.write("b.json", "[1, 2]\n");
    place.run("check b.json x").fails(&["b.json: is JSON", "jq -c"]);
    place.write("roaring", b"\x3B\x30\0\0\x01\0\0\0\x03\0");
    place.run("info roaring").fails(&["a bitmap of Roaring"]);
    // Text that is no filter keeps its advice.
    for list in ["word\n", "[Adblock Plus 2.0]\n||ads.example^\n", ";0 is first\n10.0.0.1\n"] {
        place.write("list", list);
        place.run("info list").fails(&["make one from a list with: anther build OUT IN"]);
    }
}

/// Each chunk of a SCANDUMP is a file; the size is that of the filter in all of them.
#[test]
fn the_size_of_a_chunk_is_not_that_of_the_filter() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../anther/tests/foreign/redis");
    let chunk = format!("{folder}/rb26_bf_expansion1_1000/scandump_1.bin");
    let info = Place::new().run(&format!("info {chunk} --json")).code(0).json();
    assert!(info["bytes"].is_null() && info["bits"].as_u64().unwrap() > 8000, "{info}");
}
