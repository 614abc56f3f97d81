//! The real Codex CLI asks over HTTP, and a person answers on the page.

use std::fs;
use std::time::Duration;

use prevet_testkit::model::{Model, Step};
use prevet_testkit::server::{Client, Parts};
use prevet_testkit::world::wait_until;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::scene::world;

/// Signs in with the key and answers the only open request with `option`, as the page's own forms do.
async fn answer_on_the_page(ready: &Value, lot: &str, option: &str) {
    let text = |name: &str| ready[name].as_str().unwrap();
    let client = Client::new(text("url"), text("tenant_key"), "").with_key(None);
    let send = async |path: &str, cookie: &str, fields: &[(&str, &str)]| {
        let request = client.request("POST", &format!("{}/inbox/{path}", client.origin()));
        let body = serde_urlencoded::to_string(fields).unwrap();
        let form =
            request.header("content-type", "application/x-www-form-urlencoded").header("cookie", cookie);
        client.send(form.body(body)).await
    };
    let signed_in = send("sign-in", "", &[("key", text("human_key"))]).await;
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let request = client.request("GET", text("inbox_url")).header("cookie", &cookie);
    let page = client.send(request).await.text;
    assert!(page.contains("Drop the old index?"), "{page}");
    let token = page.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let fields = [("form_token", token), ("option", option)];
    assert_eq!(send(&format!("lots/{lot}/answer"), &cookie, &fields).await.status, 303);
}

#[test]
fn the_cli_goes_on_with_what_a_person_answers_on_the_page() {
    let Some(parts) = Parts::from_env("the Codex CLI and a person") else { return };
    let world = world();
    let served = world.prevet(&["serve", "--addr", "127.0.0.1:0"]).within(Duration::from_mins(3)).start();
    wait_until("the server to be ready", Duration::from_secs(30), || served.stdout().ends_with('\n'));
    let ready: Value = serde_json::from_str(&served.stdout()).unwrap();
    let text = |name: &str| ready[name].as_str().unwrap();
    let model = Model::start();
    let arguments = json!({ "question": "Drop the old index?", "options": ["yes", "no"], "waitSeconds": 50 });
    model.will([
        Step::Search("prevet request decision"),
        Step::Call { server: "prevet", tool: "request_decision", arguments },
        Step::Say("the index stays".to_owned()),
    ]);
    let config = world.path("home/.codex/config.toml");
    fs::create_dir(config.parent().unwrap()).unwrap();
    fs::write(&config, model.codex_config()).unwrap();
    let environment = [
        ("PREVET_API_URL", text("url")),
        ("PREVET_API_KEY", text("agent_key")),
        ("PREVET_TENANT_KEY", text("tenant_key")),
    ];
    let connect = world.prevet(&["connect", "codex", "--http"]);
    environment.iter().fold(connect, |call, (name, value)| call.env(name, value)).succeeds();
    let call = world.call(parts.program("codex"), &world.path("app"));
    let call = call.args(&["exec", "--json", "-s", "read-only", "may I drop the index?"]);
    let turn = call
        .env("SCRIPTED_KEY", "k")
        .env("PREVET_API_KEY", text("agent_key"))
        .within(Duration::from_mins(2))
        .start();
    let mut lot = String::new();
    wait_until("the request to wait for a person", Duration::from_mins(1), || {
        let lots = world.prevet(&["inbox", "--format", "json"]).succeeds().json();
        lot = lots["lots"][0]["lotId"].as_str().unwrap_or_default().to_owned();
        !lot.is_empty()
    });
    Runtime::new().unwrap().block_on(answer_on_the_page(&ready, &lot, "no"));
    let outcome = turn.end();
    assert_eq!((outcome.code, model.left()), (0, 0), "{outcome}");
    let said = outcome.text();
    assert!(said.contains("answered") && said.contains("the index stays"), "{outcome}");
    served.signal("TERM");
    assert_eq!(served.end().code, 0);
}
