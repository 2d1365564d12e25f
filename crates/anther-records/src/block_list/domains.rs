//! Lines of lists of domains.

use super::Line;
use std::net::IpAddr;

/// Names in hosts files that are the machine's own. In a plain list they are entries: one who lists
/// `local` means `printer.local`.
const OWN_NAMES: [&str; 12] = [
    "localhost",
    "localhost.localdomain",
    "local",
    "broadcasthost",
    "ip6-localhost",
    "ip6-loopback",
    "ip6-localnet",
    "ip6-mcastprefix",
    "ip6-allnodes",
    "ip6-allrouters",
    "ip6-allhosts",
    "0.0.0.0",
];

/// Options of a rule that leave it about the whole domain.
const WHOLE: [&str; 6] = ["important", "all", "document", "doc", "third-party", "3p"];

/// A domain, a line of a hosts file, or a rule of an ad blocker.
pub fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Line::Blank;
    }
    if line.starts_with(['!', '#']) && !line.starts_with("##") || is_title(line) {
        return Line::Comment;
    }
    if let Some(rule) = line.strip_prefix("||") {
        let (name, options) =
            rule.split_once('$').map_or((rule, None), |(name, o)| (name, Some(o)));
        let is_whole = options.is_none_or(|all| all.split(',').all(|one| WHOLE.contains(&one)));
        // As in a plain list, a star stands for what is below the domain, which is blocked with it.
        let name = name.strip_prefix("*.").unwrap_or(name);
        return match name.strip_suffix('^') {
            Some(name) if is_whole && !name.is_empty() && !name.contains(['*', '/', '^', ':']) => {
                Line::Keys(vec![name.into()])
            }
            _ => Line::OtherRule,
        };
    }
    if line.starts_with("@@") || ["##", "#@#", "#?#", "#$#"].iter().any(|mark| line.contains(mark))
    {
        return Line::OtherRule;
    }
    let line = line.split('#').next().unwrap_or(line).trim_end();
    // Patterns of addresses: no line of another form begins with a slash or a bar, or has a star
    // after the one that stands for subdomains.
    if line.starts_with(['/', '|']) || line.strip_prefix("*.").unwrap_or(line).contains(['*', '^'])
    {
        return Line::OtherRule;
    }
    let mut fields = line.split_ascii_whitespace();
    let (Some(first), second) = (fields.next(), fields.next()) else { return Line::Comment };
    match second {
        // A line of a hosts file that names nothing, counted as one without a key.
        None if first == "0.0.0.0" => Line::Blank,
        // A list of what is blocked with everything below; `.x.example` is Squid's way to say so.
        None => {
            let name = first.strip_prefix("*.").or(first.strip_prefix('.')).unwrap_or(first);
            Line::Keys(vec![name.into()])
        }
        Some(second) if is_address(first) => {
            let names = std::iter::once(second).chain(fields);
            let names = names.filter(|name| !OWN_NAMES.contains(name));
            let names: Vec<_> = names.map(Into::into).collect();
            if names.is_empty() { Line::Comment } else { Line::Keys(names) }
        }
        Some(_) => Line::Text,
    }
}

/// Whether it is the first line of an ad blocker's list: `[Adblock Plus 2.0]`.
pub fn is_title(line: &str) -> bool {
    let title = line.strip_prefix('[').map(str::to_ascii_lowercase);
    title.is_some_and(|title| {
        ["adblock", "ublock", "adguard"].iter().any(|it| title.starts_with(it))
    })
}

/// Whether it is an IP address, with a zone or without: `fe80::1%lo0`.
fn is_address(text: &str) -> bool {
    text.split('%').next().unwrap_or(text).parse::<IpAddr>().is_ok()
}
