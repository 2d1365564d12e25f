//! The command line: the verbs, and what they have in common.

use crate::cmd::{
    add, build, check, completions, count, get, info, man, measure, merge, plan, remove, verify,
};
#[cfg(feature = "lab")]
use crate::cmd::{draw, figure, tour};
use crate::exit::{Exit, Outcome, Stop};
use crate::output;
use clap::{ColorChoice, Parser, Subcommand, ValueEnum};
use std::io::{self, Write};

const EXAMPLES: &str = "\
Is this in the set? anther makes Bloom filters from lists and asks them. A filter
takes about ten bits a key, never says no to a key that is in (but for two kinds that
are made to forget), and says maybe to absent keys as rarely as you ask for.

Examples:
  anther tour                                      see it work, in a few seconds
  anther draw --bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12
  anther plan --items 10M --fpr 1%                 how large will it be?
  anther build seen.anther urls.txt                a filter from a list, at 1 %
  anther build seen.anther --fpr 0.1% < urls.txt   rarer false alarms
  anther check seen.anther https://example.org/    one key: maybe or no
  anther check seen.anther < today.txt             the lines that may be in the list
  anther check -v seen.anther < today.txt          the lines that are surely new
  anther add seen.anther today.txt                 now they are in
  anther merge all.anther monday.anther tuesday.anther
  anther info all.anther --json
  anther verify all.anther                         is every byte as it was written?
  anther measure seen.anther --members urls.txt --random 1M";

const EXIT_CODES: &str = "\
Exit codes: 0 all went well, or some key was found; 1 none was, or what measure, verify
or the tour looked at failed; 2 error; 130 interrupted.";

/// Is this in the set? Bloom filters from lists.
#[derive(Parser, Debug)]
#[command(name = "anther", version, long_about = EXAMPLES, after_help = EXIT_CODES)]
#[command(args_override_self = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Colours: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_short_help = true, hide_possible_values = true)]
    color: ColorChoice,
}

#[derive(Subcommand, Debug)]
enum Verb {
    Build(Box<build::Args>),
    Add(add::Args),
    Remove(remove::Args),
    Check(check::Args),
    Count(count::Args),
    Get(get::Args),
    Info(info::Args),
    Measure(measure::Args),
    Merge(merge::Args),
    Plan(Box<plan::Args>),
    #[cfg(feature = "lab")]
    Draw(Box<draw::Args>),
    #[cfg(feature = "lab")]
    Figure(figure::Args),
    #[cfg(feature = "lab")]
    Tour(tour::Args),
    Verify(verify::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cli {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        choose_colour(self.color);
        match &self.verb {
            Verb::Build(args) => args.run(),
            Verb::Add(args) => args.run(),
            Verb::Remove(args) => args.run(),
            Verb::Check(args) => args.run(),
            Verb::Count(args) => args.run(),
            Verb::Get(args) => args.run(),
            Verb::Info(args) => args.run(),
            Verb::Measure(args) => args.run(),
            Verb::Merge(args) => args.run(),
            Verb::Plan(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Draw(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Figure(args) => args.run(),
            #[cfg(feature = "lab")]
            Verb::Tour(args) => args.run(),
            Verb::Verify(args) => args.run(),
            Verb::Completions(args) => args.run(),
            Verb::Man(args) => args.run(),
        }
    }
}

fn choose_colour(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints the help or the version that was asked for, or says what is wrong with the command
/// line, under our name as everything else.
pub fn explain(error: &clap::Error) -> Outcome {
    let text = error.render();
    if !error.use_stderr() {
        choose_colour(colour_asked_for());
        output::done(write!(anstream::stdout(), "{}", text.ansi()))?;
        output::done(io::stdout().flush())?;
        return Ok(Exit::Success);
    }
    let plain = text.to_string();
    match plain.strip_prefix("error: ") {
        Some(message) => Err(Stop::Error(message.trim_end().to_string())),
        // No verb at all: the short help.
        None => {
            let _ = io::stderr().write_all(plain.as_bytes());
            Ok(Exit::Error)
        }
    }
}

/// Help is printed before the command line is understood, so it is asked by hand.
fn colour_asked_for() -> ColorChoice {
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
    use super::Cli;
    use clap::CommandFactory;

    /// Whoever adds a verb learns here what it must say of itself; tests/manners.rs has the rest.
    #[test]
    fn every_verb_has_examples_and_exit_codes() {
        let mut program = Cli::command();
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
}
