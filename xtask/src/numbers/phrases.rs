//! Numbers in sentences and rows: which words are around them, and which cells they are.

use std::ops::Range;

use super::records::Records;

/// Words of a page with `{}` for each number. A line may end where a space is.
pub struct Phrase {
    pub page: &'static str,
    pub words: &'static str,
    pub values: &'static [Value],
}

/// What a number is. It keeps the digits after the point that the page shows.
#[derive(Clone, Copy)]
pub enum Value {
    Cell(&'static str),
    /// A cell times a number, such as 100 for a percentage.
    Times(f64, &'static str),
    Ratio(&'static str, &'static str),
    /// The day of the last full run of the benchmark.
    Day,
}

impl Phrase {
    /// The page with these numbers from the records.
    pub fn renew(&self, page: &str, records: &Records) -> Result<String, String> {
        let Phrase { page: name, words, values } = self;
        let starts = page.char_indices().map(|(at, _)| at);
        let mut found = starts.filter_map(|at| self.find(page, at));
        let places = found.next().ok_or(format!("{name} does not say: {words}"))?;
        if found.next().is_some() {
            return Err(format!("{name} says twice: {words}"));
        }
        let mut text = page.to_owned();
        for (value, place) in values.iter().zip(places).rev() {
            let new = value.shown(&page[place.clone()], records)?;
            text.replace_range(place, &new);
        }
        Ok(text)
    }

    /// Where the numbers are, if the words begin at this place.
    fn find(&self, page: &str, start: usize) -> Option<Vec<Range<usize>>> {
        let (mut at, mut places) = (start, Vec::new());
        for (index, literal) in self.words.split("{}").enumerate() {
            if index > 0 {
                let length = match self.values.get(index - 1)? {
                    Value::Day => page[at..].find(literal.chars().next().unwrap_or('\n'))?,
                    _ => number(&page[at..])?,
                };
                places.push(at..at + length);
                at += length;
            }
            at += prefix(&page[at..], literal)?;
        }
        Some(places)
    }
}

/// How long the text is with which another begins. A space is any white space.
fn prefix(text: &str, words: &str) -> Option<usize> {
    let mut rest = text;
    for letter in words.chars() {
        rest = match letter {
            ' ' => rest.strip_prefix(char::is_whitespace)?.trim_start(),
            letter => rest.strip_prefix(letter)?,
        };
    }
    Some(text.len() - rest.len())
}

/// The length of a number, with commas between thousands. A full stop or comma after it is not its own.
fn number(text: &str) -> Option<usize> {
    let ends = |letter: char| !letter.is_ascii_digit() && !['.', ','].contains(&letter);
    let length = text.find(ends).unwrap_or(text.len());
    let length = text[..length].trim_end_matches(['.', ',']).len();
    (length > 0).then_some(length)
}

impl Value {
    /// With as many digits after the point as now.
    fn shown(self, now: &str, records: &Records) -> Result<String, String> {
        let value = match self {
            Value::Day => return records.day(),
            Value::Cell(place) => records.cell(place)?,
            Value::Times(factor, place) => factor * records.cell(place)?,
            Value::Ratio(one, other) => records.cell(one)? / records.cell(other)?,
        };
        let decimals = now.split_once('.').map_or(0, |(_, after)| after.len());
        Ok(format!("{value:.decimals$}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn numbers_are_found_by_their_words() {
        let phrase =
            |words| Phrase { page: "a.md", words, values: &[Value::Cell("x"), Value::Cell("y")] };
        let page = "It takes 13.7 bits\nper key, not 1,014.4. It takes long.";
        let places = |words| (0..page.len()).find_map(|at| phrase(words).find(page, at));
        let found = places("takes {} bits per key, not {}. It").unwrap_or_default();
        let found: Vec<&str> = found.into_iter().map(|place| &page[place]).collect();
        assert_eq!(found, ["13.7", "1,014.4"]);
        assert_eq!(places("takes {} bits per day, not {}"), None);
    }

    #[test]
    fn a_phrase_must_be_there_once() {
        let records = Records::new(Path::new("nowhere"));
        let phrase = Phrase { page: "a.md", words: "a {} b", values: &[Value::Cell("x")] };
        let error = |page| phrase.renew(page, &records).unwrap_err();
        assert_eq!(error("a b"), "a.md does not say: a {} b");
        assert_eq!(error("a 1 b, a 2 b"), "a.md says twice: a {} b");
    }
}
