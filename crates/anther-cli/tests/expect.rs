//! `check --expect`: known members first.

use crate::support::Place;

#[test]
fn known_members_must_be_found() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "ann@x.org\nbob@x.org\n");
    place.write("known.txt", "ann@x.org\n");
    place.write("case.txt", "ann@x.org\nBob@x.org\nAnn@x.org\n");
    let input = "new@x.org\nbob@x.org\n";
    place.run_on("check f.anther --expect known.txt", input).code(0).prints("bob@x.org\n");
    place.run_on("check f.anther --expect known.txt -v", input).code(0).prints("new@x.org\n");
    place.run("check f.anther --expect known.txt ann@x.org").code(0);
    for arguments in [
        "check f.anther --expect case.txt",
        "check f.anther --expect case.txt -v",
        "check f.anther --expect case.txt -c",
        "check f.anther --expect case.txt -q",
        "check f.anther --expect known.txt --expect case.txt ann@x.org",
    ] {
        let all = if arguments.contains("known") { "4" } else { "3" };
        place.run_on(arguments, input).fails(&[
            "case.txt: line 2 (Bob@x.org) was expected, but is not in f.anther",
            &format!("2 of {all} expected keys are missing"),
            "another list",
            "letter case",
        ]);
    }
}

#[test]
fn expected_keys_are_read_like_all_others() {
    let place = Place::new();
    place.write("a.csv", "id,mail\n1,Ann\n");
    place.build("f.anther a.csv --column mail --ignore-case --fpr 1e-6", "");
    place.write("known.csv", "mail\nANN\n");
    place.run("check f.anther --expect known.csv ann").code(0);
    place.write("plain.txt", "ANN\n");
    place.run("check f.anther --expect plain.txt ann").fails(&["plain.txt"]);
    // Nothing to expect tells nothing.
    place.write("empty.txt", "");
    place.run("check f.anther --expect empty.txt ann").fails(&["empty.txt: has no keys to expect"]);
    place.run("check f.anther --expect missing.txt ann").fails(&["missing.txt: no such file"]);
    // By standard input, if the keys are elsewhere.
    place.run_on("check f.anther --expect - ann", "mail\nann\n").code(0);
    // Found in one of several filters is found.
    place.build("g.anther --column mail --ignore-case --fpr 1e-6", "mail\nbob\n");
    place.write("both.csv", "mail\nbob\nann\n");
    place.run("check f.anther --also g.anther --expect both.csv x").code(1);
}

/// As it is published: with comments, in the syntax of hosts files and ad blockers.
#[test]
fn the_published_list_itself_is_expected() {
    let place = Place::new();
    for (form, list, key, other) in [
        ("domain", "# c\n0.0.0.0 ads.example\n||spy.example^\n", "x.spy.example", "other.example"),
        ("ip", "; c\n10.0.0.0/8 ; one\n192.0.2.0-192.0.2.1\n", "10.1.2.3", "198.51.100.7"),
    ] {
        place.write("list.txt", list);
        place.run(&format!("build f.anther --force list.txt --as {form} --fpr 1e-6")).code(0);
        place.run(&format!("check f.anther --expect list.txt {key}")).code(0);
        place.write("more.txt", format!("{list}# c\n{other}\n"));
        let more = format!("more.txt: line 5 ({other}) was expected");
        place.run(&format!("check f.anther --expect more.txt {key}")).fails(&[&more]);
    }
}
