//! Trying a model out, and watching it work.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::{Era, patch};
use prevet_testkit::world::{Call, World};
use serde_json::{Value, json};

use crate::CODE;
use crate::process::Process;

fn doctor(world: &World, model: &ScriptedModel) -> Call {
    world
        .prevet(&["doctor", "--model"])
        .env("PREVET_MODEL", "scripted")
        .env("PREVET_MODEL_URL", model.url())
        .env("PREVET_MODEL_API_KEY", "word")
}

#[test]
fn doctor_makes_one_real_call_and_says_what_it_cost() {
    let world = World::new(env!("CARGO_BIN_EXE_prevet"));
    let model = ScriptedModel::saying("ready");
    let priced = doctor(&world, &model)
        .env("PREVET_MODEL_USD_PER_MILLION_INPUT", "3")
        .env("PREVET_MODEL_USD_PER_MILLION_OUTPUT", "15");
    let told = priced.succeeds().text();
    let cost = "1000 tokens asked, 100 answered, 0.004500 USD";
    assert!(told.contains("ok    scripted answered \"ready\"") && told.contains(cost), "{told}");
    assert_eq!(model.asked().len(), 1);
    let told = doctor(&world, &model).succeeds().text();
    assert!(told.contains("a cost that is not known"), "{told}");
}

#[test]
fn doctor_says_why_there_is_no_answer() {
    let world = World::new(env!("CARGO_BIN_EXE_prevet"));
    let told = world.prevet(&["doctor", "--model"]).exits(2).text();
    assert!(told.contains("bad   ") && told.contains("PREVET_MODEL"), "{told}");
    let model = ScriptedModel::in_turn(vec![Reply::Status(429, Some(629))]);
    let told = doctor(&world, &model).exits(2).text();
    assert!(told.contains("asks to come back in 629 s"), "{told}");
}

#[tokio::test]
async fn each_part_that_is_done_is_told() {
    let model = ScriptedModel::start(|_| Reply::nothing());
    let server = Process::start(&model, &[("PREVET_MODEL_INPUT_TOKENS", "3000")]).await;
    let lines: String = (0..400).map(|at| format!("value_{at} = compute({at})\n")).collect();
    let id = server.client.open_with("r", patch::added("a.py", &format!("{CODE}{lines}"))).await;
    let arguments = json!({ "session_id": id });
    let params = json!({ "name": "inspect_diff", "arguments": arguments, "_meta": { "progressToken": "t" } });
    let answer = server.client.rpc(Era::Legacy("2025-11-25"), "tools/call", &params).await;
    let messages = answer.messages();
    let told: Vec<&Value> = messages.iter().filter(|it| it["method"] == "notifications/progress").collect();
    assert!(told.len() > 3, "{}", answer.text);
    let progress: Vec<f64> = told.iter().filter_map(|it| it["params"]["progress"].as_f64()).collect();
    assert!(progress.windows(2).all(|pair| pair[0] < pair[1]), "{progress:?}");
    let parts = told.iter().filter(|it| it["params"]["total"].as_f64().is_some_and(|total| total > 2.0));
    assert!(parts.count() > 2, "{}", answer.text);
    assert_eq!(answer.tool()["verdict"], "approve");
}
