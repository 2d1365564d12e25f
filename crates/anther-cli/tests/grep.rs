//! `grep`: lines of indexed files. `tests/search` compares it with ripgrep.

use crate::support::{Place, Ran, have};
use std::io::Write;
use std::process::Stdio;

#[path = "search/numbers.rs"]
mod numbers;
#[path = "search/options.rs"]
mod options;
#[path = "search/texts.rs"]
mod texts;
#[path = "search/world.rs"]
mod world;

/// A folder of logs with a rare line in the second, and an index of it.
fn logs() -> Place {
    let place = Place::new();
    for (number, rare) in ["", "refused here\nthe next\n", ""].into_iter().enumerate() {
        let lines: String = (0..300).map(|at| format!("line {at} of log {number}\n")).collect();
        let (start, end) = lines.split_at(lines.find("line 150 ").expect("it is there"));
        place.write(&format!("logs/{number}.log"), format!("{start}{rare}{end}"));
        place.age(&format!("logs/{number}.log"));
    }
    place.run("index the.idx logs --block-size 1000").code(0);
    place
}

fn grep(place: &Place, arguments: &str) -> Ran {
    place.run(&format!("grep the.idx {arguments}"))
}

/// The lines of `--stats` about the index.
#[track_caller]
fn stats(ran: &Ran) -> Vec<(String, u64)> {
    let text = String::from_utf8_lossy(&ran.out).into_owned();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(count, what)| Some((what.to_string(), count.parse().ok()?))).collect()
}

#[track_caller]
fn stat(ran: &Ran, what: &str) -> u64 {
    let all = stats(ran);
    let found = all.iter().find(|(name, _)| name == what);
    found.map(|(_, count)| *count).expect(what)
}

#[test]
fn lines_are_printed_as_ripgrep_prints_them() {
    let place = logs();
    grep(&place, "refused").code(0).prints("logs/1.log:refused here\n");
    grep(&place, "-n refused").prints("logs/1.log:151:refused here\n");
    grep(&place, "-n -C1 refused").prints(
        "logs/1.log-150-line 149 of log 1\nlogs/1.log:151:refused here\nlogs/1.log-152-the next\n",
    );
    grep(&place, "-c refused").prints("logs/1.log:1\n");
    grep(&place, "-l -i REFUSED").prints("logs/1.log\n");
    grep(&place, "-o refu[a-z]*").prints("logs/1.log:refused\n");
    grep(&place, "--heading refused").prints("logs/1.log\nrefused here\n");
    grep(&place, "-I refused").prints("refused here\n");
    grep(&place, "--files-without-match refused").prints("logs/0.log\nlogs/2.log\n");
    grep(&place, "-e refused -e never-there").prints("logs/1.log:refused here\n");
    grep(&place, "-q refused").code(0).prints("");
    grep(&place, "never-there").code(1).prints("");
    grep(&place, "-c of.log.[02]").code(0).prints("logs/0.log:300\nlogs/2.log:300\n");
    let coloured = grep(&place, "--color always refused").code(0);
    coloured.prints("\x1b[0m\x1b[35mlogs/1.log\x1b[0m:\x1b[0m\x1b[1m\x1b[31mrefused\x1b[0m here\n");
}

#[test]
fn json_has_the_offsets_of_the_file() {
    let place = logs();
    let text = place.read("logs/1.log");
    let offset = memchr::memmem::find(&text, b"refused").expect("it is there");
    let messages = grep(&place, "--json refused").code(0).json_lines();
    let kinds: Vec<_> = messages.iter().map(|message| message["type"].as_str()).collect();
    assert_eq!(kinds, [Some("begin"), Some("match"), Some("end"), Some("summary")]);
    assert_eq!(messages[1]["data"]["absolute_offset"], offset);
    assert_eq!(messages[1]["data"]["line_number"], 151);
    assert_eq!(messages[3]["data"]["index"]["blocks_opened"], 1);
}

