//! The options that say what the key is and where it is in the input, and whether they agree with
//! the filter.

use crate::exit::Stop;
use anther::Recipe;
use anther::recipe::{Column, Format, KeyForm, KeyRule, Place, Quotes, Separator};
use anther_records::extract::Extraction;
use anther_records::values::{self, ValueColumn};
use clap::builder::PossibleValue;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use std::fmt;
use std::num::NonZero;

/// What the key is, and where it is in the input.
#[derive(Args, Clone, Debug, Default)]
pub struct RecipeArgs {
    /// What keys are: text, hex, int, domain, email, url, time, ip or a type [default: text]
    ///
    /// The filter stores this rule and applies it to every key, so that all spellings of a key are
    /// one key. hex: bytes in hexadecimal, CAFE is cafe. int: whole numbers, 042 is 42. domain and
    /// email: the case of the letters A to Z and a final dot make no difference. url: normalised by RFC 3986 and
    /// without its fragment, HTTP://Example.org:80/a/../b is http://example.org/b. Hosts are read as
    /// browsers do, and kept in ASCII: münchen.de is xn--mnchen-3ya.de. A list of domains may be a
    /// hosts file (0.0.0.0 ads.example) or rules of an ad blocker (||ads.example^), with comments.
    /// In a list of addresses, @example.org is all of that domain. time: a date, RFC 3339 such as
    /// 2026-11-17T08:30:00Z, or Unix seconds; UTC if there is no offset. 20261117 could be a date or
    /// seconds, and is refused. ip: addresses of IPv4 and IPv6, where ::ffff:192.0.2.7 is 192.0.2.7,
    /// and networks such as 203.0.113.0/24. A list of them may have ranges a-b, and comments after # and
    /// ;, as those of Spamhaus and FireHOL have. int32, int64 (long, bigint), float, double, utf16
    /// (chars) and uuid: the bytes of that type, as other systems hash it.
    #[expect(rustdoc::bare_urls, reason = "help for a terminal, where a link has no brackets")]
    #[arg(long = "as", value_name = "FORM", value_parser = form_parser(), hide_possible_values = true)]
    form: Option<KeyForm>,
    /// The same as --as hex
    #[arg(long, hide = true, conflicts_with = "form")]
    hex: bool,
    /// Ignore the case of the letters A to Z
    #[arg(short, long)]
    ignore_case: bool,
    /// Ignore white space around keys
    #[arg(long)]
    trim: bool,
    /// Format of the input: lines, nul, csv, tsv, fields, json, parquet or records:N
    ///
    /// fields: columns between runs of blanks and tabs, as awk splits them. json: a JSON value per
    /// line, with the key at the path --column. records:N: binary records of N bytes each. The
    /// default is lines, csv with --column, or what the filter was built from.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Named>,
    /// Keys end with a NUL byte instead of a line ending; the same as --format nul
    #[arg(short = '0', long, conflicts_with = "format")]
    null: bool,
    /// Column of the key: its number from 1, its name, or its JSON path such as user.id
    ///
    /// With a name, the first line of each input is a header row. A name of digits is written in
    /// quotes: --column '"2025"'. In a path, elements of arrays count from 0, and \. is a dot
    /// within a name. Several columns (repeat the option) make one key; as an argument of the
    /// program, such a key is written as in CSV: 'x,y'.
    #[arg(long, value_name = "COLUMN", value_parser = parse_column)]
    column: Vec<Column>,
    /// Delimiter of columns: a character, or tab [default: ,]
    #[arg(long, value_name = "C", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// The first line of each input is a header row, though columns are numbers
    #[arg(long)]
    header: bool,
    /// The inputs have no header row, though the filter's list had one
    #[arg(long, hide_short_help = true, conflicts_with = "header")]
    no_header: bool,
    /// Quotes are ordinary characters in CSV
    #[arg(long)]
    no_quotes: bool,
    /// Keep empty keys: blank lines of plain lists, empty cells and null in JSON
    #[arg(long)]
    keep_empty: bool,
    /// Leave out malformed records instead of stopping at the first
    #[arg(long)]
    skip_malformed: bool,
    /// Read inputs even if they do not look like lists of keys
    ///
    /// Otherwise archives, databases, executables and text in UTF-16 are refused, and lists whose
    /// lines end in another way. Compressed inputs are still decompressed.
    #[arg(long)]
    binary: bool,
}

