//! Warnings. Each names the file, what is wrong with it, and what to do.

use crate::description;
use crate::output;
use crate::units::{self, whole};
use anther::{AnyFilter, Filter, Kind, Profile, RemoveError, Target};
use anther_records::looks::Look;
use std::fmt;
use std::path::Path;
use std::sync::Once;

/// Everything that the program warns about.
pub enum Warning<'a> {
    /// A filter holds more keys than it was made for.
    Overfull {
        /// Its profile.
        profile: &'a Profile,
        /// What it was made for.
        target: Target,
        /// As how many keys `--items` counts each entry.
        per_item: u64,
    },
    /// Copies of repeated keys raise the false-positive rate.
    Copies(&'a Profile),
    /// Merged filters hold more keys together than each was made for.
    Exceeds {
        /// The profile of the result.
        profile: &'a Profile,
        /// What each of them was made for.
        target: Target,
        /// Whether all parts have equally many keys, so that `--headroom` gives them one size.
        even: bool,
        /// As how many keys `--items` counts each entry.
        per_item: u64,
    },
    /// It answers maybe to every key.
    Saturated {
        /// Its profile.
        profile: &'a Profile,
        /// As how many keys `--items` counts each entry.
        per_item: u64,
    },
    /// A kind that forgets holds so many keys that it forgets more than promised.
    ForgetsMore(&'a Profile),
    /// Counters at their maximum. Their counts may be too low.
    Stuck {
        /// The kind.
        kind: Kind,
        /// How many.
        counters: u64,
    },
    /// A kind with false negatives is being queried.
    Forgets(Kind),
    /// Keys to be removed that were not in the filter.
    NotIn {
        /// How many.
        absent: u64,
        /// How many others were removed.
        removed: u64,
        /// The false-positive rate.
        rate: f64,
    },
    /// Keys that could not be removed.
    Kept {
        /// How many.
        keys: u64,
        /// Why the first of them could not.
        why: RemoveError,
        /// Whether keys of the filter were surely inserted more than once.
        repeats: bool,
    },
    /// No query is frequent enough for a table of hot keys.
    NothingHot {
        /// Where they came from.
        queries: String,
    },
    /// Most members of a list are certainly not in the filter.
    OtherMembers {
        /// How many of them.
        missed: u64,
        /// How many there are.
        members: u64,
        /// How many of the latest keys the filter keeps, if it forgets.
        window: Option<u64>,
    },
    /// The keys look like something else than text, and are kept as text.
    LooksLike {
        /// What.
        look: Look,
        /// Whether nearly all of them do.
        all: bool,
    },
    /// Networks or ranges of addresses that are kept as text.
    Networks {
        /// How many.
        networks: u64,
        /// Of how many keys.
        keys: u64,
        /// Whether nearly all of the others look like addresses.
        alone: bool,
    },
    /// Rows that are read as CSV look like lines of something else.
    NoCsv {
        /// What they look like.
        look: Look,
    },
    /// Lines have NUL bytes.
    LooksBinary,
    /// No file that is indexed has a value in the column.
    #[cfg(feature = "index")]
    NoColumn(&'a str),
    /// `--reload` of a file that other machines may change.
    OnNetwork(&'static str),
    /// Members among the keys of `--absent`.
    MembersAmongAbsent(u64),
    /// Too few test keys to tell a good filter from a broken one.
    FewTestKeys {
        /// How many there were.
        tested: u64,
        /// How many are enough.
        wanted: u64,
    },
}

impl Warning<'_> {
    /// The warning about a filter, if there is one.
    pub fn of<'a>(filter: &AnyFilter, profile: &'a Profile) -> Option<Warning<'a>> {
        let recipe = filter.about().recipe.as_ref();
        let per_item =
            recipe.map_or(1, |recipe| description::keys_per_item(recipe.rule.form, recipe.reach));
        // A target of 90 % or more is saturated by design.
        if profile.is_saturated() && profile.target.is_none_or(|target| target.fpr() < 0.9) {
            return Some(Warning::Saturated { profile, per_item });
        }
        let target = profile.target.filter(|_| profile.is_overfull())?;
        let Some(keys) = profile.keys() else { return Some(Warning::ForgetsMore(profile)) };
        // Such a kind shows that it is overfull by its rate alone.
        let by_copies = profile.repeats() || keys <= target.items() as f64;
        Some(match profile.crowded && by_copies {
            true => Warning::Copies(profile),
            false => Warning::Overfull { profile, target, per_item },
        })
    }

    /// The warning about a filter merged from parts. What to do about it is to be done with them.
    pub fn of_merged<'a>(
        filter: &AnyFilter,
        profile: &'a Profile,
        parts: &[Profile],
    ) -> Option<Warning<'a>> {
        let warning = Warning::of(filter, profile)?;
        match (&warning, profile.target, profile.keys()) {
            (
                Warning::Overfull { per_item, .. } | Warning::Saturated { per_item, .. },
                Some(target),
                Some(keys),
            ) if keys > target.items() as f64 => {
                // Made for the keys that they have, and for the same number.
                let is_full = |part: &Profile| {
                    part.target.is_some_and(|made_for| made_for.items() == target.items())
                        && part.keys() == Some(target.items() as f64)
                };
                let even = parts.iter().all(is_full);
                Some(Warning::Exceeds { profile, target, even, per_item: *per_item })
            }
            _ => Some(warning),
        }
    }

    /// Prints it to standard error.
    pub fn say(&self, path: &Path) {
        output::complain(&format!("warning: {}: {self}", output::shown(path)));
    }

    /// Prints it about an input, unless `--quiet` says not to. Inputs are read several times, so it is
    /// printed once.
    pub fn say_of_input(&self, input: &str) {
        static SAID: Once = Once::new();
        SAID.call_once(|| output::note(&format!("warning: {input}: {self}")));
    }
}

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Overfull { profile, target, per_item } => write!(
                f,
                "filter is {}{:.0} % full, false-positive rate now {}; rebuild with {}{}",
                if profile.holds_at_least() { "at least " } else { "" },
                100.0 * profile.keys().unwrap_or_default() / target.items() as f64,
                units::rate(profile.fpr_now),
                more_items(profile, *per_item),
                match profile.kind.capabilities().remove {
                    // scalable cannot.
                    true => "",
                    false => ", or use --kind scalable",
                }
            ),
            Warning::Copies(profile) => write!(
                f,
                "false-positive rate now {}: this kind stores every copy of a repeated key; insert \
                 each key once (build --distinct without --items), or use --kind counting",
                units::rate(profile.fpr_now)
            ),
            Warning::Exceeds { profile, target, even, per_item } => {
                let keys = profile.keys().unwrap_or_default();
                let rate = units::rate(profile.fpr_now);
                write!(
                    f,
                    "{} keys are in it, and the filters were made for {}: its false-positive rate \
                     is {rate}, not {}",
                    description::about_so_many(profile),
                    units::count(target.items()),
                    units::rate(target.fpr()),
                )?;
                // Its cells do not tell how many keys there are.
                if profile.holds_at_least() {
                    return f.write_str("; build the filters with the --items of all of them");
                }
                write!(f, "; build the filters with {}", more_items(profile, *per_item))?;
                if *even {
                    let factor = headroom(keys, *target);
                    write!(f, ", or with --headroom {factor}x instead of --items")?;
                }
                Ok(())
            }
            Warning::Saturated { profile, per_item } => write!(
                f,
                "it answers maybe to every key; rebuild with {}",
                more_items(profile, *per_item)
            ),
            Warning::ForgetsMore(profile) => {
                let (held, made_for) = (profile.inserted, profile.target.map_or(0, |t| t.items()));
                write!(
                    f,
                    "{} keys were inserted, but it was made for {}, so it forgets more old keys than \
                     promised; rebuild with --items {held}",
                    units::count(held),
                    units::count(made_for),
                )
            }
            Warning::Stuck { kind, counters } => {
                let are =
                    if *counters == 1 { "counter is at its" } else { "counters are at their" };
                let counters = units::count(*counters);
                write!(f, "{counters} {are} maximum, so counts may be too low; {}", wider(*kind))
            }
            Warning::Forgets(kind) => {
                write!(f, "{} {kind} filter forgets keys, so a no is not certain", kind.article())
            }
            Warning::NotIn { absent, removed, rate } => {
                let were = if *absent == 1 { "was" } else { "were" };
                write!(f, "{} of these keys {were} not in the filter", units::count(*absent))?;
                // Of n absent keys n·rate are false positives; only the others are counted here. They
                // are among those that were removed.
                let false_positives = whole(*absent as f64 * rate / (1.0 - rate).max(1e-9));
                let false_positives = false_positives.min(*removed);
                if false_positives > 0 {
                    write!(
                        f,
                        "; about {} more may have been false positives, and removing those damages \
                         other keys",
                        units::count(false_positives)
                    )?;
                }
                f.write_str("; remove only keys that were inserted")
            }
            Warning::Kept { keys, why, repeats } => {
                let keys = units::count(*keys);
                match why {
                    RemoveError::Stuck { kind, most } => write!(
                        f,
                        "{keys} could not be removed: all their counters are stuck at {most}; {}",
                        wider(*kind)
                    ),
                    // Two copies of a key share all its bits, in however many regions.
                    RemoveError::Shared { .. } if *repeats => write!(
                        f,
                        "{keys} could not be removed: keys that were inserted more than once share all \
                         their bits; rebuild with --distinct, or use --kind quotient"
                    ),
                    RemoveError::Shared { .. } => write!(
                        f,
                        "{keys} could not be removed: all their bits are in regions where keys share \
                         bits; rebuild with more --regions (with --distinct, if keys repeat), or use \
                         --kind quotient"
                    ),
                    other => write!(f, "{keys} could not be removed: {other}"),
                }
            }
            Warning::NothingHot { queries } => write!(
                f,
                "no key of {queries} is frequent enough for a table of hot keys, so it has none; \
                 force one with --hot-keys N"
            ),
            Warning::OtherMembers { missed, members, window } => {
                write!(
                    f,
                    "{} of the {} keys of --members are certainly not in the filter; was it built from \
                     this list, with the same column and letter case?",
                    units::count(*missed),
                    units::count(*members)
                )?;
                match window {
                    Some(window) => {
                        write!(f, " It keeps only the latest {}", units::count(*window))
                    }
                    None => Ok(()),
                }
            }
            Warning::LooksLike { look, all } => {
                let (like, options) = look.advice();
                let (some, rest) = match (all, look) {
                    (true, Look::Columns(_)) => {
                        ("the", ", and --header if the first line names the columns")
                    }
                    (true, _) => ("the", ""),
                    (false, _) => ("many", " --skip-malformed to keep these alone"),
                };
                write!(
                    f,
                    "{some} keys look like {like}; add {options}{rest}, or --as text if this is meant"
                )
            }
            Warning::Networks { networks, keys, alone } => {
                let (are, match_none) = match networks {
                    1 => ("is a network or a range of addresses", "matches no address"),
                    _ => ("are networks or ranges of addresses", "match no address"),
                };
                write!(
                    f,
                    "{} of {} keys {are}, and as text {match_none}; ",
                    units::count(*networks),
                    units::count(*keys)
                )?;
                f.write_str(match alone {
                    true => "add --as ip, or --as text if this is meant",
                    false => {
                        "add --as ip --skip-malformed to keep addresses and networks alone, or --as \
                         text if this is meant"
                    }
                })
            }
            Warning::NoCsv { look } => {
                write!(
                    f,
                    "read as CSV, but most rows do not look like it; {}",
                    look.instead_of_csv()
                )
            }
            Warning::LooksBinary => f.write_str(
                "has NUL bytes, so it looks binary, and is read as lines; name another file, or add \
                 --binary if this is meant",
            ),
            #[cfg(feature = "index")]
            Warning::NoColumn(name) => write!(
                f,
                "no file has a value in the column {name:?}; write it as the header row of CSV files does, \
                 or as the path in JSON lines, such as request.id, and make the index anew with --force"
            ),
            Warning::OnNetwork(name) => write!(
                f,
                "on a network file system ({name}): what other machines change is found late; where that \
                 matters, keep the file on a local disk"
            ),
            Warning::MembersAmongAbsent(keys) => write!(
                f,
                "{} keys of --absent are members; they were not counted",
                units::count(*keys)
            ),
            Warning::FewTestKeys { tested, wanted } => write!(
                f,
                "{} test keys are too few to test such a low false-positive rate; use --random {}",
                units::count(*tested),
                enough(*wanted as f64)
            ),
        }
    }
}

