//! What the program says about filters is true, and its advice works when pasted.

use crate::support::Place;

/// Standard input can be read only once; the other files are read all the same.
#[test]
fn standard_input_twice_hides_no_other_file() {
    let place = Place::new();
    place.build("f", "x\n");
    let again = "standard input: can be only one of the filters";
    for verb in ["info", "verify"] {
        let ran = place.run_on(&format!("{verb} --json - f -"), place.read("f")).code(2);
        let ran = ran.says(&[again]);
        let files: Vec<_> = ran.json_lines().iter().map(|line| line["file"].clone()).collect();
        assert_eq!(files, ["-", "f", "-"], "{verb}");
        assert!(ran.json_lines()[2]["error"].as_str().unwrap().starts_with("can be only one"));
        assert!(ran.json_lines()[1]["kind"] == "blocked");
    }
}

#[test]
fn names_in_the_wrong_place_are_noticed() {
    let place = Place::new();
    place.write("list.txt", "one\n");
    place.build("f.anther", "one\n");
    place.build("c.anther --kind counting", "one\n");
    let cause = "list.txt: is not a filter, but f.anther is one, and comes first";
    place.run("check list.txt f.anther").fails(&[cause, ": f.anther -f list.txt"]);
    place.run("check f.anther -f list.txt").code(0).prints("one\n");
    place.run("count list.txt c.anther").fails(&["c.anther is one, and comes first"]);
    place.run("check list.txt two").fails(&["list.txt: not an anther filter"]);
    let ran = place.run("build f.anther list.txt -o g.anther");
    ran.fails(&["f.anther: is a filter, and with -o g.anther all names are lists of keys"]);
}
