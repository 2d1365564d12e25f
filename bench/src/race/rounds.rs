//! Alternated rounds, and what is made of their times.

use crate::statistics::median;
use std::time::Instant;

/// Nanoseconds per key of one contender, a number for each round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// The middle of the rounds.
    pub fn median(&self) -> f64 {
        median(&mut self.0.clone())
    }

    /// How many times as long as the other it took: the middle of the rounds' ratios.
    pub fn over(&self, other: &Times) -> f64 {
        median(&mut self.0.iter().zip(&other.0).map(|(own, other)| own / other).collect::<Vec<_>>())
    }

    /// How much longer than the other it took: the middle of the rounds' differences.
    pub fn minus(&self, other: &Times) -> f64 {
        median(&mut self.0.iter().zip(&other.0).map(|(own, other)| own - other).collect::<Vec<_>>())
    }
}

/// Does its work in a round, of the given number, and gives nanoseconds per key.
pub type Runner<'a> = Box<dyn FnMut(usize) -> f64 + 'a>;

/// Every runner once a round; each round begins with the next of them.
pub fn alternate(rounds: usize, runners: &mut [Runner<'_>]) -> Vec<Times> {
    let mut times = vec![Times::default(); runners.len()];
    for round in 0..rounds {
        for turn in 0..runners.len() {
            let at = (round + turn) % runners.len();
            times[at].0.push(runners[at](round));
        }
    }
    times
}

/// Nanoseconds per key that the work takes, and what it gives.
pub fn timed<T>(keys: usize, work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed().as_secs_f64() * 1e9 / keys as f64, done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// The machine is ten times as slow in the second round, and everybody with it.
    #[test]
    fn a_ratio_is_of_the_same_round() {
        let (ours, other) = (Times(vec![1.0, 10.0, 2.0]), Times(vec![3.0, 30.0, 4.0]));
        assert_eq!((other.over(&ours), other.minus(&ours)), (3.0, 2.0));
        assert_eq!((other.median(), ours.median()), (4.0, 2.0));
    }

    #[test]
    fn everybody_runs_once_a_round_and_begins_in_turn() {
        let order = RefCell::new(Vec::new());
        let runner = |name: char| -> Runner<'_> {
            let order = &order;
            Box::new(move |round| {
                order.borrow_mut().push((round, name));
                round as f64
            })
        };
        let times = alternate(3, &mut [runner('a'), runner('b'), runner('c')]);
        let order: String = order.borrow().iter().map(|(_, name)| *name).collect();
        assert_eq!(order, "abcbcacab");
        assert_eq!(times, vec![Times(vec![0.0, 1.0, 2.0]); 3]);
    }
}
