//! A node of the overlay: a process that has objects and knows where others are.

use crate::demo::child::orders;
use crate::demo::http::{Client, Request, Response, listen, serve};
use crate::demo::{Outcome, secret_key};
use crate::peer_routing::{Attenuated, Router, Shape};
use anther::{Open, Save, Seed};
use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The name of an object.
pub(super) fn name(object: usize) -> String {
    format!("object-{object}")
}

/// One step of a query: from a node to another, by a match at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) level: usize,
}

/// What a query came to: whether it found the object, and its steps.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) is_found: bool,
    pub(super) steps: Vec<Step>,
    visited: Vec<usize>,
}

impl Found {
    fn write(&self) -> Vec<u8> {
        let mut text = format!("{};{}", u8::from(self.is_found), list(&self.visited));
        for Step { from, to, level } in &self.steps {
            // Writing to text does not fail.
            let _ = write!(text, ";{}", list(&[*from, *to, *level]));
        }
        text.into_bytes()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Found, Box<dyn Error>> {
        let mut fields = std::str::from_utf8(bytes)?.split(';');
        let is_found = fields.next() == Some("1");
        let visited = numbers(fields.next().unwrap_or(""))?;
        let mut steps = Vec::new();
        for field in fields {
            let &[from, to, level] = &numbers(field)?[..] else {
                return Err(format!("{field} is no step").into());
            };
            steps.push(Step { from, to, level });
        }
        Ok(Found { is_found, steps, visited })
    }
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn numbers(text: &str) -> Result<Vec<usize>, Box<dyn Error>> {
    let words = text.split(',').filter(|word| !word.is_empty());
    Ok(words.map(str::parse).collect::<Result<_, _>>()?)
}

/// Levels as they are sent: for each its length, 4 bytes, and its file.
fn write(levels: &Attenuated) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    for level in levels {
        let file = Save::new().bytes(level)?;
        bytes.extend(u32::try_from(file.len())?.to_le_bytes());
        bytes.extend(file);
    }
    Ok(bytes)
}

/// Reads levels that came. `open` has the key, if they are keyed.
pub(super) fn read(
    mut bytes: &[u8],
    open: impl Fn() -> Open,
) -> Result<Attenuated, Box<dyn Error>> {
    let mut levels = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::try_from(u32::from_le_bytes(*length))?;
        let (file, rest) = rest.split_at_checked(length).ok_or("levels are truncated")?;
        levels.push(open().bytes(file)?);
        bytes = rest;
    }
    Ok(levels)
}

/// A node.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct NodeArgs {
    /// Its number
    #[arg(long)]
    id: usize,
    /// Its number of objects
    #[arg(long)]
    objects: usize,
}

struct Node {
    args: NodeArgs,
    objects: HashSet<String>,
    router: RwLock<Option<Router>>,
    /// Numbers of and connections to its neighbours.
    peers: RwLock<Vec<(usize, Mutex<Client>)>>,
}

impl NodeArgs {
    /// Serves until the parent ends.
    pub fn run(&self) -> Outcome {
        let first = self.id * self.objects;
        let node = Arc::new(Node {
            args: *self,
            objects: (first..first + self.objects).map(name).collect(),
            router: RwLock::default(),
            peers: RwLock::default(),
        });
        let served = Arc::clone(&node);
        serve(listen()?, move |request| {
            served.answer(&request).unwrap_or_else(|error| {
                eprintln!("anther-uses: a peer: {error}");
                Response::empty(500)
            })
        });
        for order in orders() {
            println!("{}", node.obey(&order)?);
        }
        Ok(())
    }
}

