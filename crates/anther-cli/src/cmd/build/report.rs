//! The report of `build`: what the filter holds, and what it will do.

use super::Args;
use super::make::Built;
use crate::{description, output, units};
use anther::recipe::{KeyForm, Reach};
use anther::{AnyFilter, Filter, Kind, Profile};
use std::path::Path;

impl Args {
    /// Says what was built, and what its false-positive rate means.
    pub(super) fn report(&self, path: &Path, built: &Built, profile: &Profile, bytes: u64) {
        let name = path.display();
        let size = units::size(bytes);
        if built.read.keys == 0 {
            output::complain(&format!(
                "{name}: no keys read{}, so it answers no to {} ({size})",
                built.read.left_out(),
                match profile.fpr_now {
                    0.0 => "every key",
                    _ => "nearly every key",
                }
            ));
            return;
        }
        let keys = keys(built, profile);
        let kind = profile.kind;
        let space = match (profile.target, self.has_room(built, profile)) {
            (Some(target), true) => format!(
                "made for {} at {}",
                units::count(target.items()),
                units::rate(target.fpr())
            ),
            _ => {
                let sent = profile.bits_sent as f64 / profile.bits.max(1) as f64;
                let per_key = match built.distinct {
                    Some(distinct) if built.wide > 0 => {
                        profile.bits as f64 / distinct.max(1) as f64
                    }
                    _ => profile.bits_per_key().unwrap_or_default(),
                };
                format!("{:.2} bits per key", per_key * sent)
            }
        };
        output::complain(&format!("{name}: {keys}; {kind} filter, {size}, {space}"));
        let each = built.filter.about().reach().keys();
        match built.wide {
            0 => {}
            1 => output::complain(&format!("1 entry stands for what is below it, {each} keys")),
            many => output::complain(&format!(
                "{} entries stand for what is below them, {each} keys each",
                units::count(many)
            )),
        }
        // An overfull filter misses its target; the warning says so.
        if !profile.is_overfull() {
            output::complain(&self.meaning(built, profile));
        }
        let held = built.distinct.or(profile.keys().map(units::whole)).unwrap_or_default();
        if let Some(items) = self.items.filter(|items| self.kind.is_static() && *items != held) {
            output::note(&format!(
                "--items says {}, and {} came; a {kind} filter is static, and so made for those that came",
                units::count(items),
                units::count(held)
            ));
        }
    }

    /// Whether it was made for noticeably more keys than came.
    fn has_room(&self, built: &Built, profile: &Profile) -> bool {
        // An entry that stands for many keys takes the room of several.
        let distinct = built.distinct.filter(|_| built.wide == 0);
        let held = distinct.map(|keys| keys as f64).or(profile.keys());
        let made_for = profile.target.map(|target| target.items() as f64);
        let can_take_more = !self.kind.is_static() && !profile.may_forget();
        can_take_more && held.zip(made_for).is_some_and(|(held, made_for)| held < 0.9 * made_for)
    }

    /// What the false-positive rate means with the keys that came, and what a tenth of it would
    /// cost.
    fn meaning(&self, built: &Built, profile: &Profile) -> String {
        let mut meaning = in_lookups(profile.fpr_now);
        if self.has_room(built, profile) {
            meaning += " with these keys";
        }
        if let AnyFilter::Cascade(_) = built.filter {
            meaning = meaning.replace("absent keys", "keys in neither list");
        }
        let items = profile.target.map_or(1, |target| target.items());
        // A cascade may have a lower rate than was asked for.
        let fpr = match built.filter {
            AnyFilter::Cascade(_) if self.fpr.is_none_or(|asked| profile.fpr_now < 0.9 * asked) => {
                profile.fpr_now
            }
            _ => self.fpr(),
        };
        // Nobody has asked for a rate that makes the filter smallest: 1 % is the usual one.
        let unasked = self.fpr.is_none() && fpr > 0.01;
        let rarer = if unasked { 0.01 } else { fpr / 10.0 };
        let Some(items_then) = self.items_at(built, items, rarer) else { return meaning };
        let plan = |items, fpr| self.kind.plan_as(&built.filter, items, fpr);
        if let (Ok(now), Ok(then)) = (plan(items, fpr), plan(items_then, rarer)) {
            let compressed = now.bits_sent != now.bits;
            let more = 100.0 * (then.bits_sent as f64 / now.bits_sent as f64 - 1.0);
            let option = units::rate_option(rarer);
            let cost = match more {
                ..=-0.5 => format!("takes {:.0} % less", -more),
                // Tiny filters are rounded up, so a lower rate may be free.
                ..0.5 => "costs no more".to_string(),
                _ => format!("costs {more:.0} % more"),
            };
            let what = if compressed { "in the file" } else { "memory" };
            meaning += &format!("; --fpr {option} {cost} {what}");
        }
        meaning
    }

