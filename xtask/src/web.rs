//! Lookups in filters on a real web server.

use crate::compiled;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// The server, and what makes its certificate.
const PROGRAMS: [Package; 2] = [("nginx-light", "/usr/sbin/nginx"), ("openssl", "openssl")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, PROGRAMS);
    // The numbers of requests and bytes are printed.
    let wanted = ["--test", "web", "--", "--nocapture"];
    vec![compiled::tests("program with nginx", wanted).unless(missing.as_ref())]
}
