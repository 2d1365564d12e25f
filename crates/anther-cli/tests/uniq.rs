//! `uniq`: each mode against a model that keeps the lines themselves.

use crate::support::{Place, exit_code, ran, signal, until};
use anther::units;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Random lines, of which many are the same: blank ones, long ones, any bytes but line endings.
fn random_lines(seed: u64, count: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let mut lines = Vec::new();
    for _ in 0..count {
        let mut line = Random(random.below(count / 2 + 1) + seed * 1_000_003);
        let len = match line.below(100) {
            0..5 => 0,
            5..95 => line.below(40),
            _ => line.below(9000),
        };
        let byte = |byte: u64| u8::try_from(byte).expect("a byte").max(14);
        lines.push((0..len).map(|_| byte(line.below(256))).collect());
    }
    lines
}

fn text(lines: &[impl AsRef<[u8]>]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_ref(), b"\n"].concat()).collect()
}

/// Each line once, in the order of the input.
fn firsts<T: AsRef<[u8]>>(lines: &[T]) -> Vec<&[u8]> {
    let mut seen = HashSet::new();
    lines.iter().map(AsRef::as_ref).filter(|line| seen.insert(*line)).collect()
}

fn numbers(range: Range<u64>) -> Vec<String> {
    range.map(|number| format!("line {number}")).collect()
}

fn summary(err: &str) -> Value {
    serde_json::from_str(err.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn each_line_passes_once_in_order() {
    let place = Place::new();
    for (seed, count) in [(1, 0), (2, 1), (3, 10), (4, 1000), (5, 60_000)] {
        let lines = random_lines(seed, count);
        let expected = text(&firsts(&lines));
        for mode in ["", "--memory 40MB", "--fpr 1e-12", "--window 1M", "--ttl 1h"] {
            place.run_on(&format!("uniq {mode}"), text(&lines)).code(0).prints(&expected);
        }
    }
}

#[test]
fn inputs_are_files_of_any_packing_and_lines_that_lack_an_end() {
    let place = Place::new();
    place.write("a.txt", "x\ny");
    place.write("b.txt", "y\r\nz\n\n\nx");
    place.run("uniq a.txt b.txt").code(0).prints("x\ny\nz\n\n");
    assert_eq!(place.run("uniq a.txt b.txt -q").code(0).err, "");
    place.run_on("uniq a.txt - -0", "x\0y\0x").code(0).prints("x\ny\0x\0y\0");
    let zstd = zstd_of(b"p\nq\np\n");
    place.write("c.zst", zstd);
    place.run("uniq c.zst a.txt").code(0).prints("p\nq\nx\ny\n");
    place.run("uniq none.txt").fails(&["none.txt: no such file"]);
    place.run("uniq - -").fails(&["standard input can be read once"]);
    place.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    place.run("uniq picture.png").fails(&["picture.png: "]);
}

/// Outputs can be appended, as awk's can.
#[test]
fn the_last_line_ends_even_if_that_of_the_input_does_not() {
    let place = Place::new();
    for (options, expected) in [
        ("", "a\nb\n"),
        ("--memory 40MB", "a\nb\n"),
        ("--fpr 1%", "a\nb\n"),
        ("--state s", "a\nb\n"),
        ("-c", "2\ta\n1\tb\n"),
        ("-u", "b\n"),
    ] {
        place.run_on(&format!("uniq {options}"), "a\na\nb").code(0).prints(expected);
    }
    place.run_on("uniq -d", "b\na\na").code(0).prints("a\n");
    place.run_on("uniq -0", "a\0b").code(0).prints("a\0b\0");
    place.run_on("uniq --column x", "x,y\n1,2").code(0).prints("x,y\n1,2\n");
    place.run_on("uniq --format records:2", "aabbaa").code(0).prints("aabb");
}

/// Before `main`, the runtime opens /dev/null in place of a closed descriptor.
#[cfg(target_os = "linux")]
#[test]
fn closed_standard_streams_are_errors() {
    let place = Place::new();
    place.write("in.txt", "x\n");
    let shell = |script: &str| {
        let script = script.replace("anther", env!("CARGO_BIN_EXE_anther"));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path());
        ran(command)
    };
    for output in [">&-", "1< /dev/null"] {
        for mode in ["--state s", "--memory 40MB", "-c", "--json"] {
            let ran = shell(&format!("anther uniq {mode} in.txt {output}"));
            ran.code(2).says(&["standard output: cannot write: it is closed"]);
        }
        // Nothing to write is no error.
        shell(&format!("anther uniq /dev/null {output}")).code(0);
        shell(&format!("anther sketch in.txt {output}")).code(2).says(&["standard output"]);
    }
    place.run("uniq --state s in.txt").code(0).prints("x\n");
    for input in ["<&-", "0> out.txt"] {
        shell(&format!("anther uniq {input}")).fails(&["standard input: ", "is closed or not"]);
        shell(&format!("anther diff in.txt - {input}")).fails(&["standard input: ", "is closed"]);
    }
    for discarded in ["> /dev/null", "1<> /dev/null"] {
        shell(&format!("anther uniq in.txt {discarded}")).code(0).says(&["1 passed"]);
    }
    shell("anther uniq < /dev/null").code(0).says(&["0 lines read"]);
}

#[cfg(unix)]
#[test]
fn a_state_is_a_regular_file() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.join("pipe")).status();
    assert!(made.expect("it runs").success());
    place.run_on("uniq --state pipe", "x\n").fails(&["pipe: not a regular file"]);
    std::os::unix::fs::symlink("none", place.join("link")).unwrap();
    place.run_on("uniq --state link", "x\n").fails(&["link: is a symlink to a file that does not"]);
    place.run_on("uniq --state none", "x\n").code(0).prints("x\n");
    place.run_on("uniq --state link", "x\ny\n").code(0).prints("y\n");
    assert!(fs::symlink_metadata(place.join("link")).unwrap().is_symlink());
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("packed")
}

