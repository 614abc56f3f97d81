//! Servers that are busy, broken, silent or not there: a bounded wait, one line, and the push goes on unless the
//! policy says otherwise.

use std::time::Duration;

use prevet_testkit::stub::{Answer, Stub, closed_port};
use prevet_testkit::world::{Call, Outcome, WorkRepository};
use serde_json::json;

use crate::material::{CLEAN, GOES_ON, NOT_REVIEWED, Pushed, STOPPED, hooked, world};

/// The bound that the tests set: seconds.
const BOUND: &str = "1";
/// What a push may take in all then; git and a busy machine need some of it.
const WHOLE_PUSH: Duration = Duration::from_secs(20);

fn with_server(call: Call, url: &str) -> Call {
    call.env("PREVET_API_URL", url)
        .env("PREVET_API_KEY", "pvk_agent_of_a_test")
        .env("PREVET_TENANT_KEY", "ten_of_a_test")
        .env("PREVET_TIMEOUT_SECONDS", BOUND)
}

fn pushed_to(url: &str) -> Outcome {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    let outcome = with_server(repository.push(&["origin", "topic"]), url).within(WHOLE_PUSH).run();
    assert_eq!(repository.on_remote("refs/heads/topic"), Some(repository.id("topic")), "{outcome}");
    outcome
}

#[test]
fn a_server_that_asks_to_come_back() {
    let headers = vec![("Retry-After", "629".to_owned())];
    let stub = Stub::always(Answer::Status(429, headers, "slow down".to_owned()));
    let outcome = pushed_to(&stub.url());
    outcome.went_on_unreviewed(&["429", "slow down", "629 s", &stub.url()]);
    assert!(outcome.elapsed < WHOLE_PUSH);
}

#[test]
fn a_server_that_is_unavailable() {
    let stub = Stub::always(Answer::Status(503, Vec::new(), "<html>\n<b>down</b>".to_owned()));
    pushed_to(&stub.url()).went_on_unreviewed(&["503", &stub.url()]);
}

#[test]
fn a_server_that_stays_silent() {
    let stub = Stub::always(Answer::Silence);
    pushed_to(&stub.url()).went_on_unreviewed(&["did not answer within 1 s", &stub.url()]);
}

#[test]
fn a_server_that_hangs_up() {
    let stub = Stub::always(Answer::HangUp);
    pushed_to(&stub.url()).went_on_unreviewed(&["broke off", &stub.url()]);
}

#[test]
fn a_port_that_nobody_listens_on() {
    let url = closed_port();
    pushed_to(&url).went_on_unreviewed(&["cannot be reached", &url]);
}

#[test]
fn a_name_that_does_not_resolve() {
    pushed_to("https://no-such-host.invalid/mcp").went_on_unreviewed(&["no-such-host.invalid"]);
}

#[test]
fn an_answer_that_is_none_of_ours() {
    let stub = Stub::always(Answer::Status(200, Vec::new(), "<html>Welcome to the Wi-Fi".to_owned()));
    pushed_to(&stub.url()).went_on_unreviewed(&["not what a Prevet server gives", &stub.url()]);
}

/// Opens sessions and does `further` for all else.
fn half_a_server(further: Answer) -> Stub {
    let session =
        json!({ "session_id": "s".repeat(40), "resumed": false, "target_branch": "", "repo_full": "w" });
    Stub::by_path(move |path| match path {
        "/mcp/session" => Answer::json(200, &session),
        _ => further.clone(),
    })
}

#[test]
fn a_server_that_falls_silent_during_the_upload() {
    let stub = half_a_server(Answer::Silence);
    pushed_to(&stub.url()).went_on_unreviewed(&["uploading", "within 1 s"]);
}

