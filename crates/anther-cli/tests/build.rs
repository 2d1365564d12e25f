//! `anther build`.

use crate::support::{self, Place};
use anther::{AnyFilter, Blocked, Filter, Kind, Seed, Target};
use std::fs;

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("key {number}\n")).collect()
}

#[test]
fn from_files_a_dash_and_standard_input() {
    let place = Place::new();
    place.write("a.txt", lines(0..600));
    place.write("b.txt", lines(400..1000));
    place.run("build files.anther a.txt b.txt").code(0).prints("");
    place.run_on("build dash.anther a.txt -", lines(400..1000)).code(0);
    place.run_on("build stdin.anther", lines(0..1000)).code(0);
    let file = place.read("files.anther");
    assert_eq!(file, place.read("dash.anther"), "repetitions do not count");
    assert_eq!(file, place.read("stdin.anther"));

    let filter = AnyFilter::open(place.join("files.anther")).unwrap();
    assert_eq!(filter.kind(), Kind::Blocked);
    let target = filter.about().target.unwrap();
    assert_eq!((target.items(), target.fpr()), (1000, 0.01), "sized for the distinct keys");
    assert!((0..1000).all(|number| filter.contains(&format!("key {number}")[..]).unwrap()));
}

#[test]
fn the_library_makes_the_same_file() {
    let place = Place::new();
    place.build("ours.anther --items 100 --fpr 0.1% --seed 7", "one\ntwo\n");
    let mut filter = Blocked::with_seed(Target::new(100, 0.001).unwrap(), Seed::chosen(7)).unwrap();
    filter.extend(["one", "two"]);
    let mut filter = AnyFilter::from(filter);
    filter.set_recipe(Some(anther::Recipe::default()));
    filter.save(place.join("theirs.anther")).unwrap();
    assert_eq!(place.read("ours.anther"), place.read("theirs.anther"));
}

#[test]
fn every_kind_can_be_built_and_names_itself() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().values) {
        place.build(&format!("{kind}.anther {}", support::of_kind(*kind)), lines(0..100));
        let info = place.run(&format!("info {kind}.anther --json")).code(0).json();
        assert_eq!(info["kind"], kind.name());
        let found = place.run_on(&format!("check -c {kind}.anther"), lines(0..100)).code(0);
        if kind.capabilities().no_false_negatives {
            found.prints("100\n");
        }
    }
    place.run("build x.anther --kind morton").fails(&["morton", "blocked"]);
}

#[test]
fn says_what_it_made_and_what_the_rate_means() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --kind classic", lines(0..58_110)).code(0);
    ran.says(&[
        "a.anther: 58,110 distinct keys of 58,110 read; classic filter, 69.9 kB, 9.59 bits per key",
        // Its own rate, which is a little above the mean.
        "about 10,100 false positives in a million lookups of absent keys",
        "--fpr 0.1% costs 50 % more memory",
    ]);
    let ran = place.run_on("build b.anther --fpr 1e-7 --kind classic", "x\n").code(0);
    ran.says(&["1 distinct key of 1 read", "false positives in a billion lookups"]);
    // Blocked goes down to 1e-8, so no advice to go below.
    let ran = place.run_on("build c.anther --fpr 5e-8", "x\n").code(0);
    assert!(!ran.err.contains("costs"), "{}", ran.err);
    let ran = place.run_on("build d.anther --quiet", "x\n").code(0).prints("");
    assert_eq!(ran.err, "");
}

/// Three digits of the number of false positives in a million lookups, as the report has them.
fn three_digits(number: f64) -> String {
    let step = 10f64.powf((number.log10().floor() - 2.0).max(0.0));
    anther::units::count(anther::units::whole((number / step).round() * step))
}

