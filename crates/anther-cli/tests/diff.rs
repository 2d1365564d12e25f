//! `anther sketch` and `anther diff`.

use crate::support::{Place, Ran, ran};
use serde_json::json;
use std::fmt::Write as _;
use std::process::Stdio;

const KEY: &str = "636f6e666f726d616e6365206b657921\n";

/// Writes the two lists, and a sketch of the first, `theirs.txt`.
fn two_lists(options: &str) -> Place {
    let place = Place::new();
    place.write("theirs.txt", "ant\nbee\ncicada\ndragonfly\n");
    place.write("ours.txt", "earwig\ndragonfly\nbee\nbee\n\nfly\n");
    sketch(&place, &format!("theirs.txt --for 20 {options}"), "a.sketch");
    place
}

/// Writes a sketch to a file.
fn sketch(place: &Place, arguments: &str, to: &str) {
    let ran = place.run(&format!("sketch {arguments}")).code(0);
    place.write(to, ran.out);
}

#[test]
fn differing_lines_are_printed_as_diff_prints_them() {
    let place = two_lists("");
    let ran = place.run("diff ours.txt a.sketch").code(1);
    let ran = ran.prints("> ant\n> cicada\n< earwig\n< fly\n");
    let ran = ran.says(&[
        "2 lines only in ours.txt, 2 lines only in the sketch; ",
        " bytes of the sketch, ",
    ]);
    place.run_on("diff ours.txt -", place.read("a.sketch")).code(1).prints(&*ran.out);
    place.run_on("diff - a.sketch", place.read("ours.txt")).code(1).prints(&*ran.out);
    let quiet = place.run("diff -q ours.txt a.sketch").code(1);
    assert_eq!((quiet.out, quiet.err), (ran.out, String::new()));

    // Order, repeated lines, line endings and compression make no difference.
    place.write("same.txt", "dragonfly\r\ncicada\r\nbee\r\nant\r\nbee");
    let ran = place.run("diff same.txt a.sketch").code(0);
    ran.prints("").says(&["the same 4 lines; ", " bytes of the sketch, 1 symbol\n"]);
    let same = place.read("same.txt");
    place.write("same.zst", zstd_of(&same));
    place.run("diff same.zst a.sketch").code(0).prints("");

    let lines = place.run("diff ours.txt a.sketch --json").code(1).json_lines();
    assert_eq!(lines[0], json!({"side": ">", "key": "ant"}));
    assert_eq!(lines[2], json!({"side": "<", "key": "earwig"}));
    let numbers = &lines[4];
    for (name, number) in [
        ("only_list", 2),
        ("only_sketch", 2),
        ("hashes", 0),
        ("list_lines", 4),
        ("sketch_lines", 4),
    ] {
        assert_eq!(numbers[name], json!(number), "{name}");
    }
    assert!(numbers["bytes"].as_u64().unwrap() < 500 && numbers["symbols"].as_u64().unwrap() > 3);

    // Lists without a line.
    place.write("none.txt", "");
    place.run("diff none.txt a.sketch").code(1).prints("> ant\n> bee\n> cicada\n> dragonfly\n");
    sketch(&place, "none.txt --for 5", "none.sketch");
    place.run("diff none.txt none.sketch").code(0).prints("");
    place
        .run("diff theirs.txt none.sketch")
        .code(1)
        .prints("< ant\n< bee\n< cicada\n< dragonfly\n");
}

