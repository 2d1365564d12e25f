//! A filter described as text and as JSON. The names of the JSON fields are API; tests pin them.

use crate::units::{self, whole};
use anther::format::{VERSION, Value};
use anther::recipe::{Column, Format, KeyForm, Quotes, Reach, Separator};
use anther::{AnyFilter, Filter, Kind, Method, Profile, Range, Recipe, SeedKind};
use serde::Serialize;
use serde_json::Map;

/// What `info` prints, and `--json` of the verbs that make or change a filter.
#[derive(Debug, Serialize)]
pub struct Description {
    kind: &'static str,
    /// Distinct keys, as far as the cells can tell; null if the kind cannot.
    items: Option<u64>,
    /// The standard deviation of that estimate.
    items_error: Option<f64>,
    /// Both as text.
    #[serde(skip)]
    items_in_words: String,
    items_target: Option<u64>,
    inserted: u64,
    bits: u64,
    /// The same in a file, where cells may be compressed.
    bits_sent: u64,
    /// The size of the file; null if it is not a regular file.
    bytes: Option<u64>,
    bits_per_key: Option<f64>,
    /// How much more than the bound n·log2(1/ε): 0.44 is 44 % more.
    overhead: Option<f64>,
    probes: u32,
    /// Sizes and options, by their names in the file.
    parameters: Map<String, serde_json::Value>,
    fpr_target: Option<f64>,
    fpr_now: f64,
    fill: f64,
    /// Counters at their maximum, which stay there.
    stuck: u64,
    /// The share of the keys that can be removed, if not all can.
    removable: Option<f64>,
    layers: u32,
    /// Whether false negatives are possible.
    may_forget: bool,
    /// Whether its bits are used up, so that the number of keys is a lower bound.
    saturated: bool,
    overfull: bool,
    /// Whether processes insert into the file in place, so that no checksum covers its cells.
    open: bool,
    /// Whether each page has a checksum, for lookups over the web; null if the filter came from a
    /// pipe.
    pages: Option<bool>,
    seed: SeedName,
    recipe: Option<RecipeNames>,
    format_version: u16,
}

/// A seed, unless it is secret.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum SeedName {
    Number(u64),
    Word(&'static str),
}

/// A recipe, by the names of the program's options.
#[derive(Debug, Serialize)]
struct RecipeNames {
    r#as: &'static str,
    /// Whether entries stand for what is below them; absent if nobody has said.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#match: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys_per_entry: Option<u8>,
    trim: bool,
    ignore_case: bool,
    format: String,
    columns: Vec<ColumnName>,
    delimiter: Option<char>,
    header: bool,
    quotes: bool,
    /// What ends a record; null if records have a fixed width.
    separator: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ColumnName {
    Number(u32),
    Name(String),
}

impl Description {
    /// Describes a filter in a file of this size.
    pub fn new(filter: &AnyFilter, profile: &Profile, bytes: Option<u64>) -> Description {
        Description {
            kind: profile.kind.name(),
            items: profile.keys().map(whole),
            items_error: profile.items.map(|items| items.deviation),
            items_in_words: about_so_many(profile) + &several_each(filter.about().reach()),
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
            saturated: profile.holds_at_least(),
            overfull: profile.is_overfull(),
            open: false,
            pages: None,
            seed: seed_name(profile.seed.kind()),
            recipe: filter.about().recipe.as_ref().map(recipe_names),
            format_version: VERSION,
        }
    }

    /// Says whether processes insert into the file in place.
    pub fn open(self, open: bool) -> Description {
        Description { open, ..self }
    }

    /// Says whether each page has a checksum.
    pub fn pages(self, pages: Option<bool>) -> Description {
        Description { pages, ..self }
    }

