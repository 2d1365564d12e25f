//! A filter in words and in JSON. The names of the JSON fields are API: tests hold them.

use crate::units::{self, whole};
use anther::format::{VERSION, Value};
use anther::recipe::{Separator, Which};
use anther::{AnyFilter, Filter, Kind, Method, Profile, Recipe, SeedKind};
use serde::Serialize;
use serde_json::Map;

/// What `info` tells, and what `build` and `merge` tell about what they made.
#[derive(Debug, Serialize)]
pub struct Description {
    kind: &'static str,
    /// Distinct keys, estimated from the fill; null where the kind cannot tell.
    items: Option<u64>,
    /// One standard deviation of that.
    items_error: Option<f64>,
    items_target: Option<u64>,
    inserted: u64,
    bits: u64,
    /// The same in a file, where cells may be coded.
    bits_sent: u64,
    /// Of the file, where it is one.
    bytes: Option<u64>,
    bits_per_key: Option<f64>,
    /// How much more than the bound n·log2(1/ε): 0.44 is 44 % more.
    overhead: Option<f64>,
    probes: u32,
    /// Sizes and options, by the names that the file has for them.
    parameters: Map<String, serde_json::Value>,
    fpr_target: Option<f64>,
    fpr_now: f64,
    fill: f64,
    /// Counters at their largest value, which stay there.
    stuck: u64,
    /// The share of the keys that could be removed, where some can and others cannot.
    removable: Option<f64>,
    layers: u32,
    /// Whether it may say no to a key that is in.
    may_forget: bool,
    saturated: bool,
    overfull: bool,
    /// Whether processes add to the file in place, so that its cells are under no checksum.
    open: bool,
    seed: SeedName,
    recipe: Option<RecipeNames>,
    format_version: u16,
}

/// A seed as far as it may be told.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum SeedName {
    Number(u64),
    Word(&'static str),
}

/// A recipe in the words of the program's options.
#[derive(Debug, Serialize)]
struct RecipeNames {
    separator: &'static str,
    column: Option<ColumnName>,
    delimiter: Option<char>,
    trim: bool,
    ignore_case: bool,
    hex: bool,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ColumnName {
    Number(u32),
    Name(String),
}

impl Description {
    /// Of a filter in a file of so many bytes.
    pub fn new(filter: &AnyFilter, profile: &Profile, bytes: Option<u64>) -> Description {
        Description {
            kind: profile.kind.name(),
            items: profile.items.map(|items| whole(items.items)),
            items_error: profile.items.map(|items| items.deviation),
            items_target: profile.target.map(|target| target.items()),
            inserted: profile.inserted,
            bits: profile.bits,
            bits_sent: profile.bits_sent,
            bytes,
            bits_per_key: profile.bits_per_key(),
            overhead: profile.overhead(),
            probes: profile.probes,
            parameters: parameters(filter),
            fpr_target: profile.target.map(|target| target.fpr()),
            fpr_now: profile.fpr_now,
            fill: profile.fill,
            stuck: profile.stuck,
            removable: profile.removable,
            layers: profile.layers,
            may_forget: profile.may_forget(),
            saturated: profile.is_saturated(),
            overfull: profile.is_overfull(),
            open: false,
            seed: seed_name(profile.seed.kind()),
            recipe: filter.about().recipe.as_ref().map(recipe_names),
            format_version: VERSION,
        }
    }

    /// Of a file that processes add to in place, or not.
    pub fn open(self, open: bool) -> Description {
        Description { open, ..self }
    }

    /// A table of names and words.
    pub fn rows(&self, recipe: Option<&Recipe>) -> Vec<(&'static str, String)> {
        let made_for = match self.items_target {
            Some(items) => format!("made for {}", units::count(items)),
            None => "made from a shape, for no particular number".to_string(),
        };
        let rate_now = units::rate(self.fpr_now);
        let bytes = self.bytes.unwrap_or(self.bits / 8);
        let mut size = format!("{}, {} bits", units::size(bytes), units::count(self.bits));
        if let Some(bits) = self.bits_per_key {
            if self.bits_sent < self.bits {
                let sent = bits * self.bits_sent as f64 / self.bits as f64;
                size += &format!(", {sent:.2} bits a key in the file and {bits:.2} in memory");
            } else {
                size += &format!(", {bits:.2} bits a key");
            }
        }
        if let Some(overhead) = self.overhead {
            size += &format!(" ({:.0} % over the bound)", overhead * 100.0);
        }
        let mut rows = vec![
            ("kind", self.kind.to_string()),
            ("keys", format!("{}; {made_for}", self.items_in_words())),
            ("size", size),
            (
                "rate",
                match self.fpr_target {
                    Some(promised) => format!("{rate_now} now, {} promised", units::rate(promised)),
                    None => format!("{rate_now} now"),
                },
            ),
            ("probes", format!("{} a key", self.probes)),
            ("made of", self.parameters_in_words()),
            ("fill", self.fill_in_words()),
            (
                "seed",
                match &self.seed {
                    SeedName::Number(seed) => seed.to_string(),
                    SeedName::Word(word) => (*word).to_string(),
                },
            ),
            (
                "recipe",
                match recipe {
                    Some(recipe) => recipe.to_string(),
                    None => "none: keys were given by a program".to_string(),
                },
            ),
            ("format", format!("version {}", self.format_version)),
        ];
        if self.open {
            let words = "for shared adding, or left so: its cells are not covered by checksums";
            rows.push(("open", words.to_string()));
        }
        rows
    }

