//! `anther plan`.

use crate::support::Place;
use anther::Kind;
use serde_json::Value;

/// The numbers of a plan.
fn plan(place: &Place, arguments: &str) -> Value {
    place.run(&format!("plan {arguments} --json")).code(0).json()
}

fn real(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| unreachable!("{name} of {value}"))
}

fn whole(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| unreachable!("{name} of {value}"))
}

fn text(place: &Place, arguments: &str) -> String {
    let ran = place.run(&format!("plan {arguments}")).code(0);
    assert_eq!(ran.err, "");
    String::from_utf8(ran.out).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The numbers that every text has; and what its formula misses.
#[test]
fn published_numbers() {
    let place = Place::new();
    let million = plan(&place, "--kind classic --items 1M --fpr 1%");
    assert_eq!((whole(&million, "probes"), &million["kind"]), (7, &"classic".into()));
    // -log2(1 %)/ln 2 is 9.585; seven whole probes take 9.593 for a rate of 1 %.
    assert!((real(&million, "bits_per_key") - 9.593).abs() < 5e-4, "{million}");
    assert!((0.009_999..=0.01).contains(&real(&million, "fpr")), "{million}");
    let usual = plan(&place, "--kind classic --items 1M --bits 9585059 --probes 7");
    assert!((0.010_03..0.010_05).contains(&real(&usual, "fpr")), "{usual}");
    // The reliability test of 58,110 words, whose 556,988 bits measure 1.0039 %.
    let words = plan(&place, "--kind classic --items 58110 --bits 556988 --probes 7");
    assert!((real(&words, "fpr") - 0.010_039).abs() < 5e-7, "{words}");
    // Spell: 25,000 words, 400,000 bits, 11 probes, 1 in 2180.
    let spell = plan(&place, "--kind classic --items 25k --memory 50kB");
    assert_eq!(whole(&spell, "probes"), 11);
    assert!((1.0 / real(&spell, "fpr") - 2180.0).abs() < 2.0, "{spell}");
    // Spam: 10⁸ addresses, 200 MB, 8 probes.
    let spam = plan(&place, "--kind classic --items 100M --memory 200MB --probes 8");
    assert!((real(&spam, "fpr") - 5.74e-4).abs() < 1e-6, "{spam}");
    // A hundred million at 1 %: 119.9 MB, 44 % over the bound.
    let urls = plan(&place, "--kind classic --items 100M --fpr 1%");
    assert!((whole(&urls, "bytes") as f64 / 1e6 - 119.9).abs() < 0.05, "{urls}");
    assert!((real(&urls, "overhead") - 0.4438).abs() < 5e-4, "{urls}");
    // What a line costs.
    for (fpr, bits) in [("1%", 9.92), ("0.1%", 15.55), ("1e-4", 22.03)] {
        let lines = plan(&place, &format!("--kind blocked --items 10M --fpr {fpr}"));
        assert!((real(&lines, "bits_per_key") - bits).abs() < 0.05, "{lines}");
    }
}

/// `build --help` lists it among the kinds.
#[test]
fn a_range_filter_is_not_planned() {
    let place = Place::new();
    for verb in ["plan --kind range", "plan --plot --kind range", "draw f.svg --kind range"] {
        let ran = place.run(verb).fails(&["use anther build --kind range --span N"]);
        assert!(!ran.err.contains("similar"), "{}", ran.err);
    }
    for help in ["plan --help", "draw --help"] {
        let ran = place.run(help).code(0);
        assert!(!String::from_utf8_lossy(&ran.out).contains("  range  "), "{help}");
    }
}

/// From two numbers to the third and back, in every kind: memory for items at a rate gives at most
/// that rate, and holds at least those items.
#[test]
fn there_and_back_in_every_kind() {
    let place = Place::new();
    for kind in Kind::ALL {
        let there = plan(&place, &format!("--kind {kind} --items 20k --fpr 2%"));
        let (bits, fpr) = (whole(&there, "bits"), real(&there, "fpr"));
        assert!(fpr <= 0.02 && whole(&there, "items") == 20_000, "{there}");
        assert_eq!(whole(&there, "bytes"), bits.div_ceil(8));
        assert!((real(&there, "bits_per_key") - bits as f64 / 2e4).abs() < 1e-9);
        let rate = plan(&place, &format!("--kind {kind} --items 20k --bits {bits}"));
        assert!(real(&rate, "fpr") <= fpr && whole(&rate, "bits") <= bits, "{rate} of {there}");
        let items = plan(&place, &format!("--kind {kind} --fpr 2% --bits {bits}"));
        assert!(whole(&items, "items") >= 20_000, "{items} of {there}");
        assert!(whole(&items, "bits") <= bits && real(&items, "fpr") <= 0.02, "{items}");
    }
}

/// What is planned is what is built, by the command that the plan prints.
#[test]
fn the_command_builds_what_was_planned() {
    let place = Place::new();
    let keys: String = (0..3000).map(|key| format!("{key}\n")).collect();
    let pairs: String = (0..3000).map(|key| format!("{key}\t1\n")).collect();
    place.write("LIST", "never reported\n");
    for kind in Kind::ALL {
        let can = kind.capabilities();
        place.write("IN", if can.values { &pairs } else { &keys });
        for numbers in ["--items 3000 --fpr 1.23%", "--items 3000 --memory 9kB"] {
            let run = place.run(&format!("plan --kind {kind} {numbers} --json"));
            if run.code == 2 {
                // Nine kilobytes are not enough for all.
                assert!(run.err.contains("it needs at least"), "{}", run.err);
                continue;
            }
            let planned = run.code(0).json();
            let command = planned["command"].as_str().unwrap().strip_prefix("anther ").unwrap();
            place.run(&format!("{command} --force -q")).code(0);
            let made = place.run("info OUT.anther --json").code(0).json();
            let (bits, planned_bits) = (whole(&made, "bits"), whole(&planned, "bits"));
            let off = (bits as f64 / planned_bits as f64 - 1.0).abs();
            // Three digits of a rate are enough for a command, and static kinds vary.
            let most = if can.insert { 0.005 } else { 0.15 };
            assert!(off <= most, "{kind} {numbers}: {bits} for {planned_bits}");
            assert_eq!(made["probes"], planned["probes"], "{kind} {numbers}");
            assert!(can.values || bits <= 72_000 || !numbers.contains("memory") || !can.insert);
        }
    }
    // Options are part of it.
    let wide = plan(&place, "--kind counting --items 1k --counter-bits 8");
    assert_eq!(
        wide["command"],
        "anther build OUT.anther IN --kind counting --items 1000 --fpr 1% --counter-bits 8"
    );
    // A rate that three digits do not tell is told in full.
    let odd = plan(&place, "--items 1k --fpr 0.0123456");
    assert!(odd["command"].as_str().unwrap().ends_with("--fpr 0.0123456"), "{odd}");
}

#[test]
fn probes_can_be_chosen_where_there_is_a_choice() {
    let place = Place::new();
    let four = plan(&place, "--kind classic --items 1M --fpr 1% --probes 4");
    assert_eq!((whole(&four, "probes"), whole(&four, "bits")), (4, 10_522_706));
    assert_eq!(four["command"], Value::Null);
    // The same three the other ways round.
    let items = plan(&place, "--kind classic --bits 10522706 --fpr 1% --probes 4");
    assert_eq!(whole(&items, "items"), 1_000_000);
    let rate = plan(&place, "--kind classic --bits 10522706 --items 1M --probes 4");
    assert!((real(&rate, "fpr") - 0.01).abs() < 1e-8, "{rate}");
    // Items, rate and memory: with how few probes?
    let fewest = plan(&place, "--kind classic --items 10M --fpr 1% --memory 16MiB");
    assert_eq!(whole(&fewest, "probes"), 3);
    assert!(real(&fewest, "fpr") <= 0.01, "{fewest}");
    let lines = plan(&place, "--kind blocked --items 10M --fpr 1% --probes 8");
    assert_eq!((whole(&lines, "probes"), whole(&lines, "bits") % 512), (8, 0));
    assert!(
        text(&place, "--kind classic --items 1M --probes 4")
            .contains("Shape::bits(10522706).probes(4)")
    );
}

#[test]
fn all_kinds_are_compared() {
    let place = Place::new();
    let compare = |arguments: &str| {
        let all = plan(&place, &format!("--all {arguments}"));
        let kinds = all["kinds"].as_array().unwrap().clone();
        assert_eq!(kinds.len(), Kind::ALL.len());
        (all, kinds)
    };
    let by = |kinds: &[Value], name: &str| -> Vec<f64> {
        kinds.iter().filter_map(|kind| kind[name].as_f64()).collect()
    };
    let (all, kinds) = compare("--items 10M --fpr 1%");
    assert_eq!((&all["items"], &all["fpr_target"]), (&10_000_000.into(), &0.01.into()));
    assert_eq!(all["bits"], Value::Null);
    assert!(by(&kinds, "bits").is_sorted(), "the smallest first");
    assert_eq!(kinds[0]["kind"], "ribbon");
    for row in &kinds {
        let kind = Kind::from_name(row["kind"].as_str().unwrap()).unwrap();
        let can: Vec<&str> =
            row["can"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
        for (able, word) in [
            (kind.capabilities().insert, "insert"),
            (!kind.capabilities().insert, "static"),
            (kind.capabilities().remove, "remove"),
            (kind.capabilities().count, "count"),
            (kind.capabilities().values, "values"),
            (kind.capabilities().grow, "grow"),
            (kind.capabilities().merge, "merge"),
            (!kind.capabilities().no_false_negatives, "forgets"),
            (kind.capabilities().experimental, "experimental"),
        ] {
            assert_eq!(can.contains(&word), able, "{kind}: {can:?}");
        }
        assert!(real(row, "overhead") > 0.0 && row["error"].is_null(), "{row}");
    }

    // What cannot be reached is said in its row, and the row does not vanish.
    let (_, kinds) = compare("--items 100k --fpr 1e-9");
    let blocked = kinds.iter().find(|row| row["kind"] == "blocked").unwrap();
    assert!(blocked["error"].as_str().unwrap().contains("cannot reach"), "{blocked}");
    assert_eq!(blocked.get("bits"), None);
    assert!(kinds[0]["error"].is_null() && kinds.last().unwrap()["error"].is_string());
    let table = text(&place, "--all --items 100k --fpr 1e-9");
    assert!(table.contains("\nblocked             cannot reach a false-positive rate of 1e-9;"));

    // In a given memory the lowest rate is first, or the most keys.
    let (all, kinds) = compare("--items 10k --memory 20kB");
    assert_eq!((&all["bits"], &all["fpr_target"]), (&160_000.into(), &Value::Null));
    assert!(by(&kinds, "fpr").is_sorted() && by(&kinds, "bits").iter().all(|&b| b <= 160_000.0));
    let (_, kinds) = compare("--memory 20kB");
    let items = by(&kinds, "items");
    assert!(items.iter().rev().is_sorted() && by(&kinds, "fpr").iter().all(|&fpr| fpr <= 0.01));

    // With three numbers, which of them do with that?
    let (all, kinds) = compare("--items 1M --fpr 1% --memory 1MB");
    assert_eq!(all["bits"], 8_000_000);
    let fit: Vec<&str> = kinds
        .iter()
        .filter(|row| row["error"].is_null())
        .flat_map(|row| row["kind"].as_str())
        .collect();
    assert_eq!(fit, ["ribbon", "cascade", "fuse"]);
    assert!(kinds[5]["error"].as_str().unwrap().contains("in 8000000 bits; it needs"));

    // Without numbers, a million at 1 %.
    assert_eq!(compare("").0["items"], 1_000_000);
    assert_eq!(compare("--fpr 0.1%").0["fpr_target"], 0.001);
}

#[test]
fn needs_choose_a_kind() {
    let place = Place::new();
    for (needs, kind, runner_up) in [
        ("--remove", "quotient", Some("cuckoo")),
        ("--remove --items 50 --fpr 30%", "quotient", Some("variable-increment")),
        ("--grow", "scalable", None),
        // Only this one counts any number; of the others, those that reject copies come last.
        ("--count", "quotient", Some("counting")),
        ("--remove --count", "quotient", Some("counting")),
        ("--count --counter-bits 8", "counting", Some("spectral")),
        ("--values", "bloomier", None),
        ("--static", "ribbon", Some("fuse")),
        ("--values --static", "bloomier", None),
        ("--stream", "aging", Some("stable")),
        ("--stream --misses 5%", "stable", None),
        ("--static --memory 10MB --items 10M", "ribbon", Some("fuse")),
        ("--remove --memory 10MB", "quotient", Some("cuckoo")),
        ("--remove --items 1M --fpr 1% --memory 1.3MB", "quotient", None),
        // Too many bits for most, so what is left is recommended.
        ("--count --items 2T", "quotient", Some("cuckoo")),
    ] {
        let advice = plan(&place, needs);
        assert_eq!(advice["kind"], kind, "{needs}: {advice}");
        let others = advice["runners_up"].as_array().unwrap();
        let next = others.iter().find(|row| row["error"].is_null());
        assert_eq!(next.map(|row| row["kind"].as_str().unwrap()), runner_up, "{needs}");
        let reason = advice["reason"].as_str().unwrap();
        let command = advice["command"].as_str().unwrap();
        assert!(command.starts_with(&format!("anther build OUT.anther IN --kind {kind} --items ")));
        let said: Vec<&str> =
            advice["needs"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
        assert!(needs.starts_with(&format!("--{}", said[0])), "{said:?}");
        // And in words.
        let words = text(&place, needs).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with(&format!("{kind} why {reason} keys ")), "{words}");
        assert!(words.contains(command), "{words}");
    }
    for (needs, reason) in [
        ("--count", "the only kind that counts without a maximum"),
        ("--remove", "the smallest of the kinds that remove every key"),
        ("--count --counter-bits 8", "the smallest of the kinds with --counter-bits that count"),
        (
            "--remove --counter-bits 8",
            "the smallest of the kinds with --counter-bits that remove every key",
        ),
        ("--remove --regions 9", "the only kind with --regions that removes keys"),
        ("--remove --items 1M --fpr 1% --memory 1.3MB", "the smallest of the kinds that remove"),
        ("--grow", "the only kind that keeps its false-positive rate as it grows"),
        ("--stream", "the smallest of the kinds that keep the latest keys"),
        ("--stream --misses 5%", "the only kind with --misses that is not experimental and keeps"),
    ] {
        let advice = plan(&place, needs);
        let said = advice["reason"].as_str().unwrap();
        assert!(said.starts_with(reason), "{needs}: {said}");
    }
    // The recommended kind really counts that far.
    place.build("q --kind quotient --items 1000", "x\n".repeat(100_000));
    place.run("count q x").code(0).prints("100000\tx\n");
    assert!(plan(&place, "--grow")["notes"].to_string().contains("quotient and cuckoo double"));
    for (kind, note) in [
        ("counting", "counts stop at 15; --counter-bits raises that"),
        ("spectral", "counts stop at 255; --counter-bits raises that"),
        ("dleft", "counts stop at 3"),
        ("cuckoo", "stores up to 8 copies of a key"),
    ] {
        assert!(text(&place, &format!("--items 1k --kind {kind}")).contains(note), "{kind}");
    }
    let remove = text(&place, "--remove");
    let deletable = remove.lines().last().unwrap();
    assert!(deletable.starts_with("  deletable "), "it cannot remove every key: {remove}");
    assert!(plan(&place, "--stream")["notes"].to_string().contains("a no is not certain"));
    let values = plan(&place, "--values --value-bits 8");
    assert!(values["command"].as_str().unwrap().ends_with(" --value-bits 8"), "{values}");
    assert!(real(&values, "bits_per_key") > real(&plan(&place, "--values"), "bits_per_key") + 7.0);

    // Nothing experimental is recommended, and nothing that forgets but for streams.
    for row in plan(&place, "--remove")["runners_up"].as_array().unwrap() {
        assert!(!row["can"].to_string().contains("experimental"), "{row}");
    }
}

#[test]
fn needs_that_exclude_each_other_say_so() {
    let place = Place::new();
    place.run("plan --grow --remove").fails(&[
        "no kind does --remove --grow at once",
        "--remove (counting, dleft,",
        "--grow (scalable)",
        "quotient and cuckoo double (anther add --grow), but twice the keys give twice the FPR",
    ]);
    // Two of the three are possible.
    place
        .run("plan --static --values --count")
        .fails(&["--count --values --static at once", "possible: --values --static (bloomier)"]);
    place.run("plan --stream --count").fails(&["--count (", "--stream (aging, stable)"]);
    place.run("plan --remove --fpr 1e-17").fails(&[
        "no kind that can do this fits",
        "cuckoo",
        "quotient            cannot reach",
    ]);
}

/// All 49 cells of the slides, and their column k, in which 3.46 is a slip for 3.47.
#[test]
fn the_table_of_the_slides() {
    let slides: [(u32, f64, usize, &[&str]); 9] = [
        (2, 1.39, 1, &["0.393", "0.400"]),
        (3, 2.08, 2, &["0.283", "0.237", "0.253"]),
        (4, 2.77, 3, &["0.221", "0.155", "0.147", "0.160"]),
        (5, 3.47, 3, &["0.181", "0.109", "0.092", "0.092", "0.101"]),
        (6, 4.16, 4, &["0.154", "0.0804", "0.0609", "0.0561", "0.0578", "0.0638"]),
        (7, 4.85, 5, &["0.133", "0.0618", "0.0423", "0.0359", "0.0347", "0.0364"]),
        (8, 5.55, 6, &["0.118", "0.0489", "0.0306", "0.024", "0.0217", "0.0216", "0.0229"]),
        (
            9,
            6.24,
            6,
            &["0.105", "0.0397", "0.0228", "0.0166", "0.0141", "0.0133", "0.0135", "0.0145"],
        ),
        (
            10,
            6.93,
            7,
            &["0.0952", "0.0329", "0.0174", "0.0118", "0.00943", "0.00844", "0.00819", "0.00846"],
        ),
    ];
    let place = Place::new();
    let table = text(&place, "--table");
    let rows = plan(&place, "--table")["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), slides.len());
    let mut cells = 0;
    for ((line, row), (bits, optimum, best, rates)) in
        table.lines().skip(1).zip(rows.as_array().unwrap()).zip(slides)
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..2], [bits.to_string(), format!("{optimum:.2}")]);
        assert_eq!(words.len(), 2 + rates.len(), "as many cells as there: {line}");
        for (at, (ours, theirs)) in words[2..].iter().zip(rates).enumerate() {
            assert_eq!(ours.ends_with('*'), at + 1 == best, "{line}");
            let ours = ours.trim_end_matches('*');
            // Half of the last digit that is printed there, and of ours.
            let half = |text: &str| 0.5 * 10f64.powi(2 - i32::try_from(text.len()).unwrap());
            let off = ours.parse::<f64>().unwrap() - theirs.parse::<f64>().unwrap();
            assert!(off.abs() <= half(theirs) + half(ours), "{ours} for {theirs}");
            cells += 1;
        }
        assert_eq!((&row["bits_per_key"], &row["probes"]), (&bits.into(), &best.into()));
        assert_eq!(row["fpr"].as_array().unwrap().len(), rates.len());
        assert!((real(row, "probes_optimal") - optimum).abs() < 0.005);
    }
    assert_eq!(cells, 49);
}

