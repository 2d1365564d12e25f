//! `anther draw`: worked examples, small filters of every kind, and files.

use crate::support::{self, Place};
use anther::Kind;
use serde_json::Value;
use std::fs;

const EXAMPLE: &str = "draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12";

fn text(place: &Place, arguments: &str) -> String {
    let ran = place.run(arguments).code(0);
    assert_eq!(ran.err, "", "{arguments}");
    String::from_utf8(ran.out).expect("it is UTF-8")
}

/// The cells of each step's first row, without anything between them.
fn rows(scene: &Value) -> Vec<(String, String)> {
    let steps = scene["steps"].as_array().expect("steps");
    let row = |step: &Value| {
        let cells = step["rows"][0]["cells"].as_array().expect("cells").iter();
        let cells: String = cells.map(|cell| cell.as_str().expect("text")).collect();
        (step["title"].as_str().expect("a title").to_string(), cells)
    };
    steps.iter().map(row).collect()
}

#[test]
fn the_worked_example_is_that_of_the_source() {
    let place = Place::new();
    let shown = text(&place, &format!("{EXAMPLE} --remove 9"));
    for line in [
        "  bit        0 1 2 3 4 5 6 7 8 9\n",
        "  empty      0 0 0 0 0 0 0 0 0 0\n",
        "  insert 2   0 0 1 1 0 0 0 1 0 0  sets 2 7 3\n                 * *       *\n",
        "  insert 4   0 1 1 1 1 0 0 1 0 1  sets 4 1 9\n",
        "  insert 9   0 1 1 1 1 0 0 1 0 1  sets 9 1 4: nothing new, 4 has the same\n",
        "  query 4    0 1 1 1 1 0 0 1 0 1  all 1, so maybe\n               =     =         =\n",
        "  query 5    0 1 1 1 1 0 0 1 0 1  5 is 0, so no\n                 ^ ^   !\n",
        "  query 12   0 1 1 1 1 0 0 1 0 1  all 1, so maybe, but wrong: a false positive\n",
        "  remove 9   0 0 1 1 0 0 0 1 0 0  clears 9 1 4; 4 goes with it\n",
        "  query 4    0 0 1 1 0 0 0 1 0 0  4 1 9 are 0, so no, but it was in: gone with 9\n",
        "! the reason for a no\n",
    ] {
        assert!(shown.contains(line), "{line:?} is not in\n{shown}");
    }

    let scene = place.run(&format!("{EXAMPLE} --remove 9 --json")).code(0).json();
    let rows = rows(&scene);
    let rows: Vec<_> = rows.iter().map(|(title, row)| (title.as_str(), row.as_str())).collect();
    assert_eq!(rows[1], ("insert 2", "0011000100"));
    assert_eq!(rows[2], ("insert 4", "0111100101"));
    assert_eq!(rows[3], ("insert 9", "0111100101"));
    assert_eq!(rows[7], ("remove 9", "0011000100"));
    let step = &scene["steps"][5];
    assert_eq!((&step["action"], &step["key"]), (&"query".into(), &"5".into()));
    assert_eq!((&step["answer"], &step["wrong"]), (&"no".into(), &Value::Null));
    assert_eq!(step["rows"][0]["missing"], Value::from([5]));
    assert_eq!(step["touches"][0], serde_json::json!({"row": 0, "cell": 5, "hash": 1}));
    assert_eq!(scene["steps"][3]["rows"][0]["shared"], Value::from([1, 4, 9]));
    assert_eq!(scene["steps"][2]["rows"][0]["changed"], Value::from([1, 4, 9]));
    assert_eq!(scene["steps"][6]["wrong"], "false positive");
    assert_eq!(scene["steps"][8]["wrong"], "false negative");

    let counting = place.run(&format!("{EXAMPLE} --remove 9 --kind counting --json")).code(0);
    let counting = counting.json();
    assert_eq!(self::rows(&counting)[3].1, "0211200102");
    assert_eq!(counting["steps"][8]["answer"], "maybe", "4 stays");
}

