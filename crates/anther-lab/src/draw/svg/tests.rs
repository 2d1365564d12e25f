use super::*;
use crate::draw::{Act, Audience, Made, Worked, example};
use anther::{Kind, Options, Seed};

/// Everything that is written, with its place.
fn texts(scene: &Scene) -> Vec<[f64; 4]> {
    drawn(scene).texts
}

fn made(kind: Kind, inserts: &[&str], queries: &[&str]) -> Scene {
    let own = |keys: &[&str]| keys.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (inserts, queries) = (own(inserts), own(queries));
    let made = Made {
        kind,
        options: Options::default(),
        items: None,
        fpr: 0.1,
        seed: Seed::chosen(0),
        acts: &Act::in_order(&inserts, &queries, &[]),
        others: None,
        audience: Audience::Program,
        shown: |key| String::from_utf8_lossy(key).into_owned(),
    };
    made.scene().unwrap()
}

fn scenes() -> Vec<Scene> {
    let long = "a key that is much too long for a picture of this width, <b>&amp;</b>".repeat(3);
    let wide = Worked { bits: 20, ..example().unwrap() };
    let meeting = ["x", "2x", "x+1"].map(|text| text.parse().unwrap()).to_vec();
    let acts = Act::in_order(&[2, 4, 9], &[0], &[]);
    let meeting = Worked { bits: 16, hashes: meeting, acts, ..example().unwrap() };
    let together = Worked { together: true, ..example().unwrap() };
    let mut scenes = vec![example().unwrap().scene().unwrap()];
    scenes.extend([wide, meeting, together].map(|worked| worked.scene().unwrap()));
    for kind in Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Floom) {
        let keys: &[&str] = match kind {
            Kind::Bloomier => &["ant=1", "bee=200"],
            _ => &["ant", "bee", &long],
        };
        scenes.push(made(kind, keys, &["bee", &long, "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"]));
    }
    scenes
}

#[test]
fn no_text_lies_on_another_or_off_the_paper() {
    for scene in scenes() {
        let texts = texts(&scene);
        for (at, [left, top, right, bottom]) in texts.iter().enumerate() {
            let place = format!("{}: {left} {top} {right} {bottom}", scene.title);
            assert!(*left >= 0.0 && *right <= WIDTH, "{place}");
            // Those far above cannot meet it, and all would be millions of pairs.
            for other in texts[..at].iter().rev().take(100) {
                let apart = other[2] <= *left || other[0] >= *right;
                assert!(apart || other[3] <= *top || other[1] >= *bottom, "{place} {other:?}");
            }
        }
    }
}

/// The renderer reads what we write, so it is well-formed; and what is measured is right.
#[test]
fn pictures_can_be_rendered() {
    let long = "</text>\u{1b}[2J&<>'\"";
    for scene in [example().unwrap().scene().unwrap(), made(Kind::Cuckoo, &["ant", long], &["bee"])]
    {
        assert!(crate::png::rendered(&svg(&scene)).unwrap().starts_with(b"\x89PNG"));
    }
    assert!(!svg(&made(Kind::Classic, &[long], &[])).contains("</text>\u{1b}"));
}

#[test]
fn the_marks_are_there() {
    let acts = Act::in_order(&[2, 4, 9], &[4, 5, 12], &[9]);
    let picture = svg(&Worked { acts, ..example().unwrap() }.scene().unwrap());
    for part in
        ["h1", "h3", "url(#changed)", "stroke-dasharray", "false negative", "of several keys"]
    {
        assert!(picture.contains(part), "{part}");
    }
    let acts = Act::in_order(&[2, 4, 9], &[], &[]);
    let only = svg(&Worked { acts, ..example().unwrap() }.scene().unwrap());
    assert!(!only.contains("the reason for a no"), "the legend has what occurs");
}
