//! What entries of a list stand for: themselves, or all keys below them.
//!
//! A blocklist's `ads.example` stands for `x.ads.example`, too, and `*@spam.example` for every
//! address there. One false positive of such an entry would take all keys below it, so these need a
//! much lower rate than single keys. They get it in the same cells, and so in every kind: such an
//! entry is inserted as several keys, and a lookup must find all of them. With `keys` of them its
//! rate is the filter's to the power of `keys`. And a key is looked up only at the levels at which
//! the list has such entries. *Rejected:* a second filter, which merging, sharing and lookups over
//! the web would each have to know.

use super::ip;
use super::rule::{KeyForm, RuledKey};
use crate::parts::hash::{Key, KeyHash, Seed};
use std::fmt::{self, Write};

/// What entries stand for, and at which levels. Part of a [`Recipe`](super::Recipe).
///
/// A level is how specific an entry is, in its form: the labels of a name, the depth of a path, the
/// length of a prefix.
///
/// ```
/// use anther::recipe::{KeyForm, KeyRule, Reach, Recipe};
/// use anther::{AnyFilter, Kind, Seed, Target};
///
/// let mut hosts = AnyFilter::new(Kind::Blocked, Target::new(1000, 0.01)?, Seed::FIXED)?;
/// let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
/// let reach = Some(Reach::below(0.01));
/// hosts.set_recipe(Some(Recipe { rule, reach, ..Recipe::default() }));
/// hosts.insert("ads.example")?;
/// assert!(hosts.contains("x.ads.example")?);
/// assert!(!hosts.contains("example")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    keys: u8,
    levels: u128,
}

/// The rate of an entry that stands for many keys: over a billion lookups, about one takes
/// everything below it by mistake. The last digits are for rounding: 0.001³ is more than 10⁻⁹.
const RATE: f64 = 1.000_001e-9;
/// These lookups may add this share of the filter's rate per level.
const SHARE: f64 = 1.000_001e-5;
/// The most keys of an entry. More would be for rates beyond 70 %.
const MOST: u8 = 64;
/// Paths of URLs: their levels begin behind those of hosts.
const PATHS: usize = 64;
/// Deeper folders stand for themselves alone, or looking up a URL of a thousand slashes would take
/// a thousand lookups.
const DEEPEST: usize = 32;

impl Reach {
    /// Every entry stands for itself alone.
    pub const EXACT: Reach = Reach { keys: 1, levels: 0 };

    /// Entries stand for what is below them, in a filter of this false-positive rate. There are no
    /// such entries yet.
    pub fn below(fpr: f64) -> Reach {
        let is_enough =
            |keys: &u8| fpr.powi((*keys).into()) <= RATE && fpr.powi((keys - 1).into()) <= SHARE;
        Reach { keys: (2..MOST).find(is_enough).unwrap_or(MOST), levels: 0 }
    }

    /// From its numbers; `None` if no filter has such a reach.
    pub fn new(keys: u8, levels: u128) -> Option<Reach> {
        match keys {
            0 => None,
            1 if levels != 0 => None,
            keys if keys > MOST => None,
            keys => Some(Reach { keys, levels }),
        }
    }

    /// As how many keys an entry is inserted that stands for many.
    pub fn keys(self) -> u8 {
        self.keys
    }

    /// Whether entries may stand for what is below them.
    pub fn is_below(self) -> bool {
        self.keys > 1
    }

    /// The levels of such entries: bit 0 is level 0.
    pub fn levels(self) -> u128 {
        self.levels
    }

    /// The same as numbers, the lowest first.
    pub fn level_numbers(self) -> impl Iterator<Item = u8> {
        (0..128).filter(move |level| self.has(*level))
    }

    /// Whether there are such entries at a level.
    pub fn has(self, level: u8) -> bool {
        self.levels >> level & 1 == 1
    }

    /// Adds levels.
    pub fn add(&mut self, levels: u128) {
        if self.is_below() {
            self.levels |= levels;
        }
    }