#[test]
fn only_blocks_that_can_match_are_opened() {
    let place = logs();
    let ran = grep(&place, "--stats refused").code(0);
    assert_eq!(stat(&ran, "blocks opened"), 1);
    assert_eq!(stat(&ran, "blocks opened in vain"), 0);
    assert_eq!(stat(&ran, "files skipped"), 2);
    assert_eq!(stat(&ran, "files searched without the index"), 0);
    let skipped = stat(&ran, "blocks skipped");
    assert!(skipped > 12, "{skipped}");
    let whole = grep(&place, "--stats --no-index refused").code(0);
    assert_eq!(stat(&whole, "files searched without the index"), 3);
    assert_eq!(stat(&whole, "blocks skipped"), 0);
}

#[test]
fn patterns_without_a_literal_search_everything_and_say_so() {
    let place = logs();
    let ran = grep(&place, "-c of").code(0).says(&["no literal of four bytes", "everything"]);
    ran.prints("logs/0.log:300\nlogs/1.log:300\nlogs/2.log:300\n");
    assert_eq!(grep(&place, "-q of").code(0).err, "");
    assert_eq!(grep(&place, "-c refused").code(0).err, "");
    grep(&place, "-c -v refused").code(0).says(&["-v searches everything"]);
}

#[test]
fn files_that_changed_are_searched_without_the_index() {
    let place = logs();
    place.write("logs/0.log", "now refused here, too\n");
    place.write("logs/new.log", "refused anew\n");
    std::fs::remove_file(place.join("logs/2.log")).expect("removed");
    let ran = grep(&place, "--stats refused").code(0);
    let text = String::from_utf8(ran.out.clone()).expect("UTF-8");
    let found =
        "logs/0.log:now refused here, too\nlogs/1.log:refused here\nlogs/new.log:refused anew\n";
    assert!(text.starts_with(found), "{text}");
    assert_eq!(stat(&ran, "files searched without the index"), 2);
}

#[test]
fn files_are_handed_to_a_command() {
    let place = logs();
    place.write("logs/0.log", "refused\n");
    let found = grep(&place, "-l refused -- echo found").code(0);
    found.prints("found logs/0.log logs/1.log\n");
    grep(&place, "-l never-there -- false").code(1).prints("");
    grep(&place, "-l refused -- false").fails(&["false: failed: exit status: 1"]);
    grep(&place, "-l refused -- no-such-program").fails(&["no-such-program: cannot run it"]);
    for options in ["", "-c", "-l -c", "--files-without-match"] {
        let ran = grep(&place, &format!("{options} refused -- echo found")).code(2);
        ran.says(&["--files-with-matches"]).prints("");
    }
}

#[test]
fn records_are_found_by_a_column() {
    let place = Place::new();
    let lines = |of: fn(usize) -> String| (0..3000).map(of).collect::<String>();
    let json = lines(|at| format!("{{\"at\": {at}, \"user\": {{\"id\": \"u{at}\"}}}}\n"));
    // Some records of two lines, so that a block may begin within one.
    let csv = lines(|at| format!("{at},u{at},{}\n", ["plain", "\"two\nlines u7\""][at % 2]));
    place.write("in/a.jsonl", &json);
    place.write("in/b.csv", format!("at,user.id,note\n{csv}"));
    place.write("in/c.log", "user.id u7\n");
    for name in ["in/a.jsonl", "in/b.csv", "in/c.log"] {
        place.age(name);
    }
    place.run("index the.idx in --column user.id --block-size 900").code(0);
    let found = "in/a.jsonl:8:{\"at\": 7, \"user\": {\"id\": \"u7\"}}\n\
                 in/b.csv:12:7,u7,\"two\nlines u7\"\n";
    grep(&place, "--column user.id -n u7").code(0).prints(found);
    grep(&place, "--column user.id -n u7 --no-index").code(0).prints(found);
    grep(&place, "--column user.id -l u2999").prints("in/a.jsonl\nin/b.csv\n");
    grep(&place, "--column user.id u3000").code(1).prints("");
    grep(&place, "--column user.id user.id").code(1).prints("");
    let ran = grep(&place, "--column user.id --stats u7").code(0);
    let skipped = stat(&ran, "blocks skipped");
    assert!(skipped > 50, "{skipped}");
    let text = json.find("{\"at\": 2500,").expect("it is there");
    let messages = grep(&place, "--column user.id --json u2500").json_lines();
    assert_eq!(messages[1]["data"]["absolute_offset"], text);
    grep(&place, "--column name u7").fails(&["no column \"name\"", "user.id"]);
    grep(&place, "--column user.id u7 -C2").code(2).says(&["--context"]);
    // A file that changed is searched whole.
    place.write("in/a.jsonl", "{\"user\": {\"id\": \"u7\"}}\n");
    grep(&place, "--column user.id -c u7").prints("in/a.jsonl:1\nin/b.csv:1\n");
}

