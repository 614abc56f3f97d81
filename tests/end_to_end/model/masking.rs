//! What the endpoint received: nothing of a secret, and every line at its number.

use prevet_testkit::scripted_model::ScriptedModel;
use prevet_testkit::server::patch;
use serde_json::json;

use crate::process::{KEY, Process};
use crate::{answering, finding};

/// Put together here so that nobody takes this file for a leak.
fn secrets() -> Vec<(&'static str, String)> {
    let line = |seed: usize| -> String {
        let letters = b"MIIEowIBAAKCAQEA7bq1Zx0vT9kLm3nRsYw8uJ2hF5dGc6XoP4iQeVtA1zBrNlKyWp";
        (0..64).map(|at| char::from(letters[(at * 7 + seed * 13) % letters.len()])).collect()
    };
    let body = (0..6).map(line).collect::<Vec<_>>().join("\n");
    vec![
        ("aws", ["AKIA", "QYLPMN5HFIQR7XYA"].concat()),
        ("aws secret", ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzT9kLm3nRs"].concat()),
        ("key", format!("-----BEGIN RSA PRIVATE {}-----\n{body}\n-----END RSA PRIVATE KEY-----", "KEY")),
        (
            "jwt",
            [
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.",
                "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.",
                "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
            ]
            .concat(),
        ),
        ("database", ["postgres://shop:", "hQ7zR2mVx9Lp", "@db.internal:5432/orders"].concat()),
        ("json", ["sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat()),
    ]
}

fn text() -> String {
    let of = |name: &str| secrets().into_iter().find(|it| it.0 == name).unwrap().1;
    format!(
        "aws_access_key_id = \"{}\"\naws_secret_access_key = \"{}\"\nprivate = \"\"\"{}\"\"\"\ntoken = \"{}\"\n\
         database = \"{}\"\nsettings = '{{\"stripe\": {{\"api_key\": \"{}\"}}}}'\nlast_line = compute(settings)\n",
        of("aws"),
        of("aws secret"),
        of("key"),
        of("jwt"),
        of("database"),
        of("json")
    )
}

/// The pieces of each secret that must be nowhere.
fn pieces() -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for (name, secret) in secrets() {
        match name {
            "key" => pieces.extend(secret.lines().filter(|line| !line.starts_with('-')).map(str::to_owned)),
            "jwt" => pieces.extend(secret.split('.').map(str::to_owned)),
            "database" => pieces.push("hQ7zR2mVx9Lp".to_owned()),
            _ => pieces.push(secret),
        }
    }
    pieces
}

#[tokio::test]
async fn nothing_of_a_secret_reaches_the_model() {
    let last = finding("config.py", "last_line = compute(settings)", "high", "t");
    let model = ScriptedModel::start(answering(json!({ "findings": [last] })));
    let server = Process::start(&model, &[]).await;
    let all = secrets().into_iter().map(|it| it.1).collect::<Vec<_>>().join(" and ");
    let id = server.client.open("r").await;
    let pack = patch::pack(&[]);
    let diff = patch::added("config.py", &text()) + &patch::replaced("old.py", &text(), "nothing = 1\n");
    let parts = prevet_testkit::server::Multipart::diff(diff).part("context", pack.to_string());
    server.client.upload_parts(&id, &parts).await.expect(200);
    let context = json!({ "pr_title": all, "pr_description": text(), "review_config": [all] });
    let arguments = json!({ "session_id": id, "profile": "review", "intent": all, "context": context });
    let result = server.client.inspect(&arguments).await;
    let received = String::from_utf8_lossy(&model.received()).into_owned();
    assert!(model.asked().len() >= 6);
    for piece in pieces() {
        for (place, said) in [("sent", &received), ("said", &result.to_string()), ("logged", &server.log())] {
            let around = said
                .find(&piece)
                .map(|at| String::from_utf8_lossy(&said.as_bytes()[at.saturating_sub(400)..at]));
            assert_eq!(around, None, "{piece:?} was {place}");
        }
    }
    let number = text().lines().position(|line| line.starts_with("last_line")).unwrap() + 1;
    let shown = format!("{number:>7} + last_line = compute(settings)\n");
    assert!(model.asked()[0].user.contains(&shown), "{}", model.asked()[0].user);
    let placed = result["findings"].as_array().unwrap().iter().find(|it| it["rule"] == "model").unwrap();
    assert_eq!(placed["line"], json!(number));
}

#[tokio::test]
async fn a_secret_that_a_model_says_is_masked() {
    let secret = &secrets()[0].1;
    let mut claim = finding("a.py", "x = 1", "high", &format!("the key {secret} is used"));
    claim["message"] = json!(format!("aws_access_key_id = {secret}"));
    let model = ScriptedModel::start(answering(json!({ "findings": [claim] })));
    let server = Process::start(&model, &[]).await;
    let id = server.client.open_with("r", patch::added("a.py", "x = 1\n")).await;
    let result = server.client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["findings"].as_array().unwrap().len(), 1);
    assert!(!result.to_string().contains(secret), "{result}");
}

#[tokio::test]
async fn the_model_s_own_key_is_in_no_log() {
    let model = ScriptedModel::start(answering(json!({ "findings": [] })));
    let server = Process::start(&model, &[]).await;
    crate::inspect(&server, "r", patch::added("a.py", "x = 1\n")).await;
    assert!(String::from_utf8_lossy(&model.received()).contains(KEY), "it is sent to the provider");
    assert!(!server.log().contains(KEY));
}
