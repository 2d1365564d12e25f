//! The uses: their unit tests, then every demonstration with its real parts (processes, sockets,
//! network namespaces, other programs).

use crate::call::Call;
use crate::compiled;
use crate::environment::missing_after_installing;
use crate::packages::Package;
use crate::step::{Need, Step};
use crate::workspace::Workspace;

/// What demonstrations need beside the system. npm fetches the routes of longest-prefix.
const PROGRAMS: [Package; 4] =
    [("iproute2", "ip"), ("npm", "npm"), ("sqlite3", "sqlite3"), ("squid", "/usr/sbin/squid")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    if let Some(missing) = missing_after_installing(workspace, PROGRAMS) {
        println!("uses: {missing}");
    }
    let interrupted = compiled::tests("interrupted uses", ["--test", "interrupt"]);
    let demonstrations = Call::program(workspace.built("anther-uses")).args(["all"]);
    vec![compiled::build(), interrupted.needs(namespaces()), Step::uses("uses", demonstrations)]
}

/// Nodes of a network are namespaces, which root makes.
fn namespaces() -> Need {
    Need {
        missing: "needs root, who may make network namespaces".to_owned(),
        probe: Call::program("unshare").args(["--net", "--mount", "true"]),
    }
}
