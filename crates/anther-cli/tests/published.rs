//! Lists as they are published, each compared with an exact program: addresses and networks
//! (`--as ip`), and domains (`--as domain`). And what `build` says of a list whose form nobody named.

use crate::support::Place;
use std::collections::HashSet;
use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::process::Command;

/// In the form of Spamhaus DROP.
const DROP: &str = "; Spamhaus DROP List 2026/11/17 - (c) 2026\n; Last-Modified: Tue\n\
     203.0.113.0/24 ; SBL100001\n198.51.100.128/25 ; SBL100002\n";
/// In the form of a netset of FireHOL.
const NETSET: &str = "#\n# firehol_level1\n#\n# Maintainer : x ; y\n# Entries : 3 subnets\n#\n\
     203.0.113.0/24\n198.51.100.128/25\n";
/// Ranges, with blanks around the dash or without.
const RANGES: &str = "203.0.113.0-203.0.113.255\n198.51.100.128 - 198.51.100.255 # two\n";
/// A plain export, with line endings of Windows and host bits that are set.
const EXPORT: &str =
    "\u{feff}203.0.113.77/24\r\n\r\n198.51.100.129/25\r\n::ffff:203.0.113.0/120\r\n";

#[test]
fn every_form_of_a_list_of_networks_is_the_same_filter() {
    let place = Place::new();
    let ran = place.run_on("build drop.anther --as ip --fpr 1e-6", DROP).code(0);
    ran.says(&["2 distinct keys of 2 read"]);
    place.build("netset.anther --as ip --fpr 1e-6", NETSET);
    place.build("ranges.anther --as ip --fpr 1e-6", RANGES);
    place.build("export.anther --as ip --fpr 1e-6", EXPORT);
    let bytes = |name: &str| place.read(&format!("{name}.anther"));
    assert!(bytes("drop") == bytes("netset") && bytes("netset") == bytes("ranges"));
    assert!(bytes("ranges") == bytes("export"));
    let keys = "203.0.113.0 203.0.113.255 ::ffff:203.0.113.9 198.51.100.128 203.0.113.7:443 \
                [::ffff:203.0.113.7]:443 203.0.113.64/26 203.0.112.255 203.0.114.0 198.51.100.127 \
                203.0.113.0/23 2001:db8::1 fe80::1%eth0";
    let answers = "maybe maybe maybe maybe maybe maybe maybe no no no no no no";
    let expected: Vec<String> = answers
        .split(' ')
        .zip(keys.split_whitespace())
        .map(|(answer, key)| format!("{answer}\t{key}\n"))
        .collect();
    place.run(&format!("check drop.anther {keys}")).code(0).prints(expected.concat());
    // The list itself is found, and a log by its column.
    place.write("drop.txt", DROP);
    place.write("known", "203.0.113.7:443\n198.51.100.128/25\n");
    place.run_on("check -c drop.anther --expect known", "").code(1).prints("0\n");
    let log = "203.0.113.7:1234 GET /\n192.0.2.1:80 GET /\n[2001:db8::1]:80 GET /\n";
    let found = place.run_on("check drop.anther --format fields --column 1", log).code(0);
    found.prints("203.0.113.7:1234 GET /\n");
    place
        .run_on("check drop.anther --confirm drop.txt", "203.0.113.7\n203.0.112.7\n")
        .code(0)
        .prints("203.0.113.7\n");
}

