//! The fields of the page: numbers as people write them, in both directions.

use crate::Error;
use anther::plan::Known;
use anther::{Target, units};
use serde::{Deserialize, Serialize};

/// The numbers of a plan, as they are in the fields. What is to be computed is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fields {
    /// Such as `10M`.
    pub items: Option<String>,
    /// Such as `0.1 %`.
    pub fpr: Option<String>,
    /// Such as `16 MiB`.
    pub memory: Option<String>,
    /// Hash functions, for kinds that let you choose.
    pub probes: Option<String>,
    /// The longest range of a range filter.
    pub span: Option<String>,
}

/// The most hash functions of any kind.
const MAX_PROBES: u32 = 64;
/// The longest range, unless it is given.
const SPAN: u64 = 1024;

impl Fields {
    /// The numbers that are given.
    pub fn known(&self) -> Result<Known, Error> {
        let memory = field("memory", &self.memory, |text| {
            let bytes = units::parse_bytes(text)?;
            let bits = bytes.checked_mul(8).filter(|bits| *bits > 0);
            bits.ok_or_else(|| format!("at least 1 byte, at most {}", units::size(u64::MAX / 8)))
        })?;
        let known = Known {
            items: self.items()?,
            fpr: self.fpr()?,
            bits: memory,
            probes: field("hash functions", &self.probes, |text| {
                let probes = text.trim().parse();
                let probes = probes.map_err(|_| "a whole number is needed, such as 7")?;
                match (1..=MAX_PROBES).contains(&probes) {
                    true => Ok(probes),
                    false => Err(format!("1 to {MAX_PROBES}; leave it empty for the best number")),
                }
            })?,
        };
        match (known.items, known.fpr, known.bits) {
            (Some(_), Some(_), None) | (Some(_), None, Some(_)) | (None, Some(_), Some(_)) => {
                Ok(known)
            }
            _ => Err(Error::about("numbers", "give two of keys, FPR and memory")),
        }
    }

    /// The number of keys.
    pub fn items(&self) -> Result<Option<u64>, Error> {
        field("keys", &self.items, |text| {
            let items = units::parse_count_to(text, Target::MAX_ITEMS)?;
            Target::new(items, 0.5).map_err(|error| error.to_string())?;
            Ok(items)
        })
    }

    /// The false-positive rate.
    pub fn fpr(&self) -> Result<Option<f64>, Error> {
        field("FPR", &self.fpr, |text| {
            let fpr = rate(text)?;
            Target::new(1, fpr).map_err(|error| error.to_string())?;
            Ok(fpr)
        })
    }

    /// The longest range.
    pub fn span(&self) -> Result<u64, Error> {
        let span = field("longest range", &self.span, units::parse_count)?.unwrap_or(SPAN);
        match span {
            0 => Err(Error::about("longest range", "at least 1")),
            span => Ok(span),
        }
    }
}

/// A field; an error begins with its name, by which the page finds it.
fn field<T>(
    name: &str,
    text: &Option<String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, Error> {
    let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    parse(&with_commas(text)).map(Some).map_err(|cause| Error::about(name, cause))
}

/// `10 000 000`, with spaces of any width, as `10,000,000`.
fn with_commas(text: &str) -> String {
    let digit = |at: Option<char>| at.is_some_and(|at| at.is_ascii_digit());
    let mut written = String::new();
    let mut rest = text.trim().chars().peekable();
    while let Some(at) = rest.next() {
        let groups =
            at.is_whitespace() && digit(written.chars().next_back()) && digit(rest.peek().copied());
        written.push(if groups { ',' } else { at });
    }
    written
}

/// A rate: as everywhere, and as the page writes it: `1 in 1,000`, `1/1000`.
fn rate(text: &str) -> Result<f64, String> {
    let Some((some, all)) = text.split_once(" in ").or_else(|| text.split_once('/')) else {
        return units::parse_rate(text);
    };
    let number = |text: &str| -> Option<f64> {
        let text = text.trim().replace(" million", "e6").replace(" × 10^", "e");
        // Counts have groups and units, and other numbers a fraction: 1 in 3.3.
        units::parse_count(&text).ok().map(|count| count as f64).or_else(|| text.parse().ok())
    };
    let rate = number(some).zip(number(all)).map(|(some, all)| some / all);
    rate.filter(|rate| (0.0..1.0).contains(rate))
        .ok_or_else(|| "a rate is needed, such as 1 in 1,000, 0.1 % or 1e-3".to_string())
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    Items(u64),
    Rate(f64),
    /// In bytes.
    Memory(u64),
}

/// A number for a field and its slider.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// As the field takes it back.
    pub text: String,
    /// In other words.
    pub note: String,
    /// For the slider.
    pub number: f64,
}

