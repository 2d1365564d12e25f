//! Takes the key from a record: finds its place, then applies the filter's rule.
//!
//! Each record is parsed once. If the key is the whole line, or a column that is not quoted, it is a
//! slice of the record; only a rule that changes it, and quotes within a field, need a copy.

use crate::block_list::BlockList;
use crate::blocks::{MARK, Splitter};
use crate::columns;
use crate::csv::{self, NoField};
use crate::json_lines::{self, Path, Value};
use crate::record_error::RecordError;
use crate::values::{NO_VALUE, THREE_COLUMNS, ValueColumn};
use crate::web;
use anther::foreign::parquet::Logical;
use anther::recipe::{
    Column, Format, Given, KeyForm, KeyRule, Place, Quotes, Reach, RuledKey, Separator,
};
use anther::{KeyError, Recipe};
use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

/// How keys are taken from inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Where the key is.
    pub place: Place,
    /// What the key is.
    pub rule: KeyRule,
    /// What the entries of a list stand for.
    pub reach: Option<Reach>,
    /// Where the key's value is, if it has one.
    pub value: Option<ValueColumn>,
    /// Whether a domain may be that of a URL or of an e-mail address, and an IP address may have a
    /// port.
    pub within: bool,
    /// What to do about networks, and about `*@` entries for all addresses of a domain, if they are
    /// refused, since their addresses would not be found.
    pub no_networks: Option<Cow<'static, str>>,
    /// What lines may be besides keys, if they are those of a published list.
    pub block_list: Option<BlockList>,
    /// What the integers of a Parquet column stand for, which may be written so: `2026-11-17`.
    pub stored: Option<Logical>,
    /// Whether keys that are networks are counted, since nobody said that they are not text.
    pub counts_networks: bool,
    /// Whether empty keys are kept.
    pub keep_empty: bool,
    /// Whether to go on after a record without a key.
    pub skip_malformed: bool,
    /// Whether inputs are read whatever they look like.
    pub binary: bool,
}

impl Extraction {
    /// What of it is stored with a filter.
    pub fn recipe(&self) -> Recipe {
        Recipe { rule: self.rule, reach: self.reach, place: self.place.clone() }
    }

    /// The same for a list that may be a published one: with comments, as a hosts file, with ranges.
    pub fn of_published(self) -> Extraction {
        let list = BlockList::at(&self.place, self.rule.form);
        Extraction { block_list: list.filter(|_| !self.keep_empty), ..self }
    }

    /// A part of a key in the spelling that its rule takes. `made` holds it if it differs.
    fn spell<'t>(&self, given: Given<'t>, made: &'t mut Vec<u8>) -> Given<'t> {
        match given {
            Given::Text(text) if web::has_spellings(self.rule.form, self.within) => {
                Given::Text(web::spelling(self.rule.form, self.within, text, made))
            }
            Given::Text(text) => {
                let integer = self.stored.and_then(|stored| stored.integer(text));
                let Some(integer) = integer else { return Given::Text(text) };
                *made = integer.to_string().into_bytes();
                Given::Text(made)
            }
            given => given,
        }
    }

