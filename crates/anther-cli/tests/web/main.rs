//! Lookups in filters on a real web server: nginx, as Debian has it. `cargo xtask test web` installs
//! it; this is no part of `cargo test`, since it needs that.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests: a panic is the message")]

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder that nginx serves, by http and by https.
struct Nginx {
    folder: TempDir,
    child: Child,
    port: u16,
    secure_port: u16,
}

impl Nginx {
    fn start() -> Nginx {
        Nginx::with_certificate("FALSE")
    }

    /// Whether its certificate is one of a CA.
    fn with_certificate(ca: &str) -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let (port, secure_port) = (free_port(), free_port());
        let root = folder.path().to_str().unwrap();
        fs::create_dir(folder.path().join("www")).unwrap();
        // Workers must be able to read it, whoever they run as.
        let open = |path: &Path| {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        open(folder.path());
        open(&folder.path().join("www"));
        run(Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
            .args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1"])
            .args(["-addext", &format!("basicConstraints=critical,CA:{ca}")])
            .args(["-keyout", &format!("{root}/key.pem"), "-out", &format!("{root}/cert.pem")]));
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {root}/{name};"))
            .join(" ");
        let server = format!(
            "daemon off; pid {root}/pid; error_log {root}/error.log; worker_processes 1;\n\
             events {{ worker_connections 64; }}\n\
             http {{ access_log {root}/access.log; {temporary}\n\
             server {{ root {root}/www; listen 127.0.0.1:{port};\n\
             listen 127.0.0.1:{secure_port} ssl; ssl_certificate {root}/cert.pem;\n\
             ssl_certificate_key {root}/key.pem; }} }}\n"
        );
        fs::write(folder.path().join("conf"), server).unwrap();
        let program = ["/usr/sbin/nginx", "nginx"].into_iter().find(|it| Path::new(it).exists());
        let mut command = Command::new(program.unwrap_or("nginx"));
        command
            .args(["-p", root, "-c", &format!("{root}/conf")])
            .args(["-e", &format!("{root}/error.log")]);
        let child =
            command.stdout(Stdio::null()).spawn().expect("nginx; apt-get install nginx-light");
        let nginx = Nginx { folder, child, port, secure_port };
        let end = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "{}", nginx.read("error.log"));
            thread::sleep(Duration::from_millis(20));
        }
        nginx
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn anther(&self, arguments: &str, input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anther"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        for name in
            ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {errors}");
        output
    }

    /// The requests in the log since the last call, and the bytes of the answers.
    fn log(&self) -> (u64, u64) {
        // Written when the connection's answer is complete, which may be after the client has it.
        thread::sleep(Duration::from_millis(200));
        let log = self.read("access.log");
        fs::write(self.path("access.log"), "").unwrap();
        assert!(!log.contains("\"HEAD "), "{log}");
        let bytes = log.lines().map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(fields[8], "206", "{line}");
            fields[9].parse::<u64>().unwrap()
        });
        (log.lines().count() as u64, bytes.sum())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its master process ends its workers.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A number of `--stats --json`.
fn number(stats: &str, name: &str) -> u64 {
    let (_, rest) = stats.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{stats}"));
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn a_thousand_keys_in_120_megabytes() {
    let nginx = Nginx::start();
    let list: String = (0..2_000_000).map(|i| format!("key {i}\n")).collect();
    // Half of them are in.
    let keys: String = (0..500).map(|i| format!("key {}\nno {i}\n", i * 3989)).collect();
    for kind in ["blocked", "fuse", "ribbon", "split"] {
        // Sized for 97 million keys, or as large as two million keys make it.
        let items = if matches!(kind, "blocked" | "split") { "--items 97M" } else { "" };
        nginx.anther(&format!("build www/{kind}.anther --pages --kind {kind} {items} -q"), &list);
        let len = fs::metadata(nginx.path(&format!("www/{kind}.anther"))).unwrap().len();
        assert!(items.is_empty() || (118_000_000..135_000_000).contains(&len), "{kind}: {len}");
        let local = nginx.anther(&format!("check www/{kind}.anther"), &keys).stdout;
        nginx.log();
        for (page, unit) in [("2048", 2048), ("64", 64)] {
            for run in ["first", "second"] {
                let http = format!("http://127.0.0.1:{}/{kind}.anther", nginx.port);
                let options = format!("check {http} --page {page} --stats --json");
                let maybe = nginx.anther(&options, &keys);
                let plain = nginx.anther(&options.replace("--stats --json", ""), &keys);
                assert_eq!(plain.stdout, local, "{kind}");
                let errors = String::from_utf8(maybe.stderr).unwrap();
                let stats = errors.lines().last().unwrap();
                let of = |name| number(stats, name);
                let (requests, bytes, cells) = (of("requests"), of("bytes"), of("cells"));
                println!(
                    "{kind}, {len} bytes, --page {page}, {run} time: 1000 keys, {requests} requests, \
                     {bytes} bytes, {cells} of them cells: {} per key",
                    cells / 1000
                );
                // Reads of a key: see the table in `anther::remote`.
                let reads = match kind {
                    "fuse" => 4,
                    "ribbon" if unit == 64 => 6,
                    "ribbon" => 3,
                    _ => 1,
                };
                assert!(cells <= 1000 * unit * reads, "{kind}: {cells} bytes of cells");
                assert!(requests <= 2 + 12 * reads * 2, "{kind}: {requests} requests");
                // What the server counted, for both runs.
                let (logged, sent) = nginx.log();
                assert!(logged + 2 >= 2 * requests && logged <= 2 * requests, "{kind}: {logged}");
                assert!(sent <= 2 * bytes && sent + (16 << 10) + (1 << 20) >= 2 * bytes, "{sent}");
            }
        }
    }
}

#[test]
fn https_with_a_certificate_of_our_own() {
    let nginx = Nginx::start();
    nginx.anther("build www/list.anther --pages -q", "alice\nbob\n");
    let https = format!("https://127.0.0.1:{}/list.anther", nginx.secure_port);
    let found = nginx.anther(&format!("check {https} --ca cert.pem alice"), "").stdout;
    assert_eq!(found, b"maybe\talice\n");
    let mut refused = Command::new(env!("CARGO_BIN_EXE_anther"));
    refused.args(["check", &https, "alice", "--no-cache"]).env_remove("HTTPS_PROXY");
    let refused = refused.env_remove("https_proxy").env_remove("ALL_PROXY").output().unwrap();
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors.contains("the connection is not secure"), "{errors}");
}

#[test]
fn a_ca_certificate_is_not_a_servers() {
    // What openssl req -x509 makes without further options.
    let nginx = Nginx::with_certificate("TRUE");
    let https = format!("https://127.0.0.1:{}/list.anther", nginx.secure_port);
    let mut refused = Command::new(env!("CARGO_BIN_EXE_anther"));
    refused.args(["check", &https, "alice", "--no-cache", "--ca"]).arg(nginx.path("cert.pem"));
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        refused.env_remove(name);
    }
    let refused = refused.output().unwrap();
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors.contains("is a CA certificate, which may only sign others; give"), "{errors}");
    assert!(!errors.contains("OtherError"), "{errors}");
}
