//! A running `anther lab`, and requests to it, byte by byte.

use crate::support::Place;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The program, and where it serves.
pub struct Lab {
    pub place: Place,
    pub child: Child,
    pub address: String,
    pub port: u16,
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Lab {
    pub fn start(arguments: &[&str]) -> Lab {
        Lab::start_in(Place::new(), arguments, |command, _| {
            command.arg("--no-open");
        })
    }

    /// With changes to the command. Its temporary files are in the folder `tmp`.
    pub fn start_in(
        place: Place,
        arguments: &[&str],
        change: impl FnOnce(&mut Command, &Place),
    ) -> Lab {
        place.write("tmp/here", "");
        std::fs::remove_file(place.join("tmp/here")).unwrap();
        let mut command = place.command(["lab"].iter().chain(arguments));
        command.env("TMPDIR", place.join("tmp")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        change(&mut command, &place);
        let mut child = command.spawn().expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = match serde_json::from_str::<Value>(&line) {
            Ok(value) => value["address"].as_str().unwrap().to_string(),
            Err(_) => line.trim().to_string(),
        };
        let rest = address.strip_prefix("http://127.0.0.1:").expect("an address");
        let (port, rest) = rest.split_once('/').unwrap();
        let (token, _) = rest.split_once('/').unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_string());
        assert_eq!(token.len(), 32);
        Lab { place, child, address, port, token }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and returns what comes back. If nothing comes, they may be the beginning of a request:
    /// then that direction is closed, which ends it.
    pub fn raw(&self, bytes: impl AsRef<[u8]>) -> Vec<u8> {
        let mut stream = self.connect();
        // A refused request may be cut before it is sent.
        let _ = stream.write_all(bytes.as_ref());
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let (mut all, mut buffer) = (Vec::new(), [0; 1 << 16]);
        while !Reply::of(&all).is_some_and(|reply| reply.is_whole()) {
            match stream.read(&mut buffer) {
                Ok(0) => return all,
                Ok(read) => all.extend(&buffer[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let _ = stream.shutdown(Shutdown::Write);
                    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    all.extend(read(&mut stream));
                    return all;
                }
                Err(_) => return all,
            }
        }
        all
    }

    pub fn get(&self, path: &str) -> Reply {
        let (port, token) = (self.port, &self.token);
        self.ask(format!(
            "GET /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        ))
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.ask(self.posting(path, "application/json", body.as_bytes()))
    }

    /// The bytes of a good POST.
    pub fn posting(&self, path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
        let (port, token, length) = (self.port, &self.token, body.len());
        let mut bytes = format!(
            "POST /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Origin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )
        .into_bytes();
        bytes.extend(body);
        bytes
    }

    /// Sends a request and waits for the reply, with the connection open in both directions, as
    /// browsers keep it.
    pub fn ask(&self, bytes: impl AsRef<[u8]>) -> Reply {
        let mut stream = self.connect();
        stream.write_all(bytes.as_ref()).expect("sent");
        Reply::of(&read(&mut stream)).expect("a reply")
    }

    /// Drops a file on the page, and returns its number.
    pub fn drop_file(&self, bytes: &[u8]) -> u64 {
        let reply = self.ask(self.posting("api/file", "application/octet-stream", bytes));
        let stored = reply.json();
        assert_eq!(stored["bytes"], bytes.len());
        stored["id"].as_u64().unwrap()
    }

    /// Asks about a dropped file.
    pub fn about(&self, what: &str, id: u64, more: Value) -> Reply {
        let mut request = json!({ "id": id });
        request.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        self.post(&format!("api/file/{what}"), &request.to_string())
    }

    /// It still answers.
    #[track_caller]
    pub fn is_well(&self, after: &dyn std::fmt::Debug) {
        let reply = self.post("api/kinds", "{}");
        assert_eq!(reply.status, 200, "after {after:?}");
    }

    /// What is among its temporary files.
    pub fn litter(&self) -> Vec<String> {
        self.place.names_in("tmp")
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    // A connection that is reset has no more to say.
    match stream.read_to_end(&mut all) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!("the server keeps a connection open for a minute")
        }
        _ => all,
    }
}

impl Reply {
    /// The reply at the beginning of these bytes.
    pub fn of(bytes: &[u8]) -> Option<Reply> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Reply { status, head, body: bytes[end + 4..].to_vec() })
    }

    /// Whether all of the body is there.
    fn is_whole(&self) -> bool {
        let length = self.head.split("content-length: ").nth(1);
        let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        length == Some(self.body.len())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The message of a refusal.
    #[track_caller]
    pub fn error(&self) -> String {
        assert!((400..600).contains(&self.status), "{}: {}", self.status, self.text());
        let value: Value = serde_json::from_slice(&self.body).expect("JSON");
        value["error"].as_str().expect("a message").to_string()
    }
}
