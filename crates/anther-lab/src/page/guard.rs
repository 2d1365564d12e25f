//! Who is served: those who know the token, from a page of our own origin.
//!
//! Other users of the machine can connect, and every web site that the user visits can send
//! requests to loopback. The token keeps both out. The checks of Host, Origin and Sec-Fetch-Site are
//! a second wall, should the token leak: against DNS rebinding, and against pages of other origins.

use crate::Error;
use http::header::{HOST, HeaderMap, HeaderName, ORIGIN, TRANSFER_ENCODING};
use http::request::Parts;
use http::{Method, StatusCode, Version};
use std::sync::{Mutex, PoisonError};

/// 128 bits: nobody guesses one, at any speed.
const TOKEN_BYTES: usize = 16;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The secrets of one run, and the addresses that it has.
#[derive(Debug)]
pub struct Guard {
    port: u16,
    token: String,
    /// Leads to the page once.
    ticket: Mutex<Option<String>>,
}

/// What a request may have.
#[derive(Debug, PartialEq, Eq)]
pub enum Admitted<'r> {
    /// What stands behind the token in the path.
    Path(&'r str),
    /// Another address, for the ticket.
    Redirect(String),
}

impl Guard {
    /// With new secrets.
    pub fn new(port: u16) -> Result<Guard, Error> {
        Ok(Guard { port, token: random()?, ticket: Mutex::new(Some(random()?)) })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The address of the page, by the ticket.
    pub fn address_for_browser(&self) -> String {
        match &*self.ticket.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(ticket) => format!("http://127.0.0.1:{}/{ticket}/", self.port),
            None => self.address(),
        }
    }

    /// What the request may have, or the status that refuses it.
    pub fn admit<'r>(&self, request: &'r Parts) -> Result<Admitted<'r>, StatusCode> {
        // Only paths: a proxy's `GET http://…` and CONNECT have an authority in the URI.
        if request.version != Version::HTTP_11 || request.uri.authority().is_some() {
            return Err(StatusCode::BAD_REQUEST);
        }
        let path = request.uri.path().strip_prefix('/').ok_or(StatusCode::NOT_FOUND)?;
        let (secret, rest) = path.split_once('/').ok_or(StatusCode::NOT_FOUND)?;
        let knows_token = is_equal(secret, &self.token);
        if !knows_token && !self.is_ticket(secret) || request.uri.query().is_some() {
            return Err(StatusCode::NOT_FOUND);
        }
        self.check_origin(request, rest)?;
        // Browsers say how long a body is. Chunks, and chunks of chunks, are for others.
        if request.headers.contains_key(TRANSFER_ENCODING) {
            return Err(StatusCode::LENGTH_REQUIRED);
        }
        if knows_token {
            return Ok(Admitted::Path(rest));
        }
        match rest.is_empty() && request.method == Method::GET && self.spend_ticket() {
            true => Ok(Admitted::Redirect(format!("/{}/", self.token))),
            false => Err(StatusCode::NOT_FOUND),
        }
    }

    /// Whether a page of ours, or the user, sent the request.
    fn check_origin(&self, request: &Parts, rest: &str) -> Result<(), StatusCode> {
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = only(&request.headers, HOST)?.ok_or(StatusCode::FORBIDDEN)?;
        if !names.iter().any(|name| name == host) {
            return Err(StatusCode::FORBIDDEN);
        }
        // Browsers send it with every POST, and never one that a page could choose.
        match only(&request.headers, ORIGIN)? {
            Some(origin) if origin.strip_prefix("http://") == Some(host) => {}
            None if request.method != Method::POST => {}
            _ => return Err(StatusCode::FORBIDDEN),
        }
        match only(&request.headers, FETCH_SITE)? {
            None | Some("same-origin" | "none") => Ok(()),
            // A link to the page, from wherever the user keeps it. Frames are no documents.
            Some(_)
                if rest.is_empty() && only(&request.headers, FETCH_DEST)? == Some("document") =>
            {
                Ok(())
            }
            Some(_) => Err(StatusCode::FORBIDDEN),
        }
    }

    fn is_ticket(&self, secret: &str) -> bool {
        let ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        ticket.as_ref().is_some_and(|ticket| is_equal(secret, ticket))
    }

    fn spend_ticket(&self) -> bool {
        self.ticket.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }
}

/// The value of a header that may come once at most.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, StatusCode> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().map(|value| value.to_str()).transpose();
    match (first, values.next()) {
        (Ok(value), None) => Ok(value),
        _ => Err(StatusCode::FORBIDDEN),
    }
}

/// Compares in a time that depends on the lengths alone.
fn is_equal(given: &str, secret: &str) -> bool {
    let differs = |(a, b): (u8, u8)| a ^ b;
    given.len() == secret.len()
        && given.bytes().zip(secret.bytes()).map(differs).fold(0, |all, one| all | one) == 0
}

fn random() -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Error::about("random numbers", error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn request(guard: &Guard, secret: &str, path: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::get(format!("/{secret}/{path}"));
        request = request.header("host", format!("127.0.0.1:{}", guard.port));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn the_token_opens_everything_and_the_ticket_one_door_once() {
        let guard = Guard::new(80).expect("random numbers");
        let ticket = guard.ticket.lock().expect("not poisoned").clone().expect("not spent");
        assert_ne!(ticket, guard.token);
        let token = &*guard.token;
        let ask = |secret: &str, path: &str| {
            let request = request(&guard, secret, path, &[]);
            guard.admit(&request).map(|admitted| format!("{admitted:?}"))
        };
        assert_eq!(ask(token, "main.js"), Ok("Path(\"main.js\")".to_string()));
        assert_eq!(ask(&ticket, "main.js"), Err(StatusCode::NOT_FOUND));
        assert_eq!(ask(&ticket, ""), Ok(format!("Redirect(\"/{token}/\")")));
        assert_eq!(ask(&ticket, ""), Err(StatusCode::NOT_FOUND));
        assert_eq!(guard.address_for_browser(), guard.address());
    }

    /// A link to the page works from everywhere; nothing else does.
    #[test]
    fn other_sites_may_only_link_to_it() {
        let guard = Guard::new(80).expect("random numbers");
        let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")];
        let ask = |path, headers: &[_]| {
            guard.admit(&request(&guard, &guard.token, path, headers)).map(|_| ())
        };
        assert_eq!(ask("", &link), Ok(()));
        assert_eq!(ask("main.js", &link), Err(StatusCode::FORBIDDEN));
        assert_eq!(ask("", &link[..1]), Err(StatusCode::FORBIDDEN));
        assert_eq!(ask("", &[link[0], ("sec-fetch-dest", "iframe")]), Err(StatusCode::FORBIDDEN));
    }

    #[test]
    fn only_equal_secrets_are_equal() {
        assert!(is_equal("abc", "abc"));
        for other in ["", "ab", "abcd", "abd", "Abc"] {
            assert!(!is_equal(other, "abc"), "{other}");
        }
    }
}
