//! `lab`: the page to plan filters and to look at them, in a browser.

const ABOUT: &str = "\
Opens a page in the browser: plan a filter of every kind, watch its cells, attack it, and
look at your own files. The page is part of the program and needs no network.

Examples:
  anther lab
  anther lab --no-open                      print the address only
  anther lab --state '#tab=plan&items=10M'  open what an address has behind its #

The server listens on 127.0.0.1 only, and serves only those who know the address: it has a
random token in it. Files that you drop on the page stay on this machine. Ctrl-C ends it.

What is on the page is in its address, behind the #: copy it to keep it.";

const EXIT_CODES: &str = "Exit codes: 0 nobody reads the address; 2 error; 130 ended by Ctrl-C.";

/// Plan filters and look at them, in a browser
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Port on 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address, and start no browser
    #[arg(long)]
    no_open: bool,
    /// What the page shows: the part of an address from the # on
    #[arg(long, value_name = "#STATE", value_parser = state)]
    state: Option<String>,
    /// Print the address as one JSON object
    #[arg(long)]
    json: bool,
}

/// A fragment as addresses have it, without its #.
fn state(text: &str) -> Result<String, String> {
    let state = text.strip_prefix('#').unwrap_or(text);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/?%".contains(c);
    match state.chars().find(|c| !is_allowed(*c)) {
        None => Ok(state.to_string()),
        Some(c) => Err(format!("{c:?} is not for addresses; copy the part of one from its #")),
    }
}

#[cfg(not(feature = "page"))]
impl Args {
    /// Says how to get the page.
    pub fn run(&self) -> crate::exit::Outcome {
        Err(crate::exit::Stop::Error(
            "this program was built without its page; cargo install --path crates/anther-cli \
             --features page has it"
                .to_string(),
        ))
    }
}

#[cfg(feature = "page")]
mod served {
    use super::Args;
    use crate::exit::{Outcome, Stop};
    use crate::interrupt;
    use crate::output::{self, Out};
    use anther_lab::page::{Page, Settings};
    use serde::Serialize;
    use std::process::{Command, Stdio};
    use std::{env, io};
    use tempfile::TempDir;

    /// What `--json` prints.
    #[derive(Serialize)]
    struct LabJson<'a> {
        address: &'a str,
    }

    impl Args {
        /// Runs the verb, until a signal ends the program.
        pub fn run(&self) -> Outcome {
            let folder = private_folder()?;
            let program = env::current_exe().map_err(|error| Stop::about("anther", error))?;
            let settings =
                Settings { port: self.port, program, folder: folder.path().to_path_buf() };
            let page = Page::bind(settings)?;
            let with_state = |address: String| match &self.state {
                Some(state) => format!("{address}#{state}"),
                None => address,
            };
            self.print(&with_state(page.address()))?;
            if !self.no_open
                && let Err(error) = open(&with_state(page.address_for_browser()))
            {
                output::note(&format!("no browser started: {error}; open the address in one"));
            }
            output::note("Ctrl-C ends the page");
            page.serve()
        }

        fn print(&self, address: &str) -> Result<(), Stop> {
            let mut out = Out::stdout();
            match self.json {
                true => out.json(&LabJson { address })?,
                false => out.line(format_args!("{address}"))?,
            }
            out.finish()
        }
    }

    /// A folder that only the user can read, removed at the end.
    fn private_folder() -> Result<TempDir, Stop> {
        let mut unfinished = interrupt::not_now();
        let mut builder = tempfile::Builder::new();
        builder.prefix("anther-lab-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir();
        let folder = folder.map_err(|error| Stop::about(env::temp_dir().display(), error))?;
        *unfinished = Some(folder.path().to_path_buf());
        Ok(folder)
    }

    /// Opens an address in the user's browser, and does not wait for it.
    fn open(address: &str) -> io::Result<()> {
        let mut command = browser()?;
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(|_| ())
    }

    #[cfg(target_os = "macos")]
    fn browser() -> io::Result<Command> {
        Ok(Command::new("open"))
    }

    #[cfg(windows)]
    fn browser() -> io::Result<Command> {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        Ok(command)
    }

    #[cfg(not(any(target_os = "macos", windows)))]
    fn browser() -> io::Result<Command> {
        // Without a display, xdg-open would start a browser for terminals, in this one.
        match ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| env::var_os(name).is_some()) {
            true => Ok(Command::new("xdg-open")),
            false => Err(io::Error::other("this session has no display")),
        }
    }
}
