//! The files of the page, embedded in the program. No file of the disk is served.

/// A file: its name in the address, its type, and its text.
pub type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Every file, one per line. The address of the page itself has the empty name.
const FILES: &[File] = &[
    ("", HTML, include_str!("../../page/index.html")),
    ("icon.svg", SVG, include_str!("../../page/icon.svg")),
    ("style.css", CSS, include_str!("../../page/style.css")),
    ("main.js", SCRIPT, include_str!("../../page/main.js")),
    ("api.js", SCRIPT, include_str!("../../page/api.js")),
    ("state.js", SCRIPT, include_str!("../../page/state.js")),
    ("element.js", SCRIPT, include_str!("../../page/element.js")),
    ("copyable.js", SCRIPT, include_str!("../../page/copyable.js")),
    // Plan.
    ("plan.js", SCRIPT, include_str!("../../page/plan.js")),
    ("plan_fields.js", SCRIPT, include_str!("../../page/plan_fields.js")),
    ("plan_plots.js", SCRIPT, include_str!("../../page/plan_plots.js")),
    ("plan_table.js", SCRIPT, include_str!("../../page/plan_table.js")),
    ("chart.js", SCRIPT, include_str!("../../page/chart.js")),
    // Look.
    ("look.js", SCRIPT, include_str!("../../page/look.js")),
    ("cells.js", SCRIPT, include_str!("../../page/cells.js")),
    ("history.js", SCRIPT, include_str!("../../page/history.js")),
    ("filling.js", SCRIPT, include_str!("../../page/filling.js")),
    // Attack.
    ("attack.js", SCRIPT, include_str!("../../page/attack.js")),
    // Your file.
    ("file.js", SCRIPT, include_str!("../../page/file.js")),
    ("file_cells.js", SCRIPT, include_str!("../../page/file_cells.js")),
];

/// The file of this name.
pub fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|(known, ..)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn no_name_stands_twice() {
        for (at, (name, ..)) in FILES.iter().enumerate() {
            assert!(FILES[..at].iter().all(|(other, ..)| other != name), "{name}");
        }
    }
}
