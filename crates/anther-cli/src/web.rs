//! Domains, e-mail addresses and URLs as browsers read them, and what they are below.
//!
//! The filter's rule is ASCII, and the same in every release. Unicode's tables and the URL standard
//! are not, so they are applied here, before the rule, and only where the rule itself would refuse
//! the text or take it for something else: letters beyond ASCII in a host become punycode, numbers
//! become an IPv4 address, `%2e` in a host a dot, `\` in a URL a slash. A name in lower-case ASCII is
//! never changed, so a filter of such names needs neither table.

use anther::recipe::KeyForm;
use psl::Type;
use std::borrow::Cow;
use url::Host;

/// Whether keys of this form have other spellings here.
pub fn is_web(form: KeyForm) -> bool {
    matches!(form, KeyForm::Domain | KeyForm::Email | KeyForm::Url)
}

/// The same for keys of an input in which they are `within` something else.
pub fn has_spellings(form: KeyForm, within: bool) -> bool {
    is_web(form) || form == KeyForm::Ip && within
}

/// The spelling of a key that its rule takes. `made` holds it if it differs from the text. Whatever
/// cannot be read stays as it is, for the rule to refuse.
///
/// With `within`, a domain may be that of a URL or an address, and the host is taken; an IP address
/// may have a port.
pub fn spelling<'t>(
    form: KeyForm,
    within: bool,
    text: &'t [u8],
    made: &'t mut Vec<u8>,
) -> &'t [u8] {
    let Ok(text) = str::from_utf8(text) else { return text };
    let spelled = match form {
        KeyForm::Domain if within => host_within(text),
        KeyForm::Domain => host(text),
        KeyForm::Email => email(text),
        KeyForm::Url => url(text),
        KeyForm::Ip if within => Cow::Borrowed(address_within(text)),
        _ => Cow::Borrowed(text),
    };
    match spelled {
        Cow::Borrowed(text) => text.as_bytes(),
        Cow::Owned(text) => {
            *made = text.into_bytes();
            made
        }
    }
}

/// A host as browsers read it.
fn host(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.bytes().all(plain) && !is_number(text) {
        return Cow::Borrowed(text);
    }
    match Host::parse(text) {
        Ok(Host::Domain(name)) if name != text => Cow::Owned(name),
        Ok(Host::Ipv4(address)) => Cow::Owned(address.to_string()),
        Ok(Host::Ipv6(address)) => Cow::Owned(format!("[{address}]")),
        _ => Cow::Borrowed(text),
    }
}

/// Whether a host is an IPv4 address to browsers: its last label is a number.
fn is_number(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or(host);
    let hex = last.strip_prefix("0x").or(last.strip_prefix("0X"));
    let digits = |text: &str, hex| {
        text.bytes().all(|byte| byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit())
    };
    match hex {
        Some(number) => digits(number, true),
        None => !last.is_empty() && digits(last, false),
    }
}

/// The host of a URL, of an address, or a host itself.
fn host_within(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let rest = match scheme(text) {
        Some(end) => text[end + 1..].trim_start_matches(['/', '\\']),
        None => text.strip_prefix("//").unwrap_or(text),
    };
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or(rest);
    let host_and_port = authority.rsplit('@').next().unwrap_or(authority);
    let name = match host_and_port.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host_and_port,
    };
    host(name)
}

/// The IP address in a field of a log: without its port, brackets and zone.
fn address_within(text: &str) -> &str {
    let (address, rest) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, rest)) => (v6, rest.strip_prefix(':').unwrap_or(rest)),
        None => match text.split_once(':') {
            Some((v4, port)) if v4.contains('.') => (v4, port),
            _ => (text, ""),
        },
    };
    match rest.bytes().all(|byte| byte.is_ascii_digit()) {
        true => address.split('%').next().unwrap_or(address),
        false => text,
    }
}

