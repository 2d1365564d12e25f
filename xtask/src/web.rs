//! Lookups in filters on a real web server.

use crate::call::Call;
use crate::crate_apart::missing_after_installing;
use crate::packages::Package;
use crate::step::Step;
use crate::workspace::Workspace;

/// The server, and what makes its certificate.
const PROGRAMS: [Package; 2] = [("nginx-light", "/usr/sbin/nginx"), ("openssl", "openssl")];

pub fn steps(workspace: &Workspace) -> Vec<Step> {
    let missing = missing_after_installing(workspace, PROGRAMS);
    // The plain program, which compiles fastest. The numbers of requests and bytes are printed.
    let call = Call::cargo(["test", "--locked", "--package", "anther-cli", "--test", "web"])
        .args(["--no-default-features", "--features", "https"])
        .args(["--", "--nocapture"]);
    let lab = Call::program(workspace.built("anther")).args(["lab"]);
    vec![
        Step::cargo_test("program with nginx", call).unless(missing.as_ref()),
        // What the plain program says.
        Step::refusal("lab without its page", lab, "built without its page")
            .unless(missing.as_ref()),
    ]
}
