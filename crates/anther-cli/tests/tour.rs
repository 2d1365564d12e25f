//! `anther tour`, from beginning to end.

use crate::support::Place;

#[test]
fn every_claim_holds_and_the_commands_are_shown() {
    let place = Place::new();
    let ran = place.run("tour --dir here").code(0);
    assert_eq!(ran.err, "");
    let text = String::from_utf8(ran.out).unwrap();
    for part in [
        "$ anther build words.anther words.txt --kind classic --fpr 1%\n",
        "  insert 4   0 1 1 1 1 0 0 1 0 1",
        "$ anther measure words.anther --members words.txt --absent absent-words.txt\n",
        "  probes           7 per key\n",
        "$ anther check --map -c urls.anther < absent-urls.txt\n",
        "$ anther merge merged.anther half-1.anther half-2.anther\n",
        "$ anther build ribbon.anther words.txt --kind ribbon --fpr 1%\n",
        "checksum mismatch",
        "truncated",
        "broken, as it must be\n",
        "33 claims held, 0 failed\n",
        "What to try next\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains("FAILS"), "{text}");
    assert!(!text.contains('\u{1b}'), "colours are for terminals");
    let kept = place.join("here").join("urls.anther");
    assert!(kept.is_file());

    // The folder is kept, and never written to again.
    place.run("tour --dir here").fails(&["here", "not empty; "]);
}

#[test]
fn the_ledger_is_there_as_json() {
    let place = Place::new();
    let report = place.run("tour --dir here --json").code(0).json();
    assert_eq!(report["passed"], true);
    assert!(report["dir"].as_str().unwrap().ends_with("here"));
    let ledger = report["ledger"].as_array().unwrap();
    assert_eq!(ledger.len(), 33);
    for line in ledger {
        for name in ["source", "claim", "measured", "verdict"] {
            assert!(line[name].as_str().is_some_and(|text| !text.is_empty()), "{line}");
        }
        assert_eq!(line["passed"], true, "{line}");
    }
}
