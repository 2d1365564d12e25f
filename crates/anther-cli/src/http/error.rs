//! What can go wrong on the way to a web server, and what a server can do wrong.

use super::parse::shown;
use std::fmt;

/// Why a request failed. A server's own words are shortened, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    /// No answer: no such host, no connection, a connection that broke.
    Connection(String),
    /// No complete answer within the time limit, in seconds.
    Slow(u64),
    /// Not HTTP, or headers without end.
    Protocol(String),
    /// This program has no TLS.
    NoTls,
    /// The certificate, or another part of TLS.
    Tls(String),
    /// The certificate may sign others, and is the server's own.
    CaCertificate,
    /// The server answers with this status.
    Status(u16),
    /// The whole file instead of the range.
    NoRanges,
    /// Another file than at first.
    Changed,
    /// The bytes are compressed, or encoded otherwise.
    Encoding(String),
    /// Another range than the one asked for.
    WrongRange(String),
    /// Another number of bytes than announced, or than asked for.
    WrongLength(String),
    /// More bytes than the range has.
    Endless(u64),
    /// Fewer bytes than the range has.
    Truncated {
        /// How many.
        got: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A malformed answer to a request for several ranges.
    Multipart(&'static str),
    /// To nowhere, with this status.
    RedirectNowhere(u16),
    /// To where only HTTP may not lead.
    RedirectTo(String),
    /// From HTTPS to HTTP.
    Downgrade(String),
    /// Redirects without end.
    Redirects(u32),
}

impl HttpError {
    /// An error of TLS, by its text: the library names this one by its debug form alone.
    pub fn tls(cause: &str) -> HttpError {
        match cause.contains("CaUsedAsEndEntity") {
            true => HttpError::CaCertificate,
            false => HttpError::Tls(shown(cause)),
        }
    }

    /// Whether another try may help: the network or a busy server, not a server that does it wrong.
    pub fn may_pass(&self) -> bool {
        match self {
            HttpError::Connection(_) | HttpError::Slow(_) | HttpError::Truncated { .. } => true,
            HttpError::Status(status) => matches!(status, 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DOWNLOAD: &str = "download the file, and check that";
        match self {
            HttpError::Connection(cause) => write!(f, "cannot be reached: {cause}"),
            HttpError::Slow(seconds) => {
                write!(f, "no complete answer within {seconds} s; --timeout allows more")
            }
            HttpError::Protocol(cause) => write!(f, "the server does not speak HTTP: {cause}"),
            HttpError::NoTls => f.write_str(
                "this program was built without https; install it with --features https, or download \
                 the file",
            ),
            HttpError::Tls(cause) => write!(
                f,
                "the connection is not secure: {cause}; --ca FILE trusts the certificates in a file"
            ),
            HttpError::CaCertificate => f.write_str(
                "the server's own certificate is a CA certificate, which may only sign others; give \
                 the server one that is signed by it, or a self-signed one with \
                 basicConstraints=CA:FALSE (openssl req -x509 -addext \
                 basicConstraints=critical,CA:FALSE)",
            ),
            HttpError::Status(404) => f.write_str("the server has no such file (404)"),
            HttpError::Status(status @ (401 | 403)) => {
                write!(f, "the server refuses access to the file ({status})")
            }
            HttpError::Status(416) => f.write_str("the file is empty (416)"),
            HttpError::Status(status) => write!(f, "the server answers with status {status}"),
            HttpError::NoRanges => write!(
                f,
                "the server sends the whole file instead of a range (200 instead of 206); {DOWNLOAD}"
            ),
            HttpError::Changed => {
                f.write_str("the file changes while keys are looked up; try again")
            }
            HttpError::Encoding(encoding) => write!(
                f,
                "the server encodes the file (Content-Encoding: {encoding}) although that was \
                 refused; {DOWNLOAD}"
            ),
            HttpError::WrongRange(cause) => {
                write!(f, "the server sends another range than was asked for: {cause}; {DOWNLOAD}")
            }
            HttpError::WrongLength(cause) => {
                write!(f, "the server announces a wrong length: {cause}; {DOWNLOAD}")
            }
            HttpError::Endless(expected) => {
                write!(f, "the server sends more than the {expected} bytes asked for; {DOWNLOAD}")
            }
            HttpError::Truncated { got, expected } => {
                write!(f, "the answer ends after {got} of {expected} bytes; try again")
            }
            HttpError::Multipart(cause) => {
                write!(f, "the answer to several ranges is malformed: {cause}; {DOWNLOAD}")
            }
            HttpError::RedirectNowhere(status) => {
                write!(f, "the server redirects ({status}) without saying where; name the new address")
            }
            HttpError::RedirectTo(target) => {
                write!(f, "the server redirects to {target}, which is not a web address")
            }
            HttpError::Downgrade(target) => write!(
                f,
                "the server redirects from https to {target}, where anybody could change the answer; \
                 name that address if you trust it"
            ),
            HttpError::Redirects(most) => write!(f, "the server redirects more than {most} times"),
        }
    }
}

impl std::error::Error for HttpError {}