    /// The level of an entry that stands for many keys; `None` if it stands for itself alone.
    pub fn level(self, form: KeyForm, entry: RuledKey<'_>) -> Option<u8> {
        if form == KeyForm::Ip {
            return ip::level(entry).filter(|_| self.is_below());
        }
        let RuledKey::Bytes(entry) = entry else { return None };
        match form {
            _ if !self.is_below() => None,
            KeyForm::Domain => (!is_address(entry)).then(|| labels(entry)),
            KeyForm::Email => entry.strip_prefix(b"*@").map(labels),
            KeyForm::Url => level_of_url(entry),
            _ => None,
        }
    }

    /// The hashes of such an entry beside its key's own.
    pub fn more_hashes(self, hash: KeyHash) -> impl Iterator<Item = KeyHash> + Clone {
        (1..self.keys).map(move |salt| hash.again(SALT + u64::from(salt)))
    }

    /// Whether each of these entries is in a filter that looks hashes up so: whether all of its keys
    /// are. Those whose own key is absent, nearly all, take one lookup.
    pub fn all_found<E>(
        self,
        entries: &[KeyHash],
        mut contains: impl FnMut(&[KeyHash], &mut [bool]) -> Result<(), E>,
    ) -> Result<Vec<bool>, E> {
        let mut found = vec![false; entries.len()];
        contains(entries, &mut found)?;
        let left = entries.iter().zip(&found).filter(|(_, found)| **found);
        let more: Vec<_> = left.flat_map(|(entry, _)| self.more_hashes(*entry)).collect();
        if more.is_empty() {
            return Ok(found);
        }
        let mut more_found = vec![false; more.len()];
        contains(&more, &mut more_found)?;
        let mut of_each = more_found.chunks(usize::from(self.keys - 1));
        for found in found.iter_mut().filter(|found| **found) {
            *found = of_each.next().is_some_and(|all| !all.contains(&false));
        }
        Ok(found)
    }

    /// Everything that a key is below, at the levels of the list, nearest first.
    pub fn each_above(
        self,
        form: KeyForm,
        key: RuledKey<'_>,
        mut each: impl FnMut(u8, RuledKey<'_>),
    ) {
        if form == KeyForm::Ip {
            return ip::each_above(key, self.levels, each);
        }
        let RuledKey::Bytes(key) = key else { return };
        if self.levels == 0 {
            return;
        }
        match form {
            KeyForm::Domain => self.domains(key, |level, name| each(level, RuledKey::Bytes(name))),
            KeyForm::Email => {
                let Some(at) = key.iter().rposition(|byte| *byte == b'@') else { return };
                let (local, name) = (&key[..at], &key[at + 1..]);
                let mut all = |level, name: &[u8]| {
                    each(level, RuledKey::Bytes(&[b"*@", name].concat()));
                };
                let own = labels(name);
                if local != b"*" && self.has(own) {
                    all(own, name);
                }
                self.domains(name, all);
            }
            KeyForm::Url => self.urls(key, |level, url| each(level, RuledKey::Bytes(url))),
            _ => {}
        }
    }

    /// The parents of a domain. An address has none.
    fn domains(self, name: &[u8], mut each: impl FnMut(u8, &[u8])) {
        if is_address(name) {
            return;
        }
        let (mut rest, mut level) = (name, labels(name));
        while let Some(dot) = rest.iter().position(|byte| *byte == b'.') {
            (rest, level) = (&rest[dot + 1..], level.saturating_sub(1));
            if self.has(level) {
                each(level, rest);
            }
        }
    }

    /// The same URL without its query, the folders that it is in, the root of its host and those of
    /// its host's parents.
    fn urls(self, key: &[u8], mut each: impl FnMut(u8, &[u8])) {
        let Some(url) = Url::of(key) else { return };
        let base = [url.scheme, url.host].concat();
        let mut above = |path: &[u8], level: Option<u8>| {
            if let Some(level) = level.filter(|level| self.has(*level)) {
                each(level, &[&base, path].concat());
            }
        };
        if url.plain.len() < url.path.len() || url.has_user {
            above(url.plain, url.level());
        }
        let mut depth = url.plain.iter().filter(|byte| **byte == b'/').count();
        let mut folder = url.plain;
        while let Some(slash) = folder.iter().rposition(|byte| *byte == b'/') {
            if slash + 1 < url.plain.len() {
                let path = &url.plain[..=slash];
                above(path, if slash == 0 { url.root_level() } else { path_level(depth, false) });
            }
            (folder, depth) = (&folder[..slash], depth - 1);
        }
        let (name, port) = url.name_and_port();
        self.domains(name, |level, name| {
            each(level, &[url.scheme, name, port, b"/"].concat());
        });
    }

    /// What entries stand for, in words: `stands for what is below: names of 2 and 3 labels, 5 keys
    /// per entry`.
    pub fn in_words(self, form: KeyForm) -> String {
        match self.is_below() {
            false => "each stands for itself alone".to_string(),
            true if self.levels == 0 => "none stands for what is below it".to_string(),
            true => {
                let (levels, keys) = (self.levels_in_words(form), self.keys);
                format!("stands for what is below: {levels}, {keys} keys per entry")
            }
        }
    }

    fn levels_in_words(self, form: KeyForm) -> String {
        if form == KeyForm::Ip {
            return networks(&self.level_numbers().collect::<Vec<_>>());
        }
        let (hosts, paths): (Vec<u8>, Vec<u8>) = self
            .level_numbers()
            .partition(|level| form != KeyForm::Url || usize::from(*level) < PATHS);
        let mut words = Vec::new();
        if !hosts.is_empty() {
            words.push(format!("names of {}", listed(&hosts, "label", "labels")));
        }
        for (is_page, name) in [(false, "folders"), (true, "pages")] {
            let depths: Vec<u8> = paths
                .iter()
                .map(|level| level - 64)
                .filter(|code| (code % 2 == 1) == is_page)
                .map(|code| code / 2 + 1)
                .collect();
            if !depths.is_empty() {
                words.push(format!("{name} at {}", listed(&depths, "slash", "slashes")));
            }
        }
        words.join(", ")
    }
}

/// For errors, after what the keys are.
impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_below() {
            false => Ok(()),
            true => write!(f, " that stand for what is below them, {} keys each", self.keys),
        }
    }
}

