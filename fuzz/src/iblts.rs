//! Files of iblts, under right checksums.

use crate::forged::{self, MOST, State};
use anther::iblt::{Elements, Integers, Strata, Strings};
use anther::{Iblt, Open, Save};

/// The file, and a byte that says what it should be.
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    // A strata estimator has one size, of 50 KB.
    let most = if mode % 3 == 2 { 1 << 16 } else { MOST };
    let Some(file) = forged::container(bytes, State::Closed, most) else { return };
    match mode % 3 {
        0 => table::<Integers>(&file, 7, |row| row.insert(u64::MAX)),
        1 => table::<Strings>(&file, b"seven", |row| row.insert(b"")),
        _ => {
            let Ok(strata) = Open::new().without_hashing().bytes::<Strata>(&file) else { return };
            let estimate = strata.estimate(&strata).expect("itself");
            assert_eq!((estimate.difference, estimate.exact), (0, true));
        }
    }
}

/// Whatever is in it, a table less itself is empty, and an inserted element is decoded.
fn table<E: Elements>(
    file: &[u8],
    element: E::Given<'_>,
    insert: impl Fn(&mut Iblt<E>) -> Result<(), anther::TooLong>,
) where
    Iblt<E>: anther::format::Readable + anther::format::Writable,
{
    // The seed of a keyed one is not known, and decoding hashes.
    let Ok(row) = Open::new().bytes::<Iblt<E>>(file) else { return };
    let _ = (row.estimate(), row.get(element), row.decode());
    assert!(row.subtract(&row).expect("itself").decode().is_ok_and(|left| left.is_empty()));
    let mut changed = row.clone();
    if insert(&mut changed).is_ok() {
        let left = changed.subtract(&row).expect("alike").decode();
        assert_eq!(left.map(|left| (left.ours.len(), left.theirs.len())).ok(), Some((1, 0)));
    }
    let bytes = Save::new().bytes(&row).expect("memory");
    assert!(Open::new().bytes::<Iblt<E>>(&bytes).is_ok());
}
