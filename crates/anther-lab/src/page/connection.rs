//! A connection of HTTP/1.1: heads of requests come in, and answers go out, one after the other.
//!
//! httparse finds the parts of a head, and the types of `http` judge each of them.

use crate::page::answer::Answer;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// What a browser sends is a tenth of it.
const HEADER_BYTES: usize = 16 << 10;

/// A browser sends about fifteen.
const HEADERS: usize = 64;

/// Between connecting, or the last answer, and the end of the next header. A browser connects again
/// when it has to.
const HEADER_TIME: Duration = Duration::from_secs(5);

/// How long an answer may take to be read: a reader may be slow.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// How long what a client still sends is read and dropped after the last answer. Closed at once, the
/// connection would be reset, and the client might never see the answer.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// Two reads of this size for the largest header.
const READ_BYTES: usize = 8 << 10;

/// A client, and what it has sent that is part of no request yet.
pub struct Connection {
    stream: TcpStream,
    waiting: Vec<u8>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Connection> {
        // An answer is one or two writes: nothing is to be collected.
        stream.set_nodelay(true)?;
        Ok(Connection { stream, waiting: Vec::new() })
    }

    /// The head of the next request; none if the client has gone or is too slow. An error is the
    /// status that refuses it.
    pub fn head(&mut self) -> Result<Option<Parts>, StatusCode> {
        let end = Instant::now() + HEADER_TIME;
        loop {
            if let Some((length, parts)) = parse(&self.waiting)? {
                self.waiting.drain(..length);
                return Ok(Some(parts));
            }
            if self.waiting.len() >= HEADER_BYTES {
                return Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
            }
            let mut buffer = [0; READ_BYTES];
            match self.receive(&mut buffer, end) {
                Ok(0) | Err(_) => return Ok(None),
                Ok(read) => self.waiting.extend_from_slice(&buffer[..read]),
            }
        }
    }

    /// What follows a head: first what has come with it.
    pub fn read(&mut self, buffer: &mut [u8], end: Instant) -> io::Result<usize> {
        if self.waiting.is_empty() {
            return self.receive(buffer, end);
        }
        let length = buffer.len().min(self.waiting.len());
        buffer[..length].copy_from_slice(&self.waiting[..length]);
        self.waiting.drain(..length);
        Ok(length)
    }

    fn receive(&mut self, buffer: &mut [u8], end: Instant) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(left(end)?))?;
        self.stream.read(buffer).map_err(as_late)
    }

    /// Sends bytes, all of them by this time.
    pub fn send(&mut self, mut bytes: &[u8], end: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(end)?))?;
            match self.stream.write(bytes).map_err(as_late)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                sent => bytes = &bytes[sent..],
            }
        }
        Ok(())
    }

    /// Sends an answer.
    pub fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        let end = Instant::now() + ANSWER_TIME;
        let mut head = answer.head().into_bytes();
        if head.len() + answer.body().len() <= READ_BYTES {
            head.extend_from_slice(answer.body());
            return self.send(&head, end);
        }
        self.send(&head, end)?;
        self.send(answer.body(), end)
    }

    /// Whether the client has closed its side: browsers keep it open until they have the answer.
    pub fn is_closed(&self) -> bool {
        let peeked = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut [0]));
        let is_blocking = self.stream.set_nonblocking(false).is_ok();
        let is_closed = match peeked {
            Ok(read) => read == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        is_closed || !is_blocking
    }

    /// Ends it, so that the last answer arrives.
    pub fn close(mut self) {
        let end = Instant::now() + LINGER_TIME;
        if self.stream.shutdown(Shutdown::Write).is_ok() {
            let mut buffer = [0; READ_BYTES];
            while self.receive(&mut buffer, end).is_ok_and(|read| read > 0) {}
        }
    }
}

/// The time until then.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    // A socket takes no time-out of zero.
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Unix says that a time-out would block.
fn as_late(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

/// The head at the beginning of these bytes, with its length; none before it is whole.
fn parse(bytes: &[u8]) -> Result<Option<(usize, Parts)>, StatusCode> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        Err(_) => return Err(StatusCode::BAD_REQUEST),
    };
    let parts = parts(&head).ok_or(StatusCode::BAD_REQUEST)?;
    Ok(Some((length, parts)))
}

fn parts(head: &httparse::Request<'_, '_>) -> Option<Parts> {
    let mut parts = Request::new(()).into_parts().0;
    parts.method = Method::from_bytes(head.method?.as_bytes()).ok()?;
    parts.uri = head.path?.parse::<Uri>().ok()?;
    parts.version = if head.version? == 1 { Version::HTTP_11 } else { Version::HTTP_10 };
    for header in head.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        parts.headers.append(name, HeaderValue::from_bytes(header.value).ok()?);
    }
    Some(parts)
}
