//! x
#[expect(unsafe_code, reason = "the server's API is C; every block says why it holds")]
mod server;
mod errors;
