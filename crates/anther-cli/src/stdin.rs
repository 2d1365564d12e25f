//! Standard input, read by its own thread unless it is a file.
//!
//! A read from a pipe cannot be cancelled. If the answer is known early (`check -q`, or the reader of
//! our output is gone), the program should end at once. So the workers wait for this thread, which
//! can be told to stop, and not for the pipe.

use crate::descriptors;
use crate::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use crate::sync::thread;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

/// The most bytes per read.
const BLOCK: usize = 1 << 18;

/// The capacity of the queue, in blocks.
const WAITING: usize = 2;

/// Standard input, and a way to end it early if it may keep us waiting. A file does not, and is
/// read without the thread: that saves a copy.
pub fn open() -> (Box<dyn Read + Send>, Option<End>) {
    match as_file().filter(|_| descriptors::is_stdin_readable()) {
        Some(file) => (Box::new(UntilEnd { file, ended: false }), None),
        None => {
            let (reader, end) = piped(descriptors::stdin());
            (reader, Some(end))
        }
    }
}

/// A stream that may keep us waiting, and a way to end it early.
pub fn piped(source: impl Read + Send + 'static) -> (Box<dyn Read + Send>, End) {
    let Piped { reader, end } = Piped::of(source);
    (Box::new(reader), end)
}

/// Standard input, if it is a regular file.
pub fn as_file() -> Option<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().ok()?;
    #[cfg(windows)]
    let owned =
        std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().ok()?;
    let file = File::from(owned);
    file.metadata().ok().filter(|meta| meta.is_file()).map(|_| file)
}

/// A file that has ended once its end was seen, even if it grows afterwards: a last line without a
/// line ending would become two.
struct UntilEnd {
    file: File,
    ended: bool,
}

impl Read for UntilEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let read = self.file.read(buffer)?;
        self.ended = read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

/// A stream, and a way to end it early.
struct Piped {
    reader: Blocks,
    end: End,
}

/// Bytes of one read.
#[derive(Default)]
struct Block {
    buffer: Vec<u8>,
    filled: usize,
}

/// The bytes of a stream, block by block.
struct Blocks {
    blocks: Receiver<io::Result<Block>>,
    /// Blocks that were read go back: new ones would be new memory, which costs as much as reading.
    used: Sender<Block>,
    block: Block,
    at: usize,
    ended: bool,
}

/// Ends a stream early.
pub struct End(SyncSender<io::Result<Block>>);

impl End {
    /// Ends it now. If the queue is full, nobody is waiting, so nothing need be sent.
    pub fn now(&self) {
        let _ = self.0.try_send(Ok(Block::default()));
    }
}

impl Piped {
    fn of(mut source: impl Read + Send + 'static) -> Piped {
        let (sender, blocks) = sync_channel(WAITING);
        let (used, free) = channel::<Block>();
        let end = End(sender.clone());
        // The thread ends with its stream, with its receiver, or with the process.
        let started = thread::Builder::new().spawn(move || {
            loop {
                let mut block = free.try_recv().unwrap_or_default();
                block.buffer.resize(BLOCK, 0);
                let read = loop {
                    match source.read(&mut block.buffer) {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        read => break read,
                    }
                };
                let last = !matches!(read, Ok(1..));
                if sender.send(read.map(|filled| Block { filled, ..block })).is_err() || last {
                    break;
                }
            }
        });
        // A limit on processes: then this error is all that is read.
        if let Err(error) = started {
            let _ = end.0.try_send(Err(error));
        }
        let block = Block::default();
        Piped { reader: Blocks { blocks, used, block, at: 0, ended: false }, end }
    }
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.filled && !self.ended {
            let _ = self.used.send(std::mem::take(&mut self.block));
            self.at = 0;
            self.block = match self.blocks.recv() {
                Ok(block) => block?,
                Err(_) => Block::default(),
            };
            self.ended = self.block.filled == 0;
        }
        let read = (&self.block.buffer[self.at..self.block.filled]).read(buffer)?;
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
        let (_never, silence) = channel();
        let mut piped = Piped::of(Silent(silence));
        piped.end.now();
        assert_eq!(piped.reader.read(&mut [0; 8]).unwrap(), 0);
    }
}
