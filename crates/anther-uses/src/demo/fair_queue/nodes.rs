//! The processes: the forwarder with its queue, the receiver, and the senders.

use crate::demo::node::{self, PORT};
use crate::demo::{Outcome, secret_key};
use crate::fair_queue::{FairQueue, Fate, Limits};
use anther::Seed;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

/// A packet in the queue: the port that it came from, and its number.
type Packet = (u16, u64);

/// The forwarder: a queue that is served at a rate.
#[derive(clap::Args, Debug)]
pub struct ForwarderArgs {
    receiver: Ipv4Addr,
    rate: f64,
    cells: u32,
    probes: u32,
}

enum Queue {
    Tail(VecDeque<Packet>),
    Fair(Box<FairQueue<Packet>>),
}

/// The queue, and what is truly in it.
struct Served {
    queue: Queue,
    truth: HashMap<u16, u64>,
    checked: u64,
    below: u64,
}

/// The forwarder's, if it is not the fixed one.
pub(super) fn secret_seed() -> Seed {
    Seed::keyed(secret_key(0).to_le_bytes())
}

/// The key of a flow: its address and port.
pub(super) fn flow(address: Ipv4Addr, port: u16) -> (u32, u16) {
    (address.to_bits(), port)
}

impl Served {
    fn new(queue: Queue) -> Arc<Mutex<Served>> {
        Arc::new(Mutex::new(Served { queue, truth: HashMap::new(), checked: 0, below: 0 }))
    }

    fn push(&mut self, address: Ipv4Addr, packet: Packet) {
        let fate = match &mut self.queue {
            Queue::Tail(queue) if queue.len() < Limits::default().capacity => {
                queue.push_back(packet);
                Fate::Queued
            }
            Queue::Tail(_) => Fate::Full,
            Queue::Fair(queue) => queue.push(flow(address, packet.0), packet),
        };
        let truth = self.truth.entry(packet.0).or_default();
        *truth += u64::from(fate == Fate::Queued);
        if let Queue::Fair(queue) = &self.queue {
            self.checked += 1;
            self.below += u64::from(queue.estimate(flow(address, packet.0)) < *truth);
        }
    }

    fn pop(&mut self) -> Option<Packet> {
        let packet = match &mut self.queue {
            Queue::Tail(queue) => queue.pop_front(),
            Queue::Fair(queue) => queue.pop(),
        }?;
        self.truth.entry(packet.0).and_modify(|truth| *truth -= 1);
        Some(packet)
    }
}

fn lock(served: &Mutex<Served>) -> MutexGuard<'_, Served> {
    served.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ForwarderArgs {
    /// Forwards packets. Told `chances` and an address, it prints checks, estimates below the truth,
    /// and the chance to drop of each port of that address; told a kind of queue, it begins anew.
    pub fn run(&self) -> Outcome {
        let (socket, told) = (node::socket()?, node::ready());
        let served = Served::new(Queue::Tail(VecDeque::new()));
        let (of_commands, of_service) = (Arc::clone(&served), Arc::clone(&served));
        let (cells, probes) = (self.cells, self.probes);
        thread::spawn(move || {
            for line in told {
                let mut served = lock(&of_commands);
                match line.split_once(' ') {
                    Some((_, address)) => node::say(chances(&served, address)),
                    None => {
                        let seed = match &line[..] {
                            "fixed" => Seed::FIXED,
                            _ => secret_seed(),
                        };
                        let fair = FairQueue::new(Limits::default(), cells, probes, seed);
                        let tail = Queue::Tail(VecDeque::new());
                        served.queue = match fair {
                            Ok(fair) if line != "tail" => Queue::Fair(Box::new(fair)),
                            _ => tail,
                        };
                        served.truth.clear();
                        node::say("begun");
                    }
                }
            }
            process::exit(0);
        });
        let (out, to, rate) = (socket.try_clone()?, (self.receiver, PORT), self.rate);
        thread::spawn(move || {
            paced(rate, || {
                // Served or not, the slot is over.
                if let Some((port, number)) = lock(&of_service).pop() {
                    let packet = [u64::from(port), number].map(u64::to_le_bytes);
                    let _ = out.send_to(packet.as_flattened(), to);
                }
            });
        });
        let mut buffer = [0; 8];
        loop {
            let (_, from) = socket.recv_from(&mut buffer)?;
            if let SocketAddr::V4(from) = from {
                lock(&served).push(*from.ip(), (from.port(), u64::from_le_bytes(buffer)));
            }
        }
    }
}