#[test]
fn the_names_of_the_fields_are_api() {
    let place = Place::new();
    let names = |value: &Value| {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names.join(" ")
    };
    let figures = "bits bits_per_key bits_sent bytes can";
    let rest = "fpr fpr_target items kind";
    assert_eq!(
        names(&plan(&place, "--items 1M")),
        format!("{figures} command {rest} notes overhead probes")
    );
    let all = plan(&place, "--all");
    assert_eq!(names(&all), "bits fpr_target items kinds");
    assert_eq!(names(&all["kinds"][0]), format!("{figures} error {rest} overhead probes"));
    let advice = plan(&place, "--remove");
    assert_eq!(
        names(&advice),
        format!("{figures} command {rest} needs notes overhead probes reason runners_up")
    );
    assert_eq!(names(&advice["runners_up"][0]), names(&all["kinds"][0]));
    let table = plan(&place, "--table");
    assert_eq!(names(&table), "rows");
    assert_eq!(names(&table["rows"][0]), "bits_per_key fpr probes probes_optimal");
}

#[test]
fn a_single_plan_in_words() {
    let place = Place::new();
    assert_eq!(
        text(&place, "--items 10M --fpr 1%"),
        "blocked\n  keys     10,000,000\n  FPR      1 %\n  size     12.4 MB, 99,180,032 bits\n  \
         bits     9.92 per key, 49 % over the bound\n  probes   6 per key\n  build    anther build \
         OUT.anther IN --kind blocked --items 10000000 --fpr 1%\n  compare  classic: 9.59 bits per \
         key, but up to 7 cache lines per lookup; blocked reads one\n"
    );
    // What build makes without --kind is what plan shows without --kind.
    let planned = plan(&place, "--items 1000");
    place.build("f --items 1000", "x\n");
    let made = place.run("info f --json").code(0).json();
    assert_eq!((&made["kind"], &made["bits"]), (&planned["kind"], &planned["bits"]));
    assert!(text(&place, "--items 1M --memory 1MB").contains("  compare  classic: 2.1"));
    assert!(text(&place, "--memory 1MB").contains("  compare  classic: 83"));
    assert!(text(&place, "--items 1M --kind fuse").contains("0.781 %, target 1 %"));
    assert!(!text(&place, "--items 1M --kind fuse").contains("compare"));
    assert!(text(&place, "--items 1M --kind compressed").contains("8.90 in a file and "));
    assert!(text(&place, "--items 1M --kind scalable").contains("size of the first layer"));
}