/// What holds a lock here leaves it consistent.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    /// Orders of the parent: `peers` with number and port of each, `reset` with bits, probes, depth
    /// and whether there is a key, `send` to tell all neighbours, `probe` with a number of absent
    /// objects.
    fn obey(&self, order: &str) -> Result<String, Box<dyn Error>> {
        let mut words = order.split(' ');
        let order = words.next().unwrap_or("");
        let words: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>()?;
        let peers = || self.peers.read().unwrap_or_else(PoisonError::into_inner);
        match (order, &words[..]) {
            ("peers", all) => {
                let mut peers = Vec::new();
                for pair in all.chunks_exact(2) {
                    let client = Client::new(u16::try_from(pair[1])?)?;
                    peers.push((usize::try_from(pair[0])?, Mutex::new(client)));
                }
                *self.peers.write().unwrap_or_else(PoisonError::into_inner) = peers;
            }
            ("reset", &[bits, probes, depth, keyed]) => {
                let seed = if keyed > 0 { Seed::keyed(key()) } else { Seed::FIXED };
                let (probes, depth) = (u32::try_from(probes)?, usize::try_from(depth)?);
                let shape = Shape { depth, bits, probes, seed };
                let mut router = Router::new(shape, peers().len())?;
                self.objects.iter().for_each(|object| router.insert(object));
                *self.router.write().unwrap_or_else(PoisonError::into_inner) = Some(router);
            }
            ("send", []) => {
                for (link, (_, client)) in peers().iter().enumerate() {
                    let body = write(&self.with_router(|router| Ok(router.advertise(link)?))?)?;
                    let line = format!("POST /levels/{}", self.args.id);
                    if locked(client).send(&line, "", &body)?.status != 204 {
                        return Err("a neighbour does not take the levels".into());
                    }
                }
            }
            ("probe", &[count, depth]) => {
                let mut hits = vec![0; usize::try_from(depth)?];
                for number in 0..count {
                    let absent = format!("absent-{}-{number}", self.args.id);
                    for (level, hits) in hits.iter_mut().enumerate() {
                        *hits +=
                            self.with_router(|router| Ok(router.matches(&absent[..], level)))?;
                    }
                }
                return Ok(list(&hits));
            }
            _ => return Err(format!("order {order:?} is unknown").into()),
        }
        Ok("done".to_string())
    }

    fn with_router<T>(
        &self,
        use_it: impl FnOnce(&Router) -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        let router = self.router.read().unwrap_or_else(PoisonError::into_inner);
        use_it(router.as_ref().ok_or("the node was not reset")?)
    }

    fn answer(&self, request: &Request) -> Result<Response, Box<dyn Error>> {
        let words: Vec<&str> = request.line.1.split('/').collect();
        match (&request.line.0[..], &words[..]) {
            ("POST", ["", "levels", from]) => {
                let from: usize = from.parse()?;
                let peers = self.peers.read().unwrap_or_else(PoisonError::into_inner);
                let link = peers.iter().position(|(peer, _)| *peer == from);
                let levels = read(&request.body, || Open::new().key_if_keyed(key()))?;
                let mut router = self.router.write().unwrap_or_else(PoisonError::into_inner);
                let router = router.as_mut().ok_or("the node was not reset")?;
                router.receive(link.ok_or("not a neighbour")?, levels)?;
                Ok(Response::empty(204))
            }
            // Anybody may become a neighbour and be told.
            ("GET", ["", "levels"]) => {
                let levels = self.with_router(|router| Ok(router.advertise(usize::MAX)?))?;
                Ok(Response { status: 200, body: write(&levels)? })
            }
            ("GET", ["", "find", object, visited]) => {
                let found = self.find(object, numbers(visited)?)?;
                Ok(Response { status: 200, body: found.write() })
            }
            _ => Ok(Response::empty(404)),
        }
    }

    /// Asks the neighbours that match, the shallowest match first, and none that was asked.
    fn find(&self, object: &str, visited: Vec<usize>) -> Result<Found, Box<dyn Error>> {
        let mut found = Found { visited, ..Found::default() };
        found.visited.push(self.args.id);
        found.is_found = self.objects.contains(object);
        if found.is_found {
            return Ok(found);
        }
        let peers = self.peers.read().unwrap_or_else(PoisonError::into_inner);
        for (level, link) in self.with_router(|router| Ok(router.candidates(object)))? {
            let (to, client) = &peers[link];
            if found.visited.contains(to) {
                continue;
            }
            found.steps.push(Step { from: self.args.id, to: *to, level });
            let target = format!("/find/{object}/{}", list(&found.visited));
            let there = Found::read(&locked(client).get(&target)?.body)?;
            found.visited = there.visited;
            found.steps.extend(there.steps);
            if there.is_found {
                found.is_found = true;
                break;
            }
        }
        Ok(found)
    }
}

/// The key that the peers share.
fn key() -> [u8; 16] {
    secret_key(0).to_le_bytes()
}