#[test]
fn too_short_a_sketch_says_what_would_do() {
    let place = Place::new();
    let list = |from: u32, to: u32| {
        (from..to).fold(String::new(), |mut text, i| {
            let _ = writeln!(text, "{i}@example.org");
            text
        })
    };
    place.write("theirs.txt", list(0, 5000));
    place.write("ours.txt", list(150, 5150));
    sketch(&place, "theirs.txt --size 2kB", "short.sketch");
    let size = place.read("short.sketch").len();
    assert!((1900..=2000).contains(&size), "{size}");
    let ran = place.run("diff ours.txt short.sketch").fails(&[
        "short.sketch: too short after ",
        " symbols: at least about ",
        " lines differ, but less than 4 kB tells little; make one of ",
    ]);
    // The advice works when pasted.
    let advice = ran.err.split("anther sketch ").nth(1).unwrap().trim();
    sketch(&place, &format!("theirs.txt {advice}"), "longer.sketch");
    let ran = place.run("diff ours.txt longer.sketch").code(1);
    assert_eq!(ran.out.iter().filter(|byte| **byte == b'\n').count(), 300);
    // A first estimate the other way round: our short sketch sizes theirs.
    sketch(&place, "ours.txt --size 2kB", "first.sketch");
    sketch(&place, "theirs.txt --against first.sketch", "enough.sketch");
    let other = place.run("diff ours.txt enough.sketch").code(1);
    assert_eq!(other.out, ran.out);
    assert!(place.read("enough.sketch").len() < 40_000);
    place.run("sketch theirs.txt --size 20").fails(&["--size", "a sketch has at least 1 kB"]);
    place.run("diff ours.txt longer.sketch --limit 3kB").fails(&[
        "longer.sketch: not decoded after 3 kB, and about ",
        " lines differ; send",
        "send the list instead, or raise --limit",
    ]);
    sketch(&place, "theirs.txt --size 5kB", "medium.sketch");
    let ran_medium = place.run("diff ours.txt medium.sketch").code(2);
    assert!(!ran_medium.err.contains("at least"), "{}", ran_medium.err);
    // To a file, it ends by itself.
    let mut command = place.command(["sketch", "theirs.txt"]);
    let file = std::fs::File::create(place.join("file.sketch")).unwrap();
    assert!(command.stdout(file).stderr(Stdio::null()).status().unwrap().success());
    assert!((40_000..80_000).contains(&place.read("file.sketch").len()));
    place.run("diff ours.txt file.sketch").code(1).prints(&*ran.out);
}

#[test]
fn long_lines_come_in_a_second_round() {
    let place = Place::new();
    let long = |name: &str| format!("{name} {}", "x".repeat(80));
    place.write("theirs.txt", format!("short\n{}\n{}\n", long("both"), long("theirs")));
    place.write("ours.txt", format!("{}\n{}\nsmall\n", long("both"), long("ours")));
    place.write("key", KEY);
    for key in ["", " --key-file key"] {
        sketch(&place, &format!("theirs.txt --for 20{key}"), "a.sketch");
        let ran = place.run(&format!("diff ours.txt a.sketch{key}")).code(1);
        let text = String::from_utf8(ran.out.clone()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..3], [&*format!("< {}", long("ours")), "> short", "< small"]);
        let hash = lines[3].strip_prefix(">hash ").expect("named as a hash");
        assert!(hash.len() == 32 && lines.len() == 4);
        ran.says(&["1 line is too long to travel whole", "--exchange", "--answer"]);
        let json = place.run(&format!("diff ours.txt a.sketch --json{key}")).code(1).json_lines();
        assert_eq!(json[3], json!({"side": ">", "hash": hash}));

        let wanted = place.run(&format!("diff ours.txt a.sketch --exchange{key}")).code(1);
        let wanted = wanted.prints(format!("{hash}\n"));
        let answer = format!("sketch theirs.txt --answer -{key}");
        place.run_on(&answer, &wanted.out).code(0).prints(format!("{}\n", long("theirs")));
        let lines = place.run_on(&format!("{answer} --json"), &wanted.out).code(0).json_lines();
        assert_eq!(lines, [json!({"hash": hash, "key": long("theirs")})]);
        let none = place.run_on(&format!("sketch ours.txt --answer -{key}"), &wanted.out).code(1);
        none.says(&["1 of 1 hashes are of no line here"]);
    }
    place
        .run_on("sketch theirs.txt --answer -", "xyz\n")
        .fails(&["standard input: line 1: not a hash"]);
    // Any limit may be chosen; a sketch of hashes has 30 bytes per symbol.
    for (whole, printed) in [("0", ">hash "), ("254", "> theirs xxx")] {
        sketch(&place, &format!("theirs.txt --for 20 --whole {whole}"), "w.sketch");
        let ran = place.run("diff ours.txt w.sketch").code(1);
        assert!(String::from_utf8_lossy(&ran.out).contains(printed), "{whole}");
    }
    place.run("sketch theirs.txt --whole 255").fails(&["--whole"]);
}