#[test]
fn what_is_no_address_is_refused_with_its_line() {
    let place = Place::new();
    for (line, words) in [
        ("evil.example", "not an IP address, such as"),
        ("203.0.113.7:443", "leave out port, brackets and zone"),
        ("[2001:db8::1]", "leave out port, brackets and zone"),
        ("fe80::1%eth0", "leave out port, brackets and zone"),
        ("203.0.113.07", "not an IP address"),
        ("203.0.113.0/33", "not an IP address"),
        ("203.0.113.0/255.255.255.0", "not an IP address"),
        ("203.0.113.9-203.0.113.1", "from the lower address to the higher one"),
        ("203.0.113.9-::1", "both of IPv4 or both of IPv6"),
    ] {
        let ran = place.run_on("build x.anther --as ip", format!("# x\n192.0.2.1\n{line}\n"));
        ran.fails(&["line 3: ", line, words, "--skip-malformed"]);
    }
    // Ranges of addresses are read from lists, and range filters have no networks.
    place.build("f.anther --as ip", "203.0.113.1-203.0.113.2\n");
    place
        .run("check f.anther 203.0.113.1-203.0.113.2")
        .fails(&["a range of addresses is for lists"]);
    let range = "build r.anther --as ip --kind range --span /24";
    place.run_on(range, DROP).fails(&["line 3: \"203.0.113.0/24\": a network stands for many"]);
    place.run_on(range, "203.0.113.1 # x\n2001:db8::1\n").fails(&["line 2: ", "an IPv6 address"]);
    place.run_on(range, "# x\n203.0.113.1 # x\n::ffff:203.0.113.2\n").code(0);
    place.run("check r.anther ::ffff:203.0.113.1 203.0.113.2").code(0);
    // One part of a key is one address.
    let pairs = "build p.anther --as ip --format csv --column 1 --column 2";
    place.run_on(pairs, "10.0.0.0/8,10.0.0.1\n").fails(&["a network stands for many"]);
    place.run_on(pairs, "2001:db8::,10.0.0.1\n").code(0);
}

/// However many keys the lines before it have, also in another block.
#[test]
fn a_malformed_line_has_its_number() {
    let place = Place::new();
    let ranges = "192.0.2.1-192.0.2.7\n".repeat(30_000);
    for (form, list, line) in [
        ("ip", "192.0.2.1-192.0.2.7\n; x\n\nbad\n", 4),
        ("ip", &format!("{ranges}bad\n"), 30_001),
        ("domain", "0.0.0.0 a.example b.example c.example\n0.0.0.0 d.example _..x\n", 2),
        ("domain", "a.example\n\u{3}b.example\n", 2),
    ] {
        let build = format!("build --force f.anther --as {form}");
        place.run_on(&build, list).fails(&[&format!("standard input: line {line}: ")]);
        let ran = place.run_on(&format!("{build} --skip-malformed"), list).code(0);
        ran.says(&["1 malformed record left out"]);
    }
    place.run("build l.anther -k 10.0.0.0/24 10.0.0.0/31 --as ip --items 100").code(0);
    let list = "10.0.1.1-10.0.1.4\n10.0.2.1\n10.0.0.0/8\n";
    place.run_on("add --shared l.anther", list).fails(&["standard input: line 3 (10.0.0.0/8): "]);
    place.run("check l.anther 10.0.1.1 10.0.1.3 10.0.1.4 10.0.2.1").code(0);
}

/// Published lists have them in the encoding of their authors.
#[test]
fn comments_may_have_any_bytes() {
    let place = Place::new();
    for (form, list, key) in [
        ("domain", &b"# Stra\xDFe\nads.example # \xFC\n"[..], "ads.example"),
        ("domain", b"! \xFC\n||ads.example^\n", "ads.example"),
        ("ip", b"; Stra\xDFe\n203.0.113.0/24 ; \xFC\n", "203.0.113.9"),
    ] {
        place.run_on(&format!("build --force f.anther --as {form}"), list).code(0);
        place.run(&format!("check f.anther {key}")).code(0);
    }
    let list = b"a.example\n\xFC.example # \xFC\n";
    place.run_on("build x.anther --as domain", list).fails(&["line 2: ", "not in ASCII"]);
}

/// The first column alone would be the lowest address of each range.
#[test]
fn ranges_in_two_columns_are_joined() {
    let place = Place::new();
    let list = "10.0.0.0\t10.0.0.255\t24\n10.9.0.0\t10.9.0.255\t24\n";
    for (list, delimiter) in [(list.to_string(), "tabs"), (list.replace('\t', ","), "commas")] {
        let join = "awk -F '[ \\t,;|]+' '{ print $1 \"-\" $2 }' FILE";
        let ran = place.run_on("build --force f.anther --as ip", &list);
        let ran = ran.fails(&["if its columns are ranges, read what ", join]);
        assert!(!ran.err.contains("--column 1"), "{delimiter}: {}", ran.err);
        let ran = place.run_on("build --force f.anther", &list).code(0);
        ran.says(&["ranges of addresses in two columns", "add --as ip, and read what ", join]);
        place.write("FILE", &list);
        let joined = Command::new("sh").args(["-c", join]).current_dir(place.path()).output();
        let joined = joined.expect("awk runs").stdout;
        place.run_on("build --force f.anther --as ip", joined).code(0);
        place.run("check f.anther 10.0.0.77 10.9.0.255").code(0);
        place.run("check f.anther 10.0.1.0 10.8.0.0").code(1);
    }
}

