//! As much of HTTP/1.1 as the demonstrations need: a server and a client whose connections last.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const LONGEST_LINE: u64 = 16 << 10;
const MOST_HEADERS: usize = 100;
const LONGEST_BODY: u64 = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

const EXPIRES: &str = "Expires: Fri, 01 Jan 2100 00:00:00 GMT";

/// A request.
#[derive(Debug)]
pub struct Request {
    /// The method and the target.
    pub line: (String, String),
    /// Names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Whether it has this header with this value.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.headers.iter().any(|(one, is)| one == name && is == value)
    }
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Response {
    /// An answer that has nothing but its status.
    pub fn empty(status: u16) -> Response {
        Response { status, body: Vec::new() }
    }
}

/// Listens on a free port of the loopback interface, and prints the port for the parent.
pub fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    writeln!(io::stdout(), "{}", listener.local_addr()?.port())?;
    Ok(listener)
}

/// Answers requests, a thread per connection, as long as the process lives.
pub fn serve(listener: TcpListener, answer: impl Fn(Request) -> Response + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            // A connection that breaks concerns nobody else.
            thread::spawn(move || converse(stream, &*answer));
        }
    });
}

fn converse(stream: TcpStream, answer: &dyn Fn(Request) -> Response) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(message) = Message::read(&mut reader, false)? {
        let mut words = message.start.split(' ').map(str::to_string);
        let (Some(method), Some(target)) = (words.next(), words.next()) else { break };
        let Message { headers, body, .. } = message;
        let Response { status, body } = answer(Request { line: (method, target), headers, body });
        // `max-age` would count from the date, which a server without a clock does not send.
        let head =
            format!("HTTP/1.1 {status} _\r\n{EXPIRES}\r\nContent-Length: {}\r\n\r\n", body.len());
        // In one packet: in two, the second waits for an acknowledgement.
        reader.get_mut().write_all(&[head.as_bytes(), &body].concat())?;
    }
    Ok(())
}

/// A connection to a server on the loopback interface.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<TcpStream>,
    /// Bytes of requests and of answers so far.
    pub bytes: (u64, u64),
}

impl Client {
    /// Connects.
    pub fn new(port: u16) -> io::Result<Client> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Client { reader: BufReader::new(stream), bytes: (0, 0) })
    }

    /// Sends a request, and returns the answer. `headers` are whole lines, each with its `\r\n`.
    pub fn send(&mut self, line: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        let length = body.len();
        let head = format!(
            "{line} HTTP/1.1\r\nHost: pages.example\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        self.reader.get_mut().write_all(&[head.as_bytes(), body].concat())?;
        self.bytes.0 += (head.len() + body.len()) as u64;
        let message = Message::read(&mut self.reader, true)?.ok_or(ErrorKind::UnexpectedEof)?;
        self.bytes.1 += message.bytes;
        let status = message.start.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("an answer without a status"))?;
        Ok(Response { status, body: message.body })
    }

    /// `GET`, without further headers.
    pub fn get(&mut self, target: &str) -> io::Result<Response> {
        self.send(&format!("GET {target}"), "", &[])
    }
}

/// A request or an answer as it comes.
struct Message {
    start: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    bytes: u64,
}

impl Message {
    /// Reads a message; none if the connection has ended before. An answer without a length lasts
    /// until the connection ends.
    fn read(reader: &mut impl BufRead, is_answer: bool) -> io::Result<Option<Message>> {
        let mut bytes = 0;
        let mut line = || -> io::Result<String> {
            let mut line = String::new();
            bytes += reader.take(LONGEST_LINE).read_line(&mut line)? as u64;
            Ok(line)
        };
        let start = line()?;
        if start.is_empty() {
            return Ok(None);
        }
        let mut headers = Vec::new();
        loop {
            let header = line()?;
            let header = header.trim_end();
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').ok_or(ErrorKind::InvalidData)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
            if headers.len() > MOST_HEADERS {
                return Err(io::Error::other("too many headers"));
            }
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = match length.map(|(_, length)| length.parse::<u64>()) {
            Some(Ok(length)) if length <= LONGEST_BODY => Some(length),
            Some(_) => return Err(io::Error::other("a body that is too long")),
            None => is_answer.then_some(LONGEST_BODY),
        };
        let is_open = is_answer && headers.iter().all(|(name, _)| name != "content-length");
        let mut body = Vec::new();
        reader.take(length.unwrap_or(0)).read_to_end(&mut body)?;
        if !is_open && (body.len() as u64) < length.unwrap_or(0) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes += body.len() as u64;
        Ok(Some(Message { start: start.trim_end().to_string(), headers, body, bytes }))
    }
}
