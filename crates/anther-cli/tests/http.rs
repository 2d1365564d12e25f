//! `anther check https://…`: filters on a web server. What a server can do wrong is in
//! `src/http/tests.rs`, and a real one in `cargo xtask test web`.

use crate::support::Place;
use crate::support::web_server::{Request, Server, head, honest, part, send, send_last};
use std::fs;
use std::net::TcpStream;
#[cfg(unix)]
use std::process::Command;
use std::sync::{Arc, Mutex};

/// What a server serves, and what it was asked for.
#[derive(Default)]
struct Served {
    file: Vec<u8>,
    tag: String,
    ranges: Vec<usize>,
}

type Shared = Arc<Mutex<Served>>;

/// An honest server of one file.
fn serve(place: &Place, name: &str) -> (Server, Shared) {
    let served = Served { file: place.read(name), tag: "\"1\"".to_string(), ranges: Vec::new() };
    let served = Arc::new(Mutex::new(served));
    let server = start(&served, |_, _, _| None);
    (server, served)
}

/// A server that answers in its own way, where it has one.
fn start(
    served: &Shared,
    own: impl Fn(&Request, &Served, &mut TcpStream) -> Option<bool> + Send + Sync + 'static,
) -> Server {
    let served = Arc::clone(served);
    Server::start(move |request, stream| {
        let mut served = served.lock().expect("no panic");
        let count = request.ranges(u64::MAX - 1).len();
        served.ranges.push(count);
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        own(request, &served, stream).unwrap_or_else(|| {
            let (top, body) = honest(request, &served.file, &served.tag);
            send(stream, &top, &body)
        })
    })
}

/// How many requests there were since the last call.
fn requests(served: &Shared) -> usize {
    std::mem::take(&mut served.lock().expect("no panic").ranges).len()
}