/// A range up to the netmask would be another network, and the first column alone an address.
#[test]
fn a_netmask_or_a_length_in_a_second_column_is_named() {
    let place = Place::new();
    let masks = "9.9.9.0 255.255.255.0\n10.8.0.0\t255.248.0.0\n8.8.8.8 255.255.255.255\n";
    let lengths = "9.9.9.0 /24\n10.8.0.0,/13\n8.8.8.8\t32\n";
    for (list, network) in [(masks, "9.9.9.0/24"), (lengths, "9.9.9.0/24")] {
        let ran = place.run_on("build --force f.anther --as ip", list);
        let ran = ran.fails(&["line 1: ", &format!("write {network}, as awk ")]);
        assert!(!ran.err.contains("--column 1"), "{}", ran.err);
        let (_, command) = ran.err.split_once(", as ").expect("a command");
        let (command, _) = command.split_once(" does").expect("its end");
        place.write("FILE", list);
        let made = Command::new("sh").args(["-c", command]).current_dir(place.path()).output();
        let made = made.expect("awk runs").stdout;
        assert_eq!(String::from_utf8_lossy(&made), "9.9.9.0/24\n10.8.0.0/13\n8.8.8.8/32\n");
    }
    // A number may also be something else than a length.
    let ran = place.run_on("build f.anther --as ip", "9.9.9.0,24\n");
    ran.fails(&["write 9.9.9.0/24, as ", "; if the key is the first column, add --format csv"]);
    let ran = place.run_on("build f.anther --as ip", "2001:db8:: /32\n");
    ran.fails(&["write 2001:db8::/32, as "]);
    let ran = place.run_on("build f.anther --as ip", "9.9.9.0,240\n");
    assert!(!ran.err.contains("write "), "{}", ran.err);
    let ran = place.run_on("build t.anther", masks).code(0);
    ran.says(&["networks with their netmasks", "add --as ip, and read what awk "]);
}

/// Their addresses would not be found: a network is a key only where somebody said so.
#[test]
fn a_network_is_not_added_where_its_addresses_are_not_found() {
    let place = Place::new();
    place.write("good.txt", "192.0.2.9\n");
    let cascade = "--never-wrong-on good.txt";
    for options in ["--kind aging --items 100", "--kind stable --items 100", cascade] {
        let build = format!("f.anther --force --as ip {options}");
        place.run(&format!("build {build} -k 10.0.0.0/8")).fails(&["a network stands for many"]);
        place.build(&build, "192.0.2.1\n");
        for (verb, code) in [("check", 2), ("add", 2)] {
            let ran = place.run(&format!("{verb} f.anther -k 10.0.0.0/8")).code(code);
            let refused = ran.err.contains("a network stands for many");
            assert!(refused || ran.err.contains("static"), "{options} {verb}: {}", ran.err);
        }
        // A network that is a key of its own is one for all verbs.
        let exact = format!("{build} --match exact");
        place.run(&format!("build {exact} -k 10.0.0.0/8")).code(0);
        place.run("check f.anther 10.0.0.0/8").code(0).prints("maybe\t10.0.0.0/8\n");
        if options != cascade {
            place.run("add f.anther -k 172.16.0.0/12").code(0);
        }
    }
}

/// The advice does not send anybody round in a circle.
#[test]
fn what_is_said_about_a_network_can_be_done() {
    let place = Place::new();
    place.run("build f.anther --as ip --kind aging --items 100 -k 10.0.0.0/8").fails(&[
        "an aging filter forgets",
        "another --kind",
        "--match exact",
    ]);
    place
        .run("build f.anther --as ip --kind aging --items 100 --match below -k 10.0.0.0/8")
        .fails(&["an aging filter forgets", "choose another --kind"]);
}

/// Pseudorandom numbers from a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of these.
    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let at = self.below(of.len() as u64);
        &of[usize::try_from(at).expect("an index")]
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// An exact program: the addresses of a list as sorted intervals.
#[derive(Default)]
struct Intervals(Vec<(u128, u128)>);

