//! Standard input, read by a thread of its own.
//!
//! Whoever waits for a pipe waits until it brings something. When the answer is known before
//! (`check -q`, or nobody reads our output any more), the program should end at once, so those who
//! work wait for the thread, which can be told to stop waiting, and not for the pipe, which cannot.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// What one read brings at most.
const BLOCK: usize = 1 << 18;

/// Blocks that may wait to be read.
const WAITING: usize = 2;

/// Standard input, and how to end it.
pub struct Piped {
    /// The bytes.
    pub reader: Blocks,
    /// Ends them.
    pub end: End,
}

type Block = io::Result<Vec<u8>>;

/// The bytes of a stream, block by block.
pub struct Blocks {
    blocks: Receiver<Block>,
    block: Vec<u8>,
    at: usize,
    ended: bool,
}

/// Ends a stream for those who wait for it.
pub struct End(SyncSender<Block>);

impl End {
    /// No more bytes. Where blocks are waiting, nobody waits for them, so a full queue is as good.
    pub fn now(&self) {
        let _ = self.0.try_send(Ok(Vec::new()));
    }
}

impl Piped {
    /// Begins to read standard input.
    pub fn stdin() -> Piped {
        Piped::of(io::stdin())
    }

    fn of(mut source: impl Read + Send + 'static) -> Piped {
        let (sender, blocks) = sync_channel(WAITING);
        let end = End(sender.clone());
        // It ends with its stream, with those who read it, or with the process.
        thread::spawn(move || {
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
