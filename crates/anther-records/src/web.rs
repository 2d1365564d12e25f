//! Domains, e-mail addresses and URLs as browsers read them.
//!
//! The filter's rule is ASCII, and the same in every release. Unicode's tables and the URL standard
//! are not, so they are applied here, before the rule, and only where the rule itself would refuse
//! the text or take it for something else: letters beyond ASCII in a host become punycode, numbers
//! become an IPv4 address, `%2e` in a host a dot, `\` in a URL a slash. A name in lower-case ASCII is
//! never changed, so a filter of such names needs neither table.

use anther::recipe::{Given, KeyForm, KeyRule};
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
        // Messages show what is refused as it was written.
        ("", name) if is_domain(&name) => Cow::Owned(format!("*@{name}")),
        ("", _) => Cow::Borrowed(text),
        (_, Cow::Borrowed(_)) => Cow::Borrowed(text),
        (local, Cow::Owned(name)) => Cow::Owned(format!("{local}@{name}")),
    }
}

/// Whether the rule takes it as a domain.
fn is_domain(name: &str) -> bool {
    let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
    rule.apply(Given::Text(name.as_bytes()), &mut Vec::new()).is_ok()
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
        assert_eq!(spelled(KeyForm::Email, false, "@spam.example  x"), "@spam.example  x");
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
}
