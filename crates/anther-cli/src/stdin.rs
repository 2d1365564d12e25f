//! Standard input, read by its own thread.
//!
//! A read from a pipe cannot be cancelled. If the answer is known early (`check -q`, or the reader of
//! our output is gone), the program should end at once. So the workers wait for this thread, which
//! can be told to stop, and not for the pipe.

use crate::descriptors;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The most bytes per read.
const BLOCK: usize = 1 << 18;

/// The capacity of the queue, in blocks.
const WAITING: usize = 2;

/// Standard input, and a way to end it early.
pub struct Piped {
    /// The bytes.
    pub reader: Blocks,
    /// Ends them.
    pub end: End,
}

type ReadResult = io::Result<Vec<u8>>;

/// The bytes of a stream, block by block.
pub struct Blocks {
    blocks: Receiver<ReadResult>,
    block: Vec<u8>,
    at: usize,
    ended: bool,
}

/// Ends a stream early.
pub struct End(SyncSender<ReadResult>);

impl End {
    /// Ends it now. If the queue is full, nobody is waiting, so nothing need be sent.
    pub fn now(&self) {
        let _ = self.0.try_send(Ok(Vec::new()));
    }
}

impl Piped {
    /// Starts reading standard input.
    pub fn stdin() -> Piped {
        Piped::of(descriptors::stdin())
    }

    fn of(mut source: impl Read + Send + 'static) -> Piped {
        let (sender, blocks) = sync_channel(WAITING);
        let end = End(sender.clone());
        // The thread ends with its stream, with its receiver, or with the process.
        let started = thread::Builder::new().spawn(move || {
            loop {
                let mut block = vec![0; BLOCK];
                let read = match source.read(&mut block) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read,
                };
                let last = !matches!(read, Ok(1..));
                let block = read.map(|read| {
                    block.truncate(read);
                    block
                });
                if sender.send(block).is_err() || last {
                    break;
                }
            }
        });
        // A limit on processes: then this error is all that is read.
        if let Err(error) = started {
            let _ = end.0.try_send(Err(error));
        }
        Piped { reader: Blocks { blocks, block: Vec::new(), at: 0, ended: false }, end }
    }
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() && !self.ended {
            self.block = match self.blocks.recv() {
                Ok(block) => block?,
                Err(_) => Vec::new(),
            };
            self.at = 0;
            self.ended = self.block.is_empty();
        }
        let read = (&self.block[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_come_in_order() {
        let text: Vec<u8> = (0..=250).cycle().take(3 * BLOCK + 17).collect();
        let mut all = Vec::new();
        Piped::of(io::Cursor::new(text.clone())).reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, text);
    }

    #[test]
    fn waiting_ends_when_told() {
        /// Never brings anything.
        struct Silent(Receiver<()>);
        impl Read for Silent {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                let _ = self.0.recv();
                Ok(0)
            }
        }
        let (_never, silence) = std::sync::mpsc::channel();
        let mut piped = Piped::of(Silent(silence));
        piped.end.now();
        assert_eq!(piped.reader.read(&mut [0; 8]).unwrap(), 0);
    }
}
