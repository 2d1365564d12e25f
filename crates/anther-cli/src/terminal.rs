//! What the terminal shows.

use std::env;
use std::ffi::OsString;

/// Whether it can be trusted to show more than ASCII.
pub fn shows_unicode() -> bool {
    shows(|name| env::var_os(name))
}

fn shows(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    // The first of these that says something decides, as for every other program.
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(&variable);
    let locale = said
        .filter(|text| !text.is_empty())
        .map(|text| text.to_string_lossy().to_lowercase())
        .next();
    let utf8 = locale.is_some_and(|text| text.contains("utf-8") || text.contains("utf8"));
    let dumb = variable("TERM").is_some_and(|term| term == "dumb");
    utf8 && !dumb
}

/// What drawings are laid out for.
#[cfg(feature = "lab")]
pub fn page() -> anther_lab::draw::Page {
    anther_lab::draw::Page::new(columns(), anther_lab::Pen::new(shows_unicode()))
}

/// How wide the terminal is; of anything else, nobody knows.
#[cfg(feature = "lab")]
fn columns() -> usize {
    let said = env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|said| *said > 0);
    // Of standard output, and where that is no terminal, of none.
    let stdout = std::io::stdout();
    let asked = || terminal_size::terminal_size_of(stdout).map(|(width, _)| width.0.into());
    said.or_else(asked).unwrap_or(anther_lab::draw::WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides() {
        let unicode = |variables: &[(&str, &str)]| {
            let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
            shows(|name| found(name).map(|(_, value)| value.into()))
        };
        assert!(unicode(&[("LANG", "en_GB.UTF-8")]));
        assert!(unicode(&[("LANG", "C.utf8"), ("TERM", "xterm")]));
        assert!(unicode(&[("LC_ALL", ""), ("LC_CTYPE", "de_DE.UTF-8")]));
        assert!(!unicode(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!unicode(&[("LANG", "en_GB.UTF-8"), ("TERM", "dumb")]));
        assert!(!unicode(&[]));
    }
}
