//! The command line: the verbs, and what they have in common.

use crate::cmd::{
    add, build, check, completions, convert, count, diff, get, help, info, lab, list, man, measure,
    merge, plan, remove, sketch, spell, uniq, verify,
};
#[cfg(feature = "lab")]
use crate::cmd::{draw, figure, tour};
#[cfg(feature = "index")]
use crate::cmd::{grep, index};
use crate::exit::{Exit, Outcome, Stop};
use crate::output;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    Arg, ColorChoice, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
};
use std::any::TypeId;
use std::fmt::Write as _;
use std::io::{self, Write};

const INTRODUCTION: &str = "\
Is this key in the set? anther builds Bloom filters from lists and looks keys up in
them. A filter takes about ten bits per key. It has no false negatives, except in three
kinds that forget old keys, and as few false positives as you ask for.";

#[cfg(feature = "lab")]
const LAB_EXAMPLES: &str = "  anther tour                                      see filters at work
  anther draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12
";
#[cfg(not(feature = "lab"))]
const LAB_EXAMPLES: &str = "";

const EXAMPLES: &str = "  anther plan --items 10M --fpr 1%                 how large will it be?
  anther build seen.anther urls.txt                build one, with 1 % false positives
  anther build seen.anther --fpr 0.1% < urls.txt   with 0.1 %
  anther check seen.anther https://example.org/    one key: maybe or no
  anther check seen.anther < today.txt             lines that may be in the set
  anther check -v seen.anther < today.txt          lines that are certainly new
  anther add seen.anther today.txt                 insert more keys
  ssh host anther sketch urls.txt | anther diff urls.txt -   what two lists differ in
  anther merge all.anther monday.anther tuesday.anther
  anther info all.anther --json
  anther verify all.anther                         check every checksum
  anther measure seen.anther --members urls.txt --random 1M
  anther uniq < log.txt                            each line once, in a pipe";

const EXIT_CODES: &str = "\
Exit codes: 0 success, or some key was found; 1 no key found, or a check failed; 2 error;
130 interrupted.";

/// The verbs in groups, as the help and the manual list them.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Make", &["plan", "build", "merge", "convert"]),
    ("Ask", &["check", "count", "get", "list", "spell"]),
    ("Search", &["index", "grep"]),
    ("Lists", &["uniq", "sketch", "diff"]),
    ("Change", &["add", "remove"]),
    ("Inspect", &["info", "verify", "measure"]),
    ("Learn", &["tour", "lab", "draw", "figure"]),
    ("Shell", &["completions", "man", "help"]),
];

/// Build Bloom filters from lists, and look keys up in them
#[derive(Parser, Debug)]
#[command(name = "anther", version, after_help = EXIT_CODES)]
#[command(args_override_self = true, disable_help_subcommand = true)]
#[command(subcommand_value_name = "VERB")]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Colour answers, tables, pictures, help and messages: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_short_help = true, hide_possible_values = true)]
    color: ColorChoice,
    /// Print only warnings and errors on standard error
    // The verbs that have their own --quiet get the value of this one.
    #[arg(short, long, global = true, hide_short_help = true)]
    quiet: bool,
}

#[derive(Subcommand, Debug)]
enum Verb {
    Plan(Box<plan::Args>),
    Build(Box<build::Args>),
    Merge(merge::Args),
    Convert(convert::Args),
    Check(check::Args),
    Count(count::Args),
    Get(get::Args),
    List(list::Args),
    Spell(spell::Args),
    #[cfg(feature = "index")]
    Index(index::Args),
    #[cfg(feature = "index")]
    Grep(Box<grep::Args>),
    Uniq(Box<uniq::Args>),
    Sketch(sketch::Args),
    Diff(diff::Args),
    Add(add::Args),
    Remove(remove::Args),
    Info(info::Args),
    Verify(verify::Args),
    Measure(measure::Args),
    #[cfg(feature = "lab")]
    Tour(tour::Args),
    Lab(lab::Args),
    #[cfg(feature = "lab")]
    Draw(Box<draw::Args>),
    #[cfg(feature = "lab")]
    Figure(figure::Args),
    Completions(completions::Args),
    Man(man::Args),
    Help(help::Args),
}

