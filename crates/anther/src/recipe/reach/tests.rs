use super::*;

const ALL: Reach = Reach { keys: 5, levels: u128::MAX };

fn above(reach: Reach, form: KeyForm, key: &str) -> Vec<String> {
    let mut all = Vec::new();
    reach.each_above(form, RuledKey::Bytes(key.as_bytes()), |level, above| {
        assert_eq!(ALL.level(form, above), Some(level), "{key}: {above:?}");
        let RuledKey::Bytes(above) = above else { panic!("{above:?}") };
        all.push(String::from_utf8(above.to_vec()).unwrap());
    });
    all
}

#[test]
fn a_key_is_below_its_parents() {
    let domain = |name| above(ALL, KeyForm::Domain, name);
    assert_eq!(domain("a.b.ads.example"), ["b.ads.example", "ads.example", "example"]);
    for none in ["example", "127.0.0.1", "1.0x7f", "", "localhost"] {
        assert_eq!(domain(none), [""; 0], "{none}");
    }
    let email = |name| above(ALL, KeyForm::Email, name);
    assert_eq!(email("bob@x.ads.example"), ["*@x.ads.example", "*@ads.example", "*@example"]);
    assert_eq!(email("*@x.example"), ["*@example"]);
    assert_eq!(email("bob@127.0.0.1"), ["*@127.0.0.1"]);
    let url = |name| above(ALL, KeyForm::Url, name);
    assert_eq!(
        url("https://x.ads.example:8443/a/b/c?d=/e"),
        [
            "https://x.ads.example:8443/a/b/c",
            "https://x.ads.example:8443/a/b/",
            "https://x.ads.example:8443/a/",
            "https://x.ads.example:8443/",
            "https://ads.example:8443/",
            "https://example:8443/",
        ]
    );
    assert_eq!(url("http://example/"), [""; 0]);
    assert_eq!(url("http://me@ads.example/"), ["http://ads.example/", "http://example/"]);
    assert_eq!(url("http://[::1]:80/a"), ["http://[::1]:80/"]);
    assert_eq!(url("http://127.0.0.1/a/"), ["http://127.0.0.1/"]);
    assert_eq!(url("no url"), [""; 0]);
}

#[test]
fn only_the_levels_of_the_list_are_looked_up() {
    let reach = Reach { keys: 5, levels: 1 << 2 };
    assert_eq!(above(reach, KeyForm::Domain, "a.b.ads.example"), ["ads.example"]);
    assert_eq!(above(reach, KeyForm::Email, "bob@ads.example"), ["*@ads.example"]);
    assert_eq!(above(reach, KeyForm::Email, "bob@x.ads.example"), ["*@ads.example"]);
    assert_eq!(above(reach, KeyForm::Url, "http://x.ads.example/a/b"), ["http://ads.example/"]);
    assert_eq!(above(Reach::EXACT, KeyForm::Domain, "a.example"), [""; 0]);
    // A URL of very many folders is not a lookup for each.
    let deep = "http://ads.example".to_string() + &"/a".repeat(20_000);
    assert!(above(ALL, KeyForm::Url, &deep).len() <= DEEPEST + 2);
}

#[test]
fn entries_have_levels() {
    let level = |form, entry: &str| ALL.level(form, RuledKey::Bytes(entry.as_bytes()));
    assert_eq!(level(KeyForm::Domain, "ads.example"), Some(2));
    assert_eq!(level(KeyForm::Domain, "192.0.2.7"), None);
    assert_eq!(level(KeyForm::Email, "*@x.ads.example"), Some(3));
    assert_eq!(level(KeyForm::Email, "bob@ads.example"), None);
    assert_eq!(level(KeyForm::Url, "http://ads.example/"), Some(2));
    assert_eq!(level(KeyForm::Url, "http://ads.example/a"), Some(65));
    assert_eq!(level(KeyForm::Url, "http://ads.example/a/"), Some(66));
    assert_eq!(level(KeyForm::Url, "http://ads.example/a?b"), None);
    assert_eq!(level(KeyForm::Url, "http://me@ads.example/a"), None);
    assert_eq!(level(KeyForm::Url, &format!("http://a{}", "/a".repeat(32))), Some(127));
    assert_eq!(level(KeyForm::Url, &format!("http://a{}", "/a".repeat(33))), None);
    assert_eq!(level(KeyForm::Text, "ads.example"), None);
    assert_eq!(Reach::EXACT.level(KeyForm::Domain, RuledKey::Bytes(b"ads.example")), None);
}

#[test]
fn more_keys_where_the_rate_is_high() {
    for (fpr, keys) in
        [(0.5, 30), (0.1, 9), (0.01, 5), (0.001, 3), (1e-5, 2), (1e-12, 2), (1.0, 64)]
    {
        assert_eq!(Reach::below(fpr).keys(), keys, "{fpr}");
    }
    assert_eq!(Reach::new(0, 0), None);
    assert_eq!(Reach::new(1, 2), None);
    assert_eq!(Reach::new(65, 0), None);
    assert_eq!(Reach::new(1, 0), Some(Reach::EXACT));
}

#[test]
fn levels_have_words() {
    let words = |form, levels: &[u8]| {
        let levels = levels.iter().fold(0, |all, level| all | 1 << level);
        Reach { keys: 5, levels }.levels_in_words(form)
    };
    assert_eq!(words(KeyForm::Domain, &[2]), "names of 2 labels");
    assert_eq!(words(KeyForm::Email, &[1]), "names of 1 label");
    assert_eq!(words(KeyForm::Domain, &[2, 3, 5]), "names of 2, 3 and 5 labels");
    let all = "names of 2 labels, folders at 2 slashes, pages at 1 and 2 slashes";
    assert_eq!(words(KeyForm::Url, &[2, 65, 66, 67]), all);
    assert_eq!(words(KeyForm::Url, &[]), "");
    assert_eq!(
        words(KeyForm::Ip, &[32, 116, 120]),
        "networks of 20 and 24 bits of IPv4 or 116 and 120 of IPv6, networks of 32 bits of IPv6"
    );
    assert_eq!(words(KeyForm::Ip, &[127]), "networks of 31 bits of IPv4 or 127 of IPv6");
}
