//! Picture files: SVG, and PNG if the program was built with it.

use crate::exit::Stop;
use crate::filter_file;
use std::path::Path;

/// A picture format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Svg,
    #[cfg(feature = "png")]
    Png,
}

impl Form {
    /// The format, by the ending of the file's name.
    pub fn of(path: &Path) -> Result<Form, Stop> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Form::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Form::Png),
            #[cfg(not(feature = "png"))]
            Some("png") => {
                let cause = "this program was built without PNG; use .svg, or install anther \
                             with --features png";
                Err(Stop::about(path.display(), cause))
            }
            _ => Err(Stop::about(
                path.display(),
                "not a picture format; use a name that ends with .svg or .png",
            )),
        }
    }
}

/// Writes a picture in the format of the file's name.
pub fn save(svg: &str, path: &Path, force: bool) -> Result<(), Stop> {
    match Form::of(path)? {
        Form::Svg => filter_file::put(path, svg.as_bytes(), force),
        #[cfg(feature = "png")]
        Form::Png => {
            let png = anther_lab::png::rendered(svg);
            filter_file::put(path, &png.map_err(|error| Stop::about(path.display(), error))?, force)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_form() {
        assert_eq!(Form::of(Path::new("a/B.SVG")).ok(), Some(Form::Svg));
        #[cfg(feature = "png")]
        assert_eq!(Form::of(Path::new("b.png")).ok(), Some(Form::Png));
        #[cfg(not(feature = "png"))]
        assert!(Form::of(Path::new("b.png")).is_err());
        assert!(Form::of(Path::new("svg")).is_err() && Form::of(Path::new("a.jpg")).is_err());
    }
}
