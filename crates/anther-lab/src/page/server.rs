//! The server: connections, requests and jobs, each with its limits. A connection is a thread, which
//! waits; work of the CPU is done on others, of which there are as many as cores.

use crate::page::answer::{self, Answer, Refusal};
use crate::page::api::{self, Function};
use crate::page::body::Body;
use crate::page::connection::Connection;
use crate::page::file::Files;
use crate::page::guard::{Admitted, Guard};
use crate::page::permits::Permits;
use crate::page::{Settings, files};
use http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http::request::Parts;
use http::{Method, StatusCode};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// A browser opens six connections to a host. Further ones wait in the system's queue until one
/// ends; a stranger's ends when its header is late.
const CONNECTIONS: usize = 128;

/// The longest histories of keys that the page sends are a few kilobytes.
const JSON_BYTES: u64 = 64 << 10;

/// How long such a body may take in all.
const JSON_TIME: Duration = Duration::from_secs(10);

/// A filter for 200 M keys at 1 %. A larger file is for the terminal.
const FILE_BYTES: u64 = 256 << 20;

/// How long a file may take: 4 MB/s, where loopback has a thousand times as much.
const FILE_TIME: Duration = Duration::from_secs(60);

/// How long the page waits for an answer. The functions bound their work to less than this.
const JOB_TIME: Duration = Duration::from_secs(30);

/// After this time a connection takes no more requests.
const CONNECTION_TIME: Duration = Duration::from_secs(120);

/// What all requests share.
struct Server {
    guard: Guard,
    files: Files,
    /// Jobs at a time: more would only slow each other down.
    jobs: Arc<Permits>,
}

/// Serves the page until the process ends.
pub fn serve(listener: &TcpListener, guard: Guard, settings: Settings) -> ! {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let server = Arc::new(Server { guard, files: Files::new(settings), jobs: Permits::new(cores) });
    let connections = Permits::new(CONNECTIONS);
    loop {
        let permit = connections.take();
        let accepted = listener.accept().and_then(|(stream, _)| {
            let server = Arc::clone(&server);
            thread::Builder::new().name("connection".to_string()).spawn(move || {
                server.serve(stream);
                drop(permit);
            })
        });
        if accepted.is_err() {
            // Too many open files or threads, or a connection that was reset meanwhile.
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Server {
    /// Answers the requests of a connection. An error of it is the client's: nobody is left to tell.
    fn serve(&self, stream: TcpStream) {
        let Ok(mut connection) = Connection::new(stream) else { return };
        let end = Instant::now() + CONNECTION_TIME;
        loop {
            let mut answer = match connection.head() {
                Ok(Some(request)) => self.answer_from(&request, &mut connection),
                Ok(None) => return,
                Err(status) => answer::empty(status),
            };
            answer.ends |= Instant::now() > end;
            if connection.answer(&answer).is_err() {
                return;
            }
            if answer.ends {
                return connection.close();
            }
        }
    }

    /// The answer to a request, which ends the connection if the client wants that or something of
    /// the body is left.
    fn answer_from(&self, request: &Parts, connection: &mut Connection) -> Answer {
        let path = match self.guard.admit(request) {
            Ok(Admitted::Path(path)) => path,
            Ok(Admitted::Redirect(to)) => return answer::redirect(to),
            Err(status) => return answer::empty(status),
        };
        let Some(length) = length(request) else { return answer::empty(StatusCode::BAD_REQUEST) };
        let waits = is(request, &EXPECT, "100-continue");
        let mut body = Body::new(connection, length, waits);
        let mut answer = self.answer(path, request, &mut body);
        answer.ends |= !body.is_read() || is(request, &CONNECTION, "close");
        answer
    }

    fn answer(&self, path: &str, request: &Parts, body: &mut Body<'_>) -> Answer {
        let reply = match (&request.method, path.strip_prefix("api/")) {
            (&Method::GET, None) => {
                return match files::find(path) {
                    Some((_, kind, text)) => answer::file(kind, text),
                    None => answer::empty(StatusCode::NOT_FOUND),
                };
            }
            (&Method::POST, Some(name)) => self.api(name, request, body),
            _ => return answer::empty(StatusCode::METHOD_NOT_ALLOWED),
        };
        match reply {
            Ok(value) => answer::json(value),
            Err(refusal) => answer::refusal(&refusal),
        }
    }

    fn api(&self, name: &str, request: &Parts, body: &mut Body<'_>) -> Result<Vec<u8>, Refusal> {
        if name == "file" {
            is_of_type(request, "application/octet-stream")?;
            return self.files.store(body, |body| body.begin(FILE_BYTES, FILE_TIME));
        }
        is_of_type(request, "application/json")?;
        body.begin(JSON_BYTES, JSON_TIME)?;
        let json = body.all()?;
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "unknown request; reload the page");
        match (name.strip_prefix("file/"), api::find(name)) {
            (Some(name), _) => {
                let _permit = self.jobs.take();
                self.files.ask(name, &json, &|| body.is_abandoned())?.ok_or_else(unknown)
            }
            (None, Some(function)) => self.job(function, json, JOB_TIME),
            (None, None) => Err(unknown()),
        }
    }

    /// Runs a function on a thread, when one is free.
    fn job(&self, function: Function, json: Vec<u8>, time: Duration) -> Result<Vec<u8>, Refusal> {
        let late = || {
            let message = format!("took more than {} s; ask for less", time.as_secs());
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
        };
        let internal = |message| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message);
        let end = Instant::now() + time;
        let permit = self.jobs.take_by(end).ok_or_else(late)?;
        let (done, answer) = mpsc::sync_channel(1);
        let job = thread::Builder::new().name("job".to_string()).spawn(move || {
            // The thread keeps the permit, even if nobody waits for the answer any more.
            let _permit = permit;
            let _ = done.send(function(&json));
        });
        job.map_err(|error| internal(format!("no thread for the answer: {error}")))?;
        match answer.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Refusal::new(StatusCode::BAD_REQUEST, error.to_string())),
            Err(mpsc::RecvTimeoutError::Timeout) => Err(late()),
            // A panic; its message is on standard error.
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                Err(internal("a bug in anther; please report what the program printed".to_string()))
            }
        }
    }
}