/// Checks, those below the truth, and the chance of each port from 1 on, in thousandths.
fn chances(served: &Served, address: &str) -> String {
    let address = address.parse().unwrap_or(Ipv4Addr::UNSPECIFIED);
    let mut line = format!("{} {}", served.checked, served.below);
    if let Queue::Fair(queue) = &served.queue {
        for port in 1..=u16::MAX {
            line += &format!(" {:.0}", 1000.0 * queue.chance(flow(address, port)));
        }
    }
    line
}

/// Does something at a rate per second. If the machine is busy, missed turns are not made up for.
fn paced(rate: f64, mut step: impl FnMut()) {
    let (mut last, mut due) = (Instant::now(), 0.0);
    loop {
        thread::sleep(Duration::from_millis(2));
        let now = Instant::now();
        due = f64::min(due + rate * (now - last).as_secs_f64(), (rate / 20.0).max(1.0));
        last = now;
        while due >= 1.0 {
            step();
            due -= 1.0;
        }
    }
}

/// The receiver: it counts the packets of each port, and acknowledges those of responsive flows.
#[derive(clap::Args, Debug)]
pub struct ReceiverArgs {
    sender: Ipv4Addr,
    responsive: u16,
}

impl ReceiverArgs {
    /// Told anything, it prints the counts and begins again.
    pub fn run(&self) -> Outcome {
        let (socket, told) = (node::socket()?, node::ready());
        let counts: Arc<Mutex<BTreeMap<u64, u64>>> = Arc::default();
        let of_commands = Arc::clone(&counts);
        thread::spawn(move || {
            for _ in told {
                let mut counts = of_commands.lock().unwrap_or_else(PoisonError::into_inner);
                let each: Vec<String> =
                    counts.iter().map(|(port, count)| format!("{port}={count}")).collect();
                node::say(each.join(" "));
                counts.clear();
            }
            process::exit(0);
        });
        let mut buffer = [0; 16];
        loop {
            socket.recv_from(&mut buffer)?;
            let &[port, number] = buffer.as_chunks().0 else { continue };
            let port = u64::from_le_bytes(port);
            *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(port).or_default() += 1;
            match u16::try_from(port) {
                Ok(port) if port < self.responsive => {
                    socket.send_to(&number, (self.sender, port))?
                }
                _ => continue,
            };
        }
    }
}

/// A sender that slows down: its window halves with a loss, and grows by one packet per window, as
/// TCP's does.
#[derive(clap::Args, Debug)]
pub struct ResponsiveArgs {
    forwarder: Ipv4Addr,
    port: u16,
}

impl ResponsiveArgs {
    /// Sends until the parent ends.
    pub fn run(&self) -> Outcome {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, self.port))?;
        socket.set_read_timeout(Some(Duration::from_millis(20)))?;
        node::end_with(node::ready());
        // Numbers: the next one, the lowest without an answer, and the one from which on a loss
        // halves the window again.
        let (mut next, mut open, mut recovered) = (0u64, 0u64, 0u64);
        let (mut window, mut heard) = (2.0, Instant::now());
        let mut buffer = [0; 8];
        loop {
            while ((next - open) as f64) < f64::floor(window) {
                socket.send_to(&next.to_le_bytes(), (self.forwarder, PORT))?;
                next += 1;
            }
            match socket.recv_from(&mut buffer) {
                Ok((8, from)) if matches!(from.ip(), IpAddr::V4(_)) => {
                    let number = u64::from_le_bytes(buffer);
                    heard = Instant::now();
                    if number < open || number >= next {
                        continue;
                    }
                    // The queue keeps the order, so a gap is a loss.
                    if number > open && number >= recovered {
                        (window, recovered) = (f64::max(1.0, window / 2.0), next);
                    }
                    (open, window) = (number + 1, window + 1.0 / window);
                }
                _ if heard.elapsed() > Duration::from_millis(400) => {
                    (open, window, recovered, heard) = (next, 1.0, next, Instant::now());
                }
                _ => {}
            }
        }
    }
}

/// A sender of many flows that never slow down.
#[derive(clap::Args, Debug)]
pub struct ConstantArgs {
    forwarder: Ipv4Addr,
    rate: f64,
    ports: Vec<u16>,
}

impl ConstantArgs {
    /// Sends, one flow after the other, until the parent ends.
    pub fn run(&self) -> Outcome {
        let bind = |port: &u16| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port));
        let sockets: Vec<UdpSocket> = self.ports.iter().map(bind).collect::<Result<_, _>>()?;
        node::end_with(node::ready());
        let mut turns = sockets.iter().cycle();
        paced(self.rate, || {
            if let Some(socket) = turns.next() {
                let _ = socket.send_to(&[0; 8], (self.forwarder, PORT));
            }
        });
        Ok(())
    }
}