#[test]
fn keys_are_columns_and_the_line_is_printed() {
    let place = Place::new();
    place.write("a.csv", "id,name\n1,a\n2,b\n1,c\n");
    place.write("b.csv", "id,name\n3,\"d\ne\"\n2,f\n");
    place.run("uniq --column id a.csv b.csv").code(0).prints("id,name\n1,a\n2,b\n3,\"d\ne\"\n");
    let json = "{\"u\":{\"id\":7},\"n\":1}\n{\"n\":2,\"u\":{\"id\":7}}\n{\"u\":{\"id\":8}}\n";
    place
        .run_on("uniq --format json --column u.id", json)
        .code(0)
        .prints("{\"u\":{\"id\":7},\"n\":1}\n{\"u\":{\"id\":8}}\n");
    place.run_on("uniq -i", "A\na\nB\n").code(0).prints("A\nB\n");
    place.run_on("uniq --trim --as int", "7\n 07\n8\n").code(0).prints("7\n8\n");
    place.run_on("uniq --as int", "7\nx\n8\n").code(2).prints("7\n").says(&["line 2"]);
    let ran = place.run_on("uniq --as int --skip-malformed", "7\nx\n7\n").code(0).prints("7\n");
    ran.says(&["2 lines read, 1 passed", "1 malformed record left out"]);
    let counted = place.run("uniq -c --column id a.csv b.csv").code(0);
    counted.prints("id,name\n2\t1,a\n2\t2,b\n1\t3,\"d\ne\"\n");
}

