//! `POST /session`

use prevet_domain::ids::{Branch, RepositoryName, TenantKey};
use prevet_domain::session::Integration;
use prevet_testkit::server::{Assembled, Served};
use serde_json::{Value, json};

use crate::serve;

const DAY: u64 = 24 * 60 * 60;

async fn integrate(served: &Served, full_name: &str, target: &str) {
    let tenant = TenantKey::parse(&served.client.tenant_key).unwrap();
    let full_name = RepositoryName::parse(full_name).unwrap();
    let integration = Integration { full_name, target_branch: Branch::parse(target).unwrap() };
    let administration = served.administration().await;
    administration.add_integration(&tenant, &integration).await.unwrap();
    administration.close().await;
}

async fn id_of(served: &Served, changes: Value) -> (String, bool) {
    let mut body = served.client.session_body("widgets");
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = served.client.session(&body).await.expect(200);
    (answer["session_id"].as_str().unwrap().to_owned(), answer["resumed"].as_bool().unwrap())
}

#[tokio::test]
async fn made_once_and_resumed() {
    let served = serve().await;
    let body = served.client.session_body("widgets");
    let first = served.client.session(&body).await.expect(200);
    let second = served.client.session(&body).await.expect(200);
    assert_eq!((&first["resumed"], &second["resumed"]), (&json!(false), &json!(true)));
    assert_eq!(first["session_id"], second["session_id"]);
    // 160 random bits at least: 32 characters of base 32.
    assert!(first["session_id"].as_str().unwrap().len() >= 32, "{first}");
    assert_eq!(second.get("prior_task"), None::<&Value>);
}

#[tokio::test]
async fn the_same_with_and_without_the_prefix() {
    let served = serve().await;
    let client = &served.client;
    let body = client.session_body("widgets");
    let short = client.request("POST", &format!("{}/session", client.origin())).json(&body);
    let short = client.send(short).await.expect(200);
    let long = client.session(&body).await.expect(200);
    assert_eq!(short["session_id"], long["session_id"]);
    let id = long["session_id"].as_str().unwrap();
    for base in [client.origin(), &client.url] {
        let request = client.request("POST", &format!("{base}/upload/{id}"));
        let parts = prevet_testkit::server::Multipart::diff("");
        let content_type = prevet_testkit::server::Multipart::content_type();
        let request = request.header("content-type", content_type).body(parts.whole());
        assert_eq!(client.send(request).await.expect(200)["session_id"], id);
    }
}

#[tokio::test]
async fn identity_is_tenant_repository_and_developer() {
    let served = serve().await;
    let (id, resumed) = id_of(&served, json!({})).await;
    assert!(!resumed);
    let same = [
        json!({ "branch": "feature/x" }),
        json!({ "head": "2222222222222222222222222222222222222222" }),
        json!({ "branch": "HEAD", "head": "3".repeat(64) }),
        json!({ "language": "python" }),
        json!({ "language": 5 }),
        json!({ "user_name": "" }),
        json!({ "user_name": null }),
        json!({ "repo": " widgets " }),
    ];
    for changes in same {
        assert_eq!(id_of(&served, changes.clone()).await, (id.clone(), true), "{changes}");
    }
    let mut ids = vec![id];
    for changes in
        [json!({ "repo": "gadgets" }), json!({ "user_name": "ada" }), json!({ "user_name": "bob" })]
    {
        let (other, resumed) = id_of(&served, changes.clone()).await;
        assert!(!resumed && !ids.contains(&other), "{changes}");
        assert_eq!(id_of(&served, changes).await, (other.clone(), true));
        ids.push(other);
    }
}

#[tokio::test]
async fn an_integrated_repository_names_its_target_branch() {
    let served = serve().await;
    let client = &served.client;
    let before = client.session(&client.session_body("widgets")).await.expect(200);
    assert_eq!((&before["target_branch"], &before["repo_full"]), (&json!(""), &json!("widgets")));
    assert!(before["target_branch_error"].as_str().unwrap().contains("widgets"), "{before}");
    assert!(before["integration_url"].as_str().unwrap().starts_with(client.origin()), "{before}");
    integrate(&served, "acme/widgets", "develop").await;
    for repo in ["widgets", "acme/widgets", "ACME/Widgets"] {
        let after = client.session(&client.session_body(repo)).await.expect(200);
        assert_eq!(after["target_branch"], "develop");
        assert_eq!(after["repo_full"], "acme/widgets");
        assert_eq!(after.get("target_branch_error").or(after.get("integration_url")), None);
    }
}

#[tokio::test]
async fn an_integrated_repository_has_one_session_whatever_it_is_called() {
    let served = serve().await;
    integrate(&served, "acme/widgets", "main").await;
    let (id, resumed) = id_of(&served, json!({ "repo": "acme/widgets" })).await;
    assert!(!resumed);
    for repo in ["widgets", "Acme/Widgets", "acme/widgets"] {
        assert_eq!(id_of(&served, json!({ "repo": repo })).await, (id.clone(), true), "{repo}");
    }
}

#[tokio::test]
async fn a_bare_name_of_several_repositories_is_not_guessed() {
    let served = serve().await;
    integrate(&served, "acme/widgets", "main").await;
    integrate(&served, "umbrella/widgets", "trunk").await;
    let client = &served.client;
    let bare = client.session(&client.session_body("widgets")).await.expect(200);
    assert_eq!(bare["target_branch"], "");
    let reason = bare["target_branch_error"].as_str().unwrap();
    assert!(reason.contains("acme/widgets") && reason.contains("umbrella/widgets"), "{reason}");
    let full = client.session(&client.session_body("umbrella/widgets")).await.expect(200);
    assert_eq!(full["target_branch"], "trunk");
    let (one, other) = (id_of(&served, json!({ "repo": "acme/widgets" })).await.0, &full["session_id"]);
    assert_ne!(one, other.as_str().unwrap());
    // Connecting one of them again changes its branch and adds none.
    integrate(&served, "umbrella/widgets", "next").await;
    let full = client.session(&client.session_body("umbrella/widgets")).await.expect(200);
    assert_eq!(full["target_branch"], "next");
}

