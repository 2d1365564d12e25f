//! `help`: what the program does, or one of its verbs.

use crate::exit::{Exit, Outcome, Stop};
use crate::output::done;
use clap::Command;
use std::io::Write;

const ABOUT: &str = "\
Prints what the program does, or what one verb does: the same as --help.

Examples:
  anther help
  anther help build";

const EXIT_CODES: &str = "Exit codes: 0 printed; 2 error.";

/// Print the help of the program or of a verb
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The verb
    verb: Option<String>,
}

impl Args {
    /// Runs the verb, on the definition of the command line.
    pub fn run(&self, mut program: Command) -> Outcome {
        // Gives verbs the options that all have.
        program.build();
        let command = match &self.verb {
            None => &mut program,
            Some(verb) => program
                .find_subcommand_mut(verb)
                .ok_or_else(|| Stop::about(verb, "no such verb; anther help lists them"))?,
        };
        let text = command.render_long_help();
        let mut out = anstream::stdout();
        done(write!(out, "{}", text.ansi()))?;
        done(out.flush())?;
        Ok(Exit::Success)
    }
}
