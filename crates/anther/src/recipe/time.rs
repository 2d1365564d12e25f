//! Times as nanoseconds since 1970, without leap seconds: RFC 3339, ISO 8601 dates, Unix seconds.

use crate::error::KeyError;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// The years 0 to 9999, in seconds. Beyond them, somebody has given milliseconds.
const SECONDS: std::ops::RangeInclusive<i128> = -62_167_219_200..=253_402_300_799;

/// What a text stands for: an instant, or all of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first nanosecond.
    pub first: i128,
    /// The last one.
    pub last: i128,
}

impl Span {
    fn instant(at: i128) -> Span {
        Span { first: at, last: at }
    }
}

/// The time of whole Unix seconds.
pub(super) fn of_seconds(seconds: i128) -> Result<i128, KeyError> {
    SECONDS.contains(&seconds).then_some(seconds).map(|it| it * SECOND).ok_or(KeyError::Time)
}

/// Reads `2026-11-17`, `2026-11-17T08:30:00.25+01:00`, with a blank instead of the T, without seconds
/// or offset (then it is UTC), or Unix seconds such as `1794904200` or `1794904200.25`. `20261117` is
/// refused: whoever writes it means a date, and as seconds it would be a day in 1970.
pub(crate) fn parse(text: &[u8]) -> Result<Span, KeyError> {
    let mut rest = Rest(text);
    date_and_time(&mut rest)
        .filter(|_| rest.0.is_empty())
        .or_else(|| unix(text).filter(|_| !is_short_date(text)).map(Span::instant))
        .ok_or(KeyError::Time)
}

/// Whether the text is a date of eight digits.
fn is_short_date(text: &[u8]) -> bool {
    let mut rest = Rest(text);
    let mut number = |digits, range: std::ops::RangeInclusive<i64>| {
        rest.number(digits).is_some_and(|number| range.contains(&number))
    };
    number(4, 1900..=2199) && number(2, 1..=12) && number(2, 1..=31) && rest.0.is_empty()
}

fn date_and_time(rest: &mut Rest<'_>) -> Option<Span> {
    let year = rest.number(4)?;
    rest.byte(b"-")?;
    let month = rest.number(2).filter(|month| (1..=12).contains(month))?;
    rest.byte(b"-")?;
    let last_day = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let day = rest.number(2).filter(|day| (1..=last_day).contains(day))?;
    let midnight = i128::from(days(year, month, day)) * DAY;
    if rest.0.is_empty() {
        return Some(Span { first: midnight, last: midnight + DAY - 1 });
    }
    rest.byte(b"Tt ")?;
    let hour = rest.number(2).filter(|hour| *hour < 24)?;
    rest.byte(b":")?;
    let minute = rest.number(2).filter(|minute| *minute < 60)?;
    let (mut second, mut nanos) = (0, 0);
    if rest.byte(b":").is_some() {
        second = rest.number(2).filter(|second| *second <= 60)?;
        if rest.byte(b".,").is_some() {
            nanos = rest.fraction()?;
        }
        // Unix time has no leap seconds. Such a second is the last nanosecond of its minute: as the
        // first of the next one, a range of its day would miss it.
        if second == 60 {
            (second, nanos) = (59, SECOND - 1);
        }
    }
    let seconds = (hour * 60 + minute) * 60 + second - rest.offset()? * 60;
    Some(Span::instant(midnight + i128::from(seconds) * SECOND + nanos))
}

/// Unix seconds, with or without a fraction.
fn unix(text: &[u8]) -> Option<i128> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let seconds: i128 = str::from_utf8(&digits[..whole]).ok()?.parse().ok()?;
    let mut rest = Rest(&digits[whole..]);
    let nanos = if rest.byte(b".").is_some() { rest.fraction()? } else { 0 };
    let size = of_seconds(seconds).ok()? + nanos;
    let time = if is_negative { -size } else { size };
    let in_range = SECONDS.contains(&time.div_euclid(SECOND));
    (rest.0.is_empty() && in_range).then_some(time)
}

