//! `anther build` of kinds that are solved from all keys at once, and of kinds that count.

use crate::support::Place;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

fn pairs(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\t{}\n", number % 100)).collect()
}

/// With their number said, keys need not all fit in memory; what is built is the same.
#[test]
fn little_memory_means_more_passes_and_the_same_file() {
    let place = Place::new();
    place.write("keys.txt", lines(0..300_000));
    place.write("pairs.txt", pairs(0..300_000));
    for (kind, list) in [("fuse", "keys.txt"), ("ribbon", "keys.txt"), ("bloomier", "pairs.txt")] {
        place.build(&format!("{kind}.anther --kind {kind} {list}"), "");
        let parts = format!("parts.anther --force --kind {kind} {list} --items 300k --memory 1MiB");
        place.build(&parts, "");
        assert!(place.read("parts.anther") == place.read(&format!("{kind}.anther")), "{kind}");

        let ran = place.run(&format!("build x.anther --kind {kind} {list} --memory 1MiB"));
        ran.fails(&[list, "the keys need more than 1.05 MB of memory", "--items"]);
    }
    // What comes by a pipe comes once.
    let once = "build x.anther --kind ribbon --items 300k --memory 1MiB";
    let ran = place.run_on(once, place.read("keys.txt"));
    ran.fails(&["standard input: the keys need more than 1.05 MB of memory", "--memory"]);
    assert!(!place.names().contains(&"x.anther".to_string()));
}

/// A number far too large costs the filter's room and not that of hashes.
#[test]
fn a_wrong_number_of_items_is_no_harm() {
    let place = Place::new();
    for kind in ["fuse", "ribbon", "bloomier"] {
        place.build(&format!("{kind}.anther --kind {kind} --items 5M"), pairs(0..3));
        let few = format!("build {kind}.anther --force --kind {kind} --items 10");
        place.run_on(&few, pairs(0..5000)).code(0).says(&["--items says 10, and 5,000 came"]);
        let many = format!("build many.anther --force --kind {kind} --items 10k");
        place.run_on(&many, pairs(0..3)).code(0).says(&["--items says 10,000, and 3 came"]);
        let all = format!("build all.anther --force --kind {kind} --items 3");
        let ran = place.run_on(&all, pairs(0..3)).code(0);
        assert!(!ran.err.contains("--items"), "{}", ran.err);
        let ran = place.run_on(&format!("check -c {kind}.anther"), pairs(0..5000));
        ran.code(0).prints("5000\n");
    }
}

#[test]
fn bits_a_key_are_those_of_the_keys_that_came() {
    let place = Place::new();
    let ran = place.run_on("build r.anther --kind ribbon --items 20k", lines(0..10_000)).code(0);
    ran.says(&["10,000 distinct keys of 10,000 read"]);
    let ran = place.run_on("build one.anther --kind ribbon", "word\nword\n").code(0);
    ran.says(&["1 distinct key of 2 read"]);
    let ran = place.run_on("build one.anther --force --kind fuse --items 1", "word\n").code(0);
    ran.says(&["1 distinct key of 1 read"]);
    let ran = place.run_on("build few.anther --kind ribbon --items 10", lines(0..10_000)).code(0);
    ran.says(&["6.79 bits per key"]);
    // 1 % is rounded down to 2⁻⁷, and that is what is promised.
    let ran = place.run_on("build f.anther --kind fuse", lines(0..10_000)).code(0);
    ran.says(&["about 7,810 false positives in a million"]);
    // What a lower rate costs depends on how wide values are.
    let narrow = place.run_on("build m.anther --kind bloomier", pairs(0..10_000)).code(0);
    narrow.says(&["--fpr 0.1% costs 21 % more memory"]);
}

