//! Error replies, to the letter: clients compare them. RedisBloom leaves out `ERR` in many.

use crate::config;
use std::borrow::Cow;
use std::ffi::{CStr, CString};

/// A command that failed, and its reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The wrong number of arguments.
    Arity,
    /// An error with this text.
    Text(Cow<'static, CStr>),
}

impl Failure {
    const fn fixed(text: &'static CStr) -> Failure {
        Failure::Text(Cow::Borrowed(text))
    }

    /// An error in the library's words.
    pub fn because(reason: impl std::fmt::Display) -> Failure {
        let text = format!("ERR {reason}").replace(['\0', '\r', '\n'], " ");
        Failure::Text(CString::new(text).map_or(INTERNAL_TEXT, Cow::Owned))
    }
}

const INTERNAL_TEXT: Cow<'static, CStr> = Cow::Borrowed(c"ERR internal error");

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {
        $($(#[$doc])* pub const $name: Failure = Failure::fixed($text);)*
    };
}

texts! {
    /// A bug of ours: a panic that was caught.
    INTERNAL c"ERR internal error"
    /// The server's own text.
    WRONG_TYPE c"WRONGTYPE Operation against a key holding the wrong kind of value"
    /// The key is absent.
    NOT_FOUND c"ERR not found"
    /// The key exists already.
    EXISTS c"ERR item exists"
    /// BF.RESERVE.
    BAD_ERROR_RATE c"ERR bad error rate"
    /// BF.RESERVE.
    ERROR_RATE_RANGE c"ERR error rate must be in the range (0.000000, 1.000000)"
    /// BF.RESERVE.
    BAD_CAPACITY c"ERR bad capacity"
    /// BF.RESERVE.
    CAPACITY_RANGE c"ERR capacity must be in the range [1, 1073741824]"
    /// BF.RESERVE.
    NO_EXPANSION c"ERR no expansion"
    /// BF.RESERVE.
    BAD_EXPANSION c"ERR bad expansion"
    /// BF.RESERVE.
    EXPANSION_RANGE c"ERR expansion must be in the range [0, 32768]"
    /// BF.RESERVE, and BF.INSERT of filters that forget.
    NONSCALING_EXPANSION c"Nonscaling filters cannot expand"
    /// BF.INSERT.
    INSERT_ERROR_RATE c"Bad error rate"
    /// BF.INSERT.
    INSERT_EXPANSION c"Bad expansion"
    /// BF.INSERT and CF.*.
    INSERT_CAPACITY c"Bad capacity"
    /// BF.INSERT and CF.INSERT.
    UNKNOWN_ARGUMENT c"Unknown argument received"
    /// A non-scaling filter that holds its capacity.
    FULL c"ERR non scaling filter is full"
    /// A scaling filter that cannot grow.
    INSERTING c"ERR problem inserting into filter"
    /// No memory for a new filter.
    OUT_OF_MEMORY c"ERR Insufficient memory to create filter"
    /// BF.INFO.
    UNKNOWN_FIELD c"Invalid information value"
    /// BF.SCANDUMP.
    SCAN_POSITION c"Second argument must be numeric"
    /// BF.LOADCHUNK.
    LOAD_POSITION c"ERR Second argument must be numeric"
    /// BF.LOADCHUNK.
    BAD_DATA c"ERR received bad data"
    /// BF.LOADCHUNK.
    NO_LINK c"ERR invalid offset - no link found"
    /// BF.LOADCHUNK.
    CHUNK_TOO_BIG c"ERR invalid chunk - Too big for current filter"
    /// An object larger than `bf.memory-limit`.
    LIMIT c"ERR operation exceeds bloom object memory limit"
    /// CF.RESERVE.
    CF_BAD_ITERATIONS c"Couldn't parse MAXITERATIONS"
    /// CF.RESERVE.
    CF_ITERATIONS_RANGE c"MAXITERATIONS: value must be in the range [1, 65535]"
    /// CF.RESERVE.
    CF_BAD_BUCKET_SIZE c"Couldn't parse BUCKETSIZE"
    /// CF.RESERVE.
    CF_BUCKET_SIZE_RANGE c"BUCKETSIZE: value must be in the range [1, 255]"
    /// CF.RESERVE.
    CF_BAD_EXPANSION c"Couldn't parse EXPANSION"
    /// CF.RESERVE.
    CF_EXPANSION_RANGE c"EXPANSION: value must be in the range [0, 32768]"
    /// CF.RESERVE.
    CF_CAPACITY_RANGE c"Capacity must be in the range [2 * BUCKETSIZE, 1073741824]"
    /// CF.ADD to a filter that may not grow any more.
    CF_EXPANSIONS c"Maximum expansions reached"
    /// CF.ADD to a filter that does not grow.
    CF_FULL c"Filter is full"
    /// No memory for a cuckoo filter.
    CF_OUT_OF_MEMORY c"ERR Insufficient memory"
    /// CF.DEL.
    CF_NOT_FOUND c"Not found"
    /// CF.COMPACT.
    CF_ABSENT c"Cuckoo filter was not found"
    /// CF.SCANDUMP and CF.LOADCHUNK.
    CF_POSITION c"Invalid position"
    /// CF.LOADCHUNK.
    CF_HEADER c"Invalid header"
    /// CF.LOADCHUNK.
    CF_NO_FILTER c"Couldn't create filter!"
    /// CF.LOADCHUNK.
    CF_CHUNK c"Couldn't load chunk!"
    /// A filter of which LOADCHUNK has brought only a part so far.
    LOADING c"ERR the filter is being loaded; send the rest of its chunks"
    /// BF.REM and BF.COUNT.
    NOT_COUNTING c"ERR the filter does not count; make it with BF.RESERVE key error capacity COUNTING"
    /// BF.GET.
    NO_VALUES c"ERR the filter stores no values; import a bloomier filter"
    /// BF.BETWEEN.
    NO_RANGES c"ERR the filter cannot look up ranges; import one that anther build made with --kind range"
    /// BF.ADD.
    STATIC_RANGE c"ERR a range filter is static, so that nothing can be added; build it again"
    /// BF.MERGE.
    MERGE_RANGES c"ERR range filters cannot be merged; build one from both lists"
    /// BF.IMPORT.
    KEY_NEEDED c"ERR the filter is keyed; add HASHKEY and the 32 digits of its key file"
    /// BF.EXPORT.
    NO_EXPORT c"ERR the filter has layers of RedisBloom, which no anther file can hold; use BF.SCANDUMP"
    /// BF.MERGE.
    MERGE_OLD c"ERR filters with layers of RedisBloom cannot be merged; add the items to a new filter"
    /// BF.MERGE.
    MERGE_KEYS c"ERR the filters have different hash keys; make both with the same HASHKEY, or set bf.hash-key before"
    /// BF.MERGE.
    MERGE_SHAPES c"ERR the filters have different shapes; make both with the same capacity, error rate and options"
    /// BF.MERGE.
    MERGE_COUNTING c"ERR counting filters that have grown cannot be merged; make both with COUNTING NONSCALING"
    /// BF.RESERVE.
    BAD_WINDOW c"ERR WINDOW must be a number of items in the range [1, 1073741824]"
    /// BF.RESERVE.
    BAD_TTL c"ERR TTL must be a number of seconds above 0 and at most a hundred years"
    /// BF.INSERT.
    TTL_CAPACITY c"ERR TTL needs CAPACITY, the most items of such a time"
    /// BF.RESERVE.
    ONE_MANNER c"ERR COUNTING, WINDOW and TTL exclude each other"
    /// BF.AGE.
    NOT_FORGETTING c"ERR the filter does not forget; make it with BF.RESERVE key error capacity WINDOW items or TTL seconds"
    /// BF.AGE.
    BAD_GENERATIONS c"ERR bad number of generations"
    /// HASHKEY.
    BAD_HASH_KEY c"ERR HASHKEY must be 32 hexadecimal digits"
}

/// The error in the language that is set: RedisBloom's, or that of Valkey's module.
pub fn spoken(redisbloom: Failure, valkey: Failure) -> Failure {
    if config::is_valkey() { valkey } else { redisbloom }
}

/// The texts of Valkey's module, with `bf.valkey-compatible yes`.
pub mod valkey {
    use super::Failure;

    texts! {
        /// BF.RESERVE and BF.INSERT.
        ERROR_RATE_RANGE c"ERR (0 < error rate range < 1)"
        /// BF.RESERVE and BF.INSERT.
        CAPACITY_RANGE c"ERR (capacity should be larger than 0)"
        /// BF.INSERT.
        UNKNOWN_ARGUMENT c"ERR unknown argument received"
        /// BF.INFO.
        UNKNOWN_FIELD c"ERR invalid information value"
        /// BF.INSERT.
        BAD_TIGHTENING c"ERR bad tightening ratio"
        /// BF.INSERT.
        TIGHTENING_RANGE c"ERR (0 < tightening ratio range < 1)"
        /// BF.INSERT.
        BAD_SEED c"ERR invalid seed"
    }
}
