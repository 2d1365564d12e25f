//! Lists of domains, addresses and URLs: `--as domain`, `email` and `url`, and `check --match`.

use crate::support::Place;
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Write;

/// A list in three forms, with what such lists have besides domains.
const DOMAINS: &str = "# a list\nads.example\n\nTracker.Example.  # why, *.*\n.spy.co.uk\n\
     *.spy.co.uk\nmünchen.example\n";
const HOSTS: &str = "127.0.0.1 localhost\n::1 localhost ip6-loopback\n\n# ads\n0.0.0.0 ads.example\n\
     0.0.0.0\ttracker.example spy.co.uk # two\n0.0.0.0 0.0.0.0\n0.0.0.0 xn--mnchen-3ya.example\n";
const RULES: &str = "[Adblock Plus 2.0]\n! Title: ads\n||ads.example^\n||tracker.example^$third-party\n\
     ||spy.co.uk^\n||münchen.example^$important\n@@||good.ads.example^\nexample.org##.banner\n\
     ||cdn.example^$script\n||cdn.example/ads/*\n/banner/*\n|https://cdn.example/|\n";

#[test]
fn every_form_of_a_list_is_the_same_filter() {
    let place = Place::new();
    place.build("domains.anther --as domain --fpr 1e-6", DOMAINS);
    place.build("hosts.anther --as domain --fpr 1e-6", HOSTS);
    let ran = place.run_on("build rules.anther --as domain --fpr 1e-6 --json", RULES).code(0);
    ran.says(&["4 distinct keys of 4 read, 6 rules for parts of domains left out"]);
    let bytes = |name: &str| place.read(&format!("{name}.anther"));
    assert!(bytes("domains") == bytes("hosts") && bytes("hosts") == bytes("rules"));
    // Other verbs read such lists, too.
    place.run_on("add hosts.anther", RULES).code(0).says(&["0 new keys of 4 read"]);
    place.write("hosts", HOSTS);
    let measured = place.run("measure hosts.anther --members hosts --random 10k --json").code(0);
    assert_eq!(measured.json()["false_negatives"], 0);
    // What is none of these is an error that shows it.
    place
        .run_on("build x.anther --as domain", "ads.example\nno domain\n")
        .fails(&["line 2: \"no domain\": not a domain name", "--skip-malformed"]);
    assert!(!place.names().contains(&"x.anther".to_string()));
}

/// Records before the one that has no domain are answered, in its block and in earlier ones.
#[test]
fn what_comes_before_a_malformed_record_is_answered() {
    let place = Place::new();
    place.build("d.anther --as domain --fpr 1e-6", "ads.example\n");
    let lines = "http://ads.example/\nabout:blank\nhttp://ads.example/2\n";
    let malformed = ["line 2: \"about:blank\": not a domain name", "--skip-malformed"];
    let ran = place.run_on("check d.anther", lines);
    ran.code(2).prints("http://ads.example/\n").says(&malformed);
    place.run_on("check -v d.anther", lines).code(2).prints("").says(&malformed);
    // A total would be of a part of the input.
    place.run_on("check -c d.anther", lines).code(2).prints("").says(&malformed);
    place.run_on("check d.anther --json", lines).code(2).prints(
        "{\"line\":1,\"record\":\"http://ads.example/\",\"maybe\":true,\"match\":\"ads.example\"}\n",
    );
    // Beyond the first block, behind a header row, and in the second of two files.
    let many = 40_000;
    let mut csv = "id,url\n".to_string();
    (0..many).for_each(|id| writeln!(csv, "{id},http://ads.example/{id}").unwrap());
    let expected = csv.clone();
    csv += "x,about:blank\ny,http://ads.example/\n";
    place.write("one.csv", "id,url\n0,http://example.org/\n");
    place.write("two.csv", &csv);
    let ran = place.run("check d.anther --format csv --column url -f one.csv two.csv");
    assert!(ran.out == expected.as_bytes(), "{} bytes, {}", ran.out.len(), ran.err);
    ran.code(2).says(&["two.csv: line 40002: ", "about:blank"]);
    // What changes a filter changes nothing.
    let before = place.read("d.anther");
    place.run_on("add d.anther", "new.example\nabout:blank\n").code(2).says(&["line 2: "]);
    assert!(place.read("d.anther") == before);
    let ran = place.run_on("build x.anther --as domain", "new.example\nabout:blank\n");
    ran.fails(&["line 2: "]);
    assert!(!place.names().contains(&"x.anther".to_string()));
}

