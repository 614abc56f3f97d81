//! What a lookup costs with a long history against a short one.

use std::time::{Duration, Instant};

use prevet_testkit::server::{Assembled, remembered_question};
use serde_json::json;

use crate::tool_answer;

const SHORT: usize = 100;
const ROUNDS: usize = 15;

/// What lookups of a kind cost: storage calls, and the median of the time they took.
struct Cost {
    calls: Vec<String>,
    median: Duration,
}

async fn cost(server: &Assembled, query: &str, expected: &str) -> Cost {
    let look_up = async || {
        let result = tool_answer(&server.client, "lookup_decision", &json!({ "query": query })).await.tool();
        assert_eq!(result["matches"][0]["reuseGuidance"], expected, "{query}: {result}");
    };
    // Whoever comes first reads the segments.
    look_up().await;
    server.take_calls();
    look_up().await;
    let calls = server.take_calls();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        look_up().await;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Cost { calls, median: times[ROUNDS / 2] }
}

async fn costs(server: &Assembled, decisions: usize) -> (Cost, Cost) {
    let asked = remembered_question(decisions / 2);
    let exact = cost(server, &asked, "apply").await;
    // One word more, so that it only is near.
    let near = cost(server, &asked.replace("in ", "nightly in "), "confirm").await;
    for (path, cost) in [("exact", &exact), ("near", &near)] {
        eprintln!("{decisions} decisions, {path} path: {:?}, median {:?}", cost.calls, cost.median);
    }
    (exact, near)
}

/// The costs with `long` decisions against [`SHORT`].
async fn compare(long: usize) {
    let server = Assembled::start().await;
    server.remember(0, SHORT).await;
    let (short_exact, short_near) = costs(&server, SHORT).await;
    server.remember(SHORT, long).await;
    let (long_exact, long_near) = costs(&server, long).await;
    let ratio = |long: &Cost, short: &Cost| long.median.as_secs_f64() / short.median.as_secs_f64();
    eprintln!(
        "ratio of {long} to {SHORT} decisions: exact path {} to {} calls, time {:.2}; near path {} to {} calls, time {:.2}",
        long_exact.calls.len(),
        short_exact.calls.len(),
        ratio(&long_exact, &short_exact),
        long_near.calls.len(),
        short_near.calls.len(),
        ratio(&long_near, &short_near),
    );
    // The key, and one read for all else.
    assert_eq!(long_exact.calls, ["GetItem", "BatchGetItem"]);
    assert_eq!(long_exact.calls, short_exact.calls);
    assert_eq!(long_near.calls, short_near.calls);
    assert_eq!(long_near.calls.len(), 4, "{:?}", long_near.calls);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lookup_costs_the_same_calls_with_a_longer_history() {
    compare(1_500).await;
}

/// `cargo test -p prevet --test decisions -- --ignored --nocapture a_hundred_thousand`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "writes 100,000 decisions, which takes minutes"]
async fn a_hundred_thousand_decisions() {
    compare(100_000).await;
}
