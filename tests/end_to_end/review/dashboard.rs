//! The dashboard: reviews on the page of this machine's `prevet serve`, over HTTP.

use std::path::Path;

use prevet_testkit::server::{Browser, Chromium, Parts, Served};
use prevet_testkit::world::{Call, wait_until};
use serde_json::{Value, json};

use super::scene::{FIXED_INPUT, PATIENCE, PLAN_INPUT, Scene, Session, command_started, says, thread};

const ISSUE: &str =
    "### ISSUE-1: It <b>leaks</b>\n- Severity: high\n- File: plan.md\n### VERDICT\n- Status: REVISE\n";
const APPROVE: &str = "### VERDICT\n- Status: APPROVE\n";
const WANTED: &str = "[review]\nopen_dashboard = true\n";

async fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_prevet")).await
}

/// A reviewer that begins a command, and raises an issue once `gate` is there.
fn gated(gate: &Path) -> String {
    let waits = format!("while [ ! -e '{}' ]; do sleep 0.05; done\n", gate.display());
    [thread(), command_started(), waits, says(ISSUE)].concat()
}

fn begin_beside(scene: &Scene, served: &Served) -> Call {
    scene.begin_call(&["review-plan"], PLAN_INPUT).env("PREVET_DATA_DIR", served.data())
}

fn session<'s>(scene: &'s Scene, begun: &Value) -> Session<'s> {
    Session { scene, directory: begun["session_dir"].as_str().unwrap().into(), begun: begun.clone() }
}

/// The address below the inbox.
fn path(begun: &Value) -> String {
    let url = begun["dashboard_url"].as_str().unwrap_or_else(|| panic!("no address: {begun}"));
    url.split_once("/inbox").unwrap().1.to_owned()
}

#[tokio::test]
async fn a_review_is_followed_from_its_first_event_to_its_verdict() {
    let served = serve().await;
    let scene = Scene::bare();
    scene.repository().write(".prevet.toml", WANTED);
    let gate = scene.world.path("gate");
    scene.reviewer(&gated(&gate));
    let begun = begin_beside(&scene, &served).succeeds().json();
    assert!(begun.get("dashboard_error").is_none(), "{begun}");
    let path = path(&begun);
    let session = session(&scene, &begun);
    session.sees(1, "cargo test");
    let browser = Browser::signed_in(&served).await;

    let page = browser.get(&path).await;
    assert_eq!(page.status, 200, "{}", page.text);
    for words in ["review-plan of app", "Round 1 is running", "<code>cargo test</code>", "effort high"] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    let part = browser.get(&format!("{path}/live")).await;
    let again = browser.request("GET", &format!("{path}/live")).header("if-none-match", part.header("etag"));
    assert_eq!(browser.client.send(again).await.status, 304);

    std::fs::write(&gate, "").unwrap();
    session.sees(1, "turn.completed");
    // Nobody waits for the round but the page.
    let ended = || session.path("outputs/round-001.end.json").exists();
    wait_until("the round's end", PATIENCE, ended);
    let again = browser.request("GET", &format!("{path}/live")).header("if-none-match", part.header("etag"));
    let part = browser.client.send(again).await;
    assert_eq!(part.status, 200);
    for words in [
        "Round 1 has ended: the author answers (respond: open_issues)",
        "It &lt;b&gt;leaks&lt;/b&gt;",
        "REVISE, 1 raised",
    ] {
        assert!(part.text.contains(words), "{words}: {}", part.text);
    }

    scene.reviewer(&says(APPROVE));
    session.reply(FIXED_INPUT);
    session.comes_to("completed", "done", "approved");
    session.end(&[]);
    let page = browser.get(&path).await;
    for words in ["Ended with APPROVE", "<td>fixed</td>", "Round 2: APPROVE", "Round 1: REVISE"] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    assert!(!page.text.contains("data-live"), "a review that has ended is not polled");
    let list = browser.get("/reviews").await.text;
    assert!(list.contains("Ended with APPROVE") && list.contains("1 issue, 0 open"), "{list}");
}

#[tokio::test]
async fn a_review_is_followed_in_a_browser() {
    let Some(parts) = Parts::from_env("the dashboard in Chromium") else { return };
    let served = serve().await;
    let scene = Scene::bare();
    scene.repository().write(".prevet.toml", WANTED);
    let gate = scene.world.path("gate");
    scene.reviewer(&gated(&gate));
    let begun = begin_beside(&scene, &served).succeeds().json();
    let url = begun["dashboard_url"].as_str().unwrap();
    session(&scene, &begun).sees(1, "cargo test");
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reviews");
    let mut browser = Chromium::start(&parts, &served, "reviews.mjs", &shots, &[("REVIEW", url)]);
    browser.ready().await;
    std::fs::write(&gate, "").unwrap();
    let result = browser.result().await;
    assert_eq!((&result["errors"], &result["faults"]), (&json!([]), &json!([])), "{result}");
    assert_eq!((&result["address"], &result["wide"]), (&json!(url), &json!(false)), "{result}");
    assert_eq!(result["reloads"], 1);
    assert_eq!(result["kept"], json!({ "open": false, "focused": "SUMMARY" }), "{result}");
    assert!(result["news"].as_str().unwrap().contains("Round 1 has ended"), "{result}");
    assert!(result["review"].as_str().unwrap().contains("It <b>leaks</b>"), "{result}");
}