/// Lines that repeat: a set of them, or how often they come.
#[test]
fn repeated_lines_have_a_way_out() {
    let place = Place::new();
    let log = "GET /\n".repeat(1000) + &lines(0..1000);
    let ran = place.run_on("build c.anther --kind cuckoo", &log);
    ran.fails(&["cuckoo", "8 copies of a key", "insert each key once with --distinct"]);
    let ran = place.run_on("build c.anther --kind cuckoo --distinct", &log).code(0);
    ran.says(&["1,001 distinct keys of 2,000 read"]);
    place.run_on("check -c c.anther", &log).code(0).prints("2000\n");
    // Few copies of each have room.
    for copies in 2..=4 {
        place.build("few.anther --force --kind cuckoo", lines(0..5000).repeat(copies));
        place.run_on("check -c few.anther", lines(0..5000)).code(0).prints("5000\n");
    }
    let ran = place.run_on("build x.anther --kind cuckoo --items 10", "x\n".repeat(100));
    ran.fails(&["with --distinct instead of --items"]);
    // This one counts any number.
    place.build("q.anther --kind quotient", "x\n".repeat(300_000));
    place.run("count q.anther x y").code(0).prints("300000\tx\n0\ty\n");
    let ran = place.run_on("build x.anther --distinct --items 10", "");
    ran.fails(&["--distinct", "--items"]);
}

#[test]
fn a_value_that_is_none_is_named() {
    let place = Place::new();
    for (line, cause) in [
        ("key", "line 3: no value; a record is the key, a delimiter (by default a tab)"),
        ("a\tkey\t7", "line 3: more than two columns; name the key's column, such as --column 1"),
        ("key\tx", "line 3: the value \"x\" is not a whole number"),
        ("key\t-1", "line 3: the value \"-1\" is not"),
        ("key\t18446744073709551616", "line 3: the value 18446744073709551616 is larger than"),
    ] {
        let text = format!("a\t1\nb\t2\n{line}\n");
        place.write("pairs.txt", &text);
        let ran = place.run("build x.anther --kind bloomier pairs.txt");
        ran.fails(&["pairs.txt: ", cause]);
        let ran = place.run("build x.anther --kind bloomier pairs.txt --items 5");
        ran.fails(&["pairs.txt: ", cause]);
    }
    // The advice about CSV works.
    place.write("pairs.csv", "a,1\nb,2\n");
    let build = "build csv.anther --kind bloomier pairs.csv";
    place.run(build).fails(&["no value", "for CSV, use --column 1 --values 2"]);
    place.run(&format!("{build} --column 1 --values 2")).code(0);
    place.run("get csv.anther b").code(0).prints("2\tb\n");
    place.write("pairs.txt", "a\t1\nb\t2\na\t3\n");
    let ran = place.run("build x.anther --kind bloomier pairs.txt");
    ran.fails(&["pairs.txt: line 1, pairs.txt: line 3: a key has two values, 1 and 3"]);
    let ran = place.run_on("build x.anther --kind bloomier", place.read("pairs.txt"));
    ran.fails(&["a key has two values, 1 and 3"]);
    place.write("pairs.txt", "a\t1\nb\t2\n");
    let ran = place.run("build x.anther --kind bloomier pairs.txt --value-bits 1");
    ran.fails(&["pairs.txt: line 2: the value 2 does not fit in 1 bits", "--value-bits"]);
    assert_eq!(place.names(), ["csv.anther", "pairs.csv", "pairs.txt"]);
}

/// Repetitions need no memory, with values neither.
#[test]
fn one_pair_many_times_is_one() {
    let place = Place::new();
    let same = "same\t5\n".repeat(100_000);
    place.build("m.anther --kind bloomier --memory 10k", &same);
    place.run("get m.anther same").code(0).prints("5\tsame\n");
    let ran = place.run_on("build x.anther --kind bloomier --memory 10k", pairs(0..5000));
    ran.fails(&["standard input: the keys need more than 10 kB of memory; give their number"]);
    let once = "build x.anther --kind bloomier --memory 10k --items 5000";
    place.run_on(once, pairs(0..5000)).fails(&["cannot be read twice; raise --memory"]);
    place.build("csv.anther --kind bloomier --column 1 --delimiter ,", "\"a,b\",\"7\"\n");
    place.run("get csv.anther a,b").code(0).prints("7\ta,b\n");
}
