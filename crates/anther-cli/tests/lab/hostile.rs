//! A thousand hostile requests. None is served: no answer has the page, a file or the token in it. After
//! each of them the server answers a good one.

use super::client::{Lab, Reply};

/// Requests, as bytes. Each differs from a good one in one thing.
struct Hostile<'a> {
    lab: &'a Lab,
    requests: Vec<Vec<u8>>,
}

/// A good request with other parts. An empty value leaves the header out.
struct Request {
    method: &'static str,
    target: String,
    version: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Request {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            format!("{} {} {}\r\n", self.method, self.target, self.version).into_bytes();
        for (name, value) in self.headers.iter().filter(|(_, value)| !value.is_empty()) {
            bytes.extend(format!("{name}: {value}\r\n").bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(&self.body);
        bytes
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    fn and(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }
}

const POST: &str = "api/kinds";

impl Hostile<'_> {
    /// A good GET or POST, by its path.
    fn good(&self, path: &str) -> Request {
        let host = format!("127.0.0.1:{}", self.lab.port);
        let is_post = path.starts_with("api/");
        let body = if is_post { b"{}".to_vec() } else { Vec::new() };
        let mut headers =
            vec![("Host", host.clone()), ("Sec-Fetch-Site", "same-origin".to_string())];
        if is_post {
            headers.push(("Origin", format!("http://{host}")));
            headers.push(("Content-Type", "application/json".to_string()));
            headers.push(("Content-Length", body.len().to_string()));
        }
        let method = if is_post { "POST" } else { "GET" };
        let target = format!("/{}/{path}", self.lab.token);
        Request { method, target, version: "HTTP/1.1", headers, body }
    }

    fn add(&mut self, request: Request) {
        self.requests.push(request.bytes());
    }

    fn tokens(&mut self) {
        let token = self.lab.token.clone();
        let mut wrong = vec![
            String::new(),
            "0".repeat(32),
            token[1..].to_string(),
            token[..31].to_string(),
            format!("{token}0"),
            format!("0{token}"),
            token.repeat(2),
            format!("%{:02x}{}", token.as_bytes()[0], &token[1..]),
            format!("x/../{token}"),
            format!(".//{token}"),
            format!("/{token}"),
            format!("\\{token}"),
            format!("{token};"),
            format!("{token}%00"),
            format!("{token}%2f"),
            "token".to_string(),
            "*".to_string(),
            "..".to_string(),
        ];
        // Wrong in a single place.
        for at in 0..token.len() {
            let other = if &token[at..=at] == "0" { "1" } else { "0" };
            wrong.push(format!("{}{other}{}", &token[..at], &token[at + 1..]));
        }
        for wrong in wrong {
            for path in ["", "main.js", POST] {
                let target = format!("/{wrong}/{path}");
                self.add(Request { target, ..self.good(path) });
            }
        }
        // The token elsewhere than in the path.
        for target in
            ["/", "/?token=TOKEN", "/#TOKEN", "/main.js?TOKEN", "/TOKEN", "/api/kinds", "*"]
        {
            let target = target.replace("TOKEN", &token);
            self.add(Request { target: target.clone(), ..self.good("") });
            let bearer = self.good("").with("Authorization", format!("Bearer {token}"));
            let bearer = bearer.with("Cookie", format!("token={token}"));
            self.add(Request { target, ..bearer });
        }
    }

    fn hosts(&mut self) {
        let port = self.lab.port;
        for host in [
            "",
            "127.0.0.1",
            "localhost",
            "evil.example",
            "evil.example:PORT",
            "127.0.0.1:1",
            "127.0.0.1:PORT0",
            "127.0.0.1:0PORT",
            "127.0.0.1:+PORT",
            "127.0.0.1:PORT:PORT",
            "127.0.0.1.evil.example:PORT",
            "localhost.evil.example:PORT",
            "evil.example#127.0.0.1:PORT",
            "evil@127.0.0.1:PORT",
            "127.0.0.1:PORT@evil.example",
            "127.0.0.1:PORT/",
            "127.0.0.1:PORT, evil.example",
            "0.0.0.0:PORT",
            "127.1:PORT",
            "127.0.0.2:PORT",
            "[::1]:PORT",
            "[::ffff:127.0.0.1]:PORT",
            "2130706433:PORT",
            "0x7f000001:PORT",
            "127.0.0.1:PORT\u{e9}",
            "LOCALHOST:PORT",
            "localhost.:PORT",
            "http://127.0.0.1:PORT",
            ":PORT",
            "127.0.0.1:",
        ] {
            let host = host.replace("PORT", &port.to_string());
            for path in ["", "main.js", POST] {
                self.add(self.good(path).with("Host", host.as_str()));
                if !host.is_empty() {
                    // Beside the right one.
                    self.add(self.good(path).and("Host", host.as_str()));
                }
            }
        }
    }

    fn origins(&mut self) {
        let port = self.lab.port;
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:PORT",
            "http://127.0.0.1",
            "http://127.0.0.1:PORT/",
            "http://127.0.0.1:PORT.evil.example",
            "http://127.0.0.1:PORT0",
            "http://evil.example:PORT",
            "http://localhost:PORT",
            "http://[::1]:PORT",
            "HTTP://127.0.0.1:PORT",
            "file://",
            "127.0.0.1:PORT",
            "http://127.0.0.1:PORT http://evil.example",
            "http://127.0.0.1:PORT@evil.example",
            "chrome-extension://abc",
            "*",
            "http://127.0.0.1:PORT\u{e9}",
        ] {
            let origin = origin.replace("PORT", &port.to_string());
            for path in ["", "main.js", "style.css", POST] {
                self.add(self.good(path).with("Origin", origin.as_str()));
            }
            self.add(self.good(POST).and("Origin", origin.as_str()));
        }
        self.add(self.good(POST).with("Origin", ""));
        for site in ["cross-site", "same-site", "Same-Origin", "none, cross-site", "x", "\u{e9}"] {
            for path in ["", "main.js", "icon.svg", POST] {
                self.add(self.good(path).with("Sec-Fetch-Site", site));
                self.add(self.good(path).and("Sec-Fetch-Site", site));
                // Frames, and other ways in than a window of its own.
                for dest in ["iframe", "embed", "object", "script", "image"] {
                    let request = self.good(path).with("Sec-Fetch-Site", site);
                    self.add(request.with("Sec-Fetch-Dest", dest));
                }
            }
        }
        self.add(
            self.good(POST).with("Sec-Fetch-Site", "cross-site").with("Sec-Fetch-Dest", "document"),
        );
    }

    fn methods(&mut self) {
        for method in [
            "HEAD",
            "PUT",
            "DELETE",
            "PATCH",
            "OPTIONS",
            "TRACE",
            "CONNECT",
            "PROPFIND",
            "get",
            "Get",
            "post",
            "QUERY",
            "PRI",
            "X",
            "GETGETGETGET",
            "G\u{e9}T",
            "",
            " GET",
        ] {
            for path in ["", "main.js", POST] {
                self.add(Request { method, ..self.good(path) });
            }
        }
        // Each where the other belongs.
        self.add(Request { method: "GET", ..self.good(POST) });
        let origin = format!("http://127.0.0.1:{}", self.lab.port);
        for path in ["", "main.js", "api.js"] {
            let post = self.good(path).with("Origin", origin.as_str()).with("Content-Length", "0");
            self.add(Request { method: "POST", ..post });
        }
        for version in
            ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9", "HTTP/1.1 x", "http/1.1", "", "HTP/1.1"]
        {
            for path in ["", POST] {
                self.add(Request { version, ..self.good(path) });
            }
        }
        let host = format!("127.0.0.1:{}", self.lab.port);
        for path in ["", POST] {
            for (name, value) in [("Upgrade", "websocket"), ("Upgrade", "h2c")] {
                let upgrade = self.good(&format!("{path}x")).with("Connection", "Upgrade");
                self.add(upgrade.with(name, value));
            }
            // As to a proxy.
            for origin in
                [format!("http://{host}"), "http://evil.example".into(), "https://x".into()]
            {
                let good = self.good(path);
                self.add(Request { target: format!("{origin}{}", good.target), ..good });
            }
        }
    }

    fn paths(&mut self) {
        let up = [
            "..",
            "%2e%2e",
            "%2E.",
            "..%00",
            "%252e%252e",
            "..;",
            "%c0%ae%c0%ae",
            "\u{ff0e}\u{ff0e}",
            "...",
            "~root",
        ];
        let slashes = ["/", "%2f", "\\", "%5c", "//", "%252f"];
        let files = ["etc/passwd", "proc/self/environ", "main.js"];
        for up in up {
            for slash in slashes {
                for file in files {
                    let path = format!("{}{file}", format!("{up}{slash}").repeat(6));
                    let request = self.good("");
                    self.add(Request { target: format!("{}{path}", request.target), ..request });
                }
                let path = format!("api/{up}{slash}kinds");
                self.add(self.good(&path));
            }
        }
        for path in [
            "/etc/passwd",
            "//etc/passwd",
            "etc/passwd",
            "file:///etc/passwd",
            "index.html",
            "main.js/",
            "main.js%00",
            "main.js%20",
            "main.js.map",
            "MAIN.JS",
            "main.js?x",
            "?",
            "main.js;x",
            "./main.js",
            "x/../main.js",
            "main%2ejs",
            "%6dain.js",
            "page/main.js",
            "src/lib.rs",
            "Cargo.toml",
            ".git/config",
            "api",
            "api/",
            "favicon.ico",
            "robots.txt",
            "1/dropped",
            "1",
            "dropped",
            "tmp",
            "C:/Windows/win.ini",
            "%",
            "%zz",
            "\u{0}",
            "\u{7f}",
            " ",
            "a b",
            "<script>",
            "main.js main.js",
            "\"",
            "{}",
            "`id`",
        ] {
            self.add(self.good(path).with("X", "y"));
            let request = self.good("");
            self.add(Request { target: format!("{}x/{path}", request.target), ..request });
        }
        for name in [
            "",
            "/",
            "Kinds",
            "kinds/",
            "kinds%00",
            "kinds?x",
            "kinds/..",
            "../kinds",
            "constructor",
            "__proto__",
            "toString",
            "file/",
            "file/info",
            "file/info/x",
            "file/../kinds",
            "file/etc/passwd",
            "file/%2e%2e/kinds",
            "0",
            "kinds kinds",
            "\u{e9}",
        ] {
            self.add(self.good(&format!("api/{name}")));
        }
    }

    fn malformed(&mut self) {
        let good = self.good("").bytes();
        let text = String::from_utf8(good.clone()).unwrap();
        // Cut short, and the connection closed.
        for at in (1..good.len() - 1).step_by(5) {
            self.requests.push(good[..at].to_vec());
        }
        for (from, to) in [
            ("Host:", "Host"),
            ("Host:", "Host :"),
            ("Host:", " Host:"),
            ("Host:", "Ho st:"),
            ("Host:", "Ho\0st:"),
            ("Host:", ":"),
            ("Host: ", "Host: \0"),
            ("Host: ", "Host: \u{1}"),
            ("Host: ", "Host:\r\n "),
            ("\r\nHost", "\r\n\r\nHost"),
            ("Host", "Höst"),
            ("\r\n", "\r"),
            (" HTTP", "  HTTP"),
            (" HTTP", "\tHTTP"),
            (" HTTP", "\0HTTP"),
            (" HTTP", ""),
            ("GET", "GET\0"),
            ("GET ", "GET"),
            ("HTTP/1.1\r\n", "HTTP/1.1\r\n folded\r\n"),
            ("HTTP/1.1", "HTTP/1.1\u{e9}"),
        ] {
            self.requests.push(text.replacen(from, to, 1).into_bytes());
        }
        // Too much of it.
        for length in [20_000, 70_000, 1_000_000] {
            self.add(self.good("").with("X", "x".repeat(length)));
            let request = self.good("");
            self.add(Request {
                target: format!("{}{}", request.target, "x".repeat(length)),
                ..request
            });
            self.requests.push(vec![b'x'; length]);
            self.requests.push(b"\r\n".repeat(length / 2));
        }
        for count in [65, 100, 1000] {
            let mut request = self.good("");
            request.headers.extend((0..count).map(|_| ("X", "y".to_string())));
            self.add(request);
        }
        // Other protocols.
        self.requests.push(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec());
        self.requests.push(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(20));
        self.requests.push(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec());
        self.requests.push(b"*1\r\n$4\r\nPING\r\n".to_vec());
        self.requests.push(b"EHLO evil.example\r\n".to_vec());
        self.requests.push(Vec::new());
        // Anything. SplitMix64, so that a failure can be repeated.
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed ^ (mixed >> 27)
        };
        for _ in 0..60 {
            let length = random() % 600;
            self.requests.push((0..length).map(|_| (random() >> 56) as u8).collect());
        }
        // A good one with random bytes in its line or its headers' names.
        let end = text.find("127.0.0.1").unwrap();
        for _ in 0..100 {
            let mut request = good.clone();
            let at = usize::from((random() >> 48) as u16) % end;
            let byte = (random() >> 57) as u8 | 0x80;
            request[at] = byte;
            self.requests.push(request);
        }
    }

