//! Where a column is in a text, by how the text begins: CSV with a header row, or JSON lines.

use anther::recipe::{Column, Format, Place, Quotes, Separator};
use anther_records::blocks::MARK;
use anther_records::csv;
use anther_records::extract::Extraction;

/// How many bytes of a text tell; a header row is shorter.
pub const START: usize = 1 << 16;

/// What may separate the columns of a header row.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// How keys of some columns are read from a text.
#[derive(Debug)]
pub struct ColumnFormat {
    /// The format of the text.
    pub format: Format,
    /// How the key of each column is found; none if the text has no such column.
    pub columns: Vec<Option<Extraction>>,
    /// The header row, with its line end.
    pub header: Option<Vec<u8>>,
}

impl ColumnFormat {
    /// The format of a text that begins with `start`; `None` if it has none of these columns.
    pub fn of(start: &[u8], names: &[String]) -> Option<ColumnFormat> {
        let text = start.strip_prefix(MARK).unwrap_or(start);
        if begins_object(text) {
            return Some(ColumnFormat::json(names));
        }
        let first = text.split_inclusive(|byte| *byte == b'\n').next()?;
        for delimiter in DELIMITERS {
            let fields = csv::fields(csv::without_end(first), delimiter, true).ok()?;
            let named = |name: &str| fields.iter().filter(|f| **f == name.as_bytes()).count();
            let quotes = Quotes::Csv;
            let format = Format::Delimited { delimiter, quotes, separator: Separator::Line };
            let column = |name: &String| {
                // A name that two columns have is of neither.
                (named(name) == 1).then(|| extraction(format, name))
            };
            let columns: Vec<_> = names.iter().map(column).collect();
            if columns.iter().any(Option::is_some) {
                let end = start.len() - text.len() + first.len();
                return Some(ColumnFormat { format, columns, header: Some(start[..end].to_vec()) });
            }
        }
        // A program may print other lines before its log.
        let has_objects = text.split(|byte| *byte == b'\n').any(begins_object);
        has_objects.then(|| ColumnFormat::json(names))
    }

    fn json(names: &[String]) -> ColumnFormat {
        let columns = names.iter().map(|name| Some(extraction(Format::Json, name))).collect();
        ColumnFormat { format: Format::Json, columns, header: None }
    }

    /// Whether a record can have keys: not if it is a line among JSON lines that is no object.
    pub fn may_have_keys(&self, record: &[u8]) -> bool {
        self.format != Format::Json || begins_object(record)
    }
}

fn begins_object(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}

fn extraction(format: Format, name: &str) -> Extraction {
    let columns = vec![Column::Name(name.to_string())];
    let place = Place { format, columns, header: false };
    Extraction { place, skip_malformed: true, ..Extraction::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(start: &str) -> Option<(Format, Vec<bool>)> {
        let names = ["id", "name"].map(str::to_string);
        let found = ColumnFormat::of(start.as_bytes(), &names)?;
        Some((found.format, found.columns.iter().map(Option::is_some).collect()))
    }

    #[test]
    fn a_text_has_the_columns_of_its_header_row() {
        let by = |delimiter| Format::Delimited {
            delimiter,
            quotes: Quotes::Csv,
            separator: Separator::Line,
        };
        assert_eq!(of("id,name\n1,a\n"), Some((by(b','), vec![true, true])));
        assert_eq!(of("\u{feff}id\tother\n"), Some((by(b'\t'), vec![true, false])));
        assert_eq!(of("\"id\";x"), Some((by(b';'), vec![true, false])));
        assert_eq!(of("  {\"id\": 1}\n"), Some((Format::Json, vec![true, true])));
        assert_eq!(of("name"), Some((by(b','), vec![false, true])));
        assert_eq!(of("starting\n{\"id\": 1}\n"), Some((Format::Json, vec![true, true])));
        assert_eq!(of("id\n{}\n"), Some((by(b','), vec![true, false])));
        assert_eq!(of("id,id\n"), None);
        assert_eq!(of("an id, a name\n"), None);
        assert_eq!(of(""), None);
    }
}
