//! Bodies of requests: in pieces, up to a size, and within a time.

use crate::page::answer::Refusal;
use crate::page::connection::Connection;
use http::StatusCode;
use std::io;
use std::time::{Duration, Instant};

/// A browser on the same machine never pauses for long; a slow client is cut after this time.
const PAUSE: Duration = Duration::from_secs(5);

/// A body that has not been read to its end.
pub struct Body<'c> {
    connection: &'c mut Connection,
    left: u64,
    /// Whether the client waits for a word before it sends the body.
    waits: bool,
    end: Instant,
}

impl<'c> Body<'c> {
    pub fn new(connection: &'c mut Connection, length: u64, waits: bool) -> Body<'c> {
        Body { connection, left: length, waits, end: Instant::now() }
    }

    /// Begins to read up to `limit` bytes within this time. A body that is longer is refused at once.
    pub fn begin(&mut self, limit: u64, time: Duration) -> Result<(), Refusal> {
        if self.left > limit {
            return Err(too_large(limit));
        }
        self.end = Instant::now() + time;
        if self.waits && self.left > 0 {
            self.waits = false;
            let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
            self.connection.send(go_on, self.end).map_err(broken)?;
        }
        Ok(())
    }

    /// Fills a buffer with the next piece, and returns its length: 0 at the end.
    pub fn next(&mut self, buffer: &mut [u8]) -> Result<usize, Refusal> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if most == 0 {
            return Ok(0);
        }
        let until = self.end.min(Instant::now() + PAUSE);
        match self.connection.read(&mut buffer[..most], until) {
            Ok(0) => Err(broken(io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => {
                self.left -= read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request came too slowly"))
            }
            Err(error) => Err(broken(error)),
        }
    }

    /// All of it.
    pub fn all(&mut self) -> Result<Vec<u8>, Refusal> {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            match self.next(&mut buffer)? {
                0 => return Ok(all),
                read => all.extend_from_slice(&buffer[..read]),
            }
        }
    }

    /// Whether nothing of it is left to read.
    pub fn is_read(&self) -> bool {
        self.left == 0
    }

    /// Whether the client has gone, while we work on its request.
    pub fn is_abandoned(&self) -> bool {
        self.connection.is_closed()
    }
}

fn broken(error: io::Error) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, format!("the request broke off: {error}"))
}

fn too_large(limit: u64) -> Refusal {
    let message = format!("the request is larger than {}", anther::units::size(limit));
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}