    fn bodies(&mut self) {
        for kind in [
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/octet-stream",
            "application/json; charset=utf-8",
            "application/jsonx",
            "*/*",
        ] {
            self.add(self.good(POST).with("Content-Type", kind));
            if kind != "application/octet-stream" {
                self.add(self.good("api/file").with("Content-Type", kind));
            }
        }
        // Lengths that lie, or are none.
        for length in [
            "3",
            "60000",
            "65537",
            "1000000",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
            "+2",
            "2,2",
            "2, 3",
            "0x2",
            "2 2",
            "x",
            " ",
        ] {
            self.add(self.good(POST).with("Content-Length", length));
        }
        for length in ["1", "3", "99999999999"] {
            self.add(self.good(POST).and("Content-Length", length));
        }
        for length in ["268435457", "99999999999", "18446744073709551615"] {
            let file = self.good("api/file").with("Content-Type", "application/octet-stream");
            self.add(file.with("Content-Length", length));
        }
        let long = vec![b' '; 70_000];
        let request = self.good(POST).with("Content-Length", long.len().to_string());
        self.add(Request { body: long, ..request });
        // Chunks that lie.
        let chunk = format!("{:x}\r\n{}\r\n", 30_000, " ".repeat(30_000));
        for body in [
            "",
            "0",
            "2",
            "2\r\n",
            "2\r\n{}",
            "2\r\n{}0\r\n\r\n",
            "-2\r\n{}\r\n0\r\n\r\n",
            "x\r\n{}\r\n0\r\n\r\n",
            "ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
            "10000000000000000\r\n{}\r\n0\r\n\r\n",
            "3\r\n{}\r\n0\r\n\r\n",
            "1\r\n{}\r\n0\r\n\r\n",
            " 2\r\n{}\r\n0\r\n\r\n",
            "2\n{}\n0\n\n",
            &format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(70_000)),
            &format!("{}0\r\n\r\n", chunk.repeat(3)),
            &format!("2\r\n{{}}\r\n0\r\n{}\r\n", "X: y\r\n".repeat(70_000)),
        ] {
            let request =
                self.good(POST).with("Content-Length", "").with("Transfer-Encoding", "chunked");
            self.add(Request { body: body.as_bytes().to_vec(), ..request });
        }
        for coding in
            ["gzip", "chunked, gzip", "chunked, chunked", "xchunked", "identity", "\u{e9}"]
        {
            let request =
                self.good(POST).with("Content-Length", "").with("Transfer-Encoding", coding);
            self.add(Request { body: b"2\r\n{}\r\n0\r\n\r\n".to_vec(), ..request });
        }
    }

    fn json(&mut self) {
        for body in [
            "",
            "{",
            "null",
            "[]",
            "5",
            "\"x\"",
            "{\"id\":1}",
            "{\"id\":-1}",
            "{\"id\":1e99}",
            "{\"id\":{}}",
            "{\"id\":1,\"id\":1}",
            "\u{0}",
            "{}{}",
            "{\"id\":1,\"path\":\"/etc/passwd\"}",
            "{\"__proto__\":{}}",
            &"[".repeat(60_000),
            &"{\"id\":".repeat(10_000),
            "\u{feff}{}",
            "{\"id\":18446744073709551616}",
        ] {
            for name in ["info", "measure", "draw", "build", "x"] {
                let request = self.good(&format!("api/file/{name}"));
                let request = request.with("Content-Length", body.len().to_string());
                self.add(Request { body: body.as_bytes().to_vec(), ..request });
            }
        }
    }
}

