//! A search index in words and as JSON.

use crate::units;
use anther_index::Index;
use serde::Serialize;

/// What `info` says about an index.
#[derive(Serialize)]
pub struct IndexDescription {
    kind: &'static str,
    roots: Vec<String>,
    files: u64,
    blocks: u64,
    text_bytes: u64,
    bytes: u64,
    fpr: f64,
    hidden: bool,
    no_ignore: bool,
    columns: Vec<String>,
}

impl IndexDescription {
    /// Of an open index.
    pub fn new(index: &Index) -> IndexDescription {
        let settings = index.settings();
        let blocks = (0..index.blocks()).filter_map(|block| index.block(block));
        IndexDescription {
            kind: "index",
            roots: index.roots().iter().map(|root| root.path.display().to_string()).collect(),
            files: index.files().len() as u64,
            blocks: index.blocks().into(),
            text_bytes: blocks.map(|block| block.len).sum(),
            bytes: index.file_len(),
            fpr: settings.fpr,
            hidden: settings.hidden,
            no_ignore: settings.no_ignore,
            columns: settings.columns.clone(),
        }
    }

    /// Names and words, in the order in which they are printed.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let share = match self.text_bytes {
            0 => String::new(),
            text => format!(", {} of the text", units::percent(self.bytes as f64 / text as f64)),
        };
        let mut rows = vec![
            ("kind", "search index; anther grep searches through it".to_string()),
            ("roots", self.roots.join(" ")),
            ("files", units::count(self.files)),
            (
                "text",
                format!("{} in {} blocks", units::size(self.text_bytes), units::count(self.blocks)),
            ),
            ("size", format!("{}{share}", units::size(self.bytes))),
            (
                "fpr",
                format!("{} of blocks, for eight bytes that are nowhere", units::rate(self.fpr)),
            ),
        ];
        if !self.columns.is_empty() {
            rows.push(("columns", self.columns.join(" ")));
        }
        let options = [(self.hidden, "--hidden"), (self.no_ignore, "--no-ignore")];
        let options: Vec<_> =
            options.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        if !options.is_empty() {
            rows.push(("options", options.join(" ")));
        }
        rows
    }
}