impl Shown {
    pub fn new(quantity: Quantity) -> Shown {
        let text = quantity.text();
        let (number, note) = match quantity {
            Quantity::Items(items) => (items as f64, units::count(items)),
            Quantity::Rate(fpr) => (fpr, one_in(fpr)),
            Quantity::Memory(bytes) => {
                let size = units::size(bytes);
                // What computers are sold with.
                let binary = binary_size(bytes, 3);
                (bytes as f64, if size == text { binary } else { size })
            }
        };
        Shown { note: if note == text { String::new() } else { note }, text, number }
    }
}

impl Quantity {
    /// As a field takes it.
    pub fn text(self) -> String {
        match self {
            Quantity::Items(items) => {
                let units = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M")];
                let short = units.into_iter().find(|(unit, _)| items >= *unit);
                match short.filter(|(unit, _)| items % (unit / 100) == 0) {
                    Some((unit, name)) => format!("{}{name}", trimmed(items as f64 / unit as f64)),
                    None => units::count(items),
                }
            }
            Quantity::Rate(fpr) => units::rate(fpr),
            Quantity::Memory(bytes) => match exact_binary(bytes) {
                Some(text) => text,
                // Without a unit that nobody types.
                None if bytes < 1000 => format!("{bytes} B"),
                None => units::size(bytes),
            },
        }
    }
}

const BINARY: [(u64, &str); 4] =
    [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// A size in powers of two, if two decimals write it.
fn exact_binary(bytes: u64) -> Option<String> {
    let (unit, name) = BINARY.into_iter().find(|(unit, _)| bytes >= *unit)?;
    let exact = (u128::from(bytes) * 100).is_multiple_of(u128::from(unit));
    exact.then(|| format!("{} {name}", trimmed(bytes as f64 / unit as f64)))
}

/// A size in powers of two, to a number of digits.
fn binary_size(bytes: u64, digits: usize) -> String {
    let Some((unit, name)) = BINARY.into_iter().find(|(unit, _)| bytes >= *unit) else {
        return String::new();
    };
    let number = bytes as f64 / unit as f64;
    let before = if number >= 100.0 {
        3
    } else if number >= 10.0 {
        2
    } else {
        1
    };
    format!("{number:.*} {name}", digits.saturating_sub(before))
}

/// Two decimals at most.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// `1 in 435`: of how many absent keys one is a false positive. Empty above 50 %.
pub fn one_in(fpr: f64) -> String {
    match 1.0 / fpr {
        // Nobody says 1 in 1.1.
        most if most < 2.0 => String::new(),
        few if few < 9.95 => format!("1 in {}", trimmed((few * 10.0).round() / 10.0)),
        many if many < 1e6 => {
            // Three digits: nobody plans with more.
            let step = 10f64.powf((many.log10().floor() - 2.0).max(0.0));
            format!("1 in {}", units::count(units::whole((many / step).round() * step)))
        }
        many if many < 1e9 => format!("1 in {} million", trimmed(many / 1e6)),
        many => format!("1 in {:.1e}", many).replace('e', " × 10^"),
    }
}
