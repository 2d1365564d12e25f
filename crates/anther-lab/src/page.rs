//! The page of `anther lab`: a web server on loopback for one user, and what the page can ask it.
//!
//! ```text
//!  connection ──► server ──► guard ──► files      GET of an embedded file
//!                 limits     token,    api ──►    POST of a name: one function per name
//!                 of time    Host,     file ──►   POST of a file, which the program itself reads
//!                 and size   Origin
//! ```
//!
//! The page's sources are in `crates/anther-lab/page`, one JavaScript module per tab. JavaScript asks
//! and draws; every number and every cell comes from the library. `SECURITY.md` says what the server
//! is safe from.

mod answer;
mod api;
mod body;
mod connection;
mod files;
mod guard;
mod permits;
mod server;

// What the page can ask, in the order of its tabs. `api` has the table of names.
mod kinds;

// Plan.
mod measure_now;
mod plan;
mod plot;

// Look.
mod examples;
mod fill;
mod look;
mod why;

// Attack.
mod attack;

// Your file.
mod file;
mod program;

use crate::Error;
use guard::Guard;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

/// What the page needs of the program.
#[derive(Debug)]
pub struct Settings {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The program, which the page runs on dropped files.
    pub program: PathBuf,
    /// An empty private folder for dropped files. The caller removes it.
    pub folder: PathBuf,
}

/// The page, with its port bound.
#[derive(Debug)]
pub struct Page {
    listener: TcpListener,
    guard: Guard,
    settings: Settings,
}

impl Page {
    /// Binds the port on loopback.
    pub fn bind(settings: Settings) -> Result<Page, Error> {
        let wanted = settings.port;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).map_err(|error| {
            let cause = format!("{error}; choose another port, or 0 for any that is free");
            Error::about(format_args!("port {wanted}"), cause)
        })?;
        let port = listener.local_addr().map_err(|error| Error::about("port", error))?.port();
        Ok(Page { listener, guard: Guard::new(port)?, settings })
    }

    /// The address of the page. Whoever has it can use the page.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// An address that leads to the page once. It is for starting a browser: every user of the machine
    /// can read the arguments of a process.
    pub fn address_for_browser(&self) -> String {
        self.guard.address_for_browser()
    }

    /// Serves the page until the process ends.
    pub fn serve(self) -> ! {
        server::serve(&self.listener, self.guard, self.settings)
    }
}
