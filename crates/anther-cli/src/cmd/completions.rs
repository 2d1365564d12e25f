//! `completions`: what shells need to complete our command lines.

use crate::exit::{Exit, Outcome};
use crate::output::Out;
use clap::Command;
use clap_complete::Shell;
use serde::Serialize;

const ABOUT: &str = "\
Prints a script that teaches a shell to complete verbs, options and kinds of filters.

Examples:
  anther completions bash > ~/.local/share/bash-completion/completions/anther
  anther completions zsh > ~/.zfunc/_anther         with fpath+=~/.zfunc in .zshrc
  anther completions fish > ~/.config/fish/completions/anther.fish
  anther completions elvish >> ~/.config/elvish/rc.elv
  anther completions powershell >> $PROFILE";

const EXIT_CODES: &str = "Exit codes: 0 printed; 2 error.";

/// Print a script with which a shell completes commands
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The shell
    shell: Shell,
    /// The script within one JSON object
    #[arg(long, hide_short_help = true)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Completions {
    shell: String,
    script: String,
}

impl Args {
    /// Runs the verb, on the definition of the command line.
    pub fn run(&self, mut program: Command) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "anther", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        let mut out = Out::stdout();
        match self.json {
            true => out.json(&Completions { shell: self.shell.to_string(), script })?,
            false => out.text(&script)?,
        }
        out.finish()?;
        Ok(Exit::Success)
    }
}
