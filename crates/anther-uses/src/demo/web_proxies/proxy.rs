//! The processes of web-proxies: the site, and proxies that ask each other.

use super::cache::Cache;
use super::counts::Counts;
use crate::demo::child::orders;
use crate::demo::http::{Client, Request, Response, listen, serve};
use crate::demo::{Outcome, secret_key};
use crate::web_proxies::Directory;
use anther::{Classic, Open, Save, Seed};
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the site has at a URL.
pub(super) fn page(url: &str) -> Vec<u8> {
    format!("the page at {url}\n").repeat(8).into_bytes()
}

/// The site: it has every page.
#[derive(clap::Args, Debug)]
pub struct SiteArgs {}

impl SiteArgs {
    /// Serves until the parent ends, and tells how many pages it served since it last told.
    pub fn run(&self) -> Outcome {
        let served = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&served);
        serve(listen()?, move |request| {
            counter.fetch_add(1, Ordering::Relaxed);
            let target = request.line.1;
            // Squid asks for the path, the proxies below for the whole URL.
            let url = if target.starts_with('/') {
                format!("http://pages.example{target}")
            } else {
                target
            };
            Response { status: 200, body: page(&url) }
        });
        orders().for_each(|_| println!("{}", served.swap(0, Ordering::Relaxed)));
        Ok(())
    }
}

/// A proxy.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ProxyArgs {
    /// Port of the site
    #[arg(long)]
    site: u16,
    /// Documents that its cache has room for
    #[arg(long)]
    room: usize,
    #[arg(long)]
    load: u64,
    #[arg(long)]
    probes: u32,
    #[arg(long)]
    threshold: f64,
    /// Sends lists of URLs, not filters
    #[arg(long)]
    lists: bool,
    /// Hashes with the key that the proxies share
    #[arg(long)]
    keyed: bool,
}

/// What a peer has told.
enum Summary {
    List(HashSet<String>),
    Filter(Classic),
}

struct Peer {
    port: u16,
    connection: Mutex<Client>,
}

struct State {
    cache: Cache,
    directory: Directory,
    /// By the port of the peer.
    summaries: HashMap<u16, Summary>,
    /// What the peers were told last.
    sent: Vec<u8>,
    counts: Counts,
}

struct Proxy {
    args: ProxyArgs,
    state: Mutex<State>,
    site: Mutex<Client>,
    peers: Mutex<Arc<Vec<Peer>>>,
    port: u16,
}

impl ProxyArgs {
    /// Serves until the parent ends. The first line of its orders has the ports of its peers; each
    /// further one asks for its counts.
    pub fn run(&self) -> Outcome {
        let listener = listen()?;
        let directory =
            Directory::new(self.room as u64, self.load, self.probes, self.threshold, self.seed())?;
        let state = State {
            cache: Cache::new(self.room),
            directory,
            summaries: HashMap::new(),
            sent: Vec::new(),
            counts: Counts::default(),
        };
        let proxy = Arc::new(Proxy {
            args: *self,
            state: Mutex::new(state),
            site: Mutex::new(Client::new(self.site)?),
            peers: Mutex::default(),
            port: listener.local_addr()?.port(),
        });
        let served = Arc::clone(&proxy);
        serve(listener, move |request| {
            served.answer(&request).unwrap_or_else(|error| {
                eprintln!("anther-uses: a proxy: {error}");
                Response::empty(502)
            })
        });
        let mut orders = orders();
        let ports = orders.next().unwrap_or_default();
        let mut peers = Vec::new();
        for port in ports.split_whitespace().map_while(|port| port.parse().ok()) {
            peers.push(Peer { port, connection: Mutex::new(Client::new(port)?) });
        }
        *locked(&proxy.peers) = Arc::new(peers);
        println!("ready");
        orders.for_each(|_| std::mem::take(&mut locked(&proxy.state).counts).print());
        Ok(())
    }

    fn seed(&self) -> Seed {
        if self.keyed { Seed::keyed(secret_key(0).to_le_bytes()) } else { Seed::FIXED }
    }
}