#[test]
fn the_sketch_says_what_is_compared() {
    let place = Place::new();
    place.write("theirs.csv", "id,mail\n1,Ann@example.org\n2,bob@example.org\n3,cy@example.org\n");
    place.write("ours.txt", "ann@example.org\ndan@example.org\nBOB@example.org\n");
    sketch(&place, "theirs.csv --column mail -i --for 10", "a.sketch");
    // The list is laid out in another way, which only its own options can tell.
    let ran = place.run("diff ours.txt a.sketch --format lines").code(1);
    ran.prints("> cy@example.org\n< dan@example.org\n");
    place.run("diff theirs.csv a.sketch").code(0).prints("");
    place.run("diff ours.txt a.sketch").fails(&["ours.txt: ", "mail"]);
    place.run("diff theirs.csv a.sketch --trim").fails(&[
        "a.sketch: --trim contradicts the sketch, whose keys are ",
        "make the sketch with it",
    ]);
    sketch(&place, "ours.txt --for 10", "plain.sketch");
    place
        .run("sketch theirs.csv --column mail -i --against plain.sketch")
        .fails(&["plain.sketch: "]);
    place.run("sketch ours.txt --as int").fails(&["--as int: lists are compared as text"]);
    place.run("sketch theirs.csv --column 1 --column 2").fails(&["--column: "]);

    place.write("hex.txt", "CAFE\n0102\n");
    sketch(&place, "hex.txt --as hex --for 10", "hex.sketch");
    place.run_on("diff - hex.sketch", "cafe\nff\n").code(1).prints("> 0102\n< ff\n");
    place.write("nul", b"a\nb\0c\0");
    sketch(&place, "nul -0 --for 10", "nul.sketch");
    place.run_on("diff - nul.sketch", b"c\0d\0").code(1).prints(b"> a\nb\0< d\0");
    place.write("quoted.csv", "\"two\nlines\",1\n");
    sketch(&place, "quoted.csv --column 1 --for 10", "quoted.sketch");
    place.run_on("diff - quoted.sketch", "").code(1).prints("> two\\nlines\n");
}

#[test]
fn keyed_sketches_take_their_key() {
    let place = Place::new();
    place.write("key", KEY);
    place.write("other", "00000000000000000000000000000000\n");
    place.write("list.txt", "a\nb\n");
    sketch(&place, "list.txt --for 5 --key-file key", "k.sketch");
    place.run_on("diff - k.sketch --key-file key", "a\n").code(1).prints("> b\n");
    place
        .run("diff list.txt k.sketch")
        .fails(&["k.sketch: is keyed and needs its secret key", "--key-file"]);
    place
        .run("diff list.txt k.sketch --key-file other")
        .fails(&["k.sketch: this is not the secret key that the sketch was made with"]);
    sketch(&place, "list.txt --for 5", "open.sketch");
    place
        .run("diff list.txt open.sketch --key-file key")
        .fails(&["open.sketch: is not keyed; leave --key-file out"]);
    let mut command = place.command(["diff", "list.txt", "k.sketch"]);
    assert!(command.env("ANTHER_KEY", KEY.trim()).status().unwrap().success());
    // So does a new sketch, also from a file that the environment names.
    for (name, value) in [("ANTHER_KEY", KEY.trim()), ("ANTHER_KEY_FILE", "key")] {
        let made = ran_with(&place, "sketch list.txt --for 5", name, value).code(0);
        place.write("env.sketch", &made.out);
        place.run("diff list.txt env.sketch").fails(&["env.sketch: is keyed"]);
        place.run("diff list.txt env.sketch --key-file key").code(0);
        ran_with(&place, "diff list.txt env.sketch", name, value).code(0);
        // A sketch that is not keyed needs none.
        ran_with(&place, "diff list.txt open.sketch", name, value).code(0);
    }
    for (name, value) in [("ANTHER_KEY", "12"), ("ANTHER_KEY_FILE", "none")] {
        let named = if value == "none" { value } else { name };
        ran_with(&place, "sketch list.txt --for 5", name, value).fails(&[named]);
        ran_with(&place, "diff list.txt k.sketch", name, value).fails(&[named]);
    }
    // The second round takes the key, too.
    sketch(&place, "list.txt --against k.sketch --key-file key", "again.sketch");
    place.run("sketch list.txt --against k.sketch").fails(&["k.sketch: is keyed"]);
}

