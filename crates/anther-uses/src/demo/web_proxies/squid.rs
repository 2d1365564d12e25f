//! A real Squid on the loopback interface, whose cache digest is read.

use super::proxy::page;
use crate::demo::child::{Child, orders};
use crate::demo::http::Client;
use crate::demo::{Outcome, Report};
use anther::foreign::ForeignFilter;
use anther::foreign::squid::Squid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::chown;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const DIGEST: &str = "/squid-internal-periodic/store_digest";
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// Keeps a Squid and its folder until the parent ends, and then removes both. A process of its
/// own, since Squid would outlive a parent that is interrupted.
#[derive(clap::Args, Debug)]
pub struct KeeperArgs {
    /// Port of the site
    #[arg(long)]
    site: u16,
    program: String,
}

impl KeeperArgs {
    /// Prints Squid's port when Squid listens.
    pub fn run(&self) -> Outcome {
        // It ends with its input, so that it can clean up.
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::default())?;
        }
        let prefix = format!("anther-{}-squid-", parent_id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let file = folder.path().join("squid.conf");
        fs::write(folder.path().join("mime.conf"), "")?;
        fs::write(&file, configuration(folder.path(), port, self.site)?)?;
        // Its own name: Squids of one name share memory, which would be that of a Squid at work here.
        let name = format!("anther{}", std::process::id());
        let call = |arguments: &[&str]| {
            let mut command = Command::new(&self.program);
            command.args(["-N", "-n", &name, "-f"]).arg(&file).args(arguments);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        if !call(&["-z"]).status()?.success() {
            return Err("Squid cannot make its folder".into());
        }
        let mut squid = Running { process: call(&[]).spawn()?, stop: call(&["-k", "shutdown"]) };
        let start = Instant::now();
        while Client::new(port).is_err() {
            if squid.process.try_wait()?.is_some() || start.elapsed() > PATIENCE {
                return Err("Squid did not start".into());
            }
            sleep(POLL);
        }
        // The parent may have ended meanwhile: then so does its input, and what follows is cleaning up.
        let _ = writeln!(std::io::stdout(), "{port}");
        orders().for_each(drop);
        Ok(())
    }
}

/// Squid, until it is dropped.
struct Running {
    process: Process,
    stop: Command,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Told to stop, it removes its shared memory; killed, it would not. After an interrupt it has
        // been told already.
        let _ = self.stop.status();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(3) {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What Squid is told. A Squid that root starts gives root up, so that the folder must be its user's.
fn configuration(folder: &Path, port: u16, site: u16) -> Result<String, Box<dyn Error>> {
    let at = folder.display();
    let mut text = format!(
        "http_port 127.0.0.1:{port}
visible_hostname squid.test
pid_filename {at}/pid
cache_log {at}/cache.log
access_log none
coredump_dir {at}
netdb_filename none
pinger_enable off
http_access allow localhost
cache_peer 127.0.0.1 parent {site} 0 no-query no-digest default name=site
never_direct allow all
shutdown_lifetime 0 seconds
cache_dir ufs {at}/store 20 4 4
# Without icons, whose URLs would be in the digest, too.
mime_table {at}/mime.conf
digest_generation on
digest_rebuild_period 1 second
digest_rewrite_period 1 second
"
    );
    if let Some((user, group)) = owner("proxy") {
        // Fails where this is not root; then Squid stays this user.
        if chown(folder, Some(user), Some(group)).is_ok() {
            text.push_str("cache_effective_user proxy\n");
        }
    }
    Ok(text)
}

/// The numbers of a user and its group.
fn owner(name: &str) -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let mut fields =
        users.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.split(':');
    Some((fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Where Squid is, if it is.
pub(super) fn program() -> Option<PathBuf> {
    let places = ["/usr/sbin/squid", "/usr/local/sbin/squid", "/usr/bin/squid"];
    places.map(PathBuf::from).into_iter().find(|path| path.exists())
}

/// Fetches half of the URLs through Squid, reads its digest, and compares what that says with what
/// Squid says itself.
pub(super) fn compare(program: &Path, site: u16, report: &mut Report) -> Outcome {
    let program = program.to_str().ok_or("the path of Squid is not UTF-8")?;
    let arguments = ["--site".to_string(), site.to_string(), program.to_string()];
    let (_keeper, port) = Child::server("web-squid", &arguments)?;
    let mut squid = Client::new(port)?;
    let url = |number: usize| {
        let query = "x".repeat(number % 40);
        format!("http://pages.example/{}{number}?q={query}", "%C3%A9".repeat(number % 3))
    };
    let urls: Vec<String> = (0..2000).map(url).collect();
    let (fetched, _) = urls.split_at(urls.len() / 2);
    for url in fetched {
        if squid.get(url)?.body != page(url) {
            return Err(format!("Squid has another page at {url}").into());
        }
    }
    let start = Instant::now();
    // Squid rebuilds it every second, and counts a page before it is in its store.
    let (digest, bytes) = loop {
        let answer =
            Client::new(port)?.send(&format!("GET {DIGEST}"), "Connection: close\r\n", &[])?;
        if answer.status == 200 {
            let digest = Squid::from_bytes(&answer.body)?;
            if fetched.iter().all(|url| digest.contains(url.as_bytes())) {
                break (digest, answer.body.len());
            }
        }
        if start.elapsed() > PATIENCE {
            return Err("Squid's digest lacks pages that it has".into());
        }
        sleep(POLL);
    };
    report.varies();
    let (mut agree, mut held, mut false_positives) = (0, 0, 0);
    for url in &urls {
        let only = "Cache-Control: only-if-cached\r\n";
        let is_held = match squid.send(&format!("GET {url}"), only, &[])?.status {
            200 => true,
            504 => false,
            status => return Err(format!("Squid answers {status} for {url}").into()),
        };
        let says = digest.contains(url.as_bytes());
        held += usize::from(is_held);
        agree += usize::from(!is_held || says);
        false_positives += usize::from(says && !is_held);
    }
    let info = ForeignFilter::Squid(digest).info();
    let absent = urls.len() - held;
    report.claim(
        "Squid: pages of 2000 that it says it has, and of these in its digest",
        "1000, all",
        format_args!("{held}, {}", held + agree - urls.len()),
        held == fetched.len() && agree == urls.len(),
    );
    // By the ones that the digest has: its size and its pages differ from run to run.
    let claim = "Squid: absent pages that its digest promises, (ones/m)^4 of the digest";
    report.share(claim, info.fpr, false_positives, absent);
    report.note(format_args!("Squid's digest: {bytes} bytes for {held} pages"));
    Ok(())
}