/// Both say what the filter holds and does, in the same numbers.
#[test]
fn the_report_agrees_with_info() {
    let place = Place::new();
    for kind in Kind::ALL.iter().filter(|kind| !kind.capabilities().values) {
        let can = kind.capabilities();
        for (keys, options) in [(2000, ""), (2000, "--items 2000"), (500, "--items 2000")] {
            let build = format!("build --force f {} {options}", support::of_kind(*kind));
            let said = place.run_on(&build, lines(0..keys)).code(0).err;
            let info = place.run("info f --json").code(0).json();
            let number = |name: &str| info[name].as_f64().unwrap();
            let what = format!("{build}: {said}{info}");

            let fpr = number("fpr_now");
            let per = [(1e6, "million"), (1e9, "billion"), (1e12, "trillion")];
            let meaning = match per.iter().find(|(per, _)| fpr * per >= 1.5) {
                Some((per, name)) => {
                    format!("about {} false positives in a {name}", three_digits(fpr * per))
                }
                None => "practically no false positives".to_string(),
            };
            assert!(said.contains(&meaning), "{meaning}: {what}");

            if !can.no_false_negatives {
                let about = if *kind == Kind::Aging { "" } else { "about " };
                let kept = format!(" read; it keeps {about}the latest 2,000;");
                assert!(said.contains(&kept), "{what}");
                continue;
            }
            let (distinct, rest) = said.split_once(" distinct keys of ").unwrap();
            let distinct = distinct.trim_start_matches("anther: f: ").trim_start_matches("about ");
            let distinct = distinct.split(" ±").next().unwrap();
            // Where nothing shows that no key was removed, info has only the estimate.
            let forgetful = [Kind::Spectral, Kind::VariableIncrement, Kind::Deletable, Kind::DLeft];
            match forgetful.contains(kind) && options.is_empty() {
                true => assert!((number("items") - 2000.0).abs() <= 4.0 * number("items_error")),
                false => {
                    let items = anther::units::count(info["items"].as_u64().unwrap());
                    assert_eq!(distinct, items, "{what}");
                }
            }
            assert!(number("items") <= keys.into(), "{what}");
            let each = number("bits_per_key") * number("bits_sent") / number("bits");
            let space = match keys == 500 && can.insert {
                true => ", made for 2,000 at 1 %".to_string(),
                false => format!(", {each:.2} bits per key"),
            };
            assert!(rest.contains(&space), "{space}: {what}");
        }
    }
}

#[test]
fn few_keys_in_a_large_filter_are_not_promised_the_rate_of_a_full_one() {
    let place = Place::new();
    let ran = place.run_on("build un.anther --items 1M", lines(0..10)).code(0);
    ran.says(&[
        "un.anther: about 10 distinct keys of 10 read; blocked filter, 1.24 MB, made for 1,000,000 at 1 %",
        "practically no false positives with these keys; --fpr 0.1% costs",
    ]);
    let table = place.run("info un.anther").code(0).out;
    assert!(String::from_utf8(table).unwrap().contains(" bits, 991,846 bits per key\n"));
    place.run("build none.anther --items 1M -q").code(0);
    let table = String::from_utf8(place.run("info none.anther").code(0).out).unwrap();
    assert!(table.contains("9.92 bits per key when full (49 % over the bound)"), "{table}");
}

#[test]
fn keys_of_a_stream_and_of_a_saturated_filter_are_counted_as_they_are() {
    let place = Place::new();
    let ran = place.run_on("build s.anther --kind stable --window 1000", lines(0..50_000)).code(0);
    ran.says(&["50,000 keys read, of which it keeps about the latest 1,000; stable filter"]);
    let ran = place.run_on("build a.anther --kind aging --window 1000", lines(0..50_000)).code(0);
    ran.says(&["50,000 keys read, of which it keeps the latest 1,000; aging filter"]);
    place.run_on("check -c a.anther", lines(49_000..50_000)).code(0).prints("1000\n");
    // 10 are due of a thousand older ones at 1 %.
    let found = place.run_on("check -c a.anther", lines(10_000..11_000)).code(0).out;
    assert!(String::from_utf8(found).unwrap().trim().parse::<u32>().unwrap() < 40);
    // Copies count, so all that came are the window.
    let copies = lines(0..1000) + &lines(7..8).repeat(5000);
    let ran = place.run_on("build a.anther --force --kind aging", &copies).code(0);
    ran.says(&["6,000 keys read; it keeps the latest 6,000; aging filter"]);
    place.run_on("check -c a.anther", lines(0..1000)).code(0).prints("1000\n");
    let ran = place.run_on("build full.anther --items 10", lines(0..50_000)).code(0);
    ran.says(&["full.anther: at least ", "distinct keys of 50,000 read"]);
    let table = place.run("info full.anther").code(0).out;
    assert!(String::from_utf8(table).unwrap().contains("keys     at least "));
    place.run_on("add full.anther", "x\n").code(0).says(&["; at least "]);
}

