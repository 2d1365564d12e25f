//! Captures in the format of pcap: read and written, and the byte streams in them.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::time::{SystemTime, UNIX_EPOCH};

const MAGIC: u32 = 0xA1B2_C3D4;
/// The same with nanoseconds.
const MAGIC_NANOSECONDS: u32 = 0xA1B2_3C4D;
/// Packets begin with the header of IP.
const LINK_RAW: u32 = 101;
const LINK_ETHERNET: u32 = 1;
const LINK_COOKED: u32 = 113;
const SNAP: u32 = 1 << 18;

/// A capture.
#[derive(Debug)]
pub(super) struct Capture {
    /// Packets, each from the header of IP on.
    pub(super) packets: Vec<Vec<u8>>,
}

impl Capture {
    /// The bytes of its file. Times are now, since nobody looks at them.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = u32::try_from(now.as_secs()).unwrap_or(0);
        let mut bytes = Vec::new();
        for field in [MAGIC, 2 | 4 << 16, 0, 0, SNAP, LINK_RAW] {
            bytes.extend(field.to_le_bytes());
        }
        for packet in &self.packets {
            let length = u32::try_from(packet.len()).unwrap_or(0);
            for field in [seconds, now.subsec_micros(), length, length] {
                bytes.extend(field.to_le_bytes());
            }
            bytes.extend(packet);
        }
        bytes
    }

    /// Reads a file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Capture, String> {
        let field = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
        };
        let magic = field(0).unwrap_or(0);
        let known = [MAGIC, MAGIC_NANOSECONDS];
        let swap = known.contains(&magic.swap_bytes());
        if !swap && !known.contains(&magic) {
            return Err("not a capture in pcap format; convert it with `editcap -F pcap`".into());
        }
        let field = |at| field(at).map(|field| if swap { field.swap_bytes() } else { field });
        let skip = match field(20).map(|link| link & 0xFFFF) {
            Some(LINK_RAW) => 0,
            Some(LINK_ETHERNET) => 14,
            Some(LINK_COOKED) => 16,
            link => return Err(format!("link type {link:?} is not read; use Ethernet or raw IP")),
        };
        let mut packets = Vec::new();
        let mut at = 24;
        while at < bytes.len() {
            let length = field(at + 8).and_then(|length| usize::try_from(length).ok());
            let packet = length.and_then(|length| bytes.get(at + 16..)?.get(..length));
            let packet =
                packet.ok_or_else(|| format!("truncated at byte {at}; capture it again"))?;
            packets.push(packet.get(skip..).unwrap_or(&[]).to_vec());
            at += 16 + packet.len();
        }
        Ok(Capture { packets })
    }

    /// The bytes of every TCP connection and direction in order, and of every UDP packet. A gap, where
    /// the capture lost something, begins another piece.
    pub(super) fn streams(&self) -> Vec<Vec<u8>> {
        let mut flows: HashMap<Flow, Vec<Segment<'_>>> = HashMap::new();
        let mut order = Vec::new();
        let mut pieces = Vec::new();
        for segment in self.packets.iter().filter_map(|packet| Segment::of(packet)) {
            if segment.is_datagram {
                pieces.push(segment.bytes.to_vec());
                continue;
            }
            let segments = flows.entry(segment.flow).or_default();
            if segments.is_empty() {
                order.push(segment.flow);
            }
            segments.push(segment);
        }
        for mut segments in order.iter().filter_map(|flow| flows.remove(flow)) {
            let start = segments.first().map_or(0, |segment| segment.sequence);
            // Numbers wrap around; a connection here has less than 2³¹ bytes.
            let place = |segment: &Segment<'_>| segment.sequence.wrapping_sub(start).cast_signed();
            segments.sort_by_key(place);
            let (mut piece, mut next) = (Vec::new(), segments.first().map_or(0, place));
            for segment in &segments {
                let repeated = next.saturating_sub(place(segment));
                if repeated < 0 {
                    pieces.push(std::mem::take(&mut piece));
                }
                let repeated = usize::try_from(repeated).unwrap_or(0);
                piece.extend(segment.bytes.get(repeated..).unwrap_or(&[]));
                let length = i32::try_from(segment.bytes.len()).unwrap_or(i32::MAX);
                next = next.max(place(segment).saturating_add(length));
            }
            pieces.push(piece);
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

/// Addresses and ports, from and to.
pub(super) type Flow = (Ipv4Addr, u16, Ipv4Addr, u16);

/// What a packet carries.
#[derive(Debug)]
pub(super) struct Segment<'a> {
    pub(super) flow: Flow,
    pub(super) bytes: &'a [u8],
    sequence: u32,
    is_datagram: bool,
}

impl<'a> Segment<'a> {
    /// Of a packet of IPv4 that is TCP or UDP and no fragment.
    pub(super) fn of(packet: &'a [u8]) -> Option<Segment<'a>> {
        const FRAGMENT: u16 = 0x3FFF;
        let number = |at: usize| {
            Some(u16::from_le_bytes(packet.get(at..)?.first_chunk().copied()?).swap_bytes())
        };
        let address =
            |at: usize| Some(Ipv4Addr::from(packet.get(at..)?.first_chunk::<4>().copied()?));
        let first = *packet.first()?;
        let header = usize::from(first & 15) * 4;
        if first >> 4 != 4 || header < 20 || number(6)? & FRAGMENT != 0 {
            return None;
        }
        let whole = packet.get(..usize::from(number(2)?))?;
        let flow = (address(12)?, number(header)?, address(16)?, number(header + 2)?);
        match whole.get(9)? {
            6 => {
                let sequence =
                    u32::from(number(header + 4)?) << 16 | u32::from(number(header + 6)?);
                let offset = usize::from(whole.get(header + 12)? >> 4) * 4;
                // The opening packet counts as one byte.
                let sequence = sequence.wrapping_add(u32::from(whole.get(header + 13)? >> 1 & 1));
                let bytes = whole.get(header + offset..)?;
                Some(Segment { flow, bytes, sequence, is_datagram: false })
            }
            17 => Some(Segment {
                flow,
                bytes: whole.get(header + 8..)?,
                sequence: 0,
                is_datagram: true,
            }),
            _ => None,
        }
    }
}

/// How much of one connection was seen, from its first byte on without a gap. A segment that TCP
/// sends again counts once.
#[derive(Debug, Default)]
pub(super) struct Progress {
    first: Option<(Flow, u32)>,
    seen: u32,
    /// Where pieces after a gap begin and end.
    later: BTreeMap<u32, u32>,
}

impl Progress {
    /// Another segment. Those of other connections than the first one's do not count.
    pub(super) fn add(&mut self, segment: &Segment<'_>) {
        let (flow, start) = *self.first.get_or_insert((segment.flow, segment.sequence));
        let from = segment.sequence.wrapping_sub(start);
        let length = u32::try_from(segment.bytes.len()).unwrap_or(0);
        // A connection here has less than 2³¹ bytes: what is further on was before the start.
        if segment.is_datagram || segment.flow != flow || from > u32::MAX / 2 {
            return;
        }
        let end = self.later.entry(from).or_default();
        *end = (*end).max(from.saturating_add(length));
        while let Some(entry) = self.later.first_entry().filter(|one| *one.key() <= self.seen) {
            self.seen = self.seen.max(entry.remove());
        }
    }

    /// Bytes without a gap.
    pub(super) fn bytes(&self) -> u64 {
        self.seen.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP packet from port 1 to port 2.
    fn tcp(sequence: u32, bytes: &[u8]) -> Vec<u8> {
        let length = u16::try_from(40 + bytes.len()).unwrap().swap_bytes().to_le_bytes();
        let mut packet = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, 6, 0, 0];
        packet.extend([127, 0, 0, 1, 127, 0, 0, 1, 0, 1, 0, 2]);
        packet.extend(sequence.swap_bytes().to_le_bytes());
        packet.extend([0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]);
        packet.extend(bytes);
        packet
    }

    #[test]
    fn segments_are_put_in_order() {
        let start = u32::MAX - 2;
        let packets = vec![
            tcp(start, b"abc"),
            tcp(start.wrapping_add(6), b"gh"),
            tcp(start.wrapping_add(3), b"def"),
            tcp(start.wrapping_add(3), b"def"),
            tcp(start.wrapping_add(20), b"lost before"),
            vec![0x60; 60],
            vec![0x45],
        ];
        let capture = Capture { packets };
        let bytes = capture.to_bytes();
        let again = Capture::from_bytes(&bytes).unwrap();
        assert_eq!(again.packets, capture.packets);
        assert_eq!(again.streams(), [b"abcdefgh".to_vec(), b"lost before".to_vec()]);
        for end in 0..bytes.len() {
            // Cut anywhere: an error or fewer packets, never a panic.
            let _ = Capture::from_bytes(&bytes[..end]).map(|capture| capture.streams());
        }
    }

    #[test]
    fn what_is_sent_again_counts_once() {
        let start = u32::MAX - 2;
        let mut progress = Progress::default();
        for (at, bytes, seen) in [
            (0, &b"abc"[..], 3),
            (0, b"abc", 3),
            (6, b"gh", 3),
            (6, b"ghi", 3),
            (1, b"bcd", 4),
            (u32::MAX, b"", 4),
            (4, b"ef", 9),
            (3, b"def", 9),
        ] {
            let packet = tcp(start.wrapping_add(at), bytes);
            progress.add(&Segment::of(&packet).unwrap());
            assert_eq!(progress.bytes(), seen, "after {at}");
        }
        let mut other = tcp(start.wrapping_add(9), b"another connection");
        other[21] = 9;
        progress.add(&Segment::of(&other).unwrap());
        assert_eq!(progress.bytes(), 9);
    }
}