/// What holds a lock here leaves it consistent.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    fn answer(&self, request: &Request) -> Result<Response, Box<dyn Error>> {
        let (method, url) = (&request.line.0[..], &request.line.1[..]);
        match method {
            "POST" => {
                let port = url.trim_start_matches("/summary/").parse()?;
                let summary = self.read(&request.body)?;
                locked(&self.state).summaries.insert(port, summary);
                Ok(Response::empty(204))
            }
            // For anybody, as Squid's.
            "GET" if url == "/summary" => {
                Ok(Response { status: 200, body: locked(&self.state).sent.clone() })
            }
            "GET" if request.has("cache-control", "only-if-cached") => {
                // For a peer: it does not count as a request here, and keeps no page longer.
                let held = locked(&self.state).cache.get(url);
                Ok(held.map_or(Response::empty(504), |body| Response { status: 200, body }))
            }
            "GET" => Ok(Response { status: 200, body: self.fetch(url)? }),
            _ => Ok(Response::empty(405)),
        }
    }

    fn fetch(&self, url: &str) -> Result<Vec<u8>, Box<dyn Error>> {
        let peers = Arc::clone(&locked(&self.peers));
        let promising: Vec<&Peer> = {
            let mut state = locked(&self.state);
            state.counts.requests += 1;
            if let Some(page) = state.cache.request(url) {
                state.counts.local += 1;
                return Ok(page);
            }
            let promises = |peer: &&Peer| match state.summaries.get(&peer.port) {
                Some(Summary::List(urls)) => urls.contains(url),
                Some(Summary::Filter(bits)) => bits.contains(url),
                None => false,
            };
            peers.iter().filter(promises).collect()
        };
        let mut found = None;
        // All of them, as ICP does, and not one after the other.
        for peer in promising {
            let line = format!("GET {url}");
            let only = "Cache-Control: only-if-cached\r\n";
            let answer = locked(&peer.connection).send(&line, only, &[])?;
            if answer.status == 200 {
                found = Some(answer.body);
            } else {
                locked(&self.state).counts.in_vain += 1;
            }
        }
        let is_remote = found.is_some();
        let page = match found {
            Some(page) => page,
            None => locked(&self.site).get(url)?.body,
        };
        let due = {
            let mut state = locked(&self.state);
            state.counts.remote += u64::from(is_remote);
            // None: another connection has fetched it meanwhile.
            if let Some(gone) = state.cache.insert(url, page.clone()) {
                state.directory.insert(url);
                for url in gone {
                    state.directory.remove(&url)?;
                }
            }
            let is_due = state.directory.is_due();
            if is_due {
                state.sent = self.write(&mut state)?;
            }
            is_due.then(|| state.sent.clone())
        };
        if let Some(summary) = due {
            for peer in peers.iter() {
                let mut connection = locked(&peer.connection);
                let before = connection.bytes.0;
                connection.send(&format!("POST /summary/{}", self.port), "", &summary)?;
                let mut state = locked(&self.state);
                state.counts.updates += 1;
                state.counts.update_bytes += connection.bytes.0 - before;
            }
        }
        Ok(page)
    }

    fn write(&self, state: &mut State) -> Result<Vec<u8>, Box<dyn Error>> {
        let bits = state.directory.summary()?;
        if self.args.lists {
            let urls: Vec<&str> = state.cache.urls().collect();
            return Ok(urls.join("\n").into_bytes());
        }
        Ok(Save::new().bytes(&bits)?)
    }

    fn read(&self, bytes: &[u8]) -> Result<Summary, Box<dyn Error>> {
        if self.args.lists {
            let urls = std::str::from_utf8(bytes)?;
            return Ok(Summary::List(urls.lines().map(str::to_string).collect()));
        }
        let open = Open::new().key_if_keyed(secret_key(0).to_le_bytes());
        Ok(Summary::Filter(open.bytes(bytes)?))
    }
}
