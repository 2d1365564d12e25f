//! Keyed filters: `build --keyed`, and `--key-file` wherever keys are asked for.

use crate::support::{Place, Ran, ran};
use anther::{AnyFilter, LoadError, Open, Seed};
use std::path::Path;

const KEY: &str = "000102030405060708090a0b0c0d0eff";
const OTHER: &str = "100102030405060708090a0b0c0d0eff";

/// A filter of one and two under [`KEY`], which is in `f.key`.
fn keyed(options: &str) -> Place {
    let place = Place::new();
    place.write("f.key", format!("{KEY}\n"));
    close(&place.join("f.key"));
    let build = format!("f.anther --keyed --key-file f.key --fpr 1e-6 --items 100 {options}");
    place.build(&build, "one\ntwo\n");
    place
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[cfg(unix)]
fn close(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("changed");
}

#[cfg(not(unix))]
fn close(_: &Path) {}

/// Runs with a variable in the environment.
fn run_with(place: &Place, variable: (&str, &str), arguments: &str) -> Ran {
    let mut command = place.command(arguments.split_whitespace());
    command.env(variable.0, variable.1);
    ran(command)
}

#[test]
fn a_new_key_is_made_with_the_filter() {
    let place = Place::new();
    let ran = place.run_on("build f.anther --keyed --key-file f.key --fpr 1e-6", "one\n").code(0);
    ran.says(&["f.key: new secret key; keep it, the filter cannot be queried without it"]);
    assert_eq!(place.names(), ["f.anther", "f.key"]);
    let text = String::from_utf8(place.read("f.key")).unwrap();
    assert!(text.len() == 33 && text.ends_with('\n'), "{text:?}");
    assert!(text.trim().bytes().all(|byte| byte.is_ascii_hexdigit()));
    #[cfg(unix)]
    assert_eq!(mode(&place.join("f.key")), 0o600);
    let ran = place.run("check f.anther --key-file f.key one two").code(0);
    assert_eq!(ran.prints("maybe\tone\nno\ttwo\n").err, "");

    // The next filter shares the key, another file has another one.
    let quiet = place.run_on("build g.anther --keyed --key-file f.key -q --fpr 1e-6", "one\n");
    assert_eq!(quiet.code(0).err, "");
    assert_eq!(place.read("g.anther"), place.read("f.anther"));
    place.build("h.anther --keyed --key-file h.key --fpr 1e-6", "one\n");
    assert_ne!(place.read("h.key"), place.read("f.key"));
    assert_ne!(place.read("h.anther"), place.read("f.anther"));
    assert_eq!(place.run("info f.anther --json").code(0).json()["seed"], "keyed");
}

#[test]
fn it_is_the_librarys_keyed_filter() {
    let place = keyed("");
    let digits = |at: usize| u8::from_str_radix(&KEY[2 * at..2 * at + 2], 16).unwrap();
    let key: [u8; 16] = std::array::from_fn(digits);
    let filter: AnyFilter = Open::new().key(key).file(place.join("f.anther")).unwrap();
    assert!(filter.contains("one").unwrap() && !filter.contains("three").unwrap());
    let error = Open::new().file::<AnyFilter>(place.join("f.anther"));
    assert!(matches!(error, Err(LoadError::KeyNeeded)));
    assert!(matches!(
        Open::new().key([0; 16]).file::<AnyFilter>(place.join("f.anther")),
        Err(LoadError::WrongKey)
    ));
    place.build("open.anther --fpr 1e-6", "one\n");
    assert!(Open::is_keyed(place.join("f.anther")).unwrap());
    assert!(!Open::is_keyed(place.join("open.anther")).unwrap());
    assert!(matches!(
        Open::new().key(key).file::<AnyFilter>(place.join("open.anther")),
        Err(LoadError::NotKeyed)
    ));
    assert_ne!(Seed::keyed(key), Seed::FIXED);
}

#[test]
fn every_verb_that_hashes_takes_the_key() {
    let place = keyed("--kind counting");
    place.write("more.txt", "three\nthree\n");
    for verb in ["add f.anther more.txt", "remove f.anther more.txt", "check f.anther one"]
        .into_iter()
        .chain(["count f.anther one", "check --map f.anther one"])
    {
        let ran = place.run(verb);
        ran.fails(&["f.anther: is keyed and needs its secret key", "--key-file", "ANTHER_KEY"]);
        place.write("other.key", OTHER);
        close(&place.join("other.key"));
        let ran = place.run(&format!("{verb} --key-file other.key"));
        ran.fails(&["f.anther: this is not the secret key"]);
        place.run(&format!("{verb} --key-file f.key")).code(0);
    }
    place.run("add f.anther more.txt --key-file f.key").code(0);
    place.run("count f.anther one three --key-file f.key").code(0).prints("1\tone\n2\tthree\n");

    place.build("v.anther --kind bloomier --keyed --key-file f.key --fpr 1e-6", "one\t7\n");
    place.run("get v.anther one").fails(&["v.anther: is keyed and needs its secret key"]);
    place.run("get v.anther one --key-file f.key").code(0).prints("7\tone\n");

    // What hashes no keys needs none.
    place.run("info f.anther").code(0);
    place.run("merge m.anther f.anther f.anther").code(0);
    place.run("check m.anther one --key-file f.key").code(0);
}

#[test]
fn the_environment_is_for_all_filters() {
    let place = keyed("");
    place.build("open.anther --fpr 1e-6", "one\n");
    for variable in [("ANTHER_KEY", KEY), ("ANTHER_KEY_FILE", "f.key")] {
        run_with(&place, variable, "check f.anther one").code(0).prints("maybe\tone\n");
        run_with(&place, variable, "check open.anther one").code(0).prints("maybe\tone\n");
        let out = format!("build {}.anther --keyed", variable.0);
        run_with(&place, variable, &out).code(0);
        let ran = run_with(&place, variable, "check ANTHER_KEY.anther one").code(1);
        assert_eq!(ran.err, "");
    }
    run_with(&place, ("ANTHER_KEY", OTHER), "check f.anther one").fails(&["not the secret key"]);
    let told = "check f.anther one --key-file f.key";
    run_with(&place, ("ANTHER_KEY", OTHER), told).code(0).prints("maybe\tone\n");
    // Nothing is as good as not set.
    run_with(&place, ("ANTHER_KEY", ""), "check open.anther one").code(0);
    run_with(&place, ("ANTHER_KEY", ""), "check f.anther one")
        .fails(&["f.anther: is keyed and needs its secret key"]);
    // The option says that the filter is keyed, and it is not.
    let ran = place.run("check open.anther one --key-file f.key");
    ran.fails(&["open.anther: is not keyed", "--key-file"]);
}

#[test]
fn what_is_no_key_is_an_error_that_does_not_show_it() {
    let place = keyed("");
    let nearly = &KEY[..31];
    for text in [nearly, "", "not a key", &format!("{KEY}{KEY}"), &KEY.replace('f', "g")] {
        place.write("bad.key", text);
        close(&place.join("bad.key"));
        for verb in ["check f.anther one", "build new.anther --keyed"] {
            let ran = place.run(&format!("{verb} --key-file bad.key"));
            let ran = ran.fails(&["bad.key: not a secret key, which is 32 hexadecimal digits"]);
            assert!(text.is_empty() || !ran.err.contains(text), "{}", ran.err);
        }
    }
    let ran = run_with(&place, ("ANTHER_KEY", nearly), "check f.anther one");
    let ran = ran.fails(&["ANTHER_KEY: not a secret key"]);
    assert!(!ran.err.contains(nearly), "{}", ran.err);
    place.run("check f.anther one --key-file none.key").fails(&["none.key: no such file"]);
    place.run("check f.anther one --key-file .").fails(&[".: cannot read"]);
    assert!(!place.names().contains(&"new.anther".to_string()));
}

#[test]
fn what_contradicts_itself_makes_nothing() {
    let place = Place::new();
    place.write("list.txt", "zz\n");
    let build = |options: &str| place.run(&format!("build f.anther list.txt {options}"));
    build("--keyed").fails(&["--keyed: needs a secret key", "--key-file", "ANTHER_KEY"]);
    build("--keyed --key-file f.key --seed 7").fails(&["--keyed", "--seed"]);
    build("--key-file f.key").fails(&["--key-file needs --keyed"]);
    build("--keyed --key-file f.anther").fails(&["f.anther: is both the filter and its key file"]);
    build("--keyed --key-file ./f.anther").fails(&["both the filter and its key"]);
    build("--keyed --key-file no/f.key").fails(&["no: no such folder"]);
    // A build that fails leaves no key behind.
    build("--keyed --key-file f.key --hex").fails(&["list.txt: line 1: \"zz\": not hexadecimal"]);
    build("--keyed --key-file f.key none.txt").fails(&["none.txt: no such file"]);
    assert_eq!(place.names(), ["list.txt"]);
}

#[cfg(unix)]
#[test]
fn a_key_without_a_filter_is_not_kept() {
    let place = Place::new();
    place.write("list.txt", "one\n");
    let build = "build f.anther list.txt --keyed --key-file f.key --items 100000";
    place.run_on_full_disk(build).fails(&["f.anther: cannot write"]);
    assert_eq!(place.names(), ["list.txt"]);
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let place = keyed("");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(place.join("f.key"), open).unwrap();
    let ran = place.run("check f.anther one --key-file f.key").code(0).prints("maybe\tone\n");
    ran.says(&["warning: f.key: other users can read this key (mode 644); chmod 600 f.key"]);
}

/// The key in the environment is for keyed filters; others ignore it.
#[test]
fn a_filter_without_a_key_pays_no_heed_to_the_environment() {
    let place = Place::new();
    place.build("plain.anther", "one\n");
    place.build("keyed.anther --keyed --key-file k.key", "two\n");
    for (name, value) in [("ANTHER_KEY_FILE", "nofile"), ("ANTHER_KEY", "zz")] {
        for verb in ["check", "check --map", "add", "measure --random 10"] {
            let mut command = place.command(verb.split_whitespace().chain(["plain.anther"]));
            let output =
                command.env(name, value).stdin(std::process::Stdio::null()).output().unwrap();
            assert_ne!(output.status.code(), Some(2), "{verb}: {output:?}");
        }
        let output = place.command(["check", "keyed.anther", "two"]).env(name, value).output();
        assert_eq!(output.unwrap().status.code(), Some(2), "{name}");
    }
    // Of several filters, those that have a key take it.
    let ran = place.run("check plain.anther --also keyed.anther --key-file k.key one two three");
    ran.code(0).prints("maybe\tplain.anther\tone\nmaybe\tkeyed.anther\ttwo\nno\t-\tthree\n");
    let ran = place.run("check plain.anther --key-file k.key one");
    ran.fails(&["plain.anther: is not keyed; leave --key-file out"]);
}