/// A format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Lines,
    Nul,
    Csv,
    Tsv,
    Fields,
    Json,
    Parquet,
    Records(NonZero<u32>),
}

/// What to do about networks that a filter has no use for, whatever its kind.
const NO_NETWORKS: &str = "give single addresses, or build the filter with --match below, of a kind that \
                           neither forgets nor is range";

/// How a key is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Match {
    /// It is in the set.
    Exact,
    /// It is in the set, or below a key that is.
    Below,
}

impl RecipeArgs {
    /// For a new filter.
    pub fn extraction(&self) -> Result<Extraction, Stop> {
        self.extraction_of(KeyForm::default())
    }

    /// For a filter whose keys are of this form, unless the options say otherwise.
    pub fn extraction_of(&self, form: KeyForm) -> Result<Extraction, Stop> {
        let place = self.place(&Place::default())?;
        let parts = u8::try_from(place.columns.len().max(1))
            .map_err(|_| Stop::about("--column", "at most 255 columns make a key"))?;
        let rule = KeyRule {
            form: self.form().unwrap_or(form),
            trim: self.trim,
            ignore_case: self.ignore_case,
            parts,
        };
        self.with(rule, place)
    }

    /// For a new map, whose values are in this column, or else in the last.
    pub fn extraction_of_values(&self, column: Option<&Column>) -> Result<Extraction, Stop> {
        let two_columns = !self.names_column() && column.is_none();
        let mut how = match (column, self.format) {
            (Some(_), None | Some(Named::Csv | Named::Tsv | Named::Fields))
                if !self.names_column() =>
            {
                let first = vec![Column::Number(NonZero::<u32>::MIN)];
                RecipeArgs { column: first, ..self.clone() }.extraction()?
            }
            (Some(_), Some(Named::Json | Named::Parquet)) if !self.names_column() => {
                return Err(Stop::about("--values", "name the key, too, with --column"));
            }
            (Some(_), Some(Named::Lines | Named::Nul | Named::Records(_))) => {
                let cause =
                    "lines, nul and records have no columns; use --format csv, fields or json";
                return Err(Stop::about("--values", cause));
            }
            _ => self.extraction()?,
        };
        how.place = values::place(how.place);
        if let Some(Column::Name(_)) = column {
            if self.no_header {
                let cause = "a column by name needs a header row; name it by its number";
                return Err(Stop::about("--no-header", cause));
            }
            how.place.header |=
                matches!(how.place.format, Format::Delimited { .. } | Format::Fields);
        }
        how.value = Some(ValueColumn { column: column.cloned(), two_columns, bands: false });
        Ok(how)
    }

    /// For a filter in a file: its rule, with which the options must agree, and its place, unless
    /// the options say otherwise. A filter without a recipe gets the options'.
    pub fn extraction_for(
        &self,
        file: impl fmt::Display,
        own: Option<&Recipe>,
    ) -> Result<Extraction, Stop> {
        match own {
            Some(own) => self.extraction_made(file, "filter", own),
            None => self.extraction(),
        }
    }

    /// The same for a sketch.
    pub fn extraction_for_sketch(
        &self,
        file: impl fmt::Display,
        own: &Recipe,
    ) -> Result<Extraction, Stop> {
        self.extraction_made(file, "sketch", own)
    }

