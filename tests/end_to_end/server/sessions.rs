//! `POST /session`

use serde_json::{Value, json};

use crate::serve;

#[tokio::test]
async fn made_once_and_resumed() {
    let served = serve().await;
    let body = served.client.session_body("widgets");
    let first = served.client.session(&body).await.expect(200);
    let second = served.client.session(&body).await.expect(200);
    assert_eq!((&first["resumed"], &second["resumed"]), (&json!(false), &json!(true)));
    assert_eq!(first["session_id"], second["session_id"]);
    assert_eq!(first["repo_full"], "widgets");
    // 160 random bits at least: 32 characters of base 32.
    assert!(first["session_id"].as_str().unwrap().len() >= 32, "{first}");
    assert_eq!(second.get("prior_task"), None::<&Value>);
}