    /// For how many keys a filter of the same list would be made at this rate, at which an entry that
    /// stands for many is another number of keys; `None` if nobody has counted these entries.
    fn items_at(&self, built: &Built, items: u64, fpr: f64) -> Option<u64> {
        if built.wide == 0 {
            return Some(items);
        }
        let keys = |reach: Reach| f64::from(reach.keys());
        let (now, then) = (keys(built.filter.about().reach()), keys(Reach::below(fpr)));
        let Some(entries) = built.distinct else {
            // The number of entries it was made for; each may stand for many keys.
            let all_may = matches!(built.form(), Some(KeyForm::Domain | KeyForm::Url));
            let streams = self.streams().is_some() && all_may;
            return streams.then(|| units::whole((items as f64 / now * then).ceil()));
        };
        if self.takes_every_occurrence() || matches!(built.filter, AnyFilter::Cascade(_)) {
            return None;
        }
        let headroom = self.headroom.unwrap_or(1.0);
        let wide = (items as f64 / headroom - entries as f64) / (now - 1.0);
        Some(units::whole((headroom * (entries as f64 + wide * (then - 1.0))).ceil()))
    }
}

/// The keys that the filter holds, and those that were read.
fn keys(built: &Built, profile: &Profile) -> String {
    let read = units::count(built.read.keys);
    let left_out = built.read.left_out();
    if profile.may_forget() {
        let window = profile.target.map_or(0, |target| target.items());
        let keys = if built.read.keys == 1 { "key" } else { "keys" };
        // Exactly those, or as many as its options allow.
        let about = if profile.kind == Kind::Aging { "" } else { "about " };
        let of_these = if built.read.keys > window { ", of which" } else { ";" };
        return format!(
            "{read} {keys} read{left_out}{of_these} it keeps {about}the latest {}",
            units::count(window)
        );
    }
    // A static filter knows its keys.
    let exact = profile.items.filter(|items| items.deviation == 0.0 && !items.saturated);
    if built.distinct.is_none() && built.wide > 0 {
        return format!("{read} read{left_out}");
    }
    let distinct = match built.distinct.or(exact.map(|items| units::whole(items.items))) {
        Some(distinct) => distinct_keys(distinct),
        None => description::distinct_keys(profile, built.filter.about().reach()),
    };
    let others = built.others.map(|others| {
        format!(", none of {} others{}", units::count(others.keys), others.left_out())
    });
    let others = others.unwrap_or_default();
    format!("{distinct} of {read} read{left_out}{others}")
}

fn distinct_keys(number: u64) -> String {
    match number {
        1 => "1 distinct key".to_string(),
        number => format!("{} distinct keys", units::count(number)),
    }
}

/// A false-positive rate in whole numbers, with the three digits that `info` shows of it.
pub(super) fn in_lookups(fpr: f64) -> String {
    let lookups = [(1e6, "a million"), (1e9, "a billion"), (1e12, "a trillion")];
    let Some((number, name)) = lookups.iter().find(|(number, _)| fpr * number >= 1.0) else {
        return "practically no false positives".to_string();
    };
    let seen = fpr * number;
    let step = 10f64.powf((seen.log10().floor() - 2.0).max(0.0));
    let seen = match units::whole((seen / step).round() * step) {
        1 => "1 false positive".to_string(),
        number => format!("{} false positives", units::count(number)),
    };
    format!("about {seen} in {name} lookups of absent keys")
}