#[test]
fn records_of_several_lines_count_once() {
    let place = Place::new();
    place.write("in/a.csv", "id,note\n7,\"one\ntwo\nthree\"\n8,x\n7,\"four\nfive\"\n7,last");
    place.age("in/a.csv");
    place.run("index the.idx in --column id").code(0);
    let first = "in/a.csv:2:7,\"one\ntwo\nthree\"\n";
    let all = format!("{first}in/a.csv:6:7,\"four\nfive\"\nin/a.csv:8:7,last\n");
    grep(&place, "--column id -n 7").code(0).prints(&all);
    grep(&place, "--column id -n -m1 7").code(0).prints(first);
    grep(&place, "--column id -c 7").code(0).prints("in/a.csv:3\n");
    assert_eq!(stat(&grep(&place, "--column id --stats 7"), "matched lines"), 3);
    let messages = grep(&place, "--column id --json 7").code(0).json_lines();
    let matches = messages.iter().filter(|message| message["type"] == "match");
    let places = matches.map(|message| {
        let data = &message["data"];
        (data["line_number"].as_u64(), data["absolute_offset"].as_u64(), &data["lines"]["text"])
    });
    let places: Vec<_> = places.map(|(line, at, text)| (line, at, text.as_str())).collect();
    assert_eq!(
        places,
        [
            (Some(2), Some(8), Some("7,\"one\ntwo\nthree\"\n")),
            (Some(6), Some(30), Some("7,\"four\nfive\"\n")),
            (Some(8), Some(44), Some("7,last")),
        ]
    );
    // Text that is not UTF-8 is printed in base64: 7,\xff and a line ending.
    place.write("in/a.csv", b"id,note\n7,\xff\n");
    let messages = grep(&place, "--column id --json 7").code(0).json_lines();
    assert_eq!(messages[1]["data"]["lines"]["bytes"], "Nyz/Cg==");
}

#[test]
fn json_lines_may_follow_other_lines() {
    let place = Place::new();
    place.write("in/a.log", "starting\n{\"request\": {\"id\": \"r7\"}}\n7\n{broken\n");
    place.age("in/a.log");
    place.run("index the.idx in --column request.id").code(0);
    let found = "in/a.log:2:{\"request\": {\"id\": \"r7\"}}\n";
    grep(&place, "--column request.id -n r7").code(0).prints(found);
    grep(&place, "--column request.id -n r7 --no-index").code(0).prints(found);
    let dotted = place.run("index dotted.idx in --column .request.id").code(2);
    dotted.says(&["no dot before its first name: request.id"]);
    grep(&place, "--column .request.id r7").fails(&["no column \".request.id\"", "request.id"]);
    let help = place.run("index --help").code(0).out;
    assert!(memchr::memmem::find(&help, b"such as request.id").is_some());
}

