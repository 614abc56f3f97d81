//! Bodies that are compressed, too large, broken, or not what they say.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use prevet_testkit::server::{Client, Multipart, Served, patch};
use serde_json::json;

use crate::{BUG, serve};

/// How soon a bomb is refused, in a debug build on a busy machine.
const BOMB_TIME_MAX: Duration = Duration::from_secs(20);
/// What refusing it may cost, in kilobytes of resident memory.
const BOMB_MEMORY_KB_MAX: u64 = 400_000;
const GIB: u64 = 1 << 30;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zstd(body: &[u8]) -> Vec<u8> {
    zstd::encode_all(body, 3).unwrap()
}

/// `bytes` zero bytes, compressed piece by piece.
fn bomb(encoding: &str, bytes: u64) -> Vec<u8> {
    let mut zeros = std::io::Read::take(std::io::repeat(0), bytes);
    if encoding == "zstd" {
        return zstd::encode_all(&mut zeros, 1).unwrap();
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut zeros, &mut encoder).unwrap();
    encoder.finish().unwrap()
}

fn peak_memory_kb(served: &Served) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

async fn session_encoded(client: &Client, encoding: &str, body: Vec<u8>) -> prevet_testkit::server::Answer {
    let request = client.request("POST", &format!("{}/session", client.url));
    client.send(request.header("content-encoding", encoding).body(body)).await
}

#[tokio::test]
async fn gzip_and_zstd_are_unpacked() {
    let served = serve().await;
    let client = &served.client;
    let body = client.session_body("widgets").to_string();
    let plain = client.open("widgets").await;
    let parts = Multipart::diff(patch::added("a.py", BUG)).whole();
    let encoded = [
        ("gzip", gzip(body.as_bytes()), gzip(&parts)),
        ("x-gzip", gzip(body.as_bytes()), gzip(&parts)),
        ("ZSTD", zstd(body.as_bytes()), zstd(&parts)),
        ("identity", body.clone().into_bytes(), parts.clone()),
        // Several members and frames, one after the other, are one body.
        ("gzip", [gzip(&body.as_bytes()[..9]), gzip(&body.as_bytes()[9..])].concat(), gzip(&parts)),
        ("zstd", [zstd(&body.as_bytes()[..9]), zstd(&body.as_bytes()[9..])].concat(), zstd(&parts)),
    ];
    for (encoding, body, parts) in encoded {
        let answer = session_encoded(client, encoding, body).await.expect(200);
        assert_eq!(answer["session_id"].as_str(), Some(plain.as_str()), "{encoding}");
        let upload = client.upload_request(&plain, parts).header("content-encoding", encoding);
        client.send(upload).await.expect(200);
    }
    assert_eq!(client.inspect(&json!({ "session_id": plain })).await["verdict"], "request_changes");
}

#[tokio::test]
async fn what_is_not_what_its_encoding_says_is_refused() {
    let served = serve().await;
    let client = &served.client;
    let body = client.session_body("widgets").to_string();
    for (encoding, packed) in [("gzip", gzip(body.as_bytes())), ("zstd", zstd(body.as_bytes()))] {
        let cut = packed[..packed.len() - 5].to_vec();
        let mut trailed = packed.clone();
        trailed.extend_from_slice(b"trailing garbage");
        for broken in [cut, trailed, body.clone().into_bytes(), Vec::new()] {
            let answer = session_encoded(client, encoding, broken).await;
            answer.expect_error(400, "INVALID_INPUT", &[encoding]);
        }
    }
    for encoding in ["br", "deflate", "gzip, gzip", "\u{fc}"] {
        let answer = session_encoded(client, encoding, body.clone().into_bytes()).await;
        answer.expect_error(400, "INVALID_INPUT", &["Content-Encoding", "gzip", "zstd"]);
    }
}

#[tokio::test]
async fn bombs_are_refused_soon_and_cheaply() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    for encoding in ["gzip", "zstd"] {
        let bytes = if encoding == "gzip" { GIB / 2 } else { 2 * GIB };
        let packed = bomb(encoding, bytes);
        let started = Instant::now();
        let upload = client.upload_request(&id, packed.clone()).header("content-encoding", encoding);
        client.send(upload).await.expect_error(413, "TOO_LARGE", &["unpacked", "bytes"]);
        session_encoded(client, encoding, packed).await.expect_error(413, "TOO_LARGE", &["1048576"]);
        assert!(started.elapsed() < BOMB_TIME_MAX, "{encoding}: {:?}", started.elapsed());
    }
    let peak = peak_memory_kb(&served);
    assert!(peak < BOMB_MEMORY_KB_MAX, "{peak} kB");
}

#[tokio::test]
async fn a_zstd_window_that_is_too_large_is_refused() {
    let served = serve().await;
    let body = served.client.session_body("widgets").to_string();
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(31).unwrap();
    encoder.write_all(body.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    session_encoded(&served.client, "zstd", packed).await.expect_error(400, "INVALID_INPUT", &["zstd"]);
    assert!(peak_memory_kb(&served) < BOMB_MEMORY_KB_MAX);
}

#[tokio::test]
async fn a_diff_over_its_limit_is_413_though_it_travels_small() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let line = "x".repeat(1023);
    let text = format!("{line}\n").repeat((64 << 10) + 1);
    let packed = zstd(&Multipart::diff(patch::added("a.txt", &text)).whole());
    let upload = client.upload_request(&id, packed).header("content-encoding", "zstd");
    client.send(upload).await.expect_error(413, "TOO_LARGE", &["diff", "67108864"]);
}