#[test]
fn counts_repetitions_and_single_lines_come_at_the_end() {
    let place = Place::new();
    for (seed, count) in [(11, 0), (12, 3), (13, 2000), (14, 60_000)] {
        let lines = random_lines(seed, count);
        let mut counts: HashMap<&[u8], u64> = HashMap::new();
        lines.iter().for_each(|line| *counts.entry(line).or_default() += 1);
        let firsts = firsts(&lines);
        let print = |is_wanted: fn(u64) -> bool, with_count: bool| -> Vec<u8> {
            let wanted = firsts.iter().filter(|line| is_wanted(counts[**line]));
            let line = |line: &&[u8]| match with_count {
                true => [format!("{}\t", counts[*line]).as_bytes(), line, b"\n"].concat(),
                false => [line, &b"\n"[..]].concat(),
            };
            wanted.flat_map(line).collect()
        };
        let input = text(&lines);
        for (options, expected) in [
            ("-c", print(|_| true, true)),
            ("-d", print(|count| count > 1, false)),
            ("-u", print(|count| count == 1, false)),
            ("-cd", print(|count| count > 1, true)),
            ("-cu", print(|count| count == 1, true)),
            ("-c --memory 40MB", print(|_| true, true)),
        ] {
            place.run_on(&format!("uniq {options}"), &input).code(0).prints(&expected);
        }
    }
    place.run_on("uniq -c", "b\na\nb").code(0).prints("2\tb\n1\ta\n");
}

#[test]
fn lines_of_another_file_are_dropped() {
    let place = Place::new();
    place.write("old.txt", "b\nd\n");
    place.write("older.txt", "e");
    for (mode, expected) in [
        ("", "a\nc\n"),
        ("--memory 40MB", "a\nc\n"),
        ("--fpr 1%", "a\nc\n"),
        ("--window 10", "a\nc\n"),
        ("--ttl 1d", "a\nc\n"),
        ("-c", "2\ta\n1\tc\n"),
        ("-d", "a\n"),
        ("-u", "c\n"),
    ] {
        let options = format!("uniq {mode} --minus old.txt --minus older.txt");
        place.run_on(&options, "a\nb\nc\nd\na\ne\n").code(0).prints(expected);
    }
    // What another file has is not remembered.
    place.run_on("uniq --minus old.txt --state s", "a\nb\n").code(0).prints("a\n");
    place.run_on("uniq --state s", "a\nb\n").code(0).prints("b\n");
    place.run("uniq --minus none.txt").fails(&["none.txt: no such file"]);
}

/// More lines than the memory holds: most pass at once, none twice, and none is lost.
#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_is_kept_and_the_result_is_exact() {
    let place = Place::new();
    let mut random = Random(77);
    // 8,000,000 lines, of which about 5,000,000 are different: so many that the filter takes some for old.
    let lines: Vec<u64> = (0..8_000_000).map(|_| random.below(8_000_000)).collect();
    let mut input = Vec::new();
    lines.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    place.write("in.txt", &input);
    let mut command = place.command("uniq --memory 40MB --temp . in.txt".split_whitespace());
    command.stdin(Stdio::null()).stdout(fs::File::create(place.join("out")).unwrap());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(&child).unwrap_or(0));
        thread::sleep(Duration::from_millis(2));
    }
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(peak > 0 && peak <= 40_000_000, "{peak} bytes");

    let mut first: HashMap<u64, u64> = HashMap::new();
    for (at, line) in (1..).zip(&lines) {
        first.entry(*line).or_insert(at);
    }
    let out = String::from_utf8(place.read("out")).unwrap();
    let printed: Vec<u64> = out.lines().map(|line| first[&line.parse().unwrap()]).collect();
    let mut expected: Vec<u64> = first.into_values().collect();
    expected.sort_unstable();
    let mut sorted = printed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted.len(), expected.len());
    assert!(sorted == expected, "each line once, and that the first of its kind");
    // Two rising rows: what passed at once, and what came at the end.
    let falls = printed.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert_eq!(falls, 1, "the rest follows in the order of the input");
    let at_once = printed.windows(2).position(|pair| pair[0] > pair[1]).unwrap() + 1;
    let late = printed.len() - at_once;
    assert!(late < printed.len() / 10, "{late}");
    assert!(err.contains(&format!(", {} of them at the end", units::count(late as u64))), "{err}");
}

