//! Pictures in files: the colours and the font that all of them have, and SVG made into PNG.
//!
//! A picture is drawn once, as SVG; PNG is that SVG, rendered. So the two never differ. The font
//! is in the program: a machine without fonts would leave all words out.

use crate::exit::Stop;
use crate::file;
use plotters::style::{FontStyle, IntoFont, register_font};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::path::Path;
use std::sync::{Arc, Once};

/// The font, and what stands in for it where an SVG is looked at without it. It is a wide font:
/// text that has room in it has room in the others.
pub const FONT: &str = "DejaVu Sans, Verdana, sans-serif";
/// The first of them.
const OURS: &str = "DejaVu Sans";

/// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), ordered so that
/// neighbours differ in grey, too. Their yellow is left out: on white nobody sees it.
pub const COLOURS: [[u8; 3]; 6] =
    [[0, 114, 178], [230, 159, 0], [0, 0, 0], [204, 121, 167], [0, 158, 115], [213, 94, 0]];

/// A form that a picture is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Svg,
    Png,
}

impl Form {
    /// What a file's name asks for.
    pub fn of(path: &Path) -> Result<Form, Stop> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Form::Svg),
            Some("png") => Ok(Form::Png),
            _ => Err(Stop::about(path.display(), "no picture's name; end it with .svg or .png")),
        }
    }
}

/// Writes a picture, in the form that the file's name asks for.
pub fn save(svg: &str, path: &Path, force: bool) -> Result<(), Stop> {
    match Form::of(path)? {
        Form::Svg => file::put(path, svg.as_bytes(), force),
        Form::Png => file::put(path, &png(svg).map_err(|e| Stop::about(path.display(), e))?, force),
    }
}

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
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
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

/// Text as it stands in SVG.
pub fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML has no form for most of these.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// How wide a text is in the font at a size: at most, since letters may move together.
pub fn text_width(text: &str, size: usize) -> usize {
    let style = (FONT, size as f64).into_font();
    registered();
    style.layout_box(text).map_or(0, |((from, _), (to, _))| {
        // The crate's sizes include room above and below the letters.
        usize::try_from(to - from).unwrap_or(0) * 5 / 4
    })
}

/// Makes the font known to the crate that draws charts, which measures text in it.
pub fn registered() {
    static FONTS: Once = Once::new();
    FONTS.call_once(|| {
        // The font is part of the program; were it broken, text would be measured badly.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font(FONT, FontStyle::Bold, dejavu::sans::bold());
    });
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
            png(&svg).unwrap()
        };
        assert!(picture("").starts_with(b"\x89PNG"));
        assert!(picture("bloom").len() > picture("").len() + 200);
        assert!(png("<svg").is_err());
    }

    #[test]
    fn names_say_the_form() {
        assert_eq!(Form::of(Path::new("a/B.SVG")).ok(), Some(Form::Svg));
        assert_eq!(Form::of(Path::new("b.png")).ok(), Some(Form::Png));
        assert!(Form::of(Path::new("svg")).is_err() && Form::of(Path::new("a.jpg")).is_err());
    }
}
