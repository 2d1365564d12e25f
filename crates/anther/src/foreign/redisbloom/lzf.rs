//! LZF, in which Redis compresses strings. The crates that read it have not changed for years.

use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

/// Decompresses into exactly `len` bytes. Memory grows with what comes out, not with `len`.
pub(super) fn decompress(bytes: &[u8], len: u64) -> Result<Vec<u8>, ForeignError> {
    const MALFORMED: ForeignError = ForeignError::Malformed("compressed string");
    let (mut cursor, mut out) = (Cursor::new(bytes), Vec::new());
    while let Ok(control) = cursor.u8() {
        if control < 32 {
            // A run of plain bytes.
            out.extend(cursor.take(u64::from(control) + 1).map_err(|_| MALFORMED)?);
        } else {
            let mut run = usize::from(control >> 5) + 2;
            if run == 9 {
                run += usize::from(cursor.u8().map_err(|_| MALFORMED)?);
            }
            let low = cursor.u8().map_err(|_| MALFORMED)?;
            let back = usize::from(control & 31) << 8 | usize::from(low);
            let from = out.len().checked_sub(back + 1).ok_or(MALFORMED)?;
            // Byte by byte, since a run may reach into what it writes.
            for at in from..from + run {
                out.push(out[at]);
            }
        }
        if out.len() as u64 > len {
            return Err(MALFORMED);
        }
    }
    if out.len() as u64 == len { Ok(out) } else { Err(MALFORMED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_repetitions_come_back() {
        assert_eq!(decompress(&[2, b'a', b'b', b'c'], 3).unwrap(), b"abc");
        // Three of the last byte, then 9 + 1 of the last two.
        assert_eq!(decompress(&[1, b'a', b'b', 32, 0], 5).unwrap(), b"abbbb");
        assert_eq!(decompress(&[1, b'a', b'b', 0xe0, 1, 1], 12).unwrap(), b"abababababab");
    }

    #[test]
    fn what_is_broken_is_refused() {
        for bytes in [&[2, b'a'][..], &[32, 0], &[0, b'a', 32], &[0, b'a', 0xe0, 1]] {
            assert!(decompress(bytes, 3).is_err());
        }
        assert!(decompress(b"\x02abc", 2).is_err());
        assert!(decompress(b"\x02abc", 4).is_err());
        assert!(decompress(b"\x02abc", u64::MAX).is_err());
    }
}
