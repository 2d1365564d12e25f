//! What a filter comes to before it is made.

use crate::error::Failure;
use crate::settings;
use anther::plan::Known;
use anther::sizing::bound;
use anther::{Kind, Target};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A filter that is to be made, in numbers. The fields are those of `anther plan --json`.
#[pyclass(frozen, eq, get_all, module = "anther", name = "Plan")]
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The kind.
    kind: &'static str,
    /// How many distinct keys.
    items: u64,
    /// The false-positive rate to make it with.
    fpr_target: f64,
    /// The false-positive rate that it will have.
    fpr: f64,
    /// Bits in memory.
    bits: u64,
    /// Bits in a file, where cells may be compressed.
    bits_sent: u64,
    /// Bytes in memory.
    bytes: u64,
    /// Bits per key.
    bits_per_key: f64,
    /// How much more than the bound of log2(1/fpr) bits per key: 0.44 is 44 % more.
    overhead: f64,
    /// Probes per key.
    probes: u32,
}

impl Plan {
    fn new(kind: Kind, target: Target, plan: anther::Plan) -> Plan {
        Plan {
            kind: kind.name(),
            items: target.items(),
            fpr_target: target.fpr(),
            fpr: plan.fpr,
            bits: plan.bits,
            bits_sent: plan.bits_sent,
            bytes: plan.bits.div_ceil(8),
            bits_per_key: plan.bits as f64 / target.items() as f64,
            overhead: bound::overhead(plan.bits_sent, target.items(), target.fpr()),
            probes: plan.probes,
        }
    }
}

#[pymethods]
impl Plan {
    fn __repr__(&self) -> String {
        format!(
            "Plan(kind={:?}, items={}, fpr_target={}, fpr={:.3e}, bytes={}, bits_per_key={:.2}, \
             probes={})",
            self.kind,
            self.items,
            self.fpr_target,
            self.fpr,
            self.bytes,
            self.bits_per_key,
            self.probes
        )
    }
}

/// Computes what is missing of a filter: give two of `items`, `fpr` and `bits`, or these and
/// `probes`.
///
/// >>> import anther
/// >>> anther.plan(1_000_000, 0.01).bytes
/// 1239808
/// >>> anther.plan(fpr=0.01, bits=8 * 64 * 2**20, kind="classic").items > 50_000_000
/// True
#[pyfunction]
#[pyo3(signature = (items=None, fpr=None, bits=None, kind="blocked", probes=None, **options))]
pub fn plan(
    py: Python<'_>,
    items: Option<&Bound<'_, PyAny>>,
    fpr: Option<f64>,
    bits: Option<u64>,
    kind: &str,
    probes: Option<u32>,
    options: Option<&Bound<'_, PyDict>>,
) -> Result<Plan, Failure> {
    let kind = settings::kind(kind)?;
    let options = settings::options(kind, options)?;
    let items = items.map(settings::items).transpose()?;
    let known = Known { items, fpr, bits, probes };
    let solved = py.detach(|| known.solve(kind, &options))?;
    Ok(Plan::new(kind, solved.target, solved.plan))
}

/// Every kind that can hold this many keys at this false-positive rate, the smallest first.
///
/// >>> import anther
/// >>> anther.compare(1_000_000, 0.01)[0].kind
/// 'ribbon'
#[pyfunction]
#[pyo3(signature = (items, fpr=0.01))]
pub fn compare(py: Python<'_>, items: &Bound<'_, PyAny>, fpr: f64) -> Result<Vec<Plan>, Failure> {
    let target = Target::new(settings::items(items)?, fpr)?;
    let rows = py.detach(|| anther::plan::compare(target));
    let plans = rows.iter().filter_map(|row| Some(Plan::new(row.kind, target, row.plan.ok()?)));
    let mut plans: Vec<Plan> = plans.collect();
    plans.sort_by_key(|plan| plan.bits);
    Ok(plans)
}

/// The kinds that are built once, from all keys.
pub fn static_kinds() -> Vec<&'static str> {
    let kinds = Kind::ALL.iter().filter(|kind| !kind.capabilities().insert);
    kinds.map(|kind| kind.name()).collect()
}

/// The kinds: names, and what each is for.
pub fn kinds(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    for kind in Kind::ALL {
        kinds.set_item(kind.name(), kind.purpose())?;
    }
    Ok(kinds)
}