fn numbers(range: std::ops::Range<u64>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

#[test]
fn answers_are_those_of_the_file() {
    let place = Place::new();
    for kind in ["blocked", "split", "fuse", "ribbon"] {
        place.build(&format!("f.anther --pages --force --kind {kind}"), numbers(0..100_000));
        let (server, served) = serve(&place, "f.anther");
        let url = server.url("f.anther");
        for options in ["", "-v", "-c", "-n", "--json", "--json -c", "--page 64"] {
            let input = numbers(99_000..103_000);
            let local = options.replace("--page 64", "");
            let here = place.run_on(&format!("check f.anther {local}"), &input).code(0);
            let there = place.run_on(&format!("check {url} {options}"), &input).code(0);
            assert_eq!(there.out, here.out, "{kind} {options}");
            assert_eq!(there.err.contains("not verified"), options == "--page 64", "{}", there.err);
        }
        let keys = "7 99999 x yes";
        let here = place.run(&format!("check f.anther {keys}")).code(0);
        requests(&served);
        let there = place.run(&format!("check {url} {keys} --stats")).code(0);
        assert_eq!(there.out, here.out, "{kind}");
        assert_eq!(requests(&served), 1, "{kind}: the cache knows the rest");
        assert!(there.err.contains(": 1 request, "), "{}", there.err);
        let none = place.run(&format!("check {url} nothing at all --no-cache -q"));
        assert_eq!(none.code, place.run("check f.anther nothing at all -q").code, "{kind}");
    }
}

#[test]
fn keyed_filters_and_recipes_work_as_in_files() {
    let place = Place::new();
    place.write("people.csv", "id,mail\n1,Ann@example.org\n2,bob@example.org\n");
    place
        .run("build p.anther people.csv --column mail --ignore-case --keyed --key-file k --pages")
        .code(0);
    let (server, _served) = serve(&place, "p.anther");
    let url = server.url("p.anther");
    let asked = "id,mail\n7,ANN@example.org\n8,eve@example.org\n";
    let found = place.run_on(&format!("check {url} --key-file k"), asked).code(0);
    assert_eq!(found.out, b"id,mail\n7,ANN@example.org\n");
    let refused = place.run(&format!("check {url} ann@example.org")).code(2);
    assert!(refused.err.contains("needs its secret key"), "{}", refused.err);
    let mut command = place.command(["check", &url, "ann@example.org"]);
    command.env("ANTHER_KEY_FILE", place.join("k"));
    assert!(command.output().expect("it runs").status.success());

    // With other filters, and with the list itself.
    place.build("a.anther --as int --pages", numbers(0..5000));
    place.build("b.anther --as int", numbers(4000..9000));
    let (server, _served) = serve(&place, "a.anther");
    let url = server.url("a.anther");
    let both = place.run(&format!("check b.anther --also {url} 0004500")).code(0);
    assert_eq!(both.out, format!("maybe\tb.anther,{url}\t0004500\n").as_bytes());
    place.write("list.txt", numbers(0..5000));
    let exact = place.run(&format!("check {url} --confirm list.txt 17 777777")).code(0);
    assert_eq!(exact.out, b"yes\t17\nno\t777777\n");
    place.run(&format!("check {url} --expect list.txt 17")).code(0);
    place.write("other.txt", numbers(100_000..100_500));
    let missing = place.run(&format!("check {url} --expect other.txt 17")).code(2);
    assert!(missing.err.contains("expected keys are missing"), "{}", missing.err);
}

#[test]
fn the_cache_is_never_older_than_the_file() {
    let place = Place::new();
    place.build("f.anther --pages", numbers(0..100_000));
    place.build("g.anther --pages", numbers(50_000..200_000));
    place.build("small.anther --pages", numbers(0..10));
    let (server, served) = serve(&place, "f.anther");
    let url = server.url("f.anther");
    let check = |keys: &str| place.run(&format!("check {url} --cache c {keys}"));
    // Not all of them in the first 16 KiB.
    check("1 2 3 4 5 6 7").code(0);
    assert_eq!(requests(&served), 2);
    check("8").code(0);
    assert_eq!(requests(&served), 1);
    let [cached] = &place.names_in("c")[..] else { panic!("{:?}", place.names_in("c")) };

    // Another file under the same name, and the cache knows the old one.
    let change = |name: &str, tag: &str| {
        let mut served = served.lock().expect("no panic");
        (served.file, served.tag) = (place.read(name), tag.to_string());
    };
    change("g.anther", "\"2\"");
    assert_eq!(check("7 150000").code(0).out, b"no\t7\nmaybe\t150000\n");
    requests(&served);
    assert_eq!(check("150000").code(0).out, b"maybe\t150000\n");
    assert_eq!(requests(&served), 1, "the cache is renewed");
    // One that is in the first bytes as a whole.
    change("small.anther", "\"3\"");
    check("7").code(0);
    change("f.anther", "\"4\"");
    assert_eq!(check("99999").code(0).out, b"maybe\t99999\n");

    // A damaged cache is ignored, and written anew.
    let path = place.join("c").join(cached);
    let whole = fs::read(&path).expect("read");
    for (at, bytes) in [
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
        whole.iter().map(|byte| byte ^ 1).collect(),
        vec![0; 1 << 16],
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&path, bytes).expect("written");
        assert_eq!(check("7").code(0).out, b"maybe\t7\n", "{at}");
        assert!(fs::read(&path).expect("read") == whole, "{at}");
    }
    // Without a tag nothing is kept, and the file is read all the same.
    change("f.anther", "");
    fs::remove_file(&path).expect("removed");
    assert_eq!(check("7").code(0).out, b"maybe\t7\n");
    assert_eq!(place.names_in("c").len(), 0);
    // A folder that cannot be made is worth a warning, and no more.
    change("f.anther", "\"5\"");
    place.write("no-folder", "");
    let warned = place.run(&format!("check {url} --cache no-folder 7")).code(0);
    assert!(warned.err.contains("warning: no-folder: cannot be written"), "{}", warned.err);
}

