//! The server of safe-browsing: it has the list, and remembers all that it was asked.

use crate::demo::Outcome;
use crate::demo::child::{Child, orders};
use crate::demo::http::{Client, Request, Response, listen, serve};
use crate::safe_browsing::{FullHash, Prefix, full_hash};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Hashes of URLs, sorted. An error names the line.
pub(super) fn hashes<'a>(
    urls: impl Iterator<Item = &'a str>,
) -> Result<Vec<FullHash>, Box<dyn Error>> {
    let mut listed = Vec::new();
    for (at, url) in urls.enumerate() {
        let hash = full_hash(url);
        listed.push(hash.map_err(|error| format!("line {}: {error}", at + 1))?);
    }
    listed.sort_unstable();
    listed.dedup();
    if listed.is_empty() { Err("no URL; give one per line".into()) } else { Ok(listed) }
}

/// The server.
#[derive(clap::Args, Debug)]
pub struct ServerArgs {}

impl ServerArgs {
    /// Reads the list from its input, up to an empty line. Serves until the parent ends, and tells
    /// all targets that it was asked for.
    pub fn run(&self) -> Outcome {
        let mut orders = orders();
        let urls: Vec<String> = orders.by_ref().take_while(|url| !url.is_empty()).collect();
        let listed = hashes(urls.iter().map(String::as_str))?;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        serve(listen()?, move |request| {
            let answer = answer(&listed, &request);
            log.lock().unwrap_or_else(PoisonError::into_inner).push(request.line.1);
            answer
        });
        for _ in orders {
            let targets =
                std::mem::take(&mut *asked.lock().unwrap_or_else(PoisonError::into_inner));
            println!("{}", targets.join(" "));
        }
        Ok(())
    }
}

/// All listed hashes that begin as the target says.
fn answer(listed: &[FullHash], request: &Request) -> Response {
    let hex = request.line.1.strip_prefix("/hashes/").filter(|hex| hex.len() == 8);
    let Some(number) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
        return Response::empty(400);
    };
    let prefix = number.swap_bytes().to_le_bytes();
    let first = listed.partition_point(|hash| hash[..4] < prefix[..]);
    let found = listed[first..].iter().take_while(|hash| hash.starts_with(&prefix));
    Response { status: 200, body: found.flatten().copied().collect() }
}

/// The server's process, and a connection to it.
pub(super) struct Server {
    process: Child,
    client: Client,
    pub(super) requests: u64,
}

impl Server {
    /// Starts it with a list, a URL per line.
    pub(super) fn start(list: &str) -> Result<Server, Box<dyn Error>> {
        let mut process = Child::start("safe-server", &[])?;
        let end = if list.ends_with('\n') { "" } else { "\n" };
        let port = process.ask(&format!("{list}{end}"))?.parse()?;
        Ok(Server { process, client: Client::new(port)?, requests: 0 })
    }

    /// All listed hashes with a prefix.
    pub(super) fn ask(&mut self, prefix: Prefix) -> Result<Vec<FullHash>, Box<dyn Error>> {
        let [a, b, c, d] = prefix;
        let answer = self.client.get(&format!("/hashes/{a:02x}{b:02x}{c:02x}{d:02x}"))?;
        self.requests += 1;
        let (hashes, rest) = answer.body.as_chunks();
        if answer.status != 200 || !rest.is_empty() {
            return Err("the server does not answer with hashes".into());
        }
        Ok(hashes.to_vec())
    }

    /// What went over the connection since the last call.
    pub(super) fn traffic(&mut self) -> Result<Traffic, Box<dyn Error>> {
        let seen = self.process.ask("log")?;
        self.requests = 0;
        let (sent, received) = std::mem::take(&mut self.client.bytes);
        let targets = seen.split_whitespace().map(str::to_string).collect();
        Ok(Traffic { sent, received, targets })
    }
}

/// What went over a connection.
pub(super) struct Traffic {
    /// Bytes of requests and of answers.
    pub(super) sent: u64,
    pub(super) received: u64,
    /// All that the server was asked for.
    pub(super) targets: Vec<String>,
}