#[tokio::test]
async fn without_a_server_the_review_runs_and_is_shown_later() {
    let scene = Scene::fake(&says(APPROVE));
    scene.repository().write(".prevet.toml", WANTED);
    let begun = scene.begin_call(&["review-plan"], PLAN_INPUT).succeeds().json();
    let why = begun["dashboard_error"].as_str().unwrap();
    assert!(why.contains("prevet serve") && begun.get("dashboard_url").is_none(), "{begun}");
    assert_eq!(begun["status"], "running");
    session(&scene, &begun).comes_to("completed", "done", "approved");
}

#[tokio::test]
async fn a_review_that_asks_for_no_dashboard_is_listed_all_the_same() {
    let served = serve().await;
    let scene = Scene::fake(&says(APPROVE));
    let begun = begin_beside(&scene, &served).succeeds().json();
    assert!(begun.get("dashboard_url").is_none() && begun.get("dashboard_error").is_none(), "{begun}");
    let browser = Browser::signed_in(&served).await;
    let list = browser.get("/reviews").await.text;
    assert!(list.contains("review-plan of app"), "{list}");
    // Whoever looks at the list sees a round's end too.
    session(&scene, &begun).comes_to("completed", "done", "approved");
    let list = browser.get("/reviews/live").await.text;
    assert!(list.contains("Round 1 has ended: it can be ended (done: approved)"), "{list}");
    std::fs::remove_dir_all(begun["session_dir"].as_str().unwrap()).unwrap();
    let list = browser.get("/reviews").await.text;
    assert!(list.contains("No review was begun"), "{list}");
}

#[tokio::test]
async fn a_session_that_cannot_be_read_says_why() {
    let served = serve().await;
    let scene = Scene::fake(&says(APPROVE));
    let begun = begin_beside(&scene, &served).succeeds().json();
    let session = session(&scene, &begun);
    session.wait();
    std::fs::write(session.path("state.json"), r#"{"version": 99}"#).unwrap();
    let list = Browser::signed_in(&served).await.get("/reviews").await.text;
    assert!(list.contains("It cannot be read") && list.contains("version 99"), "{list}");
}

#[tokio::test]
async fn reviews_are_for_the_people_of_this_machine() {
    let served = serve().await;
    let scene = Scene::fake(&says(APPROVE));
    scene.repository().write(".prevet.toml", WANTED);
    let begun = begin_beside(&scene, &served).succeeds().json();
    let path = path(&begun);
    let mut nobody = Browser::new(&served);
    for page in ["/reviews".to_owned(), path.clone(), format!("{path}/live"), "/reviews/live".to_owned()] {
        let answer = nobody.get(&page).await;
        assert_eq!(answer.status, 401, "{page}");
        assert!(!answer.text.contains("review-plan"), "{page}");
    }
    // Signing in leads to where they came from, and never to another site.
    let key = served.ready["human_key"].as_str().unwrap();
    let origin = served.client.origin();
    for (referer, leads_to) in [
        (format!("{origin}/inbox{path}"), path.trim_start_matches('/').to_owned()),
        (format!("{origin}/inbox/lots/x/answer"), "../inbox".to_owned()),
        ("https://elsewhere.example/inbox/https://x".to_owned(), "../inbox".to_owned()),
    ] {
        let form = prevet_testkit::server::form(nobody.request("POST", "/sign-in"), &[("key", key)]);
        let answer = nobody.client.send(form.header("referer", referer)).await;
        assert_eq!((answer.status, answer.header("location")), (303, leads_to.as_str()));
    }
    let administration = served.administration().await;
    let tenant = administration.create_tenant("others").await.unwrap().key;
    let products = vec![prevet_domain::session::Product::Decisions];
    let role = prevet_domain::session::Role::Human;
    let other = administration.create_key(&tenant, role, products, None).await.unwrap().key;
    assert_eq!(nobody.sign_in("key", &other).await.status, 303);
    for page in ["/reviews", &path] {
        let answer = nobody.get(page).await;
        assert_eq!(answer.status, 404, "{}", answer.text);
        assert!(!answer.text.contains("review-plan"), "{page}");
    }
    assert!(!nobody.get("").await.text.contains("Reviews"));
    let owner = Browser::signed_in(&served).await;
    assert!(owner.get("").await.text.contains(">Reviews</a>"));
    for unknown in ["/reviews/nothing", "/reviews/..%2f..%2fetc", "/reviews/x/live"] {
        assert_eq!(owner.get(unknown).await.status, 404, "{unknown}");
    }
}