    /// The key of these parts.
    #[inline]
    fn key<'k>(
        &self,
        given: &[Given<'k>],
        made: &'k mut Vec<u8>,
    ) -> Result<RuledKey<'k>, KeyError> {
        let key = self.rule.key(given, made)?;
        match self.no_networks.is_some() && self.stands_for_many(key) {
            true => Err(KeyError::Network),
            false => Ok(key),
        }
    }

    /// Whether it is a network, or all addresses of a domain.
    fn stands_for_many(&self, key: RuledKey<'_>) -> bool {
        let is_domain = |key| matches!(key, RuledKey::Bytes(key) if key.starts_with(b"*@"));
        self.rule.is_network(key) || self.rule.form == KeyForm::Email && is_domain(key)
    }

    /// What else to say about a key that is refused.
    pub fn about_refused(&self, error: &RecordError) -> String {
        let is_many = matches!(
            error,
            RecordError::Key { error: KeyError::Network, .. } | RecordError::AddressesOfDomain
        );
        if let (true, Some(advice)) = (is_many, &self.no_networks) {
            return format!("; {advice}");
        }
        let integers = match error {
            RecordError::Key { .. } => self.stored.and_then(Logical::integers),
            _ => None,
        };
        let Some(integers) = integers else { return String::new() };
        match self.stored {
            Some(Logical::Decimal { .. }) => format!("; the column stores {integers}"),
            _ => format!(
                "; the column stores {integers}, and a key is such a number, or written out"
            ),
        }
    }

    /// Whether the first line may name the columns, though nobody said so.
    pub fn may_lack_header(&self) -> bool {
        let has_rows = matches!(self.place.format, Format::Delimited { .. } | Format::Fields);
        has_rows && !self.place.columns.is_empty() && !self.place.has_header()
    }

    /// The name of a record in messages.
    pub fn record_name(&self) -> &'static str {
        match self.place.format {
            Format::Nul | Format::Records(_) => "record",
            Format::Delimited { separator: Separator::Nul, .. } => "record",
            Format::Parquet => "row",
            _ => "line",
        }
    }

    /// A record without what ends it.
    #[inline]
    pub fn without_end<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        match self.separator() {
            None => record,
            Some(0) => record.strip_suffix(b"\0").unwrap_or(record),
            Some(_) => csv::without_end(record),
        }
    }

    /// Whether a record has what ends it, which only the last one of an input may lack.
    pub fn is_whole(&self, record: &[u8]) -> bool {
        match Splitter::of(self.place.format) {
            Splitter::Byte(byte) => record.ends_with(&[byte]),
            Splitter::Csv(_) => record.ends_with(b"\n") || record.ends_with(b"\r"),
            Splitter::Width(_) => true,
        }
    }

    /// The byte that ends a record; none if records have a fixed width.
    pub fn separator(&self) -> Option<u8> {
        match self.place.format {
            Format::Nul => Some(0),
            Format::Delimited { separator, .. } => Some(separator.byte()),
            Format::Records(_) => None,
            _ => Some(b'\n'),
        }
    }
}

/// The length of the byte-order mark that the first record of an input has.
#[inline]
pub fn mark_len(place: &Place, first: &[u8]) -> usize {
    let has_one = match place.format {
        Format::Nul | Format::Records(_) => false,
        Format::Delimited { separator: Separator::Nul, .. } => false,
        _ => first.starts_with(MARK),
    };
    if has_one { MARK.len() } else { 0 }
}

/// A key as bytes, to be compared with others of the same filter.
pub fn bytes_of(key: RuledKey<'_>) -> Cow<'_, [u8]> {
    match key {
        RuledKey::Bytes(bytes) | RuledKey::Tuple(bytes) => Cow::Borrowed(bytes),
        RuledKey::Integer(word) => Cow::Owned(word.to_le_bytes().to_vec()),
    }
}

/// A key that was kept as its bytes.
pub fn key_of(form: KeyForm, bytes: &[u8]) -> RuledKey<'_> {
    match (form, <[u8; 8]>::try_from(bytes)) {
        // All other keys of this form are longer.
        (KeyForm::Ip, Ok(word)) => RuledKey::Integer(u64::from_le_bytes(word)),
        _ => RuledKey::Bytes(bytes),
    }
}

/// A key that was kept as its bytes, as text: of an address or a network as it is written.
pub fn text_of(form: KeyForm, bytes: &[u8]) -> Cow<'_, str> {
    let address = |address: &[u8; 16]| Ipv6Addr::from(*address);
    let v4_len = |len: u8| len.checked_sub(96);
    let text = match (form, key_of(form, bytes)) {
        (KeyForm::Ip, RuledKey::Integer(v4)) => {
            u32::try_from(v4).ok().map(|v4| Ipv4Addr::from(v4).to_string())
        }
        (KeyForm::Ip, RuledKey::Bytes(key)) => match key.split_first_chunk() {
            Some((first, [])) => Some(address(first).to_string()),
            Some((first, [len])) => Some(match (address(first).to_ipv4_mapped(), v4_len(*len)) {
                (Some(v4), Some(len)) => format!("{v4}/{len}"),
                _ => format!("{}/{len}", address(first)),
            }),
            _ => None,
        },
        _ => None,
    };
    text.map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned)
}

