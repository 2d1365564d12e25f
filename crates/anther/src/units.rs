//! Numbers in human-readable form, parsed and formatted: `10M`, `1%`, `1e-6`, `64MiB`.

use std::time::Duration;

/// Parses a count: `58110`, `58_110`, `1,000,000`, `10k`, `1.5M` or `1.5m`, `1e6`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    parse_count_to(text, u64::MAX)
}

/// The same, of at most `most`.
pub fn parse_count_to(text: &str, most: u64) -> Result<u64, String> {
    let (number, unit) = split(text);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ms" | "s" | "sec" | "min" | "h" | "d" => {
            return Err(format!(
                "{unit} is a unit of time; a count is needed, such as 10k or 1.5M"
            ));
        }
        _ => return Err(COUNT_NEEDED.to_string()),
    };
    scaled(number, factor, most, COUNT_NEEDED)
}

const COUNT_NEEDED: &str = "a whole number is needed, such as 58110, 1,000,000, 10k, 1.5M or 1e6";

/// Parses a rate: `1%`, `0.01`, `1e-6`. Whether a filter can reach it is checked elsewhere.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let wrong = || "a rate is needed, such as 1%, 0.01 or 1e-6".to_string();
    let (number, unit) = split(text);
    let rate = match unit {
        "" => number.parse(),
        // Through the exponent, not by division, which would make 0.7% a little less than 0.007.
        "%" if !number.contains(['e', 'E']) => format!("{number}e-2").parse(),
        "%" => number.parse().map(|number: f64| number / 100.0),
        _ => return Err(wrong()),
    };
    let rate: f64 = rate.map_err(|_| wrong())?;
    // `1e999%` is.
    if rate.is_infinite() {
        return Err(wrong());
    }
    if rate >= 1.0 && unit.is_empty() {
        return Err(format!("a rate must be below 1; did you mean {number}%?"));
    }
    Ok(rate)
}

/// Parses a number of bytes: `64MiB`, `1GB`, `500M`, `4096`, in any case. Units without an i are
/// decimal.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    const NEEDED: &str = "an amount of memory is needed, such as 64MiB, 1GB or 4096";
    let (number, unit) = split(text);
    let unit = unit.to_ascii_lowercase();
    let factor = match unit.strip_suffix('b').unwrap_or(&unit) {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        "ti" => 1 << 40,
        _ => return Err(NEEDED.to_string()),
    };
    scaled(number, factor, u64::MAX, NEEDED)
}

/// Parses a time: `500ms`, `30s`, `10min`, `1.5h`, `7d`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    const NEEDED: &str = "a time is needed, such as 500ms, 30s, 10min, 1.5h or 7d";
    let (number, unit) = split(text);
    let milliseconds = match unit {
        "ms" => 1,
        "s" | "sec" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(NEEDED.to_string()),
    };
    // A thousand years.
    match scaled(number, milliseconds, 31_536_000_000_000, NEEDED)? {
        0 => Err(NEEDED.to_string()),
        milliseconds => Ok(Duration::from_millis(milliseconds)),
    }
}

/// Splits a number from its unit.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
    (number.trim_end(), &text[number.len()..])
}

/// A number times a factor, if the product is an integer and not too large; or what is wrong with
/// it.
fn scaled(number: &str, factor: u64, most: u64, needed: &str) -> Result<u64, String> {
    let too_large = || format!("too large; at most {}", count(most));
    let within = |product: &u64| *product <= most;
    let number = ungrouped(number).ok_or_else(|| needed.to_string())?;
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).filter(within).ok_or_else(too_large);
    }
    let product = number.parse::<f64>().map_err(|_| needed.to_string())? * factor as f64;
    // 4.35 times 100 is 434.99999999999994: nearly an integer counts as one.
    let whole = product.round();
    // The literal overflows, and infinity is not a number of anything.
    let digits = number.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if digits && (whole >= 2f64.powi(64) || whole > most as f64) {
        return Err(too_large());
    }
    let exact = (0.0..2f64.powi(64)).contains(&whole) && (product - whole).abs() < 1e-6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    let whole = exact.then_some(whole as u64).ok_or_else(|| needed.to_string())?;
    // Once more: a limit may have no equal number among those above, and `+1e3` no digit at first.
    Some(whole).filter(within).ok_or_else(too_large)
}

/// Without underscores, and without commas between groups of three digits.
fn ungrouped(number: &str) -> Option<String> {
    let number = number.replace('_', "");
    let Some((first, rest)) = number.split_once(',') else { return Some(number) };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = (1..=3).contains(&first.len())
        && digits(first)
        && rest.split(',').all(|group| group.len() == 3 && digits(group));
    grouped.then(|| number.replace(',', ""))
}

/// `1,000,000`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1.24 MB`.
pub fn size(bytes: u64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.iter().find(|(factor, _)| bytes as f64 >= *factor) {
        Some((factor, unit)) => format!("{} {unit}", digits(bytes as f64 / factor)),
        None if bytes == 1 => "1 byte".to_string(),
        None => format!("{bytes} bytes"),
    }
}

/// `0.998 %`, or `1e-6` where a percentage would begin with many zeros.
pub fn rate(rate: f64) -> String {
    match rate * 100.0 {
        0.0 => "0 %".to_string(),
        percent if percent < 0.001 => {
            let text = format!("{rate:.2e}");
            text.replace(".00e", "e").replace("0e", "e")
        }
        percent => format!("{} %", digits(percent)),
    }
}