#[test]
fn keys_may_begin_with_a_dash() {
    let place = Place::new();
    place.write("in/a.csv", "id,note\n-5,minus five\n5,five\n");
    place.age("in/a.csv");
    place.run("index the.idx in --column id").code(0);
    grep(&place, "--column id -e -5").code(0).prints("in/a.csv:-5,minus five\n");
    // A number is an option here, since -0 is one.
    let refused = grep(&place, "--column id -5").code(2);
    refused.says(&["comes behind -e", "anther grep INDEX -e -5"]);
    grep(&place, "--column id -e 5 -e 6").fails(&["--column: takes one key"]);
    grep(&place, "-m -1 five").code(2).says(&["-m -1: below zero"]);
}

/// A searcher that met a long line has a longer buffer, and sees NUL bytes that others do not.
#[test]
fn a_long_line_changes_nothing_in_other_files() {
    let place = Place::new();
    place.write("in/a.log", format!("needle {}\n", "x".repeat(300_000)));
    let mut binary = [b"needle here\n", "some other line\n".repeat(20_000).as_bytes()].concat();
    binary[93_207] = 0;
    for name in ["b", "c", "d", "e", "f"] {
        place.write(&format!("in/{name}.log"), &binary);
    }
    place.run("index the.idx in").code(0);
    let all = "in/a.log\nin/b.log\nin/c.log\nin/d.log\nin/e.log\nin/f.log\n";
    for _ in 0..10 {
        grep(&place, "-l needle").code(0).prints(all);
    }
}

#[test]
fn a_rule_that_means_nothing_is_no_error() {
    let place = logs();
    place.write("logs/.ignore", "[z-a]\n2.log\n");
    let ran = grep(&place, "-c line").code(0).says(&["[z-a]", "invalid range"]);
    ran.prints("logs/0.log:300\nlogs/1.log:300\n");
    grep(&place, "never-there").code(1);
}

/// Also in an index that does not know of them.
#[test]
fn empty_cells_are_found() {
    let place = Place::new();
    place.write("in/a.csv", "id,name\n1,one\n,none\n\n\"\",quoted\n");
    place.write("in/b.jsonl", "{\"id\": \"\"}\n{\"id\": null}\n{\"id\": 0}\n{}\n");
    place.run("index the.idx in --column id").code(0);
    let found = "in/a.csv:3:,none\nin/a.csv:5:\"\",quoted\nin/b.jsonl:1:{\"id\": \"\"}\n";
    for more in [&[][..], &["--no-index"]] {
        let options = [&["grep", "the.idx", "--column", "id", "-n", "-e", ""], more].concat();
        place.run_args(&options, "").code(0).prints(found);
    }
}

/// 1E ends records for the searcher.
#[test]
fn records_may_have_any_byte() {
    let place = Place::new();
    let record = "\"a\u{1e}b\n\u{10}E\",7\n";
    place.write("in/a.csv", format!("text,id\n{record}other,7\n"));
    place.run("index the.idx in --column id").code(0);
    grep(&place, "--column id -I 7").code(0).prints(format!("{record}other,7\n"));
    grep(&place, "--column id -c 7").code(0).prints("in/a.csv:2\n");
    let found = grep(&place, "--column id --json 7").code(0).json_lines();
    assert_eq!(found[1]["data"]["lines"]["text"], record);
    assert_eq!(found[1]["data"]["submatches"][0]["end"], record.len() - 1);
    assert_eq!(found[2]["data"]["line_number"], 4);
}

#[test]
fn matches_are_counted_with_only_matching() {
    let place = Place::new();
    place.write("in/a.log", "refused refused\nrefused\n");
    place.run("index the.idx in").code(0);
    for (options, count) in [("-c", 2), ("-o -c", 3), ("-c -o", 3), ("-oc -m1", 2), ("-ocv", 0)] {
        let found = if count == 0 { String::new() } else { format!("in/a.log:{count}\n") };
        grep(&place, &format!("{options} refused")).prints(found);
    }
}