    /// For a filter or a sketch, whichever it `is`.
    fn extraction_made(
        &self,
        file: impl fmt::Display,
        is: &str,
        own: &Recipe,
    ) -> Result<Extraction, Stop> {
        if let Some(option) = self.contradiction(&own.rule) {
            let rule = own.rule;
            return Err(Stop::about(
                file,
                format_args!(
                    "{option} contradicts the {is}, whose keys are {rule}; leave the option out, or \
                     {} the {is} with it",
                    if is == "filter" { "rebuild" } else { "make" }
                ),
            ));
        }
        let place = self.place(&own.place)?;
        let columns = place.columns.len().max(1);
        if columns != usize::from(own.rule.parts) {
            return Err(Stop::about(
                file,
                format_args!(
                    "a key of this {is} has {}, but {columns} would be read; give keys in a file or \
                     on standard input, and name all their columns with --column",
                    in_columns(own.rule.parts.into()),
                ),
            ));
        }
        let is_silent = own.rule.form == KeyForm::Ip && own.reach.is_none();
        let no_networks = is_silent.then_some(NO_NETWORKS.into());
        Ok(Extraction { reach: own.reach, no_networks, ..self.with(own.rule, place)? })
    }

    /// For a list of ranges, two columns each: by default those between blanks or tabs.
    pub fn ranges(&self, rule: KeyRule) -> Result<Extraction, Stop> {
        let columns = [1, 2].into_iter().filter_map(NonZero::new).map(Column::Number).collect();
        let place = self.place(&Place { format: Format::Fields, columns, header: false })?;
        if place.columns.len() != 2 {
            let cause = "a range has two bounds; name both columns, such as --column 1 --column 2";
            return Err(Stop::about("--ranges", cause));
        }
        self.with(KeyRule { form: KeyForm::Text, ignore_case: false, parts: 2, ..rule }, place)
    }

    fn with(&self, rule: KeyRule, place: Place) -> Result<Extraction, Stop> {
        if let Format::Records(width) = place.format
            && !matches!(rule.form, KeyForm::Text | KeyForm::Hex)
            && rule.form.width() != Some(width.get() as usize)
        {
            let name = rule.form.name();
            let cause = match rule.form.width() {
                Some(width) => format!("{name} has {width} bytes; use --format records:{width}"),
                None => format!("binary records cannot be read as {name}"),
            };
            return Err(Stop::about("--format records", cause));
        }
        Ok(Extraction {
            block_list: None,
            within: false,
            place,
            rule,
            reach: None,
            no_networks: None,
            value: None,
            stored: None,
            counts_networks: false,
            keep_empty: self.keep_empty,
            skip_malformed: self.skip_malformed,
            binary: self.binary,
        }
        .of_published())
    }

    /// The form that `--as` or `--hex` names.
    pub fn form(&self) -> Option<KeyForm> {
        self.form.or(self.hex.then_some(KeyForm::Hex))
    }

    /// Rejects options about inputs if there is no input.
    pub fn refuse_input_options(&self) -> Result<(), Stop> {
        let options = [("--format", self.format.is_some()), ("--column", self.names_column())];
        match first_given(&options).or_else(|| self.option_about_records()) {
            Some(option) => {
                Err(Stop::about(option, "is for inputs, and all keys are arguments; leave it out"))
            }
            None => Ok(()),
        }
    }