/// `12.3 ns`, from nanoseconds.
pub fn duration(nanoseconds: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.iter().find(|(factor, _)| nanoseconds >= *factor) {
        Some((factor, unit)) => format!("{} {unit}", digits(nanoseconds / factor)),
        None => format!("{} ns", digits(nanoseconds)),
    }
}

/// `0.998 %`, and `1.2e-5 %`: a percentage however small, for numbers in one column or on one axis.
pub fn percent(rate: f64) -> String {
    match rate * 100.0 {
        0.0 => "0 %".to_string(),
        percent if percent < 0.000_999_5 => {
            let text = format!("{percent:.2e} %");
            text.replace(".00e", "e").replace("0e", "e")
        }
        percent => format!("{} %", digits(percent)),
    }
}

/// A rate in the form that options accept: `0.1%`.
pub fn rate_option(value: f64) -> String {
    rate(value).replace(' ', "")
}

/// Three significant digits, without trailing zeros.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        n if n >= 100.0 => 0,
        n if n >= 10.0 => 1,
        n if n >= 1.0 => 2,
        n if n >= 0.1 => 3,
        n if n >= 0.01 => 4,
        _ => 5,
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// An estimate, rounded.
pub fn whole(estimate: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    (estimate.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        for (text, number) in [
            ("0", 0),
            ("58110", 58_110),
            ("1_000", 1000),
            ("10k", 10_000),
            ("1.5M", 1_500_000),
            ("4.35k", 4350),
            ("10m", 10_000_000),
            ("10M", 10_000_000),
            ("2G", 2_000_000_000),
            ("1t", 1_000_000_000_000),
            ("1e6", 1_000_000),
            ("1e19", 10_000_000_000_000_000_000),
            ("1,000", 1000),
            ("1,000,000", 1_000_000),
            ("12,345k", 12_345_000),
            (" 7 ", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Ok(number), "{text}");
        }
        for text in ["", "M", "-1", "1.5", "0.1k5", "nan", "inf", "10x", "1,00", "1,0000", ",100"]
            .into_iter()
            .chain(["1000,000", "1,000.5k", "1,,000", "1,", "-1,000"])
        {
            assert_eq!(parse_count(text), Err(COUNT_NEEDED.to_string()), "{text}");
        }
        for text in ["1e30", "1e400", "18446744073709551616", "19000000000G"] {
            let most = "too large; at most 18,446,744,073,709,551,615".to_string();
            assert_eq!(parse_count(text), Err(most), "{text}");
        }
        assert_eq!(parse_count_to("1.5k", 1500), Ok(1500));
        for text in ["1501", "1.6k", "2k", "1e30", "+1e4", "+1501"] {
            assert_eq!(parse_count_to(text, 1500), Err("too large; at most 1,500".to_string()));
        }
        for text in ["10min", "2h", "30s", "500ms", "1d"] {
            let error = parse_count(text).unwrap_err();
            assert!(error.contains("is a unit of time; a count is needed"), "{error}");
        }
    }

    #[test]
    fn rates_are_read_to_the_last_bit() {
        for (text, rate) in [
            ("1%", 0.01),
            ("0.7%", 0.007),
            ("1 %", 0.01),
            ("0.01", 0.01),
            ("1e-6", 1e-6),
            ("1e-3%", 1e-5),
            ("0", 0.0),
        ] {
            assert_eq!(parse_rate(text), Ok(rate), "{text}");
        }
        assert!(parse_rate("1").unwrap_err().ends_with("did you mean 1%?"));
        for text in ["", "%", "one", "1‰", "nan", "inf", "1e999%", "-1e999%"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_are_read() {
        for (text, number) in [
            ("4096", 4096),
            ("64MiB", 64 << 20),
            ("1GiB", 1 << 30),
            ("1Gi", 1 << 30),
            ("1GB", 1_000_000_000),
            ("500M", 500_000_000),
            ("0.5kB", 500),
            ("3B", 3),
            ("1gb", 1_000_000_000),
            ("64mib", 64 << 20),
            ("1,024", 1024),
        ] {
            assert_eq!(parse_bytes(text), Ok(number), "{text}");
        }
        for text in ["", "MiB", "1 Q", "-4", "1e30", "10min"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 7, 69_681].map(size), ["1 byte", "7 bytes", "69.7 kB"]);
        assert_eq!(size(1_240_000), "1.24 MB");
        for (value, text) in [
            (0.01, "1 %"),
            (0.009_978, "0.998 %"),
            (0.390_6, "39.1 %"),
            (0.999_99, "100 %"),
            (1.0, "100 %"),
            (1e-5, "0.001 %"),
            (1e-6, "1e-6"),
            (1.5e-6, "1.5e-6"),
            (0.0, "0 %"),
        ] {
            assert_eq!(rate(value), text);
        }
        assert_eq!(
            [4.0, 12.34, 2500.0, 3.1e9].map(duration),
            ["4 ns", "12.3 ns", "2.5 µs", "3.1 s"]
        );
        assert_eq!([0.0, 0.0125, 1e-5, 1e-7].map(percent), ["0 %", "1.25 %", "0.001 %", "1e-5 %"]);
        assert_eq!(rate_option(0.001), "0.1%");
    }
}
