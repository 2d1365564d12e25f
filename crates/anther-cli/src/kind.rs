//! Which kind of filter, and the options that some kinds have. Their names are those of the
//! library.

use crate::exit::Stop;
use crate::input::Source;
use crate::units;
use anther::{
    AnyFilter, Bloomier, BuildError, Increments, KeyHash, Kind, Method, Options, Plan, Queries,
    Seed, SizeError, Target, Weighted, Work,
};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// The kind of a filter that is to be made, and its options.
#[derive(Args, Clone, Debug)]
pub struct KindArgs {
    /// Kind of filter; --help tells what each is for
    #[arg(long, value_name = "KIND", default_value = DEFAULT, value_parser = kinds(Kind::ALL))]
    #[arg(hide_possible_values = true, long_help = describe_kinds())]
    kind: Kind,
    #[command(flatten)]
    options: OptionArgs,
    /// weighted: past queries, taken as the keys are; those asked most get fewer false alarms
    #[arg(long, value_name = "FILE", help_heading = HEADING, hide_short_help = true)]
    hot: Option<PathBuf>,
    /// weighted: how many keys its table may have [default: as many as pay]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(requires = "hot", value_parser = units::parse_count)]
    hot_keys: Option<u64>,
}

/// What `build` makes unless told otherwise.
const DEFAULT: &str = Kind::Blocked.name();

/// The options of kinds that their size depends on.
#[derive(Args, Clone, Debug)]
pub struct OptionArgs {
    /// counting, variable-increment, spectral, stable, scalable over counting: bits of a counter
    /// [default: 4; spectral 8; stable as is best]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_small)]
    counter_bits: Option<u32>,
    /// variable-increment: the set of increments, D2, D4, D8, D16 (one counter a cell), B2 or B3
    /// (two) [default: B2]
    #[arg(long, value_name = "SET", help_heading = HEADING, hide_short_help = true)]
    increments: Option<Increments>,
    /// deletable, floom: how many regions the bits are divided into [default: as many as make most
    /// keys removable; floom 12]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = units::parse_count)]
    regions: Option<u64>,
    /// stable: how many of the latest keys to remember [default: --items]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = units::parse_count)]
    window: Option<u64>,
    /// stable, generalized: which share of the oldest keys may be forgotten [default: 10%]
    #[arg(long, value_name = "RATE", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = units::parse_rate)]
    misses: Option<f64>,
    /// scalable: the kind of its layers: blocked, classic or counting [default: blocked, and
    /// classic for rates below 1e-5]
    #[arg(long, value_name = "KIND", help_heading = HEADING, hide_short_help = true)]
    #[arg(value_parser = kinds(Kind::ALL), hide_possible_values = true)]
    over: Option<Kind>,
    /// scalable: how many times as many keys the next layer holds [default: 2]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_small)]
    growth: Option<u32>,
    /// scalable: the next layer's rate, as a share of the last one's [default: 0.85]
    #[arg(long, value_name = "X", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_number)]
    tightening: Option<f64>,
    /// spectral: minimum, increase (fewer errors, no removal) or recurring [default: minimum]
    #[arg(long, value_name = "NAME", help_heading = HEADING, hide_short_help = true)]
    method: Option<Method>,
    /// compressed: how many times the memory of classic it may take, to be smaller when sent
    /// [default: 6]
    #[arg(long, value_name = "X", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_number)]
    expansion: Option<f64>,
    /// fuse, bloomier: how many cells a key has, 3 or 4 (smaller, slower) [default: 3]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_small)]
    arity: Option<u32>,
    /// bloomier: bits of a value [default: as the largest needs]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_small)]
    value_bits: Option<u32>,
    /// cuckoo: fingerprints of a bucket, 2, 4 or 8 [default: 4]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_negative_numbers = true, value_parser = parse_small)]
    bucket_size: Option<u32>,
}

const HEADING: &str = "Options of single kinds";

/// Names of kinds, and the kinds for them.
pub fn kinds(kinds: &'static [Kind]) -> impl TypedValueParser<Value = Kind> {
    let names = kinds.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.purpose()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Kind>())
}

fn parse_small(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "a whole number is needed, such as 4".to_string())
}

fn parse_number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "a number is needed, such as 0.8 or 6".to_string())
}

/// Every kind and what it is for, for `--help`.
pub fn describe_kinds() -> String {
    let mut text = "Kind of filter:\n".to_string();
    for kind in Kind::ALL {
        text += &format!("  {:<19} {}\n", kind.name(), kind.purpose());
    }
    text
}

impl OptionArgs {
    /// As the library has them.
    pub fn options(&self) -> Options {
        let mut options = Options::new();
        options.counter_bits = self.counter_bits;
        options.increments = self.increments;
        options.regions = self.regions;
        options.window = self.window;
        options.misses = self.misses;
        options.over = self.over;
        options.growth = self.growth;
        options.tightening = self.tightening;
        options.method = self.method;
        options.expansion = self.expansion;
        options.arity = self.arity;
        options.value_bits = self.value_bits;
        options.bucket_size = self.bucket_size;
        options
    }

