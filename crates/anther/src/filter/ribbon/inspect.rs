//! Inspecting a ribbon: its false-positive rate, its cells, and which of them a key touches.

use super::super::solve::band::{self, Columns, Equation, WIDTH};
use super::directory::{Directory, Layer, Shard, kept};
use super::{Ribbon, equation, index, start};
use crate::parts::hash::KeyHash;
use crate::parts::view::{Row, Touch, View};
use crate::sizing::ribbon::{BUCKET, THRESHOLD_BITS, THRESHOLDS};
use crate::traits::Inspect;
use std::ops::Range;

#[expect(clippy::cast_possible_truncation, reason = "2")]
const THRESHOLD_WIDTH: u32 = THRESHOLD_BITS as u32;

impl Ribbon {
    /// The false-positive rate, from the columns at every start that a key can have; without the
    /// floor of the hash.
    pub(crate) fn fpr(&self) -> f64 {
        let narrow = 0.5f64.powi(self.directory.few.cast_signed());
        self.directory.layers.iter().rev().fold(0.0, |below, layer| {
            let rate = |shard: Shard| {
                let buckets = index(shard.starts.div_ceil(BUCKET));
                let levels = (0..buckets)
                    .map(|bucket| self.directory.level(self.words(), shard.buckets + bucket));
                let split = (shard.split * WIDTH) as u64;
                let (mut few, mut more) = (0, 0);
                for kept in kept(levels, shard.starts) {
                    few += kept.end.min(split).saturating_sub(kept.start);
                    more += kept.end.saturating_sub(kept.start.max(split));
                }
                let bumped = (shard.starts - few - more) as f64;
                match shard.starts {
                    0 => below,
                    all => {
                        (narrow * (few as f64 + 0.5 * more as f64) + below * bumped) / all as f64
                    }
                }
            };
            self.directory.of_layer(self.words(), layer).map(rate).sum::<f64>()
                / layer.shards as f64
        })
    }

    /// Whether the key is found by the first `few` columns alone.
    pub(crate) fn contains_in(&self, key: KeyHash, few: u32) -> bool {
        self.find(key, |_, _| {}).is_some_and(|(number, equation)| {
            let shard = self.directory.shard(self.words(), number);
            let columns = Columns { few: self.directory.few, split: shard.split };
            band::holds_in(&self.words()[shard.words..], columns, equation, few)
        })
    }

    /// A shard's blocks, for inspection: first those with one column less, then the others. `None`
    /// for either where there are no blocks, or no columns.
    fn block_rows(&self, shard: &Shard) -> [Option<View<'_>>; 2] {
        let few = self.directory.few;
        let columns = Columns { few, split: shard.split };
        let blocks = index(shard.starts).div_ceil(WIDTH);
        let words = &self.words()[shard.words..];
        let row = |blocks: Range<usize>, width| {
            let words = &words[columns.words(blocks.start)..columns.words(blocks.end)];
            (!words.is_empty()).then(|| View::columns(words, width))
        };
        [row(0..shard.split, few), row(shard.split..blocks, few + 1)]
    }

    /// The number of the shard that did not bump the key, and the key's row there. Reports what it
    /// reads on the way: shards and, where they have slots, the bucket's number among all.
    ///
    /// It repeats the steps of `contains_hash`: sharing the code cost 5 % more instructions per
    /// query. A test ensures that they agree.
    pub(super) fn find(
        &self,
        key: KeyHash,
        mut passing: impl FnMut(usize, Option<usize>),
    ) -> Option<(usize, Equation)> {
        let mut key = key;
        for layer in &self.directory.layers {
            if layer.draw > 0 {
                key = key.again(layer.draw);
            }
            let number = Directory::number(layer, key);
            let shard = self.directory.shard(self.words(), number);
            if shard.starts == 0 {
                passing(number, None);
                continue;
            }
            let start = start(key, layer.shards, shard.starts);
            let bucket = shard.buckets + index(start / BUCKET);
            passing(number, Some(bucket));
            if start % BUCKET >= THRESHOLDS[self.directory.level(self.words(), bucket)] {
                return Some((number, equation(key, start)));
            }
        }
        None
    }
}

impl Inspect for Ribbon {
    /// The stored rows, for inspection: the slots of every shard, layer by layer, those of its
    /// blocks with one column less before the others; then the thresholds of all buckets, and the
    /// directory.
    ///
    /// A slot is a cell of as many bits as its block has columns. In memory the bits of a column
    /// are contiguous, 64 per block.
    fn rows(&self) -> Vec<Row<'_>> {
        let of_shard = |number, shard: Shard| {
            let views = self.block_rows(&shard).into_iter().flatten();
            views.map(move |view| Row::new("slots", view).grouped(64).of_layer(number))
        };
        let of_layer = |(number, layer): (u32, &Layer)| {
            self.directory
                .of_layer(self.words(), layer)
                .flat_map(move |shard| of_shard(number, shard))
        };
        let mut rows: Vec<_> = (0..).zip(&self.directory.layers).flat_map(of_layer).collect();
        let (shards, rest) = self.words().split_at(self.directory.len);
        let buckets =
            self.directory.all(self.words()).map(|shard| shard.starts.div_ceil(BUCKET)).sum();
        let thresholds = View::words(rest, buckets, THRESHOLD_WIDTH);
        rows.push(Row::new("thresholds", thresholds));
        let shards = View::words(shards, self.directory.len as u64, u64::BITS);
        rows.push(Row::new("shards", shards));
        rows.into_iter().map(Row::without_marks).collect()
    }

    /// What a query for the key reads: in every layer on its way the word of its shard and the
    /// threshold of its bucket, and in the last the slots where its row has a 1. Where the row
    /// reaches from a narrow block into a wide one, it does not read the last column.
    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        let rows_of = |shard: Shard| self.block_rows(&shard).iter().flatten().count();
        let slot_rows: usize = self.directory.all(self.words()).map(rows_of).sum();
        let mut touches = Vec::new();
        let found = self.find(key, |shard, bucket| {
            touches.push(Touch::new(slot_rows + 1, shard as u64));
            touches.extend(bucket.map(|bucket| Touch::new(slot_rows, bucket as u64)));
        });
        let Some((number, equation)) = found else { return touches };
        let shard = self.directory.shard(self.words(), number);
        let [narrow, wide] = self.block_rows(&shard);
        let first: usize = self.directory.all(self.words()).take(number).map(rows_of).sum();
        let split = shard.split * WIDTH;
        for slot in
            (0..WIDTH).filter(|i| equation.coefficients >> i & 1 == 1).map(|i| equation.start + i)
        {
            let (there, at, cell) = match slot < split {
                true => (narrow.is_some(), first, slot),
                false => (wide.is_some(), first + usize::from(narrow.is_some()), slot - split),
            };
            if there {
                touches.push(Touch::new(at, cell as u64));
            }
        }
        touches
    }
}