#[test]
fn a_rebuilt_filter_makes_the_cache_start_anew() {
    let place = Place::new();
    place.build("old.anther --pages --seed 1", numbers(0..100_000));
    place.build("new.anther --pages --seed 2 --as int", numbers(50_000..200_000));
    place.write("few.txt", numbers(150_000..150_010));
    let (server, served) = serve(&place, "old.anther");
    let url = server.url("f.anther");
    let known =
        [("150000", ""), ("150000 7", ""), ("", "150000\n"), ("--expect few.txt 0150000", "")];
    for (at, (keys, input)) in known.iter().enumerate() {
        let change = |name: &str, tag: String| {
            let mut served = served.lock().expect("no panic");
            (served.file, served.tag) = (place.read(name), tag);
        };
        change("old.anther", format!("\"old {at}\""));
        place.run(&format!("check {url} --cache c 7")).code(0);
        change("new.anther", format!("\"new {at}\""));
        requests(&served);
        let check = format!("check {url} --cache c {keys} --stats");
        let found = place.run_on(&check, input).code(0);
        let local = check.replace(&url, "new.anther").replace("--cache c", "");
        let local = local.replace("--stats", "");
        assert_eq!(found.out, place.run_on(&local, input).code(0).out, "{keys}");
        let count = requests(&served);
        assert!(found.err.contains(&format!(": {count} requests, ")), "{count}: {}", found.err);
        assert_eq!(place.run_on(&check, input).code(0).out, found.out, "{keys}: renewed");
    }
    // In the middle of a stream, lines were hashed for the old one.
    let change = Mutex::new(0);
    let (old, new) = (place.read("old.anther"), place.read("new.anther"));
    let server = start(&served, move |request, _, stream| {
        let mut count = change.lock().expect("no panic");
        *count += 1;
        let (file, tag) = if *count <= 1 { (&old, "\"a\"") } else { (&new, "\"b\"") };
        let (top, body) = honest(request, file, tag);
        Some(send(stream, &top, &body))
    });
    let url = server.url("f.anther");
    let replaced = place.run_on(&format!("check {url} --no-cache"), numbers(0..1000)).code(2);
    assert!(replaced.err.contains("another seed or other keys; start check again"));
}

#[test]
fn each_page_is_fetched_once() {
    let place = Place::new();
    place.build("f.anther --pages", numbers(0..200_000));
    let (server, _served) = serve(&place, "f.anther");
    let url = server.url("f.anther");
    let input = numbers(180_000..240_000);
    let here = place.run_on("check f.anther", &input).code(0).out;
    let len = place.read("f.anther").len() as u64;
    for page in ["2048", "64"] {
        let check = format!("check {url} --no-cache --stats --json -c --page {page}");
        let there = place.run_on(&check, &input).code(0);
        let stats = there.err.lines().last().expect("a line");
        let stats: serde_json::Value = serde_json::from_str(stats).expect("JSON");
        let cells = stats["cells"].as_u64().expect("a number");
        assert!(cells <= len, "{page}: {cells} bytes of a file of {len}");
        let maybe = here.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(there.json()["maybe"], maybe, "{page}");
    }
}

#[test]
#[cfg(unix)]
fn a_fifo_is_no_cache() {
    let place = Place::new();
    place.build("f.anther --pages", numbers(0..1000));
    let (server, _served) = serve(&place, "f.anther");
    let url = server.url("f.anther");
    let check = || place.run(&format!("check {url} --cache c 7")).code(0);
    assert_eq!(check().err, "");
    let [cached] = &place.names_in("c")[..] else { panic!("{:?}", place.names_in("c")) };
    let path = place.join("c").join(cached);
    for make in ["mkfifo", "mkdir"] {
        let _ = fs::remove_file(&path);
        assert!(Command::new(make).arg(&path).status().expect(make).success());
        let warned = check();
        assert_eq!(warned.out, b"maybe\t7\n");
        assert!(warned.err.contains("is not a regular file, so nothing is cached"), "{make}");
        assert!(!fs::metadata(&path).expect("still there").is_file(), "{make}");
    }
}

