//! Pictures as PNG: made by a program that was built with the feature, refused by any other.

use crate::support::Place;

const EXAMPLE: &str = "draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12";

#[cfg(not(feature = "png"))]
#[test]
fn without_the_feature_it_is_refused_before_anything_is_made() {
    let place = Place::new();
    for arguments in [format!("{EXAMPLE} -o a.svg -o a.png"), "plan --plot -o a.png".to_string()] {
        place.run(&arguments).fails(&["a.png: this program was built without PNG", ".svg"]);
    }
    assert_eq!(place.names(), Vec::<String>::new());
}

#[cfg(feature = "png")]
mod with_the_feature {
    use super::*;
    use anther::Kind;
    use std::fs;

    #[test]
    fn drawings_of_every_kind() {
        let place = Place::new();
        for kind in Kind::ALL {
            let keys = if *kind == Kind::Bloomier { "ant=3,bee=5,cat=1" } else { "ant,bee,cat" };
            let command = format!("draw --kind {kind} --insert {keys} --query bee,zebra");
            place.run(&format!("{command} -o {kind}.svg -o {kind}.png")).code(0).prints("");
            assert!(place.read(&format!("{kind}.png")).starts_with(b"\x89PNG"), "{kind}");
        }
    }

    #[test]
    fn written_whole_or_not_at_all() {
        let place = Place::new();
        place.run(&format!("{EXAMPLE} -o a.svg -o a.png")).code(0).prints("");
        assert!(place.read("a.png").starts_with(b"\x89PNG"));
        // A PNG of it would be too large, and nothing is written.
        let keys: Vec<String> = (0..200).map(|key| key.to_string()).collect();
        let long = format!("draw --bits 10 --hash x,3x --insert {}", keys.join(","));
        place.run(&format!("{long} -o b.svg -o b.png")).fails(&["b.png", "too large", "--step"]);
        assert_eq!(place.names(), ["a.png", "a.svg"]);
    }

    #[test]
    fn figures_and_plots() {
        let place = Place::new();
        place.run("figure mice --out made").code(0);
        assert!(place.read("made/mice.png").starts_with(b"\x89PNG"));
        // Where one of its files exists, none is written.
        fs::create_dir(place.join("other")).unwrap();
        fs::write(place.join("other/mice-table.png"), "mine").unwrap();
        place.run("figure mice --out other").fails(&["mice-table.png", "--force"]);
        assert_eq!(place.names_in("other"), ["mice-table.png"]);

        place.run("plan --plot -o plot.png").code(0);
        place.run("plan --plot -o plot.png").code(2);
        place.run("plan --plot -o plot.png --force").code(0);
    }
}
