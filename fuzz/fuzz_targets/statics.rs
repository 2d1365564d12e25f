#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| anther_fuzz::statics::run(data));
