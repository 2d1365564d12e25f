//! The kind of a filter, and the options of single kinds. Flags and help of these come from the
//! library's table.

use crate::exit::Stop;
use crate::input::Input;
use crate::units;
use anther::{
    AnyFilter, Bloomier, BuildError, Cascade, KeyHash, Kind, OptionForm, OptionInfo, OptionValue,
    Options, Plan, Queries, Seed, SizeError, Target, Weighted, Work,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches, Id};
use std::path::PathBuf;

/// The kind of a new filter, and its options.
#[derive(Args, Clone, Debug)]
pub struct KindArgs {
    /// Kind of filter; --help lists all [default: blocked]
    #[arg(long, value_name = "KIND")]
    #[arg(value_parser = choices())]
    #[arg(hide_possible_values = true, long_help = describe_kinds() + RANGE_LINE + DEFAULT_KIND)]
    kind: Option<Choice>,
    /// cascade: list of keys that it must never report; repeatable
    ///
    /// The filter says yes to every key of IN and no to every key of these lists. Keys of neither
    /// are false positives at the rate of --fpr. The lists are read like IN, once, after it, and
    /// take no memory; `-` is standard input. A key in both is an error. Takes all names that
    /// follow, as -f does. Implies --kind cascade.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    never_wrong_on: Vec<PathBuf>,
    #[command(flatten)]
    options: OptionArgs,
    /// weighted: list of past queries; frequent ones get fewer false positives
    #[arg(long, value_name = "FILE", help_heading = HEADING, hide_short_help = true)]
    hot: Option<PathBuf>,
    /// weighted: most keys in its table of hot keys [default: as many as pay off]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    #[arg(allow_hyphen_values = true, requires = "hot", value_parser = units::parse_count)]
    hot_keys: Option<u64>,
}

/// What `build` can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// A filter of a kind.
    Filter(Kind),
    /// A range filter, whose keys are not hashed.
    Range,
}

/// The name of a range filter among the kinds.
const RANGE: &str = "range";

/// What a range filter is for, in the list of kinds.
const RANGE_LINE: &str =
    "  range               ranges of ordered keys: is any key from A to B? Needs --span\n";

/// Parses what to build.
fn choices() -> impl TypedValueParser<Value = Choice> {
    let kinds = Kind::ALL.iter().map(|kind| (kind.name(), kind.purpose()));
    let all = kinds.chain([(RANGE, "ranges of ordered keys: is any key from A to B?")]);
    let names = all.map(|(name, purpose)| PossibleValue::new(name).help(purpose));
    PossibleValuesParser::new(names).try_map(|name| match &*name {
        RANGE => Ok(Choice::Range),
        name => name.parse::<Kind>().map(Choice::Filter),
    })
}

/// What decides the width of values, unless `--value-bits` does.
#[derive(Clone, Copy, Debug)]
pub enum ValueWidth {
    /// The largest of them.
    Largest(u64),
    /// They are bands of counts.
    Bands,
}

/// The default kind of `build` and `plan`.
pub const DEFAULT: Kind = Kind::Blocked;

const DEFAULT_KIND: &str = "\n[default: blocked; cascade with --never-wrong-on]";

/// The options of kinds that their size depends on: a flag for each line of the library's table.
#[derive(Clone, Debug)]
pub struct OptionArgs(Options);

impl Args for OptionArgs {
    fn group_id() -> Option<Id> {
        Some(Id::from("OptionArgs"))
    }

