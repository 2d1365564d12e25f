//! `anther lab`: the page's server, with the real program and bare sockets. What the page shows is
//! tested in a browser.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests: a panic is the message")]

#[path = "../support/mod.rs"]
mod support;

mod client;
mod dropped;
mod hostile;
mod slow;

use client::{Lab, Reply};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use support::{Place, exit_code, have, signal, until};

#[test]
fn arguments_are_checked() {
    let place = Place::new();
    place.run("lab --port 70000").fails(&["70000", "--port"]);
    place.run_args(["lab", "--state", "#a b"], "").fails(&["' ' is not for addresses"]);
    place.run("lab here").fails(&["here"]);
}

#[test]
fn the_address_is_printed_and_serves_the_page() {
    let lab = Lab::start(&[]);
    let page = lab.get("");
    assert_eq!(page.status, 200);
    assert!(page.text().starts_with("<!doctype html>"), "{}", page.text());
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; ",
        "cache-control: no-store",
        "content-type: text/html; charset=utf-8",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-resource-policy: same-origin",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
    ] {
        assert!(page.head.contains(header), "{header} is not in {}", page.head);
    }
    let kinds = lab.post("api/kinds", "{}").json();
    assert_eq!(kinds.as_array().map(Vec::len), Some(anther::Kind::ALL.len()));
}

/// What the page loads is there, and what is there is loaded: no file is forgotten.
#[test]
fn every_file_of_the_page_is_served() {
    let lab = Lab::start(&[]);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../anther-lab/page");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let address = if name == "index.html" { "" } else { &name };
        let reply = lab.get(address);
        assert_eq!((reply.status, &reply.body), (200, &fs::read(&path).unwrap()), "{name}");
        names.push((name, reply));
    }
    for (name, reply) in &names {
        for import in reply.text().replace("import('./", " from './").split(" from './").skip(1) {
            let import = import.split('\'').next().unwrap();
            assert!(names.iter().any(|(known, _)| known == import), "{name} imports {import}");
        }
    }
}

#[test]
fn the_state_is_in_the_address() {
    let lab = Lab::start(&["--state", "#tab=plan&items=10M"]);
    assert!(lab.address.ends_with("/#tab=plan&items=10M"), "{}", lab.address);
    assert_eq!(lab.get("").status, 200);
}

#[test]
fn the_address_can_be_json() {
    let lab = Lab::start(&["--json"]);
    assert_eq!(lab.get("").status, 200);
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ran = Place::new().run(&format!("lab --no-open --port {port}"));
    ran.fails(&[&format!("port {port}: "), "choose another port"]);
}

/// Only loopback: the same port of another address of the machine has no server.
#[test]
fn it_listens_on_loopback_only() {
    let lab = Lab::start(&[]);
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let listening = |line: &&str| line.split_whitespace().nth(3) == Some("0A");
    let port = format!(":{:04X}", lab.port);
    let local = table.lines().filter(listening);
    let local = local.filter_map(|line| line.split_whitespace().nth(1));
    let local: Vec<_> = local.filter(|address| address.ends_with(&port)).collect();
    assert_eq!(local, [format!("0100007F{port}")]);
    let six = fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    let mut six = six.lines().filter(listening);
    assert!(!six.any(|line| line.contains(&port)));
}

/// A browser gets an address that works once: others can read its arguments.
#[test]
fn the_browser_gets_a_ticket() {
    let place = Place::new();
    place.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
    let script = place.join("bin/xdg-open");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let lab = Lab::start_in(place, &["--state", "tab=look"], |command, place| {
        command.env("PATH", place.join("bin")).env("DISPLAY", ":0");
    });
    let opened = || fs::read_to_string(lab.place.join("opened")).ok();
    let opened = until("the browser", || opened().filter(|text| text.ends_with('\n')));
    let opened = opened.trim();
    assert!(opened.ends_with("/#tab=look") && !opened.contains(&lab.token), "{opened}");
    let path = opened.strip_prefix(&format!("http://127.0.0.1:{}/", lab.port)).unwrap();
    let (ticket, _) = path.split_once('/').unwrap();
    let ask = |path: &str| {
        lab.raw(format!("GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", lab.port))
    };
    assert_eq!(Reply::of(&ask(&format!("{ticket}/main.js"))).unwrap().status, 404);
    let first = Reply::of(&ask(&format!("{ticket}/"))).unwrap();
    assert_eq!(first.status, 303);
    assert!(first.head.contains(&format!("location: /{}/", lab.token)), "{}", first.head);
    assert_eq!(Reply::of(&ask(&format!("{ticket}/"))).unwrap().status, 404);
}

#[test]
fn signals_end_it_without_litter() {
    if !have("sh") {
        return;
    }
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let mut lab = Lab::start(&[]);
        lab.drop_file(b"one\ntwo\n");
        assert_eq!(lab.litter().len(), 1);
        signal(name, lab.child.id());
        assert_eq!(exit_code(&mut lab.child), code);
        assert!(lab.litter().is_empty(), "{:?}", lab.litter());
    }
}

/// Nobody else can read what was dropped.
#[test]
fn dropped_files_are_private() {
    let lab = Lab::start(&[]);
    lab.drop_file(b"one\ntwo\n");
    let folder = lab.place.join("tmp").join(&lab.litter()[0]);
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
}