    /// The first option that says how records are read, if one was given.
    fn option_about_records(&self) -> Option<&'static str> {
        first_given(&[
            ("--null", self.null),
            ("--delimiter", self.delimiter.is_some()),
            ("--header", self.header),
            ("--no-header", self.no_header),
            ("--no-quotes", self.no_quotes),
            ("--keep-empty", self.keep_empty),
            ("--skip-malformed", self.skip_malformed),
            ("--binary", self.binary),
        ])
    }

    /// Refuses `--keep-empty` for a sketch, which does not store it: a list would differ from itself.
    pub fn refuse_keep_empty(&self) -> Result<(), Stop> {
        let cause = "a sketch leaves blank lines and empty cells out; leave the option out";
        if self.keep_empty { Err(Stop::about("--keep-empty", cause)) } else { Ok(()) }
    }

    /// Whether `--as` or `--hex` was given.
    pub fn names_form(&self) -> bool {
        self.form().is_some()
    }

    /// The first option of these that a copy of a Parquet file has no use for, if one was given.
    #[cfg(feature = "parquet")]
    pub fn option_about_text(&self) -> Option<&'static str> {
        let options = [
            ("--as", self.names_form()),
            ("--ignore-case", self.ignore_case),
            ("--trim", self.trim),
            ("--format", self.format.is_some_and(|format| format != Named::Parquet)),
        ];
        first_given(&options).or_else(|| self.option_about_records())
    }

    /// The columns that `--column` names.
    #[cfg(feature = "parquet")]
    pub fn columns(&self) -> &[Column] {
        &self.column
    }

    /// Whether `--column` was given.
    pub fn names_column(&self) -> bool {
        !self.column.is_empty()
    }

    /// Where the key is: as the options say, or else as in the default.
    fn place(&self, default: &Place) -> Result<Place, Stop> {
        let has_columns = |format| {
            matches!(
                format,
                Format::Delimited { .. } | Format::Fields | Format::Json | Format::Parquet
            )
        };
        let says_columns = self.names_column() || self.delimiter.is_some() || self.no_quotes;
        let says_header = self.header || self.no_header;
        let is_told = says_columns || self.format.is_some() || self.null || says_header;
        if !is_told {
            return Ok(default.clone());
        }
        let format = match self.format {
            Some(named) => self.delimited(named)?,
            None if self.null && says_columns => Format::Delimited {
                delimiter: self.delimiter.unwrap_or(b','),
                quotes: match self.delimiter.unwrap_or(b',') {
                    b',' if !self.no_quotes => Quotes::WithinLine,
                    _ => Quotes::None,
                },
                separator: Separator::Nul,
            },
            None if self.null => Format::Nul,
            None if self.delimiter.is_some() => self.delimited(Named::Csv)?,
            None if has_columns(default.format) => match default.format {
                Format::Delimited { delimiter, separator, .. } if self.no_quotes => {
                    Format::Delimited { delimiter, quotes: Quotes::None, separator }
                }
                format => format,
            },
            None if says_columns => self.delimited(Named::Csv)?,
            None => default.format,
        };
        let columns = match (&self.column[..], has_columns(format)) {
            ([], true) => default.columns.clone(),
            ([], false) => Vec::new(),
            (columns, true) => columns.to_vec(),
            (_, false) => {
                let cause =
                    "lines, nul and records have no columns; use --format csv, fields or json";
                return Err(Stop::about("--column", cause));
            }
        };
        if columns.is_empty() && has_columns(format) && format != Format::Json {
            let (option, next) = match (self.delimiter, self.no_quotes) {
                (Some(_), _) => ("--delimiter", "such as --column 1"),
                (_, true) => ("--no-quotes", "such as --column 1"),
                _ => ("--format", "such as --column 1"),
            };
            let cause = format!("needs --column; name the key's column, {next}");
            return Err(Stop::about(option, cause));
        }
        let named = || columns.iter().any(|column| matches!(column, Column::Name(_)));
        if self.no_header && matches!(format, Format::Delimited { .. } | Format::Fields) && named()
        {
            let cause = "a column by name needs a header row; name it by its number";
            return Err(Stop::about("--no-header", cause));
        }
        if self.header && matches!(format, Format::Json | Format::Parquet | Format::Records(_)) {
            return Err(Stop::about("--header", "this format has no header row; leave it out"));
        }
        Ok(Place { format, columns, header: self.header })
    }

    /// The format of a name, with the options for delimited text.
    fn delimited(&self, named: Named) -> Result<Format, Stop> {
        let delimiter = match (named, self.delimiter) {
            (Named::Csv, delimiter) => delimiter.unwrap_or(b','),
            (Named::Tsv, None | Some(b'\t')) => b'\t',
            (_, Some(_)) => {
                return Err(Stop::about("--delimiter", "is for --format csv; leave it out"));
            }
            (_, None) => b',',
        };
        if self.no_quotes && !matches!(named, Named::Csv | Named::Tsv) {
            return Err(Stop::about("--no-quotes", "is for --format csv and tsv; leave it out"));
        }
        Ok(match named {
            Named::Lines => Format::Lines,
            Named::Nul => Format::Nul,
            Named::Csv | Named::Tsv => {
                let quotes = if self.no_quotes { Quotes::None } else { Quotes::Csv };
                Format::Delimited { delimiter, quotes, separator: Separator::Line }
            }
            Named::Fields => Format::Fields,
            Named::Json => Format::Json,
            Named::Parquet => Format::Parquet,
            Named::Records(width) => Format::Records(width),
        })
    }

    /// The first option that disagrees with the rule.
    fn contradiction(&self, own: &KeyRule) -> Option<String> {
        if let Some(form) = self.form()
            && form != own.form
        {
            return Some(format!("--as {}", form.name()));
        }
        let switches =
            [("--ignore-case", self.ignore_case, own.ignore_case), ("--trim", self.trim, own.trim)];
        let other = switches.iter().find(|(_, asked, has)| *asked && !has);
        other.map(|(option, ..)| (*option).to_string())
    }
}

