//! The options that say how keys are read from the input, and whether they agree with the recipe in
//! a file.

use crate::exit::Stop;
use anther::Recipe;
use anther::recipe::{Column, Separator, Which};
use clap::Args;
use std::fmt;
use std::num::NonZero;

/// How keys are read from the input.
#[derive(Args, Clone, Debug, Default)]
pub struct RecipeArgs {
    /// Keys end with a NUL byte instead of a line ending
    #[arg(short = '0', long)]
    null: bool,
    /// Column of the key: its number, from 1, or its name
    ///
    /// With a name, the first line of each input is a header row.
    #[arg(long, value_name = "NAME|N", value_parser = parse_column)]
    column: Option<Which>,
    /// Delimiter of columns: a character, or tab [default: ,]
    ///
    /// With a comma, fields may be quoted as in CSV.
    #[arg(long, value_name = "C", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// Decode keys from hexadecimal: CAFE and cafe are the same two bytes
    #[arg(long)]
    hex: bool,
    /// Ignore the case of the letters A to Z
    #[arg(long)]
    ignore_case: bool,
    /// Ignore white space around keys
    #[arg(long)]
    trim: bool,
    /// Read inputs even if they do not look like lists of keys
    ///
    /// Otherwise archives, databases, executables and text in UTF-16 are refused, and lists whose
    /// lines end in another way. Compressed inputs are still decompressed.
    #[arg(long)]
    pub binary: bool,
}

const COMMA: u8 = b',';

impl RecipeArgs {
    /// The recipe that the options describe.
    pub fn recipe(&self) -> Result<Recipe, Stop> {
        let column = match (&self.column, self.delimiter) {
            (Some(which), delimiter) => {
                Some(Column { which: which.clone(), delimiter: delimiter.unwrap_or(COMMA) })
            }
            (None, None) => None,
            (None, Some(_)) => {
                let message =
                    "--delimiter needs --column; name the key's column, such as --column 1";
                return Err(Stop::Error(message.to_string()));
            }
        };
        Ok(Recipe {
            separator: if self.null { Separator::Nul } else { Separator::Line },
            column,
            trim: self.trim,
            fold_case: self.ignore_case,
            hex: self.hex,
        })
    }

    /// Whether `--column` was given.
    pub fn names_column(&self) -> bool {
        self.column.is_some()
    }

    /// The recipe for a file: its own, with which the options must agree, or the options' if it has
    /// none.
    pub fn recipe_for(
        &self,
        file: impl fmt::Display,
        own: Option<&Recipe>,
    ) -> Result<Recipe, Stop> {
        let Some(own) = own else { return self.recipe() };
        match self.contradiction(own) {
            None => Ok(own.clone()),
            Some(option) => Err(Stop::about(
                file,
                format_args!(
                    "{option} contradicts the filter, which reads its keys as {own}; \
                     leave the option out, or rebuild the filter with it"
                ),
            )),
        }
    }

    /// The first option that disagrees with the recipe.
    fn contradiction(&self, own: &Recipe) -> Option<String> {
        let column = own.column.as_ref();
        if self.null && own.separator != Separator::Nul {
            return Some("--null".to_string());
        }
        if let Some(which) = &self.column
            && column.map(|column| &column.which) != Some(which)
        {
            return Some(match which {
                Which::Number(number) => format!("--column {number}"),
                Which::Name(name) => format!("--column {name:?}"),
            });
        }
        if let Some(delimiter) = self.delimiter
            && column.map(|column| column.delimiter) != Some(delimiter)
        {
            return Some(format!("--delimiter {:?}", char::from(delimiter)));
        }
        let switches = [
            ("--hex", self.hex, own.hex),
            ("--ignore-case", self.ignore_case, own.fold_case),
            ("--trim", self.trim, own.trim),
        ];
        let other = switches.iter().find(|(_, asked, has)| *asked && !has);
        other.map(|(option, ..)| (*option).to_string())
    }
}

fn parse_column(text: &str) -> Result<Which, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Which::Name(text.to_string()));
    }
    let number: u32 = text.parse().map_err(|_| "too large a column number".to_string())?;
    NonZero::new(number).map(Which::Number).ok_or_else(|| "columns are numbered from 1".to_string())
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'\n' | b'\r' | 0] => Err("a delimiter cannot be a line ending or NUL".to_string()),
        [byte] => Ok(*byte),
        _ => Err("must be one ASCII character, or tab".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_delimiters_are_read() {
        assert_eq!(parse_column("3"), Ok(Which::Number(NonZero::new(3).unwrap())));
        assert_eq!(parse_column("e-mail"), Ok(Which::Name("e-mail".to_string())));
        assert!(parse_column("0").is_err());
        assert!(parse_column("99999999999").is_err());
        assert_eq!(
            ["tab", "\\t", "\t", ":"].map(parse_delimiter),
            [b'\t', b'\t', b'\t', b':'].map(Ok)
        );
        for wrong in ["", "::", "ä", "\n"] {
            assert!(parse_delimiter(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn options_agree_or_contradict() {
        let own = Recipe { hex: true, trim: true, ..Recipe::default() };
        let none = RecipeArgs::default();
        assert_eq!(none.recipe_for("f", Some(&own)).unwrap(), own);
        let same = RecipeArgs { hex: true, ..none.clone() };
        assert_eq!(same.recipe_for("f", Some(&own)).unwrap(), own);
        for (other, named) in [
            (RecipeArgs { ignore_case: true, ..none.clone() }, "--ignore-case"),
            (RecipeArgs { null: true, ..none.clone() }, "--null"),
            (
                RecipeArgs {
                    column: Some(Which::Number(NonZero::new(2).unwrap())),
                    ..none.clone()
                },
                "--column 2",
            ),
            (RecipeArgs { delimiter: Some(b'\t'), ..none.clone() }, "--delimiter '\\t'"),
        ] {
            let Err(Stop::Error(message)) = other.recipe_for("f", Some(&own)) else {
                panic!("{named} must contradict");
            };
            assert!(message.starts_with(&format!("f: {named} contradicts")), "{message}");
            assert!(message.contains("lines, trimmed, hex decoded"), "{message}");
        }
        let library = RecipeArgs { hex: true, ..none }.recipe_for("f", None).unwrap();
        assert!(library.hex && !library.trim);
    }
}