impl Verb {
    /// Rejects `-q` before the verb with what the verb's own `-q` conflicts with: clap checks
    /// conflicts only among the arguments after the verb.
    fn check_quiet(&self, quiet: bool) -> Result<(), Stop> {
        let conflict = match self {
            Verb::Check(args) => args.conflict_with_quiet(),
            Verb::Measure(args) => args.conflict_with_quiet(),
            #[cfg(feature = "index")]
            Verb::Grep(args) => args.conflict_with_quiet(),
            _ => None,
        };
        match conflict.filter(|_| quiet) {
            None => Ok(()),
            Some(option) => Err(Stop::Error(format!(
                "--quiet prints nothing, so {option} makes no sense with it"
            ))),
        }
    }
}

impl Cli {
    /// Reads the command line.
    pub fn read() -> Result<Cli, clap::Error> {
        let mut program = command();
        let matches = program.try_get_matches_from_mut(std::env::args_os())?;
        Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
    }

    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        choose_colour(self.color);
        self.verb.check_quiet(self.quiet)?;
        if self.quiet {
            output::be_quiet();
        }
        match &self.verb {
            Verb::Plan(args) => args.run(),
            Verb::Build(args) => args.run(),
            Verb::Merge(args) => args.run(),
            Verb::Convert(args) => args.run(),
            Verb::Check(args) => args.run(),
            Verb::Count(args) => args.run(),
            Verb::Get(args) => args.run(),
            Verb::List(args) => args.run(),
            Verb::Spell(args) => args.run(),
            #[cfg(feature = "index")]
            Verb::Index(args) => args.run(),
            #[cfg(feature = "index")]
            Verb::Grep(args) => args.run(),
            Verb::Uniq(args) => args.run(),
            Verb::Sketch(args) => args.run(),
            Verb::Diff(args) => args.run(),
            Verb::Add(args) => args.run(),
            Verb::Remove(args) => args.run(),
            Verb::Info(args) => args.run(),
            Verb::Verify(args) => args.run(),
            Verb::Measure(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Tour(args) => args.run(),
            Verb::Lab(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Draw(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Figure(args) => args.run(),
            Verb::Completions(args) => args.run(command()),
            Verb::Man(args) => args.run(command(), &GROUPS),
            Verb::Help(args) => args.run(command()),
        }
    }
}

/// The definition of the command line. Help, manual and completions come from it.
fn command() -> Command {
    let program = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}",
        grouped(&program),
        header = program.get_styles().get_header()
    );
    program
        .long_about(format!("{INTRODUCTION}\n\nExamples:\n{LAB_EXAMPLES}{EXAMPLES}"))
        .help_template(template)
}

