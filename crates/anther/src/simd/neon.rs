//! For aarch64, where NEON is always there: a line of 64 bytes is one table of `TBL`.
//!
//! Bits of a line are set one after the other, as `portable` does: no instruction moves them to
//! places that a vector holds.

use crate::parts::hash::KeyHash;
use crate::parts::probes::{Lanes, Line};
use std::arch::aarch64::*;

pub(super) use super::portable::{into_line, line_masks, with_vectors};

super::instantiate!();

/// A probe is a byte of the line and a bit of that byte. All sixteen are computed, and those that
/// the filter does not have are left out at the end.
#[inline]
pub(super) fn in_line(probes: u32, cells: &[u64; Line::WORDS], key: KeyHash) -> bool {
    /// A row of ones that ends after 16 bytes: what begins at byte 16 - n has n of them.
    const PROBED: &[u8; 32] = &{
        let mut probed = [0; 32];
        let mut at = 0;
        while at < 16 {
            probed[at] = 0xFF;
            at += 1;
        }
        probed
    };
    #[expect(unsafe_code, reason = "intrinsics that take a pointer")]
    // SAFETY: NEON is in the baseline of aarch64. What is loaded are 64 bytes of the line, the
    // sixteen factors, and 16 bytes of 32 that begin at byte 16 at the latest.
    unsafe {
        let pattern = vdupq_n_u32(Line::pattern(key));
        let place = |at: usize| {
            let odds = vld1q_u32(Line::ODDS[4 * at..][..4].as_ptr());
            vshrn_n_u32::<16>(vmulq_u32(pattern, odds))
        };
        // The top 16 bits of each product, of which the top 9 are the place.
        let [low, high] = [0, 2].map(|at| vcombine_u16(place(at), place(at + 1)));
        let bytes =
            vcombine_u8(vmovn_u16(vshrq_n_u16::<10>(low)), vmovn_u16(vshrq_n_u16::<10>(high)));
        let within =
            vcombine_u8(vmovn_u16(vshrq_n_u16::<7>(low)), vmovn_u16(vshrq_n_u16::<7>(high)));
        let within = vreinterpretq_s8_u8(vandq_u8(within, vdupq_n_u8(7)));
        let bits = vshlq_u8(vdupq_n_u8(1), within);
        let found = vqtbl4q_u8(vld1q_u8_x4(cells.as_ptr().cast()), bytes);
        let probed = vld1q_u8(PROBED[16 - probes.min(16) as usize..][..16].as_ptr());
        vmaxvq_u8(vandq_u8(vbicq_u8(bits, found), probed)) == 0
    }
}

#[inline]
pub(super) fn in_block(cells: &[u64; Lanes::WORDS], key: KeyHash) -> bool {
    is_subset(block_bits(key), load(cells))
}

#[inline]
pub(super) fn into_block(cells: &mut [u64; Lanes::WORDS], key: KeyHash) -> bool {
    let (old, bits) = (load(cells), block_bits(key));
    for (half, (old, bits)) in
        cells.as_chunks_mut::<2>().0.iter_mut().zip(old.into_iter().zip(bits))
    {
        #[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
        // SAFETY: NEON is in the baseline of aarch64, and the 16 bytes may be written.
        unsafe {
            vst1q_u64(half.as_mut_ptr(), vreinterpretq_u64_u32(vorrq_u32(old, bits)));
        }
    }
    !is_subset(bits, old)
}

/// The bits of a key in both halves of its block, one per lane.
#[inline]
fn block_bits(key: KeyHash) -> [uint32x4_t; 2] {
    [0, 4].map(|first| {
        #[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
        // SAFETY: NEON is in the baseline of aarch64, and four salts may be read.
        unsafe {
            let salts = vld1q_u32(Lanes::SALTS[first..][..4].as_ptr());
            #[expect(clippy::cast_possible_truncation, reason = "the low half of the hash")]
            let products = vmulq_u32(vdupq_n_u32(key.0 as u32), salts);
            let within = vreinterpretq_s32_u32(vshrq_n_u32::<27>(products));
            vshlq_u32(vdupq_n_u32(1), within)
        }
    })
}

#[inline]
fn load(cells: &[u64; Lanes::WORDS]) -> [uint32x4_t; 2] {
    [0, 2].map(|first| {
        #[expect(unsafe_code, reason = "an intrinsic that takes a pointer")]
        // SAFETY: NEON is in the baseline of aarch64, and two words may be read.
        unsafe {
            vreinterpretq_u32_u64(vld1q_u64(cells[first..][..2].as_ptr()))
        }
    })
}

/// Whether all bits of `few` are in `many`.
#[inline]
fn is_subset(few: [uint32x4_t; 2], many: [uint32x4_t; 2]) -> bool {
    #[expect(unsafe_code, reason = "older compilers hold all intrinsics to be unsafe")]
    // SAFETY: NEON is in the baseline of aarch64.
    unsafe {
        let missing = [0, 1].map(|half| vbicq_u32(few[half], many[half]));
        vmaxvq_u32(vorrq_u32(missing[0], missing[1])) == 0
    }
}
