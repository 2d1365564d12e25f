//! Whether standard input and output are open, and the right way round.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in the place of a standard descriptor that is
//! closed, and its `io` takes a descriptor of the wrong direction for an empty one. So `>&-` and
//! `0>file` would look like success. `/dev/null` itself does not tell: Python's `DEVNULL` and
//! daemons open it for both directions, too. So we look before the runtime does. Only Linux lets us.

use std::io::{self, Read, Write};

/// What stands for standard input in a read.
pub fn stdin() -> Box<dyn Read + Send> {
    match state::is_readable() {
        true => Box::new(io::stdin()),
        false => {
            Box::new(Unusable("it is closed or not open for reading; redirect it from a file"))
        }
    }
}

/// Whether standard input can be read.
pub fn is_stdin_readable() -> bool {
    state::is_readable()
}

/// What stands for standard output in a write, if it cannot be written.
pub fn unusable_stdout() -> Option<Unusable> {
    let cause = "it is closed or not open for writing; to discard the output, use > /dev/null";
    (!state::is_writable()).then_some(Unusable(cause))
}

/// A stream that fails. Writing nothing to it is no error.
pub struct Unusable(&'static str);

impl Read for Unusable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0))
    }
}

impl Write for Unusable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() { Ok(0) } else { Err(io::Error::other(self.0)) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod state {
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::sync::atomic::{AtomicBool, Ordering};

    static READABLE: AtomicBool = AtomicBool::new(true);
    static WRITABLE: AtomicBool = AtomicBool::new(true);

    /// The loader calls it before `main`. It makes two system calls and needs nothing of the runtime.
    extern "C" fn look() {
        let is = |flags: rustix::io::Result<OFlags>, not| {
            flags.is_ok_and(|flags| flags & OFlags::ACCMODE != not)
        };
        let stdin = fcntl_getfl(rustix::stdio::stdin());
        READABLE.store(is(stdin, OFlags::WRONLY), Ordering::Relaxed);
        let stdout = fcntl_getfl(rustix::stdio::stdout());
        WRITABLE.store(is(stdout, OFlags::RDONLY), Ordering::Relaxed);
    }

    // SAFETY: the section holds pointers to functions that the loader calls, and this is one.
    #[expect(unsafe_code, reason = "the only way to see the descriptors before the runtime does")]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    pub fn is_readable() -> bool {
        READABLE.load(Ordering::Relaxed)
    }

    pub fn is_writable() -> bool {
        WRITABLE.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod state {
    pub fn is_readable() -> bool {
        true
    }

    pub fn is_writable() -> bool {
        true
    }
}
