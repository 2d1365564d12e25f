//! A web server for one file, in threads of the test, that can be told to lie.
#![allow(clippy::allow_attributes, dead_code, reason = "not every test uses everything")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A request.
pub struct Request {
    pub method: String,
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The ranges that it asks for, of a file of this length.
    pub fn ranges(&self, len: u64) -> Vec<Range<u64>> {
        let list = self.header("range").and_then(|it| it.strip_prefix("bytes=")).unwrap_or("");
        let range = |text: &str| {
            let (first, last) = text.split_once('-')?;
            let last: u64 = last.parse().ok()?;
            Some(first.parse().ok()?..(last + 1).min(len))
        };
        list.split(',').filter_map(|text| range(text.trim())).filter(|it| !it.is_empty()).collect()
    }
}

/// A server that runs until it is dropped.
pub struct Server {
    pub address: SocketAddr,
    ends: Arc<AtomicBool>,
}

impl Server {
    /// `answer` writes an answer, and returns whether the connection stays open.
    pub fn start(
        answer: impl Fn(&Request, &mut TcpStream) -> bool + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (ends, answer) = (Arc::new(AtomicBool::new(false)), Arc::new(answer));
        let until = Arc::clone(&ends);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if until.load(Ordering::Relaxed) {
                    break;
                }
                let (Ok(stream), answer) = (stream, Arc::clone(&answer)) else { continue };
                thread::spawn(move || serve(stream, &*answer));
            }
        });
        Server { address, ends }
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: TcpStream, answer: &(dyn Fn(&Request, &mut TcpStream) -> bool + Send + Sync)) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let Ok(reader) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reader);
    while let Some(request) = read(&mut reader) {
        if !answer(&request, &mut stream) {
            break;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.by_ref().take(1 << 16).read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_string(), words.next()?.to_string());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(1 << 16).read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
    }
    Some(Request { method, target, headers })
}

/// What an honest server answers, with the headers apart from the body.
pub fn honest(request: &Request, file: &[u8], tag: &str) -> (String, Vec<u8>) {
    let len = file.len() as u64;
    let ranges = request.ranges(len);
    let is_current = request.header("if-range").is_none_or(|it| it == tag);
    match &ranges[..] {
        [] => (head("200 OK", tag, len, ""), file.to_vec()),
        _ if !is_current => (head("200 OK", tag, len, ""), file.to_vec()),
        [one] => {
            let range = format!("Content-Range: bytes {}-{}/{len}\r\n", one.start, one.end - 1);
            (
                head("206 Partial Content", tag, one.end - one.start, &range),
                part(file, one).to_vec(),
            )
        }
        many => {
            let parts = many.iter().map(|range| (range.clone(), part(file, range).to_vec()));
            let body = multipart(parts, len);
            let kind = "Content-Type: multipart/byteranges; boundary=BOUNDARY\r\n";
            (head("206 Partial Content", tag, body.len() as u64, kind), body)
        }
    }
}

/// Some bytes of a file.
pub fn part<'f>(file: &'f [u8], range: &Range<u64>) -> &'f [u8] {
    let index = |at: u64| usize::try_from(at).expect("it is in memory");
    &file[index(range.start)..index(range.end)]
}

/// Several ranges as one body.
pub fn multipart(parts: impl Iterator<Item = (Range<u64>, Vec<u8>)>, len: u64) -> Vec<u8> {
    let mut body = Vec::new();
    for (range, bytes) in parts {
        let (first, last) = (range.start, range.end - 1);
        let head = format!("\r\n--BOUNDARY\r\nContent-Range: bytes {first}-{last}/{len}\r\n\r\n");
        body.extend(head.as_bytes());
        body.extend(bytes);
    }
    body.extend(b"\r\n--BOUNDARY--\r\n");
    body
}

/// The head of an answer.
pub fn head(status: &str, tag: &str, len: u64, more: &str) -> String {
    let tag = if tag.is_empty() { String::new() } else { format!("ETag: {tag}\r\n") };
    format!("HTTP/1.1 {status}\r\n{tag}Content-Length: {len}\r\n{more}\r\n")
}

/// Writes an answer. Returns whether the client took it.
pub fn send(stream: &mut TcpStream, head: &str, body: &[u8]) -> bool {
    let bytes = [head.as_bytes(), body].concat();
    stream.write_all(&bytes).and_then(|()| stream.flush()).is_ok()
}

/// The same, and the connection ends.
pub fn send_last(stream: &mut TcpStream, head: &str, body: &[u8]) -> bool {
    send(stream, head, body);
    false
}