/// The hashes of a list's entries.
#[derive(Clone, Debug)]
pub struct Entries {
    reach: Reach,
    /// Of each entry.
    pub hashes: Vec<KeyHash>,
    /// More of those that stand for many keys, each with the position of its entry.
    pub more: Vec<(usize, KeyHash)>,
}

impl Entries {
    /// None yet.
    pub fn new(reach: Reach) -> Entries {
        Entries { reach: Reach { levels: 0, ..reach }, hashes: Vec::new(), more: Vec::new() }
    }

    /// Adds an entry.
    pub fn push(&mut self, form: KeyForm, entry: RuledKey<'_>, seed: &Seed) {
        self.push_hash(entry.key_hash(seed), self.reach.level(form, entry));
    }

    /// Adds an entry by its hash and its level, if it has one.
    pub fn push_hash(&mut self, hash: KeyHash, level: Option<u8>) {
        if let Some(level) = level {
            self.reach.add(1 << level);
            let at = self.hashes.len();
            self.more.extend(self.reach.more_hashes(hash).map(|more| (at, more)));
        }
        self.hashes.push(hash);
    }

    /// The levels of entries that stand for many keys.
    pub fn levels(&self) -> u128 {
        self.reach.levels
    }

    /// All hashes but those of the entries themselves.
    pub fn more_hashes(&self) -> Vec<KeyHash> {
        self.more.iter().map(|(_, hash)| *hash).collect()
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.reach.levels = 0;
        self.hashes.clear();
        self.more.clear();
    }
}

/// Kinds draw from a hash with small numbers; these are others.
const SALT: u64 = 1 << 32;

/// `2 labels`, `2 and 3 labels`.
fn listed(numbers: &[u8], one: &str, many: &str) -> String {
    let mut words = String::new();
    for (at, number) in numbers.iter().enumerate() {
        let before = match at {
            0 => "",
            at if at + 1 == numbers.len() => " and ",
            _ => ", ",
        };
        // Writing to a string cannot fail.
        let _ = write!(words, "{before}{number}");
    }
    words + " " + if numbers == [1] { one } else { many }
}

