//! Requests for ranges of one file, and what makes an answer valid.

use super::args::HttpArgs;
use super::error::HttpError;
use super::parse::{self, Part, shown};
use crate::exit::Stop;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use ureq::config::{ConfigBuilder, RedirectAuthHeaders};
use ureq::http::Response;
use ureq::typestate::AgentScope;
use ureq::{Agent, Body};
use url::Url;

/// Redirects that are followed.
const REDIRECTS: u32 = 5;

/// The wait before the second try; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// A file on a web server.
pub struct Client {
    agent: Agent,
    /// Where the file was found last, after redirects.
    url: Mutex<Url>,
    timeout: Duration,
    retries: u32,
    /// Requests sent.
    pub requests: AtomicU64,
    /// Bytes of the bodies received.
    pub received: AtomicU64,
}

/// What is known about the file: another one has another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The length in bytes.
    pub len: u64,
    /// The strong entity tag, or else the time of the last change.
    pub validator: Option<String>,
}

impl Version {
    /// The entity tag, which names a version; two files may have the same time.
    pub fn tag(&self) -> Option<&str> {
        self.validator.as_deref().filter(|it| it.starts_with('"'))
    }
}

/// A valid answer.
pub struct Answer {
    pub parts: Vec<Part>,
    pub version: Version,
}

/// An answer that is valid, but not the one that was asked for.
pub enum Outcome {
    Ranges(Answer),
    /// The whole file or a refusal, in answer to several ranges: the server takes only one at a
    /// time.
    OneAtATime,
}

