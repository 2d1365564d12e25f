//! The difference of two sets: what is found is right, by a table and by a stream of symbols.

use crate::input::Input;
use anther::iblt::{Decoder, Encoder, Integers, Strings};
use anther::{Iblt, Seed};
use std::collections::BTreeSet;

/// Two sets, and the size of the table.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (cells, form) = (1 + u64::from(input.byte()), input.byte());
    let [ours, theirs] =
        [(); 2].map(|()| input.hashes(24).into_iter().map(|it| it.0).collect::<BTreeSet<u64>>());
    let only_ours: Vec<u64> = ours.difference(&theirs).copied().collect();
    let only_theirs: Vec<u64> = theirs.difference(&ours).copied().collect();
    if form & 1 == 0 {
        let table = |set: &BTreeSet<u64>| {
            let mut table = Iblt::with_cells(Integers, cells, 3, Seed::FIXED).ok()?;
            set.iter().for_each(|element| table.insert(*element).expect("an integer"));
            Some(table)
        };
        let Some((a, b)) = table(&ours).zip(table(&theirs)) else { return };
        match a.subtract(&b).expect("alike").decode() {
            Ok(found) => assert_eq!((found.ours, found.theirs), (only_ours, only_theirs)),
            Err(some) => {
                assert!(some.found.ours.iter().all(|it| only_ours.contains(it)), "{some:?}");
                assert!(some.found.theirs.iter().all(|it| only_theirs.contains(it)), "{some:?}");
            }
        }
        return;
    }
    // As texts of up to eight bytes.
    let strings = Strings::up_to(8).expect("in range");
    let text = |set: &BTreeSet<u64>| {
        set.iter().map(|it| it.to_le_bytes()[..(it % 9) as usize].to_vec()).collect::<BTreeSet<_>>()
    };
    let (ours, theirs) = (text(&ours), text(&theirs));
    let given = |set: &'_ BTreeSet<Vec<u8>>| set.iter().cloned().collect::<Vec<_>>();
    let (a, b) = (given(&ours), given(&theirs));
    let mut encoder =
        Encoder::new(strings, b.iter().map(Vec::as_slice), Seed::FIXED).expect("texts");
    let mut decoder =
        Decoder::new(strings, a.iter().map(Vec::as_slice), Seed::FIXED).expect("texts");
    for _ in 0..2000 {
        let symbol = encoder.next().expect("without end");
        if decoder.push(symbol).expect("its own") {
            break;
        }
    }
    assert!(decoder.is_done(), "{} and {}", a.len(), b.len());
    let found = decoder.found();
    let sorted = |found: &[Vec<u8>]| found.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&found.ours), ours.difference(&theirs).cloned().collect());
    assert_eq!(sorted(&found.theirs), theirs.difference(&ours).cloned().collect());
}
