//! Real traffic on the loopback interface, and a packet socket that sees it.

use super::pcap::{Capture, Progress, Segment};
use crate::demo::child::{Child, orders};
use crate::demo::http::{Client, Response, listen, serve};
use crate::demo::{NotRun, Outcome};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_recv_buffer_size_force, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, eth, recv, socket_with};
use std::error::Error;
use std::time::{Duration, Instant};

/// Bytes of a request: several packets.
const REQUEST: usize = 1 << 17;
/// Until the packets of a request must have been captured.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that takes whatever it gets.
#[derive(clap::Args, Debug)]
pub struct SinkArgs {}

impl SinkArgs {
    /// Serves until the parent ends.
    pub fn run(&self) -> Outcome {
        serve(listen()?, |_| Response::empty(204));
        orders().for_each(drop);
        Ok(())
    }
}

/// Sends bytes to a server in another process, and captures the packets.
pub(super) fn record(bytes: &[u8]) -> Result<Capture, Box<dyn Error>> {
    // Others may send so much at the same time that packets get lost.
    for _ in 0..3 {
        if let Some(capture) = try_record(bytes)? {
            return Ok(capture);
        }
    }
    Err("the capture loses packets, since other programs send too many; run it again".into())
}

fn try_record(bytes: &[u8]) -> Result<Option<Capture>, Box<dyn Error>> {
    let (_sink, port) = Child::server("detection-sink", &[])?;
    let tap = open()?;
    let mut client = Client::new(port)?;
    let mut capture = Capture { packets: Vec::new() };
    // Not the bytes of all packets: TCP sends some twice, and the last ones would be left out.
    let mut progress = Progress::default();
    let mut buffer = vec![0; 1 << 17];
    for body in bytes.chunks(REQUEST) {
        client.send("POST /", "", body)?;
        let start = Instant::now();
        while progress.bytes() < client.bytes.0 {
            // Packets of others arrive, too, so that the socket's own time limit is not enough.
            if start.elapsed() > PATIENCE {
                return Ok(None);
            }
            let length = match recv(&tap, &mut buffer[..], RecvFlags::empty()) {
                Ok((length, _)) => length,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let Some(segment) = Segment::of(&buffer[..length]) else { continue };
            if segment.flow.3 == port {
                progress.add(&segment);
                capture.packets.push(buffer[..length].to_vec());
            }
        }
    }
    Ok(Some(capture))
}

/// A socket that sees each packet of IPv4 as it comes in.
fn open() -> Result<OwnedFd, Box<dyn Error>> {
    let flags = SocketFlags::CLOEXEC;
    // Without the header of the link.
    let tap = socket_with(AddressFamily::PACKET, SocketType::DGRAM, flags, Some(eth::IP));
    let tap = tap.map_err(|error| {
        NotRun(format!("no capture here ({error}); run it as root, or give one with --capture"))
    })?;
    // As much as the system allows: a smaller one loses packets if others send many.
    let _ = set_socket_recv_buffer_size_force(&tap, 32 << 20);
    set_socket_timeout(&tap, Timeout::Recv, Some(Duration::from_secs(3)))?;
    Ok(tap)
}
