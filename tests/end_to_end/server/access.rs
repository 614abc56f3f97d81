//! Who may call what.

use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Product, Role};
use prevet_testkit::server::{Assembled, Client, Era, Served, Stores, patch};
use serde_json::json;

use crate::{CLEAN, serve};

/// A client of another tenant, and a key of that tenant that is not for inspection.
pub async fn other_tenant(served: &Served) -> (Client, String) {
    let administration = served.administration().await;
    let tenant = administration.create_tenant("another").await.unwrap().key;
    let key = administration.create_key(&tenant, Role::Agent, vec![Product::CodeReview], None).await.unwrap();
    let poor = administration.create_key(&tenant, Role::Agent, vec![Product::Decisions], None).await.unwrap();
    administration.close().await;
    (served.client.with_tenant(tenant.as_str()).with_key(Some(&key.key)), poor.key)
}

async fn new_key(served: &Served, products: Vec<Product>, seconds: Option<u64>) -> (String, String) {
    let tenant = TenantKey::parse(&served.client.tenant_key).unwrap();
    let administration = served.administration().await;
    let new = administration.create_key(&tenant, Role::Agent, products, seconds).await.unwrap();
    administration.close().await;
    (new.record.id, new.key)
}

#[tokio::test]
async fn missing_unknown_expired_and_revoked_keys_are_401() {
    let served = serve().await;
    let session = served.client.open("widgets").await;
    let (_, expired) = new_key(&served, vec![Product::CodeReview], Some(0)).await;
    let (id, revoked) = new_key(&served, vec![Product::CodeReview], None).await;
    let client = served.client.with_key(Some(&revoked));
    client.session(&client.session_body("widgets")).await.expect(200);
    let administration = served.administration().await;
    administration.revoke_key(&id).await.unwrap();
    administration.close().await;
    let mut texts = Vec::new();
    for key in [Some("pvk_agent_unknown"), Some(expired.as_str()), Some(revoked.as_str()), Some("  "), None] {
        let client = served.client.with_key(key);
        let answer = client.session(&client.session_body("widgets")).await;
        answer.expect_error(401, "UNAUTHENTICATED", &["API key"]);
        texts.push(answer.text);
        client.upload(&session, "").await.expect_error(401, "UNAUTHENTICATED", &["API key"]);
        client.upload("unknown", "").await.expect_error(401, "UNAUTHENTICATED", &["API key"]);
    }
    assert_eq!(texts[0], texts[1], "an expired key is told apart from an unknown one");
    assert_eq!(texts[0], texts[2], "a revoked key is told apart from an unknown one");
}

#[tokio::test]
async fn nothing_says_whether_a_tenant_exists() {
    let served = serve().await;
    let (other, poor) = other_tenant(&served).await;
    let mut texts = Vec::new();
    for tenant in [other.tenant_key.as_str(), "ten_that_never_was"] {
        let stranger = served.client.with_tenant(tenant);
        let answer = stranger.session(&stranger.session_body("widgets")).await;
        answer.expect_error(403, "DENIED", &["tenant_key"]);
        texts.push(answer.text);
    }
    assert_eq!(texts[0], texts[1]);
    // Not even a key that has no right to ask tells them apart.
    for tenant in [served.client.tenant_key.as_str(), "ten_that_never_was"] {
        let stranger = served.client.with_tenant(tenant).with_key(Some(&poor));
        assert_eq!(stranger.session(&stranger.session_body("widgets")).await.text, texts[0]);
    }
}

#[tokio::test]
async fn a_key_without_the_product_is_403() {
    let served = serve().await;
    let session = served.client.open("widgets").await;
    let (_, key) = new_key(&served, vec![Product::Decisions], None).await;
    let client = served.client.with_key(Some(&key));
    let answer = client.session(&client.session_body("widgets")).await;
    answer.expect_error(403, "DENIED", &["code-review"]);
    client.upload(&session, "").await.expect_error(403, "DENIED", &["code-review"]);
}