/// Text [3] calls its keys x1, x2, y1 and y2, and text [4] draws all arrows at once.
#[test]
fn keys_have_names_and_arrows_come_together() {
    let place = Place::new();
    let named = "draw --bits 12 --hash x+3,3x+1,x --insert x1=1,x2=2 --query y1=5 --together";
    let shown = text(&place, named);
    for words in ["insert x1 = 1", "sets 4 4 1", "query y1 = 5", "all together", "y1 has 8 4 5"] {
        assert!(shown.contains(words), "{words:?} is not in\n{shown}");
    }
    let scene = place.run(&format!("{named} --json")).code(0).json();
    let last = scene["steps"].as_array().unwrap().last().unwrap();
    let keys = last["together"].as_array().unwrap();
    assert_eq!(keys[0], serde_json::json!({"key": "x1", "inserted": true, "cells": [4, 1]}));
    assert_eq!(keys[2]["inserted"], false);
    assert_eq!(last["rows"][0]["missing"], Value::from([8]));
    assert!(scene["steps"][1].get("together").is_none());
    place.run(&format!("{named} -o all.svg")).code(0);
    let picture = fs::read_to_string(place.join("all.svg")).unwrap();
    assert!(picture.matches(">x1<").count() >= 2, "its own step, and all together");
    place.run("draw --bits 9 --hash x --insert x1=").fails(&["--insert", "a key is missing"]);
    place.run("draw --kind classic --insert ant --together").fails(&["--bits"]);
}

#[test]
fn colours_only_where_they_are_asked_for() {
    let place = Place::new();
    let plain = place.run(EXAMPLE).code(0).out;
    assert!(!plain.contains(&0x1b));
    let coloured = place.run(&format!("{EXAMPLE} --color always")).code(0).out;
    assert!(coloured.contains(&0x1b));
    assert_eq!(place.run(&format!("{EXAMPLE} --color never")).code(0).out, plain);
    // Keys cannot bring their own.
    for arguments in [["--insert", "a\u{1b}[2Jb"], ["--query", "x\u{9b}1m"]] {
        let mut all = vec!["draw", "--kind", "classic"];
        all.extend(arguments);
        assert!(!place.run_args(all, "").code(0).out.windows(2).any(|pair| pair == b"\x1b["));
    }
}

#[test]
fn lines_are_as_wide_as_the_terminal() {
    let place = Place::new();
    for (arguments, widths) in [
        ("draw --bits 100 --hash x,7x --insert 3,4 --query 5", [40, 80, 200]),
        ("draw --kind cuckoo --items 40 --insert a,b --query c", [40, 80, 132]),
        (EXAMPLE, [40, 60, 100]),
    ] {
        for width in widths {
            for locale in ["C", "C.UTF-8"] {
                let mut command = place.command(arguments.split_whitespace());
                command.env("COLUMNS", width.to_string()).env("LC_ALL", locale);
                let shown = String::from_utf8(support::ran(command).code(0).out).unwrap();
                for line in shown.lines() {
                    assert!(line.chars().count() <= width, "{width}: {line}");
                }
                assert!(locale == "C.UTF-8" || shown.is_ascii(), "{shown}");
            }
        }
    }
}

#[test]
fn every_kind_draws_itself() {
    let place = Place::new();
    for kind in Kind::ALL {
        let keys = if *kind == Kind::Bloomier { "ant=3,bee=5,cat=1" } else { "ant,bee,cat" };
        let command = format!("draw --kind {kind} --insert {keys} --query bee,zebra");
        let shown = text(&place, &command);
        assert!(shown.starts_with(&format!("{kind}: ")) && shown.contains("query bee"), "{shown}");
        let scene = place.run(&format!("{command} --json")).code(0).json();
        let steps = scene["steps"].as_array().unwrap();
        let asked = steps.iter().find(|step| step["title"] == "query bee").unwrap();
        // Of three keys, a filter made for three may have forgotten one, if it is made to.
        let forgets = !kind.capabilities().no_false_negatives;
        assert!(asked["answer"] == "maybe" || forgets, "{kind}");
        assert!(!asked["touches"].as_array().unwrap().is_empty(), "{kind}");
        place.run(&format!("{command} -o {kind}.svg")).code(0).prints("");
        assert!(place.read(&format!("{kind}.svg")).starts_with(b"<svg "), "{kind}");

        // The same from a file, with the cells of a key.
        let list = "ant\t3\nbee\t5\ncat\t1\n";
        let file = format!("{kind}.anther");
        place.build(&format!("{file} {} --fpr 10%", support::of_kind(*kind)), list);
        let key = if *kind == Kind::Bloomier { "bee" } else { "bee\t5" };
        let ran = place.run_args(["draw", &file, key, "--json"], "").code(0);
        let step = &ran.json()["steps"][0];
        assert!(step["answer"] == "maybe" || forgets, "{kind}");
        assert!(!step["touches"].as_array().unwrap().is_empty(), "{kind}");
        let whole = text(&place, &format!("draw {file}"));
        assert!(whole.starts_with(&format!("{file}: {kind}, ")), "{whole}");
    }
}

