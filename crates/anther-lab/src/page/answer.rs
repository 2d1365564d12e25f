//! Answers: a status, a body, and the headers that every answer has.

use http::StatusCode;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write;

/// An answer to a request.
pub struct Answer {
    status: StatusCode,
    kind: Option<&'static str>,
    /// Where the browser goes instead.
    location: Option<String>,
    body: Cow<'static, [u8]>,
    /// Whether the connection ends with it.
    pub ends: bool,
}

impl Answer {
    /// The status line and the headers.
    pub fn head(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status.as_str());
        let mut add = |name: &str, value: &str| {
            // Writing to a text cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        };
        HEADERS.iter().for_each(|(name, value)| add(name, value));
        self.kind.iter().for_each(|kind| add("content-type", kind));
        self.location.iter().for_each(|to| add("location", to));
        if self.ends {
            add("connection", "close");
        }
        add("content-length", &self.body.len().to_string());
        head + "\r\n"
    }

    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

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
    answer(StatusCode::OK, Some(kind), Cow::Borrowed(text.as_bytes()))
}

/// A JSON value.
pub fn json(value: Vec<u8>) -> Answer {
    answer(StatusCode::OK, Some("application/json"), Cow::Owned(value))
}

/// A message for the page to show.
pub fn refusal(refusal: &Refusal) -> Answer {
    let value = serde_json::to_vec(&RefusalJson { error: &refusal.message }).unwrap_or_default();
    answer(refusal.status, Some("application/json"), Cow::Owned(value))
}

/// A status and nothing else, and the end of the connection: for those whom the guard does not know.
pub fn empty(status: StatusCode) -> Answer {
    Answer { ends: true, ..answer(status, None, Cow::Borrowed(b"")) }
}

/// Leads to another address.
pub fn redirect(to: String) -> Answer {
    Answer { location: Some(to), ..empty(StatusCode::SEE_OTHER) }
}

fn answer(status: StatusCode, kind: Option<&'static str>, body: Cow<'static, [u8]>) -> Answer {
    Answer { status, kind, location: None, body, ends: false }
}