#[test]
fn servers_of_all_sorts_are_understood() {
    let place = Place::new();
    place.build("f.anther --pages", numbers(0..100_000));
    let input = numbers(99_990..100_090);
    let here = place.run_on("check f.anther", &input).code(0).out;
    let served = serve(&place, "f.anther").1;
    let ask = |server: &Server, what: &str| {
        let url = server.url("f.anther");
        let there = place.run_on(&format!("check {url} --no-cache"), &input);
        assert_eq!((there.code, &there.err[..]), (0, ""), "{what}");
        assert_eq!(there.out, here, "{what}");
        requests(&served)
    };
    let few = ask(&start(&served, |_, _, _| None), "several ranges at once");
    assert!(few <= 3, "{few} requests");
    // S3 and others send the whole file if they are asked for several ranges.
    let single = start(&served, |request, served, stream| {
        let several = request.ranges(u64::MAX - 1).len() > 1;
        let top = head("200 OK", &served.tag, served.file.len() as u64, "");
        several.then(|| send(stream, &top, &served.file))
    });
    let many = ask(&single, "one range at a time");
    assert!((6..=103).contains(&many), "{many} requests");
    // Others refuse them.
    for status in ["400 Bad Request", "416 Range Not Satisfiable", "501 Not Implemented"] {
        let refusing = start(&served, move |request, served, stream| {
            let several = request.ranges(u64::MAX - 1).len() > 1;
            several.then(|| send(stream, &head(status, &served.tag, 0, ""), b""))
        });
        let many = ask(&refusing, status);
        assert!((6..=103).contains(&many), "{status}: {many} requests");
    }
    // Some send the first range alone.
    let first = start(&served, |request, served, stream| {
        let len = served.file.len() as u64;
        let range = request.ranges(len).swap_remove(0);
        let more = format!("Content-Range: bytes {}-{}/{len}\r\n", range.start, range.end - 1);
        let top = head("206 Partial Content", &served.tag, range.end - range.start, &more);
        Some(send(stream, &top, part(&served.file, &range)))
    });
    assert!(ask(&first, "the first range") >= 5);
    let moved = start(&served, |request, _, stream| {
        let is_old = request.target == "/f.anther";
        is_old.then(|| send(stream, &head("302 Found", "", 0, "Location: /new/place\r\n"), b""))
    });
    let redirected = ask(&moved, "a redirect");
    assert!(redirected <= few + 1, "the new place is remembered: {redirected}");
    // Busy twice, and then there. Each connection ends with its answer.
    let tries = Mutex::new(0);
    let busy = start(&served, move |request, served, stream| {
        let mut tries = tries.lock().expect("no panic");
        *tries += 1;
        if *tries <= 2 {
            return Some(send(stream, &head("503 Busy", "", 0, ""), b""));
        }
        let (top, body) = honest(request, &served.file, &served.tag);
        Some(send_last(stream, &top.replace("ETag", "Connection: close\r\nETag"), &body))
    });
    ask(&busy, "a busy server");
    served.lock().expect("no panic").tag = String::new();
    ask(&start(&served, |_, _, _| None), "no entity tag");
}