#[test]
fn a_url_or_an_address_is_found_by_its_domain() {
    let place = Place::new();
    place.build("f.anther --as domain --fpr 1e-6", DOMAINS);
    let found = "ads.example ADS.EXAMPLE. a.b.ads.example https://Ads.Example/x?y \
                 http://user@a.ads.example:8080/ ads.example:443 ads.example/banner \
                 bob@ads.example mailto:bob@x.ads.example //tracker.example/x www.spy.co.uk \
                 https://www.MÜNCHEN.example/ xn--mnchen-3ya.example http:\\\\ads.example\\x \
                 http://evil.example\\@ads.example@tracker.example/";
    for key in found.split(' ').filter(|key| !key.is_empty()) {
        // The last one is a trick: to a browser its host is evil.example.
        let code = if key.contains("evil") { 1 } else { 0 };
        place.run_args(["check", "f.anther", "-q", "--", key], "").code(code);
    }
    for key in [
        "example",
        "co.uk",
        "notads.example",
        "ads.example.org",
        "https://example.org/?ads.example",
        "https://example.org/ads.example",
        "https://ads.example@example.org/",
        "https://example.org/#@ads.example",
        "http://[::1]/",
        "127.0.0.1",
    ] {
        let code = if key.contains("[::1]") { 2 } else { 1 };
        place.run_args(["check", "f.anther", "-q", "--", key], "").code(code);
    }
    // The name alone.
    let exact = place.run("check f.anther --match exact ads.example a.ads.example").code(0);
    exact.prints("maybe\tads.example\nno\ta.ads.example\n");
    let ran = place.run("check f.anther --match exact https://ads.example/");
    ran.fails(&["https://ads.example/: not a domain name"]);

    let log =
        "1 https://x.ads.example/a 200\n2 https://example.org/ 200\n3 https://spy.co.uk 404\n";
    let options = "--format fields --column 2";
    let lines = place.run_on(&format!("check f.anther {options}"), log).code(0);
    lines.prints("1 https://x.ads.example/a 200\n3 https://spy.co.uk 404\n");
    let new = place.run_on(&format!("check -v f.anther {options}"), log).code(0);
    new.prints("2 https://example.org/ 200\n");
    let answers = place.run_on(&format!("check f.anther --json {options}"), log).json_lines();
    assert_eq!(answers[0]["match"], "ads.example");
    assert_eq!(answers[1].get("match"), None);
    assert_eq!(answers[2]["match"], "spy.co.uk");
    let answers = place.run("check f.anther --json a.b.ads.example").code(0).json_lines();
    let expected = json!({"key": "a.b.ads.example", "maybe": true, "match": "ads.example"});
    assert_eq!(answers, [expected]);
    place.run_on("check f.anther", "https://x y/\n").fails(&["line 1: ", "not a domain name"]);
}

/// `--confirm`, `--also` and `--expect` find what is below, too.
#[test]
fn every_way_to_ask_finds_what_is_below() {
    let place = Place::new();
    // Two of five answers for absent names are wrong.
    let more: String = (0..5000).map(|i| format!("f{i}.example.org\n")).collect();
    place.write("list", format!("{DOMAINS}{more}"));
    place.build("loose.anther --as domain --fpr 40%", place.read("list"));
    let queries: String = (0..300).map(|i| format!("https://h{i}.example/\n")).collect();
    let queries = queries + "https://a.b.ads.example/\nhttps://spy.co.uk/\n";
    let maybe = place.run_on("check -c --json loose.anther", &queries).code(0).json();
    assert!(maybe["maybe"].as_u64().unwrap() > 20, "{maybe}");
    place
        .run_on("check loose.anther --confirm list", &queries)
        .code(0)
        .prints("https://a.b.ads.example/\nhttps://spy.co.uk/\n");
    place
        .run("check loose.anther --confirm list x.tracker.example h1.example")
        .code(0)
        .prints("yes\tx.tracker.example\nno\th1.example\n");
    place.build("other.anther --as domain --fpr 1e-6 --seed 7", "h7.example\n");
    place.build("f.anther --as domain --fpr 1e-6", DOMAINS);
    place
        .run_on("check f.anther --also other.anther", &queries)
        .code(0)
        .prints("other.anther\thttps://h7.example/\nf.anther\thttps://a.b.ads.example/\nf.anther\thttps://spy.co.uk/\n");
    place.write("known", "https://x.ads.example/\n");
    place.run_on("check -c f.anther --expect known", &queries).code(0).prints("2\n");
}

