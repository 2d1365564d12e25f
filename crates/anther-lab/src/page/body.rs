//! Bodies of requests: in pieces, up to a size, and within a time.

use crate::page::answer::Refusal;
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// A browser on the same machine never pauses for long; a slow client is cut after this time.
const PAUSE: Duration = Duration::from_secs(5);

/// A body that is being read.
pub struct Reading {
    body: Incoming,
    left: u64,
    limit: u64,
    end: Instant,
}

impl Reading {
    /// Begins to read up to `limit` bytes within this time. A body that says that it is longer
    /// is refused at once.
    pub fn new(body: Incoming, limit: u64, time: Duration) -> Result<Reading, Refusal> {
        if body.size_hint().lower() > limit {
            return Err(too_large(limit));
        }
        Ok(Reading { body, left: limit, limit, end: Instant::now() + time })
    }

    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let slow = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request came too slowly");
        loop {
            let frame = timeout(PAUSE, timeout_at(self.end, self.body.frame()));
            let frame = match frame.await.map_err(slow)?.map_err(slow)? {
                None => return Ok(None),
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    let message = format!("the request broke off: {error}");
                    return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
                }
            };
            // Trailers say nothing to us.
            let Ok(piece) = frame.into_data() else { continue };
            self.left =
                self.left.checked_sub(piece.len() as u64).ok_or_else(|| too_large(self.limit))?;
            return Ok(Some(piece));
        }
    }

    /// All of it.
    pub async fn all(mut self) -> Result<Vec<u8>, Refusal> {
        let mut all = Vec::new();
        while let Some(piece) = self.next().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}

fn too_large(limit: u64) -> Refusal {
    let message = format!("the request is larger than {}", anther::units::size(limit));
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}
