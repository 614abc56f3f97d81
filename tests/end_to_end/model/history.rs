//! From run to run: the cache, ids, what persists and what is fixed.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::patch;
use serde_json::{Value, json};

use crate::process::Process;
use crate::{CODE, answering, each, found};

async fn run(server: &Process, id: &str, text: &str, intent: &str) -> Value {
    server.client.upload(id, patch::added("a.py", text)).await.expect(200);
    server.client.inspect(&json!({ "session_id": id, "intent": intent })).await
}

#[tokio::test]
async fn the_second_run_comes_from_the_cache() {
    let model = ScriptedModel::start(answering(found()));
    let server = Process::start(&model, &[]).await;
    let id = server.client.open("r").await;
    let first = run(&server, &id, CODE, "").await;
    let asked = model.asked().len();
    let second = run(&server, &id, CODE, "").await;
    assert_eq!((&second["cached"], model.asked().len()), (&json!(true), asked));
    assert_eq!(each(&second, "id"), each(&first, "id"));
    assert_eq!(each(&second, "status"), ["persisting"]);
}

#[tokio::test]
async fn an_unrelated_edit_keeps_the_id_and_the_fix_fixes() {
    // The second time the model says nothing: the code is still there, and so is the finding.
    for answers_again in [true, false] {
        let model = ScriptedModel::start(move |asked| match asked.number {
            0 => Reply::json(&found()),
            _ if asked.is_test() || !asked.user.contains("+     return sum(items) / len(items)\n") => {
                Reply::nothing()
            }
            _ if answers_again => Reply::json(&found()),
            _ => Reply::nothing(),
        });
        let server = Process::start(&model, &[]).await;
        let id = server.client.open("r").await;
        let first = run(&server, &id, CODE, "").await;
        let moved = run(&server, &id, &format!("import os\n\n\n{CODE}"), "tidied").await;
        assert_eq!(each(&moved, "id"), each(&first, "id"), "{moved}");
        assert_eq!(
            (&moved["findings"][0]["line"], &moved["findings"][0]["status"]),
            (&json!(5), &json!("persisting"))
        );
        let told = model
            .asked()
            .into_iter()
            .any(|it| it.user.contains(each(&first, "id")[0]) && it.user.contains("tidied"));
        assert!(told, "the model is told what was found before");
        let mended = CODE.replace("len(items)\n", "len(items) if items else 0\n");
        let last = run(&server, &id, &mended, "mended").await;
        assert_eq!((&last["verdict"], &last["findings"]), (&json!("approve"), &json!([])), "{last}");
        assert_eq!(last["fixed"][0]["id"].as_str(), Some(each(&first, "id")[0]));
    }
}

#[tokio::test]
async fn a_model_may_close_its_own_finding() {
    let model = ScriptedModel::start(|asked| {
        let id = asked.user.split("- id ").nth(1).and_then(|rest| rest.split(':').next());
        match id {
            _ if asked.is_test() => Reply::nothing(),
            Some(id) => Reply::json(&json!({ "findings": [], "earlier": [{ "id": id, "state": "mended" }] })),
            None => Reply::json(&found()),
        }
    });
    let server = Process::start(&model, &[]).await;
    let id = server.client.open("r").await;
    let first = run(&server, &id, CODE, "").await;
    let guarded = format!("{CODE}\n\ndef average(items):\n    return total(items) if items else 0\n");
    let second = run(&server, &id, &guarded, "callers check now").await;
    assert_eq!(second["findings"], json!([]), "{second}");
    assert_eq!(second["fixed"][0]["id"].as_str(), Some(each(&first, "id")[0]));
}

#[tokio::test]
async fn an_ignore_comment_holds_for_the_model_too() {
    let model = ScriptedModel::start(answering(found()));
    let server = Process::start(&model, &[]).await;
    let id = server.client.open("r").await;
    let text = CODE.replace("    return", "    # prevet: ignore model never empty here\n    return");
    let result = run(&server, &id, &text, "").await;
    assert_eq!(result["findings"], json!([]), "{result}");
    assert_eq!(result["counts"]["suppressed"][0]["reason"], "never empty here", "{result}");
}