/// What to do about counters that are too narrow.
fn wider(kind: Kind) -> &'static str {
    match kind.options().contains(&"counter-bits") {
        true => "rebuild with more --counter-bits, or with --kind quotient",
        false => "rebuild with --kind quotient, which counts any number",
    }
}

/// The option that makes a filter large enough for the keys that this one holds.
fn more_items(profile: &Profile, per_item: u64) -> String {
    let most = enough(profile.most_keys().unwrap_or_default() / per_item as f64);
    match profile.target.is_none_or(|target| most.saturating_mul(per_item) > target.items()) {
        true => format!("--items {most}"),
        false => "a larger --items".to_string(),
    }
}

/// How many times the keys of one part are in all of them together, rounded up to a tenth; an
/// estimate may be a little too high.
fn headroom(keys: f64, target: Target) -> f64 {
    (10.0 * (keys / target.items() as f64 - 0.01)).ceil() / 10.0
}

/// A round number of items, not below an estimate.
fn enough(items: f64) -> u64 {
    let step = 10f64.powf(items.max(1.0).log10().floor() - 2.0).max(1.0);
    whole((items / step).ceil() * step)
}

#[cfg(test)]
mod tests {
    use super::enough;

    #[test]
    fn advice_is_round_and_enough() {
        assert_eq!(
            [0.2, 7.0, 123.0, 58_110.4, 999_999.0].map(enough),
            [1, 7, 123, 58_200, 1_000_000]
        );
    }
}
