//! What a new filter has besides its kind and its target, as text: `counter-bits=8,as=domain`.

use crate::failure::{Failure, Status};
use anther::recipe::{KeyForm, KeyRule};
use anther::{Options, Recipe, Seed};

/// The options of the kind, and those that every kind has.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub options: Options,
    pub seed: Option<u64>,
    /// The rule of its keys, if one was given.
    pub rule: Option<KeyRule>,
}

impl Settings {
    /// Parses pairs, separated by commas or white space.
    pub fn parse(text: &str) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        let pairs = text.split(|c: char| c == ',' || c.is_ascii_whitespace());
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let wrong = |why: String| Failure::argument(format_args!("option {pair}: {why}"));
            settings.set(name, value).map_err(wrong)?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "seed" => {
                let seed = value.parse().map_err(|_| "a seed is a whole number, such as 7")?;
                self.seed = Some(seed);
            }
            "as" => {
                let form = KeyForm::ALL.into_iter().find(|form| form.name() == value);
                self.rule.get_or_insert_default().form = form.ok_or_else(|| {
                    let names = KeyForm::ALL.map(KeyForm::name).join(", ");
                    format!("{value:?} is not one of {names}")
                })?;
            }
            "trim" => self.rule.get_or_insert_default().trim = switch(value)?,
            "ignore-case" => self.rule.get_or_insert_default().ignore_case = switch(value)?,
            _ => {
                let option = Options::TABLE.iter().find(|option| option.name == name);
                let option = option.ok_or("no kind has such an option")?;
                let given = self.options.with(name, option.parse(value)?);
                self.options = given.ok_or_else(|| format!("{value} is too large"))?;
            }
        }
        Ok(())
    }

    /// The seed, with the secret key if there is one.
    pub fn seed(&self, secret: Option<[u8; 16]>) -> Result<Seed, Failure> {
        match (secret, self.seed) {
            (Some(_), Some(_)) => {
                let text = "a filter has a seed or a secret key, not both; leave one out";
                Err(Failure::new(Status::Argument, text))
            }
            (Some(key), None) => Ok(Seed::keyed(key)),
            (None, seed) => Ok(Seed::chosen(seed.unwrap_or(0))),
        }
    }

    /// What a file stores of the rule.
    pub fn recipe(&self) -> Option<Recipe> {
        self.rule.map(|rule| Recipe { rule, ..Recipe::default() })
    }
}

/// `trim`, `trim=1` or `trim=0`.
fn switch(value: &str) -> Result<bool, String> {
    match value {
        "" | "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        other => Err(format!("{other:?} is not one of 0, 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_parsed() {
        let settings = Settings::parse(" counter-bits=8, regions=1.5k misses=10% ").unwrap();
        let expected = Options::new().counter_bits(8).regions(1500).misses(0.1);
        assert_eq!(settings.options, expected);
        let settings = Settings::parse("as=domain,trim,ignore-case=0,seed=7").unwrap();
        let rule = KeyRule { form: KeyForm::Domain, trim: true, ..KeyRule::default() };
        assert_eq!((settings.rule, settings.seed), (Some(rule), Some(7)));
        assert!(Settings::parse("").unwrap().recipe().is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = [
            ("bits=8", "option bits=8: no kind has such an option"),
            ("counter-bits", "option counter-bits: must be a whole number, such as 4"),
            (
                "as=dns",
                "option as=dns: \"dns\" is not one of text, hex, int, domain, email, url, time, ip, \
                 int32, int64, float, double, utf16, uuid",
            ),
            ("trim=x", "option trim=x: \"x\" is not one of 0, 1"),
            ("seed=-1", "option seed=-1: a seed is a whole number, such as 7"),
        ];
        for (text, message) in wrong {
            let failure = Settings::parse(text).unwrap_err();
            assert_eq!((failure.status, failure.text.as_str()), (Status::Argument, message));
        }
        assert!(Settings::parse("seed=7").unwrap().seed(Some([0; 16])).is_err());
    }
}