/// The most memory so far, without the pages of the program's own file: those of a test build with all
/// features are 10 MB.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let kilobytes = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some(kilobytes("VmHWM:")?.saturating_sub(kilobytes("RssFile:")?) * 1024)
}

/// A million lines: the whole program, with its buffers, in less than 20 bytes per line.
#[cfg(target_os = "linux")]
#[test]
fn a_distinct_line_takes_few_bytes() {
    let place = Place::new();
    let most = |options: &str| {
        let mut child = place
            .command(format!("uniq {options}").split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for start in (0..2_000_000).step_by(100_000) {
            input.write_all(&text(&numbers(start..start + 100_000))).unwrap();
        }
        // More than the pipe and the queues hold: then all lines before are in.
        input.write_all(&b"the same\n".repeat(1 << 20)).unwrap();
        let peak = peak_memory(&child).unwrap();
        drop(input);
        assert_eq!(exit_code(&mut child), 0);
        peak
    };
    let exact = most("");
    assert!(exact < 2_000_000 * 9 + 15_000_000, "{exact}");
    let short = most("--fpr 1e-3");
    assert!(short < exact - 2_000_000 * 3, "{short}, not much less than {exact}");
}

#[test]
fn the_share_of_wrong_drops_is_kept() {
    let place = Place::new();
    let lines = numbers(0..300_000);
    let ran = place.run_on("uniq --fpr 50%", text(&lines)).code(0);
    let passed = ran.out.iter().filter(|byte| **byte == b'\n').count();
    assert!(passed > 150_000, "{passed}");
    assert!(ran.err.contains("at most 50 % of new lines dropped wrongly"), "{}", ran.err);
    for wrong in ["0", "-1", "2", "1e-30"] {
        place.run_on(&format!("uniq --fpr={wrong}"), "x").fails(&["--fpr"]);
    }
}

#[test]
fn a_window_forgets_what_is_older() {
    let place = Place::new();
    // Of the latest 100 lines all are known, and after 200 others nothing is.
    let near: Vec<_> = numbers(0..100).into_iter().chain(numbers(0..100)).collect();
    place.run_on("uniq --window 100", text(&near)).code(0).prints(text(&numbers(0..100)));
    let far: Vec<_> = numbers(0..1000).into_iter().chain(numbers(0..1000)).collect();
    let ran = place.run_on("uniq --window 100", text(&far)).code(0).prints(text(&far));
    ran.says(&["at most 1e-6 of new lines dropped wrongly"]);
    place.run_on("uniq --window 0", "x").fails(&["--window"]);
}

/// A line is dropped if it is among the latest N that were passed, and passes again after twice N,
/// for every N and every rate.
#[test]
fn a_window_of_any_size_forgets_after_twice_as_many() {
    let place = Place::new();
    for (lines, options) in
        [(1, ""), (2, ""), (3, ""), (5, ""), (40, ""), (64, "--state s"), (5000, "--fpr 1e-12")]
    {
        let run = |range: Range<u64>, again: Range<u64>| {
            let input = [numbers(range), numbers(again)].concat();
            let _ = fs::remove_file(place.join("s"));
            place.run_on(&format!("uniq --window {lines} {options}"), text(&input)).code(0)
        };
        // The first line again, when it is the oldest in the window.
        run(0..lines, 0..1).prints(text(&numbers(0..lines)));
        // It is no longer among twice as many.
        let twice = 2 * lines + 1;
        let expected = [numbers(0..twice), numbers(0..1)].concat();
        run(0..twice, 0..1).prints(text(&expected));
    }
    // The state has the order of the lines, too.
    place.run_on("uniq --window 3 --state t", "a\nb\nc\nd\n").code(0).prints("a\nb\nc\nd\n");
    place.run_on("uniq --window 3 --state t", "b\ne\nf\ng\n").code(0).prints("e\nf\ng\n");
    place.run_on("uniq --window 3 --state t", "a\ng\n").code(0).prints("a\n");
}

#[test]
fn a_plain_list_of_keys_is_subtracted_from_a_table() {
    let place = Place::new();
    place.write("orders.csv", "id,what\n1,a\n2,b\n3,c\n2,d\n");
    place.write("ids.txt", "2\n9\n");
    for mode in ["", "--memory 40MB"] {
        let run = |options: &str| place.run(&format!("uniq {mode} orders.csv {options}"));
        run("--column id --minus-keys ids.txt").code(0).prints("id,what\n1,a\n3,c\n");
        run("--column 1 --header --minus-keys ids.txt").code(0).prints("id,what\n1,a\n3,c\n");
        run("--column id --minus ids.txt").fails(&["ids.txt: ", "\"id\"", "--minus-keys"]);
        run("--column id --column what --minus-keys ids.txt").fails(&["--minus-keys: ", "--minus"]);
    }
    let json = "{\"id\":1}\n{\"id\":2}\n{\"id\":\"1\"}\n";
    place
        .run_on("uniq --format json --column id --minus-keys ids.txt", json)
        .code(0)
        .prints("{\"id\":1}\n");
}

#[test]
fn another_header_row_brings_a_warning() {
    let place = Place::new();
    place.write("a.csv", "id,name\n1,a\n");
    place.write("b.csv", "name,id\nb,2\nc,1\n");
    let ran = place.run("uniq -q --column id a.csv b.csv").code(0);
    ran.prints("id,name\n1,a\nname,id\nb,2\n").says(&["warning: b.csv: has another header row"]);
    assert_eq!(place.run("uniq -q --column id a.csv a.csv").code(0).err, "");
}

#[test]
fn a_time_forgets_what_is_older() {
    let place = Place::new();
    let mut child = place
        .command(["uniq", "--ttl", "1500ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let start = Instant::now();
    input.write_all(b"x\ny\nx\n").unwrap();
    assert_eq!(output.next().unwrap().unwrap(), "x");
    assert_eq!(output.next().unwrap().unwrap(), "y");
    // The line is repeated until it passes again: after the time, and before twice the time and
    // what the program may have waited for the processor.
    let sender = thread::spawn(move || {
        while input.write_all(b"x\n").is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
    });
    assert_eq!(output.next().unwrap().unwrap(), "x");
    let passed = start.elapsed();
    assert!(passed >= Duration::from_millis(1400), "{passed:?}");
    assert!(passed < Duration::from_secs(30), "{passed:?}");
    signal("TERM", child.id());
    assert_eq!(exit_code(&mut child), 143);
    sender.join().unwrap();
    for wrong in ["10", "0s", "x", "9999999d"] {
        place.run_on(&format!("uniq --ttl {wrong}"), "x").fails(&["--ttl"]);
    }
}

#[test]
fn json_has_lines_and_a_summary() {
    let place = Place::new();
    let ran = place.run_on("uniq --json", b"x\ny\nx\n\xff\n").code(0);
    let lines = ran.json_lines();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[1]["line"], &lines[1]["record"]), (&2.into(), &"y".into()));
    assert_eq!(lines[2]["bytes_hex"], "ff");
    let summary = summary(&ran.err);
    assert_eq!((&summary["read"], &summary["passed"]), (&4.into(), &3.into()));
    let chance = summary["wrong_drop_chance"].as_f64().unwrap();
    assert!((chance / (9.0 / 2f64.powi(65)) - 1.0).abs() < 1e-9, "{chance}");
    let ran = place.run_on("uniq -c --json", "x\ny\nx\n").code(0);
    assert_eq!(ran.json_lines()[0]["count"], 2);
    let ran = place.run_on("uniq --fpr 1% --json", "x\n").code(0);
    assert_eq!(self::summary(&ran.err)["wrong_drop_share"], 0.01);
    assert_eq!(place.run_on("uniq --json -q", "x\n").code(0).err, "");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let place = Place::new();
    for (options, named) in [
        ("-d -u", "--unique"),
        ("--memory 1GB --fpr 1%", "--fpr"),
        ("--memory 1GB --state s", "--state"),
        ("--window 5 --ttl 5s", "--ttl"),
        ("-c --window 5", "--window"),
        ("-c --state s", "--state"),
        ("--memory 1MB", "--memory: at least 40 MB are needed"),
        ("--temp .", "--temp: only --memory"),
        ("--state folder", "folder: not a regular file"),
        ("--state none/s", "none"),
        ("--checkpoint 1s", "--state"),
        ("--minus-keys ids.txt", "--column"),
        ("--state folder/state folder/state", "folder/state: is both the state and an input"),
        ("--state folder/state --minus folder/state", "folder/state: is both"),
        ("--memory 1GB --temp none -c", "none: no such folder"),
    ] {
        place.write("folder/file", "");
        place.write("folder/state", "");
        let ran = place.run_on(&format!("uniq {options}"), text(&numbers(0..50_000))).code(2);
        assert!(ran.err.contains(named), "{options}: {}", ran.err);
    }
}

#[test]
fn a_state_goes_on_where_the_last_run_stopped() {
    for mode in ["", "--fpr 1e-9", "--window 100k", "--ttl 1h", "-i --trim"] {
        let place = Place::new();
        let run = |range| place.run_on(&format!("uniq --state s {mode}"), text(&numbers(range)));
        run(0..1000).code(0).prints(text(&numbers(0..1000)));
        run(500..3000).code(0).prints(text(&numbers(1000..3000)));
        run(0..3000).code(0).prints("");
        run(0..70_000).code(0).prints(text(&numbers(3000..70_000)));
        assert_eq!(place.names(), ["s"], "no other file");
    }
}

#[test]
fn a_state_of_other_options_or_of_others_is_never_used() {
    let place = Place::new();
    place.run_on("uniq --state s", "x\n").code(0);
    let good = place.read("s");
    for (options, named) in [
        ("--fpr 1%", "--fpr, --window or --ttl"),
        ("--window 10", "--fpr, --window or --ttl"),
        ("-i", "--as, --ignore-case or --trim"),
        ("--column 1", "--column"),
        ("--key-file key", "--key-file"),
    ] {
        place.write("key", "000102030405060708090a0b0c0d0eff");
        let ran = place.run_on(&format!("uniq --state s {options}"), "y\n");
        ran.fails(&["s: was made with other options", named]);
        assert_eq!(place.read("s"), good);
    }
    place.run_on("uniq --state t --key-file key", "x\n").code(0).prints("x\n");
    place.run_on("uniq --state t --key-file key", "x\ny\n").code(0).prints("y\n");
    place.run_on("uniq --state t", "x\n").fails(&["t: was made with other options", "--key-file"]);
    for foreign in [&b"a list\nof lines\n"[..], b"", b"\x89PNG\r\n\x1a\n", &good[..7]] {
        place.write("s", foreign);
        place.run_on("uniq --state s", "y\n").fails(&["s: not a state file of anther uniq"]);
        assert_eq!(place.read("s"), foreign, "it is left alone");
    }
    let mut newer = good.clone();
    newer[8] = 2;
    place.write("s", &newer);
    place.run_on("uniq --state s", "y\n").fails(&["s: ", "version 2", "update"]);
}

/// State files of version 1, frozen in `tests/golden`: a release that cannot read them gives its own
/// another version. With `ANTHER_NEW_GOLDEN=1`, makes those that are missing; nothing overwrites one.
#[test]
fn a_frozen_state_is_read_with_the_same_answers() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for (name, mode) in [
        ("all", ""),
        ("fpr", "--fpr 1e-9"),
        ("window", "--window 1000"),
        ("window-exact", "--window 1000 --fpr 1e-15"),
        ("ttl", "--ttl 30000d --fpr 10%"),
        ("rule", "-i --trim --column 2 --delimiter ;"),
        ("keyed", "--key-file key"),
    ] {
        let (place, file) = (Place::new(), golden.join(format!("uniq-{name}.state")));
        place.write("key", "000102030405060708090a0b0c0d0eff");
        let lines = |range: Range<u64>, case: &str| -> Vec<String> {
            let line = |number| match name {
                "rule" => format!("{number};{case} {number} "),
                _ => format!("line {number}"),
            };
            range.map(line).collect()
        };
        let run = |lines: &[String]| place.run_on(&format!("uniq --state s {mode}"), text(lines));
        if std::env::var_os("ANTHER_NEW_GOLDEN").is_some() && !file.exists() {
            run(&lines(0..200, "line")).code(0);
            fs::create_dir_all(&golden).unwrap();
            fs::copy(place.join("s"), &file).unwrap();
        }
        let frozen = fs::read(&file).unwrap_or_default();
        assert!(!frozen.is_empty(), "{name}: no golden file yet; ANTHER_NEW_GOLDEN=1 makes it");
        assert_eq!(frozen[8..12], [1, 0, 0, 0], "{name}: of version 1");
        place.write("s", &frozen);
        run(&lines(0..300, "LINE")).code(0).prints(text(&lines(200..300, "LINE")));
        run(&lines(0..300, "line")).code(0).prints("");
    }
}