/// Parses what keys are.
pub fn form_parser() -> impl TypedValueParser<Value = KeyForm> {
    let value = |form: KeyForm| match form {
        KeyForm::Int64 => PossibleValue::new(form.name()).aliases(["long", "bigint"]),
        KeyForm::Utf16 => PossibleValue::new(form.name()).alias("chars"),
        form => PossibleValue::new(form.name()),
    };
    PossibleValuesParser::new(KeyForm::ALL.map(value)).map(move |name| {
        let known = KeyForm::ALL.into_iter().find(|form| value(*form).matches(&name, false));
        known.unwrap_or_default()
    })
}

/// The first of these options that was given.
fn first_given(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find(|(_, given)| *given).map(|(option, _)| *option)
}

fn parse_format(text: &str) -> Result<Named, String> {
    Ok(match text {
        "lines" => Named::Lines,
        "nul" => Named::Nul,
        "csv" => Named::Csv,
        "tsv" => Named::Tsv,
        "fields" => Named::Fields,
        "json" | "jsonl" => Named::Json,
        "parquet" => Named::Parquet,
        other => match other.strip_prefix("records:") {
            Some(width) => match width.parse::<u32>() {
                Ok(width @ 1..=MAX_WIDTH) => NonZero::new(width).map(Named::Records),
                _ => None,
            }
            .ok_or(format!(
                "the width of a record is 1 to {MAX_WIDTH} bytes, such as records:20"
            ))?,
            None => {
                let formats = "lines, nul, csv, tsv, fields, json, parquet and records:N";
                return Err(format!("no such format; the formats are {formats}"));
            }
        },
    })
}

/// The widest record, of 1 MiB: keys are short, and a block holds many.
const MAX_WIDTH: u32 = 1 << 20;

/// Parses a column.
pub fn parse_column(text: &str) -> Result<Column, String> {
    if let Some(name) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Ok(Column::Name(name.to_string()));
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Column::Name(text.to_string()));
    }
    let number: u32 = text.parse().map_err(|_| "too large a column number".to_string())?;
    NonZero::new(number).map(Column::Number).ok_or("columns are numbered from 1".to_string())
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'\n' | b'\r' | 0] => Err("a delimiter cannot be a line ending or NUL".to_string()),
        [b'"'] => Err("a delimiter cannot be a quote".to_string()),
        [byte] => Ok(*byte),
        _ => Err("must be one ASCII character, or tab".to_string()),
    }
}

