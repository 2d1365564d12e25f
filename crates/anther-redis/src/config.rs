//! The module's settings, and their table.

use crate::arguments::hash_key;
use crate::server::{Argument, Setting, SettingKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, Ordering};

static ERROR_RATE: AtomicU64 = AtomicU64::new(0.01f64.to_bits());
static INITIAL_SIZE: AtomicI64 = AtomicI64::new(100);
static EXPANSION: AtomicI64 = AtomicI64::new(2);
static CF_ERROR_RATE: AtomicU64 = AtomicU64::new(0.01f64.to_bits());
static CF_INITIAL_SIZE: AtomicI64 = AtomicI64::new(1024);
static CF_BUCKET_SIZE: AtomicI64 = AtomicI64::new(2);
static CF_MAX_ITERATIONS: AtomicI64 = AtomicI64::new(20);
static CF_EXPANSION: AtomicI64 = AtomicI64::new(1);
static CF_MAX_EXPANSIONS: AtomicI64 = AtomicI64::new(32);
static MEMORY_LIMIT: AtomicI64 = AtomicI64::new(4 << 30);
static VALKEY: AtomicBool = AtomicBool::new(false);
static HUGE_PAGES: AtomicBool = AtomicBool::new(false);
static HASH_KEY: Mutex<Option<[u8; 16]>> = Mutex::new(None);

/// The highest capacity of a new filter, as in RedisBloom.
pub const MAX_CAPACITY: u64 = 1 << 30;
/// The highest expansion, as in RedisBloom.
pub const MAX_EXPANSION: u32 = 32_768;

/// The false-positive rate of filters that BF.ADD makes.
pub fn error_rate() -> f64 {
    f64::from_bits(ERROR_RATE.load(Ordering::Relaxed))
}

/// The capacity of filters that BF.ADD makes.
pub fn initial_size() -> u64 {
    INITIAL_SIZE.load(Ordering::Relaxed).cast_unsigned()
}

/// The expansion of filters, unless a command gives one. 0: they do not scale.
pub fn expansion() -> u32 {
    small(&EXPANSION)
}

/// The false-positive rate of cuckoo filters, unless a command gives one.
pub fn cf_error_rate() -> f64 {
    f64::from_bits(CF_ERROR_RATE.load(Ordering::Relaxed))
}

/// The capacity of filters that CF.ADD makes.
pub fn cf_initial_size() -> u64 {
    CF_INITIAL_SIZE.load(Ordering::Relaxed).cast_unsigned()
}

/// The bucket size of cuckoo filters, unless a command gives one.
pub fn cf_bucket_size() -> u32 {
    small(&CF_BUCKET_SIZE)
}

/// The iterations of cuckoo filters, unless a command gives them.
pub fn cf_max_iterations() -> u32 {
    small(&CF_MAX_ITERATIONS)
}

/// The expansion of cuckoo filters, unless a command gives one.
pub fn cf_expansion() -> u32 {
    small(&CF_EXPANSION)
}

/// How many filters a cuckoo filter may grow to.
pub fn cf_max_expansions() -> usize {
    small(&CF_MAX_EXPANSIONS) as usize
}

/// Bytes that an object may take; `None`: any number.
pub fn memory_limit() -> Option<u64> {
    let limit = MEMORY_LIMIT.load(Ordering::Relaxed).cast_unsigned();
    (limit > 0).then_some(limit)
}

/// Whether replies are those of Valkey's module.
pub fn is_valkey() -> bool {
    VALKEY.load(Ordering::Relaxed)
}

/// The hash key that new filters take, if one is configured.
pub fn configured_key() -> Option<[u8; 16]> {
    *HASH_KEY.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn small(setting: &AtomicI64) -> u32 {
    u32::try_from(setting.load(Ordering::Relaxed)).unwrap_or(u32::MAX)
}

fn set_rate(setting: &AtomicU64, text: &str) -> Result<(), String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate < 1.0 => {
            setting.store(rate.to_bits(), Ordering::Relaxed);
            Ok(())
        }
        _ => Err("an error rate is above 0 and below 1".to_string()),
    }
}

