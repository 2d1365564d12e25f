//! Many lines through a pipe: nothing is kept on disk but what the program itself spills.

use super::lines::{self, LENGTH, Remains};
use crate::process;
use std::error::Error;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// Sends `count` lines through `anther uniq` with these options; says what it took. An error if a
/// line is missing or printed twice.
pub fn run(count: u64, options: &[String]) -> Result<(), Box<dyn Error>> {
    let program = process::built()?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .arg("uniq")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipe")?;
    let written = thread::spawn(move || lines::write(count, input));
    let found = Remains::read(output)?;
    let cost = process::wait(child.id(), start)?;
    let written = written.join().map_err(|_| "the thread that writes lines panicked")?;
    // A program that has stopped reads no further; why it stopped comes first.
    if cost.code != 0 {
        return Err(format!("anther uniq ended with {}", cost.code).into());
    }
    written?;
    let distinct = count.div_ceil(2);
    println!(
        "{count} lines of {LENGTH} bytes, {distinct} distinct: {:.0} s, {:.0} MB at the peak, {:.2} bytes per \
         distinct line",
        cost.seconds,
        cost.bytes as f64 / 1e6,
        cost.bytes as f64 / distinct as f64
    );
    let expected = Remains::expected(count);
    if (found.lines, found.set) != (expected.lines, expected.set) {
        return Err(format!("{} lines remain, not {}, or others", found.lines, distinct).into());
    }
    let order = if found == expected { "in their order" } else { "some at the end" };
    println!("each distinct line remains once, {order}");
    Ok(())
}
