//! The processes: the server, the hosts of both sides, and the nodes of the mesh.

use crate::demo::node::{self, PORT};
use crate::demo::{Outcome, secret_key};
use crate::flood_control::Recent;
use anther::{Seed, Target};
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

/// The server: it answers a sender's first packet of a period.
#[derive(clap::Args, Debug)]
pub struct ServerArgs {
    items: u64,
    fpr: f64,
}

impl ServerArgs {
    /// Prints for each packet whether it was admitted. It is told `turn`, `bytes`, and with which
    /// seed to begin.
    pub fn run(&self) -> Outcome {
        let target = Target::new(self.items, self.fpr)?;
        let senders = Arc::new(Mutex::new(Recent::new(target, Seed::FIXED)?));
        let (socket, told) = (node::socket()?, node::ready());
        let told_of = Arc::clone(&senders);
        thread::spawn(move || {
            for line in told {
                let mut senders = told_of.lock().unwrap_or_else(PoisonError::into_inner);
                let seed = match &line[..] {
                    "fixed" => Seed::FIXED,
                    _ => Seed::keyed(secret_key(0).to_le_bytes()),
                };
                match &line[..] {
                    "turn" => senders.turn(),
                    "bytes" => {}
                    // Memory for one is there, so there is for this one, too.
                    _ => Recent::new(target, seed).into_iter().for_each(|new| *senders = new),
                }
                node::say(senders.bytes());
            }
            process::exit(0);
        });
        let mut buffer = [0; 64];
        loop {
            let (_, sender) = socket.recv_from(&mut buffer)?;
            let IpAddr::V4(address) = sender.ip() else { continue };
            let first =
                senders.lock().unwrap_or_else(PoisonError::into_inner).first(address.to_bits());
            if first {
                socket.send_to(b"welcome", sender)?;
            }
            node::say(u8::from(first));
        }
    }
}

/// A host with many addresses.
#[derive(clap::Args, Debug)]
pub struct SenderArgs {
    range: Ipv4Addr,
    server: Ipv4Addr,
}

impl SenderArgs {
    /// Sends as it is told: first address, number of addresses, packets of each. Told `answers`, it
    /// prints how many of its addresses have got one.
    pub fn run(&self) -> Outcome {
        let (mut open, mut answered): (VecDeque<UdpSocket>, u64) = (VecDeque::new(), 0);
        let is_answered = |socket: &UdpSocket| socket.recv(&mut [0; 64]).is_ok();
        for line in node::ready() {
            let numbers: Vec<u32> = line.split(' ').map_while(|word| word.parse().ok()).collect();
            // Those that are not answered are few, and may be later.
            let before = open.len();
            open.retain(|socket| !is_answered(socket));
            answered += (before - open.len()) as u64;
            match numbers[..] {
                [first, count, packets] => {
                    for sender in first..first + count {
                        let address = Ipv4Addr::from_bits(self.range.to_bits() + sender);
                        let socket = UdpSocket::bind((address, 0))?;
                        socket.set_nonblocking(true)?;
                        for _ in 0..packets {
                            socket.send_to(b"hello", (self.server, PORT))?;
                        }
                        // Attackers wait for nothing, and clients not for ever.
                        if packets == 1 {
                            open.push_back(socket);
                        }
                        if open.len() > 500 {
                            open.pop_front();
                        }
                    }
                }
                _ => {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_millis(300) {
                        let before = open.len();
                        open.retain(|socket| !is_answered(socket));
                        answered += (before - open.len()) as u64;
                        thread::sleep(Duration::from_millis(20));
                    }
                    node::say(answered);
                }
            }
        }
        Ok(())
    }
}

/// A node of the mesh: it forwards a message once, or, without a filter, until its time to live is
/// over.
#[derive(clap::Args, Debug)]
pub struct MeshArgs {
    id: u64,
    items: u64,
    fpr: f64,
    neighbours: Vec<Ipv4Addr>,
}

impl MeshArgs {
    /// Prints for each packet whether it forwards it, and where it came from. It is told `turn`, and
    /// the number and the time to live of its own messages: 0 for the filter.
    pub fn run(&self) -> Outcome {
        let target = Target::new(self.items, self.fpr)?;
        let seed = Seed::keyed(secret_key(self.id).to_le_bytes());
        let seen = Arc::new(Mutex::new(Recent::new(target, seed)?));
        let socket = node::socket()?;
        let (own, told, sends) = (Arc::clone(&seen), node::ready(), socket.try_clone()?);
        let neighbours = self.neighbours.clone();
        thread::spawn(move || {
            for line in told {
                let numbers: Vec<u64> =
                    line.split(' ').map_while(|word| word.parse().ok()).collect();
                let mut seen = own.lock().unwrap_or_else(PoisonError::into_inner);
                match numbers[..] {
                    [message, live] => {
                        seen.first(message);
                        let _ = flood(&sends, &neighbours, None, message, live);
                    }
                    _ => {
                        seen.turn();
                        node::say("turned");
                    }
                }
            }
            process::exit(0);
        });
        let mut buffer = [0; 16];
        loop {
            let (length, from) = socket.recv_from(&mut buffer)?;
            let (&[message, live], 16) = (buffer.as_chunks().0, length) else { continue };
            let [message, live] = [message, live].map(u64::from_le_bytes);
            let forwards = match live {
                0 => seen.lock().unwrap_or_else(PoisonError::into_inner).first(message),
                _ => live > 1,
            };
            if forwards {
                flood(&socket, &self.neighbours, Some(from.ip()), message, live.saturating_sub(1))?;
            }
            node::say(format_args!("{} {}", u8::from(forwards), from.ip()));
        }
    }
}

/// Sends a message to every neighbour but the one that it came from.
fn flood(
    socket: &UdpSocket,
    neighbours: &[Ipv4Addr],
    from: Option<IpAddr>,
    message: u64,
    live: u64,
) -> io::Result<()> {
    let packet = [message, live].map(u64::to_le_bytes);
    for neighbour in neighbours.iter().filter(|neighbour| Some(IpAddr::V4(**neighbour)) != from) {
        socket.send_to(packet.as_flattened(), (*neighbour, PORT))?;
    }
    Ok(())
}
