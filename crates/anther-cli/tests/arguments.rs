//! Which arguments are keys and which are files; flags that exclude each other.

use crate::support::Place;

/// Lists of one key each, and filters of "one" that count.
fn lists() -> Place {
    let place = Place::new();
    for key in ["one", "two", "three"] {
        place.write(&format!("{key}.txt"), format!("{key}\n"));
    }
    place.build("f.anther --fpr 1e-6 --kind counting --items 100 one.txt", "");
    place
}

#[test]
fn bare_arguments_are_keys_for_lookups() {
    let place = lists();
    place.run("check f.anther one two").code(0).prints("maybe\tone\nno\ttwo\n");
    place.run("check f.anther -k one two").code(0).prints("maybe\tone\nno\ttwo\n");
    place
        .run("check f.anther one --keys two -k one")
        .code(0)
        .prints("maybe\tone\nno\ttwo\nmaybe\tone\n");
    place.run("count f.anther -k one two").code(0).prints("1\tone\n0\ttwo\n");
    place.build("v.anther --kind bloomier", "x\t1\n");
    place.run("get v.anther -k x").code(0).prints("1\tx\n");
}

#[test]
fn files_are_looked_up_line_by_line() {
    let place = lists();
    place.run("check f.anther -f one.txt two.txt").code(0).prints("one\n");
    place.run("check f.anther -f one.txt --file one.txt --files two.txt").prints("one\none\n");
    place.run("check -v f.anther -f one.txt two.txt three.txt").prints("two\nthree\n");
    place.run("count f.anther -f one.txt two.txt").code(0).prints("1\tone\n0\ttwo\n");
    place.run_on("check f.anther -f -", "two\none\n").code(0).prints("one\n");
    place.run_on("count f.anther -f two.txt -", "one\n").code(0).prints("0\ttwo\n1\tone\n");
    place.run("check f.anther -f missing.txt").fails(&["missing.txt: no such file"]);
    place.run("check f.anther -f - -").fails(&["standard input: can be read only once"]);
    place.build("v.anther --kind bloomier", "x\t1\n");
    place.write("keys.txt", "x\ny");
    place.run("get v.anther -f keys.txt").code(0).prints("1\tx\n-\ty\n");
    // Keys come first, then the files.
    place.run("check f.anther two -f one.txt").code(0).prints("no\ttwo\none\n");
    place.run("check f.anther -c two -f one.txt -k one").code(0).prints("2\n");
}

#[test]
fn lines_of_several_files_stay_apart() {
    let place = lists();
    place.write("a", "one\none");
    place.write("b", "two\none");
    place.run("check f.anther -n -f a b").code(0).prints("1:one\n2:one\n2:one");
    let lines = place.run("check f.anther --json -f a b").code(0).json_lines();
    let numbers: Vec<_> = lines.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 1, 2]);
    // The header row comes once.
    place.write("a.csv", "id,mail\n1,x\n");
    place.write("b.csv", "id,mail\n2,y\n3,x\n");
    place.build("m.anther a.csv --column mail --fpr 1e-6", "");
    place.run("check m.anther -f a.csv b.csv").code(0).prints("id,mail\n1,x\n3,x\n");
    place.write("c.csv", "mail,id\nx,4\n");
    place.run("check m.anther -f a.csv c.csv").prints("id,mail\n1,x\nmail,id\nx,4\n");
}

#[test]
fn confirmed_files_are_read_twice() {
    let place = lists();
    place.write("all.txt", "one\ntwo\nthree\n");
    let ran = place.run("check f.anther -f all.txt two.txt --confirm one.txt");
    ran.code(0).prints("one\n");
}

#[test]
fn bare_arguments_are_files_for_changes() {
    let place = lists();
    place.run("add f.anther two.txt -k three 4 -q").code(0);
    let all = "maybe\tone\nmaybe\ttwo\nmaybe\tthree\nmaybe\t4\n";
    place.run("check f.anther one two three 4").code(0).prints(all);
    place.run("remove f.anther -k 4 -f two.txt -q").code(0);
    place.run("check f.anther two 4").code(1);
    place.run_on("remove f.anther -f - -k three -q", "one\n").code(0);
    place.run("check f.anther one three").code(1);
    // A key is a key as it is, whatever is a column in files.
    place.build("c.anther -f one.txt -k Two, --column 1 --ignore-case --fpr 1e-6", "");
    place.run("check c.anther ONE two, two").code(0).prints("maybe\tONE\nmaybe\ttwo,\nno\ttwo\n");
}