/// The length of a request's body; none if it says something else than one number.
fn length(request: &Parts) -> Option<u64> {
    let mut given = request.headers.get_all(CONTENT_LENGTH).iter();
    match (given.next(), given.next()) {
        (None, _) => Some(0),
        (Some(length), None) => {
            let digits = length.to_str().ok()?;
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| is_plain)
        }
        _ => None,
    }
}

/// Whether a header says this.
fn is(request: &Parts, name: &http::HeaderName, value: &str) -> bool {
    request
        .headers
        .get_all(name)
        .iter()
        .any(|given| given.as_bytes().eq_ignore_ascii_case(value.as_bytes()))
}

/// Bodies of other types are what forms of other pages can send without asking.
fn is_of_type(request: &Parts, kind: &str) -> Result<(), Refusal> {
    match request.headers.get(CONTENT_TYPE) {
        Some(given) if given.as_bytes() == kind.as_bytes() => Ok(()),
        _ => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("the request is not {kind}; reload the page"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn panics(_: &[u8]) -> Result<Vec<u8>, Error> {
        panic!("a panic, as this test wants it")
    }

    fn fails(_: &[u8]) -> Result<Vec<u8>, Error> {
        Err(Error::about("items", "too many; ask for less"))
    }

    /// A server of one job at a time.
    fn server() -> Server {
        let settings = Settings { port: 0, program: PathBuf::new(), folder: PathBuf::new() };
        Server {
            guard: Guard::new(80).expect("random numbers"),
            files: Files::new(settings),
            jobs: Permits::new(1),
        }
    }

    /// A job that ends when the test says so. Its thread keeps the permit until then, so the next job
    /// is late, too; after that the server goes on.
    #[test]
    fn a_job_that_takes_too_long_is_an_answer_and_the_server_goes_on() {
        static MAY_END: AtomicBool = AtomicBool::new(false);
        let waits: Function = |_| {
            while !MAY_END.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok(Vec::new())
        };
        let server = server();
        for _ in 0..2 {
            let limit = Duration::from_millis(10);
            let refusal = server.job(waits, Vec::new(), limit).expect_err("late");
            assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(refusal.message, "took more than 0 s; ask for less");
        }
        MAY_END.store(true, Ordering::Relaxed);
        let good = server.job(|body| Ok(body.to_vec()), b"5".to_vec(), JOB_TIME);
        assert_eq!(good.expect("it works"), b"5");
    }

    /// More often than there are permits: a panic must give its permit back.
    #[test]
    fn a_panic_is_an_answer_and_the_server_goes_on() {
        let server = server();
        for _ in 0..3 {
            let refusal = server.job(panics, Vec::new(), JOB_TIME).expect_err("it panics");
            assert_eq!(refusal.status, StatusCode::INTERNAL_SERVER_ERROR);
            let refusal = server.job(fails, Vec::new(), JOB_TIME).expect_err("it fails");
            assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
            assert_eq!(refusal.message, "items: too many; ask for less");
            let good = server.job(|body| Ok(body.to_vec()), b"5".to_vec(), JOB_TIME);
            assert_eq!(good.expect("it works"), b"5");
        }
    }
}