/// Takes keys from records.
#[derive(Debug)]
pub struct Extractor<'a> {
    how: &'a Extraction,
    format: Format,
    /// The numbers of the columns, from 1; 0 if the header row has not been read.
    columns: Vec<usize>,
    paths: Vec<Path>,
    /// The number of the value's column, if it is not the last, and its path.
    value_column: Option<usize>,
    value_path: Option<Path>,
    /// The names in the header row, as messages show them.
    names: String,
    /// A field without its quotes, for each column.
    unquoted: Vec<Vec<u8>>,
    /// The part of a key in the spelling that its rule takes, for each column.
    spelled: Vec<Vec<u8>>,
    /// A key that is not a slice of its record.
    made: Vec<u8>,
}

impl<'a> Extractor<'a> {
    /// Whether every line is its own key.
    pub fn takes_plain_lines(&self) -> bool {
        self.format == Format::Lines && self.how.rule.is_plain()
    }

    /// If there is a header row, call [`header`](Extractor::header) first, for each input.
    pub fn new(how: &'a Extraction) -> Extractor<'a> {
        let number = |column: &Column| match column {
            Column::Number(number) => number.get() as usize,
            Column::Name(_) => 0,
        };
        let path = |column: &Column| match column {
            Column::Number(number) => Path::number(*number),
            Column::Name(name) => Path::new(name),
        };
        let Place { format, columns, .. } = &how.place;
        let value = how.value.as_ref().and_then(|value| value.column.as_ref());
        Extractor {
            how,
            format: *format,
            value_column: value.map(number),
            value_path: value.map(path),
            columns: columns.iter().map(number).collect(),
            paths: columns.iter().map(path).collect(),
            names: String::new(),
            unquoted: vec![Vec::new(); columns.len().max(1)],
            spelled: vec![Vec::new(); columns.len().max(1)],
            made: Vec::new(),
        }
    }

    /// For the rows of a Parquet file, which come as CSV of the columns in question.
    pub fn of_rows(how: &'a Extraction) -> Extractor<'a> {
        let columns = (1..=how.place.columns.len()).collect();
        // The value, if it has a column, comes last.
        Extractor { format: ROWS, columns, value_column: None, ..Extractor::new(how) }
    }

    /// Reads the names of the columns.
    pub fn header(&mut self, record: &[u8]) -> Result<(), RecordError> {
        let record = self.how.without_end(&record[mark_len(&self.how.place, record)..]);
        let names: Vec<Vec<u8>> = match self.format {
            Format::Delimited { delimiter, quotes, .. } => {
                csv::fields(record, delimiter, quotes != Quotes::None).map_err(
                    |error| match error {
                        NoField::Unclosed | NoField::Only(_) => RecordError::Quote,
                    },
                )?
            }
            Format::Fields => blanks(record).map(<[u8]>::to_vec).collect(),
            _ => return Ok(()),
        };
        self.names = listed(&names);
        let value = self.how.value.iter().flat_map(|value| &value.column);
        let columns = self.how.place.columns.iter().zip(&mut self.columns);
        for (column, number) in columns.chain(value.zip(&mut self.value_column)) {
            let Column::Name(name) = column else { continue };
            let mut places =
                names.iter().enumerate().filter(|(_, known)| *known == name.as_bytes());
            let missing = || RecordError::Name { name: name.clone(), names: self.names.clone() };
            *number = places.next().ok_or_else(missing)?.0 + 1;
            if let Some((other, _)) = places.next() {
                let (name, numbers) = (name.clone(), [*number, other + 1]);
                return Err(RecordError::Ambiguous { name, numbers });
            }
        }
        Ok(())
    }

    /// The key of a record, or `None` if it is empty. The byte-order mark of an input's first record
    /// is left out by the caller.
    #[inline]
    pub fn key<'r>(&'r mut self, record: &'r [u8]) -> Result<Option<RuledKey<'r>>, RecordError> {
        let record = self.how.without_end(record);
        let rule = &self.how.rule;
        let given = match (self.format, &self.columns[..]) {
            (Format::Records(width), _) => {
                let width = width.get() as usize;
                if record.len() < width {
                    return Err(RecordError::Short(record.len(), width));
                }
                Given::Bytes(record)
            }
            (Format::Json, _) => return self.json_key(record),
            (_, []) => Given::Text(record),
            // The csv crate skips blank lines, and so do we.
            (_, _) if record.is_empty() => return Ok(None),
            (Format::Fields, _) if blanks(record).next().is_none() => return Ok(None),
            (format, [column]) => {
                let [unquoted, ..] = &mut self.unquoted[..] else { return Ok(None) };
                Given::Text(find(format, record, *column, unquoted, &self.names)?)
            }
            (format, columns) => {
                let mut given = Vec::with_capacity(columns.len());
                let buffers = self.unquoted.iter_mut().zip(&mut self.spelled);
                for (column, (unquoted, spelled)) in columns.iter().zip(buffers) {
                    let text = find(format, record, *column, unquoted, &self.names)?;
                    given.push(self.how.spell(Given::Text(text), spelled));
                }
                return finish(self.how, &given, &mut self.made);
            }
        };
        let given = match &mut self.spelled[..] {
            [spelled, ..] => self.how.spell(given, spelled),
            [] => given,
        };
        if !self.how.keep_empty && is_empty(rule, given) {
            return Ok(None);
        }
        let key = self.how.key(&[given], &mut self.made);
        key.map(Some).map_err(|error| refused(self.how, &[given], error))
    }

    /// Whether the first value of a record of JSON lines is null: `grep --column` tells it from an empty key.
    pub fn is_null(&self, record: &[u8]) -> bool {
        let value = |path| json_lines::value(record, path);
        let is_json = self.format == Format::Json;
        is_json && matches!(self.paths.first().map(value), Some(Ok(Value::Null)))
    }

    fn json_key<'r>(&'r mut self, record: &'r [u8]) -> Result<Option<RuledKey<'r>>, RecordError> {
        if record.trim_ascii().is_empty() {
            return Ok(None);
        }
        let whole = [Path::new("")];
        let paths = if self.paths.is_empty() { &whole[..] } else { &self.paths };
        let mut texts = Vec::with_capacity(paths.len());
        let buffers = self.unquoted.iter_mut().zip(&mut self.spelled);
        for (at, (path, (unquoted, spelled))) in paths.iter().zip(buffers).enumerate() {
            let name = || self.how.place.columns.get(at).map_or(String::new(), column_name);
            // What is left out needs no explanation.
            let paths = || match self.how.skip_malformed {
                true => String::new(),
                false => listed(&json_lines::paths(record)),
            };
            let given = match json_lines::value(record, path).map_err(RecordError::Json)? {
                Value::Text(text) => Given::Text(text),
                Value::Made(text) => {
                    *unquoted = text.into_bytes();
                    Given::Text(unquoted)
                }
                Value::Null => Given::Text(b""),
                Value::Missing => {
                    return Err(RecordError::NoValue { path: name(), paths: paths() });
                }
                Value::Other(found) => {
                    return Err(RecordError::NoKey { path: name(), found, paths: paths() });
                }
            };
            texts.push(self.how.spell(given, spelled));
        }
        finish(self.how, &texts, &mut self.made)
    }

    /// The key that an argument of the program is, to the letter. A key of several parts is a
    /// record of CSV, with commas, whatever the input has.
    pub fn argument<'r>(&'r mut self, argument: &'r [u8]) -> Result<RuledKey<'r>, RecordError> {
        let rule = &self.how.rule;
        self.unquoted = match rule.parts {
            1 => vec![],
            _ => csv::fields(argument, b',', true).map_err(|_| RecordError::Quote)?,
        };
        let given: Vec<_> = match rule.parts {
            1 => vec![Given::Text(argument)],
            _ => self.unquoted.iter().map(|part| Given::Text(part)).collect(),
        };
        self.spelled.resize_with(given.len(), Vec::new);
        let spelled = given.into_iter().zip(&mut self.spelled);
        let given: Vec<_> = spelled.map(|(part, spelled)| self.how.spell(part, spelled)).collect();
        self.how.key(&given, &mut self.made).map_err(|error| match given[..] {
            // The message is about the argument, and names it.
            [_] => RecordError::of(rule.form, error, None, None),
            _ => refused(self.how, &given, error),
        })
    }

    /// The value of a record's key.
    pub fn value(&mut self, record: &[u8]) -> Result<u64, RecordError> {
        let Some(wanted) = &self.how.value else { return Ok(0) };
        let parse = |text: &[u8]| wanted.parse(text).map_err(RecordError::Value);
        if self.format == Format::Json {
            let name = || wanted.column.as_ref().map(column_name);
            let path = self.value_path.as_ref().ok_or(RecordError::Value(NO_VALUE.to_string()))?;
            return match json_lines::value(record, path).map_err(RecordError::Json)? {
                Value::Text(text) => parse(text),
                Value::Made(text) => parse(text.as_bytes()),
                Value::Other(found) => Err(RecordError::Value(format!(
                    "the value at {:?} is {found}, and not a whole number such as 7",
                    name().unwrap_or_default()
                ))),
                Value::Null | Value::Missing => Err(RecordError::Value(format!(
                    "no value at {:?}; check --values, or go on with --skip-malformed",
                    name().unwrap_or_default()
                ))),
            };
        }
        if let Some(column) = self.value_column {
            let record = self.how.without_end(record);
            let mut unquoted = Vec::new();
            return parse(find(self.format, record, column, &mut unquoted, &self.names)?);
        }
        if wanted.two_columns && memchr::memchr_iter(b'\t', record).count() > 1 {
            return Err(RecordError::Value(THREE_COLUMNS.to_string()));
        }
        parse(self.last(record).ok_or(RecordError::Value(NO_VALUE.to_string()))?)
    }

    /// The last column of a record, if it has more than one.
    fn last<'r>(&'r mut self, record: &'r [u8]) -> Option<&'r [u8]> {
        let record = self.how.without_end(record);
        match self.format {
            Format::Delimited { delimiter, quotes, .. }
                if quotes == Quotes::None || memchr::memchr(b'"', record).is_none() =>
            {
                memchr::memrchr(delimiter, record).map(|at| &record[at + 1..])
            }
            Format::Delimited { delimiter, quotes, .. } => {
                let [unquoted, ..] = &mut self.unquoted[..] else { return None };
                let mut all = csv::fields(record, delimiter, quotes != Quotes::None).ok()?;
                *unquoted = all.pop().filter(|_| !all.is_empty())?;
                Some(unquoted)
            }
            Format::Fields => blanks(record).skip(1).last(),
            _ => None,
        }
    }
}

/// The format of the rows of a Parquet file.
const ROWS: Format =
    Format::Delimited { delimiter: b',', quotes: Quotes::Csv, separator: Separator::Line };

/// The key of several parts; `None` if all of them are empty.
fn finish<'r>(
    how: &Extraction,
    given: &[Given<'r>],
    made: &'r mut Vec<u8>,
) -> Result<Option<RuledKey<'r>>, RecordError> {
    if !how.keep_empty && given.iter().all(|part| is_empty(&how.rule, *part)) {
        return Ok(None);
    }
    how.key(given, made).map(Some).map_err(|error| refused(how, given, error))
}

/// The rule refused the key. Says which part, by trying them.
fn refused(how: &Extraction, given: &[Given<'_>], error: KeyError) -> RecordError {
    let rule = &how.rule;
    let text = |part: &Given<'_>| match *part {
        Given::Text(text) => Some(text.to_vec()),
        _ => None,
    };
    let refuses = |part: &&Given<'_>| rule.apply(**part, &mut Vec::new()).is_err();
    let text = given.iter().find(refuses).and_then(text);
    let is_line = how.place.format == Format::Lines;
    let advice = text.as_ref().filter(|_| is_line).and_then(|text| columns::advice_for(rule, text));
    RecordError::of(rule.form, error, text, advice)
}

#[inline]
fn is_empty(rule: &KeyRule, given: Given<'_>) -> bool {
    match given {
        Given::Text(text) if rule.trim => text.trim_ascii().is_empty(),
        Given::Text(text) => text.is_empty(),
        _ => false,
    }
}

/// A column as on the command line.
fn column_name(column: &Column) -> String {
    match column {
        Column::Name(name) => name.clone(),
        Column::Number(number) => number.to_string(),
    }
}

/// A column of a record, by its number.
#[inline]
fn find<'r>(
    format: Format,
    record: &'r [u8],
    number: usize,
    unquoted: &'r mut Vec<u8>,
    names: &str,
) -> Result<&'r [u8], RecordError> {
    let found = match format {
        Format::Delimited { delimiter, quotes, .. } => {
            csv::field(record, delimiter, quotes != Quotes::None, number, unquoted)
        }
        _ => {
            let field = number.checked_sub(1).and_then(|at| blanks(record).nth(at));
            field.ok_or_else(|| NoField::Only(blanks(record).count()))
        }
    };
    found.map_err(|error| match error {
        NoField::Unclosed => RecordError::Quote,
        NoField::Only(have) => RecordError::Columns {
            wanted: number,
            have,
            names: names.to_string(),
            is_delimited: format != Format::Fields,
        },
    })
}