#[tokio::test]
async fn a_request_over_its_limit_is_413_and_names_it() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let large = vec![b'x'; 4_600_000];
    let upload = client.upload_request(&id, Multipart::diff(&large).whole());
    client.send(upload).await.expect_error(413, "TOO_LARGE", &["4500000", "gzip"]);
    // The same without a stated length.
    let pieces = Multipart::diff(&large).whole().chunks(100_000).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let stream = reqwest::Body::wrap_stream(futures_util::stream::iter(
        pieces.into_iter().map(Ok::<_, std::io::Error>),
    ));
    let upload = client.request("POST", &format!("{}/upload/{id}", client.url));
    let upload = upload.header("content-type", Multipart::content_type()).body(stream);
    client.send(upload).await.expect_error(413, "TOO_LARGE", &["4500000"]);
    let session = client.request("POST", &format!("{}/session", client.url)).body(vec![b' '; 1_100_000]);
    client.send(session).await.expect_error(413, "TOO_LARGE", &["1048576"]);
    // The way for larger ones is named.
    let upload = client.upload_request(&id, Multipart::diff(&large).whole());
    client.send(upload).await.expect_error(413, "TOO_LARGE", &["place"]);
    // A megabyte less passes.
    let text = format!("{}\n", "x".repeat(99)).repeat(44_000);
    client.upload(&id, patch::added("a.txt", &text)).await.expect(200);
}

#[tokio::test]
async fn whoever_is_refused_gets_the_answer_though_much_was_sent() {
    let served = serve().await;
    let id = served.client.open("widgets").await;
    let large = Multipart::diff(vec![b'x'; 8_000_000]).whole();
    let keyless = served.client.with_key(None);
    keyless.send(keyless.upload_request(&id, large.clone())).await.expect_error(401, "UNAUTHENTICATED", &[]);
    let client = &served.client;
    client.send(client.upload_request("unknown", large.clone())).await.expect_error(
        404,
        "UNKNOWN_SESSION",
        &[],
    );
    let session = keyless.request("POST", &format!("{}/session", client.url)).body(large.clone());
    keyless.send(session).await.expect_error(401, "UNAUTHENTICATED", &[]);
    let wrong = served.client.with_key(Some("pvk_agent_wrong"));
    let message = wrong.request("POST", &client.url).body(large.clone());
    wrong.send(message).await.expect_error(401, "UNAUTHENTICATED", &[]);
    client.send(client.request("PUT", &client.url).body(large)).await.expect_error(
        405,
        "METHOD_NOT_ALLOWED",
        &[],
    );
}

#[tokio::test]
async fn broken_multipart_is_400() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let diff = patch::added("a.py", BUG);
    let parts = Multipart::diff(&diff);
    let broken: [(Vec<u8>, &[&str]); 8] = [
        (Multipart::default().part("base_sha", "abc").whole(), &["file", "missing"]),
        (Multipart::default().part("files", &diff).whole(), &["file", "missing"]),
        (Multipart::default().whole(), &["file", "missing"]),
        (parts.clone().part("file", &diff).whole(), &["file", "twice"]),
        (parts.clone().part("base_sha", "abc").whole(), &["base_sha", "twice"]),
        (parts.cut(0), &["cut short"]),
        (parts.cut(60), &["cut short"]),
        (Vec::new(), &["multipart"]),
    ];
    for (body, words) in broken {
        client.send(client.upload_request(&id, body)).await.expect_error(400, "INVALID_INPUT", words);
    }
    let many = (0..20).fold(Multipart::default(), |parts, at| parts.part(&format!("x{at}"), ""));
    client.upload_parts(&id, &many).await.expect_error(400, "INVALID_INPUT", &["parts"]);
    client.upload_parts(&id, &parts.part("other", "ignored")).await.expect(200);
}

#[tokio::test]
async fn what_is_not_multipart_is_400() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open("widgets").await;
    let types = [
        "application/json",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/mixed; boundary=x",
        "",
    ];
    for content_type in types {
        let request = client.request("POST", &format!("{}/upload/{id}", client.url));
        let request = request.header("content-type", content_type).body(patch::added("a.py", BUG));
        client.send(request).await.expect_error(400, "INVALID_INPUT", &["multipart"]);
    }
}

#[tokio::test]
async fn a_refused_upload_leaves_the_last_one() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", BUG)).await;
    let packed = bomb("zstd", GIB);
    client.send(client.upload_request(&id, packed).header("content-encoding", "zstd")).await.expect(413);
    client.send(client.upload_request(&id, vec![b'x'; 4_600_000])).await.expect(413);
    client.send(client.upload_request(&id, Multipart::diff("").cut(3))).await.expect(400);
    client.upload(&id, "garbage").await.expect(400);
    assert_eq!(client.inspect(&json!({ "session_id": id })).await["verdict"], "request_changes");
}
