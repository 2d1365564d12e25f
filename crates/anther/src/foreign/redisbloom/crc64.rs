//! The checksum of Redis: CRC-64 with the polynomial of Jones.

const POLYNOMIAL: u64 = 0x95ac_9329_ac4b_c9b5;

const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

pub(super) fn crc64(bytes: &[u8]) -> u64 {
    continued(0, bytes)
}

/// The checksum of bytes that follow those with this one.
pub(super) fn continued(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| sum >> 8 ^ TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_check_value_holds() {
        assert_eq!(super::crc64(b"123456789"), 0xe9c6_d914_c4b8_d9ca);
        assert_eq!(super::continued(super::crc64(b"1234"), b"56789"), 0xe9c6_d914_c4b8_d9ca);
    }
}