    /// The rows of the table: a name and a text each.
    pub fn rows(&self, recipe: Option<&Recipe>) -> Vec<(&'static str, String)> {
        let made_for = match self.items_target {
            Some(items) => format!("made for {}", units::count(items)),
            None => "made with a given number of bits and probes".to_string(),
        };
        let rate_now = units::rate(self.fpr_now);
        let bytes = self.bytes.unwrap_or(self.bits / 8);
        let mut size = format!("{}, {} bits", units::size(bytes), units::count(self.bits));
        if let Some(bits) = self.bits_per_key {
            let each = |bits: f64| match bits {
                bits if bits < 1000.0 => format!("{bits:.2}"),
                bits => units::count(whole(bits)),
            };
            if self.bits_sent < self.bits {
                let sent = bits * self.bits_sent as f64 / self.bits as f64;
                let (sent, bits) = (each(sent), each(bits));
                size += &format!(", {sent} bits per key in the file and {bits} in memory");
            } else {
                size += &format!(", {} bits per key", each(bits));
            }
        }
        if self.items == Some(0) {
            size += " when full";
        }
        // Of a filter that is nearly empty, the bound says nothing; nor of a static one of no keys,
        // which has no bits.
        if let Some(overhead) = self.overhead.filter(|it| *it < 10.0 && self.bits > 0) {
            size += &format!(" ({:.0} % over the bound)", overhead * 100.0);
        }
        let mut rows = vec![
            ("kind", self.kind.to_string()),
            ("keys", format!("{}; {made_for}", self.items_in_words)),
            ("size", size),
            (
                "FPR",
                match self.fpr_target {
                    Some(target) => format!("{rate_now} now, target {}", units::rate(target)),
                    None => format!("{rate_now} now"),
                },
            ),
            ("probes", format!("{} per key", self.probes)),
            ("layout", self.parameters_in_words()),
            ("fill", self.fill_in_words()),
            ("seed", self.seed.words()),
            (
                "recipe",
                match recipe {
                    Some(recipe) => recipe.to_string(),
                    None => "none: it was made with the library".to_string(),
                },
            ),
            (
                "format",
                match self.pages {
                    Some(true) => {
                        format!("version {}, with checksums of pages", self.format_version)
                    }
                    _ => format!("version {}", self.format_version),
                },
            ),
        ];
        if self.open {
            let words = "by add --shared, or left open by it: no checksum covers its cells";
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
        let mut fill = format!("{:.1} % of the cells are in use", self.fill * 100.0);
        if self.layers > 1 {
            fill += &format!(", in {} layers", self.layers);
        }
        if self.stuck > 0 {
            let counters =
                if self.stuck == 1 { "counter is at its" } else { "counters are at their" };
            fill += &format!("; {} {counters} maximum", units::count(self.stuck));
        }
        if let Some(share) = self.removable {
            fill += &format!("; {:.0} % of the keys can be removed", 100.0 * share);
        }
        if self.may_forget {
            fill += "; false negatives are possible, because it forgets keys";
        }
        fill
    }
}

/// The same of a range filter.
#[derive(Debug, Serialize)]
pub struct RangeDescription {
    kind: &'static str,
    /// Distinct keys.
    items: u64,
    /// Distinct codes: keys that share theirs are one.
    codes: u64,
    bits: u64,
    bytes: Option<u64>,
    bits_per_key: f64,
    /// The longest range that the target is for, in steps.
    span: u64,
    /// A step of times, in nanoseconds; 1 for other keys.
    step: u64,
    signed: bool,
    fpr_target: f64,
    /// The highest false-positive rate of ranges of the span, and of single keys.
    fpr_now: f64,
    fpr_of_key: f64,
    /// The largest code.
    bound: u64,
    seed: SeedName,
    recipe: Option<RecipeNames>,
    format_version: u16,
    #[serde(skip)]
    form: KeyForm,
    #[serde(skip)]
    recipe_in_words: String,
}

impl RangeDescription {
    /// Describes a range filter in a file of this size.
    pub fn new(filter: &Range, bytes: Option<u64>) -> RangeDescription {
        let (profile, recipe) = (filter.profile(), filter.about().recipe.as_ref());
        RangeDescription {
            kind: "range",
            items: profile.keys,
            codes: profile.codes,
            bits: profile.bits,
            bytes,
            bits_per_key: profile.bits_per_key(),
            span: profile.span,
            step: filter.scale().step().get(),
            signed: filter.scale().is_signed(),
            fpr_target: profile.target,
            fpr_now: profile.fpr_now,
            fpr_of_key: profile.fpr_of_key,
            bound: profile.bound,
            seed: seed_name(filter.seed().kind()),
            recipe: recipe.map(recipe_names),
            format_version: VERSION,
            form: filter.rule().form,
            recipe_in_words: match recipe {
                Some(recipe) => recipe.to_string(),
                None => "none: it was made with the library".to_string(),
            },
        }
    }

