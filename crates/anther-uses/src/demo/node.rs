//! What the processes of a [`Network`](super::namespace::Network) share: they get packets, and end
//! with their parent.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::{process, thread};

/// The port of every process.
pub const PORT: u16 = 7000;

/// For a process of a network: the socket on which it gets packets.
pub fn socket() -> io::Result<UdpSocket> {
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, PORT))
}

/// Prints a line for the parent. If the parent is gone, the process ends.
pub fn say(line: impl fmt::Display) {
    if writeln!(io::stdout(), "{line}").is_err() {
        process::exit(0);
    }
}

/// Says that the process is ready, and returns the lines that the parent writes to it.
pub fn ready() -> impl Iterator<Item = String> + Send + 'static {
    say("ready");
    BufReader::new(io::stdin()).lines().map_while(Result::ok)
}

/// Ends the process when its parent ends.
pub fn end_with(lines: impl Iterator<Item = String> + Send + 'static) {
    thread::spawn(|| {
        lines.for_each(drop);
        process::exit(0);
    });
}

/// Hands each packet to `route`, which may change it, and sends it to the address that it returns.
pub fn relay(
    socket: &UdpSocket,
    mut route: impl FnMut(&mut [u8]) -> Option<Ipv4Addr>,
) -> Result<(), Box<dyn Error>> {
    let mut buffer = [0; 2048];
    loop {
        let (length, _) = socket.recv_from(&mut buffer)?;
        let packet = &mut buffer[..length];
        if let Some(next) = route(packet) {
            socket.send_to(packet, (next, PORT))?;
        }
    }
}