/// Takes uploads as well, and does `further` at `/mcp`.
fn no_inspection(further: Answer) -> Stub {
    let session =
        json!({ "session_id": "s".repeat(40), "resumed": false, "target_branch": "", "repo_full": "w" });
    Stub::by_path(move |path| match path {
        "/mcp/session" => Answer::json(200, &session),
        "/mcp" => further.clone(),
        _ => Answer::json(200, &json!({ "session_id": "s", "diff_unchanged": false })),
    })
}

#[test]
fn a_server_that_falls_silent_during_the_inspection() {
    let stub = no_inspection(Answer::Silence);
    pushed_to(&stub.url()).went_on_unreviewed(&["inspecting", "did not answer within 1 s"]);
}

#[test]
fn a_server_that_is_overloaded_during_the_inspection() {
    let stub = no_inspection(Answer::Status(503, Vec::new(), "later".to_owned()));
    pushed_to(&stub.url()).went_on_unreviewed(&["503", &stub.url()]);
}

#[test]
fn a_server_that_sends_elsewhere_is_not_followed_with_the_key() {
    let other = Stub::always(Answer::Silence);
    let headers = vec![("Location", other.url())];
    let stub = Stub::always(Answer::Status(307, headers, String::new()));
    pushed_to(&stub.url()).went_on_unreviewed(&["307"]);
    assert!(other.requests().is_empty());
}

fn blocking(repository: &WorkRepository<'_>) {
    repository.git(&["checkout", "-q", "main"]);
    repository.commit_file(".prevet.toml", "on_error = \"block\"\n");
    repository.git(&["push", "-q", "--no-verify", "origin", "main"]);
    repository.git(&["checkout", "-q", "-B", "topic"]);
}

#[test]
fn a_policy_that_blocks_stops_what_was_not_reviewed() {
    let world = world();
    let repository = hooked(&world);
    blocking(&repository);
    repository.commit_file("f.py", CLEAN);
    let url = closed_port();
    let outcome = with_server(repository.push(&["origin", "topic"]), &url).run();
    assert_ne!(outcome.code, 0, "{outcome}");
    outcome.says(&[NOT_REVIEWED, "the push is stopped, as on_error = \"block\" in .prevet.toml says"]);
    outcome.never_says(&[STOPPED, GOES_ON]);
    assert_eq!(repository.on_remote("refs/heads/topic"), None);
    let lines = format!("refs/heads/topic {} refs/heads/topic {}\n", repository.id("topic"), "0".repeat(40));
    let hook = repository.prevet(&["hook", "pre-push", "origin", "url"]).stdin(lines);
    with_server(hook, &url).exits(3);
}

#[test]
fn a_change_cannot_loosen_or_tighten_what_happens_without_a_review() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file(".prevet.toml", "on_error = \"block\"\n");
    let outcome = with_server(repository.push(&["origin", "topic"]), &closed_port()).run();
    outcome.went_on_unreviewed(&["cannot be reached"]);
    blocking(&repository);
    repository.commit_file(".prevet.toml", "on_error = \"allow\"\n");
    let outcome = with_server(repository.push(&["-f", "origin", "topic"]), &closed_port()).run();
    assert_ne!(outcome.code, 0, "{outcome}");
}

#[test]
fn commands_that_need_a_server_say_so_and_exit_with_3() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", CLEAN);
    for arguments in [&["inspect"][..], &["diff"]] {
        let outcome = with_server(repository.prevet(arguments), &closed_port()).exits(3);
        outcome.says(&["cannot be reached"]);
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
    let outcome = with_server(repository.prevet(&["diff", "--base", "HEAD"]), &closed_port()).succeeds();
    assert!(outcome.text().contains("+++ b/f.py"), "{outcome}");
}

#[test]
fn a_bound_that_is_no_number_is_refused_by_name() {
    let world = world();
    let repository = world.repository("w");
    for value in ["0", "-1", "soon", "1.5"] {
        let call = with_server(repository.prevet(&["inspect"]), &closed_port());
        call.env("PREVET_TIMEOUT_SECONDS", value).exits(2).says(&["PREVET_TIMEOUT_SECONDS", value]);
    }
}