impl Client {
    pub fn new(url: Url, args: &HttpArgs) -> Result<Client, Stop> {
        let timeout = args.timeout();
        let config = trusting(args)?
            .http_status_as_error(false)
            // Followed here, since where they lead is checked.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .redirect_auth_headers(RedirectAuthHeaders::Never)
            .timeout_global(Some(timeout))
            .user_agent(concat!("anther/", env!("CARGO_PKG_VERSION")))
            .max_idle_connections_per_host(super::ranges::CONNECTIONS)
            .build();
        let (agent, url, retries) =
            (Agent::new_with_config(config), Mutex::new(url), args.retries());
        let (requests, received) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Client { agent, url, timeout, retries, requests, received })
    }

    /// Asks for ranges. `known` is the version that they must be of; without it, there is one
    /// range, which may end beyond the end of the file.
    pub fn get(
        &self,
        ranges: &[Range<u64>],
        known: Option<&Version>,
    ) -> Result<Outcome, HttpError> {
        let mut wait = FIRST_WAIT;
        for _ in 0..self.retries {
            match self.try_get(ranges, known) {
                Err(error) if error.may_pass() => thread::sleep(wait),
                done => return done,
            }
            wait *= 2;
        }
        self.try_get(ranges, known)
    }

    fn try_get(
        &self,
        ranges: &[Range<u64>],
        known: Option<&Version>,
    ) -> Result<Outcome, HttpError> {
        let mut response = self.follow(ranges, known)?;
        let header = |name: &str| header(&response, name);
        let validator = match (header("etag"), header("last-modified")) {
            // A weak one does not tell versions apart byte by byte.
            (Some(tag), _) if tag.len() > 1 && tag.starts_with('"') && tag.ends_with('"') => {
                Some(tag)
            }
            (_, time) => time,
        };
        // Tags are compared with tags, and times with times: some answers have one of them only.
        let is_tag = |it: &String| it.starts_with('"');
        let before = known.and_then(|known| known.validator.as_ref());
        let is_other = before
            .zip(validator.as_ref())
            .is_some_and(|(before, now)| is_tag(before) == is_tag(now) && before != now);
        match response.status().as_u16() {
            206 => {}
            200 if is_other => return Err(HttpError::Changed),
            // Servers that refuse several ranges do it in several ways.
            200 | 400 | 416 | 431 | 501 if ranges.len() > 1 => return Ok(Outcome::OneAtATime),
            // It sent a range before, so what it says by this is that the version is another.
            200 if known.is_some() => return Err(HttpError::Changed),
            200 => return Err(HttpError::NoRanges),
            412 | 416 if known.is_some() => return Err(HttpError::Changed),
            status => return Err(HttpError::Status(status)),
        }
        if let Some(encoding) = header("content-encoding")
            && !encoding.trim().eq_ignore_ascii_case("identity")
        {
            return Err(HttpError::Encoding(shown(&encoding)));
        }
        if is_other {
            return Err(HttpError::Changed);
        }
        let announced = header("content-length").and_then(|text| parse::number(text.trim()));
        let multipart = header("content-type");
        let multipart = multipart.as_deref().and_then(parse::boundary).map(str::to_string);
        if let (Some(boundary), Some(known), 2..) = (multipart, known, ranges.len()) {
            let most = parse::most_bytes(ranges);
            if let Some(announced) = announced.filter(|it| *it > most) {
                let cause = format!("{announced} bytes for {} ranges", ranges.len());
                return Err(HttpError::WrongLength(cause));
            }
            let body = self.body(&mut response, announced, most)?;
            let parts = parse::multipart(&body, &boundary, known.len)?;
            return Ok(Outcome::Ranges(Answer { parts, version: known.clone() }));
        }
        let Some(text) = header("content-range") else {
            return Err(HttpError::WrongRange("no Content-Range".to_string()));
        };
        let (range, len) = parse::content_range(&text)?;
        if known.is_some_and(|known| known.len != len) {
            return Err(HttpError::Changed);
        }
        let is_asked = |asked: &Range<u64>| match known {
            Some(_) => *asked == range,
            None => range == (asked.start..asked.end.min(len)),
        };
        if !ranges.iter().any(is_asked) {
            let asked = ranges.first().map_or(0..0, Range::clone);
            let cause = format!("{} instead of {}-{}", shown(&text), asked.start, asked.end - 1);
            return Err(HttpError::WrongRange(cause));
        }
        let expected = range.end - range.start;
        if let Some(announced) = announced.filter(|it| *it != expected) {
            let cause = format!("{announced} bytes for a range of {expected}");
            return Err(HttpError::WrongLength(cause));
        }
        let bytes = self.body(&mut response, Some(expected), expected)?;
        let version = Version { len, validator };
        Ok(Outcome::Ranges(Answer { parts: vec![Part { range, bytes }], version }))
    }

    /// Sends the request, and again to where it is redirected.
    fn follow(
        &self,
        ranges: &[Range<u64>],
        known: Option<&Version>,
    ) -> Result<Response<Body>, HttpError> {
        let list: Vec<String> =
            ranges.iter().map(|range| format!("{}-{}", range.start, range.end - 1)).collect();
        let list = format!("bytes={}", list.join(","));
        let mut url = self.url.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for _ in 0..=REDIRECTS {
            let mut request = self.agent.get(url.as_str());
            request = request.header("Range", &list).header("Accept-Encoding", "identity");
            if let Some(validator) = known.and_then(|known| known.validator.as_ref()) {
                request = request.header("If-Range", validator);
            }
            if !cfg!(feature = "https") && url.scheme() == "https" {
                return Err(HttpError::NoTls);
            }
            self.requests.fetch_add(1, Ordering::Relaxed);
            let response = request.call().map_err(|error| self.explained(error))?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                *self.url.lock().unwrap_or_else(PoisonError::into_inner) = url;
                return Ok(response);
            }
            let location = header(&response, "location").filter(|it| !it.trim().is_empty());
            let status = response.status().as_u16();
            let location = location.ok_or(HttpError::RedirectNowhere(status))?;
            let next = url.join(&location);
            let next = next.map_err(|_| HttpError::RedirectTo(shown(&location)))?;
            match (url.scheme(), next.scheme()) {
                ("https", "http") => return Err(HttpError::Downgrade(shown(next.as_str()))),
                (_, "http" | "https") => url = next,
                _ => return Err(HttpError::RedirectTo(shown(next.as_str()))),
            }
        }
        Err(HttpError::Redirects(REDIRECTS))
    }

    /// Reads the body: exactly `expected` bytes if that is known, and at most `most`.
    fn body(
        &self,
        response: &mut Response<Body>,
        expected: Option<u64>,
        most: u64,
    ) -> Result<Vec<u8>, HttpError> {
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(most + 1).read_to_end(&mut bytes);
        let got = bytes.len() as u64;
        self.received.fetch_add(got, Ordering::Relaxed);
        match read {
            _ if got > most => Err(HttpError::Endless(most)),
            Err(error) => {
                let short = error.kind() == ErrorKind::UnexpectedEof;
                match (self.explained(error.into()), expected) {
                    (HttpError::Connection(_), Some(expected)) if short => {
                        Err(HttpError::Truncated { got, expected })
                    }
                    (other, _) => Err(other),
                }
            }
            Ok(_) => match expected.filter(|expected| got < *expected) {
                Some(expected) => Err(HttpError::Truncated { got, expected }),
                None => Ok(bytes),
            },
        }
    }

    /// An error of the HTTP client.
    fn explained(&self, error: ureq::Error) -> HttpError {
        match error {
            ureq::Error::Timeout(_) => HttpError::Slow(self.timeout.as_secs()),
            ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => {
                HttpError::Slow(self.timeout.as_secs())
            }
            // Certificates are refused while connecting.
            ureq::Error::Io(error) if error.kind() == ErrorKind::InvalidData => {
                HttpError::tls(&error.to_string())
            }
            ureq::Error::Io(error) => HttpError::Connection(shown(&error.to_string())),
            ureq::Error::HostNotFound => HttpError::Connection("no such host".to_string()),
            ureq::Error::ConnectionFailed => HttpError::Connection("no connection".to_string()),
            #[cfg(feature = "https")]
            error @ (ureq::Error::Tls(_) | ureq::Error::Rustls(_)) => {
                HttpError::tls(&error.to_string())
            }
            other => HttpError::Protocol(shown(&other.to_string())),
        }
    }
}

/// Whose certificates are trusted.
#[cfg(feature = "https")]
fn trusting(args: &HttpArgs) -> Result<ConfigBuilder<AgentScope>, Stop> {
    use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
    let roots = match &args.ca {
        Some(path) => {
            let stop = |cause: &str| Stop::about(path.display(), cause);
            let pem =
                std::fs::read(path).map_err(|error| stop(&format!("cannot read: {error}")))?;
            let items = parse_pem(&pem).filter_map(Result::ok);
            let certificates: Vec<_> = items
                .filter_map(|item| match item {
                    PemItem::Certificate(certificate) => Some(certificate),
                    _ => None,
                })
                .collect();
            if certificates.is_empty() {
                return Err(stop("has no certificates; give a file in PEM format"));
            }
            RootCerts::new_with_certs(&certificates)
        }
        None => RootCerts::WebPki,
    };
    Ok(Agent::config_builder().tls_config(TlsConfig::builder().root_certs(roots).build()))
}

#[cfg(not(feature = "https"))]
fn trusting(args: &HttpArgs) -> Result<ConfigBuilder<AgentScope>, Stop> {
    match &args.ca {
        Some(path) => Err(Stop::about(path.display(), HttpError::NoTls)),
        None => Ok(Agent::config_builder()),
    }
}

fn header(response: &Response<Body>, name: &str) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_string)
}