fn ran_with(place: &Place, arguments: &str, name: &str, value: &str) -> Ran {
    let mut command = place.command(arguments.split_whitespace());
    command.env(name, value).stdin(Stdio::null());
    ran(command)
}

#[test]
fn options_and_help_are_those_that_work() {
    let place = Place::new();
    place.write("list.txt", "a\n\nb\n");
    sketch(&place, "list.txt --for 5", "a.sketch");
    place.run("sketch list.txt --keep-empty").fails(&["--keep-empty: a sketch leaves blank lines"]);
    place.run("diff list.txt a.sketch --keep-empty").fails(&["--keep-empty: a sketch leaves"]);
    place.run("diff list.txt a.sketch").code(0).prints("");
    for verb in ["sketch", "diff"] {
        let help = String::from_utf8(place.run(&format!("{verb} --help")).code(0).out).unwrap();
        assert!(help.contains("text, hex, domain, email or url"), "{help}");
        for not in ["int64", "Several columns", "--keep-empty"] {
            assert!(!help.contains(not), "{not}: {help}");
        }
    }
}

#[test]
fn what_is_no_sketch_is_refused() {
    let place = two_lists("");
    place.run("diff ours.txt none.sketch").fails(&["none.sketch: no such file", "anther sketch"]);
    place.run("diff none.txt a.sketch").fails(&["none.txt: no such file"]);
    place.run("diff ours.txt theirs.txt").fails(&["theirs.txt: not a sketch"]);
    place.run("diff ours.txt -").fails(&["standard input: not a sketch"]);
    place.run_on("diff - -", "").fails(&["standard input: cannot be both"]);
    place.run("sketch none.txt").fails(&["none.txt: no such file"]);
    let whole = place.read("a.sketch");
    for end in [1, 20, 60] {
        place.write("cut.sketch", &whole[..end]);
        place.run("diff ours.txt cut.sketch").fails(&["cut.sketch: truncated after "]);
    }
    for at in [20, 60, 90] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        place.write("bad.sketch", bytes);
        place.run("diff ours.txt bad.sketch").fails(&["bad.sketch: checksum mismatch in the "]);
    }
    place.run("check a.sketch ant").fails(&["a.sketch: "]);
    place.run("info a.sketch").code(0);
}

/// The lists of the measurement: a million lines of 36 to 64 bytes, and 100 differences.
fn million(place: &Place) -> (String, String) {
    let line = |i: u64| {
        let id = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let rest = &"/archive/2026/november/index.html"
            [..usize::try_from((id >> 59) % 29).expect("small")];
        format!("https://host{:03}.example.org/{:08x}{rest}\n", id >> 20 & 511, id >> 32)
    };
    let list = |from: u64| (from..from + 1_000_000).map(line).collect::<String>();
    let (theirs, ours) = (list(0), list(50));
    place.write("theirs.txt", &theirs);
    place.write("ours.txt", &ours);
    (theirs, ours)
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("compressed")
}

