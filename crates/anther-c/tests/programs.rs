//! Programs in C, C++ and Go that use the library, compiled and run.
#![expect(clippy::unwrap_used, reason = "a test")]
#![expect(clippy::panic, reason = "a test")]

mod harness;

use anther::recipe::{KeyForm, KeyRule, Reach, Recipe};
use anther::{
    AnyFilter, Blocked, Bloomier, Insert, KeyHash, Kind, Options, Ribbon, Seed, Target, Work,
};
use harness::{Prefix, feed, folder, program, run, said};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The hosts of a blocklist, and queries: some of them, in other spellings, and absent ones.
fn hosts() -> (String, String) {
    let (mut list, mut queries) = (String::new(), String::new());
    for number in 0..5000 {
        writeln!(list, "ads-{number}.tracker.example").unwrap();
        writeln!(queries, "Ads-{number}.Tracker.Example.").unwrap();
        writeln!(queries, "www-{number}.news.example").unwrap();
    }
    queries += "not a domain\n";
    // Longer than any host: none of its parts is one, though the last would be blocked.
    writeln!(queries, "{}ads-1.tracker.example", "x".repeat(255)).unwrap();
    writeln!(queries, "{}", "y".repeat(100_000)).unwrap();
    (list, queries)
}

/// A blocklist as the program writes it.
fn blocklist(list: &str, path: &Path) {
    let target = Target::new(list.lines().count() as u64, 0.001).unwrap();
    let mut filter = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
    let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
    filter.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    for host in list.lines() {
        filter.insert(host).unwrap();
    }
    filter.save(path).unwrap();
}

/// The files that `tests/c/calls.c` names.
fn write_files(folder: &Path) {
    blocklist("example.org\n", &folder.join("domains.anther"));
    let mut networks =
        AnyFilter::new(Kind::Blocked, Target::new(100, 1e-6).unwrap(), Seed::FIXED).unwrap();
    let rule = KeyRule { form: KeyForm::Ip, ..KeyRule::default() };
    let reach = Some(Reach::below(1e-6));
    networks.set_recipe(Some(Recipe { rule, reach, ..Recipe::default() }));
    networks.insert_keys(&["203.0.113.0/24", "198.51.100.7"]).unwrap();
    networks.save(folder.join("networks.anther")).unwrap();
    let target = Target::new(100, 0.01).unwrap();
    let mut keyed = Blocked::with_seed(target, Seed::keyed([7; 16])).unwrap();
    keyed.insert("key");
    keyed.save(folder.join("keyed.anther")).unwrap();
    let mut external = Blocked::with_seed(target, Seed::EXTERNAL).unwrap();
    external.insert_hash(KeyHash(0x1234_5678_9abc_def0)).unwrap();
    external.save(folder.join("external.anther")).unwrap();
    let mut pairs = vec![(Seed::FIXED.hash_bytes(b"a"), 41), (Seed::FIXED.hash_bytes(b"b"), 42)];
    let target = Target::new(2, 1e-6).unwrap();
    let options = Options::new().value_bits(8);
    let map = Bloomier::build_pairs(&mut pairs, target, &options, false, Seed::FIXED, Work::new());
    map.unwrap().save(folder.join("map.anther")).unwrap();
    let mut bytes = fs::read(folder.join("domains.anther")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.join("corrupt.anther"), bytes).unwrap();
}

#[test]
fn every_call_does_what_the_header_says() {
    let prefix = Prefix::install();
    let calls = prefix.compile("cc", &folder().join("tests/c/calls.c"), &[]);
    write_files(prefix.root.path());
    run(prefix.program(&calls).arg(prefix.root.path()));
}

/// No system has room for such stacks, so the library can start no thread; C still can.
#[test]
fn every_call_works_where_no_thread_can_be_started() {
    let prefix = Prefix::install();
    let stack = (isize::MAX.cast_unsigned() & !0xffff).to_string();
    let calls = prefix.compile("cc", &folder().join("tests/c/calls.c"), &[]);
    write_files(prefix.root.path());
    run(prefix.program(&calls).arg(prefix.root.path()).env("RUST_MIN_STACK", &stack));
    let threads = prefix.compile("cc", &folder().join("tests/c/threads.c"), &[]);
    run(prefix.program(&threads).env("RUST_MIN_STACK", &stack));
}

/// GCC's AddressSanitizer watches what C does and every allocation, those of Rust as well, since
/// Rust's allocator is malloc; leaks fail the program.
#[test]
fn no_call_leaks_or_reads_elsewhere_by_asan() {
    let prefix = Prefix::install();
    let sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let calls = prefix.compile("cc", &folder().join("tests/c/calls.c"), &sanitize);
    write_files(prefix.root.path());
    // One call asks for 5 TB, to be refused.
    let options = "detect_leaks=1:allocator_may_return_null=1";
    run(prefix.program(&calls).arg(prefix.root.path()).env("ASAN_OPTIONS", options));
    let threads = prefix.compile("cc", &folder().join("tests/c/threads.c"), &sanitize);
    run(&mut prefix.program(&threads));
}

