//! What every verb has in common: help, names of errors, pipes, colours.

use crate::support::{Place, exit_code};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn help_is_short_or_long_and_has_the_exit_codes() {
    let place = Place::new();
    for verb in place.verbs().into_iter().chain([String::new()]) {
        let help = |option: &str| {
            let ran = place.run(&format!("{verb} {option}")).code(0);
            assert_eq!(ran.err, "");
            String::from_utf8(ran.out).unwrap()
        };
        let (short, long) = (help("-h"), help("--help"));
        // The program's own help lists every verb.
        let most = if verb.is_empty() { 45 } else { 40 };
        assert!(short.lines().count() <= most, "{verb}: a screen has no more lines:\n{short}");
        for line in short.lines().chain(long.lines()) {
            assert!(line.chars().count() <= 100, "{verb}: too wide: {line}");
        }
        assert!(short.contains("Exit codes: 0 ") && long.contains("Exit codes: 0 "), "{verb}");
        assert!(long.len() > short.len(), "{verb}");
        let examples = long.find("Examples:\n  anther ");
        assert!(examples.is_some(), "{verb}");
        assert!(examples < long.find("Usage:"), "examples come first: {long}");
    }
    assert!(place.run("-V").code(0).out.starts_with(b"anther 0."));
}

#[test]
fn wrong_words_are_errors_under_our_name() {
    let place = Place::new();
    for verb in place.verbs() {
        place.run(&format!("{verb} --no-such-option")).fails(&["--no-such-option"]);
    }
    place.run("chekc f").fails(&["chekc", "check"]);
    place.run("check").fails(&["FILTER"]);
    place.run("info").fails(&["FILE"]);
    #[cfg(feature = "lab")]
    place.run("tour sideways").fails(&["sideways"]);
    let ran = place.run("").code(2).prints("");
    assert!(ran.err.contains("Usage:"), "{}", ran.err);
}

/// Its own tests are in `lab`, which needs the feature.
#[cfg(not(feature = "page"))]
#[test]
fn a_program_without_the_page_says_how_to_get_it() {
    Place::new().run("lab").fails(&["without its page", "--features page"]);
}

/// Every verb, with and without options that say what is printed: JSON and nothing else, or an
/// error that names the option. Nowhere is it ignored.
#[test]
fn json_works_or_is_refused() {
    let place = Place::new();
    place.write("keys.txt", "x\ny\nz\n");
    for file in ["f.anther --kind counting", "g.anther --items 3", "h.anther --items 3"] {
        place.build(&format!("{file} keys.txt"), "");
    }
    place.build("v.anther --kind bloomier", "x\t1\ny\t2\n");
    place.build("e.anther --exact", "x\n");
    let sketch = place.run("sketch keys.txt --for 5").code(0).out;
    place.write("a.sketch", sketch);
    let runs = [
        "sketch keys.txt --for 5",
        "diff keys.txt a.sketch",
        "diff keys.txt a.sketch --exchange",
        "plan --items 10",
        "plan --items 10 --all",
        "plan --items 10 --remove",
        "plan --table",
        #[cfg(feature = "lab")]
        "plan --plot",
        #[cfg(feature = "lab")]
        "plan --plot -o plot.svg",
        "build new.anther keys.txt",
        "build quiet.anther keys.txt -q",
        "merge merged.anther g.anther h.anther",
        "merge quiet-too.anther g.anther h.anther -q",
        "convert converted.anther f.anther",
        "convert quiet-three.anther f.anther -q",
        "check f.anther x",
        "check f.anther x -c",
        "check f.anther x -v",
        "check f.anther x --also g.anther",
        "check f.anther x --confirm keys.txt",
        "check f.anther x -n",
        "check f.anther x -q",
        "count f.anther x",
        "get v.anther x",
        "list e.anther",
        "list e.anther --counts",
        "spell f.anther -c keys.txt",
        #[cfg(feature = "index")]
        "index i.idx keys.txt",
        #[cfg(feature = "index")]
        "index i.idx -q",
        #[cfg(feature = "index")]
        "grep i.idx x",
        "add f.anther keys.txt",
        "add f.anther keys.txt -q",
        "remove f.anther keys.txt",
        "remove f.anther keys.txt -q",
        "uniq keys.txt",
        "uniq keys.txt -c",
        "uniq keys.txt -q",
        "info f.anther",
        "info f.anther --picture",
        "verify f.anther",
        "measure f.anther --members keys.txt",
        "measure f.anther --random 100",
        "measure f.anther --random 100 -q",
        #[cfg(feature = "lab")]
        "draw f.anther x",
        #[cfg(feature = "lab")]
        "draw --kind classic --insert a -o drawn.svg",
        #[cfg(feature = "lab")]
        "figure",
        #[cfg(feature = "lab")]
        "figure example",
        #[cfg(feature = "lab")]
        "figure example -q --out made",
        "completions bash",
        "man",
        "man --out pages",
        "help",
        "help build",
    ];
    // Of the tour, which takes a while, tests/tour.rs sees to that, and of the lab, which does not
    // end, tests/lab.
    for verb in place.verbs().into_iter().filter(|verb| verb != "tour" && verb != "lab") {
        assert!(runs.iter().any(|run| run.split(' ').next() == Some(&verb)), "{verb}");
    }
    for run in runs {
        let ran = place.run(&format!("{run} --json"));
        if ran.code == 2 {
            ran.fails(&["--json"]);
            continue;
        }
        let lines = String::from_utf8(ran.out).expect("JSON is UTF-8");
        assert!(!lines.is_empty(), "{run} printed nothing");
        for line in lines.lines() {
            let value = serde_json::from_str::<serde_json::Value>(line);
            assert!(value.is_ok_and(|value| value.is_object()), "{run}: {line}");
        }
    }
}

