//! A filter in numbers: the fields of `anther info --json`.

use anther::format::{VERSION, Value};
use anther::recipe::{Column, Format, Quotes, Separator};
use anther::{About, Kind, Method, Profile, Recipe, SeedKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A filter in numbers. The fields are those of `anther info --json`, but for those of the file.
///
/// >>> import anther
/// >>> seen = anther.Filter(1000, 0.01)
/// >>> seen.update(range(500))
/// >>> info = seen.info
/// >>> info.kind, info.inserted, info.fpr_target
/// ('blocked', 500, 0.01)
#[pyclass(frozen, get_all, module = "anther", name = "Info")]
#[derive(Debug)]
pub struct Info {
    /// The kind.
    kind: &'static str,
    /// Distinct keys, as far as the cells can tell; None if the kind cannot.
    items: Option<u64>,
    /// The standard deviation of that estimate.
    items_error: Option<f64>,
    /// How many keys it was made for.
    items_target: Option<u64>,
    /// Number of inserts.
    inserted: u64,
    /// Bits of its cells in memory.
    bits: u64,
    /// The same in a file, where cells may be compressed.
    bits_sent: u64,
    /// Bits per key.
    bits_per_key: Option<f64>,
    /// How much more than the bound of log2(1/fpr) bits per key: 0.44 is 44 % more.
    overhead: Option<f64>,
    /// Probes per key.
    probes: u32,
    /// Sizes and options, by their names in the file.
    parameters: Py<PyDict>,
    /// The false-positive rate that it was made for.
    fpr_target: Option<f64>,
    /// The false-positive rate with its current content.
    fpr_now: f64,
    /// The share of cells that are in use.
    fill: f64,
    /// Counters at their maximum, which stay there.
    stuck: u64,
    /// The share of the keys that can be removed, if not all can.
    removable: Option<f64>,
    /// Number of filters it consists of: more than 1 after it has grown.
    layers: u32,
    /// Whether false negatives are possible.
    may_forget: bool,
    /// Whether its bits are used up, so that the number of keys is a lower bound.
    saturated: bool,
    /// Whether it holds more keys than it was made for, and its false-positive rate is too high.
    overfull: bool,
    /// The seed: "fixed", "keyed" or a number.
    seed: Py<PyAny>,
    /// How the program read the keys from its input; None if they were not read by it.
    recipe: Option<Py<PyDict>>,
    /// The version of the file format.
    format_version: u16,
}

const FIELDS: [&str; 23] = [
    "kind",
    "items",
    "items_error",
    "items_target",
    "inserted",
    "bits",
    "bits_sent",
    "bits_per_key",
    "overhead",
    "probes",
    "parameters",
    "fpr_target",
    "fpr_now",
    "fill",
    "stuck",
    "removable",
    "layers",
    "may_forget",
    "saturated",
    "overfull",
    "seed",
    "recipe",
    "format_version",
];

impl Info {
    /// Describes a filter.
    pub fn new(
        py: Python<'_>,
        profile: &Profile,
        about: &About,
        parameters: Vec<(String, Value)>,
    ) -> PyResult<Info> {
        let named = PyDict::new(py);
        for (name, value) in parameters {
            match value {
                Value::Whole(number) => match name_of(&name, number) {
                    Some(word) => named.set_item(name, word)?,
                    None => named.set_item(name, number)?,
                },
                Value::Real(number) => named.set_item(name, number)?,
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and `as` stops at the largest"
        )]
        let whole = |number: f64| number.round() as u64;
        Ok(Info {
            kind: profile.kind.name(),
            items: profile.keys().map(whole),
            items_error: profile.items.map(|items| items.deviation),
            items_target: profile.target.map(|target| target.items()),
            inserted: profile.inserted,
            bits: profile.bits,
            bits_sent: profile.bits_sent,
            bits_per_key: profile.bits_per_key(),
            overhead: profile.overhead(),
            probes: profile.probes,
            parameters: named.unbind(),
            fpr_target: profile.target.map(|target| target.fpr()),
            fpr_now: profile.fpr_now,
            fill: profile.fill,
            stuck: profile.stuck,
            removable: profile.removable,
            layers: profile.layers,
            may_forget: profile.may_forget(),
            saturated: profile.holds_at_least(),
            overfull: profile.is_overfull(),
            seed: match profile.seed.kind() {
                SeedKind::Fixed => "fixed".into_pyobject(py)?.into_any().unbind(),
                SeedKind::Chosen(seed) => seed.into_pyobject(py)?.into_any().unbind(),
                SeedKind::Xxh64 => "xxh64".into_pyobject(py)?.into_any().unbind(),
                _ => "keyed".into_pyobject(py)?.into_any().unbind(),
            },
            recipe: about.recipe.as_ref().map(|recipe| recipe_names(py, recipe)).transpose()?,
            format_version: VERSION,
        })
    }
}

/// Parameters whose numbers have names.
fn name_of(parameter: &str, number: u64) -> Option<String> {
    match parameter {
        "method" => Method::ALL.get(usize::try_from(number).ok()?).map(Method::to_string),
        "over" => Kind::from_tag(u16::try_from(number).ok()?).map(|kind| kind.to_string()),
        _ => None,
    }
}

/// A recipe, by the names of the program's options.
fn recipe_names(py: Python<'_>, recipe: &Recipe) -> PyResult<Py<PyDict>> {
    let Recipe { rule, reach, place } = recipe;
    let (format, delimiter, quotes) = match place.format {
        Format::Lines => ("lines".to_string(), None, false),
        Format::Nul => ("nul".to_string(), None, false),
        Format::Delimited { delimiter, quotes, .. } => {
            ("csv".to_string(), Some(char::from(delimiter)), quotes != Quotes::None)
        }
        Format::Fields => ("fields".to_string(), None, false),
        Format::Json => ("json".to_string(), None, false),
        Format::Parquet => ("parquet".to_string(), None, false),
        Format::Records(width) => (format!("records:{width}"), None, false),
        _ => ("unknown".to_string(), None, false),
    };
    let separator = match place.format {
        Format::Records(_) | Format::Parquet => None,
        Format::Nul | Format::Delimited { separator: Separator::Nul, .. } => Some("nul"),
        _ => Some("line"),
    };
    let columns = PyList::empty(py);
    for column in &place.columns {
        match column {
            Column::Number(number) => columns.append(number.get())?,
            Column::Name(name) => columns.append(name)?,
        }
    }
    let names = PyDict::new(py);
    names.set_item("as", rule.form.name())?;
    if let Some(reach) = reach {
        names.set_item("match", if reach.is_below() { "below" } else { "exact" })?;
    }
    if let Some(reach) = reach.filter(|reach| reach.is_below()) {
        // Wider than a byte: Python would get numbers of a byte each as `bytes`.
        names.set_item("levels", reach.level_numbers().map(u32::from).collect::<Vec<_>>())?;
        names.set_item("keys_per_entry", reach.keys())?;
    }
    names.set_item("trim", rule.trim)?;
    names.set_item("ignore_case", rule.ignore_case)?;
    names.set_item("format", format)?;
    names.set_item("columns", columns)?;
    names.set_item("delimiter", delimiter)?;
    names.set_item("header", place.has_header())?;
    names.set_item("quotes", quotes)?;
    names.set_item("separator", separator)?;
    Ok(names.unbind())
}

#[pymethods]
impl Info {
    /// All fields in a dict, such as for `json.dumps`.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(slf.py());
        for name in FIELDS {
            fields.set_item(name, slf.getattr(name)?)?;
        }
        Ok(fields)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let fields = Info::to_dict(slf)?;
        let mut text = String::from("Info(");
        for (at, (name, value)) in fields.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            text += &format!("{comma}{name}={}", value.repr()?);
        }
        Ok(text + ")")
    }
}
