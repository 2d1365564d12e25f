//! Clients that are slow or silent are cut, and nobody waits for them.

use super::client::Lab;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

/// What the server allows, and what a busy machine adds.
const LIMIT: Duration = Duration::from_secs(5 + 10);

/// Sends a beginning, then a byte now and then, until the server hangs up.
fn until_cut(mut stream: TcpStream, start: &[u8], then: &[u8]) -> (Duration, Vec<u8>) {
    let begin = Instant::now();
    stream.write_all(start).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (mut got, mut buffer, mut drip) = (Vec::new(), [0; 4096], then.iter().cycle());
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => got.extend(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if let Some(byte) = drip.next()
                    && stream.write_all(&[*byte]).is_err()
                {
                    break;
                }
            }
            Err(_) => break,
        }
        assert!(begin.elapsed() < 3 * LIMIT, "not cut");
    }
    (begin.elapsed(), got)
}

#[test]
fn slow_clients_are_cut_while_others_are_served() {
    let lab = Lab::start(&[]);
    let good = lab.posting("api/kinds", "application/json", b"{}");
    let end = good.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8(good[..end].to_vec()).unwrap();
    let long_body = head.replace("Content-Length: 2", "Content-Length: 20000");
    let file = long_body.replace("api/kinds", "api/file");
    let file = file.replace("application/json", "application/octet-stream");
    let chunked = head.replace("Content-Length: 2", "Transfer-Encoding: chunked");
    // Silent, and a byte five times per second: within headers, and within bodies, which end by the
    // time for all of it.
    let cases: [(&[u8], &[u8], u32); 9] = [
        (b"", b"", 1),
        (b"G", b"", 1),
        (b"", b"a", 1),
        (head.as_bytes()[..end - 2].as_ref(), b"", 1),
        (head.as_bytes()[..end - 2].as_ref(), b"X: y\r\n", 1),
        (long_body.as_bytes(), b"", 1),
        (long_body.as_bytes(), b" ", 2),
        (file.as_bytes(), b"", 1),
        (chunked.as_bytes(), b"", 1),
    ];
    thread::scope(|scope| {
        let slow: Vec<_> = cases
            .iter()
            .flat_map(|case| (0..4).map(move |_| case))
            .map(|(start, then, times)| {
                let stream = lab.connect();
                (scope.spawn(move || until_cut(stream, start, then)), start, times)
            })
            .collect();
        // Meanwhile.
        for _ in 0..20 {
            let begin = Instant::now();
            lab.is_well(&"slow clients");
            assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
        }
        for (slow, start, times) in slow {
            let (took, got) = slow.join().unwrap();
            let start = start.escape_ascii();
            assert!(took < LIMIT * *times, "{took:?}: {start}");
            assert!(!got.starts_with(b"HTTP/1.1 200"), "{start}");
        }
    });
    // Nothing of the file that did not come is kept.
    let folder = format!("tmp/{}", lab.litter()[0]);
    assert!(lab.place.names_in(&folder).is_empty());
    lab.is_well(&"all");
}

/// More silent clients than there are places: others wait until these are cut, and are served then.
#[test]
fn a_crowd_of_silent_clients_stops_nothing() {
    let lab = Lab::start(&[]);
    let crowd: Vec<_> = (0..200).map(|_| lab.connect()).collect();
    let begin = Instant::now();
    lab.is_well(&"a crowd");
    assert!(begin.elapsed() < 2 * LIMIT, "{:?}", begin.elapsed());
    drop(crowd);
}
