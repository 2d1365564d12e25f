//! How long a command took, by the clock and by the processor.

use std::fmt;
use std::time::{Duration, Instant};

/// Runs from its start.
pub struct Clock {
    start: Instant,
    cpu: Option<Duration>,
}

/// What a clock shows.
pub struct Time {
    pub wall: Duration,
    /// Of all processes that were started and have ended meanwhile; known on Linux only.
    pub cpu: Option<Duration>,
}

impl Clock {
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu: children() }
    }

    pub fn read(&self) -> Time {
        let cpu = children().zip(self.cpu).map(|(now, then)| now.saturating_sub(then));
        Time { wall: self.start.elapsed(), cpu }
    }
}

/// `2 min 5 s (3 min 20 s of CPU time)`.
impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&minutes(self.wall))?;
        self.cpu.map_or(Ok(()), |cpu| write!(out, " ({} of CPU time)", minutes(cpu)))
    }
}

fn minutes(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// CPU time of all children so far, user and system.
fn children() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 16 and 17 of `/proc/self/stat`, in ticks of 10 ms. The second field is the program's
/// name in parentheses, which may have spaces.
fn parse(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read_from_stat() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 90 8 0 0 11 12 345 55 20 0 1 0 99";
        assert_eq!(parse(stat), Some(Duration::from_secs(4)));
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    fn times_are_printed_in_minutes() {
        let time = |wall, cpu| Time {
            wall: Duration::from_millis(wall),
            cpu: Some(Duration::from_millis(cpu)),
        };
        assert_eq!(time(59_940, 200_500).to_string(), "59.9 s (3 min 20 s of CPU time)");
    }
}
