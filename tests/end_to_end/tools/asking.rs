//! `ask`

use prevet_testkit::scripted_model::ScriptedModel;
use prevet_testkit::server::{Assembled, Multipart, patch};
use serde_json::json;

use crate::{AFTER, change};

const QUESTION: &str = "  Why does `total` use item.price — and who calls it?? ";

#[tokio::test]
async fn the_question_is_asked_word_for_word() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::saying("Because prices count (`shop.py:2`, `shop.py:6`, `other.py:1`).");
    let client = server.with(&model, None).await;
    let id = client.open("shop").await;
    let pack = patch::pack(&[("shop.py", AFTER), ("caller.py", "from shop import total\n")]).to_string();
    client.upload_parts(&id, &Multipart::diff(change()).part("context", pack)).await.expect(200);
    let result = client.tool_answer("ask", &json!({ "session_id": id, "question": QUESTION })).await.tool();
    let answer = "Because prices count (`shop.py:2`, `shop.py:6`, `other.py (not a line that was read)`).";
    assert_eq!(result["answer"], answer);
    assert_eq!(result["files_visited"], json!(["caller.py", "shop.py"]));
    assert!(result.get("verdict").is_none() && result.get("findings").is_none());
    let [request] = model.asked().try_into().unwrap();
    assert!(request.user.contains(QUESTION) && request.user.contains("1 from shop import total"));
    assert!(!request.system.contains("item.price"));
}

#[tokio::test]
async fn an_empty_question_is_refused() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::saying("x");
    let client = server.with(&model, None).await;
    let id = client.open_with("shop", change()).await;
    let arguments = json!({ "session_id": id, "question": " " });
    client.tool_answer("ask", &arguments).await.expect_tool_error("INVALID_INPUT", &["question"]);
    let long = json!({ "session_id": id, "question": "x".repeat(70_000) });
    client.tool_answer("ask", &long).await.expect_tool_error("INVALID_INPUT", &["65536"]);
    assert!(model.asked().is_empty());
}

#[tokio::test]
async fn a_model_without_an_answer_is_an_error() {
    let mut server = Assembled::start().await;
    let model = ScriptedModel::saying("...");
    let client = server.with(&model, None).await;
    let id = client.open_with("shop", change()).await;
    let arguments = json!({ "session_id": id, "question": "why?" });
    client.tool_answer("ask", &arguments).await.expect_tool_error("BUSY", &["could not be read"]);
    assert_eq!(model.asked().len(), 2);
}
