//! The second emulator, independent of the embedded one.

use std::process::Stdio;
use std::time::Instant;

use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use super::assembled::{ACCESS_KEY, SECRET_KEY};
use super::{PATIENCE, Parts, Stores};

/// A running ministack; killed when dropped.
#[derive(Debug)]
pub struct Ministack {
    /// One address for all.
    pub stores: Stores,
    _child: Child,
    _folder: TempDir,
}

impl Ministack {
    /// Starts it.
    pub async fn start(parts: &Parts) -> Self {
        // It takes no port 0, so a free one is asked for first.
        let probe = TcpListener::bind("127.0.0.1:0").await.expect("no port");
        let address = probe.local_addr().expect("no address");
        drop(probe);
        let folder = TempDir::new().expect("no temporary folder");
        let mut child = Command::new(parts.program("ministack"))
            .env("GATEWAY_PORT", address.port().to_string())
            .env("BIND_HOST", "127.0.0.1")
            // It holds presigned requests to them.
            .env("AWS_ACCESS_KEY_ID", ACCESS_KEY)
            .env("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("ministack does not start");
        let started = Instant::now();
        while TcpStream::connect(address).await.is_err() {
            assert!(started.elapsed() < PATIENCE, "ministack is not ready");
            assert!(child.try_wait().expect("no status").is_none(), "ministack ended");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let url = format!("http://{address}");
        let stores = Stores { dynamodb_url: url.clone(), s3_url: url };
        Self { stores, _child: child, _folder: folder }
    }
}
