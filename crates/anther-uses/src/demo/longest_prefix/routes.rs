//! Routes: from a file, from npm, or generated.

use crate::demo::scratch::Scratch;
use crate::demo::{NotRun, draw};
use crate::longest_prefix::{Address, range_prefixes};
use std::error::Error;
use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prefixes, their lengths and their values.
pub(super) type Routes<A> = Vec<(A, u8, u32)>;

/// The routes of both kinds of address.
#[derive(Debug, Default)]
pub(super) struct BothRoutes {
    pub(super) v4: Routes<u32>,
    pub(super) v6: Routes<u128>,
}

/// Which autonomous system announces which addresses (RouteViews, DB-IP, NRO; CC BY 4.0). One
/// version, so that every run has the same table.
const PACKAGE: &str = "@ip-location-db/asn@2.3.2026061719";
/// Its size is 19 MB; npm caches it.
const PATIENCE: Duration = Duration::from_secs(60);

impl BothRoutes {
    /// The table from the registry that npm is configured for.
    pub(super) fn fetch() -> Result<BothRoutes, Box<dyn Error>> {
        let folder = Scratch::new()?;
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", "--prefer-offline", "--ignore-scripts", PACKAGE]);
        run(npm.current_dir(folder.path()), "npm pack")?;
        let packed = fs::read_dir(folder.path())?.next().ok_or("npm pack left no file")??.path();
        let names = ["package/asn-ipv4-num.csv", "package/asn-ipv6-num.csv"];
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(packed).args(names);
        run(tar.current_dir(folder.path()), "tar")?;
        let mut routes = BothRoutes::default();
        for name in names {
            routes.read(&folder.path().join(name))?;
        }
        Ok(routes)
    }

    /// Adds the routes of a file: per line a prefix and a value (`10.0.0.0/8,64500`), or the first
    /// and the last address of a range and a value; addresses may be numbers.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
            if !line.trim().is_empty() && self.add(line).is_none() {
                let number = number + 1;
                return Err(format!(
                    "{}: line {number} is malformed; write PREFIX/LENGTH,NUMBER or FIRST,LAST,NUMBER",
                    path.display()
                )
                .into());
            }
        }
        Ok(())
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let mut fields = line.split(',').map(|field| field.trim().trim_matches('"'));
        let first = fields.next()?;
        let (bits, prefixes) = match first.split_once('/') {
            Some((prefix, length)) => {
                let (prefix, bits) = address(prefix)?;
                (bits, vec![(prefix, length.parse().ok()?)])
            }
            None => {
                let ((first, one), (last, other)) = (address(first)?, address(fields.next()?)?);
                let bits = one.max(other);
                (bits, range_prefixes(first, last, bits))
            }
        };
        let value = fields.next()?.parse().ok()?;
        for (prefix, length) in prefixes {
            match bits {
                32 => self.v4.push((u32::from_number(prefix)?, length, value)),
                _ => self.v6.push((prefix, length, value)),
            }
        }
        Some(())
    }
}

/// An address as a number, and how many bits it has.
fn address(text: &str) -> Option<(u128, u8)> {
    if let Ok(number) = text.parse::<u128>() {
        return Some((number, if number <= u32::MAX.into() { 32 } else { 128 }));
    }
    Some(match text.parse().ok()? {
        IpAddr::V4(address) => (address.to_bits().into(), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    })
}

/// Waits for a program, but not for ever.
fn run(command: &mut Command, name: &str) -> Result<(), NotRun> {
    let lacking =
        |cause: String| NotRun(format!("npm could not fetch the real table {name}: {cause}"));
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = silent.spawn().map_err(|error| lacking(error.to_string()))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(lacking(status.to_string())),
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(20)),
            ended => {
                // It may have ended already.
                let _ = child.kill();
                let _ = child.wait();
                let cause =
                    ended.err().map_or("takes too long".to_string(), |error| error.to_string());
                return Err(lacking(cause));
            }
        }
    }
}

/// Prefixes of each length in a thousand, from /8 on, as in [`PACKAGE`].
const OF_A_THOUSAND: [u32; 20] =
    [1, 1, 1, 1, 1, 1, 2, 4, 16, 12, 21, 39, 59, 82, 184, 184, 383, 3, 3, 2];

/// A table with the lengths of the real one. Every second prefix is inside another: about half of
/// the routes of the Internet are more specific than others, too.
pub(super) fn generated(count: u64) -> Routes<u32> {
    let mut routes: Routes<u32> = Vec::new();
    for number in 0..count {
        let mut place = u32::try_from(draw(3 * number) % 1000).unwrap_or(0);
        let mut length = 8;
        for share in OF_A_THOUSAND {
            if place < share {
                break;
            }
            place -= share;
            length += 1;
        }
        let address = u32::try_from(draw(3 * number + 1) >> 32).unwrap_or(0);
        let other = usize::try_from(draw(3 * number + 2) >> 32).unwrap_or(0);
        let outer = match routes.get(other % routes.len().max(1)) {
            Some(&(prefix, outer, _)) if number % 2 == 1 && outer < length => {
                prefix | address & !u32::MAX.prefix(outer)
            }
            _ => address,
        };
        routes.push((outer.prefix(length), length, u32::try_from(number).unwrap_or(0)));
    }
    routes
}