/// Networks by the length of their prefixes. Levels of 96 bits and more do not tell IPv4 from small
/// networks of IPv6.
fn networks(levels: &[u8]) -> String {
    let (v6, both) = levels.split_at(levels.partition_point(|level| *level < 96));
    let lens = |lens: &[u8]| listed(lens, "bit", "bits");
    let mut words = Vec::new();
    if !both.is_empty() {
        let v4: Vec<u8> = both.iter().map(|level| level - 96).collect();
        // The unit once: `24 bits of IPv4 or 120 of IPv6`.
        let of_v6 = lens(both).replace(" bits", "");
        words.push(format!("networks of {} of IPv4 or {of_v6} of IPv6", lens(&v4)));
    }
    if !v6.is_empty() {
        words.push(format!("networks of {} of IPv6", lens(v6)));
    }
    words.join(", ")
}

/// The labels of a name. A name has up to 127; more are no name.
fn labels(name: &[u8]) -> u8 {
    let dots = name.iter().filter(|byte| **byte == b'.').count();
    u8::try_from(dots + 1).unwrap_or(127).min(127)
}

/// Whether a host is an address, whose dots are not those of a name: to browsers its last label is a
/// number then.
fn is_address(host: &[u8]) -> bool {
    let last = host.rsplit(|byte| *byte == b'.').next().unwrap_or(host);
    let (digits, is_digit): (_, fn(&u8) -> bool) = match last.strip_prefix(b"0x") {
        Some(digits) => (digits, u8::is_ascii_hexdigit),
        None if last.is_empty() => return true,
        None => (last, u8::is_ascii_digit),
    };
    host.starts_with(b"[") || digits.iter().all(is_digit)
}

/// A URL in its parts, after its rule.
struct Url<'a> {
    /// With `://`.
    scheme: &'a [u8],
    has_user: bool,
    /// With its port.
    host: &'a [u8],
    /// With its query.
    path: &'a [u8],
    /// The path without its query.
    plain: &'a [u8],
}

impl<'a> Url<'a> {
    fn of(key: &'a [u8]) -> Option<Url<'a>> {
        let start = key.windows(3).position(|bytes| bytes == b"://")? + 3;
        let (scheme, rest) = key.split_at(start);
        let slash = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(slash);
        let user = authority.iter().rposition(|byte| *byte == b'@').map_or(0, |at| at + 1);
        let plain = path.split(|byte| *byte == b'?').next().unwrap_or(path);
        Some(Url { scheme, has_user: user > 0, host: &authority[user..], path, plain })
    }

    fn name_and_port(&self) -> (&'a [u8], &'a [u8]) {
        // An IPv6 address has colons, too.
        let bracket = self.host.iter().rposition(|byte| *byte == b']').unwrap_or(0);
        let colon = self.host[bracket..].iter().position(|byte| *byte == b':');
        self.host.split_at(colon.map_or(self.host.len(), |at| bracket + at))
    }

    fn root_level(&self) -> Option<u8> {
        Some(labels(self.name_and_port().0)).filter(|labels| usize::from(*labels) < PATHS)
    }

    /// The level of its path, without the query.
    fn level(&self) -> Option<u8> {
        let depth = self.plain.iter().filter(|byte| **byte == b'/').count();
        match self.plain {
            b"/" => self.root_level(),
            plain => path_level(depth, !plain.ends_with(b"/")),
        }
    }
}

/// The level of a path with this many slashes: of a folder, which ends in one, or of a page, which may
/// have a query.
fn path_level(slashes: usize, is_page: bool) -> Option<u8> {
    let depth = slashes.checked_sub(1).filter(|depth| *depth < DEEPEST)?;
    u8::try_from(PATHS + 2 * depth + usize::from(is_page)).ok()
}

/// A URL with a query or a user stands for itself alone.
fn level_of_url(key: &[u8]) -> Option<u8> {
    let url = Url::of(key)?;
    (url.plain.len() == url.path.len() && !url.has_user).then(|| url.level())?
}

#[cfg(test)]
mod tests;