/// The promise: at most 16 kB over a pipe between two processes, both directions, all found. The
/// numbers are those of the table in docs/cookbook.md.
#[test]
fn a_hundred_differences_in_a_million_lines_take_16_kb() {
    let place = Place::new();
    let (theirs, ours) = million(&place);
    assert!(theirs.lines().all(|line| line.len() <= 64));
    let mut taken = Vec::new();
    for (from, to) in [("theirs.txt", "ours.txt"), ("ours.txt", "theirs.txt")] {
        let mut sender = place.command(["sketch", from]);
        let mut sender = sender.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut diff = place.command(["diff", to, "-"]);
        let pipe = sender.stdout.take().unwrap();
        let ended = diff.stdin(pipe).output().unwrap();
        // The pipe's other end must be ours no more, or the sender would not notice.
        drop(diff);
        let sent = written(sender.id());
        let sender = sender.wait_with_output().unwrap();
        assert_eq!((sender.status.code(), &sender.stderr[..]), (Some(0), &b""[..]), "quiet");
        let ran = Ran {
            code: ended.status.code().unwrap(),
            out: ended.stdout,
            err: String::from_utf8(ended.stderr).unwrap(),
        }
        .code(1);
        let (sent_list, own_list) =
            if from == "theirs.txt" { (&theirs, &ours) } else { (&ours, &theirs) };
        let expected = |list: &String, other: &String, sign| {
            let other: std::collections::HashSet<&str> = other.lines().collect();
            let only = list.lines().filter(|line| !other.contains(line));
            only.map(|line| (line.to_string(), sign)).collect::<Vec<_>>()
        };
        let mut all = expected(sent_list, own_list, '>');
        all.extend(expected(own_list, sent_list, '<'));
        assert_eq!(all.len(), 100);
        all.sort();
        let all: String = all.iter().map(|(line, sign)| format!("{sign} {line}\n")).collect();
        let ran = ran.prints(all);
        let bytes = ran.err.split("; ").nth(1).and_then(|text| text.split(' ').next()).unwrap();
        let bytes: usize = bytes.replace(',', "").parse().unwrap();
        assert!(bytes <= 16_000, "{bytes} bytes were needed");
        if cfg!(target_os = "linux") {
            let sent = sent.expect("the system counts");
            assert!((bytes..=16_000).contains(&sent), "{bytes} bytes were needed, {sent} sent");
        }
        taken.push(bytes);
    }

    let zstd = zstd_of(theirs.as_bytes()).len();
    let sizes = [theirs.len(), zstd, 8 * 1_000_000, taken[0]];
    println!("list, zstd, hashes, sketch: {sizes:?}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cookbook.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (name, size) in ["The list", "zstd", "hashes", "sketch"].into_iter().zip(sizes) {
        let row = page.lines().find(|row| row.starts_with('|') && row.contains(name));
        let row = row.unwrap_or_else(|| panic!("no row for {name}"));
        let stated: f64 = row.split('|').nth(2).unwrap().trim().replace(',', "").parse().unwrap();
        assert!((stated / size as f64 - 1.0).abs() < 0.05, "{name}: {stated} is {size} by now");
    }
}

/// Bytes that a process has written, once it has ended and nobody has waited for it.
fn written(process: u32) -> Option<usize> {
    for _ in 0..600 {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        if status.rsplit(')').next()?.trim_start().starts_with('Z') {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let text = std::fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}

/// A list that cannot be read is an error of the sender; what came before is no sketch of it.
#[test]
fn an_unreadable_list_is_no_empty_one() {
    let place = Place::new();
    place.write("bad.gz", b"\x1f\x8b\x08\x00garbage");
    let ran = place.run("sketch bad.gz --for 5");
    assert_eq!(ran.code, 2);
    place.write("bad.sketch", ran.out);
    place.run("diff bad.gz bad.sketch").fails(&["bad.gz: "]);
    place.write("a.txt", "a\n");
    place.run("diff a.txt bad.sketch").fails(&["bad.sketch: truncated after 48 bytes"]);
}
