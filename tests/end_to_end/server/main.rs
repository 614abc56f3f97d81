//! The server's side, over real HTTP: what any client may rely on, and what none can break.

#![expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod sessions;

use prevet_testkit::server::Served;

async fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_prevet")).await
}