#[test]
fn what_cannot_be_done_is_said() {
    let place = Place::new();
    place.build("plain.anther", numbers(0..50_000));
    place.build("classic.anther --kind classic", numbers(0..50_000));
    place.build("range.anther --kind range --span 10 --as int", numbers(0..50_000));
    place.write("page.html", "<!doctype html><title>Not found</title>");
    let says = |name: &str, options: &str, message: &str| {
        let (server, _served) = serve(&place, name);
        let ran = place.run(&format!("check {} 7 {options}", server.url(name))).code(2);
        assert!(ran.err.contains(message), "{name} {options}: {}", ran.err);
        assert!(ran.err.starts_with("anther: ") && ran.out.is_empty());
    };
    says("plain.anther", "", "anther convert OUT FILTER --pages, or fetch lines");
    says("classic.anther", "", "rebuild it as blocked, split, fuse or ribbon");
    says("range.anther", "", "is a range filter, which is not read over the web");
    says("page.html", "", "not an anther filter");
    says("plain.anther", "--map", "--map: is for files");
    if cfg!(feature = "https") {
        says("plain.anther", "--ca page.html", "page.html: has no certificates");
        says("plain.anther", "--ca nothing", "nothing: cannot read");
    } else {
        says("plain.anther", "--ca page.html", "page.html: this program was built without https");
    }
    let https = if cfg!(feature = "https") { "cannot be reached: " } else { "--features https" };
    for (address, message) in [
        ("http://127.0.0.1:1/f", "cannot be reached: "),
        ("https://127.0.0.1:1/f", https),
        ("http://", "not a web address"),
    ] {
        let ran = place.run(&format!("check {address} 7 --retries 0")).code(2);
        assert!(ran.err.contains(message), "{address}: {}", ran.err);
    }
    for (options, message) in [
        ("http://127.0.0.1:1/f 7 --entry x", "--entry: is for files of other systems"),
        ("http://127.0.0.1:1/f 7 --from guava", "--from: is for files of other systems"),
        ("plain.anther 7 --page 64", "--page: is for filters on the web, and plain.anther is not"),
        ("plain.anther 7 --page 2048", "--page: is for"),
        ("plain.anther 7 --stats", "--stats: is for"),
        ("plain.anther 7 --no-cache", "--no-cache: is for"),
        ("plain.anther 7 --cache c", "--cache: is for"),
        ("plain.anther 7 --ca x.pem", "--ca: is for"),
        ("plain.anther 7 --timeout 30", "--timeout: is for"),
        ("plain.anther 7 --retries 2", "--retries: is for"),
    ] {
        let ran = place.run(&format!("check {options}")).code(2);
        assert!(ran.err.contains(message), "{options}: {}", ran.err);
    }
    for verb in ["info", "verify", "count", "get", "draw", "measure --random 10"] {
        let ran = place.run(&format!("{verb} http://127.0.0.1:1/f.anther")).code(2);
        let expected = "http://127.0.0.1:1/f.anther: is on the web, where only anther check reads";
        assert!(ran.err.contains(expected), "{verb}: {}", ran.err);
    }
    place.run("check http://127.0.0.1:1/f --reload").code(2);
    place.run("check http://127.0.0.1:1/f 7 --page 128").code(2);
}

#[test]
fn files_get_and_keep_their_pages() {
    let place = Place::new();
    place.build("f.anther --items 50000", numbers(0..10_000));
    place.run("convert w.anther f.anther --pages -q").code(0);
    assert!(anther::Open::has_pages(place.join("w.anther")).expect("a filter"));
    let refused = place.run_on("add --shared w.anther", "7\n").code(2);
    assert!(
        refused.err.contains("leave --shared out, or write it without them"),
        "{}",
        refused.err
    );
    place.run_on("add w.anther", "abc\n").code(0);
    assert!(anther::Open::has_pages(place.join("w.anther")).expect("a filter"));
    assert_eq!(place.run("check w.anther abc 7").code(0).out, b"maybe\tabc\nmaybe\t7\n");
    place.run("verify w.anther").code(0);
    place.run("convert again.anther w.anther -q").code(0);
    place.run_on("add f.anther", "abc\n").code(0);
    assert!(place.read("again.anther") == place.read("f.anther"), "as before, byte for byte");
    for options in ["--kind classic", "--kind range --as int", "--to guava64", "--exact --as int"] {
        let ran = place.run_on(&format!("build no.anther --pages {options}"), "1\n").code(2);
        assert!(ran.err.contains("--pages"), "{options}: {}", ran.err);
    }
    place.build("c.anther --kind classic", "1\n");
    place.run("convert no.anther c.anther --pages").code(2);
}
