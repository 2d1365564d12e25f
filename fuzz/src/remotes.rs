//! Lookups that read ranges of a file, from a server that may send anything.

use crate::forged::{self, MOST, State};
use crate::input::Input;
use anther::remote::{ReadRanges, Reads, Remote};
use anther::{AnyFilter, Filter, KeyHash, Open};
use std::io;
use std::ops::Range;

/// A forged file can make a lookup read on and on, a line at a time, and start over each time.
const MOST_REPLIES: u8 = 8;

/// A server that does one thing wrong, in one of its replies.
struct Server<'a> {
    file: &'a [u8],
    wrong: u8,
    in_reply: u8,
    replies: u8,
}

impl ReadRanges for Server<'_> {
    fn read_ranges(&mut self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let end = self.file.len() as u64;
        let part = |it: &Range<u64>| {
            self.file[it.start.min(end) as usize..it.end.min(end) as usize].to_vec()
        };
        let mut parts: Vec<_> = ranges.iter().map(part).collect();
        self.replies += 1;
        if self.replies > MOST_REPLIES {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if self.replies == self.in_reply + 1 {
            let part = parts.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
            match self.wrong {
                1 => part.truncate(part.len() / 2),
                2 => part.push(0),
                3 => part.iter_mut().skip(100).for_each(|byte| *byte ^= 1),
                4 => drop(parts.pop()),
                5 => parts.push(vec![7; 64]),
                6 => part.iter_mut().skip(usize::from(self.in_reply)).for_each(|byte| *byte = 0xFF),
                _ => {}
            }
        }
        Ok(parts)
    }
}

/// What the server does wrong and when, and the file. A server that does nothing wrong gives the
/// answers of the file.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (wrong, in_reply) = (input.byte(), input.byte() % 4);
    let reads = if wrong & 8 == 0 { Reads::Pages } else { Reads::Lines };
    let Some(file) = forged::container(input.0, State::Closed, MOST) else { return };
    let open = Open::new().without_hashing();
    let mut server = Server { file: &file, wrong: wrong & 7, in_reply, replies: 0 };
    let Ok(mut remote) = Remote::open(&mut server, open, reads) else { return };
    remote.keep(usize::from(wrong) * 64);
    let keys = [0, u64::MAX, 0x0123_4567_89AB_CDEF].map(KeyHash);
    let found = remote.contains_hashes(&mut server, &keys);
    let again = remote.contains_hashes(&mut server, &keys[1..]);
    if let (Ok(found), Ok(again)) = (&found, &again)
        && !(1..7).contains(&(wrong & 7))
    {
        assert_eq!(found[1..], again[..]);
        if let Ok(filter) = open.bytes::<AnyFilter>(&file) {
            assert_eq!(found[..], keys.map(|key| filter.contains_hash(key)), "{}", filter.kind());
        }
    }
}