#[test]
fn distinct_keys_are_counted_where_every_copy_is_inserted() {
    let place = Place::new();
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().remove) {
        let ran = place
            .run_on(&format!("build --force f --kind {kind}"), lines(0..500).repeat(3))
            .code(0);
        ran.says(&["f: 500 distinct keys of 1,500 read"]);
        // One removal leaves the other copies, however the filter was built.
        for items in ["", "--items 3000"] {
            place.build(&format!("f --force --kind {kind} {items}"), lines(0..500).repeat(3));
            place.run_on("remove f -q", lines(0..500)).code(0);
            place.run_on("check -c f", lines(0..500)).code(0).prints("500\n");
        }
    }
}

#[test]
fn headroom_leaves_room() {
    let place = Place::new();
    for (factor, made_for) in
        [("2x", 2000), ("2", 2000), ("1.5x", 1500), ("1", 1000), ("1000X", 1_000_000)]
    {
        let ran = place
            .run_on(&format!("build --force a --json --headroom {factor}"), lines(0..1000))
            .code(0);
        assert_eq!(ran.json()["items_target"], made_for, "{factor}");
    }
    place.build("b --kind cuckoo --headroom 3x", lines(0..1000));
    place.run_on("add b", lines(1000..3000)).code(0);
    for (wrong, cause) in [
        ("--headroom 0.5x", "a factor from 1 to 1000"),
        ("--headroom 1001", "a factor from 1 to 1000"),
        ("--headroom nan", "a factor from 1 to 1000"),
        ("--headroom -2", "a factor from 1 to 1000"),
        ("--headroom 2x --items 5", "cannot be used with"),
        ("--headroom 2x --kind ribbon", "--headroom: ribbon is static"),
        ("--headroom 2x --kind stable", "--headroom: stable keeps the latest keys"),
    ] {
        place.run_on(&format!("build c {wrong}"), lines(0..10)).fails(&[cause]);
    }
}

#[test]
fn json_describes_it() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --json --quiet", "x\ny\nx\n").code(0);
    let made = ran.json();
    assert_eq!(made["file"], "a.anther");
    assert_eq!(made["read"], 3);
    assert_eq!(made["inserted"], 2);
    assert_eq!(made["items_target"], 2);
    assert_eq!(made["kind"], "blocked");
}

#[test]
fn no_keys_make_a_filter_that_says_no() {
    let place = Place::new();
    place.run("build empty.anther").code(0).says(&["no keys read, so it answers no to every key"]);
    place.run("check empty.anther x").code(1).prints("no\tx\n");
    place.write("empty.txt", "");
    place.run("build file.anther empty.txt --column name").code(0);
    place.run("build items.anther --items 10").code(0);
}

#[test]
fn too_few_items_are_warned_of() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --items 1k", lines(0..3000)).code(0);
    ran.says(&[
        "warning: a.anther: filter is 296 % full, false-positive rate now",
        "rebuild with --items 3",
    ]);
    let ran = place.run_on("build b.anther --items 3k --quiet", lines(0..3000)).code(0);
    assert_eq!(ran.err, "", "as many as were foreseen");
    // Repetitions are no reason to warn.
    let ran = place.run_on("build c.anther --items 1k --quiet", lines(0..1000).repeat(5)).code(0);
    assert_eq!(ran.err, "");
}

#[test]
fn memory_is_limited_and_repetitions_are_free() {
    let place = Place::new();
    let ran = place.run_on("build a.anther --memory 1KiB", lines(0..200));
    ran.fails(&["standard input", "1.02 kB", "--items", "--memory"]);
    assert!(place.names().is_empty());
    place.run_on("build a.anther --memory 1KiB", lines(0..100).repeat(50)).code(0);
    place.run_on("build b.anther --items 200", lines(0..200)).code(0);
}

