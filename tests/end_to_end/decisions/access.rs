//! What an agent's key can do, and what another tenant sees.

use prevet_domain::session::{Product, Role};
use serde_json::{Value, json};

use crate::{Sides, get, post, serve, tool_answer};

/// Every route for people: method, path and body.
fn routes(lot: &str, decision: &str) -> Vec<(&'static str, String, Value)> {
    vec![
        ("GET", "lots".to_owned(), Value::Null),
        ("GET", format!("lots/{lot}"), Value::Null),
        ("POST", format!("lots/{lot}/answer"), json!({ "text": "yes" })),
        ("POST", format!("lots/{lot}/dismiss"), json!({ "reason": "no" })),
        ("POST", format!("lots/{lot}/reopen"), json!({})),
        ("POST", format!("lots/{lot}/split"), json!({ "asks": ["k"] })),
        ("GET", "decisions".to_owned(), Value::Null),
        ("GET", "decisions?query=redis".to_owned(), Value::Null),
        ("GET", format!("decisions/{decision}"), Value::Null),
        ("POST", format!("decisions/{decision}/correct"), json!({ "verb": "wrong" })),
        ("GET", "audit".to_owned(), Value::Null),
    ]
}

#[tokio::test]
async fn an_agents_key_is_refused_on_every_route() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide("Do we use Redis?", "yes").await;
    let lot = sides.open("Do we use Kafka?", &[]).await;
    let before = (sides.open_lots().await, get(&sides.person, "decisions").await.text);
    for (method, path, body) in routes(&lot, &decision) {
        for (key, status, code) in [
            (sides.agent.api_key.as_deref(), 403, "DENIED"),
            (None, 401, "UNAUTHENTICATED"),
            (Some("pvk_human_nobody"), 401, "UNAUTHENTICATED"),
        ] {
            let client = sides.agent.with_key(key);
            let answer = match method {
                "GET" => get(&client, &path).await,
                _ => post(&client, &path, &body).await,
            };
            answer.expect_error(status, code, &[]);
        }
    }
    let after = (sides.open_lots().await.len(), get(&sides.person, "decisions").await.text);
    assert_eq!((before.0.len(), before.1), after, "nothing went through");
}

#[tokio::test]
async fn the_tools_need_a_key_with_the_product() {
    let served = serve().await;
    let administration = served.administration().await;
    let tenant = administration.create_tenant("other").await.unwrap();
    let make = |products| administration.create_key(&tenant.key, Role::Agent, products, None);
    let without = make(vec![Product::CodeReview]).await.unwrap().key;
    for tool in ["lookup_decision", "request_decision", "share_context"] {
        let arguments =
            json!({ "query": "q", "question": "q?", "kind": "note", "body": "b", "waitSeconds": 0 });
        let answer = tool_answer(&served.client.with_key(Some(&without)), tool, &arguments).await;
        answer.expect_tool_error("DENIED", &["decisions"]);
        assert_eq!(answer.tool()["status"], "error");
        tool_answer(&served.client.with_key(None), tool, &arguments)
            .await
            .expect_tool_error("UNAUTHENTICATED", &[]);
    }
    administration.close().await;
}

#[tokio::test]
async fn another_tenant_sees_nothing() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide("Do we use Redis?", "yes").await;
    let lot = sides.open("Do we use Kafka?", &[]).await;
    let administration = served.administration().await;
    let tenant = administration.create_tenant("other").await.unwrap();
    let key = |role| administration.create_key(&tenant.key, role, vec![Product::Decisions], None);
    let (agent, human) = (key(Role::Agent).await.unwrap().key, key(Role::Human).await.unwrap().key);
    administration.close().await;
    let other =
        Sides { agent: sides.agent.with_key(Some(&agent)), person: sides.person.with_key(Some(&human)) };
    assert_eq!(other.look_up("Do we use Redis?").await["matches"], json!([]));
    assert_eq!(other.open_lots().await.len(), 0);
    let own = other.open("Do we use Kafka?", &[]).await;
    assert_ne!(own, lot);
    for (method, path, body) in routes(&lot, &decision).into_iter().filter(|(_, path, _)| path.contains('/'))
    {
        let answer = match method {
            "GET" => get(&other.person, &path).await,
            _ => post(&other.person, &path, &body).await,
        };
        answer.expect_error(404, "NOT_FOUND", &["there is no"]);
    }
    assert_eq!(sides.open_lots().await.len(), 1);
}