    /// The span in words: `1,024 integers`, `3,600 seconds`.
    pub fn span_in_words(&self) -> String {
        let steps = match (self.form, self.step) {
            (KeyForm::Time, 1) => "nanoseconds",
            (KeyForm::Time, 1000) => "microseconds",
            (KeyForm::Time, 1_000_000) => "milliseconds",
            (KeyForm::Time, 1_000_000_000) => "seconds",
            (KeyForm::Ip, _) => "addresses",
            (KeyForm::Int, 1) => "integers",
            (KeyForm::Text | KeyForm::Hex, step) => {
                let bytes = 8 - step.trailing_zeros() / 8;
                return format!("{} keys of {bytes} bytes", units::count(self.span));
            }
            _ => "steps",
        };
        format!("{} {steps}", units::count(self.span))
    }

    /// What was built, and from how many keys.
    pub fn built(&self, read: u64, left_out: &str) -> String {
        let size = units::size(self.bytes.unwrap_or(self.bits / 8));
        if read == 0 {
            return format!("no keys read{left_out}, so it answers no to every range ({size})");
        }
        let keys = if self.items == 1 { "key" } else { "keys" };
        format!(
            "{} distinct {keys} of {} read{left_out}; range filter, {size}, {:.2} bits per key",
            units::count(self.items),
            units::count(read),
            self.bits_per_key
        )
    }

    /// What its rate means.
    pub fn meaning(&self) -> String {
        if self.fpr_now == 0.0 {
            return "no false positives: every integer is its own code".to_string();
        }
        format!(
            "at most {} false positives for ranges of {}, {} for single keys; a span ten times as long \
             costs 3.3 bits per key more",
            units::rate(self.fpr_now),
            self.span_in_words(),
            units::rate(self.fpr_of_key)
        )
    }

