//! A server that lies: ten thousand answers of it, no panic, no hang, and no wrong answer.
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "../../tests/support/web_server.rs"]
mod web_server;

use super::*;
use anther::{AnyFilter, Filter, Key, Options, Save, Seed, Target, Work};
use std::net::TcpStream;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use web_server::{Request, Server, head, honest, multipart, send, send_last};

const TAG: &str = "\"version 1\"";

fn args() -> HttpArgs {
    HttpArgs {
        page: None,
        cache: None,
        no_cache: true,
        timeout: Some(5),
        retries: Some(0),
        ca: None,
        stats: false,
    }
}

fn file(kind: Kind, items: u64) -> (AnyFilter, Vec<u8>) {
    let mut keys: Vec<KeyHash> = (0..items).map(|i| i.key_hash(&Seed::FIXED)).collect();
    let (target, options) = (Target::new(items, 0.01).unwrap(), Options::default());
    let filter =
        AnyFilter::build(kind, &mut keys, target, &options, Seed::FIXED, Work::new()).unwrap();
    let bytes = Save::new().pages(true).bytes(&filter).unwrap();
    (filter, bytes)
}

/// SplitMix64.
fn mix(state: u64) -> u64 {
    let mut x = state.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The number of ways to lie.
const LIES: u64 = 40;

/// Answers with a lie. Some of them are no lies, but rare, and must be understood.
fn lie(way: u64, draw: u64, request: &Request, file: &[u8], stream: &mut TcpStream) -> bool {
    let len = file.len() as u64;
    let (top, mut body) = honest(request, file, TAG);
    let ranges = request.ranges(len);
    let first = ranges.first().cloned().unwrap_or(0..1);
    let at = |bytes: &[u8]| (draw % bytes.len().max(1) as u64) as usize;
    let partial = |range: &str, body: &[u8]| {
        head("206 Partial Content", TAG, body.len() as u64, &format!("Content-Range: {range}\r\n"))
    };
    let asked = format!("bytes {}-{}/{len}", first.start, first.end - 1);
    let bytes = |range: &Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    let several = |body: &[u8]| {
        let kind = "Content-Type: multipart/byteranges; boundary=BOUNDARY\r\n";
        head("206 Partial Content", TAG, body.len() as u64, kind)
    };
    match way {
        0 => send(stream, "SMTP ready\r\n\r\n", b""),
        1 => send(stream, &head("200 OK", TAG, len, ""), file),
        2 => send(stream, &head("206 Partial Content", TAG, body.len() as u64, ""), &body),
        3 => {
            let range = format!("bytes {}-{}/{len}", first.start + 1, first.end);
            send(stream, &partial(&range, &body), &body)
        }
        4 => {
            let range = format!("bytes {}-{}/{}", first.start, first.end - 1, len + draw % 9 + 1);
            send(stream, &partial(&range, &body), &body)
        }
        5 => {
            let range = format!("bytes {}-{}/{}", first.start, first.end - 1, u64::MAX);
            send(stream, &partial(&range, &body), &body)
        }
        6 => send(stream, &partial("bytes 0-18446744073709551615/*", &body), &body),
        7 => send(stream, &partial("bytes 99999999999999999999-5/3", &body), &body),
        8 => send(stream, &partial("lines 0-1/2", &body), &body),
        // Shorter than announced, and then the end.
        9 => send_last(stream, &top, &body[..at(&body)]),
        10 => send_last(stream, &top, b""),
        // Longer than announced: what follows is taken for the next answer.
        11 => send(stream, &top, &[&body[..], b"and more"].concat()),
        12 => {
            let top = top.replace("Content-Length: ", "Content-Length: 9");
            send_last(stream, &top, &body)
        }
        13 => send_last(stream, &top.replace("Content-Length", "Content-Length: 3\r\nX"), &body),
        // Changed bytes.
        14..=17 => {
            let at = at(&body);
            body[at] ^= 1 << (draw >> 32 & 7);
            send(stream, &top, &body)
        }
        18 => {
            // The bytes of another range under this one.
            let other = (first.start + 2048).min(len - (first.end - first.start));
            let body = bytes(&(other..other + (first.end - first.start)));
            send(stream, &partial(&asked, &body), &body)
        }
        19 => {
            let top = top.replace("ETag", "Content-Encoding: gzip\r\nETag");
            send(stream, &top, &body)
        }
        20 => {
            // Without end, until the client has had enough.
            let top = format!(
                "HTTP/1.1 206 Partial Content\r\nETag: {TAG}\r\nContent-Range: {asked}\r\n\
                 Transfer-Encoding: chunked\r\n\r\n"
            );
            let chunk = [&b"400\r\n"[..], &[0; 1024], b"\r\n"].concat();
            send(stream, &top, b"");
            while stream.write_all(&chunk).is_ok() {}
            false
        }
        21 => {
            // Headers without end.
            let _ = stream.write_all(b"HTTP/1.1 206 Partial Content\r\n");
            let line = [b'x'; 64];
            while stream.write_all(&line).is_ok() {}
            false
        }
        22 => send(stream, &head("302 Found", "", 0, "Location: file:///etc/passwd\r\n"), b""),
        23 => send(stream, &head("301 Moved", "", 0, "Location: /again\r\n"), b""),
        24 => send(stream, &head("307 Moved", "", 0, "Location: http://[::\r\n"), b""),
        25 => send(stream, &head("308 Moved", "", 0, ""), b""),
        26 => false,
        27 => {
            let top = top.replace(TAG, "\"version 2\"");
            send(stream, &top, &body)
        }
        28 => {
            let status = ["100 Go", "204 No", "304 Not", "404 No", "412 No", "416 No", "500 No"];
            let status = status[(draw % status.len() as u64) as usize];
            send(stream, &head(status, TAG, 0, ""), b"")
        }
        29 => {
            let noise: Vec<u8> = (0..400).flat_map(|i| mix(draw ^ i).to_le_bytes()).collect();
            send_last(stream, "", &noise)
        }
        30 => send_last(stream, "HTTP/1.1 206 \r\n", &[b'\r'; 70_000]),
        // Parts: of other ranges, too few, joined, in another order, with a wrong boundary.
        31 => {
            let parts = ranges.iter().map(|it| (it.start + 1..it.end + 1, bytes(it)));
            let body = multipart(parts, len);
            send(stream, &several(&body), &body)
        }
        32 => {
            let body = multipart(ranges.iter().take(1).map(|it| (it.clone(), bytes(it))), len);
            send(stream, &several(&body), &body)
        }
        33 => {
            let all = first.start..ranges.last().map_or(len, |last| last.end);
            let body = multipart([(all.clone(), bytes(&all))].into_iter(), len);
            send(stream, &several(&body), &body)
        }
        34 => {
            let body = multipart(ranges.iter().rev().map(|it| (it.clone(), bytes(it))), len);
            send(stream, &several(&body), &body)
        }
        35 => {
            let mut body = multipart(ranges.iter().map(|it| (it.clone(), bytes(it))), len);
            let at = at(&body);
            body[at] ^= 0x20;
            send(stream, &several(&body), &body)
        }
        36 => {
            let body = multipart(ranges.iter().map(|it| (it.clone(), bytes(it))), len);
            send_last(stream, &several(&body), &body[..at(&body)])
        }
        37 => {
            // Another file's bytes, twice, under the same ranges.
            let parts = ranges.iter().flat_map(|it| {
                [(it.clone(), vec![0; (it.end - it.start) as usize]), (it.clone(), bytes(it))]
            });
            let body = multipart(parts, len);
            send(stream, &several(&body), &body)
        }
        38 => {
            let body = multipart(ranges.iter().map(|it| (it.clone(), bytes(it))), len + 64);
            send(stream, &several(&body), &body)
        }
        _ => {
            let kind = "Content-Type: multipart/byteranges; boundary=\"\"\r\n";
            send(stream, &head("206 Partial Content", TAG, body.len() as u64, kind), &body)
        }
    }
}

#[test]
fn ten_thousand_lies_get_no_wrong_answer() {
    let begin = Instant::now();
    let lies = Arc::new(AtomicU64::new(0));
    let (right, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let kinds = [(Kind::Blocked, 800_000), (Kind::Fuse, 90_000), (Kind::Ribbon, 700_000)];
    std::thread::scope(|scope| {
        for (thread, (kind, items)) in (0..).zip(kinds) {
            let (lies, right, refused) = (Arc::clone(&lies), &right, &refused);
            scope.spawn(move || {
                let (filter, bytes) = file(kind, items);
                let keys: Vec<KeyHash> = (0..12u64)
                    .map(|i| (i * 999_983 % (2 * items)).key_hash(&Seed::FIXED))
                    .collect();
                let mut expected = vec![false; keys.len()];
                filter.contains_hashes(&keys, &mut expected);
                let (count, seen) = (Arc::clone(&lies), AtomicU64::new(thread << 32));
                let server = Server::start(move |request, stream| {
                    assert_eq!(request.method, "GET", "never HEAD");
                    let draw = mix(seen.fetch_add(1, Ordering::Relaxed));
                    // Half of the answers are honest, so that all sorts of requests are made.
                    if draw & 1 == 0 {
                        let (top, body) = honest(request, &bytes, TAG);
                        return send(stream, &top, &body);
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                    lie((draw >> 8) % LIES, draw >> 16, request, &bytes, stream)
                });
                let url = server.url("list.anther");
                while lies.load(Ordering::Relaxed) < 10_000 {
                    let opened = WebFilter::open(Path::new(&url), Open::new(), &args(), false);
                    match opened.and_then(|web| web.contains_hashes(&keys)) {
                        Ok(found) => {
                            assert_eq!(found, expected, "{kind}");
                            right.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(Stop::Error(message)) => {
                            assert!(message.starts_with(&url), "{message}");
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(Stop::BrokenPipe) => panic!("no pipe is here"),
                    }
                }
            });
        }
    });
    let (right, refused) = (right.into_inner(), refused.into_inner());
    println!("{right} right answers, {refused} errors, {:?}", begin.elapsed());
    assert!(right > 500 && refused > 2000, "{right} right, {refused} refused");
}

/// What each lie is called, once.
#[test]
fn every_lie_has_its_name() {
    let (_, bytes) = file(Kind::Blocked, 50_000);
    let keys: Vec<KeyHash> = (0..12u64).map(|i| i.key_hash(&Seed::FIXED)).collect();
    // The first answer is honest, or the lie.
    for (way, from, name) in [
        (0, 0, "does not speak HTTP"),
        (1, 0, "200 instead of 206"),
        (1, 1, ""),
        (2, 0, "no Content-Range"),
        (3, 0, "another range than was asked for"),
        (6, 0, "Content-Range: bytes 0-18446744073709551615/*"),
        (10, 0, "the answer ends after 0 of 16384 bytes"),
        (12, 0, "wrong length: 9"),
        (19, 0, "Content-Encoding: gzip"),
        (20, 0, "more than the 16384 bytes asked for"),
        (21, 0, "does not speak HTTP"),
        (22, 0, "redirects to file:///etc/passwd, which is not a web address"),
        (23, 0, "redirects more than 5 times"),
        (24, 0, "which is not a web address"),
        (25, 0, "redirects (308) without saying where"),
        (26, 0, "cannot be reached"),
        (14, 0, "checksum mismatch"),
        (14, 1, "checksum mismatch in the page"),
        (27, 1, "the file changes while keys are looked up"),
        (36, 1, "the answer ends after"),
        (31, 1, "another range than was asked for"),
        (35, 1, "checksum mismatch"),
        (38, 1, "the file changes while keys are looked up"),
    ] {
        let (bytes, seen) = (bytes.clone(), AtomicU64::new(0));
        let server = Server::start(move |request, stream| {
            let is_first = request.header("range") == Some("bytes=0-16383");
            seen.fetch_add(1, Ordering::Relaxed);
            match is_first && from > 0 {
                true => {
                    let (top, body) = honest(request, &bytes, TAG);
                    send(stream, &top, &body)
                }
                false => lie(way, 5000, request, &bytes, stream),
            }
        });
        let url = server.url("list.anther");
        let opened = WebFilter::open(Path::new(&url), Open::new(), &args(), false);
        match opened.and_then(|web| web.contains_hashes(&keys)) {
            Err(Stop::Error(message)) if !name.is_empty() => {
                assert!(message.contains(name), "{way}: {message}");
            }
            // A server that takes one range at a time is no liar, until it takes none.
            Err(Stop::Error(message)) => assert!(message.contains("changes"), "{way}: {message}"),
            other => panic!("{way}: {:?}", other.ok()),
        }
    }
}

#[test]
fn a_slow_server_is_given_up() {
    let (_, bytes) = file(Kind::Blocked, 50_000);
    let server = Server::start(move |request, stream| {
        let (top, body) = honest(request, &bytes, TAG);
        // A byte in a while, so that something always comes.
        send(stream, &top, b"")
            && body.iter().all(|byte| {
                std::thread::sleep(Duration::from_millis(100));
                stream.write_all(&[*byte]).is_ok()
            })
    });
    let begin = Instant::now();
    let url = server.url("slow.anther");
    let args = HttpArgs { timeout: Some(1), ..args() };
    let opened = WebFilter::open(Path::new(&url), Open::new(), &args, false);
    match opened {
        Err(Stop::Error(message)) => assert!(message.contains("within 1 s"), "{message}"),
        _ => panic!("a file in three hours"),
    }
    assert!(begin.elapsed() < Duration::from_secs(30));
}
