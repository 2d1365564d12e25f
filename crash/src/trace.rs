//! Runs a program under ptrace: somebody sees each system call before and after, may let it fail or
//! shorten it, and may kill the program instead.
//!
//! Not strace, which cannot shorten a write, nor a preloaded library, which does not see the system
//! calls of crates that go without libc.

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use std::{env, io};

/// A system call of a thread, on x86-64.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub thread: i32,
    pub number: i64,
    pub arguments: [u64; 6],
}

/// What becomes of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Run,
    /// It is not made, and fails with this error.
    Fail(i32),
    /// It writes only this many bytes.
    Shorten(u64),
    /// The program is killed instead.
    Kill,
}

/// Observes the system calls of a program.
pub trait Observer {
    /// Before a call.
    fn enters(&mut self, call: &Call) -> Verdict;
    /// After it, with its result: an error is negative.
    fn leaves(&mut self, call: &Call, result: i64);
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
    /// It ran for longer than a minute, and was killed.
    Hung,
}

impl Ended {
    pub fn of(status: ExitStatus) -> Ended {
        use std::os::unix::process::ExitStatusExt;
        match status.code() {
            Some(code) => Ended::Code(code),
            None => Ended::Signal(status.signal().unwrap_or(0)),
        }
    }
}

/// The hidden verb by which this program starts another to be traced.
pub const TRACED: &str = "traced";

/// Becomes the program to be traced: it stops when it is loaded.
pub fn become_traced(command: &[String]) -> io::Error {
    let Some((program, arguments)) = command.split_first() else {
        return io::Error::other("no program");
    };
    match ptrace::traceme() {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error.into(),
    }
}

/// A command that will be traced. Its folder and streams are the caller's to set.
pub fn traced(program: &str, arguments: &[String]) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(TRACED).arg(program).args(arguments);
    Ok(command)
}

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command made by [`traced`] to its end.
pub fn run(mut command: Command, observer: &mut dyn Observer) -> io::Result<Ended> {
    let child = command.spawn()?;
    let main = Pid::from_raw(child.id().cast_signed());
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let hung = is_done.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if hung {
            let _ = kill(main, Signal::SIGKILL);
        }
        hung
    });
    let ended = follow(main, observer);
    drop(done);
    let hung = watch.join().unwrap_or(false);
    if hung { Ok(Ended::Hung) } else { ended.map_err(io::Error::from) }
}

fn follow(main: Pid, observer: &mut dyn Observer) -> nix::Result<Ended> {
    // Calls that were entered and not left.
    let mut inside: HashMap<Pid, (Call, Verdict)> = HashMap::new();
    let (mut ended, mut is_loaded) = (None, false);
    // Threads, too, but not the children of other threads of ours.
    let which = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    loop {
        let (thread, signal) = match waitpid(Pid::from_raw(-1), Some(which)) {
            Err(Errno::ECHILD) => break,
            Err(Errno::EINTR) => continue,
            Err(error) => return Err(error),
            Ok(WaitStatus::Exited(thread, code)) => {
                if thread == main {
                    ended = Some(Ended::Code(code));
                }
                continue;
            }
            Ok(WaitStatus::Signaled(thread, signal, _)) => {
                if thread == main {
                    ended = Some(Ended::Signal(signal as i32));
                }
                continue;
            }
            Ok(WaitStatus::PtraceSyscall(thread)) => {
                gone_or(at_call(main, thread, &mut inside, observer))?;
                (thread, None)
            }
            Ok(WaitStatus::Stopped(thread, Signal::SIGTRAP)) if thread == main && !is_loaded => {
                is_loaded = true;
                let options = Options::PTRACE_O_TRACESYSGOOD
                    | Options::PTRACE_O_TRACECLONE
                    | Options::PTRACE_O_EXITKILL;
                ptrace::setoptions(thread, options)?;
                (thread, None)
            }
            // A new thread.
            Ok(WaitStatus::Stopped(thread, Signal::SIGSTOP)) => (thread, None),
            Ok(WaitStatus::Stopped(thread, signal)) => (thread, Some(signal)),
            Ok(WaitStatus::PtraceEvent(thread, ..)) => (thread, None),
            Ok(_) => continue,
        };
        gone_or(ptrace::syscall(thread, signal))?;
    }
    ended.ok_or(Errno::ECHILD)
}

/// A thread that was killed meanwhile is no error.
fn gone_or(result: nix::Result<()>) -> nix::Result<()> {
    if result == Err(Errno::ESRCH) { Ok(()) } else { result }
}

fn at_call(
    main: Pid,
    thread: Pid,
    inside: &mut HashMap<Pid, (Call, Verdict)>,
    observer: &mut dyn Observer,
) -> nix::Result<()> {
    let mut registers = ptrace::getregs(thread)?;
    if let Some((call, verdict)) = inside.remove(&thread) {
        if let Verdict::Fail(error) = verdict {
            registers.rax = (-i64::from(error)).cast_unsigned();
            ptrace::setregs(thread, registers)?;
        }
        if let Verdict::Shorten(_) = verdict {
            // The caller's register, which a system call leaves alone.
            registers.rdx = call.arguments[2];
            ptrace::setregs(thread, registers)?;
        }
        observer.leaves(&call, registers.rax.cast_signed());
        return Ok(());
    }
    let call = Call {
        thread: thread.as_raw(),
        number: registers.orig_rax.cast_signed(),
        arguments: [
            registers.rdi,
            registers.rsi,
            registers.rdx,
            registers.r10,
            registers.r8,
            registers.r9,
        ],
    };
    if call.number == libc::SYS_exit_group || call.number == libc::SYS_exit {
        observer.enters(&call);
        return Ok(());
    }
    let verdict = observer.enters(&call);
    match verdict {
        Verdict::Run => {}
        Verdict::Fail(_) => {
            registers.orig_rax = u64::MAX;
            ptrace::setregs(thread, registers)?;
        }
        Verdict::Shorten(bytes) => {
            registers.rdx = bytes;
            ptrace::setregs(thread, registers)?;
        }
        Verdict::Kill => kill(main, Signal::SIGKILL)?,
    }
    inside.insert(thread, (call, verdict));
    Ok(())
}