#[test]
fn addresses_are_found_by_their_domain_if_that_is_listed() {
    let place = Place::new();
    place.build(
        "f.anther --as email --fpr 1e-6",
        "Bob@Example.org\n@spam.example\n*@bulk.example\n",
    );
    place
        .run("check f.anther bob@example.org eve@example.org eve@spam.example eve@mx.bulk.example @spam.example")
        .code(0)
        .prints(
            "maybe\tbob@example.org\nno\teve@example.org\nmaybe\teve@spam.example\n\
             maybe\teve@mx.bulk.example\nmaybe\t@spam.example\n",
        );
    let exact = place.run("check f.anther --match exact eve@spam.example").code(1);
    exact.prints("no\teve@spam.example\n");
    let answers = place.run("check f.anther --json eve@mx.bulk.example").json_lines();
    assert_eq!(answers[0]["match"], "*@bulk.example");
    place.run_on("build x.anther --as email", "spam.example\n").fails(&["not an e-mail address"]);
    place.run("check f.anther @").fails(&["@: ", "not an e-mail address"]);
}

#[test]
fn urls_are_found_by_a_prefix_if_that_is_asked_for() {
    let place = Place::new();
    let list = "https://evil.example/phish/\nhttps://bad.example/\nhttps://a.example/x?y\n";
    place.build("f.anther --as url --fpr 1e-6", list);
    let queries = "https://evil.example/phish/login?a=b\nhttps://evil.example/\nhttps://bad.example/x\n\
                   https://www.bad.example/\nhttps://a.example/x?y\nhttps://a.example/x\nhttp://bad.example/\n";
    // A page is not fetched because the first page of its host was.
    place.run_on("check f.anther", queries).code(0).prints("https://a.example/x?y\n");
    place.run_on("check f.anther --match below", queries).code(0).prints(
        "https://evil.example/phish/login?a=b\nhttps://bad.example/x\nhttps://www.bad.example/\n\
         https://a.example/x?y\n",
    );
    place.build("text.anther", list);
    place
        .run("check text.anther --match below x")
        .fails(&["text.anther: --match below is for filters of domains", "--as domain"]);
    place.run("check f.anther --match all x").fails(&["exact", "below"]);
}

/// A host from numbers: under a few suffixes, of up to four labels.
fn host(i: u64) -> String {
    let mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let suffix = ["com", "org", "co.uk", "de", "example"][(mixed >> 61) as usize % 5];
    let mut name = format!("n{}.{suffix}", mixed >> 40 & 0xF_FFFF);
    for level in 0..(mixed >> 20) % 3 {
        name = format!("s{}.{name}", mixed >> (8 * level) & 7);
    }
    name
}

/// Ten thousand domains against a hundred thousand URLs: exactly what an exact check over all parent
/// domains finds, and false positives as often as the lookups per URL promise.
#[test]
fn a_filter_finds_what_an_exact_check_of_all_parents_finds() {
    let place = Place::new();
    let listed: HashSet<String> = (0..10_000).map(host).collect();
    let mut list = String::new();
    listed.iter().for_each(|name| writeln!(list, "0.0.0.0 {name}").unwrap());
    place.build("f.anther --as domain --fpr 0.5%", list);
    // Every tenth is listed or below what is.
    let url = |i: u64| match i % 10 {
        0 => format!("https://a.b.{}/{i}", host(i / 10)),
        _ => format!("https://{}/{i}", host(1_000_000 + i)),
    };
    let urls: Vec<String> = (0..100_000).map(url).collect();
    let parents = |url: &str| {
        let host = url.split('/').nth(2).unwrap().to_string();
        let ends: Vec<usize> = host.match_indices('.').map(|(dot, _)| dot + 1).collect();
        std::iter::once(0).chain(ends).map(|at| host[at..].to_string()).collect::<Vec<_>>()
    };
    let is_listed = |url: &String| parents(url).iter().any(|name| listed.contains(name));
    let found = place.run_on("check f.anther", urls.join("\n")).code(0).out;
    let found = String::from_utf8(found).unwrap();
    let found: HashSet<&str> = found.lines().collect();
    let (listed, absent): (Vec<&String>, Vec<&String>) =
        urls.iter().partition(|url| is_listed(url));
    assert!(listed.len() >= 10_000, "{}", listed.len());
    assert!(listed.iter().all(|url| found.contains(url.as_str())), "no false negative");
    // Two lookups per URL on average: the suffix itself is none.
    let wrong = absent.iter().filter(|url| found.contains(url.as_str())).count() as f64;
    let lookups: usize = absent
        .iter()
        .map(|url| {
            let suffix = if url.contains(".co.uk/") { 2 } else { 1 };
            parents(url).len() - suffix
        })
        .sum();
    let expected = 0.005 * lookups as f64;
    assert!(wrong <= expected + 5.0 * expected.sqrt(), "{wrong} of {expected}");
    assert!(wrong >= expected / 4.0, "{wrong} of {expected}: are parents looked up?");
}