#[test]
fn a_filter_is_built_from_keys() {
    let place = lists();
    place.run_on("build k.anther -k a b c --fpr 1e-6", "not read\n").code(0).says(&["3 distinct"]);
    place.run("check k.anther a b c d -c").code(0).prints("3\n");
    place.build("l.anther --fpr 1e-6", "a\nb\nc\n");
    assert_eq!(place.read("k.anther"), place.read("l.anther"));
    // Every way to build.
    for options in ["--items 10", "--kind fuse", "--kind fuse --items 4", "--kind stable"] {
        place.build(&format!("x.anther --force -k a b -f one.txt two.txt {options}"), "");
        place.run("check x.anther a b one two -c").code(0).prints("4\n");
    }
    place.run("build h.anther --hex -k xyz").fails(&["xyz: not hexadecimal"]);
    place.run("build v.anther --kind bloomier -k a").fails(&["-k: a key alone has no value"]);
}

#[test]
fn a_file_taken_for_a_key_gets_a_hint() {
    let place = lists();
    place
        .run("check f.anther two.txt")
        .code(1)
        .prints("no\ttwo.txt\n")
        .says(&["two.txt is looked up as a key; to look up the lines of the file, use -f two.txt"]);
    place.run("count f.anther two.txt").code(1).says(&["use -f two.txt"]);
    place
        .run_on("check f.anther -", "one\n")
        .code(1)
        .prints("no\t-\n")
        .says(&["- is looked up as a key", "leave it out"]);
    // Not if it is meant, or found, or one of many, or nothing is to be said.
    place.build("names.anther --fpr 1e-6 -k two.txt", "");
    for arguments in [
        "check f.anther -k two.txt",
        "check names.anther two.txt",
        "check f.anther two.txt x",
        "check f.anther two.txt -q",
    ] {
        assert_eq!(place.run(arguments).err, "", "{arguments}");
    }
}

#[test]
fn a_key_taken_for_a_file_gets_a_hint() {
    let place = lists();
    let key = "user@example.com";
    for verb in ["add", "remove", "build new.anther"] {
        let to = if verb == "remove" { "remove" } else { "insert" };
        let filter = if verb.starts_with("build") { "" } else { "f.anther" };
        let hint = format!("no such file; check the path, or to {to} it as a key, use -k {key}");
        place.run(&format!("{verb} {filter} {key}")).fails(&[&hint]);
    }
    // -f means a file.
    let ran = place.run(&format!("add f.anther -f {key}")).fails(&["no such file"]);
    assert!(!ran.err.contains("-k"), "{}", ran.err);
}

#[test]
fn options_that_take_all_that_follows_come_last() {
    let place = lists();
    place.run("check -f one.txt f.anther").fails(&["FILTER", "check FILTER -f FILE"]);
    place.run("check -k one f.anther").fails(&["FILTER", "check FILTER -f FILE"]);
    place.run("check --confirm f.anther").fails(&["FILTER", "check FILTER --confirm LIST"]);
}

/// The message is about the value and its range, not about an unknown option `-1`.
#[test]
fn amounts_below_zero_are_named() {
    let place = lists();
    for (arguments, parts) in [
        ("build x.anther one.txt --fpr -1%", ["rate of -0.01", "below 1"]),
        ("build x.anther one.txt --memory -1GB", ["--memory", "such as 64MiB"]),
        ("build x.anther one.txt --items -5M", ["--items", "a whole number"]),
        ("build x.anther one.txt --headroom -2x", ["--headroom", "-2x"]),
        ("plan --items 1M --fpr -1%", ["rate of -0.01", "below 1"]),
        ("plan --items -1M", ["--items", "a whole number"]),
        ("plan --memory -1MiB", ["--memory", "such as 64MiB"]),
        ("measure f.anther --random 9 --confidence -5%", ["--confidence", "-5%"]),
        ("uniq --fpr -1%", ["rate", "-0.01"]),
        ("uniq --window -1k", ["--window", "a whole number"]),
        ("uniq --ttl -10min", ["--ttl", "a time is needed"]),
        ("uniq --memory -1GB", ["--memory", "such as 64MiB"]),
        ("sketch s one.txt --size -1MB", ["--size", "-1MB"]),
        // What was left out is missed, too.
        ("plan --items 1M --fpr --json", ["--fpr", "a rate is needed"]),
        ("plan --items --fpr 1%", ["--items has no value", "--fpr follows"]),
        ("measure f.anther --random --members one.txt", ["--random has no value", "--members"]),
        ("measure f.anther --random 9 --random-seed -3", ["--random-seed", "a whole number"]),
    ] {
        place.run(arguments).fails(&parts);
    }
}

