//! What a target comes to in every kind.

use crate::error::SizeError;
use crate::kind::{Capabilities, Kind};
use crate::options::Options;
use crate::sizing::bound;
use crate::target::{Plan, Target};

/// A kind beside the others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The kind.
    pub kind: Kind,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Bits and false-positive rate, or why this kind cannot reach the target.
    pub plan: Result<Plan, SizeError>,
    /// How much more than the bound n·log2(1/ε) it takes in a file.
    pub overhead: Option<f64>,
}

/// Every kind for one target, in the order of [`Kind::ALL`] and with the options that each chooses.
///
/// ```
/// use anther::{Kind, Target, plan};
///
/// let target = Target::new(1_000_000, 0.01)?;
/// let kinds = plan::compare(target);
/// assert_eq!(kinds.len(), Kind::ALL.len());
/// for row in &kinds {
///     let plan = row.plan.expect("1 % is within reach of all");
///     assert!(plan.fpr <= 0.01 && row.overhead > Some(0.0), "{}", row.kind);
/// }
///
/// // The smallest from which keys can be removed.
/// let removable = kinds.iter().filter(|row| row.capabilities.remove);
/// assert!(removable.min_by_key(|row| row.plan.unwrap().bits).is_some());
/// # Ok::<(), anther::TargetError>(())
/// ```
pub fn compare(target: Target) -> Vec<Comparison> {
    let row = |&kind: &Kind| {
        let plan = kind.plan(target, &Options::default());
        let overhead =
            plan.ok().map(|plan| bound::overhead(plan.bits_sent, target.items(), target.fpr()));
        Comparison { kind, capabilities: kind.capabilities(), plan, overhead }
    };
    Kind::ALL.iter().map(row).collect()
}
