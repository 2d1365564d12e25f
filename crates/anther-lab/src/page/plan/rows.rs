//! A row per kind, and one for range filters.

use super::fields::{Quantity, one_in};
use super::{Needs, RANGE, USUAL, record};
use anther::plan::{self, Known, Numbers, RangePlan, Rank, Request};
use anther::sizing::bound;
use anther::{Kind, Options, SolveError, Target, units};
use serde::Serialize;
use std::sync::Mutex;
use std::thread;

/// A kind, or a range filter: its numbers, or why it does not fit.
#[derive(Debug, Serialize)]
pub struct Row {
    pub kind: String,
    purpose: &'static str,
    /// Whether it does what is needed.
    pub meets: bool,
    experimental: bool,
    can: Vec<&'static str>,
    pub solved: Option<Solved>,
    /// Why it does not fit.
    error: Option<String>,
    notes: Vec<String>,
    /// For its lines.
    #[serde(skip)]
    pub numbers: Option<Numbers>,
    /// The best first.
    #[serde(skip)]
    order: (u8, Option<Rank>, f64, u32),
}

/// The numbers of a row, also as text.
#[derive(Clone, Debug, Serialize)]
pub struct Solved {
    pub items: u64,
    pub fpr: f64,
    pub bytes: u64,
    pub bits_per_key: f64,
    pub probes: Option<u32>,
    keys_text: String,
    fpr_text: String,
    one_in: String,
    size_text: String,
    bits_text: String,
    /// Bits per key in a file, if they are fewer.
    sent_text: Option<String>,
    overhead_text: String,
    time: Option<Time>,
}

/// A time of the record.
#[derive(Clone, Debug, Serialize)]
struct Time {
    text: String,
    /// What it was measured with.
    with: String,
}

impl Solved {
    fn new(kind: &str, items: u64, fpr: f64, bits: u64) -> Solved {
        let bits_per_key = bits as f64 / items as f64;
        let bytes = bits.div_ceil(8);
        let time = record::nearest(kind, items, fpr).map(|row| Time {
            text: units::duration(row.ns),
            with: format!("{} keys at {}", Quantity::Items(row.items).text(), units::rate(row.fpr)),
        });
        Solved {
            items,
            fpr,
            bytes,
            bits_per_key,
            probes: None,
            keys_text: Quantity::Items(items).text(),
            fpr_text: units::rate(fpr),
            one_in: one_in(fpr),
            size_text: units::size(bytes),
            bits_text: format!("{bits_per_key:.2}"),
            sent_text: None,
            overhead_text: String::new(),
            time,
        }
    }

    fn of(numbers: &Numbers) -> Solved {
        Solved {
            probes: Some(numbers.probes),
            sent_text: numbers.sent_per_key().map(|sent| format!("{sent:.2}")),
            overhead_text: match numbers.kind.capabilities().no_false_negatives {
                true => overhead(numbers.overhead),
                // What is forgotten takes no bits, so the bound is none.
                false => "–".to_string(),
            },
            ..Solved::new(numbers.kind.name(), numbers.items, numbers.fpr, numbers.bits)
        }
    }
}