#[tokio::test]
async fn a_tenant_sees_its_own_repositories_only() {
    let served = serve().await;
    integrate(&served, "acme/widgets", "main").await;
    let (client, _) = crate::access::other_tenant(&served).await;
    let answer = client.session(&client.session_body("acme/widgets")).await.expect(200);
    assert_eq!(answer["target_branch"], "");
    let own = served.client.session(&served.client.session_body("acme/widgets")).await.expect(200);
    assert_ne!(answer["session_id"], own["session_id"]);
}

fn in_29_days() -> u64 {
    now() + 29 * DAY
}

fn in_31_days() -> u64 {
    now() + 31 * DAY
}

fn in_58_days() -> u64 {
    now() + 58 * DAY
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

#[tokio::test]
async fn it_ends_30_days_after_its_last_use() {
    let mut server = Assembled::start().await;
    let first = server.client.open("widgets").await;
    let later = server.at(in_31_days).await;
    later.upload(&first, "").await.expect_error(404, "UNKNOWN_SESSION", &["POST /session"]);
    let answer = later.inspect_answer(&json!({ "session_id": first })).await;
    answer.expect_tool_error("UNKNOWN_SESSION", &["30 days"]);
    let answer = later.session(&later.session_body("widgets")).await.expect(200);
    assert_eq!(answer["resumed"], false);
    assert_ne!(answer["session_id"].as_str(), Some(first.as_str()));
}

#[tokio::test]
async fn every_use_moves_the_end() {
    let mut server = Assembled::start().await;
    let (day_29, day_58) = (server.at(in_29_days).await, server.at(in_58_days).await);
    let diff = prevet_testkit::server::patch::added("a.py", crate::CLEAN);
    for used in ["session", "upload", "inspect"] {
        let id = server.client.open_with(used, &diff).await;
        match used {
            "session" => assert_eq!(day_29.open(used).await, id),
            "upload" => drop(day_29.upload(&id, "").await.expect(200)),
            _ => drop(day_29.inspect(&json!({ "session_id": id })).await),
        }
        assert_eq!(day_58.open(used).await, id, "{used} is a use");
    }
}

#[tokio::test]
async fn bad_fields_are_named() {
    let served = serve().await;
    let cases: [(&str, Value, &[&str]); 18] = [
        ("repo", json!(1), &["repo", "string"]),
        ("repo", json!(null), &["repo"]),
        ("repo", json!(""), &["repo", "empty"]),
        ("repo", json!("../x"), &["repo"]),
        ("repo", json!("x".repeat(300)), &["repo", "255"]),
        ("repo", json!("a\u{0}b"), &["repo", "control"]),
        ("branch", json!({}), &["branch", "string"]),
        ("branch", json!("-x"), &["branch", "dash"]),
        ("branch", json!("--upload-pack=touch /tmp/x"), &["branch", "dash"]),
        ("branch", json!("a..b"), &["branch"]),
        ("branch", json!(" "), &["branch", "empty"]),
        ("head", json!(true), &["head", "string"]),
        ("head", json!(""), &["head", "empty"]),
        ("head", json!("$(id)"), &["head"]),
        ("tenant_key", json!([]), &["tenant_key", "string"]),
        ("tenant_key", json!(""), &["tenant_key", "empty"]),
        ("user_name", json!(5), &["user_name", "string"]),
        ("user_name", json!("a\nb"), &["user_name"]),
    ];
    for (field, value, words) in cases {
        let mut body = served.client.session_body("widgets");
        body[field] = value;
        served.client.session(&body).await.expect_error(400, "INVALID_INPUT", words);
    }
    for field in ["repo", "branch", "head", "tenant_key"] {
        let mut body = served.client.session_body("widgets");
        body.as_object_mut().unwrap().remove(field);
        served.client.session(&body).await.expect_error(400, "INVALID_INPUT", &["missing", field]);
    }
}

#[tokio::test]
async fn what_is_not_a_json_object_is_refused() {
    let served = serve().await;
    let client = &served.client;
    let deep = "[".repeat(100_000);
    let array = r#"["widgets", "main", "1111", "ten", null]"#;
    for body in ["", "{", "[]", "null", "\"x\"", "5", "repo=widgets", "\u{feff}{}", &deep, array] {
        let request = client.request("POST", &format!("{}/session", client.url)).body(body.to_owned());
        client.send(request).await.expect_error(400, "INVALID_INPUT", &["JSON object"]);
    }
    let request = client.request("POST", &format!("{}/session", client.url)).body(b"\xff\xfe{}".to_vec());
    client.send(request).await.expect_error(400, "INVALID_INPUT", &["JSON object"]);
}

#[tokio::test]
async fn other_methods_and_routes_say_what_there_is() {
    let served = serve().await;
    let client = &served.client;
    for path in ["/session", "/mcp/session", "/upload/x", "/mcp/upload/x"] {
        for method in ["GET", "PUT", "DELETE"] {
            let request = client.request(method, &format!("{}{path}", client.origin()));
            client.send(request).await.expect_error(405, "METHOD_NOT_ALLOWED", &["POST"]);
        }
    }
    for path in ["/nothing", "/mcp/nothing", "/upload", "/upload/a/b", "/session/x"] {
        let request = client.request("POST", &format!("{}{path}", client.origin()));
        client.send(request).await.expect_error(404, "NOT_FOUND", &["/session"]);
    }
}