/// Flags that make no sense together are refused, never ignored.
#[test]
fn flags_exclude_each_other() {
    let place = lists();
    for (arguments, parts) in [
        ("check f.anther -v --json one", ["--invert", "--json"]),
        ("check f.anther -n one", ["--line-number", "KEY"]),
        ("check f.anther -n -k one", ["--line-number", "--keys"]),
        ("check f.anther -n -c", ["--line-number", "--count"]),
        ("check f.anther -n --json", ["--line-number", "--json"]),
        ("check f.anther -n -q", ["--line-number", "--quiet"]),
        ("check f.anther -c -q", ["--count", "--quiet"]),
        ("check f.anther --json -q", ["--json", "--quiet"]),
        ("check f.anther --line-buffered -c", ["--line-buffered", "--count"]),
        ("check f.anther --line-buffered -q", ["--line-buffered", "--quiet"]),
        ("check f.anther --line-buffered one", ["--line-buffered", "KEY"]),
        ("check f.anther --line-buffered --confirm one.txt", ["--line-buffered", "--confirm"]),
        ("check f.anther --also f.anther --confirm one.txt", ["--also", "--confirm"]),
        ("check f.anther --reload --confirm one.txt", ["--reload", "--confirm"]),
        ("check f.anther --reload --map", ["--reload", "--map"]),
        ("check f.anther --reload one", ["--reload", "KEY"]),
        ("check f.anther --reload -k one", ["--reload", "--keys"]),
        ("check - --reload -f one.txt", ["--reload", "file that can be replaced"]),
        ("check - --map one", ["standard input", "leave --map out"]),
        ("count f.anther --line-buffered one", ["--line-buffered", "KEY"]),
        ("count f.anther --line-buffered -k one", ["--line-buffered", "--keys"]),
        ("build -o - --force one.txt", ["--force", "-o -"]),
        ("build -o - --json one.txt", ["--json", "-o -"]),
        ("merge -o - --json f.anther f.anther", ["--json", "-o -"]),
        ("info f.anther --json --picture", ["--json", "--picture"]),
        ("measure f.anther --members one.txt --confidence 95%", ["--absent", "--random"]),
        ("measure f.anther --members one.txt --random-seed 3", ["--random", "Usage"]),
    ] {
        place.run(arguments).fails(&parts);
    }
}

#[test]
fn quiet_comes_before_or_after_the_verb() {
    let place = lists();
    for arguments in [
        "build x.anther one.txt --force",
        "add f.anther one.txt",
        "merge y.anther f.anther f.anther --force",
    ] {
        place.run(arguments).code(0).says(&["anther"]);
        for quiet in
            [format!("-q {arguments}"), format!("--quiet {arguments}"), format!("{arguments} -q")]
        {
            let ran = place.run(&quiet).code(0).prints("");
            assert_eq!(ran.err, "", "{quiet}");
        }
    }
    place.run("-q check f.anther one").code(0).prints("");
    place.run("-q verify f.anther").code(0).prints("");
    // Verbs that only print data accept it, and print their data.
    let info = place.run("info f.anther").code(0).out;
    place.run("-q info f.anther").code(0).prints(&info);
    place.run("info -q f.anther").code(0).prints(&info);
    place.run("-q count f.anther one").code(0).prints("5\tone\n");
    for verb in place.verbs() {
        let help = place.run(&format!("-q {verb} --help")).code(0);
        assert!(!help.out.is_empty(), "{verb}");
    }
    // Errors are said, and conflicts are those of the verb's own -q.
    place.run("-q check missing.anther x").fails(&["missing.anther: no such file"]);
    place.run("-q check f.anther -c").fails(&["--quiet", "--count"]);
    place.run("-q check f.anther --json").fails(&["--quiet", "--json"]);
    place.run("-q measure f.anther --random 10 --json").fails(&["--quiet", "--json"]);
}

#[test]
fn short_names_are_those_of_grep() {
    let place = lists();
    place.build("i.anther -i --fpr 1e-6", "Word\n");
    place.run("check i.anther WORD").code(0);
    place.run("times f.anther one").fails(&["anther count FILTER"]);
}

#[test]
fn a_number_below_zero_is_told_so() {
    let place = Place::new();
    for line in [
        "draw --kind blocked --items 5 --seed -1",
        "draw --kind blocked --items 5 --seed=-1",
        "draw --bits -3",
        "lab --port -1",
        "lab --port=-1",
        "build x.anther --seed -1",
        "plan --items -5",
        "grep the.idx -C -1 word",
        "measure f.anther --random -5",
    ] {
        let ran = place.run(line).code(2);
        assert!(ran.err.contains("below zero"), "{line}: {}", ran.err);
        assert!(!ran.err.contains("unexpected"), "{line}: {}", ran.err);
    }
}
