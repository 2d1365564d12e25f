//! Answers: a status, a body, and the headers that every answer has.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// An answer to a request.
pub type Answer = Response<Full<Bytes>>;

/// The headers of every answer. The browser loads nothing from elsewhere, runs no script that is not
/// one of our files, makes no HTML of text (`require-trusted-types-for`), keeps nothing, tells no
/// other page our address, and shows the page in no frame.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// Why a request gets no answer, for the user.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    pub message: String,
}

impl Refusal {
    /// With this message: what is wrong, and what to do.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into() }
    }
}

/// What an answer to a refused request contains.
#[derive(Serialize)]
struct RefusalJson<'a> {
    error: &'a str,
}

/// An embedded file.
pub fn file(kind: &'static str, text: &'static str) -> Answer {
    answer(StatusCode::OK, Some(kind), Bytes::from_static(text.as_bytes()))
}

/// A JSON value.
pub fn json(value: Vec<u8>) -> Answer {
    answer(StatusCode::OK, Some("application/json"), value.into())
}

/// A message for the page to show.
pub fn refusal(refusal: &Refusal) -> Answer {
    let value = serde_json::to_vec(&RefusalJson { error: &refusal.message }).unwrap_or_default();
    answer(refusal.status, Some("application/json"), value.into())
}

/// A status and nothing else, and the end of the connection: for those whom the guard does not know.
pub fn empty(status: StatusCode) -> Answer {
    let mut answer = answer(status, None, Bytes::new());
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// Leads to another address.
pub fn redirect(to: &str) -> Answer {
    let mut answer = empty(StatusCode::SEE_OTHER);
    if let Ok(to) = HeaderValue::from_str(to) {
        answer.headers_mut().insert(LOCATION, to);
    }
    answer
}

fn answer(status: StatusCode, kind: Option<&'static str>, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(kind) = kind {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    answer
}