/// The verbs under the names of their groups. clap has only one heading for all of them.
fn grouped(program: &Command) -> String {
    let (header, literal) =
        (*program.get_styles().get_header(), *program.get_styles().get_literal());
    let mut text = String::new();
    for (group, verbs) in GROUPS {
        let mut verbs = verbs.iter().filter_map(|name| program.find_subcommand(name)).peekable();
        if verbs.peek().is_some() {
            let _ = writeln!(text, "{header}{group}:{header:#}");
        }
        for verb in verbs {
            let (name, about) = (verb.get_name(), verb.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ =
                writeln!(text, "  {literal}{name}{literal:#}{:>1$}{about}", "", 13 - name.len());
        }
    }
    text
}

fn choose_colour(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints the help or the version, or what is wrong with the command line, as `anther: …` like
/// every other message.
pub fn explain(error: &clap::Error) -> Outcome {
    let text = error.render();
    if !error.use_stderr() {
        choose_colour(colour_option());
        output::done(write!(anstream::stdout(), "{}", text.ansi()))?;
        output::done(io::stdout().flush())?;
        return Ok(Exit::Success);
    }
    let plain = text.to_string();
    match plain.strip_prefix("error: ") {
        Some(message) => {
            choose_colour(colour_option());
            Err(Stop::Error(match (advice(error.kind()), message.split_once("\n\nUsage")) {
                // Ours names the same argument, and what is wrong with it.
                (Some(advice), _) if error.kind() == ErrorKind::UnknownArgument => advice,
                // Ours is better than the usage, which would repeat the order that failed.
                (Some(advice), Some((cause, _))) => {
                    let cause = cause.split_once("\n\n  tip: ").map_or(cause, |(cause, _)| cause);
                    format!("{cause}\n{advice}")
                }
                _ => {
                    below_zero(error, message).unwrap_or(message.to_string()).trim_end().to_string()
                }
            }))
        }
        // No verb at all: the short help.
        None => {
            let _ = io::stderr().write_all(plain.as_bytes());
            Ok(Exit::Error)
        }
    }
}

/// What clap cannot know: why the filter is missing, and what a verb was called earlier.
fn advice(kind: ErrorKind) -> Option<String> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let verb = arguments.iter().find(|argument| !argument.starts_with('-'))?;
    let has = |names: &[&str]| arguments.iter().any(|argument| names.contains(&&**argument));
    match kind {
        ErrorKind::InvalidSubcommand if verb == "times" => {
            Some("times is called count now: anther count FILTER KEY".to_string())
        }
        ErrorKind::UnknownArgument => {
            // `-0.0` is the option -0, and then none that is known.
            let is_number = |argument: &&String| {
                let digits = argument.strip_prefix('-').unwrap_or_default();
                digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
            };
            if let Some(advice) = about_missing_value(verb, &arguments) {
                return Some(advice);
            }
            let at = arguments.iter().position(|argument| is_number(&argument))?;
            about_dash(verb, arguments.get(at.wrapping_sub(1))?, &arguments[at])
        }
        ErrorKind::MissingRequiredArgument if has(&["--confirm"]) => Some(
            "--confirm takes the list that the filter was built from: \
             anther check FILTER --confirm LIST"
                .to_string(),
        ),
        ErrorKind::MissingRequiredArgument if has(&["-f", "--files", "--file", "-k", "--keys"]) => {
            let first = if verb == "build" { "OUT" } else { "FILTER" };
            Some(format!(
                "-f and -k take all names that follow, so {first} comes first: \
                 anther {verb} {first} -f FILE"
            ))
        }
        _ => None,
    }
}

/// An amount may begin with a dash, so that `plan --items --fpr 1%` takes `--fpr` for the number of
/// items, and clap blames the `1%`.
fn about_missing_value(verb: &str, arguments: &[String]) -> Option<String> {
    let program = command();
    let verb = program.find_subcommand(verb)?;
    let is_amount = |argument: &str| {
        let of = |option: &Arg| option.get_long() == argument.strip_prefix("--");
        verb.get_arguments().any(|option| option.is_allow_hyphen_values_set() && of(option))
    };
    let is_option = |argument: &str| {
        let name = argument.strip_prefix('-').unwrap_or_default();
        name.starts_with(|first: char| first == '-' || first.is_ascii_alphabetic())
    };
    let pair = arguments.windows(2).find(|pair| is_amount(&pair[0]) && is_option(&pair[1]))?;
    Some(format!("{} has no value: {} follows it", pair[0], pair[1]))
}

/// What to do with a number that was taken for an option.
fn about_dash(verb: &str, before: &str, number: &str) -> Option<String> {
    let program = command();
    let options: Vec<&Arg> = program.find_subcommand(verb)?.get_arguments().collect();
    let is_before = |option: &&&Arg| {
        let long = option.get_long().map(|long| format!("--{long}"));
        let short = option.get_short().map(|short| format!("-{short}"));
        [long, short].iter().flatten().any(|name| name == before)
    };
    let option = options.iter().find(is_before);
    if option.is_some_and(|option| option.get_action().takes_values()) {
        return Some(match is_below_zero(number) && option.is_some_and(takes_number) {
            true => format!("{before} {number}: below zero; a number from 0 on is needed"),
            false => format!("{before} takes no value that begins with -, such as {number}"),
        });
    }
    if verb == "grep" {
        return Some(format!(
            "what is searched for comes behind -e if it begins with -: anther grep INDEX -e {number}"
        ));
    }
    let first = if verb == "build" { "OUT" } else { "FILTER" };
    options.iter().any(|option| option.get_short() == Some('k')).then(|| {
        format!("a key that begins with - comes behind -- or -k: anther {verb} {first} -k {number}")
    })
}

/// Whether an option takes a number that cannot be below zero.
fn takes_number(option: &&Arg) -> bool {
    let parsed = option.get_value_parser().type_id();
    let numbers =
        [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    numbers.iter().any(|number| parsed == *number)
}

fn is_below_zero(text: &str) -> bool {
    text.parse().is_ok_and(|number: i128| number < 0)
}

/// A message about a value that is below zero, which is said first.
fn below_zero(error: &clap::Error, message: &str) -> Option<String> {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else {
        return None;
    };
    let (before, cause) = message.split_once("': ").filter(|_| is_below_zero(value))?;
    // What Rust says of a dash is no help.
    let cause = match cause.strip_prefix("invalid digit found in string") {
        Some(rest) => format!("a whole number is needed{rest}"),
        None => cause.to_string(),
    };
    Some(format!("{before}': below zero; {cause}"))
}

/// `--color`, found by hand: help is printed before the command line is parsed.
fn colour_option() -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        let value = match argument.split_once('=') {
            Some(("--color", value)) => Some(value.to_string()),
            _ if argument == "--color" => arguments.next(),
            _ => None,
        };
        if let Some(value) = value {
            choice = ColorChoice::from_str(&value, true).unwrap_or(choice);
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, command};

    /// Every verb is in one group, and in the order of the groups.
    #[test]
    fn every_verb_has_a_group() {
        let program = command();
        let all: Vec<&str> = program.get_subcommands().map(|verb| verb.get_name()).collect();
        let grouped = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied());
        let grouped: Vec<&str> = grouped.filter(|name| all.contains(name)).collect();
        assert_eq!(all, grouped);
    }

    /// If you add a verb, this tells you what its help must have; tests/manners.rs has the rest.
    #[test]
    fn every_verb_has_examples_and_exit_codes() {
        let mut program = command();
        program.build();
        program.clone().debug_assert();
        for verb in program.get_subcommands().chain([&program]) {
            let text = |text: Option<&clap::builder::StyledStr>| {
                text.map(ToString::to_string).unwrap_or_default()
            };
            let (name, codes) = (verb.get_name(), text(verb.get_after_help()));
            assert!(text(verb.get_long_about()).contains("\nExamples:\n  anther "), "{name}");
            assert!(codes.starts_with("Exit codes: 0 ") && codes.contains("; 2 error"), "{name}");
            assert!(verb.get_after_long_help().is_none(), "{name}: --help has other exit codes");
        }
    }

    /// `--fpr -1%` is a rate out of range, not an unknown option `-1`.
    #[test]
    fn amounts_may_begin_with_a_dash() {
        let program = command();
        let mut amounts = 0;
        for verb in program.get_subcommands() {
            for option in verb.get_arguments() {
                let names = option.get_value_names().unwrap_or_default();
                let is_amount = |name: &clap::builder::Str| {
                    ["RATE", "SIZE", "TIME", "SPAN", "FACTOR"].contains(&name.as_str())
                };
                if !option.is_positional() && names.iter().any(is_amount) {
                    let what = format!("{} --{}", verb.get_name(), option.get_id());
                    assert!(option.is_allow_hyphen_values_set(), "{what}: allow_hyphen_values");
                    amounts += 1;
                }
            }
        }
        assert!(amounts > 10, "{amounts}");
    }
}
