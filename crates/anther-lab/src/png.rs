//! SVG made into PNG.
//!
//! A picture is drawn once, as SVG; PNG is that SVG, rendered, so the two never differ. The font
//! comes with it: a machine without fonts would leave all words out.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// The first of the fonts that pictures name.
const OURS: &str = "DejaVu Sans";

/// How many dots of a PNG one unit of the SVG is: sharp on a slide of 1920 dots.
const SCALE: f32 = 2.0;
/// What no picture needs: 64 million dots are 256 MB while they are painted.
const MOST_DOTS: f32 = 64e6;

/// The picture with its words laid out.
fn tree(svg: &str) -> Result<Tree, String> {
    let mut options = Options { font_family: OURS.to_string(), ..Options::default() };
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family(OURS);
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

/// The picture as PNG.
pub fn rendered(svg: &str) -> Result<Vec<u8>, String> {
    let tree = tree(svg)?;
    let size = tree.size();
    let (width, height) = ((SCALE * size.width()).ceil(), (SCALE * size.height()).ceil());
    if width * height > MOST_DOTS {
        return Err("too large for a PNG; take .svg".to_string());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "64e6 at most")]
    let dots = Pixmap::new(width as u32, height as u32);
    let mut dots = dots.ok_or("a picture without extent")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut dots.as_mut());
    dots.encode_png().map_err(|error| error.to_string())
}

/// How wide text is, as it is laid out.
#[cfg(test)]
pub fn text_width(text: &str, size: u32, weight: &str) -> f64 {
    let text = crate::lettering::escaped(text);
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='4000' height='40'><text y='30' \
         xml:space='preserve' font-size='{size}' font-weight='{weight}'>{text}</text></svg>"
    );
    let tree = tree(&svg).unwrap_or_else(|error| unreachable!("{error}"));
    tree.root().bounding_box().width().into()
}

/// What is wrong with a picture's words: those that lie over others, or beyond its edges.
#[cfg(test)]
pub fn clashes(svg: &str) -> Vec<String> {
    use resvg::usvg::{Group, Node, Rect};
    fn words(group: &Group, found: &mut Vec<(String, Rect)>) {
        for node in group.children() {
            match node {
                Node::Group(group) => words(group, found),
                Node::Text(text) => {
                    let said: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                    found.push((said.trim().to_string(), text.abs_bounding_box()));
                }
                _ => {}
            }
        }
    }
    let tree = tree(svg).unwrap_or_else(|error| unreachable!("{error}"));
    let mut found = Vec::new();
    words(tree.root(), &mut found);
    let (width, height) = (tree.size().width(), tree.size().height());
    let beyond =
        |at: &Rect| at.left() < 0.0 || at.top() < 0.0 || at.right() > width || at.bottom() > height;
    let over = |a: &Rect, b: &Rect| {
        a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
    };
    let mut wrong = Vec::new();
    for (number, (text, at)) in found.iter().enumerate() {
        if beyond(at) {
            wrong.push(format!("{text:?} goes beyond the edge"));
        }
        let others = found[..number].iter().filter(|(_, other)| over(at, other));
        wrong.extend(others.map(|(other, _)| format!("{text:?} lies over {other:?}")));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clashes_are_found() {
        let picture = |x: u32| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='30'>\
                 <text x='5' y='20' font-size='16'>pollen</text>\
                 <text x='{x}' y='20' font-size='16'>stamen</text></svg>"
            )
        };
        assert_eq!(clashes(&picture(90)), Vec::<String>::new());
        assert_eq!(clashes(&picture(20)), ["\"stamen\" lies over \"pollen\""]);
        assert_eq!(clashes(&picture(180)), ["\"stamen\" goes beyond the edge"]);
    }

    /// A word in the font leaves dots, so the font is there; the frame alone leaves fewer.
    #[test]
    fn words_are_drawn() {
        let picture = |text: &str| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'>\
                 <text x='5' y='20' font-family='sans-serif' font-size='16'>{text}</text></svg>"
            );
            rendered(&svg).unwrap()
        };
        assert!(picture("").starts_with(b"\x89PNG"));
        assert!(picture("bloom").len() > picture("").len() + 200);
        assert!(rendered("<svg").is_err());
    }
}