    fn parameters_in_words(&self) -> String {
        let word = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => text.clone(),
            number => number.to_string(),
        };
        let words = self.parameters.iter().map(|(name, value)| format!("{name} {}", word(value)));
        words.collect::<Vec<_>>().join(", ")
    }

    fn fill_in_words(&self) -> String {
        let mut fill = format!("{:.1} % of the cells are taken", self.fill * 100.0);
        if self.layers > 1 {
            fill += &format!(", in {} layers", self.layers);
        }
        if self.stuck > 0 {
            let counters = if self.stuck == 1 { "counter is" } else { "counters are" };
            fill += &format!("; {} {counters} stuck at the top", units::count(self.stuck));
        }
        if let Some(share) = self.removable {
            fill += &format!("; {:.0} % of the keys can be removed", 100.0 * share);
        }
        if self.may_forget {
            fill += "; it may forget keys that went in";
        }
        fill
    }

    fn items_in_words(&self) -> String {
        let Some(items) = self.items else { return "their number is not known".to_string() };
        let items = units::count(items);
        match whole(self.items_error.unwrap_or_default()) {
            _ if self.saturated => format!("at least {items}"),
            0 => format!("about {items}"),
            error => format!("about {items} ± {}", units::count(error)),
        }
    }
}

/// How many distinct keys, as far as the cells tell.
pub fn about_so_many(profile: &Profile) -> String {
    match profile.items {
        Some(items) => format!("about {}", units::count(whole(items.items))),
        None => "an unknown number of".to_string(),
    }
}

/// The rate now, beside the promise.
pub fn rate_now(profile: &Profile) -> String {
    let now = units::rate(profile.fpr_now);
    match profile.target {
        Some(target) => format!("rate now {now}, {} promised", units::rate(target.fpr())),
        None => format!("rate now {now}"),
    }
}

fn parameters(filter: &AnyFilter) -> Map<String, serde_json::Value> {
    let mut all: Map<_, _> = filter.parameters().into_iter().map(parameter).collect();
    if let AnyFilter::Weighted(weighted) = filter {
        all.insert("hot.keys".to_string(), weighted.hot_keys().into());
    }
    all
}

fn parameter((name, value): (String, Value)) -> (String, serde_json::Value) {
    let named = |number: u64| match name.as_str() {
        "method" => Method::ALL.get(usize::try_from(number).ok()?).map(Method::to_string),
        "over" => Kind::from_tag(u16::try_from(number).ok()?).map(|kind| kind.to_string()),
        _ => None,
    };
    let value = match value {
        Value::Whole(number) => named(number).map_or(number.into(), serde_json::Value::from),
        Value::Real(number) => number.into(),
    };
    (name, value)
}

fn seed_name(seed: SeedKind) -> SeedName {
    match seed {
        SeedKind::Fixed => SeedName::Word("fixed"),
        SeedKind::Chosen(seed) => SeedName::Number(seed),
        SeedKind::Keyed { .. } => SeedName::Word("keyed"),
        SeedKind::External => SeedName::Word("external"),
        _ => SeedName::Word("unknown"),
    }
}

fn recipe_names(recipe: &Recipe) -> RecipeNames {
    let column = recipe.column.as_ref();
    RecipeNames {
        separator: match recipe.separator {
            Separator::Line => "line",
            Separator::Nul => "nul",
        },
        column: column.map(|column| match &column.which {
            Which::Number(number) => ColumnName::Number(number.get()),
            Which::Name(name) => ColumnName::Name(name.clone()),
        }),
        delimiter: column.map(|column| char::from(column.delimiter)),
        trim: recipe.trim,
        ignore_case: recipe.fold_case,
        hex: recipe.hex,
    }
}