#[test]
fn help_is_a_verb_too() {
    let place = Place::new();
    let long = |arguments: &str| place.run(arguments).code(0).out;
    assert_eq!(long("help"), long("--help"));
    for verb in place.verbs() {
        assert_eq!(long(&format!("help {verb}")), long(&format!("{verb} --help")), "{verb}");
    }
    place.run("help nothing").fails(&["nothing: no such verb", "anther help"]);
}

/// The groups, in their order, each with the verbs that are there.
#[test]
fn verbs_are_grouped_by_what_they_are_for() {
    let place = Place::new();
    let help = String::from_utf8(place.run("-h").code(0).out).unwrap();
    let names = help.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| {
        line.strip_suffix(':').filter(|name| !name.contains(' ') && *name != "Options")
    });
    let mut groups = vec!["Make", "Ask", "Search", "Lists", "Change", "Inspect", "Learn", "Shell"];
    groups.retain(|group| *group != "Learn" || cfg!(feature = "lab"));
    groups.retain(|group| *group != "Search" || cfg!(feature = "index"));
    assert_eq!(names.collect::<Vec<_>>(), groups);
    let page = String::from_utf8(place.run("man").code(0).out).unwrap();
    for group in groups {
        assert!(page.contains(&format!("\n.SS {group}\n")), "{group}");
    }
}

#[test]
fn of_two_equal_options_the_last_wins() {
    let place = Place::new();
    place.build("f.anther --fpr 1% --fpr 0.1% --kind split --kind classic", "x\n");
    let info = place.run("info f.anther --json").json();
    assert_eq!((&info["fpr_target"], &info["kind"]), (&0.001.into(), &"classic".into()));
}