/// As ripgrep does, with what gzip and xz print before they fail.
#[test]
fn lines_before_the_corrupt_part_of_a_file_are_found() {
    if !have("gzip") || !have("xz") {
        return;
    }
    for (tool, name) in [("gzip", "a.gz"), ("xz", "a.xz")] {
        let place = Place::new();
        let lines: String =
            (0..300).map(|at| format!("needle {at} {}\n", at * at * 7919)).collect();
        place.write("a", lines);
        let mut packed = std::process::Command::new(tool);
        let ran = crate::support::ran({
            packed.args(["-c", "a"]).current_dir(place.path());
            packed
        });
        let mut bytes = ran.code(0).out;
        let half = bytes.len() / 2;
        bytes[half..half + 40].fill(0xff);
        place.write(&format!("in/{name}"), bytes);
        place.run("index the.idx in").code(0);
        let ran = grep(&place, "needle");
        let found = ran.out.iter().filter(|byte| **byte == b'\n').count();
        assert!(found > 100, "{tool}: {found} lines");
        ran.code(2).says(&["it is corrupt"]);
    }
}

/// gzip's decoder says so once, at the very end.
#[test]
fn a_wrong_checksum_is_an_error() {
    let packed = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let spoiled = |at_from_end: usize| {
        let mut bytes = packed("hello needle\nother\n");
        let at = bytes.len() - at_from_end;
        bytes[at] ^= 1;
        bytes
    };
    let place = Place::new();
    place.write("in/crc.gz", spoiled(6));
    place.write("in/len.gz", spoiled(2));
    place.write("in/first.gz", [spoiled(6), packed("second\n")].concat());
    place.run("index the.idx in").code(0);
    for options in ["needle", "needle --no-index"] {
        let ran = grep(&place, options).code(2);
        let found = String::from_utf8(ran.out.clone()).unwrap();
        assert_eq!(found.matches("hello needle").count(), 3, "{found}");
        ran.says(&["crc.gz: ", "len.gz: ", "first.gz: ", "it is corrupt"]);
    }
}

#[test]
fn the_index_itself_is_not_searched() {
    let place = logs();
    place.run("index logs/own.idx logs").code(0);
    place.write("logs/sub/own.idx", "refused in another\n");
    let found = "logs/1.log:refused here\nlogs/sub/own.idx:refused in another\n";
    place.run("grep logs/own.idx refused").code(0).prints(found);
}

#[test]
fn errors_are_named() {
    let place = logs();
    grep(&place, "[").fails(&["PATTERN: ", "unclosed character class"]);
    place.run("grep missing.idx word").fails(&["missing.idx: "]);
    place.write("no.idx", "nothing of the kind\n");
    place.run("grep no.idx word").fails(&["no.idx: not a search index"]);
    place.run_args(["grep", "the.idx", "a\nb"], "").fails(&["within a line"]);
    place.run("grep the.idx").code(2).says(&["PATTERN"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    if !have("head") {
        return;
    }
    let place = logs();
    let program = env!("CARGO_BIN_EXE_anther");
    let script = format!("{program} grep the.idx line | head -n 1; echo ${{PIPESTATUS[0]}}");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null());
    crate::support::ran(command).code(0).prints("logs/0.log:line 0 of log 0\n0\n");
}

/// As `tests/search` does, but against our own search of everything.
#[test]
fn the_index_changes_no_output() {
    for seed in 900..904 {
        let mut numbers = numbers::Numbers::new(seed);
        let world = world::World::new(&mut numbers);
        for case in 0..30 {
            let arguments = options::arguments(&mut numbers, &world);
            let ours = world.ours(&arguments);
            let mut scan = arguments.clone();
            scan.push("--no-index".to_string());
            if let Err(difference) = world::compare(&ours, &world.ours(&scan)) {
                panic!("seed {seed}, case {case}: {arguments:?}\n{difference}");
            }
        }
    }
}