/// Where the colon behind a scheme is. A host with a port has none: `a.example:443`.
fn scheme(text: &str) -> Option<usize> {
    let end = text.find(':').filter(|end| *end > 0)?;
    let slashes = text[end + 1..].starts_with(['/', '\\']);
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let begins = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    (slashes && begins && text[..end].bytes().all(is_scheme)).then_some(end)
}

/// An address. `@example.org` is all of that domain, which is kept as `*@example.org`.
fn email(text: &str) -> Cow<'_, str> {
    let Some((local, name)) = text.rsplit_once('@') else { return Cow::Borrowed(text) };
    match (local, host(name)) {
        ("", name) => Cow::Owned(format!("*@{name}")),
        (_, Cow::Borrowed(_)) => Cow::Borrowed(text),
        (local, Cow::Owned(name)) => Cow::Owned(format!("{local}@{name}")),
    }
}

/// A URL up to its path. The rest is the rule's, which encodes what is beyond ASCII as browsers do.
fn url(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    let mut clean = Cow::Borrowed(trimmed);
    if trimmed.contains(['\t', '\n', '\r']) {
        clean = Cow::Owned(trimmed.replace(['\t', '\n', '\r'], ""));
    }
    let Some(end) = scheme(&clean) else { return clean };
    let is_special = ["http", "https", "ws", "wss", "ftp"]
        .iter()
        .any(|special| special.eq_ignore_ascii_case(&clean[..end]));
    if is_special {
        // To browsers a backslash before the query is a slash, and any number of them begins a host.
        let path_end = clean.find(['?', '#']).unwrap_or(clean.len());
        let slashes =
            clean[end + 1..].len() - clean[end + 1..].trim_start_matches(['/', '\\']).len();
        if clean[..path_end].contains('\\') || slashes != 2 {
            let path = clean[end + 1 + slashes..path_end.max(end + 1 + slashes)].replace('\\', "/");
            let rest = &clean[path_end.max(end + 1 + slashes)..];
            clean = Cow::Owned(format!("{}://{path}{rest}", &clean[..end]));
        }
    }
    let Some(start) = clean.find("://").map(|at| at + 3) else { return clean };
    let len = clean[start..].find(['/', '?', '#']).unwrap_or(clean.len() - start);
    let authority = &clean[start..start + len];
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    let port = match authority[user..].rfind(':') {
        Some(at) if authority[user + at + 1..].bytes().all(|byte| byte.is_ascii_digit()) => {
            user + at
        }
        _ => authority.len(),
    };
    match host(&authority[user..port]) {
        Cow::Borrowed(_) => clean,
        Cow::Owned(name) => {
            let (before, after) = (&clean[..start + user], &clean[start + port..]);
            Cow::Owned(format!("{before}{name}{after}"))
        }
    }
}

/// Everything that a key, after its rule, is below, nearest first. Of a domain, its parents down to
/// the registrable domain; of an address, all of its domain and of its parents; of a URL, the same
/// without its query, the folders that it is in, and the root of its host's parents.
pub fn parents(form: KeyForm, key: &[u8], mut each: impl FnMut(&[u8])) {
    match form {
        KeyForm::Domain => domains_above(key).for_each(each),
        KeyForm::Email => {
            let Some(at) = key.iter().rposition(|byte| *byte == b'@') else { return };
            let (local, name) = (&key[..at], &key[at + 1..]);
            let own = Some(name).filter(|_| local != b"*");
            for name in own.into_iter().chain(domains_above(name)) {
                each(&[b"*@", name].concat());
            }
        }
        KeyForm::Url => {
            let Some(start) = memchr::memmem::find(key, b"://").map(|at| at + 3) else { return };
            let (scheme, rest) = key.split_at(start);
            let path = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(path);
            let user = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
            let authority = &authority[user..];
            let query = memchr::memchr(b'?', path);
            let base = [scheme, authority].concat();
            let mut above = |path: &[u8]| each(&[&base, path].concat());
            let plain = &path[..query.unwrap_or(path.len())];
            if query.is_some() || user > 0 {
                above(plain);
            }
            let folders = memchr::memrchr_iter(b'/', plain).map(|at| &plain[..=at]);
            folders.filter(|folder| folder.len() < plain.len()).for_each(&mut above);
            // An IPv6 address has colons, too, but no parents.
            let port = memchr::memchr(b':', authority).unwrap_or(authority.len());
            for name in domains_above(&authority[..port]) {
                each(&[scheme, name, &authority[port..], b"/"].concat());
            }
        }
        _ => {}
    }
}

