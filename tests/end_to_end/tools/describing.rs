//! `describe_change`

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::{Assembled, Multipart, Served, patch};
use serde_json::json;

use crate::{AFTER, change, token};

#[tokio::test]
async fn without_a_model_the_structure_is_told() {
    let served = Served::start(env!("CARGO_BIN_EXE_prevet")).await;
    let client = &served.client;
    let id = client.open("shop").await;
    let pack = patch::pack(&[("shop.py", AFTER)]).to_string();
    client.upload_parts(&id, &Multipart::diff(change()).part("context", pack)).await.expect(200);
    let result = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    let text = result["description"].as_str().unwrap();
    assert!(
        text.starts_with("# Change Description\n") && text.contains("\n## Important Changes\n"),
        "{text}"
    );
    assert!(text.contains("adds function `greet`; changes function `total`"), "{text}");
    assert_eq!(result["files_visited"], json!(["shop.py"]));
    assert_eq!(result["session_id"], json!(id));
    assert!(result["eval_summary"].as_str().unwrap().contains("no model is configured"), "{result}");
    assert!(result.get("context_refresh").is_none() && result.get("degraded").is_none(), "{result}");
    client.upload(&id, change()).await.expect(200);
    let bare = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    assert_eq!(bare["context_refresh"]["status"], "diff_only");
}

#[tokio::test]
async fn errors_are_results() {
    let served = Served::start(env!("CARGO_BIN_EXE_prevet")).await;
    let client = &served.client;
    let empty = client.open("empty").await;
    let filled = client.open_with("shop", change()).await;
    for (name, more) in [
        ("describe_change", json!({})),
        ("ask", json!({ "question": "why?" })),
        ("check_task", json!({ "task_description": "greet" })),
    ] {
        let with = |id: &str| {
            let mut arguments = more.clone();
            arguments["session_id"] = json!(id);
            arguments
        };
        client.tool_answer(name, &with("nobody")).await.expect_tool_error("UNKNOWN_SESSION", &[]);
        client.tool_answer(name, &with(&empty)).await.expect_tool_error("NO_DIFF", &[]);
        client
            .tool_answer(name, &json!({ "session_id": 7 }))
            .await
            .expect_tool_error("INVALID_INPUT", &[name]);
        if name != "describe_change" {
            let answer = client.tool_answer(name, &with(&filled)).await;
            answer.expect_tool_error("MODEL_NOT_CONFIGURED", &[name, "PREVET_MODEL"]);
        }
    }
}

#[tokio::test]
async fn a_model_describes_and_is_not_believed_blindly() {
    let mut server = Assembled::start().await;
    let model =
        ScriptedModel::saying("```markdown\nGreets people.\n- `shop.py`: see shop.py:2 and shop.py:99\n```");
    let client = server.with(&model, None).await;
    let id = client
        .open_with("shop", format!("{}{}", change(), patch::added("key.py", &format!("t = '{}'\n", token()))))
        .await;
    let arguments =
        json!({ "session_id": id, "intent": "greet people", "context": { "pr_title": "Greeting" } });
    let result = client.tool_answer("describe_change", &arguments).await.tool();
    let expected = "# Change Description\n\nGreets people.\n\n## Important Changes\n\n- `shop.py`: see shop.py:2 and \
                    shop.py (not a line that was read)";
    assert_eq!(result["description"], expected);
    let [request] = model.asked().try_into().unwrap();
    assert!(request.user.contains("greet people") && request.user.contains("Greeting"));
    assert!(!request.user.contains(&token()) && request.user.contains("[masked]"), "{}", request.user);
}

#[tokio::test]
async fn a_large_change_is_described_in_parts() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::start(|asked| Reply::Text(format!("- noted\n- {}", asked.user.len())))
        .with_input_tokens(4_000);
    let client = server.with(&model, None).await;
    let lines: Vec<String> = (0..1_500).map(|at| format!("line_{at} = {at}")).collect();
    let text = lines.join("\n") + "\n";
    let id = client.open_with("big", patch::added("big.py", &text)).await;
    let result = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    let requests = model.asked();
    assert!(requests.len() > 3, "{}", requests.len());
    assert!(requests.iter().all(|it| it.user.len() + it.system.len() < 12_000));
    let shown: String = requests.iter().map(|it| it.user.as_str()).collect();
    assert!((0..1_500).all(|at| shown.contains(&format!(" + line_{at} = {at}\n"))));
    assert!(result.get("degraded").is_none(), "{result}");
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_structure() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::in_turn(vec![Reply::Status(500, None)]);
    let client = server.with(&model, None).await;
    let id = client.open_with("shop", change()).await;
    let result = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    assert!(result["description"].as_str().unwrap().contains("`shop.py`"));
    assert!(result["degraded"]["cause"].as_str().unwrap().contains("could not be asked"), "{result}");
    let empty = ScriptedModel::saying(" \n ");
    let client = server.with(&empty, None).await;
    let result = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    assert_eq!((result["degraded"].is_object(), empty.asked().len()), (true, 2));
}

#[tokio::test]
async fn a_trivial_change_asks_nobody() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::saying("x");
    let client = server.with(&model, None).await;
    let id = client.open_with("t", patch::replaced("README.md", "a\nb\n", "c\nd\n")).await;
    let result = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    assert_eq!(result["description"], "Trivial change \u{2014} documentation only: `README.md` (4 lines).");
    assert!(model.asked().is_empty());
}