    /// The rows of the table: a name and a text each.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let bytes = self.bytes.unwrap_or(self.bits / 8);
        let (size, bits) = (units::size(bytes), units::count(self.bits));
        vec![
            ("kind", self.kind.to_string()),
            ("keys", units::count(self.items)),
            ("size", format!("{size}, {bits} bits, {:.2} bits per key", self.bits_per_key)),
            ("span", self.span_in_words()),
            (
                "FPR",
                format!(
                    "at most {} for such ranges, target {}; {} for single keys",
                    units::rate(self.fpr_now),
                    units::rate(self.fpr_target),
                    units::rate(self.fpr_of_key)
                ),
            ),
            ("codes", format!("{}, up to {}", units::count(self.codes), units::count(self.bound))),
            ("seed", self.seed.words()),
            ("recipe", self.recipe_in_words.clone()),
            ("format", format!("version {}", self.format_version)),
        ]
    }
}

impl SeedName {
    fn words(&self) -> String {
        match self {
            SeedName::Number(seed) => seed.to_string(),
            SeedName::Word("xxh64") => "XXH64, as Parquet hashes".to_string(),
            SeedName::Word(word) => (*word).to_string(),
        }
    }
}

/// How many distinct keys there are, as far as the cells can tell.
pub fn about_so_many(profile: &Profile) -> String {
    let Some((keys, estimate)) = profile.keys().zip(profile.items) else {
        return "unknown number".to_string();
    };
    let keys = units::count(whole(keys));
    if profile.holds_at_least() {
        return format!("at least {keys}");
    }
    // Removing a key from such a kind leaves some of its bits behind, and they count as keys.
    let leaves_bits = profile.kind.capabilities().leaves_some && profile.repeats();
    let about = if leaves_bits { "at most about" } else { "about" };
    match whole(estimate.deviation) {
        0 => format!("{about} {keys}"),
        error => format!("{about} {keys} ± {}", units::count(error)),
    }
}

/// The same with the noun, for a filter whose entries have this reach.
pub fn distinct_keys(profile: &Profile, reach: Reach) -> String {
    let noun = match profile.keys().map(whole) {
        None => return "an unknown number of distinct keys".to_string(),
        Some(1) => "distinct key",
        Some(_) => "distinct keys",
    };
    format!("{} {noun}{}", about_so_many(profile), several_each(reach))
}

/// How many keys `--items` counts for each entry of a list.
pub fn keys_per_item(form: KeyForm, reach: Option<Reach>) -> u64 {
    match (form, reach) {
        // Most of their entries are single keys.
        (KeyForm::Email | KeyForm::Ip, _) | (_, None) => 1,
        (_, Some(reach)) => reach.keys().into(),
    }
}

/// What the keys are of a list that has entries which stand for many.
fn several_each(reach: Reach) -> String {
    match reach.levels() {
        0 => String::new(),
        _ => format!(", {} of each entry that stands for many", reach.keys()),
    }
}

/// The false-positive rate now, and the target.
pub fn rate_now(profile: &Profile) -> String {
    let now = units::rate(profile.fpr_now);
    match profile.target {
        Some(target) => {
            format!("false-positive rate {now} now, target {}", units::rate(target.fpr()))
        }
        None => format!("false-positive rate {now} now"),
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
        SeedKind::Xxh64 => SeedName::Word("xxh64"),
        SeedKind::External => SeedName::Word("external"),
        _ => SeedName::Word("unknown"),
    }
}

fn recipe_names(recipe: &Recipe) -> RecipeNames {
    let Recipe { rule, reach, place } = recipe;
    let (format, delimiter, quotes) = match place.format {
        Format::Lines => ("lines", None, false),
        Format::Nul => ("nul", None, false),
        Format::Delimited { delimiter, quotes, .. } => {
            ("csv", Some(delimiter), quotes != Quotes::None)
        }
        Format::Fields => ("fields", None, false),
        Format::Json => ("json", None, false),
        Format::Parquet => ("parquet", None, false),
        _ => ("records", None, false),
    };
    let format = match place.format {
        Format::Records(width) => format!("records:{width}"),
        _ => format.to_string(),
    };
    let column = |column: &Column| match column {
        Column::Number(number) => ColumnName::Number(number.get()),
        Column::Name(name) => ColumnName::Name(name.clone()),
    };
    RecipeNames {
        r#as: rule.form.name(),
        r#match: reach.map(|reach| if reach.is_below() { "below" } else { "exact" }),
        levels: reach.filter(|it| it.is_below()).map(|reach| reach.level_numbers().collect()),
        keys_per_entry: reach.filter(|it| it.is_below()).map(Reach::keys),
        trim: rule.trim,
        ignore_case: rule.ignore_case,
        format,
        columns: place.columns.iter().map(column).collect(),
        delimiter: delimiter.map(char::from),
        header: place.has_header(),
        quotes,
        separator: match place.format {
            Format::Records(_) | Format::Parquet => None,
            Format::Nul | Format::Delimited { separator: Separator::Nul, .. } => Some("nul"),
            _ => Some("line"),
        },
    }
}