/// Days since 1970 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// What has not been read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// One of these bytes.
    fn byte(&mut self, any: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| any.contains(first))?;
        self.0 = rest;
        Some(*first)
    }

    /// A number of exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
        number.iter().try_fold(0, |sum, byte| Some(sum * 10 + digit(byte)?))
    }

    /// The nanoseconds of digits after a point; those beyond the ninth are dropped.
    fn fraction(&mut self) -> Option<i128> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (fraction, rest) = self.0.split_at(digits);
        self.0 = rest;
        let mut nanos = 0;
        for at in 0..9 {
            nanos = nanos * 10 + fraction.get(at).map_or(0, |byte| i128::from(byte - b'0'));
        }
        (digits > 0).then_some(nanos)
    }

    /// The minutes of `Z`, `+01:00`, `+0100`, `+01` or nothing.
    fn offset(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.byte(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.byte(b"+-")? == b'-' { -1 } else { 1 };
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        let _ = self.byte(b":");
        let minutes = if self.0.is_empty() { 0 } else { self.number(2)? };
        (minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> i128 {
        let Span { first, last } = parse(text.as_bytes()).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(first, last, "{text}");
        first
    }

    #[test]
    fn spellings_of_one_time_are_one() {
        let time = 1_794_904_200 * SECOND;
        for text in [
            "2026-11-17T08:30:00Z",
            "2026-11-17 08:30",
            "2026-11-17t09:30:00+01:00",
            "2026-11-17T03:00:00-0530",
            "2026-11-17T10:30:00.000+02",
            "1794904200",
            "1794904200.0",
        ] {
            assert_eq!(instant(text), time, "{text}");
        }
        assert_eq!(instant("2026-11-17T08:30:00.25Z"), time + SECOND / 4);
        assert_eq!(instant("1794904200.0000000019"), time + 1);
        assert_eq!(instant("-0.5"), -SECOND / 2);
        // A leap second is within its day, and so in every range of it.
        let day = parse(b"2016-12-31").unwrap();
        for leap in ["2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:59:60+01:00"]
        {
            assert_eq!(instant(leap), day.last, "{leap}");
        }
        // Eight digits that could be a date, and their neighbours that are Unix seconds.
        for date in ["20261117", "19000101", "21991231", "20260231"] {
            assert_eq!(parse(date.as_bytes()), Err(KeyError::Time), "{date}");
        }
        for seconds in ["20261317", "20261100", "20261132", "18991231", "22000101", "120261117"] {
            let expected = seconds.parse::<i128>().unwrap() * SECOND;
            assert_eq!(instant(seconds), expected, "{seconds}");
        }
        assert_eq!(instant("20261117.0"), 20_261_117 * SECOND);
        assert_eq!(instant("-20261117"), -20_261_117 * SECOND);
    }

    /// The dates of GNU date, and every day of four centuries against the one before.
    #[test]
    fn the_calendar_is_right() {
        for (date, seconds) in [
            ("1970-01-01", 0),
            ("1969-12-31", -86_400),
            ("2000-02-29", 951_782_400),
            ("2026-11-17", 1_794_873_600),
            ("0000-01-01", *SECONDS.start()),
            ("9999-12-31", 253_402_214_400),
            ("1582-10-15", -12_219_292_800),
        ] {
            let Span { first, last } = parse(date.as_bytes()).unwrap();
            assert_eq!(
                (first, last),
                (seconds * SECOND, (seconds + 86_400) * SECOND - 1),
                "{date}"
            );
        }
        let mut before = days(1599, 12, 31);
        for (year, month, day) in (1600..2000).flat_map(|year| {
            (1..=12).flat_map(move |month| (1..=31).map(move |day| (year, month, day)))
        }) {
            let text = format!("{year:04}-{month:02}-{day:02}");
            if parse(text.as_bytes()).is_ok() {
                assert_eq!(days(year, month, day), before + 1, "{text}");
                before += 1;
            }
        }
        assert_eq!(before, days(1999, 12, 31));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "now",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-29",
            "2026-11-17T",
            "2026-11-17T24:00",
            "2026-11-17T08:30:61Z",
            "2026-11-17T08:30:00+25:00",
            "2026-11-17T08:30:00 Z",
            "1.",
            ".5",
            "17.11.2026",
            "1e9",
            "+5",
            "2026-11-17T08:30:00.Z",
            "2026-11-17Z",
            "1794904200000",
            "99999999999999999999999999999999999999999",
            "--5",
            "-62167219201",
        ] {
            // A year alone is Unix seconds.
            assert_eq!(parse(text.as_bytes()).is_ok(), text == "2026", "{text}");
        }
    }
}