/// Lines stay within a terminal, but for commands, which are pasted whole.
#[test]
fn nothing_is_wider_than_a_hundred_columns() {
    let place = Place::new();
    for arguments in [
        "--all",
        "--all --items 1 --fpr 99.9%",
        "--all --items 1 --fpr 1e-18",
        "--all --items 1T --fpr 1e-6",
        "--all --memory 8TB",
        "--all --memory 1",
        "--all --items 7 --memory 9MB",
        "--all --items 1G --memory 100MB",
        "--remove",
        "--remove --count --memory 1TB",
        "--remove --items 3 --counter-bits 9",
        "--static --items 1T --memory 8TB",
        "--stream",
        "--table",
        "--items 1T --memory 8TB",
        "--memory 8TB",
        "--kind compressed --items 1T --fpr 1e-5",
        "--kind generalized --items 1T --fpr 90%",
    ] {
        for line in text(&place, arguments).lines().filter(|line| !line.contains("anther build")) {
            assert!(line.chars().count() <= 100, "{arguments}: {line}");
        }
    }
}

#[test]
fn numbers_that_make_no_sense_are_errors() {
    let place = Place::new();
    for (arguments, says) in [
        ("", "too few numbers; give two of --items, --fpr and --memory"),
        ("--fpr 1%", "too few numbers"),
        ("--probes 7", "too few numbers"),
        ("--fpr 1% --probes 7", "too few numbers"),
        ("--items 1M --fpr 1% --memory 9MB --probes 7", "leave out --items, --fpr or --memory, or"),
        ("--items 1M --fpr 1% --memory 9MB --kind fuse", "too many numbers for fuse"),
        (
            "--items 1M --probes 7 --kind fuse",
            "fuse chooses its number of probes itself; classic, blocked",
        ),
        ("--items 1M --probes 7 --kind split", "it always has 8"),
        ("--items 1M --probes 0", "blocked cannot have 0 probes per key"),
        (
            "--kind classic --items 1M --fpr 1% --memory 1MB",
            "at a false-positive rate of 0.01 in 8000000 bits; it needs 9592957",
        ),
        ("--items 0", "0 items are not possible"),
        ("--items 1000T", "too large; at most 281,474,976,710,656"),
        ("--items 1M --fpr 1", "did you mean 1%?"),
        ("--items 1M --fpr 100%", "a false-positive rate of 1.0 is not possible"),
        ("--items 1M --fpr 0", "a false-positive rate of 0.0 is not possible"),
        ("--items 1M --fpr -1", "is not possible"),
        ("--items 1M --memory 0", "blocked cannot hold 1000000 items in 0 bits; it needs at least"),
        ("--items 1M --memory 100 --kind cuckoo", "cuckoo cannot hold 1000000 items in 800 bits"),
        (
            "--memory 1 --kind classic",
            "classic holds no item at a false-positive rate of 0.01 in 8 bits; it needs at least 11",
        ),
        ("--memory 60 --kind blocked", "it needs at least 512"),
        ("--memory 4000000T", "too large; at most"),
        ("--items 200T --fpr 1e-6", "blocked cannot reach a false-positive rate of 1e-6"),
        ("--items 200T --fpr 1%", "it can have at most 70368744177664"),
        ("--items 1M --fpr 1e-9 --kind blocked", "classic goes lower"),
        ("--items ten", "a whole number is needed"),
        ("--memory 10furlongs", "an amount of memory is needed"),
        ("--probes some --items 1", "a whole number is needed"),
        ("--items 1M --kind blome", "blome"),
        ("--items 1M --counter-bits 8", "blocked has no option counter-bits"),
        (
            "--items 1M --kind compressed --probes 2 --expansion 3",
            "determine its probes; set the options or",
        ),
        ("--memory 1MB --bits 7", "cannot be used with"),
        ("--all --kind classic", "cannot be used with"),
        ("--all --probes 3", "cannot be used with"),
        ("--remove --kind classic", "cannot be used with"),
        ("--remove --all", "cannot be used with"),
        ("--remove --probes 3", "cannot be used with"),
        ("--table --items 3", "cannot be used with"),
        ("--table --arity 3", "cannot be used with"),
        ("list.txt", "unexpected argument"),
    ] {
        place.run(&format!("plan {arguments}")).fails(&[says]);
        place.run(&format!("plan {arguments} --json")).fails(&[says]);
    }
    assert!(place.names().is_empty(), "nothing is made");
}