#[test]
fn a_broken_pipe_is_a_quiet_end() {
    let place = Place::new();
    place.build("f.anther", "x\n");
    let mut child = place
        .command(["check", "f.anther"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    let writer = std::thread::spawn(move || {
        let line = b"x\n".repeat(1 << 15);
        // Until the program has had enough, too.
        while input.write_all(&line).is_ok() {}
    });
    let mut first = String::new();
    BufReader::new(output).read_line(&mut first).unwrap();
    assert_eq!(first, "x\n");
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut errors = String::new();
    child.stderr.unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[cfg(unix)]
#[test]
fn nobody_who_reads_is_a_quiet_end_for_every_verb() {
    let place = Place::new();
    place.build("f.anther", "x\n");
    place.build("g.anther --items 1", "y\n");
    for arguments in [
        "--help",
        "check f.anther x",
        "check f.anther x --json",
        "info f.anther",
        "info f.anther --json",
        #[cfg(feature = "lab")]
        "draw f.anther",
        #[cfg(feature = "lab")]
        "draw f.anther x --json",
        "build b.anther -q --json",
        "merge m.anther f.anther g.anther -q --json",
        "convert c.anther f.anther -q --json",
        "completions zsh",
        "man",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place
            .command(arguments.split_whitespace())
            .stdin(Stdio::null())
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
    }
}

#[test]
fn a_pipe_is_read_as_it_comes() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "x\n");
    let mut child =
        place.command(["check", "-q", "f.anther"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // The answer is known from here on, and the input stays open.
    input.write_all(b"y\nx\n").unwrap();
    assert_eq!(exit_code(&mut child), 0);
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let place = Place::new();
    let escapes = |arguments: &str, environment: Option<(&str, &str)>| {
        let output = place.command(arguments.split_whitespace()).envs(environment).output();
        output.unwrap().stdout.contains(&0x1b)
    };
    for verb in place.verbs().into_iter().chain([String::new()]) {
        for help in ["-h", "--help"] {
            let help = format!("{verb} {help}");
            assert!(!escapes(&help, None), "{help}");
            assert!(!escapes(&format!("{help} --color never"), None), "{help}");
            for asked in [format!("{help} --color always"), format!("--color=always {help}")] {
                assert!(escapes(&asked, None), "{asked}");
                // Whoever says it now means it more than whoever set a variable once.
                assert!(escapes(&asked, Some(("NO_COLOR", "1"))), "{asked}");
                assert!(escapes(&asked, Some(("TERM", "dumb"))), "{asked}");
            }
        }
    }
    place.run("info f --color sometimes").fails(&["sometimes"]);
}

/// Where there is colour: answers to keys, tables, and messages, which every verb has.
#[test]
fn colours_are_in_answers_and_messages() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6 --kind counting", "x\n");
    place.build("v.anther --kind bloomier", "x\t1\n");
    for (arguments, plain) in [
        ("check f.anther x y", &["maybe\tx", "no\ty"][..]),
        ("count f.anther x", &["1\tx"]),
        ("get v.anther x", &["1\tx"]),
        ("info f.anther", &["  kind     counting"]),
        ("verify f.anther", &["f.anther: intact: counting"]),
        ("measure f.anther --random 100", &["f.anther\n  "]),
    ] {
        let run = |options: &str| {
            let ran = place.run(&format!("{arguments} {options}"));
            String::from_utf8(ran.out).unwrap()
        };
        let (bare, coloured) = (run(""), run("--color always"));
        assert!(!bare.contains('\u{1b}') && coloured.contains('\u{1b}'), "{coloured}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), bare);
        assert_eq!(run("--color never"), bare);
        for part in plain {
            assert!(bare.contains(part), "{part}: {bare}");
        }
    }
    for arguments in [
        "build g.anther -k x --force",
        "merge h.anther f.anther f.anther --force",
        "add f.anther -k x",
        "remove f.anther -k zzz",
        "check missing.anther x",
        "plan --no-such-option",
    ] {
        assert!(!place.run(arguments).err.contains('\u{1b}'), "{arguments}");
        let ran = place.run(&format!("{arguments} --color always"));
        assert!(ran.err.contains('\u{1b}'), "{arguments}: {}", ran.err);
    }
}

#[test]
fn names_with_control_characters_do_not_reach_the_terminal() {
    let place = Place::new();
    place.run_args(["info", "a\u{1b}[2Jb"], "").fails(&["a\\x1b[2Jb: no such file"]);
}