/// The fields between runs of blanks and tabs, as awk splits a line.
fn blanks(record: &[u8]) -> impl Iterator<Item = &[u8]> {
    record.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty())
}

/// Names for a message, shortened if there are many.
fn listed(names: &[Vec<u8>]) -> String {
    let name = |name: &Vec<u8>| format!("{:?}", String::from_utf8_lossy(name));
    let mut shown: Vec<String> = names.iter().take(json_lines::LISTED).map(name).collect();
    if names.len() > json_lines::LISTED {
        shown.push(format!("and {} more", names.len() - json_lines::LISTED));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    fn number(number: u32) -> Column {
        Column::Number(NonZero::new(number).unwrap())
    }

    fn at(format: Format, columns: Vec<Column>) -> Extraction {
        let place = Place { format, columns, header: false };
        Extraction { place, ..Extraction::default() }
    }

    fn csv(delimiter: u8, quotes: Quotes, column: Column) -> Extraction {
        at(Format::Delimited { delimiter, quotes, separator: Separator::Line }, vec![column])
    }

    fn key(keys: &mut Extractor<'_>, record: &[u8]) -> Result<Option<Vec<u8>>, RecordError> {
        Ok(keys.key(record)?.map(|key| bytes_of(key).into_owned()))
    }

    #[test]
    fn line_ends_go_and_other_bytes_stay() {
        let plain = Extraction::default();
        let mut keys = Extractor::new(&plain);
        for record in [&b"key"[..], b"key\n", b"key\r\n"] {
            assert_eq!(key(&mut keys, record), Ok(Some(b"key".to_vec())));
        }
        assert_eq!(key(&mut keys, b" k\x00\xFF\r \n"), Ok(Some(b" k\x00\xFF\r ".to_vec())));
        assert_eq!(key(&mut keys, b"\n"), Ok(None), "empty");
        let nul = at(Format::Nul, vec![]);
        assert_eq!(key(&mut Extractor::new(&nul), b"a\r\n\0"), Ok(Some(b"a\r\n".to_vec())));
        let kept = Extraction { keep_empty: true, ..Extraction::default() };
        assert_eq!(key(&mut Extractor::new(&kept), b"\n"), Ok(Some(Vec::new())));
    }

    #[test]
    fn columns_by_number_and_by_name() {
        let how = csv(b',', Quotes::Csv, number(2));
        let mut keys = Extractor::new(&how);
        for (record, expected) in [
            (&b"a,b,c\r\n"[..], &b"b"[..]),
            (b"\"x,y\",\"b \"\"q\"\", c\",z", b"b \"q\", c"),
            (b"\"a\",b\"c", b"b\"c"),
            (b"a,\"b\nc\"\n", b"b\nc"),
        ] {
            assert_eq!(key(&mut keys, record), Ok(Some(expected.to_vec())));
        }
        for empty in [&b"a,,c"[..], b"a,\"\"", b"\n"] {
            assert_eq!(key(&mut keys, empty), Ok(None));
        }
        let error = key(&mut keys, b"a").unwrap_err();
        assert!(error.to_string().starts_with("no column 2: the record has 1 column;"), "{error}");
        assert_eq!(key(&mut keys, b"a,\"b"), Err(RecordError::Quote));
        for argument in [&b"a,b"[..], b"a,b\r", b"a,b\r\n", b"\xEF\xBB\xBFa,b"] {
            assert_eq!(keys.argument(argument), Ok(RuledKey::Bytes(argument)));
        }

        let how = csv(b'\t', Quotes::None, Column::Name("mail".to_string()));
        let mut keys = Extractor::new(&how);
        keys.header(b"\xEF\xBB\xBFid\tmail\tage\r\n").unwrap();
        assert_eq!(key(&mut keys, b"1\t\"a@b\t3\n"), Ok(Some(b"\"a@b".to_vec())));
        let error = keys.header(b"id\tage\n").unwrap_err().to_string();
        assert!(
            error.contains("no column \"mail\"; the header row has \"id\", \"age\""),
            "{error}"
        );
    }

    #[test]
    fn fields_json_and_records() {
        let how = at(Format::Fields, vec![number(2)]);
        let mut keys = Extractor::new(&how);
        assert_eq!(
            key(&mut keys, b"  127.0.0.1\t \tlocalhost  \n"),
            Ok(Some(b"localhost".to_vec()))
        );
        assert!(key(&mut keys, b"one\n").is_err());
        assert_eq!(key(&mut keys, b" \t\n"), Ok(None), "no fields");
        assert_eq!(keys.last(b"a  b c\n"), Some(&b"c"[..]));

        let how = at(Format::Json, vec![Column::Name("user.id".to_string())]);
        let mut keys = Extractor::new(&how);
        assert_eq!(key(&mut keys, b"{\"user\":{\"id\":\"\\u0041\"}}\n"), Ok(Some(b"A".to_vec())));
        assert_eq!(key(&mut keys, b"{\"user\":{\"id\":null}}\n"), Ok(None));
        assert_eq!(key(&mut keys, b" \n"), Ok(None));
        let error =
            key(&mut keys, b"{\"user\": {\"name\": 1}, \"n\": []}").unwrap_err().to_string();
        assert!(error.contains("no value at \"user.id\"; the line has \"user.name\";"), "{error}");

        let mut how = at(Format::Records(NonZero::new(3).unwrap()), vec![]);
        how.rule.form = KeyForm::Hex;
        let mut keys = Extractor::new(&how);
        assert_eq!(key(&mut keys, b"\n\r\n"), Ok(Some(b"\n\r\n".to_vec())));
        assert_eq!(key(&mut keys, b"\n\r"), Err(RecordError::Short(2, 3)));
        assert_eq!(keys.argument(b"0a0d0A"), Ok(RuledKey::Bytes(b"\n\r\n")));
    }

    #[test]
    fn a_value_is_the_last_column_or_the_one_that_is_named() {
        let with = |mut how: Extraction, column, two_columns| {
            how.value = Some(ValueColumn { column, two_columns, bands: false });
            how
        };
        let value = |how: &Extraction, record: &[u8]| {
            let value = Extractor::new(how).value(record);
            value.map_err(|error| error.to_string())
        };
        let tab = with(csv(b'\t', Quotes::None, number(1)), None, true);
        assert_eq!(value(&tab, b"key\t17\n"), Ok(17));
        assert!(value(&tab, b"key").unwrap_err().starts_with("no value; a record is the key"));
        assert!(value(&tab, b"17").unwrap_err().starts_with("no value"));
        assert!(value(&tab, b"a\tb\t1").unwrap_err().starts_with("more than two columns"));
        let last = with(csv(b',', Quotes::Csv, number(1)), None, false);
        assert_eq!(value(&last, b"key,a,5"), Ok(5));
        assert_eq!(value(&last, b"\"key\",\"7\"\r\n"), Ok(7));
        let second = with(csv(b',', Quotes::Csv, number(3)), Some(number(2)), false);
        assert_eq!(value(&second, b"a,\"12\",key\n"), Ok(12));
        assert!(value(&second, b"a").unwrap_err().starts_with("no column 2"));
        let fields = with(at(Format::Fields, vec![number(2)]), Some(number(1)), false);
        assert_eq!(value(&fields, b"  3 key\n"), Ok(3));
        let json = at(Format::Json, vec![Column::Name("k".to_string())]);
        let json = with(json, Some(Column::Name("n.seen".to_string())), false);
        assert_eq!(value(&json, b"{\"k\":\"a\",\"n\":{\"seen\":40}}\n"), Ok(40));
        assert!(value(&json, b"{\"k\":\"a\"}").unwrap_err().contains("no value at \"n.seen\""));
        assert!(value(&json, b"{\"n\":{\"seen\":[]}}").unwrap_err().contains("is an array"));

        let named = with(csv(b',', Quotes::Csv, number(1)), Some(Column::Name("n".into())), false);
        let mut values = Extractor::new(&named);
        values.header(b"x,y,n\n").unwrap();
        assert_eq!(values.value(b"1,2,3\n"), Ok(3));
        assert!(values.header(b"x,y\n").is_err());
    }

    #[test]
    fn several_columns_are_one_key() {
        let mut how = csv(b',', Quotes::Csv, number(1));
        how.place.columns.push(number(3));
        how.rule.parts = 2;
        let mut keys = Extractor::new(&how);
        let one = key(&mut keys, b"a,x,bc\n").unwrap();
        assert_ne!(one, key(&mut keys, b"ab,x,c\n").unwrap());
        assert!(
            matches!(keys.argument(b"a,bc"), Ok(RuledKey::Tuple(frame)) if Some(frame) == one.as_deref())
        );
        assert!(keys.argument(b"a").is_err());
        assert_eq!(key(&mut keys, b",x,\n"), Ok(None));
    }

    #[test]
    fn a_key_that_is_as_in_its_record_is_not_copied() {
        let is_slice = |how: &Extraction, record: &[u8]| {
            let mut keys = Extractor::new(how);
            let Ok(Some(RuledKey::Bytes(key))) = keys.key(record) else { return false };
            let (key, record) = (key.as_ptr_range(), record.as_ptr_range());
            record.contains(&key.start) && key.end <= record.end
        };
        let mut trim = Extraction::default();
        (trim.rule.trim, trim.rule.ignore_case) = (true, true);
        assert!(is_slice(&Extraction::default(), b"line\r\n"));
        assert!(is_slice(&trim, b" line \n"));
        assert!(!is_slice(&trim, b"Line\n"));
        assert!(is_slice(&csv(b',', Quotes::Csv, number(2)), b"a,b,c\n"));
    }
}