/// All rows, the best first. `quick` has the chosen kind, and leaves out others that do not do what
/// is needed.
pub fn all(
    request: &Request,
    span: u64,
    needs: &Needs,
    quick: Option<&Option<String>>,
) -> Vec<Row> {
    let chosen = |kind: &Kind| quick.is_some_and(|name| name.as_deref() == Some(kind.name()));
    let wanted = |kind: &&Kind| quick.is_none() || needs.are_met_by(**kind) || chosen(kind);
    // Some kinds take ten times as long as others, so each thread takes the next.
    let kinds = Mutex::new(Kind::ALL.iter().filter(wanted));
    let rows = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get().min(4)) {
            scope.spawn(|| {
                while let Some(kind) = kinds.lock().ok().and_then(|mut kinds| kinds.next()) {
                    let row = of_kind(*kind, request, needs);
                    if let Ok(mut rows) = rows.lock() {
                        rows.push(row);
                    }
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if quick.is_none() || needs.ranges || quick.is_some_and(|name| name.as_deref() == Some(RANGE)) {
        rows.push(of_range(&request.known, span, needs));
    }
    rows.sort_by(|one, other| {
        let ((a, a_rank, a_cost, a_probes), (b, b_rank, b_cost, b_probes)) =
            (one.order, other.order);
        let costs = a_cost.total_cmp(&b_cost).then(a_probes.cmp(&b_probes));
        let names = one.kind.cmp(&other.kind);
        a.cmp(&b).then(a_rank.cmp(&b_rank)).then(costs).then(names)
    });
    rows
}

/// Below this rate, classic is recommended, as in the layers of a scalable filter: 10M keys at 1e-8 take
/// 84 MB in a blocked filter, and 48 MB in a classic one.
const BLOCKED_MIN_FPR: f64 = 1e-5;

/// Takes the best row to the front and returns its name.
pub fn recommended(rows: &mut [Row], needs: &Needs) -> Option<String> {
    let usual = |row: &Row| USUAL.iter().any(|kind| kind.name() == row.kind);
    let fits = |row: &Row| row.meets && row.solved.is_some();
    let is_low = rows
        .iter()
        .filter_map(|row| row.numbers.as_ref())
        .any(|numbers| numbers.kind == Kind::Blocked && numbers.fpr_target < BLOCKED_MIN_FPR);
    // Both meet no special needs, so the other follows if one does not fit.
    let in_order = match is_low {
        true => [Kind::Classic, Kind::Blocked],
        false => USUAL,
    };
    let of_usual = |kind: &Kind| rows.iter().position(|row| row.kind == kind.name() && fits(row));
    let at = match needs.of_kind.is_empty() && !needs.ranges {
        // The smallest would be static.
        true => in_order.iter().find_map(of_usual).or_else(|| {
            rows.iter().position(|row| fits(row) && !usual(row) && row.can.contains(&"insert"))
        }),
        false => rows.iter().position(fits),
    }?;
    rows[..=at].rotate_right(1);
    rows.first().map(|row| row.kind.clone())
}

fn of_kind(kind: Kind, request: &Request, needs: &Needs) -> Row {
    let can = kind.capabilities();
    // Kinds that choose their probes ignore the field.
    let probes = request.known.probes.filter(|_| can.shape);
    let ignored = request.known.probes.is_some() && !can.shape;
    let request = Request { known: Known { probes, ..request.known }, ..*request };
    let numbers = Numbers::new(kind, &request);
    let meets = needs.are_met_by(kind);
    let cost = numbers.as_ref().map_or((f64::INFINITY, 0), |numbers| request.cost(numbers));
    let place = match (&numbers, meets, can.experimental) {
        (Ok(_), true, _) => 0,
        (Ok(_), false, false) => 1,
        (Ok(_), false, true) => 2,
        (Err(_), true, _) => 3,
        (Err(_), false, _) => 4,
    };
    let mut notes: Vec<String> = numbers.as_ref().map_or(Vec::new(), |numbers| {
        numbers.notes(&request).into_iter().map(|note| note.text).collect()
    });
    if ignored {
        notes.push("chooses its number of hash functions itself".to_string());
    }
    Row {
        kind: kind.name().to_string(),
        purpose: kind.purpose(),
        meets,
        experimental: can.experimental,
        can: plan::can(kind),
        solved: numbers.as_ref().ok().map(Solved::of),
        error: numbers.as_ref().err().map(why),
        notes,
        numbers: numbers.ok(),
        order: (place, meets.then(|| Rank::of(&needs.of_kind, kind)), cost.0, cost.1),
    }
}

/// Why a kind does not fit, in the units of the page.
fn why(error: &SolveError) -> String {
    let size = |bits: &u64| units::size(bits.div_ceil(8));
    match error {
        SolveError::NoRate { items, least, .. } => {
            let items = Quantity::Items(*items).text();
            format!("needs at least {} for {items} keys", size(least))
        }
        SolveError::NoItem { fpr, least, .. } => {
            format!("needs at least {} for one key at {}", size(least), units::rate(*fpr))
        }
        // The page calls them so.
        error => error.to_string().replace("probes", "hash functions"),
    }
}

fn of_range(known: &Known, span: u64, needs: &Needs) -> Row {
    let plan = RangePlan::new(known, span);
    let solved = plan.as_ref().ok().and_then(Option::as_ref).map(|plan| Solved {
        overhead_text: {
            // Of the bound for ranges: n·log2(L/ε).
            let least = bound::lower_bound_bits(plan.items, plan.fpr / plan.span as f64);
            overhead(plan.bits as f64 / least - 1.0)
        },
        ..Solved::new(RANGE, plan.items, plan.fpr, plan.bits)
    });
    let error = match &plan {
        Err(error) => Some(why(error)),
        Ok(None) => Some("needs more memory, or a shorter range".to_string()),
        Ok(Some(_)) => None,
    };
    let meets = needs.are_met_by_range();
    let cost = solved.as_ref().map_or(f64::INFINITY, |solved| solved.bits_per_key);
    Row {
        kind: RANGE.to_string(),
        purpose: "whether any key is in a range: an hour, a network",
        meets,
        experimental: false,
        can: vec!["static", "ranges"],
        notes: vec![
            "static: built once, from all keys; integers, times, IPv4 addresses or short strings"
                .to_string(),
            format!(
                "for ranges of up to {} numbers; each doubling costs one bit per key",
                units::count(span)
            ),
        ],
        error,
        order: (
            if !meets {
                1
            } else if solved.is_some() {
                0
            } else {
                3
            },
            None,
            cost,
            0,
        ),
        solved,
        numbers: None,
    }
}

impl Row {
    /// Whether it forgets keys, so that a no is not certain.
    pub fn forgets(&self) -> bool {
        self.can.contains(&"forgets")
    }

    /// What its numbers mean.
    pub fn headline(&self, known: &Known) -> Vec<String> {
        let Some(solved) = &self.solved else { return self.error.iter().cloned().collect() };
        let (keys, fpr, size) = (&solved.keys_text, &solved.fpr_text, &solved.size_text);
        let sure = match self.forgets() {
            true => "A no is not certain: it forgets old keys.".to_string(),
            false => "A no is always right.".to_string(),
        };
        let first = match (known.items, known.fpr, known.bits) {
            (_, Some(_), None) => format!("{size} for {keys} keys at {fpr} false positives."),
            (Some(_), None, _) => format!("{fpr} false positives for {keys} keys in {size}."),
            _ => format!("{keys} keys at {fpr} false positives in {size}."),
        };
        let absent = match self.kind == RANGE {
            true => "ranges without a key",
            false => "keys that are not in the set",
        };
        let wrong = match &*solved.one_in {
            "" => format!("Of the {absent}, {fpr} get a maybe. {sure}"),
            one_in => format!("Of the {absent}, {one_in} gets a maybe. {sure}"),
        };
        [first, wrong].into_iter().chain(self.tenth(known)).collect()
    }

    /// What a tenth of the false positives would cost.
    fn tenth(&self, known: &Known) -> Option<String> {
        let numbers = self.numbers.as_ref().filter(|numbers| !numbers.probes_chosen)?;
        let target = Target::new(numbers.items, numbers.fpr_target / 10.0).ok()?;
        let bits = numbers.kind.plan(target, &Options::default()).ok()?.bits;
        let (fpr, size) = (units::rate(target.fpr()), units::size(bits.div_ceil(8)));
        let target = match known.fpr {
            Some(_) => format!("A tenth of your target, {fpr},"),
            None => format!("A rate of {fpr}"),
        };
        Some(format!("{target} would take {size}: {}.", more_memory(bits, numbers.bits)))
    }
}

/// How much more one takes than the other: beyond ten times, percentages say little.
fn more_memory(bits: u64, before: u64) -> String {
    match bits as f64 / before as f64 {
        factor if factor < 10.0 => format!("{:.0} % more memory", 100.0 * (factor - 1.0)),
        factor => format!("{} times as much memory", units::count(units::whole(factor.round()))),
    }
}

/// How far above the bound.
fn overhead(share: f64) -> String {
    match (100.0 * share).round() {
        // Without a negative zero.
        percent if percent.abs() < 0.5 => "+0 %".to_string(),
        percent if percent < 10_000.0 => format!("{percent:+.0} %"),
        _ => format!("{} times it", units::count(units::whole((1.0 + share).round()))),
    }
}