fn set_key(text: &str) -> Result<(), String> {
    let key = match text.is_empty() {
        true => None,
        false => {
            Some(hash_key(text.as_bytes()).ok_or("a hash key is 32 hexadecimal digits, or empty")?)
        }
    };
    *HASH_KEY.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = key;
    Ok(())
}

const fn number(
    name: &'static str,
    redisbloom: &'static str,
    value: &'static AtomicI64,
    least: i64,
    most: i64,
) -> Setting {
    let kind = SettingKind::Number { value, least, most, bytes: false };
    Setting { name, redisbloom: Some(redisbloom), kind }
}

const fn text(
    name: &'static str,
    redisbloom: Option<&'static str>,
    get: fn() -> String,
    set: fn(&str) -> Result<(), String>,
    secret: bool,
) -> Setting {
    let shown = AtomicPtr::new(std::ptr::null_mut());
    Setting { name, redisbloom, kind: SettingKind::Text { get, set, secret, shown } }
}

/// Every setting: our name after `bf.`, and RedisBloom's.
pub static SETTINGS: [Setting; 13] = [
    text(
        "error-rate",
        Some("bf-error-rate"),
        || error_rate().to_string(),
        |text| set_rate(&ERROR_RATE, text),
        false,
    ),
    number("initial-size", "bf-initial-size", &INITIAL_SIZE, 1, MAX_CAPACITY.cast_signed()),
    number("expansion", "bf-expansion-factor", &EXPANSION, 0, MAX_EXPANSION as i64),
    text(
        "cf-error-rate",
        None,
        || cf_error_rate().to_string(),
        |text| set_rate(&CF_ERROR_RATE, text),
        false,
    ),
    number("cf-initial-size", "cf-initial-size", &CF_INITIAL_SIZE, 2, MAX_CAPACITY.cast_signed()),
    number("cf-bucket-size", "cf-bucket-size", &CF_BUCKET_SIZE, 1, 255),
    number("cf-max-iterations", "cf-max-iterations", &CF_MAX_ITERATIONS, 1, 65_535),
    number("cf-expansion", "cf-expansion-factor", &CF_EXPANSION, 0, MAX_EXPANSION as i64),
    number("cf-max-expansions", "cf-max-expansions", &CF_MAX_EXPANSIONS, 1, 65_536),
    Setting {
        name: "memory-limit",
        redisbloom: None,
        kind: SettingKind::Number { value: &MEMORY_LIMIT, least: 0, most: i64::MAX, bytes: true },
    },
    text(
        "hash-key",
        None,
        || configured_key().map_or_else(String::new, |key| crate::arguments::hex(&key)),
        set_key,
        true,
    ),
    Setting {
        name: "valkey-compatible",
        redisbloom: None,
        kind: SettingKind::Switch { value: &VALKEY, changed: |_| {} },
    },
    // Off, unlike in the library: after a fork for a snapshot, a write to a huge page copies 2 MiB.
    Setting {
        name: "huge-pages",
        redisbloom: None,
        kind: SettingKind::Switch { value: &HUGE_PAGES, changed: anther::huge_pages },
    },
];

/// The arguments of `loadmodule`, which become the defaults of the settings: pairs of a name, ours or
/// RedisBloom's, and a value.
pub fn load_arguments(arguments: &[Argument<'_>]) -> Result<(), String> {
    anther::huge_pages(HUGE_PAGES.load(Ordering::Relaxed));
    for pair in arguments.chunks(2) {
        let [name, value] = pair else {
            return Err("arguments are pairs of a name and a value".to_string());
        };
        // ERROR_RATE, INITIAL_SIZE and CF_MAX_EXPANSIONS are what RedisBloom's names once were.
        let plain = name.text().unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        let plain = plain.strip_prefix("bf.").unwrap_or(&plain);
        let setting = SETTINGS
            .iter()
            .find(|setting| setting.name == plain || setting.redisbloom == Some(plain));
        let setting = setting.ok_or_else(|| {
            format!("unknown argument {plain}: use the name of a setting, such as bf-initial-size")
        })?;
        let value = value.text().unwrap_or_default();
        setting.set(value).map_err(|reason| format!("argument {plain}: {reason}"))?;
    }
    Ok(())
}