#[test]
fn a_thousand_hostile_requests_are_refused() {
    let lab = Lab::start(&[]);
    let mut hostile = Hostile { lab: &lab, requests: Vec::new() };
    hostile.tokens();
    hostile.hosts();
    hostile.origins();
    hostile.methods();
    hostile.paths();
    hostile.malformed();
    hostile.bodies();
    hostile.json();
    // What they differ from is served.
    for path in ["", "main.js", POST] {
        let reply = Reply::of(&lab.raw(hostile.good(path).bytes())).expect("a reply");
        assert_eq!(reply.status, 200);
    }
    assert!(hostile.requests.len() >= 1000, "{}", hostile.requests.len());
    let (mut answered, mut served) = (0, Vec::new());
    for request in &hostile.requests {
        let got = lab.raw(request);
        let shown = request[..request.len().min(300)].escape_ascii().to_string();
        // A request that ends early, or is none, may get no answer at all.
        answered += usize::from(!got.is_empty());
        if !got.is_empty() && !is_refusal(&got, &lab.token) {
            served.push(format!("{shown}: {}", got[..got.len().min(300)].escape_ascii()));
        }
        lab.is_well(&shown);
    }
    assert!(served.is_empty(), "{} served:\n{}", served.len(), served.join("\n"));
    eprintln!("{} hostile requests, {answered} refused with an answer", hostile.requests.len());
    assert!(answered >= 1000, "{answered}");
    // Nothing was stored.
    let folder = format!("tmp/{}", lab.litter()[0]);
    assert!(lab.place.names_in(&folder).is_empty());
}

/// Whether this is an answer that gives nothing away: an error, empty or with a message.
fn is_refusal(got: &[u8], token: &str) -> bool {
    let Some(reply) = Reply::of(got) else { return false };
    let (head, text) = (reply.head.to_lowercase(), reply.text());
    let leaks = |secret: &str| head.contains(secret) || text.contains(secret);
    (400..500).contains(&reply.status)
        && (text.is_empty() || text.starts_with("{\"error\":"))
        && ![token, "root:", "access-control-allow"].into_iter().any(leaks)
}