#[test]
fn kinds_say_what_happens() {
    let place = Place::new();
    let shown = text(
        &place,
        "draw --kind scalable --over classic --items 2 --insert a,b,c,d --query d,nobody",
    );
    assert!(shown.contains("the layer was full, so a new one begins"), "{shown}");
    assert!(shown.contains("bits, layer 2") && shown.contains("all 1 in layer 2"), "{shown}");
    assert!(shown.contains("a 0 in every layer, so no"), "{shown}");

    let shown =
        text(&place, "draw --kind bloomier --insert ant=3,bee=5 --query bee,ant --fpr 0.01%");
    assert!(shown.contains("so maybe; the value is 5"), "{shown}");
    assert!(shown.contains("so maybe; the value is 3"), "{shown}");

    // One region, so that the second key collides, and the mark shows.
    let shown = text(&place, "draw --kind deletable --regions 1 --insert ant,ant --remove ant");
    assert!(shown.contains("collides, so region 0 is marked"), "{shown}");

    let shown = text(&place, "draw --kind cuckoo --items 4 --insert a,b --query a --remove a");
    assert!(shown.contains("goes to bucket ") && shown.contains("might have gone to"), "{shown}");
    assert!(shown.contains("out of bucket "), "{shown}");
    // Nine copies of one key have no room in its two buckets of four.
    let shown = text(&place, "draw --kind cuckoo --items 40 --insert a,a,a,a,a,a,a,a,a");
    assert!(shown.contains("refused: "), "{shown}");
    let shown = text(&place, "draw --kind counting --insert a,a --query a --remove a,b");
    assert!(shown.contains("so maybe; count 2"), "{shown}");
    assert!(shown.contains("so maybe; count 1"), "{shown}");
}

#[test]
fn a_file_shows_what_keys_share() {
    let place = Place::new();
    place.build("f.anther --kind classic --fpr 20% --ignore-case", "ant\nbee\ncat\n");
    let scene = place.run("draw f.anther ant ANT dog --json").code(0).json();
    let steps = scene["steps"].as_array().unwrap();
    // The file folds case, so both are one key; that one key shares nothing with itself.
    assert_eq!(steps[0]["touches"], steps[1]["touches"]);
    assert_eq!((&steps[0]["answer"], &steps[0]["wrong"]), (&"maybe".into(), &Value::Null));
    let shared = |scene: &Value| scene["steps"][0]["rows"][0]["shared"].as_array().unwrap().len();
    let all = "ant bee cat dog eel fox gnu hen".split(' ').collect::<Vec<_>>();
    let many = place.run(&format!("draw f.anther {} --json", all.join(" "))).code(0).json();
    assert!(shared(&many) > shared(&scene), "24 probes of 11 bits must meet");

    place.run("draw f.anther ant --trim").fails(&["f.anther", "--trim contradicts the filter"]);
    place.run("draw f.anther --cells 2..5 --json").code(0);
    let part = place.run("draw f.anther --cells 2..5 --json").json();
    assert_eq!(part["steps"][0]["rows"][0]["first"], 2);
    assert_eq!(part["steps"][0]["rows"][0]["cells"].as_array().unwrap().len(), 3);
    place.run("draw f.anther --cells 500..").fails(&["f.anther", "no such cells"]);
    place.run("draw f.anther --cells 5..5").fails(&["5..5", "empty range"]);
    place.run("draw f.anther --cells five").fails(&["five", "0..512"]);

    // The cells of a keyed filter are no secret; which are a key's, is one.
    place.build("k.anther --keyed --key-file k.key --kind classic", "ant\n");
    place.run("draw k.anther").code(0);
    place.run("draw k.anther ant").fails(&["k.anther", "secret key", "--key-file"]);
    let ran = place.run("draw k.anther ant --key-file k.key --json").code(0);
    assert_eq!(ran.json()["steps"][0]["answer"], "maybe");
}

