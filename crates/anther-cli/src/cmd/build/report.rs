//! The report of `build`.

use super::Args;
use crate::description;
use crate::keys::Counts;
use crate::{output, units};
use anther::{AnyFilter, Profile};
use std::path::Path;

impl Args {
    /// Says what was built, and what its false-positive rate means.
    pub(super) fn report(
        &self,
        path: &Path,
        filter: &AnyFilter,
        profile: &Profile,
        read: Counts,
        bytes: u64,
    ) {
        let name = path.display();
        let size = units::size(bytes);
        if read.keys == 0 {
            output::complain(&format!(
                "{name}: no keys read{}, so it answers no to {} ({size})",
                read.left_out(),
                match profile.fpr_now {
                    0.0 => "every key",
                    _ => "nearly every key",
                }
            ));
            return;
        }
        let keys = match profile.items {
            // Counted exactly, before or while the filter was built.
            _ if self.items.is_none() && self.takes_every_occurrence() => {
                distinct_keys(profile.target.map_or(0, |target| target.items()))
            }
            _ if self.items.is_none() => distinct_keys(profile.inserted),
            Some(items) if items.deviation == 0.0 => distinct_keys(units::whole(items.items)),
            _ => format!("{} distinct keys", description::about_so_many(profile)),
        };
        let sent = profile.bits_sent as f64 / profile.bits as f64;
        let per_key = profile.bits_per_key().unwrap_or_default() * sent;
        output::complain(&format!(
            "{name}: {keys} of {} read{}; {} filter, {size}, {per_key:.2} bits per key",
            units::count(read.keys),
            read.left_out(),
            profile.kind,
        ));
        // An overfull filter misses its target; the warning says so.
        if !profile.is_overfull() {
            output::complain(&self.meaning(filter, profile));
        }
    }

    /// What the false-positive rate means, and what a tenth of it would cost.
    fn meaning(&self, filter: &AnyFilter, profile: &Profile) -> String {
        // A static kind rounds the target down to a power of two or so.
        let fpr = if self.kind.is_static() { profile.fpr_now } else { self.fpr };
        let lookups = [(1e6, "a million"), (1e9, "a billion"), (1e12, "a trillion")];
        let seen = lookups.iter().find(|(number, _)| fpr * number >= 1.0);
        let mut meaning = match seen {
            Some((number, name)) => format!(
                "about {} in {name} lookups of absent keys",
                match units::whole(fpr * number) {
                    1 => "1 false positive".to_string(),
                    number => format!("{} false positives", units::count(number)),
                }
            ),
            None => "practically no false positives".to_string(),
        };
        let items = profile.target.map_or(1, |target| target.items());
        let rarer = self.fpr / 10.0;
        if let (Ok(now), Ok(then)) =
            (self.kind.plan_as(filter, items, self.fpr), self.kind.plan_as(filter, items, rarer))
        {
            let compressed = now.bits_sent != now.bits;
            let more = 100.0 * (then.bits_sent as f64 / now.bits_sent as f64 - 1.0);
            let option = units::rate_option(rarer);
            // Tiny filters are rounded up, so a lower rate may be free.
            let cost = if more < 0.5 { "no".to_string() } else { format!("{more:.0} %") };
            let what = if compressed { "in the file" } else { "memory" };
            meaning += &format!("; --fpr {option} costs {cost} more {what}");
        }
        meaning
    }
}

fn distinct_keys(number: u64) -> String {
    match number {
        1 => "1 distinct key".to_string(),
        number => format!("{} distinct keys", units::count(number)),
    }
}
