//! Ways from a key to its positions that the library does not have, for filters that are fed by
//! positions.

use super::super::Effort;
use super::super::sample::{Random, Sample, broken};
use crate::error::Error;
use anther::{Classic, Filter, Insert, KeyHash, Seed, Shape};

/// How a key comes to its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// A new random number for each.
    Independent,
    /// The same, but all different: Bloom's own filter.
    Different,
    /// x, x+y, x+2y and so on (Kirsch and Mitzenmacher).
    Double,
    /// The same, while y grows by 1, 2, 3 and so on (Dillinger and Manolios).
    Enhanced,
    /// The library's.
    Ours,
}

/// Filters of one shape.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub bits: u64,
    pub items: u64,
    pub probes: u32,
    pub filters: u32,
    /// Of each filter.
    pub asked: u64,
}

impl Walk {
    /// The next key's positions.
    fn fill(self, random: &mut Random, bits: u64, positions: &mut [u64]) {
        let wrap = |x: u64| if x < bits { x } else { x - bits };
        match self {
            Walk::Independent | Walk::Ours => {
                positions.iter_mut().for_each(|position| *position = random.below(bits));
            }
            Walk::Different => {
                for at in 0..positions.len() {
                    positions[at] = loop {
                        let drawn = random.below(bits);
                        if !positions[..at].contains(&drawn) {
                            break drawn;
                        }
                    };
                }
            }
            Walk::Double | Walk::Enhanced => {
                let (mut x, mut y) = (random.below(bits), random.below(bits));
                for (position, i) in positions.iter_mut().zip(1..) {
                    *position = x;
                    x = wrap(x + y);
                    if self == Walk::Enhanced {
                        y = wrap(y + i % bits);
                    }
                }
            }
        }
    }

    /// The rates of real filters that take their keys this way.
    pub fn measure(self, trial: &Trial, effort: &Effort<'_>) -> Result<Sample, Error> {
        let mut sample = Sample::default();
        let shape = Shape::bits(trial.bits).probes(trial.probes);
        let mut positions = vec![0; trial.probes as usize];
        let asked = effort.choose(trial.asked, 10 * trial.asked);
        for number in 0..trial.filters {
            let mut random = Random::new(number);
            let mut filter = Classic::with_shape(shape, Seed::EXTERNAL).map_err(broken)?;
            let mut wrong = 0u64;
            if self == Walk::Ours {
                for _ in 0..trial.items {
                    filter.insert_hash(KeyHash(random.draw())).map_err(broken)?;
                }
                for _ in 0..asked {
                    wrong += u64::from(filter.contains_hash(KeyHash(random.draw())));
                }
            } else {
                for _ in 0..trial.items {
                    self.fill(&mut random, trial.bits, &mut positions);
                    filter.insert_positions(&positions).map_err(broken)?;
                }
                for _ in 0..asked {
                    self.fill(&mut random, trial.bits, &mut positions);
                    let found = filter.contains_positions(&positions);
                    wrong += u64::from(found.map_err(broken)?);
                }
            }
            sample.push(wrong as f64 / asked as f64, asked);
        }
        Ok(sample)
    }
}
