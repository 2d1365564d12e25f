//! Which kinds do what is needed, by their capabilities.

use crate::kind::{Capabilities, Kind};

/// What a filter must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Need {
    /// Keys are removed.
    Remove,
    /// The number of keys is unknown.
    Grow,
    /// Keys are counted.
    Count,
    /// Each key has a value.
    Values,
    /// The set is complete and never changes.
    Static,
    /// The latest keys of an endless stream, in fixed memory.
    Stream,
}

impl Need {
    /// All of them.
    pub const ALL: [Need; 6] =
        [Need::Remove, Need::Grow, Need::Count, Need::Values, Need::Static, Need::Stream];

    /// Its name, which is also its option in the program.
    pub const fn name(self) -> &'static str {
        match self {
            Need::Remove => "remove",
            Need::Grow => "grow",
            Need::Count => "count",
            Need::Values => "values",
            Need::Static => "static",
            Need::Stream => "stream",
        }
    }

    /// What kinds of this rank do; with `one`, in the singular.
    pub const fn in_words(self, rank: Rank, one: bool) -> &'static str {
        match (self, one, rank) {
            (Need::Remove, false, Rank::Full) => "remove every key",
            (Need::Remove, false, _) => "remove keys",
            (Need::Remove, true, _) => "removes keys",
            (Need::Grow, false, _) => "keep their false-positive rate as they grow",
            (Need::Grow, true, _) => "keeps its false-positive rate as it grows",
            (Need::Count, false, Rank::Full) => "count without a maximum",
            (Need::Count, true, Rank::Full) => "counts without a maximum",
            (Need::Count, false, _) => "count",
            (Need::Count, true, _) => "counts",
            (Need::Values, false, _) => "store values",
            (Need::Values, true, _) => "stores values",
            (Need::Static, false, _) => "are static",
            (Need::Static, true, _) => "is static",
            (Need::Stream, false, _) => "keep the latest keys of an endless stream",
            (Need::Stream, true, _) => "keeps the latest keys of an endless stream",
        }
    }

    /// Whether a kind that can do this meets the need, at least in part: see [`Rank`].
    pub const fn is_met(self, can: Capabilities) -> bool {
        match self {
            Need::Remove => can.remove,
            Need::Grow => can.grow,
            Need::Count => can.count,
            Need::Values => can.values,
            Need::Static => !can.insert,
            // Endless keys in fixed memory: it must forget some.
            Need::Stream => can.insert && !can.no_false_negatives,
        }
    }
}

/// The kinds that meet all needs. Kinds that forget are for streams only; experimental kinds are
/// not recommended.
///
/// ```
/// use anther::Kind;
/// use anther::plan::{Need, candidates};
///
/// assert_eq!(candidates(&[Need::Grow]), [Kind::Scalable]);
/// assert!(candidates(&[Need::Values, Need::Remove]).is_empty());
/// ```
pub fn candidates(needs: &[Need]) -> Vec<Kind> {
    let does = |kind: &Kind| {
        let can = kind.capabilities();
        let forgets = !can.no_false_negatives && !needs.contains(&Need::Stream);
        needs.iter().all(|need| need.is_met(can)) && !forgets && !can.experimental
    };
    Kind::ALL.iter().copied().filter(does).collect()
}

/// How far a kind meets the needs. Kinds of a higher rank come first, whatever their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// In full.
    Full,
    /// It counts up to a maximum, or cannot remove every key.
    InPart,
    /// It counts, but rejects inserts when repeated keys have filled it up.
    FillsUp,
}

impl Rank {
    /// All of them, the highest first.
    pub const ALL: [Rank; 3] = [Rank::Full, Rank::InPart, Rank::FillsUp];

    /// The rank of a kind that meets the needs.
    pub fn of(needs: &[Need], kind: Kind) -> Rank {
        let can = kind.capabilities();
        let counts = needs.contains(&Need::Count) && kind.max_count() != Some(u64::MAX);
        match () {
            () if counts && can.fills_up => Rank::FillsUp,
            () if counts || needs.contains(&Need::Remove) && can.leaves_some => Rank::InPart,
            () => Rank::Full,
        }
    }
}
