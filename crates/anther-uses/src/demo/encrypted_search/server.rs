//! The server of encrypted-search, in a process of its own, and the connection to it.
//!
//! A request is a letter and its fields: `s` stores an index (number, length, bytes), `f` finds a
//! trapdoor (number of parts, parts), `d` tells how many different trapdoors came. The answer is a
//! count and as many numbers. All numbers are 8 bytes.

use crate::demo::Outcome;
use crate::demo::child::Child;
use crate::encrypted_search::{SecureIndex, Trapdoor};
use std::collections::HashSet;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Nothing takes longer, unless the other side is gone.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest index, and the most parts of a trapdoor.
const MOST: u64 = 64 << 20;
const MOST_PARTS: u64 = 64;

/// Options of the process: none, and above all no key.
#[derive(clap::Args, Debug)]
pub struct ServerArgs {}

impl ServerArgs {
    /// Prints the port, and serves one client until it hangs up.
    pub fn run(&self) -> Outcome {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        println!("{}", listener.local_addr()?.port());
        listener.set_nonblocking(true)?;
        let start = Instant::now();
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error.into()),
                Err(_) if start.elapsed() > PATIENCE => return Err("nobody connected".into()),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        serve(BufReader::new(stream.try_clone()?), stream)
    }
}

fn serve(mut requests: impl BufRead, mut answers: impl Write) -> Outcome {
    let mut indexes: Vec<SecureIndex> = Vec::new();
    let mut seen: HashSet<Vec<[u8; 16]>> = HashSet::new();
    let mut letter = [0];
    while requests.read(&mut letter)? == 1 {
        let mut found: Vec<u64> = Vec::new();
        match letter[0] {
            b's' => {
                let (document, length) = (number(&mut requests)?, number(&mut requests)?);
                let mut bytes = Vec::new();
                requests.by_ref().take(length.min(MOST)).read_to_end(&mut bytes)?;
                let index = SecureIndex::from_bytes(document, &bytes)?;
                // A curious server tries old trapdoors on the new document.
                for old in &seen {
                    if index.contains(&Trapdoor(old.clone()))? {
                        found.push(document);
                    }
                }
                indexes.push(index);
            }
            b'f' => {
                let mut trapdoor = Vec::new();
                for _ in 0..number(&mut requests)?.min(MOST_PARTS) {
                    let mut part = [0; 16];
                    requests.read_exact(&mut part)?;
                    trapdoor.push(part);
                }
                let trapdoor = Trapdoor(trapdoor);
                for index in &indexes {
                    if index.contains(&trapdoor)? {
                        found.push(index.document());
                    }
                }
                seen.insert(trapdoor.0);
            }
            b'd' => found.push(seen.len() as u64),
            other => return Err(format!("request {other} is unknown").into()),
        }
        let mut answer = (found.len() as u64).to_le_bytes().to_vec();
        found.iter().for_each(|document| answer.extend(document.to_le_bytes()));
        answers.write_all(&answer)?;
    }
    Ok(())
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// A server in a child process, and the connection to it.
#[derive(Debug)]
pub(super) struct Server {
    answers: BufReader<TcpStream>,
    requests: TcpStream,
    /// All that it was sent.
    pub(super) sent: Vec<u8>,
    /// Dropped last: it ends when the connection does, and its drop waits for that.
    _child: Child,
}

impl Server {
    pub(super) fn start() -> Result<Server, Box<dyn Error>> {
        let (child, port) = Child::server("search-server", &[])?;
        let requests = TcpStream::connect(("127.0.0.1", port))?;
        requests.set_nodelay(true)?;
        requests.set_read_timeout(Some(PATIENCE))?;
        let answers = BufReader::new(requests.try_clone()?);
        Ok(Server { answers, requests, sent: Vec::new(), _child: child })
    }

    /// Stores an index. How many of the trapdoors that it has seen match it.
    pub(super) fn store(&mut self, index: &SecureIndex) -> Result<usize, Box<dyn Error>> {
        let bytes = index.to_bytes()?;
        let mut request = vec![b's'];
        request.extend(index.document().to_le_bytes());
        request.extend((bytes.len() as u64).to_le_bytes());
        request.extend(bytes);
        Ok(self.ask(&request)?.len())
    }

    /// The documents that may have a word.
    pub(super) fn find(&mut self, trapdoor: &Trapdoor) -> io::Result<Vec<u64>> {
        let mut request = vec![b'f'];
        request.extend((trapdoor.0.len() as u64).to_le_bytes());
        trapdoor.0.iter().for_each(|part| request.extend(part));
        self.ask(&request)
    }

    /// How many different trapdoors it has seen.
    pub(super) fn different(&mut self) -> io::Result<u64> {
        Ok(self.ask(b"d")?.first().copied().unwrap_or(0))
    }

    fn ask(&mut self, request: &[u8]) -> io::Result<Vec<u64>> {
        self.sent.extend(request);
        self.requests.write_all(request)?;
        let count = number(&mut self.answers)?;
        (0..count).map(|_| number(&mut self.answers)).collect()
    }
}