    fn augment_args(command: Command) -> Command {
        let names = Options::TABLE.iter().map(|option| option.name);
        let group = ArgGroup::new("OptionArgs").multiple(true).args(names);
        command.args(Options::TABLE.iter().map(flag)).group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        OptionArgs::augment_args(command)
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<OptionArgs, clap::Error> {
        let given = Options::TABLE.iter().map(|option| option.name);
        let given = given.filter_map(|name| Some((name, *matches.get_one::<OptionValue>(name)?)));
        // Each value was parsed by the form of its option, so none is refused.
        let set = |options: Options, (name, value)| options.with(name, value).unwrap_or(options);
        Ok(OptionArgs(given.fold(Options::new(), set)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = OptionArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of an option.
fn flag(option: &'static OptionInfo) -> Arg {
    let owners = Kind::ALL.iter().filter(|kind| kind.options().contains(&option.name));
    let owners: Vec<&str> = owners.map(|kind| kind.name()).collect();
    let help = format!("{}: {} [default: {}]", owners.join(", "), option.about, option.default);
    let flag = Arg::new(option.name).long(option.name).help(help);
    let flag = flag.help_heading(HEADING).hide_short_help(true);
    let number = || flag.clone().allow_hyphen_values(true);
    let flag = match option.form {
        // With the purpose of each kind in the completions.
        OptionForm::Kind => {
            let parser = kinds(Kind::ALL).map(OptionValue::Kind);
            return flag.value_name("KIND").hide_possible_values(true).value_parser(parser);
        }
        OptionForm::Rate => number().value_name("RATE"),
        OptionForm::Number => number().value_name("X"),
        OptionForm::Increments => flag.value_name("SET"),
        OptionForm::Method => flag.value_name("NAME"),
        // Small, Count, and what a later library may add.
        _ => number().value_name("N"),
    };
    flag.value_parser(|text: &str| option.parse(text))
}

/// The heading of options that single kinds have.
pub const HEADING: &str = "Options for specific kinds";

/// Parses the name of a kind. `build` lists `range` among them, so that here it is known, too.
pub fn kinds(kinds: &'static [Kind]) -> impl TypedValueParser<Value = Kind> {
    let names = kinds.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.purpose()));
    let names = names.chain([PossibleValue::new(RANGE).hide(true)]);
    PossibleValuesParser::new(names).try_map(|name| match &*name {
        RANGE => {
            Err("a range filter is made from its keys; use anther build --kind range --span N"
                .to_string())
        }
        name => name.parse::<Kind>().map_err(|error| error.to_string()),
    })
}

/// Parses a number of items that a filter can be made for.
pub fn parse_items(text: &str) -> Result<u64, String> {
    units::parse_count_to(text, Target::MAX_ITEMS)
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
    /// As the library's type.
    pub fn options(&self) -> Options {
        self.0
    }

    /// The given options, as on the command line.
    #[cfg(feature = "lab")]
    pub fn said(&self) -> String {
        self.0.given().map(|(name, value)| format!(" --{name} {value}")).collect()
    }
}

impl KindArgs {
    fn options(&self) -> Options {
        self.options.options()
    }

    /// Checks that such a filter can be made, as far as that is known before the keys are read.
    pub fn check(&self, items: Option<u64>, fpr: f64) -> Result<(), Stop> {
        let kind = self.kind();
        if items.is_some() && self.window().is_some() {
            let cause =
                format!("{} {kind} filter is made for its --window; leave one out", kind.article());
            return Err(Stop::about("--items", cause));
        }
        if self.options().others.is_some() && kind == Kind::Cascade {
            let cause = "is for anther plan; build counts the other keys, so leave it out";
            return Err(Stop::about("--others", cause));
        }
        let target = Target::new(items.unwrap_or(1), fpr).map_err(SizeError::from).map_err(stop)?;
        match (items, kind.plan(target, &self.options())) {
            // The range of --regions depends on the number of keys.
            (None, Err(SizeError::Option { name: "regions", .. })) | (_, Ok(_)) => Ok(()),
            (_, Err(error)) => Err(stop(error)),
        }
    }

    /// The number of latest keys that it keeps, if that was given: then it need not be counted.
    pub fn window(&self) -> Option<u64> {
        self.options().window.filter(|_| self.kind().options().contains(&"window"))
    }

    /// The kind, of a filter that is one of a kind.
    pub fn kind(&self) -> Kind {
        match self.kind {
            Some(Choice::Filter(kind)) => kind,
            None if !self.never_wrong_on.is_empty() => Kind::Cascade,
            None | Some(Choice::Range) => DEFAULT,
        }
    }

    /// The lists of keys that a `cascade` must never report.
    pub fn others(&self) -> Result<Vec<Input>, Stop> {
        match (self.kind(), &self.never_wrong_on[..]) {
            (Kind::Cascade, []) => Err(Stop::Error(
                "a cascade is built from two lists; name the one that it must never report with \
                 --never-wrong-on FILE, or use --kind ribbon"
                    .to_string(),
            )),
            (_, []) => Ok(Vec::new()),
            (Kind::Cascade, paths) => {
                let sources = Input::all(paths);
                sources.iter().try_for_each(Input::check)?;
                Ok(sources)
            }
            (kind, _) => Err(Stop::Error(format!(
                "--never-wrong-on is an option of cascade, not of {kind}; leave out one of \
                 --never-wrong-on and --kind {kind}"
            ))),
        }
    }

    /// Whether it is a range filter, which is of no kind.
    pub fn is_range(&self) -> bool {
        self.kind == Some(Choice::Range)
    }

    /// Refuses the options of kinds, for a range filter.
    pub fn refuse_options(&self) -> Result<(), Stop> {
        match self.option_given() {
            Some(option) => {
                Err(Stop::about(option, "a range filter has no such option; leave it out"))
            }
            None => Ok(()),
        }
    }

    /// The first option of single kinds that was given.
    pub fn option_given(&self) -> Option<String> {
        let given = self.options().given().next().map(|(name, _)| format!("--{name}"));
        let given = given.or(self.hot.as_ref().map(|_| "--hot".to_string()));
        let others = self.never_wrong_on.first().map(|_| "--never-wrong-on".to_string());
        given.or(others)
    }

    /// Whether `--kind` was given.
    pub fn is_named(&self) -> bool {
        self.kind.is_some()
    }

    /// The plan of a filter like this one, with another size or rate.
    pub fn plan_as(&self, filter: &AnyFilter, items: u64, fpr: f64) -> Result<Plan, Stop> {
        let target = Target::new(items, fpr).map_err(SizeError::from).map_err(stop)?;
        let mut options = self.options();
        if let AnyFilter::Bloomier(map) = filter {
            options.value_bits = Some(map.value_bits());
        }
        if let AnyFilter::Cascade(cascade) = filter {
            options.others = Some(cascade.others());
        }
        self.kind().plan(target, &options).map_err(stop)
    }

    /// The list of past queries, for `weighted`.
    pub fn hot(&self) -> Result<Option<Input>, Stop> {
        let Some(path) = &self.hot else { return Ok(None) };
        if self.kind() != Kind::Weighted {
            let message = format!(
                "--hot is an option of weighted, not of {}; leave it out, or use --kind weighted",
                self.kind()
            );
            return Err(Stop::Error(message));
        }
        let source = Input::File(path.clone());
        source.check()?;
        Ok(Some(source))
    }

    /// An empty filter; for `weighted`, with a table of these queries.
    pub fn empty(
        &self,
        items: u64,
        fpr: f64,
        seed: Seed,
        queries: Option<Queries>,
    ) -> Result<AnyFilter, Stop> {
        let target = Target::new(items, fpr).map_err(SizeError::from).map_err(stop)?;
        let Some(queries) = queries else {
            return AnyFilter::with_options(self.kind(), target, &self.options(), seed)
                .map_err(stop);
        };
        let most = match self.hot_keys {
            Some(most) => usize::try_from(most).unwrap_or(usize::MAX),
            None => queries.that_pay(items),
        };
        Weighted::for_queries(target, &queries.hot(most), seed).map(AnyFilter::from).map_err(stop)
    }

    /// Whether the kind is static.
    pub fn is_static(&self) -> bool {
        !self.kind().capabilities().insert
    }

    /// Whether the kind stores values.
    pub fn keeps_values(&self) -> bool {
        self.kind().capabilities().values
    }

    /// Builds a static filter from all keys.
    pub fn build(
        &self,
        keys: &mut dyn anther::KeySource,
        items: u64,
        fpr: f64,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<AnyFilter, BuildError> {
        let target = Target::new(items, fpr).map_err(SizeError::from)?;
        AnyFilter::build(self.kind(), keys, target, &self.options(), seed, work)
    }

    /// Builds a cascade from both lists. Without a rate it is as small as they allow.
    pub fn cascade(
        members: &mut dyn anther::KeySource,
        others: &mut dyn anther::KeySource,
        fpr: Option<f64>,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<AnyFilter, BuildError> {
        Cascade::build_lists(members, others, fpr, seed, work).map(AnyFilter::from)
    }

    /// Builds a static map from all keys and values.
    pub fn map(
        &self,
        pairs: &mut dyn anther::KeySource<(KeyHash, u64)>,
        items: u64,
        width: ValueWidth,
        fpr: f64,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<AnyFilter, BuildError> {
        let target = Target::new(items, fpr).map_err(SizeError::from)?;
        let mut options = self.options();
        let built = match width {
            ValueWidth::Bands => Bloomier::build_bands(pairs, target, &options, false, seed, work),
            ValueWidth::Largest(largest) => {
                let bits = (64 - largest.leading_zeros()).max(1);
                options.value_bits = options.value_bits.or(Some(bits));
                Bloomier::build_pairs(pairs, target, &options, false, seed, work)
            }
        };
        built.map(AnyFilter::from)
    }

    /// Whether repetitions or the order of keys matter to the kind. If keys are removed, a key that
    /// was listed twice must survive its first removal.
    pub fn takes_every_occurrence(&self) -> bool {
        let can = self.kind().capabilities();
        can.count || can.remove || !can.no_false_negatives
    }

    /// Why the kind cannot be made for more keys than came, if it cannot.
    pub fn no_headroom(&self) -> Option<String> {
        let (kind, can) = (self.kind(), self.kind().capabilities());
        if !can.insert {
            return Some(format!("{kind} is static, so no keys come later; leave it out"));
        }
        let forgets = !can.no_false_negatives;
        forgets.then(|| format!("{kind} keeps the latest keys; say how many with --items"))
    }

    /// Whether a repeated key counts as often as it comes, so that a filter of distinct keys would
    /// be too small for the list.
    pub fn counts_every_insert(&self) -> bool {
        self.kind() == Kind::Aging
    }

    /// Whether every copy of a repeated key takes space.
    pub fn copies_take_room(&self) -> bool {
        self.kind() == Kind::Cuckoo
    }
}

fn stop(error: SizeError) -> Stop {
    Stop::Error(error.to_string())
}