    /// Those that were said, as they are said.
    pub fn said(&self) -> String {
        fn said(flag: &str, value: Option<impl ToString>) -> String {
            value.map_or(String::new(), |value| format!(" --{flag} {}", value.to_string()))
        }
        [
            said("counter-bits", self.counter_bits),
            said("increments", self.increments),
            said("regions", self.regions),
            said("window", self.window),
            said("misses", self.misses),
            said("over", self.over),
            said("growth", self.growth),
            said("tightening", self.tightening),
            said("method", self.method),
            said("expansion", self.expansion),
            said("arity", self.arity),
            said("value-bits", self.value_bits),
            said("bucket-size", self.bucket_size),
        ]
        .concat()
    }
}

impl KindArgs {
    fn options(&self) -> Options {
        self.options.options()
    }

    /// Whether such a filter can be made, as far as that can be known before the keys are.
    pub fn check(&self, items: Option<u64>, fpr: f64) -> Result<(), Stop> {
        let target = Target::new(items.unwrap_or(1), fpr).map_err(SizeError::from).map_err(stop)?;
        match (items, self.kind.plan(target, &self.options())) {
            // How many regions there can be depends on how many keys come.
            (None, Err(SizeError::Option { name: "regions", .. })) | (_, Ok(_)) => Ok(()),
            (_, Err(error)) => Err(stop(error)),
        }
    }

    /// What another filter such as this one would take.
    pub fn plan_as(&self, filter: &AnyFilter, items: u64, fpr: f64) -> Result<Plan, Stop> {
        let target = Target::new(items, fpr).map_err(SizeError::from).map_err(stop)?;
        let mut options = self.options();
        if let AnyFilter::Bloomier(map) = filter {
            options.value_bits = Some(map.value_bits());
        }
        self.kind.plan(target, &options).map_err(stop)
    }

    /// The file of past queries, which only one kind takes.
    pub fn hot(&self) -> Result<Option<Source>, Stop> {
        let Some(path) = &self.hot else { return Ok(None) };
        if self.kind != Kind::Weighted {
            let message =
                format!("{} has no option hot; kinds with this option: weighted", self.kind);
            return Err(Stop::Error(message));
        }
        let source = Source::File(path.clone());
        source.check()?;
        Ok(Some(source))
    }

    /// An empty filter, for queries such as these.
    pub fn empty(
        &self,
        items: u64,
        fpr: f64,
        seed: Seed,
        queries: Option<Queries>,
    ) -> Result<AnyFilter, Stop> {
        let target = Target::new(items, fpr).map_err(SizeError::from).map_err(stop)?;
        let Some(queries) = queries else {
            return AnyFilter::with_options(self.kind, target, &self.options(), seed).map_err(stop);
        };
        let most = match self.hot_keys {
            Some(most) => usize::try_from(most).unwrap_or(usize::MAX),
            None => queries.that_pay(items),
        };
        Weighted::for_queries(target, &queries.hot(most), seed).map(AnyFilter::from).map_err(stop)
    }

    /// Whether the filter is made from all keys at once.
    pub fn is_static(&self) -> bool {
        !self.kind.capabilities().insert
    }

    /// Whether keys come with values.
    pub fn keeps_values(&self) -> bool {
        self.kind.capabilities().values
    }

    /// A filter of all these keys.
    pub fn build(
        &self,
        keys: &mut dyn anther::KeySource,
        items: u64,
        fpr: f64,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<AnyFilter, BuildError> {
        let target = Target::new(items, fpr).map_err(SizeError::from)?;
        AnyFilter::build(self.kind, keys, target, &self.options(), seed, work)
    }

    /// A map of all these keys and values, as narrow as the largest value allows.
    pub fn map(
        &self,
        pairs: &mut dyn anther::KeySource<(KeyHash, u64)>,
        items: u64,
        largest: u64,
        fpr: f64,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<AnyFilter, BuildError> {
        let target = Target::new(items, fpr).map_err(SizeError::from)?;
        let mut options = self.options();
        options.value_bits = options.value_bits.or(Some((64 - largest.leading_zeros()).max(1)));
        Bloomier::build_pairs(pairs, target, &options, false, seed, work).map(AnyFilter::from)
    }

    /// Whether it matters how often a key comes, or in which order keys do.
    pub fn takes_every_occurrence(&self) -> bool {
        let can = self.kind.capabilities();
        can.count || !can.no_false_negatives
    }

    /// Whether a key that comes twice takes twice the room.
    pub fn copies_take_room(&self) -> bool {
        self.kind == Kind::Cuckoo
    }
}

fn stop(error: SizeError) -> Stop {
    Stop::Error(error.to_string())
}
