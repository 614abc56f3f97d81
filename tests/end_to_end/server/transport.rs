//! `/mcp` as HTTP: methods, hosts, bodies; and a client that is not ours.

use std::process::Stdio;
use std::time::Duration;

use prevet_testkit::server::{Parts, patch};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::{BUG, serve};

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn other_methods_are_answered_at_once() {
    let served = serve().await;
    let client = &served.client;
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"] {
        let request = client.request(method, &client.url).header("accept", "text/event-stream");
        let answer = timeout(SOON, client.send(request)).await.expect("it hangs");
        answer.expect_error(405, "METHOD_NOT_ALLOWED", &["POST"]);
        assert_eq!(answer.header("allow"), "POST");
    }
}

#[tokio::test]
async fn what_is_not_json_by_its_type_is_415() {
    let served = serve().await;
    let client = &served.client;
    for content_type in ["text/plain", "multipart/form-data; boundary=x", ""] {
        let request = client.request("POST", &client.url).header("content-type", content_type).body("{}");
        client.send(request).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE", &["application/json"]);
    }
    let (_, body) = prevet_testkit::server::Era::Legacy("2025-11-25").request("ping", &json!({}));
    let request =
        client.request("POST", &client.url).header("content-type", "application/json; charset=utf-8");
    client.send(request.body(body.to_string())).await.expect(200);
}

#[tokio::test]
async fn a_large_message_is_413() {
    let served = serve().await;
    let client = &served.client;
    let request = client.request("POST", &client.url).header("content-type", "application/json");
    let answer = client.send(request.body(vec![b' '; 1_100_000])).await;
    answer.expect_error(413, "TOO_LARGE", &["1048576"]);
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let served = serve().await;
    let client = served.client.with_key(None);
    let (_, body) = prevet_testkit::server::Era::Legacy("2025-11-25").request("ping", &json!({}));
    let port = client.origin().rsplit(':').next().unwrap().to_owned();
    let call = |name: &'static str, value: String| {
        client.request("POST", &client.url).header(name, value).json(&body)
    };
    let foreign = [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.1",
        "",
    ];
    for host in foreign {
        let answer = client.send(call("host", host.to_owned())).await;
        assert!(matches!(answer.status, 400 | 403), "{host}: {}", answer.text);
    }
    for origin in ["http://evil.example", "https://127.0.0.1.evil.example", "null", "garbage", "file://"] {
        client.send(call("origin", origin.to_owned())).await.expect_error(403, "DENIED", &["Origin"]);
    }
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        client.send(call("origin", format!("http://{host}"))).await.expect(200);
        client.send(call("host", host)).await.expect(200);
    }
}

#[tokio::test]
async fn a_client_that_stops_in_the_middle_does_not_stop_others() {
    let served = serve().await;
    let client = &served.client;
    let address = client.origin().strip_prefix("http://").unwrap().to_owned();
    let mut silent = Vec::new();
    for path in ["/mcp", "/session", "/upload/x"] {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             X-Product-API-Key: {}\r\nContent-Length: 100\r\n\r\n{{",
            client.api_key.as_deref().unwrap()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        silent.push(stream);
    }
    let id = client.open_with("widgets", patch::added("a.py", BUG)).await;
    assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], "request_changes");
    drop(silent);
    client.open("widgets").await;
}

#[tokio::test]
async fn garbage_on_the_wire_is_survived() {
    let served = serve().await;
    let address = served.client.origin().strip_prefix("http://").unwrap().to_owned();
    let pieces: [&[u8]; 4] =
        [b"\x16\x03\x01\x02\x00\x01", b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"POST /mcp HTTP/9.9\r\n\r\n"];
    for garbage in pieces {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // It may close at once.
        let _ = timeout(SOON, stream.read_to_end(&mut answer)).await.expect("it hangs");
    }
    served.client.open("widgets").await;
}

#[tokio::test]
async fn the_mcp_inspector_calls_it_in_both_eras() {
    let Some(parts) = Parts::from_env("the MCP Inspector over HTTP") else { return };
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", BUG)).await;
    for era in ["legacy", "modern"] {
        let list = inspector(&parts, &served.client.url, era, &["--method", "tools/list"]).await;
        assert!(list.to_string().contains("inspect_diff"), "{list}");
        let arguments = json!({ "session_id": id }).to_string();
        let call = ["--method", "tools/call", "--tool-name", "inspect_diff", "--tool-args-json", &arguments];
        let result = inspector(&parts, &served.client.url, era, &call).await;
        assert!(result.to_string().contains("request_changes"), "{era}: {result}");
    }
}

async fn inspector(parts: &Parts, url: &str, era: &str, arguments: &[&str]) -> Value {
    let home = tempfile::TempDir::new().unwrap();
    let output = tokio::process::Command::new(parts.program("mcp-inspector"))
        .args(["--cli", url, "--transport", "http", "--protocol-era", era, "--format", "json"])
        .args(arguments)
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(prevet_testkit::server::PATIENCE, output).await.expect("it hangs").unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{era}: {text} {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{era}: {text}"))
}
