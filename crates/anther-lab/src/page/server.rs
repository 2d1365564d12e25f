//! The server: connections, requests and jobs, each with its limits. One thread waits for all of
//! them; work of the CPU is done on others.

use crate::Error;
use crate::page::answer::{self, Answer, Refusal};
use crate::page::api::{self, Function};
use crate::page::body::Reading;
use crate::page::file::Files;
use crate::page::guard::{Admitted, Guard};
use crate::page::{Settings, files};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// A browser opens six connections to a host. Further ones wait in the system's queue until one
/// ends; a stranger's ends after `HEADER_TIME`.
const CONNECTIONS: usize = 128;

/// What a browser sends is a tenth of it.
const HEADER_BYTES: usize = 16 << 10;

/// A browser sends about fifteen.
const HEADERS: usize = 64;

/// Between connecting, or the last answer, and the end of the next header. A browser connects again
/// when it has to.
const HEADER_TIME: Duration = Duration::from_secs(5);

/// Per connection. Larger ones would only save calls: a dropped file comes at 1 GB/s with it.
const BUFFER_BYTES: usize = 64 << 10;

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

/// How long its last answer may take: a file, a run of the program, and a reader who is slow.
const LAST_ANSWER_TIME: Duration = Duration::from_secs(180);

/// What all requests share.
struct Server {
    guard: Guard,
    files: Files,
    /// Jobs at a time: more would only slow each other down.
    jobs: Arc<Semaphore>,
}

/// Serves the page until the process ends.
pub fn serve(
    listener: std::net::TcpListener,
    guard: Guard,
    settings: Settings,
) -> Result<(), Error> {
    let trouble = |error| Error::about("server", error);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(trouble)?;
    listener.set_nonblocking(true).map_err(trouble)?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = Arc::new(Semaphore::new(cores));
    let server = Arc::new(Server { guard, files: Files::new(settings), jobs });
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).map_err(trouble)?;
        accept(&listener, &server).await;
        Ok(())
    })
}

async fn accept(listener: &TcpListener, server: &Arc<Server>) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let server = Arc::clone(server);
                tokio::spawn(async move {
                    connection(stream, server).await;
                    drop(permit);
                });
            }
            // Too many open files, or a connection that was reset meanwhile.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, server: Arc<Server>) {
    let service = service_fn(move |request| {
        let server = Arc::clone(&server);
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_header_size(HEADER_BYTES)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER_BYTES)
        .half_close(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // An error is the client's: nobody is left to tell.
    if timeout(CONNECTION_TIME, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_ANSWER_TIME, connection).await;
    }
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (request, body) = request.into_parts();
        let path = match self.guard.admit(&request) {
            Ok(Admitted::Path(path)) => path,
            Ok(Admitted::Redirect(to)) => return answer::redirect(&to),
            Err(status) => return answer::empty(status),
        };
        let reply = match (&request.method, path.strip_prefix("api/")) {
            (&Method::GET, None) => {
                return match files::find(path) {
                    Some((_, kind, text)) => answer::file(kind, text),
                    None => answer::empty(StatusCode::NOT_FOUND),
                };
            }
            (&Method::POST, Some(name)) => self.api(name, &request, body).await,
            _ => return answer::empty(StatusCode::METHOD_NOT_ALLOWED),
        };
        match reply {
            Ok(value) => answer::json(value),
            Err(refusal) => answer::refusal(&refusal),
        }
    }

    async fn api(&self, name: &str, request: &Parts, body: Incoming) -> Result<Vec<u8>, Refusal> {
        if name == "file" {
            is_of_type(request, "application/octet-stream")?;
            return self.files.store(Reading::new(body, FILE_BYTES, FILE_TIME)?).await;
        }
        is_of_type(request, "application/json")?;
        let body = Reading::new(body, JSON_BYTES, JSON_TIME)?.all().await?;
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "unknown request; reload the page");
        match (name.strip_prefix("file/"), api::find(name)) {
            (Some(name), _) => {
                let _permit = self.jobs.acquire().await;
                self.files.ask(name, &body).await?.ok_or_else(unknown)
            }
            (None, Some(function)) => self.job(function, body, JOB_TIME).await,
            (None, None) => Err(unknown()),
        }
    }

    /// Runs a function on a thread, when one is free.
    async fn job(
        &self,
        function: Function,
        body: Vec<u8>,
        time: Duration,
    ) -> Result<Vec<u8>, Refusal> {
        let late = |_| {
            let message = format!("took more than {} s; ask for less", time.as_secs());
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
        };
        let jobs = Arc::clone(&self.jobs);
        let done = async {
            let permit = jobs.acquire_owned().await;
            // The thread keeps the permit, even if nobody waits for the answer any more.
            spawn_blocking(move || {
                let answer = function(&body);
                drop(permit);
                answer
            })
            .await
        };
        match timeout(time, done).await.map_err(late)? {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Refusal::new(StatusCode::BAD_REQUEST, error.to_string())),
            // A panic; its message is on standard error.
            Err(_) => Err(Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "a bug in anther; please report what the program printed",
            )),
        }
    }
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
            jobs: Arc::new(Semaphore::new(1)),
        }
    }

    /// A job that ends when the test says so. Its thread keeps the permit until then, so the next job
    /// is late, too; after that the server goes on.
    #[test]
    fn a_job_that_takes_too_long_is_an_answer_and_the_server_goes_on() {
        static MAY_END: AtomicBool = AtomicBool::new(false);
        let waits: Function = |_| {
            while !MAY_END.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(Vec::new())
        };
        let server = server();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            for _ in 0..2 {
                let limit = Duration::from_millis(10);
                let refusal = server.job(waits, Vec::new(), limit).await.expect_err("late");
                assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
                assert_eq!(refusal.message, "took more than 0 s; ask for less");
            }
            MAY_END.store(true, Ordering::Relaxed);
            let good = server.job(|body| Ok(body.to_vec()), b"5".to_vec(), JOB_TIME).await;
            assert_eq!(good.expect("it works"), b"5");
        });
    }

    /// More often than there are permits: a panic must give its permit back.
    #[test]
    fn a_panic_is_an_answer_and_the_server_goes_on() {
        let server = server();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            for _ in 0..3 {
                let refusal =
                    server.job(panics, Vec::new(), JOB_TIME).await.expect_err("it panics");
                assert_eq!(refusal.status, StatusCode::INTERNAL_SERVER_ERROR);
                let refusal = server.job(fails, Vec::new(), JOB_TIME).await.expect_err("it fails");
                assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
                assert_eq!(refusal.message, "items: too many; ask for less");
                let good = server.job(|body| Ok(body.to_vec()), b"5".to_vec(), JOB_TIME).await;
                assert_eq!(good.expect("it works"), b"5");
            }
        });
    }
}