impl Intervals {
    fn sort(&mut self) {
        self.0.sort_unstable();
        let mut merged: Vec<(u128, u128)> = Vec::new();
        for (first, last) in self.0.drain(..) {
            match merged.last_mut() {
                Some((_, end)) if first <= *end => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        self.0 = merged;
    }

    fn contains(&self, address: u128) -> bool {
        let at = self.0.partition_point(|(first, _)| *first <= address);
        at > 0 && address <= self.0[at - 1].1
    }
}

/// Addresses of one version, with its number of bits.
struct Version {
    bits: u32,
    spell: fn(u128) -> String,
}

const V4: Version = Version {
    bits: 32,
    spell: |it| Ipv4Addr::from(u32::try_from(it).expect("32 bits")).to_string(),
};
const V6: Version = Version { bits: 128, spell: |it| Ipv6Addr::from(it).to_string() };

impl Version {
    fn last(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// A line of a list, which is an address, a network or a range, and what it stands for.
    fn entry(&self, random: &mut Random, address: u128, prefix: u32) -> (String, (u128, u128)) {
        let host = self.last().checked_shr(prefix).unwrap_or(0);
        let (low, high, spell) = (address & !host, address | host, self.spell);
        // A wide range has networks of most sizes, and every size is a lookup per query.
        let is_wide = self.bits - prefix > 18;
        match random.below(4) {
            0 => (spell(address), (address, address)),
            1 | 2 if is_wide => (format!("{}/{prefix}", spell(address)), (low, high)),
            1 => (format!("{}-{}", spell(low), spell(address)), (low, address)),
            2 => (format!("{} - {}", spell(address), spell(high)), (address, high)),
            _ => (format!("{}/{prefix}", spell(address)), (low, high)),
        }
    }

    /// Random entries, each with what such lists have behind it. Every third is a neighbour.
    fn list(&self, random: &mut Random, prefixes: &[u32], text: &mut String) -> Intervals {
        let mut all = Intervals::default();
        for _ in 0..1000 {
            let address = match all.0.last() {
                Some((_, last)) if random.below(3) == 0 => last + 1,
                _ => random.wide() >> (128 - self.bits),
            };
            let prefix = *random.one(prefixes);
            let (line, interval) = self.entry(random, address & self.last(), prefix);
            let behind = random.one(&["", "", " ; SBL1", "\t# x - y; z", "\r"]);
            writeln!(text, "{line}{behind}").expect("written");
            all.0.push(interval);
        }
        all
    }

    /// Half a million addresses: the first and the last of every entry, one beyond, and random ones,
    /// most of them a few bits away from an entry.
    fn queries(&self, random: &mut Random, list: &Intervals) -> Vec<u128> {
        let ends = list.0.iter().flat_map(|(first, last)| {
            [*first, *last, first.wrapping_sub(1), last.wrapping_add(1), first / 2 + last / 2]
        });
        let mut all: Vec<u128> = ends.map(|address| address & self.last()).collect();
        while all.len() < 500_000 {
            let (first, last) = *random.one(&list.0);
            let end = if random.below(2) == 0 { first } else { last };
            all.push(match random.below(4) {
                0 => random.wide() >> (128 - self.bits),
                1 => end ^ 1 << random.below(self.bits.into()),
                _ => end ^ 1 << random.below(self.bits.into()) ^ u128::from(random.below(1 << 16)),
            });
        }
        all
    }
}

/// Checks a million queries against the exact answers. The filter's rate is 10⁻⁶, so that more than
/// ten false positives among them come once in 10⁸ seeds.
fn check_against(place: &Place, filter: &str, queries: &[(String, bool)]) {
    let mut input = String::new();
    queries.iter().for_each(|(query, _)| writeln!(input, "{query}").expect("written"));
    let found = place.run_on(&format!("check {filter}"), input).code(0).out;
    let found = String::from_utf8(found).expect("text");
    let mut found = found.lines().peekable();
    let (mut members, mut wrong) = (0, Vec::new());
    for (query, is_member) in queries {
        let is_found = found.next_if_eq(&query.as_str()).is_some();
        assert!(is_found || !is_member, "{query}: a false negative");
        members += u32::from(*is_member);
        wrong.extend((is_found && !is_member).then_some(query));
    }
    assert_eq!(found.next(), None, "lines in their order");
    // One false positive counts once, however often it is looked up.
    let wrong: HashSet<&String> = wrong.into_iter().collect();
    assert!(members > 20_000 && wrong.len() <= 10, "{members} members, wrong: {wrong:?}");
}

#[test]
fn a_million_addresses_against_an_exact_program() {
    let (place, mut random, mut list) = (Place::new(), Random(7), "; a list\n\n".to_string());
    let v4_prefixes: Vec<u32> = (14..=32).collect();
    let mut v4 = V4.list(&mut random, &v4_prefixes, &mut list);
    let mut v6 = V6.list(&mut random, &[19, 29, 32, 36, 40, 48, 56, 64, 112, 125, 128], &mut list);
    // Lists of unused networks have it, and do not mean all of IPv4.
    list += "::/8\n";
    v6.0.push((0, u128::MAX >> 8));
    place.write("list", list);
    place.run("build f.anther list --as ip --fpr 1e-6").code(0);
    let [v4_queries, v6_queries] = [V4.queries(&mut random, &v4), V6.queries(&mut random, &v6)];
    v4.sort();
    v6.sort();
    let mut queries = Vec::new();
    for (at, address) in v4_queries.into_iter().enumerate() {
        let before = if at % 7 == 0 { "::ffff:" } else { "" };
        queries.push((format!("{before}{}", (V4.spell)(address)), v4.contains(address)));
    }
    let is_v6 = |address: &u128| Ipv6Addr::from(*address).to_ipv4_mapped().is_none();
    for address in v6_queries.into_iter().filter(is_v6) {
        queries.push(((V6.spell)(address), v6.contains(address)));
    }
    check_against(&place, "f.anther", &queries);
}

/// All of IPv4 is in a network around it, but not in what lists of unused networks have, such as
/// `::/8`.
#[test]
fn networks_around_ipv4_against_an_exact_program() {
    let (place, mut random, mapped) = (Place::new(), Random(11), 0xFFFF << 32_u128);
    for prefix in [0, 8, 80, 81, 90, 95, 96] {
        let host = u128::MAX.checked_shr(prefix).unwrap_or(0);
        let list = Intervals(vec![(mapped & !host, mapped | host)]);
        let network = format!("{}/{prefix}\n", (V6.spell)(mapped & !host));
        place.build("f.anther --force --as ip --fpr 1e-6", network);
        let (mut queries, mut expected) = (String::new(), String::new());
        for _ in 0..500 {
            let address = mapped ^ u128::from(random.next() >> 32) ^ 1 << random.below(128);
            let v4 = Ipv6Addr::from(address).to_ipv4_mapped();
            let is_in = list.contains(address) && (v4.is_none() || !(1..=80).contains(&prefix));
            for text in [Some((V6.spell)(address)), v4.map(|v4| v4.to_string())] {
                let line = text.map(|text| text + "\n").unwrap_or_default();
                queries += &line;
                expected += if is_in { &line } else { "" };
            }
        }
        assert!(expected.len() < queries.len() || prefix == 0, "{prefix}");
        place.run_on("check f.anther", queries).prints(&expected);
    }
}

/// A name of a few labels, from a few letters, so that names share parents and endings.
fn name(random: &mut Random) -> String {
    let labels = 2 + random.below(3);
    let label = |random: &mut Random| {
        let letters = 3 + random.below(3);
        (0..letters).map(|_| char::from(*random.one(b"abcdefghijkl"))).collect::<String>()
    };
    let mut name: Vec<String> = (0..labels).map(|_| label(random)).collect();
    name.push(random.one(&["com", "co.uk", "example", "github.io"]).to_string());
    name.join(".")
}

#[test]
fn a_million_names_against_an_exact_program() {
    let (place, mut random) = (Place::new(), Random(9));
    let mut listed = Vec::new();
    let (mut hosts, mut rules) =
        ("# hosts\n127.0.0.1 localhost\n".to_string(), "! ads\n".to_string());
    for at in 0..4000 {
        let name = name(&mut random);
        match at % 4 {
            0 => writeln!(hosts, "0.0.0.0 {name}").unwrap(),
            1 => writeln!(hosts, "0.0.0.0\t{}. # why", name.to_uppercase()).unwrap(),
            2 => writeln!(rules, "||{name}^$third-party\n@@||x.{name}^\n||{name}/x^").unwrap(),
            _ if at % 8 == 3 => writeln!(rules, "||*.{name}^").unwrap(),
            _ => writeln!(rules, ".{name}").unwrap(),
        }
        listed.push(name);
    }
    place.write("hosts", hosts);
    place.write("rules", rules);
    place.run("build f.anther hosts rules --as domain --fpr 1e-6").code(0);
    let exact: HashSet<&str> = listed.iter().map(String::as_str).collect();
    let is_member = |query: &str| {
        let query = query.strip_suffix('.').unwrap_or(query).to_lowercase();
        let starts = std::iter::once(0).chain(query.match_indices('.').map(|(dot, _)| dot + 1));
        starts.into_iter().any(|start| exact.contains(&query[start..]))
    };
    let mut queries = Vec::new();
    while queries.len() < 1_000_000 {
        let name =
            if queries.len() % 3 == 0 { name(&mut random) } else { random.one(&listed).clone() };
        let (first, parent) = name.split_once('.').unwrap();
        let query = match random.below(12) {
            0 => name.clone(),
            1 => format!("{}.", name.to_uppercase()),
            2 => format!("n{}.{name}", random.below(1000)),
            3 => format!("a.b-{}.c_d.{name}", random.below(1000)),
            // One label less, another first label, and the same ending without a dot.
            4 => parent.to_string(),
            5 => format!("x{}.{parent}", random.below(100_000)),
            6 => format!("x{}{name}", random.below(100_000)),
            7 => format!("{first}-{}.{parent}", random.below(1000)),
            8 => format!("{name}.n{}.example", random.below(1000)),
            9 => name[1..].to_string(),
            10 => format!("{}{}", name, random.below(10)),
            _ => format!("{}.{}", random.below(100_000), name.replace('.', "-")),
        };
        let is_member = is_member(&query);
        queries.push((query, is_member));
    }
    check_against(&place, "f.anther", &queries);
}

#[test]
fn build_says_what_keys_look_like() {
    let place = Place::new();
    for (list, form, words) in [
        (
            DROP,
            "ip",
            "4 of 8 keys are networks or ranges of addresses, and as text match no address",
        ),
        ("192.0.2.1\n192.0.2.2\n::1\n", "ip", "look like IP addresses"),
        ("a@b.example\nc@d.example\n@e.example\n", "email", "look like e-mail addresses"),
        ("https://a.example/\nhttps://b.example/x\nhttp://c.example\n", "url", "look like URLs"),
        ("0.0.0.0 a.example\n0.0.0.0 b.example\n0.0.0.0 c.example\n", "domain", "a hosts file"),
        ("||a.example^\n||b.example^\n||c.example^\n", "domain", "rules of an ad blocker"),
        ("a.example\nb.com\nc.co.uk\n", "domain", "look like domains"),
        ("1\n2\n042\n", "int", "look like whole numbers, and as text 042 is not 42"),
    ] {
        let list = if form == "ip" { list.repeat(2) } else { list.to_string() };
        let advice = format!("add --as {form}, or --as text if this is meant");
        let ran = place.run_on("build --force f.anther", &list).code(0);
        ran.says(&["warning: standard input: ", words, &advice]);
        for quiet in ["-q", "--as text", &format!("--as {form}")] {
            let ran = place.run_on(&format!("build --force f.anther {quiet}"), &list).code(0);
            assert!(!ran.err.contains("as text"), "{quiet}: {}", ran.err);
        }
    }
    // The advice works: a key is found that as text was none.
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    for (list, words, advice, key) in [
        (
            &format!("{digest}:3\n")[..],
            "digests with their counts",
            "--as hex --delimiter : --column 1",
            digest,
        ),
        (&format!("{digest}\n"), "hexadecimal digests", "--as hex", &digest.to_uppercase()),
        (
            "[Adblock Plus 2.0]\n-ad-x/\n||ads.example^\n",
            "rules of an ad blocker",
            "--as domain --skip-malformed",
            "ads.example",
        ),
        (
            "address=/ads.example/0.0.0.0\nlocal=/t.example/\n",
            "rules of dnsmasq",
            "--as domain --delimiter / --column 2",
            "t.example",
        ),
        (
            "2001:DB8::1\n192.0.2.1\nhost.lan\n",
            "many keys look like IP addresses",
            "--as ip --skip-malformed",
            "2001:db8::1",
        ),
        ("user,n\nann,1\nbob,2\n", "records of columns", "--format csv --column 1", "bob"),
        ("user\tn\nann\t1\nbob\t2\n", "records of columns", "--format tsv --column 1", "bob"),
        ("ann;1\nbob;2\n", "records of columns", "--delimiter ';' --column 1", "bob"),
        ("{\"NAME\":\"bob\"}\n", "lines of JSON", "--format json --column NAME", "bob"),
        ("\"ann\"\n\"bob\"\n", "text in quotes", "--format csv --column 1", "bob"),
        ("ann \nbob \n", "white space around it", "--trim", "bob"),
    ] {
        let ran = place.run_on("build --force f.anther", list).code(0);
        ran.says(&["warning: standard input: ", words, &format!("add {advice}")]);
        place.run(&format!("check f.anther -k {key}")).code(1);
        let build = format!("build --force f.anther {}", advice.replace('\'', ""));
        place.run_on(&build, list).code(0);
        place.run(&format!("check f.anther -k {key}")).code(0);
        let ran = place.run_on("build --force f.anther --as text", list).code(0);
        assert!(!ran.err.contains("warning"), "{list}: {}", ran.err);
    }
    // The key of a column.
    let csv = "id,mail\n1,a@b.example\n2,c@d.example\n3,e@f.example\n";
    let ran = place.run_on("build --force f.anther --column mail", csv).code(0);
    ran.says(&["the keys look like e-mail addresses", "--as email"]);
    // Nor words, names of files, integers or a mixture.
    for list in ["42\n", "example\nant\nbee\ncat\n", "a.txt\nb.rs\nc.md\n", "1\nant\n::1\n"] {
        let ran = place.run_on("build --force f.anther", list).code(0);
        assert!(!ran.err.contains("warning"), "{list}: {}", ran.err);
    }
    place.run("build --force f.anther -k 1 2 3 4").code(0).says(&["4 distinct keys"]);
}

/// As text none of their addresses would be found, and nothing would say so.
#[test]
fn build_warns_of_every_network_that_is_text() {
    let place = Place::new();
    let names = |count: usize| (0..count).fold(String::new(), |list, i| list + &format!("n{i}\n"));
    let (alone, mixed) = ("add --as ip, or", "add --as ip --skip-malformed");
    for (list, words, advice) in [
        ("203.0.113.0/24\n".to_string(), "1 of 1 keys is a network or a range of addresses", alone),
        ("2001:db8::/32\n10.0.0.1\n".to_string(), "1 of 2 keys is a network", alone),
        ("10.0.0.0-10.0.0.255\nant\nbee".to_string(), "1 of 3 keys is a network", mixed),
        // Far behind the records that are looked at, and in another block.
        (names(100_000) + "203.0.113.0/24\n" + &names(9), "1 of 100,010 keys is", mixed),
        (names(9) + "# c\n10.0.0.0/8 # x\n::/7\n", "2 of 12 keys are networks", mixed),
    ] {
        let ran = place.run_on("build --force f.anther", &list).code(0);
        let ran = ran.says(&[
            "warning: standard input: ",
            words,
            advice,
            "or --as text if this is meant",
        ]);
        let lines = ran.err.lines().filter(|line| line.contains("warning")).count();
        assert_eq!(lines, 1, "{}", ran.err);
        // By what is read as CSV and as two passes, too.
        place.write("list", &list);
        let ran = place.run("build --force f.anther --format csv --column 1 list").code(0);
        ran.says(&["warning: list: ", words]);
        place.run("build --force f.anther --kind fuse list").code(0).says(&[words]);
        let ran = place.run("build --force f.anther --as text list").code(0);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
        // The advice works.
        place.run("build --force f.anther --as ip --skip-malformed list").code(0);
    }
    place.run("check f.anther 10.1.2.3").code(0).prints("maybe\t10.1.2.3\n");
    let ran = place.run("build --force f.anther -k 10.0.0.0/8 ant").code(0);
    ran.says(&["warning: -k: 1 of 2 keys is a network", mixed]);
    for list in
        ["https://10.0.0.0/8\nant\n", "/10.0.0.0/8\nant\n", "10.0.0.1/a\nant\n", "a/8\nant\n"]
    {
        let ran = place.run_on("build --force f.anther", list).code(0);
        assert!(!ran.err.contains("network"), "{list}: {}", ran.err);
    }
}

/// The bounds of text are in the order of text, so `--between 5300 5310` finds 530000.
#[test]
fn a_range_filter_of_numbers_needs_its_form() {
    let place = Place::new();
    let numbers = "530000\n-7\n42\n";
    let built = "build f.anther --kind range --span 100";
    let words = ["--kind range: all keys are whole numbers", "--as int", "--as text"];
    place.run_on(built, numbers).fails(&words);
    place.run_on(&format!("{built} -q"), numbers).fails(&words);
    assert!(!place.names().contains(&"f.anther".to_string()));
    place.run_on(&format!("{built} --as text"), numbers).code(0);
    place.run_on(&format!("{built} --force --as int"), numbers).code(0);
    place.run_args(["check", "f.anther", "--between", "5300", "5310"], "").code(1);
    place.run_on(&format!("{built} --force"), "530000\nant\n").code(0);
    place.run_on(&format!("{built} --force"), "").code(0);
}

#[test]
fn a_log_that_is_read_as_csv_is_named() {
    let place = Place::new();
    let mut log = String::new();
    for at in 0..300 {
        let agent = ["curl/8.5", "Mozilla/5.0 (X11) (KHTML, like Gecko)"][at % 2];
        writeln!(
            log,
            "192.0.2.{} - - [17/Nov/2026] \"GET /{at} HTTP/1.1\" 200 \"{agent}\"",
            at % 250
        )
        .unwrap();
    }
    place.write("access.log", &log);
    place.build("seen.anther", "192.0.2.7\n192.0.2.8\n");
    let words = ["warning: access.log: read as CSV", "columns between blanks, use --format fields"];
    let ran = place.run("check seen.anther --column 1 -f access.log");
    assert_eq!(ran.err.matches("warning").count(), 1, "{}", ran.err);
    ran.code(1).says(&words);
    let ran = place.run("build log.anther --column 1 access.log --fpr 1e-6").code(0);
    assert_eq!(ran.err.matches("warning").count(), 1, "{}", ran.err);
    ran.says(&words);
    for quiet in
        ["check seen.anther -q --column 1 -f access.log", "build -q x.anther --column 1 access.log"]
    {
        let ran = place.run(quiet);
        assert_eq!(ran.err, "", "{quiet}");
    }
    let found = place.run("check -c seen.anther --format fields --column 1 -f access.log");
    found.code(0).prints("4\n");
    // Where no row has a key, too.
    place.build("ip.anther --as ip", "192.0.2.7\n192.0.2.8\n");
    for refused in [
        "check ip.anther --column 1 -f access.log",
        "check ip.anther --column 3 -f access.log",
        "build new.anther --as ip --column 1 access.log",
        "build new.anther --as int --column 1 access.log",
        "build new.anther --as domain --column 1 access.log",
    ] {
        place.run(refused).fails(&["access.log: line 1: ", words[1]]);
    }
    let ran = place.run("check -c ip.anther --skip-malformed --column 1 -f access.log");
    ran.code(1).prints("0\n").says(&words);
    let tabs = "192.0.2.1\tx\n192.0.2.2\ty\n192.0.2.3\tz\n";
    let ran = place.run_on("check seen.anther --column 1", tabs).code(1);
    ran.says(&["columns between tabs, use --format tsv"]);
    place.run_on("check seen.anther --column 2", tabs).fails(&["has 1 column", "--format tsv"]);
    for (line, advice) in [
        ("192.0.2.7;x\n", "columns between semicolons, use --delimiter ';'"),
        ("{\"ip\":\"192.0.2.7\",\"n\":1}\n", "JSON, use --format json --column NAME"),
        ("08:30:00,123 192.0.2.7\n", "columns between blanks, use --format fields"),
    ] {
        place.run_on("check seen.anther --column 1", line).code(1).says(&[advice]);
    }
    // What is CSV stays without a word.
    for csv in ["192.0.2.7,x y\n192.0.2.9,z\n192.0.2.9,\"a \"\"b\"\"\"\n", "192.0.2.7\n1\n2\n3\n"] {
        let ran = place.run_on("check seen.anther --column 1", csv).code(0);
        assert_eq!(ran.err, "", "{csv}");
    }
}