/// `1 column`, `2 columns`.
fn in_columns(number: usize) -> String {
    format!("{number} column{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> Column {
        Column::Number(NonZero::new(number).unwrap())
    }

    #[test]
    fn columns_delimiters_and_formats_are_read() {
        assert_eq!(parse_column("3"), Ok(number(3)));
        assert_eq!(parse_column("e-mail"), Ok(Column::Name("e-mail".to_string())));
        assert_eq!(parse_column("\"2025\""), Ok(Column::Name("2025".to_string())));
        assert!(parse_column("0").is_err());
        assert!(parse_column("99999999999").is_err());
        assert_eq!(
            ["tab", "\\t", "\t", ":"].map(parse_delimiter),
            [b'\t', b'\t', b'\t', b':'].map(Ok)
        );
        for wrong in ["", "::", "ä", "\n", "\""] {
            assert!(parse_delimiter(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(parse_format("records:20"), Ok(Named::Records(NonZero::new(20).unwrap())));
        for wrong in ["", "CSV", "records", "records:0", "records:x", "records:9999999999"] {
            assert!(parse_format(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_rule_is_the_filters_and_the_place_the_inputs() {
        let own = Recipe {
            rule: KeyRule { form: KeyForm::Hex, trim: true, ..KeyRule::default() },
            reach: None,
            place: Place::default(),
        };
        let none = RecipeArgs::default();
        let kept = none.extraction_for("f", Some(&own)).unwrap();
        assert_eq!(kept.recipe(), own);
        let same = RecipeArgs { hex: true, ..none.clone() };
        assert_eq!(same.extraction_for("f", Some(&own)).unwrap(), kept);
        for (other, named) in [
            (RecipeArgs { ignore_case: true, ..none.clone() }, "--ignore-case"),
            (RecipeArgs { form: Some(KeyForm::Int), ..none.clone() }, "--as int"),
        ] {
            let Err(Stop::Error(message)) = other.extraction_for("f", Some(&own)) else {
                panic!("{named} must contradict");
            };
            assert!(message.starts_with(&format!("f: {named} contradicts")), "{message}");
            assert!(message.contains("trimmed, hex decoded"), "{message}");
        }

        let column = RecipeArgs { column: vec![number(2)], ..none.clone() };
        let place = column.extraction_for("f", Some(&own)).unwrap().place;
        let csv = |delimiter| {
            let (quotes, separator) = (Quotes::Csv, Separator::Line);
            Format::Delimited { delimiter, quotes, separator }
        };
        assert_eq!((place.format, &place.columns[..]), (csv(b','), &[number(2)][..]));
        // The default's columns stay if only the format is told, and its format if only columns are.
        let own = Recipe { place: place.clone(), ..own };
        let tsv = RecipeArgs { format: Some(Named::Tsv), ..none.clone() };
        let place = tsv.extraction_for("f", Some(&own)).unwrap().place;
        assert_eq!((place.format, &place.columns[..]), (csv(b'\t'), &[number(2)][..]));
        let lines = RecipeArgs { format: Some(Named::Lines), ..none.clone() };
        assert_eq!(lines.extraction_for("f", Some(&own)).unwrap().place, Place::default());
        let json = Recipe { place: Place { format: Format::Json, ..place }, ..own };
        let place = column.extraction_for("f", Some(&json)).unwrap().place;
        assert_eq!(place.format, Format::Json);

        let two = RecipeArgs { column: vec![number(1), number(2)], ..none };
        assert!(two.extraction_for("f", Some(&json)).is_err());
        assert_eq!(two.extraction().unwrap().rule.parts, 2);
    }

    #[test]
    fn options_that_need_each_other() {
        let none = RecipeArgs::default();
        for wrong in [
            RecipeArgs { delimiter: Some(b';'), ..none.clone() },
            RecipeArgs { format: Some(Named::Csv), ..none.clone() },
            RecipeArgs { format: Some(Named::Lines), column: vec![number(1)], ..none.clone() },
            RecipeArgs { format: Some(Named::Json), delimiter: Some(b';'), ..none.clone() },
            RecipeArgs { format: Some(Named::Json), header: true, ..none.clone() },
            RecipeArgs { format: Some(Named::Fields), no_quotes: true, ..none },
        ] {
            assert!(wrong.extraction().is_err(), "{wrong:?}");
        }
    }
}