#[test]
fn a_large_file_is_drawn_in_parts() {
    let place = Place::new();
    place.build("large.anther --kind classic --items 10k", "ant\n");
    place.run("draw large.anther").fails(&["large.anther: 95,", "anther info", "--cells"]);
    let part = text(&place, "draw large.anther ant --cells 0..640");
    assert!(part.contains("so maybe"), "{part}");
    place.run("draw --kind classic --items 1M").fails(&["bits", "--items"]);
    place.run("draw --kind classic --items 2000").fails(&["cells", "--items"]);
    place.run("draw --kind classic --items 1000000000000000").fails(&["items"]);
}

#[test]
fn pictures_are_written_whole_or_not_at_all() {
    let place = Place::new();
    place.run(&format!("{EXAMPLE} -o a.svg -o c.svg")).code(0).prints("");
    let svg = String::from_utf8(place.read("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<text ").count(), svg.matches("</text>").count());
    assert_eq!(place.read("c.svg"), svg.as_bytes());
    place.run(&format!("{EXAMPLE} -o a.svg")).fails(&["a.svg: exists already; --force"]);
    place.run(&format!("{EXAMPLE} --step 3 -o a.svg --force")).code(0);
    assert!(place.read("a.svg").len() < svg.len(), "one step takes less");
    place.run(&format!("{EXAMPLE} -o a.jpg")).fails(&["a.jpg", ".svg or .png"]);
    place.run(&format!("{EXAMPLE} -o no/a.svg")).fails(&["no", "no such folder"]);
    place.run(&format!("{EXAMPLE} --step 8")).fails(&["--step 8", "the steps are 1 to 7"]);
    place.run(&format!("{EXAMPLE} --force")).fails(&["--out"]);
    let json = place.run(&format!("{EXAMPLE} --json -o b.svg")).code(0).json();
    assert_eq!(json["steps"].as_array().unwrap().len(), 7);
    let keys = ["draw", "--kind", "classic", "--insert", "<b>&amp;'\"", "-o", "k.svg"];
    place.run_args(keys, "").code(0);
    assert!(fs::read_to_string(place.join("k.svg")).unwrap().contains("&lt;b&gt;&amp;amp;"));
    assert_eq!(place.names(), ["a.svg", "b.svg", "c.svg", "k.svg"]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = Place::new();
    place.write("list.txt", "a list, and no filter\n");
    for (arguments, parts) in [
        ("draw", &["nothing to draw", "--bits", "--kind"][..]),
        ("draw --bits 10", &["--hash"]),
        ("draw --hash x", &["--bits"]),
        ("draw --bits 10 --hash x,2y", &["2y", "unexpected 'y' at character 2"]),
        ("draw --bits 10 --hash x,", &["x or a number is missing"]),
        ("draw --bits 0 --hash x", &["--bits 0", "1 to 8192"]),
        ("draw --bits 9999 --hash x", &["--bits 9999", "1 to 8192"]),
        ("draw --bits -1 --hash x", &["-1"]),
        ("draw --bits 10 --hash x --insert two", &["--insert two", "whole number"]),
        ("draw --bits 10 --hash x --query -1", &["-1"]),
        ("draw --bits 10 --hash x --kind cuckoo", &["cuckoo", "classic or counting"]),
        ("draw --bits 10 --hash x --items 5", &["--items"]),
        ("draw --bits 10 --hash x --regions 5", &["--regions 5"]),
        ("draw --kind classic --insert a --remove a", &["classic", "--bits"]),
        ("draw --kind classic --regions 5 --insert a", &["classic", "regions"]),
        ("draw --kind bloomier --insert ant", &["ant", "key=7"]),
        ("draw --kind bloomier --insert ant=x", &["ant=x", "key=7"]),
        ("draw --kind sieve", &["sieve"]),
        ("draw --items 5 --insert a", &["--kind"]),
        ("draw list.txt", &["list.txt", "anther build"]),
        ("draw no.anther", &["no.anther: no such file"]),
        ("draw list.txt --insert a", &["--insert"]),
        ("draw --kind classic --items 0 --insert a", &["--items 0", "must be 1 or more"]),
        ("draw --bits 9 --hash x --insert 18446744073709551616", &["--insert 1844", "too large"]),
        ("draw --bits 9 --hash x --insert=", &["--insert", "a key is missing", "2,4,9"]),
        ("draw --bits 9 --hash x --step 1-2", &["1-2", "must be numbers of steps", "5,6"]),
        ("draw --kind fuse --insert a --remove a", &["fuse", "is static", "--remove"]),
    ] {
        place.run(arguments).fails(parts);
    }
}

#[test]
fn options_of_files_are_refused_where_there_is_none() {
    let place = Place::new();
    for option in [
        "--ignore-case",
        "--hex",
        "--trim",
        "--null",
        "--column 1",
        "--delimiter ;",
        "--key-file k",
        "--cells 0..5",
    ] {
        let name = option.split(' ').next().unwrap();
        place.run(&format!("draw --kind classic --insert a {option}")).fails(&[name, "--kind"]);
        place.run(&format!("draw --bits 9 --hash x {option}")).fails(&[name, "--bits"]);
    }
}

/// The numbers from 1 to this.
fn numbers(to: u64) -> String {
    (1..=to).map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn long_stories_are_refused_before_they_are_made() {
    let place = Place::new();
    let keys = numbers(900);
    let hash = "--bits 8192 --hash x,2x+3,3x+7 --step 1";
    place.run(&format!("draw {hash} --insert {keys}")).fails(&[
        "901 steps of 8,192 cells",
        "7,380,992 cells",
        "1,000,000",
        "fewer keys",
    ]);
    let many = numbers(10_000);
    let kind = "--kind classic --items 1000 --step 1";
    place.run(&format!("draw {kind} --insert {many}")).fails(&["10,001 steps", "1,000"]);
    place.run(&format!("draw {kind} --insert {keys}")).fails(&["901 steps of", "fewer --items"]);
    place.run(&format!("draw --kind fuse --insert {many}")).fails(&["10,000", "1,000"]);
    // Grows until it is too much.
    let grows = "--kind scalable --items 4 --fpr 1% --over counting";
    place.run(&format!("draw {grows} --insert {keys}")).fails(&["901 steps of", "fewer keys"]);
    place.build("f.anther --kind classic --items 600", "ant\n");
    let all = numbers(900).replace(',', " ");
    place.run(&format!("draw f.anther {all}")).fails(&["900 steps of", "--cells"]);

    let long = format!("draw --bits 10 --hash x,3x --insert {}", numbers(200));
    place.run(&format!("{long} --step 1 -o b.svg -o c.svg -o b.svg")).fails(&["b.svg", "twice"]);
    assert_eq!(place.names(), ["f.anther"]);
}

fn notes(place: &Place, arguments: &str) -> Vec<String> {
    let scene = place.run(&format!("draw {arguments} --json")).code(0).json();
    let steps = scene["steps"].as_array().expect("steps").iter();
    let said = |step: &Value, part: &str| step[part].as_str().expect("text").to_string();
    steps.map(|step| format!("{}: {}", said(step, "title"), said(step, "note"))).collect()
}

#[test]
fn only_what_goes_with_a_key_is_said_to() {
    let place = Place::new();
    let said =
        notes(&place, "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --remove 9,2,4 --query 4,2");
    assert_eq!(
        said[6..],
        [
            "remove 9: clears 9 1 4; 4 goes with it",
            "remove 2: clears 2 7 3",
            "remove 4: gone with 9 already, so nothing changes",
            "query 4: 4 1 9 are 0, so no",
            "query 2: 2 7 3 are 0, so no",
        ]
    );
    let said = notes(&place, "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --remove 9,2 --query 4");
    assert_eq!(said[7], "query 4: 4 1 9 are 0, so no, but it was in: gone with 9");
    let said = notes(&place, "--bits 10 --hash x,2x+3 --kind counting --insert 2,4 --remove 14,2");
    assert_eq!(
        said[3..],
        ["remove 14: lowers 4 1, though it is not in; 4 goes with it", "remove 2: lowers 2 7",]
    );
    // Bits have a key once, and counters as often as it came.
    let twice = "--bits 10 --hash x,2x+3 --insert 2,2 --remove 2 --query 2";
    assert_eq!(notes(&place, twice)[4..], ["remove 2: clears 2 7", "query 2: 2 7 are 0, so no"]);
    let said = notes(&place, &format!("{twice} --kind counting"));
    assert_eq!(said[5], "query 2: all above 0, so maybe");
}

#[test]
fn counters_at_their_largest_value_stay() {
    let place = Place::new();
    let twelve = "2,2,2,2,2,2,2,2,2,2,2,2";
    let said = notes(
        &place,
        &format!("--bits 10 --hash x,x --kind counting --insert {twelve} --remove 2"),
    );
    assert_eq!(said[1], "insert 2: raises 2 2");
    assert_eq!(said[12], "insert 2: 2 stays at 15, the largest value");
    assert_eq!(said[13], "remove 2: 2 stays at 15, the largest value");
    let said =
        notes(&place, "--kind counting --items 9 --counter-bits 2 --insert a,a,a,a --remove a");
    assert!(said[1].starts_with("insert a: raises ") && !said[1].contains("stay"), "{said:?}");
    assert!(said[4].contains(" stay at 3, the largest value"), "{said:?}");
}

#[test]
fn tags_that_move_are_named_and_found() {
    let place = Place::new();
    let draw = format!("--kind cuckoo --items 9 --insert {} --query 28,99", numbers(28));
    let said = notes(&place, &draw);
    let put = &said[28];
    assert!(put.starts_with("insert 28: tag "), "{put}");
    assert!(put.contains(" moves from bucket "), "{put}");
    // The tag that moves was in the first bucket before and is in the other after.
    let scene = place.run(&format!("draw {draw} --json")).code(0).json();
    let words: Vec<&str> = put.rsplit("; ").next().unwrap().split(' ').collect();
    let (tag, from, to) = (words[0], words[4], words[6]);
    let has = |step: usize, bucket: &str| {
        let bucket: usize = bucket.parse().unwrap();
        let cells = scene["steps"][step]["rows"][0]["cells"].as_array().unwrap();
        cells[4 * bucket..][..4].iter().filter(|cell| *cell == tag).count()
    };
    assert_eq!(has(27, from), has(28, from) + 1, "{put}");
    assert_eq!(has(27, to) + 1, has(28, to), "{put}");
    // The cell of the tag alone is marked, and only for a maybe.
    let found = |step: usize| &scene["steps"][step]["rows"][0]["found"];
    assert_eq!(found(29).as_array().unwrap().len(), 1);
    assert_eq!(*found(30), serde_json::json!([]));
    assert_eq!(scene["steps"][30]["rows"][0]["missing"], serde_json::json!([]));
    let shown = text(&place, &format!("draw {draw} --step 30"));
    assert!(shown.contains("+ its tag"), "{shown}");
    let twice = notes(&place, "--kind dleft --insert a,a");
    assert!(twice[2].contains("already, and counts once more"), "{twice:?}");
}

#[test]
fn a_layer_is_named_and_only_its_cells_are_marked() {
    let place = Place::new();
    let draw = "--kind scalable --items 2 --over classic --insert a,b,c,a --query c";
    let said = notes(&place, draw);
    assert!(said[1].starts_with("insert a: sets ") && !said[1].contains("layer"), "{said:?}");
    assert!(said[3].ends_with(" (layer 2)"), "{said:?}");
    assert_eq!(said[4], "insert a: nothing new: all were 1 already (layer 1)");
    let scene = place.run(&format!("draw {draw} --json")).code(0).json();
    let rows = |step: usize| {
        let touches = scene["steps"][step]["touches"].as_array().unwrap().iter();
        let mut rows: Vec<_> = touches.map(|touch| touch["row"].as_u64().unwrap()).collect();
        rows.dedup();
        rows
    };
    assert_eq!((rows(3), rows(4), rows(5)), (vec![1], vec![0], vec![0, 1]));
    let title = "scalable: 2 layers with 4 keys, the first made for 2, at 10 %";
    assert_eq!(scene["title"], title);
    for (kind, title) in [("quotient", "64 slots for 3 keys"), ("fuse", " slots for 2 keys")] {
        let shown = text(&place, &format!("draw --kind {kind} --insert a,b,a"));
        assert!(shown.starts_with(kind) && shown.contains(title), "{shown}");
    }
}

#[test]
fn increments_can_be_followed() {
    let place = Place::new();
    let draw = "--kind variable-increment --items 3 --seed 5 --insert ant,bee,cat --remove cat";
    let scene = place.run(&format!("draw {draw} --json")).code(0).json();
    let cells = |step: usize| -> Vec<(u64, u64)> {
        let cells = scene["steps"][step]["rows"][0]["cells"].as_array().unwrap().iter();
        let parts = |text: &str| match text.split_once(':') {
            Some((count, sum)) => (count.parse().unwrap(), sum.parse().unwrap()),
            None => (text.parse().unwrap(), 0),
        };
        cells.map(|cell| parts(cell.as_str().unwrap())).collect()
    };
    for step in 1..=3 {
        // What the note says is added is the difference of the sums; they go round at 16.
        let note = scene["steps"][step]["note"].as_str().unwrap();
        let added = note.strip_prefix("adds ").unwrap().replace(" and ", ", ");
        let mut sums = cells(step - 1);
        for part in added.split(", ") {
            let (amount, cell) = part.split_once(" to ").unwrap();
            let cell = &mut sums[cell.parse::<usize>().unwrap()];
            cell.1 = (cell.1 + amount.parse::<u64>().unwrap()) % 16;
        }
        let only_sums = |cells: Vec<(u64, u64)>| -> Vec<u64> {
            cells.into_iter().map(|(_, sum)| sum).collect()
        };
        assert_eq!(only_sums(sums), only_sums(cells(step)), "{note}");
    }
    assert_eq!(cells(4), cells(2), "cat is out again");
    assert!(scene["steps"][4]["note"].as_str().unwrap().starts_with("takes "));
    let said = notes(&place, &format!("{draw} --query owl"));
    assert_eq!(said[4], "query owl: 2 has one number, 7, and its own is 1, so no");
}

#[test]
fn what_is_not_drawn_is_said() {
    let place = Place::new();
    place.build("large.anther --kind classic --items 10k --fpr 10%", "ant\n");
    let scene = place.run("draw large.anther ant --cells 0..8 --json").code(0).json();
    let note = scene["steps"][0]["note"].as_str().unwrap();
    assert!(note.starts_with("all 1, so maybe; its cells "), "{note}");
    assert!(note.ends_with(" are outside what is drawn"), "{note}");
    let shown = text(&place, "draw --bits 1000 --hash x,x+500 --insert 3,100,900");
    assert!(shown.contains(" more empty lines\n"), "{shown}");
    assert!(shown.contains(" more lines, with 2 ones\n"), "{shown}");
    assert!(shown.contains(" more lines, with a one\n"), "{shown}");
    let shown = text(&place, "draw --bits 1 --hash x");
    assert!(shown.contains("of 1 bit\nx goes to x, modulo 1.\n"), "{shown}");
}

/// A filter that rejects a ninth copy says that it is one.
#[test]
fn copies_that_do_not_fit_are_named() {
    let place = Place::new();
    let copies = ["a"; 9].join(",");
    let ran = place.run(&format!("draw --kind cuckoo --items 20 --insert {copies}")).code(0);
    let words = String::from_utf8(ran.out).unwrap();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("refused: the cuckoo filter holds 8 copies of this key"), "{words}");
}
