//! How tests run under Shuttle, and its threads. The program's tests use this file, too.
#![allow(
    clippy::allow_attributes,
    dead_code,
    unused_imports,
    missing_docs,
    reason = "each crate uses a part of it"
)]

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

/// Runs a test in many schedules: half of them random, half of them with few switches, of which the
/// rare ones are likelier. The number of schedules is multiplied by `ANTHER_MODEL_TIMES`.
pub fn check(schedules: usize, test: impl Fn() + Send + Sync + Copy + 'static) {
    let times = std::env::var("ANTHER_MODEL_TIMES").map_or(1, |times| times.parse().unwrap());
    let half = schedules * times / 2;
    let run = |scheduler: Box<dyn Scheduler + Send>| {
        let mut config = Config::new();
        config.stack_size = 1 << 18;
        config.silence_warnings = true;
        Runner::new(scheduler, config).run(test)
    };
    let random = run(Box::new(RandomScheduler::new_from_seed(25, half)));
    let few = run(Box::new(PctScheduler::new_from_seed(25, 3, half)));
    println!("schedules: {}", random + few);
}

/// Shuttle's threads, with what the standard library's have besides.
pub mod thread {
    use shuttle::thread::{JoinHandle, Scope};
    pub use shuttle::thread::{ScopedJoinHandle, scope, yield_now};
    use std::io;
    pub use std::thread::{available_parallelism, panicking};

    pub struct Builder;

    impl Builder {
        pub fn new() -> Builder {
            Builder
        }

        pub fn spawn<T: Send + 'static>(
            self,
            work: impl FnOnce() -> T + Send + 'static,
        ) -> io::Result<JoinHandle<T>> {
            Ok(shuttle::thread::spawn(work))
        }

        pub fn spawn_scoped<'scope, T: Send + 'scope>(
            self,
            scope: &'scope Scope<'scope, '_>,
            work: impl FnOnce() -> T + Send + 'scope,
        ) -> io::Result<ScopedJoinHandle<'scope, T>> {
            Ok(scope.spawn(work))
        }
    }
}