/// Every byte matters, and every length.
#[test]
fn a_damaged_state_is_never_used() {
    let place = Place::new();
    for mode in ["", "--window 20", "--ttl 1h"] {
        let run = |input: &str| place.run_on(&format!("uniq --state s {mode}"), input);
        run("x\ny\nz\n").code(0);
        let good = place.read("s");
        let step = good.len() / 150 + 1;
        for at in (0..good.len()).step_by(step) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            place.write("s", &bad);
            run("y\n").fails(&["s: "]);
            assert_eq!(place.read("s"), bad);
            place.write("s", &good[..at]);
            run("y\n").fails(&["s: "]);
        }
        place.write("s", [&good[..], b"x"].concat());
        run("y\n").fails(&["s: the state file is corrupt"]);
        place.write("s", &good);
        run("y\nw\n").code(0).prints("w\n");
        fs::remove_file(place.join("s")).unwrap();
    }
}

/// A run whose input stays open, and that has passed these lines.
fn running(place: &Place, arguments: &str, input: &[u8], lines: usize) -> Running {
    let mut child = place
        .command(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("it runs");
    stdin.write_all(input).expect("it runs");
    let mut output = BufReader::new(child.stdout.take().expect("it runs"));
    let mut passed = Vec::new();
    for _ in 0..lines {
        output.read_until(b'\n', &mut passed).expect("it runs");
    }
    Running { child, stdin, output, passed }
}

struct Running {
    child: Child,
    stdin: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    passed: Vec<u8>,
}

#[cfg(unix)]
#[test]
fn a_second_process_is_told_to_wait() {
    let place = Place::new();
    let first = running(&place, "uniq --state s --checkpoint 100ms", b"x\n", 1);
    place.run_on("uniq --state s", "x\n").fails(&["s: is in use by another process"]);
    // Also after the file was replaced.
    let old = place.read("s");
    until("a checkpoint", || (place.read("s") != old).then_some(()));
    place.run_on("uniq --state s", "x\n").fails(&["s: is in use by another process"]);
    let Running { mut child, stdin, .. } = first;
    drop(stdin);
    assert_eq!(exit_code(&mut child), 0);
    place.run_on("uniq --state s", "x\ny\n").code(0).prints("y\n");
}

/// Killed at random times: of all runs together, no line is lost. What was saved does not repeat.
#[cfg(unix)]
#[test]
fn after_a_kill_no_line_is_lost() {
    let place = Place::new();
    let mut random = Random(5);
    let mut passed: HashSet<Vec<u8>> = HashSet::new();
    for round in 0..12u64 {
        let lines = numbers(round * 2000..round * 2000 + 4000);
        let Running { mut child, mut stdin, mut output, .. } =
            running(&place, "uniq --state s --checkpoint 1ms", b"", 0);
        let input = text(&lines);
        let writer = thread::spawn(move || {
            for some in input.chunks(997) {
                if stdin.write_all(some).is_err() {
                    break;
                }
                thread::sleep(Duration::from_micros(300));
            }
            stdin
        });
        let mut killer = None;
        if round % 3 != 2 {
            thread::sleep(Duration::from_millis(random.below(60)));
            signal("KILL", child.id());
            killer = Some(());
        }
        let stdin = writer.join().unwrap();
        drop(stdin);
        let mut out = Vec::new();
        output.read_to_end(&mut out).unwrap();
        child.wait().unwrap();
        // The last line may be cut where it was killed.
        let end = out.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        passed.extend(out[..end].split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
        if killer.is_none() {
            // This run read all of its lines: each of them was passed by it, or by one before.
            for line in &lines {
                assert!(passed.contains(line.as_bytes()), "{line} is lost");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_was_saved_does_not_repeat_after_a_kill() {
    let place = Place::new();
    let lines = numbers(0..500);
    let first = running(&place, "uniq --state s --checkpoint 20ms", &text(&lines), 500);
    // While no lines come, too.
    let old = place.read("s").len();
    until("a checkpoint", || (place.read("s").len() > old + 400).then_some(()));
    let Running { mut child, passed, .. } = first;
    assert_eq!(passed, text(&lines));
    signal("KILL", child.id());
    child.wait().unwrap();
    let ran = place.run_on("uniq --state s", text(&numbers(0..600))).code(0);
    ran.prints(text(&numbers(500..600)));
}

#[cfg(unix)]
#[test]
fn ctrl_c_flushes_and_saves() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let place = Place::new();
        let lines = numbers(0..100);
        let first = running(&place, "uniq --state s", &text(&lines), 100);
        let Running { mut child, stdin, passed, mut output } = first;
        assert_eq!(passed, text(&lines));
        signal(name, child.id());
        assert_eq!(exit_code(&mut child), code);
        let mut rest = Vec::new();
        output.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"");
        drop(stdin);
        assert_eq!(place.names(), ["s"], "no other file");
        place.run_on("uniq --state s", text(&numbers(50..101))).code(0).prints("line 100\n");
    }
}

/// Lines that nobody read are not in the state.
#[cfg(unix)]
#[test]
fn a_broken_pipe_loses_no_line() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    place.write("in.txt", text(&numbers(0..1000)));
    let mut command = place.command(["uniq", "--state", "s", "in.txt"]);
    let output = command.stdin(Stdio::null()).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    place.run("uniq --state s in.txt").code(0).prints(text(&numbers(0..1000)));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_named() {
    let place = Place::new();
    place.write("in.txt", text(&numbers(0..50_000)));
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for mode in ["", "--memory 1GB", "-c", "--state s"] {
        let arguments = format!("uniq {mode} in.txt");
        let mut command = place.command(arguments.split_whitespace());
        let output = command.stdin(Stdio::null()).stdout(full()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with("anther: standard output: cannot write: No space left"), "{err}");
    }
    // A few hundred bytes for each file.
    place.write("few.txt", "x\n");
    place.run("uniq --state s few.txt").code(0);
    let old = place.read("s");
    let ran = place.run_on_full_disk("uniq --state s in.txt > /dev/null").code(2);
    ran.says(&["s: cannot write: File too large"]);
    assert_eq!(place.read("s"), old, "the last state stays");
    let ran = place.run_on_full_disk("uniq -c in.txt").code(2).prints("");
    ran.says(&["cannot write a temporary file: File too large", "name another folder with --temp"]);
    assert!(place.names().iter().all(|name| !name.ends_with(".tmp")), "{:?}", place.names());
}
