//! `api/plan`: every kind for two of keys, rate and memory, which of them to use, and the lines that
//! make it.
//!
//! The library's `plan` does the mathematics; here its answers become texts.

mod fields;
mod formulas;
mod lines;
mod record;
mod rows;

use crate::Error;
use crate::page::api;
use anther::plan::{self, Known, Need, Request};
use anther::sizing::bound;
use anther::{Kind, units};
pub(super) use fields::Fields;
use fields::{Quantity, Shown};
use formulas::Formula;
use lines::Line;
use rows::Row;
use serde::{Deserialize, Serialize};

/// The name of range filters, which are of no kind.
const RANGE: &str = "range";
/// The kind for those who need nothing special.
const USUAL: [Kind; 2] = [Kind::Blocked, Kind::Classic];

/// What the page asks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Question {
    /// The numbers.
    fields: Fields,
    /// What the filter must do: the library's needs, `ranges` and `adversaries`.
    needs: Vec<String>,
    /// The kind that the user chose.
    kind: Option<String>,
    /// Only the kinds that do what is needed: a slider moves, and the others would take longer.
    quick: bool,
}

/// What the page shows.
#[derive(Debug, Serialize)]
pub struct Plan {
    /// The three numbers of the chosen kind.
    items: Option<Shown>,
    fpr: Option<Shown>,
    memory: Option<Shown>,
    /// What the numbers mean, in a sentence each.
    headline: Vec<String>,
    /// The fewest bits per key that any filter can have, and as memory.
    bound: Option<Bound>,
    /// The kind that is best for the needs, and why.
    recommended: Option<String>,
    reason: String,
    /// The kind of the numbers and lines above.
    chosen: Option<String>,
    /// All kinds, the recommended one first.
    rows: Vec<Row>,
    lines: Vec<Line>,
    /// The short formulas of a classic filter.
    formulas: Vec<Formula>,
    /// Where the times come from.
    record: String,
}

#[derive(Debug, Serialize)]
struct Bound {
    bits_per_key: String,
    size: String,
}

/// The needs, by who meets them.
#[derive(Debug, Default, PartialEq)]
struct Needs {
    /// Kinds.
    of_kind: Vec<Need>,
    /// Range filters only.
    ranges: bool,
    /// Any kind, with a secret key.
    adversaries: bool,
}

impl Needs {
    fn read(names: &[String]) -> Result<Needs, Error> {
        let mut needs = Needs::default();
        for name in names {
            let of_kind = Need::ALL.into_iter().find(|need| need.name() == name);
            match (of_kind, &**name) {
                (Some(need), _) if !needs.of_kind.contains(&need) => needs.of_kind.push(need),
                (Some(_), _) => {}
                (None, "ranges") => needs.ranges = true,
                (None, "adversaries") => needs.adversaries = true,
                (None, _) => {
                    let cause = format_args!("{name:?} is none of them; reload the page");
                    return Err(Error::about("needs", cause));
                }
            }
        }
        Ok(needs)
    }

    /// Whether a filter of this kind does all of it.
    fn are_met_by(&self, kind: Kind) -> bool {
        // Without a second list, a cascade is a ribbon in two parts.
        !self.ranges && kind != Kind::Cascade && plan::candidates(&self.of_kind).contains(&kind)
    }

    /// Whether a range filter does all of it: it is static.
    fn are_met_by_range(&self) -> bool {
        self.ranges && self.of_kind.iter().all(|need| *need == Need::Static)
    }
}

/// Plans.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&plan(&api::read(body)?)?)
}

/// What the page shows for this question.
pub fn plan(question: &Question) -> Result<Plan, Error> {
    let needs = Needs::read(&question.needs)?;
    let known = question.fields.known()?;
    let span = question.fields.span()?;
    let request = Request { known, ..Request::default() };
    let mut rows = rows::all(&request, span, &needs, question.quick.then_some(&question.kind));
    let recommended = rows::recommended(&mut rows, &needs);
    let reason = reason(&needs, &request, recommended.as_deref());
    let is_known = |name: &String| rows.iter().any(|row| row.kind == *name);
    if let Some(name) = question.kind.as_ref().filter(|name| !question.quick && !is_known(name)) {
        return Err(Error::about(name, "is not a kind; choose one of the table"));
    }
    let chosen = question.kind.clone().filter(is_known).or(recommended.clone());
    let row = chosen.as_ref().and_then(|name| rows.iter().find(|row| row.kind == *name));
    let solved = row.and_then(|row| row.solved.as_ref());
    let shown = |given: Option<Quantity>, found: Option<Quantity>| given.or(found).map(Shown::new);
    let memory = known.bits.map(|bits| Quantity::Memory(bits / 8));
    Ok(Plan {
        items: shown(known.items.map(Quantity::Items), solved.map(|it| Quantity::Items(it.items))),
        fpr: shown(known.fpr.map(Quantity::Rate), solved.map(|it| Quantity::Rate(it.fpr))),
        memory: shown(memory, solved.map(|it| Quantity::Memory(it.bytes))),
        headline: row.map(|row| row.headline(&known)).unwrap_or_default(),
        bound: the_bound(&known, row, span),
        lines: row.map(|row| lines::all(row, &request, span, &needs)).unwrap_or_default(),
        formulas: formulas::all(&known),
        recommended,
        reason,
        chosen,
        rows,
        record: record::about(),
    })
}

/// Why this kind, in a sentence; or why none.
fn reason(needs: &Needs, request: &Request, recommended: Option<&str>) -> String {
    let candidates: Vec<Kind> =
        Kind::ALL.iter().copied().filter(|kind| needs.are_met_by(*kind)).collect();
    match recommended {
        Some(RANGE) => "the only filter that answers whether any key is in a range".to_string(),
        Some(name) => match Kind::from_name(name) {
            Some(kind) if needs.of_kind.is_empty() => kind.purpose().to_string(),
            Some(kind) => plan::reason(&needs.of_kind, request, kind, &candidates),
            None => String::new(),
        },
        None if needs.ranges && !needs.are_met_by_range() => {
            "only range filters answer ranges, and they are static: keys are neither inserted, \
             removed nor counted, and have no values"
                .to_string()
        }
        None if candidates.is_empty() && !needs.ranges => {
            let named = |needs: &[Need]| {
                needs.iter().map(|need| need.name()).collect::<Vec<_>>().join(" + ")
            };
            plan::conflict(&needs.of_kind, named)
        }
        None => "no kind that does this fits; give it more memory, or ask for less".to_string(),
    }
}

/// The bound for the given keys and rate, or those of the chosen kind. None for kinds that forget keys, which
/// may take less. For ranges of L numbers, a rate of ε costs as much as ε/L for single keys.
fn the_bound(known: &Known, row: Option<&Row>, span: u64) -> Option<Bound> {
    let row = row.filter(|row| !row.forgets());
    let solved = row?.solved.as_ref();
    let span = if row?.kind == RANGE { span } else { 1 };
    let items = known.items.or(solved.map(|solved| solved.items))?;
    let fpr = known.fpr.or(solved.map(|solved| solved.fpr))? / span as f64;
    let bytes = units::whole((bound::lower_bound_bits(items, fpr) / 8.0).ceil());
    let bits_per_key = format!("{:.2}", bound::lower_bound_bits(1, fpr));
    Some(Bound { bits_per_key, size: units::size(bytes) })
}

#[cfg(test)]
mod tests;