#[test]
fn nothing_is_overwritten_without_force() {
    let place = Place::new();
    place.build("a.anther", "old\n");
    let old = place.read("a.anther");
    // It refuses before it reads: the list that does not exist is not even missed.
    place.run("build a.anther missing.txt").fails(&["a.anther: exists already; --force"]);
    assert_eq!(place.read("a.anther"), old);
    place.run_on("build a.anther --force", "new\n").code(0);
    place.run("check a.anther new").code(0);
    place.run("check a.anther old").code(1);

    place.write("words.txt", "word\n");
    place.run("build words.txt").fails(&["words.txt: exists already", "comes first"]);
    place
        .run("build words.txt words.txt --force")
        .fails(&["words.txt: exists already and is not a filter"]);
    place
        .run_on("build words.txt --force", "")
        .fails(&["words.txt: exists already and is not a filter"]);
    assert_eq!(place.read("words.txt"), b"word\n");
    place.run("build a.anther a.anther --force").fails(&["a.anther"]);
    // A damaged filter is still one, and is to be rebuilt.
    place.write("a.anther", &place.read("a.anther")[..40]);
    place.run_on("build a.anther --force", "new\n").code(0);
}

#[test]
fn trouble_is_named_before_anything_is_written() {
    let place = Place::new();
    place.write("words.txt", "word\n");
    fs::create_dir(place.join("folder")).unwrap();
    for (arguments, parts) in [
        ("x.anther missing.txt", &["missing.txt: no such file"][..]),
        ("x.anther words.txt missing.txt", &["missing.txt: no such file"]),
        ("x.anther folder", &["folder: is a folder"]),
        ("folder words.txt --force", &["folder: is a folder; name a file"]),
        ("nowhere/x.anther words.txt", &["nowhere: no such folder"]),
        ("words.txt/x.anther words.txt", &["words.txt: "]),
        ("- words.txt", &["-: to write the filter to standard output, use -o -"]),
        ("x.anther words.txt --fpr 0", &["rate of 0", "below 1"]),
        ("x.anther words.txt --fpr 1", &["did you mean 1%?"]),
        ("x.anther words.txt --fpr 200%", &["rate of 2", "below 1"]),
        ("x.anther words.txt --fpr nan", &["--fpr", "such as 1%"]),
        ("x.anther words.txt --fpr 1e-9", &["blocked cannot reach", "1e-9", "classic"]),
        ("x.anther words.txt --items 0", &["0 items are not possible"]),
        ("x.anther words.txt --items many", &["--items", "such as 58110"]),
        ("x.anther words.txt --items 1e14 --fpr 1e-4", &["fewer items"]),
        ("x.anther words.txt --memory lots", &["--memory", "such as 64MiB"]),
        ("x.anther words.txt --seed -1", &["--seed", "a whole number"]),
        ("x.anther words.txt --fpr -0.1", &["rate of -0.1", "below 1"]),
        ("x.anther words.txt --items -5", &["--items", "a whole number"]),
        ("x.anther words.txt --delimiter ;", &["--delimiter: needs --column"]),
        ("x.anther words.txt --column 0", &["columns are numbered from 1"]),
        ("x.anther words.txt --column 1 --delimiter ab", &["one ASCII character"]),
        ("x.anther words.txt --colunm 1", &["--colunm", "--column"]),
    ] {
        place.run(&format!("build {arguments}")).fails(parts);
        assert_eq!(place.names(), ["folder", "words.txt"], "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_found_before_reading() {
    let place = Place::new();
    // Nobody can write there, not even root.
    place.run("build /proc/x.anther missing.txt").fails(&["/proc: cannot write there"]);
}

/// Counts and sizes as people write them.
#[test]
fn numbers_are_read_in_every_usual_form() {
    let place = Place::new();
    for items in ["1000000", "1,000,000", "1_000_000", "1m", "1M", "1000k", "1e6", "0.001g"] {
        let ran = place.run_on(&format!("build --force f --items {items} --json"), "x\n").code(0);
        assert_eq!(ran.json()["items_target"], 1_000_000, "{items}");
    }
    for memory in ["1gb", "1GB", "64mib", "64MiB", "1,000,000"] {
        place.build(&format!("--force f --memory {memory}"), "x\n");
    }
    for (wrong, cause) in [
        ("--items 1e30", "too large; at most 281,474,976,710,656"),
        ("--items 300T", "too large; at most 281,474,976,710,656"),
        ("--items 1,00", "a whole number is needed, such as 58110, 1,000,000"),
        ("--items 10min", "min is a unit of time; a count is needed"),
        ("--memory 1e30", "too large; at most 18,446,744,073,709,551,615"),
    ] {
        place.run_on(&format!("build --force f {wrong}"), "x\n").fails(&[cause]);
    }
}

/// The same with and without --force, and true.
#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_named() {
    let place = Place::new();
    std::os::unix::fs::symlink("nowhere", place.join("link")).unwrap();
    for force in ["", "--force"] {
        let ran = place.run_on(&format!("build link {force}"), "x\n");
        ran.fails(&["link: is a symlink to a file that does not exist; remove it first"]);
    }
}

#[cfg(unix)]
#[test]
fn unreadable_input_leaves_nothing() {
    let place = Place::new();
    place.write("words.txt", "word\n");
    std::os::unix::fs::symlink("loop", place.join("loop")).unwrap();
    place.run("build x.anther words.txt loop").fails(&["loop: cannot read"]);
    assert_eq!(place.names(), ["loop", "words.txt"]);
}

/// Records that many threads read keep their order and their numbers.
#[test]
fn a_bad_record_far_on_has_its_number() {
    let place = Place::new();
    let many = "cafe0123456789\n".repeat(100_000);
    place.write("first.txt", &many);
    place.write("second.txt", format!("{many}wrong\n{many}"));
    for items in ["", "--items 10"] {
        let ran = place.run(&format!("build x.anther first.txt second.txt --hex {items}"));
        ran.fails(&["second.txt: line 100001: \"wrong\": not hexadecimal"]);
    }
    let named = format!("id,name\n{}", "1,x\n".repeat(200_000));
    let ran = place.run_on("build x.anther --column name", format!("{named}2\n"));
    ran.fails(&["standard input: line 200002: no column 2"]);
    assert_eq!(place.names(), ["first.txt", "second.txt"]);
}

#[test]
fn threads_and_order_do_not_change_the_file() {
    let place = Place::new();
    let lines: Vec<String> = (0..200_000).map(|i| format!("key number {i}\n")).collect();
    let backwards: String = lines.iter().rev().map(String::as_str).collect();
    place.write("keys.txt", lines.concat());
    place.write("back.txt", backwards);
    for kind in ["blocked", "classic", "split", "compressed", "counting", "quotient"] {
        place.build(&format!("a.anther --force --kind {kind} --items 200k keys.txt"), "");
        place.build(&format!("b.anther --force --kind {kind} --items 200k back.txt"), "");
        place.build(&format!("c.anther --force --kind {kind} keys.txt"), "");
        assert!(place.read("a.anther") == place.read("b.anther"), "{kind}");
        assert!(place.read("a.anther") == place.read("c.anther"), "{kind}, counted first");
    }
}

#[test]
fn a_bad_record_is_named_and_nothing_is_written() {
    let place = Place::new();
    place.write("list.txt", "cafe\n00\nnot hex\n");
    place
        .run("build x.anther list.txt --hex")
        .fails(&["list.txt: line 3: \"not hex\": not hexadecimal"]);
    place.write("list.csv", "a,b\nc\n");
    let ran = place.run("build x.anther list.csv --column 2");
    ran.fails(&["list.csv: line 2: no column 2", "the record has 1 column"]);
    let ran = place.run("build x.anther list.csv --column mail");
    ran.fails(&["list.csv: line 1", "no column \"mail\"; the header row has"]);
    place.write("list.nul", "ab\0cd\0x\0");
    let ran = place.run("build x.anther list.nul --hex -0 --items 5");
    ran.fails(&["list.nul: record 3: \"x\": not hexadecimal"]);
    let ran = place.run_on("build x.anther --column 1", "\"open,\n");
    ran.fails(&["standard input: line 1: a quoted field"]);
    assert_eq!(place.names(), ["list.csv", "list.nul", "list.txt"]);
}

#[test]
fn a_long_line_and_a_last_line_without_end_are_keys() {
    let place = Place::new();
    let long = "x".repeat(1 << 20);
    place.build("a.anther", format!("{long}\nlast"));
    place.run("check a.anther last").code(0);
    place.run_on("check -c a.anther", &long).code(0).prints("1\n");
    place.run_on("check -c a.anther", &long[1..]).code(1).prints("0\n");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_copy_of_a_parquet_file_needs_the_feature() {
    let place = Place::new();
    place.write("in.parquet", b"PAR1\x15\x04\x15\x10PAR1");
    let ran = place.run("build out.parquet in.parquet --to parquet --column id --column user");
    ran.fails(&["in.parquet: a copy of a Parquet file", "installed with --features parquet"]);
    assert_eq!(place.names(), ["in.parquet"]);
}