/// The parents of a domain down to the registrable one.
fn domains_above(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let least = registrable(name).unwrap_or(0);
    let dots = memchr::memchr_iter(b'.', name);
    dots.take_while(move |dot| *dot < least).map(|dot| &name[dot + 1..])
}

/// Where the registrable domain begins in a name. An address and a public suffix have none.
///
/// Only the suffixes of registries count. A list that names `blogspot.com` means all blogs there,
/// though they have different owners.
fn registrable(name: &[u8]) -> Option<usize> {
    if name.starts_with(b"[") || str::from_utf8(name).is_ok_and(is_number) {
        return None;
    }
    let mut rest = name;
    let suffix = loop {
        let suffix = psl::suffix(rest)?;
        if suffix.typ() != Some(Type::Private) {
            break suffix.as_bytes().len();
        }
        let dot = memchr::memchr(b'.', suffix.as_bytes())?;
        rest = &rest[rest.len() - suffix.as_bytes().len() + dot + 1..];
    };
    let before = name.len().checked_sub(suffix + 1)?;
    Some(memchr::memrchr(b'.', &name[..before]).map_or(0, |dot| dot + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(form: KeyForm, within: bool, text: &str) -> String {
        let mut made = Vec::new();
        String::from_utf8(spelling(form, within, text.as_bytes(), &mut made).to_vec()).unwrap()
    }

    #[test]
    fn addresses_in_logs_have_ports_brackets_and_zones() {
        for (text, address) in [
            ("192.0.2.7:443", "192.0.2.7"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("fe80::1%eth0", "fe80::1"),
            ("[fe80::1%25en0]:80", "fe80::1"),
            ("2001:db8::1:443", "2001:db8::1:443"),
            ("::ffff:192.0.2.7", "::ffff:192.0.2.7"),
            ("192.0.2.7:http", "192.0.2.7:http"),
            ("[::1", "[::1"),
            ("192.0.2.0/24", "192.0.2.0/24"),
        ] {
            let mut made = Vec::new();
            let spelled = spelling(KeyForm::Ip, true, text.as_bytes(), &mut made);
            assert_eq!(str::from_utf8(spelled).unwrap(), address, "{text}");
        }
    }

    #[test]
    fn hosts_are_spelled_as_browsers_do() {
        for (text, expected) in [
            ("Ads.Example.", "Ads.Example."),
            ("münchen.de", "xn--mnchen-3ya.de"),
            ("MÜNCHEN。de", "xn--mnchen-3ya.de"),
            ("faß.de", "xn--fa-hia.de"),
            ("a%2Eexample", "a.example"),
            ("0x7f.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("a_b.example", "a_b.example"),
            ("[::0001]", "[::1]"),
            // For the rule to refuse.
            ("a b", "a b"),
            ("ads.example/x", "ads.example/x"),
            ("", ""),
        ] {
            assert_eq!(spelled(KeyForm::Domain, false, text), expected, "{text}");
        }
        for (text, expected) in [
            ("https://User@Ads.Example:8080/a?b@c", "Ads.Example"),
            ("http:\\\\ads.example\\x", "ads.example"),
            ("//ads.example/x", "ads.example"),
            ("ads.example:443", "ads.example"),
            ("ads.example/banner", "ads.example"),
            ("bob@münchen.de", "xn--mnchen-3ya.de"),
            ("mailto:bob@ads.example", "ads.example"),
            ("ads.example", "ads.example"),
            ("https://[::1]/x", "[::1]"),
            ("http://evil.example\\@good.example/", "evil.example"),
        ] {
            assert_eq!(spelled(KeyForm::Domain, true, text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_and_urls_are_spelled_as_browsers_do() {
        assert_eq!(spelled(KeyForm::Email, false, "Bob@münchen.de"), "Bob@xn--mnchen-3ya.de");
        assert_eq!(spelled(KeyForm::Email, false, "@spam.example"), "*@spam.example");
        assert_eq!(spelled(KeyForm::Email, false, "bob"), "bob");
        for (text, expected) in [
            ("https://Example.org/a?b='c'|d#e", "https://Example.org/a?b='c'|d#e"),
            (" https://example.org/\n", "https://example.org/"),
            ("https://exa\tmple.org/", "https://example.org/"),
            ("https:\\\\example.org\\a\\b?c\\d", "https://example.org/a/b?c\\d"),
            ("http:/example.org", "http://example.org"),
            ("http:////example.org", "http://example.org"),
            ("https://bücher.example:443/ü?ü", "https://xn--bcher-kva.example:443/ü?ü"),
            ("http://0x7f.1:80/", "http://127.0.0.1:80/"),
            ("http://a@b@münchen.de/", "http://a@b@xn--mnchen-3ya.de/"),
            ("file:///etc/hosts", "file:///etc/hosts"),
            ("http:", "http:"),
            ("http:?x", "http:?x"),
            ("http:/?x", "http://?x"),
            ("no url", "no url"),
        ] {
            assert_eq!(spelled(KeyForm::Url, false, text), expected, "{text}");
        }
    }

    fn above(form: KeyForm, key: &str) -> Vec<String> {
        let mut all = Vec::new();
        parents(form, key.as_bytes(), |one| all.push(String::from_utf8(one.to_vec()).unwrap()));
        all
    }

    #[test]
    fn parents_end_with_the_registrable_domain() {
        let domain = |name| above(KeyForm::Domain, name);
        assert_eq!(domain("a.b.ads.example"), ["b.ads.example", "ads.example"]);
        assert_eq!(domain("a.b.bbc.co.uk"), ["b.bbc.co.uk", "bbc.co.uk"]);
        assert_eq!(domain("www.x.kawasaki.jp"), [""; 0], "x.kawasaki.jp is a suffix");
        assert_eq!(domain("a.x.blogspot.com"), ["x.blogspot.com", "blogspot.com"]);
        assert_eq!(domain("x.s3.amazonaws.com"), ["s3.amazonaws.com", "amazonaws.com"]);
        for none in ["ads.example", "co.uk", "com", "127.0.0.1", "", "localhost"] {
            assert_eq!(domain(none), [""; 0], "{none}");
        }
        let email = |name| above(KeyForm::Email, name);
        assert_eq!(email("bob@x.ads.example"), ["*@x.ads.example", "*@ads.example"]);
        assert_eq!(email("*@x.ads.example"), ["*@ads.example"]);
        let url = |name| above(KeyForm::Url, name);
        assert_eq!(
            url("https://x.ads.example:8443/a/b/c?d=/e"),
            [
                "https://x.ads.example:8443/a/b/c",
                "https://x.ads.example:8443/a/b/",
                "https://x.ads.example:8443/a/",
                "https://x.ads.example:8443/",
                "https://ads.example:8443/",
            ]
        );
        assert_eq!(url("http://ads.example/"), [""; 0]);
        assert_eq!(url("http://me@ads.example/"), ["http://ads.example/"]);
        assert_eq!(url("http://[::1]/a"), ["http://[::1]/"]);
        assert_eq!(url("no url"), [""; 0]);
    }
}