#[tokio::test]
async fn a_foreign_session_cannot_be_written() {
    let served = serve().await;
    let session = served.client.open_with("widgets", patch::added("a.py", CLEAN)).await;
    let (other, _) = other_tenant(&served).await;
    other.upload(&session, "").await.expect_error(403, "DENIED", &[]);
    let unknown = other.upload("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "").await;
    unknown.expect_error(404, "UNKNOWN_SESSION", &["POST /session"]);
    // What was there is there still.
    assert_eq!(served.client.inspect(&json!({ "session_id": session })).await["verdict"], "approve");
}

#[tokio::test]
async fn a_bearer_token_is_a_key() {
    let served = serve().await;
    let bare = served.client.with_key(None);
    let key = served.client.api_key.clone().unwrap();
    for value in [format!("Bearer {key}"), format!("bearer  {key} ")] {
        let request = bare.request("POST", &format!("{}/session", bare.url)).header("Authorization", value);
        bare.send(request.json(&bare.session_body("widgets"))).await.expect(200);
    }
    for value in [format!("Basic {key}"), key, "Bearer".to_owned(), "Bearer nonsense".to_owned()] {
        let request = bare.request("POST", &format!("{}/session", bare.url)).header("Authorization", value);
        let answer = bare.send(request.json(&bare.session_body("widgets"))).await;
        answer.expect_error(401, "UNAUTHENTICATED", &[]);
    }
}

#[tokio::test]
async fn a_bad_key_at_mcp_is_a_plain_401() {
    let served = serve().await;
    let (_, expired) = new_key(&served, vec![Product::CodeReview], Some(0)).await;
    for era in Era::ALL {
        for key in ["pvk_agent_unknown", &expired] {
            let client = served.client.with_key(Some(key));
            let answer = client.rpc(era, "tools/list", &json!({})).await;
            answer.expect_error(401, "UNAUTHENTICATED", &["API key"]);
            let bare = served.client.with_key(None);
            let request = bare.rpc_request(era, "initialize", &era.initialize());
            let answer = bare.send(request.bearer_auth(key)).await;
            answer.expect_error(401, "UNAUTHENTICATED", &["API key"]);
        }
    }
}

#[tokio::test]
async fn the_session_id_is_the_capability() {
    let served = serve().await;
    let session = served.client.open_with("widgets", patch::added("a.py", CLEAN)).await;
    let keyless = served.client.with_key(None);
    assert_eq!(keyless.inspect(&json!({ "session_id": session })).await["verdict"], "approve");
    let (other, _) = other_tenant(&served).await;
    assert_eq!(other.inspect(&json!({ "session_id": session })).await["verdict"], "approve");
    let answer = keyless.inspect_answer(&json!({ "session_id": &session[..session.len() - 1] })).await;
    answer.expect_tool_error("UNKNOWN_SESSION", &[]);
}

#[tokio::test]
async fn oauth_is_not_looked_for_in_vain() {
    let served = serve().await;
    let client = served.client.with_key(None);
    let paths = [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/mcp/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ];
    for path in paths {
        let answer = client.send(client.request("GET", &format!("{}{path}", client.origin()))).await;
        answer.expect_error(404, "NOT_FOUND", &["OAuth", "X-Product-API-Key"]);
    }
    for path in ["/register", "/authorize", "/token"] {
        let answer = client.send(client.request("POST", &format!("{}{path}", client.origin()))).await;
        answer.expect_error(404, "NOT_FOUND", &[]);
    }
}

#[tokio::test]
async fn unreachable_storage_is_503() {
    // Nothing listens on this port: it was free a moment ago.
    let probe = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", probe.local_addr().unwrap());
    drop(probe);
    let server = Assembled::on_unreachable(&Stores { dynamodb_url: url.clone(), s3_url: url }).await;
    let client = &server.client;
    let words = ["cannot reach its database"];
    client.session(&client.session_body("widgets")).await.expect_error(503, "BUSY", &words);
    client.upload("aaaa", "").await.expect_error(503, "BUSY", &words);
    client.rpc(Era::Modern, "tools/list", &json!({})).await.expect_error(503, "BUSY", &words);
    let keyless = client.with_key(None);
    keyless.inspect_answer(&json!({ "session_id": "aaaa" })).await.expect_tool_error("BUSY", &words);
}
