//! Numbers as people write them, and options of kinds.

use anther::{Options, units};

/// A text.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(count) = units::parse_count(text) {
        assert!(units::parse_count_to(text, count).is_ok());
        assert!(count == 0 || units::parse_count_to(text, count - 1).is_err());
        assert_eq!(units::parse_count(&count.to_string()), Ok(count));
        assert!(!units::count(count).is_empty() && !units::size(count).is_empty());
    }
    if let Ok(rate) = units::parse_rate(text) {
        assert!(!rate.is_nan(), "{text}");
        let option = units::rate_option(rate);
        assert!(units::parse_rate(&option).is_ok(), "{text}: {option}");
        assert!(!units::percent(rate).is_empty() && !units::rate(rate).is_empty());
    }
    let _ = units::parse_bytes(text).map(units::size);
    let _ = units::parse_time(text).map(|time| units::duration(time.as_nanos() as f64));
    for option in Options::TABLE {
        let value = option.parse(text);
        assert!(
            value.is_err() || value.is_ok_and(|it| Options::new().with(option.name, it).is_some())
        );
    }
}