/// valgrind sees the reads and writes of Rust, too.
#[test]
fn no_call_leaks_or_reads_elsewhere_by_valgrind() {
    let prefix = Prefix::install();
    let calls = prefix.compile("cc", &folder().join("tests/c/calls.c"), &[]);
    write_files(prefix.root.path());
    let mut valgrind = program("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    valgrind.args(["--show-leak-kinds=definite,indirect,possible"]);
    valgrind.args(["--errors-for-leak-kinds=definite,indirect"]);
    valgrind.arg(calls).arg(prefix.root.path());
    run(valgrind.env("LD_LIBRARY_PATH", prefix.lib()));
}

#[test]
fn threads_look_up_and_insert_at_once() {
    let prefix = Prefix::install();
    let threads = prefix.compile("cc", &folder().join("tests/c/threads.c"), &[]);
    run(&mut prefix.program(&threads));
}

/// Runs a program that checks hosts: right answers, a wrong filter, and a missing one.
fn check_hosts(prefix: &Prefix, check: &Path) {
    let (list, queries) = hosts();
    let (filter, listed) = (prefix.path("hosts.anther"), prefix.path("hosts.txt"));
    blocklist(&list, &filter);
    fs::write(&listed, &list).unwrap();
    let output = feed(prefix.program(check).arg(&filter).arg(&listed), &queries);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains(" 0 false negatives"), "{}", said(&output));
    let blocked = String::from_utf8_lossy(&output.stdout).lines().count();
    assert!((5000..5020).contains(&blocked), "{blocked}");

    // A filter of other hosts gives wrong answers, and the program says so.
    blocklist("elsewhere.example\n", &filter);
    let output = feed(prefix.program(check).arg(&filter).arg(&listed), &queries);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let output = feed(prefix.program(check).arg(prefix.path("missing")), "");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("missing: cannot read"), "{}", said(&output));
}

#[test]
fn a_proxy_in_c_checks_hosts() {
    let prefix = Prefix::install();
    let check = prefix.compile("cc", &folder().join("examples/check.c"), &[]);
    check_hosts(&prefix, &check);
}

#[test]
fn a_proxy_in_go_checks_hosts_on_several_goroutines() {
    let prefix = Prefix::install();
    let check = prefix.path("check-go");
    let mut go = program("go");
    go.current_dir(folder().join("examples/go")).args(["build", "-o"]).arg(&check).arg(".");
    go.env("PKG_CONFIG_PATH", prefix.lib().join("pkgconfig"));
    // Nothing is fetched. A cache would remember where the library was in an earlier test.
    go.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("CGO_ENABLED", "1");
    run(go.env("GOCACHE", prefix.path("go-cache")));
    check_hosts(&prefix, &check);
}

#[test]
fn an_engine_in_cpp_skips_blocks() {
    let prefix = Prefix::install();
    let lookup = prefix.compile("c++", &folder().join("examples/lookup.cpp"), &[]);
    let mut tables = Vec::new();
    for table in 0..4u64 {
        let path = prefix.path(&format!("table-{table}"));
        let keys = (0..20_000u64).map(|number| number * 40 + table * 10);
        let pairs = keys.clone().flat_map(|key| [key, key ^ table]);
        fs::write(&path, pairs.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()).unwrap();
        let filter = path.with_extension("anther");
        Ribbon::build(keys, 0.01).unwrap().save(filter).unwrap();
        tables.push(path);
    }
    let queries: String =
        (0..4000u64).map(|number| format!("{}\n", number * 50 + number % 7)).collect();
    let output = feed(prefix.program(&lookup).args(&tables), &queries);
    assert!(output.status.success(), "{}", said(&output));
    // Four tables: the absent keys would read four blocks each, and read 4 % of one.
    let numbers: Vec<u64> = said(&output)
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    assert_eq!((numbers[0], numbers[1], numbers[4]), (4000, 4, 0));
    assert!(numbers[2] * 4 < numbers[3], "{}", said(&output));
    // A filter of other keys loses some, and the program says so.
    Ribbon::build([1u64], 0.01).unwrap().save(tables[3].with_extension("anther")).unwrap();
    let output = feed(prefix.program(&lookup).args(&tables), &queries);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

/// The README's first example, with the shared library and with the static one.
#[test]
fn the_example_of_the_readme_runs() {
    let readme = fs::read_to_string(folder().join("README.md")).unwrap();
    let example = readme.split("```c\n").nth(1).expect("there is one").split("```").next().unwrap();
    assert!(example.lines().count() <= 22, "it is to be short");
    let prefix = Prefix::install();
    let source = prefix.path("readme.c");
    fs::write(&source, example).unwrap();
    let readme = prefix.compile("cc", &source, &[]);
    let output = run(prefix.program(&readme).current_dir(prefix.root.path()));
    assert_eq!(said(&output), "ada: 1, grace: 0\n");

    let fixed = prefix.path("readme-static");
    let mut cc = program("cc");
    cc.arg("-I").arg(folder().join("include")).arg("-o").arg(&fixed).arg(&source);
    run(cc.arg(prefix.lib().join("libanther_c.a")).args(["-lpthread", "-ldl", "-lm"]));
    // Without LD_LIBRARY_PATH.
    let output = run(std::process::Command::new(&fixed).current_dir(prefix.root.path()));
    assert_eq!(said(&output), "ada: 1, grace: 0\n");
}
